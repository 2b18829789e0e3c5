//! Header and directory of a file.

use super::error::StoreError;
use crate::precompute::digest::Digest;
use std::ops::Range;
use std::path::Path;
use twox_hash::XxHash3_64;

/// Version of the format and of the computation: incremented when either changes.
pub(crate) const VERSION: u32 = 1;

const MAGIC: [u8; 8] = *b"\x89PLIANT\n";
const BYTE_ORDER: u64 = 0x0102_0304_0506_0708;
const HEAD: usize = 64;
const ENTRY: usize = 32;
/// Alignment of sections [bytes].
const ALIGN: u64 = 64;
/// Largest number of sections: three for each of 100,000 nodes, and a few more.
const MOST_SECTIONS: u64 = 300_100;

/// What a file contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Modes = 1,
    Records = 2,
}

impl Kind {
    pub fn text(self) -> &'static str {
        match self {
            Kind::Modes => "modes",
            Kind::Records => "recorded responses",
        }
    }
}

/// Name of a section.
pub(crate) type Name = [u8; 8];

/// A section of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    pub name: Name,
    /// Offset in the file [bytes].
    pub start: u64,
    /// Length [bytes].
    pub length: u64,
    pub checksum: u64,
}

/// Header and directory of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub kind: Kind,
    pub digest: Digest,
    pub sections: Vec<Section>,
}

/// Checksum of a section or a header.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// Printable name of a section.
pub(crate) fn label(name: &Name) -> String {
    String::from_utf8_lossy(name).trim_end().to_string()
}

impl Layout {
    /// Lay out sections of these names and lengths [bytes] one after the other; checksums are filled in later.
    pub fn new(kind: Kind, digest: Digest, sections: impl IntoIterator<Item = (Name, u64)>) -> Layout {
        let mut sections: Vec<Section> =
            sections.into_iter().map(|(name, length)| Section { name, start: 0, length, checksum: 0 }).collect();
        let mut next = (HEAD + ENTRY * sections.len()) as u64;
        for section in &mut sections {
            section.start = next.next_multiple_of(ALIGN);
            next = section.start + section.length;
        }
        Layout { kind, digest, sections }
    }

    /// Length of the file [bytes].
    pub fn length(&self) -> u64 {
        self.sections.last().map_or(HEAD as u64, |last| last.start + last.length)
    }

    /// Header and directory as bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.identity();
        let directory: Vec<u8> = self.sections.iter().flat_map(Section::bytes).collect();
        let sum = checksum(&[&bytes[..], &directory].concat());
        bytes.extend(sum.to_le_bytes());
        bytes.extend(directory);
        bytes
    }

    /// The header without its checksum.
    pub fn identity(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(BYTE_ORDER.to_le_bytes());
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((self.kind as u32).to_le_bytes());
        bytes.extend(self.digest.0.to_le_bytes());
        bytes.extend((self.sections.len() as u64).to_le_bytes());
        bytes.extend(self.length().to_le_bytes());
        bytes
    }

    /// Offset of a section's directory entry [bytes].
    pub fn entry_start(section: usize) -> u64 {
        (HEAD + ENTRY * section) as u64
    }

    /// Read the header and directory of a file, given all its bytes. The caller compares the digest.
    pub fn read(path: &Path, file: &[u8], kind: Kind) -> Result<Layout, StoreError> {
        let not_ours = |why| StoreError::NotOurs { path: path.into(), why };
        let damaged = || StoreError::damaged(path, "head");
        let magic = file.get(..MAGIC.len()).ok_or(not_ours("it is too short"))?;
        if magic != MAGIC {
            return Err(not_ours("it begins otherwise"));
        }
        let length = |expected: u64| StoreError::Length { path: path.into(), expected, found: file.len() as u64 };
        if file.len() < HEAD {
            return Err(length(HEAD as u64));
        }
        let long = |at: usize| u64_at(file, at).ok_or_else(damaged);
        let short = |at: usize| Ok::<u32, StoreError>(long(at)? as u32);
        if long(8)? == BYTE_ORDER.swap_bytes() || cfg!(target_endian = "big") {
            return Err(StoreError::Endian { path: path.into() });
        }
        if long(8)? != BYTE_ORDER {
            return Err(damaged());
        }
        let found = short(16)?;
        if found != VERSION {
            return Err(StoreError::Version { path: path.into(), found, expected: VERSION });
        }
        let count = long(40)?;
        if count > MOST_SECTIONS {
            return Err(damaged());
        }
        let end = HEAD + ENTRY * count as usize;
        let directory = file.get(HEAD..end).ok_or_else(|| length(long(48).unwrap_or(end as u64).max(end as u64)))?;
        if checksum(&[&file[..56], directory].concat()) != long(56)? {
            return Err(damaged());
        }
        // from here on the header is known to be intact
        let kinds = [Kind::Modes, Kind::Records];
        let holds = kinds.into_iter().find(|known| Ok(*known as u32) == short(20));
        if holds != Some(kind) {
            let found = holds.map_or("something unknown", Kind::text);
            return Err(StoreError::Kind { path: path.into(), found, expected: kind.text() });
        }
        if long(48)? != file.len() as u64 {
            return Err(length(long(48)?));
        }
        let digest = Digest(u128::from(long(24)?) | u128::from(long(32)?) << 64);
        let sections: Option<Vec<Section>> = directory.chunks_exact(ENTRY).map(Section::read).collect();
        let sections = sections.ok_or_else(damaged)?;
        let sound = |section: &Section| section.range(file.len()).is_some() && section.start >= end as u64;
        let directory = || StoreError::damaged(path, "directory");
        if !sections.iter().all(sound) {
            return Err(directory());
        }
        // sections must follow one another, as they are written
        let mut layout = Layout::new(kind, digest, sections.iter().map(|section| (section.name, section.length)));
        if layout.sections.iter().zip(&sections).any(|(expected, found)| expected.start != found.start) {
            return Err(directory());
        }
        layout.sections = sections;
        Ok(layout)
    }
}

impl Section {
    /// Its directory entry.
    pub fn bytes(&self) -> [u8; ENTRY] {
        let mut bytes = [0; ENTRY];
        let numbers = [self.start, self.length, self.checksum].map(u64::to_le_bytes);
        bytes[..8].copy_from_slice(&self.name);
        bytes[8..].iter_mut().zip(numbers.as_flattened()).for_each(|(to, from)| *to = *from);
        bytes
    }

    /// Parse a directory entry.
    pub fn read(bytes: &[u8]) -> Option<Section> {
        let name = bytes.get(..8)?.try_into().ok()?;
        Some(Section { name, start: u64_at(bytes, 8)?, length: u64_at(bytes, 16)?, checksum: u64_at(bytes, 24)? })
    }

    /// Its byte range in a file of length `file`, if it lies within and is aligned.
    pub fn range(&self, file: usize) -> Option<Range<usize>> {
        let start = usize::try_from(self.start).ok()?;
        let end = start.checked_add(usize::try_from(self.length).ok()?)?;
        (end <= file && self.start.is_multiple_of(ALIGN)).then_some(start..end)
    }
}

impl Layout {
    /// Padding between sections, which is zero.
    pub fn gaps(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let first = HEAD + ENTRY * self.sections.len();
        let ends = self.sections.iter().map(|section| (section.start + section.length) as usize);
        std::iter::once(first).chain(ends).zip(&self.sections).map(|(end, next)| end..next.start as usize)
    }
}

/// The little-endian number at an offset.
fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}
