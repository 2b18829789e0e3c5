//! Tables of measurements: columns by name.

use std::io::Read;

/// Why nothing can be identified.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum MeasureError {
    /// The table cannot be read.
    #[error("line {line}: {why}")]
    Text {
        /// Line, counted from 1.
        line: u64,
        /// What is wrong.
        why: String,
    },
    /// A column is missing.
    #[error("there is no column {column}: expected a first line with the names {expected}, found {found}")]
    NoColumn {
        /// Its name.
        column: String,
        /// All names that are expected.
        expected: &'static str,
        /// Names found.
        found: String,
    },
    /// There are too few measurements.
    #[error("there are {count} measurements, but it takes at least {least}")]
    TooFew {
        /// Their number.
        count: usize,
        /// The smallest number.
        least: usize,
    },
    /// A number that has to be given makes no sense.
    #[error("{what} must be {must}")]
    Given {
        /// What it is.
        what: &'static str,
        /// What it must be.
        must: &'static str,
    },
    /// The data tell nothing.
    #[error("the data tell none of the unknowns: {why}")]
    Nothing {
        /// What would.
        why: &'static str,
    },
}

/// Read columns of finite numbers. Each is given by the names it may have; `None` where an optional one is not there.
pub(crate) fn read(
    from: impl Read,
    columns: &[(&[&str], bool)],
    expected: &'static str,
) -> Result<Vec<Option<Vec<f64>>>, MeasureError> {
    let mut table = csv::ReaderBuilder::new().trim(csv::Trim::All).comment(Some(b'#')).from_reader(from);
    let told =
        |e: csv::Error| MeasureError::Text { line: e.position().map_or(1, csv::Position::line), why: e.to_string() };
    let names: Vec<String> = table.headers().map_err(told)?.iter().map(str::to_lowercase).collect();
    // a unit in brackets does not matter
    let bare = |name: &String| name.split('[').next().unwrap_or_default().trim().to_string();
    let find = |known: &[&str]| names.iter().position(|name| known.contains(&bare(name).as_str()));
    let mut places = vec![];
    for (known, needed) in columns {
        let place = find(known);
        if *needed && place.is_none() {
            let (column, found) = (known[0].to_string(), names.join(", "));
            return Err(MeasureError::NoColumn { column, expected, found });
        }
        places.push(place);
    }
    let mut values: Vec<Option<Vec<f64>>> = places.iter().map(|place| place.map(|_| vec![])).collect();
    for row in table.records() {
        let row = row.map_err(told)?;
        let line = row.position().map_or(0, csv::Position::line);
        for (place, column) in places.iter().zip(&mut values) {
            let (Some(place), Some(column)) = (place, column) else { continue };
            let text = row.get(*place).unwrap_or("");
            let wrong =
                || MeasureError::Text { line, why: format!("{} must be a number, not `{text}`", names[*place]) };
            column.push(text.parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(wrong)?);
        }
    }
    Ok(values)
}

/// Refuse what is not positive.
pub(crate) fn positive(given: &[(&'static str, f64)]) -> Result<(), MeasureError> {
    match given.iter().find(|(_, value)| !(value.is_finite() && *value > 0.0)) {
        Some((what, _)) => Err(MeasureError::Given { what, must: "positive" }),
        None => Ok(()),
    }
}
