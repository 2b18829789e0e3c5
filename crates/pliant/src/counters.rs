//! What the solver of a body has done so far.

use crate::bytes::stored;

/// Counts since the body was built, the same for every model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// The model's own inner steps.
    pub steps: u64,
    /// Iterations, sweeps or evaluations within them, for models that iterate.
    pub iterations: u64,
    /// Steps in which iterations came to their limit and were taken as they were.
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
