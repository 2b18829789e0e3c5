//! What all writing goes through, so that a process may be ended by another thread without leaving a torn file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A way to end all writing of a [`Recorder`](crate::Recorder) from another thread, just before the process ends. Clones are
/// the same gate.
///
/// ```
/// let gate = pliant_record::Gate::default();
/// // for Recorder::create_behind, and in a signal handler that cannot wait for the run:
/// let handler = move || {
///     gate.close();
///     // std::process::exit(1)
/// };
/// # handler();
/// ```
#[derive(Clone, Debug, Default)]
pub struct Gate(Arc<Mutex<Vec<PathBuf>>>);

impl Gate {
    /// Wait for the file that is being written to be complete, a few milliseconds, remove those of which nothing readable is
    /// there yet, and let no other write through for ever: a thread that writes then waits without end. Returns whether no
    /// file was removed.
    pub fn close(&self) -> bool {
        let unfinished = self.pass();
        for path in unfinished.iter() {
            // the process ends, and there is nobody to report a failure to
            let _ = fs::remove_file(path);
        }
        let is_whole = unfinished.is_empty();
        std::mem::forget(unfinished);
        is_whole
    }

    /// The right to write while it is held, and the files of which nothing readable is there yet.
    pub(crate) fn pass(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Note that a file is readable, or gone.
pub(crate) fn settled(unfinished: &mut Vec<PathBuf>, path: &Path) {
    unfinished.retain(|other| other != path);
}
