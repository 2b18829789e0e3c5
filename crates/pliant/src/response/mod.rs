//! The model `response`: an elastic solid described by its impulse responses, after Tagawa, Hirota and Hirose, "A study
//! on haptic interaction and simulation of motion and deformation of elastic object".
//!
//! The solid is linear, so the effects of past forces and the immediate effect of a present force add up, (6). It moves
//! as a rigid body and deforms in a frame that moves with it. Only forces at points that are held or touched are solved
//! for, whatever the size of the mesh; the surface is computed from them on demand.

mod answers;
mod basis;
mod beyond;
mod change;
mod fingers;
mod firm;
mod guess;
mod holds;
mod motion;
mod near;
mod oscillator;
mod params;
mod past;
mod react;
mod report;
mod rows;
#[cfg(test)]
mod sample;
mod shell;
mod solid;
mod solve;
mod spin;
mod step;
mod touch;
mod undo;
mod valleys;

pub use basis::{Basis, Compliance, Hull, Numbers, Records};
pub use motion::Motion;
pub use oscillator::{Oscillator, Scheme};
pub use params::{Damping, Elasticity, Known, ResponseSettings, ResponseSpec};
pub use report::Shape;

use std::sync::Arc;

use crate::account::Work;
use crate::body::{There, Vicinity};
use crate::bytes::stored;
use crate::counters::Counters;
use crate::derived::Derived;
use crate::error::BuildError;
use crate::kernel::Kernel;
use crate::material::Friction;
use crate::math::{Mat3, Pose, Vec3};
use crate::moments::Moments;
use crate::places::Shares;
use crate::world::move_up;
use answers::Answers;
use near::Watch;
use past::{Ahead, Past};
use solid::{Form, Solid};
use touch::{By, Slots, Spot, Touch};
use undo::Before;

/// An elastic solid described by its impulse responses.
#[derive(Clone, Debug)]
pub struct Response {
    name: String,
    solid: Arc<Solid>,
    settings: ResponseSettings,
    friction: Friction,
    derived: Vec<Derived>,
    kernel: Kernel,
    answers: Answers,
    state: ResponseState,
    scratch: Scratch,
}

/// State of a body: everything that changes in a step.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseState {
    motion: Motion,
    past: Past,
    /// Points that are held, pushed or in contact, in the order in which they are solved.
    touches: Vec<Touch>,
    /// Forces of the last step, in the body's frame [N].
    acting: Vec<(Spot, Vec3)>,
    watch: Watch,
    /// Obstacles touched in the last step.
    touched: Vec<usize>,
    /// Energy in the quasi-static part of the deformation [J].
    stored: f64,
    counters: Counters,
}

impl ResponseState {
    /// Copy another state into this one, reusing capacity.
    fn copy_from(&mut self, other: &ResponseState) {
        let ResponseState { motion, past, touches, acting, watch, touched, stored, counters } = other;
        self.past.copy_from(past);
        self.touches.clone_from(touches);
        self.acting.clone_from(acting);
        self.watch.copy_from(watch);
        self.touched.clone_from(touched);
        (self.motion, self.stored, self.counters) = (*motion, *stored, *counters);
    }
}

#[derive(Clone, Debug)]
struct Scratch {
    /// Motion at the end of the step if only gravity acted.
    free: Motion,
    ahead: Ahead,
    slots: Slots,
    /// Nodes that may be in contact.
    found: Vec<u32>,
    /// Further facets that smooth fingers touch, each with the index of the finger's obstacle.
    beside: Vec<(usize, u32)>,
    /// Nodes of the surface in the world, while grips and loads find theirs.
    surface: Vec<Vec3>,
    shares: Shares,
    before: Before,
    /// Work done on the body so far in this step.
    work: Work,
    /// Length of that step [s].
    lasted: f64,
}

/// Number of contact points that space is preallocated for; more are possible, but then allocate.
const ROOM: usize = 64;

impl Response {
    /// Build a body; fails if the modes or responses are incomplete or a parameter is out of range.
    pub fn new(name: &str, spec: ResponseSpec) -> Result<Response, BuildError> {
        spec.check(name)?;
        let ResponseSpec { solid: known, friction, placed, velocity, spin, mut settings } = spec;
        let (centre, size) = match &known {
            Known::Modes(basis) => (basis.hull.centre, basis.squares.len()),
            Known::Records(records) => {
                settings.sample = records.sample;
                (records.hull.centre, 0)
            }
        };
        let solid = Solid::new(name, known, &settings)?;
        let arm = placed.rotation * centre;
        let motion = Motion {
            place: placed.translation + arm,
            turn: placed.rotation,
            velocity: velocity + spin.cross(arm),
            momentum: placed.rotation * (solid.inertia * (placed.rotation.inverse() * spin)),
        };
        let kernel = Kernel::default();
        let modes = match &solid.form {
            Form::Modes(modes) => modes.count,
            Form::Records(_) => 0,
        };
        let mut slots = Slots::default();
        slots.reserve(ROOM, modes);
        let nodes = solid.shell.nodes.len();
        let state = ResponseState {
            motion,
            past: Past::new(&solid),
            touches: Vec::with_capacity(ROOM),
            acting: Vec::with_capacity(ROOM),
            watch: Watch::new(nodes),
            touched: vec![],
            stored: 0.0,
            counters: Counters::default(),
        };
        let (found, beside) = (Vec::with_capacity(nodes), Vec::with_capacity(ROOM));
        let before = Before::of(&state);
        let scratch = Scratch {
            free: motion,
            ahead: Ahead::new(modes),
            slots,
            found,
            beside,
            surface: vec![],
            shares: Shares::default(),
            before,
            work: Work::default(),
            lasted: 0.0,
        };
        let answers = Answers::new(kernel, &solid, settings.sample);
        let derived = report::derived(&solid, size);
        let solid = Arc::new(solid);
        Ok(Response { name: name.into(), solid, settings, friction, derived, kernel, answers, state, scratch })
    }

    /// Mass, centre of mass and inertia of the undeformed body, in the world.
    pub(crate) fn moments(&self) -> Moments {
        let turn = Mat3::from_quat(self.state.motion.turn);
        let inertia = turn * self.solid.inertia * turn.transpose();
        Moments { volume: self.solid.mass, centre: self.state.motion.place, inertia }
    }

    /// Nominal length of a model step [s]; the actual one divides the world step evenly.
    pub fn sample(&self) -> f64 {
        self.settings.sample
    }

    /// Name of the body.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of surface nodes.
    pub fn size(&self) -> usize {
        self.solid.shell.nodes.len()
    }

    /// Number of modes in use; zero with recorded responses.
    pub fn modes(&self) -> usize {
        match &self.solid.form {
            Form::Modes(modes) => modes.count,
            Form::Records(_) => 0,
        }
    }

    /// Parameters derived from the modes or responses.
    pub fn derived(&self) -> &[Derived] {
        &self.derived
    }

    /// Solver statistics since the body was built.
    pub fn counters(&self) -> Counters {
        self.state.counters
    }

    /// Mass [kg].
    pub fn mass(&self) -> f64 {
        self.solid.mass
    }

    /// Rigid-body motion of the solid.
    pub fn motion(&self) -> &Motion {
        &self.state.motion
    }

    /// Facets of the surface, as indices of nodes.
    pub fn facets(&self) -> &[[u32; 3]] {
        &self.solid.shell.facets
    }

    /// Pose in the world of the body's frame, in which displacements of nodes are given; its origin is the centre of
    /// mass.
    pub fn world_from_body(&self) -> Pose {
        self.state.motion.world_from_body()
    }

    /// Position of a node at the end of the step if only gravity acted, in the world [m].
    fn free_place(&self, node: usize) -> Vec3 {
        let Scratch { free, ahead, .. } = &self.scratch;
        let moved = self.state.past.free(self.kernel, &self.solid, ahead, node);
        free.place + free.turn * (self.solid.shell.nodes[node] + moved)
    }

    pub(crate) fn vicinity(&self, dt: f64, gravity: Vec3, pulled: f64) -> Vicinity {
        let motion = &self.state.motion;
        let bulge = match &self.solid.form {
            Form::Modes(modes) => {
                modes.reach * (self.state.past.size(self.kernel) + dt * self.state.past.speed(self.kernel))
            }
            // no bound is known; the size of the solid serves as one
            Form::Records(_) => self.solid.shell.radius,
        };
        let size = self.solid.shell.radius + bulge;
        let (low, high) = (motion.place - size, motion.place + size);
        let speed = motion.velocity.length().max(pulled) + self.solid.falls(gravity).length() * dt;
        Vicinity { low, high, reach: 2.0 * dt * speed + self.solid.shell.edges[0], horizon: 0.0 }
    }

    pub(crate) fn state(&self) -> &ResponseState {
        &self.state
    }

    pub(crate) fn fits(&self, state: &ResponseState, there: &There) -> bool {
        let is_here = |spot: &Spot| {
            spot.nodes.iter().all(|node| (*node as usize) < self.size())
                && spot.parts().all(|(node, _)| self.takes_force(node as u32))
        };
        let touches = |touch: &Touch| {
            let by = match touch.by {
                By::Obstacle(index) => index < there.obstacles,
                By::Grip(index) => index < there.grips,
                By::Load(_) | By::Body => true,
            };
            by && is_here(&touch.spot)
                && touch.facet.is_none_or(|facet| (facet as usize) < self.solid.shell.facets.len())
        };
        let still = state.motion.velocity == Vec3::ZERO && state.motion.momentum == Vec3::ZERO;
        (still || !self.solid.is_fixed())
            && state.past.fits(&self.state.past)
            && state.watch.fits(self.size(), there)
            && there.are_obstacles(state.touched.iter())
            && state.touches.iter().all(touches)
            && state.acting.iter().all(|(spot, _)| is_here(spot))
    }

    /// Forget a removed obstacle; the indices of those after it drop by one.
    pub(crate) fn forget_obstacle(&mut self, gone: usize) {
        move_up(&mut self.state.touched, gone);
        self.state.touches.retain(|touch| touch.by != By::Obstacle(gone));
        for touch in &mut self.state.touches {
            if let By::Obstacle(index) = &mut touch.by {
                *index -= usize::from(*index > gone);
            }
        }
        self.state.watch.begin_again();
    }

    pub(crate) fn save(&self, to: &mut ResponseState) {
        to.copy_from(&self.state);
    }

    pub(crate) fn set_state(&mut self, state: &ResponseState) {
        self.state.copy_from(state);
    }

    pub(crate) fn reserve(&mut self, grips: usize, loads: usize, obstacles: usize) {
        self.state.watch.reserve(obstacles);
        self.state.touched.reserve(obstacles);
        let room = (ROOM + grips + loads + obstacles).min(10_000);
        self.state.touches.reserve(room);
        self.state.acting.reserve(room);
        self.scratch.surface.reserve(self.size());
        self.scratch.shares.reserve(self.size());
        self.scratch.before.reserve(&self.state, obstacles);
    }
}

stored!(ResponseState { motion, past, touches, acting, watch, touched, stored, counters });
