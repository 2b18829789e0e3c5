//! The model `elastica` against closed forms and an independent solution of the same equations.
#![allow(clippy::unwrap_used)]

use pliant::elastica::{Elastica, ElasticaSettings, ElasticaSpec, Integrator};
use pliant::math::{Pose, Vec3};
use pliant::motion::Motion;
use pliant::{Body, Friction, GripParams, GripperParams, Hold, Material, Place, Rigidities, Section, World};

const GRAVITY: f64 = 9.81;

/// A rod of given rigidity and mass per length.
fn spec(path: Vec<Vec3>, intervals: usize, ei: f64, mass_per_length: f64) -> ElasticaSpec {
    let material = Material { young: 1e9, poisson: 0.3, density: 1000.0, friction: Friction::NONE };
    let given = Rigidities { radius: 1e-4, mass_per_length, ea: 1e6, ga: 1e6, ei: [ei, ei], gj: ei };
    ElasticaSpec {
        material,
        section: Section::Explicit(given),
        path,
        normal: None,
        rest: pliant::cable::Rest::Straight,
        intervals,
        settings: ElasticaSettings::default(),
    }
}

fn held(world: &mut World, at: f64, hold: Hold) -> usize {
    let place = Place::Fraction(at);
    let pose = world.bodies()[0].place_pose(place).unwrap();
    let name = format!("hand {at}");
    let gripper = world.add_gripper(GripperParams { name, placed: pose, motion: Motion::Hold }).unwrap();
    let grip = GripParams { gripper, body: 0, place, hold, from: 0.0, until: f64::INFINITY, snap: false };
    world.add_grip(grip).unwrap()
}

fn world_of(spec: ElasticaSpec) -> World {
    let mut world = World::new(Vec3::Z * -GRAVITY);
    world.add_body(Body::Elastica(Elastica::new("rod", spec).unwrap())).unwrap();
    world
}

fn run(world: &mut World, until: f64, dt: f64) {
    while world.time() < until - 0.5 * dt {
        world.step(dt).unwrap();
    }
}

/// Fig. 4 of the paper without its obstacle, solved elsewhere from the printed equations.
#[test]
fn a_swinging_rod_is_that_of_the_printed_equations() {
    for integrator in [Integrator::Fehlberg, Integrator::Midpoint] {
        let mut spec = spec(vec![Vec3::ZERO, Vec3::X * -1.0], 10, 0.1, 1.0);
        spec.settings.integrator = integrator;
        let mut world = world_of(spec);
        held(&mut world, 0.0, Hold::Position);
        let start = world.frame().bodies[0].energy.total();
        let known = [
            (0.1, [-0.9944778185777545, -0.048945748944053034]),
            (0.2, [-0.9467098934308609, -0.1863278038165363]),
            (0.3, [-0.807481219408233, -0.44310545319493366]),
            (0.5, [0.19934310486623535, -0.9479387898663216]),
        ];
        for (time, [x, z]) in known {
            run(&mut world, time, 5e-4);
            let frame = world.frame();
            let tip = frame.bodies[0].nodes[10];
            let off = (tip - Vec3::new(x, 0.0, z)).length();
            println!("{integrator:?} {time}: {off:e} energy {:e}", frame.bodies[0].energy.total() - start);
        }
    }
}

/// Fig. 3: both ends held level, the right one moved; the start is in equilibrium.
#[test]
fn a_pushed_arch_is_that_of_the_printed_equations() {
    let path = [[0.0, 0.0], [0.3, 0.4], [0.6, 0.0]].map(|[x, z]| Vec3::new(x, 0.0, z)).to_vec();
    let mut spec = spec(path, 10, 10.0, 10.0);
    spec.settings.tolerance = 1e-9;
    let mut world = world_of(spec);
    for (name, x, motion) in [
        ("left", 0.0, Motion::Hold),
        (
            "right",
            0.6,
            Motion::Glide {
                velocity: Vec3::X * -3.0,
                acceleration: Vec3::ZERO,
                window: pliant::motion::Window { start: 0.0, end: 0.1 },
            },
        ),
    ] {
        let placed = Pose::from_translation(Vec3::X * x);
        let gripper = world.add_gripper(GripperParams { name: name.into(), placed, motion }).unwrap();
        let place = Place::Fraction(if x == 0.0 { 0.0 } else { 1.0 });
        let (hold, until) = (Hold::Clamp, f64::INFINITY);
        world.add_grip(GripParams { gripper, body: 0, place, hold, from: 0.0, until, snap: true }).unwrap();
    }
    let settled = world.settle(0).unwrap();
    println!("{settled:?}");
    let known = [
        (0.0, [0.3, 0.3475799691492425]),
        (0.03, [0.27994805160628333, 0.3647234322044352]),
        (0.06, [0.23703883566945272, 0.3812965112856662]),
        (0.12, [0.08042132912459712, 0.38561739462088124]),
        (0.18, [0.09567044376737213, 0.3931391724682769]),
    ];
    for (time, [x, z]) in known {
        run(&mut world, time, 1e-3);
        let frame = world.frame();
        let off = (frame.bodies[0].nodes[5] - Vec3::new(x, 0.0, z)).length();
        println!("{time}: {off:e} {:?}", world.grippers()[1].load.force);
    }
}
