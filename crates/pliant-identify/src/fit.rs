//! Least squares with bounds (K. Levenberg; D. W. Marquardt), confidence intervals, and what the data do not tell.

use crate::statistics::t_quantile;

/// An unknown of a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unknown {
    /// Where to begin.
    pub start: f64,
    /// Smallest and largest value allowed.
    pub bounds: [f64; 2],
    /// Half-width of the 95 % interval above which the data are said not to tell it.
    pub vague: f64,
}

/// Result for one unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Best value; where it began if the data do not tell it.
    pub value: f64,
    /// Half-width of its 95 % interval; infinite if the data do not tell it.
    pub within: f64,
}

impl Estimate {
    /// Whether the data tell it.
    pub fn is_told(&self) -> bool {
        self.within.is_finite()
    }
}

/// Result of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// One per unknown.
    pub estimates: Vec<Estimate>,
    /// Sum of squared residuals.
    pub squares: f64,
    /// Number of residuals less that of unknowns found.
    pub freedom: usize,
}

/// Relative change of the sum of squares below which a fit has converged.
const CONVERGED: f64 = 1e-10;
/// Limit of iterations.
const MOST: usize = 60;

/// Fit unknowns, so that the sum of squared residuals is smallest. Unknowns that the data do not tell, the vaguest first, are
/// held where they began, and the others fitted anew. `None` if no unknown can be told, or residuals are not finite where it
/// begins.
pub fn fit(unknowns: &[Unknown], residuals: impl Fn(&[f64]) -> Vec<f64>) -> Option<Fit> {
    let mut free: Vec<usize> = (0..unknowns.len()).collect();
    loop {
        // one after the other: those that hardly matter would run away while the first are still far off
        let mut values: Vec<f64> = unknowns.iter().map(|u| u.start).collect();
        let mut squares = Some(sum(&residuals(&values))).filter(|s| s.is_finite())?;
        for count in 1..=free.len() {
            (values, squares) = minimise(unknowns, &free[..count], values, squares, &residuals);
        }
        let count = residuals(&values).len();
        let freedom = count.checked_sub(free.len()).filter(|f| *f > 0)?;
        let within = widths(unknowns, &free, &values, squares / freedom as f64, freedom, &residuals);
        let vagueness = |k: usize| within[k] / unknowns[free[k]].vague;
        let vaguest = (0..free.len()).max_by(|a, b| vagueness(*a).total_cmp(&vagueness(*b)))?;
        if vagueness(vaguest) <= 1.0 {
            let mut estimates: Vec<Estimate> =
                values.iter().map(|value| Estimate { value: *value, within: f64::INFINITY }).collect();
            free.iter().zip(within).for_each(|(k, within)| estimates[*k].within = within);
            return Some(Fit { estimates, squares, freedom });
        }
        free.remove(vaguest);
        if free.is_empty() {
            return None;
        }
    }
}

fn sum(residuals: &[f64]) -> f64 {
    residuals.iter().map(|r| r * r).sum()
}

/// The best values of the free unknowns, from given ones with their sum of squares, and the sum of squares there. No
/// iteration goes farther than an unknown is vague.
pub(crate) fn minimise(
    unknowns: &[Unknown],
    free: &[usize],
    mut values: Vec<f64>,
    mut best: f64,
    residuals: &impl Fn(&[f64]) -> Vec<f64>,
) -> (Vec<f64>, f64) {
    let mut damping = 1e-3;
    for _ in 0..MOST {
        let here = residuals(&values);
        let slopes = slopes(unknowns, free, &values, residuals);
        let n = free.len();
        let product = |i: usize, j: usize| slopes[i].iter().zip(&slopes[j]).map(|(a, b)| a * b).sum::<f64>();
        let mut improved = None;
        while damping < 1e12 {
            let mut matrix = vec![vec![0.0; n + 1]; n];
            for i in 0..n {
                for j in 0..n {
                    matrix[i][j] = product(i, j) * if i == j { 1.0 + damping } else { 1.0 };
                }
                matrix[i][n] = -slopes[i].iter().zip(&here).map(|(a, r)| a * r).sum::<f64>();
            }
            let mut next = values.clone();
            if let Some(change) = solved(matrix) {
                for (k, more) in free.iter().zip(change) {
                    let Unknown { bounds: [low, high], vague, .. } = unknowns[*k];
                    next[*k] = (values[*k] + more.clamp(-vague, vague)).clamp(low, high);
                }
                let squares = sum(&residuals(&next));
                if squares < best {
                    improved = Some((next, squares));
                    break;
                }
            }
            damping *= 4.0;
        }
        let Some((next, squares)) = improved else { break };
        let done = best - squares <= CONVERGED * best;
        (values, best, damping) = (next, squares, damping * 0.25);
        if done {
            break;
        }
    }
    (values, best)
}

/// Derivatives of all residuals by each free unknown, by central differences within the bounds.
fn slopes(
    unknowns: &[Unknown],
    free: &[usize],
    values: &[f64],
    residuals: &impl Fn(&[f64]) -> Vec<f64>,
) -> Vec<Vec<f64>> {
    let by = |k: usize| {
        let [low, high] = unknowns[k].bounds;
        let step = 1e-5 * (high - low).min(1.0).max(values[k].abs());
        let at = |value: f64| {
            let mut moved = values.to_vec();
            moved[k] = value;
            residuals(&moved)
        };
        let [below, above] = [(values[k] - step).max(low), (values[k] + step).min(high)];
        let (less, more) = (at(below), at(above));
        less.iter().zip(more).map(|(a, b)| (b - a) / (above - below)).collect()
    };
    free.iter().map(|k| by(*k)).collect()
}

/// Half-widths of the 95 % intervals of the free unknowns, given the variance of residuals.
fn widths(
    unknowns: &[Unknown],
    free: &[usize],
    values: &[f64],
    variance: f64,
    freedom: usize,
    residuals: &impl Fn(&[f64]) -> Vec<f64>,
) -> Vec<f64> {
    let slopes = slopes(unknowns, free, values, residuals);
    let n = free.len();
    let times = t_quantile(0.05, freedom as f64);
    let width = |k: usize| {
        let row = |i: usize| {
            let mut row: Vec<f64> =
                (0..n).map(|j| slopes[i].iter().zip(&slopes[j]).map(|(a, b)| a * b).sum()).collect();
            row.push(if i == k { 1.0 } else { 0.0 });
            row
        };
        let inverse = solved((0..n).map(row).collect()).map_or(f64::INFINITY, |column| column[k]);
        let width = times * (variance * inverse).sqrt();
        if width.is_finite() { width } else { f64::INFINITY }
    };
    (0..n).map(width).collect()
}

/// Solve equations by elimination, given as rows with the right-hand side last; `None` if they are singular.
pub(crate) fn solved(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let n = rows.len();
    let largest: Vec<f64> = rows.iter().map(|row| row[..n].iter().fold(0.0, |m: f64, x| m.max(x.abs()))).collect();
    for k in 0..n {
        let pivot = (k..n).max_by(|a, b| rows[*a][k].abs().total_cmp(&rows[*b][k].abs()))?;
        rows.swap(k, pivot);
        if rows[k][k].abs() <= 1e-14 * largest[k] || !rows[k][k].is_finite() {
            return None;
        }
        for i in 0..n {
            if i != k {
                let factor = rows[i][k] / rows[k][k];
                for j in k..=n {
                    rows[i][j] -= factor * rows[k][j];
                }
            }
        }
    }
    Some((0..n).map(|k| rows[k][n] / rows[k][k]).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const WIDE: Unknown = Unknown { start: 1.0, bounds: [-100.0, 100.0], vague: 50.0 };

    /// A straight line through five points, with the closed forms of slope, intercept and their standard errors.
    #[test]
    fn a_line_is_fitted_as_the_textbook_does() {
        let (x, y) = ([0.0, 1.0, 2.0, 3.0, 4.0], [1.1, 2.9, 5.2, 6.8, 9.1]);
        let found = fit(&[WIDE, WIDE], |p| x.iter().zip(y).map(|(x, y)| p[0] + p[1] * x - y).collect()).unwrap();
        let (mean_x, mean_y) = (2.0, y.iter().sum::<f64>() / 5.0);
        let across: f64 = x.iter().map(|x| (x - mean_x) * (x - mean_x)).sum();
        let slope = x.iter().zip(y).map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>() / across;
        let [intercept, rise] = [found.estimates[0], found.estimates[1]];
        assert!((rise.value - slope).abs() < 1e-9 && (intercept.value - (mean_y - slope * mean_x)).abs() < 1e-9);
        let variance = found.squares / 3.0;
        // t of three degrees of freedom is 3.1824
        assert!((rise.within - 3.182_446 * (variance / across).sqrt()).abs() < 1e-5, "{rise:?}");
        let at_zero = variance * (1.0 / 5.0 + mean_x * mean_x / across);
        assert!((intercept.within - 3.182_446 * at_zero.sqrt()).abs() < 1e-5, "{intercept:?}");
    }

    #[test]
    fn what_the_data_do_not_tell_is_said() {
        // only the sum of both matters
        let found = fit(&[WIDE, WIDE], |p| [1.0, 2.0, 3.0].map(|x| (p[0] + p[1] - 5.0) * x + 1e-3 * (x - 2.0)).into());
        let found = found.unwrap();
        assert_eq!(found.estimates.iter().filter(|e| e.is_told()).count(), 1, "{found:?}");
        assert!((found.estimates[0].value + found.estimates[1].value - 5.0).abs() < 1e-2);
    }

    #[test]
    fn bounds_hold() {
        let narrow = Unknown { start: 0.5, bounds: [0.0, 1.0], vague: 50.0 };
        let found = fit(&[narrow], |p| vec![p[0] - 3.0, p[0] - 3.2]).unwrap();
        assert_eq!(found.estimates[0].value, 1.0);
    }
}
