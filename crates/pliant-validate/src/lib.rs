//! Pliant against what is known.
//!
//! - [`cases`]: every model against closed forms and independent solutions, with orders of convergence; `pliant validate`.
//! - [`experiments`]: published experiments run again, their figures beside ours; `pliant reproduce`.
//!
//! The command prints what these find, and the tests run the same functions.

pub mod cases;
pub mod experiments;

use pliant_scene::SceneError;

/// Why an experiment could not be run.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Its scene is wrong.
    #[error(transparent)]
    Scene(#[from] Box<SceneError>),
    /// It began and failed.
    #[error("{0}")]
    Run(String),
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Failure {
        Failure::Scene(Box::new(error))
    }
}
