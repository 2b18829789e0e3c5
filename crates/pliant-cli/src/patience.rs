//! Warnings about runs that take longer than a user would want to wait: before the start from the number of internal
//! steps that models expect, and shortly after from the pace of the run itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use pliant::Body;
use pliant_scene::Scene;

use crate::output::{self, short};

/// A warning is printed for runs longer than this [s].
const LONG: f64 = 60.0;

/// When the pace of the run is first measured.
const FIRST_LOOK: Duration = Duration::from_millis(700);

/// Part of that time of which the pace counts: the first steps, in which things fall into place, are often the slowest.
const LATER_PART: f64 = 0.5;

/// When the pace is measured again, in case the first steps were no measure of the others.
const SECOND_LOOK: Duration = Duration::from_secs(5);

/// An estimate is corrected if it was too long by this factor.
const WRONG: f64 = 3.0;

/// Rough time of a model step per point, interval or particle on any recent machine [s].
fn seconds_per_point(body: &Body) -> f64 {
    match body {
        Body::Chain(_) => 1.5e-8,
        Body::Lattice(_) => 3e-7,
        Body::Elastica(_) => 2e-6,
        // these advance by steps of the world, whose pace is soon known
        Body::Cable(_) | Body::Xpbd(_) | Body::Response(_) | Body::Arm(_) => 0.0,
    }
}

/// Warnings about bodies that need so many internal steps that the run takes long.
pub fn foreseen(scene: &Scene) -> Vec<String> {
    let steps = scene.steps() as f64;
    let told = |body: &Body| {
        let own = body.expected_steps(scene.step);
        let seconds = steps * own * body.size() as f64 * seconds_per_point(body);
        (seconds > LONG).then(|| {
            format!(
                "{} takes about {} steps of its own for each of the {} steps of {} s: expect the run to last about {} ({})",
                body.name(),
                short(own),
                short(steps),
                short(scene.step),
                in_words(seconds),
                quicker(body)
            )
        })
    };
    scene.world.bodies().iter().filter_map(told).collect()
}

fn quicker(body: &Body) -> &'static str {
    match body {
        Body::Chain(_) => "fewer points, a softer or thicker rod or a lower rate is quicker",
        Body::Elastica(_) => "fewer intervals, or elastica.integrator = \"midpoint\", is quicker",
        _ => "softer material or larger cells are quicker",
    }
}

/// A duration in a suitable unit.
pub fn in_words(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{} s", s.round()),
        s if s < 7200.0 => format!("{} minutes", (s / 60.0).round()),
        s if s < 172_800.0 => format!("{} hours", (s / 360.0).round() / 10.0),
        s => format!("{} days", (s / 8640.0).round() / 10.0),
    }
}

/// Watches the pace of a run from another thread.
pub struct Watcher {
    done: Arc<AtomicU64>,
    /// Ends the thread when dropped.
    _end: Sender<()>,
}

impl Watcher {
    /// Watch a run of `steps` steps from now on. Within its first second a warning says how long it will take, if that
    /// is long; for a run already `foreseen` to be long, only if a step has been completed by then, since otherwise
    /// there is nothing to add.
    pub fn begin(steps: u64, foreseen: bool) -> Watcher {
        let done = Arc::new(AtomicU64::new(0));
        let (end, ended) = channel::<()>();
        let (seen, begun) = (done.clone(), Instant::now());
        std::thread::spawn(move || {
            // the run is over, or its number of steps and the time now
            let look = |after: Duration| match ended.recv_timeout(after) {
                Err(RecvTimeoutError::Timeout) => {
                    Some(Pace { done: seen.load(Ordering::Relaxed), at: begun.elapsed().as_secs_f64() })
                }
                _ => None,
            };
            let Some(early) = look(FIRST_LOOK.mul_f64(1.0 - LATER_PART)) else { return };
            let Some(now) = look(FIRST_LOOK.mul_f64(LATER_PART)) else { return };
            let first = now.whole(&early, steps);
            if first > LONG && (now.done > 0 || !foreseen) {
                now.tell(steps, first);
            }
            let Some(later) = look(SECOND_LOOK) else { return };
            let second = later.whole(&now, steps);
            // one slow step among others is no reason to tell more than at first
            let is_better = first > LONG && first > WRONG * second;
            if later.done > now.done && (is_better || first <= LONG && second > LONG) {
                later.tell(steps, second);
            }
        });
        Watcher { done, _end: end }
    }

    /// Report the number of completed steps.
    pub fn note(&self, done: u64) {
        self.done.store(done, Ordering::Relaxed);
    }
}

/// Read something, and say so where that takes longer than a moment: how long is not known before it is read.
pub fn reading<T>(what: &str, read: impl FnOnce() -> T) -> T {
    let (end, ended) = channel::<()>();
    let text =
        format!("reading {what} and what it names takes a while: large meshes, solids, long cables or an equilibrium");
    std::thread::spawn(move || {
        if ended.recv_timeout(FIRST_LOOK) == Err(RecvTimeoutError::Timeout) {
            output::talk(text);
        }
    });
    let result = read();
    drop(end);
    result
}

/// How far a run has come.
struct Pace {
    /// Steps done.
    done: u64,
    /// Time since it began [s].
    at: f64,
}

impl Pace {
    /// How long the whole run will take at the pace since an earlier look, or since its start if no step was done since
    /// [s].
    fn whole(&self, early: &Pace, steps: u64) -> f64 {
        let since = if self.done > early.done { early } else { &Pace { done: 0, at: 0.0 } };
        let each = (self.at - since.at) / self.done.saturating_sub(since.done).max(1) as f64;
        self.at + each * steps.saturating_sub(self.done) as f64
    }

    fn tell(&self, steps: u64, whole: f64) {
        let Pace { done, at } = self;
        let lasts = in_words(whole);
        let estimate = match done {
            0 => format!("if the others are as slow as the first, expect the run to last {lasts} or more"),
            _ => format!("expect the run to last about {lasts}, or less, since the first steps are often the slowest"),
        };
        output::talk(format!("warning: {done} of {steps} steps in the first {at:.1} s: {estimate}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_units_that_suit_them() {
        let cases = [(61.4, "61 s"), (600.0, "10 minutes"), (9000.0, "2.5 hours"), (864_000.0, "10 days")];
        for (seconds, words) in cases {
            assert_eq!(in_words(seconds), words);
        }
    }

    #[test]
    fn slow_first_steps_do_not_count() {
        // ten steps of 35 ms each, then 350 steps of 1 ms
        let (early, now) = (Pace { done: 10, at: 0.35 }, Pace { done: 360, at: 0.7 });
        assert!((now.whole(&early, 1000) - (0.7 + 0.64)).abs() < 1e-9);
        // one step that has lasted since the start
        let (early, now) = (Pace { done: 1, at: 0.35 }, Pace { done: 1, at: 0.7 });
        assert!((now.whole(&early, 101) - 70.7).abs() < 1e-9);
    }
}
