//! Table I: a cable is wound on a cylinder with each solver. Times are those of `World::step` alone, as in `bench`.

use std::time::Instant;

use pliant::Body;
use pliant::math::Vec3;

use super::{Results, Row, scene};
use crate::failure::Failure;
use crate::output::short;

const WINDING: &str = include_str!("../../../../scenes/004-winding.toml");

/// Solver, its name in the table, and whether it is regulated.
const SOLVERS: [(&str, &str, &str); 4] = [
    ("direct", "solver 1, direct", "true"),
    ("subsystems", "solver 2, subsystems", "false"),
    ("subsystems", "solver 3, post-regulated", "true"),
    ("newton", "Newton's method (ours)", "true"),
];

/// Segments, subsystems, and the paper's rows: time [ms], iterations, steps at the limit of 5500.
type Size = (&'static str, &'static str, [Option<Published>; 3]);

#[derive(Clone, Copy)]
struct Published {
    time: f64,
    iterations: Option<f64>,
    limited: Option<f64>,
}

const fn published(time: f64, iterations: f64, limited: f64) -> Option<Published> {
    Some(Published { time, iterations: Some(iterations), limited: Some(limited / 5500.0) })
}

const fn direct(time: f64) -> Option<Published> {
    Some(Published { time, iterations: None, limited: None })
}

const SIZES: [Size; 3] = [
    ("40", "8", [None; 3]),
    ("80", "16", [direct(38.515), published(3.4606, 60.550, 2107.0), published(2.5928, 31.762, 0.0)]),
    ("160", "20", [direct(189.99), published(7.2411, 71.2535, 3151.0), published(4.6810, 30.5344, 0.0)]),
];

/// What a run came to.
struct Outcome {
    /// Mean time of a step [ms].
    time: f64,
    /// Iterations a step.
    iterations: f64,
    /// Linearisations a step.
    linearisations: f64,
    /// Part of steps in which the limit was reached.
    limited: f64,
    /// Mean force on the clamp over the last two seconds [N].
    force: Vec3,
}

/// Time, iterations and steps at the limit.
pub fn table(results: &mut Results) -> Result<(), Failure> {
    results.choice("winding", "drum of 20 mm, 10 mm a turn, 2 turns of 2.5 s, cable stretched by 2 %; none is given");
    results.choice("density", "1100 kg/m3, silicone; not given");
    results.choice("Poisson's ratio", "0.4999; the paper's 0.5012 is impossible");
    results.choice("linearisations", "until velocities stay; the paper has one a step");
    results.choice("post-regulation", "a change above the bound is shortened to it; the paper drops it all");
    results
        .choice("couplings at first", "those of the last forces of contact, solved exactly; the paper's are the last");
    for (segments, runs, paper) in SIZES {
        let mut outcomes = vec![];
        for (solver, _, regulated) in SOLVERS {
            outcomes.push(wind(segments, runs, solver, regulated)?);
        }
        let reference = outcomes[3].force;
        for (n, outcome) in outcomes.iter().enumerate() {
            let name = format!("{segments} segments, {}", SOLVERS[n].1);
            rows(results, &name, outcome, paper.get(n).copied().flatten());
            if n < 3 {
                let apart = (outcome.force - reference).length() / reference.length();
                results.statement(format!("{name}: force off Newton's"), "%", 100.0 * apart, apart < 0.01);
            }
        }
        let best = outcomes.iter().map(|o| o.time).fold(paper[2].map_or(f64::INFINITY, |p| p.time), f64::min);
        let newton = outcomes[3].time;
        results.statement(format!("{segments} segments: Newton's method is the fastest"), "ms", newton, newton <= best);
        let faster = outcomes[0].time / outcomes[2].time;
        results.statement(
            format!("{segments} segments: times solver 3 is faster than solver 1"),
            "",
            faster,
            faster > 1.0,
        );
        let fewer = outcomes[2].iterations / outcomes[1].iterations;
        results.statement(format!("{segments} segments: iterations of solver 3 over solver 2"), "", fewer, fewer < 0.9);
    }
    results.remark("Times hold where ours are no longer, iterations and steps at the limit where they are no more.");
    results.remark(
        "Ours run on one thread; the paper's subsystems on several. Iterations are summed over linearisations.",
    );
    Ok(())
}

/// The paper's figures beside ours; what the paper does not give is a remark, as it claims nothing.
fn rows(results: &mut Results, name: &str, ours: &Outcome, paper: Option<Published>) {
    let mut row = |what: &str, unit, paper: Option<f64>, ours: f64| {
        if paper.is_some() {
            let holds = paper.is_some_and(|paper| ours <= paper);
            results.rows.push(Row { quantity: format!("{name}: {what}"), unit, paper, ours: Some(ours), holds });
        }
    };
    row("time a step", "ms", paper.map(|p| p.time), ours.time);
    row("iterations a step", "", paper.and_then(|p| p.iterations), ours.iterations);
    row("steps at the limit", "%", paper.and_then(|p| p.limited).map(|l| 100.0 * l), 100.0 * ours.limited);
    results.remark(format!(
        "{name}: {} ms, {} iterations in {} linearisations a step, {} % of steps at the limit",
        short(ours.time),
        short(ours.iterations),
        short(ours.linearisations),
        short(100.0 * ours.limited)
    ));
}

fn wind(segments: &str, runs: &str, solver: &str, regulated: &str) -> Result<Outcome, Failure> {
    let changes = [
        ("body.cable.segments", segments),
        ("body.cable.cable.solver", solver),
        ("body.cable.cable.subsystems", runs),
        ("body.cable.cable.post_regulation", regulated),
    ];
    let mut scene = scene(WINDING, "004-winding.toml", &changes)?;
    let steps = (scene.duration / scene.step).round() as usize;
    let (mut time, mut force, mut counted) = (0.0, Vec3::ZERO, 0.0);
    for n in 0..steps {
        let begun = Instant::now();
        scene.world.step(scene.step).map_err(|e| Failure::Run(e.to_string()))?;
        time += begun.elapsed().as_secs_f64() * 1e3;
        if n as f64 * scene.step >= scene.duration - 2.0 {
            force += scene.world.grips()[0].load.force;
            counted += 1.0;
        }
    }
    let Some(Body::Cable(cable)) = scene.world.bodies().first() else {
        return Err(Failure::Run("the scene's first body is no cable".into()));
    };
    let (counters, steps) = (cable.counters(), steps as f64);
    Ok(Outcome {
        time: time / steps,
        iterations: counters.iterations as f64 / steps,
        linearisations: counters.linearisations as f64 / steps,
        limited: counters.limit_hits as f64 / steps,
        force: force / counted,
    })
}
