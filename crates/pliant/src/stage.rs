//! The stages of a step, and who is told of them.

use crate::body::Body;

/// The stages of a step, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Obstacles and grippers go to their poses, grips close and open.
    Move,
    /// Forces between bodies that advance apart.
    React,
    /// Which obstacles can touch which body.
    Near,
    /// Each body advances by its own inner steps.
    Advance,
    /// Loads of grippers, and what contact between bodies has done.
    Report,
    /// Whether rods have come through anything.
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

/// Told when a stage begins. The engine has no clock; whoever times a step brings one.
pub trait Probe {
    /// A stage begins, for one body where the stage goes body by body.
    fn enter(&mut self, stage: Stage, body: Option<usize>);
    /// The step is over.
    fn leave(&mut self);
    /// Bodies of the model `lattice` have taken an inner step of `tau` [s], and are so long after the start of the step [s].
    fn stride(&mut self, _bodies: &[Body], _elapsed: f64, _tau: f64) {}
}

impl Probe for () {
    fn enter(&mut self, _: Stage, _: Option<usize>) {}
    fn leave(&mut self) {}
}
