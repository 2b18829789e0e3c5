//! One step of one body: where it leads, what it does to energy, and whether it may be kept.
//!
//! Explicit, after Joukhadar, section 4.3. The printed test |dE| < eps would refuse every step with a damper or an external
//! force as eps goes to zero. Here the gain in kinetic energy is compared with the work of all forces, dampers, friction and
//! loads included, by the trapezoidal rule: what is left is energy that the step has made of nothing. Where a contact begins or
//! ends within the step that rule is as wrong as the step itself, and would say so to no one: `touch` tells what it has missed.

use super::params::Scheme;
use crate::bytes::stored;
use crate::math::Vec3;

/// Places and velocities of particles, and the forces on them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion {
    /// Places [m].
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

    /// At rest at places.
    pub fn resting(places: Vec<Vec3>) -> Motion {
        let n = places.len();
        Motion { places, velocities: vec![Vec3::ZERO; n], forces: vec![Vec3::ZERO; n] }
    }
}

/// The step before: its forces, and by how much it was shorter.
pub type Before<'a> = (&'a [Vec3], f64);

/// Where a step of `tau` leads, before the forces there are known. Particles without an inverse mass are led elsewhere.
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

/// Velocities with the forces at both ends, for Verlet's method.
pub fn correct(scheme: Scheme, tau: f64, inverse: &[f64], now: &Motion, next: &mut Motion) {
    if scheme != Scheme::Verlet {
        return;
    }
    for (n, inverse) in inverse.iter().enumerate().filter(|(_, inverse)| **inverse > 0.0) {
        let mean = (now.forces[n] + next.forces[n]) * (0.5 * inverse);
        next.velocities[n] = now.velocities[n] + mean * tau;
    }
}

/// What a step does to energy [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Balance {
    /// Kinetic energy where it leads.
    pub kinetic: f64,
    /// Gain in kinetic energy.
    pub gain: f64,
    /// Work of all forces, by the trapezoidal rule.
    pub work: f64,
    /// How much more than their work the rule takes for that of contacts which begin or end in the step.
    pub unseen: f64,
}

impl Balance {
    /// Energy made of nothing.
    pub fn error(&self) -> f64 {
        self.gain - self.work + self.unseen
    }
}

/// Balance of a step for particles that are free, those with an inverse mass.
pub fn balance(masses: &[f64], inverse: &[f64], now: &Motion, next: &Motion) -> Balance {
    let mut sum = Balance::default();
    for n in 0..masses.len() {
        if inverse[n] == 0.0 {
            continue;
        }
        let (v, w) = (now.velocities[n], next.velocities[n]);
        let force = (now.forces[n] + next.forces[n]) * 0.5;
        sum.kinetic += 0.5 * masses[n] * w.length_squared();
        // as a product, which does not cancel
        sum.gain += 0.5 * masses[n] * (w - v).dot(w + v);
        sum.work += force.dot(next.places[n] - now.places[n]);
    }
    sum
}

stored!(Motion { places, velocities, forces });
