//! Closed block-tridiagonal systems, in which the last block is coupled to the first one.
//!
//! Without the last row and column they are block-tridiagonal, A; the last block adds a column c and a row r with
//! blocks at both ends only. With A X = c and A y = b, the last unknown z follows from (d - r X) z = b_last - r y, and
//! the others are y - X z: seven solutions with one factorisation, in linear time.

use crate::cable::algebra::block::{Mat6, Tridiagonal, Vec6, ZERO, add_scaled, times};
use crate::cable::algebra::elimination::{Factoring, Wide6, copy, invert};
use crate::cable::algebra::solution::Solving;
use crate::kernel::Task;
use crate::lanes::Lanes;

impl Tridiagonal {
    /// Zeros, for at least three blocks of which the last is coupled to the first: the last of `right` is in the last
    /// row and the first column, the last of `below` in the first row and the last column.
    pub fn closed(count: usize) -> Tridiagonal {
        let mut matrix = Tridiagonal::new(count);
        matrix.right.push(ZERO);
        matrix.below.push(ZERO);
        matrix.columns = vec![[0.0; 6]; 6 * (count - 1)];
        matrix
    }

    /// Solve a closed system in place. False if it is singular.
    pub fn solve_closed(&mut self, x: &mut [Vec6]) -> bool {
        let Tridiagonal { diagonal, right, below, kernel, factors, columns } = self;
        let last = diagonal.len() - 1;
        let (open, factors) = (&diagonal[..last], &mut factors[..last]);
        if !kernel.run(Factoring { diagonal: open, right, below, factors }) {
            return false;
        }
        let (column, row) = ([&below[last], &right[last - 1]], [&right[last], &below[last - 1]]);
        let mut left = diagonal[last];
        for (k, x) in columns.chunks_exact_mut(last).enumerate() {
            x.fill([0.0; 6]);
            x[0] = std::array::from_fn(|r| column[0][r][k]);
            x[last - 1] = std::array::from_fn(|r| column[1][r][k]);
            kernel.run(Solving { right, below, factors, x });
            let met = both_ends(row, x);
            (0..6).for_each(|r| left[r][k] -= met[r]);
        }
        let (others, end) = x.split_at_mut(last);
        kernel.run(Solving { right, below, factors, x: others });
        let met = both_ends(row, others);
        let Some(inverse) = kernel.run(Inverse(&left)) else { return false };
        end[0] = times(&inverse, &std::array::from_fn(|r| end[0][r] - met[r]));
        for (k, column) in columns.chunks_exact(last).enumerate() {
            for (x, c) in others.iter_mut().zip(column) {
                add_scaled(x, -end[0][k], c);
            }
        }
        true
    }
}

/// Product of a row that has blocks at both ends only with a vector.
fn both_ends(row: [&Mat6; 2], x: &[Vec6]) -> Vec6 {
    let mut sum = times(row[0], &x[0]);
    add_scaled(&mut sum, 1.0, &times(row[1], &x[x.len() - 1]));
    sum
}

struct Inverse<'a>(&'a Mat6);

impl Task for Inverse<'_> {
    type Output = Option<Mat6>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Option<Mat6> {
        let mut wide = [Wide6::default()];
        copy::<L>(self.0, &mut wide[0]);
        let fine = invert::<L, 1>(&mut wide);
        fine.then(|| std::array::from_fn(|r| std::array::from_fn(|c| wide[0].0[r][c])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cable::algebra::sparse::Sparse;

    /// Compares with the solution by the sparse matrix, which is tested separately.
    #[test]
    fn it_agrees_with_the_sparse_matrix() {
        let mut seed = 7u64;
        let mut random = move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as f64 / f64::from(1u32 << 31) - 0.5
        };
        for count in [3, 4, 5, 8, 21] {
            let mut m = Tridiagonal::closed(count);
            let mut block = |more: f64| {
                std::array::from_fn(|i| std::array::from_fn(|j| random() + if i == j { more } else { 0.0 }))
            };
            m.diagonal.iter_mut().for_each(|b| *b = block(8.0));
            m.right.iter_mut().chain(&mut m.below).for_each(|b| *b = block(0.0));
            let right: Vec<Vec6> = (0..count).map(|_| std::array::from_fn(|_| random())).collect();
            let edges: Vec<[u32; 2]> = (0..count).map(|i| [i as u32, ((i + 1) % count) as u32]).collect();
            let mut sparse = Sparse::default();
            assert!(sparse.plan(count, &edges, usize::MAX));
            sparse.clear();
            sparse.set_chain(0, 0, &m);
            assert!(sparse.factor());
            let (mut want, mut work, mut got) = (right.clone(), vec![], right);
            sparse.solve(&mut want, &mut work);
            assert!(m.solve_closed(&mut got));
            for (got, want) in got.as_flattened().iter().zip(want.as_flattened()) {
                assert!((got - want).abs() < 1e-12, "{count} blocks: {got} for {want}");
            }
        }
    }
}
