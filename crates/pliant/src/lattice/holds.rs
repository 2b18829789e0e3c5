//! What holds and loads a body: particles that go where a gripper leads them, and dead forces.

use super::solid::Moments;
use super::{Lattice, LatticeState};
use crate::body::Surroundings;
use crate::error::BuildError;
use crate::grip::{Grip, Load, Place, Wrench};
use crate::math::{Pose, Vec3};

/// A particle that a gripper leads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Index of the grip in the world.
    pub grip: usize,
    /// The particle.
    pub particle: u32,
    /// Where it is in the gripper's frame [m].
    pub offset: Vec3,
}

/// A particle that a load acts on: it takes it along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loaded {
    /// Index of the load in the world.
    pub load: usize,
    /// The particle.
    pub particle: u32,
    /// Its part of the force.
    pub part: f64,
}

/// A dead force on a particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// The particle.
    pub particle: u32,
    /// Force [N].
    pub force: Vec3,
}

/// The vector w for which forces m (w x r) on points of mass m, at r from their centre, have a torque; zero if they have none
/// such, as points on a line.
pub(super) fn turn_for(torque: Vec3, points: &Moments) -> Vec3 {
    let turn = points.inertia.inverse() * torque;
    if torque != Vec3::ZERO && turn.is_finite() { turn } else { Vec3::ZERO }
}

impl Lattice {
    /// Particles of a place: all in a box, or the one that is nearest.
    fn particles_at(&self, place: Place) -> Vec<u32> {
        let places = &self.state.motion.places;
        let nearest = |point: Vec3| {
            let distance = |n: &u32| (places[*n as usize] - point).length_squared();
            (0..places.len() as u32).min_by(|a, b| distance(a).total_cmp(&distance(b))).into_iter().collect()
        };
        match place {
            Place::Node(node) => vec![node as u32],
            Place::Point(point) => nearest(point),
            Place::Box { low, high } => {
                let inside = |n: &u32| {
                    let p = places[*n as usize];
                    p.cmpge(low).all() && p.cmple(high).all()
                };
                (0..places.len() as u32).filter(inside).collect()
            }
            // of the particles in order; beyond the ends, the last
            Place::Fraction(fraction) => {
                let last = places.len().saturating_sub(1) as f64;
                vec![(fraction * last).round().clamp(0.0, last) as u32]
            }
        }
    }

    pub(crate) fn place_pose(&self, place: Place) -> Result<Pose, BuildError> {
        let (size, body) = (self.matter.size(), || self.name.clone());
        if let Place::Node(node) = place
            && node >= size
        {
            let why = format!("its particles are 0 to {}", size - 1);
            return Err(BuildError::NoSuchPlace { body: body(), place: format!("node {node}"), why });
        }
        let found = self.particles_at(place);
        if found.is_empty() {
            let why = "none of its particles is there now".into();
            return Err(BuildError::NoSuchPlace { body: body(), place: "the box".into(), why });
        }
        let sum: Vec3 = found.iter().map(|n| self.state.motion.places[*n as usize]).sum();
        Ok(Pose::from_translation(sum / found.len() as f64))
    }

    pub(crate) fn prepare(&mut self, index: usize, time: f64, grips: &[Grip], loads: &[Load]) {
        self.forget_pushes();
        let closed = |grip: usize| grips.get(grip).is_some_and(|g| g.anchor.is_some() && g.params.body == index);
        self.state.held.retain(|held| closed(held.grip));
        for (n, grip) in grips.iter().enumerate().filter(|(n, _)| closed(*n)) {
            let Some(anchor) = grip.anchor.filter(|_| !self.state.held.iter().any(|h| h.grip == n)) else { continue };
            let found = self.particles_at(grip.params.place);
            let middle = found.iter().map(|n| self.state.motion.places[*n as usize]).sum::<Vec3>() / found.len() as f64;
            for particle in found {
                // a grip turns its place as a whole
                let offset =
                    anchor.position + anchor.orientation * (self.state.motion.places[particle as usize] - middle);
                self.state.held.push(Held { grip: n, particle, offset });
            }
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
            // it stays with the particles that are at its place when it begins
            if !self.state.loaded.iter().any(|loaded| loaded.load == n) {
                self.take_load(n, load.place);
            }
            self.spread(n, load.force, load.torque);
        }
    }

    /// Which particles a load acts on, by the area of the surface that they carry.
    fn take_load(&mut self, load: usize, place: Place) {
        let (found, places) = (self.particles_at(place), &self.state.motion.places);
        let mut areas = vec![0.0; found.len()];
        let at = |n: u32| found.binary_search(&n).ok();
        for facet in &self.matter.facets {
            let [Some(a), Some(b), Some(c)] = facet.map(at) else { continue };
            let [p, q, r] = facet.map(|n| places[n as usize]);
            let area = (q - p).cross(r - p).length();
            [a, b, c].into_iter().for_each(|n| areas[n] += area);
        }
        let mut sum: f64 = areas.iter().sum();
        if sum == 0.0 {
            areas.fill(1.0);
            sum = found.len() as f64;
        }
        let loaded = found.into_iter().zip(areas).map(|(particle, area)| Loaded { load, particle, part: area / sum });
        self.state.loaded.extend(loaded);
    }

    /// Share a force and a torque out among the particles of a load: the torque by forces across their arms.
    fn spread(&mut self, load: usize, force: Vec3, torque: Vec3) {
        let LatticeState { motion, loaded, .. } = &self.state;
        let own = || loaded.iter().filter(|l| l.load == load).map(|l| (motion.places[l.particle as usize], l));
        let moments = Moments::of_pairs(own().map(|(place, l)| (place, l.part)));
        let turn = turn_for(torque, &moments);
        for (place, l) in own() {
            let force = (force + turn.cross(place - moments.centre)) * l.part;
            self.scratch.pushes.push(Push { particle: l.particle, force });
        }
    }

    /// Where held particles go, at a fraction of the step of the world.
    pub(super) fn lead(&mut self, around: &Surroundings<'_>, f: f64) {
        let next = &mut self.scratch.next;
        let (mut grip, mut pose, mut rates) = (usize::MAX, Pose::IDENTITY, [Vec3::ZERO; 2]);
        for held in &self.state.held {
            if held.grip != grip {
                grip = held.grip;
                let sweep = &around.grippers[around.grips[grip].params.gripper].sweep;
                (pose, rates) = (sweep.at(f), sweep.rates(around.dt));
            }
            let arm = pose.transform_vector(held.offset);
            next.places[held.particle as usize] = pose.translation + arm;
            next.velocities[held.particle as usize] = rates[0] + rates[1].cross(arm);
        }
    }

    /// What held particles exert on their grippers during a step of `tau`: the forces on them, less what moves them.
    pub(super) fn feel(&mut self, tau: f64) {
        let Lattice { matter, state, scratch, .. } = self;
        scratch.felt.resize(state.held.len(), Vec3::ZERO);
        for (held, felt) in state.held.iter().zip(&mut scratch.felt) {
            let n = held.particle as usize;
            let moved = (scratch.next.velocities[n] - state.motion.velocities[n]) * matter.masses[n];
            *felt += (state.motion.forces[n] + scratch.next.forces[n]) * (0.5 * tau) - moved;
        }
    }

    /// Write the loads of grips, means over the step of the world.
    pub(super) fn write_loads(&mut self, around: &mut Surroundings<'_>) {
        for (held, felt) in self.state.held.iter().zip(&self.scratch.felt) {
            let grip = &mut around.grips[held.grip];
            let origin = around.grippers[grip.params.gripper].sweep.end.translation;
            let force = *felt / around.dt;
            let arm = self.state.motion.places[held.particle as usize] - origin;
            grip.load += Wrench { force, torque: arm.cross(force) };
        }
    }
}
