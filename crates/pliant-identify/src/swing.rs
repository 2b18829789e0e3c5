//! Bending stiffness and damping from a free swing: a cable clamped at its upper end hangs straight down, is drawn aside a little
//! and let go; one of its points is tracked.
//!
//! Small motions in one mode: x = c + e^(-delta t) (a cos(Omega t) + b sin(Omega t)). The frequency of the first mode of a heavy rod
//! follows from EI y'''' - (w (L - s) y')' = m omega^2 y with omega^2 = Omega^2 + delta^2; a limp one swings with omega^2 = 1.446 g/L
//! (D. Bernoulli), and what is beyond that is bending. A damping time tau of the material gives delta = tau omega_b^2 / 2 with the
//! part omega_b^2 of omega^2 that bending has, drag c gives delta = c / 2: one swing tells only their sum.

use std::f64::consts::PI;
use std::io::Read;

use crate::GRAVITY;
use crate::fit::{Unknown, fit};
use crate::found::{Found, Number, Picture, judge};
use crate::table::{self, MeasureError, positive};

/// What is known beforehand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Swinging {
    /// Length from the clamp to the free end [m].
    pub length: f64,
    /// Mass per length [kg/m].
    pub mass: f64,
    /// Radius, from which Young's modulus of a solid round cable follows [m].
    pub radius: Option<f64>,
}

/// Times [s] and displacements, in any unit of length.
pub fn read(from: impl Read) -> Result<Vec<[f64; 2]>, MeasureError> {
    let columns: [(&[&str], bool); 2] = [(&["t", "time"], true), (&["x", "displacement"], true)];
    let mut values =
        table::read(from, &columns, "t (s) and x (a displacement across the cable)")?.into_iter().flatten();
    let (t, x) = (values.next().unwrap_or_default(), values.next().unwrap_or_default());
    Ok(t.into_iter().zip(x).map(|(t, x)| [t, x]).collect())
}

/// Size of the basis for the shape of the mode.
const SHAPES: usize = 9;

/// The first mode of a heavy rod with the stiffness EI / (w L^3): omega^2 L / g, and the part of it that bending has. By Rayleigh and
/// Ritz, with shapes xi^2 P_k(2 xi - 1) and Gauss's quadrature, which is exact for them.
pub fn first_mode(stiffness: f64) -> (f64, f64) {
    let mut bending = [[0.0; SHAPES]; SHAPES];
    let mut hanging = [[0.0; SHAPES]; SHAPES];
    let mut mass = [[0.0; SHAPES]; SHAPES];
    for (xi, weight) in gauss() {
        let shapes = shapes(xi);
        for i in 0..SHAPES {
            for j in 0..SHAPES {
                let ([a, a1, a2], [b, b1, b2]) = (shapes[i], shapes[j]);
                bending[i][j] += weight * stiffness * a2 * b2;
                hanging[i][j] += weight * (1.0 - xi) * a1 * b1;
                mass[i][j] += weight * a * b;
            }
        }
    }
    let whole: [[f64; SHAPES]; SHAPES] =
        std::array::from_fn(|i| std::array::from_fn(|j| bending[i][j] + hanging[i][j]));
    let times = |matrix: &[[f64; SHAPES]; SHAPES], y: &[f64; SHAPES]| -> [f64; SHAPES] {
        std::array::from_fn(|i| (0..SHAPES).map(|j| matrix[i][j] * y[j]).sum())
    };
    let product = |a: &[f64; SHAPES], b: &[f64; SHAPES]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    // inverse iteration: the modes are far apart
    let mut mode = [1.0; SHAPES];
    for _ in 0..60 {
        let next = solved(whole, times(&mass, &mode));
        let size = product(&next, &times(&mass, &next)).sqrt();
        mode = next.map(|y| y / size);
    }
    let bends = product(&mode, &times(&bending, &mode));
    (bends + product(&mode, &times(&hanging, &mode)), bends)
}

/// Each shape at a place, with its first and second derivative.
fn shapes(xi: f64) -> [[f64; 3]; SHAPES] {
    let x = 2.0 * xi - 1.0;
    // Legendre's polynomials with derivatives by x, by their recurrence
    let mut p = [[0.0; 3]; SHAPES];
    p[0] = [1.0, 0.0, 0.0];
    p[1] = [x, 1.0, 0.0];
    for k in 2..SHAPES {
        let n = k as f64;
        let (a, b) = ((2.0 * n - 1.0) / n, (n - 1.0) / n);
        let ([f, f1, f2], [g, g1, g2]) = (p[k - 1], p[k - 2]);
        p[k] = [a * x * f - b * g, a * (f + x * f1) - b * g1, a * (2.0 * f1 + x * f2) - b * g2];
    }
    // d/dxi = 2 d/dx
    p.map(|[f, f1, f2]| {
        let [f1, f2] = [2.0 * f1, 4.0 * f2];
        [xi * xi * f, 2.0 * xi * f + xi * xi * f1, 2.0 * f + 4.0 * xi * f1 + xi * xi * f2]
    })
}

/// Places and weights of Gauss's quadrature from 0 to 1, by Newton's method on Legendre's polynomial.
fn gauss() -> [(f64, f64); SHAPES + 4] {
    const N: usize = SHAPES + 4;
    std::array::from_fn(|k| {
        let mut x = (PI * (k as f64 + 0.75) / (N as f64 + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..60 {
            let (mut before, mut here) = (1.0, x);
            for n in 2..=N {
                let n = n as f64;
                (before, here) = (here, ((2.0 * n - 1.0) * x * here - (n - 1.0) * before) / n);
            }
            slope = N as f64 * (x * here - before) / (x * x - 1.0);
            x -= here / slope;
        }
        (0.5 * (1.0 + x), 1.0 / ((1.0 - x * x) * slope * slope))
    })
}

/// Solve equations with a positive definite matrix, by Cholesky's factors.
fn solved(mut a: [[f64; SHAPES]; SHAPES], mut b: [f64; SHAPES]) -> [f64; SHAPES] {
    for j in 0..SHAPES {
        for k in 0..j {
            for i in j..SHAPES {
                a[i][j] -= a[i][k] * a[j][k];
            }
        }
        let root = a[j][j].max(0.0).sqrt();
        for row in a.iter_mut().skip(j) {
            row[j] /= root;
        }
    }
    for i in 0..SHAPES {
        for k in 0..i {
            b[i] -= a[i][k] * b[k];
        }
        b[i] /= a[i][i];
    }
    for i in (0..SHAPES).rev() {
        for k in i + 1..SHAPES {
            b[i] -= a[k][i] * b[k];
        }
        b[i] /= a[i][i];
    }
    b
}

/// The stiffness EI / (w L^3) of a rod with this omega^2 L / g; zero where a limp one is as fast.
fn stiffness(frequency: f64) -> f64 {
    let (mut low, mut high): (f64, f64) = (1e-5, 1e7);
    if frequency <= first_mode(low).0 {
        return 0.0;
    }
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        if first_mode(middle).0 < frequency { low = middle } else { high = middle }
    }
    (low * high).sqrt()
}

/// Find bending stiffness and damping from a track of times [s] and displacements.
pub fn identify(track: &[[f64; 2]], known: Swinging) -> Result<Found, MeasureError> {
    positive(&[("the length", known.length), ("the mass per length", known.mass)])?;
    if let Some(radius) = known.radius {
        positive(&[("the radius", radius)])?;
    }
    if track.len() < 12 {
        return Err(MeasureError::TooFew { count: track.len(), least: 12 });
    }
    let mut track = track.to_vec();
    track.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let begin = track[0][0];
    let span = track[track.len() - 1][0] - begin;
    if span <= 0.0 {
        return Err(MeasureError::Given { what: "the time between measurements", must: "positive" });
    }
    let model = |v: &[f64], t: f64| {
        let (sin, cos) = (v[0] * (t - begin)).sin_cos();
        v[4] + (-v[1] * (t - begin)).exp() * (v[2] * cos + v[3] * sin)
    };
    let residuals = |v: &[f64]| track.iter().map(|[t, x]| x - model(v, *t)).collect::<Vec<f64>>();
    let start =
        start(&track, begin, span).ok_or(MeasureError::Nothing { why: "a swing of several periods is needed" })?;
    let size = track.iter().map(|p| p[1].abs()).fold(1e-300, f64::max);
    let wide = |start: f64, by: f64| Unknown { start, bounds: [start - by, start + by], vague: by };
    let unknowns = [
        wide(start[0], 0.5 * start[0]),
        wide(start[1], 10.0 / span + 4.0 * start[1].abs()),
        wide(start[2], 10.0 * size),
        wide(start[3], 10.0 * size),
        wide(start[4], 10.0 * size),
    ];
    let found = fit(&unknowns, residuals)
        .filter(|found| found.estimates[0].is_told() && found.estimates[1].is_told())
        .ok_or(MeasureError::Nothing { why: "a swing of several periods, well above the noise, is needed" })?;
    let values: Vec<f64> = found.estimates.iter().map(|estimate| estimate.value).collect();
    let [omega, delta] = [found.estimates[0], found.estimates[1]];
    let Swinging { length, mass, radius } = known;
    // delta is so much smaller than Omega that its own interval hardly matters here
    let frequency = |omega: f64| (omega * omega + delta.value * delta.value) * length / GRAVITY;
    let scale = mass * GRAVITY * length.powi(3);
    let bending = |omega: f64| stiffness(frequency(omega)) * scale;
    let limp = bending(omega.value) == 0.0;
    let note = if limp { "it swings as a limp one: length, or its mass, does not fit" } else { "" };
    let mut numbers = vec![Number::new("bending_stiffness", "N m2", omega, bending).noted(note)];
    if let Some(radius) = radius {
        let area = 0.25 * PI * radius.powi(4);
        let note = "of a solid round cable of this bending stiffness";
        numbers.push(Number::new("young", "Pa", omega, |omega| bending(omega) / area).noted(note));
    }
    // omega_b^2, as it is for the stiffness found
    let share = GRAVITY / length * first_mode(stiffness(frequency(omega.value))).1;
    numbers.push(Number::new("drag", "1/s", delta, |delta| 2.0 * delta).noted("if all of the damping is of the air"));
    if !limp {
        let tau = Number::new("damping_time", "s", delta, |delta| 2.0 * delta / share);
        numbers.push(tau.noted("if all of it is of the material; one swing does not tell which"));
    }
    let at = |k: i32| begin + span * f64::from(k) / 600.0;
    Ok(Found {
        numbers,
        used: track.len(),
        left_out: 0,
        deviation: (found.squares / track.len() as f64).sqrt(),
        unit: "of x",
        misfit: judge(&residuals(&values), unknowns.len()),
        picture: Picture {
            axes: ["t [s]", "x"],
            points: track.clone(),
            left_out: vec![],
            curve: (0..=600).map(|k| [at(k), model(&values, at(k))]).collect(),
        },
    })
}

/// Where to begin: the frequency and the decay that leave least, of many, with the other numbers by linear least squares.
fn start(track: &[[f64; 2]], begin: f64, span: f64) -> Option<[f64; 5]> {
    let mut best: Option<(f64, [f64; 5])> = None;
    // from one period in the whole to as many as there are four measurements in each
    let most = track.len() / 4;
    for decay in [0.0, 0.5, 2.0, 6.0].map(|d| d / span) {
        // a quarter of a period apart at the end
        for k in 4..4 * most.max(2) {
            let omega = 2.0 * PI * k as f64 / (4.0 * span);
            let mut normal = [[0.0; 4]; 3];
            for [t, x] in track {
                let (sin, cos) = (omega * (t - begin)).sin_cos();
                let fade = (-decay * (t - begin)).exp();
                let row = [fade * cos, fade * sin, 1.0];
                for i in 0..3 {
                    (0..3).for_each(|j| normal[i][j] += row[i] * row[j]);
                    normal[i][3] += row[i] * x;
                }
            }
            let Some([a, b, c]) = three(normal) else { continue };
            let off = |[t, x]: &[f64; 2]| {
                let (sin, cos) = (omega * (t - begin)).sin_cos();
                x - c - (-decay * (t - begin)).exp() * (a * cos + b * sin)
            };
            let squares: f64 = track.iter().map(|p| off(p).powi(2)).sum();
            if best.is_none_or(|(least, _)| squares < least) {
                best = Some((squares, [omega, decay, a, b, c]));
            }
        }
    }
    best.map(|(_, start)| start)
}

/// Three equations, by elimination.
fn three(mut rows: [[f64; 4]; 3]) -> Option<[f64; 3]> {
    for k in 0..3 {
        let pivot = (k..3).max_by(|a, b| rows[*a][k].abs().total_cmp(&rows[*b][k].abs()))?;
        rows.swap(k, pivot);
        if rows[k][k].abs() < 1e-12 {
            return None;
        }
        for i in 0..3 {
            if i != k {
                let factor = rows[i][k] / rows[k][k];
                (k..4).for_each(|j| rows[i][j] -= factor * rows[k][j]);
            }
        }
    }
    Some(std::array::from_fn(|k| rows[k][3] / rows[k][k]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Limits in closed form: a limp cable has half the first zero of J0, squared; a rod without weight 1.8751^4 EI / (w L^3), and
    /// gravity then adds what its own mode gives, 1.5709 (the mean of (1 - xi) y'^2 over that of y^2).
    #[test]
    fn the_first_mode_has_its_limits() {
        let (limp, bends) = first_mode(1e-5);
        // the clamp adds a layer sqrt(EI/wL^3) = 0.003 wide
        assert!((limp / 1.445_796 - 1.0).abs() < 0.02 && bends < 0.02, "{limp}");
        let (stiff, bends) = first_mode(1e6);
        assert!((stiff / (12.362_364e6 + 1.5709) - 1.0).abs() < 1e-6 && (bends / stiff - 1.0).abs() < 1e-6, "{stiff}");
        let middle = first_mode(1e3).0 - 12.362_364e3;
        assert!((middle - 1.5709).abs() < 2e-3, "{middle}");
        assert!((stiffness(first_mode(0.3).0) / 0.3 - 1.0).abs() < 1e-9);
        assert_eq!(stiffness(1.0), 0.0);
    }
}
