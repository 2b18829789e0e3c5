//! The world as a user of the library meets it: exact snapshots, identical reruns, no allocation in a step, grips that
//! close and open, loads in balance, and errors that name what diverged.
#![allow(clippy::unwrap_used)]

mod common;

use pliant::chain::{Chain, ChainSettings, ChainSpec, UpdateRule};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::{Blend, Drive, Motion, Window};
use pliant::{
    Body, EventKind, Friction, GripParams, GripperParams, Hold, Load, Material, Place, Section, StepError, World,
};

fn rubber() -> Material {
    Material { young: 5e6, poisson: 0.5, density: 1100.0, friction: Friction { coefficient: 0.5, exponent: 1.0 } }
}

fn rod(settings: ChainSettings) -> Body {
    let spec = ChainSpec {
        material: rubber(),
        section: Section::Round { radius: 3e-3 },
        path: vec![Vec3::new(0.0, 0.0, 0.2), Vec3::new(0.3, 0.0, 0.2)],
        points: Some(21),
        settings,
    };
    Body::Chain(Chain::new("rod", spec).unwrap())
}

fn grip(world: &World, place: f64, hold: Hold) -> GripParams {
    GripParams::new(world.gripper_at(0).unwrap(), world.body_at(0).unwrap(), Place::Fraction(place), hold)
}

fn obstacle(name: &str, kind: ShapeKind, at: Vec3, motion: Motion) -> ObstacleParams {
    let placed = Pose::from_translation(at);
    ObstacleParams { name: name.into(), shape: Shape::new(kind).unwrap(), placed, motion, friction: None }
}

/// A rod held by a turning gripper, sinking on a floor, a ball and a moving box: a bit of everything.
fn busy_world(settings: ChainSettings) -> World {
    let mut world = World::new(Vec3::Z * -9.81);
    world.add_obstacle(obstacle("floor", ShapeKind::Plane, Vec3::Z * 0.1, Motion::Hold)).unwrap();
    let ball = ShapeKind::Sphere { radius: 0.05 };
    world.add_obstacle(obstacle("ball", ball, Vec3::new(0.2, 0.0, 0.13), Motion::Hold)).unwrap();
    let sway = Motion::Sinusoid { amplitude: Vec3::Y * 0.05, frequency: 1.5, phase: 0.0 };
    let size = Vec3::new(0.05, 0.02, 0.2);
    world.add_obstacle(obstacle("box", ShapeKind::Box { size }, Vec3::new(0.3, 0.05, 0.15), sway)).unwrap();
    let turn = Motion::Turn {
        axis: Vec3::Z,
        centre: Vec3::ZERO,
        angle: 1.0,
        advance: 0.05,
        blend: Blend::MinimumJerk,
        window: Window { start: 0.0, end: 0.5 },
    };
    let placed = Pose::from_translation(Vec3::new(0.0, 0.0, 0.2));
    world.add_gripper(GripperParams { name: "hand".into(), placed, motion: turn }).unwrap();
    world.add_body(rod(settings)).unwrap();
    world.add_grip(grip(&world, 0.0, Hold::Clamp)).unwrap();
    world
}

fn rules() -> Vec<ChainSettings> {
    use UpdateRule::*;
    [Plain, Limit, Relative, Dynamics, Velocity]
        .map(|update| ChainSettings { update, ..ChainSettings::default() })
        .into_iter()
        .chain([ChainSettings { update: Dynamics, keep_displacement: true, ..ChainSettings::default() }])
        .collect()
}

#[test]
fn reruns_are_identical_to_the_bit() {
    for settings in rules() {
        let run = || {
            let mut world = busy_world(settings.clone());
            (0..200).for_each(|_| world.step(1e-3).unwrap());
            world.snapshot()
        };
        assert_eq!(run(), run(), "{:?}", settings.update);
    }
}

#[test]
fn restore_then_continue_equals_continue() {
    for settings in rules() {
        let mut world = busy_world(settings.clone());
        (0..150).for_each(|_| world.step(1e-3).unwrap());
        let (middle, seen) = (world.snapshot(), world.frame());
        (0..150).for_each(|_| world.step(1e-3).unwrap());
        let straight = (world.snapshot(), world.frame());
        world.restore(&middle).unwrap();
        assert_eq!((world.snapshot(), world.frame()), (middle.clone(), seen.clone()), "{:?}", settings.update);
        (0..150).for_each(|_| world.step(1e-3).unwrap());
        assert_eq!((world.snapshot(), world.frame()), straight, "{:?}", settings.update);
        // and in a world built anew
        let mut other = busy_world(settings.clone());
        other.restore(&middle).unwrap();
        assert_eq!((other.snapshot(), other.frame()), (middle, seen), "{:?}", settings.update);
        (0..150).for_each(|_| other.step(1e-3).unwrap());
        assert_eq!((other.snapshot(), other.frame()), straight, "{:?}", settings.update);
    }
}

#[test]
fn a_step_allocates_nothing() {
    for settings in rules() {
        let mut world = busy_world(settings.clone());
        // a second grip closes and opens on the way, and a mesh is among the obstacles
        world.add_grip(GripParams { from: 0.15, until: 0.25, ..grip(&world, 0.4, Hold::Clamp) }).unwrap();
        let heights = (0..9).map(|j| (0..9).map(|i| 0.01 * ((i * j) as f64).sin()).collect()).collect();
        let ground = ShapeKind::HeightField { heights, size: [1.0, 1.0] };
        world.add_obstacle(obstacle("ground", ground, Vec3::Z * 0.1, Motion::Hold)).unwrap();
        let mut frame = world.frame();
        // contacts come and go: let every buffer reach its size
        for _ in 0..100 {
            world.step(1e-3).unwrap();
            world.write_frame(&mut frame);
        }
        frame.contacts.reserve(1000);
        let before = common::allocations();
        for _ in 0..200 {
            world.step(1e-3).unwrap();
            world.write_frame(&mut frame);
        }
        assert_eq!(common::allocations() - before, 0, "{:?}", settings.update);
    }
}

#[test]
fn a_held_rod_at_rest_puts_its_weight_and_moment_on_the_gripper() {
    let heavy_damping = ChainSettings { drag: 14.0, ..ChainSettings::default() };
    for hold in [Hold::Clamp, Hold::TwoPoints] {
        for place in [0.0, 0.25, 0.5, 1.0] {
            let mut world = World::new(Vec3::Z * -9.81);
            let placed = Pose::from_translation(Vec3::new(-0.1, 0.05, 0.0));
            world.add_gripper(GripperParams { name: "hand".into(), placed, motion: Motion::Hold }).unwrap();
            world.add_body(rod(heavy_damping.clone())).unwrap();
            world.add_grip(grip(&world, place, hold)).unwrap();
            (0..6000).for_each(|_| world.step(1e-3).unwrap());
            let frame = world.frame();
            let mass = 1100.0 * Section::Round { radius: 3e-3 }.area() * 0.3;
            let load = frame.grippers[0].load;
            let weight = Vec3::Z * (-9.81 * mass);
            assert!((load.force - weight).length() < 1e-9 * weight.length(), "{hold:?} at {place}: {}", load.force);
            // moment of the weight about the gripper's origin: end points carry half the mass of the others
            let nodes = &frame.bodies[0].nodes;
            let share = |i: usize| if i == 0 || i == 20 { 0.5 } else { 1.0 } / 20.0;
            let centre: Vec3 = nodes.iter().enumerate().map(|(i, p)| *p * share(i)).sum();
            let moment = (centre - placed.translation).cross(weight);
            assert!((load.torque - moment).length() < 1e-9 * moment.length(), "{hold:?} at {place}: {}", load.torque);
        }
    }
}

#[test]
fn grips_close_and_open_by_schedule_and_from_code() {
    let mut world = World::new(Vec3::ZERO);
    let placed = Pose::from_translation(Vec3::new(0.0, 0.0, 0.2));
    let motion = Motion::Glide { velocity: Vec3::X * 0.1, acceleration: Vec3::ZERO, window: Window::ALWAYS };
    world.add_gripper(GripperParams { name: "hand".into(), placed, motion }).unwrap();
    world.add_body(rod(ChainSettings { drag: 0.0, ..ChainSettings::default() })).unwrap();
    world.add_grip(GripParams { from: 0.1, until: 0.3, ..grip(&world, 0.5, Hold::Position) }).unwrap();
    let mut seen = vec![];
    for _ in 0..400 {
        world.step(1e-3).unwrap();
        seen.extend(world.events().iter().copied());
    }
    let kinds: Vec<_> = seen.iter().map(|e| ((e.time * 1e3).round(), e.kind)).collect();
    let (attached, released) =
        (EventKind::Attached { gripper: 0, body: 0 }, EventKind::Released { gripper: 0, body: 0 });
    assert_eq!(kinds, [(100.0, attached), (300.0, released)]);
    assert_eq!(world.frame().grippers[0].load, Default::default());
    // it kept the offset it had when it closed, then flew on with the momentum it was given
    let x = |world: &World| world.frame().bodies[0].nodes.iter().map(|p| p.x).sum::<f64>() / 21.0;
    assert!(x(&world) > 0.15 + 0.015, "{}", x(&world));
    let grip_now = GripParams { from: 0.0, ..grip(&world, 1.0, Hold::Position) };
    let index = world.add_grip(grip_now).unwrap();
    assert!(world.grip(index).unwrap().anchor.is_some());
    world.release(index).unwrap();
    assert!(world.grip(index).is_err());
}

#[test]
fn a_chain_tells_once_that_it_lies_and_when_its_floor_leaves() {
    let mut world = World::new(Vec3::Z * -9.81);
    // faster than the rod falls at first
    let window = Window { start: 2.0, end: 2.1 };
    let motion = Motion::Glide { velocity: Vec3::Z * -1.0, acceleration: Vec3::ZERO, window };
    world.add_obstacle(obstacle("floor", ShapeKind::Plane, Vec3::Z * 0.1969, motion)).unwrap();
    world.add_obstacle(obstacle("far", ShapeKind::Sphere { radius: 0.1 }, Vec3::Z * 10.0, Motion::Hold)).unwrap();
    world.add_body(rod(ChainSettings { drag: 14.0, ..ChainSettings::default() })).unwrap();
    let mut seen = vec![];
    for _ in 0..2050 {
        world.step(1e-3).unwrap();
        seen.extend(world.events().iter().copied());
    }
    let (touched, parted) = (EventKind::Touched { body: 0, obstacle: 0 }, EventKind::Parted { body: 0, obstacle: 0 });
    assert_eq!(seen.iter().map(|e| e.kind).collect::<Vec<_>>(), [touched, parted]);
    assert!(seen[0].time < 0.1 && (2.0..2.01).contains(&seen[1].time), "{seen:?}");
}

#[test]
fn a_driven_gripper_leaves_its_motion_and_returns() {
    let mut world = busy_world(ChainSettings::default());
    world.drive(world.gripper_at(0).unwrap(), Drive::Pose(Pose::from_translation(Vec3::new(0.01, 0.0, 0.21)))).unwrap();
    world.step(1e-3).unwrap();
    assert_eq!(world.frame().grippers[0].pose.translation, Vec3::new(0.01, 0.0, 0.21));
    world.drive(world.gripper_at(0).unwrap(), Drive::Prescribed).unwrap();
    world.step(1e-3).unwrap();
    assert!((world.frame().grippers[0].pose.translation - Vec3::new(0.0, 0.0, 0.2)).length() < 1e-3);
}

#[test]
fn a_dead_load_stretches_the_rod_as_hookes_law_says() {
    let mut world = World::new(Vec3::ZERO);
    let placed = Pose::from_translation(Vec3::new(0.0, 0.0, 0.2));
    world.add_gripper(GripperParams { name: "wall".into(), placed, motion: Motion::Hold }).unwrap();
    world.add_body(rod(ChainSettings { drag: 200.0, ..ChainSettings::default() })).unwrap();
    world.add_grip(grip(&world, 0.0, Hold::Position)).unwrap();
    let force = Vec3::X * 2.0;
    world.add_load(Load::new(world.body_at(0).unwrap(), Place::Fraction(1.0), force)).unwrap();
    (0..500).for_each(|_| world.step(1e-3).unwrap());
    let frame = world.frame();
    let nodes = &frame.bodies[0].nodes;
    let stretch = (nodes[20] - nodes[0]).length() / 0.3 - 1.0;
    let expected = 2.0 / (5e6 * Section::Round { radius: 3e-3 }.area());
    assert!((stretch / expected - 1.0).abs() < 1e-10, "{stretch} for {expected}");
    assert!((frame.grippers[0].load.force - force).length() < 1e-6);
    assert!(frame.bodies[0].fields[0].values.iter().all(|t| (t - 2.0).abs() < 1e-5), "tension is the load everywhere");
}

#[test]
fn a_rod_rests_on_every_shape_and_stays_outside() {
    let bump = (0..9).map(|j| (0..9).map(|i| 0.02 * ((i * j) as f64).sin()).collect()).collect();
    let corners: Vec<Vec3> = (0..8)
        .map(|c| {
            let side = |bit: i32| if c & bit == 0 { -0.2 } else { 0.2 };
            Vec3::new(side(1), side(2), side(4))
        })
        .collect();
    let shapes = [
        (ShapeKind::Plane, 0.1),
        (ShapeKind::Box { size: Vec3::splat(0.4) }, -0.1),
        (ShapeKind::Convex { points: corners.clone() }, -0.1),
        (ShapeKind::Mesh(Shape::new(ShapeKind::Convex { points: corners }).unwrap().outline()), -0.1),
        (ShapeKind::HeightField { heights: bump, size: [1.0, 1.0] }, 0.1),
        (ShapeKind::Sphere { radius: 1.0 }, -0.9),
        (ShapeKind::Cylinder { radius: 2.0, length: 0.2 }, 0.0),
    ];
    for (kind, height) in shapes {
        let mut world = World::new(Vec3::Z * -9.81);
        let name = format!("{kind:?}");
        world.add_obstacle(obstacle("ground", kind, Vec3::new(0.15, 0.0, height), Motion::Hold)).unwrap();
        world.add_body(rod(ChainSettings { drag: 2.0, ..ChainSettings::default() })).unwrap();
        let mut worst: f64 = 0.0;
        for _ in 0..2000 {
            world.step(1e-3).unwrap();
            let deepest = world.frame().contacts.iter().map(|c| c.penetration).fold(0.0, f64::max);
            worst = worst.max(deepest);
        }
        let frame = world.frame();
        // a dropped rod sinks in by v sqrt(m/k); at rest by its weight over k
        assert!(worst < 3e-4, "{}: {worst}", &name[..name.len().min(40)]);
        assert!(!frame.contacts.is_empty(), "{}", &name[..name.len().min(40)]);
    }
}

#[test]
fn a_thin_plate_that_moves_fast_does_not_pass_through() {
    // 2 mm thick and up to 10 m/s: the plate covers five times its thickness in a step of the world
    for (speed, contact_rate) in [(1.0, 25.0), (5.0, 1000.0), (10.0, 1000.0), (10.0, 100.0)] {
        let mut world = World::new(Vec3::ZERO);
        let size = Vec3::new(0.5, 0.5, 0.002);
        let window = Window { start: 0.0, end: 0.2 / speed };
        let up = Motion::Glide { velocity: Vec3::Z * speed, acceleration: Vec3::ZERO, window };
        world.add_obstacle(obstacle("plate", ShapeKind::Box { size }, Vec3::new(0.15, 0.0, 0.1), up)).unwrap();
        world.add_body(rod(ChainSettings { contact_rate, ..ChainSettings::default() })).unwrap();
        while world.time() < 0.2 / speed + 5e-4 {
            world.step(1e-3).unwrap();
        }
        let top = world.frame().obstacles[0].translation.z;
        let lowest = world.frame().bodies[0].nodes.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
        // the centre line sinks in by v sqrt(m/k), 2.6 mm at 10 m/s, of its 3 mm above the plate's face
        assert!(lowest > top, "{speed} m/s at {contact_rate} Hz: {lowest} below {top}");
    }
}

#[test]
fn a_rod_in_free_flight_falls_as_galileo_says() {
    let mut world = World::new(Vec3::Z * -9.81);
    world.add_body(rod(ChainSettings::default())).unwrap();
    (0..1000).for_each(|_| world.step(1e-3).unwrap());
    // the rule is of first order: half an inner step times g t
    let fallen = 0.2 - world.frame().bodies[0].nodes[10].z;
    assert!((fallen / 4.905 - 1.0).abs() < 1e-4, "{fallen}");
}

#[test]
fn friction_holds_below_its_angle_and_slides_by_coulombs_law_above() {
    // a straight rod along y on a slope about y; friction 0.5 is an angle of 26.6 degrees
    let slide = |angle: f64| {
        let mut world = World::new(Vec3::Z * -9.81);
        let turn = Quat::from_rotation_y(angle);
        let placed = Pose::from_rotation(turn);
        let shape = Shape::new(ShapeKind::Plane).unwrap();
        let slope = ObstacleParams { name: "slope".into(), shape, placed, motion: Motion::Hold, friction: None };
        world.add_obstacle(slope).unwrap();
        // start where the weight on it is carried, so that it does not bounce
        let settings = ChainSettings { drag: 0.0, ..ChainSettings::default() };
        let spec = ChainSpec {
            material: rubber(),
            section: Section::Round { radius: 3e-3 },
            path: vec![turn * Vec3::new(0.0, 0.0, 3e-3), turn * Vec3::new(0.0, 0.3, 3e-3)],
            points: Some(11),
            settings,
        };
        world.add_body(Body::Chain(Chain::new("rod", spec).unwrap())).unwrap();
        (0..200).for_each(|_| world.step(1e-3).unwrap());
        let along = |world: &World| (turn.inverse() * world.frame().bodies[0].nodes[5]).x;
        let (x0, speed) = (along(&world), {
            let before = along(&world);
            world.step(1e-3).unwrap();
            (along(&world) - before) / 1e-3
        });
        (0..500).for_each(|_| world.step(1e-3).unwrap());
        (along(&world) - x0, speed)
    };
    let (drift, _) = slide(25.0_f64.to_radians());
    assert!(drift.abs() < 1e-9, "sticks: {drift}");
    let angle = 35.0_f64.to_radians();
    let (moved, speed) = slide(angle);
    let acceleration = 9.81 * (angle.sin() - 0.5 * angle.cos());
    let expected = speed * 0.5 + 0.5 * acceleration * 0.25;
    assert!((moved / expected - 1.0).abs() < 0.004, "slides {moved} for {expected}");
}

#[test]
fn a_run_that_blows_up_names_body_time_and_quantity() {
    let absurd = ChainSettings { update: UpdateRule::Plain, scaling: Some(1.0), ..ChainSettings::default() };
    let mut world = busy_world(absurd);
    let error = (0..1000).find_map(|_| world.step(1e-3).err()).unwrap();
    let StepError::Diverged { body, time, quantity, value } = error else { panic!("{error}") };
    assert_eq!(body, "rod");
    assert!(time > 0.0 && time < 1.0);
    assert!(quantity.contains("of point"), "{quantity}");
    assert!(value.is_nan() || value.abs() > 1e6);
}

/// Ends are places; what is beyond them, or nowhere, is none.
#[test]
fn places_that_a_body_does_not_have_are_refused() {
    let mut world = busy_world(ChainSettings::default());
    let body = world.body_at(0).unwrap();
    let load =
        |place| Load { body, place, force: Vec3::X, torque: Vec3::ZERO, from: 0.0, until: 1.0, rise: 0.0, fall: 0.0 };
    for beyond in [-0.1, 1.0 + 1e-9, 2.0, f64::NAN, f64::INFINITY] {
        let told = world.add_grip(grip(&world, beyond, Hold::Clamp)).unwrap_err().to_string();
        assert_eq!(told, world.add_load(load(Place::Fraction(beyond))).unwrap_err().to_string());
        let wanted = format!("rod has no place at {beyond} of its length: it goes from 0 at the start to 1 at the end");
        assert_eq!(told, wanted);
    }
    let told = world.add_load(load(Place::Point(Vec3::X))).unwrap_err().to_string();
    assert!(told.starts_with("rod has no place at the point [1, 0, 0]: only solids have places in space"), "{told}");
    let told = world.add_load(load(Place::Box { low: Vec3::ZERO, high: Vec3::ONE })).unwrap_err().to_string();
    assert!(told.starts_with("rod has no place in a box: only solids have places in space"), "{told}");
    for end in [0.0, 1.0] {
        world.add_grip(grip(&world, end, Hold::Position)).unwrap();
    }
}

/// Room is made once for all that was added: what a body costs does not depend on how many there are.
#[test]
fn building_is_linear_in_the_number_of_bodies() {
    let build = |count: usize| {
        let mut world = World::new(Vec3::ZERO);
        let bodies: Vec<Body> = (0..count)
            .map(|n| {
                let spec = ChainSpec {
                    material: rubber(),
                    section: Section::Round { radius: 1e-3 },
                    path: vec![Vec3::Y * n as f64, Vec3::new(0.1, n as f64, 0.0)],
                    points: Some(3),
                    settings: ChainSettings::default(),
                };
                Body::Chain(Chain::new(&format!("rod {n}"), spec).unwrap())
            })
            .collect();
        let before = common::allocations();
        for body in bodies {
            let body = world.add_body(body).unwrap();
            let (placed, motion) = (Pose::IDENTITY, Motion::Hold);
            let gripper =
                world.add_gripper(GripperParams { name: format!("hand {:?}", body), placed, motion }).unwrap();
            world.add_grip(GripParams::new(gripper, body, Place::Fraction(0.0), Hold::Position)).unwrap();
        }
        world.ready().unwrap();
        let last = world.body_named(&format!("rod {}", count - 1)).unwrap();
        assert_eq!(world.body_index(last), Ok(count - 1));
        common::allocations() - before
    };
    // lists that double their room make a few more of many
    let [few, many] = [build(100), build(1000)];
    assert!(many < 10 * few, "{few} allocations for 100 bodies, {many} for 1000");
}
