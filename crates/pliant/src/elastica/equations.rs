//! Equations of motion of a rod, (18), (23) and (28) of Wakamatsu et al., solved in linear time.
//!
//! By Gauss's principle the accelerations are those for which the sum over all mass points of 1/2 m |x''|^2 - f . x'', less
//! the work of moments on the unknowns, is least: that gives the same equations as Lagrange's, with the velocity terms (9)
//! to (11) in it, since x'' is taken with them. `elimination` finds the least sum. Constraints add multipliers: with row J_j
//! the constraint's J, each is solved once with a unit force along it, and the multipliers follow from a small dense system.

use super::elimination::{Elimination, Form};
use super::rod::{Kinematics, Rod};
use super::span::{GAUSS, MOST, POINTS, Row, WEIGHTS};
use crate::math::{Vec2, sincos};

/// What acts all along a rod.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Field {
    /// Acceleration of gravity, in the plane [m/s2].
    pub gravity: Vec2,
    /// Dead load [N/m].
    pub line_load: Vec2,
}

/// A force or moment at a place of the rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// Which interval.
    pub interval: usize,
    /// Fraction of it.
    pub fraction: f64,
    /// Force [N].
    pub force: Vec2,
    /// Moment, counter-clockwise [N m].
    pub moment: f64,
}

/// A force [N] at a fraction of an interval.
pub type At = (usize, f64, Vec2);

/// A force along a row, such as that of a contact, and how it falls as the row grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Which interval.
    pub interval: usize,
    /// Fraction of it.
    pub fraction: f64,
    /// What it acts along.
    pub row: Row,
    /// Force [N].
    pub force: f64,
    /// How fast the force falls with the row's value [N/m], and with its rate [N s/m].
    pub slopes: [f64; 2],
}

/// A spring between two places of the rod: how its force falls with their distance. The force itself is that of two springs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tie {
    /// Intervals of the places, and how the distance changes with each.
    pub ends: [(usize, Row); 2],
    /// How fast the force falls with the distance [N/m], and with its rate [N s/m].
    pub slopes: [f64; 2],
}

impl Tie {
    /// What a unit force of it adds to the linear part of an interval's form.
    fn pull(&self, interval: usize) -> Row {
        let mut sum = [0.0; 2 + 2 * MOST];
        for (_, row) in self.ends.iter().filter(|(i, _)| *i == interval) {
            sum.iter_mut().zip(row).for_each(|(s, x)| *s -= x);
        }
        sum
    }

    /// Its slope per change of what is solved for.
    fn slope(&self, implicit: Implicit) -> f64 {
        implicit.place * self.slopes[0] + implicit.rate * self.slopes[1]
    }
}

/// A constraint at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Which interval.
    pub interval: usize,
    /// Fraction of it.
    pub fraction: f64,
    /// How what is constrained changes.
    pub row: Row,
    /// How much the constraint is violated: R [m or rad], its rate, and its second rate at the accelerations at hand.
    pub left: [f64; 3],
    /// Multiplier: force or moment on the rod along the row [N or N m].
    pub force: f64,
}

/// How far the equations are to be implicit: weights of the change of forces with coordinates and with their rates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Implicit {
    /// Change of the coordinates per change of what is solved for.
    pub place: f64,
    /// The same of their rates.
    pub rate: f64,
}

/// A solution for one right-hand side.
#[derive(Clone, Debug, Default)]
pub struct Solution {
    /// Change of the coordinates.
    pub x: Vec<f64>,
    /// Change of the places where intervals start.
    starts: Vec<Vec2>,
}

/// Working memory of the equations.
#[derive(Clone, Debug, Default)]
pub struct Equations {
    /// Where the rod is and how it moves.
    pub at: Kinematics,
    forms: Vec<Form>,
    elimination: Elimination,
    /// What came out.
    pub solution: Solution,
    columns: Vec<Solution>,
    dense: Vec<f64>,
    carried: Vec<Vec2>,
    /// Number of positive pivots among the multipliers, redundant ones counted in.
    positive: usize,
    /// What is left of the balance of each Gauss point: m x'' - f [N].
    left: Vec<[Vec2; POINTS]>,
}

impl Equations {
    /// For a rod.
    pub fn new(rod: &Rod) -> Equations {
        let n = rod.intervals();
        Equations {
            at: Kinematics::new(n),
            forms: vec![Form::default(); n],
            elimination: Elimination::new(n),
            solution: Solution { x: vec![0.0; rod.size()], starts: vec![Vec2::ZERO; n] },
            columns: vec![],
            dense: vec![],
            carried: vec![Vec2::ZERO; n],
            positive: 0,
            left: vec![[Vec2::ZERO; POINTS]; n],
        }
    }

    /// Room for constraints.
    pub fn reserve(&mut self, bounds: usize) {
        let empty = || Solution { x: vec![0.0; self.solution.x.len()], starts: self.solution.starts.clone() };
        while self.columns.len() < bounds {
            self.columns.push(empty());
        }
        self.dense.resize(self.dense.len().max(bounds * (bounds + 2)), 0.0);
    }

    /// Sum up the forms of all intervals at `at`; with `mass` times its inertia.
    pub fn assemble<const K: usize>(&mut self, rod: &Rod, field: &Field, mass: f64, implicit: Implicit) {
        let h = rod.h;
        for (i, form) in self.forms.iter_mut().enumerate() {
            *form = Form::default();
            let offsets = &self.at.offsets[i];
            for q in 0..POINTS {
                let (m, offset) = (rod.masses[i][q], &offsets[q]);
                let node = self.at.moved::<K>(i, offset);
                let load = field.line_load * (h * WEIGHTS[q]);
                let left = (node.acceleration - field.gravity + node.velocity * rod.drag) * m - load;
                self.left[i][q] = left;
                let heavy = m * (mass + implicit.rate * rod.drag);
                add_point::<K>(form, heavy, left, &offset.by);
            }
            let ends = &self.at.ends[i];
            let turned = ends.u[1][0] - ends.u[0][0] - rod.rest[i];
            let turning = ends.rates[1][0] - ends.rates[0][0];
            let spring = implicit.place + implicit.rate * rod.damping_time;
            let row: Row = [0.0, 0.0, -1.0, 0.0, 1.0, 0.0];
            form.add(rod.bending[i] * (turned + rod.damping_time * turning), &row);
            form.add_square(rod.bending[i] * spring, &row);
            for r in 0..if K > 1 { POINTS } else { 0 } {
                let (x, k) = (GAUSS[r], rod.stretching[i] * WEIGHTS[r]);
                let mix = |of: &[[f64; MOST]; 2]| (1.0 - x) * of[0][1] + x * of[1][1];
                let row = [0.0, 0.0, 0.0, 1.0 - x, 0.0, x];
                form.add(k * (mix(&ends.u) + rod.damping_time * mix(&ends.rates)), &row);
                form.add_square(k * spring, &row);
            }
        }
    }

    /// Inertia alone, at `at`.
    pub fn inertia<const K: usize>(&mut self, rod: &Rod) {
        for (i, form) in self.forms.iter_mut().enumerate() {
            *form = Form::default();
            for (offset, m) in self.at.offsets[i].iter().zip(rod.masses[i]) {
                add_point::<K>(form, m, Vec2::ZERO, &offset.by);
            }
        }
    }

    /// Inertia by `mass` and what resists bending and stretching, at `at`: changes for which their sum is least are smooth.
    pub fn resistance<const K: usize>(&mut self, rod: &Rod, mass: f64) {
        for (i, form) in self.forms.iter_mut().enumerate() {
            *form = Form::default();
            for (offset, m) in self.at.offsets[i].iter().zip(rod.masses[i]) {
                add_point::<K>(form, mass * m, Vec2::ZERO, &offset.by);
            }
            form.add_square(rod.bending[i], &[0.0, 0.0, -1.0, 0.0, 1.0, 0.0]);
            for r in 0..if K > 1 { POINTS } else { 0 } {
                let x = GAUSS[r];
                form.add_square(rod.stretching[i] * WEIGHTS[r], &[0.0, 0.0, 0.0, 1.0 - x, 0.0, x]);
            }
        }
    }

    /// Add a dead force and moment.
    pub fn push<const K: usize>(&mut self, rod: &Rod, push: &Push) {
        let (_, offset) = self.at.at::<K>(rod.h, push.interval, push.fraction);
        let form = &mut self.forms[push.interval];
        form.add(-1.0, &offset.row(push.force));
        form.add(-push.moment, &super::span::angle_row(push.fraction));
    }

    /// Add a spring.
    pub fn spring(&mut self, spring: &Spring, implicit: Implicit) {
        let form = &mut self.forms[spring.interval];
        form.add(-spring.force, &spring.row);
        let slope = implicit.place * spring.slopes[0] + implicit.rate * spring.slopes[1];
        if slope != 0.0 {
            form.add_square(slope, &spring.row);
        }
    }

    /// Add a spring that draws a constraint to where it holds.
    pub fn stiffen(&mut self, bound: &Bound, stiffness: f64) {
        let form = &mut self.forms[bound.interval];
        form.add(stiffness * bound.left[0], &bound.row);
        form.add_square(stiffness, &bound.row);
    }

    /// Add how forces turn with the rod, from the second derivatives of places by unknowns: tension makes it stiffer,
    /// compression softer. `others` are forces at places besides weight and inertia.
    pub fn turn_forces<const K: usize>(&mut self, rod: &Rod, weight: f64, others: impl Iterator<Item = At>) {
        self.carried.fill(Vec2::ZERO);
        for (interval, fraction, force) in others {
            self.carried[interval] -= force;
            // the place is that of the first part of its interval
            self.turn_part::<K>(rod, interval, fraction, |r| -force * (WEIGHTS[r] * weight));
        }
        // what the part of the rod before a place has to exert on the part behind it
        let mut carried = Vec2::ZERO;
        for i in (0..rod.intervals()).rev() {
            let left = self.left[i];
            let up_to = &rod.rule.up_to;
            self.turn_part::<K>(rod, i, 1.0, |r| {
                let sum: Vec2 = (0..POINTS).map(|q| left[q] * up_to[q][r]).sum();
                (sum + carried * WEIGHTS[r]) * weight
            });
            carried += left.iter().sum::<Vec2>() + self.carried[i];
        }
    }

    /// The same in the first part of an interval; `force` is what acts along the direction at each of its Gauss points.
    fn turn_part<const K: usize>(&mut self, rod: &Rod, interval: usize, part: f64, force: impl Fn(usize) -> Vec2) {
        let (ends, form) = (self.at.ends[interval], &mut self.forms[interval]);
        for r in 0..POINTS {
            let (x, force) = (part * GAUSS[r], force(r) * (part * rod.h));
            let mix = |k: usize| (1.0 - x) * ends.u[0][k] + x * ends.u[1][k];
            let (sin, cos) = sincos(mix(0));
            let tension = -force.dot(Vec2::new(cos, sin)) * (1.0 + if K > 1 { mix(1) } else { 0.0 });
            form.add_square(tension, &[0.0, 0.0, 1.0 - x, 0.0, x, 0.0]);
            if K > 1 {
                let across = force.dot(Vec2::new(-sin, cos));
                // u v = ((u + v)^2 - (u - v)^2) / 4, twice as the form is halved
                form.add_square(0.5 * across, &[0.0, 0.0, 1.0 - x, 1.0 - x, x, x]);
                form.add_square(-0.5 * across, &[0.0, 0.0, 1.0 - x, x - 1.0, x, -x]);
            }
        }
    }

    /// Force between the two sides of each node, of the part before it on the part behind it, where the accelerations are
    /// those that were solved for: what is left of the balance of all behind it.
    pub fn transmit<const K: usize>(
        &mut self,
        rod: &Rod,
        field: &Field,
        [q, v]: [&[f64]; 2],
        others: impl Iterator<Item = At>,
        out: &mut [Vec2],
    ) {
        let Equations { at, solution, .. } = self;
        at.place::<K>(rod, q, v, Some(&solution.x));
        out.fill(Vec2::ZERO);
        for (interval, fraction, force) in others {
            // at the last node a force acts behind it, at the first before it
            match (interval + 1 == rod.intervals() && fraction == 1.0, interval == 0 && fraction == 0.0) {
                (true, _) => out[rod.intervals()] -= force,
                (false, true) => {}
                (false, false) => out[interval] -= force,
            }
        }
        let mut carried = out[rod.intervals()];
        for i in (0..rod.intervals()).rev() {
            for q in 0..POINTS {
                let node = at.moved::<K>(i, &at.offsets[i][q]);
                let free = node.acceleration - field.gravity + node.velocity * rod.drag;
                carried += free * rod.masses[i][q] - field.line_load * (rod.h * WEIGHTS[q]);
            }
            carried += out[i];
            out[i] = carried;
        }
    }

    /// Find the change for which all is in balance, and constraints change by `wanted(bound)`. The multipliers are left in
    /// the bounds. False where there is none.
    pub fn solve<const K: usize>(&mut self, bounds: &mut [Bound], wanted: impl Fn(&Bound) -> f64) -> bool {
        self.solve_tied::<K>(bounds, &[], Implicit::default(), wanted)
    }

    /// The same with ties: each adds a force that falls by its slope as its distance changes.
    pub fn solve_tied<const K: usize>(
        &mut self,
        bounds: &mut [Bound],
        ties: &[Tie],
        implicit: Implicit,
        wanted: impl Fn(&Bound) -> f64,
    ) -> bool {
        let Equations { at, forms, elimination, solution, columns, dense, positive, .. } = self;
        if !elimination.factor::<K>(forms, |i| at.offsets[i][POINTS].by) {
            return false;
        }
        solution.solve::<K>(elimination, |i| forms[i].g);
        let ties = &ties[..ties.len().min(columns.len() - bounds.len())];
        let count = bounds.len() + ties.len();
        for (n, column) in columns[..count].iter_mut().enumerate() {
            column.solve::<K>(elimination, |i| match n.checked_sub(bounds.len()) {
                None if i == bounds[n].interval => bounds[n].row.map(|x| -x),
                None => [0.0; 2 + 2 * MOST],
                Some(tie) => ties[tie].pull(i),
            });
        }
        let (matrix, rest) = dense.split_at_mut(count * count);
        let (right, scales) = rest.split_at_mut(count);
        for (j, bound) in bounds.iter().enumerate() {
            right[j] = wanted(bound) - solution.value::<K>(bound.interval, &bound.row);
            for k in 0..count {
                matrix[j * count + k] = columns[k].value::<K>(bound.interval, &bound.row);
            }
        }
        for (n, tie) in ties.iter().enumerate() {
            let j = bounds.len() + n;
            let value = |of: &Solution| tie.ends.iter().map(|(i, row)| of.value::<K>(*i, row)).sum::<f64>();
            right[j] = -value(solution);
            for k in 0..count {
                matrix[j * count + k] = value(&columns[k]);
            }
            matrix[j * count + j] += 1.0 / tie.slope(implicit);
        }
        *positive = solve_dense(matrix, right, scales);
        for (k, force) in right.iter().enumerate() {
            if let Some(bound) = bounds.get_mut(k) {
                bound.force = *force;
            }
            for (x, more) in solution.x.iter_mut().zip(&columns[k].x) {
                *x += force * more;
            }
        }
        solution.x.iter().all(|x| x.is_finite())
    }

    /// Number of directions, among those that the constraints leave, in which the energy of what was solved last falls.
    /// `bounds` is the number of constraints and ties.
    pub fn falling(&self, bounds: usize) -> usize {
        // by Sylvester's law: the bordered matrix has as many negative eigenvalues as the matrix and minus that of the
        // multipliers have together, and one for each constraint more than the matrix has within the constraints
        (self.elimination.negative + self.positive).saturating_sub(bounds)
    }
}

impl Solution {
    fn solve<const K: usize>(&mut self, elimination: &Elimination, linear: impl Fn(usize) -> Row) {
        elimination.solve::<K>(linear, &mut self.x, &mut self.starts);
    }

    /// By how much it changes what is constrained.
    fn value<const K: usize>(&self, interval: usize, row: &Row) -> f64 {
        let start = self.starts[interval];
        let mut sum = row[0] * start.x + row[1] * start.y;
        for k in 0..K {
            sum += row[2 + k] * self.x[2 + K * interval + k];
            sum += row[2 + MOST + k] * self.x[2 + K * (interval + 1) + k];
        }
        sum
    }
}

/// Add a mass point to a form.
#[inline(always)]
fn add_point<const K: usize>(form: &mut Form, m: f64, left: Vec2, by: &[[Vec2; MOST]; 2]) {
    form.h[0][0] += m;
    form.h[1][1] += m;
    form.g[0] += left.x;
    form.g[1] += left.y;
    for s in 0..2 {
        for k in 0..K {
            let (j, moved) = (2 + MOST * s + k, by[s][k]);
            form.h[0][j] += m * moved.x;
            form.h[1][j] += m * moved.y;
            form.g[j] += left.dot(moved);
            for t in 0..2 {
                for l in 0..K {
                    form.h[2 + MOST * t + l][j] += m * by[t][l].dot(moved);
                }
            }
        }
    }
}

/// Part of its first value at which a pivot means that a constraint says nothing that others do not say.
const REDUNDANT: f64 = 1e-11;

/// Solve a small symmetric system in place; what is redundant gets zero. Returns how many pivots are positive, or vanish.
fn solve_dense(m: &mut [f64], x: &mut [f64], scales: &mut [f64]) -> usize {
    let n = x.len();
    let mut positive = 0;
    for k in 0..n {
        scales[k] = m[k * n + k].abs();
    }
    for k in 0..n {
        let pivot = m[k * n + k];
        positive += usize::from(pivot > 0.0);
        if pivot.abs() <= REDUNDANT * scales[k] {
            positive += usize::from(pivot <= 0.0);
            for j in 0..n {
                (m[k * n + j], m[j * n + k]) = (0.0, 0.0);
            }
            (m[k * n + k], x[k]) = (1.0, 0.0);
            continue;
        }
        for i in k + 1..n {
            let f = m[i * n + k] / pivot;
            for j in k..n {
                m[i * n + j] -= f * m[k * n + j];
            }
            x[i] -= f * x[k];
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            x[k] -= m[k * n + j] * x[j];
        }
        x[k] /= m[k * n + k];
    }
    positive
}
