//! What a step of a cable has to satisfy: the passive midpoint rule, or the published linear one.

pub mod assembly;
mod end;
mod energy;
mod limits;
pub mod linear;
pub mod midpoint;
pub mod part;
pub mod scratch;
