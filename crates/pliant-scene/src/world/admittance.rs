//! Admittance of an arm in a scene file: a wrench at its wrist comes in, a motion goes out.

use pliant::World;
use pliant::arm::Admittance;
use pliant::math::Vec3;
use pliant::{GripperId, SensorId};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::text::fault::Fault;
use crate::text::quantity::{
    ContactDamping, ContactStiffness, Triple, TurnDamping, TurnInertia, TurnStiffness, VirtualMass,
};
use crate::text::word::Name;

/// A mass on a spring and a damper as which a gripper gives way to a sensor, along and about the axes of the place where its motion leads it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AdmittanceSpec {
    /// Name of a sensor of the gripper; its only one unless given.
    sensor: Option<Name>,
    /// Mass along x, y and z [kg]; an axis with 0 does not give way.
    mass: Triple<VirtualMass>,
    /// Force per velocity [N s/m].
    damping: Triple<ContactDamping>,
    /// Force per displacement [N/m]; 0 unless given.
    stiffness: Option<Triple<ContactStiffness>>,
    /// Moment of inertia about x, y and z [kg m2]; 0, which does not give way, unless given.
    turn_inertia: Option<Triple<TurnInertia>>,
    /// Torque per angular velocity [N m s/rad]; 0 unless given.
    turn_damping: Option<Triple<TurnDamping>>,
    /// Torque per angle [N m/rad]; 0 unless given.
    turn_stiffness: Option<Triple<TurnStiffness>>,
}

impl AdmittanceSpec {
    fn build(&self) -> Admittance {
        let six = |along: Vec3, about: Vec3| [along.x, along.y, along.z, about.x, about.y, about.z];
        Admittance {
            mass: six(self.mass.vector(), self.turn_inertia.map_or(Vec3::ZERO, |j| j.vector())),
            damping: six(self.damping.vector(), self.turn_damping.map_or(Vec3::ZERO, |d| d.vector())),
            stiffness: six(
                self.stiffness.map_or(Vec3::ZERO, |k| k.vector()),
                self.turn_stiffness.map_or(Vec3::ZERO, |k| k.vector()),
            ),
        }
    }

    /// Let the arm that leads a gripper give way.
    pub(crate) fn apply(&self, world: &mut World, gripper: GripperId) -> Result<(), Fault> {
        let sensor = self.find(world, gripper)?;
        world.yield_tool(gripper, Some((self.build(), sensor))).map_err(|e| Fault::new(e.to_string()))
    }

    /// The sensor that it gives way to.
    fn find(&self, world: &World, gripper: GripperId) -> Result<SensorId, Fault> {
        let on_it = world.sensors().iter().filter(|sensor| sensor.params.gripper == gripper);
        let names: Vec<&str> = on_it.map(|sensor| sensor.params.name.as_str()).collect();
        let name = match (&self.sensor, &names[..]) {
            (Some(name), _) if names.contains(&&**name) => &**name,
            (Some(name), _) => return Err(Fault::unknown("sensor of its gripper", name, names).at("sensor")),
            (None, [only]) => only,
            (None, []) => return Err(Fault::new("it needs a [[sensor]] on the gripper that the arm leads")),
            (None, _) => {
                return Err(Fault::new(format!("its gripper has the sensors {}: say which", names.join(", "))));
            }
        };
        world.sensor_named(name).ok_or_else(|| Fault::new(format!("there is no sensor {name}")))
    }
}
