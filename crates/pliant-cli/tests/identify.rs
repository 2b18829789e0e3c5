//! `pliant identify` as a user runs it: tables in, numbers with intervals out, and faults told with their place.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{expect_kinds, pliant_in};
use serde_json::Value;

#[track_caller]
fn number<'a>(found: &'a Value, name: &str) -> &'a Value {
    found["numbers"].as_array().unwrap().iter().find(|number| number["name"] == name).unwrap()
}

/// Measurements without noise, by the theories' closed forms: a circle, a parabola, a cosine that fades.
#[test]
fn tables_become_numbers() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, head: &str, row: &dyn Fn(f64) -> [f64; 2]| {
        let rows: String = (0..60).map(|k| row(f64::from(k) / 60.0)).map(|[a, b]| format!("{a},{b}\n")).collect();
        std::fs::write(dir.path().join(name), format!("{head}\n{rows}")).unwrap();
    };
    write("curl.csv", "x,y", &|u| [0.05 * (3.0 * u).cos(), 0.05 * (3.0 * u).sin() + 1e-5 * (40.0 * u).sin()]);
    write("swing.csv", "t,x", &|u| [3.0 * u, (-0.9 * u).exp() * (36.0 * u).cos() + 1e-4 * (171.0 * u).sin()]);
    let run = |args: &[&str]| pliant_in(dir.path(), args).expect_code(0);
    let found = run(&["identify", "curl", "curl.csv", "--drum", "0.04", "--json"]).json();
    expect_kinds(&found, &[("numbers", "list"), ("used", "count"), ("left_out", "count"), ("deviation", "number")]);
    expect_kinds(number(&found, "kept"), &[("value", "number"), ("unit", "text"), ("interval", "list")]);
    assert!((number(&found, "rest_curvature")["value"].as_f64().unwrap() - 20.0).abs() < 0.05);
    assert!((number(&found, "kept")["value"].as_f64().unwrap() - 0.8).abs() < 0.002);
    let found = run(&["identify", "swing", "swing.csv", "--length", "0.15", "--mass", "0.0138", "--json"]).json();
    // e^(-0.9 u) over 3 s is a decay of 0.3/s, and drag twice that
    assert!((number(&found, "drag")["value"].as_f64().unwrap() - 0.6).abs() < 0.01, "{found}");
    let text = run(&["identify", "curl", "curl.csv", "--out", "found"]).stdout;
    assert!(text.contains("rest_curvature") && text.contains("60 measurements"), "{text}");
    let page = std::fs::read_to_string(dir.path().join("found/identified.html")).unwrap();
    assert!(page.contains("<svg") && page.matches("<circle").count() == 60 && !page.contains("NaN"));
}

#[test]
fn faults_are_told_with_file_and_line() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.csv"), "angle_deg\n20\nmany\n").unwrap();
    let told = pliant_in(dir.path(), &["identify", "slope", "a.csv"]).expect_code(2).stderr;
    assert!(told.contains("a.csv: line 3: angle_deg must be a number, not `many`"), "{told}");
    let told =
        pliant_in(dir.path(), &["identify", "shape", "none.csv", "--length", "1", "--mass", "1"]).expect_code(2).stderr;
    assert!(told.contains("none.csv"), "{told}");
    let told = pliant_in(dir.path(), &["identify", "curl", "a.csv"]).expect_code(2).stderr;
    assert!(told.contains("there is no column x"), "{told}");
}
