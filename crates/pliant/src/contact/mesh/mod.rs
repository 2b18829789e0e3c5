//! Triangle meshes as they come from files: welding, checking and orienting.

mod seams;
mod shells;
mod weld;

pub use shells::Findings;

pub(crate) use seams::Seams;

use crate::math::Vec3;

/// A triangle mesh.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Mesh {
    /// Vertices [m].
    pub vertices: Vec<Vec3>,
    /// Corners of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// Whether all vertex indices exist.
    fn is_complete(&self) -> bool {
        self.triangles.iter().flatten().all(|n| (*n as usize) < self.vertices.len())
    }

    /// Corners of a triangle [m].
    fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.triangles[triangle].map(|n| self.vertices[n as usize])
    }

    /// Height of a triangle above its longest edge [m].
    pub(super) fn height(&self, triangle: usize) -> f64 {
        let [a, b, c] = self.corners(triangle);
        let longest = (b - a).length().max((c - b).length()).max((a - c).length());
        if longest > 0.0 { (b - a).cross(c - a).length() / longest } else { 0.0 }
    }

    /// Distance below which vertices of its triangles count as equal [m].
    pub(super) fn tolerance(&self) -> f64 {
        let corners = self.triangles.iter().flatten().map(|n| self.vertices[*n as usize]);
        let (low, high) =
            corners.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        weld::SAME * (high - low).length()
    }
}
