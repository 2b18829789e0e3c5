//! The links of a long cable are shared out among threads: that changes no bit of what it does, and allocates nothing.
#![allow(clippy::unwrap_used)]

mod common;

use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec, Solver};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Vec3};
use pliant::motion::{Motion, Window};
use pliant::{Body, Friction, GripParams, GripperParams, Hold, Material, Place, Section, World};

const RADIUS: f64 = 2e-3;
const LENGTH: f64 = 3.0;

/// A cable drawn over a drum and along a floor, its contacts in one half of it at first and everywhere later.
fn drawn(segments: usize, solver: Solver, threads: usize) -> World {
    let friction = Friction { coefficient: 0.3, exponent: 1.0 };
    let material = Material { young: 4.462e6, poisson: 0.4999, density: 1100.0, friction };
    let path = vec![Vec3::new(-0.4, 0.0, 0.3 + RADIUS), Vec3::new(LENGTH - 0.4, 0.0, 0.3 + RADIUS)];
    let settings = CableSettings { damping_time: 5e-3, drag: 1.0, solver, ..CableSettings::default() };
    let section = Section::Round { radius: RADIUS };
    let spec = CableSpec { material, section, path, normal: None, rest: Rest::Straight, segments, settings };
    let mut world = World::new(Vec3::Z * -9.81);
    let wire = world.add_body(Body::Cable(Cable::new("wire", spec).unwrap())).unwrap();
    let across = Pose::new(Vec3::Z * 0.2, Vec3::X * (std::f64::consts::FRAC_PI_2 + 0.1));
    for (name, kind, placed) in [
        ("floor", ShapeKind::Plane, Pose::IDENTITY),
        ("drum", ShapeKind::Cylinder { radius: 0.1, length: 0.4 }, across),
    ] {
        world.add_obstacle(ObstacleParams::fixed(name, Shape::new(kind).unwrap(), placed)).unwrap();
    }
    let placed = Pose::from_translation(Vec3::new(-0.4, 0.0, 0.3 + RADIUS));
    let velocity = Vec3::new(-0.5, 0.05, -0.3);
    let motion = Motion::Glide { velocity, acceleration: Vec3::ZERO, window: Window { start: 0.0, end: 0.8 } };
    let hand = world.add_gripper(GripperParams { name: "hand".into(), placed, motion }).unwrap();
    world.add_grip(GripParams::new(hand, wire, Place::Fraction(0.0), Hold::Position)).unwrap();
    world.set_threads(threads);
    world.ready().unwrap();
    world
}

#[test]
fn threads_change_no_bit() {
    for (segments, solver, threads) in
        [(512, Solver::default(), 3), (701, Solver::default(), 2), (600, Solver::Newton, 2)]
    {
        let [one, more] = [1, threads].map(|threads| {
            let mut world = drawn(segments, solver, threads);
            let (mut most, mut frames) = (0, Vec::new());
            for _ in 0..7 {
                (0..5).for_each(|_| world.step(10e-3).unwrap());
                frames.push(world.frame());
                most = most.max(frames.last().unwrap().contacts.len());
            }
            assert!(most > segments / 5, "{most} contacts of {segments} links");
            (world.snapshot(), frames)
        });
        assert!(one == more, "{segments} links on {threads} threads");
    }
}

#[test]
fn a_step_on_two_threads_allocates_nothing() {
    let mut world = drawn(640, Solver::default(), 2);
    // which starts the threads
    world.step(10e-3).unwrap();
    for step in 1..60 {
        let before = common::allocations();
        world.step(10e-3).unwrap();
        assert_eq!(common::allocations() - before, 0, "in step {step}");
    }
}
