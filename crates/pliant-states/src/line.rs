//! Straight lines through wrenches over time, by least squares.

/// A wrench that changes at a constant rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    middle: f64,
    mean: [f64; 6],
    /// Rates, per second.
    pub rate: [f64; 6],
    /// Root mean square of what it leaves of the force [N] and the torque [N m].
    pub rest: [f64; 2],
    /// Time of the last sample [s].
    pub last: f64,
}

impl Line {
    /// The line through samples in order of time; zero through none, constant through one.
    pub fn through(samples: &[(f64, [f64; 6])]) -> Line {
        let count = samples.len().max(1) as f64;
        let middle = samples.iter().map(|(time, _)| time).sum::<f64>() / count;
        let mean: [f64; 6] = std::array::from_fn(|n| samples.iter().map(|(_, w)| w[n]).sum::<f64>() / count);
        let spread: f64 = samples.iter().map(|(time, _)| (time - middle).powi(2)).sum();
        let slope = |n: usize| samples.iter().map(|(time, w)| (time - middle) * w[n]).sum::<f64>() / spread;
        let rate = if spread > 0.0 { std::array::from_fn(slope) } else { [0.0; 6] };
        let mut line = Line { middle, mean, rate, rest: [0.0; 2], last: samples.last().map_or(middle, |s| s.0) };
        for (which, part) in [0..3, 3..6].into_iter().enumerate() {
            let off =
                |(time, w): &(f64, [f64; 6])| part.clone().map(|n| (w[n] - line.at(*time)[n]).powi(2)).sum::<f64>();
            line.rest[which] = (samples.iter().map(off).sum::<f64>() / count).sqrt();
        }
        line
    }

    /// The wrench at a time [s].
    pub fn at(&self, time: f64) -> [f64; 6] {
        std::array::from_fn(|n| self.mean[n] + self.rate[n] * (time - self.middle))
    }
}
