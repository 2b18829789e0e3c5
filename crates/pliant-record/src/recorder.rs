//! The recorder, which is called after every step and writes all files of a run.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pliant::{Event, Frame, Layout, View, World};
use serde::Serialize;

use crate::columns::Columns;
use crate::decimate::Pace;
use crate::error::RecordError;
use crate::events::event_text;
use crate::gate::Gate;
use crate::interval::Interval;
use crate::mcap_writer::McapWriter;
use crate::page;
use crate::report::Report;
use crate::samples::SamplesWriter;

/// Default rate of recorded frames, per second of simulated time [Hz].
pub const DEFAULT_RATE: f64 = 100.0;

/// Longest stretch of wall time that a killed run may lose.
const FLUSH_INTERVAL: Duration = Duration::from_millis(200);
/// Size at which a chunk ends [bytes]: large enough to compress well.
const CHUNK_SIZE: usize = 1 << 20;

/// What is known of a run before it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct RunInfo {
    /// Title of the scene.
    pub title: String,
    /// Path or name of the scene.
    pub scene: String,
    /// The command that runs it.
    pub command: String,
    /// Simulated time of the whole run [s].
    pub duration: f64,
    /// Step of the world [s].
    pub step: f64,
    /// From where it is best looked at.
    pub view: View,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Whether it reached its end.
    pub ok: bool,
    /// The ending as a sentence.
    pub text: String,
    /// Labels and values, in order.
    pub summary: Vec<(String, String)>,
    /// Results of the scene's expectations.
    pub expectations: Vec<ExpectationRow>,
}

/// An expectation of a scene and its result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExpectationRow {
    /// What was expected, as a sentence.
    pub text: String,
    /// The measured value, with its unit.
    pub value: String,
    /// The bounds, with their unit.
    pub bounds: String,
    /// Whether the value is within the bounds; `None` if the run ended early.
    pub pass: Option<bool>,
    /// When the value first left the bounds [s]; `None` if it never did.
    pub first_missed: Option<f64>,
}

/// Paths of the files of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// The recording for Foxglove and Rerun.
    pub recording: PathBuf,
    /// The table of samples.
    pub samples: PathBuf,
    /// The report page; it is not there where it was left out, see [`Recorder::hurry`].
    pub report: PathBuf,
}

impl Paths {
    fn inside(dir: &Path) -> Paths {
        Paths {
            recording: dir.join("recording.mcap"),
            samples: dir.join("samples.csv"),
            report: dir.join("report.html"),
        }
    }
}

/// Writes the files of a run while it proceeds.
///
/// Create it before the first step, call [`Recorder::record`] after every step, and [`Recorder::finish`] at the end,
/// also of a run that failed. Anything added to the world after the recorder was created is left out, except grips.
pub struct Recorder {
    info: RunInfo,
    paths: Paths,
    layout: Layout,
    recording: McapWriter,
    samples: SamplesWriter,
    report: Report,
    interval: Interval,
    pace: Pace,
    last_time: f64,
    /// Events of the last instant that had any, to skip duplicates.
    last_events: Vec<Event>,
    last_flush: Instant,
    gate: Gate,
    /// Whether files are completed as quickly as possible.
    hurries: bool,
    /// Buffer reused by [`Recorder::record`].
    frame: Frame,
}

impl Recorder {
    /// Create the files in a directory, which is created if necessary, and record the world as it is now.
    ///
    /// Nothing is ever overwritten: fails if the directory is not empty.
    pub fn create(dir: &Path, world: &World, info: RunInfo) -> Result<Recorder, RecordError> {
        Recorder::create_behind(&Gate::default(), dir, world, info)
    }

    /// Create the files as [`Recorder::create`] does, with a gate by which another thread can end all writing.
    pub fn create_behind(gate: &Gate, dir: &Path, world: &World, info: RunInfo) -> Result<Recorder, RecordError> {
        claim(dir)?;
        let paths = Paths::inside(dir);
        let layout = world.layout();
        let frame = world.frame();
        let columns = Columns::new(&layout);
        let mut recorder = Recorder {
            recording: McapWriter::create(paths.recording.clone(), world, &layout, about(&info), gate)?,
            samples: SamplesWriter::create(paths.samples.clone(), &columns, gate)?,
            report: Report::new(&layout, &columns),
            interval: Interval::new(columns),
            info,
            paths,
            layout,
            pace: Pace::new(DEFAULT_RATE),
            last_time: f64::NEG_INFINITY,
            last_events: vec![],
            last_flush: Instant::now(),
            gate: gate.clone(),
            hurries: false,
            frame: Frame::default(),
        };
        recorder.write(&frame)?;
        // at once, so that even a run killed in its first step leaves something to read
        recorder.flush()?;
        Ok(recorder)
    }

    /// Record at most this many frames per second of simulated time [Hz], instead of [`DEFAULT_RATE`].
    pub fn set_rate(&mut self, frames_per_second: f64) {
        self.pace = Pace::new(frames_per_second);
        self.pace.pick(self.last_time);
    }

    /// Record the world after a step: its events, its extremes, and a frame if one is due or the run is at its end.
    pub fn record(&mut self, world: &World) -> Result<(), RecordError> {
        let mut frame = std::mem::take(&mut self.frame);
        world.write_frame(&mut frame);
        let result = self.step(&frame);
        self.frame = frame;
        result
    }

    /// Record a step by its frame, where the caller has one anyway: see [`Recorder::record`].
    pub fn step(&mut self, frame: &Frame) -> Result<(), RecordError> {
        let is_end = frame.time >= self.info.duration - 0.5 * self.info.step;
        if self.pace.is_due(frame.time) || is_end {
            return self.write(frame);
        }
        self.look(frame);
        self.write_events(&frame.events)
    }

    /// Record a frame, due or not, and its events. A frame no later than the last one is left out.
    pub fn write(&mut self, frame: &Frame) -> Result<(), RecordError> {
        self.write_events(&frame.events)?;
        if frame.time > self.last_time {
            self.last_time = frame.time;
            self.pace.pick(frame.time);
            self.look(frame);
            self.report.push_frame(frame);
            self.recording.write_frame(frame, &self.interval)?;
            self.samples.write(&self.interval)?;
            self.interval.end();
        }
        if self.recording.pending() >= CHUNK_SIZE {
            self.flush()
        } else if self.last_flush.elapsed() >= FLUSH_INTERVAL {
            self.save()
        } else {
            Ok(())
        }
    }

    /// Update extremes and plots, whether or not the instant is recorded.
    fn look(&mut self, frame: &Frame) {
        self.interval.add(frame);
        self.report.push_row(&self.interval.row);
    }

    /// Record events, except those already recorded.
    fn write_events(&mut self, events: &[Event]) -> Result<(), RecordError> {
        for event in events {
            if self.last_events.contains(event) {
                continue;
            }
            self.last_events.retain(|last| last.time == event.time);
            self.last_events.push(*event);
            let text = event_text(&self.layout, event.kind);
            self.recording.write_event(event.time, &text)?;
            self.report.push_event(event, text);
        }
        Ok(())
    }

    /// Bring the files up to date without ending a chunk, whose place would then depend on the clock.
    fn save(&mut self) -> Result<(), RecordError> {
        self.last_flush = Instant::now();
        self.recording.save()?;
        self.samples.flush()
    }

    fn flush(&mut self) -> Result<(), RecordError> {
        self.last_flush = Instant::now();
        self.recording.flush()?;
        self.samples.flush()
    }

    /// From here on only what is quick is done: [`Recorder::finish`] does not wait until files are on the disk, and the report
    /// has fewer frames; it is left out where one frame alone is larger than all of a page should be, as with a million nodes.
    pub fn hurry(&mut self) {
        self.hurries = true;
    }

    /// Complete the files and write the report, also after a failed run.
    ///
    /// Each file is completed even if another fails; the first failure is returned.
    pub fn finish(self, outcome: &Outcome) -> Result<Paths, RecordError> {
        let Recorder { info, paths, recording, samples, mut report, gate, hurries, .. } = self;
        let sync = !hurries;
        let state = if outcome.ok { "done" } else { "failed" };
        let ended: BTreeMap<_, _> =
            [("outcome".to_string(), state.to_string()), ("text".into(), outcome.text.clone())].into();
        let recorded = recording.finish(ended, sync);
        let sampled = samples.finish(sync);
        if hurries && report.is_huge() {
            return recorded.and(sampled).map(|()| paths);
        }
        if hurries {
            report.shrink();
        }
        let reported = report
            .into_json(&info, outcome)
            .map_err(|cause| RecordError::write(&paths.report)(io::Error::other(cause)))
            .and_then(|json| page::write(&paths.report, &json, &info, outcome, &gate, sync));
        recorded.and(sampled).and(reported).map(|()| paths)
    }
}

/// Create a directory if necessary, and fail if it is not empty: nothing is ever overwritten.
pub fn claim(dir: &Path) -> Result<(), RecordError> {
    fs::create_dir_all(dir).map_err(RecordError::create(dir))?;
    let mut entries = fs::read_dir(dir).map_err(RecordError::create(dir))?;
    match entries.next() {
        None => Ok(()),
        Some(_) => Err(RecordError::NotEmpty { dir: dir.into() }),
    }
}

fn about(info: &RunInfo) -> BTreeMap<String, String> {
    let RunInfo { title, scene, command, duration, step, view: _ } = info;
    let entries = [
        ("title", title.clone()),
        ("scene", scene.clone()),
        ("command", command.clone()),
        ("duration [s]", duration.to_string()),
        ("step [s]", step.to_string()),
        ("version", env!("CARGO_PKG_VERSION").into()),
    ];
    entries.map(|(key, value)| (key.to_string(), value)).into()
}
