//! What Ctrl-C does. A command that has nothing to finish ends at once. One that has is asked to stop, and finishes its files; a
//! second Ctrl-C ends that too.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use pliant::Stop;

use crate::output;

/// How long a command whose files are whole at any time may take to stop by itself.
const GRACE: Duration = Duration::from_millis(120);

/// Nothing has to be finished.
const AT_ONCE: u8 = 0;
/// It may tell what it has kept, if it comes to that soon.
const SOON: u8 = 1;
/// Files have to be finished.
const FINISHING: u8 = 2;

static MANNER: AtomicU8 = AtomicU8::new(AT_ONCE);
static STOP: OnceLock<Stop> = OnceLock::new();

/// The handle by which Ctrl-C stops a world.
pub fn stop() -> &'static Stop {
    STOP.get_or_init(Stop::default)
}

/// Have Ctrl-C end the command as it should from now on.
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

/// While it lives, Ctrl-C asks to stop and lets the command finish.
pub struct Finishing(u8);

/// The command has files to finish from here on.
pub fn finishing() -> Finishing {
    Finishing(MANNER.swap(FINISHING, Ordering::Relaxed))
}

/// The command may tell what it has kept, but its files are whole anyway.
pub fn soon() -> Finishing {
    Finishing(MANNER.swap(SOON, Ordering::Relaxed))
}

impl Drop for Finishing {
    fn drop(&mut self) {
        MANNER.store(self.0, Ordering::Relaxed);
    }
}
