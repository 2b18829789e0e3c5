//! One step of a cable without contact: the passive midpoint rule, solved to the end.
//!
//! Unknown are the mean velocities V of the step. With e_0, e_1 the strains at its ends, (1) and (4) of the paper read
//!
//!   2 M (V - V_0) / T + C V + J^T K ((e_0 + e_1) / 2 + d J V) = F,      V_1 = 2 V - V_0,
//!
//! with the damping time d. (As printed, the step matrix has one T too many and misses the term 2 M V_0 / T.) The
//! published step takes e_1 = e_0 + T J_0 V and solves once; it gains energy as links turn. Here e_1 is the strain at the
//! end of the step and J the Jacobian of the whole step, J V T = e_1 - e_0 (see `joint`), so that without damping the
//! energy changes by the work of F and by nothing else, whatever the step. Newton's method with the tangent of all that:
//! not symmetric, but still block-tridiagonal.

use super::assembly::{assemble_links, begin, place, trivialised};
use super::block::{Tridiagonal, Vec6, add_scaled, add_weighted, dot, squares, times_transposed};
use super::joint::{Arms, Joint, Turning, strain};
use super::rows::Rows;
use crate::math::{Pose, Vec3, pose_between};

/// What a cable is made of, for its step.
#[derive(Clone, Debug, PartialEq)]
pub struct Links {
    /// Length of a link [m].
    pub length: f64,
    /// Mass and inertia of a link, in its own axes [kg, kg m2].
    pub inertia: Vec6,
    /// Stiffness of a joint: stretch, shear, shear [N/m], torsion, bending, bending [N m].
    pub stiffness: Vec6,
    /// Damping of a joint over its stiffness [s].
    pub damping_time: f64,
    /// Drag force per mass and velocity [1/s].
    pub drag: f64,
    /// Strain of each joint without load: natural stretch [m], twist and curvature [rad].
    pub rest: Vec<Vec6>,
}

impl Links {
    /// Half-lengths on either side of a joint.
    pub fn arms(&self) -> Arms {
        Arms { a: 0.5 * self.length, b: 0.5 * self.length }
    }
}

/// A cross-section held at a pose that may move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Which link.
    pub link: usize,
    /// Where along the link, from its centre [m].
    pub offset: f64,
    /// Stiffness of the hold, as of a joint; zero for what is free.
    pub stiffness: Vec6,
    /// Poses of the section at the start, middle and end of the step.
    pub poses: [Pose; 3],
}

/// Poses and velocities of the links.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkState {
    /// Poses of the centres; the tangent is the x axis.
    pub poses: Vec<Pose>,
    /// Linear velocity in the world, angular velocity in the link [m/s, rad/s].
    pub velocities: Vec<Vec6>,
    /// Mean velocities of the last step: what oscillates faster than the step has none.
    pub means: Vec<Vec6>,
}

/// Working memory of a step.
#[derive(Clone, Debug, Default)]
pub struct StepScratch {
    pub matrix: Tridiagonal,
    pub residual: Vec<Vec6>,
    pub mean: Vec<Vec6>,
    change: Vec<Vec6>,
    pub middle: Vec<Pose>,
    pub end: Vec<Pose>,
    pub rows: Rows,
    held_strains: Vec<Vec6>,
    held_poses: Vec<[Pose; 3]>,
    /// Force and moment in each joint, and the cable's force and torque on each hold, of the part of the step at hand.
    pub part_loads: Vec<Vec6>,
    part_held_loads: Vec<(Vec3, Vec3)>,
    /// Force and moment in each joint, mean over the step.
    pub loads: Vec<Vec6>,
    /// Force and torque of the cable on each hold, in the world, about the held section, mean over the step.
    pub held_loads: Vec<(Vec3, Vec3)>,
}

/// How a step went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Solved {
    /// Newton iterations.
    pub iterations: u32,
    /// Whether they converged.
    pub converged: bool,
}

const MOST_ITERATIONS: u32 = 12;

/// Smallest part of a step that is tried.
const SMALLEST_PART: f64 = 1.0 / 256.0;

/// Newton stops when a correction is this small against the speeds of the step.
const TOLERANCE: f64 = 1e-7;

/// A cable at rest has no speeds to measure against: this part of a link in a step counts as one, so that rounding, of
/// positions a kilometre from the origin too, is not taken for motion.
const RESTING: f64 = 1e-3;

impl StepScratch {
    /// Room for holds.
    pub fn reserve(&mut self, holds: usize) {
        self.held_strains.reserve(holds);
        self.held_poses.reserve(holds);
        self.held_loads.reserve(holds);
        self.part_held_loads.reserve(holds);
    }

    /// For a number of links and room for holds.
    pub fn new(links: usize, holds: usize) -> StepScratch {
        StepScratch {
            matrix: Tridiagonal::new(links),
            residual: vec![[0.0; 6]; links],
            mean: vec![[0.0; 6]; links],
            change: vec![[0.0; 6]; links],
            middle: vec![Pose::IDENTITY; links],
            end: vec![Pose::IDENTITY; links],
            rows: Rows::new(links),
            held_strains: Vec::with_capacity(holds),
            held_poses: Vec::with_capacity(holds),
            part_loads: vec![[0.0; 6]; links - 1],
            part_held_loads: Vec::with_capacity(holds),
            loads: vec![[0.0; 6]; links - 1],
            held_loads: Vec::with_capacity(holds),
        }
    }
}

/// Advance by `step` [s]. Where Newton's method does not converge, the step is taken in two halves, and each of them again.
pub fn advance(
    links: &Links,
    state: &mut LinkState,
    around: &Acting<'_>,
    step: f64,
    scratch: &mut StepScratch,
) -> Solved {
    scratch.loads.fill([0.0; 6]);
    scratch.held_loads.clear();
    scratch.held_loads.resize(around.held.len(), (Vec3::ZERO, Vec3::ZERO));
    advance_part(links, state, around, step, [0.0, 1.0], scratch)
}

/// Advance by the part of the step between two fractions of it.
fn advance_part(
    links: &Links,
    state: &mut LinkState,
    around: &Acting<'_>,
    step: f64,
    [from, to]: [f64; 2],
    scratch: &mut StepScratch,
) -> Solved {
    let mut solved = advance_once(links, state, around, step, [from, to], scratch);
    if solved.converged || to - from <= SMALLEST_PART {
        return solved;
    }
    let middle = 0.5 * (from + to);
    for part in [[from, middle], [middle, to]] {
        let more = advance_part(links, state, around, step, part, scratch);
        solved = Solved { iterations: solved.iterations + more.iterations, converged: more.converged };
        if !solved.converged {
            break;
        }
    }
    solved
}

/// Strains at the start of the step.
fn prepare(links: &Links, state: &LinkState, around: &Acting<'_>, [from, to]: [f64; 2], scratch: &mut StepScratch) {
    begin(links, state, scratch);
    scratch.held_strains.clear();
    scratch.part_held_loads.clear();
    scratch.held_poses.clear();
    for h in around.held {
        let poses = [from, 0.5 * (from + to), to].map(|fraction| h.pose_at(fraction));
        scratch.held_strains.push(strain(&poses[0], &state.poses[h.link], h.arms()));
        scratch.part_held_loads.push((Vec3::ZERO, Vec3::ZERO));
        scratch.held_poses.push(poses);
    }
}

/// One step; the state is left as it was where it does not converge.
fn advance_once(
    links: &Links,
    state: &mut LinkState,
    around: &Acting<'_>,
    step: f64,
    [from, to]: [f64; 2],
    scratch: &mut StepScratch,
) -> Solved {
    let step = step * (to - from);
    prepare(links, state, around, [from, to], scratch);
    // a good start: the last mean velocity, in which what oscillates faster than the step has cancelled
    scratch.mean.copy_from_slice(&state.means);
    let solved = newton(links, state, around, step, scratch);
    if !solved.converged {
        return solved;
    }
    place(step, scratch);
    for i in 0..state.poses.len() {
        state.poses[i] = scratch.end[i];
        for k in 0..6 {
            state.velocities[i][k] = 2.0 * scratch.mean[i][k] - state.velocities[i][k];
        }
    }
    state.means.copy_from_slice(&scratch.mean);
    for (sum, load) in scratch.loads.iter_mut().zip(&scratch.part_loads) {
        add_scaled(sum, to - from, load);
    }
    for (sum, load) in scratch.held_loads.iter_mut().zip(&scratch.part_held_loads) {
        sum.0 += load.0 * (to - from);
        sum.1 += load.1 * (to - from);
    }
    solved
}

/// Size of velocities, weighted by inertia.
fn weight(links: &Links, velocities: &[Vec6]) -> f64 {
    dot(&links.inertia, &squares(velocities))
}

/// Size of the residual: as a change of velocity, weighted by inertia.
fn size_of(links: &Links, residual: &[Vec6]) -> f64 {
    dot(&links.inertia.map(|m| 1.0 / m), &squares(residual))
}

fn newton(links: &Links, state: &LinkState, around: &Acting<'_>, step: f64, s: &mut StepScratch) -> Solved {
    let mut solved = Solved::default();
    place(step, s);
    if !assemble(links, state, around, step, s) {
        return solved;
    }
    let mut residual = size_of(links, &s.residual);
    while solved.iterations < MOST_ITERATIONS {
        solved.iterations += 1;
        if !s.matrix.factor() {
            return solved;
        }
        s.matrix.solve(&mut s.residual);
        s.change.copy_from_slice(&s.residual);
        let change = weight(links, &s.change);
        let size = weight(links, &s.mean) + weight(links, &state.velocities);
        let resting = links.inertia[0] * (RESTING * links.length / step).powi(2) * s.mean.len() as f64;
        if !change.is_finite() {
            return solved;
        }
        // back along the step until the residual shrinks
        let mut fraction = 1.0;
        for (mean, c) in s.mean.iter_mut().zip(&s.change) {
            add_scaled(mean, -fraction, c);
        }
        if change <= TOLERANCE * TOLERANCE * (size + resting) {
            solved.converged = s.rows.placed;
            return solved;
        }
        loop {
            place(step, s);
            let fits = assemble(links, state, around, step, s);
            let new = if fits { size_of(links, &s.residual) } else { f64::INFINITY };
            if new < residual || fraction < 0.01 {
                residual = new;
                break;
            }
            fraction *= 0.5;
            for (mean, c) in s.mean.iter_mut().zip(&s.change) {
                add_scaled(mean, fraction, c);
            }
        }
    }
    solved
}

/// A dead force and torque on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// Which link.
    pub link: usize,
    /// Where along the link, from its centre [m].
    pub offset: f64,
    /// Force in the world [N].
    pub force: Vec3,
    /// Torque in the world [N m].
    pub torque: Vec3,
}

impl Push {
    /// Subtract from the residual, with the link half-way through the step, and add how that changes as the link turns:
    /// a world vector f is R^T f in the link, and changes by (R^T f) x turn.
    fn add(&self, step: f64, s: &mut StepScratch) {
        let to_link = s.middle[self.link].rotation.inverse();
        let (arm, force, torque) = (Vec3::X * self.offset, to_link * self.force, to_link * self.torque);
        let turning = arm.cross(force) + torque;
        for k in 0..3 {
            s.residual[self.link][k] -= self.force[k];
            s.residual[self.link][k + 3] -= turning[k];
        }
        for (j, axis) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
            let change = (arm.cross(force.cross(axis)) + torque.cross(axis)) * (0.5 * step);
            for k in 0..3 {
                s.matrix.diagonal[self.link][k + 3][j + 3] -= change[k];
            }
        }
    }
}

/// All that acts on a cable during a step.
#[derive(Clone, Copy, Debug)]
pub struct Acting<'a> {
    /// Acceleration of gravity [m/s2].
    pub gravity: Vec3,
    /// Cross-sections held.
    pub held: &'a [Held],
    /// Dead loads.
    pub pushes: &'a [Push],
}

impl Held {
    /// The pose of the hold at a fraction of the step.
    fn pose_at(&self, fraction: f64) -> Pose {
        let [start, middle, end] = &self.poses;
        if fraction < 0.5 {
            pose_between(start, middle, 2.0 * fraction)
        } else {
            pose_between(middle, end, 2.0 * fraction - 1.0)
        }
    }

    /// Energy of the hold at the end of the step [J].
    pub fn energy(&self, link: &Pose) -> f64 {
        let e = strain(&self.poses[2], link, self.arms());
        (0..6).map(|k| 0.5 * self.stiffness[k] * e[k] * e[k]).sum()
    }

    fn arms(&self) -> Arms {
        Arms { a: 0.0, b: -self.offset }
    }
}

/// Residual and tangent at the mean velocities at hand. False where links turn by more than a step can follow.
fn assemble(links: &Links, state: &LinkState, around: &Acting<'_>, step: f64, s: &mut StepScratch) -> bool {
    let fits = assemble_links(links, around.gravity, step, s, true);
    for push in around.pushes {
        push.add(step, s);
    }
    for (n, h) in around.held.iter().enumerate() {
        let poses = s.held_poses[n];
        // the hold's own turn changes the strain too, but does no work on the cable's account
        let hand = Turning { start: &poses[0], middle: &poses[1], end: &poses[2], turn: Vec3::ZERO };
        let link = Turning {
            start: &state.poses[h.link],
            middle: &s.middle[h.link],
            end: &s.end[h.link],
            turn: Vec3::new(s.mean[h.link][3], s.mean[h.link][4], s.mean[h.link][5]) * step,
        };
        let joint = Joint::of_step(&hand, &link, h.arms());
        let end = strain(&poses[2], &s.end[h.link], h.arms());
        let load: Vec6 = std::array::from_fn(|k| h.stiffness[k] * 0.5 * (s.held_strains[n][k] + end[k]));
        let reaction = times_transposed(&joint.by_a, &load);
        let force = -Vec3::new(reaction[0], reaction[1], reaction[2]);
        let torque = poses[1].rotation * -Vec3::new(reaction[3], reaction[4], reaction[5]);
        s.part_held_loads[n] = (force, torque);
        add_scaled(&mut s.residual[h.link], 1.0, &times_transposed(&joint.by_b, &load));
        let at_end = Joint::new(&poses[2], &s.end[h.link], h.arms());
        let weight = h.stiffness.map(|k| k * 0.5 * step);
        let change = trivialised(&at_end.by_b, &s.mean[h.link], step);
        add_weighted(&mut s.matrix.diagonal[h.link], &joint.by_b, &weight, &change);
        let bb = joint.geometric(Vec3::new(load[0], load[1], load[2]))[3];
        for r in 0..6 {
            add_scaled(&mut s.matrix.diagonal[h.link][r], 0.5 * step, &bb[r]);
        }
    }
    fits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;

    fn silicone(count: usize) -> (Links, LinkState) {
        let (length, radius, density) = (0.4, 2e-3_f64, 1100.0);
        let (young, shear) = (4.462e6, 4.462e6 / 3.0);
        let area = std::f64::consts::PI * radius * radius;
        let (i, j) = (area * radius * radius / 4.0, area * radius * radius / 2.0);
        let h = length / count as f64;
        let mass = density * area * h;
        let across = mass * (3.0 * radius * radius + h * h) / 12.0;
        let links = Links {
            length: h,
            inertia: [mass, mass, mass, 0.5 * mass * radius * radius, across, across],
            stiffness: [young * area, shear * area, shear * area, shear * j, young * i, young * i].map(|k| k / h),
            damping_time: 0.0,
            drag: 0.0,
            rest: vec![[0.0; 6]; count - 1],
        };
        let poses = (0..count).map(|k| Pose::from_translation(Vec3::X * (k as f64 + 0.5) * h)).collect();
        (links, LinkState { poses, velocities: vec![[0.0; 6]; count], means: vec![[0.0; 6]; count] })
    }

    fn energy(links: &Links, state: &LinkState, held: &[Held]) -> f64 {
        let mut sum = 0.0;
        for (pose, v) in state.poses.iter().zip(&state.velocities) {
            sum += (0..6).map(|k| 0.5 * links.inertia[k] * v[k] * v[k]).sum::<f64>();
            sum += links.inertia[0] * 9.81 * pose.translation.z;
        }
        let arms = links.arms();
        let elastic = |k: &Vec6, e: &Vec6| (0..6).map(|i| 0.5 * k[i] * e[i] * e[i]).sum::<f64>();
        for w in state.poses.windows(2) {
            sum += elastic(&links.stiffness, &strain(&w[0], &w[1], arms));
        }
        sum + held.iter().map(|h| h.energy(&state.poses[h.link])).sum::<f64>()
    }

    fn clamp(links: &Links) -> Held {
        let stiffness = links.stiffness.map(|k| 2.0 * k);
        Held { link: 0, offset: -0.5 * links.length, stiffness, poses: [Pose::IDENTITY; 3] }
    }

    #[test]
    fn the_tangent_is_the_derivative_of_the_residual() {
        let (mut links, mut state) = silicone(4);
        links.damping_time = 2e-3;
        for (i, pose) in state.poses.iter_mut().enumerate() {
            let x = i as f64 + 1.0;
            pose.rotation = Quat::from_scaled_axis(Vec3::new(0.1 * x.sin(), 0.2 * x.cos(), 0.1 * (2.0 * x).sin()));
            pose.translation += Vec3::new(0.0, 1e-3 * x.sin(), 2e-3 * x.cos());
            state.velocities[i] = std::array::from_fn(|k| (x * (k as f64 + 1.0)).sin() * if k < 3 { 0.1 } else { 2.0 });
        }
        let torque = Vec3::new(1e-5, -2e-5, 3e-5);
        let pushes = [Push { link: 2, offset: 0.02, force: Vec3::new(1e-3, 2e-3, -1e-3), torque }];
        let (held, step) = ([clamp(&links)], 5e-3);
        let around = Acting { gravity: Vec3::ZERO, held: &held, pushes: &pushes };
        let mut s = StepScratch::new(4, 1);
        prepare(&links, &state, &around, [0.0, 1.0], &mut s);
        let base: Vec<Vec6> = state.velocities.iter().map(|v| v.map(|x| 0.9 * x)).collect();
        let mut residual = |mean: &[Vec6]| {
            s.mean.copy_from_slice(mean);
            place(step, &mut s);
            assert!(assemble(&links, &state, &around, step, &mut s));
            (s.residual.clone(), s.matrix.clone())
        };
        let matrix = residual(&base).1;
        for j in 0..4 {
            for k in 0..6 {
                let h = if k < 3 { 1e-6 } else { 1e-4 };
                let mut at = |sign: f64| {
                    let mut mean = base.clone();
                    mean[j][k] += sign * h;
                    residual(&mean).0
                };
                let (up, down) = (at(1.0), at(-1.0));
                for (i, r) in (0..4).flat_map(|i| (0..6).map(move |r| (i, r))) {
                    let slope = (up[i][r] - down[i][r]) / (2.0 * h);
                    let got = match i.abs_diff(j) {
                        0 => matrix.diagonal[i][r][k],
                        1 if j > i => matrix.right[i][r][k],
                        1 => matrix.below[j][r][k],
                        _ => 0.0,
                    };
                    // what is left out is the change of J with the moments, and of J with the turn of the whole step
                    let scale = matrix.diagonal[j][k][k].abs().max(matrix.diagonal[i][r][r].abs());
                    assert!((got - slope).abs() < 0.05 * scale, "({i},{r}) by ({j},{k}): {got} for {slope}");
                }
            }
        }
    }

    /// Released from horizontal without damping: the energy stays what it was, whatever the step.
    #[test]
    fn energy_is_kept_at_any_step() {
        for step in [1e-3, 5e-3, 2e-2] {
            let (links, mut state) = silicone(40);
            let held = [clamp(&links)];
            let around = Acting { gravity: Vec3::Z * -9.81, held: &held, pushes: &[] };
            let mut scratch = StepScratch::new(40, 1);
            let start = energy(&links, &state, &held);
            let swing = 40.0 * links.inertia[0] * 9.81 * 0.4;
            for _ in 0..(3.0 / step) as usize {
                assert!(advance(&links, &mut state, &around, step, &mut scratch).converged);
                let off = (energy(&links, &state, &held) - start) / swing;
                // the tolerance of Newton's method, summed up over the steps
                assert!(off.abs() < 1e-7, "{step} s: {off}");
            }
        }
    }

    /// Free flight with spin and vibration: momentum stays what it was.
    #[test]
    fn momentum_is_kept_in_free_flight() {
        let (links, mut state) = silicone(20);
        for (i, v) in state.velocities.iter_mut().enumerate() {
            *v = [0.3, 0.1 * (i as f64).sin(), -0.2, 3.0, 1.0, 20.0 + i as f64];
        }
        let momentum = |s: &LinkState| -> Vec3 {
            s.velocities.iter().map(|v| Vec3::new(v[0], v[1], v[2]) * links.inertia[0]).sum()
        };
        let start = momentum(&state);
        let mut scratch = StepScratch::new(20, 0);
        let around = Acting { gravity: Vec3::ZERO, held: &[], pushes: &[] };
        for _ in 0..200 {
            assert!(advance(&links, &mut state, &around, 2e-3, &mut scratch).converged);
        }
        assert!((momentum(&state) - start).length() < 1e-9 * start.length());
    }
}
