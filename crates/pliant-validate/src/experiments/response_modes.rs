//! Responses of the cube by modal superposition against direct time integration.

use pliant::math::Vec3;
use pliant::response::Basis;
use pliant_fem::{Damping, MassKind, Model, Modes, ModesParams, Order, Oscillator, Response, Scheme, TetMesh, Timing};

use super::Results;
use super::response_cube::{ELASTIC, MODES, SAMPLE, SIDE, fem, go_on, largest};
use super::response_impulse::{INSTANTS, direct, push};
use crate::Failure;
use pliant_record::short;

/// Damping with which fast vibrations decay within the response.
const DAMPED: Damping = Damping { mass: 0.0, stiffness: 1e-3 };

/// Response to a force by the known modes, with the steps of the direct integration.
fn by_modes(basis: &Basis, model: &Model, force: &[f64], damping: Damping, timing: Timing) -> Response {
    let (count, unknowns) = (basis.squares.len(), model.surface_unknowns());
    let mut values = vec![0.0; unknowns.len() * timing.samples];
    let mut along = vec![0.0; count];
    for (row, unknown) in basis.shapes.chunks_exact(count).zip(&unknowns) {
        along.iter_mut().zip(row).for_each(|(a, shape)| *a += shape * force[*unknown]);
    }
    for (mode, square) in basis.squares.iter().enumerate() {
        let oscillator = Oscillator::new(Scheme::Newmark, *square, damping.of(*square), timing.substep());
        for (sample, h) in values.chunks_exact_mut(unknowns.len()).zip(timing.sampled(&oscillator)) {
            let swing = along[mode] * h;
            sample.iter_mut().zip(basis.shapes.chunks_exact(count)).for_each(|(u, row)| *u += swing * row[mode]);
        }
    }
    Response { nodes: model.surface().nodes.clone(), samples: timing.samples, values }
}

/// Largest difference of two lists relative to the largest value of the second [-].
fn off(a: &[f64], b: &[f64]) -> f64 {
    largest(a.iter().zip(b).map(|(a, b)| (a - b).abs())) / largest(b.iter().map(|b| b.abs()))
}

/// Modes against direct integration: equal to rounding with all of them, and with the lowest once fast vibrations have
/// decayed.
pub fn judge_modes(
    results: &mut Results,
    model: &Model,
    basis: &Basis,
    forces: &[&[f64]; 2],
    found: &[Response],
) -> Result<(), Failure> {
    let small = all_modes()?;
    results.statement(
        "a cube of 4 x 4 x 4 cells by all its modes, off direct integration, below 1e-6",
        "-",
        small,
        small < 1e-6,
    );
    let timing = Timing { samples: 50, ..Timing::default() };
    let damped = direct(model, forces, DAMPED, timing)?;
    for (n, name) in ["point", "plane"].into_iter().enumerate() {
        let plain = by_modes(basis, model, forces[n], Damping::default(), timing);
        let slow = by_modes(basis, model, forces[n], DAMPED, timing);
        let at = |a: &Response, b: &Response, time: f64| {
            let s = (time / SAMPLE).round() as usize - 1;
            off(a.sample(s), b.sample(s))
        };
        let list = |a: &Response, b: &Response| {
            let times = INSTANTS.iter().chain(&[100e-3]);
            times.map(|t| short(at(a, b, *t))).collect::<Vec<_>>().join(", ")
        };
        results.remark(format!(
            "{name}: {MODES} of 6585 modes are off direct integration by {} of the largest displacement then, at 2, 4, 8, 16, 32 and 100 ms \
             without damping, where faster vibrations never die, and by {} with C = beta K, beta = 1 ms.",
            list(&plain, &found[n]),
            list(&slow, &damped[n])
        ));
        let late = at(&slow, &damped[n], 100e-3);
        results.statement(
            format!(
                "{name}, damped: {MODES} modes off direct integration at 100 ms, when faster ones have died, below 0.01"
            ),
            "-",
            late,
            late < 0.01,
        );
    }
    Ok(())
}

/// Difference between all modes of a small cube and direct integration, relative to the response [-].
fn all_modes() -> Result<f64, Failure> {
    let mesh = TetMesh::cube(4, SIDE).map_err(fem)?;
    let model = Model::new(&mesh, &ELASTIC, Order::Linear, MassKind::Consistent).map_err(fem)?;
    let force = push(&model, |p| p.z > SIDE - 1e-9 && (p.x - 0.5 * SIDE).hypot(p.y - 0.5 * SIDE) < 1e-9);
    let timing = Timing { samples: 50, ..Timing::default() };
    let found = direct(&model, &[&force], Damping::default(), timing)?;
    let params = ModesParams { count: model.unknowns() - 6, ..ModesParams::default() };
    let modes = Modes::new(&model, &params, &mut go_on).map_err(fem)?;
    let nodes = &model.surface().nodes;
    let same = modes.respond(&force, nodes, &Damping::default(), &timing, Scheme::Newmark).map_err(fem)?;
    Ok(off(&same.values, &found[0].values))
}

/// Largest component of a rigid motion in the lowest modes, all mass-normalised [-].
pub fn rigid_part(model: &Model) -> Result<f64, Failure> {
    let params = ModesParams { count: 20, ..ModesParams::default() };
    let modes = Modes::new(model, &params, &mut go_on).map_err(fem)?;
    let rigid = model.rigid();
    let mut most = 0.0f64;
    for mode in 0..modes.count() {
        let momenta = model.momenta(modes.shape(mode)).map_err(fem)?;
        let (mut push, mut turn) = (Vec3::ZERO, Vec3::ZERO);
        for (momentum, at) in momenta.chunks_exact(3).zip(model.nodes()) {
            let momentum = Vec3::new(momentum[0], momentum[1], momentum[2]);
            push += momentum;
            turn += (*at - rigid.centre).cross(momentum);
        }
        most = most.max(push.length() / rigid.mass.sqrt()).max(turn.length() / rigid.inertia[0][0].sqrt());
    }
    Ok(most)
}
