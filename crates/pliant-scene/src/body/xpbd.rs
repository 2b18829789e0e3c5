//! Settings of the model `xpbd` in a scene file.

use pliant::xpbd::XpbdSettings;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::text::quantity::{Count, Damping, DampingTime, Quantity};

/// Settings of the model `xpbd`. Fields that are not given have the engine's defaults.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct XpbdTable {
    /// Sweeps over all constraints in a step of the scene, divided among its substeps.
    iterations: Option<Count<1, 1_000_000>>,
    /// Number of substeps in a step of the scene.
    substeps: Option<Count<1, 1_000_000>>,
    /// Material damping: viscous over elastic stress, per strain rate [s].
    pub(crate) damping_time: Option<DampingTime>,
    /// Air drag: force per mass and velocity [1/s].
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
