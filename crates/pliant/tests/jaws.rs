//! Jaws that give way, let a cable slide, or lose it, against the closed forms of a stretched bar.
#![allow(clippy::unwrap_used)]

use std::f64::consts::PI;

use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec};
use pliant::math::{Pose, Vec3};
use pliant::motion::{Motion, Window};
use pliant::{Body, EventKind, Friction, GripParams, GripperParams, Hold, Jaws, Load, Material, Place, Section, World};

const LENGTH: f64 = 0.5;
const RADIUS: f64 = 2e-3;
const YOUNG: f64 = 2e6;
const SPEED: f64 = 0.02;

fn axial() -> f64 {
    YOUNG * PI * RADIUS * RADIUS
}

/// A cable along x, clamped at its start, and held at a fraction of its length by jaws that are drawn along x.
fn pulled(at: f64, hold: Hold, jaws: Jaws) -> World {
    let mut world = World::new(Vec3::ZERO);
    let material = Material { young: YOUNG, poisson: 0.45, density: 1100.0, friction: Friction::NONE };
    let spec = CableSpec {
        material,
        section: Section::Round { radius: RADIUS },
        path: vec![Vec3::ZERO, Vec3::X * LENGTH],
        normal: None,
        rest: Rest::Straight,
        segments: 50,
        settings: CableSettings { drag: 5.0, ..CableSettings::default() },
    };
    world.add_body(Body::Cable(Cable::new("wire", spec).unwrap())).unwrap();
    let window = Window { start: 0.0, end: f64::INFINITY };
    let along = Motion::Glide { velocity: Vec3::X * SPEED, acceleration: Vec3::ZERO, window };
    for (name, place, motion) in [("wall", 0.0, Motion::Hold), ("hand", at, along)] {
        let placed = Pose::from_translation(Vec3::X * (place * LENGTH));
        world.add_gripper(GripperParams { name: name.into(), placed, motion }).unwrap();
    }
    world
        .add_grip(GripParams::new(
            world.gripper_at(0).unwrap(),
            world.body_at(0).unwrap(),
            Place::Fraction(0.0),
            Hold::Clamp,
        ))
        .unwrap();
    world
        .add_grip(GripParams {
            jaws,
            ..GripParams::new(world.gripper_at(1).unwrap(), world.body_at(0).unwrap(), Place::Fraction(at), hold)
        })
        .unwrap();
    world
}

/// Step until an event of the hand; the time of it, the last pull on the wall before it, and the greatest on the hand.
fn until(world: &mut World, dt: f64, is: impl Fn(&EventKind) -> bool) -> (f64, [f64; 2]) {
    let mut pulls = [0.0_f64; 2];
    for _ in 0..(20.0 / dt) as usize {
        world.step(dt).unwrap();
        if let Some(event) = world.events().iter().find(|e| is(&e.kind)) {
            return (event.time, pulls);
        }
        let [wall, hand] = [0, 1].map(|n| world.grippers()[n].load.force.length());
        pulls = [wall, pulls[1].max(hand)];
    }
    panic!("it never happened: {pulls:?}");
}

#[test]
fn a_cable_slides_through_jaws_with_their_force_until_its_end_is_out() {
    let slips_at = 0.3;
    for dt in [0.01, 0.002] {
        let mut world = pulled(0.8, Hold::Clamp, Jaws { slips_at, ..Jaws::FIRM });
        let (time, _) = until(&mut world, dt, |e| matches!(e, EventKind::Slips { .. }));
        // when it is stretched so far that it pulls with that force
        let stretch = slips_at / axial();
        let expected = 0.8 * LENGTH * stretch / SPEED;
        assert!((time - expected).abs() < 2.0 * dt + 0.02 * expected, "{dt}: slips at {time}, {expected}");
        let (time, [wall, most]) = until(&mut world, dt, |e| matches!(e, EventKind::Lost { .. }));
        // what is between the grippers is then the whole cable, as much stretched
        let expected = (LENGTH * (1.0 + stretch) - 0.8 * LENGTH) / SPEED;
        assert!((time - expected).abs() < 2.0 * dt + 0.005 * expected, "{dt}: lost at {time}, {expected}");
        assert!((most - slips_at).abs() < 1e-9, "{most}");
        assert!((wall - slips_at).abs() < 0.01 * slips_at, "{wall}");
        // and then nothing holds that end
        (0..(2.0 / dt) as usize).for_each(|_| world.step(dt).unwrap());
        assert!(world.grippers()[0].load.force.length() < 1e-3 && world.grips().nth(1).unwrap().1.anchor.is_none());
    }
}

/// A cable that falls through jaws which rub along it with a constant force F: m a = m g - F, whatever part of it has come through,
/// and all that its weight does is in its motion or in what F s has taken.
#[test]
fn a_cable_falls_through_jaws_with_its_weight_less_their_friction() {
    const G: f64 = 9.81;
    let mass = 1100.0 * PI * RADIUS * RADIUS * LENGTH;
    for (dt, part) in [(0.01, 0.3), (0.01, 0.75), (0.002, 0.3), (0.002, 0.75)] {
        let mut world = World::new(Vec3::Z * -G);
        let material = Material { young: YOUNG, poisson: 0.45, density: 1100.0, friction: Friction::NONE };
        let spec = CableSpec {
            material,
            section: Section::Round { radius: RADIUS },
            path: vec![Vec3::ZERO, Vec3::Z * -LENGTH],
            normal: None,
            rest: Rest::Straight,
            segments: 50,
            settings: CableSettings::default(),
        };
        let wire = world.add_body(Body::Cable(Cable::new("wire", spec).unwrap())).unwrap();
        let placed = Pose::from_translation(Vec3::Z * -0.6 * LENGTH);
        let hand = world.add_gripper(GripperParams { name: "jaws".into(), placed, motion: Motion::Hold }).unwrap();
        let slips_at = part * mass * G;
        let jaws = Jaws { slips_at, ..Jaws::FIRM };
        let grip = GripParams::new(hand, wire, Place::Fraction(0.6), Hold::Clamp);
        world.add_grip(GripParams { jaws, ..grip }).unwrap();
        world.enforce_accounts(true);
        // until the last link but a few comes through
        let falls = (1.0 - part) * G;
        let steps = ((2.0 * 0.5 * LENGTH / falls).sqrt() / dt) as usize;
        for _ in 0..steps {
            world.step(dt).unwrap();
        }
        let time = steps as f64 * dt;
        let frame = world.frame();
        let body = &frame.bodies[0];
        // means over a step, constant while it slides
        let pull = -world.grippers()[0].load.force.z;
        assert!((pull - slips_at).abs() < 1e-9, "{dt} {part}: {pull} for {slips_at}");
        // momentum is the impulse of weight and friction, but for the friction in the first step, in which it stretches until it slides
        let inner: f64 = body.velocities[1..50].iter().map(|v| v.z).sum();
        let speed = -(inner + 0.5 * (body.velocities[0].z + body.velocities[50].z)) / 50.0;
        let slack = slips_at / mass * 2.0 * dt;
        assert!(speed >= falls * time - 1e-9 && speed < falls * time + slack, "{dt} {part}: {speed} {}", falls * time);
        // it slides by as much as it falls, but for its stretch: at most that by its whole weight, at its end
        let slid = -world.grips().next().unwrap().1.slid;
        let fallen = 0.5 * falls * time * time;
        let most = slack * time + mass * G * LENGTH / axial();
        assert!((slid - fallen).abs() < most, "{dt} {part}: {slid} {fallen} {most}");
        // what is dissipated: by friction, and by waves that the first jerk has left: less than it stores
        let lost = body.account.dissipated();
        let waves = mass * G * mass * G * LENGTH / axial();
        assert!((lost - slips_at * slid).abs() < waves, "{dt} {part}: {lost} {} {waves}", slips_at * slid);
        assert!(body.account.created < 1e-9 * lost, "{dt} {part}: created {}", body.account.created);
    }
}

/// A limp cable that bends down behind jaws and falls out of them: jaws that rest do no work, so that what a hold would gain as
/// it passes from link to link, against the drop of the weight, would be told as created. Fine enough, it falls out as fast
/// whatever its segments; in long steps it is held back.
#[test]
fn a_bent_cable_slides_out_of_jaws_that_do_no_work() {
    let mut distances = vec![];
    for (dt, segments) in [(0.01, 50), (0.01, 100), (0.005, 50), (0.002, 50), (0.005, 100), (0.001, 100), (0.001, 200)]
    {
        let mut world = World::new(Vec3::Z * -9.81);
        let material = Material { young: YOUNG, poisson: 0.45, density: 1100.0, friction: Friction::NONE };
        let spec = CableSpec {
            material,
            section: Section::Round { radius: RADIUS },
            path: vec![Vec3::ZERO, Vec3::X],
            normal: None,
            rest: Rest::Straight,
            segments,
            settings: CableSettings::default(),
        };
        let wire = world.add_body(Body::Cable(Cable::new("wire", spec).unwrap())).unwrap();
        let placed = Pose::from_translation(Vec3::X * 0.3);
        let hand = world.add_gripper(GripperParams { name: "jaws".into(), placed, motion: Motion::Hold }).unwrap();
        let jaws = Jaws { slips_at: 0.03, ..Jaws::FIRM };
        let grip = GripParams::new(hand, wire, Place::Fraction(0.3), Hold::Clamp);
        world.add_grip(GripParams { jaws, ..grip }).unwrap();
        let mut most_slid: f64 = 0.0;
        for _ in 0..(1.0 / dt) as usize {
            world.step(dt).unwrap();
            most_slid = most_slid.max(world.grips().next().unwrap().1.slid.abs());
        }
        let account = world.frame().bodies[0].account;
        distances.push(most_slid);
        assert!(account.work.grips.abs() < 1e-12, "{dt}: {account:?}");
        let fell = account.dissipated() + world.frame().bodies[0].energy.kinetic;
        assert!(
            account.created < 1e-3 * fell,
            "{dt} s, {segments} segments: {} J created of {fell} J",
            account.created
        );
    }
    let [.., some, most] = distances[..] else { unreachable!() };
    assert!(most > 0.2 && (some / most - 1.0).abs() < 0.05, "{distances:?}");
}

#[test]
fn jaws_give_way_in_a_row_with_the_cable() {
    let stiffness = 40.0;
    let mut world = pulled(1.0, Hold::Clamp, Jaws { stiffness, ..Jaws::FIRM });
    (0..200).for_each(|_| world.step(0.01).unwrap());
    let expected = 2.0 * SPEED / (LENGTH / axial() + 1.0 / stiffness);
    let force = world.grippers()[1].load.force.x;
    assert!((force + expected).abs() < 0.01 * expected, "{force} {expected}");
}

#[test]
fn jaws_open_when_they_are_pulled_too_hard() {
    let opens_at = 0.4;
    for hold in [Hold::Clamp, Hold::Position] {
        let mut world = pulled(1.0, hold, Jaws { opens_at, ..Jaws::FIRM });
        let (time, [_, most]) = until(&mut world, 0.005, |e| matches!(e, EventKind::Lost { .. }));
        let expected = opens_at * LENGTH / axial() / SPEED;
        assert!((time - expected).abs() < 0.02 * expected + 0.01, "{time} {expected}");
        assert!(most <= opens_at, "{most}");
        world.step(0.005).unwrap();
        assert!(world.events().iter().all(|e| !matches!(e.kind, EventKind::Attached { .. })));
    }
}

#[test]
fn jaws_that_make_no_sense_are_refused() {
    let mut world = pulled(1.0, Hold::Clamp, Jaws::FIRM);
    let place = Place::Fraction(0.5);
    let (hand, wire) = (world.gripper_at(1).unwrap(), world.body_at(0).unwrap());
    let grip = |hold, jaws| GripParams { jaws, ..GripParams::new(hand, wire, place, hold) };
    let error = world.add_grip(grip(Hold::Position, Jaws { slips_at: 1.0, ..Jaws::FIRM })).unwrap_err().to_string();
    assert!(error.contains("hold its direction"), "{error}");
    for bad in [0.0, -1.0, f64::NAN] {
        assert!(world.add_grip(grip(Hold::Clamp, Jaws { opens_at: bad, ..Jaws::FIRM })).is_err());
    }
}

/// A wire of Young's modulus E along x, in the middle of which there are jaws that it slides through, and that a hand draws
/// along itself, backwards, from a time on.
fn drawn(young: f64, segments: usize, length: f64, slips_at: f64, gravity: f64, [from, speed]: [f64; 2]) -> World {
    let mut world = World::new(Vec3::Z * -gravity);
    let material = Material { young, poisson: 0.4, density: 1400.0, friction: Friction::NONE };
    let spec = CableSpec {
        material,
        section: Section::Round { radius: RADIUS },
        path: vec![Vec3::ZERO, Vec3::X * length],
        normal: None,
        rest: Rest::Straight,
        segments,
        settings: CableSettings { drag: 10.0, ..CableSettings::default() },
    };
    let wire = world.add_body(Body::Cable(Cable::new("wire", spec).unwrap())).unwrap();
    let window = Window { start: from, end: f64::INFINITY };
    let back = Motion::Glide { velocity: Vec3::X * -speed, acceleration: Vec3::ZERO, window };
    for (name, place, motion, slips_at) in [("jaws", 0.5, Motion::Hold, slips_at), ("hand", 0.0, back, f64::INFINITY)] {
        let placed = Pose::from_translation(Vec3::X * (place * length));
        let hand = world.add_gripper(GripperParams { name: name.into(), placed, motion }).unwrap();
        let grip = GripParams::new(hand, wire, Place::Fraction(place), Hold::Clamp);
        world.add_grip(GripParams { jaws: Jaws { slips_at, ..Jaws::FIRM }, ..grip }).unwrap();
    }
    world.enforce_accounts(true);
    world
}

/// Of stiffer and more limp wires, which hang down steeply behind the jaws, none gains energy by sliding through them, with
/// friction of several times its weight down to nearly none.
#[test]
fn wires_that_sag_slide_through_jaws_without_a_gain() {
    let mut failed = String::new();
    for young in [2e6, 2e7, 2e8] {
        for (slips_at, segments) in
            [(0.2, 20), (0.2, 60), (0.05, 60), (0.02, 20), (0.02, 150), (0.005, 20), (0.005, 60)]
        {
            for dt in [0.01, 0.002] {
                let mut world = drawn(young, segments, 0.3, slips_at, 9.81, [0.5, 0.03]);
                let mut slid = 0.0_f64;
                while world.time() < 3.0 - 0.5 * dt {
                    if let Err(error) = world.step(dt) {
                        failed += &format!("E = {young}, {slips_at} N, {segments} segments, {dt} s: {error}\n");
                        break;
                    }
                    slid = slid.max(world.grips().next().unwrap().1.slid);
                }
                assert!(!failed.is_empty() || slid > 0.05, "E = {young}, {slips_at} N, {dt} s: slid {slid} m");
            }
        }
    }
    assert!(failed.is_empty(), "{failed}");
}

/// A wire that is bent by a moment M where it enters a sleeve pushes itself out of it with M^2 / (2 EI): to draw it in, that
/// much more than friction is needed.
#[test]
fn a_bent_wire_pushes_itself_out_of_jaws() {
    let (young, length, slips_at, down) = (2e7, 0.2, 2e-3, 0.01);
    let ei = young * PI * RADIUS.powi(4) / 4.0;
    const SLOWLY: f64 = 0.005;
    for (segments, dt) in [(40, 0.01), (40, 0.002), (80, 0.005), (80, 0.002), (160, 0.005), (160, 0.001)] {
        let mut world = drawn(young, segments, length, slips_at, 0.0, [3.0, SLOWLY]);
        let wire = world.body_at(0).unwrap();
        world.add_load(Load::new(wire, Place::Fraction(1.0), Vec3::Z * -down)).unwrap();
        let (mut drawn, mut expected, mut count) = (0.0, 0.0, 0.0);
        while world.time() < 7.0 - 0.5 * dt {
            world.step(dt).unwrap();
            // over three links of the coarsest wire, so that what is left of them in the force averages out
            if world.time() > 4.0 {
                let end = *world.frame().bodies[0].nodes.last().unwrap();
                let moment = down * (end.x - 0.5 * length);
                (drawn, expected) = (drawn + world.grippers()[1].load.force.x, expected + moment * moment / (2.0 * ei));
                count += 1.0;
            }
        }
        // with the drag of 10 / s on all of the wire
        let drag = 10.0 * 1400.0 * PI * RADIUS * RADIUS * length * SLOWLY;
        let [drawn, expected]: [f64; 2] = [drawn / count - slips_at - drag, expected / count];
        // a per cent, and what comes into the jaws in a step: of first order in the part of a link that it is
        let within = 0.01 + SLOWLY * dt * segments as f64 / length;
        assert!((drawn / expected - 1.0).abs() < within, "{segments} segments, {dt} s: {drawn} N for {expected} N");
    }
}

/// Wires of all kinds are drawn out of jaws in any direction, so that what is left of them sags, whips and comes out within a
/// few steps: none gains energy, whatever the step.
#[test]
fn wires_that_are_drawn_out_of_jaws_gain_nothing() {
    let (mut state, mut failed) = (0x9e37_79b9_7f4a_7c15_u64, String::new());
    let mut random = |low: f64, high: f64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        low + (high - low) * (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    for n in 0..40 {
        let (young, slips_at) = (10_f64.powf(random(5.5, 9.0)), 10_f64.powf(random(-2.0, 0.5)));
        let (place, radius) = (random(0.2, 0.6), 10_f64.powf(random(-3.2, -2.5)));
        let (segments, dt) = ([20, 40, 80][n % 3], [0.01, 0.005, 0.002, 0.001][n % 4]);
        let mut world = World::new(Vec3::Z * -9.81);
        let spec = CableSpec {
            material: Material { young, poisson: 0.4, density: 1200.0, friction: Friction::NONE },
            section: Section::Round { radius },
            path: vec![Vec3::ZERO, Vec3::X * 0.4],
            normal: None,
            rest: Rest::Straight,
            segments,
            settings: CableSettings::default(),
        };
        let wire = world.add_body(Body::Cable(Cable::new("wire", spec).unwrap())).unwrap();
        let velocity = Vec3::new(random(0.02, 0.2), random(-0.05, 0.05), random(-0.05, 0.05));
        let window = Window { start: 0.0, end: f64::INFINITY };
        let along = Motion::Glide { velocity, acceleration: Vec3::ZERO, window };
        for (name, at, motion, slips_at) in
            [("jaws", place, Motion::Hold, slips_at), ("hand", 1.0, along, f64::INFINITY)]
        {
            let placed = Pose::from_translation(Vec3::X * (at * 0.4));
            let hand = world.add_gripper(GripperParams { name: name.into(), placed, motion }).unwrap();
            let hold = if at < 1.0 { Hold::Clamp } else { Hold::Position };
            let grip = GripParams::new(hand, wire, Place::Fraction(at), hold);
            world.add_grip(GripParams { jaws: Jaws { slips_at, ..Jaws::FIRM }, ..grip }).unwrap();
        }
        world.enforce_accounts(true);
        while world.time() < 2.0 - 0.5 * dt {
            if let Err(error) = world.step(dt) {
                failed += &format!("{n}: E = {young}, {slips_at} N, {segments} segments, {dt} s: {error}\n");
                break;
            }
        }
    }
    assert!(failed.is_empty(), "{failed}");
}
