//! Forces for conditions on displacements, (4) and (9): W f = e at what is held; at what only touches, forces that neither pull nor rub
//! more than friction allows.
//!
//! W is R[0] of (8) with the rigid motion of a step, between all points that are held or touch; e what is missing at the end of the step
//! if no force acted. By sweeps over the points, each solved exactly while the others stay (Gauss and Seidel), which converge since
//! W is symmetric and positive. With friction the force at one point is on the edge of its cone when it slips (Jourdan, Alart and
//! Jean, "A Gauss-Seidel like algorithm to solve frictional contact problems", 1998).

use super::rows::dot;
use crate::kernel::Task;
use crate::lanes::{LANES, Lanes};
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
    /// W, its rows so far apart.
    pub answers: &'a [f64],
    pub stride: usize,
    /// Its diagonal blocks, inverted.
    pub inverses: &'a [Mat3],
    pub conditions: &'a [Condition],
    /// What is missing: three for each point [m].
    pub missing: &'a [f64],
    /// Forces, first as guessed: three for each point [N].
    pub forces: &'a mut [f64],
    pub most: usize,
    /// Changes of displacement that end it, over the largest displacement [-].
    pub tolerance: f64,
}

/// How sweeps ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Swept {
    /// How many there were.
    pub sweeps: usize,
    /// Whether the last changed next to nothing.
    pub settled: bool,
}

#[inline(always)]
fn get(list: &[f64], point: usize) -> Vec3 {
    Vec3::new(list[3 * point], list[3 * point + 1], list[3 * point + 2])
}

/// A block of W on its diagonal.
#[inline(always)]
fn own(answers: &[f64], stride: usize, point: usize) -> Mat3 {
    let mut rows = [Vec3::ZERO; 3];
    for (i, row) in rows.iter_mut().enumerate() {
        let start = (3 * point + i) * stride + 3 * point;
        *row = Vec3::new(answers[start], answers[start + 1], answers[start + 2]);
    }
    // symmetric: rows are columns
    Mat3::from_cols(rows[0], rows[1], rows[2])
}

impl Task for Sweeps<'_> {
    type Output = Swept;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Swept {
        let Sweeps { answers, stride, inverses, conditions, missing, forces, most, tolerance } = self;
        let length = forces.len();
        let whole = length / LANES * LANES;
        for sweep in 1..=most {
            let (mut change, mut largest) = (0.0f64, 0.0f64);
            for (n, condition) in conditions.iter().enumerate() {
                if *condition == Condition::Given {
                    continue;
                }
                let mut moved = [0.0; 3];
                // no closure here: it would be compiled for any machine
                for (i, moved) in moved.iter_mut().enumerate() {
                    let row = &answers[(3 * n + i) * stride..][..length];
                    *moved = dot::<L>(&row[..whole], &forces[..whole]);
                    for (a, f) in row[whole..].iter().zip(&forces[whole..]) {
                        *moved += a * f;
                    }
                }
                let (before, block) = (get(forces, n), own(answers, stride, n));
                let wanted = get(missing, n) - Vec3::from_array(moved) + block * before;
                let force = one(*condition, &block, &inverses[n], wanted);
                change = change.max((block * (force - before)).abs().max_element());
                largest = largest.max((block * force).abs().max_element());
                forces[3 * n..3 * n + 3].copy_from_slice(&force.to_array());
            }
            if change <= tolerance * largest {
                return Swept { sweeps: sweep, settled: true };
            }
        }
        Swept { sweeps: most, settled: false }
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
    let along = |direction: Vec3| {
        let answer = normal.dot(*block * direction);
        // friction that would push it deeper is left out
        if answer > 0.0 { direction * (depth / answer) } else { normal * (depth / normal.dot(*block * normal)) }
    };
    if friction == 0.0 {
        return along(normal);
    }
    let stuck = *inverse * wanted;
    let pressed = normal.dot(stuck);
    let rubbed = stuck - normal * pressed;
    let size = rubbed.length();
    if pressed > 0.0 && size <= friction * pressed {
        return stuck;
    }
    if friction.is_infinite() || size == 0.0 {
        return along(normal);
    }
    along(normal + rubbed * (friction / size))
}
