//! Friction from a slope: the angles at which something begins to slide, tan(alpha) = mu; or how it slides down,
//! s'' = g (sin(alpha) - mu cos(alpha)).

use std::io::Read;

use crate::GRAVITY;
use crate::fit::{Estimate, Unknown, fit};
use crate::found::{Found, Number, Picture, judge};
use crate::statistics::t_quantile;
use crate::table::{self, MeasureError};

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub enum Slope {
    /// Angles at which it began to slide [rad].
    Onset(Vec<f64>),
    /// Slides: the angle [rad] of each with times [s] and distances [m].
    Slides(Vec<Slide>),
}

/// One slide down.
#[derive(Clone, Debug, PartialEq)]
pub struct Slide {
    /// Angle of the slope [rad].
    pub angle: f64,
    /// Times [s] and distances down the slope [m].
    pub track: Vec<[f64; 2]>,
}

/// Read a table: a column `angle` (rad) or `angle_deg`; for slides also `t` (s) and `s` (m), rows of one angle next to each other
/// and a slide over where the time goes back.
pub fn read(from: impl Read) -> Result<Slope, MeasureError> {
    let columns: [(&[&str], bool); 4] =
        [(&["angle"], false), (&["angle_deg"], false), (&["t", "time"], false), (&["s", "distance"], false)];
    let expected = "angle (rad) or angle_deg, and for slides t (s) and s (m)";
    let mut values = table::read(from, &columns, expected)?.into_iter();
    let mut next = || values.next().flatten();
    let (radians, degrees, times, ways) = (next(), next(), next(), next());
    let angles = match (radians, degrees) {
        (Some(angles), _) => angles,
        (None, Some(angles)) => angles.into_iter().map(f64::to_radians).collect(),
        _ => {
            let column = "angle".to_string();
            return Err(MeasureError::NoColumn { column, expected, found: "neither".into() });
        }
    };
    if let Some(line) = angles.iter().position(|angle| !(*angle > 0.0 && *angle < std::f64::consts::FRAC_PI_2)) {
        let why = format!("the angle of measurement {} is not between 0 and 90 degrees", line + 1);
        return Err(MeasureError::Text { line: line as u64 + 2, why });
    }
    let (Some(times), Some(ways)) = (times, ways) else { return Ok(Slope::Onset(angles)) };
    let mut slides: Vec<Slide> = vec![];
    for ((angle, time), way) in angles.into_iter().zip(times).zip(ways) {
        match slides.last_mut() {
            Some(slide) if slide.angle == angle && slide.track.last().is_some_and(|last| last[0] < time) => {
                slide.track.push([time, way]);
            }
            _ => slides.push(Slide { angle, track: vec![[time, way]] }),
        }
    }
    Ok(Slope::Slides(slides))
}

/// Find the coefficient of friction.
pub fn identify(measured: &Slope) -> Result<Found, MeasureError> {
    match measured {
        Slope::Onset(angles) => onset(angles),
        Slope::Slides(slides) => sliding(slides),
    }
}

/// The mean of the tangents, with Student's interval.
fn onset(angles: &[f64]) -> Result<Found, MeasureError> {
    let n = angles.len();
    if n < 3 {
        return Err(MeasureError::TooFew { count: n, least: 3 });
    }
    let tangents: Vec<f64> = angles.iter().map(|angle| angle.tan()).collect();
    let mean = tangents.iter().sum::<f64>() / n as f64;
    let squares: f64 = tangents.iter().map(|t| (t - mean).powi(2)).sum();
    let freedom = (n - 1) as f64;
    let within = t_quantile(0.05, freedom) * (squares / freedom / n as f64).sqrt();
    let number = Number::new("friction.coefficient", "", Estimate { value: mean, within }, |value| value);
    let deviations: Vec<f64> = tangents.iter().map(|t| t - mean).collect();
    let at = |k: usize| [k as f64 + 1.0, tangents[k]];
    Ok(Found {
        numbers: vec![number.noted("at rest: it begins to slide there")],
        used: n,
        left_out: 0,
        deviation: (squares / n as f64).sqrt(),
        unit: "",
        // angles that drift tell of a surface that wears, or of dirt
        misfit: judge(&deviations, 1),
        picture: Picture {
            axes: ["measurement", "tan(angle)"],
            points: (0..n).map(at).collect(),
            left_out: vec![],
            curve: vec![[0.5, mean], [n as f64 + 0.5, mean]],
        },
    })
}

/// All slides with one coefficient; each has a place and a velocity at its start.
fn sliding(slides: &[Slide]) -> Result<Found, MeasureError> {
    let count: usize = slides.iter().map(|slide| slide.track.len()).sum();
    let least = 2 * slides.len() + 4;
    if count < least || slides.iter().any(|slide| slide.track.len() < 3) {
        return Err(MeasureError::TooFew { count, least });
    }
    // without friction as a start, from what the track has at its ends
    let mut unknowns = vec![Unknown { start: 0.3, bounds: [0.0, 5.0], vague: 0.5 }];
    for Slide { track, .. } in slides {
        let (first, last) = (track[0], track[track.len() - 1]);
        let size = (last[1] - first[1]).abs().max(1e-3);
        let speed = size / (last[0] - first[0]);
        unknowns.push(Unknown {
            start: first[1],
            bounds: [first[1] - 10.0 * size, first[1] + 10.0 * size],
            vague: 1e3 * size,
        });
        unknowns.push(Unknown { start: 0.0, bounds: [-20.0 * speed, 20.0 * speed], vague: 1e3 * speed });
    }
    let way = |values: &[f64], k: usize, time: f64| {
        let Slide { angle, track } = &slides[k];
        let pull = GRAVITY * (angle.sin() - values[0] * angle.cos());
        let t = time - track[0][0];
        values[1 + 2 * k] + values[2 + 2 * k] * t + 0.5 * pull * t * t
    };
    let residuals = |values: &[f64]| -> Vec<f64> {
        let of = |k: usize| slides[k].track.iter().map(move |[time, s]| s - way(values, k, *time));
        (0..slides.len()).flat_map(of).collect()
    };
    let found = fit(&unknowns, residuals)
        .filter(|found| found.estimates[0].is_told())
        .ok_or(MeasureError::Nothing { why: "slides long enough for their acceleration to show are needed" })?;
    let values: Vec<f64> = found.estimates.iter().map(|estimate| estimate.value).collect();
    let number = Number::new("friction.coefficient", "", found.estimates[0], |value| value);
    let first = &slides[0];
    let span = first.track[first.track.len() - 1][0] - first.track[0][0];
    let at = |k: i32| first.track[0][0] + span * f64::from(k) / 100.0;
    Ok(Found {
        numbers: vec![number.noted("while it slides")],
        used: count,
        left_out: 0,
        deviation: (found.squares / count as f64).sqrt(),
        unit: "m",
        misfit: judge(&residuals(&values), unknowns.len()),
        picture: Picture {
            axes: ["t [s]", "s [m]"],
            points: slides.iter().flat_map(|slide| slide.track.clone()).collect(),
            left_out: vec![],
            curve: (0..=100).map(|k| [at(k), way(&values, 0, at(k))]).collect(),
        },
    })
}
