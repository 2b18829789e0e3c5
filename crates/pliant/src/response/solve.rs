//! Forces from conditions on displacements, (4) and (9): W f = e at held points; at contacts, forces that neither pull
//! nor exceed friction.
//!
//! W is R[0] of (8) plus the rigid motion of a step, between all points that are held or in contact; e is the
//! displacement missing at the end of the step if no force acted. Solved by Gauss-Seidel sweeps over the points, which
//! converge since W is symmetric and positive definite. With friction the force at a slipping point is on the boundary
//! of its cone (Jourdan, Alart and Jean, "A Gauss-Seidel like algorithm to solve frictional contact problems", 1998).

use super::rows::{add_three, dots, get, put};
use crate::kernel::Task;
use crate::lanes::Lanes;
use crate::math::{Mat3, Vec3};

/// Condition on a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
    /// Held at its target.
    Held,
    /// Free, with a given force.
    Given,
    /// In contact: not behind a plane.
    Touch {
        /// Unit normal out of what it touches, in the body's frame.
        normal: Vec3,
        /// Coefficient of friction [-]; infinite where it sticks.
        friction: f64,
        /// Whether a finger touches it.
        finger: bool,
    },
}

/// Gauss-Seidel sweeps over all points.
pub struct Sweeps<'a> {
    /// W, with rows `stride` apart [m/N]. Only the part left of the diagonal blocks is read, and these.
    pub answers: &'a [f64],
    pub stride: usize,
    /// Inverses of its diagonal blocks [N/m].
    pub inverses: &'a [Mat3],
    pub conditions: &'a [Condition],
    /// e: missing displacement, three components per point [m].
    pub missing: &'a [f64],
    /// f: forces, three components per point [N]; initially the guess.
    pub forces: &'a mut [f64],
    /// W f: displacements due to the forces [m].
    pub moved: &'a mut [f64],
    pub room: &'a mut Room,
    pub most: usize,
    /// Change of displacements at which sweeps end, relative to the largest displacement [-].
    pub tolerance: f64,
}

/// Working memory of sweeps.
#[derive(Clone, Debug, Default)]
pub struct Room {
    /// Displacement of each point due to forces at the points before it in the list, and at those after it [m].
    before: Vec<f64>,
    behind: Vec<f64>,
    /// Forces, and displacements due to points after, at the start of the last two sweeps.
    start: [Vec<f64>; 2],
    /// Search directions of both.
    way: [Vec<f64>; 2],
}

impl Room {
    /// Preallocate for a number of components.
    pub fn reserve(&mut self, length: usize) {
        let [f, b] = &mut self.start;
        let [p, q] = &mut self.way;
        for list in [&mut self.before, &mut self.behind, f, b, p, q] {
            list.resize(length, 0.0);
        }
    }
}

/// Result of the sweeps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Swept {
    /// Number of sweeps.
    pub sweeps: usize,
    /// Whether they have converged.
    pub settled: bool,
}

/// Changes of displacements in a sweep, and the largest displacement [m].
#[derive(Clone, Copy, Default)]
struct Tally {
    change: f64,
    largest: f64,
}

/// Three rows of W, left of the diagonal.
#[inline(always)]
fn rows(answers: &[f64], stride: usize, n: usize) -> [&[f64]; 3] {
    [0, 1, 2].map(|i| &answers[(3 * n + i) * stride..][..3 * n])
}

impl Task for Sweeps<'_> {
    type Output = Swept;

    /// Sweeps alternate between forward and backward. A forward sweep sums the effect of the points before each point,
    /// a backward sweep that of the points after it, while the other half is known from the previous sweep (Conrad and
    /// Wallach, "Alternating methods for sets of linear equations", 1979). A forward and a backward sweep form a
    /// symmetric operation, which conjugate directions accelerate (Silcowitz-Hansen, Niebel and Erleben, "A nonsmooth
    /// nonlinear conjugate gradient method for interactive contact force problems", 2010).
    #[inline(always)]
    fn run<L: Lanes>(mut self) -> Swept {
        let count = self.conditions.len();
        self.see_behind::<L>();
        let mut swept = Swept { sweeps: self.most, settled: false };
        let mut size = 0.0;
        for sweep in 1..=self.most {
            let forth = sweep % 2 == 1;
            if forth {
                self.room.start[0][..3 * count].copy_from_slice(self.forces);
                self.room.start[1][..3 * count].copy_from_slice(&self.room.behind[..3 * count]);
            }
            let tally = if forth { self.sweep_forth::<L>() } else { self.sweep_back::<L>() };
            if tally.change <= self.tolerance * tally.largest {
                swept = Swept { sweeps: sweep, settled: true };
                break;
            }
            if !forth && sweep < self.most {
                size = self.go_on(size);
            }
        }
        if swept.sweeps % 2 == 1 {
            self.see_behind::<L>();
        } else {
            for n in 0..count {
                self.see_before::<L>(n);
            }
        }
        for n in 0..count {
            let moved = get(&self.room.before, n) + self.own(n) * get(self.forces, n) + get(&self.room.behind, n);
            put(self.moved, n, moved);
        }
        swept
    }
}

impl Sweeps<'_> {
    #[inline(always)]
    fn sweep_forth<L: Lanes>(&mut self) -> Tally {
        let mut tally = Tally::default();
        for n in 0..self.conditions.len() {
            self.see_before::<L>(n);
            self.mend(n, &mut tally);
        }
        tally
    }

    #[inline(always)]
    fn sweep_back<L: Lanes>(&mut self) -> Tally {
        let mut tally = Tally::default();
        self.room.behind.fill(0.0);
        for n in (0..self.conditions.len()).rev() {
            self.mend(n, &mut tally);
            self.push_before::<L>(n);
        }
        tally
    }

    /// Solve for the force at a point while the others stay.
    #[inline(always)]
    fn mend(&mut self, n: usize, tally: &mut Tally) {
        let condition = self.conditions[n];
        if condition == Condition::Given {
            return;
        }
        let (before, block) = (get(self.forces, n), self.own(n));
        let wanted = get(self.missing, n) - get(&self.room.before, n) - get(&self.room.behind, n);
        let force = one(condition, &block, &self.inverses[n], wanted, before);
        tally.change = tally.change.max((block * (force - before)).abs().max_element());
        tally.largest = tally.largest.max((block * force).abs().max_element());
        put(self.forces, n, force);
    }

    /// Continue along the conjugate direction of the last forward and backward sweep, by the ratio of their squared
    /// changes; returns the last of these.
    #[inline(always)]
    fn go_on(&mut self, last: f64) -> f64 {
        let Room { behind, start, way, .. } = &mut *self.room;
        let change = self.forces.iter().zip(&start[0]).map(|(f, s)| (f - s) * (f - s)).sum::<f64>();
        let times = if last > 0.0 && change < last { change / last } else { 0.0 };
        for ((list, start), way) in [&mut *self.forces, &mut behind[..]].into_iter().zip(start).zip(way) {
            for ((x, start), way) in list.iter_mut().zip(start).zip(way) {
                let went = *x - *start;
                *x += times * *way;
                *way = times * *way + went;
            }
        }
        change
    }

    /// Diagonal block of W.
    #[inline(always)]
    fn own(&self, point: usize) -> Mat3 {
        let row = |i: usize| get(&self.answers[(3 * point + i) * self.stride..], point);
        // symmetric: rows are columns
        Mat3::from_cols(row(0), row(1), row(2))
    }

    /// Sum the effect of the points before one on it.
    #[inline(always)]
    fn see_before<L: Lanes>(&mut self, n: usize) {
        let sums = dots::<L>(rows(self.answers, self.stride, n), &self.forces[..3 * n]);
        put(&mut self.room.before, n, Vec3::from_array(sums));
    }

    /// Sum the effect of the points after each point on it.
    #[inline(always)]
    fn see_behind<L: Lanes>(&mut self) {
        self.room.behind.fill(0.0);
        for n in (0..self.conditions.len()).rev() {
            self.push_before::<L>(n);
        }
    }

    /// Add the effect of a point on those before it.
    #[inline(always)]
    fn push_before<L: Lanes>(&mut self, n: usize) {
        let force = get(self.forces, n);
        if force != Vec3::ZERO {
            let rows = rows(self.answers, self.stride, n);
            add_three::<L>(&mut self.room.behind[..3 * n], rows, force.to_array());
        }
    }
}

/// How often the direction of friction at a slipping point is improved in a sweep; the next goes on from there.
const TURNS: usize = 2;

/// The force at a point that is to be displaced by `wanted` [m], for its condition, from the one before [N].
#[inline(always)]
fn one(condition: Condition, block: &Mat3, inverse: &Mat3, wanted: Vec3, before: Vec3) -> Vec3 {
    let Condition::Touch { normal, friction, finger } = condition else { return *inverse * wanted };
    let depth = normal.dot(wanted);
    // also for NaN
    if depth.is_nan() || depth <= 0.0 {
        return Vec3::ZERO;
    }
    let along = |direction: Vec3| direction * (depth / normal.dot(*block * direction));
    let across = |v: Vec3| v - normal * normal.dot(v);
    let stuck = *inverse * wanted;
    let pressed = normal.dot(stuck);
    let rubbed = across(stuck);
    let size = rubbed.length();
    if pressed > 0.0 && size <= friction * pressed {
        return stuck;
    }
    if friction == 0.0 || size == 0.0 {
        return along(normal);
    }
    // Unbounded friction has no cone boundary: there the point slides off.
    if friction.is_infinite() {
        return along(rubbed);
    }
    // On the boundary of the cone, with friction along what is still missing across the normal, against the slip. The
    // force that would hold the point has another direction where the point yields more in one than in another. Each
    // turn is a step of the projected gradient method, as long as the trace of B allows. Directions that would need a
    // pull are not taken.
    let lifts = |force: Vec3| normal.dot(force) > 0.0 && force.is_finite();
    let mut force = along(normal + rubbed * (friction / size));
    // the point of a finger is led on after the step, and shaken bodies gained from what that does to a force against
    // the slip
    if finger {
        return force;
    }
    let last = across(before).normalize_or_zero() * friction;
    if last != Vec3::ZERO && lifts(along(normal + last)) {
        force = along(normal + last);
    }
    let yields = block.x_axis.x + block.y_axis.y + block.z_axis.z;
    for _ in 0..TURNS {
        let to = across(force) + across(wanted - *block * force) / yields;
        let next = along(normal + to.normalize_or_zero() * friction);
        if !lifts(next) {
            break;
        }
        force = next;
    }
    force
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;

    /// Coupled points: a symmetric positive definite matrix.
    fn answers(points: usize) -> Vec<f64> {
        let n = 3 * points;
        let at = |i: usize, j: usize| ((i * 7 + j * 13) as f64 * 0.61).sin();
        let square = |i: usize, j: usize| (0..n).map(|k| at(i, k) * at(j, k)).sum::<f64>() / n as f64;
        (0..n * n).map(|k| square(k / n, k % n) + if k / n == k % n { 1.0 } else { 0.0 }).collect()
    }

    /// Forces for these conditions, and the remaining missing displacements.
    fn solved(condition: Condition) -> Vec<[Vec3; 2]> {
        let points = 9;
        let answers = answers(points);
        let missing: Vec<f64> = (0..3 * points).map(|i| (i as f64 * 1.7).cos()).collect();
        let (mut forces, mut moved) = (vec![0.1; 3 * points], vec![0.0; 3 * points]);
        let mut room = Room::default();
        room.reserve(3 * points);
        let block = |n: usize| {
            let row = |i: usize| get(&answers[(3 * n + i) * 3 * points..], n);
            Mat3::from_cols(row(0), row(1), row(2)).inverse()
        };
        let inverses: Vec<Mat3> = (0..points).map(block).collect();
        let swept = Kernel::default().run(Sweeps {
            answers: &answers,
            stride: 3 * points,
            inverses: &inverses,
            conditions: &vec![condition; points],
            missing: &missing,
            forces: &mut forces,
            moved: &mut moved,
            room: &mut room,
            most: 500,
            tolerance: 1e-13,
        });
        assert!(swept.settled, "{swept:?} {condition:?}");
        for (i, moved) in moved.iter().enumerate() {
            let plain: f64 = (0..3 * points).map(|j| answers[3 * points * i + j] * forces[j]).sum();
            assert!((moved - plain).abs() < 1e-13);
        }
        (0..points).map(|n| [get(&forces, n), get(&missing, n) - get(&moved, n)]).collect()
    }

    #[test]
    fn what_is_held_is_where_it_is_wanted() {
        assert!(solved(Condition::Held).iter().all(|[_, missing]| missing.abs().max_element() < 1e-11));
    }

    #[test]
    fn what_touches_is_pushed_or_free_and_slips_on_the_edge_of_its_cone() {
        let normal = Vec3::new(0.36, 0.48, 0.8);
        for friction in [0.0, 0.2, 0.4] {
            let points = solved(Condition::Touch { normal, friction, finger: false });
            let (mut open, mut slips) = (0, 0);
            for [force, missing] in points {
                let (pressed, depth) = (normal.dot(force), normal.dot(missing));
                let (rubbed, beside) = (force - normal * pressed, missing - normal * depth);
                if force == Vec3::ZERO {
                    assert!(depth <= 1e-11);
                    open += 1;
                    continue;
                }
                assert!(pressed > 0.0 && depth.abs() < 1e-11);
                if beside.length() > 1e-10 {
                    assert!((rubbed.length() - friction * pressed).abs() < 1e-11);
                    assert!(friction * pressed * beside.length() - rubbed.dot(beside) < 1e-9 * beside.length());
                    slips += 1;
                }
            }
            assert!(open > 0 && slips > 0);
        }
    }
}
