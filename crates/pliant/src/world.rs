//! The world: everything in a scene, and the step that moves it on.

use crate::body::{Body, BodyState, Surroundings, Vicinity};
use crate::cable::{self, Around, Crews, Pair, Trees};
use crate::clock::Clock;
use crate::contact::{Obstacle, ObstacleParams, Shape, ShapeKind};
use crate::elastica::Settled;
use crate::error::{BuildError, StepError};
use crate::frame::{BodyFrame, Contact, Event, EventKind, Frame, GripperFrame, Other};
use crate::grip::{FingerParams, Grip, GripParams, Gripper, GripperParams, Hold, Load, Wrench};
use crate::lattice::{self, Meeting, Meetings, Shared};
use crate::math::{Pose, Vec3};
use crate::motion::{Motion, Sweep};
use crate::react::{self, Presses, React};
use crate::stage::{Probe, Stage};
use crate::team::Team;

/// Everything in a scene.
#[derive(Clone, Debug)]
pub struct World {
    /// Acceleration of gravity [m/s2].
    pub gravity: Vec3,
    clock: Clock,
    obstacles: Vec<Obstacle>,
    grippers: Vec<Gripper>,
    /// Obstacles that are fingertips, each of a gripper.
    fingers: Vec<Finger>,
    grips: Vec<Grip>,
    loads: Vec<Load>,
    bodies: Vec<Body>,
    /// What happened during the last step.
    events: Vec<Event>,
    /// Links of cables that touch or may touch each other, in order.
    pairs: Vec<Pair>,
    /// Facets of solids that touch each other, in order.
    meetings: Vec<Meeting>,
    solids: Meetings,
    /// Where bodies of different models touch, in order.
    presses: Presses,
    react: React,
    /// Scratch: the obstacles near the body at hand.
    near: Vec<usize>,
    cables: CableScratch,
    /// Scratch: contacts of all bodies, where there are fingers.
    contacts: Vec<Contact>,
    team: Team,
}

/// The obstacle that is the tip of a gripper.
#[derive(Clone, Copy, Debug)]
struct Finger {
    gripper: usize,
    obstacle: usize,
}

/// How often a step is made again because links met that were not expected to.
const MOST_REPEATS: usize = 3;

/// Working memory for cables that are solved together.
#[derive(Clone, Debug, Default)]
struct CableScratch {
    trees: Trees,
    crews: Crews,
    found: Vec<Pair>,
    /// For each body, the first of those it is solved with.
    leader: Vec<usize>,
}

/// All that changes in a world, exact to the bit.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    gravity: Vec3,
    clock: Clock,
    obstacles: Vec<Sweep>,
    grippers: Vec<(Sweep, Option<Pose>, Wrench)>,
    grips: Vec<Grip>,
    loads: Vec<Load>,
    bodies: Vec<BodyState>,
    pairs: Vec<Pair>,
    meetings: Vec<Meeting>,
    presses: Presses,
    events: Vec<Event>,
}

impl World {
    /// An empty world.
    pub fn new(gravity: Vec3) -> World {
        World {
            gravity,
            clock: Clock::default(),
            obstacles: vec![],
            grippers: vec![],
            fingers: vec![],
            grips: vec![],
            loads: vec![],
            bodies: vec![],
            events: Vec::with_capacity(64),
            pairs: vec![],
            meetings: vec![],
            solids: Meetings::default(),
            presses: Presses::default(),
            react: React::default(),
            near: vec![],
            cables: CableScratch::default(),
            contacts: vec![],
            team: Team::new(1),
        }
    }

    /// Let as many threads share the work of a step; one unless told. Results do not depend on it.
    pub fn set_threads(&mut self, threads: usize) {
        self.team = Team::new(threads);
    }

    /// Add an obstacle; returns its index.
    pub fn add_obstacle(&mut self, params: ObstacleParams) -> Result<usize, BuildError> {
        unique("obstacle", &params.name, self.obstacles.iter().map(|o| o.params.name.as_str()))?;
        self.obstacles.push(Obstacle::new(params, self.time()));
        self.near.reserve(self.obstacles.len());
        self.reserve();
        Ok(self.obstacles.len() - 1)
    }

    /// Add a gripper; returns its index.
    pub fn add_gripper(&mut self, params: GripperParams) -> Result<usize, BuildError> {
        unique("gripper", &params.name, self.grippers.iter().map(|g| g.params.name.as_str()))?;
        self.grippers.push(Gripper::new(params, self.time()));
        Ok(self.grippers.len() - 1)
    }

    /// Let a gripper have a fingertip; returns the index of the obstacle that it is, of the same name.
    pub fn add_finger(&mut self, params: FingerParams) -> Result<usize, BuildError> {
        let missing = || BuildError::NoSuch { kind: "gripper", name: format!("number {}", params.gripper) };
        let Gripper { params: gripper, sweep, .. } = self.grippers.get(params.gripper).ok_or_else(missing)?;
        let obstacle = self.add_obstacle(ObstacleParams {
            name: gripper.name.clone(),
            shape: Shape::new(ShapeKind::Sphere { radius: params.radius })?,
            placed: sweep.end,
            motion: Motion::Hold,
            friction: params.friction,
        })?;
        self.fingers.push(Finger { gripper: params.gripper, obstacle });
        Ok(obstacle)
    }

    /// Add a body; returns its index.
    pub fn add_body(&mut self, body: Body) -> Result<usize, BuildError> {
        unique("body", body.name(), self.bodies.iter().map(Body::name))?;
        self.bodies.push(body);
        self.reserve();
        Ok(self.bodies.len() - 1)
    }

    /// Add a grip; returns its index. It closes at its time, at once if that has come.
    pub fn add_grip(&mut self, params: GripParams) -> Result<usize, BuildError> {
        let missing = |kind, index: usize| BuildError::NoSuch { kind, name: format!("number {index}") };
        self.grippers.get(params.gripper).ok_or_else(|| missing("gripper", params.gripper))?;
        let body = self.bodies.get(params.body).ok_or_else(|| missing("body", params.body))?;
        body.place_pose(params.place)?;
        if params.hold == Hold::Direction && !matches!(body, Body::Elastica(_)) {
            return Err(BuildError::DirectionAlone { body: body.name().into() });
        }
        self.grips.push(Grip::new(params));
        self.reserve();
        let index = self.grips.len() - 1;
        // between steps a gripper is where the last one left it
        if self.close_or_open(index, 1.0) {
            self.prepare(params.body);
        }
        Ok(index)
    }

    /// Add a dead load; returns its index.
    pub fn add_load(&mut self, load: Load) -> Result<usize, BuildError> {
        let missing = || BuildError::NoSuch { kind: "body", name: format!("number {}", load.body) };
        let body = self.bodies.get(load.body).ok_or_else(missing)?;
        body.place_pose(load.place)?;
        if matches!(body, Body::Chain(_)) && load.torque != Vec3::ZERO {
            return Err(BuildError::NoTorque { body: body.name().into() });
        }
        self.loads.push(load);
        self.reserve();
        self.prepare(load.body);
        Ok(self.loads.len() - 1)
    }

    /// Bring a rod of the model `elastica` into the equilibrium with its grips and loads that is found from where it is.
    pub fn settle(&mut self, body: usize) -> Result<Settled, BuildError> {
        let missing = || BuildError::NoSuch { kind: "body", name: format!("number {body}") };
        let name = self.bodies.get(body).ok_or_else(missing)?.name().to_owned();
        self.find_near(body, STILL);
        self.with_surroundings(body, STILL, |body, around| match body {
            Body::Elastica(rod) => rod.settle(around),
            _ => Err(BuildError::NoSuch { kind: "elastica", name }),
        })
    }

    /// Get bodies ready for the first step, when all grips, loads and obstacles are there: those that are to begin in
    /// equilibrium find it, and those that begin inside an obstacle are refused.
    pub fn settle_all(&mut self) -> Result<(), BuildError> {
        for body in 0..self.bodies.len() {
            let Body::Elastica(rod) = &self.bodies[body] else { continue };
            if rod.begins_settled() {
                let Settled { falling, change, .. } = self.settle(body)?;
                if falling > 0 {
                    let body = self.bodies[body].name().into();
                    return Err(BuildError::NoEquilibrium { body, falling, change });
                }
            }
            self.find_near(body, STILL);
            self.with_surroundings(body, STILL, |body, around| match body {
                Body::Elastica(rod) => rod.check_start(around),
                _ => Ok(()),
            })?;
        }
        Ok(())
    }

    /// Open a grip now, whatever its schedule says.
    pub fn release(&mut self, grip: usize) -> Result<(), BuildError> {
        let time = self.time();
        let missing = || BuildError::NoSuch { kind: "grip", name: format!("number {grip}") };
        let released = self.grips.get_mut(grip).ok_or_else(missing)?;
        released.params.until = time;
        let body = released.params.body;
        if self.close_or_open(grip, 1.0) {
            self.prepare(body);
        }
        Ok(())
    }

    /// Move a gripper by hand: it goes to `pose` during the next step. `None` returns it to its prescribed motion.
    pub fn drive(&mut self, gripper: usize, pose: Option<Pose>) -> Result<(), BuildError> {
        let missing = || BuildError::NoSuch { kind: "gripper", name: format!("number {gripper}") };
        let gripper = self.grippers.get_mut(gripper).ok_or_else(missing)?;
        if pose.is_some_and(|p| !p.translation.is_finite() || !p.rotation.is_normalized()) {
            return Err(BuildError::Pose { name: gripper.params.name.clone() });
        }
        gripper.driven = pose;
        Ok(())
    }

    /// Advance by `dt` [s].
    pub fn step(&mut self, dt: f64) -> Result<(), StepError> {
        self.step_probed(dt, &mut ())
    }

    /// Advance by `dt` [s] and tell `probe` when each stage begins.
    pub fn step_probed(&mut self, dt: f64, probe: &mut impl Probe) -> Result<(), StepError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(StepError::Step { dt });
        }
        self.events.clear();

        // poses at both ends of the step, so that a body may sub-step between them
        probe.enter(Stage::Move, None);
        self.move_obstacles_and_grippers(self.clock.after(dt).time());
        self.close_and_open_grips();

        // forces between bodies that advance apart
        probe.enter(Stage::React, None);
        self.react(dt);

        for body in 0..self.bodies.len() {
            // what the body can touch during the step
            probe.enter(Stage::Near, Some(body));
            self.find_near(body, dt);

            // the body's own inner steps
            probe.enter(Stage::Advance, Some(body));
            self.advance_body(body, dt)?;
        }
        self.advance_cables(dt, probe)?;
        self.advance_lattices(dt, probe)?;

        // loads on grippers, from the grips the bodies have written
        probe.enter(Stage::Report, None);
        self.sum_gripper_loads();
        self.react.settle(&self.bodies, &mut self.presses);
        self.clock = self.clock.after(dt);
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
        for finger in &self.fingers {
            self.obstacles[finger.obstacle].sweep = self.grippers[finger.gripper].sweep;
        }
    }

    /// Close and open grips by their schedule, at the start of the step.
    fn close_and_open_grips(&mut self) {
        let mut changed = !self.loads.is_empty();
        for grip in 0..self.grips.len() {
            changed |= self.close_or_open(grip, 0.0);
        }
        if changed {
            (0..self.bodies.len()).for_each(|body| self.prepare(body));
        }
    }

    /// Close or open one grip if its schedule says so, with the gripper at a fraction of the step; true if it did.
    fn close_or_open(&mut self, index: usize, fraction: f64) -> bool {
        let time = self.time();
        let grip = &mut self.grips[index];
        let GripParams { gripper, body, place, .. } = grip.params;
        let kind = match (grip.anchor.is_some(), grip.scheduled_at(time)) {
            (false, true) => {
                let Ok(world_from_place) = self.bodies[body].place_pose(place) else { return false };
                grip.close(&self.grippers[gripper].sweep.at(fraction), &world_from_place);
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

    /// Let bodies of different models push each other during the step.
    fn react(&mut self, dt: f64) {
        if !self.react.any() {
            return;
        }
        if !self.presses.list.is_empty() {
            // what pushed in the last step is over
            self.bodies.iter_mut().for_each(Body::forget_pushes);
            (0..self.bodies.len()).for_each(|body| self.prepare(body));
        }
        self.react.act(&mut self.bodies, &mut self.presses, dt, self.gravity);
    }

    /// Tell a body which grips and loads act on it now.
    fn prepare(&mut self, body: usize) {
        let time = self.time();
        self.bodies[body].prepare(body, time, &self.grips, &self.loads);
    }

    /// Let every body have room for what may hold, load or touch it.
    fn reserve(&mut self) {
        self.react.reserve(&self.bodies, &mut self.presses);
        let loads = self.loads.len() + self.react.room();
        let (grips, obstacles) = (self.grips.len(), self.obstacles.len());
        self.events.reserve(2 * (grips + obstacles * self.bodies.len()).min(1000));
        for body in &mut self.bodies {
            body.reserve(grips, loads, obstacles);
        }
        let links = |b: &Body| if let Body::Cable(cable) = b { cable.size() } else { 0 };
        let (links, bodies) = (self.bodies.iter().map(links).sum::<usize>(), self.bodies.len());
        let CableScratch { trees, found, leader, crews } = &mut self.cables;
        trees.reserve(bodies, links);
        // a link seldom has more than a few others near it
        for pairs in [&mut self.pairs, found] {
            pairs.reserve((4 * links).saturating_sub(pairs.len()));
        }
        leader.reserve(bodies);
        crews.reserve(bodies);
    }

    /// Speed of the fastest gripper that holds a body [m/s].
    fn pulled(&self, body: usize, dt: f64) -> f64 {
        let holding = self.grips.iter().filter(|g| g.params.body == body && g.anchor.is_some());
        let speed = |grip: &Grip| {
            let sweep = &self.grippers[grip.params.gripper].sweep;
            let held = sweep.end.transform_point(grip.anchor.map_or(Vec3::ZERO, |a| a.position));
            sweep.velocity_of(held, 1.0, dt).length()
        };
        holding.map(speed).fold(0.0, f64::max)
    }

    fn find_near(&mut self, body: usize, dt: f64) {
        let pulled = self.pulled(body, dt);
        let Vicinity { low, high, reach, horizon } = self.bodies[body].vicinity(dt, self.gravity, pulled);
        self.near.clear();
        for (index, obstacle) in self.obstacles.iter().enumerate() {
            let [other_low, other_high] = obstacle.swept_bounds(horizon / dt);
            if (low - reach).cmple(other_high).all() && (high + reach).cmpge(other_low).all() {
                self.near.push(index);
            }
        }
    }

    fn advance_body(&mut self, body: usize, dt: f64) -> Result<(), StepError> {
        self.with_surroundings(body, dt, Body::advance)
    }

    /// Advance the cables, each with those it can touch.
    fn advance_cables(&mut self, dt: f64, probe: &mut impl Probe) -> Result<(), StepError> {
        let Some(first) = self.bodies.iter().position(|b| matches!(b, Body::Cable(_))) else { return Ok(()) };
        self.cables.trees.forget();
        for attempt in 1.. {
            probe.enter(Stage::Near, None);
            self.find_pairs(dt);
            self.find_groups();
            probe.enter(Stage::Advance, Some(first));
            let World { bodies, obstacles, pairs, cables, team, .. } = self;
            let around = Around { gravity: self.gravity, obstacles };
            cables.crews.advance(bodies, pairs, &cables.leader, around, dt, team);
            pairs.sort_unstable_by_key(|pair| pair.ends);
            probe.enter(Stage::Near, None);
            if !cables.trees.missed(bodies, pairs) || attempt > MOST_REPEATS {
                break;
            }
            // links met that were not expected to: make the step again, now with them
            bodies.iter_mut().for_each(Body::begin_again);
            std::mem::swap(pairs, &mut cables.found);
        }
        probe.enter(Stage::Advance, Some(first));
        for body in 0..self.bodies.len() {
            self.with_surroundings(body, dt, |body, around| match body {
                Body::Cable(cable) => cable.end(around),
                _ => Ok(()),
            })?;
        }
        Ok(())
    }

    /// Advance the solids of particles together.
    fn advance_lattices(&mut self, dt: f64, probe: &mut impl Probe) -> Result<(), StepError> {
        let Some(first) = self.bodies.iter().position(|b| matches!(b, Body::Lattice(_))) else { return Ok(()) };
        probe.enter(Stage::Advance, Some(first));
        let time = self.time();
        let World { bodies, obstacles, grippers, grips, events, gravity, meetings, solids, team, .. } = self;
        let (gravity, near) = (*gravity, &[][..]);
        let around =
            Surroundings { body: first, time, dt, gravity, pulled: 0.0, obstacles, near, grippers, grips, events };
        let seen = |bodies: &[Body], elapsed: f64, tau: f64| probe.stride(bodies, elapsed, tau);
        lattice::advance(bodies, &mut Shared { meetings, scratch: solids, team }, &around, seen)?;
        for body in 0..self.bodies.len() {
            self.with_surroundings(body, dt, |body, around| match body {
                Body::Lattice(solid) => solid.finish(around),
                _ => Ok(()),
            })?;
        }
        Ok(())
    }

    /// Which links of cables may touch each other during the step.
    fn find_pairs(&mut self, dt: f64) {
        let CableScratch { trees, found, .. } = &mut self.cables;
        trees.find(&self.bodies, dt, &self.pairs, found);
        std::mem::swap(&mut self.pairs, found);
    }

    /// Which cables are connected by pairs; pairs are then in order of their groups.
    fn find_groups(&mut self) {
        let leader = &mut self.cables.leader;
        leader.clear();
        leader.extend(0..self.bodies.len());
        // as often as it takes for the smallest index of a group to reach all of it
        let mut changed = true;
        while changed {
            changed = false;
            for pair in &self.pairs {
                let [a, b] = pair.ends.map(|end| end.body);
                let first = leader[a].min(leader[b]);
                changed |= leader[a] != first || leader[b] != first;
                (leader[a], leader[b]) = (first, first);
            }
        }
        self.pairs.sort_unstable_by_key(|pair| (leader[pair.ends[0].body], pair.ends));
    }

    fn with_surroundings<T>(
        &mut self,
        body: usize,
        dt: f64,
        f: impl FnOnce(&mut Body, &mut Surroundings<'_>) -> T,
    ) -> T {
        let (time, pulled) = (self.time(), self.pulled(body, dt));
        let World { bodies, obstacles, near, grippers, grips, events, .. } = self;
        let gravity = self.gravity;
        f(
            &mut bodies[body],
            &mut Surroundings { body, time, dt, gravity, pulled, obstacles, near, grippers, grips, events },
        )
    }

    fn sum_gripper_loads(&mut self) {
        for gripper in &mut self.grippers {
            gripper.load = Wrench::default();
        }
        for grip in self.grips.iter().filter(|g| g.anchor.is_some()) {
            self.grippers[grip.params.gripper].load += grip.load;
        }
        if self.fingers.is_empty() {
            return;
        }
        self.contacts.clear();
        for (index, body) in self.bodies.iter().enumerate() {
            body.write_contacts(index, &self.obstacles, &mut self.contacts);
        }
        for finger in &self.fingers {
            let gripper = &mut self.grippers[finger.gripper];
            for contact in self.contacts.iter().filter(|c| c.other == Other::Obstacle(finger.obstacle)) {
                let arm = contact.position - gripper.sweep.end.translation;
                gripper.load += Wrench { force: -contact.force, torque: -arm.cross(contact.force) };
            }
        }
    }

    /// Copy out all that changes.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            gravity: self.gravity,
            clock: self.clock,
            obstacles: self.obstacles.iter().map(|o| o.sweep).collect(),
            grippers: self.grippers.iter().map(|g| (g.sweep, g.driven, g.load)).collect(),
            grips: self.grips.clone(),
            loads: self.loads.clone(),
            bodies: self.bodies.iter().map(Body::state).collect(),
            pairs: self.pairs.clone(),
            meetings: self.meetings.clone(),
            presses: self.presses.clone(),
            events: self.events.clone(),
        }
    }

    /// Put back a snapshot of this world. Grips and loads added since are gone, those it had are back.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), BuildError> {
        let same_parts = snapshot.obstacles.len() == self.obstacles.len()
            && snapshot.grippers.len() == self.grippers.len()
            && snapshot.bodies.len() == self.bodies.len()
            && self.bodies.iter().zip(&snapshot.bodies).all(|(body, state)| body.fits(state));
        if !same_parts {
            return Err(BuildError::ForeignSnapshot);
        }
        for (body, state) in self.bodies.iter_mut().zip(&snapshot.bodies) {
            body.set_state(state);
        }
        for (obstacle, sweep) in self.obstacles.iter_mut().zip(&snapshot.obstacles) {
            obstacle.sweep = *sweep;
        }
        for (gripper, (sweep, driven, load)) in self.grippers.iter_mut().zip(&snapshot.grippers) {
            (gripper.sweep, gripper.driven, gripper.load) = (*sweep, *driven, *load);
        }
        self.grips.clone_from(&snapshot.grips);
        self.pairs.clone_from(&snapshot.pairs);
        self.meetings.clone_from(&snapshot.meetings);
        self.presses.clone_from(&snapshot.presses);
        self.events.clone_from(&snapshot.events);
        self.loads.clone_from(&snapshot.loads);
        self.gravity = snapshot.gravity;
        self.clock = snapshot.clock;
        self.reserve();
        (0..self.bodies.len()).for_each(|body| self.prepare(body));
        Ok(())
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.clock.time()
    }

    /// Number of steps taken.
    pub fn step_count(&self) -> u64 {
        self.clock.count
    }

    /// Bodies.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Give a chain another shape, at rest; its number of points stays.
    pub fn set_points(&mut self, body: usize, points: &[Vec3]) -> Result<(), BuildError> {
        let missing = || BuildError::NoSuch { kind: "body", name: format!("number {body}") };
        match self.bodies.get_mut(body).ok_or_else(missing)? {
            Body::Chain(chain) => chain.set_points(points),
            body => Err(BuildError::NoSuch { kind: "chain", name: body.name().into() }),
        }
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
        frame.time = self.time();
        frame.bodies.resize_with(self.bodies.len(), BodyFrame::default);
        for (body, out) in self.bodies.iter().zip(&mut frame.bodies) {
            body.write_frame(self.gravity, out);
        }
        frame.grippers.clear();
        frame.grippers.extend(self.grippers.iter().enumerate().map(|(index, gripper)| GripperFrame {
            pose: gripper.sweep.end,
            load: gripper.load,
            attached: self.grips.iter().any(|g| g.params.gripper == index && g.anchor.is_some())
                || self.fingers.iter().any(|f| f.gripper == index) && gripper.load != Wrench::default(),
        }));
        frame.obstacles.clear();
        frame.obstacles.extend(self.obstacles.iter().map(|o| o.sweep.end));
        frame.contacts.clear();
        for (index, body) in self.bodies.iter().enumerate() {
            body.write_contacts(index, &self.obstacles, &mut frame.contacts);
        }
        cable::write_pairs(&self.bodies, &self.pairs, &mut frame.contacts);
        lattice::write_meetings(&self.meetings, &mut frame.contacts);
        react::write_presses(&self.presses, &mut frame.contacts);
    }
}

/// A length of time in which nothing moves: any will do [s].
const STILL: f64 = 1e-3;

fn unique<'a>(kind: &'static str, name: &str, mut taken: impl Iterator<Item = &'a str>) -> Result<(), BuildError> {
    if taken.any(|other| other == name) {
        return Err(BuildError::SameName { kind, name: name.into() });
    }
    Ok(())
}
