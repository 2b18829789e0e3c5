//! A body of any model, and what the world asks of it.

use crate::cable::{Cable, CableState};
use crate::chain::{Chain, ChainState};
use crate::contact::Obstacle;
use crate::derived::Derived;
use crate::elastica::{Elastica, ElasticaState};
use crate::error::{BuildError, StepError};
use crate::frame::{BodyFrame, Contact, Event, EventKind};
use crate::grip::{Grip, Gripper, Load, Place};
use crate::lattice::{Lattice, LatticeState};
use crate::math::{Pose, Vec3};
use crate::react::{Giving, Nodes, Skin, Spot};
use crate::response::{Response, ResponseState};
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
    /// Indices of the obstacles that the body can touch during the step.
    pub near: &'a [usize],
    /// All grippers.
    pub grippers: &'a [Gripper],
    /// All grips; a body writes the load of its own.
    pub grips: &'a mut [Grip],
    /// Speed of the fastest gripper that holds the body [m/s].
    pub pulled: f64,
    /// Where to tell what happens.
    pub events: &'a mut Vec<Event>,
}

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
        match self {
            Body::Chain(chain) => chain.name(),
            Body::Cable(cable) => cable.name(),
            Body::Xpbd(rod) => rod.name(),
            Body::Elastica(rod) => rod.name(),
            Body::Lattice(solid) => solid.name(),
            Body::Response(solid) => solid.name(),
        }
    }

    /// Name of the model.
    pub fn model(&self) -> &'static str {
        match self {
            Body::Chain(_) => "chain",
            Body::Cable(_) => "cable",
            Body::Xpbd(_) => "xpbd",
            Body::Elastica(_) => "elastica",
            Body::Lattice(_) => "lattice",
            Body::Response(_) => "response",
        }
    }

    /// Number of points, nodes, particles or segments: what its cost grows with.
    pub fn size(&self) -> usize {
        match self {
            Body::Chain(chain) => chain.size(),
            Body::Cable(cable) => cable.size(),
            Body::Xpbd(rod) => rod.size(),
            Body::Elastica(rod) => rod.size(),
            Body::Lattice(solid) => solid.size(),
            Body::Response(solid) => solid.size(),
        }
    }

    /// Number of the model's own inner steps so far.
    pub fn model_steps(&self) -> u64 {
        match self {
            Body::Chain(chain) => chain.counters().steps,
            Body::Cable(cable) => cable.counters().steps,
            Body::Xpbd(rod) => rod.counters().steps,
            Body::Elastica(rod) => rod.counters().steps,
            Body::Lattice(solid) => solid.ledger().steps,
            Body::Response(solid) => solid.counters().steps,
        }
    }

    /// What the model derived from material and settings, with the reason for each.
    pub fn derived(&self) -> &[Derived] {
        match self {
            Body::Chain(chain) => chain.derived(),
            Body::Cable(cable) => cable.derived(),
            Body::Xpbd(rod) => rod.derived(),
            Body::Elastica(rod) => rod.derived(),
            Body::Lattice(solid) => solid.derived(),
            Body::Response(solid) => solid.derived(),
        }
    }

    /// Number of steps so far in which a solver's iterations came to their limit.
    pub fn limit_hits(&self) -> u64 {
        match self {
            Body::Chain(_) | Body::Xpbd(_) => 0,
            Body::Cable(cable) => cable.counters().limit_hits,
            Body::Elastica(rod) => rod.counters().limit_hits,
            Body::Lattice(solid) => solid.ledger().late,
            Body::Response(solid) => solid.counters().limit_hits,
        }
    }

    /// Number of solver iterations so far, for models that iterate.
    pub fn iterations(&self) -> u64 {
        match self {
            Body::Chain(_) => 0,
            Body::Cable(cable) => cable.counters().iterations,
            Body::Xpbd(rod) => rod.counters().iterations,
            Body::Elastica(rod) => rod.counters().evaluations,
            Body::Lattice(solid) => solid.ledger().steps + solid.ledger().refused,
            Body::Response(solid) => solid.counters().sweeps,
        }
    }

    /// Radius for drawing a curve [m].
    pub fn radius(&self) -> f64 {
        match self {
            Body::Chain(chain) => chain.radius(),
            Body::Cable(cable) => cable.radius(),
            Body::Xpbd(rod) => rod.radius(),
            Body::Elastica(rod) => rod.radius(),
            Body::Lattice(_) | Body::Response(_) => 0.0,
        }
    }

    /// Advance by a step of the world; bodies that move together with others only get ready for it.
    pub(crate) fn advance(&mut self, around: &mut Surroundings<'_>) -> Result<(), StepError> {
        match self {
            Body::Chain(chain) => chain.advance(around),
            Body::Cable(cable) => {
                cable.begin(around);
                Ok(())
            }
            Body::Xpbd(rod) => rod.advance(around),
            Body::Elastica(rod) => rod.advance(around),
            Body::Lattice(solid) => {
                solid.approach(around);
                Ok(())
            }
            Body::Response(solid) => solid.advance(around),
        }
    }

    /// Go back to where it was before bodies that move together made the step.
    pub(crate) fn begin_again(&mut self) {
        if let Body::Cable(cable) = self {
            cable.begin_again();
        }
    }

    /// Where it is and how far around it obstacles matter during a step, when it is pulled at a speed [m/s].
    pub(crate) fn vicinity(&self, dt: f64, gravity: Vec3, pulled: f64) -> Vicinity {
        match self {
            Body::Chain(chain) => chain.vicinity(dt, gravity, pulled),
            Body::Cable(cable) => cable.vicinity(dt, gravity, pulled),
            Body::Xpbd(rod) => rod.vicinity(dt, gravity, pulled),
            Body::Elastica(rod) => rod.vicinity(dt, gravity, pulled),
            Body::Lattice(solid) => solid.vicinity(dt, gravity, pulled),
            Body::Response(solid) => solid.vicinity(dt, gravity, pulled),
        }
    }

    /// Pose of a place: its position, and a rotation whose x axis is the tangent.
    pub fn place_pose(&self, place: Place) -> Result<Pose, BuildError> {
        if let (Place::Point(_) | Place::Box { .. }, false) =
            (place, matches!(self, Body::Lattice(_) | Body::Response(_)))
        {
            let (body, why) = (self.name().into(), "only solids have places in space: say where along it".into());
            return Err(BuildError::NoSuchPlace { body, place: "that place".into(), why });
        }
        match self {
            Body::Chain(chain) => chain.place_pose(place),
            Body::Cable(cable) => cable.place_pose(place),
            Body::Xpbd(rod) => rod.place_pose(place),
            Body::Elastica(rod) => rod.place_pose(place),
            Body::Lattice(solid) => solid.place_pose(place),
            Body::Response(solid) => solid.place_pose(place),
        }
    }

    /// Tell the body, whose index is given, which grips hold it and which loads act on it at `time`.
    pub(crate) fn prepare(&mut self, index: usize, time: f64, grips: &[Grip], loads: &[Load]) {
        match self {
            Body::Chain(chain) => chain.prepare(index, time, grips, loads),
            Body::Cable(cable) => cable.prepare(index, time, grips, loads),
            Body::Xpbd(rod) => rod.prepare(index, time, grips, loads),
            Body::Elastica(rod) => rod.prepare(index, time, grips, loads),
            Body::Lattice(solid) => solid.prepare(index, time, grips, loads),
            Body::Response(solid) => solid.prepare(index, time, grips, loads),
        }
    }

    /// What does not change about its outline.
    pub(crate) fn skin(&self) -> Skin<'_> {
        match self {
            Body::Chain(chain) => chain.skin(),
            Body::Cable(cable) => cable.skin(),
            Body::Xpbd(rod) => rod.skin(),
            Body::Elastica(rod) => rod.skin(),
            Body::Lattice(solid) => solid.skin(),
            Body::Response(solid) => solid.skin(),
        }
    }

    /// Write the nodes of its outline.
    pub(crate) fn show(&self, nodes: &mut Nodes) {
        nodes.clear();
        match self {
            Body::Chain(chain) => chain.show(nodes),
            Body::Cable(cable) => cable.show(nodes),
            Body::Xpbd(rod) => rod.show(nodes),
            Body::Elastica(rod) => rod.show(nodes),
            Body::Lattice(solid) => solid.show(nodes),
            Body::Response(solid) => solid.show(nodes),
        }
    }

    /// Write how these nodes give way to a push that lasts for `dt` [s].
    pub(crate) fn give_way(&self, dt: f64, giving: &mut Giving) {
        giving.clear();
        match self {
            Body::Chain(chain) => chain.give_way(dt, giving),
            Body::Cable(cable) => cable.give_way(dt, giving),
            Body::Xpbd(rod) => rod.give_way(dt, giving),
            Body::Elastica(rod) => rod.give_way(dt, giving),
            Body::Lattice(solid) => solid.give_way(dt, giving),
            Body::Response(solid) => solid.give_way(dt, giving),
        }
    }

    /// Forget what others have pushed with, where `prepare` does not.
    pub(crate) fn forget_pushes(&mut self) {
        match self {
            Body::Lattice(solid) => solid.forget_pushes(),
            Body::Response(solid) => solid.forget_pushes(),
            _ => {}
        }
    }

    /// Let a force act during the next step, besides grips and loads [N]. To be said after `prepare`, which forgets it.
    pub(crate) fn push(&mut self, spot: Spot, force: Vec3) {
        match self {
            Body::Chain(chain) => chain.push(spot, force),
            Body::Cable(cable) => cable.push(spot, force),
            Body::Xpbd(rod) => rod.push(spot, force),
            Body::Elastica(rod) => rod.push(spot, force),
            Body::Lattice(solid) => solid.push(spot, force),
            Body::Response(solid) => solid.push(spot, force),
        }
    }

    /// Write its shape, fields and energies.
    pub fn write_frame(&self, gravity: Vec3, frame: &mut BodyFrame) {
        match self {
            Body::Chain(chain) => chain.write_frame(gravity, frame),
            Body::Cable(cable) => cable.write_frame(gravity, frame),
            Body::Xpbd(rod) => rod.write_frame(gravity, frame),
            Body::Elastica(rod) => rod.write_frame(gravity, frame),
            Body::Lattice(solid) => solid.write_frame(gravity, frame),
            Body::Response(solid) => solid.write_frame(gravity, frame),
        }
    }

    /// Append its contacts.
    pub fn write_contacts(&self, index: usize, obstacles: &[Obstacle], contacts: &mut Vec<Contact>) {
        match self {
            Body::Chain(chain) => chain.write_contacts(index, obstacles, contacts),
            Body::Cable(cable) => cable.write_contacts(index, obstacles, contacts),
            Body::Xpbd(rod) => rod.write_contacts(index, obstacles, contacts),
            Body::Elastica(rod) => rod.write_contacts(index, contacts),
            Body::Lattice(solid) => solid.write_contacts(index, contacts),
            Body::Response(solid) => solid.write_contacts(index, contacts),
        }
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

    /// Whether a state is one of a body like this.
    pub(crate) fn fits(&self, state: &BodyState) -> bool {
        match (self, state) {
            (Body::Chain(chain), BodyState::Chain(state)) => chain.fits(state),
            (Body::Cable(cable), BodyState::Cable(state)) => cable.fits(state),
            (Body::Xpbd(rod), BodyState::Xpbd(state)) => rod.fits(state),
            (Body::Elastica(rod), BodyState::Elastica(state)) => rod.fits(state),
            (Body::Lattice(solid), BodyState::Lattice(state)) => solid.fits(state),
            (Body::Response(solid), BodyState::Response(state)) => solid.fits(state),
            _ => false,
        }
    }

    /// Room for grips, loads and obstacles, so that a step allocates nothing.
    pub(crate) fn reserve(&mut self, grips: usize, loads: usize, obstacles: usize) {
        match self {
            Body::Chain(chain) => chain.reserve(grips, loads, obstacles),
            Body::Cable(cable) => cable.reserve(grips, loads, obstacles),
            Body::Xpbd(rod) => rod.reserve(grips, loads, obstacles),
            Body::Elastica(rod) => rod.reserve(grips, loads, obstacles),
            Body::Lattice(solid) => solid.reserve(grips, loads, obstacles),
            Body::Response(solid) => solid.reserve(grips, loads, obstacles),
        }
    }

    /// Lower and upper corner of a box around it [m].
    pub fn bounds(&self) -> [Vec3; 2] {
        let Vicinity { low, high, .. } = self.vicinity(0.0, Vec3::ZERO, 0.0);
        [low, high]
    }

    /// Put back what [`Body::state`] gave; false when it belongs to another body.
    pub(crate) fn set_state(&mut self, state: &BodyState) -> bool {
        match (self, state) {
            (Body::Chain(chain), BodyState::Chain(state)) => chain.set_state(state),
            (Body::Cable(cable), BodyState::Cable(state)) => cable.set_state(state),
            (Body::Xpbd(rod), BodyState::Xpbd(state)) => rod.set_state(state),
            (Body::Elastica(rod), BodyState::Elastica(state)) => rod.set_state(state),
            (Body::Lattice(solid), BodyState::Lattice(state)) => solid.set_state(state),
            (Body::Response(solid), BodyState::Response(state)) => solid.set_state(state),
            _ => false,
        }
    }
}
