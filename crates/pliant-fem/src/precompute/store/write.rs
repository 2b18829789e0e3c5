//! Writing a file: under another name, and renamed when it is complete and on the disk.

use super::error::StoreError;
use super::layout::{Kind, Layout, Name, checksum};
use crate::precompute::digest::Digest;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Write sections to a file. A file that is there is replaced at once; if anything fails, it stays and nothing else is left.
pub(crate) fn write(
    path: &Path,
    kind: Kind,
    digest: Digest,
    sections: &[(Name, Vec<u8>)],
    big: &[(Name, &[f64])],
) -> Result<(), StoreError> {
    // numbers are little-endian in the file, so bytes of the machine can be written as they are only where it is
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

/// Fill a new file and give it its name.
fn replace(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let folder = folder(path);
    std::fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".precomputing-").suffix(".part");
    #[cfg(unix)]
    {
        // as other files are, not for its owner alone as temporary ones
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    // removed again if anything fails from here on
    let mut file = builder.tempfile_in(folder)?;
    fill(file.as_file_mut())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_folder(folder);
    Ok(())
}

/// The folder of a file.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Let a rename reach the disk. Where a folder cannot be opened for that, the file is there all the same unless the power fails.
pub(crate) fn sync_folder(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// Bytes of numbers.
pub(crate) fn of_numbers(numbers: impl IntoIterator<Item = f64>) -> Vec<u8> {
    numbers.into_iter().flat_map(f64::to_le_bytes).collect()
}

/// Bytes of whole numbers.
pub(crate) fn of_counts(counts: impl IntoIterator<Item = u32>) -> Vec<u8> {
    counts.into_iter().flat_map(u32::to_le_bytes).collect()
}
