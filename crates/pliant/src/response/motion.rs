//! Motion of the body as a whole, (11) to (14), with angular momentum in place of angles: it may tumble.
//!
//! Forces are constant during a step, so that places follow with the half of their acceleration and a fall is exact. Angular momentum
//! changes by torques alone and is kept to rounding in free flight; the spin that belongs to it is that of the deformed body.

use super::solid::Solid;
use crate::math::{Mat3, Pose, Quat, Vec3};

/// Place and motion of the centre of mass and of the frame that moves with the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Centre of mass [m].
    pub place: Vec3,
    /// From the frame of the body to that of the world.
    pub turn: Quat,
    /// Velocity of the centre [m/s].
    pub velocity: Vec3,
    /// Angular momentum about the centre, in the world [kg m2/s].
    pub momentum: Vec3,
}

/// How often the middle of a turn is found again.
const ROUNDS: usize = 3;

impl Motion {
    /// From the frame of the body to that of the world.
    pub fn world_from_body(&self) -> Pose {
        Pose::from_parts(self.place, self.turn)
    }

    /// Angular velocity with inverse moments of inertia in the frame of the body [rad/s].
    pub fn spin(&self, inverse_inertia: &Mat3) -> Vec3 {
        spin_of(self.turn, inverse_inertia, self.momentum)
    }

    /// Where it is after a step [s] in which only gravity [m/s2] acts, and its spin in the middle of it, in the frame of the body [rad/s].
    pub fn free(&self, inverse_inertia: &Mat3, gravity: Vec3, step: f64) -> (Motion, Vec3) {
        let place = self.place + (self.velocity + gravity * (0.5 * step)) * step;
        let velocity = self.velocity + gravity * step;
        if self.momentum == Vec3::ZERO {
            return (Motion { place, velocity, ..*self }, Vec3::ZERO);
        }
        // the middle of the turn is where its spin is taken
        let mut spin = self.spin(inverse_inertia);
        let mut middle = self.turn;
        for _ in 0..ROUNDS {
            middle = Quat::from_scaled_axis(spin * (0.5 * step)) * self.turn;
            spin = spin_of(middle, inverse_inertia, self.momentum);
        }
        let turn = (Quat::from_scaled_axis(spin * step) * self.turn).normalize();
        (Motion { place, turn, velocity, momentum: self.momentum }, middle.inverse() * spin)
    }

    /// What a force [N] and a torque about the centre [N m], constant during the step that has led here, add to it.
    pub fn pushed(&self, solid: &Solid, force: Vec3, torque: Vec3, step: f64) -> Motion {
        if force == Vec3::ZERO && torque == Vec3::ZERO {
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
