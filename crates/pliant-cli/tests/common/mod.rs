//! The built command as a user runs it: in a fresh folder, with its exit code, its two streams and a guard against
//! hanging for ever.
// each test file uses its own part of this
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mcap::read::{MessageStream, Options};
use serde_json::Value;

/// Far beyond what any test takes; only a hang reaches it.
const HANG: Duration = Duration::from_secs(300);

/// What a finished command left.
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// Standard output as one JSON value.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e} in:\n{}\n{}", self.stdout, self.stderr))
    }

    /// It must have ended with this exit code, and never by a panic.
    #[track_caller]
    pub fn expect_code(self, code: i32) -> Ran {
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }
}

/// The command with its arguments, in a folder.
pub fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
    command.args(args).current_dir(dir).stdin(Stdio::null());
    command
}

/// Run the command to its end in a folder.
pub fn pliant_in(dir: &Path, args: &[&str]) -> Ran {
    finish(command(dir, args))
}

/// Run the command to its end in a folder of its own.
pub fn pliant(args: &[&str]) -> Ran {
    pliant_in(tempfile::tempdir().unwrap().path(), args)
}

/// Run any command to its end, its streams in files so that no pipe can fill up.
pub fn finish(mut command: Command) -> Ran {
    let dir = tempfile::tempdir().unwrap();
    let [out, err] = ["stdout", "stderr"].map(|name| dir.path().join(name));
    let create = |path: &Path| std::fs::File::create(path).unwrap();
    let mut child = command.stdout(create(&out)).stderr(create(&err)).spawn().unwrap();
    let code = wait(&mut child);
    let read = |path: &Path| String::from_utf8(std::fs::read(path).unwrap()).unwrap();
    Ran { code, stdout: read(&out), stderr: read(&err) }
}

/// Wait for the end of a process; its exit code, or none if a signal ended it.
pub fn wait(child: &mut Child) -> Option<i32> {
    let mut status = None;
    until("the process ends", || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    status.unwrap().code()
}

/// Wait until something is true.
#[track_caller]
pub fn until(what: &str, mut is_true: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_true() {
        assert!(begun.elapsed() < HANG, "still waiting until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Path of a scene in `scenes/`.
pub fn scene(name: &str) -> String {
    text(&root().join("scenes").join(name))
}

pub fn text(path: &Path) -> String {
    path.to_str().unwrap().into()
}

/// All scenes in `scenes/`, in order.
pub fn scenes() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("scenes")).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect();
    found.sort();
    assert!(found.len() >= 6, "{found:?}");
    found
}

/// A small scene of one rod in one hand, with the text put after its first table of a body.
pub fn rod_scene(more: &str) -> String {
    format!(
        "duration = 0.2\n\n[material.rubber]\nyoung = 5e6\ndensity = 1100\n\n\
         [[body]]\nname = \"rod\"\nmodel = \"chain\"\nmaterial = \"rubber\"\nradius = 0.003\n\
         path = [[0, 0, 0.3], [0.3, 0, 0.3]]\n{more}\n\
         [[gripper]]\nname = \"hand\"\ngrips = [{{ body = \"rod\", at = \"start\", orientation = true }}]\n"
    )
}

/// Topic and time [s] of each message, by a reader that goes from the front to as far as the file is good.
pub fn messages(recording: &Path) -> Vec<(String, f64)> {
    let bytes = std::fs::read(recording).unwrap();
    let stream = MessageStream::new_with_options(&bytes, Options::IgnoreEndMagic.into()).unwrap();
    let good = stream.map_while(Result::ok);
    good.map(|message| (message.channel.topic.clone(), message.log_time as f64 * 1e-9)).collect()
}

/// Whether a recording is complete: ended, and with the index that lets a reader jump.
pub fn is_indexed(recording: &Path) -> bool {
    let bytes = std::fs::read(recording).unwrap();
    mcap::Summary::read(&bytes).unwrap().is_some_and(|summary| !summary.chunk_indexes.is_empty())
}

/// Content of every file in a folder, by name.
pub fn contents(dir: &Path) -> std::collections::BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    let named = entries.map(|e| (e.file_name().into_string().unwrap(), std::fs::read(e.path()).unwrap()));
    named.collect()
}

/// The value at a path of keys must be of a kind.
#[track_caller]
pub fn expect_kinds(value: &Value, kinds: &[(&str, &str)]) {
    for (key, kind) in kinds {
        let found = value.get(key).unwrap_or_else(|| panic!("{key} is missing in {value}"));
        let fits = match *kind {
            "text" => found.is_string(),
            "number" => found.is_number(),
            "number or null" => found.is_number() || found.is_null(),
            "count" => found.is_u64(),
            "truth" => found.is_boolean(),
            "list" => found.is_array(),
            "table" => found.is_object(),
            "vector" => found.as_array().is_some_and(|v| v.len() == 3 && v.iter().all(Value::is_number)),
            other => panic!("no such kind: {other}"),
        };
        assert!(fits, "{key} is not a {kind}: {found}");
    }
}
