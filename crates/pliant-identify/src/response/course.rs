//! An oscillator of mass 1 under the force of a blow, from rest.

use pliant::response::{Oscillator, Scheme};

/// Its displacement at all times, for the force at these.
pub(super) fn course(times: &[f64], forces: &[f64], omega: f64, ratio: f64) -> Vec<f64> {
    let (square, damping) = (omega * omega, 2.0 * ratio.max(0.0) * omega);
    let mut oscillator = Oscillator { a: [[0.0; 2]; 2], b: [0.0; 2] };
    let (mut step, mut state) = (0.0, [0.0; 2]);
    let mut course = Vec::with_capacity(times.len());
    course.push(0.0);
    for (k, time) in times.windows(2).enumerate() {
        let length = time[1] - time[0];
        // the steps of a clock differ by rounding alone
        if (length - step).abs() > 1e-9 * length {
            step = length;
            oscillator = Oscillator::new(Scheme::Exact, square, damping, step);
        }
        state = oscillator.step(state, held(times, forces, k));
        course.push(state[0]);
    }
    course
}

/// The constant force that does in an interval what the force measured does.
///
/// At a circular frequency w, with x = w h / 2, steps of length h do sin x / x of what a smooth force does, and weights a, b, b, a of the
/// measurements around an interval 2 b cos x + 2 a cos 3x. The product is 1 up to x^4 with a = -1/12 and b = 7/12. The mean of both
/// ends alone, as taken here beside the ends and where times are not equally spaced, is less by 2/3 x^2.
fn held(times: &[f64], forces: &[f64], interval: usize) -> f64 {
    let near =
        interval.checked_sub(1).and_then(|first| Some((times.get(first..first + 4)?, forces.get(first..first + 4)?)));
    if let Some((t, f)) = near {
        let length = t[2] - t[1];
        if [t[1] - t[0], t[3] - t[2]].iter().all(|other| (other - length).abs() < 1e-3 * length) {
            return (7.0 * (f[1] + f[2]) - (f[0] + f[3])) / 12.0;
        }
    }
    0.5 * (forces[interval] + forces[interval + 1])
}

pub(super) fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A force that begins smoothly: errors fall with the fourth power of the interval.
    #[test]
    fn a_force_that_is_sampled_acts_as_the_force_itself() {
        let (omega, w) = (40.0, 20.0);
        let error = |count: u32| {
            let h = 0.5 / f64::from(count);
            let times: Vec<f64> = (0..=count).map(|k| h * f64::from(k)).collect();
            let forces: Vec<f64> = times.iter().map(|t| (w * t).sin().powi(6)).collect();
            course(&times, &forces, omega, 0.05)[count as usize]
        };
        let [coarse, fine, finer] = [100, 200, 400].map(error);
        let ratio = (coarse - fine) / (fine - finer);
        assert!((ratio / 16.0 - 1.0).abs() < 0.2, "{ratio}");
    }
}
