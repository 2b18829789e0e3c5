//! From forces to displacements: the update rules (7), (16) to (20), and Newton's law.
//!
//! All rules have one form: a displacement is c_h times the last one plus a mobility times the force. With c_h = 0 that
//! is (7), with c_h > 0 it is (19), and with the mobility tau^2/m and c_h = exp(-drag tau) it is Newton's law, the
//! displacement being tau times the velocity. They differ in how displacements are limited before they are applied.

use super::forces::Elasticity;
use super::params::{RelativeTo, UpdateRule};
use crate::bytes::stored;
use crate::kernel::Task;
use crate::lanes::{Block, LANES, Lanes, Lanes3, Row, Rows, zero_rows};

/// Increment of c_s for each point that oscillates, and its decrement in a step without any. (The paper gives no
/// value.)
const OSCILLATION_STEP: f64 = 0.1;

/// Upper limit of c_s, so that a chain that keeps oscillating can still move.
const OSCILLATION_MOST: f64 = 100.0;

/// A reversal smaller than this fraction of the step limit is rounding, not oscillation.
const OSCILLATION_LEAST: f64 = 1e-6;

/// Constants of the update rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Update {
    /// The rule.
    pub rule: UpdateRule,
    /// c_h [-].
    pub history: f64,
    /// l_s [m].
    pub step_limit: f64,
    /// Whether `Dynamics` limits relative (20) or absolute (17) displacement.
    pub relative_limit: bool,
    /// What it is relative to.
    pub relative_to: RelativeTo,
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

/// How often displacements were limited or damped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Restraints {
    /// Steps in which a displacement exceeded l_s.
    pub limited: u64,
    /// Steps in which c_s was not 1.
    pub damped: u64,
}

/// State of the update rule between steps.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateState {
    /// Displacements applied in the last step [m]; zero past the last point.
    pub step: Rows,
    /// One where a point's displacement reversed in the last step, else zero.
    reversed: Row,
    /// c_s.
    pub oscillation_damping: f64,
    /// Model steps taken.
    pub steps: u64,
    /// Counts of the steps in which displacements were limited or damped.
    pub restraints: Restraints,
}

impl UpdateState {
    /// Copy another state with the same number of blocks.
    pub fn copy_from(&mut self, other: &UpdateState) {
        let UpdateState { step, reversed, oscillation_damping, steps, restraints } = other;
        self.step.clone_from(step);
        self.reversed.clone_from(reversed);
        (self.oscillation_damping, self.steps, self.restraints) = (*oscillation_damping, *steps, *restraints);
    }

    /// Whether it is of as many points as another.
    pub fn fits(&self, other: &UpdateState) -> bool {
        self.step.iter().zip(&other.step).all(|(a, b)| a.len() == b.len())
            && self.reversed.len() == other.reversed.len()
    }

    /// A state at rest, for rows of the given number of blocks.
    pub fn new(blocks: usize) -> UpdateState {
        UpdateState {
            step: zero_rows(blocks),
            reversed: vec![[0.0; LANES]; blocks],
            oscillation_damping: 1.0,
            steps: 0,
            restraints: Restraints::default(),
        }
    }
}

/// New displacements from the last ones and the forces, (19). If the rule needs it, returns the number of points that
/// oscillate: reversed in this step and the last.
pub struct Displace<'a> {
    pub update: &'a Update,
    pub points: usize,
    /// c_F, or tau^2/m, of each point [m/N].
    pub mobility: &'a Row,
    /// Forces [N].
    pub force: &'a Rows,
    pub state: &'a mut UpdateState,
}

impl Task for Displace<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let Displace { update: u, points, mobility, force, state } = self;
        let blocks = points.div_ceil(LANES);
        let (mobility, force) = (&mobility[..blocks], force.each_ref().map(|row| &row[..blocks]));
        let reversed = &mut state.reversed[..blocks];
        let mut step: [&mut [Block]; 3] = state.step.each_mut().map(|row| &mut row[..blocks]);
        let (history, limits) = (L::splat(u.history), u.limits());
        let least = u.step_limit * OSCILLATION_LEAST;
        let threshold = L::splat(-least * least);
        let mut oscillating = L::splat(0.0);
        for b in 0..blocks {
            let last = Lanes3 { x: L::load(&step[0][b]), y: L::load(&step[1][b]), z: L::load(&step[2][b]) };
            let new = last.scale(history) + Lanes3::load(&force, b).scale(L::load(&mobility[b]));
            if limits {
                let turned = last.dot(new).below(threshold);
                oscillating = oscillating + turned * L::load(&reversed[b]);
                reversed[b] = turned.block();
            }
            new.store(&mut step, b);
        }
        oscillating.block().iter().sum()
    }
}

/// Limit displacements according to the rule and add them to the positions. Returns c_m, the factor applied.
pub struct Apply<'a> {
    pub update: &'a Update,
    pub elasticity: &'a Elasticity,
    /// Number of points that oscillate.
    pub oscillating: f64,
    pub state: &'a mut UpdateState,
    /// Positions [m].
    pub x: &'a mut Rows,
}

impl Task for Apply<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let Apply { update: u, elasticity: e, oscillating, state, x } = self;
        let blocks = e.blocks();
        state.steps += 1;
        let mut factor = 1.0;
        if u.limits() {
            // c_s
            let change = if oscillating > 0.0 { oscillating } else { -1.0 } * OSCILLATION_STEP;
            state.oscillation_damping = (state.oscillation_damping + change).clamp(1.0, OSCILLATION_MOST);
            // d_m
            let largest = if u.limits_relative() && u.relative_to == RelativeTo::Whole {
                largest_beside_all(&state.step, e.points)
            } else {
                largest_displacement::<L>(&state.step, &e.contractions, blocks, u.limits_relative())
            };
            // c_m, (17), (18), (20)
            factor = 1.0 / state.oscillation_damping;
            if largest > u.step_limit {
                factor *= u.step_limit / largest;
                state.restraints.limited += 1;
            }
            if state.oscillation_damping != 1.0 {
                state.restraints.damped += 1;
            }
        }
        let by = L::splat(factor);
        for (step, x) in state.step.iter_mut().zip(x) {
            for (step, x) in step[..blocks].iter_mut().zip(&mut x[..blocks]) {
                // the stored displacement is the one applied, so that c_m counts once
                let applied = L::load(step) * by;
                *step = applied.block();
                *x = (L::load(x) + applied).block();
            }
        }
        factor
    }
}

/// The largest displacement, or the largest relative to the next point over all segments [m].
#[inline(always)]
fn largest_displacement<L: Lanes>(step: &Rows, segments: &Row, blocks: usize, relative: bool) -> f64 {
    let step: [&[Block]; 3] = step.each_ref().map(|row| &row[..blocks + 1]);
    let segments = &segments[..blocks];
    let mut largest = L::splat(0.0);
    let mut here = Lanes3::<L>::load(&step, 0);
    for b in 0..blocks {
        let next = Lanes3::load(&step, b + 1);
        let squared = if relative {
            let d = here - here.followed_by(next);
            d.dot(d) * L::splat(0.0).below(L::load(&segments[b]))
        } else {
            here.dot(here)
        };
        largest = largest.max(squared);
        here = next;
    }
    largest.largest().sqrt()
}

/// The largest displacement relative to the mean of all points [m].
fn largest_beside_all(step: &Rows, points: usize) -> f64 {
    let at = |point: usize| step.each_ref().map(|row| row[point / LANES][point % LANES]);
    let mut mean = [0.0; 3];
    for point in 0..points {
        at(point).iter().zip(&mut mean).for_each(|(x, sum)| *sum += x / points as f64);
    }
    let apart = |point: usize| at(point).iter().zip(&mean).map(|(x, mean)| (x - mean) * (x - mean)).sum::<f64>();
    (0..points).map(apart).fold(0.0, f64::max).sqrt()
}

stored!(Restraints { limited, damped });
stored!(UpdateState { step, reversed, oscillation_damping, steps, restraints });
