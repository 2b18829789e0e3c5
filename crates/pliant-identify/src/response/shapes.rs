//! Shapes of modes from amplitudes: that of a spot watched, as another is struck, is the product of the shapes of both.

use super::Measured;
use super::joint::{Guess, Shaped};
use super::poles::Poles;

/// Alternating sweeps over spots watched and places struck.
const SWEEPS: usize = 100;

/// Shapes, by least squares one side after the other, for the joint fit to begin with.
pub(super) fn start(measured: &Measured, poles: &Poles) -> Guess {
    let count = measured.spots.len();
    let modes = poles.poles.iter().enumerate().map(|(k, [log, ratio])| {
        let shape = shape(measured, poles, k);
        Shaped { log: *log, ratio: *ratio, shape }
    });
    let modes = modes.collect();
    let mut at_once = vec![None; count];
    for (group, list) in poles.groups.iter().zip(&poles.amplitudes) {
        for (spot, found) in list {
            if let Some(part) = measured.driving(group[0], *spot).filter(|part| part.abs() > 0.1) {
                at_once[*spot] = Some(found[poles.poles.len()] / part);
            }
        }
    }
    Guess { modes, at_once }
}

fn shape(measured: &Measured, poles: &Poles, mode: usize) -> Vec<f64> {
    let count = measured.spots.len();
    let entries: Vec<(usize, usize, f64)> = poles
        .amplitudes
        .iter()
        .enumerate()
        .flat_map(|(group, list)| list.iter().map(move |(spot, found)| (group, *spot, found[mode])))
        .collect();
    // amplitudes = watched x struck, of which only the product is determined
    let largest = entries.iter().max_by(|a, b| a.2.abs().total_cmp(&b.2.abs()));
    let (mut watched, mut struck) = (vec![0.0; count], vec![0.0; poles.groups.len()]);
    struck[largest.map_or(0, |entry| entry.0)] = 1.0;
    for _ in 0..SWEEPS {
        watched = best(count, entries.iter().map(|(group, spot, a)| (*spot, struck[*group], *a)));
        struck = best(struck.len(), entries.iter().map(|(group, spot, a)| (*group, watched[*spot], *a)));
    }
    // where a blow's place is watched both are the same: struck = scale^2 watched
    let (mut over, mut under) = (0.0, 0.0);
    for (group, struck) in poles.groups.iter().zip(&struck) {
        let parts = &measured.struck[group[0]];
        let seen: f64 = parts.iter().map(|(spot, part)| part * watched[*spot]).sum();
        over += struck * seen;
        under += seen * seen;
    }
    // a negative one is that of noise: the joint fit makes it vanish
    let scale = (over / under.max(f64::MIN_POSITIVE)).abs().sqrt().max(1e-12);
    let mut shape: Vec<f64> = watched.iter().map(|x| x * scale).collect();
    // spots that were never watched
    for (group, struck) in poles.groups.iter().zip(&struck) {
        if let [(spot, _)] = measured.struck[group[0]][..]
            && !measured.watched.iter().any(|list| list.contains(&spot))
        {
            shape[spot] = struck / scale;
        }
    }
    shape
}

/// For each index the factor that fits best, of (index, known factor, product).
fn best(count: usize, entries: impl Iterator<Item = (usize, f64, f64)>) -> Vec<f64> {
    let mut sums = vec![[0.0; 2]; count];
    for (n, known, product) in entries {
        sums[n][0] += known * product;
        sums[n][1] += known * known;
    }
    sums.into_iter().map(|[over, under]| if under > 0.0 { over / under } else { 0.0 }).collect()
}
