//! A file that grows by whole blocks and is complete after each.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::gate::{self, Gate};

/// Collects writes in memory until [`Write::flush`] appends them to the file as one block.
///
/// The last block is followed by an ending, if the format has one, which the next block replaces: many readers refuse a
/// truncated file. A block that ends in the last bytes of the ending is the final one and brings its own. When a block
/// fails, as on a full disk, the part that was written is cut off again; the block is kept, and the next flush retries.
#[derive(Debug)]
pub(crate) struct BlockFile {
    file: File,
    path: PathBuf,
    gate: Gate,
    block: Vec<u8>,
    ending: &'static [u8],
    /// Length of the file up to the end of its last block [bytes].
    length: u64,
    /// Length of the ending after it [bytes].
    ending_length: usize,
}

/// Number of bytes at the end of an ending that identify it.
const MARK_LENGTH: usize = 8;

impl BlockFile {
    /// Create a file that must not exist yet; `ending` is what completes the file after a block. All writes go through the gate.
    pub fn create_new(path: &Path, ending: &'static [u8], gate: &Gate) -> io::Result<BlockFile> {
        let mut unfinished = gate.pass();
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        unfinished.push(path.into());
        drop(unfinished);
        Ok(BlockFile {
            file,
            path: path.into(),
            gate: gate.clone(),
            block: vec![],
            ending,
            length: 0,
            ending_length: 0,
        })
    }

    /// Append the last block and, unless there is no time, sync to disk: some file systems report only then that they are full.
    pub fn finish(&mut self, sync: bool) -> io::Result<()> {
        self.flush()?;
        if sync { self.file.sync_all() } else { Ok(()) }
    }

    /// Write a provisional tail and the ending after the last block; the next block replaces them.
    pub fn save(&mut self, tail: &[u8]) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(tail.len() + self.ending.len());
        bytes.extend_from_slice(tail);
        bytes.extend_from_slice(self.ending);
        self.replace(&bytes).inspect(|()| self.ending_length = bytes.len())
    }

    /// Write bytes after the last block, over the present ending.
    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        // first what goes beyond the present ending, and only then over it: a process killed in between leaves the file
        // as it was, followed by bytes that readers ignore
        let gate = self.gate.clone();
        let mut unfinished = gate.pass();
        let over = self.ending_length.min(bytes.len());
        let written = self
            .write_at(self.length + over as u64, &bytes[over..])
            .and_then(|()| self.write_at(self.length, &bytes[..over]));
        let shorter = bytes.len() < self.ending_length;
        let written = match written {
            Ok(()) if shorter => self.file.set_len(self.length + bytes.len() as u64),
            written => written,
        };
        if written.is_ok() {
            gate::settled(&mut unfinished, &self.path);
        }
        written.inspect_err(|_| {
            // report the first error; failing to truncate the file adds nothing
            let _ = self.file.set_len(self.length + self.ending_length as u64);
        })
    }

    fn brings_its_ending(&self) -> bool {
        let mark = self.ending.len().saturating_sub(MARK_LENGTH);
        self.block.ends_with(&self.ending[mark..])
    }

    fn write_at(&mut self, position: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(position))?;
        self.file.write_all(bytes)
    }
}

impl Write for BlockFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.block.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let block_length = self.block.len();
        if block_length == 0 {
            return Ok(());
        }
        let ending = if self.brings_its_ending() { &[] } else { self.ending };
        self.block.extend_from_slice(ending);
        let block = std::mem::take(&mut self.block);
        let written = self.replace(&block);
        self.block = block;
        if let Err(cause) = written {
            self.block.truncate(block_length);
            return Err(cause);
        }
        self.length += block_length as u64;
        self.ending_length = ending.len();
        self.block.clear();
        Ok(())
    }
}

impl Drop for BlockFile {
    fn drop(&mut self) {
        // there is nobody to report a failure to
        let _ = self.flush();
    }
}

/// A file shared by its writer and its owner.
#[derive(Clone, Debug)]
pub(crate) struct SharedFile(Arc<Mutex<BlockFile>>);

impl SharedFile {
    /// Share a file.
    pub fn new(file: BlockFile) -> SharedFile {
        SharedFile(Arc::new(Mutex::new(file)))
    }

    /// Lock the file.
    pub fn file(&self) -> MutexGuard<'_, BlockFile> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for SharedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_complete_after_every_block() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let content = || std::fs::read_to_string(&path).unwrap();
        let mut file = BlockFile::create_new(&path, b"[the end]", &Gate::default()).unwrap();
        file.write_all(b"one,").unwrap();
        assert_eq!(content(), "", "not before it is flushed");
        file.flush().unwrap();
        assert_eq!(content(), "one,[the end]");
        // shorter and longer than the ending it replaces
        for (block, expected) in [("2,", "one,2,[the end]"), ("number three,", "one,2,number three,[the end]")] {
            file.write_all(block.as_bytes()).unwrap();
            file.flush().unwrap();
            file.flush().unwrap();
            assert_eq!(content(), expected);
        }
        // a provisional tail, longer and shorter than what replaces it
        for tail in ["t,", "a long tail of something,"] {
            file.save(tail.as_bytes()).unwrap();
            assert_eq!(content(), format!("one,2,number three,{tail}[the end]"));
        }
        file.write_all(b"4,").unwrap();
        file.flush().unwrap();
        assert_eq!(content(), "one,2,number three,4,[the end]");
        file.save(b"t,").unwrap();
        file.write_all(b"last [and the end]").unwrap();
        file.finish(true).unwrap();
        assert_eq!(content(), "one,2,number three,4,last [and the end]");
    }

    #[test]
    fn nothing_is_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, "precious").unwrap();
        assert!(BlockFile::create_new(&path, b"", &Gate::default()).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
    }

    /// A file with a block is left as it is, one without is removed, and nothing is written afterwards.
    #[test]
    fn a_closed_gate_leaves_whole_files() {
        let dir = tempfile::tempdir().unwrap();
        let [whole, empty] = ["whole", "empty"].map(|name| dir.path().join(name));
        let gate = Gate::default();
        let mut file = BlockFile::create_new(&whole, b"[the end]", &gate).unwrap();
        file.write_all(b"one,").unwrap();
        file.flush().unwrap();
        file.write_all(b"two,").unwrap();
        let unused = BlockFile::create_new(&empty, b"[the end]", &gate).unwrap();
        assert!(!gate.close());
        std::thread::spawn(move || file.flush());
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert_eq!(std::fs::read_to_string(&whole).unwrap(), "one,[the end]");
        assert!(!empty.exists());
        // dropping it would wait for the gate only if there were something to write
        drop(unused);
    }
}
