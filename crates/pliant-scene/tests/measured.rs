//! A bar that is struck, as finite elements integrate it in time, with noise: what is identified moves, in a scene, as the bar does.

#![allow(clippy::unwrap_used, missing_docs)]

use std::f64::consts::PI;
use std::ops::ControlFlow;
use std::path::Path;

use pliant::math::Vec3;
use pliant_fem::{Damping, Direct, Model, Sampling, Timing};
use pliant_identify::response::{Blow, Spot, identify};
use pliant_scene::{Work, load, precomputable, write_measured};

const BAR: &str = "duration = 0.3\nstep = 0.001\ngravity = [0, 0, 0]\n\
    [material.rubber]\nyoung = 2e6\npoisson = 0.4\ndensity = 1000\n\
    [[body]]\nname = \"bar\"\nmodel = \"response\"\nmaterial = \"rubber\"\n\
    solid = { box = { size = [0.1, 0.03, 0.02], cells = [8, 2, 2] } }\n\
    [[load]]\nbody = \"bar\"\nat = { min = [0.049, -0.001, 0.009], max = [0.051, 0.001, 0.011] }\nforce = [0, 0, -0.5]\nuntil = 0.12\n\
    [body.response]\nfixed = [{ min = [-0.05, -0.015, -0.01], max = [-0.05, 0.015, 0.01] }]\n";

/// Points of its upper face that are watched, of which the first three are struck.
const POINTS: [[f64; 3]; 5] =
    [[0.05, 0.0, 0.01], [0.025, 0.0, 0.01], [0.0, 0.0, 0.01], [-0.025, 0.0, 0.01], [0.05, 0.015, 0.01]];
const DAMPING: Damping = Damping { mass: 3.0, stiffness: 2e-4 };

/// Displacements upwards of all points watched, every millisecond, after a blow downwards on one of them: by Newmark's method in steps of
/// a quarter of that, with the smooth force of each.
fn struck(model: &Model, point: usize, peak: f64) -> Blow {
    let (fine, count) = (2.5e-4, 400);
    let timing = Timing { sample: fine, substeps: 1, samples: 4 * count, sampling: Sampling::End };
    let direct = Direct::new(model, &DAMPING, &timing).unwrap();
    let surface = &model.surface().nodes;
    let nearest = |at: [f64; 3]| {
        let apart = |n: &usize| model.nodes()[surface[*n]].distance(Vec3::from_array(at));
        (0..surface.len()).min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap()
    };
    let mut force = vec![0.0; model.unknowns()];
    force[model.surface_unknowns()[3 * nearest(POINTS[point]) + 2]] = 1.0;
    let response = direct.respond(&[&force], &mut |_| ControlFlow::Continue(())).unwrap().remove(0);
    let hammer = |t: f64| if (0.0..0.01).contains(&t) { -peak * (PI * t / 0.01).sin().powi(2) } else { 0.0 };
    let course: Vec<f64> = (0..4 * count).map(|k| hammer((k as f64 + 0.5) * fine - 0.004)).collect();
    let watched = POINTS.map(|at| {
        let own: Vec<f64> = (0..4 * count).map(|s| response.sample(s)[3 * nearest(at) + 2]).collect();
        let at_end = |k: usize| (0..=k).map(|s| own[s] * course[k - s]).sum::<f64>();
        let list = (0..count).map(|k| if k == 0 { 0.0 } else { at_end(4 * k - 1) }).collect();
        (Spot { point: at, direction: [0.0, 0.0, 1.0] }, list)
    });
    let times: Vec<f64> = (0..count).map(|k| 1e-3 * k as f64).collect();
    let forces = times.iter().map(|t| [0.0, 0.0, hammer(t - 0.004)]).collect();
    Blow { point: POINTS[point], times, forces, watched: watched.to_vec() }
}

/// Numbers that are nearly normally distributed: sums of twelve fractions.
fn noise(mut seed: u64) -> impl FnMut() -> f64 {
    move || {
        let mut fraction = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..12).map(|_| fraction()).sum::<f64>() - 6.0
    }
}

/// Heights of some nodes of a scene's body over time, from where they begin.
fn heights(path: &Path, nodes: &[usize]) -> Vec<Vec<f64>> {
    let mut scene = load(path, &[]).unwrap();
    let at = |world: &pliant::World| {
        let frame = world.frame();
        nodes.iter().map(|n| frame.bodies[0].nodes[*n].z).collect::<Vec<f64>>()
    };
    let first = at(&scene.world);
    (0..300)
        .map(|_| {
            scene.world.step(scene.step).unwrap();
            at(&scene.world).iter().zip(&first).map(|(z, first)| z - first).collect()
        })
        .collect()
}

#[test]
fn a_bar_that_was_struck_moves_as_it_did() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bar.toml");
    std::fs::write(&path, format!("{BAR}drag = 3\ndamping_time = 2e-4\n")).unwrap();
    let found = precomputable(&path, &[]).unwrap();
    let Work::Modes(recipe) = &found.bodies[0].work else { panic!("{found:?}") };
    let model = Model::new(&recipe.mesh, &recipe.elastic, recipe.order, recipe.mass).unwrap();
    let model = model.fix(&recipe.fixed).unwrap();
    let mut blows: Vec<Blow> =
        [(0, 1.0), (0, 2.0), (1, 2.0), (2, 3.0)].iter().map(|(point, peak)| struck(&model, *point, *peak)).collect();
    let most = blows.iter().flat_map(|b| &b.watched).flat_map(|w| &w.1).fold(0.0, |m: f64, u| m.max(u.abs()));
    let mut noise = noise(5);
    for (_, list) in blows.iter_mut().flat_map(|blow| &mut blow.watched) {
        list.iter_mut().for_each(|u| *u += 0.02 * most * noise());
    }
    let told = identify(&blows).unwrap();
    println!("{:?} {:?} {:?}", told.found.numbers, told.found.misfit, told.at_once);
    assert!(!told.found.is_refuted(), "{:?}", told.found.misfit);
    let file = folder.path().join("bar.records");
    let written = write_measured(&path, &[], None, &told, 1e-3, &|_| file.clone()).unwrap();
    println!("{written:?}");
    let measured = folder.path().join("measured.toml");
    std::fs::write(&measured, format!("{BAR}form = \"measured\"\nfile = \"bar.records\"\n")).unwrap();
    // the tip, and nodes that were not measured: on the lower face, at the side, half-way
    let scene = load(&path, &[]).unwrap();
    let all = scene.world.frame().bodies[0].nodes.clone();
    let nearest = |at: [f64; 3]| {
        let apart = |n: &usize| all[*n].distance(Vec3::from_array(at));
        (0..all.len()).min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap()
    };
    let nodes = [[0.05, 0.0, 0.01], [0.05, 0.0, -0.01], [0.0125, 0.015, -0.01]].map(nearest);
    let (truth, mine) = (heights(&path, &nodes), heights(&measured, &nodes));
    for k in 0..nodes.len() {
        let size = truth.iter().map(|row| row[k] * row[k]).sum::<f64>().sqrt();
        let off = truth.iter().zip(&mine).map(|(a, b)| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
        println!("{k}: off by {:.4}, largest {}", off / size, truth.iter().map(|r| r[k].abs()).fold(0.0, f64::max));
        // noise of 2 % in two thousand measurements of each point leaves less than 1 % of shapes; and modes above are not told
        assert!(off < 0.02 * size, "{k}: {off} of {size}");
    }
}

#[test]
fn what_cannot_be_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bar.toml");
    let fault = |lines: &str| {
        std::fs::write(&path, format!("{BAR}{lines}")).unwrap();
        load(&path, &[]).unwrap_err().to_string()
    };
    let told = fault("form = \"measured\"\n");
    assert!(told.contains("name it as file"), "{told}");
    let told = fault("form = \"measured\"\nfile = \"x.records\"\ndrag = 1\n");
    assert!(told.contains("have their own"), "{told}");
    let told = fault("form = \"measured\"\nfile = \"x.records\"\n");
    assert!(told.contains("x.records"), "{told}");
}
