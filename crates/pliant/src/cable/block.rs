//! 6 x 6 blocks and the solution of block-tridiagonal symmetric systems: the linear algebra of a cable, linear in its
//! length.

/// A vector of one link or joint: three of translation, three of rotation.
pub type Vec6 = [f64; 6];

/// A block, by rows.
pub type Mat6 = [[f64; 6]; 6];

/// A block of zeros.
pub const ZERO: Mat6 = [[0.0; 6]; 6];

/// Sum of products of two vectors.
pub fn dot(a: &Vec6, b: &Vec6) -> f64 {
    (0..6).map(|i| a[i] * b[i]).sum()
}

/// a += f b.
pub fn add_scaled(a: &mut Vec6, f: f64, b: &Vec6) {
    for i in 0..6 {
        a[i] += f * b[i];
    }
}

/// m x.
pub fn times(m: &Mat6, x: &Vec6) -> Vec6 {
    std::array::from_fn(|i| dot(&m[i], x))
}

/// m^T x.
pub fn times_transposed(m: &Mat6, x: &Vec6) -> Vec6 {
    let mut out = [0.0; 6];
    for i in 0..6 {
        add_scaled(&mut out, x[i], &m[i]);
    }
    out
}

/// out += a^T diag(d) b.
pub fn add_weighted(out: &mut Mat6, a: &Mat6, d: &Vec6, b: &Mat6) {
    for k in 0..6 {
        for i in 0..6 {
            let f = a[k][i] * d[k];
            for j in 0..6 {
                out[i][j] += f * b[k][j];
            }
        }
    }
}

/// a b.
pub fn product(a: &Mat6, b: &Mat6) -> Mat6 {
    let mut out = ZERO;
    for i in 0..6 {
        for k in 0..6 {
            add_scaled(&mut out[i], a[i][k], &b[k]);
        }
    }
    out
}

/// A block-tridiagonal matrix, factored without pivots between blocks: D_i on the diagonal, U_i right of it, L_i below.
#[derive(Clone, Debug, Default)]
pub struct Tridiagonal {
    /// Diagonal blocks; their LU factors after `factor`.
    pub diagonal: Vec<Mat6>,
    /// Row i, column i + 1; after `factor`, D_i^-1 U_i.
    pub right: Vec<Mat6>,
    /// Row i + 1, column i.
    pub below: Vec<Mat6>,
}

impl Tridiagonal {
    /// Zeros, for `count` blocks.
    pub fn new(count: usize) -> Tridiagonal {
        let beside = vec![ZERO; count.saturating_sub(1)];
        Tridiagonal { diagonal: vec![ZERO; count], right: beside.clone(), below: beside }
    }

    /// Set all blocks to zero.
    pub fn clear(&mut self) {
        self.diagonal.fill(ZERO);
        self.right.fill(ZERO);
        self.below.fill(ZERO);
    }

    /// Factor in place. False when a pivot vanishes.
    pub fn factor(&mut self) -> bool {
        for i in 0..self.diagonal.len() {
            if i > 0 {
                let lost = product(&self.below[i - 1], &self.right[i - 1]);
                for r in 0..6 {
                    add_scaled(&mut self.diagonal[i][r], -1.0, &lost[r]);
                }
            }
            if !lu(&mut self.diagonal[i]) {
                return false;
            }
            if i < self.right.len() {
                solve_block(&self.diagonal[i], &mut self.right[i]);
            }
        }
        true
    }

    /// Solve in place with the factors.
    pub fn solve(&self, x: &mut [Vec6]) {
        let count = self.diagonal.len();
        for i in 0..count {
            if i > 0 {
                let carried = times(&self.below[i - 1], &x[i - 1]);
                add_scaled(&mut x[i], -1.0, &carried);
            }
            solve_vector(&self.diagonal[i], &mut x[i]);
        }
        for i in (0..count.saturating_sub(1)).rev() {
            let carried = times(&self.right[i], &x[i + 1]);
            add_scaled(&mut x[i], -1.0, &carried);
        }
    }
}

/// The inverse, in place, with pivots.
fn lu(m: &mut Mat6) -> bool {
    let mut a = *m;
    let mut inv = ZERO;
    for i in 0..6 { inv[i][i] = 1.0; }
    for k in 0..6 {
        let mut p = k;
        for i in k + 1..6 { if a[i][k].abs() > a[p][k].abs() { p = i; } }
        if a[p][k] == 0.0 || !a[p][k].is_finite() { return false; }
        a.swap(k, p); inv.swap(k, p);
        let f = 1.0 / a[k][k];
        for j in 0..6 { a[k][j] *= f; inv[k][j] *= f; }
        let (ra, ri) = (a[k], inv[k]);
        for i in 0..6 { if i != k { let g = a[i][k]; add_scaled(&mut a[i], -g, &ra); add_scaled(&mut inv[i], -g, &ri); } }
    }
    *m = inv;
    true
}

fn solve_vector(inv: &Mat6, x: &mut Vec6) { *x = times(inv, x); }
fn solve_block(inv: &Mat6, x: &mut Mat6) { *x = product(inv, x); }

#[cfg(test)]
mod tests {
    use super::*;

    /// The textbook way: the whole matrix, Gaussian elimination with pivots.
    fn dense_solve(m: &Tridiagonal, b: &[Vec6]) -> Vec<f64> {
        let n = 6 * m.diagonal.len();
        let mut a = vec![vec![0.0; n + 1]; n];
        for (i, block) in m.diagonal.iter().enumerate() {
            for r in 0..6 {
                for c in 0..6 {
                    a[6 * i + r][6 * i + c] = block[r][c];
                }
                a[6 * i + r][n] = b[i][r];
            }
        }
        for (i, block) in m.right.iter().enumerate() {
            for r in 0..6 {
                for c in 0..6 {
                    a[6 * i + r][6 * (i + 1) + c] = block[r][c];
                    a[6 * (i + 1) + r][6 * i + c] = m.below[i][r][c];
                }
            }
        }
        for k in 0..n {
            let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap_or(k);
            a.swap(k, pivot);
            for i in 0..n {
                if i != k {
                    let f = a[i][k] / a[k][k];
                    for j in k..=n {
                        a[i][j] -= f * a[k][j];
                    }
                }
            }
        }
        (0..n).map(|i| a[i][n] / a[i][i]).collect()
    }

    #[test]
    fn it_agrees_with_dense_elimination() {
        let mut seed = 12345u64;
        let mut random = move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as f64 / (1u64 << 31) as f64 - 0.5
        };
        for count in [1, 2, 7] {
            let mut m = Tridiagonal::new(count);
            for block in &mut m.diagonal {
                let g: Mat6 = std::array::from_fn(|_| std::array::from_fn(|_| random()));
                add_weighted(block, &g, &[1.0; 6], &g);
                // dominant enough to be positive definite whatever the neighbours
                (0..6).for_each(|i| block[i][i] += 8.0);
            }
            for block in m.right.iter_mut().chain(&mut m.below) {
                *block = std::array::from_fn(|_| std::array::from_fn(|_| random()));
            }
            let b: Vec<Vec6> = (0..count).map(|_| std::array::from_fn(|_| random())).collect();
            let want = dense_solve(&m, &b);
            let mut x = b.clone();
            assert!(m.factor());
            m.solve(&mut x);
            for (got, want) in x.iter().flatten().zip(want) {
                assert!((got - want).abs() < 1e-13, "{got} for {want}");
            }
        }
    }
}
