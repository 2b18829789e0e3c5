//! Solids with Poisson's ratio 0 that fall flat on a frictionless floor: exactly the one-dimensional bar.
//!
//! A compression wave runs up the bar with c = sqrt(E / rho), and returns as a release wave: contact lasts 2 a / c,
//! with the constant force A sqrt(E rho) v, and the bar leaves with its initial speed.

use pliant::math::{Pose, Vec3};
use pliant::motion::Motion;
use pliant::response::Known;
use pliant_fem::{Order, TetMesh};

use super::references_solids::solids;
use super::response_worlds::{DENSITY, SIDE, UNDAMPED, basis, block, cube, elastic, plane, response, spec, world_of};
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[Case::of_response("flat-drop", flat_drop)];

/// Impact speed [m/s].
const SPEED: f64 = 0.1;

/// A bounce, in terms that can be compared with the bar.
struct Bounce {
    /// Contact time: from the first force to the last [s].
    time: f64,
    /// Mean force over the middle half of the contact, over the speed, scaled to the area of the cube [N s/m].
    force: f64,
    /// Impulse over momentum before impact [-].
    impulse: f64,
    /// Coefficient of restitution [-].
    restitution: f64,
    /// Largest gain of energy in a step, relative to the initial energy.
    gain: f64,
    /// Energy lost in all, relative to the initial energy.
    lost: f64,
}

fn bounce(mesh: &TetMesh, modes: Option<usize>, step: f64) -> Bounce {
    let basis = basis(mesh, elastic(0.0), Order::Linear, modes);
    let area = basis.hull.mass / (DENSITY * SIDE);
    let mut spec = spec(Known::Modes(basis), UNDAMPED, step);
    let known = solids().bar_drop_nu0;
    // not at the beginning of a step, as contact rarely is
    spec.placed = Pose::from_translation(Vec3::Z * (SPEED * step * 3.3));
    spec.velocity = Vec3::Z * -SPEED;
    let mut world = world_of(spec, Vec3::ZERO);
    plane(&mut world, Vec3::ZERO, Vec3::Z, Motion::Hold, 0.0);
    let mass = response(&world).mass();
    let first = 0.5 * mass * SPEED * SPEED;
    let (mut forces, mut energy, mut gain) = (vec![], first, f64::NEG_INFINITY);
    while world.time() < 2.0 * known.contact_time_s {
        if world.step(step).is_err() {
            gain = f64::NAN;
            break;
        }
        let frame = world.frame();
        forces.push(frame.contacts.iter().map(|c| c.force.z).sum::<f64>());
        let now = frame.bodies[0].energy.total();
        gain = gain.max((now - energy) / first);
        energy = now;
    }
    let pushed = |f: &f64| *f > 0.0;
    let begin = forces.iter().position(pushed).unwrap_or(0);
    let end = forces.iter().rposition(pushed).map_or(begin, |n| n + 1);
    let quarter = (end - begin) / 4;
    let middle = &forces[begin + quarter..end - quarter];
    Bounce {
        time: (end - begin) as f64 * step,
        force: middle.iter().sum::<f64>() / middle.len() as f64 / SPEED * SIDE * SIDE / area,
        impulse: forces.iter().sum::<f64>() * step / (mass * SPEED),
        restitution: response(&world).motion().velocity.z / SPEED,
        gain,
        lost: 1.0 - energy / first,
    }
}

/// Sweeps over contacts end when displacements change by this, relative to what forces move in a step.
const SWEEPS: f64 = 1e-5;

/// The cube in slices, with all modes, and in cubic cells, with some.
///
/// A slice that hits the floor loses its energy, and a wave front is as wide as a slice plus a step: errors fall with
/// both. Slices are as wide as the cube: thinner bars would stand on the floor under more than Euler's load.
fn flat_drop(sheet: &mut Sheet) {
    let known = solids().bar_drop_nu0;
    let slices = |n: usize| block([2, 2, n], Vec3::splat(SIDE));
    let all = [
        ("slices", 4, 2e-3, bounce(&slices(4), None, 2e-3)),
        ("slices", 8, 1e-3, bounce(&slices(8), None, 1e-3)),
        ("slices", 16, 5e-4, bounce(&slices(16), None, 5e-4)),
        ("slices", 32, 2.5e-4, bounce(&slices(32), None, 2.5e-4)),
        ("cells, 60 modes", 4, 1e-3, bounce(&cube(4), Some(60), 1e-3)),
        ("cells, 200 modes", 4, 5e-4, bounce(&cube(4), Some(200), 5e-4)),
    ];
    for (name, n, step, b) in &all {
        let cells = *n as f64;
        // using few modes acts as a coarse mesh
        let coarse = if name.starts_with("cells") { 2.0 } else { 1.0 };
        // time: a step at both ends, and half the time of a wave through a slice
        let slice = known.contact_time_s / (2.0 * cells);
        let late = (2.0 * step + 0.5 * slice) / known.contact_time_s;
        sheet.relative(format!("contact time, {name} [s]"), *n, b.time, known.contact_time_s, late);
        // vibrations after the front has passed
        sheet.relative(
            format!("force over speed, {name} [N s/m]"),
            *n,
            b.force,
            known.force_per_speed,
            coarse * 0.2 / cells,
        );
        // energy lost and vibrations that remain: below the square root of a slice's share
        let tolerance = coarse * 0.16 / cells.sqrt();
        sheet.relative(format!("impulse over momentum, {name}"), *n, b.impulse, known.impulse_over_mv, 0.5 * tolerance);
        sheet.relative(format!("restitution, {name}"), *n, b.restitution, known.restitution, tolerance);
        // a contact that is off by the tolerance of sweeps, under the whole force: F times v times step over m v^2 / 2
        let left = SWEEPS * known.force_per_speed * step / (0.5 * DENSITY * SIDE.powi(3));
        sheet.scaled(format!("largest gain of energy in a step, {name}"), *n, [b.gain.max(0.0), 0.0, 1.0], left);
        // half the mass of a slice stops at once, and as much again when it starts
        sheet.scaled(format!("energy lost, {name}"), *n, [b.lost, 0.0, 1.0], coarse * 0.3 / cells);
    }
    let lost = [1, 2, 3].map(|n: usize| all[n].3.lost);
    sheet.order("energy lost", [8, 16, 32], lost, 1.0);
}
