//! Small dense matrices: storage, the Cholesky factors of a mass matrix along the branches of its tree, elimination with
//! pivots for tangents.

/// A dense matrix, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    data: Vec<f64>,
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Matrix {
        Matrix { rows, columns, data: vec![0.0; rows * columns] }
    }

    /// Become a matrix of zeros of this size, in the memory that is there if it suffices.
    pub(crate) fn resize(&mut self, rows: usize, columns: usize) {
        (self.rows, self.columns) = (rows, columns);
        self.data.clear();
        self.data.resize(rows * columns, 0.0);
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Set all entries to zero.
    pub fn clear(&mut self) {
        self.data.fill(0.0);
    }

    /// One row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.data[row * self.columns..][..self.columns]
    }

    /// One row, to be changed.
    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.data[row * self.columns..][..self.columns]
    }

    /// All entries, row by row.
    pub fn data(&self) -> &[f64] {
        &self.data
    }

    /// Copy another matrix of the same size.
    pub fn copy_from(&mut self, other: &Matrix) {
        self.data.copy_from_slice(&other.data);
    }

    /// The product with a vector.
    pub fn times(&self, x: &[f64], out: &mut [f64]) {
        for (r, value) in out.iter_mut().enumerate().take(self.rows) {
            *value = self.row(r).iter().zip(x).map(|(a, b)| a * b).sum();
        }
    }
}

impl std::ops::Index<(usize, usize)> for Matrix {
    type Output = f64;
    #[inline]
    fn index(&self, (r, c): (usize, usize)) -> &f64 {
        &self.data[r * self.columns + c]
    }
}

impl std::ops::IndexMut<(usize, usize)> for Matrix {
    #[inline]
    fn index_mut(&mut self, (r, c): (usize, usize)) -> &mut f64 {
        &mut self.data[r * self.columns + c]
    }
}

/// Factor a mass matrix in place as L^T L, from the tips to the root, so that entries between branches stay zero;
/// `above[i]` is the next unknown towards the root (Featherstone 2008, section 6.5). False where it is not positive.
pub fn factor_tree(m: &mut Matrix, above: &[Option<usize>]) -> bool {
    for k in (0..m.rows).rev() {
        let pivot = m[(k, k)];
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        let root = pivot.sqrt();
        m[(k, k)] = root;
        let mut i = above[k];
        while let Some(row) = i {
            m[(k, row)] /= root;
            i = above[row];
        }
        let mut i = above[k];
        while let Some(row) = i {
            let mut j = Some(row);
            while let Some(column) = j {
                let product = m[(k, row)] * m[(k, column)];
                m[(row, column)] -= product;
                j = above[column];
            }
            i = above[row];
        }
    }
    true
}

/// Solve with the factors of [`factor_tree`], in place.
pub fn solve_tree(l: &Matrix, above: &[Option<usize>], x: &mut [f64]) {
    for k in (0..l.rows).rev() {
        x[k] /= l[(k, k)];
        let mut i = above[k];
        while let Some(row) = i {
            x[row] -= l[(k, row)] * x[k];
            i = above[row];
        }
    }
    for k in 0..l.rows {
        let mut i = above[k];
        while let Some(row) = i {
            x[k] -= l[(k, row)] * x[row];
            i = above[row];
        }
        x[k] /= l[(k, k)];
    }
}

/// Solve a x = b by elimination with row pivots; `a` is overwritten, `b` becomes x. False where `a` is singular.
pub fn eliminate(a: &mut Matrix, b: &mut [f64]) -> bool {
    let n = a.rows;
    for k in 0..n {
        let mut pivot = k;
        for r in k + 1..n {
            if a[(r, k)].abs() > a[(pivot, k)].abs() {
                pivot = r;
            }
        }
        if a[(pivot, k)].is_nan() || a[(pivot, k)] == 0.0 {
            return false;
        }
        if pivot != k {
            for c in k..n {
                a.data.swap(k * n + c, pivot * n + c);
            }
            b.swap(k, pivot);
        }
        for r in k + 1..n {
            let factor = a[(r, k)] / a[(k, k)];
            if factor != 0.0 {
                for c in k..n {
                    let product = factor * a[(k, c)];
                    a[(r, c)] -= product;
                }
                b[r] -= factor * b[k];
            }
        }
    }
    for k in (0..n).rev() {
        let done: f64 = (k + 1..n).map(|c| a[(k, c)] * b[c]).sum();
        b[k] = (b[k] - done) / a[(k, k)];
    }
    b.iter().all(|x| x.is_finite())
}
