//! A step of a robot on its own: the equations of `midpoint` by Newton's method, with friction and stops in the joints.
//!
//! Friction and stops are laws between the mean velocity y of a joint and its force: friction opposes y by as much as
//! f, or holds y at zero by less; a stop holds y at what leads to the limit by the end of the step, and only pushes. Both
//! together are y = prox(y - c r) for the residual r without them and any c > 0, where
//!
//!   prox(z) = z - c f, 0 or z + c f, whichever has the sign of z, cut to the range of y,
//!
//! which has a derivative almost everywhere: Newton's method for that takes, joint by joint, either the row of the
//! equations with the force of friction that it slides with, or the row "y is what it is held at".
//!
//! A law for the mean velocity makes a joint that is held at y = 0 swing, v_1 = -v_0, and one that meets its stop bounce (the cable's
//! contacts have the same trait). So joints that are held are at rest after the step, by impulses between their links that take energy
//! only: stops do not bounce.

use super::algebra::{Matrix, eliminate};
use super::dynamics::LinkLoad;
use super::midpoint::Midpoint;
use super::model::Model;
use super::state::State;

/// Iterations of Newton's method before a step is halved.
const ITERATIONS: usize = 60;

/// Scales of velocities per force, relative to what a joint gives way by itself, tried one after another.
pub(crate) const SCALES: [f64; 4] = [1.0, 10.0, 0.1, 100.0];

/// How often a step may be halved.
const HALVINGS: u32 = 8;

/// A step of a robot. Working memory, made once.
#[derive(Clone, Debug, Default)]
pub struct Stepper {
    /// The equations.
    pub midpoint: Midpoint,
    y: Vec<f64>,
    forces: Vec<f64>,
    matrix: Matrix,
    change: Vec<f64>,
    held: Vec<bool>,
    saved: State,
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stepped {
    /// Iterations of Newton's method, all parts together.
    pub iterations: usize,
    /// Number of parts that the step was cut into.
    pub parts: usize,
    /// Work of torques and loads over the mean velocity, less what damping and friction took [J].
    pub work: f64,
}

/// Why a step failed. The state is as it was.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum StepFailure {
    /// A step that is not finite and positive.
    #[error("a step must be finite and longer than zero, got {0} s")]
    Step(f64),
    /// No solution was found.
    #[error("the joints move too fast or are pushed too hard for a step of {0} s, even in {parts} parts", parts = 1 << HALVINGS)]
    NoSolution(f64),
}

/// The law of one joint within a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Law {
    friction: f64,
    range: [f64; 2],
}

/// What the law says of y - c r.
pub(crate) enum Answer {
    /// The joint slides, with this force of friction.
    Slides(f64),
    /// It is held at this mean velocity.
    Held(f64),
}

impl Law {
    /// The law of a joint with friction or stops.
    pub(crate) fn of_joint(model: &Model, state: &State, h: f64, i: usize) -> Option<Law> {
        let c = model.coordinates().get(i.checked_sub(model.first_joint())?)?;
        let q = state.q[model.first_position() + i - model.first_joint()];
        let friction = c.friction;
        if friction == 0.0 && c.range == [f64::NEG_INFINITY, f64::INFINITY] {
            return None;
        }
        // a joint that begins beyond its stop is brought back gently, not at once
        let back = 0.05;
        let range = [((c.range[0] - q) / h).min(back), ((c.range[1] - q) / h).max(-back)];
        Some(Law { friction, range })
    }

    /// What it says of y - c r.
    pub(crate) fn answer(&self, z: f64, c: f64) -> Answer {
        let force = if z > c * self.friction {
            self.friction
        } else if z < -c * self.friction {
            -self.friction
        } else if self.friction > 0.0 {
            let at = 0.0_f64.clamp(self.range[0], self.range[1]);
            return Answer::Held(at);
        } else {
            0.0
        };
        let y = z - c * force;
        if y < self.range[0] {
            Answer::Held(self.range[0])
        } else if y > self.range[1] {
            Answer::Held(self.range[1])
        } else {
            Answer::Slides(force)
        }
    }
}

impl Stepper {
    /// Memory for a robot.
    pub fn new(model: &Model) -> Stepper {
        let n = model.velocities();
        Stepper {
            midpoint: Midpoint::new(model),
            y: vec![0.0; n],
            forces: vec![0.0; n],
            matrix: Matrix::zeros(n, n),
            change: vec![0.0; n],
            held: vec![false; n],
            saved: State::new(model),
        }
    }

    /// Advance a robot by `h` under joint forces `tau` (for a free root also force and moment in its frame) and loads on links. The
    /// torques are taken as they are: [`Model::limit_efforts`] cuts them.
    pub fn step(
        &mut self,
        model: &Model,
        state: &mut State,
        h: f64,
        tau: &[f64],
        loads: &[LinkLoad],
    ) -> Result<Stepped, StepFailure> {
        if !(h.is_finite() && h > 0.0) {
            return Err(StepFailure::Step(h));
        }
        self.saved.copy_from(state);
        let mut out = Stepped::default();
        // parts of 2^-cut of the step; done in units of the smallest
        let (mut cut, mut done) = (0, 0u32);
        while done < 1 << HALVINGS {
            let part = h / f64::from(1u32 << cut);
            match self.part(model, state, part, tau, loads) {
                Some((iterations, work)) => {
                    out.iterations += iterations;
                    out.parts += 1;
                    out.work += work;
                    done += 1 << (HALVINGS - cut);
                    // longer parts again where they fit
                    while cut > 0 && done.trailing_zeros() > HALVINGS - cut {
                        cut -= 1;
                    }
                }
                None if cut < HALVINGS => cut += 1,
                None => {
                    state.copy_from(&self.saved);
                    return Err(StepFailure::NoSolution(h));
                }
            }
        }
        Ok(out)
    }

    /// One part of a step: iterations and work, or nothing where it has no solution; the state then stays.
    fn part(
        &mut self,
        model: &Model,
        state: &mut State,
        h: f64,
        tau: &[f64],
        loads: &[LinkLoad],
    ) -> Option<(usize, f64)> {
        let mut y = std::mem::take(&mut self.y);
        self.midpoint.begin(model, state, h, &mut y);
        let iterations = self.newton(model, state, h, tau, loads, &mut y);
        self.y = y;
        let iterations = iterations?;
        let work = self.work(model, h);
        let gain = self.midpoint.gain(model);
        let turnover = h * self.y.iter().zip(&self.forces).map(|(y, f)| (y * f).abs()).sum::<f64>();
        if !self.midpoint.take_energy(model, gain - work, turnover) {
            return None;
        }
        self.midpoint.stop(model, &self.held);
        self.midpoint.finish(model, state);
        let sound = state.q.iter().chain(&state.v).all(|x| x.is_finite());
        sound.then_some((iterations, work))
    }

    /// Find the mean velocity.
    fn newton(
        &mut self,
        model: &Model,
        state: &State,
        h: f64,
        tau: &[f64],
        loads: &[LinkLoad],
        y: &mut [f64],
    ) -> Option<usize> {
        let n = model.velocities();
        let mut before = f64::INFINITY;
        for iteration in 1..=ITERATIONS {
            self.midpoint.assemble(model, y);
            self.forces.fill(0.0);
            self.midpoint.add_torques(model, tau, &mut self.forces);
            for load in loads {
                self.midpoint.add_load(model, load, &mut self.forces);
            }
            self.matrix.copy_from(self.midpoint.tangent());
            for i in 0..n {
                let residual = self.midpoint.residual()[i] - self.forces[i];
                self.change[i] = -residual;
                self.held[i] = false;
                let Some(law) = Law::of_joint(model, state, h, i) else { continue };
                // any scale will do, but with some Newton's method goes in circles
                let c = SCALES[(iteration - 1) * SCALES.len() / ITERATIONS] / self.midpoint.tangent()[(i, i)];
                match law.answer(y[i] - c * residual, c) {
                    Answer::Slides(force) => {
                        self.change[i] -= force;
                        self.forces[i] -= force;
                    }
                    Answer::Held(at) => {
                        self.held[i] = true;
                        self.change[i] = at - y[i];
                        self.matrix.row_mut(i).fill(0.0);
                        self.matrix[(i, i)] = 1.0;
                    }
                }
            }
            if !eliminate(&mut self.matrix, &mut self.change) {
                return None;
            }
            let size = y.iter().zip(&self.change).map(|(y, c)| c.abs() / (1.0 + y.abs())).fold(0.0, f64::max);
            y.iter_mut().zip(&self.change).for_each(|(y, c)| *y += c);
            // what the next iteration would change, by the rate of the last one; what is left then is taken from the kinetic energy
            let rate = if before.is_finite() { (size / before).min(1.0) } else { 1.0 };
            if size < 1e-14 || size * rate < 1e-15 || (size < 1e-11 && rate > 0.1 && iteration > 1) {
                self.midpoint.evaluate(model, y);
                return Some(iteration);
            }
            if size.is_nan() || size > 1e6 {
                return None;
            }
            before = size;
        }
        None
    }

    /// Work of all forces over the mean velocity, less that of damping and friction.
    fn work(&self, model: &Model, h: f64) -> f64 {
        let first = model.first_joint();
        let mut power = 0.0;
        for (i, y) in self.y.iter().enumerate() {
            // a joint that is held has the force that the equations are missing
            power += if self.held[i] { self.midpoint.residual()[i] * y } else { self.forces[i] * y };
            // which the residual includes
            if i >= first && !self.held[i] {
                power -= model.coordinates()[i - first].damping * y * y;
            }
        }
        power * h
    }
}
