//! The data of `report.html`: decimated during the run, written at its end.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pliant::contact::Mesh;
use pliant::math::Pose;
use pliant::{Event, Frame, Layout, View};
use serde::Serialize;

use crate::columns::Columns;
use crate::decimate::ThinnedRows;
use crate::plots::Plots;
use crate::recorder::{ExpectationRow, Outcome, RunInfo};

/// Largest frame rate per second of simulated time [Hz]: that of a screen.
const FRAME_RATE: f64 = 60.0;
const FRAME_LIMIT: usize = 3000;
/// Limit on the size of all frames [bytes]; base64 adds a third, page and plots a few megabytes.
const BYTE_LIMIT: usize = 14_000_000;
/// Likewise where there is little time to write them.
const QUICK_BYTES: usize = 3_000_000;
/// Largest number of events listed: a body that rattles on a floor makes thousands.
const EVENT_LIMIT: usize = 2000;

/// Collects what the report shows.
#[derive(Debug)]
pub(crate) struct Report {
    bodies: Vec<BodyPart>,
    obstacles: Vec<ObstaclePart>,
    grippers: Vec<GripperPart>,
    frames: ThinnedRows,
    plots: Plots,
    events: Vec<EventRow>,
    events_left_out: usize,
    row: Vec<f32>,
    row_time: f64,
}

/// A body and the index of its first columns.
#[derive(Debug)]
struct BodyPart {
    name: String,
    model: &'static str,
    radius: f64,
    node_count: usize,
    triangles: Vec<u32>,
    positions: usize,
    /// Name, unit and first column of each field.
    fields: Vec<(&'static str, &'static str, usize)>,
}

#[derive(Debug)]
struct ObstaclePart {
    name: String,
    kind: &'static str,
    outline: Mesh,
    pose: usize,
}

#[derive(Debug)]
struct GripperPart {
    name: String,
    /// First column of pose, force, torque, attached: 7 + 3 + 3 + 1 columns.
    pose: usize,
}

const POSE_COLUMNS: usize = 7;
const GRIPPER_COLUMNS: usize = 14;

#[derive(Clone, Debug, Serialize)]
struct EventRow {
    time: f64,
    text: String,
}

impl Report {
    /// For a world that is laid out like this.
    pub fn new(layout: &Layout, sampled: &Columns) -> Report {
        let mut width = 0;
        let mut columns = |count: usize| {
            width += count;
            width - count
        };
        let bodies = layout.bodies.iter().map(|body| BodyPart {
            name: body.name.clone(),
            model: body.model.name(),
            radius: body.radius,
            node_count: body.nodes,
            triangles: body.facets.iter().flatten().copied().collect(),
            positions: columns(3 * body.nodes),
            fields: body.fields.iter().map(|(name, unit)| (*name, *unit, columns(body.nodes))).collect(),
        });
        let bodies = bodies.collect();
        let obstacles = layout.obstacles.iter().map(|obstacle| ObstaclePart {
            name: obstacle.name.clone(),
            kind: if obstacle.is_plane { "plane" } else { "mesh" },
            outline: obstacle.outline.clone(),
            pose: columns(POSE_COLUMNS),
        });
        let obstacles = obstacles.collect();
        let grippers = layout
            .grippers
            .iter()
            .map(|gripper| GripperPart { name: gripper.name.clone(), pose: columns(GRIPPER_COLUMNS) });
        let grippers = grippers.collect();
        Report {
            bodies,
            obstacles,
            grippers,
            frames: ThinnedRows::new(width, FRAME_RATE, FRAME_LIMIT, BYTE_LIMIT),
            plots: Plots::new(layout, sampled),
            events: vec![],
            events_left_out: 0,
            row: vec![0.0; width],
            row_time: f64::NAN,
        }
    }

    /// Whether a single frame is larger than all frames of a page should be.
    pub fn is_huge(&self) -> bool {
        self.row.len() * size_of::<f32>() > BYTE_LIMIT
    }

    /// Keep so few frames that the page is written quickly.
    pub fn shrink(&mut self) {
        self.frames.shrink(QUICK_BYTES);
    }

    /// Add the sampled values of a step, for the plots.
    pub fn push_row(&mut self, row: &[f64]) {
        self.plots.push(row);
    }

    /// Add a frame.
    pub fn push_frame(&mut self, frame: &Frame) {
        self.fill_row(frame);
        if self.frames.is_due(frame.time) {
            self.frames.push(frame.time, &self.row);
        }
    }

    fn fill_row(&mut self, frame: &Frame) {
        let row = &mut self.row;
        self.row_time = frame.time;
        for (part, body) in self.bodies.iter().zip(&frame.bodies) {
            fill(&mut row[part.positions..][..3 * part.node_count], body.nodes.iter().flat_map(|node| node.to_array()));
            for ((_, _, column), field) in part.fields.iter().zip(&body.fields) {
                fill(&mut row[*column..][..part.node_count], field.values.iter().copied());
            }
        }
        for (part, pose) in self.obstacles.iter().zip(&frame.obstacles) {
            fill(&mut row[part.pose..][..POSE_COLUMNS], pose_values(pose));
        }
        for (part, gripper) in self.grippers.iter().zip(&frame.grippers) {
            let load = gripper.load.force.to_array().into_iter().chain(gripper.load.torque.to_array());
            let attached = f64::from(u8::from(gripper.attached));
            let values = pose_values(&gripper.pose).into_iter().chain(load).chain([attached]);
            fill(&mut row[part.pose..][..GRIPPER_COLUMNS], values);
        }
    }

    /// Add an event as text.
    pub fn push_event(&mut self, event: &Event, text: String) {
        if self.events.len() < EVENT_LIMIT {
            self.events.push(EventRow { time: event.time, text });
        } else {
            self.events_left_out += 1;
        }
    }

    /// The data as JSON, with `<` escaped so that it cannot end the HTML element around it.
    pub fn into_json(mut self, info: &RunInfo, outcome: &Outcome) -> Result<String, serde_json::Error> {
        // the last instant is what most readers want to see, due or not
        let is_kept = self.frames.times().last() == Some(&(self.row_time as f32));
        if !is_kept && self.row_time.is_finite() {
            self.frames.push(self.row_time, &self.row);
        }
        self.plots.curves.finish();
        if self.events_left_out > 0 {
            let text = format!("and {} more, all of them in recording.mcap", self.events_left_out);
            self.events.push(EventRow { time: self.row_time, text });
        }
        let json = serde_json::to_string(&self.data(info, outcome))?;
        Ok(json.replace('<', "\\u003c"))
    }

    fn data<'a>(&'a self, info: &'a RunInfo, outcome: &'a Outcome) -> Data<'a> {
        let plot_times = encode(self.plots.curves.times().iter().copied());
        Data {
            format: 1,
            title: &info.title,
            scene: &info.scene,
            command: &info.command,
            version: env!("CARGO_PKG_VERSION"),
            outcome: if outcome.ok { "done" } else { "failed" },
            outcome_text: &outcome.text,
            summary: &outcome.summary,
            expectations: &outcome.expectations,
            events: &self.events,
            times: encode(self.frames.times().iter().copied()),
            bodies: self.bodies.iter().map(|part| self.body_data(part)).collect(),
            obstacles: self.obstacles.iter().map(|part| self.obstacle_data(part)).collect(),
            grippers: self.grippers.iter().map(|part| self.gripper_data(part)).collect(),
            plots: self.plots.shown().map(|plot| self.plot_data(plot, &plot_times)).collect(),
            view: &info.view,
        }
    }

    fn body_data<'a>(&'a self, part: &'a BodyPart) -> BodyData<'a> {
        let field = |&(name, unit, column): &(&'static str, &'static str, usize)| FieldData {
            name,
            unit,
            values: self.columns(column, part.node_count),
        };
        BodyData {
            name: &part.name,
            model: part.model,
            kind: if part.triangles.is_empty() { "curve" } else { "surface" },
            radius: part.radius,
            node_count: part.node_count,
            triangles: &part.triangles,
            positions: self.columns(part.positions, 3 * part.node_count),
            fields: part.fields.iter().map(field).collect(),
        }
    }

    fn obstacle_data<'a>(&'a self, part: &'a ObstaclePart) -> ObstacleData<'a> {
        ObstacleData {
            name: &part.name,
            kind: part.kind,
            vertices: part.outline.vertices.iter().flat_map(|v| v.to_array()).map(|v| v as f32).collect(),
            triangles: part.outline.triangles.as_flattened(),
            poses: self.poses(part.pose),
        }
    }

    fn gripper_data<'a>(&'a self, part: &'a GripperPart) -> GripperData<'a> {
        let load = part.pose + POSE_COLUMNS;
        let attached: Vec<u8> = self.frames.columns(load + 6..load + 7).map(|v| v as u8).collect();
        GripperData {
            name: &part.name,
            poses: self.poses(part.pose),
            forces: self.columns(load, 3),
            torques: self.columns(load + 3, 3),
            attached: STANDARD.encode(attached),
        }
    }

    fn plot_data<'a>(&'a self, plot: &'a crate::plots::Plot, times: &str) -> PlotData<'a> {
        let series = plot.series.iter();
        PlotData {
            title: &plot.title,
            unit: plot.unit,
            times: times.into(),
            series: series
                .map(|(name, column)| SeriesData { name, values: encode(self.plots.curves.curve(*column)) })
                .collect(),
        }
    }

    fn columns(&self, start: usize, count: usize) -> String {
        encode(self.frames.columns(start..start + count))
    }

    /// Poses at all frames, or a single pose if they are all equal.
    fn poses(&self, start: usize) -> String {
        let poses: Vec<f32> = self.frames.columns(start..start + POSE_COLUMNS).collect();
        let rests = poses.chunks_exact(POSE_COLUMNS).all(|pose| pose == &poses[..POSE_COLUMNS]);
        let count = if rests { poses.len().min(POSE_COLUMNS) } else { poses.len() };
        encode(poses[..count].iter().copied())
    }
}

fn fill(columns: &mut [f32], values: impl IntoIterator<Item = f64>) {
    columns.iter_mut().zip(values).for_each(|(column, value)| *column = value as f32);
}

/// x y z of the position, then w x y z of the rotation.
fn pose_values(pose: &Pose) -> [f64; POSE_COLUMNS] {
    let (p, q) = (pose.translation, pose.rotation);
    [p.x, p.y, p.z, q.w, q.x, q.y, q.z]
}

/// Base64 of little-endian numbers.
fn encode(values: impl Iterator<Item = f32>) -> String {
    STANDARD.encode(values.flat_map(f32::to_le_bytes).collect::<Vec<u8>>())
}

/// What the page reads; strings of numbers are base64 of little-endian `f32` (`attached`: `u8`), frame by frame.
#[derive(Serialize)]
struct Data<'a> {
    format: u32,
    title: &'a str,
    scene: &'a str,
    command: &'a str,
    version: &'a str,
    outcome: &'a str,
    outcome_text: &'a str,
    summary: &'a [(String, String)],
    expectations: &'a [ExpectationRow],
    events: &'a [EventRow],
    times: String,
    bodies: Vec<BodyData<'a>>,
    obstacles: Vec<ObstacleData<'a>>,
    grippers: Vec<GripperData<'a>>,
    plots: Vec<PlotData<'a>>,
    view: &'a View,
}

#[derive(Serialize)]
struct BodyData<'a> {
    name: &'a str,
    model: &'a str,
    kind: &'a str,
    radius: f64,
    node_count: usize,
    triangles: &'a [u32],
    positions: String,
    fields: Vec<FieldData<'a>>,
}

#[derive(Serialize)]
struct FieldData<'a> {
    name: &'a str,
    unit: &'a str,
    values: String,
}

#[derive(Serialize)]
struct ObstacleData<'a> {
    name: &'a str,
    kind: &'a str,
    vertices: Vec<f32>,
    triangles: &'a [u32],
    poses: String,
}

#[derive(Serialize)]
struct GripperData<'a> {
    name: &'a str,
    poses: String,
    forces: String,
    torques: String,
    attached: String,
}

#[derive(Serialize)]
struct PlotData<'a> {
    title: &'a str,
    unit: &'a str,
    times: String,
    series: Vec<SeriesData<'a>>,
}

#[derive(Serialize)]
struct SeriesData<'a> {
    name: &'a str,
    values: String,
}
