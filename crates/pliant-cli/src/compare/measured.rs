//! `pliant compare --measured`: a scene on several models beside what was measured, column by column.

use std::convert::Infallible;
use std::path::Path;

use comfy_table::Cell;
use pliant_scene::{Ending, Measure, RodModel, Scene};
use serde::Serialize;

use crate::args::Options;
use crate::failure::Failure;
use crate::output::{self, number, short};

/// Shifts in time that are tried, to either side, and the largest of them in parts of the measured time.
const SHIFTS: i32 = 200;
const LARGEST: f64 = 0.1;

/// What was measured: times, and a column for each quantity.
struct Track {
    times: Vec<f64>,
    columns: Vec<(String, Vec<f64>)>,
}

/// How far a model is from a measured quantity.
#[derive(Serialize)]
struct Residual {
    quantity: String,
    model: &'static str,
    /// Root mean square of the difference, largest difference, and mean of the simulated less the measured.
    rms: f64,
    largest: f64,
    mean: f64,
    /// Standard deviation of the noise of the measurements, by their second differences.
    noise: f64,
}

#[derive(Serialize)]
struct Told {
    scene: String,
    measured: String,
    rows: usize,
    /// Time by which each model was shifted to lie best [s], by model.
    shifts: Vec<(&'static str, f64)>,
    residuals: Vec<Residual>,
    /// Why models are missing.
    refused: Vec<(&'static str, String)>,
}

/// Compare models with measurements; with `align` each may be shifted in time.
pub fn compare(
    path: &Path,
    models: &[RodModel],
    measured: &Path,
    align: bool,
    options: &Options,
) -> Result<(), Failure> {
    let track = read(measured)?;
    let mut told = Told {
        scene: crate::gallery::name(path),
        measured: measured.display().to_string(),
        rows: track.times.len(),
        shifts: vec![],
        residuals: vec![],
        refused: vec![],
    };
    // a scene that is invalid as written is reported once, and so is a quantity that it does not have
    let written = pliant_scene::load(path, &options.overrides)?;
    measures(&written, &track).map_err(|why| Failure::Input(format!("{}: {why}", measured.display())))?;
    let last = track.times.last().copied().unwrap_or(0.0);
    if track.times[0] > written.duration {
        return Err(Failure::Input(format!(
            "{}: the first measurement is of {} s, but {} ends at {} s",
            measured.display(),
            short(track.times[0]),
            told.scene,
            short(written.duration)
        )));
    }
    if last > written.duration * (1.0 + 1e-9) {
        output::talk(format!(
            "warning: measurements after {} s, where the scene ends, are left out",
            short(written.duration)
        ));
    }
    for model in models {
        let scene = pliant_scene::load_on(path, &options.overrides, *model);
        match scene.map_err(|e| e.to_string()).and_then(|scene| follow(scene, &track, options)) {
            Err(why) => told.refused.push((model.name(), why)),
            Ok(run) => {
                let shift = if align { best_shift(&track, &run) } else { 0.0 };
                told.shifts.push((model.name(), shift));
                told.residuals.extend(residuals(&track, &run, shift, model.name()));
            }
        }
    }
    if told.residuals.is_empty() {
        let why: Vec<String> = told.refused.iter().map(|(model, why)| format!("{model}: {why}")).collect();
        return Err(Failure::Run(format!("no model comes to the end of {}: {}", told.scene, why.join("; "))));
    }
    if options.json { output::print_json(&told) } else { print(&told, align) }
}

fn print(told: &Told, align: bool) -> Result<(), Failure> {
    let mut table = output::table(&["quantity", "model", "rms", "largest", "mean", "noise", "rms / noise"]);
    for residual in &told.residuals {
        let Residual { quantity, model, rms, largest, mean, noise } = residual;
        let ratio = if *noise > 0.0 { short(rms / noise) } else { "-".into() };
        let mut row = vec![Cell::new(quantity), Cell::new(model)];
        row.extend([short(*rms), short(*largest), short(*mean), short(*noise), ratio].map(number));
        table.add_row(row);
    }
    output::print_text(format!("{}: {} measurements of {}\n{table}", told.scene, told.rows, told.measured))?;
    if align {
        for (model, shift) in &told.shifts {
            output::print_text(format!("{model} lies best when it is {} s later", short(*shift)))?;
        }
    }
    for (model, why) in &told.refused {
        output::print_text(format!("{model} cannot: {why}"))?;
    }
    Ok(())
}

/// Read a table with the column time and others whose names are quantities.
fn read(path: &Path) -> Result<Track, Failure> {
    let fail = |why: String| Failure::Input(format!("{}: {why}", path.display()));
    let mut table = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_path(path)
        .map_err(|e| fail(e.to_string()))?;
    let names: Vec<String> = table.headers().map_err(|e| fail(e.to_string()))?.iter().map(String::from).collect();
    let known = ["time", "t", "time [s]"];
    let Some(at) = names.iter().position(|name| known.contains(&name.to_lowercase().as_str())) else {
        return Err(fail(format!("there is no column time: found {}", names.join(", "))));
    };
    let mut columns: Vec<Vec<f64>> = vec![vec![]; names.len()];
    for row in table.records() {
        let row = row.map_err(|e| fail(e.to_string()))?;
        let line = row.position().map_or(0, csv::Position::line);
        for (column, (name, text)) in columns.iter_mut().zip(names.iter().zip(row.iter())) {
            let value = text.parse::<f64>().ok().filter(|x| x.is_finite());
            column.push(value.ok_or_else(|| fail(format!("line {line}: {name} must be a number, not `{text}`")))?);
        }
    }
    let times = columns.remove(at);
    let names: Vec<String> = names.into_iter().enumerate().filter(|(k, _)| *k != at).map(|(_, name)| name).collect();
    if names.is_empty() || times.len() < 3 {
        return Err(fail("expected a column time, columns of quantities, and at least three rows".into()));
    }
    if let Some(k) = times.windows(2).position(|pair| pair[1] <= pair[0]) {
        return Err(fail(format!("times must grow, but {} s comes after {} s", times[k + 1], times[k])));
    }
    Ok(Track { times, columns: names.into_iter().zip(columns).collect() })
}

fn measures(scene: &Scene, track: &Track) -> Result<Vec<Measure>, String> {
    let of = |(name, _): &(String, Vec<f64>)| Measure::new(&scene.world, name).map_err(|e| e.message().to_string());
    track.columns.iter().map(of).collect()
}

/// Simulated times, and the values of each quantity.
struct Run {
    times: Vec<f64>,
    values: Vec<Vec<f64>>,
}

fn follow(mut scene: Scene, track: &Track, options: &Options) -> Result<Run, String> {
    let measures = measures(&scene, track)?;
    scene.world.set_threads(options.threads().into());
    let mut run = Run { times: vec![], values: vec![vec![]; measures.len()] };
    let ran = scene.run(|moment| {
        let frame = moment.frame();
        run.times.push(frame.time);
        for (values, measure) in run.values.iter_mut().zip(&measures) {
            values.push(measure.value(frame));
        }
        Ok::<(), Infallible>(())
    });
    match ran.ending {
        Ending::Failed(error) => Err(error.to_string()),
        _ => Ok(run),
    }
}

impl Run {
    /// A quantity at a time, straight between steps; NaN outside.
    fn at(&self, column: usize, time: f64) -> f64 {
        let after = self.times.partition_point(|t| *t < time - 1e-9);
        match (after.checked_sub(1), self.times.get(after)) {
            (_, Some(t)) if (t - time).abs() <= 1e-9 => self.values[column][after],
            (Some(before), Some(t)) => {
                let part = (time - self.times[before]) / (t - self.times[before]);
                self.values[column][before] + part * (self.values[column][after] - self.values[column][before])
            }
            _ => f64::NAN,
        }
    }

    /// Differences of a quantity from measurements, of those times that the run has.
    fn off(&self, track: &Track, column: usize, shift: f64) -> Vec<f64> {
        let values = track.times.iter().zip(&track.columns[column].1);
        values.map(|(t, x)| self.at(column, t - shift) - x).filter(|d| d.is_finite()).collect()
    }
}

/// Standard deviation of noise on something smooth: second differences of noise have six times its variance.
fn noise(values: &[f64]) -> f64 {
    let squares: f64 = values.windows(3).map(|w| (w[0] - 2.0 * w[1] + w[2]).powi(2)).sum();
    (squares / (6.0 * (values.len() - 2) as f64)).sqrt()
}

/// The shift in time with which all quantities together lie best, each in parts of its spread.
fn best_shift(track: &Track, run: &Run) -> f64 {
    let span = LARGEST * (track.times[track.times.len() - 1] - track.times[0]);
    let misses = |shift: f64| -> f64 {
        let of = |(column, (_, values)): (usize, &(String, Vec<f64>))| {
            let off = run.off(track, column, shift);
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let spread = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / values.len() as f64;
            let squares = off.iter().map(|d| d * d).sum::<f64>() / off.len().max(1) as f64;
            // a shift that leaves most of the measurements out is none
            if 2 * off.len() < values.len() { f64::INFINITY } else { squares / spread.max(1e-300) }
        };
        track.columns.iter().enumerate().map(of).sum()
    };
    let shifts = (-SHIFTS..=SHIFTS).map(|k| span * f64::from(k) / f64::from(SHIFTS));
    shifts.min_by(|a, b| misses(*a).total_cmp(&misses(*b))).unwrap_or(0.0)
}

fn residuals(track: &Track, run: &Run, shift: f64, model: &'static str) -> Vec<Residual> {
    let of = |(column, (name, values)): (usize, &(String, Vec<f64>))| {
        let off = run.off(track, column, shift);
        let count = off.len().max(1) as f64;
        Residual {
            quantity: name.clone(),
            model,
            rms: (off.iter().map(|d| d * d).sum::<f64>() / count).sqrt(),
            largest: off.iter().fold(0.0, |most: f64, d| most.max(d.abs())),
            mean: off.iter().sum::<f64>() / count,
            noise: noise(values),
        }
    };
    track.columns.iter().enumerate().map(of).collect()
}
