//! Right scenes with random mistakes in them: reading must end in a scene or an error, never in a panic, and soon;
//! and a scene must step, or say why it cannot.
//!
//! `PLIANT_FUZZ_COUNT` sets the number of mutations and `PLIANT_FUZZ_SEED` the first state of the generator; a failure
//! prints the text that caused it. The bound on time is about 100,000 times what a scene takes: it tells a hang, not a
//! noisy machine.

#![allow(clippy::unwrap_used, missing_docs)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use pliant::Body;
use pliant_scene::{Override, Scene, parse};

const SCENES: [&str; 8] = [
    r#"title = "Hanging wire"
duration = 2.0
step = 0.01
gravity = [0.0, 0.0, -9.81]

[material.silicone]
young = 4.462e6
poisson = 0.4999
density = 1100.0
friction = { coefficient = 1.296, exponent = 0.7616 }

[[body]]
name = "wire"
model = "chain"
material = "silicone"
radius = 0.002
path = [[0.0, 0.0, 0.3], [0.4, 0.0, 0.3], [0.4, 0.2, 0.3]]
segments = 16

[body.chain]
bending = "linear"
update = "velocity"
drag = 2.5
contact_rate = 500

[[gripper]]
name = "hand"
grips = [{ body = "wire", at = "start", orientation = true }, { body = "wire", at = { node = 3 }, until = 1.0 }]
motion = { waypoints = { blend = "minimum-jerk", points = [{ time = 0, position = [0, 0, 0.3] }, { time = 1, position = [0, 0.1, 0.3], orientation = { euler_deg = [0, 0, 30] } }] } }

[[expect]]
what = "The wire hangs"
quantity = "body.wire.end.z"
at = "end"
max = 0.3
"#,
    r#"duration = 1
[material.a]
young = 1e6
density = 1000
[[body]]
name = "rod"
model = "chain"
material = "a"
radius = 0.01
path = [[0, 0, 0], [1, 0, 0]]
chain = { update = "dynamics", bending = "paper", heuristic = { stretch = 5, bend_angle_deg = 2.5, grip_gap = 1, bend_radius = 0.5 }, history = 0.5, step_limit = 0.1 }
[[obstacle]]
name = "floor"
shape = { plane = {} }
position = [0, 0, -0.1]
orientation = { axis = [1, 0, 0], angle_deg = 5 }
friction = { coefficient = 0.3 }
[[obstacle]]
name = "ball"
shape = { sphere = { radius = 0.1 } }
motion = { sinusoid = { amplitude = [0.1, 0, 0], frequency = 2, phase_deg = 45 } }
[[obstacle]]
name = "case"
shape = { box = { size = [1, 2, 3] } }
orientation = { quaternion = [1, 0, 0, 1] }
motion = { rotate = { axis = [0, 0, 1], centre = [0, 0, 0], angle_deg = 90, start = 0.1, end = 0.9 } }
[[gripper]]
name = "g"
position = [0, 0, 0]
grips = [{ body = "rod", at = 0.5, orientation = "two-points", from = 0.2, snap = true }]
motion = { sequence = [{ duration = 0.5, motion = { speed = { velocity = [0, 0, 0.1] } } }, { duration = 0.5, motion = { helix = { axis = [0, 0, 1], centre = [0, 0, 0], turns = 1, pitch = 0.1, end = 0.5 } } }] }
[[expect]]
quantity = "gripper.g.force.norm"
during = [0.2, 0.8]
max = 100
[[expect]]
quantity = "contacts.penetration"
at = 0.5
value = 0
tolerance = 0.01
"#,
    r#"duration = 0.5
[[obstacle]]
name = "mesh"
shape = { mesh = { file = "block.obj", scale = 0.5 } }
[[obstacle]]
name = "stl"
shape = { mesh = { file = "block.stl" } }
[[obstacle]]
name = "hull"
shape = { convex = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1], [0.5, 0.5, 0.5]] } }
[[obstacle]]
name = "ground"
shape = { height_field = { heights = [[0, 0.1, 0.2], [0.1, 0, 0.1], [0.2, 0.2, 0.2]], size = [2, 2] } }
[[obstacle]]
name = "peg"
shape = { cylinder = { radius = 0.1, length = 1 } }
motion = { accelerate = { velocity = [0, 0, 0], acceleration = [0, 0, 1], start = 0, end = 0.2 } }
[[obstacle]]
name = "pill"
shape = { capsule = { radius = 0.1, length = 1 } }
[[gripper]]
name = "free"
position = [1, 2, 3]
motion = { samples = { file = "poses.csv", blend = "linear" } }
"#,
    r#"duration = 0.2
step = 0.01
[material.rubber]
young = 5e6
density = 1100
[[body]]
name = "ribbon"
model = "cable"
material = "rubber"
section = { rectangle = { width = 0.01, height = 0.002 } }
normal = [0, 1, 0]
path = [[0, 0, 0.1], [1, 0, 0.1]]
segments = 10
[[body]]
name = "hose"
model = "cable"
material = "rubber"
section = { hollow = { radius = 0.01, inner = 0.008 } }
path = [[0, 1, 0.1], [1, 1, 0.1]]
segments = 5
[[body]]
name = "rope"
model = "cable"
material = "rubber"
section = { explicit = { radius = 0.01, mass_per_length = 0.2, EA = 1e3, GA = 500, EI = [0.01, 0.02], GJ = 0.01 } }
path = [[0, 2, 0.1], [1, 2, 0.1]]
segments = 5
[[obstacle]]
name = "drum"
shape = { cylinder = { radius = 0.08, length = 0.5 } }
orientation = { euler_deg = [90, 0, 0] }
[[gripper]]
name = "hand"
grips = [{ body = "ribbon", at = "end", orientation = true }]
motion = { wind = { on = "drum", pitch = 0.01, turns = 1.2, stretch = 0.02, start = 0.05, period = 2.5 } }
"#,
    // deeply edited by hand: dotted keys, inline arrays of tables, several bodies
    r#"duration = 0.1
material.m = { young = 1e7, density = 900 }
body = [
  { name = "a", model = "chain", material = "m", radius = 0.001, path = [[0, 0, 0], [0.1, 0, 0]], points = 4 },
  { name = "b", model = "chain", material = "m", radius = 0.001, path = [[0, 0, 1], [0.1, 0, 1]], intervals = 3, chain.update = "plain" },
  { name = "c", model = "xpbd", material = "m", radius = 0.001, path = [[0, 0, 1], [0.1, 0, 1]], segments = 4, xpbd = { iterations = 6, substeps = 2, drag = 1 } },
]
obstacle = [{ name = "floor", shape = { plane = {} } }]
gripper = [{ name = "h", grips = [{ body = "a", at = 0 }, { body = "b", at = 1 }] }]
expect = [{ quantity = "body.a.field.tension.max", at = 0.05, min = -1, max = 1 }]
"#,
    r#"duration = 0.1
step = 0.01
[material.m]
young = 5e6
density = 1100
friction = { coefficient = 0.3 }
[[body]]
name = "strip"
model = "elastica"
material = "m"
section = { rectangle = { width = 0.002, height = 0.01 } }
normal = [0, 1, 0]
rest = { curved = { curvature = [0, 0.5] } }
path = [[0, 0, 0.1], [0.3, 0, 0.1], [0.5, 0, 0.2]]
intervals = 6
[body.elastica]
integrator = "midpoint"
tolerance = 1e-6
start = "path"
stabilisation = 50
damping_time = 0.01
drag = 1
contact_stiffness = 1000
contact_damping = 2
self_contact = false
extensible = true
line_load = [0, 0, 0.01]
profile = [{ at = 0.2, mass = 1.5, rigidity = 2 }, { at = 0.8, mass = 1, rigidity = 0.5 }]
sliders = [{ at = 1, through = [0.4, 0, 0], along = [0, 0, 1], aligned = false }]
[[body]]
name = "loop"
model = "elastica"
material = "m"
radius = 0.002
path = [[0, 0.2, 0.1], [0.3, 0.2, 0.1]]
points = 5
elastica = { integrator = "midpoint", start = "weightless_equilibrium" }
[[obstacle]]
name = "ground"
shape = { plane = {} }
[[gripper]]
name = "hand"
grips = [{ body = "strip", at = "start", orientation = true }, { body = "loop", at = "start", orientation = true }]
"#,
    // solids of all shapes, joined, driven, held and loaded
    r#"duration = 0.02
step = 0.002
[material.m]
young = 2e4
poisson = 0.35
density = 1000
friction = { coefficient = 0.4 }
[[body]]
name = "toy"
model = "lattice"
material = "m"
position = [0, 0, 0.1]
orientation = { axis = [0, 0, 1], angle_deg = 10 }
velocity = [0.1, 0, -0.2]
spin = [0, 0, 1]
parts = [
  { name = "block", solid = { box = { size = [0.2, 0.1, 0.1], cells = [2, 1, 1], grading = { at = [0.1, 0, 0], finer = [2, 1, 1] } } } },
  { name = "wheel", solid = { prism = { sides = 5, radius = 0.05, top_radius = 0.03, length = 0.04 } }, position = [0.3, 0, 0], orientation = { euler_deg = [90, 0, 0] } },
  { name = "hull", solid = { convex = { points = [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1], [0.05, 0.05, 0.05]], masses = "exact" } }, position = [0, 0.2, 0] },
  { name = "file", solid = { mesh = { file = "block.obj", scale = 0.1, shells = 1, masses = "symmetric_exact" } }, position = [0, -0.3, 0] },
  { name = "dots", solid = { points = { places = [[0, 0, 0.3], [0.1, 0, 0.3], [0, 0.1, 0.3]], mass = 0.01 } } },
]
[body.lattice]
scheme = "taylor"
energy_error = 1e-6
budget = 1000
damping_time = 0.001
drag = 0.5
contact_stiffness = 1e6
contact_damping = 1e3
point_contact = { radius = 0.01, stiffness = 100, damping = 0.1 }
static_friction = 1.5
fluid = { viscosity = 1, quadratic = true, velocity = [1, 0, 0] }
self_contact = true
connectors = [
  { line = { ends = [{ part = "block", point = [0.1, 0, 0] }, { part = "wheel", point = [0.3, 0, 0] }], rest = 0.2, stiffness = 100, damping = 0.1 } },
  { line = { ends = [{ part = "dots", point = [0, 0, 0.3] }, { part = "hull", point = [0, 0.2, 0] }], stiffness = 10 } },
  { angle = { ends = [{ part = "dots", point = [0.1, 0, 0.3] }, { part = "dots", point = [0, 0.1, 0.3] }], middle = { part = "dots", point = [0, 0, 0.3] }, side = { part = "block", point = [0, 0, 0] }, rest_deg = 80, stiffness = 0.01, damping = 0.001, drive = { to_deg = 120, start = 0.001, end = 0.01 } } },
]
[[obstacle]]
name = "floor"
shape = { plane = {} }
[[gripper]]
name = "hand"
grips = [{ body = "toy", at = { min = [-0.2, -0.1, 0], max = [0, 0.1, 0.2] }, until = 0.004 }, { body = "toy", at = { point = [0, 0, 0.4] }, snap = true }]
motion = { speed = { velocity = [0, 0, 0.1] } }
[[load]]
body = "toy"
at = { point = [0, -0.3, 0.1] }
force = [0, 0.1, 0]
from = 0.002
[[load]]
body = "toy"
at = { min = [0, -1, 0], max = [1, 1, 1] }
torque = [0, 0, 0.01]
"#,
    // solids that touch obstacles and each other, cells as many as needed
    r#"duration = 0.02
step = 0.001
[material.m]
young = 1e4
density = 1000
friction = { coefficient = 0.3 }
[[body]]
name = "lower"
model = "lattice"
material = "m"
solid = { box = { size = [0.2, 0.1, 0.1], cells = { error = 0.05, bend_deg = 40 } } }
position = [0, 0, 0.049]
lattice = { scheme = { alpha = 0.5, beta = 0.3 } }
[[body]]
name = "upper"
model = "lattice"
material = "m"
solid = { prism = { sides = 3, radius = 0.05, length = 0.2, rings = 1, layers = { error = 0.1, twist_deg = 30 } } }
position = [0, 0, 0.19]
velocity = [0, 0, -1]
lattice = { step = 5e-4 }
[[body]]
name = "light"
model = "lattice"
material = "m"
solid = { points = { places = [[0, 0, 0], [0, 0, 0.1]], mass = 0.1 } }
position = [0.2, 0, 0.05]
lattice = { scheme = "plain", step = 1e-3, point_contact = { stiffness = 10 }, connectors = [{ line = { ends = [{ point = [0, 0, 0] }, { point = [0, 0, 0.1] }], stiffness = 1 } }] }
[[obstacle]]
name = "floor"
shape = { plane = {} }
[[obstacle]]
name = "wall"
shape = { box = { size = [0.1, 1, 1] } }
position = [0.148, 0, 0]
motion = { speed = { velocity = [-0.1, 0, 0] } }
[[obstacle]]
name = "rough"
shape = { mesh = { file = "block.obj" } }
position = [-1.09, 0, 0]
[[expect]]
quantity = "body.lower.min.z"
at = "end"
min = -0.1
"#,
];

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

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const NUMBERS: [&str; 22] = [
    "0",
    "-0.0",
    "1",
    "-1",
    "2",
    "1e-9",
    "1e-300",
    "1e300",
    "1e6",
    "-1e6",
    "1e15",
    "inf",
    "-inf",
    "nan",
    "0x10",
    "9223372036854775807",
    "-9223372036854775808",
    "99999999999999999999",
    "0.5",
    "1000000",
    "1e-7",
    "3",
];

const TOKENS: [&str; 44] = [
    "{",
    "}",
    "[",
    "]",
    "[[",
    "]]",
    "=",
    ",",
    ".",
    "\"",
    "'",
    "\n",
    "#",
    "{}",
    "[]",
    "true",
    "false",
    "\"\"",
    "name",
    "body",
    "gripper",
    "obstacle",
    "expect",
    "material",
    "motion",
    "shape",
    "\"end\"",
    "\"start\"",
    "\"wire\"",
    "mesh",
    "convex",
    "points",
    "[0, 0, 0]",
    "[1, 0, 0]",
    "sequence",
    "duration",
    "chain",
    "heuristic",
    "1979-05-27",
    "\"\"\"",
    "'''",
    "\u{0}",
    "é",
    "node",
];

fn mutate(text: &mut String, random: &mut Random) {
    let boundary = |text: &str, at: usize| text.floor_char_boundary(at.min(text.len()));
    let from = boundary(text, random.below(text.len() + 1));
    let near = random.below(12);
    let to = boundary(text, from + near);
    match random.below(10) {
        // bytes
        0 => text.replace_range(from..to, ""),
        1 => text.insert(from, char::from(random.below(128) as u8)),
        // numbers, the most likely to stay a scene
        2..=4 => {
            let digit = |c: char| c.is_ascii_digit() || "+-.e".contains(c);
            let Some(start) = text[from..].find(|c: char| c.is_ascii_digit()).map(|at| from + at) else { return };
            let end = text[start..].find(|c| !digit(c)).map_or(text.len(), |at| start + at);
            text.replace_range(start..end, random.pick(&NUMBERS));
        }
        // tokens
        5 => text.insert_str(from, random.pick(&TOKENS)),
        6 => text.replace_range(from..to, random.pick(&TOKENS)),
        // words swapped for words of the same text
        7 => {
            let word = |at: usize| {
                let start = at + text[at..].find(|c: char| c.is_alphabetic())?;
                let end =
                    text[start..].find(|c: char| !c.is_alphanumeric() && c != '_').map_or(text.len(), |e| start + e);
                Some(start..end)
            };
            let other = boundary(text, random.below(text.len() + 1));
            let (Some(a), Some(b)) = (word(from), word(other)) else { return };
            let b = text[b].to_string();
            text.replace_range(a, &b);
        }
        // structure: lines dropped, doubled or moved
        _ => {
            let mut lines: Vec<&str> = text.lines().collect();
            if lines.is_empty() {
                return;
            }
            let (a, b) = (random.below(lines.len()), random.below(lines.len()));
            match random.below(3) {
                0 => drop(lines.remove(a)),
                1 => lines.insert(b, lines[a]),
                _ => lines.swap(a, b),
            }
            *text = lines.join("\n");
        }
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let facet = |v: &str| format!("facet normal 0 0 0\nouter loop\n{v}endloop\nendfacet\n");
    let stl = format!("solid a\n{}endsolid a\n", facet("vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"));
    std::fs::write(dir.path().join("block.stl"), stl).unwrap();
    std::fs::write(
        dir.path().join("block.obj"),
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
    )
    .unwrap();
    std::fs::write(dir.path().join("poses.csv"), "time,x,y,z\n0,0,0,0\n1,0,0,1\n").unwrap();
    dir
}

/// Take a few steps of a scene that costs little: each must succeed with finite numbers, or say what diverged.
fn step_a_little(mut scene: Scene) {
    let work: f64 = scene
        .world
        .bodies()
        .iter()
        .map(|body| match body {
            Body::Chain(chain) => chain.size() as f64 * chain.rate(),
            // one step of the model a step of the world
            Body::Cable(cable) => 10.0 * cable.size() as f64 / scene.step,
            Body::Xpbd(rod) => (rod.sweeps() * rod.size()) as f64 / scene.step,
            // the midpoint rule halves a step a limited number of times; Fehlberg's method may take millions of them
            Body::Elastica(rod) if rod.size() <= 10 && format!("{rod:?}").contains("integrator: Midpoint") => {
                100.0 * rod.size() as f64 / scene.step
            }
            Body::Elastica(_) => f64::INFINITY,
            // contact may take it many times as many
            Body::Lattice(solid) => 100.0 * solid.size() as f64 * solid.expected_steps(scene.step) / scene.step,
            // as many nodes as touch are swept over many times
            Body::Response(solid) => 100.0 * solid.size() as f64 / scene.step,
            Body::Arm(arm) => 100.0 * arm.size() as f64 / scene.step,
        })
        .sum();
    if work * scene.step > 1e4 {
        return;
    }
    let start = Instant::now();
    for _ in 0..3 {
        // a solid may take some ten thousand steps of its own before it gives up
        if start.elapsed() > Duration::from_secs(1) || scene.world.step(scene.step).is_err() {
            return;
        }
        let frame = scene.world.frame();
        let loads = frame.grippers.iter().flat_map(|g| [g.load.force, g.load.torque]);
        assert!(loads.chain(frame.bodies.iter().flat_map(|b| b.nodes.iter().copied())).all(|v| v.is_finite()));
    }
}

/// Read a text and count the scene or error; stop at a panic or a hang.
fn read(text: &str, base: &Path, overrides: &[Override]) -> bool {
    let start = Instant::now();
    let result = catch_unwind(AssertUnwindSafe(|| {
        parse(text, "fuzz.toml", base, overrides).map(step_a_little).map_err(|e| e.to_string())
    }));
    let Ok(result) = result else { panic!("reading or stepping panicked: {overrides:?}\n{text}") };
    assert!(start.elapsed() < Duration::from_secs(10), "reading took {:?}:\n{text}", start.elapsed());
    if let Err(message) = &result {
        assert!(message.starts_with("fuzz.toml"), "{message}");
    }
    result.is_ok()
}

#[test]
fn mutated_scenes_are_read_or_refused() {
    let (count, mut random) = (setting("PLIANT_FUZZ_COUNT", 20_000), Random(setting("PLIANT_FUZZ_SEED", 0x5eed)));
    let dir = folder();
    for scene in SCENES {
        assert!(read(scene, dir.path(), &[]), "{:?}", parse(scene, "s", dir.path(), &[]).err());
    }
    let mut accepted = 0;
    for _ in 0..count {
        let mut text = SCENES[random.below(SCENES.len())].to_string();
        for _ in 0..=random.below(3) {
            mutate(&mut text, &mut random);
        }
        accepted += u64::from(read(&text, dir.path(), &[]));
    }
    // mutations that never leave a scene would only test the first lines of the reader
    assert!(accepted * 20 > count && accepted * 10 < count * 9, "{accepted} of {count} accepted");
}

#[test]
fn mutated_overrides_are_read_or_refused() {
    let (count, mut random) = (setting("PLIANT_FUZZ_COUNT", 20_000) / 10, Random(setting("PLIANT_FUZZ_SEED", 0x5eed)));
    let dir = folder();
    let right = [
        "duration=1",
        "body.wire.segments=5",
        "body.0.chain.update=plain",
        "gripper.hand.grips.0.at=end",
        "material.silicone.young=1e5",
        "gravity=[0,0,0]",
        "expect.0.max=1",
        "body.wire.path.1.2=0.5",
        "gripper.hand.motion={hold={}}",
    ];
    let mut accepted = 0;
    for _ in 0..count {
        let mut changes = vec![];
        for _ in 0..=random.below(2) {
            let mut change = random.pick(&right).to_string();
            if random.below(2) == 0 {
                mutate(&mut change, &mut random);
            }
            changes.extend(change.parse::<Override>());
        }
        accepted += u64::from(read(SCENES[0], dir.path(), &changes));
    }
    assert!(accepted * 10 > count && accepted < count, "{accepted} of {count} accepted");
}

/// Meshes and tables are foreign files: the same for their bytes.
#[test]
fn mutated_files_are_read_or_refused() {
    let (count, mut random) = (setting("PLIANT_FUZZ_COUNT", 20_000) / 20, Random(setting("PLIANT_FUZZ_SEED", 0x5eed)));
    let dir = folder();
    let files =
        ["block.stl", "block.obj", "poses.csv"].map(|name| (name, std::fs::read(dir.path().join(name)).unwrap()));
    let mut binary = vec![0; 80];
    binary.extend(2u32.to_le_bytes());
    for corner in 0..24u32 {
        binary.extend((corner as f32 * 0.1).to_le_bytes());
        if corner % 12 == 11 {
            binary.extend([0, 0]);
        }
    }
    let mut accepted = 0;
    for turn in 0..count {
        let (name, bytes) = &files[random.below(files.len())];
        let mut bytes = if *name == "block.stl" && turn % 2 == 0 { binary.clone() } else { bytes.clone() };
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len().max(1));
            match random.below(4) {
                0 if at < bytes.len() => bytes[at] = random.next() as u8,
                1 if at < bytes.len() => bytes[at] = b"0123456789-. \n/ef"[random.below(17)],
                2 => bytes.truncate(at),
                _ => bytes.insert(at, b"0123456789-. \n/,v"[random.below(17)]),
            }
        }
        std::fs::write(dir.path().join(name), bytes).unwrap();
        accepted += u64::from(read(SCENES[2], dir.path(), &[]));
        for (name, bytes) in &files {
            std::fs::write(dir.path().join(name), bytes).unwrap();
        }
    }
    assert!(accepted * 20 > count && accepted < count, "{accepted} of {count} accepted");
}

/// Hulls and meshes of coordinates that are hard for geometry: equal, in line, in a plane, nearly so, far apart.
#[test]
fn nasty_coordinates_are_built_or_refused() {
    let (count, mut random) = (setting("PLIANT_FUZZ_COUNT", 20_000) / 10, Random(setting("PLIANT_FUZZ_SEED", 0x5eed)));
    let coordinates =
        ["0", "1", "-1", "0.5", "1e6", "-1e6", "1e-9", "1e-300", "1.000000000000001", "0.3333333333333333"];
    let mut accepted = 0;
    for turn in 0..count {
        let palette = 2 + random.below(coordinates.len() - 1);
        let mut number = || coordinates[random.below(palette)];
        let points: Vec<String> =
            (0..4 + turn % 12).map(|_| format!("[{}, {}, {}]", number(), number(), number())).collect();
        let heights: Vec<String> = (0..3).map(|_| format!("[{}, {}, {}]", number(), number(), number())).collect();
        let text = format!(
            "duration = 1\n[[obstacle]]\nname = 'a'\nshape = {{ convex = {{ points = [{}] }} }}\n\
             [[obstacle]]\nname = 'b'\nshape = {{ height_field = {{ heights = [{}], size = [1, 1e-9] }} }}\n",
            points.join(", "),
            heights.join(", ")
        );
        accepted += u64::from(read(&text, Path::new("."), &[]));
    }
    assert!(accepted * 20 > count && accepted < count, "{accepted} of {count} accepted");
}
