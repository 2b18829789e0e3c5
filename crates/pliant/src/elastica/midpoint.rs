//! The implicit midpoint rule, for stiff rods: accelerations a of a step with which the equations of motion hold at its
//! middle,
//!
//!   v(1/2) = v + (h/2) a,     q(1/2) = q + (h/2) v(1/2),     q(1) = q + h v(1/2),     v(1) = v + h a,
//!
//! and constraints hold at its end. Contact forces too are evaluated at the end of the step, but act along the rod's
//! directions at its middle. A force k d at depth d does the work k d (d - d_0) on the way in from d_0, which is never
//! less than the stored energy k (d^2 - d_0^2) / 2. Evaluated at the middle it would equal that only where contact
//! lasts the whole step, and be too little where it begins within the step: rods would gain energy from impacts. Each
//! iteration solves equations with the derivatives of forces by positions and rates, and with the current inertia.
//! Where that does not converge however short the step, the equations hold at its end instead (implicit Euler), which
//! damps vibrations too fast to be resolved.

use super::equations::Implicit;
use super::fehlberg::Work;
use super::holds::Held;
use super::rod::Kinematics;
use super::system::{System, Working, forces};

/// Working memory of the midpoint rule.
#[derive(Clone, Debug, Default)]
pub struct Midpoint {
    /// Accelerations.
    a: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    end: Vec<f64>,
    /// Rates at the end of the step.
    rates: Vec<f64>,
    at_end: Kinematics,
    forces: Vec<f64>,
    /// Work of moving obstacles in the world step [J].
    pub led: f64,
}

/// Limit on iterations in a step, after which it is halved.
const MOST_ITERATIONS: usize = 20;

/// Shortest step that is tried, as a fraction of the world step.
pub const SMALLEST: f64 = 1.0 / 4096.0;

/// Shortest step that is halved for creating energy, as a fraction of the world step.
const SHORTEST_CUT: f64 = 1.0 / 1024.0;

/// Factor by which the tolerance is relaxed there, as contacts may come and go without end.
const LESS_EXACT: f64 = 1e3;

/// Tolerance [rad] where implicit Euler does not converge either; the residual of the balance is then dropped.
const LAST: f64 = 1e-3;

impl Midpoint {
    /// Allocate for a number of coordinates and intervals.
    pub fn new(size: usize, intervals: usize) -> Midpoint {
        let zeros = || vec![0.0; size];
        Midpoint {
            a: zeros(),
            q: zeros(),
            v: zeros(),
            end: zeros(),
            rates: zeros(),
            at_end: Kinematics::new(intervals),
            forces: vec![],
            led: 0.0,
        }
    }

    /// Preallocate for constraints.
    pub fn reserve(&mut self, bounds: usize) {
        self.forces.reserve(bounds);
    }

    /// Advance by the world step. `add` receives the impulse of each constraint and the rate of its target.
    pub fn advance(
        &mut self,
        system: &mut System<'_>,
        [q, v]: [&mut Vec<f64>; 2],
        tolerance: f64,
        mut add: impl FnMut(usize, f64, f64),
    ) -> Work {
        let (mut work, mut from, mut part) = (Work::default(), 0.0, 1.0);
        // fraction of a step at which the equations hold; stretch waves are too fast to be resolved and must be damped
        let usual = if system.rod.extensible { 0.55 } else { 0.5 };
        let mut at = usual;
        self.forces.clear();
        self.forces.resize(system.holds.len(), 0.0);
        self.a.fill(0.0);
        self.led = 0.0;
        let mass = system.rod.mass();
        let mut created = 0.0;
        let mut standing = system.standing(0.0, [q, v], &mut self.at_end);
        while from < 1.0 {
            if system.stop.is_asked() {
                return work;
            }
            let converged = if system.rod.extensible {
                self.step::<2>(system, [q, v], [from, part, at], tolerance, &mut work)
            } else {
                self.step::<1>(system, [q, v], [from, part, at], tolerance, &mut work)
            };
            if !converged {
                part *= 0.5;
                if part < SMALLEST && at == 1.0 {
                    return work;
                }
                if part < SMALLEST {
                    at = 1.0;
                    part = longest_from(from);
                }
                self.a.fill(0.0);
                continue;
            }
            let step = part * system.dt;
            for ((rate, v), a) in self.rates.iter_mut().zip(v.iter()).zip(&self.a) {
                *rate = v + step * a;
            }
            let led = step * system.led();
            let way = |(held, force): (&Held, &f64)| force * held.way(from, from + part);
            let done = led + system.holds.iter().zip(&self.forces).map(way).sum::<f64>();
            let reached = system.standing(from + part, [&self.end, &self.rates], &mut self.at_end);
            let now_created = reached.created(&standing, done, [created, from + part, mass]);
            if now_created.is_none() && part > SHORTEST_CUT {
                part *= 0.5;
                self.a.fill(0.0);
                continue;
            }
            (standing, created) = (reached, now_created.unwrap_or(created));
            q.copy_from_slice(&self.end);
            v.copy_from_slice(&self.rates);
            self.led += led;
            for (n, held) in system.holds.iter().enumerate() {
                add(n, step * self.forces[n], held.way(from, from + part) / step);
            }
            from += part;
            system.correct_rates(from, q, v);
            for (n, (bound, held)) in system.s.bounds.iter().zip(system.holds).enumerate() {
                // what the impulse takes from motion against the constraint is a loss of the step, no work of the grip
                let rate = held.rate(from, system.dt);
                add(n, bound.force, rate);
                standing.struck(bound.force * (rate + 0.5 * bound.left[1]));
            }
            work.steps += 1;
            at = usual;
            // back to longer steps, at multiples of their length
            if from < 1.0 && (from / (2.0 * part)).fract() == 0.0 {
                part *= 2.0;
            }
        }
        work.arrived = true;
        work
    }

    fn step<const K: usize>(
        &mut self,
        system: &mut System<'_>,
        [q, v]: [&[f64]; 2],
        [from, part, at]: [f64; 3],
        tolerance: f64,
        work: &mut Work,
    ) -> bool {
        let h = part * system.dt;
        let (within, end) = (from + at * part, from + part);
        let implicit = Implicit { place: at * at * h * h, rate: at * h };
        let touching = Implicit { place: at * h * h, ..implicit };
        let exact = 0.01 * tolerance;
        for n in 1..=MOST_ITERATIONS {
            if system.stop.is_asked() {
                return false;
            }
            for k in 0..q.len() {
                self.v[k] = v[k] + at * h * self.a[k];
                self.q[k] = q[k] + at * h * self.v[k];
                self.end[k] = q[k] + h * self.v[k];
            }
            self.at_end.place::<K>(system.rod, &self.end, &self.v, None);
            let state = [&self.q[..], &self.v];
            system.assemble_with_contact_at::<K>([within, end], state, &self.a, &self.at_end, [implicit, touching]);
            let (rod, dt, holds, pushes) = (system.rod, system.dt, system.holds, system.pushes);
            let Working { equations, bounds, springs, ties, .. } = &mut *system.s;
            for ((bound, held), force) in bounds.iter_mut().zip(holds).zip(&self.forces) {
                bound.left[0] = held.bound::<K>(&self.at_end, rod.h, end, dt).left[0];
                bound.force = *force;
            }
            equations.turn_forces::<K>(rod, implicit.place, forces(bounds, pushes, springs));
            work.evaluations += 1;
            if !equations.solve_tied::<K>(bounds, ties, touching, |b| -b.left[0] / (at * h * h)) {
                return false;
            }
            for (force, bound) in self.forces.iter_mut().zip(bounds.iter()) {
                *force = bound.force;
            }
            let mut most: f64 = 0.0;
            for (k, x) in equations.solution.x.iter().enumerate() {
                self.a[k] += x;
                let scale = if k < 2 { 1.0 / rod.length() } else { 1.0 };
                most = most.max(at * h * h * scale * x.abs());
            }
            if most > 10.0 || most.is_nan() {
                return false;
            }
            let enough = match (part > SMALLEST, at < 1.0 || n < MOST_ITERATIONS) {
                (true, _) => exact,
                (false, true) => LESS_EXACT * exact,
                (false, false) => LAST,
            };
            if most <= enough {
                work.limited |= enough == LAST;
                for k in 0..q.len() {
                    self.end[k] = q[k] + h * (v[k] + at * h * self.a[k]);
                }
                return true;
            }
        }
        false
    }
}

/// The longest part of a step that can start at a fraction of it, if parts come from repeated halving.
fn longest_from(from: f64) -> f64 {
    let mut part = 1.0;
    while (from / part).fract() != 0.0 || from + part > 1.0 {
        part *= 0.5;
    }
    part
}
