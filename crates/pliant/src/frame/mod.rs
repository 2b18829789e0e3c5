//! The public state of a world as plain data: [`Layout`] is what stays constant from step to step, [`Frame`] what
//! changes. Page, recorder, report and Python read these two and nothing else.
//!
//! With the feature `serde` both can be serialised, and so can their parts: vectors as [x, y, z], quaternions as
//! [w, x, y, z], poses as `position` and `orientation`, events with their fields beside `time` and `kind`. JSON has no
//! infinite numbers: `serde_json` writes `null` in place of them.

mod event;
mod layout;
#[cfg(feature = "serde")]
mod serial;
mod view;

pub use event::{Event, EventKind};
pub use layout::{BodyLayout, GripperLayout, JointLayout, Layout, Model, ObstacleLayout, SensorLayout, UnknownModel};
pub use view::View;

use crate::account::Account;
use crate::bytes::{stored, stored_enum};
use crate::counters::Counters;
use crate::grip::{GripState, Hold, Place, Wrench};
use crate::math::{Pose, Quat, Vec3};

/// A world at one instant.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Frame {
    /// Simulated time [s].
    pub time: f64,
    /// Bodies, in the order of the world.
    pub bodies: Vec<BodyFrame>,
    /// Grippers, in the order of the world.
    pub grippers: Vec<GripperFrame>,
    /// Readings of the sensors, in the order of the world.
    pub sensors: Vec<SensorFrame>,
    /// All grips, closed or not, in the order of [`World::grips`](crate::World::grips).
    pub grips: Vec<GripFrame>,
    /// Poses of the obstacles, in the order of the world.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::poses"))]
    pub obstacles: Vec<Pose>,
    /// All contacts.
    pub contacts: Vec<Contact>,
    /// Largest penetration of any body into anything during the last step [m]: of all contacts, and for cables and rods
    /// of links also as the check after the step measures it on their tubes, to a hundredth of the radius.
    pub penetration: f64,
    /// What happened in the last step.
    pub events: Vec<Event>,
    /// Work of the solvers of all bodies since the start: inner steps, iterations, iteration limits reached.
    pub counters: Counters,
}

impl Frame {
    /// Sum of the contact forces of an obstacle on one body, or on all bodies for `None`, in the world [N].
    pub fn force_of_obstacle(&self, obstacle: usize, body: Option<usize>) -> Vec3 {
        let here = |c: &&Contact| c.other == Other::Obstacle(obstacle) && body.is_none_or(|body| c.body == body);
        self.contacts.iter().filter(here).map(|contact| contact.force).sum()
    }
}

/// A body at one instant.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BodyFrame {
    /// Positions of the nodes in the world [m].
    pub nodes: Vec<Vec3>,
    /// Velocities of the nodes in the world [m/s].
    pub velocities: Vec<Vec3>,
    /// Orientations along the body, in the world; empty for models without any.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::quats"))]
    pub frames: Vec<Quat>,
    /// Quantities per node, such as tension.
    pub fields: Vec<Field>,
    /// Energies.
    pub energy: Energy,
    /// Work done on the body, against the change of its energy.
    pub account: Account,
    /// Joints of an arm, from root to tips, or between parts of a lattice; empty for other models.
    pub joints: Vec<JointFrame>,
}

/// A joint coordinate of an arm or a lattice at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct JointFrame {
    /// Angle or length [rad, m].
    pub position: f64,
    /// Its rate [rad/s, m/s].
    pub speed: f64,
    /// Torque or force of the drive of an arm, mean over the last step, or of a lattice's spring, damper and stops [N m, N].
    pub torque: f64,
}

impl BodyFrame {
    /// Set the fields, given by name and unit. Does not allocate if the frame has these fields already.
    pub(crate) fn set_fields(&mut self, fields: &[(&'static str, &'static str)]) {
        if !self.fields.iter().map(|field| (field.name, field.unit)).eq(fields.iter().copied()) {
            self.fields = fields.iter().map(|&(name, unit)| Field { name, unit, values: vec![] }).collect();
        }
    }
}

/// A quantity with one value per node.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Field {
    /// Name, such as `tension`.
    pub name: &'static str,
    /// Unit, such as `N`.
    pub unit: &'static str,
    /// One value per node.
    pub values: Vec<f64>,
}

/// Energies of a body [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Energy {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Elastic energy.
    pub elastic: f64,
    /// Potential energy in the field of gravity, zero at the origin.
    pub gravity: f64,
}

impl Energy {
    /// Sum of all energies [J].
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.gravity
    }
}

/// A gripper at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct GripperFrame {
    /// Its pose in the world.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::pose"))]
    pub pose: Pose,
    /// Force and torque of the bodies on the gripper: world axes, torque about its origin, mean over the last step.
    pub load: Wrench,
    /// Whether it holds a body, or its fingertip touches one.
    pub attached: bool,
}

/// What a force/torque sensor reads at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SensorFrame {
    /// Its pose in the world.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::pose"))]
    pub pose: Pose,
    /// Force of the bodies, and of the weight of its tool, in its own axes [N].
    pub force: Vec3,
    /// Torque about its origin, in its own axes [N m].
    pub torque: Vec3,
}

/// A grip at one instant, closed or not.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct GripFrame {
    /// Index of the gripper.
    pub gripper: usize,
    /// Index of the body.
    pub body: usize,
    /// Where on the body.
    pub place: Place,
    /// What it constrains.
    pub hold: Hold,
    /// Whether it is closed.
    pub state: GripState,
    /// Where the gripper leads the held place, in the world [m]; the gripper's origin while the grip is not closed.
    pub position: Vec3,
    /// Force and torque of the body on the gripper by this grip; zero while it is not closed.
    pub load: Wrench,
}

/// A contact of a body with an obstacle, another body, itself or a slider: where a force acts or surfaces overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Contact {
    /// Index of the body.
    pub body: usize,
    /// What it touches.
    pub other: Other,
    /// Where, in the world [m].
    pub position: Vec3,
    /// Unit normal in the world, pointing out of what is touched.
    pub normal: Vec3,
    /// Force on the body, in the world [N].
    pub force: Vec3,
    /// Penetration of the body's surface into the other [m]; not positive where they do not overlap.
    pub penetration: f64,
    /// Position along a rod, as unloaded arc length from its start [m]; `None` for solids.
    pub along: Option<f64>,
}

/// The counterpart of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Other {
    /// An obstacle, by index.
    Obstacle(usize),
    /// A body, by index: another one, or the body itself.
    Body(usize),
    /// A line on which a place of the body slides, by index among the sliders of the body.
    Slider(usize),
}

stored!(Contact { body, other, position, normal, force, penetration, along });
stored_enum!(Other { 0 => Obstacle { 0: index }, 1 => Body { 0: index }, 2 => Slider { 0: index } });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_keeps_its_fields_but_not_those_of_another_body() {
        let mut frame = BodyFrame::default();
        frame.set_fields(&[("speed", "m/s")]);
        frame.fields[0].values.push(1.0);
        let memory = frame.fields[0].values.as_ptr();
        frame.set_fields(&[("speed", "m/s")]);
        assert_eq!((frame.fields[0].values.as_ptr(), frame.fields[0].values[0]), (memory, 1.0));
        // the same number of fields, but different ones
        for other in [("displacement", "m/s"), ("displacement", "m")] {
            frame.fields[0].values.push(1.0);
            frame.set_fields(&[other]);
            assert_eq!(frame.fields, [Field { name: other.0, unit: other.1, values: vec![] }]);
        }
        frame.set_fields(&[("displacement", "m"), ("speed", "m/s")]);
        assert_eq!(frame.fields.iter().map(|field| field.name).collect::<Vec<_>>(), ["displacement", "speed"]);
        frame.set_fields(&[]);
        assert!(frame.fields.is_empty());
    }
}
