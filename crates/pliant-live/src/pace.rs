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

/// Which of the threads that go before all others goes before the others of them.
#[derive(Clone, Copy, Debug)]
pub enum Precedence {
    /// The loop of the hands.
    Hands = 2,
    /// The world.
    World = 1,
}

/// Give this thread a real-time priority, where that is allowed. Returns whether it was.
pub fn take_precedence(precedence: Precedence) -> bool {
    #[cfg(unix)]
    {
        use thread_priority::{
            RealtimeThreadSchedulePolicy, ThreadPriority, ThreadPriorityValue, ThreadSchedulePolicy,
            set_thread_priority_and_policy, thread_native_id,
        };
        // the least of them go before every thread that has none
        let Ok(value) = ThreadPriorityValue::try_from(precedence as u8) else { return false };
        let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
        let priority = ThreadPriority::Crossplatform(value);
        set_thread_priority_and_policy(thread_native_id(), priority, policy).is_ok()
    }
    #[cfg(not(unix))]
    {
        let _ = precedence;
        false
    }
}

/// Whether a thread may be bound to a core: there is one of that number, and this process may use it.
pub fn has_core(core: usize) -> bool {
    #[cfg(target_os = "linux")]
    {
        core < rustix::thread::CpuSet::MAX_CPU
            && rustix::thread::sched_getaffinity(None).is_ok_and(|cores| cores.is_set(core))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = core;
        false
    }
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
