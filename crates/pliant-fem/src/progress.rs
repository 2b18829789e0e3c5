//! Progress of long calculations, and stopping them.

use crate::error::FemError;
use std::ops::ControlFlow;

/// Stage of a calculation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Factorising a matrix.
    Factorising,
    /// Growing the Lanczos basis: vectors so far, of those expected.
    Iterating,
    /// Refining mode shapes: modes so far, of those wanted.
    Refining,
    /// Counting modes, to verify that none is missing.
    Counting,
    /// Computing the compliance of the surface: unknowns or supernodes so far, of all.
    Loading,
    /// Integrating in time: samples so far, of those wanted.
    Integrating,
}

/// Progress of a calculation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The current stage.
    pub stage: Stage,
    /// How much of the stage is done.
    pub done: usize,
    /// How much there is in all, as far as is known.
    pub of: usize,
}

/// Progress callback, which may stop the calculation.
pub(crate) type Watch<'a> = &'a mut dyn FnMut(Progress) -> ControlFlow<()>;

/// Report progress. Fails with [`FemError::Stopped`] if the callback says so.
pub(crate) fn tell(watch: Watch<'_>, stage: Stage, done: usize, of: usize) -> Result<(), FemError> {
    match watch(Progress { stage, done, of }) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(FemError::Stopped),
    }
}
