//! Eigenvectors of dense symmetric matrices, with one step of iterative refinement.
//!
//! The divide-and-conquer solver of faer 0.24 leaves residuals of about 1e-12 of the largest eigenvalue, which is 1e-10
//! of the ones that matter here. One step of Ogita and Aishima ("Iterative refinement for symmetric eigenvalue
//! decomposition", 2018) squares the error: with S = X^T A X and R = 1 - X^T X,
//!
//!   E_ij = (S_ij + l_j R_ij) / (l_j - l_i), or R_ij / 2 within a cluster of eigenvalues,   X + X E.

use crate::algebra::dense::{Block, shares};
use crate::error::FemError;
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, MatRef};
use pliant::math::{exp2, log2};

/// Eigenvalues with a relative difference below this are treated as one cluster [-].
const CLOSE: f64 = 1e-8;

/// Some eigenvalues of a symmetric matrix, with their eigenvectors as columns.
pub(crate) struct Eigen {
    pub values: Vec<f64>,
    pub vectors: Block,
}

/// Which end of the spectrum.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum From {
    /// The smallest, in ascending order.
    Smallest,
    /// The largest, in descending order.
    Largest,
}

/// The first `count` eigenpairs from one end of the spectrum.
pub(crate) fn eigen(matrix: MatRef<'_, f64>, count: usize, from: From) -> Result<Eigen, FemError> {
    let size = matrix.nrows();
    // the solver takes small entries for zero whatever the norm of the matrix, and the entries for stiff bodies are all
    // small
    let largest = (0..size).flat_map(|j| (j..size).map(move |i| matrix[(i, j)].abs())).fold(0.0, f64::max);
    let scale = if largest.is_normal() { exp2(log2(largest).floor()) } else { 1.0 };
    let scaled = Mat::from_fn(size, size, |i, j| matrix[(i, j)] / scale);
    let matrix = scaled.as_ref();
    let (mut rough, mut whole) = (Diag::zeros(size), Block::zeros(size, size));
    let need = self_adjoint_evd_scratch::<f64>(size, ComputeEigenvectors::Yes, shares(), Default::default());
    let mut memory = MemBuffer::new(need);
    let memory = MemStack::new(&mut memory);
    self_adjoint_evd(matrix, rough.as_mut(), Some(whole.as_mut()), shares(), memory, Default::default())
        .map_err(|error| FemError::Singular { what: "the projection on the basis", why: format!("{error:?}") })?;
    let (rough, all) = (rough.column_vector(), whole.as_ref());
    let count = count.min(size);
    // index of the wanted eigenvalue `n` in ascending order
    let place = |n: usize| if from == From::Largest { size - 1 - n } else { n };
    let mut vectors = Block::zeros(size, count);
    for n in 0..count {
        vectors.column_mut(n).iter_mut().enumerate().for_each(|(i, x)| *x = all[(i, place(n))]);
    }
    let products = Block::from_matrix(matrix).times(vectors.as_ref());
    let mut change = whole.transposed_times(&products);
    let overlap = whole.transposed_times(&vectors);
    let mut values = vec![];
    for n in 0..count {
        let (own, overlap) = (place(n), overlap.column(n));
        let change = change.column_mut(n);
        let value = change[own] / overlap[own];
        for i in 0..size {
            let gap = value - rough[i];
            change[i] = if i == own {
                0.5 * (1.0 - overlap[i])
            } else if gap.abs() > CLOSE * value.abs() {
                (change[i] - value * overlap[i]) / gap
            } else {
                -0.5 * overlap[i]
            };
        }
        values.push(value * scale);
    }
    vectors.add_product(1.0, &whole, &change);
    Ok(Eigen { values, vectors })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::algebra::dense::dot;

    #[test]
    fn small_eigenvalues_are_as_good_as_large_ones() {
        // a chain of springs with eigenvalues 4 sin^2(pi k / 2 (n + 1)), scaled by a decreasing diagonal; the residual
        // of each pair is measured against its own eigenvalue
        let n = 300;
        let scale = |i: usize| 0.98f64.powi(i as i32);
        let matrix = Mat::from_fn(n, n, |i: usize, j: usize| match i.abs_diff(j) {
            0 => 2.0 * scale(i) * scale(j),
            1 => -scale(i) * scale(j),
            _ => 0.0,
        });
        let found = eigen(matrix.as_ref(), 100, From::Largest).unwrap();
        let product = Block::from_matrix(matrix.as_ref()).times(found.vectors.as_ref());
        for k in 0..100 {
            let (vector, product) = (found.vectors.column(k), product.column(k));
            let rest: f64 = (0..n).map(|i| (product[i] - found.values[k] * vector[i]).powi(2)).sum::<f64>().sqrt();
            assert!(rest < 1e-14 * found.values[0], "{k}: {:.1e}", rest / found.values[0]);
            assert!((dot(vector, vector) - 1.0).abs() < 1e-13);
        }
        let smallest = eigen(matrix.as_ref(), 3, From::Smallest).unwrap();
        assert!(smallest.values.is_sorted());
    }
}
