//! A demonstration as a course: where the gripper went, and what it felt, over time and over the way it made.

use pliant::math::{Pose, Quat, Vec3};

use super::FollowError;
use super::turn::Felt;
use crate::sequence::{Held, Sequence};

/// The course of one gripper.
#[derive(Clone, Debug)]
pub(super) struct Course {
    instants: Vec<Instant>,
}

/// The gripper at an instant.
#[derive(Clone, Copy, Debug)]
struct Instant {
    /// When [s].
    time: f64,
    /// Way of its origin so far [m].
    way: f64,
    pose: Pose,
    /// Force and torque on it less those at the beginning, in world axes.
    felt: Felt,
}

impl Course {
    /// The course of a gripper, by its number.
    pub fn new(sequence: &Sequence, gripper: usize) -> Result<Course, FollowError> {
        let mut instants: Vec<Instant> = vec![];
        let mut first = None;
        for waypoint in sequence.states.iter().flat_map(|state| &state.path) {
            let held = waypoint.grippers.get(gripper).ok_or(FollowError::Damaged("a waypoint lacks a gripper"))?;
            let (pose, felt) = read(held)?;
            if !waypoint.time.is_finite() {
                return Err(FollowError::Damaged("a time is not finite"));
            }
            let zero = *first.get_or_insert(felt);
            let felt = felt.less(&zero);
            match instants.last() {
                Some(last) if waypoint.time <= last.time => continue,
                Some(last) => {
                    let way = last.way + last.pose.translation.distance(pose.translation);
                    instants.push(Instant { time: waypoint.time, way, pose, felt });
                }
                None => instants.push(Instant { time: waypoint.time, way: 0.0, pose, felt }),
            }
        }
        if instants.len() < 2 {
            return Err(FollowError::Damaged("the path is too short"));
        }
        Ok(Course { instants })
    }

    /// When it begins and ends [s].
    pub fn span(&self) -> [f64; 2] {
        [self.instants[0].time, self.instants[self.instants.len() - 1].time]
    }

    /// Length of the whole way [m].
    pub fn length(&self) -> f64 {
        self.instants[self.instants.len() - 1].way
    }

    /// Where the gripper is at a time; at its ends before and after them.
    pub fn pose(&self, time: f64) -> Pose {
        let (a, b, part) = self.between(|instant| instant.time, time);
        let turned = if a.pose.rotation == b.pose.rotation {
            a.pose.rotation
        } else {
            a.pose.rotation.slerp(b.pose.rotation, part)
        };
        Pose::from_parts(a.pose.translation.lerp(b.pose.translation, part), turned)
    }

    /// Way made until a time [m].
    pub fn way(&self, time: f64) -> f64 {
        let (a, b, part) = self.between(|instant| instant.time, time);
        a.way + (b.way - a.way) * part
    }

    /// When a way has been made [s].
    pub fn when(&self, way: f64) -> f64 {
        let (a, b, part) = self.between(|instant| instant.way, way);
        a.time + (b.time - a.time) * part
    }

    /// The time from `from` on at which it is nearest to a point, if the course is shifted [s].
    pub fn nearest(&self, from: f64, point: Vec3, shift: Vec3) -> f64 {
        let far = |time: f64| (self.pose(time).translation + shift).distance(point);
        let later = self.instants.iter().map(|instant| instant.time).filter(|time| *time >= from);
        std::iter::once(from).chain(later).min_by(|a, b| far(*a).total_cmp(&far(*b))).unwrap_or(from)
    }

    /// Direction of the way about a place of it, seen over a length [m].
    pub fn direction(&self, way: f64, length: f64) -> Vec3 {
        let half = 0.5 * length;
        let middle = way.clamp(half, (self.length() - half).max(half));
        let place = |way: f64| self.pose(self.when(way)).translation;
        (place(middle + half) - place(middle - half)).normalize_or_zero()
    }

    /// Fastest speed between two instants [m/s].
    pub fn fastest(&self) -> f64 {
        let speed = |pair: &[Instant]| (pair[1].way - pair[0].way) / (pair[1].time - pair[0].time);
        self.instants.windows(2).map(speed).fold(0.0, f64::max)
    }

    /// Places on the way and what was felt there, between two times.
    pub fn felt(&self, from: f64, to: f64) -> impl Iterator<Item = (f64, Felt)> + Clone {
        let within = move |instant: &&Instant| instant.time >= from && instant.time <= to;
        self.instants.iter().filter(within).map(|instant| (instant.way, instant.felt))
    }

    /// The two instants about a value of something that never falls, and the part of the way from the first to the second.
    fn between(&self, of: impl Fn(&Instant) -> f64, value: f64) -> (Instant, Instant, f64) {
        let after = self.instants.partition_point(|instant| of(instant) < value).clamp(1, self.instants.len() - 1);
        let (a, b) = (self.instants[after - 1], self.instants[after]);
        let span = of(&b) - of(&a);
        let part = if span > 0.0 { ((value - of(&a)) / span).clamp(0.0, 1.0) } else { 1.0 };
        (a, b, part)
    }
}

/// Pose, and force and torque in world axes.
fn read(held: &Held) -> Result<(Pose, Felt), FollowError> {
    let [w, x, y, z] = held.orientation;
    let rotation = Quat::from_xyzw(x, y, z, w);
    let place = Vec3::from(held.position);
    let felt = Felt { force: Vec3::from(held.force), torque: Vec3::from(held.torque) };
    let finite = place.is_finite() && rotation.is_finite() && felt.force.is_finite() && felt.torque.is_finite();
    if !finite || (rotation.length() - 1.0).abs() > 1e-3 {
        return Err(FollowError::Damaged("the path holds numbers that are not finite, or no rotations"));
    }
    let rotation = rotation.normalize();
    Ok((Pose::from_parts(place, rotation), felt.turned(rotation)))
}
