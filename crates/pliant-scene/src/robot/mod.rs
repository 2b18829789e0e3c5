//! Robots from URDF files: links, joints, inertias, limits and shapes, with errors that name line and column.
//!
//! What is not used is listed: transmissions, extensions of other programs, materials, meshes of kinds that are not read.

mod reader;
mod shapes;
mod xml;

use std::path::{Path, PathBuf};

use pliant::math::Vec3;
use pliant::robot::{Model, RobotSpec};

use crate::files;
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
