//! Finite elements and bodies made of them: stiffness, mass, rigid motion, static equilibrium.

pub(crate) mod assemble;
pub(crate) mod element;
pub(crate) mod fixed;
pub(crate) mod model;
pub(crate) mod rigid;
pub(crate) mod statics;
