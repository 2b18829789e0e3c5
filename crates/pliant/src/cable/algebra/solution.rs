//! Solution of a block-tridiagonal system with the factors of `elimination`: from both ends to the middle, and back.

use crate::cable::algebra::block::{Mat6, Vec6};
use crate::cable::algebra::elimination::{Factor, Two, Wide6, difference, row, rows_of, wide_row};
use crate::kernel::Task;
use crate::lanes::Lanes;

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
