//! Work done on a body in a step, and the energy that its steps may create.
//!
//! Contact energy has no closed form: it is the work done against contact forces and not yet returned, limited to what
//! these forces could return on the way out. Anything returned beyond that counts as created.

use super::contact::touch::{POINT, Touch};
use super::{Fluid, Lattice, Pace};
use crate::account::{Bound, Work};
use crate::bytes::stored;
use crate::math::Vec3;

/// Force of a body of this model on a particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Met {
    /// Index of the particle.
    pub particle: u32,
    /// Force [N].
    pub force: Vec3,
    /// Whether it is self-contact.
    pub itself: bool,
}

impl Lattice {
    /// Count the work of a step of `tau` [s], by the trapezoidal rule as in its energy balance.
    pub(super) fn count_work(&mut self, tau: f64) {
        let Lattice { matter, settings, state, scratch, .. } = self;
        let (now, next) = (&state.motion, &scratch.next);
        let way = |n: usize| next.places[n] - now.places[n];
        let mut work = Work::default();
        for held in &state.held {
            let n = held.particle as usize;
            let (v, w) = (now.velocities[n], next.velocities[n]);
            // held particles start a step with a velocity jump: the work of the impulse is that at the mean velocity
            let gain = 0.5 * matter.masses[n] * (w - v).dot(w + v);
            work.grips += gain - 0.5 * (now.forces[n] + next.forces[n]).dot(way(n));
        }
        work.loads += scratch.pushes.iter().map(|push| push.force.dot(way(push.particle as usize))).sum::<f64>();
        work.bodies += state.pushed.iter().map(|push| push.force.dot(way(push.particle as usize))).sum::<f64>();
        if let Some(Fluid { velocity, .. }) = settings.fluid {
            work.loads += 0.5 * tau * (state.dragged + scratch.dragged).dot(velocity);
        }
        let mut taken = 0.0;
        for met in state.met.iter().chain(&scratch.met) {
            let done = 0.5 * met.force.dot(way(met.particle as usize));
            *(if met.itself { &mut taken } else { &mut work.bodies }) += if met.itself { -done } else { done };
        }
        for touch in state.touches.iter().chain(&scratch.touches) {
            let [_, n, part] = touch.key;
            let ids = if part == POINT { [n; 3] } else { matter.facets[n as usize] };
            let own: Vec3 = ids.iter().zip(touch.parts).map(|(n, part)| way(*n as usize) * part).sum();
            let led = touch.carried * tau;
            work.obstacles += 0.5 * touch.force.dot(led);
            taken -= 0.5 * touch.force.dot(own - led);
        }
        let most = |touch: &Touch| touch.force.length() * (touch.depth + touch.stick.offset.length());
        let most: f64 = scratch.touches.iter().map(most).sum();
        let itself = scratch.met.iter().any(|met| met.itself);
        state.stored = (state.stored + taken).clamp(0.0, if itself { f64::INFINITY } else { most.max(0.0) });
        scratch.work += work;
    }

    /// Energy of the driven angle connectors and joints [J].
    pub(super) fn driven(&self) -> f64 {
        let place = |n: u32| self.state.motion.places[n as usize];
        let of = |(n, _): &(usize, _)| {
            let hinge = &self.matter.hinges[*n];
            let at = [hinge.ends[0], hinge.ends[1], hinge.middle].map(place);
            let off = hinge.turn(at, [Vec3::ZERO; 3], hinge.side.map(place)).off;
            0.5 * hinge.stiffness * off * off
        };
        let places = &self.state.motion.places;
        let joints = self.matter.joints.iter().filter(|joint| joint.is_driven()).map(|joint| joint.spring(places));
        self.matter.drives.iter().map(of).sum::<f64>() + joints.sum::<f64>()
    }

    /// Total mass [kg].
    pub(crate) fn mass(&self) -> f64 {
        self.total_mass
    }

    /// Work done on the body in the last step.
    pub(crate) fn work(&self) -> Work {
        self.scratch.work
    }

    /// Energy stored in contacts with obstacles and in self-contact [J].
    pub(crate) fn stored(&self) -> f64 {
        self.state.stored
    }

    /// Bound on the energy that a step may create.
    pub(crate) fn may_create(&self) -> Bound {
        match self.settings.pace {
            Pace::Constant { .. } => Bound {
                part: f64::INFINITY,
                held: 0.0,
                contacts: 0.0,
                why: "steps of a length that was given are as published: they are taken whatever they create",
            },
            Pace::Adaptive { .. } => Bound {
                part: 5e-2,
                held: 1e-3,
                contacts: 0.0,
                why: "steps are halved until each is balanced to a part of its kinetic energy",
            },
        }
    }
}

stored!(Met { particle, force, itself });

#[cfg(test)]
mod tests {
    use super::super::holds::{Held, Push};
    use super::super::sample::block;
    use super::*;
    use crate::lattice::solid::MassRule;
    use crate::random::Random;

    const TAU: f64 = 1e-3;

    fn body() -> Lattice {
        let mut body = block(0.25, MassRule::Approximate, Vec3::ZERO);
        body.scratch.next = body.state.motion.clone();
        body
    }

    fn counted(mut body: Lattice) -> Lattice {
        body.scratch.work = Work::default();
        body.count_work(TAU);
        body
    }

    /// The work of forces on particles is the sum of force times way.
    #[test]
    fn dead_forces_do_force_times_way() {
        let (mut body, mut random) = (body(), Random(31));
        let (mut loads, mut others) = (0.0, 0.0);
        for particle in [3u32, 7, 11] {
            let (force, other, way) = (random.vector(), random.vector(), random.vector());
            body.scratch.next.places[particle as usize] += way;
            body.scratch.pushes.push(Push { particle, force });
            body.state.pushed.push(Push { particle, force: other });
            // one that a body of this model pushed at the start of the step, and no longer
            body.state.met.push(Met { particle, force, itself: false });
            loads += force.dot(way);
            others += other.dot(way) + 0.5 * force.dot(way);
        }
        let work = counted(body).scratch.work;
        assert!((work.loads - loads).abs() < 1e-12 && (work.bodies - others).abs() < 1e-12);
        assert_eq!((work.grips, work.obstacles), (0.0, 0.0));
    }

    /// A grip does nothing on a particle that moves as it would by itself, under a constant force; on one that it carries against
    /// that force it does the rest.
    #[test]
    fn grips_do_what_other_forces_do_not() {
        let (mut body, force, speed) = (body(), Vec3::new(0.3, -0.2, 0.5), Vec3::new(1.0, 2.0, 3.0));
        let mass = body.matter.masses[5];
        body.state.held.push(Held { grip: 0, particle: 5, offset: Vec3::ZERO });
        body.state.motion.velocities[5] = speed;
        (body.state.motion.forces[5], body.scratch.next.forces[5]) = (force, force);
        body.scratch.next.velocities[5] = speed + force / mass * TAU;
        body.scratch.next.places[5] += speed * TAU + force / mass * (0.5 * TAU * TAU);
        let free = counted(body.clone()).scratch.work.grips;
        assert!(free.abs() < 1e-14, "{free}");
        // at constant velocity
        body.scratch.next.velocities[5] = speed;
        body.scratch.next.places[5] = body.state.motion.places[5] + speed * TAU;
        let carried = counted(body).scratch.work.grips;
        assert!((carried + force.dot(speed) * TAU).abs() < 1e-14, "{carried}");
    }

    fn touch(force: Vec3, depth: f64, carried: Vec3) -> Touch {
        Touch {
            key: [0, 5, POINT],
            stick: Default::default(),
            place: Vec3::ZERO,
            normal: Vec3::Z,
            force,
            depth,
            parts: [1.0, 0.0, 0.0],
            carried,
            unseen: 0.0,
        }
    }

    /// A spring of contact absorbs k d^2 / 2 on the way in, returns it on the way out, and returns no more than it has; what is at rest
    /// on an obstacle that moves is carried.
    #[test]
    fn contacts_return_what_they_absorb() {
        let (mut body, stiffness, deep) = (body(), 1e3, 1e-3);
        let steps = 100;
        let depth = |n: i32| deep * f64::from(n.min(2 * steps - n)) / f64::from(steps);
        for n in 1..=2 * steps {
            let (before, now) = (depth(n - 1), depth(n));
            let at = |depth: f64| {
                if depth > 0.0 { vec![touch(Vec3::Z * stiffness * depth, depth, Vec3::ZERO)] } else { vec![] }
            };
            (body.state.touches, body.scratch.touches) = (at(before), at(now));
            body.scratch.next.places[5] = body.state.motion.places[5] - Vec3::Z * (now - before);
            body = counted(body);
            // the trapezoidal rule is exact for a linear force
            let expected = 0.5 * stiffness * now * now;
            assert!((body.state.stored - expected).abs() < 1e-15, "{n}: {} {expected}", body.state.stored);
        }
        let (force, led) = (Vec3::new(0.2, 0.0, 1.0), Vec3::new(3.0, 0.0, 1.0));
        (body.state.touches, body.scratch.touches) = (vec![touch(force, deep, led)], vec![touch(force, deep, led)]);
        body.scratch.next.places[5] = body.state.motion.places[5] + led * TAU;
        body.state.stored = 2e-4;
        body = counted(body);
        assert!((body.scratch.work.obstacles - force.dot(led) * TAU).abs() < 1e-14);
        assert!((body.state.stored - 2e-4).abs() < 1e-14);
        // a force that pushes on where nothing is stored adds nothing, and takes nothing below zero
        body.scratch.next.places[5] = body.state.motion.places[5] + led * TAU + Vec3::Z;
        assert_eq!(counted(body).state.stored, 0.0);
    }
}
