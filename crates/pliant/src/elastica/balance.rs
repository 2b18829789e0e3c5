//! What a rod's own step does to energy, so that one that creates some is cut.
//!
//! Angles are no coordinates in which the midpoint rule keeps energy, and contacts begin and end within steps. Each of its
//! steps is therefore judged as the world judges its own: by the change of energy against the work of what holds
//! the rod and of obstacles that move. Loads are dead and have a potential, as weight has.

use super::rod::Kinematics;
use super::span::{POINTS, WEIGHTS};
use super::system::System;
use crate::account::{CREEP, ROUNDING};

/// Energy at an instant [J].
#[derive(Clone, Copy, Debug, Default)]
pub struct Standing {
    kinetic: f64,
    elastic: f64,
    /// In contacts.
    stored: f64,
    /// Of weight and loads.
    potential: f64,
}

/// Part of the energy at play that may be created in a world step: what is beyond is due to the step's length.
pub const CREATES: f64 = 1e-2;

impl Standing {
    fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.stored + self.potential
    }

    /// What has been created in the world step, `so_far` [J] and on the way here from `before`, in which `work` was
    /// done on a rod of a mass [kg]; none where that is more than it may be at a fraction `f` of the step.
    pub fn created(&self, before: &Standing, work: f64, [so_far, f, mass]: [f64; 3]) -> Option<f64> {
        let at_play = self.kinetic.max(before.kinetic)
            + (self.elastic - before.elastic).abs()
            + self.stored.max(before.stored)
            + work.abs();
        let size = at_play + self.elastic + self.potential.abs();
        let allowed = f.max(AT_ONCE) * (CREATES * at_play + 0.5 * mass * CREEP * CREEP) + ROUNDING * size;
        let created = so_far + self.total() - before.total() - work;
        (created <= allowed).then_some(created.max(0.0))
    }

    /// An impulse did work [J].
    pub fn struck(&mut self, work: f64) {
        self.kinetic += work;
    }
}

/// Part of what a world step may create that may come at its beginning [-]: contacts begin at an instant.
const AT_ONCE: f64 = 0.25;

impl System<'_> {
    /// Energy at coordinates and rates, at a fraction of the step. Contacts are looked for there, and push with nothing.
    pub fn standing(&mut self, f: f64, [q, v]: [&[f64]; 2], at: &mut Kinematics) -> Standing {
        if self.rod.extensible { self.standing_of::<2>(f, [q, v], at) } else { self.standing_of::<1>(f, [q, v], at) }
    }

    fn standing_of<const K: usize>(&mut self, f: f64, [q, v]: [&[f64]; 2], at: &mut Kinematics) -> Standing {
        let rod = self.rod;
        at.place::<K>(rod, q, v, None);
        let mut standing = Standing { elastic: rod.elastic(q), ..Standing::default() };
        for (i, masses) in rod.masses.iter().enumerate() {
            for k in 0..POINTS {
                let (start, offset) = (&at.nodes[i], &at.offsets[i][k]);
                let force = self.field.gravity * masses[k] + self.field.line_load * (rod.h * WEIGHTS[k]);
                standing.kinetic += 0.5 * masses[k] * (start.velocity + offset.velocity).length_squared();
                standing.potential -= force.dot(start.place + offset.place);
            }
        }
        for push in self.pushes {
            let (node, _) = at.at::<K>(rod.h, push.interval, push.fraction);
            let angle = at.angle(push.interval, push.fraction)[0];
            standing.potential -= push.force.dot(node.place) + push.moment * angle;
        }
        self.find_contacts::<K>(f, at);
        standing.stored = self.stored();
        standing
    }

    /// Energy in the contacts at hand [J].
    fn stored(&self) -> f64 {
        let touches: f64 = self.s.touches.iter().map(|touch| touch.stored).sum();
        let meetings: f64 = self.s.meetings.iter().map(|meeting| 0.5 * meeting.depth * meeting.depth).sum();
        self.rod.voigt[0] * (touches + meetings)
    }
}
