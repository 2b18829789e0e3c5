//! Energy of bodies without dampers, and what bodies tell of the energy that steps make of nothing.

use pliant::World;
use pliant::lattice::{LatticeSettings, Pace};
use pliant::math::{Pose, Vec3};

use super::lattice_worlds::{block, body_of, lattice, material, slope, steps, world_with};
use super::rods::G;
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] =
    &[Case::of_lattice("energy", energy), Case::of_lattice("energy-of-nothing", energy_of_nothing)];

/// A box that turns fast and so vibrates, without dampers.
fn spinning(poisson: f64, pace: Pace) -> World {
    let part = block(Vec3::new(0.3, 0.1, 0.2), [3, 1, 2]);
    let settings = LatticeSettings { pace, damping_time: Some(0.0), ..LatticeSettings::default() };
    let mut spec = body_of(part, material(1e5, poisson), settings);
    spec.spin = Vec3::new(5.0, -3.0, 8.0);
    world_with([spec], Vec3::ZERO)
}

fn total(world: &World) -> f64 {
    let energy = lattice(world, 0).energy(Vec3::ZERO);
    energy.kinetic + energy.elastic
}

/// The largest change of energy in so many steps of the world, and the mean change in the last fifth of them, both over the
/// energy at first.
fn changes(mut world: World, dt: f64, count: usize) -> [f64; 2] {
    let first = total(&world);
    let (mut largest, mut mean) = (0.0_f64, 0.0);
    for n in 0..count {
        if !steps(&mut world, dt, 1) {
            return [f64::NAN; 2];
        }
        let change = total(&world) / first - 1.0;
        largest = largest.max(change.abs());
        if n >= count - count / 5 {
            mean += change / (count / 5) as f64;
        }
    }
    [largest, mean]
}

/// Verlet's method: energy is off by the square of the step, and does not drift.
fn energy(sheet: &mut Sheet) {
    for poisson in [0.1, 0.25, 0.45] {
        let at = |count: usize| {
            let step = 2e-3 / count as f64;
            changes(spinning(poisson, Pace::Constant { step }), 2e-3, 1000)
        };
        let found = [4, 8, 16].map(at);
        let text = format!("largest change of energy / energy in 2 s, nu = {poisson}");
        // elastic energy is 1e-2 of the whole, and the fastest vibration has (w tau)^2 / 4 of about 0.01 at 0.5 ms
        sheet.scaled(text, 16, [found[2][0], 0.0, 1.0], 1e-4);
        sheet.order(&format!("it, nu = {poisson}"), [4, 8, 16], found.map(|f| f[0]), 2.0);
        // a drift would add up over 2 s: it must stay within what energy swings by
        let text = format!("its mean in the last fifth, nu = {poisson}");
        sheet.scaled(text, 16, [found[2][1], 0.0, 1.0], found[2][0]);
    }
}

/// Bodies with adaptive steps: no step makes more energy of nothing than is allowed.
fn energy_of_nothing(sheet: &mut Sheet) {
    let pace = |bound: f64| Pace::Adaptive { energy_error: Some(bound), budget: None };
    for bound in [1e-5, 1e-7] {
        let mut world = spinning(0.3, pace(bound));
        let first = total(&world);
        let fine = steps(&mut world, 0.01, 100);
        let (ledger, made) = (*lattice(&world, 0).ledger(), total(&world) - first);
        let allowed = bound * ledger.steps as f64;
        let size = ledger.steps as usize;
        let value = |x: f64| if fine { x / allowed } else { f64::NAN };
        let text = format!("energy of nothing / allowed, spinning box, {bound:e} J a step");
        sheet.scaled(text, size, [value(ledger.error), 0.0, 1.0], 1.0);
        let text = format!("gain of energy / allowed, spinning box, {bound:e} J a step");
        sheet.scaled(text, size, [value(made), 0.0, 1.0], 1.0);
        sheet.scaled("steps beyond the bound", size, [ledger.unbalanced as f64, 0.0, 1.0], 0.0);
    }
    // a box that falls on an edge, with the dampers and the friction it has by itself
    for bound in [1e-4, 1e-6] {
        let settings = LatticeSettings { pace: pace(bound), ..LatticeSettings::default() };
        let mut spec = body_of(block(Vec3::splat(0.1), [2; 3]), material(1e5, 0.3), settings);
        spec.placed = Pose::from_translation(Vec3::Z * 0.15);
        spec.spin = Vec3::new(1.0, 2.0, 0.5);
        let mut world = world_with([spec], Vec3::Z * -G);
        slope(&mut world, 0.0, 0.3);
        let fine = steps(&mut world, 0.01, 100);
        let ledger = *lattice(&world, 0).ledger();
        let allowed = bound * ledger.steps as f64;
        let error = if fine { ledger.error / allowed } else { f64::NAN };
        let text = format!("energy of nothing / allowed, falling box, {bound:e} J a step");
        sheet.scaled(text, ledger.steps as usize, [error, 0.0, 1.0], 1.0);
        sheet.scaled("steps beyond the bound", ledger.steps as usize, [ledger.unbalanced as f64, 0.0, 1.0], 0.0);
    }
}
