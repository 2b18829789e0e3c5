//! Jaws that give way, let a cable slide, or lose it, against the closed forms of a stretched bar.
#![allow(clippy::unwrap_used)]

use std::f64::consts::PI;

use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec};
use pliant::math::{Pose, Vec3};
use pliant::motion::{Motion, Window};
use pliant::{Body, EventKind, Friction, GripParams, GripperParams, Hold, Jaws, Material, Place, Section, World};

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

/// A cable that bends down behind jaws and slides out of them: jaws that rest do no work, so that what a hold gains as it passes from
/// link to link is told as created.
#[test]
fn a_bent_cable_slides_out_of_jaws_that_do_no_work() {
    for dt in [0.01, 0.005, 0.002] {
        let mut world = World::new(Vec3::Z * -9.81);
        let material = Material { young: YOUNG, poisson: 0.45, density: 1100.0, friction: Friction::NONE };
        let spec = CableSpec {
            material,
            section: Section::Round { radius: RADIUS },
            path: vec![Vec3::ZERO, Vec3::X],
            normal: None,
            rest: Rest::Straight,
            segments: 50,
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
        assert!(most_slid > 0.1, "{dt}: {most_slid}");
        assert!(account.work.grips.abs() < 1e-12, "{dt}: {account:?}");
    }
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
