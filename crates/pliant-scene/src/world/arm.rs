//! Arms in a scene file: robots from URDF files, whose links carry grippers.

use std::collections::BTreeMap;
use std::sync::Arc;

use pliant::arm::{Arm, ArmSpec, Impedance, JointDrive, JointMotion};
use pliant::contact::ObstacleParams;
use pliant::math::{Pose, Vec3};
use pliant::motion::Motion;
use pliant::robot::{Base, Model, Reacher, State, Target};
use pliant::{Body, GripperParams, World};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::body::material::FrictionSpec;
use crate::files::Files;
use crate::robot::{Robot, UrdfOptions, load_urdf};
use crate::text::fault::Fault;
use crate::text::quantity::{
    ContactDamping, ContactStiffness, Coordinate, JointValue, Quantity, Time, Triple, TurnDamping, TurnStiffness,
};
use crate::text::suggest::help;
use crate::text::word::{Name, Table};
use crate::world::admittance::AdmittanceSpec;
use crate::world::pose::{OrientationSpec, pose};

/// Time between samples of a motion that an arm follows [s].
const SPACING: f64 = 0.01;

/// Most samples of such a motion.
const MOST_SAMPLES: f64 = 1e5;

/// How far a link may be from where a gripper is to go, and counts as there [m, rad].
const REACHED: [f64; 2] = [1e-3, 1e-2];

/// Servos unless given: stiffness [N m/rad] and damping [N m s/rad].
const SERVO: [f64; 2] = [1e4, 1e3];

/// Damping of what joints can do without moving a tool, unless given [N m s/rad].
const IDLE_DAMPING: f64 = 1.0;

/// A robot arm.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArmTable {
    /// Name, unique among arms and bodies.
    pub(crate) name: Name,
    /// Name of its URDF file, relative to the scene file.
    urdf: String,
    /// Folders of packages that the file refers to by `package://`, relative to the scene file.
    #[serde(default)]
    packages: BTreeMap<String, String>,
    /// Position of its root [m]; the origin of the world unless given.
    position: Option<Triple<Coordinate>>,
    /// Orientation of its root; that of the world unless given.
    orientation: Option<Table<OrientationSpec>>,
    /// Whether its root is free; false unless given.
    #[serde(default)]
    free: bool,
    /// Coordinates of joints at the start by name [rad, m]; those that reach the first gripper it carries, or zero, unless given.
    #[serde(default)]
    joints: BTreeMap<String, JointValue>,
    /// Servos of its joints; stiff ones unless given.
    servo: Option<Table<ServoSpec>>,
    /// Springs of joints by name, in place of their servos: a latch, a clip.
    #[serde(default)]
    springs: BTreeMap<String, Table<SpringSpec>>,
    /// Springs and dampers that lead the first gripper that follows its motion along that, in place of servos; none unless given.
    pub(crate) impedance: Option<Table<ImpedanceSpec>>,
    /// A mass on a spring and a damper as which that gripper gives way to its sensor; needs an impedance, which follows it; none unless given.
    pub(crate) admittance: Option<Table<AdmittanceSpec>>,
    /// Coordinates of all joints, from root to tips, that the servos go to, each from rest to rest [rad, m].
    #[serde(default)]
    waypoints: Vec<Table<WaypointSpec>>,
    /// Whether the servos also carry its weight; true unless given.
    carries_itself: Option<bool>,
    /// Whether its links, but those that carry a gripper, are obstacles, and touch others; true unless given.
    collides: Option<bool>,
    /// Pairs of links, by name, that pass through each other; neighbours and those that touch at the start do anyway.
    #[serde(default)]
    passing: Vec<[String; 2]>,
    /// Friction of its links on obstacles that have none of their own; a coefficient of 0.5 unless given.
    friction: Option<Table<FrictionSpec>>,
}

/// Servos that hold the joints of an arm.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServoSpec {
    /// Torque per error of the angle [N m/rad]; 10000 unless given.
    stiffness: Option<TurnStiffness>,
    /// Torque per error of the angular velocity [N m s/rad]; 1000 unless given.
    damping: Option<TurnDamping>,
}

/// A spring of a joint.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpringSpec {
    /// Torque per angle [N m/rad], or force per displacement [N/m].
    stiffness: TurnStiffness,
    /// Torque per angular velocity [N m s/rad], or force per velocity [N s/m]; 0 unless given.
    damping: Option<TurnDamping>,
    /// Coordinate at which it has no force [rad or m], which may be beyond a stop; that of the joint at the start unless given.
    rest: Option<JointValue>,
}

/// Springs and dampers between a tool and where it is to be, along and about the axes of the tool.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImpedanceSpec {
    /// Force per displacement along x, y and z [N/m].
    stiffness: Triple<ContactStiffness>,
    /// Force per velocity [N s/m].
    damping: Triple<ContactDamping>,
    /// Torque per angle about x, y and z [N m/rad]; 0 unless given. Needs `follow = "pose"`.
    turn_stiffness: Option<Triple<TurnStiffness>>,
    /// Torque per angular velocity [N m s/rad]; 0 unless given.
    turn_damping: Option<Triple<TurnDamping>>,
    /// Damping of what the joints can do without moving the tool [N m s/rad]; 1 unless given.
    idle_damping: Option<TurnDamping>,
}

impl ImpedanceSpec {
    pub(crate) fn build(&self) -> Impedance {
        let six = |along: Vec3, about: Vec3| [along.x, along.y, along.z, about.x, about.y, about.z];
        Impedance {
            stiffness: six(self.stiffness.vector(), self.turn_stiffness.map_or(Vec3::ZERO, |k| k.vector())),
            damping: six(self.damping.vector(), self.turn_damping.map_or(Vec3::ZERO, |d| d.vector())),
            idle_damping: self.idle_damping.map_or(IDLE_DAMPING, Quantity::get),
        }
    }
}

/// Coordinates of all joints at a time.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WaypointSpec {
    /// When they are reached [s].
    time: Time,
    /// Coordinates from root to tips [rad, m].
    joints: Vec<JointValue>,
}

/// The link that carries a gripper.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CarriedSpec {
    /// Name of the arm.
    pub(crate) arm: Name,
    /// Name of its link.
    pub(crate) link: String,
    /// Position of the gripper in the frame of the link [m]; its origin unless given.
    position: Option<Triple<Coordinate>>,
    /// Orientation of the gripper in the frame of the link; the same unless given.
    orientation: Option<Table<OrientationSpec>>,
    /// What the arm does for the gripper's motion: "pose" to bring it to position and orientation, "position" to the position alone,
    /// "nothing" to move as its joints do; "position" unless given.
    follow: Option<FollowSpec>,
}

/// What an arm does for the motion of a gripper.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FollowSpec {
    /// Position and orientation.
    Pose,
    /// Position.
    Position,
    /// The arm moves as its joints do.
    Nothing,
}

impl CarriedSpec {
    /// The gripper in the frame of the link.
    pub(crate) fn frame(&self) -> Result<Pose, Fault> {
        pose(self.position.as_ref(), self.orientation.as_ref(), Vec3::ZERO)
    }

    pub(crate) fn follows(&self) -> FollowSpec {
        self.follow.unwrap_or(FollowSpec::Position)
    }
}

/// A gripper that an arm carries, as it would move by itself.
pub(crate) struct Led<'a> {
    pub(crate) carried: &'a CarriedSpec,
    pub(crate) params: GripperParams,
}

/// An arm before it is built.
pub(crate) struct Prepared {
    pub(crate) robot: Robot,
    /// Where its root is, or begins.
    pub(crate) root: Pose,
    /// Coordinates of its joints at the start [rad, m].
    pub(crate) joints: Vec<f64>,
    /// Where its servos go.
    pub(crate) motion: Option<JointMotion>,
}

impl ArmTable {
    /// Read the robot, and find where its joints start and go. `led` are the grippers that it carries.
    pub(crate) fn prepare(&self, led: &[Led<'_>], duration: f64, files: &mut Files) -> Result<Prepared, Fault> {
        let path = files.path(&self.urdf);
        let packages = self.packages.iter().map(|(name, folder)| (name.clone(), files.path(folder))).collect();
        let options = UrdfOptions { packages, ..UrdfOptions::default() };
        let mut robot = load_urdf(&path, &options).map_err(|error| Fault::new(error.to_string()).at("urdf"))?;
        for what in &robot.ignored {
            files.warnings.push(format!("{}: {what} is ignored", self.urdf));
        }
        let root = pose(self.position.as_ref(), self.orientation.as_ref(), Vec3::ZERO)?;
        robot.spec.base = if self.free { Base::Floating } else { Base::Fixed(root) };
        let faulty = |error: pliant::robot::RobotError| Fault::new(error.to_string()).at("urdf");
        robot.model = Model::new(&robot.spec).map_err(faulty)?;
        let mut joints = self.start(&robot.model)?;
        let motion = self.motion(&robot.model, led, duration, &mut joints)?;
        Ok(Prepared { robot, root, joints, motion })
    }

    /// Build the arm, and add it with its shapes.
    pub(crate) fn add(
        &self,
        world: &mut World,
        prepared: Prepared,
        led: &[Led<'_>],
        files: &mut Files,
    ) -> Result<(), Fault> {
        let Prepared { robot, root, joints, motion } = prepared;
        let table = self.servo.as_deref();
        let stiffness = table.and_then(|t| t.stiffness).map_or(SERVO[0], Quantity::get);
        let damping = table.and_then(|t| t.damping).map_or(SERVO[1], Quantity::get);
        let servo = |&target: &f64| match self.impedance {
            Some(_) => JointDrive::Free,
            None => JointDrive::Position { target, stiffness, damping },
        };
        let mut drives: Vec<JointDrive> = joints.iter().map(servo).collect();
        let mut motion = motion;
        for (name, spring) in &self.springs {
            let index = joint_named(&robot.model, name).map_err(|fault| fault.at(name.as_str()).at("springs"))?;
            let target = spring.rest.map_or(joints[index], Quantity::get);
            let damping = spring.damping.map_or(0.0, Quantity::get);
            drives[index] = JointDrive::Position { target, stiffness: spring.stiffness.get(), damping };
            // what the servos follow is none of its business
            for sample in motion.iter_mut().flat_map(|motion| motion.samples.chunks_exact_mut(joints.len())) {
                sample[index] = target;
            }
        }
        let carries_itself = self.carries_itself.unwrap_or(true);
        let shapes = self.shapes(&robot, led, files)?;
        let motion = motion.map(Arc::new);
        let mut spec = ArmSpec { root, joints, drives, motion, carries_itself, ..ArmSpec::new(robot.spec) };
        for (index, pair) in self.passing.iter().enumerate() {
            let [a, b] =
                pair.each_ref().map(|name| robot.model.link(name).ok_or_else(|| unknown_link(&robot.model, name)));
            let here = |fault: Fault| fault.at(index).at("passing");
            spec.passing.push([a.map_err(here)?, b.map_err(here)?]);
        }
        spec.friction = self.friction.as_ref().map_or(spec.friction, |friction| friction.build());
        let arm = world.add_body(Body::Arm(Arm::new(&self.name, spec).map_err(Fault::from)?)).map_err(Fault::from)?;
        for (link, at, params) in shapes {
            let obstacle = world.add_obstacle(params).map_err(Fault::from)?;
            world.carry_obstacle(obstacle, arm, &link, at).map_err(Fault::from)?;
        }
        Ok(())
    }

    /// Coordinates at the start, as far as they are given.
    fn start(&self, model: &Model) -> Result<Vec<f64>, Fault> {
        let mut joints = State::new(model).q.split_off(model.first_position());
        for (name, value) in &self.joints {
            let index = joint_named(model, name).map_err(|fault| fault.at(name.as_str()).at("joints"))?;
            joints[index] = value.get();
        }
        Ok(joints)
    }

    /// The motion of the joints, and where they start.
    fn motion(
        &self,
        model: &Model,
        led: &[Led<'_>],
        duration: f64,
        joints: &mut [f64],
    ) -> Result<Option<JointMotion>, Fault> {
        let count = (duration / SPACING).ceil() + 1.0;
        if count > MOST_SAMPLES {
            return Err(Fault::new(format!("a motion of an arm may last {} s at most", MOST_SAMPLES * SPACING)));
        }
        let times = (0..count as usize).map(|n| n as f64 * SPACING);
        if self.impedance.is_some() && !self.waypoints.is_empty() {
            return Err(Fault::new("an arm has either an impedance or waypoints for its servos").at("impedance"));
        }
        if !self.waypoints.is_empty() {
            let samples = self.through_waypoints(times, joints)?;
            return Ok(Some(JointMotion { spacing: SPACING, samples }));
        }
        if self.admittance.is_some() && self.impedance.is_none() {
            return Err(Fault::new("it needs an impedance: springs that bring the gripper to where it gives way")
                .at("admittance"));
        }
        let led = led.iter().find(|led| led.carried.follows() != FollowSpec::Nothing);
        if let Some(impedance) = &self.impedance {
            let here = |fault: Fault| fault.at("impedance");
            let Some(led) = led else {
                return Err(here(Fault::new("it needs a gripper that the arm carries, and whose motion it follows")));
            };
            if impedance.turn_stiffness.is_some() && led.carried.follows() != FollowSpec::Pose {
                let message = format!(
                    "a gripper that is turned needs an orientation to follow: let {} follow \"pose\"",
                    led.params.name
                );
                return Err(here(Fault::new(message).at("turn_stiffness")));
            }
            follow(model, led, std::iter::once(0.0), joints)?;
            return Ok(None);
        }
        let Some(led) = led else { return Ok(None) };
        let samples = follow(model, led, times, joints)?;
        Ok(Some(JointMotion { spacing: SPACING, samples }))
    }

    /// Minimum jerk from waypoint to waypoint.
    fn through_waypoints(&self, times: impl Iterator<Item = f64>, joints: &mut [f64]) -> Result<Vec<f64>, Fault> {
        let mut last = -1.0;
        for (index, waypoint) in self.waypoints.iter().enumerate() {
            let here = |fault: Fault| fault.at(index).at("waypoints");
            if waypoint.joints.len() != joints.len() {
                let message = format!("the robot has {} joints, but {} are given", joints.len(), waypoint.joints.len());
                return Err(here(Fault::new(message).at("joints")));
            }
            if waypoint.time.get() <= last {
                return Err(here(Fault::new("waypoints must be in the order of their times").at("time")));
            }
            last = waypoint.time.get();
        }
        let value = |index: usize, joint: usize| self.waypoints[index].joints[joint].get();
        // the first one may come later than the start
        let start = if self.waypoints[0].time.get() <= 0.0 { None } else { Some(joints.to_vec()) };
        let mut samples = vec![];
        for time in times {
            let next =
                self.waypoints.iter().position(|waypoint| waypoint.time.get() > time).unwrap_or(self.waypoints.len());
            for joint in 0..joints.len() {
                let to = value(next.min(self.waypoints.len() - 1), joint);
                let from = match (next, &start) {
                    (0, Some(start)) => start[joint],
                    (0, None) => to,
                    _ => value(next - 1, joint),
                };
                let since = if next == 0 { 0.0 } else { self.waypoints[next - 1].time.get() };
                let until = self.waypoints[next.min(self.waypoints.len() - 1)].time.get();
                let part = if until > since { ((time - since) / (until - since)).clamp(0.0, 1.0) } else { 1.0 };
                let eased = part * part * part * (10.0 + part * (6.0 * part - 15.0));
                samples.push(from + (to - from) * eased);
            }
        }
        if start.is_none() {
            joints.iter_mut().enumerate().for_each(|(joint, q)| *q = value(0, joint));
        }
        Ok(samples)
    }

    /// Shapes of the links as obstacles: name of the link, pose in its frame, and what it is.
    fn shapes(
        &self,
        robot: &Robot,
        led: &[Led<'_>],
        files: &mut Files,
    ) -> Result<Vec<(String, Pose, ObstacleParams)>, Fault> {
        let mut shapes = vec![];
        if !self.collides.unwrap_or(true) {
            return Ok(shapes);
        }
        for (number, shape) in robot.shapes.iter().filter(|shape| shape.collision).enumerate() {
            let link = &robot.spec.links[shape.link].name;
            if led.iter().any(|led| led.carried.link == *link) {
                continue;
            }
            let name = format!("{}-{link}-{number}", &*self.name);
            let solid = shape.geometry.solid(&name, files).map_err(|fault| fault.at("urdf"))?;
            let params =
                ObstacleParams { name, shape: solid, placed: Pose::IDENTITY, motion: Motion::Hold, friction: None };
            shapes.push((link.clone(), shape.link_from_shape, params));
        }
        Ok(shapes)
    }
}

/// Joint coordinates that bring a link along the motion of a gripper.
fn follow(
    model: &Model,
    led: &Led<'_>,
    times: impl Iterator<Item = f64>,
    joints: &mut [f64],
) -> Result<Vec<f64>, Fault> {
    let name = &led.params.name;
    let link = model.link(&led.carried.link).ok_or_else(|| unknown_link(model, &led.carried.link))?;
    let mut reacher = Reacher::new(model);
    let mut q = State::new(model).q;
    let first = model.first_position();
    q[first..].copy_from_slice(joints);
    let mut samples: Vec<f64> = vec![];
    for time in times {
        let pose = led.params.motion.pose(&led.params.placed, time);
        let starts = if samples.is_empty() { 50 } else { 1 };
        let target = Target {
            link_from_tool: led.carried.frame()?,
            orientation: led.carried.follows() == FollowSpec::Pose,
            distance: REACHED[0],
            angle: REACHED[1],
            starts,
            ..Target::new(link, pose)
        };
        let reach = reacher.reach(model, &target, &mut q);
        if !reach.reached {
            let (off, p) = (1e3 * reach.distance, pose.translation);
            return Err(Fault::new(format!(
                "the arm does not reach where {name} goes: at {time:.2} s it stays {off:.1} mm from [{:.3}, {:.3}, {:.3}] m; move its root, or the motion",
                p.x, p.y, p.z
            )));
        }
        if samples.is_empty() {
            joints.copy_from_slice(&q[first..]);
        }
        samples.extend_from_slice(&q[first..]);
    }
    Ok(samples)
}

/// Index of a joint among the coordinates of a robot.
fn joint_named(model: &Model, name: &str) -> Result<usize, Fault> {
    let names = || model.coordinates().iter().map(|coordinate| coordinate.name.as_str());
    names().position(|known| known == name).ok_or_else(|| {
        let hint = help(name, names().collect::<Vec<_>>()).map_or(String::new(), |help| format!("; {help}"));
        Fault::new(format!("the robot has no joint `{name}`{hint}"))
    })
}

/// A fault that names the links of a robot that are like one that it has not.
pub(crate) fn unknown_link(model: &Model, link: &str) -> Fault {
    let known: Vec<&str> = model.links().iter().map(|link| link.name.as_str()).collect();
    let hint = help(link, known).map_or(String::new(), |help| format!("; {help}"));
    Fault::new(format!("the robot has no link `{link}`{hint}"))
}
