//! Cost of recording a frame: a moving rod of 160 points, two grippers, two obstacles.
//!
//! `cargo bench -p pliant-record [-- DIR]` prints microseconds; with DIR the files stay there. Not measured: the step
//! of the world, and building the frame.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::path::PathBuf;
use std::time::Instant;

fn main() {
    let kept = std::env::args().nth(1).filter(|a| !a.starts_with('-')).map(PathBuf::from);
    let temporary = tempfile::tempdir().unwrap();
    let dir = kept.unwrap_or_else(|| temporary.path().join("out"));

    let mut world = common::world(160);
    let duration = 10.0;
    let mut recorder = pliant_record::Recorder::create(&dir, &world, common::info(duration)).unwrap();
    // every step
    recorder.set_rate(1.0 / common::STEP);
    let mut costs = vec![];
    while world.time() < duration - 0.5 * common::STEP {
        world.step(common::STEP).unwrap();
        let frame = world.frame();
        let start = Instant::now();
        recorder.step(&frame).unwrap();
        costs.push(start.elapsed().as_secs_f64() * 1e6);
    }
    let start = Instant::now();
    let paths = recorder.finish(&common::outcome()).unwrap();
    let finish = start.elapsed().as_secs_f64() * 1e3;

    costs.sort_by(f64::total_cmp);
    let at = |fraction: f64| costs[((costs.len() - 1) as f64 * fraction) as usize];
    let mean = costs.iter().sum::<f64>() / costs.len() as f64;
    println!(
        "write, {} frames of 160 nodes: mean {mean:.1} us, p50 {:.1}, p95 {:.1}, p99 {:.1}, worst {:.1}; finish {finish:.0} ms",
        costs.len(),
        at(0.5),
        at(0.95),
        at(0.99),
        at(1.0)
    );
    for path in [&paths.recording, &paths.samples, &paths.report] {
        println!("{}: {} kB", path.display(), std::fs::metadata(path).unwrap().len() / 1000);
    }
}
