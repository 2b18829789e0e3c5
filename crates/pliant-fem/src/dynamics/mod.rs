//! How a body answers to forces: modes of vibration, responses in time, lasting compliance.

pub(crate) mod compliance;
pub(crate) mod direct;
pub(crate) mod modal;
pub(crate) mod modes;
pub(crate) mod response;
