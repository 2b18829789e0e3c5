//! `pliant run`: simulate a scene, show progress, check expectations, write a recording and a report.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use pliant_live::{Controls, Replay};
use pliant_record::{ExpectationRow, Gate, Outcome, RecordError, Recorder, RunInfo, event_text};
use pliant_scene::{Ending, Expectation, Moment, Override, Ran, Scene, UnknownModel, Verdict};

use crate::args::Options;
use crate::check;
use crate::doubts::Doubts;
use crate::failure::Failure;
use crate::gallery;
use crate::interrupt;
use crate::output::{self, short};
use crate::patience::{self, Watcher, in_words};
use crate::run_summary::Summary;

/// The built-in scene that runs when no command is given.
const SHOWCASE: &str = "winding";

/// Run the showcase and write its report to ./out.
pub fn showcase(options: &Options) -> Result<(), Failure> {
    let file = gallery::find(Path::new(SHOWCASE))?;
    let scene = pliant_scene::load(&file.path, &options.overrides)?;
    let out = options.out.clone().unwrap_or_else(|| free_directory("out/winding"));
    simulate(scene, None, &gallery::name(&file.path), Some(&out), options)
}

/// Run a scene from a file, with what was done to it in a live run, if anything.
pub fn run(path: &Path, controls: Option<&Path>, options: &Options) -> Result<(), Failure> {
    let controls = controls.map(|file| read_controls(file, path).map(|controls| (file, controls))).transpose()?;
    let mut options = options.clone();
    if let Some((file, controls)) = &controls {
        let set: Result<Vec<Override>, _> = controls.head.set.iter().map(|text| text.parse()).collect();
        let set = set.map_err(|e| Failure::Input(format!("{} {e}", file.display())))?;
        // what is given now comes later, and wins
        options.overrides.splice(..0, set);
    }
    let model = controls.as_ref().and_then(|(_, controls)| controls.head.model.as_deref());
    let model = model.map(str::parse).transpose().map_err(|e: UnknownModel| Failure::Input(e.to_string()))?;
    let mut scene = crate::precompute::load_on(path, model, &options)?;
    let unusable = |file: &Path, why| Failure::Input(format!("{} does not go with this scene: {why}", file.display()));
    let replay = controls.map(|(file, controls)| Replay::prepare(&mut scene, controls).map_err(|e| unusable(file, e)));
    simulate(scene, replay.transpose()?, &gallery::name(path), options.out.as_deref(), &options)
}

/// What was done in a live run, with a warning if that was of another scene or was cut off.
fn read_controls(file: &Path, scene: &Path) -> Result<Controls, Failure> {
    let unusable = |why: String| Failure::Input(format!("{} {why}", file.display()));
    let opened = File::open(file).map_err(|e| unusable(format!("cannot be opened: {e}")))?;
    let controls = Controls::read(BufReader::new(opened)).map_err(|e| unusable(e.to_string()))?;
    let named = Path::new(&controls.head.scene);
    if named.file_stem() != scene.file_stem() {
        output::talk(format!("warning: {} is of another scene, {}", file.display(), named.display()));
    }
    if !controls.is_whole {
        output::talk(format!("warning: {} was cut off: the run went on after its last action", file.display()));
    }
    Ok(controls)
}

/// The first of NAME, NAME-2, NAME-3, … that does not exist.
fn free_directory(name: &str) -> PathBuf {
    let candidates = (2..).map(|i| PathBuf::from(format!("{name}-{i}")));
    std::iter::once(PathBuf::from(name)).chain(candidates).find(|p| !p.exists()).unwrap_or_default()
}

fn simulate(
    mut scene: Scene,
    mut replay: Option<Replay>,
    name: &str,
    out: Option<&Path>,
    options: &Options,
) -> Result<(), Failure> {
    scene.world.set_threads(options.threads().into());
    scene.world.set_stop(interrupt::stop());
    let gate = Gate::default();
    let _finishing = if out.is_some() { interrupt::soon_behind(gate.clone()) } else { interrupt::soon() };
    check::print_warnings(&scene);
    let info = RunInfo {
        title: scene.title.clone(),
        scene: name.into(),
        command: command_line(),
        duration: scene.duration,
        step: scene.step,
        view: scene.view.clone(),
    };
    let mut recorder = out.map(|dir| Recorder::create_behind(&gate, dir, &scene.world, info)).transpose()?;
    if let (Some(recorder), Some(rate)) = (&mut recorder, scene.recording_rate) {
        recorder.set_rate(rate);
    }
    if !options.json {
        output::print_text(format!("{name}: {}", scene.title))?;
        check::print_derived(scene.world.bodies())?;
    }

    let mut doubts = Doubts::default();
    let (ran, wall_s) = advance(&mut scene, replay.as_mut(), recorder.as_mut(), &mut doubts);
    if let Some((step, refusal)) = replay.and_then(|replay| replay.refused) {
        output::talk(format!("warning: at step {step} the controls do something that cannot be done here: {refusal}"));
    }
    let is_stopped = matches!(ran.ending, Ending::Stopped);
    let layout = scene.world.layout();
    for doubt in doubts.at_end(&scene.world, &ran.frame) {
        output::talk(format!("warning: {doubt}"));
    }
    let crossing = ran.crossings().0.filter(|_| !scene.allow_crossing);
    let crossing = crossing.map(|e| format!("{} at t = {} s", event_text(&layout, e.kind), short(e.time)));

    let verdicts: Vec<ExpectationRow> = scene.expectations.iter().map(|e| judged(e, scene.world.time())).collect();
    let missed = scene.expectations.iter().filter(|e| is_missed(e, scene.world.time())).count();
    let summary = Summary::new(name, &layout, &ran, wall_s, &scene.expectations);
    let unreached = verdicts.iter().filter(|v| v.pass.is_none()).count();
    let (ok, text) = match (ending_text(&ran, verdicts.len(), missed, unreached), crossing) {
        ((_, text), Some(crossing)) => {
            (false, format!("{crossing} (`allow_crossing = true` in the scene lets that pass); {text}"))
        }
        (ending, None) => ending,
    };
    let written = recorder.map(|mut r| {
        if is_stopped {
            r.hurry();
        }
        r.finish(&Outcome { ok, text: text.clone(), summary: summary.lines(), expectations: verdicts.clone() })
    });
    if options.json {
        output::print_json(&summary)?;
    } else {
        print_summary(&summary, &verdicts)?;
    }
    if let Some(Ok(paths)) = &written {
        output::talk(format!("recording: {}", paths.recording.display()));
        output::talk(format!("samples:   {}", paths.samples.display()));
        if paths.report.exists() {
            output::talk(format!("report:    {}", paths.report.display()));
        } else {
            output::talk("report:    left out, since so many nodes take a while");
        }
    }
    if is_stopped {
        // giving back the memory of a large world takes longer than ending the process
        std::mem::forget((scene, ran));
    }
    match written {
        // the failure that ended the run says more than one in closing its files
        Some(Err(error)) if ok => Err(error.into()),
        _ if ok => Ok(()),
        _ => Err(Failure::Run(text)),
    }
}

/// Run the scene, record it and show progress. Also returns the wall time [s].
fn advance(
    scene: &mut Scene,
    replay: Option<&mut Replay>,
    mut recorder: Option<&mut Recorder>,
    doubts: &mut Doubts,
) -> (Ran<RecordError>, f64) {
    let (progress, started, duration) = (progress_bar(scene.duration), Instant::now(), scene.duration);
    let watcher = Watcher::begin(scene.steps(), !patience::foreseen(scene).is_empty());
    let see = |moment: &mut Moment<'_>| {
        let step = moment.step;
        // the recorder has already seen the start
        if let Some(recorder) = recorder.as_deref_mut().filter(|_| step > 0) {
            recorder.step(moment.frame())?;
        }
        watcher.note(step);
        doubts.look(moment.world, step);
        if step % 64 == 1 {
            show_progress(&progress, moment.world.time(), duration, started);
        }
        Ok(())
    };
    let ran = match replay {
        Some(replay) => replay.run(scene, see),
        None => scene.run(see),
    };
    progress.finish_and_clear();
    (ran, started.elapsed().as_secs_f64())
}

/// A progress bar over simulated time, shown only on a terminal.
pub fn progress_bar(duration: f64) -> ProgressBar {
    let bar = ProgressBar::new((duration * 1e3) as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:32} {msg}") {
        bar.set_style(style);
    }
    bar
}

/// Update the bar, with the time left at the pace so far.
pub fn show_progress(bar: &ProgressBar, time: f64, duration: f64, started: Instant) {
    bar.set_position((time * 1e3) as u64);
    let elapsed = started.elapsed().as_secs_f64();
    let left = in_words(elapsed * (duration - time).max(0.0) / time);
    bar.set_message(format!("{time:.2} s simulated, {} x real time, {left} left", short(time / elapsed)));
}

fn ending_text(ran: &Ran<RecordError>, expectations: usize, missed: usize, unreached: usize) -> (bool, String) {
    match &ran.ending {
        Ending::Failed(error) => (false, error.to_string()),
        Ending::Abandoned(error) => (false, format!("stopped at t = {} s: {error}", short(ran.frame.time))),
        Ending::Stopped => (false, format!("interrupted at t = {} s", short(ran.frame.time))),
        Ending::Done if missed > 0 => (false, format!("{missed} of {expectations} expectations missed")),
        Ending::Done if unreached > 0 => {
            (true, format!("{} expectations met, {unreached} not reached", expectations - unreached))
        }
        Ending::Done if expectations > 0 => (true, "all expectations met".into()),
        Ending::Done => (true, "nothing was expected of it".into()),
    }
}

fn is_missed(expectation: &Expectation, ended_at: f64) -> bool {
    matches!(expectation.verdict(ended_at), Verdict::Missed { .. })
}

fn judged(expectation: &Expectation, ended_at: f64) -> ExpectationRow {
    let (value, pass, first_missed) = match expectation.verdict(ended_at) {
        Verdict::Met { value } => (short(value), Some(true), None),
        Verdict::Missed { value, first } => (short(value), Some(false), Some(first)),
        Verdict::NotReached => ("not reached".into(), None, None),
    };
    let bounds = match expectation.bounds() {
        [min, max] if min == f64::NEG_INFINITY => format!("at most {}", short(max)),
        [min, max] if max == f64::INFINITY => format!("at least {}", short(min)),
        [min, max] => format!("{} to {}", short(min), short(max)),
    };
    ExpectationRow { text: expectation.text().into(), value, bounds, pass, first_missed }
}

fn print_summary(summary: &Summary, verdicts: &[ExpectationRow]) -> Result<(), Failure> {
    let mut table = output::table(&["run", ""]);
    for (label, value) in summary.lines() {
        table.add_row(vec![label, value]);
    }
    output::print_text(format!("\n{table}"))?;
    if verdicts.is_empty() {
        return Ok(());
    }
    let mut table = output::table(&["expected", "value", "bounds", ""]);
    for v in verdicts {
        let mark = match (v.pass, v.first_missed) {
            (None, _) => "-".into(),
            (Some(true), _) => "ok".into(),
            (Some(false), None) => "MISSED".into(),
            (Some(false), Some(first)) => format!("MISSED at {} s", short(first)),
        };
        table.add_row(vec![v.text.as_str(), &v.value, &v.bounds, &mark]);
    }
    output::print_text(format!("\n{table}"))
}

/// The command as typed, with the program's name in place of its path.
pub fn command_line() -> String {
    let quoted = |a: String| if a.contains([' ', '"']) { format!("'{a}'") } else { a };
    let arguments = std::env::args_os().skip(1).map(|a| quoted(a.to_string_lossy().into_owned()));
    std::iter::once("pliant".to_string()).chain(arguments).collect::<Vec<_>>().join(" ")
}
