//! Files of precomputed results.
//!
//! One file holds one result. It is little-endian and consists of a header of 64 bytes, a directory with an entry of 32
//! bytes per section, and the sections, each aligned to 64 bytes:
//!
//! ```text
//! header     0  magic            8 bytes, 89 50 4c 49 41 4e 54 0a
//!            8  byte order       u64, 0x0102030405060708
//!           16  version          u32
//!           20  kind             u32, 1 for modes, 2 for recorded responses
//!           24  digest           u128 of the recipe
//!           40  sections         u64, their number
//!           48  length           u64 of the whole file [bytes]
//!           56  checksum         u64, XXH3 of the header up to here and of the directory
//! entry      0  name             8 bytes, padded with spaces
//!            8  start            u64 [bytes]
//!           16  length           u64 [bytes]
//!           24  checksum         u64, XXH3 of the section
//! ```
//!
//! Numbers in sections are f64, u64 or u32. Files are memory-mapped and used in place; they are written under another
//! name and renamed when complete, so that a file under its own name is always complete.

mod basis;
mod error;
mod hull;
mod layout;
mod map;
mod open;
mod records;
#[cfg(test)]
mod tests;
mod write;

pub use basis::{open_basis, write_basis};
pub use error::StoreError;
pub use records::{open_records, write_records};

pub(crate) use layout::VERSION;
pub(crate) use records::{Begun, Frame, Part};
