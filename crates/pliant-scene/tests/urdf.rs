//! Robots from URDF files: right ones, wrong ones, and right ones with random mistakes in them.
//!
//! `PLIANT_FUZZ_COUNT` sets the number of mutations and `PLIANT_FUZZ_SEED` the first state of the generator; a failure prints
//! the text that caused it.

#![allow(clippy::unwrap_used, missing_docs)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use pliant::robot::{State, Stepper};
use pliant_scene::robot::{Geometry, Robot, UrdfOptions, load_urdf, parse_urdf};

const ROBOTS: [&str; 4] = [
    include_str!("../robots/arm7.urdf"),
    include_str!("../robots/arm7-gripper.urdf"),
    include_str!("../robots/hand.urdf"),
    include_str!("../robots/walker.urdf"),
];

/// Every element that is read, once.
const SMALL: &str = r#"<?xml version="1.0"?>
<robot name="small">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"/>
  <link name="arm">
    <inertial><origin xyz="0 0 0.1" rpy="0.1 0.2 0.3"/><mass value="1.5"/><inertia ixx="0.01" ixy="0.001" ixz="0" iyy="0.02" iyz="0" izz="0.015"/></inertial>
    <visual><geometry><box size="0.1 0.1 0.2"/></geometry><material name="grey"/></visual>
    <collision><origin xyz="0 0 0.1"/><geometry><cylinder radius="0.05" length="0.2"/></geometry></collision>
    <collision><geometry><sphere radius="0.05"/></geometry></collision>
  </link>
  <link name="left"><inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4"/></inertial></link>
  <link name="right"><inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4"/></inertial></link>
  <link name="puck"><inertial><mass value="0.2"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4"/></inertial></link>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="arm"/><origin xyz="0 0 0.3" rpy="0 1.57 0"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" effort="10" velocity="3"/><dynamics damping="0.1" friction="0.2"/>
  </joint>
  <joint name="open" type="prismatic"><parent link="arm"/><child link="left"/><axis xyz="1 0 0"/><limit lower="0" upper="0.05" effort="5" velocity="1"/></joint>
  <joint name="other" type="prismatic"><parent link="arm"/><child link="right"/><axis xyz="-1 0 0"/><limit lower="0" upper="0.05" effort="5" velocity="1"/><mimic joint="open" multiplier="1" offset="0"/></joint>
  <joint name="glide" type="planar"><parent link="base"/><child link="puck"/><axis xyz="0 0 1"/></joint>
  <transmission name="t"><type>simple</type></transmission>
  <gazebo reference="arm"/>
</robot>
"#;

fn read(text: &str) -> Result<Robot, String> {
    parse_urdf(text, "r.urdf", Path::new("nowhere"), &UrdfOptions::default()).map_err(|e| e.to_string())
}

/// The small robot with one thing exchanged for another must be refused with this message.
fn refused(from: &str, to: &str, message: &str) {
    assert!(SMALL.contains(from), "{from}");
    let error = read(&SMALL.replacen(from, to, 1)).map(|r| r.spec.name).unwrap_err();
    assert!(error.contains(message), "{error}\nfor {to}");
    let mut place = error.strip_prefix("r.urdf:").unwrap().split(':');
    let numbers = [place.next(), place.next()].map(|n| n.and_then(|n| n.parse::<usize>().ok()));
    assert!(numbers.iter().all(|n| n.is_some_and(|n| n > 0)), "no place: {error}");
}

#[test]
fn all_elements_are_read_and_others_are_listed() {
    let robot = read(SMALL).unwrap();
    let spec = &robot.spec;
    assert_eq!((spec.name.as_str(), spec.links.len(), spec.joints.len()), ("small", 5, 4));
    // turn, open (which `other` follows), and three of the plane
    let names: Vec<_> = robot.model.coordinates().iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["turn", "open", "glide/x", "glide/y", "glide/turn"]);
    let turn = &robot.model.coordinates()[0];
    assert_eq!((turn.range, turn.effort, turn.velocity), ([-1.0, 2.0], 10.0, 3.0));
    assert_eq!((turn.damping, turn.friction), (0.1, 0.2));
    assert_eq!(robot.shapes.len(), 3);
    assert!(matches!(robot.shapes[1].geometry, Geometry::Cylinder { radius: 0.05, length: 0.2 }));
    // the trace of an inertia does not change with the axes
    let trace = (0..3).map(|k| spec.links[1].inertia.col(k)[k]).sum::<f64>();
    assert!((trace - 0.045).abs() < 1e-15);
    let all = robot.ignored.join("; ");
    for what in ["<transmission> in <robot>", "<gazebo> in <robot>", "<material> in <robot>", "<material> in <visual>"]
    {
        assert!(all.contains(what), "{what} is missing in {all}");
    }
    let fingers = &ROBOTS.map(|text| read(text).unwrap().model.velocities());
    assert_eq!(fingers, &[7, 8, 16, 18]);
}

#[test]
fn mistakes_are_told_with_their_place() {
    refused("<robot name=\"small\">", "<robt name=\"small\">", "not XML");
    refused("</robot>", "", "not XML");
    refused("<mass value=\"1.5\"/>", "<mass value=\"-1.5\"/>", "must not be negative, got -1.5");
    refused("<mass value=\"1.5\"/>", "<mass value=\"NaN\"/>", "`NaN` is not a finite number");
    refused("<mass value=\"1.5\"/>", "<mass value=\"1e999\"/>", "not a finite number");
    refused("<mass value=\"1.5\"/>", "<mass/>", "<mass> needs the attribute value");
    refused("<mass value=\"1.5\"/>", "", "needs a <mass>");
    refused("iyy=\"0.02\"", "iyy=\"-0.02\"", "not positive definite");
    refused("ixy=\"0.001\"", "ixy=\"0.1\"", "not positive definite");
    refused("<child link=\"arm\"/>", "<child link=\"amr\"/>", "there is no link named amr (did you mean `arm`?)");
    refused("<child link=\"arm\"/>", "", "turn needs a <child>");
    refused("<child link=\"arm\"/>", "<child link=\"base\"/>", "joins base to itself");
    refused("<child link=\"left\"/>", "<child link=\"right\"/>", "hangs on two joints");
    refused("<parent link=\"base\"/><child link=\"arm\"/>", "<parent link=\"left\"/><child link=\"arm\"/>", "circle");
    refused(
        "<link name=\"base\"/>",
        "<link name=\"base\"/><link name=\"alone\"/>",
        "both base and alone hang on no joint",
    );
    refused("<link name=\"base\"/>", "<link name=\"arm\"/>", "the name arm is there twice");
    refused("type=\"revolute\"", "type=\"revolut\"", "unknown type of joint `revolut` (did you mean `revolute`?)");
    refused("<limit lower=\"-1\" upper=\"2\" effort=\"10\" velocity=\"3\"/>", "", "needs a <limit>");
    refused("lower=\"-1\"", "lower=\"3\"", "must be in order, got 3 to 2");
    refused("effort=\"10\"", "effort=\"-10\"", "must not be negative, got -10");
    refused("damping=\"0.1\"", "damping=\"-0.1\"", "must be finite and not negative, got -0.1");
    refused("<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 0\"/>", "must have a direction");
    refused("<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 1\"/>", "xyz takes 3 numbers, got 2");
    refused("<mimic joint=\"open\"", "<mimic joint=\"other\"", "follows itself");
    refused("<mimic joint=\"open\"", "<mimic joint=\"glide\"", "which has not one coordinate");
    refused("multiplier=\"1\"", "multiplier=\"0\"", "make it a fixed joint");
    refused("<sphere radius=\"0.05\"/>", "<sphere radius=\"0\"/>", "radius must be positive");
    refused("<sphere radius=\"0.05\"/>", "<mesh filename=\"a.stl\"/>", "there is no mesh nowhere/a.stl");
    refused(
        "<sphere radius=\"0.05\"/>",
        "<mesh filename=\"package://p/a.stl\"/>",
        "the folder of the package `p` is not known",
    );
    refused("type=\"planar\"", "type=\"floating\"", "is a floating joint within the robot");
    refused(
        "<inertial><mass value=\"0.2\"/><inertia ixx=\"1e-4\" iyy=\"1e-4\" izz=\"1e-4\"/></inertial>",
        "",
        "moves no inertia",
    );
    let bomb = r#"<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><robot name="&b;"/>"#;
    assert!(read(bomb).unwrap_err().contains("a DTD is not read"));
    assert!(read("").unwrap_err().contains("not XML"));
    assert!(read("<robot/>").unwrap_err().contains("at least one link"));
    assert!(read("<sdf/>").unwrap_err().contains("begins with <robot>"));
}

#[test]
fn meshes_are_found_beside_the_file_and_in_packages() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.stl"), "solid").unwrap();
    let text = |name: &str| {
        SMALL.replace("<sphere radius=\"0.05\"/>", &format!("<mesh filename=\"{name}\" scale=\"1 1 2\"/>"))
    };
    std::fs::write(dir.path().join("r.urdf"), text("a.stl")).unwrap();
    let robot = load_urdf(&dir.path().join("r.urdf"), &UrdfOptions::default()).unwrap();
    assert!(matches!(&robot.shapes[2].geometry, Geometry::Mesh { scale, .. } if scale.z == 2.0));
    let options = UrdfOptions { packages: vec![("p".into(), dir.path().into())], ..UrdfOptions::default() };
    assert!(parse_urdf(&text("package://p/a.stl"), "r", Path::new("nowhere"), &options).is_ok());
    std::fs::write(dir.path().join("b.dae"), "").unwrap();
    let robot = parse_urdf(&text("package://p/b.dae"), "r", Path::new("nowhere"), &options).unwrap();
    assert!(robot.ignored.iter().any(|i| i.contains("`dae`")), "{:?}", robot.ignored);
    assert!(load_urdf(&dir.path().join("none.urdf"), &options).unwrap_err().to_string().contains("no such file"));
    std::fs::write(dir.path().join("bytes.urdf"), b"<robot name=\"\xff\"/>").unwrap();
    assert!(
        load_urdf(&dir.path().join("bytes.urdf"), &options)
            .unwrap_err()
            .to_string()
            .contains("1:14: the text is not UTF-8")
    );
}

/// A chain of so many joints, one hanging on the other, written from the tip.
fn chain(joints: usize, kind: &str) -> String {
    let mut text = String::from("<robot name=\"chain\">\n");
    for i in (0..=joints).rev() {
        text += &format!(
            "<link name=\"l{i}\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link>\n"
        );
    }
    for i in (0..joints).rev() {
        text += &format!(
            "<joint name=\"j{i}\" type=\"{kind}\"><parent link=\"l{i}\"/><child link=\"l{}\"/></joint>\n",
            i + 1
        );
    }
    text + "</robot>"
}

#[test]
fn deep_and_large_files_end_in_a_robot_or_an_error() {
    let error = read(&chain(10_000, "continuous")).map(|_| ()).unwrap_err();
    assert!(error.contains("10000 moving joints are too many: at most 1000"), "{error}");
    assert_eq!(read(&chain(10_000, "fixed")).unwrap().model.velocities(), 0);
    assert_eq!(read(&chain(300, "continuous")).unwrap().model.velocities(), 300);
    // nested, not chained
    let deep = format!("<robot>{}{}</robot>", "<link name=\"a\">".repeat(100_000), "</link>".repeat(100_000));
    assert!(read(&deep).unwrap_err().contains("nested deeper than 100 levels"));
    let hidden = format!("<robot><!-- {} --><a b='/>'>{}", "</a>".repeat(200), "<link name=\"a\">".repeat(100_000));
    assert!(read(&hidden).unwrap_err().contains("nested deeper than 100 levels"));
    let wide = format!("<robot>{}</robot>", "<a/>".repeat(3_000_000));
    assert!(read(&wide).unwrap_err().contains("more than 2000000 elements"));
}

/// Knuth's linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % count.max(1)
    }
}

/// A text with one to four mistakes.
fn mutated(text: &str, random: &mut Random) -> String {
    const WORDS: [&str; 24] = [
        "NaN",
        "-1",
        "0",
        "1e308",
        "-1e-308",
        "inf",
        "",
        "<",
        ">",
        "\"",
        "/>",
        "</link>",
        "<link name=\"x\">",
        "arm",
        "base",
        "fixed",
        "planar",
        "floating",
        "continuous",
        "<mimic joint=\"turn\"/>",
        "&amp;",
        "&#0;",
        "µ",
        "<!--",
    ];
    let mut text = text.to_string();
    for _ in 0..=random.below(4) {
        let at = text.floor_char_boundary(random.below(text.len() + 1));
        let to = text.floor_char_boundary((at + random.below(40)).min(text.len())).max(at);
        match random.below(5) {
            0 => text.replace_range(at..to, ""),
            1 => text.insert_str(at, WORDS[random.below(WORDS.len())]),
            2 => {
                let piece = text[at..to].to_string();
                let other = text.floor_char_boundary(random.below(text.len() + 1));
                text.insert_str(other, &piece);
            }
            // a value for another
            _ => {
                let Some(start) = text[at..].find('"').map(|i| at + i + 1) else { continue };
                let Some(end) = text[start..].find('"').map(|i| start + i) else { continue };
                text.replace_range(start..end, WORDS[random.below(WORDS.len())]);
            }
        }
    }
    text
}

#[test]
fn random_mistakes_end_in_a_robot_that_moves_or_an_error() {
    let number = |name: &str, default: u64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default);
    let (count, mut random) = (number("PLIANT_FUZZ_COUNT", 20_000), Random(number("PLIANT_FUZZ_SEED", 1)));
    let (mut robots, mut errors) = (0, 0);
    for n in 0..count {
        // the small one has every element; the others take longer
        let source = if n % 16 == 0 { ROBOTS[random.below(ROBOTS.len())] } else { SMALL };
        let text = mutated(source, &mut random);
        let start = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| {
            let robot = read(&text)?;
            let (mut state, mut stepper) = (State::new(&robot.model), Stepper::new(&robot.model));
            state.v.fill(0.1);
            let tau = vec![0.0; robot.model.velocities()];
            // a robot with masses of 1e308 may well have no step
            if stepper.step(&robot.model, &mut state, 0.01, &tau, &[]).is_ok() {
                assert!(state.q.iter().chain(&state.v).all(|x| x.is_finite()));
            }
            Ok::<_, String>(())
        }));
        match result {
            Ok(Ok(())) => robots += 1,
            Ok(Err(error)) => {
                assert!(error.starts_with("r.urdf:"), "{error}");
                errors += 1;
            }
            Err(_) => panic!("panic at mutation {n} of\n{text}"),
        }
        assert!(start.elapsed() < Duration::from_secs(20), "hangs at mutation {n} of\n{text}");
    }
    assert!(robots > 0 && errors > 0, "{robots} robots, {errors} errors");
}
