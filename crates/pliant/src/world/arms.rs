//! Arms in a world: what their links carry, and what drives their joints.

use super::World;
use crate::arm::{Admittance, Arm, HeldTool, Impedance, JointDrive, axes_between, carried_over, shapes_touch};
use crate::body::Body;
use crate::check::Checks;
use crate::contact::Obstacle;
use crate::error::{BuildError, ControlError, Gone};
use crate::frame::{Other, SensorFrame};
use crate::grip::{Grip, Gripper};
use crate::group::Group;
use crate::handle::{BodyId, GripperId, ObstacleId, SensorId};
use crate::math::{Pose, Vec3};
use crate::motion::{Drive, Sweep};

impl World {
    /// Let a link of an arm carry a gripper, at a pose in the link's frame, from now on. Cables that it holds are advanced together with
    /// the arm, and pull it; the load of other bodies acts on the arm in the step after.
    pub fn carry(&mut self, gripper: GripperId, arm: BodyId, link: &str, at: Pose) -> Result<(), ControlError> {
        let gripper = self.handles.grippers.index(gripper)?;
        Checks(&self.grippers[gripper].params.name).pose(&at)?;
        let (drive, pose) = self.carried(arm, link, at)?;
        let Gripper { drive: old, sweep, .. } = &mut self.grippers[gripper];
        (*old, *sweep) = (drive, Sweep::resting(pose));
        for finger in self.fingers.iter().filter(|finger| finger.gripper == gripper) {
            self.obstacles[finger.obstacle].sweep = Sweep::resting(pose);
        }
        self.outgrow();
        Ok(())
    }

    /// Let a link of an arm carry an obstacle, as its shape, at a pose in the link's frame, from now on. Forces on it act on the arm in the
    /// step after.
    pub fn carry_obstacle(
        &mut self,
        obstacle: ObstacleId,
        arm: BodyId,
        link: &str,
        at: Pose,
    ) -> Result<(), ControlError> {
        let obstacle = self.handles.obstacles.index(obstacle)?;
        if let Some(gripper) = self.gripper_of_fingertip(obstacle) {
            return Err(ControlError::Fingertip { gripper });
        }
        Checks(&self.obstacles[obstacle].params.name).pose(&at)?;
        let (drive, pose) = self.carried(arm, link, at)?;
        let Obstacle { drive: old, sweep, .. } = &mut self.obstacles[obstacle];
        (*old, *sweep) = (drive, Sweep::resting(pose));
        self.let_pass(obstacle);
        self.outgrow();
        Ok(())
    }

    /// Let links pass through each other whose shapes touch from the beginning, with a shape that was just put on one.
    fn let_pass(&mut self, shape: usize) {
        let Drive::Carried { arm: index, link, .. } = self.obstacles[shape].drive else { return };
        let mut passing = vec![];
        for other in (0..self.obstacles.len()).filter(|&other| other != shape) {
            let Drive::Carried { arm, link: there, .. } = self.obstacles[other].drive else { continue };
            let of = [shape, other].map(|at| (&self.obstacles[at].params.shape, self.obstacles[at].sweep.end));
            if arm == index && there != link && shapes_touch(of) {
                passing.push(there);
            }
        }
        if let Some(arm) = self.bodies.get_mut(index).and_then(Body::as_arm_mut) {
            passing.into_iter().for_each(|there| arm.let_pass(link, there));
        }
    }

    /// The drive of what a link carries, and its pose in the world now.
    fn carried(&self, arm: BodyId, link: &str, at: Pose) -> Result<(Drive, Pose), BuildError> {
        let index = self.handles.bodies.index(arm)?;
        let body = &self.bodies[index];
        let Some(model) = body.as_arm() else {
            return Err(BuildError::NotAnArm { body: body.name().into(), model: body.model().name() });
        };
        let Some(number) = model.model().link(link) else {
            let known: Vec<&str> = model.model().links().iter().map(|link| link.name.as_str()).collect();
            return Err(BuildError::NoSuchLink {
                body: body.name().into(),
                link: link.into(),
                known: known.join(", "),
            });
        };
        Ok((Drive::Carried { arm: index, link: number, at }, model.link(number) * at))
    }

    /// Set what drives a joint of an arm, by its name, from the next step on.
    pub fn drive_joint(&mut self, arm: BodyId, joint: &str, drive: JointDrive) -> Result<(), ControlError> {
        let index = self.handles.bodies.index(arm)?;
        let body = &mut self.bodies[index];
        let (name, joint) = (body.name().to_string(), joint.to_string());
        let refused = |why: String| Err(BuildError::NoSuchJoint { body: name, joint: joint.clone(), why }.into());
        let Some(arm) = body.as_arm_mut() else { return refused("it is no arm".into()) };
        let names = || arm.model().coordinates().iter().map(|coordinate| coordinate.name.as_str());
        let Some(number) = names().position(|name| name == joint) else {
            return refused(format!("it has {}", names().collect::<Vec<_>>().join(", ")));
        };
        if arm.drive(number, drive) {
            Ok(())
        } else {
            refused(format!("numbers must be finite, and gains not negative, in {drive:?}"))
        }
    }

    /// Let the joints of the arm that carries a gripper hold it together, by springs and dampers that lead to `target`, or for `None`
    /// along the motion that the gripper would have by itself; they also carry the arm's weight. It acts beside what drives
    /// each joint, see [`World::drive_joint`]. The target is reached from where it was at constant velocity over the next
    /// step. With no impedance it is held no more.
    pub fn drive_tool(
        &mut self,
        gripper: GripperId,
        impedance: Option<Impedance>,
        target: Option<Pose>,
    ) -> Result<(), ControlError> {
        let gripper = &self.grippers[self.handles.grippers.index(gripper)?];
        let name = gripper.params.name.clone();
        let refused = |why: String| Err(BuildError::NoTool { gripper: name, why }.into());
        let Drive::Carried { arm, link, at } = gripper.drive else { return refused("no arm carries it".into()) };
        if let Some(Err(error)) = target.map(|pose| Checks("its target").pose(&pose)) {
            return refused(error.to_string());
        }
        let Some(Body::Arm(arm)) = self.bodies.get_mut(arm) else { return refused("no arm carries it".into()) };
        if arm.hold_tool(link, at, impedance, target) {
            Ok(())
        } else {
            refused(format!("numbers must be finite and not negative in {impedance:?}"))
        }
    }

    /// Let the arm that holds a gripper by all joints together, see [`World::drive_tool`], give way to what a sensor on that gripper reads:
    /// where it is led moves as a mass on a spring and a damper would, from the next step on. With `None` it gives way no more.
    pub fn yield_tool(&mut self, gripper: GripperId, to: Option<(Admittance, SensorId)>) -> Result<(), ControlError> {
        let index = self.handles.grippers.index(gripper)?;
        let to = match to {
            Some((admittance, sensor)) => Some((admittance, self.handles.sensors.index(sensor)?)),
            None => None,
        };
        let name = self.grippers[index].params.name.clone();
        let refused = |why: String| Err(BuildError::NoTool { gripper: name, why }.into());
        if to.is_some_and(|(_, sensor)| self.sensors[sensor].gripper != index) {
            return refused("the sensor is on another gripper".into());
        }
        let Drive::Carried { arm, link, at } = self.grippers[index].drive else {
            return refused("no arm carries it".into());
        };
        let Some(arm) = self.bodies.get_mut(arm).and_then(Body::as_arm_mut) else {
            return refused("no arm carries it".into());
        };
        if arm.held_tool(link, &at).is_none() {
            return refused("its arm does not hold it with an impedance".into());
        }
        if arm.yield_tool(link, &at, to) {
            return Ok(());
        }
        refused(format!("numbers must be finite and not negative in {:?}", to.map(|(admittance, _)| admittance)))
    }

    /// How the arm that carries a gripper holds it by all joints together; `None` if no arm does.
    pub fn tool(&self, gripper: GripperId) -> Result<Option<HeldTool>, Gone> {
        let Drive::Carried { arm, link, at } = self.grippers[self.handles.grippers.index(gripper)?].drive else {
            return Ok(None);
        };
        Ok(self.bodies.get(arm).and_then(Body::as_arm).and_then(|arm| arm.held_tool(link, &at)))
    }

    /// After the removal of a body: what it carried stays where it is, and arms after it have moved up.
    pub(super) fn forget_arm(&mut self, gone: usize) {
        let grippers = self.grippers.iter_mut().map(|gripper| (&mut gripper.drive, &gripper.sweep));
        let obstacles = self.obstacles.iter_mut().map(|obstacle| (&mut obstacle.drive, &obstacle.sweep));
        for (drive, sweep) in grippers.chain(obstacles) {
            match drive {
                Drive::Carried { arm, .. } if *arm == gone => *drive = Drive::Pose(sweep.end),
                Drive::Carried { arm, .. } if *arm > gone => *arm -= 1,
                _ => {}
            }
        }
    }

    /// Move what arms carry to where it is expected at the end of a step, and tell arms where tools are to be then.
    pub(super) fn expect_carried(&mut self, dt: f64) {
        let time = self.clock.after(dt).time();
        let World { bodies, grippers, obstacles, sensors, .. } = self;
        for (index, body) in bodies.iter_mut().enumerate() {
            let Body::Arm(arm) = body else { continue };
            arm.give_way_to(dt, |sensor, axes| {
                let Some(sensor) = sensors.get(sensor) else { return [Vec3::ZERO; 2] };
                let SensorFrame { force, torque, .. } = sensor.reading(&grippers[sensor.gripper]);
                let turned = axes_between(grippers[sensor.gripper].sweep.end.rotation, axes);
                carried_over([force, torque], &sensor.params.gripper_from_sensor, turned)
            });
            arm.aim_tools(|of, here| {
                let is = |drive: &Drive| matches!(drive, Drive::Carried { arm, link, at } if (*arm, *link, at) == (index, of, here));
                let gripper = grippers.iter().find(|gripper| is(&gripper.drive))?;
                Some(gripper.params.motion.pose(&gripper.params.placed, time))
            });
        }
        for (drive, sweep) in carried(grippers, obstacles) {
            let Drive::Carried { arm, link, at } = *drive else { continue };
            if let Some(arm) = bodies.get_mut(arm).and_then(Body::as_arm_mut) {
                sweep.end = if arm.is_still() { arm.link(link) } else { arm.expected(link, dt) } * at;
            }
        }
    }

    /// Find the obstacles that the shapes of an arm may touch during a step: those that no arm carries, and that are no fingertips.
    pub(super) fn find_near_arm(&mut self, body: usize, dt: f64) {
        let World { obstacles, near, fingers, gravity, .. } = self;
        near.clear();
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for obstacle in obstacles.iter() {
            if matches!(obstacle.drive, Drive::Carried { arm, .. } if arm == body) {
                let [from, to] = obstacle.swept_bounds(1.0);
                (low, high) = (low.min(from), high.max(to));
            }
        }
        if low.x > high.x {
            return;
        }
        // farther than the search for contacts of each shape
        let reach = 2.0 * gravity.length() * dt * dt + 0.1 * (high - low).length();
        for (index, obstacle) in obstacles.iter().enumerate() {
            let [other_low, other_high] = obstacle.swept_bounds(0.0);
            let apart = !((low - reach).cmple(other_high).all() && (high + reach).cmpge(other_low).all());
            let led = matches!(obstacle.drive, Drive::Carried { .. });
            if !(apart || led || fingers.iter().any(|finger| finger.obstacle == index)) {
                near.push(index);
            }
        }
    }

    /// Move what arms carry to where it is, after these have been advanced.
    pub(super) fn place_carried(&mut self) {
        let World { bodies, grippers, obstacles, fingers, .. } = self;
        for (drive, sweep) in carried(grippers, obstacles) {
            let Drive::Carried { arm, link, at } = *drive else { continue };
            if let Some(arm) = bodies.get_mut(arm).and_then(Body::as_arm_mut) {
                sweep.end = arm.stepped_to(link) * at;
            }
        }
        for finger in fingers {
            obstacles[finger.obstacle].sweep = grippers[finger.gripper].sweep;
        }
    }

    /// Let arms feel what bodies other than cables did to their grippers, and all bodies to their links, in the step that ends.
    pub(super) fn load_arms(&mut self) {
        if !self.bodies.iter().any(|body| body.as_arm().is_some()) {
            return;
        }
        self.contacts.clear();
        for (index, body) in self.bodies.iter().enumerate() {
            body.write_contacts(index, &self.obstacles, &mut self.contacts);
        }
        let World { bodies, grippers, obstacles, grips, contacts, fingers, .. } = self;
        for grip in grips.iter().filter(|grip| grip.anchor.is_some()) {
            // members of the arm's group have pulled it already
            if bodies[grip.body].group() == Some(Group::Linked) {
                continue;
            }
            let Gripper { drive, sweep, .. } = &grippers[grip.gripper];
            feel(bodies, drive, sweep.end.translation, grip.load.force, grip.load.torque);
        }
        for contact in &*contacts {
            let Other::Obstacle(obstacle) = contact.other else { continue };
            let finger = fingers.iter().find(|finger| finger.obstacle == obstacle);
            let drive = finger.map_or(&obstacles[obstacle].drive, |finger| &grippers[finger.gripper].drive);
            // cables have pushed the links of arms that they lean on
            let leans =
                matches!(*drive, Drive::Carried { arm, .. } if bodies[arm].as_arm().is_some_and(Arm::is_leant_on));
            if leans && finger.is_none() && matches!(bodies[contact.body], Body::Cable(_)) {
                continue;
            }
            feel(bodies, drive, contact.position, -contact.force, Vec3::ZERO);
        }
    }

    /// Whether a body is held, or about to be, by the link whose shape an obstacle is: they do not touch each other. Both are
    /// indices.
    pub fn joins(&self, body: usize, obstacle: usize) -> bool {
        let time = self.clock.time();
        let mut on = grips_on(body, &self.obstacles[obstacle], &self.grippers, &self.grips);
        on.any(|grip| grip.anchor.is_some() || grip.scheduled_at(time))
    }
}

/// Whether an obstacle is the shape of a link that holds a body: that is joined to it, and passes through it there.
pub(super) fn is_joined_to(body: usize, obstacle: &Obstacle, grippers: &[Gripper], grips: &[Grip]) -> bool {
    let mut on = grips_on(body, obstacle, grippers, grips);
    on.any(|grip| grip.anchor.is_some())
}

/// Grips on a body of the grippers that the link carries whose shape an obstacle is.
fn grips_on<'a>(
    body: usize,
    obstacle: &Obstacle,
    grippers: &'a [Gripper],
    grips: &'a [Grip],
) -> impl Iterator<Item = &'a Grip> {
    let carrier = |drive: &Drive| match *drive {
        Drive::Carried { arm, link, .. } => Some((arm, link)),
        _ => None,
    };
    let by = carrier(&obstacle.drive);
    let on = move |grip: &&Grip| grip.body == body && carrier(&grippers[grip.gripper].drive) == by;
    grips.iter().filter(move |grip| by.is_some() && on(grip))
}

/// Drives and sweeps of all that may be carried.
fn carried<'a>(
    grippers: &'a mut [Gripper],
    obstacles: &'a mut [Obstacle],
) -> impl Iterator<Item = (&'a Drive, &'a mut Sweep)> {
    let grippers = grippers.iter_mut().map(|gripper| (&gripper.drive, &mut gripper.sweep));
    grippers.chain(obstacles.iter_mut().map(|obstacle| (&obstacle.drive, &mut obstacle.sweep)))
}

/// Let the arm that carries something feel a force and a couple there.
fn feel(bodies: &mut [Body], drive: &Drive, place: Vec3, force: Vec3, couple: Vec3) {
    let Drive::Carried { arm, link, .. } = *drive else { return };
    if let Some(arm) = bodies.get_mut(arm).and_then(Body::as_arm_mut) {
        arm.feel(link, place, force, couple);
    }
}
