//! Robot tasks solved by physics: the robot is drawn to its goal, slides along what is in its way, and where it gets stuck
//! that place is filled until it finds a way around.
//!
//! The method is that of Joukhadar and Laugier, "Robot-Phi", section 5: motions by attractors (5.1), obstacles that are
//! grown by a safety distance and met without friction, local minima that are found by vanishing speed and filled with
//! virtual obstacles (5.2), grasps whose fingertips are drawn to each other (5.3). It is local: where it does not arrive, a
//! way may still exist.
//!
//! A [`Task`] says what moves, what is in its way and where it has to go. [`Task::solve`] returns an [`Outcome`]: the motion
//! of the joints, or how far it got. [`clearance`](Task::clearance) then measures the distance of the robot's true shape
//! from the true obstacles along a motion, by other code than the search uses.
//!
//! ```
//! use pliant::contact::{Shape, ShapeKind};
//! use pliant::math::{Mat3, Pose, Vec3};
//! use pliant::robot::{Base, JointKind, JointSpec, LinkSpec, Model, RobotSpec};
//! use pliant_plan::{Goal, LinkShape, Settings, Task, Wall};
//!
//! // a ball of 10 cm that moves in the plane, and a pillar between it and its goal
//! let link = |name: &str, mass: f64| LinkSpec { name: name.into(), mass, centre: Vec3::ZERO, inertia: Mat3::IDENTITY * (0.1 * mass) };
//! let wheels = JointSpec::new("wheels", JointKind::Planar, [0, 1], Pose::IDENTITY, Vec3::Z);
//! let model = Model::new(&RobotSpec {
//!     name: "robot".into(),
//!     links: vec![link("floor", 0.0), link("robot", 10.0)],
//!     joints: vec![wheels],
//!     base: Base::Fixed(Pose::IDENTITY),
//!     gravity: Vec3::ZERO,
//! })?;
//! let ball = Shape::new(ShapeKind::Sphere { radius: 0.1 })?;
//! let pillar = Shape::new(ShapeKind::Cylinder { radius: 0.2, length: 1.0 })?;
//! let task = Task {
//!     start: vec![0.0; 3],
//!     shapes: vec![LinkShape { link: 1, link_from_shape: Pose::IDENTITY, shape: ball }],
//!     walls: vec![Wall { name: "pillar".into(), shape: pillar, pose: Pose::from_translation(Vec3::new(1.0, 0.05, 0.0)), ground: false }],
//!     goal: Goal { link: 1, link_from_tool: Pose::IDENTITY, pose: Pose::from_translation(Vec3::X * 2.0), orientation: false },
//!     settings: Settings { safety: 0.05, ..Settings::default() },
//!     model,
//! };
//! let outcome = task.solve(&mut |_| true)?;
//! assert!(outcome.reached());
//! let clearance = task.clearance(&outcome.plan);
//! assert!(clearance.least > 0.045, "{}", clearance.least);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod attractor;
mod clearance;
mod drawn;
mod grasp;
mod near;
mod push;
mod search;
mod task;
mod tipping;

pub use clearance::Clearance;
pub use drawn::Fill;
pub use grasp::{Grasp, Shaken, Shaking};
pub use search::{Ending, Outcome, Progress};
pub use task::{Goal, LinkShape, Plan, Settings, Task, TaskError, Wall};
pub use tipping::{Footing, Margin};
