//! The model `lattice`: solids as particles and connectors, after A. Joukhadar, "Robot-Phi: Dynamic modeling system for
//! robotics applications".
//!
//! Motion, deformation and contact in one description: particles carry the exact inertia of the solid, springs and
//! dampers between them its elasticity, facets over them its surface. The step length follows from the energy error.

mod build;
mod change;
mod connectors;
mod contact;
mod flow;
mod group;
mod holds;
mod integrate;
mod joint;
mod matter;
mod order;
mod params;
mod react;
mod report;
#[cfg(test)]
mod sample;
pub mod solid;
mod stiffness;
mod web;
mod work;

use contact::meet::Facing;
pub use contact::meet::Meeting;
pub(crate) use contact::meet::{Meetings, forget_body, meetings_beside, meetings_fit, most_stored, write_meetings};
pub(crate) use group::{Shared, advance};
pub use joint::{JointKind, JointSpec, Motor};
pub use params::{Connector, Drive, Fluid, LatticeSettings, LatticeSpec, Pace, Part, PointContact, Scheme, Site};

use std::sync::Arc;

use crate::account::Work;
use crate::body::{Surroundings, There, Vicinity};
use crate::bytes::stored;
use crate::contact::tree::Bounds;
use crate::counters::Counters;
use crate::derived::Derived;
use crate::error::{BuildError, StepError};
use crate::material::Material;
use crate::math::Vec3;
use crate::moments::Moments;
use crate::places::Shares;
use crate::team::Team;
use crate::world::move_up;
use change::Origin;
use contact::overlap::Face;
use contact::touch::{Law, POINT, Touch};
use flow::{Drag, drag};
use holds::{Held, Loaded, Push};
use integrate::{Balance, Motion};
use matter::Matter;
use work::Met;

/// A solid as particles and connectors.
#[derive(Clone, Debug)]
pub struct Lattice {
    name: String,
    /// What the body was built from.
    origin: Arc<Origin>,
    material: Material,
    matter: Matter,
    settings: LatticeSettings,
    derived: Vec<Derived>,
    total_mass: f64,
    /// Longest step for which the connectors are stable [s].
    stable: f64,
    /// Contact and friction law of the surface.
    contact: Law,
    /// Edge length of a cell, or a substitute if there are no cells [m].
    grain: f64,
    /// How long the body may stay deep inside an obstacle before a step fails [s].
    patience: f64,
    state: LatticeState,
    scratch: Scratch,
}

/// State of a body: everything that changes in a step.
#[derive(Clone, Debug, PartialEq)]
pub struct LatticeState {
    motion: Motion,
    /// Forces of the previous step [N].
    before: Vec<Vec3>,
    /// Length of the last step [s]; zero before the first.
    last: f64,
    /// Next step [s]; `None` before the first.
    tau: Option<f64>,
    /// Recent peak of the kinetic energy, fading with time [J].
    lately: f64,
    /// Whether forces have yet to be evaluated.
    fresh: bool,
    /// Contacts with obstacles, sorted.
    touches: Vec<Touch>,
    /// Contacts in the last world step, sorted, with the means of their forces.
    told: Vec<Touch>,
    /// How long it has been deeper in an obstacle than half a cell [s].
    pressed: f64,
    /// Particles held by grippers.
    held: Vec<Held>,
    /// Particles that loads act on.
    loaded: Vec<Loaded>,
    /// Forces of bodies of other models during the step.
    pushed: Vec<Push>,
    /// Obstacles touched in the last step.
    touched: Vec<usize>,
    /// Contact forces of other lattice bodies and of the body itself.
    met: Vec<Met>,
    /// Energy stored in contacts, which may be returned [J].
    stored: f64,
    /// Total drag of the fluid [N].
    dragged: Vec3,
    /// Where driven connectors and joints are at rest [rad or m].
    rests: Vec<f64>,
    ledger: Ledger,
}

/// Energy errors of the steps, and their counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ledger {
    /// Accepted steps.
    pub steps: u64,
    /// Rejected steps.
    pub refused: u64,
    /// Steps accepted in spite of their energy error, as they could not be made shorter.
    pub unbalanced: u64,
    /// World steps that took more steps than their budget.
    pub late: u64,
    /// Total energy error: energy created by the integration [J].
    pub error: f64,
    /// Energy error of the last step, as a velocity of the whole body [m/s].
    pub velocity_error: f64,
    /// Displacement in the step due to that velocity [m].
    pub position_error: f64,
    /// Shortest step so far [s]; infinite before the first.
    pub shortest: f64,
}

impl Default for Ledger {
    fn default() -> Self {
        Ledger {
            steps: 0,
            refused: 0,
            unbalanced: 0,
            late: 0,
            error: 0.0,
            velocity_error: 0.0,
            position_error: 0.0,
            shortest: f64::INFINITY,
        }
    }
}

#[derive(Clone, Debug)]
struct Scratch {
    /// Motion at the end of the trial step.
    next: Motion,
    /// Inverse masses [1/kg]; zero for particles held by a gripper.
    inverse: Vec<f64>,
    /// Grip that holds each particle, counted from one; zero if none.
    leaders: Vec<u32>,
    pushes: Vec<Push>,
    /// Contact forces of other lattice bodies and of the body itself at the end of the trial step.
    met: Vec<Met>,
    /// Total drag of the fluid at the end of the trial step [N].
    dragged: Vec3,
    /// Work done on the body so far in this world step.
    work: Work,
    /// Impulse on the particles of each gripper [N s].
    felt: Vec<Vec3>,
    balance: Balance,
    near: Vec<usize>,
    /// Pairs of obstacle and facet that may touch during the world step.
    candidates: Vec<[u32; 2]>,
    /// Contacts at the end of the trial step.
    touches: Vec<Touch>,
    /// Excess of the trapezoidal rule over the actual work of contacts that begin or end in the step [J].
    unseen: f64,
    /// Bounding boxes of facets over the world step.
    boxes: Vec<Bounds>,
    /// Facets at the start of the world step.
    facings: Vec<Facing>,
    /// Faces of the current obstacle, and their bounding boxes.
    outline: Vec<(Face, Bounds)>,
    shares: Shares,
    /// State before the step, for `undo`.
    before: LatticeState,
}

impl LatticeState {
    /// Copy another state into this one, reusing capacity.
    fn copy_from(&mut self, other: &LatticeState) {
        let LatticeState {
            motion,
            before,
            last,
            tau,
            lately,
            fresh,
            touches,
            told,
            pressed,
            held,
            loaded,
            pushed,
            touched,
            met,
            stored,
            dragged,
            rests,
            ledger,
        } = other;
        self.motion.copy_from(motion);
        self.before.clone_from(before);
        self.touches.clone_from(touches);
        self.told.clone_from(told);
        self.held.clone_from(held);
        self.loaded.clone_from(loaded);
        self.pushed.clone_from(pushed);
        self.touched.clone_from(touched);
        self.met.clone_from(met);
        self.rests.clone_from(rests);
        (self.last, self.tau, self.lately, self.fresh) = (*last, *tau, *lately, *fresh);
        (self.pressed, self.stored, self.dragged, self.ledger) = (*pressed, *stored, *dragged, *ledger);
    }
}

impl Lattice {
    /// Build a body; fails if a parameter is out of range or the mesh is unsound.
    pub fn new(name: &str, spec: LatticeSpec) -> Result<Lattice, BuildError> {
        spec.check(name)?;
        build::build(name, spec)
    }

    /// Prepare for a world step: find contact candidates and move driven joints.
    pub(crate) fn get_ready(&mut self, around: &Surroundings<'_>) {
        self.scratch.near.clear();
        self.scratch.near.extend_from_slice(around.near);
        self.find_candidates(around);
        let before = self.driven();
        // their values in the middle of the step
        let time = around.time + 0.5 * around.dt;
        self.matter.drive(time);
        self.state.rests.clear();
        self.state.rests.extend(self.matter.rests_now());
        self.scratch.work = Work { loads: self.driven() - before, ..Work::default() };
    }

    fn begin(&mut self) {
        self.scratch.felt.clear();
        self.state.told.clear();
    }

    /// Finish the steps of a world step: keep the next step length and note whether the budget was exceeded.
    fn end(&mut self, tau: f64, steps: usize) {
        self.state.tau = Some(tau);
        if let Pace::Adaptive { budget: Some(budget), .. } = self.settings.pace {
            self.state.ledger.late += u64::from(steps > budget);
        }
    }

    /// Evaluate forces at the end of the trial step, at fraction `f` of the world step.
    fn look(&mut self, team: &mut Team, around: &Surroundings<'_>, f: f64, tau: f64) {
        let Lattice { matter, settings, state, scratch, .. } = self;
        if state.fresh {
            scratch.next.places.clone_from(&state.motion.places);
            scratch.next.velocities.clone_from(&state.motion.velocities);
        }
        let Motion { places, velocities, forces } = &mut scratch.next;
        for (n, force) in forces.iter_mut().enumerate() {
            *force = (around.gravity - velocities[n] * settings.drag) * matter.masses[n];
        }
        let leaders = if state.held.is_empty() { &[][..] } else { &scratch.leaders };
        matter.push(team, leaders, places, velocities, forces);
        for push in scratch.pushes.iter().chain(&state.pushed) {
            forces[push.particle as usize] += push.force;
        }
        if let Some(Fluid { viscosity, quadratic, velocity }) = settings.fluid {
            let law = if quadratic { Drag::Quadratic(viscosity) } else { Drag::Linear(viscosity) };
            scratch.dragged = Vec3::ZERO;
            for facet in &matter.facets {
                let ids = facet.map(|n| n as usize);
                let force = drag(&ids.map(|n| places[n]), &ids.map(|n| velocities[n]), velocity, law);
                ids.into_iter().for_each(|n| forces[n] += force);
                scratch.dragged += 3.0 * force;
            }
        }
        self.touch(around, f, tau);
    }

    /// Use the forces just evaluated as those of the initial state, if it has none yet.
    fn begin_with_forces(&mut self) {
        if self.state.fresh {
            self.state.motion.forces.clone_from(&self.scratch.next.forces);
            self.state.fresh = false;
        }
    }

    /// Check the result of a world step. Fails if it has diverged or is pressed too deep into an obstacle.
    pub(crate) fn check(&mut self, around: &Surroundings<'_>) -> Result<(), StepError> {
        let Motion { places, velocities, .. } = &self.state.motion;
        let time = around.time + around.dt;
        for (i, (place, velocity)) in places.iter().zip(velocities).enumerate() {
            StepError::check_place(&self.name, time, *place, || format!("particle {i}"))?;
            if !velocity.is_finite() {
                let quantity = format!("the velocity of particle {i} [m/s]");
                return Err(StepError::Diverged { body: self.name.clone(), time, quantity, value: velocity.length() });
            }
        }
        self.check_pressed(around, time)
    }

    /// Report the loads of grips, and which obstacles were touched.
    pub(crate) fn finish(&mut self, around: &mut Surroundings<'_>) {
        self.write_loads(around);
        let Lattice { state: LatticeState { told, touched, .. }, scratch, .. } = self;
        told.iter_mut().for_each(|touch| touch.force /= around.dt);
        let touching = |obstacle: usize| told.iter().any(|t| t.key[0] as usize == obstacle);
        around.note_touching(touched, &scratch.near, touching, touching);
    }

    /// Keep the contacts of a step of this length: what they push in it is the mean of its start and its end.
    fn keep_contacts(&mut self, tau: f64) {
        let LatticeState { touches, told, .. } = &mut self.state;
        for (list, ends) in [(&*touches, false), (&self.scratch.touches, true)] {
            for touch in list.iter().filter(|touch| ends || touch.force != Vec3::ZERO) {
                let impulse = touch.force * (0.5 * tau);
                match told.binary_search_by_key(&touch.key, |known| known.key) {
                    Ok(at) if ends => told[at] = Touch { force: told[at].force + impulse, ..*touch },
                    Ok(at) => told[at].force += impulse,
                    Err(at) => told.insert(at, Touch { force: impulse, ..*touch }),
                }
            }
        }
        std::mem::swap(touches, &mut self.scratch.touches);
    }

    pub(crate) fn vicinity(&self, dt: f64, gravity: Vec3, pulled: f64) -> Vicinity {
        let (mut low, mut high, mut fastest) = (Vec3::INFINITY, Vec3::NEG_INFINITY, pulled * pulled);
        for (place, velocity) in self.state.motion.places.iter().zip(&self.state.motion.velocities) {
            (low, high) = (low.min(*place), high.max(*place));
            fastest = fastest.max(velocity.length_squared());
        }
        let travel = 2.0 * dt * (fastest.sqrt() + gravity.length() * dt);
        Vicinity { low, high, reach: travel, horizon: 0.0 }
    }

    /// Mass, centre of mass and inertia of the particles.
    pub(crate) fn moments(&self) -> Moments {
        Moments::of_points(&self.state.motion.places, &self.matter.masses)
    }

    /// Name of the body.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of particles.
    pub fn size(&self) -> usize {
        self.matter.size()
    }

    /// Parameters derived from material and settings.
    pub fn derived(&self) -> &[Derived] {
        &self.derived
    }

    /// Estimated number of steps in a world step of `dt` [s], from the stability of the connectors.
    pub fn expected_steps(&self, dt: f64) -> f64 {
        match self.settings.pace {
            Pace::Constant { step } => dt / step,
            Pace::Adaptive { .. } => dt / self.stable,
        }
    }

    /// Solver statistics since the body was built; all attempted steps count as iterations.
    pub fn counters(&self) -> Counters {
        let Ledger { steps, refused, late, .. } = self.state.ledger;
        Counters { steps, iterations: steps + refused, limit_hits: late }
    }

    /// Energy errors of the steps, and their counts.
    pub fn ledger(&self) -> &Ledger {
        &self.state.ledger
    }

    /// Length of the next step [s]; `None` before the first.
    pub fn next_step(&self) -> Option<f64> {
        self.state.tau
    }

    /// Facets of the surface, as indices of particles.
    pub fn facets(&self) -> &[[u32; 3]] {
        &self.matter.facets
    }

    /// Name of each joint between its parts, and whether it slides.
    pub fn joints(&self) -> impl Iterator<Item = (&str, bool)> {
        self.matter.joints.iter().map(joint::Joint::layout)
    }

    /// Masses of the particles [kg].
    pub fn masses(&self) -> &[f64] {
        &self.matter.masses
    }

    /// Positions of the particles, in the world [m].
    pub fn places(&self) -> &[Vec3] {
        &self.state.motion.places
    }

    /// Velocities of the particles, in the world [m/s].
    pub fn velocities(&self) -> &[Vec3] {
        &self.state.motion.velocities
    }

    pub(crate) fn state(&self) -> &LatticeState {
        &self.state
    }

    pub(crate) fn fits(&self, state: &LatticeState, there: &There) -> bool {
        let (Motion { places, velocities, forces }, size) = (&state.motion, self.matter.size());
        let is_here = |particle: u32| (particle as usize) < size;
        let touches = |touch: &Touch| {
            let [obstacle, n, part] = touch.key.map(|index| index as usize);
            obstacle < there.obstacles && n < if part == POINT as usize { size } else { self.matter.facets.len() }
        };
        [places.len(), velocities.len(), forces.len(), state.before.len()] == [size; 4]
            && state.rests.len() == self.state.rests.len()
            && state.rests.iter().all(|rest| rest.is_finite())
            && there.are_obstacles(state.touched.iter())
            && state.tau.is_none_or(|tau| tau > 0.0)
            && [&state.touches, &state.told]
                .iter()
                .all(|list| list.iter().all(touches) && list.is_sorted_by_key(|touch| touch.key))
            && state.held.iter().all(|held| is_here(held.particle) && held.grip < there.grips)
            && state.loaded.iter().all(|loaded| is_here(loaded.particle))
            && state.pushed.iter().all(|push| is_here(push.particle))
            && state.met.iter().all(|met| is_here(met.particle))
    }

    /// Whether it has this facet.
    pub(crate) fn has_facet(&self, facet: u32) -> bool {
        (facet as usize) < self.matter.facets.len()
    }

    /// Forget a removed obstacle; the indices of those after it drop by one.
    pub(crate) fn forget_obstacle(&mut self, gone: usize) {
        move_up(&mut self.state.touched, gone);
        for touches in [&mut self.state.touches, &mut self.state.told] {
            touches.retain(|touch| touch.key[0] as usize != gone);
            touches.iter_mut().filter(|t| t.key[0] as usize > gone).for_each(|t| t.key[0] -= 1);
        }
    }

    pub(crate) fn save(&self, to: &mut LatticeState) {
        to.copy_from(&self.state);
    }

    pub(crate) fn set_state(&mut self, state: &LatticeState) {
        self.state.copy_from(state);
        self.matter.set_rests(&self.state.rests);
    }

    pub(crate) fn keep(&mut self) {
        self.scratch.before.copy_from(&self.state);
    }

    pub(crate) fn undo(&mut self) {
        self.state.copy_from(&self.scratch.before);
        self.matter.set_rests(&self.state.rests);
    }

    pub(crate) fn reserve(&mut self, grips: usize, loads: usize, obstacles: usize) {
        self.state.pushed.reserve(3 * loads.saturating_sub(self.state.pushed.len()));
        self.reserve_holds(grips, loads);
        self.reserve_contacts(obstacles);
        self.scratch.near.reserve(obstacles);
        self.state.touched.reserve(obstacles);
        let size = self.matter.size();
        self.scratch.felt.reserve(size.min(100_000));
        let Lattice { state, scratch: Scratch { before, .. }, .. } = self;
        before.pushed.reserve(state.pushed.capacity().saturating_sub(before.pushed.len()));
        before.touched.reserve(obstacles);
        before.touches.reserve(state.touches.capacity().saturating_sub(before.touches.len()));
        before.told.reserve(state.told.capacity().saturating_sub(before.told.len()));
    }

    /// Preallocate for grips and loads on any of its particles.
    fn reserve_holds(&mut self, grips: usize, loads: usize) {
        let size = self.matter.size();
        let Lattice { state, scratch, .. } = self;
        let room = |count: usize| (size * count).min(ROOM);
        for held in [&mut state.held, &mut scratch.before.held] {
            held.reserve(room(grips).saturating_sub(held.len()));
        }
        for loaded in [&mut state.loaded, &mut scratch.before.loaded] {
            loaded.reserve(room(loads).saturating_sub(loaded.len()));
        }
        scratch.pushes.reserve(room(loads).saturating_sub(scratch.pushes.len()));
        scratch.shares.reserve(room(loads.min(1)));
    }

    /// Preallocate for contacts of its facets with obstacles.
    fn reserve_contacts(&mut self, obstacles: usize) {
        let room = (self.matter.facets.len() * obstacles).min(ROOM);
        let Lattice { state, scratch, .. } = self;
        scratch.candidates.reserve(room.saturating_sub(scratch.candidates.len()));
        let LatticeState { touches: before, told: told_before, .. } = &mut scratch.before;
        for touches in [&mut state.touches, &mut state.told, &mut scratch.touches, before, told_before] {
            touches.reserve(room.saturating_sub(touches.len()));
        }
    }
}

/// Limit on the number of held particles, and of contacts, that memory is preallocated for.
const ROOM: usize = 4096;

stored!(Ledger { steps, refused, unbalanced, late, error, velocity_error, position_error, shortest });
stored!(LatticeState {
    motion,
    before,
    last,
    tau,
    lately,
    fresh,
    touches,
    told,
    pressed,
    held,
    loaded,
    pushed,
    touched,
    met,
    stored,
    dragged,
    rests,
    ledger,
});
