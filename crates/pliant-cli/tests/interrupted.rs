//! Guards runs that end before their time: Ctrl-C finishes the files, and a killed run leaves a recording that can be
//! read as far as it goes.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use common::{contents, is_indexed, messages, scene, until, wait};

/// A run that would take hours, already some frames into its recording.
fn start(dir: &Path) -> Child {
    let args =
        ["run", &scene("chain.toml"), "--set", "duration=100000", "--set", "expect=[]", "--json", "--out", "out"];
    let to = |name: &str| Stdio::from(File::create(dir.join(name)).unwrap());
    let child = common::command(dir, &args).stdout(to("stdout")).stderr(to("stderr")).spawn().unwrap();
    until("rows are written", || {
        // the header and the first row come before the run, the others while it goes on
        std::fs::read_to_string(dir.join("out/samples.csv")).is_ok_and(|table| table.lines().count() > 20)
    });
    child
}

#[test]
fn an_interrupt_ends_the_run_with_finished_files() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = start(dir.path());
    let sent = Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    // by itself: an exit code, not a signal
    assert_eq!(wait(&mut child), Some(1));

    let out = dir.path().join("out");
    assert_eq!(contents(&out).keys().collect::<Vec<_>>(), ["recording.mcap", "report.html", "samples.csv"]);
    assert!(is_indexed(&out.join("recording.mcap")));
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("interrupted at t = ") && page.trim_end().ends_with("</html>"));
    let table = std::fs::read_to_string(out.join("samples.csv")).unwrap();
    assert!(table.ends_with('\n'));

    let said = std::fs::read_to_string(dir.path().join("stderr")).unwrap();
    assert!(said.contains("interrupted at t = ") && !said.contains("panicked"), "{said}");
    let printed = std::fs::read_to_string(dir.path().join("stdout")).unwrap();
    let result: serde_json::Value = serde_json::from_str(&printed).unwrap();
    let time = result["time"].as_f64().unwrap();
    assert!(time > 0.0 && time < 100_000.0, "{time}");
    assert_eq!(result["error"], "interrupted");
}

#[test]
fn a_killed_run_leaves_what_it_recorded() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = start(dir.path());
    child.kill().unwrap();
    assert_eq!(wait(&mut child), None, "no exit code: a signal ended it");

    let recording = dir.path().join("out/recording.mcap");
    let all = messages(&recording);
    let shapes: Vec<f64> = all.iter().filter(|(topic, _)| topic == "/body/rod").map(|(_, time)| *time).collect();
    assert!(shapes.len() >= 5, "{} messages, {} shapes", all.len(), shapes.len());
    assert!(shapes.windows(2).all(|pair| pair[0] < pair[1]));
    // about as far as the table goes: both are flushed together
    let table = std::fs::read_to_string(dir.path().join("out/samples.csv")).unwrap();
    assert!(table.lines().count() > 20);
    // no page was written, and none is left half written
    assert!(!dir.path().join("out/report.html").exists());
}

/// Steps that would take far longer than anybody waits, one of each way to spend it.
#[test]
fn an_interrupt_ends_a_step_that_takes_minutes() {
    let chain = "model = \"chain\"\nradius = 0.003\npath = [[0, 0, 0.3], [0.3, 0, 0.3]]\npoints = 20000\nchain = { rate = 1e6 }";
    let lattice = "model = \"lattice\"\nsolid = { box = { size = [0.1, 0.1, 0.1], cells = [8, 8, 8] } }";
    let xpbd = "model = \"xpbd\"\nradius = 0.003\npath = [[0, 0, 0.3], [0.3, 0, 0.3]]\nsegments = 1000\nxpbd = { iterations = 100000 }";
    for body in [chain, lattice, xpbd] {
        let dir = tempfile::tempdir().unwrap();
        let text = format!(
            "duration = 100\nstep = 1\n[material.m]\nyoung = 5e6\ndensity = 1100\n[[body]]\nname = \"b\"\nmaterial = \"m\"\n{body}\n"
        );
        std::fs::write(dir.path().join("long.toml"), text).unwrap();
        let to = |name: &str| Stdio::from(File::create(dir.path().join(name)).unwrap());
        let args = ["run", "long.toml", "--out", "out"];
        let mut child = common::command(dir.path(), &args).stdout(to("stdout")).stderr(to("stderr")).spawn().unwrap();
        let said = || std::fs::read_to_string(dir.path().join("stderr")).unwrap();
        // within its first second it says how long it will take
        until("it tells how long it will take", || said().contains("expect the run to last"));
        let sent = Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        assert_eq!(wait(&mut child), Some(1), "{}", said());
        assert!(said().contains("interrupted at t = 0 s"), "{}", said());
        let out = dir.path().join("out");
        assert_eq!(contents(&out).keys().collect::<Vec<_>>(), ["recording.mcap", "report.html", "samples.csv"]);
        assert!(is_indexed(&out.join("recording.mcap")));
    }
}
