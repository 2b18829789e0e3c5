//! `pliant states run`: a robot repeats a demonstrated task by what it feels, where things are not quite where they were.

use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use comfy_table::Cell;
use pliant_record::{claim, write_whole};
use pliant_states::{FollowSettings, Follower, Sequence, Sight, Stopped};
use serde::Serialize;

use super::trial::{Errors, Manner, Off, Outcome, Task};
use crate::args::{FollowArgs, Options};
use crate::failure::Failure;
use crate::output::{self, count, number, short};
use crate::{gallery, interrupt};

/// A run by each manner, with the same errors.
#[derive(Serialize)]
struct Trial {
    trial: usize,
    off: Off,
    by_states: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    by_motion: Option<Outcome>,
}

/// The result of the command.
#[derive(Serialize)]
struct Report {
    scene: String,
    seed: u64,
    count: usize,
    /// Number of runs that succeeded, by what the robot felt, and by repeating the motion alone.
    succeeded: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    succeeded_by_motion: Option<usize>,
    /// Number of runs in which the robot saw every transition that can be seen and came to the end of the path; and those of them that
    /// failed all the same.
    certain: usize,
    deceived: usize,
    transitions: Vec<String>,
    trials: Vec<Trial>,
}

/// Run the task.
pub fn run(args: &FollowArgs, options: &Options) -> Result<(), Failure> {
    let sequence = read(&args.states)?;
    let settings = FollowSettings {
        gripper: args.gripper.clone(),
        reach: args.reach,
        pitch: args.pitch,
        pace: args.pace,
        most_force: args.most_force,
    };
    let unusable = |why: String| Failure::Input(format!("{}: {why}", args.states.display()));
    let follower = Follower::new(&sequence, settings).map_err(|e| unusable(e.to_string()))?;
    let file = gallery::find(&args.scene)?;
    let task = Task {
        scene: &file.path,
        overrides: &options.overrides,
        sequence: &sequence,
        gripper: args.gripper.clone().unwrap_or_else(|| sequence.grippers[0].clone()),
        pace: args.pace,
        follower,
        sensor: args.sensor.clone(),
    };
    let scene = task.check()?;
    crate::check::print_warnings(&scene);
    if let Some(dir) = &options.out {
        claim(dir)?;
    }
    let report = Report::new(gallery::name(&file.path), args, &sequence, trials(&task, args, options)?);
    let text = serde_json::to_string(&report).map_err(|e| Failure::Run(format!("cannot write JSON: {e}")))?;
    if let Some(dir) = &options.out {
        let path = dir.join("runs.json");
        write_whole(&path, &text)?;
        output::talk(format!("{:<12} {}", "runs.json:", path.display()));
    }
    if options.json {
        output::print_text(text)?
    } else {
        report.print()?
    }
    let least = (args.least * report.count as f64).ceil() as usize;
    if report.succeeded < least {
        return Err(Failure::Run(format!(
            "{} of {} succeeded, at least {least} were to",
            report.succeeded, report.count
        )));
    }
    Ok(())
}

/// The states in a file.
pub fn read(path: &std::path::Path) -> Result<Sequence, Failure> {
    let unusable = |why: String| Failure::Input(format!("{}: {why}", path.display()));
    let text = fs::read_to_string(path).map_err(|e| unusable(e.to_string()))?;
    serde_json::from_str(&text)
        .map_err(|e| unusable(format!("these are no states that `pliant states RECORDING --out DIR` has written: {e}")))
}

/// All runs, shared by threads; in order, whatever their number.
fn trials(task: &Task<'_>, args: &FollowArgs, options: &Options) -> Result<Vec<Trial>, Failure> {
    let errors = Errors { position: args.position, angle: args.angle, stiffness: args.stiffness };
    let centre = task.centre();
    let (next, done) = (AtomicUsize::new(0), Mutex::new(vec![]));
    let one = |trial: usize| -> Result<Trial, Failure> {
        let off = Off::draw(&errors, args.seed, trial as u64, centre);
        let by_states = task.run(&off, Manner::ByStates)?;
        let by_motion = (!args.no_comparison).then(|| task.run(&off, Manner::ByMotion)).transpose()?;
        Ok(Trial { trial, off, by_states, by_motion })
    };
    let work = || {
        loop {
            let trial = next.fetch_add(1, Ordering::Relaxed);
            if trial >= args.trials as usize || interrupt::stop().is_asked() {
                return;
            }
            let result = one(trial);
            let failed = result.is_err();
            if let Ok(mut done) = done.lock() {
                done.push((trial, result));
            }
            if failed {
                next.store(usize::MAX / 2, Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..options.threads() {
            scope.spawn(work);
        }
        work();
    });
    let mut done = done.into_inner().map_err(|_| Failure::Run("a run failed".into()))?;
    done.sort_by_key(|(trial, _)| *trial);
    done.into_iter().map(|(_, result)| result).collect()
}

impl Report {
    fn new(scene: String, args: &FollowArgs, sequence: &Sequence, trials: Vec<Trial>) -> Report {
        let by_states = || trials.iter().map(|trial| &trial.by_states);
        let certain = || by_states().filter(|outcome| is_certain(outcome));
        let by_motion = |trial: &Trial| trial.by_motion.as_ref().is_some_and(|outcome| outcome.succeeded);
        Report {
            scene,
            seed: args.seed,
            count: trials.len(),
            succeeded: by_states().filter(|outcome| outcome.succeeded).count(),
            succeeded_by_motion: (!args.no_comparison).then(|| trials.iter().filter(|t| by_motion(t)).count()),
            certain: certain().count(),
            deceived: certain().filter(|outcome| !outcome.succeeded).count(),
            transitions: sequence.transitions.iter().map(|transition| transition.text()).collect(),
            trials,
        }
    }

    fn print(&self) -> Result<(), Failure> {
        let mut table = output::table(&[
            "run",
            "off by [mm]",
            "E",
            "places",
            "time [s]",
            "most [N]",
            "transitions",
            "by states",
            "by motion",
        ]);
        for Trial { trial, off, by_states, by_motion } in &self.trials {
            let robot = by_states.robot.as_ref();
            let outcome = |outcome: &Outcome| outcome.why.clone().unwrap_or_else(|| "done".into());
            table.add_row(vec![
                number(trial),
                Cell::new(off.position.map(|x| format!("{:.1}", 1e3 * x)).join(" ")),
                number(short(off.young)),
                number(robot.map_or(0, |knows| knows.tries)),
                number(format!("{:.1}", by_states.time)),
                number(format!("{:.2}", by_states.force_max)),
                Cell::new(robot.map_or(String::new(), |knows| signs(&knows.transitions))),
                Cell::new(outcome(by_states)),
                Cell::new(by_motion.as_ref().map_or(String::new(), outcome)),
            ]);
        }
        let mut text = format!(
            "{table}\n\ntransitions: + seen, . too small to be seen, - expected and not seen, o not reached\n\
             by states: {} of {} succeeded; the robot saw all it could in {}, {} of which failed",
            self.succeeded,
            count(self.count, "run", "runs"),
            self.certain,
            self.deceived
        );
        if let Some(succeeded) = self.succeeded_by_motion {
            text += &format!("\nby repeating the motion alone: {succeeded} of {}", self.count);
        }
        output::print_text(text)
    }
}

/// Whether the robot saw every transition that can be seen, and came to the end.
fn is_certain(outcome: &Outcome) -> bool {
    let Some(robot) = &outcome.robot else { return false };
    let seen = |sight: &Sight| matches!(sight, Sight::Seen(_) | Sight::Hidden);
    robot.stopped == Some(Stopped::AtTheEnd) && robot.transitions.iter().all(seen)
}

/// A sign for what became of each transition.
fn signs(sights: &[Sight]) -> String {
    let sign = |sight: &Sight| match sight {
        Sight::Ahead => 'o',
        Sight::Seen(_) => '+',
        Sight::Hidden => '.',
        Sight::Unseen => '-',
    };
    sights.iter().map(sign).collect()
}
