//! The model `response` in a scene file: its settings, and what has to be precomputed for it.

use std::ops::ControlFlow;
use std::path::PathBuf;

use pliant::Material;
use pliant::response::{self, Known, ResponseSettings};
use pliant_fem::{
    Damping, Elastic, MassKind, Order, Progress, Recipe, Sampling, TableRecipe, Timing, basis_of, cache_folder,
    measured_digest, nearest_nodes, nodes_within, open_basis, open_records, records_of,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::body::BodySpec;
use crate::files::Files;
use crate::files::tets::{MOST_UNKNOWNS, too_many};
use crate::text::fault::Fault;
use crate::text::quantity::{
    Coordinate, Count, Damping as DampingRate, DampingTime, LossFactor, Quantity, Step, Triple,
};
use crate::text::word::Table;

/// Default number of modes; fewer if the mesh does not have as many.
const USUAL_MODES: usize = 200;

/// Largest number of modes.
const MOST_MODES: usize = 2_000;

/// Largest number of values in all mode shapes: computing them takes about 75 bytes each.
const MOST_SHAPES: usize = 25_000_000;

/// Largest size of recorded responses [bytes].
const MOST_RECORDED: u64 = 64 << 30;

/// Largest number of touch points.
const MOST_TOUCHED: usize = 10_000;

/// Settings of the model `response`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResponseTable {
    /// Number of vibration modes [-]; 200 unless given, or all that the mesh has.
    modes: Option<Count<1, MOST_MODES>>,
    /// Order of the tetrahedra; quadratic unless given.
    element: Option<ElementName>,
    /// Mass matrix; consistent unless given.
    mass: Option<NodalMass>,
    /// Stiffness-proportional damping: damping over stiffness [s]; none unless given.
    damping_time: Option<DampingTime>,
    /// Mass-proportional damping: drag force per mass and velocity [1/s]; none unless given.
    drag: Option<DampingRate>,
    /// Damping of each mode over its angular frequency, the same for all modes [-]; instead of damping_time and drag.
    loss_factor: Option<LossFactor>,
    /// Whether it is simulated by modes, by recorded responses, or by measured ones; by modes unless given.
    form: Option<FormName>,
    /// Boxes in its own frame within which all its nodes, also those inside, are held in place, as where it is glued to a
    /// table: it then deforms, but does not move as a whole. None unless given.
    #[serde(default)]
    fixed: Vec<Table<FixedSpec>>,
    /// For recorded responses: points where it can be touched and held, in its own frame [m]. The nearest surface node
    /// is used.
    #[serde(default)]
    touch: Vec<Triple<Coordinate>>,
    /// For recorded responses: number of samples [-]; 500 unless given.
    samples: Option<Count<1, 100_000>>,
    /// Length of the model's own steps, in which forces are constant [s]. For recorded responses 0.002 unless given;
    /// for modes, unless given, the step of the scene divided so that steps are at most 0.002 and resolve the lowest
    /// frequency.
    sample: Option<Step>,
    /// For recorded responses: sub-steps of a sample [-]; 2 unless given.
    substeps: Option<Count<1, 1000>>,
    /// For recorded responses: at what time within a sample the displacement is taken; `mean` unless given.
    sampling: Option<SamplingName>,
    /// Name of the file with precomputed results, relative to the scene file; in the cache folder unless given.
    file: Option<String>,
}

/// A box in which nodes are held in place. Nodes on its sides are within.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FixedSpec {
    /// Its lower corner, in the frame of the body [m].
    min: Triple<Coordinate>,
    /// Its upper corner [m].
    max: Triple<Coordinate>,
}

/// Order of the tetrahedra.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ElementName {
    /// 4 nodes, constant strain; too stiff near Poisson's ratio 0.5.
    Linear,
    /// 10 nodes, linear strain.
    Quadratic,
}

/// Mass matrix.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum NodalMass {
    /// Consistent with the shape functions of the elements.
    Consistent,
    /// Diagonal: each node has a share of the mass.
    Lumped,
}

/// How the response is represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FormName {
    /// As a sum over modes.
    Modes,
    /// By recorded responses, as published.
    Records,
    /// By responses that `pliant identify response` has made from measurements of a real body; `file` names them.
    Measured,
}

/// At what time within a sample the displacement is taken.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SamplingName {
    /// At the end of each sample.
    End,
    /// The mean over the ends of its sub-steps, as published.
    Mean,
}

/// What has to be precomputed for a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// Modes and the compliance of the surface.
    Modes(Recipe),
    /// Recorded responses.
    Records(TableRecipe),
    /// Nothing: its responses are measured, of a body of this mesh that is held there.
    Measured(Recipe),
}

/// Damping of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Losses {
    /// Rayleigh damping alpha M + beta K.
    Rayleigh(Damping),
    /// Loss factor eta [-]: c = eta omega for each mode.
    Factor(f64),
}

/// A body that needs precomputed results.
#[derive(Clone, Debug, PartialEq)]
pub struct Precomputable {
    /// Name of the body.
    pub name: String,
    /// What has to be precomputed.
    pub work: Work,
    /// Damping. For recorded responses it is part of the recipe as well.
    pub losses: Losses,
    /// Length of the model's own steps, if the scene gives one [s].
    pub sample: Option<f64>,
    /// The file with the results, if the scene names one.
    pub file: Option<PathBuf>,
}

/// What is said of measured responses without a file.
const UNNAMED: &str = "measured responses are in a file that `pliant identify response` has made: name it as file";

/// Longest model step, unless the scene gives one [s].
const LONGEST: f64 = 2e-3;

/// Largest product of model step and lowest angular frequency [rad]: a body whose steps do not even resolve its lowest
/// mode is thrown off where it is squeezed, since forces act along where points were a step ago.
const RESOLVED: f64 = 1.5;

/// Largest number of model steps per scene step that this may lead to.
const MOST_STRIDES: f64 = 64.0;

impl Precomputable {
    /// Number of nodes that are held in place, also inside the body.
    pub fn fixed_nodes(&self) -> usize {
        match &self.work {
            Work::Modes(recipe) | Work::Measured(recipe) => recipe.fixed.len(),
            Work::Records(table) => table.fixed.len(),
        }
    }

    /// The precomputed results: from the file, from the cache folder, or computed now. With a warning, if there is one.
    pub(crate) fn known(&self) -> Result<(Known, Option<String>), String> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let mut watch = |_: Progress| ControlFlow::Continue(());
        let folder = cache_folder();
        match (&self.work, &self.file) {
            (Work::Modes(recipe), Some(path)) => match open_basis(path, Some(recipe.digest())) {
                Ok(basis) => Ok((Known::Modes(basis), None)),
                Err(error) => Err(error.to_string()),
            },
            (Work::Records(table), Some(path)) => match open_records(path, Some(table.digest())) {
                Ok(records) => Ok((Known::Records(records), None)),
                Err(error) => Err(error.to_string()),
            },
            (Work::Measured(recipe), Some(path)) => match open_records(path, Some(measured_digest(recipe))) {
                Ok(records) => Ok((Known::Records(records), None)),
                Err(error) => Err(error.to_string()),
            },
            (Work::Measured(_), None) => Err(UNNAMED.into()),
            (Work::Modes(recipe), None) => match basis_of(recipe, &folder, threads, &mut watch) {
                Ok((basis, found)) => Ok((Known::Modes(basis), found.warning())),
                Err(error) => Err(error.to_string()),
            },
            (Work::Records(table), None) => match records_of(table, &folder, threads, &mut watch) {
                Ok((records, found)) => Ok((Known::Records(records), found.warning())),
                Err(error) => Err(error.to_string()),
            },
        }
    }

    /// Settings of the body in a scene with steps of length `step` [s]. With a warning if steps are too long for it.
    pub(crate) fn settings(&self, known: &Known, step: f64) -> (ResponseSettings, Option<String>) {
        let damping = match self.losses {
            Losses::Rayleigh(Damping { mass, stiffness }) => response::Damping::Rayleigh { mass, stiffness },
            Losses::Factor(factor) => response::Damping::LossFactor(factor),
        };
        let slowest = match known {
            Known::Modes(basis) => basis.squares.first().map_or(0.0, |square| square.sqrt()),
            Known::Records(_) => 0.0,
        };
        let wanted = step / LONGEST.min(RESOLVED / slowest);
        let count = (wanted - 1e-9).ceil().clamp(1.0, MOST_STRIDES.max((step / LONGEST).ceil()));
        let sample = self.sample.unwrap_or(step / count);
        let remark = (slowest * sample > 2.0 * RESOLVED).then(|| {
            format!(
                "its lowest frequency, {:.0} Hz, is too high for its own steps of {sample:.1e} s: where it is held or pressed hard it may be \
                 thrown; take shorter steps, or softer material",
                slowest / std::f64::consts::TAU
            )
        });
        let elasticity = match &self.work {
            Work::Modes(recipe) => {
                let Elastic { young, poisson, density } = recipe.elastic;
                Some(response::Elasticity { young, poisson, density })
            }
            Work::Records(_) | Work::Measured(_) => None,
        };
        (ResponseSettings { damping, sample, elasticity, ..ResponseSettings::default() }, remark)
    }
}

/// All bodies of a scene that need precomputed results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Precomputables {
    /// The bodies, in the order of the scene.
    pub bodies: Vec<Precomputable>,
    /// Warnings, such as about a mesh that was repaired.
    pub warnings: Vec<String>,
}

impl BodySpec {
    /// What has to be precomputed for this body of the model `response`.
    pub(crate) fn precomputable(&self, material: &Material, files: &mut Files) -> Result<Precomputable, Fault> {
        self.refuse_what_rods_have()?;
        if !self.parts.is_empty() {
            return Err(Fault::new("a body of the model response is one solid: leave the parts out").at("parts"));
        }
        let Some(solid) = &self.solid else {
            return Err(Fault::new("a body of the model response needs a solid: a box, or tets from a file"));
        };
        let table = self.response.as_ref().map_or_else(ResponseTable::default, |table| (**table).clone());
        let inside = |fault: Fault| fault.at("response");
        let form = table.form.unwrap_or(FormName::Modes);
        table.refuse_what_goes_not_with(form).map_err(inside)?;
        let losses = table.losses(form).map_err(inside)?;
        let order = match table.element {
            Some(ElementName::Linear) => Order::Linear,
            Some(ElementName::Quadratic) | None => Order::Quadratic,
        };
        let mesh = solid.tetrahedra(order, &self.name, files).map_err(|fault| fault.at("solid"))?;
        let mass = match table.mass {
            Some(NodalMass::Lumped) => MassKind::Lumped,
            Some(NodalMass::Consistent) | None => MassKind::Consistent,
        };
        let elastic = Elastic { young: material.young, poisson: material.poisson, density: material.density };
        let recipe = Recipe { order, mass, ..Recipe::new(mesh, elastic, 1) };
        recipe.check().map_err(|error| Fault::new(error.to_string()).at("material"))?;
        let (unknowns, nodes) = recipe.size();
        if unknowns > MOST_UNKNOWNS {
            return Err(too_many(unknowns).at("solid"));
        }
        let fixed = table.fixed_nodes(&recipe, unknowns / 3).map_err(inside)?;
        let moving = if fixed.is_empty() { unknowns - 6 } else { unknowns - 3 * fixed.len() };
        let recipe = Recipe { fixed, ..recipe };
        let work = match form {
            FormName::Modes => Work::Modes(Recipe { modes: table.modes(unknowns, moving).map_err(inside)?, ..recipe }),
            FormName::Records => Work::Records(table.records(recipe, losses, nodes).map_err(inside)?),
            FormName::Measured if table.file.is_none() => return Err(inside(Fault::new(UNNAMED).at("form"))),
            FormName::Measured => {
                Work::Measured(Recipe { modes: table.modes(unknowns, moving).map_err(inside)?, ..recipe })
            }
        };
        let file = table.file.as_ref().map(|name| files.path(name));
        let sample = table.sample.map(Quantity::get);
        Ok(Precomputable { name: self.name.to_string(), work, losses, sample, file })
    }
}

impl ResponseTable {
    /// Fail if fields of the other form are given.
    fn refuse_what_goes_not_with(&self, form: FormName) -> Result<(), Fault> {
        let of_records = [
            ("touch", !self.touch.is_empty()),
            ("samples", self.samples.is_some()),
            ("substeps", self.substeps.is_some()),
            ("sampling", self.sampling.is_some()),
        ];
        let of_modes = [("modes", self.modes.is_some()), ("loss_factor", self.loss_factor.is_some())];
        let computed = [
            ("damping_time", self.damping_time.is_some()),
            ("drag", self.drag.is_some()),
            ("sample", self.sample.is_some()),
        ];
        let of_both = [&of_records[..], &of_modes, &computed].concat();
        let (given, message) = match form {
            FormName::Measured => (&of_both[..], "measured responses have their own: leave this out"),
            FormName::Modes => (&of_records[..], "this is for form = \"records\": set that, or leave this out"),
            FormName::Records => (&of_modes[..], "this is for form = \"modes\": recorded responses have none"),
        };
        match given.iter().find(|(_, given)| *given) {
            Some((key, _)) => Err(Fault::new(message).at(*key)),
            None => Ok(()),
        }
    }

    fn losses(&self, form: FormName) -> Result<Losses, Fault> {
        let given = |value: Option<f64>| value.unwrap_or(0.0);
        let damping = Damping {
            mass: given(self.drag.map(Quantity::get)),
            stiffness: given(self.damping_time.map(Quantity::get)),
        };
        match self.loss_factor {
            Some(_) if self.drag.is_some() || self.damping_time.is_some() => {
                Err(Fault::new("give either a loss factor, or a damping time and drag").at("loss_factor"))
            }
            Some(factor) if form == FormName::Modes => Ok(Losses::Factor(factor.get())),
            _ => Ok(Losses::Rayleigh(damping)),
        }
    }

    /// Nodes that are held, in ascending order, of the number that there are.
    fn fixed_nodes(&self, recipe: &Recipe, count: usize) -> Result<Vec<usize>, Fault> {
        let mut all = vec![];
        for (n, spec) in self.fixed.iter().enumerate() {
            let (low, high) = (spec.min.vector(), spec.max.vector());
            let refused = |message: &str| Err(Fault::new(message).at(n).at("fixed"));
            if !low.cmple(high).all() {
                return refused("the corners of this box are interchanged: min must not be above max on any axis");
            }
            let within = nodes_within(&recipe.mesh, recipe.order, low, high);
            if within.is_empty() {
                return refused(
                    "no node of the body is within this box: it is in the frame of the body, not of the world",
                );
            }
            all.extend(within);
        }
        all.sort_unstable();
        all.dedup();
        if all.len() == count {
            let message = "all nodes of the body are within these boxes: what cannot move at all is an obstacle";
            return Err(Fault::new(message).at("fixed"));
        }
        Ok(all)
    }

    /// Number of modes of a body with this many unknowns, and this many modes of deformation.
    fn modes(&self, unknowns: usize, all: usize) -> Result<usize, Fault> {
        let most = (MOST_SHAPES / unknowns).max(1);
        let modes = self.modes.map_or(USUAL_MODES.min(all).min(most), |modes| modes.0);
        let refused = |message: String| Err(Fault::new(message).at("modes"));
        if modes > all {
            return refused(format!("{modes} modes are too many: this mesh has {all}. Ask for fewer, or refine it"));
        }
        if modes > most {
            return refused(format!(
                "{modes} modes of {unknowns} unknowns are too many: at most {most} of so large a body"
            ));
        }
        Ok(modes)
    }

    /// The recipe of recorded responses.
    fn records(&self, body: Recipe, losses: Losses, nodes: usize) -> Result<TableRecipe, Fault> {
        if self.touch.is_empty() || self.touch.len() > MOST_TOUCHED {
            let message = format!("say where it can be touched: 1 to {MOST_TOUCHED} points");
            return Err(Fault::new(message).at("touch"));
        }
        let usual = Timing::default();
        let timing = Timing {
            sample: self.sample.map_or(usual.sample, Quantity::get),
            samples: self.samples.map_or(usual.samples, |count| count.0),
            substeps: self.substeps.map_or(usual.substeps, |count| count.0),
            sampling: match self.sampling {
                Some(SamplingName::End) => Sampling::End,
                Some(SamplingName::Mean) | None => Sampling::Mean,
            },
        };
        let points: Vec<_> = self.touch.iter().map(Triple::vector).collect();
        let touched = nearest_nodes(&body.mesh, body.order, &points);
        let bytes = 8 * 3 * nodes as u64 * timing.samples as u64 * 3 * touched.len() as u64;
        if bytes > MOST_RECORDED {
            let message = format!(
                "recorded responses would take {} GB, and {} is the most: fewer points to touch, or fewer samples, take less",
                bytes / 1_000_000_000,
                MOST_RECORDED / 1_000_000_000
            );
            return Err(Fault::new(message).at("touch"));
        }
        let damping = match losses {
            Losses::Rayleigh(damping) => damping,
            Losses::Factor(_) => Damping::default(),
        };
        let Recipe { mesh, elastic, order, mass, fixed, .. } = body;
        Ok(TableRecipe { mesh, elastic, order, mass, fixed, damping, timing, touched })
    }
}
