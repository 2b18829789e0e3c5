//! A way to ask a step to end early, from another thread or a signal handler.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A handle to stop a world, see [`World::set_stop`](crate::World::set_stop). Clones refer to the same flag.
///
/// Solvers check it in their loops. A step that is stopped fails with
/// [`StepError::Stopped`](crate::StepError::Stopped), and like every failed step leaves the world as it was before.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Request a stop. It remains in effect until [`Stop::take_back`].
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Withdraw the request, so that steps run again.
    pub fn take_back(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Whether a stop is requested.
    #[inline]
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
