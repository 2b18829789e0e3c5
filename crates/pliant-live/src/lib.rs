//! Pliant in real time: a world whose steps are taken when the clock says so, hands in it that people and devices move,
//! and the page in which it is seen.
//!
//! The clock decides only *when* a step is taken. What a step does depends on the actions done before it, each of which
//! is written down with the number of the step, so that a live run can be replayed to the bit.

mod action;
mod clearance;
mod devices;
mod driver;
mod guard;
mod haply;
mod haptic;
mod histogram;
mod hosts;
mod input;
mod link;
mod live;
mod log;
mod pace;
mod packet;
mod replay;
mod room;
mod script;
mod server;
mod session;
mod slot;
mod status;
mod tool;

pub use action::{Action, Controls, ControlsError, Entry, HANDS, Head, Property, write_end};
pub use driver::{Command, Note, Picture};
pub use guard::{Limits, State};
pub use haply::{HAPLY_PORT, Haply};
pub use histogram::{Histogram, Percentiles};
pub use input::{Input, Source};
pub use link::Rhythm;
pub use live::{Live, Queues, Setup, memory_mb, time_of_step};
pub use log::Log;
pub use pace::{Beat, Pace, has_core};
pub use packet::{JointsPacket, LENGTH, PosePacket, WrenchPacket};
pub use replay::{Replay, ReplayError};
pub use script::Script;
pub use server::{Access, Card, Listed, Offer, Outlets, Server, Title, Wanted};
pub use session::{Fitting, FittingError, Grasped, Hands, Refusal, Session, hand_name};
pub use status::{Figures, Output, Status, source_of};
pub use tool::Coupling;
