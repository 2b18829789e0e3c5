//! A world restored looks as it did when the snapshot was taken, before it takes another step, whatever the model; and so does one
//! whose step has failed, or was asked to stop.
#![allow(clippy::unwrap_used)]

#[path = "common/models.rs"]
mod models;

use models::{HEIGHT, MATTER, block, every_model, every_model_at};
use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Vec3};
use pliant::motion::{Blend, Drive, Motion, Window};
use pliant::{
    Body, Change, Friction, GripParams, GripperParams, Hold, Load, Other, Place, Section, Snapshot, SnapshotError,
    StepError, Stop, World,
};

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
    let pulled = |body: &Body| {
        let mut world = met(body);
        let load = Load::new(world.body_at(0).unwrap(), Place::Node(2), Vec3::X * 1e-3);
        let load = world.add_load(load).unwrap();
        run(&mut world, 1);
        (world, load)
    };
    for body in every_model() {
        let (mut world, load) = pulled(&body);
        // torn away to where no scene is
        world.set_load(load, Vec3::X * 1e30, Vec3::ZERO).unwrap();
        let (before, seen) = (world.snapshot(), world.frame());
        for _ in 0..2 {
            let error = world.step(1e-3).unwrap_err();
            assert!(!matches!(error, StepError::Stopped { .. }));
            assert_eq!(world.time(), seen.time, "{}", body.name());
            assert_eq!(world.snapshot(), before, "{}: {error}", body.name());
            assert_eq!(world.frame(), seen, "{}", body.name());
        }
        // and goes on as one that has never tried
        let (mut other, of_other) = pulled(&body);
        other.restore(&before).unwrap();
        for (world, load) in [(&mut world, load), (&mut other, of_other)] {
            world.set_load(load, Vec3::X * 1e-3, Vec3::ZERO).unwrap();
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

/// A call by its name.
type Call = (&'static str, fn(&mut World));

/// What is done to a world between steps, after which some of what it keeps is found anew in the next step.
const CALLS: [Call; 7] = [
    ("add_load", |world| _ = world.add_load(load(world, 1)).unwrap()),
    ("add_grip", |world| _ = world.add_grip(grip(world, 2)).unwrap()),
    ("remove_load", |world| {
        let (load, _) = world.loads().next().unwrap();
        world.remove_load(load).unwrap();
    }),
    ("add_obstacle", |world| {
        let far = Pose::from_translation(Vec3::X * 5.0);
        world.add_obstacle(ObstacleParams::fixed("far", Shape::new(ShapeKind::Plane).unwrap(), far)).unwrap();
    }),
    ("add_body", |world| _ = world.add_body(block("another", Vec3::new(0.0, 2.0, 0.5))).unwrap()),
    ("remove_body", |world| _ = world.remove_body(world.body_at(1).unwrap()).unwrap()),
    ("set_gravity", |world| world.set_gravity(Vec3::new(0.0, 1.0, -9.0)).unwrap()),
];

/// The bytes tell more than `PartialEq`, which leaves out what is not in use.
#[test]
fn a_step_that_fails_after_a_call_leaves_the_same_bits() {
    for body in every_model() {
        let met = met(&body);
        for (name, call) in CALLS {
            let (mut world, stop) = (met.clone(), Stop::default());
            world.set_stop(&stop);
            // first one that is stopped, then one that is torn away to where no scene is
            for force in [None, Some(1e30)] {
                call(&mut world);
                if let Some(force) = force {
                    let torn = Load::new(world.body_at(0).unwrap(), Place::Node(3), Vec3::X * force);
                    world.add_load(torn).unwrap();
                } else {
                    stop.ask();
                }
                let (before, bytes) = (world.snapshot(), world.snapshot().to_bytes());
                for _ in 0..2 {
                    let error = world.step(1e-3).unwrap_err();
                    assert_eq!(matches!(error, StepError::Stopped { .. }), force.is_none(), "{error}");
                    assert_eq!(world.snapshot(), before, "{} after {name}: {error}", body.name());
                    assert!(world.snapshot().to_bytes() == bytes, "{} after {name}: {error}", body.name());
                }
                // and so does one that is restored
                world.restore(&before).unwrap();
                assert!(world.snapshot().to_bytes() == bytes, "{} after {name}, restored", body.name());
                world = met.clone();
                world.set_stop(&stop);
                stop.take_back();
            }
        }
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

/// Models in a row on the floor, so close that neighbours touch; one of them held by a grip that closes. A solid of the model `response`
/// that others push is left out: where its points are pushed is kept from step to step to within rounding only.
fn crowd() -> World {
    let mut world = handled(&every_model()[3]);
    let away: [Vec3; 7] = std::array::from_fn(|n| Vec3::new(0.0, 0.0095 * (n as f64 + 1.0), 0.0));
    let near = every_model_at("near ", away).into_iter().filter(|body| !matches!(body, Body::Response(_)));
    near.for_each(|body| assert!(world.add_body(body).is_ok()));
    world
}

/// After a while, with things changed by hand: in contact, held, loaded, and in the middle of a grip that pulls.
fn busy(mut world: World) -> World {
    run(&mut world, 40);
    let (hand, body) = (world.gripper_at(0).unwrap(), world.body_at(0).unwrap());
    let params = GripParams { from: 0.0, snap: true, ..GripParams::new(hand, body, Place::Node(3), Hold::Position) };
    let pulls = world.add_grip(params).unwrap();
    world.add_load(load(&world, 1)).unwrap();
    world.change(body, Change::Friction(Friction { coefficient: 0.2, exponent: 1.0 })).unwrap();
    if world.bodies()[0].properties().density.is_some() {
        world.change(body, Change::Density(1000.0)).unwrap();
    }
    world.set_obstacle_friction(world.obstacle_at(0).unwrap(), Some(Friction::NONE)).unwrap();
    if world.bodies()[0].is_solid() {
        // at once, which throws it
        world.release(pulls).unwrap();
    }
    world.drive(hand, Drive::Velocity { linear: Vec3::X * 0.01, angular: Vec3::Z * 0.1 }).unwrap();
    run(&mut world, 20);
    world
}

#[test]
fn snapshots_go_through_bytes() {
    let worlds = every_model().into_iter().map(|body| (handled(&body), handled(&body))).chain([(crowd(), crowd())]);
    for (world, mut other) in worlds {
        let (mut world, name) = (busy(world), other.bodies()[0].name().to_string());
        let snapshot = world.snapshot();
        let bytes = snapshot.to_bytes();
        let read = Snapshot::from_bytes(&bytes).unwrap();
        assert!(read == snapshot && read.to_bytes() == bytes, "{name}");
        other.restore(&read).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(other.frame(), world.frame(), "{name}");
        [&mut world, &mut other].into_iter().for_each(|world| run(world, 30));
        assert!(other.snapshot() == world.snapshot(), "{name}");
        // back into the world it is of, whose handles stay
        let (hand, grip) = (world.gripper_at(0).unwrap(), world.grips().next().unwrap().0);
        world.restore(&read).unwrap();
        assert!(world.snapshot() == snapshot && world.gripper(hand).is_ok() && world.grip(grip).is_ok(), "{name}");
    }
    let meets = |world: &World| world.frame().contacts.iter().any(|c| matches!(c.other, Other::Body(_)));
    assert!(meets(&busy(crowd())));
}

/// Not a test of its own: what the next one runs in another process.
#[test]
fn in_another_process() {
    let Ok(file) = std::env::var("PLIANT_TEST_SNAPSHOT") else { return };
    let mut world = crowd();
    world.restore(&Snapshot::from_bytes(&std::fs::read(&file).unwrap()).unwrap()).unwrap();
    run(&mut world, 30);
    std::fs::write(file, world.snapshot().to_bytes()).unwrap();
}

#[test]
fn another_process_goes_on_with_the_same_bits() {
    let mut world = busy(crowd());
    let file = std::env::temp_dir().join(format!("pliant-snapshot-{}", std::process::id()));
    std::fs::write(&file, world.snapshot().to_bytes()).unwrap();
    let mut other = std::process::Command::new(std::env::current_exe().unwrap());
    let done = other.args(["--exact", "in_another_process"]).env("PLIANT_TEST_SNAPSHOT", &file).output().unwrap();
    assert!(done.status.success());
    let bytes = std::fs::read(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    run(&mut world, 30);
    // bytes also hold memory that is not in use
    assert!(Snapshot::from_bytes(&bytes).unwrap() == world.snapshot());
}

#[test]
fn damaged_bytes_are_told() {
    let world = busy(handled(&every_model()[3]));
    let bytes = world.snapshot().to_bytes();
    let why = |bytes: &[u8]| Snapshot::from_bytes(bytes).unwrap_err();
    assert_eq!(why(&[]), SnapshotError::Foreign);
    assert_eq!(why(b"a recording of some other kind"), SnapshotError::Foreign);
    for length in (0..bytes.len()).step_by(97).chain([bytes.len() - 1]) {
        assert!(Snapshot::from_bytes(&bytes[..length]).is_err());
    }
    for at in (0..bytes.len()).step_by(37).chain(0..28) {
        for bit in 0..8 {
            let mut other = bytes.clone();
            other[at] ^= 1 << bit;
            assert!(Snapshot::from_bytes(&other).is_err(), "bit {bit} of byte {at}");
        }
    }
    let mut other = bytes.clone();
    other[8] = 77;
    assert!(matches!(why(&other), SnapshotError::Version { version: 77, .. }));
    let longer = [&bytes[..], &[0]].concat();
    assert!(matches!(why(&longer), SnapshotError::Length { .. }));
}

/// Bytes that somebody made up, with a checksum that is right: they are read or refused, without a panic.
#[test]
fn made_up_bytes_are_read_or_refused() {
    let bytes = busy(handled(&every_model()[3])).snapshot().to_bytes();
    let hash = |bytes: &[u8]| {
        bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3))
    };
    let (mut random, mut refused) = (1_u64, 0);
    for _ in 0..2000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (at, value) = (28 + (random >> 20) as usize % (bytes.len() - 28), (random >> 8) as u8);
        let mut other = bytes.clone();
        other[at] = value;
        let sum = hash(&other[28..]);
        other[20..28].copy_from_slice(&sum.to_le_bytes());
        refused += usize::from(Snapshot::from_bytes(&other).is_err());
    }
    assert!(refused > 0);
}

#[test]
fn a_snapshot_of_another_world_is_refused() {
    let all: Vec<World> = every_model().iter().map(handled).collect();
    for (n, world) in all.iter().enumerate() {
        let read = Snapshot::from_bytes(&world.snapshot().to_bytes()).unwrap();
        for (m, other) in all.iter().enumerate() {
            let (mut other, before) = (other.clone(), other.snapshot());
            assert_eq!(other.restore(&read).is_ok(), n == m);
            assert!(n == m || other.snapshot() == before);
        }
    }
}

/// A clone leaves working memory behind: it and the first go on alike, and neither knows of the other.
#[test]
fn clones_go_on_as_the_first() {
    fn shared_among_threads<T: Clone + Send + Sync>(_: &T) {}
    let worlds = every_model().into_iter().map(|body| handled(&body)).chain([crowd()]);
    for world in worlds {
        let mut world = busy(world);
        shared_among_threads(&world);
        let mut clone = world.clone();
        // however many triangles an obstacle has
        assert!(std::sync::Arc::ptr_eq(&clone.obstacles()[0].params, &world.obstacles()[0].params));
        assert_eq!(clone.frame(), world.frame());
        assert!(clone.snapshot() == world.snapshot());
        run(&mut world, 30);
        // a clone of a clone that has not moved yet
        let mut other = clone.clone();
        [&mut clone, &mut other].into_iter().for_each(|world| run(world, 30));
        assert!(clone.snapshot() == world.snapshot() && other.snapshot() == world.snapshot());
    }
}

/// Copying into a snapshot that is there is taking one, whatever it was of before.
#[test]
fn snapshots_are_written_over() {
    let mut kept = crowd().snapshot();
    for world in every_model().iter().map(handled).chain([crowd()]) {
        let world = busy(world);
        world.write_snapshot(&mut kept);
        assert!(kept == world.snapshot() && Snapshot::from_bytes(&kept.to_bytes()).unwrap() == world.snapshot());
    }
}

/// What is added between steps leaves the motion of what it does not touch as it is, to the bit.
#[test]
fn what_is_added_leaves_others_alone() {
    let far = Vec3::Y * 5.0;
    for body in every_model().into_iter().filter(|body| !matches!(body, Body::Lattice(_))) {
        let (mut world, mut other) = (busy(handled(&body)), busy(handled(&body)));
        let added = world.add_body(bystander()).unwrap();
        let shape = Shape::new(ShapeKind::Sphere { radius: 0.05 }).unwrap();
        let (placed, motion) = (Pose::from_translation(far), Motion::Hold);
        let ball = ObstacleParams { name: "ball".into(), shape, placed, motion: motion.clone(), friction: None };
        world.add_obstacle(ball).unwrap();
        let hand = GripperParams { name: "other hand".into(), placed: Pose::from_translation(Vec3::Y), motion };
        let hand = world.add_gripper(hand).unwrap();
        world.grasp(hand, added, Place::Node(0), Hold::Clamp).unwrap();
        world.add_load(Load::new(added, Place::Node(3), Vec3::X * 0.01)).unwrap();
        [&mut world, &mut other].into_iter().for_each(|world| run(world, 30));
        let (a, b) = (world.frame(), other.frame());
        assert_eq!(a.bodies[0].nodes, b.bodies[0].nodes, "{}", body.name());
        assert_eq!(a.grippers[0], b.grippers[0], "{}", body.name());
        // and what was added is held and falls
        assert!(a.grippers[1].attached && a.bodies[1].nodes[8].z < HEIGHT - 1e-5, "{}", body.name());
    }
}
