//! `pliant urdf`: what it prints of the robots in `robots/`, and of files that make none.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{pliant, pliant_in, root};

#[test]
fn robots_are_shown_as_tables_and_as_json() {
    for (name, freedom, links) in [("arm7", 7, 10), ("arm7-gripper", 8, 13), ("hand", 16, 21), ("walker", 18, 18)] {
        let file = root().join(format!("robots/{name}.urdf"));
        let file = file.to_str().unwrap();
        let told = pliant(&["urdf", file, "--json"]).expect_code(0).json();
        assert_eq!(told["robot"], name);
        assert_eq!(told["degrees_of_freedom"], freedom);
        assert_eq!(told["links"].as_array().unwrap().len(), links);
        let mass = told["links"].as_array().unwrap().iter().map(|l| l["mass"].as_f64().unwrap()).sum::<f64>();
        assert!((told["mass"].as_f64().unwrap() - mass).abs() < 1e-12);
        let shown = pliant(&["urdf", file]).expect_code(0).stdout;
        for joint in told["joints"].as_array().unwrap() {
            assert!(shown.contains(joint["name"].as_str().unwrap()), "{joint}");
        }
    }
}

#[test]
fn what_makes_no_robot_is_bad_input() {
    let dir = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(root().join("robots/arm7.urdf")).unwrap();
    std::fs::write(dir.path().join("bad.urdf"), text.replacen("<mass value=\"2.4\"/>", "<mass value=\"-2.4\"/>", 1))
        .unwrap();
    let said = pliant_in(dir.path(), &["urdf", "bad.urdf"]).expect_code(2).stderr;
    assert!(said.contains("bad.urdf:22:20: a mass must not be negative, got -2.4"), "{said}");
    assert!(pliant_in(dir.path(), &["urdf", "none.urdf"]).expect_code(2).stderr.contains("no such file"));
    pliant_in(dir.path(), &["urdf", "bad.urdf", "--package", "x"]).expect_code(2);
    pliant_in(dir.path(), &["urdf", "bad.urdf", "--out", "o"]).expect_code(2);
}
