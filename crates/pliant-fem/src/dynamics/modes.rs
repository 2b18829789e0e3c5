//! The lowest vibration modes of a body, K x = omega^2 M x; of a free one, without the six rigid ones.
//!
//! Block Lanczos for the operator A = (K + sigma M)^-1 M, whose largest eigenvalues theta = 1 / (omega^2 + sigma)
//! belong to the lowest modes (Grimes, Lewis and Simon, "A shifted block Lanczos algorithm for solving sparse symmetric
//! generalized eigenproblems", 1994). Inner products are those of the mass matrix. Rigid motions are known exactly and
//! projected out of every vector; the whole basis is reorthogonalised, so that no mode is found twice. A block finds
//! modes of equal frequency as long as there are no more of them than its width. Completeness does not rely on that:
//! the modes below a frequency are counted by the inertia of K - s M.

use crate::algebra::factor::negative_eigenvalues;
use crate::algebra::lanczos::Search;
use crate::elements::model::Model;
use crate::error::FemError;
use crate::progress::{Progress, Stage, tell};
use std::ops::ControlFlow;

/// Parameters of the search for modes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModesParams {
    /// Number of modes.
    pub count: usize,
    /// Largest relative residual |K x - omega^2 M x| / |omega^2 M x| [-]. Rounding may leave more in meshes with very
    /// small or flat tetrahedra, whose highest modes are far above the first.
    pub tolerance: f64,
    /// Vectors in a Lanczos block.
    pub block: usize,
    /// Largest number of basis vectors, each of 8 bytes per unknown; by default 10 times the number of modes plus 100.
    pub most_vectors: Option<usize>,
}

impl Default for ModesParams {
    fn default() -> ModesParams {
        ModesParams { count: 200, tolerance: 1e-10, block: 4, most_vectors: None }
    }
}

/// Vibration modes, in ascending order of frequency.
#[derive(Clone, Debug, PartialEq)]
pub struct Modes {
    pub(crate) unknowns: usize,
    pub(crate) squares: Vec<f64>,
    pub(crate) shapes: Vec<f64>,
    pub(crate) residuals: Vec<f64>,
    /// Number of basis vectors they were computed from.
    pub vectors: usize,
    /// Number of entries in the sparse factor of K + sigma M.
    pub factor_size: usize,
}

/// Modes computed beyond those asked for, to find a gap in the spectrum up to which modes are counted.
const SPARE: usize = 4;

/// Residuals up to this multiple of the rounding error of the highest mode count as converged [-].
const ROUNDING: f64 = 100.0;

/// Smallest relative gap between the omega^2 of neighbouring modes that is safe to count up to [-].
const GAP: f64 = 1e-7;

impl Modes {
    /// Find the lowest deformation modes. `watch` is called with the progress and may stop it.
    pub fn new(
        model: &Model,
        params: &ModesParams,
        watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Modes, FemError> {
        let all = model.deformations();
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
            let there =
                negative_eigenvalues(&model.matrices.combined(1.0, -level))?.saturating_sub(model.rigid_motions_left());
            if there == below {
                return Ok(found.keep(params.count));
            }
            if there < below || size >= most || whole {
                let hertz = level.sqrt() / std::f64::consts::TAU;
                return Err(FemError::Missed { hertz, there, found: below });
            }
            // a fresh start, with a component along what was missed
            search.inject();
            expected = size + (size / 4).max(8 * params.block);
        }
    }

    /// Number of modes.
    pub fn count(&self) -> usize {
        self.squares.len()
    }

    /// Length of a shape: three numbers for each node of the model.
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

    /// Shape of a mode, normalised to x^T M x = 1 [1/sqrt(kg)], with its largest component positive.
    pub fn shape(&self, mode: usize) -> &[f64] {
        &self.shapes[mode * self.unknowns..(mode + 1) * self.unknowns]
    }

    /// Relative residual |K x - omega^2 M x| / |omega^2 M x| of each mode [-].
    pub fn residuals(&self) -> &[f64] {
        &self.residuals
    }

    /// Keep the first `count` modes.
    pub fn keep(mut self, count: usize) -> Modes {
        self.squares.truncate(count);
        self.residuals.truncate(count);
        self.shapes.truncate(count * self.unknowns);
        self
    }
}

/// The number of modes, at least `count`, below a gap in the spectrum, and the omega^2 in the middle of that gap.
fn level(squares: &[f64], count: usize, all: bool) -> Option<(usize, f64)> {
    let gap = (count..squares.len()).find(|n| squares[*n] - squares[*n - 1] > GAP * squares[*n]);
    match gap {
        Some(n) => Some((n, 0.5 * (squares[n - 1] + squares[n]))),
        None if all => squares.last().map(|last| (squares.len(), 2.0 * last)),
        None => None,
    }
}
