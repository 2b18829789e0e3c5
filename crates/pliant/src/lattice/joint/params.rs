//! What a joint between two parts of a body is built from.

use crate::check::Checks;
use crate::error::BuildError;
use crate::lattice::params::Drive;
use crate::math::Vec3;

/// A joint between two parts of a body, made of connectors: it turns about an axis, or slides along it. Its coordinate
/// is zero as built, and grows as the second part turns about the axis by the right hand, or moves along it.
#[derive(Clone, Debug, PartialEq)]
pub struct JointSpec {
    /// Name.
    pub name: String,
    /// What it lets the parts do.
    pub kind: JointKind,
    /// Indices of the two parts.
    pub parts: [usize; 2],
    /// A point on its axis, in the body's frame [m].
    pub at: Vec3,
    /// Direction of its axis, in the body's frame.
    pub axis: Vec3,
    /// Distance between the two places on the axis where the parts meet [m]; `None` takes the edge of a cell.
    pub width: Option<f64>,
    /// Stiffness of each of the linear connectors that keep the parts together [N/m]; `None` takes Young's modulus times
    /// the edge of a cell.
    pub holding: Option<f64>,
    /// Stiffness of its coordinate [N m/rad or N/m]; zero for a passive joint.
    pub stiffness: f64,
    /// Damping of its coordinate [N m s/rad or N s/m].
    pub damping: f64,
    /// Coordinate at which its spring is at rest, before it is driven [rad or m].
    pub rest: f64,
    /// How the coordinate at rest moves, if the joint has a motor.
    pub motor: Option<Motor>,
    /// Smallest and largest coordinate [rad or m]. A joint that slides needs them: they say how long its rail is.
    pub stops: Option<[f64; 2]>,
    /// Stiffness of the stops [N m/rad or N/m]; `None` takes that of the connectors that keep the parts together.
    pub stop_stiffness: Option<f64>,
    /// Damping of the stops, which never pulls [N m s/rad or N s/m].
    pub stop_damping: f64,
}

/// What a joint lets its parts do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// Turn about the axis.
    Revolute,
    /// Slide along the axis.
    Prismatic,
}

/// How a motor moves the coordinate at which a joint's spring is at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motor {
    /// Smoothly to another one.
    To(Drive),
    /// At a constant speed.
    At {
        /// The speed [rad/s or m/s].
        speed: f64,
        /// When it starts [s].
        start: f64,
        /// When it ends [s]; infinite for never.
        end: f64,
    },
}

impl Motor {
    /// The coordinate at rest at a time [s], given the initial one.
    pub fn at(&self, rest: f64, time: f64) -> f64 {
        match *self {
            Motor::To(drive) => drive.at(rest, time),
            Motor::At { speed, start, end } => rest + speed * (time.min(end) - start).max(0.0),
        }
    }
}

impl JointSpec {
    /// A passive joint that moves freely, without stops.
    pub fn passive(name: &str, kind: JointKind, parts: [usize; 2], at: Vec3, axis: Vec3) -> JointSpec {
        JointSpec {
            name: name.into(),
            kind,
            parts,
            at,
            axis,
            width: None,
            holding: None,
            stiffness: 0.0,
            damping: 0.0,
            rest: 0.0,
            motor: None,
            stops: None,
            stop_stiffness: None,
            stop_damping: 0.0,
        }
    }

    /// Check its numbers; `parts` is how many parts the body has.
    pub(in crate::lattice) fn check(&self, body: &str, parts: usize) -> Result<(), BuildError> {
        let owner = format!("joint {} of {body}", self.name);
        let checks = Checks(&owner);
        let [a, b] = self.parts;
        checks.that(a < parts && b < parts && a != b, "the parts", "two parts of the body", b as f64)?;
        checks.finite("the point on the axis", self.at)?;
        checks.finite("the axis", self.axis)?;
        checks.positive("the length of the axis", self.axis.length())?;
        checks.positive("width", self.width.unwrap_or(1.0))?;
        checks.positive("holding", self.holding.unwrap_or(1.0))?;
        checks.not_negative("stiffness", self.stiffness)?;
        checks.not_negative("damping", self.damping)?;
        checks.that(self.rest.is_finite(), "the rest", "finite", self.rest)?;
        checks.positive("stop_stiffness", self.stop_stiffness.unwrap_or(1.0))?;
        checks.not_negative("stop_damping", self.stop_damping)?;
        if let Some([low, high]) = self.stops {
            let most = if self.kind == JointKind::Revolute { std::f64::consts::PI } else { f64::MAX };
            let sound = low < high && (-most..=most).contains(&low) && (-most..=most).contains(&high);
            checks.that(sound, "the stops", "ascending, from -180 to 180 degrees for a joint that turns", low)?;
            checks.that((low..=high).contains(&0.0), "the stops", "around 0, where the parts are at first", low)?;
        } else if self.kind == JointKind::Prismatic {
            return Err(checks.bad("the stops", "given for a joint that slides: they say how long its rail is", 0.0));
        }
        if let Some(motor) = &self.motor {
            let (start, end, value) = match *motor {
                Motor::To(Drive { to, start, end }) => (start, end, to),
                Motor::At { speed, start, end } => (start, end, speed),
            };
            checks.that(value.is_finite(), "the motor", "finite", value)?;
            checks.that(start.is_finite() && end > start, "the end of the motor", "after its start", end)?;
            checks.positive("the stiffness, through which its motor acts,", self.stiffness)?;
        }
        Ok(())
    }
}
