//! Which side of a surface a point is on, for meshes whose triangles do not share their edges.

use std::f64::consts::{PI, TAU};

use parry3d_f64::bounding_volume::Aabb;

use super::Surface;
use crate::contact::{blend, nearest_of_triangle};
use crate::math::Vec3;

/// Facets within this many tolerances of a point meet there.
const AT: f64 = 5.0;

/// And within this fraction of its distance from another, but no more tolerances than these: there may be slits between
/// facets that were not welded.
const SLITS: f64 = 1e-2;
const WIDEST: f64 = 500.0;

impl Surface {
    /// Whether a point is behind the surface, of which `foot` is the nearest point: by the sum of the normals there,
    /// each weighted by the angle of its facet. (J. A. Baerentzen and H. Aanaes, "Signed distance computation using the
    /// angle weighted pseudonormal".) Where solids are flush the sum is zero, and the point inside.
    pub fn is_behind(&self, foot: Vec3, point: Vec3) -> bool {
        let reach = AT * self.same + (SLITS * foot.distance(point)).min(WIDEST * self.same);
        let around = Aabb::new(foot - Vec3::splat(reach), foot + Vec3::splat(reach));
        let normals = self.mesh.bvh().intersect_aabb(&around).map(|index| {
            let triangle = self.mesh.triangle(index);
            self.facets[index as usize].normal * angle_at(foot, &[triangle.a, triangle.b, triangle.c], reach)
        });
        normals.sum::<Vec3>().dot(point - foot) <= 0.0
    }
}

/// The angle of a triangle at a point [rad]; zero if it is not within reach of it.
fn angle_at(place: Vec3, corners: &[Vec3; 3], reach: f64) -> f64 {
    let weights = nearest_of_triangle(place, *corners);
    if blend(corners, &weights).distance(place) > reach {
        return 0.0;
    }
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
