//! Grips and loads as Python objects.

use pliant::math::Vec3;
use pliant::{GripId, GripState, LoadId};
use pyo3::prelude::*;

use crate::convert::{Triple, place_text};
use crate::core::{Shared, lock};
use crate::errors::{gone, refused};
use crate::told::{vector, wrench};

/// A place of a body held by a gripper.
#[pyclass(frozen, module = "pliant")]
pub struct Grip {
    core: Shared,
    id: GripId,
}

impl Grip {
    pub fn new(core: &Shared, id: GripId) -> Grip {
        Grip { core: core.clone(), id }
    }

    fn with<T>(&self, py: Python<'_>, read: impl FnOnce(&pliant::Grip) -> T) -> PyResult<T> {
        Ok(read(lock(py, &self.core).scene.world.grip(self.id).map_err(gone)?))
    }
}

#[pymethods]
impl Grip {
    /// Name of the gripper.
    #[getter]
    fn gripper(&self, py: Python<'_>) -> PyResult<String> {
        let gripper = self.with(py, |grip| grip.params.gripper)?;
        Ok(lock(py, &self.core).scene.world.gripper(gripper).map_err(gone)?.params.name.clone())
    }

    /// Name of the body.
    #[getter]
    fn body(&self, py: Python<'_>) -> PyResult<String> {
        let body = self.with(py, |grip| grip.params.body)?;
        Ok(lock(py, &self.core).scene.world.body(body).map_err(gone)?.name().to_string())
    }

    /// Whether it is closed: "open", "closing", "closed", "sliding" or "lost".
    #[getter]
    fn state(&self, py: Python<'_>) -> PyResult<&'static str> {
        Ok(match self.with(py, pliant::Grip::state)? {
            GripState::Open => "open",
            GripState::Closing => "closing",
            GripState::Closed => "closed",
            GripState::Sliding => "sliding",
            GripState::Lost => "lost",
        })
    }

    /// Force [N] and torque about the gripper's origin [N m] of the body on the gripper by this grip, in world axes,
    /// means over the last step: an array of shape (6,).
    #[getter]
    fn wrench(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        wrench(py, &self.with(py, |grip| grip.load)?)
    }

    /// Distance that a cable has slid through it, positive towards the end of the cable [m].
    #[getter]
    fn slid(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |grip| grip.slid)
    }

    /// Open it now, whatever its schedule, and remove it.
    fn release(&self, py: Python<'_>) -> PyResult<()> {
        let mut core = lock(py, &self.core);
        core.scene.world.release(self.id).map_err(refused)?;
        core.changed();
        Ok(())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let told = |py| -> PyResult<String> {
            let place = place_text(self.with(py, |grip| grip.params.place)?);
            Ok(format!(
                "<pliant.Grip of {:?} on {:?} at {place}: {}>",
                self.gripper(py)?,
                self.body(py)?,
                self.state(py)?
            ))
        };
        told(py).unwrap_or_else(|_| "<pliant.Grip: released>".into())
    }
}

/// A dead load on a body: a force and a torque with fixed directions in the world.
#[pyclass(frozen, module = "pliant")]
pub struct Load {
    core: Shared,
    id: LoadId,
}

impl Load {
    pub fn new(core: &Shared, id: LoadId) -> Load {
        Load { core: core.clone(), id }
    }

    fn with<T>(&self, py: Python<'_>, read: impl FnOnce(&pliant::Load) -> T) -> PyResult<T> {
        Ok(read(lock(py, &self.core).scene.world.load(self.id).map_err(gone)?))
    }

    fn set(&self, py: Python<'_>, change: impl FnOnce(&pliant::Load) -> (Vec3, Vec3)) -> PyResult<()> {
        let (force, torque) = self.with(py, change)?;
        finite(force, torque)?;
        let mut core = lock(py, &self.core);
        core.scene.world.set_load(self.id, force, torque).map_err(refused)?;
        core.changed();
        Ok(())
    }
}

/// Refuse forces that are not finite.
pub fn finite(force: Vec3, torque: Vec3) -> PyResult<()> {
    if force.is_finite() && torque.is_finite() {
        return Ok(());
    }
    Err(crate::errors::ControlError::new_err(format!("a load must be finite, got {force} N and {torque} N m")))
}

#[pymethods]
impl Load {
    /// Force in the world [N], an array of shape (3,); may be set.
    #[getter]
    fn force(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        vector(py, self.with(py, |load| load.force)?)
    }

    #[setter]
    fn set_force(&self, py: Python<'_>, force: Triple) -> PyResult<()> {
        self.set(py, |load| (force.0, load.torque))
    }

    /// Torque in the world [N m], an array of shape (3,); may be set.
    #[getter]
    fn torque(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        vector(py, self.with(py, |load| load.torque)?)
    }

    #[setter]
    fn set_torque(&self, py: Python<'_>, torque: Triple) -> PyResult<()> {
        self.set(py, |load| (load.force, torque.0))
    }

    /// Take it away.
    fn remove(&self, py: Python<'_>) -> PyResult<()> {
        let mut core = lock(py, &self.core);
        core.scene.world.remove_load(self.id).map_err(refused)?;
        core.changed();
        Ok(())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        match self.with(py, |load| load.force) {
            Ok(force) => format!("<pliant.Load of {force} N>"),
            Err(_) => "<pliant.Load: removed>".into(),
        }
    }
}
