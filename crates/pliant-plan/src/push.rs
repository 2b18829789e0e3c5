//! Velocities under forces and one-sided constraints: the equations of one step.
//!
//! With a symmetric positive matrix A (inertia, damping and implicit springs) and forces b, the velocity without
//! constraints is A^-1 b. Constraints j v >= r push with forces of at least zero, and only where they hold with equality:
//! the velocity is the one of least (v - A^-1 b) A (v - A^-1 b) that meets all of them. Their forces are found by sweeps of
//! Gauss and Seidel's method.

use pliant::robot::Matrix;

/// Sweeps over all constraints of a step at most.
const SWEEPS: usize = 200;

/// Change of a velocity in a sweep that ends them, relative to the largest one: at 1 m/s and steps of 10 ms, a micrometre.
const DONE: f64 = 1e-4;

/// A constraint j v >= least, by a force that may give way.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its derivative.
    pub j: Vec<f64>,
    /// Smallest j v.
    pub least: f64,
    /// How much it gives way, relative to what the robot gives way there: 0 for what is hard.
    pub soft: f64,
}

/// Working memory of a step.
#[derive(Clone, Debug, Default)]
pub struct Pusher {
    factor: Vec<f64>,
    /// A^-1 j of each row.
    answers: Vec<Vec<f64>>,
    forces: Vec<f64>,
}

impl Pusher {
    /// The velocity under forces `b` and constraints. False where the matrix is not positive.
    pub fn solve(&mut self, a: &Matrix, b: &[f64], rows: &[Row], v: &mut [f64]) -> bool {
        let n = b.len();
        if !self.cholesky(a) {
            return false;
        }
        v.copy_from_slice(b);
        self.back(v);
        self.answers.resize(rows.len(), vec![]);
        for (row, k) in rows.iter().zip(0..) {
            let mut answer = std::mem::take(&mut self.answers[k]);
            answer.clear();
            answer.extend_from_slice(&row.j);
            self.back(&mut answer);
            self.answers[k] = answer;
        }
        self.forces.clear();
        self.forces.resize(rows.len(), 0.0);
        for _ in 0..SWEEPS {
            let (mut change, mut size) = (0.0_f64, 0.0_f64);
            for (row, k) in rows.iter().zip(0..) {
                let answer = &self.answers[k];
                let gives: f64 = dot(&row.j, answer);
                if gives <= 0.0 {
                    continue;
                }
                let soft = row.soft * gives;
                let missing = row.least - dot(&row.j, v) - soft * self.forces[k];
                let force = (self.forces[k] + missing / (gives + soft)).max(0.0);
                let more = force - self.forces[k];
                self.forces[k] = force;
                if more != 0.0 {
                    (0..n).for_each(|i| v[i] += more * answer[i]);
                    change = change.max((more * gives).abs());
                }
                size = size.max(row.least.abs());
            }
            if change <= DONE * size.max(v.iter().fold(0.0, |most: f64, x| most.max(x.abs()))) {
                break;
            }
        }
        v.iter().all(|x| x.is_finite())
    }

    fn cholesky(&mut self, a: &Matrix) -> bool {
        let n = a.rows();
        self.factor.clear();
        self.factor.extend_from_slice(a.data());
        let l = &mut self.factor;
        for j in 0..n {
            let pivot = l[j * n + j] - (0..j).map(|k| l[j * n + k] * l[j * n + k]).sum::<f64>();
            if pivot.is_nan() || pivot <= 0.0 {
                return false;
            }
            let root = pivot.sqrt();
            l[j * n + j] = root;
            for i in j + 1..n {
                let sum: f64 = (0..j).map(|k| l[i * n + k] * l[j * n + k]).sum();
                l[i * n + j] = (l[i * n + j] - sum) / root;
            }
        }
        true
    }

    fn back(&self, x: &mut [f64]) {
        let (n, l) = (x.len(), &self.factor);
        for i in 0..n {
            let sum: f64 = (0..i).map(|k| l[i * n + k] * x[k]).sum();
            x[i] = (x[i] - sum) / l[i * n + i];
        }
        for i in (0..n).rev() {
            let sum: f64 = (i + 1..n).map(|k| l[k * n + i] * x[k]).sum();
            x[i] = (x[i] - sum) / l[i * n + i];
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagonal(entries: &[f64]) -> Matrix {
        let mut a = Matrix::zeros(entries.len(), entries.len());
        entries.iter().enumerate().for_each(|(i, x)| a[(i, i)] = *x);
        a
    }

    /// A body in a corner of two walls, pushed into one and along the other, by hand.
    #[test]
    fn walls_stop_what_goes_into_them_and_nothing_else() {
        let mut v = vec![0.0; 2];
        let row = |j: [f64; 2], least: f64| Row { j: j.to_vec(), least, soft: 0.0 };
        let rows = [row([1.0, 0.0], -0.25), row([0.0, 1.0], 0.0)];
        assert!(Pusher::default().solve(&diagonal(&[2.0, 4.0]), &[-2.0, 8.0], &rows, &mut v));
        assert!((v[0] + 0.25).abs() < 1e-12 && (v[1] - 2.0).abs() < 1e-12, "{v:?}");
    }

    /// Sliding on a slope without friction: the normal part of the velocity is taken away in the metric of A. For A = diag(1, 2), b =
    /// (0, -2) and j = (1, 1)/sqrt 2: free v = (0, -1), force f with j (v + A^-1 j f) = 0: f = (1/sqrt 2)/(3/4), v = (2/3, -2/3).
    #[test]
    fn a_slope_turns_the_velocity_along_itself() {
        let (mut v, s) = (vec![0.0; 2], 0.5_f64.sqrt());
        let rows = [Row { j: vec![s, s], least: 0.0, soft: 0.0 }];
        assert!(Pusher::default().solve(&diagonal(&[1.0, 2.0]), &[0.0, -2.0], &rows, &mut v));
        assert!((v[0] - 2.0 / 3.0).abs() < 1e-12 && (v[1] + 2.0 / 3.0).abs() < 1e-12, "{v:?}");
    }

    #[test]
    fn a_matrix_that_is_not_positive_is_refused() {
        assert!(!Pusher::default().solve(&diagonal(&[1.0, -1.0]), &[0.0; 2], &[], &mut [0.0; 2]));
    }
}
