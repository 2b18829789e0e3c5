//! Fingers that glide over bodies of the model `response`.
#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;

use pliant::math::{Pose, Vec3};
use pliant::motion::{Drive, Motion};
use pliant::response::{Basis, Damping, Known, Response, ResponseSettings, ResponseSpec};
use pliant::{Body, FingerParams, Friction, GripParams, GripperId, GripperParams, Hold, Place, World};
use pliant_fem::{Elastic, Order, Recipe, TetMesh};

const SIDE: f64 = 0.1;
const RADIUS: f64 = 0.01;
const DEPTH: f64 = 0.004;
const STEP: f64 = 2e-3;

fn known(cells: usize) -> Basis {
    let elastic = Elastic { young: 2000.0, poisson: 0.3, density: 110.0 };
    let recipe = Recipe { order: Order::Linear, ..Recipe::new(TetMesh::cube(cells, SIDE).unwrap(), elastic, 40) };
    recipe.compute(1, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// A cube whose lower face is held, and a finger; the number of its gripper.
fn touched(basis: &Basis, damping: f64, friction: f64, at: Vec3) -> (World, GripperId) {
    let damping = Damping::Rayleigh { mass: 20.0 * damping, stiffness: 5e-3 * damping };
    let spec = ResponseSpec {
        solid: Known::Modes(basis.clone()),
        friction: Friction::NONE,
        placed: Pose::IDENTITY,
        velocity: Vec3::ZERO,
        spin: Vec3::ZERO,
        settings: ResponseSettings { damping, sample: STEP, ..ResponseSettings::default() },
    };
    let mut world = World::new(Vec3::ZERO);
    world.add_body(Body::Response(Response::new("cube", spec).unwrap())).unwrap();
    let mut gripper = |name: &str, at: Vec3| {
        let params = GripperParams { name: name.into(), placed: Pose::from_translation(at), motion: Motion::Hold };
        world.add_gripper(params).unwrap()
    };
    let (hand, finger) = (gripper("hand", Vec3::ZERO), gripper("finger", at));
    let place = Place::Box { low: Vec3::new(-1.0, -1.0, -1e-6), high: Vec3::new(1.0, 1.0, 1e-6) };
    world.add_grip(GripParams::new(hand, world.body_at(0).unwrap(), place, Hold::Position)).unwrap();
    let friction = Some(Friction { coefficient: friction, exponent: 1.0 });
    world.add_finger(FingerParams { gripper: finger, radius: RADIUS, friction }).unwrap();
    (world, finger)
}

fn lead(world: &mut World, finger: GripperId, to: Vec3) {
    world.drive(finger, Drive::Pose(Pose::from_translation(to))).unwrap();
    world.step(STEP).unwrap();
}

fn energy(world: &World) -> f64 {
    match &world.bodies()[0] {
        Body::Response(response) => response.energy(Vec3::ZERO).total(),
        _ => panic!(),
    }
}

/// Pressed in at a place and at rest: the force on the finger, and the energy.
fn pressed(basis: &Basis, at: Vec3) -> (Vec3, f64) {
    let (mut world, finger) = touched(basis, 1.0, 0.0, at);
    for n in 0..1000 {
        lead(&mut world, finger, at - Vec3::Z * (DEPTH * (f64::from(n) / 200.0).min(1.0)));
    }
    (world.gripper(finger).unwrap().load.force, energy(&world))
}

/// The force along the surface, by two routes: what acts on the finger, and how the energy changes from place to place.
#[test]
fn a_smooth_finger_feels_the_slope_of_the_energy() {
    let basis = known(3);
    let (at, aside) = (Vec3::new(0.043, 0.056, SIDE + RADIUS), 1e-4);
    let slope =
        |axis: Vec3| (pressed(&basis, at + axis * aside).1 - pressed(&basis, at - axis * aside).1) / (2.0 * aside);
    let wanted = -Vec3::new(slope(Vec3::X), slope(Vec3::Y), 0.0);
    let (force, _) = pressed(&basis, at);
    let along = Vec3::new(force.x, force.y, 0.0);
    assert!(wanted.length() > 0.02 * force.z, "{wanted} {force}");
    assert!((along - wanted).length() < 0.02 * wanted.length(), "{along} {wanted}");
}

/// To and fro over many facets: no energy comes from nothing, whatever the friction, and the finger stays on what is under it.
#[test]
fn a_finger_that_slides_to_and_fro_makes_no_energy() {
    let basis = known(6);
    let at = Vec3::new(0.5 * SIDE, 0.45 * SIDE, SIDE + RADIUS);
    let dent = pressed(&basis, at).1;
    for friction in [0.0, 0.05, 0.6] {
        let (mut world, finger) = touched(&basis, 0.0, friction, at);
        let (mut work, mut last, mut least) = (0.0, at, 0.0_f64);
        for n in 0..6000 {
            let time = f64::from(n) * STEP;
            let along = 0.03 * (time - 0.5).max(0.0).sin();
            let place = at + Vec3::new(along, 0.3 * along, -DEPTH * (time / 0.5).min(1.0));
            lead(&mut world, finger, place);
            work -= world.gripper(finger).unwrap().load.force.dot(place - last);
            last = place;
            least = least.min(work - energy(&world));
            for contact in world.frame().contacts {
                let beside = contact.position - place;
                assert!(time < 0.5 || beside.truncate().length() < 5e-3, "friction {friction} at {time} s: {beside}");
            }
            assert!(
                time < 0.5 || world.gripper(finger).unwrap().load.force.z > 0.01,
                "friction {friction} at {time} s"
            );
        }
        assert!(-least < 1e-3 * dent, "friction {friction}: {least} of {dent}");
    }
}

/// From the top of the cube over an edge to its side and back, without friction: where its point comes from facet to facet the finger
/// may gain a fiftieth of F . u, twice what the dent stores, and it crosses 14 edges of the mesh each way.
#[test]
fn a_finger_led_round_an_edge_gains_no_more_than_stated() {
    let basis = known(6);
    let (y, off) = (0.57 * SIDE, RADIUS - DEPTH);
    let turns = [
        (0.0, [0.5 * SIDE, SIDE + RADIUS]),
        (0.5, [0.5 * SIDE, SIDE + off]),
        (1.5, [SIDE - DEPTH, SIDE + off]),
        (2.0, [SIDE + off, SIDE - DEPTH]),
        (3.0, [SIDE + off, 0.5 * SIDE]),
        (4.0, [SIDE + off, SIDE - DEPTH]),
        (4.5, [SIDE - DEPTH, SIDE + off]),
        (5.5, [0.5 * SIDE, SIDE + off]),
    ];
    let along = |time: f64| {
        let n = turns.iter().skip(1).position(|(end, _)| time <= *end).unwrap();
        let ((from, [a, b]), (to, [c, d])) = (turns[n], turns[n + 1]);
        let part = (time - from) / (to - from);
        Vec3::new(a + (c - a) * part, y, b + (d - b) * part)
    };
    let dent = pressed(&basis, along(0.0)).1;
    let (mut world, finger) = touched(&basis, 0.0, 0.0, along(0.0));
    let (mut balance, mut least, mut created, mut touching) = (0.0_f64, 0.0_f64, 0.0_f64, 0);
    let (mut last, mut before) = (along(0.0), energy(&world));
    for n in 1..=2750 {
        let place = along(f64::from(n) * STEP);
        lead(&mut world, finger, place);
        let force = world.gripper(finger).unwrap().load.force;
        balance += energy(&world) - before + force.dot(place - last);
        (last, before) = (place, energy(&world));
        least = least.min(balance);
        created = created.max(balance - least);
        touching += usize::from(force.length() > 0.01);
    }
    assert!(created < 28.0 * 0.02 * 2.0 * dent, "{created} J of {dent} J");
    assert!(touching > 2000, "pushes in {touching} of 2750 steps");
}
