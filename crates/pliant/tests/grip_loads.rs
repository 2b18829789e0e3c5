//! Loads of grips against the motion that they cause: over each step, the momentum and the angular momentum of a body,
//! seen from outside, change by what gravity, contacts and grips give it, for every model and a gripper that turns.
#![allow(clippy::unwrap_used)]

#[path = "common/models.rs"]
mod models;

use models::{HEIGHT, every_model};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Mat3, Pose, Vec3};
use pliant::motion::{Blend, Motion, Window};
use pliant::{Body, BodyFrame, Frame, GripParams, GripperParams, Hold, Model, Place, World};

const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

/// Momentum and angular momentum about the origin of point masses.
fn of_points(points: impl Iterator<Item = (f64, Vec3, Vec3)>) -> [Vec3; 2] {
    points.fold([Vec3::ZERO; 2], |[p, l], (mass, place, velocity)| {
        [p + mass * velocity, l + mass * place.cross(velocity)]
    })
}

/// Momentum, angular momentum about the origin and centre of a body, from its nodes, their velocities and its mass.
fn momentum(body: &Body, seen: &BodyFrame) -> [Vec3; 3] {
    let BodyFrame { nodes, velocities, .. } = seen;
    let mass = body.mass();
    let centre = body.moments().centre;
    let [p, l] = match body {
        Body::Lattice(solid) => {
            of_points(solid.masses().iter().zip(nodes.iter().zip(velocities)).map(|(m, (p, v))| (*m, *p, *v)))
        }
        // half the mass of a segment at each end
        Body::Chain(_) => {
            let last = nodes.len() - 1;
            let share = |i: usize| mass / last as f64 * if i == 0 || i == last { 0.5 } else { 1.0 };
            of_points((0..=last).map(|i| (share(i), nodes[i], velocities[i])))
        }
        // links of even density: Simpson's rule is exact for what is linear along them
        Body::Cable(_) | Body::Xpbd(_) | Body::Elastica(_) => {
            let share = mass / (nodes.len() - 1) as f64;
            of_points((1..nodes.len()).flat_map(|i| {
                let half = |list: &[Vec3]| 0.5 * (list[i - 1] + list[i]);
                [
                    (share / 6.0, nodes[i - 1], velocities[i - 1]),
                    (share * 2.0 / 3.0, half(nodes), half(velocities)),
                    (share / 6.0, nodes[i], velocities[i]),
                ]
            }))
        }
        // nothing holds an arm
        Body::Arm(_) => [Vec3::ZERO; 2],
        // the motion of the whole: that of its nodes, which hardly move against each other
        Body::Response(_) => {
            let mean = |list: &[Vec3]| list.iter().sum::<Vec3>() / list.len() as f64;
            let (about, drift) = (mean(nodes), mean(velocities));
            let (mut turning, mut inertia) = (Vec3::ZERO, Mat3::ZERO);
            for (p, v) in nodes.iter().zip(velocities) {
                let r = *p - about;
                turning += r.cross(*v - drift);
                inertia +=
                    Mat3::from_diagonal(Vec3::splat(r.length_squared())) - Mat3::from_cols(r * r.x, r * r.y, r * r.z);
            }
            let spin = inertia.inverse() * turning;
            let velocity = drift + spin.cross(centre - about);
            [mass * velocity, mass * centre.cross(velocity) + body.moments().inertia * spin]
        }
    };
    [p, l, centre]
}

/// What grips and contacts exert on a body, with the torque about the origin of the world: grips hold their gripper's
/// origin where it is halfway through the step, and contacts act on the body `above` their place, given their penetration [m].
fn exerted(before: &Frame, after: &Frame, above: impl Fn(f64) -> f64) -> [Vec3; 2] {
    let (mut force, mut torque) = (Vec3::ZERO, Vec3::ZERO);
    for grip in &after.grips {
        let origin = [before, after].map(|frame| frame.grippers[grip.gripper].pose.translation);
        force -= grip.load.force;
        torque -= grip.load.torque + 0.5 * (origin[0] + origin[1]).cross(grip.load.force);
    }
    for contact in &after.contacts {
        force += contact.force;
        torque += (contact.position + contact.normal * above(contact.penetration)).cross(contact.force);
    }
    [force, torque]
}

/// Root of the mean square of force and torque that are missing in the balance of a step, over that of what the grips
/// exert, for a body that a gripper beside it swings about, or lifts from a floor.
fn missing(body: Body, dt: f64, hold: Hold, on_floor: bool) -> [f64; 2] {
    let mut world = World::new(GRAVITY);
    // in the plane of an elastica, and about a point that is not the gripper's
    let turn = Motion::Turn {
        axis: Vec3::Y,
        centre: Vec3::new(-0.05, 0.0, HEIGHT),
        angle: if on_floor { -0.4 } else { 3.0 },
        advance: 0.0,
        blend: Blend::MinimumJerk,
        window: Window { start: 0.0, end: 0.4 },
    };
    let placed = Pose::from_translation(Vec3::new(-0.03, 0.0, HEIGHT + 0.02));
    let hand = world.add_gripper(GripperParams { name: "hand".into(), placed, motion: turn }).unwrap();
    let place = if body.is_solid() { whole_end(&body) } else { Place::Fraction(0.0) };
    let lowest = lowest(&body);
    // points of a chain do not turn: what touches its surface pushes their centres
    let radius = if body.model() == Model::Chain { body.radius() } else { 0.0 };
    let above = |penetration: f64| if radius > 0.0 { radius - penetration } else { 0.0 };
    let held = world.add_body(body).unwrap();
    world.add_grip(GripParams::new(hand, held, place, hold)).unwrap();
    if on_floor {
        let plane = Shape::new(ShapeKind::Plane).unwrap();
        world.add_obstacle(ObstacleParams::fixed("floor", plane, Pose::from_translation(Vec3::Z * lowest))).unwrap();
    }
    let mut last = world.frame();
    let mut before = momentum(&world.bodies()[0], &last.bodies[0]);
    let (mut lost, mut size) = ([0.0; 2], [0.0; 2]);
    while world.time() < 0.4 - 0.5 * dt {
        world.step(dt).unwrap();
        let now = world.frame();
        let after = momentum(&world.bodies()[0], &now.bodies[0]);
        let weight = world.bodies()[0].mass() * GRAVITY;
        let [force, torque] = exerted(&last, &now, above);
        let missing = [
            (after[0] - before[0]) / dt - force - weight,
            (after[1] - before[1]) / dt - torque - (0.5 * (before[2] + after[2])).cross(weight),
        ];
        for (k, exerted) in [force, torque].into_iter().enumerate() {
            lost[k] += missing[k].length_squared();
            size[k] += exerted.length_squared();
        }
        (last, before) = (now, after);
    }
    [0, 1].map(|k| (lost[k] / size[k]).sqrt())
}

/// All nodes of the side of a solid where x is least.
fn whole_end(body: &Body) -> Place {
    let mut seen = BodyFrame::default();
    body.write_frame(GRAVITY, &mut seen);
    let side = seen.nodes.iter().map(|node| node.x).fold(f64::INFINITY, f64::min);
    Place::Box { low: Vec3::splat(f64::NEG_INFINITY), high: Vec3::new(side + 1e-6, f64::INFINITY, f64::INFINITY) }
}

/// Check the balance of every model. `bounds` gives what may be missing of force and torque, whatever the step, and per
/// second of the step.
fn check(on_floor: bool, bounds: impl Fn(Model) -> [[f64; 2]; 2]) {
    for hold in [Hold::Position, Hold::Clamp] {
        for (n, body) in every_model().into_iter().enumerate() {
            let [always, per_second] = bounds(body.model());
            for dt in [2e-3, 5e-4] {
                let missing = missing(every_model().swap_remove(n), dt, hold, on_floor);
                let within = (0..2).all(|k| missing[k] <= always[k] + per_second[k] * dt);
                assert!(within, "{}, {hold:?}, step {dt} s: {missing:?} are missing", body.name());
            }
        }
    }
}

#[test]
fn grips_exert_what_the_motion_of_a_body_asks_for() {
    check(false, |model| match model {
        Model::Chain => [[1e-12, 1e-4], [0.0, 0.1]],
        // nodes do not show the spin of links about their axes, nor that joints give way
        Model::Cable => [[1e-10, 2.6e-4], [0.0, 0.1]],
        // sweeps conserve angular momentum to first order only
        Model::Xpbd => [[1e-10, 0.0], [0.0, 25.0]],
        // its intervals are arcs, not the straight lines between its nodes
        Model::Elastica => [[2.2e-3, 2.7e-3], [0.0, 0.1]],
        // with the torque about where the gripper is at the end of a step, five times as much were missing
        Model::Lattice => [[1e-12, 0.0], [0.0, 0.12]],
        // its nodes swing about the motion of the whole
        Model::Response => [[4e-4, 0.0], [0.0, 5.0]],
        Model::Arm => [[0.0; 2]; 2],
    });
}

/// The body lies on a floor and is lifted by one end. Contacts of a frame are those at the end of a step, except for
/// models that know forces only as means over it.
#[test]
fn grips_and_contacts_exert_what_the_motion_of_a_body_asks_for() {
    check(true, |model| match model {
        // see the next test
        Model::Chain => [[f64::INFINITY; 2]; 2],
        Model::Cable => [[1e-4, 6e-4], [0.0; 2]],
        Model::Xpbd => [[0.0; 2], [0.4; 2]],
        Model::Elastica => [[0.0; 2], [65.0; 2]],
        Model::Lattice => [[0.0; 2], [30.0, 48.0]],
        Model::Response => [[4e-3, 1e-2], [0.0; 2]],
        Model::Arm => [[0.0; 2]; 2],
    });
}

/// A chain shows its contacts at the end of a step, and moved by those at its start: what is missing is their change over the step,
/// which is of first order, so that half the step misses half as much. Steps are no longer than those of the model, in which the force of
/// a contact can be followed: over longer ones it swings.
#[test]
fn contacts_of_a_chain_lag_by_a_step() {
    let chain = || every_model().into_iter().find(|body| body.model() == Model::Chain).unwrap();
    let Body::Chain(model) = chain() else { unreachable!() };
    for hold in [Hold::Position, Hold::Clamp] {
        let [whole, half] = [1.0, 0.5].map(|part| missing(chain(), part / model.rate(), hold, true));
        for k in 0..2 {
            let ratio = half[k] / whole[k];
            assert!((ratio - 0.5).abs() < 0.05, "{hold:?}: {whole:?} and {half:?} are missing");
        }
    }
}

/// Height of the lowest point of a body [m].
fn lowest(body: &Body) -> f64 {
    let mut seen = BodyFrame::default();
    body.write_frame(GRAVITY, &mut seen);
    seen.nodes.iter().map(|node| node.z).fold(f64::INFINITY, f64::min) - body.radius()
}
