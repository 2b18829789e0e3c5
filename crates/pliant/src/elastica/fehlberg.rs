//! The Runge-Kutta-Fehlberg method of order 4(5), with steps controlled by the error.
//!
//! Not taken from a crate: steps end with world steps, constraints are corrected in between, multipliers are averaged
//! over the stages, and nothing may allocate; what remains of an integrator is this table.

use super::balance::Standing;
use super::rod::Kinematics;
use super::system::System;
use super::touch::CREEP;
use crate::math::pow;

/// Derivatives at the stages, and working memory.
#[derive(Clone, Debug, Default)]
pub struct Fehlberg {
    /// Derivatives of coordinates and of their rates, by stage.
    stages: [[Vec<f64>; 2]; STAGES],
    trial: [Vec<f64>; 2],
    /// Length of the step to try next [s]; `None` before the first.
    pub next: Option<f64>,
    /// Multipliers by stage.
    forces: Vec<[f64; STAGES]>,
    /// Rates of the targets of constraints, by stage.
    rates: Vec<[f64; STAGES]>,
    /// Power of moving obstacles, by stage [W].
    powers: [f64; STAGES],
    /// Work of moving obstacles in the world step [J].
    pub led: f64,
    /// Whether the rod touches anything in a stage of the step: contacts begin and end with jumps, which the error of
    /// coordinates does not show, so that energy is watched as well.
    touches: bool,
    /// Whether it rubs on anything in a stage of the step.
    rubs: bool,
    at_end: Kinematics,
}

const STAGES: usize = 6;

/// Times of the stages, as fractions of the step.
const TIMES: [f64; STAGES] = [0.0, 1.0 / 4.0, 3.0 / 8.0, 12.0 / 13.0, 1.0, 1.0 / 2.0];

const WEIGHTS: [[f64; STAGES - 1]; STAGES] = [
    [0.0; 5],
    [1.0 / 4.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 32.0, 9.0 / 32.0, 0.0, 0.0, 0.0],
    [1932.0 / 2197.0, -7200.0 / 2197.0, 7296.0 / 2197.0, 0.0, 0.0],
    [439.0 / 216.0, -8.0, 3680.0 / 513.0, -845.0 / 4104.0, 0.0],
    [-8.0 / 27.0, 2.0, -3544.0 / 2565.0, 1859.0 / 4104.0, -11.0 / 40.0],
];

/// Weights of fifth order, with which integration continues.
const FIFTH: [f64; STAGES] = [16.0 / 135.0, 0.0, 6656.0 / 12825.0, 28561.0 / 56430.0, -9.0 / 50.0, 2.0 / 55.0];

/// Weights of fourth order, for the error estimate.
const FOURTH: [f64; STAGES] = [25.0 / 216.0, 0.0, 1408.0 / 2565.0, 2197.0 / 4104.0, -1.0 / 5.0, 0.0];

/// Error of velocities of a rod that rubs, relative to the speed at which friction reaches its limit [-]: at rest friction
/// is as far from balance. The error of coordinates says nothing of that, as friction is stiff.
const RUBBED: f64 = 0.01;

/// Shortest step as a fraction of the world step.
const SMALLEST: f64 = 1e-7;

/// Shortest step that is halved for creating energy, as a fraction of the world step.
const SHORTEST_CUT: f64 = 1e-4;

/// Limit on evaluations of the equations in a world step: a rod that needs more is too stiff for this method.
const MOST_EVALUATIONS: f64 = 200_000.0;

/// Second limit on evaluations, as a multiple of what stability requires, plus `SOME`: a rod that needs more does not
/// settle, such as one folded up with contacts that come and go.
const MOST_TIMES: f64 = 20.0;

/// Evaluations granted in addition to `MOST_TIMES`.
const SOME: f64 = 10_000.0;

/// Evaluations after which progress is judged.
const STRETCH: u64 = 5_000;

/// A world step is given up if, at the pace of the last stretch, it would need this many times the evaluations allowed.
const HOPELESS: f64 = 10.0;

/// Result of a world step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Accepted steps.
    pub steps: u64,
    /// Evaluations of the equations.
    pub evaluations: u64,
    /// Whether an iteration reached its limit and its result was used as it was.
    pub limited: bool,
    /// Whether the end of the world step was reached.
    pub arrived: bool,
}

impl Fehlberg {
    /// Allocate for a number of coordinates and intervals.
    pub fn new(size: usize, intervals: usize) -> Fehlberg {
        let zeros = || [vec![0.0; size], vec![0.0; size]];
        let at_end = Kinematics::new(intervals);
        Fehlberg { stages: std::array::from_fn(|_| zeros()), trial: zeros(), at_end, ..Fehlberg::default() }
    }

    /// Preallocate for constraints.
    pub fn reserve(&mut self, bounds: usize) {
        self.forces.reserve(bounds);
        self.rates.reserve(bounds);
    }

    /// Advance by the world step, which is expected to take `expected` steps. `add` receives the impulse of each
    /// constraint and the rate of its target.
    pub fn advance(
        &mut self,
        system: &mut System<'_>,
        [q, v]: [&mut Vec<f64>; 2],
        [tolerance, expected]: [f64; 2],
        mut add: impl FnMut(usize, f64, f64),
    ) -> Work {
        let dt = system.dt;
        let (mut work, mut time) = (Work::default(), 0.0);
        let mut first = true;
        self.led = 0.0;
        let (mut standing, mut created, mass) = (None, 0.0, system.rod.mass());
        let most = (SOME + MOST_TIMES * STAGES as f64 * expected).min(MOST_EVALUATIONS);
        let mut judged = (STRETCH, 0.0);
        while time < dt {
            if work.evaluations as f64 > most || system.stop.is_asked() {
                return work;
            }
            if work.evaluations > judged.0 {
                let needed = STRETCH as f64 * (dt - time) / (time - judged.1);
                if needed > HOPELESS * most {
                    return work;
                }
                judged = (work.evaluations + STRETCH, time);
            }
            let wanted = self.next.unwrap_or(1e-3 * dt);
            // leave no tiny remainder
            let step = if time + 1.01 * wanted >= dt { dt - time } else { wanted.min(0.5 * (dt - time).max(wanted)) };
            let error = self.try_step(system, [q, v], (time, step, tolerance), first, &mut work);
            if error > 1.0 || error.is_nan() {
                let shorter = if error.is_finite() { (0.9 * pow(error, -0.2)).max(0.1) } else { 0.1 };
                self.next = Some(step * shorter);
                if step * shorter < SMALLEST * dt {
                    return work;
                }
                // the first stage is that of the unchanged state and is reused
                first = false;
                continue;
            }
            if self.touches {
                let from = standing.unwrap_or_else(|| system.standing(time / dt, [q, v], &mut self.at_end));
                let f = (time + step) / dt;
                let (reached, done) = self.reached(system, [q, v], f, step);
                match reached.created(&from, done, [created, f, mass]) {
                    Some(now) => created = now,
                    None if step > SHORTEST_CUT * dt => {
                        (standing, self.next, first) = (Some(from), Some(0.5 * step), false);
                        continue;
                    }
                    None => {}
                }
                standing = Some(reached);
            } else {
                standing = None;
            }
            self.accept(system.holds.len(), [q, v], step, &mut add);
            (time, first) = (if step >= dt - time { dt } else { time + step }, true);
            let longer = (0.9 * pow(error.max(1e-10), -0.2)).clamp(0.2, 5.0);
            // a step cut short by the end of the world step says little about the next
            self.next = Some(if step < wanted { wanted.max(step * longer) } else { step * longer });
            work.steps += 1;
        }
        work.arrived = true;
        work
    }

    /// Compute the stages of a step. Returns the largest error of coordinates, and of rates times the step, relative to
    /// the tolerance; and that of rates relative to what friction asks for.
    fn try_step(
        &mut self,
        system: &mut System<'_>,
        [q, v]: [&[f64]; 2],
        (time, step, tolerance): (f64, f64, f64),
        first: bool,
        work: &mut Work,
    ) -> f64 {
        let dt = system.dt;
        self.forces.resize(system.holds.len(), [0.0; STAGES]);
        self.rates.resize(system.holds.len(), [0.0; STAGES]);
        self.touches &= !first;
        self.rubs &= !first;
        for stage in usize::from(!first)..STAGES {
            let Fehlberg { stages, trial, .. } = self;
            for (n, y) in [q, v].into_iter().enumerate() {
                trial[n].copy_from_slice(y);
                for (weight, known) in WEIGHTS[stage].iter().zip(stages.iter()).take(stage) {
                    let weight = weight * step;
                    trial[n].iter_mut().zip(&known[n]).for_each(|(y, rate)| *y += weight * rate);
                }
            }
            let [rates, second] = &mut stages[stage];
            rates.copy_from_slice(&trial[1]);
            work.evaluations += 1;
            if !system.accelerate((time + TIMES[stage] * step) / dt, &trial[0], &trial[1], second) {
                return f64::INFINITY;
            }
            let f = (time + TIMES[stage] * step) / dt;
            for (n, (bound, held)) in system.s.bounds.iter().zip(system.holds).enumerate() {
                (self.forces[n][stage], self.rates[n][stage]) = (bound.force, held.rate(f, dt));
            }
            self.powers[stage] = system.led();
            self.touches |= !(system.s.touches.is_empty() && system.s.meetings.is_empty());
            self.rubs |= system.rubs();
        }
        let Fehlberg { stages, trial, .. } = self;
        for (n, error) in trial.iter_mut().enumerate() {
            error.fill(0.0);
            for (s, stage) in stages.iter().enumerate() {
                let weight = step * (FIFTH[s] - FOURTH[s]) * if n == 1 { step } else { 1.0 };
                error.iter_mut().zip(&stage[n]).for_each(|(e, rate)| *e += weight * rate);
            }
            // positions relative to the length of the rod
            error[..2].iter_mut().for_each(|e| *e /= system.rod.length());
        }
        let most = |e: &Vec<f64>| e.iter().fold(0.0, |most: f64, e| if e.abs() <= most { most } else { e.abs() });
        let [places, rates] = [most(&trial[0]), most(&trial[1])];
        let finest = RUBBED * CREEP * step / system.rod.length();
        let finer = if self.rubs { tolerance.min(finest) } else { tolerance };
        let [places, rates] = [places / tolerance, rates / finer];
        // also where rates are not numbers
        if rates <= places { places } else { rates }
    }

    /// The energy at the end of a step whose stages are computed, at a fraction of the world step, and the work that was
    /// done on the rod in it [J].
    fn reached(&mut self, system: &mut System<'_>, state: [&[f64]; 2], f: f64, step: f64) -> (Standing, f64) {
        let Fehlberg { stages, trial, forces, rates, powers, at_end, .. } = self;
        for (n, y) in state.into_iter().enumerate() {
            trial[n].copy_from_slice(y);
            add_stages(&mut trial[n], stages, n, step);
        }
        let held: f64 = forces.iter().zip(&*rates).map(|(force, rate)| mean(|s| force[s] * rate[s])).sum();
        let done = step * (held + mean(|s| powers[s]));
        (system.standing(f, [&trial[0], &trial[1]], at_end), done)
    }

    fn accept(&mut self, holds: usize, state: [&mut Vec<f64>; 2], step: f64, add: &mut impl FnMut(usize, f64, f64)) {
        for (n, y) in state.into_iter().enumerate() {
            add_stages(y, &self.stages, n, step);
        }
        for n in 0..holds {
            (0..STAGES).for_each(|s| add(n, step * FIFTH[s] * self.forces[n][s], self.rates[n][s]));
        }
        self.led += step * mean(|s| self.powers[s]);
    }
}

/// Mean of a quantity over the stages of a step.
fn mean(of: impl Fn(usize) -> f64) -> f64 {
    (0..STAGES).map(|s| FIFTH[s] * of(s)).sum()
}

/// Add to coordinates, or with `n` = 1 to their rates, what the stages give in a step.
fn add_stages(y: &mut [f64], stages: &[[Vec<f64>; 2]; STAGES], n: usize, step: f64) {
    for (stage, weight) in stages.iter().zip(FIFTH) {
        y.iter_mut().zip(&stage[n]).for_each(|(y, rate)| *y += step * weight * rate);
    }
}
