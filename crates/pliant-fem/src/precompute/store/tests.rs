//! Files with valid checksums and invalid contents, which only this module can make.

#![allow(clippy::unwrap_used)]

use super::layout::checksum;
use super::*;
use crate::precompute::digest::Digest;
use pliant::math::Vec3;
use pliant::response::{Basis, Compliance, Hull};

/// A small basis with the right lengths.
fn basis() -> Basis {
    let numbers = |count: usize| (0..count).map(|n| n as f64).collect::<Vec<f64>>();
    Basis {
        hull: Hull {
            nodes: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
            facets: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
            mass: 1.0,
            ..Hull::default()
        },
        squares: vec![1.0, 2.0],
        shapes: numbers(24).into(),
        moments: vec![[[1.0; 3]; 3], [[2.0; 3]; 3]],
        compliance: Compliance::Full(numbers(78).into()),
    }
}

/// Change bytes of a file, then correct its checksums.
fn forged(change: impl Fn(&mut Vec<u8>)) -> Result<Basis, StoreError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.basis");
    write_basis(&path, Digest(7), &basis()).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    change(&mut bytes);
    let number = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let end = number(&bytes, 40).saturating_mul(32).saturating_add(64);
    if end <= bytes.len() {
        for entry in (64..end).step_by(32) {
            let (start, length) = (number(&bytes, entry + 8), number(&bytes, entry + 16));
            if let Some(section) = start.checked_add(length).and_then(|end| bytes.get(start..end)) {
                let sum = checksum(section).to_le_bytes();
                bytes[entry + 24..entry + 32].copy_from_slice(&sum);
            }
        }
        let sum = checksum(&[&bytes[..56], &bytes[64..end]].concat()).to_le_bytes();
        bytes[56..64].copy_from_slice(&sum);
    }
    std::fs::write(&path, bytes).unwrap();
    open_basis(&path, Some(Digest(7)))
}

#[test]
fn as_it_was() {
    assert_eq!(forged(|_| ()).unwrap(), basis());
}

#[test]
fn any_number_in_head_and_directory_may_be_wrong() {
    let whole = basis();
    let values = [0u64, 1, 7, 8, 63, 64, 65, 500, 1 << 32, u64::MAX / 32, u64::MAX - 63, u64::MAX];
    // seven sections
    for at in (16..64 + 7 * 32).step_by(8).filter(|at| *at != 56) {
        for value in values {
            let result = forged(|bytes| bytes[at..at + 8].copy_from_slice(&value.to_le_bytes()));
            // checksums of sections are corrected again, and a value may be what it was
            assert!(result.is_err() || result == Ok(whole.clone()), "{value} at {at}");
        }
    }
}

#[test]
fn any_byte_of_sections_may_be_wrong() {
    // contents must be validated even where the checksum is right
    let length = {
        let sections =
            hull::sections(&basis().hull).iter().map(|(_, bytes)| bytes.len().next_multiple_of(64)).sum::<usize>();
        64 + 7 * 32 + sections
    };
    for at in (64 + 7 * 32..length).step_by(3) {
        for value in [0u8, 1, 0x7f, 0xff] {
            if let Ok(read) = forged(|bytes| bytes[at] = value) {
                let corners = read.hull.facets.iter().flatten();
                assert!(corners.into_iter().all(|corner| (*corner as usize) < read.hull.nodes.len()));
                assert!(read.hull.mass > 0.0 && read.hull.nodes.iter().all(|at| at.is_finite()));
            }
        }
    }
}

#[test]
fn held_nodes_are_kept_and_must_exist() {
    let kept = |fixed: Option<Vec<u32>>| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.basis");
        let hull = Hull { fixed, ..basis().hull };
        write_basis(&path, Digest(7), &Basis { hull, ..basis() }).unwrap();
        open_basis(&path, Some(Digest(7))).map(|basis| basis.hull.fixed)
    };
    // one that is held inside only has none on its surface
    for fixed in [None, Some(vec![]), Some(vec![1, 3])] {
        assert_eq!(kept(fixed.clone()), Ok(fixed));
    }
    assert!(matches!(kept(Some(vec![4])), Err(StoreError::Damaged { section, .. }) if section.contains("fixed")));
}
