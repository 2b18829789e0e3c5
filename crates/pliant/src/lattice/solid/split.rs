//! Division of cells into tetrahedra.
//!
//! There are two divisions. The centred one adds a point in the middle of every quadrilateral facet and at the centre
//! of mass of the cell: symmetric, 24 tetrahedra for a hexahedron. The plain one adds no points: 5 tetrahedra for a
//! hexahedron (two ways), 3 for a wedge, 2 for a pyramid.
//!
//! Plain divisions of neighbours match where possible. For hexahedra alone, vertices are coloured like a chessboard,
//! and every diagonal joins two of one colour. Wedges and pyramids: every diagonal starts at the smallest index of its
//! facet (J. Dompierre and others, "How to subdivide pyramids, prisms and hexahedra into tetrahedra"). Where a
//! hexahedron meets a wedge, diagonals may differ, which only matters if the facet is not plane.

use super::cells::{Cell, FaceCorners};
use crate::contact::Mesh;
use crate::math::Vec3;
use crate::moments::Moments;

/// How a cell is divided into tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// With its vertices only.
    Plain,
    /// With added points in the middle of quadrilateral facets and at the centre of mass.
    Centred,
}

/// A corner of a tetrahedron within a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corner {
    /// A vertex, by its index in the cell.
    Vertex(usize),
    /// The middle of a quadrilateral facet, by its index in the cell.
    Face(usize),
    /// The centre of the cell.
    Centre,
}

/// Hexahedron by 0, 2, 5, 7: one tetrahedron in the middle, four corners cut off.
const EVEN: [[usize; 4]; 5] = [[0, 5, 2, 7], [0, 1, 2, 5], [0, 2, 3, 7], [0, 5, 7, 4], [2, 7, 5, 6]];
/// Hexahedron by 1, 3, 4, 6.
const ODD: [[usize; 4]; 5] = [[1, 3, 4, 6], [1, 3, 0, 4], [1, 2, 3, 6], [1, 6, 4, 5], [3, 4, 6, 7]];
/// Rotations of a wedge that bring each vertex to position 0.
const WEDGE_TURNS: [[usize; 6]; 6] = [
    [0, 1, 2, 3, 4, 5],
    [1, 2, 0, 4, 5, 3],
    [2, 0, 1, 5, 3, 4],
    [3, 5, 4, 0, 2, 1],
    [4, 3, 5, 1, 0, 2],
    [5, 4, 3, 2, 1, 0],
];

/// The tetrahedra of a division, as corners within the cell. A tetrahedron is never divided.
pub(super) fn tetrahedra(cell: &Cell, cut: Cut, even: bool) -> Vec<[Corner; 4]> {
    match (cell, cut) {
        (Cell::Tetrahedron(_), _) => vec![[0, 1, 2, 3].map(Corner::Vertex)],
        (_, Cut::Centred) => centred(cell),
        (Cell::Hexahedron(_), Cut::Plain) => by_vertices(if even { &EVEN } else { &ODD }),
        (Cell::Wedge(v), Cut::Plain) => by_vertices(&wedge(v)),
        (Cell::Pyramid(v), Cut::Plain) => by_vertices(&pyramid(v)),
    }
}

/// Moments of a cell at density one, as the tetrahedra of a division.
pub(super) fn cell_moments(vertices: &[Vec3], cell: &Cell, cut: Cut, even: bool) -> Moments {
    match cut {
        // from its surface, which does not need the centre
        Cut::Centred => Moments::of_mesh(&centred_surface(vertices, cell)),
        Cut::Plain => {
            let at = |corner| position(vertices, cell, corner, Vec3::ZERO);
            let cut = tetrahedra(cell, cut, even);
            Moments::sum(cut.iter().map(|t| Moments::of_tetrahedron(t.map(at))))
        }
    }
}

/// Position of a corner of a tetrahedron [m], given the centre of the cell.
pub(super) fn position(vertices: &[Vec3], cell: &Cell, corner: Corner, centre: Vec3) -> Vec3 {
    match corner {
        Corner::Vertex(i) => vertices[cell.vertices()[i] as usize],
        Corner::Face(f) => {
            let face = cell.local_faces()[f].corners();
            // equal weights, so that dividing a facet's mass among its corners keeps the centre
            let sum: Vec3 = face.iter().map(|&i| vertices[cell.vertices()[i as usize] as usize]).sum();
            sum / face.len() as f64
        }
        Corner::Centre => centre,
    }
}

/// Whether a plain division joins the first and third corner of a quadrilateral facet, given by positions in the cell.
pub(super) fn first_diagonal(cell: &Cell, face: [u32; 4], even: bool) -> bool {
    match cell {
        Cell::Hexahedron(_) => even == matches!(face[0], 0 | 2 | 5 | 7),
        _ => {
            let v = cell.vertices();
            let [a, b, c, d] = face.map(|i| v[i as usize]);
            a.min(c) < b.min(d)
        }
    }
}

/// Which division into five tetrahedra each hexahedron uses: by chessboard colours if the vertices can be coloured so,
/// otherwise the even one; but the other one where only that gives five positive tetrahedra.
pub(super) fn parities(vertices: &[Vec3], cells: &[Cell]) -> Vec<bool> {
    let colours = chessboard(vertices.len(), cells);
    let smallest = |cell: &Cell, even: bool| {
        let at = |corner| position(vertices, cell, corner, Vec3::ZERO);
        let cut = tetrahedra(cell, Cut::Plain, even);
        cut.iter().map(|t| Moments::of_tetrahedron(t.map(at)).volume).fold(f64::INFINITY, f64::min)
    };
    cells
        .iter()
        .map(|cell| match cell {
            Cell::Hexahedron(v) => {
                let even = colours.as_ref().is_none_or(|c| c[v[0] as usize]);
                if smallest(cell, even) <= 0.0 && smallest(cell, !even) > 0.0 { !even } else { even }
            }
            _ => true,
        })
        .collect()
}

/// Colours such that the ends of every edge differ; `None` if there are odd loops.
fn chessboard(count: usize, cells: &[Cell]) -> Option<Vec<bool>> {
    let mut edges: Vec<[u32; 2]> = vec![];
    for cell in cells {
        for face in cell.faces() {
            let c = face.corners();
            edges.extend((0..c.len()).map(|i| [c[i], c[(i + 1) % c.len()]]));
        }
    }
    // both directions of every edge occur: each facet edge belongs to two facets of its cell
    edges.sort_unstable();
    edges.dedup();
    let start = |v: usize| edges.partition_point(|e| (e[0] as usize) < v);
    let mut colours: Vec<Option<bool>> = vec![None; count];
    let mut stack = vec![];
    for seed in 0..count {
        if colours[seed].is_none() {
            colours[seed] = Some(true);
            stack.push(seed);
        }
        while let Some(v) = stack.pop() {
            for e in edges[start(v)..].iter().take_while(|e| e[0] as usize == v) {
                let to = e[1] as usize;
                if colours[to] == colours[v] {
                    return None;
                }
                if colours[to].is_none() {
                    colours[to] = colours[v].map(|c| !c);
                    stack.push(to);
                }
            }
        }
    }
    Some(colours.into_iter().map(|c| c == Some(true)).collect())
}

fn by_vertices(cut: &[[usize; 4]]) -> Vec<[Corner; 4]> {
    cut.iter().map(|t| t.map(Corner::Vertex)).collect()
}

fn wedge(vertices: &[u32; 6]) -> [[usize; 4]; 3] {
    let first = (0..6).min_by_key(|&i| vertices[i]).unwrap_or(0);
    let turn = WEDGE_TURNS[first];
    let v = turn.map(|i| vertices[i]);
    let cut = if v[1].min(v[5]) < v[2].min(v[4]) {
        [[0, 1, 2, 5], [0, 1, 5, 4], [0, 4, 5, 3]]
    } else {
        [[0, 1, 2, 4], [0, 4, 2, 5], [0, 4, 5, 3]]
    };
    cut.map(|t| t.map(|i| turn[i]))
}

fn pyramid(v: &[u32; 5]) -> [[usize; 4]; 2] {
    if v[0].min(v[2]) < v[1].min(v[3]) { [[0, 1, 2, 4], [0, 2, 3, 4]] } else { [[1, 2, 3, 4], [1, 3, 0, 4]] }
}

/// Triangles of the facets, quadrilaterals divided at their middle, as corners within the cell.
fn centred_triangles(cell: &Cell) -> Vec<[Corner; 3]> {
    let mut triangles = vec![];
    for (f, face) in cell.local_faces().iter().enumerate() {
        match face {
            FaceCorners::Triangle(c) => triangles.push(c.map(|i| Corner::Vertex(i as usize))),
            FaceCorners::Quad(c) => triangles.extend((0..4).map(|i| {
                let [a, b] = [c[i], c[(i + 1) % 4]].map(|v| Corner::Vertex(v as usize));
                [a, b, Corner::Face(f)]
            })),
        }
    }
    triangles
}

/// Tetrahedra from every triangle of the surface and the centre of the cell.
fn centred(cell: &Cell) -> Vec<[Corner; 4]> {
    // seen from the centre, a triangle has the opposite orientation
    centred_triangles(cell).into_iter().map(|[a, b, c]| [a, c, b, Corner::Centre]).collect()
}

/// The surface of a cell, with quadrilaterals divided at their middle.
fn centred_surface(vertices: &[Vec3], cell: &Cell) -> Mesh {
    let mut mesh = Mesh::default();
    for triangle in centred_triangles(cell) {
        let first = mesh.vertices.len() as u32;
        mesh.vertices.extend(triangle.map(|c| position(vertices, cell, c, Vec3::ZERO)));
        mesh.triangles.push([first, first + 1, first + 2]);
    }
    mesh
}
