//! Histograms of times, written by one thread without waiting and read by others at any time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::Serialize;

/// Bins to an octave: a percentile is at most 1/64 too large.
const FINENESS: u32 = 64;
const OCTAVES: u32 = 36;

/// A histogram of times with bins in proportion to the time, from 1 ns to a minute.
#[derive(Debug)]
pub struct Histogram {
    bins: Box<[AtomicU64]>,
    count: AtomicU64,
    max: AtomicU64,
}

/// What is told of a histogram [us].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Percentiles {
    /// Median.
    pub p50: f64,
    /// 99 % are at most this.
    pub p99: f64,
    /// 99.9 % are at most this.
    pub p999: f64,
    /// The largest.
    pub max: f64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        let bins = (0..FINENESS * OCTAVES).map(|_| AtomicU64::new(0)).collect();
        Histogram { bins, count: AtomicU64::new(0), max: AtomicU64::new(0) }
    }
}

impl Histogram {
    /// Count a time.
    pub fn add(&self, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1);
        self.bins[bin(nanos)].fetch_add(1, Ordering::Relaxed);
        self.count.fetch_add(1, Ordering::Relaxed);
        self.max.fetch_max(nanos, Ordering::Relaxed);
    }

    /// Forget all.
    pub fn clear(&self) {
        self.bins.iter().for_each(|bin| bin.store(0, Ordering::Relaxed));
        self.count.store(0, Ordering::Relaxed);
        self.max.store(0, Ordering::Relaxed);
    }

    /// The usual percentiles; all zero without any times.
    pub fn percentiles(&self) -> Percentiles {
        let (count, max) = (self.count.load(Ordering::Relaxed), self.max.load(Ordering::Relaxed));
        let at = |part: f64| {
            let wanted = (part * count as f64).ceil().max(1.0) as u64;
            let mut below = 0;
            let found = self.bins.iter().position(|bin| {
                below += bin.load(Ordering::Relaxed);
                below >= wanted
            });
            found.map_or(max as f64, |bin| upper(bin).min(max as f64)) * 1e-3
        };
        if count == 0 {
            return Percentiles::default();
        }
        Percentiles { p50: at(0.5), p99: at(0.99), p999: at(0.999), max: max as f64 * 1e-3 }
    }
}

/// The bin of a time [ns]: times below `FINENESS` have one each.
fn bin(nanos: u64) -> usize {
    let fine = u64::from(FINENESS);
    if nanos < fine {
        return nanos as usize;
    }
    let octave = nanos.ilog2() - FINENESS.ilog2();
    let within = (nanos >> octave) - fine;
    (((u64::from(octave) + 1) * fine + within) as usize).min((FINENESS * OCTAVES - 1) as usize)
}

/// The longest time of a bin [ns].
fn upper(bin: usize) -> f64 {
    let (octave, within) = (bin as u32 / FINENESS, bin as u32 % FINENESS);
    if octave == 0 {
        f64::from(within)
    } else {
        (f64::from(FINENESS + within) + 1.0) * 2f64.powi(octave as i32 - 1) - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_is_within_its_bin() {
        for nanos in (1..100_000).chain([1 << 20, (1 << 20) + 1, 59_999_999_999]) {
            let (bin, nanos) = (bin(nanos), nanos as f64);
            assert!(upper(bin) >= nanos && upper(bin) <= nanos * (1.0 + 1.0 / 64.0), "{nanos} {bin} {}", upper(bin));
            assert!(bin == 0 || upper(bin - 1) < nanos, "{nanos} {bin}");
        }
    }

    #[test]
    fn percentiles_of_a_thousand_times() {
        let histogram = Histogram::default();
        assert_eq!(histogram.percentiles(), Percentiles::default());
        (1..=1000).for_each(|n| histogram.add(Duration::from_micros(n)));
        let Percentiles { p50, p99, p999, max } = histogram.percentiles();
        for (found, exact) in [(p50, 500.0), (p99, 990.0), (p999, 999.0)] {
            assert!((0.0..exact / 64.0).contains(&(found - exact)), "{found} {exact}");
        }
        assert_eq!(max, 1000.0);
        histogram.add(Duration::from_secs(3600));
        assert_eq!(histogram.percentiles().max, 3.6e9);
        histogram.clear();
        assert_eq!(histogram.percentiles(), Percentiles::default());
    }
}
