//! A square bar, clamped at one end and loaded at the other: tension, bending, torsion.
//!
//! All three loads act at once, and so weakly that each acts as if alone. By symmetry, the mean motions of a section
//! along, across and about the bar are independent.

use pliant::lattice::{Lattice, LatticeSettings, Pace};
use pliant::math::{Pose, Vec3};
use pliant::motion::Motion;
use pliant::{GripParams, GripperParams, Hold, Load, Place, World};

use super::lattice_worlds::{DENSITY, block, body_of, lattice, material, steps, world_with};
use super::references_particles::particles;
use super::rods::built;
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[Case::of_lattice("bar", bar)];

/// Young's modulus [Pa].
const YOUNG: f64 = 1e5;
/// Side [m].
const SIDE: f64 = 0.1;
/// Ratio of length to side.
const LONG: usize = 5;
/// Loads [N]: so weak that rotations are about 1e-4, and their interaction 1e-4 of their effect.
const FORCE: Vec3 = Vec3::new(1e-3, 0.0, 1e-4);
/// Torque [N m].
const TORQUE: f64 = 1e-5;

/// Ratio of the deflection of the end to that of the beam for nu = 0.3, since the clamp prevents sections from
/// deforming: by 3D finite elements (hexahedra with Wilson's incompatible modes, 2 to 8 across: 0.9706, 0.9802, 0.9830,
/// 0.9843).
const CLAMPED: f64 = 0.987;

/// Deformation under the loads.
#[derive(Clone, Copy)]
struct Change {
    /// Elongation between the sections one side from the ends [m].
    lengthening: f64,
    /// Deflection of the end [m].
    deflection: f64,
    /// Deflection of the second of these sections from the tangent at the first [m].
    bow: f64,
    /// Twist between the sections one side from the ends [rad].
    twist: f64,
    /// Force on the gripper [N].
    felt: Vec3,
}

fn length() -> f64 {
    SIDE * LONG as f64
}

/// Particles within a tenth of a cell of a section, at a distance from the clamp [m].
fn section(body: &Lattice, n: usize, at: f64) -> Vec<usize> {
    let near = 0.1 * SIDE / n as f64;
    let places = body.places().iter().enumerate();
    places.filter(|(_, p)| (p.x + 0.5 * length() - at).abs() < near).map(|(n, _)| n).collect()
}

/// A bar of n by n cells with its loads.
fn loaded(n: usize, poisson: f64) -> World {
    // the lowest bending mode: 1.8751^2 sqrt(E I / (rho A L^4)), with 0.9 of critical damping
    let slowest = 3.516 * (YOUNG / DENSITY / 12.0).sqrt() * SIDE / length().powi(2);
    let part = block(Vec3::new(length(), SIDE, SIDE), [n * LONG, n, n]);
    let usual = LatticeSettings { drag: 1.8 * slowest, damping_time: Some(0.0), ..LatticeSettings::default() };
    let mut spec = body_of(part, material(YOUNG, poisson), usual);
    // the body's own step is 0.7 of one that is certainly stable
    let stable =
        built(Lattice::new("bar", spec.clone())).derived().iter().find(|d| d.symbol == "tau_s").map(|d| d.value);
    spec.settings.pace = Pace::Constant { step: stable.map_or(f64::NAN, |tau| 1.4 * tau) };
    let mut world = world_with([spec], Vec3::ZERO);
    let e = 0.1 * SIDE / n as f64;
    let face = |x: f64| Place::Box { low: Vec3::new(x - e, -1.0, -1.0), high: Vec3::new(x + e, 1.0, 1.0) };
    let gripper = GripperParams { name: "wall".into(), placed: Pose::IDENTITY, motion: Motion::Hold };
    let gripper = built(world.add_gripper(gripper));
    let (bar, place) = (built(world.body_at(0)), face(-0.5 * length()));
    built(world.add_grip(GripParams::new(gripper, bar, place, Hold::Clamp)));
    let place = face(0.5 * length());
    built(world.add_load(Load { torque: Vec3::X * TORQUE, ..Load::new(bar, place, FORCE) }));
    world
}

/// Deformation when the bar is at rest.
fn rest(n: usize, poisson: f64) -> Option<Change> {
    let mut world = loaded(n, poisson);
    let first = lattice(&world, 0).clone();
    // 0.9 of critical damping: 2.3 exp(-0.9 w t) is 1.2e-4 after 2.7 s with w = 4.06/s
    if !steps(&mut world, 0.02, 135) {
        return None;
    }
    let body = lattice(&world, 0);
    let moved = |k: usize| body.places()[k] - first.places()[k];
    let mean = |of: &[usize]| of.iter().map(|k| moved(*k)).sum::<Vec3>() / of.len() as f64;
    let turned = |of: &[usize]| {
        let (mut over, mut under) = (0.0, 0.0);
        for k in of {
            let r = first.places()[*k];
            over += r.y * moved(*k).z - r.z * moved(*k).y;
            under += r.y * r.y + r.z * r.z;
        }
        over / under
    };
    // rotation about y, from displacements along the bar
    let tilted = |of: &[usize]| {
        let squares: f64 = of.iter().map(|k| first.places()[*k].z.powi(2)).sum();
        -of.iter().map(|k| first.places()[*k].z * moved(*k).x).sum::<f64>() / squares
    };
    let [near, far, end] = [SIDE, length() - SIDE, length()].map(|at| section(&first, n, at));
    Some(Change {
        lengthening: mean(&far).x - mean(&near).x,
        deflection: mean(&end).z,
        bow: mean(&far).z - mean(&near).z - tilted(&near) * (length() - 2.0 * SIDE),
        twist: turned(&far) - turned(&near),
        felt: world.grippers()[0].load.force,
    })
}

/// Deformation by beam theory.
fn formulas(poisson: f64, torsion: f64) -> Change {
    let shear = YOUNG / (2.0 * (1.0 + poisson));
    let (all, inner, area) = (length(), length() - 2.0 * SIDE, SIDE * SIDE);
    let bending = YOUNG * SIDE.powi(4) / 12.0;
    // from the first section on: a force F, and a moment F (L - x)
    let bow = FORCE.z * (0.5 * (all - SIDE) * inner * inner - inner.powi(3) / 6.0) / bending;
    let sheared = |length: f64| FORCE.z * 6.0 * length / (5.0 * shear * area);
    Change {
        lengthening: FORCE.x * inner / (YOUNG * area),
        deflection: FORCE.z * all.powi(3) / (3.0 * bending) + sheared(all),
        bow: bow + sheared(inner),
        twist: TORQUE * inner / (shear * torsion * SIDE.powi(4)),
        felt: FORCE,
    }
}

/// Against F L/(E A), F L^3/(3 E I) + 6 F L/(5 G A) and T L/(G J).
fn bar(sheet: &mut Sheet) {
    let torsion = particles().bar.torsion;
    for poisson in [0.1, 0.3, 0.45] {
        let known = formulas(poisson, torsion);
        let sizes: &[usize] = if poisson == 0.3 { &[2, 4, 8] } else { &[4] };
        let found: Vec<Option<Change>> = sizes.iter().map(|n| rest(*n, poisson)).collect();
        let (finest, last) = (sizes[sizes.len() - 1], found[found.len() - 1]);
        let text = |what: &str| format!("{what}, nu = {poisson}");
        let of = |get: fn(&Change) -> f64| last.as_ref().map_or(f64::NAN, get);
        // connectors reproduce uniform strain exactly; the effect of the clamp on sections decays about as exp(-2 pi
        // x/a)
        sheet.relative(text("traction between sections"), finest, of(|c| c.lengthening), known.lengthening, 2e-3);
        // strain is uniform within a cell: bars are too stiff by a constant times (h/a)^2, 1.5 with volumes and 2.8
        // with angles
        let tolerance = if poisson < 0.25 { 3.5 } else { 1.9 } / (finest * finest) as f64;
        let bent = |c: &Change| c.bow;
        let twisted = |c: &Change| c.twist;
        for (what, get) in [("flexion", bent as fn(&Change) -> f64), ("torsion", twisted)] {
            let text = text(&format!("{what} between sections"));
            sheet.relative(&text, finest, of(get), get(&known), tolerance);
            if found.len() > 2 {
                // relative excess of stiffness; at these sizes the order is still approaching 2
                let errors: Vec<f64> =
                    found.iter().map(|c| c.as_ref().map_or(f64::NAN, |c| get(&known) / get(c) - 1.0)).collect();
                let order = (errors[1] / errors[2]).log2();
                sheet.scaled(format!("order of it, {} to {finest}", sizes[1]), finest, [order, 2.0, 1.0], 0.3);
            }
        }
        if poisson == 0.3 {
            let reference = CLAMPED * known.deflection;
            sheet.relative(text("deflection of the end"), finest, of(|c| c.deflection), reference, tolerance);
        }
        for (what, axis) in [("along", Vec3::X), ("across", Vec3::Z)] {
            let felt = last.map_or(f64::NAN, |c| c.felt.dot(axis));
            // the remaining motion is below 1e-4
            sheet.relative(text(&format!("force on the clamp, {what} [N]")), finest, felt, FORCE.dot(axis), 1e-3);
        }
    }
}
