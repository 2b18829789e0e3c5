//! The cable: a Cosserat rod as rigid links with elastic joints, after J. Lee, M. Lee, Yoon, D. Lee, "A parallelized
//! iterative algorithm for real-time simulation of long flexible cable manipulation".
//!
//! Links have six degrees of freedom; joints stretch, shear, bend and twist with EA, GA, EI and GJ. Steps are passive:
//! the energy grows by the work done on the cable and by nothing else, whatever the step size. Contacts are open,
//! sticking or sliding, and are solved together with the motion.

mod algebra;
mod change;
pub(crate) mod contact;
pub(crate) mod equations;
pub(crate) mod group;
mod holds;
mod joint;
mod links;
mod params;
mod react;
mod relax;
mod report;
mod slide;
mod solver;
mod start;

#[cfg(test)]
mod ring_tests;

#[cfg(test)]
pub use contact::pairs::Pair;
pub use contact::pairs::{Key, PastPair};
pub use params::{CableSettings, CableSpec, Couplings, Pairs, Regulation, Solver, Step};

pub(crate) use contact::pairs::{End, forget_body, pairs_fit};
pub(crate) use equations::scratch::PARTS;
pub(crate) use group::Cables;
pub(crate) use group::step::Around;
pub(crate) use links::OPEN;
#[cfg(test)]
pub(crate) use links::Stretch;
pub(crate) use relax::Moving;
pub(crate) use report::pairs_beside;
pub(crate) use solver::coupled_pairs::write_pairs;

use algebra::block::Vec6;
use change::Made;
use equations::linear::Linear;
use equations::scratch::StepScratch;
use group::step::Solved;
use holds::Held;
use links::{LinkState, Links};
use slide::Slide;
use solver::gauss_seidel::runs::Runs;

use std::sync::Arc;

use crate::body::{Surroundings, There, Vicinity};
use crate::bytes::stored;
use crate::contact::Obstacle;
use crate::counters::Counters;
use crate::derived::Derived;
use crate::elastica::Start;
use crate::error::{BuildError, StepError};
use crate::grip::Place;
use crate::linkage::{HeldEnd, Line, Push, locate};
use crate::material::Friction;
use crate::math::{Pose, Quat, Vec3};
use crate::moments::Moments;
use crate::motion::Drive;
use crate::world::move_up;

/// Fewest links of a cable: there must be a joint.
const LEAST_LINKS: usize = 2;

/// Velocities of a link above this have diverged [m/s, rad/s].
const FASTEST: f64 = 1e12;

/// A cable of rigid links.
#[derive(Clone, Debug)]
pub struct Cable {
    name: String,
    spec: Arc<CableSpec>,
    links: Links,
    /// Tension [N] and curvature [1/m] above which events are raised.
    limits: [f64; 2],
    begins: Start,
    derived: Vec<Derived>,
    state: CableState,
    scratch: Scratch,
}

/// The state of a cable.
#[derive(Clone, Debug, PartialEq)]
pub struct CableState {
    links: LinkState,
    /// Force and moment in each joint, mean over the last step.
    loads: Vec<Vec6>,
    /// Energy in the pieces between held sections and the centres of their links [J].
    held_energy: f64,
    /// Loads of the grips at its start and end in the last step.
    ends: [Option<HeldEnd>; 2],
    /// Obstacles touched in the last step.
    touched: Vec<usize>,
    /// While beyond their limits: the node with the largest tension and the node with the largest curvature, with the
    /// values.
    beyond: [Option<(usize, f64)>; 2],
    counters: Counters,
    /// Number of linearisations of the equations of a step since the start.
    linearisations: u64,
}

#[derive(Debug)]
struct Scratch {
    step: StepScratch,
    held: Vec<Held>,
    /// The grips that it may slide through.
    slides: Vec<Slide>,
    /// Index of the grip of each hold.
    grips: Vec<usize>,
    pushes: Vec<Push>,
    /// Number of these that are loads; the others are contact forces of other bodies.
    loads: usize,
    /// Energy that closing or relocated grips put into their holds at the start of the step [J].
    gripped: f64,
    /// Obstacles that can be touched during the step.
    near: Vec<usize>,
    /// Result of the last step.
    solved: Solved,
    /// The state at the start of the step.
    before: CableState,
    /// Whether it stays fixed while others come to rest, unless they touch it.
    still: bool,
    /// Whether it belongs to a clone, whose memory is not allocated yet.
    lean: bool,
}

impl Clone for Scratch {
    /// Working memory of the solver is not copied: `reserve` allocates it before the next step.
    fn clone(&self) -> Scratch {
        let Scratch { step, held, slides, grips, pushes, loads, gripped, near, solved, before: _, still, lean: _ } =
            self;
        Scratch {
            step: StepScratch {
                work: step.work,
                held_loads: step.held_loads.clone(),
                ..StepScratch::new(LEAST_LINKS, 0, false)
            },
            held: held.clone(),
            slides: slides.clone(),
            grips: grips.clone(),
            pushes: pushes.clone(),
            loads: *loads,
            gripped: *gripped,
            near: near.clone(),
            solved: *solved,
            before: CableState::none(),
            still: *still,
            lean: true,
        }
    }
}

/// The working memory of the solver.
fn working_memory(spec: &CableSpec) -> StepScratch {
    let (count, settings) = (spec.segments, &spec.settings);
    let mut step = StepScratch::new(count, 4, settings.closed);
    step.runs = Runs::new(count, settings);
    step.linear = Linear::new(if settings.step == Step::Linear { count } else { 0 });
    step
}

impl CableState {
    /// The state of a cable without links.
    fn none() -> CableState {
        CableState {
            links: LinkState::resting(vec![], 0),
            loads: vec![],
            held_energy: 0.0,
            ends: [None; 2],
            touched: vec![],
            beyond: [None; 2],
            counters: Counters::default(),
            linearisations: 0,
        }
    }

    /// Copy from `other`, without allocating where the capacity suffices.
    fn copy_from(&mut self, other: &CableState) {
        let CableState { links, loads, held_energy, ends, touched, beyond, counters, linearisations } = other;
        self.links.copy_from(links);
        self.loads.clone_from(loads);
        self.touched.clone_from(touched);
        self.held_energy = *held_energy;
        (self.ends, self.beyond) = (*ends, *beyond);
        (self.counters, self.linearisations) = (*counters, *linearisations);
    }
}

impl Cable {
    /// Build a cable; fails if `spec` is not valid.
    pub fn new(name: &str, spec: CableSpec) -> Result<Cable, BuildError> {
        spec.check(name)?;
        let Made { links, derived, poses } = Made::of(name, &spec)?;
        let joints = spec.joints();
        let state = CableState {
            links: LinkState::resting(poses, joints),
            loads: vec![[0.0; 6]; joints],
            held_energy: 0.0,
            ends: [None; 2],
            touched: vec![],
            beyond: [None; 2],
            counters: Counters::default(),
            linearisations: 0,
        };
        let scratch = Scratch {
            step: working_memory(&spec),
            held: vec![],
            slides: vec![],
            grips: vec![],
            pushes: vec![],
            loads: 0,
            gripped: 0.0,
            near: vec![],
            solved: Solved::default(),
            before: state.clone(),
            still: false,
            lean: false,
        };
        let limits = [spec.settings.tension_limit, 1.0 / spec.settings.bend_radius_limit];
        let begins = spec.settings.start;
        Ok(Cable { name: name.into(), spec: Arc::new(spec), links, limits, begins, derived, state, scratch })
    }

    /// Prepare for a step of the world, which is then made by the island of the cable.
    pub(crate) fn get_ready(&mut self, around: &Surroundings<'_>) {
        self.aim(around);
        self.hold_sections(around);
        // jaws that close may store something at once
        self.scratch.gripped = (self.held_energy() - self.state.held_energy).max(0.0);
        self.scratch.step.held_slid.clear();
        self.scratch.near.clear();
        self.scratch.near.extend_from_slice(around.near);
    }

    /// Energy in its holds at the start of the step [J].
    fn held_energy(&self) -> f64 {
        let Scratch { held, step, .. } = &self.scratch;
        let stored =
            |(h, drift): (&Held, &[f64; 2])| h.stored(h.stretch(&h.poses[0], &self.state.links.poses[h.link]), *drift);
        held.iter().zip(&step.held_drift).map(stored).sum()
    }

    /// Search again for the obstacles that it may touch, because its links move farther than expected.
    pub(crate) fn look_farther(&mut self, gravity: Vec3, obstacles: &[Obstacle], dt: f64) {
        let speeds = self.state.links.velocities.iter().map(|v| self.links.speed(v));
        let travel = self.links.travel(speeds.fold(0.0, f64::max), dt, gravity) + self.scratch.step.farther;
        let room = travel + self.links.radius + self.links.length;
        let places = self.state.links.poses.iter().map(|pose| pose.translation);
        let wide = |(low, high): (Vec3, Vec3), at: Vec3| (low.min(at), high.max(at));
        let (low, high) = places.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), wide);
        let Scratch { near, held, .. } = &mut self.scratch;
        let joined = |obstacle: &Obstacle| match obstacle.drive {
            Drive::Carried { arm, link, .. } => {
                held.iter().filter_map(|held| held.carried).any(|by| (by.arm, by.link) == (arm, link))
            }
            _ => false,
        };
        near.clear();
        near.extend((0..obstacles.len()).filter(|&index| {
            let [other_low, other_high] = obstacles[index].swept_bounds(1.0);
            let close = (low - room).cmple(other_high).all() && (high + room).cmpge(other_low).all();
            close && !joined(&obstacles[index])
        }));
    }

    /// Save the state at the start of a step, to return to if it fails.
    pub(crate) fn keep(&mut self) {
        self.scratch.before.copy_from(&self.state);
    }

    /// Take the working memory of another cable that has just been solved, because it is still in the cache.
    pub(crate) fn work_in_memory_of(&mut self, other: &mut Cable) {
        self.scratch.step.exchange(&mut other.scratch.step);
    }

    /// Return to the state before the step.
    pub(crate) fn undo(&mut self) {
        self.state.copy_from(&self.scratch.before);
    }

    /// Check the step that was made.
    pub(crate) fn check(&self, around: &Surroundings<'_>) -> Result<(), StepError> {
        let time = around.time + around.dt;
        if !self.scratch.solved.converged {
            let step = if self.links.linear { around.dt } else { around.dt / 256.0 };
            let instead = "it moves too wildly to be followed, or is squeezed between things that are closer than it is thick; \
                           shorten the step, or change what jerks or squeezes it";
            return Err(StepError::TooShort { body: self.name.clone(), time, step, instead });
        }
        self.check_finite(time)
    }

    /// Report the step that was made.
    pub(crate) fn finish(&mut self, around: &mut Surroundings<'_>) {
        let Cable { state, scratch, .. } = self;
        let solved = scratch.solved;
        state.counters.steps += 1;
        state.counters.iterations += u64::from(solved.iterations);
        state.linearisations += u64::from(solved.linearisations);
        state.counters.limit_hits += u64::from(solved.limited);
        state.loads.copy_from_slice(&scratch.step.loads);
        for (held, slid) in scratch.held.iter_mut().zip(&scratch.step.held_slid) {
            held.slid = *slid;
        }
        let stored =
            |(h, drift): (&Held, &[f64; 2])| h.stored(h.stretch(&h.poses[2], &state.links.poses[h.link]), *drift);
        let before: f64 = scratch.held.iter().zip(&scratch.step.held_drift).map(stored).sum();
        let (paid, after) = (scratch.step.rubbed, self.energy_moved());
        if after - before > paid {
            // sliding has taken less than the grips store where they are now
            contact::impact::take_energy(&self.links, &mut self.state.links.velocities, after - before - paid);
        }
        self.state.held_energy = after;
        self.write_loads(around);
        self.note_ends();
        self.note_touching(around);
        self.note_limits(around);
    }

    fn check_finite(&self, time: f64) -> Result<(), StepError> {
        // a link may turn or move beyond all bounds and still be in its place
        let links = self.state.links.poses.iter().zip(&self.state.links.velocities);
        let wild = |(pose, velocity): (&Pose, &Vec6)| {
            !pose.rotation.is_finite() || velocity.iter().any(|v| v.is_nan() || v.abs() >= FASTEST)
        };
        if let Some(i) = links.map(wild).position(|wild| wild) {
            let quantity = format!("the velocity of link {i} [m/s, rad/s]");
            let velocity = &self.state.links.velocities[i];
            let value = velocity.iter().fold(0.0, |most: f64, v| if v.is_nan() { *v } else { most.max(v.abs()) });
            return Err(StepError::Diverged { body: self.name.clone(), time, quantity, value });
        }
        for (i, pose) in self.state.links.poses.iter().enumerate() {
            StepError::check_place(&self.name, time, pose.translation, || format!("link {i}"))?;
        }
        Ok(())
    }

    pub(crate) fn vicinity(&self, dt: f64, gravity: Vec3, pulled: f64) -> Vicinity {
        let [low, high] = self.line().bounds();
        // twice the initial range of the contact search, which may have to be extended
        let fastest = self.state.links.velocities.iter().map(|v| self.links.speed(v)).fold(pulled, f64::max);
        let travel = 2.0 * self.links.travel(fastest, dt, gravity);
        Vicinity { low, high, reach: self.links.radius + self.links.length + travel, horizon: 0.0 }
    }

    pub(crate) fn place_pose(&self, place: Place) -> Result<Pose, BuildError> {
        let pose = self.line().place_pose(&self.name, place)?;
        let (link, offset) = locate(place, self.size(), self.links.length);
        let [.., mut x, y, z] = self.links.natural(link, offset);
        if self.links.twisted {
            let joint = self.links.joint_beside(link, offset);
            let twist = self.strains().nth(joint).map_or(0.0, |e| e[3]) - self.links.rest[joint][3];
            x += twist * offset / self.links.length;
        }
        // a section is rotated against the centre of its link by the natural bend in between, and by the initial twist
        Ok(Pose::from_parts(pose.translation, pose.rotation * Quat::from_scaled_axis(Vec3::new(x, y, z))))
    }

    /// Its links at their current poses.
    pub(crate) fn line(&self) -> Line<'_> {
        self.links.line(&self.state.links.poses)
    }

    /// Links that are at most this many apart belong to one bend, see `contact::pairs::joints_count`.
    pub(crate) fn bend(&self) -> usize {
        contact::pairs::nearest_neighbour(&self.links) + 1
    }

    /// Whether it uses the linear step.
    pub(crate) fn is_linear(&self) -> bool {
        self.links.linear
    }

    /// Whether its end is joined to its start.
    pub(crate) fn is_closed(&self) -> bool {
        self.links.closed
    }

    /// Its links at the instants between the parts of its last step.
    pub(crate) fn trail(&self) -> impl Iterator<Item = (f64, Line<'_>)> {
        self.scratch.step.trail.instants().map(|(fraction, poses)| (fraction, self.links.line(poses)))
    }

    /// Poses of the links, for tests that move them.
    #[cfg(test)]
    pub(crate) fn poses_mut(&mut self) -> &mut [crate::math::Pose] {
        &mut self.state.links.poses
    }

    /// Mass, centre and inertia of its links, in the world.
    pub(crate) fn moments(&self) -> Moments {
        let [mass, _, _, x, y, z] = self.links.inertia;
        self.line().moments(mass, Vec3::new(x, y, z))
    }

    /// Name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of links.
    pub fn size(&self) -> usize {
        self.state.links.poses.len()
    }

    /// Radius of the cable [m].
    pub fn radius(&self) -> f64 {
        self.links.radius
    }

    /// Friction law of one of its links on an obstacle, whose own law takes precedence if it has one.
    pub fn friction_on(&self, obstacle: &Obstacle) -> Friction {
        self.per_link(obstacle.friction_with(self.links.friction), self.links.length)
    }

    /// Friction law of one of its links on a link of another cable, or of its own.
    pub fn friction_with(&self, other: &Cable) -> Friction {
        let friction = Friction::between(self.links.friction, other.links.friction);
        if other.links.per_contact {
            friction
        } else {
            self.per_link(friction, self.links.length.min(other.links.length))
        }
    }

    fn per_link(&self, friction: Friction, length: f64) -> Friction {
        if self.links.per_contact { friction } else { friction.over(length) }
    }

    /// Derived parameters, with the reason for each.
    pub fn derived(&self) -> &[Derived] {
        &self.derived
    }

    /// Work of its solver since it was built.
    pub fn counters(&self) -> Counters {
        self.state.counters
    }

    /// Number of linearisations of the equations of a step since the start.
    pub fn linearisations(&self) -> u64 {
        self.state.linearisations
    }

    pub(crate) fn state(&self) -> &CableState {
        &self.state
    }

    /// Whether a state belongs to a cable like this.
    pub(crate) fn fits(&self, state: &CableState, there: &There) -> bool {
        state.links.fits(&self.state.links, there)
            && state.loads.len() == self.state.loads.len()
            && there.are_obstacles(state.touched.iter())
    }

    /// Whether it has this link, or with `joint` the joint after it.
    pub(crate) fn has(&self, link: usize, joint: bool) -> bool {
        link < if joint { self.state.links.loads.len() } else { self.size() }
    }

    /// Preallocate for grips, loads and obstacles, so that a step does not allocate.
    pub(crate) fn reserve(&mut self, grips: usize, loads: usize, obstacles: usize) {
        if std::mem::take(&mut self.scratch.lean) {
            let made = working_memory(&self.spec);
            let lean = std::mem::replace(&mut self.scratch.step, made);
            (self.scratch.step.work, self.scratch.step.held_loads) = (lean.work, lean.held_loads);
            self.keep();
        }
        // a link touches one obstacle, rarely more
        let touches = self.size() * obstacles.min(2) + 16;
        for links in [&mut self.state.links, &mut self.scratch.before.links] {
            links.touches.reserve(touches);
            links.borne.reserve(touches);
        }
        self.scratch.step.touches.reserve(touches);
        self.scratch.step.found.reserve(touches / 2);
        self.scratch.step.runs.reserve(touches);
        self.state.touched.reserve(obstacles);
        self.scratch.before.touched.reserve(obstacles);
        self.scratch.near.reserve(obstacles);
        // a grip that a cable slides through holds three of its links
        let holds = 3 * grips;
        self.scratch.held.reserve(holds);
        self.scratch.slides.reserve(holds);
        self.state.links.held.reserve(holds);
        self.scratch.before.links.held.reserve(holds);
        self.scratch.grips.reserve(holds);
        self.scratch.pushes.reserve(loads);
        self.scratch.step.reserve(holds);
    }

    /// Update obstacle indices after the removal of an obstacle: those after it move up.
    pub(crate) fn forget_obstacle(&mut self, gone: usize) {
        move_up(&mut self.state.touched, gone);
        let LinkState { touches, borne, .. } = &mut self.state.links;
        for touches in [touches, borne] {
            touches.retain(|touch| touch.obstacle != gone);
            touches.iter_mut().filter(|t| t.obstacle > gone).for_each(|t| t.obstacle -= 1);
        }
    }

    pub(crate) fn save(&self, to: &mut CableState) {
        to.copy_from(&self.state);
    }

    pub(crate) fn set_state(&mut self, state: &CableState) {
        self.state.copy_from(state);
    }
}

stored!(CableState { links, loads, held_energy, ends, touched, beyond, counters, linearisations });
