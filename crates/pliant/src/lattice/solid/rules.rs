//! The mass of one cell shared out among particles.
//!
//! A. Joukhadar, "Robot-Phi", section 4.2.3. A tetrahedron of mass M is M/20 at each corner and 4M/5 at its centre:
//! exact for mass, centre and inertia, because its second moments are V/20 (sum of d dT) about the centre. Other cells
//! are cut into tetrahedra, or approximated by their vertices and centre.

use super::cells::Cell;
use super::split::{Corner, Cut, cell_moments, position, tetrahedra};
use crate::math::Vec3;
use crate::moments::{Moments, inner};

/// How cells become particles. A tetrahedron becomes 5 particles by every rule: M/20 at its corners, 4M/5 within.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MassRule {
    /// Vertices, middles of facets of four corners, the centre, and the centres of the tetrahedra between them: 39
    /// particles for a hexahedron, 24 for a wedge, 15 for a pyramid. Exact and symmetric.
    SymmetricExact,
    /// Vertices and the centres of tetrahedra between them: 13 particles for a hexahedron, 9 for a wedge, 7 for a
    /// pyramid. Exact, not symmetric.
    Exact,
    /// Vertices and the centre: 9 particles for a hexahedron, 7 for a wedge, 6 for a pyramid. Exact in mass and
    /// centre; in inertia for boxes and parallelepipeds, within 1 % or so for hexahedra a little bent, within 8 % for
    /// single wedges and pyramids, whose errors shrink with their share of the body.
    #[default]
    Approximate,
}

impl MassRule {
    /// How the rule cuts cells into tetrahedra, and so what solid it stands for where facets are not plane.
    pub fn cut(&self) -> Cut {
        match self {
            MassRule::Exact => Cut::Plain,
            MassRule::SymmetricExact | MassRule::Approximate => Cut::Centred,
        }
    }

    /// This rule, then what to try where it gives a particle no positive mass.
    fn attempts(&self) -> [MassRule; 3] {
        use MassRule::{Approximate, Exact, SymmetricExact};
        match self {
            Approximate => [Approximate, SymmetricExact, Exact],
            SymmetricExact => [SymmetricExact, Exact, Exact],
            Exact => [Exact, SymmetricExact, SymmetricExact],
        }
    }
}

/// The mass of a cell of density one as shared out by a rule.
pub(super) struct Shares {
    /// The rule that gave it.
    pub rule: MassRule,
    /// Masses at vertices, facets and the centre; corners may come up several times [m3].
    pub corners: Vec<(Corner, f64)>,
    /// Tetrahedra and the masses at their centres [m3].
    pub tetrahedra: Vec<([Corner; 4], f64)>,
}

/// Share out the mass of a cell, by another rule where this one would need a mass that is not positive; the least mass
/// found where no rule does.
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

/// The volumes of the tetrahedra of a cut.
fn cut_volumes(vertices: &[Vec3], cell: &Cell, cut: Cut, even: bool) -> Vec<([Corner; 4], f64)> {
    // the centre of mass of the cell: then masses can move between it and the vertices and the centre stays
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

/// Vertices and centre alone.
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
