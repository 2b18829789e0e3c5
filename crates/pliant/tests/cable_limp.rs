//! Cables so limp that their links are held by tension and contact alone, on a drum with strong friction: they slide at the
//! force of the capstan without chatter, and stay where they are held.
#![allow(clippy::unwrap_used)]

use std::f64::consts::{FRAC_PI_2, PI};

use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::{Motion, Window};
use pliant::{
    Body, BodyId, Friction, GripParams, GripperParams, Hold, Load, Material, Place, Rigidities, Section, World,
};

const RADIUS: f64 = 2e-3;
const DRUM: f64 = 0.02;
const MU: f64 = 0.8;
const LEG: f64 = 0.06;
const LINK: f64 = 4e-3;

/// A cable of bending stiffness EI [N m2] that touches a drum over an angle, with legs tangential to it. A weight of 1 N
/// pulls at its start.
fn over_drum(ei: f64, wrap: f64, gravity: f64) -> (World, BodyId, [Vec3; 2]) {
    let mut world = World::new(Vec3::Z * -gravity);
    let at = |a: f64| Vec3::new(a.cos(), 0.0, a.sin()) * (DRUM + 1.01 * RADIUS);
    let along = |a: f64| Vec3::new(-a.sin(), 0.0, a.cos());
    let mut path = vec![at(0.0) - along(0.0) * LEG];
    path.extend((0..=80).map(|k| at(wrap * f64::from(k) / 80.0)));
    path.push(at(wrap) + along(wrap) * LEG);
    let length: f64 = path.windows(2).map(|w| w[0].distance(w[1])).sum();
    let friction = Friction { coefficient: MU, exponent: 1.0 };
    let rigidities = Rigidities { radius: RADIUS, mass_per_length: 0.0138, ea: 1e4, ga: 1e4, ei: [ei; 2], gj: ei };
    let spec = CableSpec {
        material: Material { young: 1e9, poisson: 0.3, density: 1000.0, friction },
        section: Section::Explicit(rigidities),
        path,
        normal: None,
        rest: Rest::Straight,
        segments: (length / LINK).round() as usize,
        settings: CableSettings { drag: 5.0, ..CableSettings::default() },
    };
    let wire = world.add_body(Body::Cable(Cable::new("wire", spec).unwrap())).unwrap();
    let shape = Shape::new(ShapeKind::Cylinder { radius: DRUM, length: 0.2 }).unwrap();
    let placed = Pose::from_parts(Vec3::ZERO, Quat::from_rotation_x(FRAC_PI_2));
    let name = "drum".into();
    world.add_obstacle(ObstacleParams { name, shape, placed, motion: Motion::Hold, friction: None }).unwrap();
    world.add_load(Load::new(wire, Place::Fraction(0.0), Vec3::NEG_Z)).unwrap();
    (world, wire, [at(wrap) + along(wrap) * LEG, along(wrap)])
}

/// The same over a quarter of a turn, drawn by a hand from 0.2 to 1.2 s, which then holds it.
fn drawn(ei: f64) -> World {
    let (mut world, wire, [end, along]) = over_drum(ei, FRAC_PI_2, 0.0);
    let window = Window { start: 0.2, end: 1.2 };
    let motion = Motion::Glide { velocity: along * 0.01, acceleration: Vec3::ZERO, window };
    let placed = Pose::from_translation(end);
    let hand = world.add_gripper(GripperParams { name: "hand".into(), placed, motion }).unwrap();
    world.add_grip(GripParams::new(hand, wire, Place::Fraction(1.0), Hold::Position)).unwrap();
    world
}

fn pull(world: &World) -> f64 {
    world.grippers()[0].load.force.length()
}

/// Growth of the tension of a sliding cable without bending stiffness, per angle. Friction f acts on its surface, so that
/// its moment r f is balanced by a shear force V = r f. With the curvature k of its axis and the normal force n, per length,
///
///   T' = f - k V,   n = k T - V',   f = mu n,
///
/// whose solution grows by e^(l k s) with l (1 + mu k r l) = mu (1 - k r).
fn growth() -> f64 {
    let thickness = RADIUS / (DRUM + RADIUS);
    let (a, b) = (MU * thickness, MU * (1.0 - thickness));
    ((1.0 + 4.0 * a * b).sqrt() - 1.0) / (2.0 * a)
}

#[test]
fn limp_cables_slide_at_the_force_of_the_capstan_without_chatter() {
    let expected = (growth() * FRAC_PI_2).exp();
    for dt in [0.01, 0.005, 0.002] {
        let mut world = drawn(1e-8);
        // a link touches the drum, or does not: where the cable leaves it, half the angle of one may be missing
        let link = (growth() * 0.5 * LINK / (DRUM + RADIUS)).exp();
        let (mut sum, mut count, mut outside) = (0.0, 0.0, 0.0);
        while world.time() < 1.2 - 0.5 * dt {
            world.step(dt).unwrap();
            if world.time() > 0.7 {
                let force = pull(&world);
                outside += if force > expected / link && force < expected * link { 0.0 } else { 1.0 };
                (sum, count) = (sum + force, count + 1.0);
            }
        }
        let mean: f64 = sum / count;
        assert!((mean / expected - 1.0).abs() < 0.01, "{dt} s: {mean} N for {expected} N");
        // at 5 ms one step of a hundred is a blow of a link that comes on to the drum
        assert!(outside <= 0.02 * count, "{dt} s: {outside} steps of {count} are far from {expected} N");
    }
}

#[test]
fn limp_cables_that_are_held_do_not_creep() {
    for (ei, dt) in [(1e-8, 0.01), (1e-8, 0.005), (1e-8, 0.002), (1e-8, 0.001), (1e-6, 0.01), (1e-5, 0.01)] {
        let mut world = drawn(ei);
        while world.time() < SETTLED {
            world.step(dt).unwrap();
        }
        let nodes = |world: &World| world.frame().bodies[0].nodes.clone();
        let (start, created) = (nodes(&world), world.frame().bodies[0].account.created);
        let mut range = [f64::INFINITY, 0.0_f64];
        while world.time() < SETTLED + 60.0 {
            world.step(dt).unwrap();
            range = [range[0].min(pull(&world)), range[1].max(pull(&world))];
        }
        let crept = start.iter().zip(nodes(&world)).map(|(a, b)| a.distance(b)).fold(0.0, f64::max);
        assert!(crept < 1e-6, "EI = {ei}, {dt} s: crept by {crept} m");
        assert!(range[1] - range[0] < 1e-3 * range[0], "EI = {ei}, {dt} s: {range:?} N");
        // more than the weight on the other side: it was drawn, and friction holds the difference
        assert!(range[0] > 1.1, "EI = {ei}, {dt} s: {range:?} N");
        assert_eq!(world.frame().bodies[0].account.created, created, "EI = {ei}, {dt} s");
    }
}

/// Time until waves have died out, after the hand has stopped [s].
const SETTLED: f64 = 5.0;

/// Over half a turn, with 1 N at one end and 2 N at the other, and e^(0.8 pi) more than enough to hold it. Nothing would resist
/// its rolling along the drum, and it does not.
#[test]
fn limp_cables_with_a_weight_at_each_end_stay_on_the_drum() {
    for (ei, dt) in [(1e-8, 0.01), (1e-8, 0.005), (1e-8, 0.001), (1e-6, 0.01), (2e-5, 0.002), (2e-5, 0.001)] {
        let (mut world, wire, _) = over_drum(ei, PI, 9.81);
        world.add_load(Load::new(wire, Place::Fraction(1.0), Vec3::Z * -2.0)).unwrap();
        while world.time() < SETTLED {
            world.step(dt).unwrap();
        }
        let nodes = |world: &World| world.frame().bodies[0].nodes.clone();
        let start = nodes(&world);
        while world.time() < SETTLED + 60.0 {
            world.step(dt).unwrap();
        }
        let crept = start.iter().zip(nodes(&world)).map(|(a, b)| a.distance(b)).fold(0.0, f64::max);
        assert!(crept < 1e-6, "EI = {ei}, {dt} s: crept by {crept} m");
    }
}

/// Rubber wires above each other on a floor, at angles [rad] to each other, or side by side across a bar.
fn bundle(young: f64, radius: f64, length: f64, segments: usize, friction: f64, angles: &[f64]) -> World {
    let mut world = World::new(Vec3::NEG_Z * 9.81);
    let friction = Friction { coefficient: friction, exponent: 1.0 };
    let material = Material { young, poisson: 0.45, density: 1100.0, friction };
    let crossed = angles.iter().any(|angle| *angle != 0.0);
    for (n, angle) in angles.iter().enumerate() {
        let (row, above) = ((n % 3) as f64, (n / 3) as f64);
        let [across, height] =
            if crossed { [0.0, 1.2 + 2.1 * n as f64] } else { [2.04 * (row + 0.5 * above), 1.1 + 1.9 * above] };
        let middle = Vec3::new(0.0, across, height) * radius;
        let half = Vec3::new(angle.cos(), angle.sin(), 0.0) * (0.5 * length);
        let spec = CableSpec {
            material,
            section: Section::Round { radius },
            path: vec![middle - half, middle + half],
            normal: None,
            rest: Rest::Straight,
            segments,
            settings: CableSettings::default(),
        };
        world.add_body(Body::Cable(Cable::new(&format!("wire {n}"), spec).unwrap())).unwrap();
    }
    let mut add = |name: &str, kind: ShapeKind, height: f64| {
        let placed = Pose::from_translation(Vec3::Z * height);
        let shape = Shape::new(kind).unwrap();
        world
            .add_obstacle(ObstacleParams { name: name.into(), shape, placed, motion: Motion::Hold, friction: None })
            .unwrap();
    };
    add("floor", ShapeKind::Plane, if crossed { 0.0 } else { -10.0 * radius });
    if !crossed {
        add("bar", ShapeKind::Box { size: Vec3::new(6.0, 40.0, 2.0) * radius }, -radius);
    }
    world.enforce_accounts(true);
    world
}

#[test]
fn limp_wires_that_fall_on_each_other_stay_apart() {
    let crossed = [0.469, -0.429, -0.411, 0.117, -0.234, 0.368];
    let cases = [
        (bundle(1.29e5, 3.25e-3, 0.3095, 42, 0.8, &crossed), 0.005, 3.25e-3),
        (bundle(2.756e5, 1.8965e-3, 0.2654, 15, 0.2, &[0.0; 4]), 0.01, 1.8965e-3),
        (bundle(2.756e5, 1.8965e-3, 0.2654, 30, 0.2, &[0.0; 5]), 0.005, 1.8965e-3),
    ];
    for (n, (mut world, dt, radius)) in cases.into_iter().enumerate() {
        let mut deepest: f64 = 0.0;
        while world.time() < 0.4 {
            world.step(dt).unwrap_or_else(|e| panic!("case {n}: {e}"));
            deepest = deepest.max(world.frame().penetration);
        }
        assert!(deepest < 0.1 * radius, "case {n}: {deepest} m deep of {radius}");
    }
}
