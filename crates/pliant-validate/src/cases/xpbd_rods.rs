//! The model `xpbd` against rod theory: static shapes with enough work, and its errors with less.
//!
//! Two things make it differ from the rod of its material, besides the length of its links. Too few sweeps leave it too
//! soft. And multipliers start from zero in each substep, so gradients change while a bent rod is unbent and bent
//! again: their sum is out of balance by a part of the strain that falls with the substep.

use pliant::math::{Pose, Quat, Vec3};
use pliant::{Hold, Load, Place, Section};

use super::references::{DeadLoad, rods_3d, rods_static};
use super::rods::{DENSITY, G, Model, Rod, built, cantilever, hold, settle, tip, world_of};
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[
    Case::of_xpbd("tip-loaded-cantilever", tip_loaded),
    Case::of_xpbd("heavy-elastica", heavy_elastica),
    Case::of_xpbd("dead-loads-in-space", dead_loads),
    Case::of_xpbd("iterations", iterations),
];

/// Sweeps in a substep. With substeps as short as in `enough`, twice as many do not change the third digit of any
/// error.
const SWEEPS: usize = 8;

/// Number of links of a rod.
const LINKS: usize = 16;

const LENGTH: f64 = 0.4;

/// Thick enough for a bearable number of substeps, and thin enough that its stretch is below 1e-4.
fn rod(young: f64, links: usize) -> Rod {
    let (length, radius) = (LENGTH, 2e-3);
    Rod { model: Model::Chain, length, radius, young, density: DENSITY, points: links + 1, damping: 0.0 }
}

/// Young's modulus for a given rho A g L^3 / EI [Pa].
fn young_for(gamma: f64) -> f64 {
    4.0 * DENSITY * G * LENGTH.powi(3) / (gamma * 2e-3_f64.powi(2))
}

/// Give a rod the work it needs in steps of the world as in `settle`: a twentieth of a period. A substep is as long as
/// an axial wave takes to cross a link, or shorter for links so short that bending waves cross them faster; and shorter
/// by the factor `shorter`.
fn enough(mut rod: Rod, period: f64, shorter: f64) -> Rod {
    let link = rod.length / (rod.points - 1) as f64;
    let crossing = link * (rod.density / rod.young).sqrt() * (0.15 * link / rod.radius).min(1.0);
    let substeps = (shorter * period / 20.0 / crossing).ceil() as usize;
    rod.model = Model::Xpbd { iterations: SWEEPS * substeps, substeps };
    rod
}

fn tip_loaded(sheet: &mut Sheet) {
    for reference in rods_static().tip_load_cantilever.iter().filter(|r| [1.0, 5.0, 10.0].contains(&r.load)) {
        let at = |links: usize| {
            let rod = rod(1e7, links);
            let (load, period) = (reference.load * rod.rigidity() / rod.length.powi(2), 6.0 / rod.frequency());
            let tip = tip(&cantilever(enough(rod, period, 1.0), 0.0, 0.0, load)) / LENGTH;
            (tip, (tip - Vec3::new(1.0 - reference.shortening, 0.0, -reference.drop)).length())
        };
        let (tip, error) = at(LINKS);
        // links of length 1/16 give (1/16)^2 = 4e-3 times a number below one
        let name = |what: &str| format!("{what} at P L2/EI = {}, {SWEEPS} sweeps a substep", reference.load);
        sheet.relative(name("drop / L"), LINKS, -tip.z, reference.drop, 3e-3);
        sheet.scaled(name("tip error / L"), LINKS, [error, 0.0, 1.0], 3e-3);
        if reference.load == 5.0 {
            sheet.order("tip", [4, 8, LINKS], [at(4).1, at(8).1, error], 2.0);
        }
    }
}

fn heavy_elastica(sheet: &mut Sheet) {
    for reference in rods_static().heavy_cantilever_horizontal.iter().filter(|r| [1.0, 10.0, 100.0].contains(&r.gamma))
    {
        let gamma = reference.gamma;
        let at = |links: usize| {
            let rod = rod(young_for(gamma), links);
            let (rigidity, slowest) = (rod.rigidity(), (rod.frequency().powi(2) + G / LENGTH).sqrt());
            let frame = cantilever(enough(rod, 6.0 / slowest, 1.0), 0.0, G, 0.0);
            let tip = tip(&frame) / LENGTH;
            let error = (tip - Vec3::new(reference.x_tip, 0.0, reference.y_tip)).length();
            (error, frame.grippers[0].load.torque.y * LENGTH / rigidity)
        };
        let (error, moment) = at(LINKS);
        // the heaviest bends within a tenth of its length, less than two links
        let [tip_tolerance, moment_tolerance] = if gamma < 100.0 { [4e-3, 8e-3] } else { [1e-2, 3e-2] };
        let name = |what: &str| format!("{what} at Gamma = {gamma}, {SWEEPS} sweeps a substep");
        sheet.scaled(name("tip error / L"), LINKS, [error, 0.0, 1.0], tip_tolerance);
        sheet.relative(name("clamp moment L/EI"), LINKS, moment, reference.clamp_moment, moment_tolerance);
        if gamma == 10.0 {
            sheet.order("tip", [4, 8, LINKS], [at(4).0, at(8).0, error], 2.0);
        }
    }
}

/// 0.1 m of silicone, as in the paper on cables, along +z, with stretch and shear, under a dead force and moment at its
/// tip. Where it is twisted as well as bent, changing gradients matter more, as substeps half as long show.
fn dead_loads(sheet: &mut Sheet) {
    for (name, r) in rods_3d() {
        for (shorter, tolerance) in [(1.0, 8e-3), (2.0, 2e-3)] {
            let error = dead_load(&r, shorter) / r.length;
            let quantity = format!("tip error / L, {name}, {SWEEPS} sweeps a substep, 1/{shorter} as long");
            sheet.scaled(quantity, LINKS, [error, 0.0, 1.0], tolerance);
        }
    }
}

/// Distance of the tip from the reference [m].
fn dead_load(r: &DeadLoad, shorter: f64) -> f64 {
    let mut rod = rod(r.ea / Section::Round { radius: 2e-3 }.area(), LINKS);
    rod.length = r.length;
    rod.damping = 4.0 * rod.frequency();
    let period = 6.0 / rod.frequency();
    let rod = enough(rod, period, shorter);
    let mut world = world_of(rod.body(vec![Vec3::ZERO, Vec3::Z * r.length]), Vec3::ZERO);
    let turn = Quat::from_rotation_arc(Vec3::X, Vec3::Z);
    hold(&mut world, "wall", 0.0, Hold::Clamp, Pose::from_rotation(turn));
    let place = Place::Fraction(1.0);
    // in small increments: a moment applied at once would spin the tip before the rod can follow
    let (force, torque) = (Vec3::from_array(r.tip_force) / 20.0, Vec3::from_array(r.tip_moment) / 20.0);
    for part in 0..20 {
        let from = 0.1 * period * f64::from(part);
        built(world.add_load(Load { torque, from, ..Load::new(built(world.body_at(0)), place, force) }));
    }
    (tip(&settle(world, r.length, period)) - Vec3::from_array(r.tip_position)).length()
}

/// A rod as soft as silicone under its own weight, in steps of 5 ms. Sweeps over one long step do not carry forces from
/// one end to the other; as many sweeps over short substeps do. The tolerances here do not say what is good, but how
/// large the error is known to be.
fn iterations(sheet: &mut Sheet) {
    let gamma = 10.0;
    let references = rods_static().heavy_cantilever_horizontal;
    let found = references.iter().find(|r| r.gamma == gamma);
    // a missing reference must not make a comparison vanish
    let reference = found.unwrap_or_else(|| unreachable!("references/rods_static.json: no Gamma = {gamma}"));
    for (iterations, substeps, tolerance) in
        [(20, 1, 0.6), (100, 1, 0.35), (500, 1, 0.04), (2500, 1, 3e-3), (100, 10, 0.01), (100, 100, 0.01)]
    {
        let mut rod = rod(young_for(gamma), 20);
        rod.damping = 10.0;
        rod.model = Model::Xpbd { iterations, substeps };
        let mut world = world_of(rod.straight(), Vec3::Z * -G);
        hold(&mut world, "wall", 0.0, Hold::Clamp, Pose::IDENTITY);
        let failed = (0..600).any(|_| world.step(5e-3).is_err());
        let tip = if failed { Vec3::NAN } else { tip(&world.frame()) / LENGTH };
        let error = (tip - Vec3::new(reference.x_tip, 0.0, reference.y_tip)).length();
        let name = format!("tip error / L, step of 5 ms: {iterations} sweeps in {substeps} substeps");
        sheet.scaled(name, 20, [error, 0.0, 1.0], tolerance);
    }
}
