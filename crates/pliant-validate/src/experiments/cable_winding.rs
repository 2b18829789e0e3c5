//! Table I: a cable is wound on a cylinder with each solver. Times are those of `World::step` alone, as in `bench`.

use pliant::Body;
use pliant::math::Vec3;

use super::{Results, Row, run, scene};
use crate::Failure;
use pliant_record::short;

const WINDING: &str = include_str!("../../scenes/004-winding.toml");

/// A solver configuration: its names in the scene, its name in the table, and the index of the paper's solver it is
/// compared with.
pub struct Way {
    solver: &'static str,
    couplings: &'static str,
    regulated: &'static str,
    pub name: &'static str,
    paper: Option<usize>,
}

pub const WAYS: [Way; 6] = [
    way(["direct", "exact", "true"], "solver 1, direct", Some(0)),
    way(["subsystems", "printed", "false"], "solver 2, couplings as printed", Some(1)),
    way(["subsystems", "printed", "true"], "solver 3, couplings as printed, post-regulated", Some(2)),
    way(["subsystems", "exact", "false"], "subsystems with exact couplings (ours)", Some(1)),
    way(["subsystems", "exact", "true"], "the same, post-regulated (ours)", Some(2)),
    way(["newton", "exact", "true"], "Newton's method (ours)", None),
];

/// Indices of the default and of Newton's method.
const OURS: usize = 4;
const NEWTON: usize = 5;

const fn way([solver, couplings, regulated]: [&'static str; 3], name: &'static str, paper: Option<usize>) -> Way {
    Way { solver, couplings, regulated, name, paper }
}

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

/// Results of a run.
pub struct Outcome {
    /// Mean time of a step [ms].
    pub time: f64,
    /// Time of each step [ms], and its number of contacts.
    pub times: Vec<f64>,
    pub contacts: Vec<usize>,
    /// Iterations per step.
    iterations: f64,
    /// Linearisations per step.
    linearisations: f64,
    /// Fraction of steps that reached the limit.
    limited: f64,
    /// Force on the gripper in each step [N].
    forces: Vec<Vec3>,
    /// Deepest penetration [m].
    penetration: f64,
}

impl Outcome {
    /// Root mean square difference of forces over the run, relative to that of the forces themselves.
    fn apart(&self, other: &Outcome) -> f64 {
        let size: f64 = other.forces.iter().map(|f| f.length_squared()).sum();
        let apart: f64 = self.forces.iter().zip(&other.forces).map(|(a, b)| (*a - *b).length_squared()).sum();
        (apart / size).sqrt()
    }
}

/// Time, iterations and steps at the limit.
pub fn table(results: &mut Results) -> Result<(), Failure> {
    results.choice("winding", "drum of 20 mm, 10 mm a turn, 2 turns of 2.5 s, cable stretched by 2 %; none is given");
    results.choice("density", "1100 kg/m3, silicone; not given");
    results.choice("Poisson's ratio", "0.4999; the paper's 0.5012 is impossible");
    results.choice("linearisations", "until velocities stay; the paper has one a step");
    results.choice("post-regulation", "a change above the bound is shortened to it; the paper drops it all");
    results.choice(
        "couplings as printed",
        "end when they change by 1e-5 of the joints' loads; the paper's bound is not given",
    );
    results.choice("exact couplings", "follow contacts exactly, and each contact takes the others to go on holding");
    for (segments, runs, paper) in SIZES {
        let mut outcomes = vec![];
        for way in &WAYS {
            outcomes.push(wind(segments, runs, way)?);
        }
        for (way, outcome) in WAYS.iter().zip(&outcomes) {
            let name = format!("{segments} segments, {}", way.name);
            rows(results, &name, outcome, way.paper.and_then(|n| paper[n]));
            let deep = 1e3 * outcome.penetration;
            results.statement(format!("{name}: deepest penetration"), "mm", deep, deep <= 0.1);
            if way.paper.is_some() {
                let apart = outcome.apart(&outcomes[NEWTON]);
                results.statement(format!("{name}: end force off Newton's"), "%", 100.0 * apart, apart < 0.01);
            }
        }
        let ratio = outcomes[OURS].time / outcomes[NEWTON].time;
        results.statement(
            format!("{segments} segments: time of ours over that of Newton's method"),
            "",
            ratio,
            ratio <= 1.0,
        );
    }
    all_as_printed(results)?;
    results.remark("Times hold where ours are no longer, iterations and steps at the limit where they are no more.");
    results.remark(
        "Ours run on one thread; the paper's subsystems on several. Iterations are summed over linearisations.",
    );
    results.remark(
        "As printed, a step that comes to the limit of 100 iterations is taken as it is, and its end force with it: a cable \
         this taut needs thousands of iterations over couplings.",
    );
    results.remark(
        "End forces are compared over the whole run. In Newton's method a contact that holds gives way a little while its \
         force changes, the more the longer the segments are; in the others it does not.",
    );
    Ok(())
}

/// Solver 3 with everything as printed: one linearisation a step, (13) for couplings, (16) that drops whole changes. How far it comes.
fn all_as_printed(results: &mut Results) -> Result<(), Failure> {
    for (segments, runs, _) in SIZES {
        for rejects in ["true", "false"] {
            let changes = [
                ("body.cable.segments", segments),
                ("body.cable.cable.solver", "subsystems"),
                ("body.cable.cable.subsystems", runs),
                ("body.cable.cable.couplings", "printed"),
                ("body.cable.cable.step", "linear"),
                ("body.cable.cable.rejects", rejects),
                ("allow_gain", "true"),
                ("allow_crossing", "true"),
            ];
            let mut scene = scene(WINDING, "004-winding.toml", &changes)?;
            let (duration, mut reached, mut forces) = (scene.duration, 0.0, vec![]);
            let ended = run(&mut scene, |moment| {
                reached = moment.world.time();
                forces.extend(moment.world.grips().nth(1).map(|(_, grip)| grip.load.force.length()));
                Ok(())
            });
            let how = if rejects == "true" { "drops whole changes" } else { "shortens changes" };
            results.statement(
                format!("{segments} segments, all as printed, (16) {how}: time that it comes to, of {duration} s"),
                "s",
                reached,
                ended.is_ok(),
            );
            if let Err(error) = ended {
                results.remark(format!("{segments} segments, all as printed, (16) {how}: {error}."));
            }
            let most = forces.iter().fold(0.0, |most: f64, force| most.max(*force));
            results.remark(format!(
                "{segments} segments, all as printed, (16) {how}: largest force on the hand {} N.",
                short(most)
            ));
        }
    }
    Ok(())
}

/// The paper's figures beside ours; a figure that the paper does not give becomes a remark, since nothing is claimed.
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

pub fn wind(segments: &str, runs: &str, way: &Way) -> Result<Outcome, Failure> {
    let changes = [
        ("body.cable.segments", segments),
        ("body.cable.cable.solver", way.solver),
        ("body.cable.cable.subsystems", runs),
        ("body.cable.cable.couplings", way.couplings),
        ("body.cable.cable.post_regulation", way.regulated),
    ];
    let mut scene = scene(WINDING, "004-winding.toml", &changes)?;
    let steps = scene.steps();
    let (mut times, mut contacts) = (vec![], vec![]);
    let (mut forces, mut penetration) = (vec![], 0.0);
    run(&mut scene, |moment| {
        if moment.step > 0 {
            times.push(moment.took.as_secs_f64() * 1e3);
            forces.extend(moment.world.grips().nth(1).map(|(_, grip)| grip.load.force));
            contacts.push(moment.frame().contacts.len());
            penetration = moment.frame().contacts.iter().map(|c| c.penetration).fold(penetration, f64::max);
        }
        Ok(())
    })?;
    let Some(Body::Cable(cable)) = scene.world.bodies().first() else {
        return Err(Failure::Run("the scene's first body is no cable".into()));
    };
    let (counters, steps) = (cable.counters(), steps as f64);
    Ok(Outcome {
        time: times.iter().sum::<f64>() / steps,
        times,
        contacts,
        iterations: counters.iterations as f64 / steps,
        linearisations: cable.linearisations() as f64 / steps,
        limited: counters.limit_hits as f64 / steps,
        forces,
        penetration,
    })
}
