//! Guards runs on a disk that takes no more: a message that names the file, exit code 1, no panic. A limit on the size
//! of files stands in for the disk, because anyone may set one.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::path::Path;
use std::process::Command;

use common::{Ran, messages, scene};

/// Run into `out` with files limited to a number of blocks (of 512 or 1024 bytes, as the shell has it).
fn run_limited(dir: &Path, blocks: u32, change: &str) -> Ran {
    // the signal is ignored so that the write fails instead, as on a full disk
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_pliant"), "run", &scene("chain.toml")]);
    command.args(["--set", "step=0.01", "--set", change, "--out", "out"]).current_dir(dir);
    // into pipes: the limit would hold for files of ours as well
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[test]
fn a_recording_that_does_not_fit_ends_the_run_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let ran = run_limited(dir.path(), 256, "duration=4000").expect_code(1);
    assert!(ran.stderr.contains("cannot write out/recording.mcap: "), "{}", ran.stderr);
    // what was written before stays readable
    let all = messages(&dir.path().join("out/recording.mcap"));
    assert!(all.len() > 5, "{} messages", all.len());
    assert!(!dir.path().join("out/report.html").exists() && !dir.path().join("out/report.html.part").exists());
}

#[test]
fn a_disk_full_from_the_start_is_said_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let ran = run_limited(dir.path(), 0, "duration=4000").expect_code(1);
    let named = ["recording.mcap", "samples.csv"].iter().any(|name| ran.stderr.contains(&format!("out/{name}: ")));
    assert!(ran.stderr.contains("error: cannot ") && named, "{}", ran.stderr);
}
