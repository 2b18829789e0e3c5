//! Waking up at a fixed rate.

use std::time::{Duration, Instant};

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
            std::thread::sleep(left);
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

/// Time for which the processor has worked for this thread; zero where the system does not tell.
pub fn processor_time() -> Duration {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.clamp(0, 999_999_999) as u32)
    }
    #[cfg(not(unix))]
    Duration::ZERO
}

/// Give this thread a real-time priority, where that is allowed. Returns whether it was.
pub fn take_precedence() -> bool {
    #[cfg(unix)]
    {
        use thread_priority::{
            RealtimeThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy, set_thread_priority_and_policy,
            thread_native_id,
        };
        // the least of them goes before every thread that has none
        let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
        set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, policy).is_ok()
    }
    #[cfg(not(unix))]
    false
}

/// Bind this thread to a core, where that is allowed. Returns whether it was.
pub fn bind(core: usize) -> bool {
    #[cfg(target_os = "linux")]
    {
        let mut set = rustix::thread::CpuSet::new();
        core < rustix::thread::CpuSet::MAX_CPU && {
            set.set(core);
            rustix::thread::sched_setaffinity(None, &set).is_ok()
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = core;
        false
    }
}
