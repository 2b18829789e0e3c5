//! Guards the scenes in `scenes/`: every one is valid and runs, the short ones to their end with all expectations met,
//! and no result depends on the number of threads.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{pliant, scene, scenes, text};
use serde_json::Value;

#[test]
fn every_scene_passes_check() {
    for path in scenes() {
        let ran = pliant(&["check", &text(&path)]).expect_code(0);
        // of arms nothing is derived
        let of_arms = !std::fs::read_to_string(&path).unwrap().contains("[[body]]");
        assert!(of_arms || ran.stdout.contains("derived parameters"), "{}", ran.stdout);
        assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
    }
}

#[test]
fn every_scene_expects_something_of_itself() {
    for path in scenes() {
        let content = std::fs::read_to_string(&path).unwrap();
        assert!(content.contains("\n[[expect]]\n"), "{} has no [[expect]]", path.display());
    }
}

#[test]
fn every_scene_runs_for_a_second_without_missing_what_is_due_by_then() {
    for path in scenes() {
        let ran = pliant(&["run", &text(&path), "--set", "duration=1.0", "--json"]).expect_code(0);
        let time = ran.json()["time"].as_f64().unwrap();
        assert!((time - 1.0).abs() < 1e-9, "{} ended at {time}", path.display());
    }
}

#[track_caller]
fn runs_to_its_end_as_expected(name: &str, duration: f64) {
    let result = pliant(&["run", &scene(name), "--json"]).expect_code(0).json();
    assert!((result["time"].as_f64().unwrap() - duration).abs() < 1e-6, "{}", result["time"]);
    let expectations = result["expectations"].as_array().unwrap();
    assert!(!expectations.is_empty());
    for expectation in expectations {
        assert_eq!(expectation["verdict"], "met", "{expectation}");
    }
    assert!(result.get("error").is_none(), "{}", result["error"]);
}

#[test]
fn the_chain_scene_meets_its_expectations() {
    runs_to_its_end_as_expected("chain.toml", 8.0);
}

#[test]
fn the_planning_scenes_meet_their_expectations() {
    for (name, duration) in
        [("trap.toml", 26.0), ("gap.toml", 12.0), ("table.toml", 16.0), ("rover.toml", 55.0), ("grasp.toml", 2.0)]
    {
        runs_to_its_end_as_expected(name, duration);
    }
}

#[test]
fn the_scene_of_rigid_bodies_meets_its_expectations() {
    runs_to_its_end_as_expected("rigid.toml", 0.5);
}

#[test]
fn the_xpbd_scene_meets_its_expectations() {
    runs_to_its_end_as_expected("xpbd.toml", 3.0);
}

#[test]
fn the_handover_scene_meets_its_expectations() {
    runs_to_its_end_as_expected("handover.toml", 12.0);
}

#[test]
fn the_scenes_of_cables_meet_their_expectations() {
    let scenes = [
        ("cantilever.toml", 3.0),
        ("hanging.toml", 10.0),
        ("winding.toml", 7.5),
        ("capstan.toml", 4.0),
        ("knot.toml", 13.0),
        ("knot-loose.toml", 5.0),
        ("lifting.toml", 6.0),
        ("routing.toml", 9.0),
        ("many-cables.toml", 2.0),
        ("harness.toml", 9.0),
        ("plug.toml", 5.2),
        ("tube.toml", 8.0),
        ("suture.toml", 1.8),
        ("ring.toml", 4.0),
        ("slack.toml", 4.0),
        ("states-edge.toml", 3.0),
        ("states-face.toml", 4.8),
        ("states-hole.toml", 4.0),
    ];
    for (name, duration) in scenes {
        runs_to_its_end_as_expected(name, duration);
    }
}

#[test]
fn the_scenes_of_planar_rods_meet_their_expectations() {
    for (name, duration) in
        [("001-fig3.toml", 0.4), ("001-fig4.toml", 1.1), ("001-fig5.toml", 0.32), ("swing.toml", 1.1)]
    {
        runs_to_its_end_as_expected(name, duration);
    }
}

#[test]
fn the_short_scenes_of_the_papers_meet_their_expectations() {
    for (name, duration) in
        [("000-steel.toml", 20.0), ("003-ball.toml", 3.0), ("003-pair.toml", 2.0), ("003-pyramid.toml", 12.0)]
    {
        runs_to_its_end_as_expected(name, duration);
    }
}

#[test]
fn the_scenes_of_a_soft_cube_meet_their_expectations() {
    for (name, duration) in [("002-bounce.toml", 1.5), ("002-shake.toml", 5.0), ("rubber.toml", 1.8)] {
        runs_to_its_end_as_expected(name, duration);
    }
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
