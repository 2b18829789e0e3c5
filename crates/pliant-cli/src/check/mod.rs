//! `pliant check` and `pliant schema`: what a scene contains, without running it.

mod reach;

use std::path::Path;

use pliant::Body;
use pliant::lattice::solid::Moments;
use pliant_scene::Scene;
use serde::Serialize;

use crate::args::Options;
use crate::failure::Failure;
use crate::gallery;
use crate::output::{self, count, number, short};
use crate::overlap::{Overlap, overlaps};
use crate::patience;
use reach::{Reach, Unknown, measure};

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
    /// Mass [kg], centre of mass [m] and inertia about it [kg m2] at the start, in world axes.
    mass: f64,
    centre: [f64; 3],
    inertia: [[f64; 3]; 3],
    derived: Vec<CheckedDerived<'a>>,
    /// How a rod of the model `chain` passes on a pull.
    #[serde(skip_serializing_if = "Option::is_none")]
    reach: Option<Reach>,
}

#[derive(Serialize)]
struct CheckedDerived<'a> {
    symbol: &'static str,
    value: f64,
    unit: &'static str,
    why: &'a str,
}

/// Read a scene and print what it contains.
pub fn check(path: &Path, options: &Options) -> Result<(), Failure> {
    options.refuse_out("check")?;
    let scene = crate::precompute::load(path, options)?;
    let mut checked = Checked {
        scene: gallery::name(path),
        title: &scene.title,
        duration: scene.duration,
        step: scene.step,
        bodies: scene.world.bodies().iter().map(checked).collect(),
        warnings: &scene.warnings,
    };
    if options.json {
        for (checked, body) in checked.bodies.iter_mut().zip(scene.world.bodies()) {
            checked.reach = if let Body::Chain(chain) = body { measure(chain).ok() } else { None };
        }
        return output::print_json(&checked);
    }
    output::print_text(format!("{}: {}", checked.scene, checked.title))?;
    output::print_text(format!(
        "{} s in steps of {} s; {}, {}, {}, {}",
        scene.duration,
        scene.step,
        count(scene.world.bodies().len(), "body", "bodies"),
        count(scene.world.obstacles().len(), "obstacle", "obstacles"),
        count(scene.world.grippers().len(), "gripper", "grippers"),
        count(scene.expectations.len(), "expectation", "expectations")
    ))?;
    print_masses(&checked.bodies)?;
    print_derived(scene.world.bodies())?;
    print_reach(scene.world.bodies())?;
    print_warnings(&scene);
    Ok(())
}

/// Print how fast a pull travels along chains, and what they can follow.
fn print_reach(bodies: &[Body]) -> Result<(), Failure> {
    for body in bodies {
        let Body::Chain(chain) = body else { continue };
        let name = chain.name();
        let text = match measure(chain) {
            Ok(Reach { steps, per_point, speed, rate_needed, fastest }) => {
                let fastest = match fastest {
                    Some(speed) => format!("it follows {} m/s along itself, stretched by less than 5 %", short(speed)),
                    None => "it follows no motion along itself without being stretched by 5 %".into(),
                };
                format!(
                    "{name}: measured without weight, a pull comes to the far end after {steps} model steps, {} a point, at {} m/s; within a \
                     millisecond at {} model steps a second, where it has {}; {fastest}",
                    short(per_point),
                    short(speed),
                    short(rate_needed),
                    short(chain.rate())
                )
            }
            Err(Unknown::Long) => continue,
            Err(Unknown::Stuck) => format!("{name}: a pull never comes to the far end"),
            Err(Unknown::Broken) => format!("{name}: a straight copy of it cannot be pulled"),
        };
        output::print_text(format!("\n{text}"))?;
    }
    Ok(())
}

/// Print the mass, the centre of mass and the inertia of each body.
fn print_masses(bodies: &[CheckedBody<'_>]) -> Result<(), Failure> {
    if bodies.is_empty() {
        return Ok(());
    }
    let mut table = output::table(&["body", "mass [kg]", "centre [m]", "inertia xx, yy, zz, xy, xz, yz [kg m2]"]);
    let list = |numbers: &[f64]| numbers.iter().map(|n| short(*n)).collect::<Vec<_>>().join(", ");
    for body in bodies {
        let i = &body.inertia;
        let inertia = [i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2]];
        table.add_row(vec![
            body.name.into(),
            number(short(body.mass)),
            list(&body.centre).into(),
            list(&inertia).into(),
        ]);
    }
    output::print_text(format!("\n{table}"))
}

/// Print warnings about a scene, also that it will take long.
pub fn print_warnings(scene: &Scene) {
    for warning in warnings(scene) {
        output::talk(format!("warning: {warning}"));
    }
}

/// Warnings about a scene, also that it will take long.
pub fn warnings(scene: &Scene) -> Vec<String> {
    let mut out = scene.warnings.clone();
    for (body, obstacle, depth) in sunken(scene) {
        out.push(format!("{body} starts {} mm inside {obstacle}", short(depth * 1e3)));
    }
    for Overlap { bodies: [body, other], depth } in overlaps(&scene.world) {
        out.push(format!("{body} starts {} mm inside {other}: they are driven apart first", short(depth * 1e3)));
    }
    out.extend(patience::foreseen(scene));
    for body in scene.world.bodies() {
        let Body::Chain(chain) = body else { continue };
        if chain.rate() * scene.step < 0.999 {
            out.push(format!(
                "{}: its rate of {} Hz is below one model step per step of the scene, which is what it gets",
                chain.name(),
                short(chain.rate())
            ));
        }
    }
    out
}

/// Bodies that start inside an obstacle by more than a tenth of their radius: body, obstacle, depth [m].
fn sunken(scene: &Scene) -> Vec<(&str, &str, f64)> {
    let world = &scene.world;
    let frame = world.frame();
    let mut out = vec![];
    // the nodes of an arm are joints, inside its own links
    let bodies = world.bodies().iter().zip(&frame.bodies).enumerate();
    for (index, (body, shape)) in bodies.filter(|(_, (body, _))| !matches!(body, Body::Arm(_))) {
        let obstacles = world.obstacles().iter().zip(&frame.obstacles).enumerate();
        for (_, (obstacle, pose)) in obstacles.filter(|(other, _)| !world.joins(index, *other)) {
            let depth_of = |node| {
                let face = obstacle.params.shape.surface_near(pose, node, f64::MAX);
                face.map_or(0.0, |f| body.radius() - f.distance)
            };
            // a few hundred nodes are enough
            let every = shape.nodes.len().div_ceil(500).max(1);
            let deepest = shape.nodes.iter().step_by(every).map(|node| depth_of(*node)).fold(0.0, f64::max);
            if deepest > 0.1 * body.radius() {
                out.push((body.name(), obstacle.params.name.as_str(), deepest));
            }
        }
    }
    out
}

/// Print what the models derived from material and settings, and how.
pub fn print_derived(bodies: &[Body]) -> Result<(), Failure> {
    for body in bodies.iter().map(checked).filter(|b| !b.derived.is_empty()) {
        output::print_text(format!("\n{} ({}, size {}): derived parameters", body.name, body.model, body.size))?;
        let mut table = output::table(&["", "value", "unit", "from"]);
        for d in body.derived {
            table.add_row(vec![d.symbol.into(), number(short(d.value)), d.unit.into(), d.why.into()]);
        }
        output::print_text(table)?;
    }
    Ok(())
}

fn checked(body: &Body) -> CheckedBody<'_> {
    let derived = body
        .derived()
        .iter()
        .map(|d| CheckedDerived { symbol: d.symbol, value: d.value, unit: d.unit, why: &d.why })
        .collect();
    let Moments { volume: mass, centre, inertia } = body.moments();
    CheckedBody {
        name: body.name(),
        model: body.model().name(),
        size: body.size(),
        mass,
        centre: centre.to_array(),
        inertia: inertia.transpose().to_cols_array_2d(),
        derived,
        reach: None,
    }
}

/// Print the JSON schema of scene files.
pub fn schema() -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(&pliant_scene::schema());
    output::print_text(text.map_err(|e| Failure::Run(format!("cannot write the schema: {e}")))?)
}
