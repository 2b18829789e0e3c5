//! Guards `pliant compare`: models agree where they should, one that cannot express a scene says why, and the picture
//! needs no network.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{contents, expect_kinds, pliant, pliant_in, rod_scene, scene};
use serde_json::Value;

const ALL: &str = "cable,chain,elastica,xpbd";

/// The cantilever with few links and little to do for each model.
fn coarse(more: &[&str]) -> common::Ran {
    let mut args = vec!["compare".to_string(), scene("cantilever.toml")];
    for change in ["body.rod.segments=10", "duration=2.5", "body.rod.xpbd.substeps=10", "body.rod.xpbd.iterations=40"] {
        args.extend(["--set".into(), change.into()]);
    }
    let args: Vec<&str> = args.iter().map(String::as_str).chain(more.iter().copied()).collect();
    pliant(&args)
}

fn of<'a>(result: &'a Value, model: &str) -> &'a Value {
    result["models"].as_array().unwrap().iter().find(|row| row["model"] == model).unwrap()
}

#[test]
fn all_models_of_rods_come_to_the_same_rest() {
    let ran = coarse(&["--models", ALL, "--json"]).expect_code(0);
    assert_eq!((ran.stdout.lines().count(), ran.stderr.as_str()), (1, ""));
    let result = ran.json();
    assert_eq!(result["reference"], "cable");
    for row in result["models"].as_array().unwrap() {
        expect_kinds(row, &[("model", "text"), ("runs", "truth"), ("bodies", "list"), ("grippers", "list")]);
        expect_kinds(row, &["time", "wall_s", "real_time_factor", "step_us"].map(|key| (key, "number")));
        assert!(row["refused"].is_null() && row["diverged"].is_null() && row["runs"] == true, "{row}");
        let (body, gripper) = (&row["bodies"][0], &row["grippers"][0]);
        expect_kinds(body, &[("name", "text"), ("tip", "vector")]);
        expect_kinds(body, &["shape_rms_end", "shape_max_end", "shape_rms_max"].map(|key| (key, "number")));
        expect_kinds(gripper, &[("name", "text"), ("force_end", "vector"), ("force_rms_difference", "number")]);
        let value = |key: &str| body[key].as_f64().unwrap();
        assert!(value("shape_rms_end") <= value("shape_max_end") && value("shape_rms_end") <= value("shape_rms_max"));
        // ten links are off by about (1/10)^2 of the length, each in its own way; the heavy elastica's tip, Gamma = 10
        assert!(value("shape_max_end") < 0.02, "{row}");
        let tip: Vec<f64> = body["tip"].as_array().unwrap().iter().map(|c| c.as_f64().unwrap() / 0.4).collect();
        assert!((tip[0] - 0.65635376).hypot(tip[2] + 0.70019972) < 0.02, "{row}");
        // at rest the wall carries the weight: statics, whatever the model
        let weight = 1100.0 * std::f64::consts::PI * 0.003f64.powi(2) * 0.4 * 9.81;
        assert!((gripper["force_end"][2].as_f64().unwrap() / weight + 1.0).abs() < 1e-3, "{row}");
    }
    for key in ["shape_rms_end", "shape_max_end", "shape_rms_max"] {
        assert_eq!(of(&result, "cable")["bodies"][0][key], 0.0);
        assert!(of(&result, "chain")["bodies"][0][key].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn the_first_model_that_runs_is_the_reference_and_results_do_not_depend_on_threads() {
    let run = |threads: &str| {
        let ran = coarse(&["--models", "chain,cable", "--json", "--threads", threads]).expect_code(0);
        let result = ran.json();
        assert_eq!(result["reference"], "chain");
        ["chain", "cable"].map(|model| (of(&result, model)["bodies"].clone(), of(&result, model)["grippers"].clone()))
    };
    assert_eq!(run("1"), run("2"));
}

#[test]
fn people_get_tables() {
    let ran = coarse(&["--models", "chain,cable"]).expect_code(0);
    for part in ["reference", "shape rms / L", "µs a step", "end of", "force on", "wall"] {
        assert!(ran.stdout.contains(part), "{part} in {}", ran.stdout);
    }
}

#[test]
fn a_model_that_cannot_says_why_and_the_others_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let curved = rod_scene("rest = { curved = { curvature = [0.0, 2.0] } }").replace("\"chain\"", "\"cable\"");
    std::fs::write(dir.path().join("curved.toml"), curved).unwrap();
    let ran =
        pliant_in(dir.path(), &["compare", "curved.toml", "--models", "chain,cable,elastica", "--json"]).expect_code(0);
    let why = "curved.toml:13:8: a chain is straight at rest: leave the rest out, or make it a cable";
    assert!(ran.stderr.contains(&format!("chain cannot: {why}")), "{}", ran.stderr);
    let result = ran.json();
    assert_eq!((result["reference"].as_str(), of(&result, "chain")["refused"].as_str()), (Some("cable"), Some(why)));
    assert_eq!((&of(&result, "chain")["runs"], &of(&result, "elastica")["runs"]), (&false.into(), &true.into()));
    assert!(of(&result, "chain")["wall_s"].is_null());
    // for people too
    let ran = pliant_in(dir.path(), &["compare", "curved.toml", "--models", "chain,cable,elastica"]).expect_code(0);
    assert!(ran.stdout.contains(&format!("chain cannot: {why}")), "{}", ran.stdout);
    // one alone is no comparison
    let ran = pliant_in(dir.path(), &["compare", "curved.toml", "--models", "chain,xpbd,cable", "--out", "out"])
        .expect_code(2);
    assert!(ran.stderr.contains("1 of 3 models can express curved.toml: a comparison needs two"), "{}", ran.stderr);
    assert!(!dir.path().join("out").exists());
}

#[test]
fn what_only_one_model_knows_refuses_the_others() {
    let ran = pliant(&["compare", &scene("001-fig3.toml"), "--json"]).expect_code(2);
    assert!(ran.stderr.contains("no other model has `start`"), "{}", ran.stderr);
    assert_eq!(
        (&of(&ran.json(), "elastica")["runs"], &of(&ran.json(), "cable")["runs"]),
        (&true.into(), &false.into())
    );
    let ran = pliant(&["compare", &scene("000-horizontal.toml")]).expect_code(2);
    assert!(ran.stderr.contains("`contraction` replaces the material"), "{}", ran.stderr);
}

#[test]
fn a_model_that_diverges_is_one_and_says_when() {
    let unstable = ["body.rod.chain.update=plain", "body.rod.chain.scaling=1.0"].map(|change| ["--set", change]);
    let args = [&["--models", "chain,cable,xpbd", "--json"], unstable.as_flattened()].concat();
    let ran = coarse(&args).expect_code(1);
    let result = ran.json();
    let why = of(&result, "chain")["diverged"].as_str().unwrap();
    assert!(why.contains("rod diverged at t = "), "{why}");
    assert!(ran.stderr.contains(&format!("on chain, {why}")), "{}", ran.stderr);
    // the reference is one that came to the end
    assert_eq!(result["reference"], "cable");
    assert!(of(&result, "xpbd")["diverged"].is_null());
}

#[test]
fn wrong_models_and_scenes_are_two() {
    let cantilever = scene("cantilever.toml");
    for (models, said) in [
        ("cabel,chain", "did you mean `cable`?"),
        ("lattice,chain", "known: cable, elastica, chain, xpbd"),
        ("chain", "at least two"),
        ("chain,cable,chain", "names chain twice"),
    ] {
        let ran = pliant(&["compare", &cantilever, "--models", models]).expect_code(2);
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
    let ran = pliant(&["compare", &scene("hand.toml")]).expect_code(2);
    assert!(ran.stderr.contains("has no rods"), "{}", ran.stderr);
    // a scene that is wrong as written is told once
    let ran = pliant(&["compare", &cantilever, "--set", "duration=-1"]).expect_code(2);
    assert_eq!(ran.stderr.matches("expected a duration").count(), 1, "{}", ran.stderr);
}

#[test]
fn the_picture_shows_all_models_and_needs_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let scene = scene("cantilever.toml");
    let args = ["compare", &scene, "--set", "duration=0.2", "--models", "cable,chain,xpbd", "--out", "a/b"];
    let ran = pliant_in(dir.path(), &args).expect_code(0);
    assert!(ran.stderr.contains("a/b/compare.html"), "{}", ran.stderr);
    let files = contents(&dir.path().join("a/b"));
    assert_eq!(files.keys().collect::<Vec<_>>(), ["compare.html"]);
    let page = String::from_utf8(files["compare.html"].clone()).unwrap();
    for part in
        ["A rod clamped at one end", "<small>reference</small>", "x [m]", "z [m]", "time [s]", "wall: force [N]"]
    {
        assert!(page.contains(part), "{part}");
    }
    // 100 steps make 101 times; three models each, and six small pictures
    assert_eq!(page.matches("<g class=\"frame\"").count(), 101);
    assert_eq!(page.matches("<polyline").count(), 3 * (101 + 6));
    for foreign in ["src=", "href=", "url(", "@import", "http:", "https:"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    assert!(!page.contains("NaN") && !page.contains("inf") && !page.contains("<!--"));
    // nothing is overwritten
    let again = pliant_in(dir.path(), &args).expect_code(2);
    assert!(again.stderr.contains("already holds files"), "{}", again.stderr);
    assert_eq!(contents(&dir.path().join("a/b")), files);
}
