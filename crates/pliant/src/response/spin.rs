//! A body that spins and swings: what spin gives to deformation, and where the model ends.
//!
//! With coordinates q of its modes, moments of inertia J(q), linear in them, and their inverse M, the energy is
//!
//!   H = l . M(q) l / 2 + q'^2 / 2 + omega^2 q^2 / 2,
//!
//! l the angular momentum in its own axes. From H follow Euler's equations, and on each mode the force p = w . J_k w / 2 of what flies outwards;
//! Coriolis' forces on vibrations are left out. A step from 0 to 1 turns the body with M = (M0 + M1) / 2, which keeps l . M l, and pushes the
//! modes with the constant force
//!
//!   p_k = ((M0 l0) . J_k (M1 l0) + (M0 l1) . J_k (M1 l1)) / 4.
//!
//! As M1 - M0 = -M1 (J1 - J0) M0, the energy of the spin changes by -p . (q1 - q0) exactly; and by p . (q1 - q0) does that of oscillators which
//! are followed exactly under a constant force (a discrete gradient: Gonzalez, "Time integration and discrete Hamiltonian systems", 1996).
//! Nothing of the energy depends on the step.

use super::Response;
use super::solid::{Form, Six, symmetric};
use crate::error::StepError;
use crate::math::{Mat3, Vec3};

/// A slower spin than this changes nothing that could be seen [rad/s].
const SLOW: f64 = 1e-6;

/// Rounds for a force that depends on what it does.
const ROUNDS: usize = 60;

/// Changes of that force that end them, over the force [-].
const TOLERANCE: f64 = 1e-15;

/// A body is deformed too far when its mass is displaced by this part of its distance from the centre, as root mean squares [-]: its
/// moments of inertia, taken to first order, vanish when it is displaced by the half.
const MOST: f64 = 0.5;

/// And when a point that is held or touched is displaced by this part of its radius [-].
const MOST_THERE: f64 = 1.0;

impl Response {
    /// Where it would be at the end of a step [s] if no force but gravity [m/s2] acted.
    pub(super) fn go_free(&mut self, gravity: Vec3, step: f64) {
        let Response { state, scratch, solid, answers, kernel, .. } = self;
        let (motion, past) = (&state.motion, &state.past);
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
            // also where it is no number, or where nothing gives way
            let size = pushes.iter().map(|p| p.abs()).fold(0.0, f64::max);
            if answers.swing.rows[4].is_empty() || change.is_nan() || change <= TOLERANCE * size {
                break;
            }
        }
        past.fly_outwards(*kernel, solid, answers, &pushes, &mut scratch.ahead);
    }

    /// Refuse a deformation that the model cannot follow.
    pub(super) fn check_small(&self, time: f64) -> Result<(), StepError> {
        let (motion, shell) = (&self.state.motion, &self.solid.shell);
        let by = self.state.past.size(self.kernel) / self.solid.extent();
        let deformed = |by: f64, what: String| Err(StepError::Deformed { body: self.name.clone(), time, by, what });
        // also where it is no number
        if by.is_nan() || by > MOST {
            return deformed(by, "in the mean over its mass".into());
        }
        for touch in self.state.touches.iter().filter(|touch| touch.force != Vec3::ZERO) {
            let rest = touch.spot.mean(|node| shell.nodes[node]);
            let off = motion.turn.inverse() * (touch.place - motion.place) - rest;
            let by = off.length() / shell.radius;
            if by.is_nan() || by > MOST_THERE {
                let Vec3 { x, y, z } = touch.place;
                return deformed(by, format!("at [{x:.3}, {y:.3}, {z:.3}] m"));
            }
        }
        Ok(())
    }

    /// How far it would be deformed by its spin alone, over the most that the model can follow [-]; zero where that is not known.
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

/// Sums of products of spins, with which rows of inertias make forces on modes [rad2/s2].
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

/// How these change moments of inertia [kg m2].
fn bulged(bulge: &[Six; 6], pushes: &Six) -> Mat3 {
    symmetric(&bulge.map(|row| row.iter().zip(pushes).map(|(a, b)| a * b).sum()))
}
