//! Guards the exit codes, 0 done, 1 the run failed, 2 bad input, and that the message on standard error says what to
//! mend and where.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{pliant, pliant_in, rod_scene, scene};

/// Run `check` on a scene text; its standard error, after exit code 2.
#[track_caller]
fn refused(content: &str, more: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("bad.toml"), content).unwrap();
    let ran = pliant_in(dir.path(), &[&["check", "bad.toml"], more].concat()).expect_code(2);
    assert_eq!(ran.stdout, "");
    // run refuses it with the same words
    let run = pliant_in(dir.path(), &[&["run", "bad.toml", "--json"], more].concat()).expect_code(2);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ran.stderr.as_str()));
    ran.stderr
}

#[test]
fn a_good_scene_is_zero() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("rod.toml"), rod_scene("")).unwrap();
    pliant_in(dir.path(), &["check", "rod.toml"]).expect_code(0);
    pliant_in(dir.path(), &["run", "rod.toml"]).expect_code(0);
}

#[test]
fn a_bad_scene_names_file_line_column_and_the_nearest_word() {
    let said = refused(&rod_scene("").replace("radius", "radus"), &[]);
    assert!(said.contains("bad.toml:11:1: unknown field `radus` (did you mean `radius`?)"), "{said}");
    // and shows the line
    assert!(said.contains("radus = 0.003"), "{said}");
    let said = refused(&rod_scene("").replace("\"chain\"", "\"chian\""), &[]);
    assert!(said.contains("bad.toml:9:9: unknown choice `chian`") && said.contains("chain"), "{said}");
    let said = refused(&rod_scene("").replace("material = \"rubber\"", "material = \"ruber\""), &[]);
    assert!(said.contains("bad.toml:10:12: ") && said.contains("did you mean `rubber`?"), "{said}");
}

#[test]
fn a_wrong_number_says_range_and_unit() {
    let said = refused(&rod_scene("").replace("0.003", "-0.003"), &[]);
    assert!(said.contains("bad.toml:11:10: radius: expected a length from 1e-9 to 1e6 [m], got -0.003"), "{said}");
    let said = refused(&rod_scene("").replace("0.003", "\"3 mm\""), &[]);
    assert!(said.contains("bad.toml:11:10: ") && said.contains("[m]"), "{said}");
}

#[test]
fn text_that_is_no_toml_says_where() {
    let said = refused(&rod_scene("").replace("radius =", "radius"), &[]);
    assert!(said.contains("bad.toml:11:"), "{said}");
}

#[test]
fn a_wrong_override_is_named() {
    let good = rod_scene("");
    for (change, help) in [
        ("body.rod.pionts=3", "did you mean `points`?"),
        ("body.rdo.points=3", "did you mean `rod`?"),
        ("duration=-1", "expected a duration above 0"),
    ] {
        let said = refused(&good, &["--set", change]);
        assert!(said.contains(&format!("--set {change}")) && said.contains(help), "{said}");
    }
    pliant(&["check", &scene("chain.toml"), "--set", "duration"]).expect_code(2);
}

#[test]
fn a_missing_file_and_a_directory_are_named() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("folder")).unwrap();
    for command in ["run", "check", "bench"] {
        let ran = pliant_in(dir.path(), &[command, "nowhere.toml"]).expect_code(2);
        assert!(ran.stderr.contains("nowhere.toml: there is no such file"), "{}", ran.stderr);
        let ran = pliant_in(dir.path(), &[command, "folder"]).expect_code(2);
        assert!(ran.stderr.contains("folder: is a folder, not a file"), "{}", ran.stderr);
    }
}

#[test]
fn a_missing_mesh_or_table_is_named() {
    let mesh = "[[obstacle]]\nname = \"part\"\nshape = { mesh = { file = \"part.stl\" } }\n";
    let said = refused(&(rod_scene("") + mesh), &[]);
    assert!(said.contains("part.stl: there is no such file"), "{said}");
    let said = refused(&rod_scene(""), &["--set", "gripper.hand.motion={samples={file=\"way.csv\"}}"]);
    assert!(said.contains("way.csv: there is no such file"), "{said}");
}

#[test]
fn an_unknown_experiment_or_case_lists_the_known_ones() {
    let ran = pliant(&["reproduce", "000-nothing"]).expect_code(2);
    assert!(ran.stderr.contains("000-nothing") && ran.stderr.contains("000-rotation"), "{}", ran.stderr);
    let ran = pliant(&["validate", "nothing"]).expect_code(2);
    assert!(ran.stderr.contains("nothing") && ran.stderr.contains("heavy-elastica"), "{}", ran.stderr);
}

#[test]
fn unknown_arguments_are_two() {
    for args in [&["rnu"][..], &["run"], &["run", "a.toml", "--thread", "1"], &["run", "a.toml", "--threads", "0"]] {
        let ran = pliant(args).expect_code(2);
        assert!(ran.stderr.contains("--help"), "{}", ran.stderr);
    }
}

#[test]
fn a_missed_expectation_is_one_and_the_results_are_still_printed() {
    let args = ["run", &scene("chain.toml"), "--set", "expect.0.min=0.5", "--set", "expect.0.max=0.6", "--json"];
    let ran = pliant(&args).expect_code(1);
    assert!(ran.stderr.contains("1 of 3 expectations missed"), "{}", ran.stderr);
    let expectations = ran.json()["expectations"].clone();
    assert_eq!((&expectations[0]["verdict"], &expectations[1]["verdict"]), (&"missed".into(), &"met".into()));
    let shown = pliant(&args[..6]).expect_code(1);
    assert!(shown.stdout.contains("MISSED"), "{}", shown.stdout);
}

#[test]
fn a_diverging_run_is_one_and_names_body_time_and_quantity() {
    let scene = scene("chain.toml");
    let unstable = ["--set", "body.rod.chain.update=plain", "--set", "body.rod.chain.scaling=1.0"];
    let ran = pliant(&[&["run", &scene, "--json"], &unstable[..]].concat()).expect_code(1);
    let told = ran.stderr.lines().last().unwrap();
    assert!(told.contains("rod diverged at t = 0.0") && told.contains(" s: "), "{told}");
    assert!(told.contains("of point ") && told.contains("[m] is "), "{told}");
    // what is printed are the last finite numbers, and the reason
    let result = ran.json();
    assert!(result["error"].as_str().unwrap().contains("rod diverged"));
    assert!(
        result["bodies"][0]["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|n| n.as_array().unwrap())
            .all(|c| c.is_number())
    );
    // bench fails alike
    pliant(&[&["bench", &scene, "--seconds", "0.05"], &unstable[..]].concat()).expect_code(1);
}
