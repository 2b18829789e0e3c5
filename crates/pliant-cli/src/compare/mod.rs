//! `pliant compare`: one scene on several models. How far are they apart, and what do they cost?

mod chart;
mod course;
mod difference;
pub mod measured;
mod page;
mod shapes;

use std::path::{Path, PathBuf};

use pliant_record::{claim, write_whole};
use pliant_scene::{RodModel, Scene, SceneError};

use crate::args::Options;
use crate::check;
use crate::failure::Failure;
use crate::gallery;
use crate::output::{self, number, short};
use course::{Course, follow, is_rod};
use difference::{Comparison, ModelRow};

/// Compare models on a scene.
pub fn compare(path: &Path, models: &[RodModel], options: &Options) -> Result<(), Failure> {
    let name = gallery::name(path);
    check_models(models)?;
    // a scene that is invalid as written is reported once, not for each model
    let written = pliant_scene::load(path, &options.overrides)?;
    if !written.world.bodies().iter().any(is_rod) {
        return Err(Failure::Input(format!("{name} has no rods: there is nothing that could go to another model")));
    }
    let read = |model: &RodModel| (*model, pliant_scene::load_on(path, &options.overrides, *model));
    let scenes: Vec<(RodModel, Result<Scene, SceneError>)> = models.iter().map(read).collect();
    for (model, scene) in &scenes {
        match scene {
            Err(error) => output::talk(format!("{model} cannot: {error}")),
            Ok(scene) => {
                for warning in check::warnings(scene) {
                    output::talk(format!("warning: on {model}, {warning}"));
                }
            }
        }
    }
    let able = scenes.iter().filter(|(_, scene)| scene.is_ok()).count();
    if able < 2 {
        let text = format!("{able} of {} models can express {name}: a comparison needs two", models.len());
        if options.json {
            output::print_json(&refusals(name, scenes))?;
        }
        return Err(Failure::Input(text));
    }
    if let Some(dir) = &options.out {
        claim(dir)?;
    }
    if !options.json {
        output::print_text(format!("{name}: {}", written.title))?;
    }

    let (courses, refused) = run_all(scenes, options);
    let reference = courses.iter().find(|course| course.diverged.is_none()).or(courses.first());
    let Some(reference) = reference else { return Ok(()) };
    let row = |model: &RodModel| match courses.iter().find(|course| course.model == *model) {
        Some(course) => ModelRow::of(course, reference),
        None => {
            let why = refused.iter().find(|(other, _)| other == model).map(|(_, why)| why.clone());
            ModelRow::unrun(model.name(), why)
        }
    };
    let rows = models.iter().map(row).collect();
    let comparison = Comparison { scene: name, reference: reference.model.name(), models: rows };
    if options.json {
        output::print_json(&comparison)?;
    } else {
        print(&comparison)?;
    }
    if let Some(dir) = &options.out {
        let picture: PathBuf = dir.join("compare.html");
        write_whole(&picture, &page::page(&written.title, &comparison, &courses, reference))?;
        output::talk(format!("picture: {}", picture.display()));
    }
    let failed: Vec<String> =
        comparison.models.iter().filter_map(|row| told(row.model, row.diverged.as_ref())).collect();
    if failed.is_empty() { Ok(()) } else { Err(Failure::Run(failed.join("; "))) }
}

fn told(model: &str, diverged: Option<&String>) -> Option<String> {
    diverged.map(|why| format!("on {model}, {why}"))
}

fn check_models(models: &[RodModel]) -> Result<(), Failure> {
    if let Some(twice) = models.iter().enumerate().find(|(i, model)| models[..*i].contains(model)) {
        return Err(Failure::Input(format!("--models names {} twice", twice.1)));
    }
    if models.len() < 2 {
        let known = RodModel::ALL.map(RodModel::name).join(", ");
        return Err(Failure::Input(format!("--models needs at least two of {known}, with commas between")));
    }
    Ok(())
}

/// The comparison to report if too few models can express the scene.
fn refusals(scene: String, scenes: Vec<(RodModel, Result<Scene, SceneError>)>) -> Comparison {
    let able = scenes.iter().find(|(_, scene)| scene.is_ok()).map_or("", |(model, _)| model.name());
    let row = |(model, scene): (RodModel, Result<Scene, SceneError>)| {
        ModelRow::unrun(model.name(), scene.err().map(|error| error.to_string()))
    };
    let models = scenes.into_iter().map(row).collect();
    Comparison { scene, reference: able, models }
}

type Refused = Vec<(RodModel, String)>;

/// Run the models that can, one after the other, so that their timings do not affect each other.
fn run_all(scenes: Vec<(RodModel, Result<Scene, SceneError>)>, options: &Options) -> (Vec<Course>, Refused) {
    let (mut courses, mut refused) = (vec![], vec![]);
    for (model, scene) in scenes {
        match scene {
            Err(error) => refused.push((model, error.to_string())),
            Ok(mut scene) => {
                scene.world.set_threads(options.threads().into());
                courses.push(follow(scene, model));
            }
        }
    }
    (courses, refused)
}

fn print(comparison: &Comparison) -> Result<(), Failure> {
    let heads = ["model", "shape rms / L", "largest / L", "rms / L ever", "took [s]", "x real time", "µs a step", ""];
    let mut table = output::table(&heads);
    for row in &comparison.models {
        let worst = |value: fn(&difference::BodyRow) -> f64| row.bodies.iter().map(value).fold(0.0, f64::max);
        let ours = row.runs && row.model != comparison.reference;
        let ever = |value| number(if ours { short(worst(value)) } else { "-".into() });
        // a model that diverged has no end to compare
        let at_end = |value| if row.diverged.is_none() { ever(value) } else { number("-") };
        let cost = |value: Option<f64>| number(value.map_or("-".into(), short));
        let remark = match (&row.refused, &row.diverged) {
            (Some(_), _) => "cannot",
            (_, Some(_)) => "diverged",
            _ if !ours => "reference",
            _ => "",
        };
        table.add_row(vec![
            row.model.into(),
            at_end(|body| body.shape_rms_end),
            at_end(|body| body.shape_max_end),
            ever(|body| body.shape_rms_max),
            cost(row.wall_s),
            cost(row.real_time_factor),
            cost(row.step_us),
            remark.into(),
        ]);
    }
    output::print_text(format!("\n{table}"))?;
    for row in &comparison.models {
        if let Some(why) = &row.refused {
            output::print_text(format!("{} cannot: {why}", row.model))?;
        }
        if let Some(why) = &row.diverged {
            output::print_text(format!("{}: {why}", row.model))?;
        }
        if let Some(note) = &row.note {
            output::print_text(format!("{} {note}", row.model))?;
        }
    }
    print_details(comparison)
}

/// Print where rods end and the forces on grippers.
fn print_details(comparison: &Comparison) -> Result<(), Failure> {
    let ran = || comparison.models.iter().filter(|row| row.runs);
    let vector = |v: [f64; 3]| v.map(|c| number(short(c)));
    let mut table = output::table(&["end of", "model", "x [m]", "y [m]", "z [m]"]);
    for body in 0..ran().next().map_or(0, |row| row.bodies.len()) {
        for row in ran() {
            let [x, y, z] = vector(row.bodies[body].tip);
            table.add_row(vec![row.bodies[body].name.as_str().into(), row.model.into(), x, y, z]);
        }
    }
    output::print_text(format!("\n{table}"))?;
    let count = ran().next().map_or(0, |row| row.grippers.len());
    if count == 0 {
        return Ok(());
    }
    let mut table = output::table(&["force on", "model", "x [N]", "y [N]", "z [N]", "apart [N]", "rms over time [N]"]);
    for gripper in 0..count {
        for row in ran() {
            let found = &row.grippers[gripper];
            let [x, y, z] = vector(found.force_end);
            let ours = row.model != comparison.reference && row.diverged.is_none();
            let apart = |value: f64| number(if ours { short(value) } else { "-".into() });
            let name = found.name.as_str();
            let (end, ever) = (apart(found.force_end_difference), apart(found.force_rms_difference));
            table.add_row(vec![name.into(), row.model.into(), x, y, z, end, ever]);
        }
    }
    output::print_text(format!("\n{table}"))
}
