//! The plane that a rod is confined to.

use crate::error::BuildError;
use crate::math::{Pose, Quat, Vec2, Vec3, sincos, unit_or};

/// A plane in the world, with axes in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Its origin in the world [m].
    pub origin: Vec3,
    /// First axis, a unit vector in the world.
    pub x: Vec3,
    /// Second axis, a unit vector in the world.
    pub y: Vec3,
}

/// Tolerance for deviations of a path from its plane or from a line, relative to its length.
const FLAT: f64 = 1e-6;

impl Plane {
    /// The plane with the given normal, or else that of the path, or else the vertical plane through a straight path.
    /// Angles are positive about the given normal; without one, the second axis of the plane points along positive
    /// world axes. Fails if the path does not lie in the plane.
    pub fn of_path(body: &str, path: &[Vec3], normal: Option<Vec3>) -> Result<Plane, BuildError> {
        let origin = path[0];
        let length = crate::curve::length(path);
        let far = path.iter().map(|p| *p - origin).max_by(|a, b| a.length().total_cmp(&b.length()));
        let x = unit_or(far.unwrap_or(Vec3::X), Vec3::X);
        let across = |p: &Vec3| (*p - origin) - x * x.dot(*p - origin);
        let widest = path.iter().map(across).max_by(|a, b| a.length().total_cmp(&b.length())).unwrap_or(Vec3::ZERO);
        let straight = widest.length() <= FLAT * length;
        let up = Vec3::Z - x * x.z;
        let y = match normal {
            Some(normal) => unit_or(normal, Vec3::ZERO).cross(x),
            None if !straight => widest,
            None if up.length() > FLAT => up,
            None => Vec3::X,
        };
        let Some(y) = (y - x * x.dot(y)).try_normalize() else {
            let normal = normal.unwrap_or(Vec3::ZERO);
            return Err(BuildError::Normal { body: body.into(), normal });
        };
        // use world axes that lie in the plane, for angles as one expects them
        let out = x.cross(y);
        let (x, y) = match Vec3::AXES.into_iter().find(|axis| axis.dot(out).abs() < FLAT) {
            Some(axis) => (axis, out.cross(axis)),
            None => (x, y),
        };
        let y = if normal.is_none() && y.dot(Vec3::ONE) < 0.0 { -y } else { y };
        let plane = Plane { origin, x, y };
        let off = path.iter().map(|p| plane.normal().dot(*p - origin).abs()).fold(0.0, f64::max);
        if off > FLAT * length {
            let what =
                format!("the path of {body} (an elastica lives in a plane): its largest distance from the plane");
            return Err(BuildError::Parameter { what, expected: "zero", value: off });
        }
        Ok(plane)
    }

    /// Unit normal, in the world.
    pub fn normal(&self) -> Vec3 {
        self.x.cross(self.y)
    }

    /// Projection of a world direction onto the plane.
    pub fn direction(&self, v: Vec3) -> Vec2 {
        Vec2::new(self.x.dot(v), self.y.dot(v))
    }

    /// Projection of a world point onto the plane [m].
    pub fn point(&self, p: Vec3) -> Vec2 {
        self.direction(p - self.origin)
    }

    /// A direction in the plane, in world coordinates.
    pub fn lift(&self, v: Vec2) -> Vec3 {
        self.x * v.x + self.y * v.y
    }

    /// A point in the plane, in world coordinates [m].
    pub fn lift_point(&self, p: Vec2) -> Vec3 {
        self.origin + self.lift(p)
    }

    /// Pose in the world of a section of the rod: its x axis is the tangent, its z axis the normal of the plane.
    pub fn section(&self, place: Vec2, angle: f64) -> Pose {
        let (sin, cos) = sincos(angle);
        let (t, n) = (self.lift(Vec2::new(cos, sin)), self.lift(Vec2::new(-sin, cos)));
        let turn = Quat::from_mat3(&glamx::DMat3::from_cols(t, n, self.normal()));
        Pose::from_parts(self.lift_point(place), turn)
    }
}
