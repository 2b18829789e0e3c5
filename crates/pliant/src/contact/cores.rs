//! Balls, edges and rims whose hull a shape is: what of it can touch something else first.
//!
//! Queries of surfaces are made for pieces with a radius, whose axis stays outside: see `surface`. So corners and edges are
//! rounded, by a small part of the smallest width of the shape: faces stay where they are, to rounding.

use super::mesh::Mesh;
use super::shape::{Shape, ShapeKind};
use super::surface::{Hint, Nearby, Piece};
use crate::math::{Mat3, Pose, Vec3};

/// Part of half the smallest width of a shape by which its edges are rounded.
const ROUNDED: f64 = 0.05;

/// Largest number of contacts of a core with one shape.
pub(crate) const FACES: usize = 2;

/// A part of a shape, in its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Core {
    /// A ball.
    Ball {
        /// Centre [m].
        centre: Vec3,
        /// Radius [m].
        radius: f64,
    },
    /// All points within a radius of a segment.
    Edge {
        /// Its ends [m].
        ends: [Vec3; 2],
        /// Radius [m].
        radius: f64,
    },
    /// A ball of a rim, which only counts where that lies flat.
    Foot {
        /// Centre [m].
        centre: Vec3,
        /// Radius [m].
        radius: f64,
    },
    /// All points within a radius of a circle about an axis along z.
    Rim {
        /// Centre of the circle [m].
        centre: Vec3,
        /// Radius of the circle [m].
        circle: f64,
        /// Radius about it [m].
        radius: f64,
    },
}

/// Where a core faces a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Met {
    /// The point of the core, which moves with its shape, in the world [m].
    pub point: Vec3,
    /// From there to the place that faces the surface, in the world [m]: it stays as the shape turns.
    pub offset: Vec3,
    /// Unit normal out of the surface, in the world.
    pub normal: Vec3,
    /// Distance between both, negative if they overlap [m].
    pub gap: f64,
}

/// The cores of a shape; none for those that are unbounded or open: they touch what others have.
pub(crate) fn cores(kind: &ShapeKind, outline: &Mesh) -> Vec<Core> {
    let ball = |centre: Vec3, radius: f64| Core::Ball { centre, radius };
    match *kind {
        ShapeKind::Plane | ShapeKind::HeightField { .. } => vec![],
        ShapeKind::Sphere { radius } => vec![ball(Vec3::ZERO, radius)],
        ShapeKind::Capsule { radius, length } => {
            let half = Vec3::Z * (0.5 * length);
            vec![ball(half, radius), ball(-half, radius), Core::Edge { ends: [-half, half], radius }]
        }
        ShapeKind::Box { size } => of_box(size * 0.5),
        ShapeKind::Cylinder { radius: whole, length } => {
            let radius = ROUNDED * whole.min(0.5 * length);
            let (circle, high) = (whole - radius, Vec3::Z * (0.5 * length - radius));
            let ways = [Vec3::X, Vec3::Y, Vec3::NEG_X, Vec3::NEG_Y];
            let end = |centre: Vec3| {
                let feet = ways.map(|way| Core::Foot { centre: centre + way * circle, radius });
                feet.into_iter().chain([Core::Rim { centre, circle, radius }])
            };
            end(high).chain(end(-high)).collect()
        }
        ShapeKind::Convex { .. } | ShapeKind::Mesh(_) => of_mesh(outline),
    }
}

fn of_box(half: Vec3) -> Vec<Core> {
    let radius = ROUNDED * half.min_element();
    let inner = half - radius;
    let corner = |k: usize| {
        let sign = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        inner * Vec3::new(sign(0), sign(1), sign(2))
    };
    let balls = (0..8).map(|k| Core::Ball { centre: corner(k), radius });
    let edges = (0..8).flat_map(|k| (0..3).map(move |bit| (k, k | 1 << bit))).filter(|(a, b)| a != b);
    balls.chain(edges.map(|(a, b)| Core::Edge { ends: [corner(a), corner(b)], radius })).collect()
}

/// Corners of a mesh, each within all facets around it: n (p - inner) = radius for their normals n, as well as that can be.
fn of_mesh(mesh: &Mesh) -> Vec<Core> {
    let low = mesh.vertices.iter().fold(Vec3::INFINITY, |low, v| low.min(*v));
    let high = mesh.vertices.iter().fold(Vec3::NEG_INFINITY, |high, v| high.max(*v));
    let radius = 0.5 * ROUNDED * (high - low).min_element();
    let mut sums = vec![(Mat3::ZERO, Vec3::ZERO); mesh.vertices.len()];
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|corner| mesh.vertices[corner as usize]);
        let Some(normal) = (b - a).cross(c - a).try_normalize() else { continue };
        for corner in triangle {
            let (squares, sum) = &mut sums[*corner as usize];
            *squares += Mat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
            *sum += normal;
        }
    }
    let inner = |(vertex, (squares, sum)): (&Vec3, &(Mat3, Vec3))| {
        let held = *squares + Mat3::IDENTITY * (1e-9 * (squares.x_axis.x + squares.y_axis.y + squares.z_axis.z));
        let inwards = held.inverse() * *sum;
        inwards.is_finite().then(|| Core::Ball { centre: *vertex - inwards * radius, radius })
    };
    mesh.vertices.iter().zip(&sums).filter_map(inner).collect()
}

impl Core {
    /// Where it faces another shape within `reach` [m], with its own shape at `pose`.
    pub fn meet(&self, pose: &Pose, shape: &Shape, world_from_shape: &Pose, reach: f64) -> [Option<Met>; FACES] {
        let look = |piece: &Piece, radius: f64| {
            let mut found = [None; FACES];
            shape.near_piece(world_from_shape, piece, radius, reach + radius, Hint::NONE, &mut found);
            found.map(|near: Option<Nearby>| {
                let Nearby { s, normal, distance, .. } = near.filter(|near| near.distance <= reach + radius)?;
                Some(Met { point: piece.at(s), offset: normal * -radius, normal, gap: distance - radius })
            })
        };
        let point = |middle: Vec3| Piece { middle, along: Vec3::X, span: [0.0; 2], bulge: 0.0 };
        match *self {
            Core::Ball { centre, radius } => look(&point(pose.transform_point(centre)), radius),
            Core::Foot { centre, radius } => {
                let axis = pose.rotation * Vec3::Z;
                let flat = |met: &Met| met.normal.cross(axis).length() < NEARLY_FLAT;
                look(&point(pose.transform_point(centre)), radius).map(|met| met.filter(flat))
            }
            Core::Edge { ends, radius } => {
                let [from, to] = ends.map(|end| pose.transform_point(end));
                let way = to - from;
                let half = 0.5 * way.length();
                let along = way / (2.0 * half).max(f64::MIN_POSITIVE);
                look(&Piece { middle: from + way * 0.5, along, span: [-half, half], bulge: 0.0 }, radius)
            }
            Core::Rim { centre, circle, radius } => {
                let (centre, axis) = (pose.transform_point(centre), pose.rotation * Vec3::Z);
                let Some(towards) = shape.surface_near(world_from_shape, centre, reach + circle + radius) else {
                    return [None; FACES];
                };
                let down = axis * axis.dot(towards.normal) - towards.normal;
                // flat on its end it has no lowest point: its feet bear it
                let Some(down) = down.try_normalize().filter(|_| down.length() > FLAT) else { return [None; FACES] };
                let lowest = look(&point(centre + down * circle), radius);
                lowest.map(|met| met.map(|met| Met { point: centre, offset: met.offset + down * circle, ..met }))
            }
        }
    }
}

/// Sine of the angle between a rim and a surface below which it lies flat.
const FLAT: f64 = 1e-6;

/// Sine of the angle between a rim and a surface below which the feet of the rim bear it, too.
const NEARLY_FLAT: f64 = 0.05;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::math::Quat;

    /// The lowest cores of shapes above a plane are as high as geometry says, whatever their rotation where faces and round parts
    /// face it.
    #[test]
    fn cores_reach_as_far_as_their_shape() {
        let floor = Shape::new(ShapeKind::Plane).unwrap();
        let cube = Shape::new(ShapeKind::Box { size: Vec3::new(0.2, 0.4, 0.6) }).unwrap();
        let hull = ShapeKind::Convex { points: cube.outline().vertices.iter().map(|v| *v * 1.5).collect() };
        let cases = [
            (ShapeKind::Sphere { radius: 0.3 }, Quat::from_rotation_x(1.0), 0.3),
            (ShapeKind::Capsule { radius: 0.1, length: 1.0 }, Quat::from_rotation_x(std::f64::consts::FRAC_PI_2), 0.1),
            (ShapeKind::Capsule { radius: 0.1, length: 1.0 }, Quat::IDENTITY, 0.6),
            (ShapeKind::Cylinder { radius: 0.1, length: 1.0 }, Quat::from_rotation_x(std::f64::consts::FRAC_PI_2), 0.1),
            (ShapeKind::Cylinder { radius: 0.1, length: 1.0 }, Quat::IDENTITY, 0.5),
            (ShapeKind::Box { size: Vec3::new(0.2, 0.4, 0.6) }, Quat::IDENTITY, 0.3),
            (
                ShapeKind::Box { size: Vec3::new(0.2, 0.4, 0.6) },
                Quat::from_rotation_x(std::f64::consts::FRAC_PI_2),
                0.2,
            ),
            (hull, Quat::IDENTITY, 0.45),
        ];
        for (kind, turn, height) in cases {
            let shape = Shape::new(kind.clone()).unwrap();
            let pose = Pose::from_parts(Vec3::new(0.4, -0.2, 1.0), Quat::from_rotation_z(0.3) * turn);
            let gaps = shape.cores().iter().flat_map(|core| core.meet(&pose, &floor, &Pose::IDENTITY, 1.0));
            let least = gaps.flatten().map(|met| met.gap).fold(f64::INFINITY, f64::min);
            assert!((least - (1.0 - height)).abs() < 1e-9, "{kind:?}: {least}");
        }
    }
}
