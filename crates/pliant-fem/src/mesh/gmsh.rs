//! Gmsh `.msh` files, versions 2.2 and 4.1, ASCII and binary.

use crate::error::ReadError;
use crate::mesh::TetMesh;
use crate::mesh::reader::Reader;
use crate::mesh::soundness::Repairs;
use pliant::math::Vec3;
use std::collections::HashMap;

const FORMAT: &str = "gmsh";

/// Number of nodes of gmsh's element types 1 to 31.
const NODES_OF_TYPE: [usize; 31] =
    [2, 3, 4, 4, 8, 6, 5, 3, 6, 9, 10, 27, 18, 14, 1, 8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5, 6, 20, 35, 56];

/// Contents of a file.
#[derive(Default)]
struct Contents {
    nodes: Vec<Vec3>,
    /// Node index of each tag.
    numbers: HashMap<i64, usize>,
    tets: Vec<[i64; 4]>,
}

/// Read the tetrahedra of a gmsh `.msh` file, version 2.2 or 4.1, with coordinates in [m]. Line and surface elements
/// are skipped; of higher-order tetrahedra only the corners are kept.
pub fn read_gmsh(bytes: &[u8]) -> Result<(TetMesh, Repairs), ReadError> {
    let mut reader = Reader::new(bytes);
    let first = reader.full_line().unwrap_or_default();
    if first != "$MeshFormat" {
        let why = format!("it begins with {:?} rather than $MeshFormat", first.chars().take(40).collect::<String>());
        return Err(ReadError::Format { format: FORMAT, why });
    }
    let (version, size) = format(&mut reader)?;
    let mut contents = Contents::default();
    let mut seen = [false; 2];
    while let Some(line) = reader.full_line() {
        let Some(section) = line.strip_prefix('$').filter(|name| !name.starts_with("End")) else {
            continue;
        };
        reader.section = format!("${section}");
        match (section, version) {
            ("Nodes", 2) => nodes_2(&mut reader, &mut contents)?,
            ("Nodes", _) => nodes_4(&mut reader, &mut contents, size)?,
            ("Elements", 2) => elements_2(&mut reader, &mut contents)?,
            ("Elements", _) => elements_4(&mut reader, &mut contents, size)?,
            (other, _) => {
                if !reader.skip_past(&format!("$End{other}")) {
                    return Err(reader.ends());
                }
            }
        }
        if matches!(section, "Nodes" | "Elements") {
            // a wrong count shows here
            let end = reader.word()?;
            if end.strip_prefix("$End") != Some(section) {
                return Err(reader.unexpected("the end", end));
            }
        }
        seen[0] |= section == "Nodes";
        seen[1] |= section == "Elements";
        // the rest is data on nodes and elements
        if seen == [true; 2] {
            break;
        }
    }
    for (seen, section) in seen.into_iter().zip(["$Nodes", "$Elements"]) {
        if !seen {
            return Err(ReadError::Missing { section });
        }
    }
    let mut tets = Vec::with_capacity(contents.tets.len());
    for tet in &contents.tets {
        let mut corners = [0; 4];
        for (corner, tag) in corners.iter_mut().zip(tet) {
            *corner = *contents.numbers.get(tag).ok_or_else(|| reader.unexpected("tags of nodes", tag))?;
        }
        tets.push(corners);
    }
    Ok(TetMesh::new(contents.nodes, tets)?)
}

/// Read the format section: the version, 2 or 4, and the size of a large integer [bytes].
fn format(reader: &mut Reader<'_>) -> Result<(u32, usize), ReadError> {
    reader.section = "$MeshFormat".to_string();
    let version = match reader.word()? {
        "2" | "2.1" | "2.2" => 2,
        "4.1" => 4,
        other => {
            let why = format!("it is of version {other}; save it as version 4.1 or 2.2");
            return Err(ReadError::Unsupported { format: FORMAT, why });
        }
    };
    reader.binary = match reader.word()? {
        "0" => false,
        "1" => true,
        other => return Err(reader.unexpected("0 for text or 1 for bytes", other)),
    };
    let size = match reader.word()? {
        "8" => 8,
        "4" if version == 4 => 4,
        other => return Err(reader.unexpected("a size of numbers of 8", other)),
    };
    reader.line();
    if reader.binary {
        reader.begin_data();
        if reader.whole(4, "the number 1")? != 1 {
            reader.big = true;
        }
        if !reader.skip_past("$EndMeshFormat") {
            return Err(reader.ends());
        }
    }
    Ok((version, size))
}

impl Contents {
    /// Add a node with its tag.
    fn node(&mut self, reader: &Reader<'_>, tag: i64, at: [f64; 3]) -> Result<(), ReadError> {
        if self.numbers.insert(tag, self.nodes.len()).is_some() {
            return Err(reader.unexpected("each node once", format!("node {tag} again")));
        }
        self.nodes.push(Vec3::from_array(at));
        Ok(())
    }

    /// Read the nodes of an element of type `kind`, as integers of `bytes` bytes.
    fn element(&mut self, reader: &mut Reader<'_>, kind: usize, bytes: usize) -> Result<(), ReadError> {
        let count = nodes_of(reader, kind)?;
        let mut corners = [0; 4];
        for n in 0..count {
            let tag = reader.whole(bytes, "the tag of a node")?;
            if let Some(corner) = corners.get_mut(n) {
                *corner = tag;
            }
        }
        if matches!(kind, 4 | 11 | 29 | 30 | 31) {
            self.tets.push(corners);
        }
        Ok(())
    }
}

/// Number of nodes of an element type. Fails for volume elements other than tetrahedra.
fn nodes_of(reader: &Reader<'_>, kind: usize) -> Result<usize, ReadError> {
    let volume = match kind {
        5 | 12 | 17 => Some("hexahedra"),
        6 | 13 | 18 => Some("prisms"),
        7 | 14 | 19 => Some("pyramids"),
        _ => None,
    };
    if let Some(volume) = volume {
        let why = format!("it has {volume}; mesh the body with tetrahedra only");
        return Err(ReadError::Unsupported { format: FORMAT, why });
    }
    let count = kind.checked_sub(1).and_then(|n| NODES_OF_TYPE.get(n));
    count.copied().ok_or_else(|| reader.unexpected("a type of element from 1 to 31", kind))
}

/// Read a count that is text on its own line, in binary files too.
fn count_line(reader: &mut Reader<'_>) -> Result<usize, ReadError> {
    let line = reader.full_line().ok_or_else(|| reader.ends())?;
    line.parse().map_err(|_| reader.unexpected("a count", line))
}

fn nodes_2(reader: &mut Reader<'_>, contents: &mut Contents) -> Result<(), ReadError> {
    for _ in 0..count_line(reader)? {
        let tag = reader.whole(4, "the tag of a node")?;
        let at = [reader.real(8)?, reader.real(8)?, reader.real(8)?];
        contents.node(reader, tag, at)?;
    }
    Ok(())
}

fn elements_2(reader: &mut Reader<'_>, contents: &mut Contents) -> Result<(), ReadError> {
    let total = count_line(reader)?;
    let mut read = 0;
    while read < total {
        // ASCII has a header for each element, binary one for several
        let tag = if reader.binary { 0 } else { reader.whole(4, "the tag of an element")? };
        let kind = reader.count(4, "the type of an element")?;
        let alike = if reader.binary { reader.count(4, "a count of elements")? } else { 1 };
        let tags = reader.count(4, "a count of tags")?;
        if alike == 0 || alike > total - read {
            return Err(
                reader.unexpected("a count of elements within that of the section", format!("{alike} after {tag}"))
            );
        }
        for _ in 0..alike {
            if reader.binary {
                reader.whole(4, "the tag of an element")?;
            }
            for _ in 0..tags {
                reader.whole(4, "a tag")?;
            }
            contents.element(reader, kind, 4)?;
        }
        read += alike;
    }
    Ok(())
}

fn nodes_4(reader: &mut Reader<'_>, contents: &mut Contents, size: usize) -> Result<(), ReadError> {
    let blocks = reader.count(size, "a count of blocks")?;
    reader.count(size, "a count of nodes")?;
    for _ in 0..2 {
        reader.whole(size, "the smallest and largest tag")?;
    }
    for _ in 0..blocks {
        let dimension = reader.count(4, "a dimension")?;
        reader.whole(4, "the tag of an entity")?;
        let parametric = reader.whole(4, "0 or 1")? != 0;
        let count = reader.count(size, "a count of nodes")?;
        if dimension > 3 {
            return Err(reader.unexpected("a dimension up to 3", dimension));
        }
        let mut tags = vec![];
        for _ in 0..count {
            tags.push(reader.whole(size, "the tag of a node")?);
        }
        for tag in tags {
            let at = [reader.real(8)?, reader.real(8)?, reader.real(8)?];
            for _ in 0..if parametric { dimension } else { 0 } {
                reader.real(8)?;
            }
            contents.node(reader, tag, at)?;
        }
    }
    Ok(())
}

fn elements_4(reader: &mut Reader<'_>, contents: &mut Contents, size: usize) -> Result<(), ReadError> {
    let blocks = reader.count(size, "a count of blocks")?;
    reader.count(size, "a count of elements")?;
    for _ in 0..2 {
        reader.whole(size, "the smallest and largest tag")?;
    }
    for _ in 0..blocks {
        for _ in 0..2 {
            reader.whole(4, "an entity")?;
        }
        let kind = reader.count(4, "the type of an element")?;
        let count = reader.count(size, "a count of elements")?;
        for _ in 0..count {
            reader.whole(size, "the tag of an element")?;
            contents.element(reader, kind, size)?;
        }
    }
    Ok(())
}
