//! From Python values to those of the engine, in the words of scene files.

use pliant::math::{Pose, Quat, Vec3};
use pliant::{Hold, Place};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// Three numbers: a list, a tuple or an array.
#[derive(Clone, Copy)]
pub struct Triple(pub Vec3);

/// Four numbers, a quaternion w x y z of any length but zero.
#[derive(Clone, Copy)]
pub struct Turn(pub Quat);

fn numbers<const N: usize>(value: Borrowed<'_, '_, PyAny>, what: &str) -> PyResult<[f64; N]> {
    let wrong = || PyTypeError::new_err(format!("expected {what}: {N} numbers, got {}", *value));
    let all: Vec<f64> = value
        .try_iter()
        .map_err(|_| wrong())?
        .map(|number| number.and_then(|number| number.extract()))
        .collect::<PyResult<_>>()
        .map_err(|_| wrong())?;
    all.try_into().map_err(|_| wrong())
}

impl<'a, 'py> FromPyObject<'a, 'py> for Triple {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Triple> {
        Ok(Triple(Vec3::from_array(numbers(value, "a vector")?)))
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Turn {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Turn> {
        turn(numbers(value, "a quaternion w x y z")?).map(Turn)
    }
}

/// A rotation from w x y z.
pub fn turn([w, x, y, z]: [f64; 4]) -> PyResult<Quat> {
    let q = Quat::from_xyzw(x, y, z, w);
    let length = q.length();
    if !(length.is_finite() && length > 0.0) {
        return Err(PyValueError::new_err(format!("a quaternion must be finite and not zero, got {:?}", [w, x, y, z])));
    }
    Ok(Quat::from_xyzw(x / length, y / length, z / length, w / length))
}

/// A pose with what is given of it changed.
pub fn pose(now: &Pose, position: Option<Triple>, orientation: Option<Turn>) -> Pose {
    let position = position.map_or(now.translation, |position| position.0);
    Pose::from_parts(position, orientation.map_or(now.rotation, |turn| turn.0))
}

const PLACES: &str = "\"start\", \"end\", a fraction from 0 to 1, {\"node\": 3}, or for a solid {\"point\": [x, y, z]} or \
                      {\"min\": [x, y, z], \"max\": [x, y, z]}";

/// A place on a body, as in a scene file.
pub fn place(value: &Bound<'_, PyAny>) -> PyResult<Place> {
    let wrong = || PyValueError::new_err(format!("expected {PLACES}, got {value}"));
    if let Ok(word) = value.cast::<PyString>() {
        return match word.to_str()? {
            "start" => Ok(Place::Fraction(0.0)),
            "end" => Ok(Place::Fraction(1.0)),
            _ => Err(wrong()),
        };
    }
    if let Ok(table) = value.cast::<PyDict>() {
        let at = |key: &str| -> PyResult<Option<Vec3>> {
            table.get_item(key)?.map(|value| Ok(value.extract::<Triple>()?.0)).transpose()
        };
        let node = table.get_item("node")?.map(|node| node.extract::<usize>()).transpose()?;
        return match (node, at("point")?, at("min")?, at("max")?, table.len()) {
            (Some(node), None, None, None, 1) => Ok(Place::Node(node)),
            (None, Some(point), None, None, 1) => Ok(Place::Point(point)),
            (None, None, Some(low), Some(high), 2) => Ok(Place::Box { low, high }),
            _ => Err(wrong()),
        };
    }
    match value.extract::<f64>() {
        Ok(fraction) if (0.0..=1.0).contains(&fraction) => Ok(Place::Fraction(fraction)),
        _ => Err(wrong()),
    }
}

/// What a grip constrains, as in a scene file.
pub fn hold(value: Option<&Bound<'_, PyAny>>) -> PyResult<Hold> {
    let Some(value) = value else { return Ok(Hold::Position) };
    let word = value.cast::<PyString>().ok().map(|word| word.to_str()).transpose()?;
    match (value.extract::<bool>(), word) {
        (Ok(false), _) => Ok(Hold::Position),
        (Ok(true), _) => Ok(Hold::Clamp),
        (_, Some("two-points")) => Ok(Hold::TwoPoints),
        (_, Some("only")) => Ok(Hold::Direction),
        _ => Err(PyValueError::new_err(format!("expected False, True, \"two-points\" or \"only\", got {value}"))),
    }
}

/// The place in words of a scene file, for messages.
pub fn place_text(place: Place) -> String {
    match place {
        Place::Fraction(fraction) => format!("{fraction}"),
        Place::Node(node) => format!("node {node}"),
        Place::Point(point) => format!("point {point}"),
        Place::Box { low, high } => format!("box {low} {high}"),
    }
}
