//! Tagawa, Hirota and Hirose's Table 1: the size of the cube, and the times of precomputation and of computing forces.

use std::time::Instant;

use pliant_fem::{Damping, Direct, Timing};

use super::response_cube::{
    CELLS, Course, MODES, PAPER_TIME, Seen, basis, common_choices, fem, go_on, largest, median, model, recipe,
    scene_text, threads,
};
use super::{Results, Row, run, scene};
use crate::Failure;
use pliant_record::short;

const BOUNCE: &str = include_str!("../../scenes/002-bounce.toml");

/// It is held at two nodes and shaken.
const HELD: &str = r#"
[[gripper]]
name     = "left"
grips    = [{ body = "cube", at = { point = [-0.05, 0, 0] } }]
motion   = { sinusoid = { amplitude = [0.015, 0, 0], frequency = 2.0, phase_deg = 90 } }
[[gripper]]
name     = "right"
grips    = [{ body = "cube", at = { point = [0.05, 0, 0] } }]
motion   = { sinusoid = { amplitude = [0.015, 0, 0], frequency = 2.0, phase_deg = 90 } }
"#;

/// Add a figure of the paper that ours should not exceed.
fn at_most(results: &mut Results, quantity: impl Into<String>, unit: &'static str, paper: f64, ours: f64) {
    results.rows.push(Row {
        quantity: quantity.into(),
        unit,
        paper: Some(paper),
        ours: Some(ours),
        holds: ours <= paper,
    });
}

/// Table 1, and the time of forces from section 3.3.
pub fn table(results: &mut Results) -> Result<(), Failure> {
    common_choices(results);
    results.choice("machine", format!("this one, {} threads; the paper's has four Itanium 2 of 1.4 GHz", threads()));
    results.choice(
        "damping",
        "C = beta K with beta = 5 ms, so that responses have died after the 1 s that is recorded; not given",
    );
    results.choice("times", "of whole steps, collisions included: medians over hundreds of steps");
    let model = model()?;
    let surface = model.surface();
    let (nodes, unknowns) = (surface.nodes.len(), 3 * surface.nodes.len());
    results.number("free nodes, those of the surface", "-", 866.0, nodes as f64);
    results.number("triangle patches", "-", 1728.0, surface.facets.len() as f64);
    results.number("entire nodes", "-", 2197.0, model.nodes().len() as f64);
    results.number("tetrahedral elements", "-", 8640.0, model.elements() as f64);
    let timing = Timing::default();
    let bytes = (8 * unknowns * timing.samples) as f64;
    results.number("data size per d.o.f., 8 bytes x 2598 x 500", "MiB", 9.9, bytes / f64::from(1 << 20));
    results.talk("integrating one response of the cube");
    let seconds = integrate(&model, timing)?;
    at_most(results, "pre-computation time per d.o.f., all unknowns integrated", "s", 92.8, seconds);
    precompute(results, bytes * unknowns as f64, seconds * unknowns as f64)?;
    forces(results)
}

/// Time of one response [s].
fn integrate(model: &pliant_fem::Model, timing: Timing) -> Result<f64, Failure> {
    let damping = Damping { mass: 0.0, stiffness: 5e-3 };
    let direct = Direct::new(model, &damping, &timing).map_err(fem)?;
    let mut force = vec![0.0; model.unknowns()];
    if let Some(first) = model.surface_unknowns().first() {
        force[*first] = 1.0;
    }
    let clock = Instant::now();
    direct.respond(&[&force], &mut go_on).map_err(fem)?;
    Ok(clock.elapsed().as_secs_f64())
}

/// The whole object by modes, against all its responses: size [bytes] and time [s].
fn precompute(results: &mut Results, table_bytes: f64, table_seconds: f64) -> Result<(), Failure> {
    results.talk(&format!("computing {MODES} modes of the cube afresh, to see how long it takes"));
    let recipe = recipe()?;
    let clock = Instant::now();
    let basis = recipe.compute(threads(), &mut go_on).map_err(fem)?;
    let seconds = clock.elapsed().as_secs_f64();
    at_most(results, format!("pre-computation of the whole object: by {MODES} modes"), "s", 92.8 * 2598.0, seconds);
    let compliance = match &basis.compliance {
        pliant::response::Compliance::Full(list) | pliant::response::Compliance::Local(list) => list.len(),
    };
    let numbers = basis.shapes.len() + compliance + basis.squares.len() * 10;
    let (gib, mib) = (f64::from(1 << 30), f64::from(1 << 20));
    let size = 8.0 * numbers as f64;
    at_most(results, "its size: all responses, or modes", "GiB", table_bytes / gib, size / gib);
    results.remark(format!(
        "By modes the object is {} MiB, of which {} MiB are what the surface gives way to lasting forces; all responses are {} GiB, \
         more than the 16 GB that the paper's machine has. The paper's 92.8 s for each of 2598 d.o.f. are 67 h in all; one after the \
         other as here they would be {} h.",
        short(size / mib),
        short(8.0 * compliance as f64 / mib),
        short(table_bytes / gib),
        short(table_seconds / 3600.0)
    ));
    Ok(())
}

/// Wall times of steps, and the sum of forces along x [N], in the second half, when the history of forces is full.
struct Held {
    times: Vec<f64>,
    forces: Vec<f64>,
}

impl Held {
    fn new(form: &str, name: &str) -> Result<Held, Failure> {
        let mut scene = scene(&scene_text(CELLS, 2.0, &format!("damping_time = 0.005, {form}"), HELD), name, &[])?;
        let (mut times, mut forces) = (vec![], vec![]);
        run(&mut scene, |moment| {
            // no frames meanwhile: with recorded responses one takes many times a step
            if 2 * moment.step > moment.steps {
                times.push(moment.took.as_secs_f64());
                forces.push(moment.world.grips().map(|(_, grip)| grip.load.force.x).sum());
            }
            Ok(())
        })?;
        Ok(Held { times, forces })
    }

    /// Half the range of the force [N].
    fn amplitude(&self) -> f64 {
        let most = |sign: f64| self.forces.iter().map(|f| sign * f).fold(f64::NEG_INFINITY, f64::max);
        0.5 * (most(1.0) + most(-1.0))
    }
}

/// Wall times of steps with forces.
fn forces(results: &mut Results) -> Result<(), Failure> {
    basis(results)?;
    let paper = 1e3 * PAPER_TIME;
    let modes = Held::new(&format!("modes = {MODES}"), "two nodes by modes")?;
    results.talk("recording the responses of two nodes, unless they are kept from an earlier time");
    let form = "form = \"records\", touch = [[-0.05, 0, 0], [0.05, 0, 0]]";
    let records = Held::new(form, "two nodes by records")?;
    for (name, held) in [("modes", &modes), ("records, 500 samples convolved", &records)] {
        let what = format!("forces at two nodes (n_c = 6) by {name}: time of a step");
        at_most(results, what, "ms", paper, 1e3 * median(held.times.clone()));
    }
    let mut slowest: Vec<String> =
        [&modes, &records].map(|held| short(1e3 * largest(held.times.iter().copied()))).into();
    for (name, friction) in [("friction of 0.3", "0.3"), ("no friction", "0.0")] {
        let resting = [
            ("body.cube.position", "[0.0, 0.0, 0.05]"),
            ("material.foam.friction.coefficient", friction),
            ("duration", "1.0"),
        ];
        let plane = Course::new(BOUNCE, "a cube on a floor", &resting)?;
        let most = plane.seen.iter().map(|s| s.frame.contacts.len()).max().unwrap_or(0);
        let full = |s: &Seen| s.frame.contacts.len() == most;
        let what =
            format!("forces of a plane with {name} on {most} nodes (n_c = {}) by modes: time of a step", 3 * most);
        at_most(results, what, "ms", paper, 1e3 * plane.median(full));
        slowest.push(short(1e3 * largest(plane.seen.iter().filter(|s| full(s)).map(|s| s.took))));
    }
    results.remark(format!(
        "Slowest of these steps: {} ms, on a machine that may do other things as well. The paper does not say for which contacts its \
         0.5 ms are. Recorded responses of the 169 nodes of a face would take {} GiB.",
        slowest.join(", "),
        short(507.0 * 2598.0 * 500.0 * 8.0 / f64::from(1 << 30))
    ));
    results.remark(format!(
        "The sum of forces that shakes it at two nodes has the amplitude {} N by modes and {} N by records, what the start left \
         included. Responses of 1 s cut off what has not died by then; and modes that are left out give way without damping.",
        short(modes.amplitude()),
        short(records.amplitude())
    ));
    Ok(())
}
