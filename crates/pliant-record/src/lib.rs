//! What a run leaves in its output directory:
//!
//! | file | for |
//! |---|---|
//! | `recording.mcap` | Foxglove, Rerun and every MCAP reader: shapes, forces, energies, contacts, events |
//! | `samples.csv` | spreadsheets and NumPy: one row per instant |
//! | `report.html` | anyone: a page that plays the run, opened with a double click, no network |
//!
//! [`Recorder`] writes all three, [`Recording`] reads the first back. A killed run leaves the first two readable, short of at most the last quarter of a
//! second.

mod block_file;
mod columns;
mod decimate;
pub mod drawing;
mod error;
mod events;
mod foxglove;
mod gate;
mod interval;
mod mcap_writer;
mod page;
mod plots;
mod protobuf;
mod read;
mod recorder;
mod report;
mod samples;
mod scene;

pub use error::RecordError;
pub use events::{event_text, short};
pub use gate::Gate;
pub use page::{LIVE_PAGE, robot_page, write_whole};
pub use read::{ReadError, Recording};
pub use recorder::{DEFAULT_RATE, ExpectationRow, Outcome, Paths, Recorder, RunInfo, claim};
