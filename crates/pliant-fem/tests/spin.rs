//! Bodies of the model `response` that spin fast, or are where they cannot be.
#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;

use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::Motion;
use pliant::response::{Damping, Known, Response, ResponseSettings, ResponseSpec};
use pliant::{Body, Friction, StepError, World};
use pliant_fem::{Elastic, Order, Recipe, TetMesh};

/// Three different moments of inertia.
const SIZE: Vec3 = Vec3::new(0.1, 0.06, 0.04);
const DENSITY: f64 = 1000.0;

/// About the middle axis, and a little about the others: it tumbles.
const AXIS: Vec3 = Vec3::new(0.02, 1.0, 0.015);

fn block(young: f64, spin: Vec3, sample: f64) -> World {
    let mesh = TetMesh::block([5, 3, 2], SIZE).unwrap();
    let elastic = Elastic { young, poisson: 0.3, density: DENSITY };
    let recipe = Recipe { order: Order::Linear, ..Recipe::new(mesh, elastic, 40) };
    let solid = Known::Modes(recipe.compute(1, &mut |_| ControlFlow::Continue(())).unwrap());
    let damping = Damping::Rayleigh { mass: 0.0, stiffness: 0.0 };
    // the centre stays at the origin
    let (placed, velocity) = (Pose::from_translation(-0.5 * SIZE), spin.cross(-0.5 * SIZE));
    let settings = ResponseSettings { damping, sample, ..ResponseSettings::default() };
    let spec = ResponseSpec { solid, friction: Friction::NONE, placed, velocity, spin, settings };
    let mut world = World::new(Vec3::ZERO);
    world.add_body(Body::Response(Response::new("block", spec).unwrap())).unwrap();
    world
}

fn response(world: &World) -> &Response {
    match &world.bodies()[0] {
        Body::Response(response) => response,
        _ => panic!(),
    }
}

fn moments() -> Vec3 {
    let (mass, s) = (DENSITY * SIZE.x * SIZE.y * SIZE.z, SIZE * SIZE);
    Vec3::new(s.y + s.z, s.x + s.z, s.x + s.y) * (mass / 12.0)
}

/// Euler's equations by Runge and Kutta's method of fourth order, in steps of a thousandth of a radian: turn and spin in its own axes.
fn by_euler(turn: &mut Quat, spin: &mut Vec3, time: f64) {
    let rate = |w: Vec3| -w.cross(moments() * w) / moments();
    let change = |q: Quat, w: Vec3| q * Quat::from_xyzw(0.5 * w.x, 0.5 * w.y, 0.5 * w.z, 0.0);
    let count = (time * spin.length() / 1e-3).ceil();
    let h = time / count;
    for _ in 0..count as usize {
        let (a, p) = (rate(*spin), change(*turn, *spin));
        let (w, q) = (*spin + a * (0.5 * h), *turn + p * (0.5 * h));
        let (b, r) = (rate(w), change(q, w));
        let (w, q) = (*spin + b * (0.5 * h), *turn + r * (0.5 * h));
        let (c, s) = (rate(w), change(q, w));
        let (w, q) = (*spin + c * h, *turn + s * h);
        let (d, t) = (rate(w), change(q, w));
        *spin += (a + (b + c) * 2.0 + d) * (h / 6.0);
        *turn = (*turn + (p + (r + s) * 2.0 + t) * (h / 6.0)).normalize();
    }
}

/// A stiff block, by the places of its nodes alone: they are where Euler's equations have them, and with them its momentum; its
/// energy is that of a rigid block. Steps turn it by up to two radians.
#[test]
fn tumbles_at_any_speed_as_eulers_equations_say() {
    for (rate, step) in [(1.0, 1e-2), (10.0, 2e-3), (100.0, 2e-3), (1000.0, 2e-3)] {
        let (mut turn, mut spin) = (Quat::IDENTITY, AXIS * rate);
        let energy = 0.5 * spin.dot(moments() * spin);
        // at 1000 rad/s it is stretched by 2e-9 of its size
        let mut world = block(1e15, spin, step);
        let mut places = vec![];
        response(&world).write_surface(&mut places);
        let rest = places.clone();
        let (mut tilted, count) = (0.0_f64, (50.0 / rate / step) as usize);
        for n in 0..count {
            world.step(step).unwrap();
            by_euler(&mut turn, &mut spin, step);
            response(&world).write_surface(&mut places);
            let off =
                places.iter().zip(&rest).map(|(place, rest)| (*place - turn * *rest).length()).fold(0.0, f64::max);
            // of fourth order in turns of a fifth of a radian: some 1e-6 for each radian
            assert!(off < 1e-4 * SIZE.length(), "{rate} rad/s, step {n} of {count}: {off}");
            let drift = response(&world).energy(Vec3::ZERO).total() / energy - 1.0;
            assert!(drift.abs() < 1e-9, "{rate} rad/s, step {n}: {drift}");
            tilted = tilted.max((turn * Vec3::Y).angle_between(Vec3::Y));
        }
        assert!(tilted > 2.0, "{rate} rad/s: it turns over, {tilted}");
    }
}

/// What spin gives to vibrations, and back, is neither more nor less.
#[test]
fn a_soft_block_that_spins_and_swings_keeps_its_energy() {
    for (rate, step) in [(10.0, 4e-3), (60.0, 4e-3), (60.0, 1e-3)] {
        let mut world = block(1e5, AXIS * rate, step);
        let first = response(&world).energy(Vec3::ZERO).total();
        let mut swung = 0.0_f64;
        for n in 0..2000 {
            world.step(step).unwrap();
            let energy = response(&world).energy(Vec3::ZERO);
            assert!((energy.total() / first - 1.0).abs() < 1e-11, "{rate} rad/s, step {n}: {energy:?} of {first}");
            swung = swung.max(energy.elastic / first);
        }
        assert!(rate < 20.0 || swung > 1e-3, "{swung}");
    }
}

#[test]
fn a_spin_that_would_tear_it_is_told_and_ends_the_run() {
    let mut world = block(1e4, AXIS * 600.0, 2e-3);
    assert!(response(&world).strained_by_spin() > 1.0);
    let first = response(&world).energy(Vec3::ZERO).total();
    let error = (0..500).find_map(|_| {
        let stepped = world.step(2e-3).err();
        assert!(stepped.is_some() || response(&world).energy(Vec3::ZERO).total() < 1.0001 * first);
        stepped
    });
    let Some(StepError::Deformed { body, by, .. }) = error else { panic!("{error:?}") };
    assert!(body == "block" && by > 0.5, "{by}");
    assert!(response(&block(1e9, AXIS * 10.0, 2e-3)).strained_by_spin() < 1e-4);
}

/// Between planes with no room between them: no state of it is absurd without an error.
#[test]
fn squeezed_into_nothing_ends_with_an_error() {
    let mut world = block(2e4, Vec3::ZERO, 2e-3);
    for (name, at, normal) in [("low", 0.015, Vec3::Z), ("high", -0.015, -Vec3::Z), ("side", 0.04, Vec3::X)] {
        let placed = Pose::from_parts(normal.abs() * at, Quat::from_rotation_arc(Vec3::Z, normal));
        let (shape, motion) = (Shape::new(ShapeKind::Plane).unwrap(), Motion::Hold);
        world.add_obstacle(ObstacleParams { name: name.into(), shape, placed, motion, friction: None }).unwrap();
    }
    let refused = world.clone().ready().unwrap_err().to_string();
    assert!(refused.contains("begins inside") && refused.contains(" at ["), "{refused}");
    // the work of an elastic squeeze by all of its size
    let most = 2e4 * SIZE.x * SIZE.y * SIZE.z;
    for _ in 0..200 {
        match world.step(2e-3) {
            Err(error) => return assert!(matches!(error, StepError::Deformed { .. }), "{error}"),
            Ok(()) => assert!(response(&world).energy(Vec3::ZERO).total() < 100.0 * most),
        }
    }
}
