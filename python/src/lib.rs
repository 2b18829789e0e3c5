//! The compiled half of the Python package `pliant`: worlds, what is in them, and batches of them, as Python objects
//! over the engine. No physics here: every number comes from the engine, and what is refused is refused by it.
//!
//! A world is a [`core::Core`] behind a lock that all handles of it share, so that any thread may use any of them while
//! another steps without the interpreter's lock.

mod arm;
mod arrays;
mod batch;
mod body;
mod control;
mod convert;
mod core;
mod driven;
mod errors;
mod gripper;
mod identify;
mod interrupt;
mod obstacle;
mod parts;
mod protobuf;
mod reading;
mod recording;
mod sensor;
mod snapshot;
mod source;
mod told;
mod world;

use pyo3::prelude::*;

/// The engine under the package `pliant`, which documents it.
#[pymodule]
mod _pliant {
    #[pymodule_export]
    use super::arm::Arm;
    #[pymodule_export]
    use super::batch::Batch;
    #[pymodule_export]
    use super::body::Body;
    #[pymodule_export]
    use super::control::{Grip, Load};
    #[pymodule_export]
    use super::errors::{ControlError, PliantError, RecordError, SceneError, SnapshotError, StepError};
    #[pymodule_export]
    use super::gripper::Gripper;
    #[pymodule_export]
    use super::identify::{identify, identify_response};
    #[pymodule_export]
    use super::obstacle::Obstacle;
    #[pymodule_export]
    use super::reading::read_topics;
    #[pymodule_export]
    use super::sensor::Sensor;
    #[pymodule_export]
    use super::snapshot::Snapshot;
    #[pymodule_export]
    use super::world::{World, load, schema};

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
