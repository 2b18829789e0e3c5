//! From where a world is best looked at.

use crate::math::Vec3;

/// A view of a world, for pictures and as a start for those who look around; what is `None` the page chooses.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct View {
    /// The moment of a picture [s]; the end of the run if `None`.
    pub time: Option<f64>,
    /// Direction from what is looked at to the camera.
    pub from: Option<Vec3>,
    /// What is looked at [m]; the middle of all motion if `None`.
    pub at: Option<Vec3>,
    /// Width of what is in view [m]; the whole run if `None`.
    pub width: Option<f64>,
    /// Name of the field that colours the bodies.
    pub colour: Option<String>,
}
