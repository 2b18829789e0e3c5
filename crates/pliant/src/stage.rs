//! The stages of a step, and probes that are notified of them.

use crate::body::Body;

/// The stages of a step, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Obstacles and grippers move to their poses, grips close and open.
    Move,
    /// Forces between bodies that are advanced separately.
    React,
    /// Search for the obstacles that each body can touch.
    Near,
    /// Bodies advance by inner steps.
    Advance,
    /// Loads of grippers, energy accounts and events.
    Report,
    /// Check whether rods have passed through anything.
    Watch,
}

impl Stage {
    /// All stages in order.
    pub const ALL: [Stage; 6] = [Stage::Move, Stage::React, Stage::Near, Stage::Advance, Stage::Report, Stage::Watch];

    /// Name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Move => "move",
            Stage::React => "react",
            Stage::Near => "near",
            Stage::Advance => "advance",
            Stage::Report => "report",
            Stage::Watch => "watch",
        }
    }
}

/// Notified when a stage begins. The engine has no clock: a probe that times steps brings its own.
pub trait Probe {
    /// A stage begins; `body` is an index for stages that go body by body.
    fn enter(&mut self, stage: Stage, body: Option<usize>);
    /// Bodies that are solved together begin to advance, [`Stage::Advance`]: what follows is done for all of them.
    fn enter_together(&mut self, bodies: &[usize]) {
        self.enter(Stage::Advance, bodies.first().copied());
    }
    /// The step is over.
    fn leave(&mut self);
    /// Bodies of the model `lattice` have taken an inner step of `tau` [s] and are at `elapsed` [s] after the start of
    /// the step.
    fn stride(&mut self, _bodies: &[Body], _elapsed: f64, _tau: f64) {}
}

impl Probe for () {
    fn enter(&mut self, _: Stage, _: Option<usize>) {}
    fn leave(&mut self) {}
}
