//! Properties of a cable, and of contact, from measurements.
//!
//! [`capstan`] finds friction, and stiffness where the data tell it, from pulls at which a loaded cable begins to slide
//! over a drum: the rig of J. Lee, M. Lee, Yoon and D. Lee, "A parallelized iterative algorithm for real-time simulation
//! of long flexible cable manipulation", section V-A. [`shape`] finds bending stiffness from the shape of a hanging cable, [`swing`]
//! stiffness and damping from a free swing, [`slope`] friction from a slope, [`curl`] rest curvature from a cable that lies
//! flat, and [`contact`] stiffness and damping of contact from a drop or a press. [`fit`] is what every identification rests on: least squares with
//! bounds, confidence intervals, and a test whether the model fits at all.
//!
//! ```
//! use pliant_identify::capstan::{Capstan, Pull, Rig, Theory, identify};
//!
//! let rig = Rig { drum: 0.02, radius: 0.002, young: 4.462e6, poisson: 0.49 };
//! let law = Capstan { rig, coefficient: 1.3, exponent: 0.76, theory: Theory::Extension };
//! let angles = [1.6, 3.1, 4.7, 6.3];
//! let pulls: Vec<Pull> = [0.2, 1.0, 3.0]
//!     .into_iter()
//!     .flat_map(|load| angles.map(|angle| Pull { load, angle, pull: law.pull(load, angle) }))
//!     .collect();
//! let found = identify(&pulls, rig, Theory::Extension)?;
//! assert!((found.value("friction.exponent").unwrap() - 0.76).abs() < 1e-3);
//! # Ok::<(), pliant_identify::capstan::IdentifyError>(())
//! ```

pub mod capstan;
pub mod contact;
pub mod curl;
pub mod fit;
mod found;
mod robust;
pub mod shape;
pub mod slope;
mod statistics;
pub mod swing;
mod table;

pub use found::{Found, Misfit, Number, Picture};
pub use table::MeasureError;

/// Acceleration of gravity [m/s2].
pub const GRAVITY: f64 = 9.81;
