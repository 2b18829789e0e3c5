//! Tetrahedral meshes: one solid body in one piece, validated on construction.

pub(crate) mod gmsh;
pub(crate) mod reader;
pub(crate) mod soundness;
pub(crate) mod surface;
pub(crate) mod vtk;

use crate::error::MeshError;
use crate::mesh::soundness::Repairs;
use crate::mesh::surface::Surface;
use pliant::math::Vec3;

/// A valid tetrahedral mesh: positive volumes, in one piece, with a closed surface.
#[derive(Clone, Debug, PartialEq)]
pub struct TetMesh {
    nodes: Vec<Vec3>,
    tets: Vec<[usize; 4]>,
}

/// Largest number of nodes of a block: far beyond what can be solved, but still addressable.
const MOST_NODES: usize = 100_000_000;

/// Corners of the five tetrahedra of a cell. The bits of a corner's number are its x, y and z. The first tetrahedron
/// joins the four corners of even parity; the others cut off the corners of odd parity.
const EVEN: [[usize; 4]; 5] = [[0, 3, 5, 6], [1, 0, 3, 5], [2, 0, 3, 6], [4, 0, 5, 6], [7, 3, 5, 6]];

impl TetMesh {
    /// Validate nodes [m] and tetrahedra. Inverted tetrahedra are reoriented and unused nodes dropped, as reported in
    /// [`Repairs`]; any other defect is an error.
    pub fn new(nodes: Vec<Vec3>, tets: Vec<[usize; 4]>) -> Result<(TetMesh, Repairs), MeshError> {
        let (nodes, tets, repairs) = soundness::judge(nodes, tets)?;
        Ok((TetMesh { nodes, tets }, repairs))
    }

    /// A cube of a given side [m], in cells cut into five tetrahedra each: with 12 cells the mesh of Tagawa, Hirota and
    /// Hirose ("A study on haptic interaction and simulation of motion and deformation of elastic object"), table 1.
    pub fn cube(cells: usize, side: f64) -> Result<TetMesh, MeshError> {
        TetMesh::block([cells; 3], Vec3::splat(side))
    }

    /// A block from the origin to `size` [m], in cells cut into five tetrahedra each. Neighbouring cells are cut in
    /// mirror image, so that their diagonals match.
    pub fn block(cells: [usize; 3], size: Vec3) -> Result<TetMesh, MeshError> {
        let [nx, ny, nz] = cells;
        let count = (cells.iter()).try_fold(1usize, |product, n| product.checked_mul(n.checked_add(1)?));
        let sound = cells.iter().all(|n| *n > 0) && size.is_finite() && size.min_element() > 0.0;
        let count = count.filter(|count| sound && *count <= MOST_NODES).ok_or(MeshError::Block { cells, size })?;
        let mut nodes = Vec::with_capacity(count);
        // k / n * size rather than k * (size / n): the last node is then exactly at size
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

    /// This mesh with each node moved to `place` of its position [m]. Fails if that makes the mesh invalid.
    pub fn mapped(&self, place: impl Fn(Vec3) -> Vec3) -> Result<TetMesh, MeshError> {
        TetMesh::new(self.nodes.iter().map(|at| place(*at)).collect(), self.tets.clone()).map(|(mesh, _)| mesh)
    }

    /// Positions of the nodes [m].
    pub fn nodes(&self) -> &[Vec3] {
        &self.nodes
    }

    /// Corners of the tetrahedra: seen from the fourth, the first three run counterclockwise, so that volumes are
    /// positive.
    pub fn tets(&self) -> &[[usize; 4]] {
        &self.tets
    }

    /// The surface, with facets oriented outward.
    pub fn surface(&self) -> Surface {
        Surface::of(&self.tets)
    }

    /// Volume [m3].
    pub fn volume(&self) -> f64 {
        self.tets.iter().map(|tet| six_volumes(tet.map(|n| self.nodes[n])) / 6.0).sum()
    }
}

/// Six times the signed volume of a tetrahedron, negative if it is inverted [m3].
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
