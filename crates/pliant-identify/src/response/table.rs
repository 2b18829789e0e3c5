//! Reading blows from a table.

use std::io::Read;

use super::{Blow, SAME, Spot, apart};
use crate::table::{self, MeasureError};

const EXPECTED: &str = "blow, t, px, py, pz, fx, fy, fz, qx, qy, qz and some of ux, uy, uz";

/// A point watched, with the rows of it.
type Rows = ([f64; 3], Vec<usize>);

/// Read a table with a row for each time at each point watched: `blow`, its number; `t` (s); `px`, `py`, `pz`, where it is struck (m);
/// `fx`, `fy`, `fz`, the force at that time (N), zero where a column is missing; `qx`, `qy`, `qz`, the point watched (m); and its displacement
/// from rest `ux`, `uy`, `uz` (m), as many as were measured.
pub fn read(from: impl Read) -> Result<Vec<Blow>, MeasureError> {
    let columns: [(&[&str], bool); 14] = [
        (&["blow"], true),
        (&["t", "time"], true),
        (&["px"], true),
        (&["py"], true),
        (&["pz"], true),
        (&["qx"], true),
        (&["qy"], true),
        (&["qz"], true),
        (&["fx"], false),
        (&["fy"], false),
        (&["fz"], false),
        (&["ux"], false),
        (&["uy"], false),
        (&["uz"], false),
    ];
    let values = table::read(from, &columns, EXPECTED)?;
    let number = |column: usize, row: usize| values[column].as_ref().map_or(0.0, |list| list[row]);
    let triple = |column: usize, row: usize| [0, 1, 2].map(|axis| number(column + axis, row));
    let axes: Vec<usize> = (0..3).filter(|axis| values[11 + axis].is_some()).collect();
    if axes.is_empty() {
        let found = "none of these".into();
        return Err(MeasureError::NoColumn { column: "ux, uy or uz".into(), expected: EXPECTED, found });
    }
    // rows of each blow and point, in the order in which they come
    let mut blows: Vec<(f64, Vec<Rows>)> = vec![];
    for row in 0..values[0].as_ref().map_or(0, Vec::len) {
        let (blow, point) = (number(0, row), triple(5, row));
        let at = blows.iter().position(|known| known.0 == blow).unwrap_or_else(|| {
            blows.push((blow, vec![]));
            blows.len() - 1
        });
        let points = &mut blows[at].1;
        match points.iter_mut().find(|known| apart(known.0, point) < SAME) {
            Some(known) => known.1.push(row),
            None => points.push((point, vec![row])),
        }
    }
    let wrong = |row: usize, why: String| MeasureError::Text { line: row as u64 + 2, why };
    let mut read = vec![];
    for (name, points) in blows {
        let first = &points[0].1;
        for (_, rows) in &points {
            for (place, row) in rows.iter().enumerate() {
                let alike = |other: usize| {
                    (number(1, *row) - number(1, other)).abs() < 1e-9 && triple(8, *row) == triple(8, other)
                };
                if apart(triple(2, *row), triple(2, first[0])) > SAME {
                    return Err(wrong(
                        *row,
                        format!("blow {name} strikes two points: give each blow a number of its own"),
                    ));
                }
                if place > 0 && number(1, *row) <= number(1, rows[place - 1]) {
                    return Err(wrong(*row, format!("t must grow from row to row of blow {name} at one point")));
                }
                if rows.len() != first.len() || !alike(first[place]) {
                    return Err(wrong(
                        *row,
                        format!("all points watched in blow {name} need the same times and forces"),
                    ));
                }
            }
        }
        let watched = points.iter().flat_map(|(point, rows)| {
            axes.iter().map(|axis| {
                let direction = std::array::from_fn(|i| if i == *axis { 1.0 } else { 0.0 });
                (Spot { point: *point, direction }, rows.iter().map(|row| number(11 + axis, *row)).collect())
            })
        });
        read.push(Blow {
            point: triple(2, first[0]),
            times: first.iter().map(|row| number(1, *row)).collect(),
            forces: first.iter().map(|row| triple(8, *row)).collect(),
            watched: watched.collect(),
        });
    }
    Ok(read)
}
