//! The energy of undamped cables that fly, flick and hit: it never grows.

use std::f64::consts::PI;

use pliant::cable::CableSettings;
use pliant::contact::ShapeKind;
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::{Blend, Motion, Window};
use pliant::{Hold, Section, World};

use super::contact::{RADIUS, cable, coulomb, hand, obstacle, silicone};
use super::rods::G;
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[Case::of_cable("passivity", passivity)];

const LENGTH: f64 = 0.4;
const SEGMENTS: usize = 30;

/// A hand turns the end of a cable and lets go; a floor and a drum below, or nothing.
fn flicked(turns: f64, time: f64, restitution: f64, hits: bool, gravity: f64) -> World {
    let settings = CableSettings { damping_time: 0.0, restitution, ..CableSettings::default() };
    let start = Vec3::Z * 0.4;
    let path = vec![start, start + Vec3::new(1.0, 0.2, 0.1).normalize() * LENGTH];
    let section = Section::Round { radius: RADIUS };
    let mut world = cable(silicone(coulomb(0.3)), section, path, SEGMENTS, settings, Vec3::Z * -gravity);
    let window = Window { start: 0.0, end: time };
    let axis = Vec3::new(0.3, 1.0, 0.5);
    let angle = 2.0 * PI * turns;
    let motion = Motion::Turn { axis, centre: start, angle, advance: 0.0, blend: Blend::Linear, window };
    hand(&mut world, 0.0, Hold::Clamp, Pose::from_translation(start), motion, time);
    if hits {
        obstacle(&mut world, "floor", ShapeKind::Plane, Pose::IDENTITY);
        let across = Pose::from_parts(Vec3::new(0.15, 0.0, 0.1), Quat::from_rotation_x(0.5 * PI));
        obstacle(&mut world, "drum", ShapeKind::Cylinder { radius: 0.05, length: 0.4 }, across);
    }
    world
}

/// Most that the energy rises above that at a time [J].
fn rise(mut world: World, step: f64, from: f64, steps: usize) -> f64 {
    let mut frame = world.frame();
    let (mut start, mut risen) = (f64::NAN, 0.0_f64);
    let before = (from / step).ceil() as usize + 1;
    for k in 0..before + steps {
        if world.step(step).is_err() {
            return f64::NAN;
        }
        world.write_frame(&mut frame);
        let total = frame.bodies[0].energy.total();
        if k == before {
            start = total;
        }
        if k >= before {
            risen = risen.max(total - start);
        }
    }
    risen
}

fn passivity(sheet: &mut Sheet) {
    let mass = Section::Round { radius: RADIUS }.mass_per_length(&silicone(coulomb(0.0))) * LENGTH;
    let swing = mass * G * LENGTH;
    for step in [1e-3, 5e-3, 1e-2] {
        // spinning without weight, and a flick that sends a wave through the cable
        for (name, turns, time, gravity) in [("free flight with spin", 0.5, 0.5, 0.0), ("whip", 0.25, 0.1, 0.0)] {
            let count = 8000;
            let above = rise(flicked(turns, time, 0.0, false, gravity), step, time, count);
            let text = format!("{name}, {} ms: rise of energy / swing", step * 1e3);
            sheet.scaled(text, SEGMENTS, [above, 0.0, swing], 1e-11);
        }
        for restitution in [0.0, 0.5] {
            for (name, turns, time) in [("impacts after a toss", 0.1, 0.2), ("impacts after a flick", 0.25, 0.1)] {
                let count = 4400;
                let above = rise(flicked(turns, time, restitution, true, G), step, time, count);
                let drop = mass * G * 0.4;
                let text = format!("{name}, restitution {restitution}, {} ms: rise of energy / drop", step * 1e3);
                sheet.scaled(text, SEGMENTS, [above, 0.0, drop], 1e-11);
            }
        }
    }
}
