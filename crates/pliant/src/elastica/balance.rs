//! Energy balance of an integrator step, so that a step that creates energy is shortened.
//!
//! In angle coordinates the midpoint rule does not conserve energy, and contacts begin and end within steps. Each
//! integrator step is therefore checked as world steps are: the change of energy against the work of grips, sliders and
//! moving obstacles. Loads are dead and have a potential, as weight does.

use super::rod::Kinematics;
use super::span::{POINTS, WEIGHTS};
use super::system::System;
use crate::account::{CREEP, ROUNDING};

/// Energy at an instant [J].
#[derive(Clone, Copy, Debug, Default)]
pub struct Standing {
    kinetic: f64,
    elastic: f64,
    /// Energy stored in contacts.
    stored: f64,
    /// Potential of weight and loads.
    potential: f64,
}

/// Fraction of the energy involved that a world step may create; more is a sign that the integrator step is too long.
pub const CREATES: f64 = 1e-2;

impl Standing {
    fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.stored + self.potential
    }

    /// Energy created in the world step up to here [J]: `so_far`, plus that of the step from `before`, in which `work`
    /// [J] was done on a rod of mass `mass` [kg]. `None` if it exceeds the bound at fraction `f` of the world step.
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

    /// Add the work of an impulse [J].
    pub fn struck(&mut self, work: f64) {
        self.kinetic += work;
    }
}

/// Fraction of the bound of a world step that may be created right at its start [-], as contacts begin abruptly.
const AT_ONCE: f64 = 0.25;

impl System<'_> {
    /// Energy for given coordinates and rates, at a fraction of the world step. Contacts are searched for there, but
    /// exert no force.
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

    /// Energy in the current contacts [J].
    fn stored(&self) -> f64 {
        let touches: f64 = self.s.touches.iter().map(|touch| touch.stored).sum();
        let thick = 2.0 * self.rod.radius;
        let meetings: f64 = self.s.meetings.iter().map(|meeting| meeting.stored(thick)).sum();
        self.rod.voigt[0] * (touches + meetings)
    }
}
