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

/// A press at varying speed and a drop of bounces, by their laws.
#[test]
fn contact_is_found_from_presses_and_drops() {
    let dir = tempfile::tempdir().unwrap();
    let press = |k: i32| {
        let t = 0.01 * f64::from(k);
        let (depth, rate) = (2.0 * (1.0 - (6.0 * t).cos()), 12.0 * (6.0 * t).sin());
        // 3 N/mm and 0.05 N s/mm, from 0.5 mm on, with deviations that look like noise
        let force = if depth > 0.5 { (3.0 * (depth - 0.5) + 0.05 * rate).max(0.0) } else { 0.0 };
        format!("{t},{depth},{}\n", force + 0.02 * f64::from((k * 37) % 11 - 5))
    };
    let rows: String = (0..100).map(press).collect();
    std::fs::write(dir.path().join("press.csv"), format!("t,depth_mm,force\n{rows}")).unwrap();
    let run = |args: &[&str]| pliant_in(dir.path(), args);
    let found = run(&["identify", "contact", "press.csv", "--json", "--out", "found"]).expect_code(0).json();
    let value = |name: &str| number(&found, name)["value"].as_f64().unwrap();
    assert!((value("contact_stiffness") / 3000.0 - 1.0).abs() < 0.02, "{found}");
    assert!((value("contact_damping") / 50.0 - 1.0).abs() < 0.05 && (value("touch") - 5e-4).abs() < 2e-5, "{found}");
    assert!(dir.path().join("found/identified.html").is_file());
    std::fs::write(dir.path().join("bounces.csv"), "apex\n0.8\n0.392\n0.1921\n0.0941\n0.0461\n").unwrap();
    let told = run(&["identify", "contact", "bounces.csv"]).expect_code(2).stderr;
    assert!(told.contains("the mass of what is dropped must be given"), "{told}");
    let text = run(&["identify", "contact", "bounces.csv", "--mass", "0.1"]).expect_code(0).stdout;
    // the square of 0.7 in every bounce
    assert!(text.contains("restitution") && text.contains("not told by these data"), "{text}");
    let json = run(&["identify", "contact", "bounces.csv", "--mass", "0.1", "--stiffness", "1e7", "--json"]).json();
    assert!((number(&json, "restitution")["value"].as_f64().unwrap() - 0.7).abs() < 0.005, "{json}");
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
