//! The plain picture of a world: [`Layout`] is what does not change from step to step, [`Frame`] what does. Page, recorder,
//! report and Python read these two and nothing else.

mod event;
mod layout;

pub use event::{Event, EventKind};
pub use layout::{BodyLayout, GripperLayout, Layout, Model, ObstacleLayout, UnknownModel};

use crate::account::Account;
use crate::bytes::stored_enum;
use crate::counters::Counters;
use crate::grip::Wrench;
use crate::math::{Pose, Quat, Vec3};

/// A world at one instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Simulated time [s].
    pub time: f64,
    /// Bodies, in the order of the world.
    pub bodies: Vec<BodyFrame>,
    /// Grippers, in the order of the world.
    pub grippers: Vec<GripperFrame>,
    /// Poses of the obstacles, in the order of the world.
    pub obstacles: Vec<Pose>,
    /// All contacts.
    pub contacts: Vec<Contact>,
    /// How deep any body was in anything at most during the last step [m]: the greatest depth of contacts, and of cables and rods of
    /// links as the second look at the step measures it on their tubes, to a hundredth of the radius.
    pub penetration: f64,
    /// What happened in the last step.
    pub events: Vec<Event>,
    /// What the solvers of all bodies have done since the start: inner steps, iterations, steps that were cut.
    pub counters: Counters,
}

impl Frame {
    /// Force of an obstacle on a body, or on all bodies [N].
    pub fn force_of_obstacle(&self, obstacle: usize, body: Option<usize>) -> Vec3 {
        let here = |c: &&Contact| c.other == Other::Obstacle(obstacle) && body.is_none_or(|body| c.body == body);
        self.contacts.iter().filter(here).map(|contact| contact.force).sum()
    }
}

/// A body at one instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyFrame {
    /// Positions of the nodes [m].
    pub nodes: Vec<Vec3>,
    /// Orientations along the body; empty for models without.
    pub frames: Vec<Quat>,
    /// Quantities per node, such as tension.
    pub fields: Vec<Field>,
    /// Energies.
    pub energy: Energy,
    /// What was done on it, and whether its energy follows.
    pub account: Account,
}

impl BodyFrame {
    /// Have these fields, given by name and unit. A frame that has them already stays as it is, and nothing is allocated.
    pub(crate) fn set_fields(&mut self, fields: &[(&'static str, &'static str)]) {
        if !self.fields.iter().map(|field| (field.name, field.unit)).eq(fields.iter().copied()) {
            self.fields = fields.iter().map(|&(name, unit)| Field { name, unit, values: vec![] }).collect();
        }
    }
}

/// A quantity with one value per node.
#[derive(Clone, Debug, PartialEq)]
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
pub struct Energy {
    /// Of motion.
    pub kinetic: f64,
    /// Of deformation.
    pub elastic: f64,
    /// In the field of gravity, zero at the origin.
    pub gravity: f64,
}

impl Energy {
    /// The sum.
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.gravity
    }
}

/// A gripper at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GripperFrame {
    /// Its pose.
    pub pose: Pose,
    /// What the bodies exert on it: world axes, torque about its origin, mean over the last step.
    pub load: Wrench,
    /// Whether it holds anything, or touches it with its fingertip.
    pub attached: bool,
}

/// One contact of a body with an obstacle, another body, itself or a slider: where a force acts, or surfaces are in each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Index of the body.
    pub body: usize,
    /// What it touches.
    pub other: Other,
    /// Where, in the world [m].
    pub position: Vec3,
    /// Unit normal out of what it touches.
    pub normal: Vec3,
    /// Force on the body [N].
    pub force: Vec3,
    /// How deep the body's surface is inside the other [m]; not positive when it is not.
    pub penetration: f64,
    /// Where along a rod, from its start without load [m]; none for solids.
    pub along: Option<f64>,
}

/// What a body touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// An obstacle, by index.
    Obstacle(usize),
    /// A body, by index: another one or itself.
    Body(usize),
    /// A line that a place of it slides on, by index among those of the body.
    Slider(usize),
}

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
        // as many, but others
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
