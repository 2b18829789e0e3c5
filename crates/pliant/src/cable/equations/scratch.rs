//! Working memory of the step of one cable.

use crate::account::Work;
use crate::cable::algebra::block::{Tridiagonal, Vec6};
use crate::cable::contact::touch::Touch;
use crate::cable::equations::linear::Linear;
use crate::cable::joint::rows::Rows;
use crate::cable::links::LinkState;
use crate::cable::solver::gauss_seidel::runs::Runs;
use crate::cable::solver::hands::Reply;
use crate::math::{Pose, Vec3};

/// Working memory of a step.
#[derive(Clone, Debug, Default)]
pub struct StepScratch {
    /// Tangent.
    pub matrix: Tridiagonal,
    /// Residual of the equations.
    pub residual: Vec<Vec6>,
    /// Current mean velocities.
    pub mean: Vec<Vec6>,
    /// The last change of the mean velocities.
    pub change: Vec<Vec6>,
    /// Poses halfway through the step.
    pub middle: Vec<Pose>,
    /// Poses at the end of the step.
    pub end: Vec<Pose>,
    /// Data of the kernels, four links at a time.
    pub rows: Rows,
    /// Strains of the joints at the start.
    pub start_strains: Vec<Vec6>,
    /// Strains of the holds at the start.
    pub held_strains: Vec<Vec6>,
    /// Strains of the holds at the start, less twice c times their change in the step before.
    pub held_bias: Vec<Vec6>,
    /// Distance by which the cable has slid through each hold in the step so far, against its direction [m].
    pub held_slid: Vec<f64>,
    /// Force with which the cable resists being slid through each hold, and how much it grows with the distance
    /// [N, N/m].
    pub held_drift: Vec<[f64; 2]>,
    /// How often that force has followed the bend in the current part of the step.
    pub followed: u32,
    /// Energy that sliding through holds has taken in the step so far [J].
    pub rubbed: f64,
    /// Poses of the holds at the start, middle and end of the current part of the step.
    pub held_poses: Vec<[Pose; 3]>,
    /// Rotation vectors of the holds over the part, in their own frames; zero where nothing moves them back.
    pub held_turns: Vec<Vec3>,
    /// What the holds do to arms that carry them.
    pub held_replies: Vec<Reply>,
    /// Contacts with obstacles.
    pub touches: Vec<Touch>,
    /// Those found by another thread, before they are appended.
    pub found: Vec<Touch>,
    /// Force and moment in each joint, in the current part of the step.
    pub part_loads: Vec<Vec6>,
    /// Force and torque of the cable on each hold, in the current part of the step.
    pub part_held_loads: Vec<(Vec3, Vec3)>,
    /// Force and moment in each joint, mean over the step.
    pub loads: Vec<Vec6>,
    /// Force and torque of the cable on each hold, in world axes, about the held section, mean over the step.
    pub held_loads: Vec<(Vec3, Vec3)>,
    /// Runs of links, for the solvers that need them.
    pub runs: Runs,
    /// The equations of the linear step, for cables that use it.
    pub linear: Linear,
    /// Distance by which links have moved farther than expected in this step [m].
    pub farther: f64,
    /// What it was when contacts were searched for.
    pub searched: f64,
    /// Poses of the links between the parts of the step.
    pub trail: Trail,
    /// Power of contacts on the cable, relative to what they touch, as far as it adds energy [W].
    pub gained: f64,
    /// What of it comes from other cables [W].
    pub gained_between: f64,
    /// Power of all contacts in the part, including those that dissipate [W].
    pub power: f64,
    /// Energy added by bringing pairs to rest, to be taken back [J].
    pub owed: f64,
    /// What of it comes from other cables [J].
    pub owed_between: f64,
    /// Power of other links, including its own, on the cable in the current part of the step [W].
    pub met: f64,
    /// Work done on the cable in the step so far.
    pub work: Work,
}

/// Poses of links at some instants within a step.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    fractions: Vec<f64>,
    poses: Vec<Pose>,
}

/// Number of parts of a step that memory is preallocated for.
pub const PARTS: usize = 8;

impl Trail {
    /// Preallocate for steps of so many links that are cut into a few parts.
    fn reserve(&mut self, links: usize) {
        // the end of the last part is that of the step
        self.fractions.reserve(PARTS - 1);
        self.poses.reserve((PARTS - 1) * links);
    }

    pub fn clear(&mut self) {
        self.fractions.clear();
        self.poses.clear();
    }

    pub fn push(&mut self, fraction: f64, poses: &[Pose]) {
        self.fractions.push(fraction);
        self.poses.extend_from_slice(poses);
    }

    /// The instants in order, each as a fraction of the step with the poses.
    pub fn instants(&self) -> impl Iterator<Item = (f64, &[Pose])> {
        let links = self.poses.len() / self.fractions.len().max(1);
        self.fractions.iter().copied().zip(self.poses.chunks(links.max(1)))
    }
}

impl StepScratch {
    /// Preallocate for holds.
    pub fn reserve(&mut self, holds: usize) {
        self.held_strains.reserve(holds);
        self.held_bias.reserve(holds);
        self.held_slid.reserve(holds);
        self.held_drift.reserve(holds);
        self.held_poses.reserve(holds);
        self.held_turns.reserve(holds);
        self.held_replies.reserve(holds);
        self.held_loads.reserve(holds);
        self.part_held_loads.reserve(holds);
        self.trail.reserve(self.end.len());
    }

    /// Exchange all memory that carries nothing from step to step with a cable of as many links, whose memory is still
    /// in the cache.
    pub fn exchange(&mut self, other: &mut StepScratch) {
        use std::mem::swap;
        if (self.mean.len(), self.loads.len()) == (other.mean.len(), other.loads.len()) {
            swap(&mut self.matrix, &mut other.matrix);
            swap(&mut self.residual, &mut other.residual);
            swap(&mut self.mean, &mut other.mean);
            swap(&mut self.change, &mut other.change);
            swap(&mut self.middle, &mut other.middle);
            swap(&mut self.end, &mut other.end);
            swap(&mut self.rows, &mut other.rows);
            swap(&mut self.touches, &mut other.touches);
            swap(&mut self.found, &mut other.found);
            self.runs.exchange(&mut other.runs);
        }
    }

    /// Working memory for a number of links, open or closed, and of holds.
    pub fn new(links: usize, holds: usize, closed: bool) -> StepScratch {
        let (zeros, between) = (vec![[0.0; 6]; links], vec![[0.0; 6]; links - usize::from(!closed)]);
        StepScratch {
            matrix: if closed { Tridiagonal::closed(links) } else { Tridiagonal::new(links) },
            residual: zeros.clone(),
            mean: zeros.clone(),
            change: zeros,
            middle: vec![Pose::IDENTITY; links],
            end: vec![Pose::IDENTITY; links],
            rows: Rows::new(links, closed),
            start_strains: between.clone(),
            held_strains: Vec::with_capacity(holds),
            held_bias: Vec::with_capacity(holds),
            held_slid: Vec::with_capacity(holds),
            held_drift: Vec::with_capacity(holds),
            followed: 0,
            rubbed: 0.0,
            held_poses: Vec::with_capacity(holds),
            held_turns: Vec::with_capacity(holds),
            held_replies: vec![],
            touches: vec![],
            found: vec![],
            part_loads: between.clone(),
            part_held_loads: Vec::with_capacity(holds),
            loads: between,
            held_loads: Vec::with_capacity(holds),
            runs: Runs::default(),
            linear: Linear::default(),
            farther: 0.0,
            searched: 0.0,
            trail: Trail::default(),
            gained: 0.0,
            gained_between: 0.0,
            power: 0.0,
            owed: 0.0,
            owed_between: 0.0,
            met: 0.0,
            work: Work::default(),
        }
    }

    /// Initial guess: the last mean velocity, in which oscillations faster than the step have cancelled, extrapolated
    /// by its last change.
    pub fn guess(&mut self, state: &LinkState, step: f64) {
        self.mean.copy_from_slice(&state.means);
        // in contact motion is not smooth enough to extrapolate
        if state.steps == [step; 2] && state.pushed.iter().all(|&p| p == Vec3::ZERO) {
            for ((mean, last), earlier) in self.mean.iter_mut().zip(&state.means).zip(&state.earlier) {
                for k in 0..6 {
                    mean[k] += last[k] - earlier[k];
                }
            }
        }
    }
}
