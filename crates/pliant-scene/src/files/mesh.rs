//! Triangle meshes from STL and OBJ files.
//!
//! Only triangles are read: normals, colours, textures, groups and materials are ignored. Polygons in an OBJ file are
//! triangulated.

use std::io::Cursor;
use std::path::Path;

use pliant::contact::{Findings, Mesh};
use pliant::math::Vec3;

use crate::files::Files;
use crate::text::fault::Fault;
use crate::text::quantity::{Coordinate, Quantity};
use crate::text::suggest;

/// Read a mesh and scale it; remarks about its surface are added to the warnings of `files`.
pub(crate) fn read(name: &str, scale: f64, owner: &str, files: &mut Files) -> Result<Mesh, Fault> {
    let mut mesh = read_triangles(name, scale, files)?;
    files.take_triangles(mesh.triangles.len())?;
    for remark in remarks(&mut mesh) {
        files.warnings.push(format!("obstacle {owner}: {name} {remark}"));
    }
    Ok(mesh)
}

/// Read a mesh that is to be a solid; the caller checks its surface.
pub(crate) fn read_solid(name: &str, scale: f64, files: &mut Files) -> Result<Mesh, Fault> {
    let mesh = read_triangles(name, scale, files)?;
    files.take_triangles(mesh.triangles.len())?;
    Ok(mesh)
}

/// Read only the vertices of a mesh, for a convex hull.
pub(crate) fn read_points(name: &str, scale: f64, files: &mut Files) -> Result<Vec<Vec3>, Fault> {
    Ok(read_triangles(name, scale, files)?.vertices)
}

fn read_triangles(name: &str, scale: f64, files: &mut Files) -> Result<Mesh, Fault> {
    let broken = |why: String| Fault::new(format!("{name}: {why}"));
    let extension = Path::new(name).extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
    let parse: fn(&[u8]) -> Result<Mesh, String> = match extension.as_str() {
        "stl" => parse_stl,
        "obj" => parse_obj,
        other => {
            let help = suggest::help(other, ["stl", "obj"]);
            return Err(broken(format!("unknown kind of mesh `{other}`")).with_help(help));
        }
    };
    let mut mesh = parse(&files.read(name)?).map_err(broken)?;
    for (number, vertex) in mesh.vertices.iter_mut().enumerate() {
        if !vertex.is_finite() {
            return Err(broken(format!("vertex {number} at {vertex} is not finite")));
        }
        *vertex *= scale;
        if !vertex.to_array().iter().all(|c| Coordinate::RANGE.holds(*c)) {
            return Err(broken(format!("vertex {vertex} is farther than 1e6 m from the origin")));
        }
    }
    Ok(mesh)
}

/// Parse STL, binary or ASCII.
fn parse_stl(bytes: &[u8]) -> Result<Mesh, String> {
    let stl = stl_io::read_stl(&mut Cursor::new(bytes)).map_err(|e| format!("not a readable STL file: {e}"))?;
    let index = |i: usize| u32::try_from(i).map_err(|_| "too many vertices".to_string());
    let mut triangles = Vec::with_capacity(stl.faces.len());
    for face in &stl.faces {
        let [a, b, c] = face.vertices;
        triangles.push([index(a)?, index(b)?, index(c)?]);
    }
    let vertices = stl.vertices.iter().map(|v| Vec3::from_array(v.0.map(f64::from))).collect();
    Ok(Mesh { vertices, triangles })
}

/// Parse OBJ: all objects and groups of the file together.
fn parse_obj(bytes: &[u8]) -> Result<Mesh, String> {
    let options =
        tobj::LoadOptions { triangulate: true, ignore_points: true, ignore_lines: true, ..Default::default() };
    let no_materials = |_: &Path| Ok((vec![], Default::default()));
    let (models, _) = tobj::load_obj_buf(&mut Cursor::new(bytes), &options, no_materials)
        .map_err(|e| format!("not a readable OBJ file: {e}"))?;
    let mut mesh = Mesh::default();
    for model in &models {
        let first = u32::try_from(mesh.vertices.len()).map_err(|_| "too many vertices".to_string())?;
        mesh.vertices.extend(model.mesh.positions.chunks_exact(3).map(|p| Vec3::new(p[0], p[1], p[2])));
        let corners = model.mesh.indices.chunks_exact(3);
        mesh.triangles.extend(corners.map(|t| [t[0], t[1], t[2]].map(|i| i.saturating_add(first))));
    }
    Ok(mesh)
}

/// Weld and repair a mesh, and return remarks for the user. Triangles and closed shells that are the wrong way round are
/// reversed.
fn remarks(mesh: &mut Mesh) -> Vec<String> {
    mesh.weld();
    let Findings { open, torn, shells, turned, aligned } = mesh.mend();
    let mut remarks = vec![];
    if open > 0 {
        remarks.push(format!("has {open} open edges: behind them nothing tells inside from outside"));
    }
    if torn > 0 {
        remarks.push(format!("has {torn} edges whose triangles disagree about which side is outside"));
    }
    if aligned > 0 {
        remarks.push(format!("has {aligned} triangles the other way round than their neighbours: they are turned"));
    }
    if turned > 0 {
        let part = if turned < shells { format!(" in {turned} of its {shells} shells") } else { String::new() };
        remarks.push(format!(
            "was inside out{part}, its triangles are turned round: if bodies are to be inside it, give its walls a thickness"
        ));
    }
    remarks
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod tests {
    use super::*;

    /// Signed volume: negative if normals point inward.
    fn volume(mesh: &Mesh) -> f64 {
        let vertex = |i: u32| mesh.vertices.get(i as usize).copied().unwrap_or_default();
        mesh.triangles.iter().map(|&[a, b, c]| vertex(a).dot(vertex(b).cross(vertex(c))) / 6.0).sum()
    }

    /// A tetrahedron with right angles at the origin, volume 1/6.
    pub(crate) const OBJ: &str = "o t\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

    /// The tetrahedron of [`OBJ`] as ASCII STL.
    pub(crate) fn stl_text() -> String {
        let mesh = parse_obj(OBJ.as_bytes()).unwrap();
        let mut text = "solid t\n".to_string();
        for triangle in &mesh.triangles {
            text += "facet normal 0 0 0\nouter loop\n";
            for corner in triangle {
                let v = mesh.vertices[*corner as usize];
                text += &format!("vertex {} {} {}\n", v.x, v.y, v.z);
            }
            text += "endloop\nendfacet\n";
        }
        text + "endsolid t\n"
    }

    /// The tetrahedron of [`OBJ`] as binary STL.
    pub(crate) fn stl_binary() -> Vec<u8> {
        let mesh = parse_obj(OBJ.as_bytes()).unwrap();
        let corner = |i: u32| stl_io::Vertex::new(mesh.vertices[i as usize].to_array().map(|c| c as f32));
        let triangles: Vec<_> = mesh
            .triangles
            .iter()
            .map(|t| stl_io::Triangle { normal: stl_io::Normal::new([0.0; 3]), vertices: t.map(corner) })
            .collect();
        let mut bytes = vec![];
        stl_io::write_stl(&mut bytes, triangles.iter()).unwrap();
        bytes
    }

    fn read_bytes(name: &str, bytes: &[u8], scale: f64) -> (Result<Mesh, String>, Vec<String>) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(name), bytes).unwrap();
        let mut files = Files::new(dir.path());
        let mesh = read(name, scale, "block", &mut files).map_err(|f| f.into_error("s", "").to_string());
        (mesh, files.warnings)
    }

    #[test]
    fn all_formats_give_the_same_closed_surface() {
        let quads = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1/1/1 2/2/2 4/3/3\n".to_string();
        let quads = quads.replace("/1/1", "").replace("/2/2", "").replace("/3/3", "") + "g rest\nf 2 3 4\nf 3 1 4\n";
        let cases = [
            ("a.obj", OBJ.as_bytes().to_vec()),
            ("groups.OBJ", quads.into_bytes()),
            ("text.stl", stl_text().into_bytes()),
            ("binary.stl", stl_binary()),
        ];
        for (name, bytes) in cases {
            let (mesh, warnings) = read_bytes(name, &bytes, 2.0);
            let mesh = mesh.unwrap();
            assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 4), "{name}");
            assert!((volume(&mesh) - 8.0 / 6.0).abs() < 1e-12, "{name}");
            assert!(warnings.is_empty(), "{name}: {warnings:?}");
        }
    }

    #[test]
    fn doubtful_surfaces_are_remarked_upon() {
        let open = OBJ.replace("f 3 1 4\n", "");
        assert!(read_bytes("a.obj", open.as_bytes(), 1.0).1[0].contains("block: a.obj has 3 open edges"));
        let (turned, remarks) = read_bytes("a.obj", OBJ.replace("f 3 1 4\n", "f 1 3 4\n").as_bytes(), 1.0);
        assert!(remarks[0].contains("1 triangles the other way round"), "{remarks:?}");
        assert!((volume(&turned.unwrap()) - 1.0 / 6.0).abs() < 1e-12);
        let moebius: String = (0..9)
            .map(|k| {
                let at = |k: u32, side: f64| {
                    let angle = std::f64::consts::TAU * f64::from(k) / 9.0;
                    let radius = 2.0 + side * pliant::math::cos(0.5 * angle);
                    format!(
                        "v {} {} {}\n",
                        radius * pliant::math::cos(angle),
                        radius * pliant::math::sin(angle),
                        side * pliant::math::sin(0.5 * angle)
                    )
                };
                let corner = 4 * k;
                at(k, -1.0)
                    + &at(k, 1.0)
                    + &at(k + 1, 1.0)
                    + &at(k + 1, -1.0)
                    + &format!("f {} {} {}\nf {0} {2} {}\n", corner + 1, corner + 2, corner + 3, corner + 4)
            })
            .collect();
        let remarks = read_bytes("a.obj", moebius.as_bytes(), 1.0).1;
        assert!(remarks[1].contains("1 edges whose triangles disagree"), "{remarks:?}");
        let inverted = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 2 3 1\nf 4 2 1\nf 4 3 2\nf 4 1 3\n";
        let (turned, remarks) = read_bytes("a.obj", inverted.as_bytes(), 1.0);
        assert!(remarks[0].contains("inside out"), "{remarks:?}");
        assert!((volume(&turned.unwrap()) - 1.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn shells_are_turned_and_seams_closed_one_by_one() {
        // a second tetrahedron, inside out, and with a vertex that differs by rounding
        let second = "v 3 0 0\nv 4 0 0\nv 3 1 0\nv 3 0 1\nv 3 5e-18 1\nf 6 7 5\nf 8 6 5\nf 9 7 6\nf 8 5 7\n";
        let (mesh, remarks) = read_bytes("a.obj", format!("{OBJ}{second}").as_bytes(), 1.0);
        assert_eq!(remarks.len(), 1, "{remarks:?}");
        assert!(
            remarks[0].contains("was inside out in 1 of its 2 shells, its triangles are turned round"),
            "{remarks:?}"
        );
        assert!((volume(&mesh.unwrap()) - 2.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn broken_files_are_refused_with_a_reason() {
        let refused = |name, text: &str| read_bytes(name, text.as_bytes(), 1.0).0.unwrap_err();
        assert_eq!(refused("a.ply", ""), "s: a.ply: unknown kind of mesh `ply` (known: stl, obj)");
        assert!(refused("a.obj", "v 0 0 x\n").contains("position parse error"));
        assert!(refused("a.obj", "v 0 0 0\nf 1 2 9\n").contains("out of bounds"));
        assert!(refused("a.stl", "solid\nfacet normal 0 0 zero\n").contains("not a readable STL"));
        assert!(refused("a.stl", "short").contains("not a readable STL"));
        assert!(refused("a.obj", &OBJ.replace("v 1 0 0", "v 1e7 0 0")).contains("farther than 1e6 m"));
        assert!(refused("a.obj", &OBJ.replace("v 1 0 0", "v nan 0 0")).contains("not finite"));
    }
}
