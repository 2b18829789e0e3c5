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
    world.add_load(Load { body: 0, place, force, torque: Vec3::ZERO, from: 0.0, until: f64::INFINITY }).unwrap();
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
            world
                .add_load(Load { body: 0, place, force, torque: Vec3::ZERO, from: 0.0, until: f64::INFINITY })
                .unwrap();
        }
        (0..40).for_each(|_| world.step(5e-3).unwrap());
        let after = size(&world);
        assert!((0.9 * before..1.02 * before).contains(&after), "{sides}: {before} to {after}");
    }
}
