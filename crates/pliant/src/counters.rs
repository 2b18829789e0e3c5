//! Work of a body's solver.

use crate::bytes::stored;

/// Counts since the body was built, with the same meaning for every model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Counters {
    /// Inner steps.
    pub steps: u64,
    /// Iterations, sweeps or evaluations within them; zero for models that do not iterate.
    pub iterations: u64,
    /// Inner steps that reached the iteration limit and were accepted as they were.
    pub limit_hits: u64,
}

stored!(Counters { steps, iterations, limit_hits });

impl std::iter::Sum for Counters {
    fn sum<I: Iterator<Item = Counters>>(all: I) -> Counters {
        all.fold(Counters::default(), |a, b| Counters {
            steps: a.steps + b.steps,
            iterations: a.iterations + b.iterations,
            limit_hits: a.limit_hits + b.limit_hits,
        })
    }
}
