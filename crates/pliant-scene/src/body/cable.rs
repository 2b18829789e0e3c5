//! Settings of the model `cable` in a scene file.

use std::num::NonZeroU32;

use pliant::cable::{CableSettings, Couplings, Pairs, Regulation, Solver, Step};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::body::elastica::StartName;
use crate::text::quantity::{Damping, DampingTime, Factor, Force, Fraction, Length, Quantity, Restitution};

/// Settings of the model `cable`. Fields that are not given have the engine's defaults.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CableTable {
    /// Material damping: viscous over elastic stress, per strain rate [s].
    pub(crate) damping_time: Option<DampingTime>,
    /// Air drag: force per mass and velocity [1/s].
    pub(crate) drag: Option<Damping>,
    /// Coefficient of restitution: the fraction of its normal speed with which a link rebounds [-].
    restitution: Option<Restitution>,
    /// Whether a friction law with an exponent other than 1 applies to each length of the cable or to each contact.
    friction_per: Option<FrictionPer>,
    /// Tension above which an event is reported [N]; none unless given.
    tension_limit: Option<Force>,
    /// Bending radius below which an event is reported [m]; none unless given.
    bend_radius_limit: Option<Length>,
    /// Equations solved in a step.
    step: Option<StepName>,
    /// Contact solver.
    solver: Option<SolverName>,
    /// Largest number of contact iterations in a step, for the solvers `direct` and `subsystems`; beyond it Newton's
    /// method solves the step.
    #[schemars(range(min = 1))]
    iterations: Option<NonZeroU32>,
    /// Number of runs of links that the solver `subsystems` divides the cable into, each of at least two links.
    #[schemars(range(min = 1))]
    subsystems: Option<NonZeroU32>,
    /// How the solver `subsystems` treats couplings between runs.
    couplings: Option<CouplingsName>,
    /// Whether the solver `subsystems` bounds the change of contact forces in an iteration.
    post_regulation: Option<bool>,
    /// How much contacts may change in an iteration, relative to the first: xi of the post-regulation [-]; 1 unless given.
    xi: Option<Factor>,
    /// Factor of that from each iteration to the next, below 1: alpha of the post-regulation [-]; 0.8 unless given, or 0.97 with
    /// printed couplings.
    alpha: Option<Fraction>,
    /// Whether a change beyond that is dropped as a whole, as printed, not shortened; only with printed couplings.
    rejects: Option<bool>,
    /// Change of printed couplings, relative to the loads of their joints, that ends the iteration [-]; 1e-5 unless given.
    epsilon: Option<Factor>,
    /// How links that push links are solved.
    pairs: Option<PairsName>,
    /// Whether the cable can touch itself.
    self_contact: Option<bool>,
    /// Initial configuration.
    start: Option<StartName>,
}

/// Equations solved in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StepName {
    /// The nonlinear motion of the links. Energy does not grow, whatever the step, and waves that the step cannot
    /// resolve decay.
    Decaying,
    /// The nonlinear motion of the links, without numerical damping. Energy is conserved, and waves that the step
    /// cannot resolve persist.
    Midpoint,
    /// The motion linearised at the start of the step, as in the paper: energy grows as links turn.
    Linear,
}

/// Contact solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SolverName {
    /// Together with the motion, by Newton's method.
    Newton,
    /// All contacts at once, by projected Gauss-Seidel.
    Direct,
    /// In runs of links with couplings between them.
    Subsystems,
}

/// How couplings between runs are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CouplingsName {
    /// Couplings satisfy their equations exactly whenever contacts change.
    Exact,
    /// One pass of block Gauss-Seidel in each iteration, as printed in the paper: for comparison.
    Printed,
}

/// How links that push links are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PairsName {
    /// By Newton's method, with sparse factors of its tangent.
    Factored,
    /// By Newton's method, its tangent solved iteratively: for comparison.
    Iterated,
    /// Bound into one subsystem of the solvers `direct` and `subsystems`, as in the paper: for comparison.
    Bound,
}

/// What the friction law applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FrictionPer {
    /// Force per length: results do not depend on the number of segments.
    Length,
    /// Force of each contact, as printed in the paper.
    Contact,
}

impl CableTable {
    /// Name of a given field that sets where the cable starts and that not every model has.
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
            regulation: Regulation {
                xi: self.xi.map_or(default.regulation.xi, Quantity::get),
                alpha: self.alpha.map(Quantity::get).or(default.regulation.alpha),
                rejects: self.rejects.unwrap_or(default.regulation.rejects),
            },
            epsilon: self.epsilon.map_or(default.epsilon, Quantity::get),
            pairs: self.pairs.map_or(default.pairs, |name| match name {
                PairsName::Factored => Pairs::Factored,
                PairsName::Iterated => Pairs::Iterated,
                PairsName::Bound => Pairs::Bound,
            }),
            self_contact: self.self_contact.unwrap_or(default.self_contact),
            start: self.start.map_or(default.start, StartName::build),
            // these are fields of the body itself
            closed: default.closed,
            twist: default.twist,
        }
    }
}
