//! The textbook version of the solvers in `sweeps`, with whole matrices: the whole inverse, the whole Delassus operator,
//! and for runs S, C and U of (11) as they stand.
#![allow(clippy::unwrap_used)]

use super::runs::Runs;
use super::touch::{along, subtract_force};
use super::*;
use crate::body::Body;
use crate::contact::{ObstacleParams, Shape, ShapeKind};
use crate::grip::{GripParams, GripperParams};
use crate::material::{Friction, Material};
use crate::motion::Motion;
use crate::section::Section;
use crate::world::World;

const STEP: f64 = 0.01;

type Dense = Vec<Vec<f64>>;

fn zeros(rows: usize, columns: usize) -> Dense {
    vec![vec![0.0; columns]; rows]
}

fn product(a: &Dense, b: &Dense) -> Dense {
    let column = |row: &Vec<f64>, j: usize| row.iter().zip(b).map(|(x, b)| x * b[j]).sum();
    a.iter().map(|row| (0..b[0].len()).map(|j| column(row, j)).collect()).collect()
}

fn transposed(a: &Dense) -> Dense {
    (0..a[0].len()).map(|j| a.iter().map(|row| row[j]).collect()).collect()
}

fn times(a: &Dense, x: &[f64]) -> Vec<f64> {
    a.iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

fn inverse(a: &Dense) -> Dense {
    let n = a.len();
    let unit = |i: usize| (0..n).map(move |j| if i == j { 1.0 } else { 0.0 });
    let mut m: Dense = a.iter().enumerate().map(|(i, row)| row.iter().copied().chain(unit(i)).collect()).collect();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| m[i][k].abs().total_cmp(&m[j][k].abs())).unwrap();
        m.swap(k, pivot);
        let row: Vec<f64> = m[k].iter().map(|x| x / m[k][k]).collect();
        for (i, other) in m.iter_mut().enumerate() {
            let f = other[k];
            if i != k {
                other.iter_mut().zip(&row).for_each(|(o, r)| *o -= f * r);
            }
        }
        m[k] = row;
    }
    m.into_iter().map(|row| row[n..].to_vec()).collect()
}

/// A cable that lies on a drum and hangs down to a floor on both sides, drawn along slowly.
fn draped(count: usize, settings: CableSettings) -> World {
    let mut world = World::new(Vec3::Z * -9.81);
    let obstacle = |name: &str, kind, placed| ObstacleParams {
        name: name.into(),
        shape: Shape::new(kind).unwrap(),
        placed,
        motion: Motion::Hold,
        friction: None,
    };
    let axis = Quat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let drum = ShapeKind::Cylinder { radius: 0.05, length: 0.5 };
    world.add_obstacle(obstacle("drum", drum, Pose::from_parts(Vec3::Z * 0.03, axis))).unwrap();
    world.add_obstacle(obstacle("floor", ShapeKind::Plane, Pose::IDENTITY)).unwrap();
    let motion = Motion::Glide {
        velocity: Vec3::new(0.01, 0.002, 0.0),
        acceleration: Vec3::ZERO,
        window: crate::motion::Window { start: 0.3, end: f64::INFINITY },
    };
    let placed = Pose::from_translation(Vec3::new(0.2, 0.0, 0.01));
    world.add_gripper(GripperParams { name: "hand".into(), placed, motion }).unwrap();
    let friction = Friction { coefficient: 0.4, exponent: 0.8 };
    let spec = CableSpec {
        material: Material { young: 4.462e6, poisson: 0.4999, density: 1100.0, friction },
        section: Section::Round { radius: 4e-3 },
        path: [[-0.2, 0.006], [-0.08, 0.006], [0.0, 0.085], [0.08, 0.006], [0.2, 0.006]]
            .map(|[x, z]| Vec3::new(x, 0.0, z))
            .to_vec(),
        normal: None,
        rest: Rest::Straight,
        segments: count,
        settings,
    };
    world.add_body(Body::Cable(Cable::new("wire", spec).unwrap())).unwrap();
    let place = Place::Fraction(1.0);
    let grip =
        GripParams { gripper: 0, body: 0, place, hold: Hold::Clamp, from: 0.0, until: f64::INFINITY, snap: false };
    world.add_grip(grip).unwrap();
    world
}

/// The equations of a draped cable, in a number of runs.
fn linearised(count: usize, runs: usize) -> Cable {
    let settings = CableSettings { solver: Solver::Direct, ..CableSettings::default() };
    let mut world = draped(count, settings);
    (0..60).for_each(|_| world.step(STEP).unwrap());
    let Body::Cable(cable) = &world.bodies()[0] else { panic!() };
    let mut cable = cable.clone();
    let Cable { links, state, scratch, .. } = &mut cable;
    // out of balance by half of what contacts carry, so that forces and velocities change by as much as they are
    for touch in &scratch.step.touches {
        let force = along(&touch.axes, touch.force).map(|f| -1.5 * f);
        subtract_force(&mut scratch.step.residual[touch.link], &touch.rows, &force);
    }
    scratch.step.runs = Runs::divided(count, runs, false);
    assert!(scratch.step.linearise(links, &state.links, STEP));
    let obstacles: std::collections::BTreeSet<usize> = scratch.step.touches.iter().map(|t| t.obstacle).collect();
    assert_eq!(obstacles.len(), 2, "both drum and floor are touched");
    cable
}

/// All of (9): the matrix with cuts, b, and the rows of contacts and cuts.
struct Whole {
    inverse: Dense,
    b: Vec<f64>,
    contacts: Dense,
    strains: Dense,
    pushes: Dense,
}

fn whole(cable: &Cable) -> Whole {
    let s = &cable.scratch.step;
    let n = 6 * s.mean.len();
    let mut a = zeros(n, n);
    let mut put = |i: usize, j: usize, block: &super::block::Mat6| {
        for (r, c) in (0..6).flat_map(|r| (0..6).map(move |c| (r, c))) {
            a[6 * i + r][6 * j + c] = block[r][c];
        }
    };
    s.matrix.diagonal.iter().enumerate().for_each(|(i, m)| put(i, i, m));
    s.matrix.right.iter().enumerate().for_each(|(i, m)| put(i, i + 1, m));
    s.matrix.below.iter().enumerate().for_each(|(i, m)| put(i + 1, i, m));
    let cuts = s.runs.cuts();
    let (mut strains, mut pushes) = (zeros(6 * cuts.len(), n), zeros(n, 6 * cuts.len()));
    for (k, cut) in cuts.iter().enumerate() {
        for (side, r, c) in (0..2).flat_map(|s| (0..6).flat_map(move |r| (0..6).map(move |c| (s, r, c)))) {
            strains[6 * k + r][6 * (cut.link + side) + c] = cut.strains[side][r][c];
            pushes[6 * (cut.link + side) + r][6 * k + c] = cut.pushes[side][r][c];
        }
    }
    if !cuts.is_empty() {
        let coupling = product(&pushes, &strains);
        for i in 0..n {
            for j in 0..n {
                a[i][j] -= coupling[i][j];
            }
        }
        // nothing is left between runs
        for cut in cuts {
            for (r, c) in (0..6).flat_map(|r| (0..6).map(move |c| (r, c))) {
                let (i, j) = (6 * cut.link + r, 6 * (cut.link + 1) + c);
                let size = s.matrix.diagonal[cut.link][r][r].abs() + s.matrix.diagonal[cut.link + 1][c][c].abs();
                assert!(a[i][j].abs() < 1e-12 * size && a[j][i].abs() < 1e-12 * size);
            }
        }
    }
    let mut contacts = zeros(3 * s.touches.len(), n);
    for (t, touch) in s.touches.iter().enumerate() {
        for k in 0..3 {
            contacts[3 * t + k][6 * touch.link..6 * touch.link + 6].copy_from_slice(&touch.rows[k]);
        }
    }
    let b = s.residual.iter().flatten().map(|x| -x).collect();
    Whole { inverse: inverse(&a), b, contacts, strains, pushes }
}

fn compare(what: &str, got: impl Iterator<Item = f64>, want: &[f64]) {
    let size = want.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    for (k, (got, want)) in got.zip(want).enumerate() {
        // the tangent's condition is about 1e6
        assert!((got - want).abs() <= 1e-10 * size, "{what} {k}: {got} for {want}");
    }
}

#[test]
fn sweeps_are_those_of_the_whole_delassus_operator() {
    let mut cable = linearised(20, 1);
    let Whole { inverse, b, contacts, .. } = whole(&cable);
    let back = product(&inverse, &transposed(&contacts));
    let delassus = product(&contacts, &back);
    let free = times(&contacts, &times(&inverse, &b));
    let mut locals: Vec<_> = cable.scratch.step.runs.touched.iter().map(|t| t.local).collect();
    let mut slides = 0;
    for _ in 0..25 {
        for t in 0..locals.len() {
            let forces: Vec<f64> = locals.iter().flat_map(|l| l.force).collect();
            let u = times(&delassus, &forces);
            let base = locals[t].base;
            for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
                let want = delassus[3 * t + i][3 * t + j];
                assert!((locals[t].yielding[i][j] - want).abs() < 1e-10 * delassus[3 * t][3 * t].abs());
            }
            locals[t].project(&std::array::from_fn(|k| base[k] + free[3 * t + k] + u[3 * t + k]));
        }
        let Cable { links, scratch, .. } = &mut cable;
        scratch.step.runs.begin();
        scratch.step.runs.sweep(links);
        let forces: Vec<f64> = locals.iter().flat_map(|l| l.force).collect();
        compare("force", scratch.step.runs.touched.iter().flat_map(|t| t.local.force), &forces);
        let moved = times(&inverse, &b);
        let more = times(&back, &forces);
        let v: Vec<f64> = moved.iter().zip(&more).map(|(a, b)| a + b).collect();
        compare("velocity", scratch.step.runs.change.iter().flatten().copied(), &v);
        slides += locals.iter().filter(|l| l.force[0] > 0.0).count();
    }
    // else there was nothing to compare
    assert!(slides > 10, "{slides} contacts push");
}

#[test]
fn couplings_are_those_of_block_gauss_seidel_on_the_whole_s() {
    let runs = 4;
    let mut cable = linearised(20, runs);
    let Whole { inverse: free, b, contacts, strains, pushes } = whole(&cable);
    let (to_contacts, to_cuts) = (product(&free, &transposed(&contacts)), product(&free, &pushes));
    let mut s = product(&strains, &to_cuts);
    (0..s.len()).for_each(|i| s[i][i] += 1.0);
    let (c, u) = (product(&strains, &to_contacts), times(&strains, &times(&free, &b)));
    let delassus = product(&contacts, &to_contacts);
    let coupled = product(&contacts, &to_cuts);
    let base = times(&contacts, &times(&free, &b));
    let mut locals: Vec<_> = cable.scratch.step.runs.touched.iter().map(|t| t.local).collect();
    let forces = |locals: &[projection::Local]| locals.iter().flat_map(|l| l.force).collect::<Vec<f64>>();
    let right = |forces: &[f64]| -> Vec<f64> { times(&c, forces).iter().zip(&u).map(|(a, b)| a + b).collect() };
    // S y = U + C f at the start
    let mut y = times(&inverse(&s), &right(&forces(&locals)));
    compare("first coupling", cable.scratch.step.runs.cuts().iter().flat_map(|c| c.y), &y);
    for _ in 0..12 {
        for t in 0..locals.len() {
            let (own, lagged) = (times(&delassus, &forces(&locals)), times(&coupled, &y));
            let at = locals[t].base;
            locals[t].project(&std::array::from_fn(|k| at[k] + base[3 * t + k] + own[3 * t + k] - lagged[3 * t + k]));
        }
        let right = right(&forces(&locals));
        for k in 0..runs - 1 {
            let block: Dense = (0..6).map(|r| s[6 * k + r][6 * k..6 * k + 6].to_vec()).collect();
            let left: Vec<f64> = (0..6)
                .map(|r| {
                    let row = &s[6 * k + r];
                    let others = (0..row.len()).filter(|j| j / 6 != k).map(|j| row[j] * y[j]).sum::<f64>();
                    right[6 * k + r] - others
                })
                .collect();
            y[6 * k..6 * k + 6].copy_from_slice(&times(&inverse(&block), &left));
        }
        let Cable { links, scratch, .. } = &mut cable;
        let runs = &mut scratch.step.runs;
        runs.begin();
        runs.sweep(links);
        runs.couple(1.0);
        compare("force", runs.touched.iter().flat_map(|t| t.local.force), &forces(&locals));
        compare("coupling", runs.cuts().iter().flat_map(|c| c.y), &y);
    }
}

/// Force on the hand over the last steps, and where the links end up.
fn outcome(solver: Solver, subsystems: usize) -> (Vec3, Vec<Vec3>) {
    // drag, so that what was shaken when the cable was let go has come to rest: impacts make small differences large
    let settings = CableSettings { solver, subsystems, iterations: 1000, drag: 10.0, ..CableSettings::default() };
    let mut world = draped(24, settings);
    let mut force = Vec3::ZERO;
    for n in 0..250 {
        world.step(STEP).unwrap();
        if n >= 230 {
            force += world.grips()[0].load.force / 20.0;
        }
    }
    let Body::Cable(cable) = &world.bodies()[0] else { panic!() };
    (force, cable.state.links.poses.iter().map(|p| p.translation).collect())
}

#[test]
fn all_solvers_come_to_the_same_motion() {
    let (force, shape) = outcome(Solver::Newton, 0);
    for (solver, subsystems) in [(Solver::Direct, 0), (Solver::Subsystems, 4)] {
        let (other, places) = outcome(solver, subsystems);
        let apart = shape.iter().zip(&places).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!((other - force).length() < 0.01 * force.length(), "{solver:?}: {other} for {force}");
        // of the cable's length
        assert!(apart < 0.01 * 0.4, "{solver:?}: {apart} m apart");
    }
}

/// A cable falls across another that lies on the floor, and comes to rest on it: pairs of links of two cables.
fn crossed(solver: Solver) -> [Vec3; 2] {
    let mut world = World::new(Vec3::Z * -9.81);
    let floor = ObstacleParams {
        name: "floor".into(),
        shape: Shape::new(ShapeKind::Plane).unwrap(),
        placed: Pose::IDENTITY,
        motion: Motion::Hold,
        friction: None,
    };
    world.add_obstacle(floor).unwrap();
    let settings = CableSettings { solver, subsystems: 3, iterations: 1000, drag: 5.0, ..CableSettings::default() };
    let friction = Friction { coefficient: 0.4, exponent: 0.8 };
    let ways = [
        [Vec3::new(-0.1, 0.0, 4e-3), Vec3::new(0.1, 0.0, 4e-3)],
        [Vec3::new(0.01, -0.1, 0.014), Vec3::new(0.01, 0.1, 0.014)],
    ];
    for (name, path) in ["lower", "upper"].into_iter().zip(ways) {
        let spec = CableSpec {
            material: Material { young: 4.462e6, poisson: 0.4999, density: 1100.0, friction },
            section: Section::Round { radius: 4e-3 },
            path: path.to_vec(),
            normal: None,
            rest: Rest::Straight,
            segments: 15,
            settings,
        };
        world.add_body(Body::Cable(Cable::new(name, spec).unwrap())).unwrap();
    }
    (0..150).for_each(|_| world.step(STEP).unwrap());
    let pushing = world.frame().contacts.iter().filter(|c| matches!(c.other, crate::frame::Other::Body(_))).count();
    assert!(pushing > 0, "{solver:?}: the cables touch");
    [0, 1].map(|body| match &world.bodies()[body] {
        Body::Cable(cable) => cable.state.links.poses[7].translation,
        Body::Chain(_) | Body::Xpbd(_) => panic!(),
    })
}

#[test]
fn cables_that_cross_come_to_rest_alike() {
    let want = crossed(Solver::Newton);
    // the upper rests on the lower: four radii less what the hanging ends bend
    assert!(want[1].z > 0.0115 && want[0].z > 3.8e-3, "{want:?}");
    for solver in [Solver::Direct, Solver::Subsystems] {
        let got = crossed(solver);
        for (got, want) in got.iter().zip(&want) {
            // a fortieth of the radius; heights alone, as nothing brings a cable back that has rolled along the floor
            assert!((got.z - want.z).abs() < 1e-4, "{solver:?}: {got} for {want}");
        }
    }
}
