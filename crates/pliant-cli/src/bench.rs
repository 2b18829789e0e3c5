//! `pliant bench`: the time of a step. Warm up, save the state, then measure the same stretch repeatedly from there; or
//! the whole scene from its first step.
//!
//! Only `World::step` is timed: no frames, no recording, no expectations. The time of a frame is reported separately.

use std::path::Path;
use std::time::{Duration, Instant};

use pliant::{Other, Probe, Snapshot, Stage, World};
use pliant_scene::Scene;
use serde::Serialize;

use crate::args::Options;
use crate::failure::Failure;
use crate::gallery;
use crate::output::{self, number, short};

/// Largest number of steps in a stretch.
const STRETCH: u64 = 1000;

/// Which steps of a scene are measured.
pub enum Extent {
    /// A stretch after a warm-up, for as many seconds.
    Stretch(f64),
    /// All of them, once.
    Whole,
}

impl Extent {
    /// How often at least, and how long, the steps are repeated to be timed, and to be timed stage by stage.
    fn rounds(&self) -> [(usize, Duration); 2] {
        match *self {
            Extent::Whole => [(1, Duration::ZERO); 2],
            Extent::Stretch(seconds) => [1.0, 0.5].map(|part| (3, Duration::from_secs_f64(part * seconds))),
        }
    }
}

#[derive(Serialize)]
struct Bench {
    scene: String,
    threads: u16,
    step_s: f64,
    steps: usize,
    mean_us: f64,
    p50_us: f64,
    p95_us: f64,
    p99_us: f64,
    max_us: f64,
    /// Time to write a frame of all bodies, not included in steps [us].
    frame_us: f64,
    #[serde(flatten)]
    copies: Copies,
    real_time_factor: f64,
    /// Contacts after a step, mean over all steps.
    contacts_mean: f64,
    /// Those of bodies with bodies or with themselves.
    pairs_mean: f64,
    iterations_mean: f64,
    /// Time of a step divided by its iterations, overhead included [us].
    us_per_iteration: Option<f64>,
    limit_hits: f64,
    stages_us: std::collections::BTreeMap<&'static str, f64>,
    bodies: Vec<BodyBench>,
}

#[derive(Serialize)]
struct BodyBench {
    name: String,
    model: &'static str,
    size: usize,
    model_steps: f64,
    ns_per_model_step: f64,
}

/// Measure a scene.
pub fn bench(path: &Path, extent: &Extent, options: &Options) -> Result<(), Failure> {
    let mut scene = crate::precompute::load(path, options)?;
    scene.world.set_threads(options.threads().into());
    let stretch = match extent {
        Extent::Whole => scene.steps(),
        Extent::Stretch(seconds) => warm_up(&mut scene, Duration::from_secs_f64(0.25 * seconds))?,
    };
    let [first, second] = extent.rounds();
    let start = scene.world.snapshot();

    // once for the steps themselves, once with a timer around every stage
    let mut times = vec![];
    let (mut frame, mut pictures) = (scene.world.frame(), vec![]);
    let (mut contacts, mut pairs) = (vec![], vec![]);
    let (mut iterations, mut limit_hits) = (vec![], vec![]);
    let solved_before: u64 = scene.world.bodies().iter().map(|b| b.counters().iterations).sum();
    let hits = |world: &World| world.bodies().iter().map(|b| b.counters().limit_hits).sum::<u64>();
    let hits_before = hits(&scene.world);
    repeat(&mut scene.world, &start, first, |world| {
        for _ in 0..stretch {
            let begun = Instant::now();
            world.step(scene.step)?;
            times.push(begun.elapsed().as_secs_f64() * 1e6);
        }
        let begun = Instant::now();
        world.write_frame(&mut frame);
        pictures.push(begun.elapsed().as_secs_f64() * 1e6);
        let solved: u64 = world.bodies().iter().map(|b| b.counters().iterations).sum();
        iterations.push((solved - solved_before) as f64 / stretch as f64);
        limit_hits.push((hits(world) - hits_before) as f64 / stretch as f64);
        Ok(())
    })?;
    let mut stages = StageClock::new(&scene.world);
    let mut per_model_step = vec![vec![]; scene.world.bodies().len()];
    repeat(&mut scene.world, &start, second, |world| {
        let before: Vec<(Duration, u64)> = (0..per_model_step.len()).map(|b| body_clock(&stages, world, b)).collect();
        for _ in 0..stretch {
            world.step_probed(scene.step, &mut stages)?;
            world.write_frame(&mut frame);
            contacts.push(frame.contacts.len() as f64);
            pairs.push(frame.contacts.iter().filter(|c| matches!(c.other, Other::Body(_))).count() as f64);
        }
        stages.steps += stretch;
        for (body, samples) in per_model_step.iter_mut().enumerate() {
            let (time, steps) = body_clock(&stages, world, body);
            let steps = steps - before[body].1;
            samples.push(((time - before[body].0).as_secs_f64() * 1e9 / steps.max(1) as f64, steps));
        }
        Ok(())
    })?;

    let copies = Copies::measure(&mut scene.world, &start);
    times.sort_by(f64::total_cmp);
    let mean_us = mean(&times);
    let bodies = scene.world.bodies().iter().zip(&per_model_step).map(|(body, samples)| BodyBench {
        name: body.name().into(),
        model: body.model().name(),
        size: body.size(),
        model_steps: samples.first().map_or(0.0, |s| s.1 as f64 / stretch as f64),
        ns_per_model_step: median(samples.iter().map(|s| s.0).collect()),
    });
    let result = Bench {
        scene: gallery::name(path),
        threads: options.threads(),
        step_s: scene.step,
        steps: times.len(),
        mean_us,
        p50_us: percentile(&times, 0.50),
        p95_us: percentile(&times, 0.95),
        p99_us: percentile(&times, 0.99),
        max_us: percentile(&times, 1.0),
        frame_us: median(pictures),
        copies,
        real_time_factor: scene.step * 1e6 / mean_us,
        contacts_mean: mean(&contacts),
        pairs_mean: mean(&pairs),
        iterations_mean: mean(&iterations),
        us_per_iteration: (mean(&iterations) > 0.0).then(|| mean_us / mean(&iterations)),
        limit_hits: mean(&limit_hits),
        stages_us: stages.means(),
        bodies: bodies.collect(),
    };
    if options.json { output::print_json(&result) } else { print(&result) }
}

/// What copies of a world cost [us]: medians.
#[derive(Serialize)]
struct Copies {
    /// Of a whole world.
    clone_us: f64,
    /// Of a snapshot into memory that is there.
    snapshot_us: f64,
    /// Of a snapshot back into its world.
    restore_us: f64,
}

impl Copies {
    /// Of the world as it is at the start of a stretch.
    fn measure(world: &mut World, start: &Snapshot) -> Copies {
        const TIMES: usize = 201;
        let timed = |act: &mut dyn FnMut()| {
            let begun = Instant::now();
            act();
            begun.elapsed().as_secs_f64() * 1e6
        };
        let mut kept = start.clone();
        let clone_us = median((0..TIMES).map(|_| timed(&mut || drop(std::hint::black_box(world.clone())))).collect());
        let snapshot_us = median((0..TIMES).map(|_| timed(&mut || world.write_snapshot(&mut kept))).collect());
        // it is a snapshot of this world: it fits
        let restore_us = median((0..TIMES).map(|_| timed(&mut || drop(world.restore(&kept)))).collect());
        Copies { clone_us, snapshot_us, restore_us }
    }
}

/// Run a quarter of the scene or of the time allowed, whichever ends first. Returns how many steps a stretch has.
fn warm_up(scene: &mut Scene, most: Duration) -> Result<u64, Failure> {
    let total = scene.steps();
    let begun = Instant::now();
    for _ in 0..total / 4 {
        scene.world.step(scene.step).map_err(|e| Failure::Run(e.to_string()))?;
        if begun.elapsed() > most {
            break;
        }
    }
    Ok((total - scene.world.step_count()).clamp(1, STRETCH))
}

/// Restore the state and run a stretch until the time is up, at least as often as asked for.
fn repeat(
    world: &mut World,
    start: &pliant::Snapshot,
    (least, time): (usize, Duration),
    mut stretch: impl FnMut(&mut World) -> Result<(), pliant::StepError>,
) -> Result<(), Failure> {
    let begun = Instant::now();
    let mut rounds = 0;
    while rounds < least || begun.elapsed() < time {
        world.restore(start).map_err(|e| Failure::Run(e.to_string()))?;
        stretch(world).map_err(|e| Failure::Run(e.to_string()))?;
        rounds += 1;
    }
    Ok(())
}

/// Time spent in each stage, and in advancing each body; bodies that are solved together share it by their sizes.
struct StageClock {
    stages: [Duration; Stage::ALL.len()],
    bodies: Vec<Duration>,
    sizes: Vec<usize>,
    since: Option<(Stage, Instant)>,
    /// The bodies that are being advanced.
    now: Vec<usize>,
    steps: u64,
}

impl StageClock {
    fn new(world: &World) -> StageClock {
        let sizes: Vec<usize> = world.bodies().iter().map(|body| body.size()).collect();
        let bodies = vec![Duration::ZERO; sizes.len()];
        StageClock { stages: Default::default(), bodies, sizes, since: None, now: vec![], steps: 0 }
    }

    fn close(&mut self, now: Instant) {
        let Some((stage, since)) = self.since.take() else { return };
        let spent = now - since;
        self.stages[Stage::ALL.iter().position(|s| *s == stage).unwrap_or(0)] += spent;
        if stage == Stage::Advance {
            let all: usize = self.now.iter().map(|&body| self.sizes[body]).sum();
            for &body in &self.now {
                self.bodies[body] += spent.mul_f64(self.sizes[body] as f64 / all.max(1) as f64);
            }
        }
    }

    fn open(&mut self, stage: Stage, bodies: &[usize]) {
        let now = Instant::now();
        self.close(now);
        self.now.clear();
        self.now.extend_from_slice(bodies);
        self.since = Some((stage, now));
    }

    fn means(&self) -> std::collections::BTreeMap<&'static str, f64> {
        let mean = |d: &Duration| d.as_secs_f64() * 1e6 / self.steps.max(1) as f64;
        Stage::ALL.iter().zip(&self.stages).map(|(stage, d)| (stage.name(), mean(d))).collect()
    }
}

impl Probe for StageClock {
    fn enter(&mut self, stage: Stage, body: Option<usize>) {
        self.open(stage, body.as_slice());
    }

    fn enter_together(&mut self, bodies: &[usize]) {
        self.open(Stage::Advance, bodies);
    }

    fn leave(&mut self) {
        self.close(Instant::now());
    }
}

fn body_clock(stages: &StageClock, world: &World, body: usize) -> (Duration, u64) {
    (stages.bodies[body], world.bodies()[body].counters().steps)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn percentile(sorted: &[f64], fraction: f64) -> f64 {
    let index = ((sorted.len() as f64 - 1.0) * fraction).round() as usize;
    sorted.get(index).copied().unwrap_or(f64::NAN)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    percentile(&values, 0.5)
}

fn print(bench: &Bench) -> Result<(), Failure> {
    output::print_text(format!("{}: {} steps of {} s measured", bench.scene, bench.steps, bench.step_s))?;
    let mut table = output::table(&["step", "µs"]);
    let rows = [
        ("mean", bench.mean_us),
        ("median", bench.p50_us),
        ("95 %", bench.p95_us),
        ("99 %", bench.p99_us),
        ("worst", bench.max_us),
    ];
    for (label, value) in rows {
        table.add_row(vec![label.into(), number(short(value))]);
    }
    table.add_row(vec!["a frame of all shapes, at any time".into(), number(short(bench.frame_us))]);
    let Copies { clone_us, snapshot_us, restore_us } = bench.copies;
    for (what, time) in [("a clone", clone_us), ("a snapshot", snapshot_us), ("going back to it", restore_us)] {
        table.add_row(vec![what.into(), number(short(time))]);
    }
    for (stage, value) in &bench.stages_us {
        table.add_row(vec![format!("mean of stage {stage}").into(), number(short(*value))]);
    }
    output::print_text(table)?;
    let mut table = output::table(&["body", "model", "size", "model steps a step", "ns a model step", "ns a point"]);
    for b in &bench.bodies {
        table.add_row(vec![
            b.name.as_str().into(),
            b.model.into(),
            number(b.size),
            number(short(b.model_steps)),
            number(short(b.ns_per_model_step)),
            number(short(b.ns_per_model_step / b.size as f64)),
        ]);
    }
    output::print_text(table)?;
    let (contacts, pairs) = (short(bench.contacts_mean), short(bench.pairs_mean));
    output::print_text(format!(
        "{contacts} contacts after a step in the mean, {pairs} of them pairs of bodies or within one"
    ))?;
    if let Some(each) = bench.us_per_iteration {
        let count = short(bench.iterations_mean);
        output::print_text(format!(
            "{count} iterations a step, one in {} µs with all that comes with it",
            short(each)
        ))?;
        if bench.limit_hits > 0.0 {
            output::print_text(format!("in {} % of steps they came to their limit", short(100.0 * bench.limit_hits)))?;
        }
    }
    output::print_text(format!("{} x real time", short(bench.real_time_factor)))?;
    Ok(())
}
