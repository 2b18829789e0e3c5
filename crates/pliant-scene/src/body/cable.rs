//! Settings of the model `cable` in a scene file.

use std::num::NonZeroU32;

use pliant::cable::{CableSettings, Couplings, Solver, Step};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::body::elastica::StartName;
use crate::text::quantity::{Damping, DampingTime, Force, Length, Quantity, Restitution};

/// Settings of the model `cable`. What is not given has the default of the engine.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CableTable {
    /// Damping of the material: viscous over elastic stress, per rate of strain [s].
    pub(crate) damping_time: Option<DampingTime>,
    /// Drag of the air: force per mass and velocity [1/s].
    pub(crate) drag: Option<Damping>,
    /// Part of its normal speed with which a link leaves what it hits [-].
    restitution: Option<Restitution>,
    /// What the law of friction is for, where its exponent is not 1: each length of the cable, or each contact.
    friction_per: Option<FrictionPer>,
    /// Tension that is told of as an event [N]; none unless given.
    tension_limit: Option<Force>,
    /// Radius of bending below which it is told of as an event [m]; none unless given.
    bend_radius_limit: Option<Length>,
    /// What is solved in a step.
    step: Option<StepName>,
    /// How contact is solved.
    solver: Option<SolverName>,
    /// Most iterations over contacts in a step, which Newton's method then makes; for the solvers `direct` and `subsystems`.
    #[schemars(range(min = 1))]
    iterations: Option<NonZeroU32>,
    /// Number of runs of links; for the solver `subsystems`. Each has two links or more.
    #[schemars(range(min = 1))]
    subsystems: Option<NonZeroU32>,
    /// How the solver `subsystems` treats the couplings between runs.
    couplings: Option<CouplingsName>,
    /// Whether the solver `subsystems` bounds what contacts change in an iteration.
    post_regulation: Option<bool>,
    /// Whether the cable touches itself.
    self_contact: Option<bool>,
    /// Where it begins.
    start: Option<StartName>,
}

/// What is solved in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StepName {
    /// The whole motion of the links: energy does not grow by itself, whatever the step, and waves that the step cannot
    /// resolve die out.
    Decaying,
    /// The same without that: energy is kept, and such waves ring for ever.
    Midpoint,
    /// The motion linearised once, at the start of the step, as in the paper: energy grows as links turn.
    Linear,
}

/// How contact is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SolverName {
    /// As part of the motion, by Newton's method.
    Newton,
    /// All contacts at once, by projected Gauss and Seidel's method.
    Direct,
    /// In runs of links with couplings between them.
    Subsystems,
}

/// How couplings between runs are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CouplingsName {
    /// They follow contacts exactly.
    Exact,
    /// By one pass of block Gauss and Seidel's method in each iteration, as printed in the paper: for comparison.
    Printed,
}

/// What the law of friction is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FrictionPer {
    /// Forces per length: results do not depend on the number of segments.
    Length,
    /// Forces of each contact, as printed in the paper.
    Contact,
}

impl CableTable {
    /// A field given that says where the cable begins, and that not every model has.
    pub(crate) fn own_start(&self) -> Option<&'static str> {
        self.start.is_some_and(|start| start != StartName::Path).then_some("start")
    }

    pub(crate) fn build(&self) -> CableSettings {
        let default = CableSettings::default();
        CableSettings {
            damping_time: self.damping_time.map_or(default.damping_time, Quantity::get),
            drag: self.drag.map_or(default.drag, Quantity::get),
            restitution: self.restitution.map_or(default.restitution, Quantity::get),
            tension_limit: self.tension_limit.map_or(default.tension_limit, Quantity::get),
            bend_radius_limit: self.bend_radius_limit.map_or(default.bend_radius_limit, Quantity::get),
            friction_per_contact: self.friction_per.map_or(default.friction_per_contact, |p| p == FrictionPer::Contact),
            step: self.step.map_or(default.step, |name| match name {
                StepName::Decaying => Step::Decaying,
                StepName::Midpoint => Step::Midpoint,
                StepName::Linear => Step::Linear,
            }),
            solver: self.solver.map_or(default.solver, |name| match name {
                SolverName::Newton => Solver::Newton,
                SolverName::Direct => Solver::Direct,
                SolverName::Subsystems => Solver::Subsystems,
            }),
            iterations: self.iterations.map_or(default.iterations, NonZeroU32::get),
            subsystems: self.subsystems.map_or(default.subsystems, |n| n.get() as usize),
            couplings: self.couplings.map_or(default.couplings, |name| match name {
                CouplingsName::Exact => Couplings::Exact,
                CouplingsName::Printed => Couplings::Printed,
            }),
            post_regulation: self.post_regulation.unwrap_or(default.post_regulation),
            self_contact: self.self_contact.unwrap_or(default.self_contact),
            start: self.start.map_or(default.start, StartName::build),
            // said of the body itself
            closed: default.closed,
            twist: default.twist,
        }
    }
}
