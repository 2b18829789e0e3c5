//! The world: everything in a scene, and the step that advances it.

mod accounts;
mod arms;
mod build;
mod control;
mod parts;
mod picture;
mod sensors;
mod settle;
mod snapshot;
mod together;
mod undo;

pub(crate) use control::move_up;
pub use snapshot::Snapshot;
pub(crate) use together::Beside;

use crate::account::Account;
use crate::body::{Body, Surroundings, Vicinity};
use crate::clock::Clock;
use crate::contact::Obstacle;
use crate::error::StepError;
use crate::frame::{Contact, Event, EventKind, Other};
use crate::grip::{ActingLoad, Grip, Gripper, Load, Wrench};
use crate::group::{Group, Groups};
use crate::handle::{GripId, LoadId};
use crate::math::Vec3;
use crate::react::{Nodes, Passage, Presses, React};
use crate::sensor::Sensor;
use crate::stage::{Probe, Stage};
use crate::stop::Stop;
use crate::team::Team;
use crate::watch::Watch;
use accounts::Accounts;
use build::Handles;
use together::Together;
use undo::Before;

/// Everything in a scene. A clone copies the state only: constant data is shared, and working memory is allocated when
/// the clone first steps.
#[derive(Clone, Debug)]
pub struct World {
    /// Acceleration of gravity, in the world [m/s2].
    gravity: Vec3,
    clock: Clock,
    obstacles: Vec<Obstacle>,
    grippers: Vec<Gripper>,
    /// Obstacles that are fingertips of grippers.
    fingers: Vec<Finger>,
    /// Sensors of grippers.
    sensors: Vec<Sensor>,
    grips: Vec<Grip>,
    /// Loads, each with the index of its body; `usize::MAX` once a load has been removed.
    loads: Vec<(usize, Load)>,
    /// Scratch: the loads with their magnitude in the middle of the step.
    acting: Vec<ActingLoad>,
    bodies: Vec<Body>,
    /// What happened during the last step.
    events: Vec<Event>,
    /// Contacts of the last step if it was taken in parts, each with its share of the step as its force.
    parted: Vec<Contact>,
    groups: Groups,
    /// Contacts between bodies that are advanced separately, sorted.
    presses: Presses,
    react: React,
    together: Together,
    /// Scratch: obstacles near the current body.
    near: Vec<usize>,
    /// Scratch: contacts of all bodies, filled if there are fingertips.
    contacts: Vec<Contact>,
    /// Scratch: nodes of the surface of a solid that a grip closes on.
    surface: Vec<Vec3>,
    /// Scratch: nodes of a body that is grasped at its nearest place.
    nodes: Nodes,
    watch: Watch,
    accounts: Accounts,
    team: Team,
    handles: Handles,
    stop: Stop,
    room: Room,
    /// Incremented whenever a body, an obstacle or a gripper is added or removed.
    revision: u64,
    /// State at the start of the current step, to return to if it fails.
    before: Before,
}

/// Whether working memory is allocated for everything. Clones do not copy it and allocate their own when they first
/// step.
#[derive(Debug)]
enum Room {
    /// Allocated.
    Made,
    /// Not yet allocated in this clone.
    Left,
    /// Too small for what was added or restored since.
    Outgrown,
}

impl Clone for Room {
    fn clone(&self) -> Room {
        if matches!(self, Room::Outgrown) { Room::Outgrown } else { Room::Left }
    }
}

/// The obstacle that is the fingertip of a gripper.
#[derive(Clone, Copy, Debug)]
struct Finger {
    gripper: usize,
    obstacle: usize,
}

impl World {
    /// An empty world; `gravity` in [m/s2]. No step is made in one whose gravity is not finite.
    pub fn new(gravity: Vec3) -> World {
        World {
            gravity,
            clock: Clock::default(),
            obstacles: vec![],
            grippers: vec![],
            fingers: vec![],
            sensors: vec![],
            grips: vec![],
            loads: vec![],
            acting: vec![],
            bodies: vec![],
            events: Vec::with_capacity(64),
            parted: vec![],
            groups: Groups::default(),
            presses: Presses::default(),
            react: React::default(),
            together: Together::default(),
            near: vec![],
            contacts: vec![],
            surface: vec![],
            nodes: Nodes::default(),
            watch: Watch::default(),
            accounts: Accounts::default(),
            team: Team::new(1),
            stop: Stop::default(),
            handles: Handles::default(),
            revision: 0,
            room: Room::Made,
            before: Before::default(),
        }
    }

    /// Number of threads that share the work of a step; 1 by default, 256 at most. Results do not depend on it.
    pub fn set_threads(&mut self, threads: usize) {
        self.team = Team::new(threads);
    }

    /// Let `stop` end steps early: a step then fails with [`StepError::Stopped`].
    pub fn set_stop(&mut self, stop: &Stop) {
        self.stop = stop.clone();
    }

    /// Advance by `dt` [s], finite and positive. A step in which a body gains more energy than its model allows is taken
    /// again in parts, if accounts are enforced ([`World::enforce_accounts`]). If a step fails, the world is left as it
    /// was before.
    pub fn step(&mut self, dt: f64) -> Result<(), StepError> {
        self.step_probed(dt, &mut ())
    }

    /// Advance by `dt` [s] as [`World::step`] does, and notify `probe` when each stage begins.
    pub fn step_probed(&mut self, dt: f64, probe: &mut impl Probe) -> Result<(), StepError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(StepError::Step { dt });
        }
        if !self.gravity.is_finite() {
            return Err(StepError::Gravity { gravity: self.gravity });
        }
        self.make_room();
        match self.try_eased(dt, probe) {
            Err(whole @ StepError::Created { .. }) => self.step_in_parts(dt, whole, probe),
            stepped => stepped,
        }
    }

    /// Make the step; on failure the world is left halfway.
    fn try_step(&mut self, dt: f64, probe: &mut impl Probe) -> Result<(), StepError> {
        self.events.clear();
        self.watch.begin(&self.bodies, &self.obstacles, self.groups.between.pairs.capacity());
        self.accounts.begin(&self.bodies, self.gravity);

        // poses at both ends of the step, so that a body may sub-step between them
        probe.enter(Stage::Move, None);
        self.move_obstacles_and_grippers(self.clock.after(dt).time(), dt)?;
        self.close_and_open_grips(self.clock.after(dt).time());

        // forces between bodies that are advanced separately
        probe.enter(Stage::React, None);
        self.react(dt);

        // first those that carry what other bodies meet
        self.advance_group(Group::Linked, dt, probe)?;
        self.place_carried();
        self.advance_alone(dt, probe)?;
        self.advance_group(Group::Particles, dt, probe)?;
        self.finish(dt, probe)?;

        // loads on grippers, from the loads that the bodies have written to their grips
        probe.enter(Stage::Report, None);
        let time = self.clock.after(dt).time();
        self.sum_gripper_loads();
        self.load_arms();
        let passages = self.react.settle(&self.bodies, &mut self.presses);
        self.events.extend(passages.iter().map(|&Passage { bodies: [body, other], node }| Event {
            time,
            kind: EventKind::Crossed { body, other: Other::Body(other), node },
        }));
        self.settle_accounts(time)?;
        // nothing fails from here on
        self.parted.clear();
        self.lose_grips(time);
        self.note_bodies(time);
        self.clock = self.clock.after(dt);
        self.read_sensors(dt);

        // check for what no solver should let happen
        probe.enter(Stage::Watch, None);
        let World { watch, groups, clock, bodies, obstacles, grippers, grips, events, .. } = self;
        let joined = |body: usize, obstacle: &Obstacle| arms::is_joined_to(body, obstacle, grippers, grips);
        watch.look(bodies, &groups.between.pairs, (obstacles, &joined), clock.time(), events);
        probe.leave();
        Ok(())
    }

    /// The result of a part of the step, or an error if the step was asked to stop.
    fn unless_stopped(&self, advanced: Result<(), StepError>) -> Result<(), StepError> {
        if self.stop.is_asked() { Err(StepError::Stopped { time: self.time() }) } else { advanced }
    }

    fn move_obstacles_and_grippers(&mut self, time: f64, dt: f64) -> Result<(), StepError> {
        let now = self.time();
        for Obstacle { params, sweep, drive, .. } in &mut self.obstacles {
            sweep.advance_to(drive.next(&sweep.end, dt, || params.motion.pose(&params.placed, time)));
            StepError::check_sweep(&params.name, now, sweep)?;
        }
        for Gripper { params, sweep, drive, .. } in &mut self.grippers {
            sweep.advance_to(drive.next(&sweep.end, dt, || params.motion.pose(&params.placed, time)));
            StepError::check_sweep(&params.name, now, sweep)?;
        }
        self.expect_carried(dt);
        for finger in &self.fingers {
            self.obstacles[finger.obstacle].sweep = self.grippers[finger.gripper].sweep;
        }
        Ok(())
    }

    /// Close and open grips by their schedule, for a step that ends at `time` [s], and reset their loads, to which
    /// bodies then add.
    fn close_and_open_grips(&mut self, time: f64) {
        self.grips.iter_mut().for_each(|grip| grip.load = Wrench::default());
        self.size_loads(0.5 * (self.time() + time));
        let mut changed = !self.loads.is_empty();
        for grip in 0..self.grips.len() {
            changed |= self.close_or_open(grip, 0.0) || self.grips[grip].slides;
            self.grips[grip].pull(time);
        }
        if changed {
            (0..self.bodies.len()).for_each(|body| self.prepare(body));
        }
    }

    /// Close or open a grip if its schedule says so, with the gripper at a fraction of the step; true if it did.
    fn close_or_open(&mut self, index: usize, fraction: f64) -> bool {
        let time = self.time();
        let grip = &mut self.grips[index];
        let (Grip { gripper, body, .. }, place) = (*grip, grip.params.place);
        let kind = match (grip.anchor.is_some(), grip.scheduled_at(time)) {
            (false, true) => {
                let Ok(world_from_place) = self.bodies[body].find_place(place, &mut self.surface) else { return false };
                let at_once = self.bodies[body].is_held_at_once();
                grip.close(&self.grippers[gripper].sweep.at(fraction), &world_from_place, time, at_once);
                // what changes at once is work of the grip
                if grip.params.snap && at_once || self.bodies[body].gives_way_to_grips() {
                    self.accounts.snap(body);
                }
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

    /// Apply the contact forces between bodies that are advanced separately.
    fn react(&mut self, dt: f64) {
        if !self.react.any() {
            return;
        }
        if !self.presses.list.is_empty() {
            // remove the forces of the last step
            (0..self.bodies.len()).for_each(|body| self.prepare(body));
        }
        self.react.act(&mut self.bodies, &mut self.presses, dt, self.gravity);
    }

    /// Compute the magnitudes of all loads at `time` [s].
    fn size_loads(&mut self, time: f64) {
        self.acting.clear();
        self.acting.extend(self.loads.iter().map(|&(body, load)| load.sized_at(body, time)));
    }

    /// Set the grips and loads that act on a body now.
    fn prepare(&mut self, body: usize) {
        let time = self.time();
        self.bodies[body].prepare(body, time, &self.grips, &self.acting);
    }

    /// Speed of the fastest gripper that holds a body [m/s].
    fn pulled(&self, body: usize, dt: f64) -> f64 {
        let holding = self.grips.iter().filter(|g| g.body == body && g.anchor.is_some());
        let speed = |grip: &Grip| {
            let sweep = &self.grippers[grip.gripper].sweep;
            let held = sweep.end.transform_point(grip.anchor.map_or(Vec3::ZERO, |a| a.position));
            sweep.velocity_of(held, 1.0, dt).length()
        };
        holding.map(speed).fold(0.0, f64::max)
    }

    fn find_near(&mut self, body: usize, dt: f64) {
        if let Body::Arm(_) = &self.bodies[body] {
            return self.find_near_arm(body, dt);
        }
        let pulled = self.pulled(body, dt);
        let Vicinity { low, high, reach, horizon } = self.bodies[body].vicinity(dt, self.gravity, pulled);
        self.near.clear();
        for (index, obstacle) in self.obstacles.iter().enumerate() {
            let [other_low, other_high] = obstacle.swept_bounds(horizon / dt);
            let close = (low - reach).cmple(other_high).all() && (high + reach).cmpge(other_low).all();
            if close && !arms::is_joined_to(body, obstacle, &self.grippers, &self.grips) {
                self.near.push(index);
            }
        }
    }

    /// Advance the bodies that belong to no group, each by its own inner steps.
    fn advance_alone(&mut self, dt: f64, probe: &mut impl Probe) -> Result<(), StepError> {
        for body in 0..self.bodies.len() {
            if self.bodies[body].group().is_none() {
                self.look_around(body, dt, probe);
                probe.enter(Stage::Advance, Some(body));
                let advanced = self.with_surroundings(body, dt, Body::advance);
                self.unless_stopped(advanced)?;
            }
        }
        Ok(())
    }

    /// Advance the bodies of a group together.
    fn advance_group(&mut self, group: Group, dt: f64, probe: &mut impl Probe) -> Result<(), StepError> {
        for body in 0..self.bodies.len() {
            if self.bodies[body].group() == Some(group) {
                self.look_around(body, dt, probe);
                probe.enter(Stage::Advance, Some(body));
                self.with_surroundings(body, dt, Body::get_ready);
            }
        }
        let advanced = self.advance_ready(group, dt, probe);
        self.unless_stopped(advanced)
    }

    /// Advance the bodies of a group, which are ready.
    fn advance_ready(&mut self, group: Group, dt: f64, probe: &mut impl Probe) -> Result<(), StepError> {
        let time = self.time();
        let World { bodies, groups, obstacles, grippers, grips, events, gravity, team, stop, .. } = self;
        let (body, gravity, near, pulled) = (usize::MAX, *gravity, &[][..], 0.0);
        let around = Surroundings { body, time, dt, gravity, pulled, obstacles, near, grippers, grips, events, stop };
        groups.advance(group, bodies, &around, team, probe)
    }

    /// Check and finish the step of the bodies that were advanced together with others, when all have been advanced.
    fn finish(&mut self, dt: f64, probe: &mut impl Probe) -> Result<(), StepError> {
        self.near.clear();
        for body in 0..self.bodies.len() {
            probe.enter(Stage::Advance, Some(body));
            self.with_surroundings(body, dt, Body::check)?;
        }
        for body in 0..self.bodies.len() {
            probe.enter(Stage::Advance, Some(body));
            self.with_surroundings(body, dt, Body::finish);
        }
        Ok(())
    }

    /// Find what a body can touch during the step.
    fn look_around(&mut self, body: usize, dt: f64, probe: &mut impl Probe) {
        probe.enter(Stage::Near, Some(body));
        self.find_near(body, dt);
    }

    fn with_surroundings<T>(
        &mut self,
        body: usize,
        dt: f64,
        f: impl FnOnce(&mut Body, &mut Surroundings<'_>) -> T,
    ) -> T {
        let (time, pulled) = (self.time(), self.pulled(body, dt));
        let World { bodies, obstacles, near, grippers, grips, events, stop, .. } = self;
        let gravity = self.gravity;
        f(
            &mut bodies[body],
            &mut Surroundings { body, time, dt, gravity, pulled, obstacles, near, grippers, grips, events, stop },
        )
    }

    /// Open grips whose body has been pulled out, or that are loaded beyond what their jaws bear.
    fn lose_grips(&mut self, time: f64) {
        let mut any = false;
        for grip in self.grips.iter_mut().filter(|g| g.anchor.is_some()) {
            let (gripper, body) = (grip.gripper, grip.body);
            grip.lost |= grip.load.force.length() > grip.params.jaws.opens_at;
            if grip.lost {
                grip.open();
                self.events.push(Event { time, kind: EventKind::Lost { gripper, body } });
                any = true;
            }
        }
        if any {
            (0..self.bodies.len()).for_each(|body| self.prepare(body));
        }
    }

    fn sum_gripper_loads(&mut self) {
        for gripper in &mut self.grippers {
            gripper.load = Wrench::default();
        }
        for grip in self.grips.iter().filter(|g| g.anchor.is_some()) {
            self.grippers[grip.gripper].load += grip.load;
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
                let origin = gripper.sweep.end.translation;
                gripper.load += Wrench::at(contact.position, -contact.force, Vec3::ZERO, origin);
            }
        }
    }

    /// Largest penetration of any cable, chain or rod of links into anything, including other cables, over all steps so far
    /// [m]: measured on the tube around its centre line, to a hundredth of its radius.
    pub fn deepest(&self) -> f64 {
        self.watch.deepest()
    }

    /// Acceleration of gravity, in the world [m/s2].
    pub fn gravity(&self) -> Vec3 {
        self.gravity
    }

    /// A number that changes whenever the world gains or loses a body, an obstacle or a gripper.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.clock.time()
    }

    /// Number of steps taken.
    pub fn step_count(&self) -> u64 {
        self.clock.count
    }

    /// All bodies; the order is that of frames.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// All obstacles, including fingertips.
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// All grippers.
    pub fn grippers(&self) -> &[Gripper] {
        &self.grippers
    }

    /// Dead loads, including those that do not act now.
    pub fn loads(&self) -> impl Iterator<Item = (LoadId, &Load)> {
        let all = self.loads.iter().enumerate();
        all.filter_map(|(index, (_, load))| Some((self.handles.loads.at(index)?, load)))
    }

    /// Grips, including open ones.
    pub fn grips(&self) -> impl Iterator<Item = (GripId, &Grip)> {
        let all = self.grips.iter().enumerate();
        all.filter_map(|(index, grip)| Some((self.handles.grips.at(index)?, grip)))
    }

    /// Energy account of each body, in the order of [`World::bodies`]: the work done on it, against the change of its
    /// energy.
    pub fn accounts(&self) -> &[Account] {
        &self.accounts.list
    }

    /// What happened during the last step.
    pub fn events(&self) -> &[Event] {
        &self.events
    }
}
