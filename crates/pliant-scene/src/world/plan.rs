//! A goal in a scene file: an arm is drawn to it, and follows the motion that was found.

use pliant::World;
use pliant::arm::JointMotion;
use pliant::motion::Motion;
use pliant_plan::{Goal, LinkShape, Settings, Task, Wall};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::files::Files;
use crate::text::fault::Fault;
use crate::text::quantity::{BendAngle, Coordinate, Count, Duration, Gap, Length, Quantity, Speed, Triple};
use crate::text::word::{Name, Table};
use crate::world::arm::{Prepared, unknown_link};
use crate::world::pose::{OrientationSpec, pose};

/// Where an arm has to go. It is drawn there by physics, past obstacles that stay where they are, and follows the motion
/// that was found.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanSpec {
    /// Name of the arm.
    pub(crate) arm: Name,
    /// Name of the link that is drawn.
    link: String,
    /// Where its origin has to go [m].
    position: Triple<Coordinate>,
    /// How it has to be turned; any way unless given.
    orientation: Option<Table<OrientationSpec>>,
    /// Name of the obstacle that it stands on: it has weight then, and only its way over the ground counts; none unless given.
    ground: Option<Name>,
    /// Distance that the arm keeps from obstacles [m]; 0.02 unless given.
    safety: Option<Gap>,
    /// Distance from the goal that counts as reached [m]; 0.01 unless given.
    tolerance: Option<Length>,
    /// Angle from the goal that counts as reached [degrees]; 3 unless given.
    tolerance_deg: Option<BendAngle>,
    /// Speed at which it is drawn where nothing is in its way [m/s]; 0.5 unless given.
    speed: Option<Speed>,
    /// Longest motion [s]; 60 unless given.
    most_time: Option<Duration>,
    /// Most virtual obstacles; 200 unless given.
    most_virtual_obstacles: Option<Count<0, 10_000>>,
}

impl PlanSpec {
    /// Let an arm follow the motion that is found for it.
    pub(crate) fn follow(&self, arm: &mut Prepared, world: &World, files: &mut Files) -> Result<(), Fault> {
        if arm.motion.is_some() {
            return Err(Fault::new("the arm has a motion already: waypoints, or a gripper that leads it").at("arm"));
        }
        let task = self.task(arm, world, files)?;
        let outcome = task.solve(&mut |_| true).map_err(|error| Fault::new(error.to_string()))?;
        if !outcome.reached() {
            let ending = outcome.ending.text(&task.settings);
            let text = "the arm follows the attempt that came nearest";
            files.warnings.push(format!("plan: {ending}; {text}, to {:.3} m from the goal", outcome.distance));
        }
        arm.motion = Some(JointMotion { spacing: outcome.plan.spacing, samples: outcome.plan.samples });
        Ok(())
    }

    /// The task of an arm.
    pub(crate) fn task(&self, arm: &Prepared, world: &World, files: &mut Files) -> Result<Task, Fault> {
        let Prepared { robot, joints, .. } = arm;
        let mut model = robot.model.clone();
        model.gravity = world.gravity();
        let link = model.link(&self.link).ok_or_else(|| unknown_link(&model, &self.link).at("link"))?;
        let mut shapes = vec![];
        for shape in robot.shapes.iter().filter(|shape| shape.collision) {
            let solid = shape.geometry.solid(&self.arm, files)?;
            shapes.push(LinkShape { link: shape.link, link_from_shape: shape.link_from_shape, shape: solid });
        }
        let mut walls = vec![];
        for obstacle in world.obstacles() {
            let params = &obstacle.params;
            if params.motion != Motion::Hold {
                return Err(Fault::new(format!("{} moves: a motion is found among obstacles that stay", params.name)));
            }
            let ground = self.ground.as_ref().is_some_and(|ground| **ground == *params.name);
            walls.push(Wall { name: params.name.clone(), shape: params.shape.clone(), pose: params.placed, ground });
        }
        if let Some(ground) = self.ground.as_ref().filter(|_| !walls.iter().any(|wall| wall.ground)) {
            let known: Vec<&str> = walls.iter().map(|wall| wall.name.as_str()).collect();
            return Err(Fault::unknown("obstacle", ground, known).at("ground"));
        }
        let goal = Goal {
            link,
            link_from_tool: pliant::math::Pose::IDENTITY,
            pose: pose(Some(&self.position), self.orientation.as_ref(), pliant::math::Vec3::ZERO)?,
            orientation: self.orientation.is_some(),
        };
        let usual = Settings::default();
        let settings = Settings {
            safety: self.safety.map_or(usual.safety, Quantity::get),
            tolerance: self.tolerance.map_or(usual.tolerance, Quantity::get),
            angle_tolerance: self.tolerance_deg.map_or(usual.angle_tolerance, |angle| angle.get().to_radians()),
            speed: self.speed.map_or(usual.speed, Quantity::get),
            most_time: self.most_time.map_or(usual.most_time, Quantity::get),
            most_virtual: self.most_virtual_obstacles.map_or(usual.most_virtual, |count| count.0),
            ..usual
        };
        let task = Task { model, shapes, start: joints.clone(), walls, goal, settings };
        task.check().map_err(|error| Fault::new(error.to_string()))?;
        Ok(task)
    }
}
