//! The unloaded shape of a rod.

use crate::bytes::stored_enum;

/// The unloaded shape of a rod.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Rest {
    /// Straight.
    #[default]
    Straight,
    /// The shape of its initial path.
    Path,
    /// Constant curvature and twist: a circle or a helix.
    Curved {
        /// Curvature about the y and z axes of the section [1/m].
        curvature: [f64; 2],
        /// Twist about the tangent [rad/m].
        twist: f64,
    },
}

stored_enum!(Rest {
    0 => Straight {},
    1 => Path {},
    2 => Curved { curvature: curvature, twist: twist },
});
