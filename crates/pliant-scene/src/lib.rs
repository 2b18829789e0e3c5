//! Pliant scene files: TOML text in, a ready [`World`] out.
//!
//! [`load`] reads a file and [`parse`] a text. Both take [`Override`]s, values changed from outside the file. Errors
//! name file, line and column, say what was expected and suggest the nearest known word.
//!
//! ```
//! let text = r#"
//!     duration = 0.01
//!
//!     [material.rubber]
//!     young = 5e6
//!     density = 1100
//!
//!     [[body]]
//!     name = "rod"
//!     model = "chain"
//!     material = "rubber"
//!     radius = 0.002
//!     path = [[0, 0, 0], [0.3, 0, 0]]
//! "#;
//! let changes = ["body.rod.points=21".parse()?];
//! let mut scene = pliant_scene::parse(text, "rod.toml", ".".as_ref(), &changes)?;
//! assert_eq!(scene.world.bodies()[0].size(), 21);
//! scene.world.step(scene.step)?;
//!
//! let error = pliant_scene::parse("duratoin = 1", "rod.toml", ".".as_ref(), &[]).unwrap_err();
//! assert_eq!(error.to_string(), "rod.toml:1:1: unknown field `duratoin` (did you mean `duration`?)");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Files that a scene refers to: STL and OBJ meshes (triangles only: normals, colours, groups and materials are
//! ignored), Gmsh and VTK tetrahedral meshes, and CSV tables of poses.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod body;
mod files;
mod outcome;
pub mod robot;
mod text;
mod world;

use std::path::Path;

use pliant::{View, World};
use pliant_plan::{Shaking, Task};

use crate::world::assemble::SceneSpec;

pub use body::response::{Losses, Precomputable, Precomputables, Work};
pub use body::rod_model::{RodModel, UnknownModel};
pub use outcome::expect::{Expectation, Verdict};
pub use outcome::observable::Measure;
pub use outcome::run::{Ending, Moment, Ran};
pub use text::error::SceneError;
pub use text::overrides::{Override, OverrideError};
pub use text::schema::schema;

/// A scene ready to run.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Title; the name of the file if it has none.
    pub title: String,
    /// Simulated time [s].
    pub duration: f64,
    /// Step of the world [s].
    pub step: f64,
    /// Whether rods may pass through obstacles or each other.
    pub allow_crossing: bool,
    /// Recorded frames per second of simulated time [Hz], if the scene gives it.
    pub recording_rate: Option<f64>,
    /// The world at time zero.
    pub world: World,
    /// Names of the obstacles that hands of a live run may move.
    pub movable: Vec<String>,
    /// What is expected of the run.
    pub expectations: Vec<Expectation>,
    /// From where it is best looked at.
    pub view: View,
    /// How the grasp at its end is tried, if it has one.
    pub grasp: Option<Shaking>,
    /// Remarks that do not prevent a run, such as a mesh that is not closed.
    pub warnings: Vec<String>,
}

/// Read a scene from a file. File names in it are relative to its folder.
pub fn load(path: &Path, overrides: &[Override]) -> Result<Scene, SceneError> {
    load_with(path, overrides, None)
}

/// Read a scene from a file and put all its rods on one model, whatever models they are written for. Solids stay as
/// they are, and expectations are dropped. Fails if the model cannot express a rod.
pub fn load_on(path: &Path, overrides: &[Override], model: RodModel) -> Result<Scene, SceneError> {
    load_with(path, overrides, Some(model))
}

fn load_with(path: &Path, overrides: &[Override], model: Option<RodModel>) -> Result<Scene, SceneError> {
    let (name, text) = read_text(path)?;
    parse_with(&text, &name, path.parent().unwrap_or(Path::new("")), overrides, model)
}

/// What has to be precomputed for a scene file before it can run: the bodies of the model `response`.
pub fn precomputable(path: &Path, overrides: &[Override]) -> Result<Precomputables, SceneError> {
    let (name, text) = read_text(path)?;
    files::check_text(&text).map_err(|why| SceneError::of_file(&name, why))?;
    let base = path.parent().unwrap_or(Path::new(""));
    with_overrides(&text, &name, overrides, |text| {
        let spec: SceneSpec = toml::from_str(text).map_err(|e| text::fault::from_parser(&name, text, &e))?;
        spec.precomputable(base).map_err(|fault| fault.into_error(&name, text))
    })
}

/// The goal of a scene file as a task, without solving it; `None` for a scene without one.
pub fn task(path: &Path, overrides: &[Override]) -> Result<Option<Task>, SceneError> {
    let (name, text) = read_text(path)?;
    files::check_text(&text).map_err(|why| SceneError::of_file(&name, why))?;
    let base = path.parent().unwrap_or(Path::new(""));
    with_overrides(&text, &name, overrides, |text| {
        let spec: SceneSpec = toml::from_str(text).map_err(|e| text::fault::from_parser(&name, text, &e))?;
        spec.task(base).map_err(|fault| fault.into_error(&name, text))
    })
}

/// Name and text of a scene file.
fn read_text(path: &Path) -> Result<(String, String), SceneError> {
    let name = path.to_string_lossy();
    let bytes = files::read_bounded(path, files::SCENE_BYTES).map_err(|why| SceneError::of_file(&name, why))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok((name.into_owned(), text)),
        Err(error) => {
            let readable = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes());
            Err(SceneError::in_text(&name, &text, readable..readable + 1, "the text is not UTF-8"))
        }
    }
}

/// Read a scene from a text. `name` stands for the file in messages, and file names in the scene are relative to the
/// folder `base`.
pub fn parse(text: &str, name: &str, base: &Path, overrides: &[Override]) -> Result<Scene, SceneError> {
    parse_with(text, name, base, overrides, None)
}

fn parse_with(
    text: &str,
    name: &str,
    base: &Path,
    overrides: &[Override],
    model: Option<RodModel>,
) -> Result<Scene, SceneError> {
    files::check_text(text).map_err(|why| SceneError::of_file(name, why))?;
    let written_duration = written_duration(text, overrides);
    with_overrides(text, name, overrides, |text| build(text, name, base, written_duration, model))
}

/// Build something from a text with overrides applied. If an override causes a failure, the error says which.
fn with_overrides<T>(
    text: &str,
    name: &str,
    overrides: &[Override],
    build: impl Fn(&str) -> Result<T, SceneError>,
) -> Result<T, SceneError> {
    if overrides.is_empty() {
        return build(text);
    }
    let with = |overrides: &[Override]| build(&text::overrides::apply(name, text, overrides)?);
    with(overrides).map_err(|error| {
        // the first override that causes this fault is to blame; none if the text has it anyway
        let same = |result: Result<T, SceneError>| result.is_err_and(|other| other.message() == error.message());
        if let Err(own) = build(text)
            && own.message() == error.message()
        {
            return own;
        }
        let to_blame = (1..overrides.len()).find(|count| same(with(&overrides[..*count]))).unwrap_or(overrides.len());
        let blamed = format!("--set {}", overrides[to_blame - 1]);
        if error.message().starts_with("--set ") { error } else { error.prefixed(&blamed) }
    })
}

fn build(
    text: &str,
    name: &str,
    base: &Path,
    written_duration: Option<f64>,
    model: Option<RodModel>,
) -> Result<Scene, SceneError> {
    let mut spec: SceneSpec = toml::from_str(text).map_err(|e| text::fault::from_parser(name, text, &e))?;
    let on_model = model.map_or(Ok(()), |model| spec.put_rods_on(model));
    on_model.and_then(|()| spec.build(name, base, written_duration)).map_err(|fault| fault.into_error(name, text))
}

/// The duration in the text, if it is overridden.
fn written_duration(text: &str, overrides: &[Override]) -> Option<f64> {
    #[derive(serde::Deserialize)]
    struct OnlyDuration {
        duration: f64,
    }
    let overridden = overrides.iter().any(|change| change.path() == "duration");
    overridden.then(|| toml::from_str::<OnlyDuration>(text).ok().map(|only| only.duration))?
}
