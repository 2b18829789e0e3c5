//! Triangles as they come from files: welded, judged, and turned the right way round.

mod seams;
mod shells;
mod weld;

pub use shells::Findings;

pub(crate) use seams::Seams;

use crate::math::Vec3;

/// Triangles over vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertices [m].
    pub vertices: Vec<Vec3>,
    /// Corners of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// Whether each triangle has vertices that there are.
    fn is_complete(&self) -> bool {
        self.triangles.iter().flatten().all(|n| (*n as usize) < self.vertices.len())
    }

    /// Places of the corners of a triangle.
    fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.triangles[triangle].map(|n| self.vertices[n as usize])
    }

    /// Vertices of its triangles that differ by less than this are one [m].
    fn tolerance(&self) -> f64 {
        let corners = self.triangles.iter().flatten().map(|n| self.vertices[*n as usize]);
        let (low, high) =
            corners.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        weld::SAME * (high - low).length()
    }
}
