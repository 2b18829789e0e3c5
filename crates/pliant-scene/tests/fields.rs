//! Every field of a scene file reaches the engine with the right value and unit.
//!
//! The reference is the engine's own types, written out by hand. Each value differs from the default, so that a field
//! that is read but dropped is noticed.

#![allow(clippy::unwrap_used, missing_docs)]

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::path::Path;

use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec, Couplings, Pairs, Regulation, Solver, Step};
use pliant::chain::{BendingLaw, Chain, ChainSettings, ChainSpec, Heuristic, RelativeTo, UpdateRule};
use pliant::contact::ShapeKind;
use pliant::elastica::{Elastica, ElasticaSettings, ElasticaSpec, Integrator, Profile, Slider, Start};
use pliant::math::{Quat, Vec3};
use pliant::motion::{Blend, Leg, Motion, Waypoint, Wind, Window};
use pliant::xpbd::{Xpbd, XpbdSettings, XpbdSpec};
use pliant::{Body, Friction, Hold, Load, Material, Place, Rigidities, Section, World};
use pliant_scene::{Scene, parse};

fn scene(text: &str) -> Scene {
    parse(text, "folder/test scene.toml", Path::new("."), &[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

const MATERIAL: &str = "duration = 1\n[material.m]\nyoung = 2e6\ndensity = 1000\n";

fn with_rod(rest: &str) -> Scene {
    let rod = "[[body]]\nname = 'rod'\nmodel = 'chain'\nmaterial = 'm'\nradius = 0.01\npath = [[0, 0, 0], [1, 0, 0]]\npoints = 11\n";
    scene(&format!("{MATERIAL}{rod}{rest}"))
}

#[test]
fn an_arm_gives_way_and_lets_links_pass() {
    let text = "duration = 1\n[[arm]]\nname = 'robot'\nurdf = 'robots/arm7.urdf'\npassing = [['link1', 'link5']]\n\
                impedance = { stiffness = [1e4, 1e4, 1e4], damping = [1e2, 1e2, 1e2] }\n\
                admittance = { sensor = 'wrist', mass = [1, 2, 3], damping = [4, 5, 6], stiffness = [7, 8, 9], \
                turn_inertia = [0.1, 0.2, 0.3], turn_damping = [0.4, 0.5, 0.6], turn_stiffness = [0.7, 0.8, 0.9] }\n\
                [[gripper]]\nname = 'hand'\nposition = [0.3, 0.0, 0.6]\ncarried = { arm = 'robot', link = 'tool' }\n\
                [[sensor]]\nname = 'wrist'\ngripper = 'hand'\n[[sensor]]\nname = 'other'\ngripper = 'hand'\n";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let read = |text: &str| parse(text, "scene.toml", &folder, &[]);
    let scene = read(text).unwrap_or_else(|e| panic!("{e}"));
    let hand = scene.world.gripper_named("hand").unwrap();
    let held = scene.world.tool(hand).unwrap().unwrap();
    let expected = pliant::arm::Admittance {
        mass: [1.0, 2.0, 3.0, 0.1, 0.2, 0.3],
        damping: [4.0, 5.0, 6.0, 0.4, 0.5, 0.6],
        stiffness: [7.0, 8.0, 9.0, 0.7, 0.8, 0.9],
    };
    assert_eq!(held.admittance, Some(expected));
    let fails = |from: &str, to: &str| read(&text.replace(from, to)).unwrap_err().to_string();
    let error = fails("sensor = 'wrist', ", "");
    assert!(error.contains("say which"), "{error}");
    let error = fails("sensor = 'wrist', ", "sensor = 'wirst', ");
    assert!(error.contains("did you mean `wrist`"), "{error}");
    let error = fails("impedance = { stiffness = [1e4, 1e4, 1e4], damping = [1e2, 1e2, 1e2] }\n", "");
    assert!(error.contains("needs an impedance"), "{error}");
    let error = fails("['link1', 'link5']", "['link1', 'link9']");
    assert!(error.contains("no link `link9`"), "{error}");
}

#[test]
fn top_level_values_and_their_defaults() {
    let plain = scene("duration = 2.5\n");
    assert_eq!((plain.title.as_str(), plain.duration, plain.step), ("test scene", 2.5, 0.001));
    assert_eq!(plain.world.gravity(), Vec3::new(0.0, 0.0, -9.81));
    assert!(plain.expectations.is_empty() && plain.warnings.is_empty());
    let full = scene("title = 'Ein Titel: äöü'\nduration = 3\nstep = 0.01\ngravity = [1, 2.5, -3]\n");
    assert_eq!((full.title.as_str(), full.duration, full.step), ("Ein Titel: äöü", 3.0, 0.01));
    assert_eq!(full.world.gravity(), Vec3::new(1.0, 2.5, -3.0));
}

/// A chain shows its constants only through its behaviour; the `Debug` picture holds all of them.
fn assert_same_chain(scene: &Scene, spec: ChainSpec) {
    let Body::Chain(read) = &scene.world.bodies()[0] else { panic!("no chain") };
    let built = Chain::new("rod", spec).unwrap();
    assert_eq!(format!("{read:?}"), format!("{built:?}"));
}

fn spec() -> ChainSpec {
    ChainSpec {
        material: Material { young: 2e6, poisson: 0.3, density: 1000.0, friction: Friction::NONE },
        section: Section::Round { radius: 0.01 },
        path: vec![Vec3::ZERO, Vec3::X],
        points: Some(11),
        settings: ChainSettings::default(),
    }
}

#[test]
fn material_section_path_and_defaults_reach_the_chain() {
    assert_same_chain(&with_rod(""), spec());
    let text = "duration = 1\n[material.rubber]\nyoung = 5e6\npoisson = 0.49\ndensity = 1200\n\
                friction = { coefficient = 0.4, exponent = 0.76 }\n\
                [[body]]\nname = 'rod'\nmodel = 'chain'\nmaterial = 'rubber'\nradius = 0.002\n\
                path = [[0, 0, 1], [0, 0.5, 1], [0, 0.5, 2]]\nsegments = 30\n";
    let friction = Friction { coefficient: 0.4, exponent: 0.76 };
    assert_same_chain(
        &scene(text),
        ChainSpec {
            material: Material { young: 5e6, poisson: 0.49, density: 1200.0, friction },
            section: Section::Round { radius: 0.002 },
            path: vec![Vec3::new(0.0, 0.0, 1.0), Vec3::new(0.0, 0.5, 1.0), Vec3::new(0.0, 0.5, 2.0)],
            points: Some(31),
            settings: ChainSettings::default(),
        },
    );
    // Coulomb's law is the default law of friction
    let coulomb = text.replace(", exponent = 0.76", "");
    assert!(
        format!("{:?}", scene(&coulomb).world.bodies()[0]).contains("Friction { coefficient: 0.4, exponent: 1.0 }")
    );
}

#[test]
fn the_size_can_be_given_in_three_ways() {
    let size = |line: &str| {
        let text = format!(
            "{MATERIAL}[[body]]\nname = 'a'\nmodel = 'chain'\nmaterial = 'm'\nradius = 0.01\npath = [[0, 0, 0], [1, 0, 0]]\n{line}\n"
        );
        scene(&text).world.bodies()[0].size()
    };
    assert_eq!([size("points = 21"), size("segments = 20"), size("intervals = 20")], [21; 3]);
    let left_to_the_model = Chain::new("a", ChainSpec { points: None, ..spec() }).unwrap();
    assert_eq!(size(""), left_to_the_model.size());
}

#[test]
fn every_setting_of_the_chain_is_read() {
    let table = "[body.chain]\nbending = 'paper'\nupdate = 'dynamics'\nrate = 12345\ngripper_rate = 222\ncontact_rate = 333\n\
                 contraction = 11.5\nbending_force = 0.25\nbending_stiffness = 0.75\nmatched_curvature = 7.5\n\
                 grip_stiffness = 44\ncontact_stiffness = 55\nscaling = 1e-4\nhistory = 0.6\ndrag = 3.5\nstep_limit = 0.2\n\
                 relative_limit = false\nrelative_to = 'whole'\nkeep_displacement = true\nmass = 0.125\nequal_weights = true\n\
                 heuristic = { stretch = 4, bend_angle_deg = 3, grip_gap = 2, bend_radius = 0.1 }\n";
    let heuristic = Heuristic { stretch: 4.0, bend_angle: 3.0_f64.to_radians(), grip_gap: 2.0, bend_radius: Some(0.1) };
    let settings = ChainSettings {
        bending: BendingLaw::Paper,
        update: UpdateRule::Dynamics,
        rate: Some(12345.0),
        gripper_rate: Some(222.0),
        contact_rate: 333.0,
        heuristic: Some(heuristic),
        contraction: Some(11.5),
        bending_force: Some(0.25),
        bending_stiffness: Some(0.75),
        matched_curvature: 7.5,
        grip_stiffness: Some(44.0),
        contact_stiffness: Some(55.0),
        scaling: Some(1e-4),
        history: Some(0.6),
        drag: 3.5,
        step_limit: 0.2,
        relative_limit: false,
        relative_to: RelativeTo::Whole,
        keep_displacement: true,
        mass: Some(0.125),
        equal_weights: true,
    };
    assert_same_chain(&with_rod(table), ChainSpec { settings, ..spec() });
    // what is left out of the heuristic has the engine's default
    let settings = ChainSettings { heuristic: Some(Heuristic::default()), ..ChainSettings::default() };
    assert_same_chain(&with_rod("[body.chain]\nheuristic = {}\n"), ChainSpec { settings, ..spec() });
}

#[test]
fn every_word_of_the_chain_is_read() {
    let rules = [
        ("plain", UpdateRule::Plain),
        ("limit", UpdateRule::Limit),
        ("relative", UpdateRule::Relative),
        ("dynamics", UpdateRule::Dynamics),
        ("velocity", UpdateRule::Velocity),
    ];
    for (word, update) in rules {
        let settings = ChainSettings { update, ..ChainSettings::default() };
        assert_same_chain(&with_rod(&format!("chain.update = '{word}'\n")), ChainSpec { settings, ..spec() });
    }
    for (word, bending) in [("linear", BendingLaw::Linear), ("paper", BendingLaw::Paper)] {
        let settings = ChainSettings { bending, ..ChainSettings::default() };
        assert_same_chain(&with_rod(&format!("chain.bending = '{word}'\n")), ChainSpec { settings, ..spec() });
    }
}

#[test]
fn every_shape_is_read() {
    let corners = "[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]";
    let cases = [
        ("plane = {}".to_string(), ShapeKind::Plane),
        ("sphere = { radius = 0.5 }".into(), ShapeKind::Sphere { radius: 0.5 }),
        ("box = { size = [1, 2, 3] }".into(), ShapeKind::Box { size: Vec3::new(1.0, 2.0, 3.0) }),
        ("capsule = { radius = 0.1, length = 2 }".into(), ShapeKind::Capsule { radius: 0.1, length: 2.0 }),
        ("cylinder = { radius = 0.1, length = 2 }".into(), ShapeKind::Cylinder { radius: 0.1, length: 2.0 }),
        (
            format!("convex = {{ points = {corners} }}"),
            ShapeKind::Convex { points: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z] },
        ),
        (
            "height_field = { heights = [[0, 1], [2, 3], [4, 5]], size = [6, 7] }".into(),
            ShapeKind::HeightField { heights: vec![vec![0.0, 1.0], vec![2.0, 3.0], vec![4.0, 5.0]], size: [6.0, 7.0] },
        ),
    ];
    for (shape, kind) in cases {
        let scene = scene(&format!("duration = 1\n[[obstacle]]\nname = 'o'\nshape = {{ {shape} }}\n"));
        let params = &scene.world.obstacles()[0].params;
        assert_eq!(params.shape.kind(), &kind);
        assert_eq!((params.name.as_str(), params.friction), ("o", None));
        assert_eq!((params.placed.translation, params.placed.rotation), (Vec3::ZERO, Quat::IDENTITY));
        assert_eq!(params.motion, Motion::Hold);
    }
}

#[test]
fn meshes_come_from_files_beside_the_scene() {
    let dir = tempfile::tempdir().unwrap();
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    std::fs::create_dir(dir.path().join("meshes")).unwrap();
    std::fs::write(dir.path().join("meshes/block.obj"), obj).unwrap();
    std::fs::write(dir.path().join("meshes/sheet.obj"), obj.replace("f 3 1 4\n", "")).unwrap();
    let text = "duration = 1\n\
                [[obstacle]]\nname = 'block'\nshape = { mesh = { file = 'meshes/block.obj', scale = 0.5 } }\n\
                [[obstacle]]\nname = 'hull'\nshape = { convex = { file = 'meshes/block.obj', scale = 2 } }\n\
                [[obstacle]]\nname = 'sheet'\nshape = { mesh = { file = 'meshes/sheet.obj' } }\n";
    std::fs::write(dir.path().join("s.toml"), text).unwrap();
    let scene = pliant_scene::load(&dir.path().join("s.toml"), &[]).unwrap();
    let kind = |i: usize| scene.world.obstacles()[i].params.shape.kind().clone();
    let ShapeKind::Mesh(mesh) = kind(0) else { panic!("{:?}", kind(0)) };
    // vertices come in the order in which the faces name them
    let corners = |scale: f64| [Vec3::ZERO, Vec3::Y * scale, Vec3::X * scale, Vec3::Z * scale].to_vec();
    assert_eq!((mesh.triangles.len(), mesh.vertices), (4, corners(0.5)));
    assert_eq!(kind(1), ShapeKind::Convex { points: corners(2.0) });
    assert_eq!(scene.warnings.len(), 1);
    assert!(scene.warnings[0].starts_with("obstacle sheet: meshes/sheet.obj has 3 open edges"), "{:?}", scene.warnings);
    assert_eq!(scene.title, "s");
}

#[test]
fn poses_and_friction_of_obstacles_are_read() {
    let placed = |orientation: &str| {
        let text = format!(
            "duration = 1\n[[obstacle]]\nname = 'o'\nshape = {{ plane = {{}} }}\nposition = [1, 2, 3]\n\
             orientation = {{ {orientation} }}\nfriction = {{ coefficient = 0.5 }}\n"
        );
        let params = scene(&text).world.obstacles()[0].params.clone();
        assert_eq!(params.friction, Some(Friction { coefficient: 0.5, exponent: 1.0 }));
        assert_eq!(params.placed.translation, Vec3::new(1.0, 2.0, 3.0));
        params.placed.rotation
    };
    // a quarter turn about z takes x to y, whichever way it is written; a quaternion is brought to unit length
    for orientation in ["quaternion = [2, 0, 0, 2]", "axis = [0, 0, 3], angle_deg = 90", "euler_deg = [0, 0, 90]"] {
        assert!((placed(orientation) * Vec3::X - Vec3::Y).length() < 1e-15, "{orientation}");
    }
    // roll first, then pitch, then yaw about the axes of the world: z goes to -y, stays there, then to x
    assert!((placed("euler_deg = [90, 90, 90]") * Vec3::Z - Vec3::X).length() < 1e-15);
    assert!((placed("euler_deg = [0, 90, 0]") * Vec3::X + Vec3::Z).length() < 1e-15);
}

#[test]
fn every_motion_is_read() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.csv"), "time,x,y,z\n0,1,2,3\n1,4,5,6\n").unwrap();
    let way = |time, position, orientation| Waypoint { time, position, orientation };
    let quarter = Quat::from_rotation_z(FRAC_PI_2);
    let turn = |angle, advance, blend, window| Motion::Turn {
        axis: Vec3::Y,
        centre: Vec3::new(1.0, 2.0, 3.0),
        angle,
        advance,
        blend,
        window,
    };
    let cases = [
        ("{ hold = {} }", Motion::Hold),
        (
            "{ waypoints = { points = [{ time = 0, position = [1, 2, 3] }, { time = 1.5, position = [4, 5, 6], \
             orientation = { axis = [0, 0, 1], angle_deg = 90 } }] } }",
            Motion::Waypoints {
                blend: Blend::MinimumJerk,
                waypoints: vec![
                    way(0.0, Vec3::new(1.0, 2.0, 3.0), None),
                    way(1.5, Vec3::new(4.0, 5.0, 6.0), Some(quarter)),
                ],
            },
        ),
        (
            "{ waypoints = { blend = 'linear', points = [{ time = 1, position = [0, 0, 0] }] } }",
            Motion::Waypoints { blend: Blend::Linear, waypoints: vec![way(1.0, Vec3::ZERO, None)] },
        ),
        (
            "{ speed = { velocity = [1, 2, 3] } }",
            Motion::Glide {
                velocity: Vec3::new(1.0, 2.0, 3.0),
                acceleration: Vec3::ZERO,
                window: Window { start: 0.0, end: f64::INFINITY },
            },
        ),
        (
            "{ speed = { velocity = [1, 2, 3], start = 0.5, end = 2 } }",
            Motion::Glide {
                velocity: Vec3::new(1.0, 2.0, 3.0),
                acceleration: Vec3::ZERO,
                window: Window { start: 0.5, end: 2.0 },
            },
        ),
        (
            "{ accelerate = { acceleration = [1, 0, 0], end = inf } }",
            Motion::Glide { velocity: Vec3::ZERO, acceleration: Vec3::X, window: Window::ALWAYS },
        ),
        (
            "{ accelerate = { velocity = [0, 1, 0], acceleration = [1, 0, 0], start = 1, end = 2 } }",
            Motion::Glide { velocity: Vec3::Y, acceleration: Vec3::X, window: Window { start: 1.0, end: 2.0 } },
        ),
        (
            "{ rotate = { axis = [0, 2, 0], centre = [1, 2, 3], angle_deg = 180, end = 4 } }",
            turn(PI, 0.0, Blend::Linear, Window { start: 0.0, end: 4.0 }),
        ),
        (
            "{ helix = { axis = [0, 2, 0], centre = [1, 2, 3], turns = 2, pitch = 0.1, start = 1, end = 4, blend = 'minimum-jerk' } }",
            turn(2.0 * TAU, 0.2, Blend::MinimumJerk, Window { start: 1.0, end: 4.0 }),
        ),
        (
            "{ sinusoid = { amplitude = [1, 2, 3], frequency = 0.5, phase_deg = 90 } }",
            Motion::Sinusoid { amplitude: Vec3::new(1.0, 2.0, 3.0), frequency: 0.5, phase: FRAC_PI_2 },
        ),
        (
            "{ samples = { file = 'a.csv' } }",
            Motion::Waypoints {
                blend: Blend::Linear,
                waypoints: vec![way(0.0, Vec3::new(1.0, 2.0, 3.0), None), way(1.0, Vec3::new(4.0, 5.0, 6.0), None)],
            },
        ),
        (
            "{ sequence = [{ duration = 2, motion = { hold = {} } }, { duration = 3, motion = { speed = { velocity = [1, 0, 0] } } }] }",
            Motion::Sequence(vec![
                Leg { duration: 2.0, motion: Motion::Hold },
                Leg {
                    duration: 3.0,
                    motion: Motion::Glide { velocity: Vec3::X, acceleration: Vec3::ZERO, window: Window::ALWAYS },
                },
            ]),
        ),
    ];
    for (motion, expected) in cases {
        let text = format!(
            "duration = 1\n[[obstacle]]\nname = 'o'\nshape = {{ plane = {{}} }}\nmotion = {motion}\n\
             [[gripper]]\nname = 'g'\nposition = [0, 0, 0]\nmotion = {motion}\n"
        );
        let scene = parse(&text, "m.toml", dir.path(), &[]).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(scene.world.obstacles()[0].params.motion, expected);
        assert_eq!(scene.world.grippers()[0].params.motion, expected);
    }
}

#[test]
fn winding_takes_its_way_from_drum_and_cable() {
    let winding = |at: &str, fields: &str| {
        let scene = with_rod(&format!(
            "[[obstacle]]\nname = 'drum'\nshape = {{ cylinder = {{ radius = 0.04, length = 0.5 }} }}\n\
             position = [0, 0.2, -0.05]\norientation = {{ euler_deg = [90, 0, 0] }}\n\
             [[gripper]]\nname = 'hand'\ngrips = [{{ body = 'rod', at = {at} }}]\n\
             motion = {{ wind = {{ on = 'drum', turns = 2.5, {fields} }} }}\n"
        ));
        scene.world.grippers()[0].params.motion.clone()
    };
    let motion = winding("'end'", "pitch = 0.03, stretch = 0.02, start = 1.5, period = 4");
    let Motion::Wind(wind) = motion else { panic!("{motion:?}") };
    assert!((wind.axis + Vec3::Y).length() < 1e-15, "{}", wind.axis);
    let expected = Wind {
        axis: wind.axis,
        centre: Vec3::new(0.0, 0.2, -0.05),
        from: Vec3::ZERO,
        towards: Vec3::X,
        length: 1.02,
        pitch: 0.03,
        turns: 2.5,
        start: 1.5,
        period: 4.0,
    };
    assert_eq!(wind, expected);
    assert!((wind.radius() - 0.05).abs() < 1e-15);
    // the last point is the end too; stretch and start may be left out
    for at in ["1", "1.0", "{ node = 10 }"] {
        let plain = Wind { length: 1.0, start: 0.0, ..expected };
        assert_eq!(winding(at, "pitch = 0.03, period = 4"), Motion::Wind(plain), "{at}");
    }
}

#[test]
fn grippers_and_grips_are_read() {
    let scene = with_rod(
        "[[gripper]]\nname = 'left'\ngrips = [{ body = 'rod', at = 'start' }]\n\
         [[gripper]]\nname = 'right'\norientation = { euler_deg = [0, 0, 90] }\ngrips = [\n\
         { body = 'rod', at = 'end', orientation = true, from = 0.5, until = 2, snap = true },\n\
         { body = 'rod', at = 0.25, orientation = false },\n\
         { body = 'rod', at = { node = 3 }, orientation = 'two-points' },\n\
         { body = 'rod', at = 1 } ]\n\
         [[gripper]]\nname = 'idle'\nposition = [4, 5, 6]\n",
    );
    let grippers = scene.world.grippers();
    let place = |i: usize| grippers[i].params.placed;
    assert_eq!(grippers.iter().map(|g| g.params.name.as_str()).collect::<Vec<_>>(), ["left", "right", "idle"]);
    // without a position a gripper is where its first grip holds
    assert_eq!([place(0).translation, place(1).translation], [Vec3::ZERO, Vec3::X]);
    assert_eq!(place(2).translation, Vec3::new(4.0, 5.0, 6.0));
    assert!((place(1).rotation * Vec3::X - Vec3::Y).length() < 1e-15);
    let grips: Vec<_> = scene.world.grips().map(|(_, g)| g.params).collect();
    let hands = [0, 1, 1, 1, 1].map(|n| scene.world.gripper_at(n).unwrap());
    assert_eq!(grips.iter().map(|g| g.gripper).collect::<Vec<_>>(), hands);
    let places = [0.0, 1.0, 0.25].map(Place::Fraction);
    assert_eq!(grips.iter().map(|g| g.place).collect::<Vec<_>>()[..3], places);
    assert_eq!((grips[3].place, grips[4].place), (Place::Node(3), Place::Fraction(1.0)));
    let holds = [Hold::Position, Hold::Clamp, Hold::Position, Hold::TwoPoints, Hold::Position];
    assert_eq!(grips.iter().map(|g| g.hold).collect::<Vec<_>>(), holds);
    assert_eq!((grips[1].from, grips[1].until, grips[1].snap), (0.5, 2.0, true));
    assert_eq!((grips[0].from, grips[0].until, grips[0].snap), (0.0, f64::INFINITY, false));
}

#[test]
fn cables_are_read() {
    let scene = scene(&format!(
        "{MATERIAL}[[body]]\nname = 'wire'\nmodel = 'cable'\nmaterial = 'm'\nradius = 0.01\n\
         path = [[0, 0, 0], [1, 0, 0]]\nsegments = 7\n[body.cable]\ndamping_time = 0.25\ndrag = 3\n\
         restitution = 0.5\nfriction_per = 'contact'\ntension_limit = 2\nbend_radius_limit = 0.03\n\
         step = 'linear'\nsolver = 'subsystems'\niterations = 70\nsubsystems = 3\ncouplings = 'printed'\n\
         post_regulation = false\nxi = 2\nalpha = 0.6\nrejects = true\nepsilon = 1e-3\npairs = 'bound'\nself_contact = false\n"
    ));
    let spec = CableSpec {
        material: Material { young: 2e6, poisson: 0.3, density: 1000.0, friction: Friction::NONE },
        section: Section::Round { radius: 0.01 },
        path: vec![Vec3::ZERO, Vec3::X],
        normal: None,
        rest: Rest::Straight,
        segments: 7,
        settings: CableSettings {
            damping_time: 0.25,
            drag: 3.0,
            restitution: 0.5,
            friction_per_contact: true,
            tension_limit: 2.0,
            bend_radius_limit: 0.03,
            step: Step::Linear,
            solver: Solver::Subsystems,
            iterations: 70,
            subsystems: 3,
            couplings: Couplings::Printed,
            post_regulation: false,
            regulation: Regulation { xi: 2.0, alpha: Some(0.6), rejects: true },
            epsilon: 1e-3,
            pairs: Pairs::Bound,
            self_contact: false,
            start: Start::Path,
            closed: false,
            twist: 0.0,
        },
    };
    let built = Cable::new("wire", spec).unwrap();
    let Body::Cable(read) = &scene.world.bodies()[0] else { panic!("no cable") };
    assert_eq!(format!("{read:?}"), format!("{built:?}"));
}

#[test]
fn starts_of_cables_are_read() {
    let starts =
        [("path", "Path"), ("equilibrium", "Equilibrium"), ("weightless_equilibrium", "WeightlessEquilibrium")];
    for (word, start) in starts {
        let scene = scene(&format!(
            "{MATERIAL}[[body]]\nname = 'wire'\nmodel = 'cable'\nmaterial = 'm'\nradius = 0.01\n\
             path = [[0, 0, 0], [1, 0, 0]]\nsegments = 7\ncable.start = '{word}'\n\
             [[gripper]]\nname = 'wall'\ngrips = [{{ body = 'wire', at = 'start', orientation = true }}]\n"
        ));
        let Body::Cable(read) = &scene.world.bodies()[0] else { panic!("no cable") };
        assert!(format!("{read:?}").contains(&format!("begins: {start},")), "{word}");
        // its weight bends it, where it has one
        let tip = scene.world.frame().bodies[0].nodes[7].z;
        assert_eq!(tip < -1e-3, word == "equilibrium", "{word}: {tip}");
    }
}

#[test]
fn closed_and_twisted_cables_are_read() {
    let cable = |lines: &str| {
        let text = format!(
            "{MATERIAL}[[body]]\nname = 'wire'\nmodel = 'cable'\nmaterial = 'm'\nradius = 0.01\nsegments = 6\n{lines}"
        );
        format!("{:?}", scene(&text).world.bodies()[0])
    };
    let built = |path: Vec<Vec3>, closed: bool, twist: f64| {
        let material = Material { young: 2e6, poisson: 0.3, density: 1000.0, friction: Friction::NONE };
        let settings = CableSettings { closed, twist, ..CableSettings::default() };
        let (section, rest) = (Section::Round { radius: 0.01 }, Rest::Straight);
        let spec = CableSpec { material, section, path, normal: None, rest, segments: 6, settings };
        format!("{:?}", Body::Cable(Cable::new("wire", spec).unwrap()))
    };
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0)];
    let path = "path = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]\n";
    assert_eq!(cable(&format!("{path}closed = true\n")), built(corners.clone(), true, 0.0));
    assert_eq!(cable(&format!("{path}closed = false\ntwist_deg = 90\n")), built(corners, false, FRAC_PI_2));
    // a hexagon as long as the circle, about a point and an axis; counter-clockwise seen against it
    let side = PI / 3.0 * 0.3;
    let hexagon = |turn: Quat, centre: Vec3| {
        (0..6).map(|i| centre + turn * (Quat::from_rotation_z(f64::from(i) * PI / 3.0) * Vec3::X * side)).collect()
    };
    let near = |a: String, b: String| {
        let numbers = |text: &str| -> Vec<f64> {
            text.split(|c: char| !"0123456789.e-".contains(c)).filter_map(|w| w.parse().ok()).collect()
        };
        let (a, b) = (numbers(&a), numbers(&b));
        assert!(a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + a.abs())));
    };
    near(cable("ring = { radius = 0.3 }\n"), built(hexagon(Quat::IDENTITY, Vec3::ZERO), true, 0.0));
    let turn = Quat::from_rotation_y(FRAC_PI_2);
    near(
        cable("ring = { radius = 0.3, position = [1, 2, 3], axis = [2, 0, 0] }\ntwist_deg = -180\n"),
        built(hexagon(turn, Vec3::new(1.0, 2.0, 3.0)), true, -PI),
    );
}

#[test]
fn sections_and_normals_are_read() {
    let cases = [
        ("hollow = { radius = 0.02, inner = 0.015 }", Section::Hollow { radius: 0.02, inner: 0.015 }),
        ("rectangle = { width = 0.03, height = 0.001 }", Section::Rectangle { width: 0.03, height: 0.001 }),
        (
            "explicit = { radius = 0.01, mass_per_length = 0.2, EA = 100, GA = 50, EI = [0.25, 0.5], GJ = 0.125 }",
            Section::Explicit(Rigidities {
                radius: 0.01,
                mass_per_length: 0.2,
                ea: 100.0,
                ga: 50.0,
                ei: [0.25, 0.5],
                gj: 0.125,
            }),
        ),
    ];
    for (text, section) in cases {
        for (line, normal) in [("", None), ("normal = [1, 2, 0]\n", Some(Vec3::new(1.0, 2.0, 0.0)))] {
            let scene = scene(&format!(
                "{MATERIAL}[[body]]\nname = 'wire'\nmodel = 'cable'\nmaterial = 'm'\nsection = {{ {text} }}\n{line}\
                 path = [[0, 0, 0], [1, 0, 0]]\nsegments = 7\n"
            ));
            let spec = CableSpec {
                material: Material { young: 2e6, poisson: 0.3, density: 1000.0, friction: Friction::NONE },
                section,
                path: vec![Vec3::ZERO, Vec3::X],
                normal,
                rest: Rest::Straight,
                segments: 7,
                settings: CableSettings::default(),
            };
            let built = Cable::new("wire", spec).unwrap();
            let Body::Cable(read) = &scene.world.bodies()[0] else { panic!("no cable") };
            assert_eq!(format!("{read:?}"), format!("{built:?}"));
        }
    }
    // a chain takes what bends alike in all directions
    let text = "duration = 1\n[material.m]\nyoung = 2e6\ndensity = 1000\n[[body]]\nname = 'rod'\nmodel = 'chain'\n\
                material = 'm'\nsection.hollow = { radius = 0.01, inner = 0.005 }\npath = [[0, 0, 0], [1, 0, 0]]\npoints = 11\n";
    assert_same_chain(&scene(text), ChainSpec { section: Section::Hollow { radius: 0.01, inner: 0.005 }, ..spec() });
}

#[test]
fn xpbd_rods_are_read() {
    let scene = scene(&format!(
        "{MATERIAL}[[body]]\nname = 'wire'\nmodel = 'xpbd'\nmaterial = 'm'\nradius = 0.01\n\
         path = [[0, 0, 0], [1, 0, 0]]\nsegments = 7\n\
         [body.xpbd]\niterations = 30\nsubsteps = 4\ndamping_time = 0.25\ndrag = 3\n"
    ));
    let spec = XpbdSpec {
        material: Material { young: 2e6, poisson: 0.3, density: 1000.0, friction: Friction::NONE },
        section: Section::Round { radius: 0.01 },
        path: vec![Vec3::ZERO, Vec3::X],
        segments: 7,
        settings: XpbdSettings { iterations: 30, substeps: 4, damping_time: 0.25, drag: 3.0 },
    };
    let built = Xpbd::new("wire", spec).unwrap();
    let Body::Xpbd(read) = &scene.world.bodies()[0] else { panic!("no rod") };
    assert_eq!(format!("{read:?}"), format!("{built:?}"));
    // 30 sweeps in four equal shares are eight each
    assert_eq!(read.sweeps(), 32);
}

fn elastica_spec() -> ElasticaSpec {
    ElasticaSpec {
        material: Material { young: 2e6, poisson: 0.3, density: 1000.0, friction: Friction::NONE },
        section: Section::Round { radius: 0.01 },
        path: vec![Vec3::ZERO, Vec3::X],
        normal: None,
        rest: Rest::Straight,
        intervals: 20,
        settings: ElasticaSettings::default(),
    }
}

/// Compare with the rod of that specification, alone in a world and settled if it is to be.
fn assert_same_elastica(lines: &str, spec: ElasticaSpec) {
    let scene = scene(&format!(
        "{MATERIAL}[[body]]\nname = 'wire'\nmodel = 'elastica'\nmaterial = 'm'\nradius = 0.01\n\
         path = [[0, 0, 0], [1, 0, 0]]\n{lines}"
    ));
    let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));
    world.add_body(Body::Elastica(Elastica::new("wire", spec).unwrap())).unwrap();
    world.ready().unwrap();
    assert_eq!(format!("{:?}", scene.world.bodies()[0]), format!("{:?}", world.bodies()[0]), "{lines}");
}

#[test]
fn elasticas_are_read() {
    assert_same_elastica("", elastica_spec());
    // where it begins is read in a test of its own: this rod is not held
    let settings = ElasticaSettings {
        integrator: Integrator::Midpoint,
        tolerance: 1e-5,
        start: Start::Path,
        stabilisation: 25.0,
        damping_time: 0.25,
        drag: 3.0,
        contact_stiffness: Some(500.0),
        contact_damping: Some(0.75),
        self_contact: false,
        extensible: true,
        line_load: Vec3::new(0.0, 0.001, -0.002),
        profile: vec![
            Profile { at: 0.25, mass: 1.5, rigidity: 2.0 },
            Profile { at: 0.5, mass: 3.0, rigidity: 4.0 },
            Profile { at: 1.0, mass: 0.5, rigidity: 0.25 },
        ],
        sliders: vec![
            Slider { at: 0.0, through: Some(Vec3::new(0.5, 0.0, 0.01)), along: Vec3::X, aligned: true },
            Slider { at: 1.0, through: None, along: Vec3::new(0.0, 0.0, -1.0), aligned: false },
        ],
    };
    let rest = Rest::Curved { curvature: [0.0, 0.5], twist: 0.0 };
    let spec = ElasticaSpec { normal: Some(Vec3::new(0.0, 2.0, 0.0)), rest, intervals: 7, settings, ..elastica_spec() };
    let table = "normal = [0, 2, 0]\nrest = { curved = { curvature = [0, 0.5], twist = 0 } }\nSIZE\n\
                 [body.elastica]\nintegrator = 'midpoint'\ntolerance = 1e-5\nstart = 'path'\n\
                 stabilisation = 25\ndamping_time = 0.25\ndrag = 3\ncontact_stiffness = 500\n\
                 contact_damping = 0.75\nself_contact = false\nextensible = true\nline_load = [0, 0.001, -0.002]\n\
                 profile = [{ at = 0.25, mass = 1.5, rigidity = 2 }, { at = 0.5, mass = 3, rigidity = 4 }, \
                 { at = 1, mass = 0.5, rigidity = 0.25 }]\n\
                 sliders = [{ at = 0, through = [0.5, 0, 0.01], along = [2, 0, 0], aligned = true }, \
                 { at = 1, along = [0, 0, -1] }]\n";
    for size in ["intervals = 7", "segments = 7", "points = 8"] {
        assert_same_elastica(&table.replace("SIZE", size), spec.clone());
    }
}

#[test]
fn every_word_of_the_elastica_is_read() {
    for (word, integrator) in [("fehlberg", Integrator::Fehlberg), ("midpoint", Integrator::Midpoint)] {
        let settings = ElasticaSettings { integrator, ..ElasticaSettings::default() };
        let spec = ElasticaSpec { settings, ..elastica_spec() };
        assert_same_elastica(&format!("elastica.integrator = '{word}'\n"), spec);
    }
    let starts = [
        ("path", Start::Path),
        ("equilibrium", Start::Equilibrium),
        ("weightless_equilibrium", Start::WeightlessEquilibrium),
    ];
    // in equilibrium on its path, in a lying plane that gravity does not act in; what the search leaves behind tells it from a
    // rod that was not settled. Clamped at its start, where only x is not held, and held in x at its end
    let slider = |at, along| Slider { at, through: None, along, aligned: at == 0.0 };
    for (word, start) in starts {
        let sliders = vec![slider(0.0, Vec3::X), slider(1.0, Vec3::Y)];
        let settings = ElasticaSettings { start, sliders, ..ElasticaSettings::default() };
        let table = format!(
            "elastica = {{ start = '{word}', sliders = [{{ at = 0, along = [1, 0, 0], \
             aligned = true }}, {{ at = 1, along = [0, 1, 0] }}] }}\nnormal = [0, 0, 1]\n"
        );
        assert_same_elastica(&table, ElasticaSpec { normal: Some(Vec3::Z), settings, ..elastica_spec() });
    }
    let path = ElasticaSpec { rest: Rest::Path, ..elastica_spec() };
    assert_same_elastica("rest = { path = {} }\n", path);
}

#[test]
fn a_chain_takes_no_torque() {
    let rod = "[[body]]\nname = 'rod'\nmodel = 'MODEL'\nmaterial = 'm'\nradius = 0.01\npath = [[0, 0, 0], [1, 0, 0]]\n";
    let load = "[[load]]\nbody = 'rod'\nat = 'end'\ntorque = [1, 2, 3]\n";
    let text = |model| format!("{MATERIAL}{}{load}", rod.replace("MODEL", model));
    assert_eq!(scene(&text("cable")).world.loads().next().unwrap().1.torque, Vec3::new(1.0, 2.0, 3.0));
    let error = parse(&text("chain"), "s.toml", Path::new("."), &[]).unwrap_err().to_string();
    assert!(error.contains("takes no torque"), "{error}");
}

#[test]
fn loads_are_read() {
    let scene = with_rod(
        "[[load]]\nbody = 'rod'\nat = 'end'\nforce = [1, -2, 3.5]\nfrom = 0.25\nuntil = 4\nrise = 1.5\nfall = 0.5\n\
         [[load]]\nbody = 'rod'\nat = { node = 2 }\nforce = [0, 0, -1]\n",
    );
    let force = Vec3::new(1.0, -2.0, 3.5);
    let torque = Vec3::ZERO;
    let first = Load {
        body: scene.world.body_at(0).unwrap(),
        place: Place::Fraction(1.0),
        force,
        torque,
        from: 0.25,
        until: 4.0,
        rise: 1.5,
        fall: 0.5,
    };
    let second = Load { torque, ..Load::new(scene.world.body_at(0).unwrap(), Place::Node(2), -Vec3::Z) };
    assert_eq!(scene.world.loads().map(|(_, load)| *load).collect::<Vec<_>>(), [first, second]);
}

#[test]
fn the_schema_beside_the_scenes_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/scene.schema.json");
    let written: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(written == pliant_scene::schema(), "write it anew: pliant schema > scenes/scene.schema.json");
}

#[test]
fn the_schema_describes_every_field() {
    let schema = pliant_scene::schema();
    let mut fields = 0;
    let mut pending = vec![(String::new(), &schema)];
    while let Some((path, value)) = pending.pop() {
        match value {
            serde_json::Value::Object(map) => {
                if let Some(serde_json::Value::Object(properties)) = map.get("properties") {
                    for (name, field) in properties {
                        fields += 1;
                        // a choice such as { sphere = … } is described by its variant
                        let described = field.get("description").is_some() || map.get("description").is_some();
                        assert!(described, "{path}.{name} has no description");
                        if let Some(unit) = field.get("unit").and_then(|u| u.as_str()) {
                            let text = field.get("description").and_then(|d| d.as_str()).unwrap_or_default();
                            let named = text.contains(&format!("[{unit}")) || unit.contains("quantity");
                            assert!(named || unit == "segments", "{path}.{name}: {text} does not name {unit}");
                        }
                    }
                }
                pending.extend(map.iter().map(|(key, value)| (format!("{path}.{key}"), value)));
            }
            serde_json::Value::Array(items) => pending.extend(items.iter().map(|item| (path.clone(), item))),
            _ => {}
        }
    }
    assert!(fields > 90, "{fields}");
    let young = schema.pointer("/$defs/MaterialSpec/properties/young").unwrap();
    assert_eq!((&young["minimum"], &young["maximum"], &young["unit"]), (&1.0.into(), &1e13.into(), &"Pa".into()));
    let body = schema.pointer("/$defs/BodySpec").unwrap();
    assert_eq!(body["additionalProperties"], false);
    assert_eq!(body["required"], serde_json::json!(["name", "model", "material"]));
}

#[test]
fn obstacles_that_hands_may_move_are_known_by_name() {
    let obstacle =
        |name: &str, more: &str| format!("[[obstacle]]\nname = '{name}'\nshape = {{ plane = {{}} }}\n{more}\n");
    let text =
        ["duration = 1\n", &obstacle("a", ""), &obstacle("b", "hand = true"), &obstacle("c", "hand = false")].concat();
    assert_eq!(scene(&text).movable, ["b"]);
}
