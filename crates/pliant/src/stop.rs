//! A way to ask a step to end early, from another thread or a signal handler.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A handle by which a world is asked to stop, see [`World::set_stop`](crate::World::set_stop). Copies of it are the same handle.
///
/// Solvers look at it in their loops. A step that is asked to stop fails with [`StepError::Stopped`](crate::StepError::Stopped),
/// and like every step that fails leaves the world as it was before.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Ask to stop.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Let steps go on again.
    pub fn take_back(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Whether it was asked for.
    #[inline]
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
