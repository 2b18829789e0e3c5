//! Pliant simulates deformable objects that a robot or a hand moves: cables, wires, springs, soft solids. It computes
//! shapes and forces, in real time.
//!
//! A [`World`] holds bodies, obstacles and grippers. [`World::step`] advances it by a time step, [`World::frame`]
//! returns its state as plain data: nodes, forces, contacts, energies. Grippers hold places of bodies, and their
//! [`load`](Gripper::load) is what a hand would feel.
//!
//! ```
//! use pliant::cable::{Cable, CableSpec};
//! use pliant::math::{Pose, Vec3};
//! use pliant::{Body, Drive, Friction, GripParams, GripperParams, Hold, Material, Place, World};
//!
//! let mut world = World::new(Vec3::NEG_Z * 9.81);
//!
//! // 30 cm of rubber cord, 6 mm thick, in 30 links
//! let rubber = Material {
//!     young: 5e6,
//!     poisson: 0.49,
//!     density: 1100.0,
//!     friction: Friction { coefficient: 0.5, exponent: 1.0 },
//! };
//! let spec = CableSpec::round(rubber, 0.003, vec![Vec3::ZERO, Vec3::NEG_Z * 0.3], 30);
//! let cord = world.add_body(Body::Cable(Cable::new("cord", spec)?))?;
//!
//! // a hand that holds its upper end, and lifts it by 10 cm/s
//! let hand = world.add_gripper(GripperParams::at("hand", Pose::IDENTITY))?;
//! world.add_grip(GripParams::new(hand, cord, Place::Fraction(0.0), Hold::Position))?;
//! world.drive(hand, Drive::Velocity { linear: Vec3::Z * 0.1, angular: Vec3::ZERO })?;
//! for _ in 0..100 {
//!     world.step(0.01)?;
//! }
//!
//! // the hand carries the cord's weight: it is pulled down by rho A L g = 0.0915 N
//! let felt = world.gripper(hand)?.load.force;
//! assert!((felt.z + 0.0915).abs() < 1e-3, "{felt}");
//! // and the lower end is 20 cm below the origin
//! let tip = world.frame().bodies[world.body_index(cord)?].nodes[30];
//! assert!((tip.z + 0.2).abs() < 1e-3, "{tip}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! There are six models of bodies, each in its own module: [`chain`], [`cable`], [`xpbd`] and [`elastica`] are rods,
//! [`lattice`] and [`response`] solids. All of them share the same world and the same interface, [`Body`].
//!
//! Conventions:
//!
//! - SI units and `f64` throughout; quaternions are written w x y z, poses are named `world_from_x`.
//! - A step never panics. On failure it returns a [`StepError`] that names body, time and quantity, and leaves the
//!   world as it was before.
//! - The same world stepped in the same way gives the same bits, for any number of threads and on every machine.
//! - Forces on grippers are those exerted by the bodies, in world axes, torques about the gripper's origin, means over
//!   the step; see [`Wrench`].
//! - With the feature `serde`, [`Frame`], [`Layout`], [`Event`] and [`Counters`] can be serialised.
//! - Between steps nearly everything may change: see [`World::grasp`], [`World::drive`], [`World::set_load`] and their
//!   neighbours. [`World::snapshot`] and [`World::restore`] go back to an earlier moment exactly.
//!
//! This crate uses no files, sockets or clocks. Scene files are read by the crate `pliant-scene`, recordings written by
//! `pliant-record`.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod account;
pub mod arm;
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
mod group;
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
mod random;
mod react;
pub mod response;
mod rest;
pub mod robot;
mod section;
mod sensor;
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
pub use frame::{
    BodyFrame, BodyLayout, Contact, Energy, Event, EventKind, Field, Frame, GripFrame, GripperFrame, GripperLayout,
    JointFrame, JointLayout, Layout, Model, ObstacleLayout, Other, SensorFrame, SensorLayout, UnknownModel, View,
};
pub use grip::{
    Anchor, FingerParams, Grip, GripParams, GripState, Gripper, GripperParams, Hold, Jaws, Load, Place, Wrench,
};
pub use handle::{BodyId, GripId, GripperId, LoadId, ObstacleId, SensorId};
pub use material::{Friction, Material};
pub use motion::Drive;
pub use properties::{Change, Properties};
pub use rest::Rest;
pub use section::{Rigidities, Section};
pub use sensor::{Sensor, SensorParams};
pub use stage::{Probe, Stage};
pub use stop::Stop;
pub use world::{Snapshot, World};
