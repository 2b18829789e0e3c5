//! The run of a scene: its steps, its expectations, its events. The command, comparisons and published experiments all run
//! scenes by [`Scene::run`] and look on by a callback.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use pliant::{Event, EventKind, Frame, StepError, World};

use crate::Scene;

/// A scene at its start, or at the end of a step.
pub struct Moment<'a> {
    /// The world.
    pub world: &'a World,
    /// Steps taken; none at the start.
    pub step: u64,
    /// Steps of the whole run.
    pub steps: u64,
    /// Length of the step that ended here [s]; zero at the start.
    pub dt: f64,
    /// How long it took to compute.
    pub took: Duration,
    frame: &'a mut Frame,
    is_written: bool,
}

impl Moment<'_> {
    /// The frame of this moment. It is written when it is first asked for: of large solids that may take longer than a step.
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
    /// At its time.
    Done,
    /// The world was asked to stop.
    Stopped,
    /// A step failed; the world is as it was before that step.
    Failed(StepError),
    /// Whoever looked on ended it.
    Abandoned(E),
}

/// What is known of a run at its end.
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
    /// Deepest penetration at the end of any step [m]; of a scene without expectations, of those whose frames were asked for.
    pub penetration_max: f64,
    /// All events, those of the start included.
    pub events: Vec<Event>,
}

impl<E> Ran<E> {
    /// The first time that a rod went through something, and how often it happened.
    pub fn crossings(&self) -> (Option<&Event>, usize) {
        let mut crossings = self.events.iter().filter(|e| matches!(e.kind, EventKind::Crossed { .. }));
        let first = crossings.next();
        (first, usize::from(first.is_some()) + crossings.count())
    }
}

impl Scene {
    /// How many steps the run of this scene has.
    pub fn steps(&self) -> u64 {
        (self.duration / self.step - 1e-9).ceil().max(1.0) as u64
    }

    /// Length of the next step [s]: the last one ends with the scene.
    pub fn next_step(&self) -> f64 {
        let left = self.duration - self.world.time();
        if left > 1e-6 * self.step { self.step.min(left) } else { self.step }
    }

    /// Step to the end of the scene, or until a step fails, the world is asked to stop, or the callback fails. The callback sees
    /// the start and the end of every step.
    pub fn run<E>(&mut self, mut see: impl FnMut(&mut Moment<'_>) -> Result<(), E>) -> Ran<E> {
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
            for expectation in &mut self.expectations {
                expectation.observe(moment.frame());
            }
            let seen = see(&mut moment);
            if moment.is_written && step > 0 {
                ran.penetration_max = ran.penetration_max.max(ran.frame.penetration);
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
