//! A frame as Foxglove primitives: bodies as thick lines or surfaces, obstacles as triangles, loads as arrows.

use pliant::contact::Mesh;
use pliant::math::{Pose, Quat, Vec3, unit_or};
use pliant::{BodyFrame, Frame, GripperFrame, Layout, World};

use crate::foxglove::{
    ArrowPrimitive, Color, CubePrimitive, FrameTransform, FrameTransforms, KeyValuePair, LinePrimitive, NumericType,
    PackedElementField, PointCloud, SceneEntity, SceneUpdate, Timestamp, TriangleListPrimitive,
};

/// Name of the world's coordinate frame.
const WORLD: &str = "world";

/// Colours that colour-blind people can tell apart (Okabe and Ito), one per body in turn.
const BODY_COLORS: [[f64; 3]; 6] = [
    [0.90, 0.62, 0.0],
    [0.34, 0.71, 0.91],
    [0.0, 0.62, 0.45],
    [0.80, 0.47, 0.65],
    [0.84, 0.37, 0.0],
    [0.94, 0.89, 0.26],
];
const OBSTACLE_COLOR: [f64; 4] = [0.55, 0.57, 0.60, 1.0];
const GRIPPER_COLOR: [f64; 4] = [0.25, 0.27, 0.30, 1.0];
const FORCE_COLOR: [f64; 4] = [0.85, 0.10, 0.15, 1.0];

/// How the things of a world are drawn.
#[derive(Debug)]
pub(crate) struct Scenery {
    layout: Layout,
    /// Size of everything that is not infinite [m].
    extent: f64,
    /// Force drawn as a full-length arrow [N]; a round number that grows with the largest force.
    force_scale: f64,
}

impl Scenery {
    pub fn new(world: &World, layout: &Layout) -> Scenery {
        Scenery { layout: layout.clone(), extent: extent(world), force_scale: 0.0 }
    }

    /// The obstacles, each in its own frame. They have a topic of their own: a viewer that jumps in time takes the
    /// last message of each topic, and would lose what the topic of the bodies said only once.
    pub fn obstacles(&self, time: f64) -> SceneUpdate {
        let entities = self.layout.obstacles.iter().map(|obstacle| {
            let name = &obstacle.name;
            let mesh = if obstacle.is_plane { square(self.extent) } else { obstacle.outline.clone() };
            let triangles = TriangleListPrimitive {
                pose: Pose::IDENTITY.into(),
                points: mesh.vertices.into_iter().map(Into::into).collect(),
                color: color(OBSTACLE_COLOR),
                indices: mesh.triangles.into_iter().flatten().collect(),
                ..TriangleListPrimitive::default()
            };
            // locked to its frame: it follows the frame's later poses
            let entity = entity(time, obstacle_frame(name), format!("obstacle {name}"));
            SceneEntity { frame_locked: true, triangles: vec![triangles], ..entity }
        });
        SceneUpdate { entities: entities.collect(), ..SceneUpdate::default() }
    }

    /// Bodies, grippers and the loads on them.
    pub fn update(&mut self, frame: &Frame) -> SceneUpdate {
        let largest = frame.grippers.iter().map(|g| g.load.force.length()).fold(0.0, f64::max);
        if largest.is_finite() && largest > self.force_scale {
            self.force_scale = round_up(largest);
        }
        let mut entities = Vec::with_capacity(frame.bodies.len() + frame.grippers.len());
        for (index, body) in frame.bodies.iter().enumerate().take(self.layout.bodies.len()) {
            entities.push(self.body(index, body, frame.time));
        }
        for (index, gripper) in frame.grippers.iter().enumerate().take(self.layout.grippers.len()) {
            entities.push(self.gripper(index, gripper, frame.time));
        }
        SceneUpdate { entities, ..SceneUpdate::default() }
    }

    fn body(&self, index: usize, body: &BodyFrame, time: f64) -> SceneEntity {
        let [r, g, b] = BODY_COLORS[index % BODY_COLORS.len()];
        let color = color([r, g, b, 1.0]);
        let points = body.nodes.iter().map(|&node| node.into()).collect();
        let entity = entity(time, WORLD.into(), format!("body {}", self.layout.bodies[index].name));
        let look = &self.layout.bodies[index];
        if look.facets.is_empty() {
            let thickness = 2.0 * look.radius;
            let pose = Pose::IDENTITY.into();
            let line = LinePrimitive { pose, thickness, points, color, ..LinePrimitive::default() };
            return SceneEntity { lines: vec![line], ..entity };
        }
        let (pose, indices) = (Pose::IDENTITY.into(), look.facets.iter().flatten().copied().collect());
        let surface = TriangleListPrimitive { pose, points, color, indices, ..TriangleListPrimitive::default() };
        SceneEntity { triangles: vec![surface], ..entity }
    }

    fn gripper(&self, index: usize, gripper: &GripperFrame, time: f64) -> SceneEntity {
        let size = Vec3::splat(0.02 * self.extent);
        let cube = CubePrimitive { pose: gripper.pose.into(), size: size.into(), color: color(GRIPPER_COLOR) };
        let mut entity = entity(time, WORLD.into(), format!("gripper {}", self.layout.grippers[index].name));
        entity.cubes.push(cube);
        let force = gripper.load.force;
        if self.force_scale > 0.0 && force.is_finite() && force != Vec3::ZERO {
            let full_length = 0.3 * self.extent;
            let length = full_length * force.length() / self.force_scale;
            let turn = Quat::from_rotation_arc(Vec3::X, unit_or(force, Vec3::X));
            entity.arrows.push(ArrowPrimitive {
                pose: Pose::from_parts(gripper.pose.translation, turn).into(),
                shaft_length: 0.8 * length,
                shaft_diameter: 0.02 * full_length,
                head_length: 0.2 * length,
                head_diameter: 0.05 * full_length,
                color: color(FORCE_COLOR),
            });
            let value = format!("{} N/m", self.force_scale / full_length);
            entity.metadata.push(KeyValuePair { key: "force per length of arrow".into(), value });
        }
        entity
    }

    /// The nodes of a body with their fields, to be coloured by a field in Foxglove. Rerun draws points, but no scenes.
    pub fn points(body: &BodyFrame, time: f64) -> PointCloud {
        let names = ["x", "y", "z"].into_iter().chain(body.fields.iter().map(|field| field.name));
        let fields: Vec<PackedElementField> = names
            .zip((0..).step_by(4))
            .map(|(name, offset)| PackedElementField { name: name.into(), offset, r#type: NumericType })
            .collect();
        let mut data = Vec::with_capacity(4 * fields.len() * body.nodes.len());
        for (i, node) in body.nodes.iter().enumerate() {
            let of_fields = body.fields.iter().map(|field| field.values.get(i).copied().unwrap_or(f64::NAN));
            let values = node.to_array().into_iter().chain(of_fields);
            data.extend(values.flat_map(|value| (value as f32).to_le_bytes()));
        }
        PointCloud {
            timestamp: Timestamp::at(time),
            frame_id: WORLD.into(),
            pose: Pose::IDENTITY.into(),
            point_stride: 4 * fields.len() as u32,
            fields,
            data,
        }
    }

    /// Poses of grippers and obstacles in the world.
    pub fn transforms(&self, frame: &Frame) -> FrameTransforms {
        let grippers = self.layout.grippers.iter().map(|gripper| gripper_frame(&gripper.name));
        let obstacles = self.layout.obstacles.iter().map(|obstacle| obstacle_frame(&obstacle.name));
        let gripper_poses = frame.grippers.iter().map(|g| &g.pose);
        let placed = grippers.zip(gripper_poses).chain(obstacles.zip(&frame.obstacles));
        let transform = |(child_frame_id, pose): (String, &Pose)| FrameTransform {
            timestamp: Timestamp::at(frame.time),
            parent_frame_id: WORLD.into(),
            child_frame_id,
            translation: pose.translation.into(),
            rotation: pose.rotation.into(),
        };
        FrameTransforms { transforms: placed.map(transform).collect() }
    }
}

fn gripper_frame(name: &str) -> String {
    format!("gripper/{name}")
}

pub(crate) fn obstacle_frame(name: &str) -> String {
    format!("obstacle/{name}")
}

fn entity(time: f64, frame_id: String, id: String) -> SceneEntity {
    SceneEntity { timestamp: Timestamp::at(time), frame_id, id, ..SceneEntity::default() }
}

fn color([r, g, b, a]: [f64; 4]) -> Color {
    Color { r, g, b, a }
}

/// Diagonal of the bounding box of bodies, grippers and obstacles other than planes [m].
fn extent(world: &World) -> f64 {
    let bodies = world.bodies().iter().map(|body| body.bounds());
    let grippers = world.grippers().iter().map(|g| [g.sweep.end.translation; 2]);
    let obstacles = world.obstacles().iter().map(|o| o.params.shape.bounds(&o.sweep.end));
    let finite = bodies.chain(grippers).chain(obstacles).filter(|[low, high]| low.is_finite() && high.is_finite());
    let [low, high] =
        finite.fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[l, h], [low, high]| [l.min(low), h.max(high)]);
    let diagonal = (high - low).length();
    if diagonal.is_finite() && diagonal > 0.0 { diagonal } else { 1.0 }
}

/// The drawn part of an infinite plane.
fn square(half_edge: f64) -> Mesh {
    let corner = |x: f64, y: f64| Vec3::new(x * half_edge, y * half_edge, 0.0);
    let vertices = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    Mesh { vertices, triangles: vec![[0, 1, 2], [0, 2, 3]] }
}

/// The smallest of 1, 2, 5, 10, ... that is at least `value`.
fn round_up(value: f64) -> f64 {
    let decade = 10.0_f64.powf(value.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|m| m * decade).find(|&round| round >= value).unwrap_or(10.0 * decade)
}
