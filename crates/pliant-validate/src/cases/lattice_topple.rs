//! Prisms on a slope and a pushed cube: whether they topple, slide or stay.

use std::f64::consts::{FRAC_PI_2, PI};

use pliant::lattice::LatticeSettings;
use pliant::lattice::solid::{Rings, prism};
use pliant::math::{Pose, Quat, Vec3};
use pliant::{Load, Place, World};

use super::lattice_worlds::{Sums, block, body_of, cut, lattice, material, slope, solid, steps, world_with};
use super::references_particles::particles;
use super::rods::{G, built};
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[Case::of_lattice("topple", topple), Case::of_lattice("push-cube", push_cube)];

/// Distance of a prism's corners from its axis [m].
const RADIUS: f64 = 0.1;

/// Stiff and strongly damped contact: a corner penetrates by about 1e-5 m, much less than what a degree changes in the
/// arm of the weight, 1.7e-3 m, and a fall by that much releases less energy than toppling takes.
fn hard(stiffness: f64, damping: f64) -> LatticeSettings {
    let (contact_stiffness, contact_damping) = (Some(stiffness), Some(damping));
    LatticeSettings { contact_stiffness, contact_damping, ..LatticeSettings::default() }
}

/// Rotation of a prism after half a second on a slope [rad].
fn turned(sides: usize, angle: f64, friction: f64) -> Option<f64> {
    let part = solid(cut(prism(sides, RADIUS, 0.1, Rings { per_edge: 1, rings: 1 }, 1)));
    let mut spec = body_of(part, material(1e8, 0.25), hard(3e10, 2e6));
    let tilt = Quat::from_rotation_y(angle);
    // its axis along y, one of its sides down
    let flat = Quat::from_rotation_y(PI / sides as f64) * Quat::from_rotation_x(FRAC_PI_2);
    let flat = if sides % 4 == 2 { Quat::from_rotation_x(FRAC_PI_2) } else { flat };
    spec.placed = Pose::from_parts(tilt * Vec3::Z * (RADIUS * (PI / sides as f64).cos()), tilt * flat);
    let mut world = world_with([spec], Vec3::Z * -G);
    slope(&mut world, angle, friction);
    let arm = |world: &World, n: usize| lattice(world, 0).places()[n] - Sums::of(world).centre();
    let far = (0..lattice(&world, 0).size()).find(|n| {
        let arm = arm(&world, *n);
        arm.x.hypot(arm.z) > 0.9 * RADIUS
    })?;
    let before = arm(&world, far);
    let fine = steps(&mut world, 5e-3, 100);
    let after = arm(&world, far);
    fine.then(|| (before.z * after.x - before.x * after.z).atan2(before.x * after.x + before.z * after.z))
}

/// A prism of n sides topples on slopes above pi/n if friction holds it.
fn topple(sheet: &mut Sheet) {
    let known = particles().polygon_topple;
    for (name, sides, degrees) in
        [("a cube", 4, known.cube_deg), ("a hexagon", 6, known.hexagon_deg), ("an octagon", 8, known.octagon_deg)]
    {
        for more in [-1.0, 1.0] {
            let angle = f64::to_radians(degrees + more);
            let friction = 1.3 * angle.tan();
            // from an angle of a degree it falls as exp(t sqrt(g / 1.5 r)): to some radians in half a second
            let tipped = turned(sides, angle, friction).map_or(f64::NAN, |turn| if turn > 0.1 { 1.0 } else { 0.0 });
            let text = format!("whether {name} tips over at {} deg", degrees + more);
            sheet.scaled(text, sides, [tipped, if more > 0.0 { 1.0 } else { 0.0 }, 1.0], 0.0);
        }
        // it slides before it topples
        let angle = f64::to_radians(degrees + 1.0);
        let tipped =
            turned(sides, angle, 0.5 * angle.tan()).map_or(f64::NAN, |t| if t.abs() > 0.1 { 1.0 } else { 0.0 });
        let text = format!("whether {name} tips over at {} deg with half the friction", degrees + 1.0);
        sheet.scaled(text, sides, [tipped, 0.0, 1.0], 0.0);
    }
}

/// Side of the pushed cube [m].
const SIDE: f64 = 0.1;

/// What a cube does when pushed by a force / weight at a height / side: whether it has toppled and whether it slid.
fn pushed(force: f64, height: f64, friction: f64) -> Option<[bool; 2]> {
    let cells = 2;
    let mut spec = body_of(block(Vec3::splat(SIDE), [cells; 3]), material(1e7, 0.3), hard(1e10, 3e5));
    spec.placed = Pose::from_translation(Vec3::Z * (0.5 * SIDE));
    let mut world = world_with([spec], Vec3::Z * -G);
    slope(&mut world, 0.0, friction);
    let first = Sums::of(&world);
    // a row of particles at its back
    let (z, e) = (height * SIDE, 0.1 * SIDE);
    let low = Vec3::new(-0.5 * SIDE - e, -1.0, z - e);
    let place = Place::Box { low, high: Vec3::new(-0.5 * SIDE + e, 1.0, z + e) };
    // in small increments, so that it does not overshoot
    let parts = 20;
    for n in 0..parts {
        let force = Vec3::X * (force * first.mass * G / f64::from(parts));
        let from = 0.01 * f64::from(n);
        built(world.add_load(Load { from, ..Load::new(built(world.body_at(0)), place, force) }));
    }
    let top = (0..lattice(&world, 0).size()).max_by(|a, b| {
        let height = |n: &usize| lattice(&world, 0).places()[*n].dot(Vec3::new(-1.0, 0.0, 1.0));
        height(a).total_cmp(&height(b))
    })?;
    let mut tipped = false;
    for _ in 0..160 {
        world.step(5e-3).ok()?;
        tipped |= lattice(&world, 0).places()[top].z > 1.1 * SIDE;
    }
    let way = Sums::of(&world).centre().x - first.centre().x;
    Some([tipped, !tipped && way > 0.1 * SIDE])
}

/// It topples if F h > m g a/2, and slides if F > mu m g.
fn push_cube(sheet: &mut Sheet) {
    for (height, friction) in [(1.0, 0.8), (1.0, 0.4), (0.5, 0.4)] {
        let (tips, slides): (f64, f64) = (0.5 / height, friction);
        let (least, which) = if tips < slides { (tips, 0) } else { (slides, 1) };
        for part in [0.96, 1.06] {
            let done = pushed(part * least, height, friction);
            let value = done.map_or(f64::NAN, |d| if d[which] { 1.0 } else { 0.0 });
            let what = ["tips over", "slides"][which];
            let text = format!("whether a cube {what} at {part} of {least:.3} m g, h = {height} a, mu = {friction}");
            sheet.scaled(text, 4, [value, if part > 1.0 { 1.0 } else { 0.0 }, 1.0], 0.0);
            let other = done.map_or(f64::NAN, |d| if d[1 - which] { 1.0 } else { 0.0 });
            let what = ["tips over", "slides"][1 - which];
            sheet.scaled(format!("whether it {what}"), 4, [other, 0.0, 1.0], 0.0);
        }
    }
}
