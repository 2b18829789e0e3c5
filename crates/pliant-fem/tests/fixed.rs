//! Bodies that are held at some of their nodes, against closed forms and against the free body with prescribed places.

#![allow(clippy::unwrap_used)]

mod common;

use common::{dot, modes};
use pliant::math::Vec3;
use pliant_fem::{
    Damping, Direct, Elastic, FemError, MassKind, Model, Modes, Order, Scheme, TetMesh, Timing, solve_static,
};
use std::f64::consts::PI;
use std::ops::ControlFlow;

/// Without transverse strain a bar's waves along it are plane: its exact frequencies are those of one dimension.
const PLAIN: Elastic = Elastic { young: 3e5, poisson: 0.0, density: 1100.0 };

fn block(cells: [usize; 3], size: Vec3, solid: &Elastic, order: Order) -> Model {
    Model::new(&TetMesh::block(cells, size).unwrap(), solid, order, MassKind::Consistent).unwrap()
}

/// Nodes with the least x.
fn end(model: &Model) -> Vec<usize> {
    let least = model.nodes().iter().map(|at| at.x).fold(f64::INFINITY, f64::min);
    (0..model.nodes().len()).filter(|n| model.nodes()[*n].x < least + 1e-9).collect()
}

fn clamped(cells: [usize; 3], size: Vec3, solid: &Elastic, order: Order) -> Model {
    let free = block(cells, size, solid, order);
    let nodes = end(&free);
    free.fix(&nodes).unwrap()
}

/// phi^T M 1 along an axis.
fn share(model: &Model, modes: &Modes, mode: usize, axis: usize) -> f64 {
    let along: Vec<f64> = (0..model.unknowns()).map(|n| if n % 3 == axis { 1.0 } else { 0.0 }).collect();
    dot(&model.momenta(&along).unwrap(), modes.shape(mode))
}

/// A bar of length L that is clamped at one end vibrates along itself at (2 k - 1) / (4 L) sqrt(E / rho).
#[test]
fn a_clamped_bar_vibrates_along_itself_as_in_closed_form() {
    let size = Vec3::new(0.1, 0.04, 0.05);
    let expected = (PLAIN.young / PLAIN.density).sqrt() / (4.0 * size.x);
    for (order, cells, wanted) in [(Order::Linear, [4, 8], 2.0), (Order::Quadratic, [2, 4], 4.0)] {
        let errors = cells.map(|n| {
            let model = clamped([n, n / 2, n / 2], size, &PLAIN, order);
            let found = modes(&model, 12);
            // the one with the most momentum along the bar
            let most = (0..12).max_by(|a, b| {
                let size = |mode: usize| share(&model, &found, mode, 0).abs();
                size(*a).total_cmp(&size(*b))
            });
            found.hertz(most.unwrap()) / expected - 1.0
        });
        let rate = (errors[0] / errors[1]).log2();
        println!("{order:?}: {errors:?}, order {rate:.2}");
        assert!(errors[1] > 0.0 && errors[1] < 2e-3, "{order:?}: {errors:?}");
        assert!((rate - wanted).abs() < 0.3, "{order:?}: order {rate:.2}");
    }
}

/// A slender one bends at 1.8751^2 / (2 pi) sqrt(E I / (rho A)) / L^2, less what shear and rotary inertia take:
/// Timoshenko's beam, to first order in (h / L)^2.
#[test]
fn a_slender_bar_bends_as_a_beam() {
    let (length, height) = (0.2, 0.01);
    let model = clamped([24, 1, 1], Vec3::new(length, height, height), &PLAIN, Order::Quadratic);
    let found = modes(&model, 4);
    let slender = height / 12f64.sqrt() / length;
    let root = 1.875_104_07f64;
    let beam = root.powi(2) / (2.0 * PI) * (PLAIN.young / PLAIN.density).sqrt() * slender / length;
    for mode in 0..2 {
        let error = found.hertz(mode) / beam - 1.0;
        println!("mode {mode}: {error:.2e}");
        // shear and rotary inertia: (root slender)^2 (1 + E / (k G)) / 2 and smaller, with E / G = 2, k = 5/6
        assert!(error < 1e-3 && error > -(root * slender).powi(2) * 6.0 - 1e-3, "mode {mode}: {error:.2e}");
    }
}

/// The sum over all modes of phi phi^T / omega^2 is the static solution, and no mode moves a held node.
#[test]
fn all_modes_together_are_the_static_solution() {
    let solid = Elastic { poisson: 0.4, ..PLAIN };
    for order in [Order::Linear, Order::Quadratic] {
        let cells = if order == Order::Linear { [3, 2, 2] } else { [2, 1, 1] };
        let free = block(cells, Vec3::new(0.1, 0.06, 0.05), &solid, order);
        let nodes = end(&free);
        let held = free.clone().fix(&nodes).unwrap();
        assert_eq!(held.fixed_nodes(), &nodes[..]);
        assert_eq!(held.deformations(), held.unknowns() - 3 * nodes.len());
        let all = modes(&held, held.deformations());
        for mode in 0..all.count() {
            assert!(nodes.iter().all(|n| all.shape(mode)[3 * n..3 * n + 3] == [0.0; 3]), "mode {mode}");
        }
        let loaded = held.unknowns() - 2;
        let mut force = vec![0.0; held.unknowns()];
        force[loaded] = 0.7;
        let sum = |unknown: usize| -> f64 {
            let part = |n: usize| all.shape(n)[unknown] * all.shape(n)[loaded] / all.squares()[n];
            0.7 * (0..all.count()).map(part).sum::<f64>()
        };
        let prescribed: Vec<(usize, f64)> =
            nodes.iter().flat_map(|n| [3 * n, 3 * n + 1, 3 * n + 2]).map(|n| (n, 0.0)).collect();
        let expected = solve_static(&free, &prescribed, &force).unwrap();
        let largest = expected.displacements.iter().fold(0.0f64, |most, u| most.max(u.abs()));
        for unknown in 0..held.unknowns() {
            let apart = (sum(unknown) - expected.displacements[unknown]).abs();
            assert!(apart < 1e-9 * largest, "{order:?} {unknown}: {apart:.1e} of {largest:.1e}");
        }
        // the same by the held body itself, with the forces that hold it
        let own = solve_static(&held, &[], &force).unwrap();
        let total: f64 = own.reactions.iter().skip(loaded % 3).step_by(3).sum();
        assert!((total + 0.7).abs() < 1e-9, "{order:?}: {total}");
        for (a, b) in own.reactions.iter().zip(&expected.reactions) {
            assert!((a - b).abs() < 1e-9, "{order:?}: {a} for {b}");
        }
    }
}

/// Direct integration and the sum over all modes agree, and a force on a held node moves nothing.
#[test]
fn responses_in_time_agree() {
    let model = clamped([2, 1, 1], Vec3::new(0.1, 0.06, 0.05), &Elastic { poisson: 0.3, ..PLAIN }, Order::Quadratic);
    let all = modes(&model, model.deformations());
    let damping = Damping { mass: 2.0, stiffness: 1e-4 };
    let timing = Timing { samples: 60, ..Timing::default() };
    let direct = Direct::new(&model, &damping, &timing).unwrap();
    let respond = |force: &[f64]| direct.respond(&[force], &mut |_| ControlFlow::Continue(())).unwrap().remove(0);
    let mut force = vec![0.0; model.unknowns()];
    force[model.unknowns() - 1] = 1.0;
    let integrated = respond(&force);
    let summed = all.respond(&force, &model.surface().nodes, &damping, &timing, Scheme::Newmark).unwrap();
    let size = integrated.values.iter().fold(0.0f64, |size, x| size.max(x.abs()));
    assert!(size > 0.0);
    for (a, b) in integrated.values.iter().zip(&summed.values) {
        assert!((a - b).abs() < 1e-8 * size, "{a} for {b}");
    }
    force.fill(0.0);
    force[3 * model.fixed_nodes()[0]] = 1.0;
    assert!(respond(&force).values.iter().all(|x| *x == 0.0));
}

/// Mass, centre and inertia are those of the whole body.
#[test]
fn a_held_body_keeps_its_mass() {
    let free = block([3, 2, 2], Vec3::new(0.1, 0.06, 0.05), &PLAIN, Order::Quadratic);
    let nodes = end(&free);
    let held = free.clone().fix(&nodes).unwrap();
    assert_eq!(free.rigid(), held.rigid());
    // held in two goes as in one
    let again = free.clone().fix(&nodes[..4]).unwrap().fix(&nodes[4..]).unwrap();
    assert_eq!(again.fixed_nodes(), held.fixed_nodes());
    assert_eq!(modes(&again, 6).squares(), modes(&held, 6).squares());
}

#[test]
fn what_does_not_hold_a_body_is_told() {
    let model = || block([3, 2, 2], Vec3::new(0.1, 0.06, 0.05), &PLAIN, Order::Quadratic);
    let all: Vec<usize> = (0..model().nodes().len()).collect();
    // along an edge it can still turn
    let line: Vec<usize> = {
        let at = |n: &usize| model().nodes()[*n];
        let corner = at(&0);
        all.iter().copied().filter(|n| (at(n) - corner).cross(Vec3::X).length() < 1e-9).collect()
    };
    assert!(line.len() > 2);
    for nodes in [&[5][..], &line] {
        assert!(matches!(model().fix(nodes), Err(FemError::NotHeld)), "{nodes:?}");
    }
    for nodes in [&[][..], &all] {
        let error = model().fix(nodes).unwrap_err().to_string();
        assert!(error.contains("fixed nodes"), "{error}");
    }
    assert!(matches!(model().fix(&[0, 1, 1_000_000]), Err(FemError::NoSuch { .. })));
}
