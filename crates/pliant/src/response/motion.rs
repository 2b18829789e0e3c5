//! Rigid-body motion, (11) to (14), with angular momentum instead of angles, so that the body may tumble.
//!
//! Forces are constant during a step, so positions include half of the acceleration and free fall is exact. Angular
//! momentum changes only by torques and is conserved to rounding in free flight; the spin follows from the inertia of
//! the deformed body.

use super::solid::{Solid, cross};
use crate::bytes::stored;
use crate::math::{Mat3, Pose, Quat, Vec3};

/// Position and motion of the centre of mass and of the body's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Centre of mass, in the world [m].
    pub place: Vec3,
    /// Rotation from the body's frame to the world.
    pub turn: Quat,
    /// Velocity of the centre of mass, in the world [m/s].
    pub velocity: Vec3,
    /// Angular momentum about the centre of mass, in the world [kg m2/s].
    pub momentum: Vec3,
}

/// Fractions of a step with which a composition of five midpoint rules is of fourth order (Suzuki, "Fractal
/// decomposition of exponential operators", 1990): 1 / (4 - 4^(1/3)), and the remainder.
const PARTS: [f64; 5] = [FIFTH, FIFTH, 1.0 - 4.0 * FIFTH, FIFTH, FIFTH];
const FIFTH: f64 = 0.414_490_771_794_375_74;

/// Largest turn in a substep [rad].
const TURN: f64 = 0.2;

/// Limit on substeps in a step: a faster spin still conserves energy and momentum, but its angle is inaccurate.
const MOST_TURNS: f64 = 1e4;

/// Limit on Newton iterations for the midpoint; three usually suffice.
const ROUNDS: usize = 8;

impl Motion {
    /// Pose of the body's frame in the world.
    pub fn world_from_body(&self) -> Pose {
        Pose::from_parts(self.place, self.turn)
    }

    /// Angular velocity in the world [rad/s], given the inverse inertia in the body's frame [1/(kg m2)].
    pub fn spin(&self, inverse_inertia: &Mat3) -> Vec3 {
        spin_of(self.turn, inverse_inertia, self.momentum)
    }

    /// Angular momentum in the body's frame [kg m2/s].
    pub fn own_momentum(&self) -> Vec3 {
        self.turn.inverse() * self.momentum
    }

    /// Motion after a step [s] in which only gravity [m/s2] acts, with constant inverse inertia.
    pub fn free(&self, inverse_inertia: &Mat3, gravity: Vec3, step: f64) -> Motion {
        let place = self.place + (self.velocity + gravity * (0.5 * step)) * step;
        let velocity = self.velocity + gravity * step;
        let turn = turned(self.turn, inverse_inertia, self.own_momentum(), step);
        Motion { place, turn, velocity, momentum: self.momentum }
    }

    /// Motion with the effect of a force [N] and a torque about the centre [N m] added, both constant during the step
    /// [s] that led here.
    pub fn pushed(&self, solid: &Solid, force: Vec3, torque: Vec3, step: f64) -> Motion {
        // what holds a body takes both
        if force == Vec3::ZERO && torque == Vec3::ZERO || solid.is_fixed() {
            return *self;
        }
        let acceleration = force / solid.mass;
        let turning = spin_of(self.turn, &solid.inverse_inertia, torque);
        Motion {
            place: self.place + acceleration * solid.shift(step),
            velocity: self.velocity + acceleration * step,
            turn: (Quat::from_scaled_axis(turning * solid.shift(step)) * self.turn).normalize(),
            momentum: self.momentum + torque * step,
        }
    }
}

fn spin_of(turn: Quat, inverse_inertia: &Mat3, momentum: Vec3) -> Vec3 {
    turn * (*inverse_inertia * (turn.inverse() * momentum))
}

/// Orientation after a step of Euler's equations of a free rigid body: l' = l x w and w = M l in its own axes, with l
/// its angular momentum and M its inverse inertia. By the midpoint rule,
///
///   l1 - l0 = h m x M m,   m = (l0 + l1) / 2,
///
/// which turns l by the Cayley rotation, the unnormalised quaternion (1, h M m / 2): turned likewise, the body
/// conserves its angular momentum exactly, and l . M l too, as it is quadratic. All of this holds for any step.
fn turned(turn: Quat, inverse: &Mat3, momentum: Vec3, step: f64) -> Quat {
    let angle = (*inverse * momentum).length() * step;
    if angle == 0.0 || !angle.is_finite() {
        return turn;
    }
    let count = (angle / TURN).ceil().clamp(1.0, MOST_TURNS);
    let (mut turn, mut l) = (turn, momentum);
    for _ in 0..count as usize {
        for part in PARTS {
            let half = 0.5 * part * step / count;
            let middle = middle(inverse, l, half);
            let Vec3 { x, y, z } = *inverse * middle * half;
            turn = (turn * Quat::from_xyzw(x, y, z, 1.0)).normalize();
            l = 2.0 * middle - l;
        }
    }
    turn
}

/// The m of the midpoint rule for which m + h/2 M m x m = l, by Newton's method.
fn middle(inverse: &Mat3, l: Vec3, half: f64) -> Vec3 {
    let mut m = l;
    for _ in 0..ROUNDS {
        let spin = *inverse * m;
        let off = m + half * spin.cross(m) - l;
        let slope = Mat3::IDENTITY + (cross(spin) - cross(m) * *inverse) * half;
        let change = slope.inverse() * off;
        if !change.is_finite() {
            return m;
        }
        m -= change;
        if change.length_squared() <= 1e-31 * l.length_squared() {
            break;
        }
    }
    m
}

stored!(Motion { place, turn, velocity, momentum });

#[cfg(test)]
mod tests {
    use super::*;

    fn spinning(momentum: Vec3) -> Motion {
        let turn = Quat::from_scaled_axis(Vec3::new(0.3, -0.4, 0.2));
        Motion { place: Vec3::X, turn, velocity: Vec3::new(1.0, 2.0, 3.0), momentum }
    }

    #[test]
    fn it_falls_by_half_of_g_t_squared() {
        let (gravity, step) = (Vec3::NEG_Z * 9.81, 0.25);
        let start = spinning(Vec3::ZERO);
        let end = start.free(&Mat3::IDENTITY, gravity, step);
        assert!((end.place - (start.place + start.velocity * step + 0.5 * gravity * step * step)).length() < 1e-15);
        assert!((end.velocity - (start.velocity + gravity * step)).length() < 1e-15);
        assert_eq!(end.turn, start.turn);
    }

    /// A symmetric top with moments a, a, c precesses about its angular momentum L by |L| / a, and turns about its own
    /// axis by (1 / c - 1 / a) times the momentum along it.
    #[test]
    fn a_symmetric_top_precesses_as_it_should() {
        let (a, c, step) = (0.02, 0.05, 0.4);
        let inverse = Mat3::from_diagonal(Vec3::new(1.0 / a, 1.0 / a, 1.0 / c));
        let start = spinning(Vec3::new(0.1, -0.05, 0.2));
        let own = start.own_momentum();
        let end = start.free(&inverse, Vec3::ZERO, step);
        let precession = Quat::from_scaled_axis(start.momentum / a * step);
        let about_itself = Quat::from_scaled_axis(Vec3::Z * (own.z * (1.0 / c - 1.0 / a) * step));
        let expected = precession * start.turn * about_itself;
        assert!(end.turn.angle_between(expected) < 1e-4, "{} for {expected}", end.turn);
    }

    #[test]
    fn free_flight_keeps_energy_and_angular_momentum() {
        let inverse = Mat3::from_diagonal(Vec3::new(50.0, 30.0, 70.0));
        let start = spinning(Vec3::new(0.1, 0.7, -0.3));
        let energy = |m: &Motion| 0.5 * m.own_momentum().dot(inverse * m.own_momentum());
        let end = (0..200).fold(start, |m, _| m.free(&inverse, Vec3::ZERO, 0.01));
        assert_eq!(end.momentum, start.momentum);
        assert!((energy(&end) / energy(&start) - 1.0).abs() < 1e-11, "{} {}", energy(&end), energy(&start));
        assert!(end.turn.angle_between(start.turn) > 0.1);
    }

    #[test]
    fn the_middle_of_a_step_solves_its_equation() {
        let inverse = Mat3::from_diagonal(Vec3::new(5.0, 3.0, 7.0));
        let (l, half) = (Vec3::new(0.3, -0.2, 0.5), 0.05);
        let m = middle(&inverse, l, half);
        assert!((m + half * (inverse * m).cross(m) - l).length() < 1e-15);
    }
}
