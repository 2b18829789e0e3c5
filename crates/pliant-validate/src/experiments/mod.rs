//! Published experiments rerun, their figures beside ours, also where the paper did better or is wrong. Each experiment
//! is a scene of `scenes/` run in the paper's variants.

mod cable_convergence;
mod cable_force;
mod cable_identify;
mod cable_knot;
mod cable_steps;
mod cable_winding;
mod chain_moves;
mod chain_points;
mod chain_steel;
mod elastica_arches;
mod elastica_peg;
mod elastica_shapes;
pub mod figures;
mod lattice_ball;
mod lattice_bar;
mod lattice_fluid;
mod lattice_hand;
mod lattice_inertia;
mod lattice_pair;
mod lattice_pictures;
mod lattice_pyramid;
mod lattice_slope;
mod lattice_spring;
mod lattice_steps;
mod lattice_vehicle;
mod response_bounce;
mod response_cost;
mod response_cube;
mod response_impulse;
mod response_modes;
mod response_shake;
mod response_table;
mod response_waves;

use std::collections::BTreeMap;
use std::path::Path;

use pliant::chain::Chain;
use pliant::math::Vec3;
use pliant::{Body, World};
use pliant_scene::{Ending, Moment, Override, Scene};
use serde::Serialize;

use crate::Failure;
use pliant_record::drawing::Drawing;

/// A published experiment that can be rerun.
pub struct Experiment {
    /// Its name, such as `000-rotation`.
    pub id: &'static str,
    /// The publication.
    pub seed: &'static str,
    /// What happens in it, and which figures and tables of the publication it belongs to.
    pub about: &'static str,
    run: fn(&mut Results) -> Result<(), Failure>,
}

impl Experiment {
    /// Run it. `talk` is called with a message before anything that takes long.
    pub fn run(&self, talk: fn(&str)) -> Result<Results, Failure> {
        let mut results = Results {
            id: self.id,
            seed: self.seed,
            choices: BTreeMap::new(),
            rows: vec![],
            drawings: vec![],
            pictures: vec![],
            remarks: vec![],
            talk,
        };
        (self.run)(&mut results)?;
        Ok(results)
    }
}

const KAHL: &str = "B. Kahl, D. Henrich, Manipulation of deformable linear objects: Force-based simulation approach";

const WAKAMATSU: &str = "H. Wakamatsu, T. Yamasaki, A. Tsumaya, E. Arai, S. Hirai, Dynamic modeling of linear object \
                         deformation considering contact with obstacles";

const TAGAWA: &str = "K. Tagawa, K. Hirota, M. Hirose, A study on haptic interaction and simulation of motion and deformation of \
                      elastic object";

const LEE: &str = "J. Lee, M. Lee, J. Yoon, D. Lee, A parallelized iterative algorithm for real-time simulation of long \
                   flexible cable manipulation";

const JOUKHADAR: &str = "A. Joukhadar, Robot-Phi: Dynamic modeling system for robotics applications";

/// All experiments, in the order of publications.
pub const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        id: "000-rotation",
        seed: KAHL,
        about: "a hanging rod is turned to the horizontal (Fig. 5 to 7, Table 2)",
        run: chain_moves::rotation,
    },
    Experiment {
        id: "000-horizontal",
        seed: KAHL,
        about: "a rod is moved sideways at constant speed (Fig. 8, 9, Table 4)",
        run: chain_moves::horizontal,
    },
    Experiment {
        id: "000-accelerated",
        seed: KAHL,
        about: "a rod is moved sideways ever faster (Fig. 10, 11, Table 3)",
        run: chain_moves::accelerated,
    },
    Experiment {
        id: "000-steel",
        seed: KAHL,
        about: "spring steel against an energy-minimising rod (Table 5, Fig. 12, 13)",
        run: chain_steel::steel,
    },
    Experiment {
        id: "000-points",
        seed: KAHL,
        about: "what the number of points changes: the force of bending, and steps that a pull takes (Fig. 3, II.B)",
        run: chain_points::points,
    },
    Experiment {
        id: "001-fig3",
        seed: WAKAMATSU,
        about: "the ends of an arch are pushed together, and it swings (Fig. 3)",
        run: elastica_arches::pushed,
    },
    Experiment {
        id: "001-fig4",
        seed: WAKAMATSU,
        about: "a hinged rod falls onto a thin peg (Fig. 4)",
        run: elastica_peg::peg,
    },
    Experiment {
        id: "001-fig5",
        seed: WAKAMATSU,
        about: "the ends of an arch are pushed together until its sides meet (Fig. 5)",
        run: elastica_arches::meeting,
    },
    Experiment {
        id: "002-impulse",
        seed: TAGAWA,
        about: "a cube struck on its top, by a point and by a plane (Fig. 2, 3)",
        run: response_impulse::impulse,
    },
    Experiment {
        id: "002-table1",
        seed: TAGAWA,
        about: "size of the cube, time to compute it beforehand and to compute forces (Table 1, section 3.3)",
        run: response_table::table,
    },
    Experiment {
        id: "002-cost",
        seed: TAGAWA,
        about: "cost of forces against direct finite elements, over the size of the model (abstract, section 2.5)",
        run: response_cost::cost,
    },
    Experiment {
        id: "002-bounce",
        seed: TAGAWA,
        about: "a soft cube falls on a floor and bounces (Fig. 5a)",
        run: response_bounce::bounce,
    },
    Experiment {
        id: "002-shake",
        seed: TAGAWA,
        about: "a soft cube is held by two fingers and shaken at 2 Hz (Fig. 5b)",
        run: response_shake::shake,
    },
    Experiment {
        id: "003-bar",
        seed: JOUKHADAR,
        about: "traction, flexion and torsion of a bar (section 6)",
        run: lattice_bar::bar,
    },
    Experiment {
        id: "003-slope",
        seed: JOUKHADAR,
        about: "a wheel turns and a cube topples on a slope (Fig. 32)",
        run: lattice_slope::slope,
    },
    Experiment {
        id: "003-pyramid",
        seed: JOUKHADAR,
        about: "a stiff collision of a pyramid and a table: frequency of steps (section 6)",
        run: lattice_pyramid::pyramid,
    },
    Experiment {
        id: "003-inertia",
        seed: JOUKHADAR,
        about: "inertia of a solid as particles (Fig. 7, section 4.2.3)",
        run: lattice_inertia::inertia,
    },
    Experiment {
        id: "003-spring",
        seed: JOUKHADAR,
        about: "a particle on a spring: stiffness, damping, weights of the scheme, steps that are too long (Fig. 5, 15, 16, 18)",
        run: lattice_spring::spring,
    },
    Experiment {
        id: "003-pair",
        seed: JOUKHADAR,
        about: "two particles, adaptive against constant steps (Fig. 19, 21)",
        run: lattice_pair::pair,
    },
    Experiment {
        id: "003-ball",
        seed: JOUKHADAR,
        about: "time steps while a ball falls and bounces, and what they gain (Fig. 20)",
        run: lattice_ball::ball,
    },
    Experiment {
        id: "003-fluid",
        seed: JOUKHADAR,
        about: "drag of a fluid: a plate falls, is turned in the wind, and a prism tumbles (Fig. 27, section 4.4)",
        run: lattice_fluid::fluid,
    },
    Experiment {
        id: "003-vehicle",
        seed: JOUKHADAR,
        about: "a vehicle finds its configuration on hills (Fig. 33)",
        run: lattice_vehicle::vehicle,
    },
    Experiment {
        id: "003-hand",
        seed: JOUKHADAR,
        about: "a hand holds something for 50 s, adaptive against constant steps (Fig. 31)",
        run: lattice_hand::hand,
    },
    Experiment {
        id: "004-table1",
        seed: LEE,
        about: "a cable is wound on a cylinder: time and iterations of three solvers (Table I)",
        run: cable_winding::table,
    },
    Experiment {
        id: "004-steps",
        seed: LEE,
        about: "the same: time of each step over the run, its contacts, and the number of segments (Fig. 3)",
        run: cable_steps::steps,
    },
    Experiment {
        id: "004-force",
        seed: LEE,
        about: "the same: force on the hand and pitch, for cable and xpbd (Fig. 4, 5)",
        run: cable_force::force,
    },
    Experiment {
        id: "004-convergence",
        seed: LEE,
        about: "the same: norms of Lemma 1 and Theorem 1, and iterations, over the step (section IV-C)",
        run: cable_convergence::convergence,
    },
    Experiment {
        id: "004-identify",
        seed: LEE,
        about: "the properties of the cable from pulls over a drum, by the capstan equation (section V-A)",
        run: cable_identify::identification,
    },
    Experiment {
        id: "004-knot",
        seed: LEE,
        about: "a knot is tied: links that touch links, solved in three ways (Fig. 1, section IV-D-2)",
        run: cable_knot::knot,
    },
];

/// Results of an experiment.
#[derive(Serialize)]
pub struct Results {
    /// Name of the experiment.
    pub id: &'static str,
    /// The publication.
    pub seed: &'static str,
    /// Settings that the paper leaves open, and what we chose.
    pub choices: BTreeMap<&'static str, String>,
    /// The paper's figures beside ours.
    pub rows: Vec<Row>,
    #[serde(skip)]
    drawings: Vec<(String, Drawing)>,
    /// Pictures as SVG text.
    #[serde(skip)]
    pictures: Vec<(String, String)>,
    /// Remarks beside the figures.
    #[serde(skip)]
    pub remarks: Vec<String>,
    #[serde(skip)]
    talk: fn(&str),
}

/// A figure of the paper and ours.
#[derive(Serialize)]
pub struct Row {
    /// What it is.
    pub quantity: String,
    /// Its unit.
    pub unit: &'static str,
    /// The paper's figure; `None` for a statement without a number.
    pub paper: Option<f64>,
    /// Our figure.
    pub ours: Option<f64>,
    /// Whether the paper's figure or statement holds.
    pub holds: bool,
}

impl Results {
    fn choice(&mut self, what: &'static str, value: impl Into<String>) {
        self.choices.insert(what, value.into());
    }

    /// Add a number of the paper beside ours. It holds if ours is within a fifth of it, or equal if it is zero.
    fn number(&mut self, quantity: impl Into<String>, unit: &'static str, paper: f64, ours: f64) {
        let holds = (ours - paper).abs() <= 0.2 * paper.abs();
        self.rows.push(Row { quantity: quantity.into(), unit, paper: Some(paper), ours: Some(ours), holds });
    }

    /// Add a number of ours beside what a closed form says, where the paper shows something without a number. It holds if ours
    /// is within a fifth of it.
    fn known(&mut self, quantity: impl Into<String>, unit: &'static str, known: f64, ours: f64) {
        let quantity =
            format!("{}; a closed form, not the paper, says {}", quantity.into(), pliant_record::short(known));
        self.statement(quantity, unit, ours, (ours - known).abs() <= 0.2 * known.abs());
    }

    /// Add a statement of the paper, with the number of ours that decides it.
    fn statement(&mut self, quantity: impl Into<String>, unit: &'static str, ours: f64, holds: bool) {
        self.rows.push(Row { quantity: quantity.into(), unit, paper: None, ours: Some(ours), holds });
    }

    fn remark(&mut self, text: impl Into<String>) {
        self.remarks.push(text.into());
    }

    /// Announce something that takes long.
    fn talk(&self, text: &str) {
        (self.talk)(text);
    }

    /// Name and SVG text of each drawing and picture.
    pub fn figures(&self) -> impl Iterator<Item = (&str, String)> {
        let drawn = self.drawings.iter().map(|(name, drawing)| (name.as_str(), drawing.svg()));
        drawn.chain(self.pictures.iter().map(|(name, text)| (name.as_str(), text.clone())))
    }
}

/// An embedded scene, with overrides.
fn scene(text: &str, name: &str, changes: &[(&str, &str)]) -> Result<Scene, Failure> {
    let overrides: Result<Vec<Override>, _> =
        changes.iter().map(|(path, value)| format!("{path}={value}").parse()).collect();
    let overrides = overrides.map_err(|e: pliant_scene::OverrideError| Failure::Run(e.to_string()))?;
    Ok(pliant_scene::parse(text, name, Path::new("scenes"), &overrides)?)
}

/// Run a scene to its end with a callback. Fails if it does not reach its end.
fn run(scene: &mut Scene, see: impl FnMut(&mut Moment<'_>) -> Result<(), Failure>) -> Result<(), Failure> {
    match scene.run(see).ending {
        Ending::Done => Ok(()),
        Ending::Stopped => Err(Failure::Run(format!("{}: stopped", scene.title))),
        Ending::Failed(error) => Err(Failure::Run(format!("{}: {error}", scene.title))),
        Ending::Abandoned(failure) => Err(failure),
    }
}

/// Choices common to all experiments with planar rods.
fn common_elastica_choices(results: &mut Results) {
    results.choice("gravity", "9.81 m/s2; not given");
    results.choice("units", "metres, kilograms, seconds, newtons; none are given");
}

/// The first body as a chain. Fails if it is of another model.
fn chain(world: &World) -> Result<&Chain, Failure> {
    match world.bodies().first() {
        Some(Body::Chain(chain)) => Ok(chain),
        _ => Err(Failure::Run("the scene's first body is no chain".into())),
    }
}

fn shape(world: &World) -> Result<Vec<Vec3>, Failure> {
    let chain = chain(world)?;
    Ok((0..chain.size()).map(|i| chain.point(i)).collect())
}
