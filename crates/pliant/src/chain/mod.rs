//! The model `chain`: a rod of point masses with contraction and bending forces, after B. Kahl and D. Henrich,
//! "Manipulation of deformable linear objects: Force-based simulation approach for haptic feedback".
//!
//! Equation numbers are theirs. The simplest and fastest of the models: no torsion,
//! explicit steps at 10 to 30 kHz. Misprints are corrected beside the equations; the book lists all differences.

mod bending;
mod between;
mod change;
mod derive;
mod forces;
mod holds;
mod params;
mod react;
mod report;
mod touch;
mod update;
mod work;

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;

pub use bending::Bending;
pub use params::{BendingLaw, ChainSettings, ChainSpec, Heuristic, RelativeTo, UpdateRule};
pub use update::Restraints;

use derive::Constants;
use forces::{Forces, PADDING};
use holds::{Clamp, Holders, split};
use touch::{Planes, Search, Touch};
use update::{Apply, Displace, UpdateState};

use std::sync::Arc;

use crate::account::Work;
use crate::body::{Surroundings, There, Vicinity};
use crate::bytes::stored;
use crate::counters::Counters;
use crate::curve;
use crate::derived::Derived;
use crate::error::{BuildError, StepError};
use crate::grip::{ActingLoad, Grip, Place, Wrench};
use crate::kernel::Kernel;
use crate::lanes::{LANES, Row, Rows, get, rows_of, zero_rows};
use crate::material::Friction;
use crate::math::{Pose, Quat, Vec3, exp, unit_or};
use crate::moments::Moments;
use crate::world::move_up;

/// Limit on the steps of Text 1, which repeats steps to make up for displacement cut by limits, as a multiple of the
/// nominal number: bounds the cost of a world step.
const MOST_REPEATS: u64 = 10;

/// Interval of gripper poses between which targets are interpolated [s].
const SMOOTH_INTERVAL: f64 = 1e-3;

/// A rod of point masses.
#[derive(Clone, Debug)]
pub struct Chain {
    name: String,
    spec: Arc<ChainSpec>,
    constants: Constants,
    settings: ChainSettings,
    derived: Vec<Derived>,
    radius: f64,
    friction: Friction,
    state: ChainState,
    scratch: Scratch,
}

/// State of a chain: everything that changes in a step.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainState {
    points: usize,
    /// Positions [m].
    x: Rows,
    update: UpdateState,
    planes: Planes,
    /// Length of the inner step that the stored displacements belong to [s].
    tau: f64,
    /// Model steps until the planes are next updated.
    until_renewal: u64,
    /// Text 1: how far the applied displacement is ahead of the expected one, in model steps.
    ahead: f64,
    /// Obstacles touched at the end of the last step.
    touched: Vec<usize>,
    /// Clamps at the end of the last step.
    clamps: Vec<Clamp>,
    /// Energy of the holds at the end of the last step, less that of the joints they replace; and energy of the holds
    /// that pull places to their targets [J].
    held: [f64; 2],
    /// Work of all forces over half of the last displacements [J].
    ahead_by: f64,
}

#[derive(Clone, Debug)]
struct Scratch {
    force: Rows,
    /// Stiffness of each joint; zero where a clamp replaces it.
    joints: Row,
    /// c_F of each point, zero in the padding [m/N].
    mobility: Row,
    /// The inner step that the mobility belongs to [s].
    mobility_tau: f64,
    holders: Holders,
    /// Load of each holder, summed over the step.
    loads: Vec<Wrench>,
    /// Sink for loads of holders that are not reported.
    unused: Vec<Wrench>,
    /// Points pushed by other bodies.
    calmed: Vec<usize>,
    /// Work done on the body so far in this step.
    work: Work,
    kernel: Kernel,
    /// State before the step, for `undo`.
    before: ChainState,
}

impl ChainState {
    /// Copy another state into this one, reusing capacity.
    fn copy_from(&mut self, other: &ChainState) {
        let ChainState { points, x, update, planes, tau, until_renewal, ahead, touched, clamps, held, ahead_by } =
            other;
        self.x.clone_from(x);
        self.update.copy_from(update);
        self.planes.copy_from(planes);
        (self.points, self.tau, self.until_renewal, self.ahead) = (*points, *tau, *until_renewal, *ahead);
        self.touched.clone_from(touched);
        self.clamps.clone_from(clamps);
        (self.held, self.ahead_by) = (*held, *ahead_by);
    }

    fn reserve(&mut self, grips: usize, obstacles: usize) {
        self.touched.reserve(obstacles);
        self.clamps.reserve(2 * grips);
        self.planes.reserve();
    }
}

impl Chain {
    /// Build a chain; fails if a parameter is out of range.
    pub fn new(name: &str, spec: ChainSpec) -> Result<Chain, BuildError> {
        spec.check(name)?;
        let length = curve::length(&spec.path);
        let (constants, derived) = derive::derive(&spec, length)?;
        let points = constants.elasticity.points;
        let blocks = constants.elasticity.blocks() + PADDING;
        let x = rows_of(&curve::resample(&spec.path, points), blocks);
        let tau = 1.0 / constants.rate;
        let state = ChainState {
            points,
            x,
            update: UpdateState::new(blocks),
            planes: Planes::new(blocks, constants.contact_stiffness),
            tau,
            until_renewal: 0,
            ahead: 0.0,
            touched: Vec::with_capacity(16),
            clamps: vec![],
            held: [0.0; 2],
            ahead_by: 0.0,
        };
        let mut scratch = Scratch {
            force: zero_rows(blocks),
            joints: vec![[0.0; LANES]; blocks],
            mobility: vec![[0.0; LANES]; blocks],
            mobility_tau: 0.0,
            holders: Holders::default(),
            loads: vec![],
            unused: vec![],
            calmed: vec![],
            work: Work::default(),
            kernel: Kernel::default(),
            before: state.clone(),
        };
        constants.elasticity.joints(&[], &mut scratch.joints);
        Ok(Chain {
            name: name.into(),
            constants,
            settings: spec.settings.clone(),
            derived,
            radius: spec.section.radius(),
            friction: spec.material.friction,
            spec: Arc::new(spec),
            state,
            scratch,
        })
    }

    /// Advance by one world step, divided into model steps.
    pub(crate) fn advance(&mut self, around: &mut Surroundings<'_>) -> Result<(), StepError> {
        let steps = (around.dt * self.constants.rate).round().max(1.0) as u64;
        self.set_inner_step(around.dt / steps as f64);
        self.scratch.loads.fill(Wrench::default());

        self.begin_work(around);
        let mut done = 0;
        let most = if self.settings.keep_displacement { steps * MOST_REPEATS } else { steps };
        self.state.ahead -= steps as f64;
        while !around.stop.is_asked()
            && (done < steps || (self.settings.keep_displacement && self.state.ahead < 0.0 && done < most))
        {
            // obstacles enter the model as planes, updated at their own rate
            if self.state.until_renewal == 0 {
                self.renew_planes(around, (done as f64 / steps as f64).min(1.0));
            }
            // model steps up to the next change of planes or gripper targets
            let stretch = self.stretch(done, steps).min(self.state.until_renewal);
            let (from, to) = ((done as f64 / steps as f64).min(1.0), ((done + stretch) as f64 / steps as f64).min(1.0));
            // gripper targets are held over these steps, as published, or interpolated
            let to = if self.settings.gripper_rate.is_some() { from } else { to };
            self.scratch.holders.aim(around.grips, around.grippers, from, to);
            // steps repeated beyond the end of the world step (Text 1) take no time
            self.model_steps(stretch, done < steps, around);
            self.state.until_renewal -= stretch;
            done += stretch;
        }
        // displacement that could not be made up within the limit is dropped
        self.state.ahead = if self.settings.keep_displacement { self.state.ahead.max(0.0) } else { 0.0 };
        self.state.clamps.clear();
        self.state.clamps.extend(self.scratch.holders.clamps());
        self.end_work(around);
        self.check_finite(around.time + around.dt)?;
        self.write_loads(around, done);
        self.note_touching(around);
        Ok(())
    }

    /// Number of model steps until gripper poses are sampled again or the world step ends. Steps repeated beyond that
    /// end (Text 1) are taken one at a time.
    fn stretch(&self, done: u64, steps: u64) -> u64 {
        if done >= steps {
            return 1;
        }
        let interval = self.settings.gripper_rate.map_or(SMOOTH_INTERVAL, f64::recip);
        let tick = (interval / self.state.tau).round().max(1.0) as u64;
        // held poses are counted from the start of the run, so that their rate does not depend on the world step
        let phase = if self.settings.gripper_rate.is_some() { self.state.update.steps } else { done };
        (tick - phase % tick).min(steps - done)
    }

    /// Set the inner step [s]. Stored displacements are per step, so they are rescaled to keep velocities.
    fn set_inner_step(&mut self, tau: f64) {
        if tau != self.state.tau {
            let ratio = tau / self.state.tau;
            for row in &mut self.state.update.step {
                row.as_flattened_mut().iter_mut().for_each(|d| *d *= ratio);
            }
            self.state.tau = tau;
            // drift and age of the planes are counted in steps
            self.state.until_renewal = 0;
        }
        if tau != self.scratch.mobility_tau {
            self.scratch.mobility_tau = tau;
            let masses = self.constants.elasticity.masses.as_flattened();
            for (mobility, mass) in self.scratch.mobility.as_flattened_mut().iter_mut().zip(masses) {
                let scaling = self.constants.scaling.unwrap_or(tau * tau / mass);
                *mobility = if *mass > 0.0 { scaling } else { 0.0 };
            }
        }
    }

    fn renew_planes(&mut self, around: &Surroundings<'_>, fraction: f64) {
        let tau = self.state.tau;
        self.state.until_renewal = (1.0 / (self.settings.contact_rate * tau)).round().max(1.0) as u64;
        // no obstacle nearby and no plane to drop
        if around.near.is_empty() && !self.state.planes.any() {
            return;
        }
        let search = Search {
            obstacles: around.obstacles,
            near: around.near,
            fraction,
            dt: around.dt,
            tau,
            radius: self.radius,
            reach: self.reach(self.state.until_renewal as f64 * tau, around.gravity, around.pulled),
            interval: self.state.until_renewal as f64 * tau,
        };
        let points = self.size();
        self.scratch.work.obstacles += self.state.planes.renew(&self.state.x, points, &search);
    }

    fn model_steps(&mut self, count: u64, time_passes: bool, around: &Surroundings<'_>) {
        let points = self.size();
        let Chain { constants, state, scratch, .. } = self;
        let Scratch { force, joints, mobility, holders, loads, calmed, work, kernel, .. } = scratch;
        let (elasticity, holding) = (&constants.elasticity, constants.holding());
        let mut update = constants.update;
        let newton = constants.scaling.is_none();
        if newton {
            update.history = exp(-self.settings.drag * state.tau);
        }
        let update = &update;
        let touch = Touch {
            friction: self.friction,
            damped: update.rule == UpdateRule::Velocity,
            tau: state.tau,
            share: elasticity.segment,
            radius: self.radius,
        };
        let near = state.planes.any();
        let resists = near && (touch.damped || has_friction(&touch.friction, around));
        for step in 0..count {
            if around.stop.is_asked() {
                return;
            }
            let (x, gravity, planes) = (&state.x, around.gravity, near.then_some(&state.planes));
            kernel.run(Forces { elasticity, joints, x, gravity, planes, out: force });
            state.planes.push_between(&state.x, force);
            work.grips += holders.pull(&holding, &state.x, step as f64 / count as f64, force, loads);
            if newton && !calmed.is_empty() {
                let per_step = 1.0 / (around.dt * state.tau);
                react::calm(calmed, &elasticity.masses, &state.update.step, per_step, force);
            }
            let oscillating = kernel.run(Displace { update, points, mobility, force, state: &mut state.update });
            if resists {
                state.planes.resist(&state.x, mobility, points, &touch, around.obstacles, &mut state.update.step);
            }
            let apply = Apply { update, elasticity, oscillating, state: &mut state.update, x: &mut state.x };
            state.ahead += kernel.run(apply);
            if time_passes {
                work.obstacles += state.planes.drift(&state.x, points, state.tau);
            }
        }
    }

    /// Add the mean load over the step to each grip, the torque about its gripper's origin.
    fn write_loads(&mut self, around: &mut Surroundings<'_>, steps: u64) {
        for (holder, load) in self.scratch.holders.list().iter().zip(&self.scratch.loads) {
            let grip = &mut around.grips[holder.grip];
            grip.load += Wrench { force: load.force / steps as f64, torque: load.torque / steps as f64 };
        }
    }

    fn check_finite(&self, time: f64) -> Result<(), StepError> {
        for i in 0..self.size() {
            StepError::check_place(&self.name, time, self.point(i), || format!("point {i}"))?;
        }
        Ok(())
    }

    /// Largest distance from a point at which an obstacle may be hit within a time [m]: travel at the speed of the
    /// fastest point or gripper, plus free fall, with a margin of 1.5 and one segment for sudden motion.
    fn reach(&self, within: f64, gravity: Vec3, pulled: f64) -> f64 {
        let speed = (0..self.size()).map(|i| get(&self.state.update.step, i).length_squared()).fold(0.0, f64::max);
        let speed = (speed.sqrt() / self.state.tau).max(pulled) + gravity.length() * within;
        self.radius + self.constants.elasticity.segment + 1.5 * speed * within
    }

    /// Position of a point [m].
    pub fn point(&self, i: usize) -> Vec3 {
        get(&self.state.x, i)
    }

    pub(crate) fn vicinity(&self, dt: f64, gravity: Vec3, pulled: f64) -> Vicinity {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for i in 0..self.size() {
            (low, high) = (low.min(self.point(i)), high.max(self.point(i)));
        }
        // obstacles found now are used until the planes are updated after the end of the step
        let horizon = dt + 1.0 / self.settings.contact_rate;
        Vicinity { low, high, reach: self.reach(horizon, gravity, pulled), horizon }
    }

    pub(crate) fn place_pose(&self, place: Place) -> Result<Pose, BuildError> {
        let points = self.size();
        if let Place::Node(node) = place
            && node >= points
        {
            let why = format!("its nodes are 0 to {}", points - 1);
            return Err(BuildError::NoSuchPlace { body: self.name.clone(), place: format!("node {node}"), why });
        }
        let (i, weight) = locate(place, points);
        let next = (i + 1).min(points - 1);
        let position = self.point(i).lerp(self.point(next), weight);
        // at a point, the mean of the directions of its segments
        let before = if weight > 0.0 { i } else { i.saturating_sub(1) };
        let tangent = unit_or(self.point(next) - self.point(before), Vec3::X);
        Ok(Pose::from_parts(position, Quat::from_rotation_arc(Vec3::X, tangent)))
    }

    pub(crate) fn prepare(&mut self, index: usize, time: f64, grips: &[Grip], loads: &[ActingLoad]) {
        self.scratch.holders.prepare(&self.constants.holding(), index, time, grips, loads);
        self.scratch.calmed.clear();
        self.constants.elasticity.joints(&self.scratch.holders.muted, &mut self.scratch.joints);
        self.scratch.loads.resize(self.scratch.holders.list().len(), Wrench::default());
    }

    /// Move the points to new positions [m], at rest. Fails unless there are as many as the chain has, all finite.
    pub fn set_points(&mut self, points: &[Vec3]) -> Result<(), BuildError> {
        if points.len() != self.size() || points.iter().any(|p| !p.is_finite()) {
            let what = format!("the number of finite points of {}", self.name);
            return Err(BuildError::Parameter { what, expected: "that of the chain", value: points.len() as f64 });
        }
        let blocks = self.state.x[0].len();
        self.state.x = rows_of(points, blocks);
        self.state.update = UpdateState::new(blocks);
        self.state.until_renewal = 0;
        self.state.ahead = 0.0;
        Ok(())
    }

    /// Forget a removed obstacle; the indices of those after it drop by one.
    pub(crate) fn forget_obstacle(&mut self, gone: usize) {
        move_up(&mut self.state.touched, gone);
        self.state.planes.forget_obstacle(gone);
        self.state.until_renewal = 0;
    }

    /// Contraction and bending forces on the points, in the world [N].
    pub fn internal_forces(&self) -> Vec<Vec3> {
        let e = &self.constants.elasticity;
        let (mut out, mut joints) = (self.scratch.force.clone(), vec![]);
        e.joints(&[], &mut joints);
        let (joints, x, gravity, planes) = (&joints, &self.state.x, Vec3::ZERO, None);
        self.scratch.kernel.run(Forces { elasticity: e, joints, x, gravity, planes, out: &mut out });
        (0..self.size()).map(|i| get(&out, i)).collect()
    }

    /// Mass, centre of mass and inertia of the points.
    pub(crate) fn moments(&self) -> Moments {
        let masses = self.constants.elasticity.masses.as_flattened();
        Moments::of_pairs((0..self.size()).map(|i| (self.point(i), masses[i])))
    }

    /// Name of the body.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of points.
    pub fn size(&self) -> usize {
        self.constants.elasticity.points
    }

    /// Unloaded length of the rod [m].
    pub fn length(&self) -> f64 {
        self.constants.elasticity.segment * (self.size() - 1) as f64
    }

    /// Radius of the rod [m].
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Derived parameters, each with its reason.
    pub fn derived(&self) -> &[Derived] {
        &self.derived
    }

    /// Model steps per second [Hz].
    pub fn rate(&self) -> f64 {
        self.constants.rate
    }

    /// Bending law and its stiffness.
    pub fn bending(&self) -> Bending {
        self.constants.elasticity.bending
    }

    /// Solver statistics since the body was built.
    pub fn counters(&self) -> Counters {
        Counters { steps: self.state.update.steps, ..Counters::default() }
    }

    /// How often the displacement limit and the oscillation damping acted.
    pub fn restraints(&self) -> Restraints {
        self.state.update.restraints
    }

    pub(crate) fn state(&self) -> &ChainState {
        &self.state
    }

    /// Whether a state has as many points as this chain.
    pub(crate) fn fits(&self, state: &ChainState, there: &There) -> bool {
        let (points, blocks) = (self.size(), self.state.x[0].len());
        state.points == points
            && state.x.iter().all(|row| row.len() == blocks)
            && state.update.fits(&self.state.update)
            && state.planes.fits(&self.state.planes, points, there)
            && there.are_obstacles(state.touched.iter())
            && state.clamps.iter().all(|clamp| clamp.fits(points))
    }

    /// Preallocate for grips, loads and obstacles, so that a step does not allocate.
    pub(crate) fn reserve(&mut self, grips: usize, loads: usize, obstacles: usize) {
        self.scratch.holders.reserve(grips, loads);
        self.scratch.loads.reserve(3 * grips);
        self.scratch.unused.reserve(3 * grips);
        self.scratch.calmed.reserve(2 * self.size());
        self.state.reserve(grips, obstacles);
        self.scratch.before.reserve(grips, obstacles);
    }

    pub(crate) fn save(&self, to: &mut ChainState) {
        to.copy_from(&self.state);
    }

    pub(crate) fn set_state(&mut self, state: &ChainState) {
        self.state.copy_from(state);
    }

    pub(crate) fn keep(&mut self) {
        self.scratch.before.copy_from(&self.state);
    }

    pub(crate) fn undo(&mut self) {
        self.state.copy_from(&self.scratch.before);
    }
}

fn has_friction(own: &Friction, around: &Surroundings<'_>) -> bool {
    let coefficient = |i: &usize| around.obstacles[*i].friction_with(*own).coefficient;
    around.near.iter().any(|i| coefficient(i) > 0.0)
}

/// The point at or before a place, and the fraction of the way from it to the next.
fn locate(place: Place, points: usize) -> (usize, f64) {
    match place {
        Place::Node(node) => (node.min(points - 1), 0.0),
        place => split(place.along(points - 1), points),
    }
}

stored!(ChainState { points, x, update, planes, tau, until_renewal, ahead, touched, clamps, held, ahead_by });
