//! Recording a world while it is stepped from Python: the files that the command writes.

use std::path::{Path, PathBuf};

use pliant_record::{ExpectationRow, Outcome, Recorder, RunInfo, short};
use pliant_scene::{Expectation, Verdict};
use pyo3::prelude::*;

use crate::core::Core;
use crate::errors::{ControlError, unrecorded};

impl Core {
    /// Write the files of a run into a folder from now on.
    pub fn record(&mut self, folder: &Path, rate: Option<f64>) -> PyResult<()> {
        if self.recorder.is_some() {
            return Err(ControlError::new_err("the world is being recorded already: finish that first"));
        }
        if rate.is_some_and(|rate| !(rate.is_finite() && rate > 0.0)) {
            return Err(ControlError::new_err("the rate of a recording must be finite and above zero"));
        }
        self.recorder = Some(self.recorder_in(folder, rate)?);
        Ok(())
    }

    fn recorder_in(&self, folder: &Path, rate: Option<f64>) -> PyResult<Recorder> {
        let info = RunInfo {
            title: self.scene.title.clone(),
            scene: self.source.name.clone(),
            command: "pliant.World".into(),
            duration: self.scene.duration,
            step: self.scene.step,
            view: self.scene.view.clone(),
        };
        let mut recorder = Recorder::create(folder, &self.scene.world, info).map_err(unrecorded)?;
        if let Some(rate) = rate.or(self.scene.recording_rate) {
            recorder.set_rate(rate);
        }
        Ok(recorder)
    }

    /// Complete the files. Returns the path of the recording; `None` if nothing is recorded.
    pub fn finish_recording(&mut self) -> PyResult<Option<PathBuf>> {
        let Some(mut recorder) = self.recorder.take() else { return Ok(None) };
        // the end is recorded, due or not
        recorder.write(self.frame()).map_err(unrecorded)?;
        let paths = recorder.finish(&self.outcome()).map_err(unrecorded)?;
        Ok(Some(paths.recording))
    }

    /// A page that shows the world as it is, made in an empty folder.
    pub fn page(&self, folder: &Path) -> PyResult<PathBuf> {
        Ok(self.recorder_in(folder, None)?.finish(&self.outcome()).map_err(unrecorded)?.report)
    }

    fn outcome(&self) -> Outcome {
        let world = &self.scene.world;
        let summary = vec![
            ("simulated".into(), format!("{} s", short(world.time()))),
            ("steps".into(), world.step_count().to_string()),
        ];
        let judged = |e: &Expectation| expectation_row(e, world.time());
        let expectations = if self.judge { self.scene.expectations.iter().map(judged).collect() } else { vec![] };
        Outcome { ok: true, text: format!("reached {} s", short(world.time())), summary, expectations }
    }
}

fn expectation_row(expectation: &Expectation, time: f64) -> ExpectationRow {
    let (value, pass, first_missed) = match expectation.verdict(time) {
        Verdict::Met { value } => (short(value), Some(true), None),
        Verdict::Missed { value, first } => (short(value), Some(false), Some(first)),
        Verdict::NotReached => (String::new(), None, None),
    };
    let [low, high] = expectation.bounds();
    ExpectationRow {
        text: expectation.text().into(),
        value,
        bounds: format!("{} to {}", short(low), short(high)),
        pass,
        first_missed,
    }
}
