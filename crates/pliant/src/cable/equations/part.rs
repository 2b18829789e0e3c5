//! A part of a step of the world, and what acts on a cable in it.

use crate::cable::holds::Held;
use crate::cable::slide::Slide;
use crate::contact::Obstacle;
use crate::linkage::Push;
use crate::math::Vec3;

/// A part of the world's step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Fraction of the step at which it starts.
    pub from: f64,
    /// Fraction at which it ends.
    pub to: f64,
    /// The world's step [s].
    pub dt: f64,
    /// Whether penetration is recovered in it.
    pub recovers: bool,
}

impl Part {
    /// The whole step.
    pub fn whole(dt: f64) -> Part {
        Part { from: 0.0, to: 1.0, dt, recovers: true }
    }

    /// Fraction of the step for the recovery of penetration.
    pub fn recovery(&self) -> f64 {
        if self.recovers { self.to - self.from } else { 0.0 }
    }

    /// Its duration [s].
    pub fn step(&self) -> f64 {
        self.dt * (self.to - self.from)
    }

    /// Its two halves.
    pub fn halves(&self) -> [Part; 2] {
        let middle = 0.5 * (self.from + self.to);
        [Part { to: middle, ..*self }, Part { from: middle, ..*self }]
    }
}

/// Everything that acts on a cable during a step.
#[derive(Clone, Copy, Debug)]
pub struct Acting<'a> {
    /// Acceleration of gravity [m/s2].
    pub gravity: Vec3,
    /// Held cross-sections.
    pub held: &'a [Held],
    /// Grips that it may slide through, with some of these.
    pub slides: &'a [Slide],
    /// Dead loads, followed by contact forces of other bodies.
    pub pushes: &'a [Push],
    /// Number of these that are loads.
    pub loads: usize,
    /// All obstacles.
    pub obstacles: &'a [Obstacle],
    /// Indices of those near the cable.
    pub near: &'a [usize],
}

/// Treatment of contacts in an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touching {
    /// They keep the states of the step before.
    First,
    /// Planes and friction limits are updated.
    Fresh,
    /// Planes and friction limits stay fixed, so that the iteration converges.
    Settled,
}
