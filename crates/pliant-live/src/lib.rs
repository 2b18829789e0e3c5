//! Pliant in real time: a world whose steps are taken when the clock says so, hands in it that people and devices move,
//! and the page in which it is seen.
//!
//! The clock decides only *when* a step is taken. What a step does depends on the actions done before it, each of which
//! is written down with the number of the step, so that a live run can be replayed to the bit.

mod action;
mod devices;
mod driver;
mod guard;
mod haptic;
mod histogram;
mod input;
mod live;
mod pace;
mod packet;
mod script;
mod session;
mod slot;
mod status;
mod tool;

pub use action::{Action, Controls, ControlsError, Entry, HANDS, Head, Property, write_end};
pub use driver::{Command, Note, Picture};
pub use guard::{Limits, State};
pub use histogram::{Histogram, Percentiles};
pub use input::{Input, Source};
pub use live::{Live, Setup, memory_mb, time_of_step};
pub use packet::{LENGTH, PosePacket, WrenchPacket};
pub use script::Script;
pub use session::{Refusal, Session, hand_name};
pub use status::{Figures, Output, Status, source_of};
pub use tool::Coupling;
