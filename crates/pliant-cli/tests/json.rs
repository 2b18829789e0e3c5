//! Guards the machine-readable output: every key that is promised is there, with the right kind of value.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{expect_kinds, pliant, scene};
use serde_json::Value;

#[track_caller]
fn each<'a>(value: &'a Value, key: &str) -> &'a Vec<Value> {
    let list = value[key].as_array().unwrap_or_else(|| panic!("{key} is not a list in {value}"));
    assert!(!list.is_empty(), "{key} is empty");
    list
}

#[test]
fn run_tells_bodies_grippers_contacts_and_events() {
    let run = pliant(&["run", &scene("chain.toml"), "--json"]).expect_code(0);
    assert_eq!(run.stdout.lines().count(), 1, "nothing but JSON on standard output");
    let result = run.json();
    let counts = [("time", "number"), ("steps", "count"), ("wall_s", "number"), ("real_time_factor", "number")];
    expect_kinds(&result, &counts);
    expect_kinds(&result, &[("scene", "text"), ("penetration_max", "number")]);
    assert_eq!(result["steps"], 8000);

    for body in each(&result, "bodies") {
        expect_kinds(body, &[("name", "text"), ("model", "text"), ("nodes", "list"), ("energy", "table")]);
        assert_eq!((body["name"].as_str(), body["model"].as_str()), (Some("rod"), Some("chain")));
        assert_eq!(each(body, "nodes").len(), 11);
        for node in each(body, "nodes") {
            assert!(node.as_array().unwrap().len() == 3 && node.as_array().unwrap().iter().all(Value::is_number));
        }
        let energy = &body["energy"];
        expect_kinds(energy, &["kinetic", "elastic", "gravity", "total"].map(|key| (key, "number")));
        let sum: f64 = ["kinetic", "elastic", "gravity"].iter().map(|key| energy[key].as_f64().unwrap()).sum();
        assert!((sum - energy["total"].as_f64().unwrap()).abs() < 1e-15);
    }
    for gripper in each(&result, "grippers") {
        expect_kinds(gripper, &[("name", "text"), ("attached", "truth")]);
        expect_kinds(gripper, &["position", "force", "torque"].map(|key| (key, "vector")));
    }
    for contact in each(&result, "contacts") {
        expect_kinds(contact, &[("body", "text"), ("other", "text")]);
        expect_kinds(contact, &["position", "normal", "force"].map(|key| (key, "vector")));
        assert_eq!((contact["body"].as_str(), contact["other"].as_str()), (Some("rod"), Some("floor")));
    }
    for event in each(&result, "events") {
        expect_kinds(event, &[("time", "number"), ("kind", "text"), ("text", "text")]);
    }
    assert_eq!(result["events"][0]["text"], "hand grips rod");
    for expectation in each(&result, "expectations") {
        expect_kinds(expectation, &[("text", "text"), ("quantity", "text"), ("verdict", "text")]);
        expect_kinds(expectation, &["value", "min", "max"].map(|key| (key, "number or null")));
    }
}

/// A hairpin that a load presses together; there is no obstacle.
const HAIRPIN: &str = r#"
duration = 0.1
gravity = [0, 0, 0]
recording_rate = 1000
[material.rubber]
young = 4.462e6
poisson = 0.4999
density = 1100
[[body]]
name = "wire"
model = "cable"
material = "rubber"
radius = 0.002
rest = { path = {} }
path = [[0, 0, 0], [0.1, 0, 0], [0.107, 0, 0.003], [0.11, 0, 0.01], [0.107, 0, 0.017], [0.1, 0, 0.02], [0.02, 0, 0.02]]
cable = { damping_time = 0.02, drag = 10.0, tension_limit = 0.005 }
[[gripper]]
name = "hand"
position = [0, 0, 0]
grips = [{ body = "wire", at = "start", orientation = true }]
[[load]]
body = "wire"
at = "end"
force = [0, 0, -0.02]
[[expect]]
quantity = "contacts.count"
during = [0, 0.1]
max = 0
[[expect]]
quantity = "body.wire.bend_radius"
at = "end"
min = 0.005
"#;

#[test]
fn run_tells_of_self_contact_by_how_much_a_limit_is_passed_and_when_an_expectation_was_missed() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("hairpin.toml"), HAIRPIN).unwrap();
    let ran = common::pliant_in(dir.path(), &["run", "hairpin.toml", "--json", "--out", "out"]).expect_code(1);
    let result = ran.json();
    let event =
        |kind: &str| each(&result, "events").iter().find(|e| e["kind"] == kind).unwrap_or_else(|| panic!("{kind}"));
    let met = event("met");
    assert_eq!(met["text"], "wire touches itself");
    let over = event("over-tension");
    expect_kinds(over, &[("node", "count"), ("value", "number"), ("limit", "number")]);
    assert!(over["limit"] == 0.005 && over["value"].as_f64().unwrap() > 0.005, "{over}");
    for contact in each(&result, "contacts") {
        assert_eq!((contact["body"].as_str(), contact["other"].as_str()), (Some("wire"), Some("wire")));
    }
    // the first contact is the first miss
    let [missed, kept] = &each(&result, "expectations")[..] else { panic!() };
    assert_eq!((&missed["verdict"], &missed["first_missed"]), (&"missed".into(), &met["time"]));
    assert!(kept["verdict"] == "met" && kept["first_missed"].is_null());
    let table = std::fs::read_to_string(dir.path().join("out/samples.csv")).unwrap();
    assert_eq!(table.lines().count(), 102, "one row a step, the start and the header");
    // for people too
    let told = common::pliant_in(dir.path(), &["run", "hairpin.toml"]).expect_code(1);
    assert!(told.stdout.contains("MISSED at 0.0"), "{}", told.stdout);
}

#[test]
fn check_tells_what_was_derived_and_why() {
    let result = pliant(&["check", &scene("chain.toml"), "--json"]).expect_code(0).json();
    let body = &result["bodies"][0];
    expect_kinds(body, &[("mass", "number"), ("centre", "vector"), ("inertia", "list")]);
    expect_kinds(&result, &[("scene", "text"), ("title", "text"), ("duration", "number"), ("step", "number")]);
    expect_kinds(&result, &[("warnings", "list")]);
    let body = &each(&result, "bodies")[0];
    expect_kinds(body, &[("name", "text"), ("model", "text"), ("size", "count")]);
    for derived in each(body, "derived") {
        expect_kinds(derived, &[("symbol", "text"), ("value", "number"), ("unit", "text"), ("why", "text")]);
    }
}

#[test]
fn bench_tells_times_of_steps_stages_and_bodies() {
    let args = ["bench", &scene("chain.toml"), "--seconds", "0.05", "--json"];
    let result = pliant(&args).expect_code(0).json();
    let times = ["mean_us", "p50_us", "p95_us", "p99_us", "max_us", "real_time_factor"].map(|key| (key, "number"));
    expect_kinds(&result, &times);
    expect_kinds(&result, &[("scene", "text"), ("threads", "count"), ("step_s", "number"), ("steps", "count")]);
    expect_kinds(
        &result,
        &[
            ("frame_us", "number"),
            ("contacts_mean", "number"),
            ("pairs_mean", "number"),
            ("iterations_mean", "number"),
            ("limit_hits", "number"),
            ("stages_us", "table"),
        ],
    );
    let stages = result["stages_us"].as_object().unwrap();
    assert!(!stages.is_empty() && stages.values().all(Value::is_number), "{stages:?}");
    let body = &each(&result, "bodies")[0];
    expect_kinds(body, &[("name", "text"), ("model", "text"), ("size", "count")]);
    expect_kinds(body, &[("model_steps", "number"), ("ns_per_model_step", "number")]);
    // 20 kHz in steps of a millisecond
    assert_eq!(body["model_steps"], 20.0);
}

#[test]
fn validate_tells_each_comparison_and_counts_them() {
    let result = pliant(&["validate", "papers-parameters", "--json"]).expect_code(0).json();
    for case in each(&result, "cases") {
        expect_kinds(case, &[("case", "text"), ("model", "text"), ("quantity", "text"), ("size", "count")]);
        expect_kinds(case, &["value", "reference", "error", "tolerance"].map(|key| (key, "number")));
        assert_eq!((&case["pass"], case["case"].as_str()), (&Value::Bool(true), Some("papers-parameters")));
    }
    assert_eq!(result["passed"].as_u64(), Some(each(&result, "cases").len() as u64));
    assert_eq!(result["failed"], 0);
}

#[test]
fn validate_takes_a_model_or_a_case() {
    // the quick ones; a model's name selects all of its cases
    for case in ["force-is-energy-gradient", "no-net-force-or-torque", "rigid-motion"] {
        let result = pliant(&["validate", case, "--json"]).expect_code(0).json();
        assert!(each(&result, "cases").iter().all(|row| row["case"] == case && row["model"] == "chain"));
    }
}

#[test]
fn reproduce_lists_its_experiments() {
    let ids = pliant(&["reproduce", "--json"]).expect_code(0).json();
    let listed = pliant(&["reproduce"]).expect_code(0).stdout;
    for id in [
        "000-rotation",
        "000-horizontal",
        "000-accelerated",
        "000-steel",
        "000-points",
        "001-fig3",
        "001-fig4",
        "001-fig5",
        "002-impulse",
        "002-table1",
        "002-bounce",
        "002-shake",
        "002-cost",
        "003-spring",
        "004-table1",
        "004-steps",
        "004-force",
        "004-convergence",
        "004-identify",
    ] {
        assert!(ids.as_array().unwrap().iter().any(|known| known == id), "{id} in {ids}");
        assert!(listed.contains(id), "{id} in {listed}");
    }
    // every figure, with the reason why nothing shows it
    assert!(listed.contains("Fig. 13") && listed.contains("nothing: how often a solid is divided"), "{listed}");
}

/// Statements that hold, and others that do not, of experiments that take no time.
#[test]
fn points_and_springs_are_reproduced() {
    let dir = tempfile::tempdir().unwrap();
    let row = |result: &Value, what: &str| {
        let found =
            each(result, "rows").iter().find(|row| row["quantity"].as_str().unwrap().starts_with(what)).cloned();
        found.unwrap_or_else(|| panic!("{what} in {result}"))
    };
    let run = |id: &str| common::pliant_in(dir.path(), &["reproduce", id, "--json", "--out", id]).expect_code(0).json();
    let points = run("000-points");
    // (1 - cos a) sqrt((1 - cos a) / 2) goes with a^3, and a from 1/4 to 1/9 of a quarter turn: (4/9)^3 = 0.088 nearly
    let printed = row(&points, "(9) as printed");
    assert!((printed["ours"].as_f64().unwrap() - 0.088).abs() < 0.002 && printed["holds"] == false, "{printed}");
    let spring = run("003-spring");
    for (what, holds) in [
        ("at and above critical damping", true),
        ("alpha = 0: share", true),
        ("alpha = 0.5: the same", false),
        ("Verlet, constant steps of 250 ms", true),
        ("(5), (6), adaptive steps", true),
    ] {
        assert_eq!(row(&spring, what)["holds"], holds, "{what}: {spring}");
    }
    let fluid = run("003-fluid");
    assert!(each(&fluid, "rows").iter().all(|row| row["holds"] == true), "{fluid}");
}

#[test]
fn reproduce_puts_the_papers_figures_beside_ours_and_draws() {
    let dir = tempfile::tempdir().unwrap();
    let ran = common::pliant_in(dir.path(), &["reproduce", "000-steel", "--json", "--out", "drawn"]).expect_code(0);
    let result = ran.json();
    expect_kinds(&result, &[("id", "text"), ("seed", "text"), ("choices", "table")]);
    assert_eq!(result["id"], "000-steel");
    assert!(result["choices"].as_object().unwrap().values().all(Value::is_string));
    for row in each(&result, "rows") {
        expect_kinds(row, &[("quantity", "text"), ("unit", "text"), ("holds", "truth")]);
        expect_kinds(row, &[("paper", "number or null"), ("ours", "number or null")]);
    }
    // some figure of the paper is named, and a figure that is not reached is told as not reached
    assert!(each(&result, "rows").iter().any(|row| row["paper"].is_number()));
    assert!(each(&result, "rows").iter().any(|row| row["holds"] == false));
    let drawing = std::fs::read_to_string(dir.path().join("drawn/000-steel.svg")).unwrap();
    assert!(drawing.starts_with("<svg") && drawing.trim_end().ends_with("</svg>"));
}

#[test]
fn the_force_of_winding_is_reproduced() {
    let dir = tempfile::tempdir().unwrap();
    let ran = common::pliant_in(dir.path(), &["reproduce", "004-force", "--json", "--out", "drawn"]).expect_code(0);
    let result = ran.json();
    let rows = each(&result, "rows");
    // the paper's errors are against its robot: none of its figures stands beside ours
    assert!(rows.iter().all(|row| row["paper"].is_null()), "{rows:?}");
    let worse = |row: &&Value| row["quantity"].as_str().unwrap().contains("more than the cable's");
    assert_eq!(rows.iter().filter(worse).filter(|row| row["holds"] == true).count(), 3, "{rows:?}");
    let cable = |row: &&Value| row["quantity"].as_str().unwrap().starts_with("cable");
    assert_eq!(rows.iter().filter(cable).filter(|row| row["holds"] == true).count(), 2, "{rows:?}");
    assert!(std::fs::read_to_string(dir.path().join("drawn/004-force.svg")).unwrap().starts_with("<svg"));
}

#[test]
fn friction_is_identified_from_what_it_makes_and_stiffness_is_not() {
    let result = pliant(&["reproduce", "004-identify", "--json"]).expect_code(0).json();
    let rows = each(&result, "rows");
    let row = |part: &str| rows.iter().find(|row| row["quantity"].as_str().unwrap().contains(part)).unwrap();
    for part in ["friction.coefficient", "friction.exponent", "kappa", "N: days", "nu / E"] {
        assert_eq!(row(part)["holds"], true, "{}", row(part));
    }
    assert_eq!((&row("of E and nu")["holds"], row("of E and nu")["ours"].as_f64()), (&Value::Bool(false), Some(0.0)));
}

#[test]
fn the_figures_of_the_planar_rod_are_reproduced() {
    let dir = tempfile::tempdir().unwrap();
    for (id, drawings) in [
        ("001-fig3", ["001-fig3", "001-fig3-mu"]),
        ("001-fig4", ["001-fig4", "001-fig4-stiff"]),
        ("001-fig5", ["001-fig5", "001-fig5-stiff"]),
    ] {
        let ran = common::pliant_in(dir.path(), &["reproduce", id, "--json", "--out", id]).expect_code(0);
        let rows = ran.json()["rows"].as_array().unwrap().clone();
        assert!(rows.iter().all(|row| row["ours"].is_number()), "{rows:?}");
        for name in drawings {
            let drawing = std::fs::read_to_string(dir.path().join(id).join(format!("{name}.svg"))).unwrap();
            assert!(drawing.matches("<text").count() > 8, "a time below each shape of {name}");
        }
        // what the obstacle and the other side of the rod hold back does not go through, where they are stiff enough
        let stiff =
            |row: &&Value| ["k_c = 1e5", "mu = 20"].iter().any(|k| row["quantity"].as_str().unwrap().contains(k));
        assert!(rows.iter().filter(stiff).all(|row| row["holds"] == true), "{rows:?}");
    }
}

#[test]
fn the_soft_cube_is_reproduced() {
    let dir = tempfile::tempdir().unwrap();
    // not the experiments whose rows are times or thresholds of sight
    for (id, drawings) in [("002-bounce", &["002-bounce"][..]), ("002-shake", &["002-shake", "002-shake-forces"])] {
        let ran = common::pliant_in(dir.path(), &["reproduce", id, "--json", "--out", id]).expect_code(0);
        let rows = ran.json()["rows"].as_array().unwrap().clone();
        let timed = |row: &&Value| row["unit"] == "ms";
        assert!(rows.iter().filter(|row| !timed(row)).all(|row| row["holds"] == true), "{rows:?}");
        for name in drawings {
            let drawing = std::fs::read_to_string(dir.path().join(id).join(format!("{name}.svg"))).unwrap();
            assert!(drawing.starts_with("<svg") && drawing.trim_end().ends_with("</svg>"), "{name}");
        }
    }
}
