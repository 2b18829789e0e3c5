//! Scenes made up at random, of all models, obstacles, grips and loads: each is refused, or steps with finite numbers, or fails with a
//! reason, or goes on until it is asked to stop, which it then does.
//!
//! `PLIANT_FUZZ_COUNT` sets the number of scenes, at most 10,000, and `PLIANT_FUZZ_SEED` the first state of the generator; a failure
//! prints the scene. Bounds on time are far beyond what reading or stopping takes: they tell a hang, not a noisy machine.

#![allow(clippy::unwrap_used, missing_docs)]

use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use pliant::{StepError, Stop};
use pliant_scene::{Scene, parse};

/// Steps are stopped after this time.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reading, or stopping, takes no longer than this.
const HANG: Duration = Duration::from_secs(20);

/// A small generator of random numbers (xorshift, Marsaglia 2003).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Between two numbers.
    fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Between two positive numbers, evenly in their logarithm.
    fn scale(&mut self, low: f64, high: f64) -> f64 {
        self.within(low.ln(), high.ln()).exp()
    }

    fn triple(&mut self, size: f64) -> String {
        let [x, y, z] = [0; 3].map(|_| self.within(-size, size));
        format!("[{x:.4}, {y:.4}, {z:.4}]")
    }
}

const RODS: [&str; 4] = ["chain", "cable", "xpbd", "elastica"];

fn rod(random: &mut Random, name: &str, out: &mut String) {
    let model = random.pick(&RODS);
    let (radius, count) = (random.scale(1e-4, 2e-2), 2 + random.below(30));
    let [x, y, z] = [0; 3].map(|_| random.within(-0.3, 0.3));
    // elastica wants a path in a plane, which two or three points always have
    let points: Vec<String> = (0..2 + random.below(2))
        .map(|n| format!("[{:.4}, {:.4}, {:.4}]", x + 0.2 * n as f64, y + random.within(-0.1, 0.1), z + 0.3))
        .collect();
    writeln!(out, "[[body]]\nname = \"{name}\"\nmodel = \"{model}\"\nmaterial = \"m\"\npath = [{}]", points.join(", "))
        .unwrap();
    match random.below(4) {
        0 if model != "chain" => writeln!(
            out,
            "section = {{ hollow = {{ radius = {radius:.6}, inner = {:.6} }} }}",
            radius * random.within(0.1, 0.99999)
        ),
        _ => writeln!(out, "radius = {radius:.6}"),
    }
    .unwrap();
    writeln!(out, "segments = {count}").unwrap();
    let setting = match model {
        "chain" => random.pick(&[
            "update = \"velocity\"",
            "update = \"dynamics\"",
            "bending = \"paper\"",
            "drag = 3.0",
            "rate = 2e6",
        ]),
        "cable" => random.pick(&[
            "step = \"midpoint\"",
            "step = \"linear\"",
            "solver = \"newton\"",
            "drag = 1.0",
            "restitution = 0.5",
            "start = \"equilibrium\"",
        ]),
        "xpbd" => random.pick(&["iterations = 200", "substeps = 7", "damping_time = 0.01"]),
        _ => random.pick(&[
            "integrator = \"midpoint\"",
            "integrator = \"midpoint\", extensible = true",
            "start = \"path\"",
            "tolerance = 1e-4",
            "integrator = \"midpoint\", start = \"path\", self_contact = false",
        ]),
    };
    if !random.one_in(3) {
        writeln!(out, "{model} = {{ {setting} }}").unwrap();
    }
}

fn solid(random: &mut Random, name: &str, out: &mut String) {
    let place = random.triple(0.3);
    let size = [0; 3].map(|_| random.scale(0.01, 0.3));
    let cells = [0; 3].map(|_| 1 + random.below(3));
    let shape = match random.below(3) {
        0 => format!("prism = {{ sides = {}, radius = {:.3}, length = {:.3} }}", 3 + random.below(5), size[0], size[1]),
        _ => format!("box = {{ size = [{:.3}, {:.3}, {:.3}], cells = {cells:?} }}", size[0], size[1], size[2]),
    };
    let spin = random.triple(5.0);
    let model = random.pick(&["lattice", "lattice", "response"]);
    writeln!(out, "[[body]]\nname = \"{name}\"\nmodel = \"{model}\"\nmaterial = \"m\"\nsolid = {{ {shape} }}\nposition = {place}\nspin = {spin}").unwrap();
    if model == "response" {
        writeln!(out, "response = {{ modes = {} }}", 1 + random.below(20)).unwrap();
    }
}

fn obstacle(random: &mut Random, name: &str, out: &mut String) {
    let size = random.scale(0.005, 0.5);
    let shape = match random.below(6) {
        0 | 1 => "plane = {}".into(),
        2 => format!("sphere = {{ radius = {size:.4} }}"),
        3 => format!("box = {{ size = [{size:.4}, {:.4}, 0.1] }}", 2.0 * size),
        4 => format!("cylinder = {{ radius = {size:.4}, length = 0.4 }}"),
        _ => format!("capsule = {{ radius = {size:.4}, length = 0.2 }}"),
    };
    let place = if shape.starts_with("plane") {
        format!("[0, 0, {:.3}]", random.within(-0.6, 0.1))
    } else {
        random.triple(0.5)
    };
    writeln!(out, "[[obstacle]]\nname = \"{name}\"\nshape = {{ {shape} }}\nposition = {place}").unwrap();
    if random.one_in(3) {
        let velocity = random.triple(2.0);
        writeln!(out, "motion = {{ speed = {{ velocity = {velocity} }} }}").unwrap();
    }
    if random.one_in(3) {
        writeln!(out, "friction = {{ coefficient = {:.2} }}", random.within(0.0, 2.0)).unwrap();
    }
}

fn place(random: &mut Random, is_solid: bool) -> String {
    match random.below(5) {
        0 => "\"start\"".into(),
        1 => "\"end\"".into(),
        2 => format!("{{ node = {} }}", random.below(12)),
        3 if is_solid => format!("{{ point = {} }}", random.triple(0.3)),
        4 if is_solid => "{ min = [-1, -1, -1], max = [1, 1, 0.1] }".into(),
        _ => format!("{:.3}", random.within(0.0, 1.0)),
    }
}

fn made_up(random: &mut Random) -> String {
    let step = random.pick(&[1e-4, 1e-3, 1e-3, 5e-3, 0.02, 0.1]);
    let mut out = format!("duration = {}\nstep = {step}\ngravity = {}\n", 10.0 * step, random.triple(15.0));
    let (young, density, friction) = (random.scale(1e3, 2e11), random.scale(10.0, 2e4), random.within(0.0, 1.5));
    let poisson = random.within(0.0, 0.49);
    writeln!(out, "[material.m]\nyoung = {young:.3e}\npoisson = {poisson:.3}\ndensity = {density:.1}\nfriction = {{ coefficient = {friction:.2} }}").unwrap();
    for n in 0..random.below(4) {
        obstacle(random, &format!("o{n}"), &mut out);
    }
    let solids: Vec<bool> = (0..1 + random.below(3)).map(|_| random.one_in(4)).collect();
    for (n, is_solid) in solids.iter().enumerate() {
        let make = if *is_solid { solid } else { rod };
        make(random, &format!("b{n}"), &mut out);
    }
    for n in 0..random.below(3) {
        let body = random.below(solids.len());
        let (at, orientation) = (place(random, solids[body]), random.pick(&["true", "false", "\"two-points\""]));
        let velocity = random.scale(0.01, 30.0);
        writeln!(out, "[[gripper]]\nname = \"g{n}\"\ngrips = [{{ body = \"b{body}\", at = {at}, orientation = {orientation} }}]\nmotion = {{ speed = {{ velocity = {} }} }}", random.triple(velocity)).unwrap();
    }
    for _ in 0..random.below(2) {
        let body = random.below(solids.len());
        let (at, size) = (place(random, solids[body]), random.scale(1e-3, 1e4));
        writeln!(out, "[[load]]\nbody = \"b{body}\"\nat = {at}\nforce = {}", random.triple(size)).unwrap();
    }
    out
}

/// What became of a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Became {
    Refused,
    Ran,
    Failed,
    Stopped,
}

/// Make some steps, and have them stopped where they take too long.
fn step(mut scene: Scene) -> Became {
    let (stop, (end, ended)) = (Stop::default(), channel::<()>());
    scene.world.set_stop(&stop);
    std::thread::scope(|scope| {
        let stop = &stop;
        scope.spawn(move || {
            if ended.recv_timeout(PATIENCE).is_err_and(|e| e == std::sync::mpsc::RecvTimeoutError::Timeout) {
                stop.ask();
            }
        });
        let begun = Instant::now();
        let mut became = Became::Ran;
        for _ in 0..5 {
            let before = scene.world.snapshot();
            if let Err(error) = scene.world.step(scene.step) {
                assert!(scene.world.snapshot() == before, "not as it was before: {error}");
                became = if matches!(error, StepError::Stopped { .. }) { Became::Stopped } else { Became::Failed };
                break;
            }
            let frame = scene.world.frame();
            let loads = frame.grippers.iter().flat_map(|g| [g.load.force, g.load.torque]);
            assert!(loads.chain(frame.bodies.iter().flat_map(|b| b.nodes.iter().copied())).all(|v| v.is_finite()));
        }
        drop(end);
        assert!(
            begun.elapsed() < PATIENCE + HANG,
            "asked to stop after {PATIENCE:?}, it did so after {:?}",
            begun.elapsed()
        );
        became
    })
}

fn run(text: &str) -> Became {
    let begun = Instant::now();
    let Ok(scene) = parse(text, "random.toml", Path::new("."), &[]) else { return Became::Refused };
    assert!(begun.elapsed() < HANG, "reading took {:?}", begun.elapsed());
    step(scene)
}

#[test]
fn made_up_scenes_run_or_say_why_not() {
    let setting = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let count = setting("PLIANT_FUZZ_COUNT").unwrap_or(150).min(10_000);
    let mut random = Random(setting("PLIANT_FUZZ_SEED").unwrap_or(0x5eed));
    let (mut counts, mut faults) = ([0; 4], 0);
    for _ in 0..count {
        let text = made_up(&mut random);
        let once = || catch_unwind(AssertUnwindSafe(|| run(&text)));
        // steps repeat to the bit, times do not: what fails once alone was a machine that stood still
        match once().or_else(|_| once()) {
            Ok(became) => counts[became as usize] += 1,
            Err(_) => {
                println!("---- this scene:\n{text}");
                faults += 1;
            }
        }
    }
    println!("refused, ran, failed, stopped: {counts:?}");
    assert_eq!(faults, 0, "of {count} scenes");
    assert!(counts[Became::Ran as usize] as u64 * 3 > count, "most are no scenes at all: {counts:?}");
}
