//! Bodies of the model `response` that are held in place, as soft pads on a table are: against finite elements and closed forms.
#![allow(clippy::unwrap_used)]

#[path = "../../pliant/tests/common/mod.rs"]
mod counting;

use std::f64::consts::PI;
use std::ops::ControlFlow;

use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::{Drive, Motion, Window};
use pliant::response::{Basis, Damping, Known, Records, Response, ResponseSettings, ResponseSpec};
use pliant::{Body, FingerParams, Friction, GripParams, GripperId, GripperParams, Hold, Load, Place, World};
use pliant_fem::{
    Elastic, MassKind, Model, Order, Recipe, Sampling, TableRecipe, TetMesh, Timing, nodes_within, solve_static,
};

const STEP: f64 = 2e-3;
const SIZE: Vec3 = Vec3::new(0.08, 0.06, 0.03);
const FOAM: Elastic = Elastic { young: 2000.0, poisson: 0.4, density: 110.0 };
const RADIUS: f64 = 0.006;
const DAMPED: Damping = Damping::Rayleigh { mass: 80.0, stiffness: 2e-3 };
const LOSSLESS: Damping = Damping::Rayleigh { mass: 0.0, stiffness: 0.0 };

/// Nodes of a mesh in the plane where an axis is at a value.
fn plane_nodes(mesh: &TetMesh, order: Order, axis: Vec3, value: f64) -> Vec<usize> {
    let wide = (Vec3::ONE - axis) * 9.0;
    nodes_within(mesh, order, axis * value - wide, axis * value + wide)
}

/// Modes of a block whose lower face is held.
fn recipe(cells: [usize; 3], order: Order, size: Vec3, elastic: Elastic, modes: usize) -> Recipe {
    let mesh = TetMesh::block(cells, size).unwrap();
    let fixed = plane_nodes(&mesh, order, Vec3::Z, 0.0);
    Recipe { order, fixed, ..Recipe::new(mesh, elastic, modes) }
}

fn computed(recipe: &Recipe) -> Basis {
    recipe.compute(1, &mut |_| ControlFlow::Continue(())).unwrap()
}

fn pad() -> Basis {
    computed(&recipe([6, 5, 2], Order::Linear, SIZE, FOAM, 60))
}

fn spec(solid: Known, damping: Damping) -> ResponseSpec {
    ResponseSpec {
        solid,
        friction: Friction::NONE,
        placed: Pose::IDENTITY,
        velocity: Vec3::ZERO,
        spin: Vec3::ZERO,
        settings: ResponseSettings { damping, sample: STEP, ..ResponseSettings::default() },
    }
}

/// A world with gravity, which such a body does not feel.
fn world_of(spec: ResponseSpec) -> World {
    let mut world = World::new(Vec3::Z * -9.81);
    world.add_body(Body::Response(Response::new("pad", spec).unwrap())).unwrap();
    world
}

fn response(world: &World) -> &Response {
    match &world.bodies()[0] {
        Body::Response(response) => response,
        _ => panic!(),
    }
}

fn energy(world: &World) -> f64 {
    response(world).energy(Vec3::ZERO).total()
}

fn surface(world: &World) -> Vec<Vec3> {
    let mut places = vec![];
    response(world).write_surface(&mut places);
    places
}

fn finger(world: &mut World, at: Vec3, friction: f64) -> GripperId {
    let params = GripperParams { name: "finger".into(), placed: Pose::from_translation(at), motion: Motion::Hold };
    let gripper = world.add_gripper(params).unwrap();
    let friction = Some(Friction { coefficient: friction, exponent: 1.0 });
    world.add_finger(FingerParams { gripper, radius: RADIUS, friction }).unwrap();
    gripper
}

fn lead(world: &mut World, finger: GripperId, to: Vec3) {
    world.drive(finger, Drive::Pose(Pose::from_translation(to))).unwrap();
    world.step(STEP).unwrap();
}

fn load_on(world: &World, finger: GripperId) -> Vec3 {
    world.gripper(finger).unwrap().load.force
}

fn slab(world: &mut World, at: Vec3, normal: Vec3, motion: Motion) {
    let placed = Pose::from_parts(at, Quat::from_rotation_arc(Vec3::Z, normal));
    let (name, shape) = (format!("slab {}", world.obstacles().len()), Shape::new(ShapeKind::Plane).unwrap());
    let friction = Some(Friction::NONE);
    world.add_obstacle(ObstacleParams { name, shape, placed, motion, friction }).unwrap();
}

fn face(z: f64) -> Place {
    Place::Box { low: Vec3::new(-1.0, -1.0, z - 1e-6), high: Vec3::new(1.0, 1.0, z + 1e-6) }
}

/// What is held is part of the recipe: what holds nothing, everything, or lets it turn is told.
#[test]
fn a_recipe_that_does_not_hold_it_is_refused() {
    let sound = recipe([2, 2, 1], Order::Linear, SIZE, FOAM, 5);
    let refused = |fixed: Vec<usize>| {
        let recipe = Recipe { fixed, ..sound.clone() };
        let found = recipe.compute(1, &mut |_| ControlFlow::Continue(())).map(|_| ()).unwrap_err();
        (recipe.check().is_err(), found.to_string())
    };
    let (told, why) = refused(vec![0, 1, 2]);
    assert!(!told && why.contains("can still move or turn"), "a line: {why}");
    assert!(refused((0..18).collect()).0, "all");
    assert!(refused(vec![0, 1, 100]).0, "none of its own");
    assert!(sound.check().is_ok());
    let most = Recipe { modes: 28, ..sound.clone() }.check().unwrap_err().to_string();
    assert!(most.contains("this mesh has only 27"), "{most}");
}

/// A third of the area of each facet of the upper face, at each of its corners, as a part of the whole: linear elements
/// under uniform pressure.
fn parts_of_the_top(basis: &Basis, top: f64) -> Vec<f64> {
    let hull = &basis.hull;
    let mut parts = vec![0.0; hull.nodes.len()];
    for facet in &hull.facets {
        let [a, b, c] = facet.map(|node| hull.nodes[node as usize]);
        if [a, b, c].iter().all(|at| at.z > top - 1e-9) {
            facet.iter().for_each(|node| parts[*node as usize] += (b - a).cross(c - a).length() / 6.0);
        }
    }
    let whole: f64 = parts.iter().sum();
    parts.iter().map(|part| part / whole).collect()
}

/// At rest it has the shape that finite elements find for the same forces, whatever the number of modes.
#[test]
fn a_load_deforms_it_as_finite_elements_tell() {
    let force = Vec3::new(0.05, -0.02, -0.1);
    for (order, cells, full) in
        [(Order::Linear, [4, 3, 2], true), (Order::Linear, [3, 2, 1], false), (Order::Quadratic, [2, 2, 1], true)]
    {
        let mut recipe = recipe(cells, order, SIZE, FOAM, 12);
        let model = Model::new(&recipe.mesh, &FOAM, order, MassKind::Consistent).unwrap().fix(&recipe.fixed).unwrap();
        if !full {
            // nodes know of each other by modes only, so all of them
            (recipe.full_nodes, recipe.modes) = (0, model.deformations());
        }
        let basis = computed(&recipe);
        let parts = parts_of_the_top(&basis, SIZE.z);
        let mut forces = vec![0.0; model.unknowns()];
        for (node, part) in model.surface().nodes.iter().zip(&parts) {
            forces[3 * node..3 * node + 3].copy_from_slice(&(force * *part).to_array());
        }
        let expected = solve_static(&model, &[], &forces).unwrap().displacements;
        let largest = expected.iter().fold(0.0f64, |most, u| most.max(u.abs()));
        let mut spec = spec(Known::Modes(basis), DAMPED);
        // steps that resolve all modes, where these must tell everything
        spec.settings.sample = if full { STEP } else { 2e-4 };
        let mut world = world_of(spec);
        world.add_load(Load::new(world.body_at(0).unwrap(), face(SIZE.z), force)).unwrap();
        (0..400).for_each(|_| world.step(STEP).unwrap());
        assert!(response(&world).modes() + 3 >= if full { 12 } else { model.deformations() });
        for (node, place) in model.surface().nodes.iter().zip(surface(&world)) {
            let wanted = Vec3::from_slice(&expected[3 * node..]);
            let off = (place - model.nodes()[*node] - wanted).length();
            assert!(off < 1e-6 * largest, "{order:?} full {full} node {node}: off by {off:.1e} of {largest:.1e} m");
        }
    }
}

/// A finger feels what finite elements tell of a force spread over the corners of its facet.
#[test]
fn a_finger_feels_the_stiffness_of_finite_elements() {
    let recipe = recipe([4, 4, 2], Order::Linear, SIZE, FOAM, 20);
    let model = Model::new(&recipe.mesh, &FOAM, recipe.order, recipe.mass).unwrap().fix(&recipe.fixed).unwrap();
    let mut world = world_of(spec(Known::Modes(computed(&recipe)), DAMPED));
    // over a node, where all of the force goes: pressed straight in by 2 mm
    let node = (0..model.nodes().len())
        .find(|n| (model.nodes()[*n] - Vec3::new(0.5 * SIZE.x, 0.5 * SIZE.y, SIZE.z)).length() < 1e-9)
        .unwrap();
    let (at, depth) = (model.nodes()[node] + Vec3::Z * RADIUS, 2e-3);
    // rough, so that it stays on the node
    let finger = finger(&mut world, at, 5.0);
    for n in 1..=600 {
        lead(&mut world, finger, at - Vec3::Z * (depth * (f64::from(n) / 100.0).min(1.0)));
    }
    let prescribed: Vec<(usize, f64)> = vec![(3 * node, 0.0), (3 * node + 1, 0.0), (3 * node + 2, -depth)];
    let solved = solve_static(&model, &prescribed, &vec![0.0; model.unknowns()]).unwrap();
    let expected = -Vec3::from_slice(&solved.reactions[3 * node..]);
    let found = load_on(&world, finger);
    assert!((found - expected).length() < 1e-4 * expected.length(), "{found} N for {expected} N");
}

/// A wide layer under pressure p on a rigid base is compressed by p h / M, with M = E (1 - nu) / ((1 + nu) (1 - 2 nu)): far
/// from its sides it cannot give way sideways. Uniform strain is exact with linear elements; what the sides add has died out.
#[test]
fn a_wide_layer_gives_way_by_the_constrained_modulus() {
    let (height, width, elastic) = (5e-3, 0.1, Elastic { poisson: 0.3, ..FOAM });
    let modulus = elastic.young * (1.0 - elastic.poisson) / ((1.0 + elastic.poisson) * (1.0 - 2.0 * elastic.poisson));
    let cells = 16;
    let basis = computed(&recipe([cells, cells, 1], Order::Linear, Vec3::new(width, width, height), elastic, 20));
    let middle = Vec3::new(0.5 * width, 0.5 * width, height);
    let node = (0..basis.hull.nodes.len()).find(|n| (basis.hull.nodes[*n] - middle).length() < 1e-9).unwrap();
    let parts = parts_of_the_top(&basis, height);

    let pressure = 100.0;
    let mut world = world_of(spec(Known::Modes(basis.clone()), DAMPED));
    let force = Vec3::Z * (-pressure * width * width);
    world.add_load(Load::new(world.body_at(0).unwrap(), face(height), force)).unwrap();
    (0..300).for_each(|_| world.step(STEP).unwrap());
    let sunk = (middle - surface(&world)[node]).z;
    let expected = pressure * height / modulus;
    println!("under pressure: {:.1e}", sunk / expected - 1.0);
    assert!((sunk / expected - 1.0).abs() < 1e-3, "{sunk} m for {expected} m");

    // and the other way round: a smooth plate pressed on by 0.2 mm
    let mut world = world_of(spec(Known::Modes(basis), DAMPED));
    let window = Window { start: 0.0, end: 0.1 };
    let down = Motion::Glide { velocity: Vec3::Z * -2e-3, acceleration: Vec3::ZERO, window };
    slab(&mut world, Vec3::Z * height, -Vec3::Z, down);
    (0..300).for_each(|_| world.step(STEP).unwrap());
    let contacts = world.frame().contacts;
    let below = contacts.iter().find(|c| (c.position - middle).length() < 1e-3).unwrap();
    let found = -below.force.z / (parts[node] * width * width);
    let expected = modulus * 2e-4 / height;
    println!("under a plate: {:.1e}", found / expected - 1.0);
    assert!((found / expected - 1.0).abs() < 1e-3, "{found} Pa for {expected} Pa");
}

/// A slender bar with a clamped end swings at 1.8751^2 / (2 pi) sqrt(E I / (rho A)) / L^2 once its end is let go. Shear and
/// rotary inertia take at most 6 (1.8751 r / L)^2 of it, see the test of its modes; higher modes are damped away.
#[test]
fn a_clamped_bar_that_is_let_go_swings_at_its_lowest_frequency() {
    let (length, height) = (0.2, 0.01);
    let elastic = Elastic { young: 3e7, poisson: 0.0, density: 1100.0 };
    let mesh = TetMesh::block([24, 1, 1], Vec3::new(length, height, height)).unwrap();
    let order = Order::Quadratic;
    let fixed = plane_nodes(&mesh, order, Vec3::X, 0.0);
    let basis = computed(&Recipe { order, fixed, ..Recipe::new(mesh, elastic, 20) });
    let slender = height / 12f64.sqrt() / length;
    let root = 1.875_104_07f64;
    let expected = root.powi(2) / (2.0 * PI) * (elastic.young / elastic.density).sqrt() * slender / length;

    let mut bar = spec(Known::Modes(basis), Damping::Rayleigh { mass: 0.0, stiffness: 3e-4 });
    let step = 1e-3;
    bar.settings.sample = step;
    let mut world = world_of(bar);
    let tip = Place::Point(Vec3::new(length, 0.0, height));
    let node = surface(&world).iter().position(|at| (*at - Vec3::new(length, 0.0, height)).length() < 1e-9).unwrap();
    let load = Load { until: 0.5 / expected, ..Load::new(world.body_at(0).unwrap(), tip, Vec3::Z * -0.02) };
    world.add_load(load).unwrap();
    let (mut last, mut crossings) = (0.0, vec![]);
    for n in 1..=1500 {
        world.step(step).unwrap();
        let (time, now) = (f64::from(n) * step, surface(&world)[node].z - height);
        if time > 0.5 && last < 0.0 && now >= 0.0 {
            crossings.push(time - step * now / (now - last));
        }
        last = now;
    }
    let periods = crossings.len() - 1;
    let found = periods as f64 / (crossings[periods] - crossings[0]);
    println!("{found} Hz for {expected} Hz over {periods} periods");
    let error = found / expected - 1.0;
    assert!(periods >= 5 && error < 1e-3 && error > -(root * slender).powi(2) * 6.0 - 1e-3, "{error:.1e}");
}

/// A finger that comes, glides and goes: what it has put in is never less than what the body has, without any damping.
#[test]
fn a_finger_that_comes_and_goes_makes_no_energy() {
    let basis = pad();
    for friction in [0.0, 0.3] {
        let at = Vec3::new(0.5 * SIZE.x, 0.47 * SIZE.y, SIZE.z + RADIUS);
        let mut world = world_of(spec(Known::Modes(basis.clone()), LOSSLESS));
        let finger = finger(&mut world, at + Vec3::Z * 2e-3, friction);
        let (mut work, mut last, mut least, mut most, mut left) = (0.0, at + Vec3::Z * 2e-3, 0.0_f64, 0.0_f64, 0);
        for n in 1..=4000 {
            let time = f64::from(n) * STEP;
            let place =
                at + Vec3::new(0.01 * (2.3 * time).sin(), 0.004 * (1.7 * time).sin(), 2e-3 * (6.0 * time).cos());
            lead(&mut world, finger, place);
            work -= load_on(&world, finger).dot(place - last);
            last = place;
            least = least.min(work - energy(&world));
            most = most.max(energy(&world));
            left += usize::from(load_on(&world, finger) == Vec3::ZERO);
            assert_eq!(world.accounts().len(), 1);
        }
        assert!(left > 500 && left < 3500, "it touches and leaves: {left}");
        assert!(-least < 1e-3 * most, "friction {friction}: {least} of {most} J");
    }
}

/// It stays where it is placed, whatever pulls at it, and begins at rest.
#[test]
fn it_does_not_move_as_a_whole() {
    let basis = pad();
    let placed = Pose::from_parts(Vec3::new(0.3, -0.2, 1.0), Quat::from_scaled_axis(Vec3::new(0.4, -0.7, 0.2)));
    let mut world = world_of(ResponseSpec { placed, ..spec(Known::Modes(basis.clone()), DAMPED) });
    let (motion, before) = (*response(&world).motion(), surface(&world));
    (0..50).for_each(|_| world.step(STEP).unwrap());
    assert_eq!(surface(&world), before, "its own weight does not deform it");
    let top = Place::Point(placed.transform_point(SIZE));
    world.add_load(Load::new(world.body_at(0).unwrap(), top, Vec3::splat(0.02))).unwrap();
    (0..200).for_each(|_| world.step(STEP).unwrap());
    assert_eq!(*response(&world).motion(), motion);
    let fixed = basis.hull.fixed.clone().unwrap();
    assert_eq!(fixed.len(), 7 * 6);
    let now = surface(&world);
    assert!(fixed.iter().all(|n| now[*n as usize] == before[*n as usize]), "what is held stays");
    let farthest = now.iter().zip(&before).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(farthest > 1e-4, "{farthest}");

    let refused = |change: fn(&mut ResponseSpec)| {
        let mut moving = spec(Known::Modes(basis.clone()), DAMPED);
        change(&mut moving);
        Response::new("pad", moving).unwrap_err().to_string()
    };
    assert!(refused(|s| s.velocity.x = 1.0).contains("velocity of pad must be zero, as it is fixed"));
    assert!(refused(|s| s.spin.x = 1.0).contains("spin of pad must be zero, as it is fixed"));
    let mut beyond = basis.clone();
    beyond.hull.fixed = Some(vec![1_000_000]);
    assert!(Response::new("pad", spec(Known::Modes(beyond), DAMPED)).is_err());
}

/// Floors and walls beside held nodes are not felt, also where these are inside of them, and cost no contacts.
#[test]
fn held_nodes_touch_no_obstacle() {
    let mut world = world_of(spec(Known::Modes(pad()), LOSSLESS));
    slab(&mut world, Vec3::Z * 1e-3, Vec3::Z, Motion::Hold);
    let before = surface(&world);
    (0..100).for_each(|_| world.step(STEP).unwrap());
    assert!(world.frame().contacts.is_empty());
    assert_eq!(surface(&world), before);
}

/// Where it is held it is hard but not rigid: forces on a finger that is led against it, from any side, and round the edge
/// to where nothing moves, are finite and push back.
#[test]
fn a_finger_on_held_facets_feels_a_hard_surface() {
    for (solid, friction) in [pad()].iter().flat_map(|basis| [(basis, 0.0), (basis, 0.4)]) {
        // from below, in the middle and at a corner
        for at in [Vec3::new(0.5 * SIZE.x, 0.4 * SIZE.y, 0.0), Vec3::new(0.002, 0.001, 0.0)] {
            let mut world = world_of(spec(Known::Modes(solid.clone()), DAMPED));
            let start = at - Vec3::Z * (RADIUS + 1e-4);
            let finger = finger(&mut world, start, friction);
            let mut last = 0.0;
            for n in 1..=200 {
                lead(&mut world, finger, start + Vec3::Z * 2.5e-6 * f64::from(n));
                let force = load_on(&world, finger);
                assert!(force.is_finite() && force.z <= 0.0, "{force}");
                last = force.z;
            }
            // pressed in by 0.4 mm: harder than anything above it
            let hard = -last / 4e-4;
            println!("friction {friction} at {at}: {hard} N/m");
            assert!(hard > 1e3 && hard < 1e6, "{hard} N/m");
        }
        // down along a side, over the held edge and to below, and back
        let mut world = world_of(spec(Known::Modes(solid.clone()), DAMPED));
        let at = |z: f64, out: f64| Vec3::new(SIZE.x + out, 0.45 * SIZE.y, z);
        let finger = finger(&mut world, at(0.5 * SIZE.z, RADIUS + 1e-3), friction);
        for n in 0..1500 {
            let time = f64::from(n) * STEP;
            let out = RADIUS + 1e-3 - 1.2e-3 * (time / 0.2).min(1.0);
            lead(&mut world, finger, at(0.012 * (1.0 + (2.5 * time).cos()) - 0.006, out));
            let force = load_on(&world, finger);
            assert!(force.is_finite() && force.length() < 1e3, "{force} at {time} s");
            // its side is reached at 0.17 s, and its lower edge at 0.84 s
            assert!(!(0.25..0.8).contains(&time) || force.x > 0.0, "{force} at {time} s");
        }
    }
}

/// A grip on held nodes is held by them, without a number that is none.
#[test]
fn a_grip_on_held_nodes_pulls_at_a_wall() {
    let mut world = world_of(spec(Known::Modes(pad()), DAMPED));
    let window = Window { start: 0.0, end: 0.1 };
    let motion = Motion::Glide { velocity: Vec3::Z * -1e-3, acceleration: Vec3::ZERO, window };
    let gripper = world.add_gripper(GripperParams { name: "hand".into(), placed: Pose::IDENTITY, motion }).unwrap();
    let grip = GripParams::new(gripper, world.body_at(0).unwrap(), face(0.0), Hold::Position);
    world.add_grip(grip).unwrap();
    (0..100).for_each(|_| world.step(STEP).unwrap());
    let force = world.gripper(gripper).unwrap().load.force;
    assert!(force.is_finite() && force.z > 0.0, "{force}");
}

/// One that is pressed through what holds it is told, as its model is linear.
#[test]
fn a_layer_is_not_pressed_through_its_base() {
    let mut world = world_of(spec(Known::Modes(pad()), DAMPED));
    let at = Vec3::new(0.5 * SIZE.x, 0.4 * SIZE.y, SIZE.z + RADIUS);
    // rough, so that it does not glide down the flanks of its own dent
    let finger = finger(&mut world, at, 5.0);
    let mut reached = 0.0;
    for n in 1..1000 {
        let depth = 1e-4 * f64::from(n);
        world.drive(finger, Drive::Pose(Pose::from_translation(at - Vec3::Z * depth))).unwrap();
        if let Err(error) = world.step(STEP) {
            assert!(error.to_string().contains("is deformed by"), "{error}");
            break;
        }
        reached = depth;
    }
    // where there are no steps between: all corners of the facet are straight above held ones
    assert!((reached / SIZE.z - 1.0).abs() < 0.01, "{reached} m");
}

/// A pad of few nodes: modes, and recorded responses of its upper nodes.
fn both_forms(substeps: usize) -> (Basis, Records) {
    // 24 modes: the model takes a multiple of four
    let body = recipe([3, 1, 1], Order::Linear, SIZE, FOAM, 1);
    let all = body.size().0 - 3 * body.fixed.len();
    let basis = computed(&Recipe { modes: all, ..body.clone() });
    let touched = (0..basis.hull.nodes.len() as u32).filter(|n| basis.hull.nodes[*n as usize].z > 0.0).collect();
    let Recipe { mesh, elastic, order, mass, fixed, .. } = body;
    let timing = Timing { sample: STEP, samples: 150, substeps, sampling: Sampling::End };
    let damping = pliant_fem::Damping { mass: 80.0, stiffness: 2e-3 };
    let table = TableRecipe { mesh, elastic, order, mass, fixed, damping, timing, touched };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pad.records");
    (basis, table.record(&path, 1, &mut |_| ControlFlow::Continue(())).unwrap())
}

/// Recorded responses and modes are two ways to the same motion: they differ by the integration in time of the records,
/// which is of second order in its sub-steps.
#[test]
fn recorded_responses_are_those_of_modes() {
    let force = Vec3::new(0.02, 0.01, -0.06);
    let apart = |substeps: usize| {
        let (basis, records) = both_forms(substeps);
        assert_eq!(basis.hull, records.hull);
        let mut worlds = [Known::Modes(basis), Known::Records(records)].map(|known| {
            let mut world = world_of(spec(known, DAMPED));
            let load = Load { until: 0.05, ..Load::new(world.body_at(0).unwrap(), face(SIZE.z), force) };
            world.add_load(load).unwrap();
            world
        });
        let (mut most, mut largest) = (0.0_f64, 0.0_f64);
        let before = surface(&worlds[0]);
        for _ in 0..60 {
            worlds.iter_mut().for_each(|world| world.step(STEP).unwrap());
            let [a, b] = [surface(&worlds[0]), surface(&worlds[1])];
            most = a.iter().zip(&b).map(|(a, b)| a.distance(*b)).fold(most, f64::max);
            largest = a.iter().zip(&before).map(|(a, b)| a.distance(*b)).fold(largest, f64::max);
        }
        most / largest
    };
    let errors = [2, 4, 8].map(apart);
    println!("{errors:?}");
    assert!(errors[2] < 1e-2, "{errors:?}");
    let orders = [errors[0] / errors[1], errors[1] / errors[2]].map(f64::log2);
    assert!(orders.iter().all(|order| *order > 1.5), "{orders:?}");
}

/// A finger on recorded responses: the force at rest is that of modes, and where nothing is recorded or held it is finite.
#[test]
fn a_finger_on_recorded_responses_feels_the_same() {
    let (basis, records) = both_forms(8);
    let pressed = |known: Known, at: Vec3, normal: Vec3| {
        let mut world = world_of(spec(known, DAMPED));
        let finger = finger(&mut world, at + normal * RADIUS, 0.3);
        for n in 1..=250 {
            lead(&mut world, finger, at + normal * (RADIUS - 1e-3 * (f64::from(n) / 50.0).min(1.0)));
            assert!(load_on(&world, finger).is_finite());
        }
        load_on(&world, finger)
    };
    let above = Vec3::new(0.4 * SIZE.x, 0.45 * SIZE.y, SIZE.z);
    let [one, two] = [Known::Modes(basis.clone()), Known::Records(records.clone())].map(|k| pressed(k, above, Vec3::Z));
    assert!(one.z > 1e-2 && (one - two).length() < 1e-2 * one.length(), "{one} {two}");
    let below = Vec3::new(0.4 * SIZE.x, 0.45 * SIZE.y, 0.0);
    let [one, two] = [Known::Modes(basis), Known::Records(records)].map(|k| pressed(k, below, -Vec3::Z));
    assert!(one.z < 0.0 && (one - two).length() < 1e-2 * one.length(), "{one} {two}");
}

/// A pad between a table and a finger that presses it and swings.
fn touched() -> World {
    let mut pad = spec(Known::Modes(pad()), DAMPED);
    pad.friction = Friction { coefficient: 0.4, exponent: 1.0 };
    let mut world = world_of(pad);
    slab(&mut world, Vec3::ZERO, Vec3::Z, Motion::Hold);
    let motion = Motion::Sinusoid { amplitude: Vec3::new(8e-3, 4e-3, 3e-3), frequency: 3.0, phase: 0.4 };
    let placed = Pose::from_translation(Vec3::new(0.52 * SIZE.x, 0.47 * SIZE.y, SIZE.z + RADIUS));
    let gripper = world.add_gripper(GripperParams { name: "finger".into(), placed, motion }).unwrap();
    world.add_finger(FingerParams { gripper, radius: RADIUS, friction: None }).unwrap();
    world
}

#[test]
fn snapshots_continue_to_the_same_bits() {
    let mut world = touched();
    (0..150).for_each(|_| world.step(STEP).unwrap());
    let snapshot = world.snapshot();
    let run = |world: &mut World| {
        let mut pressed = 0;
        for _ in 0..200 {
            world.step(STEP).unwrap();
            pressed += world.frame().contacts.len();
        }
        assert!(pressed > 50, "{pressed}");
        (world.frame(), *response(world).motion(), response(world).counters())
    };
    let first = run(&mut world);
    world.restore(&snapshot).unwrap();
    assert!(first == run(&mut world));
    let mut other = touched();
    other.restore(&snapshot).unwrap();
    assert!(first == run(&mut other));
}

#[test]
fn a_step_allocates_nothing() {
    let mut world = touched();
    (0..400).for_each(|_| world.step(STEP).unwrap());
    let before = counting::allocations();
    (0..400).for_each(|_| world.step(STEP).unwrap());
    assert_eq!(counting::allocations() - before, 0);
}
