//! The lowest vibration modes of a free body: K x = omega^2 M x, without the six rigid ones.
//!
//! Block Lanczos for the operator A = (K + sigma M)^-1 M, whose largest eigenvalues theta = 1 / (omega^2 + sigma) belong to the lowest
//! modes (Grimes, Lewis and Simon, "A shifted block Lanczos algorithm for solving sparse symmetric generalized eigenproblems", 1994).
//! Products are by mass throughout. Rigid motions are known exactly and taken out of every vector; the whole basis is kept
//! orthogonal, twice, so that no mode comes twice. A block finds modes of one frequency as long as they are not more than its
//! width. That none is missed is not left to that: the modes below a frequency are counted by the inertia of K - s M.

use crate::algebra::factor::negative_eigenvalues;
use crate::algebra::lanczos::Search;
use crate::elements::model::Model;
use crate::error::FemError;
use crate::progress::{Progress, Stage, tell};
use std::ops::ControlFlow;

/// How modes are looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModesParams {
    /// How many.
    pub count: usize,
    /// Largest residual |K x - omega^2 M x| / |omega^2 M x| [-]. In meshes with very small or flat tetrahedra, whose highest modes
    /// are far above the first, rounding may leave more than this.
    pub tolerance: f64,
    /// Vectors in a block.
    pub block: usize,
    /// Most vectors in the basis; each takes 8 bytes for each unknown. None for ten times as many as modes.
    pub most_vectors: Option<usize>,
}

impl Default for ModesParams {
    fn default() -> ModesParams {
        ModesParams { count: 200, tolerance: 1e-10, block: 4, most_vectors: None }
    }
}

/// Vibration modes, in order of frequency.
#[derive(Clone, Debug, PartialEq)]
pub struct Modes {
    pub(crate) unknowns: usize,
    pub(crate) squares: Vec<f64>,
    pub(crate) shapes: Vec<f64>,
    pub(crate) residuals: Vec<f64>,
    /// Vectors in the basis from which they were made.
    pub vectors: usize,
    /// Numbers in the sparse factor of K + sigma M.
    pub factor_size: usize,
}

/// Modes beyond those asked for, among which a gap is looked for to count up to.
const SPARE: usize = 4;

/// Residuals below so many times the rounding of the highest mode, over the mode, are as good as can be [-].
const ROUNDING: f64 = 100.0;

/// A gap between omega^2 of neighbours, over them, that is wide enough to count up to [-].
const GAP: f64 = 1e-7;

impl Modes {
    /// Find the lowest modes of deformation. `watch` hears how far it is, and may stop it.
    pub fn new(
        model: &Model,
        params: &ModesParams,
        watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Modes, FemError> {
        let all = model.unknowns() - 6;
        if params.count == 0 || params.count > all {
            return Err(FemError::TooManyModes { asked: params.count, most: all });
        }
        if !(params.tolerance > 0.0 && params.tolerance < 1.0) {
            let expected = "above 0 and below 1";
            return Err(FemError::Parameter { what: "the tolerance of modes", expected, value: params.tolerance });
        }
        let most = params.most_vectors.unwrap_or(10 * params.count + 100).min(all);
        let highest = model.matrices.highest();
        let mut search = Search::new(model, params.block.clamp(1, all), watch)?;
        let mut spare = SPARE;
        let mut inner = 0.1 * params.tolerance;
        let mut expected = 2 * (params.count + spare) + 8 * params.block;
        loop {
            let wanted = (params.count + spare).min(all);
            expected = expected.min(most);
            while search.basis.columns() < expected && search.basis.columns() < all {
                tell(watch, Stage::Iterating, search.basis.columns(), expected)?;
                search.step();
            }
            let size = search.basis.columns();
            let whole = size >= all;
            let ritz = search.ritz(wanted)?;
            let good = ritz.errors.iter().take_while(|error| whole || **error < inner).count();
            if good < wanted {
                if size >= most {
                    let worst = ritz.errors.iter().fold(0.0f64, |worst, error| worst.max(*error));
                    return Err(FemError::NotConverged { asked: wanted, converged: good, size, worst });
                }
                expected = size + (size / 8).max(4 * params.block);
                continue;
            }
            let found = search.shapes(&ritz, watch)?;
            let allowed = |square: f64| params.tolerance.max(ROUNDING * f64::EPSILON * highest / square);
            let bad = (0..wanted).find(|n| found.residuals[*n] > allowed(found.squares[*n]));
            if let Some(bad) = bad.filter(|_| !whole) {
                if size >= most || inner < 1e-14 {
                    let worst = found.residuals[bad];
                    return Err(FemError::NotConverged { asked: wanted, converged: bad, size, worst });
                }
                inner *= 0.1;
                expected = size + (size / 8).max(4 * params.block);
                continue;
            }
            let Some((below, level)) = level(&found.squares, params.count, wanted == all) else {
                spare *= 2;
                continue;
            };
            tell(watch, Stage::Counting, 0, 1)?;
            let there = negative_eigenvalues(&model.matrices.combined(1.0, -level))?.saturating_sub(6);
            if there == below {
                return Ok(found.keep(params.count));
            }
            if there < below || size >= most || whole {
                let hertz = level.sqrt() / std::f64::consts::TAU;
                return Err(FemError::Missed { hertz, there, found: below });
            }
            // something new to start from, that has a part of what was missed
            search.inject();
            expected = size + (size / 4).max(8 * params.block);
        }
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.squares.len()
    }

    /// Numbers in a shape: three for each node of the model.
    pub fn unknowns(&self) -> usize {
        self.unknowns
    }

    /// omega^2 of each mode [1/s2].
    pub fn squares(&self) -> &[f64] {
        &self.squares
    }

    /// Frequency of a mode [Hz].
    pub fn hertz(&self, mode: usize) -> f64 {
        self.squares[mode].sqrt() / std::f64::consts::TAU
    }

    /// Shape of a mode, x^T M x = 1 [1/sqrt(kg)], with its largest component above zero.
    pub fn shape(&self, mode: usize) -> &[f64] {
        &self.shapes[mode * self.unknowns..(mode + 1) * self.unknowns]
    }

    /// |K x - omega^2 M x| / |omega^2 M x| of each mode [-].
    pub fn residuals(&self) -> &[f64] {
        &self.residuals
    }

    /// The first modes only.
    pub fn keep(mut self, count: usize) -> Modes {
        self.squares.truncate(count);
        self.residuals.truncate(count);
        self.shapes.truncate(count * self.unknowns);
        self
    }
}

/// How many modes, at least `count`, are below a level of omega^2 in a gap of their spectrum.
fn level(squares: &[f64], count: usize, all: bool) -> Option<(usize, f64)> {
    let gap = (count..squares.len()).find(|n| squares[*n] - squares[*n - 1] > GAP * squares[*n]);
    match gap {
        Some(n) => Some((n, 0.5 * (squares[n - 1] + squares[n]))),
        None if all => squares.last().map(|last| (squares.len(), 2.0 * last)),
        None => None,
    }
}
