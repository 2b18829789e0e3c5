//! Fingers of an arm that hold a cable by friction alone, and cables that end in free bodies.
#![allow(clippy::unwrap_used)]

use pliant::arm::{Arm, ArmSpec, JointDrive};
use pliant::cable::{Cable, CableSettings, CableSpec, Step};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Mat3, Pose, Quat, Vec3};
use pliant::robot::{Base, JointKind, JointSpec, Limits, LinkSpec, RobotSpec};
use pliant::{Body, Drive, Frame, Friction, GripParams, GripperId, GripperParams, Hold, Material, Other, Place, World};

const EFFORT: f64 = 5.0;
const FRICTION: f64 = 0.3;
const RADIUS: f64 = 0.003;

/// Two fingers that slide along y of their palm, towards each other.
fn jaws(palm: Pose) -> RobotSpec {
    let finger = |name: &str| LinkSpec {
        name: name.into(),
        mass: 0.05,
        centre: Vec3::ZERO,
        inertia: Mat3::from_diagonal(Vec3::splat(5e-6)),
    };
    let root = LinkSpec { name: "palm".into(), mass: 0.0, centre: Vec3::ZERO, inertia: Mat3::ZERO };
    let slide = |name: &str, child: usize, axis: Vec3| {
        let mut joint = JointSpec::new(name, JointKind::Prismatic, [0, child], Pose::IDENTITY, axis);
        joint.limits = Limits { lower: 0.0, upper: 0.02, effort: EFFORT, velocity: 0.1 };
        joint
    };
    RobotSpec {
        name: "jaws".into(),
        links: vec![root, finger("left"), finger("right")],
        joints: vec![slide("left", 1, Vec3::Y), slide("right", 2, Vec3::NEG_Y)],
        base: Base::Fixed(palm),
        gravity: Vec3::ZERO,
    }
}

/// A wire along x of the palm between open fingers, and what pulls at its end.
fn world(palm: Pose, young: f64) -> (World, GripperId) {
    let mut world = World::new(Vec3::ZERO);
    let friction = Friction { coefficient: FRICTION, exponent: 1.0 };
    let material = Material { young, poisson: 0.4, density: 1400.0, friction };
    let path = [-0.01, 0.2].map(|x| palm.transform_point(Vec3::X * x)).to_vec();
    let wire = world.add_body(Body::Cable(Cable::new("wire", CableSpec::round(material, RADIUS, path, 42)).unwrap()));
    let spec = ArmSpec {
        joints: vec![0.004; 2],
        drives: vec![JointDrive::Position { target: 0.0, stiffness: 1e4, damping: 1e3 }; 2],
        ..ArmSpec::new(jaws(palm))
    };
    let arm = world.add_body(Body::Arm(Arm::new("jaws", spec).unwrap())).unwrap();
    for (name, side) in [("left", 1.0), ("right", -1.0)] {
        let pad = Shape::new(ShapeKind::Box { size: Vec3::new(0.03, 0.01, 0.02) }).unwrap();
        let pad = world.add_obstacle(ObstacleParams::fixed(name, pad, Pose::IDENTITY)).unwrap();
        world.carry_obstacle(pad, arm, name, Pose::from_translation(Vec3::Y * (0.005 * side))).unwrap();
    }
    let end = palm.transform_point(Vec3::X * 0.2);
    let puller = world.add_gripper(GripperParams::at("puller", Pose::from_translation(end))).unwrap();
    world.add_grip(GripParams::new(puller, wire.unwrap(), Place::Fraction(1.0), Hold::Position)).unwrap();
    world.ready().unwrap();
    (world, puller)
}

/// Fingers press with their effort F, and a wire between them slides at 2 mu F: whatever the step, and whichever way they are turned.
#[test]
fn fingers_hold_up_to_twice_friction_times_effort() {
    for (step, palm) in [
        (4e-4, Pose::IDENTITY),
        (2e-3, Pose::IDENTITY),
        (1e-2, Pose::IDENTITY),
        (
            2e-3,
            Pose::from_parts(
                Vec3::new(0.3, -0.2, 0.5),
                Quat::from_axis_angle(Vec3::new(2.0, -1.0, 3.0).normalize(), 2.1),
            ),
        ),
    ] {
        let (mut world, puller) = world(palm, 2e7);
        let along = palm.rotation * Vec3::X;
        let mut frame = Frame::default();
        // the puller goes at constant velocity
        let run = |world: &mut World, [from, to]: [f64; 2], time: f64| {
            let count = (time / step).round() as usize;
            for n in 1..=count {
                let x = from + (to - from) * n as f64 / count as f64;
                let pose = Pose::from_translation(palm.transform_point(Vec3::X * x));
                world.drive(puller, Drive::Pose(pose)).unwrap();
                world.step(step).unwrap();
            }
        };
        run(&mut world, [0.2; 2], 0.5);
        world.write_frame(&mut frame);
        let on = |pad: usize| {
            frame.contacts.iter().filter(|c| c.other == Other::Obstacle(pad)).map(|c| c.force).sum::<Vec3>()
        };
        let [left, right] = [on(0), on(1)];
        let inwards = palm.rotation * Vec3::Y;
        assert!((left.dot(-inwards) - EFFORT).abs() < 1e-3 * EFFORT, "{step}: {left:?}");
        assert!((right.dot(inwards) - EFFORT).abs() < 1e-3 * EFFORT, "{step}: {right:?}");
        // at half of what they bear the wire holds; EA / L of what is free of it is 3e3 N/m
        let start = world.bodies()[0].place_pose(Place::Fraction(0.0)).unwrap().translation;
        run(&mut world, [0.2, 0.2005], 0.3);
        let moved = world.bodies()[0].place_pose(Place::Fraction(0.0)).unwrap().translation - start;
        // across, fingers that both give all they can are in balance anywhere
        assert!(moved.dot(along).abs() < 1e-6, "{step}: {moved:?}");
        let held = -world.grippers()[0].load.force.dot(along);
        assert!((0.5..0.9 * 2.0 * FRICTION * EFFORT).contains(&held), "{step}: {held}");
        run(&mut world, [0.2005, 0.206], 0.5);
        let slides = -world.grippers()[0].load.force.dot(along);
        assert!((slides - 2.0 * FRICTION * EFFORT).abs() < 2e-3 * 2.0 * FRICTION * EFFORT, "{step}: {slides}");
        // what the one gives the other gets, to rounding
        let [wire, fingers] = [0, 1].map(|n| world.accounts()[n].work);
        assert!((wire.obstacles + fingers.grips).abs() < 1e-9 * fingers.grips.abs(), "{step}: {wire:?}, {fingers:?}");
    }
}

/// Fingers that strike a wire, however soft, give it no more than they lose: less than a hundredth of their kinetic energy appears
/// from nothing in any step, and the impact takes almost all of it.
#[test]
fn fingers_that_strike_a_wire_create_no_energy() {
    for (young, step) in
        [2e6, 2e7, 2e9].into_iter().flat_map(|young| [5e-4, 1e-3, 2e-3, 1e-2].map(|step| (young, step)))
    {
        let (mut world, _) = world(Pose::IDENTITY, young);
        let kinetic = |world: &World, n: usize| world.bodies()[n].energy(Vec3::ZERO).kinetic;
        let mut most: f64 = 0.0;
        for _ in 0..(0.2 / step) as usize {
            world.step(step).unwrap();
            most = most.max(kinetic(&world, 1));
        }
        // both at the speed that their servos are given, 0.1 m/s
        assert!(most > 0.8 * 0.05 * 0.1 * 0.1, "{young}, {step}: {most}");
        let [wire, fingers] = [0, 1].map(|n| world.accounts()[n]);
        assert!(
            wire.created.max(fingers.created) < 1e-2 * most,
            "{young}, {step}: {} and {}",
            wire.created,
            fingers.created
        );
        let left = kinetic(&world, 0) + kinetic(&world, 1);
        assert!(left < 1e-4 * most, "{young}, {step}: {left} of {most}");
        let (given, got) = (fingers.work.grips, wire.work.obstacles);
        assert!((given + got).abs() < 1e-9 * given.abs(), "{young}, {step}: {given} and {got}");
    }
}

/// A wire that ends in a free body, inside its shape, and spins with it: energy never grows.
#[test]
fn a_wire_and_the_body_that_it_ends_in_gain_no_energy() {
    for (mass, young) in [(0.003, 1e7), (0.003, 1e10), (1.0, 1e8)] {
        for step in [1e-3, 5e-3] {
            let mut world = World::new(Vec3::ZERO);
            let friction = Friction { coefficient: 0.0, exponent: 1.0 };
            let material = Material { young, poisson: 0.4, density: 1000.0, friction };
            let mut spec = CableSpec::round(material, 0.003, vec![Vec3::X * 0.005, Vec3::X * 0.2], 20);
            spec.settings = CableSettings {
                step: Step::Midpoint,
                damping_time: 0.0,
                self_contact: false,
                ..CableSettings::default()
            };
            let inertia = Mat3::from_diagonal(Vec3::new(0.7e-4, 1e-4, 1.2e-4) * mass);
            let links = vec![LinkSpec { name: "body".into(), mass, centre: Vec3::ZERO, inertia }];
            let robot =
                RobotSpec { name: "plug".into(), links, joints: vec![], base: Base::Floating, gravity: Vec3::ZERO };
            let moving = [Vec3::new(0.1, 0.2, -0.1), Vec3::new(1.0, 2.0, 3.0)];
            let plug = Arm::new("plug", ArmSpec { moving, ..ArmSpec::new(robot) }).unwrap();
            let plug = world.add_body(Body::Arm(plug)).unwrap();
            let shape = Shape::new(ShapeKind::Box { size: Vec3::splat(0.02) }).unwrap();
            let shape = world.add_obstacle(ObstacleParams::fixed("plug", shape, Pose::IDENTITY)).unwrap();
            world.carry_obstacle(shape, plug, "body", Pose::IDENTITY).unwrap();
            let wire = world.add_body(Body::Cable(Cable::new("wire", spec).unwrap())).unwrap();
            let end = world.add_gripper(GripperParams::at("end", Pose::IDENTITY)).unwrap();
            world.carry(end, plug, "body", Pose::from_translation(Vec3::X * 0.005)).unwrap();
            world.add_grip(GripParams::new(end, wire, Place::Fraction(0.0), Hold::Clamp)).unwrap();
            world.ready().unwrap();
            let energy = |world: &World| world.bodies().iter().map(|body| body.energy(Vec3::ZERO).total()).sum::<f64>();
            let from = energy(&world);
            let mut most: f64 = 0.0;
            for _ in 0..(0.5 / step) as usize {
                world.step(step).unwrap();
                most = most.max(energy(&world) - from);
            }
            assert!(most <= 1e-6 * from, "{mass}, {young}, {step}: gained {most} of {from}");
            // wire and plug are joined, which is no contact
            let mut frame = Frame::default();
            world.write_frame(&mut frame);
            assert!(frame.contacts.is_empty(), "{:?}", frame.contacts);
        }
    }
}
