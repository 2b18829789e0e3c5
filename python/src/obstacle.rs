//! Obstacles as Python objects.

use numpy::{PyArray2, PyArrayMethods};
use pliant::{Drive, ObstacleId};
use pyo3::prelude::*;

use crate::arrays::array;
use crate::body::FrictionLike;
use crate::convert::{Triple, Turn};
use crate::core::{Core, Shared, lock};
use crate::driven::{Driven, Which};
use crate::errors::gone;

/// A rigid obstacle of a world, at rest or moving as it is told.
#[pyclass(frozen, module = "pliant")]
pub struct Obstacle {
    driven: Driven,
    id: ObstacleId,
    /// Name, unique among obstacles.
    #[pyo3(get)]
    name: String,
    /// Whether it is an infinite plane.
    #[pyo3(get)]
    is_plane: bool,
}

impl Obstacle {
    pub fn new(core: &Shared, held: &Core, id: ObstacleId) -> PyResult<Obstacle> {
        let params = held.scene.world.obstacle(id).map_err(gone)?.params.clone();
        let is_plane = matches!(params.shape.kind(), pliant::contact::ShapeKind::Plane);
        Ok(Obstacle { driven: Driven::new(core, Which::Obstacle(id)), id, name: params.name.clone(), is_plane })
    }

    fn with<T>(&self, py: Python<'_>, read: impl FnOnce(&pliant::contact::Obstacle) -> T) -> PyResult<T> {
        Ok(read(lock(py, &self.driven.core).scene.world.obstacle(self.id).map_err(gone)?))
    }
}

#[pymethods]
impl Obstacle {
    /// Position in the world [m], an array of shape (3,).
    #[getter]
    fn position(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.driven.position(py)
    }

    /// Orientation in the world as a quaternion w x y z, an array of shape (4,).
    #[getter]
    fn orientation(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.driven.orientation(py)
    }

    /// Its surface in its own frame: vertices [m], an array of shape (vertices, 3), and triangles, an array of shape
    /// (triangles, 3); empty for a plane.
    #[getter]
    fn outline(&self, py: Python<'_>) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
        let outline = self.with(py, |obstacle| obstacle.params.shape.outline())?;
        let vertices: Vec<f64> = outline.vertices.iter().flat_map(|v| v.to_array()).collect();
        let triangles = PyArray2::<u32>::zeros(py, [outline.triangles.len(), 3], false);
        triangles.try_readwrite()?.as_slice_mut()?.copy_from_slice(outline.triangles.as_flattened());
        Ok((array(py, &[outline.vertices.len(), 3], vertices)?, triangles.into_any().unbind()))
    }

    /// Go to a pose during the next step, at constant velocity, and stay there. What is not given stays as it is.
    #[pyo3(signature = (position=None, orientation=None))]
    fn drive(&self, py: Python<'_>, position: Option<Triple>, orientation: Option<Turn>) -> PyResult<()> {
        self.driven.drive(py, position, orientation)
    }

    /// Move at constant velocity until driven otherwise: linear [m/s] and angular [rad/s], in the world.
    #[pyo3(signature = (linear=Triple(pliant::math::Vec3::ZERO), angular=Triple(pliant::math::Vec3::ZERO)))]
    fn move_at(&self, py: Python<'_>, linear: Triple, angular: Triple) -> PyResult<()> {
        self.driven.move_at(py, linear.0, angular.0)
    }

    /// Follow the motion that the scene prescribes, again.
    fn follow(&self, py: Python<'_>) -> PyResult<()> {
        self.driven.set_drive(py, Drive::Prescribed)
    }

    /// Friction of its surface: coefficient and exponent, or None where that of the touching body applies. May be set,
    /// to both, to the coefficient or to None.
    #[getter]
    fn friction(&self, py: Python<'_>) -> PyResult<Option<(f64, f64)>> {
        self.with(py, |obstacle| obstacle.friction.map(|friction| (friction.coefficient, friction.exponent)))
    }

    #[setter]
    fn set_friction(&self, py: Python<'_>, value: Option<FrictionLike>) -> PyResult<()> {
        let friction = value.map(|value| value.build());
        if let Some(friction) = friction
            && !(friction.coefficient.is_finite() && friction.coefficient >= 0.0 && friction.exponent.is_finite())
        {
            let told = format!("{}: friction must be finite and not negative, got {friction:?}", self.name);
            return Err(crate::errors::ControlError::new_err(told));
        }
        self.driven.change(py, |world| world.set_obstacle_friction(self.id, friction))
    }

    /// Take it out of the world. Refused for a fingertip, which goes with its gripper.
    fn remove(&self, py: Python<'_>) -> PyResult<()> {
        self.driven.remove(py)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        self.driven.told(py, "Obstacle", &self.name)
    }
}
