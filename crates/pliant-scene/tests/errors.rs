//! Errors name file, line and column, say what was expected, and suggest the nearest known word.
//!
//! Each case changes one thing in a scene that is right and states the whole line that must come out.

#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;

use pliant_scene::{Override, load, parse};

/// Line numbers in the cases below count from the first line of this.
const SCENE: &str = "\
duration = 1.0
step = 0.01

[material.steel]
young = 2e11
density = 7800

[[body]]
name = 'wire'
model = 'chain'
material = 'steel'
radius = 0.001
path = [[0, 0, 0], [1, 0, 0]]
points = 5
chain = { rate = 1000 }

[[obstacle]]
name = 'floor'
shape = { sphere = { radius = 0.1 } }
motion = { hold = {} }

[[gripper]]
name = 'hand'
grips = [{ body = 'wire', at = 'end' }]

[[expect]]
quantity = 'body.wire.end.z'
at = 'end'
max = 1
";

/// The scene with an elastica, which must not begin inside the obstacle.
fn elastica() -> String {
    SCENE.replace("'chain'", "'elastica'").replace("[[0, 0, 0], [1, 0, 0]]", "[[0, 0, 0.2], [1, 0, 0.2]]")
}

fn refused(text: &str) -> String {
    match parse(text, "s.toml", Path::new("/nowhere"), &[]) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_scene_itself_is_right() {
    parse(SCENE, "s.toml", Path::new("."), &[]).unwrap();
}

#[test]
fn each_mistake_is_reported_in_its_place() {
    let cases = [
        // words
        ("step = 0.01", "stp = 0.01", "s.toml:2:1: unknown field `stp` (did you mean `step`?)"),
        ("radius = 0.001", "raduis = 0.001", "s.toml:12:1: unknown field `raduis` (did you mean `radius`?)"),
        (
            "'chain'",
            "'rope'",
            "s.toml:10:9: unknown choice `rope` (known: chain, cable, xpbd, elastica, lattice, response)",
        ),
        ("rate = 1000", "update = 'velocty'", "s.toml:15:20: unknown choice `velocty` (did you mean `velocity`?)"),
        ("rate = 1000", "rat = 1000", "s.toml:15:11: unknown field `rat` (did you mean `rate`?)"),
        ("sphere =", "shpere =", "s.toml:19:11: unknown choice `shpere` (did you mean `sphere`?)"),
        ("hold = {}", "hold = { x = 1 }", "s.toml:20:21: unknown field `x`, there are no fields"),
        (
            "material = 'steel'",
            "material = 'steal'",
            "s.toml:11:12: there is no material named `steal` (did you mean `steel`?)",
        ),
        ("body = 'wire'", "body = 'wier'", "s.toml:24:19: there is no body named `wier` (did you mean `wire`?)"),
        ("body.wire.end.z", "body.wier.end.z", "s.toml:27:12: there is no body named `wier` (did you mean `wire`?)"),
        (
            "'end' }]",
            "'ende' }]",
            "s.toml:24:32: at: expected \"start\", \"end\", a fraction from 0 to 1, { node = 3 }, or for a solid { point = [x, y, z] } or { min = [x, y, z], max = [x, y, z] }, got \"ende\" (did you mean \"end\"?)",
        ),
        // numbers
        (
            "duration = 1.0",
            "duration = 0",
            "s.toml:1:12: duration: expected a duration above 0 and at most 1e6 [s], got 0",
        ),
        (
            "duration = 1.0",
            "duration = 1e7",
            "s.toml:1:12: duration: expected a duration above 0 and at most 1e6 [s], got 1e7",
        ),
        (
            "duration = 1.0",
            "duration = nan",
            "s.toml:1:12: duration: expected a duration above 0 and at most 1e6 [s], got NaN",
        ),
        (
            "duration = 1.0",
            "duration = inf",
            "s.toml:1:12: duration: expected a duration above 0 and at most 1e6 [s], got inf",
        ),
        (
            "duration = 1.0",
            "duration = 1e6\ngravity = [0, 0]",
            "s.toml:2:11: gravity: expected 3 numbers in brackets [m/s2], got 2",
        ),
        (
            "duration = 1.0",
            "duration = 1\ngravity = [0, 0, 0, 0, 0]",
            "s.toml:2:11: gravity: expected 3 numbers in brackets [m/s2], got 5",
        ),
        ("step = 0.01", "step = 2", "s.toml:2:8: step: expected a step from 1e-7 to 1 [s], got 2"),
        (
            "young = 2e11",
            "young = '2e11'",
            "s.toml:5:9: young: expected a Young's modulus from 1 to 1e13 [Pa], got string \"2e11\"",
        ),
        (
            "density = 7800",
            "density = 7800\npoisson = -1",
            "s.toml:7:11: poisson: expected a Poisson's ratio above -1 and at most 0.51 [-], got -1",
        ),
        ("radius = 0.001", "radius = -1", "s.toml:12:10: radius: expected a length from 1e-9 to 1e6 [m], got -1"),
        ("[1, 0, 0]]", "[1, 0, 2e6]]", "s.toml:13:27: path: expected a coordinate from -1e6 to 1e6 [m], got 2e6"),
        ("points = 5", "points = 1", "s.toml:14:10: points: expected a whole number from 2 to 1000000, got 1"),
        (
            "points = 5",
            "points = 1000001",
            "s.toml:14:10: points: expected a whole number from 2 to 1000000, got 1000001",
        ),
        (
            "points = 5",
            "points = 5.5",
            "s.toml:14:10: points: expected a whole number from 2 to 1000000, got floating point `5.5`",
        ),
        (
            "at = 'end' }",
            "at = 1.5 }",
            "s.toml:24:32: at: expected \"start\", \"end\", a fraction from 0 to 1, { node = 3 }, or for a solid { point = [x, y, z] } or { min = [x, y, z], max = [x, y, z] }, got 1.5",
        ),
        ("at = 'end' }", "at = { node = 5 } }", "s.toml:24:32: wire has no node 5: its nodes are 0 to 4"),
        ("rate = 1000", "history = 1", "s.toml:15:21: history of wire must be from 0 to below 1, got 1"),
        (
            "rate = 1000",
            "heuristic = { bend_angle_deg = 120 }",
            "s.toml:15:42: heuristic.bend_angle of wire must be below a right angle, got 2.0943951023931953",
        ),
        // structure
        ("duration = 1.0\n", "\n", "s.toml:1:1: missing field `duration`"),
        ("radius = 0.001\n", "", "s.toml:8:1: give the radius of a solid round section, or a section"),
        ("density = 7800\n", "", "s.toml:4:1: missing field `density`"),
        ("radius = 0.1 ", "", "s.toml:19:20: missing field `radius`"),
        (
            "{ sphere = { radius = 0.1 } }",
            "'plane'",
            "s.toml:19:9: shape: expected a table, got only its name (write it as { NAME = { … } })",
        ),
        ("{ sphere = { radius = 0.1 } }", "{}", "s.toml:19:9: shape: expected one choice, got none"),
        (
            "{ sphere = { radius = 0.1 } }",
            "{ plane = {}, sphere = { radius = 1 } }",
            "s.toml:19:9: shape: expected one choice, got several",
        ),
        ("{ sphere = { radius = 0.1 } }", "3", "s.toml:19:9: shape: expected a word or a table"),
        ("{ sphere = { radius = 0.1 } }", "{ sphere = [0.1] }", "s.toml:19:20: sphere: expected a table, got sequence"),
        ("{ body = 'wire', at = 'end' }", "['wire', 'end']", "s.toml:24:10: grips: expected a table, got sequence"),
        (
            "points = 5",
            "points = 5\nsegments = 4",
            "s.toml:14:10: only one of points, segments and intervals can be given",
        ),
        (
            "points = 5",
            "intervals = 4\nsegments = 4",
            "s.toml:15:12: only one of points, segments and intervals can be given",
        ),
        ("[[0, 0, 0], [1, 0, 0]]", "[[0, 0, 0]]", "s.toml:13:8: a rod needs a path of at least two points"),
        (
            "[[0, 0, 0], [1, 0, 0]]",
            "[[1, 0, 0], [1, 0, 0]]",
            "s.toml:13:8: the path of wire has no length: it needs two points that differ",
        ),
        ("radius = 0.1 }", "radius = 0.1", "s.toml:20:1: missing comma between key-value pairs, expected `,`"),
        ("step = 0.01", "duration = 2", "s.toml:2:1: duplicate key"),
        ("step = 0.01", "step = ", "s.toml:2:8: string values must be quoted, expected literal string"),
        // sections
        (
            "radius = 0.001",
            "radius = 0.001\nsection = { hollow = { radius = 0.001, inner = 0.0005 } }",
            "s.toml:13:11: give either the radius of a solid round section or a section, not both",
        ),
        (
            "radius = 0.001",
            "section = { hollow = { radius = 0.001, inner = 0.002 } }",
            "s.toml:12:48: the inner radius of wire must be less than the outer one and not negative, got 0.002",
        ),
        (
            "radius = 0.001",
            "section = { rectangle = { width = 0.002, height = 0.001 } }",
            "s.toml:12:11: wire is of the model chain, which bends alike in all directions, but the section has an EI of 3.3333e-2 \
             N m2 about y and 1.3333e-1 N m2 about z: give it a round section, or make it a cable",
        ),
        (
            "radius = 0.001",
            "section = { explicit = { radius = 0.001, mass_per_length = 1, EA = 1, GA = 1, EI = [1, 0], GJ = 1 } }",
            "s.toml:12:88: EI: expected a rigidity from 1e-18 to 1e15 [N m2], got 0",
        ),
        (
            "radius = 0.001",
            "section = { explicit = { radius = 0.001, EA = 1, GA = 1, EI = [1, 1], GJ = 1 } }",
            "s.toml:12:24: missing field `mass_per_length`",
        ),
        (
            "radius = 0.001",
            "section = { round = { radius = 0.001 } }",
            "s.toml:12:13: unknown choice `round` (known: hollow, rectangle, explicit)",
        ),
        (
            "radius = 0.001",
            "radius = 0.001\nnormal = [0, 1, 0]",
            "s.toml:13:10: a chain has no axes across it: leave the normal out, or make it a cable",
        ),
        (
            "model = 'chain'\nmaterial = 'steel'",
            "model = 'cable'\nmaterial = 'steel'\nnormal = [-2, 0, 0]",
            "s.toml:12:10: the normal of wire must have a direction across the start of its path, got [-2, 0, 0]",
        ),
        // names
        ("name = 'hand'", "name = ''", "s.toml:23:8: a name must not be empty"),
        ("name = 'hand'", "name = 'a.b'", "s.toml:23:8: a name must not contain dots or slashes"),
        ("name = 'hand'", "name = \"a\\u0007\"", "s.toml:23:8: a name must not contain control characters"),
        ("[material.steel]", "[material.'a/b']", "s.toml:4:11: a name must not contain dots or slashes"),
        // files
        (
            "{ sphere = { radius = 0.1 } }",
            "{ mesh = { file = 'a.stl' } }",
            "s.toml:19:27: a.stl: there is no such file",
        ),
        (
            "{ sphere = { radius = 0.1 } }",
            "{ mesh = { file = 'a.step' } }",
            "s.toml:19:27: a.step: unknown kind of mesh `step` (known: stl, obj)",
        ),
        ("{ hold = {} }", "{ samples = { file = 'a.csv' } }", "s.toml:20:31: a.csv: there is no such file"),
        // shapes and poses
        (
            "{ sphere = { radius = 0.1 } }",
            "{ convex = { points = [[0, 0, 0]] } }",
            "s.toml:19:9: the convex hull needs at least 4 points, got 1",
        ),
        (
            "{ sphere = { radius = 0.1 } }",
            "{ convex = {} }",
            "s.toml:19:20: a convex hull needs either points or a file",
        ),
        (
            "name = 'floor'",
            "name = 'floor'\norientation = { axis = [0, 0, 1] }",
            "s.toml:19:15: an orientation is one of { quaternion = … }, { axis = …, angle_deg = … }, { euler_deg = … }",
        ),
        (
            "name = 'floor'",
            "name = 'floor'\norientation = { quaternion = [0, 0, 0, 0] }",
            "s.toml:19:30: a quaternion must not be zero",
        ),
        // motions
        (
            "{ hold = {} }",
            "{ rotate = { axis = [0, 0, 0], centre = [0, 0, 0], angle_deg = 1, end = 1 } }",
            "s.toml:20:30: a direction must not be zero",
        ),
        (
            "{ hold = {} }",
            "{ speed = { velocity = [0, 0, 0], start = 2, end = 1 } }",
            "s.toml:20:61: the end (1 s) must not come before the start (2 s)",
        ),
        ("{ hold = {} }", "{ waypoints = { points = [] } }", "s.toml:20:35: expected at least one waypoint"),
        (
            "{ hold = {} }",
            "{ waypoints = { points = [{ time = 1, position = [0, 0, 0] }, { time = 1, position = [0, 0, 0] }] } }",
            "s.toml:20:81: times must increase: 1 s follows 1 s",
        ),
        ("{ hold = {} }", "{ sequence = [] }", "s.toml:20:23: a sequence needs at least one leg"),
        // winding
        (
            "{ hold = {} }",
            "{ wind = { on = 'floor', pitch = 0, turns = 1, period = 1 } }",
            "s.toml:20:19: only a gripper can wind: give this motion to the one that holds the cable's end",
        ),
        (
            "at = 'end' }]",
            "at = 0.9 }]\nmotion = { wind = { on = 'floor', pitch = 0, turns = 1, period = 1 } }",
            "s.toml:25:19: the gripper's first grip must hold the end of the cable to wind: at = \"end\"",
        ),
        (
            "grips = [{ body = 'wire', at = 'end' }]",
            "position = [0, 0, 0]\nmotion = { wind = { on = 'floor', pitch = 0, turns = 1, period = 1 } }",
            "s.toml:25:19: the gripper's first grip must hold the end of the cable to wind: at = \"end\"",
        ),
        (
            "at = 'end' }]",
            "at = 'end' }]\nmotion = { wind = { on = 'flor', pitch = 0, turns = 1, period = 1 } }",
            "s.toml:25:26: there is no obstacle named `flor` (did you mean `floor`?)",
        ),
        (
            "at = 'end' }]",
            "at = 'end' }]\nmotion = { wind = { on = 'floor', pitch = 0, turns = 1, period = 1 } }",
            "s.toml:25:19: the path of the cable does not tell which way to wind: it must start beside the axis of floor and \
             lead around it",
        ),
        (
            "at = 'end' }]",
            "at = 'end' }]\nmotion = { wind = { on = 'floor', pitch = 0, turns = 0, period = 1 } }",
            "s.toml:25:54: turns: expected a number of turns above 0 and at most 1e6 [-], got 0",
        ),
        (
            "at = 'end' }]",
            "at = 'end' }]\nmotion = { wind = { on = 'floor', pitch = 0, turns = 1, period = 0 } }",
            "s.toml:25:66: period: expected a duration above 0 and at most 1e6 [s], got 0",
        ),
        (
            "at = 'end' }]",
            "at = 'end' }]\nmotion = { wind = { on = 'floor', pitch = 0, turns = 1, period = 1, stretch = -0.1 } }",
            "s.toml:25:79: stretch: expected a stretch from 0 to 10 [-], got -0.1",
        ),
        // grips
        (
            "at = 'end' }",
            "at = 'end', from = 2, until = 1 }",
            "s.toml:24:57: it must open after it closes at 2 s, got 1 s",
        ),
        (
            "at = 'end' }",
            "at = 'end', orientation = 'two_points' }",
            "s.toml:24:53: orientation: expected false, true, \"two-points\" or \"only\", got \"two_points\" (did you mean \"two-points\"?)",
        ),
        ("[{ body = 'wire', at = 'end' }]", "[]", "s.toml:22:1: a gripper without grips needs a position"),
        // loads
        (
            "[[expect]]",
            "[[load]]\nbody = 'wire'\nat = 'end'\n[[expect]]",
            "s.toml:26:1: a load needs a force or a torque",
        ),
        (
            "[[expect]]",
            "[[load]]\nbody = 'wire'\nat = 'end'\nforce = [0, 0, 1]\nfrom = 1\nuntil = 1\n[[expect]]",
            "s.toml:31:9: it must end after it starts at 1 s, got 1 s",
        ),
        (
            "[[expect]]",
            "[[load]]\nbody = 'wire'\nat = 'end'\nforce = [0, 0, 1]\nfall = 1\n[[expect]]",
            "s.toml:30:8: a load that never ends does not fall: say until when it acts",
        ),
        (
            "[[expect]]",
            "[[load]]\nbody = 'wire'\nat = 'end'\nforce = [0, 0, 1]\nrise = 3\nuntil = 2\n[[expect]]",
            "s.toml:30:8: it acts for 2 s, too short to rise for 3 s and fall for 0 s",
        ),
        (
            "[[expect]]",
            "[[load]]\nbody = 'wirre'\nat = 'end'\nforce = [0, 0, 1]\n[[expect]]",
            "s.toml:27:8: there is no body named `wirre` (did you mean `wire`?)",
        ),
        // expectations
        ("max = 1", "", "s.toml:26:1: expected bounds: min, max, or value with tolerance"),
        ("max = 1", "value = 1", "s.toml:29:9: `value` needs a `tolerance`"),
        ("max = 1", "max = 1\nmin = 2", "s.toml:30:7: `min` (2) is above `max` (1)"),
        ("at = 'end'\n", "", "s.toml:26:1: say when: at = TIME, at = \"end\" or during = [FROM, TO]"),
        ("at = 'end'\n", "at = 1\nduring = [0, 1]\n", "s.toml:29:10: give either `at` or `during`"),
        ("at = 'end'\n", "during = [1, 0]\n", "s.toml:28:10: the end must not come before the start"),
        (
            "at = 'end'\n",
            "at = 'later'\n",
            "s.toml:28:6: at: expected a time from 0 to 1e6 [s], or \"end\", got \"later\"",
        ),
        // together
        (
            "duration = 1.0\nstep = 0.01",
            "duration = 1e6\nstep = 1e-7",
            "s.toml:1:12: 1000000 s in steps of 0.0000001 s are more than 1e9 steps",
        ),
    ];
    let mut wrong = vec![];
    for (right, mistake, message) in cases {
        assert!(SCENE.contains(right), "{right} is not in the scene");
        let got = refused(&SCENE.replacen(right, mistake, 1));
        if got != message {
            wrong.push(format!("  {mistake}\n    got      {got}\n    expected {message}"));
        }
    }
    assert!(wrong.is_empty(), "{} of the messages differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Mistakes in the table of a rod of the model `elastica`, whose lines begin with the tenth.
#[test]
fn each_mistake_in_an_elastica_is_reported_in_its_place() {
    let cases = [
        (
            "elastica.profile = [{ at = 0, mass = 1, rigidity = 1 }, { at = 0.5, mass = 1, rigidity = 1 }, \
             { at = 0.25, mass = 1, rigidity = 1 }]",
            "s.toml:15:102: places of a profile must rise along the rod: 0.25 follows 0.5",
        ),
        (
            "elastica.profile = [{ at = 0.5, mass = 1, rigidity = 1 }, { at = 0.5, mass = 1, rigidity = 2 }]",
            "s.toml:15:66: places of a profile must rise along the rod: 0.5 follows 0.5",
        ),
        (
            "elastica.profile = [{ at = 1.5, mass = 1, rigidity = 1 }]",
            "s.toml:15:28: at: expected a fraction from 0 to 1 [-], got 1.5",
        ),
        (
            "elastica.profile = [{ at = 1, mass = 0, rigidity = 1 }]",
            "s.toml:15:38: mass: expected a factor from 1e-9 to 1e9 [-], got 0",
        ),
        (
            "elastica.sliders = [{ at = 0, along = [1, 0, 0] }, { at = 1, along = [0, 0, 0] }]",
            "s.toml:15:70: a direction must not be zero",
        ),
        ("elastica.sliders = [{ at = 0 }]", "s.toml:15:21: missing field `along`"),
        ("elastica.sliders = [[0, 1]]", "s.toml:15:21: sliders: expected a table, got sequence"),
        (
            "elastica.tolerance = 1e-14",
            "s.toml:15:22: tolerance: expected a tolerance from 1e-13 to 0.1 [rad], got 1e-14",
        ),
        (
            "elastica.stabilisation = -1",
            "s.toml:15:26: stabilisation: expected a stabilisation from 0 to 1e6 [1/s], got -1",
        ),
        (
            "elastica.contact_stiffness = 1e13",
            "s.toml:15:30: contact_stiffness: expected a stiffness from 0 to 1e12 [N/m], got 1e13",
        ),
        ("elastica.integrator = 'euler'", "s.toml:15:23: unknown choice `euler` (known: fehlberg, midpoint)"),
        ("elastica.start = 'equilibrum'", "s.toml:15:18: unknown choice `equilibrum` (did you mean `equilibrium`?)"),
        (
            "rest = { curved = { twist = 1 } }",
            "s.toml:15:29: a rod of the model elastica bends in its plane, about z only: leave the twist out, or make it a \
             cable",
        ),
        (
            "rest = { curved = { curvature = [1, 2] } }",
            "s.toml:15:33: a rod of the model elastica bends in its plane, about z only: leave the curvature about y out, or \
             make it a cable",
        ),
        (
            "normal = [1, 0, 0]",
            "s.toml:15:10: the normal of wire must have a direction across the start of its path, got [1, 0, 0]",
        ),
    ];
    let scene = elastica();
    parse(&scene, "s.toml", Path::new("."), &[]).unwrap();
    let mut wrong = vec![];
    for (mistake, message) in cases {
        let got = refused(&scene.replace("chain = { rate = 1000 }", mistake));
        if got != message {
            wrong.push(format!("  {mistake}\n    got      {got}\n    expected {message}"));
        }
    }
    assert!(wrong.is_empty(), "{} of the messages differ:\n{}", wrong.len(), wrong.join("\n"));
    let slider = "{ at = 0, along = [1, 0, 0] }";
    let many = format!("elastica.sliders = [{}]", [slider; 101].join(", "));
    let got = refused(&scene.replace("chain = { rate = 1000 }", &many));
    assert_eq!(got, "s.toml:15:20: 101 sliders are too many: a rod may have 100");
    let curved = scene.replace("[1, 0, 0.2]]", "[1, 0, 0.2], [1, 1, 0.2], [1, 1, 1]]");
    let message = refused(&curved);
    assert!(message.starts_with("s.toml:13:8: the path of wire (an elastica lives in a plane)"), "{message}");
}

/// A cable that nothing holds has no equilibrium.
#[test]
fn a_cable_without_equilibrium_is_refused() {
    let scene = SCENE.replace("'chain'", "'cable'").replace("chain = { rate = 1000 }", "cable.start = 'equilibrium'");
    let message = refused(&scene.replace("grips = [{ body = 'wire', at = 'end' }]", "position = [0, 0, 0]"));
    assert!(
        message.starts_with("s.toml:13:8: wire comes to no equilibrium from its path, and still moves by"),
        "{message}"
    );
    assert!(message.ends_with("it falls; hold it, or put something below it"), "{message}");
    let unknown = refused(&scene.replace("'equilibrium'", "'equilibrum'"));
    assert_eq!(unknown, "s.toml:15:15: unknown choice `equilibrum` (did you mean `equilibrium`?)");
}

/// What only cables can be, and what they cannot.
#[test]
fn closed_and_twisted_rods_are_refused_in_their_place() {
    let cable = SCENE.replace("'chain'", "'cable'").replace("chain = { rate = 1000 }\n", "");
    let only = "only a cable can be closed or begin twisted: leave this out, or make it a cable";
    for (scene, from, to, message) in [
        (SCENE, "points = 5", "closed = true", format!("s.toml:14:10: {only}")),
        (SCENE, "points = 5", "twist_deg = 5", format!("s.toml:14:13: {only}")),
        (SCENE, "path = [[0, 0, 0], [1, 0, 0]]", "ring = { radius = 1 }", format!("s.toml:13:8: {only}")),
        (&cable, "points = 5", "closed = true", "s.toml:13:8: a closed path needs at least three points".into()),
        (&cable, "points = 5", "ring = { radius = 1 }", "s.toml:14:8: give either a path or a ring, not both".into()),
        (
            &cable,
            "path = [[0, 0, 0], [1, 0, 0]]",
            "closed = false\nring = { radius = 1 }",
            "s.toml:13:10: a ring is closed: leave this out, or give a path".into(),
        ),
        (
            &cable,
            "path = [[0, 0, 0], [1, 0, 0]]",
            "ring = { radius = 1, axis = [0, 0, 0] }",
            "s.toml:13:29: a direction must not be zero".into(),
        ),
        (
            &cable,
            "points = 5",
            "segments = 4\ntwist_deg = 400",
            "s.toml:15:13: the twist in degrees of wire must be at most 90 per segment, got 400"
                .into(),
        ),
        (
            &cable,
            "[1, 0, 0]]\npoints = 5",
            "[1, 0, 0], [0, 1, 0]]\nclosed = true\nsegments = 20\nrest = { path = {} }\ntwist_deg = 90",
            "s.toml:17:13: the twist of wire must be one with which it meets itself, as it is closed and does not bend \
             alike in all directions: got 90 degrees, the nearest is 0"
                .into(),
        ),
        (
            &cable,
            "[1, 0, 0]]\npoints = 5",
            "[1, 0, 0], [0, 1, 0]]\nclosed = true\nsegments = 20\ncable = { couplings = 'printed' }",
            "s.toml:16:23: wire is of the model cable, which has no printed couplings for closed cables: leave the \
             couplings out, or leave it open"
                .into(),
        ),
    ] {
        assert_eq!(refused(&scene.replace(from, to)), message);
    }
}

/// A rod that is to begin in equilibrium and cannot: the body is named, and where it stands.
#[test]
fn an_elastica_without_equilibrium_is_refused() {
    let scene = elastica();
    let other = "[[body]]\nname = 'other'\nmodel = 'elastica'\nmaterial = 'steel'\nradius = 0.001\n\
                 path = [[0, 0, 1], [1, 0, 1]]\nelastica.start = 'equilibrium'\n";
    // it turns about where it is held: nothing balances the torque
    let turned = "[[gripper]]\nname = 'left'\ngrips = [{ body = 'other', at = 'start' }]\n\
                  [[load]]\nbody = 'other'\nat = 'end'\ntorque = [0, 10, 0]\n";
    let message = refused(&format!("{scene}{other}{turned}"));
    assert!(message.starts_with("s.toml:35:8: other finds no stable equilibrium from its path"), "{message}");
    // held 3 m apart
    let grip = |name: &str, at: &str, x: u8| {
        format!(
            "[[gripper]]\nname = '{name}'\nposition = [{x}, 0, 1]\n\
             grips = [{{ body = 'other', at = '{at}', snap = true }}]\n"
        )
    };
    let message = refused(&format!("{scene}{other}{}{}", grip("left", "start", 0), grip("right", "end", 3)));
    assert!(
        message.starts_with("s.toml:30:1: other cannot be where right holds it: 2.000e0 m are missing"),
        "{message}"
    );
}

#[test]
fn a_cable_that_cannot_be_wound_is_refused() {
    let with = |position: &str, turns: &str| {
        SCENE.replace("{ sphere = { radius = 0.1 } }", "{ cylinder = { radius = 0.1, length = 1 } }").replace(
            "motion = { hold = {} }",
            &format!(
                "position = {position}\n[[gripper]]\nname = 'winder'\ngrips = [{{ body = 'wire', at = 'end' }}]\n\
                 motion = {{ wind = {{ on = 'floor', pitch = 0.1, turns = {turns}, stretch = 0.01, period = 1 }} }}"
            ),
        )
    };
    parse(&with("[0, 0.1, 0]", "1.5"), "s.toml", Path::new("."), &[]).unwrap();
    // a turn takes sqrt((2 pi 0.1 m)^2 + (0.1 m)^2) = 0.63623 m of the 1.01 m
    assert_eq!(
        refused(&with("[0, 0.1, 0]", "2")),
        "s.toml:24:56: 2 turns take 1.272 m of cable, more than its 1.010 m: at most 1.587 turns fit"
    );
    let lost = "s.toml:24:19: the path of the cable does not tell which way to wind: it must start beside the axis of \
                floor and lead around it";
    // straight away from the axis, and on it
    assert_eq!(refused(&with("[-0.1, 0, 0]", "1")), lost);
    assert_eq!(refused(&with("[0, 0, 1]", "1")), lost);
}

#[test]
fn a_name_used_twice_is_pinned_to_the_second() {
    let entry = |kind: &str| {
        let from = SCENE.find(&format!("[[{kind}]]")).unwrap();
        let text = &SCENE[from..];
        text[..text[2..].find("\n[[").map_or(text.len(), |end| end + 2)].to_string()
    };
    for (kind, name) in [("body", "wire"), ("obstacle", "floor"), ("gripper", "hand")] {
        let text = format!("{SCENE}{}", entry(kind));
        let message = refused(&text);
        assert_eq!(message, format!("s.toml:31:8: the name {name} stands for more than one {kind}: names must differ"));
    }
}

#[test]
fn a_deep_sequence_is_refused() {
    let mut motion = "{ hold = {} }".to_string();
    for _ in 0..16 {
        motion = format!("{{ sequence = [{{ duration = 1, motion = {motion} }}] }}");
    }
    parse(&SCENE.replace("{ hold = {} }", &motion), "s.toml", Path::new("."), &[]).unwrap();
    motion = format!("{{ sequence = [{{ duration = 1, motion = {motion} }}] }}");
    let message = refused(&SCENE.replace("{ hold = {} }", &motion));
    assert!(message.contains("sequences stand inside each other more than 16 deep"), "{message}");
}

/// Nothing that can be put into a file may crash the reader or keep it busy.
#[test]
fn hostile_texts_end_in_a_message() {
    let deep = 200_000;
    let cases = [
        String::new(),
        "\0".into(),
        "duration = 1\0".into(),
        format!("{SCENE}\u{0}"),
        format!("a = {}", "[".repeat(deep)),
        format!("a = {}{}", "[".repeat(deep), "]".repeat(deep)),
        format!("a = {}", "{a=".repeat(deep)),
        format!("{} = 1", ["a"; 100_000].join(".")),
        format!("[{}]", ["a"; 100_000].join(".")),
        format!("{}x = 1", "[a.".repeat(deep)),
        format!("{} = 1", "a".repeat(1_000_000)),
        format!("duration = {}", "9".repeat(1_000_000)),
        format!("duration = {}1", "-".repeat(1_000_000)),
        format!("title = '{}'\nduration = 1", "x".repeat(10_000_000)),
        "\u{feff}\u{feff}duration = 1".into(),
        format!("a = [{}]", "[],".repeat(10_000_000)),
        "#".repeat(65 << 20),
        "duration = 1e999999999999".into(),
        "duration = 0x7fffffffffffffffffffffffffffffffffff".into(),
    ];
    for text in cases {
        let message = refused(&text);
        assert!(message.len() < 4000, "a message of {} bytes", message.len());
        assert!(message.starts_with("s.toml"), "{message}");
    }
}

#[test]
fn many_small_bodies_do_not_add_up_to_a_huge_one() {
    let body = |i: usize, size: &str| {
        format!(
            "[[body]]\nname = 'b{i}'\nmodel = 'chain'\nmaterial = 'm'\nradius = 0.001\npath = [[0, 0, 0], [1, 0, 0]]\n{size}\n"
        )
    };
    let head = "duration = 1\n[material.m]\nyoung = 1e6\ndensity = 1000\n";
    let large = "points = 600000\nchain.update = 'plain'";
    let text = format!("{head}{}{}", body(0, large), body(1, large));
    assert_eq!(refused(&text), "s.toml:19:10: too many points: all bodies together may have 1000000");
    // the number of points follows from the radius of bending here
    let fine = body(0, "chain = { heuristic = { bend_radius = 1e-6 } }");
    assert_eq!(refused(&format!("{head}{fine}")), "s.toml:11:9: too many points: all bodies together may have 1000000");
    let many: String =
        (0..10_001).map(|i| format!("[[expect]]\nquantity = 'contacts.count'\nat = {i}\nmax = 1\n")).collect();
    assert!(refused(&format!("{head}{many}")).contains("10001 entries are too many"));
}

#[test]
fn files_that_are_no_scenes_are_explained() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |name: &str| load(&dir.path().join(name), &[]).unwrap_err().to_string();
    std::fs::write(dir.path().join("latin.toml"), b"duration = 1\ntitle = 'gr\xfcn'\n").unwrap();
    std::fs::File::create(dir.path().join("huge.toml")).unwrap().set_len(1 << 30).unwrap();
    assert!(refused("missing.toml").ends_with("missing.toml: there is no such file"));
    assert!(refused("").ends_with(": is a folder, not a file"));
    assert!(refused("latin.toml").ends_with("latin.toml:2:12: the text is not UTF-8"));
    assert!(refused("huge.toml").ends_with("huge.toml: is too large: at most 64 MiB can be read"));
}

#[test]
fn overrides_that_break_the_scene_are_named() {
    let refused = |changes: &[&str]| {
        let changes: Vec<Override> = changes.iter().map(|c| c.parse().unwrap()).collect();
        parse(SCENE, "s.toml", Path::new("."), &changes).unwrap_err().to_string()
    };
    assert_eq!(
        refused(&["step=0.02", "body.wire.radus=1", "duration=3"]),
        "s.toml:16:1: --set body.wire.radus=1: unknown field `radus` (did you mean `radius`?)"
    );
    assert_eq!(
        refused(&["body.wire.radius=-1"]),
        "s.toml:12:10: --set body.wire.radius=-1: radius: expected a length from 1e-9 to 1e6 [m], got -1"
    );
    assert_eq!(
        refused(&["body.wire.name=cord"]),
        "s.toml:24:19: --set body.wire.name=cord: there is no body named `wire` (known: cord)"
    );
    assert_eq!(
        refused(&["body.wier.radius=1"]),
        "s.toml: --set body.wier.radius=1: there is no body named `wier` (did you mean `wire`?)"
    );
    // a fault of the file itself is not blamed on an override
    let broken = SCENE.replace("step = 0.01", "stp = 0.01");
    let change = ["duration=3".parse().unwrap()];
    assert_eq!(
        parse(&broken, "s.toml", Path::new("."), &change).unwrap_err().to_string(),
        "s.toml:2:1: unknown field `stp` (did you mean `step`?)"
    );
}

#[test]
fn overrides_reach_the_scene() {
    let changes =
        ["duration=3", "step=0.5", "body.wire.points=7", "body.wire.chain.update=plain", "material.steel.young=1e9"];
    let changes: Vec<Override> = changes.iter().map(|c| c.parse().unwrap()).collect();
    let scene = parse(SCENE, "s.toml", Path::new("."), &changes).unwrap();
    assert_eq!((scene.duration, scene.step, scene.world.bodies()[0].size()), (3.0, 0.5, 7));
    let chain = format!("{:?}", scene.world.bodies()[0]);
    assert!(chain.contains("update: Plain") && chain.contains("rate: 1000.0"), "{chain}");
}
