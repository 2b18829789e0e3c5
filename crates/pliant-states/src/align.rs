//! Alignment of two signals: one is cut into pieces, and each piece may be stretched or shrunk as a whole to fit the other.
//!
//! The first signal is given as pieces of a few values each, the second one on a grid of bins. All ways to lay the
//! borders of the pieces on the grid, in order, are weighed against each other by dynamic programming: the best one, and
//! for each border the probability of each place.

use pliant::math::{exp, log};

/// Number of channels: force and torque.
pub(crate) const CHANNELS: usize = 6;

/// Number of values of a piece.
pub(crate) const VALUES: usize = 6;

/// Standard deviation of the logarithm of how much a piece is stretched.
const STRETCH: f64 = 0.5;
/// No piece but the first and the last is stretched or shrunk by more than this.
const MOST_STRETCH: f64 = 4.0;

/// A piece of the first signal.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// Means over equal parts of it.
    pub values: [[f64; CHANNELS]; VALUES],
    /// Its length, in bins of the grid.
    pub length: f64,
}

/// The second signal on a grid.
pub(crate) struct Grid {
    /// Sums of all bins before each border of bins.
    sums: Vec<[f64; CHANNELS]>,
}

impl Grid {
    pub fn new(bins: &[[f64; CHANNELS]]) -> Grid {
        let mut sums = vec![[0.0; CHANNELS]];
        for bin in bins {
            let last = sums[sums.len() - 1];
            sums.push(std::array::from_fn(|c| last[c] + bin[c]));
        }
        Grid { sums }
    }

    /// Number of bins.
    pub fn bins(&self) -> usize {
        self.sums.len() - 1
    }

    fn sum_at(&self, x: f64) -> [f64; CHANNELS] {
        let n = (x as usize).min(self.bins() - 1);
        let part = x - n as f64;
        std::array::from_fn(|c| self.sums[n][c] + part * (self.sums[n + 1][c] - self.sums[n][c]))
    }

    /// Means over equal parts of a range of bins.
    pub fn means(&self, from: usize, to: usize) -> [[f64; CHANNELS]; VALUES] {
        let step = (to - from) as f64 / VALUES as f64;
        let mut left = self.sums[from];
        std::array::from_fn(|n| {
            let right = self.sum_at(from as f64 + step * (n + 1) as f64);
            let mean = std::array::from_fn(|c| (right[c] - left[c]) / step);
            left = right;
            mean
        })
    }
}

/// How pieces are compared with the grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// Weight of a squared difference that lasts for a bin.
    pub weights: [f64; CHANNELS],
    /// Added to the first signal.
    pub offset: [f64; CHANNELS],
    /// Multiplies the first signal.
    pub gain: f64,
    /// Length of pieces on the grid, over that of the pieces.
    pub pace: f64,
}

/// A problem of alignment.
pub(crate) struct Alignment<'a> {
    pub pieces: &'a [Piece],
    pub grid: &'a Grid,
    pub scale: Scale,
}

impl Alignment<'_> {
    /// Bins over which a piece may reach.
    fn lengths(&self, piece: usize) -> [usize; 2] {
        if piece == 0 || piece + 1 == self.pieces.len() {
            return [1, self.grid.bins()];
        }
        let expected = self.pieces[piece].length * self.scale.pace;
        let least = (expected / MOST_STRETCH).floor().max(1.0) as usize;
        [least, ((expected * MOST_STRETCH).ceil() as usize).max(least + 1).min(self.grid.bins())]
    }

    /// Borders at which a piece that begins at a border may end.
    fn ends(&self, piece: usize, from: usize) -> std::ops::RangeInclusive<usize> {
        let ([least, most], bins) = (self.lengths(piece), self.grid.bins());
        let is_last = piece + 1 == self.pieces.len();
        if is_last { (from + 1).max(bins)..=bins } else { from + least..=(from + most).min(bins) }
    }

    /// Negative logarithm of the likelihood that a piece is found on a range of bins.
    fn energy(&self, piece: usize, from: usize, to: usize) -> f64 {
        self.misfit(piece, from, to) + self.stretching(piece, to - from)
    }

    fn stretching(&self, piece: usize, bins: usize) -> f64 {
        let ratio = log(bins as f64 / (self.pieces[piece].length * self.scale.pace)) / STRETCH;
        // idle times at the beginning and the end cost nothing
        let is_outer = piece == 0 || piece + 1 == self.pieces.len();
        if is_outer && ratio > 0.0 { 0.0 } else { 0.5 * ratio * ratio }
    }

    /// The part of the energy that is due to values.
    pub fn misfit(&self, piece: usize, from: usize, to: usize) -> f64 {
        let Scale { weights, offset, gain, .. } = &self.scale;
        let mut sum = 0.0;
        for (mean, value) in self.grid.means(from, to).iter().zip(&self.pieces[piece].values) {
            for c in 0..CHANNELS {
                let off = mean[c] - offset[c] - gain * value[c];
                sum += weights[c] * off * off;
            }
        }
        0.5 * sum * (to - from) as f64 / VALUES as f64
    }

    /// Borders of all pieces for which the energy is least, as indices of borders of bins; and that energy.
    pub fn best(&self) -> Option<(Vec<usize>, f64)> {
        let bins = self.grid.bins();
        let mut cost = vec![f64::INFINITY; bins + 1];
        cost[0] = 0.0;
        let mut ways: Vec<Vec<u32>> = vec![];
        for piece in 0..self.pieces.len() {
            let mut next = vec![f64::INFINITY; bins + 1];
            let mut way = vec![0; bins + 1];
            for from in (0..=bins).filter(|from| cost[*from].is_finite()) {
                for to in self.ends(piece, from) {
                    let sum = cost[from] + self.energy(piece, from, to);
                    if sum < next[to] {
                        (next[to], way[to]) = (sum, from as u32);
                    }
                }
            }
            cost = next;
            ways.push(way);
        }
        if !cost[bins].is_finite() {
            return None;
        }
        let mut borders = vec![bins];
        for way in ways.iter().rev() {
            borders.push(way[borders[borders.len() - 1]] as usize);
        }
        borders.reverse();
        Some((borders, cost[bins]))
    }

    /// Probability of each place of each border, with all energies divided by a number.
    pub fn probabilities(&self, doubt: f64) -> Vec<Vec<f64>> {
        let (count, bins) = (self.pieces.len(), self.grid.bins());
        let mut forward = vec![vec![f64::NEG_INFINITY; bins + 1]; count + 1];
        forward[0][0] = 0.0;
        // kept, so that each is computed once
        let mut energies: Vec<Vec<f64>> = vec![];
        for piece in 0..count {
            let mut all = vec![];
            let (before, after) = forward.split_at_mut(piece + 1);
            let (before, after) = (&before[piece], &mut after[0]);
            for from in 0..=bins {
                for to in self.ends(piece, from) {
                    let energy =
                        if before[from].is_finite() { self.energy(piece, from, to) / doubt } else { f64::INFINITY };
                    all.push(energy);
                    after[to] = add(after[to], before[from] - energy);
                }
            }
            energies.push(all);
        }
        let mut backward = vec![f64::NEG_INFINITY; bins + 1];
        backward[bins] = 0.0;
        let mut found = vec![vec![]; count + 1];
        for piece in (0..count).rev() {
            found[piece + 1] = normalised(&forward[piece + 1], &backward);
            let mut before = vec![f64::NEG_INFINITY; bins + 1];
            let mut all = energies[piece].iter();
            for from in 0..=bins {
                for to in self.ends(piece, from) {
                    let energy = all.next().copied().unwrap_or(f64::INFINITY);
                    before[from] = add(before[from], backward[to] - energy);
                }
            }
            backward = before;
        }
        found[0] = normalised(&forward[0], &backward);
        found
    }
}

/// Logarithm of the sum of two numbers that are given by their logarithms.
fn add(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    // beyond this nothing is added
    if high - low > 40.0 || low == f64::NEG_INFINITY { high } else { high + log(1.0 + exp(low - high)) }
}

/// Products of numbers given by their logarithms, scaled so that their sum is one.
fn normalised(a: &[f64], b: &[f64]) -> Vec<f64> {
    let logs: Vec<f64> = a.iter().zip(b).map(|(a, b)| a + b).collect();
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let all: Vec<f64> = logs.iter().map(|x| if most.is_finite() { exp(x - most) } else { 0.0 }).collect();
    let sum: f64 = all.iter().sum();
    all.iter().map(|x| if sum > 0.0 { x / sum } else { 0.0 }).collect()
}
