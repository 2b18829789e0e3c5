//! The surface of a solid made of cells.

use std::collections::HashMap;

use super::cells::{Cells, FaceCorners};
use super::split::{Corner, first_diagonal, position};
use crate::contact::Mesh;
use crate::math::Vec3;

/// How quadrilateral facets become triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuadCut {
    /// Two triangles along the diagonal of the plain division into tetrahedra.
    Diagonal,
    /// Four triangles around the middle, as in the centred division into tetrahedra.
    Centre,
}

/// The surface of a solid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outer {
    /// Triangles, counter-clockwise seen from outside, over the vertices of the cells followed by the middles of
    /// facets, if requested. Inner vertices are included, so that indices are those of the cells.
    pub mesh: Mesh,
    /// For each triangle, the index of its cell and of the facet within the cell.
    pub owners: Vec<[u32; 2]>,
}

impl Cells {
    /// Facets that belong to only one cell, as indices of the cell and of the facet within it.
    pub fn outer_faces(&self) -> Vec<[u32; 2]> {
        let mut met: HashMap<[u32; 4], usize> = HashMap::new();
        for cell in self.cells() {
            for face in cell.faces() {
                *met.entry(face.key()).or_default() += 1;
            }
        }
        let mut outer = vec![];
        for (c, cell) in self.cells().iter().enumerate() {
            for (f, face) in cell.faces().enumerate() {
                if met.get(&face.key()) == Some(&1) {
                    outer.push([c as u32, f as u32]);
                }
            }
        }
        outer
    }

    /// The surface as triangles.
    pub fn outer_facets(&self, quads: QuadCut) -> Outer {
        let mut mesh = Mesh { vertices: self.vertices().to_vec(), triangles: vec![] };
        let mut owners = vec![];
        for [c, f] in self.outer_faces() {
            let middle = || {
                let cell = &self.cells()[c as usize];
                mesh.vertices.push(position(self.vertices(), cell, Corner::Face(f as usize), Vec3::ZERO));
                mesh.vertices.len() as u32 - 1
            };
            let centre = (quads == QuadCut::Centre).then_some(middle);
            let triangles = self.face_triangles(c as usize, f as usize, centre);
            owners.extend(triangles.iter().map(|_| [c, f]));
            mesh.triangles.extend(triangles);
        }
        Outer { mesh, owners }
    }

    /// Triangles of a facet over its vertices and, for a quadrilateral if requested, its centre.
    pub(super) fn face_triangles(
        &self,
        cell: usize,
        face: usize,
        centre: Option<impl FnOnce() -> u32>,
    ) -> Vec<[u32; 3]> {
        let c = &self.cells()[cell];
        let global = |i: u32| c.vertices()[i as usize];
        match (c.local_faces()[face], centre) {
            (FaceCorners::Triangle(t), _) => vec![t.map(global)],
            (FaceCorners::Quad(q), Some(centre)) => {
                let (q, middle) = (q.map(global), centre());
                (0..4).map(|i| [q[i], q[(i + 1) % 4], middle]).collect()
            }
            (FaceCorners::Quad(q), None) => {
                let [a, b, c3, d] = q.map(global);
                if first_diagonal(c, q, self.is_even(cell)) {
                    vec![[a, b, c3], [a, c3, d]]
                } else {
                    vec![[b, c3, d], [b, d, a]]
                }
            }
        }
    }
}
