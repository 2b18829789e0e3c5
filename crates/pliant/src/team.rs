//! Threads that share the work of a step.
//!
//! The work takes tens of microseconds, less than waking a thread: workers spin for a while before they sleep, and so
//! does the caller that waits for them. Each item is processed by one thread and is independent of the others, so that
//! results do not depend on the number of threads.

use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{JoinHandle, Thread};

/// Worker threads; none for a team of one.
#[derive(Debug, Default)]
pub struct Team {
    shared: Option<Arc<Shared>>,
    workers: Vec<JoinHandle<()>>,
    /// Requested number of threads.
    size: usize,
}

/// How often a waiting thread checks before it yields, and yields before it sleeps.
const SPINS: u32 = 2_000;
const YIELDS: u32 = 200;

/// The largest team: no machine has more cores that work of microseconds could be shared among.
const MOST: usize = 256;

/// The work: called with the number of the thread.
type Job = *const (dyn Fn(usize) + Sync);

struct Shared {
    /// Number of jobs started.
    round: AtomicUsize,
    /// Number of workers that have not finished the current job.
    busy: AtomicUsize,
    stop: AtomicBool,
    failed: AtomicBool,
    job: UnsafeCell<Option<Job>>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shared")
    }
}

impl Clone for Team {
    /// A team of the same size with its own threads, which start when first needed.
    fn clone(&self) -> Team {
        Team { shared: None, workers: vec![], size: self.size }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        if let Some(shared) = &self.shared {
            shared.stop.store(true, Ordering::Release);
        }
        for worker in self.workers.drain(..) {
            worker.thread().unpark();
            // a panic in a worker has been reported already
            let _ = worker.join();
        }
    }
}

impl Team {
    /// A team of `size` threads, including the caller's; of one at least, and 256 at most.
    pub fn new(size: usize) -> Team {
        Team { shared: None, workers: vec![], size: size.clamp(1, MOST) }
    }

    /// Number of threads, including the caller's.
    pub fn size(&self) -> usize {
        self.size.max(1)
    }

    fn start(&mut self) {
        if self.shared.is_some() || self.size() == 1 {
            return;
        }
        let shared = Arc::new(Shared {
            round: AtomicUsize::new(0),
            busy: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            failed: AtomicBool::new(false),
            job: UnsafeCell::new(None),
        });
        for number in 1..self.size() {
            let shared = shared.clone();
            let name = format!("pliant-{number}");
            // if the system refuses another thread, the existing ones do the work
            if let Ok(worker) = std::thread::Builder::new().name(name).spawn(move || work(&shared, number)) {
                self.workers.push(worker);
            }
        }
        self.shared = Some(shared);
    }
}

/// `unsafe` because workers are given a pointer to a closure on the caller's stack, and to items of a slice: `each`
/// waits for all of them before it returns, and gives each item to one thread.
#[allow(unsafe_code)]
mod sharing {
    use super::*;

    // SAFETY: `job` is written by the caller of `each` while no worker reads it (`busy` is 0) and read by workers after
    // `round` has been incremented with Release; everything else is atomic
    unsafe impl Sync for Shared {}
    unsafe impl Send for Shared {}

    struct Items<T>(*mut T);
    // SAFETY: threads access disjoint items of a slice of `T: Send`
    unsafe impl<T: Send> Sync for Items<T> {}

    impl Team {
        /// Call `f` with each item; items are assigned to threads by their index. Panics if a worker panicked.
        pub fn each<T: Send>(&mut self, items: &mut [T], f: impl Fn(&mut T) + Sync) {
            self.start();
            let threads = self.workers.len() + 1;
            let Some(shared) = self.shared.as_ref().filter(|_| threads > 1 && items.len() > 1) else {
                items.iter_mut().for_each(f);
                return;
            };
            let (first, count) = (Items(items.as_mut_ptr()), items.len());
            let job = |thread: usize| {
                let first = &first;
                for i in (thread..count).step_by(threads) {
                    // SAFETY: i is below the length, and of this thread's residue modulo the number of threads
                    f(unsafe { &mut *first.0.add(i) });
                }
            };
            let pointer: *const (dyn Fn(usize) + Sync + '_) = &job;
            // SAFETY: only the lifetime changes, and no worker uses the pointer after `busy` is 0 again, below
            let pointer: Job = unsafe { std::mem::transmute(pointer) };
            // SAFETY: no worker reads it now
            unsafe { *shared.job.get() = Some(pointer) };
            shared.busy.store(self.workers.len(), Ordering::Relaxed);
            shared.round.fetch_add(1, Ordering::Release);
            self.workers.iter().map(JoinHandle::thread).for_each(Thread::unpark);
            let own = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job(0)));
            wait(|| shared.busy.load(Ordering::Acquire) == 0, || {});
            if let Err(panic) = own {
                std::panic::resume_unwind(panic);
            }
            assert!(!shared.failed.swap(false, Ordering::Relaxed), "a thread of the team panicked");
        }
    }

    pub(super) fn work(shared: &Shared, number: usize) {
        let mut seen = 0;
        loop {
            let ready = || shared.round.load(Ordering::Acquire) != seen || shared.stop.load(Ordering::Acquire);
            wait(ready, std::thread::park);
            if shared.stop.load(Ordering::Acquire) {
                return;
            }
            seen = shared.round.load(Ordering::Acquire);
            // SAFETY: written before `round` was incremented, and not again before `busy` falls to 0
            if let Some(job) = unsafe { *shared.job.get() } {
                // SAFETY: the caller of `each` waits until `busy` is 0, so the closure is still alive
                let job = unsafe { &*job };
                if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job(number))).is_err() {
                    shared.failed.store(true, Ordering::Relaxed);
                }
            }
            shared.busy.fetch_sub(1, Ordering::Release);
        }
    }
}

use sharing::work;

/// Spin until `ready`; then yield; then `sleep` repeatedly.
fn wait(ready: impl Fn() -> bool, sleep: impl Fn()) {
    let mut tries = 0;
    while !ready() {
        tries += 1;
        if tries < SPINS {
            std::hint::spin_loop();
        } else if tries < SPINS + YIELDS {
            std::thread::yield_now();
        } else {
            sleep();
            tries = SPINS;
        }
    }
}

/// Call `f` with each item, on a team if there is one.
pub fn share_out<T: Send>(team: Option<&mut Team>, items: &mut [T], f: impl Fn(&mut T) + Sync) {
    match team {
        Some(team) => team.each(items, f),
        None => items.iter_mut().for_each(f),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_is_done_once_by_any_number_of_threads() {
        for size in [1, 2, 3, 8] {
            let mut team = Team::new(size);
            for count in [0, 1, 2, 7, 100] {
                let mut items: Vec<usize> = (0..count).collect();
                for _ in 0..20 {
                    team.each(&mut items, |i| *i += 1000);
                }
                let want: Vec<usize> = (0..count).map(|i| i + 20_000).collect();
                assert_eq!(items, want, "{size} threads");
            }
        }
    }

    #[test]
    fn a_panic_is_passed_on_and_the_team_goes_on() {
        let mut team = Team::new(2);
        for bad in [0, 1] {
            let mut items = [0, 1, 2, 3];
            let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                team.each(&mut items, |i| assert!(*i != bad, "no"));
            }));
            assert!(failed.is_err());
            let mut items = [1, 2, 3];
            team.each(&mut items, |i| *i *= 2);
            assert_eq!(items, [2, 4, 6]);
        }
    }
}
