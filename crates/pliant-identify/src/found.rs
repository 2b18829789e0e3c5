//! What an identification finds: numbers with intervals, what was left out, and whether the theory fits.

use serde::Serialize;

use crate::fit::Estimate;
use crate::statistics::t_tail;

/// A number found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Number {
    /// Name, as in scene files where it has one.
    pub name: &'static str,
    /// Best value; the one assumed if the data do not tell it.
    pub value: f64,
    /// 95 % interval; absent if the data do not tell it.
    pub interval: Option<[f64; 2]>,
    /// Unit.
    pub unit: &'static str,
    /// What has to be known of it, in a few words; empty if nothing.
    pub note: String,
}

impl Number {
    /// A number from its estimate, mapped by a function that grows.
    pub(crate) fn new(name: &'static str, unit: &'static str, estimate: Estimate, map: impl Fn(f64) -> f64) -> Number {
        let Estimate { value, within } = estimate;
        let interval = estimate.is_told().then(|| [map(value - within), map(value + within)]);
        Number { name, value: map(value), interval, unit, note: String::new() }
    }

    /// The number with a note.
    pub(crate) fn noted(self, note: impl Into<String>) -> Number {
        Number { note: note.into(), ..self }
    }
}

/// Whether the theory fits, judged by measurements next to each other: noise deviates this way and that, a wrong theory
/// the same way along a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Misfit {
    /// What neighbours deviate alike, root mean square, in the unit of the measurements.
    pub beyond: f64,
    /// Probability of neighbours as much alike as these if deviations were noise.
    pub probability: f64,
}

/// What is drawn of it: measurements, and the curve that was fitted.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Picture {
    /// What the axes are, with units.
    pub axes: [&'static str; 2],
    /// Measurements that were used.
    pub points: Vec<[f64; 2]>,
    /// Those that were left out as outliers.
    pub left_out: Vec<[f64; 2]>,
    /// The theory with the numbers found.
    pub curve: Vec<[f64; 2]>,
}

/// Result of an identification.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// All numbers.
    pub numbers: Vec<Number>,
    /// Number of measurements used, and of those left out as outliers.
    pub used: usize,
    /// Number of measurements left out.
    pub left_out: usize,
    /// Root mean square of the deviations of those used.
    pub deviation: f64,
    /// Unit of deviations.
    pub unit: &'static str,
    /// Whether the theory fits; absent where that cannot be judged.
    pub misfit: Option<Misfit>,
    /// Measurements and theory.
    pub picture: Picture,
}

impl Found {
    /// A number by its name.
    pub fn number(&self, name: &str) -> Option<&Number> {
        self.numbers.iter().find(|number| number.name == name)
    }

    /// Whether the theory is refuted by the data, at one in a hundred.
    pub fn is_refuted(&self) -> bool {
        self.misfit.is_some_and(|misfit| misfit.probability < REFUTED)
    }
}

/// Probability below which a theory is said not to fit.
pub(crate) const REFUTED: f64 = 0.01;

/// Judge deviations in their order along the curve or in time, after a fit of some unknowns: by the correlation of
/// neighbours, which for noise is normal with variance 1/n (J. von Neumann). `None` for fewer than ten.
pub(crate) fn judge(deviations: &[f64], unknowns: usize) -> Option<Misfit> {
    let n = deviations.len();
    if n < 10 + unknowns {
        return None;
    }
    let squares: f64 = deviations.iter().map(|d| d * d).sum();
    let alike: f64 = deviations.windows(2).map(|pair| pair[0] * pair[1]).sum();
    if squares <= 0.0 {
        return Some(Misfit { beyond: 0.0, probability: 1.0 });
    }
    let correlation = alike / squares;
    let size = correlation * (n as f64).sqrt();
    let tail = 0.5 * t_tail(size, n as f64);
    let probability = if size > 0.0 { tail } else { 1.0 - tail };
    Some(Misfit { beyond: (alike.max(0.0) / n as f64).sqrt(), probability })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_trend_is_told_from_noise() {
        let noise: Vec<f64> =
            (0..200u32).map(|k| f64::from(k.wrapping_mul(2_654_435_761) >> 8) / 8.4e6 - 1.0).collect();
        assert!(judge(&noise, 2).unwrap().probability > 0.01);
        let bent: Vec<f64> = noise.iter().enumerate().map(|(k, d)| d + (0.05 * k as f64).sin()).collect();
        let told = judge(&bent, 2).unwrap();
        // the mean square of a sine is a half
        assert!(told.probability < 1e-4 && (told.beyond - 0.5_f64.sqrt()).abs() < 0.15, "{told:?}");
        assert!(judge(&noise[..8], 2).is_none());
    }
}
