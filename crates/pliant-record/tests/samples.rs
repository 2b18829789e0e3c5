//! `samples.csv` parsed back: every number must be the one the world had, to the bit.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

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
        let deepest = frame.contacts.iter().map(|c| c.penetration).fold(0.0, f64::max);
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
            ("penetration_max [m]", deepest),
        ] {
            assert_eq!(value(name), expected, "{name} at {}", frame.time);
        }
    }
}
