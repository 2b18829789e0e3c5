//! Cells: the simple solids a body is cut into.
//!
//! ```text
//!   hexahedron           wedge              pyramid          tetrahedron
//!
//!     7-------6            5                   4                 3
//!    /|      /|           /|\                 /|\               /|\
//!   4-------5 |          3---4               / | \             / | \
//!   | |     | |          | 2 |              /  3--2           /  2  \
//!   | 3-----|-2          |/ \|             /  /  /            | / \ |
//!   |/      |/           0---1            0------1            0-----1
//!   0-------1
//! ```
//!
//! The first facet (0, 1, 2 and 3 where there is one) is counter-clockwise seen from the rest of the cell.

use super::split::{self, Corner, Cut};
use crate::math::Vec3;
use crate::moments::{Moments, bounds};

/// A simple solid by its vertices, in the order drawn in this file's head: the first facet counter-clockwise seen
/// from the rest of the cell, the second facet above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// A deformed box: facet 0 1 2 3, above it 4 5 6 7.
    Hexahedron([u32; 8]),
    /// A deformed prism on a triangle: facet 0 1 2, above it 3 4 5.
    Wedge([u32; 6]),
    /// A facet 0 1 2 3 and a tip 4.
    Pyramid([u32; 5]),
    /// A facet 0 1 2 and a tip 3.
    Tetrahedron([u32; 4]),
}

/// The corners of a facet of a cell, as indices of vertices, counter-clockwise seen from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaceCorners {
    /// Three corners.
    Triangle([u32; 3]),
    /// Four corners, not necessarily in one plane.
    Quad([u32; 4]),
}

use FaceCorners::{Quad, Triangle};

const HEXAHEDRON: [FaceCorners; 6] = [
    Quad([0, 3, 2, 1]),
    Quad([4, 5, 6, 7]),
    Quad([0, 1, 5, 4]),
    Quad([1, 2, 6, 5]),
    Quad([2, 3, 7, 6]),
    Quad([3, 0, 4, 7]),
];
const WEDGE: [FaceCorners; 5] =
    [Triangle([0, 2, 1]), Triangle([3, 4, 5]), Quad([0, 1, 4, 3]), Quad([1, 2, 5, 4]), Quad([2, 0, 3, 5])];
const PYRAMID: [FaceCorners; 5] =
    [Quad([0, 3, 2, 1]), Triangle([0, 1, 4]), Triangle([1, 2, 4]), Triangle([2, 3, 4]), Triangle([3, 0, 4])];
const TETRAHEDRON: [FaceCorners; 4] =
    [Triangle([0, 2, 1]), Triangle([0, 1, 3]), Triangle([1, 2, 3]), Triangle([2, 0, 3])];

impl Cell {
    /// Indices of the vertices.
    pub fn vertices(&self) -> &[u32] {
        match self {
            Cell::Hexahedron(v) => v,
            Cell::Wedge(v) => v,
            Cell::Pyramid(v) => v,
            Cell::Tetrahedron(v) => v,
        }
    }

    /// The facets, as positions in [`Cell::vertices`], counter-clockwise seen from outside.
    pub fn local_faces(&self) -> &'static [FaceCorners] {
        match self {
            Cell::Hexahedron(_) => &HEXAHEDRON,
            Cell::Wedge(_) => &WEDGE,
            Cell::Pyramid(_) => &PYRAMID,
            Cell::Tetrahedron(_) => &TETRAHEDRON,
        }
    }

    /// The facets, as indices of vertices, counter-clockwise seen from outside.
    pub fn faces(&self) -> impl Iterator<Item = FaceCorners> + '_ {
        let v = self.vertices();
        self.local_faces().iter().map(move |face| match face {
            Triangle(c) => Triangle(c.map(|i| v[i as usize])),
            Quad(c) => Quad(c.map(|i| v[i as usize])),
        })
    }

    /// Name of the kind of cell, for messages.
    pub fn name(&self) -> &'static str {
        match self {
            Cell::Hexahedron(_) => "hexahedron",
            Cell::Wedge(_) => "wedge",
            Cell::Pyramid(_) => "pyramid",
            Cell::Tetrahedron(_) => "tetrahedron",
        }
    }
}

impl FaceCorners {
    /// The corners in order.
    pub fn corners(&self) -> &[u32] {
        match self {
            Triangle(c) => c,
            Quad(c) => c,
        }
    }

    /// Key that is equal in all cells with this facet: the corners in ascending order, padded for a triangle.
    pub(super) fn key(&self) -> [u32; 4] {
        let mut key = [u32::MAX; 4];
        key[..self.corners().len()].copy_from_slice(self.corners());
        key.sort_unstable();
        key
    }
}

/// Why cells do not form a solid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CellError {
    /// No cells.
    #[error("a solid needs at least one cell, got none")]
    Empty,
    /// More vertices or cells than can be indexed.
    #[error("{count} {what} are too many: at most {most} can be numbered")]
    TooMany {
        /// What is counted.
        what: &'static str,
        /// How many.
        count: usize,
        /// Largest number.
        most: usize,
    },
    /// A vertex that does not exist.
    #[error("cell {cell} names vertex {vertex}, there are {count}")]
    NoVertex {
        /// Index of the cell.
        cell: usize,
        /// Index of the vertex.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// A vertex that belongs to no cell.
    #[error("vertex {vertex} at {at} m belongs to no cell: it would be a particle without mass")]
    Unused {
        /// Index of the vertex.
        vertex: usize,
        /// Its position [m].
        at: Vec3,
    },
    /// A coordinate that is not finite.
    #[error("vertex {vertex} at {at} m is not finite")]
    NotFinite {
        /// Index of the vertex.
        vertex: usize,
        /// Its position [m].
        at: Vec3,
    },
    /// A flat cell or one turned inside out.
    #[error("cell {cell}, a {kind} near {at} m, has a volume of {volume:.3e} m3: it is flat or turned inside out")]
    Volume {
        /// Index of the cell.
        cell: usize,
        /// Kind of cell.
        kind: &'static str,
        /// One of its vertices [m].
        at: Vec3,
        /// Its volume [m3].
        volume: f64,
    },
}

/// Volume below which a cell is flat, relative to the cube of its extent: a few hundred rounding errors.
const FLAT: f64 = 1e-13;

/// A solid as cells with shared vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Cells {
    vertices: Vec<Vec3>,
    cells: Vec<Cell>,
    /// Which of the two divisions into five tetrahedra each hexahedron uses, so that neighbours agree on diagonals.
    even: Vec<bool>,
}

impl Cells {
    /// Cells over vertices [m]. Fails unless all indices are valid, all vertices used and finite, and all volumes
    /// positive.
    pub fn new(vertices: Vec<Vec3>, cells: Vec<Cell>) -> Result<Cells, CellError> {
        check_numbers(&vertices, &cells)?;
        let mut solid = Cells { even: vec![true; cells.len()], vertices, cells };
        for cell in 0..solid.cells.len() {
            let volume = solid.volume(cell);
            let corners: Vec<Vec3> = solid.corners(cell).collect();
            let [low, high] = bounds(&corners);
            if volume.is_nan() || volume <= FLAT * (high - low).length().powi(3) {
                let kind = solid.cells[cell].name();
                return Err(CellError::Volume { cell, kind, at: corners[0], volume });
            }
        }
        solid.even = split::parities(&solid.vertices, &solid.cells);
        Ok(solid)
    }

    /// Vertices [m].
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Cells.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Which of the two divisions into five tetrahedra a hexahedron uses: true for the one through vertices 0, 2, 5, 7.
    pub fn is_even(&self, cell: usize) -> bool {
        self.even.get(cell).copied().unwrap_or(true)
    }

    /// Positions of the vertices of a cell [m].
    pub fn corners(&self, cell: usize) -> impl Iterator<Item = Vec3> + '_ {
        let vertices = self.cells.get(cell).map(|c| c.vertices()).unwrap_or_default();
        vertices.iter().map(|&v| self.vertices[v as usize])
    }

    /// A copy with every vertex moved by a function [m]; its cells are not checked and may be flat or inverted.
    pub fn moved(&self, to: impl Fn(Vec3) -> Vec3) -> Cells {
        let vertices = self.vertices.iter().map(|v| to(*v)).collect();
        Cells { vertices, cells: self.cells.clone(), even: self.even.clone() }
    }

    /// Volume of a cell, with facets divided at their centres [m3].
    pub fn volume(&self, cell: usize) -> f64 {
        self.cell_moments(cell, Cut::Centred).volume
    }

    /// Moments of a cell at density one. Facets that are not plane are replaced by the triangles of the cut.
    pub fn cell_moments(&self, cell: usize, cut: Cut) -> Moments {
        match self.cells.get(cell) {
            Some(c) => split::cell_moments(&self.vertices, c, cut, self.is_even(cell)),
            None => Moments::ZERO,
        }
    }

    /// The tetrahedra of a cell, as corners within the cell; seen from the last corner the others are
    /// counter-clockwise.
    pub fn tetrahedra(&self, cell: usize, cut: Cut) -> Vec<[Corner; 4]> {
        self.cells.get(cell).map(|c| split::tetrahedra(c, cut, self.is_even(cell))).unwrap_or_default()
    }

    /// Corners of the tetrahedra of a cell [m], in the order of [`Cells::tetrahedra`].
    pub fn tetrahedra_points(&self, cell: usize, cut: Cut) -> Vec<[Vec3; 4]> {
        let Some(c) = self.cells.get(cell) else { return vec![] };
        let centre = self.cell_moments(cell, Cut::Centred).centre;
        let at = |corner| split::position(&self.vertices, c, corner, centre);
        self.tetrahedra(cell, cut).into_iter().map(|t| t.map(at)).collect()
    }

    /// Moments of the solid at density one.
    pub fn moments(&self, cut: Cut) -> Moments {
        Moments::sum((0..self.cells.len()).map(|cell| self.cell_moments(cell, cut)))
    }
}

/// Check that all indices are valid, and all vertices used and finite.
fn check_numbers(vertices: &[Vec3], cells: &[Cell]) -> Result<(), CellError> {
    if cells.is_empty() {
        return Err(CellError::Empty);
    }
    // a cell may have 39 particles, which have 32-bit indices too
    let most = u32::MAX as usize / 64;
    for (what, count) in [("vertices", vertices.len()), ("cells", cells.len())] {
        if count > most {
            return Err(CellError::TooMany { what, count, most });
        }
    }
    if let Some(vertex) = vertices.iter().position(|v| !v.is_finite()) {
        return Err(CellError::NotFinite { vertex, at: vertices[vertex] });
    }
    let mut used = vec![false; vertices.len()];
    for (cell, c) in cells.iter().enumerate() {
        for &vertex in c.vertices() {
            match used.get_mut(vertex as usize) {
                Some(u) => *u = true,
                None => return Err(CellError::NoVertex { cell, vertex, count: vertices.len() }),
            }
        }
    }
    match used.iter().position(|u| !u) {
        Some(vertex) => Err(CellError::Unused { vertex, at: vertices[vertex] }),
        None => Ok(()),
    }
}
