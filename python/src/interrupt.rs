//! Ctrl-C during long work: the work runs on a thread of its own, while the calling one asks the interpreter for
//! signals now and then, and stops the world when there is one.

use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pliant::Stop;
use pyo3::prelude::*;

/// How often signals are looked for.
pub const PATIENCE: Duration = Duration::from_millis(50);

/// Do work without the interpreter's lock. A signal handler that raises, as that of Ctrl-C does, asks `stop`, waits for
/// the work to end, and its exception is the result.
pub fn interruptible<T: Send>(py: Python<'_>, stop: &Stop, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let (done, waiting) = channel();
    let (result, raised) = py.detach(move || {
        std::thread::scope(move |scope| {
            let worker = scope.spawn(move || {
                let result = work();
                // nobody waits any more after a signal
                let _ = done.send(());
                result
            });
            let mut raised = None;
            while waiting.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                if let Err(error) = Python::attach(|py| py.check_signals()) {
                    stop.ask();
                    raised = Some(error);
                    break;
                }
            }
            (worker.join(), raised)
        })
    });
    stop.take_back();
    match (result, raised) {
        (_, Some(error)) => Err(error),
        (Ok(value), None) => Ok(value),
        (Err(panic), None) => resume_unwind(panic),
    }
}
