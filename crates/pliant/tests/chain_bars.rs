//! The chain touches at any place of its segments: what lies between two points carries it, and does not pass.
#![allow(clippy::unwrap_used)]

use pliant::chain::{Chain, ChainSettings, ChainSpec, UpdateRule};
use pliant::contact::{Mesh, ObstacleParams, Shape, ShapeKind};

use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::{Motion, Window};
use pliant::{Body, EventKind, Friction, GripParams, GripperParams, Hold, Load, Material, Place, Section, World};

const G: f64 = 9.81;
const RADIUS: f64 = 3e-3;
const LENGTH: f64 = 0.3;

fn chain(path: &[Vec3], points: usize, friction: f64, young: f64, settings: ChainSettings) -> Body {
    let friction = Friction { coefficient: friction, exponent: 1.0 };
    let material = Material { young, poisson: 0.5, density: 1100.0, friction };
    let section = Section::Round { radius: RADIUS };
    let spec = ChainSpec { material, section, path: path.to_vec(), points: Some(points), settings };
    Body::Chain(Chain::new("rod", spec).unwrap())
}

fn weight() -> f64 {
    1100.0 * Section::Round { radius: RADIUS }.area() * LENGTH * G
}

fn damped() -> ChainSettings {
    ChainSettings { drag: 5.0, ..ChainSettings::default() }
}

/// A bar of 2 mm along y, whose top is at z = 0.
fn bars() -> [(&'static str, ShapeKind, Pose); 3] {
    let size = Vec3::new(2e-3, 0.2, 2e-3);
    let below = Pose::from_translation(Vec3::Z * -1e-3);
    let solid = Shape::new(ShapeKind::Box { size }).unwrap();
    let Mesh { vertices, triangles } = solid.outline();
    let lying = Pose::from_parts(Vec3::Z * -1e-3, Quat::from_rotation_x(std::f64::consts::FRAC_PI_2));
    [
        ("box", ShapeKind::Box { size }, below),
        ("capsule", ShapeKind::Capsule { radius: 1e-3, length: 0.2 }, lying),
        ("mesh", ShapeKind::Mesh(Mesh { vertices, triangles }), below),
    ]
}

/// Put a bar at x, in a world that is turned by `turn`.
fn add_bar(world: &mut World, (kind, placed): (&ShapeKind, &Pose), x: f64, turn: Quat, motion: Motion) {
    let placed = Pose::from_rotation(turn) * Pose::from_translation(Vec3::X * x) * *placed;
    let name = format!("bar at {x}");
    let shape = Shape::new(kind.clone()).unwrap();
    world.add_obstacle(ObstacleParams { name, shape, placed, motion, friction: None }).unwrap();
}

fn run(world: &mut World, seconds: f64, dt: f64) {
    (0..(seconds / dt).round() as usize).for_each(|_| world.step(dt).unwrap());
}

fn has_crossed(world: &World) -> bool {
    world.events().iter().any(|e| matches!(e.kind, EventKind::Crossed { .. }))
}

/// Force and moment about the origin of all contacts. The moment of a contact is about the place on the axis: forces
/// of friction act there, as a chain has no torsion.
fn carried(world: &World) -> (Vec3, Vec3) {
    let frame = world.frame();
    let nodes = &frame.bodies[0].nodes;
    let segment = LENGTH / (nodes.len() - 1) as f64;
    frame.contacts.iter().fold((Vec3::ZERO, Vec3::ZERO), |(force, moment), c| {
        let at = c.along.unwrap() / segment;
        let i = (at.floor() as usize).min(nodes.len() - 2);
        let place = nodes[i].lerp(nodes[i + 1], at - i as f64);
        (force + c.force, moment + place.cross(c.force))
    })
}

/// A rod over two bars that are between its points lies on them, and each carries what statics say: bars at -a and b
/// from its middle carry W b / (a + b) and W a / (a + b).
#[test]
fn bars_between_points_carry_the_rod() {
    let turn = Quat::from_euler(glamx::EulerRot::XYZ, 0.0, 0.0, 0.7);
    for (name, kind, placed) in &bars() {
        for points in [6, 11, 21] {
            let mut world = World::new(Vec3::Z * -G);
            let (a, b) = (0.081, 0.053);
            add_bar(&mut world, (kind, placed), -a, turn, Motion::Hold);
            add_bar(&mut world, (kind, placed), b, turn, Motion::Hold);
            let path = [-0.15, 0.15].map(|x| turn * Vec3::new(x, 0.0, RADIUS + 1e-3));
            world.add_body(chain(&path, points, 0.5, 5e8, ChainSettings { drag: 20.0, ..damped() })).unwrap();
            run(&mut world, 2.0, 1e-3);
            let frame = world.frame();
            let on = |x: f64| -> Vec3 {
                let near = |p: Vec3| (turn.inverse() * p).x - x;
                frame.contacts.iter().filter(|c| near(c.position).abs() < 5e-3).map(|c| c.force).sum()
            };
            let (left, right) = (on(-a), on(b));
            let (wanted_left, wanted_right) = (weight() * b / (a + b), weight() * a / (a + b));
            // a bar of 2 mm may be touched anywhere on its top: 1 mm of the lever of 134 mm
            let most = 0.01 * weight();
            assert!((left.z - wanted_left).abs() < most, "{name} {points}: {left} for {wanted_left}");
            assert!((right.z - wanted_right).abs() < most, "{name} {points}: {right} for {wanted_right}");
            let (force, moment) = carried(&world);
            assert!((force - Vec3::Z * weight()).length() < 1e-3 * weight(), "{name} {points}: {force}");
            // its weight acts at its centre of mass
            let masses: Vec<f64> = (0..points).map(|i| if i == 0 || i == points - 1 { 0.5 } else { 1.0 }).collect();
            let nodes = &frame.bodies[0].nodes;
            let centre = nodes.iter().zip(&masses).map(|(p, m)| *p * *m).sum::<Vec3>() / (points - 1) as f64;
            let rest = moment - centre.cross(Vec3::Z * weight());
            assert!(rest.length() < 1e-3 * weight() * LENGTH, "{name} {points}: {rest}");
        }
    }
}

/// A rod that falls on a bar at any speed and step does not pass it, soft or stiff, whichever place meets it, also at the
/// published rate of 25 Hz for obstacles.
#[test]
fn no_bar_passes_between_points() {
    for (name, kind, placed) in &bars() {
        for (speed, dt, young, rate, angle) in [
            (0.3, 1e-3, 5e6, 1000.0, 0.3),
            (3.0, 1e-3, 5e6, 1000.0, 0.0),
            (3.0, 5e-3, 5e6, 1000.0, -0.4),
            (5.0, 2e-4, 5e6, 1000.0, 0.2),
            (5.0, 1e-3, 5e8, 1000.0, 0.1),
            (5.0, 1e-3, 1e6, 1000.0, -0.2),
            (0.3, 1e-3, 5e7, 25.0, 0.2),
        ] {
            for at in [0.004, 0.0101, 0.049, 0.1] {
                let mut world = World::new(Vec3::Z * -G);
                // the bar rises into a rod at rest: the same as a fall
                let up = Motion::Glide { velocity: Vec3::Z * speed, acceleration: Vec3::ZERO, window: Window::ALWAYS };
                let turn = Quat::from_rotation_z(0.4);
                add_bar(&mut world, (kind, placed), at, turn, up);
                let tilt = turn * Quat::from_rotation_y(angle);
                let middle = Vec3::Z * (0.02 + 0.5 * angle.abs() * LENGTH);
                let path = [-0.15, 0.15].map(|x| middle + tilt * Vec3::X * x);
                let settings = ChainSettings { contact_rate: rate, ..damped() };
                world.add_body(chain(&path, 8, 0.3, young, settings)).unwrap();
                let mut lies = true;
                let seconds = 2.0 * middle.z / speed + 0.01;
                for _ in 0..(seconds / dt).ceil() as usize {
                    world.step(dt).unwrap();
                    let what = format!("{name} {speed} m/s, {dt} s, E {young}, {rate} Hz, at {at}");
                    assert!(!has_crossed(&world), "{what}: crossed at {} s", world.time());
                    let nodes: Vec<Vec3> = world.frame().bodies[0].nodes.iter().map(|p| turn.inverse() * *p).collect();
                    let bar = world.frame().obstacles[0].translation.z + 1e-3;
                    // the centre line where it is above the bar, until it has slid off
                    lies &= nodes[0].x < at && nodes[7].x > at;
                    for pair in nodes.windows(2).filter(|p| lies && (p[0].x - at) * (p[1].x - at) < 0.0) {
                        let z = pair[0].z + (pair[1].z - pair[0].z) * (at - pair[0].x) / (pair[1].x - pair[0].x);
                        assert!(z > bar, "{what}: {z} for {bar} at {} s", world.time());
                    }
                }
                // it has gone where the rod was
                assert!(world.frame().obstacles[0].translation.z > middle.z + 0.5 * angle.abs() * LENGTH);
            }
        }
    }
}

/// A rod drawn over two bars feels friction of mu times the weight, and the force of each contact stays in its cone
/// while the bars pass from segment to segment.
#[test]
fn a_rod_slides_over_bars_within_the_cone_of_friction() {
    let mu = 0.4;
    for (name, kind, placed) in &bars() {
        let mut world = World::new(Vec3::Z * -G);
        for x in [-0.07, 0.07] {
            add_bar(&mut world, (kind, placed), x, Quat::IDENTITY, Motion::Hold);
        }
        let path = [-0.15, 0.15].map(|x| Vec3::new(x, 0.0, RADIUS));
        world.add_body(chain(&path, 11, mu, 5e7, damped())).unwrap();
        let window = Window { start: 0.5, end: 2.5 };
        let motion = Motion::Glide { velocity: Vec3::X * 0.03, acceleration: Vec3::ZERO, window };
        world
            .add_gripper(GripperParams { name: "hand".into(), placed: Pose::from_translation(path[1]), motion })
            .unwrap();
        run(&mut world, 0.5, 1e-3);
        let (hand, rod) = (world.gripper_at(0).unwrap(), world.body_at(0).unwrap());
        world.add_grip(GripParams::new(hand, rod, Place::Fraction(1.0), Hold::Position)).unwrap();
        let (mut pull, mut normal, mut steps) = (0.0, 0.0, 0);
        let (mut rubbed, mut pressed) = (0.0, 0.0);
        for step in 0..1800 {
            world.step(1e-3).unwrap();
            let frame = world.frame();
            for c in &frame.contacts {
                let along = c.force.dot(c.normal);
                let slip = (c.force - c.normal * along).length();
                // each pushes as at the end of its last model step, and rubs as at its start: exact in a unit test
                (rubbed, pressed) = (rubbed + slip, pressed + along);
                assert!(along > -1e-3 * weight(), "{name}: {along} N at {} s", world.time());
            }
            if step > 300 {
                pull += frame.grippers[0].load.force.x;
                normal += frame.contacts.iter().map(|c| c.force.z).sum::<f64>();
                steps += 1;
            }
        }
        assert!(rubbed < 1.005 * mu * pressed, "{name}: {rubbed} for {pressed}");
        let (pull, normal) = (pull / f64::from(steps), normal / f64::from(steps));
        let drag = weight() / G * 5.0 * 0.03;
        assert!((pull.abs() - mu * normal - drag).abs() < 0.03 * mu * weight(), "{name}: {pull} for {normal} N");
    }
}

/// A bar that passes under a point hands the contact over to it and on without a jump of the height.
#[test]
fn a_bar_that_moves_along_the_rod_lifts_it_evenly() {
    for (name, kind, placed) in &bars() {
        let mut world = World::new(Vec3::Z * -G);
        for x in [-0.12, 0.12] {
            add_bar(&mut world, (kind, placed), x, Quat::IDENTITY, Motion::Hold);
        }
        let velocity = Vec3::X * 0.05;
        let glide = Motion::Glide { velocity, acceleration: Vec3::ZERO, window: Window { start: 0.5, end: 2.5 } };
        let higher = Pose::from_translation(Vec3::Z * 2e-3) * *placed;
        add_bar(&mut world, (kind, &higher), -0.05, Quat::IDENTITY, glide);
        let path = [-0.15, 0.15].map(|x| Vec3::new(x, 0.0, RADIUS + 3e-3));
        world.add_body(chain(&path, 11, 0.0, 5e7, damped())).unwrap();
        run(&mut world, 0.5, 1e-3);
        for _ in 0..2000 {
            world.step(1e-3).unwrap();
            assert!(!has_crossed(&world), "{name} at {} s", world.time());
        }
        run(&mut world, 1.5, 1e-3);
        let (force, _) = carried(&world);
        assert!((force.z / weight() - 1.0).abs() < 0.02, "{name}: {force}");
        let account = &world.accounts()[0];
        // the bar lifts it by 2 mm at the most: work W h
        assert!(account.created < 0.01 * weight() * 2e-3, "{name}: {}", account.created);
    }
}

/// On a floor the points alone carry the rod, as published: places between them would double its stiffness.
#[test]
fn a_floor_is_touched_by_points() {
    let mut world = World::new(Vec3::Z * -G);
    let shape = Shape::new(ShapeKind::Plane).unwrap();
    let turn = Quat::from_rotation_x(0.3);
    let placed = Pose::from_rotation(turn);
    let floor = ObstacleParams { name: "floor".into(), shape, placed, motion: Motion::Hold, friction: None };
    world.add_obstacle(floor).unwrap();
    let path = [-0.15, 0.15].map(|x| turn * Vec3::new(x, 0.0, RADIUS));
    let settings = ChainSettings { update: UpdateRule::Dynamics, ..damped() };
    world.add_body(chain(&path, 11, 1.0, 5e6, settings)).unwrap();
    run(&mut world, 0.5, 1e-3);
    let frame = world.frame();
    let segment = LENGTH / 10.0;
    let off = |along: f64| (along / segment - (along / segment).round()).abs();
    assert_eq!(frame.contacts.len(), 11);
    assert!(frame.contacts.iter().all(|c| off(c.along.unwrap()) < 1e-9));
}

/// Euler and Eytelwein: a rod drawn over half of a fixed drum needs e^(mu pi) times the tension at its other end, at any
/// number of points, though its chords are nearer to the drum than its points.
#[test]
fn a_rod_slides_over_a_drum_as_euler_says() {
    let (mu, drum, tension, thin) = (0.3, 0.05, 1.0, 1e-3);
    let round = drum + thin;
    let arc = (0..=24).map(|k| std::f64::consts::PI * f64::from(k) / 24.0);
    let arc = arc.map(|angle| Vec3::new(-angle.cos(), 0.0, angle.sin()) * round);
    let tails = [Vec3::new(-round, 0.0, -0.05), Vec3::new(round, 0.0, -0.05)];
    let path: Vec<Vec3> = [tails[0]].into_iter().chain(arc).chain([tails[1]]).collect();
    let turned = Quat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    for points in [33, 41, 61] {
        let mut world = World::new(Vec3::ZERO);
        let shape = Shape::new(ShapeKind::Cylinder { radius: drum, length: 0.1 }).unwrap();
        world.add_obstacle(ObstacleParams::fixed("drum", shape, Pose::from_rotation(turned))).unwrap();
        let friction = Friction { coefficient: mu, exponent: 1.0 };
        let material = Material { young: 2e7, poisson: 0.5, density: 1100.0, friction };
        let section = Section::Round { radius: thin };
        let settings = ChainSettings { drag: 20.0, ..ChainSettings::default() };
        let spec = ChainSpec { material, section, path: path.clone(), points: Some(points), settings };
        let rod = world.add_body(Body::Chain(Chain::new("rod", spec).unwrap())).unwrap();
        let motion = Motion::Glide { velocity: Vec3::Z * -0.03, acceleration: Vec3::ZERO, window: Window::ALWAYS };
        let placed = Pose::from_translation(tails[1]);
        let hand = world.add_gripper(GripperParams { name: "hand".into(), placed, motion }).unwrap();
        world.add_grip(GripParams::new(hand, rod, Place::Fraction(1.0), Hold::Position)).unwrap();
        world.add_load(Load::new(rod, Place::Node(0), Vec3::Z * -tension)).unwrap();
        run(&mut world, 0.7, 1e-3);
        let mut pull = 0.0;
        for _ in 0..300 {
            world.step(1e-3).unwrap();
            pull += world.frame().grippers[0].load.force.z.abs() / 300.0;
            assert!(!has_crossed(&world), "{points} points at {} s", world.time());
        }
        let expected = tension * (mu * std::f64::consts::PI).exp();
        println!("{points} points: {pull} for {expected}");
        // stiffness in bending adds E I / (R^2 T), 0.6 %; corners of the polygon theta^2 / 12 and less
        assert!((pull / expected - 1.0).abs() < 0.03, "{points} points: {pull} for {expected}");
    }
}
