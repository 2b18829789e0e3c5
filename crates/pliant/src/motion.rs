//! Prescribed motions of grippers and obstacles: the pose as a function of time.

mod wind;

pub use wind::Wind;

use crate::bytes::{stored, stored_enum};
use crate::check::Checks;
use crate::error::{BuildError, ControlError};
use crate::math::{Pose, Quat, Vec3, pose_between, rotation_vector, sin, unit_or};

/// A motion as a function of time, starting from the pose at which its gripper or obstacle is placed.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// Stay where placed.
    Hold,
    /// Pass through poses at given times; rest at the first pose before it and at the last one after it.
    Waypoints {
        /// Speed profile between two waypoints.
        blend: Blend,
        /// The waypoints in order of time, at least one.
        waypoints: Vec<Waypoint>,
    },
    /// Translate with constant acceleration within a time window, and rest outside it.
    Glide {
        /// Velocity at the start of the window [m/s].
        velocity: Vec3,
        /// Acceleration within the window [m/s2].
        acceleration: Vec3,
        /// When it moves.
        window: Window,
    },
    /// Rotate about an axis, and optionally advance along it: a rotation or a helix.
    Turn {
        /// Direction of the axis in the world (any length but zero).
        axis: Vec3,
        /// A point of the axis in the world [m].
        centre: Vec3,
        /// Angle turned over the whole window [rad].
        angle: f64,
        /// Distance moved along the axis over the whole window [m].
        advance: f64,
        /// Speed profile over the window.
        blend: Blend,
        /// When it moves.
        window: Window,
    },
    /// Oscillate about the placed pose: amplitude * sin(2 pi frequency t + phase), less the value at t = 0 so that the
    /// motion starts at the placed pose.
    Sinusoid {
        /// Amplitude along each world axis [m].
        amplitude: Vec3,
        /// Frequency [Hz].
        frequency: f64,
        /// Phase at time zero [rad].
        phase: f64,
    },
    /// Wind a cable onto a drum, holding the end of the free length.
    Wind(Wind),
    /// One motion after another, each starting from the pose where the last one ended.
    Sequence(Vec<Leg>),
}

/// Speed profile of the way from one pose to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blend {
    /// Constant speed.
    Linear,
    /// Minimum jerk: from rest to rest without a jump in velocity or acceleration.
    MinimumJerk,
}

impl Blend {
    /// Fraction of the way covered at fraction `t` of the time.
    fn fraction(self, t: f64) -> f64 {
        match self {
            Blend::Linear => t,
            Blend::MinimumJerk => t * t * t * (10.0 + t * (6.0 * t - 15.0)),
        }
    }
}

/// A pose to be at a given time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waypoint {
    /// When [s].
    pub time: f64,
    /// Where, in the world [m].
    pub position: Vec3,
    /// Orientation in the world; `None` keeps the placed one.
    pub orientation: Option<Quat>,
}

/// The time interval in which a motion happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Start [s].
    pub start: f64,
    /// End [s]; may be infinite for motions without a set extent.
    pub end: f64,
}

impl Window {
    /// From time zero on, without end.
    pub const ALWAYS: Window = Window { start: 0.0, end: f64::INFINITY };

    fn check(&self, checks: Checks<'_>) -> Result<(), BuildError> {
        checks.that(self.start.is_finite(), "the start of the motion", "finite", self.start)?;
        checks.that(self.end >= self.start, "the end of the motion", "not before its start", self.end)
    }

    /// Time spent inside the window up to `time` [s].
    fn elapsed(&self, time: f64) -> f64 {
        (time.min(self.end) - self.start).max(0.0)
    }

    /// Fraction of the window that has passed at `time` [s]; a window of zero length is a jump at its start.
    fn fraction(&self, time: f64) -> f64 {
        let length = self.end - self.start;
        if length > 0.0 { (self.elapsed(time) / length).min(1.0) } else { f64::from(time >= self.start) }
    }
}

/// One part of a sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct Leg {
    /// How long it lasts [s].
    pub duration: f64,
    /// The motion, with time counted from the start of the leg.
    pub motion: Motion,
}

impl Motion {
    /// Reject a motion that leads nowhere, of the gripper or obstacle of this name.
    pub(crate) fn check(&self, name: &str) -> Result<(), BuildError> {
        let checks = Checks(name);
        let number = |what: &str, value: f64| checks.that(value.is_finite(), what, "finite", value);
        let axis = |what: &str, axis: Vec3| {
            checks.that(axis.is_finite() && axis != Vec3::ZERO, what, "finite and not zero", axis.length())
        };
        match self {
            Motion::Hold => Ok(()),
            Motion::Waypoints { waypoints, .. } => {
                checks.that(!waypoints.is_empty(), "the number of waypoints", "at least 1", 0.0)?;
                for pair in waypoints.windows(2) {
                    let in_order = pair[1].time >= pair[0].time;
                    checks.that(in_order, "the time of a waypoint", "not before the one it follows", pair[1].time)?;
                }
                waypoints.iter().try_for_each(|waypoint| {
                    number("the time of a waypoint", waypoint.time)?;
                    checks.pose(&Pose::from_parts(waypoint.position, waypoint.orientation.unwrap_or(Quat::IDENTITY)))
                })
            }
            Motion::Glide { velocity, acceleration, window } => {
                checks.finite("the velocity", *velocity)?;
                checks.finite("the acceleration", *acceleration)?;
                window.check(checks)
            }
            Motion::Turn { axis: about, centre, angle, advance, window, .. } => {
                axis("the axis of the turn", *about)?;
                checks.finite("the centre of the turn", *centre)?;
                number("the angle of the turn", *angle)?;
                number("the advance of the turn", *advance)?;
                window.check(checks)
            }
            Motion::Sinusoid { amplitude, frequency, phase } => {
                checks.finite("the amplitude", *amplitude)?;
                number("the frequency", *frequency)?;
                number("the phase", *phase)
            }
            Motion::Wind(wind) => {
                axis("the axis of winding", wind.axis)?;
                axis("the direction of winding", wind.towards)?;
                checks.finite("the centre of winding", wind.centre)?;
                checks.finite("the place where winding begins", wind.from)?;
                number("the length to be wound", wind.length)?;
                number("the pitch of winding", wind.pitch)?;
                number("the start of winding", wind.start)?;
                checks.positive("the number of turns", wind.turns)?;
                checks.positive("the period of winding", wind.period)
            }
            Motion::Sequence(legs) => legs.iter().try_for_each(|leg| {
                checks.that(leg.duration >= 0.0, "the duration of a motion", "not negative", leg.duration)?;
                leg.motion.check(name)
            }),
        }
    }

    /// The pose in the world at `time` [s] of something placed at `placed`.
    pub fn pose(&self, placed: &Pose, time: f64) -> Pose {
        match self {
            Motion::Hold => *placed,
            Motion::Waypoints { blend, waypoints } => pose_on_way(waypoints, *blend, placed, time),
            Motion::Glide { velocity, acceleration, window } => {
                let t = window.elapsed(time);
                translated(placed, *velocity * t + *acceleration * (0.5 * t * t))
            }
            Motion::Turn { axis, centre, angle, advance, blend, window } => {
                let fraction = blend.fraction(window.fraction(time));
                let axis = unit_or(*axis, Vec3::Z);
                let turn = Quat::from_axis_angle(axis, angle * fraction);
                Pose::from_parts(
                    *centre + turn * (placed.translation - *centre) + axis * (advance * fraction),
                    turn * placed.rotation,
                )
            }
            Motion::Sinusoid { amplitude, frequency, phase } => {
                let angle = std::f64::consts::TAU * frequency * time + phase;
                translated(placed, *amplitude * (sin(angle) - sin(*phase)))
            }
            Motion::Wind(wind) => wind.pose(placed, time),
            Motion::Sequence(legs) => pose_in_sequence(legs, placed, time),
        }
    }
}

fn translated(placed: &Pose, by: Vec3) -> Pose {
    Pose::from_parts(placed.translation + by, placed.rotation)
}

fn pose_on_way(waypoints: &[Waypoint], blend: Blend, placed: &Pose, time: f64) -> Pose {
    let pose_at = |w: &Waypoint| Pose::from_parts(w.position, w.orientation.unwrap_or(placed.rotation));
    // index of the first waypoint that is still ahead
    let ahead = waypoints.partition_point(|w| w.time <= time);
    match (ahead.checked_sub(1).map(|i| &waypoints[i]), waypoints.get(ahead)) {
        (Some(last), Some(next)) => {
            let fraction = blend.fraction((time - last.time) / (next.time - last.time));
            pose_between(&pose_at(last), &pose_at(next), fraction)
        }
        (Some(only), None) | (None, Some(only)) => pose_at(only),
        (None, None) => *placed,
    }
}

fn pose_in_sequence(legs: &[Leg], placed: &Pose, time: f64) -> Pose {
    let mut pose = *placed;
    let mut start = 0.0;
    for leg in legs {
        if time <= start {
            break;
        }
        pose = leg.motion.pose(&pose, (time - start).min(leg.duration));
        start += leg.duration;
    }
    pose
}

/// The motion of a gripper or obstacle during one step of the world: its poses at both ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweep {
    /// Pose at the start of the step.
    pub start: Pose,
    /// Pose at the end of the step.
    pub end: Pose,
}

/// What moves a gripper or an obstacle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Drive {
    /// Its prescribed motion.
    #[default]
    Prescribed,
    /// Go to a pose in the world during the next step, at constant velocity, and stay there.
    Pose(Pose),
    /// Move at constant velocity until driven otherwise.
    Velocity {
        /// Velocity of the origin in the world [m/s].
        linear: Vec3,
        /// Angular velocity in the world [rad/s].
        angular: Vec3,
    },
    /// A link of an arm carries it.
    Carried {
        /// Index of the arm among the bodies of the world.
        arm: usize,
        /// Index of its link.
        link: usize,
        /// Pose in the frame of the link.
        at: Pose,
    },
}

impl Drive {
    /// Reject a target that is not finite, or not a rotation, for the gripper or obstacle of this name.
    pub(crate) fn check(&self, name: &str) -> Result<(), ControlError> {
        let checks = Checks(name);
        match self {
            Drive::Prescribed => Ok(()),
            Drive::Pose(pose) => Ok(checks.pose(pose)?),
            Drive::Velocity { linear, angular } => {
                checks.finite("the velocity", *linear)?;
                Ok(checks.finite("the angular velocity", *angular)?)
            }
            // arms are known to the world alone: see `World::carry`
            Drive::Carried { .. } => Err(ControlError::Carried { name: name.into() }),
        }
    }

    /// The pose after a step of `dt` [s] from pose `from`; `prescribed` gives the pose of the prescribed motion at its
    /// end.
    pub(crate) fn next(&self, from: &Pose, dt: f64, prescribed: impl FnOnce() -> Pose) -> Pose {
        match *self {
            Drive::Prescribed => prescribed(),
            Drive::Pose(pose) => pose,
            // found with the arm's own motion
            Drive::Carried { .. } => *from,
            Drive::Velocity { linear, angular } => Pose::from_parts(
                from.translation + linear * dt,
                (Quat::from_scaled_axis(angular * dt) * from.rotation).normalize(),
            ),
        }
    }
}

impl Motion {
    /// The highest frequency of oscillation in the motion [Hz]; `None` if nothing in it oscillates.
    pub fn frequency(&self) -> Option<f64> {
        match self {
            Motion::Sinusoid { frequency, .. } => Some(*frequency),
            Motion::Sequence(legs) => legs.iter().filter_map(|leg| leg.motion.frequency()).reduce(f64::max),
            _ => None,
        }
    }
}

impl Sweep {
    /// A sweep that stays at `pose`.
    pub fn resting(pose: Pose) -> Sweep {
        Sweep { start: pose, end: pose }
    }

    /// Begin the next step: the old end becomes the start, and `pose` the end.
    pub fn advance_to(&mut self, pose: Pose) {
        self.start = self.end;
        self.end = pose;
    }

    /// The pose at a fraction of the step, 0 to 1.
    pub fn at(&self, fraction: f64) -> Pose {
        pose_between(&self.start, &self.end, fraction)
    }

    /// Position of the origin at a fraction of the step [m].
    pub fn origin_at(&self, fraction: f64) -> Vec3 {
        self.start.translation.lerp(self.end.translation, fraction)
    }

    /// Mean velocity of the origin [m/s] and mean angular velocity [rad/s] over a step of `dt` [s], in the world.
    pub fn rates(&self, dt: f64) -> [Vec3; 2] {
        let Sweep { start, end } = self;
        let turned = start.rotation != end.rotation;
        let turn = if turned { rotation_vector(end.rotation * start.rotation.inverse()) } else { Vec3::ZERO };
        [(end.translation - start.translation) / dt, turn / dt]
    }

    /// Velocity [m/s] of the material point that is at `point` at a fraction of a step of `dt` [s], in the world.
    pub fn velocity_of(&self, point: Vec3, fraction: f64, dt: f64) -> Vec3 {
        // the chord of a rotating point has a radial component, so rotation and translation are taken separately
        let [velocity, turn] = self.rates(dt);
        velocity + turn.cross(point - self.origin_at(fraction))
    }

    /// Mean velocity [m/s], over a part of a step of `dt` [s], of a point of a body that goes with it rigidly, as a
    /// midpoint step has it: the body's centre moves along a chord, halfway along which it is at `centre`, and turns about
    /// that.
    pub fn carries(&self, point: Vec3, centre: Vec3, part: [f64; 2], dt: f64) -> Vec3 {
        let [velocity, turn] = self.rates(dt);
        if turn == Vec3::ZERO {
            return velocity;
        }
        let origin = self.origin_at(0.5 * (part[0] + part[1]));
        // the chord of an angle is 2 tan(angle / 2) times the distance of its middle: longer than the angle by this part
        let square = (turn.length_squared() * dt * dt * (part[1] - part[0]) * (part[1] - part[0])).min(1.0);
        let longer = square / 12.0 + square * square / 120.0;
        velocity + turn.cross(point - origin) + turn.cross(centre - origin) * longer
    }
}

stored!(Sweep { start, end });
stored_enum!(Drive {
    0 => Prescribed {},
    1 => Pose { 0: pose },
    2 => Velocity { linear: linear, angular: angular },
    3 => Carried { arm: arm, link: link, at: at },
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation_between;

    const PLACED: Pose = Pose { rotation: Quat::IDENTITY, translation: Vec3::new(1.0, 0.0, 0.0) };

    fn close(a: Vec3, b: Vec3) -> bool {
        (a - b).length() < 1e-12
    }

    /// A body that is fixed to something that turns and shifts moves by the chord of its centre, and turns as that does.
    #[test]
    fn what_goes_with_it_moves_by_chords() {
        let (angle, dt) = (Vec3::new(0.1, -0.2, 0.25), 0.01);
        let turn = Quat::from_scaled_axis(angle);
        let start = Pose::from_parts(Vec3::new(0.3, -0.1, 0.2), Quat::from_rotation_x(0.7));
        let end = Pose::from_parts(start.translation + Vec3::new(0.01, 0.03, -0.02), turn * start.rotation);
        let (sweep, fixed, arm) = (Sweep { start, end }, Vec3::new(0.05, 0.04, -0.3), Vec3::new(0.0, 0.01, 0.02));
        let [before, after] = [start, end].map(|pose| pose.transform_point(fixed));
        let centre = before.midpoint(after);
        let moves = (after - before) / dt + (angle / dt).cross(arm);
        let found = sweep.carries(centre + arm, centre, [0.0, 1.0], dt);
        // the next term of the series is 17/20160 of the sixth power of the angle
        assert!((found - moves).length() < 1e-6 * moves.length(), "{found} for {moves}");
    }

    #[test]
    fn glide_follows_the_law_of_uniform_acceleration() {
        let m =
            Motion::Glide { velocity: Vec3::X, acceleration: Vec3::Y * 2.0, window: Window { start: 1.0, end: 3.0 } };
        assert_eq!(m.pose(&PLACED, 0.5).translation, PLACED.translation);
        assert!(close(m.pose(&PLACED, 2.0).translation, Vec3::new(2.0, 1.0, 0.0)));
        assert!(close(m.pose(&PLACED, 9.0).translation, Vec3::new(3.0, 4.0, 0.0)));
    }

    #[test]
    fn a_helix_turns_and_advances_together() {
        let m = Motion::Turn {
            axis: Vec3::Z * 3.0,
            centre: Vec3::ZERO,
            angle: std::f64::consts::TAU,
            advance: 0.4,
            blend: Blend::Linear,
            window: Window { start: 0.0, end: 4.0 },
        };
        assert!(close(m.pose(&PLACED, 1.0).translation, Vec3::new(0.0, 1.0, 0.1)));
        assert!(close(m.pose(&PLACED, 4.0).translation, Vec3::new(1.0, 0.0, 0.4)));
    }

    #[test]
    fn minimum_jerk_starts_and_ends_at_rest() {
        let w = |time, x| Waypoint { time, position: Vec3::X * x, orientation: None };
        let m = Motion::Waypoints { blend: Blend::MinimumJerk, waypoints: vec![w(0.0, 0.0), w(1.0, 1.0)] };
        let x = |t: f64| m.pose(&PLACED, t).translation.x;
        assert!(x(1e-3) < 1.1e-8, "cubic start: 10 t^3");
        assert!((x(0.5) - 0.5).abs() < 1e-15);
        assert_eq!(x(2.0), 1.0);
    }

    #[test]
    fn a_sequence_starts_each_leg_where_the_last_ended() {
        let glide = |v| Motion::Glide { velocity: v, acceleration: Vec3::ZERO, window: Window::ALWAYS };
        let m = Motion::Sequence(vec![
            Leg { duration: 1.0, motion: glide(Vec3::X) },
            Leg { duration: 2.0, motion: Motion::Hold },
            Leg { duration: 1.0, motion: glide(Vec3::Z) },
        ]);
        assert!(close(m.pose(&PLACED, 2.5).translation, Vec3::new(2.0, 0.0, 0.0)));
        assert!(close(m.pose(&PLACED, 9.0).translation, Vec3::new(2.0, 0.0, 1.0)));
    }

    #[test]
    fn orientation_turns_the_short_way() {
        let q = |angle| Quat::from_rotation_z(angle);
        let half = rotation_between(q(0.0), -q(0.4), 0.5);
        assert!(half.angle_between(q(0.2)) < 1e-12);
    }

    #[test]
    fn a_sweep_knows_the_velocity_of_its_points() {
        let sweep = Sweep { start: Pose::IDENTITY, end: Pose::from_rotation(Quat::from_rotation_z(1e-6)) };
        let v = sweep.velocity_of(Vec3::X, 1.0, 1e-3);
        assert!((v - Vec3::Y * 1e-3).length() < 1e-9);
        // however far it turns, a point keeps its distance from the axis
        let sweep = Sweep { start: Pose::IDENTITY, end: Pose::from_rotation(Quat::from_rotation_z(0.5)) };
        assert!(sweep.velocity_of(Vec3::X, 0.3, 1e-3).x.abs() < 1e-9);
    }
}
