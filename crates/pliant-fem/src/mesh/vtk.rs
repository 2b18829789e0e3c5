//! VTK unstructured grids: legacy `.vtk` files, ASCII and binary, with cells as lists (up to version 4.2) or as offsets
//! (from 5.0).

use crate::error::ReadError;
use crate::mesh::TetMesh;
use crate::mesh::reader::Reader;
use crate::mesh::soundness::Repairs;
use pliant::math::Vec3;

const FORMAT: &str = "VTK";

/// VTK cell types with a fixed number of nodes, as (type, nodes).
const NODES_OF_TYPE: [(i64, usize); 11] =
    [(1, 1), (3, 2), (5, 3), (8, 4), (9, 4), (10, 4), (21, 3), (22, 6), (23, 8), (24, 10), (28, 9)];

/// Read the tetrahedra of a legacy `.vtk` file with an unstructured grid, with coordinates in [m]. Point, line and
/// surface cells are skipped; of quadratic tetrahedra only the corners are kept.
pub fn read_vtk(bytes: &[u8]) -> Result<(TetMesh, Repairs), ReadError> {
    let mut reader = Reader::new(bytes);
    let first = reader.line().unwrap_or_default();
    if !first.starts_with("# vtk DataFile Version") {
        let why = match first.starts_with('<') {
            true => "it is XML; save it as a legacy .vtk file".to_string(),
            false => format!("it begins with {:?}", first.chars().take(40).collect::<String>()),
        };
        return Err(ReadError::Format { format: FORMAT, why });
    }
    reader.line().ok_or_else(|| reader.ends())?;
    let kind = reader.line().ok_or_else(|| reader.ends())?;
    reader.binary = match kind.as_str() {
        "ASCII" => false,
        "BINARY" => true,
        other => return Err(reader.unexpected("ASCII or BINARY", other)),
    };
    reader.big = true;
    let dataset = reader.full_line().ok_or_else(|| reader.ends())?;
    if dataset.split_whitespace().collect::<Vec<_>>() != ["DATASET", "UNSTRUCTURED_GRID"] {
        let why = format!("it has {dataset:?}, and an unstructured grid is needed");
        return Err(ReadError::Unsupported { format: FORMAT, why });
    }
    let (mut nodes, mut cells, mut kinds) = (None, None, None);
    while nodes.is_none() || cells.is_none() || kinds.is_none() {
        let Some(line) = reader.full_line() else { break };
        let words: Vec<&str> = line.split_whitespace().collect();
        reader.section = words.first().copied().unwrap_or_default().to_string();
        let wrong = reader.unexpected("a count", &line);
        let number = |n: usize| words.get(n).and_then(|word| word.parse().ok()).ok_or(wrong.clone());
        if reader.binary {
            reader.begin_data();
        }
        match words[0] {
            "POINTS" => nodes = Some(points(&mut reader, number(1)?, words.get(2).copied())?),
            "CELLS" => cells = Some(lists(&mut reader, number(1)?, number(2)?)?),
            "CELL_TYPES" => {
                let count = number(1)?;
                let mut read = vec![];
                for _ in 0..count {
                    read.push(reader.whole(4, "the type of a cell")?);
                }
                kinds = Some(read);
            }
            "METADATA" => while reader.line().is_some_and(|line| !line.is_empty()) {},
            "FIELD" => field(&mut reader, number(2)?)?,
            _ => return Err(reader.unexpected("POINTS, CELLS or CELL_TYPES", &line)),
        }
    }
    let nodes = nodes.ok_or(ReadError::Missing { section: "POINTS" })?;
    let cells = cells.ok_or(ReadError::Missing { section: "CELLS" })?;
    let kinds = kinds.ok_or(ReadError::Missing { section: "CELL_TYPES" })?;
    if cells.len() != kinds.len() {
        return Err(reader.unexpected("as many types as cells", format!("{} for {}", kinds.len(), cells.len())));
    }
    Ok(TetMesh::new(nodes, tets(&reader, &cells, &kinds)?)?)
}

/// Pick the cells that are tetrahedra.
fn tets(reader: &Reader<'_>, cells: &[Vec<i64>], kinds: &[i64]) -> Result<Vec<[usize; 4]>, ReadError> {
    let mut tets = vec![];
    for (cell, kind) in cells.iter().zip(kinds) {
        // a truncated type number is another type, but rarely one with as many nodes
        let known = NODES_OF_TYPE.iter().find(|(of, _)| of == kind);
        if known.is_some_and(|(_, count)| *count != cell.len()) {
            let found = format!("{} nodes of a cell of type {kind}", cell.len());
            return Err(reader.unexpected("as many nodes as the type has", found));
        }
        match kind {
            10 | 24 | 71 => {
                let corners =
                    cell.get(..4).ok_or_else(|| reader.unexpected("four corners of a tetrahedron", cell.len()))?;
                let mut tet = [0; 4];
                for (to, from) in tet.iter_mut().zip(corners) {
                    *to = usize::try_from(*from).map_err(|_| reader.unexpected("numbers of points", from))?;
                }
                tets.push(tet);
            }
            1..=9 | 21..=23 | 28 | 30 | 34..=36 | 68..=70 => {}
            other => {
                let why = format!("it has cells of type {other}; mesh the body with tetrahedra (type 10) only");
                return Err(ReadError::Unsupported { format: FORMAT, why });
            }
        }
    }
    Ok(tets)
}

/// Size of a number type [bytes], and whether it is an integer.
fn bytes_of(reader: &Reader<'_>, kind: Option<&str>) -> Result<(usize, bool), ReadError> {
    match kind {
        Some("float") => Ok((4, false)),
        Some("double") => Ok((8, false)),
        Some("int" | "unsigned_int" | "vtktypeint32") => Ok((4, true)),
        Some("long" | "unsigned_long" | "vtktypeint64" | "vtkIdType") => Ok((8, true)),
        Some("char" | "unsigned_char" | "bit") => Ok((1, true)),
        Some("short" | "unsigned_short") => Ok((2, true)),
        other => Err(reader.unexpected("a type of numbers", other.unwrap_or("nothing"))),
    }
}

fn points(reader: &mut Reader<'_>, count: usize, kind: Option<&str>) -> Result<Vec<Vec3>, ReadError> {
    let (bytes, whole) = bytes_of(reader, kind)?;
    if whole {
        return Err(reader.unexpected("points of type float or double", kind.unwrap_or_default()));
    }
    let mut points = vec![];
    for _ in 0..count {
        points.push(Vec3::new(reader.real(bytes)?, reader.real(bytes)?, reader.real(bytes)?));
    }
    Ok(points)
}

/// Nodes of each cell. Up to version 4.2: for each cell its count, then its nodes. From 5.0: the offset of each cell
/// and the end of the last, then all nodes; `count` and `total` are then the lengths of these two lists.
fn lists(reader: &mut Reader<'_>, count: usize, total: usize) -> Result<Vec<Vec<i64>>, ReadError> {
    let offsets = reader.left().iter().position(|byte| !byte.is_ascii_whitespace());
    let offsets = offsets.is_some_and(|start| reader.left()[start..].starts_with(b"OFFSETS"));
    let mut cells = vec![];
    if !offsets {
        for _ in 0..count {
            let nodes = reader.count(4, "a count of nodes")?;
            let mut cell = vec![];
            for _ in 0..nodes {
                cell.push(reader.whole(4, "a node")?);
            }
            cells.push(cell);
        }
        return Ok(cells);
    }
    let mut list = |name: &'static str, count: usize| -> Result<Vec<i64>, ReadError> {
        let line = reader.full_line().ok_or_else(|| reader.ends())?;
        let mut words = line.split_whitespace();
        if words.next() != Some(name) {
            return Err(reader.unexpected(name, &line));
        }
        let (bytes, whole) = bytes_of(reader, words.next())?;
        if !whole || bytes < 4 {
            return Err(reader.unexpected("whole numbers of 4 or 8 bytes", &line));
        }
        let mut numbers = vec![];
        for _ in 0..count {
            numbers.push(reader.whole(bytes, "a whole number")?);
        }
        Ok(numbers)
    };
    let starts = list("OFFSETS", count)?;
    let nodes = list("CONNECTIVITY", total)?;
    for pair in starts.windows(2) {
        let range = usize::try_from(pair[0]).ok().zip(usize::try_from(pair[1]).ok());
        let cell = range.and_then(|(start, end)| nodes.get(start..end));
        cells.push(cell.ok_or_else(|| reader.unexpected("offsets that ascend", format!("{pair:?}")))?.to_vec());
    }
    Ok(cells)
}

/// Skip field arrays: name, components, tuples, type.
fn field(reader: &mut Reader<'_>, arrays: usize) -> Result<(), ReadError> {
    for _ in 0..arrays {
        let line = reader.full_line().ok_or_else(|| reader.ends())?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let size = |n: usize| words.get(n).and_then(|word| word.parse::<usize>().ok());
        let count = size(1).zip(size(2)).and_then(|(a, b)| a.checked_mul(b));
        let count = count.ok_or_else(|| reader.unexpected("an array of a field", &line))?;
        let (bytes, _) = bytes_of(reader, words.get(3).copied())?;
        match reader.binary {
            true => reader.skip(count.saturating_mul(bytes))?,
            false => {
                for _ in 0..count {
                    reader.word()?;
                }
            }
        }
    }
    Ok(())
}
