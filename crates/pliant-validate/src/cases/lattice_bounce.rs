//! A particle that hits a wall: a spring with a damper that cannot pull, (7) of Joukhadar, "Robot-Phi".

use std::f64::consts::PI;

use pliant::World;
use pliant::lattice::{LatticeSettings, Pace, Part, PointContact};
use pliant::math::Vec3;

use super::lattice_worlds::{body_of, lattice, material, slope, steps, world_with};
use super::references_particles::{Drop, particles};
use super::rods::G;
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] =
    &[Case::of_lattice("penalty-restitution", restitution), Case::of_lattice("ball-drop", ball_drop)];

/// A particle of 1 kg at a height above a floor [m], falling with a speed [m/s].
fn ball(height: f64, speed: f64, contact: PointContact, pace: Pace, gravity: f64) -> World {
    let part = Part::Points { places: vec![Vec3::Z * height], masses: vec![1.0] };
    let settings = LatticeSettings { pace, point_contact: Some(contact), ..LatticeSettings::default() };
    let mut spec = body_of(part, material(1.0, 0.3), settings);
    spec.velocity = Vec3::Z * -speed;
    let mut world = world_with([spec], Vec3::Z * -gravity);
    slope(&mut world, 0.0, 0.0);
    world
}

/// Coefficient of restitution and contact time, without gravity.
///
/// With w_d = w sqrt(1 - zeta^2) the depth is exp(-zeta w t) sin(w_d t)/w_d, and the force first vanishes at
/// w_d t = pi - 2 asin(zeta). There the speed is exp(-zeta w t) times the initial one. (`e_until_force_zero` and its
/// contact time in particles.json take w_d t for w t and so are off by a factor of sqrt(1 - zeta^2) in time: not used.)
fn restitution(sheet: &mut Sheet) {
    let (stiffness, dt): (f64, f64) = (1e4, 1e-5);
    let omega = stiffness.sqrt();
    for r in particles().penalty_restitution {
        let damping = 2.0 * r.zeta * omega;
        let contact = PointContact { radius: 0.0, stiffness, damping };
        let mut world = ball(1e-4, 1.0, contact, Pace::Constant { step: dt }, 0.0);
        let mut pushed = 0;
        for _ in 0..10_000 {
            let before = lattice(&world, 0).velocities()[0];
            if !steps(&mut world, dt, 1) {
                pushed = usize::MAX;
                break;
            }
            pushed += usize::from(lattice(&world, 0).velocities()[0] != before);
        }
        let speed = lattice(&world, 0).velocities()[0].z;
        let known = (PI - 2.0 * r.zeta.asin()) / (1.0 - r.zeta * r.zeta).sqrt();
        // contact begins within a step, and with a jump of 2 zeta in force: both have an effect of w tau = 1e-3
        let text = format!("restitution, zeta = {}", r.zeta);
        sheet.relative(text, 1, speed, (-r.zeta * known).exp(), 1e-3 * (1.0 + 2.0 * r.zeta));
        let text = format!("contact time times frequency, zeta = {}", r.zeta);
        let time = omega * dt * pushed as f64;
        sheet.relative(text, 1, time, known, 3e-3);
    }
}

/// Height of a ball after the first bounce [m].
fn bounce(drop: &Drop, pace: Pace, dt: f64) -> f64 {
    let contact = PointContact { radius: 0.0, stiffness: drop.lam / drop.m, damping: drop.mu / drop.m };
    let mut world = ball(drop.h, 0.0, contact, pace, G);
    let (mut top, mut risen) = (f64::NAN, false);
    // down and up again
    let time = 2.2 * (2.0 * drop.h / G).sqrt();
    for _ in 0..(time / dt) as usize {
        if !steps(&mut world, dt, 1) {
            return f64::NAN;
        }
        let (z, v) = (lattice(&world, 0).places()[0].z, lattice(&world, 0).velocities()[0].z);
        risen |= v > 0.0;
        if risen {
            top = z.max(top);
        }
    }
    top
}

/// A ball that falls on the floor.
fn ball_drop(sheet: &mut Sheet) {
    for drop in particles().ball_drop_with_gravity.iter().filter(|d| d.law.starts_with("clamped")) {
        for (name, pace, dt) in [
            ("adaptive", Pace::Adaptive { energy_error: None, budget: None }, 1e-3),
            ("adaptive, steps of 10 ms of the world", Pace::Adaptive { energy_error: None, budget: None }, 1e-2),
            ("step 1 ms", Pace::Constant { step: 1e-3 }, 1e-3),
            ("step 0.1 ms", Pace::Constant { step: 1e-4 }, 1e-3),
        ] {
            let text = format!("bounce of a ball, mu = {}, {name}", drop.mu);
            sheet.relative(text, 1, bounce(drop, pace, dt), drop.rebound_height, 1e-2);
        }
    }
}
