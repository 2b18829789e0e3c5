//! Saving and restoring the state of a world.

use super::accounts::Accounts;
use super::build::Handles;
use super::together::Two;
use super::{Room, World};
use crate::body::{Body, BodyState, There};
use crate::bytes::{Malformed, Reader, Stored, checksum, read_word, stored};
use crate::clock::Clock;
use crate::error::{BuildError, SnapshotError};
use crate::frame::{Contact, Event, Other};
use crate::grip::{Grip, Load, Place, Wrench};
use crate::group::Between;
use crate::material::Friction;
use crate::math::{Pose, Vec3};
use crate::motion::{Drive, Sweep};
use crate::properties::Properties;
use crate::react::{self, Presses};
use crate::sensor::SensorState;
use crate::watch::Watch;

/// The whole state of a world, exact to the bit. Snapshots of worlds built alike compare equal if the worlds are in the
/// same state, although their handles differ.
#[derive(Clone, Debug)]
pub struct Snapshot {
    handles: Handles,
    grips: Vec<Grip>,
    /// Loads, each with the index of its body.
    loads: Vec<(usize, Load)>,
    state: State,
    origin: Origin,
}

/// Where a snapshot comes from: what was read from bytes may have been made up, and is checked before it is restored.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Origin {
    /// From a world.
    Taken,
    /// From bytes.
    Read,
}

impl Stored for Origin {
    fn write(&self, _: &mut Vec<u8>) {}

    fn read(_: &mut Reader<'_>) -> Result<Origin, Malformed> {
        Ok(Origin::Read)
    }
}

/// The part of a snapshot that contains no handles.
#[derive(Clone, Debug, PartialEq)]
struct State {
    /// See [`World::sizes`].
    sizes: Vec<f64>,
    gravity: Vec3,
    clock: Clock,
    obstacles: Vec<(Sweep, Drive, Option<Friction>)>,
    grippers: Vec<(Sweep, Drive, Wrench)>,
    sensors: Vec<SensorState>,
    bodies: Vec<BodyState>,
    properties: Vec<Properties>,
    between: Between,
    presses: Presses,
    touching: Vec<Two>,
    events: Vec<Event>,
    parted: Vec<Contact>,
    watch: Watch,
    accounts: Accounts,
}

stored!(State {
    sizes,
    gravity,
    clock,
    obstacles,
    grippers,
    sensors,
    bodies,
    properties,
    between,
    presses,
    touching,
    events,
    parted,
    watch,
    accounts,
});
stored!(Snapshot { handles, grips, loads, state, origin });

/// First bytes of a serialised snapshot.
const MAGIC: [u8; 8] = *b"pliantsn";

/// Version of the format that follows. Increment it whenever the state of any model changes.
const VERSION: u32 = 12;

/// Size of the header: magic, version, length and checksum.
const HEAD: usize = 8 + 4 + 8 + 8;

impl Snapshot {
    /// Serialise, for a file, another process or another machine: little-endian, with version, length and checksum.
    /// Names stand for handles, so that any world built in the same way can [`World::restore`] it and continue bit for
    /// bit.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut content = vec![];
        self.write(&mut content);
        let mut bytes = Vec::with_capacity(HEAD + content.len());
        MAGIC.write(&mut bytes);
        VERSION.write(&mut bytes);
        content.len().write(&mut bytes);
        checksum(&content).write(&mut bytes);
        bytes.extend_from_slice(&content);
        bytes
    }

    /// Read what [`Snapshot::to_bytes`] wrote. Fails if version, length or checksum do not match; whether the snapshot
    /// fits a world is checked by [`World::restore`]. The checksum detects damage, not forgery.
    pub fn from_bytes(bytes: &[u8]) -> Result<Snapshot, SnapshotError> {
        let (head, content) = bytes.split_at_checked(HEAD).ok_or(SnapshotError::Foreign)?;
        let damaged = |_: Malformed| SnapshotError::Damaged;
        let mut head = Reader::new(head);
        if <[u8; 8]>::read(&mut head).map_err(damaged)? != MAGIC {
            return Err(SnapshotError::Foreign);
        }
        let version = u32::read(&mut head).map_err(damaged)?;
        if version != VERSION {
            return Err(SnapshotError::Version { version, known: VERSION });
        }
        let (expected, sum) = (read_word(&mut head).map_err(damaged)?, read_word(&mut head).map_err(damaged)?);
        if content.len() as u64 != expected {
            return Err(SnapshotError::Length { expected, got: content.len() as u64 });
        }
        if checksum(content) != sum {
            return Err(SnapshotError::Damaged);
        }
        let mut content = Reader::new(content);
        let snapshot = Snapshot::read(&mut content).map_err(damaged)?;
        let Snapshot { handles, grips, loads, state, .. } = &snapshot;
        let whole = content.is_empty() && state.bodies.len() == state.properties.len();
        if whole && handles.are_those_of(grips.len(), loads.len()) { Ok(snapshot) } else { Err(SnapshotError::Damaged) }
    }
}

impl PartialEq for Snapshot {
    fn eq(&self, other: &Snapshot) -> bool {
        let grips = self.grips.iter().zip(&other.grips);
        let loads = self.loads.iter().zip(&other.loads);
        self.state == other.state
            && self.handles.are_laid_out_like(&other.handles)
            && grips.into_iter().all(|(a, b)| a.with_handles_of(b) == *b)
            && loads.into_iter().all(|((m, a), (n, b))| m == n && Load { body: b.body, ..*a } == *b)
    }
}

impl World {
    /// Save the state of the world.
    pub fn snapshot(&self) -> Snapshot {
        let state = State {
            sizes: self.sizes().collect(),
            gravity: self.gravity,
            clock: self.clock,
            obstacles: self.obstacles.iter().map(|o| (o.sweep, o.drive, o.friction)).collect(),
            grippers: self.grippers.iter().map(|g| (g.sweep, g.drive, g.load)).collect(),
            sensors: self.sensors.iter().map(|sensor| sensor.state).collect(),
            bodies: self.bodies.iter().map(Body::state).collect(),
            properties: self.bodies.iter().map(Body::properties).collect(),
            between: self.groups.between.clone(),
            presses: self.presses.clone(),
            touching: self.together.touching.clone(),
            events: self.events.clone(),
            parted: self.parted.clone(),
            watch: self.watch.clone(),
            accounts: self.accounts.clone(),
        };
        let (handles, grips, loads) = (self.handles.clone(), self.grips.clone(), self.loads.clone());
        Snapshot { handles, grips, loads, state, origin: Origin::Taken }
    }

    /// Save the state of the world into an existing snapshot, without allocating where its buffers suffice.
    pub fn write_snapshot(&self, to: &mut Snapshot) {
        if to.handles != self.handles {
            to.handles.clone_from(&self.handles);
        }
        to.origin = Origin::Taken;
        to.grips.clone_from(&self.grips);
        to.loads.clone_from(&self.loads);
        let state = &mut to.state;
        state.sizes.clear();
        state.sizes.extend(self.sizes());
        (state.gravity, state.clock) = (self.gravity, self.clock);
        state.obstacles.clear();
        state.obstacles.extend(self.obstacles.iter().map(|o| (o.sweep, o.drive, o.friction)));
        state.grippers.clear();
        state.grippers.extend(self.grippers.iter().map(|g| (g.sweep, g.drive, g.load)));
        state.sensors.clear();
        state.sensors.extend(self.sensors.iter().map(|sensor| sensor.state));
        state.bodies.truncate(self.bodies.len());
        for (n, body) in self.bodies.iter().enumerate() {
            match state.bodies.get_mut(n) {
                Some(state) => body.save(state),
                None => state.bodies.push(body.state()),
            }
        }
        state.properties.clear();
        state.properties.extend(self.bodies.iter().map(Body::properties));
        state.between.copy_from(&self.groups.between);
        state.presses.list.clone_from(&self.presses.list);
        state.presses.accounts.clone_from(&self.presses.accounts);
        state.touching.clone_from(&self.together.touching);
        state.events.clone_from(&self.events);
        state.parted.clone_from(&self.parted);
        state.watch.copy_from(&self.watch);
        state.accounts.copy_from(&self.accounts);
    }

    /// Restore a snapshot of this world, or of one built alike. Grips and loads added since are gone, those removed
    /// since are back. Fails with [`BuildError::ForeignSnapshot`] if bodies, obstacles, grippers or sensors do
    /// not match.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), BuildError> {
        let Snapshot { handles, grips, loads, state, origin } = snapshot;
        let counts = (self.bodies.len(), self.obstacles.len(), self.grippers.len(), self.sensors.len());
        let there = There { obstacles: self.obstacles.len(), grips: grips.len(), sensors: self.sensors.len() };
        let same_parts = self.handles.have_the_parts_of(handles)
            && counts == (state.bodies.len(), state.obstacles.len(), state.grippers.len(), state.sensors.len())
            && self.bodies.iter().zip(&state.bodies).all(|(body, state)| body.fits(state, &there))
            && state.sizes.iter().map(|size| size.to_bits()).eq(self.sizes().map(f64::to_bits));
        if !same_parts || *origin == Origin::Read && !self.fits(snapshot) {
            return Err(BuildError::ForeignSnapshot);
        }
        self.restore_properties(&state.properties)?;
        for (body, state) in self.bodies.iter_mut().zip(&state.bodies) {
            body.set_state(state);
        }
        for (obstacle, (sweep, drive, friction)) in self.obstacles.iter_mut().zip(&state.obstacles) {
            (obstacle.sweep, obstacle.drive, obstacle.friction) = (*sweep, *drive, *friction);
        }
        for (gripper, (sweep, drive, load)) in self.grippers.iter_mut().zip(&state.grippers) {
            (gripper.sweep, gripper.drive, gripper.load) = (*sweep, *drive, *load);
        }
        self.sensors.iter_mut().zip(&state.sensors).for_each(|(sensor, state)| sensor.state = *state);
        // with equal grips and loads the allocated memory suffices
        let has_room = self.handles == *handles;
        self.grips.clone_from(grips);
        self.loads.clone_from(loads);
        if !has_room {
            self.know_handles(handles);
            self.room = Room::Outgrown;
        }
        self.groups.between.copy_from(&state.between);
        self.presses.list.clone_from(&state.presses.list);
        self.presses.accounts.clone_from(&state.presses.accounts);
        self.together.touching.clone_from(&state.touching);
        self.events.clone_from(&state.events);
        self.parted.clone_from(&state.parted);
        self.gravity = state.gravity;
        self.clock = state.clock;
        self.make_room();
        self.size_loads(self.time());
        (0..self.bodies.len()).for_each(|body| self.prepare(body));
        // preparing solids for a step clears the contact forces of other bodies from the last one: set them again
        for (body, state) in self.bodies.iter_mut().zip(&state.bodies).filter(|(body, _)| body.is_solid()) {
            body.set_state(state);
        }
        self.watch.copy_from(&state.watch);
        // for its memory, where the snapshot knows nothing of bodies that were changed before it
        let known = self.watch.knows();
        self.watch.begin(&self.bodies, &self.obstacles, self.groups.between.pairs.capacity());
        if !known {
            self.watch.forget();
        }
        self.accounts.copy_from(&state.accounts);
        Ok(())
    }

    /// Radii and lengths of rods and extents of obstacles: a snapshot of a world in which they differ is of another one.
    fn sizes(&self) -> impl Iterator<Item = f64> {
        let rods = self.bodies.iter().filter(|body| !body.is_solid() && body.as_arm().is_none());
        let extents = self.obstacles.iter().flat_map(|obstacle| obstacle.params.shape.bounds(&Pose::IDENTITY));
        rods.flat_map(|rod| [rod.radius(), rod.length()]).chain(extents.flat_map(|corner| corner.to_array()))
    }

    /// Whether everything in a snapshot, whose bodies fit, is of what is there.
    fn fits(&self, snapshot: &Snapshot) -> bool {
        let Snapshot { grips, loads, state, .. } = snapshot;
        let (count, obstacles) = (self.bodies.len(), self.obstacles.len());
        // a box may be empty until something is in it
        let has = |body: &Body, place: Place| matches!(place, Place::Box { .. }) || body.place_pose(place).is_ok();
        let grip = |grip: &Grip| match self.bodies.get(grip.body) {
            Some(body) => {
                grip.gripper < self.grippers.len()
                    && has(body, grip.params.place)
                    && body.check_hold(grip.params.hold).is_ok()
                    && body.check_jaws(&grip.params).is_ok()
            }
            // one that was removed
            None => grip.anchor.is_none() && grip.params.until == f64::NEG_INFINITY,
        };
        let load = |(body, load): &(usize, Load)| match self.bodies.get(*body) {
            Some(body) => has(body, load.place) && body.check_load(load).is_ok(),
            None => *body == usize::MAX,
        };
        let drive = |drive: &Drive| match *drive {
            Drive::Carried { arm, link, .. } => {
                let arm = self.bodies.get(arm).and_then(Body::as_arm);
                arm.is_some_and(|arm| link < arm.model().links().len())
            }
            _ => true,
        };
        grips.iter().all(grip)
            && loads.iter().all(load)
            && state.obstacles.iter().all(|(_, d, _)| drive(d))
            && state.grippers.iter().all(|(_, d, _)| drive(d))
            && state.between.fits(&self.bodies)
            && react::presses_fit(&state.presses, &self.bodies)
            && state.touching.iter().flatten().all(|body| *body < count)
            && state.parted.iter().all(|contact| {
                contact.body < count
                    && match contact.other {
                        Other::Obstacle(obstacle) => obstacle < obstacles,
                        Other::Body(other) => other < count,
                        Other::Slider(_) => true,
                    }
            })
            && state.watch.fits(&self.bodies, obstacles)
            && state.accounts.fits(count)
    }

    /// Restore the properties that bodies had at the time of a snapshot; changes nothing if it fails.
    fn restore_properties(&mut self, then: &[Properties]) -> Result<(), BuildError> {
        let mut changed = vec![];
        for (n, (body, then)) in self.bodies.iter().zip(then).enumerate() {
            let now = body.properties();
            if !then.are_those_of(&now) {
                return Err(BuildError::ForeignSnapshot);
            }
            if *then != now {
                let mut body = body.clone();
                body.adopt(then)?;
                changed.push((n, body));
            }
        }
        // a copy has no working memory
        if !changed.is_empty() {
            self.room = Room::Outgrown;
        }
        changed.into_iter().for_each(|(n, body)| self.bodies[n] = body);
        Ok(())
    }

    /// Restore the handles of grips and loads from the time of a snapshot. In another world built alike, the grips and
    /// loads in the same places keep the handles of this world.
    fn know_handles(&mut self, then: &Handles) {
        let Handles { bodies, grippers, grips, loads, .. } = &mut self.handles;
        if bodies == &then.bodies {
            (*grips, *loads) = (then.grips.clone(), then.loads.clone());
            return;
        }
        grips.become_like(&then.grips);
        loads.become_like(&then.loads);
        for grip in &mut self.grips {
            if let (Some(gripper), Some(body)) = (grippers.at(grip.gripper), bodies.at(grip.body)) {
                (grip.params.gripper, grip.params.body) = (gripper, body);
            }
        }
        for (index, load) in &mut self.loads {
            load.body = bodies.at(*index).unwrap_or(load.body);
        }
    }
}
