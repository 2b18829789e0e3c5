//! What loads and contacts do to solids of particles that move and turn.
#![allow(clippy::unwrap_used)]

use pliant::lattice::solid::{Cells, MassRule, Rings, brick, prism};
use pliant::lattice::{Lattice, LatticeSettings, LatticeSpec, Part};
use pliant::math::{Pose, Vec3};
use pliant::{Body, Friction, Load, Material, Place, World};

fn world_of(cells: Cells, velocity: Vec3) -> World {
    let mut world = World::new(Vec3::ZERO);
    let spec = LatticeSpec {
        material: Material { young: 1e6, poisson: 0.25, density: 1000.0, friction: Friction::NONE },
        parts: vec![Part::Solid { cells, rule: MassRule::Approximate }],
        connectors: vec![],
        placed: Pose::IDENTITY,
        velocity,
        spin: Vec3::ZERO,
        settings: LatticeSettings::default(),
    };
    world.add_body(Body::Lattice(Lattice::new("solid", spec).unwrap())).unwrap();
    world
}

fn lattice(world: &World) -> &Lattice {
    let Body::Lattice(lattice) = &world.bodies()[0] else { panic!() };
    lattice
}

/// A load stays with the particles that were in its box, however far they go: F t / m in the end, also from a snapshot.
#[test]
fn loads_stay_with_their_particles() {
    let mut world = world_of(brick(Vec3::splat(0.1), [1; 3]).unwrap(), Vec3::X);
    let place = Place::Box { low: Vec3::new(0.04, -1.0, -1.0), high: Vec3::new(0.06, 1.0, 1.0) };
    let force = Vec3::X * 2.0;
    world.add_load(Load::new(world.body_at(0).unwrap(), place, force)).unwrap();
    (0..50).for_each(|_| world.step(0.01).unwrap());
    let (half, seen) = (world.snapshot(), world.frame());
    world.restore(&half).unwrap();
    assert_eq!(world.frame(), seen);
    (0..50).for_each(|_| world.step(0.01).unwrap());
    let l = lattice(&world);
    let momentum: Vec3 = l.masses().iter().zip(l.velocities()).map(|(m, v)| *v * *m).sum();
    // 1 kg at 1 m/s, pushed by 2 N for 1 s
    assert!((momentum - Vec3::X * 3.0).length() < 1e-9, "{momentum}");
}

/// A torque keeps size and direction while the body turns: L = T t. Forces are found for where particles are before a step of the
/// world and hold for it: the mean of T and T cos(w dt), of which (w dt)^2 / 12 is missing in the end, 2e-7.
#[test]
fn torques_turn_with_the_body() {
    let (side, step, count) = (0.1, 1e-3, 3000);
    let mut world = world_of(brick(Vec3::splat(side), [2; 3]).unwrap(), Vec3::ZERO);
    let place = Place::Box { low: Vec3::new(-1.0, -1.0, 0.49 * side), high: Vec3::ONE };
    // half a radian per second squared of a cube of 1 kg: m a^2 / 6
    let torque = Vec3::Z * (0.5 * side * side / 6.0);
    let load = Load { torque, ..Load::new(world.body_at(0).unwrap(), place, Vec3::ZERO) };
    let one = world.add_load(Load { place: Place::Node(0), ..load }).unwrap_err().to_string();
    assert!(one.contains("takes no torque at a single node: let it act on a box of nodes"), "{one}");
    world.add_load(load).unwrap();
    let first = lattice(&world).places()[0].truncate();
    (0..count).for_each(|_| world.step(step).unwrap());
    let l = lattice(&world);
    let moving = l.masses().iter().zip(l.places()).zip(l.velocities());
    let momentum: Vec3 = moving.map(|((m, p), v)| p.cross(*v) * *m).sum();
    let off = (momentum / (torque.z * f64::from(count) * step) - Vec3::Z).length();
    assert!(off < 1e-6, "angular momentum is off by {off:.1e}");
    // 2.25 rad, less what it gives way
    let angle = first.angle_to(l.places()[0].truncate());
    assert!((angle - 2.25).abs() < 0.01, "{angle} rad");
}

/// Long and thin cells cannot be had from links that all push back. They may miss the material, but must not fold: squeezed
/// with a hundredth of E a solid gives way by some hundredths.
#[test]
fn thin_cells_do_not_fold() {
    for sides in [24, 96] {
        let mut world = world_of(prism(sides, 0.1, 0.1, Rings { per_edge: 1, rings: 2 }, 1).unwrap(), Vec3::ZERO);
        let size = |world: &World| {
            let z = lattice(world).places().iter().map(|p| p.y);
            z.clone().fold(f64::MIN, f64::max) - z.fold(f64::MAX, f64::min)
        };
        let before = size(&world);
        for side in [-1.0, 1.0] {
            let place = Place::Box {
                low: Vec3::new(-0.03, 0.09 * side - 0.02, -1.0),
                high: Vec3::new(0.03, 0.09 * side + 0.02, 1.0),
            };
            let force = Vec3::Y * (-60.0 * side);
            world.add_load(Load::new(world.body_at(0).unwrap(), place, force)).unwrap();
        }
        (0..40).for_each(|_| world.step(5e-3).unwrap());
        let after = size(&world);
        assert!((0.9 * before..1.02 * before).contains(&after), "{sides}: {before} to {after}");
    }
}
