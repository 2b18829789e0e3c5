//! Worlds as Python objects.

mod advance;
pub mod named;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use pliant::Load as LoadParams;
use pliant::math::Vec3;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use crate::arm::Arm;
use crate::body::Body;
use crate::control::{Grip, Load, finite};
use crate::convert::{self, Triple};
use crate::core::{Core, Shared, lock};
use crate::errors::{ControlError, SnapshotError, refused, unreadable};
use crate::gripper::Gripper;
use crate::obstacle::Obstacle;
use crate::sensor::Sensor;
use crate::snapshot::Snapshot;
use crate::source::{Source, overrides};
use crate::{parts, told};
use named::body_of;

/// A world: bodies, obstacles and grippers, advanced step by step.
///
/// Built from what a scene file says, as keyword arguments or as one dictionary:
///
///     world = pliant.World(
///         duration=2.0, step=0.01,
///         material={"rubber": {"young": 5e6, "density": 1100}},
///         body=[{"name": "cord", "model": "cable", "material": "rubber", "radius": 0.003,
///                "path": [[0, 0, 0], [0.3, 0, 0]], "segments": 30}],
///         gripper=[{"name": "hand", "grips": [{"body": "cord", "at": "start"}]}],
///     )
///
/// `base` is the folder of files that it refers to. With `judge` its expectations are observed at every step, see
/// `verdicts`. `pliant.load` reads a scene file.
#[pyclass(frozen, module = "pliant")]
pub struct World {
    core: Shared,
}

impl World {
    pub fn of(core: Shared) -> World {
        World { core }
    }

    pub fn shared(&self) -> &Shared {
        &self.core
    }

    fn build(py: Python<'_>, source: Source, judge: bool) -> PyResult<World> {
        let scene = py.detach(|| source.build()).map_err(|error| error.raise(py))?;
        Ok(World { core: Arc::new(Mutex::new(Core::new(scene, source, judge))) })
    }
}

/// Read a scene file and build its world. Keyword arguments override values of the scene, as `--set` does:
/// `load("winding.toml", duration=2.0, body={"wire": {"segments": 80}})`, or with dots,
/// `load("winding.toml", **{"body.wire.segments": 80})`.
#[pyfunction]
#[pyo3(signature = (path, /, *, judge=false, **changes))]
pub fn load(py: Python<'_>, path: PathBuf, judge: bool, changes: Option<&Bound<'_, PyDict>>) -> PyResult<World> {
    World::build(py, Source::file(py, &path, overrides(changes)?)?, judge)
}

/// JSON schema of scene files, as text.
#[pyfunction]
pub fn schema() -> String {
    serde_json::to_string_pretty(&pliant_scene::schema()).unwrap_or_default()
}

#[pymethods]
impl World {
    #[new]
    #[pyo3(signature = (scene=None, /, *, base=None, judge=false, **tables))]
    fn new(
        py: Python<'_>,
        scene: Option<&Bound<'_, PyDict>>,
        base: Option<PathBuf>,
        judge: bool,
        tables: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<World> {
        let all = scene.map_or_else(|| Ok(PyDict::new(py)), |scene| scene.copy())?;
        if let Some(tables) = tables {
            all.update(tables.as_mapping())?;
        }
        World::build(py, Source::tables(&all, base)?, judge)
    }

    /// Advance by `n` steps, each of `dt` [s] or of the scene's step. If a step fails, `StepError` is raised, and the
    /// world is as it was before that step.
    #[pyo3(signature = (n=1, *, dt=None))]
    fn step(&self, py: Python<'_>, n: u64, dt: Option<f64>) -> PyResult<()> {
        advance::step(py, &self.core, n, dt)
    }

    /// Advance by a time [s], or to the end of the scene. The last step is shortened to end there. Ctrl-C ends it after
    /// a whole step.
    #[pyo3(signature = (seconds=None))]
    fn run(&self, py: Python<'_>, seconds: Option<f64>) -> PyResult<()> {
        advance::run(py, &self.core, seconds)
    }

    /// Everything as it was built. With keyword arguments it is built anew from its first scene with these values
    /// overridden, as `pliant.load` does; bodies, grippers and obstacles have to be asked for again then.
    #[pyo3(signature = (**changes))]
    fn reset(&self, py: Python<'_>, changes: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        advance::reset(py, &self.core, changes)
    }

    /// The whole state, exact to the bit. Pickles, and restores in any world built alike.
    fn snapshot(&self, py: Python<'_>) -> Snapshot {
        Snapshot { inner: lock(py, &self.core).scene.world.snapshot() }
    }

    /// Go back, or on, to a state exactly.
    fn restore(&self, py: Python<'_>, snapshot: &Snapshot) -> PyResult<()> {
        let mut core = lock(py, &self.core);
        core.scene.world.restore(&snapshot.inner).map_err(|error| SnapshotError::new_err(error.to_string()))?;
        core.events.clear();
        core.changed();
        Ok(())
    }

    /// A copy in the same state, that goes its own way. It is not recorded.
    fn copy(&self, py: Python<'_>) -> World {
        World { core: Arc::new(Mutex::new(lock(py, &self.core).copy())) }
    }

    fn __copy__(&self, py: Python<'_>) -> World {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> World {
        self.copy(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let core = lock(py, &self.core);
        if core.scene.world.revision() != core.origin.world.revision() {
            let told =
                "the world has gained or lost bodies, obstacles or grippers since it was built, and cannot be pickled";
            return Err(ControlError::new_err(told));
        }
        let Source { text, name, base, overrides } = (*core.source).clone();
        let state = PyBytes::new(py, &core.scene.world.snapshot().to_bytes());
        let rebuild = py.get_type::<World>().getattr("_rebuild")?;
        Ok((rebuild, (text, name, base, overrides, core.judge, state).into_pyobject(py)?))
    }

    #[staticmethod]
    fn _rebuild(
        py: Python<'_>,
        text: String,
        name: String,
        base: PathBuf,
        overrides: Vec<String>,
        judge: bool,
        state: &[u8],
    ) -> PyResult<World> {
        let world = World::build(py, Source { text, name, base, overrides }, judge)?;
        world.restore(py, &Snapshot::new(state)?)?;
        Ok(world)
    }

    /// Simulated time [s].
    #[getter]
    fn time(&self, py: Python<'_>) -> f64 {
        lock(py, &self.core).scene.world.time()
    }

    /// Number of steps taken.
    #[getter]
    fn steps(&self, py: Python<'_>) -> u64 {
        lock(py, &self.core).scene.world.step_count()
    }

    /// Length of the scene's step [s].
    #[getter]
    fn dt(&self, py: Python<'_>) -> f64 {
        lock(py, &self.core).scene.step
    }

    /// Time at which the scene ends [s]; the world may go on.
    #[getter]
    fn duration(&self, py: Python<'_>) -> f64 {
        lock(py, &self.core).scene.duration
    }

    /// Title of the scene.
    #[getter]
    fn title(&self, py: Python<'_>) -> String {
        lock(py, &self.core).scene.title.clone()
    }

    /// Remarks about the scene that do not prevent a run.
    #[getter]
    fn warnings(&self, py: Python<'_>) -> Vec<String> {
        lock(py, &self.core).scene.warnings.clone()
    }

    /// Text of the scene, as a scene file has it.
    #[getter]
    fn text(&self, py: Python<'_>) -> String {
        lock(py, &self.core).source.text.clone()
    }

    /// Acceleration of gravity in the world [m/s2], an array of shape (3,); may be set.
    #[getter]
    fn gravity(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let gravity = lock(py, &self.core).scene.world.gravity();
        told::vector(py, gravity)
    }

    #[setter]
    fn set_gravity(&self, py: Python<'_>, gravity: Triple) -> PyResult<()> {
        let mut core = lock(py, &self.core);
        core.scene.world.set_gravity(gravity.0).map_err(refused)?;
        core.changed();
        Ok(())
    }

    /// Let this many threads share the work of a step; 1 at first. Results do not depend on it.
    fn set_threads(&self, py: Python<'_>, threads: usize) {
        lock(py, &self.core).scene.world.set_threads(threads.max(1));
    }

    /// All bodies by name.
    #[getter]
    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        named::bodies(py, &self.core)
    }

    /// The body with this name.
    fn body(&self, py: Python<'_>, name: &str) -> PyResult<Body> {
        named::body(py, &self.core, name)
    }

    /// All grippers by name.
    #[getter]
    fn grippers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        named::grippers(py, &self.core)
    }

    /// The gripper with this name.
    fn gripper(&self, py: Python<'_>, name: &str) -> PyResult<Gripper> {
        named::gripper(py, &self.core, name)
    }

    /// All obstacles by name, fingertips included.
    #[getter]
    fn obstacles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        named::obstacles(py, &self.core)
    }

    /// The obstacle with this name.
    fn obstacle(&self, py: Python<'_>, name: &str) -> PyResult<Obstacle> {
        named::obstacle(py, &self.core, name)
    }

    /// All arms by name.
    #[getter]
    fn arms<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        named::arms(py, &self.core)
    }

    /// The arm with this name.
    fn arm(&self, py: Python<'_>, name: &str) -> PyResult<Arm> {
        named::arm(py, &self.core, name)
    }

    /// All force/torque sensors by name.
    #[getter]
    fn sensors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        named::sensors(py, &self.core)
    }

    /// The sensor with this name.
    fn sensor(&self, py: Python<'_>, name: &str) -> PyResult<Sensor> {
        named::sensor(py, &self.core, name)
    }

    /// All grips, closed or not.
    #[getter]
    fn grips(&self, py: Python<'_>) -> Vec<Grip> {
        lock(py, &self.core).scene.world.grips().map(|(id, _)| Grip::new(&self.core, id)).collect()
    }

    /// All dead loads, acting now or not.
    #[getter]
    fn loads(&self, py: Python<'_>) -> Vec<Load> {
        lock(py, &self.core).scene.world.loads().map(|(id, _)| Load::new(&self.core, id)).collect()
    }

    /// Contacts as arrays: position, normal, force, each (contacts, 3), penetration and along, each (contacts,), and
    /// the names body and other. Forces are on the body, in world axes [N]; along is the arc length of a rod [m].
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut core = lock(py, &self.core);
        let layout = core.scene.world.layout();
        told::contacts(py, core.frame(), &layout)
    }

    /// A quantity as it is now, by the words of `[[expect]]` in a scene file: "body.wire.tension.max", "gripper.hand.force.norm".
    /// NaN where there is none.
    fn measure(&self, py: Python<'_>, quantity: &str) -> PyResult<f64> {
        lock(py, &self.core).measure(quantity).map_err(|error| unreadable(py, &error))
    }

    /// Deepest penetration of any body into anything, in the last step [m].
    #[getter]
    fn penetration(&self, py: Python<'_>) -> f64 {
        lock(py, &self.core).frame().penetration
    }

    /// What happened in the last call of `step` or `run`: dictionaries with time, kind, names and a sentence.
    #[getter]
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let core = lock(py, &self.core);
        told::events(py, &core.events, &core.scene.world.layout())
    }

    /// Verdicts on the scene's expectations: dictionaries with what, quantity, bounds, value and met, which is None for
    /// what the run has not come to. Needs a world made with `judge=True`, which observes every step.
    fn verdicts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let core = lock(py, &self.core);
        if !core.judge {
            return Err(ControlError::new_err("the world does not observe its expectations: make it with judge=True"));
        }
        told::verdicts(py, &core.scene.expectations, core.scene.world.time())
    }

    /// Add a body: keyword arguments are the fields of a body in a scene file, `materials` a dictionary of the
    /// materials it names.
    #[pyo3(signature = (*, materials=None, **fields))]
    fn add_body(
        &self,
        py: Python<'_>,
        materials: Option<&Bound<'_, PyDict>>,
        fields: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Body> {
        let mut core = lock(py, &self.core);
        let id = parts::add_body(py, &mut core, fields.unwrap_or(&PyDict::new(py)), materials)?;
        Body::new(&self.core, &core, id)
    }

    /// Add an obstacle: keyword arguments are the fields of an obstacle in a scene file.
    #[pyo3(signature = (**fields))]
    fn add_obstacle(&self, py: Python<'_>, fields: Option<&Bound<'_, PyDict>>) -> PyResult<Obstacle> {
        let mut core = lock(py, &self.core);
        let id = parts::add_obstacle(py, &mut core, fields.unwrap_or(&PyDict::new(py)))?;
        Obstacle::new(&self.core, &core, id)
    }

    /// Add a gripper: keyword arguments are the fields of a gripper in a scene file, without grips; see
    /// `Gripper.grasp`.
    #[pyo3(signature = (**fields))]
    fn add_gripper(&self, py: Python<'_>, fields: Option<&Bound<'_, PyDict>>) -> PyResult<Gripper> {
        let mut core = lock(py, &self.core);
        let id = parts::add_gripper(py, &mut core, fields.unwrap_or(&PyDict::new(py)))?;
        Gripper::new(&self.core, &core, id)
    }

    /// Add a force/torque sensor to a gripper: keyword arguments are the fields of a sensor in a scene file. It reads
    /// from the next step on.
    #[pyo3(signature = (**fields))]
    fn add_sensor(&self, py: Python<'_>, fields: Option<&Bound<'_, PyDict>>) -> PyResult<Sensor> {
        let mut core = lock(py, &self.core);
        let (id, name) = parts::add_sensor(py, &mut core, fields.unwrap_or(&PyDict::new(py)))?;
        Sensor::new(&self.core, &core, id, &name)
    }

    /// Add a dead load: a force [N] and a torque [N m] with fixed directions in the world, at a place of a body as in a
    /// scene file, from now on or from a time [s], until a time [s], with linear ramps [s].
    #[pyo3(signature = (body, at, force=Triple(Vec3::ZERO), torque=Triple(Vec3::ZERO), *, since=None,
                        until=f64::INFINITY, rise=0.0, fall=0.0))]
    #[allow(clippy::too_many_arguments)]
    fn add_load(
        &self,
        py: Python<'_>,
        body: &Bound<'_, PyAny>,
        at: &Bound<'_, PyAny>,
        force: Triple,
        torque: Triple,
        since: Option<f64>,
        until: f64,
        rise: f64,
        fall: f64,
    ) -> PyResult<Load> {
        let place = convert::place(at)?;
        finite(force.0, torque.0)?;
        let mut core = lock(py, &self.core);
        let body = body_of(&self.core, &core, body)?;
        let from = since.unwrap_or(core.scene.world.time());
        if from.is_nan() || until.is_nan() {
            return Err(ControlError::new_err("the times of a load must be numbers"));
        }
        let load = LoadParams { body, place, force: force.0, torque: torque.0, from, until, rise, fall };
        let id = core.scene.world.add_load(load).map_err(refused)?;
        core.changed();
        Ok(Load::new(&self.core, id))
    }

    /// Take a body out of the world, with its grips and loads.
    fn remove_body(&self, py: Python<'_>, body: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut core = lock(py, &self.core);
        let id = body_of(&self.core, &core, body)?;
        core.scene.world.remove_body(id).map_err(refused)?;
        core.changed();
        Ok(())
    }

    /// Record into an empty folder from now on: recording.mcap, samples.csv and report.html, as the command does, with
    /// at most `rate` frames per second of simulated time. Usable in a `with` statement.
    #[pyo3(signature = (folder, *, rate=None))]
    fn record(slf: Py<Self>, py: Python<'_>, folder: PathBuf, rate: Option<f64>) -> PyResult<Py<PyAny>> {
        lock(py, &slf.get().core).record(&folder, rate)?;
        Ok(py.import("pliant._recording")?.call_method1("Recorder", (slf, folder))?.unbind())
    }

    /// Complete the files of a recording; returns the path of recording.mcap, or None if nothing is recorded.
    fn finish_recording(&self, py: Python<'_>) -> PyResult<Option<PathBuf>> {
        lock(py, &self.core).finish_recording()
    }

    /// The world as it is, as a page in the notebook.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let tools = py.import("pliant._recording")?;
        let folder: PathBuf = tools.call_method0("folder")?.extract()?;
        let page = lock(py, &self.core).page(&folder)?;
        tools.call_method1("inline", (page, true))?.extract()
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let core = lock(py, &self.core);
        let world = &core.scene.world;
        let counts = (world.bodies().len(), world.grippers().len(), world.obstacles().len());
        format!(
            "<pliant.World {:?} at {} s: {} bodies, {} grippers, {} obstacles>",
            core.scene.title,
            pliant_record::short(world.time()),
            counts.0,
            counts.1,
            counts.2
        )
    }
}
