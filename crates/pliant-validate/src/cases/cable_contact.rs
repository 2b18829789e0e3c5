//! A cable in contact with planes and drums: sticking, sliding, coming to rest, and not penetrating.

use std::f64::consts::PI;

use pliant::Rest;
use pliant::cable::{CableSettings, CableSpec};
use pliant::contact::ShapeKind;
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::{Motion, Window};
use pliant::{Frame, Hold, Material, Rigidities, Section, World};

use super::contact::{RADIUS, cable, coulomb, deepest, hand, obstacle, silicone, world_with};
use super::references::rods_static;
use super::rods::G;
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[
    Case::of_cable("pushed-strip", pushed_strip),
    Case::of_cable("slope", slope),
    Case::of_cable("drop", drop),
    Case::of_cable("steel-and-silicone", steel_and_silicone),
];

/// A weightless strip clamped upright above a rough plane and pushed down on it: its tip sticks until H / P = mu.
fn pushed_strip(sheet: &mut Sheet) {
    for r in rods_static().stick_slip_threshold {
        let at = slips_at(r.mu);
        sheet.relative(format!("push / L at which the tip slips, mu = {}", r.mu), 40, at, r.push, 0.02);
    }
}

/// Push / L at which the tip of a strip begins to slide.
fn slips_at(mu: f64) -> f64 {
    // thin, so that the tip is a point, and stiff against stretching
    let (length, radius, ei) = (0.1, 2e-5, 1e-4);
    let given = Rigidities { radius, mass_per_length: 2e-3, ea: 2e4, ga: 2e4, ei: [ei; 2], gj: ei };
    // bent a little, about as it will buckle: no deflection or slope at the clamp, no deflection at the tip
    let bow = 1e-3 * length;
    let path = (0..=100).map(|k| {
        let s = f64::from(k) / 100.0;
        Vec3::new(bow * 6.75 * s * s * (1.0 - s), 0.0, radius + length * (1.0 - s))
    });
    let settings = CableSettings { damping_time: 1e-3, drag: 100.0, ..CableSettings::default() };
    let spec = CableSpec {
        material: silicone(coulomb(mu)),
        section: Section::Explicit(given),
        path: path.collect(),
        normal: None,
        rest: Rest::Path,
        segments: 40,
        settings,
    };
    let mut world = world_with(spec, Vec3::ZERO);
    obstacle(&mut world, "plane", ShapeKind::Plane, Pose::IDENTITY);
    let speed = 0.005;
    let motion = Motion::Glide { velocity: Vec3::Z * -speed, acceleration: Vec3::ZERO, window: Window::ALWAYS };
    let top = Pose::from_translation(Vec3::Z * (length + radius));
    hand(&mut world, 0.0, Hold::Clamp, top, motion, f64::INFINITY);
    let (step, mut frame) = (1e-3, Frame::default());
    while world.time() * speed < 0.4 * length {
        if world.step(step).is_err() {
            return f64::NAN;
        }
        world.write_frame(&mut frame);
        let pushed = world.time() * speed / length;
        let tip = frame.bodies[0].nodes[40];
        // more than the tip rolls, at most 1.5 times its radius
        if tip.x.hypot(tip.y) > 2.0 * radius {
            return pushed;
        }
    }
    f64::NAN
}

/// A straight cable along a slope.
fn on_slope(degrees: f64, mu: f64) -> (World, Vec3) {
    let turn = Quat::from_rotation_y(degrees.to_radians());
    let (down, up) = (turn * Vec3::X, turn * Vec3::Z);
    let path = vec![up * RADIUS, up * RADIUS + down * 0.4];
    let section = Section::Round { radius: RADIUS };
    let gravity = Vec3::Z * -G;
    let mut world = cable(silicone(coulomb(mu)), section, path, 40, CableSettings::default(), gravity);
    obstacle(&mut world, "slope", ShapeKind::Plane, Pose::from_rotation(turn));
    (world, down)
}

fn middle(world: &World) -> Vec3 {
    let frame = world.frame();
    let nodes = &frame.bodies[0].nodes;
    nodes.iter().sum::<Vec3>() / nodes.len() as f64
}

fn run(world: &mut World, step: f64, time: f64) -> bool {
    (0..(time / step).round() as usize).all(|_| world.step(step).is_ok())
}

/// Below the friction angle it stays; above, it slides with g (sin a - mu cos a).
fn slope(sheet: &mut Sheet) {
    let (mut world, down) = on_slope(20.0, 0.5);
    let start = world.frame();
    let fine = run(&mut world, 0.01, 60.0);
    let end = world.frame();
    let pairs = start.bodies[0].nodes.iter().zip(&end.bodies[0].nodes);
    let drift = pairs.map(|(a, b)| (*b - *a).dot(down).abs()).fold(0.0, f64::max);
    let drift = if fine { drift } else { f64::NAN };
    sheet.scaled("drift in 60 s at 20 degrees, mu = 0.5 [um]", 40, [drift, 0.0, 1e-6], 1.0);
    let (mut world, down) = on_slope(20.0, 0.2);
    // two distances over time, after enough time for it to start sliding
    let mut at = [0.0; 3];
    for x in &mut at {
        if !run(&mut world, 0.01, 0.3) {
            break;
        }
        *x = middle(&world).dot(down);
    }
    let acceleration = (at[2] - 2.0 * at[1] + at[0]) / (0.3 * 0.3);
    let angle = 20.0_f64.to_radians();
    let reference = G * (angle.sin() - 0.2 * angle.cos());
    sheet.relative("acceleration at 20 degrees, mu = 0.2 [m/s2]", 40, acceleration, reference, 0.01);
}

/// Dropped flat and tilted, a cable comes to rest and the floor carries its weight.
fn drop(sheet: &mut Sheet) {
    let section = Section::Round { radius: RADIUS };
    let material = silicone(coulomb(0.5));
    let (length, height) = (0.4, 0.1);
    for (name, tilt) in [("flat", 0.0), ("tilted", 0.3)] {
        let along = Vec3::new(f64::cos(tilt), 0.0, f64::sin(tilt));
        let start = Vec3::Z * (RADIUS + height);
        let path = vec![start, start + along * length];
        let gravity = Vec3::Z * -G;
        let mut world = cable(material, section, path, 40, CableSettings::default(), gravity);
        obstacle(&mut world, "floor", ShapeKind::Plane, Pose::IDENTITY);
        let weight = section.mass_per_length(&material) * length * G;
        let (mut frame, mut depth) = (world.frame(), 0.0_f64);
        for _ in 0..1000 {
            if world.step(0.01).is_err() {
                depth = f64::NAN;
                break;
            }
            world.write_frame(&mut frame);
            depth = depth.max(deepest(&frame));
        }
        let kinetic = frame.bodies[0].energy.kinetic;
        sheet.scaled(
            format!("{name}: kinetic energy / energy of the drop"),
            40,
            [kinetic, 0.0, weight * height],
            1e-12,
        );
        let carried: Vec3 = frame.contacts.iter().map(|c| c.force).sum();
        sheet.relative(format!("{name}: force of the floor [N]"), 40, carried.z, weight, 1e-6);
        // a link may sink in by an 80th of its radius in a step, and one that has by a fifth of that deeper
        sheet.scaled(format!("{name}: penetration [um]"), 40, [depth, 0.0, 1e-6], 30.0);
    }
}

/// Steel wire and silicone, at each of these steps, dropped on a floor and dragged over a drum.
fn steel_and_silicone(sheet: &mut Sheet) {
    let steel = Material { young: 2.1e11, poisson: 0.3, density: 7850.0, friction: coulomb(0.3) };
    for (name, material, radius) in [("steel", steel, 1e-3), ("silicone", silicone(coulomb(0.3)), RADIUS)] {
        for step in [1e-3, 2e-3, 5e-3, 1e-2] {
            let fell = fall(material, radius, step);
            let text = format!("{name}, dropped, {} ms: penetration [um]", step * 1e3);
            sheet.scaled(text, 40, [fell, 0.0, 1e-6], 100.0);
            let dragged = drag(material, radius, step);
            let text = format!("{name}, dragged over a drum, {} ms: penetration [um]", step * 1e3);
            sheet.scaled(text, 40, [dragged, 0.0, 1e-6], 100.0);
        }
    }
}

/// Deepest penetration [m]; NaN if a step fails.
fn depth_over(world: &mut World, step: f64, time: f64) -> f64 {
    let (mut depth, mut frame) = (0.0_f64, Frame::default());
    for _ in 0..(time / step).round() as usize {
        if world.step(step).is_err() {
            return f64::NAN;
        }
        world.write_frame(&mut frame);
        depth = depth.max(deepest(&frame));
    }
    depth
}

fn fall(material: Material, radius: f64, step: f64) -> f64 {
    let path = vec![Vec3::new(0.0, 0.0, 0.2), Vec3::new(0.4, 0.0, 0.3)];
    let gravity = Vec3::Z * -G;
    let mut world = cable(material, Section::Round { radius }, path, 40, CableSettings::default(), gravity);
    obstacle(&mut world, "floor", ShapeKind::Plane, Pose::IDENTITY);
    depth_over(&mut world, step, 1.0)
}

/// A cable across a drum, dragged along and down by one end.
fn drag(material: Material, radius: f64, step: f64) -> f64 {
    let drum = 0.05;
    let path = vec![Vec3::new(-0.3, 0.0, drum + radius), Vec3::new(0.1, 0.0, drum + radius)];
    let end = path[1];
    let gravity = Vec3::Z * -G;
    let mut world = cable(material, Section::Round { radius }, path, 40, CableSettings::default(), gravity);
    let across = Pose::from_rotation(Quat::from_rotation_x(0.5 * PI));
    obstacle(&mut world, "drum", ShapeKind::Cylinder { radius: drum, length: 0.2 }, across);
    let window = Window { start: 0.0, end: 1.0 };
    let motion = Motion::Glide { velocity: Vec3::new(0.2, 0.0, -0.02), acceleration: Vec3::ZERO, window };
    hand(&mut world, 1.0, Hold::Position, Pose::from_translation(end), motion, f64::INFINITY);
    depth_over(&mut world, step, 1.2)
}
