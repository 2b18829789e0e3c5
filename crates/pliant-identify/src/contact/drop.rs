//! From a drop: the whole track, heights of bounces, or times of contact.
//!
//! Bounces tell the damping over the critical one, on which restitution depends alone; how long a contact lasts tells the stiffness, and
//! only where measurements are close enough in time to see it.

use super::best;
use super::bounce::{Bounces, Voigt, restitution};
use crate::GRAVITY;
use crate::fit::{Estimate, Fit, Unknown, fit};
use crate::found::{Found, Misfit, Number, Picture, judge};
use crate::table::MeasureError;

/// Largest damping over critical damping that is looked for.
const ZETA: [f64; 2] = [0.0, 3.0];
/// Half-widths beyond which nothing is told: a factor of 2 in stiffness, and a quarter of critical damping.
const VAGUE: [f64; 2] = [0.35, 0.25];

fn unknown_omega(start: f64) -> Unknown {
    Unknown { start, bounds: [start - 7.0, start + 7.0], vague: VAGUE[0] }
}

fn unknown_zeta(start: f64) -> Unknown {
    Unknown { start, bounds: ZETA, vague: VAGUE[1] }
}

fn unknown_scale(start: f64, size: f64) -> Unknown {
    Unknown { start, bounds: [start - 20.0 * size, start + 20.0 * size], vague: 1e3 * size }
}

/// The damping over critical damping with this restitution, by bisection.
fn zeta_of(wanted: f64) -> f64 {
    let [mut low, mut high] = ZETA;
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if restitution(middle) > wanted { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Restitutions to begin with.
fn restitutions() -> impl Iterator<Item = f64> {
    (0..24).map(|k| 0.06 + 0.04 * f64::from(k))
}

/// From heights over time, one drop or several.
pub(super) fn from_tracks(drops: &[Vec<[f64; 2]>], mass: f64, given: Option<f64>) -> Result<Found, MeasureError> {
    let count: usize = drops.iter().map(Vec::len).sum();
    let least = 10 + 2 * drops.len();
    if count < least {
        return Err(MeasureError::TooFew { count, least });
    }
    if let Some(few) = drops.iter().find(|drop| drop.len() < 5) {
        return Err(MeasureError::TooFew { count: few.len(), least: 5 });
    }
    let heights = || drops.iter().flatten().map(|p| p[1]);
    let (low, high) = (heights().fold(f64::INFINITY, f64::min), heights().fold(f64::NEG_INFINITY, f64::max));
    let range = high - low;
    let span = drops.iter().map(|drop| drop[drop.len() - 1][0] - drop[0][0]).fold(0.0, f64::max);
    if range <= 0.0 {
        return Err(MeasureError::Nothing { why: "the height never changes" });
    }
    // unknowns: ln omega, zeta, the floor, then height and velocity of each drop where it begins
    let motion = |v: &[f64], k: usize| {
        let drop = &drops[k];
        let until = drop[drop.len() - 1][0] - drop[0][0] + 1e-9;
        Bounces::new(Voigt { omega: v[0].exp(), zeta: v[1] }, GRAVITY, [v[3 + 2 * k] - v[2], v[4 + 2 * k]], until)
    };
    let residuals = |v: &[f64]| -> Vec<f64> {
        let of = |k: usize| {
            let motion = motion(v, k);
            drops[k].iter().map(move |[t, z]| z - v[2] - motion.height(t - drops[k][0][0])).collect::<Vec<f64>>()
        };
        (0..drops.len()).flat_map(of).collect()
    };
    let begins: Vec<[f64; 2]> = drops.iter().map(|drop| thrown(drop, low + 0.25 * range)).collect();
    let speed = (2.0 * GRAVITY * range).sqrt();
    // contacts from a hundredth to a third of a fall
    let slowest = 3.0 * GRAVITY / speed;
    let mut starts = vec![];
    for omega in [1.0, 3.0, 10.0, 30.0].map(|times| times * slowest) {
        for zeta in restitutions().map(zeta_of) {
            // noise, and depth, put the lowest point below the floor
            for floor in [0.0, 0.04, 0.12].map(|part| low + part * range) {
                let mut start = vec![given.map_or(omega, |k| (k / mass).sqrt()).ln(), zeta, floor];
                start.extend(begins.iter().flatten());
                starts.push(start);
            }
        }
        if given.is_some() {
            break;
        }
    }
    let first = given.map_or(8.0 * slowest, |k| (k / mass).sqrt());
    let mut unknowns = vec![unknown_omega(first.ln()), unknown_zeta(0.2), unknown_scale(low, range)];
    for [z, v] in &begins {
        unknowns.extend([unknown_scale(*z, range), unknown_scale(*v, speed)]);
    }
    let why = "a fall and at least one bounce, well above the noise, are needed";
    let (found, used) = best(&unknowns, starts, &residuals).ok_or(MeasureError::Nothing { why })?;
    let kept = |v: &[f64]| -> Vec<f64> {
        residuals(v).into_iter().zip(&used).filter_map(|(r, used)| used.then_some(r)).collect()
    };
    let found = whatever_stiffness(found, &unknowns, given.map(|k| 0.5 * (k / mass).ln()), &kept);
    let found = found.filter(|found| found.estimates[1].is_told()).ok_or(MeasureError::Nothing { why })?;
    let values: Vec<f64> = found.estimates.iter().map(|estimate| estimate.value).collect();
    if (0..drops.len()).all(|k| motion(&values, k).touches().next().is_none()) {
        return Err(MeasureError::Nothing { why });
    }
    let mut numbers = told(&found, &unknowns, mass, given.is_some(), &kept);
    numbers.push(Number::new("floor", "m", found.estimates[2], |z| z).noted("where contact begins"));
    let deviations = kept(&values);
    let points: Vec<[f64; 2]> = drops.iter().flatten().copied().collect();
    let [here, gone] = [true, false].map(|wanted| {
        points.iter().zip(&used).filter(|(_, used)| **used == wanted).map(|(p, _)| *p).collect::<Vec<[f64; 2]>>()
    });
    let (curve, begin) = (motion(&values, 0), drops[0][0][0]);
    let at = |k: i32| span * f64::from(k) / 800.0;
    Ok(Found {
        numbers,
        used: here.len(),
        left_out: gone.len(),
        deviation: rms(&deviations),
        unit: "m",
        misfit: judge(&deviations, unknowns.len()),
        picture: Picture {
            axes: ["t [s]", "height [m]"],
            points: here,
            left_out: gone,
            curve: (0..=800).map(|k| [begin + at(k), values[2] + curve.height(at(k))]).collect(),
        },
    })
}

fn rms(deviations: &[f64]) -> f64 {
    (deviations.iter().map(|d| d * d).sum::<f64>() / deviations.len().max(1) as f64).sqrt()
}

/// Height and velocity with which a track begins, from what is before it first comes low.
fn thrown(drop: &[[f64; 2]], low: f64) -> [f64; 2] {
    let count = drop.iter().position(|p| p[1] < low).unwrap_or(drop.len());
    let begin = drop[0][0];
    // z + g t^2 / 2 is a straight line
    let line: Vec<[f64; 2]> =
        drop[..count].iter().map(|[t, z]| [t - begin, z + 0.5 * GRAVITY * (t - begin).powi(2)]).collect();
    let n = line.len() as f64;
    let mean = [0, 1].map(|i| line.iter().map(|p| p[i]).sum::<f64>() / n);
    let across: f64 = line.iter().map(|p| (p[0] - mean[0]).powi(2)).sum();
    if count < 4 || across <= 0.0 {
        return [drop[0][1], 0.0];
    }
    let velocity = line.iter().map(|p| (p[0] - mean[0]) * (p[1] - mean[1])).sum::<f64>() / across;
    [mean[1] - velocity * mean[0], velocity]
}

/// A fit that does not tell the stiffness, with that as given; or, where nothing is given, with an interval of the ratio of damping that
/// holds for every stiffness that leaves about as little.
fn whatever_stiffness(
    found: Fit,
    unknowns: &[Unknown],
    given: Option<f64>,
    residuals: &impl Fn(&[f64]) -> Vec<f64>,
) -> Option<Fit> {
    let Estimate { value: here, within } = found.estimates[0];
    if within.is_finite() {
        return Some(found);
    }
    let near: Vec<Unknown> =
        unknowns[1..].iter().zip(&found.estimates[1..]).map(|(u, e)| Unknown { start: e.value, ..*u }).collect();
    let held = |log: f64| {
        let whole = |v: &[f64]| residuals(&[&[log], v].concat());
        let mut fit = fit(&near, whole)?;
        fit.estimates.insert(0, Estimate { value: log, within: f64::INFINITY });
        Some(fit)
    };
    if let Some(log) = given {
        return held(log);
    }
    // where it was to begin, if that leaves about as little
    let mut best = held(here)?;
    if let Some(first) =
        held(unknowns[0].start).filter(|first| first.squares <= best.squares * (1.0 + 1.0 / best.freedom as f64))
    {
        best = first;
    }
    let here = best.estimates[0].value;
    let mean = best.squares / best.freedom as f64;
    let ends = |fit: &Fit| [-1.0, 1.0].map(|side| fit.estimates[1].value + side * fit.estimates[1].within);
    let [mut low, mut high] = ends(&best);
    for by in [-1.4, -0.7, 0.7, 1.4, 3.0, 5.0] {
        // within two standard deviations: the sum of squares is four variances larger
        if let Some(other) = held(here + by).filter(|other| other.squares <= best.squares + 4.0 * mean) {
            let [down, up] = ends(&other);
            (low, high) = (low.min(down), high.max(up));
        }
    }
    let ratio = &mut best.estimates[1];
    ratio.within = (high - ratio.value).max(ratio.value - low);
    Some(best)
}

/// What a fit of ln omega and zeta, the first two of its unknowns, says in the terms of a scene.
fn told(
    found: &Fit,
    unknowns: &[Unknown],
    mass: f64,
    given: bool,
    residuals: &impl Fn(&[f64]) -> Vec<f64>,
) -> Vec<Number> {
    let [log, ratio] = [found.estimates[0], found.estimates[1]];
    let omega = log.value.exp();
    // the damping itself has an interval of its own, since both numbers err together: fit it in place of the ratio
    let again = |v: &[f64]| -> Vec<f64> {
        let mut values = v.to_vec();
        values[1] = (v[1] * (log.value - v[0]).exp()).clamp(ZETA[0], 10.0 * ZETA[1]);
        residuals(&values)
    };
    let near: Vec<Unknown> =
        unknowns.iter().zip(&found.estimates).map(|(u, e)| Unknown { start: e.value, ..*u }).collect();
    let refit = log.is_told().then(|| fit(&near, again)).flatten();
    let damping = refit.map_or(Estimate { value: ratio.value, within: f64::INFINITY }, |fit| fit.estimates[1]);
    let full = |ratio: f64| 2.0 * mass * omega * ratio.max(0.0);
    let [stiffness_note, damping_note] = match (log.is_told(), given) {
        (true, _) => ["", ""],
        (false, true) => {
            ["as given: contacts are too short for these data to tell", "for this stiffness; it grows with its root"]
        }
        (false, false) => {
            ["assumed: contacts are too short for these data to tell", "for this stiffness; it grows with its root"]
        }
    };
    let [low, high] = [ratio.value - ratio.within, ratio.value + ratio.within].map(|zeta| zeta.clamp(ZETA[0], ZETA[1]));
    vec![
        Number::new("contact_stiffness", "N/m", log, |log| mass * (2.0 * log).exp()).noted(stiffness_note),
        Number::new("contact_damping", "N s/m", damping, full).noted(damping_note),
        Number::new("damping_ratio", "", ratio, |zeta| zeta.max(0.0)).noted("over critical damping"),
        Number {
            name: "restitution",
            value: restitution(ratio.value),
            interval: ratio.is_told().then(|| [restitution(high), restitution(low)]),
            unit: "",
            note: "of a fast bounce".into(),
        },
    ]
}

/// So stiff that gravity hardly acts while a body of this speed touches, if nothing else is known.
fn stiff(speed: f64, mass: f64, given: Option<f64>) -> f64 {
    given.map_or(100.0 * GRAVITY / speed, |k| (k / mass).sqrt())
}

/// From heights of one bounce after the other; they do not tell stiffness.
pub(super) fn from_apexes(heights: &[f64], mass: f64, given: Option<f64>) -> Result<Found, MeasureError> {
    let n = heights.len();
    if n < 4 {
        return Err(MeasureError::TooFew { count: n, least: 4 });
    }
    if let Some(k) = heights.iter().position(|h| *h <= 0.0) {
        let why = format!("the height of bounce {k} must be positive");
        return Err(MeasureError::Text { line: k as u64 + 2, why });
    }
    let speed = (2.0 * GRAVITY * heights[0]).sqrt();
    let omega = stiff(speed, mass, given);
    let apexes = |v: &[f64]| -> Vec<f64> {
        let voigt = Voigt { omega: v[0].exp(), zeta: v[1] };
        let motion = Bounces::limited(voigt, GRAVITY, [v[2].max(1e-9), 0.0], f64::INFINITY, n);
        std::iter::once(v[2]).chain(motion.apexes().chain(std::iter::repeat(0.0))).take(n).collect()
    };
    // heights fall by orders of magnitude: deviations relative to each
    let residuals =
        |v: &[f64]| apexes(v).iter().zip(heights).map(|(model, h)| (h / model.max(1e-9)).ln()).collect::<Vec<f64>>();
    let height = heights[0];
    let log = omega.ln();
    let unknowns = [
        unknown_omega(log),
        unknown_zeta(0.2),
        Unknown { start: height, bounds: [0.1 * height, 10.0 * height], vague: 1e3 * height },
    ];
    let starts = restitutions().map(|e| vec![zeta_of(e), height]).collect();
    let why = "heights of several bounces are needed";
    // stiffness hardly matters to heights: it is not looked for
    let stiff = |v: &[f64]| residuals(&[&[log], v].concat());
    let (mut found, used) = best(&unknowns[1..], starts, &stiff).ok_or(MeasureError::Nothing { why })?;
    found.estimates.insert(0, Estimate { value: log, within: f64::INFINITY });
    let kept = |v: &[f64]| -> Vec<f64> {
        residuals(v).into_iter().zip(&used).filter_map(|(r, used)| used.then_some(r)).collect()
    };
    let found = whatever_stiffness(found, &unknowns, given.map(|_| log), &kept);
    let found = found.filter(|found| found.estimates[1].is_told()).ok_or(MeasureError::Nothing { why })?;
    let numbers = told(&found, &unknowns, mass, given.is_some(), &kept);
    let values: Vec<f64> = found.estimates.iter().map(|estimate| estimate.value).collect();
    let curve: Vec<f64> = apexes(&values);
    Ok(listed(numbers, heights, &curve, &used, &residuals(&values), 2, ["bounce", "height [m]"]))
}

/// From times of contact.
pub(super) fn from_touches(times: &[f64], mass: f64, given: Option<f64>) -> Result<Found, MeasureError> {
    let n = times.len();
    if n < 5 {
        return Err(MeasureError::TooFew { count: n, least: 5 });
    }
    let apart: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    if let Some(k) = apart.iter().position(|t| *t <= 0.0) {
        return Err(MeasureError::Text { line: k as u64 + 3, why: "times of contact must grow".into() });
    }
    let begin = times[0];
    let until = 2.0 * (times[n - 1] - begin) + 1.0;
    let touches = |v: &[f64]| -> Vec<f64> {
        let voigt = Voigt { omega: v[0].exp(), zeta: v[1] };
        let motion = Bounces::limited(voigt, GRAVITY, [0.0, -v[2].max(1e-9)], until, n);
        let mut last = 0.0;
        let mut list: Vec<f64> = motion.touches().take(n).inspect(|t| last = *t).collect();
        list.resize(n, last);
        list.iter().map(|t| begin + v[3] + t).collect()
    };
    let residuals = |v: &[f64]| touches(v).iter().zip(times).map(|(model, t)| t - model).collect::<Vec<f64>>();
    // v e is half the time of flight
    let mut starts = vec![];
    let leaves = 0.5 * GRAVITY * apart[0];
    for e in restitutions() {
        let omega = stiff(leaves, mass, given);
        for part in [0.1, 0.3, 1.0] {
            let omega = if given.is_some() { omega } else { omega * part };
            starts.push(vec![omega.ln(), zeta_of(e), leaves / e, 0.0]);
        }
    }
    let unknowns = [
        unknown_omega(stiff(leaves, mass, given).ln()),
        unknown_zeta(0.2),
        Unknown { start: leaves, bounds: [0.01 * leaves, 100.0 * leaves], vague: 1e3 * leaves },
        unknown_scale(0.0, apart[0]),
    ];
    let why = "times of several bounces, none left out, are needed";
    let (found, used) = best(&unknowns, starts, &residuals).ok_or(MeasureError::Nothing { why })?;
    let kept = |v: &[f64]| -> Vec<f64> {
        residuals(v).into_iter().zip(&used).filter_map(|(r, used)| used.then_some(r)).collect()
    };
    let found = whatever_stiffness(found, &unknowns, given.map(|k| 0.5 * (k / mass).ln()), &kept);
    let found = found.filter(|found| found.estimates[1].is_told()).ok_or(MeasureError::Nothing { why })?;
    let values: Vec<f64> = found.estimates.iter().map(|estimate| estimate.value).collect();
    let numbers = told(&found, &unknowns, mass, given.is_some(), &kept);
    Ok(listed(numbers, times, &touches(&values), &used, &residuals(&values), 4, ["bounce", "t [s]"]))
}

/// A result of values in a row, one for each bounce.
fn listed(
    numbers: Vec<Number>,
    measured: &[f64],
    theory: &[f64],
    used: &[bool],
    deviations: &[f64],
    unknowns: usize,
    axes: [&'static str; 2],
) -> Found {
    let rows = |list: &[f64], wanted: bool| -> Vec<[f64; 2]> {
        let place = |k: usize| [k as f64, list[k]];
        (0..list.len()).filter(|k| used[*k] == wanted).map(place).collect()
    };
    let kept: Vec<f64> = deviations.iter().zip(used).filter_map(|(d, used)| used.then_some(*d)).collect();
    let misfit: Option<Misfit> = judge(&kept, unknowns);
    Found {
        numbers,
        used: kept.len(),
        left_out: deviations.len() - kept.len(),
        deviation: rms(&kept),
        unit: if axes[1].ends_with("[m]") { "of each height" } else { "s" },
        misfit,
        picture: Picture {
            axes,
            points: rows(measured, true),
            left_out: rows(measured, false),
            curve: (0..theory.len()).map(|k| [k as f64, theory[k]]).collect(),
        },
    }
}
