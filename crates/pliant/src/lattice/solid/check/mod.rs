//! Checking a triangle mesh before it becomes a body: what can be repaired is, with a warning; anything else is
//! rejected, with a count and a location.

mod crossing;
mod fault;
mod holes;
mod topology;

pub use fault::{BrokenMesh, MeshWarning};

use super::weld::weld;
use crate::contact::Mesh;
use crate::math::Vec3;
use crate::moments::bounds;

/// Limits on a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshLimits {
    /// Largest number of triangles.
    pub triangles: usize,
    /// Distance, relative to the extent of the mesh, within which vertices are merged [-].
    pub merge: f64,
    /// Largest number of separate surfaces.
    pub parts: usize,
}

impl Default for MeshLimits {
    fn default() -> MeshLimits {
        MeshLimits { triangles: 4_000_000, merge: 1e-9, parts: 256 }
    }
}

/// A mesh that bounds a solid.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The mesh: closed, with every edge between two triangles, counter-clockwise seen from outside, without
    /// intersections.
    pub mesh: Mesh,
    /// Repairs and remarks.
    pub warnings: Vec<MeshWarning>,
}

/// Volume, relative to surface times extent, below which a mesh is flat.
const FLAT: f64 = 1e-9;

/// Check that a mesh bounds a solid, after unambiguous repairs.
pub fn check_mesh(mesh: &Mesh, limits: &MeshLimits) -> Result<Checked, BrokenMesh> {
    check_numbers(mesh, limits)?;
    let mut warnings = vec![];
    let mut mesh = merged(mesh, limits.merge, &mut warnings);
    drop_degenerate(&mut mesh, &mut warnings);
    check_flat(&mesh, None)?;
    let surface = topology::orient(&mut mesh)?;
    if !surface.open.is_empty() {
        warnings.push(holes::fill(&mut mesh, &surface.open)?);
    }
    check_flat(&mesh, Some(surface.volume(&mesh)))?;
    count_slivers(&mesh, &mut warnings);
    // intersections must be excluded before testing which parts lie inside others
    crossing::check(&mesh)?;
    topology::turn_outwards(&mut mesh, &surface, limits.parts, &mut warnings)?;
    Ok(Checked { mesh: compact(mesh, &mut warnings), warnings })
}

/// Check indices, finiteness and counts.
fn check_numbers(mesh: &Mesh, limits: &MeshLimits) -> Result<(), BrokenMesh> {
    if mesh.triangles.is_empty() {
        return Err(BrokenMesh::Empty);
    }
    let triangles = mesh.triangles.len();
    if triangles > limits.triangles {
        return Err(BrokenMesh::TooMany { triangles, most: limits.triangles });
    }
    let count = mesh.vertices.len();
    let stray = |t: &[u32; 3]| t.iter().copied().find(|&v| v as usize >= count);
    if let Some((triangle, vertex)) = mesh.triangles.iter().enumerate().find_map(|(i, t)| Some((i, stray(t)?))) {
        return Err(BrokenMesh::NoVertex { triangle, vertex, count });
    }
    let bad = || mesh.vertices.iter().enumerate().filter(|(_, v)| !v.is_finite());
    if let Some((vertex, at)) = bad().next() {
        return Err(BrokenMesh::NotFinite { count: bad().count(), vertex, at: *at });
    }
    let [low, high] = bounds(&mesh.vertices);
    // volumes are cubes and inertias fifth powers: they must not overflow
    let largest = low.abs().max(high.abs()).max_element();
    if largest > 1e50 { Err(BrokenMesh::Huge { largest }) } else { Ok(()) }
}

/// Merge duplicate vertices.
fn merged(mesh: &Mesh, merge: f64, warnings: &mut Vec<MeshWarning>) -> Mesh {
    let [low, high] = bounds(&mesh.vertices);
    let (vertices, became) = weld(&mesh.vertices, merge.max(0.0) * (high - low).length());
    if vertices.len() < mesh.vertices.len() {
        warnings.push(MeshWarning::Merged { vertices: mesh.vertices.len() - vertices.len() });
    }
    let triangles = mesh.triangles.iter().map(|t| t.map(|v| became[v as usize])).collect();
    Mesh { vertices, triangles }
}

/// Drop triangles with coincident corners, duplicate triangles, and pairs back to back.
fn drop_degenerate(mesh: &mut Mesh, warnings: &mut Vec<MeshWarning>) {
    let before = mesh.triangles.len();
    let mut first_bad = None;
    let vertices = &mesh.vertices;
    mesh.triangles.retain(|&[a, b, c]| {
        let good = a != b && b != c && c != a;
        if !good {
            first_bad.get_or_insert(vertices[a as usize]);
        }
        good
    });
    // the same three corners: one triangle, or two back to back that enclose nothing
    let mut order: Vec<([u32; 3], u32)> = mesh.triangles.iter().zip(0..).map(|(t, i)| (sorted(*t), i)).collect();
    order.sort_unstable();
    let mut keep = vec![true; mesh.triangles.len()];
    for group in order.chunk_by(|a, b| a.0 == b.0).filter(|g| g.len() > 1) {
        let turn = |i: u32| if is_even(mesh.triangles[i as usize]) { 1 } else { -1 };
        let net: i32 = group.iter().map(|(_, i)| turn(*i)).sum();
        let stays = group.iter().find(|(_, i)| turn(*i) == net.signum());
        for (_, i) in group {
            keep[*i as usize] = stays.is_some_and(|(_, s)| s == i);
        }
        first_bad.get_or_insert(vertices[group[0].0[0] as usize]);
    }
    let mut kept = keep.into_iter();
    mesh.triangles.retain(|_| kept.next().unwrap_or(true));
    if let Some(at) = first_bad {
        warnings.push(MeshWarning::Dropped { triangles: before - mesh.triangles.len(), at });
    }
}

/// Corners in ascending order.
fn sorted(mut triangle: [u32; 3]) -> [u32; 3] {
    triangle.sort_unstable();
    triangle
}

/// Whether corners are an even permutation of their ascending order.
fn is_even([a, b, c]: [u32; 3]) -> bool {
    // in an even permutation two of three cyclic neighbours ascend
    [a < b, b < c, c < a].into_iter().filter(|rises| *rises).count() == 2
}

/// Fail if a mesh has no area or, once it is closed, no volume.
fn check_flat(mesh: &Mesh, volume: Option<f64>) -> Result<(), BrokenMesh> {
    let area: f64 = mesh.triangles.iter().map(|t| normal(mesh, *t).length() / 2.0).sum();
    let [low, high] = bounds(&mesh.vertices);
    let extent = high - low;
    let solid = match volume {
        Some(volume) => volume > FLAT * area * extent.length(),
        // before it is closed, only a mesh in a plane along the axes is known to be flat
        None => area > 0.0 && extent.min_element() > FLAT * extent.length(),
    };
    if solid { Ok(()) } else { Err(BrokenMesh::Flat { volume: volume.unwrap_or(0.0), area, at: low }) }
}

/// Warn about triangles without area. They stay, as they connect their neighbours.
fn count_slivers(mesh: &Mesh, warnings: &mut Vec<MeshWarning>) {
    let mut slivers = mesh.triangles.iter().filter(|t| {
        let [a, b, c] = corners(mesh, **t);
        let longest = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
        normal(mesh, **t).length() <= 1e-9 * longest
    });
    if let Some(first) = slivers.next() {
        let at = mesh.vertices[first[0] as usize];
        warnings.push(MeshWarning::Slivers { triangles: 1 + slivers.count(), at });
    }
}

/// Keep only vertices that belong to triangles.
fn compact(mesh: Mesh, warnings: &mut Vec<MeshWarning>) -> Mesh {
    let mut became = vec![u32::MAX; mesh.vertices.len()];
    mesh.triangles.iter().flatten().for_each(|&v| became[v as usize] = 0);
    let mut vertices = vec![];
    for (old, new) in became.iter_mut().enumerate().filter(|(_, n)| **n == 0) {
        *new = vertices.len() as u32;
        vertices.push(mesh.vertices[old]);
    }
    if vertices.len() < mesh.vertices.len() {
        warnings.push(MeshWarning::Unused { vertices: mesh.vertices.len() - vertices.len() });
    }
    let triangles = mesh.triangles.iter().map(|t| t.map(|v| became[v as usize])).collect();
    Mesh { vertices, triangles }
}

/// Corners of a triangle [m].
fn corners(mesh: &Mesh, triangle: [u32; 3]) -> [Vec3; 3] {
    triangle.map(|v| mesh.vertices[v as usize])
}

/// Normal of a triangle, with twice its area as length [m2].
fn normal(mesh: &Mesh, triangle: [u32; 3]) -> Vec3 {
    let [a, b, c] = corners(mesh, triangle);
    (b - a).cross(c - a)
}
