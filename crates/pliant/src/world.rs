//! The world: everything in a scene, and the step that moves it on.

use crate::body::{Body, BodyState, Surroundings, Vicinity};
use crate::contact::{Obstacle, ObstacleParams};
use crate::error::{BuildError, StepError};
use crate::frame::{BodyFrame, Event, EventKind, Frame, GripperFrame};
use crate::grip::{Grip, GripParams, Gripper, GripperParams, Load, Wrench};
use crate::math::{Pose, Vec3};
use crate::motion::Sweep;

/// Everything in a scene.
#[derive(Clone, Debug)]
pub struct World {
    /// Acceleration of gravity [m/s2].
    pub gravity: Vec3,
    time: f64,
    step_count: u64,
    obstacles: Vec<Obstacle>,
    grippers: Vec<Gripper>,
    grips: Vec<Grip>,
    loads: Vec<Load>,
    bodies: Vec<Body>,
    /// What happened during the last step.
    events: Vec<Event>,
    /// Scratch: the obstacles near the body at hand.
    near: Vec<usize>,
}

/// The stages of a step, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Obstacles and grippers go to their poses, grips close and open.
    Move,
    /// Which obstacles can touch which body.
    Near,
    /// Each body advances by its own inner steps.
    Advance,
    /// Loads of grippers, check of the state.
    Report,
}

impl Stage {
    /// All stages in order.
    pub const ALL: [Stage; 4] = [Stage::Move, Stage::Near, Stage::Advance, Stage::Report];

    /// Name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Move => "move",
            Stage::Near => "near",
            Stage::Advance => "advance",
            Stage::Report => "report",
        }
    }
}

/// Told when a stage begins. The engine has no clock; whoever times a step brings one.
pub trait Probe {
    /// A stage begins, for one body where the stage goes body by body.
    fn enter(&mut self, stage: Stage, body: Option<usize>);
    /// The step is over.
    fn leave(&mut self);
}

impl Probe for () {
    fn enter(&mut self, _: Stage, _: Option<usize>) {}
    fn leave(&mut self) {}
}

/// All that changes in a world, exact to the bit.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    time: f64,
    step_count: u64,
    obstacles: Vec<Sweep>,
    grippers: Vec<(Sweep, Option<Pose>, Wrench)>,
    grips: Vec<Grip>,
    bodies: Vec<BodyState>,
    events: Vec<Event>,
}

impl World {
    /// An empty world.
    pub fn new(gravity: Vec3) -> World {
        World {
            gravity,
            time: 0.0,
            step_count: 0,
            obstacles: vec![],
            grippers: vec![],
            grips: vec![],
            loads: vec![],
            bodies: vec![],
            events: Vec::with_capacity(64),
            near: vec![],
        }
    }

    /// Add an obstacle; returns its index.
    pub fn add_obstacle(&mut self, params: ObstacleParams) -> Result<usize, BuildError> {
        unique("obstacle", &params.name, self.obstacles.iter().map(|o| o.params.name.as_str()))?;
        self.obstacles.push(Obstacle::new(params));
        self.near.reserve(self.obstacles.len());
        Ok(self.obstacles.len() - 1)
    }

    /// Add a gripper; returns its index.
    pub fn add_gripper(&mut self, params: GripperParams) -> Result<usize, BuildError> {
        unique("gripper", &params.name, self.grippers.iter().map(|g| g.params.name.as_str()))?;
        self.grippers.push(Gripper::new(params));
        Ok(self.grippers.len() - 1)
    }

    /// Add a body; returns its index.
    pub fn add_body(&mut self, body: Body) -> Result<usize, BuildError> {
        unique("body", body.name(), self.bodies.iter().map(Body::name))?;
        self.bodies.push(body);
        Ok(self.bodies.len() - 1)
    }

    /// Add a grip; returns its index. It closes at its time, at once if that has come.
    pub fn add_grip(&mut self, params: GripParams) -> Result<usize, BuildError> {
        let missing = |kind, index: usize| BuildError::NoSuch { kind, name: format!("number {index}") };
        self.grippers.get(params.gripper).ok_or_else(|| missing("gripper", params.gripper))?;
        let body = self.bodies.get(params.body).ok_or_else(|| missing("body", params.body))?;
        body.place_pose(params.place)?;
        self.grips.push(Grip::new(params));
        let index = self.grips.len() - 1;
        if self.close_or_open(index) {
            self.prepare(params.body);
        }
        Ok(index)
    }

    /// Add a dead load; returns its index.
    pub fn add_load(&mut self, load: Load) -> Result<usize, BuildError> {
        let missing = || BuildError::NoSuch { kind: "body", name: format!("number {}", load.body) };
        self.bodies.get(load.body).ok_or_else(missing)?.place_pose(load.place)?;
        self.loads.push(load);
        self.prepare(load.body);
        Ok(self.loads.len() - 1)
    }

    /// Open a grip now, whatever its schedule says.
    pub fn release(&mut self, grip: usize) -> Result<(), BuildError> {
        let time = self.time;
        let missing = || BuildError::NoSuch { kind: "grip", name: format!("number {grip}") };
        let released = self.grips.get_mut(grip).ok_or_else(missing)?;
        released.params.until = time;
        let body = released.params.body;
        if self.close_or_open(grip) {
            self.prepare(body);
        }
        Ok(())
    }

    /// Move a gripper by hand: it goes to `pose` during the next step. `None` returns it to its prescribed motion.
    pub fn drive(&mut self, gripper: usize, pose: Option<Pose>) -> Result<(), BuildError> {
        let missing = || BuildError::NoSuch { kind: "gripper", name: format!("number {gripper}") };
        self.grippers.get_mut(gripper).ok_or_else(missing)?.driven = pose;
        Ok(())
    }

    /// Advance by `dt` [s].
    pub fn step(&mut self, dt: f64) -> Result<(), StepError> {
        self.step_probed(dt, &mut ())
    }

    /// Advance by `dt` [s] and tell `probe` when each stage begins.
    pub fn step_probed(&mut self, dt: f64, probe: &mut impl Probe) -> Result<(), StepError> {
        self.events.clear();

        // poses at both ends of the step, so that a body may sub-step between them
        probe.enter(Stage::Move, None);
        self.move_obstacles_and_grippers(self.time + dt);
        self.close_and_open_grips();

        for body in 0..self.bodies.len() {
            // what the body can touch during the step
            probe.enter(Stage::Near, Some(body));
            self.find_near(body, dt);

            // the body's own inner steps
            probe.enter(Stage::Advance, Some(body));
            self.advance_body(body, dt)?;
        }

        // loads on grippers, from the grips the bodies have written
        probe.enter(Stage::Report, None);
        self.sum_gripper_loads();
        self.time += dt;
        self.step_count += 1;
        probe.leave();
        Ok(())
    }

    fn move_obstacles_and_grippers(&mut self, time: f64) {
        for obstacle in &mut self.obstacles {
            obstacle.sweep.advance_to(obstacle.params.motion.pose(&obstacle.params.placed, time));
        }
        for gripper in &mut self.grippers {
            let prescribed = || gripper.params.motion.pose(&gripper.params.placed, time);
            let pose = gripper.driven.unwrap_or_else(prescribed);
            gripper.sweep.advance_to(pose);
        }
    }

    /// Close and open grips by their schedule, at the start of the step.
    fn close_and_open_grips(&mut self) {
        let mut changed = !self.loads.is_empty();
        for grip in 0..self.grips.len() {
            changed |= self.close_or_open(grip);
        }
        if changed {
            (0..self.bodies.len()).for_each(|body| self.prepare(body));
        }
    }

    /// Close or open one grip if its schedule says so; true if it did.
    fn close_or_open(&mut self, index: usize) -> bool {
        let time = self.time;
        let grip = &mut self.grips[index];
        let GripParams { gripper, body, place, .. } = grip.params;
        let kind = match (grip.anchor.is_some(), grip.scheduled_at(time)) {
            (false, true) => {
                let Ok(world_from_place) = self.bodies[body].place_pose(place) else { return false };
                grip.close(&self.grippers[gripper].sweep.start, &world_from_place);
                EventKind::Attached { gripper, body }
            }
            (true, false) => {
                grip.open();
                EventKind::Released { gripper, body }
            }
            _ => return false,
        };
        self.events.push(Event { time, kind });
        true
    }

    /// Tell a body which grips and loads act on it now.
    fn prepare(&mut self, body: usize) {
        self.bodies[body].prepare(body, self.time, &self.grips, &self.loads);
    }

    fn find_near(&mut self, body: usize, dt: f64) {
        let Vicinity { low, high, reach, horizon } = self.bodies[body].vicinity();
        self.near.clear();
        for (index, obstacle) in self.obstacles.iter().enumerate() {
            let [other_low, other_high] = obstacle.swept_bounds(horizon / dt);
            if (low - reach).cmple(other_high).all() && (high + reach).cmpge(other_low).all() {
                self.near.push(index);
            }
        }
    }

    fn advance_body(&mut self, body: usize, dt: f64) -> Result<(), StepError> {
        let World { bodies, obstacles, near, grippers, grips, events, .. } = self;
        bodies[body].advance(&mut Surroundings {
            body,
            time: self.time,
            dt,
            gravity: self.gravity,
            obstacles,
            near,
            grippers,
            grips,
            events,
        })
    }

    fn sum_gripper_loads(&mut self) {
        for gripper in &mut self.grippers {
            gripper.load = Wrench::default();
        }
        for grip in self.grips.iter().filter(|g| g.anchor.is_some()) {
            self.grippers[grip.params.gripper].load += grip.load;
        }
    }

    /// Copy out all that changes.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            time: self.time,
            step_count: self.step_count,
            obstacles: self.obstacles.iter().map(|o| o.sweep).collect(),
            grippers: self.grippers.iter().map(|g| (g.sweep, g.driven, g.load)).collect(),
            grips: self.grips.clone(),
            bodies: self.bodies.iter().map(Body::state).collect(),
            events: self.events.clone(),
        }
    }

    /// Put back a snapshot of this world. Grips added since are gone, grips it had are back.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), BuildError> {
        let foreign = || BuildError::Conflict("the snapshot belongs to another world".into());
        let same_parts = snapshot.obstacles.len() == self.obstacles.len()
            && snapshot.grippers.len() == self.grippers.len()
            && snapshot.bodies.len() == self.bodies.len();
        if !same_parts {
            return Err(foreign());
        }
        for (body, state) in self.bodies.iter_mut().zip(&snapshot.bodies) {
            if !body.set_state(state) {
                return Err(foreign());
            }
        }
        for (obstacle, sweep) in self.obstacles.iter_mut().zip(&snapshot.obstacles) {
            obstacle.sweep = *sweep;
        }
        for (gripper, (sweep, driven, load)) in self.grippers.iter_mut().zip(&snapshot.grippers) {
            (gripper.sweep, gripper.driven, gripper.load) = (*sweep, *driven, *load);
        }
        self.grips.clone_from(&snapshot.grips);
        self.events.clone_from(&snapshot.events);
        self.time = snapshot.time;
        self.step_count = snapshot.step_count;
        (0..self.bodies.len()).for_each(|body| self.prepare(body));
        Ok(())
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Number of steps taken.
    pub fn step_count(&self) -> u64 {
        self.step_count
    }

    /// Bodies.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// A body to change from outside, such as to give it another shape.
    pub fn body_mut(&mut self, index: usize) -> Option<&mut Body> {
        self.bodies.get_mut(index)
    }

    /// Obstacles.
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// Grippers.
    pub fn grippers(&self) -> &[Gripper] {
        &self.grippers
    }

    /// Dead loads, those that do not act now included.
    pub fn loads(&self) -> &[Load] {
        &self.loads
    }

    /// Grips, open ones included.
    pub fn grips(&self) -> &[Grip] {
        &self.grips
    }

    /// What happened during the last step.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// A picture of this instant.
    pub fn frame(&self) -> Frame {
        let mut frame = Frame::default();
        self.write_frame(&mut frame);
        frame
    }

    /// The same into a frame used before, without allocating where its buffers suffice.
    pub fn write_frame(&self, frame: &mut Frame) {
        frame.time = self.time;
        frame.bodies.resize_with(self.bodies.len(), BodyFrame::default);
        for (body, out) in self.bodies.iter().zip(&mut frame.bodies) {
            body.write_frame(self.gravity, out);
        }
        frame.grippers.clear();
        frame.grippers.extend(self.grippers.iter().enumerate().map(|(index, gripper)| GripperFrame {
            pose: gripper.sweep.end,
            load: gripper.load,
            attached: self.grips.iter().any(|g| g.params.gripper == index && g.anchor.is_some()),
        }));
        frame.obstacles.clear();
        frame.obstacles.extend(self.obstacles.iter().map(|o| o.sweep.end));
        frame.contacts.clear();
        for (index, body) in self.bodies.iter().enumerate() {
            body.write_contacts(index, &self.obstacles, &mut frame.contacts);
        }
    }
}

fn unique<'a>(kind: &'static str, name: &str, mut taken: impl Iterator<Item = &'a str>) -> Result<(), BuildError> {
    if taken.any(|other| other == name) {
        return Err(BuildError::SameName { kind, name: name.into() });
    }
    Ok(())
}
