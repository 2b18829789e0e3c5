//! The model `response`: an elastic solid by its response to impulses, after Tagawa, Hirota and Hirose, "A study on haptic
//! interaction and simulation of motion and deformation of elastic object".

mod basis;

pub use basis::{Basis, Compliance, Hull, Numbers, Records};
