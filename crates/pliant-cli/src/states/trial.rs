//! One run of a demonstrated task in a scene that is not quite as demonstrated: the robot's side, which sees its own hand and its
//! sensor, and the referee's, which sees everything.

use std::path::Path;

use pliant::arm::Impedance;
use pliant::math::{Pose, Quat, Vec3, sincos};
use pliant::{Change, Drive, EventKind, Frame, GripperId, SensorId, SensorParams, World};
use pliant_record::short;
use pliant_scene::{Expectation, Measure, Override, Scene};
use pliant_states::{Follower, Order, Sensed, Sequence, Sight, Stopped, With};
use serde::Serialize;

use crate::failure::Failure;

/// How long the hand rests in the end, before the outcome is judged [s].
const RESTING: f64 = 0.3;
/// How far from the beginning of the demonstration the hand may begin [m].
const NEAR: f64 = 0.005;
/// Time that a run may take, as a multiple of the demonstration for each place that may be tried, and more [s].
const PATIENCE: [f64; 2] = [2.0, 20.0];

/// By how much runs differ from the demonstration.
#[derive(Clone, Copy, Debug)]
pub struct Errors {
    /// Distance [m].
    pub position: f64,
    /// Angle [degrees].
    pub angle: f64,
    /// Part of Young's modulus.
    pub stiffness: f64,
}

/// How one run differs from the demonstration.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Off {
    /// What is touched is shifted by this [m],
    pub position: [f64; 3],
    /// and turned about this axis
    pub axis: [f64; 3],
    /// by this angle [degrees], about `centre`: the mean of all places at which it was touched.
    pub angle_deg: f64,
    pub centre: [f64; 3],
    /// Young's modulus of what is held is that of the scene times this.
    pub young: f64,
    /// Seed of the noise of the sensor.
    pub noise: u32,
}

impl Off {
    /// That of a run with this number, always the same for the same seed: errors of exactly these sizes, in random directions,
    /// stiffer or softer.
    pub fn draw(errors: &Errors, seed: u64, number: u64, centre: Vec3) -> Off {
        let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(number));
        let mut direction = || {
            let (z, angle) = (2.0 * random.fraction() - 1.0, std::f64::consts::TAU * random.fraction());
            let (s, c) = sincos(angle);
            Vec3::new(c, s, 0.0) * (1.0 - z * z).max(0.0).sqrt() + Vec3::Z * z
        };
        let (way, axis) = (direction(), direction());
        let stiffer = random.fraction() < 0.5;
        Off {
            position: (way * errors.position).to_array(),
            axis: axis.to_array(),
            angle_deg: errors.angle,
            centre: centre.to_array(),
            young: if stiffer { 1.0 + errors.stiffness } else { 1.0 - errors.stiffness },
            noise: (random.next() >> 33) as u32,
        }
    }

    /// Where something is that was demonstrated at a pose.
    fn moves(&self, pose: &Pose) -> Pose {
        let turn = Quat::from_axis_angle(Vec3::from(self.axis), self.angle_deg.to_radians());
        let centre = Vec3::from(self.centre);
        let place = centre + turn * (pose.translation - centre) + Vec3::from(self.position);
        Pose::from_parts(place, (turn * pose.rotation).normalize())
    }
}

/// Random numbers by SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number between 0 and 1.
    fn fraction(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }
}

/// What is given for all runs.
pub struct Task<'a> {
    pub scene: &'a Path,
    pub overrides: &'a [Override],
    pub sequence: &'a Sequence,
    /// A robot that has not begun yet.
    pub follower: Follower,
    pub gripper: String,
    /// Its speed as part of the demonstrated one.
    pub pace: f64,
    pub sensor: Option<String>,
}

/// How a run went.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Whether the scene's expectations of the end are met.
    pub succeeded: bool,
    /// What is missed, or why the run ended early.
    pub why: Option<String>,
    /// Simulated time [s].
    pub time: f64,
    /// Largest force on the hand [N].
    pub force_max: f64,
    /// What the robot knows of it; `None` where it only repeated the motion.
    pub robot: Option<Knows>,
}

/// What the robot knows of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Knows {
    pub stopped: Option<Stopped>,
    /// Number of places tried.
    pub tries: usize,
    /// What became of each transition of the sequence.
    pub transitions: Vec<Sight>,
}

/// Whether the robot goes by what it feels, or repeats the motion alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    ByStates,
    ByMotion,
}

/// The scene of a run with the robot's part in it.
struct Stage {
    scene: Scene,
    gripper: GripperId,
    sensor: SensorId,
    impedance: Option<Impedance>,
}

impl Task<'_> {
    /// The mean of all places at which obstacles were touched in the demonstration.
    pub fn centre(&self) -> Vec3 {
        let points = self.sequence.transitions.iter().flat_map(|transition| &transition.points);
        let on_obstacles = points.filter(|point| point.touch.with == With::Obstacle);
        let (mut sum, mut count) = (Vec3::ZERO, 0.0_f64);
        for point in on_obstacles {
            (sum, count) = (sum + Vec3::from(point.position), count + 1.0);
        }
        sum / count.max(1.0)
    }

    /// Names of what the demonstration touched, or of what was held, each once.
    fn names(&self, of_bodies: bool) -> Vec<&str> {
        let touches = self.sequence.states.iter().flat_map(|state| &state.contacts);
        let mut names: Vec<&str> = if of_bodies {
            touches.map(|touch| touch.body.as_str()).collect()
        } else {
            touches.filter(|touch| touch.with == With::Obstacle).map(|touch| touch.other.as_str()).collect()
        };
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The scene as it is, without errors: to see whether it can be run at all.
    pub fn check(&self) -> Result<Scene, Failure> {
        let scene = pliant_scene::load(self.scene, self.overrides)?;
        let stage = self.stage(scene)?;
        for name in self.names(false) {
            if stage.scene.world.obstacle_named(name).is_none() {
                return Err(self.unfit(format!("the demonstration touches {name}, which is no obstacle of the scene")));
            }
        }
        for name in self.names(true) {
            let body = stage.scene.world.body_named(name).and_then(|id| stage.scene.world.body(id).ok());
            let Some(body) = body else {
                return Err(self.unfit(format!("the demonstration is about {name}, which is no body of the scene")));
            };
            if body.properties().young.is_none() {
                return Err(self.unfit(format!(
                    "{name} has no Young's modulus that could be changed; give it a section of a material"
                )));
            }
        }
        if !stage.scene.expectations.iter().any(Expectation::is_of_the_end) {
            return Err(self.unfit("it has no [[expect]] with at = \"end\", by which success could be judged".into()));
        }
        let here = stage.scene.world.gripper(stage.gripper).map(|gripper| gripper.sweep.end);
        let here = here.map_err(|gone| self.unfit(gone.to_string()))?;
        let apart = here.translation.distance(self.follower.start().translation);
        if apart > NEAR {
            return Err(self.unfit(format!(
                "{} begins {} mm from where the demonstration does; let it begin there",
                self.gripper,
                short(1e3 * apart)
            )));
        }
        Ok(stage.scene)
    }

    fn unfit(&self, why: String) -> Failure {
        Failure::Input(format!("{} does not go with these states: {why}", self.scene.display()))
    }

    fn stage(&self, scene: Scene) -> Result<Stage, Failure> {
        let world = &scene.world;
        let Some(gripper) = world.gripper_named(&self.gripper) else {
            return Err(self.unfit(format!("it has no gripper {}", self.gripper)));
        };
        let on_it = |params: &SensorParams| {
            params.gripper == gripper && self.sensor.as_ref().is_none_or(|name| *name == params.name)
        };
        let Some(sensor) = world.sensors().iter().find(|sensor| on_it(&sensor.params)) else {
            return Err(self.unfit(format!("{} has no such [[sensor]]", self.gripper)));
        };
        let Some(sensor) = world.sensor_named(&sensor.params.name) else {
            return Err(self.unfit("its sensor is gone".into()));
        };
        let tool = world.tool(gripper).ok().flatten();
        let carried = world.gripper(gripper).is_ok_and(|gripper| matches!(gripper.drive, Drive::Carried { .. }));
        if carried && tool.is_none() {
            return Err(
                self.unfit(format!("the arm that carries {} needs an impedance, to be led by its hand", self.gripper))
            );
        }
        let impedance = tool.map(|tool| tool.impedance);
        Ok(Stage { scene, gripper, sensor, impedance })
    }

    /// Run the task once, off by something.
    pub fn run(&self, off: &Off, manner: Manner) -> Result<Outcome, Failure> {
        let as_written = pliant_scene::load(self.scene, self.overrides)?;
        let mut overrides = self.overrides.to_vec();
        let mut set = |text: String| {
            let change = text.parse().map_err(|e| self.unfit(format!("{e}")))?;
            overrides.push(change);
            Ok::<(), Failure>(())
        };
        for name in self.names(false) {
            let Some(obstacle) = as_written.world.obstacle_named(name) else { continue };
            let Ok(obstacle) = as_written.world.obstacle(obstacle) else { continue };
            let Pose { translation: p, rotation: q } = off.moves(&obstacle.params.placed);
            set(format!("obstacle.{name}.position=[{:?}, {:?}, {:?}]", p.x, p.y, p.z))?;
            set(format!("obstacle.{name}.orientation={{quaternion=[{:?}, {:?}, {:?}, {:?}]}}", q.w, q.x, q.y, q.z))?;
        }
        let stage = self.stage(as_written)?;
        if let Some(sensor) = stage.scene.world.sensors().iter().find(|s| self.reads(&stage, &s.params)) {
            set(format!("sensor.{}.seed={}", sensor.params.name, off.noise))?;
        }
        let mut scene = pliant_scene::load(self.scene, &overrides)?;
        for name in self.names(true) {
            let Some(id) = scene.world.body_named(name) else { continue };
            let young = scene.world.body(id).ok().and_then(|body| body.properties().young).unwrap_or(0.0);
            let changed = scene.world.change(id, Change::Young(young * off.young));
            changed.map_err(|e| self.unfit(e.to_string()))?;
        }
        Ok(self.stage(scene)?.run(self, manner))
    }

    fn reads(&self, stage: &Stage, params: &SensorParams) -> bool {
        stage.scene.world.sensor_named(&params.name) == Some(stage.sensor)
    }
}

impl Stage {
    /// Step until the robot stops, and judge what has come of it.
    fn run(mut self, task: &Task<'_>, manner: Manner) -> Outcome {
        let mut follower = task.follower.clone();
        let (dt, span) = (self.scene.step, follower.span());
        let most = PATIENCE[0] * span / task.pace * follower.places() as f64 + PATIENCE[1];
        let (mut ended, mut why) = (None, None);
        let (mut force_max, mut periods) = (0.0_f64, 0);
        while ended.is_none_or(|at| self.scene.world.time() < at + RESTING) && why.is_none() {
            let time = self.scene.world.time();
            if time > most {
                why = Some(format!("it is not done after {} s", short(most)));
                break;
            }
            let order = match manner {
                Manner::ByStates => follower.act(&self.senses(&mut periods)),
                Manner::ByMotion if time < span => Order::Go(follower.demonstrated(time)),
                Manner::ByMotion => Order::Stop(follower.demonstrated(span)),
            };
            let (Order::Go(pose) | Order::Stop(pose)) = order;
            if let (Order::Stop(_), None) = (order, ended) {
                ended = Some(time);
            }
            let driven = match self.impedance {
                Some(impedance) => self.scene.world.drive_tool(self.gripper, Some(impedance), Some(pose)),
                None => self.scene.world.drive(self.gripper, Drive::Pose(pose)),
            };
            why = driven.err().map(|e| e.to_string());
            if let Err(error) = self.scene.world.step(dt) {
                why = Some(error.to_string());
            }
            let crossed = |kind: &EventKind| matches!(kind, EventKind::Crossed { .. });
            if !self.scene.allow_crossing && self.scene.world.events().iter().any(|event| crossed(&event.kind)) {
                why = Some("a rod went through something".into());
            }
            let load = self.scene.world.gripper(self.gripper).map_or(Vec3::ZERO, |gripper| gripper.load.force);
            force_max = force_max.max(load.length());
        }
        let missed = why.or_else(|| missed(&self.scene));
        let robot = (manner == Manner::ByStates).then(|| Knows {
            stopped: follower.stopped(),
            tries: follower.tries(),
            transitions: follower.sights().to_vec(),
        });
        Outcome { succeeded: missed.is_none(), why: missed, time: self.scene.world.time(), force_max, robot }
    }

    /// What the robot senses: where its hand is, and a reading if a new one is due; `periods` counts these.
    fn senses(&self, periods: &mut u64) -> Sensed {
        let world: &World = &self.scene.world;
        let time = world.time();
        let pose = world.gripper(self.gripper).map_or(Pose::IDENTITY, |gripper| gripper.sweep.end);
        let mut sensed = Sensed { time, pose, wrench: None };
        let params = world.sensors().iter().find(|s| world.sensor_named(&s.params.name) == Some(self.sensor));
        let (Some(sensor), Ok(reading)) = (params, world.reading(self.sensor)) else { return sensed };
        let period = (time * sensor.params.rate + 1e-6).floor();
        let period = if period.is_finite() { period as u64 } else { *periods + 1 };
        if time > 0.0 && period > *periods {
            *periods = period;
            let Pose { translation, rotation } = sensor.params.gripper_from_sensor;
            let force = rotation * reading.force;
            let torque = rotation * reading.torque + translation.cross(force);
            sensed.wrench = Some([force.x, force.y, force.z, torque.x, torque.y, torque.z]);
        }
        sensed
    }
}

/// The first expectation of the end that is missed.
fn missed(scene: &Scene) -> Option<String> {
    let frame: Frame = scene.world.frame();
    let of_the_end = scene.expectations.iter().filter(|expectation| expectation.is_of_the_end());
    for expectation in of_the_end {
        let value = match Measure::new(&scene.world, expectation.quantity()) {
            Ok(measure) => measure.value(&frame),
            Err(error) => return Some(error.to_string()),
        };
        let [min, max] = expectation.bounds();
        if !(value >= min && value <= max) {
            return Some(format!("{}: {} is {}", expectation.text(), expectation.quantity(), short(value)));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_sizes_asked_for_and_come_from_everywhere() {
        let errors = Errors { position: 0.005, angle: 5.0, stiffness: 0.2 };
        let (mut sum, mut stiffer) = (Vec3::ZERO, 0);
        for number in 0..1000 {
            let off = Off::draw(&errors, 1, number, Vec3::ZERO);
            let way = Vec3::from(off.position);
            assert!((way.length() - 0.005).abs() < 1e-15 && (Vec3::from(off.axis).length() - 1.0).abs() < 1e-12);
            assert!(off.young == 1.2 || off.young == 0.8);
            (sum, stiffer) = (sum + way / 0.005, stiffer + i32::from(off.young > 1.0));
        }
        // the mean of n directions is off by 1 / sqrt(3 n) along each axis, the count by sqrt(n) / 2
        assert!((sum / 1000.0).abs().max_element() < 4.0 / 3000.0_f64.sqrt(), "{sum}");
        assert!((stiffer - 500).abs() < 64, "{stiffer}");
        let draw = |seed, number| Off::draw(&errors, seed, number, Vec3::ZERO).position;
        assert_eq!(draw(1, 7), draw(1, 7));
        assert_ne!(draw(1, 7), draw(2, 7));
    }

    #[test]
    fn poses_are_turned_about_the_centre() {
        let off = Off {
            position: [0.0; 3],
            axis: [0.0, 0.0, 1.0],
            angle_deg: 90.0,
            centre: [1.0, 0.0, 0.0],
            young: 1.0,
            noise: 0,
        };
        let moved = off.moves(&Pose::IDENTITY);
        assert!(moved.translation.distance(Vec3::new(1.0, -1.0, 0.0)) < 1e-12, "{}", moved.translation);
        assert!((moved.rotation * Vec3::X).distance(Vec3::Y) < 1e-12);
    }
}
