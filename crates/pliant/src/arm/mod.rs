//! The model `arm`: an articulated robot in joint coordinates, that holds cables and is moved by what it holds.
//!
//! The mechanics is that of `robot`. An arm is advanced together with the cables that grippers on its links hold, see
//! `cable::group`; what its other grippers and obstacles meet acts on it in the step after.

mod admittance;
mod params;
mod report;
pub(crate) mod step;
mod tool;
mod touch;

use std::sync::Arc;

pub use admittance::Admittance;
use admittance::Yielding;
pub(crate) use admittance::{axes_between, carried_over};
pub use params::{ArmSpec, JointDrive, JointMotion};
pub(crate) use step::ArmStep;
use tool::Tool;
pub use tool::{HeldTool, Impedance};
use touch::PastTouch;
pub(crate) use touch::meets::Meets;
pub(crate) use touch::{CLOSE, SCALE, shapes_touch};

use crate::account::Work;
use crate::body::{Surroundings, There, Vicinity};
use crate::bytes::{stored, stored_enum};
use crate::cable::group::step::Solved;
use crate::counters::Counters;
use crate::derived::Derived;
use crate::error::{BuildError, StepError};
use crate::grip::{ActingLoad, Grip, Place};
use crate::math::{Pose, Quat, Vec3};
use crate::properties::Properties;
use crate::robot::{Kinematics, LinkLoad, Model, State};

/// An arm.
#[derive(Clone, Debug)]
pub struct Arm {
    name: String,
    spec: Arc<ArmSpec>,
    model: Model,
    /// Pairs of links that pass through each other, the lower one first.
    passing: Vec<[usize; 2]>,
    state: ArmState,
    scratch: Scratch,
}

/// State of an arm.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArmState {
    joints: State,
    drives: Vec<JointDrive>,
    /// Targets of the servos at the end of the last step.
    targets: Vec<f64>,
    /// Tools that the joints hold together.
    tools: Vec<Tool>,
    /// Whether the servo of a joint follows the arm's motion.
    follows: Vec<bool>,
    /// Forces of the drives, mean over the last step.
    torques: Vec<f64>,
    /// What bodies other than cables did to its links in the last step: they act in the next.
    loads: Vec<Felt>,
    /// Contacts of its links with obstacles.
    touches: Vec<PastTouch>,
    /// Contacts of its links with each other, and with those of arms after it.
    meets: Vec<PastTouch>,
    counters: Counters,
}

/// A force and a couple on a link, in the world, at a point in the link's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Felt {
    link: usize,
    point: Vec3,
    force: Vec3,
    couple: Vec3,
}

stored!(State { q, v });
stored!(Felt { link, point, force, couple });
stored!(ArmState { joints, drives, targets, tools, follows, torques, loads, touches, meets, counters });
stored_enum!(JointDrive {
    0 => Free {},
    1 => Torque { 0: torque },
    2 => Velocity { target: target, gain: gain },
    3 => Position { target: target, stiffness: stiffness, damping: damping },
});

#[derive(Clone, Debug, Default)]
struct Scratch {
    step: ArmStep,
    kinematics: Kinematics,
    /// Loads of the step.
    loads: Vec<LinkLoad>,
    before: ArmState,
    solved: Solved,
    /// Whether it stays where it is while cables come to rest.
    still: bool,
    /// Working memory for coordinates.
    q: Vec<f64>,
    /// Kinetic energy [J].
    kinetic: f64,
    /// Mass times the place of its centre [kg m].
    moment: Vec3,
}

impl ArmState {
    fn copy_from(&mut self, other: &ArmState) {
        let ArmState { joints, drives, targets, tools, follows, torques, loads, touches, meets, counters } = other;
        self.meets.clone_from(meets);
        self.touches.clone_from(touches);
        self.tools.clone_from(tools);
        self.follows.clone_from(follows);
        self.joints.q.clone_from(&joints.q);
        self.joints.v.clone_from(&joints.v);
        self.drives.clone_from(drives);
        self.targets.clone_from(targets);
        self.torques.clone_from(torques);
        self.loads.clone_from(loads);
        self.counters = *counters;
    }
}

impl Arm {
    /// Build an arm; fails if links and joints make no robot.
    pub fn new(name: &str, spec: ArmSpec) -> Result<Arm, BuildError> {
        let model = spec.check().map_err(|error| BuildError::Robot { body: name.into(), error })?;
        let mut joints = State::new(&model);
        if model.floating() {
            crate::robot::set_root(&mut joints.q, &spec.root);
            let [linear, angular] = spec.moving.map(|v| spec.root.rotation.inverse() * v);
            joints.v[..3].copy_from_slice(&linear.to_array());
            joints.v[3..6].copy_from_slice(&angular.to_array());
        }
        joints.q[model.first_position()..].iter_mut().zip(&spec.joints).for_each(|(q, given)| *q = *given);
        let mut drives = vec![JointDrive::Free; model.coordinates().len()];
        drives.iter_mut().zip(&spec.drives).for_each(|(drive, given)| *drive = *given);
        let mut targets: Vec<f64> = drives.iter().map(JointDrive::target).collect();
        let follows = |drive: &JointDrive| spec.motion.is_some() && matches!(drive, JointDrive::Position { .. });
        let follows: Vec<bool> = drives.iter().map(follows).collect();
        for (i, target) in targets.iter_mut().enumerate().filter(|(i, _)| follows[*i]) {
            *target = spec.motion.as_ref().map_or(*target, |motion| motion.at(i, drives.len(), 0.0));
        }
        for ((target, coordinate), q) in
            targets.iter_mut().zip(model.coordinates()).zip(&joints.q[model.first_position()..])
        {
            if coordinate.velocity.is_finite() {
                *target = *q;
            }
        }
        let torques = vec![0.0; model.velocities()];
        let state = ArmState { joints, drives, targets, follows, torques, ..ArmState::default() };
        let mut scratch = Scratch {
            step: ArmStep::new(&model),
            kinematics: Kinematics::new(&model),
            before: state.clone(),
            q: vec![0.0; model.positions()],
            ..Scratch::default()
        };
        scratch.kinematics.place(&model, &state.joints.q);
        let passing = spec.passing.iter().map(|[a, b]| [*a.min(b), *a.max(b)]).collect();
        let mut arm = Arm { name: name.into(), spec: Arc::new(spec), model, passing, state, scratch };
        arm.look();
        Ok(arm)
    }

    /// See where its links are and how they move, after a change of its state.
    fn look(&mut self) {
        let Arm { model, state, scratch, .. } = self;
        scratch.kinematics.place(model, &state.joints.q);
        scratch.kinematics.velocities(model, &state.joints.v);
        (scratch.kinetic, scratch.moment) = scratch.step.kinetic(model, &state.joints);
    }

    /// Its links and joints.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Where its joints are and how fast they move.
    pub fn joints(&self) -> &State {
        &self.state.joints
    }

    /// Forces of its drives, mean over the last step [N m, N]; those of a free root are zero.
    pub fn torques(&self) -> &[f64] {
        &self.state.torques
    }

    /// What drives its joints.
    pub fn drives(&self) -> &[JointDrive] {
        &self.state.drives
    }

    /// Set what drives a joint from the next step on; false if there is no such joint or the drive makes no sense. The target of a
    /// servo is reached from where it was, at constant velocity over that step.
    pub(crate) fn drive(&mut self, joint: usize, drive: JointDrive) -> bool {
        let Some(slot) = self.state.drives.get_mut(joint).filter(|_| drive.is_sound()) else { return false };
        // a servo that is switched on begins at its target, or where the joint is if that cannot be there at once
        if std::mem::discriminant(slot) != std::mem::discriminant(&drive) {
            let limited = self.model.coordinates()[joint].velocity.is_finite();
            let here = self.state.joints.q[self.model.first_position() + joint];
            self.state.targets[joint] = if limited { here } else { drive.target() };
        }
        *slot = drive;
        self.state.follows[joint] = false;
        true
    }

    /// Hold a tool on a link, at a pose in its frame, by all joints together from the next step on, or no more; where it is to be, or
    /// `None` for the motion of its gripper. False if the impedance makes no sense.
    pub(crate) fn hold_tool(
        &mut self,
        link: usize,
        at: Pose,
        impedance: Option<Impedance>,
        given: Option<Pose>,
    ) -> bool {
        if !impedance.is_none_or(|impedance| impedance.is_sound()) {
            return false;
        }
        let here = self.link(link) * at;
        let tools = &mut self.state.tools;
        let known = tools.iter().position(|tool| (tool.link, tool.at) == (link, at));
        match (known, impedance) {
            (Some(known), Some(impedance)) => (tools[known].impedance, tools[known].given) = (impedance, given),
            (Some(known), None) => drop(tools.remove(known)),
            // a tool that is held from now on begins where it is
            (None, Some(impedance)) => tools.push(Tool { link, at, impedance, given, target: here, yields: None }),
            (None, None) => {}
        }
        self.scratch.before.tools.reserve(tools.len());
        self.scratch.step.tools.reserve(tools.len());
        true
    }

    /// How a tool at a place of a link is held; `None` if it is not.
    pub(crate) fn held_tool(&self, link: usize, at: &Pose) -> Option<HeldTool> {
        let tool = self.state.tools.iter().find(|tool| tool.link == link && tool.at == *at)?;
        let Tool { impedance, given, target, yields, .. } = *tool;
        let admittance = yields.map(|yields| yields.admittance);
        Some(HeldTool { impedance, target: given.unwrap_or(target), follows: given.is_none(), admittance })
    }

    /// Let a tool that is held give way to a sensor from the next step on, or no more, from where it has been led to. False if there is no
    /// such tool, or the admittance makes no sense.
    pub(crate) fn yield_tool(&mut self, link: usize, at: &Pose, to: Option<(Admittance, usize)>) -> bool {
        let Some(tool) = self.state.tools.iter_mut().find(|tool| tool.link == link && tool.at == *at) else {
            return false;
        };
        match (to, &mut tool.yields) {
            (Some((admittance, _)), _) if !admittance.is_sound() => return false,
            (Some((admittance, sensor)), Some(known)) => (known.admittance, known.sensor) = (admittance, sensor),
            (Some((admittance, sensor)), none) => *none = Some(Yielding::new(admittance, sensor)),
            (None, some) => *some = None,
        }
        true
    }

    /// After a sensor is gone: tools that gave way to it stay as they are.
    pub(crate) fn forget_sensor(&mut self, gone: usize) {
        for yields in self.state.tools.iter_mut().map(|tool| &mut tool.yields) {
            match yields {
                Some(known) if known.sensor == gone => *yields = None,
                Some(known) if known.sensor > gone => known.sensor -= 1,
                _ => {}
            }
        }
    }

    /// Let tools give way for a step of `dt` [s]: `load` is what a sensor reads, in the axes of a rotation.
    pub(crate) fn give_way_to(&mut self, dt: f64, load: impl Fn(usize, Quat) -> [Vec3; 2]) {
        for tool in &mut self.state.tools {
            let Some(yields) = &mut tool.yields else { continue };
            let axes = yields.without(&tool.target).rotation;
            yields.advance(load(yields.sensor, axes), dt);
        }
    }

    /// Say where tools are to be at the end of the step; `motion` is that of the gripper at such a place.
    pub(crate) fn aim_tools(&mut self, motion: impl Fn(usize, &Pose) -> Option<Pose>) {
        let Arm { state, scratch, .. } = self;
        let ends = &mut scratch.step.tools.ends;
        ends.clear();
        let end = |tool: &Tool| match (tool.given.or_else(|| motion(tool.link, &tool.at)), &tool.yields) {
            (Some(to), Some(yields)) => yields.leads(&to),
            (Some(to), None) => to,
            (None, _) => tool.target,
        };
        ends.extend(state.tools.iter().map(end));
    }

    /// Pose of a link in the world, at the current state.
    pub fn link(&self, link: usize) -> Pose {
        self.scratch.kinematics.link(&self.model, link)
    }

    /// Where a link will be after `dt` [s] if its joints go on as they move.
    pub(crate) fn expected(&mut self, link: usize, dt: f64) -> Pose {
        let Arm { model, state, scratch, .. } = self;
        crate::robot::integrate(model, &state.joints.q, &state.joints.v, dt, &mut scratch.q);
        scratch.kinematics.place(model, &scratch.q);
        let pose = scratch.kinematics.link(model, link);
        scratch.kinematics.place(model, &state.joints.q);
        pose
    }

    /// Pose of a link where the step has led it, before [`Arm::finish`].
    pub(crate) fn stepped_to(&mut self, link: usize) -> Pose {
        self.at_start(link)
    }

    /// Pose of a link within a step that is being solved: at the middle or the end of the current part.
    pub(crate) fn stepped(&self, link: usize, end: bool) -> Pose {
        self.scratch.step.midpoint.link(&self.model, link, end)
    }

    /// Prepare for a step, which is then made by the island of the arm.
    pub(crate) fn get_ready(&mut self, around: &Surroundings<'_>) {
        self.model.gravity = around.gravity;
        let Arm { state, scratch, .. } = self;
        for (i, drive) in state.drives.iter().enumerate() {
            let fastest = self.model.coordinates()[i].velocity;
            let motion = self.spec.motion.as_ref().filter(|_| state.follows[i]);
            let end = around.time + around.dt;
            let wanted = motion.map_or(drive.target(), |motion| motion.at(i, state.drives.len(), end));
            scratch.step.targets[i] = if matches!(drive, JointDrive::Velocity { .. }) {
                [wanted.clamp(-fastest, fastest); 2]
            } else {
                // a target that is too fast for the joint is caught up with later
                let (from, reach) = (state.targets[i], fastest * around.dt);
                [from, from + (wanted - from).clamp(-reach, reach)]
            };
        }
        scratch.loads.clear();
        scratch.loads.extend(state.loads.iter().map(|felt| LinkLoad {
            link: felt.link,
            point: felt.point,
            force: felt.force,
            couple: felt.couple,
        }));
        state.loads.clear();
        self.find_touches(around);
    }

    /// Note a force and a couple on a link, in the world, for the next step.
    pub(crate) fn feel(&mut self, link: usize, place: Vec3, force: Vec3, couple: Vec3) {
        let point = self.link(link).inverse_transform_point(place);
        self.state.loads.push(Felt { link, point, force, couple });
    }

    /// Write down how its step was solved.
    pub(crate) fn note(&mut self, solved: Solved) {
        self.scratch.solved = solved;
    }

    /// Whether it stays fixed, because cables come to rest.
    pub(crate) fn is_still(&self) -> bool {
        self.scratch.still
    }

    /// Whether cables that touch its links are solved together with it.
    pub(crate) fn is_leant_on(&self) -> bool {
        !self.scratch.still
    }

    /// Whether shapes on two of its links may touch each other: they are neither part of one body nor neighbours, nor have they touched from
    /// the beginning, nor are they let through.
    pub(crate) fn may_touch_itself(&self, link: usize, other: usize) -> bool {
        let pair = [link.min(other), link.max(other)];
        !(self.passing.contains(&pair) || self.model.are_neighbours(link, other))
    }

    /// Let two links pass through each other.
    pub(crate) fn let_pass(&mut self, link: usize, other: usize) {
        let pair = [link.min(other), link.max(other)];
        if !self.passing.contains(&pair) {
            self.passing.push(pair);
        }
    }

    /// Stay fixed while cables come to rest, or move again.
    pub(crate) fn stay(&mut self, still: bool) {
        self.scratch.still = still;
    }

    /// Check the step that was made.
    pub(crate) fn check(&self, around: &Surroundings<'_>) -> Result<(), StepError> {
        let time = around.time + around.dt;
        if !self.scratch.solved.converged && !self.scratch.still {
            let instead = "its joints move too fast, or are pushed too hard, to be followed; shorten the step, or lower speeds and gains";
            return Err(StepError::TooShort { body: self.name.clone(), time, step: around.dt / 256.0, instead });
        }
        let State { q, v } = &self.state.joints;
        if let Some(value) = q.iter().chain(v).copied().find(|x| x.is_nan() || x.abs() >= FASTEST) {
            let quantity = "a joint [rad, m, rad/s, m/s]".into();
            return Err(StepError::Diverged { body: self.name.clone(), time, quantity, value });
        }
        Ok(())
    }

    /// Report the step that was made.
    pub(crate) fn finish(&mut self) {
        let Arm { state, scratch, .. } = self;
        if scratch.still {
            return;
        }
        state.touches.retain(PastTouch::pushes);
        state.meets.retain(PastTouch::pushes);
        state.counters.steps += 1;
        state.counters.iterations += u64::from(scratch.solved.iterations);
        state.torques.copy_from_slice(&scratch.step.torques);
        for (target, [_, to]) in state.targets.iter_mut().zip(&scratch.step.targets) {
            *target = *to;
        }
        for (tool, end) in state.tools.iter_mut().zip(&scratch.step.tools.ends) {
            tool.target = *end;
        }
        self.look();
    }

    pub(crate) fn keep(&mut self) {
        self.scratch.before.copy_from(&self.state);
    }

    /// Return to where the step began, to make it again.
    pub(crate) fn undo_step(&mut self) {
        let Arm { state, scratch, .. } = self;
        state.joints.copy_from(&scratch.before.joints);
        state.touches.clone_from(&scratch.before.touches);
        state.meets.clone_from(&scratch.before.meets);
    }

    pub(crate) fn undo(&mut self) {
        self.state.copy_from(&self.scratch.before);
        self.look();
    }

    /// Name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of joint coordinates.
    pub fn size(&self) -> usize {
        self.model.coordinates().len()
    }

    pub(crate) fn derived(&self) -> &[Derived] {
        &[]
    }

    pub(crate) fn counters(&self) -> Counters {
        self.state.counters
    }

    pub(crate) fn place_pose(&self, _: Place) -> Result<Pose, BuildError> {
        Ok(self.link(0))
    }

    pub(crate) fn properties(&self) -> Properties {
        let friction = crate::material::Friction::NONE;
        Properties { young: None, density: None, friction, damping_time: None, drag: None, rest: None }
    }

    pub(crate) fn adopt(&mut self, _: &Properties) -> Result<(), BuildError> {
        Ok(())
    }

    pub(crate) fn reserve(&mut self, _: usize, _: usize, obstacles: usize) {
        let most = touch::most(obstacles);
        let ArmState { touches, meets, .. } = &mut self.state;
        let before = &mut self.scratch.before;
        for list in [touches, meets, &mut before.touches, &mut before.meets] {
            list.reserve(most.saturating_sub(list.len()));
        }
        self.scratch.step.touches.reserve(most, self.model.velocities());
        // contacts of other bodies with its links: a few of each
        let most = 64 + 16 * obstacles;
        for list in [&mut self.state.loads, &mut self.scratch.before.loads] {
            list.reserve(most.saturating_sub(list.len()));
        }
        self.scratch.loads.reserve(most);
    }

    pub(crate) fn prepare(&mut self, _: usize, _: f64, _: &[Grip], _: &[ActingLoad]) {}

    /// Its shapes are obstacles that it carries: the world looks what is near these.
    pub(crate) fn vicinity(&self, _: f64, _: Vec3, _: f64) -> Vicinity {
        let at = self.link(0).translation;
        Vicinity { low: at, high: at, reach: 0.0, horizon: 0.0 }
    }

    pub(crate) fn forget_obstacle(&mut self, gone: usize) {
        self.state.touches.retain_mut(|touch| touch.survives(gone));
        self.state.meets.retain_mut(|touch| touch.survives(gone));
    }

    pub(crate) fn work(&self) -> Work {
        self.scratch.step.work
    }

    pub(crate) fn state(&self) -> &ArmState {
        &self.state
    }

    pub(crate) fn fits(&self, state: &ArmState, there: &There) -> bool {
        let ArmState { joints, drives, targets, torques, loads, touches, .. } = state;
        let like = &self.state;
        (joints.q.len(), joints.v.len()) == (like.joints.q.len(), like.joints.v.len())
            && (drives.len(), targets.len()) == (like.drives.len(), like.targets.len())
            && (torques.len(), state.follows.len()) == (like.torques.len(), like.follows.len())
            && loads.iter().all(|felt| felt.link < self.model.links().len())
            && touches.iter().chain(&state.meets).all(|touch| touch.fits(there.obstacles, self.model.links().len()))
            && state.tools.iter().all(|tool| tool.link < self.model.links().len())
            && state.tools.iter().flat_map(|tool| &tool.yields).all(|yields| yields.fits(there.sensors))
    }

    pub(crate) fn save(&self, to: &mut ArmState) {
        to.copy_from(&self.state);
    }

    pub(crate) fn set_state(&mut self, state: &ArmState) {
        self.state.copy_from(state);
        self.look();
    }
}

/// Beyond this a coordinate or a velocity of a joint means nothing [rad, m, rad/s, m/s].
const FASTEST: f64 = 1e6;
