//! Many worlds stepped together on all cores.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use pliant::math::{Pose, Vec3};
use pliant::{BodyFrame, Drive, Stop};
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::arm::Joints;
use crate::arrays::Cached;
use crate::body::rows;
use crate::convert::{Triple, Turn};
use crate::core::{Core, Shared, Trouble, lock, lock_detached};
use crate::driven::carried;
use crate::errors::refused;
use crate::interrupt::interruptible;
use crate::source::{Source, Unbuilt, overrides};
use crate::world::World;
use crate::world::named::unknown;

/// Many worlds of one scene, stepped on all cores, bit for bit as each would go alone.
///
/// `scene` is a path, a dictionary as for `World`, or a `World`. Give a `count`, or one dictionary of overrides per
/// world, or both. `batch[i]` is a world like any other. A world whose step fails stays where it is while the others go
/// on; `errors[i]` says why, until it is reset.
#[pyclass(frozen, module = "pliant")]
pub struct Batch {
    worlds: Vec<Shared>,
    pool: ThreadPool,
    stop: Stop,
    errors: Mutex<Vec<Option<String>>>,
    arrays: Mutex<Arrays>,
}

/// Stacked arrays that were handed out last, by what and of whom.
#[derive(Default)]
struct Arrays {
    cached: HashMap<(&'static str, String, String), Cached>,
    nodes: Vec<Vec3>,
    frame: BodyFrame,
    values: Vec<f64>,
}

fn shared(scene: pliant_scene::Scene, source: Source, stop: &Stop) -> Shared {
    let mut core = Core::new(scene, source, false);
    core.stop = stop.clone();
    core.scene.world.set_stop(stop);
    Arc::new(Mutex::new(core))
}

impl Batch {
    /// Advance every world that has not failed, as `advance` does.
    fn advance(
        &self,
        py: Python<'_>,
        only: Option<Which>,
        advance: impl Fn(&mut Core) -> Result<(), Trouble> + Sync,
    ) -> PyResult<()> {
        let mut rests = vec![only.is_some(); self.worlds.len()];
        self.chosen(only)?.into_iter().for_each(|index| rests[index] = false);
        for (rests, error) in rests.iter_mut().zip(lock(py, &self.errors).iter()) {
            *rests |= error.is_some();
        }
        let troubles = interruptible(py, &self.stop, || {
            let one = |(core, rests): (&Shared, &bool)| {
                if *rests {
                    return None;
                }
                let mut core = lock_detached(core);
                core.events.clear();
                advance(&mut core).err().filter(|trouble| !trouble.is_stop()).map(|trouble| trouble.to_string())
            };
            // one world at a time: they may differ in cost
            self.pool.install(|| self.worlds.par_iter().zip(&rests).with_max_len(1).map(one).collect::<Vec<_>>())
        })?;
        for (error, trouble) in lock(py, &self.errors).iter_mut().zip(troubles) {
            if trouble.is_some() {
                *error = trouble;
            }
        }
        Ok(())
    }

    /// A stacked array: for each world `read` appends its values, and says the shape of one world's part.
    fn stacked(
        &self,
        py: Python<'_>,
        what: (&'static str, &str, &str),
        mut read: impl FnMut(&mut Core, &mut Arrays) -> PyResult<Vec<usize>>,
    ) -> PyResult<Py<PyAny>> {
        let mut arrays = lock(py, &self.arrays);
        let key = (what.0, what.1.to_string(), what.2.to_string());
        let mut cached = arrays.cached.remove(&key).unwrap_or_default();
        arrays.values.clear();
        let mut shape: Option<Vec<usize>> = None;
        let mut epoch = 0u64;
        for (index, world) in self.worlds.iter().enumerate() {
            let mut core = lock(py, world);
            // every epoch only grows, so that the sum tells whether any world has changed
            epoch += core.epoch;
            let part = read(&mut core, &mut arrays)?;
            match &shape {
                Some(shape) if *shape != part => {
                    return Err(PyValueError::new_err(format!(
                        "worlds differ in the size of `{}`: {shape:?} in the first, {part:?} in world {index}; ask each world",
                        what.1
                    )));
                }
                _ => shape = Some(part),
            }
        }
        let shape: Vec<usize> = [self.worlds.len()].into_iter().chain(shape.unwrap_or_default()).collect();
        let values = std::mem::take(&mut arrays.values);
        let array = cached.get(py, epoch, &shape, |out| out.copy_from_slice(&values));
        arrays.values = values;
        arrays.cached.insert(key, cached);
        array
    }

    fn of_body(
        &self,
        py: Python<'_>,
        what: (&'static str, &str, &str),
        mut read: impl FnMut(&pliant::Body, Vec3, &mut Arrays) -> PyResult<Vec<usize>>,
    ) -> PyResult<Py<PyAny>> {
        self.stacked(py, what, |core, arrays| {
            let world = &core.scene.world;
            let id = world.body_named(what.1).ok_or_else(|| unknown("body", what.1, world.layout().body_names()))?;
            read(world.body(id).map_err(refused)?, world.gravity(), arrays)
        })
    }

    fn of_gripper(
        &self,
        py: Python<'_>,
        what: (&'static str, &str, &str),
        read: impl Fn(&pliant::Gripper, &mut Vec<f64>) -> usize,
    ) -> PyResult<Py<PyAny>> {
        self.stacked(py, what, |core, arrays| {
            let world = &core.scene.world;
            let id = world
                .gripper_named(what.1)
                .ok_or_else(|| unknown("gripper", what.1, world.layout().gripper_names()))?;
            Ok(vec![read(world.gripper(id).map_err(refused)?, &mut arrays.values)])
        })
    }

    fn of_joints(&self, py: Python<'_>, what: (&'static str, &str, &str), which: Joints) -> PyResult<Py<PyAny>> {
        self.of_body(py, what, |body, _, Arrays { values, .. }| {
            let pliant::Body::Arm(arm) = body else {
                return Err(PyValueError::new_err(format!("{} is no arm", body.name())));
            };
            let joints = which.of(arm);
            values.extend_from_slice(joints);
            Ok(vec![joints.len()])
        })
    }

    fn chosen(&self, which: Option<Which>) -> PyResult<Vec<usize>> {
        match which {
            None => Ok((0..self.worlds.len()).collect()),
            Some(Which::One(index)) => Ok(vec![self.index(index)?]),
            Some(Which::Many(all)) => all.into_iter().map(|index| self.index(index)).collect(),
        }
    }

    fn index(&self, index: isize) -> PyResult<usize> {
        let count = self.worlds.len() as isize;
        let wanted = if index < 0 { index + count } else { index };
        if (0..count).contains(&wanted) {
            Ok(wanted as usize)
        } else {
            Err(PyIndexError::new_err(format!("there is no world {index}: there are {count}")))
        }
    }
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (scene, count=None, *, overrides=None, base=None, threads=None))]
    fn new(
        py: Python<'_>,
        scene: &Bound<'_, PyAny>,
        count: Option<usize>,
        overrides: Option<Vec<Bound<'_, PyDict>>>,
        base: Option<PathBuf>,
        threads: Option<usize>,
    ) -> PyResult<Batch> {
        let source = match scene.cast::<World>() {
            Ok(world) => (*lock(py, world.get().shared()).source).clone(),
            Err(_) => Source::of(scene, base)?,
        };
        let changes = overrides
            .map(|all| all.iter().map(|one| self::overrides(Some(one))).collect::<PyResult<Vec<_>>>())
            .transpose()?;
        let count = match (count, &changes) {
            (Some(count), Some(changes)) if count != changes.len() => {
                let told = format!("there are {} dictionaries of overrides for {count} worlds", changes.len());
                return Err(PyValueError::new_err(told));
            }
            (None, None) => return Err(PyValueError::new_err("say how many worlds: count, or overrides for each")),
            (count, changes) => count.or(changes.as_ref().map(Vec::len)).unwrap_or(0),
        };
        if count == 0 {
            return Err(PyValueError::new_err("a batch has at least one world"));
        }
        let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, Into::into)).max(1);
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let stop = Stop::default();
        let worlds: Vec<Result<Shared, Unbuilt>> = py.detach(|| {
            pool.install(|| match &changes {
                // one build, and copies of it
                None => {
                    let scene = source.build();
                    match scene {
                        Ok(scene) => (0..count).map(|_| Ok(shared(scene.clone(), source.clone(), &stop))).collect(),
                        Err(error) => vec![Err(error)],
                    }
                }
                Some(changes) => changes
                    .par_iter()
                    .map(|change| {
                        let source = source.with(change.clone());
                        Ok(shared(source.build()?, source, &stop))
                    })
                    .collect(),
            })
        });
        let worlds: Vec<Shared> = worlds.into_iter().collect::<Result<_, _>>().map_err(|error| error.raise(py))?;
        let errors = Mutex::new(vec![None; worlds.len()]);
        Ok(Batch { worlds, pool, stop, errors, arrays: Mutex::default() })
    }

    /// Advance every world by `n` steps, each of `dt` [s] or of its scene's step; or `only` one of them, or several.
    #[pyo3(signature = (n=1, *, dt=None, only=None))]
    fn step(&self, py: Python<'_>, n: u64, dt: Option<f64>, only: Option<Which>) -> PyResult<()> {
        self.advance(py, only, |core| {
            let dt = dt.unwrap_or(core.scene.step);
            (0..n).try_for_each(|_| core.step(dt))
        })
    }

    /// Advance every world by a time [s], or to the end of its scene.
    #[pyo3(signature = (seconds=None))]
    fn run(&self, py: Python<'_>, seconds: Option<f64>) -> PyResult<()> {
        if seconds.is_some_and(|seconds| !(seconds.is_finite() && seconds >= 0.0)) {
            return Err(PyValueError::new_err("the time to run must be finite and not negative"));
        }
        self.advance(py, None, |core| {
            let end = seconds.map_or(core.scene.duration, |seconds| core.scene.world.time() + seconds);
            core.run_until(end)
        })
    }

    /// Let one world begin again, several, or all; with keyword arguments they are built anew with these values
    /// overridden, as `World.reset` does.
    #[pyo3(signature = (index=None, **changes))]
    fn reset(&self, py: Python<'_>, index: Option<Which>, changes: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let changes = overrides(changes)?;
        let chosen = self.chosen(index)?;
        let results: Vec<Result<(), Unbuilt>> = py.detach(|| {
            self.pool.install(|| {
                let one = |&index: &usize| {
                    let source = lock_detached(&self.worlds[index]).first.clone();
                    if changes.is_empty() {
                        lock_detached(&self.worlds[index]).reset();
                        return Ok(());
                    }
                    let source = source.with(changes.clone());
                    let scene = source.build()?;
                    lock_detached(&self.worlds[index]).replace(scene, source);
                    Ok(())
                };
                chosen.par_iter().map(one).collect()
            })
        });
        let mut errors = lock(py, &self.errors);
        chosen.iter().for_each(|&index| errors[index] = None);
        results.into_iter().collect::<Result<Vec<()>, _>>().map_err(|error| error.raise(py))?;
        Ok(())
    }

    /// Why each world has failed: None, or the sentence of its `StepError`.
    #[getter]
    fn errors(&self, py: Python<'_>) -> Vec<Option<String>> {
        lock(py, &self.errors).clone()
    }

    /// Simulated time of each world [s], an array of shape (worlds,).
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.stacked(py, ("time", "", ""), |core, arrays| {
            arrays.values.push(core.scene.world.time());
            Ok(vec![])
        })
    }

    /// Positions of a body's nodes in every world [m], an array of shape (worlds, nodes, 3).
    fn positions(&self, py: Python<'_>, body: &str) -> PyResult<Py<PyAny>> {
        self.of_body(py, ("positions", body, ""), |body, _, Arrays { nodes, values, .. }| {
            body.write_nodes(nodes);
            let start = values.len();
            values.resize(start + 3 * nodes.len(), 0.0);
            rows(nodes, &mut values[start..]);
            Ok(vec![nodes.len(), 3])
        })
    }

    /// Velocities of a body's nodes in every world [m/s], an array of shape (worlds, nodes, 3).
    fn velocities(&self, py: Python<'_>, body: &str) -> PyResult<Py<PyAny>> {
        self.of_body(py, ("velocities", body, ""), |body, gravity, Arrays { frame, values, .. }| {
            body.write_frame(gravity, frame);
            let start = values.len();
            values.resize(start + 3 * frame.velocities.len(), 0.0);
            rows(&frame.velocities, &mut values[start..]);
            Ok(vec![frame.velocities.len(), 3])
        })
    }

    /// A quantity per node, such as "tension", in every world, an array of shape (worlds, nodes).
    fn field(&self, py: Python<'_>, body: &str, name: &str) -> PyResult<Py<PyAny>> {
        self.of_body(py, ("field", body, name), |body, gravity, Arrays { frame, values, .. }| {
            body.write_frame(gravity, frame);
            let Some(field) = frame.fields.iter().find(|field| field.name == name) else {
                return Err(unknown("field", name, frame.fields.iter().map(|field| field.name)));
            };
            values.extend_from_slice(&field.values);
            Ok(vec![field.values.len()])
        })
    }

    /// Position of a gripper in every world [m], an array of shape (worlds, 3).
    fn gripper_positions(&self, py: Python<'_>, gripper: &str) -> PyResult<Py<PyAny>> {
        self.of_gripper(py, ("position", gripper, ""), |gripper, values| {
            values.extend(gripper.sweep.end.translation.to_array());
            3
        })
    }

    /// Force [N] and torque [N m] of the bodies on a gripper in every world, an array of shape (worlds, 6): world axes,
    /// about its origin, means over the last step.
    fn wrenches(&self, py: Python<'_>, gripper: &str) -> PyResult<Py<PyAny>> {
        self.of_gripper(py, ("wrench", gripper, ""), |gripper, values| {
            values.extend(gripper.load.force.to_array());
            values.extend(gripper.load.torque.to_array());
            6
        })
    }

    /// Coordinates of an arm's joints in every world [rad, m], an array of shape (worlds, joints).
    fn joint_positions(&self, py: Python<'_>, arm: &str) -> PyResult<Py<PyAny>> {
        self.of_joints(py, ("joint positions", arm, ""), Joints::Positions)
    }

    /// Velocities of an arm's joints in every world [rad/s, m/s], an array of shape (worlds, joints).
    fn joint_velocities(&self, py: Python<'_>, arm: &str) -> PyResult<Py<PyAny>> {
        self.of_joints(py, ("joint velocities", arm, ""), Joints::Velocities)
    }

    /// Torques or forces of an arm's drives in every world [N m, N], an array of shape (worlds, joints): means over the
    /// last step.
    fn joint_torques(&self, py: Python<'_>, arm: &str) -> PyResult<Py<PyAny>> {
        self.of_joints(py, ("joint torques", arm, ""), Joints::Torques)
    }

    /// Force [N] and torque [N m] that a sensor has read last in every world, an array of shape (worlds, 6): in its own
    /// axes, about its origin.
    fn readings(&self, py: Python<'_>, sensor: &str) -> PyResult<Py<PyAny>> {
        self.stacked(py, ("reading", sensor, ""), |core, arrays| {
            let world = &core.scene.world;
            let id =
                world.sensor_named(sensor).ok_or_else(|| unknown("sensor", sensor, world.layout().sensor_names()))?;
            let reading = world.reading(id).map_err(refused)?;
            arrays.values.extend(reading.force.to_array());
            arrays.values.extend(reading.torque.to_array());
            Ok(vec![6])
        })
    }

    /// Let a gripper go to a pose during the next step, in every world: positions [m] of shape (worlds, 3), and
    /// quaternions w x y z of shape (worlds, 4), which stay as they are if not given.
    #[pyo3(signature = (gripper, positions, orientations=None))]
    fn drive(
        &self,
        py: Python<'_>,
        gripper: &str,
        positions: Vec<Triple>,
        orientations: Option<Vec<Turn>>,
    ) -> PyResult<()> {
        let count = self.worlds.len();
        if positions.len() != count || orientations.as_ref().is_some_and(|all| all.len() != count) {
            let told = format!("there are {count} worlds: give that many positions and orientations");
            return Err(PyValueError::new_err(told));
        }
        for (index, world) in self.worlds.iter().enumerate() {
            let mut core = lock(py, world);
            let world = &mut core.scene.world;
            let id = world
                .gripper_named(gripper)
                .ok_or_else(|| unknown("gripper", gripper, world.layout().gripper_names()))?;
            let gripper = world.gripper(id).map_err(refused)?;
            carried(&gripper.params.name, &gripper.drive)?;
            let now = gripper.sweep.end;
            let rotation = orientations.as_ref().map_or(now.rotation, |all| all[index].0);
            world.drive(id, Drive::Pose(Pose::from_parts(positions[index].0, rotation))).map_err(refused)?;
            core.changed();
        }
        Ok(())
    }

    fn __len__(&self) -> usize {
        self.worlds.len()
    }

    fn __getitem__(&self, index: isize) -> PyResult<World> {
        Ok(World::of(self.worlds[self.index(index)?].clone()))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let failed = lock(py, &self.errors).iter().flatten().count();
        format!(
            "<pliant.Batch of {} worlds, {failed} failed, on {} threads>",
            self.worlds.len(),
            self.pool.current_num_threads()
        )
    }
}

/// One world or several.
#[derive(FromPyObject)]
pub enum Which {
    /// By index.
    One(isize),
    /// By indices.
    Many(Vec<isize>),
}
