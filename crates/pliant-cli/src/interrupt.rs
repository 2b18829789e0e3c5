//! Handling of Ctrl-C. A command that has nothing to finish ends at once. One that has is asked to stop and finishes
//! its files, for a moment only: a step, a frame or a report of millions of nodes may take seconds, and then the files are
//! left as they are, whole. A second Ctrl-C ends the waiting too.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use pliant::Stop;
use pliant_record::Gate;

use crate::output;

/// How long a command whose files are complete at any time may take to stop by itself: what ends then is gone within 0.2 s.
const GRACE: Duration = Duration::from_millis(120);
/// The least of it, for commands whose memory takes the system long to take back.
const LEAST_GRACE: Duration = Duration::from_millis(20);
/// Time in which the system takes back a megabyte of a process that ends.
const PER_MEGABYTE: Duration = Duration::from_micros(80);

/// There is nothing to finish.
const AT_ONCE: u8 = 0;
/// Files are complete, but the command may report what it stored if it is quick.
const SOON: u8 = 1;
/// Files have to be finished.
const FINISHING: u8 = 2;

static MANNER: AtomicU8 = AtomicU8::new(AT_ONCE);
static STOP: OnceLock<Stop> = OnceLock::new();
/// What the files of this command are written through.
static GATE: Mutex<Option<Gate>> = Mutex::new(None);

/// The handle by which Ctrl-C stops a world.
pub fn stop() -> &'static Stop {
    STOP.get_or_init(Stop::default)
}

/// Install the handler of Ctrl-C.
pub fn install() {
    // without a handler Ctrl-C still ends the command, only less cleanly
    let _ = ctrlc::set_handler(|| {
        let again = stop().is_asked();
        stop().ask();
        match MANNER.load(Ordering::Relaxed) {
            FINISHING if !again => return,
            SOON if !again => std::thread::sleep(grace()),
            _ => {}
        }
        output::talk(match GATE.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(gate) if gate.close() => {
                "error: interrupted, and what remained to be done takes too long: the recording and the samples end a moment \
                 earlier, the index of the recording, the report and the results are left out"
            }
            Some(_) => {
                "error: interrupted, and what remained to be done takes too long: files that had just begun are removed"
            }
            None => "error: interrupted",
        });
        std::process::exit(1);
    });
}

/// How long this command may take to stop by itself.
fn grace() -> Duration {
    let taken_back = pliant_live::memory_mb().map_or(Duration::ZERO, |size| PER_MEGABYTE.mul_f64(size));
    GRACE.saturating_sub(taken_back).max(LEAST_GRACE)
}

/// While this value lives, Ctrl-C asks the command to stop and lets it finish.
pub struct Finishing(u8);

/// From here on the command has files to finish.
pub fn finishing() -> Finishing {
    Finishing(MANNER.swap(FINISHING, Ordering::Relaxed))
}

/// From here on the command may report what it stored; its files are complete anyway.
pub fn soon() -> Finishing {
    Finishing(MANNER.swap(SOON, Ordering::Relaxed))
}

/// From here on the command writes files through this gate, which keeps them whole: Ctrl-C lets it finish for a moment.
pub fn soon_behind(gate: Gate) -> Finishing {
    *GATE.lock().unwrap_or_else(PoisonError::into_inner) = Some(gate);
    soon()
}

impl Drop for Finishing {
    fn drop(&mut self) {
        MANNER.store(self.0, Ordering::Relaxed);
    }
}
