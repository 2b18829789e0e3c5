//! A small solid for tests: a tetrahedron with made-up modes.

use super::{Basis, Compliance, Damping, Hull, Known, Records, Response, ResponseSettings, ResponseSpec};
use crate::material::Friction;
use crate::math::{Pose, Vec3};
use crate::response::solid::Solid;

/// Length of a sample [s].
pub const SAMPLE: f64 = 1e-3;

pub const DAMPING: Damping = Damping::Rayleigh { mass: 3.0, stiffness: 1e-4 };

fn hull() -> Hull {
    Hull {
        nodes: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
        facets: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
        mass: 2.0,
        centre: Vec3::splat(0.25),
        inertia: [[0.3, 0.01, 0.0], [0.01, 0.4, 0.02], [0.0, 0.02, 0.5]],
        fixed: None,
    }
}

/// Four modes, with a compliance beyond theirs of `stiffer` [m/N] at each degree of freedom, full or local.
pub fn basis(stiffer: f64, full: bool) -> Basis {
    let (modes, unknowns) = (4, 12);
    let squares: Vec<f64> = (0..modes).map(|n| 500.0_f64.powi(2) * (1.0 + n as f64)).collect();
    let shapes: Vec<f64> = (0..unknowns * modes).map(|n| (1.3 * n as f64).sin()).collect();
    let gives = |i: usize, j: usize| {
        let part = |n: usize| shapes[i * modes + n] * shapes[j * modes + n] / squares[n];
        (0..modes).map(part).sum::<f64>() + if i == j { stiffer } else { 0.0 }
    };
    let compliance = if full {
        let all: Vec<f64> =
            (0..unknowns).flat_map(|i| (0..=i).map(move |j| (i, j))).map(|(i, j)| gives(i, j)).collect();
        Compliance::Full(all.into())
    } else {
        let all: Vec<f64> = (0..4)
            .flat_map(|n| (0..9).map(move |k| (3 * n + k / 3, 3 * n + k % 3)))
            .map(|(i, j)| gives(i, j))
            .collect();
        Compliance::Local(all.into())
    };
    let moments = (0..modes).map(|n| [[0.1 * n as f64, 0.2, 0.3], [0.0, -0.1, 0.4], [0.5, 0.0, 0.2]]).collect();
    Basis { hull: hull(), squares, shapes: shapes.into(), moments, compliance }
}

/// The solid with these modes.
pub fn solid(stiffer: f64, full: bool) -> Solid {
    let built = Solid::new("sample", Known::Modes(basis(stiffer, full)), &settings());
    built.unwrap_or_else(|error| unreachable!("{error}"))
}

/// Responses of nodes 1 and 3 over five samples.
pub fn records() -> Records {
    let response = |n: usize| (0..5 * 12).map(|k| (0.7 * (k + 100 * n) as f64).cos()).collect::<Vec<f64>>().into();
    Records { hull: hull(), sample: SAMPLE, samples: 5, nodes: vec![1, 3], responses: (0..6).map(response).collect() }
}

/// Settings of the small solid.
pub fn settings() -> ResponseSettings {
    ResponseSettings { damping: DAMPING, sample: SAMPLE, ..ResponseSettings::default() }
}

/// The solid as a body, with its frame in the world.
pub fn body(placed: Pose) -> Response {
    let (solid, settings) = (Known::Modes(basis(1e-6, true)), settings());
    let friction = Friction { coefficient: 0.5, exponent: 1.0 };
    let spec = ResponseSpec { solid, friction, placed, velocity: Vec3::ZERO, spin: Vec3::ZERO, settings };
    Response::new("sample", spec).unwrap_or_else(|error| unreachable!("{error}"))
}
