//! A number of threads for a calculation.

use crate::error::FemError;

/// Do something with so many threads, also where it only says "all of them".
pub(crate) fn with_threads<T: Send>(
    threads: usize,
    work: impl FnOnce() -> Result<T, FemError> + Send,
) -> Result<T, FemError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build();
    pool.map_err(|error| FemError::Threads { threads, why: error.to_string() })?.install(work)
}
