//! A file that grows by whole blocks, so that whatever happens it ends where a block ends.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// Collects writes in memory until [`Write::flush`] appends them to the file as one block.
///
/// When that fails, as on a full disk, the part that got through is cut off again: a reader finds whole blocks only.
/// The block is kept, and the next flush tries again.
#[derive(Debug)]
pub(crate) struct BlockFile {
    file: File,
    block: Vec<u8>,
    /// Length of the file up to the end of its last block.
    length: u64,
}

impl BlockFile {
    /// Create a file that must not exist.
    pub fn create_new(path: &Path) -> io::Result<BlockFile> {
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        Ok(BlockFile { file, block: vec![], length: 0 })
    }

    /// Append the block and wait until the disk has it, which is when some file systems tell that they are full.
    pub fn flush_to_disk(&mut self) -> io::Result<()> {
        self.flush()?;
        self.file.sync_all()
    }
}

impl Write for BlockFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.block.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        let written = self.file.seek(SeekFrom::Start(self.length)).and_then(|_| self.file.write_all(&self.block));
        if let Err(cause) = written {
            // the first error is the one to tell; a disk that refuses to shorten a file has nothing to add
            let _ = self.file.set_len(self.length);
            return Err(cause);
        }
        self.length += self.block.len() as u64;
        self.block.clear();
        Ok(())
    }
}

impl Drop for BlockFile {
    fn drop(&mut self) {
        // nobody is left to be told of a failure
        let _ = self.flush();
    }
}
