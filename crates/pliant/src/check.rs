//! Checks of the numbers that a body is built from.

use std::ops::RangeInclusive;

use crate::error::{BuildError, FAR};
use crate::math::{Pose, Vec3};

/// Checks for the body of this name.
#[derive(Clone, Copy)]
pub(crate) struct Checks<'a>(pub &'a str);

impl Checks<'_> {
    /// The error for a bad number, with what was expected.
    pub fn bad(&self, what: &str, expected: &'static str, value: f64) -> BuildError {
        BuildError::Parameter { what: format!("{what} of {}", self.0), expected, value }
    }

    /// Reject a number unless it is `sound`.
    pub fn that(&self, sound: bool, what: &str, expected: &'static str, value: f64) -> Result<(), BuildError> {
        if sound { Ok(()) } else { Err(self.bad(what, expected, value)) }
    }

    /// Reject a number that is not finite and positive.
    pub fn positive(&self, what: &str, value: f64) -> Result<(), BuildError> {
        self.that(value.is_finite() && value > 0.0, what, "finite and positive", value)
    }

    /// Reject a number that is not finite, or negative.
    pub fn not_negative(&self, what: &str, value: f64) -> Result<(), BuildError> {
        self.that(value.is_finite() && value >= 0.0, what, "finite and not negative", value)
    }

    /// Reject an initial pose or velocity that is not finite.
    pub fn start(&self, placed: &Pose, velocity: Vec3, spin: Vec3) -> Result<(), BuildError> {
        let sound = placed.translation.is_finite() && placed.rotation.is_finite();
        self.that(sound, "the pose", "finite", placed.translation.length())?;
        self.finite("the velocity", velocity)?;
        self.finite("the spin", spin)
    }

    /// Reject a pose that is not finite, farther away than any scene, or not a rotation.
    pub fn pose(&self, pose: &Pose) -> Result<(), BuildError> {
        let sound = pose.translation.abs().max_element() < FAR && pose.translation.is_finite();
        if sound && pose.rotation.is_normalized() { Ok(()) } else { Err(BuildError::Pose { name: self.0.into() }) }
    }

    /// Reject a vector that is not finite.
    pub fn finite(&self, what: &str, vector: Vec3) -> Result<(), BuildError> {
        self.that(vector.is_finite(), what, "finite", vector.length())
    }

    /// Reject a time that is NaN; it may be infinite.
    pub fn time(&self, what: &str, time: f64) -> Result<(), BuildError> {
        self.that(!time.is_nan(), what, "a time", time)
    }

    /// Reject a number outside a range; `expected` states the range in words.
    pub fn within(
        &self,
        what: &str,
        value: f64,
        range: RangeInclusive<f64>,
        expected: &'static str,
    ) -> Result<(), BuildError> {
        self.that(range.contains(&value), what, expected, value)
    }
}
