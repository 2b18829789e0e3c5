//! `pliant check` and `pliant schema`: what a scene says, without running it.

use std::path::Path;

use pliant::Body;
use pliant_scene::Scene;
use serde::Serialize;

use crate::args::Options;
use crate::failure::Failure;
use crate::output::{self, number, short};

#[derive(Serialize)]
struct Checked<'a> {
    scene: String,
    title: &'a str,
    duration: f64,
    step: f64,
    bodies: Vec<CheckedBody<'a>>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct CheckedBody<'a> {
    name: &'a str,
    model: &'static str,
    size: usize,
    derived: Vec<CheckedDerived<'a>>,
}

#[derive(Serialize)]
struct CheckedDerived<'a> {
    symbol: &'static str,
    value: f64,
    unit: &'static str,
    why: &'a str,
}

/// Read a scene and tell what it holds.
pub fn check(path: &Path, options: &Options) -> Result<(), Failure> {
    let scene = pliant_scene::load(path, &options.overrides)?;
    let bodies = scene.world.bodies().iter().map(checked).collect();
    let checked = Checked {
        scene: path.display().to_string(),
        title: &scene.title,
        duration: scene.duration,
        step: scene.step,
        bodies,
        warnings: &scene.warnings,
    };
    if options.json {
        return output::print_json(&checked);
    }
    output::print_text(format!("{}: {}", checked.scene, checked.title));
    output::print_text(format!(
        "{} s in steps of {} s; {} bodies, {} obstacles, {} grippers, {} expectations",
        scene.duration,
        scene.step,
        scene.world.bodies().len(),
        scene.world.obstacles().len(),
        scene.world.grippers().len(),
        scene.expectations.len()
    ));
    print_derived(scene.world.bodies());
    print_warnings(&scene);
    Ok(())
}

/// Tell what is odd about a scene, and whether it will take long.
pub fn print_warnings(scene: &Scene) {
    // a point costs some ten nanoseconds a model step on any recent machine
    const SECONDS_PER_POINT: f64 = 1.5e-8;
    const LONG: f64 = 600.0;
    for warning in &scene.warnings {
        eprintln!("warning: {warning}");
    }
    for Body::Chain(chain) in scene.world.bodies() {
        let hours = scene.duration * chain.rate() * chain.size() as f64 * SECONDS_PER_POINT / 3600.0;
        if hours * 3600.0 > LONG {
            let rate = short(chain.rate());
            eprintln!(
                "warning: {} takes {rate} model steps per second: expect the run to last about {} hours (fewer points, a \
                 softer or thicker rod, or a lower rate is quicker)",
                chain.name(),
                short(hours)
            );
        }
    }
}

/// Tell people what the models derived from material and settings, and why.
pub fn print_derived(bodies: &[Body]) {
    for body in bodies.iter().map(checked).filter(|b| !b.derived.is_empty()) {
        output::print_text(format!("\n{} ({}, {} points): derived parameters", body.name, body.model, body.size));
        let mut table = output::table(&["", "value", "unit", "from"]);
        for d in body.derived {
            table.add_row(vec![d.symbol.into(), number(short(d.value)), d.unit.into(), d.why.into()]);
        }
        output::print_text(table);
    }
}

fn checked(body: &Body) -> CheckedBody<'_> {
    let Body::Chain(chain) = body;
    let derived = chain
        .derived()
        .iter()
        .map(|d| CheckedDerived { symbol: d.symbol, value: d.value, unit: d.unit, why: &d.why })
        .collect();
    CheckedBody { name: body.name(), model: body.model(), size: body.size(), derived }
}

/// Print the JSON schema of scene files.
pub fn schema() -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(&pliant_scene::schema());
    output::print_text(text.map_err(|e| Failure::Run(format!("cannot write the schema: {e}")))?);
    Ok(())
}
