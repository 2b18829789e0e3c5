//! The plots of the report: which curves there are, and their values at an instant.

use pliant::Frame;

use crate::decimate::ThinnedCurves;
use crate::events::Names;
use crate::mcap_writer::{contact_force_sum, penetration_max};

/// Points of a curve at most.
const POINT_LIMIT: usize = 4000;
/// Memory of all curves at most [bytes], which scenes with very many things would exceed otherwise.
const BYTE_LIMIT: usize = 3_000_000;

/// All plots of a run.
#[derive(Debug)]
pub(crate) struct Plots {
    pub plots: Vec<Plot>,
    pub curves: ThinnedCurves,
    gripper_count: usize,
    body_count: usize,
    has_obstacles: bool,
    /// Energy of each body in the field of gravity at the start [J]: its zero is arbitrary.
    gravity_at_start: Option<Vec<f64>>,
    row: Vec<f32>,
}

/// One plot.
#[derive(Debug)]
pub(crate) struct Plot {
    pub title: String,
    pub unit: &'static str,
    /// Names of the curves with their columns.
    pub series: Vec<(String, usize)>,
}

/// Columns of a gripper: force x, y, z, its norm, norm of the torque.
const GRIPPER_COLUMNS: usize = 5;
/// Columns of a body: kinetic, elastic, gravity, total.
const BODY_COLUMNS: usize = 4;

impl Plots {
    pub fn new(names: &Names) -> Plots {
        let (grippers, bodies) = (&names.grippers, &names.bodies);
        let body_start = GRIPPER_COLUMNS * grippers.len();
        let contact_start = body_start + BODY_COLUMNS * bodies.len();
        let width = contact_start + 2;

        let mut plots = vec![];
        // components of many grippers would be a tangle
        let parts: &[(&str, usize)] =
            if grippers.len() <= 2 { &[("x", 0), ("y", 1), ("z", 2), ("norm", 3)] } else { &[("norm", 3)] };
        let of_grippers = |parts: &[(&str, usize)]| {
            let mut series = vec![];
            for (index, gripper) in grippers.iter().enumerate() {
                for (part, offset) in parts {
                    let name = if parts.len() == 1 { gripper.clone() } else { format!("{gripper} {part}") };
                    series.push((name, GRIPPER_COLUMNS * index + offset));
                }
            }
            series
        };
        if !grippers.is_empty() {
            plots.push(Plot { title: "Force on grippers".into(), unit: "N", series: of_grippers(parts) });
            let series = of_grippers(&[("norm", 4)]);
            plots.push(Plot { title: "Torque on grippers".into(), unit: "N m", series });
        }
        for (index, body) in bodies.iter().enumerate() {
            let column = body_start + BODY_COLUMNS * index;
            let kinds = ["kinetic", "elastic", "gravity", "total"].iter().zip(column..);
            let series = kinds.map(|(kind, column)| (kind.to_string(), column)).collect();
            plots.push(Plot { title: format!("Energy of {body}"), unit: "J", series });
        }
        if !names.obstacles.is_empty() {
            let single = |name: &str, column| vec![(name.to_string(), column)];
            let series = single("sum of magnitudes", contact_start);
            plots.push(Plot { title: "Contact force".into(), unit: "N", series });
            let series = single("largest", contact_start + 1);
            plots.push(Plot { title: "Penetration".into(), unit: "m", series });
        }
        Plots {
            plots,
            curves: ThinnedCurves::new(width, POINT_LIMIT.min(BYTE_LIMIT / (4 * width))),
            gripper_count: grippers.len(),
            body_count: bodies.len(),
            has_obstacles: !names.obstacles.is_empty(),
            gravity_at_start: None,
            row: Vec::with_capacity(width),
        }
    }

    /// Add the values at a frame.
    pub fn push(&mut self, frame: &Frame) {
        let of_body = |body: &pliant::BodyFrame| body.energy.gravity;
        let at_start = self.gravity_at_start.get_or_insert_with(|| frame.bodies.iter().map(of_body).collect());
        self.row.clear();
        for gripper in frame.grippers.iter().take(self.gripper_count) {
            let (force, torque) = (gripper.load.force, gripper.load.torque);
            self.row.extend([force.x, force.y, force.z, force.length(), torque.length()].map(|v| v as f32));
        }
        for (body, &gravity_at_start) in frame.bodies.iter().zip(at_start.iter()).take(self.body_count) {
            let energy = body.energy;
            let gravity = energy.gravity - gravity_at_start;
            let total = energy.kinetic + energy.elastic + gravity;
            self.row.extend([energy.kinetic, energy.elastic, gravity, total].map(|v| v as f32));
        }
        let contact = if self.has_obstacles { [contact_force_sum(frame), penetration_max(frame)] } else { [0.0; 2] };
        self.row.extend(contact.map(|v| v as f32));
        self.curves.push(frame.time, &self.row);
    }

    /// Plots worth showing: a curve that is zero throughout, such as the torque of a grip that lets turn, is not.
    pub fn shown(&self) -> impl Iterator<Item = &Plot> {
        self.plots
            .iter()
            .filter(|plot| plot.series.iter().any(|(_, column)| self.curves.curve(*column).any(|v| v != 0.0)))
    }
}
