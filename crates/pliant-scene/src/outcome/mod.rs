//! The run of a scene, what can be observed in it, and what is expected of it.

pub(crate) mod expect;
pub(crate) mod observable;
pub(crate) mod run;
