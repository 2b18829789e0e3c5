//! Recordings read back by our own reader: frames as they were, from whole, cut, foreign and damaged files.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use pliant::{Frame, GripState};
use pliant_record::{ReadError, Recording};

fn frames(recording: &Recording) -> Vec<Frame> {
    let mut frames = vec![];
    assert_eq!(recording.read(|frame| frames.push(frame.clone())).unwrap(), None);
    frames
}

#[test]
fn frames_come_back_exactly() {
    let dir = tempfile::tempdir().unwrap();
    let (paths, seen, _) = common::record(&dir.path().join("out"), 20, 0.3);
    let recording = Recording::open(&paths.recording).unwrap();
    let layout = common::world(20).layout();
    assert_eq!(recording.title, common::info(0.3).title);
    assert_eq!(recording.layout.obstacles, layout.obstacles);
    assert_eq!(recording.layout.grippers, layout.grippers);
    let (body, expected) = (&recording.layout.bodies[0], &layout.bodies[0]);
    assert_eq!((&body.name, body.model, body.radius), (&expected.name, expected.model, expected.radius));
    assert_eq!((body.length, body.closed), (expected.length, false));
    assert!((body.length - 0.3).abs() < 1e-12);
    let read = frames(&recording);
    let kept: Vec<&Frame> = seen.iter().step_by(2).collect();
    assert_eq!(read.len(), kept.len());
    let mut touches = 0;
    for (frame, expected) in read.iter().zip(kept) {
        assert!((frame.time - expected.time).abs() < 1e-9);
        assert_eq!(frame.bodies[0].nodes, expected.bodies[0].nodes);
        assert_eq!((&frame.grippers, &frame.obstacles), (&expected.grippers, &expected.obstacles));
        assert_eq!(frame.contacts, expected.contacts);
        touches += frame.contacts.len();
        let closed: Vec<_> = expected.grips.iter().filter(|grip| grip.state.is_closed()).collect();
        assert_eq!(frame.grips.len(), closed.len());
        for (grip, expected) in frame.grips.iter().zip(closed) {
            assert_eq!((grip.gripper, grip.body, grip.load), (expected.gripper, expected.body, expected.load));
            assert_eq!((grip.state, grip.position), (GripState::Closed, expected.position));
        }
    }
    // both were there, and the grip ended
    assert!(touches > 0 && read[2].grips.len() == 1 && read[read.len() - 1].grips.is_empty());
}

/// Cut anywhere, a recording gives the frames before the cut or says what is missing; changed anywhere, it does no harm.
#[test]
fn cut_and_damaged_recordings_do_no_harm() {
    let dir = tempfile::tempdir().unwrap();
    let (paths, ..) = common::record(&dir.path().join("out"), 20, 0.3);
    let bytes = std::fs::read(&paths.recording).unwrap();
    let path = dir.path().join("other.mcap");
    let count = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let mut count = 0;
        let result = Recording::open(&path).and_then(|recording| recording.read(|_| count += 1));
        result.map(|_| count).map_err(|e| e.to_string())
    };
    let whole = count(&bytes).unwrap();
    let mut most = 0;
    for part in 0..60 {
        if let Ok(frames) = count(&bytes[..bytes.len() * part / 60]) {
            assert!(frames >= most && frames <= whole);
            most = frames;
        }
    }
    assert!(most > 0, "no cut left a frame");
    for n in 0..300 {
        let mut changed = bytes.clone();
        let at = n * 7919 % changed.len();
        changed[at] ^= 1 << (n % 8);
        if let Ok(frames) = count(&changed) {
            assert!(frames <= whole);
        }
    }
}

#[test]
fn what_is_no_recording_of_ours_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let open = |bytes: &[u8]| {
        let path = dir.path().join("other.mcap");
        std::fs::write(&path, bytes).unwrap();
        Recording::open(&path).map(|_| ()).unwrap_err()
    };
    assert!(matches!(Recording::open(&dir.path().join("none")).map(|_| ()), Err(ReadError::Open { .. })));
    assert!(matches!(open(b""), ReadError::Missing { .. }));
    assert!(matches!(open(b"time,fx,fy,fz\n1,2,3,4\n"), ReadError::NotMcap { .. }));
    // somebody else's
    let mut writer = mcap::Writer::new(std::io::Cursor::new(vec![])).unwrap();
    let channel = writer.add_channel(0, "/imu", "json", &Default::default()).unwrap();
    let header = mcap::records::MessageHeader { channel_id: channel, sequence: 0, log_time: 1, publish_time: 1 };
    writer.write_to_known_channel(&header, b"{}").unwrap();
    writer.finish().unwrap();
    let error = open(&writer.into_inner().into_inner());
    assert!(matches!(error, ReadError::Missing { .. }) && error.to_string().contains("/layout"), "{error}");
}
