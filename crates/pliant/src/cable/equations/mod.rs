//! What a step of a cable has to satisfy: the passive midpoint rule, or the published linear one.

pub mod assembly;
pub mod linear;
pub mod midpoint;
