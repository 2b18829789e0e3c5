//! Stiffness, mass and statics of linear and quadratic tetrahedra, against closed forms.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Random, SEED, SIDE, cube, dot};
use pliant::math::Vec3;
use pliant_fem::{Elastic, FemError, MassKind, Model, Order, TetMesh, solve_static};

const ORDERS: [Order; 2] = [Order::Linear, Order::Quadratic];

/// A cube whose inner nodes are out of line, so that no two elements are alike.
fn crooked() -> TetMesh {
    let (mesh, mut random) = (TetMesh::cube(3, SIDE).unwrap(), Random(7));
    let inside = |x: f64| x > 1e-9 && x < SIDE - 1e-9;
    let moved = mesh.nodes().iter().map(|at| {
        let inner = at.to_array().into_iter().all(inside);
        let by = Vec3::new(random.signed(), random.signed(), random.signed()) * 0.12 * SIDE / 3.0;
        if inner { *at + by } else { *at }
    });
    TetMesh::new(moved.collect(), mesh.tets().to_vec()).unwrap().0
}

/// Displacements of all nodes by a function of place.
fn field(model: &Model, u: impl Fn(Vec3) -> Vec3) -> Vec<f64> {
    model.nodes().iter().flat_map(|at| u(*at).to_array()).collect()
}

#[test]
fn patch_test() {
    // an even strain, prescribed on the surface, must be found inside, whatever the mesh; stress is lambda tr e + 2 mu e, and its
    // tractions on the face z = side add up to stress times area
    let strain = [[0.010, 0.003, -0.002], [0.003, -0.004, 0.005], [-0.002, 0.005, 0.007]];
    let [lambda, mu] = SEED.lame();
    let u = |at: Vec3| Vec3::from_array(strain.map(|row| Vec3::from_array(row).dot(at)));
    for order in ORDERS {
        let model = Model::new(&crooked(), &SEED, order, MassKind::Consistent).unwrap();
        let exact = field(&model, u);
        let prescribed: Vec<(usize, f64)> =
            model.surface().nodes.iter().flat_map(|n| [3 * n, 3 * n + 1, 3 * n + 2]).map(|n| (n, exact[n])).collect();
        let found = solve_static(&model, &prescribed, &vec![0.0; model.unknowns()]).unwrap();
        for (found, exact) in found.displacements.iter().zip(&exact) {
            assert!((found - exact).abs() < 1e-13 * SIDE, "{order:?}: {found} for {exact}");
        }
        // of the reactions, those through planes x, y, z = side: sum over nodes of r_i x_j = V sigma_ij
        let trace = strain[0][0] + strain[1][1] + strain[2][2];
        for i in 0..3 {
            for j in 0..3 {
                let virial: f64 =
                    (0..model.nodes().len()).map(|n| found.reactions[3 * n + i] * model.nodes()[n][j]).sum();
                let stress = 2.0 * mu * strain[i][j] + if i == j { lambda * trace } else { 0.0 };
                let expected = stress * SIDE.powi(3);
                assert!((virial - expected).abs() < 1e-12 * lambda * SIDE.powi(3), "{order:?} {i}{j}");
            }
        }
    }
}

#[test]
fn rigid_motions_need_no_force() {
    for order in ORDERS {
        let model = Model::new(&crooked(), &SEED, order, MassKind::Consistent).unwrap();
        let stretch = model.forces(&field(&model, |at| Vec3::new(at.x, 0.0, 0.0))).unwrap();
        let size = stretch.iter().fold(0.0f64, |size, f| size.max(f.abs()));
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            for motion in [field(&model, |_| axis * SIDE), field(&model, |at| axis.cross(at))] {
                let force = model.forces(&motion).unwrap();
                assert!(force.iter().all(|f| f.abs() < 1e-12 * size), "{order:?}");
            }
        }
    }
}

#[test]
fn mass_and_inertia_of_the_solid() {
    // m a^2 / 6 about the centre; lumped mass of linear elements has more
    for order in ORDERS {
        let rigid = Model::new(&crooked(), &SEED, order, MassKind::Consistent).unwrap().rigid();
        assert!((rigid.mass - 0.11).abs() < 1e-15);
        assert!((rigid.centre - Vec3::splat(SIDE / 2.0)).length() < 1e-15);
        for i in 0..3 {
            for j in 0..3 {
                let expected = if i == j { 0.11 * SIDE * SIDE / 6.0 } else { 0.0 };
                assert!((rigid.inertia[i][j] - expected).abs() < 1e-17, "{order:?} {:?}", rigid.inertia);
            }
        }
        let lumped = Model::new(&crooked(), &SEED, order, MassKind::Lumped).unwrap().rigid();
        assert!((lumped.mass - 0.11).abs() < 1e-15);
    }
}

/// Force per displacement of a cube between plates, of which `held` says what they prescribe at a node besides z.
fn plates(model: &Model, held: impl Fn(Vec3) -> [bool; 2]) -> f64 {
    let mut prescribed = vec![];
    for (n, at) in model.nodes().iter().enumerate() {
        if at.z == 0.0 || at.z == SIDE {
            prescribed.push((3 * n + 2, at.z / SIDE));
        }
        prescribed.extend((0..2).filter(|axis| held(*at)[*axis]).map(|axis| (3 * n + axis, 0.0)));
    }
    let found = solve_static(model, &prescribed, &vec![0.0; model.unknowns()]).unwrap();
    (0..model.nodes().len()).filter(|n| model.nodes()[*n].z == SIDE).map(|n| found.reactions[3 * n + 2]).sum()
}

#[test]
fn even_compression() {
    // solids.json, static_seed002: frictionless plates E a, confined (lambda + 2 mu) a
    for order in ORDERS {
        let model = cube(4, order, MassKind::Consistent);
        // held on planes of symmetry through the edge at the origin, which the strain leaves in place
        let free = plates(&model, |at| [at.x == 0.0, at.y == 0.0]);
        assert!((free - 200.0).abs() < 1e-10, "{free}");
        let confined = plates(&model, |at| [at.x == 0.0 || at.x == SIDE, at.y == 0.0 || at.y == SIDE]);
        assert!((confined - 3422.818791946306).abs() < 1e-8, "{confined}");
    }
}

#[test]
fn bonded_compression() {
    // solids.json, bonded_compression_N_per_m: Ritz with polynomials of degree 8, 12 and 15. They and ours are upper bounds, and fall
    // to the limit with the inverse of the degree and with the size of the elements, because stress is singular along the
    // bonded edges. So both are extrapolated before they are compared.
    let bonded = |poisson: f64, order: Order, cells: usize| {
        let solid = Elastic { poisson, ..SEED };
        let mesh = TetMesh::cube(cells, SIDE).unwrap();
        let model = Model::new(&mesh, &solid, order, MassKind::Consistent).unwrap();
        plates(&model, |at| [at.z == 0.0 || at.z == SIDE; 2])
    };
    for order in ORDERS {
        assert!((bonded(0.0, order, 3) - 200.0).abs() < 1e-10);
    }
    for (poisson, degree_12, degree_15) in
        [(0.3, 213.08071238819764, 212.93335727068623), (0.49, 246.17885764224502, 245.19270227553898)]
    {
        let (coarse, fine) = (bonded(poisson, Order::Quadratic, 4), bonded(poisson, Order::Quadratic, 8));
        let (ours, ritz) = (2.0 * fine - coarse, (15.0 * degree_15 - 12.0 * degree_12) / 3.0);
        println!("nu {poisson}: {coarse:.3} {fine:.3} -> {ours:.3}; Ritz {degree_12:.3} {degree_15:.3} -> {ritz:.3}");
        assert!(coarse > fine && fine > ritz && (fine / degree_15 - 1.0).abs() < 0.02, "nu {poisson}: {coarse} {fine}");
        assert!((ours / ritz - 1.0).abs() < 0.005, "nu {poisson}: {ours} for {ritz}");
    }
    // linear ones lock: from far above
    let (linear, degree_15) = (bonded(0.49, Order::Linear, 8), 245.19270227553898);
    println!("nu 0.49: linear {linear:.3}");
    assert!(linear > 1.05 * degree_15, "{linear}");
}

#[test]
fn forces_do_the_work_of_the_energy() {
    // K is symmetric: u . K v = v . K u, and M too
    let model = Model::new(&crooked(), &SEED, Order::Quadratic, MassKind::Consistent).unwrap();
    let mut random = Random(3);
    let mut any = || -> Vec<f64> { (0..model.unknowns()).map(|_| random.signed()).collect() };
    let (u, v) = (any(), any());
    let (ku, kv) = (model.forces(&u).unwrap(), model.forces(&v).unwrap());
    assert!((dot(&u, &kv) - dot(&v, &ku)).abs() < 1e-12 * dot(&u, &ku));
    let (mu, mv) = (model.momenta(&u).unwrap(), model.momenta(&v).unwrap());
    assert!((dot(&u, &mv) - dot(&v, &mu)).abs() < 1e-12 * dot(&u, &mu));
}

#[test]
fn what_makes_no_body() {
    let mesh = TetMesh::cube(1, SIDE).unwrap();
    for (young, poisson, density) in [(0.0, 0.3, 1.0), (1.0, 0.5, 1.0), (1.0, -1.0, 1.0), (1.0, 0.3, f64::NAN)] {
        let solid = Elastic { young, poisson, density };
        let error = Model::new(&mesh, &solid, Order::Linear, MassKind::Consistent).unwrap_err();
        assert!(matches!(error, FemError::Parameter { .. }), "{error}");
    }
    let model = Model::new(&mesh, &SEED, Order::Linear, MassKind::Consistent).unwrap();
    assert!(matches!(model.forces(&[0.0]), Err(FemError::Length { expected: 24, found: 1, .. })));
    let none = vec![0.0; 24];
    assert!(matches!(solve_static(&model, &[(24, 0.0)], &none), Err(FemError::NoSuch { index: 24, .. })));
    // a node and a half: it can still turn
    let hinge: Vec<(usize, f64)> = (0..5).map(|n| (n, 0.0)).collect();
    for held in [&[][..], &hinge] {
        assert_eq!(solve_static(&model, held, &none), Err(FemError::NotHeld));
    }
    assert!(matches!(solve_static(&model, &[(0, f64::NAN)], &none), Err(FemError::Parameter { .. })));
}
