//! Solution of a block-tridiagonal system with the factors of `elimination`: forward from both ends to the middle, and
//! back.

use crate::cable::algebra::block::{Mat6, Vec6};
use crate::cable::algebra::elimination::{Factor, Wide6};
use crate::kernel::Task;
use crate::lanes::{Both, Eight, Lanes};

/// Task: the solution for one right-hand side, in place.
pub struct Solving<'a> {
    /// See `block::Tridiagonal`.
    pub right: &'a [Mat6],
    /// See `block::Tridiagonal`.
    pub below: &'a [Mat6],
    /// Factors of the matrix.
    pub factors: &'a [Factor],
    /// Right-hand side on entry, solution on return.
    pub x: &'a mut [Vec6],
}

/// Six numbers padded to two registers: products with vectors depend on each other, and a single register would have to
/// be split each time.
pub type Two<L> = Both<L>;

/// Load a vector.
#[inline(always)]
pub fn vector<L: Lanes>(from: &Vec6) -> Two<L> {
    Both::load_six(from)
}

/// Store a vector.
#[inline(always)]
pub fn set_vector<L: Lanes>(to: &mut Vec6, from: Two<L>) {
    from.store_six(to);
}

/// Load a block.
#[inline(always)]
pub fn block<L: Lanes>(m: &Mat6) -> [Two<L>; 6] {
    let at = |r: usize| Both::load_six(&m[r]);
    [at(0), at(1), at(2), at(3), at(4), at(5)]
}

/// Load a padded block.
#[inline(always)]
pub fn wide_block<L: Lanes>(m: &Wide6) -> [Two<L>; 6] {
    let at = |r: usize| Both::load(&m.0[r]);
    [at(0), at(1), at(2), at(3), at(4), at(5)]
}

/// Product of a block with a vector.
#[inline(always)]
pub fn product<L: Lanes>(rows: &[Two<L>; 6], x: Two<L>) -> Two<L> {
    let mut parts = [L::zero(); 6];
    for r in 0..6 {
        let [low, high] = (rows[r] * x).halves();
        parts[r] = low + high;
    }
    let zero = L::zero();
    let [a, b, c, d] = L::transposed([parts[0], parts[1], parts[2], parts[3]]);
    let [e, f, g, h] = L::transposed([parts[4], parts[5], zero, zero]);
    Both::joined([(a + b) + (c + d), (e + f) + (g + h)])
}

/// The unknowns before the middle, or those after it, for a thread of its own.
pub struct Half<'a> {
    /// See `block::Tridiagonal`.
    pub right: &'a [Mat6],
    /// See `block::Tridiagonal`.
    pub below: &'a [Mat6],
    /// Factors of the whole matrix.
    pub factors: &'a [Factor],
    /// Right-hand side on entry, solution on return.
    pub x: &'a mut [Vec6],
    /// Whether they are those after the middle.
    pub back: bool,
}

/// Task: forward from the end of a half to the middle.
pub struct Inwards<'a, 'b>(pub &'a mut Half<'b>);

impl Task for Inwards<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Half { right, below, factors, x, back } = self.0;
        let middle = factors.len() / 2;
        let mut last = Both::splat(0.0);
        for n in 0..x.len() {
            // the place in the half, and in the whole
            let (at, i) = if *back { (x.len() - 1 - n, factors.len() - 1 - n) } else { (n, n) };
            debug_assert!(i != middle);
            let b = vector::<L>(&x[at]);
            let beside = if *back { right.get(i) } else { below.get(i.wrapping_sub(1)) };
            let b = if n == 0 { b } else { beside.map_or(b, |beside| b - product(&block(beside), last)) };
            last = product(&wide_block(&factors[i].inverse), b);
            set_vector(&mut x[at], last);
        }
    }
}

/// Task: the unknown in the middle.
pub struct Center<'a, 'b> {
    /// Before and after it.
    pub halves: &'a [Half<'b>; 2],
    /// Right-hand side on entry, solution on return.
    pub x: &'a mut Vec6,
}

impl Task for Center<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Center { halves: [low, high], x } = self;
        let middle = low.factors.len() / 2;
        let mut b = vector::<L>(x);
        if let Some(before) = low.x.last() {
            b = b - product(&block(&low.below[middle - 1]), vector::<L>(before));
        }
        if let Some(after) = high.x.first() {
            b = b - product(&block(&low.right[middle]), vector::<L>(after));
        }
        set_vector(x, product(&wide_block(&low.factors[middle].inverse), b));
    }
}

/// Task: back from the middle, whose solution is given.
pub struct Outwards<'a, 'b>(pub &'a mut Half<'b>, pub Vec6);

impl Task for Outwards<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Outwards(Half { factors, x, back, .. }, center) = self;
        let middle = factors.len() / 2;
        let mut last = vector::<L>(&center);
        for n in 0..x.len() {
            let (at, i) = if *back { (n, middle + 1 + n) } else { (x.len() - 1 - n, middle - 1 - n) };
            last = vector::<L>(&x[at]) - product(&wide_block(&factors[i].inwards), last);
            set_vector(&mut x[at], last);
        }
    }
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
        let zero = Both::splat(0.0);
        let (mut low, mut high) = (zero, zero);
        for i in 0..middle {
            let b = vector::<L>(&x[i]);
            let b = if i == 0 { b } else { b - product(&block(&below[i - 1]), low) };
            low = product(&wide_block(&factors[i].inverse), b);
            set_vector(&mut x[i], low);
            let k = count - 1 - i;
            if k > middle {
                let b = vector::<L>(&x[k]);
                let b = if i == 0 { b } else { b - product(&block(&right[k]), high) };
                high = product(&wide_block(&factors[k].inverse), b);
                set_vector(&mut x[k], high);
            }
        }
        let mut b = vector::<L>(&x[middle]);
        if middle > 0 {
            b = b - product(&block(&below[middle - 1]), low);
        }
        if middle + 1 < count {
            b = b - product(&block(&right[middle]), high);
        }
        low = product(&wide_block(&factors[middle].inverse), b);
        high = low;
        set_vector(&mut x[middle], low);
        for i in 1..=middle {
            let k = middle - i;
            low = vector::<L>(&x[k]) - product(&wide_block(&factors[k].inwards), low);
            set_vector(&mut x[k], low);
            let k = middle + i;
            if k < count {
                high = vector::<L>(&x[k]) - product(&wide_block(&factors[k].inwards), high);
                set_vector(&mut x[k], high);
            }
        }
    }
}
