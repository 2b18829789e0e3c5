//! Linear response to forces: vibration modes, responses in time, static compliance.

pub(crate) mod compliance;
pub(crate) mod direct;
pub(crate) mod modal;
pub(crate) mod modes;
pub(crate) mod response;
