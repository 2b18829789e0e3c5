//! Links of arms that touch each other: impacts, rest and friction of free bodies, pendulums, an arm that folds on itself.
#![allow(clippy::unwrap_used)]

use pliant::arm::{Arm, ArmSpec, JointDrive};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Mat3, Pose, Quat, Vec3};
use pliant::robot::{Base, JointKind, JointSpec, LinkSpec, RobotSpec};
use pliant::{Body, BodyId, Friction, Other, Snapshot, World};

const G: f64 = 9.81;
const STEPS: [f64; 3] = [2e-3, 5e-3, 1e-2];

fn inertia(shape: &ShapeKind, mass: f64) -> Mat3 {
    let of = match *shape {
        ShapeKind::Sphere { radius } => Vec3::splat(0.4 * radius * radius),
        ShapeKind::Box { size } => {
            let square = size * size;
            Vec3::new(square.y + square.z, square.z + square.x, square.x + square.y) / 12.0
        }
        _ => unreachable!(),
    };
    Mat3::from_diagonal(of * mass)
}

/// Put a free body of even density into a world.
fn free(world: &mut World, name: &str, shape: ShapeKind, mass: f64, root: Pose, moving: [Vec3; 2]) -> BodyId {
    let links = vec![LinkSpec { name: "body".into(), mass, centre: Vec3::ZERO, inertia: inertia(&shape, mass) }];
    let robot = RobotSpec { name: name.into(), links, joints: vec![], base: Base::Floating, gravity: Vec3::ZERO };
    let spec = ArmSpec { root, moving, friction: friction(0.5), ..ArmSpec::new(robot) };
    let arm = world.add_body(Body::Arm(Arm::new(name, spec).unwrap())).unwrap();
    carry(world, arm, "body", &format!("{name}-shape"), shape, Pose::IDENTITY);
    arm
}

fn carry(world: &mut World, arm: BodyId, link: &str, name: &str, shape: ShapeKind, at: Pose) {
    let shape = world.add_obstacle(ObstacleParams::fixed(name, Shape::new(shape).unwrap(), Pose::IDENTITY)).unwrap();
    world.carry_obstacle(shape, arm, link, at).unwrap();
}

fn friction(coefficient: f64) -> Friction {
    Friction { coefficient, exponent: 1.0 }
}

fn arm(world: &World, body: BodyId) -> &Arm {
    let Body::Arm(arm) = world.body(body).unwrap() else { unreachable!() };
    arm
}

/// Velocity of a free body, and its angular velocity, in the world.
fn moves(world: &World, body: BodyId) -> [Vec3; 2] {
    let (turn, v) = (arm(world, body).link(0).rotation, &arm(world, body).joints().v);
    [turn * Vec3::from_slice(&v[..3]), turn * Vec3::from_slice(&v[3..6])]
}

fn energy(world: &World) -> f64 {
    world.bodies().iter().map(|body| body.energy(world.gravity())).map(|e| e.kinetic + e.gravity).sum()
}

/// Two balls that meet head-on go on together: v = m u / (m + M), to rounding, and energy is that of an impact without bounce.
#[test]
fn balls_that_meet_go_on_together() {
    for step in STEPS {
        let mut world = World::new(Vec3::ZERO);
        world.enforce_accounts(true);
        let (mass, other, speed) = (0.3, 0.8, 0.7);
        let ball = ShapeKind::Sphere { radius: 0.05 };
        let a = free(&mut world, "a", ball.clone(), mass, Pose::IDENTITY, [Vec3::X * speed, Vec3::ZERO]);
        let b = free(&mut world, "b", ball, other, Pose::from_translation(Vec3::X * 0.2), [Vec3::ZERO; 2]);
        (0..(0.4 / step) as usize).for_each(|_| world.step(step).unwrap());
        let expected = Vec3::X * (mass * speed / (mass + other));
        for body in [a, b] {
            let [velocity, turn] = moves(&world, body);
            assert!((velocity - expected).length() < 1e-9 && turn.length() < 1e-9, "{step}: {velocity}, {turn}");
        }
        let apart = arm(&world, b).link(0).translation.x - arm(&world, a).link(0).translation.x;
        assert!((apart - 0.1).abs() < 1e-6, "{step}: they are {apart} m apart");
    }
}

/// Boxes that tumble into each other with friction: momentum and angular momentum of both stay, energy never grows.
#[test]
fn tumbling_boxes_keep_momentum_and_gain_no_energy() {
    for (n, step) in STEPS.into_iter().enumerate() {
        let mut world = World::new(Vec3::ZERO);
        world.enforce_accounts(true);
        let shape = |x| ShapeKind::Box { size: Vec3::new(0.2, 0.14, x) };
        let turned = Quat::from_rotation_y(0.4 + n as f64) * Quat::from_rotation_z(0.7);
        let moving = [Vec3::new(0.9, 0.1, 0.05), Vec3::new(1.0, -2.0, 0.5)];
        let a = free(&mut world, "a", shape(0.1), 0.7, Pose::from_rotation(turned), moving);
        let there = Pose::from_parts(Vec3::new(0.35, 0.03, 0.04), Quat::from_rotation_x(0.3));
        let b = free(&mut world, "b", shape(0.12), 0.4, there, [Vec3::new(-0.5, 0.0, 0.0), Vec3::Z * 3.0]);
        let total = |world: &World| {
            let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
            for (body, kind, mass) in [(a, shape(0.1), 0.7), (b, shape(0.12), 0.4)] {
                let (pose, [v, w]) = (arm(world, body).link(0), moves(world, body));
                linear += v * mass;
                let spin = pose.rotation * (inertia(&kind, mass) * (pose.rotation.inverse() * w));
                angular += spin + pose.translation.cross(v * mass);
            }
            (linear, angular)
        };
        let (linear, angular) = total(&world);
        let (mut last, mut met) = (energy(&world), false);
        for _ in 0..(0.8 / step) as usize {
            world.step(step).unwrap();
            let now = energy(&world);
            assert!(now <= last * (1.0 + 1e-9), "{step}: energy grows from {last} to {now}");
            last = now;
            met |= !world.frame().contacts.is_empty();
        }
        let (after, spun) = total(&world);
        assert!(met, "{step}: they never met");
        // what Newton's method leaves of the energy is taken from the motion of each box
        assert!((after - linear).length() < 1e-7 * linear.length(), "{step}: momentum {after} for {linear}");
        // friction of up to half of what the impact takes acts at places that are as far apart as the gap of a step
        let (most, gap) = (0.5 * 0.4 * 1.5, 1.5 * step);
        assert!((spun - angular).length() < most * gap, "{step}: {spun} for {angular}");
    }
}

/// Two pendulums of the same length: one that swings down strikes the other where that hangs. Both go on with I w / (I + J) of its
/// speed, and energy falls by as much; to what a step of the swing is.
#[test]
fn a_pendulum_strikes_another() {
    let (length, radius) = (0.4, 0.03);
    for step in [1e-3, 5e-3, 1e-2] {
        let mut world = World::new(Vec3::NEG_Z * G);
        world.enforce_accounts(true);
        let mut pendulum = |name: &str, mass: f64, x: f64, angle: f64| {
            let ball = ShapeKind::Sphere { radius };
            let inertia = inertia(&ball, mass);
            let links = vec![
                LinkSpec { name: "base".into(), mass: 0.0, centre: Vec3::ZERO, inertia: Mat3::ZERO },
                LinkSpec { name: "bob".into(), mass, centre: Vec3::NEG_Z * length, inertia },
            ];
            let joint = JointSpec::new("hinge", JointKind::Continuous, [0, 1], Pose::IDENTITY, Vec3::Y);
            let base = Base::Fixed(Pose::from_translation(Vec3::X * x));
            let robot = RobotSpec { name: name.into(), links, joints: vec![joint], base, gravity: Vec3::ZERO };
            let spec = ArmSpec { joints: vec![angle], friction: friction(0.0), ..ArmSpec::new(robot) };
            let arm = world.add_body(Body::Arm(Arm::new(name, spec).unwrap())).unwrap();
            carry(&mut world, arm, "bob", &format!("{name}-bob"), ball, Pose::from_translation(Vec3::NEG_Z * length));
            (arm, mass * (length * length + 0.4 * radius * radius))
        };
        // about y, a positive angle swings the bob to -x
        let (a, of_a) = pendulum("a", 0.5, 0.0, 0.8);
        let (b, of_b) = pendulum("b", 0.3, 2.0 * radius, 0.0);
        let lowest = -(0.5 + 0.3) * G * length;
        let falls = 0.5 * G * length * (1.0 - f64::cos(0.8));
        let mut struck = false;
        for _ in 0..(0.6 / step) as usize {
            world.step(step).unwrap();
            struck |= !world.frame().contacts.is_empty();
            if struck {
                break;
            }
        }
        assert!(struck, "{step}: they do not meet");
        let speeds = [a, b].map(|body| arm(&world, body).joints().v[0]);
        let fast = (2.0 * falls / of_a).sqrt();
        let together = -of_a * fast / (of_a + of_b);
        for speed in speeds {
            assert!((speed - together).abs() < 0.5 * G / length * step, "{step}: {speeds:?} for {together}");
        }
        let kept = falls * of_a / (of_a + of_b);
        let left = energy(&world) - lowest;
        assert!((left - kept).abs() < 0.02 * falls, "{step}: {left} J for {kept} J");
    }
}

/// A box on a box on a floor: each place bears what is above it, and both stay.
#[test]
fn boxes_rest_on_each_other() {
    for step in STEPS {
        let mut world = World::new(Vec3::NEG_Z * G);
        world.enforce_accounts(true);
        let floor = ObstacleParams::fixed("floor", Shape::new(ShapeKind::Plane).unwrap(), Pose::IDENTITY);
        world.add_obstacle(floor).unwrap();
        let size = Vec3::new(0.2, 0.14, 0.1);
        let at = |x: f64, z: f64| Pose::from_translation(Vec3::new(x, 0.0, z));
        let still = [Vec3::ZERO; 2];
        let lower = free(&mut world, "lower", ShapeKind::Box { size }, 0.7, at(0.0, 0.05), still);
        let upper = free(&mut world, "upper", ShapeKind::Box { size: size * 0.5 }, 0.2, at(0.03, 0.125), still);
        (0..300).for_each(|_| world.step(step).unwrap());
        let contacts = world.frame().contacts;
        let between: Vec3 = contacts.iter().filter(|c| c.other == Other::Body(1)).map(|c| c.force).sum();
        let ground: Vec3 = contacts.iter().filter(|c| c.other == Other::Obstacle(0)).map(|c| c.force).sum();
        assert!((between - Vec3::NEG_Z * 0.2 * G).length() < 1e-5 * G, "{step}: {between} N between them");
        assert!((ground - Vec3::Z * 0.9 * G).length() < 1e-5 * G, "{step}: {ground} N on the ground");
        for (body, place) in [(lower, at(0.0, 0.05)), (upper, at(0.03, 0.125))] {
            let moved = arm(&world, body).link(0).translation - place.translation;
            assert!(moved.length() < 1e-6, "{step}: {moved}");
        }
    }
}

/// A body that slides on a long one that is free, too: friction slows one and speeds up the other until they move alike.
#[test]
fn friction_brings_sliding_boxes_to_the_same_speed() {
    for step in STEPS {
        let mut world = World::new(Vec3::NEG_Z * G);
        world.enforce_accounts(true);
        let smooth = ObstacleParams {
            friction: Some(friction(0.0)),
            ..ObstacleParams::fixed("floor", Shape::new(ShapeKind::Plane).unwrap(), Pose::IDENTITY)
        };
        world.add_obstacle(smooth).unwrap();
        let at = |z: f64| Pose::from_translation(Vec3::Z * z);
        let long = ShapeKind::Box { size: Vec3::new(1.0, 0.3, 0.1) };
        let low = free(&mut world, "low", long, 2.0, at(0.05), [Vec3::ZERO; 2]);
        let flat = ShapeKind::Box { size: Vec3::new(0.2, 0.2, 0.04) };
        let top = free(&mut world, "top", flat, 1.0, at(0.12), [Vec3::X * 1.2, Vec3::ZERO]);
        // mu g (1 + m / M) is by how much they come nearer each second
        let (mu, time) = (0.5, 0.1);
        (0..(time / step) as usize).for_each(|_| world.step(step).unwrap());
        let speeds = [low, top].map(|body| moves(&world, body)[0].x);
        let expected = [mu * G * 0.5 * time, 1.2 - mu * G * time];
        for (speed, expected) in speeds.iter().zip(expected) {
            assert!((speed - expected).abs() < 1e-3, "{step}: {speeds:?} for {expected}");
        }
        (0..(0.3 / step) as usize).for_each(|_| world.step(step).unwrap());
        for body in [low, top] {
            let [velocity, _] = moves(&world, body);
            assert!((velocity - Vec3::X * 0.4).length() < 1e-5, "{step}: {velocity}");
        }
    }
}

/// A base with a ball, a link that points upwards from beside it, and a last link whose end folds back on the ball.
fn folding(step: f64) -> (World, BodyId) {
    let mut world = World::new(Vec3::ZERO);
    world.enforce_accounts(true);
    let link = |name: &str, mass: f64, centre: Vec3| LinkSpec {
        name: name.into(),
        mass,
        centre,
        inertia: Mat3::from_diagonal(Vec3::splat(mass * 1e-3)),
    };
    let links =
        vec![link("base", 1.0, Vec3::ZERO), link("upper", 0.5, Vec3::Y * 0.1), link("lower", 0.3, Vec3::X * 0.1)];
    let hinge = |name: &str, ends, place| {
        let mut joint = JointSpec::new(name, JointKind::Continuous, ends, Pose::from_translation(place), Vec3::Z);
        joint.damping = 0.05;
        joint
    };
    let joints = vec![hinge("one", [0, 1], Vec3::X * 0.15), hinge("two", [1, 2], Vec3::Y * 0.2)];
    let base = Base::Fixed(Pose::IDENTITY);
    let robot = RobotSpec { name: "folding".into(), links, joints, base, gravity: Vec3::ZERO };
    let held = JointDrive::Position { target: 0.0, stiffness: 1e6, damping: 1e3 };
    let drives = vec![held, JointDrive::Torque(-0.4)];
    let spec = ArmSpec { drives, friction: friction(0.0), ..ArmSpec::new(robot) };
    let arm = world.add_body(Body::Arm(Arm::new("folding", spec).unwrap())).unwrap();
    carry(&mut world, arm, "base", "ball", ShapeKind::Sphere { radius: 0.05 }, Pose::IDENTITY);
    let tip = Pose::from_translation(Vec3::X * 0.2);
    carry(&mut world, arm, "lower", "tip", ShapeKind::Sphere { radius: 0.02 }, tip);
    (0..(3.0 / step) as usize).for_each(|_| world.step(step).unwrap());
    (world, arm)
}

/// It stops where its end touches: |(d + b cos p, a + b sin p)| = R + r; and pushes with the torque over the lever.
#[test]
fn an_arm_that_folds_on_itself_stops() {
    let (d, a, b, reach): (f64, f64, f64, f64) = (0.15, 0.2, 0.2, 0.07);
    // from straight out, turned clockwise: the first angle at which they touch, by halving
    let far = |p: f64| ((d + b * p.cos()).powi(2) + (a + b * p.sin()).powi(2)).sqrt() - reach;
    let (mut open, mut closed) = (0.0_f64, -2.2_f64);
    assert!(far(open) > 0.0 && far(closed) < 0.0);
    for _ in 0..60 {
        let middle = 0.5 * (open + closed);
        if far(middle) > 0.0 { open = middle } else { closed = middle }
    }
    for step in STEPS {
        let (world, arm_id) = folding(step);
        let joints = arm(&world, arm_id).joints();
        assert!((joints.q[1] - open).abs() < 1e-5, "{step}: {} for {open}", joints.q[1]);
        assert!(joints.v.iter().all(|v| v.abs() < 1e-6), "{step}: {:?}", joints.v);
        let contacts = world.frame().contacts;
        assert!(contacts.iter().all(|contact| contact.other == Other::Body(0)), "{step}: {contacts:?}");
        let normal = Vec3::new(d + b * open.cos(), a + b * open.sin(), 0.0) / reach;
        let lever = (b * open.cos() * normal.y - b * open.sin() * normal.x).abs();
        let force = contacts.iter().map(|contact| contact.force).sum::<Vec3>().length();
        assert!((force - 0.4 / lever).abs() < 1e-4 * force, "{step}: {force} N for {} N", 0.4 / lever);
    }
}

/// Neighbours pass through each other, and so does what touches from the beginning or is listed.
#[test]
fn some_links_pass_through_each_other() {
    for listed in [false, true] {
        let mut world = World::new(Vec3::ZERO);
        let links = (0..3).map(|n| LinkSpec {
            name: format!("link{n}"),
            mass: 1.0,
            centre: Vec3::ZERO,
            inertia: Mat3::from_diagonal(Vec3::splat(1e-2)),
        });
        let slide = |n: usize| {
            let origin = Pose::from_translation(Vec3::X * 0.1);
            JointSpec::new(&format!("slide{n}"), JointKind::Prismatic, [n, n + 1], origin, Vec3::X)
        };
        let robot = RobotSpec {
            name: "train".into(),
            links: links.collect(),
            joints: vec![slide(0), slide(1)],
            base: Base::Fixed(Pose::IDENTITY),
            gravity: Vec3::ZERO,
        };
        let drives = vec![JointDrive::Free, JointDrive::Torque(-1.0)];
        let passing = if listed { vec![[2, 0]] } else { vec![] };
        let spec = ArmSpec { drives, passing, friction: friction(0.0), ..ArmSpec::new(robot) };
        let train = world.add_body(Body::Arm(Arm::new("train", spec).unwrap())).unwrap();
        for n in 0..3 {
            let ball = ShapeKind::Sphere { radius: 0.03 };
            carry(&mut world, train, &format!("link{n}"), &format!("ball{n}"), ball, Pose::IDENTITY);
        }
        (0..200).for_each(|_| world.step(0.005).unwrap());
        let last = arm(&world, train).link(2).translation.x;
        // the last one is drawn back through its neighbour, and stops at the first one unless that is listed
        assert!(if listed { last < 0.0 } else { (last - 0.06).abs() < 1e-4 }, "{listed}: {last}");
    }
    // shapes that touch from the beginning
    let mut world = World::new(Vec3::ZERO);
    let moving = [Vec3::X, Vec3::ZERO];
    let ball = free(&mut world, "ball", ShapeKind::Sphere { radius: 0.05 }, 1.0, Pose::IDENTITY, moving);
    carry(&mut world, ball, "body", "more", ShapeKind::Sphere { radius: 0.02 }, Pose::from_translation(Vec3::X * 0.06));
    (0..10).for_each(|_| world.step(0.01).unwrap());
    assert!(world.frame().contacts.is_empty());
}

/// Contacts of links with links are part of the state, and taking out a body or a shape leaves none behind.
#[test]
fn meeting_links_are_restored_and_removed() {
    let mut world = World::new(Vec3::NEG_Z * G);
    let floor = ObstacleParams::fixed("floor", Shape::new(ShapeKind::Plane).unwrap(), Pose::IDENTITY);
    world.add_obstacle(floor).unwrap();
    let shape = |size| ShapeKind::Box { size: Vec3::splat(size) };
    let at = |z: f64| Pose::from_translation(Vec3::Z * z);
    let lower = free(&mut world, "lower", shape(0.1), 1.0, at(0.05), [Vec3::ZERO; 2]);
    let upper = free(&mut world, "upper", shape(0.06), 1.0, at(0.131), [Vec3::X * 0.3, Vec3::ZERO]);
    (0..20).for_each(|_| world.step(0.005).unwrap());
    let bytes = world.snapshot().to_bytes();
    let run = |world: &mut World| {
        (0..20).for_each(|_| world.step(0.005).unwrap());
        arm(world, upper).link(0)
    };
    let straight = run(&mut world);
    world.restore(&Snapshot::from_bytes(&bytes).unwrap()).unwrap();
    assert_eq!(run(&mut world), straight);
    world.remove_body(lower).unwrap();
    (0..20).for_each(|_| world.step(0.005).unwrap());
    assert!(arm(&world, upper).link(0).translation.z.is_finite());
}
