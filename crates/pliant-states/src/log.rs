//! Measured forces and torques over time.

use std::io::Read;

/// A force log: what a sensor in a robot's wrist has measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForceLog {
    /// Samples in order of time.
    pub samples: Vec<Sample>,
    /// Whether torques were measured.
    pub has_torque: bool,
}

/// A measured wrench.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// When [s].
    pub time: f64,
    /// Force x, y, z [N], then torque x, y, z [N m], in the axes of the gripper.
    pub wrench: [f64; 6],
}

/// Smallest number of samples of a log.
const FEWEST: usize = 20;

/// Why a log cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// It is not text in columns.
    #[error("line {line}: {why}")]
    Text {
        /// Line, counted from 1.
        line: u64,
        /// What the reader says.
        why: String,
    },
    /// A column is missing.
    #[error(
        "there is no column {column}: expected a first line with the names time, fx, fy, fz and, if measured, tx, ty, tz \
         (or force.x, torque.x and so on), found {found}"
    )]
    NoColumn {
        /// Its name.
        column: &'static str,
        /// Names found.
        found: String,
    },
    /// A cell is no finite number.
    #[error("line {line}: `{text}` in column {column} is not a finite number")]
    NotANumber {
        /// Line, counted from 1.
        line: u64,
        /// Name of the column.
        column: &'static str,
        /// What stands there.
        text: String,
    },
    /// Time does not go on.
    #[error("line {line}: the time {time} s is not later than {before} s on the line before; sort the log by time")]
    NotLater {
        /// Line, counted from 1.
        line: u64,
        /// Its time [s].
        time: f64,
        /// Time of the sample before [s].
        before: f64,
    },
    /// There are too few samples.
    #[error("it has {count} samples, at least {FEWEST} are needed")]
    TooFew {
        /// Their number.
        count: usize,
    },
}

/// Columns and their accepted names, without units and in small letters.
const COLUMNS: [(&str, &[&str]); 7] = [
    ("time", &["time", "t", "timestamp"]),
    ("fx", &["fx", "force.x", "force_x", "f_x"]),
    ("fy", &["fy", "force.y", "force_y", "f_y"]),
    ("fz", &["fz", "force.z", "force_z", "f_z"]),
    ("tx", &["tx", "torque.x", "torque_x", "t_x", "mx"]),
    ("ty", &["ty", "torque.y", "torque_y", "t_y", "my"]),
    ("tz", &["tz", "torque.z", "torque_z", "t_z", "mz"]),
];

impl ForceLog {
    /// Read a table with a line of names, separated by commas, semicolons or tabs. Units in square brackets and lines
    /// that begin with `#` are ignored.
    pub fn read(mut text: impl Read) -> Result<ForceLog, LogError> {
        let mut bytes = vec![];
        text.read_to_end(&mut bytes).map_err(|e| LogError::Text { line: 0, why: e.to_string() })?;
        let first = bytes.split(|b| *b == b'\n').find(|line| !line.is_empty() && line[0] != b'#').unwrap_or(&[]);
        let count = |separator: &u8| first.iter().filter(|b| *b == separator).count();
        let delimiter = [b',', b';', b'\t'].into_iter().max_by_key(count).unwrap_or(b',');
        let mut builder = csv::ReaderBuilder::new();
        builder.delimiter(delimiter).comment(Some(b'#')).trim(csv::Trim::All).flexible(true);
        let mut reader = builder.from_reader(&bytes[..]);
        let heads = reader.headers().map_err(text_error)?.clone();
        let plain = |head: &str| head.split('[').next().unwrap_or("").trim().to_lowercase();
        let names: Vec<String> = heads.iter().map(plain).collect();
        let find = |(_, known): &(&str, &[&str])| names.iter().position(|name| known.contains(&name.as_str()));
        let places: Vec<Option<usize>> = COLUMNS.iter().map(find).collect();
        let has_torque = places[4..].iter().any(Option::is_some);
        let needed = if has_torque { 7 } else { 4 };
        if let Some(n) = (0..needed).find(|n| places[*n].is_none()) {
            let mut found = names.join(", ");
            if let Some((end, _)) = found.char_indices().nth(200) {
                found.replace_range(end.., "…");
            }
            return Err(LogError::NoColumn { column: COLUMNS[n].0, found });
        }
        let mut log = ForceLog { samples: vec![], has_torque };
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(text_error)? {
            let line = record.position().map_or(0, csv::Position::line);
            let mut values = [0.0; 7];
            for (n, value) in values.iter_mut().enumerate().take(needed) {
                let text = places[n].and_then(|place| record.get(place)).unwrap_or("");
                *value = text.parse().ok().filter(|v: &f64| v.is_finite()).ok_or_else(|| LogError::NotANumber {
                    line,
                    column: COLUMNS[n].0,
                    text: text.chars().take(40).collect(),
                })?;
            }
            let [time, wrench @ ..] = values;
            if let Some(before) = log.samples.last().map(|last| last.time).filter(|before| time <= *before) {
                return Err(LogError::NotLater { line, time, before });
            }
            log.samples.push(Sample { time, wrench });
        }
        log.check()?;
        Ok(log)
    }

    /// Fails unless there are enough samples.
    pub fn check(&self) -> Result<(), LogError> {
        match self.samples.len() {
            count @ ..FEWEST => Err(LogError::TooFew { count }),
            _ => Ok(()),
        }
    }

    /// When it begins and ends [s].
    pub fn span(&self) -> [f64; 2] {
        let time = |sample: Option<&Sample>| sample.map_or(0.0, |s| s.time);
        [time(self.samples.first()), time(self.samples.last())]
    }
}

fn text_error(error: csv::Error) -> LogError {
    let line = error.position().map_or(0, csv::Position::line);
    LogError::Text { line, why: error.to_string() }
}
