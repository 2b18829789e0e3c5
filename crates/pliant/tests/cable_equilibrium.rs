//! Cables that begin in equilibrium: forces are in balance at the start, and nothing moves after.
#![allow(clippy::unwrap_used)]

use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec, Solver};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::elastica::Start;
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::Motion;
use pliant::{
    Body, Friction, GripParams, GripperParams, Hold, Load, Material, Other, Place, Rigidities, Section, World,
};

const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

const LINE_MASS: f64 = 0.05;

fn rope(ei: f64) -> Section {
    let given = Rigidities { radius: 3e-3, mass_per_length: LINE_MASS, ea: 2e3, ga: 1e3, ei: [ei; 2], gj: ei };
    Section::Explicit(given)
}

fn cable(name: &str, section: Section, path: Vec<Vec3>, segments: usize, settings: CableSettings) -> Body {
    let friction = Friction { coefficient: 0.4, exponent: 1.0 };
    let material = Material { young: 4e6, poisson: 0.45, density: 1100.0, friction };
    let settings = CableSettings { start: Start::Equilibrium, ..settings };
    let spec = CableSpec { material, section, path, normal: None, rest: Rest::Straight, segments, settings };
    Body::Cable(Cable::new(name, spec).unwrap())
}

fn hold(world: &mut World, body: usize, fraction: f64, hold: Hold) {
    let placed = world.bodies()[body].place_pose(Place::Fraction(fraction)).unwrap();
    let name = format!("hand {}", world.grippers().len());
    let placed = Pose::from_translation(placed.translation);
    let gripper = world.add_gripper(GripperParams { name, placed, motion: Motion::Hold }).unwrap();
    let place = Place::Fraction(fraction);
    world
        .add_grip(GripParams { closing: 0.0, ..GripParams::new(gripper, world.body_at(body).unwrap(), place, hold) })
        .unwrap();
}

fn obstacle(world: &mut World, name: &str, kind: ShapeKind, placed: Pose) {
    let shape = Shape::new(kind).unwrap();
    world
        .add_obstacle(ObstacleParams { name: name.into(), shape, placed, motion: Motion::Hold, friction: None })
        .unwrap();
}

/// How far nodes go in a time that is long for it [m].
fn moved(world: &mut World) -> f64 {
    let before = world.frame();
    let mut most: f64 = 0.0;
    for _ in 0..100 {
        world.step(5e-3).unwrap();
        for (a, b) in before.bodies.iter().zip(&world.frame().bodies) {
            most = a.nodes.iter().zip(&b.nodes).fold(most, |most, (a, b)| most.max(a.distance(*b)));
        }
    }
    most
}

/// The catenary z = a cosh(x / a) of length L between two points at a distance d: L = 2 a sinh(d / 2 a). Its tension at the
/// ends is m g z, and the horizontal part m g a everywhere. From a path that is a corner, two and a half times as deep.
#[test]
fn a_hanging_rope_begins_as_a_catenary() {
    let (distance, half) = (0.6_f64, 0.5_f64);
    let depth = (half * half - 0.25 * distance * distance).sqrt();
    let path = vec![Vec3::ZERO, Vec3::new(0.3, 0.0, -depth), Vec3::new(distance, 0.0, 0.0)];
    let mut a: f64 = 0.1;
    for _ in 0..100 {
        let (over, slope) = ((0.3_f64 / a).sinh() * a - half, (0.3_f64 / a).sinh() - 0.3 / a * (0.3_f64 / a).cosh());
        a -= over / slope;
    }
    let mut world = World::new(GRAVITY);
    world.add_body(cable("rope", rope(1e-7), path, 100, CableSettings::default())).unwrap();
    hold(&mut world, 0, 0.0, Hold::Position);
    hold(&mut world, 0, 1.0, Hold::Position);
    world.ready().unwrap();
    let frame = world.frame();
    let sag = a * (0.3 / a).cosh() - a;
    let lowest = -frame.bodies[0].nodes[50].z;
    // links of 1 cm, which stretch by 0.02 % and bend a little
    assert!((lowest / sag - 1.0).abs() < 1e-3, "{lowest} for {sag} m");
    for (gripper, side) in [(0, 1.0), (1, -1.0)] {
        let force = frame.grippers[gripper].load.force;
        let expected = Vec3::new(side * LINE_MASS * 9.81 * a, 0.0, -LINE_MASS * 9.81 * half);
        assert!((force - expected).length() < 1e-3 * expected.length(), "{force} for {expected} N");
    }
    let tension = frame.bodies[0].fields[0].values[50];
    assert!((tension / (LINE_MASS * 9.81 * a) - 1.0).abs() < 1e-3, "{tension} N");
    assert_eq!(frame.bodies[0].energy.kinetic, 0.0);
    assert_eq!((world.time(), world.step_count()), (0.0, 0));
    let way = moved(&mut world);
    assert!(way < 1e-7, "{way:.1e} m");
}

/// A cantilever of steel with a load at its end and none of its weight: P L^3 / (3 EI).
#[test]
fn a_loaded_cantilever_begins_bent() {
    let path = vec![Vec3::ZERO, Vec3::X * 0.5];
    let settings = CableSettings { damping_time: 0.0, ..CableSettings::default() };
    let mut world = World::new(Vec3::ZERO);
    world.add_body(cable("rod", rope(0.5), path, 40, settings)).unwrap();
    hold(&mut world, 0, 0.0, Hold::Clamp);
    let (place, force, torque) = (Place::Fraction(1.0), Vec3::Z * 0.05, Vec3::ZERO);
    let (from, until, rise, fall) = (0.0, f64::INFINITY, 0.0, 0.0);
    world.add_load(Load { body: world.body_at(0).unwrap(), place, force, torque, from, until, rise, fall }).unwrap();
    world.ready().unwrap();
    let frame = world.frame();
    let expected = 0.05 * 0.5_f64.powi(3) / (3.0 * 0.5);
    let tip = frame.bodies[0].nodes[40].z;
    // the joints shear too, by P L / GA, and the deflection is small
    assert!((tip / (expected + 0.05 * 0.5 / 1e3) - 1.0).abs() < 2e-3, "{tip} for {expected} m");
    let torque = frame.grippers[0].load.torque.y;
    assert!((torque / (-0.05 * 0.5) - 1.0).abs() < 1e-3, "{torque} N m");
    assert!(moved(&mut world) < 1e-8);
}

/// Whichever way contact is solved: a floor bears the weight of a cable that lies on it, and a drum that of one that is
/// hung over it.
#[test]
fn what_a_cable_lies_on_bears_its_weight_at_the_start() {
    for solver in [Solver::Subsystems, Solver::Newton] {
        let settings = CableSettings { solver, ..CableSettings::default() };
        let mut world = World::new(GRAVITY);
        let section = Section::Round { radius: 4e-3 };
        let path = vec![Vec3::new(-0.3, 0.0, 4.5e-3), Vec3::new(0.3, 0.05, 6e-3)];
        world.add_body(cable("lying", section, path, 40, settings)).unwrap();
        let path = vec![Vec3::new(-0.2, 1.0, 0.1), Vec3::new(0.0, 1.0, 0.37), Vec3::new(0.19, 1.0, 0.1)];
        world.add_body(cable("hung", section, path, 60, settings)).unwrap();
        obstacle(&mut world, "floor", ShapeKind::Plane, Pose::IDENTITY);
        let lying = Pose::from_parts(Vec3::new(0.0, 1.0, 0.3), Quat::from_rotation_x(std::f64::consts::FRAC_PI_2));
        obstacle(&mut world, "drum", ShapeKind::Cylinder { radius: 0.05, length: 0.3 }, lying);
        world.ready().unwrap();
        let frame = world.frame();
        for (body, below) in [(0, 0), (1, 1)] {
            let borne: Vec3 = frame
                .contacts
                .iter()
                .filter(|c| c.body == body && c.other == Other::Obstacle(below))
                .map(|c| c.force)
                .sum();
            let rest = if body == 0 {
                Vec3::new(0.6, 0.05, 1.5e-3).length()
            } else {
                Vec3::new(0.2, 0.0, 0.27).length() + Vec3::new(0.19, 0.0, 0.27).length()
            };
            let weight = 9.81 * 1100.0 * section.area() * rest;
            assert!((borne - Vec3::Z * weight).length() < 1e-4 * weight, "{solver:?}, {body}: {borne} for {weight} N");
        }
        assert!(frame.contacts.iter().all(|c| c.penetration < 5e-5));
        let way = moved(&mut world);
        assert!(way < 1e-6, "{solver:?}: {way:.1e} m");
    }
}

/// Five wires that begin above each other in a groove: its floor bears all of them, and its walls push equally.
#[test]
fn a_bundle_in_a_groove_begins_at_rest() {
    let (radius, half) = (1.5e-3, 0.1);
    let mut world = World::new(GRAVITY);
    let section = Section::Round { radius };
    for n in 0..5 {
        let (side, height) = (if n % 2 == 0 { 8e-4 } else { -1.1e-3 }, 3.3e-3 * f64::from(n) + 1.7e-3);
        let path = vec![
            Vec3::new(-half, side, height),
            Vec3::new(0.01, -0.5 * side, height + 5e-4),
            Vec3::new(half, side, height),
        ];
        world.add_body(cable(&format!("wire {n}"), section, path, 15, CableSettings::default())).unwrap();
    }
    obstacle(&mut world, "floor", ShapeKind::Plane, Pose::IDENTITY);
    for side in [-1.0, 1.0] {
        let size = Vec3::new(0.4, 2e-2, 4e-2);
        let placed = Pose::from_translation(Vec3::new(0.0, side * (4e-3 + 1e-2), 2e-2));
        obstacle(&mut world, &format!("wall {side}"), ShapeKind::Box { size }, placed);
    }
    world.ready().unwrap();
    let frame = world.frame();
    let on = |obstacle: usize| -> Vec3 {
        frame.contacts.iter().filter(|c| c.other == Other::Obstacle(obstacle)).map(|c| c.force).sum()
    };
    let weight: f64 = world.bodies().iter().map(|body| 9.81 * body.mass()).sum();
    let borne = on(0) + on(1) + on(2);
    assert!((borne - Vec3::Z * weight).length() < 1e-2 * weight, "{borne} for {weight} N");
    assert!(frame.contacts.iter().all(|c| c.penetration < 5e-5));
    let way = moved(&mut world);
    assert!(way < 1e-5, "{way:.1e} m");
}

/// A ring that hangs on a post it is not quite square to: it may creep along the post for long, too slowly to matter.
#[test]
fn a_ring_that_hangs_askew_begins_at_rest() {
    let (around, post) = (0.1, 0.02);
    for (yaw_deg, young, coefficient) in [(1.1_f64, 1e6, 0.3), (1.1, 1e8, 0.0), (1.1, 1e8, 0.3), (-4.0, 1e8, 0.3)] {
        let mut world = World::new(GRAVITY);
        let (sin, cos) = yaw_deg.to_radians().sin_cos();
        let path = (0..40).map(|n| f64::from(n) * std::f64::consts::TAU / 40.0);
        let path = path.map(|a| Vec3::new(cos * a.cos(), sin * a.cos(), a.sin()) * around).collect();
        let material =
            Material { young, poisson: 0.4, density: 1200.0, friction: Friction { coefficient, exponent: 1.0 } };
        let settings = CableSettings { closed: true, start: Start::Equilibrium, ..CableSettings::default() };
        let (section, rest) = (Section::Round { radius: 4e-3 }, Rest::Straight);
        let spec = CableSpec { material, section, path, normal: None, rest, segments: 40, settings };
        world.add_body(Body::Cable(Cable::new("ring", spec).unwrap())).unwrap();
        let kind = ShapeKind::Cylinder { radius: post, length: 0.3 };
        let placed = Vec3::Z * (around - post - 4.5e-3);
        obstacle(&mut world, "post", kind, Pose::from_parts(placed, Quat::from_rotation_x(0.5 * std::f64::consts::PI)));
        world.ready().unwrap();
        let borne: Vec3 = world.frame().contacts.iter().map(|c| c.force).sum();
        let weight = 9.81 * world.bodies()[0].mass();
        assert!((borne - Vec3::Z * weight).length() < 1e-3 * weight, "{borne} for {weight} N");
        let way = moved(&mut world);
        assert!(way < 1e-4, "{yaw_deg} degrees, {young:.0e} Pa, {coefficient}: {way:.1e} m in half a second");
    }
}

/// Without anything to hold it a cable falls, and says so.
#[test]
fn a_cable_that_falls_finds_no_equilibrium() {
    let mut world = World::new(GRAVITY);
    let path = vec![Vec3::ZERO, Vec3::X * 0.5];
    world.add_body(cable("rope", rope(1e-5), path, 20, CableSettings::default())).unwrap();
    let why = world.ready().unwrap_err().to_string();
    assert!(why.starts_with("rope comes to no equilibrium from its path, and still moves by"), "{why}");
    assert!(why.ends_with("it falls; hold it, or put something below it"), "{why}");
}
