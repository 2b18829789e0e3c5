//! The plots of the report: which columns of the table they show, at every step.

use std::collections::HashMap;

use pliant::Layout;

use crate::columns::{ACCOUNT, Columns};
use crate::decimate::ThinnedCurves;

/// Largest number of points of a curve: 2000 pairs of a low and a high, about one per pixel of a wide plot.
const POINT_LIMIT: usize = 4000;
/// Limit on the memory of all curves [bytes], for scenes with very many bodies, grippers and obstacles.
const BYTE_LIMIT: usize = 3_000_000;

/// All plots of a run.
#[derive(Debug)]
pub(crate) struct Plots {
    pub plots: Vec<Plot>,
    pub curves: ThinnedCurves,
    /// For each curve its column and, if it is shown relative to a start, the column whose first value is subtracted:
    /// the zero of potential energy is arbitrary.
    columns: Vec<(usize, Option<usize>)>,
    first: Vec<f64>,
    row: Vec<f32>,
}

/// One plot.
#[derive(Debug)]
pub(crate) struct Plot {
    pub title: String,
    pub unit: &'static str,
    /// Names of the curves with their indices.
    pub series: Vec<(String, usize)>,
}

impl Plots {
    pub fn new(layout: &Layout, columns: &Columns) -> Plots {
        let of: HashMap<&str, usize> = columns.list.iter().enumerate().map(|(i, c)| (c.name.as_str(), i)).collect();
        let mut drawing = Drawing { of, plots: vec![], columns: vec![] };
        // components of many grippers would be a tangle
        let parts: &[&str] = if layout.grippers.len() <= 2 { &["x", "y", "z", "norm"] } else { &["norm"] };
        let forces = layout.gripper_names().flat_map(|gripper| {
            let name =
                move |part: &str| if parts.len() == 1 { gripper.to_string() } else { format!("{gripper} {part}") };
            parts.iter().map(move |part| (name(part), format!("{gripper}.force.{part}")))
        });
        drawing.plot("Force on grippers".into(), "N", forces.collect());
        drawing.plot("Torque on grippers".into(), "N m", each(layout.gripper_names(), |g| format!("{g}.torque.norm")));
        let parts: &[&str] = if layout.sensors.len() <= 2 { &["x", "y", "z"] } else { &["norm"] };
        for (what, quantity, unit) in [("Force", "force", "N"), ("Torque", "torque", "N m")] {
            let series = layout.sensor_names().flat_map(|sensor| {
                parts.iter().map(move |part| (format!("{sensor} {part}"), format!("sensor.{sensor}.{quantity}.{part}")))
            });
            drawing.plot(format!("{what} at sensors"), unit, series.collect());
        }
        drawing.plot("Greatest tension".into(), "N", each(layout.body_names(), |b| format!("{b}.tension.max")));
        drawing.plot("Greatest curvature".into(), "1/m", each(layout.body_names(), |b| format!("{b}.curvature.max")));
        for body in &layout.bodies {
            for (slides, what, torque) in [(false, "Angles", "Torques"), (true, "Lengths", "Forces")] {
                let joints = || body.joints.iter().filter(|joint| joint.slides == slides);
                let series = |quantity: &str| {
                    let column = |joint: &pliant::JointLayout| format!("{}.joint.{}.{quantity}", body.name, joint.name);
                    joints().map(|joint| (joint.name.clone(), column(joint))).collect()
                };
                let [position, _, force] = joints().next().map_or([""; 3], pliant::JointLayout::units);
                drawing.plot(format!("{torque} of {}'s joints", body.name), force, series("torque"));
                drawing.plot(format!("{what} of {}'s joints", body.name), position, series("position"));
            }
        }
        for body in layout.body_names() {
            let kinds = ["kinetic", "elastic", "gravity", "total"];
            let series = kinds.map(|kind| (kind.to_string(), format!("{body}.{kind}"))).to_vec();
            drawing.plot(format!("Energy of {body}"), "J", series);
            let entries = ACCOUNT.map(|entry| (entry.replace("work.", "work of "), format!("{body}.{entry}")));
            drawing.plot(format!("Account of {body}"), "J", entries.to_vec());
        }
        drawing.plot(
            "Force of obstacles".into(),
            "N",
            each(layout.obstacle_names(), |o| format!("obstacle.{o}.force.norm")),
        );
        let single = |name: &str, column: &str| vec![(name.to_string(), column.to_string())];
        drawing.plot("Contact force".into(), "N", single("sum of magnitudes", "contact_force"));
        drawing.plot("Penetration".into(), "m", single("largest", "penetration_max"));
        let Drawing { plots, columns, .. } = drawing;
        let width = columns.len();
        Plots {
            plots,
            curves: ThinnedCurves::new(width, POINT_LIMIT.min(BYTE_LIMIT / (4 * width))),
            columns,
            first: vec![],
            row: Vec::with_capacity(width),
        }
    }

    /// Add the values of all columns at an instant.
    pub fn push(&mut self, values: &[f64]) {
        if self.first.is_empty() {
            self.first.extend_from_slice(values);
        }
        let first = &self.first;
        let value = |&(column, zero): &(usize, Option<usize>)| values[column] - zero.map_or(0.0, |zero| first[zero]);
        self.row.clear();
        self.row.extend(self.columns.iter().map(|curve| value(curve) as f32));
        // the first column is the time
        self.curves.push(values[0], &self.row);
    }

    /// Plots worth showing: those with a curve that is not zero throughout, as the torque of a hinged grip is.
    pub fn shown(&self) -> impl Iterator<Item = &Plot> {
        self.plots
            .iter()
            .filter(|plot| plot.series.iter().any(|(_, column)| self.curves.curve(*column).any(|v| v != 0.0)))
    }
}

/// Plots under construction.
struct Drawing<'a> {
    /// Columns by name.
    of: HashMap<&'a str, usize>,
    plots: Vec<Plot>,
    columns: Vec<(usize, Option<usize>)>,
}

impl Drawing<'_> {
    /// Add a plot of columns, each with the name of its curve; columns that the run does not have are left out.
    fn plot(&mut self, title: String, unit: &'static str, series: Vec<(String, String)>) {
        let mut curves = vec![];
        for (name, column) in series {
            let Some(&index) = self.of.get(column.as_str()) else { continue };
            let body = column.strip_suffix(".gravity").or(column.strip_suffix(".total"));
            let zero = body.and_then(|body| self.of.get(format!("{body}.gravity").as_str()).copied());
            curves.push((name, self.columns.len()));
            self.columns.push((index, zero));
        }
        if !curves.is_empty() {
            self.plots.push(Plot { title, unit, series: curves });
        }
    }
}

/// A curve for each name, with its column.
fn each<'a>(names: impl Iterator<Item = &'a str>, column: fn(&str) -> String) -> Vec<(String, String)> {
    names.map(|name| (name.to_string(), column(name))).collect()
}
