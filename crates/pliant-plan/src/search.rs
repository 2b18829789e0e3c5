//! The search: attempts from the start, each of which ends at the goal or where the robot gets stuck; that place is filled.

use pliant::math::{Pose, Quat, Vec3};
use pliant::robot::Kinematics;

use crate::drawn::{Drawn, Fill};
use crate::task::{Plan, Settings, Task, TaskError};

/// A robot that moves by less than this part of its speed for so many steps is stuck.
const VANISHING: (f64, usize) = (0.01, 25);

/// Speed of the drawn point at which it counts as arrived, relative to the speed at which it is drawn.
const AT_REST: f64 = 0.05;

/// How much larger a virtual obstacle is than the one that it grows out of.
const GROWS: f64 = 1.3;

/// Largest part of the way to the goal that a virtual obstacle may cover: it must not cover the goal.
const SPARED: f64 = 0.7;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// At the goal.
    Reached,
    /// All attempts together took as long as they may.
    OutOfTime,
    /// There are as many virtual obstacles as there may be.
    OutOfObstacles,
    /// It was asked to stop.
    Stopped,
}

impl Ending {
    /// What there is to say of it. A goal that is not reached may still be within reach: the method is local.
    pub fn text(&self, settings: &Settings) -> String {
        match self {
            Ending::Reached => "reached".into(),
            Ending::OutOfTime => format!("not reached within {} s of search", settings.most_search),
            Ending::OutOfObstacles => format!("not reached within {} virtual obstacles", settings.most_virtual),
            Ending::Stopped => "not reached before it was stopped".into(),
        }
    }
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// The motion, or that of the attempt that came nearest to the goal.
    pub plan: Plan,
    /// Virtual obstacles.
    pub fills: Vec<Fill>,
    /// Steps of all attempts.
    pub steps: usize,
    /// Distance from the goal at the end of the motion [m].
    pub distance: f64,
    /// Angle from the goal there [rad]; zero where the rotation does not matter.
    pub angle: f64,
}

impl Outcome {
    /// Whether the goal was reached.
    pub fn reached(&self) -> bool {
        self.ending == Ending::Reached
    }
}

/// How far a search is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Virtual obstacles so far.
    pub virtual_obstacles: usize,
    /// Time of the attempt [s].
    pub time: f64,
    /// Distance from the goal [m].
    pub distance: f64,
}

/// How an attempt ended.
enum Attempt {
    Reached,
    Stuck,
    OutOfTime,
    Stopped,
}

impl Task {
    /// Search for a motion to the goal. `watch` is told now and then how far it is, and answers whether to go on.
    pub fn solve(&self, watch: &mut dyn FnMut(&Progress) -> bool) -> Result<Outcome, TaskError> {
        let mut drawn = Drawn::new(self)?;
        let mut kinematics = Kinematics::new(&self.model);
        let (mut fills, mut steps) = (vec![], 0);
        let mut best: Option<(f64, Outcome)> = None;
        loop {
            drawn.restart();
            let mut samples = drawn.q.clone();
            let attempt = self.attempt(&mut drawn, &mut kinematics, &fills, &mut samples, watch);
            let (distance, angle) = self.missing(&mut kinematics, &drawn.q);
            let plan = Plan { spacing: self.settings.step, joints: drawn.q.len(), samples };
            steps += plan.len();
            let ending = match attempt {
                Attempt::Reached => Some(Ending::Reached),
                Attempt::Stopped => Some(Ending::Stopped),
                _ if steps as f64 * self.settings.step >= self.settings.most_search => Some(Ending::OutOfTime),
                _ if fills.len() >= self.settings.most_virtual => Some(Ending::OutOfObstacles),
                _ => None,
            };
            let off = distance / self.settings.tolerance + angle / self.settings.angle_tolerance;
            let reached = matches!(attempt, Attempt::Reached);
            if reached || best.as_ref().is_none_or(|(least, _)| off < *least) {
                let outcome = Outcome { ending: Ending::OutOfTime, plan, fills: vec![], steps, distance, angle };
                best = Some((off, outcome));
            }
            if let (Some(ending), Some((_, outcome))) = (ending, best.take_if(|_| ending.is_some())) {
                return Ok(Outcome { ending, fills, steps, ..outcome });
            }
            let place = kinematics.link(&self.model, self.goal.link) * self.goal.link_from_tool;
            fills.push(self.fill(place.translation, &fills));
        }
    }

    /// One attempt from the start.
    fn attempt(
        &self,
        drawn: &mut Drawn<'_>,
        kinematics: &mut Kinematics,
        fills: &[Fill],
        samples: &mut Vec<f64>,
        watch: &mut dyn FnMut(&Progress) -> bool,
    ) -> Attempt {
        let mut place = self.tool(&drawn.q).translation;
        let (mut still, most) = (0, (self.settings.most_time / self.settings.step).ceil() as usize);
        for step in 0..most {
            if !drawn.step(fills) {
                return Attempt::Stuck;
            }
            samples.extend_from_slice(&drawn.q);
            let (distance, angle) = self.missing(kinematics, &drawn.q);
            let speed = drawn.speed() / self.settings.speed;
            let now = kinematics.link(&self.model, self.goal.link) * self.goal.link_from_tool;
            let drawn_speed = now.translation.distance(place) / (self.settings.step * self.settings.speed);
            place = now.translation;
            let there = distance <= self.settings.tolerance && angle <= self.settings.angle_tolerance;
            if there && drawn_speed < AT_REST {
                return Attempt::Reached;
            }
            still = if speed < VANISHING.0 { still + 1 } else { 0 };
            if still >= VANISHING.1 {
                return Attempt::Stuck;
            }
            let time = step as f64 * self.settings.step;
            if step % 100 == 0 && !watch(&Progress { virtual_obstacles: fills.len(), time, distance }) {
                return Attempt::Stopped;
            }
        }
        Attempt::OutOfTime
    }

    /// Distance and angle from the goal.
    fn missing(&self, kinematics: &mut Kinematics, q: &[f64]) -> (f64, f64) {
        kinematics.place(&self.model, q);
        let tool = kinematics.link(&self.model, self.goal.link) * self.goal.link_from_tool;
        let angle = if self.goal.orientation { tool.rotation.angle_between(self.goal.pose.rotation) } else { 0.0 };
        (self.way(&tool).length(), angle)
    }

    /// The virtual obstacle for a place where the drawn frame got stuck.
    fn fill(&self, place: Vec3, fills: &[Fill]) -> Fill {
        let to_goal = self.way(&Pose::from_translation(place));
        let start = self.tool(&self.start).translation;
        let usual = (0.5 * self.extent()).min(0.25 * start.distance(self.goal.pose.translation));
        let apart = |centre: Vec3| self.up().map_or(place - centre, |up| (place - centre).reject_from(up)).length();
        // where it rests on others it grows out of them
        let below = fills.iter().filter(|fill| apart(fill.centre) < 1.1 * fill.radius);
        let grown = below.map(|fill| fill.radius * GROWS).fold(usual, f64::max);
        let radius = grown.min(SPARED * to_goal.length()).max(self.settings.tolerance);
        // off the line to the goal by a little, and not always to the same side: from the crest of a ball one has to roll down
        let ahead = to_goal.try_normalize().unwrap_or(Vec3::X);
        let turn = Quat::from_axis_angle(ahead, GOLDEN_ANGLE * fills.len() as f64);
        let aside = turn * ahead.any_orthonormal_vector();
        Fill { centre: place + aside * (0.2 * radius), radius }
    }

    /// Half the size of the robot about the drawn frame [m].
    fn extent(&self) -> f64 {
        let mut kinematics = Kinematics::new(&self.model);
        kinematics.place(&self.model, &self.start);
        let tool = self.tool(&self.start).translation;
        let size = |shape: &crate::LinkShape| {
            let pose = kinematics.link(&self.model, shape.link) * shape.link_from_shape;
            let [low, high] = shape.shape.bounds(&pose);
            (low - tool).abs().max((high - tool).abs()).length()
        };
        self.shapes.iter().map(size).fold(0.05, f64::max)
    }
}

/// Directions at this angle from one to the next are spread evenly [rad].
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
