//! A file mapped into memory.

use super::error::StoreError;
use memmap2::Mmap;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// `unsafe` because a mapped file that somebody shortens or overwrites changes under a slice that Rust takes to be constant. Ours are
/// never written in place: they appear by a rename when complete and are replaced by another rename, which leaves what is
/// mapped as it was. Whoever overwrites one by other means while it is used must expect wrong numbers or the end of the
/// process.
#[allow(unsafe_code)]
mod mapping {
    use super::*;

    /// Map a whole file, to read.
    pub fn map(file: &File) -> std::io::Result<Mmap> {
        // SAFETY: see above
        unsafe { Mmap::map(file) }
    }
}

/// The content of a file.
#[derive(Clone)]
pub(crate) struct Mapped(Arc<Mmap>);

impl Mapped {
    /// Map a regular file.
    pub fn new(path: &Path) -> Result<Mapped, StoreError> {
        let unreadable = |error: &std::io::Error| StoreError::unreadable(path, error);
        // pipes and devices cannot be mapped, and folders only look like files; looked at by name, as to open a pipe waits for
        // whoever writes to it
        if !std::fs::metadata(path).map_err(|error| unreadable(&error))?.is_file() {
            return Err(StoreError::NotOurs { path: path.into(), why: "it is no regular file" });
        }
        let file = File::open(path).map_err(|error| unreadable(&error))?;
        mapping::map(&file).map(|map| Mapped(Arc::new(map))).map_err(|error| unreadable(&error))
    }

    /// All of it.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Numbers at a range of bytes, used in place; none if there are no such.
    pub fn numbers(&self, range: Range<usize>) -> Option<InPlace> {
        let bytes = self.bytes().get(range.clone())?;
        bytemuck::try_cast_slice::<u8, f64>(bytes).ok()?;
        Some(InPlace { map: self.clone(), range })
    }
}

/// Numbers in a mapped file: a range that is known to be there and aligned.
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
