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

/// The bytes of one packet, read by the table in the book: joint values, time [ns], whether it is the last.
#[track_caller]
fn joints(bytes: &[u8], sequence: u32) -> (Vec<f64>, u64, bool) {
    let word = |at: usize| <[u8; 8]>::try_from(&bytes[at..at + 8]).unwrap();
    assert_eq!(&bytes[..5], b"PLDj\x02");
    let count = usize::from(bytes[5]);
    assert_eq!(bytes.len(), 24 + 8 * count);
    assert_eq!(u32::from_le_bytes(bytes[8..12].try_into().unwrap()), sequence);
    // CRC-32, from a library
    assert_eq!(
        u32::from_le_bytes(bytes[bytes.len() - 4..].try_into().unwrap()),
        crc32fast::hash(&bytes[..bytes.len() - 4])
    );
    let values = (0..count).map(|k| f64::from_le_bytes(word(20 + 8 * k))).collect();
    (values, u64::from_le_bytes(word(12)), bytes[6] == 1)
}

/// A host that listens gets the whole motion, by UDP and by TCP, at the rate that was asked for.
#[test]
fn a_host_gets_the_joint_values_in_real_time() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("plan");
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let to = socket.local_addr().unwrap().to_string();
    let hearing = std::thread::spawn(move || {
        socket.set_read_timeout(Some(std::time::Duration::from_secs(200))).unwrap();
        let (mut packets, mut buffer, mut begun) = (vec![], [0; 4096], None);
        loop {
            let length = socket.recv(&mut buffer).unwrap();
            begun.get_or_insert_with(std::time::Instant::now);
            packets.push(joints(&buffer[..length], packets.len() as u32));
            if packets.iter().filter(|packet| packet.2).count() == 3 {
                return (packets, begun.unwrap().elapsed().as_secs_f64());
            }
        }
    });
    let args = ["plan", &scene("gap.toml"), "--out", out.to_str().unwrap(), "--stream", &to, "--rate", "50"];
    let ran = pliant(&args).expect_code(0);
    assert!(ran.stderr.contains("packets to 127.0.0.1"), "{}", ran.stderr);
    let (packets, took) = hearing.join().unwrap();
    let table = std::fs::read_to_string(out.join("plan.csv")).unwrap();
    let rows: Vec<Vec<f64>> =
        table.lines().skip(1).map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    let duration = rows[rows.len() - 1][0];
    // a busy machine misses beats, and waits before the first and after the last
    assert!(took > 0.9 * duration && packets.len() as f64 <= 50.0 * duration + 5.0, "{took} s, {}", packets.len());
    for (values, stamp, last) in &packets {
        let time = 1e-9 * *stamp as f64;
        let near = &rows[((time / 0.01).round() as usize).min(rows.len() - 1)];
        // half a sample apart at the most, at 1 m/s and 1 rad/s or less
        assert!(values.iter().zip(&near[1..]).all(|(a, b)| (a - b).abs() < 0.02), "{time} s: {values:?} {near:?}");
        assert!(!last || values[..] == rows[rows.len() - 1][1..]);
    }
    assert!(packets.windows(2).all(|pair| pair[0].1 <= pair[1].1));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let to = format!("tcp:{}", listener.local_addr().unwrap());
    let hearing = std::thread::spawn(move || {
        let mut bytes = vec![];
        std::io::Read::read_to_end(&mut listener.accept().unwrap().0, &mut bytes).unwrap();
        bytes
    });
    pliant(&["plan", &scene("gap.toml"), "--stream", &to]).expect_code(0);
    let bytes = hearing.join().unwrap();
    let packets: Vec<_> = bytes.chunks(48).zip(0..).map(|(chunk, k)| joints(chunk, k)).collect();
    assert_eq!(packets[0].0[..], rows[0][1..]);
    assert_eq!(packets[packets.len() - 1].0[..], rows[rows.len() - 1][1..]);
}

#[test]
fn hosts_that_are_not_there_and_motions_that_fail_are_told() {
    let path = scene("trap.toml");
    let stream = |to: &str, more: &[&str], code: i32| {
        let args = [&["plan", &path, "--stream", to], more].concat();
        pliant(&args).expect_code(code).stderr
    };
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let told = stream(&format!("tcp:{free}"), &[], 2);
    assert!(told.contains("--stream tcp:127.0.0.1"), "{told}");
    assert!(stream("nowhere", &[], 2).contains("--stream nowhere"));
    assert!(stream("127.0.0.1:9", &["--rate", "0"], 2).contains("from 1 to 10000"));
    // what does not reach its goal is not sent
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_nonblocking(true).unwrap();
    let to = socket.local_addr().unwrap().to_string();
    let told = stream(&to, &["--set", "plan.most_virtual_obstacles=0"], 1);
    assert!(told.contains("not reached") && socket.recv(&mut [0; 100]).is_err(), "{told}");
    let told = pliant(&["plan", &scene("grasp.toml"), "--stream", &to]).expect_code(2).stderr;
    assert!(told.contains("--stream sends the motion of a [plan]"), "{told}");
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
