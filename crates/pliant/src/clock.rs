//! Simulated time.

use crate::bytes::stored;

/// Simulated time. While the step size stays the same it is a product, not a sum, so that a million steps of a
/// millisecond are exactly a thousand seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    /// Number of steps taken.
    pub count: u64,
    /// Time of the last change of step size [s].
    since: f64,
    /// Number of steps since then.
    steps: u64,
    /// Current step size [s].
    dt: f64,
}

impl Clock {
    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.since + self.steps as f64 * self.dt
    }

    /// The clock after another step of `dt` [s].
    pub fn after(&self, dt: f64) -> Clock {
        let count = self.count + 1;
        if dt == self.dt {
            Clock { count, steps: self.steps + 1, ..*self }
        } else {
            Clock { count, since: self.time(), steps: 1, dt }
        }
    }
}

stored!(Clock { count, since, steps, dt });
