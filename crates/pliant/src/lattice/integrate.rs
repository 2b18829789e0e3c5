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

#[cfg(test)]
mod tests {
    use super::*;

    const MASSES: [f64; 2] = [2.0, 0.5];
    const STIFFNESS: f64 = 8.0;

    /// A particle on a spring and one that falls.
    fn forces(motion: &mut Motion) {
        motion.forces = vec![motion.places[0] * -STIFFNESS, Vec3::NEG_Z * (9.81 * MASSES[1])];
    }

    /// Steps of `tau` up to one second; returns the motion and the sum of the errors of all balances.
    fn run(scheme: Scheme, count: u32) -> (Motion, f64) {
        let (tau, inverse) = (1.0 / f64::from(count), MASSES.map(|m| 1.0 / m));
        let mut now = Motion::resting(vec![Vec3::X, Vec3::Z]);
        forces(&mut now);
        let (mut before, mut ratio, mut error) = (now.forces.clone(), 0.0, 0.0);
        for _ in 0..count {
            let mut next = now.clone();
            predict(scheme, tau, &inverse, &now, (&before, ratio), &mut next);
            forces(&mut next);
            correct(scheme, tau, &inverse, &now, &mut next);
            error += balance(&MASSES, &inverse, &now, &next).error();
            (before, ratio) = (now.forces, 1.0);
            now = next;
        }
        (now, error)
    }

    /// x = cos(w t) with w = 2 1/s, and z = 1 - g t^2 / 2.
    fn off(motion: &Motion) -> [f64; 2] {
        [motion.places[0].x - 2.0_f64.cos(), motion.places[1].z - (1.0 - 0.5 * 9.81)]
    }

    #[test]
    fn verlet_is_exact_for_constant_forces_and_of_second_order_for_springs() {
        let (coarse, fine) = (run(Scheme::Verlet, 100).0, run(Scheme::Verlet, 200).0);
        assert!((off(&coarse)[0] / off(&fine)[0] - 4.0).abs() < 0.01, "{:?} {:?}", off(&coarse), off(&fine));
        assert!(off(&coarse)[1].abs() < 1e-13);
        // its errors of energy are of third order in each step, and come and go with the phase
        let energy =
            0.5 * MASSES[0] * fine.velocities[0].length_squared() + 0.5 * STIFFNESS * fine.places[0].length_squared();
        assert!((energy - 0.5 * STIFFNESS).abs() < 1e-3, "{energy}");
    }

    /// With the change of acceleration a' tau in velocities by half and in positions by a third: a Taylor series.
    #[test]
    fn development_is_of_second_order_too() {
        let scheme = Scheme::Development { alpha: 0.5, beta: 1.0 / 3.0 };
        let (coarse, fine) = (run(scheme, 100).0, run(scheme, 200).0);
        assert!(off(&coarse)[0].abs() < 1e-3, "{:?}", off(&coarse));
        assert!(off(&coarse)[0] / off(&fine)[0] > 3.5, "{:?} {:?}", off(&coarse), off(&fine));
    }

    /// The balance is of the spring's work by the trapezoidal rule, which is exact for a linear force.
    #[test]
    fn a_balance_tells_what_a_step_creates() {
        let (motion, error) = run(Scheme::Verlet, 100);
        let kinetic: f64 = motion.velocities.iter().zip(MASSES).map(|(v, m)| 0.5 * m * v.length_squared()).sum();
        let stored = 0.5 * STIFFNESS * motion.places[0].length_squared() + 9.81 * MASSES[1] * motion.places[1].z;
        let start = 0.5 * STIFFNESS + 9.81 * MASSES[1];
        assert!((kinetic + stored - start - error).abs() < 1e-12, "{error}");
        // held particles do not count
        let held = balance(&MASSES, &[0.0; 2], &motion, &motion);
        assert_eq!(held, Balance::default());
    }
}
