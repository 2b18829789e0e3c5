//! Snapshots as Python objects.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::SnapshotError;

/// The whole state of a world at one instant. Pickles; `bytes(snapshot)` are the same on every machine.
#[pyclass(frozen, eq, module = "pliant")]
#[derive(PartialEq)]
pub struct Snapshot {
    pub inner: pliant::Snapshot,
}

#[pymethods]
impl Snapshot {
    #[new]
    pub fn new(bytes: &[u8]) -> PyResult<Snapshot> {
        let inner = pliant::Snapshot::from_bytes(bytes).map_err(|error| SnapshotError::new_err(error.to_string()))?;
        Ok(Snapshot { inner })
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.to_bytes())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (Bound<'py, PyBytes>,)) {
        (py.get_type::<Snapshot>().into_any(), (self.__bytes__(py),))
    }

    fn __repr__(&self) -> String {
        format!("<pliant.Snapshot of {} bytes>", self.inner.to_bytes().len())
    }
}
