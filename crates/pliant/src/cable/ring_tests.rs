//! Momentum of a ring in free flight, which needs the velocities of its links.
#![allow(clippy::unwrap_used)]

use super::{Cable, CableSettings, CableSpec, Step};
use crate::body::Body;
use crate::grip::{Load, Place};
use crate::material::{Friction, Material};
use crate::math::Vec3;
use crate::rest::Rest;
use crate::section::Section;
use crate::world::World;

/// Linear momentum, and angular momentum about the origin.
fn momenta(cable: &Cable) -> [Vec3; 2] {
    let [m, _, _, x, y, z] = cable.links.inertia;
    let state = &cable.state.links;
    let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
    for (pose, v) in state.poses.iter().zip(&state.velocities) {
        let (push, turn) = (Vec3::new(v[0], v[1], v[2]) * m, Vec3::new(v[3] * x, v[4] * y, v[5] * z));
        linear += push;
        angular += pose.translation.cross(push) + pose.rotation * turn;
    }
    [linear, angular]
}

/// A twisted ring after a blow at its seam: relative changes of momentum, angular momentum and energy in half a second
/// of flight.
fn changes(dt: f64) -> [f64; 3] {
    let corner = |i: i32| Vec3::new((0.21 * f64::from(i)).cos(), (0.21 * f64::from(i)).sin(), 0.0) * 0.1;
    // contact would dissipate energy
    let (closed, self_contact, step) = (true, false, Step::Midpoint);
    let settings =
        CableSettings { closed, twist: 3.0, self_contact, damping_time: 0.0, step, ..CableSettings::default() };
    let spec = CableSpec {
        material: Material { young: 4e6, poisson: 0.5, density: 1100.0, friction: Friction::NONE },
        section: Section::Round { radius: 3e-3 },
        path: (0..30).map(corner).collect(),
        normal: None,
        rest: Rest::Straight,
        segments: 30,
        settings,
    };
    let mut world = World::new(Vec3::ZERO);
    let Ok(cable) = Cable::new("ring", spec) else { panic!() };
    assert!(world.add_body(Body::Cable(cable)).is_ok());
    let (force, torque) = (Vec3::new(0.5, 0.3, 1.0), Vec3::new(0.0, 1e-3, 2e-3));
    let load = Load { torque, until: 0.02, ..Load::new(world.body_at(0).unwrap(), Place::Fraction(1.0), force) };
    assert!(world.add_load(load).is_ok());
    let fly = |world: &mut World, time: f64| (0..(time / dt).round() as usize).for_each(|_| world.step(dt).unwrap());
    let look = |world: &World| match &world.bodies()[0] {
        Body::Cable(cable) => (momenta(cable), cable.energy(Vec3::ZERO).total()),
        _ => panic!(),
    };
    fly(&mut world, 0.02);
    let ([linear, angular], energy) = look(&world);
    assert!((linear - force * 0.02).length() < 1e-12, "{linear}");
    fly(&mut world, 0.5);
    let ([p, l], e) = look(&world);
    [(p - linear).length() / linear.length(), (l - angular).length() / angular.length(), e / energy - 1.0]
}

#[test]
fn momentum_and_energy_are_kept_in_free_flight() {
    // angular momentum is conserved as well as by an open cable: to second order in the step size
    let [coarse, fine] = [1e-3, 5e-4].map(changes);
    for [linear, _, energy] in [coarse, fine] {
        assert!(linear < 1e-13 && energy.abs() < 1e-12, "{linear:.1e} and {energy:.1e}");
    }
    assert!(fine[1] < 1e-3 && coarse[1] / fine[1] > 3.0, "{:.1e} and {:.1e}", coarse[1], fine[1]);
}
