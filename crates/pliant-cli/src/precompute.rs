//! `pliant precompute`: what has to be known of solids before a scene can run, computed and stored.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use pliant::response::Basis;
use pliant_fem::{
    FemError, Found, PrecomputeError, Progress, Stage, basis_of, basis_path, cache_folder, measured_digest, open_basis,
    open_records, records_of, records_path, write_basis,
};
use pliant_scene::{Precomputable, RodModel, Scene, Work};
use serde::Serialize;

use crate::args::Options;
use crate::failure::Failure;
use crate::gallery;
use crate::interrupt;
use crate::output::{self, number, short};
use crate::patience::reading;

/// The result for one body.
#[derive(Serialize)]
struct Row {
    body: String,
    form: &'static str,
    surface_nodes: usize,
    unknowns: usize,
    /// Number of nodes that are held in place.
    fixed_nodes: usize,
    /// Number of modes, or of recorded responses, depending on the form.
    #[serde(skip_serializing_if = "Option::is_none")]
    modes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<usize>,
    /// Frequencies of the modes [Hz], in ascending order.
    #[serde(skip_serializing_if = "Option::is_none")]
    frequencies_hz: Option<Vec<f64>>,
    seconds: f64,
    found: bool,
    file: Option<PathBuf>,
    megabytes: Option<f64>,
    peak_mib: Option<f64>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct Summary<'a> {
    scene: String,
    bodies: &'a [Row],
    warnings: &'a [String],
}

/// Precompute all bodies of a scene that need it.
pub fn precompute(path: &Path, options: &Options) -> Result<(), Failure> {
    let found = pliant_scene::precomputable(path, &options.overrides)?;
    for warning in &found.warnings {
        output::talk(format!("warning: {warning}"));
    }
    if let Some(folder) = &options.out {
        check_out(folder, &found.bodies)?;
    }
    let mut rows = vec![];
    for body in &found.bodies {
        let row = compute(body, options)?;
        for warning in &row.warnings {
            output::talk(format!("warning: {}: {warning}", row.body));
        }
        rows.push(row);
    }
    if options.json {
        let summary = Summary { scene: gallery::name(path), bodies: &rows, warnings: &found.warnings };
        return output::print_json(&summary);
    }
    if rows.is_empty() {
        return output::print_text(format!("{}: no body needs to be precomputed", gallery::name(path)));
    }
    print_table(&rows)
}

/// Read a scene, first precomputing what it needs, with a progress bar, since that can take long.
pub fn load(path: &Path, options: &Options) -> Result<Scene, Failure> {
    load_on(path, None, options)
}

/// Read a scene as [`load`] does, with its rods on another model, if one is given.
pub fn load_on(path: &Path, model: Option<RodModel>, options: &Options) -> Result<Scene, Failure> {
    let name = path.display().to_string();
    let found = reading(&name, || pliant_scene::precomputable(path, &options.overrides))?;
    // a file that a scene names is not made behind its back
    let new: Vec<&Precomputable> = found.bodies.iter().filter(|body| body.file.is_none() && !is_kept(body)).collect();
    if !new.is_empty() {
        let to_cache = Options { out: None, ..options.clone() };
        for body in new {
            compute(body, &to_cache)?;
        }
    }
    Ok(reading(&name, || match model {
        Some(model) => pliant_scene::load_on(path, &options.overrides, model),
        None => pliant_scene::load(path, &options.overrides),
    })?)
}

/// Whether the cache has what a body needs.
fn is_kept(body: &Precomputable) -> bool {
    let folder = cache_folder();
    match &body.work {
        Work::Modes(recipe) => basis_path(recipe, &folder).exists(),
        Work::Records(table) => records_path(table, &folder).exists(),
        Work::Measured(_) => true,
    }
}

/// Fail unless the directory is new or empty, or contains only what an earlier attempt at the same bodies left:
/// unfinished files, and finished ones beside them.
fn check_out(folder: &Path, bodies: &[Precomputable]) -> Result<(), Failure> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Failure::Input(format!("cannot write to {}: {error}", folder.display()))),
    };
    let there: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    let (mut begun, mut finished) = (vec![], vec![]);
    for body in bodies {
        match &body.work {
            Work::Measured(_) => {}
            Work::Modes(recipe) => finished.push(basis_path(recipe, folder)),
            Work::Records(table) => {
                finished.push(records_path(table, folder));
                begun.push(records_path(table, folder).with_extension("records.part"));
            }
        }
    }
    let resumed = there.iter().any(|path| begun.contains(path));
    // temporary files of a killed process
    let torn = |path: &PathBuf| {
        let name = path.file_name().map_or_else(Default::default, |name| name.to_string_lossy());
        name.starts_with(".precomputing-") && name.ends_with(".part")
    };
    let ours = |path: &PathBuf| torn(path) || begun.contains(path) || resumed && finished.contains(path);
    match there.iter().find(|path| !ours(path)) {
        Some(other) => Err(Failure::Input(format!(
            "{} already holds files, such as {}: choose a new or empty directory with --out",
            folder.display(),
            other.display()
        ))),
        None => Ok(()),
    }
}

fn compute(body: &Precomputable, options: &Options) -> Result<Row, Failure> {
    let _soon = interrupt::soon();
    let threads = usize::from(options.threads());
    let progress = bar();
    let started = Instant::now();
    let name = &body.name;
    let mut watch = |at: Progress| {
        show(&progress, name, at);
        if interrupt::stop().is_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let (unknowns, surface_nodes) = match &body.work {
        Work::Modes(recipe) | Work::Measured(recipe) => recipe.size(),
        Work::Records(table) => table.size(),
    };
    let folder = options.out.clone().unwrap_or_else(cache_folder);
    // a file that the scene names is written there, unless --out says otherwise
    let named = body.file.as_ref().filter(|_| options.out.is_none());
    let result = match (&body.work, named) {
        // nothing to compute: it is there, or has to be measured
        (Work::Measured(recipe), _) => {
            let path = body.file.clone().unwrap_or_default();
            open_records(&path, Some(measured_digest(recipe)))
                .map(|_| (Found::Kept(path), None))
                .map_err(PrecomputeError::from)
        }
        (Work::Modes(recipe), None) => basis_of(recipe, &folder, threads, &mut watch)
            .map(|(basis, found)| (found, Some(frequencies(&basis))))
            .map_err(PrecomputeError::from),
        (Work::Modes(recipe), Some(path)) => match open_basis(path, Some(recipe.digest())) {
            Ok(basis) => Ok((Found::Kept(path.clone()), Some(frequencies(&basis)))),
            Err(error) => recipe.compute(threads, &mut watch).map_err(PrecomputeError::from).and_then(|basis| {
                write_basis(path, recipe.digest(), &basis)?;
                let instead_of = Some(error).filter(|error| !error.is_missing());
                Ok((Found::Stored { path: path.clone(), instead_of }, Some(frequencies(&basis))))
            }),
        },
        (Work::Records(table), None) => records_of(table, &folder, threads, &mut watch).map(|(_, found)| (found, None)),
        (Work::Records(table), Some(path)) => match open_records(path, Some(table.digest())) {
            Ok(_) => Ok((Found::Kept(path.clone()), None)),
            Err(error) => table.record(path, threads, &mut watch).map(|_| {
                let instead_of = Some(error).filter(|error| !error.is_missing());
                (Found::Stored { path: path.clone(), instead_of }, None)
            }),
        },
    };
    progress.finish_and_clear();
    let (found, frequencies_hz) = result.map_err(|error| failure(body, &error, &folder))?;
    if let (Found::Lost(error), Some(_)) = (&found, &options.out) {
        return Err(Failure::Run(format!("{name}: {error}")));
    }
    let (form, modes, records) = match &body.work {
        Work::Measured(_) => ("measured", None, None),
        Work::Modes(recipe) => ("modes", Some(recipe.modes), None),
        Work::Records(table) => ("records", None, Some(3 * table.touched.len())),
    };
    let length = found.path().and_then(|path| std::fs::metadata(path).ok()).map(|file| file.len() as f64 * 1e-6);
    Ok(Row {
        body: name.clone(),
        form,
        surface_nodes,
        unknowns,
        fixed_nodes: body.fixed_nodes(),
        modes,
        records,
        frequencies_hz,
        seconds: started.elapsed().as_secs_f64(),
        found: matches!(found, Found::Kept(_)),
        file: found.path().map(Path::to_path_buf),
        megabytes: length,
        peak_mib: peak_mib(),
        warnings: found.warning().into_iter().collect(),
    })
}

/// Frequencies of the modes [Hz].
fn frequencies(basis: &Basis) -> Vec<f64> {
    basis.squares.iter().map(|square| square.max(0.0).sqrt() / std::f64::consts::TAU).collect()
}

fn failure(body: &Precomputable, error: &PrecomputeError, folder: &Path) -> Failure {
    let name = &body.name;
    match (error, &body.work) {
        (PrecomputeError::Fem(FemError::Stopped), Work::Records(table)) => {
            let path = body.file.clone().unwrap_or_else(|| records_path(table, folder));
            Failure::Run(format!(
                "{name}: interrupted; what is finished is kept beside {}, to go on with",
                path.display()
            ))
        }
        (PrecomputeError::Fem(FemError::Stopped), Work::Modes(_) | Work::Measured(_)) => {
            Failure::Run(format!("{name}: interrupted"))
        }
        _ => Failure::Run(format!("{name}: {error}")),
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::new(1);
    if let Ok(style) = ProgressStyle::with_template("{bar:32} {msg}") {
        bar.set_style(style);
    }
    bar
}

fn show(bar: &ProgressBar, body: &str, at: Progress) {
    let doing = match at.stage {
        Stage::Factorising => "factorising",
        Stage::Iterating => "searching for modes",
        Stage::Refining => "refining modes",
        Stage::Counting => "counting modes",
        Stage::Loading => "loading the surface",
        Stage::Integrating => "integrating responses",
    };
    bar.set_length(at.of as u64);
    bar.set_position(at.done as u64);
    bar.set_message(format!("{body}: {doing}, {} of {}", at.done, at.of));
}

/// Peak memory of this process so far, if the system reports it [MiB].
fn peak_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? / 1024.0)
}

fn print_table(rows: &[Row]) -> Result<(), Failure> {
    let heads = [
        "body",
        "form",
        "surface nodes",
        "unknowns",
        "modes or records",
        "",
        "time [s]",
        "size [MB]",
        "peak memory [MiB]",
    ];
    let mut table = output::table(&heads);
    let or_dash = |value: Option<f64>, digits: usize| value.map_or("-".into(), |value| format!("{value:.digits$}"));
    for row in rows {
        table.add_row(vec![
            row.body.clone().into(),
            row.form.into(),
            number(row.surface_nodes),
            number(row.unknowns),
            number(row.modes.or(row.records).unwrap_or(0)),
            if row.found { "found" } else { "computed" }.into(),
            number(format!("{:.2}", row.seconds)),
            number(or_dash(row.megabytes, 1)),
            number(or_dash(row.peak_mib, 0)),
        ]);
    }
    output::print_text(table)?;
    for row in rows {
        if row.fixed_nodes > 0 {
            let (held, all) = (row.fixed_nodes, row.unknowns / 3);
            output::print_text(format!("{}: {held} of {all} nodes are held in place", row.body))?;
        }
        if let Some([first, .., last]) = row.frequencies_hz.as_deref() {
            output::print_text(format!("{}: modes of {} to {} Hz", row.body, short(*first), short(*last)))?;
        }
        if let Some(file) = &row.file {
            output::print_text(format!("{}: {}", row.body, file.display()))?;
        }
    }
    Ok(())
}
