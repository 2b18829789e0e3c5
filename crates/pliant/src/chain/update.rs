//! From forces to displacements: the update rules (7), (16) to (20), and a velocity per point.
//!
//! All rules are one: a displacement is c_h times the last one plus a mobility times the force. With c_h = 0 that is
//! (7), with c_h > 0 it is (19), and with the mobility tau^2/m and c_h = exp(-damping tau) it is Newton's law, the
//! displacement being tau times the velocity. What differs is how displacements are cut before they are applied.

use super::forces::Rows;
use super::params::UpdateRule;
use crate::lanes::{LANES, Lanes, Lanes3};

/// c_s grows by this for each point that oscillates, and shrinks by as much in a step without any. (The paper gives no
/// numbers.)
const OSCILLATION_STEP: f64 = 0.1;

/// c_s stays below this, so that a chain that cannot calm down still moves.
const OSCILLATION_MOST: f64 = 100.0;

/// A reversal smaller than this fraction of the step limit is rounding, not oscillation.
const OSCILLATION_LEAST: f64 = 1e-6;

/// Constants of the rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Update {
    /// Which rule.
    pub rule: UpdateRule,
    /// c_F, or tau^2/m [m/N].
    pub mobility: f64,
    /// c_h [-].
    pub history: f64,
    /// l_s [m].
    pub step_limit: f64,
    /// Whether `Dynamics` limits relative (20) or absolute (17) displacement.
    pub relative_limit: bool,
}

impl Update {
    fn limits(&self) -> bool {
        matches!(self.rule, UpdateRule::Limit | UpdateRule::Relative | UpdateRule::Dynamics)
    }

    fn limits_relative(&self) -> bool {
        match self.rule {
            UpdateRule::Relative => true,
            UpdateRule::Dynamics => self.relative_limit,
            _ => false,
        }
    }
}

/// How often limits and damping acted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Model steps taken.
    pub steps: u64,
    /// Steps in which a displacement exceeded l_s.
    pub limited: u64,
    /// Steps in which c_s was not 1.
    pub damped: u64,
}

/// What the rule remembers between steps.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateState {
    /// Displacements applied in the last step [m]; past the last point they repeat its own.
    pub step: Rows,
    /// One where a point's displacement reversed in the last step, else zero.
    reversed: Vec<f64>,
    /// c_s.
    pub oscillation_damping: f64,
    /// Counts.
    pub counters: Counters,
}

impl UpdateState {
    /// At rest, for rows of the given length.
    pub fn new(rows: usize) -> UpdateState {
        UpdateState {
            step: [vec![0.0; rows], vec![0.0; rows], vec![0.0; rows]],
            reversed: vec![0.0; rows],
            oscillation_damping: 1.0,
            counters: Counters::default(),
        }
    }
}

/// New displacements from the last ones and the forces, (19). Counts reversals where the rule wants them.
/// Returns how many points oscillate: reversed in this step and the last.
#[inline(always)]
pub fn displace(u: &Update, points: usize, force: &Rows, state: &mut UpdateState) -> f64 {
    let (history, mobility) = (Lanes::splat(u.history), Lanes::splat(u.mobility));
    let least = u.step_limit * OSCILLATION_LEAST;
    let threshold = Lanes::splat(-least * least);
    let mut oscillating = Lanes::splat(0.0);
    let mut i = 0;
    while i < points {
        let last = Lanes3::load(&state.step, i);
        let new = last.scale(history) + Lanes3::load(force, i).scale(mobility);
        if u.limits() {
            let reversed = last.dot(new).below(threshold);
            oscillating = oscillating + reversed * Lanes::load(&state.reversed, i);
            reversed.store(&mut state.reversed, i);
        }
        new.store(&mut state.step, i);
        i += LANES;
    }
    // the padding follows the last point: no relative displacement there, and it stays near the rod
    for row in &mut state.step {
        let last = row[points - 1];
        row[points..].fill(last);
    }
    state.reversed[points..].fill(0.0);
    oscillating.0.iter().sum()
}

/// Cut the displacements as the rule says and apply them to the positions. Returns c_m, the factor applied.
#[inline(always)]
pub fn apply(u: &Update, points: usize, oscillating: f64, state: &mut UpdateState, x: &mut Rows) -> f64 {
    state.counters.steps += 1;
    let mut factor = 1.0;
    if u.limits() {
        // c_s
        let change = if oscillating > 0.0 { oscillating } else { -1.0 } * OSCILLATION_STEP;
        state.oscillation_damping = (state.oscillation_damping + change).clamp(1.0, OSCILLATION_MOST);
        // d_m, squared
        let mut largest = Lanes::splat(0.0);
        let relative = u.limits_relative();
        let mut i = 0;
        while i < points {
            let here = Lanes3::load(&state.step, i);
            let d = if relative { here - Lanes3::load(&state.step, i + 1) } else { here };
            largest = largest.max(d.dot(d));
            i += LANES;
        }
        let largest = largest.largest().sqrt();
        // c_m, (17), (18), (20)
        factor = 1.0 / state.oscillation_damping;
        if largest > u.step_limit {
            factor *= u.step_limit / largest;
            state.counters.limited += 1;
        }
        if state.oscillation_damping != 1.0 {
            state.counters.damped += 1;
        }
    }
    let by = Lanes::splat(factor);
    let mut i = 0;
    while i < points + LANES {
        let step = Lanes3::load(&state.step, i).scale(by);
        (Lanes3::load(x, i) + step).store(x, i);
        // what is remembered is the displacement applied, so that c_m counts once
        step.store(&mut state.step, i);
        i += LANES;
    }
    factor
}
