//! `samples.csv` parsed back: every number must be the one the world had, to the bit.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::collections::HashMap;
use std::path::Path;

use pliant::{Frame, World};
use pliant_record::Recorder;

fn greatest(frame: &Frame, field: &str) -> f64 {
    let field = frame.bodies[0].fields.iter().find(|f| f.name == field).unwrap();
    field.values.iter().copied().fold(f64::MIN, f64::max)
}

#[test]
fn the_table_holds_exactly_what_happened() {
    let dir = tempfile::tempdir().unwrap();
    let (paths, frames, _) = common::record(&dir.path().join("out"), 20, 0.3);
    let mut reader = csv::Reader::from_path(&paths.samples).unwrap();
    let header = reader.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|h| h == name).unwrap_or_else(|| panic!("{name} in {header:?}"));
    let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().unwrap();
    let kept: Vec<_> = frames.iter().step_by(2).collect();
    assert_eq!(rows.len(), kept.len());
    for (row, frame) in rows.iter().zip(kept) {
        let value = |name: &str| row[column(name)].parse::<f64>().unwrap();
        let (gripper, body) = (&frame.grippers[0], &frame.bodies[0]);
        let first = body.nodes.first().unwrap();
        let last = body.nodes.last().unwrap();
        for (name, expected) in [
            ("time [s]", frame.time),
            ("hand.position.z [m]", gripper.pose.translation.z),
            ("hand.force.x [N]", gripper.load.force.x),
            ("hand.torque.y [N m]", gripper.load.torque.y),
            ("hand.attached", f64::from(u8::from(gripper.attached))),
            ("left, \"idle\".force.z [N]", 0.0),
            ("rod.kinetic [J]", body.energy.kinetic),
            ("rod.elastic [J]", body.energy.elastic),
            ("rod.gravity [J]", body.energy.gravity),
            ("rod.total [J]", body.energy.total()),
            ("rod.start.x [m]", first.x),
            ("rod.end.z [m]", last.z),
            ("contacts", frame.contacts.len() as f64),
            ("penetration_max [m]", frame.penetration),
            ("hand.force.norm [N]", gripper.load.force.length()),
            ("rod.tension.max [N]", greatest(frame, "tension")),
            ("rod.curvature.max [1/m]", greatest(frame, "curvature")),
            ("obstacle.floor.force.z [N]", frame.force_of_obstacle(0, None).z),
            ("obstacle.box.force.norm [N]", 0.0),
        ] {
            assert_eq!(value(name), expected, "{name} at {}", frame.time);
        }
    }
}

/// The rows of a table, each a value by the name of its column.
fn table(path: &Path) -> Vec<HashMap<String, f64>> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let header = reader.headers().unwrap().clone();
    let row =
        |row: csv::StringRecord| header.iter().map(String::from).zip(row.iter().map(|v| v.parse().unwrap())).collect();
    reader.records().map(|record| row(record.unwrap())).collect()
}

/// Each row has the lowest and highest value of all steps since the row before, which an onlooker of every step saw too.
#[test]
fn what_happens_between_two_rows_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let (paths, frames, _) = common::record(&dir.path().join("out"), 20, 0.3);
    let seen = |name: &str, frame: &Frame| match name {
        "hand.force.z" => frame.grippers[0].load.force.z,
        "rod.kinetic" => frame.bodies[0].energy.kinetic,
        "rod.tension.max" => greatest(frame, "tension"),
        "obstacle.floor.force.norm" => frame.force_of_obstacle(0, None).length(),
        _ => frame.penetration,
    };
    let units = [
        "hand.force.z [N]",
        "rod.kinetic [J]",
        "rod.tension.max [N]",
        "obstacle.floor.force.norm [N]",
        "penetration_max [m]",
    ];
    let mut hidden = 0;
    for (index, row) in table(&paths.samples).iter().enumerate() {
        let interval = &frames[(2 * index).saturating_sub(1)..=2 * index];
        for head in units {
            let (name, unit) = head.split_once(' ').unwrap();
            let values = || interval.iter().map(|frame| seen(name, frame));
            assert_eq!(row[&format!("{name}.low {unit}")], values().fold(f64::MAX, f64::min), "{head}, row {index}");
            assert_eq!(row[&format!("{name}.high {unit}")], values().fold(f64::MIN, f64::max), "{head}, row {index}");
            hidden += usize::from(row[&format!("{name}.high {unit}")] > row[head]);
        }
    }
    assert!(hidden > 10, "a run in which rows alone would do shows nothing");
}

/// As many rows as asked for, but no more than there are steps.
#[test]
fn the_rate_can_be_set() {
    let dir = tempfile::tempdir().unwrap();
    for (rate, rows) in [(50.0, 11), (200.0, 41), (1000.0, 41)] {
        let mut world: World = common::world(20);
        let mut recorder = Recorder::create(&dir.path().join(format!("{rate}")), &world, common::info(0.2)).unwrap();
        recorder.set_rate(rate);
        for _ in 0..40 {
            world.step(common::STEP).unwrap();
            recorder.record(&world).unwrap();
        }
        let paths = recorder.finish(&common::outcome()).unwrap();
        assert_eq!(table(&paths.samples).len(), rows, "{rate} Hz");
    }
}
