//! Force logs as people have them, and as they should not be.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pliant_states::{ForceLog, MatchError, MatchSettings, Matcher, Sequence};

fn rows(count: usize, row: impl Fn(usize) -> String) -> String {
    (0..count).map(|n| row(n) + "\n").collect()
}

fn read(text: &str) -> Result<ForceLog, String> {
    ForceLog::read(text.as_bytes()).map_err(|e| e.to_string())
}

#[test]
fn names_units_and_separators() {
    let plain = |n: usize| format!("{},{n},2,3,4,5,6", n as f64 * 0.01);
    let log = read(&("time,fx,fy,fz,tx,ty,tz\n".to_string() + &rows(30, plain))).unwrap();
    assert_eq!((log.samples.len(), log.has_torque), (30, true));
    assert_eq!(log.samples[7].wrench, [7.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let other = "# measured today\nForce.X [N]; Force.Y [N]; Force.Z [N]; Time [s]\n".to_string();
    let log = read(&(other + &rows(30, |n| format!("1; {n};3e0; {}", n as f64)))).unwrap();
    assert_eq!((log.samples[7].time, log.has_torque), (7.0, false));
    assert_eq!(log.samples[7].wrench, [1.0, 7.0, 3.0, 0.0, 0.0, 0.0]);
    // a million lines
    let log = read(&("t\tfx\tfy\tfz\n".to_string() + &rows(1_000_000, |n| format!("{n}\t1\t2\t3")))).unwrap();
    assert_eq!(log.samples.len(), 1_000_000);
}

#[test]
fn what_is_wrong_with_a_log_is_told() {
    let head = "time,fx,fy,fz\n";
    let good = |n: usize| format!("{n},1,2,3");
    let broken = |line: &str| format!("{head}{}{line}\n", rows(25, good));
    for (text, expected) in [
        (String::new(), "no column time"),
        ("time,fx,fy\n1,2,3\n".into(), "no column fz"),
        ("time,fx,fy,fz,tx\n1,2,3,4,5\n".into(), "no column ty"),
        (head.into(), "0 samples"),
        (format!("{head}1,2,3,4\n"), "1 samples"),
        (broken("30,NaN,1,1"), "line 27: `NaN` in column fx"),
        (broken("30,1,inf,1"), "column fy is not a finite number"),
        (broken("30,1,1"), "`` in column fz"),
        (broken("30,1,one,1"), "`one` in column fy"),
        (broken("3,1,1,1"), "the time 3 s is not later than 24 s"),
        (broken("24,1,1,1"), "sort the log"),
        ("\u{0}\u{1}\u{2}".into(), "no column time"),
    ] {
        let error = read(&text).expect_err(&text);
        assert!(error.contains(expected), "{text}\n{error}");
    }
    assert!(ForceLog::read(&[0xff, 0xfe, b'\n', 0x80][..]).is_err());
}

/// States that were changed by hand are refused, not trusted.
#[test]
fn damaged_states_are_refused() {
    let json = r#"{"version":1,"title":"","resolution":0.01,"settings":{"force":0.1,"hold":0.03,"edge_angle":30.0,
        "end_radii":2.0,"window":0.1},"grippers":["hand"],"states":[{"from":0.0,"to":1.0,"contacts":[],"path":[]}],
        "transitions":[]}"#;
    let sequence: Sequence = serde_json::from_str(json).unwrap();
    let refused = |sequence: &Sequence| Matcher::new(sequence, MatchSettings::default()).unwrap_err();
    assert!(matches!(refused(&sequence), MatchError::NoTransitions));
    assert!(matches!(refused(&Sequence { version: 7, ..sequence.clone() }), MatchError::Version(7)));
    let settings = MatchSettings { difference: 0.0, ..MatchSettings::default() };
    assert!(matches!(Matcher::new(&sequence, settings), Err(MatchError::Setting { .. })));
}
