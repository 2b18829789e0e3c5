//! Responses to an impulse: integrated directly, as a sum over modes, and of one oscillator in closed form.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Random, SIDE, cube, dot, modes};
use pliant_fem::{
    Damping, Direct, FemError, MassKind, Model, Modes, Order, Oscillator, Response, Sampling, Scheme, Timing,
};
use std::ops::ControlFlow;

const DAMPING: Damping = Damping { mass: 2.0, stiffness: 1e-4 };

fn direct(model: &Model, force: &[f64], damping: &Damping, timing: &Timing) -> Response {
    let direct = Direct::new(model, damping, timing).unwrap();
    direct.respond(&[force], &mut |_| ControlFlow::Continue(())).unwrap().remove(0)
}

/// Largest difference over the largest value.
fn apart(a: &Response, b: &Response) -> f64 {
    assert_eq!((a.nodes.len(), a.values.len()), (b.nodes.len(), b.values.len()));
    let size = a.values.iter().fold(0.0f64, |size, x| size.max(x.abs()));
    a.values.iter().zip(&b.values).fold(0.0f64, |apart, (a, b)| apart.max((a - b).abs())) / size
}

/// A unit force on an unknown.
fn unit(model: &Model, unknown: usize) -> Vec<f64> {
    let mut force = vec![0.0; model.unknowns()];
    force[unknown] = 1.0;
    force
}

#[test]
fn direct_and_modal_agree() {
    // with all modes of a small mesh, a force on one unknown; the same scheme in time, so only rounding is left
    for order in [Order::Linear, Order::Quadratic] {
        let model = cube(if order == Order::Linear { 2 } else { 1 }, order, MassKind::Consistent);
        let all = modes(&model, model.unknowns() - 6);
        let force = unit(&model, 2);
        for sampling in [Sampling::Mean, Sampling::End] {
            let timing = Timing { samples: 100, sampling, ..Timing::default() };
            let integrated = direct(&model, &force, &DAMPING, &timing);
            let summed = all.respond(&force, &model.surface().nodes, &DAMPING, &timing, Scheme::Newmark).unwrap();
            assert!(apart(&integrated, &summed) < 1e-9, "{order:?} {sampling:?}: {:.1e}", apart(&integrated, &summed));
        }
    }
}

#[test]
fn direct_and_modal_agree_on_some_modes() {
    // of a larger mesh, a force that these modes hold: M Phi Phi^T f
    let model = cube(6, Order::Linear, MassKind::Consistent);
    let some = modes(&model, 40);
    let point = unit(&model, 3 * model.surface().nodes[100] + 1);
    let mut held = vec![0.0; model.unknowns()];
    for mode in 0..some.count() {
        let along = dot(some.shape(mode), &point);
        let momenta = model.momenta(some.shape(mode)).unwrap();
        held.iter_mut().zip(momenta).for_each(|(held, m)| *held += along * m);
    }
    let timing = Timing::default();
    let integrated = direct(&model, &held, &DAMPING, &timing);
    let summed = some.respond(&point, &model.surface().nodes, &DAMPING, &timing, Scheme::Newmark).unwrap();
    assert_eq!(summed.samples, 500);
    assert!(apart(&integrated, &summed) < 1e-8, "{:.1e}", apart(&integrated, &summed));
}

#[test]
fn finer_steps_come_to_the_exact_response() {
    // average acceleration is of second order in the sub-step
    let model = cube(2, Order::Linear, MassKind::Consistent);
    let some = modes(&model, 12);
    let force = unit(&model, 0);
    let nodes = &model.surface().nodes;
    let respond = |substeps: usize, scheme: Scheme| {
        let timing = Timing { substeps, samples: 50, sampling: Sampling::End, ..Timing::default() };
        some.respond(&force, nodes, &DAMPING, &timing, scheme).unwrap()
    };
    // the exact one does not depend on sub-steps
    let exact = respond(1, Scheme::Exact);
    assert!(apart(&exact, &respond(7, Scheme::Exact)) < 1e-11);
    let errors = [2, 4, 8].map(|substeps| apart(&exact, &respond(substeps, Scheme::Newmark)));
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((order - 2.0).abs() < 0.1, "{errors:?}: order {order}");
    }
}

#[test]
fn responses_are_reciprocal_and_not_rigid() {
    // R_ij = R_ji, and no momentum: a node-by-node sum by mass, for which all nodes must be on the surface
    let model = cube(1, Order::Linear, MassKind::Consistent);
    let timing = Timing { samples: 20, ..Timing::default() };
    let direct = Direct::new(&model, &DAMPING, &timing).unwrap();
    let (i, j) = (4, 17);
    let (a, b) = (unit(&model, i), unit(&model, j));
    let both = direct.respond(&[&a, &b], &mut |_| ControlFlow::Continue(())).unwrap();
    for s in 0..timing.samples {
        let (ij, ji) = (both[0].sample(s)[j], both[1].sample(s)[i]);
        assert!((ij - ji).abs() < 1e-12 * both[0].sample(s)[i].abs(), "{ij} {ji}");
        let momenta = model.momenta(both[0].sample(s)).unwrap();
        for axis in 0..3 {
            let sum: f64 = momenta.iter().skip(axis).step_by(3).sum();
            let size: f64 = momenta.iter().map(|m| m.abs()).sum();
            assert!(sum.abs() < 1e-12 * size);
        }
    }
    // the force pushes where it acts from the first sample on
    assert!(both[0].sample(0)[i] > 0.0);
}

#[test]
fn forces_add_up_over_time() {
    // the convolution of a response with forces that are constant during samples is the displacement at the ends of samples: a constant
    // force, long enough and damped, ends in the static displacement sum f phi / omega^2
    let model = cube(1, Order::Quadratic, MassKind::Consistent);
    let all = modes(&model, model.unknowns() - 6);
    let damping = Damping { mass: 40.0, stiffness: 1e-3 };
    let timing = Timing { samples: 600, sampling: Sampling::End, ..Timing::default() };
    let (at, force) = (3 * model.surface().nodes[0] + 2, unit(&model, 2));
    let response = all.respond(&force, &[model.surface().nodes[0]], &damping, &timing, Scheme::Exact).unwrap();
    let sum: f64 = (0..timing.samples).map(|s| response.sample(s)[2]).sum();
    let expected: f64 = (0..all.count()).map(|n| all.shape(n)[at] * all.shape(n)[2] / all.squares()[n]).sum();
    assert!((sum / expected - 1.0).abs() < 1e-6, "{sum} {expected}");
}

/// q and q' at t from a state and under a force, by the classical scheme of fourth order in small steps.
fn integrated(k: f64, c: f64, t: f64, state: [f64; 2], p: f64) -> [f64; 2] {
    let steps = 40_000;
    let h = t / f64::from(steps);
    let rate = |[q, v]: [f64; 2]| [v, p - k * q - c * v];
    let along = |[q, v]: [f64; 2], [a, b]: [f64; 2], h: f64| [q + h * a, v + h * b];
    (0..steps).fold(state, |x, _| {
        let a = rate(x);
        let b = rate(along(x, a, h / 2.0));
        let c = rate(along(x, b, h / 2.0));
        let d = rate(along(x, c, h));
        [0, 1].map(|n| x[n] + h / 6.0 * (a[n] + 2.0 * b[n] + 2.0 * c[n] + d[n]))
    })
}

#[test]
fn oscillators_of_all_kinds() {
    // from free of damping over critical to far beyond, soft and stiff
    let t = 2e-3;
    for k in [0.0, 1e-3, 1.0, 5e3, 1e6, 1e7] {
        let critical = 2.0 * f64::sqrt(k);
        for c in [
            0.0,
            1e-3 * critical,
            0.999_999_9 * critical,
            critical,
            1.000_000_1 * critical,
            3.0 * critical,
            200.0,
            4000.0,
        ] {
            let oscillator = Oscillator::new(Scheme::Exact, k, c, t);
            for (state, p) in [([1.0, 0.0], 0.0), ([0.0, 1.0], 0.0), ([0.0, 0.0], 1.0)] {
                let (found, expected) = (oscillator.step(state, p), integrated(k, c, t, state, p));
                for n in 0..2 {
                    // a speed from a displacement of 1 is of the size of omega or k / c
                    let scale = expected[n].abs().max(if state[0] > 0.0 { 1e-3 * k.sqrt() } else { 0.0 });
                    let error = (found[n] - expected[n]).abs() / scale.max(1e-30);
                    assert!(
                        error < 1e-10 || (found[n] - expected[n]).abs() < 1e-16,
                        "k {k} c {c} {state:?} {p} [{n}]: {error:.1e}"
                    );
                }
            }
        }
    }
    // very stiff and overdamped: no overflow, and the static displacement
    let stiff = Oscillator::new(Scheme::Exact, 1e9, 1e9, 1.0);
    assert!(stiff.a.iter().flatten().chain(&stiff.b).all(|x| x.is_finite()), "{stiff:?}");
    let heavy = Oscillator::new(Scheme::Exact, 1e-6, 1e9, 1.0);
    assert!((heavy.b[0] - 1e-9).abs() < 1e-17 && (heavy.a[0][0] - 1.0).abs() < 1e-15, "{heavy:?}");
}

#[test]
fn average_acceleration_keeps_energy() {
    let (k, mut random) = (1e5, Random(5));
    let oscillator = Oscillator::new(Scheme::Newmark, k, 0.0, 1e-3);
    let mut state = [random.signed(), 100.0 * random.signed()];
    let energy = |[q, v]: [f64; 2]| 0.5 * (k * q * q + v * v);
    let first = energy(state);
    for _ in 0..10_000 {
        state = oscillator.step(state, 0.0);
    }
    assert!((energy(state) / first - 1.0).abs() < 1e-11);
}

#[test]
fn an_impulse_is_one_whatever_the_step() {
    // of a free mass (k = 0): after the sample its speed is f T, and at its end it has moved f T^2 / 2
    for substeps in [1, 2, 5] {
        let timing = Timing { substeps, sampling: Sampling::End, ..Timing::default() };
        for scheme in [Scheme::Exact, Scheme::Newmark] {
            let moved = timing.sampled(&Oscillator::new(scheme, 0.0, 0.0, timing.substep()));
            assert!((moved[0] - 2e-6).abs() < 1e-20 && (moved[1] - 6e-6).abs() < 1e-19, "{scheme:?} {substeps}");
        }
    }
}

#[test]
fn timings_that_are_none() {
    let model = cube(1, Order::Linear, MassKind::Consistent);
    let wrong = [
        (Damping { mass: -1.0, stiffness: 0.0 }, Timing::default()),
        (Damping::default(), Timing { sample: 0.0, ..Timing::default() }),
        (Damping::default(), Timing { substeps: 0, ..Timing::default() }),
        (Damping::default(), Timing { samples: 0, ..Timing::default() }),
    ];
    for (damping, timing) in wrong {
        assert!(matches!(Direct::new(&model, &damping, &timing), Err(FemError::Parameter { .. })));
    }
    let some: Modes = modes(&model, 3);
    let respond = |force: &[f64], node: usize| {
        some.respond(force, &[node], &Damping::default(), &Timing::default(), Scheme::Exact).map(|_| ())
    };
    assert!(matches!(respond(&[0.0], 0), Err(FemError::Length { .. })));
    assert!(matches!(respond(&[0.0; 24], 8), Err(FemError::NoSuch { index: 8, count: 8, .. })));
    assert!(model.nodes().iter().all(|at| at.max_element() <= SIDE));
}
