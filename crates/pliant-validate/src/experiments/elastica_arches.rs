//! Wakamatsu et al.'s arches: Fig. 3, whose ends are pushed together and which then oscillates, and Fig. 5, whose sides
//! meet.

use std::collections::BTreeMap;

use pliant::Frame;

use super::elastica_shapes::{INTERVAL, Point, Props, apart, at, curve, frames, nearest, strip};
use super::{Results, common_elastica_choices};
use crate::Failure;
use pliant_record::short;

const PUSHED: &str = include_str!("../../scenes/001-fig3.toml");
const SOLVED: &str = include_str!("../../references/seed001_semidiscrete.json");
const MEETING: &str = include_str!("../../scenes/001-fig5.toml");

fn push(changes: &[(&str, &str)]) -> Result<Vec<Frame>, Failure> {
    frames(PUSHED, "scenes/001-fig3.toml", changes)
}

/// The midpoint of a rod.
fn middle(frame: &Frame) -> Point {
    let nodes = &frame.bodies[0].nodes;
    let middle = nodes[nodes.len() / 2];
    [middle.x, middle.z]
}

/// How far the middle lags behind, to the right of the point between the ends, when they move to the left [m].
fn lag(frame: &Frame) -> f64 {
    let nodes = &frame.bodies[0].nodes;
    middle(frame)[0] - 0.5 * (nodes[0].x + nodes[nodes.len() - 1].x)
}

/// When the middle is first between the ends again, after lagging behind [s].
fn caught_up(frames: &[Frame]) -> f64 {
    let behind = frames.iter().position(|f| lag(f) > 1e-3).unwrap_or(0);
    let pair = frames[behind..].windows(2).find(|w| lag(&w[1]) <= 0.0);
    pair.map_or(f64::NAN, |w| {
        let (a, b) = (lag(&w[0]), lag(&w[1]));
        w[0].time + (w[1].time - w[0].time) * a / (a - b)
    })
}

/// When the middle reverses between two times [s].
fn turnings(frames: &[Frame], from: f64, to: f64) -> Vec<f64> {
    let within: Vec<&Frame> = frames.iter().filter(|f| f.time >= from && f.time <= to).collect();
    let turns = |w: &&[&Frame]| (lag(w[1]) - lag(w[0])) * (lag(w[2]) - lag(w[1])) < 0.0;
    within.windows(3).filter(turns).map(|w| w[1].time).collect()
}

fn largest_distance(a: &Frame, b: &Frame) -> f64 {
    let pairs = a.bodies[0].nodes.iter().zip(&b.bodies[0].nodes);
    pairs.map(|(p, q)| (*p - *q).length()).fold(0.0, f64::max)
}

/// Positions of the middle over time, by independent code that solves the printed equations: see `references/`.
fn solved() -> Result<Vec<(f64, Point)>, Failure> {
    #[derive(serde::Deserialize)]
    struct Solved {
        fig3_ideal_jumps: BTreeMap<String, Vec<State>>,
    }
    #[derive(serde::Deserialize)]
    struct State {
        t: f64,
        mid: Point,
    }
    let mut solved: Solved = serde_json::from_str(SOLVED).map_err(|e| Failure::Run(e.to_string()))?;
    let of_ten = solved.fig3_ideal_jumps.remove("10").unwrap_or_default();
    Ok(of_ten.into_iter().map(|state| (state.t, state.mid)).collect())
}

/// Motion of the right end if nothing sets its velocity to the prescribed one: by (25) its error R = x - x_d follows
/// R'' + 2 mu R' + mu^2 R = 0, and R' jumps by as much as x_d' does: R = 3 t e^(-mu t) from 0 on, minus the same from
/// 0.1 s on.
fn stabilised(mu: f64) -> String {
    let late = |t: f64| if t > 0.0 { 3.0 * t * (-mu * t).exp() } else { 0.0 };
    let point = |k: usize| {
        let t = 0.0005 * k as f64;
        let x = 0.6 - 3.0 * t.min(0.1) + late(t) - late(t - 0.1);
        format!("{{ time = {t}, position = [{x}, 0.0, 0.0] }}")
    };
    let points: Vec<String> = (0..=800).map(point).collect();
    format!("{{ waypoints = {{ blend = \"linear\", points = [{}] }} }}", points.join(", "))
}

/// Check what the text says of Fig. 3.
fn judge(results: &mut Results, name: &str, run: &[Frame]) {
    for time in [0.03, 0.06, 0.09] {
        let lag = lag(at(run, time));
        results.statement(format!("{name}: at {time:.2} s the upper part is behind, by"), "m", lag, lag > 0.0);
    }
    results.number(format!("{name}: the upper part catches up at"), "s", 0.12, caught_up(run));
    for time in [0.15, 0.18] {
        let lag = lag(at(run, time));
        results.statement(format!("{name}: at {time:.2} s the upper part has overrun, by"), "m", -lag, lag < 0.0);
    }
    let turned = turnings(run, 0.1, 0.33);
    let later = turned.iter().filter(|t| **t > 0.18).count();
    results.statement(format!("{name}: it swings, changes of direction after 0.18 s"), "-", later as f64, later > 0);
    let list = turned.iter().map(|t| format!("{t:.3}")).collect::<Vec<_>>().join(", ");
    results.remark(format!("{name}: the upper part changes direction at {list} s."));
}

/// Fig. 3: an arch whose ends are pushed together.
pub fn pushed(results: &mut Results) -> Result<(), Failure> {
    common_elastica_choices(results);
    results.choice(
        "jumps of the end's velocity",
        "an impulse gives the rod the velocity that its ends have at 0 and at 0.1 s; with (25) it depends on mu, which is \
         not given",
    );
    results.choice("start", "equilibrium under gravity; not said");
    results.choice("upper part", "the middle of the rod, against half-way between its ends");
    results.choice(
        "mu",
        "20 /s in the second variant, in which the end is not given its velocity but follows by (25): chosen since what \
         the paper says then holds",
    );
    let ours = push(&[])?;
    let soft = push(&[("gripper.right.motion", &stabilised(20.0))])?;
    for (name, run) in [("impulses", &ours), ("mu = 20 /s", &soft)] {
        judge(results, name, run);
    }
    for (time, known) in solved()? {
        let [x, z] = middle(at(&ours, time));
        let off = (x - known[0]).hypot(z - known[1]);
        results.remark(format!(
            "{:.2} s: middle at {}, {} m; off an independent solution of the printed equations by {:.1e} m",
            time,
            short(x),
            short(z),
            off
        ));
    }
    let weightless = push(&[("body.rod.elastica.start", "weightless_equilibrium")])?;
    results.remark(format!(
        "Begun in equilibrium without gravity it is up to {:.1e} m off at the start, {:.1e} m at 0.18 s, {:.1e} m at 0.33 s.",
        largest_distance(&ours[0], &weightless[0]),
        largest_distance(at(&ours, 0.18), at(&weightless, 0.18)),
        largest_distance(at(&ours, 0.33), at(&weightless, 0.33)),
    ));
    let fine = push(&[("body.rod.intervals", "40")])?;
    results.remark(format!(
        "With 40 intervals it catches up at {} s, and is {} m ahead at 0.15 s, {} m at 0.18 s.",
        short(caught_up(&fine)),
        short(-lag(at(&fine, 0.15))),
        short(-lag(at(&fine, 0.18)))
    ));
    results.remark(
        "Followed by (25) the end is behind by up to 3 / (e mu): 55 mm for 20 /s. What the upper part then is behind by \
         [m], at 0.03, 0.06, 0.09, 0.12, 0.15 and 0.18 s:",
    );
    for mu in [200.0, 100.0, 50.0, 20.0, 10.0] {
        let run = push(&[("gripper.right.motion", &stabilised(mu))])?;
        let lags = [0.03, 0.06, 0.09, 0.12, 0.15, 0.18].map(|t| short(lag(at(&run, t)))).join(", ");
        results.remark(format!("  mu = {mu} /s: {lags}; it catches up at {} s", short(caught_up(&run))));
    }
    let instants: Vec<f64> = (0..12).map(|k| 0.03 * f64::from(k)).collect();
    strip(results, "001-fig3", "An arch is pushed together, impulses (Fig. 3)", &ours, &instants, &Props::Clamps);
    strip(results, "001-fig3-mu", "An arch is pushed together, mu = 20 /s (Fig. 3)", &soft, &instants, &Props::Clamps);
    Ok(())
}

fn meet(changes: &[(&str, &str)]) -> Result<Vec<Frame>, Failure> {
    frames(MEETING, "scenes/001-fig5.toml", changes)
}

/// When the rod first touches itself [s].
fn first_contact(frames: &[Frame]) -> f64 {
    frames.iter().find(|f| !f.contacts.is_empty()).map_or(f64::NAN, |f| f.time)
}

/// Width of the loop between the two places that touched first [m].
fn loop_width(frame: &Frame, [from, to]: [usize; 2]) -> f64 {
    let range = curve(frame)[from..=to]
        .iter()
        .fold([f64::INFINITY, f64::NEG_INFINITY], |r, p| [r[0].min(p[0]), r[1].max(p[0])]);
    range[1] - range[0]
}

/// Check what the text says of Fig. 5.
fn judge_meeting(results: &mut Results, name: &str, run: &[Frame]) {
    let contact = first_contact(run);
    results.statement(
        format!("{name}: it touches itself between frames (c) 0.08 and (d) 0.12 s, at"),
        "s",
        contact,
        contact > 0.08 && contact <= 0.12,
    );
    results.number(format!("{name}: the same beside the time of the frame that shows it"), "s", 0.12, contact);
    let shown = run.iter().filter(|f| f.time < 0.2805);
    let distances: Vec<(f64, (f64, bool))> = shown.map(|f| (f.time, apart(&curve(f), 2 * INTERVAL))).collect();
    let least = distances.iter().map(|(_, (d, _))| *d).fold(f64::INFINITY, f64::min);
    let crossed = distances.iter().find(|(_, (_, crosses))| *crosses);
    results.statement(
        format!("{name}: (a) to (h), parts do not pass through each other; least distance of centre lines"),
        "mm",
        1e3 * least,
        crossed.is_none(),
    );
    if let Some((time, _)) = crossed {
        results.remark(format!("{name}: the centre line crosses itself at {} s.", short(*time)));
    }
    if let Some(touching) = run.iter().find(|f| !f.contacts.is_empty()) {
        let shape = curve(touching);
        let place = touching.contacts[0].position;
        let here = nearest(&shape, [place.x, place.z]);
        let there = shape.len() - 1 - here;
        let between = [here.min(there), here.max(there)];
        let before = loop_width(touching, between);
        for (letter, time) in [("f", 0.20), ("g", 0.24), ("h", 0.28)] {
            let grown = loop_width(at(run, time), between) - before;
            results.statement(
                format!("{name}: ({letter}) {time:.2} s, the upper part has swollen, by"),
                "mm",
                1e3 * grown,
                grown > 0.0,
            );
        }
        results.remark(format!("{name}: at first contact the upper part is {} m wide.", short(before)));
    }
    let force = |f: &Frame| f.contacts.iter().map(|c| c.force.length()).sum::<f64>();
    let most = run.iter().map(force).fold(0.0, f64::max);
    let overlapping: Vec<&Frame> = run.iter().filter(|f| apart(&curve(f), 2 * INTERVAL).0 < 0.00999).collect();
    let found = overlapping.iter().filter(|f| !f.contacts.is_empty()).count();
    results.remark(format!(
        "{name}: forces of contact up to {} N; sides are closer than two radii in {} frames, and contact is found in {found} \
         of them.",
        short(most),
        overlapping.len()
    ));
}

/// Fig. 5: an arch whose sides meet.
pub fn meeting(results: &mut Results) -> Result<(), Failure> {
    common_elastica_choices(results);
    results.choice("radius of the rod", "5 mm; none is given, and with it two parts touch 10 mm apart");
    results.choice(
        "force of self-contact",
        "k_c and b_c push apart what is closer than two radii; as printed, (34) attracts and its damping feeds energy",
    );
    results.choice("jumps of the end's velocity", "an impulse, as for Fig. 3");
    results.choice("start", "equilibrium under gravity; not said");
    results.choice("k_c", "1000 N/m as printed, and 1e4 N/m beside it");
    let printed = meet(&[])?;
    let stiff = meet(&[("body.rod.elastica.contact_stiffness", "1e4")])?;
    let end = at(&printed, 0.2).bodies[0].nodes.last().map_or(f64::NAN, |p| p.x);
    results.number("distance of the ends after the motion", "m", 0.1005, end);
    for (name, run) in [("k_c = 1000", &printed), ("k_c = 1e4", &stiff)] {
        judge_meeting(results, name, run);
    }
    results.remark(
        "With two radii of 10 mm the printed k_c has at most 10 N, where centre lines meet; two parts that cross are pushed \
         on by it, not back.",
    );
    // contact changes nothing before it begins: one run without it tells when it is due
    let free = meet(&[("body.rod.elastica.self_contact", "false"), ("duration", "0.12")])?;
    let distances: Vec<(f64, f64)> = free.iter().map(|f| (f.time, apart(&curve(f), 2 * INTERVAL).0)).collect();
    for (word, radius) in [("0.0025", 0.0025), ("0.005", 0.005), ("0.01", 0.01)] {
        let found = first_contact(&meet(&[("body.rod.section.explicit.radius", word), ("duration", "0.12")])?);
        let due = distances.iter().find(|(_, d)| *d < 2.0 * radius).map_or(f64::NAN, |(t, _)| *t);
        results.remark(format!(
            "With a radius of {word} m the sides are two radii apart at {} s, and contact is found at {} s.",
            short(due),
            short(found)
        ));
    }
    let instants: Vec<f64> = (0..8).map(|k| 0.04 * f64::from(k)).collect();
    for (file, name, run) in [("001-fig5", "k_c = 1000", &printed), ("001-fig5-stiff", "k_c = 1e4", &stiff)] {
        strip(results, file, &format!("The sides of an arch meet, {name} (Fig. 5)"), run, &instants, &Props::Clamps);
    }
    Ok(())
}
