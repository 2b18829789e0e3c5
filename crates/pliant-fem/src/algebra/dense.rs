//! Small dense column-major matrices.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// Products with at most this many columns are memory-bound: several threads take longer than one.
const FEW: usize = 16;

/// Parallelism for dense and sparse kernels. Work is always cut into 4 parts, whatever the number of threads, so that
/// results do not depend on it.
pub(crate) fn shares() -> Par {
    Par::rayon(4)
}

/// Parallelism for a product or a solve with this many columns.
pub(crate) fn threads(columns: usize) -> Par {
    if columns <= FEW { Par::Seq } else { shares() }
}

/// A dense column-major matrix that can grow by columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Block {
    rows: usize,
    columns: usize,
    data: Vec<f64>,
}

impl Block {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Block {
        Block { rows, columns, data: vec![0.0; rows * columns] }
    }

    /// A matrix with one column.
    pub fn of_column(data: Vec<f64>) -> Block {
        Block { rows: data.len(), columns: 1, data }
    }

    /// Copy a faer matrix.
    pub fn from_matrix(matrix: MatRef<'_, f64>) -> Block {
        let mut block = Block::zeros(matrix.nrows(), matrix.ncols());
        block.as_mut().copy_from(matrix);
        block
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Column `n`.
    pub fn column(&self, n: usize) -> &[f64] {
        &self.data[n * self.rows..(n + 1) * self.rows]
    }

    /// Column `n`, mutable.
    pub fn column_mut(&mut self, n: usize) -> &mut [f64] {
        &mut self.data[n * self.rows..(n + 1) * self.rows]
    }

    /// Append the columns of another block with as many rows.
    pub fn push(&mut self, other: &Block) {
        debug_assert_eq!(self.rows, other.rows);
        self.data.extend_from_slice(&other.data);
        self.columns += other.columns;
    }

    /// Keep the first `columns` columns.
    pub fn truncate(&mut self, columns: usize) {
        self.columns = columns.min(self.columns);
        self.data.truncate(self.columns * self.rows);
    }

    /// A faer view.
    pub fn as_ref(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.data, self.rows, self.columns)
    }

    /// A mutable faer view.
    pub fn as_mut(&mut self) -> MatMut<'_, f64> {
        MatMut::from_column_major_slice_mut(&mut self.data, self.rows, self.columns)
    }

    /// The numbers, column by column.
    pub fn into_data(self) -> Vec<f64> {
        self.data
    }

    /// `self^T other`.
    pub fn transposed_times(&self, other: &Block) -> Block {
        let mut product = Block::zeros(self.columns, other.columns);
        let (a, b) = (self.as_ref().transpose(), other.as_ref());
        matmul(product.as_mut(), Accum::Replace, a, b, 1.0, threads(other.columns));
        product
    }

    /// `self other`.
    pub fn times(&self, other: MatRef<'_, f64>) -> Block {
        let mut product = Block::zeros(self.rows, other.ncols());
        matmul(product.as_mut(), Accum::Replace, self.as_ref(), other, 1.0, threads(other.ncols()));
        product
    }

    /// `self += factor a b`.
    pub fn add_product(&mut self, factor: f64, a: &Block, b: &Block) {
        let threads = threads(self.columns);
        matmul(self.as_mut(), Accum::Add, a.as_ref(), b.as_ref(), factor, threads);
    }
}

/// Scalar product.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `a += factor b`.
pub(crate) fn add(a: &mut [f64], factor: f64, b: &[f64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += factor * b);
}
