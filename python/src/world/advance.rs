//! A world that goes on, or back to its start.

use std::time::Instant;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::core::{Shared, Trouble, lock, lock_detached};
use crate::interrupt::{PATIENCE, interruptible};
use crate::source::overrides;

/// Advance by `n` steps, and look for signals now and then.
pub fn step(py: Python<'_>, shared: &Shared, n: u64, dt: Option<f64>) -> PyResult<()> {
    let mut left = n;
    let mut first = true;
    loop {
        let trouble = py.detach(|| {
            let mut core = lock_detached(shared);
            let dt = dt.unwrap_or(core.scene.step);
            if std::mem::take(&mut first) {
                core.events.clear();
            }
            // a single step needs no clock
            let begun = (left > 1).then(Instant::now);
            while left > 0 {
                core.step(dt)?;
                left -= 1;
                if begun.is_some_and(|begun| begun.elapsed() > PATIENCE) {
                    break;
                }
            }
            Ok::<(), Trouble>(())
        });
        trouble.map_err(Trouble::raise)?;
        if left == 0 {
            return Ok(());
        }
        py.check_signals()?;
    }
}

/// Run for some time, or to the end of the scene.
pub fn run(py: Python<'_>, shared: &Shared, seconds: Option<f64>) -> PyResult<()> {
    if seconds.is_some_and(|seconds| !(seconds.is_finite() && seconds >= 0.0)) {
        return Err(PyValueError::new_err("the time to run must be finite and not negative"));
    }
    let stop = lock(py, shared).stop.clone();
    let ran = interruptible(py, &stop, || {
        let mut core = lock_detached(shared);
        core.events.clear();
        let end = seconds.map_or(core.scene.duration, |seconds| core.scene.world.time() + seconds);
        core.run_until(end)
    })?;
    ran.map_err(Trouble::raise)
}

/// Go back to the start, of the same scene or with other values.
pub fn reset(py: Python<'_>, shared: &Shared, changes: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    let changes = overrides(changes)?;
    let source = lock(py, shared).first.clone();
    let built = match changes.is_empty() {
        true => None,
        false => {
            let source = source.with(changes);
            Some((py.detach(|| source.build()).map_err(|error| error.raise(py))?, source))
        }
    };
    let mut core = lock(py, shared);
    match built {
        Some((scene, source)) => core.replace(scene, source),
        None => core.reset(),
    }
    Ok(())
}
