//! Quantities that an expectation can be about, such as `body.wire.end.z`.

mod words;

use pliant::math::Vec3;
use pliant::{Body, Frame, World, topology};

use crate::text::error::SceneError;

/// A quantity that can be measured in a frame; names are resolved to indices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Observable {
    /// A coordinate of a node; `None` is the last node.
    Node(usize, Option<usize>, Axis),
    /// The smallest or largest coordinate of a body.
    Extent(usize, Side, Axis),
    /// Length of the polyline through the nodes of a body.
    Length(usize),
    /// Signed number of turns of a body about the z axis of an obstacle.
    Turns(usize, usize),
    /// Advance along that axis per turn, over the part that is wound on the obstacle.
    Pitch(usize, usize),
    /// Determinant of the knot in a body: 1 without one, 3 for an overhand knot.
    Knot(usize),
    Energy(usize, Energy),
    /// Value of a field: body, field, where.
    Field(usize, usize, Where),
    /// Smallest bending radius: body, its curvature field.
    BendRadius(usize, usize),
    /// Of a joint of an arm or a lattice: body, joint, what.
    Joint(usize, usize, Joint),
    Position(usize, Axis),
    Force(usize, Part),
    Torque(usize, Part),
    /// What a sensor reads.
    SensorForce(usize, Part),
    SensorTorque(usize, Part),
    ContactCount,
    ContactPenetration,
    ContactForce,
    /// Force of an obstacle on one body, or on all of them.
    Push(usize, Option<usize>, Part),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Joint {
    Position,
    Speed,
    Torque,
}

/// Position along a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Where {
    /// Where the value is smallest or largest.
    Extreme(Side),
    Node(usize),
    /// At a fraction of its length, interpolated between nodes.
    Fraction(f64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Axis {
    X,
    Y,
    Z,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Side {
    Min,
    Max,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Energy {
    Kinetic,
    Elastic,
    Gravity,
    Total,
    Created,
    Dissipated,
    Stored,
    Grips,
    Loads,
    Obstacles,
    Bodies,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Part {
    Along(Axis),
    Norm,
}

/// Names of everything in a scene, and a first frame that shows its fields.
pub(crate) struct Known<'a> {
    pub(crate) bodies: Vec<&'a str>,
    pub(crate) grippers: Vec<&'a str>,
    pub(crate) sensors: Vec<&'a str>,
    pub(crate) obstacles: Vec<&'a str>,
    /// Names of the joints of each body.
    pub(crate) joints: Vec<Vec<&'a str>>,
    pub(crate) frame: Frame,
}

impl Known<'_> {
    /// Those of a world.
    pub(crate) fn of(world: &World) -> Known<'_> {
        Known {
            bodies: world.bodies().iter().map(Body::name).collect(),
            grippers: world.grippers().iter().map(|gripper| gripper.params.name.as_str()).collect(),
            sensors: world.sensors().iter().map(|sensor| sensor.params.name.as_str()).collect(),
            obstacles: world.obstacles().iter().map(|obstacle| obstacle.params.name.as_str()).collect(),
            joints: world.bodies().iter().map(joint_names).collect(),
            frame: world.frame(),
        }
    }
}

/// Names of the joints of a body.
fn joint_names(body: &Body) -> Vec<&str> {
    match body {
        Body::Arm(arm) => arm.model().coordinates().iter().map(|coordinate| coordinate.name.as_str()).collect(),
        Body::Lattice(lattice) => lattice.joints().map(|(name, _)| name).collect(),
        _ => vec![],
    }
}

/// A quantity of a world that can be measured in its frames, by the words that expectations have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure(Observable);

impl Measure {
    /// A quantity such as `gripper.hand.force.norm`. It holds as long as the world has the same bodies, grippers, sensors and
    /// obstacles.
    pub fn new(world: &World, words: &str) -> Result<Measure, SceneError> {
        Observable::parse(words, &Known::of(world)).map(Measure).map_err(|fault| fault.into_error("<quantity>", words))
    }

    /// Its value; NaN if the frame does not have it.
    pub fn value(&self, frame: &Frame) -> f64 {
        self.0.value(frame)
    }
}

impl Observable {
    /// Its value; NaN if the frame does not have it.
    pub(crate) fn value(&self, frame: &Frame) -> f64 {
        self.measure(frame).unwrap_or(f64::NAN)
    }

    fn measure(&self, frame: &Frame) -> Option<f64> {
        Some(match *self {
            Observable::Node(body, node, axis) => {
                let nodes = &frame.bodies.get(body)?.nodes;
                along(*nodes.get(node.unwrap_or(nodes.len().wrapping_sub(1)))?, axis)
            }
            Observable::Extent(body, side, axis) => {
                extreme(frame.bodies.get(body)?.nodes.iter().map(|node| along(*node, axis)), side)?
            }
            Observable::Length(body) => {
                frame.bodies.get(body)?.nodes.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
            }
            Observable::Turns(body, obstacle) => {
                topology::turns(&frame.bodies.get(body)?.nodes, frame.obstacles.get(obstacle)?)
            }
            Observable::Pitch(body, obstacle) => {
                topology::pitch(&frame.bodies.get(body)?.nodes, frame.obstacles.get(obstacle)?)
            }
            Observable::Knot(body) => topology::knot_determinant(&frame.bodies.get(body)?.nodes) as f64,
            Observable::Energy(body, kind) => {
                let pliant::BodyFrame { energy, account, .. } = frame.bodies.get(body)?;
                match kind {
                    Energy::Kinetic => energy.kinetic,
                    Energy::Elastic => energy.elastic,
                    Energy::Gravity => energy.gravity,
                    Energy::Total => energy.total(),
                    Energy::Created => account.created,
                    Energy::Dissipated => account.dissipated(),
                    Energy::Stored => account.stored,
                    Energy::Grips => account.work.grips,
                    Energy::Loads => account.work.loads,
                    Energy::Obstacles => account.work.obstacles,
                    Energy::Bodies => account.work.bodies,
                }
            }
            Observable::Field(body, field, place) => place.of(&frame.bodies.get(body)?.fields.get(field)?.values)?,
            Observable::BendRadius(body, field) => {
                1.0 / Where::Extreme(Side::Max).of(&frame.bodies.get(body)?.fields.get(field)?.values)?
            }
            Observable::Joint(body, joint, what) => {
                let pliant::JointFrame { position, speed, torque } = frame.bodies.get(body)?.joints.get(joint)?;
                match what {
                    Joint::Position => *position,
                    Joint::Speed => *speed,
                    Joint::Torque => *torque,
                }
            }
            Observable::Position(gripper, axis) => along(frame.grippers.get(gripper)?.pose.translation, axis),
            Observable::Force(gripper, part) => part.of(frame.grippers.get(gripper)?.load.force),
            Observable::Torque(gripper, part) => part.of(frame.grippers.get(gripper)?.load.torque),
            Observable::SensorForce(sensor, part) => part.of(frame.sensors.get(sensor)?.force),
            Observable::SensorTorque(sensor, part) => part.of(frame.sensors.get(sensor)?.torque),
            Observable::ContactCount => frame.contacts.len() as f64,
            Observable::ContactPenetration => frame.penetration,
            Observable::ContactForce => frame.contacts.iter().map(|c| c.force.length()).sum(),
            Observable::Push(obstacle, body, part) => part.of(frame.force_of_obstacle(obstacle, body)),
        })
    }
}

impl Where {
    /// The value there, given one value per node.
    fn of(self, values: &[f64]) -> Option<f64> {
        match self {
            Where::Extreme(side) => extreme(values.iter().copied(), side),
            Where::Node(node) => values.get(node).copied(),
            Where::Fraction(fraction) => {
                let place = fraction * values.len().checked_sub(1)? as f64;
                let (before, after) = (values.get(place.floor() as usize)?, values.get(place.ceil() as usize)?);
                Some(before + (after - before) * place.fract())
            }
        }
    }
}

fn along(vector: Vec3, axis: Axis) -> f64 {
    match axis {
        Axis::X => vector.x,
        Axis::Y => vector.y,
        Axis::Z => vector.z,
    }
}

impl Part {
    fn of(self, vector: Vec3) -> f64 {
        match self {
            Part::Along(axis) => along(vector, axis),
            Part::Norm => vector.length(),
        }
    }
}

/// The smallest or largest value; NaN if any is NaN.
fn extreme(values: impl Iterator<Item = f64>, side: Side) -> Option<f64> {
    match side {
        Side::Max => values.reduce(nan_or_max),
        Side::Min => values.map(|value| -value).reduce(nan_or_max).map(|value| -value),
    }
}

fn nan_or_max(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pliant::math::Pose;
    use pliant::{BodyFrame, Contact, Energy as FrameEnergy, Field, GripperFrame, Wrench};

    fn known() -> Known<'static> {
        let nodes = vec![Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, 2.0, 7.0), Vec3::new(4.0, 6.0, 5.0)];
        let field = |name, values: &[f64]| Field { name, unit: "N", values: values.to_vec() };
        let fields = vec![
            field("tension", &[1.0, 5.0, -2.0]),
            field("bending moment", &[0.0, 0.25, 0.0]),
            field("curvature", &[0.0, 4.0, 0.5]),
        ];
        let energy = FrameEnergy { kinetic: 1.0, elastic: 2.0, gravity: 4.0 };
        let work = pliant::Work { grips: 5.0, loads: 6.0, obstacles: 7.0, bodies: 8.0 };
        let mut account = pliant::Account::default();
        (account.work, account.created) = (work, 0.5);
        let load = Wrench { force: Vec3::new(3.0, 0.0, 4.0), torque: Vec3::new(0.0, 5.0, 12.0) };
        let contact = |penetration, force| Contact {
            body: 0,
            other: pliant::Other::Obstacle(0),
            position: Vec3::ZERO,
            normal: Vec3::Z,
            force: Vec3::Z * force,
            along: None,
            penetration,
        };
        let arm = BodyFrame {
            joints: vec![pliant::JointFrame::default(), pliant::JointFrame { position: 0.5, speed: -1.5, torque: 2.5 }],
            ..BodyFrame::default()
        };
        let frame = Frame {
            bodies: vec![arm, BodyFrame { nodes, fields, energy, account, ..BodyFrame::default() }],
            grippers: vec![GripperFrame { pose: Pose::translation(7.0, 8.0, 9.0), load, attached: true }],
            sensors: vec![pliant::SensorFrame {
                pose: Pose::IDENTITY,
                force: Vec3::new(0.0, 6.0, 8.0),
                torque: Vec3::new(1.0, 2.0, -2.0),
            }],
            contacts: vec![contact(-0.1, 2.0), contact(0.2, 3.0), contact(0.1, 0.0)],
            penetration: 0.3,
            ..Frame::default()
        };
        Known {
            bodies: vec!["rod", "wire"],
            grippers: vec!["hand"],
            sensors: vec!["wrist"],
            obstacles: vec!["drum"],
            joints: vec![vec!["shoulder", "slide.x"], vec![]],
            frame,
        }
    }

    #[test]
    fn every_quantity_has_the_value_computed_by_hand() {
        let known = known();
        let cases = [
            ("body.wire.start.x", 1.0),
            ("body.wire.start.z", 3.0),
            ("body.wire.end.y", 6.0),
            ("body.wire.node.1.z", 7.0),
            ("body.wire.min.z", 3.0),
            ("body.wire.max.z", 7.0),
            ("body.wire.length", 4.0 + 29.0_f64.sqrt()),
            ("body.wire.energy.kinetic", 1.0),
            ("body.wire.energy.elastic", 2.0),
            ("body.wire.energy.gravity", 4.0),
            ("body.wire.energy.total", 7.0),
            ("body.wire.energy.created", 0.5),
            ("body.wire.energy.dissipated", 0.5),
            ("body.wire.energy.work.grips", 5.0),
            ("body.wire.energy.work.loads", 6.0),
            ("body.wire.energy.work.obstacles", 7.0),
            ("body.wire.energy.work.bodies", 8.0),
            ("body.wire.field.tension.max", 5.0),
            ("body.wire.field.tension.min", -2.0),
            ("body.wire.field.bending_moment.max", 0.25),
            ("body.wire.tension.max", 5.0),
            ("body.wire.tension.start", 1.0),
            ("body.wire.tension.end", -2.0),
            ("body.wire.tension.node.1", 5.0),
            ("body.wire.tension.at.0.25", 3.0),
            ("body.wire.tension.at.1", -2.0),
            ("body.wire.field.tension.at.0.75", 1.5),
            ("body.wire.curvature.max", 4.0),
            ("body.wire.bend_radius", 0.25),
            ("body.rod.joint.slide.x.position", 0.5),
            ("body.rod.joint.slide.x.speed", -1.5),
            ("body.rod.joint.slide.x.torque", 2.5),
            ("body.rod.joint.shoulder.torque", 0.0),
            ("obstacle.drum.force.z", 5.0),
            ("obstacle.drum.force.norm", 5.0),
            ("obstacle.drum.force_on.rod.z", 5.0),
            ("obstacle.drum.force_on.wire.z", 0.0),
            ("gripper.hand.position.y", 8.0),
            ("gripper.hand.force.x", 3.0),
            ("gripper.hand.force.norm", 5.0),
            ("gripper.hand.torque.z", 12.0),
            ("gripper.hand.torque.norm", 13.0),
            ("sensor.wrist.force.z", 8.0),
            ("sensor.wrist.force.norm", 10.0),
            ("sensor.wrist.torque.x", 1.0),
            ("sensor.wrist.torque.norm", 3.0),
            ("contacts.count", 3.0),
            ("contacts.penetration", 0.3),
            ("contacts.force", 5.0),
        ];
        for (text, value) in cases {
            let observable = Observable::parse(text, &known).unwrap_or_else(|f| panic!("{text}: {f:?}"));
            assert_eq!(observable.value(&known.frame), value, "{text}");
        }
    }

    #[test]
    fn wrong_quantities_are_explained() {
        let known = known();
        let cases = [
            ("bodi.wire.end.x", "s: there is no kind of quantity named `bodi` (did you mean `body`?)"),
            ("body.wier.end.x", "s: there is no body named `wier` (did you mean `wire`?)"),
            ("body.wire.edn.x", "s: there is no quantity of a body named `edn` (did you mean `end`?)"),
            ("body.wire.end", "s: `body.wire.end` is cut short: one of x, y, z must follow"),
            ("body.wire.end.x.y", "s: `body.wire.end.x.y` is complete before `y`"),
            ("body.wire.node.3.x", "s: wire has no node `3`: its nodes are 0 to 2"),
            ("body.wire.node.-1.x", "s: wire has no node `-1`: its nodes are 0 to 2"),
            ("body.wire.field.tensoin.max", "s: there is no field named `tensoin` (did you mean `tension`?)"),
            ("gripper.hand.force.size", "s: there is no part of a force named `size` (known: x, y, z, norm)"),
            ("body.wire.tension.at.1.5", "s: `at` must be followed by a fraction from 0 to 1, such as 0.25, not `1.5`"),
            ("body.wire.tension.at", "s: `at` must be followed by a fraction from 0 to 1, such as 0.25, not ``"),
            (
                "body.wire.tension",
                "s: `body.wire.tension` is cut short: one of max, min, start, end, node, at must follow",
            ),
            ("body.wire.tension.node.9", "s: wire has no node `9`: its nodes are 0 to 2"),
            ("body.rod.curvature.max", "s: this model has no `curvature`; its fields are "),
            ("body.rod.bend_radius", "s: this model has no `bend_radius`; its fields are "),
            ("sensor.wirst.force.x", "s: there is no sensor named `wirst` (did you mean `wrist`?)"),
            (
                "body.wire.joint.elbow.torque",
                "s: wire is no arm, and no solid whose parts are joined: it has no joints",
            ),
            ("body.rod.joint.sholder.torque", "s: there is no joint named `sholder` (did you mean `shoulder`?)"),
            (
                "body.rod.joint.shoulder.force",
                "s: there is no quantity of a joint named `force` (known: position, speed, torque)",
            ),
            (
                "body.rod.joint.shoulder",
                "s: `body.rod.joint.shoulder` is cut short: one of position, speed, torque must follow",
            ),
            ("obstacle.drum.force_on.wier.z", "s: there is no body named `wier` (did you mean `wire`?)"),
            ("", "s: there is no kind of quantity named `` (known: body, gripper, sensor, obstacle, contacts)"),
        ];
        for (text, message) in cases {
            let fault = Observable::parse(text, &known).unwrap_err();
            assert_eq!(fault.into_error("s", "").to_string(), message);
        }
    }

    #[test]
    fn a_nan_among_values_is_not_hidden() {
        assert!(extreme([1.0, f64::NAN, 3.0].into_iter(), Side::Max).unwrap().is_nan());
        assert!(extreme([1.0, f64::NAN, 3.0].into_iter(), Side::Min).unwrap().is_nan());
        assert!(Observable::Length(7).value(&Frame::default()).is_nan());
        assert!(Observable::Node(0, None, Axis::X).value(&known().frame).is_nan());
    }
}
