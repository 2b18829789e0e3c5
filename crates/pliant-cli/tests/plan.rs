//! `pliant plan`: what it prints and writes of scenes with a goal, and of goals that are not reached.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{expect_kinds, pliant, scene};

#[test]
fn a_motion_is_printed_and_written() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("plan");
    let ran = pliant(&["plan", &scene("gap.toml"), "--json", "--out", out.to_str().unwrap()]).expect_code(0);
    let plan = ran.json();
    let numbers = ["time", "path_length", "clearance_min", "wall_s", "distance", "angle"];
    expect_kinds(&plan, &numbers.map(|key| (key, "number")));
    expect_kinds(&plan, &[("reached", "truth"), ("virtual_obstacles", "count"), ("scene", "text")]);
    assert_eq!((plan["reached"].as_bool(), plan["ending"].as_str()), (Some(true), Some("reached")));
    let table = std::fs::read_to_string(out.join("plan.csv")).unwrap();
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("time,wheels/x,wheels/y,wheels/turn"));
    // from where the scene puts the robot to its goal
    let row = |line: &str| line.split(',').map(|x| x.parse::<f64>().unwrap()).collect::<Vec<_>>();
    assert_eq!(row(lines.next().unwrap()), [0.0, -1.5, 0.6, 1.4]);
    let last = row(lines.last().unwrap());
    assert!((last[1] - 1.5).hypot(last[2] + 0.3) <= 0.01, "{last:?}");
    assert!((last[0] - plan["time"].as_f64().unwrap()).abs() < 1e-9);
    let written: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(out.join("plan.json")).unwrap()).unwrap();
    assert_eq!(written["clearance_min"], plan["clearance_min"]);
}

#[test]
fn a_goal_that_is_not_reached_is_told_by_the_limit() {
    let ran = pliant(&["plan", &scene("trap.toml"), "--set", "plan.most_virtual_obstacles=0"]).expect_code(1);
    assert!(ran.stderr.contains("not reached within 0 virtual obstacles"), "{}", ran.stderr);
}

#[test]
fn a_slippery_grasp_is_told_to_be_bad() {
    let slippery = ["material.rubber.friction.coefficient=0.02", "material.foam.friction.coefficient=0.02"];
    let ran = pliant(&["plan", &scene("grasp.toml"), "--set", slippery[0], "--set", slippery[1]]).expect_code(1);
    assert!(ran.stderr.contains("a bad grasp"), "{}", ran.stderr);
}

#[test]
fn scenes_without_a_goal_and_arms_that_are_not_there_are_bad_input() {
    let ran = pliant(&["plan", &scene("chain.toml")]).expect_code(2);
    assert!(ran.stderr.contains("no [plan]"), "{}", ran.stderr);
    let ran = pliant(&["plan", &scene("trap.toml"), "--set", "plan.arm=\"robto\""]).expect_code(2);
    assert!(ran.stderr.contains("robot"), "{}", ran.stderr);
    let ran = pliant(&["plan", &scene("trap.toml"), "--set", "plan.link=\"card\""]).expect_code(2);
    assert!(ran.stderr.contains("cart"), "{}", ran.stderr);
}
