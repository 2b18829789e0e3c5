//! A world restored looks as it did when the snapshot was taken, before it takes another step, whatever the model; and so does one
//! whose step has failed, or was asked to stop.
#![allow(clippy::unwrap_used)]

#[path = "common/models.rs"]
mod models;

use models::{HEIGHT, MATTER, every_model};
use pliant::cable::{Cable, CableSettings, CableSpec, Rest};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Vec3};
use pliant::motion::{Blend, Drive, Motion, Window};
use pliant::{Body, GripParams, GripperParams, Hold, Load, Place, Section, StepError, Stop, World};

/// Height of the floor below the bodies [m].
const FLOOR: f64 = HEIGHT - 0.012;

fn grip(world: &World, node: usize) -> GripParams {
    let (place, hold) = (Place::Node(node), Hold::Clamp);
    GripParams::new(world.gripper_at(0).unwrap(), world.body_at(0).unwrap(), place, hold)
}

fn load(world: &World, node: usize) -> Load {
    let (place, force) = (Place::Node(node), Vec3::new(0.01, 0.0, -0.02));
    Load::new(world.body_at(0).unwrap(), place, force)
}

/// The body clamped by a hand that turns it and presses it to the floor.
fn handled(body: &Body) -> World {
    let mut world = World::new(Vec3::Z * -9.81);
    let shape = Shape::new(ShapeKind::Plane).unwrap();
    let (placed, motion) = (Pose::from_translation(Vec3::Z * FLOOR), Motion::Hold);
    world.add_obstacle(ObstacleParams { name: "floor".into(), shape, placed, motion, friction: None }).unwrap();
    let motion = Motion::Turn {
        axis: Vec3::Y,
        centre: Vec3::ZERO,
        angle: 0.3,
        advance: 0.0,
        blend: Blend::MinimumJerk,
        window: Window { start: 0.0, end: 0.15 },
    };
    let placed = Pose::from_translation(Vec3::Z * HEIGHT);
    world.add_gripper(GripperParams { name: "hand".into(), placed, motion }).unwrap();
    world.add_body(body.clone()).unwrap();
    world.add_grip(grip(&world, 0)).unwrap();
    world.add_load(load(&world, 3)).unwrap();
    world
}

fn run(world: &mut World, steps: usize) {
    (0..steps).for_each(|_| world.step(1e-3).unwrap());
}

#[test]
fn a_restored_world_looks_as_it_did() {
    for body in every_model() {
        let mut world = handled(&body);
        run(&mut world, 100);
        let (middle, seen) = (world.snapshot(), world.frame());
        assert!(!seen.contacts.is_empty() && seen.bodies[0].energy.elastic > 0.0, "{}", body.name());
        run(&mut world, 50);
        assert_ne!(world.frame().bodies, seen.bodies, "{}", body.name());
        let mut other = handled(&body);
        for world in [&mut world, &mut other] {
            world.restore(&middle).unwrap();
            assert_eq!(world.frame(), seen, "{}", body.name());
            assert_eq!(world.snapshot(), middle, "{}", body.name());
        }
    }
}

/// What is held or loaded from now on has not done anything yet.
#[test]
fn new_grips_and_loads_do_not_change_what_is_seen() {
    for body in every_model() {
        let mut world = handled(&body);
        run(&mut world, 100);
        let (seen, held) = (world.frame().bodies, world.grips().next().unwrap().0);
        world.add_load(load(&world, 2)).unwrap();
        assert_eq!(world.frame().bodies, seen, "load on {}", body.name());
        world.add_grip(grip(&world, 3)).unwrap();
        assert_eq!(world.frame().bodies, seen, "grip of {}", body.name());
        world.release(held).unwrap();
        assert_eq!(world.frame().bodies, seen, "release of {}", body.name());
    }
}

/// A cable that lies beside, which is well.
fn bystander() -> Body {
    let path = vec![Vec3::new(0.0, 1.0, HEIGHT), Vec3::new(0.2, 1.0, HEIGHT)];
    let (rest, settings, segments) = (Rest::Straight, CableSettings::default(), 8);
    let section = Section::Round { radius: 5e-3 };
    let spec = CableSpec { material: MATTER, section, path, normal: None, rest, segments, settings };
    Body::Cable(Cable::new("bystander", spec).unwrap())
}

/// With the bystander, after a while.
fn met(body: &Body) -> World {
    let mut world = handled(body);
    world.add_body(bystander()).unwrap();
    run(&mut world, 100);
    world
}

#[test]
fn a_step_that_fails_leaves_the_world_as_it_was() {
    for body in every_model() {
        let mut world = met(&body);
        // the hand goes where nothing can follow
        world.drive(world.gripper_at(0).unwrap(), Drive::Pose(Pose::from_translation(Vec3::X * 1e9))).unwrap();
        let (before, seen) = (world.snapshot(), world.frame());
        for _ in 0..2 {
            let error = world.step(1e-3).unwrap_err();
            assert!(!matches!(error, StepError::Stopped { .. }));
            assert_eq!(world.time(), seen.time, "{}", body.name());
            assert_eq!(world.snapshot(), before, "{}: {error}", body.name());
            assert_eq!(world.frame(), seen, "{}", body.name());
        }
        // and goes on as one that has never tried
        let mut other = met(&body);
        other.restore(&before).unwrap();
        for world in [&mut world, &mut other] {
            world.drive(world.gripper_at(0).unwrap(), Drive::Prescribed).unwrap();
            run(world, 30);
        }
        assert_eq!(world.snapshot(), other.snapshot(), "{}", body.name());
    }
}

#[test]
fn a_step_that_is_asked_to_stop_leaves_the_world_as_it_was() {
    for body in every_model() {
        let (mut world, stop) = (met(&body), Stop::default());
        world.set_stop(&stop);
        let (before, time) = (world.snapshot(), world.time());
        stop.ask();
        assert_eq!(world.step(1e-3), Err(StepError::Stopped { time }), "{}", body.name());
        assert_eq!(world.snapshot(), before, "{}", body.name());
        stop.take_back();
        run(&mut world, 30);
        let mut other = met(&body);
        run(&mut other, 30);
        assert_eq!(world.snapshot(), other.snapshot(), "{}", body.name());
    }
}

/// Steps that would take minutes: only who looks at the handle on the way can be stopped.
#[test]
fn long_steps_stop_when_asked_to() {
    // the others take few iterations however long the step, or look at it between steps of their own
    for body in every_model().into_iter().filter(|body| matches!(body, Body::Chain(_) | Body::Lattice(_))) {
        let (mut world, stop) = (World::new(Vec3::ZERO), Stop::default());
        world.add_body(body.clone()).unwrap();
        world.set_stop(&stop);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(std::time::Duration::from_millis(20));
                stop.ask();
            });
            assert_eq!(world.step(2e3), Err(StepError::Stopped { time: 0.0 }), "{}", body.name());
        });
        assert_eq!(world.time(), 0.0);
    }
}
