//! Simulated time.

use crate::bytes::stored;

/// Simulated time. While the step stays the same it is a product, not a sum, so that a million steps of a millisecond are
/// a thousand seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    /// Steps taken in all.
    pub count: u64,
    /// Time at which the present step length began [s].
    since: f64,
    /// Steps of that length.
    steps: u64,
    /// That length [s].
    dt: f64,
}

impl Clock {
    /// Time [s].
    pub fn time(&self) -> f64 {
        self.since + self.steps as f64 * self.dt
    }

    /// One step on.
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
