//! Cables that are thrown at things: loads that appear beside a wall, cables that fall on edges and on each other.
#![allow(clippy::unwrap_used)]

use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::{Motion, Window};
use pliant::{Body, Friction, Load, Material, Place, Section, World};

const G: f64 = 9.81;

fn cable(name: &str, material: Material, radius: f64, path: [Vec3; 2], segments: usize) -> Body {
    let (section, settings) = (Section::Round { radius }, CableSettings::default());
    let spec =
        CableSpec { material, section, path: path.into(), normal: None, rest: Rest::Straight, segments, settings };
    Body::Cable(Cable::new(name, spec).unwrap())
}

fn material(young: f64, density: f64, friction: f64) -> Material {
    let friction = Friction { coefficient: friction, exponent: 1.0 };
    Material { young, poisson: 0.3, density, friction }
}

fn obstacle(world: &mut World, kind: ShapeKind, placed: Pose) {
    let (name, shape) = (format!("obstacle {}", world.obstacles().len()), Shape::new(kind).unwrap());
    world.add_obstacle(ObstacleParams { name, shape, placed, motion: Motion::Hold, friction: None }).unwrap();
}

/// The cable is at rest far from the wall, so that nothing but the load could tell that it comes there within a step.
#[test]
fn what_a_load_throws_at_a_thin_wall_in_one_step_does_not_go_through() {
    let steps = |force: f64| [2e-2, 1e-2, 7e-3, 5e-3, 2e-3].map(|step| (force, step));
    for (force, step) in [20.0, 50.0, 200.0, 500.0, 1000.0].into_iter().flat_map(steps) {
        for thick in [2e-4, 1e-2] {
            let mut world = World::new(Vec3::Z * -G);
            let path = [Vec3::new(-0.15, 0.0, 0.05), Vec3::new(0.15, 0.0, 0.05)];
            world.add_body(cable("wire", material(1e8, 8000.0, 0.3), 2e-3, path, 30)).unwrap();
            let size = Vec3::new(1.0, 1.0, thick);
            obstacle(&mut world, ShapeKind::Box { size }, Pose::from_translation(Vec3::Z * (-0.5 * thick)));
            world.add_load(Load::new(world.body_at(0).unwrap(), Place::Fraction(0.5), Vec3::Z * -force)).unwrap();
            for _ in 0..(0.05 / step) as usize {
                world.step(step).unwrap();
            }
            let lowest = world.frame().bodies[0].nodes.iter().map(|n| n.z).fold(f64::INFINITY, f64::min);
            assert!(lowest > 1.8e-3, "{force} N, {step} s, wall of {thick} m: lowest node at {lowest}");
        }
    }
}

/// Two soft cables fall over the edges of turned boxes and over each other: friction is strong, links are long, steps too. Contacts
/// wedge links between them, and yet nothing is thrown: energy falls, and no contact pulls.
#[test]
fn cables_that_fall_over_edges_and_each_other_lose_energy() {
    let mut world = World::new(Vec3::Z * -G);
    let soft = material(6.072e5, 1000.0, 0.8);
    let paths = [
        [Vec3::new(-0.1394, -0.0554, 0.2782), Vec3::new(0.1394, 0.0554, 0.2218)],
        [Vec3::new(-0.0992, -0.1125, 0.3590), Vec3::new(0.0992, 0.1125, 0.3810)],
    ];
    world.add_body(cable("thin", soft, 2e-3, paths[0], 25)).unwrap();
    world.add_body(cable("thick", soft, 5e-3, paths[1], 25)).unwrap();
    obstacle(&mut world, ShapeKind::Plane, Pose::from_translation(Vec3::Z * -0.2));
    let size = Vec3::splat(0.1);
    for (place, angle) in [(Vec3::new(0.096, -0.022, -0.061), 30.0_f64), (Vec3::new(-0.012, 0.067, -0.089), 90.0)] {
        let turn = Quat::from_rotation_y(45_f64.to_radians()) * Quat::from_rotation_x(angle.to_radians());
        obstacle(&mut world, ShapeKind::Box { size }, Pose::from_parts(place, turn));
    }
    let mut least = f64::INFINITY;
    let fall = world.frame().bodies.iter().map(|b| b.energy.gravity).sum::<f64>();
    let mut pushed = 0;
    for k in 0..100 {
        world.step(1e-2).unwrap();
        let frame = world.frame();
        let energy = frame.bodies.iter().map(|b| b.energy.total()).sum::<f64>();
        assert!(energy < least + 1e-5 * fall, "step {k}: {energy} J after {least}");
        least = least.min(energy);
        for contact in &frame.contacts {
            assert!(contact.force.dot(contact.normal) > -1e-9, "step {k}: {contact:?}");
            pushed += 1;
        }
    }
    assert!(pushed > 500, "they hardly touch anything");
}

/// Wires that lie a little askew above a plate of 0.2 mm, which strikes them at up to 50 m/s: within a long step it goes
/// hundreds of times as far as they are thick.
#[test]
fn a_plate_that_strikes_a_wire_carries_it_along() {
    let cases = [
        (4.8, 6e-4, material(1.5e8, 4600.0, 0.1), [9.6e-3, 6.8e-3], 25),
        (12.3, 8e-4, material(3.5e5, 1000.0, 0.3), [3e-3, 9e-3], 25),
        (42.0, 5e-4, material(1.5e6, 3000.0, 0.8), [4e-3, 1.2e-2], 12),
        (49.0, 4e-3, material(7e7, 1500.0, 0.3), [8e-3, 2e-2], 25),
    ];
    for (speed, radius, material, heights, segments) in cases {
        let what = format!("{speed} m/s, radius {radius} m, {segments} segments");
        let mut world = World::new(Vec3::Z * -G);
        let path = [Vec3::new(-0.15, 0.0, heights[0]), Vec3::new(0.15, 0.0, heights[1])];
        world.add_body(cable("wire", material, radius, path, segments)).unwrap();
        let motion = Motion::Glide { velocity: Vec3::Z * speed, acceleration: Vec3::ZERO, window: Window::ALWAYS };
        let shape = Shape::new(ShapeKind::Box { size: Vec3::new(3.0, 3.0, 2e-4) }).unwrap();
        let placed = Pose::from_translation(Vec3::Z * -7e-3);
        world.add_obstacle(ObstacleParams { name: "plate".into(), shape, placed, motion, friction: None }).unwrap();
        for _ in 0..5 {
            world.step(1e-2).unwrap();
        }
        let lowest = world.frame().bodies[0].nodes.iter().map(|n| n.z).fold(f64::INFINITY, f64::min);
        let plate = speed * world.time() - 7e-3 + 1e-4;
        assert!(lowest > plate + 0.95 * radius, "{what}: lowest node at {lowest}, plate at {plate}");
        assert!(world.deepest() < 0.05 * radius, "{what}: {} radii deep", world.deepest() / radius);
    }
}
