//! Guards `pliant precompute`: what it prints, where it keeps files, that it finds them again, and that an interruption or a full
//! disk leaves nothing wrong behind.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::path::Path;
use std::process::{Command, Stdio};

use common::{Ran, contents, expect_kinds, finish, until, wait};
use serde_json::Value;

/// Two bodies of a few cells, one of each form, and one that needs nothing.
const SCENE: &str = r#"
duration = 1.0

[material.foam]
young = 2000
poisson = 0.49
density = 110

[[body]]
name = "cube"
model = "response"
material = "foam"
solid = { box = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
response = { element = "linear", modes = 20 }

[[body]]
name = "slab"
model = "response"
material = "foam"
solid = { box = { size = [0.2, 0.2, 0.05] } }
response = { form = "records", element = "linear", touch = [[0, 0, 1]], samples = 20, drag = 1 }

[[body]]
name = "rod"
model = "chain"
material = "foam"
radius = 0.003
path = [[0, 0, 0.3], [0.3, 0, 0.3]]
"#;

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("s.toml"), SCENE).unwrap();
    dir
}

fn command(dir: &Path, more: &[&str]) -> Command {
    let mut command = common::command(dir, &[&["precompute", "s.toml"], more].concat());
    command.env("PLIANT_CACHE", dir.join("cache"));
    command
}

fn precompute(dir: &Path, more: &[&str]) -> Ran {
    finish(command(dir, more))
}

#[test]
fn computed_once_and_found_again() {
    let dir = folder();
    let first = precompute(dir.path(), &["--json"]).expect_code(0).json();
    let bodies = first["bodies"].as_array().unwrap();
    assert_eq!(bodies.len(), 2);
    for body in bodies {
        let kinds = [
            ("body", "text"),
            ("form", "text"),
            ("surface_nodes", "count"),
            ("unknowns", "count"),
            ("seconds", "number"),
            ("found", "truth"),
            ("file", "text"),
            ("megabytes", "number"),
            ("peak_mib", "number or null"),
            ("warnings", "list"),
        ];
        expect_kinds(body, &kinds);
        assert_eq!(body["found"], false);
        let length = std::fs::metadata(body["file"].as_str().unwrap()).unwrap().len() as f64 * 1e-6;
        assert!((body["megabytes"].as_f64().unwrap() - length).abs() < 1e-9);
    }
    assert_eq!((&bodies[0]["modes"], &bodies[1]["records"]), (&Value::from(20), &Value::from(3)));
    assert_eq!((&bodies[0]["surface_nodes"], &bodies[0]["unknowns"]), (&Value::from(26), &Value::from(81)));
    let files = contents(&dir.path().join("cache"));
    assert_eq!(files.len(), 2);
    let second = precompute(dir.path(), &["--json"]).expect_code(0).json();
    assert!(second["bodies"].as_array().unwrap().iter().all(|body| body["found"] == true), "{second}");
    assert_eq!(contents(&dir.path().join("cache")), files);
    // for people, and by whatever number of threads
    let shown = precompute(dir.path(), &["--threads", "1"]).expect_code(0).stdout;
    for word in ["cube", "slab", "modes", "records", "found", "peak memory [MiB]", ".basis", ".records"] {
        assert!(shown.contains(word), "{word} in\n{shown}");
    }
}

#[test]
fn into_a_directory_the_same_bytes_whatever_the_threads() {
    let dir = folder();
    precompute(dir.path(), &["--out", "a/b", "--threads", "1"]).expect_code(0);
    precompute(dir.path(), &["--out", "c", "--threads", "2"]).expect_code(0);
    let files = contents(&dir.path().join("a/b"));
    assert_eq!(files.len(), 2);
    assert!(files == contents(&dir.path().join("c")));
    assert!(!dir.path().join("cache").exists());
    let again = precompute(dir.path(), &["--out", "c"]).expect_code(2);
    assert!(again.stderr.contains("c already holds files"), "{}", again.stderr);
}

#[test]
fn damaged_files_are_made_again_and_said() {
    let dir = folder();
    precompute(dir.path(), &[]).expect_code(0);
    let before = contents(&dir.path().join("cache"));
    for (name, bytes) in &before {
        let mut bytes = bytes.clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(dir.path().join("cache").join(name), bytes).unwrap();
    }
    let again = precompute(dir.path(), &[]).expect_code(0);
    assert!(again.stderr.contains("warning: cube: computed again, since"), "{}", again.stderr);
    assert!(contents(&dir.path().join("cache")) == before);
}

#[test]
fn a_file_named_in_the_scene_is_made_there() {
    let dir = folder();
    let named = ["--set", "body.cube.response.file=cube.basis", "--json"];
    let first = precompute(dir.path(), &named).expect_code(0).json();
    assert_eq!(first["bodies"][0]["file"], "cube.basis");
    assert!(dir.path().join("cube.basis").is_file());
    let second = precompute(dir.path(), &named).expect_code(0).json();
    assert_eq!(second["bodies"][0]["found"], true);
}

#[test]
fn scenes_without_such_bodies_and_wrong_ones() {
    let dir = folder();
    std::fs::write(dir.path().join("s.toml"), common::rod_scene("")).unwrap();
    let ran = precompute(dir.path(), &[]).expect_code(0);
    assert!(ran.stdout.contains("no body needs to be precomputed"), "{}", ran.stdout);
    std::fs::write(dir.path().join("s.toml"), SCENE.replace("modes = 20", "modes = 20000")).unwrap();
    let ran = precompute(dir.path(), &[]).expect_code(2);
    assert!(ran.stderr.contains("s.toml:"), "{}", ran.stderr);
}

#[test]
#[cfg(unix)]
fn an_interrupt_keeps_what_is_finished() {
    let dir = folder();
    // some seconds of work, interrupted as soon as it has begun
    let long =
        ["--set", "body.slab.response.samples=1500", "--set", "body.slab.solid.box.cells=[6,6,2]", "--out", "out"];
    let points: Vec<String> = (0..40).map(|n| format!("[{}, 0.1, 1]", f64::from(n) * 0.01 - 0.2)).collect();
    let touch = format!("body.slab.response.touch=[{}]", points.join(","));
    let more = [&long[..], &["--set", &touch]].concat();
    let mut child = command(dir.path(), &more).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let part = || {
        let entries = std::fs::read_dir(dir.path().join("out")).ok()?;
        entries.flatten().map(|entry| entry.path()).find(|path| path.extension().is_some_and(|e| e == "part"))
    };
    until("the table is begun", || part().is_some());
    assert!(Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(wait(&mut child), Some(1));
    let left = part().expect("to go on with");
    // the modes of the other body are there already; all is taken up again
    assert_eq!(contents(left.parent().unwrap()).len(), 2);
    precompute(dir.path(), &more).expect_code(0);
    assert_eq!(contents(&dir.path().join("out")).len(), 2);
    assert!(part().is_none());
}

#[test]
#[cfg(unix)]
fn a_full_disk_is_said_and_leaves_no_half_file() {
    let dir = folder();
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_pliant"), "precompute", "s.toml", "--out", "out"]);
    let output = command.current_dir(dir.path()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("cannot be written") && stderr.contains("Make room"), "{stderr}");
    assert!(contents(&dir.path().join("out")).is_empty());
}
