//! Closing a hole, if it is plane and the only one.

use super::fault::{BrokenMesh, MeshWarning};
use super::topology::middle;
use crate::contact::Mesh;
use crate::math::{Vec2, Vec3};

/// Deviation from a plane, relative to its extent, up to which a loop is plane.
const PLANE: f64 = 1e-6;
/// Limit on the edges of a hole that is closed: the search for triangles is quadratic.
const MOST: usize = 4096;

/// Close the hole with triangles in its plane. Fails with the location of the hole.
pub(super) fn fill(mesh: &mut Mesh, open: &[[u32; 2]]) -> Result<MeshWarning, BrokenMesh> {
    let refused =
        BrokenMesh::Open { edges: open.len(), at: open.first().map(|e| middle(mesh, *e)).unwrap_or_default() };
    let Some(triangles) = one_loop(open).and_then(|around| triangulate(mesh, &around)) else { return Err(refused) };
    let at = open.iter().map(|e| middle(mesh, *e)).sum::<Vec3>() / open.len() as f64;
    mesh.triangles.extend(triangles);
    Ok(MeshWarning::FilledHole { edges: open.len(), at })
}

/// The vertices around the hole, opposite to the direction of the adjacent triangles; `None` if there are several loops
/// or one that touches itself.
fn one_loop(open: &[[u32; 2]]) -> Option<Vec<u32>> {
    if open.len() < 3 || open.len() > MOST {
        return None;
    }
    let mut next: Vec<[u32; 2]> = open.iter().map(|[a, b]| [*b, *a]).collect();
    next.sort_unstable();
    if next.windows(2).any(|w| w[0][0] == w[1][0]) {
        return None;
    }
    let mut around = vec![next[0][0]];
    for _ in 1..open.len() {
        let last = around.last().copied()?;
        let found = next.binary_search_by_key(&last, |e| e[0]).ok()?;
        around.push(next[found][1]);
        if next[found][1] == next[0][0] {
            return None;
        }
    }
    let last = around.last().copied()?;
    let found = next.binary_search_by_key(&last, |e| e[0]).ok()?;
    (next[found][1] == around[0]).then_some(around)
}

/// Triangulate a plane loop by ear clipping.
fn triangulate(mesh: &Mesh, around: &[u32]) -> Option<Vec<[u32; 3]>> {
    let flat = flattened(mesh, around)?;
    let mut left: Vec<usize> = (0..around.len()).collect();
    let mut triangles = vec![];
    while left.len() > 3 {
        let n = left.len();
        let ear = (0..n).find(|&i| is_ear(&flat, &left, i))?;
        triangles.push([left[(ear + n - 1) % n], left[ear], left[(ear + 1) % n]]);
        left.remove(ear);
    }
    triangles.push([left[0], left[1], left[2]]);
    Some(triangles.into_iter().map(|t| t.map(|i| around[i])).collect())
}

/// The loop in coordinates of its plane, counter-clockwise; `None` if it is not plane.
fn flattened(mesh: &Mesh, around: &[u32]) -> Option<Vec<Vec2>> {
    let points: Vec<Vec3> = around.iter().map(|v| mesh.vertices[*v as usize]).collect();
    let n = points.len();
    let origin = points.iter().copied().sum::<Vec3>() / n as f64;
    let d: Vec<Vec3> = points.iter().map(|p| *p - origin).collect();
    let area: Vec3 = (0..n).map(|i| d[i].cross(d[(i + 1) % n])).sum();
    let extent = d.iter().map(|v| v.length()).fold(0.0, f64::max);
    let normal = area.try_normalize()?;
    if d.iter().any(|v| v.dot(normal).abs() > PLANE * extent) {
        return None;
    }
    let (x, y) = normal.any_orthonormal_pair();
    // make x, y and the normal right-handed
    let sign = x.cross(y).dot(normal).signum();
    Some(d.iter().map(|v| Vec2::new(v.dot(x), sign * v.dot(y))).collect())
}

/// Whether a corner is an ear: convex, with no other vertex in its triangle.
fn is_ear(flat: &[Vec2], left: &[usize], i: usize) -> bool {
    let n = left.len();
    let ring = [left[(i + n - 1) % n], left[i], left[(i + 1) % n]];
    let [a, b, c] = ring.map(|v| flat[v]);
    let side = |p: Vec2, q: Vec2, r: Vec2| (q - p).perp_dot(r - p);
    let size = (b - a).length() * (c - b).length();
    if side(a, b, c) <= 1e-12 * size {
        return false;
    }
    let within = |p: Vec2| side(a, b, p) >= 0.0 && side(b, c, p) >= 0.0 && side(c, a, p) >= 0.0;
    !left.iter().any(|v| !ring.contains(v) && within(flat[*v]))
}
