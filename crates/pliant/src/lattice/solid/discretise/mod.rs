//! From the shape of a solid to cells.
//!
//! A. Joukhadar, "Robot-Phi", section 4.2.2, three cases: polygons (Fig. 8), polyhedra by shells inside shells
//! (Fig. 9), and solids swept between two facets (Fig. 10). Bricks, and bricks with cells of varying size (Fig. 13),
//! are the sweep of a rectangle, written out because they are so common.

mod brick;
mod doll;
mod polygon;
mod sweep;

pub use brick::{brick, crowded, graded_brick, grading};
pub use doll::{polyhedron_surface, russian_doll};
pub use polygon::{Facet, Patch, Rings, polygon};
pub use sweep::{frustum, prism, sweep};

use super::cells::CellError;
use crate::math::Vec3;

/// Why a shape cannot be cut into cells.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DiscretiseError {
    /// The resulting cells do not form a solid.
    #[error(transparent)]
    Cells(#[from] CellError),
    /// A size that is not finite or not positive.
    #[error("the {what} must be finite and positive, got {value}")]
    Size {
        /// Which size.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// Fewer than needed.
    #[error("the {what} must be at least {least}, got {got}")]
    TooFew {
        /// What is counted.
        what: &'static str,
        /// Smallest number.
        least: usize,
        /// Number given.
        got: usize,
    },
    /// More than allowed.
    #[error("{what} would be more than {most}: ask for a coarser cut")]
    TooMany {
        /// What is counted.
        what: &'static str,
        /// Largest number.
        most: usize,
    },
    /// Bounds of cells that do not increase.
    #[error("bounds of cells must rise, but number {index} is {value} after {before}")]
    NotRising {
        /// Index of the bound.
        index: usize,
        /// The bound before [m].
        before: f64,
        /// The bound [m].
        value: f64,
    },
    /// A polygon with a corner off its plane.
    #[error("the polygon is not plane: corner {corner} at {at} m is {off:.3e} m off")]
    NotPlane {
        /// Index of the corner.
        corner: usize,
        /// Its position [m].
        at: Vec3,
        /// Distance from the plane [m].
        off: f64,
    },
    /// A polygon that is not convex.
    #[error("the polygon is not convex at corner {corner}, {at} m")]
    NotConvex {
        /// Index of the corner.
        corner: usize,
        /// Its position [m].
        at: Vec3,
    },
    /// A polygon without area, or with a coordinate that is not finite.
    #[error("the polygon has no area or a corner that is not finite")]
    NoArea,
    /// A facet refers to a point that does not exist.
    #[error("facet {facet} names point {point}, there are {count}")]
    NoPoint {
        /// Index of the facet.
        facet: usize,
        /// Index of the point.
        point: u32,
        /// Number of points.
        count: usize,
    },
    /// A surface with edges that do not join two facets.
    #[error("the surface is not closed: {edges} edges do not join two facets that turn alike, one of them at {at} m")]
    NotClosed {
        /// Number of such edges.
        edges: usize,
        /// The middle of one [m].
        at: Vec3,
    },
    /// A surface that is not entirely visible from its centre of mass.
    #[error(
        "facet {facet} near {at} m cannot be seen from the centre of mass at {centre} m: shells fit into shells only \
         in convex solids and few others. Are the facets counter-clockwise seen from outside?"
    )]
    NotStar {
        /// Index of the facet.
        facet: usize,
        /// A corner of it [m].
        at: Vec3,
        /// Centre of mass [m].
        centre: Vec3,
    },
    /// Two facets that cannot be swept into each other.
    #[error("the two ends of a sweep must have the same number of points, got {bottom} and {top}")]
    Unequal {
        /// Points of the first.
        bottom: usize,
        /// Points of the second.
        top: usize,
    },
}

/// Limit on the vertices of a mesh: a few hundred megabytes of particles.
const MOST: usize = 4_000_000;

/// Check that a size is finite and positive.
fn positive(what: &'static str, value: f64) -> Result<(), DiscretiseError> {
    if value.is_finite() && value > 0.0 { Ok(()) } else { Err(DiscretiseError::Size { what, value }) }
}

/// Check a lower limit on a count.
fn at_least(what: &'static str, least: usize, got: usize) -> Result<(), DiscretiseError> {
    if got >= least { Ok(()) } else { Err(DiscretiseError::TooFew { what, least, got }) }
}

/// Check that a product of counts is not too large.
fn bounded(what: &'static str, counts: &[usize]) -> Result<(), DiscretiseError> {
    let product = counts.iter().try_fold(1usize, |a, b| a.checked_mul(*b));
    let fits = product.is_some_and(|p| p <= MOST);
    if fits { Ok(()) } else { Err(DiscretiseError::TooMany { what, most: MOST }) }
}
