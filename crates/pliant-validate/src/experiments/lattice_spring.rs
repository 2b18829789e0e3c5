//! Joukhadar's Fig. 5, 15, 16 and 18: two particles on a spring, as stiffness, damping, the scheme and its steps change.

use super::lattice_pictures::{Chart, Panel, Series};
use super::lattice_steps::{Run, solid};
use super::{Results, scene};
use crate::Failure;
use pliant_record::short;

const PAIR: &str = include_str!("../../scenes/003-pair.toml");

/// Stretch at first [m], let go at rest; one of two particles of 1 kg is held.
const STRETCH: f64 = 0.1;

/// What the figures show.
pub fn spring(results: &mut Results) -> Result<(), Failure> {
    results.choice("particles", "1 kg each, one of them held, stretched by 0.1 m and let go at rest; not given");
    swings(results)?;
    weights(results)?;
    steps(results)
}

/// The scene with a spring and a damper, and a constant step [s] or adaptive ones.
fn go(stiffness: f64, damping: f64, scheme: &str, step: Option<f64>, time: f64) -> Result<Vec<[f64; 3]>, Failure> {
    let line = format!(
        "[{{ line = {{ ends = [{{ point = [0, 0, 0] }}, {{ point = [2, 0, 0] }}], rest = 1.0, stiffness = {stiffness}, damping = {damping} }} }}]"
    );
    let given = step.map(|step| format!("{step:e}"));
    let mut changes = vec![("body.pair.lattice.connectors", line.as_str()), ("body.pair.lattice.scheme", scheme)];
    changes.extend(given.as_ref().map(|step| ("body.pair.lattice.step", step.as_str())));
    let mut scene = scene(PAIR, "scenes/003-pair.toml", &changes)?;
    (scene.duration, scene.step) = (time, time);
    let measure = |bodies: &[pliant::Body]| match bodies {
        [pliant::Body::Lattice(pair)] => (pair.places()[1] - pair.places()[0]).length() - 1.0,
        _ => f64::NAN,
    };
    let run = Run::of(scene, "scenes/003-pair.toml", measure)?;
    let last = solid(&run.scene.world, 0)?.velocities()[1].length();
    // time, stretch, and at the end the energy
    let mut rows: Vec<[f64; 3]> = run.strides.iter().map(|s| [s.time, s.measured, f64::NAN]).collect();
    if let Some(row) = rows.last_mut() {
        row[2] = 0.5 * (last * last + stiffness * row[1] * row[1]);
    }
    Ok(rows)
}

/// Fig. 5: how often the distance passes its rest, for some stiffnesses and dampings.
fn swings(results: &mut Results) -> Result<(), Failure> {
    let mut panels = vec![];
    let mut counts = vec![];
    for (stiffness, damping) in [(100.0, 1.0), (400.0, 1.0), (100.0, 5.0), (100.0, 20.0), (100.0, 40.0)] {
        let rows = go(stiffness, damping, "verlet", Some(1e-3), 3.0)?;
        // noise of rounding is no swing
        let sides: Vec<f64> = rows.iter().map(|r| r[1]).filter(|x| x.abs() > 1e-9 * STRETCH).map(f64::signum).collect();
        counts.push(sides.windows(2).filter(|pair| pair[0] != pair[1]).count() as f64);
        let points = rows.iter().step_by(10).map(|r| [r[0], r[1]]).collect();
        let label = format!("lambda = {stiffness} N/m, mu = {damping} N s/m: stretch [m]");
        panels.push(Panel { label, log: false, series: vec![Series { label: String::new(), points, marks: false }] });
    }
    results.statement(
        "four times the stiffness: swings in 3 s over those before, twice (1.8 to 2.2)",
        "-",
        counts[1] / counts[0],
        (1.8..=2.2).contains(&(counts[1] / counts[0])),
    );
    results.statement("five times the damping, below critical: still swings", "-", counts[2], counts[2] > 0.0);
    results.statement(
        "at and above critical damping, 2 sqrt(lambda m) = 20 N s/m: swings",
        "-",
        counts[3] + counts[4],
        counts[3] + counts[4] == 0.0,
    );
    let chart = Chart {
        title: "A particle on a spring and a damper (Fig. 5)".into(),
        label: "time [s]".into(),
        log: false,
        panels,
    };
    results.pictures.push(("003-spring-fig5".into(), chart.svg()));
    Ok(())
}

/// Newmark and Wilson's step as printed before (3), of a particle with omega^2 = k: V += tau ((1 - alpha) a + alpha a'),
/// P += tau V + tau^2/2 ((1 - beta) a + beta a'), with a' = -k P' solved for.
fn implicit([place, velocity]: [f64; 2], k: f64, tau: f64, alpha: f64, beta: f64) -> [f64; 2] {
    let a = -k * place;
    let half = 0.5 * tau * tau;
    let next = (place + tau * velocity + half * (1.0 - beta) * a) / (1.0 + half * beta * k);
    [next, velocity + tau * ((1.0 - alpha) * a - alpha * k * next)]
}

/// Fig. 15: the sign of the error of energy for three values of alpha, without damping.
fn weights(results: &mut Results) -> Result<(), Failure> {
    results.choice(
        "alpha of Fig. 15",
        "that of the implicit step printed above it; beta = 1/3; the error is the true energy less that found, without damping, in steps of 0.2 / omega; none is said",
    );
    let (k, tau) = (100.0, 0.02);
    let energy = |[p, v]: [f64; 2]| 0.5 * (v * v + k * p * p);
    let first = energy([STRETCH, 0.0]);
    let mut series = vec![];
    let mut errors = vec![];
    for alpha in [0.0, 0.5, 1.0] {
        let mut state = [STRETCH, 0.0];
        let mut points = vec![];
        for n in 1..=1000 {
            state = implicit(state, k, tau, alpha, 1.0 / 3.0);
            points.push([f64::from(n) * tau, 1.0 - energy(state) / first]);
        }
        errors.push(points.iter().map(|p| p[1]).collect::<Vec<f64>>());
        points.truncate(100);
        series.push(Series { label: format!("alpha = {alpha}"), points, marks: false });
    }
    let negative = |list: &[f64]| list.iter().filter(|e| **e < 0.0).count() as f64 / list.len() as f64;
    let [none, half, whole] = [&errors[0], &errors[1], &errors[2]].map(|list| negative(list));
    results.statement(
        "alpha = 0: share of steps with a negative error, all (\"always negative\")",
        "-",
        none,
        none == 1.0,
    );
    results.statement("alpha = 1: the same, none (\"always positive\")", "-", whole, whole == 0.0);
    results.statement("alpha = 0.5: the same, neither (\"changes its sign\")", "-", half, half > 0.0 && half < 1.0);
    // from rest the energy of a swing is as large as it gets; from half-way between rest and speed it is not
    let mut state = [STRETCH * 0.5_f64.sqrt(), -STRETCH * (0.5 * k).sqrt()];
    let between: Vec<f64> = (0..1000)
        .map(|_| {
            state = implicit(state, k, tau, 0.5, 1.0 / 3.0);
            1.0 - energy(state) / first
        })
        .collect();
    results.remark(format!(
        "alpha = 0.5: of a particle that begins half-way between rest and its largest speed, {} of the errors are negative.",
        short(negative(&between))
    ));
    let largest = errors[1].iter().fold(0.0, |most: f64, e| most.max(e.abs()));
    results.statement(
        "alpha = 0.5: largest error of 1000 steps, over energy, below 0.1 (\"always stable\")",
        "-",
        largest,
        largest < 0.1,
    );
    let chart = Chart {
        title: "Error of energy for three weights (Fig. 15)".into(),
        label: "time [s]".into(),
        log: false,
        panels: vec![Panel { label: "error of energy, over energy".into(), log: false, series }],
    };
    results.pictures.push(("003-spring-fig15".into(), chart.svg()));
    Ok(())
}

/// Fig. 16 and 18: steps that are too long, and what energy says of them.
fn steps(results: &mut Results) -> Result<(), Failure> {
    let first = 0.5 * 100.0 * STRETCH * STRETCH;
    let gain = |step: Option<f64>, scheme: &str| -> Result<f64, Failure> {
        let rows = go(100.0, 1.0, scheme, step, 4.0)?;
        Ok(rows.last().map_or(f64::NAN, |row| row[2] / first))
    };
    // a damped particle loses nearly all energy in 4 s; explicit steps of more than 2 / omega = 0.2 s diverge
    for (scheme, name) in [("verlet", "Verlet"), ("plain", "(5), (6)")] {
        let (short_step, long_step) = (gain(Some(0.005), scheme)?, gain(Some(0.25), scheme));
        let long = long_step.unwrap_or(f64::INFINITY);
        results.statement(
            format!("{name}, constant steps of 5 ms: energy after 4 s over that at first, below 1"),
            "-",
            short_step,
            short_step < 1.0,
        );
        results.statement(
            format!("{name}, constant steps of 250 ms: the same, above 1: \"can diverge\" (infinite: the step fails)"),
            "-",
            long,
            long > 1.0,
        );
        let adaptive = gain(None, scheme)?;
        results.statement(format!("{name}, adaptive steps: the same, below 1"), "-", adaptive, adaptive < 1.0);
    }
    results.remark(format!(
        "Fig. 18: where energy falls the solution is stable, where it grows it diverges; without steps the particle would have {} of its energy after 4 s.",
        short((-4.0_f64).exp())
    ));
    Ok(())
}
