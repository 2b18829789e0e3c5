//! Shapes of links: boxes, cylinders, spheres, capsules and meshes.

use std::path::{Path, PathBuf};

use pliant::contact::{Shape as Solid, ShapeKind};
use pliant::math::{Pose, Vec3};
use roxmltree::Attribute;

use super::UrdfOptions;
use super::xml::{Element, Ignored, Source};
use crate::files::{Files, mesh};
use crate::text::error::SceneError;
use crate::text::fault::Fault;

/// A shape on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Index of the link.
    pub link: usize,
    /// Whether it is what the link touches with, not what it looks like.
    pub collision: bool,
    /// Its frame in that of the link.
    pub link_from_shape: Pose,
    /// What it is.
    pub geometry: Geometry,
}

/// What a shape is.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// A box of this size [m].
    Box(Vec3),
    /// A cylinder along z [m].
    Cylinder {
        /// Radius.
        radius: f64,
        /// Length.
        length: f64,
    },
    /// A cylinder along z with round ends [m].
    Capsule {
        /// Radius.
        radius: f64,
        /// Length without the ends.
        length: f64,
    },
    /// A sphere [m].
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// Triangles of a file that exists.
    Mesh {
        /// The file.
        path: PathBuf,
        /// Scale along its axes [-].
        scale: Vec3,
    },
}

impl Geometry {
    /// The geometry as a solid; `owner` is named where a mesh is unsound.
    pub(crate) fn solid(&self, owner: &str, files: &mut Files) -> Result<Solid, Fault> {
        let kind = match self {
            Geometry::Box(size) => ShapeKind::Box { size: *size },
            Geometry::Cylinder { radius, length } => ShapeKind::Cylinder { radius: *radius, length: *length },
            Geometry::Capsule { radius, length } => ShapeKind::Capsule { radius: *radius, length: *length },
            Geometry::Sphere { radius } => ShapeKind::Sphere { radius: *radius },
            Geometry::Mesh { path, scale } => {
                let mut read = mesh::read(&path.to_string_lossy(), 1.0, owner, files)?;
                read.vertices.iter_mut().for_each(|vertex| *vertex *= *scale);
                ShapeKind::Mesh(read)
            }
        };
        Solid::new(kind).map_err(|error| Fault::new(error.to_string()))
    }
}

/// All shapes of a link.
pub(super) fn read(
    source: &Source<'_>,
    place: &Place<'_>,
    (index, link): (usize, Element<'_>),
    ignored: &mut Ignored,
) -> Result<Vec<Shape>, SceneError> {
    let mut out = vec![];
    for child in link.children().filter(|c| c.is_element()) {
        let collision = match child.tag_name().name() {
            "collision" => true,
            "visual" => false,
            _ => continue,
        };
        ignored.others(child, &["origin", "geometry"]);
        let link_from_shape = source.origin(child)?;
        let Some(geometry) = source.child(child, "geometry")? else {
            return Err(source.at(child, format!("<{}> needs a <geometry>", child.tag_name().name())));
        };
        let Some(element) = geometry.children().find(|c| c.is_element()) else {
            return Err(source.at(geometry, "<geometry> needs a <box>, <cylinder>, <sphere>, <capsule> or <mesh>"));
        };
        if let Some(geometry) = read_geometry(source, place, element, ignored)? {
            out.push(Shape { link: index, collision, link_from_shape, geometry });
        }
    }
    Ok(out)
}

fn read_geometry(
    source: &Source<'_>,
    place: &Place<'_>,
    element: Element<'_>,
    ignored: &mut Ignored,
) -> Result<Option<Geometry>, SceneError> {
    let number = |name: &str| source.positive(element, name);
    let geometry = match element.tag_name().name() {
        "box" => {
            let attribute = source.attribute(element, "size")?;
            let size = Vec3::from_array(source.numbers::<3>(&attribute)?);
            if size.min_element() <= 0.0 {
                return Err(
                    source.error(attribute.range_value(), format!("the size of a box must be positive, got {size}"))
                );
            }
            Geometry::Box(size)
        }
        "cylinder" => Geometry::Cylinder { radius: number("radius")?, length: number("length")? },
        "capsule" => Geometry::Capsule { radius: number("radius")?, length: number("length")? },
        "sphere" => Geometry::Sphere { radius: number("radius")? },
        "mesh" => {
            let attribute = source.attribute(element, "filename")?;
            let scale = source.vector_or(element, "scale", Vec3::ONE)?;
            let path = place.find(source, &attribute)?;
            let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
            if !["stl", "obj"].contains(&extension.as_str()) {
                ignored.note(format!("meshes of the kind `{extension}`, only STL and OBJ are read"));
                return Ok(None);
            }
            Geometry::Mesh { path, scale }
        }
        other => {
            ignored.note(format!("<{other}> in <geometry>"));
            return Ok(None);
        }
    };
    Ok(Some(geometry))
}

/// Where names of meshes lead.
pub(super) struct Place<'a> {
    pub base: &'a Path,
    pub options: &'a UrdfOptions,
}

impl Place<'_> {
    /// The file that an attribute names.
    fn find(&self, source: &Source<'_>, attribute: &Attribute<'_, '_>) -> Result<PathBuf, SceneError> {
        let (name, span) = (attribute.value(), attribute.range_value());
        let path = if let Some(rest) = name.strip_prefix("package://") {
            let (package, file) = rest.split_once('/').unwrap_or((rest, ""));
            let Some((_, folder)) = self.options.packages.iter().find(|(known, _)| known == package) else {
                let message = format!("the folder of the package `{package}` is not known");
                let help = format!("say where it is: --package {package}=FOLDER");
                return Err(source.error(span, message).with_help(Some(help)));
            };
            folder.join(file)
        } else {
            self.base.join(name.strip_prefix("file://").unwrap_or(name))
        };
        match std::fs::metadata(&path) {
            Ok(data) if data.is_file() => Ok(path),
            Ok(_) => Err(source.error(span, format!("the mesh {} is not a file", path.display()))),
            Err(_) => Err(source.error(span, format!("there is no mesh {}", path.display()))),
        }
    }
}
