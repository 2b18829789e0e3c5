//! Fits to measurements of which some are wrong altogether: a tracker that saw something else, a point beside the cable.

use crate::fit::{Fit, Unknown, fit, minimise};

/// Deviations beyond this many standard deviations are outliers; of normal ones, 1 in 2000.
const FAR: f64 = 3.5;
/// Where Tukey's weight vanishes, in standard deviations: 95 % as efficient as least squares without outliers.
const TUKEY: f64 = 4.685;
/// Rounds of weights.
const ROUNDS: usize = 12;
/// How many starts are followed.
const FOLLOWED: usize = 4;

/// The standard deviation of normal numbers by the median of their sizes.
pub(crate) fn scale(deviations: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = deviations.iter().map(|d| d.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    1.4826 * sizes.get(sizes.len() / 2).copied().unwrap_or(f64::INFINITY)
}

/// A fit that outliers do not draw.
pub(crate) struct Robust {
    /// The fit to all others.
    pub fit: Fit,
    /// Whether each measurement was used.
    pub used: Vec<bool>,
}

/// Fit unknowns to measurements, one residual each, from the best of several starts: first so that the median of deviations is
/// small, by weights (J. W. Tukey); then by least squares without the outliers. `None` where `fit` finds none.
pub(crate) fn robust(
    unknowns: &[Unknown],
    mut starts: Vec<Vec<f64>>,
    residuals: impl Fn(&[f64]) -> Vec<f64>,
) -> Option<Robust> {
    let spread = |values: &Vec<f64>| scale(&residuals(values));
    starts.retain(|start| spread(start).is_finite());
    starts.sort_by(|a, b| spread(a).total_cmp(&spread(b)));
    let free: Vec<usize> = (0..unknowns.len()).collect();
    let mut best: Option<(f64, Vec<f64>)> = None;
    for start in starts.into_iter().take(FOLLOWED) {
        let mut values = start;
        for _ in 0..ROUNDS {
            let deviations = residuals(&values);
            let wide = TUKEY * scale(&deviations).max(1e-300);
            let weight = |d: &f64| (1.0 - (d / wide).powi(2)).max(0.0);
            let weights: Vec<f64> = deviations.iter().map(weight).collect();
            let weighted = |v: &[f64]| residuals(v).iter().zip(&weights).map(|(d, w)| d * w).collect::<Vec<f64>>();
            let before: f64 = weighted(&values).iter().map(|d| d * d).sum();
            let (next, after) = minimise(unknowns, &free, values.clone(), before, &weighted);
            values = next;
            if before - after <= 1e-9 * before {
                break;
            }
        }
        let wide = spread(&values);
        if best.as_ref().is_none_or(|(least, _)| wide < *least) {
            best = Some((wide, values));
        }
    }
    let (wide, values) = best?;
    // exact data deviate by rounding alone
    let far = (FAR * wide).max(1e-12);
    let used: Vec<bool> = residuals(&values).iter().map(|d| d.abs() <= far).collect();
    let near: Vec<Unknown> = unknowns.iter().zip(&values).map(|(u, start)| Unknown { start: *start, ..*u }).collect();
    let kept =
        |v: &[f64]| residuals(v).into_iter().zip(&used).filter_map(|(d, used)| used.then_some(d)).collect::<Vec<f64>>();
    Some(Robust { fit: fit(&near, kept)?, used })
}
