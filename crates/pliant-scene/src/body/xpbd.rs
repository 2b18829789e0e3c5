//! Settings of the model `xpbd` in a scene file.

use pliant::xpbd::XpbdSettings;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::text::quantity::{Count, Damping, DampingTime, Quantity};

/// Settings of the model `xpbd`. What is not given has the default of the engine.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct XpbdTable {
    /// Sweeps over all constraints in a step of the scene, shared among its substeps.
    iterations: Option<Count<1, 1_000_000>>,
    /// Substeps of a step of the scene.
    substeps: Option<Count<1, 1_000_000>>,
    /// Damping of the material: viscous over elastic stress, per rate of strain [s].
    pub(crate) damping_time: Option<DampingTime>,
    /// Drag of the air: force per mass and velocity [1/s].
    pub(crate) drag: Option<Damping>,
}

impl XpbdTable {
    pub(crate) fn build(&self) -> XpbdSettings {
        let default = XpbdSettings::default();
        XpbdSettings {
            iterations: self.iterations.map_or(default.iterations, |count| count.0),
            substeps: self.substeps.map_or(default.substeps, |count| count.0),
            damping_time: self.damping_time.map_or(default.damping_time, Quantity::get),
            drag: self.drag.map_or(default.drag, Quantity::get),
        }
    }
}
