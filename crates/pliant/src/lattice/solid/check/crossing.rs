//! Intersecting triangles of a mesh.

use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};

use super::fault::BrokenMesh;
use super::{corners, normal};
use crate::contact::Mesh;
use crate::math::Vec3;

/// Distance, relative to the extent of two triangles, below which they touch but do not intersect: some thousand
/// rounding errors.
const TOUCH: f64 = 1e-12;
/// Overlap in a common plane, relative to the extent, below which triangles only touch.
const OVERLAP: f64 = 1e-9;
/// Number of pairs after which counting stops.
const ENOUGH: usize = 1000;

/// Fail if triangles of a mesh intersect.
pub(super) fn check(mesh: &Mesh) -> Result<(), BrokenMesh> {
    let boxes: Vec<Aabb> = mesh.triangles.iter().map(|t| around(corners(mesh, *t))).collect();
    let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
    let mut found: Option<([u32; 2], Vec3)> = None;
    let mut pairs = 0;
    'all: for (i, aabb) in boxes.iter().enumerate() {
        for j in tree.intersect_aabb(aabb).filter(|j| *j as usize > i) {
            if let Some(at) = meet(mesh, mesh.triangles[i], mesh.triangles[j as usize]) {
                found.get_or_insert(([i as u32, j], at));
                pairs += 1;
                if pairs == ENOUGH {
                    break 'all;
                }
            }
        }
    }
    match found {
        Some((triangles, at)) => Err(BrokenMesh::Crossing { pairs, more: pairs == ENOUGH, triangles, at }),
        None => Ok(()),
    }
}

fn around([a, b, c]: [Vec3; 3]) -> Aabb {
    Aabb::new(a.min(b).min(c), a.max(b).max(c))
}

/// A point where two triangles intersect, other than at shared corners.
fn meet(mesh: &Mesh, one: [u32; 3], two: [u32; 3]) -> Option<Vec3> {
    let shared = one.iter().filter(|v| two.contains(v)).count();
    let (n1, n2) = (normal(mesh, one), normal(mesh, two));
    let (p1, p2) = (corners(mesh, one), corners(mesh, two));
    let extent = p1.iter().chain(&p2).map(|p| p.distance(p1[0])).fold(0.0, f64::max);
    if shared < 2 {
        // with one shared corner, only the opposite edge can intersect
        let edges = |of: [u32; 3], other: [u32; 3]| {
            (0..3).map(move |i| [of[i], of[(i + 1) % 3]]).filter(move |e| !e.iter().any(|v| other.contains(v)))
        };
        let ends = |e: [u32; 2]| e.map(|v| mesh.vertices[v as usize]);
        let by_one = edges(one, two).find_map(|e| pierce(ends(e), p2, n2, extent));
        let found = by_one.or_else(|| edges(two, one).find_map(|e| pierce(ends(e), p1, n1, extent)));
        if found.is_some() {
            return found;
        }
    }
    overlap(p1, n1, p2, n2, extent)
}

/// The point where a segment passes through a triangle with normal `n`. The ends must be strictly on either side; the
/// edges of the triangle count, as an edge of one box often hits exactly the diagonal of another's facet.
fn pierce([p, q]: [Vec3; 2], t: [Vec3; 3], n: Vec3, extent: f64) -> Option<Vec3> {
    let (dp, dq) = (n.dot(p - t[0]), n.dot(q - t[0]));
    let touch = TOUCH * n.length() * extent;
    if dp.abs() <= touch || dq.abs() <= touch || (dp > 0.0) == (dq > 0.0) {
        return None;
    }
    let x = p.lerp(q, dp / (dp - dq));
    let inside = |i: usize| {
        let (from, to) = (t[i], t[(i + 1) % 3]);
        (to - from).cross(x - from).dot(n) >= -TOUCH * n.length_squared()
    };
    (0..3).all(inside).then_some(x)
}

/// A point near the overlap of two coplanar triangles, if no edge of either separates them.
fn overlap(p1: [Vec3; 3], n1: Vec3, p2: [Vec3; 3], n2: Vec3, extent: f64) -> Option<Vec3> {
    let touch = TOUCH * extent;
    let flat = |p: [Vec3; 3], o: Vec3, n: Vec3| p.iter().all(|v| n.dot(*v - o).abs() <= touch * n.length());
    // degenerate triangles have no plane
    let sliver = |n: Vec3| n.length() <= OVERLAP * extent * extent;
    if sliver(n1) || sliver(n2) || !flat(p2, p1[0], n1) || !flat(p1, p2[0], n2) {
        return None;
    }
    let range = |p: [Vec3; 3], axis: Vec3| {
        let s = p.map(|v| axis.dot(v - p1[0]));
        (s[0].min(s[1]).min(s[2]), s[0].max(s[1]).max(s[2]))
    };
    let separates = |from: Vec3, to: Vec3| {
        let axis = n1.cross(to - from).normalize_or_zero();
        let ((low1, high1), (low2, high2)) = (range(p1, axis), range(p2, axis));
        high1.min(high2) - low1.max(low2) <= OVERLAP * extent
    };
    let apart = (0..3).any(|i| separates(p1[i], p1[(i + 1) % 3]) || separates(p2[i], p2[(i + 1) % 3]));
    (!apart).then(|| (p1[0] + p1[1] + p1[2] + p2[0] + p2[1] + p2[2]) / 6.0)
}
