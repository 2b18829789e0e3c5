//! Settings of the model `cable` in a scene file.

use pliant::cable::CableSettings;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::quantity::{Damping, DampingTime, Quantity};

/// Settings of the model `cable`. What is not given has the default of the engine.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CableTable {
    /// Damping of the material: viscous over elastic stress, per rate of strain [s].
    damping_time: Option<DampingTime>,
    /// Drag of the air: force per mass and velocity [1/s].
    drag: Option<Damping>,
}

impl CableTable {
    pub(crate) fn build(&self) -> CableSettings {
        let default = CableSettings::default();
        CableSettings {
            damping_time: self.damping_time.map_or(default.damping_time, Quantity::get),
            drag: self.drag.map_or(default.drag, Quantity::get),
            ..default
        }
    }
}
