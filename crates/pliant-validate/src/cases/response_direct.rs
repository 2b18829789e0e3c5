//! Motion under loads and moving grips, against direct time integration of all unknowns.

use pliant::math::Vec3;
use pliant::motion::Motion;
use pliant::response::{Basis, Compliance, Known, Records};
use pliant::{Load, Place};
use pliant_fem::{Direct, Model, Order, Sampling, Timing};

use super::response_worlds::{
    UNDAMPED, basis, block, displacements, elastic, hold, model, rest_of, spec, steps, sure, world_of,
};
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[Case::of_response("direct", direct), Case::of_response("records", records)];

/// A block of 90 nodes: 264 modes, all of which are used since 264 is a multiple of four.
const CELLS: [usize; 3] = [5, 4, 2];
const SIZE: Vec3 = Vec3::new(0.1, 0.08, 0.04);

/// Length of the model's own steps, which resolve all modes [s].
const SAMPLE: f64 = 1e-3;

/// A force so small that nothing rotates by more than 1e-7 [N].
const FORCE: Vec3 = Vec3::new(3e-8, -6e-8, 9e-8);

fn solid(modes: Option<usize>) -> (Model, Basis) {
    let mesh = block(CELLS, SIZE);
    (model(&mesh, 0.3, Order::Linear), basis(&mesh, elastic(0.3), Order::Linear, modes))
}

/// Integrated in sub-steps of h by Newmark's scheme, a mode oscillates with 2 / h atan(w h / 2) about the same
/// equilibrium: q = p / w^2 (1 - cos). With modes whose frequencies and shapes are changed accordingly, the solid moves
/// exactly as in direct integration.
fn as_newmark(mut basis: Basis, h: f64) -> Basis {
    let slower: Vec<f64> = basis.squares.iter().map(|s| 2.0 / h * (0.5 * h * s.sqrt()).atan() / s.sqrt()).collect();
    basis.squares.iter_mut().zip(&slower).for_each(|(square, factor)| *square *= factor * factor);
    let shapes: Vec<f64> =
        basis.shapes.chunks_exact(slower.len()).flat_map(|row| row.iter().zip(&slower).map(|(x, f)| x * f)).collect();
    basis.shapes = shapes.into();
    basis
}

/// Remove the static correction for the modes that are left out.
fn uncorrected(mut basis: Basis) -> Basis {
    let modes = basis.squares.len();
    let entry = |node: usize, k: usize| {
        let row = |axis: usize| &basis.shapes[(3 * node + axis) * modes..][..modes];
        row(k / 3).iter().zip(row(k % 3)).zip(&basis.squares).map(|((a, b), square)| a * b / square).sum::<f64>()
    };
    let own: Vec<f64> =
        (0..basis.hull.nodes.len()).flat_map(|n| (0..9).map(move |k| (n, k))).map(|(n, k)| entry(n, k)).collect();
    basis.compliance = Compliance::Local(own.into());
    basis
}

/// Surface nodes and their shares of a force: one corner, or the far face by area.
fn parts(hull: &pliant::response::Hull, face: bool) -> Vec<(usize, f64)> {
    if !face {
        let far = |n: &usize| (hull.nodes[*n] - SIZE).length() < 1e-9;
        return (0..hull.nodes.len()).filter(far).map(|n| (n, 1.0)).collect();
    }
    let mut parts = vec![0.0; hull.nodes.len()];
    let there = |n: u32| hull.nodes[n as usize].x == SIZE.x;
    for facet in hull.facets.iter().filter(|facet| facet.iter().all(|n| there(*n))) {
        let [a, b, c] = facet.map(|n| hull.nodes[n as usize]);
        let area = 0.5 * (b - a).cross(c - a).length();
        facet.iter().for_each(|n| parts[*n as usize] += area / (3.0 * SIZE.y * SIZE.z));
    }
    parts.into_iter().enumerate().filter(|(_, part)| *part > 0.0).collect()
}

/// Displacements of the surface under a constant force by direct integration, sample by sample [m].
fn expected(model: &Model, on: &[(usize, f64)], substeps: usize, samples: usize) -> Vec<Vec<Vec3>> {
    let timing = Timing { sample: SAMPLE, substeps, samples, sampling: Sampling::End };
    let direct = sure(Direct::new(model, &pliant_fem::Damping::default(), &timing));
    let mut force = vec![0.0; model.unknowns()];
    for (node, part) in on {
        let node = model.surface().nodes[*node];
        (0..3).for_each(|axis| force[3 * node + axis] += part * FORCE[axis]);
    }
    let found = sure(direct.respond(&[&force], &mut |_| std::ops::ControlFlow::Continue(())));
    let mut sum = vec![Vec3::ZERO; model.surface().nodes.len()];
    let add = |s: usize| {
        let now = found[0].sample(s).as_chunks::<3>().0;
        sum.iter_mut().zip(now).for_each(|(sum, u)| *sum += Vec3::from_array(*u));
        sum.clone()
    };
    (0..samples).map(add).collect()
}

/// Largest distance of the body's surface from the expected one, relative to its largest displacement.
fn off(basis: Basis, face: bool, expected: &[Vec<Vec3>]) -> f64 {
    let rest = rest_of(&basis);
    let mut world = world_of(spec(Known::Modes(basis), UNDAMPED, SAMPLE), Vec3::ZERO);
    let (low, high) = (Vec3::new(SIZE.x - 1e-6, -1.0, -1.0), Vec3::ONE);
    let place = if face { Place::Box { low, high } } else { Place::Point(SIZE) };
    let load = Load::new(sure(world.body_at(0)), place, FORCE);
    sure(world.add_load(load));
    let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
    for expected in expected {
        if !steps(&mut world, SAMPLE, 1) {
            return f64::NAN;
        }
        for (u, e) in displacements(&world, &rest).iter().zip(expected) {
            worst = worst.max((*u - *e).length());
            largest = largest.max(e.length());
        }
    }
    worst / largest
}

/// A load on a corner and one on a face: with all modes equal to direct integration, with fewer the error falls with
/// their number.
fn direct(sheet: &mut Sheet) {
    let (model, all) = solid(None);
    let few = |count: usize| solid(Some(count)).1;
    let samples = 60;
    for face in [false, true] {
        let name = if face { "load on a face" } else { "load on a corner" };
        let on = parts(&all.hull, face);
        let coarse = expected(&model, &on, 1, samples);
        let text = format!("{name}, all modes, Newmark's frequencies");
        sheet.scaled(text, 264, [off(as_newmark(all.clone(), SAMPLE), face, &coarse), 0.0, 1.0], 1e-6);
        let fine = expected(&model, &on, 40, samples);
        // sub-steps of 25 us: (w h)^2 / 12 of the frequencies that matter, 1000 rad/s, over 60 samples
        sheet.scaled(format!("{name}, all modes"), 264, [off(all.clone(), face, &fine), 0.0, 1.0], 1e-3);
        // the motion of a corner depends on high modes
        for (count, tolerance) in [(20, 0.4), (60, 0.12), (180, 0.03)] {
            let with = off(few(count), face, &fine);
            let without = off(uncorrected(few(count)), face, &fine);
            sheet.scaled(format!("{name}, some modes"), count, [with, 0.0, 1.0], tolerance);
            // modes left out oscillate between 0 and 2 of their static value: off by 2 without correction, by 1 with it
            let text = format!("{name}, what static correction leaves of the error");
            sheet.scaled(text, count, [with / without, 0.5, 1.0], 0.1);
        }
    }
}

/// Recorded responses of some nodes, in memory, in `substeps` sub-steps per sample.
fn recorded(model: &Model, hull: &pliant::response::Hull, nodes: &[u32], samples: usize, substeps: usize) -> Records {
    let timing = Timing { sample: SAMPLE, substeps, samples, sampling: Sampling::End };
    let direct = sure(Direct::new(model, &pliant_fem::Damping::default(), &timing));
    let unit = |n: usize| {
        let mut force = vec![0.0; model.unknowns()];
        force[3 * model.surface().nodes[nodes[n / 3] as usize] + n % 3] = 1.0;
        force
    };
    let forces: Vec<Vec<f64>> = (0..3 * nodes.len()).map(unit).collect();
    let forces: Vec<&[f64]> = forces.iter().map(|f| &f[..]).collect();
    let found = sure(direct.respond(&forces, &mut |_| std::ops::ControlFlow::Continue(())));
    let responses = found.into_iter().map(|r| r.values.into()).collect();
    Records { hull: hull.clone(), sample: SAMPLE, samples, nodes: nodes.to_vec(), responses }
}

/// Forces on two grippers that hold and move two nodes, step by step [N].
fn forces(solid: Known, nodes: [u32; 2], at: [Vec3; 2], count: usize) -> Vec<Vec3> {
    let mut world = world_of(spec(solid, UNDAMPED, SAMPLE), Vec3::ZERO);
    for ((node, at), sign) in nodes.into_iter().zip(at).zip([1.0, -1.0]) {
        let amplitude = Vec3::new(3e-8, 1e-8 * sign, 2e-8 * sign);
        let motion = Motion::Sinusoid { amplitude, frequency: 12.0, phase: 0.5 * std::f64::consts::PI * sign };
        hold(&mut world, at, Place::Node(node as usize), motion);
    }
    let mut out = vec![];
    for _ in 0..count {
        let fine = steps(&mut world, SAMPLE, 1);
        out.extend(world.grippers().iter().map(|g| if fine { g.load.force } else { Vec3::NAN }));
    }
    out
}

/// Recorded responses against modes of the same solid.
fn records(sheet: &mut Sheet) {
    let (model, all) = solid(None);
    let node =
        |at: Vec3| (0..all.hull.nodes.len()).find(|n| (all.hull.nodes[*n] - at).length() < 1e-9).unwrap_or(0) as u32;
    let at = [Vec3::ZERO, SIZE];
    let nodes = [node(at[0]), node(at[1])];
    let samples = 200;
    let difference = |a: &[Vec3], b: &[Vec3]| {
        let largest = a.iter().map(|f| f.length()).fold(0.0, f64::max);
        a.iter().zip(b).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max) / largest
    };
    let two = forces(Known::Records(recorded(&model, &all.hull, &nodes, samples, 2)), nodes, at, samples);
    let as_recorded = forces(Known::Modes(as_newmark(all.clone(), SAMPLE / 2.0)), nodes, at, samples);
    let text = "forces of two moved nodes, records against modes with Newmark's frequencies";
    sheet.scaled(text, 264, [difference(&two, &as_recorded), 0.0, 1.0], 1e-6);
    let exact = forces(Known::Modes(all.clone()), nodes, at, samples);
    let mut errors = vec![];
    for substeps in [8, 16, 32] {
        let found = forces(Known::Records(recorded(&model, &all.hull, &nodes, samples, substeps)), nodes, at, samples);
        let error = difference(&exact, &found);
        errors.push(error);
        // second order in sub-steps
        let tolerance = 4e-4 * (8.0 / substeps as f64).powi(2);
        sheet.scaled("forces of two moved nodes, records against modes", substeps, [error, 0.0, 1.0], tolerance);
    }
    sheet.order("records against modes in sub-steps", [8, 16, 32], [errors[0], errors[1], errors[2]], 2.0);
    // modes left out follow at once: they have no inertia
    for (count, tolerance) in [(60, 0.05), (180, 0.03)] {
        let found = forces(Known::Modes(solid(Some(count)).1), nodes, at, samples);
        sheet.scaled(
            "forces of two moved nodes, fewer modes",
            count,
            [difference(&exact, &found), 0.0, 1.0],
            tolerance,
        );
    }
}
