//! Settings of the model `cable` in a scene file.

use pliant::cable::CableSettings;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::quantity::{Damping, DampingTime, Force, Length, Quantity, Restitution};

/// Settings of the model `cable`. What is not given has the default of the engine.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CableTable {
    /// Damping of the material: viscous over elastic stress, per rate of strain [s].
    damping_time: Option<DampingTime>,
    /// Drag of the air: force per mass and velocity [1/s].
    drag: Option<Damping>,
    /// Part of its normal speed with which a link leaves what it hits [-].
    restitution: Option<Restitution>,
    /// What the law of friction is for, where its exponent is not 1: each length of the cable, or each contact.
    friction_per: Option<FrictionPer>,
    /// Tension that is told of as an event [N]; none unless given.
    tension_limit: Option<Force>,
    /// Radius of bending below which it is told of as an event [m]; none unless given.
    bend_radius_limit: Option<Length>,
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
    pub(crate) fn build(&self) -> CableSettings {
        let default = CableSettings::default();
        CableSettings {
            damping_time: self.damping_time.map_or(default.damping_time, Quantity::get),
            drag: self.drag.map_or(default.drag, Quantity::get),
            restitution: self.restitution.map_or(default.restitution, Quantity::get),
            tension_limit: self.tension_limit.map_or(default.tension_limit, Quantity::get),
            bend_radius_limit: self.bend_radius_limit.map_or(default.bend_radius_limit, Quantity::get),
            friction_per_contact: self.friction_per.map_or(default.friction_per_contact, |p| p == FrictionPer::Contact),
        }
    }
}
