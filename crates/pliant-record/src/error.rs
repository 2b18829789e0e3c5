//! Errors of recording.

use std::io;
use std::path::{Path, PathBuf};

/// Why a recording cannot be made or continued.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The output directory is not empty.
    #[error("{} already holds files, and nothing is ever overwritten: choose another --out, or remove it", dir.display())]
    NotEmpty {
        /// The directory.
        dir: PathBuf,
    },
    /// A file or directory cannot be created.
    #[error("cannot create {}: {cause}", path.display())]
    Create {
        /// The file or directory.
        path: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// A file cannot be written, such as on a full disk. What it held before stays readable.
    #[error("cannot write {}: {cause}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// The recording format cannot express something, such as more channels than it can count.
    #[error("cannot record in {}: {cause}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The error of the MCAP writer.
        cause: Box<mcap::McapError>,
    },
}

impl RecordError {
    pub(crate) fn create(path: &Path) -> impl FnOnce(io::Error) -> RecordError {
        move |cause| RecordError::Create { path: path.into(), cause }
    }

    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> RecordError {
        move |cause| RecordError::Write { path: path.into(), cause }
    }
}
