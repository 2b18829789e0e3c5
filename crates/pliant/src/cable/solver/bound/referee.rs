//! Reference for subsystems that pairs bind together, with dense matrices: the full inverse, Delassus operator and S.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::cable::contact::broad_phase::BroadPhase;
use crate::cable::contact::pairs::Pair;
use crate::cable::group::step::Around;
use crate::cable::solver::coupling::Coupling;
use crate::cable::solver::referee::{
    Dense, ROUNDING, STEP, compare, inverse, minus, product, sum, times, transposed, zeros,
};
use crate::cable::{Cable, CableSettings, CableSpec, Couplings, Pairs};
use crate::contact::{ObstacleParams, Shape, ShapeKind};
use crate::frame::Other;
use crate::material::{Friction, Material};
use crate::math::{Pose, Vec3};
use crate::motion::Motion;
use crate::rest::Rest;
use crate::section::Section;
use crate::stop::Stop;
use crate::world::World;

/// A cable that lies across itself on a floor, and a second one across two parts of it.
fn heap(settings: CableSettings) -> World {
    let mut world = World::new(Vec3::Z * -9.81);
    let floor = ObstacleParams {
        name: "floor".into(),
        shape: Shape::new(ShapeKind::Plane).unwrap(),
        placed: Pose::IDENTITY,
        motion: Motion::Hold,
        friction: None,
    };
    world.add_obstacle(floor).unwrap();
    let friction = Friction { coefficient: 0.4, exponent: 0.8 };
    let looped = [[-0.1, 0.0, 4.0], [0.1, 0.0, 4.0], [0.1, 0.08, 5.0], [0.0, 0.08, 9.0], [0.0, -0.1, 12.5]];
    let beside = [[0.05, -0.06, 21.0], [0.05, 0.13, 21.0]];
    for (name, path, segments) in [("looped", &looped[..], 30), ("beside", &beside[..], 12)] {
        let spec = CableSpec {
            material: Material { young: 1e6, poisson: 0.4999, density: 1100.0, friction },
            section: Section::Round { radius: 4e-3 },
            path: path.iter().map(|[x, y, z]| Vec3::new(*x, *y, 1e-3 * z)).collect(),
            normal: None,
            rest: Rest::Straight,
            segments,
            settings: CableSettings { drag: 5.0, ..settings },
        };
        world.add_body(Body::Cable(Cable::new(name, spec).unwrap())).unwrap();
    }
    world
}

/// All matrices of (9) to (13) of the current linearisation, with the cuts between subsystems.
struct Whole {
    /// Index of the first link of each cable among all.
    starts: [usize; 2],
    free: Dense,
    b: Vec<f64>,
    contacts: Dense,
    strains: Dense,
    pushes: Dense,
}

fn cables(bodies: &[Body]) -> [&Cable; 2] {
    [0, 1].map(|n| match &bodies[n] {
        Body::Cable(cable) => cable,
        _ => panic!(),
    })
}

fn whole(bodies: &[Body], contacts: &[BoundContact]) -> Whole {
    let cables = cables(bodies);
    let starts = [0, cables[0].size()];
    let n = 6 * (starts[1] + cables[1].size());
    let (mut a, mut b) = (zeros(n, n), vec![]);
    let cuts: Vec<_> = (0..2).flat_map(|m| cuts(cables[m]).into_iter().map(move |c| (starts[m], c))).collect();
    let (mut strains, mut pushes) = (zeros(6 * cuts.len(), n), zeros(n, 6 * cuts.len()));
    for (cable, start) in cables.iter().zip(starts) {
        let s = &cable.scratch.step;
        let mut put = |i: usize, j: usize, block: &crate::cable::algebra::block::Mat6| {
            for (r, c) in (0..6).flat_map(|r| (0..6).map(move |c| (r, c))) {
                a[6 * (start + i) + r][6 * (start + j) + c] = block[r][c];
            }
        };
        s.matrix.diagonal.iter().enumerate().for_each(|(i, m)| put(i, i, m));
        s.matrix.right.iter().enumerate().for_each(|(i, m)| put(i, i + 1, m));
        s.matrix.below.iter().enumerate().for_each(|(i, m)| put(i + 1, i, m));
        b.extend(s.residual.iter().flatten().map(|x| -x));
    }
    for (k, (start, cut)) in cuts.iter().enumerate() {
        for (side, r, c) in (0..2).flat_map(|s| (0..6).flat_map(move |r| (0..6).map(move |c| (s, r, c)))) {
            strains[6 * k + r][6 * (start + cut.link + side) + c] = cut.strains[side][r][c];
            pushes[6 * (start + cut.link + side) + r][6 * k + c] = cut.pushes[side][r][c];
        }
    }
    if !cuts.is_empty() {
        let coupling = product(&pushes, &strains);
        a = a.iter().zip(&coupling).map(|(a, c)| minus(a, c)).collect();
    }
    let mut rows = zeros(3 * contacts.len(), n);
    for (t, contact) in contacts.iter().enumerate() {
        for (term, k) in contact.terms().flat_map(|term| (0..3).map(move |k| (term, k))) {
            let at = 6 * (starts[term.member] + term.link);
            (0..6).for_each(|c| rows[3 * t + k][at + c] += term.rows[k][c]);
        }
    }
    Whole { starts, free: inverse(&a), b, contacts: rows, strains, pushes }
}

fn cuts(cable: &Cable) -> Vec<crate::cable::solver::printed::cuts::Cut> {
    cable.scratch.step.runs.printed.as_ref().unwrap().cuts().to_vec()
}

fn forces(contacts: &[BoundContact]) -> Vec<f64> {
    contacts.iter().flat_map(|c| c.local.force).collect()
}

/// One pass of block Gauss-Seidel over S y = right.
fn pass(s: &Dense, right: &[f64], y: &mut [f64]) {
    for k in 0..y.len() / 6 {
        let block: Dense = (0..6).map(|r| s[6 * k + r][6 * k..6 * k + 6].to_vec()).collect();
        let others = |row: &[f64]| (0..row.len()).filter(|j| j / 6 != k).map(|j| row[j] * y[j]).sum::<f64>();
        let left: Vec<f64> = (0..6).map(|r| right[6 * k + r] - others(&s[6 * k + r])).collect();
        y[6 * k..6 * k + 6].copy_from_slice(&times(&inverse(&block), &left));
    }
}

/// Compare some iterations with those of whole matrices.
fn check(couplings: Couplings) {
    let settings = CableSettings {
        pairs: Pairs::Bound,
        couplings,
        subsystems: 6,
        post_regulation: false,
        iterations: 400,
        ..CableSettings::default()
    };
    let mut world = heap(CableSettings { pairs: Pairs::Factored, couplings: Couplings::Exact, ..settings });
    (0..60).for_each(|_| world.step(STEP).unwrap());
    // on until links lie on links in three places at least
    let on_links =
        |world: &World| world.frame().contacts.iter().filter(|c| !matches!(c.other, Other::Obstacle(_))).count();
    for _ in 0..100 {
        if on_links(&world) >= 3 {
            break;
        }
        world.step(STEP).unwrap();
    }
    // the cables as they lie, with the solver that is to be compared
    let mut bodies: Vec<Body> = heap(settings).bodies().to_vec();
    for (body, lying) in bodies.iter_mut().zip(world.bodies()) {
        let (Body::Cable(cable), Body::Cable(lying)) = (body, lying) else { panic!() };
        cable.state = lying.state.clone();
        cable.scratch.near = lying.scratch.near.clone();
        cable.reserve(1, 0, 2);
    }
    let mut found = vec![];
    BroadPhase::default().find(&bodies, STEP, &mut found);
    let mut pairs: Vec<Pair> = found.iter().map(|&key| Pair::new(key)).collect();
    let (mut coupling, mut binding, stop) = (Coupling::default(), Binding::default(), Stop::default());
    let around = Around { gravity: Vec3::Z * -9.81, obstacles: world.obstacles(), stop: &stop, near: &[] };
    let part = Part::whole(STEP);
    let mut island = Island {
        bodies: &mut bodies,
        first: 0,
        members: &[0, 1],
        arms: &[],
        pairs: &mut pairs,
        coupling: &mut coupling,
        around,
        team: None,
    };
    island.begin(&part);
    binding.listed = vec![false; island.pairs.len()];
    island.each(|share| std::mem::swap(&mut share.s.runs.printed, &mut share.s.runs.bound));
    assert!(island.linearise_bound(&part, true, &mut binding));
    let all = |binding: &Binding| -> Vec<BoundContact> {
        binding.groups[..binding.used].iter().flat_map(|g| g.contacts.clone()).collect()
    };
    let mut contacts = all(&binding);
    let paired = contacts.iter().filter(|c| matches!(c.source, Source::Pair(_))).count();
    assert!(paired >= 3, "{paired} pairs");
    let sizes: Vec<usize> = binding.groups[..binding.used].iter().map(|g| g.contacts.len()).collect();
    assert!(binding.used < 12 && binding.used > 3, "{} subsystems of 12 runs", binding.used);
    let Whole { starts, free, b, contacts: rows, strains, pushes } = whole(island.bodies, &contacts);
    let cut = pushes[0].len() / 6;
    assert_eq!(cut > 0, couplings == Couplings::Printed);
    let to_contacts = product(&free, &transposed(&rows));
    let delassus = product(&rows, &to_contacts);
    let unpushed = times(&rows, &times(&free, &b));
    let (to_cuts, mut s, c, u) = if cut > 0 {
        let to_cuts = product(&free, &pushes);
        let s = product(&strains, &to_cuts);
        (to_cuts, s, product(&strains, &to_contacts), times(&strains, &times(&free, &b)))
    } else {
        (zeros(b.len(), 0), vec![], vec![], vec![])
    };
    (0..s.len()).for_each(|i| s[i][i] += 1.0);
    let (mut y, mut pushing) = (vec![0.0; 6 * cut], 0);
    for _ in 0..12 {
        // each subsystem sees its own contacts as they are, others as they were before
        let before = forces(&contacts);
        let lagged = if cut > 0 { times(&rows, &times(&to_cuts, &y)) } else { vec![0.0; before.len()] };
        let mut from = 0;
        for &size in &sizes {
            let mut seen = before.clone();
            for t in from..from + size {
                let local = &mut contacts[t].local;
                for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
                    local.yielding[i][j] = delassus[3 * t + i][3 * t + j];
                }
                let at = |k: usize| {
                    let pushed: f64 = delassus[3 * t + k].iter().zip(&seen).map(|(w, f)| w * f).sum();
                    local.base[k] + unpushed[3 * t + k] + pushed - lagged[3 * t + k]
                };
                let u = [at(0), at(1), at(2)];
                local.project(&u);
                seen[3 * t..3 * t + 3].copy_from_slice(&local.force);
            }
            from += size;
        }
        if cut > 0 {
            pass(&s, &sum(&times(&c, &forces(&contacts)), &u), &mut y);
        }
        island.each(|share| share.s.runs.begin());
        island.sweep_bound(&mut binding);
        island.couple_runs();
        compare("force", forces(&all(&binding)).into_iter(), &forces(&contacts), ROUNDING);
        let found = cables(island.bodies);
        compare("coupling", found.iter().flat_map(|c| cuts(c)).flat_map(|c| c.y), &y, ROUNDING);
        let mut moved = times(&free, &sum(&b, &times(&transposed(&rows), &forces(&contacts))));
        if cut > 0 {
            moved = minus(&moved, &times(&to_cuts, &y));
        }
        for (cable, start) in found.iter().zip(starts) {
            let change = &cable.scratch.step.runs.change;
            compare("velocity", change.iter().flatten().copied(), &moved[6 * start..], ROUNDING);
        }
        pushing += contacts.iter().filter(|c| matches!(c.source, Source::Pair(_)) && c.local.force[0] > 0.0).count();
    }
    // otherwise the comparison would be empty
    assert!(pushing > 12, "{pushing} pairs push");
}

#[test]
fn bound_subsystems_with_printed_couplings_are_those_of_whole_matrices() {
    check(Couplings::Printed);
}

#[test]
fn bound_subsystems_with_exact_couplings_are_those_of_whole_matrices() {
    check(Couplings::Exact);
}

/// Threads share the subsystems; results are the same to the bit.
#[test]
fn bound_subsystems_do_not_depend_on_threads() {
    for couplings in [Couplings::Printed, Couplings::Exact] {
        let lies = |threads: usize| {
            let settings = CableSettings {
                pairs: Pairs::Bound,
                couplings,
                subsystems: 6,
                iterations: 400,
                ..CableSettings::default()
            };
            let mut world = heap(settings);
            world.set_threads(threads);
            (0..8).for_each(|_| world.step(STEP).unwrap());
            let poses = |cable: &Cable| cable.state.links.poses.clone();
            let all = cables(world.bodies()).map(poses).concat();
            all.iter().map(|p| p.translation.to_array().map(f64::to_bits)).collect::<Vec<_>>()
        };
        let one = lies(1);
        for threads in [2, 5] {
            assert_eq!(lies(threads), one, "{threads} threads");
        }
    }
}
