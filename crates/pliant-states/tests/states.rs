//! Contact states of scenes whose sequence is known from how they are made, and of contacts that flicker.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::run_every;
use pliant::math::{Pose, Vec3};
use pliant::{
    BodyFrame, BodyLayout, Contact, Frame, GripperFrame, GripperLayout, Layout, Model, ObstacleLayout, Other, Wrench,
};
use pliant_scene::RodModel;
use pliant_states::{Demonstration, Part, Sequence, Settings};

fn texts(sequence: &Sequence) -> Vec<String> {
    sequence.transitions.iter().map(|transition| transition.text()).collect()
}

/// A rod of 1 m over a floor, with a hand that moves at 0.1 m/s.
fn layout() -> Layout {
    let body = BodyLayout {
        name: "rod".into(),
        model: Model::Cable,
        radius: 0.01,
        length: 1.0,
        closed: false,
        facets: vec![],
        nodes: 2,
        fields: vec![],
        joints: vec![],
    };
    Layout {
        bodies: vec![body],
        grippers: vec![GripperLayout { name: "hand".into() }],
        obstacles: vec![ObstacleLayout { name: "floor".into(), outline: Default::default(), is_plane: true }],
        ..Layout::default()
    }
}

/// A frame in which places of the rod push on the floor.
fn frame(time: f64, pushes: &[(f64, f64)]) -> Frame {
    let contact = |(along, force): &(f64, f64)| Contact {
        body: 0,
        other: Other::Obstacle(0),
        position: Vec3::X * *along,
        normal: Vec3::Z,
        force: Vec3::Z * *force,
        penetration: 0.0,
        along: Some(*along),
    };
    let force: f64 = pushes.iter().map(|(_, force)| force).sum();
    Frame {
        time,
        bodies: vec![BodyFrame { nodes: vec![Vec3::ZERO, Vec3::X], ..BodyFrame::default() }],
        grippers: vec![GripperFrame {
            pose: Pose::from_translation(Vec3::X * 0.1 * time),
            load: Wrench { force: Vec3::Z * force, torque: Vec3::ZERO },
            attached: false,
        }],
        obstacles: vec![Pose::IDENTITY],
        contacts: pushes.iter().map(contact).collect(),
        ..Frame::default()
    }
}

fn watched(rate: f64, settings: Settings, pushes: impl Fn(f64) -> Vec<(f64, f64)>) -> Sequence {
    let mut demonstration = Demonstration::new("", &layout(), settings);
    for n in 0..=(2.0 * rate) as usize {
        let time = n as f64 / rate;
        demonstration.watch(&frame(time, &pushes(time)));
    }
    demonstration.sequence().unwrap()
}

/// Its end touches at 0.5 s and its middle at 1 s; the end leaves at 1.5 s. The force grows by 1 N/s.
fn plain(time: f64) -> Vec<(f64, f64)> {
    let mut pushes = vec![];
    if (0.5..1.5).contains(&time) {
        pushes.push((0.995, 1.0 + time));
    }
    if time >= 1.0 {
        pushes.push((0.5, 1.0));
    }
    pushes
}

#[test]
fn the_frame_rate_does_not_matter_beyond_its_resolution() {
    let expected =
        ["+ end of rod on the face of floor", "+ rod on the face of floor", "- end of rod on the face of floor"];
    for rate in [25.0, 100.0, 333.0, 2000.0] {
        let sequence = watched(rate, Settings::default(), plain);
        assert_eq!(texts(&sequence), expected, "{rate}");
        for (transition, time) in sequence.transitions.iter().zip([0.5, 1.0, 1.5]) {
            assert!((transition.time - time).abs() <= 1.0 / rate + 1e-9, "{rate}: {}", transition.time);
            assert!(transition.since < transition.time && transition.time - transition.since < 1.001 / rate);
            let change = &transition.grippers[0];
            assert!((change.position[0] - 0.1 * transition.time).abs() < 1e-12);
        }
        // by hand: from 0 to 1.5 N, growing by 1 N/s; then 1 N more; then 2.5 N less
        let jumps: Vec<f64> = sequence.transitions.iter().map(|t| t.grippers[0].jump.force[2]).collect();
        for (jump, expected) in jumps.iter().zip([1.5, 1.0, -2.5]) {
            assert!((jump - expected).abs() < 1.5 / rate, "{rate}: {jumps:?}");
        }
        assert!((sequence.transitions[0].grippers[0].rate_after.force[2] - 1.0).abs() < 1e-6);
        assert_eq!(sequence.transitions[1].points.len(), 2);
        assert_eq!(sequence.states[1].contacts[0].part, Part::End);
        assert!(sequence.transitions.iter().all(|t| t.shapes[0].nodes.len() == 2));
    }
}

/// A contact of 10 ms is none, a gap of 10 ms does not end one, and neither does a force that trembles about the threshold.
#[test]
fn flicker_makes_no_states() {
    let quiet = watched(1000.0, Settings::default(), plain);
    let flicker = |time: f64| {
        let mut pushes = plain(time);
        if (0.70..0.71).contains(&time) {
            pushes.clear();
        }
        if (0.20..0.21).contains(&time) {
            pushes.push((0.3, 2.0));
        }
        pushes
    };
    let sequence = watched(1000.0, Settings::default(), flicker);
    assert_eq!(texts(&sequence), texts(&quiet));
    // with a hold of 5 ms they count
    let settings = Settings { hold: 0.005, ..Settings::default() };
    assert_eq!(watched(1000.0, settings, flicker).transitions.len(), quiet.transitions.len() + 4);
    // begins above 0.1 N, ends below 0.05 N
    let settings = Settings { force: Some(0.1), ..Settings::default() };
    let trembles = |time: f64| if time > 0.5 { vec![(0.5, 0.1 + 0.03 * (40.0 * time).sin())] } else { vec![] };
    assert_eq!(texts(&watched(1000.0, settings, trembles)), ["+ rod on the face of floor"]);
}

#[test]
fn too_little_to_see_is_told() {
    let mut demonstration = Demonstration::new("", &layout(), Settings::default());
    assert!(demonstration.sequence().is_err());
    demonstration.watch(&frame(0.0, &[]));
    // no later, so left out
    demonstration.watch(&frame(0.0, &[]));
    demonstration.watch(&frame(f64::NAN, &[]));
    assert!(demonstration.sequence().is_err());
    demonstration.watch(&frame(0.1, &[(0.5, f64::NAN)]));
    assert_eq!(demonstration.sequence().unwrap().states.len(), 1);
    let settings = Settings { hold: -1.0, ..Settings::default() };
    assert!(Demonstration::new("", &layout(), settings).sequence().is_err());
}

/// The rod of the scene leans on the edge, whatever its resolution and however often it is looked at.
#[test]
fn a_rod_against_an_edge() {
    for (every, segments) in [(1, "body.rod.segments=40"), (10, "body.rod.segments=24"), (40, "body.rod.segments=40")] {
        let sequence = run_every("states-edge.toml", RodModel::Cable, &[segments], every).sequence;
        assert_eq!(texts(&sequence), ["+ rod on the -x/+z edge of block", "- rod on the -x/+z edge of block"]);
        assert_eq!(sequence.states[0].contacts[0].text(), "start of rod in hand");
    }
}
