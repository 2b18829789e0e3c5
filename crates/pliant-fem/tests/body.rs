//! Bodies of the model `response` against finite elements and closed forms.
#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;

use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::{Motion, Window};
use pliant::response::{Basis, Compliance, Damping, Hull, Known, Response, ResponseSettings, ResponseSpec};
use pliant::{Body, Friction, GripParams, GripperParams, Hold, Place, World};
use pliant_fem::{Elastic, MassKind, Model, Modes, ModesParams, Order, TetMesh, solve_static};

const SIDE: f64 = 0.1;

fn elastic(poisson: f64) -> Elastic {
    Elastic { young: 2000.0, poisson, density: 110.0 }
}

/// A cube with all its modes found, of which some are used: the whole compliance as a sum over all of them.
fn known(cells: usize, poisson: f64, used: usize, full: bool) -> (Model, Basis) {
    let mesh = TetMesh::cube(cells, SIDE).unwrap();
    let model = Model::new(&mesh, &elastic(poisson), Order::Linear, MassKind::Consistent).unwrap();
    let all = model.unknowns() - 6;
    let params = ModesParams { count: all, ..ModesParams::default() };
    let modes = Modes::new(&model, &params, &mut |_| ControlFlow::Continue(())).unwrap();
    let rigid = model.rigid();
    let surface = model.surface();
    let nodes: Vec<Vec3> = surface.nodes.iter().map(|n| model.nodes()[*n]).collect();
    let place = |n: usize| surface.nodes.binary_search(&n).unwrap() as u32;
    let facets = surface.facets.iter().map(|f| f.map(place)).collect();
    let hull = Hull { nodes, facets, mass: rigid.mass, centre: rigid.centre, inertia: rigid.inertia };
    let unknowns: Vec<usize> = surface.nodes.iter().flat_map(|n| [3 * n, 3 * n + 1, 3 * n + 2]).collect();
    let entry = |i: usize, j: usize| -> f64 {
        (0..all).map(|k| modes.shape(k)[unknowns[i]] * modes.shape(k)[unknowns[j]] / modes.squares()[k]).sum()
    };
    let size = unknowns.len();
    let compliance = if full {
        Compliance::Full(
            (0..size).flat_map(|i| (0..=i).map(move |j| (i, j))).map(|(i, j)| entry(i, j)).collect::<Vec<_>>().into(),
        )
    } else {
        let nine = |n: usize| (0..9).map(move |k| (3 * n + k / 3, 3 * n + k % 3));
        Compliance::Local((0..size / 3).flat_map(nine).map(|(i, j)| entry(i, j)).collect::<Vec<_>>().into())
    };
    let used = used.min(all);
    let shapes: Vec<f64> = unknowns.iter().flat_map(|u| (0..used).map(|k| modes.shape(k)[*u])).collect();
    let moments = (0..used)
        .map(|k| {
            let momenta = model.momenta(modes.shape(k)).unwrap();
            let mut s = [[0.0; 3]; 3];
            for (n, at) in model.nodes().iter().enumerate() {
                let arm = (*at - rigid.centre).to_array();
                for i in 0..3 {
                    for j in 0..3 {
                        s[i][j] += momenta[3 * n + i] * arm[j];
                    }
                }
            }
            s
        })
        .collect();
    let squares = modes.squares()[..used].to_vec();
    (model, Basis { hull, squares, shapes: shapes.into(), moments, compliance })
}

fn body(basis: Basis, damping: Damping, sample: f64, placed: Pose, spin: Vec3) -> Body {
    let spec = ResponseSpec {
        solid: Known::Modes(basis),
        friction: Friction::NONE,
        placed,
        velocity: Vec3::ZERO,
        spin,
        settings: ResponseSettings { damping, sample, ..ResponseSettings::default() },
    };
    Body::Response(Response::new("cube", spec).unwrap())
}

const UNDAMPED: Damping = Damping::Rayleigh { mass: 0.0, stiffness: 0.0 };

fn plane(name: &str, at: Vec3, normal: Vec3, motion: Motion, friction: f64) -> ObstacleParams {
    let placed = Pose::from_parts(at, Quat::from_rotation_arc(Vec3::Z, normal));
    let friction = Some(Friction { coefficient: friction, exponent: 1.0 });
    ObstacleParams { name: name.into(), shape: Shape::new(ShapeKind::Plane).unwrap(), placed, motion, friction }
}

fn response(world: &World) -> &Response {
    match &world.bodies()[0] {
        Body::Response(response) => response,
        _ => panic!(),
    }
}

/// Where the cube begins so that its lowest face is at a height.
fn low(basis: &Basis, height: f64) -> Pose {
    let bottom = basis.hull.nodes.iter().map(|n| n.z).fold(f64::INFINITY, f64::min);
    Pose::from_translation(Vec3::Z * (height - bottom))
}

#[test]
fn flat_drop_is_that_of_a_bar() {
    for used in [40, 80, 200] {
        let (_, basis) = known(4, 0.0, used, true);
        let placed = low(&basis, 0.0049);
        let (speed, step) = (0.5, 5e-4);
        let mut world = World::new(Vec3::ZERO);
        world.add_obstacle(plane("floor", Vec3::ZERO, Vec3::Z, Motion::Hold, 0.0)).unwrap();
        let spec = ResponseSpec {
            solid: Known::Modes(basis),
            friction: Friction::NONE,
            placed,
            velocity: Vec3::Z * -speed,
            spin: Vec3::ZERO,
            settings: ResponseSettings { damping: UNDAMPED, sample: step, ..ResponseSettings::default() },
        };
        world.add_body(Body::Response(Response::new("cube", spec).unwrap())).unwrap();
        let mass = response(&world).mass();
        let mut energy = f64::INFINITY;
        let (mut impulse, mut contact, mut gain): (f64, f64, f64) = (0.0, 0.0, 0.0);
        let mut trace = String::new();
        for n in 0..240 {
            world.step(step).unwrap();
            let frame = world.frame();
            let force: f64 = frame.contacts.iter().map(|c| c.force.z).sum();
            impulse += force * step;
            contact += if force > 0.0 { step } else { 0.0 };
            let now = frame.bodies[0].energy.total();
            gain = gain.max(now - energy);
            energy = now;
            if n % 8 == 0 {
                trace += &format!("{:.2} ", force / speed);
            }
        }
        let v = response(&world).motion().velocity.z;
        println!(
            "{used}: contact {:.2} ms impulse/mv {:.4} e {:.4} gain {gain:.2e} of {:.2e} sweeps {} of {} limit {}\n {trace}",
            contact * 1e3,
            impulse / (mass * speed),
            v / speed,
            0.5 * mass * speed * speed,
            response(&world).counters().sweeps,
            response(&world).counters().steps,
            response(&world).counters().limit_hits,
        );
    }
}

#[test]
fn plates_press_with_the_stiffness_of_the_solid() {
    for poisson in [0.0, 0.3, 0.49] {
        for full in [true, false] {
            let (_, basis) = known(4, poisson, 120, full);
            let placed = low(&basis, 0.0);
            let mut world = World::new(Vec3::ZERO);
            let down = Motion::Glide {
                velocity: Vec3::Z * -0.01,
                acceleration: Vec3::ZERO,
                window: Window { start: 0.0, end: 0.1 },
            };
            world.add_obstacle(plane("floor", Vec3::ZERO, Vec3::Z, Motion::Hold, 0.0)).unwrap();
            world.add_obstacle(plane("plate", Vec3::Z * SIDE, -Vec3::Z, down, 0.0)).unwrap();
            let damping = Damping::Rayleigh { mass: 20.0, stiffness: 1e-3 };
            world.add_body(body(basis, damping, 1e-3, placed, Vec3::ZERO)).unwrap();
            for _ in 0..1500 {
                world.step(1e-3).unwrap();
            }
            let frame = world.frame();
            let force: f64 = frame.contacts.iter().map(|c| c.force.z).filter(|f| *f > 0.0).sum();
            println!(
                "nu {poisson} full {full}: {} N/m, {} contacts, sweeps {} limit {}",
                force / 1e-3,
                frame.contacts.len(),
                response(&world).counters().sweeps,
                response(&world).counters().limit_hits
            );
        }
    }
}

#[test]
fn bonded_plates_are_those_of_finite_elements() {
    let (model, basis) = known(4, 0.3, 120, true);
    let placed = low(&basis, 0.0);
    let nodes = model.nodes();
    let bottom = nodes.iter().map(|n| n.z).fold(f64::INFINITY, f64::min);
    let mut prescribed = vec![];
    for (n, at) in nodes.iter().enumerate() {
        let height = at.z - bottom;
        if !(1e-9..=SIDE - 1e-9).contains(&height) {
            let z = if height > 0.5 * SIDE { -1e-3 } else { 0.0 };
            prescribed.extend([(3 * n, 0.0), (3 * n + 1, 0.0), (3 * n + 2, z)]);
        }
    }
    let solved = solve_static(&model, &prescribed, &vec![0.0; model.unknowns()]).unwrap();
    let expected: f64 =
        prescribed.iter().filter(|(_, u)| *u != 0.0).map(|(n, _)| -solved.reactions[*n]).sum::<f64>() / 1e-3;
    let mut world = World::new(Vec3::ZERO);
    let down =
        Motion::Glide { velocity: Vec3::Z * -0.01, acceleration: Vec3::ZERO, window: Window { start: 0.0, end: 0.1 } };
    let gripper = |name: &str, z: f64, motion| GripperParams {
        name: name.into(),
        placed: Pose::from_translation(Vec3::Z * z),
        motion,
    };
    world.add_body(body(basis, Damping::Rayleigh { mass: 20.0, stiffness: 1e-3 }, 1e-3, placed, Vec3::ZERO)).unwrap();
    world.add_gripper(gripper("low", 0.0, Motion::Hold)).unwrap();
    world.add_gripper(gripper("high", SIDE, down)).unwrap();
    for (gripper, z) in [(0, 0.0), (1, SIDE)] {
        let (low, high) = (Vec3::new(-1.0, -1.0, z - 1e-6), Vec3::new(1.0, 1.0, z + 1e-6));
        world
            .add_grip(GripParams {
                gripper,
                body: 0,
                place: Place::Box { low, high },
                hold: Hold::Position,
                from: 0.0,
                until: f64::INFINITY,
                snap: false,
            })
            .unwrap();
    }
    for _ in 0..1500 {
        world.step(1e-3).unwrap();
    }
    let frame = world.frame();
    println!(
        "bonded {} {} expected {expected}, sweeps {} limit {}",
        frame.grippers[0].load.force / 1e-3,
        frame.grippers[1].load.force / 1e-3,
        response(&world).counters().sweeps,
        response(&world).counters().limit_hits
    );
}
