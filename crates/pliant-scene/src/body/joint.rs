//! Joints between parts of a body of the model `lattice` in a scene file.

use std::f64::consts::PI;

use pliant::lattice::{Drive, JointKind, JointSpec, Motor};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::body::solid::PartSpec;
use crate::text::fault::Fault;
use crate::text::quantity::{
    Angle, Component, ContactDamping, ContactStiffness, Coordinate, EndTime, Length, Quantity, Spin, Stiffness, Time,
    Triple, TurnDamping, TurnStiffness, Velocity,
};
use crate::text::word::{Name, Pair, Table};

/// A joint that turns about an axis. Its angle is 0 at first, and grows as the second part turns by the right hand.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RevoluteSpec {
    /// Name, unique among joints of the body.
    name: Name,
    /// Names of the two parts.
    parts: Pair<Name>,
    /// A point on the axis, in the frame of the body [m].
    at: Triple<Coordinate>,
    /// Direction of the axis, in the frame of the body.
    axis: Triple<Component>,
    /// Distance between the two places on the axis that are held together [m]; the edge of a cell unless given.
    width: Option<Length>,
    /// Stiffness of each connector that holds the parts together [N/m]; Young's modulus times the edge of a cell unless
    /// given.
    holding: Option<Stiffness>,
    /// Stiffness of its spring [N m/rad]; none unless given: the joint is passive.
    stiffness: Option<TurnStiffness>,
    /// Damping [N m s/rad]; none unless given.
    damping: Option<TurnDamping>,
    /// Angle at which the spring is at rest [degrees]; 0 unless given.
    rest_deg: Option<Angle>,
    /// Smallest and largest angle [degrees], from -180 to 180; it turns freely unless given.
    stops_deg: Option<Pair<Angle>>,
    /// Stiffness of the stops [N m/rad]; that of what holds the parts together unless given.
    stop_stiffness: Option<TurnStiffness>,
    /// Damping of the stops, which do not pull [N m s/rad]; none unless given.
    stop_damping: Option<TurnDamping>,
    /// Its motor, which moves the angle at which its spring is at rest; none unless given.
    drive: Option<Table<TurnDriveSpec>>,
}

/// A joint that slides along an axis. Its coordinate is 0 at first, and grows as the second part moves along the axis.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PrismaticSpec {
    /// Name, unique among joints of the body.
    name: Name,
    /// Names of the two parts: that with the rail, and the one that slides on it.
    parts: Pair<Name>,
    /// A point on the axis where the second part is, in the frame of the body [m].
    at: Triple<Coordinate>,
    /// Direction of the axis, in the frame of the body.
    axis: Triple<Component>,
    /// Distance between the two places of the second part that slide on the rail [m]; the edge of a cell unless given.
    width: Option<Length>,
    /// Stiffness with which either of them is kept on the rail, in its middle [N/m]; Young's modulus times the edge of a cell
    /// unless given.
    holding: Option<Stiffness>,
    /// Stiffness of its spring along the rail [N/m]; none unless given: the joint is passive.
    stiffness: Option<ContactStiffness>,
    /// Damping along the rail [N s/m]; none unless given.
    damping: Option<ContactDamping>,
    /// Where the spring is at rest [m]; 0 unless given.
    rest: Option<Coordinate>,
    /// How far it slides, backwards and forwards [m].
    stops: Pair<Coordinate>,
    /// Stiffness of the stops [N/m]; that of what keeps it on the rail unless given.
    stop_stiffness: Option<ContactStiffness>,
    /// Damping of the stops, which do not pull [N s/m]; none unless given.
    stop_damping: Option<ContactDamping>,
    /// Its motor, which moves where its spring is at rest; none unless given.
    drive: Option<Table<SlideDriveSpec>>,
}

/// The motor of a joint that turns.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TurnDriveSpec {
    /// Target angle, reached smoothly [degrees]; either this or `spin`.
    to_deg: Option<Angle>,
    /// Constant speed [rad/s]; either this or `to_deg`.
    spin: Option<Spin>,
    /// When it starts [s]; 0 unless given.
    start: Option<Time>,
    /// When it ends [s]; never unless given, which only a constant speed can be.
    end: Option<EndTime>,
}

/// The motor of a joint that slides.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SlideDriveSpec {
    /// Target, reached smoothly [m]; either this or `speed`.
    to: Option<Coordinate>,
    /// Constant speed [m/s]; either this or `to`.
    speed: Option<Velocity>,
    /// When it starts [s]; 0 unless given.
    start: Option<Time>,
    /// When it ends [s]; never unless given, which only a constant speed can be.
    end: Option<EndTime>,
}

impl RevoluteSpec {
    /// The joint between these parts.
    pub(crate) fn build(&self, parts: &[Table<PartSpec>]) -> Result<JointSpec, Fault> {
        let drive = self.drive.as_ref().map(|drive| {
            let to = drive.to_deg.map(|angle| angle.get().to_radians());
            motor(to, drive.spin.map(Quantity::get), ["to_deg", "spin"], drive.start, drive.end)
        });
        let stops = self.stops_deg.as_ref().map(|Pair(stops)| stops.map(|angle| angle.get().to_radians()));
        let most = PI * (1.0 + 1e-12);
        if stops.is_some_and(|stops| stops.iter().any(|stop| stop.abs() > most)) {
            return Err(Fault::new("stops are from -180 to 180 degrees").at("stops_deg"));
        }
        check_stops(stops).map_err(|fault| fault.at("stops_deg"))?;
        check_spring(drive.is_some(), self.stiffness.map(Quantity::get))?;
        let stop_stiffness = self.stop_stiffness.map(Quantity::get);
        check_stop(stop_stiffness)?;
        Ok(JointSpec {
            width: self.width.map(Quantity::get),
            holding: self.holding.map(Quantity::get),
            stiffness: self.stiffness.map_or(0.0, Quantity::get),
            damping: self.damping.map_or(0.0, Quantity::get),
            rest: self.rest_deg.map_or(0.0, |angle| angle.get().to_radians()),
            motor: drive.transpose().map_err(|fault| fault.at("drive"))?,
            stops: stops.map(|stops| stops.map(|stop| stop.clamp(-PI, PI))),
            stop_stiffness,
            stop_damping: self.stop_damping.map_or(0.0, Quantity::get),
            ..between(&self.name, JointKind::Revolute, &self.parts, parts, &self.at, &self.axis)?
        })
    }

    pub(crate) fn name(&self) -> &Name {
        &self.name
    }
}

impl PrismaticSpec {
    /// The joint between these parts.
    pub(crate) fn build(&self, parts: &[Table<PartSpec>]) -> Result<JointSpec, Fault> {
        let drive = self.drive.as_ref().map(|drive| {
            let (to, speed) = (drive.to.map(Quantity::get), drive.speed.map(Quantity::get));
            motor(to, speed, ["to", "speed"], drive.start, drive.end)
        });
        let stops = Some(self.stops.0.map(Quantity::get));
        check_stops(stops).map_err(|fault| fault.at("stops"))?;
        check_spring(drive.is_some(), self.stiffness.map(Quantity::get))?;
        let stop_stiffness = self.stop_stiffness.map(Quantity::get);
        check_stop(stop_stiffness)?;
        Ok(JointSpec {
            width: self.width.map(Quantity::get),
            holding: self.holding.map(Quantity::get),
            stiffness: self.stiffness.map_or(0.0, Quantity::get),
            damping: self.damping.map_or(0.0, Quantity::get),
            rest: self.rest.map_or(0.0, Quantity::get),
            motor: drive.transpose().map_err(|fault| fault.at("drive"))?,
            stops,
            stop_stiffness,
            stop_damping: self.stop_damping.map_or(0.0, Quantity::get),
            ..between(&self.name, JointKind::Prismatic, &self.parts, parts, &self.at, &self.axis)?
        })
    }

    pub(crate) fn name(&self) -> &Name {
        &self.name
    }
}

/// A passive joint between two named parts.
fn between(
    name: &Name,
    kind: JointKind,
    Pair(named): &Pair<Name>,
    parts: &[Table<PartSpec>],
    at: &Triple<Coordinate>,
    axis: &Triple<Component>,
) -> Result<JointSpec, Fault> {
    let known = || parts.iter().map(|part| &*part.name);
    let part = |n: usize| {
        let found = known().position(|other| *other == *named[n]);
        found.ok_or_else(|| Fault::unknown("part", &named[n], known()).at(n).at("parts"))
    };
    let two = [part(0)?, part(1)?];
    if two[0] == two[1] {
        return Err(Fault::new("a joint is between two parts, and this is one").at("parts"));
    }
    let axis = axis.vector();
    if axis.length() < 1e-9 {
        return Err(Fault::new("an axis needs a direction").at("axis"));
    }
    Ok(JointSpec::passive(name, kind, two, at.vector(), axis))
}

fn check_stops(stops: Option<[f64; 2]>) -> Result<(), Fault> {
    match stops {
        Some([low, high]) if !(low < high && low <= 0.0 && high >= 0.0) => Err(Fault::new(
            "stops are the smallest and the largest coordinate, on both sides of 0, where the joint begins",
        )),
        _ => Ok(()),
    }
}

fn check_stop(stiffness: Option<f64>) -> Result<(), Fault> {
    if stiffness == Some(0.0) {
        return Err(Fault::new("stops that are not stiff stop nothing").at("stop_stiffness"));
    }
    Ok(())
}

fn check_spring(driven: bool, stiffness: Option<f64>) -> Result<(), Fault> {
    if driven && stiffness.unwrap_or(0.0) == 0.0 {
        return Err(Fault::new("a motor acts through the spring of its joint: give its `stiffness`").at("drive"));
    }
    Ok(())
}

/// A motor to a target or at a speed, which have these names.
fn motor(
    to: Option<f64>,
    speed: Option<f64>,
    names: [&'static str; 2],
    start: Option<Time>,
    end: Option<EndTime>,
) -> Result<Motor, Fault> {
    let start = start.map_or(0.0, Quantity::get);
    let end = end.map_or(f64::INFINITY, Quantity::get);
    if end <= start {
        return Err(Fault::new("a drive must end after it starts").at("end"));
    }
    match (to, speed) {
        (Some(_), None) if end.is_infinite() => Err(Fault::new(format!("a drive with `{}` needs an `end`", names[0]))),
        (Some(to), None) => Ok(Motor::To(Drive { to, start, end })),
        (None, Some(speed)) => Ok(Motor::At { speed, start, end }),
        _ => Err(Fault::new(format!("give either `{}` or `{}`", names[0], names[1]))),
    }
}
