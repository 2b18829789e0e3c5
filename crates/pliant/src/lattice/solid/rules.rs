//! Distribution of the mass of a cell to particles.
//!
//! A. Joukhadar, "Robot-Phi", section 4.2.3. A tetrahedron of mass M is M/20 at each corner and 4M/5 at its centre:
//! exact for mass, centre and inertia, because its second moments are V/20 (sum of d dT) about the centre. Other cells
//! are divided into tetrahedra, or approximated by their vertices and centre.

use super::cells::Cell;
use super::split::{Corner, Cut, cell_moments, position, tetrahedra};
use crate::math::Vec3;
use crate::moments::{Moments, inner};

/// How the mass of cells is lumped to particles. A tetrahedron becomes 5 particles by every rule: M/20 at its corners,
/// 4M/5 at its centre.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MassRule {
    /// Vertices, middles of facets of four corners, the centre, and the centres of the tetrahedra between them: 39
    /// particles for a hexahedron, 24 for a wedge, 15 for a pyramid. Exact and symmetric.
    SymmetricExact,
    /// Vertices and the centres of tetrahedra between them: 13 particles for a hexahedron, 9 for a wedge, 7 for a
    /// pyramid. Exact, not symmetric.
    Exact,
    /// Vertices and the centre: 9 particles for a hexahedron, 7 for a wedge, 6 for a pyramid. Exact in mass and centre;
    /// in inertia for boxes and parallelepipeds, within about 1 % for slightly distorted hexahedra, within 8 % for
    /// single wedges and pyramids, whose errors shrink with their share of the body.
    #[default]
    Approximate,
}

impl MassRule {
    /// How the rule divides cells into tetrahedra, which defines the solid where facets are not plane.
    pub fn cut(&self) -> Cut {
        match self {
            MassRule::Exact => Cut::Plain,
            MassRule::SymmetricExact | MassRule::Approximate => Cut::Centred,
        }
    }

    /// This rule, followed by those to try if it would give a particle a mass that is not positive.
    fn attempts(&self) -> [MassRule; 3] {
        use MassRule::{Approximate, Exact, SymmetricExact};
        match self {
            Approximate => [Approximate, SymmetricExact, Exact],
            SymmetricExact => [SymmetricExact, Exact, Exact],
            Exact => [Exact, SymmetricExact, SymmetricExact],
        }
    }
}

/// The mass of a cell at density one as distributed by a rule.
pub(super) struct Shares {
    /// The rule applied.
    pub rule: MassRule,
    /// Masses at vertices, facets and the centre, at density one [m3]; corners may occur several times.
    pub corners: Vec<(Corner, f64)>,
    /// Tetrahedra and the masses at their centres, at density one [m3].
    pub tetrahedra: Vec<([Corner; 4], f64)>,
}

/// Distribute the mass of a cell, by another rule if this one would need a mass that is not positive. The error is the
/// least mass found, if no rule works.
pub(super) fn share(vertices: &[Vec3], cell: &Cell, even: bool, rule: MassRule) -> Result<Shares, f64> {
    let mut least = f64::INFINITY;
    for rule in rule.attempts() {
        let shares = match rule {
            MassRule::Approximate if !matches!(cell, Cell::Tetrahedron(_)) => approximate(vertices, cell, even),
            _ => exact(vertices, cell, even, rule),
        };
        let masses = shares.corners.iter().map(|(_, m)| *m).chain(shares.tetrahedra.iter().map(|(_, m)| *m));
        let smallest = masses.fold(f64::INFINITY, f64::min);
        if smallest > 0.0 {
            return Ok(shares);
        }
        least = least.min(smallest);
    }
    Err(least)
}

/// The tetrahedra of a division, with their volumes [m3].
fn cut_volumes(vertices: &[Vec3], cell: &Cell, cut: Cut, even: bool) -> Vec<([Corner; 4], f64)> {
    // the centre of mass of the cell, so that masses can move between it and the vertices without shifting it
    let centre = cell_moments(vertices, cell, Cut::Centred, even).centre;
    let volume = |t: &[Corner; 4]| Moments::of_tetrahedron(t.map(|c| position(vertices, cell, c, centre))).volume;
    tetrahedra(cell, cut, even).into_iter().map(|t| (t, volume(&t))).collect()
}

/// M/20 at the corners and 4M/5 at the centre of every tetrahedron.
fn exact(vertices: &[Vec3], cell: &Cell, even: bool, rule: MassRule) -> Shares {
    let cut = cut_volumes(vertices, cell, rule.cut(), even);
    let corners = cut.iter().flat_map(|(t, v)| t.map(|c| (c, v / 20.0))).collect();
    let tetrahedra = cut.iter().map(|(t, v)| (*t, 0.8 * v)).collect();
    Shares { rule, corners, tetrahedra }
}

/// Masses at vertices and centre only.
///
/// Start from the centred cut. Shared equally, the centre of each tetrahedron goes to its corners (a quarter each) and
/// the middle of each facet to its vertices, which moves no centre of mass. As the centre of the cell is its centre of
/// mass, so is that of the vertices with the masses w they now have, and any part of them may move to the centre. The
/// paper seeks that ratio recursively; least squares gives it at once: with I the inertia of the cell and J that of
/// the vertices with the whole mass, |r J - I| is least for r = J:I / J:J. A box has J = 3 I: 2M/3 goes to the centre.
fn approximate(vertices: &[Vec3], cell: &Cell, even: bool) -> Shares {
    let mut weights = vec![0.0; cell.vertices().len()];
    for (tetrahedron, volume) in cut_volumes(vertices, cell, Cut::Centred, even) {
        for corner in tetrahedron {
            match corner {
                Corner::Vertex(i) => weights[i] += volume / 4.0,
                Corner::Face(f) => {
                    let face = cell.local_faces()[f].corners();
                    face.iter().for_each(|&i| weights[i as usize] += volume / 4.0 / face.len() as f64);
                }
                Corner::Centre => {}
            }
        }
    }
    let truth = cell_moments(vertices, cell, Cut::Centred, even);
    let total: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|w| *w *= truth.volume / total);
    let corners: Vec<Vec3> = cell.vertices().iter().map(|&v| vertices[v as usize]).collect();
    let all_outside = Moments::of_points(&corners, &weights).inertia;
    let ratio = inner(all_outside, truth.inertia) / inner(all_outside, all_outside);
    let mut shares: Vec<_> = weights.iter().enumerate().map(|(i, w)| (Corner::Vertex(i), ratio * w)).collect();
    shares.push((Corner::Centre, (1.0 - ratio) * truth.volume));
    Shares { rule: MassRule::Approximate, corners: shares, tetrahedra: vec![] }
}
