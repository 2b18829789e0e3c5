//! The layout of a world goes with its frames, for bodies of every model, and its revision tells when it changed.
#![allow(clippy::unwrap_used)]

#[path = "common/models.rs"]
mod models;

use models::{HEIGHT, every_model};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Vec3};
use pliant::{GripperParams, Model, World};

#[test]
fn a_layout_goes_with_the_frames_of_its_world() {
    for body in every_model() {
        let mut world = World::new(Vec3::NEG_Z * 9.81);
        world.add_body(body.clone()).unwrap();
        world.add_gripper(GripperParams::at("hand", Pose::IDENTITY)).unwrap();
        let ball = Shape::new(ShapeKind::Sphere { radius: 0.01 }).unwrap();
        world.add_obstacle(ObstacleParams::fixed("ball", ball, Pose::from_translation(Vec3::NEG_Z))).unwrap();
        world.step(1e-3).unwrap();
        let (layout, frame) = (world.layout(), world.frame());
        let [laid] = &layout.bodies[..] else { panic!("{layout:?}") };
        assert_eq!((laid.name.as_str(), laid.model), (body.name(), body.model()));
        assert_eq!(laid.nodes, frame.bodies[0].nodes.len());
        let fields: Vec<_> = frame.bodies[0].fields.iter().map(|field| (field.name, field.unit)).collect();
        assert_eq!(laid.fields, fields);
        // a rod has a thickness, a solid a surface over its nodes
        assert_eq!(laid.radius > 0.0, !laid.model.is_solid());
        assert_eq!(!laid.facets.is_empty(), laid.model.is_solid());
        assert!(laid.facets.iter().flatten().all(|node| (*node as usize) < laid.nodes));
        assert_eq!(layout.gripper_names().collect::<Vec<_>>(), ["hand"]);
        assert_eq!(layout.obstacle_names().collect::<Vec<_>>(), ["ball"]);
        // a ball of 1 cm about its own origin, wherever it is
        let outline = &layout.obstacles[0].outline;
        assert!(outline.vertices.iter().all(|p| (p.length() - 0.01).abs() < 1e-12), "{outline:?}");
        assert!(!layout.obstacles[0].is_plane);
    }
}

#[test]
fn a_revision_tells_of_what_comes_and_goes_alone() {
    let [mut world, other] = [World::new(Vec3::ZERO), World::new(Vec3::ZERO)];
    assert_eq!(world.layout(), other.layout());
    let mut last = world.revision();
    let mut changed = |world: &World, expected: bool| {
        assert_eq!(world.revision() != last, expected);
        assert_eq!(world.layout().revision, world.revision());
        last = world.revision();
    };
    let body = world.add_body(every_model().into_iter().next().unwrap()).unwrap();
    changed(&world, true);
    let hand = world.add_gripper(GripperParams::at("hand", Pose::from_translation(Vec3::Z * HEIGHT))).unwrap();
    changed(&world, true);
    let plane = ObstacleParams::fixed("floor", Shape::new(ShapeKind::Plane).unwrap(), Pose::IDENTITY);
    let floor = world.add_obstacle(plane).unwrap();
    changed(&world, true);
    world.step(1e-3).unwrap();
    world.grasp(hand, body, pliant::Place::Node(0), pliant::Hold::Position).unwrap();
    world.step(1e-3).unwrap();
    changed(&world, false);
    world.remove_obstacle(floor).unwrap();
    changed(&world, true);
    world.remove_gripper(hand).unwrap();
    changed(&world, true);
    world.remove_body(body).unwrap();
    changed(&world, true);
}

#[test]
fn models_are_found_by_their_names() {
    for model in Model::ALL {
        assert_eq!(model.name().parse(), Ok(model));
        assert_eq!(model.to_string(), model.name());
    }
    let error = "cabel".parse::<Model>().unwrap_err();
    assert!(error.to_string().contains("`cabel`") && error.to_string().contains("cable"), "{error}");
}
