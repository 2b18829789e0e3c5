//! Forces for conditions on displacements, (4) and (9): W f = e at what is held; at what only touches, forces that neither pull nor rub
//! more than friction allows.
//!
//! W is R[0] of (8) with the rigid motion of a step, between all points that are held or touch; e what is missing at the end of the step
//! if no force acted. By sweeps over the points, each solved exactly while the others stay (Gauss and Seidel), which converge since
//! W is symmetric and positive. With friction the force at one point is on the edge of its cone when it slips (Jourdan, Alart and
//! Jean, "A Gauss-Seidel like algorithm to solve frictional contact problems", 1998).

use super::rows::{add_three, dots, get, put};
use crate::kernel::Task;
use crate::lanes::Lanes;
use crate::math::{Mat3, Vec3};

/// What is asked of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
    /// To be where it is wanted.
    Held,
    /// Nothing: the force there is given.
    Given,
    /// Not to be behind a plane.
    Touch {
        /// Unit normal out of what it touches, in the frame of the body.
        normal: Vec3,
        /// Largest force across the normal over that along it [-]; infinite where it sticks.
        friction: f64,
    },
}

/// Sweeps over all points.
pub struct Sweeps<'a> {
    /// W, its rows so far apart. Only what is left of its diagonal is read.
    pub answers: &'a [f64],
    pub stride: usize,
    /// Its diagonal blocks, inverted.
    pub inverses: &'a [Mat3],
    pub conditions: &'a [Condition],
    /// What is missing: three for each point [m].
    pub missing: &'a [f64],
    /// Forces, first as guessed: three for each point [N].
    pub forces: &'a mut [f64],
    /// Displacements by them, W f [m].
    pub moved: &'a mut [f64],
    pub room: &'a mut Room,
    pub most: usize,
    /// Changes of displacement that end it, over the largest displacement [-].
    pub tolerance: f64,
}

/// Working memory of sweeps.
#[derive(Clone, Debug, Default)]
pub struct Room {
    /// Displacement of each point by those before it in the list, and by those behind it [m].
    before: Vec<f64>,
    behind: Vec<f64>,
    /// Forces, and displacements by those behind, when the last two sweeps began.
    start: [Vec<f64>; 2],
    /// Which way they went on from there.
    way: [Vec<f64>; 2],
}

impl Room {
    /// Make room for so many numbers.
    pub fn reserve(&mut self, length: usize) {
        let [f, b] = &mut self.start;
        let [p, q] = &mut self.way;
        for list in [&mut self.before, &mut self.behind, f, b, p, q] {
            list.resize(length, 0.0);
        }
    }
}

/// How sweeps ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Swept {
    /// How many there were.
    pub sweeps: usize,
    /// Whether the last changed next to nothing.
    pub settled: bool,
}

/// How displacements changed in a sweep, and the largest of them [m].
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

    /// One sweep goes from the first point to the last, the next back. On the way forth what points before a point do to it is summed
    /// up, on the way back what those behind it do, and the other half is still known (Conrad and Wallach, "Alternating methods for sets
    /// of linear equations", 1979). Forth and back together are a symmetric operation, which conjugate directions make
    /// faster (Silcowitz-Hansen, Niebel and Erleben, "A nonsmooth nonlinear conjugate gradient method for interactive contact
    /// force problems", 2010).
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

    /// The force at a point while all others stay.
    #[inline(always)]
    fn mend(&mut self, n: usize, tally: &mut Tally) {
        let condition = self.conditions[n];
        if condition == Condition::Given {
            return;
        }
        let (before, block) = (get(self.forces, n), self.own(n));
        let wanted = get(self.missing, n) - get(&self.room.before, n) - get(&self.room.behind, n);
        let force = one(condition, &block, &self.inverses[n], wanted);
        tally.change = tally.change.max((block * (force - before)).abs().max_element());
        tally.largest = tally.largest.max((block * force).abs().max_element());
        put(self.forces, n, force);
    }

    /// Go on in the way of the last sweeps forth and back, as far as the squares of their changes fell; return the last.
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

    /// A block of W on its diagonal.
    #[inline(always)]
    fn own(&self, point: usize) -> Mat3 {
        let row = |i: usize| get(&self.answers[(3 * point + i) * self.stride..], point);
        // symmetric: rows are columns
        Mat3::from_cols(row(0), row(1), row(2))
    }

    /// What points before one do to it.
    #[inline(always)]
    fn see_before<L: Lanes>(&mut self, n: usize) {
        let sums = dots::<L>(rows(self.answers, self.stride, n), &self.forces[..3 * n]);
        put(&mut self.room.before, n, Vec3::from_array(sums));
    }

    /// What points behind do to all.
    #[inline(always)]
    fn see_behind<L: Lanes>(&mut self) {
        self.room.behind.fill(0.0);
        for n in (0..self.conditions.len()).rev() {
            self.push_before::<L>(n);
        }
    }

    /// Add what a point does to those before it.
    #[inline(always)]
    fn push_before<L: Lanes>(&mut self, n: usize) {
        let force = get(self.forces, n);
        if force != Vec3::ZERO {
            let rows = rows(self.answers, self.stride, n);
            add_three::<L>(&mut self.room.behind[..3 * n], rows, force.to_array());
        }
    }
}

/// The force at one point that has to be moved by `wanted` [m].
#[inline(always)]
fn one(condition: Condition, block: &Mat3, inverse: &Mat3, wanted: Vec3) -> Vec3 {
    let Condition::Touch { normal, friction } = condition else { return *inverse * wanted };
    let depth = normal.dot(wanted);
    // also where it is no number
    if depth.is_nan() || depth <= 0.0 {
        return Vec3::ZERO;
    }
    let along = |direction: Vec3| direction * (depth / normal.dot(*block * direction));
    let stuck = *inverse * wanted;
    let pressed = normal.dot(stuck);
    let rubbed = stuck - normal * pressed;
    let size = rubbed.length();
    if pressed > 0.0 && size <= friction * pressed {
        return stuck;
    }
    if friction == 0.0 || size == 0.0 {
        return along(normal);
    }
    // On the edge of the cone, with friction the way it would go. The depth B (pressed n + rubbed) is positive, and so it is lifted by
    // this force too. Friction without bound has no edge: there it slides off.
    if friction.is_infinite() { along(rubbed) } else { along(normal + rubbed * (friction / size)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;

    /// Points that answer to each other: a symmetric positive matrix.
    fn answers(points: usize) -> Vec<f64> {
        let n = 3 * points;
        let at = |i: usize, j: usize| ((i * 7 + j * 13) as f64 * 0.61).sin();
        let square = |i: usize, j: usize| (0..n).map(|k| at(i, k) * at(j, k)).sum::<f64>() / n as f64;
        (0..n * n).map(|k| square(k / n, k % n) + if k / n == k % n { 1.0 } else { 0.0 }).collect()
    }

    /// Forces for these conditions, displacements by them, and what is missing still.
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
            let points = solved(Condition::Touch { normal, friction });
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
                    slips += 1;
                }
            }
            assert!(open > 0 && slips > 0);
        }
    }
}
