//! Cables that are pulled hard over each other: joints are stretched wide open and bent, and nothing goes through them.
#![allow(clippy::unwrap_used)]

use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec};
use pliant::math::{Pose, Vec3};
use pliant::motion::{Blend, Motion, Waypoint};
use pliant::{Body, EventKind, Friction, GripParams, GripperParams, Hold, Material, Place, Section, World};

const RADIUS: f64 = 2e-3;
const LENGTH: f64 = 0.3;

/// How long hands pull, and how long they hold then [s].
const TIMES: [f64; 2] = [0.5, 0.3];

fn cable(name: &str, young: f64, path: Vec<Vec3>, segments: usize) -> Body {
    let friction = Friction { coefficient: 0.3, exponent: 1.0 };
    let material = Material { young, poisson: 0.45, density: 1100.0, friction };
    let (section, settings) = (Section::Round { radius: RADIUS }, CableSettings::default());
    let spec = CableSpec { material, section, path, normal: None, rest: Rest::Straight, segments, settings };
    Body::Cable(Cable::new(name, spec).unwrap())
}

/// A hand that takes an end of a cable from one place to another.
fn hand(world: &mut World, body: usize, fraction: f64, [from, to]: [Vec3; 2]) {
    let body = world.body_at(body).unwrap();
    let waypoint = |time: f64, position: Vec3| Waypoint { time, position, orientation: None };
    let waypoints = vec![waypoint(0.0, from), waypoint(TIMES[0], to)];
    let motion = Motion::Waypoints { blend: Blend::MinimumJerk, waypoints };
    let (name, placed) = (format!("hand {}", world.grippers().len()), Pose::from_translation(from));
    let gripper = world.add_gripper(GripperParams { name, placed, motion }).unwrap();
    world.add_grip(GripParams::new(gripper, body, Place::Fraction(fraction), Hold::Position)).unwrap();
}

/// Run until the hands have held for a while. Nothing may have crossed; returns how hard the first hand pulls [N], and how deep
/// cables are in each other [m].
fn pull(world: &mut World, step: f64, what: &str) -> [f64; 2] {
    for _ in 0..((TIMES[0] + TIMES[1]) / step).round() as usize {
        world.step(step).unwrap();
        let crossed = world.events().iter().find(|e| matches!(e.kind, EventKind::Crossed { .. }));
        assert!(crossed.is_none(), "{what}: {crossed:?}");
    }
    let frame = world.frame();
    [frame.grippers[0].load.force.length(), frame.penetration]
}

/// The ends of the upper cable go down until both are stretched; links are longer than the gap between the cables, about as long
/// as they are thick, and shorter.
#[test]
fn a_cable_pulled_over_another_does_not_go_through_it() {
    let cases = [
        ([20, 30], 1e7, 1e-2, 90_f64, 0.5),
        ([30, 75], 1e8, 1e-3, 67.0, 0.5),
        ([30, 19], 1e8, 2e-3, 45.0, 0.5),
        ([75, 19], 1e7, 2e-3, 31.0, 0.8),
        ([160, 30], 1e8, 1e-2, 45.0, 0.5),
        ([19, 38], 1e8, 5e-3, 90.0, 0.8),
    ];
    for (segments, young, step, angle, strain) in cases {
        let what = format!("{segments:?} segments, {young} Pa, {step} s, {angle} degrees, {strain}");
        let mut world = World::new(Vec3::Z * -9.81);
        let height = 2.04 * RADIUS;
        let (along, half) = (Vec3::new(angle.to_radians().cos(), angle.to_radians().sin(), 0.0), 0.5 * LENGTH);
        let off = Vec3::new(7.3e-3, 0.0, height);
        let lower = [Vec3::X * -half, Vec3::X * half];
        let upper = [off - along * half, off + along * half];
        world.add_body(cable("upper", young, upper.into(), segments[0])).unwrap();
        world.add_body(cable("lower", young, lower.into(), segments[1])).unwrap();
        let down = Vec3::Z * -(half * ((1.0_f64 + strain).powi(2) - 1.0).sqrt());
        for (end, fraction) in [0.0, 1.0].into_iter().enumerate() {
            hand(&mut world, 0, fraction, [upper[end], upper[end] + down]);
            hand(&mut world, 1, fraction, [lower[end]; 2]);
        }
        let [force, depth] = pull(&mut world, step, &what);
        assert!(force > 0.05 * young * Section::Round { radius: RADIUS }.area(), "{what}: {force} N");
        assert!(depth < 1e-4, "{what}: {depth} m");
    }
}

/// Two bends that hang in each other, pulled apart.
#[test]
fn bends_that_hang_in_each_other_hold_when_pulled_tight() {
    for (segments, young, step) in [([30, 24], 1e7, 1e-2), ([60, 45], 1e7, 2e-3), ([120, 30], 1e8, 5e-3)] {
        let what = format!("{segments:?} segments, {young} Pa, {step} s");
        let mut world = World::new(Vec3::ZERO);
        let bend = 4.0 * RADIUS;
        let (far, tip) = (0.5 * LENGTH, 0.5 * bend);
        for (body, (side, across)) in
            [(1.0, Vec3::Y), (-1.0, Vec3::new(0.0, 0.2, 1.0).normalize())].into_iter().enumerate()
        {
            let end = |sign: f64| Vec3::X * (-side * far) + across * (sign * bend);
            let mut path = vec![end(1.0)];
            path.extend((0..=16).map(|k| {
                let angle = std::f64::consts::PI * f64::from(k) / 16.0;
                Vec3::X * (side * (tip + bend * angle.sin())) + across * (bend * angle.cos())
            }));
            path.push(end(-1.0));
            world.add_body(cable(if body == 0 { "left" } else { "right" }, young, path, segments[body])).unwrap();
            let pulled = Vec3::X * (-side * 0.5 * far);
            hand(&mut world, body, 0.0, [end(1.0), end(1.0) + pulled]);
            hand(&mut world, body, 1.0, [end(-1.0), end(-1.0) + pulled]);
        }
        let [force, depth] = pull(&mut world, step, &what);
        assert!(force > 0.2 * young * Section::Round { radius: RADIUS }.area(), "{what}: {force} N");
        assert!(depth < 1e-4, "{what}: {depth} m");
    }
}

/// Links many times longer than thick that cross at a joint of both cables, where four pairs of them touch in one place,
/// and elsewhere.
#[test]
fn long_links_that_cross_at_their_joints_do_not_sink_into_each_other() {
    let cases =
        [([2, 2], 90_f64, 0.0), ([4, 2], 18.0, 0.0), ([6, 8], 60.0, 0.0), ([2, 4], 40.0, 0.02), ([3, 2], 9.0, 0.01)];
    for (segments, angle, off) in cases {
        let what = format!("{segments:?} segments, {angle} degrees, {off} m off the joint");
        let mut world = World::new(Vec3::Z * -9.81);
        let half = 0.5 * LENGTH;
        let along = Vec3::new(angle.to_radians().cos(), angle.to_radians().sin(), 0.0);
        let over = Vec3::new(off, 0.0, 2.02 * RADIUS);
        let lower = [Vec3::X * -half, Vec3::X * half];
        let upper = [over - along * half, over + along * half];
        world.add_body(cable("upper", 1e8, upper.into(), segments[0])).unwrap();
        world.add_body(cable("lower", 1e8, lower.into(), segments[1])).unwrap();
        for (end, fraction) in [0.0, 1.0].into_iter().enumerate() {
            // pressed together by hands below both ends of the upper one
            hand(&mut world, 0, fraction, [upper[end], upper[end] + Vec3::Z * -0.02]);
            hand(&mut world, 1, fraction, [lower[end]; 2]);
        }
        let mut deepest: f64 = 0.0;
        for _ in 0..160 {
            world.step(5e-3).unwrap();
            deepest = deepest.max(world.deepest());
        }
        assert!(deepest < 0.03 * RADIUS, "{what}: {} radii", deepest / RADIUS);
        let pushing: f64 = world.frame().contacts.iter().map(|contact| contact.force.length()).sum();
        assert!(pushing > 0.1, "{what}: {pushing} N");
    }
}

/// A thread is wound one and a half times round a wire, closer than it would bend by itself, with both its ends held below: it
/// springs open at many metres a second, within the first step, and the number of its turns round the wire cannot change.
#[test]
fn a_thread_that_springs_open_stays_wound_round_its_wire() {
    use std::f64::consts::{PI, TAU};
    const CORE: f64 = 0.8e-3;
    const THREAD: f64 = 0.4e-3;
    let friction = Friction { coefficient: 0.3, exponent: 1.0 };
    let rod = |name: &str, radius: f64, young: f64, path: Vec<Vec3>, segments: usize| {
        let material = Material { young, poisson: 0.3, density: 1200.0, friction };
        let (section, settings) = (Section::Round { radius }, CableSettings::default());
        let spec = CableSpec { material, section, path, normal: None, rest: Rest::Straight, segments, settings };
        Body::Cable(Cable::new(name, spec).unwrap())
    };
    let away = CORE + THREAD + 1e-4;
    let wound = |n: u32| {
        let turn = f64::from(n) / 40.0;
        let angle = -PI * (1.0 - 3.0 * turn);
        Vec3::new(away * angle.cos(), 1.8e-3 * turn, -away * angle.sin())
    };
    let [first, last] = [wound(0), wound(40)].map(|end| Vec3::new(end.x, end.y, -0.05));
    let path: Vec<Vec3> = [first].into_iter().chain((0..=40).map(wound)).chain([last]).collect();
    // turns about the wire, which is nearly along y but may be pushed aside
    let turns = |world: &World| {
        let frame = world.frame();
        let [wire, thread] = [0, 1].map(|n| &frame.bodies[n].nodes);
        let beside = |p: &Vec3| {
            let n = wire.partition_point(|q| q.y < p.y).clamp(1, wire.len() - 1);
            let (a, b) = (wire[n - 1], wire[n]);
            let at = a.lerp(b, (p.y - a.y) / (b.y - a.y));
            (p.z - at.z).atan2(p.x - at.x)
        };
        let angles: Vec<f64> = thread.iter().map(beside).collect();
        angles.windows(2).map(|w| (w[1] - w[0] + PI).rem_euclid(TAU) - PI).sum::<f64>() / TAU
    };
    for (young, step) in [(1e8, 0.02), (1e8, 0.007), (1e7, 0.01), (1e9, 0.005), (1e8, 0.004)] {
        let mut world = World::new(Vec3::Z * -9.81);
        world.add_body(rod("wire", CORE, 2e10, vec![Vec3::Y * -0.06, Vec3::Y * 0.06], 40)).unwrap();
        world.add_body(rod("thread", THREAD, young, path.clone(), 140)).unwrap();
        for (body, ends, hold) in
            [(0, [Vec3::Y * -0.06, Vec3::Y * 0.06], Hold::Clamp), (1, [first, last], Hold::Position)]
        {
            for (fraction, place) in [0.0, 1.0].into_iter().zip(ends) {
                let (name, placed) = (format!("{body} {fraction}"), Pose::from_translation(place));
                let hand = world.add_gripper(GripperParams { name, placed, motion: Motion::Hold }).unwrap();
                let body = world.body_at(body).unwrap();
                world.add_grip(GripParams::new(hand, body, Place::Fraction(fraction), hold)).unwrap();
            }
        }
        let before = turns(&world);
        for _ in 0..3 {
            world.step(step).unwrap();
            assert!(world.events().iter().all(|e| !matches!(e.kind, EventKind::Crossed { .. })));
        }
        let after = turns(&world);
        assert!(
            before.abs() > 1.4 && (after - before).abs() < 0.1,
            "E = {young}, {step} s: {before} turns, then {after}"
        );
    }
}
