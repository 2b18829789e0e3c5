//! One step of one body: prediction, correction and energy balance.
//!
//! Explicit, after Joukhadar, section 4.3. The printed test |dE| < eps would reject every step with a damper or an
//! external force as eps goes to zero. Here the gain in kinetic energy is compared with the work of all forces,
//! including dampers, friction and loads, by the trapezoidal rule: the difference is energy created by the step. Where
//! a contact begins or ends within the step the rule is as wrong as the step itself, so the error would go unnoticed:
//! `touch` supplies the correction.

use super::params::Scheme;
use crate::bytes::stored;
use crate::math::Vec3;

/// Positions and velocities of particles, and the forces on them, in the world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion {
    /// Positions [m].
    pub places: Vec<Vec3>,
    /// Velocities [m/s].
    pub velocities: Vec<Vec3>,
    /// Forces [N].
    pub forces: Vec<Vec3>,
}

impl Motion {
    /// Copy another state into this one, reusing capacity.
    pub fn copy_from(&mut self, other: &Motion) {
        let Motion { places, velocities, forces } = other;
        self.places.clone_from(places);
        self.velocities.clone_from(velocities);
        self.forces.clone_from(forces);
    }

    /// Particles at rest at positions [m].
    pub fn resting(places: Vec<Vec3>) -> Motion {
        let n = places.len();
        Motion { places, velocities: vec![Vec3::ZERO; n], forces: vec![Vec3::ZERO; n] }
    }
}

/// The previous step: its forces [N], and the ratio of the current step to it.
pub type Before<'a> = (&'a [Vec3], f64);

/// Predict the end of a step of `tau` [s], before the forces there are known. Particles with zero inverse mass are
/// moved elsewhere.
pub fn predict(
    scheme: Scheme,
    tau: f64,
    inverse: &[f64],
    now: &Motion,
    (before, ratio): Before<'_>,
    next: &mut Motion,
) {
    let (alpha, beta) = match scheme {
        Scheme::Verlet => (0.0, 0.0),
        Scheme::Development { alpha, beta } => (alpha * ratio, beta * ratio),
    };
    let developed = alpha != 0.0 || beta != 0.0;
    let half = 0.5 * tau * tau;
    for (n, inverse) in inverse.iter().enumerate() {
        let (v, a) = (now.velocities[n], now.forces[n] * *inverse);
        let change = if developed { a - before[n] * *inverse } else { Vec3::ZERO };
        next.places[n] = now.places[n] + v * tau + (a + change * beta) * half;
        next.velocities[n] = v + (a + change * alpha) * tau;
    }
}

/// Correct velocities with the forces at both ends of the step, for the Verlet method.
pub fn correct(scheme: Scheme, tau: f64, inverse: &[f64], now: &Motion, next: &mut Motion) {
    if scheme != Scheme::Verlet {
        return;
    }
    for (n, inverse) in inverse.iter().enumerate().filter(|(_, inverse)| **inverse > 0.0) {
        let mean = (now.forces[n] + next.forces[n]) * (0.5 * inverse);
        next.velocities[n] = now.velocities[n] + mean * tau;
    }
}

/// Energy balance of a step [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Balance {
    /// Kinetic energy at the end of the step.
    pub kinetic: f64,
    /// Gain in kinetic energy.
    pub gain: f64,
    /// Work of all forces, by the trapezoidal rule.
    pub work: f64,
    /// Excess of the trapezoidal rule over the work of contacts that begin or end in the step.
    pub unseen: f64,
}

impl Balance {
    /// Energy created by the step.
    pub fn error(&self) -> f64 {
        self.gain - self.work + self.unseen
    }
}

/// Balance of a step over free particles, those with a nonzero inverse mass.
pub fn balance(masses: &[f64], inverse: &[f64], now: &Motion, next: &Motion) -> Balance {
    let mut sum = Balance::default();
    for n in 0..masses.len() {
        if inverse[n] == 0.0 {
            continue;
        }
        let (v, w) = (now.velocities[n], next.velocities[n]);
        let force = (now.forces[n] + next.forces[n]) * 0.5;
        sum.kinetic += 0.5 * masses[n] * w.length_squared();
        // as a product, which avoids cancellation
        sum.gain += 0.5 * masses[n] * (w - v).dot(w + v);
        sum.work += force.dot(next.places[n] - now.places[n]);
    }
    sum
}

stored!(Motion { places, velocities, forces });
