//! A world with hands in it, and what may be done to it: the part of a live run that a replay repeats to the bit.

use pliant::math::{Pose, Vec3};
use pliant::{
    BuildError, Change, Contact, ControlError, Drive, FingerParams, Frame, Friction, GripId, GripperId, GripperParams,
    Hold, ObstacleId, Other, Snapshot, StepError, World, Wrench,
};

use crate::action::{Action, HANDS, Property, pose};
use crate::clearance::is_clear;

/// A world with hands in it.
#[derive(Debug)]
pub struct Session {
    world: World,
    hands: Hands,
    step: u64,
    dt: f64,
    /// Scratch: the state of the world, and contacts of its bodies.
    frame: Frame,
    contacts: Vec<Contact>,
}

/// How the hands of a world are made.
#[derive(Clone, Debug, Default)]
pub struct Fitting {
    /// Radii of their fingertips [m]; hands without one grip.
    pub fingers: [Option<f64>; HANDS],
    /// Names of the obstacles that they carry from the start.
    pub carries: [Option<String>; HANDS],
    /// Names of all obstacles that hands may move.
    pub movable: Vec<String>,
}

impl Fitting {
    /// Which hands feel without gripping: with a fingertip, or an obstacle that they carry.
    pub fn feels(&self) -> [bool; HANDS] {
        std::array::from_fn(|hand| self.fingers[hand].is_some() || self.carries[hand].is_some())
    }
}

/// The hands in a world, and what it was like at the start.
#[derive(Debug)]
pub struct Hands {
    start: Snapshot,
    kept: Option<Kept>,
    hands: [Held; HANDS],
    /// Obstacles that hands may move.
    movable: Vec<ObstacleId>,
}

/// A state to which the world goes back when a step fails.
#[derive(Debug)]
struct Kept {
    snapshot: Snapshot,
    hands: [Held; HANDS],
}

/// A hand in the world.
#[derive(Clone, Copy, Debug)]
struct Held {
    gripper: GripperId,
    /// The obstacle that is its fingertip.
    tip: Option<ObstacleId>,
    /// The obstacle that it carries from the start.
    carries: Option<ObstacleId>,
    grip: Option<GripId>,
    taken: Option<Taken>,
}

/// An obstacle that a hand has taken.
#[derive(Clone, Copy, Debug)]
struct Taken {
    obstacle: ObstacleId,
    /// From the hand to the point about which it turns the obstacle [m].
    shift: Vec3,
    /// The obstacle in the frame at that point.
    offset: Pose,
    /// Whether it turns with the hand.
    turns: bool,
}

impl Taken {
    /// The frame by which the obstacle is moved, for a pose of the hand.
    fn frame(&self, hand: &Pose) -> Pose {
        let rotation = if self.turns { hand.rotation } else { pliant::math::Quat::IDENTITY };
        Pose::from_parts(hand.translation + self.shift, rotation)
    }
}

/// What a hand holds, by index in frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grasped {
    /// A body.
    Body(usize),
    /// An obstacle.
    Obstacle(usize),
}

/// Why hands cannot be put into a world.
#[derive(Debug, thiserror::Error)]
pub enum FittingError {
    /// The world has no room for them.
    #[error(transparent)]
    World(#[from] BuildError),
    /// There is no obstacle of that name.
    #[error("no obstacle that hands may move is called {name}: mark one with hand = true{known}")]
    NoObstacle {
        /// The name.
        name: String,
        /// Those that there are, in words.
        known: String,
    },
}

/// Why an action had no effect.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The world refuses it.
    #[error(transparent)]
    World(#[from] ControlError),
    /// Nothing is there to be gripped.
    #[error("nothing is within {0:.3} m of the hand")]
    OutOfReach(f64),
    /// There is no such hand, body or obstacle.
    #[error("there is no {0} {1}")]
    Missing(&'static str, usize),
    /// A number is not usable.
    #[error("{what} must be from {low:e} to {high:e} {unit}: {value:e} is refused")]
    OutOfRange {
        /// What it is of.
        what: &'static str,
        /// The least that is taken.
        low: f64,
        /// The most that is taken.
        high: f64,
        /// Their unit.
        unit: &'static str,
        /// What was asked for.
        value: f64,
    },
}

impl From<pliant::Gone> for Refusal {
    fn from(gone: pliant::Gone) -> Refusal {
        Refusal::World(gone.into())
    }
}

/// Name of the gripper of a hand.
pub fn hand_name(hand: usize) -> String {
    format!("live hand {}", hand + 1)
}

impl Hands {
    /// Put hands into a world.
    pub fn new(world: &mut World, fitting: &Fitting) -> Result<Hands, FittingError> {
        let movable: Vec<ObstacleId> = fitting.movable.iter().filter_map(|name| world.obstacle_named(name)).collect();
        let mut add = |hand: usize| {
            let gripper = world.add_gripper(GripperParams::at(&hand_name(hand), apart(hand)))?;
            let finger = fitting.fingers[hand].map(|radius| FingerParams { gripper, radius, friction: None });
            let tip = finger.map(|finger| world.add_finger(finger)).transpose()?;
            let carries = fitting.carries[hand].as_ref().map(|name| {
                let known = || match fitting.movable.as_slice() {
                    [] => String::new(),
                    names => format!(", as {} is", names.join(", ")),
                };
                let movable = fitting.movable.contains(name).then(|| world.obstacle_named(name)).flatten();
                movable.ok_or_else(|| FittingError::NoObstacle { name: name.clone(), known: known() })
            });
            Ok::<Held, FittingError>(Held { gripper, tip, carries: carries.transpose()?, grip: None, taken: None })
        };
        let hands = [add(0)?, add(1)?];
        world.ready()?;
        Ok(Hands { start: world.snapshot(), kept: None, hands, movable })
    }

    /// Do something to the world between two steps.
    pub fn apply(&mut self, world: &mut World, action: &Action) -> Result<(), Refusal> {
        check(action)?;
        match *action {
            Action::Drive { hand, position, orientation } => {
                let (held, pose) = (self.hand(hand)?, pose(position, orientation));
                world.drive(held.gripper, Drive::Pose(pose))?;
                if let Some(taken) = held.taken {
                    world.drive_obstacle(taken.obstacle, Drive::Pose(taken.frame(&pose) * taken.offset))?;
                }
            }
            Action::Put { hand, position, orientation } => {
                world.put_gripper(self.hand(hand)?.gripper, pose(position, orientation))?;
            }
            Action::Grip { hand, reach, clamp } => self.grip(world, hand, reach, clamp)?,
            Action::Take { hand, obstacle } => {
                let obstacle = world.obstacle_at(obstacle).map_err(|_| Refusal::Missing("obstacle", obstacle))?;
                if !self.is_free(obstacle) {
                    return Err(Refusal::Missing("obstacle that this hand may move:", world.obstacle_index(obstacle)?));
                }
                let held = self.hand(hand)?;
                let from = world.gripper(held.gripper)?.sweep.end;
                let now = world.obstacle(obstacle)?.sweep.end;
                held.taken = Some(taken(obstacle, &from, &now, now.translation - from.translation, true));
            }
            Action::Release { hand } => {
                let held = self.hand(hand)?;
                if let Some(grip) = held.grip.take() {
                    // a grip that was torn open is gone already
                    let _ = world.release(grip);
                }
                if let Some(Taken { obstacle, .. }) = held.taken.take() {
                    // it stays where it is
                    let pose = world.obstacle(obstacle)?.sweep.end;
                    world.drive_obstacle(obstacle, Drive::Pose(pose))?;
                }
            }
            Action::Gravity { value } => world.set_gravity(Vec3::from_array(value))?,
            Action::Change { body, property, value } => change(world, body, property, value)?,
            Action::Keep => match &mut self.kept {
                Some(kept) => {
                    world.write_snapshot(&mut kept.snapshot);
                    kept.hands = self.hands;
                }
                None => self.kept = Some(Kept { snapshot: world.snapshot(), hands: self.hands }),
            },
            Action::Back => match &self.kept {
                Some(kept) => {
                    // it is a snapshot of this very world
                    let _ = world.restore(&kept.snapshot);
                    self.hands = kept.hands;
                }
                None => self.reset(world),
            },
            Action::Reset => {
                self.kept = None;
                self.reset(world);
            }
        }
        Ok(())
    }

    fn reset(&mut self, world: &mut World) {
        // it is a snapshot of this very world
        let _ = world.restore(&self.start);
        self.hands.iter_mut().for_each(|hand| (hand.grip, hand.taken) = (None, None));
    }

    /// Grip what is nearest, if the hand does not hold anything yet.
    fn grip(&mut self, world: &mut World, hand: usize, reach: f64, clamp: bool) -> Result<(), Refusal> {
        let held = *self.hand(hand)?;
        if held.taken.is_some() || held.grip.is_some_and(|grip| world.grip(grip).is_ok_and(|grip| !grip.lost)) {
            return Ok(());
        }
        let from = world.gripper(held.gripper)?.sweep.end;
        let mut nearest: Option<(ObstacleId, Pose, f64)> = None;
        for id in self.movable.iter().copied().filter(|id| self.is_free(*id)) {
            let obstacle = world.obstacle(id)?;
            let pose = obstacle.sweep.end;
            let Some(face) = obstacle.params.shape.surface_near(&pose, from.translation, reach) else { continue };
            let distance = face.distance.max(0.0);
            if distance <= nearest.map_or(reach, |(.., least)| least) {
                nearest = Some((id, pose, distance));
            }
        }
        match nearest {
            Some((obstacle, now, distance)) if world.nearest_place(from.translation, distance).is_none() => {
                self.hand(hand)?.taken = Some(taken(obstacle, &from, &now, Vec3::ZERO, clamp));
            }
            _ => {
                let hold = if clamp { Hold::Clamp } else { Hold::Position };
                let grip = world.grasp_nearest(held.gripper, reach, hold)?;
                self.hand(hand)?.grip = Some(grip.ok_or(Refusal::OutOfReach(reach))?);
            }
        }
        Ok(())
    }

    /// Whether an obstacle may be moved by hands and no hand has it.
    fn is_free(&self, obstacle: ObstacleId) -> bool {
        let has = |hand: &Held| hand.taken.is_some_and(|taken| taken.obstacle == obstacle);
        self.movable.contains(&obstacle) && !self.hands.iter().any(has)
    }

    fn hand(&mut self, hand: usize) -> Result<&mut Held, Refusal> {
        self.hands.get_mut(hand).ok_or(Refusal::Missing("hand", hand))
    }
}

/// An obstacle that is taken by a hand, both where they are now.
fn taken(obstacle: ObstacleId, hand: &Pose, now: &Pose, shift: Vec3, turns: bool) -> Taken {
    let taken = Taken { obstacle, shift, offset: Pose::IDENTITY, turns };
    Taken { offset: taken.frame(hand).inverse() * *now, ..taken }
}

/// Refuse what no material and no planet has: with such numbers a step can only fail.
pub fn check(action: &Action) -> Result<(), Refusal> {
    let within = |what, value: f64, low, high, unit| {
        if (low..=high).contains(&value) { Ok(()) } else { Err(Refusal::OutOfRange { what, low, high, unit, value }) }
    };
    match *action {
        Action::Gravity { value } => {
            let strength = Vec3::from_array(value).length();
            within("gravity", if strength.is_nan() { f64::INFINITY } else { strength }, 0.0, 1e3, "m/s2")
        }
        Action::Change { property, value, .. } => match property {
            Property::Young => within("Young's modulus", value, 1e3, 1e13, "Pa"),
            Property::Density => within("density", value, 0.1, 1e5, "kg/m3"),
            Property::Friction => within("the coefficient of friction", value, 0.0, 10.0, ""),
            Property::DampingTime => within("the damping time", value, 0.0, 100.0, "s"),
            Property::Drag => within("drag", value, 0.0, 1e4, "1/s"),
        },
        _ => Ok(()),
    }
}

fn change(world: &mut World, index: usize, property: Property, value: f64) -> Result<(), Refusal> {
    let Ok(body) = world.body_at(index) else { return Err(Refusal::Missing("body", index)) };
    let change = match property {
        Property::Young => Change::Young(value),
        Property::Density => Change::Density(value),
        Property::DampingTime => Change::DampingTime(value),
        Property::Drag => Change::Drag(value),
        Property::Friction => {
            let before = world.bodies()[index].properties().friction;
            Change::Friction(Friction { coefficient: value, ..before })
        }
    };
    Ok(world.change(body, change)?)
}

impl Session {
    /// Put hands into a world that is to be stepped by `dt` [s].
    pub fn new(mut world: World, dt: f64, fitting: &Fitting) -> Result<Session, FittingError> {
        let hands = Hands::new(&mut world, fitting)?;
        Ok(Session { world, hands, step: 0, dt, frame: Frame::default(), contacts: vec![] })
    }

    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, for settings that do not change what it computes.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// Steps taken since the session began, whatever was reset.
    pub fn step_count(&self) -> u64 {
        self.step
    }

    /// Length of a step [s].
    pub fn dt(&self) -> f64 {
        self.dt
    }

    /// Do something between two steps.
    pub fn apply(&mut self, action: &Action) -> Result<(), Refusal> {
        self.hands.apply(&mut self.world, action)
    }

    /// Take a step. If it fails, everything is as before.
    pub fn advance(&mut self) -> Result<(), StepError> {
        self.world.step(self.dt)?;
        self.step += 1;
        Ok(())
    }

    /// Force and torque of bodies on a hand, mean over the last step; on an obstacle that it has taken, as at its end.
    pub fn load(&mut self, hand: usize) -> Wrench {
        let Session { world, hands, contacts, .. } = self;
        let held = hands.hands[hand];
        let Ok(gripper) = world.gripper(held.gripper) else { return Wrench::default() };
        let mut load = gripper.load;
        let Some(taken) = held.taken else { return load };
        let Ok(index) = world.obstacle_index(taken.obstacle) else { return load };
        let origin = taken.frame(&gripper.sweep.end).translation;
        contacts.clear();
        for (n, body) in world.bodies().iter().enumerate() {
            body.write_contacts(n, world.obstacles(), contacts);
        }
        for contact in contacts.iter().filter(|contact| contact.other == Other::Obstacle(index)) {
            load.force -= contact.force;
            load.torque -= (contact.position - origin).cross(contact.force);
        }
        load
    }

    /// Where a hand is in the world.
    pub fn pose(&self, hand: usize) -> Pose {
        self.world.gripper(self.hands.hands[hand].gripper).map_or(Pose::IDENTITY, |gripper| gripper.sweep.end)
    }

    /// What a hand holds.
    pub fn grasped(&self, hand: usize) -> Option<Grasped> {
        let held = self.hands.hands[hand];
        if let Some(taken) = held.taken {
            return self.world.obstacle_index(taken.obstacle).ok().map(Grasped::Obstacle);
        }
        let grip = self.world.grip(held.grip?).ok()?;
        grip.anchor?;
        self.world.body_index(grip.params.body).ok().map(Grasped::Body)
    }

    /// Index of the obstacle that a hand carries from the start.
    pub fn carries(&self, hand: usize) -> Option<usize> {
        self.world.obstacle_index(self.hands.hands[hand].carries?).ok()
    }

    /// Whether the fingertip of a hand, if it has one, would touch nothing at a pose.
    pub fn has_room(&mut self, hand: usize, pose: &Pose) -> bool {
        let tip = self.hands.hands[hand].tip.and_then(|tip| self.world.obstacle(tip).ok());
        tip.is_none_or(|tip| {
            self.world.write_frame(&mut self.frame);
            is_clear(&self.world, &self.frame, &tip.params.shape, pose)
        })
    }
}

/// Where a hand waits until it is moved: away from everything, since a fingertip there would touch.
fn apart(hand: usize) -> Pose {
    Pose::from_translation(Vec3::new(0.0, 0.0, 1e3 + hand as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Failure = Box<dyn std::error::Error>;

    fn session(model: &str) -> Result<Session, Failure> {
        let count = if model == "chain" { "points = 11" } else { "segments = 10" };
        let text = format!(
            "duration = 1\nstep = 0.001\n[material.m]\nyoung = 2e6\npoisson = 0.4\ndensity = 1100\nfriction = {{ coefficient = 0.5 }}\n\
             [[body]]\nname = \"b\"\nmodel = \"{model}\"\nmaterial = \"m\"\nradius = 0.004\npath = [[0, 0, 0.2], [0.2, 0, 0.2]]\n{count}\n\
             [[gripper]]\nname = \"wall\"\ngrips = [{{ body = \"b\", at = \"start\" }}]\n"
        );
        let scene = pliant_scene::parse(&text, "live", std::path::Path::new("."), &[])?;
        Ok(Session::new(scene.world, 0.001, &Fitting::default())?)
    }

    fn steps(session: &mut Session, count: usize) -> Result<(), StepError> {
        (0..count).try_for_each(|_| session.advance())
    }

    #[test]
    fn a_reset_brings_everything_back_whatever_was_changed() -> Result<(), Failure> {
        // also without a grip: a changed body alone has to get its working memory anew
        let all = ["cable", "chain", "xpbd"].map(|model| [(model, true), (model, false)]);
        for (model, grips) in all.into_iter().flatten() {
            let mut session = session(model)?;
            let mut fresh = self::session(model)?;
            steps(&mut session, 20)?;
            let tip = session.world().frame().bodies[0].nodes.last().copied().unwrap_or_default();
            let grip =
                [Action::put(0, &Pose::from_translation(tip)), Action::Grip { hand: 0, reach: 0.01, clamp: false }];
            let changes = [
                Action::Change { body: 0, property: Property::Young, value: 5e6 },
                Action::Change { body: 0, property: Property::Friction, value: 0.2 },
                Action::Gravity { value: [0.0, 1.0, 0.0] },
            ];
            for action in grip.iter().filter(|_| grips).chain(&changes) {
                session.apply(action).map_err(|e| format!("{model}: {action:?}: {e}"))?;
            }
            steps(&mut session, 20)?;
            assert_eq!(session.grasped(0), grips.then_some(Grasped::Body(0)), "{model}");
            session.apply(&Action::Reset)?;
            steps(&mut session, 50)?;
            steps(&mut fresh, 50)?;
            assert!(session.world().snapshot() == fresh.world().snapshot(), "{model}");
        }
        Ok(())
    }

    #[test]
    fn what_cannot_be_done_is_refused_and_changes_nothing() -> Result<(), Failure> {
        let mut session = session("cable")?;
        steps(&mut session, 5)?;
        let before = session.world().snapshot();
        for action in [
            Action::Release { hand: 7 },
            Action::Grip { hand: 0, reach: 0.01, clamp: false },
            Action::Gravity { value: [f64::NAN, 0.0, 0.0] },
            Action::Gravity { value: [0.0, 1e300, 0.0] },
            Action::Take { hand: 0, obstacle: 0 },
            Action::Change { body: 9, property: Property::Drag, value: 1.0 },
            Action::Change { body: 0, property: Property::Young, value: -1.0 },
            Action::Change { body: 0, property: Property::Young, value: 1e-300 },
            Action::Change { body: 0, property: Property::Density, value: f64::INFINITY },
            Action::Drive { hand: 0, position: [f64::INFINITY, 0.0, 0.0], orientation: [1.0, 0.0, 0.0, 0.0] },
        ] {
            assert!(session.apply(&action).is_err(), "{action:?}");
        }
        assert!(session.world().snapshot() == before);
        Ok(())
    }
}
