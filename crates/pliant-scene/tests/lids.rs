//! Free rigid bodies that cables bear, or that strike them: both move together, with the momentum and the energy that there are.

#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;

use pliant::math::Vec3;
use pliant::{Other, World};
use pliant_scene::parse;

const G: f64 = 9.81;
const STEPS: [f64; 5] = [5e-4, 1e-3, 2e-3, 5e-3, 1e-2];

fn world(scene: &str) -> World {
    let mut world = parse(scene, "scene.toml", Path::new("."), &[]).unwrap().world;
    world.enforce_accounts(true);
    world
}

/// Mean place of the links of a cable of even ones, whose nodes are their ends.
fn centre(world: &World, body: usize) -> Vec3 {
    let mut nodes = vec![];
    world.bodies()[body].write_nodes(&mut nodes);
    let links = nodes.len() - 1;
    nodes.windows(2).map(|ends| 0.5 * (ends[0] + ends[1])).sum::<Vec3>() / links as f64
}

fn energy(world: &World) -> f64 {
    world.frame().bodies.iter().map(|body| body.energy.kinetic + body.energy.elastic + body.energy.gravity).sum()
}

const ROD: &str = r#"
duration = 1.0
step = 0.001
gravity = [0, 0, 0]
[material.stiff]
young = 1e9
density = 1100.0
[[body]]
name = "rod"
model = "cable"
material = "stiff"
radius = 0.005
path = [[-0.15, 0, 0], [0.15, 0, 0]]
segments = 20
[[rigid]]
name = "ball"
shape = { sphere = { radius = 0.02 } }
mass = 0.005
position = [0.01, 0.002, 0.03]
velocity = [0, 0, -2.0]
"#;

#[test]
fn a_ball_that_strikes_a_free_rod_shares_its_momentum() {
    let (ball, rod) = (0.005, 1100.0 * std::f64::consts::PI * 0.005 * 0.005 * 0.3);
    for step in STEPS {
        let mut world = world(ROD);
        let before = energy(&world);
        let place = |world: &World| {
            let mut ends = vec![];
            world.bodies()[1].write_nodes(&mut ends);
            (ends[0] * ball + centre(world, 0) * rod) / (ball + rod)
        };
        let start = place(&world);
        let mut met = None;
        for _ in 0..(0.2 / step) as usize {
            let last = place(&world);
            world.step(step).unwrap();
            let now = energy(&world);
            assert!(now <= before * (1.0 + 1e-9), "{step}: {before} J have become {now} J");
            if world.frame().contacts.iter().any(|contact| contact.force != Vec3::ZERO) {
                met = Some(world.time());
            }
            // a link that has sunk in is moved out in the steps after
            if met.is_none_or(|met| world.time() > met + 2.5 * step) {
                let (speed, expected) = ((place(&world) - last) / step, Vec3::NEG_Z * (2.0 * ball / (ball + rod)));
                assert!(
                    (speed - expected).length() < 1e-8,
                    "{step}: their centre of mass moves at {speed}, not {expected}"
                );
            }
        }
        assert!(met.is_some_and(|met| met < 0.1), "{step}: they have not touched, or never parted");
        // what sinks into the other is moved out of it, not both out of each other
        let expected = Vec3::NEG_Z * (2.0 * ball / (ball + rod) * world.time());
        let way = place(&world) - start;
        assert!((way - expected).length() < 1e-5, "{step}: their centre of mass has moved by {way}, not {expected}");
        // if both went on as one, which leaves least
        let least = 0.5 * (2.0 * ball).powi(2) / (ball + rod);
        assert!(energy(&world) > 0.999 * least, "{step}: {} J are left", energy(&world));
    }
}

fn lid(mass: f64) -> String {
    format!(
        r#"
duration = 1.0
step = 0.001
[material.soft]
young = 1e8
density = 1100.0
[[obstacle]]
name = "floor"
shape = {{ plane = {{}} }}
friction = {{ coefficient = 0.4 }}
[[body]]
name = "cable"
model = "cable"
material = "soft"
radius = 0.004
path = [[-0.2, 0, 0.0041], [0.2, 0, 0.0041]]
segments = 20
[[rigid]]
name = "lid"
shape = {{ box = {{ size = [0.1, 0.1, 0.01] }} }}
mass = {mass}
position = [0, 0, 0.0131]
"#
    )
}

#[test]
fn a_lid_lies_still_on_a_cable_that_bears_it() {
    let weighs = 1100.0 * std::f64::consts::PI * 0.004 * 0.004 * 0.4;
    for (step, mass) in STEPS.into_iter().flat_map(|step| [0.02, 0.2, 20.0].map(|mass| (step, mass))) {
        let mut world = world(&lid(mass));
        (0..(0.4 / step) as usize).for_each(|_| world.step(step).unwrap());
        let frame = world.frame();
        let on_floor = frame.contacts.iter().filter(|c| c.body == 0 && c.other == Other::Obstacle(0));
        let borne: f64 = on_floor.map(|contact| contact.force.z).sum();
        let weight = G * (mass + weighs);
        assert!((borne - weight).abs() < 1e-3 * weight, "{step} s, {mass} kg: the floor bears {borne} N of {weight} N");
        let mut place = vec![];
        world.bodies()[1].write_nodes(&mut place);
        let moved = place[0] - Vec3::Z * 0.013;
        assert!(moved.length() < 1e-4, "{step} s, {mass} kg: the lid is {moved} m from where it lies");
    }
}
