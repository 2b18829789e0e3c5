//! Where rods of the model `elastica` begin: on their paths, in equilibrium, or not at all.
#![allow(clippy::unwrap_used)]

use pliant::elastica::{Elastica, ElasticaSettings, ElasticaSpec};
use pliant::math::{Pose, Vec3};
use pliant::motion::Motion;
use pliant::{Body, Friction, GripParams, GripperParams, Hold, Material, Place, Rigidities, Section, World};

/// A rod through places of the upright plane, of EI = 1 N m2 and 1 kg/m.
fn spec(path: &[[f64; 2]], intervals: usize, radius: f64) -> ElasticaSpec {
    let material = Material { young: 1e9, poisson: 0.3, density: 1000.0, friction: Friction::NONE };
    let given = Rigidities { radius, mass_per_length: 1.0, ea: 1e8, ga: 1e8, ei: [1.0, 1.0], gj: 1.0 };
    ElasticaSpec {
        material,
        section: Section::Explicit(given),
        path: path.iter().map(|[x, z]| Vec3::new(*x, 0.0, *z)).collect(),
        normal: None,
        rest: pliant::Rest::Straight,
        intervals,
        settings: ElasticaSettings::default(),
    }
}

fn world_of(spec: ElasticaSpec, gravity: f64) -> World {
    let mut world = World::new(Vec3::Z * -gravity);
    world.add_body(Body::Elastica(Elastica::new("rod", spec).unwrap())).unwrap();
    world
}

/// Both ends where the path has them, whatever its corners; in the direction that it has there.
#[test]
fn a_rod_ends_where_its_path_ends() {
    let paths: [&[[f64; 2]]; 5] = [
        &[[0.0, 0.0], [0.15, -0.47696960070847283], [0.3, 0.0]],
        &[[0.0, 0.0], [0.4, 0.0], [0.4, 0.3]],
        &[[0.0, 0.0], [0.3, 0.0], [0.05, 0.02], [0.4, 0.05]],
        &[[0.0, 0.0], [0.2, 0.0], [0.2, 0.2], [0.0, 0.2], [0.0, 0.05]],
        &[[0.0, 0.0], [0.5, 0.0], [1.0, 1e-6]],
    ];
    for path in paths {
        for intervals in [4, 7, 20, 161] {
            let world = world_of(spec(path, intervals, 1e-3), 0.0);
            let [x, z] = path[path.len() - 1];
            let off = (world.frame().bodies[0].nodes[intervals] - Vec3::new(x, 0.0, z)).length();
            assert!(off < 1e-12, "{off:e} m beside the end of {path:?} with {intervals} intervals");
        }
        // of twenty intervals or more a few are straight at either end
        let world = world_of(spec(path, 161, 1e-3), 0.0);
        for (at, [from, to]) in [(0.0, [path[0], path[1]]), (1.0, [path[path.len() - 2], path[path.len() - 1]])] {
            let pose = world.bodies()[0].place_pose(Place::Fraction(at)).unwrap();
            let along = Vec3::new(to[0] - from[0], 0.0, to[1] - from[1]).normalize();
            let turned = (pose.rotation * Vec3::X).cross(along).length();
            assert!(turned < 1e-9, "{path:?} at {at}: turned by {turned:e}");
        }
    }
    // a straight one is not touched, and one of a single interval that cannot is refused
    let world = world_of(spec(&[[0.0, 0.0], [0.3, 0.4]], 10, 1e-3), 0.0);
    assert!((world.frame().bodies[0].nodes[10] - Vec3::new(0.3, 0.0, 0.4)).length() < 1e-15);
    let cornered = spec(&[[0.0, 0.0], [0.1, 0.5], [0.2, 0.0]], 1, 1e-3);
    if let Err(error) = Elastica::new("rod", cornered) {
        assert!(error.to_string().contains("more intervals"), "{error}");
    }
}

/// A weightless rod of 1 m with its ends clamped level, 0.3 m apart, and the force between them, from a path.
fn arch(path: &[[f64; 2]]) -> f64 {
    let mut spec = spec(path, 160, 1e-3);
    spec.settings.self_contact = false;
    let mut world = world_of(spec, 0.0);
    for (name, x, at) in [("a", 0.0, 0.0), ("b", 0.3, 1.0)] {
        let placed = Pose::from_translation(Vec3::X * x);
        let gripper = world.add_gripper(GripperParams { name: name.into(), placed, motion: Motion::Hold }).unwrap();
        let grip = GripParams::new(gripper, world.body_at(0).unwrap(), Place::Fraction(at), Hold::Clamp);
        world.add_grip(GripParams { snap: true, ..grip }).unwrap();
    }
    let settled = world.settle(world.body_at(0).unwrap()).unwrap();
    assert!(settled.balanced && settled.falling == 0, "{settled:?}");
    world.step(1e-6).unwrap();
    world.grippers()[0].load.force.length()
}

/// From an arc that stands 134 degrees off its clamps as from a path with a corner: the elastica of the textbooks, whose thrust
/// is 62.532 EI/L2 (`references/`); 160 intervals are off by (62.568 - 62.532)/4, that of 80.
#[test]
fn an_arch_is_found_from_a_fine_arc() {
    let turn = 2.339_f64;
    let radius = 0.5 / turn;
    let arc: Vec<[f64; 2]> = (0..=200)
        .map(|k| {
            let a = turn * (f64::from(k) / 100.0 - 1.0);
            // its ends are less than 0.3 m apart: clamps have to draw it out and turn it
            [0.15 + radius * a.sin(), radius * (a.cos() - turn.cos())]
        })
        .collect();
    let peak = (0.25_f64 - 0.15 * 0.15).sqrt();
    let [smooth, cornered] = [arch(&arc), arch(&[[0.0, 0.0], [0.15, peak], [0.3, 0.0]])];
    for thrust in [smooth, cornered] {
        assert!((thrust - 62.532).abs() < 0.012, "{smooth} {cornered}");
    }
    // the length of the polyline is below that of its arc by 1 / (24 200^2) of the square of its turn
    assert!((smooth / cornered - 1.0).abs() < 1e-4, "{smooth} {cornered}");
}

/// A rod that lies across itself has no side to leave to; one folded too tightly is given up soon, with the reason.
#[test]
fn a_rod_folded_into_itself_is_told() {
    let across = [[0.0, 0.0], [0.3, 0.0], [0.3, 0.2], [0.1, 0.2], [0.1, -0.2]];
    let error = world_of(spec(&across, 60, 5e-3), 9.81).ready().unwrap_err().to_string();
    assert!(error.contains("rod begins inside rod") && error.contains("Move one"), "{error}");
    let mut without = spec(&across, 60, 5e-3);
    without.settings.self_contact = false;
    world_of(without, 9.81).ready().unwrap();

    let folded = [[-0.123, 0.003], [-0.150, 0.293], [-0.189, 0.025], [-0.125, 0.168]];
    let mut soft = spec(&folded, 20, 0.02);
    soft.section = Section::Round { radius: 0.02 };
    soft.material = Material { young: 1.6e5, density: 77.0, ..soft.material };
    let mut world = world_of(soft, 9.81);
    world.ready().unwrap();
    let error = world.step(0.01).unwrap_err().to_string();
    assert!(error.contains("presses on itself"), "{error}");
    let Body::Elastica(rod) = &world.bodies()[0] else { panic!() };
    // its waves ask for some hundred evaluations
    assert!(rod.counters().iterations < 15_000, "{}", rod.counters().iterations);
}
