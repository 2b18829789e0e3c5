//! A body of any model, and the interface through which the world uses it.

use std::mem::take;

use crate::account::{Bound, Level, Work};
use crate::arm::{Arm, ArmState};
use crate::bytes::stored_enum;
use crate::cable::{Cable, CableState};
use crate::chain::{Chain, ChainState};
use crate::check::Checks;
use crate::contact::Obstacle;
use crate::counters::Counters;
use crate::derived::Derived;
use crate::elastica::{Elastica, ElasticaState};
use crate::error::{BuildError, StepError};
use crate::frame::{BodyFrame, Contact, Energy, Event, EventKind};
use crate::grip::{ActingLoad, Grip, GripParams, Gripper, Hold, Jaws, Load, Place};
use crate::lattice::{Lattice, LatticeState};
use crate::linkage::Line;
use crate::material::Friction;
use crate::math::{Pose, Vec3};
use crate::moments::Moments;
use crate::properties::{Change, Properties};
use crate::react::{Giving, Nodes, Skin, Spot};
use crate::response::{Response, ResponseState};
use crate::stop::Stop;
use crate::xpbd::{Xpbd, XpbdState};

/// A body, of one of the models.
#[derive(Clone, Debug)]
// a world has few bodies, and each holds far more on the heap than here
#[allow(clippy::large_enum_variant)]
pub enum Body {
    /// Point masses with stretching and bending forces.
    Chain(Chain),
    /// Rigid links with elastic joints.
    Cable(Cable),
    /// Rigid links with elastic joints, by extended position-based dynamics.
    Xpbd(Xpbd),
    /// A planar rod in angle coordinates.
    Elastica(Elastica),
    /// A solid as particles and connectors.
    Lattice(Lattice),
    /// An elastic solid by its response to impulses.
    Response(Response),
    /// An articulated robot.
    Arm(Arm),
}

/// The state of a body, for snapshots.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyState {
    /// Of a chain.
    Chain(ChainState),
    /// Of a cable.
    Cable(CableState),
    /// Of a rod by extended position-based dynamics.
    Xpbd(XpbdState),
    /// Of a planar rod in angle coordinates.
    Elastica(ElasticaState),
    /// Of a solid as particles and connectors.
    Lattice(LatticeState),
    /// Of an elastic solid by its response to impulses.
    Response(ResponseState),
    /// Of an articulated robot.
    Arm(ArmState),
}

/// Evaluate an expression for the body of any model, all of which have the methods used.
macro_rules! each {
    ($body:expr, $model:ident => $do:expr) => {
        match $body {
            Body::Chain($model) => $do,
            Body::Cable($model) => $do,
            Body::Xpbd($model) => $do,
            Body::Elastica($model) => $do,
            Body::Lattice($model) => $do,
            Body::Response($model) => $do,
            Body::Arm($model) => $do,
        }
    };
}

/// Evaluate an expression for a body and a state of the same model, or another expression if the models differ.
macro_rules! each_with {
    ($body:expr, $given:expr, ($model:ident, $state:ident) => $do:expr, else $other:expr) => {
        match ($body, $given) {
            (Body::Chain($model), BodyState::Chain($state)) => $do,
            (Body::Cable($model), BodyState::Cable($state)) => $do,
            (Body::Xpbd($model), BodyState::Xpbd($state)) => $do,
            (Body::Elastica($model), BodyState::Elastica($state)) => $do,
            (Body::Lattice($model), BodyState::Lattice($state)) => $do,
            (Body::Response($model), BodyState::Response($state)) => $do,
            (Body::Arm($model), BodyState::Arm($state)) => $do,
            _ => $other,
        }
    };
}

/// The surroundings of a body during one step.
pub(crate) struct Surroundings<'a> {
    /// Index of the body itself.
    pub body: usize,
    /// Time at the start of the step [s].
    pub time: f64,
    /// Step size [s].
    pub dt: f64,
    /// Acceleration of gravity [m/s2].
    pub gravity: Vec3,
    /// All obstacles.
    pub obstacles: &'a [Obstacle],
    /// Indices of the obstacles that the body can touch during the step; empty for bodies that are advanced together,
    /// which keep their own.
    pub near: &'a [usize],
    /// All grippers.
    pub grippers: &'a [Gripper],
    /// All grips; a body writes the loads of those that hold it.
    pub grips: &'a mut [Grip],
    /// Speed of the fastest gripper that holds the body [m/s].
    pub pulled: f64,
    /// Where events are added.
    pub events: &'a mut Vec<Event>,
    /// Checked in long loops.
    pub stop: &'a Stop,
}

/// How many obstacles and grips there are, for states that name them by index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct There {
    pub obstacles: usize,
    pub grips: usize,
    /// Number of sensors.
    pub sensors: usize,
}

impl There {
    /// Whether all of these are obstacles.
    pub fn are_obstacles<'a>(&self, mut indices: impl Iterator<Item = &'a usize>) -> bool {
        indices.all(|index| *index < self.obstacles)
    }
}

/// A rod has left an obstacle when its distance exceeds this fraction of its radius: the gap keeps resting contacts
/// from chattering.
pub(crate) const PARTING_GAP: f64 = 0.1;

impl Surroundings<'_> {
    /// Raise events for obstacles that the body began or ceased to touch: contact with the obstacles in `touched` ends
    /// unless it `stays`, and contact with those `near` begins where it `begins`. Updates `touched`.
    pub fn note_touching(
        &mut self,
        touched: &mut Vec<usize>,
        near: &[usize],
        stays: impl Fn(usize) -> bool,
        begins: impl Fn(usize) -> bool,
    ) {
        let (time, body) = (self.time + self.dt, self.body);
        touched.retain(|&obstacle| {
            let stays = stays(obstacle);
            if !stays {
                self.events.push(Event { time, kind: EventKind::Parted { body, obstacle } });
            }
            stays
        });
        for &obstacle in near {
            if !touched.contains(&obstacle) && begins(obstacle) {
                self.events.push(Event { time, kind: EventKind::Touched { body, obstacle } });
                touched.push(obstacle);
            }
        }
    }
}

/// Bounding box of a body, and how far around it obstacles matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Vicinity {
    /// Lower corner of the bounding box [m].
    pub low: Vec3,
    /// Upper corner of the bounding box [m].
    pub high: Vec3,
    /// Distance beyond the box within which it may touch something [m].
    pub reach: f64,
    /// Time for which the obstacles found remain valid [s].
    pub horizon: f64,
}

impl Body {
    /// Name, unique among bodies.
    pub fn name(&self) -> &str {
        each!(self, model => model.name())
    }

    /// Number of points, nodes, particles or segments, whichever determines its cost.
    pub fn size(&self) -> usize {
        each!(self, model => model.size())
    }

    /// Contact radius of a rod [m]; zero for a solid.
    pub fn radius(&self) -> f64 {
        match self {
            Body::Chain(chain) => chain.radius(),
            Body::Cable(cable) => cable.radius(),
            Body::Xpbd(rod) => rod.radius(),
            Body::Elastica(rod) => rod.radius(),
            Body::Lattice(_) | Body::Response(_) | Body::Arm(_) => 0.0,
        }
    }

    /// Unloaded length of a rod [m]; zero for a solid.
    pub fn length(&self) -> f64 {
        match self {
            Body::Chain(chain) => chain.length(),
            Body::Cable(cable) => cable.line().rest_length(),
            Body::Xpbd(rod) => rod.line().rest_length(),
            Body::Elastica(rod) => rod.length(),
            Body::Lattice(_) | Body::Response(_) | Body::Arm(_) => 0.0,
        }
    }

    /// Whether it is a rod whose end is joined to its start.
    pub fn is_closed(&self) -> bool {
        match self {
            Body::Cable(cable) => cable.line().closed,
            Body::Chain(_)
            | Body::Xpbd(_)
            | Body::Elastica(_)
            | Body::Lattice(_)
            | Body::Response(_)
            | Body::Arm(_) => false,
        }
    }

    /// Whether it is a solid: it then has places in space and a surface of facets.
    pub fn is_solid(&self) -> bool {
        self.model().is_solid()
    }

    /// Parameters that the model derived from material and settings, with the reason for each.
    pub fn derived(&self) -> &[Derived] {
        each!(self, model => model.derived())
    }

    /// Work of its solver since it was built.
    pub fn counters(&self) -> Counters {
        each!(self, model => model.counters())
    }

    /// Approximate number of inner steps in a step of the world of `dt` [s].
    pub fn expected_steps(&self, dt: f64) -> f64 {
        match self {
            Body::Chain(chain) => (dt * chain.rate()).round().max(1.0),
            Body::Elastica(rod) => rod.expected_steps(dt),
            Body::Lattice(solid) => solid.expected_steps(dt),
            Body::Response(solid) => (dt / solid.sample()).round().max(1.0),
            Body::Cable(_) | Body::Arm(_) => 1.0,
            Body::Xpbd(rod) => rod.sweeps() as f64,
        }
    }

    /// Mass [kg], centre of mass [m] and inertia matrix [kg m2] in world axes, from the current mass distribution of
    /// the model.
    pub fn moments(&self) -> Moments {
        each!(self, model => model.moments())
    }

    /// Pose of a place in the world: its position, and a rotation whose x axis is the tangent. Fails if the body has no
    /// such place.
    pub fn place_pose(&self, place: Place) -> Result<Pose, BuildError> {
        self.find_place(place, &mut vec![])
    }

    /// Pose of a place as [`Body::place_pose`] gives it, with working memory for the nodes of a surface.
    pub(crate) fn find_place(&self, place: Place, surface: &mut Vec<Vec3>) -> Result<Pose, BuildError> {
        self.check_place(place)?;
        match self {
            Body::Chain(chain) => chain.place_pose(place),
            Body::Cable(cable) => cable.place_pose(place),
            Body::Xpbd(rod) => rod.place_pose(place),
            Body::Elastica(rod) => rod.place_pose(place),
            Body::Lattice(solid) => solid.place_pose(place),
            Body::Response(solid) => solid.place_pose(place, surface),
            Body::Arm(arm) => arm.place_pose(place),
        }
    }

    /// Reject a place that bodies of this kind do not have.
    fn check_place(&self, place: Place) -> Result<(), BuildError> {
        if let Body::Arm(_) = self {
            let why = "nothing holds or loads an arm but what its links carry".into();
            return Err(BuildError::NoSuchPlace { body: self.name().into(), place: "place".into(), why });
        }
        let finite = "its numbers must be finite";
        let (place, why) = match place {
            Place::Fraction(f) if !(0.0..=1.0).contains(&f) => {
                (format!("place at {f} of its length"), "it goes from 0 at the start to 1 at the end")
            }
            Place::Point(p) if !self.is_solid() => {
                (format!("place at the point {p}"), "only solids have places in space: say where along it")
            }
            Place::Box { .. } if !self.is_solid() => {
                ("place in a box".into(), "only solids have places in space: say where along it")
            }
            Place::Point(p) if !p.is_finite() => (format!("place at the point {p}"), finite),
            Place::Box { low, high } if low.is_nan() || high.is_nan() => {
                (format!("place in the box from {low} to {high}"), finite)
            }
            _ => return Ok(()),
        };
        Err(BuildError::NoSuchPlace { body: self.name().into(), place, why: why.into() })
    }

    /// The error for something that the model does not support.
    fn cannot(&self, cannot: impl Into<String>, instead: &'static str, field: Option<&'static str>) -> BuildError {
        let (body, model, cannot) = (self.name().into(), self.model().name(), cannot.into());
        BuildError::Cannot { body, model, cannot, instead, field }
    }

    /// Reject a hold that the model does not support.
    pub(crate) fn check_hold(&self, hold: Hold) -> Result<(), BuildError> {
        match (self, hold) {
            (Body::Arm(_), _) => {
                Err(self.cannot("is held by no gripper", "let it carry one, or hold what is joined to it", None))
            }
            (Body::Elastica(_), _) | (_, Hold::Position | Hold::Clamp | Hold::TwoPoints) => Ok(()),
            (_, Hold::Direction) => Err(self.cannot(
                "cannot be held by its direction alone",
                "hold its position too, or make it an elastica",
                Some("orientation"),
            )),
        }
    }

    /// Whether grips close on it within a step, instead of over a time.
    pub(crate) fn is_held_at_once(&self) -> bool {
        matches!(self, Body::Elastica(_) | Body::Lattice(_) | Body::Response(_))
    }

    /// Whether an obstacle touches it as a finger does, at a point that slides over its surface and cannot come inside.
    pub(crate) fn touches_as_finger(&self, obstacle: &Obstacle) -> bool {
        matches!(self, Body::Response(solid) if solid.is_finger(obstacle))
    }

    /// Whether a grip that closes on it where it is does work. A `response` body gains energy in that step, presumably since
    /// the modes it leaves out have no mass and follow the force of the grip at once.
    pub(crate) fn gives_way_to_grips(&self) -> bool {
        matches!(self, Body::Response(_))
    }

    /// Reject jaws that the model does not support.
    pub(crate) fn check_jaws(&self, grip: &GripParams) -> Result<(), BuildError> {
        let Jaws { stiffness, slips_at, opens_at } = grip.jaws;
        for (what, value) in [("stiffness", stiffness), ("slips_at", slips_at), ("opens_at", opens_at)] {
            Checks(self.name()).that(value > 0.0, what, "positive", value)?;
        }
        let (gives, slips) = (stiffness.is_finite(), slips_at.is_finite());
        match self {
            Body::Cable(cable) if slips && cable.is_linear() => Err(self.cannot(
                "cannot slide through a grip in its linear step",
                "choose another step",
                Some("slips_at"),
            )),
            Body::Cable(_) if slips && !matches!(grip.hold, Hold::Clamp | Hold::TwoPoints) => Err(self.cannot(
                "slides only through jaws that hold its direction",
                "set orientation = true",
                Some("slips_at"),
            )),
            Body::Cable(_) => Ok(()),
            _ if slips => Err(self.cannot("cannot slide through a grip", "make it a cable", Some("slips_at"))),
            _ if gives => {
                Err(self.cannot("cannot be held by jaws that give way", "make it a cable", Some("stiffness")))
            }
            _ => Ok(()),
        }
    }

    /// Reject a load that the model does not support.
    pub(crate) fn check_load(&self, load: &Load) -> Result<(), BuildError> {
        match self {
            Body::Arm(_) => Err(self.cannot("takes no loads", "drive its joints, or load what is joined to it", None)),
            Body::Chain(_) if load.torque != Vec3::ZERO => {
                Err(self.cannot("knows no torsion and takes no torque", "make it a cable, or load it by forces", None))
            }
            _ if self.is_solid() && load.torque != Vec3::ZERO && !matches!(load.place, Place::Box { .. }) => {
                Err(self.cannot("takes no torque at a single node", "let it act on a box of nodes", Some("at")))
            }
            _ => Ok(()),
        }
    }

    /// Reject the friction of an obstacle's surface if the model does not support its law.
    pub(crate) fn check_friction(&self, name: &str, friction: Friction) -> Result<(), BuildError> {
        if self.is_solid() { friction.check_coulomb(self.name(), self.model().name(), name) } else { Ok(()) }
    }

    /// The rod of the model `elastica`; for other models an error that says what they cannot do.
    pub(crate) fn as_elastica(&mut self, cannot: &str) -> Result<&mut Elastica, BuildError> {
        match self {
            Body::Elastica(rod) => Ok(rod),
            other => Err(other.cannot(cannot, "make it an elastica", Some("model"))),
        }
    }

    /// The arm, if it is one.
    pub(crate) fn as_arm(&self) -> Option<&Arm> {
        if let Body::Arm(arm) = self { Some(arm) } else { None }
    }

    /// The arm to be changed, if it is one.
    pub(crate) fn as_arm_mut(&mut self) -> Option<&mut Arm> {
        if let Body::Arm(arm) = self { Some(arm) } else { None }
    }

    /// Whether it finds its equilibrium alone before the first step.
    pub(crate) fn begins_settled(&self) -> bool {
        matches!(self, Body::Elastica(rod) if rod.begins_settled())
    }

    /// Reject a start inside an obstacle, for models that cannot get out of one.
    pub(crate) fn check_start(&mut self, around: &Surroundings<'_>) -> Result<(), BuildError> {
        match self {
            Body::Elastica(rod) => rod.check_start(around),
            Body::Response(solid) => solid.check_start(around.obstacles),
            Body::Chain(_) | Body::Cable(_) | Body::Xpbd(_) | Body::Lattice(_) | Body::Arm(_) => Ok(()),
        }
    }

    /// Whether it touches itself, for models that handle this alone: `Some` if it is close to itself somewhere, with
    /// whether a force acts there.
    pub(crate) fn is_at_itself(&self) -> Option<bool> {
        if let Body::Elastica(rod) = self { rod.is_at_itself() } else { None }
    }

    /// Number of nodes among which [`Body::find_place`] looks for a place in space.
    pub(crate) fn places_in_space(&self) -> usize {
        if let Body::Response(solid) = self { solid.size() } else { 0 }
    }

    /// Move the points of a chain [m], which is then at rest; their number must stay the same.
    pub(crate) fn set_points(&mut self, points: &[Vec3]) -> Result<(), BuildError> {
        match self {
            Body::Chain(chain) => chain.set_points(points),
            other => Err(other.cannot("cannot be given another shape by its points", "make it a chain", None)),
        }
    }

    /// Properties that can be changed between steps, by [`World::change`](crate::World::change).
    pub fn properties(&self) -> Properties {
        each!(self, model => model.properties())
    }

    /// Change a property; false if it has this value already.
    pub(crate) fn change(&mut self, change: Change) -> Result<bool, BuildError> {
        let now = self.properties();
        let Some(then) = now.with(change) else {
            let cannot = format!("cannot be given another {} while it moves", change.what());
            return Err(self.cannot(cannot, "build it anew with the one it is to have", None));
        };
        if then == now {
            return Ok(false);
        }
        let then = if let Body::Lattice(solid) = self { solid.following(then) } else { then };
        self.adopt(&then)?;
        Ok(true)
    }

    /// Set all properties, which must be those of this body, see [`Properties::are_those_of`]. On failure the body is
    /// unchanged.
    pub(crate) fn adopt(&mut self, properties: &Properties) -> Result<(), BuildError> {
        each!(self, model => model.adopt(properties))
    }

    /// Lower and upper corner of its bounding box in the world [m].
    pub fn bounds(&self) -> [Vec3; 2] {
        let Vicinity { low, high, .. } = self.vicinity(0.0, Vec3::ZERO, 0.0);
        [low, high]
    }

    /// The links in their current poses, for rods that consist of links.
    pub(crate) fn line(&self) -> Option<Line<'_>> {
        match self {
            Body::Cable(cable) => Some(cable.line()),
            Body::Xpbd(rod) => Some(rod.line()),
            _ => None,
        }
    }

    /// How far a rod of links is from the lines between its nodes [m], at most, and the largest angle between two links
    /// [rad]. What touches are the links; where the rod bends sharply for the length of its segments, they differ.
    pub fn beside_nodes(&self) -> Option<(f64, f64)> {
        let line = self.line().filter(|line| line.poses.len() > 1)?;
        let joints = line.poses.len() - usize::from(!line.closed);
        let sharpest = (0..joints).map(|joint| line.curvature(joint)).fold(0.0, f64::max);
        Some((line.beside_nodes(), sharpest * line.length))
    }

    /// Write its shape, fields and energies into a frame.
    pub fn write_frame(&self, gravity: Vec3, frame: &mut BodyFrame) {
        let mut nodes = Nodes { places: take(&mut frame.nodes), velocities: take(&mut frame.velocities) };
        self.show(&mut nodes);
        (frame.nodes, frame.velocities) = (nodes.places, nodes.velocities);
        frame.joints.clear();
        each!(self, model => model.write_frame(gravity, frame));
    }

    /// Write the positions of its nodes in the world [m], those of a frame, for callers that need nothing else.
    pub fn write_nodes(&self, places: &mut Vec<Vec3>) {
        if let Some(line) = self.line() {
            return line.write_nodes(places);
        }
        let mut nodes = Nodes { places: take(places), velocities: vec![] };
        self.show(&mut nodes);
        *places = nodes.places;
    }

    /// Energies [J] in a gravity of [m/s2].
    pub fn energy(&self, gravity: Vec3) -> Energy {
        each!(self, model => model.energy(gravity))
    }

    /// Work done on it in the last step.
    pub(crate) fn work(&self) -> Work {
        each!(self, model => model.work())
    }

    /// Energy at the end of the last step, including what contacts and holds store.
    pub(crate) fn level(&self, gravity: Vec3) -> Level {
        match self {
            // evaluates the joint strains once for all energies
            Body::Cable(cable) => cable.level(gravity),
            // chains without inertia have no energy
            Body::Chain(chain) if !chain.has_inertia() => Level::default(),
            _ => {
                let Energy { kinetic, elastic, gravity } = self.energy(gravity);
                Level { kinetic, elastic, gravity, stored: each!(self, model => model.stored()) }
            }
        }
    }

    /// Bound on the energy that a step may create.
    pub fn may_create(&self) -> Bound {
        each!(self, model => model.may_create())
    }

    /// What to do if a step creates more.
    pub(crate) fn against_gain(&self) -> &'static str {
        match self {
            Body::Elastica(rod) => rod.against_gain(),
            _ => crate::account::AGAINST_GAIN,
        }
    }

    /// Mass [kg].
    pub fn mass(&self) -> f64 {
        each!(self, model => model.mass())
    }

    /// Append its contacts; `index` is that of the body.
    pub fn write_contacts(&self, index: usize, obstacles: &[Obstacle], contacts: &mut Vec<Contact>) {
        each!(self, model => model.write_contacts(index, obstacles, contacts));
    }

    /// Preallocate for grips, loads and obstacles, so that a step does not allocate.
    pub(crate) fn reserve(&mut self, grips: usize, loads: usize, obstacles: usize) {
        each!(self, model => model.reserve(grips, loads, obstacles));
    }

    /// Set the grips that hold the body and the loads that act on it at `time` [s]; `index` is that of the body.
    pub(crate) fn prepare(&mut self, index: usize, time: f64, grips: &[Grip], loads: &[ActingLoad]) {
        each!(self, model => model.prepare(index, time, grips, loads));
    }

    /// Bounding box and reach for a step of `dt` [s], when grippers pull it at a speed of `pulled` [m/s].
    pub(crate) fn vicinity(&self, dt: f64, gravity: Vec3, pulled: f64) -> Vicinity {
        each!(self, model => model.vicinity(dt, gravity, pulled))
    }

    /// Advance by a step of the world, for a body that belongs to no group: the others are advanced by their group.
    pub(crate) fn advance(&mut self, around: &mut Surroundings<'_>) -> Result<(), StepError> {
        match self {
            Body::Chain(chain) => chain.advance(around),
            Body::Xpbd(rod) => rod.advance(around),
            Body::Elastica(rod) => rod.advance(around),
            Body::Response(solid) => solid.advance(around),
            Body::Cable(_) | Body::Lattice(_) | Body::Arm(_) => Ok(()),
        }
    }

    /// Prepare for a step of the world that the body's group makes.
    pub(crate) fn get_ready(&mut self, around: &mut Surroundings<'_>) {
        match self {
            Body::Cable(cable) => cable.get_ready(around),
            Body::Lattice(solid) => solid.get_ready(around),
            Body::Arm(arm) => arm.get_ready(around),
            Body::Chain(_) | Body::Xpbd(_) | Body::Elastica(_) | Body::Response(_) => {}
        }
    }

    /// Check the step of bodies that were advanced together with others.
    pub(crate) fn check(&mut self, around: &mut Surroundings<'_>) -> Result<(), StepError> {
        match self {
            Body::Cable(cable) => cable.check(around),
            Body::Lattice(solid) => solid.check(around),
            Body::Arm(arm) => arm.check(around),
            _ => Ok(()),
        }
    }

    /// Finish the step of bodies that were advanced together with others, when all succeeded.
    pub(crate) fn finish(&mut self, around: &mut Surroundings<'_>) {
        match self {
            Body::Cable(cable) => {
                // arms have moved what holds it
                cable.aim(around);
                cable.finish(around);
            }
            Body::Lattice(solid) => solid.finish(around),
            Body::Arm(arm) => arm.finish(),
            _ => {}
        }
    }

    /// Save the state before a step, in preallocated memory.
    pub(crate) fn keep(&mut self) {
        each!(self, model => model.keep());
    }

    /// Return to the state saved before a step that has failed.
    pub(crate) fn undo(&mut self) {
        each!(self, model => model.undo());
    }

    /// The constant part of its outline, for contact with bodies of other models.
    pub(crate) fn skin(&self) -> Skin<'_> {
        each!(self, model => model.skin())
    }

    /// Write the current nodes of its outline.
    pub(crate) fn show(&self, nodes: &mut Nodes) {
        nodes.clear();
        each!(self, model => model.show(nodes));
    }

    /// Write the compliance of these nodes against a force that lasts for `dt` [s].
    pub(crate) fn give_way(&self, dt: f64, giving: &mut Giving) {
        giving.clear();
        each!(self, model => model.give_way(dt, giving));
    }

    /// Apply a force [N] during the next step, in addition to grips and loads. Call it after `prepare`, which clears
    /// such forces.
    pub(crate) fn push(&mut self, spot: Spot, force: Vec3) {
        each!(self, model => model.push(spot, force));
    }

    /// Update obstacle indices after the removal of an obstacle: those after it move up.
    pub(crate) fn forget_obstacle(&mut self, gone: usize) {
        each!(self, model => model.forget_obstacle(gone));
    }

    /// The place nearest to a point in the world [m], and its distance from there [m]. Allocates.
    pub(crate) fn nearest_place(&self, point: Vec3, nodes: &mut Nodes) -> Option<(Place, f64)> {
        if let Body::Arm(_) = self {
            return None;
        }
        self.show(nodes);
        if self.is_solid() {
            let nearest = nodes.places.iter().min_by(|a, b| a.distance(point).total_cmp(&b.distance(point)))?;
            return Some((Place::Point(*nearest), nearest.distance(point)));
        }
        let (mut best, mut least) = (0.0, f64::INFINITY);
        let pieces = nodes.places.len().checked_sub(1)?;
        for (n, ends) in nodes.places.windows(2).enumerate() {
            let way = ends[1] - ends[0];
            let along = ((point - ends[0]).dot(way) / way.length_squared()).clamp(0.0, 1.0);
            let distance = (ends[0] + along * way).distance(point);
            if distance < least {
                (best, least) = ((n as f64 + along) / pieces as f64, distance);
            }
        }
        Some((Place::Fraction(best), least))
    }

    /// A copy of the state.
    pub(crate) fn state(&self) -> BodyState {
        match self {
            Body::Chain(chain) => BodyState::Chain(chain.state().clone()),
            Body::Cable(cable) => BodyState::Cable(cable.state().clone()),
            Body::Xpbd(rod) => BodyState::Xpbd(rod.state().clone()),
            Body::Elastica(rod) => BodyState::Elastica(rod.state().clone()),
            Body::Lattice(solid) => BodyState::Lattice(solid.state().clone()),
            Body::Response(solid) => BodyState::Response(solid.state().clone()),
            Body::Arm(arm) => BodyState::Arm(arm.state().clone()),
        }
    }

    /// Copy the state into `to`, without allocating where that is of the same model and size.
    pub(crate) fn save(&self, to: &mut BodyState) {
        each_with!(self, &mut *to, (model, state) => model.save(state), else *to = self.state());
    }

    /// Whether a state belongs to a body like this, and names nothing that is not there.
    pub(crate) fn fits(&self, state: &BodyState, there: &There) -> bool {
        each_with!(self, state, (model, state) => model.fits(state, there), else false)
    }

    /// Restore a state from [`Body::state`], if it fits.
    pub(crate) fn set_state(&mut self, state: &BodyState) {
        each_with!(self, state, (model, state) => model.set_state(state), else ());
    }
}

stored_enum!(BodyState {
    0 => Chain { 0: state },
    1 => Cable { 0: state },
    2 => Xpbd { 0: state },
    3 => Elastica { 0: state },
    4 => Lattice { 0: state },
    5 => Response { 0: state },
    6 => Arm { 0: state },
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_parted_is_told_before_what_was_touched() {
        let mut events = vec![];
        let mut around = Surroundings {
            body: 3,
            time: 1.0,
            dt: 0.5,
            gravity: Vec3::ZERO,
            obstacles: &[],
            near: &[0, 1, 2, 4],
            grippers: &[],
            grips: &mut [],
            pulled: 0.0,
            events: &mut events,
            stop: &Stop::default(),
        };
        let mut touched = vec![4, 2, 7];
        // 4 stays without force, 0 and 1 begin, and 9 does not begin because it is not near
        around.note_touching(&mut touched, around.near, |o| o == 4, |o| [0, 1, 9].contains(&o));
        assert_eq!(touched, [4, 0, 1]);
        let (parted, begun) =
            (|obstacle| EventKind::Parted { body: 3, obstacle }, |obstacle| EventKind::Touched { body: 3, obstacle });
        let kinds = [parted(2), parted(7), begun(0), begun(1)];
        assert_eq!(events, kinds.map(|kind| Event { time: 1.5, kind }));
    }
}
