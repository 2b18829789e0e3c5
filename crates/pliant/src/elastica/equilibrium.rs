//! Static equilibrium: the shape of least energy that constraints allow.
//!
//! Newton's method for energy and multipliers, with some inertia added that fades as it comes closer: far away the change
//! is one of a motion, downhill in energy; in the end it is Newton's. A change is only taken where, within the constraints,
//! energy would rise in all directions from where it leads; what cannot be reached so without inertia is no minimum.

use super::equations::Implicit;
use super::holds::What;
use super::system::{HOLDS, Scratch, System, forces};

/// What became of the search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Settled {
    /// Changes that were made.
    pub iterations: usize,
    /// The last change [rad].
    pub change: f64,
    /// Number of directions in which energy falls from there: zero for a minimum.
    pub falling: usize,
    /// Whether forces are in balance.
    pub balanced: bool,
}

const MOST_ITERATIONS: usize = 500;

/// Forces are in balance when Newton's change is this small [rad].
const SMALL: f64 = 1e-11;

/// Largest change of an angle [rad].
const LARGEST: f64 = 0.2;

/// Inertia that is as good as none, as a part of what resists bending.
const FAINT: f64 = 1e-8;

impl System<'_> {
    /// Bring coordinates into equilibrium.
    pub fn settle(&mut self, q: &mut [f64], still: &[f64]) -> Settled {
        if self.rod.extensible { self.settle_of::<2>(q, still) } else { self.settle_of::<1>(q, still) }
    }

    fn settle_of<const K: usize>(&mut self, q: &mut [f64], still: &[f64]) -> Settled {
        let mut settled = Settled { change: f64::INFINITY, ..Settled::default() };
        // inertia by which a rod of this length bends as slowly as it would move
        let length = self.rod.length();
        let unit = self.rod.bending.iter().sum::<f64>() * self.rod.h / (length * self.rod.mass() * length * length);
        let (mut mass, mut last) = (unit, f64::INFINITY);
        for bound in &mut self.s.bounds {
            bound.force = 0.0;
        }
        while settled.iterations < MOST_ITERATIONS {
            settled.iterations += 1;
            let known: Vec<f64> = self.s.bounds.iter().map(|b| b.force).collect();
            let implicit = Implicit { place: 1.0, rate: 0.0 };
            self.assemble::<K>(0.0, [q, still], None, mass, implicit);
            let (rod, pushes) = (self.rod, self.pushes);
            let Scratch { equations, bounds, springs, ties, .. } = &mut *self.s;
            for (bound, force) in bounds.iter_mut().zip(known) {
                bound.force = force;
            }
            equations.turn_forces::<K>(rod, 1.0, forces(bounds, pushes, springs));
            // a constraint that is kept does no work on a spring along it, which keeps the matrix far from singular
            for (bound, held) in bounds.iter().zip(self.holds) {
                let arm = if held.what == What::Angle { 1.0 } else { 1.0 / (length * length) };
                equations.stiffen(bound, rod.bending[bound.interval] * arm);
            }
            let violated = bounds.iter().fold(0.0, |most: f64, b| most.max(b.left[0].abs()));
            let fine = equations.solve_tied::<K>(bounds, ties, implicit, |b| -b.left[0]);
            settled.falling = equations.falling(bounds.len() + ties.len());
            if !fine || settled.falling > 0 {
                if fine && settled.change <= SMALL && mass <= FAINT * unit {
                    // in balance, but on a summit or a saddle
                    settled.balanced = true;
                    return settled;
                }
                // not downhill: more inertia, up to where it moves no more
                mass = (mass * 4.0).max(FAINT * unit);
                if mass > 1e12 * unit {
                    return settled;
                }
                continue;
            }
            let x = &equations.solution.x;
            let places = x[..2].iter().map(|x| x / length);
            let most = places.chain(x[2..].iter().copied()).fold(0.0, |most: f64, x| most.max(x.abs()));
            let part = (LARGEST / most).min(1.0);
            q.iter_mut().zip(x).for_each(|(q, x)| *q += part * x);
            settled.change = most;
            if most <= SMALL && violated <= HOLDS * length.max(1.0) && mass <= FAINT * unit {
                settled.balanced = true;
                return settled;
            }
            mass = if part < 1.0 { mass } else { mass * (most / last).clamp(0.05, 1.5) };
            if most < 1e-3 {
                mass *= 0.05;
            }
            mass = mass.max(0.5 * FAINT * unit);
            last = most;
        }
        settled
    }
}
