//! Winding: the path of a gripper that lays a taut cable on a drum.
//!
//! When the angle psi has been wound, the cable lies on a helix about the axis a of the drum,
//!
//!   point(psi) = foot + R e_r(psi) + a pitch psi / (2 pi),
//!
//! whose unit tangent is t(psi) = cos(beta) e_phi(psi) + sin(beta) a with tan(beta) = pitch / (2 pi R), and whose
//! length per angle is c = sqrt(R^2 + (pitch / 2 pi)^2). The free length leaves the drum along the tangent, so its end
//! is held at point(psi) + t(psi) (length - c psi). That end never moves along the cable: no cable slides over the
//! drum.

use std::f64::consts::TAU;

use super::Blend;
use crate::math::{Pose, Quat, Vec3, hypot, pose_between, unit_or};

/// Part of a period that starting and stopping take each.
const RAMP: f64 = 0.2;

/// Parameters of winding a cable on a drum.
///
/// Until `start` the gripper goes from its placed pose to where the cable is taut, with minimum jerk. From then on psi
/// grows at the rate w = 2 pi / period, except in a ramp of duration r = period / 5 at each end, in which the rate
/// rises as w (3 u^2 - 2 u^3) with u = time / r, and falls likewise: neither velocity nor acceleration jumps. Then
/// psi = w r (u^3 - u^4 / 2) in the first ramp, and w (time - r / 2) between the two. Winding takes
/// turns * period + r. Less than a fifth of a turn consists of the two ramps alone, at a correspondingly lower rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wind {
    /// A point on the axis, in the world [m].
    pub centre: Vec3,
    /// Direction of the axis in the world (any length but zero).
    pub axis: Vec3,
    /// Where the centre line of the cable leaves the drum at time zero, in the world [m]; not on the axis.
    pub from: Vec3,
    /// Direction of the cable there at time zero, in the world (any length but zero): it determines the sense of
    /// winding.
    pub towards: Vec3,
    /// Length of the taut cable from there to the held end [m].
    pub length: f64,
    /// Advance along the axis per turn [m].
    pub pitch: f64,
    /// Number of turns [-].
    pub turns: f64,
    /// When winding starts [s].
    pub start: f64,
    /// Duration of a turn [s].
    pub period: f64,
}

/// Directions at the place where the cable leaves the drum.
struct Axes {
    /// Away from the axis.
    radial: Vec3,
    /// Around the axis, in the sense of winding.
    around: Vec3,
    axis: Vec3,
}

impl Wind {
    /// Distance of the cable's centre line from the axis [m].
    pub fn radius(&self) -> f64 {
        let axis = unit_or(self.axis, Vec3::Z);
        (self.from - self.centre).reject_from_normalized(axis).length()
    }

    /// Length of cable laid per turn [m].
    pub fn length_per_turn(&self) -> f64 {
        TAU * hypot(self.radius(), self.pitch / TAU)
    }

    /// Cosine of the angle between the cable at time zero and the circumferential direction, 0 to 1 [-]. At 0 the sense
    /// of winding is undetermined.
    pub fn alignment(&self) -> f64 {
        unit_or(self.towards, Vec3::ZERO).dot(self.axes(0.0).around)
    }

    /// Angle wound at `time` [s], in [rad].
    pub fn angle(&self, time: f64) -> f64 {
        let (whole, ramp) = (TAU * self.turns, RAMP * self.period);
        let rate = (TAU / self.period).min(whole / ramp);
        let end = whole / rate + ramp;
        let ramped = |t: f64| {
            let u = t / ramp;
            rate * ramp * u * u * u * (1.0 - 0.5 * u)
        };
        let t = time - self.start;
        if t <= 0.0 {
            0.0
        } else if t >= end {
            whole
        } else if t < ramp {
            ramped(t)
        } else if t > end - ramp {
            whole - ramped(end - t)
        } else {
            rate * (t - 0.5 * ramp)
        }
    }

    /// Where the cable leaves the drum after winding `angle` [rad], in the world [m].
    pub fn point(&self, angle: f64) -> Vec3 {
        let axes = self.axes(angle);
        let foot = self.centre + (self.from - self.centre).project_onto_normalized(axes.axis);
        foot + axes.radial * self.radius() + axes.axis * (self.pitch * angle / TAU)
    }

    /// Unit direction in which the cable leaves the drum after winding `angle` [rad], in the world.
    pub fn tangent(&self, angle: f64) -> Vec3 {
        let axes = self.axes(angle);
        (axes.around * (TAU * self.radius()) + axes.axis * self.pitch).normalize_or(axes.around)
    }

    /// Length of cable not yet laid after winding `angle` [rad], in [m].
    pub fn free_length(&self, angle: f64) -> f64 {
        (self.length - self.length_per_turn() * angle / TAU).max(0.0)
    }

    /// The pose at `time` [s] of a gripper placed at `placed`.
    pub(super) fn pose(&self, placed: &Pose, time: f64) -> Pose {
        if time < self.start {
            let fraction = Blend::MinimumJerk.fraction(time / self.start);
            return pose_between(placed, &self.winding_pose(placed, 0.0), fraction);
        }
        self.winding_pose(placed, self.angle(time))
    }

    fn winding_pose(&self, placed: &Pose, angle: f64) -> Pose {
        let position = self.point(angle) + self.tangent(angle) * self.free_length(angle);
        let first = self.tangent(0.0);
        let straighten = Quat::from_rotation_arc(unit_or(self.towards, first), first);
        Pose::from_parts(position, self.turn(angle) * straighten * placed.rotation)
    }

    fn axes(&self, angle: f64) -> Axes {
        let axis = unit_or(self.axis, Vec3::Z);
        let radial = (self.from - self.centre).reject_from_normalized(axis);
        let radial = self.turn(angle) * unit_or(radial, axis.any_orthonormal_vector());
        Axes { radial, around: axis.cross(radial) * self.sense(), axis }
    }

    fn turn(&self, angle: f64) -> Quat {
        Quat::from_axis_angle(unit_or(self.axis, Vec3::Z), self.sense() * angle)
    }

    /// 1 for a right-handed turn about the axis, -1 for a left-handed one.
    fn sense(&self) -> f64 {
        if self.axis.cross(self.from - self.centre).dot(self.towards) < 0.0 { -1.0 } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::Motion;

    /// A drum that is neither at the origin nor along an axis of the world, and a cable that leaves it at an angle.
    fn wind() -> Wind {
        let axis = Vec3::new(0.2, -0.4, 1.0);
        let radial = axis.normalize().any_orthonormal_vector();
        let centre = Vec3::new(0.3, -0.1, 0.2);
        Wind {
            centre,
            axis,
            from: centre + radial * 0.05 + axis.normalize() * 0.07,
            towards: radial.cross(axis).normalize() + axis * 0.05,
            length: 1.02,
            pitch: 0.01,
            turns: 2.0,
            start: 1.0,
            period: 2.5,
        }
    }

    const PLACED: Pose = Pose { rotation: Quat::IDENTITY, translation: Vec3::new(1.0, 0.5, 0.1) };

    fn held(wind: &Wind, time: f64) -> Vec3 {
        Motion::Wind(*wind).pose(&PLACED, time).translation
    }

    /// Central difference, with an error of order h^2.
    fn slope(f: impl Fn(f64) -> Vec3, t: f64) -> Vec3 {
        const H: f64 = 1e-5;
        (f(t + H) - f(t - H)) / (2.0 * H)
    }

    #[test]
    fn what_is_laid_and_what_is_free_add_up_to_the_cable() {
        let w = wind();
        let per_angle = 0.05_f64.hypot(0.01 / TAU);
        for t in [1.0, 1.2, 2.0, 4.4, 6.3, 6.5, 9.0] {
            let psi = w.angle(t);
            let distance = (held(&w, t) - w.point(psi)).length();
            assert!((distance - (1.02 - per_angle * psi)).abs() < 1e-12, "{t} s");
            // the cable leaves the drum along the helix it is laid on
            let along = slope(|a| w.point(a), psi) / per_angle;
            assert!((along - (held(&w, t) - w.point(psi)) / distance).length() < 1e-8, "{t} s");
        }
    }

    #[test]
    fn the_helix_starts_where_the_cable_does_and_goes_its_way() {
        let w = wind();
        assert!((w.point(0.0) - w.from).length() < 1e-15);
        assert!((w.radius() - 0.05).abs() < 1e-15);
        assert!(w.tangent(0.0).dot(w.towards) > 0.9 && w.alignment() > 0.9);
        // after two turns it is back above where it began
        assert!((w.point(2.0 * TAU) - w.from - w.axis.normalize() * 0.02).length() < 1e-12);
        // in the opposite sense
        let other = Wind { towards: -w.towards, ..w };
        assert!(other.tangent(0.0).dot(w.towards) < -0.9 && other.alignment() > 0.9);
        assert!((other.point(TAU / 4.0) - w.point(-TAU / 4.0) - w.axis.normalize() * 0.005).length() < 1e-12);
    }

    /// d(point + t free)/dt = c t psi' + t' free psi' - c t psi' = t' free psi', with |t'| = cos(beta): nothing along
    /// t.
    #[test]
    fn the_held_end_goes_around_the_tangent_point_and_draws_no_cable() {
        let w = wind();
        let rate = TAU / 2.5;
        for t in [1.7, 3.0, 5.0] {
            let psi = w.angle(t);
            let velocity = slope(|t| held(&w, t), t);
            let free = w.free_length(psi);
            assert!(velocity.dot(w.tangent(psi)).abs() < 1e-8, "{t} s");
            let cos_beta = 0.05 / 0.05_f64.hypot(0.01 / TAU);
            assert!((velocity.length() / (rate * free * cos_beta) - 1.0).abs() < 1e-8, "{t} s");
            // seen from the tangent point the end comes nearer as cable is laid
            let relative = velocity - slope(|t| w.point(w.angle(t)), t);
            let nearing = relative.dot(w.tangent(psi));
            assert!((nearing + rate * w.length_per_turn() / TAU).abs() < 1e-8, "{t} s: {nearing}");
        }
    }

    #[test]
    fn velocity_does_not_jump() {
        for turns in [2.0, 0.3, 0.2, 0.1] {
            let w = Wind { turns, ..wind() };
            let velocity = |t: f64| slope(|t| held(&w, t), t);
            let mut t = 1e-3;
            let mut last = velocity(t);
            while t < 8.0 {
                t += 1e-3;
                let next = velocity(t);
                // the largest acceleration is that of a ramp, 1.5 w / r times the free length: 7.7 m/s2
                assert!((next - last).length() < 1.2e-2, "{turns} turns, {t} s: {last} to {next}");
                last = next;
            }
        }
    }

    #[test]
    fn it_goes_from_its_place_to_the_taut_cable_and_rests_after_the_last_turn() {
        let w = wind();
        let taut = w.from + w.tangent(0.0) * 1.02;
        assert_eq!(held(&w, 0.0), PLACED.translation);
        assert!((held(&w, 0.5) - 0.5 * (PLACED.translation + taut)).length() < 1e-12);
        assert!((held(&w, 1.0) - taut).length() < 1e-12);
        assert!((held(&Wind { start: 0.0, ..w }, 0.0) - taut).length() < 1e-12);
        // 2 turns of 2.5 s and a ramp of 0.5 s, after 1 s
        assert!(w.angle(6.49) < 2.0 * TAU);
        assert_eq!(w.angle(6.5), 2.0 * TAU);
        assert_eq!(held(&w, 6.5), held(&w, 100.0));
        // one turn in a period
        assert!((w.angle(4.5) - w.angle(2.0) - TAU).abs() < 1e-12);
        // too little turning to reach full speed
        let short = Wind { turns: 0.1, ..w };
        assert_eq!((short.angle(2.0), short.angle(1.0)), (0.1 * TAU, 0.0));
        assert!((short.angle(1.5) - 0.05 * TAU).abs() < 1e-12);
    }

    #[test]
    fn the_hand_turns_with_the_cable() {
        let w = wind();
        // placed along the cable, the gripper stays along its free part
        let placed = Pose::from_parts(PLACED.translation, Quat::from_rotation_arc(Vec3::X, w.towards.normalize()));
        for t in [1.0, 2.0, 3.7, 6.5] {
            let pose = Motion::Wind(w).pose(&placed, t);
            assert!((pose.rotation * Vec3::X - w.tangent(w.angle(t))).length() < 1e-12, "{t} s");
        }
    }
}
