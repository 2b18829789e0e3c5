//! `recording.mcap` read back with the MCAP reader and a protobuf decoder that know nothing of how we write.
//! Reference: the frames of the world itself, which must come back to the bit.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use mcap::Message;
use mcap::read::{MessageStream, Options};
use pliant::math::{Pose, Quat, Vec3};
use pliant_record::{RecordError, Recorder};
use prost_reflect::{DescriptorPool, DynamicMessage, Value};

/// Messages by topic, with the time of each [s].
type Topics = BTreeMap<String, Vec<(f64, DynamicMessage)>>;

fn decode(message: &Message) -> DynamicMessage {
    let schema = message.channel.schema.as_ref().unwrap();
    assert_eq!((schema.encoding.as_str(), message.channel.message_encoding.as_str()), ("protobuf", "protobuf"));
    let pool = DescriptorPool::decode(schema.data.as_ref()).unwrap();
    DynamicMessage::decode(pool.get_message_by_name(&schema.name).unwrap(), message.data.as_ref()).unwrap()
}

/// Everything in a file, which must be complete.
fn read(path: &Path) -> Topics {
    let bytes = std::fs::read(path).unwrap();
    collect(MessageStream::new(&bytes).unwrap().map(Result::unwrap))
}

/// Everything in a file that may be cut off.
fn read_damaged(path: &Path) -> Topics {
    let bytes = std::fs::read(path).unwrap();
    collect(MessageStream::new_with_options(&bytes, Options::IgnoreEndMagic.into()).unwrap().map_while(Result::ok))
}

fn collect<'a>(messages: impl Iterator<Item = Message<'a>>) -> Topics {
    let mut topics = Topics::new();
    for message in messages {
        let time = message.log_time as f64 * 1e-9;
        topics.entry(message.channel.topic.clone()).or_default().push((time, decode(&message)));
    }
    topics
}

/// A value inside a message, by a path of names and numbers: `entities.0.lines.0.points`.
fn at(message: &DynamicMessage, path: &str) -> Value {
    path.split('.').fold(Value::Message(message.clone()), |value, part| match value {
        Value::Message(message) => message.get_field_by_name(part).unwrap_or_else(|| panic!("no {part}")).into_owned(),
        Value::List(list) => list[part.parse::<usize>().unwrap()].clone(),
        other => panic!("{part} of {other:?}"),
    })
}

fn number(message: &DynamicMessage, path: &str) -> f64 {
    at(message, path).as_f64().unwrap()
}

fn text(message: &DynamicMessage, path: &str) -> String {
    at(message, path).as_str().unwrap().into()
}

fn vector(message: &DynamicMessage, path: &str) -> Vec3 {
    let component = |axis| number(message, &format!("{path}.{axis}"));
    Vec3::new(component("x"), component("y"), component("z"))
}

fn list(message: &DynamicMessage, path: &str) -> Vec<Value> {
    at(message, path).as_list().unwrap().to_vec()
}

fn points(message: &DynamicMessage, path: &str) -> Vec<Vec3> {
    (0..list(message, path).len()).map(|i| vector(message, &format!("{path}.{i}"))).collect()
}

#[test]
fn shapes_loads_and_energies_come_back_exactly() {
    let dir = tempfile::tempdir().unwrap();
    let (paths, frames, _) = common::record(&dir.path().join("out"), 20, 0.3);
    let topics = read(&paths.recording);

    // 100 Hz of the 200 steps a second
    let kept: Vec<_> = frames.iter().step_by(2).collect();
    let [scene, body, hand, transforms, contacts] =
        ["/scene", "/body/rod", "/gripper/hand", "/tf", "/contacts"].map(|topic| &topics[topic]);
    for messages in [scene, body, hand, transforms, contacts] {
        assert_eq!(messages.len(), kept.len());
    }
    for (i, frame) in kept.iter().enumerate() {
        assert!((scene[i].0 - frame.time).abs() < 1e-9);
        let scene = &scene[i].1;
        assert_eq!(points(scene, "entities.0.lines.0.points"), frame.bodies[0].nodes);
        assert_eq!(number(scene, "entities.0.lines.0.thickness"), 0.006);
        assert_eq!(text(scene, "entities.0.frame_id"), "world");

        let body = &body[i].1;
        assert_eq!(points(body, "nodes"), frame.bodies[0].nodes);
        assert_eq!(number(body, "energy.elastic"), frame.bodies[0].energy.elastic);
        assert_eq!(number(body, "energy.total"), frame.bodies[0].energy.total());
        for (f, field) in frame.bodies[0].fields.iter().enumerate() {
            assert_eq!(text(body, &format!("fields.{f}.name")), field.name);
            let values: Vec<f64> =
                list(body, &format!("fields.{f}.values")).iter().map(|v| v.as_f64().unwrap()).collect();
            assert_eq!(values, field.values);
        }

        // the same as single floats, with a column for each field
        let cloud = &topics["/points/rod"][i].1;
        let data = at(cloud, "data").as_bytes().unwrap().to_vec();
        let cloud_row: Vec<f32> =
            data.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).skip(7 * 7).take(7).collect();
        let (node, fields) = (frame.bodies[0].nodes[7], &frame.bodies[0].fields);
        let expected = node.to_array().into_iter().chain(fields.iter().map(|field| field.values[7]));
        assert!(cloud_row.into_iter().eq(expected.map(|v| v as f32)));

        let (hand, gripper) = (&hand[i].1, &frame.grippers[0]);
        assert_eq!(vector(hand, "force"), gripper.load.force);
        assert_eq!(vector(hand, "torque"), gripper.load.torque);
        assert_eq!(vector(hand, "position"), gripper.pose.translation);
        assert_eq!(number(hand, "force_norm"), gripper.load.force.length());
        assert_eq!(at(hand, "attached").as_bool(), Some(gripper.attached));

        let transforms = &transforms[i].1;
        let frames_of: Vec<String> =
            (0..4).map(|k| text(transforms, &format!("transforms.{k}.child_frame_id"))).collect();
        assert_eq!(frames_of, ["gripper/hand", "gripper/left, \"idle\"", "obstacle/floor", "obstacle/box"]);
        assert_eq!(vector(transforms, "transforms.3.translation"), frame.obstacles[1].translation);
        assert_eq!(number(transforms, "transforms.3.rotation.w"), 1.0);

        let contacts = &contacts[i].1;
        assert_eq!(list(contacts, "contacts").len(), frame.contacts.len());
        for (c, contact) in frame.contacts.iter().enumerate() {
            assert_eq!(vector(contacts, &format!("contacts.{c}.force")), contact.force);
            assert_eq!(text(contacts, &format!("contacts.{c}.other")), "floor");
            assert_eq!(number(contacts, &format!("contacts.{c}.along")), contact.along.unwrap());
        }
        let floor = &topics["/obstacle/floor"][i].1;
        let force = frame.force_of_obstacle(0, None);
        assert_eq!(vector(floor, "force"), force);
        assert_eq!(list(floor, "on").len(), usize::from(!frame.contacts.is_empty()));
        if !frame.contacts.is_empty() {
            assert_eq!((text(floor, "on.0.body"), vector(floor, "on.0.force")), ("rod".into(), force));
        }
        // the step before, which was left out, counts too
        let between = &frames[(2 * i).saturating_sub(1)..=2 * i];
        let highest = |value: fn(&pliant::Frame) -> f64| between.iter().map(value).fold(f64::MIN, f64::max);
        assert_eq!(number(hand, "force_norm_high"), highest(|f| f.grippers[0].load.force.length()));
        assert_eq!(vector(hand, "force_high").z, highest(|f| f.grippers[0].load.force.z));
        assert_eq!(-vector(hand, "force_low").z, highest(|f| -f.grippers[0].load.force.z));
        assert_eq!(number(floor, "force_norm_high"), highest(|f| f.force_of_obstacle(0, None).length()));
        let tension = |f: &pliant::Frame| f.bodies[0].fields[0].values.iter().copied().fold(f64::MIN, f64::max);
        assert_eq!(number(body, "fields.0.high"), highest(tension));
        assert_eq!(number(contacts, "force_sum_high"), highest(|f| f.contacts.iter().map(|c| c.force.length()).sum()));
    }
    assert!(frames.iter().any(|frame| !frame.contacts.is_empty()), "the rod falls on the floor");
}

/// The arrow at a gripper points along the force, and its length over the force is what its metadata says.
#[test]
fn arrows_show_the_force_on_a_gripper() {
    let dir = tempfile::tempdir().unwrap();
    let (paths, frames, _) = common::record(&dir.path().join("out"), 20, 0.1);
    let topics = read(&paths.recording);
    let (time, scene) = &topics["/scene"][5];
    let frame = frames.iter().find(|frame| (frame.time - time).abs() < 1e-6).unwrap();
    let force = frame.grippers[0].load.force;
    assert!(force.length() > 1e-3, "the rod hangs on the hand");

    let arrow = "entities.1.arrows.0";
    let turn = ["x", "y", "z", "w"].map(|c| number(scene, &format!("{arrow}.pose.orientation.{c}")));
    let direction = Pose::from_rotation(Quat::from_array(turn)).transform_vector(Vec3::X);
    assert!((direction - force.normalize()).length() < 1e-9);
    let length = number(scene, &format!("{arrow}.shaft_length")) + number(scene, &format!("{arrow}.head_length"));
    let scale: f64 = text(scene, "entities.1.metadata.0.value").trim_end_matches(" N/m").parse().unwrap();
    assert!((length * scale - force.length()).abs() < 1e-9 * force.length());
    assert!(list(scene, "entities.2.arrows").is_empty(), "an idle gripper feels nothing");
}

#[test]
fn obstacles_are_sent_once_in_their_own_frames() {
    let dir = tempfile::tempdir().unwrap();
    let (paths, ..) = common::record(&dir.path().join("out"), 20, 0.1);
    let topics = read(&paths.recording);
    let [(time, obstacles)] = topics["/obstacles"].as_slice() else { panic!("once") };
    assert_eq!(*time, 0.0);
    assert_eq!(text(obstacles, "entities.1.frame_id"), "obstacle/box");
    assert_eq!(at(obstacles, "entities.1.frame_locked").as_bool(), Some(true));
    let corners = points(obstacles, "entities.1.triangles.0.points");
    let highest = corners.iter().fold(Vec3::NEG_INFINITY, |high, &corner| high.max(corner));
    assert!((highest - Vec3::new(0.05, 0.1, 0.15)).length() < 1e-12);
    assert_eq!(list(obstacles, "entities.1.triangles.0.indices").len(), 36);
}

#[test]
fn events_are_told_in_words_once() {
    let dir = tempfile::tempdir().unwrap();
    let (paths, _, events) = common::record(&dir.path().join("out"), 20, 0.3);
    let topics = read(&paths.recording);
    let told: Vec<String> = topics["/events"].iter().map(|(_, log)| text(log, "message")).collect();
    assert_eq!(told.len(), events.len(), "{told:?}");
    assert_eq!(told[0], "hand grips rod");
    assert!(told.contains(&"hand releases rod".into()) && told.contains(&"rod touches floor".into()), "{told:?}");
    let level = at(&topics["/events"][0].1, "level");
    assert_eq!(level.as_enum_number(), Some(2), "INFO");
}

#[test]
fn every_event_has_words() {
    let world = common::world(20);
    let texts = [
        (pliant::EventKind::Attached { gripper: 0, body: 0 }, "hand grips rod"),
        (pliant::EventKind::Released { gripper: 0, body: 0 }, "hand releases rod"),
        (pliant::EventKind::Touched { body: 0, obstacle: 0 }, "rod touches floor"),
        (pliant::EventKind::Parted { body: 0, obstacle: 0 }, "rod leaves floor"),
        (
            pliant::EventKind::Crossed { body: 0, other: pliant::Other::Obstacle(0), node: 3 },
            "rod has come through floor at node 3",
        ),
        (
            pliant::EventKind::Crossed { body: 0, other: pliant::Other::Body(0), node: 3 },
            "rod has come through itself at node 3",
        ),
        (pliant::EventKind::Slips { gripper: 0, body: 0 }, "rod slides through hand"),
        (pliant::EventKind::Lost { gripper: 0, body: 0 }, "hand loses rod"),
        (pliant::EventKind::Met { body: 0, other: 0 }, "rod touches itself"),
        (pliant::EventKind::Separated { body: 0, other: 0 }, "rod no longer touches itself"),
        (
            pliant::EventKind::OverTension { body: 0, node: 3, tension: 7.6, limit: 5.0 },
            "rod is over its tension limit at node 3: 7.6000 N, limit 5.0000 N",
        ),
        (
            pliant::EventKind::OverBend { body: 0, node: 3, radius: 0.018, limit: 0.02 },
            "rod is bent beyond its limit at node 3: radius 18.000 mm, limit 20.000 mm",
        ),
        (
            pliant::EventKind::TensionEased { body: 0, node: 3, tension: 7.6, limit: 5.0 },
            "rod is within its tension limit again: it was 7.6000 N at node 3, limit 5.0000 N",
        ),
        (
            pliant::EventKind::BendEased { body: 0, node: 3, radius: 0.018, limit: 0.02 },
            "rod is bent within its limit again: its radius was 18.000 mm at node 3, limit 20.000 mm",
        ),
    ];
    for (kind, text) in texts {
        assert_eq!(pliant_record::event_text(&world.layout(), kind), text);
    }
}

#[test]
fn a_finished_recording_has_an_index_and_says_what_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let (paths, ..) = common::record(&dir.path().join("out"), 20, 0.1);
    let bytes = std::fs::read(&paths.recording).unwrap();
    let summary = mcap::Summary::read(&bytes).unwrap().unwrap();
    assert!(!summary.chunk_indexes.is_empty());
    assert_eq!(summary.metadata_indexes.len(), 2);
    let run = mcap::read::metadata(&bytes, &summary.metadata_indexes[0]).unwrap();
    assert_eq!(run.metadata["command"], "pliant run tests/drop.toml");
}

/// A killed run runs no destructor, so leaking the recorder leaves the same file.
#[test]
fn a_killed_run_leaves_all_but_the_last_moment() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let mut world = common::world(20);
    let mut recorder = Recorder::create(&out, &world, common::info(10.0)).unwrap();
    let recording = out.join("recording.mcap");
    let count = |topics: Topics| topics.values().map(Vec::len).sum::<usize>();
    assert!(count(read(&recording)) >= 5, "from the first instant on");

    let mut run = |recorder: &mut Recorder, steps: usize| {
        for _ in 0..steps {
            world.step(common::STEP).unwrap();
            recorder.record(&world).unwrap();
        }
    };
    run(&mut recorder, 20);
    // the wall clock decides: the next frame closes the chunk
    std::thread::sleep(Duration::from_millis(220));
    run(&mut recorder, 2);
    let topics = read(&recording);
    assert!(topics["/scene"].len() == 12 && topics["/body/rod"].len() == 12, "{}", topics["/scene"].len());

    run(&mut recorder, 2);
    std::mem::forget(recorder);
    assert!(read(&recording)["/scene"].len() >= 12);
    let table = std::fs::read_to_string(out.join("samples.csv")).unwrap();
    assert!(table.ends_with('\n') && table.lines().count() >= 13);

    // and a file cut anywhere inside its last chunk still gives the chunks before
    let bytes = std::fs::read(&recording).unwrap();
    std::fs::write(&recording, &bytes[..bytes.len() - 100]).unwrap();
    assert!(count(read_damaged(&recording)) >= 5);
}

#[test]
fn a_dropped_recorder_leaves_a_whole_recording() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let mut world = common::world(20);
    let mut recorder = Recorder::create(&out, &world, common::info(10.0)).unwrap();
    for _ in 0..20 {
        world.step(common::STEP).unwrap();
        recorder.record(&world).unwrap();
    }
    drop(recorder);
    assert_eq!(read(&out.join("recording.mcap"))["/scene"].len(), 11);
    assert!(mcap::Summary::read(&std::fs::read(out.join("recording.mcap")).unwrap()).unwrap().is_some());
}

#[test]
fn a_directory_in_use_is_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("recording.mcap"), "precious").unwrap();
    let refused = Recorder::create(dir.path(), &common::world(20), common::info(1.0)).err().unwrap();
    assert!(matches!(refused, RecordError::NotEmpty { .. }));
    let text = refused.to_string();
    assert!(text.contains(dir.path().to_str().unwrap()) && text.contains("--out") && text.contains("remove"), "{text}");
    assert_eq!(std::fs::read_to_string(dir.path().join("recording.mcap")).unwrap(), "precious");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);

    let file = dir.path().join("recording.mcap");
    let refused = Recorder::create(&file, &common::world(20), common::info(1.0)).err().unwrap();
    assert!(refused.to_string().starts_with("cannot create"), "{refused}");
}

#[test]
fn an_empty_directory_is_used_and_a_missing_one_created() {
    let dir = tempfile::tempdir().unwrap();
    common::record(dir.path(), 20, 0.05);
    common::record(&dir.path().join("a/b/c"), 20, 0.05);
}
