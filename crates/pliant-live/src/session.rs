//! A world with hands in it, and what may be done to it: the part of a live run that a replay repeats to the bit.

use pliant::math::{Pose, Vec3};
use pliant::{
    BuildError, Change, ControlError, Drive, FingerParams, Friction, GripId, GripperId, GripperParams, Hold, Snapshot,
    StepError, World, Wrench,
};

use crate::action::{Action, HANDS, Property, pose};

/// A world with hands in it.
#[derive(Debug)]
pub struct Session {
    world: World,
    hands: Hands,
    step: u64,
    dt: f64,
}

/// The hands in a world, and what it was like at the start.
#[derive(Debug)]
pub struct Hands {
    start: Snapshot,
    hands: [Held; HANDS],
}

/// A hand in the world.
#[derive(Clone, Copy, Debug)]
struct Held {
    gripper: GripperId,
    grip: Option<GripId>,
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
    /// There is no such hand or body.
    #[error("there is no {0} {1}")]
    Missing(&'static str, usize),
    /// A number is not usable.
    #[error("{0} must be finite")]
    NotFinite(&'static str),
}

/// Name of the gripper of a hand.
pub fn hand_name(hand: usize) -> String {
    format!("live hand {}", hand + 1)
}

impl Hands {
    /// Put hands into a world. A hand with a radius [m] is a fingertip.
    pub fn new(world: &mut World, fingers: [Option<f64>; HANDS]) -> Result<Hands, BuildError> {
        let mut add = |hand: usize| {
            let gripper = world.add_gripper(GripperParams::at(&hand_name(hand), apart(hand)))?;
            if let Some(radius) = fingers[hand] {
                world.add_finger(FingerParams { gripper, radius, friction: None })?;
            }
            Ok::<Held, BuildError>(Held { gripper, grip: None })
        };
        let hands = [add(0)?, add(1)?];
        world.ready()?;
        Ok(Hands { start: world.snapshot(), hands })
    }

    /// Do something to the world between two steps.
    pub fn apply(&mut self, world: &mut World, action: &Action) -> Result<(), Refusal> {
        match *action {
            Action::Drive { hand, position, orientation } => {
                world.drive(self.hand(hand)?.gripper, Drive::Pose(pose(position, orientation)))?;
            }
            Action::Put { hand, position, orientation } => {
                world.put_gripper(self.hand(hand)?.gripper, pose(position, orientation))?;
            }
            Action::Grip { hand, reach, clamp } => {
                let held = self.hand(hand)?;
                if held.grip.is_some_and(|grip| world.grip(grip).is_ok_and(|grip| !grip.lost)) {
                    return Ok(());
                }
                let hold = if clamp { Hold::Clamp } else { Hold::Position };
                let grip = world.grasp_nearest(held.gripper, reach, hold)?;
                held.grip = Some(grip.ok_or(Refusal::OutOfReach(reach))?);
            }
            Action::Release { hand } => {
                if let Some(grip) = self.hand(hand)?.grip.take() {
                    // a grip that was torn open is gone already
                    let _ = world.release(grip);
                }
            }
            Action::Gravity { value } => {
                let value = Vec3::from_array(value);
                if !value.is_finite() {
                    return Err(Refusal::NotFinite("gravity"));
                }
                world.gravity = value;
            }
            Action::Change { body, property, value } => change(world, body, property, value)?,
            Action::Reset => {
                // it is a snapshot of this very world
                let _ = world.restore(&self.start);
                self.hands.iter_mut().for_each(|hand| hand.grip = None);
            }
        }
        Ok(())
    }

    fn hand(&mut self, hand: usize) -> Result<&mut Held, Refusal> {
        self.hands.get_mut(hand).ok_or(Refusal::Missing("hand", hand))
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
    /// Put hands into a world that is to be stepped by `dt` [s]. A hand with a radius [m] is a fingertip.
    pub fn new(mut world: World, dt: f64, fingers: [Option<f64>; HANDS]) -> Result<Session, BuildError> {
        let hands = Hands::new(&mut world, fingers)?;
        Ok(Session { world, hands, step: 0, dt })
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

    /// Force and torque of bodies on a hand, mean over the last step.
    pub fn load(&self, hand: usize) -> Wrench {
        self.world.gripper(self.hands.hands[hand].gripper).map(|gripper| gripper.load).unwrap_or_default()
    }

    /// Where a hand is in the world.
    pub fn pose(&self, hand: usize) -> Pose {
        self.world.gripper(self.hands.hands[hand].gripper).map_or(Pose::IDENTITY, |gripper| gripper.sweep.end)
    }

    /// Index of the body that a hand grips, in frames.
    pub fn gripped(&self, hand: usize) -> Option<usize> {
        let grip = self.world.grip(self.hands.hands[hand].grip?).ok()?;
        grip.anchor?;
        self.world.body_index(grip.params.body).ok()
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
        Ok(Session::new(scene.world, 0.001, [None; HANDS])?)
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
            assert_eq!(session.gripped(0), grips.then_some(0), "{model}");
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
            Action::Change { body: 9, property: Property::Drag, value: 1.0 },
            Action::Change { body: 0, property: Property::Young, value: -1.0 },
            Action::Drive { hand: 0, position: [f64::INFINITY, 0.0, 0.0], orientation: [1.0, 0.0, 0.0, 0.0] },
        ] {
            assert!(session.apply(&action).is_err(), "{action:?}");
        }
        assert!(session.world().snapshot() == before);
        Ok(())
    }
}
