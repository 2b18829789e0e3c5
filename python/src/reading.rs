//! Recordings read back as arrays.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::array;
use crate::errors::RecordError;
use crate::protobuf::{Fields, Value, doubles, packed};

/// All that was recorded of a body.
#[derive(Default)]
struct BodyTrack {
    times: Vec<f64>,
    /// Positions of all nodes, frame after frame.
    nodes: Vec<f64>,
    energies: Vec<[f64; 4]>,
    /// Unit and values of each field.
    fields: BTreeMap<String, (String, Vec<f64>)>,
    /// Names of an arm's joints, and position, speed and torque of each, frame after frame.
    joints: Vec<String>,
    states: [Vec<f64>; 3],
}

/// All that was recorded of a gripper or a sensor: position, orientation w x y z, force and torque.
#[derive(Default)]
struct GripperTrack {
    times: Vec<f64>,
    positions: Vec<f64>,
    orientations: Vec<f64>,
    wrenches: Vec<f64>,
    attached: Vec<f64>,
}

#[derive(Default)]
struct Tracks {
    bodies: BTreeMap<String, BodyTrack>,
    grippers: BTreeMap<String, GripperTrack>,
    sensors: BTreeMap<String, GripperTrack>,
    /// Times and forces.
    obstacles: BTreeMap<String, (Vec<f64>, Vec<f64>)>,
    events: Vec<(f64, String)>,
    /// Times, deepest penetration and sum of forces.
    contacts: [Vec<f64>; 3],
    about: BTreeMap<String, BTreeMap<String, String>>,
}

fn read(path: &Path) -> Result<Tracks, String> {
    let told = |why: String| format!("{}: {why}", path.display());
    let bytes = std::fs::read(path).map_err(|e| told(format!("cannot be read: {e}")))?;
    if !bytes.starts_with(mcap::MAGIC) {
        return Err(told("this is no recording: it does not begin as MCAP files do".into()));
    }
    let mut tracks = Tracks::default();
    for record in mcap::read::LinearReader::new(&bytes).map_err(|e| told(e.to_string()))? {
        // a run that was killed may end in the middle of a record
        let Ok(record) = record else { break };
        if let mcap::records::Record::Metadata(metadata) = record {
            tracks.about.insert(metadata.name, metadata.metadata);
        }
    }
    for message in mcap::MessageStream::new(&bytes).map_err(|e| told(e.to_string()))? {
        let Ok(message) = message else { break };
        let time = message.log_time as f64 * 1e-9;
        tracks.add(&message.channel.topic, time, &message.data);
    }
    Ok(tracks)
}

impl Tracks {
    fn add(&mut self, topic: &str, time: f64, data: &[u8]) {
        let named = |kind: &str| topic.strip_prefix(kind).map(str::to_string);
        if let Some(name) = named("/body/") {
            self.bodies.entry(name).or_default().add(time, data);
        } else if let Some(name) = named("/gripper/") {
            self.grippers.entry(name).or_default().add(time, data);
        } else if let Some(name) = named("/sensor/") {
            self.sensors.entry(name).or_default().add(time, data);
        } else if let Some(name) = named("/obstacle/") {
            let (times, forces) = self.obstacles.entry(name).or_default();
            times.push(time);
            let force = Fields(data).find_map(|field| if let (2, Value::Bytes(b)) = field { Some(b) } else { None });
            forces.extend(force.map_or([0.0; 3], doubles));
        } else if topic == "/events" {
            let text = Fields(data).find_map(|field| if let (3, Value::Bytes(b)) = field { Some(b) } else { None });
            self.events.push((time, String::from_utf8_lossy(text.unwrap_or_default()).into_owned()));
        } else if topic == "/contacts" {
            let mut row = [time, 0.0, 0.0];
            for field in Fields(data) {
                if let (number @ (2 | 3), Value::Double(value)) = field {
                    row[number as usize - 1] = value;
                }
            }
            self.contacts.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        }
    }
}

impl BodyTrack {
    fn add(&mut self, time: f64, data: &[u8]) {
        self.times.push(time);
        let is_first = self.times.len() == 1;
        let mut energy = [0.0; 4];
        for field in Fields(data) {
            match field {
                (2, Value::Bytes(message)) => energy = doubles(message),
                (3, Value::Bytes(message)) => self.add_field(message),
                (5, Value::Bytes(message)) => self.nodes.extend(doubles::<3>(message)),
                (6, Value::Bytes(message)) => self.add_joint(message, is_first),
                _ => {}
            }
        }
        self.energies.push(energy);
    }

    fn add_joint(&mut self, message: &[u8], is_first: bool) {
        let mut state = [0.0; 3];
        for field in Fields(message) {
            match field {
                (1, Value::Bytes(text)) if is_first => self.joints.push(String::from_utf8_lossy(text).into_owned()),
                (number @ 2..=4, Value::Double(value)) => state[number as usize - 2] = value,
                _ => {}
            }
        }
        self.states.iter_mut().zip(state).for_each(|(column, value)| column.push(value));
    }

    fn add_field(&mut self, message: &[u8]) {
        let (mut name, mut unit, mut values) = (String::new(), String::new(), vec![]);
        for field in Fields(message) {
            match field {
                (1, Value::Bytes(text)) => name = String::from_utf8_lossy(text).into_owned(),
                (2, Value::Bytes(text)) => unit = String::from_utf8_lossy(text).into_owned(),
                (3, Value::Bytes(numbers)) => values.extend(packed(numbers)),
                (3, Value::Double(number)) => values.push(number),
                _ => {}
            }
        }
        let entry = self.fields.entry(name).or_default();
        entry.0 = unit;
        entry.1.extend(values);
    }
}

impl GripperTrack {
    fn add(&mut self, time: f64, data: &[u8]) {
        let (mut position, mut turn, mut force, mut torque, mut attached) =
            ([0.0; 3], [0.0; 4], [0.0; 3], [0.0; 3], 0.0);
        for field in Fields(data) {
            match field {
                (2, Value::Bytes(message)) => position = doubles(message),
                (3, Value::Bytes(message)) => turn = doubles(message),
                (4, Value::Bytes(message)) => force = doubles(message),
                (5, Value::Bytes(message)) => torque = doubles(message),
                (8, Value::Integer(value)) => attached = value as f64,
                _ => {}
            }
        }
        self.times.push(time);
        self.positions.extend(position);
        let [x, y, z, w] = turn;
        self.orientations.extend([w, x, y, z]);
        self.wrenches.extend(force.into_iter().chain(torque));
        self.attached.push(attached);
    }
}

impl GripperTrack {
    /// As arrays: time, pose and wrench.
    fn told(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let (entry, frames) = (PyDict::new(py), self.times.len());
        entry.set_item("time", array(py, &[frames], self.times)?)?;
        entry.set_item("position", array(py, &[frames, 3], self.positions)?)?;
        entry.set_item("orientation", array(py, &[frames, 4], self.orientations)?)?;
        entry.set_item("wrench", array(py, &[frames, 6], self.wrenches)?)?;
        Ok(entry)
    }
}

/// An array with one row per frame; fails if frames differ in size.
fn table(py: Python<'_>, frames: usize, width: Option<usize>, values: Vec<f64>) -> PyResult<Py<PyAny>> {
    let per_frame = values.len().checked_div(frames).unwrap_or(0);
    if per_frame * frames != values.len() || width.is_some_and(|width| !per_frame.is_multiple_of(width)) {
        return Err(RecordError::new_err("the number of nodes changes within the recording"));
    }
    match width {
        Some(width) => array(py, &[frames, per_frame / width, width], values),
        None => array(py, &[frames, per_frame], values),
    }
}

/// Read a recording as a dictionary of arrays; `pliant.read` makes a `Recording` of it.
#[pyfunction]
pub fn read_topics<'py>(py: Python<'py>, path: PathBuf) -> PyResult<Bound<'py, PyDict>> {
    let tracks = py.detach(|| read(&path)).map_err(RecordError::new_err)?;
    let told = PyDict::new(py);
    let bodies = PyDict::new(py);
    for (name, track) in tracks.bodies {
        let (entry, fields, energy, frames) = (PyDict::new(py), PyDict::new(py), PyDict::new(py), track.times.len());
        entry.set_item("time", array(py, &[frames], track.times)?)?;
        entry.set_item("positions", table(py, frames, Some(3), track.nodes)?)?;
        for (place, what) in ["kinetic", "elastic", "gravity", "total"].iter().enumerate() {
            energy.set_item(what, array(py, &[frames], track.energies.iter().map(|e| e[place]).collect())?)?;
        }
        entry.set_item("energy", energy)?;
        for (name, (unit, values)) in track.fields {
            fields.set_item(name, (unit, table(py, frames, None, values)?))?;
        }
        entry.set_item("fields", fields)?;
        let joints = PyDict::new(py);
        for (what, values) in ["positions", "velocities", "torques"].iter().zip(track.states) {
            joints.set_item(what, table(py, frames, None, values)?)?;
        }
        joints.set_item("names", track.joints)?;
        entry.set_item("joints", joints)?;
        bodies.set_item(name, entry)?;
    }
    let (grippers, sensors) = (PyDict::new(py), PyDict::new(py));
    for (name, track) in tracks.grippers {
        let attached = array(py, &[track.times.len()], track.attached.clone())?;
        let entry = track.told(py)?;
        entry.set_item("attached", attached)?;
        grippers.set_item(name, entry)?;
    }
    for (name, track) in tracks.sensors {
        sensors.set_item(name, track.told(py)?)?;
    }
    let obstacles = PyDict::new(py);
    for (name, (times, forces)) in tracks.obstacles {
        let (entry, frames) = (PyDict::new(py), times.len());
        entry.set_item("time", array(py, &[frames], times)?)?;
        entry.set_item("force", array(py, &[frames, 3], forces)?)?;
        obstacles.set_item(name, entry)?;
    }
    let contacts = PyDict::new(py);
    for (name, values) in ["time", "penetration", "force"].iter().zip(tracks.contacts) {
        contacts.set_item(name, array(py, &[values.len()], values)?)?;
    }
    told.set_item("bodies", bodies)?;
    told.set_item("grippers", grippers)?;
    told.set_item("sensors", sensors)?;
    told.set_item("obstacles", obstacles)?;
    told.set_item("contacts", contacts)?;
    told.set_item("events", PyList::new(py, tracks.events)?)?;
    told.set_item("about", tracks.about)?;
    Ok(told)
}
