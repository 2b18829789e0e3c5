//! Bending laws. A joint between the unit vectors `a` and `b` of two segments with c = a . b pushes the far point of
//! `b` with the force `gain * (a - c b) / |b|`, the far point of `a` with its mirror image, and the middle point with
//! the opposite of their sum. The two laws differ only in the gain:
//!
//! * linear: energy EI/L_s alpha^2 / 2, so gain = EI/L_s * alpha / sin(alpha);
//! * paper, (3) and (4) with the signs that make net force and torque vanish: F_b0 = c_b (1 - c) along the chord, and
//!   its part orthogonal to `b` is c_b (1 - c) |a| (a - c b) / |chord|, so gain = c_b (1 - c) |a| |b| / |chord|.

use super::params::BendingLaw;
use crate::lanes::{Lanes, Plain};
use crate::math::{atan2, cos, sin, sincos};

/// A bending law and its stiffness, as the kernel uses it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bending {
    /// Which law.
    pub law: BendingLaw,
    /// EI / L_s [N m] for the linear law, c_b [N] for the paper's.
    pub stiffness: f64,
}

/// Largest sin^2(alpha/2) at which the polynomial below is accurate: an angle of 60 degrees.
pub const SERIES_END: f64 = 0.25;

/// alpha / sin(alpha) as a polynomial in z = sin^2(alpha/2) on [0, 1/4], relative error 1.2e-14.
/// (Chebyshev fit of asin(sqrt z) / sqrt(z (1 - z)); the Taylor series would need twice the terms.)
const SERIES: [f64; 12] = [
    0.999_999_999_999_991_3,
    0.666_666_666_676_719_2,
    0.533_333_331_424_768_8,
    0.457_142_998_529_274_8,
    0.406_343_818_403_472,
    0.369_528_876_328_131_1,
    0.339_295_490_946_68,
    0.333_835_949_144_094_2,
    0.205_556_211_396_915_3,
    0.649_041_857_774_876,
    -0.586_610_503_163_045,
    1.274_199_062_339_711_7,
];

/// alpha / sin(alpha) for angles up to 60 degrees, from z = sin^2(alpha/2); terms are evaluated in pairs, which
/// shortens the chain of dependent operations.
#[inline(always)]
pub fn angle_over_sine<L: Lanes>(z: L) -> L {
    let c = |i: usize| L::splat(SERIES[i]);
    let pair = |i: usize| c(i) + c(i + 1) * z;
    let z2 = z * z;
    let z4 = z2 * z2;
    let low = pair(0) + pair(2) * z2;
    let middle = pair(4) + pair(6) * z2;
    let high = pair(8) + pair(10) * z2;
    low + (middle + high * z4) * z4
}

/// alpha / sin(alpha) for any angle, from its cosine. For a segment folded back on the previous one the ratio is
/// unbounded, but not the force, as its other factor is the sine.
#[inline]
pub fn angle_over_sine_any(cosine: f64) -> f64 {
    let z = 0.5 * (1.0 - cosine);
    if z <= SERIES_END {
        // faster than the arc tangent
        return angle_over_sine(Plain::splat(z)).0[0];
    }
    let sine = ((1.0 - cosine) * (1.0 + cosine)).max(1e-18).sqrt();
    atan2(sine, cosine) / sine
}

impl Bending {
    /// Gain of a joint from the cosine of its angle and the lengths of its segments [m] (for tests and reports; the
    /// kernel has its own vector form).
    pub fn gain(&self, cosine: f64, first: f64, second: f64) -> f64 {
        match self.law {
            BendingLaw::Linear => self.stiffness * angle_over_sine_any(cosine),
            BendingLaw::Paper => {
                let chord = (first * first + second * second + 2.0 * first * second * cosine).max(1e-30).sqrt();
                self.stiffness * (1.0 - cosine) * first * second / chord
            }
        }
    }

    /// Moment [N m] at a joint of angle `angle` [rad] between segments of rest length `segment` [m].
    pub fn moment(&self, angle: f64, segment: f64) -> f64 {
        self.gain(cos(angle), segment, segment) * sin(angle)
    }

    /// Derivative of the moment by the angle [N m/rad].
    pub fn tangent(&self, angle: f64, segment: f64) -> f64 {
        match self.law {
            BendingLaw::Linear => self.stiffness,
            BendingLaw::Paper => {
                let (half_sine, half_cosine) = sincos(0.5 * angle);
                self.stiffness * segment * 3.0 * half_sine * half_sine * half_cosine
            }
        }
    }

    /// Energy [J] of a joint of angle `angle` [rad] between segments of rest length `segment` [m].
    pub fn energy(&self, angle: f64, segment: f64) -> f64 {
        match self.law {
            BendingLaw::Linear => 0.5 * self.stiffness * angle * angle,
            // integral of c_b L_s (1 - cos a) sin(a/2) = 2 c_b L_s sin^3(a/2), written without cancellation
            BendingLaw::Paper => {
                let gap = 2.0 * sin(0.25 * angle).powi(2);
                4.0 * self.stiffness * segment * gap * gap * (1.0 - gap / 3.0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_is_the_ratio_of_angle_and_sine() {
        for i in 0..=600 {
            let angle = 60.0_f64.to_radians() * i as f64 / 600.0;
            let z = (0.5 * angle).sin().powi(2);
            let exact = if angle == 0.0 { 1.0 } else { angle / angle.sin() };
            let got = angle_over_sine(Plain::splat(z)).0[0];
            assert!((got / exact - 1.0).abs() < 3e-14, "{angle}: {got} for {exact}");
            assert!((angle_over_sine_any(angle.cos()) / exact - 1.0).abs() < 3e-14);
        }
    }

    #[test]
    fn the_moment_is_the_slope_of_the_energy() {
        for law in [BendingLaw::Linear, BendingLaw::Paper] {
            let b = Bending { law, stiffness: 3.0 };
            for angle in [0.05, 0.3, 1.2, 2.5] {
                // a central difference of a cubic has a relative error of (h/angle)^2
                let h = 1e-4 * angle;
                let slope = (b.energy(angle + h, 0.02) - b.energy(angle - h, 0.02)) / (2.0 * h);
                let moment = b.moment(angle, 0.02);
                assert!((slope / moment - 1.0).abs() < 2e-8, "{law:?} {angle}");
                let tangent = (b.moment(angle + h, 0.02) - b.moment(angle - h, 0.02)) / (2.0 * h);
                assert!((tangent / b.tangent(angle, 0.02) - 1.0).abs() < 2e-8, "{law:?} {angle}");
            }
        }
    }

    #[test]
    fn the_papers_moment_is_cubic() {
        let b = Bending { law: BendingLaw::Paper, stiffness: 1.0 };
        let ratio = b.moment(0.02, 1.0) / b.moment(0.01, 1.0);
        assert!((ratio - 8.0).abs() < 1e-3);
    }
}
