//! What is near the robot: places of its shapes and of obstacles that are close to each other.
//!
//! The nearest two places of each pair of shapes, and corners and rims that are near as well: a box that slides along a wall
//! meets it with two corners, of which only one is the nearest.

use parry3d_f64::query;
use parry3d_f64::shape::SharedShape;
use pliant::contact::{Shape, ShapeKind, SurfacePoint};
use pliant::math::{Pose, Quat, Vec3};
use pliant::robot::Kinematics;

use crate::task::{LinkShape, Task};

/// Distance beyond the safety distance from which things are looked at [m]. What moves further in a step is not stopped.
pub const HORIZON: f64 = 0.05;

/// Two places near each other.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Link and place on it [m].
    pub own: (usize, Vec3),
    /// Another link of the robot and the place on it [m]; `None` for an obstacle.
    pub other: Option<(usize, Vec3)>,
    /// Unit vector towards the first.
    pub normal: Vec3,
    /// Distance of the two [m]; negative where they overlap.
    pub distance: f64,
    /// Whether it is ground, that the robot stands on.
    pub ground: bool,
}

impl Touch {
    /// Links, places, and directions in which their motion makes more room.
    pub fn sides(&self) -> impl Iterator<Item = (usize, Vec3, Vec3)> {
        let normal = self.normal;
        let other = self.other.map(|(link, place)| (link, place, -normal));
        [(self.own.0, self.own.1, normal)].into_iter().chain(other)
    }
}

/// Geometry of a task for these questions.
pub struct Near {
    own: Vec<Solid>,
    walls: Vec<Solid>,
    /// Pairs of the robot's shapes that may meet each other.
    pairs: Vec<(usize, usize)>,
    poses: Vec<Pose>,
    /// Whether joints move each of the robot's shapes.
    moving: Vec<bool>,
}

/// A shape as the collision library has it, with what stands out of it.
struct Solid {
    geometry: Option<SharedShape>,
    /// Rotation from the axes of the collision library.
    turn: Quat,
    corners: Vec<Vec3>,
    /// Centre and radius of a ball around it, in its frame; infinite for a plane.
    ball: (Vec3, f64),
}

impl Solid {
    fn new(shape: &Shape) -> Solid {
        let upright = Quat::from_rotation_x(std::f64::consts::FRAC_PI_2);
        let (geometry, turn) = match shape.kind() {
            ShapeKind::Plane => (Some(SharedShape::halfspace(Vec3::Z)), Quat::IDENTITY),
            ShapeKind::Sphere { radius } => (Some(SharedShape::ball(*radius)), Quat::IDENTITY),
            ShapeKind::Box { size } => {
                (Some(SharedShape::cuboid(0.5 * size.x, 0.5 * size.y, 0.5 * size.z)), Quat::IDENTITY)
            }
            ShapeKind::Capsule { radius, length } => {
                (Some(SharedShape::capsule_z(0.5 * length, *radius)), Quat::IDENTITY)
            }
            ShapeKind::Cylinder { radius, length } => (Some(SharedShape::cylinder(0.5 * length, *radius)), upright),
            ShapeKind::Convex { points } => (SharedShape::convex_hull(points), Quat::IDENTITY),
            ShapeKind::Mesh(_) | ShapeKind::HeightField { .. } => {
                let outline = shape.outline();
                (SharedShape::trimesh(outline.vertices, outline.triangles).ok(), Quat::IDENTITY)
            }
        };
        let corners = match shape.kind() {
            ShapeKind::Box { .. } | ShapeKind::Convex { .. } => shape.outline().vertices,
            _ => vec![],
        };
        let [low, high] = shape.bounds(&Pose::IDENTITY);
        let ball = if low.is_finite() {
            ((low + high) * 0.5, 0.5 * (high - low).length())
        } else {
            (Vec3::ZERO, f64::INFINITY)
        };
        Solid { geometry, turn, corners, ball }
    }

    fn placed(&self, pose: &Pose) -> Pose {
        Pose::from_parts(pose.translation, pose.rotation * self.turn)
    }
}

/// Whether two solids may be within a distance.
fn may_meet(a: (&Solid, &Pose), b: (&Solid, &Pose), reach: f64) -> bool {
    let centre = |(solid, pose): (&Solid, &Pose)| pose.transform_point(solid.ball.0);
    centre(a).distance(centre(b)) < a.0.ball.1 + b.0.ball.1 + reach
}

impl Near {
    /// Look at a task.
    pub fn new(task: &Task) -> Near {
        let own: Vec<Solid> = task.shapes.iter().map(|shape| Solid::new(&shape.shape)).collect();
        let walls = task.walls.iter().map(|wall| Solid::new(&wall.shape)).collect();
        let poses = vec![Pose::IDENTITY; own.len()];
        let mut near = Near { own, walls, pairs: vec![], poses, moving: task.moving() };
        near.pair_up(task);
        near
    }

    /// Parts of the robot that are apart at the start keep apart. Neighbours, which joints let overlap, are left out.
    fn pair_up(&mut self, task: &Task) {
        let mut kinematics = Kinematics::new(&task.model);
        kinematics.place(&task.model, &task.start);
        self.place(task, &kinematics);
        for a in 0..self.own.len() {
            for b in a + 1..self.own.len() {
                if task.shapes[a].link == task.shapes[b].link {
                    continue;
                }
                let apart = self.nearest((&self.own[a], &self.poses[a]), (&self.own[b], &self.poses[b]), f64::MAX);
                if apart.is_some_and(|touch| touch.dist > task.settings.safety) {
                    self.pairs.push((a, b));
                }
            }
        }
    }

    fn place(&mut self, task: &Task, kinematics: &Kinematics) {
        for (pose, shape) in self.poses.iter_mut().zip(&task.shapes) {
            *pose = kinematics.link(&task.model, shape.link) * shape.link_from_shape;
        }
    }

    fn nearest(&self, a: (&Solid, &Pose), b: (&Solid, &Pose), reach: f64) -> Option<query::Contact> {
        let (one, two) = (a.0.geometry.as_ref()?, b.0.geometry.as_ref()?);
        query::contact(&a.0.placed(a.1), &**one, &b.0.placed(b.1), &**two, reach).ok().flatten()
    }

    /// Find all that is near.
    pub fn find(&mut self, task: &Task, kinematics: &Kinematics, mut found: impl FnMut(Touch)) {
        self.place(task, kinematics);
        let reach = task.settings.safety + HORIZON;
        for (shape, (solid, (pose, moves))) in
            task.shapes.iter().zip(self.own.iter().zip(self.poses.iter().zip(&self.moving)))
        {
            if !moves {
                continue;
            }
            for (wall, other) in task.walls.iter().zip(&self.walls) {
                if !may_meet((solid, pose), (other, &wall.pose), reach) {
                    continue;
                }
                let mut told = |place: Vec3, normal: Vec3, distance: f64| {
                    found(Touch { own: (shape.link, place), other: None, normal, distance, ground: wall.ground });
                };
                // balls meet faces one by one: in a valley they have several
                if let ShapeKind::Sphere { radius } = shape.shape.kind() {
                    let mut faces = [None; 4];
                    wall.shape.surfaces_near(&wall.pose, pose.translation, reach + radius, &mut faces);
                    for face in faces.iter().flatten() {
                        told(pose.translation - face.normal * *radius, face.normal, face.distance - radius);
                    }
                    continue;
                }
                let Some(nearest) = self.nearest((solid, pose), (other, &wall.pose), reach) else { continue };
                told(nearest.point1, -nearest.normal1, nearest.dist);
                corners(shape, solid, pose, |at| wall.shape.surface_near(&wall.pose, at, reach), &mut told);
                for corner in &other.corners {
                    let at = wall.pose.transform_point(*corner);
                    if let Some(face) = shape.shape.surface_near(pose, at, reach) {
                        told(face.point, -face.normal, face.distance);
                    }
                }
            }
        }
        for &(a, b) in &self.pairs {
            let sides = [a, b].map(|k| (&self.own[k], &self.poses[k]));
            if !may_meet(sides[0], sides[1], reach) {
                continue;
            }
            let Some(nearest) = self.nearest(sides[0], sides[1], reach) else { continue };
            found(Touch {
                own: (task.shapes[a].link, nearest.point1),
                other: Some((task.shapes[b].link, nearest.point2)),
                normal: -nearest.normal1,
                distance: nearest.dist,
                ground: false,
            });
        }
    }
}

/// Places of a shape that stand out and are near: corners, and on the rims of cylinders the places nearest to a wall.
fn corners(
    shape: &LinkShape,
    solid: &Solid,
    pose: &Pose,
    near: impl Fn(Vec3) -> Option<SurfacePoint>,
    told: &mut impl FnMut(Vec3, Vec3, f64),
) {
    for corner in &solid.corners {
        let at = pose.transform_point(*corner);
        if let Some(face) = near(at) {
            told(at, face.normal, face.distance);
        }
    }
    let (radius, length, round) = match shape.shape.kind() {
        ShapeKind::Capsule { radius, length } => (*radius, *length, true),
        ShapeKind::Cylinder { radius, length } => (*radius, *length, false),
        _ => return,
    };
    for side in [-0.5, 0.5] {
        let end = pose.transform_point(Vec3::Z * (side * length));
        let Some(face) = near(end) else { continue };
        if round {
            told(end - face.normal * radius, face.normal, face.distance - radius);
            continue;
        }
        let axis = pose.rotation * Vec3::Z;
        let across = face.normal - axis * face.normal.dot(axis);
        let Some(across) = across.try_normalize() else { continue };
        let at = end - across * radius;
        if let Some(face) = near(at) {
            told(at, face.normal, face.distance);
        }
    }
}
