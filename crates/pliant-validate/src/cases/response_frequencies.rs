//! The cube of Tagawa, Hirota and Hirose as finite elements: its frequencies and rigid-body properties.

use std::ops::ControlFlow;

use pliant::math::Vec3;
use pliant::response::Known;
use pliant::{Load, Place};
use pliant_fem::{MassKind, Model, Modes, ModesParams, Order};

use super::references_solids::solids;
use super::response_worlds::{
    DENSITY, POISSON, SIDE, UNDAMPED, YOUNG, basis, cube, elastic, response, spec, steps, sure, world_of,
};
use super::{Case, Sheet, largest};

/// Cases of this file.
pub const CASES: &[Case] = &[
    Case::of_response("frequencies", frequencies),
    Case::of_response("lame-modes", lame),
    Case::of_response("rigid", rigid),
];

/// The lowest frequencies of the cube [Hz].
fn hertz(cells: usize, poisson: f64, order: Order, mass: MassKind, count: usize) -> Vec<f64> {
    let model = sure(Model::new(&cube(cells), &elastic(poisson), order, mass));
    let params = ModesParams { count, ..ModesParams::default() };
    let modes = sure(Modes::new(&model, &params, &mut |_| ControlFlow::Continue(())));
    (0..count).map(|mode| modes.hertz(mode)).collect()
}

/// The value farthest from its reference, and that reference.
fn worst(values: &[f64], references: &[f64]) -> [f64; 2] {
    let off = |[value, reference]: &[f64; 2]| (value - reference).abs() / reference;
    let pairs = values.iter().zip(references).map(|(v, r)| [*v, *r]);
    pairs.max_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or([f64::NAN; 2])
}

/// The first eight frequencies, against independent code for the same elements and against the solid itself.
fn frequencies(sheet: &mut Sheet) {
    let known = solids();
    for (name, cells, mass, reference) in [
        ("consistent", 6, MassKind::Consistent, &known.tet5_n6_consistent_hz_1_to_8),
        ("consistent", 12, MassKind::Consistent, &known.tet5_n12_consistent_hz_1_to_8),
        ("lumped", 12, MassKind::Lumped, &known.tet5_n12_lumped_hz_1_to_8),
    ] {
        let [value, reference] = worst(&hertz(cells, POISSON, Order::Linear, mass, 8), reference);
        // equal matrices: what remains is the residual of the modes, below 1e-10
        sheet.relative(format!("worst of 8 frequencies, linear, {name} mass [Hz]"), cells, value, reference, 1e-9);
    }
    for (cells, tolerance) in [(3, 2e-2), (6, 5e-3)] {
        let found = hertz(cells, POISSON, Order::Quadratic, MassKind::Consistent, 8);
        let [value, reference] = worst(&found, &known.ritz_seed002.freq_hz_1_to_8);
        // edges and corners are smooth enough for h^4, of which half a cell is 1e-3
        sheet.relative("worst of 8 frequencies of the solid, quadratic [Hz]", cells, value, reference, tolerance);
        // elements with consistent mass are a Ritz method: never below
        let below = largest(found.iter().zip(&known.ritz_seed002.freq_hz_1_to_8).map(|(f, r)| (r - f) / r));
        sheet.scaled("how far any is below that of the solid", cells, [below, 0.0, 1.0], 3e-6);
    }
}

/// Lame's shear modes, c_S / (sqrt 2 side), three of them whatever Poisson's ratio: by quadratic elements, of order 2 p
/// = 4 in the element size.
fn lame(sheet: &mut Sheet) {
    // such large elements have not reached their order, the less so the closer nu is to 0.5
    for (poisson, speed, slack) in
        [(POISSON, solids().waves_seed002.cs, 0.6), (0.3, (YOUNG / (2.6 * DENSITY)).sqrt(), 0.4)]
    {
        let exact = speed / (2.0_f64.sqrt() * SIDE);
        let mut errors = vec![];
        for cells in [3, 6] {
            let mut found = hertz(cells, poisson, Order::Quadratic, MassKind::Consistent, 14);
            found.sort_by(|a, b| (a - exact).abs().total_cmp(&(b - exact).abs()));
            // the farthest of the three
            errors.push((found[2] - exact).abs() / exact);
            let tolerance = 2e-3 * (6.0 / cells as f64).powi(3);
            let text = format!("Lame's modes, the worst of three, nu = {poisson} [Hz]");
            sheet.relative(text, cells, found[2], exact, tolerance);
        }
        let order = (errors[0] / errors[1]).log2();
        sheet.scaled(format!("order of Lame's modes, nu = {poisson}, 3 to 6"), 6, [order, 4.0, 1.0], slack);
    }
}

/// Mass, inertia, and the effect of an impulse, whatever the mesh.
fn rigid(sheet: &mut Sheet) {
    let known = solids().rigid_seed002;
    for (order, cells) in [(Order::Linear, 3), (Order::Linear, 6), (Order::Quadratic, 2)] {
        let basis = basis(&cube(cells), elastic(POISSON), order, Some(20));
        let inertia = basis.hull.inertia;
        // sums over elements: rounding
        sheet.relative(format!("mass, {order:?} [kg]"), cells, basis.hull.mass, known.mass, 1e-12);
        sheet.relative(format!("inertia, {order:?} [kg m2]"), cells, inertia[0][0], known.inertia, 1e-12);
        // a force so small that arms are those at rest: it moves nodes by 1e-10 of them
        let (force, time) = (1e-9, 2e-3);
        let mut world = world_of(spec(Known::Modes(basis), UNDAMPED, time), Vec3::ZERO);
        let place = Place::Point(Vec3::new(SIDE, 0.5 * SIDE, SIDE));
        let load = Load { until: time, ..Load::new(sure(world.body_at(0)), place, Vec3::Z * force) };
        sure(world.add_load(load));
        let fine = steps(&mut world, time, 10);
        let motion = *response(&world).motion();
        let spin = motion.momentum.y / inertia[1][1] / (force * time);
        let speed = if fine { motion.velocity.z / (force * time) } else { f64::NAN };
        sheet.relative(format!("speed after 1 N s, {order:?} [m/s]"), cells, speed, known.dv_per_unit_impulse, 1e-12);
        // with an odd number of cells the edge has no node in its middle, but any of its nodes has the same distance
        // across
        let expected = -known.domega_per_unit_impulse_at_edge_arm;
        sheet.relative(format!("spin after 1 N s at an edge, {order:?} [rad/s]"), cells, spin, expected, 1e-9);
    }
}
