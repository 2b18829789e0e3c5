//! Errors of building, controlling and stepping a world.

use crate::contact::ShapeError;
use crate::math::Vec3;
use crate::motion::Sweep;

/// Why a world or body cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// A parameter outside its range.
    #[error("{what} must be {expected}, got {value}")]
    Parameter {
        /// Which parameter.
        what: String,
        /// What it should be.
        expected: &'static str,
        /// Its value.
        value: f64,
    },
    /// A path without length.
    #[error("the path of {body} has no length: it needs two points that differ")]
    EmptyPath {
        /// Name of the body.
        body: String,
    },
    /// A name that is already taken.
    #[error("the name {name} stands for more than one {kind}: names must differ")]
    SameName {
        /// Kind of object.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A handle of something that is not, or no longer, in this world.
    #[error(transparent)]
    Gone(#[from] Gone),
    /// A fingertip cannot be removed without its gripper.
    #[error("{gripper} cannot be without its fingertip: remove the gripper instead")]
    Fingertip {
        /// Name of the gripper.
        gripper: String,
    },
    /// Something that the model of a body does not support.
    #[error("{body} is of the model {model}, which {cannot}: {instead}")]
    Cannot {
        /// Name of the body.
        body: String,
        /// Its model.
        model: &'static str,
        /// What it does not support.
        cannot: String,
        /// What to do instead.
        instead: &'static str,
        /// The scene field that asks for it, if any.
        field: Option<&'static str>,
    },
    /// A gripper that no arm can hold as a tool.
    #[error("the gripper {gripper} cannot be held as a tool: {why}")]
    NoTool {
        /// Name of the gripper.
        gripper: String,
        /// Why not.
        why: String,
    },
    /// A rod that cannot satisfy its holds.
    #[error(transparent)]
    Hold(#[from] HoldError),
    /// A place that a body does not have.
    #[error("{body} has no {place}: {why}")]
    NoSuchPlace {
        /// Name of the body.
        body: String,
        /// The requested place.
        place: String,
        /// Which places there are.
        why: String,
    },
    /// A section direction parallel to the path, or without length.
    #[error("the normal of {body} must have a direction across the start of its path, got {normal}")]
    Normal {
        /// Name of the body.
        body: String,
        /// The direction given.
        normal: Vec3,
    },
    /// A closed rod whose sections do not match where it is closed.
    #[error(
        "the twist of {body} must be one with which it meets itself, as it is closed and does not bend alike in all \
         directions: got {twist} degrees, the nearest is {nearest}"
    )]
    Seam {
        /// Name of the body.
        body: String,
        /// The twist given [degrees].
        twist: f64,
        /// The nearest twist with which they match [degrees].
        nearest: f64,
    },
    /// A rod that starts inside an obstacle.
    #[error("{body} begins inside {obstacle}, {depth:.3e} m deep: move one of them away")]
    StartsInside {
        /// Name of the body.
        body: String,
        /// Name of the obstacle.
        obstacle: String,
        /// Penetration of its surface [m].
        depth: f64,
    },
    /// A solid that starts inside an obstacle.
    #[error(
        "{body} begins inside {obstacle}, {depth:.3e} m deep at [{:.3}, {:.3}, {:.3}]: it would be thrown out within a step. Move one of them \
         away", place.x, place.y, place.z
    )]
    SolidStartsInside {
        /// Name of the body.
        body: String,
        /// Name of the obstacle.
        obstacle: String,
        /// Penetration [m].
        depth: f64,
        /// Where, in the world [m].
        place: Vec3,
    },
    /// Cables that start so deep inside each other that neither can be pushed out to a definite side.
    #[error(
        "{body} begins inside {other} at [{}, {}, {}]: there they are {distance:.1e} m from axis to axis and would need \
         {needed:.1e} m. Move one of them away", place.x, place.y, place.z
    )]
    StartsInCable {
        /// Name of the body.
        body: String,
        /// Name of the other body; equal to `body` for contact with itself.
        other: String,
        /// Where, in the world [m].
        place: Vec3,
        /// Distance between the centre lines [m].
        distance: f64,
        /// Sum of the radii [m].
        needed: f64,
    },
    /// A rod for which no stable equilibrium was found.
    #[error(
        "{body} finds no stable equilibrium from its path: its last change was {change:.1e} rad, with {falling} directions \
         in which its energy falls. Hold it where it would fall, or give it a path closer to the shape it is to have"
    )]
    NoEquilibrium {
        /// Name of the body.
        body: String,
        /// Number of directions in which its energy decreases.
        falling: usize,
        /// The last change of its angles [rad].
        change: f64,
    },
    /// Links and joints that make no arm.
    #[error("{body}: {error}")]
    Robot {
        /// Name of the arm.
        body: String,
        /// What is wrong.
        error: crate::robot::RobotError,
    },
    /// Only arms carry things.
    #[error("{body} is of the model {model} and carries nothing: name an arm")]
    NotAnArm {
        /// Name of the body.
        body: String,
        /// Its model.
        model: &'static str,
    },
    /// An arm without such a link.
    #[error("{body} has no link `{link}`: it has {known}")]
    NoSuchLink {
        /// Name of the arm.
        body: String,
        /// Name of the link.
        link: String,
        /// Names of its links.
        known: String,
    },
    /// An arm without such a joint, or a drive that makes no sense.
    #[error("{body} has no joint `{joint}` that this drive suits: {why}")]
    NoSuchJoint {
        /// Name of the body.
        body: String,
        /// Name of the joint.
        joint: String,
        /// What is wrong.
        why: String,
    },
    /// A cable for which no equilibrium was found.
    #[error("{body} comes to no equilibrium from its path, and still moves by {way:.1e} of its length: {why}")]
    Unsettled {
        /// Name of the body.
        body: String,
        /// How far a link still moves, relative to the length [-].
        way: f64,
        /// The reason, and what may help.
        why: String,
    },
    /// A solid that cannot be discretised into particles.
    #[error("{body} cannot be made of particles: {why}")]
    Solid {
        /// Name of the body.
        body: String,
        /// The reason.
        why: String,
    },
    /// Stopped by [`Stop`](crate::Stop) before bodies had reached their equilibrium.
    #[error("asked to stop before bodies had found their equilibrium")]
    Stopped,
    /// A snapshot of a world with different bodies, obstacles or grippers.
    #[error("the snapshot belongs to another world")]
    ForeignSnapshot,
    /// A pose that is not finite, farther away than any scene, or not a rotation.
    #[error("the pose of {name} must be finite, less than 1e7 m from the origin, with a rotation of length 1")]
    Pose {
        /// What it was given for.
        name: String,
    },
    /// A shape that cannot be built.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// A handle of something that is not, or no longer, in this world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this {kind} is not in this world: it was removed, or it belongs to another one")]
pub struct Gone {
    /// Kind of object.
    pub kind: &'static str,
}

/// Why a change between steps was rejected. The world is then unchanged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ControlError {
    /// The handle is not valid in this world.
    #[error(transparent)]
    Gone(#[from] Gone),
    /// A fingertip cannot be driven apart from its gripper.
    #[error("the fingertip of {gripper} moves with it: drive the gripper instead")]
    Fingertip {
        /// Name of the gripper.
        gripper: String,
    },
    /// An arm carries things by [`World::carry`](crate::World::carry) and
    /// [`World::carry_obstacle`](crate::World::carry_obstacle) alone.
    #[error("{name} cannot be driven as something carried: let an arm carry it")]
    Carried {
        /// Name of the gripper or obstacle.
        name: String,
    },
    /// The change itself is not possible.
    #[error(transparent)]
    Refused(BuildError),
    /// A gripper that holds something cannot be put elsewhere at once.
    #[error("{gripper} holds something: drive it there, or release that first")]
    Holding {
        /// The gripper.
        gripper: String,
    },
}

impl From<BuildError> for ControlError {
    fn from(error: BuildError) -> ControlError {
        match error {
            BuildError::Gone(gone) => ControlError::Gone(gone),
            error => ControlError::Refused(error),
        }
    }
}

/// Why bytes cannot be read as a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// They do not begin like a snapshot.
    #[error("these bytes are no snapshot")]
    Foreign,
    /// They were written by an incompatible version.
    #[error("the snapshot is of version {version}, this engine reads version {known}: take it anew with this engine")]
    Version {
        /// Version of the bytes.
        version: u32,
        /// The version that can be read.
        known: u32,
    },
    /// Bytes are missing, or there are too many.
    #[error("the snapshot should be {expected} bytes long after its head, got {got}: it was cut or written over")]
    Length {
        /// Number of bytes that should follow the header.
        expected: u64,
        /// Number of bytes found.
        got: u64,
    },
    /// The checksum does not match.
    #[error("the snapshot is damaged: its bytes are not those that were written")]
    Damaged,
}

/// Why a rod cannot satisfy its holds.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HoldError {
    /// A constraint that cannot be satisfied.
    #[error(
        "{body} cannot be where {by} holds it: {off:.3e} {unit} are missing. It may be too short for where its ends are to be, or \
         held in ways that exclude each other"
    )]
    Unreachable {
        /// Name of the body.
        body: String,
        /// What holds it.
        by: String,
        /// Violation of the constraint.
        off: f64,
        /// Unit of the violation.
        unit: &'static str,
    },
    /// An inextensible rod that is held without slack.
    #[error(
        "{body} is taut between {between}: it is {slack:.3e} m longer than their distance, and does not stretch. \
         Give it more length, let it be extensible, or let it start as its path"
    )]
    Taut {
        /// Name of the body.
        body: String,
        /// What holds it.
        between: String,
        /// Its length less the distance of its holds [m].
        slack: f64,
    },
}

impl HoldError {
    /// Name of the body.
    pub fn body(&self) -> &str {
        match self {
            HoldError::Unreachable { body, .. } | HoldError::Taut { body, .. } => body,
        }
    }
}

/// Why a step failed. The world is left as it was before the step.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// Stopped by [`Stop`](crate::Stop).
    #[error("asked to stop in the step from t = {time:.6} s")]
    Stopped {
        /// Start of the step [s].
        time: f64,
    },
    /// A step size that is not finite and positive.
    #[error("a step must be finite and longer than zero, got {dt} s")]
    Step {
        /// The step size given [s].
        dt: f64,
    },
    /// Gravity that is not finite.
    #[error("gravity must be finite, got {gravity} m/s2")]
    Gravity {
        /// Acceleration of gravity [m/s2].
        gravity: Vec3,
    },
    /// A gripper or obstacle that is driven out of any scene.
    #[error(
        "{name} is driven to [{:.3e}, {:.3e}, {:.3e}] m in the step from t = {time:.6} s: it must stay within 1e7 m of the origin", place.x,
        place.y, place.z
    )]
    Astray {
        /// Name of the gripper or obstacle.
        name: String,
        /// Start of the step [s].
        time: f64,
        /// Where it would be at the end of the step, in the world [m].
        place: Vec3,
    },
    /// A rod that cannot satisfy its holds.
    #[error("at t = {time:.6} s {why}")]
    Hold {
        /// Simulated time [s].
        time: f64,
        /// The reason.
        why: HoldError,
    },
    /// A step size that is not a multiple of the sampling period of recorded responses.
    #[error("{body} has responses recorded in samples of {sample} s: steps must be a whole number of them, got {dt} s")]
    Sample {
        /// Name of the body.
        body: String,
        /// Sampling period [s].
        sample: f64,
        /// Step size [s].
        dt: f64,
    },
    /// A step of far too many samples.
    #[error("{body} moves in steps of {sample} s of its own: a step of {dt} s would take more than a million of them")]
    Strides {
        /// Name of the body.
        body: String,
        /// Sampling period [s].
        sample: f64,
        /// Step size [s].
        dt: f64,
    },
    /// A body whose motion needs inner steps too short to be practical.
    #[error("{body} would need steps shorter than {step:.1e} s at t = {time:.6} s: {instead}")]
    TooShort {
        /// Name of the body.
        body: String,
        /// Simulated time [s].
        time: f64,
        /// The shortest inner step tried [s].
        step: f64,
        /// What may help.
        instead: &'static str,
    },
    /// A solid that stays pressed into an obstacle, deeper than contact can tell inside from outside.
    #[error(
        "{body} is pressed {depth:.1e} m into {obstacle} at t = {time:.6} s, for {long:.1e} s more than half a cell of {cell:.1e} m: \
         it is crushed, or its contact_stiffness is too low for what presses on it"
    )]
    Crushed {
        /// Name of the body.
        body: String,
        /// Name of the obstacle.
        obstacle: String,
        /// Simulated time [s].
        time: f64,
        /// Penetration of its surface [m].
        depth: f64,
        /// How long it has been too deep [s].
        long: f64,
        /// Edge length of a cell [m].
        cell: f64,
    },
    /// A solid of the model `response` that is deformed beyond the validity of its linear model.
    #[error(
        "{body} is deformed by {:.0} % of its size at t = {time:.6} s, {what}: the model response is linear, for deformations that are small. \
         Take stiffer material, let it spin or be pushed less, or use the model lattice", 100.0 * by
    )]
    Deformed {
        /// Name of the body.
        body: String,
        /// Simulated time [s].
        time: f64,
        /// Displacement divided by the distance from the centre [-].
        by: f64,
        /// The cause of the deformation.
        what: String,
    },
    /// A step that created more energy than its model allows.
    #[error(
        "{body} gained {created:.3e} J in the step to t = {time:.6} s that no force accounts for, where its model states at most {allowed:.3e} J: \
         {instead}"
    )]
    Created {
        /// Name of the body.
        body: String,
        /// Simulated time at its end [s].
        time: f64,
        /// Energy gained that no force accounts for [J].
        created: f64,
        /// Bound of its model for the step [J].
        allowed: f64,
        /// What may help.
        instead: &'static str,
    },
    /// A quantity that is NaN or implausibly large.
    #[error("{body} diverged at t = {time:.6} s: {quantity} is {value:.3e}")]
    Diverged {
        /// Name of the body.
        body: String,
        /// Simulated time [s].
        time: f64,
        /// Which quantity.
        quantity: String,
        /// Its value.
        value: f64,
    },
}

/// Coordinates beyond this have diverged [m]: no scene is that large.
pub(crate) const FAR: f64 = 1e7;

impl StepError {
    /// Reject a sweep of a gripper or obstacle that ends nowhere.
    pub(crate) fn check_sweep(name: &str, time: f64, sweep: &Sweep) -> Result<(), StepError> {
        let place = sweep.end.translation;
        // compared so that NaN fails
        if place.abs().max_element() < FAR && !place.is_nan() && sweep.end.rotation.is_finite() {
            return Ok(());
        }
        Err(StepError::Astray { name: name.into(), time, place })
    }

    /// Reject a position that is NaN or farther away than any scene; `whose` names the point.
    pub(crate) fn check_place(body: &str, time: f64, place: Vec3, whose: impl Fn() -> String) -> Result<(), StepError> {
        for (axis, value) in ["x", "y", "z"].into_iter().zip(place.to_array()) {
            if value.is_nan() || value.abs() >= FAR {
                let quantity = format!("{axis} of {} [m]", whose());
                return Err(StepError::Diverged { body: body.into(), time, quantity, value });
            }
        }
        Ok(())
    }
}
