//! Adding to a world that is there: the new part is read as a small scene of its own, by the reader of scene files, and
//! then put into the world.

use pliant::{BodyId, GripperId, ObstacleId, SensorId};
use pliant_scene::Scene;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::core::Core;
use crate::errors::refused;
use crate::source::Source;
use crate::world::named::unknown;

/// Read a scene that has only this part, with the materials given beside it.
fn alone(
    py: Python<'_>,
    core: &Core,
    kind: &str,
    fields: &Bound<'_, PyDict>,
    material: Option<&Bound<'_, PyDict>>,
) -> PyResult<Scene> {
    let tables = PyDict::new(py);
    tables.set_item("duration", core.scene.duration)?;
    tables.set_item("step", core.scene.step)?;
    if let Some(material) = material {
        tables.set_item("material", material)?;
    }
    tables.set_item(kind, [fields])?;
    // a sensor needs its gripper, wherever that is
    if let (true, Some(gripper)) = (kind == "sensor", fields.get_item("gripper")?) {
        let stub = PyDict::new(py);
        stub.set_item("name", gripper)?;
        stub.set_item("position", [0.0; 3])?;
        tables.set_item("gripper", [stub])?;
    }
    let mut source = Source::tables(&tables, Some(core.source.base.clone()))?;
    source.name = format!("<{kind}>");
    source.build().map_err(|error| error.raise(py))
}

/// Add a body, given as an entry of `[[body]]`.
pub fn add_body(
    py: Python<'_>,
    core: &mut Core,
    fields: &Bound<'_, PyDict>,
    material: Option<&Bound<'_, PyDict>>,
) -> PyResult<BodyId> {
    let mut scene = alone(py, core, "body", fields, material)?;
    let first = scene.world.body_at(0).map_err(refused)?;
    let body = scene.world.remove_body(first).map_err(refused)?;
    let id = core.scene.world.add_body(body).map_err(refused)?;
    core.changed();
    Ok(id)
}

/// Add an obstacle, given as an entry of `[[obstacle]]`.
pub fn add_obstacle(py: Python<'_>, core: &mut Core, fields: &Bound<'_, PyDict>) -> PyResult<ObstacleId> {
    let scene = alone(py, core, "obstacle", fields, None)?;
    let first = scene.world.obstacle_at(0).map_err(refused)?;
    let params = scene.world.obstacle(first).map_err(refused)?.params.clone();
    let id = core.scene.world.add_obstacle((*params).clone()).map_err(refused)?;
    core.changed();
    Ok(id)
}

/// Add a gripper, given as an entry of `[[gripper]]` without grips.
pub fn add_gripper(py: Python<'_>, core: &mut Core, fields: &Bound<'_, PyDict>) -> PyResult<GripperId> {
    let scene = alone(py, core, "gripper", fields, None)?;
    let first = scene.world.gripper_at(0).map_err(refused)?;
    let params = scene.world.gripper(first).map_err(refused)?.params.clone();
    let id = core.scene.world.add_gripper((*params).clone()).map_err(refused)?;
    if let Some(finger) = scene.world.obstacles().first()
        && let pliant::contact::ShapeKind::Sphere { radius } = *finger.params.shape.kind()
    {
        let params = pliant::FingerParams { gripper: id, radius, friction: finger.friction };
        core.scene.world.add_finger(params).map_err(refused)?;
    }
    core.changed();
    Ok(id)
}

/// Add a sensor, given as an entry of `[[sensor]]`.
pub fn add_sensor(py: Python<'_>, core: &mut Core, fields: &Bound<'_, PyDict>) -> PyResult<(SensorId, String)> {
    let scene = alone(py, core, "sensor", fields, None)?;
    let world = &mut core.scene.world;
    let Some(sensor) = scene.world.sensors().first() else { return Err(refused(pliant::Gone { kind: "sensor" })) };
    let mut params = (*sensor.params).clone();
    let gripper = scene.world.gripper(params.gripper).map_err(refused)?.params.name.clone();
    params.gripper =
        world.gripper_named(&gripper).ok_or_else(|| unknown("gripper", &gripper, world.layout().gripper_names()))?;
    // its number among the sensors, as in a scene file
    if !fields.contains("seed")? {
        params.seed = world.sensors().len() as u64;
    }
    let name = params.name.clone();
    let id = world.add_sensor(params).map_err(refused)?;
    core.changed();
    Ok((id, name))
}
