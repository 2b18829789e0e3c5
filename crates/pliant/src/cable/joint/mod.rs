//! The elastic joint between two cross-sections: strain, its rate, and their derivatives with respect to the links.
//!
//! After J. Lee, M. Lee, Yoon, D. Lee, "A parallelized iterative algorithm for real-time simulation of long flexible
//! cable manipulation", section III.A, with the tangent along x instead of z. A link is a pose; `h` is half a link
//! along its axis. With y = R_a^T (p_b - R_b h_b - p_a) and q = q_a* q_b = (w, u),
//!
//!   e_1 = y - h_a                                  stretch and shear in the frame of a,
//!   e_2 = (2/3) u + (8/3) u / (1 + w)              torsion and bending.
//!
//! e_2 is printed as u, which is half the angle: bending and torsion come out four times too soft. Twice that, 2
//! sin(phi/2), is too soft by phi^2/24, and 4 u / (1 + w) = 4 tan(phi/4) too stiff by phi^2/48; a third of the one and
//! two thirds of the other equal the angle up to its fourth power. The rates, with linear velocities in the world and
//! angular ones in the link, are
//!
//!   e_1' = R_a^T (v_b - v_a) + R_a^T R_b [h_b]x w_b + [y]x w_a,
//!   2 u' = (w + [u]x) w_b - (w - [u]x) w_a,        2 w' = -u . (w_b - w_a).

pub mod lanes;
pub mod rows;
pub mod three;

use crate::cable::algebra::block::{Mat6, Vec6, ZERO};
use crate::linkage::Arms;
use crate::math::{Pose, Quat, Vec3, cos, sin};

/// Strain of a joint and its Jacobians.
#[derive(Clone, Copy, Debug)]
pub struct Joint {
    /// Strain rate per velocity of a.
    pub by_a: Mat6,
    /// Strain rate per velocity of b.
    pub by_b: Mat6,
    /// y, the vector from the centre of a to the end of b at the joint, in the frame of a.
    y: Vec3,
    /// R_a.
    turn_a: Quat,
    /// R_a^T R_b.
    relative: Quat,
    arms: Arms,
}

/// A link during a step: its poses, and its rotation vector in its own frame.
#[derive(Clone, Copy, Debug)]
pub struct Turning<'a> {
    /// Pose at the start.
    pub start: &'a Pose,
    /// Pose halfway.
    pub middle: &'a Pose,
    /// Pose at the end.
    pub end: &'a Pose,
    /// Mean angular velocity times the step, in the frame of the link [rad].
    pub turn: Vec3,
}

struct Part {
    cos: f64,
    /// sin(t) / t.
    sinc: f64,
    axis: Vec3,
}

impl<'a> Turning<'a> {
    /// A link at rest.
    fn resting(pose: &'a Pose) -> Turning<'a> {
        Turning { start: pose, middle: pose, end: pose, turn: Vec3::ZERO }
    }

    fn part(&self, fraction: f64) -> Part {
        let length = self.turn.length();
        let t = fraction * length;
        let sinc = if t > 1e-4 { sin(t) / t } else { 1.0 - t * t / 6.0 };
        Part { cos: cos(t), sinc, axis: self.turn / length.max(f64::MIN_POSITIVE) }
    }

    fn half_turn(&self) -> Part {
        self.part(0.5)
    }

    fn quarter_turn(&self) -> Part {
        self.part(0.25)
    }
}

/// Strain (e_1, e_2) of a joint.
pub fn strain(a: &Pose, b: &Pose, arms: Arms) -> Vec6 {
    let y = a.rotation.inverse() * (b.translation - b.rotation * (Vec3::X * arms.b) - a.translation);
    let q = relative(a.rotation, b.rotation);
    let scale = SINE + TANGENT / (1.0 + q.w);
    [y.x - arms.a, y.y, y.z, scale * q.x, scale * q.y, scale * q.z]
}

/// e_2 = SINE u + TANGENT u / (1 + w).
pub const SINE: f64 = 2.0 / 3.0;
/// See `SINE`.
pub const TANGENT: f64 = 8.0 / 3.0;

/// The exact change of e_2 for changes of u and w between two ends whose means are known: u_1/(1+w_1) - u_0/(1+w_0) =
/// (du (1 + mean w) - mean u dw) / ((1 + w_0) (1 + w_1)).
struct Bend {
    mean_u: Vec3,
    mean_w: f64,
    per_product: f64,
}

impl Bend {
    fn between(start: Quat, end: Quat) -> Bend {
        let mean = (start + end) * 0.5;
        Bend {
            mean_u: Vec3::new(mean.x, mean.y, mean.z),
            mean_w: mean.w,
            per_product: 1.0 / ((1.0 + start.w) * (1.0 + end.w)),
        }
    }

    fn change(&self, du: Vec3, dw: f64) -> Vec3 {
        du * SINE + (du * (1.0 + self.mean_w) - self.mean_u * dw) * (TANGENT * self.per_product)
    }
}

/// q_a* q_b with the sign of the shorter rotation.
fn relative(a: Quat, b: Quat) -> Quat {
    let q = a.inverse() * b;
    if q.w < 0.0 { -q } else { q }
}

impl Joint {
    /// Jacobians at the given poses: those of a step in which nothing moves.
    pub fn new(a: &Pose, b: &Pose, arms: Arms) -> Joint {
        Joint::of_step(&Turning::resting(a), &Turning::resting(b), arms)
    }

    /// Jacobians of a whole step: with the mean velocities V of the step, J V T is the change of the strain up to
    /// rounding, so that the work of a force J^T K (e_0 + e_1)/2 is the change of the energy.
    ///
    /// A link that turns by x = T w goes from R_m exp(-x/2) to R_m exp(x/2). Half the sum of these two is R_m (cos t +
    /// (1 - cos t) n n^T), t = |x|/2, their difference 2 sin t R_m [n]x; likewise for quaternions with t = |x|/4. The
    /// rest is the product rule for differences, d(f g) = mean(f) dg + df mean(g).
    pub fn of_step(a: &Turning<'_>, b: &Turning<'_>, arms: Arms) -> Joint {
        let h = Vec3::X * arms.b;
        let z = |a: &Pose, b: &Pose| b.translation - b.rotation * h - a.translation;
        let y = a.middle.rotation.inverse() * (0.5 * (z(a.start, b.start) + z(a.end, b.end)));
        let q = relative(a.middle.rotation, b.middle.rotation);
        let u = Vec3::new(q.x, q.y, q.z);
        let (half_a, half_b) = (a.half_turn(), b.half_turn());
        // mean of R_a^T = (cos + (1 - cos) n n^T) R_m^T
        let mean_a = |v: Vec3| v * half_a.cos + half_a.axis * (half_a.axis.dot(v) * (1.0 - half_a.cos));
        let to_a = a.middle.rotation.inverse();
        let ends = [relative(a.start.rotation, b.start.rotation), relative(a.end.rotation, b.end.rotation)];
        let bend = Bend::between(ends[0], ends[1]);
        let (quarter_a, quarter_b) = (a.quarter_turn(), b.quarter_turn());
        let (scale_a, scale_b) = (quarter_a.sinc * quarter_b.cos, quarter_b.sinc * quarter_a.cos);
        let (mut by_a, mut by_b) = (ZERO, ZERO);
        for (j, axis) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
            let along = mean_a(to_a * axis);
            let of_b = mean_a(q * h.cross(axis)) * half_b.sinc;
            let of_a = y.cross(axis) * half_a.sinc;
            let half = 0.5 * u.dot(axis);
            let twist_b = bend.change((axis * q.w + u.cross(axis)) * (0.5 * scale_b), -half * scale_b);
            let twist_a = bend.change((u.cross(axis) - axis * q.w) * (0.5 * scale_a), half * scale_a);
            for i in 0..3 {
                by_a[i][j] = -along[i];
                by_b[i][j] = along[i];
                by_a[i][j + 3] = of_a[i];
                by_b[i][j + 3] = of_b[i];
                by_a[i + 3][j + 3] = twist_a[i];
                by_b[i + 3][j + 3] = twist_b[i];
            }
        }
        Joint { by_a, by_b, y, turn_a: a.middle.rotation, relative: q, arms }
    }

    /// Geometric stiffness of a moment M in the joint: the derivative of J^T M as links turn. With
    /// c = SINE + TANGENT / (1 + w), the torques are
    ///   2 Q_b^T M = c (w M - u x M) - c' u (u.M),     2 Q_a^T M = -c (w M + u x M) + c' u (u.M).
    /// It matters: without it a cable bent around a drum would seem to resist rolling about its own axis. Returns the
    /// blocks (a, a), (a, b), (b, a) and (b, b), each 3 x 3. `lanes` has the version for four joints.
    #[cfg(test)]
    pub fn of_moment(&self, moment: Vec3) -> [[[f64; 3]; 3]; 4] {
        let (u, w) = (Vec3::new(self.relative.x, self.relative.y, self.relative.z), self.relative.w);
        let c = SINE + TANGENT / (1.0 + w);
        let c1 = -TANGENT / ((1.0 + w) * (1.0 + w));
        let c2 = -2.0 * c1 / (1.0 + w);
        let change = |du: Vec3, dw: f64| {
            let straight = moment * (c1 * dw * w + c * dw)
                - u * (c2 * dw * u.dot(moment))
                - (du * u.dot(moment) + u * du.dot(moment)) * c1;
            let crossed = u.cross(moment) * (c1 * dw) + du.cross(moment) * c;
            ((-straight - crossed) * 0.5, (straight - crossed) * 0.5)
        };
        let mut out = [[[0.0; 3]; 3]; 4];
        for (j, axis) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
            let (by_a, by_b) = (
                change((u.cross(axis) - axis * w) * 0.5, 0.5 * u[j]),
                change((u.cross(axis) + axis * w) * 0.5, -0.5 * u[j]),
            );
            for i in 0..3 {
                out[0][i][j] = by_a.0[i];
                out[1][i][j] = by_b.0[i];
                out[2][i][j] = by_a.1[i];
                out[3][i][j] = by_b.1[i];
            }
        }
        out
    }

    /// Geometric stiffness of a force N in the joint: the derivative of J^T N as links move.
    /// Returns the blocks (a, a), (a, b), (b, a) and (b, b).
    pub fn geometric(&self, force: Vec3) -> [Mat6; 4] {
        let h = Vec3::X * self.arms.b;
        let mu = self.relative.inverse() * force;
        let (mut aa, mut ab, mut ba, mut bb) = (ZERO, ZERO, ZERO, ZERO);
        for (j, axis) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
            // d(R_a N) per turn of a
            let swing = self.turn_a * axis.cross(force);
            // d(N x y) per turn of b
            let cross = force.cross(self.relative * h.cross(axis));
            for i in 0..3 {
                aa[i][j + 3] -= swing[i];
                aa[j + 3][i] -= swing[i];
                ba[i][j + 3] += swing[i];
                ab[j + 3][i] += swing[i];
                ab[i + 3][j + 3] += cross[i];
                ba[j + 3][i + 3] += cross[i];
                let identity = if i == j { 1.0 } else { 0.0 };
                aa[i + 3][j + 3] += self.y[i] * force[j] - identity * force.dot(self.y);
                bb[i + 3][j + 3] += identity * h.dot(mu) - mu[i] * h[j];
            }
        }
        [aa, ab, ba, bb]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cable::algebra::block::{times, times_transposed};

    fn pose(seed: f64) -> Pose {
        let turn =
            Quat::from_scaled_axis(Vec3::new(0.3 * seed.sin(), 0.2 * (2.0 * seed).cos(), 0.25 * (3.0 * seed).sin()));
        Pose::from_parts(Vec3::new(0.1 * seed, 0.01 * seed.cos(), -0.01 * seed.sin()), turn)
    }

    fn moved(p: &Pose, v: &Vec6, h: f64) -> Pose {
        let (linear, angular) = (Vec3::new(v[0], v[1], v[2]), Vec3::new(v[3], v[4], v[5]));
        Pose::from_parts(p.translation + linear * h, p.rotation * Quat::from_scaled_axis(angular * h))
    }

    const ARMS: Arms = Arms { a: 0.05, b: 0.04 };

    #[test]
    fn rates_are_the_derivatives_of_the_strain() {
        let (a, b) = (pose(1.0), pose(2.0));
        let (va, vb): (Vec6, Vec6) = ([0.3, -0.1, 0.2, 0.5, 0.1, -0.4], [-0.2, 0.4, 0.1, -0.3, 0.6, 0.2]);
        let joint = Joint::new(&a, &b, ARMS);
        let h = 1e-6;
        let (up, down) = (
            strain(&moved(&a, &va, h), &moved(&b, &vb, h), ARMS),
            strain(&moved(&a, &va, -h), &moved(&b, &vb, -h), ARMS),
        );
        let (of_a, of_b) = (times(&joint.by_a, &va), times(&joint.by_b, &vb));
        for i in 0..6 {
            let slope = (up[i] - down[i]) / (2.0 * h);
            assert!((of_a[i] + of_b[i] - slope).abs() < 1e-9, "{i}: {} for {slope}", of_a[i] + of_b[i]);
        }
    }

    #[test]
    fn a_step_changes_the_strain_by_its_jacobian_exactly() {
        let (va, vb): (Vec6, Vec6) = ([0.3, -0.1, 0.2, 1.5, 0.8, -2.4], [-0.2, 0.4, 0.1, -1.3, 2.6, 1.2]);
        let step = 0.3;
        let (a, b) = (pose(1.0), pose(2.0));
        let at = |p: &Pose, v: &Vec6| [*p, moved(p, v, 0.5 * step), moved(p, v, step)];
        let (pa, pb) = (at(&a, &va), at(&b, &vb));
        let turning = |p: &'static [Pose; 3], v: &Vec6| Turning {
            start: &p[0],
            middle: &p[1],
            end: &p[2],
            turn: Vec3::new(v[3], v[4], v[5]) * step,
        };
        let (pa, pb): (&'static _, &'static _) = (Box::leak(Box::new(pa)), Box::leak(Box::new(pb)));
        let joint = Joint::of_step(&turning(pa, &va), &turning(pb, &vb), ARMS);
        let (e0, e1) = (strain(&pa[0], &pb[0], ARMS), strain(&pa[2], &pb[2], ARMS));
        let (of_a, of_b) = (times(&joint.by_a, &va), times(&joint.by_b, &vb));
        for i in 0..6 {
            let change = (of_a[i] + of_b[i]) * step;
            assert!((change - (e1[i] - e0[i])).abs() < 1e-14, "{i}: {change} for {}", e1[i] - e0[i]);
        }
    }

    #[test]
    fn the_geometric_part_is_the_derivative_of_the_forces() {
        let (a, b) = (pose(1.0), pose(2.0));
        let force = Vec3::new(3.0, -1.0, 2.0);
        let lambda: Vec6 = [force.x, force.y, force.z, 0.0, 0.0, 0.0];
        let blocks = Joint::new(&a, &b, ARMS).geometric(force);
        // along one direction the symmetric and the full matrix give the same second derivative
        let (va, vb): (Vec6, Vec6) = ([0.3, -0.1, 0.2, 0.5, 0.1, -0.4], [-0.2, 0.4, 0.1, -0.3, 0.6, 0.2]);
        let h = 1e-6;
        let power = |s: f64| {
            let j = Joint::new(&moved(&a, &va, s), &moved(&b, &vb, s), ARMS);
            crate::cable::algebra::block::dot(&times_transposed(&j.by_a, &lambda), &va)
                + crate::cable::algebra::block::dot(&times_transposed(&j.by_b, &lambda), &vb)
        };
        let slope = (power(h) - power(-h)) / (2.0 * h);
        let quadratic = |m: &Mat6, x: &Vec6, y: &Vec6| crate::cable::algebra::block::dot(x, &times(m, y));
        let got = quadratic(&blocks[0], &va, &va)
            + quadratic(&blocks[1], &va, &vb)
            + quadratic(&blocks[2], &vb, &va)
            + quadratic(&blocks[3], &vb, &vb);
        assert!((got - slope).abs() < 1e-8 * slope.abs(), "{got} for {slope}");
    }

    #[test]
    fn the_part_of_the_moment_is_the_derivative_of_the_torques() {
        let (a, b) = (pose(1.0), pose(2.0));
        let lambda: Vec6 = [0.0, 0.0, 0.0, 3.0, -1.0, 2.0];
        let blocks = Joint::new(&a, &b, ARMS).of_moment(Vec3::new(3.0, -1.0, 2.0));
        for (turned, j) in (0..2).flat_map(|t| (0..3).map(move |j| (t, j))) {
            let torques = |h: f64| {
                let mut v = [0.0; 6];
                v[j + 3] = 1.0;
                let (pa, pb) = if turned == 0 { (moved(&a, &v, h), b) } else { (a, moved(&b, &v, h)) };
                let joint = Joint::new(&pa, &pb, ARMS);
                [times_transposed(&joint.by_a, &lambda), times_transposed(&joint.by_b, &lambda)]
            };
            let (up, down) = (torques(1e-6), torques(-1e-6));
            for (on, i) in (0..2).flat_map(|t| (0..3).map(move |i| (t, i))) {
                let slope = (up[on][i + 3] - down[on][i + 3]) / 2e-6;
                let got = blocks[2 * on + turned][i][j];
                assert!((got - slope).abs() < 1e-8, "torque {i} on {on} by {j} of {turned}: {got} for {slope}");
            }
        }
    }

    #[test]
    fn a_bent_joint_carries_its_angle() {
        let a = Pose::IDENTITY;
        let turn = Quat::from_rotation_y(0.02);
        let b = Pose::from_parts(Vec3::X * 0.05 + turn * (Vec3::X * 0.04), turn);
        let e = strain(&a, &b, ARMS);
        // the angle itself, up to its fifth power
        assert!((e[4] - 0.02).abs() < 1e-11, "{e:?}");
        assert!(e[..4].iter().chain(&e[5..]).all(|v| v.abs() < 1e-15));
    }
}
