//! Joints between parts of a solid in a scene: they reach the engine as they are written, and what joins nothing is refused.

#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;

use pliant::Body;
use pliant_scene::{Scene, SceneError, parse};

fn read(connectors: &str) -> Result<Scene, SceneError> {
    let text = format!(
        "duration = 1\n[material.m]\nyoung = 1e5\ndensity = 1000\n\
         [[body]]\nname = 'a'\nmodel = 'lattice'\nmaterial = 'm'\nparts = [\n\
         {{ name = 'base', solid = {{ box = {{ size = [0.1, 0.1, 0.1] }} }} }},\n\
         {{ name = 'arm', solid = {{ box = {{ size = [0.3, 0.1, 0.1], cells = [3, 1, 1] }} }}, position = [0.2, 0, 0.1] }},\n\
         ]\n[body.lattice]\nconnectors = [{connectors}]\n"
    );
    parse(&text, "s.toml", Path::new("."), &[])
}

const HINGE: &str = "{ revolute = { name = 'hinge', parts = ['base', 'arm'], at = [0.05, 0, 0.05], axis = [0, 2, 0], stiffness = 3, \
                     damping = 0.1, rest_deg = 30, stops_deg = [-90, 45], stop_stiffness = 70, stop_damping = 0.2, width = 0.04, \
                     holding = 1e4, drive = { to_deg = 90, start = 1, end = 2 } } }";
const SLIDE: &str = "{ prismatic = { name = 'slide', parts = ['arm', 'base'], at = [0, 0, 0.05], axis = [1, 0, 0], stiffness = 40, \
                     stops = [-0.1, 0.2], rest = 0.01, drive = { speed = 0.1 } } }";

/// The `Debug` picture of a body holds its joints with all their numbers.
#[test]
fn joints_are_read() {
    let scene = read(&format!("{HINGE}, {SLIDE}")).unwrap();
    let Body::Lattice(body) = &scene.world.bodies()[0] else { panic!("no lattice") };
    assert_eq!(body.joints().collect::<Vec<_>>(), [("hinge", false), ("slide", true)]);
    let picture = format!("{body:?}");
    let degrees = |angle: f64| format!("{:?}", angle.to_radians());
    for expected in [
        "kind: Revolute, parts: [0, 1]".to_string(),
        "width: Some(0.04), holding: Some(10000.0), stiffness: 3.0, damping: 0.1".into(),
        format!("rest: {}, motor: Some(To(Drive {{ to: {}, start: 1.0, end: 2.0 }}))", degrees(30.0), degrees(90.0)),
        format!("stops: Some([{}, {}]), stop_stiffness: Some(70.0), stop_damping: 0.2", degrees(-90.0), degrees(45.0)),
        "kind: Prismatic, parts: [1, 0]".into(),
        "rest: 0.01, motor: Some(At { speed: 0.1, start: 0.0, end: inf }), stops: Some([-0.1, 0.2])".into(),
    ] {
        assert!(picture.contains(&expected), "no {expected}");
    }
    let frame = scene.world.frame();
    assert_eq!(frame.bodies[0].joints.len(), 2);
    assert!(frame.bodies[0].joints.iter().all(|joint| joint.position.abs() < 1e-9 && joint.speed == 0.0));
}

#[test]
fn what_joins_nothing_is_refused() {
    let change = |text: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    };
    let twice = format!("{HINGE}, {}", change(SLIDE, "'slide'", "'hinge'"));
    for (text, expected) in [
        (change(HINGE, "'arm'", "'arn'"), "there is no part named `arn` (did you mean `arm`?)"),
        (change(HINGE, "['base', 'arm']", "['arm', 'arm']"), "a joint is between two parts"),
        (change(HINGE, "[0, 2, 0]", "[0, 0, 0]"), "an axis needs a direction"),
        (change(HINGE, "[-90, 45]", "[45, 90]"), "on both sides of 0"),
        (change(HINGE, "[-90, 45]", "[-200, 45]"), "from -180 to 180"),
        (change(HINGE, "stiffness = 3,", ""), "give its `stiffness`"),
        (change(HINGE, "stop_stiffness = 70", "stop_stiffness = 0"), "stops that are not stiff"),
        (change(HINGE, "end = 2", "end = 0.5"), "must end after it starts"),
        (change(HINGE, ", end = 2", ""), "needs an `end`"),
        (change(HINGE, "to_deg = 90", "to_deg = 90, spin = 1"), "give either `to_deg` or `spin`"),
        (change(SLIDE, "speed = 0.1", ""), "give either `to` or `speed`"),
        (change(SLIDE, "stops = [-0.1, 0.2], ", ""), "missing field `stops`"),
        (twice, "there is a joint named hinge already"),
    ] {
        let Err(error) = read(&text) else { panic!("{text} was read") };
        let message = error.to_string();
        assert!(message.contains(expected) && message.starts_with("s.toml:14:"), "{text}: {message}");
    }
}

/// Particles in a plane carry no point off it.
#[test]
fn a_part_that_cannot_carry_a_joint_is_named() {
    let text = "duration = 1\n[material.m]\nyoung = 1e5\ndensity = 1000\n[[body]]\nname = 'a'\nmodel = 'lattice'\nmaterial = 'm'\n\
                parts = [{ name = 'base', solid = { box = { size = [0.1, 0.1, 0.1] } } }, { name = 'pin', solid = { points = { places = \
                [[0, 0, 0.1], [0.1, 0, 0.1], [0, 0.1, 0.1]], mass = 1 } } }]\n[body.lattice]\n\
                connectors = [{ revolute = { name = 'h', parts = ['base', 'pin'], at = [0, 0, 0.05], axis = [0, 0, 1] } }]\n";
    let Err(error) = parse(text, "s.toml", Path::new("."), &[]) else { panic!("it was read") };
    let message = error.to_string();
    assert!(
        message.contains("its joint h has a place at") && message.contains("its second part cannot carry"),
        "{message}"
    );
}
