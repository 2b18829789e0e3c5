//! Contact of solids of particles: the volume of a facet in an obstacle, the volume between two facets, and the forces that
//! follow from them.

pub(super) mod meet;
pub(super) mod overlap;
mod pairs;
mod polygon;
mod rub;
mod sink;
pub(super) mod touch;
