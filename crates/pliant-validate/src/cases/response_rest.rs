//! The cube comes to rest on a floor under its weight.

use pliant::math::{Pose, Vec3};
use pliant::motion::Motion;
use pliant::response::{Damping, Known};
use pliant_fem::Order;

use super::response_worlds::{
    DENSITY, POISSON, SIDE, YOUNG, basis, cube, elastic, plane, response, spec, steps, world_of,
};
use super::rods::G;
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[Case::of_response("rest", rest)];

/// Length of the model's own steps [s].
const STEP: f64 = 2e-3;

/// Number of steps at the end in which forces are measured.
const LAST: usize = 100;

/// At rest the floor carries the weight. With Poisson's ratio 0 and no friction the cube is a bar under its weight,
///
///   E u'' = rho g,  u' = 0 above,  u = 0 below:   it is shorter by rho g a^2 / (2 E)
///
/// The model finds this as the response of a free solid to the force of the floor and the inertia of a fall.
fn rest(sheet: &mut Sheet) {
    let mut errors = vec![];
    for (poisson, cells, order) in [
        (0.0, 2, Order::Linear),
        (0.0, 4, Order::Linear),
        (0.0, 8, Order::Linear),
        (0.0, 2, Order::Quadratic),
        (POISSON, 4, Order::Linear),
    ] {
        let solid = basis(&cube(cells), elastic(poisson), order, Some(60));
        let top: Vec<usize> = (0..solid.hull.nodes.len()).filter(|n| solid.hull.nodes[*n].z == SIDE).collect();
        let mut spec = spec(Known::Modes(solid), Damping::Rayleigh { mass: 60.0, stiffness: 1e-3 }, STEP);
        spec.placed = Pose::from_translation(Vec3::Z * 1e-3);
        let mut world = world_of(spec, Vec3::Z * -G);
        plane(&mut world, Vec3::ZERO, Vec3::Z, Motion::Hold, 0.0);
        let mut fine = steps(&mut world, STEP, 900);
        let (mut sum, mut off) = (0.0, 0.0_f64);
        let weight = response(&world).mass() * G;
        for _ in 0..LAST {
            fine &= steps(&mut world, STEP, 1);
            let force: f64 = world.frame().contacts.iter().map(|c| c.force.z).sum();
            sum += force;
            off = off.max((force / weight - 1.0).abs());
        }
        let frame = world.frame();
        let text = format!("nu = {poisson}, {order:?}");
        let mean = if fine { sum / LAST as f64 } else { f64::NAN };
        sheet.relative(format!("force of the floor, {text} [N]"), cells, mean, weight, 1e-6);
        // sweeps end when displacements change by 1e-5, and forces are the more sensitive the closer nu is to 0.5
        sheet.scaled(format!("how far it is off at worst, {text}"), cells, [off, 0.0, 1.0], 3e-5);
        let deepest = frame.bodies[0].nodes.iter().map(|n| -n.z).fold(0.0, f64::max);
        sheet.scaled(format!("penetration over the side, {text}"), cells, [deepest, 0.0, SIDE], 1e-6);
        if poisson == 0.0 {
            let height = top.iter().map(|n| frame.bodies[0].nodes[*n].z).sum::<f64>() / top.len() as f64;
            let shorter = DENSITY * G * SIDE * SIDE / (2.0 * YOUNG);
            // linear elements distribute the weight unevenly to nodes: second order in their size; quadratic ones
            // represent the parabola
            let tolerance = if order == Order::Linear { 0.08 / (cells * cells) as f64 } else { 1e-6 };
            sheet.relative(format!("how much shorter it is, {text} [m]"), cells, SIDE - height, shorter, tolerance);
            errors.push((SIDE - height - shorter).abs());
        }
    }
    sheet.order("how much shorter it is", [2, 4, 8], [errors[0], errors[1], errors[2]], 2.0);
}
