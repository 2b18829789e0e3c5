//! Memory-mapped files.

use super::error::StoreError;
use memmap2::Mmap;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// `unsafe` because truncating or overwriting a mapped file changes a slice that Rust takes to be constant. Our files
/// are never written in place: they appear by a rename when complete and are replaced by another rename, which leaves
/// the mapping intact. Overwriting one by other means while it is in use may give wrong numbers or kill the process.
#[allow(unsafe_code)]
mod mapping {
    use super::*;

    /// Map a whole file, read-only.
    pub fn map(file: &File) -> std::io::Result<Mmap> {
        // SAFETY: see above
        unsafe { Mmap::map(file) }
    }
}

/// The contents of a mapped file.
#[derive(Clone)]
pub(crate) struct Mapped(Arc<Mmap>);

impl Mapped {
    /// Map a regular file.
    pub fn new(path: &Path) -> Result<Mapped, StoreError> {
        let unreadable = |error: &std::io::Error| StoreError::unreadable(path, error);
        // pipes and devices cannot be mapped, and folders can be opened like files; checked by name, since opening a
        // pipe blocks until somebody writes to it
        if !std::fs::metadata(path).map_err(|error| unreadable(&error))?.is_file() {
            return Err(StoreError::NotOurs { path: path.into(), why: "it is no regular file" });
        }
        let file = File::open(path).map_err(|error| unreadable(&error))?;
        mapping::map(&file).map(|map| Mapped(Arc::new(map))).map_err(|error| unreadable(&error))
    }

    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Numbers in a byte range, used in place; `None` if the range is out of bounds or misaligned.
    pub fn numbers(&self, range: Range<usize>) -> Option<InPlace> {
        let bytes = self.bytes().get(range.clone())?;
        bytemuck::try_cast_slice::<u8, f64>(bytes).ok()?;
        Some(InPlace { map: self.clone(), range })
    }
}

/// Numbers in a mapped file, in a range known to be valid and aligned.
pub(crate) struct InPlace {
    map: Mapped,
    range: Range<usize>,
}

impl AsRef<[f64]> for InPlace {
    fn as_ref(&self) -> &[f64] {
        let bytes = self.map.bytes().get(self.range.clone()).unwrap_or_default();
        bytemuck::try_cast_slice(bytes).unwrap_or_default()
    }
}
