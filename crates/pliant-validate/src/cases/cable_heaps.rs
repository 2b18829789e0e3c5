//! Cables in heaps, on faceted drums and as a ring.

use std::f64::consts::{PI, TAU};

use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec};
use pliant::contact::{Mesh, ShapeKind};
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::{Blend, Motion, Waypoint};
use pliant::{Body, EventKind, GripParams, Hold, Load, Material, Other, Place, Rigidities, Section, World};

use super::cable_work::gripper;
use super::contact::{RADIUS, cable, coulomb, obstacle, silicone};
use super::rods::{G, built};
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[
    Case::of_cable("heap", heap),
    Case::of_cable("faceted-drum", faceted_drum),
    Case::of_cable("oval-ring", oval_ring),
];

/// Contacts observed in a run.
#[derive(Default)]
struct Seen {
    contacts: usize,
    /// Contacts with more friction than their normal force allows.
    outside: usize,
    crossed: usize,
}

impl Seen {
    /// Run for a time and check all contacts after each step against a coefficient of friction.
    fn of(world: &mut World, step: f64, time: f64, friction: f64) -> Option<Seen> {
        let mut seen = Seen::default();
        for _ in 0..(time / step).round() as usize {
            world.step(step).ok()?;
            seen.crossed += world.events().iter().filter(|e| matches!(e.kind, EventKind::Crossed { .. })).count();
            for contact in &world.frame().contacts {
                let normal = contact.force.dot(contact.normal);
                let tangential = contact.force.reject_from_normalized(contact.normal).length();
                seen.contacts += 1;
                seen.outside += usize::from(tangential > friction * normal.max(0.0) * (1.0 + 1e-6) + 1e-9);
            }
        }
        Some(seen)
    }
}

/// Loops of a coil fall into a heap: the floor carries their weight, nothing passes through anything, and friction
/// stays within its cone.
fn heap(sheet: &mut Sheet) {
    for (turns, step) in [(3, 0.01), (3, 0.002), (5, 0.005)] {
        let (segments, radius, density) = (60 * turns, 0.003, 1300.0);
        let corner = |k: usize| {
            let turn = k as f64 / 60.0;
            Quat::from_rotation_z(TAU * turn) * (Vec3::X * 0.05) + Vec3::Z * (0.02 + 0.012 * turn)
        };
        let path: Vec<Vec3> = (0..=segments).map(corner).collect();
        let length: f64 = path.windows(2).map(|w| w[0].distance(w[1])).sum();
        let material = Material { young: 20e6, poisson: 0.4, density, friction: coulomb(0.4) };
        let section = Section::Round { radius };
        let settings = CableSettings::default();
        let spec = CableSpec { material, section, path, normal: None, rest: Rest::Path, segments, settings };
        let mut world = World::new(Vec3::Z * -G);
        built(world.add_body(Body::Cable(built(Cable::new("wire", spec)))));
        obstacle(&mut world, "floor", ShapeKind::Plane, Pose::IDENTITY);
        let seen = Seen::of(&mut world, step, 2.4, 0.4).unwrap_or(Seen { crossed: 1, ..Seen::default() });
        let of = format!("heap of {turns} loops, {} ms", step * 1e3);
        let frame = world.frame();
        let on_floor = frame.contacts.iter().filter(|c| matches!(c.other, Other::Obstacle(_)));
        let borne: f64 = on_floor.map(|c| c.force.z).sum();
        sheet.relative(
            format!("{of}: what the floor bears [N]"),
            segments,
            borne,
            density * PI * radius * radius * length * G,
            1e-3,
        );
        sheet.scaled(format!("{of}: depth [um]"), segments, [world.deepest(), 0.0, 1e-6], 100.0);
        sheet.scaled(format!("{of}: links that went through others"), segments, [seen.crossed as f64, 0.0, 1.0], 0.5);
        let outside = if seen.contacts > 1000 { seen.outside as f64 } else { f64::NAN };
        sheet.scaled(format!("{of}: contacts outside the cone of friction"), segments, [outside, 0.0, 1.0], 0.5);
    }
}

/// A drum of radius 20 mm along z, as a mesh.
fn drum(sides: u32, rows: u32) -> Mesh {
    let mut mesh = Mesh::default();
    for row in 0..=rows {
        for k in 0..sides {
            let turn = Quat::from_rotation_z(TAU * f64::from(k) / f64::from(sides));
            mesh.vertices.push(turn * (Vec3::X * 0.02) + Vec3::Z * (0.1 * f64::from(row) / f64::from(rows) - 0.05));
        }
    }
    for (row, k) in (0..rows).flat_map(|row| (0..sides).map(move |k| (row, k))) {
        let [a, b] = [row * sides + k, row * sides + (k + 1) % sides];
        mesh.triangles.extend([[a, b, b + sides], [a, b + sides, a + sides]]);
    }
    for (z, row) in [(-0.05, 0), (0.05, rows)] {
        let middle = mesh.vertices.len() as u32;
        mesh.vertices.push(Vec3::Z * z);
        for k in 0..sides {
            let [a, b] = [row * sides + k, row * sides + (k + 1) % sides];
            mesh.triangles.push(if row == 0 { [middle, b, a] } else { [middle, a, b] });
        }
    }
    mesh
}

/// A cable laid half round a drum and drawn over it against a weight: the pull is that over a cylinder, whatever the
/// triangles.
fn faceted_drum(sheet: &mut Sheet) {
    for step in [0.01, 0.002] {
        let pull = |kind: ShapeKind| {
            let over = |k: u32| Quat::from_rotation_y(PI * f64::from(k) / 24.0) * (Vec3::X * -(0.0201 + RADIUS));
            let mut path = vec![over(0) - Vec3::Z * 0.15];
            path.extend((0..=24).map(over));
            path.push(over(24) - Vec3::Z * 0.15);
            let (material, section) = (silicone(coulomb(0.3)), Section::Round { radius: RADIUS });
            let settings = CableSettings { drag: 2.0, ..CableSettings::default() };
            let mut world = cable(material, section, path.clone(), 90, settings, Vec3::ZERO);
            let turn = Quat::from_rotation_x(0.5 * PI) * Quat::from_rotation_z(0.1234);
            obstacle(&mut world, "drum", kind, Pose::from_rotation(turn));
            let at = |time: f64, down: f64| Waypoint { time, position: path[0] - Vec3::Z * down, orientation: None };
            let waypoints = vec![at(0.0, 0.0), at(0.5, 0.01), at(2.5, 0.05)];
            let motion = Motion::Waypoints { blend: Blend::Linear, waypoints };
            let body = built(world.body_at(0));
            gripper(&mut world, "hand", path[0], motion, |hand| {
                GripParams::new(hand, body, Place::Fraction(0.0), Hold::Position)
            });
            let load = Load { rise: 0.2, ..Load::new(built(world.body_at(0)), Place::Fraction(1.0), Vec3::Z * -0.5) };
            built(world.add_load(load));
            let (mut sum, mut count) = (0.0, 0.0);
            let seen = Seen::of(&mut world, step, 1.5, 0.3).filter(|seen| seen.outside == 0 && seen.crossed == 0);
            for _ in 0..(1.0 / step).round() as usize {
                if world.step(step).is_err() {
                    return f64::NAN;
                }
                (sum, count) = (sum + world.grippers()[0].load.force.length(), count + 1.0);
            }
            if seen.is_some_and(|seen| seen.contacts > 100) { sum / count } else { f64::NAN }
        };
        let cylinder = pull(ShapeKind::Cylinder { radius: 0.02, length: 0.1 });
        for (sides, rows) in [(48, 3), (300, 1), (1000, 9)] {
            let mesh = drum(sides, rows);
            let what = format!("pull over a drum of {} triangles, {} ms [N]", mesh.triangles.len(), step * 1e3);
            // facets deviate from the cylinder by R (1 - cos(pi / n)), 0.2 % of R at 48
            sheet.relative(what, 90, pull(ShapeKind::Mesh(mesh)), cylinder, 0.01);
        }
    }
}

/// In-plane bending of a ring: w^2 = EI n^2 (n^2 - 1)^2 / (rho A R^4 (n^2 + 1)), Love, "A treatise on the mathematical
/// theory of elasticity", section 293.
fn oval_ring(sheet: &mut Sheet) {
    const R: f64 = 0.1;
    const EI: f64 = 1e-3;
    const LINE_MASS: f64 = 0.02;
    let rigidities = Rigidities { radius: 1e-3, mass_per_length: LINE_MASS, ea: 2e4, ga: 2e4, ei: [EI; 2], gj: EI };
    let love = (EI * 36.0 / (LINE_MASS * R.powi(4) * 5.0)).sqrt();
    for sides in [24, 48, 96] {
        let half = PI / sides as f64;
        let corner = |i: usize| {
            let angle = 2.0 * half * i as f64;
            // inextensible: radial displacement requires one along the ring
            let (out, on) = (2e-4 * (2.0 * angle).cos(), -1e-4 * (2.0 * angle).sin());
            let (radial, around) =
                (Vec3::new(angle.cos(), angle.sin(), 0.0), Vec3::new(-angle.sin(), angle.cos(), 0.0));
            radial * (R * half / half.sin() + out) + around * on
        };
        let settings = CableSettings { damping_time: 0.0, closed: true, ..CableSettings::default() };
        let (path, section) = ((0..sides).map(corner).collect(), Section::Explicit(rigidities));
        let mut world = cable(silicone(coulomb(0.3)), section, path, sides, settings, Vec3::ZERO);
        let width = |world: &World| {
            let nodes = &world.frame().bodies[0].nodes;
            let across = |i: usize| nodes[i].distance(nodes[i + sides / 2]);
            across(0) - across(sides / 4)
        };
        let (step, mut before, mut passed) = (2e-4, width(&world), vec![]);
        for n in 1..3000 {
            if world.step(step).is_err() {
                break;
            }
            let now = width(&world);
            if before > 0.0 && now <= 0.0 {
                passed.push((f64::from(n) - now / (now - before)) * step);
            }
            before = now;
        }
        let found = match passed[..] {
            [first, .., last] => TAU * (passed.len() - 1) as f64 / (last - first),
            _ => f64::NAN,
        };
        // second order in the link length; the cable shears a little, Love's ring does not
        let tolerance = 4.0 / (sides * sides) as f64 + 1e-4;
        sheet.relative("swing of an oval ring, Love [rad/s]", sides, found, love, tolerance);
    }
}
