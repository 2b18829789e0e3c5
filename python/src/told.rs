//! What a world tells as Python values: contacts, events, verdicts.

use pliant::math::{Pose, Vec3};
use pliant::{Contact, Event, Frame, Layout, Other, Wrench};
use pliant_record::event_text;
use pliant_scene::{Expectation, Verdict};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;

use crate::arrays::array;

/// A vector as an array.
pub fn vector(py: Python<'_>, v: Vec3) -> PyResult<Py<PyAny>> {
    array(py, &[3], v.to_array().to_vec())
}

/// The rotation of a pose as w x y z.
pub fn rotation(py: Python<'_>, pose: &Pose) -> PyResult<Py<PyAny>> {
    let q = pose.rotation;
    array(py, &[4], vec![q.w, q.x, q.y, q.z])
}

/// Force and torque in one array.
pub fn wrench(py: Python<'_>, load: &Wrench) -> PyResult<Py<PyAny>> {
    let [f, m] = [load.force, load.torque];
    array(py, &[6], vec![f.x, f.y, f.z, m.x, m.y, m.z])
}

/// Contacts as one array per quantity.
pub fn contacts<'py>(py: Python<'py>, frame: &Frame, layout: &Layout) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    let all = &frame.contacts;
    let other = |other: &Other| match *other {
        Other::Obstacle(index) => layout.obstacle_name(index),
        Other::Body(index) => layout.body_name(index),
        Other::Slider(index) => format!("slider {index}"),
    };
    told.set_item("body", PyList::new(py, all.iter().map(|c| layout.body_name(c.body)))?)?;
    told.set_item("other", PyList::new(py, all.iter().map(|c| other(&c.other)))?)?;
    let vectors = |of: fn(&Contact) -> Vec3| {
        array(py, &[all.len(), 3], all.iter().flat_map(|contact| of(contact).to_array()).collect())
    };
    told.set_item("position", vectors(|contact| contact.position)?)?;
    told.set_item("normal", vectors(|contact| contact.normal)?)?;
    told.set_item("force", vectors(|contact| contact.force)?)?;
    told.set_item("penetration", array(py, &[all.len()], all.iter().map(|c| c.penetration).collect())?)?;
    // solids have no arc length
    told.set_item("along", array(py, &[all.len()], all.iter().map(|c| c.along.unwrap_or(f64::NAN)).collect())?)?;
    Ok(told)
}

/// Events as dictionaries, as the command prints them, with a sentence.
pub fn events<'py>(py: Python<'py>, events: &[Event], layout: &Layout) -> PyResult<Bound<'py, PyList>> {
    let told = PyList::empty(py);
    for event in events {
        let entry = PyDict::new(py);
        if let Ok(Value::Object(fields)) = serde_json::to_value(event) {
            for (key, value) in fields {
                let index = value.as_u64().map(|index| index as usize);
                match (key.as_str(), index) {
                    ("body", Some(index)) => entry.set_item(key, layout.body_name(index))?,
                    ("gripper", Some(index)) => entry.set_item(key, layout.gripper_name(index))?,
                    ("obstacle", Some(index)) => entry.set_item(key, layout.obstacle_name(index))?,
                    ("other", Some(index)) => entry.set_item(key, layout.body_name(index))?,
                    ("other", None) => entry.set_item(key, crossed(&value, layout))?,
                    _ => entry.set_item(key, plain(py, &value)?)?,
                }
            }
        }
        entry.set_item("text", event_text(layout, event.kind))?;
        told.append(entry)?;
    }
    Ok(told)
}

/// Name of what a rod has come through.
fn crossed(other: &Value, layout: &Layout) -> String {
    let index = |kind: &str| other.get(kind).and_then(Value::as_u64).map(|index| index as usize);
    match (index("obstacle"), index("body"), index("slider")) {
        (Some(index), ..) => layout.obstacle_name(index),
        (_, Some(index), _) => layout.body_name(index),
        (.., Some(index)) => format!("slider {index}"),
        _ => String::new(),
    }
}

fn plain(py: Python<'_>, value: &Value) -> PyResult<Py<PyAny>> {
    match value {
        Value::Bool(value) => value.into_py_any(py),
        Value::Number(value) if value.is_u64() => value.as_u64().into_py_any(py),
        Value::Number(value) => value.as_f64().into_py_any(py),
        Value::String(value) => value.into_py_any(py),
        _ => Ok(py.None()),
    }
}

/// The verdict on each expectation of a scene, for a run that has come to `time` [s].
pub fn verdicts<'py>(py: Python<'py>, expectations: &[Expectation], time: f64) -> PyResult<Bound<'py, PyList>> {
    let told = PyList::empty(py);
    for expectation in expectations {
        let entry = PyDict::new(py);
        entry.set_item("what", expectation.text())?;
        entry.set_item("quantity", expectation.quantity())?;
        entry.set_item("bounds", expectation.bounds().to_vec())?;
        let (met, value) = match expectation.verdict(time) {
            Verdict::Met { value } => (Some(true), Some(value)),
            Verdict::Missed { value, .. } => (Some(false), Some(value)),
            Verdict::NotReached => (None, None),
        };
        entry.set_item("met", met)?;
        entry.set_item("value", value)?;
        told.append(entry)?;
    }
    Ok(told)
}
