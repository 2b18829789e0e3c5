//! Responses of a body of a scene, from blows on the real one.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use pliant::math::Vec3;
use pliant_fem::{
    MeasuredMode, MeasuredSpot, Progress, Recipe, basis_of, cache_folder, expand, measured_digest, write_records,
};
use pliant_identify::response::Struck;
use serde::Serialize;

use crate::body::response::{Precomputable, Work};
use crate::text::overrides::Override;

/// A file of responses that was made from measured modes, and how far it is in doubt.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Written {
    /// The body.
    pub body: String,
    /// The file: `file` of the body's `response`, with `form = "measured"`.
    pub file: PathBuf,
    /// Number of nodes at which the body can be touched.
    pub touched: usize,
    /// Length of a sample [s], and their number.
    pub sample: f64,
    /// Number of samples of each response.
    pub samples: usize,
    /// Largest distance of a point measured from the node that stands for it [m].
    pub beside: f64,
    /// For each mode, the part of the surface where its shape is a guess: in doubt by more than half of its size [-].
    pub guessed: Vec<f64>,
    /// For each mode, what the shape of the surface leaves of what was measured, over its size [-].
    pub left: Vec<f64>,
}

/// Half the width of a 95 % interval over the standard deviation.
const WIDTH: f64 = 1.96;

/// Write responses of a body of a scene, the only one of the model `response` unless it is named, to a file: with the modes that blows have shown,
/// and shapes between the points measured that suit its mesh and where it is held. In samples of this length [s].
pub fn write_measured(
    scene: &Path,
    overrides: &[Override],
    body: Option<&str>,
    struck: &Struck,
    sample: f64,
    file: &dyn Fn(&str) -> PathBuf,
) -> Result<Written, String> {
    let found = crate::precomputable(scene, overrides).map_err(|e| e.to_string())?;
    let Precomputable { name, work, .. } = chosen(&found.bodies, body)?;
    let recipe: &Recipe = match work {
        Work::Modes(recipe) | Work::Measured(recipe) => recipe,
        Work::Records(_) => {
            return Err(format!("{name} has form = \"records\": leave that out, so that its mesh can be taken"));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut watch = |_: Progress| ControlFlow::Continue(());
    let (basis, _) = basis_of(recipe, &cache_folder(), threads, &mut watch).map_err(|e| format!("{name}: {e}"))?;
    let spot = |(spot, at_once): (&pliant_identify::response::Spot, &Option<f64>)| MeasuredSpot {
        point: Vec3::from_array(spot.point),
        direction: Vec3::from_array(spot.direction),
        at_once: *at_once,
    };
    let spots: Vec<MeasuredSpot> = struck.spots.iter().zip(&struck.at_once).map(spot).collect();
    let mode = |mode: &pliant_identify::response::Mode| MeasuredMode {
        omega: mode.omega,
        ratio: mode.ratio,
        shape: mode.shape.iter().map(|[value, within]| [*value, within / WIDTH]).collect(),
    };
    let modes: Vec<MeasuredMode> = struck.modes.iter().map(mode).collect();
    let expanded = expand(&basis, &spots, &modes, sample).map_err(|e| format!("{name}: {e}"))?;
    let file = file(name);
    write_records(&file, measured_digest(recipe), &expanded.records).map_err(|e| e.to_string())?;
    Ok(Written {
        body: name.clone(),
        file,
        touched: expanded.records.nodes.len(),
        sample,
        samples: expanded.records.samples,
        beside: expanded.beside,
        guessed: expanded.guessed,
        left: expanded.left,
    })
}

fn chosen<'a>(bodies: &'a [Precomputable], name: Option<&str>) -> Result<&'a Precomputable, String> {
    let names = || bodies.iter().map(|body| body.name.as_str()).collect::<Vec<_>>().join(", ");
    match (name, bodies) {
        (Some(name), _) => bodies
            .iter()
            .find(|body| body.name == name)
            .ok_or_else(|| format!("there is no body {name} of the model response in the scene, but: {}", names())),
        (None, [one]) => Ok(one),
        (None, []) => Err("the scene has no body of the model response".into()),
        (None, _) => Err(format!("say which body was struck: {}", names())),
    }
}
