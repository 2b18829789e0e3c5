//! Energy accounts: the work done on a body in a step, against the change of its energy.
//!
//! Grips, loads, moving obstacles and other bodies do work W on a body from outside. Gravity is part of its energy E,
//! and so is what contacts and holds store. Friction, dampers and drag can only dissipate. So
//!
//!   dE = W - lost + created,
//!
//! and a step with dE > W has created energy that no force accounts for. Integrators of finite order oscillate about
//! the balance: over many steps the sum B of dE - W rises and falls, and what counts as created is the largest rise of
//! B above its previous minimum.

use crate::bytes::stored;

/// Work done on a body [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Work {
    /// By grips.
    pub grips: f64,
    /// By loads, drives and moving fluids.
    pub loads: f64,
    /// By moving obstacles.
    pub obstacles: f64,
    /// By other bodies.
    pub bodies: f64,
}

impl Work {
    /// The total work [J].
    pub fn total(&self) -> f64 {
        self.grips + self.loads + self.obstacles + self.bodies
    }

    /// Sum of the magnitudes [J].
    fn size(&self) -> f64 {
        self.grips.abs() + self.loads.abs() + self.obstacles.abs() + self.bodies.abs()
    }
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Work) {
        self.grips += other.grips;
        self.loads += other.loads;
        self.obstacles += other.obstacles;
        self.bodies += other.bodies;
    }
}

/// Energy that a step of a model may create because its integrator is not exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Relative to the energy recently at play [-]: kinetic energy, change of elastic energy, work and what contacts
    /// store. Infinite for published schemes that are known to create energy, or define none: their account is shown
    /// but not judged.
    pub part: f64,
    /// Relative to the elastic energy [-]: holding forces are computed to a relative tolerance.
    pub held: f64,
    /// Energy that contacts may return, where they do not report what they store [J].
    pub contacts: f64,
    /// Reason for the bound.
    pub why: &'static str,
}

/// Energy of a body at the end of a step [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Level {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Elastic energy.
    pub elastic: f64,
    /// Potential energy in the field of gravity.
    pub gravity: f64,
    /// Energy stored by contacts and holds.
    pub stored: f64,
}

impl Level {
    fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.gravity + self.stored
    }
}

/// The energy account of one body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Account {
    /// Work done on it in the last step.
    pub step_work: Work,
    /// Change of its energy in the last step beyond that work [J]; negative where energy was dissipated.
    pub step_created: f64,
    /// Work done on it since the start.
    pub work: Work,
    /// Energy that contacts and holds store now, not included in the energies of a frame [J].
    pub stored: f64,
    /// Energy since the start that no force accounts for [J]: the largest rise of the sum of created and dissipated
    /// energy above its previous minimum.
    pub created: f64,
    /// The most that a single step created [J].
    pub created_max: f64,
    /// End of the step that created most [s].
    pub created_at: f64,
    /// Sum of what steps created, less what they dissipated [J].
    #[cfg_attr(feature = "serde", serde(skip))]
    balance: f64,
    /// Smallest balance so far [J].
    #[cfg_attr(feature = "serde", serde(skip))]
    least: f64,
    /// Largest energy at play in any step so far [J].
    #[cfg_attr(feature = "serde", serde(skip))]
    at_play: f64,
    /// Largest energy recently at play [J]; it decays by `FORGOTTEN` per step.
    #[cfg_attr(feature = "serde", serde(skip))]
    lately: f64,
    /// Energy that contacts might have returned in the last step [J].
    #[cfg_attr(feature = "serde", serde(skip))]
    contacts: f64,
    /// Energy created when it was last reported as an event [J]; zero before the first report.
    #[cfg_attr(feature = "serde", serde(skip))]
    told: f64,
    #[cfg_attr(feature = "serde", serde(skip))]
    level: Option<Level>,
}

/// A body that creeps at this speed counts as at rest: kinetic energy below that may appear from nothing [m/s].
pub(crate) const CREEP: f64 = 1e-4;

/// Part by which the energy recently at play decays per step: it is remembered for about a hundred steps.
const FORGOTTEN: f64 = 0.01;

/// Rounding error of energies, relative to their size [-]: they are sums over many links or particles.
pub(crate) const ROUNDING: f64 = 1e-12;

/// Slowly created energy is reported at this fraction of the largest energy at play, and again at each tenfold.
const SLOWLY: f64 = 0.05;

/// What to do if a step creates too much.
pub(crate) const AGAINST_GAIN: &str =
    "shorten the step; `allow_gain = true` lets it pass, with forces that are wrong for a while";

/// Result of entering a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// Everything is accounted for, within the bound of the model.
    Sound,
    /// Steps have slowly created more than they should.
    Slowly {
        /// Since the start [J].
        created: f64,
    },
    /// The step created more than its model allows.
    Beyond {
        /// Created in the step [J].
        created: f64,
        /// Allowed in the step [J].
        allowed: f64,
    },
}

impl Account {
    /// Energy dissipated by friction, dampers and drag since the start [J].
    pub fn dissipated(&self) -> f64 {
        self.created - self.balance
    }

    /// The account as frames show it, without the energy from which the next step goes on.
    pub(crate) fn seen(&self) -> Account {
        Account { level: None, ..*self }
    }

    /// Whether the energy at the start of the next step is known.
    pub(crate) fn is_open(&self) -> bool {
        self.level.is_some()
    }

    /// Begin from this energy.
    pub(crate) fn open(&mut self, level: Level) {
        self.stored = level.stored;
        self.level = Some(level);
    }

    /// Forget the energy, because the body was changed from outside.
    pub(crate) fn close(&mut self) {
        self.level = None;
    }

    /// Energy gained in a step to `now` that `work` does not account for [J].
    pub(crate) fn missing(&self, now: &Level, work: &Work) -> f64 {
        now.total() - self.level.unwrap_or(*now).total() - work.total()
    }

    /// Enter a step that ends at `time` [s]; `mass` is that of the body [kg].
    pub(crate) fn enter(&mut self, time: f64, now: Level, work: Work, bound: Bound, mass: f64) -> Verdict {
        let before = self.level.replace(now).unwrap_or(now);
        let made = now.total() - before.total() - work.total();
        self.step_work = work;
        self.step_created = made;
        self.work += work;
        self.stored = now.stored;
        self.balance += made;
        self.least = self.least.min(self.balance);
        self.created = self.created.max(self.balance - self.least);
        if made > self.created_max {
            (self.created_max, self.created_at) = (made, time);
        }
        let swing = (now.elastic - before.elastic).abs() + now.stored.max(before.stored);
        let at_play = now.kinetic.max(before.kinetic) + swing + work.size();
        self.at_play = self.at_play.max(at_play);
        self.lately = at_play.max((1.0 - FORGOTTEN) * self.lately);
        let elastic = now.elastic.max(before.elastic);
        let size = at_play + elastic + now.gravity.abs().max(before.gravity.abs());
        let rest = 0.5 * mass * CREEP * CREEP + ROUNDING * size;
        let contacts = bound.contacts.max(std::mem::replace(&mut self.contacts, bound.contacts));
        let allowed = bound.part * self.lately + bound.held * elastic + contacts + rest;
        // NaN exceeds every bound
        if made > allowed || made.is_nan() {
            return Verdict::Beyond { created: made, allowed };
        }
        let slowly = SLOWLY * self.at_play + contacts + rest;
        if bound.part.is_finite() && self.created > slowly.max(10.0 * self.told) {
            self.told = self.created;
            return Verdict::Slowly { created: self.created };
        }
        Verdict::Sound
    }
}

stored!(Work { grips, loads, obstacles, bodies });
stored!(Level { kinetic, elastic, gravity, stored });
stored!(Account {
    step_work,
    step_created,
    work,
    stored,
    created,
    created_max,
    created_at,
    balance,
    least,
    at_play,
    lately,
    contacts,
    told,
    level,
});
