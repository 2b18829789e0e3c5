//! `samples.csv`: one row per instant.

use std::path::{Path, PathBuf};

use crate::block_file::BlockFile;
use crate::columns::{Column, Columns};
use crate::error::RecordError;
use crate::gate::Gate;
use crate::interval::Interval;

/// Writes `samples.csv`.
pub(crate) struct SamplesWriter {
    path: PathBuf,
    writer: csv::Writer<BlockFile>,
}

impl SamplesWriter {
    /// Create the file and write its header.
    pub fn create(path: PathBuf, columns: &Columns, gate: &Gate) -> Result<SamplesWriter, RecordError> {
        let file = BlockFile::create_new(&path, b"", gate).map_err(RecordError::create(&path))?;
        let mut writer = csv::Writer::from_writer(file);
        writer.write_record(header(columns)).map_err(|e| csv_error(&path, e))?;
        Ok(SamplesWriter { path, writer })
    }

    /// Add a row.
    pub fn write(&mut self, interval: &Interval) -> Result<(), RecordError> {
        self.writer.write_record(row(interval)).map_err(|e| csv_error(&self.path, e))
    }

    /// Append complete rows to the file.
    pub fn flush(&mut self) -> Result<(), RecordError> {
        self.writer.flush().map_err(RecordError::write(&self.path))
    }

    /// Close the file.
    pub fn finish(self, sync: bool) -> Result<(), RecordError> {
        let SamplesWriter { path, writer } = self;
        let mut file = writer.into_inner().map_err(|e| RecordError::write(&path)(e.into_error()))?;
        file.finish(sync).map_err(RecordError::write(&path))
    }
}

/// Names of all columns, then of the lowest and highest value of each that may peak between two rows.
fn header(columns: &Columns) -> Vec<String> {
    let head = |column: &Column, which: &str| match column.unit {
        "" => format!("{}{which}", column.name),
        unit => format!("{}{which} [{unit}]", column.name),
    };
    let extremes = columns.list.iter().filter(|column| column.peaks).flat_map(|c| [head(c, ".low"), head(c, ".high")]);
    columns.list.iter().map(|column| head(column, "")).chain(extremes).collect()
}

fn row(interval: &Interval) -> impl Iterator<Item = String> {
    let columns = &interval.columns().list;
    let values = columns.iter().zip(&interval.row).map(|(column, value)| cell(column, *value));
    let extremes = columns.iter().zip(&interval.extremes).filter(|(column, _)| column.peaks);
    values.chain(extremes.flat_map(|(column, e)| [cell(column, e.low), cell(column, e.high)]))
}

fn cell(column: &Column, value: f64) -> String {
    if column.whole { format!("{value}") } else { number(value) }
}

/// Shortest text that reads back as exactly the same number, with an exponent where that is shorter.
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
