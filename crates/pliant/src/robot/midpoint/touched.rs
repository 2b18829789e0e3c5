//! The end of a step of a robot that touches something: impulses where it touches, and what is left of its energy.

use super::{Midpoint, Model, RIGID, eliminate, root_axes};
use crate::math::{Mat3, Vec3};
use crate::robot::algebra::Matrix;

/// Stiffness of a row that is held, against the inertia that it meets; what it leaves of a velocity is one over that.
const STIFF: f64 = 1e5;

/// Passes, each of which leaves as much of what the last one left.
const PASSES: usize = 3;

impl Midpoint {
    /// Velocity of a point of a link and angular velocity at the end of the step, per velocity then; six rows in world axes.
    pub fn final_jacobian(&self, model: &Model, link: usize, point: Vec3, out: &mut Matrix) {
        let (body, place) = self.end.kinematics.on_body(model, link, point);
        let root = Mat3::from_quat(self.root(model, true).rotation);
        self.end.jacobian(model, body, place, [root, Mat3::IDENTITY], out);
    }

    /// An entry of the mass matrix at the end of the step, with that of the centre of mass of a free root.
    pub fn inertia(&self, model: &Model, i: usize, j: usize) -> f64 {
        let first = root_axes(model);
        if i < first || j < first {
            return if i == j { self.end.kinematics.composites[0].mass } else { 0.0 };
        }
        self.end_mass[(i, j)]
    }

    /// Kinetic energy at the end of the step [J].
    pub fn end_kinetic(&self, model: &Model) -> f64 {
        let (n, v) = (model.velocities(), &self.velocities[1]);
        (0..n).map(|i| 0.5 * v[i] * (0..n).map(|j| self.inertia(model, i, j) * v[j]).sum::<f64>()).sum()
    }

    /// Bring velocities along rows, one after the other in `rows`, to their targets at the end of the step by impulses along them, as nearly
    /// as they allow: M dv = R^T p with p = w (target - R v) and large w. Impulses are added to `impulses`; relative to targets at
    /// rest this takes energy only.
    pub fn hold_rows(&mut self, model: &Model, rows: &[f64], targets: &[f64], impulses: &mut [f64]) {
        let n = model.velocities();
        for _ in 0..PASSES {
            self.solve.clear();
            for i in 0..n {
                for j in 0..n {
                    self.solve[(i, j)] = self.inertia(model, i, j);
                }
            }
            self.list.fill(0.0);
            for (row, target) in rows.chunks_exact(n).zip(targets) {
                let (weight, missing) = (self.weight(model, row), target - along(row, &self.velocities[1]));
                for i in (0..n).filter(|&i| row[i] != 0.0) {
                    self.list[i] += row[i] * weight * missing;
                    for j in 0..n {
                        self.solve[(i, j)] += weight * row[i] * row[j];
                    }
                }
            }
            if !eliminate(&mut self.solve, &mut self.list) {
                return;
            }
            self.velocities[1].iter_mut().zip(&self.list).for_each(|(v, d)| *v += d);
            for ((row, target), impulse) in rows.chunks_exact(n).zip(targets).zip(&mut *impulses) {
                *impulse += self.weight(model, row) * (target - along(row, &self.velocities[1]));
            }
        }
    }

    /// Stiffness with which a row is held.
    fn weight(&self, model: &Model, row: &[f64]) -> f64 {
        let answer: f64 = row.iter().enumerate().map(|(i, r)| r * r / self.inertia(model, i, i)).sum();
        if answer > 0.0 { STIFF / answer } else { 0.0 }
    }

    /// Velocity along a row per impulse along it [1/kg].
    pub fn answer(&mut self, model: &Model, row: &[f64]) -> f64 {
        self.respond(model, row, 1.0);
        along(row, &self.list)
    }

    /// Change velocities at the end of the step by an impulse along a row.
    pub fn strike(&mut self, model: &Model, row: &[f64], impulse: f64) {
        self.respond(model, row, impulse);
        self.velocities[1].iter_mut().zip(&self.list).for_each(|(v, d)| *v += d);
    }

    /// Write to `list` what an impulse along a row changes; nothing where the mass matrix is singular.
    fn respond(&mut self, model: &Model, row: &[f64], impulse: f64) {
        let n = model.velocities();
        self.solve.clear();
        for i in 0..n {
            for j in 0..n {
                self.solve[(i, j)] = self.inertia(model, i, j);
            }
            self.list[i] = row[i] * impulse;
        }
        if !eliminate(&mut self.solve, &mut self.list) {
            self.list.fill(0.0);
        }
    }

    /// Set velocities at the end of the step.
    pub fn set_end_velocities(&mut self, velocities: &[f64]) {
        self.velocities[1].copy_from_slice(velocities);
    }

    /// Subtract a change from velocities at the end of the step.
    pub fn change_end(&mut self, change: &[f64]) {
        self.velocities[1].iter_mut().zip(change).for_each(|(v, d)| *v -= d);
    }

    /// Take energy as [`Midpoint::take_energy`] does, of a robot whose momentum is not kept as it touches something: from all of its
    /// motion.
    pub fn take_from_all(&mut self, model: &Model, energy: f64, turnover: f64) -> bool {
        let kinetic = self.end_kinetic(model);
        if energy.is_nan() || energy.abs() > 1e-3 * kinetic {
            return energy.abs() <= 1e-12 * (kinetic + turnover + self.potential.abs());
        }
        self.slow(kinetic, energy);
        true
    }

    /// Take energy that contacts have returned, and what Newton's method has left of the works, as far as half of the motion has it. False
    /// where it is anything else.
    pub fn take_returned(&mut self, model: &Model, energy: f64, returned: f64, turnover: f64) -> bool {
        let kinetic = self.end_kinetic(model);
        let rest = (energy - returned).abs();
        if rest.is_nan() || rest > (1e-3 * kinetic).max(RIGID * turnover) {
            return false;
        }
        self.slow(kinetic, energy.min(0.5 * kinetic));
        true
    }

    /// Take energy from the motion at the end of the step.
    fn slow(&mut self, kinetic: f64, energy: f64) {
        let factor = if kinetic > 0.0 { (1.0 - energy / kinetic).sqrt() } else { 1.0 };
        self.velocities[1].iter_mut().for_each(|v| *v *= factor);
    }
}

/// Velocity along a row.
fn along(row: &[f64], velocities: &[f64]) -> f64 {
    row.iter().zip(velocities).map(|(r, v)| r * v).sum()
}
