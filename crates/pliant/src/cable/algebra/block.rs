//! 6 x 6 blocks and the solution of block-tridiagonal systems: the linear algebra of a cable, linear in its length.

use crate::cable::algebra::elimination::{Chain, Factor, Factoring, Meeting};
use crate::cable::algebra::solution::{Center, Half, Inwards, Outwards, Solving};
use crate::kernel::Kernel;
use crate::team::Team;

/// A vector of one link or joint: three components of translation, three of rotation.
pub type Vec6 = [f64; 6];

/// A 6 x 6 block, by rows.
pub type Mat6 = [[f64; 6]; 6];

/// A block of zeros.
pub const ZERO: Mat6 = [[0.0; 6]; 6];

/// Dot product.
pub fn dot(a: &Vec6, b: &Vec6) -> f64 {
    (0..6).map(|i| a[i] * b[i]).sum()
}

/// Sum of squares per component.
pub fn squares(of: &[Vec6]) -> Vec6 {
    let mut sums = [0.0; 6];
    for v in of {
        for i in 0..6 {
            sums[i] += v[i] * v[i];
        }
    }
    sums
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

/// A block-tridiagonal matrix and, after `factor`, its factors. That of a closed cable has one more block on either
/// side of the diagonal, see `closed`.
#[derive(Clone, Debug, Default)]
pub struct Tridiagonal {
    /// Diagonal blocks.
    pub diagonal: Vec<Mat6>,
    /// Row i, column i + 1.
    pub right: Vec<Mat6>,
    /// Row i + 1, column i.
    pub below: Vec<Mat6>,
    /// Instruction set.
    pub kernel: Kernel,
    /// Factors, computed by `factor`.
    pub factors: Vec<Factor>,
    /// Working memory of `solve_closed`: six right-hand sides for all blocks but the last.
    pub columns: Vec<Vec6>,
}

impl Tridiagonal {
    /// Zeros, for `count` blocks.
    pub fn new(count: usize) -> Tridiagonal {
        let beside = vec![ZERO; count.saturating_sub(1)];
        Tridiagonal {
            diagonal: vec![ZERO; count],
            right: beside.clone(),
            below: beside,
            kernel: Kernel::default(),
            factors: vec![Factor::default(); count],
            columns: vec![],
        }
    }

    /// Factor the current blocks. False if a pivot vanishes or is not finite.
    pub fn factor(&mut self) -> bool {
        let Tridiagonal { diagonal, right, below, kernel, factors, .. } = self;
        kernel.run(Factoring { diagonal, right, below, factors })
    }

    /// The same as [`Tridiagonal::factor`], a thread for each of the two chains.
    pub fn factor_on(&mut self, team: Option<&mut Team>) -> bool {
        let Some(team) = team else { return self.factor() };
        let Tridiagonal { diagonal, right, below, kernel, factors, .. } = self;
        let (kernel, middle) = (*kernel, diagonal.len() / 2);
        let (low, high) = factors.split_at_mut(middle);
        let chain = |factors, back| (Some(Chain { diagonal, right, below, factors, back }), None);
        let mut chains = [chain(low, false), chain(high, true)];
        team.each(&mut chains, |(chain, end)| *end = chain.take().and_then(|chain| kernel.run(chain)));
        let [(_, Some(low)), (_, Some(high))] = chains else { return false };
        let inverse = kernel.run(Meeting { diagonal: &diagonal[middle], ends: [low, high] });
        factors[middle].inverse = inverse.unwrap_or_default();
        inverse.is_some()
    }

    /// The same as [`Tridiagonal::solve`], a thread for each of the two chains.
    pub fn solve_on(&self, x: &mut [Vec6], mut team: Option<&mut Team>) {
        let Some(team) = &mut team else { return self.solve(x) };
        let Tridiagonal { right, below, kernel, factors, .. } = self;
        let middle = x.len() / 2;
        let (low, rest) = x.split_at_mut(middle);
        let Some((center, high)) = rest.split_first_mut() else { return };
        let half = |x, back| Half { right, below, factors, x, back };
        let mut halves = [half(low, false), half(high, true)];
        team.each(&mut halves, |half| kernel.run(Inwards(half)));
        kernel.run(Center { halves: &halves, x: center });
        let center = *center;
        team.each(&mut halves, |half| kernel.run(Outwards(half, center)));
    }

    /// Solve in place with the factors and the off-diagonal blocks, which must be those that were factored.
    pub fn solve(&self, x: &mut [Vec6]) {
        let Tridiagonal { right, below, kernel, factors, .. } = self;
        kernel.run(Solving { right, below, factors, x });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference: Gaussian elimination with pivoting in the full matrix.
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

    fn numbers() -> impl FnMut() -> f64 {
        let mut seed = 12345u64;
        move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as f64 / (1u64 << 31) as f64 - 0.5
        }
    }

    /// Compares the solution with elimination in the full matrix.
    fn check(m: &mut Tridiagonal, mut random: impl FnMut() -> f64, tolerance: f64) {
        let count = m.diagonal.len();
        let b: Vec<Vec6> = (0..count).map(|_| std::array::from_fn(|_| random())).collect();
        let want = dense_solve(m, &b);
        let size = want.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let mut x = b;
        assert!(m.factor());
        m.solve(&mut x);
        for (k, want) in want.iter().enumerate() {
            let got = x[k / 6][k % 6];
            assert!((got - want).abs() < tolerance * size, "{count} links, unknown {k}: {got} for {want}");
        }
    }

    #[test]
    fn it_agrees_with_dense_elimination() {
        let mut random = numbers();
        for count in [1, 2, 3, 4, 7, 8] {
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
            check(&mut m, &mut random, 1e-13);
        }
    }

    /// Blocks with almost zero diagonals, and with a stiff contact with friction.
    #[test]
    fn it_exchanges_rows_where_it_must() {
        let mut random = numbers();
        for count in [1, 2, 5, 6] {
            let mut m = Tridiagonal::new(count);
            for (i, block) in m.diagonal.iter_mut().enumerate() {
                for r in 0..6 {
                    for c in 0..6 {
                        block[r][c] = 0.2 * random();
                    }
                    block[r][r] = if r % 2 == 0 { 1e-12 } else { 0.0 };
                    block[r][(r + 1) % 6] += 4.0;
                }
                let (normal, pull) = ([0.002, 0.6, 0.8], [1.0, 0.3, -0.2]);
                for r in 0..3 {
                    for c in 0..3 {
                        block[r][c] += (i % 2) as f64 * 1e3 * (normal[r] + 0.8 * pull[r]) * normal[c];
                    }
                }
            }
            for block in m.right.iter_mut().chain(&mut m.below) {
                *block = std::array::from_fn(|_| std::array::from_fn(|_| 0.1 * random()));
            }
            // lengths and angles in units as different as in a cable of thin links
            let unit = |k: usize| if k < 3 { 1.0 } else { 1e-3 };
            for block in m.diagonal.iter_mut().chain(&mut m.right).chain(&mut m.below) {
                for (r, c) in (0..6).flat_map(|r| (0..6).map(move |c| (r, c))) {
                    block[r][c] *= unit(r) * unit(c);
                }
            }
            check(&mut m, &mut random, 1e-11);
        }
    }

    #[test]
    fn a_matrix_without_inverse_is_told() {
        for (count, bad) in [(1, 0), (4, 0), (4, 2), (4, 3), (5, 2)] {
            for value in [0.0, f64::NAN, f64::INFINITY] {
                let mut m = Tridiagonal::new(count);
                m.diagonal.fill(std::array::from_fn(|r| std::array::from_fn(|c| if r == c { 2.0 } else { 0.0 })));
                m.diagonal[bad][4][4] = value;
                assert!(!m.factor(), "{value} in block {bad} of {count}");
            }
        }
    }
}
