//! Guards what `run --out DIR` leaves: three files that need no network and are never overwritten, from a run that
//! went well or not.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::path::Path;

use common::{contents, is_indexed, messages, pliant_in, scene};

const FILES: [&str; 3] = ["recording.mcap", "report.html", "samples.csv"];

fn run_into(dir: &Path, out: &str, more: &[&str]) -> common::Ran {
    let scene = scene("chain.toml");
    let args = [&["run", &scene, "--set", "duration=0.5", "--out", out], more].concat();
    pliant_in(dir, &args)
}

#[test]
fn a_run_leaves_three_files_and_names_them() {
    let dir = tempfile::tempdir().unwrap();
    let ran = run_into(dir.path(), "out", &[]).expect_code(0);
    let files = contents(&dir.path().join("out"));
    assert_eq!(files.keys().collect::<Vec<_>>(), FILES);
    for name in FILES {
        assert!(ran.stderr.contains(&format!("out/{name}")), "{}", ran.stderr);
    }
}

#[test]
fn the_recording_is_complete_and_holds_the_whole_run() {
    let dir = tempfile::tempdir().unwrap();
    run_into(dir.path(), "out", &[]).expect_code(0);
    let path = dir.path().join("out/recording.mcap");
    assert!(is_indexed(&path));
    let all = messages(&path);
    for topic in ["/scene", "/tf", "/contacts", "/events", "/obstacles", "/body/rod", "/points/rod", "/gripper/hand"] {
        assert!(all.iter().any(|(t, _)| t == topic), "no message on {topic}");
    }
    // half a second at 100 frames a second, both ends included
    let times: Vec<f64> = all.iter().filter(|(topic, _)| topic == "/body/rod").map(|(_, time)| *time).collect();
    assert_eq!(times.len(), 51);
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]) && times[0] == 0.0 && (times[50] - 0.5).abs() < 1e-6);
}

#[test]
fn the_table_has_a_named_column_with_unit_for_every_number() {
    let dir = tempfile::tempdir().unwrap();
    run_into(dir.path(), "out", &[]).expect_code(0);
    let table = std::fs::read_to_string(dir.path().join("out/samples.csv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 1 + 51);
    for column in ["time [s]", "hand.force.z [N]", "hand.torque.y [N m]", "rod.total [J]", "rod.end.z [m]", "contacts"]
    {
        assert!(rows[0].contains(&column), "{column} is missing in {:?}", rows[0]);
    }
    for row in &rows[1..] {
        assert_eq!(row.len(), rows[0].len());
        assert!(row.iter().all(|cell| cell.parse::<f64>().is_ok_and(f64::is_finite)), "{row:?}");
    }
}

#[test]
fn the_report_loads_nothing_from_elsewhere() {
    let dir = tempfile::tempdir().unwrap();
    run_into(dir.path(), "out", &[]).expect_code(0);
    let page = std::fs::read_to_string(dir.path().join("out/report.html")).unwrap();
    assert!(page.contains("id=\"pliant-data\""), "the data of the run is inside");
    for foreign in ["src=\"http", "href=\"http", "src='http", "href='http", "url(http", "src=\"//", "href=\"//"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
}

#[test]
fn a_directory_with_files_is_refused_and_stays_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    run_into(dir.path(), "out", &[]).expect_code(0);
    let before = contents(&dir.path().join("out"));
    let again = run_into(dir.path(), "out", &["--json"]);
    assert!(again.code.is_some_and(|code| code != 0), "{:?}", again.code);
    assert!(again.stderr.contains("out already holds files"), "{}", again.stderr);
    assert!(again.stderr.contains("--out"), "says what to do: {}", again.stderr);
    assert_eq!(contents(&dir.path().join("out")), before);
    // a file that is not ours counts as well
    std::fs::create_dir(dir.path().join("mine")).unwrap();
    std::fs::write(dir.path().join("mine/notes.txt"), "keep").unwrap();
    assert_ne!(run_into(dir.path(), "mine", &[]).code, Some(0));
    assert_eq!(contents(&dir.path().join("mine")).into_keys().collect::<Vec<_>>(), ["notes.txt"]);
}

#[test]
fn missing_parents_are_made_and_an_empty_directory_is_used() {
    let dir = tempfile::tempdir().unwrap();
    run_into(dir.path(), "a/b/c", &[]).expect_code(0);
    assert_eq!(contents(&dir.path().join("a/b/c")).len(), 3);
    std::fs::create_dir(dir.path().join("empty")).unwrap();
    run_into(dir.path(), "empty", &[]).expect_code(0);
    assert_eq!(contents(&dir.path().join("empty")).len(), 3);
}

#[test]
fn a_file_where_the_directory_should_be_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("file"), "keep").unwrap();
    for out in ["file", "file/below"] {
        let ran = run_into(dir.path(), out, &[]);
        assert!(!ran.stderr.contains("panicked") && ran.code.is_some_and(|code| code != 0), "{:?}", ran.code);
        assert!(ran.stderr.contains(&format!("cannot create {out}")), "{}", ran.stderr);
    }
    assert_eq!(std::fs::read_to_string(dir.path().join("file")).unwrap(), "keep");
}

#[test]
fn a_scene_that_cannot_be_read_leaves_no_directory() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("bad.toml"), "duration = ").unwrap();
    pliant_in(dir.path(), &["run", "bad.toml", "--out", "never"]).expect_code(2);
    assert!(!dir.path().join("never").exists());
}

#[test]
fn a_diverged_run_still_leaves_a_readable_recording_and_a_report() {
    let dir = tempfile::tempdir().unwrap();
    // far beyond stability, yet slow enough to record some frames before it blows up
    let unstable = ["--set", "body.rod.chain.update=plain", "--set", "body.rod.chain.scaling=1.0"];
    let ran = run_into(dir.path(), "out", &unstable).expect_code(1);
    assert!(ran.stderr.contains("rod diverged at t = "), "{}", ran.stderr);
    let out = dir.path().join("out");
    assert_eq!(contents(&out).keys().collect::<Vec<_>>(), FILES);
    assert!(is_indexed(&out.join("recording.mcap")));
    assert!(messages(&out.join("recording.mcap")).iter().any(|(topic, _)| topic == "/body/rod"));
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("rod diverged at t = "), "the report says how it ended");
}

/// When a recording is saved depends on the clock, what it holds does not.
#[test]
fn the_same_command_writes_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let run = |name: &str| {
        let there = dir.path().join(name);
        std::fs::create_dir(&there).unwrap();
        run_into(&there, "out", &["--set", "duration=2.0"]).expect_code(0);
        contents(&there.join("out"))
    };
    let [first, second] = ["one", "two"].map(run);
    for name in ["recording.mcap", "samples.csv"] {
        assert!(first[name] == second[name], "{name} differs");
    }
}
