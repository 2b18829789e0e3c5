//! Running a scene: its steps, expectations and events. The command, comparisons and published experiments all run
//! scenes by [`Scene::run`] and observe them in a callback.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use pliant::{Event, EventKind, Frame, StepError, World};

use crate::Scene;

/// A scene at its start, or at the end of a step.
pub struct Moment<'a> {
    /// The world.
    pub world: &'a World,
    /// Number of steps taken; 0 at the start.
    pub step: u64,
    /// Number of steps of the whole run.
    pub steps: u64,
    /// Length of the step that ended here [s]; zero at the start.
    pub dt: f64,
    /// Wall time of that step.
    pub took: Duration,
    frame: &'a mut Frame,
    is_written: bool,
}

impl Moment<'_> {
    /// The frame of this moment, written on first use, since for large solids that can take longer than a step.
    pub fn frame(&mut self) -> &Frame {
        if !self.is_written {
            self.world.write_frame(self.frame);
            self.is_written = true;
        }
        self.frame
    }
}

/// How a run ended.
#[derive(Debug)]
pub enum Ending<E = Infallible> {
    /// At its scheduled end.
    Done,
    /// The world was asked to stop.
    Stopped,
    /// A step failed; the world is in the state before that step.
    Failed(StepError),
    /// The callback ended it.
    Abandoned(E),
}

/// Results of a run.
#[derive(Debug)]
pub struct Ran<E = Infallible> {
    /// How it ended.
    pub ending: Ending<E>,
    /// Steps the world has taken.
    pub steps: u64,
    /// Time that its steps took to compute, without what was done between them.
    pub stepping: Duration,
    /// The last frame.
    pub frame: Frame,
    /// Deepest penetration at the end of any step [m].
    pub penetration_max: f64,
    /// All events, including those at the start.
    pub events: Vec<Event>,
}

impl<E> Ran<E> {
    /// The first event in which a rod passed through something, and the number of such events.
    pub fn crossings(&self) -> (Option<&Event>, usize) {
        let mut crossings = self.events.iter().filter(|e| matches!(e.kind, EventKind::Crossed { .. }));
        let first = crossings.next();
        (first, usize::from(first.is_some()) + crossings.count())
    }
}

impl Scene {
    /// Number of steps of the whole run.
    pub fn steps(&self) -> u64 {
        (self.duration / self.step - 1e-9).ceil().max(1.0) as u64
    }

    /// Length of the next step [s]: the last one is shortened to end with the scene.
    pub fn next_step(&self) -> f64 {
        let left = self.duration - self.world.time();
        // a last step that is whole but for rounding is whole
        let is_part = left > 1e-6 * self.step && left < (1.0 - 1e-6) * self.step;
        if is_part { left } else { self.step }
    }

    /// Step to the end of the scene, or until a step fails, the world is asked to stop, or the callback fails. The
    /// callback is called at the start and after every step.
    ///
    /// ```
    /// # let text = "duration = 0.1\n[material.m]\nyoung = 5e6\ndensity = 1100\n[[body]]\nname = \"rod\"\nmodel = \"chain\"\n\
    /// #     material = \"m\"\nradius = 0.002\npath = [[0, 0, 0], [0.3, 0, 0]]";
    /// let mut scene = pliant_scene::parse(text, "rod.toml", ".".as_ref(), &[])?;
    /// let mut lowest = 0.0_f64;
    /// let ran = scene.run(|moment| {
    ///     lowest = moment.frame().bodies[0].nodes.iter().map(|node| node.z).fold(lowest, f64::min);
    ///     Ok::<(), std::convert::Infallible>(())
    /// });
    /// assert!(matches!(ran.ending, pliant_scene::Ending::Done));
    /// // it has fallen for a tenth of a second
    /// assert!((lowest + 0.5 * 9.81 * 0.1 * 0.1).abs() < 1e-3, "{lowest}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run<E>(&mut self, see: impl FnMut(&mut Moment<'_>) -> Result<(), E>) -> Ran<E> {
        self.run_with(|_, _| {}, see)
    }

    /// Step to the end of the scene as [`Scene::run`] does. Before each step `act` may change the world; it is told the
    /// number of steps taken.
    pub fn run_with<E>(
        &mut self,
        mut act: impl FnMut(&mut World, u64),
        mut see: impl FnMut(&mut Moment<'_>) -> Result<(), E>,
    ) -> Ran<E> {
        let steps = self.steps();
        let mut ran = Ran {
            ending: Ending::Done,
            steps: 0,
            stepping: Duration::ZERO,
            frame: self.world.frame(),
            penetration_max: 0.0,
            events: vec![],
        };
        let (mut dt, mut took) = (0.0, Duration::ZERO);
        for step in 0..=steps {
            if step > 0 {
                dt = self.next_step();
                act(&mut self.world, step - 1);
                let begun = Instant::now();
                let stepped = self.world.step(dt);
                took = begun.elapsed();
                ran.stepping += took;
                if let Err(error) = stepped {
                    let stopped = matches!(error, StepError::Stopped { .. });
                    ran.ending = if stopped { Ending::Stopped } else { Ending::Failed(error) };
                    break;
                }
            }
            ran.events.extend_from_slice(self.world.events());
            let frame = &mut ran.frame;
            let mut moment = Moment { world: &self.world, step, steps, dt, took, frame, is_written: step == 0 };
            for expectation in self.expectations.iter_mut().filter(|expectation| expectation.is_due(self.world.time()))
            {
                expectation.observe(moment.frame());
            }
            let seen = see(&mut moment);
            if step > 0 {
                let is_written = moment.is_written;
                let contacts = &mut ran.frame.contacts;
                let depth = if is_written { ran.frame.penetration } else { self.world.write_contacts(contacts) };
                ran.penetration_max = ran.penetration_max.max(depth);
            }
            if let Err(error) = seen {
                ran.ending = Ending::Abandoned(error);
                break;
            }
        }
        ran.steps = self.world.step_count();
        self.world.write_frame(&mut ran.frame);
        ran
    }
}
