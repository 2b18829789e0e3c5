//! Files of modes.

use super::error::StoreError;
use super::hull;
use super::layout::{Kind, Name};
use super::open::Opened;
use super::write::{of_numbers, write};
use crate::precompute::digest::Digest;
use pliant::response::{Basis, Compliance};
use std::path::Path;

const SQUARES: Name = *b"squares ";
const MOMENTS: Name = *b"moments ";
const SHAPES: Name = *b"shapes  ";
const FULL: Name = *b"full    ";
const LOCAL: Name = *b"local   ";

/// Write modes to a file, with the digest of their recipe. The file appears under its name only when complete.
pub fn write_basis(path: &Path, digest: Digest, basis: &Basis) -> Result<(), StoreError> {
    let mut sections = hull::sections(&basis.hull);
    sections.push((SQUARES, of_numbers(basis.squares.iter().copied())));
    sections.push((MOMENTS, of_numbers(basis.moments.iter().flatten().flatten().copied())));
    let compliance: (Name, &[f64]) = match &basis.compliance {
        Compliance::Full(numbers) => (FULL, numbers),
        Compliance::Local(numbers) => (LOCAL, numbers),
    };
    write(path, Kind::Modes, digest, &sections, &[(SHAPES, &basis.shapes), compliance])
}

/// Open a file of modes, verify all of it and use it in place. Fails if the file does not have the given digest.
pub fn open_basis(path: &Path, digest: Option<Digest>) -> Result<Basis, StoreError> {
    let file = Opened::new(path, Kind::Modes, digest)?;
    let hull = hull::read(&file)?;
    let unknowns = 3 * hull.nodes.len();
    let section = file.sections.iter().find(|section| section.name == SQUARES).ok_or_else(|| file.wrong(&SQUARES))?;
    let squares = file.numbers_of(section)?.to_vec();
    let sound = squares.iter().all(|square| *square > 0.0 && square.is_finite());
    if squares.is_empty() || !sound || !squares.is_sorted() {
        return Err(file.wrong(&SQUARES));
    }
    let moments = file.numbers(&MOMENTS, 9 * squares.len())?;
    let moments = moments.chunks_exact(9).map(|m| std::array::from_fn(|i| std::array::from_fn(|j| m[3 * i + j])));
    Ok(Basis {
        moments: moments.collect(),
        shapes: file.numbers(&SHAPES, unknowns * squares.len())?,
        compliance: if file.has(&FULL) {
            Compliance::Full(file.numbers(&FULL, unknowns * (unknowns + 1) / 2)?)
        } else {
            Compliance::Local(file.numbers(&LOCAL, 3 * unknowns)?)
        },
        squares,
        hull,
    })
}
