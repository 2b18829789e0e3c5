//! Dead loads in a scene file.

use pliant::math::Vec3;
use pliant::{Load, World};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::text::fault::Fault;
use crate::text::quantity::{EndTime, LoadForce, LoadTorque, Quantity, Time, Triple};
use crate::text::word::Name;
use crate::world::place::{PlaceSpec, body_named};

/// A force or torque with a fixed direction in the world, such as a weight hung on a rod.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LoadSpec {
    /// Name of the body.
    body: Name,
    /// Where on the body: "start", "end", a fraction of its length from 0 to 1, { node = 3 }, or for a solid { point =
    /// [x, y, z] }, the particle nearest to it, or { min = [x, y, z], max = [x, y, z] }, all particles in that box of
    /// the world.
    at: PlaceSpec,
    /// Force in the world frame [N]; none unless given.
    force: Option<Triple<LoadForce>>,
    /// Torque in the world frame [N m]; none unless given.
    torque: Option<Triple<LoadTorque>>,
    /// When it starts [s]; 0 unless given.
    from: Option<Time>,
    /// When it ends [s]; never unless given.
    until: Option<EndTime>,
    /// Duration of a linear rise to full size, from its start on [s]; 0 unless given.
    rise: Option<Time>,
    /// Duration of a linear fall to zero, up to its end [s]; 0 unless given.
    fall: Option<Time>,
}

impl LoadSpec {
    pub(crate) fn build(&self, world: &World) -> Result<Load, Fault> {
        let from = self.from.map_or(0.0, Quantity::get);
        let until = self.until.map_or(f64::INFINITY, Quantity::get);
        if until <= from {
            return Err(Fault::new(format!("it must end after it starts at {from} s, got {until} s")).at("until"));
        }
        let (rise, fall) = (self.rise.map_or(0.0, Quantity::get), self.fall.map_or(0.0, Quantity::get));
        if until.is_infinite() && fall > 0.0 {
            return Err(Fault::new("a load that never ends does not fall: say until when it acts").at("fall"));
        }
        // ramps that add up to the same time differ by rounding
        if rise + fall > (until - from) * (1.0 + 1e-9) {
            let message =
                format!("it acts for {} s, too short to rise for {rise} s and fall for {fall} s", until - from);
            return Err(Fault::new(message).at(if fall > 0.0 { "fall" } else { "rise" }));
        }
        if self.force.is_none() && self.torque.is_none() {
            return Err(Fault::new("a load needs a force or a torque"));
        }
        let body = body_named(&self.body, world)?;
        let force = self.force.map_or(Vec3::ZERO, |force| force.vector());
        let torque = self.torque.map_or(Vec3::ZERO, |torque| torque.vector());
        Ok(Load { body, place: self.at.0, force, torque, from, until, rise, fall })
    }
}
