//! A grasp in a scene file: what is held at its end, and how that is tried.

use pliant::World;
use pliant_plan::Shaking;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::text::fault::Fault;
use crate::text::quantity::{Duration, Factor, Length, Quantity};
use crate::text::word::Name;
use crate::world::place::body_named;

/// What a hand holds at the end of the scene. `pliant plan` tries it by shaking the hand in six directions.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GraspSpec {
    /// Name of the body that is held.
    object: Name,
    /// Acceleration of the hand, in units of 9.81 m/s2 [-]; 2 unless given.
    shake: Option<Factor>,
    /// How long in each direction [s]; 0.5 unless given.
    time: Option<Duration>,
    /// Largest way that the object may move in the hand [m]; 0.02 unless given.
    slip: Option<Length>,
}

impl GraspSpec {
    pub(crate) fn build(&self, world: &World) -> Result<Shaking, Fault> {
        Ok(Shaking {
            object: body_named(&self.object, world).map_err(|fault| fault.at("object"))?,
            acceleration: 9.81 * self.shake.map_or(2.0, Quantity::get),
            time: self.time.map_or(0.5, Quantity::get),
            slip: self.slip.map_or(0.02, Quantity::get),
        })
    }
}
