//! Solids of a scene: their shapes reach the engine, and what makes no solid is refused or mended with a warning.

#![allow(clippy::unwrap_used, missing_docs)]

use std::fmt::Write;
use std::path::Path;

use pliant::lattice::solid::{
    Cells, Flexion, MassRule, Rings, brick, cells_for, crowded, frustum, graded_brick, grading, polygon, sweep,
};
use pliant::lattice::{Lattice, LatticeSettings, LatticeSpec, Part};
use pliant::math::{Pose, Vec3};
use pliant::{Body, Friction, Material};
use pliant_scene::{Scene, SceneError, parse};

fn read(solid: &str, folder: &Path) -> Result<Scene, SceneError> {
    let text = format!(
        "duration = 1\n[material.m]\nyoung = 1e4\ndensity = 1000\n\
         [[body]]\nname = 'a'\nmodel = 'lattice'\nmaterial = 'm'\nsolid = {solid}\n"
    );
    parse(&text, "s.toml", folder, &[])
}

/// A lattice shows its parts only through its behaviour; the `Debug` picture holds all of them.
fn assert_same(solid: &str, cells: Cells, rule: MassRule) {
    let scene = read(solid, Path::new(".")).unwrap();
    let Body::Lattice(found) = &scene.world.bodies()[0] else { panic!("no lattice") };
    let built = Lattice::new(
        "a",
        LatticeSpec {
            material: Material { young: 1e4, poisson: 0.3, density: 1000.0, friction: Friction::NONE },
            parts: vec![Part::Solid { cells, rule }],
            connectors: vec![],
            placed: Pose::IDENTITY,
            velocity: Vec3::ZERO,
            spin: Vec3::ZERO,
            settings: LatticeSettings::default(),
        },
    );
    assert_eq!(format!("{found:?}"), format!("{:?}", built.unwrap()), "{solid}");
}

#[test]
fn boxes_and_prisms_are_cut_as_given() {
    let size = Vec3::new(0.4, 0.1, 0.2);
    let plain = MassRule::Approximate;
    assert_same("{ box = { size = [0.4, 0.1, 0.2] } }", brick(size, [1; 3]).unwrap(), plain);
    let cells = brick(size, [3, 1, 2]).unwrap();
    assert_same("{ box = { size = [0.4, 0.1, 0.2], cells = [3, 1, 2], masses = 'exact' } }", cells, MassRule::Exact);
    let [x, y, z] = [(0.4, 6, 0.1, 3.0), (0.1, 1, 0.0, 1.0), (0.2, 4, -0.1, 2.0)]
        .map(|(length, count, at, finer)| grading(length, count, crowded(length, at, finer)).unwrap());
    let crowd =
        "{ box = { size = [0.4, 0.1, 0.2], cells = [6, 1, 4], grading = { at = [0.1, 0, -0.1], finer = [3, 1, 2] } } }";
    assert_same(crowd, graded_brick([&x, &y, &z]).unwrap(), plain);
    let cut = |rings| Rings { per_edge: 1, rings };
    let prism = frustum(6, [0.1, 0.1], 0.3, cut(1), 1).unwrap();
    assert_same("{ prism = { sides = 6, radius = 0.1, length = 0.3 } }", prism, plain);
    let cone = frustum(5, [0.1, 0.02], 0.3, cut(2), 3).unwrap();
    let text = "{ prism = { sides = 5, radius = 0.1, top_radius = 0.02, length = 0.3, rings = 2, layers = 3 } }";
    assert_same(text, cone, plain);
}

/// Either way round, on either side, of three corners, four or more.
#[test]
fn sweeps_and_polygons_are_cut_as_given() {
    let plain = MassRule::Approximate;
    let flat = |points: &[[f64; 2]], z: f64| points.iter().map(|[x, y]| Vec3::new(*x, *y, z)).collect::<Vec<_>>();
    let cut = Rings { per_edge: 2, rings: 3 };
    let plate = |points: &[[f64; 2]], cut| {
        let [bottom, top] = [-0.05, 0.05].map(|z| polygon(&flat(points, z), cut).unwrap());
        sweep(&bottom, &top.points, 2).unwrap()
    };
    let kite = [[0.0, 0.0], [1.0, -0.3], [1.2, 0.4], [0.1, 0.9]];
    let fine = "thickness = 0.1, per_edge = 2, rings = 3, layers = 2";
    let text = format!("{{ polygon = {{ corners = [[0, 0], [1, -0.3], [1.2, 0.4], [0.1, 0.9]], {fine} }} }}");
    assert_same(&text, plate(&kite, cut), plain);
    let text = format!("{{ polygon = {{ corners = [[0, 0], [0.5, 1], [1, 0]], {fine}, masses = 'exact' }} }}");
    assert_same(&text, plate(&[[1.0, 0.0], [0.5, 1.0], [0.0, 0.0]], cut), MassRule::Exact);
    // from a triangle below to a smaller one above, aside and turned; from above to below it is the same the other way up
    let cut = Rings { per_edge: 1, rings: 1 };
    let low = flat(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], 0.0);
    let high = flat(&[[0.5, 0.1], [0.8, 0.4], [0.3, 0.5]], 1.0);
    let begin = polygon(&low, cut).unwrap();
    let expected = sweep(&begin, &polygon(&high, cut).unwrap().points, 1).unwrap();
    let (b, t) = ("[[0, 0, 0], [1, 0, 0], [0, 1, 0]]", "[[0.5, 0.1, 1], [0.8, 0.4, 1], [0.3, 0.5, 1]]");
    assert_same(&format!("{{ sweep = {{ bottom = {b}, top = {t} }} }}"), expected, plain);
    let turned = |points: &[Vec3]| points.iter().rev().copied().collect::<Vec<_>>();
    let begin = polygon(&turned(&high), cut).unwrap();
    let expected = sweep(&begin, &polygon(&turned(&low), cut).unwrap().points, 1).unwrap();
    assert_same(&format!("{{ sweep = {{ bottom = {t}, top = {b} }} }}"), expected, plain);
}

/// Bent along its longest edge, y, away from its shortest, z; cells are as near to cubes as can be.
#[test]
fn cells_are_as_many_as_the_inertia_needs() {
    let size = Vec3::new(0.1, 0.4, 0.06);
    let near_cubes = |n: usize| {
        let count = |edge: f64| ((edge / 0.4 * n as f64).round() as usize).max(1);
        brick(size, [count(0.1), n, count(0.06)])
    };
    let degrees = |angle: f64| angle.to_radians();
    let arc = Flexion { along: 1, away: 2, length: 0.4, bend: degrees(90.0), twist: degrees(20.0) };
    let mut counts = vec![];
    for error in [0.1, 0.01, 0.001] {
        let refined = cells_for(near_cubes, |p| arc.moved(p), MassRule::Approximate, error, 5_000).unwrap();
        counts.push(refined.cells.cells().len());
        let text = format!(
            "{{ box = {{ size = [0.1, 0.4, 0.06], cells = {{ error = {error}, bend_deg = 90, twist_deg = 20 }} }} }}"
        );
        assert_same(&text, refined.cells, MassRule::Approximate);
    }
    assert!(counts[0] < counts[1] && counts[1] < counts[2], "{counts:?}");
    let turn = Flexion { along: 2, away: 0, length: 0.5, bend: degrees(60.0), twist: 0.0 };
    let cut = Rings { per_edge: 1, rings: 1 };
    let build = |layers| frustum(4, [0.05, 0.03], 0.5, cut, layers);
    let refined = cells_for(build, |p| turn.moved(p), MassRule::Exact, 0.01, 5_000).unwrap();
    assert!(refined.fineness > 1);
    let text = "{ prism = { sides = 4, radius = 0.05, top_radius = 0.03, length = 0.5, masses = 'exact', \
                layers = { error = 0.01, bend_deg = 60 } } }";
    assert_same(text, refined.cells, MassRule::Exact);
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let cases = [
        (
            "{ box = { size = [1, 1, 1], cells = [1, 2] } }",
            "3 whole numbers in brackets or { error = 0.01, bend_deg = 90 }, got 2",
        ),
        ("{ box = { size = [1, 1, 1], cells = [1, 2, 3, 4] } }", "got 4"),
        ("{ box = { size = [1, 1, 1], cells = 3 } }", "cells: expected 3 whole numbers"),
        ("{ box = { size = [1, 1, 1], cells = [0, 1, 1] } }", "expected a whole number from 1 to 100000, got 0"),
        ("{ box = { size = [1, 1, 1], cells = { error = 0.1 } } }", "say how it is deformed: bend_deg or twist_deg"),
        ("{ box = { size = [1, 1, 1], cells = { bend_deg = 10 } } }", "missing field `error`"),
        (
            "{ box = { size = [1, 1, 1], cells = { error = 0, bend_deg = 10 } } }",
            "expected an error from 1e-6 to 1 [-], got 0",
        ),
        ("{ box = { size = [1, 1, 1], cells = { eror = 0.1, bend_deg = 10 } } }", "did you mean `error`?"),
        (
            "{ box = { size = [1, 0.9, 0.9], cells = { error = 0.1, bend_deg = 180 } } }",
            "cannot be bent so far: 1 m long, 0.9 m thick",
        ),
        ("{ box = { size = [1, 1, 1], cells = { error = 1e-6, bend_deg = 100 } } }", "no more than 5000 are chosen"),
        ("{ box = { size = [1, 1, 1], grading = { at = [0.6, 0, 0], finer = [2, 1, 1] } } }", "this is not in the box"),
        (
            "{ box = { size = [1, 1, 1], grading = { finer = [0.5, 1, 1] } } }",
            "expected a ratio from 1 to 1000 [-], got 0.5",
        ),
        ("{ box = { size = [1, 1, 1], cells = [1000, 1000, 1000] } }", "all solids together may have 4000000"),
        (
            "{ prism = { sides = 5, radius = 1, length = 1, layers = [2] } }",
            "layers: expected a whole number or { error",
        ),
        (
            "{ prism = { sides = 1000, radius = 1, length = 1, rings = 100, layers = { error = 0.1, bend_deg = 5 } } }",
            "cells of the coarsest cut would be more than 5000",
        ),
        ("{ prism = { sides = 2, radius = 1, length = 1 } }", "expected a whole number from 3 to 1000, got 2"),
        (
            "{ prism = { sides = 3, radius = 1, top_radius = 0, length = 1 } }",
            "expected a length from 1e-9 to 1e6 [m], got 0",
        ),
        (
            "{ convex = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]] } }",
            "s.toml:9:31: the convex hull is flat",
        ),
        ("{ points = { places = [], mass = 1 } }", "1 to 100000 particles"),
        (
            "{ polygon = { corners = [[0, 0], [1, 0]], thickness = 0.1 } }",
            "a polygon has 3 to 1000 corners, this one 2",
        ),
        (
            "{ polygon = { corners = [[0, 0], [1, 0], [0.2, 0.2], [0, 1]], thickness = 0.1 } }",
            "the polygon is not convex",
        ),
        (
            "{ sweep = { bottom = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], top = [[0, 0, 1], [1, 0, 1]] } }",
            "s.toml:9:71: a polygon has 3",
        ),
        (
            "{ sweep = { bottom = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], top = [[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]] } }",
            "3 corners cannot end as 4",
        ),
        (
            "{ sweep = { bottom = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], top = [[0, 0, 0], [1, 0, 0], [0, 1, 0]] } }",
            "it is flat or turned inside out",
        ),
    ];
    for (solid, expected) in cases {
        let Err(error) = read(solid, Path::new(".")) else { panic!("{solid} was read") };
        let message = error.to_string();
        assert!(message.contains(expected) && message.starts_with("s.toml:9:"), "{solid}: {message}");
    }
}

const CUBE: [[f64; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [0.0, 1.0, 1.0],
];

const FACES: [[usize; 3]; 12] = [
    [1, 3, 2],
    [1, 4, 3],
    [5, 6, 7],
    [5, 7, 8],
    [1, 2, 6],
    [1, 6, 5],
    [2, 3, 7],
    [2, 7, 6],
    [3, 4, 8],
    [3, 8, 7],
    [4, 1, 5],
    [4, 5, 8],
];

fn obj(vertices: &[[f64; 3]], faces: &[[usize; 3]]) -> Vec<u8> {
    let mut text = String::new();
    vertices.iter().for_each(|[x, y, z]| writeln!(text, "v {x} {y} {z}").unwrap());
    faces.iter().for_each(|[a, b, c]| writeln!(text, "f {a} {b} {c}").unwrap());
    text.into_bytes()
}

/// A binary STL file of a cube.
fn stl() -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend(12u32.to_le_bytes());
    for face in FACES {
        bytes.extend([0; 12]);
        let corners = face.into_iter().flat_map(|corner| CUBE[corner - 1]);
        corners.for_each(|x| bytes.extend((x as f32).to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

/// A scene with that mesh: its warnings, or why it is refused.
fn judge(file: &str, bytes: &[u8]) -> Result<String, String> {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join(file), bytes).unwrap();
    let read = read(&format!("{{ mesh = {{ file = '{file}' }} }}"), dir.path());
    read.map(|scene| scene.warnings.join("\n")).map_err(|error| error.to_string())
}

#[test]
fn meshes_with_faults_that_leave_no_doubt_are_mended() {
    assert_eq!(judge("a.obj", &obj(&CUBE, &FACES)).unwrap(), "");
    let turned = FACES.map(|[a, b, c]| [a, c, b]);
    let mut one_turned = FACES;
    one_turned[3] = turned[3];
    let repeated: Vec<[f64; 3]> = FACES.iter().flatten().map(|v| CUBE[v - 1]).collect();
    let apart: Vec<[usize; 3]> = (0..12).map(|t| [3 * t + 1, 3 * t + 2, 3 * t + 3]).collect();
    let twice: Vec<[usize; 3]> = FACES.iter().chain(&FACES[..2]).copied().collect();
    let mut stray = CUBE.to_vec();
    stray.push([5.0, 5.0, 5.0]);
    let cases = [
        ("inside out", obj(&CUBE, &turned), "inside out"),
        ("one turned", obj(&CUBE, &one_turned), "faced the wrong way"),
        ("a face missing", obj(&CUBE, &FACES[2..]), "which was closed"),
        ("triangles apart", obj(&repeated, &apart), "were merged"),
        ("triangles twice", obj(&CUBE, &twice), "given twice"),
        ("a vertex of no triangle", obj(&stray, &FACES), ""),
    ];
    for (name, bytes, expected) in cases {
        let warnings = judge("a.obj", &bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(warnings.contains(expected), "{name}: {warnings}");
    }
    // triangles of an STL file share no vertices; that is no fault
    assert!(!judge("a.stl", &stl()).unwrap().contains("wrong way"));
}

#[test]
fn meshes_that_bound_no_solid_are_refused() {
    let open: Vec<[usize; 3]> =
        FACES.iter().enumerate().filter(|(t, _)| ![0, 3, 5].contains(t)).map(|(_, f)| *f).collect();
    let flat = CUBE.map(|[x, y, _]| [x, y, 0.0]);
    // two cubes half in each other
    let moved = CUBE.map(|[x, y, z]| [x + 0.5, y + 0.3, z + 0.2]);
    let both: Vec<[f64; 3]> = CUBE.into_iter().chain(moved).collect();
    let crossing: Vec<[usize; 3]> = FACES.into_iter().chain(FACES.map(|f| f.map(|v| v + 8))).collect();
    // a sheet through the cube that shares edges with it
    let branching: Vec<[usize; 3]> = FACES.into_iter().chain([[1, 3, 7], [1, 7, 5]]).collect();
    let mut nan = stl();
    nan[100..104].copy_from_slice(&f32::NAN.to_le_bytes());
    let mut far = stl();
    far[100..104].copy_from_slice(&1e30f32.to_le_bytes());
    // more triangles than can be cells
    let mut many = stl();
    many[80..84].copy_from_slice(&240_000u32.to_le_bytes());
    many.extend(stl()[84..].repeat(19_999));
    let mut missing = obj(&CUBE, &FACES);
    missing.extend(b"f 1 2 99\n");
    let cases = [
        ("a.obj", open, CUBE.to_vec(), "the mesh is open"),
        ("a.obj", FACES.to_vec(), flat.to_vec(), "the mesh is flat"),
        ("a.obj", crossing, both, "the mesh cuts itself"),
        ("a.obj", branching, CUBE.to_vec(), "more than two triangles meet"),
        ("a.obj", vec![], CUBE.to_vec(), "no triangles"),
        ("a.obj", FACES.to_vec(), CUBE.map(|p| p.map(|x| x * 1e7)).to_vec(), "farther than 1e6 m"),
        ("a.obj", FACES.to_vec(), CUBE.map(|p| p.map(|x| x * 1e-200)).to_vec(), ""),
    ];
    for (file, faces, vertices, expected) in cases {
        let message = judge(file, &obj(&vertices, &faces)).unwrap_err();
        assert!(message.contains(expected) && message.contains("a.obj"), "{expected}: {message}");
    }
    let files = [
        ("a.stl", nan, "is not finite"),
        ("a.stl", far, "farther than 1e6 m"),
        ("a.stl", stl()[..300].to_vec(), "not a readable STL file"),
        ("a.stl", stl()[..40].to_vec(), "not a readable STL file"),
        ("a.stl", vec![], "not a readable STL file"),
        ("a.stl", many, "at most 200000 are allowed"),
        ("a.obj", missing, "not a readable OBJ file"),
        ("a.obj", b"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".to_vec(), "is not finite"),
    ];
    for (file, bytes, expected) in files {
        let message = judge(file, &bytes).unwrap_err();
        assert!(message.contains(expected), "{expected}: {message}");
    }
}

#[test]
fn a_connector_has_two_ends() {
    let solid = "{ box = { size = [0.4, 0.1, 0.2] } }";
    let with = |ends: &str| {
        let connectors = format!("[{{ line = {{ ends = [{ends}], stiffness = 1 }} }}]");
        read(&format!("{solid}\nlattice = {{ connectors = {connectors} }}"), Path::new("."))
    };
    let end = |x: f64| format!("{{ point = [{x}, 0, 0] }}");
    assert!(with(&[end(0.0), end(0.4)].join(", ")).is_ok());
    for (count, ends) in [(0, vec![]), (1, vec![end(0.0)]), (3, vec![end(0.0), end(0.2), end(0.4)])] {
        let said = with(&ends.join(", ")).unwrap_err().to_string();
        assert!(said.ends_with(&format!("ends: expected 2 entries in brackets, got {count}")), "{said}");
    }
}

/// A finger whose centre is exactly at the particle that its gripper holds has no direction to push in, and must not invent numbers that
/// are none.
#[test]
fn a_finger_round_the_particle_it_holds_leaves_numbers() {
    let text = "duration = 0.02\nstep = 0.01\n[material.m]\nyoung = 1e6\ndensity = 1000\n[[body]]\nname = \"b\"\nmodel = \"lattice\"\n\
        material = \"m\"\nsolid = { points = { mass = 0.1, places = [[0, 0, 0], [0.1, 0, 0]] } }\n\
        lattice = { point_contact = { stiffness = 10 } }\n[[gripper]]\nname = \"g\"\nfinger = { radius = 0.04 }\n\
        grips = [{ at = { point = [0, 0, 0] }, body = \"b\" }]\n";
    let mut scene = pliant_scene::parse(text, "held.toml", std::path::Path::new("."), &[]).unwrap();
    for _ in 0..20 {
        scene.world.step(0.01).unwrap();
        let frame = scene.world.frame();
        assert!(frame.bodies[0].nodes.iter().all(|node| node.is_finite()), "{:?}", frame.bodies[0].nodes);
        assert!(frame.bodies[0].energy.total().is_finite());
        let load = scene.world.grippers()[0].load;
        assert!(load.force.is_finite() && load.torque.is_finite(), "{load:?}");
        // what is held stays where it is held
        assert!(frame.bodies[0].nodes[0].length() < 1e-9);
    }
}

/// A block falls on its edge and bounces within a step: what the floor is told to have pushed is what changes its momentum.
#[test]
fn a_blow_shorter_than_a_step_is_told_whole() {
    const FALL: &str = r#"
duration = 0.8
[material.m]
young = 2e8
poisson = 0.3
density = 1000
friction = { coefficient = 0.4 }
[[obstacle]]
name = "floor"
shape = { plane = {} }
[[body]]
name = "block"
model = "lattice"
material = "m"
solid = { box = { size = [0.1, 0.08, 0.06], cells = [2, 2, 2] } }
position = [0, 0, 0.1]
spin = [0, 0.5, 0]
"#;
    for step in [1e-3, 2e-3, 5e-3, 1e-2] {
        let mut world = parse(FALL, "scene.toml", Path::new("."), &[]).unwrap().world;
        let weight = 9.81 * world.bodies()[0].mass();
        // the height of its centre of mass, by its weight
        let height = |world: &pliant::World| world.frame().bodies[0].energy.gravity / weight;
        let (mut heights, mut pushes) = (vec![height(&world)], vec![0.0]);
        for _ in 0..(0.8 / step) as usize {
            world.step(step).unwrap();
            heights.push(height(&world));
            pushes.push(world.frame().contacts.iter().map(|c| c.force.z).sum::<f64>());
        }
        let flies =
            |n: &usize| pushes[*n] == 0.0 && pushes[n + 1] == 0.0 && pushes[..*n].iter().any(|push| *push > 0.0);
        let last = (1..heights.len() - 1).rev().find(flies).unwrap();
        let speed = (heights[last + 1] - heights[last - 1]) / (2.0 * step);
        let needed = weight * (step * last as f64 + speed / 9.81);
        let told = step * pushes[..=last].iter().sum::<f64>();
        assert!((told / needed - 1.0).abs() < 0.02, "{step} s: {told} N s of {needed}");
    }
}
