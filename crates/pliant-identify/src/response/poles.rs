//! Frequencies and dampings that all measurements have in common: one mode after the other, where what is left of the measurements
//! swings most, and all again together after each.
//!
//! For given frequencies and dampings the measurements are linear in amplitudes, which are eliminated (variable projection:
//! G. H. Golub and V. Pereyra).

use super::course::{course, product};
use super::{MOST_MODES, Measured};
use crate::fit::{Unknown, minimise, solved};
use crate::statistics::f_tail;

/// What is found: for each mode the logarithm of its frequency and its damping ratio, and for each pair of a place that is struck and
/// a spot that is watched the amplitudes of all modes.
pub(super) struct Poles {
    pub poles: Vec<[f64; 2]>,
    /// Blows in the same place, by number.
    pub groups: Vec<Vec<usize>>,
    /// For each group, the spots watched, with amplitudes of modes and what gives way at once; zero where it is not struck.
    pub amplitudes: Vec<Amplitudes>,
}

/// Of each spot watched, amplitudes.
type Amplitudes = Vec<(usize, Vec<f64>)>;

/// Damping ratios to begin with.
const RATIOS: [f64; 2] = [0.02, 0.15];
/// Largest number of frequencies to begin with.
const MOST_STARTS: usize = 600;
/// Largest damping ratio that is looked for.
const MOST_RATIO: f64 = 2.0;
/// Probability that noise makes a mode as strong, below which it counts as one. It is small, since the strongest of hundreds of frequencies
/// is taken.
const BY_CHANCE: f64 = 1e-6;

/// Modes that measurements show; `None` if they show none.
pub(super) fn search(measured: &Measured) -> Option<Poles> {
    let groups = groups(measured);
    let count = measured.count();
    let pairs: usize = groups.iter().map(|group| watched(measured, group).len()).sum();
    let mut poles: Vec<[f64; 2]> = vec![];
    let (mut left, _) = project(measured, &groups, &poles);
    let mut squares = product(&left, &left);
    while poles.len() < MOST_MODES {
        let mut more = poles.clone();
        more.push(strongest(measured, &groups, &left)?);
        let bounds = frequencies(measured).map(f64::ln);
        let unknown = |[log, ratio]: &[f64; 2]| {
            let frequency = Unknown { start: *log, bounds, vague: 0.3 };
            [frequency, Unknown { start: *ratio, bounds: [0.0, MOST_RATIO], vague: 0.3 }]
        };
        let unknowns: Vec<Unknown> = more.iter().flat_map(unknown).collect();
        let free: Vec<usize> = (0..unknowns.len()).collect();
        let residuals = |v: &[f64]| project(measured, &groups, v.as_chunks().0).0;
        let start: Vec<f64> = more.concat();
        let begun = residuals(&start);
        let (values, fewer) = minimise(&unknowns, &free, start, product(&begun, &begun), &residuals);
        // two numbers for the mode, and an amplitude for each pair
        let freedom = count.checked_sub(more.len() * (2 + pairs) + 1)?;
        let ratio = (squares - fewer) / (2 + pairs) as f64 / (fewer / freedom as f64);
        let by_chance = f_tail(ratio, [(2 + pairs) as f64, freedom as f64]);
        if ratio.is_nan() || by_chance > BY_CHANCE {
            break;
        }
        poles = values.as_chunks().0.to_vec();
        squares = fewer;
        left = project(measured, &groups, &poles).0;
        if squares <= 0.0 {
            break;
        }
    }
    if poles.is_empty() {
        return None;
    }
    let (_, amplitudes) = project(measured, &groups, &poles);
    Some(Poles { poles, groups, amplitudes })
}

/// Blows in the same place and direction.
fn groups(measured: &Measured) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = vec![];
    for blow in 0..measured.blows.len() {
        let like = |group: &&mut Vec<usize>| {
            let [a, b] = [&measured.struck[group[0]], &measured.struck[blow]];
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-6)
        };
        match groups.iter_mut().find(like) {
            Some(group) => group.push(blow),
            None => groups.push(vec![blow]),
        }
    }
    groups
}

/// Spots that are watched in some blow of a group.
fn watched(measured: &Measured, group: &[usize]) -> Vec<usize> {
    let mut spots: Vec<usize> = group.iter().flat_map(|blow| measured.watched[*blow].iter().copied()).collect();
    spots.sort_unstable();
    spots.dedup();
    spots
}

/// Lowest and highest circular frequency that can be seen: a tenth of a swing in all the time, and half a swing between measurements.
fn frequencies(measured: &Measured) -> [f64; 2] {
    let times = || measured.blows.iter().map(|blow| &blow.times);
    let long = times().map(|t| t[t.len() - 1] - t[0]).fold(0.0, f64::max);
    let short = times().map(|t| (t[t.len() - 1] - t[0]) / (t.len() - 1) as f64).fold(f64::INFINITY, f64::min);
    [0.1 * std::f64::consts::TAU / long, std::f64::consts::PI / short]
}

/// The frequency and the damping ratio of a single mode that takes most away from what is left.
fn strongest(measured: &Measured, groups: &[Vec<usize>], left: &[f64]) -> Option<[f64; 2]> {
    let [low, high] = frequencies(measured);
    // ten times `low` is a swing in all the time: peaks are that wide
    let count = ((high / (5.0 * low)) as usize).clamp(50, MOST_STARTS);
    let at = |k: usize| {
        // as many equally spaced as by equal factors, for the slow ones
        let part = (k / 2) as f64 / (count / 2) as f64;
        if k.is_multiple_of(2) { low + (high - low) * part } else { low * (high / low).powf(part) }
    };
    let candidates = (0..count).flat_map(|k| RATIOS.map(|ratio| [at(k), ratio]));
    let rows = Rows::new(measured, left);
    let pairs: Vec<(usize, usize)> = groups
        .iter()
        .enumerate()
        .flat_map(|(n, group)| watched(measured, group).into_iter().map(move |spot| (n, spot)))
        .collect();
    let score = |[omega, ratio]: [f64; 2]| {
        let courses = courses(measured, omega, ratio);
        let sizes: Vec<f64> = courses.iter().map(|course| product(course, course)).collect();
        let of = |(group, spot): &(usize, usize)| {
            let (mut over, mut under) = (0.0, 0.0);
            for blow in groups[*group].iter().filter(|blow| measured.watched[**blow].contains(spot)) {
                over += product(&courses[*blow], rows.of(*blow, *spot));
                under += sizes[*blow];
            }
            over * over / under.max(f64::MIN_POSITIVE)
        };
        pairs.iter().map(of).sum::<f64>()
    };
    let best = candidates.map(|pole| (score(pole), pole)).max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some([best.1[0].ln(), best.1[1]])
}

fn courses(measured: &Measured, omega: f64, ratio: f64) -> Vec<Vec<f64>> {
    measured
        .blows
        .iter()
        .zip(&measured.forces)
        .map(|(blow, forces)| course(&blow.times, forces, omega, ratio))
        .collect()
}

/// Rows of a list that has one number for each measurement, blow by blow.
struct Rows<'a> {
    measured: &'a Measured<'a>,
    list: &'a [f64],
    begins: Vec<usize>,
}

impl<'a> Rows<'a> {
    fn new(measured: &'a Measured<'a>, list: &'a [f64]) -> Rows<'a> {
        let mut begins = vec![];
        let mut sum = 0;
        for blow in measured.blows {
            begins.push(sum);
            sum += blow.times.len() * blow.watched.len();
        }
        Rows { measured, list, begins }
    }

    /// What a blow has of a spot that is watched in it.
    fn of(&self, blow: usize, spot: usize) -> &'a [f64] {
        let length = self.measured.blows[blow].times.len();
        let place = self.measured.watched[blow].iter().position(|s| *s == spot).unwrap_or(0);
        &self.list[self.begins[blow] + place * length..][..length]
    }
}

/// What is left of the measurements, blow by blow, after the best amplitudes for these poles, and these amplitudes.
fn project(measured: &Measured, groups: &[Vec<usize>], poles: &[[f64; 2]]) -> (Vec<f64>, Vec<Amplitudes>) {
    let blows = measured.blows;
    // courses of all modes, then the force
    let mut bases: Vec<Vec<Vec<f64>>> = vec![vec![]; blows.len()];
    for [log, ratio] in poles {
        for (base, course) in bases.iter_mut().zip(courses(measured, log.exp(), *ratio)) {
            base.push(course);
        }
    }
    bases.iter_mut().zip(&measured.forces).for_each(|(base, forces)| base.push(forces.clone()));
    let grams: Vec<Vec<Vec<f64>>> =
        bases.iter().map(|base| base.iter().map(|a| base.iter().map(|b| product(a, b)).collect()).collect()).collect();
    let mut left: Vec<Vec<Vec<f64>>> =
        blows.iter().map(|blow| blow.watched.iter().map(|w| w.1.clone()).collect()).collect();
    let mut amplitudes = vec![];
    for group in groups {
        let mut list = vec![];
        for spot in watched(measured, group) {
            let driving = measured.driving(group[0], spot).is_some();
            let n = poles.len() + usize::from(driving);
            let mut rows = vec![vec![0.0; n + 1]; n];
            let places: Vec<(usize, usize)> = group
                .iter()
                .filter_map(|blow| Some((*blow, measured.watched[*blow].iter().position(|s| *s == spot)?)))
                .collect();
            for (blow, place) in &places {
                let u = &blows[*blow].watched[*place].1;
                for i in 0..n {
                    (0..n).for_each(|j| rows[i][j] += grams[*blow][i][j]);
                    rows[i][n] += product(&bases[*blow][i], u);
                }
            }
            // modes on top of each other share their amplitude
            (0..n).for_each(|i| rows[i][i] *= 1.0 + 1e-10);
            let mut found = if n == 0 { vec![] } else { solved(rows).unwrap_or_else(|| vec![0.0; n]) };
            for (blow, place) in &places {
                for (base, by) in bases[*blow].iter().zip(&found) {
                    left[*blow][*place].iter_mut().zip(base).for_each(|(r, g)| *r -= by * g);
                }
            }
            found.resize(poles.len() + 1, 0.0);
            list.push((spot, found));
        }
        amplitudes.push(list);
    }
    (left.into_iter().flatten().flatten().collect(), amplitudes)
}
