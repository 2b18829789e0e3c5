//! A place where one thread leaves the latest value for another. The writer never waits; a reader that meets a value
//! half written keeps the one it had.

use std::sync::atomic::{AtomicU64, Ordering, fence};

/// The latest value, as `N` words. One thread writes, any number read.
///
/// A sequence lock made of atomics, after Boehm, "Can seqlocks get along with programming language memory models?":
/// the version is odd while words are being written.
#[derive(Debug)]
pub struct Slot<const N: usize> {
    version: AtomicU64,
    words: [AtomicU64; N],
}

impl<const N: usize> Default for Slot<N> {
    fn default() -> Slot<N> {
        Slot { version: AtomicU64::new(0), words: std::array::from_fn(|_| AtomicU64::new(0)) }
    }
}

impl<const N: usize> Slot<N> {
    /// Leave a value.
    pub fn write(&self, value: [u64; N]) {
        let version = self.version.load(Ordering::Relaxed);
        self.version.store(version.wrapping_add(1), Ordering::Relaxed);
        fence(Ordering::Release);
        for (word, value) in self.words.iter().zip(value) {
            word.store(value, Ordering::Relaxed);
        }
        self.version.store(version.wrapping_add(2), Ordering::Release);
    }

    /// The latest value; `None` if it is being written just now, or none was written yet.
    pub fn read(&self) -> Option<[u64; N]> {
        let before = self.version.load(Ordering::Acquire);
        let value = std::array::from_fn(|n| self.words[n].load(Ordering::Relaxed));
        fence(Ordering::Acquire);
        let whole = before != 0 && before.is_multiple_of(2) && self.version.load(Ordering::Relaxed) == before;
        whole.then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_read_before_something_is_written() {
        let slot = Slot::<2>::default();
        assert_eq!(slot.read(), None);
        slot.write([3, 4]);
        assert_eq!(slot.read(), Some([3, 4]));
    }

    #[test]
    fn values_are_read_whole_and_in_order() {
        let slot = Slot::<8>::default();
        std::thread::scope(|threads| {
            let reader = threads.spawn(|| {
                let (mut last, mut seen) = (0, 0);
                while last < 200_000 {
                    let Some(value) = slot.read() else { continue };
                    assert!(value.iter().all(|word| *word == value[0]), "{value:?}");
                    assert!(value[0] >= last);
                    (last, seen) = (value[0], seen + 1);
                }
                seen
            });
            (1..=200_000).for_each(|n| slot.write([n; 8]));
            assert!(reader.join().is_ok_and(|seen| seen > 0));
        });
    }
}
