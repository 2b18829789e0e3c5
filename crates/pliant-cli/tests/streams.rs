//! Guards the two streams: results on standard output, talk on standard error, and a reader that goes away is no crash.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{command, pliant, rod_scene, wait};
use serde_json::Value;

/// Run the command with one of its streams into a pipe that nobody reads any more; its exit code and the other stream.
fn with_closed(stream: &str, args: &[&str]) -> (Option<i32>, String) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("rod.toml"), rod_scene("")).unwrap();
    let other = dir.path().join("other");
    let file = std::fs::File::create(&other).unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = command(dir.path(), args);
    match stream {
        "stdout" => command.stdout(writer).stderr(file),
        _ => command.stdout(file).stderr(writer),
    };
    let code = wait(&mut command.spawn().unwrap());
    (code, std::fs::read_to_string(other).unwrap())
}

#[test]
fn the_schema_is_json_and_names_the_fields() {
    let ran = pliant(&["schema"]).expect_code(0);
    let schema = ran.json();
    let names: Vec<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    for field in ["title", "duration", "step", "gravity", "material", "body", "obstacle", "gripper", "expect"] {
        assert!(names.contains(&field), "{field} in {names:?}");
    }
    let text = schema["$defs"].to_string();
    for field in ["young", "radius", "bending_stiffness", "contact_rate", "bend_angle_deg", "snap", "tolerance"] {
        assert!(text.contains(&format!("\"{field}\":")), "{field}");
    }
    // every field says what it is
    for (name, table) in schema["$defs"].as_object().unwrap() {
        for (field, about) in table["properties"].as_object().into_iter().flatten() {
            assert!(about["description"].as_str().is_some_and(|text| text.len() > 5), "{name}.{field}: {about}");
        }
    }
}

#[test]
fn help_names_every_command_and_option() {
    let help = pliant(&["--help"]).expect_code(0).stdout;
    for word in [
        "run",
        "check",
        "compare",
        "precompute",
        "bench",
        "validate",
        "reproduce",
        "urdf",
        "schema",
        "--json",
        "--set",
        "--out",
        "--threads",
    ] {
        assert!(help.contains(word), "{word} in {help}");
    }
    for command in ["run", "check", "compare", "precompute", "bench", "validate", "reproduce", "urdf", "schema"] {
        let help = pliant(&[command, "--help"]).expect_code(0).stdout;
        assert!(help.contains(&format!("pliant {command}")), "{help}");
    }
    assert!(pliant(&["--version"]).expect_code(0).stdout.starts_with("pliant "));
}

#[test]
fn a_reader_of_results_that_went_away_is_no_crash() {
    for args in [
        &["schema"][..],
        &["--help"],
        &["check", "rod.toml"],
        &["run", "rod.toml"],
        &["run", "rod.toml", "--json"],
        &["run", "rod.toml", "--out", "out"],
        &["bench", "rod.toml", "--seconds", "0.02"],
        &["validate", "papers-parameters"],
        &["reproduce"],
    ] {
        let (code, said) = with_closed("stdout", args);
        assert!(code.is_some() && code != Some(101) && !said.contains("panicked"), "{args:?}: {code:?} {said}");
    }
}

#[test]
fn a_reader_of_talk_that_went_away_is_no_crash() {
    for (args, expected) in [
        (&["run", "nowhere.toml"][..], 2),
        (&["run", "rod.toml", "--out", "out"], 0),
        (&["validate", "papers-parameters"], 0),
    ] {
        assert_eq!(with_closed("stderr", args).0, Some(expected), "{args:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn results_that_do_not_fit_on_the_disk_are_a_failure() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("rod.toml"), rod_scene("")).unwrap();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut child = command(dir.path(), &["run", "rod.toml", "--json"]).stdout(full).spawn().unwrap();
    assert_eq!(wait(&mut child), Some(1));
}

#[test]
fn json_alone_is_on_standard_output() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("rod.toml"), rod_scene("")).unwrap();
    let ran = common::pliant_in(dir.path(), &["run", "rod.toml", "--json", "--out", "out"]).expect_code(0);
    assert!(matches!(ran.json(), Value::Object(_)));
    assert!(ran.stderr.contains("report:"), "the files are named on standard error: {}", ran.stderr);
    // without --json people get a table, and no file is written unasked
    let ran = common::pliant_in(dir.path(), &["run", "rod.toml"]).expect_code(0);
    assert!(ran.stdout.contains("simulated") && ran.stdout.contains("derived parameters"), "{}", ran.stdout);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
}
