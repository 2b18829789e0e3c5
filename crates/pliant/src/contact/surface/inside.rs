//! Which side of a surface a point is on, for meshes whose triangles do not share their edges.

use std::f64::consts::{PI, TAU};

use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::shape::{TriMesh, Triangle};

use super::Surface;
use crate::contact::{blend, nearest_of_triangle};
use crate::math::{Vec3, atan2};

/// Facets within this many tolerances of a point meet there.
const AT: f64 = 5.0;

/// And within this fraction of its distance from another, but no more tolerances than these: there may be slits between
/// facets that were not welded.
const SLITS: f64 = 1e-2;
const WIDEST: f64 = 500.0;

/// Facets lower than this many times the reach are needles: which of their corners and sides meet at a point cannot be
/// told.
const NEEDLE: f64 = 4.0;

/// A mesh is closed if the vectors of its areas cancel to this part of their sum: a hole of a thousandth of the surface
/// is none.
const GAP: f64 = 1e-3;

impl Surface {
    /// Whether a point is behind the surface, of which `foot` is the nearest point: by the sum of the normals there,
    /// each weighted by the angle of its facet. (J. A. Baerentzen and H. Aanaes, "Signed distance computation using the
    /// angle weighted pseudonormal".) Where solids are flush the sum is zero, and the point inside. Needles and slits
    /// spoil the weights; if a normal is against the others there, the whole mesh is asked, as far as it is closed.
    pub fn is_behind(&self, foot: Vec3, point: Vec3) -> bool {
        let reach = AT * self.same + (SLITS * foot.distance(point)).min(WIDEST * self.same);
        let around = Aabb::new(foot - Vec3::splat(reach), foot + Vec3::splat(reach));
        let (mut height, mut of_any) = (0.0, [false; 2]);
        let mut spoilt = false;
        for index in self.mesh.bvh().intersect_aabb(&around) {
            let triangle = self.mesh.triangle(index);
            let corners = [triangle.a, triangle.b, triangle.c];
            let distance = blend(&corners, &nearest_of_triangle(foot, corners)).distance(foot);
            if distance > reach {
                continue;
            }
            let above = self.facets[index as usize].normal.dot(point - foot);
            height += angle_at(foot, &corners, reach) * above;
            of_any[usize::from(above > 0.0)] = true;
            spoilt |= distance > AT * self.same || least_height(&triangle) < NEEDLE * reach;
        }
        match self.far {
            Some(far) if spoilt && of_any == [true; 2] => winding(&self.mesh, point) + far > 0.5,
            _ => height <= 0.0,
        }
    }
}

/// What a closed mesh lacks of a winding number of one in the solid that it bounds: nothing, or one if that is all
/// outside it. `None` for an open mesh.
pub fn far(corners: &[[Vec3; 3]]) -> Option<f64> {
    let areas = corners.iter().map(|[a, b, c]| (*b - *a).cross(*c - *a));
    let (sum, total) = areas.fold((Vec3::ZERO, 0.0), |(sum, total), area| (sum + area, total + area.length()));
    let middle = corners.iter().map(|[a, ..]| *a).sum::<Vec3>() / corners.len() as f64;
    let volume: f64 = corners.iter().map(|c| c.map(|v| v - middle)).map(|[a, b, c]| a.dot(b.cross(c))).sum();
    (sum.length() <= GAP * total).then_some(if volume < 0.0 { 1.0 } else { 0.0 })
}

/// How often a mesh winds round a point: the solid angle of its triangles, over that of a sphere. (A. van Oosterom and
/// J. Strackee, "The solid angle of a plane triangle", eq. 8.)
fn winding(mesh: &TriMesh, point: Vec3) -> f64 {
    let halves = mesh.triangles().map(|triangle| {
        let [a, b, c] = [triangle.a, triangle.b, triangle.c].map(|corner| corner - point);
        let [la, lb, lc] = [a, b, c].map(Vec3::length);
        atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
    });
    halves.sum::<f64>() / TAU
}

/// The least height of a triangle [m].
fn least_height(triangle: &Triangle) -> f64 {
    let longest = triangle.edges_scaled_directions().iter().fold(0.0, |most: f64, side| most.max(side.length()));
    if longest > 0.0 { triangle.scaled_normal().length() / longest } else { 0.0 }
}

/// The angle of a triangle at a point within reach of it [rad].
fn angle_at(place: Vec3, corners: &[Vec3; 3], reach: f64) -> f64 {
    if let Some(k) = (0..3).find(|&k| corners[k].distance(place) <= reach) {
        let sides = [1, 2].map(|n| corners[(k + n) % 3] - corners[k]);
        return sides[0].angle_between(sides[1]);
    }
    let on_side = |k: usize| {
        let (a, b) = (corners[k], corners[(k + 1) % 3]);
        (place - a).reject_from((b - a).normalize_or(Vec3::X)).length() <= reach
    };
    if (0..3).any(on_side) { PI } else { TAU }
}
