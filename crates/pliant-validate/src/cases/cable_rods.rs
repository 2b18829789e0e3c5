//! The cable model against rod theory: static shapes in the plane and in space, frequencies, energy.

use std::f64::consts::{PI, TAU};

use pliant::Rest;
use pliant::cable::{CableSettings, CableSpec, Step};
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::Motion;
use pliant::{Frame, Friction, Hold, Load, Material, Place, Rigidities, Section, World};

use super::contact::{cable, hand, silicone as silicone_with, world_with};

use super::references::{rods_3d, rods_static};
use super::rods::{G, Model, Rod, built, heavy_elastica, hold, period, settle, tip, tip_loaded, world_of};
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[
    Case::of_cable("tip-loaded-cantilever", |sheet| tip_loaded(sheet, Model::Cable, 1e-3)),
    Case::of_cable("heavy-elastica", |sheet| heavy_elastica(sheet, Model::Cable, 1.2e-3)),
    Case::of_cable("helix-under-end-moment", helix),
    Case::of_cable("dead-loads-in-space", dead_loads),
    Case::of_cable("bend-of-45-degrees", bend_of_45_degrees),
    Case::of_cable("frequencies", frequencies),
    Case::of_cable("energy", energy),
    Case::of_cable("unresolved-waves", unresolved_waves),
    Case::of_cable("force-at-rest", force_at_rest),
];

/// 0.4 m of the paper's silicone cable, in 40 links.
fn silicone() -> Rod {
    let (length, radius, young) = (0.4, 2e-3, 4.462e6);
    Rod { model: Model::Cable, length, radius, young, density: 1100.0, points: 41, damping: 0.0 }
}

/// A rod along +z, clamped at the origin, at rest under a dead force and moment at its tip.
fn held_upright(rod: &Rod, force: Vec3, torque: Vec3) -> Frame {
    let mut world = world_of(rod.body(vec![Vec3::ZERO, Vec3::Z * rod.length]), Vec3::ZERO);
    let turn = Quat::from_rotation_arc(Vec3::X, Vec3::Z);
    hold(&mut world, "wall", 0.0, Hold::Clamp, Pose::from_rotation(turn));
    // in small increments: a moment applied at once would spin the tip before the rod can follow
    let period = 6.0 / rod.frequency();
    for part in 0..20 {
        push(&mut world, force / 20.0, torque / 20.0, 0.1 * period * f64::from(part));
    }
    settle(world, rod.length, period)
}

/// A dead load at the tip, from a time on.
fn push(world: &mut World, force: Vec3, torque: Vec3, from: f64) {
    let place = Place::Fraction(1.0);
    built(world.add_load(Load { torque, from, ..Load::new(built(world.body_at(0)), place, force) }));
}

/// A dead moment bends a straight rod to a helix: the cheapest test that distinguishes EI from GJ.
fn helix(sheet: &mut Sheet) {
    for r in rods_static().helix_dead_end_moment.iter().filter(|r| (r.gj - 2.0 / 3.0).abs() < 1e-9) {
        // a full circle ends in its own clamp, and cables do not pass through themselves
        if Vec3::from_array(r.tip_position).length() < 0.05 {
            continue;
        }
        let at = |points: usize| {
            let mut rod = Rod::thin(Model::Cable, points);
            rod.damping = 4.0 * rod.frequency();
            let torque = Vec3::from_array(r.tip_moment) * (rod.rigidity() / rod.length);
            let tip = tip(&held_upright(&rod, Vec3::ZERO, torque)) / rod.length;
            (tip - Vec3::from_array(r.tip_position)).length()
        };
        let name = format!("tip error / L at moment {:?}", r.tip_moment.map(|m| (m * 100.0).round() / 100.0));
        let error = at(41);
        sheet.scaled(name, 40, [error, 0.0, 1.0], 5e-4);
        if r.tip_moment[2] == 3.0 {
            sheet.order("tip", [20, 40, 80], [at(21), error, at(81)], 2.0);
        }
    }
}

/// 0.1 m of the paper's silicone cable, with stretch and shear.
fn dead_loads(sheet: &mut Sheet) {
    for (name, r) in rods_3d() {
        let radius = 2e-3;
        let young = r.ea / Section::Round { radius }.area();
        let mut rod =
            Rod { model: Model::Cable, length: r.length, radius, young, density: 1100.0, points: 41, damping: 0.0 };
        rod.damping = 4.0 * rod.frequency();
        let tip = tip(&held_upright(&rod, Vec3::from_array(r.tip_force), Vec3::from_array(r.tip_moment)));
        let error = (tip - Vec3::from_array(r.tip_position)).length() / r.length;
        sheet.scaled(format!("tip error / L, {name}"), 40, [error, 0.0, 1.0], 5e-4);
    }
}

/// A 45-degree bend with radius 100 and a 1 x 1 section under an out-of-plane force (Bathe and Bolourchi 1979).
fn bend_of_45_degrees(sheet: &mut Sheet) {
    let reference = super::references::bend().map_or(Vec3::NAN, Vec3::from_array);
    let found = [20, 40, 80].map(bent_tip);
    // joints bend by an eighth of a turn plus the deformation, taken as 1.25 rad in all, over 40: half the square of
    // one; the order below tells whether the remaining error is of that kind
    let tolerance = 0.5 * (1.25_f64 / 40.0).powi(2);
    for (name, axis) in [("x", Vec3::X), ("y", Vec3::Y), ("z", Vec3::Z)] {
        let text = format!("displacement of the tip along {name}");
        sheet.relative(text, 40, found[1].dot(axis), reference.dot(axis), tolerance);
    }
    sheet.order("displacement of the tip", [20, 40, 80], found.map(|tip| (tip - reference).length()), 2.0);
}

/// Displacement of the tip of this bend, with a number of links [m].
fn bent_tip(segments: usize) -> Vec3 {
    let radius = 100.0;
    let arc = |k: i32| {
        let angle = 0.25 * PI * f64::from(k) / 1000.0;
        Vec3::new(radius * (1.0 - angle.cos()), 0.0, radius * angle.sin())
    };
    let path: Vec<Vec3> = (0..=1000).map(arc).collect();
    let start = path[path.len() - 1];
    let (length, mass_per_length, ei) = (0.25 * PI * radius, 1.0, 1e7 / 12.0);
    let frequency = 3.516 * f64::sqrt(ei / mass_per_length) / (length * length);
    let given = Rigidities { radius: 0.5, mass_per_length, ea: 1e7, ga: 5e6 * 5.0 / 6.0, ei: [ei; 2], gj: 5e6 / 6.0 };
    let settings = CableSettings { damping_time: 0.1 / frequency, drag: 2.0 * frequency, ..CableSettings::default() };
    let material = silicone_with(Friction::NONE);
    let section = Section::Explicit(given);
    let spec = CableSpec { material, section, path, normal: None, rest: Rest::Path, segments, settings };
    let mut world = world_with(spec, Vec3::ZERO);
    // the direction of its first link, which is along a chord of the arc
    hand(&mut world, 0.0, Hold::Clamp, Pose::IDENTITY, Motion::Hold, f64::INFINITY);
    let period = TAU / frequency;
    for part in 0..20 {
        push(&mut world, Vec3::Y * 30.0, Vec3::ZERO, 0.1 * period * f64::from(part));
    }
    tip(&settle(world, length, period)) - start
}

/// A rod loaded at once swings about its equilibrium; axially or in torsion it does so in a triangular wave, whose
/// crossings of the equilibrium are exactly half a period apart.
fn frequencies(sheet: &mut Sheet) {
    let rod = silicone();
    let section = Section::Round { radius: rod.radius };
    let (shear, area) = (rod.young / 3.0, section.area());
    let twist = 2.0 * shear * section.second_moments()[0];
    let load = 1e-4;
    // bending, stretching, twisting: load, equilibrium, frequency, quantity
    type Looking = fn(&Frame) -> f64;
    let cases: [(&str, Vec3, Vec3, f64, f64, Looking); 3] = [
        (
            "bending",
            Vec3::Z * load,
            Vec3::ZERO,
            load * rod.length.powi(3) / (3.0 * rod.rigidity()),
            rod.frequency() / TAU,
            |f| tip(f).z,
        ),
        (
            "stretching",
            Vec3::X * load,
            Vec3::ZERO,
            load * rod.length / (rod.young * area),
            (rod.young / rod.density).sqrt() / (4.0 * rod.length),
            |f| tip(f).x - 0.4,
        ),
        (
            "twisting",
            Vec3::ZERO,
            Vec3::X * load * 1e-3,
            load * 1e-3 * rod.length / twist,
            (shear / rod.density).sqrt() / (4.0 * rod.length),
            |f| f.bodies[0].frames.last().map_or(0.0, |q| 2.0 * q.x),
        ),
    ];
    for (name, force, torque, rest, exact, look) in cases {
        let mut world = world_of(rod.straight(), Vec3::ZERO);
        hold(&mut world, "wall", 0.0, Hold::Clamp, Pose::IDENTITY);
        push(&mut world, force, torque, 0.0);
        // the midpoint rule is slow by (w T)^2 / 12: 8e-5 at 200 steps per period
        let measured = 1.0 / period(&mut world, 0.005 / exact, 5, 20.0 / exact, |f| look(f) - rest);
        sheet.relative(format!("first frequency of {name} [Hz]"), 40, measured, exact, 0.01);
    }
}

/// Released from horizontal without damping, 160 links: energy is conserved whatever the step. At 50 ms it hits itself,
/// which dissipates energy.
fn energy(sheet: &mut Sheet) {
    for step in [1e-3, 5e-3, 1e-2, 2e-2, 5e-2] {
        let rod = Rod { points: 161, ..silicone() };
        // the energy-conserving step
        let settings = CableSettings { damping_time: 0.0, step: Step::Midpoint, ..CableSettings::default() };
        let (section, path) = (Section::Round { radius: rod.radius }, vec![Vec3::ZERO, Vec3::X * rod.length]);
        let material = Material { poisson: 0.5, ..silicone_with(Friction::NONE) };
        let mut world = cable(material, section, path, 160, settings, Vec3::Z * -G);
        hold(&mut world, "hook", 0.0, Hold::Position, Pose::IDENTITY);
        let total = |world: &World| world.frame().bodies[0].energy.total();
        let start = total(&world);
        let swing = rod.line_density() * G * rod.length.powi(2);
        let (mut worst, mut risen): (f64, f64) = (0.0, 0.0);
        for _ in 0..(10.0 / step) as usize {
            if world.step(step).is_err() {
                (worst, risen) = (f64::NAN, f64::NAN);
                break;
            }
            let error = (total(&world) - start) / swing;
            (worst, risen) = (worst.max(error.abs()), risen.max(error));
        }
        // a hundred thousand rounding errors
        let ms = step * 1e3;
        if step < 0.03 {
            sheet.scaled(format!("energy error / swing in 10 s at {ms} ms"), 160, [worst, 0.0, 1.0], 1e-11);
        } else {
            sheet.scaled(format!("rise of energy / swing in 10 s at {ms} ms"), 160, [risen, 0.0, 1.0], 1e-11);
        }
    }
}

/// Energy that the decaying step takes from a resolved mode, against 2 pi c (w T)^3 with c = 1 / 60, and what is left
/// of a mode that no step can resolve.
fn unresolved_waves(sheet: &mut Sheet) {
    for per_period in [30.0, 60.0] {
        let rod = Rod { points: 41, ..silicone() };
        let period = TAU / rod.frequency();
        let mut world = bent_by_weight(&rod);
        let step = period / per_period;
        let energy = |world: &World| world.frame().bodies[0].energy.total();
        let steps = |periods: f64| (periods * per_period) as usize;
        let run = |world: &mut World, count: usize| (0..count).for_each(|_| drop(world.step(step)));
        // other modes decay first
        run(&mut world, steps(60.0));
        let before = energy(&world);
        run(&mut world, steps(20.0));
        let lost = 1.0 - (energy(&world) / before).powf(1.0 / 20.0);
        let predicted = TAU / 60.0 * (TAU / per_period).powi(3);
        sheet.relative(format!("loss a period at {per_period} steps"), 40, lost, predicted, 0.1);
    }
}

/// A cantilever released from its shape under a small weight: almost only its first mode.
fn bent_by_weight(rod: &Rod) -> World {
    let at = |x: f64| {
        // w x^2 (x^2 - 4 x L + 6 L^2) / (24 EI): the shape under its weight
        let (l, w) = (rod.length, rod.line_density() * 1e-3);
        Vec3::new(x, 0.0, -w * x * x * (x * x - 4.0 * x * l + 6.0 * l * l) / (24.0 * rod.rigidity()))
    };
    let path = (0..=400).map(|k| at(rod.length * f64::from(k) / 400.0)).collect();
    let mut world = world_of(rod.body(path), Vec3::ZERO);
    hold(&mut world, "wall", 0.0, Hold::Clamp, Pose::IDENTITY);
    world
}

/// A rod bent between two grips, without drag: the force is steady once the motion has decayed.
fn force_at_rest(sheet: &mut Sheet) {
    for (name, young, density, radius) in [("steel", 2e11, 7800.0, 5e-4), ("silicone", 4.462e6, 1100.0, 2e-3)] {
        for step in [1e-3, 5e-3, 1e-2] {
            let material = Material { young, poisson: 0.4, density, friction: Friction::NONE };
            let path = vec![Vec3::ZERO, Vec3::new(0.15, 0.0, 0.02), Vec3::X * 0.3];
            let settings = CableSettings { drag: 2.0, ..CableSettings::default() };
            let mut world = cable(material, Section::Round { radius }, path, 40, settings, Vec3::ZERO);
            hold(&mut world, "a", 0.0, Hold::Position, Pose::IDENTITY);
            let motion = Motion::Hold;
            let end = Pose::from_translation(Vec3::X * 0.25);
            hand(&mut world, 1.0, Hold::Position, end, motion, f64::INFINITY);
            let mut frame = Frame::default();
            let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
            for n in 0..(14.0 / step) as usize {
                if world.step(step).is_err() {
                    most = f64::NAN;
                    break;
                }
                if n as f64 * step > 12.0 {
                    world.write_frame(&mut frame);
                    let force = frame.grippers[0].load.force.length();
                    (least, most) = (least.min(force), most.max(force));
                }
            }
            let ripple = (most - least) / (0.5 * (most + least));
            sheet.scaled(
                format!("{name}, {} ms: ripple of the grip force at rest", step * 1e3),
                40,
                [ripple, 0.0, 1.0],
                2e-3,
            );
        }
    }
}
