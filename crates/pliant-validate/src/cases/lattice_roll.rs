//! Cylinders on a slope: rolling and slipping.
//!
//! A prism of n sides is a cylinder whose radius is between r cos(pi/n) and r, and whose inertia is m r^2/2 (1 - (2/3)
//! sin^2(pi/n)). With 48 sides its radius varies by 0.2 %. It penetrates by another 0.3 %, so it stands on one and a
//! half sides and does not hop from one to the next. Both shorten the arm of friction, which sets the tolerance.
//!
//! Contact is damped, b = 2e4 N s/m3: ahead of the contact sides approach, behind it they separate, with a speed w x at
//! a distance x. Over a width W and a length 2 c along the slope that is a torque b W (2/3) c^3 w against the spin, a
//! decay rate of 0.04/s.

use std::f64::consts::{FRAC_PI_2, PI};

use pliant::World;
use pliant::lattice::LatticeSettings;
use pliant::lattice::solid::{Rings, prism};
use pliant::math::{Pose, Quat, Vec3};

use super::lattice_worlds::{DENSITY, Sums, body_of, cut, lattice, material, slope, solid, steps, world_with};
use super::references_particles::particles;
use super::rods::G;
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[Case::of_lattice("cylinder", cylinders), Case::of_lattice("slide-to-roll", slide_to_roll)];

const SIDES: usize = 48;
/// Radius of the corners [m].
const RADIUS: f64 = 0.1;
/// Length along the axis [m].
const WIDTH: f64 = 0.1;
/// Contact stiffness: force per volume of penetration [N/m3].
const SOFT: f64 = 1e8;
/// Contact damping: force per rate of that volume [N s/m3].
const DAMPING: f64 = 2e4;

/// Penetration of a cylinder into a slope [rad] under its weight [m]: (4/3) sqrt(2 r) d^(3/2) is the area of a segment
/// of depth d.
fn sunk(angle: f64) -> f64 {
    let segment = PI * RADIUS * RADIUS * DENSITY * G * angle.cos() / SOFT;
    (0.75 * segment / (2.0 * RADIUS).sqrt()).powf(2.0 / 3.0)
}

/// Mean reduction of the radius by flat sides [m].
fn flattened() -> f64 {
    RADIUS * (PI / SIDES as f64).powi(2) / 6.0
}

/// Decay rate of the spin by contact damping [1/s]: the torque above over m r^2/2.
fn brake(angle: f64) -> f64 {
    let half = (2.0 * RADIUS * sunk(angle)).sqrt();
    let mass_per_width = PI * RADIUS * RADIUS * DENSITY;
    DAMPING * 2.0 / 3.0 * half.powi(3) / (0.5 * mass_per_width * RADIUS * RADIUS)
}

/// A cylinder across a slope [rad], with a velocity along it [m/s].
fn cylinder(angle: f64, friction: f64, speed: f64) -> World {
    let part = solid(cut(prism(SIDES, RADIUS, WIDTH, Rings { per_edge: 1, rings: 3 }, 1)));
    let (contact_stiffness, contact_damping) = (Some(SOFT), Some(DAMPING));
    let settings = LatticeSettings { contact_stiffness, contact_damping, ..LatticeSettings::default() };
    let mut spec = body_of(part, material(5e6, 0.25), settings);
    let tilt = Quat::from_rotation_y(angle);
    // its axis along y
    let across = Quat::from_rotation_x(FRAC_PI_2);
    spec.placed = Pose::from_parts(tilt * Vec3::Z * (RADIUS - sunk(angle) - flattened()), tilt * across);
    spec.velocity = tilt * Vec3::X * speed;
    let mut world = world_with([spec], Vec3::Z * -G);
    slope(&mut world, angle, friction);
    world
}

/// Velocity along the slope, and that of the rim [m/s].
fn speeds(world: &World, down: Vec3) -> [f64; 2] {
    let sums = Sums::of(world);
    let inertia = 0.5 * sums.mass * RADIUS * RADIUS * (1.0 - 2.0 / 3.0 * (PI / SIDES as f64).sin().powi(2));
    [sums.velocity().dot(down), sums.own_spin().y / inertia * RADIUS]
}

/// Both speeds from a time on, at steps of the world; empty if a step failed.
fn course(world: &mut World, down: Vec3, dt: f64, [from, until]: [f64; 2]) -> Vec<(f64, [f64; 2])> {
    let mut course = vec![];
    while world.time() < until {
        if !steps(world, dt, 1) {
            return vec![];
        }
        if world.time() > from {
            course.push((world.time(), speeds(world, down)));
        }
    }
    course
}

/// Straight line fitted to values over time: the value at time zero, and the slope. It averages out the vibration of a
/// body on its sides.
fn line(course: &[(f64, f64)]) -> [f64; 2] {
    let n = course.len() as f64;
    let (t, y) = course.iter().fold((0.0, 0.0), |(t, y), c| (t + c.0 / n, y + c.1 / n));
    let (over, under) = course.iter().fold((0.0, 0.0), |(o, u), c| (o + (c.0 - t) * (c.1 - y), u + (c.0 - t).powi(2)));
    [y - over / under * t, over / under]
}

/// (2/3) g sin a, or g (sin a - mu cos a) and r alpha = 2 mu g cos a.
fn cylinders(sheet: &mut Sheet) {
    for sample in particles().incline.samples.iter().filter(|s| s.mu == 0.4 || s.mu == 0.1) {
        let angle = sample.angle_deg.to_radians();
        let down = Quat::from_rotation_y(angle) * Vec3::X;
        let mut world = cylinder(angle, sample.mu, 0.0);
        let course = course(&mut world, down, 2e-3, [0.05, 0.35]);
        let rises = [0, 1].map(|n| line(&course.iter().map(|c| (c.0, c.1[n])).collect::<Vec<_>>())[1]);
        let size = lattice(&world, 0).size();
        let at = format!("at {} deg, mu = {} [m/s2]", sample.angle_deg, sample.mu);
        // a radius between r - sunk and r cos(pi/n) - sunk, taken as r
        let arm = (sunk(angle) + 3.0 * flattened()) / RADIUS;
        let slips = sample.cylinder_acc != sample.cylinder_alpha_times_r;
        // the spin is fitted from 0.05 s to 0.35 s, so the damping acts as at 0.2 s; for a rolling cylinder by a third
        // of that, since two thirds of the driving force is weight
        let slowed = 1.0 - 0.2 * brake(angle) * if slips { 1.0 } else { 1.0 / 3.0 };
        // a slipping cylinder is driven by weight and friction, whatever its shape
        let (text, tolerance) = (format!("acceleration of a cylinder {at}"), if slips { 1e-4 } else { arm });
        let driven = sample.cylinder_acc * if slips { 1.0 } else { slowed };
        sheet.relative(text, size, rises[0], driven, tolerance);
        // a rolling cylinder rolls on the shorter radius, and its rim is computed with the longer one
        let (text, tolerance) = (format!("that of its rim {at}"), if slips { arm } else { 2.0 * arm });
        sheet.relative(text, size, rises[1], sample.cylinder_alpha_times_r * slowed, tolerance);
    }
}

/// Start of rolling at t = v0/(3 mu g), with v = 2 v0/3.
fn slide_to_roll(sheet: &mut Sheet) {
    for r in particles().slide_to_roll {
        let mut world = cylinder(0.0, r.mu, r.v0);
        let slip = course(&mut world, Vec3::X, 2e-3, [0.0, 0.8 * r.t_roll]);
        let [first, rise] = line(&slip.iter().map(|c| (c.0, c.1[0] - c.1[1])).collect::<Vec<_>>());
        let rolling = course(&mut world, Vec3::X, 2e-3, [1.2 * r.t_roll, 1.6 * r.t_roll]);
        let mean = |n: usize| rolling.iter().map(|c| c.1[n]).sum::<f64>() / rolling.len() as f64;
        let size = lattice(&world, 0).size();
        sheet.relative("when a sliding cylinder would not slip any more [s]", size, -first / rise, r.t_roll, 1e-2);
        sheet.relative("its speed after that [m/s]", size, mean(0), r.v_final, 1e-2);
        sheet.relative("that of its rim [m/s]", size, mean(1), r.v_final, 1e-2);
    }
}
