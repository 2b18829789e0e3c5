//! Expectations are judged at the right frame, against the right bounds, and never silently pass.

#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;

use pliant::Frame;
use pliant::math::Vec3;
use pliant_scene::{Expectation, Override, Scene, Verdict, parse};

fn scene_with(expect: &str, changes: &[&str]) -> Scene {
    let text = format!(
        "duration = 2\nstep = 0.5\n[material.m]\nyoung = 1e6\ndensity = 1000\n[[body]]\nname = 'rod'\nmodel = 'chain'\n\
         material = 'm'\nradius = 0.01\npath = [[0, 0, 0], [1, 0, 0]]\n[[expect]]\nquantity = 'body.rod.end.z'\n{expect}\n"
    );
    let changes: Vec<Override> = changes.iter().map(|c| c.parse().unwrap()).collect();
    parse(&text, "s.toml", Path::new("."), &changes).unwrap_or_else(|e| panic!("{e}"))
}

fn expectation(expect: &str) -> Expectation {
    scene_with(expect, &[]).expectations.remove(0)
}

/// Show a run in which the end of the rod is at z = `heights[i]` after `i` steps of 0.5 s.
fn judge(mut expectation: Expectation, scene: &Scene, heights: &[f64]) -> Verdict {
    let mut frame: Frame = scene.world.frame();
    for (step, height) in heights.iter().enumerate() {
        frame.time = 0.5 * step as f64;
        let nodes = &mut frame.bodies[0].nodes;
        let last = nodes.len() - 1;
        nodes[last] = Vec3::new(0.0, 0.0, *height);
        expectation.observe(&frame);
    }
    expectation.verdict(0.5 * (heights.len() - 1) as f64)
}

fn verdict(expect: &str, heights: &[f64]) -> Verdict {
    let scene = scene_with(expect, &[]);
    judge(expectation(expect), &scene, heights)
}

const RUN: [f64; 5] = [0.0, 1.0, 2.0, 3.0, 4.0];

#[test]
fn a_time_is_judged_at_the_first_frame_from_it_on() {
    assert_eq!(verdict("at = 1.0\nmin = 2\nmax = 2", &RUN), Verdict::Met { value: 2.0 });
    assert_eq!(verdict("at = 0.6\nmax = 2", &RUN), Verdict::Met { value: 2.0 });
    assert_eq!(verdict("at = 1\nmax = 1.9", &RUN), Verdict::Missed { value: 2.0, first: 1.0 });
    assert_eq!(verdict("at = 1\nmin = 2.1", &RUN), Verdict::Missed { value: 2.0, first: 1.0 });
    assert_eq!(verdict("at = 0\nmax = 0", &RUN), Verdict::Met { value: 0.0 });
    assert_eq!(verdict("at = 2\nmax = 0", &RUN[..3]), Verdict::NotReached);
}

#[test]
fn the_end_is_the_last_frame_of_the_scene_as_written() {
    assert_eq!(verdict("at = 'end'\nvalue = 4\ntolerance = 0.1", &RUN), Verdict::Met { value: 4.0 });
    assert_eq!(verdict("at = 'end'\nvalue = 3.8\ntolerance = 0.1", &RUN), Verdict::Missed { value: 4.0, first: 2.0 });
    assert_eq!(verdict("at = 'end'\nmin = 100", &RUN[..3]), Verdict::NotReached, "a run that stopped early");
    let shortened = scene_with("at = 'end'\nmin = 100", &["duration=1"]);
    assert_eq!(shortened.duration, 1.0);
    assert_eq!(judge(shortened.expectations[0].clone(), &shortened, &RUN[..3]), Verdict::NotReached);
    let lengthened = scene_with("at = 'end'\nmin = 100", &["duration=3"]);
    assert_eq!(
        judge(lengthened.expectations[0].clone(), &lengthened, &RUN),
        Verdict::Missed { value: 4.0, first: 2.0 }
    );
}

#[test]
fn a_window_must_hold_at_every_frame_and_shows_the_worst() {
    let hump = [0.0, 1.0, 5.0, 2.0, 9.0];
    assert_eq!(verdict("during = [0.5, 1.5]\nmax = 5", &hump), Verdict::Met { value: 5.0 });
    assert_eq!(verdict("during = [0.5, 1.5]\nmax = 4", &hump), Verdict::Missed { value: 5.0, first: 1.0 });
    assert_eq!(verdict("during = [0.5, 1.5]\nmin = 1.5\nmax = 6", &hump), Verdict::Missed { value: 1.0, first: 0.5 });
    assert_eq!(verdict("during = [0.5, 1.5]\nmax = 5", &hump[..3]), Verdict::NotReached);
    assert_eq!(verdict("during = [0.5, 1.5]\nmax = 4", &hump[..3]), Verdict::Missed { value: 5.0, first: 1.0 });
    // the first time out of bounds is told, not that of the worst
    assert_eq!(verdict("during = [0, 2]\nmax = 0.5", &hump), Verdict::Missed { value: 9.0, first: 0.5 });
    // a window between two frames is not skipped
    assert_eq!(verdict("during = [0.6, 0.7]\nmax = 4", &hump), Verdict::Missed { value: 5.0, first: 1.0 });
}

#[test]
fn what_is_no_number_is_missed() {
    for when in ["at = 1", "at = 'end'", "during = [0, 2]"] {
        for bounds in ["min = -1e30", "max = 1e30", "value = 0\ntolerance = 1e30"] {
            let heights =
                if when == "at = 'end'" { [0.0, 0.0, 0.0, 0.0, f64::NAN] } else { [0.0, 0.0, f64::NAN, 0.0, 0.0] };
            let Verdict::Missed { value, .. } = verdict(&format!("{when}\n{bounds}"), &heights) else {
                panic!("{when} {bounds}")
            };
            assert!(value.is_nan());
        }
    }
}

#[test]
fn an_expectation_says_what_it_expects() {
    let text = |expect: &str| expectation(expect).text().to_string();
    assert_eq!(text("what = 'It hangs'\nat = 1\nmax = 1"), "It hangs");
    assert_eq!(text("at = 1\nmax = 1"), "body.rod.end.z is at most 1 at 1 s");
    assert_eq!(text("during = [0, 1]\nmin = 1e-6"), "body.rod.end.z is at least 1e-6 from 0 s to 1 s");
    assert_eq!(text("at = 'end'\nvalue = 1\ntolerance = 0.5"), "body.rod.end.z is from 0.5 to 1.5 at the end");
    let bounded = expectation("at = 1\nmax = 1");
    assert_eq!((bounded.quantity(), bounded.bounds()), ("body.rod.end.z", [f64::NEG_INFINITY, 1.0]));
}

#[test]
fn an_expectation_after_the_end_is_warned_about_unless_the_run_was_cut() {
    assert_eq!(
        scene_with("at = 3\nmax = 1", &[]).warnings,
        ["body.rod.end.z is at most 1 at 3 s: the run ends before, at 2 s"]
    );
    assert!(scene_with("at = 1.5\nmax = 1", &["duration=1"]).warnings.is_empty());
    assert!(scene_with("at = 'end'\nmax = 1", &[]).warnings.is_empty());
}

/// An expectation judged in a run: a free rod falls by g t^2 / 2, less what damping takes.
#[test]
fn a_falling_rod_meets_its_expectation() {
    let text = "duration = 0.1\nstep = 0.01\n[material.m]\nyoung = 1e6\ndensity = 1000\n[[body]]\nname = 'rod'\nmodel = 'chain'\n\
                material = 'm'\nradius = 0.01\npath = [[0, 0, 0], [1, 0, 0]]\nchain.drag = 0\n\
                [[expect]]\nquantity = 'body.rod.min.z'\nat = 'end'\nvalue = -0.04905\ntolerance = 1e-4\n\
                [[expect]]\nquantity = 'body.rod.max.z'\nduring = [0, 0.1]\nmax = 1e-9\n\
                [[expect]]\nquantity = 'body.rod.length'\nduring = [0, 0.1]\nvalue = 1\ntolerance = 1e-6\n\
                [[expect]]\nquantity = 'body.rod.energy.total'\nat = 'end'\nvalue = 0\ntolerance = 1e-3\n";
    let Scene { mut world, mut expectations, duration, step, .. } = parse(text, "s.toml", Path::new("."), &[]).unwrap();
    let mut frame = world.frame();
    for _ in 0..=(duration / step).round() as usize {
        world.write_frame(&mut frame);
        expectations.iter_mut().for_each(|e| e.observe(&frame));
        if world.time() < duration - 0.5 * step {
            world.step(step).unwrap();
        }
    }
    for expectation in &expectations {
        let verdict = expectation.verdict(world.time());
        assert!(matches!(verdict, Verdict::Met { .. }), "{}: {verdict:?}", expectation.text());
    }
}
