//! Guards the scenes in `scenes/`: every one is valid and runs to its end with all expectations met,
//! and no result depends on the number of threads.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};

use common::{pliant, scene, scenes, text};
use serde_json::Value;

#[test]
fn every_scene_passes_check() {
    for path in scenes() {
        let ran = pliant(&["check", &text(&path)]).expect_code(0);
        // of arms nothing is derived
        let of_arms = !std::fs::read_to_string(&path).unwrap().contains("[[body]]");
        assert!(of_arms || ran.stdout.contains("derived parameters"), "{}", ran.stdout);
        let warned = |line: &&str| line.contains("warning");
        assert_eq!(ran.stderr.lines().find(warned), None, "{}", ran.stderr);
    }
}

#[test]
fn every_scene_runs_to_its_end_and_meets_its_expectations() {
    let (scenes, next) = (scenes(), AtomicUsize::new(0));
    // a core for each
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(path) = scenes.get(next.fetch_add(1, Ordering::Relaxed)) {
                    runs_to_its_end_as_expected(&text(path));
                }
            });
        }
    });
}

#[track_caller]
fn runs_to_its_end_as_expected(path: &str) {
    let written: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    let duration = written["duration"].as_float().unwrap();
    let result = pliant(&["run", path, "--json", "--threads", "1"]).expect_code(0).json();
    assert!((result["time"].as_f64().unwrap() - duration).abs() < 1e-6, "{path} ended at {}", result["time"]);
    let expectations = result["expectations"].as_array().unwrap();
    assert!(!expectations.is_empty(), "{path} has no [[expect]]");
    for expectation in expectations {
        assert_eq!(expectation["verdict"], "met", "{path}: {expectation}");
    }
    assert!(result.get("error").is_none(), "{path}: {}", result["error"]);
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    for name in ["chain.toml", "handover.toml", "winding.toml", "lifting.toml", "many-cables.toml"] {
        let run = |threads: &str| {
            let args = ["run", &scene(name), "--set", "duration=2.0", "--json", "--threads", threads];
            pliant(&args).expect_code(0).json()
        };
        let (one, two) = (run("1"), run("2"));
        for key in ["bodies", "grippers", "contacts"] {
            // JSON numbers are printed exactly, so equal text is equal bits
            assert_eq!(one[key].to_string(), two[key].to_string(), "{key} of {name}");
        }
        assert_ne!(one["bodies"], Value::Null);
    }
}

#[test]
fn without_a_command_the_built_in_scene_runs_and_leaves_its_report() {
    let dir = tempfile::tempdir().unwrap();
    let ran = common::pliant_in(dir.path(), &["--set", "duration=0.5"]).expect_code(0);
    assert!(ran.stdout.contains("winding.toml"), "{}", ran.stdout);
    let [first, second] = ["out/winding", "out/winding-2"].map(|out| dir.path().join(out).join("report.html"));
    assert!(first.is_file() && !second.exists());
    let before = std::fs::read(&first).unwrap();
    // a second time goes beside it
    common::pliant_in(dir.path(), &["--set", "duration=0.5"]).expect_code(0);
    assert!(second.is_file());
    assert_eq!(std::fs::read(&first).unwrap(), before);
}
