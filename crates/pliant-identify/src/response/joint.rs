//! Frequencies, dampings and shapes of all modes together, by least squares, with their intervals.
//!
//! Every derivative is a multiple of one of a few courses in time, those of the modes, of their derivatives, and of the force. So the
//! normal equations of all measurements are made of products of these courses, which are few.

use super::Measured;
use super::course::{course, product};
use crate::fit::Estimate;
use crate::statistics::t_quantile;

/// A mode: logarithm of its circular frequency, damping ratio, shape at all spots.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shaped {
    pub log: f64,
    pub ratio: f64,
    pub shape: Vec<f64>,
}

/// All unknowns.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Guess {
    pub modes: Vec<Shaped>,
    /// What each spot gives way at once [m/N], where that is an unknown.
    pub at_once: Vec<Option<f64>>,
}

/// Unknowns found, with half-widths of their intervals in the order of [`Guess::values`].
pub(super) struct Joint {
    pub guess: Guess,
    within: Vec<f64>,
}

const MOST_ITERATIONS: usize = 60;
/// Relative change of the sum of squares at which it has converged.
const CONVERGED: f64 = 1e-10;

impl Guess {
    /// Without one of its modes.
    pub fn without(&self, mode: usize) -> Guess {
        let mut rest = self.clone();
        rest.modes.remove(mode);
        rest
    }

    /// Courses of all modes under a blow.
    pub fn courses(&self, measured: &Measured, blow: usize) -> Vec<Vec<f64>> {
        let (times, forces) = (&measured.blows[blow].times, &measured.forces[blow]);
        self.modes.iter().map(|mode| course(times, forces, mode.log.exp(), mode.ratio)).collect()
    }

    /// Displacement of a spot under a blow, given the courses of the modes.
    pub fn displacement(&self, measured: &Measured, blow: usize, spot: usize, courses: &[Vec<f64>]) -> Vec<f64> {
        let mut sum = vec![0.0; measured.blows[blow].times.len()];
        let mut add = |by: f64, course: &[f64]| sum.iter_mut().zip(course).for_each(|(sum, g)| *sum += by * g);
        for (mode, course) in self.modes.iter().zip(courses) {
            add(mode.shape[spot] * self.struck(measured, blow, mode), course);
        }
        if let (Some(part), Some(rest)) = (measured.driving(blow, spot), self.at_once[spot]) {
            add(part * rest, &measured.forces[blow]);
        }
        sum
    }

    /// The shape of a mode where a blow strikes, along it.
    fn struck(&self, measured: &Measured, blow: usize, mode: &Shaped) -> f64 {
        measured.struck[blow].iter().map(|(spot, part)| part * mode.shape[*spot]).sum()
    }

    /// Place of a mode's unknowns: frequency, damping, then shape.
    fn place(&self, mode: usize) -> usize {
        mode * (2 + self.at_once.len())
    }

    /// Place of what a spot gives way at once.
    fn rest_place(&self, spot: usize) -> Option<usize> {
        self.at_once[spot]?;
        Some(self.place(self.modes.len()) + self.at_once[..spot].iter().flatten().count())
    }

    fn unknowns(&self) -> usize {
        self.place(self.modes.len()) + self.at_once.iter().flatten().count()
    }

    /// With a change of all unknowns.
    fn moved(&self, by: &[f64]) -> Guess {
        let mut next = self.clone();
        for (k, mode) in next.modes.iter_mut().enumerate() {
            let at = self.place(k);
            mode.log += by[at].clamp(-0.2, 0.2);
            mode.ratio = (mode.ratio + by[at + 1].clamp(-0.2, 0.2)).max(0.0);
            mode.shape.iter_mut().zip(&by[at + 2..]).for_each(|(x, by)| *x += by);
        }
        let rest = &by[self.place(self.modes.len())..];
        next.at_once.iter_mut().flatten().zip(rest).for_each(|(x, by)| *x += by);
        next
    }
}

impl Joint {
    /// Number of unknowns.
    pub fn unknowns(&self) -> usize {
        self.within.len()
    }

    /// The logarithm of a mode's frequency (0), or its damping ratio (1).
    pub fn pole(&self, mode: usize, which: usize) -> Estimate {
        let Shaped { log, ratio, .. } = self.guess.modes[mode];
        Estimate { value: [log, ratio][which], within: self.within[self.guess.place(mode) + which] }
    }

    /// The shape of a mode at a spot.
    pub fn amplitude(&self, mode: usize, spot: usize) -> Estimate {
        let within = self.within[self.guess.place(mode) + 2 + spot];
        Estimate { value: self.guess.modes[mode].shape[spot], within }
    }

    /// What a spot gives way at once, if that is above zero beyond doubt.
    pub fn at_once(&self, spot: usize) -> Option<f64> {
        let within = self.within[self.guess.rest_place(spot)?];
        self.guess.at_once[spot].filter(|value| *value > within)
    }

    /// The vaguest mode, if one is vaguer than these half-widths of its pole.
    pub fn vaguest(&self, vague: [f64; 2]) -> Option<usize> {
        let width = |k: usize| (self.pole(k, 0).within / vague[0]).max(self.pole(k, 1).within / vague[1]);
        let worst = (0..self.guess.modes.len()).max_by(|a, b| width(*a).total_cmp(&width(*b)))?;
        // not a number is vague as well
        (width(worst).is_nan() || width(worst) > 1.0).then_some(worst)
    }
}

/// The best unknowns from a guess on (K. Levenberg; D. W. Marquardt).
pub(super) fn refine(measured: &Measured, mut guess: Guess) -> Option<Joint> {
    let mut equations = Equations::new(measured, &guess);
    let mut damping = 1e-3;
    for _ in 0..MOST_ITERATIONS {
        let mut improved = None;
        while damping < 1e12 {
            if let Some(change) = equations.solve(damping) {
                let next = guess.moved(&change);
                let squares = squares(measured, &next);
                if squares < equations.squares {
                    improved = Some((next, squares));
                    break;
                }
            }
            damping *= 4.0;
        }
        let Some((next, fewer)) = improved else { break };
        let done = equations.squares - fewer <= CONVERGED * equations.squares;
        guess = next;
        equations = Equations::new(measured, &guess);
        damping *= 0.1;
        if done {
            break;
        }
    }
    let freedom = measured.count().checked_sub(guess.unknowns()).filter(|freedom| *freedom > 0)? as f64;
    let times = t_quantile(0.05, freedom);
    let variance = equations.squares / freedom;
    let within = equations.inverse_diagonal()?.into_iter().map(|x| times * (variance * x).sqrt()).collect();
    Some(Joint { guess, within })
}

fn squares(measured: &Measured, guess: &Guess) -> f64 {
    let left = measured.deviations(guess);
    product(&left, &left)
}

/// Normal equations at a guess.
struct Equations {
    /// Lower triangle of J^T J, row by row, with columns of J scaled to length 1.
    matrix: Vec<Vec<f64>>,
    right: Vec<f64>,
    scales: Vec<f64>,
    squares: f64,
}

impl Equations {
    fn new(measured: &Measured, guess: &Guess) -> Equations {
        let n = guess.unknowns();
        let (mut matrix, mut right, mut squares) = (vec![vec![0.0; n]; n], vec![0.0; n], 0.0);
        for blow in 0..measured.blows.len() {
            let bases = bases(measured, guess, blow);
            let gram: Vec<Vec<f64>> = bases.iter().map(|a| bases.iter().map(|b| product(a, b)).collect()).collect();
            let courses: Vec<Vec<f64>> = (0..guess.modes.len()).map(|k| bases[3 * k].clone()).collect();
            for (place, spot) in measured.watched[blow].iter().enumerate() {
                let theory = guess.displacement(measured, blow, *spot, &courses);
                let left: Vec<f64> =
                    measured.blows[blow].watched[place].1.iter().zip(theory).map(|(u, v)| u - v).collect();
                squares += product(&left, &left);
                let against: Vec<f64> = bases.iter().map(|base| product(base, &left)).collect();
                let slopes = slopes(measured, guess, blow, *spot);
                for (i, base, by) in &slopes {
                    right[*i] += by * against[*base];
                    for (j, other, times) in slopes.iter().filter(|(j, ..)| j <= i) {
                        matrix[*i][*j] += by * times * gram[*base][*other];
                    }
                }
            }
        }
        let scales: Vec<f64> = (0..n).map(|i| 1.0 / matrix[i][i].max(f64::MIN_POSITIVE).sqrt()).collect();
        for i in 0..n {
            (0..=i).for_each(|j| matrix[i][j] *= scales[i] * scales[j]);
            right[i] *= scales[i];
        }
        Equations { matrix, right, scales, squares }
    }

    /// The change of all unknowns, with the diagonal raised.
    fn solve(&self, damping: f64) -> Option<Vec<f64>> {
        let factor = cholesky(&self.matrix, damping)?;
        let change = backward(&factor, forward(&factor, self.right.clone()));
        Some(change.iter().zip(&self.scales).map(|(x, scale)| x * scale).collect())
    }

    /// Diagonal of the inverse of J^T J.
    fn inverse_diagonal(&self) -> Option<Vec<f64>> {
        // an unknown that the data do not tell at all gets an interval of millions of times its scale, rather than none
        let factor = cholesky(&self.matrix, 1e-13)?;
        let n = self.right.len();
        let entry = |k: usize| {
            let mut unit = vec![0.0; n];
            unit[k] = 1.0;
            let half = forward(&factor, unit);
            product(&half, &half) * self.scales[k] * self.scales[k]
        };
        Some((0..n).map(entry).collect())
    }
}

/// Courses of each mode and its derivatives by the logarithm of frequency and by damping, then the force.
fn bases(measured: &Measured, guess: &Guess, blow: usize) -> Vec<Vec<f64>> {
    let (times, forces) = (&measured.blows[blow].times, &measured.forces[blow]);
    let mut bases = vec![];
    for Shaped { log, ratio, .. } in &guess.modes {
        let at = |log: f64, ratio: f64| course(times, forces, log.exp(), ratio);
        let slope =
            |less: Vec<f64>, more: Vec<f64>, by: f64| less.iter().zip(more).map(|(a, b)| (b - a) / by).collect();
        const STEP: f64 = 1e-5;
        bases.push(at(*log, *ratio));
        bases.push(slope(at(log - STEP, *ratio), at(log + STEP, *ratio), 2.0 * STEP));
        // one-sided where there is no damping
        let low = (ratio - STEP).max(0.0);
        bases.push(slope(at(*log, low), at(*log, ratio + STEP), ratio + STEP - low));
    }
    bases.push(forces.clone());
    bases
}

/// Derivatives of a displacement: unknown, course, and by what that is multiplied.
fn slopes(measured: &Measured, guess: &Guess, blow: usize, spot: usize) -> Vec<(usize, usize, f64)> {
    let mut list = vec![];
    for (k, mode) in guess.modes.iter().enumerate() {
        let struck = guess.struck(measured, blow, mode);
        let at = guess.place(k);
        let amplitude = mode.shape[spot] * struck;
        list.extend([(at, 3 * k + 1, amplitude), (at + 1, 3 * k + 2, amplitude)]);
        let mut own = struck;
        for (other, part) in &measured.struck[blow] {
            let by = part * mode.shape[spot];
            if *other == spot { own += by } else { list.push((at + 2 + other, 3 * k, by)) }
        }
        list.push((at + 2 + spot, 3 * k, own));
    }
    if let (Some(part), Some(at)) = (measured.driving(blow, spot), guess.rest_place(spot)) {
        list.push((at, 3 * guess.modes.len(), part));
    }
    list
}

/// Cholesky's factor of a symmetric matrix with its diagonal raised by a factor.
fn cholesky(matrix: &[Vec<f64>], raised: f64) -> Option<Vec<Vec<f64>>> {
    let n = matrix.len();
    let mut factor: Vec<Vec<f64>> = vec![];
    for i in 0..n {
        let mut row = vec![0.0; i + 1];
        for j in 0..i {
            row[j] = (matrix[i][j] - product(&row[..j], &factor[j][..j])) / factor[j][j];
        }
        let own = matrix[i][i] * (1.0 + raised) - product(&row[..i], &row[..i]);
        if own.is_nan() || own <= 0.0 {
            return None;
        }
        row[i] = own.sqrt();
        factor.push(row);
    }
    Some(factor)
}

fn forward(factor: &[Vec<f64>], mut x: Vec<f64>) -> Vec<f64> {
    for (i, row) in factor.iter().enumerate() {
        x[i] = (x[i] - product(&row[..i], &x[..i])) / row[i];
    }
    x
}

fn backward(factor: &[Vec<f64>], mut x: Vec<f64>) -> Vec<f64> {
    for i in (0..factor.len()).rev() {
        x[i] /= factor[i][i];
        let own = x[i];
        factor[i][..i].iter().zip(&mut x[..i]).for_each(|(l, x)| *x -= l * own);
    }
    x
}
