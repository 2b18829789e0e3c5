//! Balls pressed into a block, against Hertz' theory with the correction for a layer.

use std::ops::ControlFlow;

use pliant::Place;
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Vec3};
use pliant::motion::Motion;
use pliant::response::{Damping, Elasticity, Known};
use pliant::{Friction, World};
use pliant_fem::{Recipe, TetMesh};

use super::response_worlds::{DENSITY, YOUNG, block, elastic, glide, hold, spec, steps, sure, world_of};
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[Case::of_response("ball", ball)];

/// Full width and half height of the block [m].
const WIDE: f64 = 0.06;
const HALF: f64 = 0.02;

/// Poisson's ratio of the block, radius of the balls [m] and how deep each is pressed [m]: the radius of contact is
/// 3.2 mm.
const POISSON: f64 = 0.3;
const RADIUS: f64 = 0.04;
const DEPTH: f64 = 2.5e-4;

/// How strongly cells are graded across the block: those in the middle are smaller than the mean by this over its sinh.
const GRADED: f64 = 3.5;

/// Damping that brings everything to rest soon.
const CALM: Damping = Damping::Rayleigh { mass: 80.0, stiffness: 2e-3 };

/// Length of the model's own steps [s].
const STEP: f64 = 2e-3;

/// Time in which the balls approach, and after which all is at rest [s].
const TIMES: [f64; 2] = [0.1, 0.7];

/// Force on a rigid ball pressed into a layer that rests without friction on a rigid floor [N]: Hertz' for a half-space
/// times a series in the radius of contact over the thickness (Dimitriadis, Horkay, Maresca, Kachar and Chadwick,
/// "Determination of elastic moduli of thin layers of soft material using the atomic force microscope", 2002).
fn on_a_layer() -> f64 {
    let pi = std::f64::consts::PI;
    let hertz = 4.0 / 3.0 * YOUNG / (1.0 - POISSON * POISSON) * RADIUS.sqrt() * DEPTH.powf(1.5);
    let chi = (RADIUS * DEPTH).sqrt() / HALF;
    let alpha = -0.347 * (3.0 - 2.0 * POISSON) / (1.0 - POISSON);
    let beta = 0.056 * (5.0 - 2.0 * POISSON) / (1.0 - POISSON);
    let series = [
        1.0,
        -2.0 * alpha / pi,
        4.0 * alpha * alpha / (pi * pi),
        -8.0 / pi.powi(3) * (alpha.powi(3) + 4.0 * pi * pi / 15.0 * beta),
        16.0 * alpha / pi.powi(4) * (alpha.powi(3) + 3.0 * pi * pi / 5.0 * beta),
    ];
    hertz * series.iter().rev().fold(0.0, |sum, factor| sum * chi + factor)
}

/// The block, with cells that are smaller where the balls press: by a factor of five across, and three in depth.
fn graded(cells: usize) -> TetMesh {
    let across = |s: f64| 0.5 * WIDE * (GRADED * s).sinh() / GRADED.sinh();
    let along = |s: f64| HALF * (1.5 * s).tanh() / 1.5_f64.tanh();
    let place = |p: Vec3| Vec3::new(across(p.x - 1.0), across(p.y - 1.0), along(p.z - 1.0));
    sure(block([cells; 3], Vec3::splat(2.0)).mapped(place))
}

/// Add a ball that is pressed in along z from where it touches.
fn press(world: &mut World, from: f64) {
    let placed = Pose::from_translation(Vec3::Z * from * (HALF + RADIUS));
    sure(world.add_obstacle(ObstacleParams {
        name: format!("ball {}", world.obstacles().len()),
        shape: sure(Shape::new(ShapeKind::Sphere { radius: RADIUS })),
        placed,
        motion: glide(Vec3::Z * (-from * DEPTH / TIMES[0]), TIMES[0]),
        friction: Some(Friction::NONE),
    }));
}

/// Force of either ball [N], with the compliance of all pairs of nodes or only that of each.
fn pressed(cells: usize, full: bool) -> f64 {
    let (mesh, material) = (graded(cells), elastic(POISSON));
    let recipe = Recipe { full_nodes: if full { usize::MAX } else { 0 }, ..Recipe::new(mesh, material, 200) };
    let basis = sure(recipe.compute(2, &mut |_| ControlFlow::Continue(())));
    let mut spec = spec(Known::Modes(basis), CALM, STEP);
    spec.settings.elasticity = Some(Elasticity { young: YOUNG, poisson: POISSON, density: DENSITY });
    let mut world = world_of(spec, Vec3::ZERO);
    // where the middle plane meets the outside, it neither rises nor turns
    for side in [Vec3::X, Vec3::Y, -Vec3::X, -Vec3::Y] {
        let at = side * (0.5 * WIDE);
        hold(&mut world, at, Place::Box { low: at - 1e-6, high: at + 1e-6 }, Motion::Hold);
    }
    press(&mut world, 1.0);
    press(&mut world, -1.0);
    if !steps(&mut world, STEP, (TIMES[1] / STEP).round() as usize) {
        return f64::NAN;
    }
    world.frame().contacts.iter().map(|c| c.force.z).filter(|f| *f > 0.0).sum()
}

/// By symmetry each half of the block is a layer that rests on its middle plane.
///
/// The edge of contact is known to about half the distance h of nodes, so the bound is of first order in h over the radius
/// of contact; its factor is measured. Solids of which only the compliance of each node is known have the same.
fn ball(sheet: &mut Sheet) {
    let known = on_a_layer();
    let contact = (RADIUS * DEPTH).sqrt();
    for (cells, full) in [(4, true), (6, true), (8, true), (6, false), (8, false), (10, false)] {
        let apart = 0.5 * WIDE / cells as f64 * GRADED / GRADED.sinh();
        let text =
            format!("ball on a layer, compliance of {} [N]", if full { "all pairs of nodes" } else { "each node" });
        sheet.relative(text, cells, pressed(cells, full), known, 0.45 * apart / contact);
    }
}
