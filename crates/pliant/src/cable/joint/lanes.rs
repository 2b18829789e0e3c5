//! Four joints at a time over a step: the equations of `joint`, by 3 x 3 blocks.
//!
//! The Jacobians of a joint are J_a = (-B, P_a; 0, Q_a) and J_b = (B, P_b; 0, Q_b), those at the end of the step
//! likewise; and so are the derivatives of the load, (-C, E_a; 0, F_a) and (C, E_b; 0, F_b). A joint's blocks of the
//! tangent consist of 13 products of such blocks, three of which are cross products.

use crate::cable::equations::assembly::{Constants, TwoVectors};
use crate::cable::joint::rows::{
    ANGLE, BIAS, COSINE, END_AXES, END_POSITION, END_TURN, JOINT_TURN, LAST_LOAD, LAST_MEAN, LOAD_CHANGE, MEAN,
    MEAN_AXES, MIDDLE_AXES, MIDDLE_POSITION, MIDDLE_TURN, Piece, SINC, strain,
};
use crate::cable::joint::three::{Matrix, Turn, minus, none};
use crate::cable::joint::{SINE, TANGENT};
use crate::lanes::{LANES, Lanes, Lanes3};

/// Four joints over a step.
pub struct Joint<L> {
    /// Rate of stretch per linear velocity of b.
    b: Matrix<L>,
    /// The vector of P_a = [y]x, including sin t / t of half the rotation.
    y: Lanes3<L>,
    /// The vector y without that factor.
    whole_y: Lanes3<L>,
    /// P_b without its first column, which is zero.
    p_b: [Lanes3<L>; 2],
    q_a: Matrix<L>,
    q_b: Matrix<L>,
    /// Rotation from a to b halfway.
    turn: Turn<L>,
    /// At the end of the step: y, rotation from a to b, 1 / (1 + w).
    end_y: Lanes3<L>,
    end_turn: Turn<L>,
    per_one_and_w: L,
    /// Stiffness; zero in lanes without a joint.
    stiffness: TwoVectors<L>,
    /// Force and moment.
    pub load: TwoVectors<L>,
}

/// ([alpha u]x - D, [alpha u]x + D), D = alpha w + beta m u^T: the effect of rotations of a and b on e_2, up to a
/// factor.
#[inline(always)]
fn turned<L: Lanes>(q: &Turn<L>, alpha: L, beta: L, m: Lanes3<L>) -> (Matrix<L>, Matrix<L>) {
    let crossing = q.u.scale(alpha);
    let d = Matrix::outer(m.scale(beta), q.u).plus_diagonal(alpha * q.w);
    (d.negative().plus_crossing(crossing), d.plus_crossing(crossing))
}

impl<L: Lanes> Joint<L> {
    /// Joints i to i + 3, each between the link of its index and the next.
    #[inline(always)]
    pub fn at(law: &Constants<L>, piece: &Piece, i: usize) -> Joint<L> {
        let (one, half) = (L::splat(1.0), L::splat(0.5));
        let arm = law.arm_b;
        // halfway
        let (mean_a, mean_b) = (piece.matrix::<L, 0>(MEAN_AXES), piece.three::<L, 1>(MEAN_AXES));
        let (axes_a, axes_b) = (piece.matrix::<L, 0>(MIDDLE_AXES), piece.matrix::<L, 1>(MIDDLE_AXES));
        let z = piece.three::<L, 1>(MIDDLE_POSITION) - mean_b.scale(arm) - piece.three::<L, 0>(MIDDLE_POSITION);
        let y = axes_a.transposed_times(z);
        let q = piece.turn::<L, 0>(MIDDLE_TURN).to(piece.turn::<L, 1>(MIDDLE_TURN));
        let (cos_a, cos_b) = (piece.one::<L, 0>(COSINE), piece.one::<L, 1>(COSINE));
        let (sinc_a, sinc_b) = (piece.one::<L, 0>(SINC), piece.one::<L, 1>(SINC));
        // at the end
        let (end_a, end_b) = (piece.matrix::<L, 0>(END_AXES), piece.three::<L, 1>(END_AXES));
        let z = piece.three::<L, 1>(END_POSITION) - end_b.scale(arm) - piece.three::<L, 0>(END_POSITION);
        let end_y = end_a.transposed_times(z);
        let end_turn = piece.turn::<L, 0>(END_TURN).to(piece.turn::<L, 1>(END_TURN));
        // sin t / t of the half turn is that of the quarter turn times its cosine
        let far = arm * sinc_b * cos_b;
        let p_b = [
            mean_a.transposed_times(axes_b.0[2]).scale(far),
            mean_a.transposed_times(axes_b.0[1]).scale(L::zero() - far),
        ];
        let start_turn = piece.turn::<L, 0>(JOINT_TURN);
        let (start_w, end_w) = (one + start_turn.w, one + end_turn.w);
        let per_product = (start_w * end_w).inverse();
        let beta = L::splat(TANGENT) * per_product;
        let alpha = L::splat(SINE) + beta * (half * (start_w + end_w));
        let mean_u = (start_turn.u + end_turn.u).scale(half);
        let (q_a, q_b) = turned(&q, alpha, beta, mean_u);
        let (scale_a, scale_b) = (half * sinc_a * cos_b, half * sinc_b * cos_a);
        let (q_a, q_b) = (q_a.scale(scale_a), q_b.scale(scale_b));
        let there = joints_there(law.joints, i);
        let stiffness = [law.stiffness[0].scale(there), law.stiffness[1].scale(there)];
        let mut joint = Joint {
            b: mean_a.transposed(),
            y: y.scale(sinc_a * cos_a),
            whole_y: y,
            p_b,
            q_a,
            q_b,
            turn: q,
            end_y,
            end_turn,
            per_one_and_w: per_product * start_w,
            stiffness,
            load: [none(), none()],
        };
        joint.load = joint.load_at(law, piece);
        joint
    }

    /// J V.
    #[inline(always)]
    fn rates(&self, piece: &Piece) -> TwoVectors<L> {
        let (w_a, w_b) = (piece.three::<L, 0>(MEAN + 3), piece.three::<L, 1>(MEAN + 3));
        let slide = piece.three::<L, 1>(MEAN) - piece.three::<L, 0>(MEAN);
        [
            self.b.times(slide) + self.y.cross(w_a) + self.p_b[0].scale(w_b.y) + self.p_b[1].scale(w_b.z),
            self.q_a.times(w_a) + self.q_b.times(w_b),
        ]
    }

    /// K ((e_0 + e_1) / 2 - rest + d J V).
    #[inline(always)]
    fn load_at(&self, law: &Constants<L>, piece: &Piece) -> TwoVectors<L> {
        let (half, damping) = (L::splat(0.5), L::splat(law.damping));
        let strains = strain(law.arm_a, self.end_y, &self.end_turn, self.per_one_and_w);
        let rates = self.rates(piece);
        let stretch = strains[0].scale(half) + piece.three::<L, 0>(BIAS) + rates[0].scale(damping);
        let bend = strains[1].scale(half) + piece.three::<L, 0>(BIAS + 3) + rates[1].scale(damping);
        [stretch.by_parts(self.stiffness[0]), bend.by_parts(self.stiffness[1])]
    }

    /// J_a^T and J_b^T times the load.
    #[inline(always)]
    pub fn forces(&self) -> (TwoVectors<L>, TwoVectors<L>) {
        let [force, moment] = self.load;
        let pull = self.b.transposed_times(force);
        (
            [minus(pull), force.cross(self.y) + self.q_a.transposed_times(moment)],
            [pull, self.by_p_b(force) + self.q_b.transposed_times(moment)],
        )
    }

    /// P_b^T v.
    #[inline(always)]
    fn by_p_b(&self, v: Lanes3<L>) -> Lanes3<L> {
        Lanes3 { x: L::zero(), y: self.p_b[0].dot(v), z: self.p_b[1].dot(v) }
    }

    /// (C, E_a, E_b, F_a, F_b): derivatives of the load, K T/2 times the rate at the end of the step, and the damping.
    #[inline(always)]
    fn load_change(&self, law: &Constants<L>, piece: &Piece) -> [Matrix<L>; 5] {
        let (half_step, damping) = (L::splat(0.5 * law.step), L::splat(law.damping));
        let ([k, l], half) = (self.stiffness, L::splat(0.5));
        let stretch = [k.scale(half_step), k.scale(damping)];
        let bend = [l.scale(half_step), l.scale(damping)];
        let (end_a, end_b) = (piece.matrix::<L, 0>(END_AXES), piece.matrix::<L, 1>(END_AXES));
        let (turn_a, turn_b) = (right_jacobian(piece.three::<L, 0>(ANGLE)), right_jacobian(piece.three::<L, 1>(ANGLE)));
        let up = end_a.transposed_times(end_b.0[2]).scale(law.arm_b);
        let down = end_a.transposed_times(end_b.0[1]).scale(L::zero() - law.arm_b);
        let end_p_a = turn_a.crossed_by(self.end_y);
        let rows_b = turn_b.transposed();
        let end_p_b = Matrix::outer(up, rows_b.0[1]).plus(&Matrix::outer(down, rows_b.0[2]));
        let per = L::splat(TANGENT) * self.per_one_and_w;
        let (q_a, q_b) =
            turned(&self.end_turn, half * (L::splat(SINE) + per), half * per * self.per_one_and_w, self.end_turn.u);
        [
            weighted(stretch, &end_a.transposed(), &self.b),
            end_p_a.by_rows(stretch[0]).plus_weighted_crossing(stretch[1], self.y),
            end_p_b
                .by_rows(stretch[0])
                .plus_columns(self.p_b[0].by_parts(stretch[1]), self.p_b[1].by_parts(stretch[1])),
            weighted(bend, &q_a.product(&turn_a), &self.q_a),
            weighted(bend, &q_b.product(&turn_b), &self.q_b),
        ]
    }

    /// The load extrapolated linearly from where the tangent was last evaluated; at first, if `fresh`, that of the step
    /// before.
    ///
    /// A link that turns slightly too far overstretches its joints, and the contribution of such a load to the tangent
    /// leads Newton's method astray. With the extrapolated load it is Newton's method for velocities and loads as
    /// independent unknowns, which needs fewer iterations and converges to the same solution: D. Magisano, L. Leonetti,
    /// G. Garcea, "How to improve efficiency and robustness of the Newton method in geometrically non-linear structural
    /// problem discretized via displacement-based finite elements".
    #[inline(always)]
    fn foreseen(&self, piece: &Piece, fresh: bool) -> TwoVectors<L> {
        let last = [piece.three::<L, 0>(LAST_LOAD), piece.three::<L, 0>(LAST_LOAD + 3)];
        if fresh {
            return last;
        }
        // no closures: target features do not extend into them
        let slid = piece.three::<L, 1>(MEAN) - piece.three::<L, 0>(MEAN);
        let slide = slid - (piece.three::<L, 1>(LAST_MEAN) - piece.three::<L, 0>(LAST_MEAN));
        let turn_a = piece.three::<L, 0>(MEAN + 3) - piece.three::<L, 0>(LAST_MEAN + 3);
        let turn_b = piece.three::<L, 1>(MEAN + 3) - piece.three::<L, 1>(LAST_MEAN + 3);
        let (c, e_a) = (piece.matrix::<L, 0>(LOAD_CHANGE), piece.matrix::<L, 0>(LOAD_CHANGE + 9));
        let (e_b, f_a) = (piece.matrix::<L, 0>(LOAD_CHANGE + 18), piece.matrix::<L, 0>(LOAD_CHANGE + 27));
        let f_b = piece.matrix::<L, 0>(LOAD_CHANGE + 36);
        [
            last[0] + c.times(slide) + e_a.times(turn_a) + e_b.times(turn_b),
            last[1] + f_a.times(turn_a) + f_b.times(turn_b),
        ]
    }

    /// Compute the parts of the joint's blocks of the tangent.
    #[inline(always)]
    pub fn tangent(&self, law: &Constants<L>, piece: &mut Piece, fresh: bool) -> Tangent<L> {
        let foreseen = self.foreseen(piece, fresh);
        let [c, e_a, e_b, f_a, f_b] = self.load_change(law, piece);
        piece.set_six(LAST_LOAD, self.load);
        piece.set_matrix(LOAD_CHANGE, &c);
        piece.set_matrix(LOAD_CHANGE + 9, &e_a);
        piece.set_matrix(LOAD_CHANGE + 18, &e_b);
        piece.set_matrix(LOAD_CHANGE + 27, &f_a);
        piece.set_matrix(LOAD_CHANGE + 36, &f_b);
        let (axes_a, axes_b) = (piece.matrix::<L, 0>(MIDDLE_AXES), piece.matrix::<L, 1>(MIDDLE_AXES));
        // contribution of a force as links turn: see `joint::Joint::geometric`
        let force = foreseen[0].scale(L::splat(0.5 * law.step));
        let [x, y, z] = axes_a.0;
        let swing = Matrix([
            z.scale(force.y) - y.scale(force.z),
            x.scale(force.z) - z.scale(force.x),
            y.scale(force.x) - x.scale(force.y),
        ]);
        let far = force.scale(law.arm_b);
        Tangent {
            slide: self.b.transposed_product(&c),
            turn_a: self.b.transposed_product(&e_a).plus(&swing),
            turn_b: self.b.transposed_product(&e_b),
            slide_a: c.crossed_with(self.y).plus(&swing.transposed()),
            slide_b: Matrix([self.by_p_b(c.0[0]), self.by_p_b(c.0[1]), self.by_p_b(c.0[2])]),
            cross: [far.cross(axes_a.transposed_times(axes_b.0[2])), axes_a.transposed_times(axes_b.0[1]).cross(far)],
            mu: axes_b.transposed_times(axes_a.times(far)),
            force,
            moment: self.of_moment(law, foreseen[1]),
            e_a,
            e_b,
            f_a,
            f_b,
        }
    }

    /// Contribution of a moment to the torques as links turn, see `joint::Joint::of_moment`, times half the step: for
    /// rotations of a and of b, the torque on a and that on b.
    #[inline(always)]
    fn of_moment(&self, law: &Constants<L>, moment: Lanes3<L>) -> [[Matrix<L>; 2]; 2] {
        let (u, w) = (self.turn.u, self.turn.w);
        let moment = moment.scale(L::splat(0.25 * law.step));
        let per = (L::splat(1.0) + w).inverse();
        let tangent = L::splat(TANGENT) * per;
        let (c, c1) = (L::splat(SINE) + tangent, L::zero() - tangent * per);
        let c2 = L::splat(-2.0) * c1 * per;
        let along = u.dot(moment);
        // per dw, which is minus and plus u / 2
        let half = u.scale(L::splat(0.5));
        let straight = Matrix::outer(moment.scale(c1 * w + c) - u.scale(c2 * along), half);
        let crossed = Matrix::outer(u.cross(moment).scale(c1), half);
        // per du, which is ([u]x - w) / 2 and ([u]x + w) / 2
        let (bend, spin) = (half.cross(moment), moment.scale(L::splat(0.5) * w));
        let (by_u, cross_moment) = (u.scale(c1), moment.scale(c));
        let zero = Matrix([none(), none(), none()]);
        let half_w = L::splat(0.5) * w;
        let du = [
            zero.plus_diagonal(L::zero() - half_w).plus_crossing(half),
            zero.plus_diagonal(half_w).plus_crossing(half),
        ];
        let pull = c1 * along;
        let straight_a = straight.less(&du[0].scale(pull).less(&Matrix::outer(by_u, bend + spin)));
        let straight_b = Matrix::outer(by_u, bend - spin).less(&straight.plus(&du[1].scale(pull)));
        let crossed_a = crossed.less(&du[0].crossed_by(cross_moment));
        let crossed_b = crossed.plus(&du[1].crossed_by(cross_moment)).negative();
        [
            [straight_a.plus(&crossed_a).negative(), straight_a.less(&crossed_a)],
            [straight_b.plus(&crossed_b).negative(), straight_b.less(&crossed_b)],
        ]
    }

    /// m + P_b^T n.
    #[inline(always)]
    fn with_p_b(&self, m: &Matrix<L>, n: &Matrix<L>) -> Matrix<L> {
        let ([a, b, c], [d, e, f], [p, q]) = (m.0, n.0, self.p_b);
        Matrix([
            Lanes3 { x: a.x, y: a.y + p.dot(d), z: a.z + q.dot(d) },
            Lanes3 { x: b.x, y: b.y + p.dot(e), z: b.z + q.dot(e) },
            Lanes3 { x: c.x, y: c.y + p.dot(f), z: c.z + q.dot(f) },
        ])
    }

    /// Block of the tangent in rows and columns of a.
    #[inline(always)]
    pub fn aa(&self, t: &Tangent<L>) -> Six<L> {
        let y = self.whole_y;
        let turn = t.e_a.crossed_with(self.y).plus(&self.q_a.transposed_product(&t.f_a));
        let turn = turn.plus(&Matrix::outer(y, t.force)).plus_diagonal(L::zero() - t.force.dot(y));
        six([t.slide, t.turn_a.negative()], [t.slide_a.negative(), turn.plus(&t.moment[0][0])])
    }

    /// Block of the tangent in rows of a, columns of b.
    #[inline(always)]
    pub fn ab(&self, t: &Tangent<L>) -> Six<L> {
        let turn = t.e_b.crossed_with(self.y).plus(&self.q_a.transposed_product(&t.f_b)).plus(&t.moment[1][0]);
        six([t.slide.negative(), t.turn_b.negative()], [t.slide_a, turn.plus_columns(t.cross[0], t.cross[1])])
    }

    /// Block of the tangent in rows of b, columns of a.
    #[inline(always)]
    pub fn ba(&self, t: &Tangent<L>) -> Six<L> {
        let turn = self.with_p_b(&self.q_b.transposed_product(&t.f_a), &t.e_a);
        let turn = turn.transposed().plus_columns(t.cross[0], t.cross[1]).transposed();
        six([t.slide.negative(), t.turn_a], [t.slide_b.negative(), turn.plus(&t.moment[0][1])])
    }

    /// Block of the tangent in rows and columns of b.
    #[inline(always)]
    pub fn bb(&self, t: &Tangent<L>) -> Six<L> {
        let Matrix([a, b, c]) = self.with_p_b(&self.q_b.transposed_product(&t.f_b), &t.e_b);
        let turn = Matrix([
            Lanes3 { x: a.x, y: a.y - t.mu.y, z: a.z - t.mu.z },
            Lanes3 { y: b.y + t.mu.x, ..b },
            Lanes3 { z: c.z + t.mu.x, ..c },
        ]);
        six([t.slide, t.turn_b], [t.slide_b, turn.plus(&t.moment[1][1])])
    }
}

/// K a + D b, row by row.
#[inline(always)]
fn weighted<L: Lanes>([k, d]: TwoVectors<L>, a: &Matrix<L>, b: &Matrix<L>) -> Matrix<L> {
    a.by_rows(k).plus(&b.by_rows(d))
}

/// J_r, see `assembly::trivialised`.
#[inline(always)]
fn right_jacobian<L: Lanes>(x: Lanes3<L>) -> Matrix<L> {
    let sixth = x.scale(L::splat(1.0 / 6.0));
    let square = Matrix::outer(sixth, x).plus_diagonal(L::splat(1.0) - sixth.dot(x));
    square.plus_crossing(x.scale(L::splat(-0.5)))
}

/// One for each of the joints i to i + 3 that exists, else zero.
#[inline(always)]
fn joints_there<L: Lanes>(joints: usize, i: usize) -> L {
    let mut there = [0.0; LANES];
    for (l, one) in there.iter_mut().enumerate() {
        *one = if i + l < joints { 1.0 } else { 0.0 };
    }
    L::load(&there)
}

/// Parts of the tangent blocks of four joints.
pub struct Tangent<L> {
    /// Forces per relative linear velocity, B^T C.
    slide: Matrix<L>,
    /// Forces on b per angular velocity of a and of b.
    turn_a: Matrix<L>,
    turn_b: Matrix<L>,
    /// Torques on a and on b per relative linear velocity.
    slide_a: Matrix<L>,
    slide_b: Matrix<L>,
    /// Torques on a per angular velocity of b, as far as they come from the force: second and third column.
    cross: [Lanes3<L>; 2],
    /// Force in the frame of b times the arm.
    mu: Lanes3<L>,
    /// Force; like `cross` and `mu`, times half the step.
    force: Lanes3<L>,
    /// See `Joint::of_moment`.
    moment: [[Matrix<L>; 2]; 2],
    e_a: Matrix<L>,
    e_b: Matrix<L>,
    f_a: Matrix<L>,
    f_b: Matrix<L>,
}

/// A 6 x 6 block of four joints.
pub type Six<L> = [[L; 6]; 6];

/// A 6 x 6 block by rows, from four 3 x 3 blocks by columns.
#[inline(always)]
fn six<L: Lanes>(top: [Matrix<L>; 2], bottom: [Matrix<L>; 2]) -> Six<L> {
    let [Matrix([a, b, c]), Matrix([d, e, f])] = top;
    let [Matrix([g, h, i]), Matrix([j, k, l])] = bottom;
    [
        [a.x, b.x, c.x, d.x, e.x, f.x],
        [a.y, b.y, c.y, d.y, e.y, f.y],
        [a.z, b.z, c.z, d.z, e.z, f.z],
        [g.x, h.x, i.x, j.x, k.x, l.x],
        [g.y, h.y, i.y, j.y, k.y, l.y],
        [g.z, h.z, i.z, j.z, k.z, l.z],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cable::equations::assembly::{begin, place, tests::bent};
    use crate::cable::equations::scratch::StepScratch;
    use crate::lanes::Plain;
    use crate::math::Vec3;

    /// J V T = e_1 - e_0, from which energy conservation of a step follows.
    #[test]
    fn a_step_changes_the_strain_by_its_jacobian_exactly() {
        let (links, state) = bent(7, false);
        let step = 0.1;
        let mut s = StepScratch::new(7, 0, false);
        begin(&links, &state, step, &mut s);
        s.mean.copy_from_slice(&state.velocities);
        place(step, &mut s, None);
        let law = Constants::<Plain>::new(&links, Vec3::ZERO, step);
        for (n, piece) in s.rows.pieces().iter().enumerate() {
            let joint = Joint::at(&law, piece, n * LANES);
            let rates = joint.rates(piece);
            let end = strain(law.arm_a, joint.end_y, &joint.end_turn, joint.per_one_and_w);
            for k in 0..2 {
                let bias = piece.three::<Plain, 0>(BIAS + 3 * k);
                let start = [bias.x, bias.y, bias.z].map(|b| b.0.map(|b| 2.0 * b));
                let (rate, end) = ([rates[k].x, rates[k].y, rates[k].z], [end[k].x, end[k].y, end[k].z]);
                for (c, lane) in (0..3).flat_map(|c| (0..LANES).map(move |l| (c, l))) {
                    if n * LANES + lane < 6 {
                        // a hundred roundings of numbers of order one
                        let change = end[c].0[lane] - (start[c][lane] + 2.0 * links.rest[n * LANES + lane][3 * k + c]);
                        let got = step * rate[c].0[lane];
                        assert!((got - change).abs() < 1e-14, "{got} for {change}");
                        assert!(change.abs() > 1e-6);
                    }
                }
            }
        }
    }
}
