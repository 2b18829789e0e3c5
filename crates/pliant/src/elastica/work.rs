//! Work done on a rod in a step, and the energy that its steps may create.

use super::balance::CREATES;
use super::span::{POINTS, WEIGHTS};
use super::{Elastica, Integrator};
use crate::account::{AGAINST_GAIN, Bound, Work};
use crate::math::Vec2;

impl Elastica {
    /// Start counting the work of a step.
    pub(super) fn begin_work(&mut self) {
        let mut from = std::mem::take(&mut self.scratch.from);
        from.clear();
        from.extend(self.scratch.pushes.iter().map(|push| self.place_at(push.interval, push.fraction)));
        self.scratch.from = from;
        self.scratch.work = Work { loads: -self.along_line_load(), ..Work::default() };
    }

    /// Finish counting the work at the end of the step.
    pub(super) fn end_work(&mut self) {
        let mut work = self.scratch.work;
        work.loads += self.along_line_load();
        for (n, (push, (place, angle))) in self.scratch.pushes.iter().zip(&self.scratch.from).enumerate() {
            let now = self.place_at(push.interval, push.fraction);
            let done = push.force.dot(now.0 - *place) + push.moment * (now.1 - *angle);
            *(if n < self.scratch.loads { &mut work.loads } else { &mut work.bodies }) += done;
        }
        self.scratch.work = work;
    }

    /// Work of the distributed load from the origin of the plane to the current shape [J].
    fn along_line_load(&self) -> f64 {
        let load = self.plane.direction(self.settings.line_load);
        if load == Vec2::ZERO {
            return 0.0;
        }
        let at = &self.scratch.at;
        let of = |i: usize, q: usize| WEIGHTS[q] * load.dot(at.nodes[i].place + at.offsets[i][q].place);
        self.rod.h * (0..self.rod.intervals()).map(|i| (0..POINTS).map(|q| of(i, q)).sum::<f64>()).sum::<f64>()
    }

    /// Total mass [kg].
    pub(crate) fn mass(&self) -> f64 {
        self.rod.mass()
    }

    /// Work done on the body in the last step.
    pub(crate) fn work(&self) -> Work {
        self.scratch.work
    }

    /// Energy in contacts [J].
    pub(crate) fn stored(&self) -> f64 {
        let touches: f64 = self.state.touches.iter().map(|touch| touch.stored).sum();
        let thick = 2.0 * self.rod.radius;
        let meetings: f64 = self.state.meetings.iter().map(|meeting| meeting.stored(thick)).sum();
        self.rod.voigt[0] * (touches + meetings)
    }

    /// What to do if it gains more than that: Fehlberg's method lets what swings faster than its steps grow until the
    /// tolerance sees it.
    pub(crate) fn against_gain(&self) -> &'static str {
        match self.settings.integrator {
            Integrator::Fehlberg => {
                "a stiff rod is for integrator = \"midpoint\"; `allow_gain = true` lets it pass, with forces that are wrong for a while"
            }
            Integrator::Midpoint => AGAINST_GAIN,
        }
    }

    /// Bound on the energy that a step may create.
    pub(crate) fn may_create(&self) -> Bound {
        let part = 2.0 * CREATES;
        if !self.state.meetings.is_empty() {
            let why = "places where it touches itself come and go with a jump of what they store";
            return Bound { part: part.max(JUMPS), held: 1e-3, contacts: 0.0, why };
        }
        let why = match self.settings.integrator {
            Integrator::Fehlberg => "its error is kept within the tolerance, step by step",
            Integrator::Midpoint => {
                "its own steps are cut until none creates more than a hundredth of the energy at play, which may be twice as much \
                 within a step as at its ends"
            }
        };
        Bound { part, held: 1e-3, contacts: 0.0, why }
    }
}

/// Fraction of the energy involved by which the energy of self-contacts may jump [-].
const JUMPS: f64 = 0.1;
