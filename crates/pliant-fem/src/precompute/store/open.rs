//! Reading a file: nothing is used before its length and checksum are verified.

use super::error::StoreError;
use super::layout::{Kind, Layout, Name, Section, checksum, label};
use super::map::Mapped;
use crate::precompute::digest::Digest;
use pliant::response::Numbers;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A verified file.
pub(crate) struct Opened {
    path: PathBuf,
    map: Mapped,
    pub sections: Vec<Section>,
}

impl Opened {
    /// Map a file and verify all of it, and its digest if one is expected.
    pub fn new(path: &Path, kind: Kind, expected: Option<Digest>) -> Result<Opened, StoreError> {
        let map = Mapped::new(path)?;
        let layout = Layout::read(path, map.bytes(), kind)?;
        if let Some(expected) = expected.filter(|expected| *expected != layout.digest) {
            let (found, expected) = (layout.digest.to_string(), expected.to_string());
            return Err(StoreError::Other { path: path.into(), found, expected });
        }
        let zero = |range| map.bytes().get(range).is_some_and(|gap: &[u8]| gap.iter().all(|byte| *byte == 0));
        if !layout.gaps().all(zero) {
            return Err(StoreError::damaged(path, "gaps between sections"));
        }
        let opened = Opened { path: path.into(), map, sections: layout.sections };
        match opened.sections.iter().find(|section| checksum(opened.bytes(section)) != section.checksum) {
            Some(section) => Err(StoreError::damaged(path, format!("section `{}`", label(&section.name)))),
            None => Ok(opened),
        }
    }

    fn bytes(&self, section: &Section) -> &[u8] {
        let all = self.map.bytes();
        section.range(all.len()).map_or(&[], |range| &all[range])
    }

    /// Error for an invalid section.
    pub fn wrong(&self, name: &Name) -> StoreError {
        StoreError::damaged(&self.path, format!("section `{}`", label(name)))
    }

    fn section(&self, name: &Name) -> Result<&Section, StoreError> {
        self.sections.iter().find(|section| section.name == *name).ok_or_else(|| self.wrong(name))
    }

    /// Whether there is a section of this name.
    pub fn has(&self, name: &Name) -> bool {
        self.sections.iter().any(|section| section.name == *name)
    }

    /// The `count` numbers of a section, used in place. Fails if there are more or fewer.
    pub fn numbers(&self, name: &Name, count: usize) -> Result<Numbers, StoreError> {
        let numbers = self.numbers_of(self.section(name)?)?;
        if numbers.len() == count { Ok(numbers) } else { Err(self.wrong(name)) }
    }

    /// Numbers of a section, used in place.
    pub fn numbers_of(&self, section: &Section) -> Result<Numbers, StoreError> {
        let range = section.range(self.map.bytes().len());
        let numbers = range.and_then(|range| self.map.numbers(range));
        numbers.map(|numbers| Numbers::new(Arc::new(numbers))).ok_or_else(|| self.wrong(&section.name))
    }

    /// The integers of a section.
    pub fn counts(&self, name: &Name) -> Result<Vec<u32>, StoreError> {
        let chunks = self.bytes(self.section(name)?).chunks_exact(4);
        if !chunks.remainder().is_empty() {
            return Err(self.wrong(name));
        }
        Ok(chunks.map(|four| four.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte))).collect())
    }
}
