//! What can go wrong while building or stepping a world.

use crate::contact::ShapeError;
use crate::math::Vec3;

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
        /// What it is.
        value: f64,
    },
    /// A path that is no curve.
    #[error("the path of {body} has no length: it needs two points that differ")]
    EmptyPath {
        /// Name of the body.
        body: String,
    },
    /// A name used twice.
    #[error("the name {name} stands for more than one {kind}: names must differ")]
    SameName {
        /// Kind of thing.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A handle of something that is not in this world.
    #[error(transparent)]
    Gone(#[from] Gone),
    /// A fingertip that cannot go without its gripper.
    #[error("{gripper} cannot be without its fingertip: remove the gripper instead")]
    Fingertip {
        /// Name of the gripper.
        gripper: String,
    },
    /// Something that the model of a body cannot do.
    #[error("{body} is of the model {model}, which {cannot}: {instead}")]
    Cannot {
        /// Name of the body.
        body: String,
        /// Its model.
        model: &'static str,
        /// What it cannot do.
        cannot: String,
        /// What would be right.
        instead: &'static str,
        /// The field of a scene that asks for it, where there is one.
        field: Option<&'static str>,
    },
    /// A rod that cannot be where it is held.
    #[error(transparent)]
    Hold(#[from] HoldError),
    /// A place that a body does not have.
    #[error("{body} has no {place}: {why}")]
    NoSuchPlace {
        /// Name of the body.
        body: String,
        /// The place asked for.
        place: String,
        /// What would be right.
        why: String,
    },
    /// A direction of a section that says nothing.
    #[error("the normal of {body} must have a direction across the start of its path, got {normal}")]
    Normal {
        /// Name of the body.
        body: String,
        /// The direction.
        normal: Vec3,
    },
    /// A closed rod whose ends do not fit together.
    #[error(
        "the twist of {body} must be one with which it meets itself, as it is closed and does not bend alike in all \
         directions: got {twist} degrees, the nearest is {nearest}"
    )]
    Seam {
        /// Name of the body.
        body: String,
        /// The twist [degrees].
        twist: f64,
        /// The nearest with which it meets itself [degrees].
        nearest: f64,
    },
    /// A rod that begins inside an obstacle.
    #[error("{body} begins inside {obstacle}, {depth:.3e} m deep: move one of them away")]
    StartsInside {
        /// Name of the body.
        body: String,
        /// Name of the obstacle.
        obstacle: String,
        /// How deep its surface is inside [m].
        depth: f64,
    },
    /// A solid that begins inside an obstacle.
    #[error(
        "{body} begins inside {obstacle}, {depth:.3e} m deep at [{:.3}, {:.3}, {:.3}]: it would be thrown out within a step. Move one of them \
         away", place.x, place.y, place.z
    )]
    SolidStartsInside {
        /// Name of the body.
        body: String,
        /// Name of the obstacle.
        obstacle: String,
        /// How deep [m].
        depth: f64,
        /// Where [m].
        place: Vec3,
    },
    /// Cables that begin so deep in each other that neither has a side to leave to.
    #[error(
        "{body} begins inside {other} at [{}, {}, {}]: there they are {distance:.1e} m from axis to axis and would need \
         {needed:.1e} m. Move one of them away", place.x, place.y, place.z
    )]
    StartsInCable {
        /// Name of the body.
        body: String,
        /// Name of the other; the same where it is in itself.
        other: String,
        /// Where [m].
        place: Vec3,
        /// Distance of the axes [m].
        distance: f64,
        /// Sum of the radii [m].
        needed: f64,
    },
    /// A rod that finds no equilibrium.
    #[error(
        "{body} finds no stable equilibrium from its path: its last change was {change:.1e} rad, with {falling} directions \
         in which its energy falls. Hold it where it would fall, or give it a path closer to the shape it is to have"
    )]
    NoEquilibrium {
        /// Name of the body.
        body: String,
        /// Directions in which energy falls.
        falling: usize,
        /// The last change [rad].
        change: f64,
    },
    /// A cable that comes to no equilibrium.
    #[error("{body} comes to no equilibrium from its path, and still moves by {way:.1e} of its length: {why}")]
    Unsettled {
        /// Name of the body.
        body: String,
        /// How far a link still goes, over the length.
        way: f64,
        /// Why, and what may help.
        why: String,
    },
    /// A solid that cannot become particles.
    #[error("{body} cannot be made of particles: {why}")]
    Solid {
        /// Name of the body.
        body: String,
        /// Why.
        why: String,
    },
    /// It was asked to stop, see [`Stop`](crate::Stop), before bodies had found their equilibrium.
    #[error("asked to stop before bodies had found their equilibrium")]
    Stopped,
    /// A snapshot of a world with other parts.
    #[error("the snapshot belongs to another world")]
    ForeignSnapshot,
    /// A pose that is none.
    #[error("the pose of {name} must be finite, with a rotation of length 1")]
    Pose {
        /// What was to be posed.
        name: String,
    },
    /// A shape that cannot be built.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// A handle of something that is not in this world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this {kind} is not in this world: it was removed, or it belongs to another one")]
pub struct Gone {
    /// Kind of thing.
    pub kind: &'static str,
}

/// Why something cannot be done to a world between its steps. Nothing has changed then.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ControlError {
    /// It is not in this world.
    #[error(transparent)]
    Gone(#[from] Gone),
    /// It cannot be so.
    #[error(transparent)]
    Refused(BuildError),
}

impl From<BuildError> for ControlError {
    fn from(error: BuildError) -> ControlError {
        match error {
            BuildError::Gone(gone) => ControlError::Gone(gone),
            error => ControlError::Refused(error),
        }
    }
}

/// Why bytes are no snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// They do not begin as snapshots do.
    #[error("these bytes are no snapshot")]
    Foreign,
    /// They are of another version of the engine.
    #[error("the snapshot is of version {version}, this engine reads version {known}: take it anew with this engine")]
    Version {
        /// Version of the bytes.
        version: u32,
        /// The version that can be read.
        known: u32,
    },
    /// Some are missing, or there are too many.
    #[error("the snapshot should be {expected} bytes long after its head, got {got}: it was cut or written over")]
    Length {
        /// How many bytes should follow the head.
        expected: u64,
        /// How many there are.
        got: u64,
    },
    /// They have changed.
    #[error("the snapshot is damaged: its bytes are not those that were written")]
    Damaged,
}

/// Why a rod cannot be where it is held.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HoldError {
    /// A constraint that it cannot keep.
    #[error(
        "{body} cannot be where {by} holds it: {off:.3e} {unit} are missing. It may be too short for where its ends are to be, or \
         held in ways that exclude each other"
    )]
    Unreachable {
        /// Name of the body.
        body: String,
        /// Who holds it.
        by: String,
        /// By how much it is violated.
        off: f64,
        /// Unit of that.
        unit: &'static str,
    },
    /// It does not stretch, and has no slack.
    #[error(
        "{body} is taut between {between}: it is {slack:.3e} m longer than their distance, and does not stretch. \
         Give it more length, let it be extensible, or let it start as its path"
    )]
    Taut {
        /// Name of the body.
        body: String,
        /// Who holds it.
        between: String,
        /// How much longer it is [m].
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

/// Why a step failed. The world is as it was before the step.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// The step was asked to stop, see [`Stop`](crate::Stop).
    #[error("asked to stop in the step from t = {time:.6} s")]
    Stopped {
        /// Start of the step [s].
        time: f64,
    },
    /// A step that is no length of time.
    #[error("a step must be finite and longer than zero, got {dt} s")]
    Step {
        /// What was asked for [s].
        dt: f64,
    },
    /// A rod that cannot be where it is held.
    #[error("at t = {time:.6} s {why}")]
    Hold {
        /// When [s].
        time: f64,
        /// Why not.
        why: HoldError,
    },
    /// A step that is no whole number of the samples of recorded responses.
    #[error("{body} has responses recorded in samples of {sample} s: steps must be a whole number of them, got {dt} s")]
    Sample {
        /// Name of the body.
        body: String,
        /// Length of a sample [s].
        sample: f64,
        /// The step [s].
        dt: f64,
    },
    /// A step of far too many samples.
    #[error("{body} moves in steps of {sample} s of its own: a step of {dt} s would take more than a million of them")]
    Strides {
        /// Name of the body.
        body: String,
        /// Length of a sample [s].
        sample: f64,
        /// The step [s].
        dt: f64,
    },
    /// A body that cannot be followed in steps of any sensible length.
    #[error("{body} would need steps shorter than {step:.1e} s at t = {time:.6} s: {instead}")]
    TooShort {
        /// Name of the body.
        body: String,
        /// When [s].
        time: f64,
        /// The shortest that was tried [s].
        step: f64,
        /// What may help.
        instead: &'static str,
    },
    /// A solid that is pressed into an obstacle for long, deeper than contact can tell inside from outside.
    #[error(
        "{body} is pressed {depth:.1e} m into {obstacle} at t = {time:.6} s, for {long:.1e} s more than half a cell of {cell:.1e} m: \
         it is crushed, or its contact_stiffness is too low for what presses on it"
    )]
    Crushed {
        /// Name of the body.
        body: String,
        /// Name of the obstacle.
        obstacle: String,
        /// When [s].
        time: f64,
        /// How deep its surface is inside [m].
        depth: f64,
        /// For how long it has been too deep [s].
        long: f64,
        /// Edge of a cell [m].
        cell: f64,
    },
    /// An elastic solid that is deformed beyond what its model can follow.
    #[error(
        "{body} is deformed by {:.0} % of its size at t = {time:.6} s, {what}: the model response is linear, for deformations that are small. \
         Take stiffer material, let it spin or be pushed less, or use the model lattice", 100.0 * by
    )]
    Deformed {
        /// Name of the body.
        body: String,
        /// When [s].
        time: f64,
        /// Displacement over distance from the centre [-].
        by: f64,
        /// Of what.
        what: String,
    },
    /// A step has created energy.
    #[error(
        "{body} gained {created:.3e} J in the step to t = {time:.6} s that no force accounts for, where its model states at most {allowed:.1e} J: \
         {instead}"
    )]
    Created {
        /// Name of the body.
        body: String,
        /// When [s].
        time: f64,
        /// Energy that no force accounts for [J].
        created: f64,
        /// What its model may create in the step [J].
        allowed: f64,
        /// What may help.
        instead: &'static str,
    },
    /// A quantity is no longer a finite number of sensible size.
    #[error("{body} diverged at t = {time:.6} s: {quantity} is {value:.3e}")]
    Diverged {
        /// Name of the body.
        body: String,
        /// When [s].
        time: f64,
        /// Which quantity.
        quantity: String,
        /// Its value.
        value: f64,
    },
}

/// A place farther than this from the origin has diverged [m].
const FAR: f64 = 1e7;

impl StepError {
    /// Refuse a place that is none any more, or is beyond any scene, and say whose it is.
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
