//! Force/torque sensors as Python objects.

use pliant::{SensorFrame, SensorId};
use pyo3::prelude::*;

use crate::core::{Core, Shared, lock};
use crate::errors::{gone, refused};
use crate::told::{rotation, vector, wrench};

/// A force/torque sensor at a gripper, as in the wrist of a robot: what it feels, in its own axes, with rate, bandwidth,
/// noise and tare.
#[pyclass(frozen, module = "pliant")]
pub struct Sensor {
    core: Shared,
    id: SensorId,
    /// Name, unique among sensors.
    #[pyo3(get)]
    name: String,
    /// Name of the gripper whose load it reads.
    #[pyo3(get)]
    gripper: String,
}

impl Sensor {
    pub fn new(core: &Shared, held: &Core, id: SensorId, name: &str) -> PyResult<Sensor> {
        let world = &held.scene.world;
        let sensors = world.sensors().iter();
        let known = sensors.filter(|sensor| sensor.params.name == name).map(|sensor| sensor.params.gripper).next();
        let gripper = known.ok_or_else(|| gone(pliant::Gone { kind: "sensor" }))?;
        let gripper = world.gripper(gripper).map_err(gone)?.params.name.clone();
        Ok(Sensor { core: core.clone(), id, name: name.into(), gripper })
    }

    fn reading(&self, py: Python<'_>) -> PyResult<SensorFrame> {
        lock(py, &self.core).scene.world.reading(self.id).map_err(gone)
    }

    fn change(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut pliant::World) -> Result<(), pliant::ControlError>,
    ) -> PyResult<()> {
        let mut core = lock(py, &self.core);
        act(&mut core.scene.world).map_err(refused)?;
        core.changed();
        Ok(())
    }
}

#[pymethods]
impl Sensor {
    /// Force [N] and torque about its origin [N m] of what the gripper holds or touches, in its own axes, as last read:
    /// an array of shape (6,).
    #[getter]
    fn wrench(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let SensorFrame { force, torque, .. } = self.reading(py)?;
        wrench(py, &pliant::Wrench { force, torque })
    }

    /// Force in its own axes [N], as last read: an array of shape (3,).
    #[getter]
    fn force(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        vector(py, self.reading(py)?.force)
    }

    /// Torque about its origin in its own axes [N m], as last read: an array of shape (3,).
    #[getter]
    fn torque(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        vector(py, self.reading(py)?.torque)
    }

    /// Position in the world [m], an array of shape (3,).
    #[getter]
    fn position(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        vector(py, self.reading(py)?.pose.translation)
    }

    /// Orientation in the world as a quaternion w x y z, an array of shape (4,).
    #[getter]
    fn orientation(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        rotation(py, &self.reading(py)?.pose)
    }

    /// Take what it reads now to be zero.
    fn tare(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py, |world| world.tare(self.id))
    }

    /// Take it out of the world.
    fn remove(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py, |world| world.remove_sensor(self.id))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        match self.reading(py) {
            Ok(reading) => format!("<pliant.Sensor {:?} of {:?}: {} N>", self.name, self.gripper, reading.force),
            Err(_) => format!("<pliant.Sensor {:?}: no longer in its world>", self.name),
        }
    }
}
