//! Fig. 1 and section IV-D-2: a knot is tied, with links that touch links solved in three ways.
//!
//! Of the knot the paper prints a picture and how such contacts are solved; its claims are those of the other sections.

use std::time::{Duration, Instant};

use pliant::math::Vec3;
use pliant::topology::knot_determinant;
use pliant::{Body, Other};
use pliant_record::short;
use pliant_scene::Ending;

use super::{Results, Row, scene};
use crate::Failure;

const KNOT: &str = include_str!("../../scenes/knot.toml");

/// A way of solving pairs of links.
struct Way {
    name: &'static str,
    pairs: &'static str,
    couplings: &'static str,
    iterations: &'static str,
}

const WAYS: [Way; 5] = [
    way("sparse factors (ours)", ["factored", "exact", "100"]),
    way("iterated with each cable's factors", ["iterated", "exact", "100"]),
    way("bound (the paper's), exact couplings, 100 iterations", ["bound", "exact", "100"]),
    way("bound, exact couplings, 1,000 iterations", ["bound", "exact", "1000"]),
    way("bound, couplings as printed, 100 iterations", ["bound", "printed", "100"]),
];

const fn way(name: &'static str, [pairs, couplings, iterations]: [&'static str; 3]) -> Way {
    Way { name, pairs, couplings, iterations }
}

/// When the knot is pulled tight [s]; before that its loop is laid and its end led through.
const PULLED: f64 = 9.5;

/// Determinant of an overhand knot.
const OVERHAND: u64 = 3;

/// How long a run may take before it is ended where it is.
const PATIENCE: Duration = Duration::from_secs(60);

/// Results of a run.
#[derive(Default)]
struct Outcome {
    /// How far it came [s], and of how many.
    time: f64,
    duration: f64,
    /// Mean times of a step before and while the knot is pulled tight, and the longest [ms].
    laying: f64,
    pulling: f64,
    longest: f64,
    /// Iterations and linearisations of a step.
    iterations: f64,
    linearisations: f64,
    /// Fraction of steps that reached the limit.
    limited: f64,
    /// Deepest place of a link in another [m].
    penetration: f64,
    /// Most pairs that pushed at once.
    pairs: usize,
    /// Determinant of the knot at the end.
    knot: u64,
    /// How often the cable went through itself or the table.
    crossed: usize,
    /// Force of the hand that pulls in each step [N].
    forces: Vec<Vec3>,
    /// Why it ended before.
    failure: Option<String>,
}

impl Outcome {
    fn is_whole(&self) -> bool {
        self.time > self.duration - 1e-6
    }

    /// Root mean square difference of forces while the knot is pulled, relative to that of the forces themselves.
    fn apart(&self, other: &Outcome) -> f64 {
        let size: f64 = other.forces.iter().map(|f| f.length_squared()).sum();
        let apart: f64 = self.forces.iter().zip(&other.forces).map(|(a, b)| (*a - *b).length_squared()).sum();
        (apart / size).sqrt()
    }
}

/// Cost and quality of each way.
pub fn knot(results: &mut Results) -> Result<(), Failure> {
    results.choice(
        "knot",
        "scenes/knot.toml: an overhand knot of 0.8 m of the paper's cable, 200 segments; the paper shows a picture",
    );
    results.choice("friction", "Coulomb's, 0.5; the paper's law is for a drum");
    results.choice("subsystems", "20, the most of the paper");
    results.choice("binding", "runs that a contact connects are one subsystem, cut apart from others alone");
    results.choice("pairs", "are unknowns once their links would overlap; the paper does not say when contact begins");
    results.choice("linearisations", "until velocities stay; the paper has one a step");
    results.choice(
        "parts of steps",
        "a step that goes wrong (links too deep, energy from nowhere) is taken in two halves, in all ways",
    );
    let mut outcomes: Vec<Outcome> = vec![];
    for way in &WAYS {
        results.talk(&format!("the knot, {}", way.name));
        let outcome = tie(way)?;
        rows(results, way, &outcome, outcomes.first());
        outcomes.push(outcome);
    }
    results.remark("The paper has no figure of the knot. What holds is what it says of its solver: in real time (V-B), physically accurate \
                    (abstract), and, post-regulated, never at the limit of iterations (V-B).");
    results.remark(
        "Times are those of steps alone, on one thread. A step at the limit of iterations is made again by Newton's method with sparse factors, \
         but taken as it is where couplings are printed.",
    );
    results.remark(
        "Gauss and Seidel's method takes hundreds of iterations a step: contacts press on each other through the links between them, and each \
         takes the others' forces as they are. Steps that do not converge in ten linearisations are Newton's, too, where couplings are exact.",
    );
    Ok(())
}

fn rows(results: &mut Results, way: &Way, o: &Outcome, factored: Option<&Outcome>) {
    let name = way.name;
    results.statement(format!("{name}: simulated of {} s", short(o.duration)), "s", o.time, o.is_whole());
    if let Some(failure) = &o.failure {
        results.remark(format!("{name}: ended at {} s: {failure}", short(o.time)));
    }
    let row = |quantity: String, unit, ours: Option<f64>, holds: bool| Row { quantity, unit, paper: None, ours, holds };
    let mean = |time: f64, reached: bool| if reached { (Some(time), time <= 10.0) } else { (None, false) };
    let (laying, pulling) = (mean(o.laying, o.time > 0.0), mean(o.pulling, o.time > PULLED));
    results.rows.push(row(format!("{name}: time of a 10 ms step, loop laid"), "ms", laying.0, laying.1));
    results.rows.push(row(format!("{name}: time of a 10 ms step, pulled tight"), "ms", pulling.0, pulling.1));
    if way.pairs == "bound" {
        results.statement(format!("{name}: steps at the limit"), "%", 100.0 * o.limited, o.limited == 0.0);
    }
    let deep = 1e3 * o.penetration;
    results.statement(format!("{name}: deepest place of links in links"), "mm", deep, deep <= 0.1);
    results.statement(format!("{name}: passes through itself or the table"), "times", o.crossed as f64, o.crossed == 0);
    let tied = o.is_whole() && o.knot == OVERHAND;
    results.statement(format!("{name}: determinant of the knot at the end"), "", o.knot as f64, tied);
    if let Some(factored) = factored {
        let apart = o.apart(factored);
        let whole = o.is_whole();
        let quantity = format!("{name}: pull off that with sparse factors");
        results.rows.push(row(quantity, "%", whole.then_some(100.0 * apart), whole && apart < 0.05));
    }
    results.remark(format!(
        "{name}: longest step {} ms, {} iterations in {} linearisations a step, {} pairs that push at the most",
        short(o.longest),
        short(o.iterations),
        short(o.linearisations),
        o.pairs
    ));
}

fn tie(way: &Way) -> Result<Outcome, Failure> {
    let changes = [
        ("body.wire.cable.solver", "subsystems"),
        ("body.wire.cable.subsystems", "20"),
        ("body.wire.cable.couplings", way.couplings),
        ("body.wire.cable.pairs", way.pairs),
        ("body.wire.cable.iterations", way.iterations),
    ];
    let mut scene = scene(KNOT, "knot.toml", &changes)?;
    let mut out = Outcome { duration: scene.duration, ..Outcome::default() };
    let (begun, mut steps, mut pulls) = (Instant::now(), 0.0, 0.0);
    let ran = scene.run(|moment| {
        let time = moment.world.time();
        if moment.step > 0 {
            let took = moment.took.as_secs_f64() * 1e3;
            out.longest = out.longest.max(took);
            let pulled = time > PULLED + 1e-9;
            *(if pulled { &mut out.pulling } else { &mut out.laying }) += took;
            *(if pulled { &mut pulls } else { &mut steps }) += 1.0;
            if pulled {
                let hand = moment.frame().grippers.last().map(|g| g.load.force);
                out.forces.extend(hand);
            }
        }
        out.time = time;
        let of_links = |c: &&pliant::Contact| matches!(c.other, Other::Body(_));
        let pairs = moment.frame().contacts.iter().filter(of_links);
        out.pairs = out.pairs.max(pairs.clone().filter(|c| c.force != Vec3::ZERO).count());
        out.penetration = pairs.map(|c| c.penetration).fold(out.penetration, f64::max);
        if begun.elapsed() > PATIENCE { Err(format!("took {} s", PATIENCE.as_secs())) } else { Ok(()) }
    });
    out.failure = match &ran.ending {
        Ending::Done => None,
        Ending::Stopped => return Err(Failure::Run("the knot: stopped".into())),
        Ending::Failed(error) => Some(error.to_string()),
        Ending::Abandoned(why) => Some(why.clone()),
    };
    out.crossed = ran.crossings().1;
    out.knot = ran.frame.bodies.first().map_or(0, |body| knot_determinant(&body.nodes));
    let Some(Body::Cable(cable)) = scene.world.bodies().first() else {
        return Err(Failure::Run("the scene's first body is no cable".into()));
    };
    let (counters, all): (_, f64) = (cable.counters(), steps + pulls);
    out.iterations = counters.iterations as f64 / all.max(1.0);
    out.linearisations = cable.linearisations() as f64 / all.max(1.0);
    out.limited = counters.limit_hits as f64 / all.max(1.0);
    out.laying /= steps.max(1.0);
    out.pulling /= f64::max(pulls, 1.0);
    Ok(out)
}
