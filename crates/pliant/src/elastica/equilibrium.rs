//! Static equilibrium: a minimum of the energy under the constraints.
//!
//! Newton's method for energy and multipliers, with added inertia that fades near the solution: far away the step is
//! that of a motion downhill in energy, in the end a plain Newton step. A step is only taken where the matrix is
//! positive definite within the constraints; what cannot be reached that way without inertia is not a minimum.

use super::equations::Implicit;
use super::holds::What;
use super::meet;
use super::span::{POINTS, WEIGHTS};
use super::system::{HOLDS, System, Working, forces};

/// Result of the search for equilibrium.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Settled {
    /// Number of iterations.
    pub iterations: usize,
    /// Size of the last change [rad].
    pub change: f64,
    /// Number of directions in which the energy decreases: zero for a minimum.
    pub falling: usize,
    /// Whether forces are in balance.
    pub balanced: bool,
}

const MOST_ITERATIONS: usize = 5000;

/// Newton step below which forces are balanced [rad].
const SMALL: f64 = 1e-11;

/// Limit on the change of an angle in an iteration [rad].
const LARGEST: f64 = 0.2;

/// Total change of an angle beyond which the rod is taken to turn without end [rad].
const ENDLESS: f64 = 30.0;

/// Limit on halvings of a change that would increase the energy.
const MOST_HALVINGS: usize = 12;

/// Changes smaller than this [rad] are taken without checking the energy, which is blurred by rounding and contacts.
const CLOSE: f64 = 1e-6;

/// Negligible inertia, relative to the bending stiffness.
const FAINT: f64 = 1e-8;

/// Changes smaller than this [rad] also count as balanced when iterations bring no improvement: `touch` approximates
/// distances from the outlines of obstacles, so its forces are not exactly the gradient of an energy.
const NEARLY: f64 = 1e-8;

impl System<'_> {
    /// Move coordinates to equilibrium.
    pub fn settle(&mut self, q: &mut [f64], still: &[f64]) -> Settled {
        if self.rod.extensible { self.settle_of::<2>(q, still) } else { self.settle_of::<1>(q, still) }
    }

    fn settle_of<const K: usize>(&mut self, q: &mut [f64], still: &[f64]) -> Settled {
        let mut settled = Settled { change: f64::INFINITY, ..Settled::default() };
        let (length, unit) = (self.rod.length(), self.slow_inertia());
        let mut mass = unit;
        let begun = q[2..].to_vec();
        for bound in &mut self.s.bounds {
            bound.force = 0.0;
        }
        while settled.iterations < MOST_ITERATIONS && !self.stop.is_asked() {
            settled.iterations += 1;
            let known: Vec<f64> = self.s.bounds.iter().map(|b| b.force).collect();
            let implicit = Implicit { place: 1.0, rate: 0.0 };
            self.assemble::<K>(0.0, [q, still], None, mass, implicit);
            let (rod, pushes) = (self.rod, self.pushes);
            let Working { equations, bounds, springs, ties, .. } = &mut *self.s;
            for (bound, force) in bounds.iter_mut().zip(known) {
                bound.force = force;
            }
            equations.turn_forces::<K>(rod, 1.0, forces(bounds, pushes, springs));
            // a spring along a satisfied constraint does no work, but keeps the matrix well conditioned
            for (bound, held) in bounds.iter().zip(self.holds) {
                let arm = if held.what == What::Angle { 1.0 } else { 1.0 / (length * length) };
                equations.stiffen(bound, rod.bending[bound.interval] * arm);
            }
            let violated = bounds.iter().fold(0.0, |most: f64, b| most.max(b.left[0].abs()));
            let fine = equations.solve_tied::<K>(bounds, ties, implicit, |b| -b.left[0]);
            settled.falling = equations.falling(bounds.len() + ties.len());
            if !fine || settled.falling > 0 {
                if fine && settled.change <= SMALL && mass <= FAINT * unit {
                    // balanced, but at a maximum or saddle point
                    settled.balanced = true;
                    return settled;
                }
                // not downhill: add inertia, until it no longer moves
                mass = (mass * 4.0).max(FAINT * unit);
                if mass > 1e12 * unit {
                    return settled;
                }
                continue;
            }
            let x = &equations.solution.x;
            let places = x[..2].iter().map(|x| x / length);
            let most = places.chain(x[2..].iter().copied()).fold(0.0, |most: f64, x| most.max(x.abs()));
            let mut part = (LARGEST / most).min(1.0);
            let (limited, change) = (part < 1.0, x.clone());
            // must reduce the energy at the current multipliers, as contacts may begin on the way
            let before = self.potential::<K>(q, still);
            q.iter_mut().zip(&change).for_each(|(q, x)| *q += part * x);
            let mut shortened = false;
            for _ in 0..MOST_HALVINGS {
                if most <= CLOSE || self.potential::<K>(q, still) <= before {
                    break;
                }
                shortened = true;
                q.iter_mut().zip(&change).for_each(|(q, x)| *q -= 0.5 * part * x);
                part *= 0.5;
            }
            settled.change = most;
            if q[2..].iter().zip(&begun).any(|(q, from)| (q - from).abs() > ENDLESS) {
                return settled;
            }
            if most <= SMALL && violated <= HOLDS * length.max(1.0) && mass <= FAINT * unit {
                settled.balanced = true;
                return settled;
            }
            mass *= match (shortened, limited) {
                (true, _) => 2.0,
                (false, true) => 1.0,
                (false, false) => 0.2,
            };
            mass = mass.max(0.5 * FAINT * unit);
        }
        settled.balanced = settled.falling == 0 && settled.change <= NEARLY && mass <= unit;
        settled
    }

    /// Energy of rod, loads, contacts and the springs that pull constraints to their targets, less the work of the
    /// current multipliers [J].
    fn potential<const K: usize>(&mut self, q: &[f64], still: &[f64]) -> f64 {
        let (rod, length) = (self.rod, self.rod.length());
        let Working { equations, bounds, touches, meetings, .. } = &mut *self.s;
        let at = &mut equations.at;
        at.place::<K>(rod, q, still, None);
        let mut sum = rod.elastic(q);
        for (i, masses) in rod.masses.iter().enumerate() {
            for p in 0..POINTS {
                let place = at.nodes[i].place + at.offsets[i][p].place;
                sum -= place.dot(self.field.gravity * masses[p] + self.field.line_load * (rod.h * WEIGHTS[p]));
            }
        }
        for push in self.pushes {
            let place = at.at::<K>(rod.h, push.interval, push.fraction).0.place;
            sum -= push.force.dot(place) + push.moment * at.angle(push.interval, push.fraction)[0];
        }
        for (held, bound) in self.holds.iter().zip(bounds.iter()) {
            let left = held.bound::<K>(at, rod.h, 0.0, self.dt).left[0];
            let arm = if held.what == What::Angle { 1.0 } else { 1.0 / (length * length) };
            sum += 0.5 * rod.bending[held.interval] * arm * left * left - bound.force * left;
        }
        self.search.find::<K>(rod, at, 0.0, touches);
        let stiffness = rod.voigt[0];
        sum += touches.iter().map(|t| stiffness * t.stored).sum::<f64>();
        if self.self_contact {
            meet::find::<K>(rod, at, meetings);
            sum += meetings.iter().map(|m| 0.5 * stiffness * m.depth * m.depth).sum::<f64>();
        }
        sum
    }
}
