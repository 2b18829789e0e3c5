//! `pliant plan`: a motion to the goal of a scene, found by physics, with the clearance measured along it; or a grasp, tried by
//! shaking it.

mod grasp;
mod stream;

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use pliant_plan::{Clearance, Ending, Margin, Outcome, Plan, Progress, Task};
use pliant_record::claim;
use serde::Serialize;
pub use stream::Stream;

use crate::args::Options;
use crate::failure::Failure;
use crate::gallery;
use crate::interrupt;
use crate::output::{self, count, short};

#[derive(Serialize)]
struct Planned {
    scene: String,
    reached: bool,
    ending: Ending,
    /// How long the motion takes [s].
    time: f64,
    /// Length of the way of the drawn link [m].
    path_length: f64,
    /// Least distance of the robot's true shape from the true obstacles along the motion [m].
    clearance_min: f64,
    /// The obstacle that is that near, and when [s].
    nearest: Option<String>,
    nearest_at: f64,
    /// Least distance of parts of the robot from each other along the motion [m].
    clearance_own: f64,
    /// Least angle from tipping over [rad], and when [s]; null for a robot that does not stand on ground.
    margin_min: Option<f64>,
    margin_at: Option<f64>,
    virtual_obstacles: usize,
    /// Distance from the goal at the end [m], and angle [rad].
    distance: f64,
    angle: f64,
    /// Time of computing, the clearance included [s].
    wall_s: f64,
}

/// Find a motion to the goal of a scene.
pub fn plan(path: &Path, stream: Option<Stream>, options: &Options) -> Result<(), Failure> {
    let Some(task) = pliant_scene::task(path, &options.overrides)? else {
        if stream.is_some() {
            return Err(Failure::Input("--stream sends the motion of a [plan], and this scene has none".into()));
        }
        return grasp::grasp(path, options);
    };
    if let Some(out) = &options.out {
        claim(out)?;
    }
    let finishing = interrupt::soon();
    let (begun, mut told) = (Instant::now(), Instant::now());
    let mut watch = |progress: &Progress| {
        if told.elapsed().as_secs() >= 1 {
            told = Instant::now();
            let virtuals = count(progress.virtual_obstacles, "virtual obstacle", "virtual obstacles");
            output::talk(format!("{virtuals}, {} m from the goal", short(progress.distance)));
        }
        !interrupt::stop().is_asked()
    };
    let outcome = task.solve(&mut watch).map_err(|error| Failure::Input(error.to_string()))?;
    let clearance = task.clearance(&outcome.plan);
    let wall_s = begun.elapsed().as_secs_f64();
    drop(finishing);
    let planned = summary(gallery::name(path), &task, &outcome, clearance, wall_s);
    if let Some(out) = &options.out {
        write(out, &task, &outcome.plan, &planned)?;
    }
    if options.json {
        output::print_json(&planned)?;
    } else {
        print(&planned, &task)?;
    }
    verdict(&planned, &task)?;
    // a motion that touches something is not for a robot
    stream.map_or(Ok(()), |stream| stream.send(&outcome.plan))
}

fn summary(scene: String, task: &Task, outcome: &Outcome, clearance: Clearance, wall_s: f64) -> Planned {
    let margin = task.margin(&outcome.plan);
    let tips = margin.as_ref().and_then(Margin::least);
    Planned {
        scene,
        reached: outcome.reached(),
        ending: outcome.ending,
        time: outcome.plan.duration(),
        path_length: task.path_length(&outcome.plan),
        clearance_min: clearance.least,
        nearest: clearance.nearest,
        nearest_at: clearance.time,
        clearance_own: clearance.own,
        margin_min: tips.map(|footing| footing.angle),
        margin_at: tips.map(|footing| footing.time),
        virtual_obstacles: outcome.fills.len(),
        distance: outcome.distance,
        angle: outcome.angle,
        wall_s,
    }
}

/// The motion as a table, and the figures.
fn write(out: &Path, task: &Task, plan: &Plan, planned: &Planned) -> Result<(), Failure> {
    let mut table = String::from("time");
    for coordinate in task.model.coordinates() {
        // `write!` to a text cannot fail
        let _ = write!(table, ",{}", coordinate.name);
    }
    table.push('\n');
    for sample in 0..plan.len() {
        let _ = write!(table, "{}", sample as f64 * plan.spacing);
        for q in plan.at(sample) {
            let _ = write!(table, ",{q}");
        }
        table.push('\n');
    }
    let figures = serde_json::to_string_pretty(planned).map_err(|e| Failure::Run(format!("cannot write JSON: {e}")))?;
    for (name, text) in [("plan.csv", table), ("plan.json", figures)] {
        let path = out.join(name);
        std::fs::write(&path, text).map_err(|e| Failure::Run(format!("cannot write {}: {e}", path.display())))?;
    }
    Ok(())
}

fn print(planned: &Planned, task: &Task) -> Result<(), Failure> {
    let Planned { scene, time, path_length, clearance_min, nearest, nearest_at, wall_s, .. } = planned;
    output::print_text(format!("{scene}: {}", planned.ending.text(&task.settings)))?;
    output::print_text(format!(
        "a motion of {} s over {} m, past {}; computed in {} s",
        short(*time),
        short(*path_length),
        count(planned.virtual_obstacles, "virtual obstacle", "virtual obstacles"),
        short(*wall_s)
    ))?;
    output::print_text(format!(
        "{} m and {} degrees from the goal at its end",
        short(planned.distance),
        short(planned.angle.to_degrees())
    ))?;
    if let (Some(margin), Some(at)) = (planned.margin_min, planned.margin_at) {
        let degrees = short(margin.to_degrees());
        output::print_text(format!("{degrees} degrees from tipping over at the least, at {} s", short(at)))?;
    }
    let Some(nearest) = nearest else { return Ok(()) };
    output::print_text(format!("clearance {} m, from {nearest} at {} s", short(*clearance_min), short(*nearest_at)))
}

/// Fail where the goal is not reached, or something is touched on the way.
fn verdict(planned: &Planned, task: &Task) -> Result<(), Failure> {
    if !planned.reached {
        return Err(Failure::Run(planned.ending.text(&task.settings)));
    }
    let touched = [(planned.clearance_min, "an obstacle"), (planned.clearance_own, "itself")];
    if planned.margin_min.is_some_and(|margin| margin <= 0.0) {
        return Err(Failure::Run("the robot tips over on its way".into()));
    }
    match touched.into_iter().find(|(clearance, _)| *clearance <= 0.0) {
        Some((clearance, what)) => Err(Failure::Run(format!("the robot touches {what}, {} m deep", short(-clearance)))),
        None => Ok(()),
    }
}
