//! What a world contains, by name.

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arm::Arm;
use crate::body::Body;
use crate::core::{Core, Shared, lock};
use crate::errors::gone;
use crate::gripper::Gripper;
use crate::obstacle::Obstacle;
use crate::sensor::Sensor;
use crate::source::text;

/// All bodies by name.
pub fn bodies<'py>(py: Python<'py>, shared: &Shared) -> PyResult<Bound<'py, PyDict>> {
    let (core, all) = (lock(py, shared), PyDict::new(py));
    for index in 0..core.scene.world.bodies().len() {
        let body = Body::new(shared, &core, core.scene.world.body_at(index).map_err(gone)?)?;
        all.set_item(core.scene.world.bodies()[index].name(), body.into_pyobject(py)?)?;
    }
    Ok(all)
}

/// All grippers by name.
pub fn grippers<'py>(py: Python<'py>, shared: &Shared) -> PyResult<Bound<'py, PyDict>> {
    let (core, all) = (lock(py, shared), PyDict::new(py));
    for (index, gripper) in core.scene.world.grippers().iter().enumerate() {
        let id = core.scene.world.gripper_at(index).map_err(gone)?;
        all.set_item(&gripper.params.name, Gripper::new(shared, &core, id)?.into_pyobject(py)?)?;
    }
    Ok(all)
}

/// All obstacles by name.
pub fn obstacles<'py>(py: Python<'py>, shared: &Shared) -> PyResult<Bound<'py, PyDict>> {
    let (core, all) = (lock(py, shared), PyDict::new(py));
    for (index, obstacle) in core.scene.world.obstacles().iter().enumerate() {
        let id = core.scene.world.obstacle_at(index).map_err(gone)?;
        all.set_item(&obstacle.params.name, Obstacle::new(shared, &core, id)?.into_pyobject(py)?)?;
    }
    Ok(all)
}

/// All arms by name.
pub fn arms<'py>(py: Python<'py>, shared: &Shared) -> PyResult<Bound<'py, PyDict>> {
    let (core, all) = (lock(py, shared), PyDict::new(py));
    for name in arm_names(&core) {
        let id = core.scene.world.body_named(name).ok_or_else(|| gone(pliant::Gone { kind: "body" }))?;
        all.set_item(name, Arm::new(shared, &core, id)?.into_pyobject(py)?)?;
    }
    Ok(all)
}

/// All sensors by name.
pub fn sensors<'py>(py: Python<'py>, shared: &Shared) -> PyResult<Bound<'py, PyDict>> {
    let (core, all) = (lock(py, shared), PyDict::new(py));
    for sensor in core.scene.world.sensors() {
        let name = &sensor.params.name;
        let id = core.scene.world.sensor_named(name).ok_or_else(|| gone(pliant::Gone { kind: "sensor" }))?;
        all.set_item(name, Sensor::new(shared, &core, id, name)?.into_pyobject(py)?)?;
    }
    Ok(all)
}

/// Names of the bodies that are arms.
fn arm_names(core: &Core) -> impl Iterator<Item = &str> {
    let arms = core.scene.world.bodies().iter().filter(|body| matches!(body, pliant::Body::Arm(_)));
    arms.map(pliant::Body::name)
}

/// The arm with a name.
pub fn arm(py: Python<'_>, shared: &Shared, name: &str) -> PyResult<Arm> {
    let core = lock(py, shared);
    match core.scene.world.body_named(name) {
        Some(id) => Arm::new(shared, &core, id),
        None => Err(unknown("arm", name, arm_names(&core))),
    }
}

/// The sensor with a name.
pub fn sensor(py: Python<'_>, shared: &Shared, name: &str) -> PyResult<Sensor> {
    let core = lock(py, shared);
    match core.scene.world.sensor_named(name) {
        Some(id) => Sensor::new(shared, &core, id, name),
        None => Err(unknown("sensor", name, core.scene.world.layout().sensor_names())),
    }
}

/// The body with a name.
pub fn body(py: Python<'_>, shared: &Shared, name: &str) -> PyResult<Body> {
    let core = lock(py, shared);
    match core.scene.world.body_named(name) {
        Some(id) => Body::new(shared, &core, id),
        None => Err(unknown("body", name, core.scene.world.layout().body_names())),
    }
}

/// The gripper with a name.
pub fn gripper(py: Python<'_>, shared: &Shared, name: &str) -> PyResult<Gripper> {
    let core = lock(py, shared);
    match core.scene.world.gripper_named(name) {
        Some(id) => Gripper::new(shared, &core, id),
        None => Err(unknown("gripper", name, core.scene.world.layout().gripper_names())),
    }
}

/// The obstacle with a name.
pub fn obstacle(py: Python<'_>, shared: &Shared, name: &str) -> PyResult<Obstacle> {
    let core = lock(py, shared);
    match core.scene.world.obstacle_named(name) {
        Some(id) => Obstacle::new(shared, &core, id),
        None => Err(unknown("obstacle", name, core.scene.world.layout().obstacle_names())),
    }
}

/// A body of this world, given by name or handle.
pub fn body_of(shared: &Shared, core: &Core, body: &Bound<'_, PyAny>) -> PyResult<pliant::BodyId> {
    if let Some(name) = text(body) {
        return core
            .scene
            .world
            .body_named(name)
            .ok_or_else(|| unknown("body", name, core.scene.world.layout().body_names()));
    }
    let body = body.cast::<Body>()?.get();
    if body.is_of(shared) { Ok(body.id()) } else { Err(gone(pliant::Gone { kind: "body" })) }
}

/// A name that is not there, with those that are.
pub fn unknown<'a>(kind: &str, name: &str, known: impl Iterator<Item = &'a str>) -> PyErr {
    let known: Vec<&str> = known.collect();
    PyKeyError::new_err(format!("there is no {kind} named `{name}` (known: {})", known.join(", ")))
}
