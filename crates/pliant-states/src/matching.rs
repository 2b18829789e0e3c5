//! The transitions of a demonstration, found in a force log.
//!
//! The demonstration's wrench is cut at its transitions, and long states into a few pieces more. Each piece may be
//! stretched in time; the whole may be scaled and has an unknown offset. What the log may differ from that is noise, as it
//! is seen in the log itself, and an error of the model: a part of the demonstrated wrench, which lasts for about as
//! long as two pieces. Under this model every way to lay the pieces on the log has a probability, and so has every
//! place of every transition.
//!
//! Whether the log is of this task at all is judged against another explanation, by which it has nothing to do with the
//! demonstration: at any time it either rests where it began, or varies as much as the log does, as slowly as the
//! model's error.

use pliant::math::{exp, log};
use serde::Serialize;

use crate::align::{Alignment, CHANNELS, Grid, Piece, Scale, VALUES};
use crate::log::{ForceLog, LogError};
use crate::sequence::{Sequence, VERSION};
use crate::states::wrench;

/// Largest number of bins into which a log is divided.
const MOST_BINS: usize = 250;
/// States longer than the whole over this are cut into pieces.
const PIECES: f64 = 16.0;
/// Number of pieces over which the error of the model lasts.
const LASTING: f64 = 2.0;
/// Rounds in which offset, gain and pace are fitted.
const ROUNDS: usize = 3;
/// Energies count this much less for probabilities than for the best alignment, since offset, gain and pace are taken
/// for known there: with it, confidence is about how often transitions are found (`tests/matching.rs`).
const DOUBT: f64 = 4.0;
/// Bounds of the pace, relative to one that takes the whole log: all but this may be idle time.
const LEAST_PACE: f64 = 0.4;
const MOST_PACE: f64 = 1.2;
/// Number of pieces on either side of a transition by which it is judged.
const AROUND: usize = 3;
/// Part of a log at its beginning from which the first guess of its offset is taken.
const TARE: f64 = 0.03;
/// Standard deviation of the gain.
const GAIN: f64 = 0.5;
/// What each piece has to gain over the other explanation, for being fitted, where there is no noise.
const FITTED: f64 = 1.0;

/// Settings of a search for transitions.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchSettings {
    /// The gripper that has the sensor; may be left out if there is only one.
    pub gripper: Option<String>,
    /// Confidence is the probability that a transition was found to within this [s]; by default 2 % of the log's
    /// duration.
    pub tolerance: Option<f64>,
    /// How much the log may differ from the demonstration, as a part of its wrench.
    pub difference: f64,
}

impl Default for MatchSettings {
    fn default() -> MatchSettings {
        MatchSettings { gripper: None, tolerance: None, difference: 0.2 }
    }
}

/// Why there can be no search.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// The demonstration has one state only.
    #[error("the demonstration has no transitions")]
    NoTransitions,
    /// The states were written by another version.
    #[error("the states have version {0}, this program reads version {VERSION}: make them anew with `pliant states`")]
    Version(u32),
    /// Which gripper has the sensor is unknown.
    #[error("{why}; the demonstration has {known}")]
    Gripper {
        /// What is wrong.
        why: String,
        /// Names of all grippers.
        known: String,
    },
    /// The gripper feels nothing.
    #[error("the wrench on {0} never changes in the demonstration: there is nothing to be found in a log")]
    Silent(String),
    /// The states are damaged.
    #[error("the states cannot be used: {0}")]
    Damaged(&'static str),
    /// A setting that is out of range.
    #[error("the setting {name} is {value}, expected {expected}")]
    Setting {
        /// Which one.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed.
        expected: &'static str,
    },
    /// The log cannot be used.
    #[error(transparent)]
    Log(#[from] LogError),
}

/// What was found in a log.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Match {
    /// Probability that the log is of this task, even chances given beforehand.
    pub same_task: f64,
    /// Part of the log's variation that the demonstration explains; below zero if it explains nothing.
    pub explained: f64,
    /// Confidence refers to this [s].
    pub tolerance: f64,
    /// What the log shows on the demonstration's zero: force [N] and torque [N m].
    pub offset: [f64; CHANNELS],
    /// By how much the log's wrench is larger than the demonstrated one.
    pub gain: f64,
    /// Noise of a sample of the log: force [N] and torque [N m].
    pub noise: [f64; CHANNELS],
    /// Each transition of the demonstration, in order.
    pub transitions: Vec<Found>,
}

/// A transition that was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Found {
    /// When it is in the log [s].
    pub time: f64,
    /// When it is in the demonstration [s].
    pub demonstrated: f64,
    /// It is between these times with a probability of 90 %, if the log is of this task [s].
    pub between: [f64; 2],
    /// Probability that it was found to within the tolerance.
    pub confidence: f64,
}

/// A demonstration, ready to be found in logs.
#[derive(Debug)]
pub struct Matcher {
    settings: MatchSettings,
    /// Wrench over time.
    course: Vec<(f64, [f64; CHANNELS])>,
    /// Borders of pieces [s].
    borders: Vec<f64>,
    /// Which of these are transitions.
    transitions: Vec<usize>,
    /// Root mean square of force [N] and torque [N m] about their means, for each axis.
    size: [f64; 2],
}

impl Matcher {
    /// Prepare a demonstration.
    pub fn new(sequence: &Sequence, settings: MatchSettings) -> Result<Matcher, MatchError> {
        if sequence.version != VERSION {
            return Err(MatchError::Version(sequence.version));
        }
        let rules = [
            ("difference", settings.difference, settings.difference > 0.0 && settings.difference <= 1.0, "0 to 1"),
            (
                "tolerance",
                settings.tolerance.unwrap_or(1.0),
                settings.tolerance.unwrap_or(1.0) > 0.0,
                "a positive time",
            ),
        ];
        if let Some((name, value, _, expected)) = rules.into_iter().find(|(_, _, good, _)| !good) {
            return Err(MatchError::Setting { name, value, expected });
        }
        if sequence.transitions.is_empty() {
            return Err(MatchError::NoTransitions);
        }
        let gripper = find_gripper(sequence, settings.gripper.as_deref())?;
        let mut course: Vec<(f64, [f64; CHANNELS])> = vec![];
        for waypoint in sequence.states.iter().flat_map(|state| &state.path) {
            let held = waypoint.grippers.get(gripper).ok_or(MatchError::Damaged("a waypoint lacks a gripper"))?;
            if course.last().is_none_or(|(last, _)| *last < waypoint.time) {
                course.push((waypoint.time, wrench(held)));
            }
        }
        if course.len() < 2 || course.iter().any(|(time, w)| !time.is_finite() || w.iter().any(|x| !x.is_finite())) {
            return Err(MatchError::Damaged("the path is too short or holds numbers that are not finite"));
        }
        let ends = [course[0].0, course[course.len() - 1].0];
        let times = sequence.transitions.iter().map(|transition| transition.time);
        let knots: Vec<f64> = [ends[0]].into_iter().chain(times).chain([ends[1]]).collect();
        if knots.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(MatchError::Damaged("its transitions are not in order"));
        }
        let (mut borders, mut transitions) = (vec![ends[0]], vec![]);
        for pair in knots.windows(2) {
            let count = ((pair[1] - pair[0]) / (ends[1] - ends[0]) * PIECES).ceil().max(1.0);
            borders.extend((1..=count as usize).map(|n| pair[0] + (pair[1] - pair[0]) * n as f64 / count));
            transitions.push(borders.len() - 1);
        }
        transitions.pop();
        let mut matcher = Matcher { settings, course, borders, transitions, size: [0.0; 2] };
        let values: Vec<[f64; CHANNELS]> = matcher.pieces(1.0).iter().flat_map(|piece| piece.values).collect();
        matcher.size = spread(&values);
        if matcher.size == [0.0; 2] {
            return Err(MatchError::Silent(sequence.grippers[gripper].clone()));
        }
        Ok(matcher)
    }

    /// The pieces, with lengths in bins of this width [s].
    fn pieces(&self, bin: f64) -> Vec<Piece> {
        let piece = |pair: &[f64]| Piece {
            values: std::array::from_fn(|n| self.mean(pair, n)),
            length: (pair[1] - pair[0]) / bin,
        };
        self.borders.windows(2).map(piece).collect()
    }

    /// Mean of the wrench over one of the equal parts of a piece.
    fn mean(&self, pair: &[f64], part: usize) -> [f64; CHANNELS] {
        const POINTS: usize = 4;
        let mut mean = [0.0; CHANNELS];
        for n in 0..POINTS {
            let at = (part as f64 + (n as f64 + 0.5) / POINTS as f64) / VALUES as f64;
            let value = interpolated(&self.course, pair[0] + (pair[1] - pair[0]) * at);
            (0..CHANNELS).for_each(|c| mean[c] += value[c] / POINTS as f64);
        }
        mean
    }

    /// Find the transitions in a log.
    pub fn find(&self, log: &ForceLog) -> Result<Match, MatchError> {
        log.check()?;
        let [begin, end] = log.span();
        let count = log.samples.len().min(MOST_BINS);
        let bin = (end - begin) / count as f64;
        let (bins, per_bin) = binned(log, begin, bin, count);
        let grid = Grid::new(&bins);
        let pieces = self.pieces(bin);
        let noise = noise(log);
        let judge = Judge::new(self, log, &bins, &noise, per_bin, pieces.len());
        let mut alignment = Alignment { pieces: &pieces, grid: &grid, scale: judge.first_scale(&pieces) };
        let mut borders = vec![];
        for _ in 0..ROUNDS {
            borders = alignment.best().ok_or(MatchError::Damaged("it has more pieces than the log has samples"))?.0;
            alignment.scale = judge.fitted(&alignment, &borders);
        }
        let probabilities = alignment.probabilities(DOUBT);
        let odds: Vec<f64> = (0..pieces.len()).map(|n| judge.odds(&alignment, n, borders[n], borders[n + 1])).collect();
        let tolerance = self.settings.tolerance.unwrap_or(0.02 * (end - begin));
        let found = self.transitions.iter().map(|knot| {
            let all = &probabilities[*knot];
            let at = quantile(all, 0.5);
            let reach = tolerance / bin + 0.5;
            let is_near = |n: usize| (n as f64 - at as f64).abs() <= reach;
            let mass: f64 = (0..all.len()).filter(|n| is_near(*n)).map(|n| all[n]).sum();
            // it follows the demonstration up to here, and here
            let (near, end) = (knot.saturating_sub(AROUND), (knot + AROUND).min(odds.len()));
            let follows = odds[..end].iter().sum::<f64>().min(odds[near..end].iter().sum());
            let time = |n: usize| begin + bin * n as f64;
            Found {
                time: time(at),
                demonstrated: self.borders[*knot],
                between: [quantile(all, 0.05), quantile(all, 0.95)].map(time),
                confidence: mass.min(1.0) * logistic(follows),
            }
        });
        Ok(Match {
            transitions: found.collect(),
            same_task: logistic(odds.iter().sum()),
            explained: judge.explained(&alignment, &borders),
            tolerance,
            offset: std::array::from_fn(|c| if judge.used[c / 3] { alignment.scale.offset[c] } else { 0.0 }),
            gain: alignment.scale.gain,
            noise,
        })
    }
}

/// What is known of the errors of a log.
struct Judge {
    /// Variance of the noise of a bin.
    noise: [f64; CHANNELS],
    /// Variance of the error of the model, for force and torque.
    model: [f64; 2],
    /// Variance of the log itself, for force and torque.
    signal: [f64; 2],
    /// Number of bins for which errors last.
    lasting: f64,
    /// Whether force and torque are measured and change.
    used: [bool; 2],
    pace: f64,
    mean: [f64; CHANNELS],
    /// What the log shows at its beginning.
    rest: [f64; CHANNELS],
}

impl Judge {
    fn new(
        matcher: &Matcher,
        log: &ForceLog,
        bins: &[[f64; CHANNELS]],
        noise: &[f64; CHANNELS],
        per_bin: f64,
        pieces: usize,
    ) -> Judge {
        let [begin, end] = log.span();
        let course = [matcher.course[0].0, matcher.course[matcher.course.len() - 1].0];
        let size = matcher.size;
        // floors, for logs without noise and signals without change
        let of_bin = |c: usize| noise[c] * noise[c] / per_bin + (1e-3 * size[c / 3]).powi(2);
        let measured = spread(bins);
        let noise: [f64; CHANNELS] = std::array::from_fn(of_bin);
        let variance = |k: usize| {
            let of_noise = (noise[3 * k] + noise[3 * k + 1] + noise[3 * k + 2]) / 3.0;
            (measured[k] * measured[k] - of_noise).max((matcher.settings.difference * size[k]).powi(2))
        };
        let mean = |bins: &[[f64; CHANNELS]], c: usize| bins.iter().map(|bin| bin[c]).sum::<f64>() / bins.len() as f64;
        let first = &bins[..((TARE * bins.len() as f64) as usize).max(1)];
        Judge {
            noise,
            model: size.map(|s| (matcher.settings.difference * s).powi(2)),
            signal: [variance(0), variance(1)],
            lasting: LASTING * bins.len() as f64 / pieces as f64,
            used: [size[0] > 0.0, log.has_torque && size[1] > 0.0],
            pace: (end - begin) / (course[1] - course[0]),
            mean: std::array::from_fn(|c| mean(bins, c)),
            rest: std::array::from_fn(|c| mean(first, c)),
        }
    }

    fn weights(&self, variance: [f64; 2]) -> [f64; CHANNELS] {
        let weight = |c: usize| 1.0 / (self.noise[c] + self.lasting * variance[c / 3]);
        std::array::from_fn(|c| if self.used[c / 3] { weight(c) } else { 0.0 })
    }

    /// A first guess: at its beginning, the log shows what the demonstration shows at its own.
    fn first_scale(&self, pieces: &[Piece]) -> Scale {
        let offset = std::array::from_fn(|c| self.rest[c] - pieces[0].values[0][c]);
        Scale { weights: self.weights(self.model), offset, gain: 1.0, pace: self.pace }
    }

    /// Offset, gain and pace that fit an alignment best, by least squares.
    fn fitted(&self, alignment: &Alignment<'_>, borders: &[usize]) -> Scale {
        let weights = alignment.scale.weights;
        let mut pairs = vec![];
        let mut ratios = vec![];
        for (n, piece) in alignment.pieces.iter().enumerate() {
            let bins = borders[n + 1] - borders[n];
            let means = alignment.grid.means(borders[n], borders[n + 1]);
            let weight = bins as f64 / VALUES as f64;
            pairs.extend(means.into_iter().zip(piece.values).map(|(mean, value)| (weight, mean, value)));
            if n > 0 && n + 1 < alignment.pieces.len() {
                ratios.push(bins as f64 / piece.length);
            }
        }
        let total: f64 = pairs.iter().map(|(weight, ..)| weight).sum();
        let log: [f64; CHANNELS] =
            std::array::from_fn(|c| pairs.iter().map(|(weight, mean, _)| weight * mean[c]).sum::<f64>() / total);
        let own: [f64; CHANNELS] =
            std::array::from_fn(|c| pairs.iter().map(|(weight, _, value)| weight * value[c]).sum::<f64>() / total);
        let (mut over, mut under) = (1.0 / (GAIN * GAIN), 1.0 / (GAIN * GAIN));
        for (weight, mean, value) in &pairs {
            for c in 0..CHANNELS {
                over += weight * weights[c] * (mean[c] - log[c]) * (value[c] - own[c]);
                under += weight * weights[c] * (value[c] - own[c]).powi(2);
            }
        }
        let gain = (over / under).clamp(0.25, 4.0);
        ratios.sort_unstable_by(f64::total_cmp);
        let middle = ratios.get(ratios.len() / 2).copied().unwrap_or(alignment.scale.pace);
        Scale {
            weights,
            offset: std::array::from_fn(|c| log[c] - gain * own[c]),
            gain,
            pace: middle.clamp(LEAST_PACE * self.pace, MOST_PACE * self.pace),
        }
    }

    /// Logarithm of how much better the demonstration explains a range of the log than the other explanation does, by the
    /// means over that range. Finer details are noise to both.
    fn odds(&self, alignment: &Alignment<'_>, piece: usize, from: usize, to: usize) -> f64 {
        let Scale { offset, gain, .. } = alignment.scale;
        let (bins, means) = ((to - from) as f64, alignment.grid.means(from, to));
        let mean =
            |values: &[[f64; CHANNELS]; VALUES], c: usize| values.iter().map(|v| v[c]).sum::<f64>() / VALUES as f64;
        let likelihood = |off: f64, variance: f64| -0.5 * (off * off / variance + log(variance));
        let (mut fitted, mut rests, mut varies, mut heard) = (0.0, 0.0, 0.0, 0.0_f64);
        for c in (0..CHANNELS).filter(|c| self.used[c / 3]) {
            let noise = self.noise[c] / bins;
            let [model, signal] = [self.model[c / 3], self.signal[c / 3]].map(|v| LASTING * v);
            let here = mean(&means, c);
            fitted += likelihood(here - offset[c] - gain * mean(&alignment.pieces[piece].values, c), noise + model);
            rests += likelihood(here - self.rest[c], noise + model);
            varies += likelihood(here - self.mean[c], noise + signal);
            heard = heard.max(model / (model + noise));
        }
        let most = rests.max(varies);
        let other = most + log(0.5 * (exp(rests - most) + exp(varies - most)));
        // where noise is larger than what is known of the model, fitting gains nothing
        fitted - other - FITTED * heard
    }

    /// Part of the variation of the log that the demonstration explains.
    fn explained(&self, alignment: &Alignment<'_>, borders: &[usize]) -> f64 {
        let Scale { weights, offset, gain, .. } = alignment.scale;
        let (mut left, mut all) = (0.0, f64::MIN_POSITIVE);
        for (n, piece) in alignment.pieces.iter().enumerate() {
            let bins = (borders[n + 1] - borders[n]) as f64;
            for (mean, value) in alignment.grid.means(borders[n], borders[n + 1]).iter().zip(&piece.values) {
                for c in 0..CHANNELS {
                    left += weights[c] * bins * (mean[c] - offset[c] - gain * value[c]).powi(2);
                    all += weights[c] * bins * (mean[c] - self.mean[c]).powi(2);
                }
            }
        }
        1.0 - left / all
    }
}

pub(crate) fn find_gripper(sequence: &Sequence, name: Option<&str>) -> Result<usize, MatchError> {
    let names = &sequence.grippers;
    let known = if names.is_empty() { "no grippers".into() } else { names.join(", ") };
    let error = |why: String| MatchError::Gripper { why, known };
    match (name, &names[..]) {
        (Some(name), _) => {
            let found = names.iter().position(|known| known == name);
            found.ok_or_else(|| error(format!("there is no gripper {name}")))
        }
        (None, [_]) => Ok(0),
        (None, _) => Err(error("which gripper has the sensor has to be told".into())),
    }
}

/// Root mean square of force and of torque about their means, for each axis.
fn spread(values: &[[f64; CHANNELS]]) -> [f64; 2] {
    let count = values.len().max(1) as f64;
    [0, 3].map(|first| {
        let variance = |c: usize| {
            let mean = values.iter().map(|v| v[c]).sum::<f64>() / count;
            values.iter().map(|v| (v[c] - mean).powi(2)).sum::<f64>() / count
        };
        ((first..first + 3).map(variance).sum::<f64>() / 3.0).sqrt()
    })
}

fn interpolated(course: &[(f64, [f64; CHANNELS])], time: f64) -> [f64; CHANNELS] {
    let after = course.partition_point(|(t, _)| *t < time).clamp(1, course.len() - 1);
    let ((a, from), (b, to)) = (course[after - 1], course[after]);
    let part = ((time - a) / (b - a)).clamp(0.0, 1.0);
    std::array::from_fn(|c| from[c] + part * (to[c] - from[c]))
}

/// Means of the log over bins, and the number of samples in a bin. Bins without samples lie on a line between others.
fn binned(log: &ForceLog, begin: f64, bin: f64, count: usize) -> (Vec<[f64; CHANNELS]>, f64) {
    let mut sums = vec![([0.0; CHANNELS], 0.0); count];
    for sample in &log.samples {
        let (sum, number) = &mut sums[(((sample.time - begin) / bin) as usize).min(count - 1)];
        (0..CHANNELS).for_each(|c| sum[c] += sample.wrench[c]);
        *number += 1.0;
    }
    let filled: Vec<(f64, [f64; CHANNELS])> = (sums.iter().enumerate())
        .filter(|(_, (_, number))| *number > 0.0)
        .map(|(n, (sum, number))| (n as f64, sum.map(|x| x / number)))
        .collect();
    let per_bin = (log.samples.len() as f64 / count as f64).max(1.0);
    if filled.len() < 2 {
        return (vec![filled.first().map_or([0.0; CHANNELS], |f| f.1); count], per_bin);
    }
    ((0..count).map(|n| interpolated(&filled, n as f64)).collect(), per_bin)
}

/// Standard deviation of the noise of each channel, from the median change from sample to sample.
fn noise(log: &ForceLog) -> [f64; CHANNELS] {
    std::array::from_fn(|c| {
        let mut changes: Vec<f64> =
            log.samples.windows(2).map(|pair| (pair[1].wrench[c] - pair[0].wrench[c]).abs()).collect();
        let middle = changes.len() / 2;
        // the median of |x - y| is 0.6745 times the square root of two, for normal x and y of unit variance
        changes.select_nth_unstable_by(middle, f64::total_cmp).1.to_owned() / (0.6745 * std::f64::consts::SQRT_2)
    })
}

/// The first place at which the sum of probabilities reaches a part of one.
fn quantile(probabilities: &[f64], part: f64) -> usize {
    let mut sum = 0.0;
    let reached = probabilities.iter().position(|p| {
        sum += p;
        sum >= part
    });
    reached.unwrap_or(probabilities.len().saturating_sub(1))
}

fn logistic(odds: f64) -> f64 {
    1.0 / (1.0 + exp(-odds))
}
