//! Snapshots that somebody made up, with a checksum that is right: they are refused with an error, or restored to a world that can be
//! shown and stepped; a step may fail with an error too. No panic, and no memory beyond what the bytes account for.
#![allow(clippy::unwrap_used)]

#[path = "common/models.rs"]
mod models;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use models::{HEIGHT, every_model, every_model_at};
use pliant::arm::{Arm, ArmSpec, JointDrive};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Mat3, Pose, Vec3};
use pliant::robot::{Base, JointKind, JointSpec, LinkSpec, RobotSpec};
use pliant::{Body, FingerParams, GripParams, GripperParams, Hold, Load, Model, Place, Snapshot, World};

/// Mutations in all: more where there is time.
fn mutations() -> usize {
    if std::env::var("PLIANT_LONG").is_ok() { 100_000 } else { 40_000 }
}

/// No single allocation may be larger [bytes]: a `response` body of which all nodes touch something, as in states that make no sense, has a
/// matrix of 5 MB; the rest is a few hundred kilobytes.
const LARGEST: usize = 8 << 20;

thread_local! {
    static LARGEST_SEEN: Cell<usize> = const { Cell::new(0) };
}

struct Measuring;

// SAFETY: passes everything on to the system's allocator
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Measuring {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST_SEEN.with(|seen| seen.set(seen.get().max(layout.size())));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Measuring = Measuring;

/// An arm of two hinges with a servo each.
fn arm() -> Body {
    let link = |name: &str| LinkSpec {
        name: name.into(),
        mass: 0.5,
        centre: Vec3::X * 0.1,
        inertia: Mat3::from_diagonal(Vec3::splat(1e-3)),
    };
    let joint = |n: usize, at: Vec3| {
        JointSpec::new(&format!("joint{n}"), JointKind::Continuous, [n, n + 1], Pose::from_translation(at), Vec3::Y)
    };
    let robot = RobotSpec {
        name: "arm".into(),
        links: vec![link("base"), link("upper"), link("lower")],
        joints: vec![joint(0, Vec3::new(-0.4, 0.0, HEIGHT)), joint(1, Vec3::X * 0.2)],
        base: Base::Fixed(Pose::IDENTITY),
        gravity: Vec3::ZERO,
    };
    let servo = JointDrive::Position { target: 0.05, stiffness: 50.0, damping: 5.0 };
    Body::Arm(Arm::new("arm", ArmSpec { drives: vec![servo; 2], ..ArmSpec::new(robot) }).unwrap())
}

/// Bodies on a floor, the first of them held, loaded and pushed by a fingertip, and in the hand of an arm if there is one.
fn world(bodies: Vec<Body>) -> World {
    let mut world = World::new(Vec3::Z * -9.81);
    let floor = Shape::new(ShapeKind::Plane).unwrap();
    world
        .add_obstacle(ObstacleParams::fixed("floor", floor, Pose::from_translation(Vec3::Z * (HEIGHT - 0.012))))
        .unwrap();
    let tip = Pose::from_translation(Vec3::new(0.02, 0.0, HEIGHT - 0.012));
    let tip = world.add_gripper(GripperParams::at("tip", tip)).unwrap();
    world.add_finger(FingerParams { gripper: tip, radius: 0.005, friction: None }).unwrap();
    let at = bodies[0].place_pose(Place::Node(0)).unwrap();
    let hand = world.add_gripper(GripperParams::at("hand", at)).unwrap();
    for body in bodies {
        let arm = body.model() == Model::Arm;
        let body = world.add_body(body).unwrap();
        if arm {
            world.carry(hand, body, "lower", Pose::from_translation(Vec3::X * 0.2)).unwrap();
        }
    }
    let body = world.body_at(0).unwrap();
    world.add_grip(GripParams::new(hand, body, Place::Node(0), Hold::Clamp)).unwrap();
    world.add_load(Load::new(body, Place::Node(2), Vec3::X * 1e-3)).unwrap();
    world.ready().unwrap();
    (0..60).for_each(|_| world.step(1e-3).unwrap());
    world
}

/// The checksum of the format, by its definition (FNV-1a).
fn sum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3))
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// A few bytes of the content replaced: single ones by anything, or eight by a number that is awkward as an index, a length or a
/// coordinate.
fn forge(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    const HEAD: usize = 28;
    let numbers = [0.0, -1.0, 1e300, -1e300, 1e-300, f64::NAN, f64::INFINITY].map(f64::to_bits);
    let awkward = [numbers.as_slice(), &[1, 2, 3, 7, 100, 1 << 20, 1 << 32, 1 << 62, u64::MAX - 1, u64::MAX]].concat();
    let mut other = bytes.to_vec();
    for _ in 0..=random.below(3) {
        let at = HEAD + random.below(bytes.len() - HEAD);
        if random.below(2) == 0 {
            other[at] = random.below(256) as u8;
        } else if at + 8 <= bytes.len() {
            other[at..at + 8].copy_from_slice(&awkward[random.below(awkward.len())].to_le_bytes());
        }
    }
    let sum = sum(&other[HEAD..]);
    other[20..HEAD].copy_from_slice(&sum.to_le_bytes());
    other
}

#[test]
fn made_up_snapshots_are_refused_or_give_a_world_that_steps() {
    let mut worlds: Vec<World> = every_model().into_iter().map(|body| world(vec![body])).collect();
    let cable = || every_model().into_iter().find(|body| body.model() == Model::Cable).unwrap();
    worlds.push(world(vec![cable(), arm()]));
    worlds.push(world(every_model_at("", std::array::from_fn(|n| Vec3::Y * (0.0095 * n as f64)))));
    let (mut random, mut frame) = (Random(17), pliant::Frame::default());
    let [mut refused, mut failed, mut fine] = [0; 3];
    let each = mutations() / worlds.len() + 1;
    for world in &worlds {
        let bytes = world.snapshot().to_bytes();
        let mut other = world.clone();
        for n in 0..each {
            let forged = forge(&bytes, &mut random);
            LARGEST_SEEN.with(|seen| seen.set(0));
            let done = catch_unwind(AssertUnwindSafe(|| {
                let Ok(snapshot) = Snapshot::from_bytes(&forged) else { return [1, 0, 0] };
                if other.restore(&snapshot).is_err() {
                    return [1, 0, 0];
                }
                other.write_frame(&mut frame);
                // steps from a state that makes no sense may take long before they are given up
                if n % 10 != 0 {
                    return [0, 0, 1];
                }
                let fine = other.step(1e-3).is_ok();
                [0, usize::from(!fine), usize::from(fine)]
            }));
            let name = world.bodies()[0].name();
            let [a, b, c] = done.unwrap_or_else(|_| panic!("mutation {n} of a world with a {name} panics"));
            (refused, failed, fine) = (refused + a, failed + b, fine + c);
            let largest = LARGEST_SEEN.with(Cell::get);
            assert!(largest <= LARGEST, "mutation {n} of a world with a {name} allocates {largest} bytes at once");
        }
        // and what was forged leaves no trace
        other.restore(&world.snapshot()).unwrap();
        assert!(other.snapshot() == world.snapshot());
    }
    assert!(refused > mutations() / 100 && fine > mutations() / 10, "{refused} refused, {failed} failed, {fine} fine");
}
