//! Where a world comes from: the text of a scene and what was changed of it, enough to build it again.

use std::path::{Path, PathBuf};

use pliant_scene::{Override, Scene};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::errors::{self, SceneError};

/// The text of a scene, with overrides.
#[derive(Clone, Debug)]
pub struct Source {
    /// TOML.
    pub text: String,
    /// Name in messages.
    pub name: String,
    /// Folder of files that the scene refers to.
    pub base: PathBuf,
    /// As after `--set`.
    pub overrides: Vec<String>,
}

impl Source {
    /// Read a scene file.
    pub fn file(py: Python<'_>, path: &Path, overrides: Vec<String>) -> PyResult<Source> {
        let text = match std::fs::read(path).ok().and_then(|bytes| String::from_utf8(bytes).ok()) {
            Some(text) => text,
            // the scene reader says what is wrong with it, as the command does
            None => match pliant_scene::load(path, &[]) {
                Err(error) => return Err(errors::unreadable(py, &error)),
                Ok(_) => return Err(SceneError::new_err(format!("{}: changed while it was read", path.display()))),
            },
        };
        let name = path.to_string_lossy().into_owned();
        let base = path.parent().unwrap_or(Path::new(""));
        Ok(Source { text, name, base: std::path::absolute(base).unwrap_or(base.into()), overrides })
    }

    /// The scene as a dictionary.
    pub fn tables(tables: &Bound<'_, PyDict>, base: Option<PathBuf>) -> PyResult<Source> {
        let text: String = tables.py().import("pliant._toml")?.call_method1("dumps", (tables,))?.extract()?;
        let base = base.unwrap_or_default();
        let base = std::path::absolute(&base).unwrap_or(base);
        Ok(Source { text, name: "<scene>".into(), base, overrides: vec![] })
    }

    /// A path, or a dictionary.
    pub fn of(scene: &Bound<'_, PyAny>, base: Option<PathBuf>) -> PyResult<Source> {
        if let Ok(tables) = scene.cast::<PyDict>() {
            return Source::tables(tables, base);
        }
        match scene.extract::<PathBuf>() {
            Ok(path) => Source::file(scene.py(), &path, vec![]),
            Err(_) => Err(PyTypeError::new_err(format!("expected a path or a dictionary, got {scene}"))),
        }
    }

    /// The source with more overrides.
    pub fn with(&self, more: Vec<String>) -> Source {
        let mut changed = self.clone();
        changed.overrides.extend(more);
        changed
    }

    /// Build the world. Needs no interpreter but for errors.
    pub fn build(&self) -> Result<Scene, Unbuilt> {
        let parse = |text: &String| text.parse::<Override>().map_err(|e| Unbuilt::Override(e.to_string()));
        let overrides: Vec<Override> = self.overrides.iter().map(parse).collect::<Result<_, _>>()?;
        let mut scene =
            pliant_scene::parse(&self.text, &self.name, &self.base, &overrides).map_err(Unbuilt::Unreadable)?;
        scene.world.set_threads(1);
        Ok(scene)
    }
}

/// Why a scene was not built.
pub enum Unbuilt {
    /// A text that is no override.
    Override(String),
    /// The scene cannot be used.
    Unreadable(pliant_scene::SceneError),
}

impl Unbuilt {
    /// As an exception.
    pub fn raise(&self, py: Python<'_>) -> PyErr {
        match self {
            Unbuilt::Override(text) => SceneError::new_err(text.clone()),
            Unbuilt::Unreadable(error) => errors::unreadable(py, error),
        }
    }
}

/// Overrides as text, from keyword arguments: names with dots, or dictionaries in dictionaries.
pub fn overrides(values: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<String>> {
    let Some(values) = values else { return Ok(vec![]) };
    if values.is_empty() {
        return Ok(vec![]);
    }
    values.py().import("pliant._toml")?.call_method1("overrides", (values,))?.extract()
}

/// Whether a value is text, for arguments that are names or handles.
pub fn text<'a>(value: &'a Bound<'_, PyAny>) -> Option<&'a str> {
    value.cast::<PyString>().ok()?.to_str().ok()
}
