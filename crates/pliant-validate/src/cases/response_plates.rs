//! The cube between plates: stiffness known exactly, by independent code for the same elements, or bounded by the Ritz
//! method.

use pliant::Place;
use pliant::World;
use pliant::math::Vec3;
use pliant::motion::Motion;
use pliant::response::{Damping, Known};
use pliant_fem::{Model, Order, solve_static};

use super::references_solids::solids;
use super::response_worlds::{
    POISSON, SIDE, basis, cube, elastic, glide, hold, model, plane, spec, steps, sure, world_of,
};
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[
    Case::of_response("plates", plates),
    Case::of_response("confined", confined),
    Case::of_response("bonded-plates", bonded),
];

/// Stiffness between bonded plates at nu = 0.3 to which the Ritz bounds of degrees 8, 12 and 15 converge [N/m].
const LIMIT: f64 = 212.34;

/// Approach of the plates [m]; the solid is linear, so its size does not matter.
const PRESSED: f64 = 1e-3;

/// Damping that brings everything to rest soon: nearly critical for the slowest mode, of 70 rad/s.
const CALM: Damping = Damping::Rayleigh { mass: 80.0, stiffness: 2e-3 };

/// Length of the model's own steps [s].
const STEP: f64 = 2e-3;

/// Time in which the plates approach, and after which all is at rest: 80 / 2 * 0.6 is 24 decay times [s].
const TIMES: [f64; 2] = [0.1, 0.7];

/// Motion of the pressing plate.
fn down() -> Motion {
    glide(Vec3::Z * (-PRESSED / TIMES[0]), TIMES[0])
}

/// Run until all is at rest.
fn at_rest(world: &mut World) -> bool {
    steps(world, STEP, (TIMES[1] / STEP).round() as usize)
}

/// The force of a plane along its normal [N].
fn pressed_by(world: &World, normal: Vec3) -> f64 {
    let contacts = world.frame().contacts;
    contacts.iter().map(|c| c.force.dot(normal)).filter(|f| *f > 0.0).sum()
}

/// Frictionless plates: E a, since every element represents uniform strain.
fn plates(sheet: &mut Sheet) {
    let known = solids().static_seed002.k_uniaxial_free_sides;
    for (order, cells, poisson) in
        [(Order::Linear, 3, 0.0), (Order::Linear, 3, 0.3), (Order::Linear, 4, POISSON), (Order::Quadratic, 2, POISSON)]
    {
        let solid = Known::Modes(basis(&cube(cells), elastic(poisson), order, Some(60)));
        let mut world = world_of(spec(solid, CALM, STEP), Vec3::ZERO);
        plane(&mut world, Vec3::ZERO, Vec3::Z, Motion::Hold, 0.0);
        plane(&mut world, Vec3::Z * SIDE, -Vec3::Z, down(), 0.0);
        let value = if at_rest(&mut world) { pressed_by(&world, Vec3::Z) / PRESSED } else { f64::NAN };
        // sweeps end when displacements change by 1e-5
        sheet.relative(format!("E a, nu = {poisson}, {order:?} [N/m]"), cells, value, known, 1e-4);
    }
}

/// Walls on all sides: (lambda + 2 mu) a.
fn confined(sheet: &mut Sheet) {
    let known = solids().static_seed002.k_uniaxial_confined;
    for (order, cells) in [(Order::Linear, 2), (Order::Linear, 4), (Order::Quadratic, 2)] {
        let solid = Known::Modes(basis(&cube(cells), elastic(POISSON), order, Some(60)));
        let mut world = world_of(spec(solid, CALM, STEP), Vec3::ZERO);
        plane(&mut world, Vec3::ZERO, Vec3::Z, Motion::Hold, 0.0);
        plane(&mut world, Vec3::Z * SIDE, -Vec3::Z, down(), 0.0);
        for axis in [Vec3::X, Vec3::Y] {
            plane(&mut world, Vec3::ZERO, axis, Motion::Hold, 0.0);
            plane(&mut world, axis * SIDE, -axis, Motion::Hold, 0.0);
        }
        let value = if at_rest(&mut world) { pressed_by(&world, Vec3::Z) / PRESSED } else { f64::NAN };
        sheet.relative(format!("(lambda + 2 mu) a, {order:?} [N/m]"), cells, value, known, 1e-3);
    }
}

/// Stiffness between plates bonded to both faces, by a static solution with all unknowns [N/m].
fn by_statics(model: &Model) -> f64 {
    let mut prescribed = vec![];
    for (n, at) in model.nodes().iter().enumerate().filter(|(_, at)| at.z == 0.0 || at.z == SIDE) {
        let z = if at.z == 0.0 { 0.0 } else { -PRESSED };
        prescribed.extend([(3 * n, 0.0), (3 * n + 1, 0.0), (3 * n + 2, z)]);
    }
    let solved = sure(solve_static(model, &prescribed, &vec![0.0; model.unknowns()]));
    prescribed.iter().filter(|(_, u)| *u != 0.0).map(|(n, _)| -solved.reactions[*n]).sum::<f64>() / PRESSED
}

/// Stiffness between plates bonded to both faces, by grips on all nodes of both faces [N/m].
fn by_grips(order: Order, cells: usize, poisson: f64) -> f64 {
    let solid = Known::Modes(basis(&cube(cells), elastic(poisson), order, Some(60)));
    let mut world = world_of(spec(solid, CALM, STEP), Vec3::ZERO);
    let face = |z: f64| Place::Box { low: Vec3::new(-1.0, -1.0, z - 1e-6), high: Vec3::new(1.0, 1.0, z + 1e-6) };
    hold(&mut world, Vec3::ZERO, face(0.0), Motion::Hold);
    let high = hold(&mut world, Vec3::Z * SIDE, face(SIDE), down());
    if at_rest(&mut world) { sure(world.gripper(high)).load.force.z / PRESSED } else { f64::NAN }
}

/// Plates bonded to both faces.
fn bonded(sheet: &mut Sheet) {
    for (order, cells, poisson, tolerance) in [
        (Order::Linear, 2, 0.3, 1e-5),
        (Order::Linear, 4, 0.3, 1e-5),
        // sweeps end when displacements change by 1e-5, and forces are the more sensitive the closer nu is to 0.5
        (Order::Linear, 4, POISSON, 3e-5),
        (Order::Quadratic, 2, 0.3, 1e-5),
        (Order::Quadratic, 3, 0.3, 1e-5),
    ] {
        let statics = by_statics(&model(&cube(cells), poisson, order));
        let text = format!("bonded plates as by statics, nu = {poisson}, {order:?} [N/m]");
        sheet.relative(text, cells, by_grips(order, cells, poisson), statics, tolerance);
    }
    let bounds = &solids().bonded;
    let ritz = bounds.get("bonded_compress_nu0.3").and_then(|b| b.get("15")).copied().unwrap_or(f64::NAN);
    let mut last = f64::INFINITY;
    for cells in [2, 3, 4, 6] {
        let value = by_statics(&model(&cube(cells), 0.3, Order::Quadratic));
        // stress is singular at the edges of the plates, as r^-0.29: energy is only of order 1.42. The Ritz bound
        // itself is 3e-3 too high
        let tolerance = 0.025 * (2.0 / cells as f64).powf(1.42) + 3e-3;
        sheet.relative("bonded plates, nu = 0.3, quadratic, by Ritz [N/m]", cells, value, ritz, tolerance);
        // elements are a Ritz method too: stiffer than the solid, and less so the smaller they are
        let below = (LIMIT - value).max(value - last).max(0.0);
        sheet.scaled("below the solid, or above larger elements [N/m]", cells, [below, 0.0, 1.0], 0.0);
        last = value;
    }
}
