//! Momentum and angular momentum without external forces: conserved to rounding.
//!
//! Verlet's method conserves both exactly where forces and torques between particles sum to zero: x' x v' - x x v is (x
//! x a + x' x a') tau/2, whose sum over particles vanishes.

use pliant::lattice::{Connector, LatticeSettings, LatticeSpec, Part, Site};
use pliant::math::{Pose, Quat, Vec3};
use pliant::{Friction, World};

use super::lattice_worlds::{Sums, block, body_of, lattice, material, steps, world_with};
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[Case::of_lattice("momentum", momentum)];

/// About ten thousand steps, each of which rounds: 1e-16 times the square root of their number, with a margin.
const ROUNDING: f64 = 1e-12;

/// A spinning box, which vibrates.
fn spinning(poisson: f64) -> World {
    let part = block(Vec3::new(0.3, 0.1, 0.2), [3, 1, 2]);
    let mut spec = body_of(part, material(1e5, poisson), LatticeSettings::default());
    (spec.velocity, spec.spin) = (Vec3::new(1.0, 2.0, -0.5), Vec3::new(5.0, -3.0, 8.0));
    world_with([spec], Vec3::ZERO)
}

/// An angle connector with arms of 1 m and 2.5 m, released bent by half a radian: as printed in the paper it creates a
/// torque.
fn arms() -> World {
    let places = vec![Vec3::X, Vec3::new(2.5 * 2.0_f64.cos(), 2.5 * 2.0_f64.sin(), 0.0), Vec3::ZERO];
    let site = |n: usize| Site { part: 0, point: places[n] };
    let (ends, middle) = ([site(0), site(1)], site(2));
    let angle =
        Connector::Angle { ends, middle, side: None, rest: Some(2.5), stiffness: 30.0, damping: 0.5, drive: None };
    let arm = |end: Site| Connector::Line { ends: [end, middle], rest: None, stiffness: 100.0, damping: 1.0 };
    let connectors = vec![angle, arm(ends[0]), arm(ends[1])];
    let part = Part::Points { places, masses: vec![1.0, 0.7, 1.6] };
    let mut spec = body_of(part, material(1.0, 0.3), LatticeSettings::default());
    spec.connectors = connectors;
    (spec.velocity, spec.spin) = (Vec3::new(0.1, 0.2, 0.3), Vec3::new(0.3, 0.1, 0.5));
    world_with([spec], Vec3::ZERO)
}

/// Two rough boxes that collide off centre.
fn colliding() -> World {
    let one = |x: f64, angle: f64| -> LatticeSpec {
        let mut rough = material(1e5, 0.3);
        rough.friction = Friction { coefficient: 0.5, exponent: 1.0 };
        let mut spec = body_of(block(Vec3::splat(0.1), [2; 3]), rough, LatticeSettings::default());
        spec.placed = Pose::from_parts(Vec3::new(x, 0.3 * x, 0.0), Quat::from_rotation_z(angle));
        (spec.velocity, spec.spin) = (Vec3::X * (-8.0 * x), Vec3::new(0.0, 20.0 * x, 2.0));
        spec
    };
    world_with([one(-0.08, 0.0), one(0.08, 0.3)], Vec3::ZERO)
}

/// Scales of momentum and angular momentum: sums of magnitudes.
fn sizes(world: &World) -> [f64; 2] {
    let mut sizes = [0.0; 2];
    for n in 0..world.bodies().len() {
        let l = lattice(world, n);
        for ((m, p), v) in l.masses().iter().zip(l.places()).zip(l.velocities()) {
            sizes[0] += m * v.length();
            sizes[1] += m * v.length() * p.length();
        }
    }
    sizes
}

/// Largest changes of momentum and angular momentum over time.
fn momentum(sheet: &mut Sheet) {
    let worlds = [
        ("a spinning box, nu = 0.1", spinning(0.1), 100),
        ("a spinning box, nu = 0.25", spinning(0.25), 100),
        ("a spinning box, nu = 0.45", spinning(0.45), 100),
        ("an angle with arms 1 and 2.5", arms(), 300),
        ("two boxes that collide with friction", colliding(), 30),
    ];
    for (name, mut world, count) in worlds {
        let (first, before) = (Sums::of(&world), sizes(&world));
        let (mut off, mut met) = ([0.0_f64; 2], false);
        for _ in 0..count {
            let fine = steps(&mut world, 0.01, 1);
            let (now, size) = (Sums::of(&world), sizes(&world));
            met |= !world.frame().contacts.is_empty();
            let [p, l] = [(now.momentum - first.momentum).length(), (now.spin - first.spin).length()];
            off[0] = if fine { off[0].max(p / before[0]) } else { f64::NAN };
            off[1] = if fine { off[1].max(l / size[1].max(before[1])) } else { f64::NAN };
        }
        let particles = (0..world.bodies().len()).map(|n| lattice(&world, n).size()).sum();
        sheet.scaled(format!("change of momentum of {name}"), particles, [off[0], 0.0, 1.0], ROUNDING);
        sheet.scaled(format!("change of angular momentum of {name}"), particles, [off[1], 0.0, 1.0], ROUNDING);
        if world.bodies().len() > 1 {
            sheet.scaled("whether they have touched", particles, [f64::from(u8::from(met)), 1.0, 1.0], 0.0);
        }
    }
}
