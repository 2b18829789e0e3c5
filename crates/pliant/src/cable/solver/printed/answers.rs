//! Response of the links of a run to a force on one of them: blocks of the inverse of a block-tridiagonal matrix, in
//! linear time.
//!
//! With D_i the pivots eliminated from the left and E_i those from the right, G_i = (D_i + E_i - A_ii)^-1 is the
//! diagonal block of the inverse. A force b on link i moves it by v_i = G_i b; its neighbours, on which no force acts,
//! follow:
//!
//!   v_{i+1} = -E_{i+1}^-1 A_{i+1,i} v_i,      v_{i-1} = -D_{i-1}^-1 A_{i-1,i} v_i,
//!
//! and so on. The effects of forces on many links are accumulated in one pass up and one pass down the run.

use crate::cable::algebra::block::{Mat6, Vec6, ZERO, add_scaled, times_transposed};
use crate::cable::algebra::elimination::{Factor, Wide6, copy, invert, next};
use crate::kernel::Task;
use crate::lanes::{Lanes, Plain};

/// Response of a link to a force, and of its neighbours to its motion. All blocks are stored by columns, so that a
/// product with a vector uses whole registers.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// G: velocity per force on the link itself.
    pub own: Mat6,
    /// Velocity of the next link per velocity of this one.
    pub up: Mat6,
    /// Velocity of the link before per velocity of this one.
    pub down: Mat6,
}

impl Default for Answer {
    fn default() -> Answer {
        Answer { own: ZERO, up: ZERO, down: ZERO }
    }
}

/// Task: responses of a run from the blocks of its matrix. False if it is singular.
pub struct RunAnswers<'a> {
    /// Blocks of the run alone, see `block::Tridiagonal`.
    pub diagonal: &'a [Mat6],
    /// One block less than there are links.
    pub right: &'a [Mat6],
    /// One block less than there are links.
    pub below: &'a [Mat6],
    /// Result.
    pub answers: &'a mut [Answer],
}

impl Task for RunAnswers<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes>(self) -> bool {
        let RunAnswers { diagonal, right, below, answers } = self;
        let count = diagonal.len();
        let mut fine = true;
        for (answer, block) in answers.iter_mut().zip(diagonal) {
            // D and E are added on the way; at the ends each is the block itself
            answer.own = block.map(|row| row.map(|x| -x));
        }
        let mut at = [Wide6::default(), Wide6::default()];
        copy::<L>(&diagonal[0], &mut at[0]);
        copy::<L>(&diagonal[count - 1], &mut at[1]);
        add(&at[0], &mut answers[0].own);
        add(&at[1], &mut answers[count - 1].own);
        for i in 0..count - 1 {
            let (low, high) = (i, count - 1 - i);
            fine &= invert::<L, 2>(&mut at);
            let mut factor = [Factor::default(), Factor::default()];
            next::<L>(&mut at[0], &right[low], &below[low], &diagonal[low + 1], &mut factor[0]);
            next::<L>(&mut at[1], &below[high - 1], &right[high - 1], &diagonal[high - 1], &mut factor[1]);
            answers[low + 1].down = negative_columns(&factor[0].inwards);
            answers[high - 1].up = negative_columns(&factor[1].inwards);
            add(&at[0], &mut answers[low + 1].own);
            add(&at[1], &mut answers[high - 1].own);
        }
        for two in answers.chunks_mut(2) {
            let mut blocks = [Wide6::default(), Wide6::default()];
            copy::<L>(&two[0].own, &mut blocks[0]);
            copy::<L>(&two[two.len() - 1].own, &mut blocks[1]);
            fine &= invert::<L, 2>(&mut blocks);
            for (answer, block) in two.iter_mut().zip(&blocks) {
                answer.own = std::array::from_fn(|c| std::array::from_fn(|r| block.0[r][c]));
            }
        }
        fine
    }
}

#[inline(always)]
fn add(block: &Wide6, to: &mut Mat6) {
    for r in 0..6 {
        for c in 0..6 {
            to[r][c] += block.0[r][c];
        }
    }
}

#[inline(always)]
fn negative_columns(block: &Wide6) -> Mat6 {
    std::array::from_fn(|c| std::array::from_fn(|r| -block.0[r][c]))
}

/// Move all links of a run by forces, given the motion of each by its own: v += A^-1 b with own = G b.
pub fn spread(answers: &[Answer], own: &[Vec6], v: &mut [Vec6]) {
    let mut carried = [0.0; 6];
    for i in 0..v.len() {
        add_scaled(&mut v[i], 1.0, &carried);
        add_scaled(&mut v[i], 1.0, &own[i]);
        add_scaled(&mut carried, 1.0, &own[i]);
        carried = times_transposed(&answers[i].up, &carried);
    }
    spread_down(answers, own, v);
}

/// The part of it by which links move because later links were pushed.
pub fn spread_down(answers: &[Answer], own: &[Vec6], v: &mut [Vec6]) {
    let mut carried = [0.0; 6];
    for i in (0..v.len()).rev() {
        add_scaled(&mut v[i], 1.0, &carried);
        add_scaled(&mut carried, 1.0, &own[i]);
        carried = times_transposed(&answers[i].down, &carried);
    }
}

/// Move all links of a run after its link `at` has moved by `own`.
pub fn spread_from(answers: &[Answer], at: usize, own: &Vec6, v: &mut [Vec6]) {
    add_scaled(&mut v[at], 1.0, own);
    let mut carried = *own;
    for i in at + 1..v.len() {
        carried = times_transposed(&answers[i - 1].up, &carried);
        add_scaled(&mut v[i], 1.0, &carried);
    }
    let mut carried = *own;
    for i in (0..at).rev() {
        carried = times_transposed(&answers[i + 1].down, &carried);
        add_scaled(&mut v[i], 1.0, &carried);
    }
}

/// Inverse of a block; `None` if it is singular.
pub fn inverse(m: &Mat6) -> Option<Mat6> {
    let mut wide = [Wide6::default()];
    copy::<Plain>(m, &mut wide[0]);
    let fine = invert::<Plain, 1>(&mut wide);
    fine.then(|| std::array::from_fn(|r| std::array::from_fn(|c| wide[0].0[r][c])))
}

/// a b.
pub fn product(a: &Mat6, b: &Mat6) -> Mat6 {
    std::array::from_fn(|r| times_transposed(b, &a[r]))
}
