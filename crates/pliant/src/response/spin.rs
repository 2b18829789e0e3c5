//! Coupling of spin and vibration, and the limits of the model.
//!
//! With modal coordinates q, the inertia J(q), linear in them, and its inverse M, the energy is
//!
//!   H = l . M(q) l / 2 + q'^2 / 2 + omega^2 q^2 / 2,
//!
//! with l the angular momentum in the body's axes. From H follow Euler's equations and the centrifugal force p = w .
//! J_k w / 2 on each mode; Coriolis forces on vibrations are neglected. A step from 0 to 1 turns the body with the mean
//! M = (M0 + M1) / 2, which conserves l . M l, and pushes the modes with the constant force
//!
//!   p_k = ((M0 l0) . J_k (M1 l0) + (M0 l1) . J_k (M1 l1)) / 4.
//!
//! As M1 - M0 = -M1 (J1 - J0) M0, the energy of the spin changes by exactly -p . (q1 - q0), and that of the
//! oscillators, integrated exactly under a constant force, by p . (q1 - q0) (a discrete gradient: Gonzalez, "Time
//! integration and discrete Hamiltonian systems", 1996). Energy is conserved whatever the step.

use super::Response;
use super::solid::{Form, Six, symmetric};
use crate::error::StepError;
use crate::math::{Mat3, Vec3};

/// Spin below which centrifugal forces are neglected [rad/s].
const SLOW: f64 = 1e-6;

/// Limit on fixed-point iterations for the centrifugal force, which depends on its own effect.
const ROUNDS: usize = 60;

/// Relative change of that force at which iterations end [-].
const TOLERANCE: f64 = 1e-15;

/// Displacement of the mass at which a body is deformed too far, relative to its distance from the centre, as root mean
/// squares [-]: at one half the inertia, taken to first order, may vanish.
const MOST: f64 = 0.5;

/// Displacement of a held or touched point at which a body is deformed too far, relative to the body's radius, or to the
/// distance from the nearest node that is held in place [-]: beyond, a layer on a table would be pressed through it.
const MOST_THERE: f64 = 1.0;

impl Response {
    /// Compute the motion at the end of a step [s] if only gravity [m/s2] acted.
    pub(super) fn go_free(&mut self, gravity: Vec3, step: f64) {
        let Response { state, scratch, solid, answers, kernel, .. } = self;
        let (motion, past, gravity) = (&state.motion, &state.past, solid.falls(gravity));
        past.look_ahead(*kernel, answers, &mut scratch.ahead);
        if motion.spin(&solid.inverse_inertia).length() <= SLOW {
            scratch.free = motion.free(&solid.inverse_inertia, gravity, step);
            return;
        }
        let start = solid.inverse_of(&past.inertia(*kernel, solid));
        let swung = solid.inertia_with(*kernel, &scratch.ahead.coordinates);
        let mut pushes: Six = [0.0; 6];
        for _ in 0..ROUNDS {
            let end = solid.inverse_of(&(swung + bulged(&answers.swing.bulge, &pushes)));
            scratch.free = motion.free(&((start + end) * 0.5), gravity, step);
            let now = flying(&start, &end, [motion.own_momentum(), scratch.free.own_momentum()]);
            let change = now.iter().zip(&pushes).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            pushes = now;
            // also for NaN, or if there are no modes
            let size = pushes.iter().map(|p| p.abs()).fold(0.0, f64::max);
            if answers.swing.rows[4].is_empty() || change.is_nan() || change <= TOLERANCE * size {
                break;
            }
        }
        past.fly_outwards(*kernel, solid, answers, &pushes, &mut scratch.ahead);
    }

    /// Fail if the deformation is too large for the linear model.
    pub(super) fn check_small(&self, time: f64) -> Result<(), StepError> {
        let (motion, shell) = (&self.state.motion, &self.solid.shell);
        let by = self.state.past.size(self.kernel) / self.solid.extent();
        let deformed = |by: f64, what: String| Err(StepError::Deformed { body: self.name.clone(), time, by, what });
        // also for NaN
        if by.is_nan() || by > MOST {
            return deformed(by, "in the mean over its mass".into());
        }
        for touch in self.state.touches.iter().filter(|touch| touch.force != Vec3::ZERO) {
            let rest = touch.spot.mean(|node| shell.nodes[node]);
            let off = motion.turn.inverse() * (touch.place - motion.place) - rest;
            let size = shell.radius.min(self.solid.firm.depth(&touch.spot).max(shell.edges[1]));
            let by = off.length() / size;
            if by.is_nan() || by > MOST_THERE {
                let Vec3 { x, y, z } = touch.place;
                return deformed(by, format!("at [{x:.3}, {y:.3}, {z:.3}] m"));
            }
        }
        Ok(())
    }

    /// Deformation by spin alone, relative to the limit of the model [-]; zero if unknown.
    pub fn strained_by_spin(&self) -> f64 {
        let Form::Modes(modes) = &self.solid.form else { return 0.0 };
        let own = self.state.motion.own_momentum();
        let spins = flying(&self.solid.inverse_inertia, &self.solid.inverse_inertia, [own, own]);
        let basis = &modes.basis;
        let squares: f64 = (0..basis.squares.len())
            .map(|n| {
                let push: f64 = modes.moment_of(n).iter().zip(&spins).map(|(a, b)| a * b).sum();
                (push / basis.squares[n]).powi(2)
            })
            .sum();
        squares.sqrt() / self.solid.extent() / MOST
    }
}

/// Products of spins from which rows of inertias give the modal forces [rad2/s2].
fn flying(start: &Mat3, end: &Mat3, momenta: [Vec3; 2]) -> Six {
    let mut sum = [0.0; 6];
    for l in momenta {
        let (a, b) = (*start * l, *end * l);
        let own = a * b;
        let mixed = Vec3::new(a.y * b.z + a.z * b.y, a.x * b.z + a.z * b.x, a.x * b.y + a.y * b.x);
        for (sum, part) in sum.iter_mut().zip([own.x, own.y, own.z, mixed.x, mixed.y, mixed.z]) {
            *sum += 0.25 * part;
        }
    }
    sum
}

/// Change of inertia due to these products [kg m2].
fn bulged(bulge: &[Six; 6], pushes: &Six) -> Mat3 {
    symmetric(&bulge.map(|row| row.iter().zip(pushes).map(|(a, b)| a * b).sum()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For inertias J0 and J1 = J0 + dJ the energy of the spin changes by -p . dq, with p . dq written as the products
    /// of spins times the components of dJ.
    #[test]
    fn the_centrifugal_force_does_the_work_that_the_spin_loses() {
        let start = symmetric(&[2.0, 3.0, 4.0, 0.1, -0.2, 0.3]);
        let change = [0.2, -0.1, 0.3, 0.05, 0.02, -0.04];
        let end = start + symmetric(&change);
        let [before, after] = [start.inverse(), end.inverse()];
        let l = Vec3::new(0.7, -1.1, 0.4);
        let energy = |inverse: Mat3| 0.5 * l.dot(inverse * l);
        let work: f64 = flying(&before, &after, [l, l]).iter().zip(change).map(|(p, dj)| p * dj).sum();
        assert!((energy(after) - energy(before) + work).abs() < 1e-15, "{work}");
    }

    /// Without change of inertia the products are those of the spin w: p . J_k = w . J_k w / 2.
    #[test]
    fn the_force_is_that_of_the_spin() {
        let inertia = symmetric(&[2.0, 3.0, 4.0, 0.1, -0.2, 0.3]);
        let (l, mode) = (Vec3::new(0.7, -1.1, 0.4), [0.3, 0.1, -0.5, 0.2, 0.6, -0.7]);
        let spin = inertia.inverse() * l;
        let found: f64 =
            flying(&inertia.inverse(), &inertia.inverse(), [l, l]).iter().zip(mode).map(|(p, j)| p * j).sum();
        assert!((found - 0.5 * spin.dot(symmetric(&mode) * spin)).abs() < 1e-15, "{found}");
    }

    #[test]
    fn a_bulge_is_the_sum_of_its_columns() {
        let bulge: [Six; 6] = std::array::from_fn(|i| std::array::from_fn(|j| (i + 1) as f64 * (j as f64 - 2.0)));
        let pushes = [1.0, -2.0, 0.5, 3.0, 0.0, 4.0];
        let sum: f64 = pushes.iter().enumerate().map(|(j, p)| p * (j as f64 - 2.0)).sum();
        assert_eq!(bulged(&bulge, &pushes), symmetric(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(|i| i * sum)));
    }
}
