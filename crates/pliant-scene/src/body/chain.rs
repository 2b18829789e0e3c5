//! Settings of the model `chain` in a scene file.

use pliant::chain::{BendingLaw, ChainSettings, Heuristic, RelativeTo, UpdateRule};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::text::quantity::{
    BendAngle, BendingForce, BendingStiffness, Curvature, Damping, Force, Fraction, Length, Mass, Mobility, Percent,
    Quantity, Rate, StepLimit, Stiffness,
};
use crate::text::word::Table;

/// Settings of the model `chain`. Fields that are not given are derived or have the engine's defaults.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChainTable {
    /// Bending law.
    bending: Option<BendingSpec>,
    /// Rule that turns forces into motion.
    update: Option<UpdateSpec>,
    /// Model steps per second [Hz].
    rate: Option<Rate>,
    /// How often the model reads a gripper's pose [Hz]; at every model step unless given.
    gripper_rate: Option<Rate>,
    /// How often the planes that approximate nearby obstacles are updated [Hz].
    contact_rate: Option<Rate>,
    /// Parameters derived from the weight and a tolerated deformation, instead of from the material.
    heuristic: Option<Table<HeuristicTable>>,
    /// Force per relative change of length [N].
    contraction: Option<Force>,
    /// Coefficient of the paper's bending law [N].
    bending_force: Option<BendingForce>,
    /// EI of the linear bending law [N m2].
    bending_stiffness: Option<BendingStiffness>,
    /// Curvature at which the paper's law has the moment EI times curvature [1/m].
    matched_curvature: Option<Curvature>,
    /// Stiffness of grips [N/m].
    grip_stiffness: Option<Stiffness>,
    /// Stiffness of obstacles [N/m].
    contact_stiffness: Option<Stiffness>,
    /// Displacement per force and model step [m/N].
    scaling: Option<Mobility>,
    /// Fraction of the last displacement that the rule `dynamics` adds [-].
    history: Option<Fraction>,
    /// Air drag with the rule `velocity`: force per mass and velocity [1/s].
    // the name `damping` of older scenes is still accepted
    #[serde(alias = "damping")]
    pub(crate) drag: Option<Damping>,
    /// Largest displacement in a model step, as a fraction of a segment [-].
    step_limit: Option<StepLimit>,
    /// Whether the rule `dynamics` limits relative instead of absolute displacement.
    relative_limit: Option<bool>,
    /// What the rules `relative` and `dynamics` limit displacement relative to; the neighbour unless given.
    relative_to: Option<RelativeSpec>,
    /// Whether model steps are repeated so that limiting them does not change the displacement per second.
    keep_displacement: Option<bool>,
    /// Total mass [kg]; from density and section unless given.
    mass: Option<Mass>,
    /// Whether end points have the mass of an inner point, as published, instead of half of it.
    equal_weights: Option<bool>,
}

/// Bending law: how the angle between two segments becomes a moment.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BendingSpec {
    /// Proportional to the angle.
    Linear,
    /// The published law.
    Paper,
}

/// Rule that turns forces into motion.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum UpdateSpec {
    /// Displacement proportional to force.
    Plain,
    /// Displacement proportional to force, up to a limit.
    Limit,
    /// Displacement proportional to force, with a limit on displacements relative to the neighbour.
    Relative,
    /// Displacement proportional to force, plus a fraction of the last displacement.
    Dynamics,
    /// Newton's law, with a velocity per point.
    Velocity,
}

/// What displacement is limited relative to.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RelativeSpec {
    /// That of the next point.
    Neighbour,
    /// The mean over all points: the movement of the whole rod.
    Whole,
}

/// Tolerated deformations under the rod's own weight, from which parameters are derived.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HeuristicTable {
    /// Change of length under the rod's own weight [%].
    stretch: Option<Percent>,
    /// Angle between two segments under the rod's own weight [degrees].
    bend_angle_deg: Option<BendAngle>,
    /// Gap between a gripper and its point under the rod's own weight [% of a segment].
    grip_gap: Option<Percent>,
    /// Smallest bending radius wanted [m].
    bend_radius: Option<Length>,
}

impl ChainTable {
    pub(crate) fn build(&self) -> ChainSettings {
        let default = ChainSettings::default();
        ChainSettings {
            bending: self.bending.map_or(default.bending, BendingSpec::build),
            update: self.update.map_or(default.update, UpdateSpec::build),
            rate: self.rate.map(Quantity::get),
            gripper_rate: self.gripper_rate.map(Quantity::get),
            contact_rate: self.contact_rate.map_or(default.contact_rate, Quantity::get),
            heuristic: self.heuristic.as_ref().map(|table| table.build()),
            contraction: self.contraction.map(Quantity::get),
            bending_force: self.bending_force.map(Quantity::get),
            bending_stiffness: self.bending_stiffness.map(Quantity::get),
            matched_curvature: self.matched_curvature.map_or(default.matched_curvature, Quantity::get),
            grip_stiffness: self.grip_stiffness.map(Quantity::get),
            contact_stiffness: self.contact_stiffness.map(Quantity::get),
            scaling: self.scaling.map(Quantity::get),
            history: self.history.map(Quantity::get),
            drag: self.drag.map_or(default.drag, Quantity::get),
            step_limit: self.step_limit.map_or(default.step_limit, Quantity::get),
            relative_limit: self.relative_limit.unwrap_or(default.relative_limit),
            relative_to: self.relative_to.map_or(default.relative_to, |to| match to {
                RelativeSpec::Neighbour => RelativeTo::Neighbour,
                RelativeSpec::Whole => RelativeTo::Whole,
            }),
            keep_displacement: self.keep_displacement.unwrap_or(default.keep_displacement),
            mass: self.mass.map(Quantity::get),
            equal_weights: self.equal_weights.unwrap_or(default.equal_weights),
        }
    }
}

impl ChainTable {
    /// Name of a given field that overrides the rod's material or section.
    pub(crate) fn own_rod(&self) -> Option<&'static str> {
        let given = [
            ("heuristic", self.heuristic.is_some()),
            ("contraction", self.contraction.is_some()),
            ("bending_force", self.bending_force.is_some()),
            ("bending_stiffness", self.bending_stiffness.is_some()),
            ("mass", self.mass.is_some()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(key, _)| key)
    }
}

impl BendingSpec {
    fn build(self) -> BendingLaw {
        match self {
            BendingSpec::Linear => BendingLaw::Linear,
            BendingSpec::Paper => BendingLaw::Paper,
        }
    }
}

impl UpdateSpec {
    fn build(self) -> UpdateRule {
        match self {
            UpdateSpec::Plain => UpdateRule::Plain,
            UpdateSpec::Limit => UpdateRule::Limit,
            UpdateSpec::Relative => UpdateRule::Relative,
            UpdateSpec::Dynamics => UpdateRule::Dynamics,
            UpdateSpec::Velocity => UpdateRule::Velocity,
        }
    }
}

impl HeuristicTable {
    fn build(&self) -> Heuristic {
        let default = Heuristic::default();
        Heuristic {
            stretch: self.stretch.map_or(default.stretch, Quantity::get),
            bend_angle: self.bend_angle_deg.map_or(default.bend_angle, |angle| angle.get().to_radians()),
            grip_gap: self.grip_gap.map_or(default.grip_gap, Quantity::get),
            bend_radius: self.bend_radius.map(Quantity::get).or(default.bend_radius),
        }
    }
}
