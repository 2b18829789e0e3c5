//! Pliant simulates things that bend: shapes and forces, in real time.
//!
//! A [`World`] holds bodies, obstacles and grippers; [`World::step`] moves it on and [`World::frame`] gives a picture
//! of it. Bodies are of one of several published models, each in a folder of its own. SI units and `f64` throughout.

mod account;
mod body;
mod bytes;
pub mod cable;
pub mod chain;
mod check;
mod clock;
pub mod contact;
mod counters;
mod curve;
mod derived;
pub mod elastica;
mod error;
mod frame;
mod grip;
mod handle;
mod kernel;
mod lanes;
pub mod lattice;
mod linkage;
mod material;
pub mod math;
mod moments;
pub mod motion;
mod places;
mod properties;
#[cfg(test)]
mod random;
mod react;
pub mod response;
mod section;
mod stage;
mod stop;
mod team;
pub mod topology;
mod watch;
mod world;
pub mod xpbd;

pub use account::{Account, Bound, Work};
pub use body::Body;
pub use counters::Counters;
pub use derived::Derived;
pub use error::{BuildError, ControlError, Gone, HoldError, SnapshotError, StepError};
pub use frame::{BodyFrame, Contact, Energy, Event, EventKind, Field, Frame, GripperFrame, Other};
pub use grip::{Anchor, FingerParams, Grip, GripParams, Gripper, GripperParams, Hold, Jaws, Load, Place, Wrench};
pub use handle::{BodyId, GripId, GripperId, LoadId, ObstacleId};
pub use material::{Friction, Material};
pub use motion::Drive;
pub use properties::{Change, Properties};
pub use section::{Rigidities, Section};
pub use stage::{Probe, Stage};
pub use stop::Stop;
pub use world::{Snapshot, World};
