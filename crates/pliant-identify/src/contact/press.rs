//! From a press: forces against depths, and rates of depth where times are known.

use super::{Press, plain};
use crate::fit::{Estimate, Fit, Unknown, fit};
use crate::found::{Found, Misfit, Number, Picture, REFUTED, judge};
use crate::table::MeasureError;

/// Find stiffness, damping and the depth at which contact begins.
pub(super) fn identify(rows: &[Press]) -> Result<Found, MeasureError> {
    if rows.len() < 5 {
        return Err(MeasureError::TooFew { count: rows.len(), least: 5 });
    }
    let depths: Vec<f64> = rows.iter().map(|row| row.depth).collect();
    let forces: Vec<f64> = rows.iter().map(|row| row.force).collect();
    let (low, high) = (
        depths.iter().copied().fold(f64::INFINITY, f64::min),
        depths.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    );
    let range = high - low;
    let most = forces.iter().copied().fold(0.0, f64::max);
    if range <= 0.0 || most <= 0.0 {
        return Err(MeasureError::Nothing { why: "forces at several depths are needed, positive where it is pressed" });
    }
    let times: Option<Vec<f64>> = rows.iter().map(|row| row.time).collect();
    if let Some(k) = times.as_ref().and_then(|t| t.windows(2).position(|pair| pair[1] <= pair[0])) {
        return Err(MeasureError::Text { line: k as u64 + 3, why: "times of a press must grow".into() });
    }
    let moving = times.map(|times| rates(&times, &depths));
    let speeds: &[f64] = moving.as_ref().map_or(&[], |moving| &moving.rates);
    let fastest = speeds.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    // in units of the largest force and depth: stiffness, where it begins, damping, exponent of depth
    let model = |v: &[f64], k: usize| {
        let depth = (depths[k] - low) / range - v[1];
        let rate = if fastest > 0.0 { v.get(2).map_or(0.0, |b| b * speeds[k] / fastest) } else { 0.0 };
        let spring = if v.len() > 3 { v[0] * depth.max(0.0).powf(v[3]) } else { v[0] * depth };
        if depth > 0.0 { most * (spring + rate).max(0.0) } else { 0.0 }
    };
    let residuals = |v: &[f64]| (0..rows.len()).map(|k| forces[k] - model(v, k)).collect::<Vec<f64>>();
    let fitted = |damped: bool| {
        let rates: &[f64] = if damped { &[0.0, 0.1, 0.3] } else { &[0.0] };
        let mut starts = vec![];
        for begin in (-4..10).map(|k| 0.1 * f64::from(k)) {
            starts.extend(rates.iter().map(|rate| vec![1.0 / (1.0 - begin), begin, *rate]));
        }
        let close = |a: &&Vec<f64>, b: &&Vec<f64>| size(&residuals(a)).total_cmp(&size(&residuals(b)));
        let steep = starts.iter().min_by(close).map_or(1.0, |start| start[0]);
        let mut unknowns = vec![
            // vague is a stiffness that may be half as large again
            Unknown { start: 1.0, bounds: [0.0, 1e4], vague: 0.5 * steep },
            Unknown { start: 0.0, bounds: [-20.0, 1.0], vague: 10.0 },
            Unknown { start: 0.0, bounds: [-5.0, 20.0], vague: 0.25 },
        ];
        if !damped {
            unknowns.truncate(2);
            starts.iter_mut().for_each(|start| start.truncate(2));
        }
        Some((plain(&unknowns, starts, &residuals)?, unknowns))
    };
    // a damping that is not told has no say in where contact begins
    let told = |(fit, _): &(Fit, Vec<Unknown>)| fit.estimates.iter().all(Estimate::is_told);
    let (found, unknowns) = (fastest > 0.0)
        .then(|| fitted(true))
        .flatten()
        .filter(told)
        .or_else(|| fitted(false))
        .filter(|(fit, _)| fit.estimates[0].is_told())
        .ok_or(MeasureError::Nothing { why: "forces well above the noise, at depths well apart, are needed" })?;
    let values: Vec<f64> = found.estimates.iter().map(|estimate| estimate.value).collect();
    let mut numbers = vec![Number::new("contact_stiffness", "N/m", found.estimates[0], |k| k.max(0.0) * most / range)];
    numbers.push(match (found.estimates.get(2), &moving) {
        (Some(estimate), Some(moving)) => {
            let number = Number::new("contact_damping", "N s/m", *estimate, |b| b * most / fastest);
            match moving.noise {
                part if part > 0.02 => number
                    .noted(format!("too small by about {:.0} %: depths scatter, and so do their rates", 100.0 * part)),
                _ => number,
            }
        }
        (_, moving) => {
            let note = match moving {
                None => "assumed: it takes the times of a press, in a column t",
                Some(_) => "assumed: it takes a press at different speeds",
            };
            Number::new("contact_damping", "N s/m", Estimate { value: 0.0, within: f64::INFINITY }, |b| b).noted(note)
        }
    });
    let touch = Number::new("touch", "m", found.estimates[1], |d| low + d * range);
    numbers.push(touch.noted("depth where contact begins"));
    let deviations = residuals(&values);
    let judged = |place: &dyn Fn(usize) -> f64| {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by(|a, b| place(*a).total_cmp(&place(*b)));
        judge(&order.iter().map(|k| deviations[*k]).collect::<Vec<f64>>(), unknowns.len())
    };
    // a wrong curve shows along the depth, what has memory in the order of time
    let misfit = judged(&|k| depths[k]).zip(judged(&|k| k as f64)).map(|(a, b)| {
        let worst = if a.probability < b.probability { a } else { b };
        Misfit { probability: (2.0 * worst.probability).min(1.0), ..worst }
    });
    if misfit.is_some_and(|misfit| misfit.probability < REFUTED) {
        numbers.extend(exponent(&unknowns, &values, &residuals));
    }
    // with speeds there is no single curve over the depth: the one in the order of measurement
    let curve = if values.len() > 2 {
        (0..rows.len()).map(|k| [depths[k], model(&values, k)]).collect()
    } else {
        let at = |k: i32| low + range * f64::from(k) / 200.0;
        (0..=200).map(|k| [at(k), most * values[0] * ((at(k) - low) / range - values[1]).max(0.0)]).collect()
    };
    Ok(Found {
        numbers,
        used: rows.len(),
        left_out: 0,
        deviation: (size(&deviations) / rows.len() as f64).sqrt(),
        unit: "N",
        misfit,
        picture: Picture {
            axes: ["depth [m]", "force [N]"],
            points: (0..rows.len()).map(|k| [depths[k], forces[k]]).collect(),
            left_out: vec![],
            curve,
        },
    })
}

fn size(residuals: &[f64]) -> f64 {
    residuals.iter().map(|r| r * r).sum()
}

/// The exponent of depth, if the data tell one: what is wrong with the law where it does not fit.
fn exponent(unknowns: &[Unknown], values: &[f64], residuals: &impl Fn(&[f64]) -> Vec<f64>) -> Option<Number> {
    let mut unknowns: Vec<Unknown> =
        unknowns.iter().zip(values).map(|(u, start)| Unknown { start: *start, ..*u }).collect();
    let count = unknowns.len();
    unknowns.push(Unknown { start: 1.0, bounds: [0.2, 5.0], vague: 0.4 });
    let whole = |v: &[f64]| {
        let mut all = v.to_vec();
        if count == 2 {
            all.insert(2, 0.0);
        }
        residuals(&all)
    };
    let found = fit(&unknowns, whole)?;
    let number = Number::new("exponent", "", found.estimates[count], |n| n);
    number
        .interval
        .is_some()
        .then(|| number.noted("of depth, left free since the law does not fit: 1 in it, 1.5 for a ball on a flat"))
}

/// Rates of change, and which part of their variance is noise.
struct Moving {
    rates: Vec<f64>,
    noise: f64,
}

/// Slopes of lines through neighbours in time: as many as it takes for noise not to matter.
fn rates(times: &[f64], depths: &[f64]) -> Moving {
    let n = times.len();
    let bends = depths.windows(3).map(|w| (w[0] - 2.0 * w[1] + w[2]).powi(2)).sum::<f64>();
    let noise = bends / (6.0 * (n - 2).max(1) as f64);
    let mut best = Moving { rates: vec![0.0; n], noise: 1.0 };
    for reach in 1..=(n / 20).max(1) {
        let mut rates = vec![];
        let mut scatter = 0.0;
        for k in 0..n {
            let near = k.saturating_sub(reach)..(k + reach + 1).min(n);
            let count = near.len() as f64;
            let mean = near.clone().map(|i| times[i]).sum::<f64>() / count;
            let across: f64 = near.clone().map(|i| (times[i] - mean).powi(2)).sum();
            rates.push(near.map(|i| (times[i] - mean) * depths[i]).sum::<f64>() / across);
            scatter += noise / across / n as f64;
        }
        let variance = rates.iter().map(|v| v * v).sum::<f64>() / n as f64;
        best = Moving { noise: if variance > 0.0 { (scatter / variance).min(1.0) } else { 1.0 }, rates };
        if best.noise < 0.01 {
            break;
        }
    }
    best
}
