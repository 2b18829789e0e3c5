//! Grippers, grips and loads. A grip ties a place of a body to the frame of a gripper.

use std::sync::Arc;

use crate::bytes::{stored, stored_enum};
use crate::handle::{BodyId, GripperId};
use crate::material::Friction;
use crate::math::{Pose, Quat, Vec3, pose_between};
use crate::motion::{Drive, Motion, Sweep};

/// Parameters of a gripper, fixed once it has been added.
#[derive(Clone, Debug)]
pub struct GripperParams {
    /// Name, unique among grippers.
    pub name: String,
    /// Pose in the world at time zero.
    pub placed: Pose,
    /// Prescribed motion from there.
    pub motion: Motion,
}

impl GripperParams {
    /// A gripper that stays where it is placed until it is driven.
    pub fn at(name: &str, placed: Pose) -> GripperParams {
        GripperParams { name: name.into(), placed, motion: Motion::Hold }
    }
}

/// A gripper with its poses and load.
#[derive(Clone, Debug)]
pub struct Gripper {
    /// Its parameters, shared by all clones of a world.
    pub params: Arc<GripperParams>,
    /// Poses in the world at the start and end of the last step.
    pub sweep: Sweep,
    /// What moves it.
    pub drive: Drive,
    /// Sum of the loads of its grips, means over the last step, and of the contacts of its fingertip, as frames show
    /// them.
    pub load: Wrench,
}

/// Force and torque of bodies on a gripper, in world axes. Both are means over a step of the world, and the torque is
/// about the gripper's origin where that is while the force acts: a model that knows forces within the step takes each
/// at its instant, one that knows only their mean takes it halfway through the step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Wrench {
    /// Force [N].
    pub force: Vec3,
    /// Torque about the gripper's origin [N m].
    pub torque: Vec3,
}

impl Wrench {
    /// A force [N] and a torque [N m] that act at a place, about an origin [m]: place and origin at the same instant.
    pub(crate) fn at(place: Vec3, force: Vec3, torque: Vec3, origin: Vec3) -> Wrench {
        Wrench { force, torque: torque + (place - origin).cross(force) }
    }
}

impl std::ops::Mul<f64> for Wrench {
    type Output = Wrench;

    fn mul(self, factor: f64) -> Wrench {
        Wrench { force: self.force * factor, torque: self.torque * factor }
    }
}

impl std::ops::AddAssign for Wrench {
    fn add_assign(&mut self, other: Wrench) {
        self.force += other.force;
        self.torque += other.torque;
    }
}

impl Gripper {
    /// A gripper at the pose of its prescribed motion at `time` [s].
    pub fn new(params: GripperParams, time: f64) -> Gripper {
        let pose = params.motion.pose(&params.placed, time);
        Gripper {
            params: Arc::new(params),
            sweep: Sweep::resting(pose),
            drive: Drive::Prescribed,
            load: Wrench::default(),
        }
    }
}

/// A fingertip: a sphere about a gripper's origin that touches bodies. Contact forces on it are loads of the gripper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FingerParams {
    /// The gripper.
    pub gripper: GripperId,
    /// Radius [m].
    pub radius: f64,
    /// Friction of its surface; with `None` that of the touching body applies.
    pub friction: Option<Friction>,
}

/// A place on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Place {
    /// On a rod: fraction of the rest length, 0 at the start and 1 at the end.
    Fraction(f64),
    /// A node of the model, counted from 0.
    Node(usize),
    /// The particle of a solid that is nearest to a point in the world [m].
    Point(Vec3),
    /// All particles of a solid in an axis-aligned box in the world.
    Box {
        /// Lower corner [m].
        low: Vec3,
        /// Upper corner [m].
        high: Vec3,
    },
}

impl Place {
    /// The place as a fraction of a slender body with this number of intervals. Places in space are rejected before.
    pub(crate) fn along(self, intervals: usize) -> f64 {
        match self {
            Place::Fraction(fraction) => fraction,
            Place::Node(node) => node as f64 / intervals as f64,
            Place::Point(_) | Place::Box { .. } => 0.0,
        }
    }
}

/// What a grip constrains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Hold {
    /// The position; a rod may turn freely in the grip. A solid is held by all its nodes at the place, whichever
    /// variant is chosen: it turns freely about a single one.
    Position,
    /// Position and direction, like jaws at exactly that place.
    Clamp,
    /// Position and direction through two neighbouring points of the model, as in Kahl and Henrich, Fig. 14. Models
    /// other than the chain have no such points, and use `Clamp`.
    TwoPoints,
    /// The direction; the place may move freely. Only rods of the model `elastica` support this.
    Direction,
}

/// Parameters of a grip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GripParams {
    /// The gripper.
    pub gripper: GripperId,
    /// The body.
    pub body: BodyId,
    /// Where on the body.
    pub place: Place,
    /// What it constrains.
    pub hold: Hold,
    /// When it closes [s].
    pub from: f64,
    /// When it opens [s]; may be infinite.
    pub until: f64,
    /// Pull the place to the gripper's origin (and its direction to the gripper's x axis) instead of
    /// keeping the offset it has when the grip closes.
    pub snap: bool,
    /// Time it takes to pull the place there [s]. Solids, and rods of the model `elastica`, whose grips are
    /// constraints, are pulled immediately.
    pub closing: f64,
    /// Compliance and strength of its jaws.
    pub jaws: Jaws,
}

impl GripParams {
    /// Default of `closing` [s]: about the time that the jaws of a gripper take to close.
    pub const CLOSING: f64 = 0.1;

    /// A grip that holds a place from time zero on, without end, keeping its offset to the gripper, with rigid jaws.
    pub fn new(gripper: GripperId, body: BodyId, place: Place, hold: Hold) -> GripParams {
        let (from, until, snap, closing) = (0.0, f64::INFINITY, false, GripParams::CLOSING);
        GripParams { gripper, body, place, hold, from, until, snap, closing, jaws: Jaws::FIRM }
    }
}

/// Compliance and strength of the jaws of a grip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jaws {
    /// Stiffness in any direction [N/m]; may be infinite.
    pub stiffness: f64,
    /// Force along a cable above which it slides through them [N]; may be infinite.
    pub slips_at: f64,
    /// Force above which the body is pulled out of them [N]; may be infinite.
    pub opens_at: f64,
}

impl Jaws {
    /// Rigid jaws that neither slip nor open.
    pub const FIRM: Jaws = Jaws { stiffness: f64::INFINITY, slips_at: f64::INFINITY, opens_at: f64::INFINITY };
}

/// A dead load at a place of a body: a force and a torque that are constant in world axes, except for ramps at the
/// start and the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// The body.
    pub body: BodyId,
    /// Where on the body.
    pub place: Place,
    /// Force, in world axes [N].
    pub force: Vec3,
    /// Torque, in world axes [N m].
    pub torque: Vec3,
    /// When it starts [s].
    pub from: f64,
    /// When it ends [s]; may be infinite.
    pub until: f64,
    /// Duration of the linear ramp up to the full load [s].
    pub rise: f64,
    /// Duration of the linear ramp down to zero, before `until` [s].
    pub fall: f64,
}

impl Load {
    /// A force [N] that acts from time zero on, without ramps and without end.
    pub fn new(body: BodyId, place: Place, force: Vec3) -> Load {
        Load { body, place, force, torque: Vec3::ZERO, from: 0.0, until: f64::INFINITY, rise: 0.0, fall: 0.0 }
    }

    /// The load with its magnitude at `time` [s], on the body with this index.
    pub(crate) fn sized_at(&self, body: usize, time: f64) -> ActingLoad {
        let since = |passed: f64, takes: f64| if takes > 0.0 { (passed / takes).clamp(0.0, 1.0) } else { 1.0 };
        let part = since(time - self.from, self.rise).min(since(self.until - time, self.fall));
        let Load { place, from, until, .. } = *self;
        ActingLoad { body, place, force: self.force * part, torque: self.torque * part, from, until }
    }

    /// Whether it acts at `time` [s].
    pub fn acts_at(&self, time: f64) -> bool {
        within(time, self.from, self.until)
    }
}

/// A load with its magnitude in the current step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ActingLoad {
    /// Index of the body; `usize::MAX` if the load was removed.
    pub body: usize,
    /// Where on the body.
    pub place: Place,
    /// Force [N].
    pub force: Vec3,
    /// Torque [N m].
    pub torque: Vec3,
    from: f64,
    until: f64,
}

impl ActingLoad {
    /// Whether it acts at `time` [s].
    pub fn acts_at(&self, time: f64) -> bool {
        within(time, self.from, self.until)
    }
}

/// Whether `time` is in the interval, up to rounding: times are sums of steps.
fn within(time: f64, from: f64, until: f64) -> bool {
    const SLACK: f64 = 1e-9;
    time + SLACK >= from && time + SLACK < until
}

/// A grip with its state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// Its parameters.
    pub params: GripParams,
    /// Index of the gripper in the world.
    pub(crate) gripper: usize,
    /// Index of the body in the world; `usize::MAX` if the grip was removed.
    pub(crate) body: usize,
    /// The held place at the end of the step; `None` while the grip is open.
    pub anchor: Option<Anchor>,
    /// The held place at the start of the step.
    pub began: Anchor,
    /// While the grip pulls a place to itself: the place when it closed, and the time of that [s].
    pulling: Option<(Anchor, f64)>,
    /// Distance that a cable has slid through it, positive towards the end of the cable [m].
    pub slid: f64,
    /// Whether a cable is sliding through it.
    pub slides: bool,
    /// Whether the body was pulled out of it: it does not close again.
    pub lost: bool,
    /// Load on the gripper, mean over the last step.
    pub load: Wrench,
}

/// Whether a grip is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum GripState {
    /// Open, before or after the time for which it is to be closed.
    Open,
    /// Closed, and still pulling the place to the gripper.
    Closing,
    /// Closed.
    Closed,
    /// Closed, with a cable sliding through it.
    Sliding,
    /// Open, because the body was pulled out of it.
    Lost,
}

impl GripState {
    /// Whether the grip holds the body, sliding or not.
    pub fn is_closed(self) -> bool {
        matches!(self, GripState::Closing | GripState::Closed | GripState::Sliding)
    }
}

/// The held place in the gripper's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// Position in the gripper's frame [m].
    pub position: Vec3,
    /// Orientation in the gripper's frame: the body's tangent there is this rotation's x axis.
    pub orientation: Quat,
}

impl Anchor {
    /// The gripper's own origin and axes.
    pub const ORIGIN: Anchor = Anchor { position: Vec3::ZERO, orientation: Quat::IDENTITY };

    /// Its pose in the gripper's frame.
    pub fn pose(&self) -> Pose {
        Pose::from_parts(self.position, self.orientation)
    }

    /// The pose a fraction `part` of the way to another.
    fn towards(&self, other: &Anchor, part: f64) -> Anchor {
        let pose = pose_between(&self.pose(), &other.pose(), part);
        Anchor { position: pose.translation, orientation: pose.rotation }
    }
}

impl Grip {
    /// An open grip between a gripper and a body, by index.
    pub(crate) fn new(params: GripParams, gripper: usize, body: usize) -> Grip {
        Grip {
            params,
            gripper,
            body,
            anchor: None,
            began: Anchor::ORIGIN,
            pulling: None,
            slid: 0.0,
            slides: false,
            lost: false,
            load: Wrench::default(),
        }
    }

    /// A copy with the gripper and body handles of another grip.
    pub(crate) fn with_handles_of(&self, other: &Grip) -> Grip {
        let GripParams { gripper, body, .. } = other.params;
        Grip { params: GripParams { gripper, body, ..self.params }, ..*self }
    }

    /// Whether it is to be closed at `time` [s] by its schedule.
    pub fn scheduled_at(&self, time: f64) -> bool {
        !self.lost && within(time, self.params.from, self.params.until)
    }

    /// Close around the place of the body whose pose is `world_from_place`, at `time` [s]; `at_once` for bodies that
    /// cannot be pulled gradually.
    pub fn close(&mut self, world_from_gripper: &Pose, world_from_place: &Pose, time: f64, at_once: bool) {
        let held = world_from_gripper.inv_mul(world_from_place);
        let held = Anchor { position: held.translation, orientation: held.rotation };
        (self.slid, self.slides) = (0.0, false);
        let at_once = at_once || self.params.closing <= 0.0;
        self.began = if self.params.snap && at_once { Anchor::ORIGIN } else { held };
        self.anchor = Some(self.began);
        self.pulling = (self.params.snap && !at_once).then_some((held, time));
    }

    /// Continue pulling, up to the end of a step at `time` [s].
    pub fn pull(&mut self, time: f64) {
        let (Some(anchor), Some((from, since))) = (self.anchor, self.pulling) else {
            self.began = self.anchor.unwrap_or(Anchor::ORIGIN);
            return;
        };
        let part = ((time - since) / self.params.closing).clamp(0.0, 1.0);
        // minimum jerk from rest to rest
        let eased = part * part * part * (10.0 + part * (6.0 * part - 15.0));
        self.began = anchor;
        self.anchor = Some(from.towards(&Anchor::ORIGIN, eased));
        if part >= 1.0 {
            (self.anchor, self.pulling) = (Some(Anchor::ORIGIN), None);
        }
    }

    /// The held place at a fraction of the step; `None` while the grip is open.
    pub fn anchor_at(&self, fraction: f64) -> Option<Anchor> {
        let anchor = self.anchor?;
        Some(if anchor == self.began { anchor } else { self.began.towards(&anchor, fraction) })
    }

    /// Whether it is closed.
    pub fn state(&self) -> GripState {
        match self.anchor {
            None if self.lost => GripState::Lost,
            None => GripState::Open,
            Some(_) if self.slides => GripState::Sliding,
            Some(_) if self.pulling.is_some() => GripState::Closing,
            Some(_) => GripState::Closed,
        }
    }

    /// Open the grip.
    pub fn open(&mut self) {
        (self.anchor, self.pulling) = (None, None);
        self.load = Wrench::default();
    }
}

stored!(Wrench { force, torque });
stored!(Anchor { position, orientation });
stored!(Jaws { stiffness, slips_at, opens_at });
stored_enum!(Hold { 0 => Position {}, 1 => Clamp {}, 2 => TwoPoints {}, 3 => Direction {} });
stored_enum!(Place {
    0 => Fraction { 0: fraction },
    1 => Node { 0: node },
    2 => Point { 0: point },
    3 => Box { low: low, high: high },
});
// handles are valid in one process only: a world that reads these replaces them with its own
stored!(GripParams { gripper, body, place, hold, from, until, snap, closing, jaws });
stored!(Grip { params, gripper, body, anchor, began, pulling, slid, slides, lost, load });
stored!(Load { body, place, force, torque, from, until, rise, fall });
