//! What the loop of the hands and the thread of the world leave for each other. The world always has a thread of its
//! own: a step that suddenly takes long, because a cable is pulled far and fast, then delays no force.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use pliant::math::{Pose, Quat, Vec3};
use pliant::{Stop, Wrench};

use crate::action::HANDS;
use crate::driver::{Driver, Wish};
use crate::input::{Input, InputSlot, Source};
use crate::pace::Pace;
use crate::session::Session;
use crate::slot::Slot;
use crate::status::{Clock, Status};

/// When the world takes its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rhythm {
    /// One at each beat of the loop, which waits a little for it. Beats that come while a step is being taken are left
    /// out.
    Beats,
    /// At its own rate, because a step takes longer than the period of the loop.
    Own,
}

/// Time after which the thread of the world looks whether it is to end.
const GLANCE: Duration = Duration::from_millis(20);

/// Time after which a turn of the world is stopped: nothing that takes so long is live, and somebody may have asked for
/// what takes for ever.
const TOO_LONG: Duration = Duration::from_secs(5);

/// What the loop and the world leave for each other.
#[derive(Debug)]
pub struct Link {
    rhythm: Rhythm,
    /// Ends a step early.
    pub stop: Stop,
    /// After this time.
    pub too_long: Duration,
    clock: Clock,
    /// When the world began its turn, on that clock [ns]; 0 between turns.
    begun: AtomicU64,
    /// Length of a step of the world [s].
    pub dt: f64,
    wishes: [InputSlot; HANDS],
    loads: [Slot<FELT>; HANDS],
    /// Number of the last beat at which a step was asked for, and of the last one that was answered.
    asked: AtomicU64,
    answered: AtomicU64,
    hands: OnceLock<Thread>,
    world: OnceLock<Thread>,
}

/// The load of a hand in a step of the world.
#[derive(Clone, Copy, Debug)]
pub struct Felt {
    /// Where the tool was at its end.
    pub pose: Pose,
    /// Force and torque on it.
    pub load: Wrench,
    /// Whether the world did not let it go where it wanted.
    pub stopped: bool,
    /// Number of the step.
    pub count: u64,
}

const FELT: usize = 15;

impl Felt {
    fn to_words(self) -> [u64; FELT] {
        let (at, q) = (self.pose.translation, self.pose.rotation);
        let (f, t) = (self.load.force, self.load.torque);
        let numbers = [at.x, at.y, at.z, q.w, q.x, q.y, q.z, f.x, f.y, f.z, t.x, t.y, t.z].map(f64::to_bits);
        let rest = [u64::from(self.stopped), self.count];
        std::array::from_fn(|n| numbers.get(n).copied().unwrap_or_else(|| rest[n - numbers.len()]))
    }

    fn from_words(words: [u64; FELT]) -> Felt {
        let n: [f64; 13] = std::array::from_fn(|n| f64::from_bits(words[n]));
        Felt {
            pose: Pose::from_parts(Vec3::new(n[0], n[1], n[2]), Quat::from_xyzw(n[4], n[5], n[6], n[3])),
            load: Wrench { force: Vec3::new(n[7], n[8], n[9]), torque: Vec3::new(n[10], n[11], n[12]) },
            stopped: words[13] == 1,
            count: words[14],
        }
    }
}

impl Link {
    /// A link to a world that takes steps of `dt` [s].
    pub fn new(rhythm: Rhythm, dt: f64) -> Link {
        Link {
            rhythm,
            stop: Stop::default(),
            too_long: TOO_LONG,
            clock: Clock::default(),
            begun: AtomicU64::new(0),
            dt,
            wishes: Default::default(),
            loads: Default::default(),
            asked: AtomicU64::new(0),
            answered: AtomicU64::new(0),
            hands: OnceLock::new(),
            world: OnceLock::new(),
        }
    }

    /// Leave what tools want. A world that steps with the loop is waited for until an instant, unless it is at an
    /// earlier beat still.
    pub fn ask(&self, wishes: &[Wish; HANDS], until: Instant) {
        for (slot, wish) in self.wishes.iter().zip(wishes) {
            slot.write(to_input(wish).to_words());
        }
        self.watch();
        if self.rhythm == Rhythm::Own {
            return;
        }
        self.hands.get_or_init(thread::current);
        let before = self.asked.fetch_add(1, Ordering::AcqRel);
        self.world.get().inspect(|world| world.unpark());
        let is_busy = self.answered.load(Ordering::Acquire) != before;
        while !is_busy && self.answered.load(Ordering::Acquire) == before {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            thread::park_timeout(left.min(GLANCE));
            self.watch();
        }
    }

    /// Stop a turn of the world that takes too long.
    fn watch(&self) {
        let begun = self.begun.load(Ordering::Relaxed);
        let passed = self.clock.nanos(Instant::now()).saturating_sub(begun);
        if begun != 0 && Duration::from_nanos(passed) > self.too_long {
            self.stop.ask();
        }
    }

    /// The last load of a hand.
    pub fn felt(&self, hand: usize) -> Option<Felt> {
        self.loads[hand].read().map(Felt::from_words)
    }

    /// Wait for the next step. Returns the number of the beat that asks for it; `None` at the end.
    fn next(&self, pace: &mut Pace, status: &Status) -> Option<u64> {
        if self.rhythm == Rhythm::Own {
            pace.wait();
        }
        while !status.is_ending() {
            let asked = self.asked.load(Ordering::Acquire);
            if self.rhythm == Rhythm::Own || asked != self.answered.load(Ordering::Relaxed) {
                return Some(asked);
            }
            thread::park_timeout(GLANCE);
        }
        None
    }
}

/// The thread of the world: take steps until asked to end.
pub fn run_world(mut driver: Driver, link: &Link, status: &Status) -> Session {
    link.world.get_or_init(thread::current);
    let mut pace = Pace::new(Duration::from_secs_f64(driver.dt()));
    let mut turns = Turns::default();
    while let Some(beat) = link.next(&mut pace, status) {
        turns.hear(link);
        let begun = Instant::now();
        link.begun.store(link.clock.nanos(begun).max(1), Ordering::Relaxed);
        turns.take(&mut driver, link);
        link.begun.store(0, Ordering::Relaxed);
        if !status.is_ending() {
            link.stop.take_back();
        }
        status.world.add(begun.elapsed());
        link.answered.store(beat, Ordering::Release);
        link.hands.get().inspect(|hands| hands.unpark());
    }
    driver.into_session()
}

/// Turns of the world, from what tools want to what they feel.
#[derive(Debug)]
pub struct Turns {
    wishes: [Wish; HANDS],
    count: u64,
}

impl Default for Turns {
    fn default() -> Turns {
        Turns { wishes: [Wish::NONE; HANDS], count: 0 }
    }
}

impl Turns {
    /// Hear what tools want.
    pub fn hear(&mut self, link: &Link) {
        for (wish, slot) in self.wishes.iter_mut().zip(&link.wishes) {
            // one that is being written just now is taken at the next step
            let Some(input) = slot.read().and_then(Input::from_words) else { continue };
            let pose = (input.source != Source::Nobody).then_some(input.pose);
            *wish = Wish { pose, grips: input.pressed, reach: input.reach, clamp: input.turns };
        }
    }

    /// Take a turn, and leave what tools feel.
    pub fn take(&mut self, driver: &mut Driver, link: &Link) {
        let Some(loads) = driver.turn(&self.wishes) else { return };
        self.count += 1;
        for (hand, (pose, load)) in loads.into_iter().enumerate() {
            let stopped = self.wishes[hand].pose.is_some_and(|wished| wished != pose);
            link.loads[hand].write(Felt { pose, load, stopped, count: self.count }.to_words());
        }
    }
}

fn to_input(wish: &Wish) -> Input {
    let source = if wish.pose.is_some() { Source::Script } else { Source::Nobody };
    let pose = wish.pose.unwrap_or(Pose::IDENTITY);
    Input { pose, pressed: wish.grips, turns: wish.clamp, reach: wish.reach, source, heard: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_that_takes_too_long_is_stopped_and_others_are_not() {
        let mut link = Link::new(Rhythm::Own, 0.001);
        link.ask(&[Wish::NONE; HANDS], Instant::now());
        assert!(!link.stop.is_asked());
        link.begun.store(1, Ordering::Relaxed);
        link.ask(&[Wish::NONE; HANDS], Instant::now());
        assert!(!link.stop.is_asked());
        link.too_long = Duration::ZERO;
        std::thread::sleep(Duration::from_millis(1));
        link.ask(&[Wish::NONE; HANDS], Instant::now());
        assert!(link.stop.is_asked());
    }
}
