//! Force/torque sensors in a scene file.

use pliant::math::Vec3;
use pliant::{SensorParams, World};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::text::fault::Fault;
use crate::text::quantity::{BendingForce, Coordinate, Mass, Quantity, Rate, Time, TorqueNoise, Triple};
use crate::text::word::{Name, Table};
use crate::world::pose::{OrientationSpec, pose};

/// A force/torque sensor, as in the wrist of a robot: it measures the load of a gripper in its own axes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SensorSpec {
    /// Name, unique among sensors.
    name: Name,
    /// Name of the gripper whose load it measures.
    gripper: Name,
    /// Position in the frame of the gripper [m]; its origin unless given.
    position: Option<Triple<Coordinate>>,
    /// Orientation in the frame of the gripper; the same unless given.
    orientation: Option<Table<OrientationSpec>>,
    /// Readings per second [Hz]; one at each step unless given.
    rate: Option<Rate>,
    /// Cut-off frequency of its low-pass filter, of first order [Hz]; no filter unless given.
    bandwidth: Option<Rate>,
    /// Standard deviations of its noise; none unless given.
    noise: Option<Table<NoiseSpec>>,
    /// Seed of the noise; its number among the sensors unless given.
    seed: Option<u32>,
    /// When what it reads is taken to be zero [s]; never unless given.
    tare: Option<Time>,
    /// The tool beyond it, whose weight it feels; none unless given.
    tool: Option<Table<ToolSpec>>,
}

/// Standard deviations of the noise of a sensor.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoiseSpec {
    /// Of each component of the force [N]; 0 unless given.
    force: Option<BendingForce>,
    /// Of each component of the torque [N m]; 0 unless given.
    torque: Option<TorqueNoise>,
}

/// The tool beyond a sensor.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ToolSpec {
    /// Mass [kg].
    mass: Mass,
    /// Centre of mass in the frame of the sensor [m]; its origin unless given.
    centre: Option<Triple<Coordinate>>,
}

impl SensorSpec {
    /// The sensor; `number` is its place in the list.
    pub(crate) fn build(&self, number: usize, world: &World) -> Result<SensorParams, Fault> {
        let Some(gripper) = world.gripper_named(&self.gripper) else {
            let known = world.grippers().iter().map(|gripper| gripper.params.name.as_str());
            return Err(Fault::unknown("gripper", &self.gripper, known).at("gripper"));
        };
        let noise = self.noise.as_deref();
        let tool = self.tool.as_deref();
        Ok(SensorParams {
            gripper_from_sensor: pose(self.position.as_ref(), self.orientation.as_ref(), Vec3::ZERO)?,
            rate: self.rate.map_or(f64::INFINITY, Quantity::get),
            bandwidth: self.bandwidth.map_or(f64::INFINITY, Quantity::get),
            force_noise: noise.and_then(|noise| noise.force).map_or(0.0, Quantity::get),
            torque_noise: noise.and_then(|noise| noise.torque).map_or(0.0, Quantity::get),
            seed: self.seed.map_or(number as u64, u64::from),
            tare: self.tare.map(Quantity::get),
            tool_mass: tool.map_or(0.0, |tool| tool.mass.get()),
            tool_centre: tool.and_then(|tool| tool.centre).map_or(Vec3::ZERO, |centre| centre.vector()),
            ..SensorParams::ideal(&self.name, gripper)
        })
    }
}
