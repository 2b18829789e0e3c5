//! One mode as an oscillator, over one step.
//!
//!   q'' + c q' + k q = p,   k = omega^2
//!
//! For a force p that is constant during a step, (q, q') after it is a linear map of (q, q') before it and of p: either
//! the exact one, or that of the scheme used for direct integration of the finite elements, so that both agree to
//! rounding.

use crate::math::{cos, exp, expm1, sin};

/// Time integration of an oscillator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// Exact for any step.
    #[default]
    Exact,
    /// Newmark's average acceleration method, as in direct integration.
    Newmark,
}

/// A damped oscillator of mass 1 over one step: (q, q') -> a (q, q') + b p.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Oscillator {
    /// Matrix a, with rows for q and q'.
    pub a: [[f64; 2]; 2],
    /// Vector b: effect of a unit constant force on q and q'.
    pub b: [f64; 2],
}

impl Oscillator {
    /// An oscillator of stiffness k = omega^2 >= 0 [1/s2] and damping c >= 0 [1/s], over a step [s].
    pub fn new(scheme: Scheme, k: f64, c: f64, step: f64) -> Oscillator {
        match scheme {
            Scheme::Exact => Oscillator::exact(k, c, step),
            Scheme::Newmark => Oscillator::newmark(k, c, step),
        }
    }

    /// The exponential of [[0, 1], [-k, -c]] times the step. With E the response of q to a unit speed, and d = c / 2:
    ///
    ///   underdamped:  w = sqrt(k - d^2),  E = e^(-d t) sin(w t) / w,  C = e^(-d t) cos(w t),
    ///                 a = [[C + d E, E], [-k E, C - d E]]
    ///   overdamped:   r = sqrt(d^2 - k),  s1 = -k / (d + r),  s2 = -d - r,  E = e^(s1 t) (1 - e^(-2 r t)) / (2 r),
    ///                 a = e^(s2 t) 1 + E [[-s2, 1], [-k, s1]]    (Putzer)
    ///
    /// none of which cancels or overflows. The force adds b = (integral of E, E).
    fn exact(k: f64, c: f64, t: f64) -> Oscillator {
        let d = 0.5 * c;
        let rest = k - d * d;
        let e;
        let a = if rest > 0.0 {
            let w = rest.sqrt();
            let decay = exp(-d * t);
            let x = w * t;
            // sin x / x, also where both vanish
            e = decay * t * if x < 1e-8 { 1.0 } else { sin(x) / x };
            let cosine = decay * cos(x);
            [[cosine + d * e, e], [-k * e, cosine - d * e]]
        } else {
            let r = (-rest).sqrt();
            let slow = if k > 0.0 { -k / (d + r) } else { 0.0 };
            let fast = exp(-(d + r) * t);
            let x = 2.0 * r * t;
            e = exp(slow * t) * t * if x < 1e-300 { 1.0 } else { -expm1(-x) / x };
            [[fast + (d + r) * e, e], [-k * e, fast + slow * e]]
        };
        Oscillator { a, b: [swing(k, c, t, a[0][0]), e] }
    }

    /// Average acceleration with h the step: with the middles (q0 + q1) / 2 = m and v = 2 (m - q0) / h,
    ///
    ///   (4 / h^2 + 2 c / h + k) m = p + (4 / h^2 + 2 c / h) q0 + 2 / h v0,   q1 = 2 m - q0,  v1 = 2 v - v0
    fn newmark(k: f64, c: f64, h: f64) -> Oscillator {
        let moved = 4.0 / (h * h) + 2.0 * c / h;
        let sum = moved + k;
        // m = p / sum + (moved q0 + 2 / h v0) / sum, and m - q0 without subtracting: (p - k q0 + 2 / h v0) / sum
        let after = |p: f64, q: f64, v: f64| {
            let rise = (p - k * q + 2.0 / h * v) / sum;
            [q + 2.0 * rise, 4.0 / h * rise - v]
        };
        let (q, v) = (after(0.0, 1.0, 0.0), after(0.0, 0.0, 1.0));
        Oscillator { a: [[q[0], v[0]], [q[1], v[1]]], b: after(1.0, 0.0, 0.0) }
    }

    /// (q, q') after a step under a constant force `p`.
    pub fn step(&self, [q, v]: [f64; 2], p: f64) -> [f64; 2] {
        [0, 1].map(|n| self.a[n][0] * q + self.a[n][1] * v + self.b[n] * p)
    }
}

/// q at time t under a unit force from rest: (1 - a) / k, with a the free response of q from 1, or where that cancels,
/// its power series, (n + 2) (n + 1) x_(n+2) = -c (n + 1) x_(n+1) - k x_n.
fn swing(k: f64, c: f64, t: f64, a: f64) -> f64 {
    if c * t + k * t * t > 0.5 && k * t * t > 1e-3 * (1.0 + c * t) {
        return (1.0 - a) / k;
    }
    if c * t > 0.5 {
        // k is small, so it is overdamped: integrals of e^(s1 t) and e^(s2 t), which differ by more than a fifth
        let d = 0.5 * c;
        let r = (d * d - k).max(0.0).sqrt();
        let slow = k / (d + r) * t;
        let slow = if slow < 1e-300 { t } else { -expm1(-slow) / slow * t };
        return (slow + expm1(-(d + r) * t) / (d + r)) / (2.0 * r);
    }
    let (mut before, mut now, mut sum) = (0.0, 0.5 * t * t, 0.5 * t * t);
    for n in 1..40 {
        // terms of t^(n+1) and t^(n+2)
        let n = f64::from(n);
        let next = (-c * t * (n + 1.0) * now - k * t * t * before) / ((n + 2.0) * (n + 1.0));
        (before, now) = (now, next);
        sum += next;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Free, underdamped, nearly and exactly critical, overdamped, without stiffness, and fast against the step.
    const CASES: [[f64; 3]; 9] = [
        [9.0, 0.0, 0.1],
        [9.0, 0.5, 0.3],
        [9.0, 6.0 - 1e-9, 0.3],
        [9.0, 6.0, 0.3],
        [9.0, 6.0 + 1e-9, 0.3],
        [9.0, 50.0, 0.3],
        [0.0, 2.0, 0.4],
        [0.0, 0.0, 0.4],
        [4e4, 30.0, 0.05],
    ];

    /// (q, q') after a time under a constant force, by many steps of the classical method of Runge and Kutta.
    fn integrated([k, c, time]: [f64; 3], start: [f64; 2], p: f64) -> [f64; 2] {
        let count = 20_000;
        let h = time / f64::from(count);
        let rate = |[q, v]: [f64; 2]| [v, p - c * v - k * q];
        let along = |y: [f64; 2], d: [f64; 2], by: f64| [y[0] + by * d[0], y[1] + by * d[1]];
        (0..count).fold(start, |y, _| {
            let a = rate(y);
            let b = rate(along(y, a, 0.5 * h));
            let c = rate(along(y, b, 0.5 * h));
            let d = rate(along(y, c, h));
            [0, 1].map(|n| y[n] + h / 6.0 * (a[n] + 2.0 * b[n] + 2.0 * c[n] + d[n]))
        })
    }

    #[test]
    fn a_step_is_the_solution_of_the_equation() {
        for case @ [k, c, step] in CASES {
            let oscillator = Oscillator::new(Scheme::Exact, k, c, step);
            for (start, p) in [([1.0, 0.0], 0.0), ([0.0, 1.0], 0.0), ([0.0, 0.0], 1.0), ([0.3, -2.0], 5.0)] {
                let (found, expected) = (oscillator.step(start, p), integrated(case, start, p));
                // rates are as large as the frequency
                let size = [1.0 + p.abs(), 1.0 + p.abs() + k.sqrt()];
                let off = [0, 1].map(|n| (found[n] - expected[n]).abs() / size[n]);
                assert!(off.iter().all(|off| *off < 1e-9), "{case:?} {start:?} {p}: {found:?} for {expected:?}");
            }
        }
    }

    #[test]
    fn two_steps_are_one_of_twice_the_length() {
        for [k, c, step] in CASES {
            let [one, two] = [1.0, 2.0].map(|times| Oscillator::new(Scheme::Exact, k, c, times * step));
            let (start, p) = ([0.7, -1.3], 2.0);
            let (found, expected) = (one.step(one.step(start, p), p), two.step(start, p));
            let off = [0, 1].map(|n| (found[n] - expected[n]).abs() / (1.0 + k.sqrt()));
            assert!(off.iter().all(|off| *off < 1e-12), "{k} {c}: {found:?} for {expected:?}");
        }
    }

    #[test]
    fn the_scheme_of_direct_integration_keeps_energy_and_is_of_second_order() {
        let (k, start) = (9.0, [0.4, 1.5]);
        let newmark = Oscillator::new(Scheme::Newmark, k, 0.0, 0.3);
        let energy = |[q, v]: [f64; 2]| 0.5 * (v * v + k * q * q);
        let end = (0..1000).fold(start, |y, _| newmark.step(y, 0.0));
        assert!((energy(end) / energy(start) - 1.0).abs() < 1e-11, "{end:?}");
        let error = |count: u32| {
            let [exact, newmark] =
                [Scheme::Exact, Scheme::Newmark].map(|s| Oscillator::new(s, k, 0.8, 1.0 / f64::from(count)));
            let after = |o: Oscillator| (0..count).fold(start, |y, _| o.step(y, 0.7));
            (after(exact)[0] - after(newmark)[0]).abs()
        };
        assert!((error(50) / error(100) - 4.0).abs() < 0.05, "{} {}", error(50), error(100));
    }
}
