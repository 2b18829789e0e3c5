//! Contact of rods of the model `elastica` never gives energy, however long the steps and however stiff the contact.
#![allow(clippy::unwrap_used)]

use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::elastica::{Elastica, ElasticaSettings, ElasticaSpec, Integrator};
use pliant::math::{Pose, Vec3};
use pliant::motion::Motion;
use pliant::{Body, Friction, GripParams, GripperParams, Hold, Load, Material, Place, Section, World};

/// A wire of 0.5 m and 2 mm, clamped 5 cm above a table, bent up by 2 N and let go after 50 ms.
fn wire(young: f64, integrator: Integrator, contact_stiffness: Option<f64>) -> World {
    let friction = Friction { coefficient: 0.3, exponent: 1.0 };
    let spec = ElasticaSpec {
        material: Material { young, poisson: 0.3, density: 7800.0, friction },
        section: Section::Round { radius: 1e-3 },
        path: vec![Vec3::Z * 0.05, Vec3::new(0.5, 0.0, 0.05)],
        normal: None,
        rest: pliant::Rest::Straight,
        intervals: 20,
        settings: ElasticaSettings { integrator, contact_stiffness, ..ElasticaSettings::default() },
    };
    let mut world = World::new(Vec3::Z * -9.81);
    world.add_body(Body::Elastica(Elastica::new("wire", spec).unwrap())).unwrap();
    let shape = Shape::new(ShapeKind::Plane).unwrap();
    let (placed, motion) = (Pose::IDENTITY, Motion::Hold);
    world.add_obstacle(ObstacleParams { name: "table".into(), shape, placed, motion, friction: None }).unwrap();
    let placed = Pose::from_translation(Vec3::Z * 0.05);
    let gripper = world.add_gripper(GripperParams { name: "hand".into(), placed, motion: Motion::Hold }).unwrap();
    world.add_grip(GripParams::new(gripper, world.body_at(0).unwrap(), Place::Fraction(0.0), Hold::Clamp)).unwrap();
    let load = Load::new(world.body_at(0).unwrap(), Place::Fraction(1.0), Vec3::Z * (2.0 * young / 2.1e11));
    world.add_load(Load { until: 0.05, ..load }).unwrap();
    world.settle(world.body_at(0).unwrap()).unwrap();
    world
}

/// Energy of a wire, what contacts store included [J].
fn energy(world: &World, stiffness: f64) -> f64 {
    let frame = world.frame();
    let stored: f64 = frame.contacts.iter().map(|c| 0.5 * stiffness * c.penetration * c.penetration).sum();
    frame.bodies[0].energy.total() + stored
}

/// Steel and plastic, contact as stiff as it is by itself and far stiffer, steps from those that see each vibration of the
/// contact to such that see none: the energy after the load is gone is never above what it was when it went, and falls.
///
/// Free flight with the midpoint rule is off by some 1e-3 of it at the longest of these steps.
#[test]
fn a_wire_that_knocks_on_a_table_wins_no_energy() {
    for young in [2.1e11, 2e9] {
        for stiffness in [None, Some(1e5), Some(1e6)] {
            for step in [2e-3, 1e-3, 2.5e-4] {
                let mut world = wire(young, Integrator::Midpoint, stiffness);
                let derived = world.bodies()[0].derived().iter().find(|d| d.symbol == "k_c").map(|d| d.value).unwrap();
                let (mut start, mut most, mut met) = (f64::NAN, f64::NEG_INFINITY, false);
                while world.time() < 1.0 - 0.5 * step {
                    world.step(step).unwrap();
                    let now = energy(&world, derived);
                    if world.time() > 0.05 + 0.5 * step {
                        start = if start.is_nan() { now } else { start };
                        most = most.max(now);
                        met |= !world.frame().contacts.is_empty();
                    }
                }
                let end = energy(&world, derived);
                let of = format!("E = {young:e} Pa, k = {stiffness:?} N/m, {step} s");
                assert!(met, "{of}: it never touched the table");
                assert!(most < 1.01 * start, "{of}: {most} J of {start} J");
                assert!(end < start, "{of}: {end} J of {start} J are left");
            }
        }
    }
}
