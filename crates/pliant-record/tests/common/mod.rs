//! A small run for all tests: a rod held by a hand that lets go, over a floor, beside a box that slides.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;

use pliant::chain::{Chain, ChainSettings, ChainSpec};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::{Motion, Window};
use pliant::{Body, Event, Frame, Friction, GripParams, GripperParams, Hold, Material, Place, Section, World};
use pliant_record::{ExpectationRow, Outcome, Paths, Recorder, RunInfo};

pub const STEP: f64 = 0.005;

pub fn world(points: usize) -> World {
    let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));
    let obstacle = |name: &str, kind, position, motion| ObstacleParams {
        name: name.into(),
        shape: Shape::new(kind).unwrap(),
        placed: Pose::from_translation(position),
        motion,
        friction: None,
    };
    world.add_obstacle(obstacle("floor", ShapeKind::Plane, Vec3::ZERO, Motion::Hold)).unwrap();
    let slide = Motion::Glide { velocity: Vec3::Y, acceleration: Vec3::ZERO, window: Window::ALWAYS };
    let size = Vec3::new(0.1, 0.2, 0.3);
    world.add_obstacle(obstacle("box", ShapeKind::Box { size }, Vec3::new(2.0, 0.0, 0.15), slide)).unwrap();
    let hand = |name: &str, x: f64| GripperParams {
        name: name.into(),
        placed: Pose::from_parts(Vec3::new(x, 0.0, 0.05), Quat::IDENTITY),
        motion: Motion::Hold,
    };
    let gripper = world.add_gripper(hand("hand", 0.0)).unwrap();
    // a name that a table must quote
    world.add_gripper(hand("left, \"idle\"", -1.0)).unwrap();
    let friction = Friction { coefficient: 0.3, exponent: 1.0 };
    let spec = ChainSpec {
        material: Material { young: 1e6, poisson: 0.4, density: 1100.0, friction },
        section: Section::Round { radius: 0.003 },
        path: vec![Vec3::new(0.0, 0.0, 0.05), Vec3::new(0.3, 0.0, 0.05)],
        points: Some(points),
        settings: ChainSettings::default(),
    };
    let rod = world.add_body(Body::Chain(Chain::new("rod", spec).unwrap())).unwrap();
    let grip = GripParams { until: 0.1, ..GripParams::new(gripper, rod, Place::Fraction(0.0), Hold::Clamp) };
    world.add_grip(grip).unwrap();
    world
}

pub fn info(duration: f64) -> RunInfo {
    RunInfo {
        title: "Drop </script><b>".into(),
        scene: "tests/drop.toml".into(),
        command: "pliant run tests/drop.toml".into(),
        duration,
        step: STEP,
        view: Default::default(),
    }
}

pub fn outcome() -> Outcome {
    let expectation = ExpectationRow {
        text: "lowest point".into(),
        value: "2 mm".into(),
        bounds: "> 1 mm".into(),
        pass: Some(true),
        first_missed: None,
    };
    Outcome {
        ok: true,
        text: "reached the end".into(),
        summary: vec![("steps".into(), "60".into())],
        expectations: vec![expectation],
    }
}

/// Record a run; returns the files, and what an onlooker who kept every step saw.
pub fn record(dir: &Path, points: usize, duration: f64) -> (Paths, Vec<Frame>, Vec<Event>) {
    let mut world = world(points);
    let mut recorder = Recorder::create(dir, &world, info(duration)).unwrap();
    let (mut frames, mut events) = (vec![world.frame()], world.events().to_vec());
    while world.time() < duration - 0.5 * STEP {
        world.step(STEP).unwrap();
        recorder.record(&world).unwrap();
        frames.push(world.frame());
        events.extend(world.events());
    }
    (recorder.finish(&outcome()).unwrap(), frames, events)
}
