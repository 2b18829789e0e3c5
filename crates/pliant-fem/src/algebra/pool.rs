//! Thread pools.

use crate::error::FemError;

/// Run `work` in a pool of `threads` threads, which also bounds kernels that ask for all threads.
pub(crate) fn with_threads<T: Send>(
    threads: usize,
    work: impl FnOnce() -> Result<T, FemError> + Send,
) -> Result<T, FemError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build();
    pool.map_err(|error| FemError::Threads { threads, why: error.to_string() })?.install(work)
}
