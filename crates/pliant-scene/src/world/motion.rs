//! Motions of grippers and obstacles in a scene file.

use pliant::math::Vec3;
use pliant::motion::{Blend, Leg, Motion, Waypoint, Window};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::files::Files;
use crate::files::samples;
use crate::text::fault::Fault;
use crate::text::quantity::{
    Acceleration, Angle, Component, Coordinate, Duration, EndTime, Frequency, Quantity, Time, Triple, Turns, Velocity,
};
use crate::text::word::{Nothing, Table};
use crate::world::pose::{OrientationSpec, direction};
use crate::world::wind::{WindSpec, Winder};

/// Largest nesting depth of sequences.
const DEEPEST: usize = 16;

/// A motion as a function of time, from the initial pose of its owner.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MotionSpec {
    /// Stay at the initial pose.
    Hold(Table<Nothing>),
    /// Pass through poses at given times.
    Waypoints(Table<WaypointsSpec>),
    /// Move with constant velocity.
    Speed(Table<SpeedSpec>),
    /// Move with constant acceleration.
    Accelerate(Table<AccelerateSpec>),
    /// Turn about an axis.
    Rotate(Table<RotateSpec>),
    /// Turn about an axis and move along it.
    Helix(Table<HelixSpec>),
    /// Oscillate about the initial position.
    Sinusoid(Table<SinusoidSpec>),
    /// Follow poses from a table in a file.
    Samples(Table<SamplesSpec>),
    /// Lay a cable on a drum.
    Wind(Table<WindSpec>),
    /// One motion after another, each from where the previous one ended.
    Sequence(Vec<Table<LegSpec>>),
}

/// How motion is distributed over the time between two poses.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum BlendSpec {
    /// Constant speed.
    Linear,
    /// From rest to rest with minimum jerk.
    MinimumJerk,
}

impl BlendSpec {
    pub(crate) fn build(self) -> Blend {
        match self {
            BlendSpec::Linear => Blend::Linear,
            BlendSpec::MinimumJerk => Blend::MinimumJerk,
        }
    }
}

/// Poses at given times; before the first and after the last the motion rests.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WaypointsSpec {
    /// How motion is distributed over the time between two waypoints; `minimum-jerk` unless given.
    blend: Option<BlendSpec>,
    /// The waypoints, at increasing times.
    points: Vec<Table<WaypointSpec>>,
}

/// A pose at a given time.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WaypointSpec {
    /// Time [s].
    time: Time,
    /// Position in the world [m].
    position: Triple<Coordinate>,
    /// Orientation in the world; the initial one unless given.
    orientation: Option<Table<OrientationSpec>>,
}

/// Constant velocity within a time window.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpeedSpec {
    /// Velocity [m/s].
    velocity: Triple<Velocity>,
    /// When it starts to move [s]; 0 unless given.
    start: Option<Time>,
    /// When it stops [s]; never unless given.
    end: Option<EndTime>,
}

/// Constant acceleration within a time window.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AccelerateSpec {
    /// Velocity at the start of the window [m/s]; zero unless given.
    velocity: Option<Triple<Velocity>>,
    /// Acceleration [m/s2].
    acceleration: Triple<Acceleration>,
    /// When it starts to move [s]; 0 unless given.
    start: Option<Time>,
    /// When it stops [s]; never unless given.
    end: Option<EndTime>,
}

/// A rotation about an axis, spread over a time window.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RotateSpec {
    /// Direction of the axis in the world [-].
    axis: Triple<Component>,
    /// A point of the axis in the world [m].
    centre: Triple<Coordinate>,
    /// Angle of the whole rotation [degrees].
    angle_deg: Angle,
    /// When it starts [s]; 0 unless given.
    start: Option<Time>,
    /// When it ends [s].
    end: Time,
    /// How motion is distributed over the window; `linear` unless given.
    blend: Option<BlendSpec>,
}

/// A helix: rotation about an axis while moving along it, spread over a time window.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HelixSpec {
    /// Direction of the axis in the world [-].
    axis: Triple<Component>,
    /// A point of the axis in the world [m].
    centre: Triple<Coordinate>,
    /// Number of turns [-]; negative for the opposite direction.
    turns: Turns,
    /// Advance along the axis per turn [m].
    pitch: Coordinate,
    /// When it starts [s]; 0 unless given.
    start: Option<Time>,
    /// When it ends [s].
    end: Time,
    /// How motion is distributed over the window; `linear` unless given.
    blend: Option<BlendSpec>,
}

/// An oscillation: amplitude times sin(2 pi frequency t + phase), minus its value at t = 0.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SinusoidSpec {
    /// Amplitude along each axis of the world [m].
    amplitude: Triple<Coordinate>,
    /// Frequency [Hz].
    frequency: Frequency,
    /// Phase at the start [degrees]; 0 unless given.
    phase_deg: Option<Angle>,
}

/// Poses from a table: columns `time,x,y,z` and optionally `qw,qx,qy,qz`, named in the first row.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SamplesSpec {
    /// Name of the CSV file, relative to the scene file.
    file: String,
    /// How motion is distributed over the time between two rows; `linear` unless given.
    blend: Option<BlendSpec>,
}

/// One leg of a sequence.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LegSpec {
    /// How long it lasts [s].
    duration: Duration,
    /// The motion, with time counted from the start of this leg.
    motion: MotionSpec,
}

impl MotionSpec {
    /// Build the engine's motion; `winder` is given for grippers. Paths of faults start below the motion itself.
    pub(crate) fn build(&self, files: &mut Files, winder: Option<&Winder<'_>>) -> Result<Motion, Fault> {
        self.build_nested(files, winder, 0)
    }

    fn build_nested(&self, files: &mut Files, winder: Option<&Winder<'_>>, depth: usize) -> Result<Motion, Fault> {
        match self {
            MotionSpec::Hold(_) => Ok(Motion::Hold),
            MotionSpec::Waypoints(spec) => spec.build().map_err(|f| f.at("waypoints")),
            MotionSpec::Speed(spec) => {
                let window = window(spec.start, spec.end.map_or(f64::INFINITY, Quantity::get));
                let window = window.map_err(|f| f.at("speed"))?;
                Ok(Motion::Glide { velocity: spec.velocity.vector(), acceleration: Vec3::ZERO, window })
            }
            MotionSpec::Accelerate(spec) => {
                let window = window(spec.start, spec.end.map_or(f64::INFINITY, Quantity::get));
                let window = window.map_err(|f| f.at("accelerate"))?;
                let velocity = spec.velocity.map_or(Vec3::ZERO, |v| v.vector());
                Ok(Motion::Glide { velocity, acceleration: spec.acceleration.vector(), window })
            }
            MotionSpec::Rotate(spec) => spec.build().map_err(|f| f.at("rotate")),
            MotionSpec::Helix(spec) => spec.build().map_err(|f| f.at("helix")),
            MotionSpec::Sinusoid(spec) => Ok(Motion::Sinusoid {
                amplitude: spec.amplitude.vector(),
                frequency: spec.frequency.get(),
                phase: spec.phase_deg.map_or(0.0, Quantity::get).to_radians(),
            }),
            MotionSpec::Samples(spec) => {
                let blend = spec.blend.map_or(Blend::Linear, BlendSpec::build);
                let waypoints = samples::read(&spec.file, files).map_err(|f| f.at("file").at("samples"))?;
                Ok(Motion::Waypoints { blend, waypoints })
            }
            MotionSpec::Wind(spec) => spec.build(winder).map_err(|f| f.at("wind")),
            MotionSpec::Sequence(legs) => sequence(legs, files, winder, depth).map_err(|f| f.at("sequence")),
        }
    }
}

fn sequence(
    legs: &[Table<LegSpec>],
    files: &mut Files,
    winder: Option<&Winder<'_>>,
    depth: usize,
) -> Result<Motion, Fault> {
    if depth >= DEEPEST {
        return Err(Fault::new(format!("sequences stand inside each other more than {DEEPEST} deep")));
    }
    if legs.is_empty() {
        return Err(Fault::new("a sequence needs at least one leg"));
    }
    let mut built = Vec::with_capacity(legs.len());
    for (index, leg) in legs.iter().enumerate() {
        let motion = leg.motion.build_nested(files, winder, depth + 1).map_err(|f| f.at("motion").at(index))?;
        built.push(Leg { duration: leg.duration.get(), motion });
    }
    Ok(Motion::Sequence(built))
}

fn window(start: Option<Time>, end: f64) -> Result<Window, Fault> {
    let start = start.map_or(0.0, Quantity::get);
    if end < start {
        return Err(Fault::new(format!("the end ({end} s) must not come before the start ({start} s)")).at("end"));
    }
    Ok(Window { start, end })
}

impl WaypointsSpec {
    fn build(&self) -> Result<Motion, Fault> {
        if self.points.is_empty() {
            return Err(Fault::new("expected at least one waypoint").at("points"));
        }
        let mut waypoints: Vec<Waypoint> = Vec::with_capacity(self.points.len());
        for (index, point) in self.points.iter().enumerate() {
            let fault = |f: Fault| f.at(index).at("points");
            let orientation = match &point.orientation {
                Some(spec) => Some(spec.build().map_err(|f| fault(f.at("orientation")))?),
                None => None,
            };
            let time = point.time.get();
            if let Some(last) = waypoints.last().filter(|last| last.time >= time) {
                let message = format!("times must increase: {time} s follows {} s", last.time);
                return Err(fault(Fault::new(message).at("time")));
            }
            waypoints.push(Waypoint { time, position: point.position.vector(), orientation });
        }
        Ok(Motion::Waypoints { blend: self.blend.map_or(Blend::MinimumJerk, BlendSpec::build), waypoints })
    }
}

impl RotateSpec {
    fn build(&self) -> Result<Motion, Fault> {
        Ok(Motion::Turn {
            axis: direction(&self.axis).map_err(|f| f.at("axis"))?,
            centre: self.centre.vector(),
            angle: self.angle_deg.get().to_radians(),
            advance: 0.0,
            blend: self.blend.map_or(Blend::Linear, BlendSpec::build),
            window: window(self.start, self.end.get())?,
        })
    }
}

impl HelixSpec {
    fn build(&self) -> Result<Motion, Fault> {
        Ok(Motion::Turn {
            axis: direction(&self.axis).map_err(|f| f.at("axis"))?,
            centre: self.centre.vector(),
            angle: self.turns.get() * std::f64::consts::TAU,
            advance: self.turns.get() * self.pitch.get(),
            blend: self.blend.map_or(Blend::Linear, BlendSpec::build),
            window: window(self.start, self.end.get())?,
        })
    }
}
