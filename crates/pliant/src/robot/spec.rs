//! What a robot is built from: links and joints, as a robot's file lists them.

use crate::math::{Mat3, Pose, Vec3};

/// A robot as links and joints.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotSpec {
    /// Name.
    pub name: String,
    /// Links, in any order.
    pub links: Vec<LinkSpec>,
    /// Joints, in any order.
    pub joints: Vec<JointSpec>,
    /// How the root link is held.
    pub base: Base,
    /// Gravity in the world [m/s2].
    pub gravity: Vec3,
}

/// How the root link is held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Base {
    /// It stays at this pose in the world.
    Fixed(Pose),
    /// It is free.
    Floating,
}

/// A link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSpec {
    /// Name.
    pub name: String,
    /// Mass [kg].
    pub mass: f64,
    /// Centre of mass in the link's frame [m].
    pub centre: Vec3,
    /// Inertia about the centre of mass, in the link's axes [kg m2].
    pub inertia: Mat3,
}

/// What a joint allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// Nothing.
    Fixed,
    /// Turns about its axis between limits.
    Revolute,
    /// Turns about its axis without limits.
    Continuous,
    /// Slides along its axis between limits.
    Prismatic,
    /// Slides and turns in the plane across its axis.
    Planar,
    /// Everything. Only the joint above all others may be of this kind.
    Floating,
}

/// A joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointSpec {
    /// Name.
    pub name: String,
    /// What it allows.
    pub kind: JointKind,
    /// Index of the link that it is on.
    pub parent: usize,
    /// Index of the link that it carries.
    pub child: usize,
    /// Its frame in that of the parent; the child's frame is the same where the coordinate is zero.
    pub origin: Pose,
    /// Axis, or the normal of the plane, in its frame; of any length but zero.
    pub axis: Vec3,
    /// Limits.
    pub limits: Limits,
    /// Damping [N m s/rad, N s/m].
    pub damping: f64,
    /// Coulomb friction [N m, N].
    pub friction: f64,
    /// Another joint that it follows.
    pub mimic: Option<Mimic>,
}

impl JointSpec {
    /// A joint without limits, damping and friction.
    pub fn new(name: &str, kind: JointKind, [parent, child]: [usize; 2], origin: Pose, axis: Vec3) -> JointSpec {
        let (limits, name) = (Limits::default(), name.into());
        JointSpec { name, kind, parent, child, origin, axis, limits, damping: 0.0, friction: 0.0, mimic: None }
    }

    /// What it turns about or slides along, one after the other from the parent on: none, one, or two slides and a turn of a planar
    /// joint. A floating joint has none: it is the base.
    pub fn axes(&self) -> Vec<JointAxis> {
        let direction = self.axis.try_normalize().unwrap_or(Vec3::X);
        let one = |slides: bool| vec![JointAxis { direction, slides, suffix: "" }];
        match self.kind {
            JointKind::Fixed | JointKind::Floating => vec![],
            JointKind::Revolute | JointKind::Continuous => one(false),
            JointKind::Prismatic => one(true),
            JointKind::Planar => {
                let (x, y) = direction.any_orthonormal_pair();
                // the x axis of the joint where that is in the plane
                let along = (Vec3::X - direction * direction.x).try_normalize();
                let x = along.filter(|_| direction.x.abs() < 0.9).unwrap_or(x);
                let y = if direction.cross(x).length() > 0.5 { direction.cross(x) } else { y };
                let axis = |direction: Vec3, slides: bool, suffix| JointAxis { direction, slides, suffix };
                vec![axis(x, true, "/x"), axis(y, true, "/y"), axis(direction, false, "/turn")]
            }
        }
    }
}

/// An axis of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointAxis {
    /// Unit vector, in the frame of the joint.
    pub direction: Vec3,
    /// Whether it slides along it, instead of turning about it.
    pub slides: bool,
    /// What follows the joint's name in that of its coordinate.
    pub suffix: &'static str,
}

/// Limits of a joint; infinite where there are none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Smallest coordinate [rad, m].
    pub lower: f64,
    /// Largest coordinate [rad, m].
    pub upper: f64,
    /// Largest torque or force of its drive [N m, N].
    pub effort: f64,
    /// Largest speed [rad/s, m/s].
    pub velocity: f64,
}

impl Default for Limits {
    fn default() -> Limits {
        let all = f64::INFINITY;
        Limits { lower: -all, upper: all, effort: all, velocity: all }
    }
}

/// A joint that follows another: coordinate = multiplier * that of the other + offset.
#[derive(Clone, Debug, PartialEq)]
pub struct Mimic {
    /// Index of the joint that it follows.
    pub joint: usize,
    /// Multiplier.
    pub multiplier: f64,
    /// Offset [rad, m].
    pub offset: f64,
}

/// A part of a robot, by its index in [`RobotSpec`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A link.
    Link(usize),
    /// A joint.
    Joint(usize),
    /// All of it.
    Whole,
}

/// Why links and joints make no robot.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{text}")]
pub struct RobotError {
    /// What is wrong and what to do.
    pub text: String,
    /// Where.
    pub part: Part,
}

impl RobotError {
    pub(super) fn new(part: Part, text: impl Into<String>) -> RobotError {
        RobotError { text: text.into(), part }
    }
}
