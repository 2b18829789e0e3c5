//! Rest curvature of a cable that has been on a drum, from its shape where it lies free and flat: a circle through points in
//! any order, of which some may be wrong.

use std::f64::consts::PI;
use std::io::Read;

use crate::fit::{Estimate, Unknown};
use crate::found::{Found, Number, Picture, judge};
use crate::robust::robust;
use crate::table::{self, MeasureError, positive};

/// Points of a cable that lies flat [m].
pub fn read(from: impl Read) -> Result<Vec<[f64; 2]>, MeasureError> {
    let columns: [(&[&str], bool); 2] = [(&["x"], true), (&["y"], true)];
    let mut values = table::read(from, &columns, "x and y (m, where it lies flat)")?.into_iter().flatten();
    let (x, y) = (values.next().unwrap_or_default(), values.next().unwrap_or_default());
    Ok(x.into_iter().zip(y).map(|(x, y)| [x, y]).collect())
}

/// A circle, or a straight line: it passes at a distance from the middle of the points along a direction, and curves towards that
/// direction.
#[derive(Clone, Copy, Debug)]
struct Circle {
    /// Direction [rad].
    normal: f64,
    /// Distance [m].
    offset: f64,
    /// Curvature [1/m].
    curvature: f64,
}

impl Circle {
    /// Distance of a point from it, positive inside, and how far along it that is.
    fn distance(&self, p: [f64; 2]) -> (f64, f64) {
        let (sin, cos) = self.normal.sin_cos();
        let (u, v) = (cos * p[0] + sin * p[1] - self.offset, cos * p[1] - sin * p[0]);
        let k = self.curvature;
        // 1/k - |p - centre|, written so that it holds for k = 0 too
        let far = (1.0 - 2.0 * k * u + k * k * (u * u + v * v)).max(0.0).sqrt();
        let along = if k.abs() > 1e-9 { (k * v).atan2(1.0 - k * u) / k } else { v };
        ((2.0 * u - k * (u * u + v * v)) / (1.0 + far), along)
    }

    /// The place at an arc length from where it passes the middle.
    fn place(&self, along: f64) -> [f64; 2] {
        let (sin, cos) = self.normal.sin_cos();
        let k = self.curvature;
        let (v, u) = if k.abs() > 1e-9 { ((k * along).sin() / k, (1.0 - (k * along).cos()) / k) } else { (along, 0.0) };
        let u = u + self.offset;
        [cos * u - sin * v, sin * u + cos * v]
    }
}

/// Find the curvature of a cable that lies free and flat. With the radius of the drum it was on [m], to the centre line, also how much
/// of that curvature has stayed.
pub fn identify(points: &[[f64; 2]], drum: Option<f64>) -> Result<Found, MeasureError> {
    if let Some(drum) = drum {
        positive(&[("the drum's radius", drum)])?;
    }
    if points.len() < 6 {
        return Err(MeasureError::TooFew { count: points.len(), least: 6 });
    }
    // about the middle, so that few outliers hardly move it, in units of the spread
    let median = |k: usize| {
        let mut all: Vec<f64> = points.iter().map(|p| p[k]).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    let middle = [median(0), median(1)];
    let mut sizes: Vec<f64> = points.iter().map(|p| (p[0] - middle[0]).hypot(p[1] - middle[1])).collect();
    sizes.sort_by(f64::total_cmp);
    let size = sizes[sizes.len() * 3 / 4];
    if size <= 0.0 {
        return Err(MeasureError::Nothing { why: "points along the cable are needed" });
    }
    let near: Vec<[f64; 2]> = points.iter().map(|p| [0, 1].map(|k| (p[k] - middle[k]) / size)).collect();
    let circle = |v: &[f64]| Circle { normal: v[0], offset: v[1], curvature: v[2] };
    let residuals = |v: &[f64]| near.iter().map(|p| circle(v).distance(*p).0).collect::<Vec<f64>>();
    let mut starts = vec![];
    for normal in 0..24 {
        for curvature in [0.0, 0.3, 0.7, 1.0, 1.5] {
            for offset in [-1.0, -0.6, -0.3, 0.0, 0.3] {
                starts.push(vec![f64::from(normal) * PI / 12.0, offset, curvature]);
            }
        }
    }
    let unknowns = [
        Unknown { start: 0.0, bounds: [-10.0, 10.0], vague: 2.0 },
        Unknown { start: 0.0, bounds: [-10.0, 10.0], vague: 2.0 },
        Unknown { start: 0.0, bounds: [-10.0, 10.0], vague: 2.0 },
    ];
    let nothing = MeasureError::Nothing { why: "points along the cable are needed, not in a heap" };
    let found = robust(&unknowns, starts, residuals).ok_or(nothing)?;
    let values: Vec<f64> = found.fit.estimates.iter().map(|estimate| estimate.value).collect();
    let fitted = circle(&values);
    let along: Vec<(f64, f64)> = near.iter().map(|p| fitted.distance(*p)).collect();
    let mut order: Vec<usize> = (0..points.len()).filter(|k| found.used[*k]).collect();
    order.sort_by(|a, b| along[*a].1.total_cmp(&along[*b].1));
    let deviations: Vec<f64> = order.iter().map(|k| size * along[*k].0).collect();
    // which side it curves to is of no matter for a cable that can be turned over
    let Estimate { value, within } = found.fit.estimates[2];
    let estimate = Estimate { value: value.abs(), within };
    let mut number = Number::new("rest_curvature", "1/m", estimate, |value| value / size);
    number.interval = number.interval.map(|[low, high]| [low.max(0.0), high]);
    let mut numbers = vec![number.noted("of the unloaded cable: `rest` of its body")];
    if let Some(drum) = drum {
        let mut kept = Number::new("kept", "", estimate, |value| value / size * drum);
        kept.interval = kept.interval.map(|[low, high]| [low.max(0.0), high]);
        numbers.push(kept.noted("part of the drum's curvature that has stayed"));
    }
    let [first, last] = [order.first(), order.last()].map(|k| k.map_or(0.0, |k| along[*k].1));
    let place = |k: i32| {
        let [x, y] = fitted.place(first + (last - first) * f64::from(k) / 100.0);
        [middle[0] + size * x, middle[1] + size * y]
    };
    let left_out: Vec<[f64; 2]> = (0..points.len()).filter(|k| !found.used[*k]).map(|k| points[k]).collect();
    Ok(Found {
        numbers,
        used: order.len(),
        left_out: left_out.len(),
        deviation: size * (found.fit.squares / order.len() as f64).sqrt(),
        unit: "m",
        misfit: judge(&deviations, unknowns.len()),
        picture: Picture {
            axes: ["x [m]", "y [m]"],
            points: order.iter().map(|k| points[*k]).collect(),
            left_out,
            curve: (0..=100).map(place).collect(),
        },
    })
}
