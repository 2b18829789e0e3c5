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

/// When the pace of the run is measured.
const FIRST_LOOK: Duration = Duration::from_millis(700);

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
            if ended.recv_timeout(FIRST_LOOK) == Err(RecvTimeoutError::Timeout) {
                let done = seen.load(Ordering::Relaxed);
                if done > 0 || !foreseen {
                    tell(steps, done, begun.elapsed().as_secs_f64());
                }
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
        format!("reading {what} and what it names takes a while: large meshes, solids or long cables are made ready");
    std::thread::spawn(move || {
        if ended.recv_timeout(FIRST_LOOK) == Err(RecvTimeoutError::Timeout) {
            output::talk(text);
        }
    });
    let result = read();
    drop(end);
    result
}

/// Tell how long a run will take by its pace.
fn tell(steps: u64, done: u64, elapsed: f64) {
    let whole = elapsed * steps as f64 / done.max(1) as f64;
    if whole <= LONG {
        return;
    }
    let least = if done == 0 { "more than " } else { "about " };
    output::talk(format!(
        "warning: {done} of {steps} steps in the first {elapsed:.1} s: expect the run to last {least}{}",
        in_words(whole)
    ));
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
}
