//! What is found beforehand of a free solid: compliance against a sum over modes, moments, rigid properties.

#![allow(clippy::unwrap_used)]

mod common;

use common::{SEED, SIDE, dot, modes};
use faer::{Mat, Side};
use pliant::math::Vec3;
use pliant::response::{Basis, Compliance};
use pliant_fem::{Elastic, FemError, MassKind, Model, Order, Recipe, Stage, TetMesh};
use std::ops::ControlFlow;

/// Like the paper's cube, with so many cells.
fn recipe(cells: usize, order: Order, modes: usize) -> Recipe {
    Recipe { order, ..Recipe::new(TetMesh::cube(cells, SIDE).unwrap(), SEED, modes) }
}

fn compute(recipe: &Recipe) -> Basis {
    recipe.compute(2, &mut |_| ControlFlow::Continue(())).unwrap()
}

fn model(recipe: &Recipe) -> Model {
    Model::new(&recipe.mesh, &recipe.elastic, recipe.order, recipe.mass).unwrap()
}

/// The whole compliance as a square.
fn whole(basis: &Basis) -> Mat<f64> {
    let Compliance::Full(packed) = &basis.compliance else { panic!("only local") };
    let size = 3 * basis.hull.nodes.len();
    assert_eq!(packed.len(), size * (size + 1) / 2);
    Mat::from_fn(size, size, |i, j| packed[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)])
}

/// The part of the retained modes: sum of phi phi^T / omega^2.
fn retained(basis: &Basis) -> Mat<f64> {
    let (size, count) = (3 * basis.hull.nodes.len(), basis.squares.len());
    let row = |i: usize| &basis.shapes[i * count..(i + 1) * count];
    Mat::from_fn(size, size, |i, j| (0..count).map(|k| row(i)[k] * row(j)[k] / basis.squares[k]).sum())
}

#[test]
fn with_all_modes_the_compliance_is_their_sum() {
    for (cells, order, mass) in [
        (2, Order::Linear, MassKind::Consistent),
        (2, Order::Linear, MassKind::Lumped),
        (1, Order::Quadratic, MassKind::Consistent),
    ] {
        let mut recipe = Recipe { mass, ..recipe(cells, order, 1) };
        recipe.modes = recipe.size().0 - 6;
        let basis = compute(&recipe);
        let (whole, sum) = (whole(&basis), retained(&basis));
        let apart = (&whole - &sum).norm_max() / whole.norm_max();
        // rounding times the condition of K, some 1e5 at nu = 0.49
        assert!(apart < 1e-10, "{cells} {order:?} {mass:?}: {apart:.1e}");
    }
}

#[test]
fn what_is_left_of_some_modes_is_never_negative() {
    // K^+ minus the part of the lowest modes is the sum over the others: no eigenvalue below zero, but for rounding
    for order in [Order::Linear, Order::Quadratic] {
        let basis = compute(&recipe(2, order, 30));
        let rest = whole(&basis) - retained(&basis);
        let values = rest.self_adjoint_eigenvalues(Side::Lower).unwrap();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = whole(&basis).norm_l2();
        assert!(least > -1e-12 * most, "{order:?}: {least:.1e} of {most:.1e}");
        assert!(values.iter().any(|value| *value > 1e-4 * most), "something must be left");
    }
}

#[test]
fn no_rigid_motion_and_no_answer_to_inertia() {
    // all nodes of one cell are on its surface, so that K^+ M Z = 0 can be seen there for each rigid motion Z
    let recipe = recipe(1, Order::Linear, 5);
    let (basis, model) = (compute(&recipe), model(&recipe));
    let whole = whole(&basis);
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        let along: Vec<f64> = model.nodes().iter().flat_map(|_| axis.to_array()).collect();
        let about: Vec<f64> =
            model.nodes().iter().flat_map(|at| axis.cross(*at - basis.hull.centre).to_array()).collect();
        for motion in [along, about] {
            let momenta = model.momenta(&motion).unwrap();
            for i in 0..whole.nrows() {
                let moved: f64 = (0..whole.ncols()).map(|j| whole[(i, j)] * momenta[j]).sum();
                let size: f64 = (0..whole.ncols()).map(|j| (whole[(i, j)] * momenta[j]).abs()).sum();
                assert!(moved.abs() < 1e-12 * size, "{moved:.1e} of {size:.1e}");
            }
        }
    }
}

#[test]
fn shapes_moments_and_hull() {
    let recipe = recipe(3, Order::Linear, 12);
    let (basis, model) = (compute(&recipe), model(&recipe));
    let found = modes(&model, 12);
    assert_eq!(basis.squares, found.squares());
    assert_eq!(basis.hull.nodes.len(), 4 * 4 * 4 - 2 * 2 * 2);
    for (n, node) in model.surface().nodes.iter().enumerate() {
        assert_eq!(basis.hull.nodes[n], model.nodes()[*node]);
        for (axis, mode) in (0..3).flat_map(|axis| (0..12).map(move |mode| (axis, mode))) {
            assert_eq!(basis.shapes[(3 * n + axis) * 12 + mode], found.shape(mode)[3 * node + axis]);
        }
    }
    for (facet, nodes) in basis.hull.facets.iter().zip(&model.surface().facets) {
        let corners = facet.map(|n| basis.hull.nodes[n as usize]);
        assert_eq!(corners, nodes.map(|node| model.nodes()[node]));
    }
    assert!((basis.hull.mass - 0.11).abs() < 1e-15 && basis.hull.centre.distance(Vec3::splat(0.05)) < 1e-15);
    for mode in 0..12 {
        let moments = basis.moments[mode];
        let momenta = model.momenta(found.shape(mode)).unwrap();
        for (i, j) in (0..9).map(|n| (n / 3, n % 3)) {
            let offset: Vec<f64> =
                (0..model.unknowns()).map(|n| if n % 3 == i { model.nodes()[n / 3][j] - 0.05 } else { 0.0 }).collect();
            assert!((moments[i][j] - dot(&momenta, &offset)).abs() < 1e-15, "{mode} {i} {j}");
        }
        // no angular momentum: the matrix is symmetric
        assert!((moments[0][1] - moments[1][0]).abs() < 1e-13, "{moments:?}");
    }
}

#[test]
fn the_same_bits_with_any_number_of_threads() {
    let bits = |recipe: &Recipe, threads| recipe.compute(threads, &mut |_| ControlFlow::Continue(())).unwrap();
    let full = recipe(6, Order::Linear, 20);
    let local = Recipe { full_nodes: 10, ..full.clone() };
    for recipe in [full, local] {
        let one = bits(&recipe, 1);
        assert!([2, 3].into_iter().all(|threads| bits(&recipe, threads) == one));
    }
}

#[test]
fn everything_that_matters_is_in_the_digest() {
    let one = recipe(2, Order::Linear, 10);
    let with = |elastic: Elastic| Recipe { elastic, ..one.clone() };
    let others = [
        Recipe { modes: 11, ..one.clone() },
        Recipe { order: Order::Quadratic, ..one.clone() },
        Recipe { mass: MassKind::Lumped, ..one.clone() },
        Recipe { full_nodes: 3, ..one.clone() },
        Recipe { fixed: vec![0, 1, 3], ..one.clone() },
        Recipe { mesh: TetMesh::cube(3, SIDE).unwrap(), ..one.clone() },
        Recipe { mesh: TetMesh::cube(2, SIDE.next_up()).unwrap(), ..one.clone() },
        with(Elastic { young: SEED.young.next_up(), ..SEED }),
        with(Elastic { poisson: SEED.poisson.next_up(), ..SEED }),
        with(Elastic { density: SEED.density.next_up(), ..SEED }),
    ];
    for (n, other) in others.iter().enumerate() {
        assert_ne!(other.digest(), one.digest(), "{n}");
    }
    // the same on every machine and in every build of this version
    assert_eq!(one.digest(), recipe(2, Order::Linear, 10).digest());
    assert_eq!(one.digest().to_string().len(), 32);
}

#[test]
fn watched_and_stopped() {
    let recipe = recipe(3, Order::Linear, 10);
    let mut stages = vec![];
    recipe
        .compute(2, &mut |progress| {
            stages.push(progress.stage);
            ControlFlow::Continue(())
        })
        .unwrap();
    assert!(stages.contains(&Stage::Iterating) && stages.contains(&Stage::Loading), "{stages:?}");
    let stopped = recipe.compute(2, &mut |progress| match progress.stage {
        Stage::Loading => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    assert_eq!(stopped, Err(FemError::Stopped));
    let many = Recipe { modes: 10_000, ..recipe };
    let refused = many.compute(1, &mut |_| ControlFlow::Continue(()));
    assert!(matches!(refused, Err(FemError::TooManyModes { .. })));
}
