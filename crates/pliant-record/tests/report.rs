//! The data inside `report.html` read back as the page reads it. Numbers there are `f32`: equal to the world's, rounded.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pliant::{Frame, GripperFrame, World};
use pliant_record::{Outcome, Recorder};
use serde_json::Value;

fn data(path: &std::path::Path) -> Value {
    let page = std::fs::read_to_string(path).unwrap();
    let start = "<script type=\"application/json\" id=\"pliant-data\">";
    let (_, rest) = page.split_once(start).unwrap();
    let (json, _) = rest.split_once("</script>").unwrap();
    assert!(!json.contains('<'));
    serde_json::from_str(json).unwrap()
}

fn bytes(value: &Value) -> Vec<u8> {
    STANDARD.decode(value.as_str().unwrap()).unwrap()
}

fn floats(value: &Value) -> Vec<f32> {
    bytes(value).as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

#[test]
fn the_page_gets_the_numbers_of_the_world() {
    let dir = tempfile::tempdir().unwrap();
    let (paths, frames, _) = common::record(&dir.path().join("out"), 20, 0.3);
    let data = data(&paths.report);
    assert_eq!(data["format"], 1);
    assert_eq!(data["title"], "Drop </script><b>");
    assert_eq!((&data["outcome"], &data["outcome_text"]), (&"done".into(), &"reached the end".into()));
    assert_eq!(data["summary"], serde_json::json!([["steps", "60"]]));
    let expected = serde_json::json!([{"text": "lowest point", "value": "2 mm", "bounds": "> 1 mm", "pass": true, "first_missed": null}]);
    assert_eq!(data["expectations"], expected);
    assert_eq!(data["events"][0], serde_json::json!({"time": 0.0, "text": "hand grips rod"}));

    // 100 Hz recorded, at most 60 Hz shown: every second recorded frame
    let times = floats(&data["times"]);
    let shown: Vec<&Frame> = frames.iter().step_by(4).collect();
    assert!(times.iter().copied().eq(shown.iter().map(|frame| frame.time as f32)), "{times:?}");

    let body = &data["bodies"][0];
    assert_eq!((&body["kind"], &body["model"]), (&"curve".into(), &"chain".into()));
    assert_eq!((body["node_count"].as_u64(), body["radius"].as_f64()), (Some(20), Some(0.003)));
    let nodes = shown.iter().flat_map(|f| &f.bodies[0].nodes).flat_map(|node| node.to_array());
    assert!(floats(&body["positions"]).into_iter().eq(nodes.map(|v| v as f32)));
    for (index, field) in frames[0].bodies[0].fields.iter().enumerate() {
        assert_eq!(
            (&body["fields"][index]["name"], &body["fields"][index]["unit"]),
            (&field.name.into(), &field.unit.into())
        );
        let values = shown.iter().flat_map(|f| &f.bodies[0].fields[index].values);
        assert!(floats(&body["fields"][index]["values"]).into_iter().eq(values.map(|&v| v as f32)));
    }

    let [floor, sliding] = [&data["obstacles"][0], &data["obstacles"][1]];
    assert_eq!((&floor["kind"], &floor["name"]), (&"plane".into(), &"floor".into()));
    assert_eq!(floats(&floor["poses"]), [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], "one pose: it rests");
    assert_eq!((&sliding["kind"], sliding["vertices"].as_array().unwrap().len()), (&"mesh".into(), 24));
    let y = floats(&sliding["poses"]).into_iter().skip(1).step_by(7);
    assert!(y.eq(shown.iter().map(|f| f.obstacles[1].translation.y as f32)), "it slides along y");

    let hand = &data["grippers"][0];
    let of_hand = |get: fn(&GripperFrame) -> [f64; 3]| -> Vec<f32> {
        shown.iter().flat_map(|f| get(&f.grippers[0])).map(|v| v as f32).collect()
    };
    assert_eq!(floats(&hand["forces"]), of_hand(|g| g.load.force.to_array()));
    assert_eq!(floats(&hand["torques"]), of_hand(|g| g.load.torque.to_array()));
    assert_eq!(floats(&hand["poses"]).len(), 7);
    let attached: Vec<u8> = shown.iter().map(|f| u8::from(f.grippers[0].attached)).collect();
    assert_eq!(bytes(&hand["attached"]), attached);
    assert!(attached.contains(&0) && attached.contains(&1));
}

/// Also of those that are not recorded: a peak between two recorded instants is in the picture.
#[test]
fn plots_hold_every_step_of_a_short_run() {
    let dir = tempfile::tempdir().unwrap();
    let (paths, frames, _) = common::record(&dir.path().join("out"), 20, 0.3);
    let data = data(&paths.report);
    let plots = data["plots"].as_array().unwrap();
    let series = |plot: &str, name: &str| {
        let plot = plots.iter().find(|p| p["title"] == plot).unwrap_or_else(|| panic!("{plot}"));
        let all = plot["series"].as_array().unwrap();
        floats(&all.iter().find(|s| s["name"] == name).unwrap_or_else(|| panic!("{name} in {all:?}"))["values"])
    };
    let same = |found: Vec<f32>, expected: &dyn Fn(&Frame) -> f64| {
        assert!(found.into_iter().eq(frames.iter().map(|frame| expected(frame) as f32)));
    };
    let greatest = |f: &Frame, field: usize| f.bodies[0].fields[field].values.iter().copied().fold(f64::MIN, f64::max);
    same(floats(&plots[0]["times"]), &|f| f.time);
    same(series("Force on grippers", "hand z"), &|f| f.grippers[0].load.force.z);
    same(series("Force on grippers", "hand norm"), &|f| f.grippers[0].load.force.length());
    same(series("Torque on grippers", "hand"), &|f| f.grippers[0].load.torque.length());
    same(series("Greatest tension", "rod"), &|f| greatest(f, 0));
    same(series("Greatest curvature", "rod"), &|f| greatest(f, 3));
    let start = frames[0].bodies[0].energy.gravity;
    same(series("Energy of rod", "gravity"), &|f| f.bodies[0].energy.gravity - start);
    same(series("Energy of rod", "kinetic"), &|f| f.bodies[0].energy.kinetic);
    same(series("Energy of rod", "total"), &|f| f.bodies[0].energy.total() - start);
    same(series("Force of obstacles", "floor"), &|f| f.force_of_obstacle(0, None).length());
    same(series("Contact force", "sum of magnitudes"), &|f| f.contacts.iter().map(|c| c.force.length()).sum());
    assert!(plots.iter().any(|plot| plot["title"] == "Penetration"));
}

/// Frames made by hand, so that a run of hours takes no time to simulate.
fn long_run(world: &World, dir: &std::path::Path, frames: usize) -> Value {
    let mut recorder = Recorder::create(dir, world, common::info(1e9)).unwrap();
    let mut frame = world.frame();
    for i in 1..frames {
        frame.time = i as f64 * 0.01;
        frame.grippers[0].load.force.x = if i == frames / 3 { 1e3 } else { 1.0 };
        recorder.write(&frame).unwrap();
    }
    data(&recorder.finish(&common::outcome()).unwrap().report)
}

#[test]
fn long_runs_are_thinned_to_their_limits_and_keep_peaks_and_end() {
    let dir = tempfile::tempdir().unwrap();
    let data = long_run(&common::world(20), &dir.path().join("out"), 20_000);
    let times = floats(&data["times"]);
    assert!(times.len() <= 3001 && times.len() > 1000, "{}", times.len());
    assert_eq!(*times.last().unwrap(), 199.99);
    let plot = &data["plots"][0];
    assert!(floats(&plot["times"]).len() <= 4002);
    assert!(floats(&plot["series"][0]["values"]).contains(&1e3), "the peak of one instant");
}

#[test]
fn big_bodies_keep_the_page_below_its_size() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let data = long_run(&common::world(4000), &out, 400);
    let size = std::fs::metadata(out.join("report.html")).unwrap().len();
    assert!(size < 25_000_000, "{size}");
    assert!(floats(&data["times"]).len() > 50);
}

#[test]
fn a_failed_run_has_a_report_too() {
    let dir = tempfile::tempdir().unwrap();
    let world = common::world(20);
    let recorder = Recorder::create(&dir.path().join("out"), &world, common::info(1.0)).unwrap();
    let outcome = Outcome { ok: false, text: "rod diverged at t = 0.1 s".into(), ..common::outcome() };
    let data = data(&recorder.finish(&outcome).unwrap().report);
    assert_eq!((&data["outcome"], &data["outcome_text"]), (&"failed".into(), &"rod diverged at t = 0.1 s".into()));
    assert_eq!(floats(&data["times"]), [0.0]);
    assert!(!dir.path().join("out/report.html.part").exists());
}

/// A body that diverges leaves numbers that are none; all files must take them.
#[test]
fn frames_that_are_not_numbers_are_recorded_as_such() {
    let dir = tempfile::tempdir().unwrap();
    let world = common::world(20);
    let mut recorder = Recorder::create(&dir.path().join("out"), &world, common::info(1.0)).unwrap();
    let mut frame = world.frame();
    frame.time = 0.02;
    frame.bodies[0].nodes[3].y = f64::NAN;
    frame.bodies[0].energy.kinetic = f64::INFINITY;
    frame.grippers[0].load.force.x = f64::NAN;
    recorder.write(&frame).unwrap();
    let paths = recorder.finish(&common::outcome()).unwrap();
    let positions = floats(&data(&paths.report)["bodies"][0]["positions"]);
    assert!(positions[60 + 3 * 3 + 1].is_nan() && positions[60].is_finite());
    let table = std::fs::read_to_string(paths.samples).unwrap();
    assert!(table.lines().nth(2).unwrap().contains("NaN,"), "{table}");
}

#[test]
fn an_empty_world_has_a_report() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::new(pliant::math::Vec3::ZERO);
    let recorder = Recorder::create(&dir.path().join("out"), &world, common::info(1.0)).unwrap();
    let data = data(&recorder.finish(&common::outcome()).unwrap().report);
    assert_eq!((floats(&data["times"]), &data["bodies"]), (vec![0.0], &serde_json::json!([])));
}
