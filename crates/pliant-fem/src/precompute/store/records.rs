//! Recorded responses in a file that grows one response at a time, so that an interruption loses only the unfinished
//! ones.
//!
//! Until it is complete, the file has another name and no checksum in its header. The directory entry of a response
//! gets its checksum after the response has reached the disk; so whatever happens, the file says which responses it
//! has.

use super::error::StoreError;
use super::layout::{Kind, Layout, Name, Section, checksum};
use super::open::Opened;
use super::write::{folder, of_counts, of_numbers, sync_folder, write};
use super::{hull, layout};
use crate::precompute::digest::Digest;
use pliant::response::{Hull, Records};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const TIMING: Name = *b"timing  ";
const TOUCHED: Name = *b"touched ";

/// What is known before any response is computed.
pub(crate) struct Frame {
    pub digest: Digest,
    pub hull: Hull,
    /// Length of a sample [s].
    pub sample: f64,
    pub samples: usize,
    /// Surface nodes that forces act on.
    pub touched: Vec<u32>,
}

/// Name of the section of a response.
fn name(response: usize) -> Name {
    let mut name = *b"R0000000";
    let text = format!("R{response:07}");
    name.iter_mut().zip(text.bytes()).for_each(|(to, from)| *to = from);
    name
}

impl Frame {
    /// Number of responses: three per touched node.
    pub fn responses(&self) -> usize {
        3 * self.touched.len()
    }

    /// Length of a response [bytes].
    pub fn bytes(&self) -> u64 {
        8 * 3 * self.hull.nodes.len() as u64 * self.samples as u64
    }

    /// Sections that are known in advance.
    fn small(&self) -> Vec<(Name, Vec<u8>)> {
        let mut sections = hull::sections(&self.hull);
        sections.push((TIMING, of_numbers([self.sample, self.samples as f64])));
        sections.push((TOUCHED, of_counts(self.touched.iter().copied())));
        sections
    }
}

/// An incomplete file, locked by this process.
pub(crate) struct Part {
    path: PathBuf,
    file: File,
    layout: Layout,
    /// Number of sections before the responses.
    before: usize,
}

/// What an earlier attempt left.
pub(crate) enum Begun {
    /// An incomplete file, and whether it contains each response.
    Part(Part, Vec<bool>),
    /// A complete file.
    Complete(Records),
}

/// Name of a file until it is complete.
fn part_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".part");
    path.with_file_name(name)
}

impl Part {
    /// Create a file, or resume one of the same recipe after verifying the responses in it.
    pub fn open(path: &Path, frame: &Frame) -> Result<Begun, StoreError> {
        if cfg!(target_endian = "big") {
            return Err(StoreError::Endian { path: path.into() });
        }
        let part_path = part_path(path);
        let failed = |error: &io::Error| StoreError::unwritable(&part_path, error);
        std::fs::create_dir_all(folder(path)).map_err(|error| failed(&error))?;
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(&part_path);
        let file = file.map_err(|error| failed(&error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::Busy { path: part_path }),
            Err(TryLockError::Error(error)) => return Err(failed(&error)),
        }
        // another process may have completed it meanwhile: what was opened may be the complete file, which must not be
        // changed
        if let Ok(records) = open_records(path, Some(frame.digest)) {
            let _ = std::fs::remove_file(&part_path);
            return Ok(Begun::Complete(records));
        }
        let small = frame.small();
        let responses = (0..frame.responses()).map(|n| (name(n), frame.bytes()));
        let lengths = small.iter().map(|(name, bytes)| (*name, bytes.len() as u64)).chain(responses);
        let layout = Layout::new(Kind::Records, frame.digest, lengths);
        let mut part = Part { path: part_path.clone(), file, layout, before: small.len() };
        let found = part.go_on(&small).map_err(|error| failed(&error))?;
        Ok(Begun::Part(part, found))
    }

    /// Keep the valid responses, or start over.
    fn go_on(&mut self, small: &[(Name, Vec<u8>)]) -> io::Result<Vec<bool>> {
        for (section, (_, bytes)) in self.layout.sections.iter_mut().zip(small) {
            section.checksum = checksum(bytes);
        }
        let head = self.layout.identity();
        let mut there = vec![0; Layout::entry_start(self.layout.sections.len()) as usize];
        let begun = self.read_at(0, &mut there)? && there.starts_with(&head);
        if !begun {
            self.file.set_len(0)?;
            there.fill(0);
        }
        // reserve the length; a disk that is too small shows only when the file is filled
        self.file.set_len(self.layout.length())?;
        let mut found = vec![];
        let mut bytes = vec![0; self.layout.sections.last().map_or(0, |last| last.length as usize)];
        for n in self.before..self.layout.sections.len() {
            let at = Layout::entry_start(n) as usize;
            let entry = there.get(at..at + 32).and_then(Section::read);
            let section = self.layout.sections[n];
            let entry = entry.filter(|entry| entry.checksum != 0 && Section { checksum: 0, ..*entry } == section);
            let whole = match entry {
                Some(entry) => self.read_at(section.start, &mut bytes)? && checksum(&bytes) == entry.checksum,
                None => false,
            };
            self.layout.sections[n].checksum = entry.filter(|_| whole).map_or(0, |entry| entry.checksum);
            found.push(whole);
        }
        // the directory without damaged responses, and no checksum in the header yet
        self.write_at(0, &head)?;
        self.write_at(head.len() as u64, &[0; 8])?;
        let directory: Vec<u8> = self.layout.sections.iter().flat_map(Section::bytes).collect();
        self.write_at(Layout::entry_start(0), &directory)?;
        for (n, (_, bytes)) in small.iter().enumerate() {
            self.write_at(self.layout.sections[n].start, bytes)?;
        }
        self.file.sync_data()?;
        Ok(found)
    }

    /// Write a response to disk, then its checksum to the directory.
    pub fn write(&mut self, response: usize, values: &[f64]) -> Result<(), StoreError> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let n = self.before + response;
        let mut section = self.layout.sections[n];
        section.checksum = checksum(bytes);
        self.layout.sections[n] = section;
        let write = |part: &mut Part| {
            part.write_at(section.start, bytes)?;
            part.file.sync_data()?;
            part.write_at(Layout::entry_start(n), &section.bytes())
        };
        write(self).map_err(|error| StoreError::unwritable(&self.path, &error))
    }

    /// Complete the header and rename the file.
    pub fn finish(mut self, path: &Path) -> Result<(), StoreError> {
        let finish = |part: &mut Part| {
            // responses first: a header with a checksum says that everything is there
            part.file.sync_all()?;
            let head = part.layout.bytes();
            part.write_at(0, &head)?;
            part.file.sync_all()?;
            std::fs::rename(&part.path, path)?;
            sync_folder(folder(path));
            Ok(())
        };
        finish(&mut self).map_err(|error: io::Error| StoreError::unwritable(path, &error))
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(at))?;
        self.file.write_all(bytes)
    }

    /// Fill a buffer from an offset; false if the file ends before.
    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<bool> {
        self.file.seek(SeekFrom::Start(at))?;
        match self.file.read_exact(bytes) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// Write responses that are all known to a file, with a digest. The file appears under its name only when complete.
pub fn write_records(path: &Path, digest: Digest, records: &Records) -> Result<(), StoreError> {
    let Records { hull, sample, samples, nodes, responses } = records;
    let frame = Frame { digest, hull: hull.clone(), sample: *sample, samples: *samples, touched: nodes.clone() };
    let big: Vec<(Name, &[f64])> = responses.iter().enumerate().map(|(n, list)| (name(n), &list[..])).collect();
    write(path, Kind::Records, digest, &frame.small(), &big)
}

/// Open a file of recorded responses, verify all of it and use it in place. Fails if the file does not have the given
/// digest.
pub fn open_records(path: &Path, digest: Option<Digest>) -> Result<Records, StoreError> {
    let file = Opened::new(path, Kind::Records, digest)?;
    let hull = hull::read(&file)?;
    let timing = file.numbers(&TIMING, 2)?;
    let (sample, samples) = (timing[0], timing[1]);
    if !(sample > 0.0 && sample.is_finite() && (1.0..1e9).contains(&samples)) {
        return Err(file.wrong(&TIMING));
    }
    let (samples, nodes) = (samples as usize, file.counts(&TOUCHED)?);
    if nodes.is_empty() || nodes.iter().any(|node| *node as usize >= hull.nodes.len()) {
        return Err(file.wrong(&TOUCHED));
    }
    let length = 3 * hull.nodes.len() * samples;
    // in the order of the file, to avoid a search for each
    let first = file.sections.iter().position(|section| section.name == name(0)).ok_or_else(|| file.wrong(&name(0)))?;
    let mut responses = Vec::with_capacity(3 * nodes.len());
    for n in 0..3 * nodes.len() {
        let section = file.sections.get(first + n).filter(|section| section.name == name(n));
        let numbers = file.numbers_of(section.ok_or_else(|| file.wrong(&name(n)))?)?;
        if numbers.len() != length {
            return Err(StoreError::damaged(path, format!("section `{}`", layout::label(&name(n)))));
        }
        responses.push(numbers);
    }
    Ok(Records { hull, sample, samples, nodes, responses })
}
