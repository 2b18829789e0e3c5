//! What an arm is built from.

use std::sync::Arc;

use crate::material::Friction;
use crate::math::{Pose, Vec3};
use crate::robot::{Model, RobotError, RobotSpec};

/// Specification of an arm.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmSpec {
    /// Links and joints. Its gravity is that of the world, whatever is written here.
    pub robot: RobotSpec,
    /// Where a free root begins; a fixed one is where the robot's specification says.
    pub root: Pose,
    /// Velocity [m/s] and angular velocity [rad/s] with which a free root begins, in the world.
    pub moving: [Vec3; 2],
    /// Coordinates of the joints at the start, from root to tips [rad, m]; empty for zero, or what limits allow.
    pub joints: Vec<f64>,
    /// What drives each joint, from root to tips; empty for joints that are free.
    pub drives: Vec<JointDrive>,
    /// Where servos of positions go, in time; `None` for their targets.
    pub motion: Option<Arc<JointMotion>>,
    /// Whether drives also carry the weight of the arm, as far as their effort allows.
    pub carries_itself: bool,
    /// Pairs of links, by index, that pass through each other. Neighbours always do, and those that touch when their shapes are put on them.
    pub passing: Vec<[usize; 2]>,
    /// Friction of its links on obstacles that have none of their own, and on each other: that of the arm that was added first.
    pub friction: Friction,
}

impl ArmSpec {
    /// An arm at rest, with joints at zero, that nothing drives, and friction of 0.5.
    pub fn new(robot: RobotSpec) -> ArmSpec {
        let friction = Friction { coefficient: 0.5, exponent: 1.0 };
        ArmSpec {
            robot,
            root: Pose::IDENTITY,
            moving: [Vec3::ZERO; 2],
            joints: vec![],
            drives: vec![],
            motion: None,
            carries_itself: false,
            passing: vec![],
            friction,
        }
    }

    /// Check everything, and freeze the model.
    pub(super) fn check(&self) -> Result<Model, RobotError> {
        use crate::robot::Part;
        let model = Model::new(&self.robot)?;
        let count = model.coordinates().len();
        let fail = |text: String| Err(RobotError { text, part: Part::Whole });
        if !(self.root.translation.is_finite() && self.root.rotation.is_normalized()) {
            return fail(format!("its root must have a finite place and a rotation, got {:?}", self.root));
        }
        if !self.moving.iter().all(|v| v.is_finite()) {
            return fail(format!("its root must begin with finite velocities, got {:?}", self.moving));
        }
        if !self.joints.is_empty() && self.joints.len() != count {
            return fail(format!("it has {count} joint coordinates, but {} are given", self.joints.len()));
        }
        if !self.drives.is_empty() && self.drives.len() != count {
            return fail(format!("it has {count} joint coordinates, but {} drives are given", self.drives.len()));
        }
        for (q, coordinate) in self.joints.iter().zip(model.coordinates()) {
            let [low, high] = coordinate.range;
            if !(q.is_finite() && (low..=high).contains(q)) {
                return fail(format!("{} must start between {low} and {high}, got {q}", coordinate.name));
            }
        }
        if let Some(motion) = &self.motion {
            let whole = count > 0 && !motion.samples.is_empty() && motion.samples.len().is_multiple_of(count);
            if !(whole && motion.spacing > 0.0 && motion.samples.iter().all(|q| q.is_finite())) {
                return fail("a motion must have finite samples of all joints, and time between them".into());
            }
        }
        let Friction { coefficient, exponent } = self.friction;
        if ![coefficient, exponent].iter().all(|x| x.is_finite() && *x >= 0.0) {
            return fail(format!("its friction must be finite and not negative, got {:?}", self.friction));
        }
        let links = self.robot.links.len();
        if let Some([a, b]) = self.passing.iter().find(|pair| pair.iter().any(|link| *link >= links)) {
            return fail(format!("links {a} and {b} are to pass through each other, but it has {links} links"));
        }
        if let Some(drive) = self.drives.iter().find(|drive| !drive.is_sound()) {
            return fail(format!("a drive must have finite numbers and gains that are not negative, got {drive:?}"));
        }
        Ok(model)
    }
}

/// A motion of all joints, sampled evenly: straight between samples, at rest before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct JointMotion {
    /// Time between samples [s].
    pub spacing: f64,
    /// Coordinates of all joints, from root to tips, sample after sample, from time zero on [rad, m].
    pub samples: Vec<f64>,
}

impl JointMotion {
    /// Coordinate of one of `joints` joints at a time [s].
    pub(super) fn at(&self, joint: usize, joints: usize, time: f64) -> f64 {
        let last = self.samples.len() / joints.max(1) - 1;
        let place = (time / self.spacing).clamp(0.0, last as f64);
        let before = (place as usize).min(last.saturating_sub(1));
        let value = |sample: usize| self.samples[sample.min(last) * joints + joint];
        value(before) + (value(before + 1) - value(before)) * (place - before as f64)
    }
}

/// What drives a joint. Forces are cut to the effort of the joint, velocities of targets to its largest speed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum JointDrive {
    /// Nothing.
    #[default]
    Free,
    /// A torque, or a force [N m, N].
    Torque(f64),
    /// A servo that holds a velocity.
    Velocity {
        /// Velocity [rad/s, m/s].
        target: f64,
        /// Torque per error of the velocity [N m s/rad, N s/m].
        gain: f64,
    },
    /// A servo that holds a position.
    Position {
        /// Position [rad, m].
        target: f64,
        /// Torque per error of the position [N m/rad, N/m].
        stiffness: f64,
        /// Torque per error of the velocity [N m s/rad, N s/m].
        damping: f64,
    },
}

impl JointDrive {
    /// Whether its numbers make sense.
    pub fn is_sound(&self) -> bool {
        match *self {
            JointDrive::Free => true,
            JointDrive::Torque(torque) => torque.is_finite(),
            JointDrive::Velocity { target, gain } => target.is_finite() && gain.is_finite() && gain >= 0.0,
            JointDrive::Position { target, stiffness, damping } => {
                target.is_finite() && [stiffness, damping].iter().all(|k| k.is_finite() && *k >= 0.0)
            }
        }
    }

    /// The target of the servo; zero where there is none.
    pub(super) fn target(&self) -> f64 {
        match *self {
            JointDrive::Velocity { target, .. } | JointDrive::Position { target, .. } => target,
            JointDrive::Free | JointDrive::Torque(_) => 0.0,
        }
    }
}
