//! The cable in practical tasks: thin walls, meshes, jaws, cables on cables.

use std::f64::consts::PI;

use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec};
use pliant::contact::{Mesh, ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::{Blend, Motion, Waypoint, Window};
use pliant::{
    Body, EventKind, GripParams, GripperId, GripperParams, Hold, Jaws, Load, Material, Place, Section, World,
};

use super::contact::{RADIUS, YOUNG, cable, coulomb, obstacle, silicone};
use super::rods::{G, built};
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[
    Case::of_cable("walls", walls),
    Case::of_cable("plates", plates),
    Case::of_cable("mesh", mesh),
    Case::of_cable("cable-on-cable", cable_on_cable),
    Case::of_cable("jaws", jaws),
];

/// A gripper that holds a point and moves.
pub(super) fn gripper(world: &mut World, name: &str, at: Vec3, motion: Motion, grip: impl Fn(GripperId) -> GripParams) {
    let (name, placed) = (name.into(), Pose::from_translation(at));
    let hand = built(world.add_gripper(GripperParams { name, placed, motion }));
    built(world.add_grip(grip(hand)));
}

/// Run for a time. Returns how often anything passed through anything, and the deepest penetration [m].
fn watched(world: &mut World, step: f64, time: f64) -> (f64, f64) {
    let mut crossed = 0.0;
    for _ in 0..(time / step).round() as usize {
        if world.step(step).is_err() {
            return (f64::NAN, f64::NAN);
        }
        crossed += world.events().iter().filter(|e| matches!(e.kind, EventKind::Crossed { .. })).count() as f64;
    }
    (crossed, world.deepest())
}

/// Silicone pulled down on both sides of a wall until it is stretched by half: it stays on top.
fn walls(sheet: &mut Sheet) {
    for thickness in [2e-4, 1e-3, 1e-2] {
        for step in [0.01, 0.002] {
            let path = vec![Vec3::new(-0.3, 0.0, 0.502), Vec3::new(0.3, 0.0, 0.502)];
            let (material, section) = (silicone(coulomb(0.3)), Section::Round { radius: RADIUS });
            let gravity = Vec3::Z * -G;
            let mut world = cable(material, section, path, 60, CableSettings::default(), gravity);
            let size = Vec3::new(thickness, 0.2, 0.5);
            obstacle(&mut world, "wall", ShapeKind::Box { size }, Pose::from_translation(Vec3::Z * 0.25));
            for (name, side) in [("left", -1.0), ("right", 1.0)] {
                let at = |time: f64, x: f64, z: f64| Waypoint {
                    time,
                    position: Vec3::new(side * x, 0.0, z),
                    orientation: None,
                };
                let waypoints = vec![at(0.0, 0.3, 0.502), at(0.5, 0.02, 0.22), at(2.0, 0.02, 0.05)];
                let motion = Motion::Waypoints { blend: Blend::Linear, waypoints };
                let place = Place::Fraction(0.5 + 0.5 * side);
                let body = built(world.body_at(0));
                gripper(&mut world, name, Vec3::new(side * 0.3, 0.0, 0.502), motion, |hand| {
                    GripParams::new(hand, body, place, Hold::Position)
                });
            }
            let (crossed, deepest) = watched(&mut world, step, 2.0);
            let what = format!("{} mm at {} ms", thickness * 1e3, step * 1e3);
            sheet.scaled(format!("crossings of a wall of {what}"), 60, [crossed, 0.0, 1.0], 0.0);
            sheet.scaled(format!("deepest place on a wall of {what} [mm]"), 60, [deepest, 0.0, 1e-3], 0.1);
        }
    }
}

/// A plate strikes a cable that is held at both ends: nothing passes through, and up to 5 m/s nothing penetrates by
/// more than a twentieth of the radius.
fn plates(sheet: &mut Sheet) {
    for (thickness, speed) in [(2e-4, 5.0), (1e-2, 5.0), (2e-4, 50.0), (1e-2, 50.0)] {
        let path = vec![Vec3::X * -0.3, Vec3::X * 0.3];
        let (material, section) = (silicone(coulomb(0.3)), Section::Round { radius: RADIUS });
        let mut world = cable(material, section, path, 60, CableSettings::default(), Vec3::ZERO);
        for (name, place) in [("left", 0.0), ("right", 1.0)] {
            let at = Vec3::X * (0.6 * place - 0.3);
            let body = built(world.body_at(0));
            gripper(&mut world, name, at, Motion::Hold, |hand| {
                GripParams::new(hand, body, Place::Fraction(place), Hold::Position)
            });
        }
        let shape = Shape::new(ShapeKind::Box { size: Vec3::new(0.2, thickness, 0.2) });
        let shape = shape.unwrap_or_else(|e| unreachable!("a shape of this file: {e}"));
        let window = Window { start: 0.0, end: 0.2 / speed };
        let motion = Motion::Glide { velocity: Vec3::Y * speed, acceleration: Vec3::ZERO, window };
        let placed = Pose::from_translation(Vec3::Y * -0.1);
        built(world.add_obstacle(ObstacleParams { name: "plate".into(), shape, placed, motion, friction: None }));
        let (crossed, deepest) = watched(&mut world, 0.01, 0.1);
        let what = format!("plate of {} mm at {speed} m/s", thickness * 1e3);
        sheet.scaled(format!("crossings of a {what}"), 60, [crossed, 0.0, 1.0], 0.0);
        if speed < 10.0 {
            sheet.scaled(format!("deepest place in a {what} / radius"), 60, [deepest, 0.0, RADIUS], 0.05);
        }
    }
}

/// The surface of a box: each face in a number of strips, alternately along its sides, with unshared vertices.
fn boxed(size: Vec3, strips: u32) -> Mesh {
    let mut mesh = Mesh::default();
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let along = |k: usize| Vec3::from_array(std::array::from_fn(|c| if c == k % 3 { size[c] } else { 0.0 }));
            let (n, u, v) = (along(axis) * (0.5 * side), along(axis + 1), along(axis + 2) * side);
            let corner = n - 0.5 * u - 0.5 * v;
            for k in 0..strips {
                let (from, to) = (f64::from(k) / f64::from(strips), f64::from(k + 1) / f64::from(strips));
                let first = mesh.vertices.len() as u32;
                mesh.vertices.extend([corner + u * from, corner + u * to, corner + u * to + v, corner + u * from + v]);
                mesh.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
            }
        }
    }
    mesh
}

/// A cable over a box, held on one side and with a weight on the other, is let down: the pull on the hand is that over
/// the primitive, whatever the triangles.
fn mesh(sheet: &mut Sheet) {
    let size = Vec3::new(0.04, 0.1, 0.02);
    let turn = Quat::from_rotation_y(0.1) * Quat::from_rotation_z(0.2);
    for step in [0.01, 0.002, 5e-4] {
        let pull = |kind: ShapeKind| {
            let path = vec![Vec3::new(-0.2, 0.0, 0.02), Vec3::new(0.2, 0.0, 0.02)];
            let (material, section) = (silicone(coulomb(0.3)), Section::Round { radius: RADIUS });
            let settings = CableSettings { drag: 2.0, ..CableSettings::default() };
            let mut world = cable(material, section, path, 60, settings, Vec3::Z * -G);
            obstacle(&mut world, "box", kind, Pose::from_rotation(turn));
            let at = |time: f64, x: f64, z: f64| Waypoint { time, position: Vec3::new(x, 0.0, z), orientation: None };
            let waypoints = vec![at(0.0, -0.2, 0.02), at(1.0, -0.1, -0.1)];
            let motion = Motion::Waypoints { blend: Blend::Linear, waypoints };
            let body = built(world.body_at(0));
            gripper(&mut world, "hand", Vec3::new(-0.2, 0.0, 0.02), motion, |hand| {
                GripParams::new(hand, body, Place::Fraction(0.0), Hold::Position)
            });
            let (place, force) = (Place::Fraction(1.0), Vec3::Z * -0.3);
            let load = Load { rise: 1.0, ..Load::new(built(world.body_at(0)), place, force) };
            built(world.add_load(load));
            if watched(&mut world, step, 2.0).0 == 0.0 { world.grippers()[0].load.force.length() } else { f64::NAN }
        };
        let primitive = pull(ShapeKind::Box { size });
        for strips in [1, 7] {
            let what = format!("pull over a mesh of {} triangles against the box, {} ms [N]", 12 * strips, step * 1e3);
            sheet.relative(what, 60, pull(ShapeKind::Mesh(boxed(size, strips))), primitive, 0.01);
        }
    }
}

/// A limp cable hangs over another with legs of different lengths, held by friction: it stays.
fn cable_on_cable(sheet: &mut Sheet) {
    for step in [0.01, 0.005] {
        let mut world = World::new(Vec3::Z * -G);
        let bend = |k: u32| {
            let a = PI * (1.0 - f64::from(k) / 12.0);
            Vec3::new(a.cos(), 0.0, a.sin()) * (2.0 * RADIUS)
        };
        let mut path = vec![Vec3::new(-2.0 * RADIUS, 0.0, -0.2)];
        path.extend((0..=12).map(bend));
        path.push(Vec3::new(2.0 * RADIUS, 0.0, -0.17));
        let limp = Material { young: 3e4, poisson: 0.45, ..silicone(coulomb(0.4)) };
        let steel = Material { young: 2e11, poisson: 0.3, density: 7800.0, friction: coulomb(0.4) };
        let bar = vec![Vec3::Y * -0.05, Vec3::Y * 0.05];
        for (name, material, path, segments) in [("wire", limp, path, 80), ("bar", steel, bar, 20)] {
            let section = Section::Round { radius: RADIUS };
            let settings = CableSettings { drag: 3.0, ..CableSettings::default() };
            let spec = CableSpec { material, section, path, normal: None, rest: Rest::Straight, segments, settings };
            built(world.add_body(Body::Cable(built(Cable::new(name, spec)))));
        }
        for (name, place) in [("left", 0.0), ("right", 1.0)] {
            let body = built(world.body_at(1));
            gripper(&mut world, name, Vec3::Y * (0.1 * place - 0.05), Motion::Hold, |hand| {
                GripParams::new(hand, body, Place::Fraction(place), Hold::Clamp)
            });
        }
        // until it no longer swings
        watched(&mut world, step, 20.0);
        let nodes = |world: &World| world.frame().bodies[0].nodes.clone();
        let start = nodes(&world);
        let (crossed, _) = watched(&mut world, step, 60.0);
        // rolling along the bar is not resisted
        let slid = |a: Vec3, b: Vec3| (b - a).reject_from(Vec3::Y).length();
        let moved = start.iter().zip(nodes(&world)).map(|(a, b)| slid(*a, b)).fold(crossed, f64::max);
        let what = format!("drift in 60 s, limp cable over a bar, {} ms [um]", step * 1e3);
        sheet.scaled(what, 80, [moved, 0.0, 1e-6], 1.0);
    }
}

/// A cable drawn through jaws that hold it by friction pulls with that force until its end is out.
fn jaws(sheet: &mut Sheet) {
    let (length, at, slips_at, speed) = (0.5, 0.8, 0.3, 0.02);
    for step in [0.01, 0.002] {
        let path = vec![Vec3::ZERO, Vec3::X * length];
        let (material, section) = (silicone(coulomb(0.0)), Section::Round { radius: RADIUS });
        let settings = CableSettings { drag: 5.0, ..CableSettings::default() };
        let mut world = cable(material, section, path, 50, settings, Vec3::ZERO);
        let body = built(world.body_at(0));
        gripper(&mut world, "wall", Vec3::ZERO, Motion::Hold, |hand| {
            GripParams::new(hand, body, Place::Fraction(0.0), Hold::Clamp)
        });
        let motion = Motion::Glide { velocity: Vec3::X * speed, acceleration: Vec3::ZERO, window: Window::ALWAYS };
        let jaws = Jaws { slips_at, ..Jaws::FIRM };
        let body = built(world.body_at(0));
        gripper(&mut world, "jaws", Vec3::X * (at * length), motion, |hand| GripParams {
            jaws,
            ..GripParams::new(hand, body, Place::Fraction(at), Hold::Clamp)
        });
        let (mut lost, mut pull) = (f64::NAN, f64::NAN);
        while lost.is_nan() && world.time() < 10.0 {
            if world.step(step).is_err() {
                break;
            }
            match world.events().iter().find(|e| matches!(e.kind, EventKind::Lost { .. })) {
                Some(event) => lost = event.time,
                None => pull = world.grippers()[0].load.force.length(),
            }
        }
        // the length between the two is then the whole cable, stretched by that force
        let area = PI * RADIUS * RADIUS;
        let expected = length * (1.0 + slips_at / (YOUNG * area) - at) / speed;
        sheet.relative(
            format!("pull through jaws that slip at 0.3 N, {} ms [N]", step * 1e3),
            50,
            pull,
            slips_at,
            0.01,
        );
        sheet.relative(format!("time at which its end is out, {} ms [s]", step * 1e3), 50, lost, expected, 0.005);
    }
}
