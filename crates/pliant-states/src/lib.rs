//! Contact states of a demonstrated task, and the same transitions in a measured force log.
//!
//! A task such as pushing a wire through a hole is a sequence of *contact states*: which part of the wire touches which
//! face, edge or vertex of what, and which gripper holds it. That sequence, unlike the exact path, is the same when the
//! wire is bent a little differently. A robot that is to repeat it needs to know which state it is in, from its force
//! sensor alone.
//!
//! - [`Demonstration`] watches frames of a world, of a recording or while it runs, and finds the [`Sequence`] of states
//!   and transitions.
//! - [`Matcher`] finds the same transitions in a [`ForceLog`], and says how sure it is.
//! - [`Follower`] lets a robot repeat the sequence by what it feels.
//!
//! (B. Kahl and D. Henrich, "Manipulation of deformable linear objects: force-based simulation approach for haptic
//! feedback", section V.)

mod align;
mod demonstration;
mod features;
mod follow;
mod line;
mod log;
mod matching;
mod sequence;
mod settings;
mod states;

pub use demonstration::Demonstration;
pub use features::{Feature, Features, Kind};
pub use follow::{FollowError, FollowSettings, Follower, Order, Sensed, Sight, Stopped};
pub use log::{ForceLog, LogError, Sample};
pub use matching::{Found, Match, MatchError, MatchSettings, Matcher};
pub use sequence::{
    BodyShape, Change, Held, Load, Part, Point, Sequence, State, Touch, Transition, VERSION, Waypoint, With,
};
pub use settings::Settings;
pub use states::StatesError;
