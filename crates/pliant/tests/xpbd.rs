//! The model `xpbd` in a world: compliance, momentum, contact and friction, loads in balance, exact snapshots, no
//! allocation.
#![allow(clippy::unwrap_used)]

mod common;

use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::{Blend, Motion, Window};
use pliant::xpbd::{Xpbd, XpbdSettings, XpbdSpec};
use pliant::{
    Body, EventKind, Friction, GripParams, GripperParams, Hold, Load, Material, Place, Section, StepError, World,
};

const G: f64 = 9.81;
const RADIUS: f64 = 2e-3;
const LENGTH: f64 = 0.4;
const RUBBER: Material = Material {
    young: 4.462e6,
    poisson: 0.4999,
    density: 1100.0,
    friction: Friction { coefficient: 0.5, exponent: 1.0 },
};

fn spec(path: Vec<Vec3>, segments: usize, settings: XpbdSettings) -> XpbdSpec {
    XpbdSpec { material: RUBBER, section: Section::Round { radius: RADIUS }, path, segments, settings }
}

fn rod(path: Vec<Vec3>, segments: usize, settings: XpbdSettings) -> Body {
    Body::Xpbd(Xpbd::new("wire", spec(path, segments, settings)).unwrap())
}

fn along_x(settings: XpbdSettings) -> Body {
    rod(vec![Vec3::ZERO, Vec3::X * LENGTH], 40, settings)
}

fn settings(iterations: usize, substeps: usize) -> XpbdSettings {
    XpbdSettings { iterations, substeps, ..XpbdSettings::default() }
}

fn weight() -> f64 {
    G * RUBBER.density * Section::Round { radius: RADIUS }.area() * LENGTH
}

fn grip(world: &mut World, place: f64, hold: Hold, placed: Pose, motion: Motion) {
    let name = format!("hand {}", world.grippers().len());
    let gripper = world.add_gripper(GripperParams { name, placed, motion }).unwrap();
    let place = Place::Fraction(place);
    let grip = GripParams::new(gripper, world.body_at(0).unwrap(), place, hold);
    world.add_grip(grip).unwrap();
}

fn obstacle(name: &str, kind: ShapeKind, placed: Pose, motion: Motion) -> ObstacleParams {
    ObstacleParams { name: name.into(), shape: Shape::new(kind).unwrap(), placed, motion, friction: None }
}

fn run(world: &mut World, seconds: f64, dt: f64) {
    (0..(seconds / dt).round() as usize).for_each(|_| world.step(dt).unwrap());
}

/// Held by a hand that turns, over a floor, a ball and a box that moves: a bit of everything.
fn busy() -> World {
    let mut world = World::new(Vec3::Z * -G);
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(Vec3::new(x, y, z));
    world.add_obstacle(obstacle("floor", ShapeKind::Plane, at(0.0, 0.0, -0.1), Motion::Hold)).unwrap();
    let ball = ShapeKind::Sphere { radius: 0.05 };
    world.add_obstacle(obstacle("ball", ball, at(0.2, 0.0, -0.06), Motion::Hold)).unwrap();
    let sway = Motion::Sinusoid { amplitude: Vec3::Y * 0.05, frequency: 1.5, phase: 0.0 };
    let size = Vec3::new(0.05, 0.02, 0.2);
    world.add_obstacle(obstacle("box", ShapeKind::Box { size }, at(0.3, 0.05, -0.05), sway)).unwrap();
    world.add_body(along_x(settings(20, 2))).unwrap();
    let motion = Motion::Turn {
        axis: Vec3::new(0.2, 0.3, 1.0),
        centre: Vec3::X * -0.1,
        angle: 1.0,
        advance: 0.05,
        blend: Blend::MinimumJerk,
        window: Window { start: 0.0, end: 0.5 },
    };
    grip(&mut world, 0.0, Hold::Clamp, Pose::IDENTITY, motion);
    world
}

/// A weight on a hanging rod stretches it by F L / EA: the same with any number of sweeps, if they are enough.
#[test]
fn a_weight_stretches_by_its_compliance() {
    let stretch = |iterations: usize, substeps: usize, dt: f64| {
        let mut world = World::new(Vec3::ZERO);
        let damped = XpbdSettings { damping_time: 2e-4, drag: 60.0, ..settings(iterations, substeps) };
        world.add_body(rod(vec![Vec3::ZERO, Vec3::Z * -LENGTH], 20, damped)).unwrap();
        grip(&mut world, 0.0, Hold::Clamp, Pose::IDENTITY, Motion::Hold);
        let (place, force) = (Place::Fraction(1.0), Vec3::Z * -0.5);
        world.add_load(Load::new(world.body_at(0).unwrap(), place, force)).unwrap();
        run(&mut world, 1.0, dt);
        let frame = world.frame();
        (-frame.bodies[0].nodes[20].z - LENGTH, frame.grippers[0].load.force)
    };
    // the last link is rigid from its middle, where its node is half a link off
    let exact = 0.5 * LENGTH * (19.5 / 20.0) / (RUBBER.young * Section::Round { radius: RADIUS }.area());
    for (iterations, substeps, dt) in [(200, 1, 1e-3), (400, 1, 1e-3), (160, 4, 1e-3), (320, 8, 2e-3)] {
        let (stretch, force) = stretch(iterations, substeps, dt);
        assert!((force + Vec3::Z * 0.5).length() < 1e-6, "{force}");
        assert!((stretch / exact - 1.0).abs() < 1e-6, "{iterations} sweeps in {substeps} substeps: {stretch}, {exact}");
    }
    // and too few leave it too soft: no limit of the method is hidden
    let (soft, _) = stretch(5, 1, 1e-2);
    assert!(soft > 1.2 * exact, "{soft} for {exact}");
}

/// Nothing inside the rod pushes it as a whole.
#[test]
fn momentum_is_kept_in_free_flight() {
    let mut world = World::new(Vec3::Z * -G);
    // starts bent, so that it swings and tumbles
    let path = vec![Vec3::ZERO, Vec3::X * 0.2, Vec3::new(0.3, 0.15, 0.05)];
    world.add_body(rod(path, 30, settings(20, 1))).unwrap();
    let middle = |world: &World| {
        let nodes = &world.frame().bodies[0].nodes;
        nodes.windows(2).map(|n| 0.5 * (n[0] + n[1])).sum::<Vec3>() / 30.0
    };
    let centre = |world: &World, mass: f64| -world.frame().bodies[0].energy.gravity / (-G * mass);
    let mass = world.bodies()[0].derived().iter().find(|d| d.symbol == "m").unwrap().value;
    let (start, start_z) = (middle(&world), centre(&world, mass));
    let (steps, dt) = (300, 2e-3);
    run(&mut world, 0.6, dt);
    // a step of implicit Euler adds g dt^2 k in the k-th step: n (n + 1) / 2 in all
    let fallen = -G * dt * dt * f64::from(steps * (steps + 1)) / 2.0;
    assert!((centre(&world, mass) - start_z - fallen).abs() < 1e-12 * fallen.abs() * 100.0);
    // nodes are off the ends of links by their stretch
    assert!((middle(&world) - start - Vec3::Z * fallen).length() < 1e-4);
    assert!(world.frame().bodies[0].energy.kinetic > 0.0);
}

#[test]
fn a_rod_comes_to_rest_on_a_floor() {
    let mut world = World::new(Vec3::Z * -G);
    world.add_obstacle(obstacle("floor", ShapeKind::Plane, Pose::IDENTITY, Motion::Hold)).unwrap();
    let path = vec![Vec3::new(0.0, 0.0, 0.02), Vec3::new(0.35, 0.0, 0.1)];
    world.add_body(rod(path, 30, settings(40, 1))).unwrap();
    let mut touched = 0;
    for _ in 0..1000 {
        world.step(2e-3).unwrap();
        touched += world.events().iter().filter(|e| matches!(e.kind, EventKind::Touched { .. })).count();
    }
    let frame = world.frame();
    assert_eq!(touched, 1);
    assert!(frame.bodies[0].energy.kinetic < 1e-9 * weight() * LENGTH, "{}", frame.bodies[0].energy.kinetic);
    for node in &frame.bodies[0].nodes {
        assert!((node.z / RADIUS - 1.0).abs() < 1e-2, "{node}");
    }
    let pressed: f64 = frame.contacts.iter().map(|c| c.force.z).sum();
    let length = Vec3::new(0.35, 0.0, 0.08).length();
    assert!((pressed / (weight() * length / LENGTH) - 1.0).abs() < 1e-6, "{pressed}");
    assert!(frame.contacts.iter().all(|c| c.penetration < 1e-6));
}

/// What starts inside is put out at once, and not thrown: a millimetre in a step of a millisecond would be 1 m/s.
#[test]
fn a_rod_that_starts_inside_is_not_thrown_out() {
    let mut world = World::new(Vec3::Z * -G);
    world.add_obstacle(obstacle("floor", ShapeKind::Plane, Pose::IDENTITY, Motion::Hold)).unwrap();
    let path = vec![Vec3::Z * 1e-3, Vec3::new(0.3, 0.0, 1e-3)];
    world.add_body(rod(path, 30, settings(40, 1))).unwrap();
    for _ in 0..200 {
        world.step(1e-3).unwrap();
        let nodes = &world.frame().bodies[0].nodes;
        let highest = nodes.iter().map(|n| n.z).fold(0.0, f64::max);
        assert!(highest < 1.1 * RADIUS, "{highest}");
    }
}

/// Along the slope, below and above the angle of friction (26.57 degrees for 0.5).
#[test]
fn a_rod_sticks_on_a_slope_or_slides_as_coulomb_says() {
    for degrees in [20.0_f64, 25.0, 30.0, 45.0] {
        let angle = degrees.to_radians();
        let turn = Quat::from_rotation_y(angle);
        let mut world = World::new(Vec3::Z * -G);
        world.add_obstacle(obstacle("slope", ShapeKind::Plane, Pose::from_rotation(turn), Motion::Hold)).unwrap();
        let path = [Vec3::Z * RADIUS, Vec3::new(0.2, 0.0, RADIUS)].map(|p| turn * p).to_vec();
        world.add_body(rod(path.clone(), 20, settings(60, 1))).unwrap();
        run(&mut world, 0.1, 1e-3);
        let place = |world: &World| world.frame().bodies[0].nodes[10].dot(turn * Vec3::X);
        let (first, seconds) = (place(&world), 0.4);
        run(&mut world, 0.2, 1e-3);
        let second = place(&world);
        run(&mut world, 0.2, 1e-3);
        let third = place(&world);
        let slope = G * (angle.sin() - 0.5 * angle.cos());
        if slope < 0.0 {
            assert!((third - first).abs() < 1e-6, "{degrees}: {}", third - first);
        } else {
            let acceleration = (third - 2.0 * second + first) / (seconds * seconds / 4.0);
            assert!((acceleration / slope - 1.0).abs() < 0.02, "{degrees}: {acceleration} for {slope}");
        }
    }
}

/// An exponent other than 1 is a law per length: the same whatever the number of links.
#[test]
fn friction_with_an_exponent_is_a_law_per_length() {
    let (angle, friction) = (0.6_f64, Friction { coefficient: 0.25, exponent: 0.7 });
    let turn = Quat::from_rotation_y(angle);
    let line_density = RUBBER.density * Section::Round { radius: RADIUS }.area();
    let pressed = line_density * G * angle.cos();
    let exact = G * angle.sin() - friction.coefficient * pressed.powf(friction.exponent) / line_density;
    for segments in [10, 25] {
        let mut world = World::new(Vec3::Z * -G);
        let mut slope = obstacle("slope", ShapeKind::Plane, Pose::from_rotation(turn), Motion::Hold);
        slope.friction = Some(friction);
        world.add_obstacle(slope).unwrap();
        let path = [Vec3::Z * RADIUS, Vec3::new(0.2, 0.0, RADIUS)].map(|p| turn * p).to_vec();
        world.add_body(rod(path, segments, settings(60, 1))).unwrap();
        let place = |world: &World| world.frame().bodies[0].nodes[5].dot(turn * Vec3::X);
        let mut places = [0.0; 3];
        for place_now in &mut places {
            run(&mut world, 0.2, 1e-3);
            *place_now = place(&world);
        }
        let acceleration = (places[2] - 2.0 * places[1] + places[0]) / 0.04;
        // the points of a link, which is rigid, do not share its weight evenly; uneven shares rub less
        assert!((acceleration / exact - 1.0).abs() < 0.06, "{segments}: {acceleration} for {exact}");
    }
}

/// Dropped on an obstacle of every shape, a rod is carried or slides off, and is never inside.
#[test]
fn every_shape_stops_a_rod() {
    let cube: Vec<Vec3> =
        (0..8).map(|i| (Vec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64) - 0.5) * 0.1).collect();
    let convex = Shape::new(ShapeKind::Convex { points: cube.clone() }).unwrap();
    let groove = vec![vec![0.05, 0.0, 0.05]; 3];
    let shapes = [
        ShapeKind::Plane,
        ShapeKind::Sphere { radius: 0.05 },
        ShapeKind::Box { size: Vec3::splat(0.1) },
        ShapeKind::Capsule { radius: 0.03, length: 0.1 },
        ShapeKind::Cylinder { radius: 0.05, length: 0.1 },
        ShapeKind::Convex { points: cube },
        ShapeKind::Mesh(convex.outline()),
        ShapeKind::HeightField { heights: groove, size: [0.3, 0.3] },
    ];
    for kind in shapes {
        let mut world = World::new(Vec3::Z * -G);
        let shape = Shape::new(kind.clone()).unwrap();
        world.add_obstacle(obstacle("thing", kind.clone(), Pose::IDENTITY, Motion::Hold)).unwrap();
        let path = vec![Vec3::new(-0.09, 0.01, 0.12), Vec3::new(0.11, 0.02, 0.12)];
        world.add_body(rod(path, 30, settings(40, 4))).unwrap();
        let mut touched = false;
        for _ in 0..100 {
            world.step(5e-3).unwrap();
            let frame = world.frame();
            touched |= !frame.contacts.is_empty();
            for pair in frame.bodies[0].nodes.windows(2) {
                let middle = 0.5 * (pair[0] + pair[1]);
                let distance = shape.surface_near(&Pose::IDENTITY, middle, 0.02).map_or(1.0, |f| f.distance);
                // an edge may come between two points
                assert!(distance > 0.6 * RADIUS, "{kind:?}: {distance}");
            }
        }
        assert!(touched, "{kind:?}");
    }
}

/// Too stiff for its steps by far: it is soft, but it does not blow up.
#[test]
fn steel_stays_finite_at_any_step() {
    for dt in [1e-4, 1e-3, 1e-2, 5e-2] {
        let steel = Material { young: 2.1e11, poisson: 0.3, density: 7900.0, friction: RUBBER.friction };
        let mut world = World::new(Vec3::Z * -G);
        let path = vec![Vec3::ZERO, Vec3::X * LENGTH];
        let spec = XpbdSpec { material: steel, ..spec(path, 40, settings(20, 1)) };
        world
            .add_obstacle(obstacle("floor", ShapeKind::Plane, Pose::from_translation(Vec3::Z * -0.1), Motion::Hold))
            .unwrap();
        world.add_body(Body::Xpbd(Xpbd::new("wire", spec).unwrap())).unwrap();
        let turn = Motion::Turn {
            axis: Vec3::new(0.2, 1.0, 0.3),
            centre: Vec3::X * -0.1,
            angle: -2.0,
            advance: 0.1,
            blend: Blend::MinimumJerk,
            window: Window { start: 0.0, end: 1.0 },
        };
        grip(&mut world, 0.0, Hold::Clamp, Pose::IDENTITY, turn);
        run(&mut world, 500.0 * dt, dt);
        let nodes = &world.frame().bodies[0].nodes;
        assert!(nodes.iter().all(|n| n.is_finite() && n.length() < 10.0), "{dt} s");
    }
}

/// A rod on a belt is taken along.
#[test]
fn a_rod_rides_on_what_moves() {
    let mut world = World::new(Vec3::Z * -G);
    let motion = Motion::Glide { velocity: Vec3::ZERO, acceleration: Vec3::X, window: Window { start: 0.0, end: 0.5 } };
    let size = Vec3::new(2.0, 2.0, 0.1);
    let placed = Pose::from_translation(Vec3::Z * -0.05);
    world.add_obstacle(obstacle("belt", ShapeKind::Box { size }, placed, motion)).unwrap();
    let path = vec![Vec3::Z * RADIUS, Vec3::new(0.3, 0.0, RADIUS)];
    world.add_body(rod(path, 30, settings(60, 1))).unwrap();
    run(&mut world, 0.2, 1e-3);
    let relative = |world: &World| world.frame().bodies[0].nodes[15].x - 0.5 * world.time().powi(2);
    let before = relative(&world);
    run(&mut world, 0.3, 1e-3);
    assert!((relative(&world) - before).abs() < 1e-5, "{}", relative(&world) - before);
}

/// Thrown so that a point moves many radii in a step, against a plate thinner than that: it does not get through.
#[test]
fn nothing_tunnels() {
    for speed in [1.0, 10.0, 50.0] {
        let mut world = World::new(Vec3::ZERO);
        let size = Vec3::new(1.0, 1.0, 1e-3);
        world.add_body(rod(vec![Vec3::Z * 0.02, Vec3::new(0.1, 0.0, 0.03)], 20, settings(20, 1))).unwrap();
        // the plate comes to the rod
        let motion = Motion::Glide { velocity: Vec3::Z * speed, acceleration: Vec3::ZERO, window: Window::ALWAYS };
        let placed = Pose::from_translation(Vec3::Z * -0.1);
        world.add_obstacle(obstacle("plate", ShapeKind::Box { size }, placed, motion)).unwrap();
        for _ in 0..40 {
            world.step(5e-3).unwrap();
            let frame = world.frame();
            let plate = frame.obstacles[0].translation.z;
            let lowest = frame.bodies[0].nodes.iter().map(|n| n.z - plate).fold(f64::INFINITY, f64::min);
            assert!(lowest > 0.0, "{speed} m/s: {lowest}");
        }
    }
}

/// What passes an edge by is not held up by it.
#[test]
fn a_near_miss_is_no_contact() {
    let mut world = World::new(Vec3::Z * -G);
    let size = Vec3::splat(0.1);
    let placed = Pose::from_translation(Vec3::new(0.0, 0.0, -0.3));
    world.add_obstacle(obstacle("box", ShapeKind::Box { size }, placed, Motion::Hold)).unwrap();
    let x = 0.05 + 1.2 * RADIUS;
    world.add_body(rod(vec![Vec3::new(x, -0.1, 0.0), Vec3::new(x, 0.1, 0.0)], 20, settings(20, 1))).unwrap();
    run(&mut world, 0.5, 1e-2);
    let fallen = G * 1e-4 * f64::from(50 * 51) / 2.0;
    let z = world.frame().bodies[0].nodes[10].z;
    assert!((z + fallen).abs() < 1e-9, "{z} for {}", -fallen);
}

/// At rest a gripper carries the weight, and its moment about the gripper's origin.
#[test]
fn a_held_rod_at_rest_puts_its_weight_and_moment_on_the_gripper() {
    for (hold, fraction) in [(Hold::Clamp, 0.0), (Hold::Clamp, 0.4), (Hold::TwoPoints, 1.0), (Hold::Position, 0.0)] {
        let mut world = World::new(Vec3::Z * -G);
        let damped = XpbdSettings { damping_time: 1e-3, drag: 10.0, ..settings(100, 20) };
        world.add_body(along_x(damped)).unwrap();
        let placed = Pose::from_translation(Vec3::new(-0.1, 0.05, 0.0));
        grip(&mut world, fraction, hold, placed, Motion::Hold);
        run(&mut world, 3.0, 1e-2);
        let frame = world.frame();
        let load = frame.grippers[0].load;
        let weight = Vec3::Z * -weight();
        assert!((load.force - weight).length() < 1e-5 * weight.length(), "{hold:?} at {fraction}: {}", load.force);
        let nodes = &frame.bodies[0].nodes;
        let centre: Vec3 = nodes.windows(2).map(|n| 0.5 * (n[0] + n[1])).sum::<Vec3>() / 40.0;
        let moment = (centre - placed.translation).cross(weight);
        assert!((load.torque - moment).length() < 5e-3 * moment.length(), "{hold:?} at {fraction}: {}", load.torque);
    }
}

#[test]
fn restore_then_continue_equals_continue_to_the_bit() {
    let mut world = busy();
    run(&mut world, 0.3, 5e-3);
    let (middle, seen) = (world.snapshot(), world.frame());
    run(&mut world, 0.3, 5e-3);
    let straight = (world.snapshot(), world.frame());
    assert!(!straight.1.contacts.is_empty());
    world.restore(&middle).unwrap();
    assert_eq!(world.frame(), seen);
    run(&mut world, 0.3, 5e-3);
    assert_eq!((world.snapshot(), world.frame()), straight);
    let mut other = busy();
    other.restore(&middle).unwrap();
    assert_eq!(other.frame(), seen);
    run(&mut other, 0.3, 5e-3);
    assert_eq!(other.snapshot(), straight.0);
}

#[test]
fn a_step_allocates_nothing() {
    let mut world = busy();
    let mut frame = world.frame();
    frame.contacts.reserve(1000);
    world.step(5e-3).unwrap();
    let before = common::allocations();
    for _ in 0..100 {
        world.step(5e-3).unwrap();
        world.write_frame(&mut frame);
    }
    assert_eq!(common::allocations() - before, 0);
    assert!(!frame.contacts.is_empty());
}

/// Whatever it is told, a rod stays finite or says what went wrong.
#[test]
fn what_diverges_is_named() {
    let pushed = |torque: Vec3| {
        let mut world = World::new(Vec3::ZERO);
        world.add_obstacle(obstacle("floor", ShapeKind::Plane, Pose::IDENTITY, Motion::Hold)).unwrap();
        world.add_body(along_x(settings(20, 1))).unwrap();
        let (body, place, force) = (world.body_at(0).unwrap(), Place::Fraction(1.0), Vec3::X * 1e300);
        world.add_load(Load { torque, ..Load::new(body, place, force) }).unwrap();
        (0..100).find_map(|_| world.step(1e-2).err())
    };
    let error = pushed(Vec3::ZERO);
    assert!(matches!(error, Some(StepError::Diverged { .. })), "{error:?}");
    let error = pushed(Vec3::X * 1e300);
    assert!(matches!(error, Some(StepError::TooShort { .. })), "{error:?}");
}

#[test]
fn wrong_settings_are_refused() {
    let path = || vec![Vec3::ZERO, Vec3::X];
    for (settings, word) in [
        (settings(0, 1), "iterations"),
        (settings(1, 0), "substeps"),
        (XpbdSettings { drag: -1.0, ..settings(1, 1) }, "drag"),
        (XpbdSettings { damping_time: f64::NAN, ..settings(1, 1) }, "damping_time"),
    ] {
        let error = Xpbd::new("wire", spec(path(), 10, settings)).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
    assert!(Xpbd::new("wire", spec(path(), 1, settings(1, 1))).is_err());
}

/// A force F across the end of a link of length l and moment of inertia m (l^2 / 12 + r^2 / 4) turns it by F l / 2 h^2 over that in a
/// substep h: up to 3 rad the pose tells how far, beyond that the step is refused, and more substeps help.
#[test]
fn loads_that_turn_a_link_too_fast_are_refused() {
    let (links, h) = (40, 2e-3);
    let length = LENGTH / links as f64;
    let mass = RUBBER.density * Section::Round { radius: RADIUS }.area() * length;
    let inertia = mass * (length * length / 12.0 + RADIUS * RADIUS / 4.0);
    let step = |turn: f64, substeps: usize, dt: f64| {
        let mut world = World::new(Vec3::ZERO);
        world.add_body(along_x(settings(20, substeps))).unwrap();
        let force = Vec3::Z * (turn * inertia / (h * h * 0.5 * length));
        world.add_load(Load::new(world.body_at(0).unwrap(), Place::Fraction(1.0), force)).unwrap();
        world.step(dt)
    };
    assert_eq!(step(2.99, 1, h), Ok(()));
    let Err(StepError::TooShort { step: needed, .. }) = step(3.01, 1, h) else { panic!("a turn of 3.01 rad") };
    assert!((needed / (h * (3.0_f64 / 3.01).sqrt()) - 1.0).abs() < 1e-9, "{needed}");
    // the turn of a substep falls with its square
    assert_eq!(step(11.9, 2, h), Ok(()));
    assert!(step(12.1, 2, h).is_err());
    assert_eq!(step(11.9, 1, 0.5 * h), Ok(()));
}
