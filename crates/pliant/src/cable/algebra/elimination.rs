//! Elimination in a block-tridiagonal matrix, from both ends towards the middle: two independent chains, so that a
//! processor works on one while it waits for the other. Which block is the middle depends on the number of blocks
//! alone.
//!
//! Diagonal blocks D are inverted by Gauss-Jordan elimination with row pivoting, because a product with the inverse
//! takes less time than two triangular solutions, each step of which waits for the last.

use crate::cable::algebra::block::Mat6;
use crate::kernel::Task;
use crate::lanes::{Eight, Lanes};

/// A block whose rows are padded to two registers.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub struct Wide6(pub [[f64; 8]; 6]);

/// Factors of a row of blocks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Factor {
    /// D^-1, D the diagonal block after elimination.
    pub inverse: Wide6,
    /// D^-1 N, N the adjacent block on the side of the middle.
    pub inwards: Wide6,
}

/// Pivoting threshold: rows are exchanged when another entry in the column exceeds the diagonal by this factor. Errors
/// grow with it; in nearly symmetric blocks rows then stay where they are, which branch prediction favours.
const EXCHANGE: f64 = 4.0;

/// A row of a block in registers, padded to eight numbers.
pub type Filled<L> = <L as Lanes>::Eight;

/// Load a row of a block.
#[inline(always)]
pub fn row<L: Lanes>(from: &[f64; 6]) -> Filled<L> {
    L::Eight::load_six(from)
}

/// Load a row of a padded block.
#[inline(always)]
pub fn wide_row<L: Lanes>(from: &[f64; 8]) -> Filled<L> {
    L::Eight::load(from)
}

/// Store a row of a padded block.
#[inline(always)]
pub fn set_wide_row<L: Lanes>(to: &mut [f64; 8], row: Filled<L>) {
    row.store(to);
}

/// Product of a row vector with a block.
#[inline(always)]
pub fn combined<L: Lanes>(f: &[f64], rows: &[Filled<L>; 6]) -> Filled<L> {
    let part = |k: usize| L::Eight::splat(f[k]) * rows[k];
    (part(0) + part(2) + part(4)) + (part(1) + part(3) + part(5))
}

/// Task: factors of a matrix from its blocks.
pub struct Factoring<'a> {
    /// See `block::Tridiagonal`.
    pub diagonal: &'a [Mat6],
    /// See `block::Tridiagonal`.
    pub right: &'a [Mat6],
    /// See `block::Tridiagonal`.
    pub below: &'a [Mat6],
    /// Result.
    pub factors: &'a mut [Factor],
}

impl Task for Factoring<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes>(self) -> bool {
        let Factoring { diagonal, right, below, factors } = self;
        let count = diagonal.len();
        if count == 0 {
            return true;
        }
        let middle = count / 2;
        let mut fine = true;
        // the current blocks of elimination, one from either end
        let mut at = [Wide6::default(), Wide6::default()];
        copy::<L>(&diagonal[0], &mut at[0]);
        copy::<L>(&diagonal[count - 1], &mut at[1]);
        // the chain from the end has one block less if the number of blocks is even
        for i in 0..count - 1 - middle {
            let (low, high) = (i, count - 1 - i);
            fine &= invert::<L, 2>(&mut at);
            let (head, tail) = factors.split_at_mut(middle);
            next::<L>(&mut at[0], &right[low], &below[low], &diagonal[low + 1], &mut head[low]);
            next::<L>(&mut at[1], &below[high - 1], &right[high - 1], &diagonal[high - 1], &mut tail[high - middle]);
        }
        let [mut low, high] = at;
        if count.is_multiple_of(2) {
            let mut one = [low];
            fine &= invert::<L, 1>(&mut one);
            low = one[0];
            let i = middle - 1;
            next::<L>(&mut low, &right[i], &below[i], &diagonal[middle], &mut factors[i]);
        }
        // both chains have reached the middle, and each includes the diagonal block
        for r in 0..6 {
            let both = wide_row::<L>(&low.0[r]) + wide_row::<L>(&high.0[r]);
            set_wide_row::<L>(&mut low.0[r], both - row::<L>(&diagonal[middle][r]));
        }
        let mut one = [low];
        fine &= invert::<L, 1>(&mut one);
        factors[middle].inverse = one[0];
        fine
    }
}

/// Task: one of the two chains of [`Factoring`], for a thread of its own. Leaves the block with which it reaches the
/// middle.
pub struct Chain<'a> {
    /// See `block::Tridiagonal`.
    pub diagonal: &'a [Mat6],
    /// See `block::Tridiagonal`.
    pub right: &'a [Mat6],
    /// See `block::Tridiagonal`.
    pub below: &'a [Mat6],
    /// Result: the factors before the middle, or those from it on.
    pub factors: &'a mut [Factor],
    /// Whether it comes from the end.
    pub back: bool,
}

impl Task for Chain<'_> {
    type Output = Option<Wide6>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Option<Wide6> {
        let Chain { diagonal, right, below, factors, back } = self;
        let (count, middle) = (diagonal.len(), diagonal.len() / 2);
        let (mut at, mut fine) = ([Wide6::default()], true);
        copy::<L>(&diagonal[if back { count - 1 } else { 0 }], &mut at[0]);
        if back {
            for high in (middle + 1..count).rev() {
                fine &= invert::<L, 1>(&mut at);
                let (inwards, outwards) = (&below[high - 1], &right[high - 1]);
                next::<L>(&mut at[0], inwards, outwards, &diagonal[high - 1], &mut factors[high - middle]);
            }
        } else {
            for low in 0..middle {
                fine &= invert::<L, 1>(&mut at);
                next::<L>(&mut at[0], &right[low], &below[low], &diagonal[low + 1], &mut factors[low]);
            }
        }
        fine.then_some(at[0])
    }
}

/// Task: the inverse of the middle block, which both chains have reached; `None` if it is singular.
pub struct Meeting<'a> {
    /// The middle block.
    pub diagonal: &'a Mat6,
    /// What the chains have left of it.
    pub ends: [Wide6; 2],
}

impl Task for Meeting<'_> {
    type Output = Option<Wide6>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Option<Wide6> {
        let Meeting { diagonal, ends: [low, high] } = self;
        let mut one = [low];
        for r in 0..6 {
            let both = wide_row::<L>(&low.0[r]) + wide_row::<L>(&high.0[r]);
            set_wide_row::<L>(&mut one[0].0[r], both - row::<L>(&diagonal[r]));
        }
        invert::<L, 1>(&mut one).then_some(one[0])
    }
}

/// Copy a block into a padded one.
#[inline(always)]
pub fn copy<L: Lanes>(from: &Mat6, to: &mut Wide6) {
    for r in 0..6 {
        set_wide_row::<L>(&mut to.0[r], row::<L>(&from[r]));
    }
}

/// Store the inverse `at` with its product with the block `inwards`, and continue with the next diagonal block.
#[inline(always)]
pub fn next<L: Lanes>(at: &mut Wide6, inwards: &Mat6, back: &Mat6, diagonal: &Mat6, factor: &mut Factor) {
    let beside = rows_of::<L>(inwards);
    let mut carried = beside;
    for r in 0..6 {
        carried[r] = combined::<L>(&at.0[r], &beside);
        set_wide_row::<L>(&mut factor.inwards.0[r], carried[r]);
    }
    for r in 0..6 {
        set_wide_row::<L>(&mut factor.inverse.0[r], wide_row::<L>(&at.0[r]));
        set_wide_row::<L>(&mut at.0[r], row::<L>(&diagonal[r]) - combined::<L>(&back[r], &carried));
    }
}

/// All rows of a block.
#[inline(always)]
pub fn rows_of<L: Lanes>(m: &Mat6) -> [Filled<L>; 6] {
    let at = |r: usize| row::<L>(&m[r]);
    [at(0), at(1), at(2), at(3), at(4), at(5)]
}

/// All rows of a padded block.
#[inline(always)]
pub fn wide_rows<L: Lanes>(m: &Wide6) -> [Filled<L>; 6] {
    let at = |r: usize| wide_row::<L>(&m.0[r]);
    [at(0), at(1), at(2), at(3), at(4), at(5)]
}

/// Invert blocks in place, interleaved step by step. False if one is singular.
#[inline(always)]
pub fn invert<L: Lanes, const N: usize>(m: &mut [Wide6; N]) -> bool {
    let mut exchanged = [[0; 6]; N];
    let fine = step_together::<L, N, 0>(m, &mut exchanged)
        & step_together::<L, N, 1>(m, &mut exchanged)
        & step_together::<L, N, 2>(m, &mut exchanged)
        & step_together::<L, N, 3>(m, &mut exchanged)
        & step_together::<L, N, 4>(m, &mut exchanged)
        & step_together::<L, N, 5>(m, &mut exchanged);
    for n in 0..N {
        restore(&mut m[n], &exchanged[n]);
    }
    fine
}

/// Step K for all blocks.
#[inline(always)]
fn step_together<L: Lanes, const N: usize, const K: usize>(
    m: &mut [Wide6; N],
    exchanged: &mut [[usize; 6]; N],
) -> bool {
    let mut fine = true;
    for n in 0..N {
        fine &= exchange::<K>(&mut m[n], &mut exchanged[n]);
    }
    for n in 0..N {
        sweep::<L, K>(&mut m[n]);
    }
    fine
}

/// Move a row with a large entry in column K to row K. False if all entries are zero.
#[inline(always)]
fn exchange<const K: usize>(m: &mut Wide6, exchanged: &mut [usize; 6]) -> bool {
    let mut most = 0.0;
    for i in K + 1..6 {
        let here = m.0[i][K].abs();
        most = if here > most { here } else { most };
    }
    exchanged[K] = K;
    if most > EXCHANGE * m.0[K][K].abs() {
        exchange_rows::<K>(m, exchanged);
    }
    let pivot = m.0[K][K];
    pivot != 0.0 && pivot.is_finite()
}

#[cold]
#[inline(never)]
fn exchange_rows<const K: usize>(m: &mut Wide6, exchanged: &mut [usize; 6]) {
    for i in K + 1..6 {
        if m.0[i][K].abs() > m.0[exchanged[K]][K].abs() {
            exchanged[K] = i;
        }
    }
    m.0.swap(K, exchanged[K]);
}

/// Rows exchanged before the inversion are columns exchanged after it.
#[inline(always)]
fn restore(m: &mut Wide6, exchanged: &[usize; 6]) {
    for k in (0..6).rev() {
        if exchanged[k] != k {
            exchange_columns(m, k, exchanged[k]);
        }
    }
}

#[cold]
#[inline(never)]
fn exchange_columns(m: &mut Wide6, i: usize, j: usize) {
    for row in &mut m.0 {
        row.swap(i, j);
    }
}

/// Step K of the inversion: column K becomes that of the inverse.
#[inline(always)]
fn sweep<L: Lanes, const K: usize>(m: &mut Wide6) {
    let inverse = L::Eight::splat(1.0 / m.0[K][K]);
    let pivot = (inverse * wide_row::<L>(&m.0[K])).replaced::<K>(inverse);
    set_wide_row::<L>(&mut m.0[K], pivot);
    for n in 1..6 {
        // the row of the next pivot first, so that its search need not wait
        let row = &mut m.0[(K + n) % 6];
        let f = L::Eight::splat(row[K]);
        let rest = wide_row::<L>(row).replaced::<K>(L::Eight::splat(0.0));
        set_wide_row::<L>(row, rest - f * pivot);
    }
}
