//! Absurd values, and handles of what is not there, for everything that may be done to a world between steps: each call says
//! what is wrong with what, and leaves the world as it was, to the bit.
#![allow(clippy::unwrap_used)]

#[path = "common/models.rs"]
mod models;

use std::fmt::{Debug, Display};

use models::{HEIGHT, block, every_model};
use pliant::arm::{Arm, ArmSpec, Impedance, JointDrive};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Mat3, Pose, Quat, Vec3};
use pliant::motion::{Blend, Drive, Leg, Motion, Waypoint, Wind, Window};
use pliant::robot::{Base, JointKind, JointSpec, LinkSpec, RobotSpec};
use pliant::{
    Body, BodyId, Change, FingerParams, Friction, GripId, GripParams, GripperId, GripperParams, Hold, Jaws, Load,
    LoadId, ObstacleId, Place, Rest, SensorId, SensorParams, World,
};

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

/// One of each kind of handle.
#[derive(Clone, Copy)]
struct Parts {
    body: BodyId,
    arm: BodyId,
    obstacle: ObstacleId,
    tip: ObstacleId,
    hand: GripperId,
    finger: GripperId,
    carried: GripperId,
    grip: GripId,
    load: LoadId,
    sensor: SensorId,
}

fn arm(name: &str) -> Body {
    let link = |name: &str| LinkSpec {
        name: name.into(),
        mass: 0.5,
        centre: Vec3::X * 0.1,
        inertia: Mat3::from_diagonal(Vec3::splat(1e-3)),
    };
    let joint = JointSpec::new("elbow", JointKind::Continuous, [0, 1], Pose::IDENTITY, Vec3::Y);
    let base = Base::Fixed(Pose::from_translation(Vec3::new(-2.0, 0.0, HEIGHT)));
    let robot = RobotSpec {
        name: name.into(),
        links: vec![link("base"), link("upper")],
        joints: vec![joint],
        base,
        gravity: Vec3::ZERO,
    };
    let drives = vec![JointDrive::Position { target: 0.05, stiffness: 50.0, damping: 5.0 }];
    Body::Arm(Arm::new(name, ArmSpec { drives, ..ArmSpec::new(robot) }).unwrap())
}

fn at(place: Vec3) -> Pose {
    Pose::from_translation(place)
}

fn ball(name: &str, placed: Pose) -> ObstacleParams {
    ObstacleParams::fixed(name, Shape::new(ShapeKind::Sphere { radius: 0.01 }).unwrap(), placed)
}

/// A body that is held, loaded and felt by a sensor, a fingertip, an obstacle, and an arm that carries a gripper.
fn world_of(body: Body) -> (World, Parts) {
    let mut world = World::new(Vec3::Z * -9.81);
    let obstacle = world.add_obstacle(ball("ball", at(Vec3::Y))).unwrap();
    let start = body.place_pose(Place::Node(0)).unwrap();
    let body = world.add_body(body).unwrap();
    let arm = world.add_body(arm("arm")).unwrap();
    let hand = world.add_gripper(GripperParams::at("hand", start)).unwrap();
    let finger = world.add_gripper(GripperParams::at("finger", at(Vec3::NEG_Y))).unwrap();
    let carried = world.add_gripper(GripperParams::at("tool", at(Vec3::NEG_Y))).unwrap();
    let tip = world.add_finger(FingerParams { gripper: finger, radius: 0.005, friction: None }).unwrap();
    world.carry(carried, arm, "upper", at(Vec3::X * 0.2)).unwrap();
    let grip = world.grasp(hand, body, Place::Node(0), Hold::Position).unwrap();
    let load = world.add_load(Load::new(body, Place::Node(2), Vec3::X * 1e-3)).unwrap();
    let sensor = world.add_sensor(SensorParams::ideal("wrist", hand)).unwrap();
    world.ready().unwrap();
    (0..20).for_each(|_| world.step(1e-3).unwrap());
    (world, Parts { body, arm, obstacle, tip, hand, finger, carried, grip, load, sensor })
}

/// Calls that have to be refused, in a world that has to stay as it is.
struct Table {
    world: World,
    model: String,
    asked: usize,
}

impl Table {
    /// Make a call that must fail, with each of these words in what it says.
    fn refuse<T: Debug, E: Display>(&mut self, words: &[&str], call: impl FnOnce(&mut World) -> Result<T, E>) {
        let (before, revision) = (self.world.snapshot(), self.world.revision());
        let said = match call(&mut self.world) {
            Ok(answer) => panic!("{}: {words:?} was accepted, with {answer:?}", self.model),
            Err(error) => error.to_string(),
        };
        for word in words {
            assert!(said.contains(word), "{}: `{said}` does not say `{word}`", self.model);
        }
        assert!(self.world.snapshot() == before, "{}: `{said}`, but something has changed", self.model);
        assert_eq!(self.world.revision(), revision, "{}: `{said}`", self.model);
        self.asked += 1;
    }
}

fn vectors() -> [Vec3; 3] {
    [Vec3::new(0.0, NAN, 0.0), Vec3::new(0.0, 0.0, INF), Vec3::new(-INF, 0.0, 0.0)]
}

/// Poses that are nowhere, or no rotations.
fn poses() -> Vec<Pose> {
    let far = [1e300, -1e7].map(|far| at(Vec3::X * far));
    let turns = [Quat::from_xyzw(0.0, 0.0, 0.0, 2.0), Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), Quat::NAN];
    let turned = turns.map(|turn| Pose::from_parts(Vec3::ZERO, turn));
    vectors().map(at).into_iter().chain(far).chain(turned).collect()
}

/// Motions that lead nowhere, with what is wrong with them.
fn motions() -> Vec<(&'static str, Motion)> {
    let always = Window::ALWAYS;
    let waypoint = Waypoint { time: 0.0, position: Vec3::ZERO, orientation: None };
    let way = |waypoints: Vec<Waypoint>| Motion::Waypoints { blend: Blend::Linear, waypoints };
    let turn = Motion::Turn {
        axis: Vec3::Z,
        centre: Vec3::ZERO,
        angle: 1.0,
        advance: 0.0,
        blend: Blend::Linear,
        window: Window { start: 0.0, end: 1.0 },
    };
    let with = |change: &dyn Fn(&mut Motion)| {
        let mut turn = turn.clone();
        change(&mut turn);
        turn
    };
    let wind = Wind {
        centre: Vec3::ZERO,
        axis: Vec3::Z,
        from: Vec3::X,
        towards: Vec3::Y,
        length: 1.0,
        pitch: 0.01,
        turns: 1.0,
        start: 0.0,
        period: 1.0,
    };
    let glide = |velocity, window| Motion::Glide { velocity, acceleration: Vec3::ZERO, window };
    vec![
        ("waypoints", way(vec![])),
        ("time of a waypoint", way(vec![Waypoint { time: NAN, ..waypoint }])),
        ("time of a waypoint", way(vec![Waypoint { time: 1.0, ..waypoint }, waypoint])),
        ("pose", way(vec![Waypoint { position: Vec3::X * INF, ..waypoint }])),
        ("pose", way(vec![Waypoint { orientation: Some(Quat::NAN), ..waypoint }])),
        ("velocity", glide(Vec3::NAN, always)),
        ("start of the motion", glide(Vec3::X, Window { start: NAN, end: 1.0 })),
        ("end of the motion", glide(Vec3::X, Window { start: 1.0, end: 0.0 })),
        ("acceleration", Motion::Glide { velocity: Vec3::X, acceleration: Vec3::INFINITY, window: always }),
        (
            "axis",
            with(&|m| {
                if let Motion::Turn { axis, .. } = m {
                    *axis = Vec3::ZERO
                }
            }),
        ),
        (
            "centre",
            with(&|m| {
                if let Motion::Turn { centre, .. } = m {
                    *centre = Vec3::NAN
                }
            }),
        ),
        (
            "angle",
            with(&|m| {
                if let Motion::Turn { angle, .. } = m {
                    *angle = INF
                }
            }),
        ),
        (
            "advance",
            with(&|m| {
                if let Motion::Turn { advance, .. } = m {
                    *advance = NAN
                }
            }),
        ),
        ("amplitude", Motion::Sinusoid { amplitude: Vec3::NAN, frequency: 1.0, phase: 0.0 }),
        ("frequency", Motion::Sinusoid { amplitude: Vec3::X, frequency: INF, phase: 0.0 }),
        ("phase", Motion::Sinusoid { amplitude: Vec3::X, frequency: 1.0, phase: NAN }),
        ("axis", Motion::Wind(Wind { axis: Vec3::ZERO, ..wind })),
        ("turns", Motion::Wind(Wind { turns: NAN, ..wind })),
        ("period", Motion::Wind(Wind { period: -1.0, ..wind })),
        ("length", Motion::Wind(Wind { length: INF, ..wind })),
        ("duration", Motion::Sequence(vec![Leg { duration: -1.0, motion: Motion::Hold }])),
        ("velocity", Motion::Sequence(vec![Leg { duration: 1.0, motion: glide(Vec3::NAN, always) }])),
    ]
}

fn refuse_steps_and_drives(table: &mut Table, p: Parts) {
    for gravity in vectors() {
        table.refuse(&["gravity", "finite"], |w| w.set_gravity(gravity));
    }
    for dt in [NAN, INF, -INF, 0.0, -1e-3] {
        table.refuse(&["a step must be finite and longer than zero"], |w| w.step(dt));
    }
    for bad in vectors() {
        let drive = Drive::Velocity { linear: bad, angular: Vec3::ZERO };
        table.refuse(&["the velocity of hand", "finite"], |w| w.drive(p.hand, drive));
        table.refuse(&["the velocity of ball", "finite"], |w| w.drive_obstacle(p.obstacle, drive));
        let drive = Drive::Velocity { linear: Vec3::ZERO, angular: bad };
        table.refuse(&["the angular velocity of hand", "finite"], |w| w.drive(p.hand, drive));
        table.refuse(&["the angular velocity of ball", "finite"], |w| w.drive_obstacle(p.obstacle, drive));
    }
    for pose in poses() {
        table.refuse(&["the pose of hand"], |w| w.drive(p.hand, Drive::Pose(pose)));
        table.refuse(&["the pose of ball"], |w| w.drive_obstacle(p.obstacle, Drive::Pose(pose)));
        table.refuse(&["the pose of finger"], |w| w.put_gripper(p.finger, pose));
        table.refuse(&["the pose of hand"], |w| w.carry(p.hand, p.arm, "upper", pose));
        table.refuse(&["the pose of ball"], |w| w.carry_obstacle(p.obstacle, p.arm, "upper", pose));
        let rigid = Impedance { stiffness: [1.0; 6], damping: [1.0; 6], idle_damping: 1.0 };
        table.refuse(&["tool", "target"], |w| w.drive_tool(p.carried, Some(rigid), Some(pose)));
    }
    let carried = Drive::Carried { arm: 0, link: 0, at: Pose::IDENTITY };
    table.refuse(&["hand", "let an arm carry it"], |w| w.drive(p.hand, carried));
    table.refuse(&["ball", "let an arm carry it"], |w| w.drive_obstacle(p.obstacle, carried));
    table.refuse(&["hand holds something"], |w| w.put_gripper(p.hand, Pose::IDENTITY));
    let resting = Drive::Pose(Pose::IDENTITY);
    table.refuse(&["fingertip of finger", "drive the gripper"], |w| w.drive_obstacle(p.tip, resting));
    table.refuse(&["fingertip", "finger"], |w| w.remove_obstacle(p.tip));
    table.refuse(&["fingertip of finger"], |w| w.carry_obstacle(p.tip, p.arm, "upper", Pose::IDENTITY));
}

fn refuse_grips_and_loads(table: &mut Table, p: Parts, name: &str) {
    let fractions = [NAN, INF, -0.1, 1.1].map(Place::Fraction);
    let points = [Place::Point(Vec3::NAN), Place::Box { low: Vec3::NAN, high: Vec3::ONE }];
    for place in fractions.into_iter().chain([Place::Node(usize::MAX)]).chain(points) {
        table.refuse(&[name], |w| w.grasp(p.finger, p.body, place, Hold::Position));
        table.refuse(&[name], |w| w.add_load(Load::new(p.body, place, Vec3::X)));
    }
    for within in [NAN, -1.0] {
        table.refuse(&["the reach of finger"], |w| w.grasp_nearest(p.finger, within, Hold::Position));
    }
    let grip = GripParams::new(p.finger, p.body, Place::Node(0), Hold::Position);
    let firm = Jaws::FIRM;
    for (words, bad) in [
        ("from which a grip holds", GripParams { from: NAN, ..grip }),
        ("until which a grip holds", GripParams { until: NAN, ..grip }),
        ("takes to close", GripParams { closing: NAN, ..grip }),
        ("takes to close", GripParams { closing: -1.0, ..grip }),
        ("takes to close", GripParams { closing: INF, ..grip }),
        ("stiffness", GripParams { jaws: Jaws { stiffness: NAN, ..firm }, ..grip }),
        ("stiffness", GripParams { jaws: Jaws { stiffness: 0.0, ..firm }, ..grip }),
        ("slips_at", GripParams { jaws: Jaws { slips_at: -1.0, ..firm }, ..grip }),
        ("opens_at", GripParams { jaws: Jaws { opens_at: NAN, ..firm }, ..grip }),
    ] {
        table.refuse(&[words, name], |w| w.add_grip(bad));
    }
    let load = Load::new(p.body, Place::Node(2), Vec3::X);
    for bad in vectors() {
        table.refuse(&["the force of a load", name], |w| w.add_load(Load { force: bad, ..load }));
        // some models take no torque at all
        table.refuse(&["torque", name], |w| w.add_load(Load { torque: bad, ..load }));
        table.refuse(&["the force of a load", name], |w| w.set_load(p.load, bad, Vec3::ZERO));
        table.refuse(&["torque", name], |w| w.set_load(p.load, Vec3::ZERO, bad));
    }
    for (words, bad) in [
        ("from which a load acts", Load { from: NAN, ..load }),
        ("until which a load acts", Load { until: NAN, ..load }),
        ("rise", Load { rise: NAN, ..load }),
        ("rise", Load { rise: -1.0, ..load }),
        ("fall", Load { fall: INF, ..load }),
    ] {
        table.refuse(&[words, name], |w| w.add_load(bad));
    }
}

fn refuse_properties(table: &mut Table, p: Parts, name: &str) {
    let friction = |coefficient, exponent| Friction { coefficient, exponent };
    let frictions =
        [friction(NAN, 1.0), friction(INF, 1.0), friction(-1.0, 1.0), friction(0.3, NAN), friction(0.3, -1.0)];
    for bad in frictions {
        table.refuse(&["friction", "ball"], |w| w.set_obstacle_friction(p.obstacle, Some(bad)));
        table.refuse(&["friction", name], |w| w.change(p.body, Change::Friction(bad)));
        let params = FingerParams { gripper: p.hand, radius: 0.01, friction: Some(bad) };
        table.refuse(&["friction", "hand"], |w| w.add_finger(params));
        table.refuse(&["friction"], |w| {
            w.add_obstacle(ObstacleParams { friction: Some(bad), ..ball("new", at(Vec3::Z)) })
        });
    }
    for value in [NAN, INF, 0.0, -1.0] {
        table.refuse(&["modulus", name], |w| w.change(p.body, Change::Young(value)));
        table.refuse(&["density", name], |w| w.change(p.body, Change::Density(value)));
        table.refuse(&["adius"], |w| w.add_finger(FingerParams { gripper: p.hand, radius: value, friction: None }));
    }
    for value in [NAN, INF, -1.0] {
        table.refuse(&["damping", name], |w| w.change(p.body, Change::DampingTime(value)));
        table.refuse(&["drag", name], |w| w.change(p.body, Change::Drag(value)));
    }
    for value in [NAN, INF] {
        table.refuse(&[name], |w| w.change(p.body, Change::Rest(Rest::Curved { curvature: [value; 2], twist: 0.0 })));
    }
    let points = |w: &World| w.frame().bodies[0].nodes.clone();
    table.refuse(&[name], |w| w.set_points(p.body, &[]));
    table.refuse(&[name], |w| {
        let mut nowhere = points(w);
        nowhere[1].z = NAN;
        w.set_points(p.body, &nowhere)
    });
}

fn refuse_parts(table: &mut Table, p: Parts, name: &str) {
    for pose in poses() {
        table.refuse(&["the pose of new"], |w| w.add_gripper(GripperParams::at("new", pose)));
        table.refuse(&["the pose of new"], |w| w.add_obstacle(ball("new", pose)));
    }
    for (words, motion) in motions() {
        let (placed, moves) = (at(Vec3::Z), motion.clone());
        table.refuse(&[words, "new"], |w| w.add_gripper(GripperParams { name: "new".into(), placed, motion: moves }));
        table.refuse(&[words, "new"], |w| w.add_obstacle(ObstacleParams { motion, ..ball("new", placed) }));
    }
    table.refuse(&["hand", "names must differ"], |w| w.add_gripper(GripperParams::at("hand", Pose::IDENTITY)));
    table.refuse(&["ball", "names must differ"], |w| w.add_obstacle(ball("ball", Pose::IDENTITY)));
    table.refuse(&["finger", "names must differ"], |w| {
        w.add_finger(FingerParams { gripper: p.finger, radius: 0.01, friction: None })
    });
    table.refuse(&[name, "names must differ"], |w| w.add_body(block(name, Vec3::Z)));
    let ideal = SensorParams::ideal("new", p.hand);
    table.refuse(&["wrist", "names must differ"], |w| w.add_sensor(SensorParams::ideal("wrist", p.hand)));
    for (words, bad) in [
        ("rate", SensorParams { rate: NAN, ..ideal.clone() }),
        ("rate", SensorParams { rate: -1.0, ..ideal.clone() }),
        ("bandwidth", SensorParams { bandwidth: 0.0, ..ideal.clone() }),
        ("noise", SensorParams { force_noise: INF, ..ideal.clone() }),
        ("noise", SensorParams { torque_noise: -1.0, ..ideal.clone() }),
        ("tare", SensorParams { tare: Some(NAN), ..ideal.clone() }),
        ("mass", SensorParams { tool_mass: NAN, ..ideal.clone() }),
        ("centre", SensorParams { tool_centre: Vec3::NAN, ..ideal.clone() }),
        ("pose", SensorParams { gripper_from_sensor: at(Vec3::NAN), ..ideal.clone() }),
    ] {
        table.refuse(&[words, "new"], |w| w.add_sensor(bad));
    }
    let (foreign, _) = world_of(block("foreign", Vec3::Z * HEIGHT));
    table.refuse(&["another world"], |w| w.restore(&foreign.snapshot()));
}

fn refuse_arms(table: &mut Table, p: Parts, name: &str) {
    let here = Pose::IDENTITY;
    table.refuse(&["arm", "no link `finger`", "upper"], |w| w.carry(p.hand, p.arm, "finger", here));
    table.refuse(&[name, "name an arm"], |w| w.carry(p.hand, p.body, "upper", here));
    table.refuse(&["arm", "`knee`", "elbow"], |w| w.drive_joint(p.arm, "knee", JointDrive::Free));
    table.refuse(&[name, "`elbow`", "no arm"], |w| w.drive_joint(p.body, "elbow", JointDrive::Free));
    for bad in [
        JointDrive::Torque(NAN),
        JointDrive::Torque(INF),
        JointDrive::Velocity { target: INF, gain: 1.0 },
        JointDrive::Velocity { target: 1.0, gain: -1.0 },
        JointDrive::Position { target: NAN, stiffness: 1.0, damping: 1.0 },
        JointDrive::Position { target: 0.0, stiffness: -1.0, damping: 1.0 },
        JointDrive::Position { target: 0.0, stiffness: 1.0, damping: INF },
    ] {
        table.refuse(&["elbow", "finite"], |w| w.drive_joint(p.arm, "elbow", bad));
    }
    let rigid = Impedance { stiffness: [1.0; 6], damping: [1.0; 6], idle_damping: 1.0 };
    table.refuse(&["hand", "no arm carries it"], |w| w.drive_tool(p.hand, Some(rigid), None));
    for bad in [NAN, INF, -1.0] {
        for impedance in [
            Impedance { stiffness: [bad; 6], ..rigid },
            Impedance { damping: [bad; 6], ..rigid },
            Impedance { idle_damping: bad, ..rigid },
        ] {
            table.refuse(&["tool", "finite"], |w| w.drive_tool(p.carried, Some(impedance), None));
        }
    }
}

/// Handles of what was removed, or of another world, wherever one may be given.
fn refuse_handles(table: &mut Table, own: Parts, p: Parts) {
    let not_here = |kind: &'static str| format!("this {kind} is not in this world");
    let [body, obstacle, gripper] = ["body", "obstacle", "gripper"].map(not_here);
    let [grip, load, sensor] = ["grip", "load", "sensor"].map(not_here);
    let (here, place, hold) = (Pose::IDENTITY, Place::Node(0), Hold::Position);
    let (body, obstacle, gripper): (&[&str], &[&str], &[&str]) = (&[&body], &[&obstacle], &[&gripper]);
    table.refuse(body, |w| w.body(p.body).map(drop));
    table.refuse(body, |w| w.body_index(p.body));
    table.refuse(body, |w| w.grasp(own.finger, p.body, place, hold));
    table.refuse(body, |w| w.add_grip(GripParams::new(own.finger, p.body, place, hold)));
    table.refuse(body, |w| w.add_load(Load::new(p.body, place, Vec3::X)));
    table.refuse(body, |w| w.change(p.body, Change::Drag(1.0)));
    table.refuse(body, |w| w.set_points(p.body, &[]));
    table.refuse(body, |w| w.settle(p.body).map(drop));
    table.refuse(body, |w| w.remove_body(p.body).map(drop));
    table.refuse(body, |w| w.carry(own.hand, p.arm, "upper", here));
    table.refuse(body, |w| w.carry_obstacle(own.obstacle, p.arm, "upper", here));
    table.refuse(body, |w| w.drive_joint(p.arm, "elbow", JointDrive::Free));
    table.refuse(obstacle, |w| w.obstacle(p.obstacle).map(drop));
    table.refuse(obstacle, |w| w.obstacle_index(p.obstacle));
    table.refuse(obstacle, |w| w.drive_obstacle(p.obstacle, Drive::Prescribed));
    table.refuse(obstacle, |w| w.drive_obstacle(p.tip, Drive::Prescribed));
    table.refuse(obstacle, |w| w.set_obstacle_friction(p.obstacle, None));
    table.refuse(obstacle, |w| w.carry_obstacle(p.obstacle, own.arm, "upper", here));
    table.refuse(obstacle, |w| w.remove_obstacle(p.obstacle));
    table.refuse(gripper, |w| w.gripper(p.hand).map(drop));
    table.refuse(gripper, |w| w.gripper_index(p.hand));
    table.refuse(gripper, |w| w.grasp(p.hand, own.body, place, hold));
    table.refuse(gripper, |w| w.grasp_nearest(p.hand, 1.0, hold));
    table.refuse(gripper, |w| w.drive(p.hand, Drive::Prescribed));
    table.refuse(gripper, |w| w.put_gripper(p.hand, here));
    table.refuse(gripper, |w| w.carry(p.hand, own.arm, "upper", here));
    table.refuse(gripper, |w| w.drive_tool(p.carried, None, None));
    table.refuse(gripper, |w| w.tool(p.carried).map(drop));
    table.refuse(gripper, |w| w.add_finger(FingerParams { gripper: p.hand, radius: 0.01, friction: None }));
    table.refuse(gripper, |w| w.add_sensor(SensorParams::ideal("new", p.hand)));
    table.refuse(gripper, |w| w.remove_gripper(p.hand));
    table.refuse(&[&grip], |w| w.grip(p.grip).map(drop));
    table.refuse(&[&grip], |w| w.release(p.grip));
    table.refuse(&[&load], |w| w.load(p.load).map(drop));
    table.refuse(&[&load], |w| w.set_load(p.load, Vec3::X, Vec3::ZERO));
    table.refuse(&[&load], |w| w.remove_load(p.load));
    table.refuse(&[&sensor], |w| w.reading(p.sensor).map(drop));
    table.refuse(&[&sensor], |w| w.tare(p.sensor));
    table.refuse(&[&sensor], |w| w.remove_sensor(p.sensor));
}

/// Handles of things that have been in a world and were removed.
fn stale(world: &mut World, body: &Body) -> Parts {
    let gone = {
        let named = |kind: &str| format!("old {kind}");
        let hand = world.add_gripper(GripperParams::at(&named("hand"), at(Vec3::NEG_Z))).unwrap();
        let finger = world.add_gripper(GripperParams::at(&named("finger"), at(Vec3::NEG_Z * 2.0))).unwrap();
        let tip = world.add_finger(FingerParams { gripper: finger, radius: 0.005, friction: None }).unwrap();
        let obstacle = world.add_obstacle(ball(&named("ball"), at(Vec3::NEG_Z * 3.0))).unwrap();
        let arm = world.add_body(arm(&named("arm"))).unwrap();
        let block = world.add_body(block(&named(body.name()), Vec3::Z * -4.0)).unwrap();
        let grip = world.grasp(hand, block, Place::Node(0), Hold::Position).unwrap();
        let load = world.add_load(Load::new(block, Place::Node(0), Vec3::X)).unwrap();
        let sensor = world.add_sensor(SensorParams::ideal(&named("wrist"), hand)).unwrap();
        Parts { body: block, arm, obstacle, tip, hand, finger, carried: finger, grip, load, sensor }
    };
    world.remove_body(gone.body).unwrap();
    world.remove_body(gone.arm).unwrap();
    world.remove_gripper(gone.hand).unwrap();
    world.remove_gripper(gone.finger).unwrap();
    world.remove_obstacle(gone.obstacle).unwrap();
    gone
}

#[test]
fn absurd_calls_are_refused_in_words_and_change_nothing() {
    for body in every_model() {
        let (mut world, parts) = world_of(body.clone());
        let gone = stale(&mut world, &body);
        let (_, foreign) = world_of(body.clone());
        let (name, mut untouched) = (body.name().to_string(), world.clone());
        let mut table = Table { world, model: name.clone(), asked: 0 };
        refuse_steps_and_drives(&mut table, parts);
        refuse_grips_and_loads(&mut table, parts, &name);
        refuse_properties(&mut table, parts, &name);
        refuse_parts(&mut table, parts, &name);
        refuse_arms(&mut table, parts, &name);
        refuse_handles(&mut table, parts, gone);
        refuse_handles(&mut table, parts, foreign);
        assert!(table.asked > 300, "{}", table.asked);
        for _ in 0..20 {
            table.world.step(1e-3).unwrap();
            untouched.step(1e-3).unwrap();
        }
        assert!(table.world.snapshot() == untouched.snapshot(), "{name} goes on otherwise");
    }
}

/// Values that are finite, but far beyond anything that can be computed, are refused, or a step says what they did and leaves the world as it
/// was, or it copes with them. Taken back, the world goes on.
#[test]
fn huge_values_are_survived() {
    type Call = (&'static str, fn(&mut World, Parts, f64) -> Result<(), pliant::ControlError>);
    let calls: [Call; 10] = [
        ("gravity", |w, _, x| w.set_gravity(Vec3::Z * x)),
        ("velocity", |w, p, x| w.drive(p.hand, Drive::Velocity { linear: Vec3::X * x, angular: Vec3::ZERO })),
        ("turn", |w, p, x| w.drive(p.hand, Drive::Velocity { linear: Vec3::ZERO, angular: Vec3::X * x })),
        ("plate", |w, p, x| w.drive_obstacle(p.obstacle, Drive::Velocity { linear: Vec3::X * x, angular: Vec3::ONE })),
        ("load", |w, p, x| w.set_load(p.load, Vec3::Y * x, Vec3::ZERO)),
        ("modulus", |w, p, x| w.change(p.body, Change::Young(x))),
        ("density", |w, p, x| w.change(p.body, Change::Density(x))),
        ("drag", |w, p, x| w.change(p.body, Change::Drag(x))),
        ("damping", |w, p, x| w.change(p.body, Change::DampingTime(x))),
        ("friction", |w, p, x| w.change(p.body, Change::Friction(Friction { coefficient: x, exponent: 1.0 }))),
    ];
    for body in every_model() {
        let (mut world, parts) = world_of(body.clone());
        let start = world.snapshot();
        for (what, call) in calls {
            for value in [1e200, 1e-200, 1e9] {
                if let Err(error) = call(&mut world, parts, value) {
                    assert!(!error.to_string().is_empty());
                    assert!(world.snapshot() == start, "{}: {what} = {value}: {error}", body.name());
                    continue;
                }
                let before = world.snapshot();
                if let Err(error) = world.step(1e-3) {
                    assert!(world.snapshot() == before, "{}: {what} = {value}: {error}", body.name());
                }
                world.restore(&start).unwrap();
            }
        }
        world.step(1e-3).unwrap();
    }
}
