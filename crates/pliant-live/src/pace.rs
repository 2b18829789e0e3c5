//! Waking up at a fixed rate.

use std::time::{Duration, Instant};

use rustix::thread::{ClockId, clock_nanosleep_relative};
use rustix::time::{Timespec, clock_gettime};

/// A beat of a fixed period.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    period: Duration,
    next: Instant,
}

/// When a beat came.
#[derive(Clone, Copy, Debug)]
pub struct Beat {
    /// When it was due.
    pub due: Instant,
    /// When it came.
    pub woke: Instant,
}

impl Pace {
    /// A beat that begins now.
    pub fn new(period: Duration) -> Pace {
        Pace { period, next: Instant::now() + period }
    }

    /// Sleep until the next beat. Beats that were missed are left out: nothing is made up for.
    pub fn wait(&mut self) -> Beat {
        let now = Instant::now();
        let left = self.next.saturating_duration_since(now);
        if !left.is_zero() {
            let time = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
            // woken early by a signal, the beat is a little early
            let _ = clock_nanosleep_relative(ClockId::Monotonic, &time);
        }
        let (due, woke) = (self.next, Instant::now());
        self.next += self.period;
        if self.next <= woke {
            let missed = (woke - self.next).as_nanos() / self.period.as_nanos() + 1;
            self.next += self.period * u32::try_from(missed).unwrap_or(u32::MAX);
        }
        Beat { due, woke }
    }
}

/// Time for which the processor has worked for this thread.
pub fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.clamp(0, 999_999_999) as u32)
}
