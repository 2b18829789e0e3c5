//! The chain model against rod theory: static shapes, grip loads, frequencies.

use pliant::math::{Pose, Vec3};
use pliant::{Hold, World};

use super::references::rods_static;
use super::rods::{
    DENSITY, G, Model, Rod, built, cantilever, heavy_elastica, hold, period, settle, tip, tip_loaded, world_of,
};
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[
    Case::of_chain("tip-loaded-cantilever", |sheet| tip_loaded(sheet, Model::Chain, 1e-3)),
    Case::of_chain("heavy-elastica", |sheet| heavy_elastica(sheet, Model::Chain, 1.2e-3)),
    Case::of_chain("steel-rod", steel_rod),
    Case::of_chain("clamped-arch", clamped_arch),
    Case::of_chain("catenary", catenary),
    Case::of_chain("cantilever-frequency", cantilever_frequency),
    Case::of_chain("hanging-chain-frequency", hanging_frequency),
    Case::of_chain("energy", energy),
];

/// Kahl and Henrich's spring steel, 0.5 m long and 2 mm thick, with its true modulus.
fn steel_rod(sheet: &mut Sheet) {
    for r in rods_static().seed000_table5_rod.iter().filter(|r| r.case.starts_with("E=210")) {
        let rod = Rod {
            model: Model::Chain,
            length: 0.5,
            radius: 1e-3,
            young: 2.1e11,
            density: 7900.0,
            points: 40,
            damping: 0.0,
        };
        let tip = tip(&cantilever(rod, r.gripper_deg.to_radians(), G, 0.0));
        let straight = 0.5 * Vec3::new(r.gripper_deg.to_radians().cos(), 0.0, r.gripper_deg.to_radians().sin());
        // compared by the sag, which is what bending causes; the straight line alone would be within 2.5 % of the
        // length
        let reference = (Vec3::new(r.x_tip_m, 0.0, r.y_tip_m) - straight).length();
        sheet.relative(
            format!("sag of the tip at {} deg [m]", r.gripper_deg),
            40,
            (tip - straight).length(),
            reference,
            2e-3,
        );
    }
}

fn clamped_arch(sheet: &mut Sheet) {
    let references = rods_static().postbuckled_elastica;
    for r in references.iter().filter(|r| [0.9, 0.6].contains(&r.end_distance)) {
        let at = |points: usize| {
            let mut rod = Rod::thin(Model::Chain, points);
            rod.damping = 4.0 * rod.frequency();
            let span = r.end_distance * rod.length;
            let mut world = world_of(rod.body(arch(rod.length, span)), Vec3::ZERO);
            hold(&mut world, "left", 0.0, Hold::Clamp, Pose::IDENTITY);
            hold(&mut world, "right", 1.0, Hold::Clamp, Pose::from_translation(Vec3::X * span));
            let frame = settle(world, rod.length, 6.0 / rod.frequency());
            let middle = frame.bodies[0].nodes[(points - 1) / 2].z / rod.length;
            (middle, -frame.grippers[0].load.force.x * rod.length.powi(2) / rod.rigidity())
        };
        let (middle, force) = at(41);
        let d = r.end_distance;
        sheet.relative(format!("mid deflection / L at d = {d}"), 41, middle, r.mid_deflection, 5e-3);
        sheet.relative(format!("end force L2/EI at d = {d}"), 41, force.abs(), r.clamped_force, 5e-3);
        if d == 0.6 {
            let errors = [21, 41, 81].map(|n| (at(n).0 - r.mid_deflection).abs());
            sheet.order("mid deflection", [20, 40, 80], errors, 2.0);
        }
    }
}

/// A smooth arch of a given length between two points `span` apart, level at both ends.
fn arch(length: f64, span: f64) -> Vec<Vec3> {
    let shape = |height: f64| -> Vec<Vec3> {
        let at = |i: usize| i as f64 / 400.0;
        let z = |t: f64| height * (std::f64::consts::PI * t).sin().powi(2);
        (0..=400).map(|i| Vec3::new(span * at(i), 0.0, z(at(i)))).collect()
    };
    let measure = |path: &[Vec3]| -> f64 { path.windows(2).map(|w| (w[1] - w[0]).length()).sum() };
    let (mut low, mut high) = (0.0, length);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if measure(&shape(middle)) < length { low = middle } else { high = middle }
    }
    // bisection leaves only rounding in the length
    shape(high)
}

/// A soft, thin line hung from two points: almost no bending, so off by the width of its boundary layers, sqrt(EI/T).
fn catenary(sheet: &mut Sheet) {
    // a missing reference must not make a comparison vanish
    let found = rods_static().catenary.into_iter().find(|r| r.length == 1.0);
    let r = found.unwrap_or_else(|| unreachable!("references/rods_static.json: no catenary of length 1"));
    let mut rod =
        Rod { model: Model::Chain, length: 1.0, radius: 5e-5, young: 1e8, density: DENSITY, points: 41, damping: 0.0 };
    let swing = (G / r.sag).sqrt();
    rod.damping = 2.0 * swing;
    let v = vec![Vec3::ZERO, Vec3::new(0.5 * r.span, 0.0, -(0.25 - 0.25 * r.span.powi(2)).sqrt()), Vec3::X * r.span];
    let mut world = world_of(rod.body(v), Vec3::Z * -G);
    hold(&mut world, "left", 0.0, Hold::Position, Pose::IDENTITY);
    hold(&mut world, "right", 1.0, Hold::Position, Pose::from_translation(Vec3::X * r.span));
    let frame = settle(world, 1.0, 6.0 / swing);
    let weight = rod.line_density() * G;
    let tension = &frame.bodies[0].fields[0].values;
    let low = tension.iter().copied().fold(f64::INFINITY, f64::min);
    sheet.relative("sag [m]", 41, -frame.bodies[0].nodes[20].z, r.sag, 1e-3);
    sheet.relative("least tension / weight", 41, low / weight, r.least_tension, 5e-3);
    let pull = frame.grippers[0].load.force.length();
    sheet.relative("pull on a support / weight", 41, pull / weight, r.largest_tension, 5e-4);
}

/// Set the shape of a world's chain.
fn bend(world: &mut World, points: Vec<Vec3>) {
    built(world.set_points(built(world.body_at(0)), &points));
}

fn cantilever_frequency(sheet: &mut Sheet) {
    let mut errors = vec![];
    for points in [11, 21, 41] {
        let rod = Rod::thin(Model::Chain, points);
        let mut world = world_of(rod.straight(), Vec3::ZERO);
        hold(&mut world, "wall", 0.0, Hold::Clamp, Pose::IDENTITY);
        // first mode of the clamped-free beam
        let (b, k) = (1.875_104_07_f64, 0.734_095_5_f64);
        let mode = |s: f64| (b * s).cosh() - (b * s).cos() - k * ((b * s).sinh() - (b * s).sin());
        let shape = |i: usize| {
            let s = i as f64 / (points - 1) as f64;
            Vec3::new(rod.length * s, 0.0, -5e-4 * rod.length * mode(s))
        };
        bend(&mut world, (0..points).map(shape).collect());
        let exact = rod.frequency() / std::f64::consts::TAU;
        let measured = 1.0 / period(&mut world, 0.01 / exact, 5, 20.0 / exact, |f| tip(f).z);
        sheet.relative(
            "first frequency [Hz]",
            points,
            measured,
            exact,
            [1.5e-2, 4e-3, 1e-3][[11, 21, 41].iter().position(|n| *n == points).unwrap_or(0)],
        );
        errors.push((measured / exact - 1.0).abs());
    }
    sheet.order("frequency", [10, 20, 40], [errors[0], errors[1], errors[2]], 2.0);
}

/// A line without bending stiffness hung from one end: w = 1.20241278 sqrt(g/L).
fn hanging_frequency(sheet: &mut Sheet) {
    let points = 41;
    let rod =
        Rod { model: Model::Chain, length: 1.0, radius: 2e-4, young: 1e8, density: DENSITY, points, damping: 0.0 };
    let mut world = world_of(rod.body(vec![Vec3::ZERO, Vec3::Z * -1.0]), Vec3::Z * -G);
    hold(&mut world, "hook", 0.0, Hold::Position, Pose::IDENTITY);
    // approximately the first mode, J0(2 w sqrt(s/g)) with s from the free end: other modes are too weak to add
    // crossings of zero
    let shape = |i: usize| {
        let s = i as f64 / (points - 1) as f64;
        let argument = 2.404_825_56 * (1.0 - s).sqrt();
        Vec3::new(-1e-3 * bessel_j0(argument), 0.0, -s)
    };
    bend(&mut world, (0..points).map(shape).collect());
    let exact = 1.202_412_78 * G.sqrt() / std::f64::consts::TAU;
    let measured = 1.0 / period(&mut world, 2e-3, 5, 30.0, |f| tip(f).x);
    sheet.relative("first frequency [Hz]", points, measured, exact, 2e-4);
}

/// J0 by its series, for arguments up to 3.
fn bessel_j0(x: f64) -> f64 {
    let q = -0.25 * x * x;
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..25 {
        term *= q / (k * k) as f64;
        sum += term;
    }
    sum
}

/// A rod released from the horizontal without damping: the rule is symplectic, so its energy oscillates about the true
/// one by an amount that shrinks with the step, without drift.
fn energy(sheet: &mut Sheet) {
    let rod = Rod::heavy(Model::Chain, 21, 30.0);
    let mut world = world_of(rod.straight(), Vec3::Z * -G);
    hold(&mut world, "hinge", 0.0, Hold::Position, Pose::IDENTITY);
    let total = |world: &World| world.frame().bodies[0].energy.total();
    let start = total(&world);
    let swing = rod.line_density() * G * rod.length.powi(2);
    let (mut first, mut last): (f64, f64) = (0.0, 0.0);
    for step in 0..5000 {
        if world.step(1e-3).is_err() {
            last = f64::NAN;
            break;
        }
        let off = (total(&world) - start).abs() / swing;
        if step < 500 {
            first = first.max(off);
        } else if step >= 4500 {
            last = last.max(off);
        }
    }
    sheet.scaled("energy error / swing, first 0.5 s", 21, [first, 0.0, 1.0], 1e-4);
    sheet.scaled("energy error / swing, last of 5 s", 21, [last, 0.0, 1.0], 1e-4);
}
