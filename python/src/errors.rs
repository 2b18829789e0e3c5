//! Exceptions, with the sentences that the command prints.

use pliant_scene::SceneError as Unreadable;
use pyo3::prelude::*;

/// Declares exceptions in an inner module: the macro of the library writes `unsafe impl`, with which the lint agrees
/// only there.
#[allow(unsafe_code, missing_docs)]
mod declared {
    use pyo3::create_exception;
    use pyo3::exceptions::PyException;

    create_exception!(pliant, PliantError, PyException, "What goes wrong in Pliant; the others are kinds of it.");
    create_exception!(
        pliant,
        SceneError,
        PliantError,
        "A scene cannot be used. Attributes: file, line and column (None where the whole scene is meant), message, help."
    );
    create_exception!(pliant, StepError, PliantError, "A step failed. The world is as it was before the step.");
    create_exception!(
        pliant,
        ControlError,
        PliantError,
        "Something between steps was refused. The world is as it was before."
    );
    create_exception!(pliant, SnapshotError, PliantError, "Bytes are no snapshot, or one of another world.");
    create_exception!(pliant, RecordError, PliantError, "A recording cannot be written or read.");
}

pub use declared::{ControlError, PliantError, RecordError, SceneError, SnapshotError, StepError};

/// A scene that cannot be used, as an exception.
pub fn unreadable(py: Python<'_>, error: &Unreadable) -> PyErr {
    let exception = SceneError::new_err(error.to_string());
    let value = exception.value(py);
    let told = [
        value.setattr("file", error.file()),
        value.setattr("line", error.line()),
        value.setattr("column", error.column()),
        value.setattr("message", error.message()),
        value.setattr("help", error.help_text()),
    ];
    match told.into_iter().find_map(Result::err) {
        Some(failed) => failed,
        None => exception,
    }
}

/// A refusal between steps, as an exception.
pub fn refused(error: impl Into<pliant::ControlError>) -> PyErr {
    ControlError::new_err(error.into().to_string())
}

/// Something that is no longer in the world, as an exception.
pub fn gone(error: pliant::Gone) -> PyErr {
    refused(error)
}

/// A failed recording, as an exception.
pub fn unrecorded(error: pliant_record::RecordError) -> PyErr {
    RecordError::new_err(error.to_string())
}
