//! The distance of the robot's true shape from the true obstacles along a motion, by other means than the search.
//!
//! The search asks a collision library for the nearest places of two shapes. Here the robot's surface is cut into points,
//! segments and triangles (round ones with a radius), and the distance from an obstacle is looked at as a function of the place.
//! The distance from a convex solid, negative inside, is a convex function: at any place x with distance f and gradient g, it is at
//! least f + g (y - x) elsewhere. So a triangle that cannot hold the least distance by this bound at its corners is left out, and
//! others are halved until the bound is within [`EXACT`] of a distance that was seen, which is taken off. Obstacles that are not convex are their triangles, one by one.
//!
//! Between samples no place of a link moves further than its centre does and its farthest place turns; samples are put in between
//! until that leaves less than [`EXACT`] open, which is taken off.

use pliant::contact::{Shape, ShapeKind};
use pliant::math::{Pose, Vec3, cos, sincos};
use pliant::robot::Kinematics;

use crate::task::{LinkShape, Plan, Task};

/// What distances are found to, and what is left open between samples [m].
const EXACT: f64 = 5e-4;

/// Sides of a prism around a cylinder.
const SIDES: usize = 24;

/// Most halvings of a part of a surface.
const HALVINGS: u32 = 40;

/// Distance beyond which nobody asks how far it is [m].
const FAR: f64 = 10.0;

/// How far a robot stays from what it must not touch.
#[derive(Clone, Debug, PartialEq)]
pub struct Clearance {
    /// Least distance from any obstacle, never too large and at most a millimetre too small [m]; negative where it goes in, and at most 10 m.
    pub least: f64,
    /// Name of the obstacle that is that near.
    pub nearest: Option<String>,
    /// When [s].
    pub time: f64,
    /// Least distance between parts of the robot that are apart at the start [m].
    pub own: f64,
}

/// A part of a surface: a point, a segment or a triangle, in the frame of its shape.
#[derive(Clone, Copy, Debug)]
struct Part {
    corners: [Vec3; 3],
    count: usize,
}

/// The surface of a shape: parts, and how thick they are.
struct Skin {
    parts: Vec<Part>,
    radius: f64,
    /// A ball around it.
    centre: Vec3,
    reach: f64,
}

impl Skin {
    fn new(shape: &Shape) -> Skin {
        let segment = |half: f64| Part { corners: [Vec3::Z * -half, Vec3::Z * half, Vec3::ZERO], count: 2 };
        let (parts, radius) = match shape.kind() {
            ShapeKind::Sphere { radius } => (vec![Part { corners: [Vec3::ZERO; 3], count: 1 }], *radius),
            ShapeKind::Capsule { radius, length } => (vec![segment(0.5 * length)], *radius),
            ShapeKind::Cylinder { radius, length } => (prism(*radius, 0.5 * length), 0.0),
            _ => {
                let outline = shape.outline();
                let corners = |t: &[u32; 3]| t.map(|n| outline.vertices[n as usize]);
                let part = |t: &[u32; 3]| Part { corners: corners(t), count: 3 };
                (outline.triangles.iter().map(part).collect(), 0.0)
            }
        };
        let [low, high] = shape.bounds(&Pose::IDENTITY);
        let centre = (low + high) * 0.5;
        Skin { parts, radius, centre, reach: 0.5 * (high - low).length() }
    }
}

/// A prism around a cylinder, as triangles.
fn prism(radius: f64, half: f64) -> Vec<Part> {
    let outer = radius / cos(std::f64::consts::PI / SIDES as f64);
    let rim = |k: usize, z: f64| {
        let (sin, cos) = sincos(std::f64::consts::TAU * k as f64 / SIDES as f64);
        Vec3::new(outer * cos, outer * sin, z)
    };
    let mut parts = vec![];
    for k in 0..SIDES {
        let [a, b] = [k, k + 1].map(|k| [rim(k, -half), rim(k, half)]);
        let triangles =
            [[a[0], b[0], b[1]], [a[0], b[1], a[1]], [Vec3::Z * half, a[1], b[1]], [Vec3::Z * -half, b[0], a[0]]];
        parts.extend(triangles.map(|corners| Part { corners, count: 3 }));
    }
    parts
}

/// A convex solid, or a triangle of one that is not, in the world.
enum Solid<'a> {
    Convex(&'a Shape, Pose),
    Triangle([Vec3; 3]),
}

impl Solid<'_> {
    /// Distance of a place, and its gradient there.
    fn distance(&self, place: Vec3) -> (f64, Vec3) {
        match self {
            Solid::Convex(shape, pose) => shape
                .surface_near(pose, place, f64::MAX)
                .map_or((f64::MAX, Vec3::ZERO), |face| (face.distance, face.normal)),
            Solid::Triangle(corners) => {
                let from = place - nearest_of(corners, place);
                let distance = from.length();
                (distance, if distance > 0.0 { from / distance } else { Vec3::ZERO })
            }
        }
    }

    /// Least distance of a skin at a pose, at most [`EXACT`] too large, or `most` where it is more.
    fn least(&self, skin: &Skin, pose: &Pose, most: f64) -> f64 {
        let (from_centre, _) = self.distance(pose.transform_point(skin.centre));
        if from_centre - skin.reach >= most {
            return most;
        }
        let mut best = most + skin.radius;
        let placed = |part: &Part| Part { corners: part.corners.map(|c| pose.transform_point(c)), ..*part };
        let mut work: Vec<(Part, u32)> = skin.parts.iter().map(|part| (placed(part), 0)).collect();
        while let Some((part, depth)) = work.pop() {
            let corners = &part.corners[..part.count];
            let middle = corners.iter().sum::<Vec3>() / part.count as f64;
            let (distance, slope) = self.distance(middle);
            best = best.min(distance);
            let bound = corners.iter().map(|corner| distance + slope.dot(*corner - middle)).fold(f64::MAX, f64::min);
            if bound < best - EXACT && part.count > 1 && depth < HALVINGS {
                work.extend(part.halves().map(|half| (half, depth + 1)));
            }
        }
        best - skin.radius
    }
}

impl Part {
    /// Two parts, cut at the middle of the longest edge.
    fn halves(&self) -> [Part; 2] {
        let edge = |k: usize| self.corners[k].distance_squared(self.corners[(k + 1) % self.count]);
        let longest = (0..self.count).fold(0, |best, k| if edge(k) > edge(best) { k } else { best });
        let (a, b) = (longest, (longest + 1) % self.count);
        let middle = (self.corners[a] + self.corners[b]) * 0.5;
        [a, b].map(|moved| {
            let mut half = *self;
            half.corners[moved] = middle;
            half
        })
    }
}

/// The nearest place of a triangle: on its face, or the nearest of its edges.
fn nearest_of(corners: &[Vec3; 3], place: Vec3) -> Vec3 {
    let [a, b, c] = *corners;
    let normal = (b - a).cross(c - a);
    let inside = |from: Vec3, to: Vec3| (to - from).cross(place - from).dot(normal) >= 0.0;
    if normal.length_squared() > 0.0 && inside(a, b) && inside(b, c) && inside(c, a) {
        return place - normal * ((place - a).dot(normal) / normal.length_squared());
    }
    let on = |from: Vec3, to: Vec3| {
        let way = to - from;
        let part = (place - from).dot(way) / way.length_squared().max(f64::MIN_POSITIVE);
        from + way * part.clamp(0.0, 1.0)
    };
    let places = [on(a, b), on(b, c), on(c, a)];
    places.into_iter().fold(
        places[0],
        |best, p| {
            if p.distance_squared(place) < best.distance_squared(place) { p } else { best }
        },
    )
}

/// Everything that a task asks about.
struct Scene<'a> {
    task: &'a Task,
    skins: Vec<Skin>,
    /// Convex solids, with the wall that each is part of.
    solids: Vec<(usize, Solid<'a>)>,
    /// Pairs of the robot's shapes that are apart at the start.
    pairs: Vec<(usize, usize)>,
    /// Whether joints move each of the robot's shapes.
    moving: Vec<bool>,
    kinematics: Kinematics,
}

impl<'a> Scene<'a> {
    fn new(task: &'a Task) -> Scene<'a> {
        let mut solids = vec![];
        for (index, wall) in task.walls.iter().enumerate().filter(|(_, wall)| !wall.ground) {
            match wall.shape.kind() {
                ShapeKind::Mesh(_) | ShapeKind::HeightField { .. } => {
                    let outline = wall.shape.outline();
                    let corner = |n: u32| wall.pose.transform_point(outline.vertices[n as usize]);
                    solids.extend(outline.triangles.iter().map(|t| (index, Solid::Triangle(t.map(corner)))));
                }
                _ => solids.push((index, Solid::Convex(&wall.shape, wall.pose))),
            }
        }
        let skins = task.shapes.iter().map(|shape| Skin::new(&shape.shape)).collect();
        let (moving, kinematics) = (task.moving(), Kinematics::new(&task.model));
        let mut scene = Scene { task, skins, solids, pairs: vec![], moving, kinematics };
        let poses = scene.poses(&task.start);
        for a in 0..poses.len() {
            for b in a + 1..poses.len() {
                let apart = || scene.between(a, b, &poses, FAR) > task.settings.safety;
                if task.shapes[a].link != task.shapes[b].link && apart() {
                    scene.pairs.push((a, b));
                }
            }
        }
        scene
    }

    fn poses(&mut self, q: &[f64]) -> Vec<Pose> {
        self.kinematics.place(&self.task.model, q);
        let pose = |shape: &LinkShape| self.kinematics.link(&self.task.model, shape.link) * shape.link_from_shape;
        self.task.shapes.iter().map(pose).collect()
    }

    /// Distance of two shapes of the robot, or `most`.
    fn between(&self, a: usize, b: usize, poses: &[Pose], most: f64) -> f64 {
        Solid::Convex(&self.task.shapes[b].shape, poses[b]).least(&self.skins[a], &poses[a], most)
    }

    /// Least distances at a sample from obstacles, with the wall, and of the robot from itself; `most` where they are more.
    fn at(&self, poses: &[Pose], most: [f64; 2]) -> ([f64; 2], Option<usize>) {
        let (mut least, mut nearest) = (most, None);
        for ((skin, pose), _) in self.skins.iter().zip(poses).zip(&self.moving).filter(|(_, moves)| **moves) {
            for (wall, solid) in &self.solids {
                let found = solid.least(skin, pose, least[0]);
                if found < least[0] {
                    (least[0], nearest) = (found, Some(*wall));
                }
            }
        }
        for &(a, b) in &self.pairs {
            least[1] = least[1].min(self.between(a, b, poses, least[1]));
        }
        (least, nearest)
    }

    /// How far any place of the robot moves between two samples.
    fn moved(&self, from: &[Pose], to: &[Pose]) -> f64 {
        let one = |(skin, (a, b)): (&Skin, (&Pose, &Pose))| {
            let centre = a.transform_point(skin.centre).distance(b.transform_point(skin.centre));
            centre + skin.reach * a.rotation.angle_between(b.rotation)
        };
        self.skins.iter().zip(from.iter().zip(to)).map(one).fold(0.0, f64::max)
    }
}

impl Task {
    /// Measure how far the robot stays from obstacles along a motion.
    pub fn clearance(&self, plan: &Plan) -> Clearance {
        let mut scene = Scene::new(self);
        let mut out = Clearance { least: FAR, nearest: None, time: 0.0, own: FAR };
        let Some(last) = plan.len().checked_sub(1) else { return out };
        let note = |scene: &Scene<'_>, poses: &[Pose], time: f64, open: f64, out: &mut Clearance| {
            let ([walls, own], nearest) = scene.at(poses, [out.least + open, out.own + open]);
            if let Some(wall) = nearest.filter(|_| walls - open < out.least) {
                out.nearest = Some(self.walls[wall].name.clone());
                (out.least, out.time) = (walls - open, time);
            }
            out.own = out.own.min(own - open);
        };
        let mut before = scene.poses(plan.at(0));
        note(&scene, &before, 0.0, 0.0, &mut out);
        for sample in 0..last {
            let (from, to) = (plan.at(sample).to_vec(), plan.at(sample + 1));
            let after = scene.poses(to);
            let moved = scene.moved(&before, &after);
            // what is left open at the end of each part: half of what moves in it. Far from everything a whole sample is one part
            let room = {
                let ([walls, own], _) = scene.at(&after, [out.least + moved, out.own + moved]);
                (walls - out.least).min(own - out.own)
            };
            let parts = if room >= moved { 1 } else { (0.5 * moved / EXACT).ceil().clamp(1.0, 1000.0) as usize };
            for part in 1..=parts {
                let fraction = part as f64 / parts as f64;
                let q: Vec<f64> = from.iter().zip(to).map(|(a, b)| a + (b - a) * fraction).collect();
                let poses = if part == parts { after.clone() } else { scene.poses(&q) };
                let time = (sample as f64 + fraction) * plan.spacing;
                let open = if parts == 1 && room >= moved { 0.0 } else { 0.5 * moved / parts as f64 };
                note(&scene, &poses, time, open, &mut out);
            }
            before = after;
        }
        // what places that were not looked at may miss
        out.least -= EXACT;
        out.own -= EXACT;
        out
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pliant::math::Quat;

    fn shape(kind: ShapeKind) -> Shape {
        Shape::new(kind).unwrap()
    }

    /// Pairs of shapes whose distance is known by hand.
    #[test]
    fn distances_are_what_geometry_says() {
        let cube = || ShapeKind::Box { size: Vec3::splat(2.0) };
        let turned = |q: Quat, x: f64| Pose::from_parts(Vec3::X * x, q);
        let quarter = std::f64::consts::FRAC_PI_4;
        let upright = Quat::IDENTITY;
        let on_edge = Quat::from_rotation_z(quarter);
        let root = 2.0_f64.sqrt();
        let cases = [
            // face to face, face to edge, edge to edge (crossed), overlap
            (cube(), turned(upright, 2.5), 0.5),
            (cube(), turned(on_edge, 3.0), 2.0 - root),
            (cube(), turned(upright, 1.75), -0.25),
            (ShapeKind::Sphere { radius: 0.5 }, turned(upright, 2.0), 0.5),
            (ShapeKind::Capsule { radius: 0.5, length: 1.0 }, turned(Quat::from_rotation_y(2.0 * quarter), 3.0), 1.0),
            // flat ends towards the cube
            (ShapeKind::Cylinder { radius: 0.5, length: 1.0 }, turned(Quat::from_rotation_y(2.0 * quarter), 3.0), 1.5),
        ];
        let wall = shape(cube());
        for (kind, pose, distance) in cases {
            let skin = Skin::new(&shape(kind.clone()));
            let found = Solid::Convex(&wall, Pose::IDENTITY).least(&skin, &pose, 10.0);
            assert!(found >= distance - 1e-9 && found <= distance + EXACT, "{kind:?}: {found} for {distance}");
        }
        // a standing cylinder is looked at as a prism around it: never farther than it is, and nearer by less than a hundredth of its radius
        let skin = Skin::new(&shape(ShapeKind::Cylinder { radius: 0.5, length: 1.0 }));
        let found = Solid::Convex(&wall, Pose::IDENTITY).least(&skin, &turned(upright, 2.0), 10.0);
        assert!(found <= 0.5 + EXACT && found > 0.495 - 1e-9, "{found}");
    }

    /// A triangle among places above its face, beside its edges and beyond its corners.
    #[test]
    fn the_nearest_place_of_a_triangle() {
        let triangle = [Vec3::ZERO, Vec3::X * 3.0, Vec3::Y * 3.0];
        let cases = [
            (Vec3::new(1.0, 1.0, 2.0), Vec3::new(1.0, 1.0, 0.0)),
            (Vec3::new(1.0, -1.0, 1.0), Vec3::new(1.0, 0.0, 0.0)),
            (Vec3::new(3.0, 3.0, 0.0), Vec3::new(1.5, 1.5, 0.0)),
            (Vec3::new(-1.0, -2.0, 0.5), Vec3::ZERO),
            (Vec3::new(5.0, 0.0, 0.0), Vec3::X * 3.0),
        ];
        for (place, nearest) in cases {
            assert!(nearest_of(&triangle, place).distance(nearest) < 1e-12, "{place}");
        }
    }
}
