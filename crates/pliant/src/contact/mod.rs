//! Geometry of contact: the shapes of obstacles and what lies near them.

mod cores;
mod edges;
mod mesh;
mod obstacle;
mod passage;
mod round;
mod segments;
mod shape;
mod surface;
pub(crate) mod tree;
mod triangle;

pub(crate) use cores::{FACES, Met};
pub(crate) use edges::edge_turns;
pub use mesh::{Findings, Mesh};
pub use obstacle::{Obstacle, ObstacleParams};
pub(crate) use passage::{Ends, passes};
pub use segments::segment_distance;
pub(crate) use segments::{closest_on_segments, segments_cross};
pub use shape::{Shape, ShapeError, ShapeKind, SurfacePoint};
pub(crate) use surface::{Hint, Nearby, Piece};
pub(crate) use triangle::{blend, nearest_of_triangle, normal, twice_area};
