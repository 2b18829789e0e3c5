//! Energy of undamped bodies, and energy created by adaptive steps, measured from outside.

use pliant::World;
use pliant::lattice::{Connector, LatticeSettings, Pace, Part, PointContact, Site};
use pliant::math::{Pose, Vec3};

use super::lattice_worlds::{block, body_of, lattice, material, slope, steps, world_with};
use super::rods::G;
use super::{Case, Sheet, largest};

/// Cases of this file.
pub const CASES: &[Case] =
    &[Case::of_lattice("energy", energy), Case::of_lattice("energy-of-nothing", energy_of_nothing)];

/// A fast-spinning box, which vibrates, without dampers.
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

/// The largest change of energy in `count` steps of the world, and the mean change in the first and in the last fifth
/// of them, all relative to the initial energy.
fn changes(mut world: World, dt: f64, count: usize) -> [f64; 3] {
    let first = total(&world);
    let (mut largest, mut means) = (0.0_f64, [0.0; 2]);
    for n in 0..count {
        if !steps(&mut world, dt, 1) {
            return [f64::NAN; 3];
        }
        let change = total(&world) / first - 1.0;
        largest = largest.max(change.abs());
        for (mean, within) in means.iter_mut().zip([n < count / 5, n >= count - count / 5]) {
            *mean += if within { change / (count / 5) as f64 } else { 0.0 };
        }
    }
    [largest, means[0], means[1]]
}

/// Verlet's method: the energy error is second order in the step, and does not drift.
fn energy(sheet: &mut Sheet) {
    oscillator(sheet);
    for poisson in [0.1, 0.25, 0.45] {
        let at = |count: usize| {
            let step = 2e-3 / count as f64;
            changes(spinning(poisson, Pace::Constant { step }), 2e-3, 1000)
        };
        let found = [4, 8, 16].map(at);
        let text = format!("largest change of energy / energy in 2 s, nu = {poisson}");
        // three times the observed value; its order and the means below are stricter
        sheet.scaled(text, 16, [found[2][0], 0.0, 1.0], 1e-6);
        sheet.order(&format!("it, nu = {poisson}"), [4, 8, 16], found.map(|f| f[0]), 2.0);
        // an oscillation leaves one over its number of periods of its amplitude in a mean, and a fifth has more than
        // ten periods
        let [swing, first, last] = found[2];
        let text = format!("mean in the last fifth less that in the first, nu = {poisson}");
        sheet.scaled(text, 16, [last - first, 0.0, 1.0], 0.1 * swing);
    }
}

/// Two particles on a spring, released stretched. Verlet's method conserves v^2 + w^2 x^2 (1 - (w tau)^2 / 4) exactly:
/// the energy is lower by (w tau)^2 / 4 of itself where the spring is slack, by half of that on average, even after a
/// hundred thousand steps.
fn oscillator(sheet: &mut Sheet) {
    let (omega, tau) = (200.0_f64.sqrt(), 1e-3);
    let part = Part::Points { places: vec![Vec3::ZERO, Vec3::X * 1.1], masses: vec![1.0, 1.0] };
    let site = |x: f64| Site { part: 0, point: Vec3::X * x };
    let spring = Connector::Line { ends: [site(0.0), site(1.1)], rest: Some(1.0), stiffness: 100.0, damping: 0.0 };
    let settings = LatticeSettings { pace: Pace::Constant { step: tau }, ..LatticeSettings::default() };
    let mut spec = body_of(part, material(1.0, 0.3), settings);
    spec.connectors = vec![spring];
    let [largest, _, mean] = changes(world_with([spec], Vec3::ZERO), tau, 100_000);
    let known = 0.25 * (omega * tau).powi(2);
    // sampled at steps, the nearest of which is up to half a step from the slack spring: (w tau / 2)^2 of the change; a
    // fifth has 45 periods, and an incomplete one counts by a hundredth
    sheet.relative("largest change of energy of two particles on a spring", 100_000, largest, known, 1e-4);
    sheet.relative("its mean in the last fifth", 100_000, -mean, 0.5 * known, 1e-2);
}

/// Adaptive steps: measured from outside, no more energy is created than each step is allowed.
fn energy_of_nothing(sheet: &mut Sheet) {
    let pace = |bound: f64| Pace::Adaptive { energy_error: Some(bound), budget: None };
    for bound in [1e-5, 1e-7] {
        let mut world = spinning(0.3, pace(bound));
        let first = total(&world);
        let fine = steps(&mut world, 0.01, 100);
        let (ledger, made) = (*lattice(&world, 0).ledger(), total(&world) - first);
        let allowed = bound * ledger.steps as f64;
        let text = format!("gain of energy / allowed, spinning box, {bound:e} J a step");
        let value = if fine { made / allowed } else { f64::NAN };
        sheet.scaled(text, ledger.steps as usize, [value, 0.0, 1.0], 1.0);
    }
    for stiffness in [2e3, 2e5, 2e7] {
        bounce(sheet, stiffness, 1e-3);
    }
    // a box that falls flat, spinning about the vertical, without dampers or friction: in flight it always has its
    // initial energy. (Not if it falls on an edge, by 3 %: pressure on its sides is not part of the contact, so torques
    // are not the gradient of an energy.)
    for bound in [1e-4, 1e-6] {
        let (damping_time, contact_damping) = (Some(0.0), Some(0.0));
        let settings =
            LatticeSettings { pace: pace(bound), damping_time, contact_damping, ..LatticeSettings::default() };
        let mut spec = body_of(block(Vec3::splat(0.1), [2; 3]), material(1e5, 0.3), settings);
        spec.placed = Pose::from_translation(Vec3::Z * 0.15);
        spec.spin = Vec3::Z * 2.0;
        let mut world = world_with([spec], Vec3::Z * -G);
        slope(&mut world, 0.0, 0.0);
        let whole = |world: &World| lattice(world, 0).energy(Vec3::Z * -G).total();
        let (first, mut most, mut met) = (whole(&world), 0.0_f64, false);
        for _ in 0..100 {
            let fine = steps(&mut world, 0.01, 1);
            let touches = !world.frame().contacts.is_empty();
            met |= touches;
            let change = if touches { 0.0 } else { (whole(&world) - first).abs() };
            most = largest([most, if fine { change } else { f64::NAN }]);
        }
        let count = lattice(&world, 0).ledger().steps;
        let text = format!("largest change of energy in flight / allowed, falling box, {bound:e} J a step");
        let value = if met { most / (bound * count as f64) } else { f64::NAN };
        sheet.scaled(text, count as usize, [value, 0.0, 1.0], 1.0);
    }
}

/// A particle of 1 kg falls from 1 m onto an undamped spring: its energy in flight afterwards, m g z + m v^2 / 2,
/// against m g h. Contact begins and ends within steps, which the energy balance of a step has to account for.
fn bounce(sheet: &mut Sheet, stiffness: f64, bound: f64) {
    let part = Part::Points { places: vec![Vec3::Z], masses: vec![1.0] };
    let point_contact = Some(PointContact { radius: 0.0, stiffness, damping: 0.0 });
    let pace = Pace::Adaptive { energy_error: Some(bound), budget: None };
    let settings = LatticeSettings { pace, point_contact, ..LatticeSettings::default() };
    let mut world = world_with([body_of(part, material(1.0, 0.3), settings)], Vec3::Z * -G);
    slope(&mut world, 0.0, 0.0);
    let (mut energy, mut risen) = (f64::NAN, false);
    for _ in 0..40 {
        if !steps(&mut world, 0.02, 1) {
            energy = f64::NAN;
            break;
        }
        let (z, v) = (lattice(&world, 0).places()[0].z, lattice(&world, 0).velocities()[0].z);
        risen |= v > 0.0;
        energy = if risen && z > 0.0 { 0.5 * v * v + G * z } else { energy };
    }
    let count = lattice(&world, 0).ledger().steps;
    let text = format!("change of energy in a bounce / that allowed a step, {stiffness:e} N/m, {bound:e} J");
    // flight is exact; contact begins in one step and ends in another, and the errors of those between are as often
    // negative as positive
    sheet.scaled(text, count as usize, [(energy - G) / bound, 0.0, 1.0], 4.0);
}
