//! A step allocates nothing once a world is ready: contacts that begin, grips that close and open, and events included.
#![allow(clippy::unwrap_used)]

mod common;
#[path = "common/models.rs"]
mod models;

use common::allocations;
use models::{HEIGHT, every_model, every_model_at};
use pliant::arm::{Arm, ArmSpec, JointDrive};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Mat3, Pose, Vec3};
use pliant::motion::{Blend, Motion, Window};
use pliant::robot::{Base, JointKind, JointSpec, LinkSpec, RobotSpec};
use pliant::{Body, EventKind, FingerParams, GripParams, GripperParams, Hold, Load, Model, Place, World};

const STEP: f64 = 1e-3;

fn obstacle(name: &str, kind: ShapeKind, at: Vec3) -> ObstacleParams {
    ObstacleParams::fixed(name, Shape::new(kind).unwrap(), Pose::from_translation(at))
}

/// A body that falls on a floor and a bumpy ground, held now and then, pushed by a load and a fingertip.
fn busy(bodies: Vec<Body>) -> World {
    let mut world = World::new(Vec3::Z * -9.81);
    world.add_obstacle(obstacle("floor", ShapeKind::Plane, Vec3::Z * (HEIGHT - 0.03))).unwrap();
    let heights = (0..9).map(|j| (0..9).map(|i| 0.005 * ((i * j) as f64).sin()).collect()).collect();
    let ground = ShapeKind::HeightField { heights, size: [1.0, 1.0] };
    world.add_obstacle(obstacle("ground", ground, Vec3::Z * (HEIGHT - 0.03))).unwrap();
    let turn = Motion::Turn {
        axis: Vec3::Y,
        centre: Vec3::Z * HEIGHT,
        angle: 0.2,
        advance: 0.0,
        blend: Blend::MinimumJerk,
        window: Window { start: 0.0, end: 0.1 },
    };
    let placed = Pose::from_translation(Vec3::Z * HEIGHT);
    let hand = world.add_gripper(GripperParams { name: "hand".into(), placed, motion: turn }).unwrap();
    let up = Motion::Glide { velocity: Vec3::Z * 0.2, acceleration: Vec3::ZERO, window: Window::ALWAYS };
    let placed = Pose::from_translation(Vec3::new(0.02, 0.0, HEIGHT - 0.06));
    let tip = world.add_gripper(GripperParams { name: "tip".into(), placed, motion: up }).unwrap();
    world.add_finger(FingerParams { gripper: tip, radius: 0.005, friction: None }).unwrap();
    for body in bodies {
        let side = if body.is_solid() {
            Place::Box { low: Vec3::splat(-1.0), high: Vec3::new(1e-3, 1.0, 1.0) }
        } else {
            Place::Fraction(0.0)
        };
        let side = if body.place_pose(side).is_ok() { side } else { Place::Node(0) };
        let body = world.add_body(body).unwrap();
        let grip = GripParams::new(hand, body, side, Hold::Position);
        for (from, until) in [(0.01, 0.04), (0.06, 0.09)] {
            world.add_grip(GripParams { from, until, ..grip }).unwrap();
        }
        world.add_load(Load { from: 0.02, until: 0.05, ..Load::new(body, side, Vec3::X * 1e-3) }).unwrap();
    }
    world.ready().unwrap();
    world
}

/// Check that no step of a world allocates, nor a frame that is filled again.
fn check(name: &str, mut world: World) {
    let mut frame = world.frame();
    frame.contacts.reserve(10_000);
    let mut seen = [false; 3];
    for step in 0..180 {
        let before = allocations();
        world.step(STEP).unwrap();
        world.write_frame(&mut frame);
        assert_eq!(allocations() - before, 0, "{name} allocates in step {step}");
        for event in &frame.events {
            seen[0] |= matches!(event.kind, EventKind::Attached { .. });
            seen[1] |= matches!(event.kind, EventKind::Released { .. });
            seen[2] |= matches!(event.kind, EventKind::Touched { .. });
        }
    }
    assert_eq!(seen, [true; 3], "{name} is to be held, let go and touched");
}

#[test]
fn a_body_of_any_model() {
    for body in every_model() {
        let name = body.name().to_string();
        check(&name, busy(vec![body]));
    }
}

#[test]
fn bodies_of_all_models_apart() {
    check("all", busy(every_model_at("", std::array::from_fn(|n| Vec3::Y * (0.3 * n as f64)))));
}

#[test]
fn bodies_of_all_models_in_a_heap() {
    let above = |n: usize| Vec3::new(0.0, 0.004, 0.015) * n as f64;
    check("a heap", busy(every_model_at("", std::array::from_fn(above))));
}

/// Lattices near each other, and cables that push cables, allocate until their lists have the size they need.
#[test]
fn two_bodies_of_a_model() {
    for (n, lower) in every_model().into_iter().enumerate() {
        if matches!(lower.model(), Model::Cable | Model::Lattice) {
            continue;
        }
        let above = Vec3::new(0.01, 0.002, if lower.is_solid() { 0.055 } else { 0.012 });
        let upper = every_model_at("upper ", [above; 7]).swap_remove(n);
        let name = lower.name().to_string();
        check(&name, busy(vec![lower, upper]));
    }
}

/// An arm of two links on hinges, with servos and friction in its joints.
fn arm(name: &str, hinge: Vec3) -> Arm {
    let link = |name: &str, mass: f64| LinkSpec {
        name: name.into(),
        mass,
        centre: Vec3::X * 0.1,
        inertia: Mat3::from_diagonal(Vec3::splat(1e-3 * mass)),
    };
    let joint = |n: usize, at: Vec3| {
        let joint = JointSpec::new(
            &format!("joint{n}"),
            JointKind::Continuous,
            [n, n + 1],
            Pose::from_translation(at),
            Vec3::Y,
        );
        JointSpec { friction: 1e-3, ..joint }
    };
    let robot = RobotSpec {
        name: name.into(),
        links: vec![link("base", 0.0), link("upper", 1.0), link("lower", 0.5)],
        joints: vec![joint(0, hinge), joint(1, Vec3::X * 0.2)],
        base: Base::Fixed(Pose::IDENTITY),
        gravity: Vec3::ZERO,
    };
    let servo = JointDrive::Position { target: -0.01, stiffness: 50.0, damping: 5.0 };
    Arm::new(name, ArmSpec { drives: vec![servo; 2], carries_itself: true, ..ArmSpec::new(robot) }).unwrap()
}

/// Arms whose hands close on a cable and open again, and on whose links other bodies fall. (A step that is cut into more than eight
/// parts allocates: nothing here is violent.)
#[test]
fn arms_that_hold_cables() {
    let mut world = World::new(Vec3::Z * -9.81);
    world.add_obstacle(obstacle("floor", ShapeKind::Plane, Vec3::Z * (HEIGHT - 0.03))).unwrap();
    let bodies = every_model_at("", std::array::from_fn(|n| Vec3::Y * (0.3 * n as f64)));
    let (cables, others): (Vec<Body>, Vec<Body>) = bodies.into_iter().partition(|body| body.model() == Model::Cable);
    let chain = others.into_iter().find(|body| body.model() == Model::Chain).unwrap();
    for (n, body) in cables.into_iter().chain([chain]).enumerate() {
        let end = body.place_pose(Place::Fraction(0.0)).unwrap().translation;
        let arm = world.add_body(Body::Arm(arm(&format!("arm {n}"), end - Vec3::X * 0.4))).unwrap();
        let hand = world.add_gripper(GripperParams::at(&format!("hand {n}"), Pose::IDENTITY)).unwrap();
        world.carry(hand, arm, "lower", Pose::from_translation(Vec3::X * 0.2)).unwrap();
        let ball = obstacle(&format!("ball {n}"), ShapeKind::Sphere { radius: 0.01 }, Vec3::ZERO);
        let ball = world.add_obstacle(ball).unwrap();
        world.carry_obstacle(ball, arm, "lower", Pose::from_translation(Vec3::new(0.25, 0.0, -0.017))).unwrap();
        let body = world.add_body(body).unwrap();
        let grip = GripParams::new(hand, body, Place::Fraction(0.0), Hold::Position);
        for (from, until) in [(0.01, 0.04), (0.06, 0.09)] {
            world.add_grip(GripParams { from, until, ..grip }).unwrap();
        }
    }
    world.ready().unwrap();
    check("an arm", world);
}
