//! Random scenes of all models in which nothing but grips, loads and moving obstacles can give energy: no step creates more than
//! its model's stated bound.
//!
//! `PLIANT_FUZZ_COUNT` sets the number of scenes, 2,000 at the most, and `PLIANT_FUZZ_SEED` the first state of the generator; a
//! failure prints the scene.

#![allow(clippy::unwrap_used, missing_docs)]

use std::fmt::Write;
use std::path::Path;

use pliant::StepError;
use pliant_scene::parse;

/// A generator of Marsaglia, "Xorshift RNGs" (2003).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.fraction()
    }

    /// Evenly among orders of magnitude.
    fn scale(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.fraction())
    }

    fn one_of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.next() as usize % words.len()]
    }

    fn often(&mut self, part: f64) -> bool {
        self.fraction() < part
    }
}

const MODELS: [&str; 6] = ["chain", "cable", "xpbd", "elastica", "lattice", "response"];

/// A motion of a hand or an obstacle; rods of the model elastica live in the plane y = 0.
fn motion(r: &mut Random, planar: bool) -> String {
    let y = if planar { 0.0 } else { 1.0 };
    let mut vector = |size: f64| {
        let [a, b, c] = [0; 3].map(|_| size * (2.0 * r.fraction() - 1.0));
        format!("[{a:.4}, {:.4}, {c:.4}]", y * b)
    };
    let (velocity, amplitude) = (vector(0.5), vector(0.03));
    match r.next() % 3 {
        0 => format!("{{ speed = {{ velocity = {velocity}, end = {:.2} }} }}", r.between(0.05, 0.4)),
        1 => format!("{{ sinusoid = {{ amplitude = {amplitude}, frequency = {:.2} }} }}", r.scale(0.5, 8.0)),
        _ => "{ hold = {} }".into(),
    }
}

fn obstacles(r: &mut Random, planar: bool, out: &mut String) {
    if r.often(0.7) {
        writeln!(out, "[[obstacle]]\nname = \"floor\"\nshape = {{ plane = {{}} }}").unwrap();
    }
    for n in 0..r.next() % 3 {
        let size = r.between(0.02, 0.06);
        let kind = r.next() % 4;
        let shape = match kind {
            0 => format!("{{ sphere = {{ radius = {size:.4} }} }}"),
            1 => format!("{{ box = {{ size = [{size:.4}, 0.3, {size:.4}] }} }}"),
            2 => format!("{{ cylinder = {{ radius = {:.4}, length = 0.3 }} }}", 0.6 * size),
            _ => format!("{{ capsule = {{ radius = {:.4}, length = 0.2 }} }}", 0.6 * size),
        };
        let (x, z) = (r.between(-0.05, 0.35), r.between(-0.02, 0.02));
        writeln!(out, "[[obstacle]]\nname = \"o{n}\"\nshape = {shape}\nposition = [{x:.4}, 0.0, {z:.4}]").unwrap();
        if kind > 1 {
            writeln!(out, "orientation = {{ axis = [1, 0, 0], angle_deg = 90 }}").unwrap();
        }
        if r.often(0.3) {
            writeln!(out, "motion = {}", motion(r, planar)).unwrap();
        }
    }
}

fn rod(r: &mut Random, model: &str, name: &str, out: &mut String) {
    let radius = r.scale(1e-3, 6e-3);
    let (rise, aside) = (r.between(-0.1, 0.15), if model == "elastica" { 0.0 } else { r.between(-0.1, 0.1) });
    let (z, count) = (r.between(0.2, 0.3), r.scale(5.0, 40.0) as usize);
    let size = match model {
        "chain" => format!("points = {count}"),
        "elastica" => format!("intervals = {}", count.min(16)),
        _ => format!("segments = {count}"),
    };
    // a rod that does not stretch has slack
    let middle = if model == "elastica" { format!("[0.15, 0, {:.4}], ", z + 0.5 * rise + 0.05) } else { String::new() };
    let end = format!("[0.3, {aside:.4}, {:.4}]", z + rise);
    writeln!(out, "radius = {radius:.5}\npath = [[0, 0, {z:.4}], {middle}{end}]\n{size}").unwrap();
    match model {
        "chain" => writeln!(out, "[body.chain]\ndrag = {:.2}", r.one_of(&["0", "1", "10"])).unwrap(),
        "cable" => {
            let step = r.one_of(&["decaying", "decaying", "midpoint"]);
            writeln!(out, "[body.cable]\nstep = \"{step}\"\ndamping_time = {}", r.one_of(&["0", "0.001"])).unwrap();
        }
        "elastica" => {
            let integrator = r.one_of(&["midpoint", "fehlberg"]);
            writeln!(out, "[body.elastica]\nintegrator = \"{integrator}\"").unwrap();
        }
        _ => {}
    }
    let ends: &[&str] = if r.often(0.3) { &["start", "end"] } else { &["start"] };
    for (n, end) in ends.iter().enumerate() {
        if r.often(0.6) {
            let until = if r.often(0.4) { format!(", until = {:.2}", r.between(0.05, 0.5)) } else { String::new() };
            let turns = r.one_of(&["true", "false"]);
            writeln!(out, "[[gripper]]\nname = \"{name}-hand{n}\"").unwrap();
            writeln!(out, "grips = [{{ body = \"{name}\", at = \"{end}\", orientation = {turns}{until} }}]").unwrap();
            let at = if n == 0 { format!("[0, 0, {z:.4}]") } else { format!("[0.3, {aside:.4}, {:.4}]", z + rise) };
            writeln!(out, "position = {at}\nmotion = {}", motion(r, model == "elastica")).unwrap();
        }
    }
}

fn solid(r: &mut Random, model: &str, name: &str, out: &mut String) {
    let [x, y, z] = [0; 3].map(|_| r.between(0.03, 0.1));
    let at = r.between(0.12, 0.25);
    writeln!(out, "solid = {{ box = {{ size = [{x:.4}, {y:.4}, {z:.4}], cells = [2, 2, 2] }} }}").unwrap();
    writeln!(out, "position = [0.1, 0, {at:.4}]").unwrap();
    if r.often(0.5) {
        let [a, b, c] = [0; 3].map(|_| r.between(-10.0, 10.0));
        writeln!(out, "spin = [{a:.2}, {b:.2}, {c:.2}]").unwrap();
    }
    if model == "response" {
        writeln!(out, "[body.response]\nmodes = {}", 5 + r.next() % 20).unwrap();
    }
    if r.often(0.3) {
        writeln!(out, "[[gripper]]\nname = \"{name}-hand\"\nposition = [0.1, 0, {at:.4}]").unwrap();
        let place = format!("{{ min = [-1, -1, {:.4}], max = [1, 1, 1] }}", at + 0.49 * z);
        writeln!(out, "grips = [{{ body = \"{name}\", at = {place} }}]\nmotion = {}", motion(r, false)).unwrap();
    }
}

/// A scene of one body, seldom two.
fn scene(r: &mut Random) -> String {
    let mut out = String::new();
    let step = r.one_of(&["0.001", "0.002", "0.005", "0.01"]);
    writeln!(out, "duration = 1.0\nstep = {step}").unwrap();
    writeln!(out, "[material.m]\nyoung = {:.3e}\npoisson = 0.3", r.scale(1e5, 1e8)).unwrap();
    writeln!(out, "density = {:.0}\nfriction = {{ coefficient = {:.2} }}", r.scale(300.0, 8000.0), r.between(0.0, 1.0))
        .unwrap();
    let model = r.one_of(&MODELS);
    obstacles(r, model == "elastica", &mut out);
    writeln!(out, "[[body]]\nname = \"b\"\nmodel = \"{model}\"\nmaterial = \"m\"").unwrap();
    if model == "lattice" || model == "response" {
        solid(r, model, "b", &mut out)
    } else {
        rod(r, model, "b", &mut out)
    }
    if r.often(0.4) && model != "lattice" && model != "response" {
        let force = [0; 3].map(|_| r.between(-0.1, 0.1));
        let y = if model == "elastica" { 0.0 } else { force[1] };
        writeln!(out, "[[load]]\nbody = \"b\"\nat = \"end\"\nforce = [{:.4}, {y:.4}, {:.4}]", force[0], force[2])
            .unwrap();
        writeln!(out, "until = {:.2}", r.between(0.1, 1.5)).unwrap();
    }
    out
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Simulated time of a scene, and steps that it may take: what bends fast takes long [s].
const TIME: f64 = 0.3;

/// What became of the scenes.
#[derive(Default, Debug)]
struct Tally {
    ran: usize,
    refused: usize,
    ended: usize,
    /// Scenes with a step beyond its bound.
    created: Vec<String>,
}

fn try_one(text: &str, tally: &mut Tally) {
    let Ok(mut scene) = parse(text, "scene.toml", Path::new("."), &[]) else {
        tally.refused += 1;
        return;
    };
    scene.world.enforce_accounts(true);
    while scene.world.time() < TIME {
        match scene.world.step(scene.step) {
            Ok(()) => {}
            Err(error @ StepError::Created { .. }) => {
                tally.created.push(format!("{error}\n{text}"));
                return;
            }
            // held where it cannot be, deformed beyond its model: said so
            Err(_) => {
                tally.ended += 1;
                return;
            }
        }
        let frame = scene.world.frame();
        assert!(frame.bodies.iter().all(|body| body.account.created.is_finite()), "{text}");
    }
    tally.ran += 1;
}

#[test]
fn no_step_of_any_model_creates_more_than_its_bound() {
    let count = setting("PLIANT_FUZZ_COUNT", 200).min(2000) as usize;
    let mut random = Random(setting("PLIANT_FUZZ_SEED", 0x5eed));
    let texts: Vec<String> = (0..count).map(|_| scene(&mut random)).collect();
    let tallies = std::thread::scope(|scope| {
        let halves = texts.chunks(count.div_ceil(2)).map(|half| {
            scope.spawn(move || {
                let mut tally = Tally::default();
                half.iter().for_each(|text| try_one(text, &mut tally));
                tally
            })
        });
        halves.collect::<Vec<_>>().into_iter().map(|half| half.join().unwrap()).collect::<Vec<_>>()
    });
    let all = |of: fn(&Tally) -> usize| tallies.iter().map(of).sum::<usize>();
    let (ran, refused, ended) = (all(|t| t.ran), all(|t| t.refused), all(|t| t.ended));
    println!("{ran} ran, {refused} were refused, {ended} ended early");
    let created: Vec<&String> = tallies.iter().flat_map(|tally| &tally.created).collect();
    created.iter().for_each(|scene| println!("{scene}"));
    assert!(created.is_empty(), "{} of {count} scenes create energy", created.len());
    // most of them must be scenes, or nothing was shown
    assert!(10 * ran > 7 * count, "only {ran} of {count} ran, {refused} were refused, {ended} ended early");
}

/// A load that turns the last link by 5 rad in a step, which its pose tells as a turn the other way round.
const TURNED: &str = r#"
    duration = 1.0
    step = 0.005
    [material.m]
    young = 5.951e5
    poisson = 0.3
    density = 1022
    [[body]]
    name = "b"
    model = "xpbd"
    material = "m"
    radius = 0.00281
    path = [[0, 0, 0.2861], [0.3, 0.0646, 0.4200]]
    segments = 32
    [[load]]
    body = "b"
    at = "end"
    force = [-0.0607, -0.0554, 0.0539]
    until = 0.58
"#;

#[test]
fn a_load_that_turns_a_link_too_fast_ends_the_run() {
    let mut tally = Tally::default();
    try_one(TURNED, &mut tally);
    assert_eq!((tally.ended, tally.created), (1, vec![]));
}
