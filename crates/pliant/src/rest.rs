//! The shape that a rod has without load.

use crate::bytes::stored_enum;

/// The shape that a rod has without load.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Rest {
    /// Straight.
    #[default]
    Straight,
    /// That of its initial path.
    Path,
    /// The same curvature and twist everywhere: a circle or a helix.
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
