//! Response of links to a force on them: diagonal blocks G of the inverse of a block-tridiagonal matrix, from the
//! factors of `elimination`, in linear time.
//!
//! Elimination goes from both ends to the middle, where G is the inverse of the remaining block. From there outwards,
//! with D the pivot of a link, N its adjacent block towards the middle, B the transposed position, and G' of the next
//! link that way,
//!
//!   G = D^-1 + D^-1 N G' B D^-1.

use crate::cable::algebra::block::Mat6;
use crate::cable::algebra::elimination::{Factor, Wide6, combined, set_wide_row, wide_row, wide_rows};
use crate::kernel::Task;
use crate::lanes::Lanes;

/// Task: responses of the links from `of[0]` up to but excluding `of[1]`, and of those between them and the middle.
pub struct InverseDiagonal<'a> {
    /// See `block::Tridiagonal`.
    pub right: &'a [Mat6],
    /// See `block::Tridiagonal`.
    pub below: &'a [Mat6],
    /// Factors of the matrix.
    pub factors: &'a [Factor],
    /// Range of links.
    pub of: [usize; 2],
    /// Result: velocity per force.
    pub answers: &'a mut [Wide6],
}

impl Task for InverseDiagonal<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let InverseDiagonal { right, below, factors, of, answers } = self;
        let middle = factors.len() / 2;
        answers[middle] = factors[middle].inverse;
        for i in (of[0]..middle).rev() {
            answers[i] = outwards::<L>(&factors[i], &below[i], &answers[i + 1]);
        }
        for i in middle + 1..of[1] {
            answers[i] = outwards::<L>(&factors[i], &right[i - 1], &answers[i - 1]);
        }
    }
}

/// Task: one half of [`InverseDiagonal`], for a thread of its own, after that of the middle.
pub struct InverseHalf<'a> {
    /// See `block::Tridiagonal`: `below` for the half before the middle, `right` for the one after it.
    pub across: &'a [Mat6],
    /// Factors of the matrix.
    pub factors: &'a [Factor],
    /// Response of the middle.
    pub middle: Wide6,
    /// The link farthest from the middle.
    pub until: usize,
    /// Result: velocity per force of the links before the middle, or after it.
    pub answers: &'a mut [Wide6],
    /// Whether they are those after the middle.
    pub back: bool,
}

impl Task for &mut InverseHalf<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let InverseHalf { across, factors, middle: last, until, answers, back } = self;
        let middle = factors.len() / 2;
        let mut last = *last;
        if *back {
            for i in middle + 1..*until + 1 {
                last = outwards::<L>(&factors[i], &across[i - 1], &last);
                answers[i - middle - 1] = last;
            }
        } else {
            for i in (*until..middle).rev() {
                last = outwards::<L>(&factors[i], &across[i], &last);
                answers[i] = last;
            }
        }
    }
}

#[inline(always)]
fn outwards<L: Lanes>(factor: &Factor, across: &Mat6, next: &Wide6) -> Wide6 {
    let inverse = wide_rows::<L>(&factor.inverse);
    let mut carried = inverse;
    for r in 0..6 {
        carried[r] = combined::<L>(&across[r], &inverse);
    }
    let mut answered = carried;
    for r in 0..6 {
        answered[r] = combined::<L>(&next.0[r], &carried);
    }
    let mut out = Wide6::default();
    for r in 0..6 {
        let more = combined::<L>(&factor.inwards.0[r], &answered);
        set_wide_row::<L>(&mut out.0[r], wide_row::<L>(&factor.inverse.0[r]) + more);
    }
    out
}
