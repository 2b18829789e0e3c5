//! How well particles represent the inertia of a deforming solid, and how many cells that takes.

use super::cells::Cells;
use super::discretise::DiscretiseError;
use super::particles::{MassError, Particles};
use super::rules::MassRule;
use crate::math::Vec3;
use crate::moments::Moments;

/// Relative error of the inertia matrix (Frobenius norm) of particles made from cells and moved along with them.
///
/// Masses are those of the cells before, positions those in the cells after. The reference is the solid of the cells
/// after, with the mass of each cell distributed evenly over it: the paper's comparison ("one particle changes its
/// position by 10 %"). The cells after are not checked, so they may be distorted. Fails if the cells do not correspond
/// or cannot become particles.
pub fn inertia_error(before: &Cells, after: &Cells, rule: MassRule) -> Result<f64, MassError> {
    if before.cells() != after.cells() || before.vertices().len() != after.vertices().len() {
        return Err(MassError::OtherCells { what: "their vertices differ" });
    }
    let particles = Particles::new(before, 1.0, rule)?;
    let positions = particles.positions_in(after)?;
    let cut = rule.cut();
    let truth = Moments::sum((0..after.cells().len()).map(|cell| {
        let mass = before.cell_moments(cell, cut).volume;
        let moved = after.cell_moments(cell, cut);
        moved.scaled(mass / moved.volume)
    }));
    Ok(Moments::of_points(&positions, &particles.masses).inertia_error(&truth))
}

/// A solid meshed finely enough.
#[derive(Clone, Debug, PartialEq)]
pub struct Refined {
    /// The cells.
    pub cells: Cells,
    /// The fineness they were made with: 1, 2, 4, ...
    pub fineness: usize,
    /// Relative error of the inertia matrix under the deformation [-].
    pub error: f64,
}

/// Why no mesh was fine enough.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RefineError {
    /// The solid cannot be meshed.
    #[error(transparent)]
    Discretise(#[from] DiscretiseError),
    /// A mesh cannot become particles.
    #[error(transparent)]
    Mass(#[from] MassError),
    /// More cells than allowed would be needed.
    #[error(
        "with {cells} cells the inertia is still off by {error:.3e} under the deformation, {tolerance:.3e} was asked \
         for: allow more cells or a larger error"
    )]
    TooFine {
        /// Number of cells of the finest mesh tried.
        cells: usize,
        /// Its error [-].
        error: f64,
        /// Error requested [-].
        tolerance: f64,
    },
}

/// The coarsest mesh of a solid, by doubling its fineness, whose particles reproduce the inertia matrix under a
/// deformation within `tolerance`, with at most `most` cells.
///
/// `build` meshes the solid with a given fineness, `deform` gives the new position of a material point [m]. Particles
/// move with the material. The reference is the deformed solid itself, with the mass of each piece of material
/// unchanged, from the exact symmetric rule on a mesh twice as fine: straight cells would hide the bending of their
/// solid.
pub fn cells_for(
    build: impl Fn(usize) -> Result<Cells, DiscretiseError>,
    deform: impl Fn(Vec3) -> Vec3,
    rule: MassRule,
    tolerance: f64,
    most: usize,
) -> Result<Refined, RefineError> {
    let inertia = |cells: &Cells, rule| -> Result<Moments, MassError> {
        let particles = Particles::new(cells, 1.0, rule)?;
        let positions: Vec<Vec3> = particles.positions.iter().map(|p| deform(*p)).collect();
        Ok(Moments::of_points(&positions, &particles.masses))
    };
    let (mut fineness, mut cells) = (1, build(1)?);
    if cells.cells().len() > most {
        return Err(DiscretiseError::TooMany { what: "cells of the coarsest cut", most }.into());
    }
    loop {
        let finer = build(2 * fineness)?;
        let error = inertia(&cells, rule)?.inertia_error(&inertia(&finer, MassRule::SymmetricExact)?);
        if error <= tolerance {
            return Ok(Refined { cells, fineness, error });
        }
        // without more cells the loop would never end: `build` ignores its fineness
        if finer.cells().len() > most || finer.cells().len() <= cells.cells().len() {
            return Err(RefineError::TooFine { cells: cells.cells().len(), error, tolerance });
        }
        (fineness, cells) = (2 * fineness, finer);
    }
}
