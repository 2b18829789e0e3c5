//! `pliant states`: contact states of a recorded demonstration, their transitions in force logs, and robots that repeat them.

mod page;
mod run;
mod trial;

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use comfy_table::Cell;
use pliant::math::{Quat, Vec3};
use pliant_record::{Recording, claim, write_whole};
use pliant_states::{Demonstration, ForceLog, MatchSettings, Matcher, Sample, Sequence, Settings, Transition};
use serde::Serialize;

use crate::args::{MatchArgs, Options, StatesAction, StatesArgs};
use crate::failure::Failure;
use crate::output::{self, count, number, short};

/// Begin of every MCAP file.
const MCAP: &[u8] = b"\x89MCAP0\r\n";

/// Find states, or do what else is asked for.
pub fn states(args: &StatesArgs, options: &Options) -> Result<(), Failure> {
    if let Some(StatesAction::Run(args)) = &args.action {
        return run::run(args, options);
    }
    options.refuse_overrides("states")?;
    match (&args.action, &args.recording) {
        (Some(StatesAction::Run(args)), _) => run::run(args, options),
        (Some(StatesAction::Match(args)), _) => find(args, options),
        (None, Some(recording)) => show(recording, args, options),
        (None, None) => Err(Failure::Input("a recording is missing".into())),
    }
}

/// The recording at a path, or in the directory at a path.
fn open(path: &Path) -> Result<(PathBuf, Recording), Failure> {
    let path = if path.is_dir() { path.join("recording.mcap") } else { path.into() };
    let recording = Recording::open(&path)?;
    Ok((path, recording))
}

/// Warn if a recording was cut off.
fn warn(path: &Path, cut: Option<String>) {
    if let Some(why) = cut {
        output::talk(format!("warning: {} is damaged or was cut off: {why}", path.display()));
    }
}

fn show(path: &Path, args: &StatesArgs, options: &Options) -> Result<(), Failure> {
    let (path, recording) = open(path)?;
    let settings = Settings { force: args.force, hold: args.hold, edge_angle: args.edge_angle, ..Settings::default() };
    settings.check().map_err(|e| Failure::Input(e.to_string()))?;
    let mut demonstration = Demonstration::new(&recording.title, &recording.layout, settings);
    let mut places = page::Places::default();
    warn(
        &path,
        recording.read(|frame| {
            demonstration.watch(frame);
            places.watch(frame);
        })?,
    );
    let sequence = demonstration.sequence().map_err(|e| Failure::Input(format!("{}: {e}", path.display())))?;
    if let Some(dir) = &options.out {
        claim(dir)?;
        let json = serde_json::to_string(&sequence).map_err(|e| Failure::Run(format!("cannot write JSON: {e}")))?;
        for (name, text) in [("states.json", json), ("states.html", page::page(&sequence, &recording.layout, &places))]
        {
            let file = dir.join(name);
            write_whole(&file, &text)?;
            output::talk(format!("{:<12} {}", format!("{name}:"), file.display()));
        }
    }
    if options.json { output::print_json(&sequence) } else { print(&sequence) }
}

fn print(sequence: &Sequence) -> Result<(), Failure> {
    let mut table = output::table(&["state", "from [s]", "to [s]", "contacts"]);
    for (index, state) in sequence.states.iter().enumerate() {
        let contacts: Vec<String> = state.contacts.iter().map(|touch| touch.text()).collect();
        let contacts = if contacts.is_empty() { "none".into() } else { contacts.join("\n") };
        table.add_row(vec![number(index), number(short(state.from)), number(short(state.to)), Cell::new(contacts)]);
    }
    output::print_text(&table)?;
    let mut table = output::table(&[
        "time [s]",
        "transition",
        "gripper",
        "at [m]",
        "force [N]",
        "its change",
        "torque [N m]",
        "its change",
    ]);
    for transition in &sequence.transitions {
        for (index, (name, change)) in sequence.grippers.iter().zip(&transition.grippers).enumerate() {
            let head = |text: String| if index == 0 { text } else { String::new() };
            table.add_row(vec![
                number(head(short(transition.time))),
                Cell::new(head(transition.text())),
                Cell::new(name),
                Cell::new(triple(change.position)),
                Cell::new(triple(change.before.force)),
                Cell::new(triple(change.change.force)),
                Cell::new(triple(change.before.torque)),
                Cell::new(triple(change.change.torque)),
            ]);
        }
        if sequence.grippers.is_empty() {
            table.add_row(vec![number(short(transition.time)), Cell::new(transition.text())]);
        }
    }
    let force = sequence.settings.force.unwrap_or(0.0);
    output::print_text(format!(
        "\n{table}\n\n{} and {}; wrenches are what bodies exert, in the gripper's axes; contacts count above {} N and \
         from {} s on; times are known to within {} s",
        count(sequence.states.len(), "state", "states"),
        count(sequence.transitions.len(), "transition", "transitions"),
        short(force),
        short(sequence.settings.hold),
        short(sequence.resolution)
    ))
}

/// Three numbers with four digits.
fn triple(v: [f64; 3]) -> String {
    let largest = v.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let digits = if largest >= 100.0 {
        1
    } else if largest >= 10.0 {
        2
    } else if largest >= 0.1 {
        3
    } else {
        5
    };
    v.map(|x| format!("{:.digits$}", if x.abs() < 0.5 * 0.1_f64.powi(digits as i32) { 0.0 } else { x })).join(" ")
}

/// A match with the words for each transition.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    found: &'a pliant_states::Match,
    text: Vec<String>,
}

fn find(args: &MatchArgs, options: &Options) -> Result<(), Failure> {
    options.refuse_out("states match")?;
    let unusable = |path: &Path, why: String| Failure::Input(format!("{}: {why}", path.display()));
    let sequence = run::read(&args.states)?;
    let settings =
        MatchSettings { gripper: args.gripper.clone(), tolerance: args.tolerance, difference: args.difference };
    let matcher = Matcher::new(&sequence, settings).map_err(|e| unusable(&args.states, e.to_string()))?;
    let log = read_log(&args.log, args.gripper.as_deref().or(sequence.grippers.first().map(String::as_str)))?;
    let found = matcher.find(&log).map_err(|e| unusable(&args.log, e.to_string()))?;
    if options.json {
        let text = sequence.transitions.iter().map(Transition::text).collect();
        output::print_json(&Report { found: &found, text })?;
    } else {
        print_match(&sequence, &found)?;
    }
    if found.same_task < 0.5 {
        return Err(Failure::Run(format!(
            "{} does not show this task: the chances are {} in 100",
            args.log.display(),
            short((100.0 * found.same_task).round())
        )));
    }
    Ok(())
}

fn print_match(sequence: &Sequence, found: &pliant_states::Match) -> Result<(), Failure> {
    let mut table = output::table(&["transition", "demonstrated [s]", "in the log [s]", "between [s]", "confidence"]);
    for (transition, at) in sequence.transitions.iter().zip(&found.transitions) {
        table.add_row(vec![
            Cell::new(transition.text()),
            number(short(at.demonstrated)),
            number(short(at.time)),
            number(format!("{} to {}", short(at.between[0]), short(at.between[1]))),
            number(format!("{:.0} %", 100.0 * at.confidence)),
        ]);
    }
    output::print_text(format!(
        "{table}\n\nprobability that the log is of this task: {:.1} %; explained: {:.1} % of its variation; \
         its wrench is {} times the demonstrated one; confidence is that of ± {} s",
        100.0 * found.same_task,
        100.0 * found.explained,
        short(found.gain),
        short(found.tolerance)
    ))
}

/// A table of measured wrenches, or the wrenches on a gripper in a recording.
fn read_log(path: &Path, gripper: Option<&str>) -> Result<ForceLog, Failure> {
    let unusable = |why: String| Failure::Input(format!("{}: {why}", path.display()));
    let opened = if path.is_dir() { None } else { Some(File::open(path).map_err(|e| unusable(e.to_string()))?) };
    if let Some(mut file) = opened {
        let mut magic = [0; 8];
        if file.read(&mut magic).map_err(|e| unusable(e.to_string()))? < 8 || magic != MCAP {
            let file = File::open(path).map_err(|e| unusable(e.to_string()))?;
            return ForceLog::read(BufReader::new(file)).map_err(|e| unusable(e.to_string()));
        }
    }
    let (path, recording) = open(path)?;
    let known: Vec<&str> = recording.layout.gripper_names().collect();
    let missing = || Failure::Input(format!("{} has no gripper {}", path.display(), gripper.unwrap_or("")));
    let index = known.iter().position(|name| Some(*name) == gripper).ok_or_else(missing)?;
    let mut log = ForceLog { samples: vec![], has_torque: true };
    let cut = recording.read(|frame| {
        let Some(gripper) = frame.grippers.get(index) else { return };
        let back: Quat = gripper.pose.rotation.inverse();
        let (force, torque): (Vec3, Vec3) = (back * gripper.load.force, back * gripper.load.torque);
        let wrench = [force.x, force.y, force.z, torque.x, torque.y, torque.z];
        if log.samples.last().is_none_or(|last| last.time < frame.time) {
            log.samples.push(Sample { time: frame.time, wrench });
        }
    })?;
    warn(&path, cut);
    Ok(log)
}
