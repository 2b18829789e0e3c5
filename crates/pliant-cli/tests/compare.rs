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

/// A rod that falls, on two models, beside its closed form with noise: differences are those of the noise. A table whose clock is late
/// is found to be so, and faults are told.
#[test]
fn models_are_compared_with_measurements() {
    let dir = tempfile::tempdir().unwrap();
    let scene = "duration = 0.6\nstep = 0.002\n[material.m]\nyoung = 1e7\ndensity = 1000\n[[body]]\nname = \"rod\"\nmodel = \"cable\"\n\
                 material = \"m\"\nradius = 0.003\npath = [[0, 0, 0], [0.2, 0, 0]]\nsegments = 10\n";
    std::fs::write(dir.path().join("fall.toml"), scene).unwrap();
    let noise = |k: u32| 1e-3 * (f64::from(k.wrapping_mul(2_654_435_761) >> 8) / 8_388_608.0 - 1.0);
    let table = |late: f64| -> String {
        let row = |k: u32| {
            let t = 0.005 * f64::from(k);
            let fallen: f64 = (t - late).max(0.0);
            format!("{t},{},{}\n", -0.5 * 9.81 * fallen * fallen + noise(k), 0.2 + noise(k + 500))
        };
        (0..110).map(row).fold("time,body.rod.end.z,body.rod.end.x\n".into(), |text, row| text + &row)
    };
    std::fs::write(dir.path().join("track.csv"), table(0.0)).unwrap();
    std::fs::write(dir.path().join("late.csv"), table(0.03)).unwrap();
    let run = |args: &[&str]| pliant_in(dir.path(), &[&["compare", "fall.toml"], args].concat());
    let told = run(&["--measured", "track.csv", "--models", "cable,xpbd", "--json"]).expect_code(0).json();
    let residuals = told["residuals"].as_array().unwrap();
    assert_eq!(residuals.len(), 4);
    for residual in residuals {
        let number = |key: &str| residual[key].as_f64().unwrap();
        // even noise of 1 mm to either side has a deviation of 1/sqrt(3) mm; the second difference of the fall adds 0.25 mm at most
        assert!((number("noise") - 5.8e-4).abs() < 1.5e-4, "{residual}");
        if residual["model"] == "cable" || residual["quantity"] == "body.rod.end.x" {
            assert!((number("rms") - 5.8e-4).abs() < 1.5e-4 && number("largest") < 1.3e-3, "{residual}");
        } else {
            // xpbd moves by the velocity at the end of a step: it is ahead by g h t / 2, here 2.67 mm in the mean
            assert!((number("mean") + 2.67e-3).abs() < 2e-4, "{residual}");
        }
    }
    let late = run(&["--measured", "late.csv", "--models", "cable", "--align", "--json"]).expect_code(0).json();
    assert!((late["shifts"][0][1].as_f64().unwrap() - 0.03).abs() < 1e-3, "{late}");
    let text = run(&["--measured", "late.csv", "--models", "cable", "--align"]).expect_code(0).stdout;
    assert!(text.contains("body.rod.end.z") && text.contains("cable lies best when it is 0.0"), "{text}");
    std::fs::write(dir.path().join("wrong.csv"), "time,body.rope.end.z\n0,1\n1,2\n2,3\n").unwrap();
    let told = run(&["--measured", "wrong.csv"]).expect_code(2).stderr;
    assert!(told.contains("`rope`"), "{told}");
}
