//! Energy that is accounted for: what was done on a body in a step, against the change of its energy.
//!
//! What acts on a body from outside does work W on it: grips, loads, obstacles that move, other bodies. Gravity is in its energy
//! E, and so is what contacts and holds store. What friction, dampers and drag do can only take. So
//!
//!   dE = W - lost + created,
//!
//! and a step of which dE > W has created energy that no force accounts for. Integrators of finite order swing about the
//! balance: over many steps the sum B of dE - W rises and falls, and what counts as created is by how much it has ever
//! risen above its least value before.

use crate::bytes::stored;

/// Work done on a body [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// By grips.
    pub grips: f64,
    /// By loads, drives and fluids that move.
    pub loads: f64,
    /// By obstacles that move.
    pub obstacles: f64,
    /// By other bodies.
    pub bodies: f64,
}

impl Work {
    /// The sum.
    pub fn total(&self) -> f64 {
        self.grips + self.loads + self.obstacles + self.bodies
    }

    /// The sum of what was done either way.
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

/// What a step of a model may create, as its integrator is not exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Part of the energy that was at play lately [-]: kinetic energy, what elastic energy changed by, work and what contacts store.
    /// Infinite for steps as published that are known to create, or know no energy: their account is shown and not judged.
    pub part: f64,
    /// Part of the elastic energy [-]: forces that hold something are found to a part of their size.
    pub held: f64,
    /// What contacts may give back that they took, where they do not say what they store [J].
    pub contacts: f64,
    /// Why.
    pub why: &'static str,
}

/// Energy of a body at the end of a step [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Level {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Elastic energy.
    pub elastic: f64,
    /// In the field of gravity.
    pub gravity: f64,
    /// What contacts and holds store besides.
    pub stored: f64,
}

impl Level {
    fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.gravity + self.stored
    }
}

/// The account of one body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Account {
    /// Work done on it in the last step.
    pub step_work: Work,
    /// By how much its energy grew in the last step beyond that work [J]; below zero where some was lost.
    pub step_created: f64,
    /// Work done on it in all.
    pub work: Work,
    /// What contacts and holds store now, beside the energies of a frame [J].
    pub stored: f64,
    /// Energy that no force accounts for, in all [J]: by how much the sum of what steps created and lost has risen above its least
    /// value before.
    pub created: f64,
    /// The most that a single step created [J] ...
    pub created_max: f64,
    /// ... and when it ended [s].
    pub created_at: f64,
    /// Sum of what steps created, less what they lost [J].
    balance: f64,
    /// Its least value so far.
    least: f64,
    /// The most energy that was at play in a step [J], ever ...
    at_play: f64,
    /// ... and lately.
    lately: f64,
    /// What contacts may have given back in the last step [J].
    contacts: f64,
    /// What has to be created in all until it is told [J]; zero before anything moved.
    told: f64,
    level: Option<Level>,
}

/// A body that creeps with this speed is at rest: the energy of that may come from nothing [m/s].
pub(crate) const CREEP: f64 = 1e-4;

/// What was at play is forgotten by this part in a step.
const FORGOTTEN: f64 = 0.01;

/// Rounding of energies, over their size, of which sums over many links and particles are made [-].
pub(crate) const ROUNDING: f64 = 1e-12;

/// What is created by and by is told at this part of the most energy that was at play, and then at each ten times as much.
const SLOWLY: f64 = 0.05;

/// What came of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// All is accounted for, as far as steps of the model can be.
    Sound,
    /// More was created by and by than steps should.
    Slowly {
        /// In all [J].
        created: f64,
    },
    /// The step created more than its model may.
    Beyond {
        /// In the step [J].
        created: f64,
        /// What it may [J].
        allowed: f64,
    },
}

impl Account {
    /// Friction, dampers and drag took this in all [J].
    pub fn dissipated(&self) -> f64 {
        self.created - self.balance
    }

    /// Whether the energy at the start of the next step is known.
    pub(crate) fn is_open(&self) -> bool {
        self.level.is_some()
    }

    /// Begin from an energy.
    pub(crate) fn open(&mut self, level: Level) {
        self.stored = level.stored;
        self.level = Some(level);
    }

    /// Forget the energy: the body was changed by hand.
    pub(crate) fn close(&mut self) {
        self.level = None;
    }

    /// Energy that work does not account for, where a step has led [J].
    pub(crate) fn missing(&self, now: &Level, work: &Work) -> f64 {
        now.total() - self.level.unwrap_or(*now).total() - work.total()
    }

    /// Take a step to a time [s] into the account; `mass` is that of the body [kg].
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
        // what is no number is beyond all bounds
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
