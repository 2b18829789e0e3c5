//! What solids of particles cannot do is told, and what steps hide from their balance of energy is not hidden.
#![allow(clippy::unwrap_used)]

use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::lattice::solid::{MassRule, brick};
use pliant::lattice::{Lattice, LatticeSettings, LatticeSpec, Pace, Part, PointContact};
use pliant::math::{Pose, Vec3};
use pliant::motion::{Motion, Window};
use pliant::{Body, EventKind, Friction, Material, StepError, World};

fn spec(part: Part, young: f64, settings: LatticeSettings) -> LatticeSpec {
    LatticeSpec {
        material: Material { young, poisson: 0.3, density: 1000.0, friction: Friction::NONE },
        parts: vec![part],
        connectors: vec![],
        placed: Pose::IDENTITY,
        velocity: Vec3::ZERO,
        spin: Vec3::ZERO,
        settings,
    }
}

fn block(size: Vec3, counts: [usize; 3]) -> Part {
    Part::Solid { cells: brick(size, counts).unwrap(), rule: MassRule::Approximate }
}

fn world_of(spec: LatticeSpec) -> World {
    let mut world = World::new(Vec3::Z * -9.81);
    world.add_body(Body::Lattice(Lattice::new("solid", spec).unwrap())).unwrap();
    world
}

fn obstacle(world: &mut World, name: &str, kind: ShapeKind, placed: Pose, motion: Motion) {
    let shape = Shape::new(kind).unwrap();
    world.add_obstacle(ObstacleParams { name: name.into(), shape, placed, motion, friction: None }).unwrap();
}

fn lattice(world: &World) -> &Lattice {
    let Body::Lattice(lattice) = &world.bodies()[0] else { panic!() };
    lattice
}

/// A plate of a nanometre with strong damping: by its connectors a step of the world would take some 10^18 steps.
#[test]
fn steps_without_end_are_not_begun() {
    let settings = LatticeSettings { damping_time: Some(0.087), ..LatticeSettings::default() };
    let mut world = world_of(spec(block(Vec3::new(1e-9, 0.04, 0.15), [1, 1, 1]), 3e5, settings));
    let stable = lattice(&world).derived().iter().find(|d| d.symbol == "tau_s").unwrap().value;
    assert!(stable > 0.0 && stable < 1e-15, "{stable:e}");
    let error = world.step(5e-3).unwrap_err();
    let StepError::TooShort { step, .. } = error else { panic!("{error}") };
    assert!((step / stable - 1.0).abs() < 1e-9, "{step:e} {stable:e}");
}

/// A soft cube between a floor and a press that leaves a tenth of its height.
#[test]
fn a_cube_that_is_crushed_through_the_floor_is_told() {
    let mut body = spec(block(Vec3::splat(0.1), [3; 3]), 1e5, LatticeSettings::default());
    body.placed = Pose::from_translation(Vec3::Z * 0.05);
    let mut world = world_of(body);
    obstacle(&mut world, "floor", ShapeKind::Plane, Pose::IDENTITY, Motion::Hold);
    let window = Window { start: 0.0, end: 0.91 };
    let down = Motion::Glide { velocity: Vec3::Z * -0.1, acceleration: Vec3::ZERO, window };
    let press = ShapeKind::Box { size: Vec3::new(0.5, 0.5, 0.1) };
    obstacle(&mut world, "press", press, Pose::from_translation(Vec3::Z * 0.151), down);
    let mut ended = None;
    while world.time() < 1.2 && ended.is_none() {
        ended = world.step(0.01).err();
        // pressed together by a third it is still what it was
        assert!(ended.is_none() || world.time() > 0.3, "{ended:?}");
    }
    let Some(StepError::Crushed { obstacle, depth, cell, .. }) = ended else { panic!("{ended:?}") };
    assert!((obstacle == "floor" || obstacle == "press") && depth > 0.5 * cell, "{obstacle} {depth} {cell}");
}

/// A particle of 1 kg that falls from a height on a spring without damper comes back to it, as nothing takes energy; however
/// stiff the spring, and though its contact begins and ends within steps. Each of the two may be off by 0.003 of the energy, as
/// may steps between.
#[test]
fn a_ball_bounces_back_to_where_it_was() {
    for stiffness in [2e3, 2e5, 2e7, 2e9] {
        for (height, dt) in [(1.0, 0.05), (0.8, 0.05), (1.3, 0.02), (0.5, 0.01)] {
            let part = Part::Points { places: vec![Vec3::Z * height], masses: vec![1.0] };
            let contact = PointContact { radius: 0.0, stiffness, damping: 0.0 };
            let pace = Pace::Adaptive { energy_error: None, budget: None };
            let settings = LatticeSettings { pace, point_contact: Some(contact), ..LatticeSettings::default() };
            let mut world = world_of(spec(part, 1e5, settings));
            obstacle(&mut world, "floor", ShapeKind::Plane, Pose::IDENTITY, Motion::Hold);
            let (mut energy, mut risen) = (f64::NAN, false);
            while world.time() < 1.9 * f64::sqrt(2.0 * height / 9.81) {
                world.step(dt).unwrap();
                let (z, v) = (lattice(&world).places()[0].z, lattice(&world).velocities()[0].z);
                risen |= v > 0.0;
                // seen from outside, in flight
                energy = if risen && z > 0.0 { 0.5 * v * v + 9.81 * z } else { energy };
            }
            let off = energy / (9.81 * height) - 1.0;
            assert!(off.abs() < 0.01, "{stiffness:e} N/m from {height} m in steps of {dt} s: energy off by {off}");
            // and it knows: what it says to have made of nothing is what is seen
            let told = lattice(&world).ledger().error / (9.81 * height);
            assert!((told - off).abs() < 0.005, "{stiffness:e} N/m from {height} m: told {told}, seen {off}");
        }
    }
}

/// A cube falls on a plate thinner than its particles can stop at, and on a bar between them: that it goes through is told. Lying on
/// a stand whose rims are between its particles, or falling beside the plate, it does not.
#[test]
fn what_comes_out_at_the_other_side_of_a_cube_is_told() {
    let plate = |thick: f64| ShapeKind::Box { size: Vec3::new(0.4, 0.4, thick) };
    let stand = ShapeKind::Box { size: Vec3::new(0.06, 0.4, 0.1) };
    let bar = ShapeKind::Box { size: Vec3::new(5e-3, 0.4, 5e-3) };
    for (kind, from, place, passes, below) in [
        (plate(2e-3), 0.3, Vec3::ZERO, true, true),
        (bar, 0.1, Vec3::X * 0.012, true, true),
        (plate(0.1), 0.01, Vec3::Z * -0.05, false, false),
        (stand, 1e-4, Vec3::Z * -0.05, false, false),
        (plate(2e-3), 0.3, Vec3::X * 0.3, false, true),
    ] {
        let mut body = spec(block(Vec3::splat(0.1), [4; 3]), 1e6, LatticeSettings::default());
        body.placed = Pose::from_translation(Vec3::Z * (from + 0.05));
        let mut world = world_of(body);
        obstacle(&mut world, "thing", kind.clone(), Pose::from_translation(place), Motion::Hold);
        let mut told = false;
        for _ in 0..400 {
            world.step(1e-3).unwrap();
            told |= world.events().iter().any(|e| matches!(e.kind, EventKind::Crossed { .. }));
        }
        let fell = world.frame().bodies[0].nodes.iter().all(|node| node.z < 0.0);
        assert_eq!((told, fell), (passes, below), "{kind:?} from {from}");
    }
}
