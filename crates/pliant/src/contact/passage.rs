//! Whether a straight piece of a rod passes through the surface of a shape on its way.
//!
//! Between two instants at which it is d_0 and d_1 away from the surface, a piece whose points move no farther than
//! d_0 + d_1 cannot have reached it: to touch it and come back takes at least that much. Where they move farther, the
//! path is halved, and each half checked again. (Conservative advancement: B. Mirtich, "Impulse-based dynamic
//! simulation of rigid body systems".)

use super::{Shape, SurfacePoint};
use crate::math::{Pose, Vec3};

/// Maximum number of halvings of a path; if it is still undecided then, it counts as passing.
const MOST_HALVINGS: u32 = 10;

/// The ends of a straight piece, in the frame of a shape.
pub(crate) type Ends = [Vec3; 2];

/// Whether a piece passes through the surface of a shape between two places, both in the shape's frame.
pub(crate) fn passes(shape: &Shape, from: &Ends, to: &Ends) -> bool {
    let way = (to[0] - from[0]).length().max((to[1] - from[1]).length());
    if way == 0.0 {
        return false;
    }
    let here = shape.clearance(from, way);
    // a piece that starts inside has no side to stay on
    here > 0.0 && here < way && passes_between(shape, (from, here), (to, shape.clearance(to, way)), MOST_HALVINGS)
}

fn passes_between(shape: &Shape, (from, here): (&Ends, f64), (to, there): (&Ends, f64), halvings: u32) -> bool {
    let way = (to[0] - from[0]).length().max((to[1] - from[1]).length());
    if here <= 0.0 || there <= 0.0 {
        return true;
    }
    if way <= here + there {
        return false;
    }
    if halvings == 0 {
        return true;
    }
    let middle = [0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1])];
    let half = (&middle, shape.clearance(&middle, 0.5 * way));
    passes_between(shape, (from, here), half, halvings - 1) || passes_between(shape, half, (to, there), halvings - 1)
}

impl Shape {
    /// Distance of a piece, in the shape's frame, from the surface, as far as it is less than `most` [m]; not positive
    /// where it passes through, or is inside a shape without facets.
    pub(crate) fn clearance(&self, ends: &Ends, most: f64) -> f64 {
        if let Some(surface) = self.surface() {
            return surface.clearance(ends, most);
        }
        // for round shapes: the distance of one point, less the distance to the other points of the piece
        let face = |at: f64, reach: f64| -> Option<SurfacePoint> {
            self.surface_near(&Pose::IDENTITY, ends[0].lerp(ends[1], at), reach)
        };
        let length = (ends[1] - ends[0]).length();
        let along = (ends[1] - ends[0]).normalize_or_zero();
        let (mut low, mut high, mut least) = (0.0, 1.0, most);
        // the distance from a convex shape is convex along a line: bisect by its slope
        for _ in 0..24 {
            let at = 0.5 * (low + high);
            let Some(face) = face(at, least + length) else { return least };
            least = least.min(face.distance);
            let slope = face.normal.dot(along);
            if slope > 0.0 {
                high = at
            } else {
                low = at
            }
            if slope.abs() * (high - low) * length < 1e-3 * least.abs() {
                break;
            }
        }
        least
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::contact::ShapeKind;

    fn wall() -> Shape {
        Shape::new(ShapeKind::Box { size: Vec3::new(2e-4, 1.0, 1.0) }).unwrap()
    }

    #[test]
    fn a_thin_wall_is_not_jumped_over() {
        let piece = |x: f64, tilt: f64| [Vec3::new(x, 0.0, 0.0), Vec3::new(x + tilt, 0.0, 0.01)];
        for tilt in [0.0, 2e-3, -3e-3] {
            assert!(passes(&wall(), &piece(-0.01, tilt), &piece(0.5, tilt)));
            assert!(!passes(&wall(), &piece(-0.01, tilt), &piece(-0.0035, tilt)));
            // past its upper edge
            let above = |x: f64| piece(x, tilt).map(|p| p + Vec3::Z * 0.502);
            assert!(!passes(&wall(), &above(-0.01), &above(0.5)));
        }
    }

    #[test]
    fn the_clearance_is_the_least_distance_of_a_piece() {
        let ball = Shape::new(ShapeKind::Sphere { radius: 1.0 }).unwrap();
        let ends = [Vec3::new(-3.0, 1.25, 0.0), Vec3::new(1.0, 1.25, 0.0)];
        assert!((ball.clearance(&ends, 9.0) - 0.25).abs() < 1e-3);
        assert!(passes(&ball, &ends, &ends.map(|p| p - Vec3::Y)));
        let cube = Shape::new(ShapeKind::Box { size: Vec3::splat(2.0) }).unwrap();
        // nearest at an edge, then at a corner, then on a face
        let across = [Vec3::new(1.0, 2.0, 0.3), Vec3::new(2.0, 1.0, 0.3)];
        assert!((cube.clearance(&across, 9.0) - 0.5_f64.sqrt()).abs() < 1e-12);
        let corner = [Vec3::splat(2.0), Vec3::splat(5.0)];
        assert!((cube.clearance(&corner, 9.0) - 3.0_f64.sqrt()).abs() < 1e-12);
        assert!((cube.clearance(&[Vec3::new(0.2, 0.1, 1.5), Vec3::new(0.2, 0.1, 4.0)], 9.0) - 0.5).abs() < 1e-12);
        assert_eq!(cube.clearance(&[Vec3::new(0.2, 0.1, 0.0), Vec3::new(0.2, 0.1, 4.0)], 9.0), 0.0);
        assert_eq!(cube.clearance(&[Vec3::splat(20.0), Vec3::splat(30.0)], 0.5), 0.5);
    }
}
