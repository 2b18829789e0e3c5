//! Contact of links: with obstacles, and with each other.

pub mod broad_phase;
pub mod impact;
pub mod law;
pub mod obstacles;
pub mod pairs;
pub mod passing;
pub mod touch;
