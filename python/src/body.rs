//! Bodies as Python objects: their state as arrays, and properties that may be changed.

use std::sync::Mutex;

use numpy::{PyArray2, PyArrayMethods};
use pliant::math::Vec3;
use pliant::{BodyFrame, BodyId, Change, Friction, Properties, Rest};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::Cached;
use crate::convert::Triple;
use crate::core::{Core, Shared, lock};
use crate::errors::{gone, refused};
use crate::told::vector;

/// A body of a world: its shape, motion and forces as arrays.
///
/// Arrays are read-only and never change: those read after a step are others. Reading without keeping costs no
/// memory.
#[pyclass(frozen, module = "pliant")]
pub struct Body {
    core: Shared,
    id: BodyId,
    /// Name, unique among bodies.
    #[pyo3(get)]
    name: String,
    /// Its model: "cable", "chain", "xpbd", "elastica", "lattice", "response" or "arm".
    #[pyo3(get)]
    model: String,
    cache: Mutex<Cache>,
}

/// Arrays that were handed out last, and what they are filled from.
#[derive(Default)]
struct Cache {
    positions: Cached,
    velocities: Cached,
    frames: Cached,
    fields: Vec<Cached>,
    nodes: Vec<Vec3>,
    frame: BodyFrame,
    written: u64,
}

/// Write vectors as rows of an array.
pub fn rows(vectors: &[Vec3], out: &mut [f64]) {
    for (row, v) in out.chunks_exact_mut(3).zip(vectors) {
        (row[0], row[1], row[2]) = (v.x, v.y, v.z);
    }
}

impl Body {
    pub fn new(core: &Shared, held: &Core, id: BodyId) -> PyResult<Body> {
        let body = held.scene.world.body(id).map_err(gone)?;
        let (name, model) = (body.name().to_string(), body.model().name().to_string());
        Ok(Body { core: core.clone(), id, name, model, cache: Mutex::default() })
    }

    pub fn id(&self) -> BodyId {
        self.id
    }

    pub fn is_of(&self, core: &Shared) -> bool {
        std::sync::Arc::ptr_eq(&self.core, core)
    }

    fn with<T>(&self, py: Python<'_>, read: impl FnOnce(&pliant::Body, &Core) -> PyResult<T>) -> PyResult<T> {
        let core = lock(py, &self.core);
        read(core.scene.world.body(self.id).map_err(gone)?, &core)
    }

    /// Read with the body's frame up to date.
    fn with_frame<T>(&self, py: Python<'_>, read: impl FnOnce(&mut Cache, u64) -> PyResult<T>) -> PyResult<T> {
        let mut cache = lock(py, &self.cache);
        let epoch = self.with(py, |body, core| {
            if cache.written != core.epoch {
                body.write_frame(core.scene.world.gravity(), &mut cache.frame);
                cache.written = core.epoch;
            }
            Ok(core.epoch)
        })?;
        read(&mut cache, epoch)
    }

    fn properties(&self, py: Python<'_>) -> PyResult<Properties> {
        self.with(py, |body, _| Ok(body.properties()))
    }

    fn change(&self, py: Python<'_>, change: Change) -> PyResult<()> {
        let mut core = lock(py, &self.core);
        core.scene.world.change(self.id, change).map_err(refused)?;
        core.changed();
        Ok(())
    }
}

#[pymethods]
impl Body {
    /// Positions of the nodes in the world [m], an array of shape (nodes, 3).
    #[getter]
    fn positions(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let mut cache = lock(py, &self.cache);
        let Cache { positions, nodes, .. } = &mut *cache;
        let core = lock(py, &self.core);
        if positions.is_of(core.epoch) {
            return positions.get(py, core.epoch, &[nodes.len(), 3], |_| {});
        }
        core.scene.world.body(self.id).map_err(gone)?.write_nodes(nodes);
        positions.get(py, core.epoch, &[nodes.len(), 3], |out| rows(nodes, out))
    }

    /// Velocities of the nodes in the world [m/s], an array of shape (nodes, 3).
    #[getter]
    fn velocities(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.with_frame(py, |Cache { velocities, frame, .. }, epoch| {
            velocities.get(py, epoch, &[frame.velocities.len(), 3], |out| rows(&frame.velocities, out))
        })
    }

    /// Orientations of the nodes in the world as quaternions w x y z, an array of shape (nodes, 4); the x axis is the
    /// tangent. Empty for models without any.
    #[getter]
    fn frames(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.with_frame(py, |Cache { frames, frame, .. }, epoch| {
            frames.get(py, epoch, &[frame.frames.len(), 4], |out| {
                for (row, q) in out.chunks_exact_mut(4).zip(&frame.frames) {
                    row.copy_from_slice(&[q.w, q.x, q.y, q.z]);
                }
            })
        })
    }

    /// Names and units of the quantities per node, see `field`.
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.with_frame(py, |cache, _| {
            let told = PyDict::new(py);
            cache.frame.fields.iter().try_for_each(|field| told.set_item(field.name, field.unit))?;
            Ok(told)
        })
    }

    /// A quantity per node, such as "tension" [N], as an array of shape (nodes,). `fields` lists them.
    fn field(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        self.with_frame(py, |Cache { fields, frame, .. }, epoch| {
            let Some(index) = frame.fields.iter().position(|field| field.name == name) else {
                let known: Vec<&str> = frame.fields.iter().map(|field| field.name).collect();
                let told = format!("{} has no field `{name}` (known: {})", self.name, known.join(", "));
                return Err(PyKeyError::new_err(told));
            };
            fields.resize_with(frame.fields.len(), Cached::default);
            let values = &frame.fields[index].values;
            fields[index].get(py, epoch, &[values.len()], |out| out.copy_from_slice(values))
        })
    }

    /// Tension at each node [N], as an array of shape (nodes,). Rods only.
    #[getter]
    fn tension(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.field(py, "tension")
    }

    /// Curvature at each node [1/m], as an array of shape (nodes,). Rods only.
    #[getter]
    fn curvature(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.field(py, "curvature")
    }

    /// Energies [J]: kinetic, elastic, gravity and total.
    #[getter]
    fn energy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let energy = self.with(py, |body, core| Ok(body.energy(core.scene.world.gravity())))?;
        let told = PyDict::new(py);
        told.set_item("kinetic", energy.kinetic)?;
        told.set_item("elastic", energy.elastic)?;
        told.set_item("gravity", energy.gravity)?;
        told.set_item("total", energy.total())?;
        Ok(told)
    }

    /// Contact radius of a rod [m]; zero for a solid.
    #[getter]
    fn radius(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |body, _| Ok(body.radius()))
    }

    /// Mass [kg].
    #[getter]
    fn mass(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |body, _| Ok(body.mass()))
    }

    /// Centre of mass in the world [m], an array of shape (3,).
    #[getter]
    fn centre(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        vector(py, self.with(py, |body, _| Ok(body.moments().centre))?)
    }

    /// Triangles of a solid's surface as indices of nodes, an array of shape (facets, 3); empty for a rod.
    #[getter]
    fn facets(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let facets = self.with(py, |body, _| Ok(body.facets().to_vec()))?;
        let array = PyArray2::<u32>::zeros(py, [facets.len(), 3], false);
        array.try_readwrite()?.as_slice_mut()?.copy_from_slice(facets.as_flattened());
        Ok(array.into_any().unbind())
    }

    /// What the model has derived from its parameters: a list of (symbol, value, unit, reason).
    #[getter]
    fn derived<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let derived = self.with(py, |body, _| Ok(body.derived().to_vec()))?;
        PyList::new(py, derived.iter().map(|d| (d.symbol, d.value, d.unit, d.why.clone())))
    }

    /// Young's modulus [Pa]; None for a body that has none of its own. May be set while it moves.
    #[getter]
    fn young(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        Ok(self.properties(py)?.young)
    }

    #[setter]
    fn set_young(&self, py: Python<'_>, value: f64) -> PyResult<()> {
        self.change(py, Change::Young(value))
    }

    /// Mass density [kg/m3]; None for a body that has none of its own. May be set while it moves.
    #[getter]
    fn density(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        Ok(self.properties(py)?.density)
    }

    #[setter]
    fn set_density(&self, py: Python<'_>, value: f64) -> PyResult<()> {
        self.change(py, Change::Density(value))
    }

    /// Friction of its surface: coefficient and exponent. May be set while it moves, to both or to the coefficient.
    #[getter]
    fn friction(&self, py: Python<'_>) -> PyResult<(f64, f64)> {
        let friction = self.properties(py)?.friction;
        Ok((friction.coefficient, friction.exponent))
    }

    #[setter]
    fn set_friction(&self, py: Python<'_>, value: FrictionLike) -> PyResult<()> {
        self.change(py, Change::Friction(value.build()))
    }

    /// Material damping: ratio of viscous to elastic stress per strain rate [s]; None for a body that has none. May be
    /// set while it moves.
    #[getter]
    fn damping_time(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        Ok(self.properties(py)?.damping_time)
    }

    #[setter]
    fn set_damping_time(&self, py: Python<'_>, value: f64) -> PyResult<()> {
        self.change(py, Change::DampingTime(value))
    }

    /// Air drag: force per mass and velocity [1/s]; None for a body that has none. May be set while it moves.
    #[getter]
    fn drag(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        Ok(self.properties(py)?.drag)
    }

    #[setter]
    fn set_drag(&self, py: Python<'_>, value: f64) -> PyResult<()> {
        self.change(py, Change::Drag(value))
    }

    /// Change the unloaded shape of a rod while it moves: "straight", "path" for that of its initial path, or "curved"
    /// with a curvature about the two axes of the section [1/m] and a twist [rad/m].
    #[pyo3(signature = (shape, *, curvature=(0.0, 0.0), twist=0.0))]
    fn set_rest(&self, py: Python<'_>, shape: &str, curvature: (f64, f64), twist: f64) -> PyResult<()> {
        let rest = match shape {
            "straight" => Rest::Straight,
            "path" => Rest::Path,
            "curved" => Rest::Curved { curvature: [curvature.0, curvature.1], twist },
            _ => {
                return Err(PyValueError::new_err(format!(
                    "expected \"straight\", \"path\" or \"curved\", got {shape:?}"
                )));
            }
        };
        self.change(py, Change::Rest(rest))
    }

    /// Move the points of a chain to an array of shape (nodes, 3) [m]; it is then at rest.
    fn set_points(&self, py: Python<'_>, points: Vec<Triple>) -> PyResult<()> {
        let points: Vec<Vec3> = points.iter().map(|point| point.0).collect();
        if points.iter().any(|point| !point.is_finite()) {
            return Err(refused(pliant::BuildError::Pose { name: self.name.clone() }));
        }
        let mut core = lock(py, &self.core);
        core.scene.world.set_points(self.id, &points).map_err(refused)?;
        core.changed();
        Ok(())
    }

    /// Number of nodes.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.with_frame(py, |cache, _| Ok(cache.frame.nodes.len()))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        match self.__len__(py) {
            Ok(nodes) => format!("<pliant.Body {:?}: {}, {nodes} nodes>", self.name, self.model),
            Err(_) => format!("<pliant.Body {:?}: no longer in its world>", self.name),
        }
    }
}

/// A coefficient, or coefficient and exponent.
#[derive(FromPyObject)]
pub enum FrictionLike {
    /// Coulomb's law.
    Coefficient(f64),
    /// The generalised law.
    Both((f64, f64)),
}

impl FrictionLike {
    pub fn build(&self) -> Friction {
        match *self {
            FrictionLike::Coefficient(coefficient) => Friction { coefficient, exponent: 1.0 },
            FrictionLike::Both((coefficient, exponent)) => Friction { coefficient, exponent },
        }
    }
}
