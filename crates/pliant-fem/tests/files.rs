//! Files of meshes: every kind that is read, and damaged ones, which must end in an error and never in a panic.

#![allow(clippy::unwrap_used)]

mod common;

use common::Random;
use pliant_fem::{MeshError, ReadError, Repairs, TetMesh, read_gmsh, read_vtk};

/// A file as it is written, of text or of bytes in either order.
struct Writer {
    bytes: Vec<u8>,
    binary: bool,
    big: bool,
}

impl Writer {
    fn text(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn raw(&mut self, mut raw: Vec<u8>) {
        if self.big {
            raw.reverse();
        }
        self.bytes.extend(raw);
    }

    fn int(&mut self, number: usize) {
        if self.binary { self.raw((number as i32).to_le_bytes().to_vec()) } else { self.text(&format!("{number} ")) }
    }

    fn long(&mut self, number: usize) {
        if self.binary { self.raw((number as i64).to_le_bytes().to_vec()) } else { self.text(&format!("{number} ")) }
    }

    fn real(&mut self, number: f64) {
        if self.binary { self.raw(number.to_le_bytes().to_vec()) } else { self.text(&format!("{number:?} ")) }
    }

    fn end(&mut self) {
        self.text("\n");
    }
}

/// Tags of gmsh begin at 1 and may have holes.
fn tag(node: usize) -> usize {
    3 * node + 5
}

fn gmsh(mesh: &TetMesh, version: &str, binary: bool, big: bool) -> Vec<u8> {
    let mut w = Writer { bytes: vec![], binary, big };
    w.text(&format!("$MeshFormat\n{version} {} 8\n", u8::from(binary)));
    if binary {
        w.int(1);
        w.end();
    }
    w.text("$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"body\"\n$EndPhysicalNames\n$Nodes\n");
    if version == "2.2" {
        w.text(&format!("{}\n", mesh.nodes().len()));
        for (n, at) in mesh.nodes().iter().enumerate() {
            w.int(tag(n));
            at.to_array().into_iter().for_each(|x| w.real(x));
            if !binary {
                w.end();
            }
        }
        w.text("\n$EndNodes\n$Elements\n");
        w.text(&format!("{}\n", mesh.tets().len() + 1));
        // a triangle of the surface first, then all tetrahedra
        let (one, [a, b, c]) = (mesh.tets(), mesh.surface().facets[0]);
        let heads: &[(usize, Vec<Vec<usize>>)] =
            &[(2, vec![vec![a, b, c]]), (4, one.iter().map(|tet| tet.to_vec()).collect())];
        for (kind, cells) in heads {
            if binary {
                [*kind, cells.len(), 2].into_iter().for_each(|n| w.int(n));
            }
            for (n, cell) in cells.iter().enumerate() {
                w.int(n + 1);
                if !binary {
                    [*kind, 2].into_iter().for_each(|n| w.int(n));
                }
                [1, 1].into_iter().for_each(|n| w.int(n));
                cell.iter().for_each(|node| w.int(tag(*node)));
                if !binary {
                    w.end();
                }
            }
        }
    } else {
        let count = mesh.nodes().len();
        // two blocks: one node on a curve, with its parameter, and the others in the volume
        [2, count, tag(0), tag(count - 1)].into_iter().for_each(|n| w.long(n));
        for (dimension, range) in [(1, 0..1), (3, 1..count)] {
            [dimension, 1, usize::from(dimension == 1)].into_iter().for_each(|n| w.int(n));
            w.long(range.len());
            range.clone().for_each(|n| w.long(tag(n)));
            for n in range {
                mesh.nodes()[n].to_array().into_iter().for_each(|x| w.real(x));
                if dimension == 1 {
                    w.real(0.5);
                }
            }
        }
        w.text("\n$EndNodes\n$Elements\n");
        let count = mesh.tets().len();
        [2, count + 1, 1, count + 1].into_iter().for_each(|n| w.long(n));
        [2, 1, 2].into_iter().for_each(|n| w.int(n));
        w.long(1);
        let [a, b, c] = mesh.surface().facets[0];
        [1, tag(a), tag(b), tag(c)].into_iter().for_each(|n| w.long(n));
        [3, 1, 4].into_iter().for_each(|n| w.int(n));
        w.long(count);
        for (n, tet) in mesh.tets().iter().enumerate() {
            w.long(n + 2);
            tet.iter().for_each(|node| w.long(tag(*node)));
        }
    }
    w.text("\n$EndElements\n");
    w.bytes
}

fn vtk(mesh: &TetMesh, offsets: bool, binary: bool) -> Vec<u8> {
    let mut w = Writer { bytes: vec![], binary, big: true };
    let version = if offsets { "5.1" } else { "3.0" };
    w.text(&format!("# vtk DataFile Version {version}\na body\n{}\n", if binary { "BINARY" } else { "ASCII" }));
    w.text("DATASET UNSTRUCTURED_GRID\nFIELD FieldData 1\nTIME 1 2 double\n");
    [0.0, 1.0].into_iter().for_each(|x| w.real(x));
    w.text(&format!("\nPOINTS {} double\n", mesh.nodes().len()));
    mesh.nodes().iter().flat_map(|at| at.to_array()).for_each(|x| w.real(x));
    let count = mesh.tets().len();
    // a triangle of the surface among the tetrahedra
    let mut cells: Vec<Vec<usize>> = mesh.tets().iter().map(|tet| tet.to_vec()).collect();
    cells.insert(1, mesh.surface().facets[0].to_vec());
    if offsets {
        w.text(&format!("\nMETADATA\nINFORMATION 0\n\nCELLS {} {}\nOFFSETS vtktypeint64\n", count + 2, 4 * count + 3));
        let mut start = 0;
        w.long(0);
        for cell in &cells {
            start += cell.len();
            w.long(start);
        }
        w.text("\nCONNECTIVITY vtktypeint64\n");
        cells.iter().flatten().for_each(|node| w.long(*node));
    } else {
        w.text(&format!("\nCELLS {} {}\n", count + 1, 5 * count + 4));
        for cell in &cells {
            w.int(cell.len());
            cell.iter().for_each(|node| w.int(*node));
        }
    }
    w.text(&format!("\nCELL_TYPES {}\n", count + 1));
    cells.iter().for_each(|cell| w.int(if cell.len() == 3 { 5 } else { 10 }));
    w.text(&format!("\nPOINT_DATA {}\nSCALARS x double\n", mesh.nodes().len()));
    w.bytes
}

type Read = fn(&[u8]) -> Result<(TetMesh, Repairs), ReadError>;

/// Files of every kind, with who reads them.
fn files(mesh: &TetMesh) -> Vec<(&'static str, Vec<u8>, Read)> {
    vec![
        ("gmsh 2.2 text", gmsh(mesh, "2.2", false, false), read_gmsh),
        ("gmsh 2.2 bytes", gmsh(mesh, "2.2", true, false), read_gmsh),
        ("gmsh 2.2 big bytes", gmsh(mesh, "2.2", true, true), read_gmsh),
        ("gmsh 4.1 text", gmsh(mesh, "4.1", false, false), read_gmsh),
        ("gmsh 4.1 bytes", gmsh(mesh, "4.1", true, false), read_gmsh),
        ("gmsh 4.1 big bytes", gmsh(mesh, "4.1", true, true), read_gmsh),
        ("vtk 3.0 text", vtk(mesh, false, false), read_vtk),
        ("vtk 3.0 bytes", vtk(mesh, false, true), read_vtk),
        ("vtk 5.1 text", vtk(mesh, true, false), read_vtk),
        ("vtk 5.1 bytes", vtk(mesh, true, true), read_vtk),
    ]
}

#[test]
fn every_kind_is_read() {
    let mesh = TetMesh::cube(2, 0.1).unwrap();
    for (name, bytes, read) in files(&mesh) {
        let (found, repairs) = read(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(found, mesh, "{name}");
        assert_eq!(repairs, Repairs::default(), "{name}");
        // as written on Windows, where it is text
        if name.ends_with("text") {
            let windows = String::from_utf8(bytes).unwrap().replace('\n', "\r\n");
            assert_eq!(read(windows.as_bytes()).unwrap().0, mesh, "{name}");
        }
    }
}

#[test]
fn damaged_files_are_errors() {
    let mesh = TetMesh::cube(1, 0.1).unwrap();
    let mut random = Random(11);
    let mut below = |n: usize| (random.bits() % n.max(1) as u64) as usize;
    for (name, bytes, read) in files(&mesh) {
        // cut anywhere before the last tetrahedron: never a mesh
        for length in 0..bytes.len() {
            if let Ok((found, _)) = read(&bytes[..length]) {
                assert_eq!(found, mesh, "{name}: cut to {length} of {}", bytes.len());
            }
        }
        // bytes changed, taken out, doubled: an error or a sound mesh, but no panic
        for _ in 0..4000 {
            let mut damaged = bytes.clone();
            for _ in 0..=below(3) {
                let at = below(damaged.len());
                match below(5) {
                    0 => damaged[at] = below(256) as u8,
                    1 => damaged[at] ^= 1 << below(8),
                    2 => drop(damaged.drain(at..(at + below(9)).min(damaged.len()))),
                    3 => {
                        let part = damaged[at..(at + below(40)).min(damaged.len())].to_vec();
                        damaged.splice(at..at, part);
                    }
                    _ => damaged[at] = b"0123456789-. e$\n"[below(16)],
                }
            }
            if let Ok((found, _)) = read(&damaged) {
                assert!(found.volume() > 0.0, "{name}");
            }
        }
    }
}

#[test]
fn errors_say_where() {
    let gmsh = |body: &str| read_gmsh(format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n{body}").as_bytes()).unwrap_err();
    assert!(matches!(read_gmsh(b"solid x"), Err(ReadError::Format { .. })));
    assert!(matches!(read_gmsh(b""), Err(ReadError::Format { .. })));
    assert!(matches!(read_gmsh(b"$MeshFormat\n4.0 0 8\n"), Err(ReadError::Unsupported { .. })));
    assert_eq!(gmsh(""), ReadError::Missing { section: "$Nodes" });
    let error = gmsh("$Nodes\n1\n1 0 0 zero\n$EndNodes\n");
    assert_eq!(error.to_string(), "line 6 should have a number of $Nodes, but has \"zero\"");
    assert!(matches!(gmsh("$Nodes\n18446744073709551615\n1 0 0 0"), ReadError::Ends { .. }));
    let one = "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n";
    assert!(matches!(gmsh(&format!("{one}$Elements\n1\n1 5 0 1 2 3 4 1 2 3 4\n")), ReadError::Unsupported { .. }));
    assert!(matches!(gmsh(&format!("{one}$Elements\n1\n1 4 0 1 2 3 9\n$EndElements\n")), ReadError::Unexpected { .. }));
    assert_eq!(gmsh(&format!("{one}$Elements\n1\n1 2 0 1 2 3\n$EndElements")), ReadError::Mesh(MeshError::Empty));
    let turned = format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n{one}$Elements\n1\n1 4 0 1 3 2 4\n$EndElements\n");
    assert_eq!(read_gmsh(turned.as_bytes()).unwrap().1, Repairs { turned: 1, dropped: 0 });
    assert!(matches!(read_vtk(b"<?xml version=\"1.0\"?>"), Err(ReadError::Format { .. })));
    let other = b"# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\n";
    assert!(matches!(read_vtk(other), Err(ReadError::Unsupported { .. })));
}
