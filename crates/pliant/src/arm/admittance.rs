//! Cartesian admittance: a wrench at the wrist comes in, a motion goes out. What leads a tool gives way to what its sensor reads, as a mass
//! on a spring and a damper would.
//!
//! Along and about each axis of the place where the tool is to be,
//!
//!   m x'' + d x' + k x = f,
//!
//! with x by how much it has given way, and f the last reading of the sensor, carried over to the tool's origin. It is solved exactly over
//! a step, in which f is constant. Springs then lead the tool there, see `tool`: the stiffer they are, the nearer it is to x.

use crate::bytes::stored;
use crate::math::{Pose, Quat, Vec3, cos, exp, expm1, sin};

/// How a tool gives way, in the axes of the place where it is to be: along x, y and z, then about them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Admittance {
    /// Mass [kg], moment of inertia [kg m2]; an axis without it does not give way.
    pub mass: [f64; 6],
    /// Force per velocity [N s/m], torque per angular velocity [N m s/rad].
    pub damping: [f64; 6],
    /// Force per displacement [N/m], torque per angle [N m/rad]; without it the tool stays where it has been pushed.
    pub stiffness: [f64; 6],
}

impl Admittance {
    /// Whether its numbers make sense.
    pub(crate) fn is_sound(&self) -> bool {
        let all = self.mass.iter().chain(&self.damping).chain(&self.stiffness);
        all.into_iter().all(|x| x.is_finite() && *x >= 0.0)
    }
}

/// A tool that gives way to a sensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Yielding {
    pub admittance: Admittance,
    /// Index of the sensor.
    pub sensor: usize,
    /// By how much it has given way [m, rad], and how fast it does [m/s, rad/s].
    pub way: [f64; 6],
    pub rate: [f64; 6],
}

stored!(Admittance { mass, damping, stiffness });
stored!(Yielding { admittance, sensor, way, rate });

/// Farthest that a tool gives way [m, rad]: beyond half a turn rotation vectors mean nothing.
const FARTHEST: f64 = 3.0;

impl Yielding {
    pub fn new(admittance: Admittance, sensor: usize) -> Yielding {
        Yielding { admittance, sensor, way: [0.0; 6], rate: [0.0; 6] }
    }

    /// Go on by a step of `h` [s] under force and torque, in the axes in which it gives way.
    pub fn advance(&mut self, load: [Vec3; 2], h: f64) {
        let Admittance { mass, damping, stiffness } = self.admittance;
        for axis in (0..6).filter(|&axis| mass[axis] > 0.0) {
            let [m, d, k] = [mass[axis], damping[axis], stiffness[axis]];
            let force = load[axis / 3][axis % 3];
            let (x, v) = swing(self.way[axis], self.rate[axis], [force / m, d / m, k / m], h);
            // at its end it stops
            self.way[axis] = x.clamp(-FARTHEST, FARTHEST);
            self.rate[axis] = if x.abs() < FARTHEST { v } else { 0.0 };
        }
    }

    /// Where the tool is to be, for where it would be without giving way.
    pub fn leads(&self, to: &Pose) -> Pose {
        let [x, y, z, a, b, c] = self.way;
        let turn = Quat::from_scaled_axis(Vec3::new(a, b, c));
        Pose::from_parts(to.translation + to.rotation * Vec3::new(x, y, z), (to.rotation * turn).normalize())
    }

    /// Where the tool would be without giving way, for where it is to be.
    pub fn without(&self, led: &Pose) -> Pose {
        let [x, y, z, a, b, c] = self.way;
        let rotation = (led.rotation * Quat::from_scaled_axis(Vec3::new(a, b, c)).inverse()).normalize();
        Pose::from_parts(led.translation - rotation * Vec3::new(x, y, z), rotation)
    }

    /// Whether its numbers are those of a tool that can be, with a sensor among so many.
    pub fn fits(&self, sensors: usize) -> bool {
        let all = self.way.iter().chain(&self.rate);
        self.admittance.is_sound() && self.sensor < sensors && all.into_iter().all(|x| x.is_finite())
    }
}

/// x'' + c x' + w x = a over a time, from x and v: exactly.
fn swing(x: f64, v: f64, [a, c, w]: [f64; 3], time: f64) -> (f64, f64) {
    let half = 0.5 * c;
    if w == 0.0 {
        // without a spring it goes towards the velocity a / c; (1 - e^(-c t)) / c is the time for small c
        let gone = if c * time > SMALL { -expm1(-c * time) / c } else { time * (1.0 - 0.5 * c * time) };
        let rest = if c * time > SMALL { (time - gone) / c } else { time * time * (0.5 - c * time / 6.0) };
        return (x + v * gone + a * rest, v * (1.0 - c * gone) + a * gone);
    }
    let (from, square) = (x - a / w, w - half * half);
    // e^(-c t / 2) times cosine and sine over frequency, or the hyperbolic ones
    let pace = square.abs().sqrt();
    let decay = exp(-half * time);
    let (even, odd) = if pace * time < SMALL {
        (decay, decay * time)
    } else if square > 0.0 {
        (decay * cos(pace * time), decay * sin(pace * time) / pace)
    } else {
        let (slow, fast) = (exp((pace - half) * time), exp(-(pace + half) * time));
        (0.5 * (slow + fast), 0.5 * (slow - fast) / pace)
    };
    let to = from * even + (v + half * from) * odd;
    let speed = v * even - (half * v + w * from) * odd;
    (to + a / w, speed)
}

/// Angle below which a sine is its angle, to the square root of rounding.
const SMALL: f64 = 1e-8;

/// A wrench on a gripper, in the axes of another rotation: what a sensor reads in its own, about its own origin.
pub(crate) fn carried_over(reading: [Vec3; 2], gripper_from_sensor: &Pose, turned: Quat) -> [Vec3; 2] {
    let Pose { translation, rotation } = *gripper_from_sensor;
    let force = rotation * reading[0];
    let torque = rotation * reading[1] + translation.cross(force);
    [turned * force, turned * torque]
}

/// The rotation that leads from the axes of one pose to those of another.
pub(crate) fn axes_between(from: Quat, to: Quat) -> Quat {
    to.inverse() * from
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation_vector;

    /// Against the equation itself: many small steps of Runge and Kutta's method, which are right to 1e-10.
    #[test]
    fn a_swing_obeys_its_equation() {
        // below, at and above critical damping, without spring, without damper, without either
        for [c, w] in [[0.4, 25.0], [10.0, 25.0], [30.0, 25.0], [3.0, 0.0], [0.0, 16.0], [0.0, 0.0], [1e-12, 0.0]] {
            let (x0, v0, a, time) = (0.1, -0.3, 0.7, 1.3);
            let (mut x, mut v) = (x0, v0);
            let count = 4000;
            let h = time / f64::from(count);
            let f = |x: f64, v: f64| (v, a - c * v - w * x);
            for _ in 0..count {
                let k1 = f(x, v);
                let k2 = f(x + 0.5 * h * k1.0, v + 0.5 * h * k1.1);
                let k3 = f(x + 0.5 * h * k2.0, v + 0.5 * h * k2.1);
                let k4 = f(x + h * k3.0, v + h * k3.1);
                x += h / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0);
                v += h / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1);
            }
            let (found, speed) = swing(x0, v0, [a, c, w], time);
            assert!((found - x).abs() < 1e-9 && (speed - v).abs() < 1e-9, "{c}, {w}: {found} for {x}, {speed} for {v}");
            // one step is as good as many
            let halves = [0, 1].iter().fold((x0, v0), |(x, v), _| swing(x, v, [a, c, w], 0.5 * time));
            assert!((halves.0 - found).abs() < 1e-12, "{c}, {w}");
        }
    }

    #[test]
    fn where_it_leads_is_undone() {
        let mut yielding = Yielding::new(Admittance { mass: [1.0; 6], damping: [2.0; 6], stiffness: [3.0; 6] }, 0);
        yielding.advance([Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.3, 0.2, 0.1)], 0.5);
        let to = Pose::from_parts(Vec3::new(0.1, 0.2, 0.3), Quat::from_rotation_y(0.4));
        let back = yielding.without(&yielding.leads(&to));
        assert!(back.translation.distance(to.translation) < 1e-14);
        assert!(rotation_vector(back.rotation * to.rotation.inverse()).length() < 1e-14);
    }
}
