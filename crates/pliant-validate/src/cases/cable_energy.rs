//! The energy of undamped cables that fly, whip and collide: it never grows.

use std::f64::consts::PI;

use pliant::cable::{CableSettings, Step};
use pliant::contact::ShapeKind;
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::{Blend, Motion, Window};
use pliant::{Hold, Material, Section, World};

use super::contact::{RADIUS, cable, coulomb, hand, obstacle, silicone};
use super::rods::G;
use super::{Case, Sheet, largest};

/// Cases of this file.
pub const CASES: &[Case] = &[Case::of_cable("passivity", passivity)];

const LENGTH: f64 = 0.4;
const SEGMENTS: usize = 30;

/// The decaying step remembers changes of strain and velocity, with c = 1/60 of their energy: a mode of frequency w has
/// c (w step)^2 of its energy there, which is not counted and returns. At a hundred steps per period, where most of the
/// energy is, that is 7e-5.
const REMEMBERED: f64 = 1e-4;

/// A hand turns the end of a cable and lets go; with a floor and a drum below, or nothing.
fn flicked(turns: f64, time: f64, step: Step, restitution: f64, hits: bool, gravity: f64) -> World {
    let settings = CableSettings { damping_time: 0.0, step, restitution, ..CableSettings::default() };
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

/// Largest rise of the energy above its previous minimum, after a time [J].
fn rise(mut world: World, step: f64, from: f64, steps: usize) -> f64 {
    let mut frame = world.frame();
    let (mut least, mut risen) = (f64::INFINITY, 0.0_f64);
    let before = (from / step).ceil() as usize + 1;
    for k in 0..before + steps {
        if world.step(step).is_err() {
            return f64::NAN;
        }
        world.write_frame(&mut frame);
        if k >= before {
            let total = frame.bodies[0].energy.total();
            least = least.min(total);
            risen = risen.max(total - least);
        }
    }
    risen
}

/// A cable of random stiffness, density, link length and friction falls on a floor at a random angle. Returns the
/// largest rise of its energy relative to that of the fall.
fn dropped(random: &mut impl FnMut() -> f64, friction: f64) -> f64 {
    let between = |low: f64, high: f64, at: f64| low * (high / low).powf(at);
    let material = Material {
        young: between(1e5, 1e9, random()),
        poisson: 0.4,
        density: between(300.0, 8000.0, random()),
        friction: coulomb(friction),
    };
    let section = Section::Round { radius: between(1e-3, 6e-3, random()) };
    let heading = Vec3::new(1.0, random() - 0.5, 2.0 * random() - 0.5).normalize();
    let start = Vec3::Z * (0.02 + 0.3 * random() + 0.2);
    let segments = between(5.0, 50.0, random()) as usize;
    let step = [1e-3, 2e-3, 5e-3, 1e-2][(4.0 * random()) as usize % 4];
    let fall = section.mass_per_length(&material) * LENGTH * G * start.z;
    let settings = CableSettings::default();
    let path = vec![start, start + heading * LENGTH];
    let mut world = cable(material, section, path, segments, settings, Vec3::Z * -G);
    obstacle(&mut world, "floor", ShapeKind::Plane, Pose::IDENTITY);
    rise(world, step, 0.0, (0.7 / step) as usize) / fall
}

fn passivity(sheet: &mut Sheet) {
    let mass = Section::Round { radius: RADIUS }.mass_per_length(&silicone(coulomb(0.0))) * LENGTH;
    let swing = mass * G * LENGTH;
    for step in [1e-3, 5e-3, 1e-2] {
        // weightless spinning, and a flick that sends a wave through the cable
        for (name, turns, time, gravity) in [("free flight with spin", 0.5, 0.5, 0.0), ("whip", 0.25, 0.1, 0.0)] {
            for (rule, word, bound) in [(Step::Midpoint, "midpoint", 1e-11), (Step::Decaying, "decaying", REMEMBERED)] {
                let above = rise(flicked(turns, time, rule, 0.0, false, gravity), step, time, 4000);
                let text = format!("{name}, {word}, {} ms: rise of energy / swing", step * 1e3);
                sheet.scaled(text, SEGMENTS, [above, 0.0, swing], bound);
            }
        }
        for restitution in [0.0, 0.5] {
            for (name, turns, time) in [("impacts after a toss", 0.1, 0.2), ("impacts after a flick", 0.25, 0.1)] {
                let count = 4400;
                let above = rise(flicked(turns, time, Step::Decaying, restitution, true, G), step, time, count);
                let drop = mass * G * 0.4;
                let text = format!("{name}, restitution {restitution}, {} ms: rise of energy / drop", step * 1e3);
                sheet.scaled(text, SEGMENTS, [above, 0.0, drop], REMEMBERED);
            }
        }
    }
    for friction in [0.3, 0.8, 2.0] {
        let mut random = numbers();
        let most = largest((0..FALLS).map(|_| dropped(&mut random, friction)));
        let text = format!("{FALLS} cables of all kinds fall on a floor, friction {friction}: rise of energy / fall");
        sheet.scaled(text, FALLS, [most, 0.0, 1.0], REMEMBERED);
    }
}

/// Number of random cables for each friction.
const FALLS: usize = 60;

/// Pseudo-random numbers between 0 and 1.
fn numbers() -> impl FnMut() -> f64 {
    let mut state = 1_u64;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}
