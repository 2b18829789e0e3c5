//! Every figure and table of the five papers, with what reruns it, or the reason why nothing does.

use serde::Serialize;

/// What shows a figure or a table again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// An experiment, by its name.
    Experiment(&'static str),
    /// Another command.
    Command(&'static str),
    /// Nothing, for this reason.
    No(&'static str),
}

/// A figure or a table of a paper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Number of the paper, such as `003`.
    pub paper: &'static str,
    /// Its name in the paper.
    pub name: &'static str,
    /// What it is of.
    pub about: &'static str,
    /// What shows it again.
    pub shown: Shown,
}

use Shown::{Command, Experiment, No};

const DRAWING: Shown = No("a drawing that explains: it claims nothing that could be tested");

const fn figure(paper: &'static str, name: &'static str, about: &'static str, shown: Shown) -> Figure {
    Figure { paper, name, about, shown }
}

/// All of them, in the order of the papers.
pub const FIGURES: &[Figure] = &[
    figure("000", "Fig. 1, 2, 4", "points and segments, the force of bending, a point forced backwards", DRAWING),
    figure("000", "Fig. 3", "the number of points and the force of bending", Experiment("000-points")),
    figure("000", "Fig. 5 to 7, Table 2", "rotation about the third point", Experiment("000-rotation")),
    figure("000", "Fig. 8, 9, Table 4", "moved sideways", Experiment("000-horizontal")),
    figure("000", "Fig. 10, 11, Table 3", "moved sideways ever faster", Experiment("000-accelerated")),
    figure("000", "Table 1", "parameters", Command("pliant run scenes/000-rotation.toml, which has them")),
    figure("000", "Fig. 12, 13, Table 5", "spring steel at three orientations", Experiment("000-steel")),
    figure("000", "Fig. 14", "two points held by a gripper", DRAWING),
    figure(
        "001",
        "Fig. 1",
        "twisted fancy yarns",
        No("a photograph; nothing pays cables out at a speed that varies yet"),
    ),
    figure("001", "Fig. 2", "coordinates of a planar rod", DRAWING),
    figure("001", "Fig. 3", "an arch whose ends are pushed together", Experiment("001-fig3")),
    figure("001", "Fig. 4", "a rod falls onto a peg", Experiment("001-fig4")),
    figure("001", "Fig. 5", "an arch whose sides meet", Experiment("001-fig5")),
    figure("002", "Fig. 1, Table 1", "the cube, its size and times", Experiment("002-table1")),
    figure("002", "Fig. 2, 3", "impulse responses", Experiment("002-impulse")),
    figure(
        "002",
        "Fig. 4",
        "the system with two haptic devices",
        No("a photograph of two devices; `pliant live` drives such ones"),
    ),
    figure("002", "Fig. 5a", "a cube bounces on a floor", Experiment("002-bounce")),
    figure("002", "Fig. 5b", "a cube is shaken between two fingers", Experiment("002-shake")),
    figure("002", "section 2.5", "cost against finite elements", Experiment("002-cost")),
    figure("003", "Fig. 1 to 4", "a beam, particles, connectors, joints", DRAWING),
    figure("003", "Fig. 5", "a particle on a spring and a damper", Experiment("003-spring")),
    figure("003", "Fig. 6, 8 to 10", "solids as few particles", DRAWING),
    figure("003", "Fig. 7, 11, 12", "inertia of a solid as particles", Experiment("003-inertia")),
    figure(
        "003",
        "Fig. 13",
        "a table divided where it bends",
        No("how often a solid is divided may follow from how it bends, cells = { error, bend_deg }; where, not yet"),
    ),
    figure(
        "003",
        "Fig. 14",
        "a solid of LS connectors alone",
        No("connectors are placed in our way alone, see the book's chapter on lattices"),
    ),
    figure("003", "Fig. 15", "weights of the scheme", Experiment("003-spring")),
    figure("003", "Fig. 16, 18", "steps that are too long, and energy", Experiment("003-spring")),
    figure("003", "Fig. 17", "a step that follows the motion", DRAWING),
    figure("003", "Fig. 19, 21", "adaptive against constant steps", Experiment("003-pair")),
    figure("003", "Fig. 20", "steps while a ball falls and bounces", Experiment("003-ball")),
    figure(
        "003",
        "Fig. 22, 23",
        "stiff collisions in real time",
        No("steps are chosen by number, not by time: there is no lateness to show yet"),
    ),
    figure("003", "Fig. 24 to 26", "contact of surfaces, and friction", Command("pliant validate lattice")),
    figure("003", "Fig. 27", "a facet in a fluid", Experiment("003-fluid")),
    figure("003", "Fig. 28, 29", "motions drawn to a goal, past obstacles", Command("pliant plan scenes/trap.toml")),
    figure("003", "Fig. 30", "fingertips that are drawn to each other", Command("pliant plan scenes/grasp.toml")),
    figure("003", "Fig. 31", "a power grasp", Experiment("003-hand")),
    figure("003", "Fig. 32", "a wheel and a cube on a slope", Experiment("003-slope")),
    figure("003", "Fig. 33", "a vehicle on hills, and others", Experiment("003-vehicle")),
    figure("003", "section 6", "a bar is drawn, bent and twisted", Experiment("003-bar")),
    figure("003", "section 6", "a pyramid on a table", Experiment("003-pyramid")),
    figure("004", "Fig. 1", "winding, tying a knot, lifting", Experiment("004-knot")),
    figure("004", "Fig. 2", "subsystems and segments", DRAWING),
    figure("004", "Fig. 3", "time of steps over the run and over segments", Experiment("004-steps")),
    figure("004", "Table I", "time and iterations of three solvers", Experiment("004-table1")),
    figure("004", "Fig. 4, 5", "force on the hand, and pitch", Experiment("004-force")),
    figure("004", "Lemma 1, Theorem 1", "convergence of couplings over the step", Experiment("004-convergence")),
    figure("004", "section V-A", "identified properties", Experiment("004-identify")),
];

#[cfg(test)]
mod tests {
    use super::super::EXPERIMENTS;
    use super::*;

    /// Every experiment that is named exists, and every one is named.
    #[test]
    fn figures_and_experiments_belong_to_each_other() {
        let named: Vec<&str> =
            FIGURES.iter().filter_map(|f| if let Experiment(id) = f.shown { Some(id) } else { None }).collect();
        assert!(named.iter().all(|id| EXPERIMENTS.iter().any(|e| e.id == *id)), "{named:?}");
        assert!(EXPERIMENTS.iter().all(|e| named.contains(&e.id)));
        // an experiment is of the paper whose figure it shows
        let own = |f: &Figure| !matches!(f.shown, Experiment(id) if !id.starts_with(f.paper));
        assert!(FIGURES.iter().all(own));
    }
}
