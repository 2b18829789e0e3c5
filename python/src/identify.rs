//! Properties from measurements: tables as text in, results as JSON out, as the command prints them.

use std::collections::HashMap;
use std::path::PathBuf;

use pliant_identify::capstan::{self, Rig, Theory};
use pliant_identify::contact::{self, Touching};
use pliant_identify::shape::{self, Hanging};
use pliant_identify::swing::{self, Swinging};
use pliant_identify::{Found, MeasureError, curl, response, slope};
use pliant_scene::{Written, write_measured};
use pyo3::prelude::*;

use crate::errors::PliantError;

/// Identify what a table tells of this kind of measurement, with the numbers that are known beforehand.
#[pyfunction]
pub fn identify(py: Python<'_>, kind: &str, table: &str, known: HashMap<String, f64>) -> PyResult<String> {
    py.detach(|| identified(kind, table.as_bytes(), &known)).map_err(PliantError::new_err)
}

/// Modes of a solid from a table of blows; with a scene and a file, also responses of its body, written there.
#[pyfunction]
#[pyo3(signature = (table, scene=None, body=None, file=None, sample=0.001))]
pub fn identify_response(
    py: Python<'_>,
    table: &str,
    scene: Option<PathBuf>,
    body: Option<&str>,
    file: Option<PathBuf>,
    sample: f64,
) -> PyResult<String> {
    py.detach(|| {
        let blows = response::read(table.as_bytes()).map_err(|e| e.to_string())?;
        let struck = response::identify(&blows).map_err(|e| e.to_string())?;
        let written = match (scene, file) {
            (Some(scene), Some(file)) => Some(write_measured(&scene, &[], body, &struck, sample, &|_| file.clone())?),
            (None, None) => None,
            _ => return Err("scene and file go together".into()),
        };
        json(&Outcome { struck: &struck, written })
    })
    .map_err(PliantError::new_err)
}

/// What blows tell, and what was written.
#[derive(serde::Serialize)]
struct Outcome<'a> {
    #[serde(flatten)]
    struck: &'a response::Struck,
    written: Option<Written>,
}

fn identified(kind: &str, table: &[u8], known: &HashMap<String, f64>) -> Result<String, String> {
    let maybe = |name: &str| known.get(name).copied();
    let needed = |name: &str| maybe(name).ok_or_else(|| format!("{name} is needed"));
    let found = |found: Result<Found, MeasureError>| json(&found.map_err(|e| e.to_string())?);
    match kind {
        "shape" => {
            let (length, mass, radius) = (needed("length")?, needed("mass")?, maybe("radius"));
            let (angle, curved) = (maybe("angle"), maybe("curved").is_some_and(|yes| yes != 0.0));
            let known = Hanging { length, mass, radius, angle, curved };
            found(shape::read(table).and_then(|points| shape::identify(&points, known)))
        }
        "swing" => {
            let known = Swinging { length: needed("length")?, mass: needed("mass")?, radius: maybe("radius") };
            found(swing::read(table).and_then(|track| swing::identify(&track, known)))
        }
        "slope" => found(slope::read(table).and_then(|measured| slope::identify(&measured))),
        "curl" => found(curl::read(table).and_then(|points| curl::identify(&points, maybe("drum")))),
        "contact" => {
            let known = Touching { mass: maybe("mass"), stiffness: maybe("stiffness") };
            found(contact::read(table).and_then(|measured| contact::identify(&measured, known)))
        }
        theory => {
            let theories = [Theory::Classical, Theory::PowerLaw, Theory::Extension, Theory::Thickness];
            let names = ["classical", "power-law", "extension", "thickness"];
            let at = names.iter().position(|name| *name == theory);
            let theory = at.map(|k| theories[k]).ok_or_else(|| format!("there is no theory {theory}"))?;
            let rig = Rig {
                drum: needed("drum")?,
                radius: needed("radius")?,
                young: needed("young")?,
                poisson: needed("poisson")?,
            };
            let pulls = capstan::read(table).map_err(|e| e.to_string())?;
            json(&capstan::identify(&pulls, rig, theory).map_err(|e| e.to_string())?)
        }
    }
}

fn json(found: &impl serde::Serialize) -> Result<String, String> {
    serde_json::to_string(found).map_err(|e| e.to_string())
}
