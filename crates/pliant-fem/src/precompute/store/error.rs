//! Errors of files of precomputed results.

use std::io;
use std::path::{Path, PathBuf};

/// Why a file of precomputed results cannot be used or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The file cannot be opened or read.
    #[error("{} cannot be read: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The message of the operating system.
        why: String,
        /// Whether the file does not exist.
        missing: bool,
    },
    /// Another kind of file.
    #[error("{} is no file of precomputed solids ({why}): name another, or precompute it again", path.display())]
    NotOurs {
        /// The file.
        path: PathBuf,
        /// What was found instead.
        why: &'static str,
    },
    /// Another version of the format.
    #[error("{} is of version {found}, and this program reads version {expected}: precompute it again", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Version of the file.
        found: u32,
        /// Version of this program.
        expected: u32,
    },
    /// Modes where responses are wanted, or vice versa.
    #[error("{} holds {found}, not {expected}: name another file, or precompute it again", path.display())]
    Kind {
        /// The file.
        path: PathBuf,
        /// What it holds.
        found: &'static str,
        /// What is wanted.
        expected: &'static str,
    },
    /// Results of another body.
    #[error(
        "{} was computed from another mesh, material or setting (it has the digest {found}, and this body {expected}): \
         precompute it again", path.display()
    )]
    Other {
        /// The file.
        path: PathBuf,
        /// Digest in the file.
        found: String,
        /// Digest of the recipe.
        expected: String,
    },
    /// The file is too short or too long.
    #[error("{} has {found} bytes instead of {expected}, so it is not complete: precompute it again", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// Expected length [bytes].
        expected: u64,
        /// Actual length [bytes].
        found: u64,
    },
    /// The file has changed since it was written.
    #[error("{} is damaged in its {section}: precompute it again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damaged part.
        section: String,
    },
    /// The machine is big-endian and cannot use the numbers in place.
    #[error("this machine stores numbers the other way round than {}: precompute it here", path.display())]
    Endian {
        /// The file.
        path: PathBuf,
    },
    /// Another process is writing the file.
    #[error("{} is being computed by another process: wait for it, or choose another folder", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error("{} cannot be written: {why}", path.display())]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// The message of the operating system, and what to do.
        why: String,
    },
}

impl StoreError {
    /// Whether the file does not exist.
    pub fn is_missing(&self) -> bool {
        matches!(self, StoreError::Unreadable { missing: true, .. })
    }

    pub(crate) fn unreadable(path: &Path, error: &io::Error) -> StoreError {
        let missing = error.kind() == io::ErrorKind::NotFound;
        let why = if missing { "there is no such file".to_string() } else { error.to_string() };
        StoreError::Unreadable { path: path.into(), why, missing }
    }

    pub(crate) fn unwritable(path: &Path, error: &io::Error) -> StoreError {
        let why = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                format!("{error}. Make room, or choose another folder")
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                format!("{error}. Choose another folder")
            }
            _ => error.to_string(),
        };
        StoreError::Unwritable { path: path.into(), why }
    }

    pub(crate) fn damaged(path: &Path, section: impl Into<String>) -> StoreError {
        StoreError::Damaged { path: path.into(), section: section.into() }
    }
}
