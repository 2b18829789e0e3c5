//! Handling of Ctrl-C. A command that has nothing to finish ends at once. One that has is asked to stop and finishes
//! its files; a second Ctrl-C ends that too.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use pliant::Stop;

use crate::output;

/// How long a command whose files are complete at any time may take to stop by itself.
const GRACE: Duration = Duration::from_millis(120);

/// There is nothing to finish.
const AT_ONCE: u8 = 0;
/// Files are complete, but the command may report what it stored if it is quick.
const SOON: u8 = 1;
/// Files have to be finished.
const FINISHING: u8 = 2;

static MANNER: AtomicU8 = AtomicU8::new(AT_ONCE);
static STOP: OnceLock<Stop> = OnceLock::new();

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
            SOON if !again => std::thread::sleep(GRACE),
            _ => {}
        }
        output::talk("error: interrupted");
        std::process::exit(1);
    });
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

impl Drop for Finishing {
    fn drop(&mut self) {
        MANNER.store(self.0, Ordering::Relaxed);
    }
}
