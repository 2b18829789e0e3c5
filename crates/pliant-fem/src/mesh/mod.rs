//! Meshes of tetrahedra: one solid body in one piece, judged when made.

pub(crate) mod gmsh;
pub(crate) mod reader;
pub(crate) mod soundness;
pub(crate) mod surface;
pub(crate) mod vtk;

use crate::error::MeshError;
use crate::mesh::soundness::Repairs;
use crate::mesh::surface::Surface;
use pliant::math::Vec3;

/// A mesh of tetrahedra that is one solid: right side out, in one piece, with a closed surface.
#[derive(Clone, Debug, PartialEq)]
pub struct TetMesh {
    nodes: Vec<Vec3>,
    tets: Vec<[usize; 4]>,
}

/// Nodes of the largest block: far beyond what can be solved, and not beyond what can be stored.
const MOST_NODES: usize = 100_000_000;

/// Corners of the five tetrahedra of a cell. Bits of a corner's number are its x, y and z. One is in the middle, between the four
/// corners of even parity; the others cut off the corners of odd parity.
const EVEN: [[usize; 4]; 5] = [[0, 3, 5, 6], [1, 0, 3, 5], [2, 0, 3, 6], [4, 0, 5, 6], [7, 3, 5, 6]];

impl TetMesh {
    /// A mesh of nodes [m] and tetrahedra, judged. Tetrahedra that are inside out are turned round and nodes used by none are
    /// dropped, which is said; all else that is wrong is an error.
    pub fn new(nodes: Vec<Vec3>, tets: Vec<[usize; 4]>) -> Result<(TetMesh, Repairs), MeshError> {
        let (nodes, tets, repairs) = soundness::judge(nodes, tets)?;
        Ok((TetMesh { nodes, tets }, repairs))
    }

    /// A cube of a side [m], of cells cut into five tetrahedra each: with 12 cells the mesh of Tagawa, Hirota and Hirose ("A study
    /// on haptic interaction and simulation of motion and deformation of elastic object"), table 1.
    pub fn cube(cells: usize, side: f64) -> Result<TetMesh, MeshError> {
        TetMesh::block([cells; 3], Vec3::splat(side))
    }

    /// A block of lengths [m] from the origin, of cells cut into five tetrahedra each. Neighbours are cut the opposite way, so that
    /// their diagonals meet.
    pub fn block(cells: [usize; 3], size: Vec3) -> Result<TetMesh, MeshError> {
        let [nx, ny, nz] = cells;
        let count = (cells.iter()).try_fold(1usize, |product, n| product.checked_mul(n.checked_add(1)?));
        let sound = cells.iter().all(|n| *n > 0) && size.is_finite() && size.min_element() > 0.0;
        let count = count.filter(|count| sound && *count <= MOST_NODES).ok_or(MeshError::Block { cells, size })?;
        let mut nodes = Vec::with_capacity(count);
        // k / n * size rather than k * (size / n): the last is then at size to the bit
        let place = |k: usize, n: usize, length: f64| k as f64 / n as f64 * length;
        for z in 0..=nz {
            for y in 0..=ny {
                let row = (0..=nx).map(|x| Vec3::new(place(x, nx, size.x), place(y, ny, size.y), place(z, nz, size.z)));
                nodes.extend(row);
            }
        }
        let mut tets = Vec::with_capacity(5 * nx * ny * nz);
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    let node = |corner: usize| {
                        let [dx, dy, dz] = [corner & 1, corner >> 1 & 1, corner >> 2];
                        x + dx + (nx + 1) * (y + dy + (ny + 1) * (z + dz))
                    };
                    // the mirror image of a corner along x has the other parity; the corner at the origin is cut off
                    let flip = (x + y + z + 1) % 2;
                    tets.extend(EVEN.iter().map(|tet| tet.map(|corner| node(corner ^ flip))));
                }
            }
        }
        TetMesh::new(nodes, tets).map(|(mesh, _)| mesh)
    }

    /// The same mesh with its nodes somewhere else [m].
    pub fn mapped(&self, place: impl Fn(Vec3) -> Vec3) -> Result<TetMesh, MeshError> {
        TetMesh::new(self.nodes.iter().map(|at| place(*at)).collect(), self.tets.clone()).map(|(mesh, _)| mesh)
    }

    /// Places of the nodes [m].
    pub fn nodes(&self) -> &[Vec3] {
        &self.nodes
    }

    /// Corners of the tetrahedra: seen from the fourth, the first three run clockwise, so that volumes are above zero.
    pub fn tets(&self) -> &[[usize; 4]] {
        &self.tets
    }

    /// The surface, of facets that look outward.
    pub fn surface(&self) -> Surface {
        Surface::of(&self.tets)
    }

    /// Volume [m3].
    pub fn volume(&self) -> f64 {
        self.tets.iter().map(|tet| six_volumes(tet.map(|n| self.nodes[n])) / 6.0).sum()
    }
}

/// Six times the volume of a tetrahedron, below zero if it is inside out [m3].
pub(crate) fn six_volumes([a, b, c, d]: [Vec3; 4]) -> f64 {
    (b - a).dot((c - a).cross(d - a))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_cube_of_the_paper() {
        let mesh = TetMesh::cube(12, 0.1).unwrap();
        let surface = mesh.surface();
        assert_eq!(mesh.nodes().len(), 2197);
        assert_eq!(mesh.tets().len(), 8640);
        assert_eq!(surface.nodes.len(), 866);
        assert_eq!(surface.facets.len(), 1728);
        assert!((mesh.volume() - 1e-3).abs() < 1e-14);
    }

    #[test]
    fn facets_look_outward() {
        let mesh = TetMesh::block([2, 3, 1], Vec3::new(0.2, 0.4, 0.1)).unwrap();
        let corner = |n: usize| mesh.nodes()[n];
        // by the divergence theorem, the flux of x / 3 through the surface is the volume
        let flux: f64 =
            (mesh.surface().facets.iter()).map(|[a, b, c]| corner(*a).dot(corner(*b).cross(corner(*c))) / 6.0).sum();
        assert!((flux - 0.008).abs() < 1e-16, "{flux}");
    }

    #[test]
    fn blocks_that_are_none() {
        for (cells, size) in [
            ([0, 1, 1], 1.0),
            ([1, 1, 1], 0.0),
            ([1, 1, 1], f64::NAN),
            ([usize::MAX, 2, 2], 1.0),
            ([2_000_000; 3], 1.0),
        ] {
            assert!(matches!(TetMesh::block(cells, Vec3::splat(size)), Err(MeshError::Block { .. })));
        }
    }
}
