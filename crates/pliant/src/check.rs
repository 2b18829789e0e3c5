//! Checks of the numbers that a body is built from.

use std::ops::RangeInclusive;

use crate::error::BuildError;
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
        self.that(velocity.is_finite(), "the velocity", "finite", velocity.length())?;
        self.that(spin.is_finite(), "the spin", "finite", spin.length())
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
