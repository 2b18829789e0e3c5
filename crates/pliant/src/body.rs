//! A body of any model, and what the world asks of it.

use crate::account::{Bound, Level, Work};
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

/// A body: one of the models.
#[derive(Clone, Debug)]
// a world has few bodies, and each holds far more on the heap than here
#[allow(clippy::large_enum_variant)]
pub enum Body {
    /// Points with contraction and bending forces.
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
}

/// The part of a body that changes, for snapshots.
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
}

/// The same of a body, whatever its model: every model has these methods.
macro_rules! each {
    ($body:expr, $model:ident => $do:expr) => {
        match $body {
            Body::Chain($model) => $do,
            Body::Cable($model) => $do,
            Body::Xpbd($model) => $do,
            Body::Elastica($model) => $do,
            Body::Lattice($model) => $do,
            Body::Response($model) => $do,
        }
    };
}

/// The same of a body and a state of its model, or else something other.
macro_rules! each_with {
    ($body:expr, $given:expr, ($model:ident, $state:ident) => $do:expr, else $other:expr) => {
        match ($body, $given) {
            (Body::Chain($model), BodyState::Chain($state)) => $do,
            (Body::Cable($model), BodyState::Cable($state)) => $do,
            (Body::Xpbd($model), BodyState::Xpbd($state)) => $do,
            (Body::Elastica($model), BodyState::Elastica($state)) => $do,
            (Body::Lattice($model), BodyState::Lattice($state)) => $do,
            (Body::Response($model), BodyState::Response($state)) => $do,
            _ => $other,
        }
    };
}

/// What surrounds a body during one step.
pub(crate) struct Surroundings<'a> {
    /// Index of the body itself.
    pub body: usize,
    /// Time at the start of the step [s].
    pub time: f64,
    /// Length of the step [s].
    pub dt: f64,
    /// Acceleration of gravity [m/s2].
    pub gravity: Vec3,
    /// All obstacles.
    pub obstacles: &'a [Obstacle],
    /// Indices of the obstacles that the body can touch during the step; none when bodies advance together, which keep their own.
    pub near: &'a [usize],
    /// All grippers.
    pub grippers: &'a [Gripper],
    /// All grips; a body writes the load of its own.
    pub grips: &'a mut [Grip],
    /// Speed of the fastest gripper that holds the body [m/s].
    pub pulled: f64,
    /// Where to tell what happens.
    pub events: &'a mut Vec<Event>,
    /// Whether to stop.
    pub stop: &'a Stop,
}

/// A rod has left an obstacle when it is farther away than this part of its radius, so that what rests does not chatter.
pub(crate) const PARTING_GAP: f64 = 0.1;

impl Surroundings<'_> {
    /// Tell which obstacles the body began or ceased to touch: `touched` are those it touched, of which some `stay`, and
    /// contact with those `near` may begin.
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

/// Where a body is and how far around it obstacles matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Vicinity {
    /// Lower corner of a box that holds the body [m].
    pub low: Vec3,
    /// Upper corner [m].
    pub high: Vec3,
    /// How far beyond the box it may touch something [m].
    pub reach: f64,
    /// How long it goes on with what it has found [s].
    pub horizon: f64,
}

impl Body {
    /// Name, unique among bodies.
    pub fn name(&self) -> &str {
        each!(self, model => model.name())
    }

    /// Number of points, nodes, particles or segments: what its cost grows with.
    pub fn size(&self) -> usize {
        each!(self, model => model.size())
    }

    /// Radius of a rod [m]; zero of a solid.
    pub fn radius(&self) -> f64 {
        match self {
            Body::Chain(chain) => chain.radius(),
            Body::Cable(cable) => cable.radius(),
            Body::Xpbd(rod) => rod.radius(),
            Body::Elastica(rod) => rod.radius(),
            Body::Lattice(_) | Body::Response(_) => 0.0,
        }
    }

    /// Whether it is a solid: it has places in space and a surface of facets.
    pub fn is_solid(&self) -> bool {
        self.model().is_solid()
    }

    /// What the model derived from material and settings, with the reason for each.
    pub fn derived(&self) -> &[Derived] {
        each!(self, model => model.derived())
    }

    /// What its solver has done so far.
    pub fn counters(&self) -> Counters {
        each!(self, model => model.counters())
    }

    /// About how many steps of its own it takes in a step of the world of `dt` [s].
    pub fn expected_steps(&self, dt: f64) -> f64 {
        match self {
            Body::Chain(chain) => (dt * chain.rate()).round().max(1.0),
            Body::Elastica(rod) => rod.expected_steps(dt),
            Body::Lattice(solid) => solid.expected_steps(dt),
            Body::Response(solid) => (dt / solid.sample()).round().max(1.0),
            Body::Cable(_) => 1.0,
            Body::Xpbd(rod) => rod.sweeps() as f64,
        }
    }

    /// Mass, centre and inertia in the axes of the world, where and as its model has its mass now.
    pub fn moments(&self) -> Moments {
        each!(self, model => model.moments())
    }

    /// Pose of a place: its position, and a rotation whose x axis is the tangent.
    pub fn place_pose(&self, place: Place) -> Result<Pose, BuildError> {
        self.check_place(place)?;
        each!(self, model => model.place_pose(place))
    }

    /// Refuse a place that no body of its kind has.
    fn check_place(&self, place: Place) -> Result<(), BuildError> {
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

    /// Refuse what its model cannot do.
    fn cannot(&self, cannot: impl Into<String>, instead: &'static str, field: Option<&'static str>) -> BuildError {
        let (body, model, cannot) = (self.name().into(), self.model().name(), cannot.into());
        BuildError::Cannot { body, model, cannot, instead, field }
    }

    /// Refuse to be held in a way that its model does not know.
    pub(crate) fn check_hold(&self, hold: Hold) -> Result<(), BuildError> {
        match (self, hold) {
            (Body::Elastica(_), _) | (_, Hold::Position | Hold::Clamp | Hold::TwoPoints) => Ok(()),
            (_, Hold::Direction) => Err(self.cannot(
                "cannot be held by its direction alone",
                "hold its position too, or make it an elastica",
                Some("orientation"),
            )),
        }
    }

    /// Refuse jaws that its model does not know.
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

    /// Refuse a load that its model does not know.
    pub(crate) fn check_load(&self, load: &Load) -> Result<(), BuildError> {
        match self {
            Body::Chain(_) if load.torque != Vec3::ZERO => {
                Err(self.cannot("knows no torsion and takes no torque", "make it a cable, or load it by forces", None))
            }
            _ if self.is_solid() && load.torque != Vec3::ZERO && !matches!(load.place, Place::Box { .. }) => {
                Err(self.cannot("takes no torque at a single node", "let it act on a box of nodes", Some("at")))
            }
            _ => Ok(()),
        }
    }

    /// Refuse a surface to rub on whose law of friction its model does not know.
    pub(crate) fn check_friction(&self, name: &str, friction: Friction) -> Result<(), BuildError> {
        if self.is_solid() { friction.check_coulomb(self.name(), self.model().name(), name) } else { Ok(()) }
    }

    /// Refuse an equilibrium or a start that only rods of the model `elastica` know.
    pub(crate) fn as_elastica(&mut self, cannot: &str) -> Result<&mut Elastica, BuildError> {
        match self {
            Body::Elastica(rod) => Ok(rod),
            other => Err(other.cannot(cannot, "make it an elastica", Some("model"))),
        }
    }

    /// Give a chain another shape, at rest; its number of points stays.
    pub(crate) fn set_points(&mut self, points: &[Vec3]) -> Result<(), BuildError> {
        match self {
            Body::Chain(chain) => chain.set_points(points),
            other => Err(other.cannot("cannot be given another shape by its points", "make it a chain", None)),
        }
    }

    /// What of it may be changed while it moves, by [`World::change`](crate::World::change).
    pub fn properties(&self) -> Properties {
        each!(self, model => model.properties())
    }

    /// Change one of these; false if it is so already.
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

    /// Have these properties, which are to be [`Properties::are_those_of`] it; where that fails it stays as it is.
    pub(crate) fn adopt(&mut self, properties: &Properties) -> Result<(), BuildError> {
        each!(self, model => model.adopt(properties))
    }

    /// Lower and upper corner of a box around it [m].
    pub fn bounds(&self) -> [Vec3; 2] {
        let Vicinity { low, high, .. } = self.vicinity(0.0, Vec3::ZERO, 0.0);
        [low, high]
    }

    /// The links of a rod that is made of them, where they are now.
    pub(crate) fn line(&self) -> Option<Line<'_>> {
        match self {
            Body::Cable(cable) => Some(cable.line()),
            Body::Xpbd(rod) => Some(rod.line()),
            _ => None,
        }
    }

    /// Write its shape, fields and energies.
    pub fn write_frame(&self, gravity: Vec3, frame: &mut BodyFrame) {
        each!(self, model => model.write_frame(gravity, frame));
    }

    /// Energies [J].
    pub fn energy(&self, gravity: Vec3) -> Energy {
        each!(self, model => model.energy(gravity))
    }

    /// Work done on it in the last step.
    pub(crate) fn work(&self) -> Work {
        each!(self, model => model.work())
    }

    /// Energy at the end of the last step, with what contacts and holds store.
    pub(crate) fn level(&self, gravity: Vec3) -> Level {
        match self {
            // one look at the strains of its joints for all
            Body::Cable(cable) => cable.level(gravity),
            // rules without inertia know no energy
            Body::Chain(chain) if !chain.has_inertia() => Level::default(),
            _ => {
                let Energy { kinetic, elastic, gravity } = self.energy(gravity);
                Level { kinetic, elastic, gravity, stored: each!(self, model => model.stored()) }
            }
        }
    }

    /// What a step of it may create.
    pub fn may_create(&self) -> Bound {
        each!(self, model => model.may_create())
    }

    /// Mass [kg].
    pub fn mass(&self) -> f64 {
        each!(self, model => model.mass())
    }

    /// Append its contacts.
    pub fn write_contacts(&self, index: usize, obstacles: &[Obstacle], contacts: &mut Vec<Contact>) {
        each!(self, model => model.write_contacts(index, obstacles, contacts));
    }

    /// Room for grips, loads and obstacles, so that a step allocates nothing.
    pub(crate) fn reserve(&mut self, grips: usize, loads: usize, obstacles: usize) {
        each!(self, model => model.reserve(grips, loads, obstacles));
    }

    /// Tell the body, whose index is given, which grips hold it and which loads act on it at `time`.
    pub(crate) fn prepare(&mut self, index: usize, time: f64, grips: &[Grip], loads: &[ActingLoad]) {
        each!(self, model => model.prepare(index, time, grips, loads));
    }

    /// Where it is and how far around it obstacles matter during a step, when it is pulled at a speed [m/s].
    pub(crate) fn vicinity(&self, dt: f64, gravity: Vec3, pulled: f64) -> Vicinity {
        each!(self, model => model.vicinity(dt, gravity, pulled))
    }

    /// Advance by a step of the world; bodies that move together with others only get ready for it.
    pub(crate) fn advance(&mut self, around: &mut Surroundings<'_>) -> Result<(), StepError> {
        match self {
            Body::Chain(chain) => chain.advance(around),
            Body::Cable(cable) => {
                cable.get_ready(around);
                Ok(())
            }
            Body::Xpbd(rod) => rod.advance(around),
            Body::Elastica(rod) => rod.advance(around),
            Body::Lattice(solid) => {
                solid.get_ready(around);
                Ok(())
            }
            Body::Response(solid) => solid.advance(around),
        }
    }

    /// Whether the step of bodies that moved together with others went well.
    pub(crate) fn check(&mut self, around: &mut Surroundings<'_>) -> Result<(), StepError> {
        match self {
            Body::Cable(cable) => cable.check(around),
            Body::Lattice(solid) => solid.check(around),
            _ => Ok(()),
        }
    }

    /// End that step, when all went well.
    pub(crate) fn finish(&mut self, around: &mut Surroundings<'_>) {
        match self {
            Body::Cable(cable) => cable.finish(around),
            Body::Lattice(solid) => solid.finish(around),
            _ => {}
        }
    }

    /// Remember the state before a step, in memory that it has.
    pub(crate) fn keep(&mut self) {
        each!(self, model => model.keep());
    }

    /// Go back to what was kept before a step that has failed.
    pub(crate) fn undo(&mut self) {
        each!(self, model => model.undo());
    }

    /// What does not change about its outline, as bodies of other models meet it.
    pub(crate) fn skin(&self) -> Skin<'_> {
        each!(self, model => model.skin())
    }

    /// Write the nodes of its outline.
    pub(crate) fn show(&self, nodes: &mut Nodes) {
        nodes.clear();
        each!(self, model => model.show(nodes));
    }

    /// Write how these nodes give way to a push that lasts for `dt` [s].
    pub(crate) fn give_way(&self, dt: f64, giving: &mut Giving) {
        giving.clear();
        each!(self, model => model.give_way(dt, giving));
    }

    /// Let a force act during the next step, besides grips and loads [N]. To be said after `prepare`, which forgets it.
    pub(crate) fn push(&mut self, spot: Spot, force: Vec3) {
        each!(self, model => model.push(spot, force));
    }

    /// An obstacle was taken away: those behind it have moved up.
    pub(crate) fn forget_obstacle(&mut self, gone: usize) {
        each!(self, model => model.forget_obstacle(gone));
    }

    /// The place of it that is nearest to a point, and how far that is from there [m].
    pub(crate) fn nearest_place(&self, point: Vec3) -> Option<(Place, f64)> {
        let mut nodes = Nodes::default();
        self.show(&mut nodes);
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

    /// Copy out what changes.
    pub(crate) fn state(&self) -> BodyState {
        match self {
            Body::Chain(chain) => BodyState::Chain(chain.state().clone()),
            Body::Cable(cable) => BodyState::Cable(cable.state().clone()),
            Body::Xpbd(rod) => BodyState::Xpbd(rod.state().clone()),
            Body::Elastica(rod) => BodyState::Elastica(rod.state().clone()),
            Body::Lattice(solid) => BodyState::Lattice(solid.state().clone()),
            Body::Response(solid) => BodyState::Response(solid.state().clone()),
        }
    }

    /// Copy out what changes into a state that was copied before, without allocating where that is of the same model and size.
    pub(crate) fn save(&self, to: &mut BodyState) {
        each_with!(self, &mut *to, (model, state) => model.save(state), else *to = self.state());
    }

    /// Whether a state is one of a body like this.
    pub(crate) fn fits(&self, state: &BodyState) -> bool {
        each_with!(self, state, (model, state) => model.fits(state), else false)
    }

    /// Put back what [`Body::state`] gave, where it [`Body::fits`].
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
        // 4 stays without force, 0 and 1 begin, and nothing begins that is not near
        around.note_touching(&mut touched, around.near, |o| o == 4, |o| [0, 1, 9].contains(&o));
        assert_eq!(touched, [4, 0, 1]);
        let (parted, begun) =
            (|obstacle| EventKind::Parted { body: 3, obstacle }, |obstacle| EventKind::Touched { body: 3, obstacle });
        let kinds = [parted(2), parted(7), begun(0), begun(1)];
        assert_eq!(events, kinds.map(|kind| Event { time: 1.5, kind }));
    }
}
