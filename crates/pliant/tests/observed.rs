//! What can be read of rods, against closed forms: curvature of a circle, tension of what hangs, forces of obstacles; and events of
//! bodies that touch each other or themselves.
#![allow(clippy::unwrap_used)]

use std::f64::consts::PI;

use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec};
use pliant::chain::{Chain, ChainSettings, ChainSpec};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::elastica::{Elastica, ElasticaSettings, ElasticaSpec};
use pliant::math::{Pose, Vec3};
use pliant::motion::Motion;
use pliant::xpbd::{Xpbd, XpbdSettings, XpbdSpec};
use pliant::{
    Body, EventKind, Frame, Friction, GripParams, GripperParams, Hold, Load, Material, Place, Section, World,
};

const G: f64 = 9.81;
const ROUND: Section = Section::Round { radius: 2e-3 };
const RUBBER: Material = Material { young: 4.462e6, poisson: 0.4999, density: 1100.0, friction: Friction::NONE };
const SEGMENTS: usize = 40;

fn cable_of(name: &str, path: Vec<Vec3>, rest: Rest, settings: CableSettings) -> Body {
    let spec = CableSpec { material: RUBBER, section: ROUND, path, normal: None, rest, segments: SEGMENTS, settings };
    Body::Cable(Cable::new(name, spec).unwrap())
}

fn damped() -> CableSettings {
    CableSettings { damping_time: 0.02, drag: 10.0, ..CableSettings::default() }
}

fn straight(from: Vec3, to: Vec3) -> Body {
    cable_of("wire", vec![from, to], Rest::Straight, damped())
}

/// One of each model of rods along a path.
fn rods(path: &[Vec3]) -> [Body; 4] {
    let (material, section, path) = (RUBBER, ROUND, || path.to_vec());
    let (points, settings) = (Some(SEGMENTS + 1), ChainSettings::default());
    let chain = ChainSpec { material, section, path: path(), points, settings };
    let xpbd = XpbdSpec { material, section, path: path(), segments: SEGMENTS, settings: XpbdSettings::default() };
    let elastica = ElasticaSpec {
        material,
        section,
        path: path(),
        normal: None,
        rest: Rest::Straight,
        intervals: SEGMENTS,
        settings: ElasticaSettings::default(),
    };
    [
        Body::Chain(Chain::new("chain", chain).unwrap()),
        cable_of("cable", path(), Rest::Straight, CableSettings::default()),
        Body::Xpbd(Xpbd::new("xpbd", xpbd).unwrap()),
        Body::Elastica(Elastica::new("elastica", elastica).unwrap()),
    ]
}

fn hold(world: &mut World, fraction: f64, hold: Hold) {
    let place = Place::Fraction(fraction);
    let placed = world.bodies()[0].place_pose(place).unwrap();
    let name = format!("hand at {fraction}");
    let gripper = world.add_gripper(GripperParams { name, placed, motion: Motion::Hold }).unwrap();
    world.add_grip(GripParams::new(gripper, world.body_at(0).unwrap(), place, hold)).unwrap();
}

fn field<'a>(frame: &'a Frame, body: usize, name: &str) -> &'a [f64] {
    &frame.bodies[body].fields.iter().find(|field| field.name == name).unwrap().values
}

fn weight() -> f64 {
    G * RUBBER.density * ROUND.area() * 0.4
}

/// A circle of radius R has the curvature 1/R. Links are chords: over an angle a each, theirs is too great by a^2/24.
#[test]
fn an_arc_has_the_curvature_of_its_circle() {
    let radius = 0.25;
    let arc: Vec<Vec3> =
        (0..=4000).map(|i| PI * f64::from(i) / 4000.0).map(|a| radius * Vec3::new(a.cos(), 0.0, a.sin())).collect();
    let error = (PI / SEGMENTS as f64).powi(2) / 24.0;
    for rod in rods(&arc) {
        let mut world = World::new(Vec3::ZERO);
        let model = rod.model();
        world.add_body(rod).unwrap();
        let frame = world.frame();
        let curvature = field(&frame, 0, "curvature");
        assert_eq!(curvature.len(), SEGMENTS + 1);
        for k in &curvature[1..SEGMENTS] {
            assert!((k * radius - 1.0).abs() < 2.0 * error, "{model}: {k} for {}", 1.0 / radius);
        }
    }
}

/// A moment M at the free end bends a clamped cable to the curvature M/EI everywhere, also where the gripper holds it.
#[test]
fn a_moment_bends_evenly_up_to_the_jaws() {
    let mut world = World::new(Vec3::ZERO);
    // critically damped in its lowest mode
    let settings = CableSettings { drag: 2.8, ..damped() };
    world.add_body(cable_of("wire", vec![Vec3::ZERO, Vec3::X * 0.4], Rest::Straight, settings)).unwrap();
    hold(&mut world, 0.0, Hold::Clamp);
    let (moment, place) = (1e-4, Place::Fraction(1.0));
    let (force, torque) = (Vec3::ZERO, Vec3::Y * -moment);
    world.add_load(Load { torque, ..Load::new(world.body_at(0).unwrap(), place, force) }).unwrap();
    (0..3000).for_each(|_| world.step(5e-3).unwrap());
    let frame = world.frame();
    let expected = moment / (RUBBER.young * ROUND.second_moments()[0]);
    for (node, k) in field(&frame, 0, "curvature").iter().enumerate() {
        assert!((k / expected - 1.0).abs() < 1e-4, "node {node}: {k} for {expected}");
    }
    let carried = field(&frame, 0, "bending moment")[0];
    assert!((carried / moment - 1.0).abs() < 1e-4, "{carried}");
}

/// What hangs carries the weight of all that is below: at its top all of it, half of it half-way, and so on.
#[test]
fn the_tension_of_what_hangs_is_the_weight_below() {
    // held at its start or at its end
    for (top, down) in [(0, 1.0), (SEGMENTS, -1.0)] {
        let (high, low) = (Vec3::ZERO, Vec3::Z * -0.4);
        let (from, to) = if down > 0.0 { (high, low) } else { (low, high) };
        let mut world = World::new(Vec3::Z * -G);
        world.add_body(straight(from, to)).unwrap();
        hold(&mut world, if down > 0.0 { 0.0 } else { 1.0 }, Hold::Position);
        (0..3000).for_each(|_| world.step(5e-3).unwrap());
        let frame = world.frame();
        let tension = field(&frame, 0, "tension");
        for depth in 0..SEGMENTS {
            let node = if down > 0.0 { depth } else { top - depth };
            let below = weight() * (1.0 - depth as f64 / SEGMENTS as f64);
            assert!((tension[node] / below - 1.0).abs() < 1e-6, "node {node}: {} for {below}", tension[node]);
        }
    }
}

/// A floor bears what lies on it, each body's weight and all together.
#[test]
fn a_floor_bears_the_weight() {
    let mut world = World::new(Vec3::Z * -G);
    let (shape, placed) = (Shape::new(ShapeKind::Plane).unwrap(), Pose::IDENTITY);
    let floor = ObstacleParams { name: "floor".into(), shape, placed, motion: Motion::Hold, friction: None };
    world.add_obstacle(floor).unwrap();
    for (name, y, length) in [("long", 0.0, 0.4), ("short", 0.1, 0.2)] {
        let path = vec![Vec3::new(0.0, y, 2.1e-3), Vec3::new(length, y, 2.1e-3)];
        world.add_body(cable_of(name, path, Rest::Straight, damped())).unwrap();
    }
    (0..400).for_each(|_| world.step(5e-3).unwrap());
    let frame = world.frame();
    for (body, expected) in [(Some(0), weight()), (Some(1), 0.5 * weight()), (None, 1.5 * weight())] {
        let force = frame.force_of_obstacle(0, body);
        assert!((force - Vec3::Z * expected).length() < 1e-6 * expected, "{force} for {expected}");
    }
}

/// Events of a run, with their times.
fn run(world: &mut World, steps: usize) -> Vec<(f64, EventKind)> {
    let mut events = vec![];
    for _ in 0..steps {
        world.step(5e-3).unwrap();
        events.extend(world.events().iter().map(|e| (e.time, e.kind)));
    }
    events
}

/// A hairpin is pressed together, and opens again when the load is taken away; there is no obstacle.
#[test]
fn a_cable_that_touches_itself_says_so() {
    let bend =
        (0..=20).map(|i| PI * f64::from(i) / 20.0).map(|a| Vec3::new(0.1 + 0.01 * a.sin(), 0.0, 0.01 - 0.01 * a.cos()));
    let path: Vec<Vec3> = std::iter::once(Vec3::ZERO).chain(bend).chain([Vec3::new(0.02, 0.0, 0.02)]).collect();
    let mut world = World::new(Vec3::ZERO);
    world.add_body(cable_of("wire", path, Rest::Path, damped())).unwrap();
    hold(&mut world, 0.0, Hold::Clamp);
    let (place, force, torque) = (Place::Fraction(1.0), Vec3::Z * -0.02, Vec3::ZERO);
    world.add_load(Load { torque, until: 1.0, ..Load::new(world.body_at(0).unwrap(), place, force) }).unwrap();
    let middle = run(&mut world, 100);
    assert!(matches!(middle[..], [.., (_, EventKind::Met { body: 0, other: 0 })]), "{middle:?}");
    assert!(world.frame().contacts.iter().any(|c| c.other == pliant::Other::Body(0)));
    let snapshot = world.snapshot();
    let after = run(&mut world, 300);
    assert!(matches!(after[..], [(time, EventKind::Separated { body: 0, other: 0 })] if time > 1.0), "{after:?}");
    world.restore(&snapshot).unwrap();
    assert_eq!(run(&mut world, 300), after, "what touches is part of a snapshot");
}

/// A cable falls across another one that is held at both ends.
#[test]
fn cables_that_meet_say_so() {
    let mut world = World::new(Vec3::Z * -G);
    world.add_body(straight(Vec3::X * -0.2, Vec3::X * 0.2)).unwrap();
    [0.0, 1.0].into_iter().for_each(|end| hold(&mut world, end, Hold::Clamp));
    let above = [-0.2, 0.2].map(|y| Vec3::new(0.0, y, 0.02)).to_vec();
    world.add_body(cable_of("rope", above, Rest::Straight, damped())).unwrap();
    let events = run(&mut world, 60);
    let met = events.iter().find(|e| matches!(e.1, EventKind::Met { body: 0, other: 1 })).unwrap();
    // both fall or sag, so not before 2 (d - 2 r) = g t^2 of the upper one alone
    assert!(met.0 > (2.0 * 0.016 / G).sqrt(), "{met:?}");
}
