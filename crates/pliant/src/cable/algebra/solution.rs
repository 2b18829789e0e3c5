//! Solution of a block-tridiagonal system with the factors of `elimination`: from both ends to the middle, and back.

use crate::cable::algebra::block::{Mat6, Vec6};
use crate::cable::algebra::elimination::{Factor, Two, Wide6, difference, row, rows_of, wide_row};
use crate::kernel::Task;
use crate::lanes::{Block, Lanes};

/// The solution for one right-hand side, in its place.
pub struct Solving<'a> {
    /// See `block::Tridiagonal`.
    pub right: &'a [Mat6],
    /// See `block::Tridiagonal`.
    pub below: &'a [Mat6],
    /// Of the matrix.
    pub factors: &'a [Factor],
    /// Right-hand side, then solution.
    pub x: &'a mut [Vec6],
}

/// A block times a vector.
#[inline(always)]
pub fn product<L: Lanes>(rows: &[Two<L>; 6], x: Two<L>) -> Two<L> {
    let mut parts = [L::zero(); 6];
    for r in 0..6 {
        parts[r] = rows[r][0] * x[0] + rows[r][1] * x[1];
    }
    let zero = L::zero();
    let [a, b, c, d] = L::transposed([parts[0], parts[1], parts[2], parts[3]]);
    let [e, f, g, h] = L::transposed([parts[4], parts[5], zero, zero]);
    [(a + b) + (c + d), (e + f) + (g + h)]
}

/// All rows of a block that is filled up.
#[inline(always)]
pub fn wide_rows<L: Lanes>(m: &Wide6) -> [Two<L>; 6] {
    [wide_row(&m.0[0]), wide_row(&m.0[1]), wide_row(&m.0[2]), wide_row(&m.0[3]), wide_row(&m.0[4]), wide_row(&m.0[5])]
}

/// Six numbers from two registers.
#[inline(always)]
pub fn set_row<L: Lanes>(to: &mut Vec6, row: Two<L>) {
    let ([a, b, c, d], [e, f, _, _]) = (row[0].block(), row[1].block());
    *to = [a, b, c, d, e, f];
}

impl Task for Solving<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Solving { right, below, factors, x } = self;
        let count = x.len();
        if count == 0 {
            return;
        }
        let middle = count / 2;
        let zero = [L::zero(), L::zero()];
        let (mut low, mut high) = (zero, zero);
        for i in 0..middle {
            let b = row::<L>(&x[i]);
            let b = if i == 0 { b } else { difference(b, product(&rows_of(&below[i - 1]), low)) };
            low = product(&wide_rows(&factors[i].inverse), b);
            set_row(&mut x[i], low);
            let k = count - 1 - i;
            if k > middle {
                let b = row::<L>(&x[k]);
                let b = if i == 0 { b } else { difference(b, product(&rows_of(&right[k]), high)) };
                high = product(&wide_rows(&factors[k].inverse), b);
                set_row(&mut x[k], high);
            }
        }
        let mut b = row::<L>(&x[middle]);
        if middle > 0 {
            b = difference(b, product(&rows_of(&below[middle - 1]), low));
        }
        if middle + 1 < count {
            b = difference(b, product(&rows_of(&right[middle]), high));
        }
        low = product(&wide_rows(&factors[middle].inverse), b);
        high = low;
        set_row(&mut x[middle], low);
        for i in 1..=middle {
            let k = middle - i;
            low = difference(row(&x[k]), product(&wide_rows(&factors[k].inwards), low));
            set_row(&mut x[k], low);
            let k = middle + i;
            if k < count {
                high = difference(row(&x[k]), product(&wide_rows(&factors[k].inwards), high));
                set_row(&mut x[k], high);
            }
        }
    }
}

/// The solution for four right-hand sides, in their place.
pub struct SolvingMany<'a> {
    /// See `block::Tridiagonal`.
    pub right: &'a [Mat6],
    /// See `block::Tridiagonal`.
    pub below: &'a [Mat6],
    /// Of the matrix.
    pub factors: &'a [Factor],
    /// Right-hand side, then solution.
    pub x: &'a mut [[Block; 6]],
}

/// Vectors of four right-hand sides.
type Many<L> = [L; 6];

#[inline(always)]
fn many<L: Lanes>(from: &[Block; 6]) -> Many<L> {
    [L::load(&from[0]), L::load(&from[1]), L::load(&from[2]), L::load(&from[3]), L::load(&from[4]), L::load(&from[5])]
}

#[inline(always)]
fn set_many<L: Lanes>(to: &mut [Block; 6], x: Many<L>) {
    for r in 0..6 {
        to[r] = x[r].block();
    }
}

/// b - m x.
#[inline(always)]
fn less<L: Lanes, const W: usize>(b: Many<L>, m: &[[f64; W]; 6], x: Many<L>) -> Many<L> {
    let mut out = b;
    let carried = product_many(m, x);
    for r in 0..6 {
        out[r] = out[r] - carried[r];
    }
    out
}

#[inline(always)]
fn product_many<L: Lanes, const W: usize>(m: &[[f64; W]; 6], x: Many<L>) -> Many<L> {
    let mut out = x;
    for r in 0..6 {
        let even = L::splat(m[r][0]) * x[0] + L::splat(m[r][2]) * x[2] + L::splat(m[r][4]) * x[4];
        let odd = L::splat(m[r][1]) * x[1] + L::splat(m[r][3]) * x[3] + L::splat(m[r][5]) * x[5];
        out[r] = even + odd;
    }
    out
}

impl Task for SolvingMany<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let SolvingMany { right, below, factors, x } = self;
        let count = x.len();
        if count == 0 {
            return;
        }
        let middle = count / 2;
        for i in 0..middle {
            let mut b = many::<L>(&x[i]);
            if i > 0 {
                b = less(b, &below[i - 1], many(&x[i - 1]));
            }
            set_many(&mut x[i], product_many(&factors[i].inverse.0, b));
        }
        for i in (middle..count).rev() {
            let mut b = many::<L>(&x[i]);
            if i == middle && i > 0 {
                b = less(b, &below[i - 1], many(&x[i - 1]));
            }
            if i + 1 < count {
                b = less(b, &right[i], many(&x[i + 1]));
            }
            set_many(&mut x[i], product_many(&factors[i].inverse.0, b));
        }
        for i in (0..middle).rev() {
            let b = less(many::<L>(&x[i]), &factors[i].inwards.0, many(&x[i + 1]));
            set_many(&mut x[i], b);
        }
        for i in middle + 1..count {
            let b = less(many::<L>(&x[i]), &factors[i].inwards.0, many(&x[i - 1]));
            set_many(&mut x[i], b);
        }
    }
}
