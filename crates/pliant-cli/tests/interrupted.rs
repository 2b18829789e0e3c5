//! Guards runs that end before their time: Ctrl-C finishes the files, or leaves them whole where that would take long, and a
//! killed run leaves a recording that can be read as far as it goes.
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

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Whether the files of an interrupted run were finished. If that would have taken too long, they are whole as they are: a
/// recording that can be read to its end, a table of whole rows, and nothing else.
#[track_caller]
fn is_finished(dir: &Path) -> bool {
    let out = dir.join("out");
    let said = std::fs::read_to_string(dir.join("stderr")).unwrap();
    assert!(said.contains("error: interrupted") && !said.contains("panicked"), "{said}");
    let names: Vec<String> = contents(&out).into_keys().collect();
    assert!(std::fs::read_to_string(out.join("samples.csv")).unwrap().ends_with('\n'));
    if said.contains("takes too long") {
        assert_eq!(names, ["recording.mcap", "samples.csv"]);
        let bytes = std::fs::read(out.join("recording.mcap")).unwrap();
        // the strict reader: with the magic bytes at the end
        let read: Result<Vec<_>, _> = mcap::MessageStream::new(&bytes).unwrap().collect();
        assert!(read.unwrap().len() > 1);
        return false;
    }
    assert!(is_indexed(&out.join("recording.mcap")));
    // a page of so many nodes is left out
    assert!(names.contains(&"report.html".into()) || said.contains("report:    left out"), "{names:?}: {said}");
    true
}

/// Attempts to see a small run finish its files, which a busy machine may leave no time for.
const ATTEMPTS: usize = 5;

#[test]
fn an_interrupt_ends_the_run_with_finished_files() {
    let finished = (0..ATTEMPTS).find_map(|_| {
        let dir = tempfile::tempdir().unwrap();
        let mut child = start(dir.path());
        interrupt(&child);
        // by itself: an exit code, not a signal
        assert_eq!(wait(&mut child), Some(1));
        is_finished(dir.path()).then_some(dir)
    });
    let dir = finished.expect("a small run has the time to finish its files");

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
    let mut finished = 0;
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
        interrupt(&child);
        assert_eq!(wait(&mut child), Some(1), "{}", said());
        if is_finished(dir.path()) {
            finished += 1;
            assert!(said().contains("interrupted at t = 0 s"), "{}", said());
        }
    }
    assert!(finished > 0, "steps look whether they are asked to stop");
}

/// A frame of a million points takes longer to write than an interrupt waits.
#[test]
fn an_interrupt_leaves_the_files_of_a_giant_whole() {
    let text = "duration = 100\n[material.m]\nyoung = 5e6\ndensity = 1100\n[[body]]\nname = \"b\"\nmaterial = \"m\"\n\
        model = \"chain\"\nradius = 0.003\npath = [[0, 0, 0], [9000, 0, 0]]\npoints = 900000\n";
    for delay in [0, 150, 400] {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("giant.toml"), text).unwrap();
        let to = |name: &str| Stdio::from(File::create(dir.path().join(name)).unwrap());
        let args = ["run", "giant.toml", "--out", "out"];
        let mut child = common::command(dir.path(), &args).stdout(to("stdout")).stderr(to("stderr")).spawn().unwrap();
        let recording = dir.path().join("out/recording.mcap");
        until("a frame is written", || recording.metadata().is_ok_and(|file| file.len() > 1_000_000));
        std::thread::sleep(std::time::Duration::from_millis(delay));
        interrupt(&child);
        assert_eq!(wait(&mut child), Some(1));
        is_finished(dir.path());
    }
}

/// Before a frame is written there is nothing to read, and no file that looks as if there were.
#[test]
fn an_interrupt_before_the_first_frame_leaves_no_torn_file() {
    let dir = tempfile::tempdir().unwrap();
    let text = "duration = 100\n[material.m]\nyoung = 5e6\ndensity = 1100\n[[body]]\nname = \"b\"\nmaterial = \"m\"\n\
        model = \"chain\"\nradius = 0.003\npath = [[0, 0, 0], [9000, 0, 0]]\npoints = 900000\n";
    std::fs::write(dir.path().join("giant.toml"), text).unwrap();
    let to = |name: &str| Stdio::from(File::create(dir.path().join(name)).unwrap());
    let args = ["run", "giant.toml", "--out", "out"];
    let mut child = common::command(dir.path(), &args).stdout(to("stdout")).stderr(to("stderr")).spawn().unwrap();
    let recording = dir.path().join("out/recording.mcap");
    until("the file is created", || recording.exists());
    interrupt(&child);
    assert_eq!(wait(&mut child), Some(1));
    if recording.exists() && dir.path().join("out/samples.csv").exists() {
        is_finished(dir.path());
    } else {
        let (files, said) = (contents(&dir.path().join("out")), std::fs::read_to_string(dir.path().join("stderr")));
        assert!(files.values().all(|bytes| !bytes.is_empty()), "{:?}", files.keys());
        assert!(said.unwrap().contains("removed"));
    }
}
