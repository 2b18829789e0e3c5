//! The change that pairs make to Newton's change: exact elimination of what couples links that are no neighbours.
//!
//! Let A be the tangent without pairs, P the rows of the pairs' relative velocities and S their slopes. Then
//!
//!   (A + P^T S P)^-1 r = x - X y,    x = A^-1 r,  X = A^-1 P^T,  (1 + S P X) y = S P x,
//!
//! so that a small dense system, three unknowns for each pair that pushes, is all that is added.

/// Working memory: the dense system.
#[derive(Clone, Debug, Default)]
pub struct Coupling {
    /// P X by rows; then 1 + S P X.
    matrix: Vec<f64>,
    /// P x; then y.
    right: Vec<f64>,
    size: usize,
}

impl Coupling {
    /// Begin with a number of pairs that push.
    pub fn begin(&mut self, pairs: usize) {
        self.size = 3 * pairs;
        // room for twice as many, so that a step in contact seldom allocates
        let room = 3 * (2 * pairs).max(24);
        if self.matrix.capacity() < self.size * self.size {
            self.matrix.reserve(room * room - self.matrix.len());
            self.right.reserve(room - self.right.len());
        }
        self.matrix.clear();
        self.matrix.resize(self.size * self.size, 0.0);
        self.right.clear();
        self.right.resize(self.size, 0.0);
    }

    /// Set P x of a pair.
    pub fn set_right(&mut self, pair: usize, velocity: [f64; 3]) {
        self.right[3 * pair..3 * pair + 3].copy_from_slice(&velocity);
    }

    /// Add to P X at a pair's rows, for one column.
    pub fn add(&mut self, pair: usize, column: usize, velocity: [f64; 3]) {
        for (k, v) in velocity.into_iter().enumerate() {
            self.matrix[(3 * pair + k) * self.size + column] += v;
        }
    }

    /// Multiply the rows of a pair by its slope.
    pub fn weigh(&mut self, pair: usize, slope: &[[f64; 3]; 3]) {
        let (n, first) = (self.size, 3 * pair);
        for column in 0..n {
            let v: [f64; 3] = std::array::from_fn(|k| self.matrix[(first + k) * n + column]);
            for k in 0..3 {
                let sum = slope[k][0] * v[0] + slope[k][1] * v[1] + slope[k][2] * v[2];
                self.matrix[(first + k) * n + column] = sum + if first + k == column { 1.0 } else { 0.0 };
            }
        }
        let v: [f64; 3] = std::array::from_fn(|k| self.right[first + k]);
        for k in 0..3 {
            self.right[first + k] = slope[k][0] * v[0] + slope[k][1] * v[1] + slope[k][2] * v[2];
        }
    }

    /// Solve; y is then in `force`. False where the system is singular.
    pub fn solve(&mut self) -> bool {
        let n = self.size;
        for k in 0..n {
            let pivot = (k..n).max_by(|&i, &j| self.matrix[i * n + k].abs().total_cmp(&self.matrix[j * n + k].abs()));
            let Some(pivot) = pivot else { return false };
            if self.matrix[pivot * n + k] == 0.0 || !self.matrix[pivot * n + k].is_finite() {
                return false;
            }
            if pivot != k {
                for j in k..n {
                    self.matrix.swap(k * n + j, pivot * n + j);
                }
                self.right.swap(k, pivot);
            }
            let (above, below) = self.matrix.split_at_mut((k + 1) * n);
            let row = &above[k * n..];
            let inverse = 1.0 / row[k];
            for (i, other) in below.chunks_exact_mut(n).enumerate() {
                let f = other[k] * inverse;
                if f != 0.0 {
                    for (o, r) in other[k + 1..].iter_mut().zip(&row[k + 1..n]) {
                        *o -= f * r;
                    }
                    self.right[k + 1 + i] -= f * self.right[k];
                }
            }
        }
        for k in (0..n).rev() {
            let sum: f64 = (k + 1..n).map(|j| self.matrix[k * n + j] * self.right[j]).sum();
            self.right[k] = (self.right[k] - sum) / self.matrix[k * n + k];
        }
        true
    }

    /// y of a pair.
    pub fn force(&self, pair: usize) -> [f64; 3] {
        std::array::from_fn(|k| self.right[3 * pair + k])
    }
}
