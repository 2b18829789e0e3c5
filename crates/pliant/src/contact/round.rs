//! Shapes without facets, in closed form: planes, spheres, capsules and cylinders. All are convex, so that the distance
//! of a straight piece of a rod from one has a single minimum along it.

use super::shape::{ShapeKind, SurfacePoint};
use super::surface::{Nearby, Piece};
use crate::math::Vec3;

/// Maximum number of bisections for the nearest point of a piece: they narrow it down to a thousandth.
const MOST_HALVINGS: usize = 10;

/// Change of the slope of the distance along half a piece below which no point of it is nearer than another [-].
const STRAIGHT: f64 = 1e-6;

/// Part of the accuracy of a distance that counts as rounding.
const ROUNDING: f64 = 1e-3;

/// A shape without facets, in its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Round {
    /// The half-space below z = 0.
    Plane,
    /// All points within a radius of the z axis from -half to half; a sphere if that is zero.
    Capsule {
        /// Radius [m].
        radius: f64,
        /// Half the length of its straight part [m].
        half: f64,
    },
    /// A cylinder along z with flat ends.
    Cylinder {
        /// Radius [m].
        radius: f64,
        /// Half its length [m].
        half: f64,
    },
}

impl Round {
    /// The round shape of a kind; `None` for kinds with facets.
    pub fn of(kind: &ShapeKind) -> Option<Round> {
        match *kind {
            ShapeKind::Plane => Some(Round::Plane),
            ShapeKind::Sphere { radius } => Some(Round::Capsule { radius, half: 0.0 }),
            ShapeKind::Capsule { radius, length } => Some(Round::Capsule { radius, half: 0.5 * length }),
            ShapeKind::Cylinder { radius, length } => Some(Round::Cylinder { radius, half: 0.5 * length }),
            _ => None,
        }
    }

    /// Outward normal of the nearest surface point, and its signed distance, negative inside [m].
    #[inline]
    fn face(&self, p: Vec3) -> (Vec3, f64) {
        match *self {
            Round::Plane => (Vec3::Z, p.z),
            Round::Capsule { radius, half } => {
                let from = Vec3::new(p.x, p.y, p.z - p.z.clamp(-half, half));
                let (way, length) = split(from, Vec3::X);
                (way, length - radius)
            }
            Round::Cylinder { radius, half } => {
                let (outwards, from_axis) = split(Vec3::new(p.x, p.y, 0.0), Vec3::X);
                let (beside, beyond) = (from_axis - radius, p.z.abs() - half);
                let up = Vec3::Z * p.z.signum();
                if beside > 0.0 && beyond > 0.0 {
                    // its rim
                    return split(outwards * beside + up * beyond, outwards);
                }
                if beside > beyond { (outwards, beside) } else { (up, beyond) }
            }
        }
    }

    /// Second derivative of the distance along a direction, at a point with this face [1/m]; zero at the rim of a
    /// cylinder.
    #[inline]
    fn curvature(&self, p: Vec3, (normal, distance): (Vec3, f64), along: Vec3) -> f64 {
        let (radius, flat) = match *self {
            Round::Plane => return 0.0,
            Round::Capsule { radius, half } => (radius, if p.z.abs() < half { along.z } else { 0.0 }),
            Round::Cylinder { .. } if normal.z != 0.0 => return 0.0,
            Round::Cylinder { radius, .. } => (radius, along.z),
        };
        let across = normal.dot(along);
        (1.0 - across * across - flat * flat) / (radius + distance).max(f64::MIN_POSITIVE)
    }

    /// The nearest surface point, if it is within `reach` [m] or the point is inside.
    pub fn surface_near(&self, p: Vec3, reach: f64) -> Option<SurfacePoint> {
        let (normal, distance) = self.face(p);
        (distance <= reach).then(|| SurfacePoint { point: p - normal * distance, normal, distance })
    }

    /// The point of a piece that is nearest to the surface, if that is within `reach` [m]; its distance is accurate to
    /// `exact` [m]. There the distance, including the bulge, has zero slope along the piece. Its place is much more
    /// accurate than that alone would make it, and moves continuously with the piece: forces act there.
    pub fn nearest(&self, piece: &Piece, reach: f64, exact: f64) -> Option<Nearby> {
        let [from, to] = piece.span;
        let look = |s: f64| {
            let (normal, distance) = self.face(piece.at(s));
            let near = Nearby::new(piece, s, normal, distance);
            (near, normal.dot(piece.along) + 2.0 * piece.bulge * s)
        };
        let half = 0.5 * (to - from);
        let curved = |near: &Nearby| {
            let distance = near.distance - piece.bulge * near.s * near.s;
            self.curvature(piece.at(near.s), (near.normal, distance), piece.along)
        };
        // the root of the slope, from a point near it
        let refined = |near: (Nearby, f64), between: [f64; 2]| {
            let (at, curvature) = (&near.0, curved(&near.0));
            let bends = curvature + 2.0 * piece.bulge;
            // not `clamp`, which panics where a body is not a number
            let s = (at.s - near.1 / bends).max(between[0]).min(between[1]);
            if s == at.s || bends * half < STRAIGHT {
                return near.0.curved(curvature);
            }
            let better = look(s).0;
            // not beyond a rim, where the surface turns
            let near = if better.distance <= at.distance + ROUNDING * exact { better } else { near.0 };
            near.curved(curvature)
        };
        let middle = look(0.5 * (from + to));
        if middle.0.distance > reach + half {
            return None;
        }
        if middle.1.abs() * half < exact {
            return Some(refined(middle, piece.span));
        }
        let end = look(if middle.1 < 0.0 { to } else { from });
        if end.1 * middle.1 >= 0.0 {
            return Some(end.0.curved(curved(&end.0)));
        }
        // the slope changes sign in between, continuously on a round obstacle and with a jump at an edge: bisect, but
        // use the secant where it is nearly linear
        let (mut low, mut high) = (middle, end);
        for round in 0..MOST_HALVINGS {
            let weight = low.1 / (low.1 - high.1);
            let share = if round % 2 == 0 { weight.clamp(0.05, 0.95) } else { 0.5 };
            let next = look(low.0.s + (high.0.s - low.0.s) * share);
            let slope = next.1;
            if slope * low.1 > 0.0 {
                low = next;
            } else {
                high = next;
            }
            // the most that could still be gained
            if slope.abs() * (high.0.s - low.0.s).abs() < exact {
                break;
            }
        }
        let between = [low.0.s.min(high.0.s), low.0.s.max(high.0.s)];
        Some(refined(if low.0.distance < high.0.distance { low } else { high }, between))
    }
}

/// Direction and length of a vector; `otherwise` if it has no direction.
#[inline]
fn split(v: Vec3, otherwise: Vec3) -> (Vec3, f64) {
    let length = v.length();
    if length > 0.0 { (v / length, length) } else { (otherwise, 0.0) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use parry3d_f64::query::PointQuery;
    use parry3d_f64::shape::{Ball, Capsule, Cylinder, HalfSpace};

    use super::*;
    use crate::math::Quat;
    use crate::random::Random;

    /// Distances and nearest points of other code, at random places inside and outside.
    #[test]
    fn distances_are_those_of_the_collision_library() {
        let mut random = Random(5);
        let turn = Quat::from_rotation_x(std::f64::consts::FRAC_PI_2);
        let cases: [(ShapeKind, Box<dyn PointQuery>, Quat); 4] = [
            (ShapeKind::Plane, Box::new(HalfSpace::new(Vec3::Z)), Quat::IDENTITY),
            (ShapeKind::Sphere { radius: 0.7 }, Box::new(Ball::new(0.7)), Quat::IDENTITY),
            (ShapeKind::Capsule { radius: 0.4, length: 1.0 }, Box::new(Capsule::new_z(0.5, 0.4)), Quat::IDENTITY),
            (ShapeKind::Cylinder { radius: 0.6, length: 0.8 }, Box::new(Cylinder::new(0.4, 0.6)), turn),
        ];
        for (kind, other, turn) in cases {
            let round = Round::of(&kind).unwrap();
            for _ in 0..2000 {
                let at = random.vector();
                let face = round.surface_near(at, 10.0).unwrap();
                let found = other.project_local_point(turn.inverse() * at, false);
                let (point, inside) = (turn * found.point, found.is_inside);
                let distance = (at - point).length() * if inside { -1.0 } else { 1.0 };
                assert!((face.distance - distance).abs() < 1e-12, "{kind:?} {at}: {} for {distance}", face.distance);
                assert!((face.point - point).length() < 1e-9, "{kind:?} {at}: {} for {point}", face.point);
                assert!((face.normal.length() - 1.0).abs() < 1e-12);
            }
        }
    }

    /// The least of the distances of many points of a piece, with its bulge.
    #[test]
    fn a_piece_is_nearest_where_no_other_point_of_it_is_nearer() {
        let mut random = Random(6);
        let kinds = [
            Round::Plane,
            Round::Capsule { radius: 0.3, half: 0.0 },
            Round::Capsule { radius: 0.3, half: 0.4 },
            Round::Cylinder { radius: 0.3, half: 0.4 },
        ];
        let mut seen = 0;
        for n in 0..4000 {
            let round = kinds[n % 4];
            let (middle, along) = (random.vector(), random.vector().normalize());
            let piece = Piece { middle, along, span: [-0.2, 0.2], bulge: 0.02 };
            let least = (0..=2000).map(|k| {
                let s = -0.2 + 2e-4 * f64::from(k);
                round.surface_near(piece.at(s), 9.0).unwrap().distance + 0.02 * s * s
            });
            let least = least.fold(f64::INFINITY, f64::min);
            let found = round.nearest(&piece, 0.5, 1e-4);
            assert_eq!(found.is_none(), found.is_none() && least > 0.5);
            let Some(found) = found else { continue };
            seen += 1;
            assert!(found.distance < least + 1.1e-4 && found.distance > least - 1e-4, "{round:?} {found:?} {least}");
        }
        assert!(seen > 2000);
    }
}
