//! A grasp: the scene is run to its end, and what is held there is shaken.

use std::path::Path;
use std::time::Instant;

use pliant_plan::Grasp;
use pliant_scene::Ending;
use serde::Serialize;

use crate::args::Options;
use crate::failure::Failure;
use crate::gallery;
use crate::interrupt;
use crate::output::{self, number, short};

#[derive(Serialize)]
struct Tried {
    scene: String,
    /// Whether the object stayed in the hand in all directions.
    reached: bool,
    /// Simulated time, closing and shaking [s].
    time: f64,
    /// Nothing keeps clear of what it grips.
    clearance_min: Option<f64>,
    virtual_obstacles: usize,
    /// Sum of the forces on the object before it was shaken, and of their sizes [N].
    net_force: f64,
    squeeze: f64,
    /// Largest way that the object may move in the hand [m].
    slip: f64,
    shaken: Vec<Direction>,
    /// Time of computing [s].
    wall_s: f64,
}

#[derive(Serialize)]
struct Direction {
    direction: [f64; 3],
    /// How far the object moved in the hand at most [m].
    moved: f64,
    held: bool,
}

/// Run a scene to its end and try what is held there.
pub fn grasp(path: &Path, options: &Options) -> Result<(), Failure> {
    options.refuse_out("plan of a grasp")?;
    let mut scene = crate::precompute::load(path, options)?;
    let Some(shaking) = scene.grasp else {
        let name = gallery::name(path);
        let text =
            format!("{name} has no [plan] and no [grasp]: say where which arm has to go, or what is held at the end");
        return Err(Failure::Input(text));
    };
    let begun = Instant::now();
    scene.world.set_threads(options.threads().into());
    scene.world.set_stop(interrupt::stop());
    let failed = |error: pliant::StepError| Failure::Run(error.to_string());
    match scene.run(|_| Ok::<(), std::convert::Infallible>(())).ending {
        Ending::Failed(error) => return Err(failed(error)),
        Ending::Stopped => return Err(Failure::Run("interrupted".into())),
        Ending::Done | Ending::Abandoned(_) => {}
    }
    let grasp = shaking.judge(&mut scene.world, scene.step).map_err(failed)?;
    let Grasp { net_force, squeeze, shaken } = &grasp;
    let direction = |shaken: &pliant_plan::Shaken| Direction {
        direction: shaken.direction.to_array(),
        moved: shaken.moved,
        held: shaken.moved <= shaking.slip,
    };
    let shaken: Vec<Direction> = shaken.iter().map(direction).collect();
    let tried = Tried {
        scene: gallery::name(path),
        reached: shaken.iter().all(|direction| direction.held),
        time: scene.duration + shaking.time * shaken.len() as f64,
        clearance_min: None,
        virtual_obstacles: 0,
        net_force: net_force.length(),
        squeeze: *squeeze,
        slip: shaking.slip,
        shaken,
        wall_s: begun.elapsed().as_secs_f64(),
    };
    if options.json {
        output::print_json(&tried)?;
    } else {
        print(&tried)?;
    }
    let lost: Vec<String> = tried.shaken.iter().filter(|d| !d.held).map(|d| format!("{:?}", d.direction)).collect();
    if lost.is_empty() {
        Ok(())
    } else {
        Err(Failure::Run(format!("a bad grasp: the object slips when shaken along {}", lost.join(", "))))
    }
}

fn print(tried: &Tried) -> Result<(), Failure> {
    let mut table = output::table(&["shaken along", "moves [m]", ""]);
    for Direction { direction, moved, held } in &tried.shaken {
        let axis = direction.map(short).join(", ");
        table.add_row(vec![axis.into(), number(short(*moved)), (if *held { "held" } else { "lost" }).into()]);
    }
    output::print_text(format!(
        "{}: pressed with {} N in sum, {} N of it one-sided\n\n{table}",
        tried.scene,
        short(tried.squeeze),
        short(tried.net_force)
    ))
}
