//! The share of an arm in a step: the passive midpoint rule of `robot::midpoint` with its drives, and the forces of what
//! it holds, as equations for the mean velocities of its joints.
//!
//! Servos are part of the equations, so that gains are not limited by the step: with the mean velocity y, a servo gives
//! k (target - q) + d (rate - v) at the instant q = q_0 + theta h y, v = v_0 + 2 theta (y - v_0), with the target of then.
//! theta is 1/2, halfway, where the step resolves the motion, and grows to 1, the end of the step, where it does not, with
//! (2 theta - 1) h k more damping: halfway a stiff servo of a light joint would swing from step to step for ever.
//! An arm is one more subsystem of the step of the cables that it holds (Lee, Lee, Yoon, Lee, IV-D3); `cable::solver::hands`
//! solves them together.

use super::Arm;
use super::params::JointDrive;
use super::tool::{ToolStep, Within};
use super::touch::Touches;
use crate::account::Work;
use crate::cable::equations::part::Part;
use crate::math::{Pose, Vec3};
use crate::robot::{Answer, Dynamics, Law, Matrix, Midpoint, Model, SCALES, State};

/// Working memory of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArmStep {
    /// The equations without drives and loads.
    pub midpoint: Midpoint,
    dynamics: Dynamics,
    /// Current mean velocities.
    pub mean: Vec<f64>,
    /// Their last change.
    pub change: Vec<f64>,
    /// Residual of the equations, with all forces but friction and stops.
    pub residual: Vec<f64>,
    /// Tangent.
    pub tangent: Matrix,
    /// Forces of drives, in the current part of the step.
    pub driven: Vec<f64>,
    /// Forces of loads.
    pub pushed: Vec<f64>,
    /// Friction of joints that slide, as last applied.
    rubbed: Vec<f64>,
    /// Iterations in the current part of the step.
    rounds: usize,
    /// Whether friction or a stop holds a joint.
    pub held: Vec<bool>,
    /// Torques that carry the arm's weight, at the start of the step.
    weight: Vec<f64>,
    /// Targets of the servos at the start and the end of the step.
    pub targets: Vec<[f64; 2]>,
    /// Instants of the part of the step at which servos act, from 1/2 to 1.
    instants: Vec<f64>,
    /// Tools that joints hold together.
    pub(super) tools: ToolStep,
    /// Contacts of its links.
    pub(super) touches: Touches,
    /// Forces of drives, mean over the step.
    pub torques: Vec<f64>,
    /// Work of cables that touch its links, in the current part of the step [J].
    pub given: f64,
    /// Forces with which its links push each other or those of another arm [N], and the energy that this gives [J].
    pub met: f64,
    pub lifted: f64,
    /// Work on the arm in the current part of the step, and in the step so far.
    part_work: Work,
    pub work: Work,
}

impl ArmStep {
    pub fn new(model: &Model) -> ArmStep {
        let n = model.velocities();
        let zeros = vec![0.0; n];
        ArmStep {
            midpoint: Midpoint::new(model),
            dynamics: Dynamics::new(model),
            mean: zeros.clone(),
            change: zeros.clone(),
            residual: zeros.clone(),
            tangent: Matrix::zeros(n, n),
            driven: zeros.clone(),
            pushed: zeros.clone(),
            rubbed: zeros.clone(),
            rounds: 0,
            held: vec![false; n],
            weight: zeros.clone(),
            targets: vec![[0.0; 2]; model.coordinates().len()],
            instants: vec![0.5; model.coordinates().len()],
            tools: ToolStep::new(model),
            touches: Touches::new(model),
            torques: zeros,
            given: 0.0,
            met: 0.0,
            lifted: 0.0,
            part_work: Work::default(),
            work: Work::default(),
        }
    }
}

impl ArmStep {
    /// Kinetic energy [J], and the mass times the place of its centre in the world [kg m].
    pub fn kinetic(&mut self, model: &Model, joints: &State) -> (f64, Vec3) {
        self.dynamics.kinetic(model, &joints.q, &joints.v)
    }
}

impl Arm {
    /// Number of unknowns.
    pub(crate) fn unknowns(&self) -> usize {
        self.model.velocities()
    }

    /// Working memory of its step.
    pub(crate) fn step(&self) -> &ArmStep {
        &self.scratch.step
    }

    /// Working memory of its step, to be changed.
    pub(crate) fn step_mut(&mut self) -> &mut ArmStep {
        &mut self.scratch.step
    }

    /// Pose of a link at the start of the current part of the step.
    pub(crate) fn at_start(&mut self, link: usize) -> Pose {
        self.scratch.kinematics.place(&self.model, &self.state.joints.q);
        self.scratch.kinematics.link(&self.model, link)
    }

    /// Velocity of a point of a link, given in the link's frame, and angular velocity per unknown, in world axes: halfway, or of the
    /// pose at the end of the part.
    pub(crate) fn jacobian(&self, link: usize, point: Vec3, end: bool, out: &mut Matrix) {
        let ArmStep { midpoint, mean, .. } = &self.scratch.step;
        if end {
            midpoint.end_jacobian(&self.model, link, point, mean, out);
        } else {
            midpoint.middle_jacobian(&self.model, link, point, out);
        }
    }

    /// Begin a step of the world.
    pub(crate) fn begin_step(&mut self) {
        let ArmStep { torques, work, weight, dynamics, .. } = &mut self.scratch.step;
        torques.fill(0.0);
        *work = Work::default();
        weight.fill(0.0);
        if self.spec.carries_itself || !self.state.tools.is_empty() {
            dynamics.gravity(&self.model, &self.state.joints.q, weight);
        }
    }

    /// Begin a part of the step.
    pub(crate) fn begin(&mut self, part: &Part) {
        let s = &mut self.scratch.step;
        s.midpoint.begin(&self.model, &self.state.joints, part.step(), &mut s.mean);
        s.rounds = 0;
    }

    /// Residual, and with `tangent` the tangent, at the current mean velocities, without the forces of what it holds.
    pub(crate) fn assemble(&mut self, part: &Part, tangent: bool) {
        let Arm { model, state, scratch, .. } = self;
        let s = &mut scratch.step;
        if tangent {
            s.midpoint.assemble(model, &s.mean);
        } else {
            s.midpoint.evaluate(model, &s.mean);
        }
        s.residual.copy_from_slice(s.midpoint.residual());
        s.tangent.copy_from(s.midpoint.tangent());
        s.pushed.fill(0.0);
        for load in &scratch.loads {
            s.midpoint.add_load(model, load, &mut s.pushed);
        }
        s.residual.iter_mut().zip(&s.pushed).for_each(|(r, f)| *r -= f);
        let (first, position, h) = (model.first_joint(), model.first_position(), part.step());
        // servos are first taken to be strong enough, unless they are far from it: from where one is not, its slope would lead astray
        let begins = s.rounds == 0;
        let within = Within { model, midpoint: &s.midpoint, part, mean: &s.mean, begins: begins && tangent };
        s.tools.fill(&state.tools, &within);
        for (i, coordinate) in model.coordinates().iter().enumerate() {
            let (k, [from, to]) = (first + i, s.targets[i]);
            let (drive, y, v) = (state.drives[i], s.mean[k], s.midpoint.start_velocities()[k]);
            if begins && tangent {
                // the diagonal of the tangent is twice the inertia over the step
                s.instants[i] = instant(pace(drive, h, 0.5 * h * s.tangent[(k, k)]));
            }
            let theta = s.instants[i];
            let (target, rate) =
                (from + (to - from) * (part.from + theta * (part.to - part.from)), (to - from) / part.dt);
            let (force, slope) = match drive {
                JointDrive::Free => (0.0, 0.0),
                JointDrive::Torque(torque) => (torque, 0.0),
                JointDrive::Velocity { gain, .. } => (gain * (target - v - 2.0 * theta * (y - v)), 2.0 * theta * gain),
                JointDrive::Position { stiffness, damping, .. } => {
                    let q = state.joints.q[position + i] + theta * h * y;
                    let damping = damping + (2.0 * theta - 1.0) * h * stiffness;
                    let lag = rate - v - 2.0 * theta * (y - v);
                    (stiffness * (target - q) + damping * lag, theta * (h * stiffness + 2.0 * damping))
                }
            };
            let wanted = force + s.tools.force[k] + s.weight[k];
            // what is left of its force once the joint, were it alone, has given way
            let (inertia, slopes) = (s.tangent[(k, k)], slope + s.tools.slope[(k, k)]);
            let strong = begins && (wanted * inertia / (inertia + slopes)).abs() <= FAR_FROM_IT * coordinate.effort;
            let given = if strong { wanted } else { wanted.clamp(-coordinate.effort, coordinate.effort) };
            s.driven[k] = given;
            s.residual[k] -= given;
            if given == wanted {
                s.tangent[(k, k)] += slope;
                let row = s.tools.slope.row(k);
                s.tangent.row_mut(k).iter_mut().zip(row).for_each(|(t, slope)| *t += slope);
            }
        }
    }

    /// The law of friction and stops of an unknown, if it has one.
    fn law(&self, unknown: usize, h: f64) -> Option<Law> {
        Law::of_joint(&self.model, &self.state.joints, h, unknown)
    }

    /// Apply friction and stops to the rows of this arm in the equations of all arms that are solved together: where a joint
    /// slides its friction joins the right-hand side, where it is held the row says at which velocity. `first` is the index
    /// of its first unknown.
    pub(crate) fn apply_laws(&mut self, h: f64, first: usize, matrix: &mut Matrix, right: &mut [f64]) {
        let round = self.scratch.step.rounds / ROUNDS % SCALES.len();
        let scale = SCALES[round];
        self.scratch.step.rounds += 1;
        for i in 0..self.unknowns() {
            (self.scratch.step.held[i], self.scratch.step.rubbed[i]) = (false, 0.0);
            let Some(law) = self.law(i, h) else { continue };
            let s = &mut self.scratch.step;
            let c = scale / s.tangent[(i, i)];
            match law.answer(s.mean[i] - c * s.residual[i], c) {
                Answer::Slides(force) => {
                    s.residual[i] += force;
                    s.rubbed[i] = force;
                    right[first + i] += force;
                }
                Answer::Held(at) => {
                    s.held[i] = true;
                    right[first + i] = s.mean[i] - at;
                    matrix.row_mut(first + i).fill(0.0);
                    matrix[(first + i, first + i)] = 1.0;
                }
            }
        }
    }

    /// Move by a fraction of the change; backwards if negative.
    pub(crate) fn go(&mut self, fraction: f64) {
        let ArmStep { mean, change, .. } = &mut self.scratch.step;
        mean.iter_mut().zip(change).for_each(|(y, c)| *y -= fraction * *c);
    }

    /// Dot product of the residual with the change, where no joint is held.
    pub(crate) fn decline(&self) -> f64 {
        let ArmStep { residual, change, held, .. } = &self.scratch.step;
        (0..residual.len()).filter(|&i| !held[i]).map(|i| residual[i] * change[i]).sum()
    }

    /// Dot product of the residual, to which friction is added here, with the change, where no joint is held.
    pub(crate) fn descent(&self) -> f64 {
        let ArmStep { residual, change, held, rubbed, .. } = &self.scratch.step;
        (0..residual.len()).filter(|&i| !held[i]).map(|i| (residual[i] + rubbed[i]) * change[i]).sum()
    }

    /// Squares of the last change and of the velocities that it is compared with, weighted by the tangent's inertia.
    pub(crate) fn progress(&self, step: f64) -> [f64; 2] {
        let s = &self.scratch.step;
        let (mut change, mut size) = (0.0, 0.0);
        for i in 0..self.unknowns() {
            // the diagonal of the tangent is twice the inertia over the step, and more
            let weight = 0.5 * step * s.midpoint.tangent()[(i, i)];
            let resting = RESTING / step;
            change += weight * s.change[i] * s.change[i];
            size += weight * (s.mean[i] * s.mean[i] + s.midpoint.start_velocities()[i].powi(2) + resting * resting);
        }
        [change, size]
    }

    /// Settle the energy of a part of the step that has been solved; `given` is the work of what it holds on it [J]. False where more is left
    /// over than a correction: the joints turn too far in it.
    pub(crate) fn settle(&mut self, part: &Part, given: f64) -> bool {
        let h = part.step();
        let Arm { model, state, scratch, .. } = self;
        let s = &mut scratch.step;
        let first = model.first_joint();
        let [touched, led, lifted, returned] = s.touches.work(h);
        let by_meeting = std::mem::take(&mut s.lifted);
        let (met, lifted) = (std::mem::take(&mut s.met), lifted + by_meeting);
        s.touches.given += by_meeting;
        let (mut drives, mut pushes) = (0.0, 0.0);
        // work of what was felt in the step before
        let felt: f64 = s.pushed.iter().zip(&s.mean).map(|(force, y)| h * force * y).sum();
        // the works whose difference is left, and what they would be for a joint that hardly moves
        let mut turnover = given.abs() + touched.abs() + led.abs();
        for (i, y) in s.mean.iter().enumerate() {
            let driven = i >= first && (state.drives[i - first] != JointDrive::Free || !state.tools.is_empty());
            if driven && !s.held[i] {
                // what Newton's method has left is an error of the servo, which no solution may be stronger for
                s.driven[i] += s.residual[i] + s.rubbed[i];
                if s.driven[i].abs() > (1.0 + STRONGER) * model.coordinates()[i - first].effort {
                    return false;
                }
            }
            let forces = s.driven[i].abs() + s.pushed[i].abs() + s.weight[i].abs();
            turnover += forces * (h * y.abs() + RESTING);
            drives += h * s.driven[i] * y;
            pushes += h * (s.pushed[i] - s.rubbed[i]) * y;
            if s.held[i] {
                // a joint that is held has the force that the equations are missing
                pushes += h * s.residual[i] * y;
            }
            if i >= first {
                pushes -= h * model.coordinates()[i - first].damping * y * y;
            }
        }
        s.part_work = Work { loads: drives, grips: given + felt, obstacles: led, ..Work::default() };
        // what quadrature and Newton's method have left
        let gain = s.midpoint.gain(model);
        if s.touches.push() || met > 0.0 {
            let left = gain - drives - pushes - given - touched;
            let turnover = turnover + (s.touches.size() + met) * RESTING;
            // what lifts it out of something comes from its motion, if that has enough
            return s.midpoint.take_from_all(model, left, turnover)
                || s.midpoint.take_from_all(model, left - lifted, turnover)
                || s.midpoint.take_returned(model, left - lifted, returned, turnover);
        }
        s.midpoint.take_energy(model, gain - drives - pushes - given, turnover)
    }

    /// Bring the joints that are held to rest at the end of a part of the step.
    pub(crate) fn stop(&mut self) {
        let s = &mut self.scratch.step;
        s.midpoint.stop(&self.model, &s.held);
    }

    /// Velocities at the end of a part of the step.
    pub(crate) fn end_velocities(&self) -> &[f64] {
        self.scratch.step.midpoint.end_velocities()
    }

    pub(crate) fn set_end_velocities(&mut self, velocities: &[f64]) {
        self.scratch.step.midpoint.set_end_velocities(velocities);
    }

    /// Inertia that an impulse along a row meets, at least, and zero where it meets no joint [kg].
    pub(crate) fn meets(&self, row: impl Iterator<Item = f64>) -> f64 {
        let s = &self.scratch.step;
        let of = |(i, r): (usize, f64)| if s.held[i] { 0.0 } else { r * r / s.midpoint.inertia(&self.model, i, i) };
        let answer: f64 = row.enumerate().map(of).sum();
        if answer > 0.0 { 1.0 / answer } else { 0.0 }
    }

    /// Begin to bring it to rest relative to what touches its links: its tangent is its inertia.
    pub(crate) fn begin_halt(&mut self) {
        let ArmStep { midpoint, tangent, .. } = &mut self.scratch.step;
        for (i, j) in (0..self.model.velocities()).flat_map(|i| (0..self.model.velocities()).map(move |j| (i, j))) {
            tangent[(i, j)] = midpoint.inertia(&self.model, i, j);
        }
    }

    /// Leave the joints that are held out of equations in which its first unknown is `first`.
    pub(crate) fn keep_held(&self, first: usize, matrix: &mut Matrix, right: &mut [f64]) {
        let held = &self.scratch.step.held;
        for i in (0..held.len()).filter(|&i| held[i]).map(|i| first + i) {
            for j in 0..right.len() {
                (matrix[(i, j)], matrix[(j, i)]) = (0.0, 0.0);
            }
            (matrix[(i, i)], right[i]) = (1.0, 0.0);
        }
    }

    /// Change the velocities at the end by what was solved for.
    pub(crate) fn change_end(&mut self) {
        let ArmStep { midpoint, change, .. } = &mut self.scratch.step;
        midpoint.change_end(change);
    }

    /// Count the work of impulses at the end of a part of the step [J].
    pub(crate) fn struck(&mut self, work: f64) {
        self.scratch.step.part_work.grips += work;
    }

    /// Take over the result of a part of the step, which has been settled.
    pub(crate) fn finish_part(&mut self, part: &Part) {
        let led = self.calm(part);
        let Arm { model, state, scratch, .. } = self;
        let s = &mut scratch.step;
        s.midpoint.finish(model, &mut state.joints);
        s.part_work.obstacles += led;
        s.work += s.part_work;
        for (sum, torque) in s.torques.iter_mut().zip(&s.driven) {
            *sum += (part.to - part.from) * torque;
        }
    }
}

/// How fast a servo moves an inertia, against the step `h`.
fn pace(drive: JointDrive, h: f64, inertia: f64) -> f64 {
    match drive {
        JointDrive::Free | JointDrive::Torque(_) => 0.0,
        JointDrive::Velocity { gain, .. } => gain * h / inertia,
        JointDrive::Position { stiffness, damping, .. } => (stiffness * h + damping) * h / inertia,
    }
}

/// The instant of a step at which a servo of some pace acts: that of its middle up to what has no effect on the order of the step,
/// or of its end, where the step is longer than the servo needs.
pub(super) fn instant(pace: f64) -> f64 {
    let square = pace * pace;
    // a servo may be as stiff as it likes
    if square.is_finite() { 0.5 + 0.5 * square / (1.0 + square) } else { 1.0 }
}

/// How many times its effort a drive may seem to need in the first iteration, which does not know of other joints.
const FAR_FROM_IT: f64 = 4.0;

/// Part of its effort by which a drive may exceed it, for what Newton's method leaves.
const STRONGER: f64 = 1e-3;

/// Iterations after which the scale of the laws of joints is changed, lest they go in circles.
const ROUNDS: usize = 7;

/// Scale of convergence for an arm at rest: motion of a joint by this much in a step does not count [rad, m].
const RESTING: f64 = 1e-7;
