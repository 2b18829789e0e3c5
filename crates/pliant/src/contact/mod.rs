//! Geometry of contact: the shapes of obstacles and what lies near them.

mod obstacle;
mod shape;

pub use obstacle::{Obstacle, ObstacleParams};
pub use shape::{Mesh, Shape, ShapeError, ShapeKind, SurfacePoint};
