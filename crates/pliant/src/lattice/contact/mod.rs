//! Contact of lattice bodies: the volume of a facet in an obstacle, the volume between two facets, and the resulting
//! forces.

pub(super) mod meet;
pub(super) mod overlap;
mod pairs;
mod polygon;
mod rub;
mod sink;
pub(super) mod touch;
