//! Writing a file: under a temporary name, renamed when it is complete and on disk.

use super::error::StoreError;
use super::layout::{Kind, Layout, Name, checksum};
use crate::precompute::digest::Digest;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Write sections to a file. An existing file is replaced atomically; on failure it stays and nothing else is left
/// behind.
pub(crate) fn write(
    path: &Path,
    kind: Kind,
    digest: Digest,
    sections: &[(Name, Vec<u8>)],
    big: &[(Name, &[f64])],
) -> Result<(), StoreError> {
    // numbers in the file are little-endian, so memory can be written as it is only on a little-endian machine
    if cfg!(target_endian = "big") {
        return Err(StoreError::Endian { path: path.into() });
    }
    let big: Vec<(Name, &[u8])> = big.iter().map(|(name, numbers)| (*name, bytemuck::cast_slice(numbers))).collect();
    let all: Vec<(Name, &[u8])> = sections.iter().map(|(name, bytes)| (*name, &bytes[..])).chain(big).collect();
    let mut layout = Layout::new(kind, digest, all.iter().map(|(name, bytes)| (*name, bytes.len() as u64)));
    for (section, (_, bytes)) in layout.sections.iter_mut().zip(&all) {
        section.checksum = checksum(bytes);
    }
    let fill = |file: &mut File| {
        let mut out = BufWriter::new(file);
        let head = layout.bytes();
        out.write_all(&head)?;
        let mut at = head.len() as u64;
        for (section, (_, bytes)) in layout.sections.iter().zip(&all) {
            let gap = section.start.saturating_sub(at) as usize;
            out.write_all(&[0; 64][..gap.min(64)])?;
            out.write_all(bytes)?;
            at = section.start + section.length;
        }
        out.flush()
    };
    replace(path, fill).map_err(|error| StoreError::unwritable(path, &error))
}

/// Fill a temporary file and rename it.
fn replace(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let folder = folder(path);
    std::fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".precomputing-").suffix(".part");
    #[cfg(unix)]
    {
        // permissions of an ordinary file, not the owner-only ones of temporary files
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    // removed on drop if anything below fails
    let mut file = builder.tempfile_in(folder)?;
    fill(file.as_file_mut())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_folder(folder);
    Ok(())
}

/// The folder that contains a file.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Flush a rename to disk. If the folder cannot be opened, the rename still holds unless the power fails.
pub(crate) fn sync_folder(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// Bytes of floating-point numbers.
pub(crate) fn of_numbers(numbers: impl IntoIterator<Item = f64>) -> Vec<u8> {
    numbers.into_iter().flat_map(f64::to_le_bytes).collect()
}

/// Bytes of integers.
pub(crate) fn of_counts(counts: impl IntoIterator<Item = u32>) -> Vec<u8> {
    counts.into_iter().flat_map(u32::to_le_bytes).collect()
}
