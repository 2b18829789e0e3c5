//! Reading files with bounded size, so that a wrong name ends in a message and not in exhausted memory.

pub(crate) mod mesh;
pub(crate) mod samples;
pub(crate) mod tets;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::text::fault::Fault;

/// Largest scene file [bytes].
pub(crate) const SCENE_BYTES: u64 = 64 << 20;

/// Largest number of brackets, commas and equals signs in a scene file, which bounds its number of values: a value
/// takes more than a hundred bytes of memory, but as few as two of text. A path of a million points has half as many.
const SCENE_MARKS: usize = 8_000_000;

/// Largest total size of all meshes and tables of a scene [bytes].
const DATA_BYTES: u64 = 256 << 20;

/// Largest total number of cell corners of all solids of a scene: a few gigabytes of particles and connectors.
const MOST_CORNERS: usize = 4_000_000;

/// The files a scene refers to, and what is left of the limits on them.
pub(crate) struct Files {
    base: PathBuf,
    bytes: u64,
    /// Triangles left for meshes, hulls and height fields.
    pub(crate) triangles: usize,
    /// Rows left for tables of poses.
    pub(crate) rows: usize,
    /// Cell corners left for solids.
    corners: usize,
    /// Warnings about what was read.
    pub(crate) warnings: Vec<String>,
}

impl Files {
    /// `base` is the folder that relative names refer to.
    pub(crate) fn new(base: &Path) -> Files {
        Files {
            base: base.into(),
            bytes: DATA_BYTES,
            triangles: 5_000_000,
            rows: 1_000_000,
            corners: MOST_CORNERS,
            warnings: vec![],
        }
    }

    /// Path of a file named in the scene.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.base.join(name)
    }

    /// Contents of a file named in the scene.
    pub(crate) fn read(&mut self, name: &str) -> Result<Vec<u8>, Fault> {
        let bytes = read_bounded(&self.path(name), self.bytes).map_err(|e| Fault::new(format!("{name}: {e}")))?;
        self.bytes -= bytes.len() as u64;
        Ok(bytes)
    }

    /// Take some of the triangles left. Fails if there are too few.
    pub(crate) fn take_triangles(&mut self, count: usize) -> Result<(), Fault> {
        self.triangles = self.triangles.checked_sub(count).ok_or_else(|| {
            Fault::new(format!("{count} triangles are too many: all meshes together may have 5000000"))
        })?;
        Ok(())
    }

    /// Take some of the cell corners left, given as their numbers along three axes, before memory is allocated. Fails
    /// if there are too few.
    pub(crate) fn take_corners(&mut self, factors: [usize; 3]) -> Result<(), Fault> {
        let corners = factors.into_iter().fold(1usize, usize::saturating_mul);
        self.corners = self.corners.checked_sub(corners).ok_or_else(|| {
            let message = "corners of cells are too many: all solids together may have";
            Fault::new(format!("{corners} {message} {MOST_CORNERS}"))
        })?;
        Ok(())
    }
}

/// Fail if a text would take too much memory to parse.
pub(crate) fn check_text(text: &str) -> Result<(), String> {
    if text.len() as u64 > SCENE_BYTES {
        return Err(format!("is too large: at most {} MiB can be read", SCENE_BYTES >> 20));
    }
    let marks = text.bytes().filter(|byte| matches!(byte, b'[' | b'{' | b',' | b'=')).count();
    if marks > SCENE_MARKS {
        return Err(format!("has too many values: {marks} brackets, commas and equals signs, at most {SCENE_MARKS}"));
    }
    Ok(())
}

/// Contents of a regular file of at most `limit` bytes; pipes and devices, which could block forever, are refused.
pub(crate) fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    let unreadable = |e: std::io::Error| match e.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_string(),
        _ => format!("cannot be read: {e}"),
    };
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if metadata.is_dir() {
        return Err("is a folder, not a file".into());
    }
    if !metadata.is_file() {
        return Err("is not a regular file".into());
    }
    let too_large = || format!("is too large: at most {} MiB can be read", limit >> 20);
    if metadata.len() > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // one byte more than allowed, to detect a file that has grown meanwhile
    File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let read = |name: &str, limit| read_bounded(&dir.path().join(name), limit);
        std::fs::write(dir.path().join("ten"), "0123456789").unwrap();
        assert_eq!(read("ten", 10).unwrap(), b"0123456789");
        assert!(read("ten", 9).unwrap_err().contains("too large"));
        assert!(read("missing", 9).unwrap_err().contains("no such file"));
        assert!(read("", 9).unwrap_err().contains("folder"));
        assert!(read("a\0b", 9).unwrap_err().contains("cannot be read"));
        #[cfg(unix)]
        assert!(read_bounded(Path::new("/dev/zero"), 9).unwrap_err().contains("regular"));
    }

    #[test]
    fn a_sparse_gigabyte_is_refused_unread() {
        let dir = tempfile::tempdir().unwrap();
        let file = File::create(dir.path().join("big")).unwrap();
        file.set_len(1 << 30).unwrap();
        assert!(read_bounded(&dir.path().join("big"), DATA_BYTES).unwrap_err().contains("256 MiB"));
    }

    #[test]
    fn the_files_of_a_scene_share_one_bound() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("ten"), "0123456789").unwrap();
        let mut files = Files { bytes: 15, ..Files::new(dir.path()) };
        assert!(files.read("ten").is_ok());
        assert!(files.read("ten").is_err());
        assert!(files.take_triangles(4_000_000).is_ok());
        assert!(files.take_triangles(4_000_000).is_err());
    }
}
