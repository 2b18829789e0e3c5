//! Joukhadar's Fig. 19 and 21: two particles on a spring and a damper, against the closed form.

use pliant::Body;

use super::lattice_pictures::{Chart, Panel, Series};
use super::lattice_steps::{Run, exponent};
use super::{Results, scene};
use crate::Failure;
use pliant_record::short;

const PAIR: &str = include_str!("../../scenes/003-pair.toml");

/// Stiffness of the spring [N/m]; its length at rest is 1 m.
const STIFFNESS: f64 = 100.0;

/// How the two particles move.
#[derive(Clone, Copy)]
struct Reading {
    name: &'static str,
    /// Inverse of the effective mass: 1/m, or 2/m.
    inverse: f64,
    held: bool,
}

const READINGS: [Reading; 2] = [
    Reading { name: "one free mass", inverse: 1.0, held: true },
    Reading { name: "two free masses", inverse: 2.0, held: false },
];

/// How steps are chosen: by a bound on the energy they create [J], or constant [s].
#[derive(Clone, Copy)]
enum Steps {
    Adaptive(f64),
    Constant(f64),
}

/// One motion.
struct Motion {
    /// Times and position errors [s, m].
    errors: Vec<[f64; 2]>,
    places: Vec<[f64; 2]>,
    mean_step: f64,
    steps: usize,
}

impl Motion {
    fn mean(&self) -> f64 {
        self.errors.iter().map(|e| e[1].abs()).sum::<f64>() / self.errors.len().max(1) as f64
    }

    fn worst(&self) -> f64 {
        self.errors.iter().map(|e| e[1].abs()).fold(0.0, f64::max)
    }

    fn last(&self) -> f64 {
        self.errors.last().map_or(f64::NAN, |e| e[1].abs())
    }
}

/// Stretch at a time, released at rest: exp(-z w t) (cos + z w / w_d sin) of the initial one.
fn known(reading: Reading, damping: f64, stretch: f64, t: f64) -> f64 {
    let w = (STIFFNESS * reading.inverse).sqrt();
    let zw = 0.5 * damping * reading.inverse;
    let wd = (w * w - zw * zw).sqrt();
    stretch * (-zw * t).exp() * ((wd * t).cos() + zw / wd * (wd * t).sin())
}

fn go(reading: Reading, scheme: &str, steps: Steps, damping: f64, stretch: f64, time: f64) -> Result<Motion, Failure> {
    let line = format!(
        "[{{ line = {{ ends = [{{ point = [0, 0, 0] }}, {{ point = [2, 0, 0] }}], rest = 1.0, stiffness = 100, damping = \
         {damping} }} }}]"
    );
    let places = format!("[[0, 0, 0], [{}, 0, 0]]", 1.0 + stretch);
    let mut changes = vec![
        ("body.pair.lattice.connectors", line.as_str()),
        ("body.pair.solid.points.places", places.as_str()),
        ("body.pair.lattice.scheme", scheme),
    ];
    let number = match steps {
        Steps::Adaptive(bound) => format!("{bound:e}"),
        Steps::Constant(step) => format!("{step:e}"),
    };
    let key = if let Steps::Adaptive(_) = steps { "body.pair.lattice.energy_error" } else { "body.pair.lattice.step" };
    changes.push((key, &number));
    if !reading.held {
        changes.push(("gripper.hand.grips", "[]"));
    }
    let apart = |bodies: &[Body]| match bodies {
        [Body::Lattice(pair)] => (pair.places()[1] - pair.places()[0]).length() - 1.0,
        _ => f64::NAN,
    };
    let mut scene = scene(PAIR, "scenes/003-pair.toml", &changes)?;
    // in one step of the scene, so that no inner step is shortened before the end
    (scene.duration, scene.step) = (time, time);
    let run = Run::of(scene, "scenes/003-pair.toml", apart)?;
    let places: Vec<[f64; 2]> = run.strides.iter().map(|s| [s.time, s.measured]).collect();
    let off = |p: &[f64; 2]| [p[0], p[1] - known(reading, damping, stretch, p[0])];
    Ok(Motion { errors: places.iter().map(off).collect(), mean_step: run.mean(), steps: places.len(), places })
}

/// Fig. 19 and 21: errors of two particles on a spring.
pub fn pair(results: &mut Results) -> Result<(), Failure> {
    results.choice("masses", "1 kg each, one or both free; not given");
    results.choice(
        "stretch at first",
        "that with which the mean of adaptive steps is the paper's tau_m = 0.065 s, let go at rest; not given",
    );
    results.choice(
        "error",
        "mean over steps of what the distance is off the closed form, in 2 s; what the paper's is, is not said",
    );
    results.choice(
        "epsilon",
        "0.01 J as printed, against the gain in kinetic energy less the work of all forces; as printed, dampers would count.",
    );
    results.choice("longest step", "0.09 s, that of stability, from masses and springs");
    let schemes = [("plain", "(5), (6)"), ("taylor", "(3), (4) with 1/2, 1/3"), ("verlet", "Verlet")];
    let (time, bound) = (2.0, 0.01);
    for reading in READINGS {
        for (scheme, name) in schemes {
            // the larger the stretch, the more energy and the shorter the steps
            let (mut near, mut far) = (1e-3_f64, 2.0_f64);
            for _ in 0..30 {
                let middle = (near * far).sqrt();
                let mean = go(reading, scheme, Steps::Adaptive(bound), 5.0, middle, time)?.mean_step;
                *if mean > 0.065 { &mut near } else { &mut far } = middle;
            }
            let stretch = (near * far).sqrt();
            let adaptive = go(reading, scheme, Steps::Adaptive(bound), 5.0, stretch, time)?;
            let same = go(reading, scheme, Steps::Constant(adaptive.mean_step), 5.0, stretch, time)?;
            let what = format!("{}, {name}", reading.name);
            results.number(format!("{what}: mean step"), "s", 0.065, adaptive.mean_step);
            results.number(format!("{what}: error with adaptive steps"), "m", 0.00006, adaptive.mean());
            results.number(format!("{what}: error with constant steps of the same mean"), "m", 0.003, same.mean());
            let better = same.mean() / adaptive.mean();
            results.statement(format!("{what}: adaptive steps are better, by (paper 50)"), "-", better, better > 1.0);
            results.remark(format!(
                "{what}: stretch at first {} m, {} steps; largest error {} and {} m, at the end {} and {} m.",
                short(stretch),
                adaptive.steps,
                short(adaptive.worst()),
                short(same.worst()),
                short(adaptive.last()),
                short(same.last())
            ));
            if scheme == "verlet" {
                draw(results, reading, &adaptive, &same, stretch);
            }
        }
    }
    bounds(results)
}

/// Draw both motions and the closed form.
fn draw(results: &mut Results, reading: Reading, adaptive: &Motion, same: &Motion, stretch: f64) {
    let fine: Vec<[f64; 2]> =
        (0..=400).map(|k| 0.005 * f64::from(k)).map(|t| [t, known(reading, 5.0, stretch, t)]).collect();
    let panel = |name: &str, motion: &Motion| Panel {
        label: format!("{name}: stretch [m]; {} steps, mean error {} m", motion.steps, short(motion.mean())),
        log: false,
        series: vec![
            Series { label: "closed form".into(), points: fine.clone(), marks: false },
            Series { label: "steps".into(), points: motion.places.clone(), marks: true },
        ],
    };
    let chart = Chart {
        title: format!("Two particles, {} (Fig. 21)", reading.name),
        label: "time [s]".into(),
        log: false,
        panels: vec![panel("adaptive steps", adaptive), panel("constant steps", same)],
    };
    let file = if reading.held { "003-pair-one" } else { "003-pair-two" };
    results.pictures.push((file.into(), chart.svg()));
}

/// Fig. 19: mean error over 10 s against the energy bound.
fn bounds(results: &mut Results) -> Result<(), Failure> {
    let mut panels = vec![];
    for (scheme, name) in [("plain", "(5), (6)"), ("taylor", "(3), (4) with 1/2, 1/3"), ("verlet", "Verlet")] {
        let mut series = vec![];
        for damping in [1.0, 5.0] {
            let mut points = vec![];
            for k in 0..=8 {
                let bound = 10f64.powf(-5.0 + 0.5 * f64::from(k));
                points.push([bound, go(READINGS[0], scheme, Steps::Adaptive(bound), damping, 1.0, 10.0)?.mean()]);
            }
            let power = exponent(&points);
            let text =
                format!("{name}, mu = {damping}: error over 10 s goes with epsilon to the power of (proportional: 1)");
            results.number(text, "-", 1.0, power);
            series.push(Series { label: format!("mu = {damping}"), points, marks: false });
        }
        panels.push(Panel { label: format!("{name}: mean error of position [m]"), log: true, series });
    }
    let title = "Error of position against that of energy, one free mass, 10 s (Fig. 19)".into();
    let chart = Chart { title, label: "epsilon [J]".into(), log: true, panels };
    results.pictures.push(("003-pair-fig19".into(), chart.svg()));
    Ok(())
}
