//! Residual and tangent of the equations of one step, four links and joints at a time. See `midpoint` for the
//! equations.

use crate::cable::algebra::block::{Mat6, Tridiagonal, Vec6, ZERO};
use crate::cable::equations::scratch::StepScratch;
use crate::cable::joint::lanes::Joint;
use crate::cable::joint::rows::{MEAN, Piece, VELOCITY, scatter};
use crate::cable::joint::three::{all, none};
use crate::cable::links::{LinkState, Links};
use crate::kernel::Task;
use crate::lanes::{LANES, Lanes, Lanes3};
use crate::math::Vec3;
use crate::team::Team;

/// Set up the kernels for the start of a step.
pub fn begin(links: &Links, state: &LinkState, step: f64, scratch: &mut StepScratch) {
    scratch.rows.begin(links, state, step, &mut scratch.start_strains);
}

/// Compute the poses half a step and a step ahead at the mean velocities.
pub fn place(step: f64, scratch: &mut StepScratch, team: Option<&mut Team>) {
    scratch.rows.place(&scratch.mean, step, &mut scratch.middle, &mut scratch.end, team);
}

/// Residual and, if requested, tangent of links and joints at the mean velocities last placed. False if a link turns by
/// more than `MOST_TURN` in the step; the result must then not be used.
#[must_use]
pub fn assemble_links(
    links: &Links,
    gravity: Vec3,
    step: f64,
    s: &mut StepScratch,
    tangent: bool,
    team: Option<&mut Team>,
) -> bool {
    let (kernel, fresh) = (s.rows.kernel, s.rows.fresh);
    s.rows.fresh &= !tangent;
    let Tridiagonal { diagonal, right, below, .. } = &mut s.matrix;
    let matrix = tangent.then_some(Blocks { diagonal, right, below });
    let (pieces, residual, loads) = (s.rows.pieces(), &mut s.residual[..], &mut s.part_loads[..]);
    let whole = Assemble { links, gravity, step, fresh, before: None, first: 0, pieces, matrix, residual, loads };
    match team.filter(|_| !links.closed) {
        None => kernel.run(whole),
        Some(team) => {
            let before = whole.pieces[whole.pieces.len() / 2 - 1].clone();
            let mut halves = whole.halves(&before).map(Some);
            team.each(&mut halves, |half| {
                if let Some(half) = half.take() {
                    kernel.run(half);
                }
            });
        }
    }
    s.rows.placed
}

/// Convert a Jacobian at the end of the step to the mean angular velocity w: the rotation of the link at the end
/// changes by T J_r(T w) times the change of w, with J_r(x) = 1 - [x]x/2 + [x]x^2/6 - ...
pub fn trivialised(m: &Mat6, mean: &Vec6, step: f64) -> Mat6 {
    let x = Vec3::new(mean[3], mean[4], mean[5]) * step;
    let mut out = *m;
    for row in &mut out {
        let r = Vec3::new(row[3], row[4], row[5]);
        // r^T [x]x = (r x x)^T
        let once = r.cross(x);
        let new = r - once * 0.5 + once.cross(x) / 6.0;
        (row[3], row[4], row[5]) = (new.x, new.y, new.z);
    }
    out
}

/// Blocks of a tangent.
struct Blocks<'a> {
    diagonal: &'a mut [Mat6],
    right: &'a mut [Mat6],
    below: &'a mut [Mat6],
}

struct Assemble<'a> {
    links: &'a Links,
    gravity: Vec3,
    step: f64,
    fresh: bool,
    /// The piece before these, if they are not all, as it was before the tangent was taken.
    before: Option<&'a Piece>,
    /// Index of the first link.
    first: usize,
    pieces: &'a mut [Piece],
    matrix: Option<Blocks<'a>>,
    residual: &'a mut [Vec6],
    loads: &'a mut [Vec6],
}

impl<'a> Assemble<'a> {
    /// The same in two parts, for a thread each.
    fn halves<'b>(self, before: &'b Piece) -> [Assemble<'b>; 2]
    where
        'a: 'b,
    {
        let Assemble { links, gravity, step, fresh, pieces, matrix, residual, loads, .. } = self;
        let cut = pieces.len() / 2;
        let at = cut * LANES;
        let (low, high) = pieces.split_at_mut(cut);
        let ((low_residual, high_residual), (low_loads, high_loads)) =
            (residual.split_at_mut(at), loads.split_at_mut(at));
        let (low_matrix, high_matrix) = matrix.map_or((None, None), |Blocks { diagonal, right, below }| {
            let (a, b) = diagonal.split_at_mut(at);
            let ((c, d), (e, f)) = (right.split_at_mut(at), below.split_at_mut(at));
            let [low, high] = [(a, c, e), (b, d, f)].map(|(diagonal, right, below)| Blocks { diagonal, right, below });
            (Some(low), Some(high))
        });
        let half = |before, first, pieces, matrix, residual, loads| Assemble {
            links,
            gravity,
            step,
            fresh,
            before,
            first,
            pieces,
            matrix,
            residual,
            loads,
        };
        [
            half(None, 0, low, low_matrix, low_residual, low_loads),
            half(Some(before), at, high, high_matrix, high_residual, high_loads),
        ]
    }
}

impl Task for Assemble<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Assemble { links, gravity, step, fresh, before, first, pieces, matrix, residual, loads } = self;
        let law = Constants::<L>::new(links, gravity, step);
        let (mut forces, mut block) = ([none(), none()], [[L::zero(); 6]; 6]);
        if let Some(piece) = before {
            let mut piece = piece.clone();
            // what the joint before them does to the first link, once more
            let joint = Joint::at(&law, &piece, first - LANES);
            law.forces(&joint, &piece, &mut forces);
            if matrix.is_some() {
                let parts = joint.tangent(&law, &mut piece, fresh);
                block = joint.bb(&parts);
            }
        }
        if let Some(matrix) = matrix {
            law.tangent(pieces, fresh, (first, forces, block), matrix, residual, loads);
        } else {
            law.residual(pieces, (first, forces), residual, loads);
        }
    }
}

/// A vector of each link or joint: translation and rotation.
pub type TwoVectors<L> = [Lanes3<L>; 2];

/// The constants of a step.
pub struct Constants<L> {
    /// Number of joints; equal to that of links if the cable is closed.
    pub joints: usize,
    /// Distance from the centre of a link to the joint after it [m].
    pub arm_a: f64,
    /// Distance from a joint to the centre of the link after it [m].
    pub arm_b: L,
    /// Step size [s].
    pub step: f64,
    /// Damping of a joint relative to its stiffness [s].
    pub damping: f64,
    /// Stiffness of a joint.
    pub stiffness: TwoVectors<L>,
    inertia: TwoVectors<L>,
    /// Inertia divided by the step, times the gain of velocity.
    inertia_per_step: TwoVectors<L>,
    /// Drag per velocity.
    drag: Lanes3<L>,
    weight: Lanes3<L>,
}

impl<L: Lanes> Constants<L> {
    /// The constants for a step.
    #[inline(always)]
    pub fn new(links: &Links, gravity: Vec3, step: f64) -> Constants<L> {
        let ([m, n, o, p, q, r], [s, t, u, v, w, x]) = (links.inertia, links.stiffness);
        let inertia = [all(m, n, o), all(p, q, r)];
        let per_step = L::splat(links.gain() / step);
        Constants {
            joints: links.rest.len(),
            arm_a: links.arms().a,
            arm_b: L::splat(links.arms().b),
            step,
            damping: links.damping(step),
            inertia,
            inertia_per_step: [inertia[0].scale(per_step), inertia[1].scale(per_step)],
            drag: inertia[0].scale(L::splat(links.drag)),
            weight: inertia[0].by_parts(all(gravity.x, gravity.y, gravity.z)),
            stiffness: [all(s, t, u), all(v, w, x)],
        }
    }

    #[inline(always)]
    fn residual(
        &self,
        pieces: &[Piece],
        (first, mut before): (usize, TwoVectors<L>),
        residual: &mut [Vec6],
        loads: &mut [Vec6],
    ) {
        for (n, piece) in pieces.iter().enumerate() {
            let i = n * LANES;
            let joint = Joint::at(self, piece, first + i);
            scatter(self.forces(&joint, piece, &mut before), residual, i);
            scatter(joint.load, loads, i);
        }
        self.close_residual(before, residual);
    }

    #[inline(always)]
    fn tangent(
        &self,
        pieces: &mut [Piece],
        fresh: bool,
        (first, mut before, mut block_before): (usize, TwoVectors<L>, [[L; 6]; 6]),
        m: Blocks<'_>,
        residual: &mut [Vec6],
        loads: &mut [Vec6],
    ) {
        let ([ix, iy], d) = (self.inertia_per_step, self.drag);
        let own = [ix.x + d.x, ix.y + d.y, ix.z + d.z, iy.x, iy.y, iy.z];
        for (n, piece) in pieces.iter_mut().enumerate() {
            let i = n * LANES;
            let joint = Joint::at(self, piece, first + i);
            scatter(self.forces(&joint, piece, &mut before), residual, i);
            scatter(joint.load, loads, i);
            let parts = joint.tangent(self, piece, fresh);
            piece.keep_mean();
            store(&joint.ab(&parts), m.right, i);
            store(&joint.ba(&parts), m.below, i);
            let (mut aa, bb) = (joint.aa(&parts), joint.bb(&parts));
            for r in 0..6 {
                aa[r][r] = aa[r][r] + own[r];
                for c in 0..6 {
                    // the joint's contribution to b belongs to the next link
                    aa[r][c] = aa[r][c] + bb[r][c].preceded_by(block_before[r][c]);
                }
            }
            block_before = bb;
            store(&aa, m.diagonal, i);
        }
        self.close_residual(before, residual);
        if let Some(lane) = self.seam(residual.len()) {
            for (r, c) in (0..6).flat_map(|r| (0..6).map(move |c| (r, c))) {
                m.diagonal[0][r][c] += block_before[r][c].block()[lane];
            }
        }
    }

    /// Lane of the joint that closes a cable of this many links, which acts on the first link; `None` for an open
    /// cable.
    fn seam(&self, links: usize) -> Option<usize> {
        (self.joints == links).then_some((links - 1) % LANES)
    }

    /// In a closed cable, add the force of the last joint to the residual of the first link.
    #[inline(always)]
    fn close_residual(&self, [force, torque]: TwoVectors<L>, residual: &mut [Vec6]) {
        if let Some(lane) = self.seam(residual.len()) {
            let last = [force.x, force.y, force.z, torque.x, torque.y, torque.z].map(|x| x.block()[lane]);
            (0..6).for_each(|k| residual[0][k] += last[k]);
        }
    }

    /// Residual of links, with the forces of the joints after them and, from `before`, of the ones before them.
    #[inline(always)]
    fn forces(&self, joint: &Joint<L>, piece: &Piece, before: &mut TwoVectors<L>) -> TwoVectors<L> {
        let (v, w) = (piece.three::<L, 0>(MEAN), piece.three::<L, 0>(MEAN + 3));
        let (dv, dw) = (v - piece.three::<L, 0>(VELOCITY), w - piece.three::<L, 0>(VELOCITY + 3));
        // C V: the gyroscopic torque, which does no work
        let gyroscopic = w.cross(w.by_parts(self.inertia[1]));
        let force = dv.by_parts(self.inertia_per_step[0]) + v.by_parts(self.drag) - self.weight;
        let torque = dw.by_parts(self.inertia_per_step[1]) + gyroscopic;
        let (of_a, of_b) = joint.forces();
        let sum = [force + of_a[0] + of_b[0].preceded_by(before[0]), torque + of_a[1] + of_b[1].preceded_by(before[1])];
        *before = of_b;
        sum
    }
}

/// Store four blocks, beginning at index i, as far as they exist.
#[inline(always)]
fn store<L: Lanes>(m: &[[L; 6]; 6], to: &mut [Mat6], i: usize) {
    if let Some(to) = to.get_mut(i..i + LANES) {
        store_four(m, to);
    } else {
        let mut four = [ZERO; LANES];
        store_four(m, &mut four);
        for (to, block) in to.iter_mut().skip(i).zip(four) {
            *to = block;
        }
    }
}

#[inline(always)]
fn store_four<L: Lanes>(m: &[[L; 6]; 6], to: &mut [Mat6]) {
    let [a, b, c, d] = to else { return };
    let mut to = [a.as_flattened_mut(), b.as_flattened_mut(), c.as_flattened_mut(), d.as_flattened_mut()];
    // one by one: a loop would not be unrolled, and would go through memory
    store_part::<L, 0>(m, &mut to);
    store_part::<L, 4>(m, &mut to);
    store_part::<L, 8>(m, &mut to);
    store_part::<L, 12>(m, &mut to);
    store_part::<L, 16>(m, &mut to);
    store_part::<L, 20>(m, &mut to);
    store_part::<L, 24>(m, &mut to);
    store_part::<L, 28>(m, &mut to);
    store_part::<L, 32>(m, &mut to);
}

/// Store entries N to N + 3 of each block.
#[inline(always)]
fn store_part<L: Lanes, const N: usize>(m: &[[L; 6]; 6], to: &mut [&mut [f64]; LANES]) {
    let rows = L::transposed([
        m[N / 6][N % 6],
        m[(N + 1) / 6][(N + 1) % 6],
        m[(N + 2) / 6][(N + 2) % 6],
        m[(N + 3) / 6][(N + 3) % 6],
    ]);
    rows[0].store_at(to[0], N);
    rows[1].store_at(to[1], N);
    rows[2].store_at(to[2], N);
    rows[3].store_at(to[3], N);
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::cable::algebra::block::{add_scaled, add_weighted, times, times_transposed};
    use crate::cable::joint::{Joint, Turning, strain};
    use crate::kernel::Kernel;
    use crate::math::{Pose, Quat};

    /// A cable that is bent and moves, with damping, drag and natural strain.
    pub fn bent(count: usize, closed: bool) -> (Links, LinkState) {
        let joints = count - usize::from(!closed);
        let wave = |i: usize, k: usize| (0.7 * (i + 1) as f64 * (k + 1) as f64).sin();
        let links = Links {
            length: 0.1,
            inertia: [2e-3, 2e-3, 2e-3, 3e-7, 2e-6, 2.5e-6],
            stiffness: [900.0, 300.0, 310.0, 0.02, 0.05, 0.06],
            damping_time: 2e-3,
            drag: 0.3,
            rest: (0..joints).map(|i| std::array::from_fn(|k| 0.01 * wave(i, k + 7))).collect(),
            closed,
            twisted: false,
            self_contact: true,
            radius: 2e-3,
            friction: crate::material::Friction::NONE,
            per_contact: false,
            restitution: 0.0,
            linear: false,
            method: Default::default(),
            pairs: Default::default(),
            decay: 0.0,
        };
        let poses = (0..count).map(|i| {
            let turn = Quat::from_scaled_axis(Vec3::new(wave(i, 0), 2.0 * wave(i, 1), wave(i, 2)) * 0.2);
            let place = Vec3::new(0.1 * i as f64, 0.0, 1.0) + Vec3::new(wave(i, 3), wave(i, 4), wave(i, 5)) * 3e-3;
            Pose::from_parts(place, turn)
        });
        let poses = poses.collect();
        let moving = |f: f64| (0..count).map(|i| std::array::from_fn(|k| f * wave(i, k + 2))).collect();
        (links, LinkState { velocities: moving(4.0), means: moving(3.0), ..LinkState::resting(poses, joints) })
    }

    /// Load, residual and tangent by the textbook: joint after joint, whole blocks.
    fn textbook(links: &Links, state: &LinkState, gravity: Vec3, step: f64, s: &StepScratch) -> StepScratch {
        let count = state.poses.len();
        let mut out = StepScratch::new(count, 0, links.closed);
        for i in 0..count {
            let (mean, start) = (&s.mean[i], &state.velocities[i]);
            let spin = Vec3::new(mean[3], mean[4], mean[5]);
            let of = &links.inertia;
            let gyroscopic = spin.cross(Vec3::new(of[3] * spin.x, of[4] * spin.y, of[5] * spin.z));
            for k in 0..6 {
                let drag = if k < 3 { links.drag * of[k] } else { 0.0 };
                out.matrix.diagonal[i][k][k] = 2.0 * of[k] / step + drag;
                out.residual[i][k] = 2.0 * of[k] * (mean[k] - start[k]) / step + drag * mean[k];
                out.residual[i][k] += if k < 3 { -of[k] * gravity[k] } else { gyroscopic[k - 3] };
            }
        }
        for i in 0..links.rest.len() {
            let next = (i + 1) % count;
            let turning = |i: usize| Turning {
                start: &state.poses[i],
                middle: &s.middle[i],
                end: &s.end[i],
                turn: Vec3::new(s.mean[i][3], s.mean[i][4], s.mean[i][5]) * step,
            };
            let joint = Joint::of_step(&turning(i), &turning(next), links.arms());
            let mut rate = times(&joint.by_a, &s.mean[i]);
            add_scaled(&mut rate, 1.0, &times(&joint.by_b, &s.mean[next]));
            let start = strain(&state.poses[i], &state.poses[next], links.arms());
            let end = strain(&s.end[i], &s.end[next], links.arms());
            let load: Vec6 = std::array::from_fn(|k| {
                links.stiffness[k] * (0.5 * (start[k] + end[k]) - links.rest[i][k] + links.damping_time * rate[k])
            });
            out.part_loads[i] = load;
            add_scaled(&mut out.residual[i], 1.0, &times_transposed(&joint.by_a, &load));
            add_scaled(&mut out.residual[next], 1.0, &times_transposed(&joint.by_b, &load));
            let at_end = Joint::new(&s.end[i], &s.end[next], links.arms());
            let change = |end: &Mat6, mean: &Vec6, whole: &Mat6| -> Mat6 {
                let end = trivialised(end, mean, step);
                let (k, d) = (0.5 * step, links.damping_time);
                std::array::from_fn(|r| std::array::from_fn(|c| links.stiffness[r] * (k * end[r][c] + d * whole[r][c])))
            };
            let by_a = change(&at_end.by_a, &s.mean[i], &joint.by_a);
            let by_b = change(&at_end.by_b, &s.mean[next], &joint.by_b);
            let [aa, ab, ba, bb] = joint.geometric(Vec3::new(load[0], load[1], load[2]));
            let of_moment = joint.of_moment(Vec3::new(load[3], load[4], load[5]));
            let m = &mut out.matrix;
            for (to, left, right, geometric) in [
                (&mut m.right[i], &joint.by_a, &by_b, &ab),
                (&mut m.below[i], &joint.by_b, &by_a, &ba),
                (&mut m.diagonal[i], &joint.by_a, &by_a, &aa),
            ] {
                add_weighted(to, left, &[1.0; 6], right);
                (0..6).for_each(|r| add_scaled(&mut to[r], 0.5 * step, &geometric[r]));
            }
            add_weighted(&mut m.diagonal[next], &joint.by_b, &[1.0; 6], &by_b);
            (0..6).for_each(|r| add_scaled(&mut m.diagonal[next][r], 0.5 * step, &bb[r]));
            for (r, c) in (0..3).flat_map(|r| (0..3).map(move |c| (r, c))) {
                let [aa, ab, ba, bb] = of_moment.map(|block| 0.5 * step * block[r][c]);
                m.diagonal[i][r + 3][c + 3] += aa;
                m.right[i][r + 3][c + 3] += ab;
                m.below[i][r + 3][c + 3] += ba;
                m.diagonal[next][r + 3][c + 3] += bb;
            }
        }
        out
    }

    const GRAVITY: Vec3 = Vec3::new(0.1, -0.2, -9.81);

    fn assembled(kernel: Kernel, links: &Links, state: &LinkState, step: f64, tangent: bool) -> (bool, StepScratch) {
        let mut s = StepScratch::new(state.poses.len(), 0, links.closed);
        (s.rows.kernel, s.matrix.kernel) = (kernel, kernel);
        begin(links, state, step, &mut s);
        s.mean.copy_from_slice(&state.means);
        place(step, &mut s, None);
        // twice, as the tangent goes on from where it was last taken
        assert_eq!(assemble_links(links, GRAVITY, step, &mut s, tangent, None), s.rows.placed);
        let fits = assemble_links(links, GRAVITY, step, &mut s, tangent, None);
        (fits, s)
    }

    fn largest<'a>(of: impl IntoIterator<Item = &'a f64>) -> f64 {
        of.into_iter().fold(0.0, |most: f64, x| most.max(x.abs()))
    }

    #[test]
    fn it_agrees_with_the_textbook() {
        // all numbers of links in the last four; small turns and half turns
        let open = [(2, 1e-2), (3, 1e-2), (4, 0.5), (5, 1e-2), (13, 0.2)].map(|(count, step)| (count, step, false));
        let closed = [(3, 1e-2), (4, 0.5), (5, 1e-2), (8, 1e-2), (13, 0.2)].map(|(count, step)| (count, step, true));
        for (count, step, closed) in open.into_iter().chain(closed) {
            let (links, state) = bent(count, closed);
            let (fits, s) = assembled(Kernel::default(), &links, &state, step, true);
            assert!(fits);
            let want = textbook(&links, &state, GRAVITY, step, &s);
            let near = |got: &[f64], want: &[f64], of: f64| {
                assert_eq!(got.len(), want.len());
                for (got, want) in got.iter().zip(want) {
                    assert!((got - want).abs() < 1e-13 * of, "{count} links, {step} s: {got} for {want}");
                }
            };
            let of = largest(want.part_loads.as_flattened());
            near(s.part_loads.as_flattened(), want.part_loads.as_flattened(), of);
            near(
                s.residual.as_flattened(),
                want.residual.as_flattened(),
                of.max(largest(want.residual.as_flattened())),
            );
            let (got, want) = (&s.matrix, &want.matrix);
            let of = largest(want.diagonal.as_flattened().as_flattened());
            for (got, want) in [(&got.diagonal, &want.diagonal), (&got.right, &want.right), (&got.below, &want.below)] {
                near(got.as_flattened().as_flattened(), want.as_flattened().as_flattened(), of);
            }
            let (_, alone) = assembled(Kernel::default(), &links, &state, step, false);
            assert_eq!((&alone.residual, &alone.part_loads), (&s.residual, &s.part_loads));
        }
    }

    #[test]
    fn both_kernels_give_the_same_bits() {
        for (count, closed) in [(2, false), (7, false), (12, false), (7, true), (12, true)] {
            let (links, state) = bent(count, closed);
            let solved = |kernel: Kernel| {
                let (_, mut s) = assembled(kernel, &links, &state, 1e-2, true);
                let residual = s.residual.clone();
                assert!(s.matrix.factor());
                s.matrix.solve(&mut s.residual);
                (residual, s.matrix.diagonal, s.matrix.right, s.matrix.below, s.part_loads, s.end, s.residual)
            };
            assert!(Kernel::all().all(|kernel| solved(kernel) == solved(Kernel::Plain)));
        }
    }

    #[test]
    fn a_turn_too_large_is_told() {
        let (links, mut state) = bent(6, false);
        let step = 1e-2;
        for (turn, fits) in [(3.19, true), (3.21, false), (f64::NAN, false)] {
            state.means[5] = [0.0, 0.0, 0.0, 0.0, turn / step, 0.0];
            assert_eq!(assembled(Kernel::default(), &links, &state, step, false).0, fits, "{turn}");
        }
    }

    #[test]
    fn a_cable_in_its_natural_shape_has_no_loads() {
        let (mut links, mut state) = bent(6, false);
        let strains = state.poses.windows(2).map(|w| strain(&w[0], &w[1], links.arms()));
        links.rest = strains.collect();
        state.means.fill([0.0; 6]);
        let (_, s) = assembled(Kernel::default(), &links, &state, 1e-2, false);
        assert!(largest(s.part_loads.as_flattened()) < 1e-12, "{:?}", s.part_loads);
    }
}
