//! Fig. 3 of Lee, Lee, Yoon and Lee: the time of each step while a cable is wound, for each solver, against time, against the number of contacts,
//! and against the number of segments.

use std::time::Instant;

use super::Results;
use super::cable_winding::{Outcome, WAYS, Way, wind};
use super::lattice_pictures::{Chart, Panel, Series};
use super::lattice_steps::exponent;
use super::response_cube::median;
use crate::Failure;
use pliant_record::short;

/// Numbers of segments and of subsystems.
const SIZES: [(&str, &str); 4] = [("40", "8"), ("80", "16"), ("160", "20"), ("320", "40")];

/// The paper's largest number of segments, in this list.
const LONG: usize = 2;

/// Solver 1, solver 3 with exact couplings, and Newton's method.
const SHOWN: [usize; 3] = [0, 4, 5];

/// Times of steps.
pub fn steps(results: &mut Results) -> Result<(), Failure> {
    results.choice(
        "winding",
        "that of 004-table1: 700 steps of 10 ms, where the paper has 5,500; speed and drum are not given",
    );
    results.choice("times", "medians over all steps, unless said");
    results.choice("solver 2 and 3", "with exact couplings and post-regulated; as printed they are in 004-table1");
    let ways: Vec<&Way> = SHOWN.iter().map(|n| &WAYS[*n]).collect();
    let mut medians: Vec<Vec<[f64; 2]>> = vec![vec![]; ways.len()];
    let mut finest = vec![];
    for (segments, runs) in SIZES {
        results.talk(&format!("a cable of {segments} segments"));
        let outcomes: Result<Vec<Outcome>, Failure> = ways.iter().map(|way| wind(segments, runs, way)).collect();
        let outcomes = outcomes?;
        let count: f64 = segments.parse().unwrap_or(f64::NAN);
        medians.iter_mut().zip(&outcomes).for_each(|(list, outcome)| list.push([count, median(outcome.times.clone())]));
        if segments == SIZES[LONG].0 {
            finest = outcomes;
        }
    }
    for (way, list) in ways.iter().zip(&medians) {
        results.remark(format!(
            "{}: time of a step goes with the number of segments to the power of {}.",
            way.name,
            short(exponent(list))
        ));
    }
    gaps(results, &medians);
    let mut slower = vec![];
    for (way, outcome) in ways.iter().zip(&finest) {
        // steps with up to a tenth of the largest number of contacts, and with at least nine tenths
        let most = outcome.contacts.iter().copied().max().unwrap_or(0) as f64;
        let of = |low: f64, high: f64| {
            let within = |contacts: usize| (low * most..=high * most).contains(&(contacts as f64));
            let steps = outcome.times.iter().zip(&outcome.contacts);
            median(steps.filter(|(_, contacts)| within(**contacts)).map(|(time, _)| *time).collect())
        };
        let (few, many) = (of(0.0, 0.1), of(0.9, 1.0));
        slower.push(many / few);
        results.remark(format!(
            "{}, 160 segments: {} ms a step with few contacts and {} ms with nearly all of {}; a step took {} ms at the most.",
            way.name,
            short(few),
            short(many),
            short(most),
            short(outcome.times.iter().copied().fold(0.0, f64::max))
        ));
    }
    results.statement(
        "160 segments: contacts slow solver 3 down less than solver 1: its factor over that of solver 1, below 0.95",
        "-",
        slower[1] / slower[0],
        slower[1] < 0.95 * slower[0],
    );
    let times = &finest[1].times;
    let in_time = times.iter().filter(|time| **time < 10.0).count() as f64 / times.len() as f64;
    results.statement(
        "160 segments in real time: share of steps of solver 3 that take less than the 10 ms that they cover, at least 0.99",
        "-",
        in_time,
        in_time >= 0.99,
    );
    draw(results, &ways, &medians, &finest);
    Ok(())
}

/// What the structure of the cable gains, and whether that grows with the number of segments.
fn gaps(results: &mut Results, medians: &[Vec<[f64; 2]>]) {
    let gap = |size: usize| medians[0][size][1] / medians[1][size][1];
    results.number(
        "160 segments: time of solver 1 over that of solver 3 (Table I: 189.99 / 4.6810)",
        "-",
        189.99 / 4.681,
        gap(LONG),
    );
    // medians differ by less than a tenth from run to run
    let grows = gap(LONG) / gap(LONG - 1);
    results.statement(
        "that gap grows from 80 to 160 segments (\"increases along discretization number\"): by a factor above 1.1",
        "-",
        grows,
        grows > 1.1,
    );
    let dense: Vec<f64> =
        medians[0].iter().take(LONG + 1).map(|[segments, _]| 1e3 * dense_seconds(6 * *segments as usize)).collect();
    let over = |size: usize| dense[size] / medians[1][size][1];
    results.statement(
        "one elimination of a dense matrix of 960 unknowns, as solver 1 of the paper has, over a step of solver 3: above 20 (\"20 ~ 40 times\")",
        "-",
        over(LONG),
        over(LONG) > 20.0,
    );
    let grows = over(LONG) / over(LONG - 1);
    results.statement("that gap grows from 80 to 160 segments: by a factor above 1.1", "-", grows, grows > 1.1);
    results.remark(format!(
        "Our solver 1 sees the structure of the cable, and gains nothing by subsystems. Dense elimination takes {} ms with 480 and {} ms with 960 unknowns.",
        short(dense[LONG - 1]),
        short(dense[LONG])
    ));
}

/// Time of the elimination of a dense matrix of this many unknowns, row by row without pivots, as of one that is diagonally dominant [s].
fn dense_seconds(n: usize) -> f64 {
    let entry = |i: usize, j: usize| if i == j { n as f64 } else { 1.0 / (1 + i + 2 * j) as f64 };
    let mut rows: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
    let clock = Instant::now();
    for k in 0..n {
        let (above, below) = rows.split_at_mut(k + 1);
        let pivot = &above[k];
        for row in below {
            let factor = row[k] / pivot[k];
            row[k] = factor;
            row[k + 1..].iter_mut().zip(&pivot[k + 1..]).for_each(|(x, p)| *x -= factor * p);
        }
    }
    std::hint::black_box(&rows);
    clock.elapsed().as_secs_f64()
}

fn draw(results: &mut Results, ways: &[&Way], medians: &[Vec<[f64; 2]>], finest: &[Outcome]) {
    let named = |points: &dyn Fn(usize) -> Vec<[f64; 2]>, marks: bool| -> Vec<Series> {
        ways.iter().enumerate().map(|(n, way)| Series { label: way.name.into(), points: points(n), marks }).collect()
    };
    let over_time = |n: usize| finest[n].times.iter().enumerate().map(|(k, t)| [0.01 * (k + 1) as f64, *t]).collect();
    let over_contacts =
        |n: usize| finest[n].times.iter().zip(&finest[n].contacts).map(|(t, c)| [*c as f64, *t]).collect();
    let charts = [
        (
            "004-steps-time",
            "Time of each step, 160 segments (Fig. 3, upper)",
            "time [s]",
            false,
            named(&over_time, false),
        ),
        ("004-steps-contacts", "Time of each step, 160 segments", "contacts", false, named(&over_contacts, true)),
        (
            "004-steps-segments",
            "Median time of a step (Fig. 3, lower)",
            "segments",
            true,
            named(&|n| medians[n].clone(), false),
        ),
    ];
    for (file, title, label, log, series) in charts {
        let panels = vec![Panel { label: "time of a step [ms]".into(), log: true, series }];
        let chart = Chart { title: title.into(), label: label.into(), log, panels };
        results.pictures.push((file.into(), chart.svg()));
    }
}
