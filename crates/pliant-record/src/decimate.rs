//! Decimation: a run of any length is kept in bounded memory, with fewer instants the longer it gets.

/// Picks equally spaced instants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    interval: f64,
    last: f64,
}

impl Pace {
    /// At most `rate` instants per second [Hz].
    pub fn new(rate: f64) -> Pace {
        Pace { interval: 1.0 / rate, last: f64::NEG_INFINITY }
    }

    /// Whether an instant is far enough from the last one picked.
    pub fn is_due(&self, time: f64) -> bool {
        // sums of steps miss round numbers by rounding errors
        time - self.last >= self.interval * (1.0 - 1e-3)
    }

    /// Pick an instant.
    pub fn pick(&mut self, time: f64) {
        self.last = time;
    }
}

/// Rows of numbers, one per instant. When there are too many, every second row is dropped and the rate halves.
#[derive(Debug)]
pub(crate) struct ThinnedRows {
    width: usize,
    row_limit: usize,
    pace: Pace,
    times: Vec<f32>,
    values: Vec<f32>,
}

impl ThinnedRows {
    /// At most `rate` rows per second [Hz], `row_limit` rows and `byte_limit` bytes (but at least two rows).
    pub fn new(width: usize, rate: f64, row_limit: usize, byte_limit: usize) -> ThinnedRows {
        // an even limit, so that the row after a halving follows at the new spacing
        let row_limit = (row_limit.min(byte_limit / (4 * width.max(1))) & !1).max(2);
        ThinnedRows { width, row_limit, pace: Pace::new(rate), times: vec![], values: vec![] }
    }

    /// Whether a row at this time would be kept.
    pub fn is_due(&self, time: f64) -> bool {
        self.pace.is_due(time)
    }

    /// Keep a row, due or not.
    pub fn push(&mut self, time: f64, row: &[f32]) {
        debug_assert_eq!(row.len(), self.width);
        if self.times.len() >= self.row_limit {
            self.halve();
        }
        self.times.push(time as f32);
        self.values.extend_from_slice(row);
        self.pace.pick(time);
    }

    /// Drop every second row until no more bytes than this are left, or one row.
    pub fn shrink(&mut self, byte_limit: usize) {
        while self.times.len() > 1 && size_of::<f32>() * self.values.len() > byte_limit {
            self.halve();
        }
    }

    fn halve(&mut self) {
        let kept = self.times.len().div_ceil(2);
        for row in 1..kept {
            self.times[row] = self.times[2 * row];
            let from = 2 * row * self.width;
            self.values.copy_within(from..from + self.width, row * self.width);
        }
        self.times.truncate(kept);
        self.values.truncate(kept * self.width);
        // rows come at steps of the run, so their spacing is often wider than asked for: continue with the actual one
        let distance = self.times.get(1).map_or(0.0, |second| f64::from(second - self.times[0]));
        self.pace.interval = distance.max(2.0 * self.pace.interval);
    }

    /// Times of the rows [s].
    pub fn times(&self) -> &[f32] {
        &self.times
    }

    /// A range of columns of all rows, row by row.
    pub fn columns(&self, columns: std::ops::Range<usize>) -> impl Iterator<Item = f32> {
        // `chunks_exact(0)` panics, and an empty world has no columns
        let rows = self.values.chunks_exact(self.width.max(1));
        rows.flat_map(move |row| row[columns.clone()].iter().copied())
    }
}

/// Curves for plotting. When there are too many points, each pair of points comes to represent twice the time, and
/// holds the lowest and highest value in the order they occurred: no peak is lost.
#[derive(Debug)]
pub(crate) struct ThinnedCurves {
    width: usize,
    point_limit: usize,
    /// Number of instants that a pair of points represents, once decimation has begun.
    span: Option<usize>,
    times: Vec<f32>,
    /// Point by point, `width` values each.
    values: Vec<f32>,
    pending: Vec<Extremes>,
    pending_times: [f32; 2],
    pending_count: usize,
}

/// Lowest and highest value seen, and which came last.
#[derive(Clone, Copy, Debug)]
struct Extremes {
    low: f32,
    high: f32,
    low_came_last: bool,
}

impl Extremes {
    const NONE: Extremes = Extremes { low: f32::INFINITY, high: f32::NEG_INFINITY, low_came_last: false };

    fn add(&mut self, value: f32) {
        if value < self.low {
            (self.low, self.low_came_last) = (value, true);
        }
        if value > self.high {
            (self.high, self.low_came_last) = (value, false);
        }
    }

    /// Both in the order they occurred; NaN if there were no values.
    fn pair(&self) -> [f32; 2] {
        match (self.low > self.high, self.low_came_last && self.low < self.high) {
            (true, _) => [f32::NAN; 2],
            (_, true) => [self.high, self.low],
            (_, false) => [self.low, self.high],
        }
    }
}

impl ThinnedCurves {
    /// At most `point_limit` points for each of `width` curves.
    pub fn new(width: usize, point_limit: usize) -> ThinnedCurves {
        ThinnedCurves {
            width,
            // four points become two, so the limit must be a multiple of four
            point_limit: (point_limit / 4 * 4).max(8),
            span: None,
            times: vec![],
            values: vec![],
            pending: vec![Extremes::NONE; width],
            pending_times: [0.0; 2],
            pending_count: 0,
        }
    }

    /// Add the values of all curves at an instant.
    pub fn push(&mut self, time: f64, row: &[f32]) {
        debug_assert_eq!(row.len(), self.width);
        let Some(span) = self.span else {
            self.times.push(time as f32);
            self.values.extend_from_slice(row);
            self.halve_when_full();
            return;
        };
        if self.pending_count == 0 {
            self.pending_times[0] = time as f32;
        }
        self.pending_times[1] = time as f32;
        self.pending.iter_mut().zip(row).for_each(|(extremes, &value)| extremes.add(value));
        self.pending_count += 1;
        if self.pending_count >= span {
            self.settle();
        }
    }

    /// Turn the pending instants into a pair of points.
    fn settle(&mut self) {
        if self.pending_count == 0 {
            return;
        }
        self.times.extend(self.pending_times);
        self.values.extend(self.pending.iter().map(|e| e.pair()[0]));
        self.values.extend(self.pending.iter().map(|e| e.pair()[1]));
        self.pending.fill(Extremes::NONE);
        self.pending_count = 0;
        self.halve_when_full();
    }

    fn halve_when_full(&mut self) {
        if self.times.len() < self.point_limit {
            return;
        }
        for quad in 0..self.times.len() / 4 {
            let (from, to) = (4 * quad, 2 * quad);
            for column in 0..self.width {
                let mut extremes = Extremes::NONE;
                (0..4).for_each(|k| extremes.add(self.values[(from + k) * self.width + column]));
                let [first, second] = extremes.pair();
                self.values[to * self.width + column] = first;
                self.values[(to + 1) * self.width + column] = second;
            }
            (self.times[to], self.times[to + 1]) = (self.times[from], self.times[from + 3]);
        }
        let kept = self.times.len() / 2;
        self.times.truncate(kept);
        self.values.truncate(kept * self.width);
        self.span = Some(self.span.map_or(4, |span| 2 * span));
    }

    /// Include the pending instants; nothing may be pushed after this.
    pub fn finish(&mut self) {
        self.settle();
    }

    /// Times of the points [s].
    pub fn times(&self) -> &[f32] {
        &self.times
    }

    /// One curve.
    pub fn curve(&self, column: usize) -> impl Iterator<Item = f32> {
        self.values.chunks_exact(self.width.max(1)).map(move |row| row[column])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_survives_rounding_of_summed_steps() {
        let mut pace = Pace::new(100.0);
        let (mut time, mut picked) = (0.0, 0);
        for _ in 0..=100_000 {
            if pace.is_due(time) {
                pace.pick(time);
                picked += 1;
            }
            time += 0.001;
        }
        assert_eq!(picked, 10_001);
    }

    #[test]
    fn rows_stay_within_their_limits_and_evenly_spaced() {
        let mut rows = ThinnedRows::new(3, 60.0, 100, usize::MAX);
        for i in 0..20_000 {
            let time = i as f64 * 0.02;
            if rows.is_due(time) {
                rows.push(time, &[i as f32, 0.0, -(i as f32)]);
            }
            assert!(rows.times().len() <= 100);
        }
        let gaps: Vec<f32> = rows.times().windows(2).map(|w| w[1] - w[0]).collect();
        assert!(rows.times().len() > 50 && gaps.iter().all(|gap| (gap - gaps[0]).abs() < 1e-3), "{gaps:?}");
        let first: Vec<f32> = rows.columns(0..1).collect();
        for (value, time) in first.iter().zip(rows.times()) {
            assert!((value * 0.02 - time).abs() < 1e-3, "a row keeps its own time");
        }
    }

    #[test]
    fn shrunk_rows_are_evenly_spaced() {
        let mut rows = ThinnedRows::new(10, 60.0, 1000, usize::MAX);
        (0..900).for_each(|i| rows.push(f64::from(i), &[i as f32; 10]));
        rows.shrink(5_000);
        // 900 rows of 40 bytes: halved three times to 113
        assert_eq!(rows.times().len(), 113);
        assert!(rows.times().iter().enumerate().all(|(n, time)| *time == 8.0 * n as f32));
        assert!(rows.columns(9..10).eq(rows.times().iter().copied()));
        rows.shrink(0);
        assert_eq!(rows.times(), [0.0]);
    }

    #[test]
    fn rows_obey_the_byte_limit() {
        let mut rows = ThinnedRows::new(1000, 60.0, 3000, 100_000);
        (0..500).for_each(|i| rows.push(f64::from(i), &[0.0; 1000]));
        assert!(rows.times().len() <= 25);
        assert_eq!(rows.columns(0..1000).count(), rows.times().len() * 1000);
    }

    /// A single instant's spike in a long run must survive all halvings, whatever its sign and place.
    #[test]
    fn curves_keep_every_peak() {
        for spike_at in [0, 1, 777, 31_415, 99_998, 99_999] {
            let mut curves = ThinnedCurves::new(2, 400);
            for i in 0..100_000 {
                let wave = (i as f32 * 1e-3).sin();
                let spike = if i == spike_at { -50.0 } else { wave };
                curves.push(f64::from(i), &[spike, wave]);
                assert!(curves.times().len() <= 400);
            }
            curves.finish();
            assert!(curves.times().len() <= 402 && curves.times().len() >= 200);
            assert!(curves.times().windows(2).all(|w| w[0] <= w[1]));
            assert!(curves.curve(0).any(|v| v == -50.0), "spike at {spike_at}");
            let (low, high) = curves.curve(1).fold((0.0_f32, 0.0_f32), |(l, h), v| (l.min(v), h.max(v)));
            assert!(low < -0.999 && high > 0.999);
        }
    }

    #[test]
    fn short_curves_are_kept_as_they_are() {
        let mut curves = ThinnedCurves::new(1, 4000);
        (0..3000).for_each(|i| curves.push(f64::from(i), &[i as f32]));
        curves.finish();
        assert!(curves.curve(0).eq((0..3000).map(|i| i as f32)));
    }
}
