//! Rounding errors in ten million steps, about which section 7 of Joukhadar, "Robot-Phi", warns.
//!
//! Each step rounds positions and velocities by half a unit in the last place, a relative e/2 with e = 2.2e-16. In n
//! steps that sums to e sqrt(n/12) if rounding errors are random, to e n/2 at worst. Here 1/100 of the steps are made
//! and the error is extrapolated, with an exponent measured between a sixteenth of them and all. With
//! `PLIANT_STEPS=10000000` in the environment all are made.

use pliant::World;
use pliant::lattice::{LatticeSettings, Pace};
use pliant::math::{Pose, Vec3};

use super::lattice_worlds::{Sums, block, body_of, lattice, material, slope, world_with};
use super::rods::G;
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[Case::of_lattice("rounding", rounding)];

/// Number of steps of interest.
const STEPS: f64 = 1e7;

/// Relative error allowed if rounding errors are random: e sqrt(n/12) = 2e-13, with a margin for the five in a step.
const CHANCE: f64 = 1e-12;

/// Relative error allowed if rounding errors all have one sign: e n/2.
const BIAS: f64 = 1.1e-9;

/// Length of a step [s]: a ninth of what the connectors of these boxes allow.
const STEP: f64 = 2e-4;

/// Number of model steps in a step of the world.
const WITHIN: usize = 50;

/// Number of steps to make.
fn count() -> usize {
    let given = std::env::var("PLIANT_STEPS").ok().and_then(|text| text.parse().ok());
    given.unwrap_or(100_000).max(1600)
}

/// A box of 0.1 m with one cell.
fn world(damping_time: Option<f64>, velocity: Vec3, spin: Vec3, gravity: f64) -> World {
    let settings = LatticeSettings { pace: Pace::Constant { step: STEP }, damping_time, ..LatticeSettings::default() };
    let mut spec = body_of(block(Vec3::splat(0.1), [1; 3]), material(1e5, 0.3), settings);
    (spec.velocity, spec.spin, spec.placed) = (velocity, spin, Pose::from_translation(Vec3::Z * 0.05));
    world_with([spec], Vec3::Z * -gravity)
}

/// Values measured after a sixteenth of the steps, and after all.
fn after<const N: usize>(mut world: World, seen: impl Fn(&World) -> [f64; N]) -> [[f64; N]; 2] {
    [count() / 16, count()].map(|until| {
        while (lattice(&world, 0).ledger().steps as usize) < until {
            if world.step(STEP * WITHIN as f64).is_err() {
                return [f64::NAN; N];
            }
        }
        seen(&world)
    })
}

/// Compare the extrapolated error of `STEPS` steps with the allowed one.
fn compare(sheet: &mut Sheet, what: &str, [early, late]: [f64; 2], allowed: f64) {
    // an error of zero gives no exponent, and none is below that of randomness or above that of a bias
    let exponent = if early > 0.0 { (late / early).log2() / 4.0 } else { 1.0 };
    let grown = late * (STEPS / count() as f64).max(1.0).powf(exponent.clamp(0.5, 1.0));
    sheet.scaled(format!("{what} in 1e7 steps"), count(), [grown, 0.0, 1.0], allowed);
}

fn rounding(sheet: &mut Sheet) {
    let still = world(Some(0.0), Vec3::ZERO, Vec3::ZERO, 0.0);
    let first = lattice(&still, 0).clone();
    let [early, late] = after(still, |world| {
        let places = lattice(world, 0).places().iter().zip(first.places());
        [places.map(|(now, before)| (*now - *before).length()).fold(0.0, f64::max)]
    });
    // rounding errors of the forces make it vibrate, which adds up as a random walk driven by one in velocity
    compare(
        sheet,
        "largest move of a particle of a box at rest / its size",
        [early[0], late[0]].map(|x| x / 0.1),
        10.0 * CHANCE,
    );

    let (velocity, spin) = (Vec3::new(0.3, 0.2, 0.1), Vec3::new(1.0, -2.0, 3.0));
    let flying = world(Some(0.0), velocity, spin, 0.0);
    let (start, energy) = (Sums::of(&flying), lattice(&flying, 0).energy(Vec3::ZERO).total());
    let found = after(flying, |world| {
        let now = Sums::of(world);
        let off = now.centre() - (start.centre() + start.velocity() * world.time());
        let turned = (now.own_spin() - start.own_spin()).length() / start.own_spin().length();
        let slower = (now.momentum - start.momentum).length() / start.momentum.length();
        let warmer = (lattice(world, 0).energy(Vec3::ZERO).total() / energy - 1.0).abs();
        [off.length() / (velocity.length() * world.time()), slower, turned, warmer]
    });
    // its own angular momentum is a difference of that about the origin, which grows as it flies away; its path grows
    // by equal increments, which round alike for long
    let names = [("way of its centre", 10.0 * CHANCE), ("momentum", CHANCE), ("angular momentum", BIAS)];
    for (k, (name, allowed)) in names.into_iter().enumerate() {
        let text = format!("change of the {name} of a box in free flight");
        compare(sheet, &text, found.map(|f| f[k]), allowed);
    }
    // energy oscillates by the square of the step, to which rounding must not add
    let [early, late] = found.map(|f| f[3]);
    sheet.scaled("energy of it: late less early", count(), [(late - early).abs(), 0.0, 1.0], 1e-5);

    let mut lying = world(None, Vec3::ZERO, Vec3::ZERO, G);
    slope(&mut lying, 0.0, 0.3);
    // it comes to rest first
    let rested = (0..1000).all(|_| lying.step(0.02).is_ok());
    let begun = Sums::of(&lying).centre();
    let found = after(lying, |world| [(Sums::of(world).centre() - begun).length()]);
    let [early, late] = found.map(|f| if rested { f[0] / 0.1 } else { f64::NAN });
    compare(sheet, "creep of a box that lies on a floor / its size", [early, late], 10.0 * CHANCE);
}
