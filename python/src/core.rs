//! A world with all that belongs to it, shared by its handles.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use pliant::{Event, Frame, StepError as Failed, Stop};
use pliant_record::{RecordError as Unrecorded, Recorder};
use pliant_scene::{Measure, Scene};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use crate::errors::{StepError, unrecorded};
use crate::source::Source;

/// A world that several handles share.
pub type Shared = Arc<Mutex<Core>>;

/// A world, how it was built, and what happened in it.
pub struct Core {
    /// The scene, with the world as it is now.
    pub scene: Scene,
    /// The scene as it was built.
    pub origin: Arc<Scene>,
    /// Where it comes from, with all overrides.
    pub source: Arc<Source>,
    /// Where it came from at first: what a reset overrides is counted from there.
    pub first: Arc<Source>,
    /// Counts changes of the state, from 1: arrays know by it whether they are up to date.
    pub epoch: u64,
    /// What happened in the last call of `step` or `run`.
    pub events: Vec<Event>,
    /// Whether the scene's expectations are observed.
    pub judge: bool,
    /// Writes a recording, if one is wanted.
    pub recorder: Option<Recorder>,
    /// Ends steps early.
    pub stop: Stop,
    /// Quantities that have been measured, by their words, with the revision of the world that they hold for.
    measures: HashMap<String, (u64, Measure)>,
    /// The world as plain data, of the state `written`.
    frame: Frame,
    written: u64,
}

/// Why a step was not made, or not recorded.
pub enum Trouble {
    /// The step failed.
    Step(Failed),
    /// The step was made, but could not be recorded.
    Record(Unrecorded),
}

impl Trouble {
    /// As an exception.
    pub fn raise(self) -> PyErr {
        match self {
            Trouble::Step(error) => StepError::new_err(error.to_string()),
            Trouble::Record(error) => unrecorded(error),
        }
    }

    /// Whether the world was asked to stop.
    pub fn is_stop(&self) -> bool {
        matches!(self, Trouble::Step(Failed::Stopped { .. }))
    }
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Trouble::Step(error) => error.fmt(f),
            Trouble::Record(error) => error.fmt(f),
        }
    }
}

impl Core {
    /// A world from a scene just built.
    pub fn new(scene: Scene, source: Source, judge: bool) -> Core {
        let (origin, source) = (Arc::new(scene), Arc::new(source));
        let mut core = Core {
            scene: (*origin).clone(),
            origin,
            first: source.clone(),
            source,
            epoch: 1,
            events: vec![],
            judge,
            recorder: None,
            stop: Stop::default(),
            measures: HashMap::new(),
            frame: Frame::default(),
            written: 0,
        };
        core.begin();
        core
    }

    /// A copy in the same state, without its recording.
    pub fn copy(&self) -> Core {
        let stop = Stop::default();
        let mut scene = self.scene.clone();
        scene.world.set_stop(&stop);
        Core {
            scene,
            origin: self.origin.clone(),
            source: self.source.clone(),
            first: self.first.clone(),
            epoch: 1,
            events: self.events.clone(),
            judge: self.judge,
            recorder: None,
            stop,
            measures: HashMap::new(),
            frame: Frame::default(),
            written: 0,
        }
    }

    /// Everything as it was built.
    pub fn reset(&mut self) {
        self.scene = (*self.origin).clone();
        self.begin();
    }

    /// Another scene in place of this one, at its start.
    pub fn replace(&mut self, scene: Scene, source: Source) {
        (self.origin, self.source) = (Arc::new(scene), Arc::new(source));
        self.measures.clear();
        self.reset();
    }

    fn begin(&mut self) {
        self.scene.world.set_stop(&self.stop);
        self.events.clear();
        self.events.extend_from_slice(self.scene.world.events());
        self.changed();
        if self.judge {
            self.observe();
        }
    }

    /// Note that the state is another one.
    pub fn changed(&mut self) {
        self.epoch += 1;
    }

    /// The world as plain data.
    pub fn frame(&mut self) -> &Frame {
        if self.written != self.epoch {
            self.scene.world.write_frame(&mut self.frame);
            self.written = self.epoch;
        }
        &self.frame
    }

    /// A quantity as it is now.
    pub fn measure(&mut self, words: &str) -> Result<f64, pliant_scene::SceneError> {
        let revision = self.scene.world.revision();
        let measure = match self.measures.get(words) {
            Some((known, measure)) if *known == revision => *measure,
            _ => {
                let measure = Measure::new(&self.scene.world, words)?;
                self.measures.insert(words.into(), (revision, measure));
                measure
            }
        };
        Ok(measure.value(self.frame()))
    }

    fn observe(&mut self) {
        self.frame();
        self.scene.expectations.iter_mut().for_each(|expectation| expectation.observe(&self.frame));
    }

    /// One step of `dt` [s].
    pub fn step(&mut self, dt: f64) -> Result<(), Trouble> {
        self.scene.world.step(dt).map_err(Trouble::Step)?;
        self.changed();
        self.events.extend_from_slice(self.scene.world.events());
        if self.judge {
            self.observe();
        }
        if self.recorder.is_some() {
            self.frame();
            if let Some(recorder) = &mut self.recorder {
                recorder.step(&self.frame).map_err(Trouble::Record)?;
            }
        }
        Ok(())
    }

    /// Steps of the scene's length up to a time [s]; the last one is shortened to end there.
    pub fn run_until(&mut self, end: f64) -> Result<(), Trouble> {
        let step = self.scene.step;
        loop {
            let left = end - self.scene.world.time();
            if left.is_nan() || left <= 1e-6 * step {
                return Ok(());
            }
            // a last step that is whole but for rounding is whole
            let is_part = left < (1.0 - 1e-6) * step;
            self.step(if is_part { left } else { step })?;
        }
    }
}

/// Lock something; other Python threads go on while this one waits.
pub fn lock<'a, T>(py: Python<'_>, mutex: &'a Mutex<T>) -> MutexGuard<'a, T> {
    match mutex.try_lock() {
        Ok(guard) => guard,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => mutex.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner),
    }
}

/// Lock a world without the interpreter.
pub fn lock_detached(core: &Mutex<Core>) -> MutexGuard<'_, Core> {
    core.lock().unwrap_or_else(PoisonError::into_inner)
}
