//! Bodies of the model `response` made of finite elements: quick checks; comparisons with closed forms are in `pliant validate`.
#![allow(clippy::unwrap_used)]

#[path = "../../pliant/tests/common/mod.rs"]
mod counting;

use std::ops::ControlFlow;

use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::{Drive, Motion, Window};
use pliant::response::{Basis, Damping, Known, Records, Response, ResponseSettings, ResponseSpec};
use pliant::{Body, FingerParams, Friction, GripParams, GripperId, GripperParams, Hold, Load, Place, World};
use pliant_fem::{Elastic, MassKind, Model, Order, Recipe, TetMesh, solve_static};

const SIDE: f64 = 0.1;
const STEP: f64 = 2e-3;
const RADIUS: f64 = 0.01;

fn elastic(poisson: f64) -> Elastic {
    Elastic { young: 2000.0, poisson, density: 110.0 }
}

fn known(cells: usize, poisson: f64, modes: usize, full: bool) -> Basis {
    let mesh = TetMesh::cube(cells, SIDE).unwrap();
    let full_nodes = if full { 1000 } else { 0 };
    let recipe = Recipe { order: Order::Linear, full_nodes, ..Recipe::new(mesh, elastic(poisson), modes) };
    recipe.compute(1, &mut |_| ControlFlow::Continue(())).unwrap()
}

fn spec(solid: Known) -> ResponseSpec {
    let damping = Damping::Rayleigh { mass: 80.0, stiffness: 2e-3 };
    ResponseSpec {
        solid,
        friction: Friction { coefficient: 0.4, exponent: 1.0 },
        placed: Pose::IDENTITY,
        velocity: Vec3::ZERO,
        spin: Vec3::ZERO,
        settings: ResponseSettings { damping, sample: STEP, ..ResponseSettings::default() },
    }
}

fn world_of(spec: ResponseSpec) -> World {
    let mut world = World::new(Vec3::ZERO);
    world.add_body(Body::Response(Response::new("cube", spec).unwrap())).unwrap();
    world
}

fn response(world: &World) -> &Response {
    match &world.bodies()[0] {
        Body::Response(response) => response,
        _ => panic!(),
    }
}

fn plane(world: &mut World, at: Vec3, normal: Vec3, motion: Motion, friction: f64) {
    let placed = Pose::from_parts(at, Quat::from_rotation_arc(Vec3::Z, normal));
    let name = format!("plane {}", world.obstacles().len());
    let friction = Some(Friction { coefficient: friction, exponent: 1.0 });
    let shape = Shape::new(ShapeKind::Plane).unwrap();
    world.add_obstacle(ObstacleParams { name, shape, placed, motion, friction }).unwrap();
}

fn down() -> Motion {
    Motion::Glide { velocity: Vec3::Z * -0.01, acceleration: Vec3::ZERO, window: Window { start: 0.0, end: 0.1 } }
}

fn gripper(world: &mut World, name: &str, at: Vec3, motion: Motion) -> GripperId {
    world.add_gripper(GripperParams { name: name.into(), placed: Pose::from_translation(at), motion }).unwrap()
}

fn grip(world: &World, gripper: GripperId, place: Place) -> GripParams {
    GripParams::new(gripper, world.body_at(0).unwrap(), place, Hold::Position)
}

fn face(z: f64) -> Place {
    Place::Box { low: Vec3::new(-1.0, -1.0, z - 1e-6), high: Vec3::new(1.0, 1.0, z + 1e-6) }
}

#[test]
fn plates_press_with_the_stiffness_of_the_solid() {
    // E a = 200 N/m with the whole compliance. With that of each node to itself alone, points beside each other do not help each
    // other by what modes leave out: near it, not on it
    for (full, tolerance) in [(true, 1e-4), (false, 0.05)] {
        let mut world = world_of(spec(Known::Modes(known(3, 0.3, 120, full))));
        plane(&mut world, Vec3::ZERO, Vec3::Z, Motion::Hold, 0.0);
        plane(&mut world, Vec3::Z * SIDE, -Vec3::Z, down(), 0.0);
        (0..300).for_each(|_| world.step(STEP).unwrap());
        let force: f64 = world.frame().contacts.iter().map(|c| c.force.z).filter(|f| *f > 0.0).sum();
        assert!((force / 1e-3 / 200.0 - 1.0).abs() < tolerance, "full {full}: {} N/m", force / 1e-3);
    }
}

#[test]
fn bonded_plates_are_those_of_finite_elements() {
    let model =
        Model::new(&TetMesh::cube(3, SIDE).unwrap(), &elastic(0.3), Order::Linear, MassKind::Consistent).unwrap();
    let mut prescribed = vec![];
    for (n, at) in model.nodes().iter().enumerate().filter(|(_, at)| at.z == 0.0 || at.z == SIDE) {
        let z = if at.z == 0.0 { 0.0 } else { -1e-3 };
        prescribed.extend([(3 * n, 0.0), (3 * n + 1, 0.0), (3 * n + 2, z)]);
    }
    let solved = solve_static(&model, &prescribed, &vec![0.0; model.unknowns()]).unwrap();
    let expected: f64 = prescribed.iter().filter(|(_, u)| *u != 0.0).map(|(n, _)| -solved.reactions[*n]).sum();
    let mut world = world_of(spec(Known::Modes(known(3, 0.3, 60, true))));
    for (n, (z, motion)) in [(0.0, Motion::Hold), (SIDE, down())].into_iter().enumerate() {
        let gripper = gripper(&mut world, &format!("gripper {n}"), Vec3::Z * z, motion);
        world.add_grip(grip(&world, gripper, face(z))).unwrap();
    }
    (0..400).for_each(|_| world.step(STEP).unwrap());
    let force = world.grippers()[1].load.force;
    assert!((force.z / expected - 1.0).abs() < 1e-5, "{} N, expected {expected} N", force.z);
    assert!((force + world.grippers()[0].load.force).length() < 1e-5 * expected);
}

/// A cube between rough plates, with a finger at a side that presses it and swings.
fn pressed_and_touched() -> World {
    let mut world = world_of(spec(Known::Modes(known(3, 0.3, 60, true))));
    plane(&mut world, Vec3::ZERO, Vec3::Z, Motion::Hold, 0.3);
    plane(&mut world, Vec3::Z * SIDE, -Vec3::Z, down(), 0.3);
    let motion = Motion::Sinusoid { amplitude: Vec3::new(4e-3, 8e-3, 5e-3), frequency: 3.0, phase: 0.4 };
    let finger = gripper(&mut world, "finger", Vec3::new(SIDE + RADIUS, 0.52 * SIDE, 0.47 * SIDE), motion);
    world.add_finger(FingerParams { gripper: finger, radius: RADIUS, friction: None }).unwrap();
    world
}

#[test]
fn snapshots_continue_to_the_same_bits() {
    let mut world = pressed_and_touched();
    (0..150).for_each(|_| world.step(STEP).unwrap());
    let snapshot = world.snapshot();
    assert!(world.frame().contacts.len() > 16, "plates and finger touch");
    let run = |world: &mut World| {
        (0..200).for_each(|_| world.step(STEP).unwrap());
        (world.frame(), *response(world).motion(), response(world).counters())
    };
    let first = run(&mut world);
    world.restore(&snapshot).unwrap();
    let again = run(&mut world);
    assert!(first == again);
    // and in a world that has done nothing yet
    let mut other = pressed_and_touched();
    other.restore(&snapshot).unwrap();
    assert!(first == run(&mut other));
}

#[test]
fn a_step_allocates_nothing() {
    let mut world = pressed_and_touched();
    // the finger goes round three times a second: all that it may reach is then known
    (0..400).for_each(|_| world.step(STEP).unwrap());
    let before = counting::allocations();
    (0..400).for_each(|_| world.step(STEP).unwrap());
    assert_eq!(counting::allocations() - before, 0);
}

#[test]
fn another_thread_makes_the_same_surface() {
    let mut world = pressed_and_touched();
    for _ in 0..5 {
        (0..40).for_each(|_| world.step(STEP).unwrap());
        let shape = response(&world).shape();
        let mut here = vec![];
        response(&world).write_surface(&mut here);
        let there = std::thread::spawn(move || {
            let mut places = vec![];
            shape.write_surface(&mut places);
            places
        });
        // the world goes on meanwhile
        world.step(STEP).unwrap();
        assert_eq!(here, there.join().unwrap());
    }
}

#[test]
fn a_finger_slides_with_friction_and_never_pulls() {
    let mut world = world_of(spec(Known::Modes(known(4, 0.3, 60, true))));
    let holder = gripper(&mut world, "holder", Vec3::ZERO, Motion::Hold);
    world.add_grip(grip(&world, holder, face(0.0))).unwrap();
    // pressed in by 3 mm, drawn across the upper face by more than an edge, and lifted
    let at = |x: f64, z: f64| Vec3::new(x, 0.45 * SIDE, SIDE + RADIUS + z);
    let finger = gripper(&mut world, "finger", at(0.02, 1e-3), Motion::Hold);
    let friction = Some(Friction { coefficient: 0.2, exponent: 1.0 });
    world.add_finger(FingerParams { gripper: finger, radius: RADIUS, friction }).unwrap();
    let way = |t: f64| match t {
        t if t < 0.2 => at(0.02, 1e-3 - 4e-3 * t / 0.2),
        t if t < 1.2 => at(0.02 + 0.06 * (t - 0.2), -3e-3),
        t => at(0.08, -3e-3 + 0.05 * (t - 1.2)),
    };
    let (mut slid, mut touched, mut first, mut last) = (0, 0, f64::NAN, f64::NAN);
    for n in 1..=800 {
        let time = f64::from(n) * STEP;
        world.drive(finger, Drive::Pose(Pose::from_translation(way(time)))).unwrap();
        world.step(STEP).unwrap();
        for contact in world.frame().contacts {
            let pressed = contact.force.dot(contact.normal);
            let across = contact.force - contact.normal * pressed;
            assert!(pressed > 0.0, "{pressed} N at {time} s");
            assert!(across.length() <= 0.2 * pressed * (1.0 + 1e-9), "{} of {pressed} N", across.length());
            touched += 1;
            if time > 0.5 && time < 1.1 {
                // it slides along x: friction has its limit, and carries the cube along
                slid += usize::from(across.x > 0.19 * pressed && across.length() > 0.199 * pressed);
                first = if first.is_nan() { contact.position.x } else { first };
                last = contact.position.x;
            }
        }
    }
    assert!(touched > 500 && slid > 290, "touched in {touched} steps, slid in {slid}");
    assert!((last - first - 0.06 * 0.6).abs() < 2e-3, "the point went from {first} to {last}");
    assert!(world.frame().contacts.is_empty() && world.gripper(finger).unwrap().load.force == Vec3::ZERO);
}

#[test]
fn a_torque_keeps_size_and_direction_while_the_body_turns() {
    // free and about a principal axis: L = T t, and an angle of T t^2 / (2 J)
    let (size, step, count) = (Vec3::new(0.1, 0.06, 0.04), 1e-3, 3000);
    let mesh = TetMesh::block([3, 2, 2], size).unwrap();
    for full_nodes in [1000, 0] {
        let recipe = Recipe { order: Order::Linear, full_nodes, ..Recipe::new(mesh.clone(), elastic(0.3), 30) };
        let basis = recipe.compute(1, &mut |_| ControlFlow::Continue(())).unwrap();
        let mut spec = spec(Known::Modes(basis));
        spec.settings.sample = step;
        let mut world = world_of(spec);
        let moment = response(&world).mass() * (size.x * size.x + size.y * size.y) / 12.0;
        // half a radian per second squared
        let torque = Vec3::Z * (0.5 * moment);
        let load = Load { torque, ..Load::new(world.body_at(0).unwrap(), face(size.z), Vec3::ZERO) };
        world.add_load(load).unwrap();
        world.step(step).unwrap();
        let before = counting::allocations();
        (1..count / 2).for_each(|_| world.step(step).unwrap());
        assert_eq!(counting::allocations() - before, 0);
        let half = world.snapshot();
        let run = |world: &mut World| {
            (count / 2..count).for_each(|_| world.step(step).unwrap());
            *response(world).motion()
        };
        let motion = run(&mut world);
        world.restore(&half).unwrap();
        assert_eq!(motion, run(&mut world));
        let time = f64::from(count) * step;
        // forces are found for where nodes are before a step, so that it turns by T cos(w dt): 4e-7 are missing in the end
        let off = (motion.momentum - torque * time).length() / (torque.z * time);
        assert!(off < 1e-6, "angular momentum is off by {off:.1e}");
        // the body gives way to its own spin
        let angle = motion.turn.to_scaled_axis().z;
        assert!((angle / 2.25 - 1.0).abs() < 1e-4, "{angle} rad");
        assert!((motion.place - 0.5 * size).length() < 1e-12, "{}", motion.place);
    }
}

/// Whether a body is refused, or at the latest its first steps; anything but a panic.
fn refused(spec: ResponseSpec) -> bool {
    let Ok(body) = Response::new("cube", spec) else { return true };
    let mut world = World::new(Vec3::Z * -9.81);
    world.add_body(Body::Response(body)).unwrap();
    plane(&mut world, Vec3::Z * -1e-3, Vec3::Z, Motion::Hold, 0.3);
    (0..20).any(|_| world.step(STEP).is_err())
}

#[test]
fn hostile_parameters_are_errors() {
    let basis = known(2, 0.3, 20, true);
    let sound = || spec(Known::Modes(basis.clone()));
    assert!(!refused(sound()));
    type Change = fn(&mut ResponseSpec, &mut Basis);
    let changes: [Change; 25] = [
        |s, _| s.settings.sample = f64::NAN,
        |s, _| s.settings.sample = 0.0,
        |s, _| s.settings.sample = -1e-3,
        |s, _| s.settings.sample = 1e-300,
        |s, _| s.settings.most_sweeps = 0,
        |s, _| s.settings.damping = Damping::Rayleigh { mass: f64::NAN, stiffness: 0.0 },
        |s, _| s.settings.damping = Damping::LossFactor(-1.0),
        |s, _| s.placed.translation.x = f64::NAN,
        |s, _| s.placed.rotation = Quat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0),
        |s, _| s.velocity.y = f64::INFINITY,
        |s, _| s.spin.z = f64::NAN,
        |s, _| s.spin.z = 1e300,
        |_, b| b.hull.mass = 0.0,
        |_, b| b.hull.mass = f64::INFINITY,
        |_, b| b.hull.centre.x = f64::NAN,
        |_, b| b.hull.inertia = [[0.0; 3]; 3],
        |_, b| b.hull.nodes[3].y = f64::NAN,
        |_, b| b.hull.facets[5][1] = 1_000_000,
        |_, b| b.hull.facets.truncate(7),
        |_, b| (b.hull.nodes, b.hull.facets) = (vec![], vec![]),
        |_, b| b.squares[0] = -1.0,
        |_, b| b.squares.truncate(9),
        |_, b| b.moments.truncate(9),
        |_, b| b.shapes = vec![1.0; 7].into(),
        |_, b| b.shapes = vec![f64::NAN; b.shapes.len()].into(),
    ];
    for (n, change) in changes.into_iter().enumerate() {
        let (mut spec, mut basis) = (sound(), basis.clone());
        change(&mut spec, &mut basis);
        assert!(refused(ResponseSpec { solid: Known::Modes(basis), ..spec }), "change {n}");
    }
    let unknowns = 3 * basis.hull.nodes.len();
    let records = |samples: usize, length: usize, node: u32| Records {
        hull: basis.hull.clone(),
        sample: STEP,
        samples,
        nodes: vec![node],
        responses: vec![vec![0.0; length].into(); 3],
    };
    let broken = [
        records(0, 0, 0),
        records(4, 3 * unknowns, 0),
        records(4, 4 * unknowns, 1_000_000),
        records(usize::MAX, unknowns, 0),
        Records { sample: f64::NAN, ..records(4, 4 * unknowns, 0) },
        Records { responses: vec![], ..records(4, 4 * unknowns, 0) },
    ];
    for (n, records) in broken.into_iter().enumerate() {
        assert!(refused(spec(Known::Records(records))), "records {n}");
    }
    // steps that are no whole number of samples, and places that do not exist
    let mut world = world_of(spec(Known::Records(records(4, 4 * unknowns, 0))));
    assert!(world.step(0.7 * STEP).is_err());
    let mut world = world_of(sound());
    let holder = gripper(&mut world, "holder", Vec3::ZERO, Motion::Hold);
    for place in [Place::Node(1_000_000), face(7.0), face(f64::NAN)] {
        assert!(world.add_grip(grip(&world, holder, place)).is_err(), "{place:?}");
        let (force, torque) = (Vec3::X, Vec3::ZERO);
        let load = Load { torque, ..Load::new(world.body_at(0).unwrap(), place, force) };
        assert!(world.add_load(load).is_err(), "{place:?}");
    }
    // beyond the ends, or no number: the first or last node, never a panic
    for fraction in [-3.0, 7.0, f64::NAN] {
        let _ = world.add_grip(grip(&world, holder, Place::Fraction(fraction)));
    }
    assert!(world.step(f64::NAN).is_err() && world.step(-1.0).is_err());
    assert!(world.step(STEP).is_ok());
}
