//! Poses over time from a CSV table.

use csv::StringRecord;
use pliant::math::Vec3;
use pliant::motion::Waypoint;

use crate::files::Files;
use crate::text::fault::Fault;
use crate::text::quantity::{Coordinate, Quantity, Time, short};
use crate::text::suggest;
use crate::world::pose::unit_quaternion;

const COLUMNS: [&str; 8] = ["time", "x", "y", "z", "qw", "qx", "qy", "qz"];

/// Read the waypoints of a table: columns time, x, y, z and optionally qw, qx, qy, qz, named in the first row.
pub(crate) fn read(name: &str, files: &mut Files) -> Result<Vec<Waypoint>, Fault> {
    let bytes = files.read(name)?;
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).comment(Some(b'#')).from_reader(bytes.as_slice());
    let header = reader.headers().map_err(|e| broken(name, &bytes, &e))?;
    let columns = Columns::find(header).map_err(|f| f.in_file(name, 1))?;

    let mut waypoints: Vec<Waypoint> = vec![];
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(|e| broken(name, &bytes, &e))? {
        let line = line_of(&bytes, record.position());
        let waypoint = columns.waypoint(&record).map_err(|f| f.in_file(name, line))?;
        if let Some(last) = waypoints.last().filter(|last| last.time >= waypoint.time) {
            let message = format!("times must increase: {} s follows {} s", waypoint.time, last.time);
            return Err(Row::new(message).in_file(name, line));
        }
        files.rows = files
            .rows
            .checked_sub(1)
            .ok_or_else(|| Row::new("too many rows: all tables together may have 1000000").in_file(name, line))?;
        waypoints.push(waypoint);
    }
    if waypoints.is_empty() {
        return Err(Fault::new(format!("{name} has a header but no rows")));
    }
    Ok(waypoints)
}

/// An error in a row, before its line number is known.
struct Row {
    message: String,
    help: Option<String>,
}

impl Row {
    fn new(message: impl Into<String>) -> Row {
        Row { message: message.into(), help: None }
    }

    fn in_file(self, name: &str, line: u64) -> Fault {
        Fault::new(format!("{name} line {line}: {}", self.message)).with_help(self.help)
    }
}

/// Line number of a record. The reader gives the position where it began to look, before empty lines and comments.
fn line_of(bytes: &[u8], position: Option<&csv::Position>) -> u64 {
    let Some(position) = position else { return 0 };
    let rest = usize::try_from(position.byte()).ok().and_then(|byte| bytes.get(byte..)).unwrap_or_default();
    let lines = rest.split(|byte| *byte == b'\n');
    let skipped = lines.take_while(|line| matches!(line, [] | [b'\r'] | [b'#', ..])).count();
    position.line() + skipped as u64
}

fn broken(name: &str, bytes: &[u8], error: &csv::Error) -> Fault {
    let line = line_of(bytes, error.position());
    let message = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("expected {expected_len} columns, got {len}")
        }
        csv::ErrorKind::Utf8 { .. } => "the text is not UTF-8".into(),
        _ => error.to_string(),
    };
    Row::new(message).in_file(name, line)
}

/// Column of each quantity.
struct Columns {
    time_and_position: [usize; 4],
    orientation: Option<[usize; 4]>,
}

impl Columns {
    fn find(header: &StringRecord) -> Result<Columns, Row> {
        let mut found = [None; 8];
        for (place, word) in header.iter().enumerate() {
            let Some(column) = COLUMNS.iter().position(|known| *known == word) else {
                let help = suggest::help(word, COLUMNS);
                return Err(Row { help, ..Row::new(format!("unknown column `{word}`")) });
            };
            if found[column].replace(place).is_some() {
                return Err(Row::new(format!("column `{word}` is there twice")));
            }
        }
        let need =
            |column: usize| found[column].ok_or_else(|| Row::new(format!("missing column `{}`", COLUMNS[column])));
        let time_and_position = [need(0)?, need(1)?, need(2)?, need(3)?];
        let turned = found[4..].iter().any(Option::is_some);
        let orientation = if turned { Some([need(4)?, need(5)?, need(6)?, need(7)?]) } else { None };
        Ok(Columns { time_and_position, orientation })
    }

    fn waypoint(&self, record: &StringRecord) -> Result<Waypoint, Row> {
        let [t, x, y, z] = self.time_and_position;
        let time = number::<Time>(record, t, "time")?;
        let position = Vec3::new(
            number::<Coordinate>(record, x, "x")?,
            number::<Coordinate>(record, y, "y")?,
            number::<Coordinate>(record, z, "z")?,
        );
        let orientation = match self.orientation {
            None => None,
            Some([w, x, y, z]) => {
                let part = |place, name| number::<Coordinate>(record, place, name);
                let [w, x, y, z] = [part(w, "qw")?, part(x, "qx")?, part(y, "qy")?, part(z, "qz")?];
                let unit = unit_quaternion(w, x, y, z);
                Some(unit.ok_or_else(|| Row::new("the quaternion must not be zero"))?)
            }
        };
        Ok(Waypoint { time, position, orientation })
    }
}

fn number<Q: Quantity>(record: &StringRecord, place: usize, column: &str) -> Result<f64, Row> {
    let text = record.get(place).unwrap_or_default();
    let value: f64 = text.parse().map_err(|_| Row::new(format!("column {column}: expected a number, got `{text}`")))?;
    if Q::RANGE.holds(value) {
        Ok(value)
    } else {
        Err(Row::new(format!("column {column}: expected {}, got {}", Q::expected(), short(value))))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pliant::math::Quat;

    fn read_text(text: &str) -> Result<Vec<Waypoint>, String> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.csv"), text).unwrap();
        let file = |fault: Fault| fault.into_error("s", "").to_string();
        read("a.csv", &mut Files::new(dir.path())).map_err(file)
    }

    #[test]
    fn rows_become_waypoints_whatever_the_order_of_columns() {
        let rows = read_text("x, time, z, y\n1, 0, 3, 2\n# a remark\n4, 0.5, 6, 5\n").unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[1], Waypoint { time: 0.5, position: Vec3::new(4.0, 5.0, 6.0), orientation: None });
        let rows = read_text("time,x,y,z,qw,qx,qy,qz\n0,0,0,0,0,0,0,2\n").unwrap();
        assert_eq!(rows[0].orientation, Some(Quat::from_xyzw(0.0, 0.0, 1.0, 0.0)));
    }

    #[test]
    fn errors_name_the_line() {
        let cases = [
            ("time,x,y\n0,0,0\n", "s: a.csv line 1: missing column `z`"),
            ("time,x,y,zz\n", "s: a.csv line 1: unknown column `zz` (did you mean `z`?)"),
            ("0,1,2,3\n", "s: a.csv line 1: unknown column `0` (known: time, x, y, z, qw, qx, qy, qz)"),
            ("time,x,y,z,qw\n0,0,0,0,1\n", "s: a.csv line 1: missing column `qx`"),
            ("time,x,x,y,z\n", "s: a.csv line 1: column `x` is there twice"),
            ("time,x,y,z\n0,0,0,0\n1,a,0,0\n", "s: a.csv line 3: column x: expected a number, got `a`"),
            ("time,x,y,z\n0,0,0,0\n\n1,0,0\n", "s: a.csv line 4: expected 4 columns, got 3"),
            (
                "time,x,y,z\r\n0,0,0,0\r\n\r\n# b\r\n1,0,0,c\r\n",
                "s: a.csv line 5: column z: expected a number, got `c`",
            ),
            ("time,x,y,z\n0,0,0,0\n0,0,0,0\n", "s: a.csv line 3: times must increase: 0 s follows 0 s"),
            (
                "time,x,y,z\n0,0,0,nan\n",
                "s: a.csv line 2: column z: expected a coordinate from -1e6 to 1e6 [m], got NaN",
            ),
            ("time,x,y,z,qw,qx,qy,qz\n0,0,0,0,0,0,0,0\n", "s: a.csv line 2: the quaternion must not be zero"),
            ("time,x,y,z\n", "s: a.csv has a header but no rows"),
            ("", "s: a.csv line 1: missing column `time`"),
        ];
        for (text, message) in cases {
            assert_eq!(read_text(text).unwrap_err(), message);
        }
    }
}
