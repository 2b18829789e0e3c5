//! Robots: articulated trees in joint coordinates.
//!
//! A [`Model`] is frozen, a [`State`] is where the robot is and how it moves, and working memory ([`Kinematics`], [`Dynamics`],
//! [`Derivatives`], [`Midpoint`], [`Stepper`]) is made once: no function of these allocates.
//!
//! ```
//! use pliant::math::{Mat3, Pose, Vec3};
//! use pliant::robot::{Base, JointKind, JointSpec, LinkSpec, Model, RobotSpec, State, Stepper};
//!
//! // a bob of 1 kg on a rod of 0.5 m
//! let bob = LinkSpec { name: "bob".into(), mass: 1.0, centre: Vec3::NEG_Z * 0.5, inertia: Mat3::ZERO };
//! let base = LinkSpec { name: "base".into(), mass: 0.0, centre: Vec3::ZERO, inertia: Mat3::ZERO };
//! let hinge = JointSpec::new("hinge", JointKind::Continuous, [0, 1], Pose::IDENTITY, Vec3::Y);
//! let model = Model::new(&RobotSpec {
//!     name: "pendulum".into(),
//!     links: vec![base, bob],
//!     joints: vec![hinge],
//!     base: Base::Fixed(Pose::IDENTITY),
//!     gravity: Vec3::NEG_Z * 9.81,
//! })?;
//! let (mut state, mut stepper) = (State::new(&model), Stepper::new(&model));
//! state.q[0] = 0.01;
//! for _ in 0..1419 {
//!     stepper.step(&model, &mut state, 0.001, &[0.0], &[])?;
//! }
//! // after one period, 2 pi sqrt(l / g), it is back
//! assert!((state.q[0] - 0.01).abs() < 1e-7, "{}", state.q[0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod algebra;
mod build;
mod derivatives;
mod dynamics;
mod inverse;
mod kinematics;
mod midpoint;
mod model;
mod order;
#[cfg(test)]
mod sample;
mod spatial;
mod spec;
mod state;
mod step;
#[cfg(test)]
mod tests;
pub mod timing;

pub use algebra::Matrix;
pub(crate) use algebra::eliminate;
pub use derivatives::Derivatives;
pub use dynamics::{Dynamics, LinkLoad};
pub use inverse::{Reach, Reacher, Target};
pub use kinematics::Kinematics;
pub use midpoint::Midpoint;
pub use model::{Coordinate, Link, MOST_COORDINATES, Model};
pub use spatial::{Force, Inertia, Motion};
pub use spec::{Base, JointAxis, JointKind, JointSpec, Limits, LinkSpec, Mimic, Part, RobotError, RobotSpec};
pub(crate) use state::set_root;
pub use state::{State, integrate};
pub(crate) use step::{Answer, Law, SCALES};
pub use step::{StepFailure, Stepped, Stepper};
