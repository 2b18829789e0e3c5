//! Numbers of a live run that any thread may read at any time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use pliant::Wrench;
use pliant::math::Vec3;
use serde::Serialize;

use crate::action::HANDS;
use crate::guard::State;
use crate::histogram::{Histogram, Percentiles};
use crate::input::{InputSlot, Source};
use crate::session::Grasped;
use crate::slot::Slot;

/// Numbers of a live run. Each is written by one thread.
#[derive(Debug, Default)]
pub struct Status {
    /// Time between two forces.
    pub period: Histogram,
    /// Time from waking up to the force.
    pub compute: Histogram,
    /// Time from when a force was due to when it was there.
    pub latency: Histogram,
    /// Time of a turn of the world.
    pub world: Histogram,
    /// Forces that came after the next one was due.
    pub overruns: AtomicU64,
    /// Those of them for which the system did not wake the loop in time, or took the core away from it.
    pub taken_away: AtomicU64,
    /// Forces that came more than 2 ms after they were due.
    pub late: AtomicU64,
    /// Those of them that the system was the reason of.
    pub late_taken_away: AtomicU64,
    /// Forces computed.
    pub ticks: AtomicU64,
    /// Steps of the world.
    pub steps: AtomicU64,
    /// Simulated time [s], as bits.
    pub time: AtomicU64,
    /// How many times as fast as real time it is to go, as bits; 0 until it is changed.
    pub speed: AtomicU64,
    /// Whether the world stands still: it is paused or has failed.
    pub standing: AtomicBool,
    /// Whether the system refused the loop a core or precedence that was asked for.
    pub unprivileged: AtomicBool,
    /// Actions that could not be written down, because the file is too slow: the run cannot be replayed.
    pub unwritten: AtomicU64,
    /// Notes that nobody took.
    pub unheard: AtomicU64,
    /// Packets and messages that were dropped: damaged, too large, or from strangers.
    pub dropped: AtomicU64,
    /// How often everything was brought back to the start.
    pub resets: AtomicU64,
    /// What each hand holds: one more than its index, with the highest bit for an obstacle; 0 for nothing.
    grasped: [AtomicU64; HANDS],
    /// What viewers of the page do with each hand.
    pub inputs: [InputSlot; HANDS],
    /// What devices on other computers do with each hand.
    pub hosts: [InputSlot; HANDS],
    /// Whether a device on another computer has each hand.
    pub taken: [AtomicBool; HANDS],
    /// The clock of all threads.
    pub clock: Clock,
    /// What each hand is given.
    pub outputs: [Slot<10>; HANDS],
    /// Asks all threads to end.
    pub ending: AtomicBool,
}

/// Marks an obstacle among things that are held.
const OBSTACLE: u64 = 1 << 63;

/// A clock that begins with the run.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Instant);

impl Default for Clock {
    fn default() -> Clock {
        Clock(Instant::now())
    }
}

impl Clock {
    /// Time since the run began [ns].
    pub fn nanos(&self, now: Instant) -> u64 {
        u64::try_from(now.saturating_duration_since(self.0).as_nanos()).unwrap_or(u64::MAX)
    }
}

/// What a hand is given.
#[derive(Clone, Copy, Debug, Default)]
pub struct Output {
    /// Force and torque.
    pub wrench: Wrench,
    /// How it is served.
    pub state: State,
    /// What moves it; 0 for nothing.
    pub source: u8,
    /// Energy that went to it [J].
    pub to_hand: f64,
    /// The most of that so far [J].
    pub most_to_hand: f64,
}

impl Output {
    /// As words of a slot.
    pub fn to_words(self) -> [u64; 10] {
        let (f, t) = (self.wrench.force, self.wrench.torque);
        let numbers = [f.x, f.y, f.z, t.x, t.y, t.z, self.to_hand, self.most_to_hand].map(f64::to_bits);
        let [a, b, c, d, e, g, h, i] = numbers;
        [a, b, c, d, e, g, h, i, self.state as u64, u64::from(self.source)]
    }

    /// From words of a slot.
    pub fn from_words(words: [u64; 10]) -> Output {
        let number = |n: usize| f64::from_bits(words[n]);
        Output {
            wrench: Wrench {
                force: Vec3::new(number(0), number(1), number(2)),
                torque: Vec3::new(number(3), number(4), number(5)),
            },
            to_hand: number(6),
            most_to_hand: number(7),
            state: State::ALL.get(words[8] as usize).copied().unwrap_or_default(),
            source: words[9] as u8,
        }
    }
}

/// What is told of the times and faults of a live run.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// Steps of the world.
    pub steps: u64,
    /// Simulated time [s].
    pub time: f64,
    /// Time between two forces [us].
    pub period_us: Percentiles,
    /// Time from waking up to the force [us].
    pub compute_us: Percentiles,
    /// Time from when a force was due to when it was there [us].
    pub latency_us: Percentiles,
    /// Time in which the world takes the step of a beat [us].
    pub world_us: Percentiles,
    /// Forces that came after the next one was due.
    pub overruns: u64,
    /// Those of them that the system was the reason of.
    pub taken_away: u64,
    /// Forces that came more than 2 ms after they were due.
    pub late: u64,
    /// Those of them that the system was the reason of.
    pub late_taken_away: u64,
    /// Packets and messages that were dropped.
    pub dropped: u64,
    /// Actions that could not be written down.
    pub unwritten: u64,
}

impl Status {
    /// The figures now.
    pub fn figures(&self) -> Figures {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Figures {
            steps: count(&self.steps),
            time: f64::from_bits(count(&self.time)),
            period_us: self.period.percentiles(),
            compute_us: self.compute.percentiles(),
            latency_us: self.latency.percentiles(),
            world_us: self.world.percentiles(),
            overruns: count(&self.overruns),
            taken_away: count(&self.taken_away),
            late: count(&self.late),
            late_taken_away: count(&self.late_taken_away),
            dropped: count(&self.dropped),
            unwritten: count(&self.unwritten),
        }
    }

    /// How many times as fast as real time it is to go.
    pub fn speed(&self) -> f64 {
        match self.speed.load(Ordering::Relaxed) {
            0 => 1.0,
            bits => f64::from_bits(bits),
        }
    }

    /// What a hand is given now.
    pub fn output(&self, hand: usize) -> Output {
        self.outputs[hand].read().map(Output::from_words).unwrap_or_default()
    }

    /// What a hand holds.
    pub fn grasped(&self, hand: usize) -> Option<Grasped> {
        let word = self.grasped[hand].load(Ordering::Relaxed);
        let index = usize::try_from(word & !OBSTACLE).ok()?.checked_sub(1)?;
        Some(if word & OBSTACLE == 0 { Grasped::Body(index) } else { Grasped::Obstacle(index) })
    }

    /// Tell what a hand holds.
    pub fn set_grasped(&self, hand: usize, grasped: Option<Grasped>) {
        let word = match grasped {
            None => 0,
            Some(Grasped::Body(index)) => index as u64 + 1,
            Some(Grasped::Obstacle(index)) => (index as u64 + 1) | OBSTACLE,
        };
        self.grasped[hand].store(word, Ordering::Relaxed);
    }

    /// Ask all threads to end.
    pub fn end(&self) {
        self.ending.store(true, Ordering::Relaxed);
    }

    /// Whether all threads are asked to end.
    pub fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Relaxed)
    }
}

/// What moves a hand, from the number in its output.
pub fn source_of(output: &Output) -> Source {
    match output.source {
        1 => Source::Page,
        2 => Source::Device,
        3 => Source::Script,
        _ => Source::Nobody,
    }
}
