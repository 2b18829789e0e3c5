//! What may be done to a world between its steps, for bodies of every model: grasping and releasing, driving, loads, adding and taking
//! away. Handles never name somebody else, and what is not concerned goes on to the bit.
#![allow(clippy::unwrap_used)]

mod common;
#[path = "common/models.rs"]
mod models;

use models::{HEIGHT, MATTER, block, every_model, every_model_at};
use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::Motion;
use pliant::{
    Body, BodyFrame, BuildError, ControlError, Drive, EventKind, FingerParams, Frame, Gone, GripParams, GripperId,
    GripperParams, Hold, Load, Material, ObstacleId, Other, Place, Section, World,
};

const G: f64 = 9.81;
const STEP: f64 = 1e-3;

fn hand(world: &mut World, name: &str, at: Vec3) -> GripperId {
    let params = GripperParams { name: name.into(), placed: Pose::from_translation(at), motion: Motion::Hold };
    world.add_gripper(params).unwrap()
}

fn obstacle(world: &mut World, name: &str, kind: ShapeKind, at: Vec3) -> ObstacleId {
    let (shape, placed) = (Shape::new(kind).unwrap(), Pose::from_translation(at));
    world
        .add_obstacle(ObstacleParams { name: name.into(), shape, placed, motion: Motion::Hold, friction: None })
        .unwrap()
}

fn cable(name: &str, path: Vec<Vec3>, settings: CableSettings) -> Body {
    let (section, segments) = (Section::Round { radius: 5e-3 }, 12);
    let spec = CableSpec { material: MATTER, section, path, normal: None, rest: Rest::Straight, segments, settings };
    Body::Cable(Cable::new(name, spec).unwrap())
}

fn run(world: &mut World, steps: usize) {
    (0..steps).for_each(|_| world.step(STEP).unwrap());
}

fn gone<T: std::fmt::Debug>(result: Result<T, impl Into<ControlError>>, kind: &'static str) {
    assert_eq!(result.map_err(Into::into).unwrap_err(), ControlError::Gone(Gone { kind }));
}

/// One of each kind, held and loaded, above a floor.
fn one_of_each(body: &Body) -> World {
    let mut world = World::new(Vec3::Z * -G);
    obstacle(&mut world, "floor", ShapeKind::Plane, Vec3::Z * (HEIGHT - 0.012));
    let wire = world.add_body(body.clone()).unwrap();
    let grip = hand(&mut world, "hand", Vec3::Z * HEIGHT);
    world.grasp(grip, wire, Place::Node(0), Hold::Position).unwrap();
    world.add_load(Load::new(wire, Place::Node(3), Vec3::X * 0.01)).unwrap();
    world
}

#[test]
fn handles_of_another_world_are_told() {
    for body in every_model() {
        let (mut world, other) = (one_of_each(&body), one_of_each(&body));
        let (body, obstacle, gripper) =
            (other.body_at(0).unwrap(), other.obstacle_at(0).unwrap(), other.gripper_at(0).unwrap());
        let (own, wire) = (world.gripper_at(0).unwrap(), world.body_at(0).unwrap());
        let (grip, load) = (other.grips().next().unwrap().0, other.loads().next().unwrap().0);
        let before = world.snapshot();
        let (place, hold) = (Place::Node(0), Hold::Position);
        gone(world.body(body), "body");
        gone(world.obstacle(obstacle), "obstacle");
        gone(world.gripper(gripper), "gripper");
        gone(world.grip(grip), "grip");
        gone(world.load(load), "load");
        gone(world.grasp(gripper, wire, place, hold), "gripper");
        gone(world.grasp(own, body, place, hold), "body");
        gone(world.grasp_nearest(gripper, 1.0, hold), "gripper");
        gone(world.add_grip(GripParams::new(own, body, place, hold)), "body");
        gone(world.add_load(Load::new(body, place, Vec3::X)), "body");
        gone(world.add_finger(FingerParams { gripper, radius: 0.01, friction: None }), "gripper");
        gone(world.release(grip), "grip");
        gone(world.set_load(load, Vec3::X, Vec3::ZERO), "load");
        gone(world.remove_load(load), "load");
        gone(world.drive(gripper, Drive::Prescribed), "gripper");
        gone(world.drive_obstacle(obstacle, Drive::Prescribed), "obstacle");
        gone(world.set_obstacle_friction(obstacle, None), "obstacle");
        gone(world.set_points(body, &[]), "body");
        gone(world.settle(body), "body");
        gone(world.remove_body(body).map(drop), "body");
        gone(world.remove_obstacle(obstacle), "obstacle");
        gone(world.remove_gripper(gripper), "gripper");
        assert!(world.snapshot() == before, "{}: something has changed", world.bodies()[0].name());
    }
}

/// Whatever leaves, and whoever takes its name and place: its handle is of nobody, and the others keep theirs.
#[test]
fn handles_of_what_left_are_of_nobody() {
    let mut world = World::new(Vec3::Z * -G);
    let line = |y: f64| vec![Vec3::Y * y, Vec3::new(0.2, y, 0.0)];
    let names = ["a", "b", "c"];
    let at = |n: usize| 0.1 * n as f64;
    let bodies: Vec<_> =
        (0..3).map(|n| world.add_body(cable(names[n], line(at(n)), CableSettings::default())).unwrap()).collect();
    let hands: Vec<_> = (0..3).map(|n| hand(&mut world, names[n], Vec3::Y * at(n))).collect();
    let balls: Vec<_> = (0..3)
        .map(|n| obstacle(&mut world, names[n], ShapeKind::Sphere { radius: 0.01 }, Vec3::new(0.1, at(n), -0.1)))
        .collect();
    let (place, hold) = (Place::Fraction(0.0), Hold::Position);
    let grips: Vec<_> = (0..3).map(|n| world.grasp(hands[n], bodies[n], place, hold).unwrap()).collect();
    let loads: Vec<_> = (0..3).map(|n| world.add_load(Load::new(bodies[n], place, Vec3::X)).unwrap()).collect();
    run(&mut world, 20);
    world.remove_load(loads[1]).unwrap();
    world.remove_body(bodies[1]).unwrap();
    world.remove_gripper(hands[1]).unwrap();
    world.remove_obstacle(balls[1]).unwrap();
    let leaves_nothing = |world: &mut World| {
        gone(world.body(bodies[1]), "body");
        gone(world.gripper(hands[1]), "gripper");
        gone(world.obstacle(balls[1]), "obstacle");
        gone(world.grip(grips[1]), "grip");
        gone(world.load(loads[1]), "load");
        gone(world.release(grips[1]), "grip");
        gone(world.remove_load(loads[1]), "load");
        for n in [0, 2] {
            assert_eq!(world.body(bodies[n]).unwrap().name(), names[n]);
            assert_eq!(world.gripper(hands[n]).unwrap().params.name, names[n]);
            assert_eq!(world.obstacle(balls[n]).unwrap().params.name, names[n]);
            let params = world.grip(grips[n]).unwrap().params;
            assert_eq!((params.gripper, params.body), (hands[n], bodies[n]));
            assert_eq!(world.load(loads[n]).unwrap().body, bodies[n]);
        }
        run(world, 20);
    };
    leaves_nothing(&mut world);
    assert_eq!(world.body_named("b"), None);
    let again = world.add_body(cable("b", line(at(1)), CableSettings::default())).unwrap();
    let hand = hand(&mut world, "b", Vec3::Y * at(1));
    obstacle(&mut world, "b", ShapeKind::Sphere { radius: 0.01 }, Vec3::new(0.1, at(1), -0.1));
    world.grasp(hand, again, place, hold).unwrap();
    world.add_load(Load::new(again, place, Vec3::X)).unwrap();
    leaves_nothing(&mut world);
    assert_eq!((world.body_named("b"), world.body_index(again)), (Some(again), Ok(2)));
}

/// All of a body's weight is borne by what holds it, whenever it does: the impulse on the hand is m g t, less the momentum that the body
/// has in the end, which is at the most that of a rod of 0.2 m that has swung down, 2 m/s, of 196 or more.
#[test]
fn ten_thousand_grasps_neither_grow_nor_allocate() {
    const COUNT: usize = 10_000;
    for body in every_model() {
        // holds of chains are springs, with which they swing in thirty steps
        let held = if matches!(body, Body::Chain(_)) { 30 } else { 1 };
        let name = body.name().to_string();
        let mut world = World::new(Vec3::Z * -G);
        let wire = world.add_body(body).unwrap();
        let hand = hand(&mut world, "hand", Vec3::Z * HEIGHT);
        let place = Place::Node(0);
        let (mut impulse, mut before) = (Vec3::ZERO, 0);
        for n in 0..COUNT {
            let grip = world.grasp(hand, wire, place, Hold::Position).unwrap();
            assert_eq!(world.grips().count(), 1);
            for _ in 0..held {
                world.step(STEP).unwrap();
                impulse += world.gripper(hand).unwrap().load.force * STEP;
            }
            assert_ne!(
                world.grip(grip).unwrap().load.force,
                Vec3::ZERO,
                "{name}: nothing hangs from it the {n}th time"
            );
            world.release(grip).unwrap();
            world.step(STEP).unwrap();
            assert_eq!(world.gripper(hand).unwrap().load.force, Vec3::ZERO, "{name}");
            if n == 0 {
                before = common::allocations();
            }
        }
        assert_eq!(common::allocations() - before, 0, "{name}");
        let sunk = HEIGHT - world.body(wire).unwrap().place_pose(place).unwrap().translation.z;
        // each time by as much as it falls in a step and gives way, soft as it is; g t^2 / 2 if it never hung, which is kilometres
        assert!(sunk < 5e-4 * COUNT as f64, "{name} has sunk by {sunk} m");
        let weight = world.body(wire).unwrap().mass() * G * world.time();
        assert!((impulse + Vec3::Z * weight).length() < 0.012 * weight, "{name}: {impulse} for {weight}");
    }
}

#[test]
fn the_nearest_place_is_grasped_and_none_beyond() {
    let off = 0.0137;
    for body in every_model() {
        let name = body.name().to_string();
        let nodes = {
            let mut world = World::new(Vec3::ZERO);
            world.add_body(body.clone()).unwrap();
            world.frame().bodies[0].nodes.clone()
        };
        // beyond the lowest corner of a solid, beside a place between the nodes of a rod
        let (near, aside) = if body.is_solid() {
            let low = |p: &Vec3| p.x + p.y + p.z;
            (*nodes.iter().min_by(|a, b| low(a).total_cmp(&low(b))).unwrap(), Vec3::new(-1.0, -0.5, -0.7).normalize())
        } else {
            (Vec3::new(0.0777, 0.0, HEIGHT), Vec3::Y)
        };
        let at = near + aside * off;
        // somebody else is farther, first or last in the world
        let farther = || {
            cable(
                "farther",
                vec![at + aside * 0.03 - Vec3::X * 0.1, at + aside * 0.03 + Vec3::X * 0.1],
                CableSettings::default(),
            )
        };
        for first in [false, true] {
            let mut world = World::new(Vec3::ZERO);
            if first {
                world.add_body(farther()).unwrap();
            }
            let wire = world.add_body(body.clone()).unwrap();
            if !first {
                world.add_body(farther()).unwrap();
            }
            let hand = hand(&mut world, "hand", at);
            run(&mut world, 3);
            assert_eq!(world.grasp_nearest(hand, off - 1e-6, Hold::Position), Ok(None), "{name}");
            assert_eq!((world.grips().count(), world.nearest_place(at, off - 1e-6)), (0, None));
            let grip = world.grasp_nearest(hand, off + 1e-6, Hold::Position).unwrap().unwrap();
            let params = world.grip(grip).unwrap().params;
            assert_eq!(params.body, wire, "{name}");
            let held = world.body(wire).unwrap().place_pose(params.place).unwrap().translation;
            assert!(held.distance(near) < 1e-6, "{name}: {held} instead of {near}");
            assert!(matches!(world.events(), [.., e] if matches!(e.kind, EventKind::Attached { .. })));
        }
    }
}

/// A ring has no end: its last piece counts too.
#[test]
fn a_ring_is_grasped_anywhere() {
    let corner = |n: f64| {
        Vec3::new((n * std::f64::consts::TAU / 12.0).cos(), (n * std::f64::consts::TAU / 12.0).sin(), 0.0) * 0.1
    };
    let mut path: Vec<Vec3> = (0..12).map(|n| corner(f64::from(n))).collect();
    path.push(path[0]);
    let settings = CableSettings { closed: true, ..CableSettings::default() };
    let mut world = World::new(Vec3::ZERO);
    let ring = world.add_body(cable("ring", path.clone(), settings)).unwrap();
    for n in 0..12 {
        let at = path[n].lerp(path[n + 1], 0.3);
        let (body, place) = world.nearest_place(at, 0.01).unwrap();
        let found = world.body(ring).unwrap().place_pose(place).unwrap().translation;
        assert!(body == ring && found.distance(at) < 1e-3, "piece {n}: {found} instead of {at}");
    }
}

/// A plate comes up at a body without weight: that leaves with the speed of the plate at least, and twice that at the most.
#[test]
fn an_obstacle_driven_by_velocity_pushes() {
    let speed = 0.2;
    for body in every_model() {
        let name = body.name().to_string();
        let mut world = World::new(Vec3::ZERO);
        let wire = world.add_body(body).unwrap();
        let plate = obstacle(&mut world, "plate", ShapeKind::Plane, Vec3::Z * (HEIGHT - 0.012));
        world.drive_obstacle(plate, Drive::Velocity { linear: Vec3::Z * speed, angular: Vec3::ZERO }).unwrap();
        let centre = |world: &World| world.body(wire).unwrap().moments().centre;
        run(&mut world, 300);
        let before = centre(&world);
        run(&mut world, 100);
        let rises = (centre(&world).z - before.z) / (100.0 * STEP);
        assert!((0.98 * speed..2.02 * speed).contains(&rises), "{name} rises with {rises} m/s");
        let height = world.obstacle(plate).unwrap().sweep.end.translation.z;
        assert!((height - (HEIGHT - 0.012 + speed * world.time())).abs() < 1e-12, "{height}");
        // it stays where it is when it is told to
        let now = world.obstacle(plate).unwrap().sweep.end;
        world.drive_obstacle(plate, Drive::Pose(now)).unwrap();
        run(&mut world, 10);
        assert_eq!(world.obstacle(plate).unwrap().sweep.end, now);
        world.drive_obstacle(plate, Drive::Prescribed).unwrap();
        run(&mut world, 1);
        assert_eq!(world.obstacle(plate).unwrap().sweep.end.translation, Vec3::Z * (HEIGHT - 0.012));
    }
}

#[test]
fn a_gripper_driven_by_velocity_turns_as_fast_as_told() {
    let mut world = World::new(Vec3::ZERO);
    let hand = hand(&mut world, "hand", Vec3::X);
    let (linear, angular) = (Vec3::new(0.1, -0.2, 0.3), Vec3::new(1.0, 2.0, -2.0));
    world.drive(hand, Drive::Velocity { linear, angular }).unwrap();
    run(&mut world, 1000);
    let pose = world.gripper(hand).unwrap().sweep.end;
    assert!((pose.translation - Vec3::X - linear).length() < 1e-12);
    assert!(pose.rotation.angle_between(Quat::from_scaled_axis(angular)) < 1e-7);
    for nowhere in [
        Drive::Velocity { linear: Vec3::NAN, angular },
        Drive::Velocity { linear, angular: Vec3::INFINITY },
        Drive::Pose(Pose::from_translation(Vec3::NAN)),
    ] {
        assert!(matches!(world.drive(hand, nowhere), Err(ControlError::Refused(_))));
    }
    assert_eq!(world.gripper(hand).unwrap().drive, Drive::Velocity { linear, angular });
}

/// A thin cable clamped at its start bends by F L^3 / 3 E I at its end, to the square of the slope and of the length of a link.
#[test]
fn loads_bend_a_cable_as_long_as_they_act() {
    let (length, radius, segments) = (0.2, 2e-3, 40);
    let material = Material { young: 1e7, ..MATTER };
    let section = Section::Round { radius };
    let rigidity = material.young * section.second_moments()[0];
    // critical for the first mode
    let mass = material.density * section.area();
    let drag = 2.0 * (1.875_f64 / length).powi(2) * (rigidity / mass).sqrt();
    let settings = CableSettings { drag, ..CableSettings::default() };
    let (path, rest) = (vec![Vec3::ZERO, Vec3::X * length], Rest::Straight);
    let spec = CableSpec { material, section, path, normal: None, rest, segments, settings };
    let mut world = World::new(Vec3::ZERO);
    let wire = world.add_body(Body::Cable(Cable::new("wire", spec).unwrap())).unwrap();
    let hand = hand(&mut world, "wall", Vec3::ZERO);
    world.grasp(hand, wire, Place::Fraction(0.0), Hold::Clamp).unwrap();
    let tip = |world: &mut World| {
        (0..2000).for_each(|_| world.step(5e-3).unwrap());
        world.body(wire).unwrap().place_pose(Place::Fraction(1.0)).unwrap().translation
    };
    let bend = 0.01 * length;
    let force = 3.0 * rigidity * bend / length.powi(3);
    let load = world.add_load(Load::new(wire, Place::Fraction(1.0), Vec3::Z * -force)).unwrap();
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-3 * bend, "{found} for {expected}");
    near(tip(&mut world).z, -bend);
    world.set_load(load, Vec3::Y * (0.5 * force), Vec3::ZERO).unwrap();
    assert_eq!(world.load(load).unwrap().force, Vec3::Y * (0.5 * force));
    let there = tip(&mut world);
    near(there.y, 0.5 * bend);
    near(there.z, 0.0);
    // M L^2 / 2 E I
    let torque = Vec3::Y * (2.0 * rigidity * bend / length.powi(2));
    world.set_load(load, Vec3::ZERO, torque).unwrap();
    let there = tip(&mut world);
    near(there.z, -bend);
    near(there.y, 0.0);
    assert!(world.set_load(load, Vec3::NAN, Vec3::ZERO).is_err());
    assert_eq!(world.load(load).unwrap().torque, torque);
    world.remove_load(load).unwrap();
    near(tip(&mut world).z, 0.0);
    assert_eq!(world.loads().count(), 0);
}

/// Whatever a free body does, its centre goes with F / m.
#[test]
fn loads_move_the_centre_of_a_free_body() {
    for body in every_model() {
        let name = body.name().to_string();
        let mut world = World::new(Vec3::ZERO);
        let wire = world.add_body(body).unwrap();
        let mass = world.body(wire).unwrap().mass();
        let centre = |world: &World| world.body(wire).unwrap().moments().centre;
        let (steps, first) = (50, centre(&world));
        // mean velocity and acceleration of the last steps
        let speeds = |world: &mut World| {
            let a = centre(world);
            run(world, steps);
            let b = centre(world);
            run(world, steps);
            let time = steps as f64 * STEP;
            let [early, late] = [(b - a) / time, (centre(world) - b) / time];
            [(early + late) * 0.5, (late - early) / time]
        };
        let [up, along] = [Vec3::Z * 0.05 * mass, Vec3::X * 0.02 * mass];
        let near = |found: Vec3, expected: Vec3, what: &str| {
            assert!((found - expected).length() < 1e-3 * 0.05, "{name}: {what} {found}, not {expected}");
        };
        let load = world.add_load(Load::new(wire, Place::Node(0), up)).unwrap();
        near(speeds(&mut world)[1], up / mass, "acceleration");
        world.set_load(load, along, Vec3::ZERO).unwrap();
        near(speeds(&mut world)[1], along / mass, "acceleration after a change");
        world.remove_load(load).unwrap();
        let [speed, rate] = speeds(&mut world);
        near(rate, Vec3::ZERO, "acceleration without a load");
        near(speed, (up + along) / mass * (2.0 * steps as f64 * STEP), "speed");
        assert!(centre(&world).distance(first) > 1e-4);
    }
}

/// One that rises evenly has given half by then: v = F (t - rise / 2) / m.
#[test]
fn loads_rise_as_they_say() {
    let (rise, rate) = (0.05, Vec3::new(0.01, 0.0, 0.05));
    for body in every_model() {
        let name = body.name().to_string();
        let mut world = World::new(Vec3::ZERO);
        let wire = world.add_body(body).unwrap();
        let force = rate * world.body(wire).unwrap().mass();
        let until = 0.1;
        world.add_load(Load { rise, until, ..Load::new(wire, Place::Node(0), force) }).unwrap();
        run(&mut world, 100);
        let before = world.body(wire).unwrap().moments().centre;
        run(&mut world, 100);
        let speed = (world.body(wire).unwrap().moments().centre - before) / (100.0 * STEP);
        let expected = rate * (until - 0.5 * rise);
        assert!((speed - expected).length() < 1e-3 * expected.length(), "{name}: {speed}, not {expected}");
    }
}

/// Bodies of every model on a floor and a ball, a cable across the rods, a block on the block; one is held, one loaded, and a fingertip comes.
fn heap() -> World {
    let mut world = World::new(Vec3::Z * -G);
    furnish(&mut world);
    world
}

fn furnish(world: &mut World) {
    obstacle(world, "floor", ShapeKind::Plane, Vec3::Z * (HEIGHT - 0.009));
    obstacle(world, "ball", ShapeKind::Sphere { radius: 0.02 }, Vec3::new(0.15, 0.036, HEIGHT - 0.0265));
    let away = [-0.08, 0.03, 0.015, 0.0, 0.045, 0.06, 0.1].map(|y| Vec3::Y * y);
    let bodies: Vec<_> = every_model_at("", away).into_iter().map(|body| world.add_body(body).unwrap()).collect();
    let high = Vec3::new(0.07, 0.1, HEIGHT + 0.0105);
    let over = cable("over", vec![high - Vec3::Y * 0.13, high], CableSettings::default());
    let over = world.add_body(over).unwrap();
    world.add_body(block("upper", Vec3::new(0.003, 0.102, HEIGHT + 0.053))).unwrap();
    let holder = hand(world, "hand", high);
    world.grasp(holder, over, Place::Fraction(1.0), Hold::Clamp).unwrap();
    world.drive(holder, Drive::Velocity { linear: Vec3::Z * -0.06, angular: Vec3::ZERO }).unwrap();
    let finger = hand(world, "finger", Vec3::new(0.005, -0.091, HEIGHT + 0.005));
    world.add_finger(FingerParams { gripper: finger, radius: 0.01, friction: None }).unwrap();
    world.drive(finger, Drive::Velocity { linear: Vec3::Y * 0.1, angular: Vec3::ZERO }).unwrap();
    world.add_load(Load::new(bodies[3], Place::Fraction(1.0), Vec3::Z * -0.05)).unwrap();
}

/// What is seen of a world but for accounts, which are closed and opened again when something comes or goes.
fn seen(world: &World) -> Frame {
    let mut frame = world.frame();
    frame.bodies.iter_mut().for_each(|body| body.account = BodyFrame::default().account);
    frame
}

#[test]
fn the_heap_has_contacts_of_all_kinds() {
    let mut world = heap();
    run(&mut world, 100);
    let frame = world.frame();
    for (body, of) in world.bodies().iter().enumerate() {
        let touches = |c: &pliant::Contact| c.body == body || c.other == Other::Body(body);
        assert!(frame.contacts.iter().any(touches), "{} touches nothing", of.name());
    }
    for obstacle in 0..3 {
        assert!(frame.contacts.iter().any(|c| c.other == Other::Obstacle(obstacle)), "nothing touches {obstacle}");
    }
    // cables with each other, solids of particles with each other, and models that advance apart
    for (name, others) in [("over", &["cable"][..]), ("lattice", &["upper"]), ("over", &["chain", "xpbd", "elastica"])]
    {
        let index = |name: &str| world.body_index(world.body_named(name).unwrap()).unwrap();
        let (a, others): (_, Vec<usize>) = (index(name), others.iter().map(|other| index(other)).collect());
        let meet = |c: &pliant::Contact| match c.other {
            Other::Body(b) => c.body == a && others.contains(&b) || b == a && others.contains(&c.body),
            _ => false,
        };
        assert!(frame.contacts.iter().any(meet), "{name} touches none of {others:?}");
    }
}

fn same(found: &Frame, expected: &Frame, who: &str, names: &World) {
    for (n, (a, b)) in found.bodies.iter().zip(&expected.bodies).enumerate() {
        assert_eq!(a, b, "{} beside {who}", names.bodies()[n].name());
    }
    assert_eq!(found, expected, "beside {who}");
}

/// Things far away that are there from the start, before all others, and are taken away half-way leave no trace.
#[test]
fn what_is_taken_away_leaves_no_trace() {
    let mut never = heap();
    run(&mut never, 100);
    let half = seen(&never);
    run(&mut never, 100);
    let whole = seen(&never);
    let far = Vec3::new(0.0, 5.0, 0.3);
    for (n, body) in every_model_at("far ", [far; 7]).into_iter().enumerate() {
        // solids of particles share their strides, so that one more is a trace while it is there
        if matches!(body, Body::Lattice(_)) {
            continue;
        }
        let mut world = World::new(Vec3::Z * -G);
        let name = body.name().to_string();
        let ball =
            obstacle(&mut world, "far", ShapeKind::Sphere { radius: 0.1 }, far + Vec3::new(0.1, 0.0, HEIGHT - 0.106));
        let wire = world.add_body(body).unwrap();
        let holder = hand(&mut world, "far", far);
        let tip = hand(&mut world, "far tip", far + Vec3::new(0.0, 0.2, HEIGHT));
        world.add_finger(FingerParams { gripper: tip, radius: 0.005, friction: None }).unwrap();
        world.grasp(holder, wire, Place::Node(0), Hold::Position).unwrap();
        world.add_load(Load::new(wire, Place::Node(1), Vec3::X * 1e-3)).unwrap();
        furnish(&mut world);
        run(&mut world, 100);
        let fingertip = world.obstacle_named("far tip").unwrap();
        let refused = world.remove_obstacle(fingertip).unwrap_err();
        assert!(matches!(refused, ControlError::Refused(BuildError::Fingertip { .. })), "{refused}");
        let refused = world.drive_obstacle(fingertip, Drive::Prescribed).unwrap_err();
        assert!(matches!(refused, ControlError::Fingertip { .. }), "{refused}");
        // in any order
        if n % 2 == 0 {
            world.remove_gripper(holder).unwrap();
            world.remove_body(wire).unwrap();
            world.remove_gripper(tip).unwrap();
            world.remove_obstacle(ball).unwrap();
        } else {
            world.remove_obstacle(ball).unwrap();
            world.remove_gripper(tip).unwrap();
            world.remove_body(wire).unwrap();
            world.remove_gripper(holder).unwrap();
        }
        gone(world.obstacle(fingertip), "obstacle");
        // what was seen of the far one too
        let frame = Frame { penetration: half.penetration, ..seen(&world) };
        same(&frame, &half, &name, &never);
        run(&mut world, 100);
        same(&seen(&world), &whole, &name, &never);
    }
}

/// Nor is one seen that comes later; it falls as it would alone.
#[test]
fn what_is_added_while_running_leaves_others_alone() {
    let mut never = heap();
    run(&mut never, 160);
    let far = Vec3::new(0.0, 5.0, 1.0);
    for body in every_model_at("far ", [far; 7]) {
        // solids of particles share their strides
        let shares = matches!(body, Body::Lattice(_));
        let mut world = heap();
        run(&mut world, 100);
        let name = body.name().to_string();
        let first = body.moments().centre;
        let wire = world.add_body(body).unwrap();
        run(&mut world, 60);
        let time = 60.0 * STEP;
        let fallen = first.z - world.body(wire).unwrap().moments().centre.z;
        // steps of explicit methods fall by g t dt / 2 more or less
        let (law, slack) = (0.5 * G * time * time, 0.5 * G * time * STEP);
        assert!((fallen - law).abs() < 1.01 * slack, "{name} fell by {fallen}, not {law}");
        world.remove_body(wire).unwrap();
        if !shares {
            same(&Frame { penetration: never.frame().penetration, ..seen(&world) }, &seen(&never), &name, &never);
        }
    }
}

/// What lies on something that is taken away falls: its centre goes with g.
#[test]
fn what_lay_on_it_falls() {
    for body in every_model() {
        let name = body.name().to_string();
        let mut world = World::new(Vec3::Z * -G);
        let wire = world.add_body(body).unwrap();
        let floor = obstacle(&mut world, "floor", ShapeKind::Plane, Vec3::Z * (HEIGHT - 0.01));
        obstacle(&mut world, "deep floor", ShapeKind::Plane, Vec3::Z * -5.0);
        run(&mut world, 200);
        assert!(!world.frame().contacts.is_empty(), "{name}");
        world.remove_obstacle(floor).unwrap();
        assert!(world.frame().contacts.is_empty(), "{name}");
        let height = |world: &World| world.body(wire).unwrap().moments().centre.z;
        let places = [0, 50, 50].map(|steps| {
            run(&mut world, steps);
            height(&world)
        });
        let found = (places[2] - 2.0 * places[1] + places[0]) / (50.0 * STEP).powi(2);
        // velocities of cables lag by a part of a step, for as long as links swing
        let slack = if matches!(world.body(wire), Ok(Body::Cable(_))) { 1e-4 } else { 1e-6 };
        assert!((found / -G - 1.0).abs() < slack, "{name} falls with {found}");
    }
}

/// A body that is taken out of one world goes on in another, whatever it touched there, and whoever pushed, held or loaded it.
#[test]
fn a_body_moves_to_another_world() {
    let mut world = heap();
    run(&mut world, 100);
    while let Ok(handle) = world.body_at(0) {
        let body = world.remove_body(handle).unwrap();
        let (name, mut empty) = (body.name().to_string(), World::new(Vec3::ZERO));
        let handle = empty.add_body(body).unwrap();
        let centre = |empty: &World| empty.body(handle).unwrap().moments().centre;
        let places = [0, 20, 20].map(|steps| {
            run(&mut empty, steps);
            assert!(empty.frame().contacts.is_empty(), "{name}");
            centre(&empty)
        });
        let rate = (places[2] - 2.0 * places[1] + places[0]) / (20.0 * STEP).powi(2);
        // velocities of cables lag by a part of a step, for as long as links swing
        assert!(rate.length() < 1e-4 * G, "nothing pushes {name}, and it goes with {rate} m/s2");
        run(&mut world, 5);
    }
}

/// Solids and rods of the model `elastica` are pulled to a gripper at once: that takes work, which is the grip's.
#[test]
fn a_grip_that_snaps_between_steps_does_the_work() {
    for body in every_model() {
        if !matches!(body, Body::Elastica(_) | Body::Lattice(_) | Body::Response(_)) {
            continue;
        }
        let name = body.name().to_string();
        for steps in [0, 20] {
            let mut world = World::new(Vec3::ZERO);
            let wire = world.add_body(body.clone()).unwrap();
            let hand = hand(&mut world, "hand", Vec3::Z * (HEIGHT + 1e-3));
            run(&mut world, steps);
            let grip = GripParams { snap: true, ..GripParams::new(hand, wire, Place::Node(0), Hold::Position) };
            world.add_grip(grip).unwrap();
            run(&mut world, 200);
            let created = world.accounts()[0].created;
            let held = world.body(wire).unwrap().place_pose(Place::Node(0)).unwrap().translation;
            assert!(held.distance(Vec3::Z * (HEIGHT + 1e-3)) < 1e-4, "{name}: held at {held}");
            assert!(created <= 1e-3 * world.accounts()[0].work.grips.abs(), "{name}: {created} J of nothing");
        }
    }
}

#[test]
fn snapshots_hold_grips_loads_and_drives() {
    for body in every_model() {
        let name = body.name().to_string();
        let mut world = one_of_each(&body);
        let (wire, hand, floor) =
            (world.body_at(0).unwrap(), world.gripper_at(0).unwrap(), world.obstacle_at(0).unwrap());
        let (early, load) = (world.grips().next().unwrap().0, world.loads().next().unwrap().0);
        let driven = Drive::Velocity { linear: Vec3::Z * 0.02, angular: Vec3::Y * 0.1 };
        let sinks = Drive::Velocity { linear: Vec3::Z * -0.01, angular: Vec3::ZERO };
        world.drive(hand, driven).unwrap();
        world.drive_obstacle(floor, sinks).unwrap();
        run(&mut world, 30);
        let (before, then) = (world.snapshot(), world.frame());
        run(&mut world, 30);
        let straight = (world.snapshot(), world.frame());
        world.restore(&before).unwrap();
        // everything else is done now
        world.release(early).unwrap();
        world.set_load(load, Vec3::Y * 0.01, Vec3::ZERO).unwrap();
        world.drive(hand, Drive::Prescribed).unwrap();
        world.drive_obstacle(floor, Drive::Prescribed).unwrap();
        run(&mut world, 10);
        world.remove_load(load).unwrap();
        let late = world.grasp(hand, wire, Place::Node(2), Hold::Position).unwrap();
        let other = world.add_load(Load::new(wire, Place::Node(1), Vec3::X * 0.02)).unwrap();
        run(&mut world, 10);
        gone(world.grip(early), "grip");
        gone(world.load(load), "load");
        let after = world.snapshot();
        assert!(after != before && after != straight.0, "{name}");
        // and taken back
        world.restore(&before).unwrap();
        assert_eq!(world.frame(), then, "{name}");
        gone(world.grip(late), "grip");
        gone(world.load(other), "load");
        assert!(world.grip(early).unwrap().anchor.is_some(), "{name}");
        assert_eq!(world.load(load).unwrap().force, Vec3::X * 0.01);
        assert_eq!((world.gripper(hand).unwrap().drive, world.obstacle(floor).unwrap().drive), (driven, sinks));
        run(&mut world, 30);
        assert_eq!((world.snapshot(), world.frame()), straight, "{name}");
        // and forward again
        world.restore(&after).unwrap();
        gone(world.grip(early), "grip");
        assert_eq!(world.grip(late).unwrap().params.place, Place::Node(2));
        assert_eq!(world.load(other).unwrap().place, Place::Node(1));
    }
}

/// A snapshot from before the first step, too.
#[test]
fn a_snapshot_from_the_start_can_be_put_back() {
    for body in every_model() {
        let mut world = one_of_each(&body);
        let start = world.snapshot();
        world.restore(&start).unwrap();
        run(&mut world, 20);
        let straight = world.frame();
        world.restore(&start).unwrap();
        run(&mut world, 20);
        assert_eq!(world.frame(), straight, "{}", body.name());
    }
}

/// One whose parts were exchanged since is no longer one of this world.
#[test]
fn a_snapshot_of_other_parts_is_refused() {
    let mut world = heap();
    run(&mut world, 10);
    let before = world.snapshot();
    let ball = world.obstacle_named("ball").unwrap();
    world.remove_obstacle(ball).unwrap();
    assert_eq!(world.restore(&before), Err(BuildError::ForeignSnapshot));
    obstacle(&mut world, "ball", ShapeKind::Sphere { radius: 0.05 }, Vec3::X);
    assert_eq!(world.restore(&before), Err(BuildError::ForeignSnapshot));
    // nor one of a world with other names
    let mut other = World::new(Vec3::Z * -G);
    obstacle(&mut other, "ground", ShapeKind::Plane, Vec3::ZERO);
    let mut alike = World::new(Vec3::Z * -G);
    obstacle(&mut alike, "floor", ShapeKind::Plane, Vec3::ZERO);
    assert_eq!(alike.restore(&other.snapshot()), Err(BuildError::ForeignSnapshot));
    // nor one of a world with other sizes
    let balls = [0.1, 0.2].map(|radius| {
        let mut world = World::new(Vec3::Z * -G);
        obstacle(&mut world, "ball", ShapeKind::Sphere { radius }, Vec3::ZERO);
        world
    });
    let [mut small, large] = balls;
    assert_eq!(small.restore(&large.snapshot()), Err(BuildError::ForeignSnapshot));
    small.restore(&small.snapshot()).unwrap();
}

/// What is nowhere, and friction without a number, are refused where they are given.
#[test]
fn places_and_friction_that_are_no_numbers_are_refused() {
    let mut world = World::new(Vec3::Z * -G);
    let floor = obstacle(&mut world, "floor", ShapeKind::Plane, Vec3::ZERO);
    let nowhere = Pose::from_translation(Vec3::new(0.0, f64::NAN, 0.0));
    let shape = || Shape::new(ShapeKind::Plane).unwrap();
    let refused = |name: &str| BuildError::Pose { name: name.into() };
    assert_eq!(world.add_obstacle(ObstacleParams::fixed("wall", shape(), nowhere)), Err(refused("wall")));
    let hand = GripperParams { name: "hand".into(), placed: nowhere, motion: Motion::Hold };
    assert_eq!(world.add_gripper(hand), Err(refused("hand")));
    for coefficient in [f64::NAN, -0.1] {
        let friction = Some(pliant::Friction { coefficient, exponent: 1.0 });
        assert!(world.set_obstacle_friction(floor, friction).is_err());
    }
}
