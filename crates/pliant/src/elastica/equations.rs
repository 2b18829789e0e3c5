//! Equations of motion of a rod, (18), (23) and (28) of Wakamatsu et al., solved in linear time.
//!
//! By Gauss's principle the accelerations minimise the sum over all mass points of 1/2 m |x''|^2 - f . x'', less the
//! work of moments on the unknowns. This gives the same equations as Lagrange's, including the velocity terms (9) to
//! (11), which are part of x''. `elimination` finds the minimum. Constraints add multipliers: the system is solved once
//! per constraint, with a unit force along its row J_j, and the multipliers follow from a small dense system.

use super::elimination::{Elimination, Form};
use super::rod::{Kinematics, Rod};
use super::span::{GAUSS, MOST, POINTS, Row, WEIGHTS};
use crate::math::{Vec2, sincos};

/// Distributed loads on a rod.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Field {
    /// Acceleration of gravity, in the plane [m/s2].
    pub gravity: Vec2,
    /// Dead load per length, in the plane [N/m].
    pub line_load: Vec2,
}

/// A force and moment at a point of the rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// Index of the interval.
    pub interval: usize,
    /// Fraction of the interval, 0 to 1.
    pub fraction: f64,
    /// Force [N].
    pub force: Vec2,
    /// Moment, counter-clockwise [N m].
    pub moment: f64,
}

/// A force [N] at a fraction of an interval.
pub type At = (usize, f64, Vec2);

/// A force along a row, such as a contact force, and its derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Index of the interval.
    pub interval: usize,
    /// Fraction of the interval, 0 to 1.
    pub fraction: f64,
    /// Row along which it acts.
    pub row: Row,
    /// Force [N].
    pub force: f64,
    /// Decrease of the force per value of the row [N/m], and per rate [N s/m].
    pub slopes: [f64; 2],
}

/// Coupling of two points of the rod: how the force between them falls with their distance. The force itself is given
/// by two springs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tie {
    /// Interval of each point, and the derivative of the distance by its unknowns.
    pub ends: [(usize, Row); 2],
    /// Decrease of the force per distance [N/m], and per rate of it [N s/m].
    pub slopes: [f64; 2],
}

impl Tie {
    /// Contribution of a unit force to the linear part of an interval's form.
    fn pull(&self, interval: usize) -> Row {
        let mut sum = [0.0; 2 + 2 * MOST];
        for (_, row) in self.ends.iter().filter(|(i, _)| *i == interval) {
            sum.iter_mut().zip(row).for_each(|(s, x)| *s -= x);
        }
        sum
    }

    /// Decrease of the force per change of the unknowns solved for.
    fn slope(&self, implicit: Implicit) -> f64 {
        implicit.place * self.slopes[0] + implicit.rate * self.slopes[1]
    }
}

/// A constraint at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Index of the interval.
    pub interval: usize,
    /// Fraction of the interval, 0 to 1.
    pub fraction: f64,
    /// Derivative of the constrained quantity.
    pub row: Row,
    /// Violation of the constraint: R [m or rad], its rate, and its second rate at the current accelerations.
    pub left: [f64; 3],
    /// Multiplier: force or moment on the rod along the row [N or N m].
    pub force: f64,
}

/// Weights of the derivatives of forces by coordinates and by rates in implicit equations; zero for explicit ones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Implicit {
    /// Change of the coordinates per change of the unknowns solved for.
    pub place: f64,
    /// Change of the rates of the coordinates per change of the unknowns solved for.
    pub rate: f64,
}

/// A solution for one right-hand side.
#[derive(Clone, Debug, Default)]
pub struct Solution {
    /// Change of the coordinates.
    pub x: Vec<f64>,
    /// Changes of the positions of the starts of intervals.
    starts: Vec<Vec2>,
}

/// Working memory of the equations.
#[derive(Clone, Debug, Default)]
pub struct Equations {
    /// Kinematics at which the equations are set up.
    pub at: Kinematics,
    forms: Vec<Form>,
    elimination: Elimination,
    /// Solution of the last solve.
    pub solution: Solution,
    columns: Vec<Solution>,
    dense: Vec<f64>,
    carried: Vec<Vec2>,
    /// Number of positive pivots among the multipliers, including redundant ones.
    positive: usize,
    /// Residual of the balance of each Gauss point: m x'' - f [N].
    left: Vec<[Vec2; POINTS]>,
}

impl Equations {
    /// Allocate for a rod.
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

    /// Preallocate for constraints.
    pub fn reserve(&mut self, bounds: usize) {
        let empty = || Solution { x: vec![0.0; self.solution.x.len()], starts: self.solution.starts.clone() };
        while self.columns.len() < bounds {
            self.columns.push(empty());
        }
        self.dense.resize(self.dense.len().max(bounds * (bounds + 2)), 0.0);
    }

    /// Assemble the forms of all intervals at the kinematics `at`, with `mass` times the inertia.
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

    /// Assemble the forms of inertia alone, at `at`.
    pub fn inertia<const K: usize>(&mut self, rod: &Rod) {
        for (i, form) in self.forms.iter_mut().enumerate() {
            *form = Form::default();
            for (offset, m) in self.at.offsets[i].iter().zip(rod.masses[i]) {
                add_point::<K>(form, m, Vec2::ZERO, &offset.by);
            }
        }
    }

    /// Assemble the forms of `mass` times the inertia plus bending and stretching stiffness, at `at`; changes that
    /// minimise them are smooth.
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

    /// Add a spring that pulls a constraint to its target.
    pub fn stiffen(&mut self, bound: &Bound, stiffness: f64) {
        let form = &mut self.forms[bound.interval];
        form.add(stiffness * bound.left[0], &bound.row);
        form.add_square(stiffness, &bound.row);
    }

    /// Add the geometric stiffness, from second derivatives of positions by the unknowns: tension stiffens, compression
    /// softens. `others` are point forces besides weight and inertia.
    pub fn turn_forces<const K: usize>(&mut self, rod: &Rod, weight: f64, others: impl Iterator<Item = At>) {
        self.carried.fill(Vec2::ZERO);
        for (interval, fraction, force) in others {
            self.carried[interval] -= force;
            // the force acts on the first part of its interval only
            self.turn_part::<K>(rod, interval, fraction, |r| -force * (WEIGHTS[r] * weight));
        }
        // force that the part of the rod before a point exerts on the part after it
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

    /// Add the geometric stiffness of the first part of an interval; `force` gives the force on the tangent direction
    /// at each of its Gauss points.
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

    /// Internal force at each node, of the part before it on the part after it, for the accelerations of the last
    /// solve: the sum of the residuals of everything after the node.
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
            // a force on the last node acts after it, one on the first node before it
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

    /// Solve for the change that balances all forces while constraints change by `wanted(bound)`. Multipliers are
    /// stored in the bounds. Returns false if the system is singular.
    pub fn solve<const K: usize>(&mut self, bounds: &mut [Bound], wanted: impl Fn(&Bound) -> f64) -> bool {
        self.solve_tied::<K>(bounds, &[], Implicit::default(), wanted)
    }

    /// Solve as [`Equations::solve`] does, with ties: each adds a force that falls as its distance grows.
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

    /// Number of directions allowed by the constraints in which the energy of the last system decreases. `bounds` is
    /// the number of constraints and ties.
    pub fn falling(&self, bounds: usize) -> usize {
        // by Sylvester's law of inertia: the negative eigenvalues of the bordered matrix are those of the matrix plus
        // those of minus the Schur complement, and also those within the constraints plus one per constraint
        (self.elimination.negative + self.positive).saturating_sub(bounds)
    }
}

impl Solution {
    fn solve<const K: usize>(&mut self, elimination: &Elimination, linear: impl Fn(usize) -> Row) {
        elimination.solve::<K>(linear, &mut self.x, &mut self.starts);
    }

    /// Change of a constrained quantity, given its row.
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

/// Pivot, relative to its initial value, below which a constraint is redundant.
const REDUNDANT: f64 = 1e-11;

/// Solve a small symmetric system in place; redundant unknowns become zero. Returns the number of positive or vanishing
/// pivots.
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
