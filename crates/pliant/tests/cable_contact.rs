//! The cable in contact: weights in balance, nothing passes through anything, exact snapshots, no allocation.
#![allow(clippy::unwrap_used)]

mod common;

use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec};
use pliant::contact::{Mesh, ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::{Motion, Window};
use pliant::topology::knot_determinant;
use pliant::{
    Body, BodyId, Friction, GripId, GripParams, GripperParams, Hold, Load, Material, ObstacleId, Other, Place, Section,
    World,
};

const RADIUS: f64 = 2e-3;
const G: f64 = 9.81;

fn rubber(friction: f64) -> Material {
    let friction = Friction { coefficient: friction, exponent: 1.0 };
    Material { young: 4.462e6, poisson: 0.4999, density: 1100.0, friction }
}

fn cable(name: &str, path: Vec<Vec3>, segments: usize, settings: CableSettings) -> Body {
    let (material, section) = (rubber(0.3), Section::Round { radius: RADIUS });
    let spec = CableSpec { material, section, path, normal: None, rest: Rest::Straight, segments, settings };
    Body::Cable(Cable::new(name, spec).unwrap())
}

fn obstacle(world: &mut World, kind: ShapeKind, placed: Pose) -> ObstacleId {
    let shape = Shape::new(kind).unwrap();
    let name = format!("obstacle {}", world.obstacles().len());
    world.add_obstacle(ObstacleParams { name, shape, placed, motion: Motion::Hold, friction: None }).unwrap()
}

fn hand(world: &mut World, body: BodyId, fraction: f64, at: Vec3, motion: Motion) -> GripId {
    let name = format!("hand {}", world.grippers().len());
    let gripper = world.add_gripper(GripperParams { name, placed: Pose::from_translation(at), motion }).unwrap();
    let (place, hold) = (Place::Fraction(fraction), Hold::Position);
    world.add_grip(GripParams::new(gripper, body, place, hold)).unwrap()
}

fn weight(length: f64) -> f64 {
    1100.0 * Section::Round { radius: RADIUS }.area() * length * G
}

fn damped() -> CableSettings {
    CableSettings { damping_time: 5e-3, drag: 5.0, ..CableSettings::default() }
}

/// Part of a cable hangs from a hand, the rest lies on the floor: together they carry it.
#[test]
fn hand_and_floor_share_the_weight() {
    let mut world = World::new(Vec3::Z * -G);
    let path = vec![Vec3::Z * RADIUS, Vec3::new(0.4, 0.0, RADIUS)];
    let wire = world.add_body(cable("wire", path, 40, damped())).unwrap();
    obstacle(&mut world, ShapeKind::Plane, Pose::IDENTITY);
    let velocity = Vec3::new(-0.05, 0.0, 0.1);
    let motion = Motion::Glide { velocity, acceleration: Vec3::ZERO, window: Window { start: 0.0, end: 1.0 } };
    hand(&mut world, wire, 1.0, Vec3::new(0.4, 0.0, RADIUS), motion);
    (0..3000).for_each(|_| world.step(0.01).unwrap());
    let frame = world.frame();
    let floor: Vec3 = frame.contacts.iter().map(|c| c.force).sum();
    let carried = floor - frame.grippers[0].load.force;
    assert!((carried - Vec3::Z * weight(0.4)).length() < 1e-6 * weight(0.4), "{carried} for {}", weight(0.4));
    assert!(floor.z > 0.3 * weight(0.4) && floor.z < 0.9 * weight(0.4), "the floor carries {}", floor.z);
}

fn shapes() -> Vec<(&'static str, ShapeKind, Pose)> {
    let lying = Quat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let block = || {
        let corner = |k: usize| Vec3::new([-0.1, 0.1][k & 1], [-0.1, 0.1][k >> 1 & 1], [-0.1, 0.0][k >> 2]);
        (0..8).map(corner).collect::<Vec<_>>()
    };
    let triangles = vec![
        [4, 5, 7],
        [4, 7, 6],
        [0, 3, 1],
        [0, 2, 3],
        [0, 1, 5],
        [0, 5, 4],
        [2, 7, 3],
        [2, 6, 7],
        [0, 4, 6],
        [0, 6, 2],
        [1, 3, 7],
        [1, 7, 5],
    ];
    let heights = (0..9).map(|j| (0..9).map(|i| 0.01 * f64::from(i * j).sin() - 0.01).collect()).collect();
    vec![
        ("plane", ShapeKind::Plane, Pose::IDENTITY),
        ("sphere", ShapeKind::Sphere { radius: 0.05 }, Pose::from_translation(Vec3::Z * -0.05)),
        ("box", ShapeKind::Box { size: Vec3::splat(0.1) }, Pose::from_translation(Vec3::Z * -0.05)),
        ("capsule", ShapeKind::Capsule { radius: 0.03, length: 0.1 }, Pose::from_parts(Vec3::Z * -0.03, lying)),
        ("cylinder", ShapeKind::Cylinder { radius: 0.03, length: 0.1 }, Pose::from_parts(Vec3::Z * -0.03, lying)),
        ("convex", ShapeKind::Convex { points: block() }, Pose::IDENTITY),
        ("mesh", ShapeKind::Mesh(Mesh { vertices: block(), triangles }), Pose::IDENTITY),
        ("height field", ShapeKind::HeightField { heights, size: [0.5, 0.5] }, Pose::IDENTITY),
    ]
}

/// Least distance of the axis from an obstacle, at points along it; what lies beyond the edge of an open mesh is left out.
fn distance(world: &World, reach: f64) -> f64 {
    let frame = world.frame();
    let obstacle = &world.obstacles()[0];
    let nodes = &frame.bodies[0].nodes;
    let mut least = f64::INFINITY;
    for pair in nodes.windows(2) {
        for k in 0..4 {
            let point = pair[0].lerp(pair[1], f64::from(k) / 4.0);
            let face = obstacle.params.shape.surface_near(&obstacle.sweep.end, point, reach);
            least = face.map_or(least, |f| least.min(f.distance));
        }
    }
    least
}

/// Drop a cable on an obstacle, or shoot it there; its least distance by its nodes, and its depth by its links.
fn thrown(kind: ShapeKind, placed: Pose, speed: f64) -> (f64, f64) {
    let (step, length) = (if speed > 0.0 { 1e-3 } else { 5e-3 }, 0.12);
    let mut world = World::new(Vec3::Z * -G);
    let height = if speed > 0.0 { 0.06 } else { 0.02 };
    let path = vec![Vec3::new(-0.06, 0.005, height), Vec3::new(0.06, 0.005, height)];
    world.add_body(cable("wire", path, 24, CableSettings::default())).unwrap();
    obstacle(&mut world, kind, placed);
    if speed > 0.0 {
        // spread along the cable, so that it stays straight; shot in one step
        let link = weight(length) / G / 24.0;
        for k in 0..24 {
            let place = Place::Fraction((f64::from(k) + 0.5) / 24.0);
            let force = Vec3::Z * (-link * speed / step);
            let load = Load { until: step, ..Load::new(world.body_at(0).unwrap(), place, force) };
            world.add_load(load).unwrap();
        }
    }
    let mut least = f64::INFINITY;
    let mut deep = 0.0_f64;
    for _ in 0..100 {
        world.step(step).unwrap();
        least = least.min(distance(&world, 0.02));
        let d = world.frame().contacts.iter().map(|c| c.penetration).fold(0.0, f64::max);
        deep = deep.max(d);
    }
    (least, deep)
}

#[test]
fn a_cable_dropped_on_any_shape_does_not_go_through() {
    for (name, kind, placed) in shapes() {
        let (least, _) = thrown(kind, placed, 0.0);
        assert!(least < 1.1 * RADIUS, "{name}: it never came near");
        assert!(least > RADIUS - 25e-6, "{name}: {:.1} um inside", (RADIUS - least) * 1e6);
    }
}

/// At 20 m/s it covers ten times its radius in a step.
#[test]
fn a_cable_shot_at_any_shape_does_not_go_through() {
    for (name, kind, placed) in shapes() {
        let (least, deep) = thrown(kind, placed, 20.0);
        assert!(least < 1.1 * RADIUS, "{name}: it never came near");
        // an eightieth of the radius within a step, from where it was
        assert!(deep < 0.015 * RADIUS, "{name}: {:.1} um inside", deep * 1e6);
        // nodes lie half-way between the ends of links that the shot draws apart
        assert!(least > 0.95 * RADIUS, "{name}: nodes {:.1} um inside", (RADIUS - least) * 1e6);
    }
}

/// A cable lies across two others that are held: the hands of these carry all three, and nothing else does.
#[test]
fn crossing_cables_push_each_other_alike() {
    let mut world = World::new(Vec3::Z * -G);
    for (name, y) in [("left", -0.04), ("right", 0.04)] {
        let path = vec![Vec3::new(-0.1, y, 0.0), Vec3::new(0.1, y, 0.0)];
        let [start, end] = [path[0], path[1]];
        let body = world.add_body(cable(name, path, 20, damped())).unwrap();
        hand(&mut world, body, 0.0, start, Motion::Hold);
        hand(&mut world, body, 1.0, end, Motion::Hold);
    }
    let path = vec![Vec3::new(0.0, -0.08, 2.2 * RADIUS), Vec3::new(0.0, 0.08, 2.2 * RADIUS)];
    world.add_body(cable("across", path, 16, damped())).unwrap();
    (0..1500).for_each(|_| world.step(0.01).unwrap());
    let carried: Vec3 = world.frame().grippers.iter().map(|g| g.load.force).sum();
    let all = weight(0.2 + 0.2 + 0.16);
    assert!((carried + Vec3::Z * all).length() < 1e-6 * all, "{carried} for {all}");
}

/// One cable on another in a slot: it is carried by that, however their links lie beside each other, also if they are much
/// shorter than thick, and if one runs backwards.
#[test]
fn a_cable_along_another_is_carried_by_it() {
    for (segments, shift, backwards) in
        [(16, 0.0, false), (16, 0.003, true), (20, 0.005, false), (160, 0.0, true), (160, 3e-4, false)]
    {
        let mut world = World::new(Vec3::Z * -G);
        obstacle(&mut world, ShapeKind::Plane, Pose::IDENTITY);
        for side in [-1.0, 1.0] {
            let half = Vec3::new(0.3, 0.01, 0.05);
            let at = Vec3::new(0.0, side * (RADIUS + 1e-5 + half.y), 0.0);
            obstacle(&mut world, ShapeKind::Box { size: 2.0 * half }, Pose::from_translation(at));
        }
        for (name, x, z) in [("lower", 0.0, 1.0), ("upper", shift, 3.05)] {
            let mut path = vec![Vec3::new(x, 0.0, z * RADIUS), Vec3::new(x + 0.16, 0.0, z * RADIUS)];
            if backwards && name == "upper" {
                path.reverse();
            }
            world.add_body(cable(name, path, segments, damped())).unwrap();
        }
        (0..200).for_each(|_| world.step(0.005).unwrap());
        let frame = world.frame();
        let mut carried = Vec3::ZERO;
        for contact in &frame.contacts {
            if let Other::Body(_) = contact.other {
                carried += contact.force;
            }
        }
        // of the first on the second
        let case = format!("{segments} links, {shift} m, {backwards}");
        assert!((carried.z.abs() - weight(0.16)).abs() < 1e-3 * weight(0.16), "{case}: {carried} for {}", weight(0.16));
        assert!(frame.penetration < 0.01 * RADIUS, "{case}: {} m deep", frame.penetration);
    }
}

/// A trefoil pulled tight stays a trefoil, and its strands stay outside each other.
#[test]
fn a_knot_pulled_tight_stays_a_knot() {
    // an open trefoil: the closed curve cut at one place, with ends led away
    let curve =
        |t: f64| Vec3::new(t.sin() + 2.0 * (2.0 * t).sin(), t.cos() - 2.0 * (2.0 * t).cos(), -(3.0 * t).sin()) * 0.012;
    let cut = 0.35;
    let mut path: Vec<Vec3> =
        (0..=200).map(|k| curve(cut + (std::f64::consts::TAU - 0.3) * f64::from(k) / 200.0)).collect();
    let (first, last) = (path[0], path[200]);
    let out = |p: Vec3| Vec3::new(p.x, p.y, 0.0).normalize();
    let (start, end) = (first + out(first) * 0.06 - Vec3::Z * 0.02, last + out(last) * 0.06 + Vec3::Z * 0.02);
    path.insert(0, start);
    path.push(end);
    let mut world = World::new(Vec3::ZERO);
    let wire = world.add_body(cable("wire", path, 120, damped())).unwrap();
    let before = knot_determinant(&world.frame().bodies[0].nodes);
    assert_eq!(before, 3, "the path is no trefoil");
    let apart = (end - start).normalize() * 0.04;
    for (fraction, at, velocity) in [(0.0, start, -apart), (1.0, end, apart)] {
        let motion = Motion::Glide { velocity, acceleration: Vec3::ZERO, window: Window { start: 0.0, end: 2.0 } };
        hand(&mut world, wire, fraction, at, motion);
    }
    // the path is drawn with strands up to 2.2 mm inside each other: they come apart first, and frames show what was seen
    let mut shown: f64 = 0.0;
    for _ in 0..10 {
        world.step(0.01).unwrap();
        shown = shown.max(world.frame().penetration);
    }
    assert!(shown >= world.deepest() && shown > 1e-5, "{shown} of {}", world.deepest());
    let mut deepest: f64 = 0.0;
    for _ in 10..250 {
        world.step(0.01).unwrap();
        deepest = world.frame().contacts.iter().map(|c| c.penetration).fold(deepest, f64::max);
    }
    assert_eq!(knot_determinant(&world.frame().bodies[0].nodes), 3);
    assert!(deepest < 0.01 * RADIUS, "{:.0} um inside itself", deepest * 1e6);
}

/// A cable on a floor and a ball, beside another, held, let go and held again.
fn busy() -> World {
    let mut world = World::new(Vec3::Z * -G);
    obstacle(&mut world, ShapeKind::Plane, Pose::IDENTITY);
    obstacle(&mut world, ShapeKind::Sphere { radius: 0.03 }, Pose::from_translation(Vec3::new(0.1, 0.0, 0.03)));
    let path = vec![Vec3::new(0.0, 0.0, 0.07), Vec3::new(0.3, 0.0, 0.07)];
    let wire = world.add_body(cable("wire", path, 30, CableSettings::default())).unwrap();
    let path = vec![Vec3::new(0.2, -0.1, 0.02), Vec3::new(0.2, 0.1, 0.02)];
    world.add_body(cable("other", path, 20, CableSettings::default())).unwrap();
    let motion = Motion::Sinusoid { amplitude: Vec3::new(0.02, 0.02, 0.02), frequency: 1.0, phase: 0.0 };
    hand(&mut world, wire, 0.0, Vec3::new(0.0, 0.0, 0.07), motion);
    world
}

/// Run, letting go and grasping again by the number of the step.
fn run(world: &mut World, steps: std::ops::Range<usize>) {
    for k in steps {
        if k == 40 {
            let (grip, _) = world.grips().next().unwrap();
            world.release(grip).unwrap();
        }
        if k == 60 {
            let (place, hold) = (Place::Fraction(0.5), Hold::Clamp);
            let grip = GripParams::new(world.gripper_at(0).unwrap(), world.body_at(0).unwrap(), place, hold);
            world.add_grip(grip).unwrap();
        }
        world.step(5e-3).unwrap();
    }
}

#[test]
fn snapshots_hold_contacts_and_grips_to_the_bit() {
    for middle in [30, 50, 75] {
        let mut world = busy();
        run(&mut world, 0..middle);
        let (kept, seen) = (world.snapshot(), world.frame());
        let mut other = world.clone();
        run(&mut world, middle..120);
        let straight = (world.snapshot(), world.frame());
        assert!(!straight.1.contacts.is_empty());
        other.restore(&kept).unwrap();
        assert_eq!(other.frame(), seen, "at step {middle}");
        run(&mut other, middle..120);
        assert_eq!((other.snapshot(), other.frame()), straight, "from step {middle}");
    }
    // and in the same world, gone on from there and back
    let mut world = busy();
    run(&mut world, 0..70);
    let (kept, seen) = (world.snapshot(), world.frame());
    run(&mut world, 70..120);
    let straight = (world.snapshot(), world.frame());
    world.restore(&kept).unwrap();
    assert_eq!(world.frame(), seen);
    run(&mut world, 70..120);
    assert_eq!((world.snapshot(), world.frame()), straight);
}

/// A coil of twelve loops on each other, which are solved by iterations as they collapse: their result depends on nothing
/// that a snapshot does not keep, and links do not sink into each other.
#[test]
fn a_large_heap_goes_on_from_a_snapshot_to_the_bit() {
    let heap = || {
        let mut world = World::new(Vec3::Z * -G);
        obstacle(&mut world, ShapeKind::Plane, Pose::IDENTITY);
        let place = |i: usize| {
            let turns = i as f64 / 50.0;
            let turn = Quat::from_rotation_y(0.05) * Quat::from_rotation_z(std::f64::consts::TAU * turns);
            turn * Vec3::new(0.05, 0.0, 0.0) + Vec3::Z * (2.1 * RADIUS * turns + 0.006)
        };
        let mut spec = CableSpec::round(rubber(0.3), RADIUS, (0..=600).map(place).collect(), 600);
        spec.rest = Rest::Path;
        world.add_body(Body::Cable(Cable::new("wire", spec).unwrap())).unwrap();
        world
    };
    let go = |world: &mut World, steps: usize| (0..steps).for_each(|_| world.step(5e-3).unwrap());
    let mut world = heap();
    go(&mut world, 12);
    let kept = world.snapshot();
    go(&mut world, 8);
    let seen = world.frame();
    let pairs = seen.contacts.iter().filter(|c| matches!(c.other, Other::Body(_))).count();
    assert!(pairs > 300, "{pairs} pairs");
    let deepest = seen.contacts.iter().map(|c| c.penetration).fold(0.0, f64::max);
    assert!(deepest < 1e-4, "{deepest} m deep");
    let mut other = heap();
    other.set_threads(2);
    other.restore(&kept).unwrap();
    go(&mut other, 8);
    assert_eq!(other.frame(), seen);
}

#[test]
fn a_step_in_contact_allocates_nothing() {
    let mut world = busy();
    let mut frame = world.frame();
    for _ in 0..40 {
        world.step(5e-3).unwrap();
        world.write_frame(&mut frame);
    }
    assert!(!frame.contacts.is_empty());
    let before = common::allocations();
    for _ in 0..100 {
        world.step(5e-3).unwrap();
    }
    assert_eq!(common::allocations() - before, 0);
}
