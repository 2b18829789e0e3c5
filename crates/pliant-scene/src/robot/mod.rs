//! Robots from URDF files: links, joints, inertias, limits and shapes, with errors that name line and column.
//!
//! What is not used is listed: transmissions, extensions of other programs, materials, meshes of kinds that are not read.

mod reader;
mod shapes;
mod xml;

use std::path::{Path, PathBuf};

use pliant::contact::Mesh;
use pliant::math::{Pose, Vec3};
use pliant::robot::{Model, RobotSpec};

use crate::files::{self, Files};
use crate::text::error::SceneError;

pub use shapes::{Geometry, Shape};

/// Largest URDF file [bytes].
const BYTES: u64 = 64 << 20;

/// A robot as its file describes it.
#[derive(Clone, Debug)]
pub struct Robot {
    /// Links and joints.
    pub spec: RobotSpec,
    /// The robot, ready to move.
    pub model: Model,
    /// Shapes of its links.
    pub shapes: Vec<Shape>,
    /// What was read but is not used, and how often.
    pub ignored: Vec<String>,
}

impl Robot {
    /// What its links look like: index of the link, pose in its frame, and triangles there [m]. Links that look like nothing are
    /// shown as what they touch with.
    pub fn outlines(&self) -> Result<Vec<(usize, Pose, Mesh)>, SceneError> {
        let mut files = Files::new(Path::new(""));
        let is_drawn = |shape: &Shape| !self.shapes.iter().any(|s| s.link == shape.link && !s.collision);
        let shown = self.shapes.iter().filter(|shape| !shape.collision || is_drawn(shape));
        let outline = |shape: &Shape| {
            let name = &self.spec.links[shape.link].name;
            let solid = shape.geometry.solid(name, &mut files).map_err(|fault| fault.into_error(name, ""))?;
            Ok((shape.link, shape.link_from_shape, solid.outline()))
        };
        shown.map(outline).collect()
    }
}

/// How a URDF file is read.
#[derive(Clone, Debug)]
pub struct UrdfOptions {
    /// Folders of packages, for file names such as `package://name/meshes/arm.stl`.
    pub packages: Vec<(String, PathBuf)>,
    /// Gravity [m/s2].
    pub gravity: Vec3,
}

impl Default for UrdfOptions {
    fn default() -> UrdfOptions {
        UrdfOptions { packages: vec![], gravity: Vec3::NEG_Z * 9.81 }
    }
}

/// Read a robot from a URDF file. Names of meshes in it are relative to its folder.
pub fn load_urdf(path: &Path, options: &UrdfOptions) -> Result<Robot, SceneError> {
    let name = path.to_string_lossy();
    let bytes = files::read_bounded(path, BYTES).map_err(|why| SceneError::of_file(&name, why))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let readable = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        SceneError::in_text(&name, &text, readable..readable + 1, "the text is not UTF-8")
    })?;
    parse_urdf(&text, &name, path.parent().unwrap_or(Path::new("")), options)
}

/// Read a robot from a text. `name` stands for the file in messages.
pub fn parse_urdf(text: &str, name: &str, base: &Path, options: &UrdfOptions) -> Result<Robot, SceneError> {
    if text.len() as u64 > BYTES {
        return Err(SceneError::of_file(name, format!("is too large: at most {} MiB can be read", BYTES >> 20)));
    }
    reader::read(text, name, base, options)
}
