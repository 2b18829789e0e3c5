//! Transitions of a demonstration, found in logs of another resolution, another model and another task, with noise,
//! offset and a warped clock. Reference: the contact states of the run that made the log, by its own contacts.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::sync::OnceLock;

use common::{Random, Run, Sensor, run};
use pliant_scene::RodModel;
use pliant_states::{Match, MatchSettings, Matcher};

fn edge() -> &'static Run {
    static RUN: OnceLock<Run> = OnceLock::new();
    RUN.get_or_init(|| run("states-edge.toml", RodModel::Cable, &[]))
}

fn face() -> &'static Run {
    static RUN: OnceLock<Run> = OnceLock::new();
    RUN.get_or_init(|| run("states-face.toml", RodModel::Cable, &[]))
}

fn coarse_face() -> &'static Run {
    static RUN: OnceLock<Run> = OnceLock::new();
    RUN.get_or_init(|| run("states-face.toml", RodModel::Cable, &["body.rod.segments=20"]))
}

fn chain_edge() -> &'static Run {
    static RUN: OnceLock<Run> = OnceLock::new();
    RUN.get_or_init(|| run("states-edge.toml", RodModel::Chain, &[]))
}

fn find(demonstration: &Run, log: &pliant_states::ForceLog) -> Match {
    let matcher = Matcher::new(&demonstration.sequence, MatchSettings::default()).unwrap();
    matcher.find(log).unwrap()
}

/// A sensor with a clock that runs at another pace, and unevenly, with an offset and with noise of force [N].
fn sensor(noise: f64, random: &mut Random) -> Sensor {
    Sensor {
        pace: 0.6 + 1.2 * random.uniform(),
        sway: 0.5 * random.uniform(),
        idle: random.uniform(),
        offset: std::array::from_fn(|c| if c < 3 { random.normal() } else { 0.05 * random.normal() }),
        noise: [noise, 0.05 * noise],
    }
}

/// How far each transition was found from where it is [s].
fn errors(found: &Match, log: &Run, sensor: &Sensor) -> Vec<f64> {
    let span = log.log.span()[1];
    assert_eq!(found.transitions.len(), log.sequence.transitions.len());
    let pairs = found.transitions.iter().zip(&log.sequence.transitions);
    pairs.map(|(at, truth)| (at.time - sensor.clock(truth.time, span)).abs()).collect()
}

/// Noise of 0.05 N is a fifth of the largest force, the offset many times that.
#[test]
fn transitions_are_found_at_another_resolution() {
    let mut random = Random(1);
    for _ in 0..3 {
        let sensor = sensor(0.05, &mut random);
        let found = find(face(), &sensor.measure(&coarse_face().log, &mut random));
        let errors = errors(&found, coarse_face(), &sensor);
        assert!(errors.iter().all(|e| *e <= found.tolerance), "{errors:?} {found:?}");
        assert!(found.transitions.iter().all(|t| t.confidence > 0.8), "{found:?}");
        assert!(found.same_task > 0.99, "{found:?}");
    }
}

#[test]
fn transitions_are_found_on_another_model() {
    let mut random = Random(2);
    for _ in 0..3 {
        let sensor = sensor(0.02, &mut random);
        let found = find(edge(), &sensor.measure(&chain_edge().log, &mut random));
        let errors = errors(&found, chain_edge(), &sensor);
        assert!(errors.iter().all(|e| *e <= found.tolerance), "{errors:?} {found:?}");
        assert!(found.transitions.iter().all(|t| t.confidence > 0.8), "{found:?}");
    }
}

#[test]
fn another_task_gets_no_confidence() {
    let mut random = Random(3);
    for (demonstration, log) in [(edge(), face()), (face(), edge())] {
        for noise in [0.0, 0.05] {
            let found = find(demonstration, &sensor(noise, &mut random).measure(&log.log, &mut random));
            assert!(found.same_task < 0.1, "{found:?}");
            assert!(found.transitions.iter().all(|t| t.confidence < 0.1), "{found:?}");
        }
    }
    // nor does a log in which nothing happens but noise
    let mut silent = face().log.clone();
    silent
        .samples
        .iter_mut()
        .for_each(|s| s.wrench = std::array::from_fn(|c| if c < 3 { 0.02 * random.normal() } else { 0.0 }));
    let found = find(face(), &silent);
    assert!(found.same_task < 0.1, "{found:?}");
}

/// Confidence against how often a transition is really found, with noise of 0.03 to 0.7 N where the largest force is 0.13 N,
/// so that some cannot be found: 100 logs, 20 of each noise.
#[test]
fn confidence_is_how_often_a_transition_is_found() {
    let mut random = Random(4);
    let matcher = Matcher::new(&edge().sequence, MatchSettings::default()).unwrap();
    let mut rows = vec![];
    for noise in [0.03, 0.1, 0.2, 0.4, 0.7] {
        let (mut stated, mut right) = (0.0, 0.0);
        for _ in 0..20 {
            let sensor = sensor(noise, &mut random);
            let found = matcher.find(&sensor.measure(&edge().log, &mut random)).unwrap();
            for (at, error) in found.transitions.iter().zip(errors(&found, edge(), &sensor)) {
                stated += at.confidence / 40.0;
                right += f64::from(u8::from(error <= found.tolerance)) / 40.0;
            }
        }
        rows.push((noise, stated, right));
    }
    rows.iter().for_each(|(noise, stated, right)| println!("{noise} N: stated {stated:.2}, found {right:.2}"));
    // three standard deviations of a fraction of 40 are 0.24 at the most
    assert!(rows.iter().all(|(_, stated, right)| (stated - right).abs() < 0.24), "{rows:?}");
    // and the range was wide enough to tell
    assert!(rows[0].1 > 0.9 && rows[4].2 < 0.8, "{rows:?}");
}
