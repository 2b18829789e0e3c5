//! Validation of Pliant against known results.
//!
//! - [`cases`]: every model against closed forms and independent solutions, with orders of convergence;
//!   `pliant validate`.
//! - [`experiments`]: published experiments rerun, their figures beside ours; `pliant reproduce`.
//!
//! The command prints the results, and the tests run the same functions.

pub mod cases;
pub mod experiments;

use pliant_scene::SceneError;

/// Why an experiment could not be run.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Its scene is invalid.
    #[error(transparent)]
    Scene(#[from] Box<SceneError>),
    /// It started and failed.
    #[error("{0}")]
    Run(String),
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Failure {
        Failure::Scene(Box::new(error))
    }
}
