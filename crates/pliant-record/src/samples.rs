//! `samples.csv`: one row an instant.

use std::path::{Path, PathBuf};

use pliant::Frame;
use pliant::math::Vec3;

use crate::block_file::BlockFile;
use crate::error::RecordError;
use crate::events::Names;
use crate::mcap_writer::penetration_max;

/// Writes `samples.csv`.
pub(crate) struct SamplesWriter {
    path: PathBuf,
    writer: csv::Writer<BlockFile>,
    names: Names,
}

impl SamplesWriter {
    /// Create the file with its header.
    pub fn create(path: PathBuf, names: &Names) -> Result<SamplesWriter, RecordError> {
        let file = BlockFile::create_new(&path, b"").map_err(RecordError::create(&path))?;
        let mut writer = csv::Writer::from_writer(file);
        writer.write_record(header(names)).map_err(|e| csv_error(&path, e))?;
        Ok(SamplesWriter { path, writer, names: names.clone() })
    }

    /// Add a row.
    pub fn write_frame(&mut self, frame: &Frame) -> Result<(), RecordError> {
        let row = row(&self.names, frame);
        self.writer.write_record(row).map_err(|e| csv_error(&self.path, e))
    }

    /// Append what is complete to the file.
    pub fn flush(&mut self) -> Result<(), RecordError> {
        self.writer.flush().map_err(RecordError::write(&self.path))
    }

    /// Close the file.
    pub fn finish(self) -> Result<(), RecordError> {
        let SamplesWriter { path, writer, .. } = self;
        let file = writer.into_inner().map_err(|e| RecordError::write(&path)(e.into_error()))?;
        file.finish().map_err(RecordError::write(&path))
    }
}

fn header(names: &Names) -> Vec<String> {
    let mut columns = vec!["time [s]".to_string()];
    let vector = |columns: &mut Vec<String>, name: &str, unit: &str| {
        columns.extend(["x", "y", "z"].map(|axis| format!("{name}.{axis} [{unit}]")));
    };
    for name in &names.grippers {
        vector(&mut columns, &format!("{name}.position"), "m");
        vector(&mut columns, &format!("{name}.force"), "N");
        vector(&mut columns, &format!("{name}.torque"), "N m");
        columns.push(format!("{name}.attached"));
    }
    for name in &names.bodies {
        columns.extend(["kinetic", "elastic", "gravity", "total"].map(|energy| format!("{name}.{energy} [J]")));
        vector(&mut columns, &format!("{name}.start"), "m");
        vector(&mut columns, &format!("{name}.end"), "m");
    }
    columns.extend(["contacts".into(), "penetration_max [m]".into()]);
    columns
}

fn row(names: &Names, frame: &Frame) -> Vec<String> {
    let mut row = vec![number(frame.time)];
    let vector = |row: &mut Vec<String>, v: Vec3| row.extend(v.to_array().map(number));
    for gripper in frame.grippers.iter().take(names.grippers.len()) {
        vector(&mut row, gripper.pose.translation);
        vector(&mut row, gripper.load.force);
        vector(&mut row, gripper.load.torque);
        row.push(u8::from(gripper.attached).to_string());
    }
    for body in frame.bodies.iter().take(names.bodies.len()) {
        let energy = body.energy;
        row.extend([energy.kinetic, energy.elastic, energy.gravity, energy.total()].map(number));
        let end = |node: Option<&Vec3>| node.copied().unwrap_or(Vec3::NAN);
        vector(&mut row, end(body.nodes.first()));
        vector(&mut row, end(body.nodes.last()));
    }
    row.extend([frame.contacts.len().to_string(), number(penetration_max(frame))]);
    row
}

/// Exact, in the shortest form, with an exponent where that is shorter.
fn number(value: f64) -> String {
    format!("{value:?}")
}

fn csv_error(path: &Path, error: csv::Error) -> RecordError {
    let cause = match error.into_kind() {
        csv::ErrorKind::Io(cause) => cause,
        other => std::io::Error::other(format!("{other:?}")),
    };
    RecordError::Write { path: path.into(), cause }
}
