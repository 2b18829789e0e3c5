//! Joukhadar, section 6: a stiff collision between a pyramid and a table, and the frequency of its steps.

use pliant::Body;

use super::Results;
use super::lattice_pictures::{Chart, GROUND, Panel, Picture, Series, View};
use super::lattice_steps::{Run, solid};
use crate::Failure;
use pliant::math::Vec3;
use pliant_record::short;

const PYRAMID: &str = include_str!("../../scenes/003-pyramid.toml");

/// Height of the lowest particle [m].
fn lowest(bodies: &[Body]) -> f64 {
    match bodies {
        [Body::Lattice(body)] => body.places().iter().map(|p| p.z).fold(f64::INFINITY, f64::min),
        _ => f64::NAN,
    }
}

/// Run in long steps of the scene, so that few inner steps are shortened by their ends; without the wobble afterwards.
fn fall(changes: &[(&str, &str)]) -> Result<Run, Failure> {
    let long = [("step", "0.5"), ("duration", "2.0")];
    let changes: Vec<(&str, &str)> = long.iter().chain(changes).copied().collect();
    let changes = &changes;
    Run::new(PYRAMID, "scenes/003-pyramid.toml", changes, lowest)
}

/// Step frequencies while it is in contact [Hz], sorted.
fn frequencies(run: &Run) -> Vec<f64> {
    let mut found: Vec<f64> = run.strides.iter().filter(|s| s.measured < 0.0).map(|s| 1.0 / s.tau).collect();
    found.sort_by(f64::total_cmp);
    found
}

/// The collision of a pyramid with a table.
pub fn pyramid(results: &mut Results) -> Result<(), Failure> {
    results.choice(
        "lambda = 2000",
        "N/m3, by which the facet law multiplies a volume; with a base of 1 m2 that is 2000 N/m, the unit of (7), for all of \
         it, so that both readings agree for a pyramid that lies flat",
    );
    results.choice("pyramid", "base 1 m2, height 1 m, 1 kg, twelve particles; from 0.4 m, tilted; none are given");
    results.choice(
        "stiffness of the pyramid",
        "E = 2000 Pa: connectors of about 2000 N/m too. They alone do not \
         allow steps longer than 1/560 s, and with lambda = 2000 the collision needs none that are shorter: the frequency is \
         that of E, which was chosen with the paper's range in sight",
    );
    results.choice("frequency", "one over tau while it touches the table: median, and the middle nine tenths");
    let run = fall(&[])?;
    let found = frequencies(&run);
    let part = |f: f64| found[((found.len() - 1) as f64 * f).round() as usize];
    let [low, middle, high] = [part(0.05), part(0.5), part(0.95)];
    results.statement(
        "frequency of steps in contact, median (paper: from 300 to 600), with the E that was chosen for it",
        "Hz",
        middle,
        (300.0..=600.0).contains(&middle),
    );
    results.number("the same, lower bound, with that E", "Hz", 300.0, low);
    results.number("the same, upper bound, with that E", "Hz", 600.0, high);
    for (name, changes) in [
        ("E half as large", vec![("material.card.young", "1000.0")]),
        ("E ten times as large", vec![("material.card.young", "2e4")]),
        ("lambda = 20000 N/m3", vec![("body.pyramid.lattice.contact_stiffness", "20000.0")]),
        ("lambda = 200000 N/m3", vec![("body.pyramid.lattice.contact_stiffness", "200000.0")]),
        ("epsilon = 0.01 J", vec![("body.pyramid.lattice.energy_error", "0.01")]),
        ("epsilon = 0.001 J", vec![("body.pyramid.lattice.energy_error", "0.001")]),
    ] {
        let found = frequencies(&fall(&changes)?);
        let part = |f: f64| found[((found.len() - 1) as f64 * f).round() as usize];
        // E is not given: a frequency that holds for one E alone is no result
        if name.starts_with('E') {
            let middle = part(0.5);
            let what = format!("{name}: the same median (paper: from 300 to 600 with lambda = 2000, whatever else)");
            results.statement(what, "Hz", middle, (300.0..=600.0).contains(&middle));
        }
        results.remark(format!(
            "{name}: from {} to {} Hz, median {} Hz.",
            short(part(0.05)),
            short(part(0.95)),
            short(part(0.5))
        ));
    }
    let ledger = run.solid(0)?.ledger();
    let gain = 2.0 / run.shortest() / (ledger.steps + ledger.refused) as f64;
    results.statement("gain over constant steps as short as the shortest (paper: more than 1)", "-", gain, gain > 1.0);
    results.remark(format!(
        "{} steps and {} refused in 2 s, the shortest {} s.",
        ledger.steps,
        ledger.refused,
        short(run.shortest())
    ));
    let points = |f: fn(&super::lattice_steps::Stride) -> f64| run.strides.iter().map(|s| [s.time, f(s)]).collect();
    let panel = |label: &str, points: Vec<[f64; 2]>| Panel {
        label: label.into(),
        log: false,
        series: vec![Series { label: String::new(), points, marks: false }],
    };
    let chart = Chart {
        title: "A pyramid falls on a table: frequency of steps".into(),
        label: "time [s]".into(),
        log: false,
        panels: vec![
            panel("lowest corner above the table [m]", points(|s| s.measured)),
            panel("frequency of steps [Hz]", points(|s| 1.0 / s.tau)),
        ],
    };
    results.pictures.push(("003-pyramid".into(), chart.svg()));
    draw(results)
}

/// Draw a strip of shapes.
fn draw(results: &mut Results) -> Result<(), Failure> {
    let mut picture = Picture::new("A pyramid falls on a table (Fig. 33)", View::from(20.0, 15.0));
    for (n, time) in ["0.02", "0.3", "0.4", "0.5", "0.8", "2.0"].into_iter().enumerate() {
        let run = Run::new(PYRAMID, "scenes/003-pyramid.toml", &[("duration", time)], lowest)?;
        let moved = [1.9 * n as f64, 0.0];
        let table = [[-0.8, -0.8], [0.8, -0.8], [0.8, 0.8], [-0.8, 0.8]].map(|[x, y]| Vec3::new(x, y, -0.02));
        picture.face(
            &table.map(|c| c - View::from(20.0, 15.0).right.cross(View::from(20.0, 15.0).up) * 9.0),
            GROUND,
            moved,
        );
        picture.body(solid(&run.scene.world, 0)?, &[1], moved);
        picture.note(Vec3::new(0.0, 0.0, -0.65), moved, format!("{time} s"));
    }
    results.pictures.push(("003-pyramid-shapes".into(), picture.svg()));
    Ok(())
}
