//! The file in which everything done in a live run is written down as it happens.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rtrb::Consumer;

use crate::action::{Entry, Head, write_end};
use crate::status::Status;

/// A file of controls that is being written.
#[derive(Debug)]
pub struct Log {
    /// Where it is.
    pub path: PathBuf,
    thread: JoinHandle<io::Result<()>>,
}

impl Log {
    /// Begin to write; fails if the file exists.
    pub fn begin(path: &Path, head: &Head, entries: Consumer<Entry>, status: Arc<Status>) -> io::Result<Log> {
        let mut file = BufWriter::new(File::create_new(path)?);
        head.write(&mut file)?;
        file.flush()?;
        let thread = thread::Builder::new().name("pliant log".into()).spawn(move || write(file, entries, &status))?;
        Ok(Log { path: path.into(), thread })
    }

    /// Wait until all is written, after the run has been asked to end and its threads have.
    pub fn end(self) -> io::Result<()> {
        self.thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread that wrote it has failed")))
    }
}

fn write(mut file: BufWriter<File>, mut entries: Consumer<Entry>, status: &Status) -> io::Result<()> {
    loop {
        // asked before the queue is emptied, so that nothing that came before is left in it
        let is_last = status.is_ending() && entries.is_abandoned();
        while let Ok(entry) = entries.pop() {
            entry.write(&mut file)?;
        }
        if is_last {
            write_end(&mut file, status.steps.load(std::sync::atomic::Ordering::Relaxed))?;
            return file.flush();
        }
        file.flush()?;
        thread::sleep(Duration::from_millis(50));
    }
}
