//! Surface and rigid-body properties in a file.

use super::error::StoreError;
use super::layout::Name;
use super::open::Opened;
use super::write::{of_counts, of_numbers};
use pliant::math::Vec3;
use pliant::response::Hull;

const NODES: Name = *b"nodes   ";
const FACETS: Name = *b"facets  ";
const RIGID: Name = *b"rigid   ";
/// Surface nodes that are held; only of a body that is.
const FIXED: Name = *b"fixed   ";

/// Sections of a hull.
pub(crate) fn sections(hull: &Hull) -> Vec<(Name, Vec<u8>)> {
    let rigid = [hull.mass].into_iter().chain(hull.centre.to_array()).chain(hull.inertia.into_iter().flatten());
    let mut sections = vec![
        (NODES, of_numbers(hull.nodes.iter().flat_map(Vec3::to_array))),
        (FACETS, of_counts(hull.facets.iter().flatten().copied())),
        (RIGID, of_numbers(rigid)),
    ];
    if let Some(fixed) = &hull.fixed {
        sections.push((FIXED, of_counts(fixed.iter().copied())));
    }
    sections
}

/// Read a hull. Fails unless facets refer to existing nodes and the mass is positive.
pub(crate) fn read(file: &Opened) -> Result<Hull, StoreError> {
    let section = file.sections.iter().find(|section| section.name == NODES).ok_or_else(|| file.wrong(&NODES))?;
    let nodes: Vec<Vec3> = file.numbers_of(section)?.chunks_exact(3).map(Vec3::from_slice).collect();
    let corners = file.counts(&FACETS)?;
    let known = |corner: &u32| (*corner as usize) < nodes.len();
    if !corners.len().is_multiple_of(3) || !corners.iter().all(known) {
        return Err(file.wrong(&FACETS));
    }
    if nodes.is_empty() || section.length != 24 * nodes.len() as u64 || !nodes.iter().all(|at| at.is_finite()) {
        return Err(file.wrong(&NODES));
    }
    let rigid = file.numbers(&RIGID, 13)?;
    if !(rigid[0] > 0.0 && rigid.iter().all(|x| x.is_finite())) {
        return Err(file.wrong(&RIGID));
    }
    let fixed = if file.has(&FIXED) { Some(file.counts(&FIXED)?) } else { None };
    if fixed.iter().flatten().any(|node| !known(node)) {
        return Err(file.wrong(&FIXED));
    }
    Ok(Hull {
        fixed,
        facets: corners.chunks_exact(3).map(|facet| [facet[0], facet[1], facet[2]]).collect(),
        mass: rigid[0],
        centre: Vec3::from_slice(&rigid[1..4]),
        inertia: std::array::from_fn(|i| std::array::from_fn(|j| rigid[4 + 3 * i + j])),
        nodes,
    })
}
