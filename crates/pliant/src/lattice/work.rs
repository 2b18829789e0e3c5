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
        state.stored = (state.stored + taken).clamp(0.0, if itself { f64::INFINITY } else { most });
        scratch.work += work;
    }

    /// Energy of the driven angle connectors [J].
    pub(super) fn driven(&self) -> f64 {
        let place = |n: u32| self.state.motion.places[n as usize];
        let of = |(n, _): &(usize, _)| {
            let hinge = &self.matter.hinges[*n];
            let at = [hinge.ends[0], hinge.ends[1], hinge.middle].map(place);
            let off = hinge.turn(at, [Vec3::ZERO; 3], hinge.side.map(place)).off;
            0.5 * hinge.stiffness * off * off
        };
        self.matter.drives.iter().map(of).sum()
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
