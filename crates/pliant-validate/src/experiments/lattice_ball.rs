//! Joukhadar's Fig. 20: the time step while a ball falls and bounces, and the gain of adaptive steps.

use pliant::Body;

use super::Results;
use super::lattice_pictures::{Chart, Panel, Series};
use super::lattice_steps::{Run, Stride};
use crate::Failure;
use pliant_record::short;

const BALL: &str = include_str!("../../scenes/003-ball.toml");

fn height(bodies: &[Body]) -> f64 {
    match bodies {
        [Body::Lattice(ball)] => ball.places()[0].z,
        _ => f64::NAN,
    }
}

fn fall(changes: &[(&str, &str)]) -> Result<Run, Failure> {
    Run::new(BALL, "scenes/003-ball.toml", changes, height)
}

/// A bounce: its shortest step and the impact speed.
struct Bounce {
    shortest: f64,
    speed: f64,
    /// Longest steps before it and after it, until the next.
    before: f64,
    after: f64,
}

fn bounces(strides: &[Stride]) -> Vec<Bounce> {
    let inside: Vec<bool> = strides.iter().map(|s| s.measured < 0.0).collect();
    let starts: Vec<usize> = (1..strides.len()).filter(|&k| inside[k] && !inside[k - 1]).collect();
    let ends: Vec<usize> = (1..strides.len()).filter(|&k| !inside[k] && inside[k - 1]).collect();
    let most = |range: &[Stride]| range.iter().map(|s| s.tau).fold(0.0, f64::max);
    let mut found = vec![];
    for (n, (&start, &end)) in starts.iter().zip(&ends).enumerate() {
        let from = if n == 0 { 0 } else { ends[n - 1] };
        let to = starts.get(n + 1).copied().unwrap_or(strides.len());
        let (a, b) = (&strides[start - 1], &strides[start]);
        found.push(Bounce {
            shortest: strides[start..end].iter().map(|s| s.tau).fold(f64::INFINITY, f64::min),
            speed: (a.measured - b.measured) / (b.time - a.time),
            before: most(&strides[from..start]),
            after: most(&strides[end..to]),
        });
    }
    found
}

/// Fig. 20: adaptive steps of a bouncing ball.
pub fn ball(results: &mut Results) -> Result<(), Failure> {
    results.choice("ball", "a particle of 1 kg from 1 m, lambda = 2000 N/m, mu = 5 N s/m; none are given");
    results.choice("epsilon", "steps as usual: a thousandth of the kinetic energy; with 0.01 J beside it");
    results.choice("longest step", "0.05 s, the step of the scene");
    let usual = fall(&[])?;
    let fixed = fall(&[("body.ball.lattice.energy_error", "0.01")])?;
    for (name, run) in [("usual", &usual), ("epsilon = 0.01 J", &fixed)] {
        let found = bounces(&run.strides);
        for (n, bounce) in found.iter().take(3).enumerate() {
            let fell = bounce.before / bounce.shortest;
            results.statement(format!("{name}: tau falls in bounce {}, by a factor of", n + 1), "-", fell, fell > 1.5);
            let rose = bounce.after / bounce.shortest;
            results.statement(format!("{name}: tau rises after bounce {}, by", n + 1), "-", rose, rose > 1.5);
        }
        let list: Vec<String> =
            found.iter().map(|b| format!("{} m/s: {} s", short(b.speed), short(b.shortest))).collect();
        results.remark(format!("{name}: speed and shortest step of bounces: {}.", list.join(", ")));
    }
    let panel = |label: String, log: bool, points: Vec<[f64; 2]>| Panel {
        label,
        log,
        series: vec![Series { label: String::new(), points, marks: false }],
    };
    let of = |run: &Run, f: fn(&Stride) -> f64| run.strides.iter().map(|s| [s.time, f(s)]).collect::<Vec<_>>();
    let chart = Chart {
        title: "Steps while a ball falls and bounces (Fig. 20)".into(),
        label: "time [s]".into(),
        log: false,
        panels: vec![
            panel("height [m]".into(), false, of(&usual, |s| s.measured)),
            panel("tau [s], a thousandth of the kinetic energy".into(), true, of(&usual, |s| s.tau)),
            panel("tau [s], epsilon = 0.01 J".into(), true, of(&fixed, |s| s.tau)),
        ],
    };
    results.pictures.push(("003-ball".into(), chart.svg()));
    faster(results)?;
    gains(results)
}

/// Heights from which it falls [m].
const HEIGHTS: [f64; 6] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0];

/// "The decrement depends on the force of the collision, which is greater when the ball is faster": the first bounce from several
/// heights, each as fast again by 1.4.
fn faster(results: &mut Results) -> Result<(), Failure> {
    for (name, epsilon) in [("usual", None), ("epsilon = 0.01 J", Some("0.01"))] {
        let mut found = vec![];
        for height in HEIGHTS {
            let (places, long) = (format!("[[0, 0, {height}]]"), (2.0 * height / 9.81).sqrt() + 0.3);
            let duration = format!("{:.2}", 0.05 * (long / 0.05).ceil());
            let mut changes = vec![("body.ball.solid.points.places", places.as_str()), ("duration", duration.as_str())];
            changes.extend(epsilon.map(|epsilon| ("body.ball.lattice.energy_error", epsilon)));
            let run = fall(&changes)?;
            found.extend(bounces(&run.strides).first().map(|bounce| bounce.shortest));
        }
        let falls = found.windows(2).filter(|pair| pair[1] < pair[0]).count();
        results.statement(
            format!(
                "{name}: from six heights, each twice the one before: how often the shortest step falls, always (5)"
            ),
            "-",
            falls as f64,
            falls == HEIGHTS.len() - 1,
        );
        let list: Vec<String> = HEIGHTS.iter().zip(&found).map(|(h, s)| format!("{h} m: {} s", short(*s))).collect();
        results.remark(format!("{name}: shortest step in the first bounce from a height: {}.", list.join(", ")));
    }
    Ok(())
}

/// Gain over constant steps that are as short as the shortest adaptive one in the collision.
fn gains(results: &mut Results) -> Result<(), Failure> {
    results.choice(
        "gain",
        "constant steps are as long as the shortest of the adaptive ones, which a collision needs; refused attempts count as \
         steps of the adaptive ones",
    );
    for stiffness in [2e3_f64, 2e5, 2e7, 2e9, 2e11] {
        let text = format!("{stiffness:e}");
        // the same fraction of critical damping
        let contact = format!("{{ stiffness = {text}, damping = {} }}", 0.11 * stiffness.sqrt());
        let run = fall(&[("body.ball.lattice.point_contact", &contact), ("duration", "0.8")])?;
        let ledger = run.solid(0)?.ledger();
        let attempts = (ledger.steps + ledger.refused) as f64;
        let constant = 0.8 / run.shortest();
        let gain = constant / attempts;
        results.remark(format!(
            "lambda = {text} N/m, one collision in 0.8 s: {} steps and {} refused, the shortest {} s; constant steps would be \
             {}.",
            ledger.steps,
            ledger.refused,
            short(run.shortest()),
            short(constant)
        ));
        let what = format!("gain for lambda = {text} N/m");
        if stiffness >= 2e11 {
            results.statement(format!("{what} (paper: \"can reach 10000\", later 100000)"), "-", gain, gain > 1e4);
        } else {
            results.statement(what, "-", gain, gain > 1.0);
        }
        if stiffness <= 2e7 {
            let omega: f64 = stiffness.sqrt();
            same_accuracy(results, &text, &contact, &run, 3.0 / omega / 2000.0)?;
        }
    }
    Ok(())
}

/// Largest height after the first bounce [m].
fn top(run: &Run) -> f64 {
    let risen = run.strides.iter().skip_while(|s| s.measured > 0.0).map(|s| s.measured);
    risen.fold(0.0, f64::max)
}

/// The longest constant steps that are as accurate as adaptive ones, by the height after the bounce.
fn same_accuracy(results: &mut Results, name: &str, contact: &str, run: &Run, finest: f64) -> Result<(), Failure> {
    let constant = |step: f64| {
        let step = format!("{step:e}");
        let changes =
            [("body.ball.lattice.point_contact", contact), ("duration", "0.8"), ("body.ball.lattice.step", &step)];
        fall(&changes)
    };
    // the maximum is between steps: use the energy at the end instead
    let energy = |run: &Run| -> Result<f64, Failure> {
        let ball = run.solid(0)?;
        Ok(0.5 * ball.velocities()[0].length_squared() + 9.81 * ball.places()[0].z)
    };
    let fine = constant(finest)?;
    let truth = energy(&fine)?;
    let off = (energy(run)? - truth).abs();
    let mut step = 0.02;
    let mut found = constant(step)?;
    while (energy(&found)? - truth).abs() > off && step > finest {
        step *= 0.8;
        found = constant(step)?;
    }
    let attempts = run.solid(0)?.ledger();
    let gain = found.strides.len() as f64 / (attempts.steps + attempts.refused) as f64;
    let text = format!("the same over constant steps that are as exact after the bounce, lambda = {name} N/m");
    results.statement(text, "-", gain, gain > 1.0);
    results.remark(format!(
        "  energy after the bounce is off by {} J of {} J; constant steps as exact are {} s, {} in number: a gain of {}. \
         Highest {} m, with constant steps of {} s {} m.",
        short(off),
        short(truth),
        short(step),
        found.strides.len(),
        short(gain),
        short(top(run)),
        short(fine.shortest()),
        short(top(&fine))
    ));
    Ok(())
}
