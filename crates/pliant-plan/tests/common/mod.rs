//! Robots and worlds for tests.
#![allow(dead_code, clippy::unwrap_used)]

use pliant::contact::{Shape, ShapeKind};
use pliant::math::{Mat3, Pose, Quat, Vec3};
use pliant::robot::{Base, JointKind, JointSpec, LinkSpec, Model, RobotSpec};
use pliant_plan::{Goal, LinkShape, Settings, Task, Wall};

/// A box of 60 x 40 x 30 cm that moves on the floor.
pub fn cart(start: [f64; 3], goal: [f64; 3], walls: Vec<Wall>, settings: Settings) -> Task {
    let inertia = Mat3::from_diagonal(Vec3::new(0.833, 1.5, 1.733));
    let floor = LinkSpec { name: "floor".into(), mass: 0.0, centre: Vec3::ZERO, inertia: Mat3::ZERO };
    let cart = LinkSpec { name: "cart".into(), mass: 40.0, centre: Vec3::Z * 0.15, inertia };
    let wheels = JointSpec::new("wheels", JointKind::Planar, [0, 1], Pose::IDENTITY, Vec3::Z);
    let model = Model::new(&RobotSpec {
        name: "cart".into(),
        links: vec![floor, cart],
        joints: vec![wheels],
        base: Base::Fixed(Pose::IDENTITY),
        gravity: Vec3::ZERO,
    });
    let shape = Shape::new(ShapeKind::Box { size: Vec3::new(0.6, 0.4, 0.3) }).unwrap();
    let pose = Pose::from_parts(Vec3::new(goal[0], goal[1], 0.0), Quat::from_rotation_z(goal[2]));
    Task {
        model: model.unwrap(),
        shapes: vec![LinkShape { link: 1, link_from_shape: Pose::from_translation(Vec3::Z * 0.2), shape }],
        start: start.to_vec(),
        walls,
        goal: Goal { link: 1, link_from_tool: Pose::IDENTITY, pose, orientation: true },
        settings,
    }
}

/// A block that stands on the floor, turned about the vertical.
pub fn block(name: &str, size: [f64; 2], at: [f64; 2], turn: f64) -> Wall {
    let shape = Shape::new(ShapeKind::Box { size: Vec3::new(size[0], size[1], 0.5) }).unwrap();
    let pose = Pose::from_parts(Vec3::new(at[0], at[1], 0.25), Quat::from_rotation_z(turn));
    Wall { name: name.into(), shape, pose, ground: false }
}

/// A pillar.
pub fn pillar(name: &str, radius: f64, at: [f64; 2]) -> Wall {
    let shape = Shape::new(ShapeKind::Cylinder { radius, length: 0.5 }).unwrap();
    Wall { name: name.into(), shape, pose: Pose::from_translation(Vec3::new(at[0], at[1], 0.25)), ground: false }
}

/// A U that is open to the left.
pub fn trap() -> Vec<Wall> {
    vec![
        block("end", [0.1, 2.0], [1.0, 0.0], 0.0),
        block("left", [1.0, 0.1], [0.55, 0.95], 0.0),
        block("right", [1.0, 0.1], [0.55, -0.95], 0.0),
    ]
}
