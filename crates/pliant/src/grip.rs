//! Grippers and what they hold. A grip ties one place of a body to the frame of a gripper.

use std::sync::Arc;

use crate::bytes::{stored, stored_enum};
use crate::handle::{BodyId, GripperId};
use crate::material::Friction;
use crate::math::{Pose, Quat, Vec3, pose_between};
use crate::motion::{Drive, Motion, Sweep};

/// What a gripper is, frozen when the world is built.
#[derive(Clone, Debug)]
pub struct GripperParams {
    /// Name, unique among grippers.
    pub name: String,
    /// Pose at time zero.
    pub placed: Pose,
    /// Motion from there.
    pub motion: Motion,
}

impl GripperParams {
    /// A gripper that stays where it is put until it is driven.
    pub fn at(name: &str, placed: Pose) -> GripperParams {
        GripperParams { name: name.into(), placed, motion: Motion::Hold }
    }
}

/// A gripper: where it is, and the load its grips put on it.
#[derive(Clone, Debug)]
pub struct Gripper {
    /// What it is, shared by all clones of a world.
    pub params: Arc<GripperParams>,
    /// Poses at the start and end of the last step.
    pub sweep: Sweep,
    /// Who moves it.
    pub drive: Drive,
    /// Load of all its grips, mean over the last step.
    pub load: Wrench,
}

/// A force and a torque: what the bodies exert on a gripper, in world axes, the torque about the gripper's origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// Force [N].
    pub force: Vec3,
    /// Torque about the gripper's origin [N m].
    pub torque: Vec3,
}

impl std::ops::AddAssign for Wrench {
    fn add_assign(&mut self, other: Wrench) {
        self.force += other.force;
        self.torque += other.torque;
    }
}

impl Gripper {
    /// A gripper at its pose at a time [s].
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

/// A fingertip: a ball about a gripper's origin that touches bodies. What they exert on it is a load of the gripper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FingerParams {
    /// The gripper.
    pub gripper: GripperId,
    /// Radius [m].
    pub radius: f64,
    /// Friction of its surface; `None` leaves it to the body that touches it.
    pub friction: Option<Friction>,
}

/// A place of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// At a fraction of the rest length, 0 at the start and 1 at the end.
    Fraction(f64),
    /// At a point (node) of the model, counted from 0.
    Node(usize),
    /// The particle of a solid that is nearest to a point of the world [m].
    Point(Vec3),
    /// All particles of a solid in a box of the world.
    Box {
        /// Lower corner [m].
        low: Vec3,
        /// Upper corner [m].
        high: Vec3,
    },
}

impl Place {
    /// Which fraction of a slender body it is, of so many intervals. It has no places in space: they are refused before.
    pub(crate) fn along(self, intervals: usize) -> f64 {
        match self {
            Place::Fraction(fraction) => fraction,
            Place::Node(node) => node as f64 / intervals as f64,
            Place::Point(_) | Place::Box { .. } => 0.0,
        }
    }
}

/// What a grip holds fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// The position; a rod may turn freely in the grip. A solid is held by all its nodes there, whatever of these is said: it
    /// turns freely about a single one.
    Position,
    /// Position and direction, as jaws at that very place would.
    Clamp,
    /// Position and direction through two neighbouring points of the model, as in Kahl and Henrich, Fig. 14. Models
    /// other than the chain know no such points, and clamp.
    TwoPoints,
    /// The direction; the body may move freely. Only rods of the model `elastica` know that.
    Direction,
}

/// What a grip is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GripParams {
    /// The gripper.
    pub gripper: GripperId,
    /// The body.
    pub body: BodyId,
    /// Where on the body.
    pub place: Place,
    /// What it holds.
    pub hold: Hold,
    /// When it closes [s].
    pub from: f64,
    /// When it opens [s]; may be infinite.
    pub until: f64,
    /// Pull the place to the gripper's origin (and its direction to the gripper's x axis) instead of
    /// keeping the offset it has when the grip closes.
    pub snap: bool,
    /// How long it takes to pull it there [s]; solids, and rods of the model `elastica`, whose grips are constraints, are
    /// pulled at once.
    pub closing: f64,
    /// What its jaws can bear.
    pub jaws: Jaws,
}

impl GripParams {
    /// A tenth of a second, about what the jaws of a gripper take to close.
    pub const CLOSING: f64 = 0.1;

    /// A grip that holds a place from the start and for good, where it is, with jaws that bear all.
    pub fn new(gripper: GripperId, body: BodyId, place: Place, hold: Hold) -> GripParams {
        let (from, until, snap, closing) = (0.0, f64::INFINITY, false, GripParams::CLOSING);
        GripParams { gripper, body, place, hold, from, until, snap, closing, jaws: Jaws::FIRM }
    }
}

/// What the jaws of a grip can bear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jaws {
    /// With what stiffness they give way, in any direction [N/m]; may be infinite.
    pub stiffness: f64,
    /// A cable that is pulled along itself by more than this slides through them [N]; may be infinite.
    pub slips_at: f64,
    /// What is pulled by more than this comes out of them [N]; may be infinite.
    pub opens_at: f64,
}

impl Jaws {
    /// Jaws that bear all.
    pub const FIRM: Jaws = Jaws { stiffness: f64::INFINITY, slips_at: f64::INFINITY, opens_at: f64::INFINITY };
}

/// A dead load: a force and a torque that keep their direction in the world, and but for when they begin and end their size,
/// at a place of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// The body.
    pub body: BodyId,
    /// Where on the body.
    pub place: Place,
    /// Force [N].
    pub force: Vec3,
    /// Torque [N m].
    pub torque: Vec3,
    /// When it starts [s].
    pub from: f64,
    /// When it ends [s]; may be infinite.
    pub until: f64,
    /// How long it takes from its start to its full size, growing evenly [s].
    pub rise: f64,
    /// How long it takes from its full size to its end, falling evenly [s].
    pub fall: f64,
}

impl Load {
    /// A force that acts from the start and for good, with its full size at once [N].
    pub fn new(body: BodyId, place: Place, force: Vec3) -> Load {
        Load { body, place, force, torque: Vec3::ZERO, from: 0.0, until: f64::INFINITY, rise: 0.0, fall: 0.0 }
    }

    /// The load on the body of that index, with the size that it has at `time`.
    pub(crate) fn sized_at(&self, body: usize, time: f64) -> ActingLoad {
        let since = |passed: f64, takes: f64| if takes > 0.0 { (passed / takes).clamp(0.0, 1.0) } else { 1.0 };
        let part = since(time - self.from, self.rise).min(since(self.until - time, self.fall));
        let Load { place, from, until, .. } = *self;
        ActingLoad { body, place, force: self.force * part, torque: self.torque * part, from, until }
    }

    /// Whether it acts at `time`.
    pub fn acts_at(&self, time: f64) -> bool {
        within(time, self.from, self.until)
    }
}

/// A load with its size in the step at hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ActingLoad {
    /// Index of the body; that of none where the load was taken away.
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
    /// Whether it acts at `time`.
    pub fn acts_at(&self, time: f64) -> bool {
        within(time, self.from, self.until)
    }
}

/// Times are sums of steps: one that should be equal may fall short by rounding.
fn within(time: f64, from: f64, until: f64) -> bool {
    const SLACK: f64 = 1e-9;
    time + SLACK >= from && time + SLACK < until
}

/// A grip and its state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// What it is.
    pub params: GripParams,
    /// Index of the gripper in the world.
    pub(crate) gripper: usize,
    /// Index of the body in the world; that of none where the grip was taken away.
    pub(crate) body: usize,
    /// What it holds while closed, at the end of the step.
    pub anchor: Option<Anchor>,
    /// The same at the start of the step.
    pub began: Anchor,
    /// While it pulls a place to itself: where that was when the grip closed, and when that was [s].
    pulling: Option<(Anchor, f64)>,
    /// How far a cable has slid through it, towards its own end [m].
    pub slid: f64,
    /// Whether it slides.
    pub slides: bool,
    /// Whether it was lost: it does not close again.
    pub lost: bool,
    /// Load on the gripper, mean over the last step.
    pub load: Wrench,
}

/// The held place as seen from the gripper.
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

    /// A part of the way to another.
    fn towards(&self, other: &Anchor, part: f64) -> Anchor {
        let pose = pose_between(&self.pose(), &other.pose(), part);
        Anchor { position: pose.translation, orientation: pose.rotation }
    }
}

impl Grip {
    /// An open grip of a gripper and a body, by their indices.
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

    /// The same, with the handles of another.
    pub(crate) fn with_handles_of(&self, other: &Grip) -> Grip {
        let GripParams { gripper, body, .. } = other.params;
        Grip { params: GripParams { gripper, body, ..self.params }, ..*self }
    }

    /// Whether the schedule wants it closed at `time`.
    pub fn scheduled_at(&self, time: f64) -> bool {
        !self.lost && within(time, self.params.from, self.params.until)
    }

    /// Close around a place of the body whose pose is `world_from_place`, at a time [s]; `at_once` where the body cannot be
    /// pulled by and by.
    pub fn close(&mut self, world_from_gripper: &Pose, world_from_place: &Pose, time: f64, at_once: bool) {
        let held = world_from_gripper.inv_mul(world_from_place);
        let held = Anchor { position: held.translation, orientation: held.rotation };
        (self.slid, self.slides) = (0.0, false);
        let at_once = at_once || self.params.closing <= 0.0;
        self.began = if self.params.snap && at_once { Anchor::ORIGIN } else { held };
        self.anchor = Some(self.began);
        self.pulling = (self.params.snap && !at_once).then_some((held, time));
    }

    /// Go on with pulling, to the end of a step at a time [s].
    pub fn pull(&mut self, time: f64) {
        let (Some(anchor), Some((from, since))) = (self.anchor, self.pulling) else {
            self.began = self.anchor.unwrap_or(Anchor::ORIGIN);
            return;
        };
        let part = ((time - since) / self.params.closing).clamp(0.0, 1.0);
        // the least jerk from rest to rest
        let eased = part * part * part * (10.0 + part * (6.0 * part - 15.0));
        self.began = anchor;
        self.anchor = Some(from.towards(&Anchor::ORIGIN, eased));
        if part >= 1.0 {
            (self.anchor, self.pulling) = (Some(Anchor::ORIGIN), None);
        }
    }

    /// What it holds at a fraction of the step; none while it is open.
    pub fn anchor_at(&self, fraction: f64) -> Option<Anchor> {
        let anchor = self.anchor?;
        Some(if anchor == self.began { anchor } else { self.began.towards(&anchor, fraction) })
    }

    /// Let go.
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
// handles are of one process: a world that takes these over gives them its own
stored!(GripParams { gripper, body, place, hold, from, until, snap, closing, jaws });
stored!(Grip { params, gripper, body, anchor, began, pulling, slid, slides, lost, load });
stored!(Load { body, place, force, torque, from, until, rise, fall });
