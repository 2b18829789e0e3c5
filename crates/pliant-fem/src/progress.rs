//! How far a long calculation has come, and stopping it.

use crate::error::FemError;
use std::ops::ControlFlow;

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Factorising a matrix.
    Factorising,
    /// Growing the basis: vectors of those expected.
    Iterating,
    /// Making mode shapes: modes of those wanted.
    Refining,
    /// Counting modes, to see that none is missed.
    Counting,
    /// Finding what the surface gives way: unknowns, or blocks of the matrix, of those there are.
    Loading,
    /// Integrating in time: samples of those wanted.
    Integrating,
}

/// How far a long calculation has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// How much of it.
    pub done: usize,
    /// Of how much, as far as is known.
    pub of: usize,
}

/// Who watches a calculation, and may stop it.
pub(crate) type Watch<'a> = &'a mut dyn FnMut(Progress) -> ControlFlow<()>;

/// Tell how far it is.
pub(crate) fn tell(watch: Watch<'_>, stage: Stage, done: usize, of: usize) -> Result<(), FemError> {
    match watch(Progress { stage, done, of }) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(FemError::Stopped),
    }
}
