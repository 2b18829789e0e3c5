//! `pliant states` as a user runs it.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{pliant_in, scene, text};

/// From a recording to states, their page, and the same transitions in a log of another resolution.
#[test]
fn states_of_a_recording_are_found_again_in_a_log() {
    let dir = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| pliant_in(dir.path(), args);
    let edge = scene("states-edge.toml");
    run(&["run", &edge, "--out", "demo"]).expect_code(0);
    let other = run(&["run", &edge, "--out", "other", "--set", "body.rod.segments=24", "--set", "recording_rate=200"]);
    // fewer segments may miss the scene's expectations by a little
    assert!(matches!(other.code, Some(0 | 1)), "{}", other.stderr);

    let table = run(&["states", "demo/recording.mcap"]).expect_code(0).stdout;
    assert!(
        table.contains("rod on the -x/+z edge of block") && table.contains("3 states and 2 transitions"),
        "{table}"
    );

    let states = run(&["states", "demo", "--out", "states", "--json"]).expect_code(0).json();
    let page = std::fs::read_to_string(dir.path().join("states/states.html")).unwrap();
    assert!(page.contains("rod on the -x/+z edge of block") && !page.contains("<!--") && !page.contains("NaN"));
    let file = std::fs::read_to_string(dir.path().join("states/states.json")).unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&file).unwrap(), states);
    let all = states["states"].as_array().unwrap();
    assert_eq!((all.len(), all[0]["from"].as_f64(), all[2]["to"].as_f64()), (3, Some(0.0), Some(3.0)));
    assert_eq!(all[0]["to"], all[1]["from"]);
    assert_eq!(all[1]["contacts"][0]["with"], "grip");
    assert_eq!(all[1]["contacts"][1]["feature"]["kind"], "edge");
    let transition = &states["transitions"][0];
    assert_eq!(transition["gained"][0]["other"], "block");
    assert_eq!(transition["shapes"][0]["nodes"].as_array().unwrap().len(), 41);
    // nothing is ever overwritten
    run(&["states", "demo", "--out", "states"]).expect_code(2);

    let found = run(&["states", "match", "states/states.json", "other", "--json"]).expect_code(0).json();
    for (at, truth) in found["transitions"].as_array().unwrap().iter().zip(states["transitions"].as_array().unwrap()) {
        let off = at["time"].as_f64().unwrap() - truth["time"].as_f64().unwrap();
        assert!(off.abs() < 0.06 && at["confidence"].as_f64().unwrap() > 0.8, "{found}");
    }

    // a log of something else: exit code 1
    let mut log = String::from("time,fx,fy,fz,tx,ty,tz\n");
    for n in 0..500 {
        let x = f64::from(n) * 0.05;
        log += &format!("{},{},{},{},0,0,0\n", f64::from(n) * 0.01, x.sin(), (1.3 * x).cos(), (0.7 * x).sin());
    }
    std::fs::write(dir.path().join("log.csv"), log).unwrap();
    let ran = run(&["states", "match", "states/states.json", "log.csv"]).expect_code(1);
    assert!(ran.stderr.contains("does not show this task"), "{}", ran.stderr);
}

#[test]
fn what_cannot_be_used_is_bad_input() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("text"), "no recording").unwrap();
    let toml = text(&common::root().join("Cargo.toml"));
    for (args, expected) in [
        (&["states", "none"][..], "cannot read"),
        (&["states", "text"], "not a recording"),
        (&["states", "."], "recording.mcap"),
        (&["states"], "RECORDING"),
        (&["states", "match", "text", "text"], "no states"),
        (&["states", "match", "none", "text"], "none"),
        (&["states", "match", &toml, &toml], "no states"),
        (&["states", "text", "--set", "duration=1"], "--set"),
    ] {
        let ran = pliant_in(dir.path(), args).expect_code(2);
        assert!(ran.stderr.contains(expected), "{args:?}: {}", ran.stderr);
    }
}

/// An arm pushes a rod through a hole that is off by 5 mm and 5 degrees, with a noisy sensor and a rod that is stiffer or softer by a
/// fifth: at least 95 of 100 runs succeed with `PLIANT_LONG`, and all of a few otherwise. The same runs by the motion alone do not.
#[test]
fn a_robot_repeats_a_task_by_what_it_feels() {
    let dir = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| pliant_in(dir.path(), args);
    let arm = scene("states-arm.toml");
    run(&["run", &arm, "--out", "demo"]).expect_code(0);
    run(&["states", "demo", "--out", "states"]).expect_code(0);
    let trials = if std::env::var_os("PLIANT_LONG").is_some() { 100 } else { 4 };
    let with = |trials: usize, threads: &str| {
        let trials = trials.to_string();
        let args = ["states", "run", "states/states.json", &arm, "--trials", &trials, "--threads", threads, "--json"];
        run(&args).expect_code(0).json()
    };
    let report = with(trials, "2");
    let [all, succeeded, by_motion] =
        ["count", "succeeded", "succeeded_by_motion"].map(|key| report[key].as_u64().unwrap());
    assert_eq!(all, trials as u64);
    assert!(succeeded * 100 >= all * 95, "{succeeded} of {all}");
    assert!(by_motion < succeeded, "{by_motion} of {all} by the motion alone");
    for trial in report["trials"].as_array().unwrap() {
        let way: f64 = trial["off"]["position"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap().powi(2)).sum();
        assert!((way.sqrt() - 0.005).abs() < 1e-12 && trial["off"]["angle_deg"] == 5.0, "{trial}");
    }
    // the same runs, whoever makes them
    assert_eq!(with(1, "1")["trials"][0].to_string(), report["trials"][0].to_string());

    // another scene, another gripper, and too much to ask
    let other = scene("states-edge.toml");
    let ran = run(&["states", "run", "states/states.json", &other]).expect_code(2);
    assert!(ran.stderr.contains("does not go with these states"), "{}", ran.stderr);
    let ran = run(&["states", "run", "states/states.json", &arm, "--gripper", "foot"]).expect_code(2);
    assert!(ran.stderr.contains("foot"), "{}", ran.stderr);
    let ran = run(&["states", "run", "states/states.json", &arm, "--pitch", "0"]).expect_code(2);
    assert!(ran.stderr.contains("pitch"), "{}", ran.stderr);
    let ran = run(&["states", "run", "none.json", &arm]).expect_code(2);
    assert!(ran.stderr.contains("none.json"), "{}", ran.stderr);
}
