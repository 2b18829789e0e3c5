//! Blocks on a slope: sliding and sticking.

use pliant::World;
use pliant::lattice::LatticeSettings;
use pliant::math::{Pose, Quat, Vec3};

use super::lattice_worlds::{Sums, block, body_of, lattice, material, slope, steps, world_with};
use super::references_particles::particles;
use super::rods::G;
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[Case::of_lattice("slope-slide", slides), Case::of_lattice("slope-stick", sticks)];

/// A cube of 0.1 m on a slope [rad], released where it just touches it.
fn cube(angle: f64, friction: f64, cells: usize, contact_damping: Option<f64>) -> World {
    let part = block(Vec3::splat(0.1), [cells; 3]);
    let settings = LatticeSettings { contact_damping, ..LatticeSettings::default() };
    let mut spec = body_of(part, material(1e6, 0.3), settings);
    let tilt = Quat::from_rotation_y(angle);
    spec.placed = Pose::from_parts(tilt * Vec3::Z * 0.05, tilt);
    let mut world = world_with([spec], Vec3::Z * -G);
    slope(&mut world, angle, friction);
    world
}

/// Acceleration along the slope: g (sin a - mu cos a). The cube still vibrates a little, which changes the impulse of
/// friction by mu times the change of its velocity normal to the slope: while it slides, v_t + mu v_n grows by
/// g (sin a - mu cos a) t exactly.
fn slides(sheet: &mut Sheet) {
    for sample in particles().incline.samples.iter().filter(|s| s.block_acc > 0.0) {
        let angle = sample.angle_deg.to_radians();
        let down = Quat::from_rotation_y(angle) * Vec3::X;
        let mut world = cube(angle, sample.mu, 1, None);
        let mut fine = steps(&mut world, 5e-3, 100);
        let across = Quat::from_rotation_y(angle) * Vec3::Z;
        let seen = |world: &World| Sums::of(world).velocity().dot(down + across * sample.mu);
        let first = seen(&world);
        fine &= steps(&mut world, 5e-3, 200);
        let found = (seen(&world) - first) / 1.0;
        let found = if fine { found } else { f64::NAN };
        let text = format!("acceleration of a cube at {} deg, mu = {} [m/s2]", sample.angle_deg, sample.mu);
        sheet.relative(text, lattice(&world, 0).size(), found, sample.block_acc, 1e-4);
    }
}

/// Displacement of the centre in a minute, after two seconds in which it comes to rest. The friction angle is 21.8
/// degrees.
///
/// A single cell needs more contact damping: with the derived 1.3e4 N s/m3, a cube released at 21.5 degrees never comes
/// to rest, since sliding keeps it rocking on its edge.
fn sticks(sheet: &mut Sheet) {
    for (degrees, cells, damping) in [(20.0, 1, None), (21.5, 1, Some(3e4)), (21.5, 2, None)] {
        let (angle, friction) = (f64::to_radians(degrees), 0.4);
        let mut world = cube(angle, friction, cells, damping);
        let mut fine = steps(&mut world, 5e-3, 400);
        let first = Sums::of(&world).centre();
        fine &= steps(&mut world, 5e-3, 12_000);
        let crept = (Sums::of(&world).centre() - first).length();
        let crept = if fine { crept } else { f64::NAN };
        let text = format!("creep of a cube in 60 s at {degrees} deg, mu = {friction} [m]");
        sheet.scaled(text, lattice(&world, 0).size(), [crept, 0.0, 1.0], 1e-6);
    }
}
