//! A disk that takes no more. A limit on file size stands in for it, because anyone may set one: the write that
//! crosses it is cut short and the next fails, as on a full disk.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::process::Command;

use mcap::read::MessageStream;
use pliant_record::{RecordError, Recorder};

#[test]
fn a_full_disk_is_an_error_and_what_was_recorded_stays_readable() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    // blocks of 512 or 1024 bytes, as the shell has it; the signal is ignored so that the write fails instead
    let run = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 256; exec \"$0\" --exact --ignored --nocapture until_the_disk_is_full"])
        .arg(std::env::current_exe().unwrap())
        .env("PLIANT_FULL_DISK", &out)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{said}");
    assert!(said.contains(&format!("cannot write {}: ", out.join("recording.mcap").display())), "{said}");

    let bytes = std::fs::read(out.join("recording.mcap")).unwrap();
    let messages: Result<Vec<_>, _> = MessageStream::new(&bytes).unwrap().collect();
    assert!(messages.unwrap().len() > 100, "a complete file of whole chunks");
    let table = std::fs::read_to_string(out.join("samples.csv")).unwrap();
    assert!(table.lines().count() > 10 && table.ends_with('\n'));
    // the page is larger than the limit: none rather than half of one
    assert!(!out.join("report.html").exists() && !out.join("report.html.part").exists());
}

#[test]
#[ignore = "run by the test above in a process with a limit on file size"]
fn until_the_disk_is_full() {
    let out = std::path::PathBuf::from(std::env::var_os("PLIANT_FULL_DISK").unwrap());
    let world = common::world(200);
    let mut recorder = Recorder::create(&out, &world, common::info(1e9)).unwrap();
    let mut frame = world.frame();
    let failure = (1..10_000).find_map(|i| {
        frame.time = f64::from(i) * 0.01;
        // numbers that do not compress
        for (k, node) in frame.bodies[0].nodes.iter_mut().enumerate() {
            node.x = (frame.time * 1e3 + k as f64).sin();
        }
        if i % 20 == 0 {
            std::thread::sleep(std::time::Duration::from_millis(210));
        }
        recorder.write(&frame).err()
    });
    let failure = failure.unwrap();
    assert!(matches!(failure, RecordError::Write { .. }), "{failure:?}");
    println!("{failure}");
    // ending it may fail too, but not with a panic
    let _ = recorder.finish(&common::outcome());
}
