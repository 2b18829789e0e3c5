//! Grips and loads of a body: particles that follow a gripper, and dead forces.

use super::integrate::Motion;
use super::{Lattice, LatticeState};
use crate::body::Surroundings;
use crate::bytes::stored;
use crate::error::BuildError;
use crate::grip::{ActingLoad, Grip, Place, Wrench};
use crate::math::{Pose, Vec3};
use crate::places::{Spread, find_nodes, led, mean_pose, nodes_at};

/// A particle held by a gripper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Index of the grip in the world.
    pub grip: usize,
    /// Index of the particle.
    pub particle: u32,
    /// Position in the gripper's frame [m].
    pub offset: Vec3,
}

/// A particle that a load acts on; the load moves with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loaded {
    /// Index of the load in the world.
    pub load: usize,
    /// Index of the particle.
    pub particle: u32,
    /// Its fraction of the force [-].
    pub part: f64,
}

/// A dead force on a particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// Index of the particle.
    pub particle: u32,
    /// Force [N].
    pub force: Vec3,
}

impl Lattice {
    pub(crate) fn place_pose(&self, place: Place) -> Result<Pose, BuildError> {
        let places = &self.state.motion.places;
        Ok(mean_pose(find_nodes(&self.name, "its particles", place, places)?, places))
    }

    pub(crate) fn prepare(&mut self, index: usize, time: f64, grips: &[Grip], loads: &[ActingLoad]) {
        self.forget_pushes();
        let closed = |grip: usize| grips.get(grip).is_some_and(|g| g.anchor.is_some() && g.body == index);
        self.state.held.retain(|held| closed(held.grip));
        for (n, grip) in grips.iter().enumerate().filter(|(n, _)| closed(*n)) {
            let Some(anchor) = grip.anchor.filter(|_| !self.state.held.iter().any(|h| h.grip == n)) else { continue };
            let LatticeState { motion: Motion { places, .. }, held, .. } = &mut self.state;
            let found = nodes_at(grip.params.place, places);
            held.extend(led(found, places, anchor).map(|(particle, offset)| Held { grip: n, particle, offset }));
        }
        let inverse = &mut self.scratch.inverse;
        inverse.iter_mut().zip(&self.matter.masses).for_each(|(inverse, mass)| *inverse = 1.0 / mass);
        self.state.held.iter().for_each(|held| inverse[held.particle as usize] = 0.0);
        let leaders = &mut self.scratch.leaders;
        leaders.fill(0);
        self.state.held.iter().for_each(|held| leaders[held.particle as usize] = held.grip as u32 + 1);
        let acts = |load: usize| loads.get(load).is_some_and(|l| l.body == index && l.acts_at(time));
        self.state.loaded.retain(|loaded| acts(loaded.load));
        self.scratch.pushes.clear();
        for (n, load) in loads.iter().enumerate().filter(|(n, _)| acts(*n)) {
            // a load stays with the particles that are at its place when it starts
            if !self.state.loaded.iter().any(|loaded| loaded.load == n) {
                self.take_load(n, load.place);
            }
            self.spread(n, load.force, load.torque);
        }
    }

    /// Choose the particles that a load acts on, weighted by their surface area.
    fn take_load(&mut self, load: usize, place: Place) {
        let LatticeState { motion: Motion { places, .. }, loaded, .. } = &mut self.state;
        let shares = self.scratch.shares.find(place, places, &self.matter.facets, places);
        loaded.extend(shares.map(|(particle, part)| Loaded { load, particle, part }));
    }

    /// Distribute a force and a torque over the particles of a load, at their current positions.
    fn spread(&mut self, load: usize, force: Vec3, torque: Vec3) {
        let LatticeState { motion, loaded, .. } = &self.state;
        let own = loaded.iter().filter(|l| l.load == load).map(|l| (motion.places[l.particle as usize], l));
        let spread = Spread::new(force, torque, own.clone().map(|(place, l)| (place, l.part)));
        let push = |(place, l): (Vec3, &Loaded)| Push { particle: l.particle, force: spread.at(place, l.part) };
        self.scratch.pushes.extend(own.map(push));
    }

    /// Move held particles to their positions at a fraction of the world step.
    pub(super) fn lead(&mut self, around: &Surroundings<'_>, f: f64) {
        let next = &mut self.scratch.next;
        let (mut grip, mut pose, mut rates) = (usize::MAX, Pose::IDENTITY, [Vec3::ZERO; 2]);
        for held in &self.state.held {
            if held.grip != grip {
                grip = held.grip;
                let sweep = &around.grippers[around.grips[grip].gripper].sweep;
                (pose, rates) = (sweep.at(f), sweep.rates(around.dt));
            }
            let arm = pose.transform_vector(held.offset);
            next.places[held.particle as usize] = pose.translation + arm;
            next.velocities[held.particle as usize] = rates[0] + rates[1].cross(arm);
        }
    }

    /// Add up the impulse of held particles on their grippers in a step of `tau` [s]: the forces on them, less what
    /// accelerates them.
    pub(super) fn feel(&mut self, tau: f64) {
        let Lattice { matter, state, scratch, .. } = self;
        scratch.felt.resize(state.held.len(), Vec3::ZERO);
        for (held, felt) in state.held.iter().zip(&mut scratch.felt) {
            let n = held.particle as usize;
            let moved = (scratch.next.velocities[n] - state.motion.velocities[n]) * matter.masses[n];
            *felt += (state.motion.forces[n] + scratch.next.forces[n]) * (0.5 * tau) - moved;
        }
    }

    /// Write the loads of grips, averaged over the world step.
    pub(super) fn write_loads(&mut self, around: &mut Surroundings<'_>) {
        for (held, felt) in self.state.held.iter().zip(&self.scratch.felt) {
            let grip = &mut around.grips[held.grip];
            // halfway through the step
            let middle = around.grippers[grip.gripper].sweep.at(0.5);
            let place = middle.transform_point(held.offset);
            grip.load += Wrench::at(place, *felt / around.dt, Vec3::ZERO, middle.translation);
        }
    }
}

stored!(Held { grip, particle, offset });
stored!(Loaded { load, particle, part });
stored!(Push { particle, force });
