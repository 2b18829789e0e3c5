//! Joukhadar, section 6: tension, bending and torsion of a stiff bar, beside beam theory.

use pliant::math::Vec3;
use pliant_scene::Scene;

use super::lattice_pictures::{Picture, View};
use super::lattice_steps::solid;
use super::{Results, run, scene};
use crate::Failure;
use pliant_record::short;

const BAR: &str = include_str!("../../scenes/003-bar.toml");

/// Constants of the bars [Pa, m], and the loads that pull, bend and twist them [N, N m].
const YOUNG: f64 = 1e5;
const EDGE: f64 = 0.1;
const LENGTH: f64 = 0.5;
const PULL: f64 = 10.0;
const PUSH: f64 = 0.1;
const TWIST: f64 = 0.05;

/// Torsion constant of a square section over the fourth power of its edge.
const SQUARE: f64 = 0.140_577_014_956;

/// Motion of the right ends: along the bar, down, and its rotation.
#[derive(Clone, Copy)]
struct Ends {
    drawn: f64,
    bent: f64,
    twisted: f64,
}

/// Beam theory, with Timoshenko's shear.
fn theory(poisson: f64) -> Ends {
    let (area, second, shear) = (EDGE * EDGE, EDGE.powi(4) / 12.0, YOUNG / (2.0 * (1.0 + poisson)));
    Ends {
        drawn: PULL * LENGTH / (YOUNG * area),
        bent: PUSH * LENGTH.powi(3) / (3.0 * YOUNG * second) + 6.0 * PUSH * LENGTH / (5.0 * shear * area),
        twisted: TWIST * LENGTH / (shear * SQUARE * EDGE.powi(4)),
    }
}

/// Run to rest, with `across` cells across.
fn rest(across: usize, poisson: f64, stronger: f64) -> Result<(Scene, Ends), Failure> {
    let cells = format!("[{}, {across}, {across}]", 5 * across);
    let keys = ["drawn", "bent", "twisted"].map(|name| format!("body.{name}.solid.box.cells"));
    let ratio = format!("{poisson:?}");
    let mut changes: Vec<(&str, &str)> = keys.iter().map(|key| (key.as_str(), cells.as_str())).collect();
    changes.push(("material.soft.poisson", &ratio));
    let strong = format!("[0, 0, -{}]", PUSH * stronger);
    let turn = format!("[{}, 0, 0]", TWIST * stronger);
    if stronger != 1.0 {
        changes.extend([("load.1.force", strong.as_str()), ("load.2.torque", turn.as_str())]);
    }
    let mut scene = scene(BAR, "scenes/003-bar.toml", &changes)?;
    // the particles of the right face of each bar
    let mut faces = vec![];
    for n in 0..3 {
        let places = solid(&scene.world, n)?.places();
        let right: Vec<usize> = (0..places.len()).filter(|i| places[*i].x > 0.5 * LENGTH - 1e-6).collect();
        faces.push((right, places.to_vec()));
    }
    run(&mut scene, |_| Ok(()))?;
    let moved = |n: usize| -> Result<Vec3, Failure> {
        let (places, (right, first)) = (solid(&scene.world, n)?.places(), &faces[n]);
        Ok(right.iter().map(|i| places[*i] - first[*i]).sum::<Vec3>() / right.len() as f64)
    };
    let (drawn, bent) = (moved(0)?.x, -moved(1)?.z);
    // the least-squares angle: r x u over r . r
    let (places, (right, first)) = (solid(&scene.world, 2)?.places(), &faces[2]);
    let middle = right.iter().map(|i| first[*i]).sum::<Vec3>() / right.len() as f64;
    let (mut up, mut over) = (0.0, 0.0);
    for i in right {
        let r = first[*i] - middle;
        let now = places[*i] - middle;
        up += r.y * now.z - r.z * now.y;
        over += r.y * now.y + r.z * now.z;
    }
    Ok((scene, Ends { drawn, bent, twisted: up.atan2(over) }))
}

/// Tension, bending, torsion.
pub fn bar(results: &mut Results) -> Result<(), Failure> {
    results.choice(
        "column paper",
        "beam theory: F L / E A, F L^3 / 3 E I + 6 F L / 5 G A, T L / G J; the paper has no numbers",
    );
    results.choice(
        "bar",
        "0.5 x 0.1 x 0.1 m, E = 1e5 Pa, nu = 0.3; 10 N along, 0.1 N across, 0.05 N m about it; none are given",
    );
    results.choice("holds", "within a fifth, as for all numbers; the remarks tell how it converges");
    let known = theory(0.3);
    for across in [1, 2, 4, 6] {
        let (_, ours) = rest(across, 0.3, 1.0)?;
        let cells = format!("{} x {across} x {across} cells", 5 * across);
        results.known(format!("traction, {cells}: longer by"), "mm", 1e3 * known.drawn, 1e3 * ours.drawn);
        results.known(format!("flexion, {cells}: end down by"), "mm", 1e3 * known.bent, 1e3 * ours.bent);
        results.known(format!("torsion, {cells}: end turned by"), "rad", known.twisted, ours.twisted);
        results.remark(format!(
            "{cells}: ours over beam theory {}, {}, {}.",
            short(ours.drawn / known.drawn),
            short(ours.bent / known.bent),
            short(ours.twisted / known.twisted)
        ));
    }
    let (scene, _) = rest(4, 0.3, 10.0)?;
    let mut picture =
        Picture::new("Bars drawn, bent and twisted by ten times as much as in the table", View::from(-25.0, 25.0));
    for (n, name) in ["drawn", "bent", "twisted"].into_iter().enumerate() {
        picture.body(solid(&scene.world, n)?, &[n], [0.0, 0.0]);
        picture.note(Vec3::new(-0.42, -0.3 + 0.3 * n as f64, 0.0), [0.0, 0.0], name);
    }
    results.pictures.push(("003-bar".into(), picture.svg()));
    Ok(())
}
