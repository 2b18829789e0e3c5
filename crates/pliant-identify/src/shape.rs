//! Bending stiffness, and rest curvature, from the shape of a cable that is clamped at one end and hangs from there.
//!
//! A heavy elastica in a vertical plane: with the angle theta above the horizontal, weight w per length and the distance sigma
//! from the free end, EI theta'' = w sigma cos(theta); at the free end theta' is the rest curvature. What shapes tell is the
//! ratio EI/w, a length to the power of three. Points of the shape count by their distance from the curve, so that their order
//! does not matter, nor which parts were seen.

use std::f64::consts::{FRAC_PI_2, PI};
use std::io::Read;

use crate::GRAVITY;
use crate::fit::{Estimate, Unknown};
use crate::found::{Found, Number, Picture, judge};
use crate::robust::robust;
use crate::table::{self, MeasureError, positive};

/// What is known beforehand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hanging {
    /// Length from the clamp to the free end [m].
    pub length: f64,
    /// Mass per length [kg/m].
    pub mass: f64,
    /// Radius, from which Young's modulus of a solid round cable follows [m].
    pub radius: Option<f64>,
    /// Angle of the cable above the horizontal where it leaves the clamp [rad]; found from the points if `None`.
    pub angle: Option<f64>,
    /// Whether the unloaded cable may be curved, as one that has been on a drum.
    pub curved: bool,
}

/// The shape of a heavy rod, from its free end to the clamp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Length [m].
    pub length: f64,
    /// EI / w [m3].
    pub stiffness: f64,
    /// Curvature without load, upwards positive [1/m].
    pub curvature: f64,
    /// Angle above the horizontal at the free end [rad].
    pub tip: f64,
}

/// Largest angle at a clamp, up or down [rad].
const STEEPEST: f64 = 1.55;

/// Pieces of the curve.
const PIECES: usize = 80;

impl Shape {
    /// Places along the curve from the clamp at the origin to the free end, x away from the clamp and z upwards [m], and the
    /// angle at the clamp [rad].
    pub fn curve(&self) -> (Vec<[f64; 2]>, f64) {
        let h = self.length / PIECES as f64;
        let pull = 1.0 / self.stiffness;
        let rate = |[sigma, theta, turn]: [f64; 3]| [1.0, turn, pull * sigma * theta.cos()];
        let mut state = [0.0, self.tip, -self.curvature];
        let mut angles = vec![self.tip];
        for _ in 0..PIECES {
            // Runge and Kutta's method
            let add = |k: [f64; 3], part: f64| -> [f64; 3] { std::array::from_fn(|i| state[i] + part * h * k[i]) };
            let a = rate(state);
            let b = rate(add(a, 0.5));
            let c = rate(add(b, 0.5));
            let d = rate(add(c, 1.0));
            state = std::array::from_fn(|i| state[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
            angles.push(state[1]);
        }
        angles.reverse();
        let mut at = [0.0, 0.0];
        let mut places = vec![at];
        for pair in angles.windows(2) {
            // chords of arcs, to third order
            let (middle, half) = (0.5 * (pair[0] + pair[1]), 0.5 * (pair[1] - pair[0]));
            let chord = h * (1.0 - half * half / 6.0);
            at = [at[0] + chord * middle.cos(), at[1] + chord * middle.sin()];
            places.push(at);
        }
        (places, angles[0])
    }

    /// The shape with the tip turned so that the angle at the clamp is given: the branch that grows from a stiff rod. Its tip is NaN
    /// if there is none.
    pub fn clamped(self, angle: f64) -> Shape {
        let off = |tip: f64| Shape { tip, ..self }.curve().1 - angle;
        let stiff = angle + self.curvature * self.length;
        // the tip hangs lower than that of a stiff rod, and not beyond straight down by more than it curls
        let low = -FRAC_PI_2 - (self.curvature * self.length).abs() - 0.5;
        let mut before = (stiff, off(stiff));
        for k in 1..=SCANS {
            let tip = stiff + (low - stiff) * f64::from(k) / f64::from(SCANS);
            let here = (tip, off(tip));
            if here.1.is_finite() && before.1.is_finite() && (here.1 > 0.0) != (before.1 > 0.0) {
                return Shape { tip: root(off, here, before), ..self };
            }
            before = here;
        }
        Shape { tip: f64::NAN, ..self }
    }
}

/// Places of the tip that are tried first.
const SCANS: u32 = 16;

/// The root between two places with values of different sign, by false position with the weights of the Illinois rule.
fn root(of: impl Fn(f64) -> f64, mut a: (f64, f64), mut b: (f64, f64)) -> f64 {
    for _ in 0..60 {
        let next = b.0 - b.1 * (b.0 - a.0) / (b.1 - a.1);
        let value = of(next);
        if value == 0.0 || (next - b.0).abs() < 1e-13 {
            return next;
        }
        a = if (value > 0.0) == (b.1 > 0.0) { (a.0, 0.5 * a.1) } else { b };
        b = (next, value);
    }
    b.0
}

/// How far a curve goes on straight beyond its ends, in parts of its length: noise takes points there, but one that is farther off would
/// weigh as a long lever does.
const BEYOND: f64 = 0.1;

/// Distances of points from a curve [m], positive on its left, and how far along it each is nearest.
pub(crate) fn distances(points: &[[f64; 2]], curve: &[[f64; 2]]) -> Vec<(f64, f64)> {
    let of = |p: &[f64; 2]| {
        let mut best = (f64::INFINITY, f64::NAN, 0.0);
        for (k, pair) in curve.windows(2).enumerate() {
            let along = [pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]];
            let from = [p[0] - pair[0][0], p[1] - pair[0][1]];
            let square = along[0] * along[0] + along[1] * along[1];
            let mut part = (from[0] * along[0] + from[1] * along[1]) / square;
            let beyond = BEYOND * (curve.len() - 1) as f64;
            part = part.max(if k == 0 { -beyond } else { 0.0 });
            part = part.min(if k + 2 == curve.len() { 1.0 + beyond } else { 1.0 });
            let off = [from[0] - part * along[0], from[1] - part * along[1]];
            let distance = off[0].hypot(off[1]);
            if distance < best.0 {
                let side = along[0] * off[1] - along[1] * off[0];
                best = (distance, distance.copysign(side), k as f64 + part);
            }
        }
        (best.1, best.2)
    };
    points.iter().map(of).collect()
}

/// Points in the plane of the shape: x away from the clamp and z upwards, or x, y and z, of which the vertical plane through
/// the clamp that fits best is taken [m].
pub fn read(from: impl Read) -> Result<Vec<[f64; 2]>, MeasureError> {
    let columns: [(&[&str], bool); 3] = [(&["x"], true), (&["y"], false), (&["z"], true)];
    let mut values = table::read(from, &columns, "x and z, or x, y and z (m, from the clamp, z upwards)")?;
    let (z, y, x) = (values.remove(2).unwrap_or_default(), values.remove(1), values.remove(0).unwrap_or_default());
    let Some(y) = y else { return Ok(x.into_iter().zip(z).map(|(x, z)| [x, z]).collect()) };
    // the median direction, weighed by distance, is not drawn by outliers
    let mut ways: Vec<(f64, f64)> = x.iter().zip(&y).map(|(x, y)| (y.atan2(*x), x.hypot(*y))).collect();
    let (ahead, aside) =
        (ways.iter().map(|w| w.1 * w.0.cos()).sum::<f64>(), ways.iter().map(|w| w.1 * w.0.sin()).sum::<f64>());
    let rough = aside.atan2(ahead);
    let turned = |angle: f64| (angle - rough + PI).rem_euclid(2.0 * PI) - PI;
    ways.iter_mut().for_each(|way| way.0 = turned(way.0));
    ways.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = 0.5 * ways.iter().map(|w| w.1).sum::<f64>();
    let mut sum = 0.0;
    let middle = ways.iter().find(|way| {
        sum += way.1;
        sum >= half
    });
    let way = rough + middle.map_or(0.0, |way| way.0);
    Ok(x.iter().zip(&y).zip(z).map(|((x, y), z)| [x * way.cos() + y * way.sin(), z]).collect())
}

/// Find bending stiffness, and rest curvature if asked for, from points of the shape [m], in any order.
pub fn identify(points: &[[f64; 2]], known: Hanging) -> Result<Found, MeasureError> {
    positive(&[("the length", known.length), ("the mass per length", known.mass)])?;
    if let Some(radius) = known.radius {
        positive(&[("the radius", radius)])?;
    }
    if known.angle.is_some_and(|angle| angle.is_nan() || angle.abs() > STEEPEST) {
        return Err(MeasureError::Given { what: "the angle at the clamp", must: "between -88 and 88 degrees" });
    }
    if points.len() < 8 {
        return Err(MeasureError::TooFew { count: points.len(), least: 8 });
    }
    let length = known.length;
    // unknowns: ln(EI / (w L^3)), then the angle at the tip unless that at the clamp is known, then the rest curvature times L
    let stiffness = Unknown { start: 0.0, bounds: [-9.0, 6.0], vague: 3.0_f64.ln() };
    let tip = Unknown { start: -1.0, bounds: [-PI - 6.0, PI + 6.0], vague: 1.0 };
    let curl = Unknown { start: 0.0, bounds: [-12.0, 12.0], vague: 2.0 };
    let mut unknowns = vec![stiffness];
    unknowns.extend(known.angle.is_none().then_some(tip));
    unknowns.extend(known.curved.then_some(curl));
    let shape = |values: &[f64]| {
        let mut rest = values[1..].iter();
        let tip = if known.angle.is_none() { rest.next().copied().unwrap_or(0.0) } else { 0.0 };
        let curvature = rest.next().copied().unwrap_or(0.0) / length;
        let shape = Shape { length, stiffness: values[0].exp() * length.powi(3), curvature, tip };
        known.angle.map_or(shape, |angle| shape.clamped(angle))
    };
    let residuals = |values: &[f64]| -> Vec<f64> {
        let (curve, angle) = shape(values).curve();
        // a shape that leaves its clamp backwards is none, however near to all points it passes
        if angle.is_nan() || angle.abs() > STEEPEST {
            return vec![1e3 * length; points.len()];
        }
        distances(points, &curve).into_iter().map(|(d, _)| d).collect()
    };
    let mut starts = vec![];
    for stiffness in [-6.0, -4.5, -3.0, -2.0, -1.0, 0.0, 1.5] {
        let tips: &[f64] = if known.angle.is_none() { &[-1.5, -1.2, -0.9, -0.6, -0.3, 0.0, 0.5] } else { &[0.0] };
        let curls: &[f64] = if known.curved { &[-3.0, -1.0, 0.0, 1.0, 3.0] } else { &[0.0] };
        for tip in tips {
            for curl in curls {
                let mut start = vec![stiffness];
                start.extend(known.angle.is_none().then_some(*tip));
                start.extend(known.curved.then_some(*curl));
                starts.push(start);
            }
        }
    }
    let nothing =
        MeasureError::Nothing { why: "points of a cable that sags, from the clamp to the free end, are needed" };
    let found = robust(&unknowns, starts, residuals).ok_or(nothing)?;
    let values: Vec<f64> = found.fit.estimates.iter().map(|estimate| estimate.value).collect();
    let curve = shape(&values).curve();
    let along = distances(points, &curve.0);
    let mut order: Vec<usize> = (0..points.len()).filter(|k| found.used[*k]).collect();
    order.sort_by(|a, b| along[*a].1.total_cmp(&along[*b].1));
    let deviations: Vec<f64> = order.iter().map(|k| along[*k].0).collect();
    let weight = known.mass * GRAVITY;
    let scale = move |value: f64| value.exp() * length.powi(3) * weight;
    let mut numbers = vec![Number::new("bending_stiffness", "N m2", found.fit.estimates[0], scale)];
    if let Some(radius) = known.radius {
        let area = 0.25 * PI * radius.powi(4);
        let note = "of a solid round cable of this bending stiffness";
        numbers.push(Number::new("young", "Pa", found.fit.estimates[0], move |value| scale(value) / area).noted(note));
    }
    let mut rest = found.fit.estimates[1..].iter();
    if known.angle.is_none() {
        let estimate = rest.next().copied().unwrap_or(Estimate { value: 0.0, within: f64::INFINITY });
        numbers.push(Number::new("tip_angle", "deg", estimate, f64::to_degrees).noted("above the horizontal"));
        numbers.push(Number {
            name: "clamp_angle".into(),
            value: curve.1.to_degrees(),
            interval: None,
            unit: "deg",
            note: "follows from the others".into(),
        });
    }
    if let (true, Some(estimate)) = (known.curved, rest.next()) {
        numbers.push(
            Number::new("rest_curvature", "1/m", *estimate, move |value| value / length).noted("upwards positive"),
        );
    }
    let left_out = (0..points.len()).filter(|k| !found.used[*k]).map(|k| points[k]).collect::<Vec<_>>();
    Ok(Found {
        numbers,
        used: order.len(),
        left_out: left_out.len(),
        deviation: (found.fit.squares / order.len() as f64).sqrt(),
        unit: "m",
        misfit: judge(&deviations, unknowns.len()),
        picture: Picture {
            axes: ["x [m]", "z [m]"],
            points: order.iter().map(|k| points[*k]).collect(),
            left_out,
            curve: curve.0,
        },
    })
}
