//! Connectors of solids, from their cells and their material.
//!
//! Links connect all neighbours in a cell: along edges and face diagonals, and from inner particles to the corners
//! around them. Volume connectors and angles at corners carry what links alone cannot represent of the material: see
//! `stiffness`.

use crate::math::cbrt;
use std::collections::HashMap;

use super::connectors::{Hinge, Swell, SwellKind};
use super::matter::Matter;
use super::solid::{Cell, CellParticles, Cells, FaceCorners, Particles};
use super::stiffness::{Lame, Strut, fit};

/// Initial stiffness of links, over mu and the edge of a cube: edges, face diagonals, from the centre to corners. Face
/// diagonals let a single cube resist torsion; larger values would make bars too stiff in torsion.
const PATTERN: [f64; 3] = [0.45, 0.1, 1.2];

/// Least fraction of a cell's stiffness along its edges that the edges carry. A beam one cell thick then has 3.6 times
/// this fraction of its bending stiffness; without it, none where cells are twice as long as thick.
const ALONG_EDGES: f64 = 0.2;

/// Least fraction of their initial stiffness that links keep: long or thin cells cannot be represented with positive
/// stiffnesses, and without some links they would collapse instead of being merely inaccurate.
const LEAST: f64 = 0.1;

/// Placeholder for the damping of an angle connector that is derived from the material later.
pub const FROM_MATERIAL: f64 = f64::NAN;

/// Links of a body under construction; stiffnesses of equal pairs add up.
#[derive(Default)]
pub struct Web {
    /// Pairs of particles, and stiffness [N/m].
    pub links: Vec<([u32; 2], f64)>,
    /// Relative error of the elastic constants of the worst cell [-].
    pub missed: f64,
    /// Cache of fitted cells: their links in space, with stiffnesses and error.
    known: HashMap<Vec<[i64; 3]>, (Vec<f64>, f64)>,
}

/// A solid that is added to a body under construction.
pub struct Joining<'a> {
    /// Its cells.
    pub cells: &'a Cells,
    /// Its particles.
    pub particles: &'a Particles,
    /// Index of its first particle in the body.
    pub first: u32,
    /// Elastic constants of its material.
    pub lame: Lame,
}

impl Joining<'_> {
    /// Add its connectors and facets.
    pub fn connect(&self, facets: Vec<[u32; 3]>, web: &mut Web, matter: &mut Matter) {
        let (swelling, shearing) = (self.lame.swelling(), self.lame.shearing());
        for (index, (cell, own)) in self.cells.cells().iter().zip(&self.particles.cells).enumerate() {
            let size = self.cells.volume(index);
            self.link(cell, own, size, web);
            if swelling > 0.0 {
                let kind = matter.swell_kind(SwellKind { rest: size, stiffness: swelling, damping: 0.0 });
                matter.swells.push(Swell { corners: as_hexahedron(cell).map(|n| n + self.first), kind });
            }
            if shearing > 0.0 {
                self.add_corners(cell, 3.0 * size * shearing, matter);
            }
        }
        matter.facets.extend(facets.into_iter().map(|facet| facet.map(|n| n + self.first)));
    }

    /// Links of a cell.
    fn link(&self, cell: &Cell, own: &CellParticles, size: f64, web: &mut Web) {
        let edge = cbrt(size) * self.lame.shared().max(1e-3 * self.lame.mu);
        let mut pairs: Vec<([u32; 2], f64)> = vec![];
        let mut add = |a: u32, b: u32, guess: f64| {
            let pair = [a.min(b), a.max(b)];
            if !pairs.iter().any(|(other, _)| *other == pair) {
                pairs.push((pair, guess * edge));
            }
        };
        for (n, face) in cell.faces().enumerate() {
            let corners = face.corners();
            for (k, a) in corners.iter().enumerate() {
                add(*a, corners[(k + 1) % corners.len()], PATTERN[0]);
                if let Some(middle) = own.face_centres.get(n).copied().flatten() {
                    add(*a, middle, PATTERN[1]);
                }
            }
            if let (FaceCorners::Quad([a, b, c, d]), None) = (face, own.face_centres.get(n).copied().flatten()) {
                add(a, c, PATTERN[1]);
                add(b, d, PATTERN[1]);
            }
        }
        if let Some(centre) = own.centre {
            let faces = own.face_centres.iter().flatten();
            own.vertices.iter().chain(faces).for_each(|n| add(*n, centre, PATTERN[2]));
        }
        for tetra in &own.tetrahedra {
            for (k, a) in tetra.corners.iter().enumerate() {
                tetra.corners[..k].iter().for_each(|b| add(*a, *b, PATTERN[1]));
                add(*a, tetra.centre, PATTERN[2]);
            }
        }
        let places = &self.particles.positions;
        let wanted = [self.lame.shared() + 2.0 * self.lame.mu, self.lame.shared()];
        let strut = |([a, b], guess): &([u32; 2], f64)| {
            let d = places[*a as usize] - places[*b as usize];
            // four parallel edges in a box
            let along = if *guess == PATTERN[0] * edge { ALONG_EDGES } else { 0.0 };
            let least = along * wanted[0] * size / (4.0 * d.length_squared());
            Strut { d, guess: *guess, least: least.max(LEAST * guess) }
        };
        let struts: Vec<Strut> = pairs.iter().map(strut).collect();
        // cells are equal if their links are, rounded to a millionth of an edge
        let unit = 1e-6 * cbrt(size);
        let key: Vec<[i64; 3]> = struts.iter().map(|s| s.d.to_array().map(|x| (x / unit).round() as i64)).collect();
        let Web { links, missed, known } = web;
        let (found, off) = known.entry(key).or_insert_with(|| fit(&struts, size, wanted));
        *missed = missed.max(*off);
        let stiff = pairs.iter().zip(found.iter()).filter(|(_, stiffness)| **stiffness > 0.0);
        links.extend(stiff.map(|((pair, _), stiffness)| (pair.map(|n| n + self.first), *stiffness)));
    }

    /// Add angle connectors at the corners of a cell's faces, which resist shear; they divide a stiffness [N m/rad].
    fn add_corners(&self, cell: &Cell, stiffness: f64, matter: &mut Matter) {
        let count: usize = cell.faces().map(|face| face.corners().len()).sum();
        for face in cell.faces() {
            let corners = face.corners();
            for (k, c) in corners.iter().enumerate() {
                let (a, b) = (corners[(k + 1) % corners.len()], corners[(k + corners.len() - 1) % corners.len()]);
                let [pa, pb, pc] = [a, b, *c].map(|n| self.particles.positions[n as usize]);
                matter.hinges.push(Hinge {
                    ends: [a + self.first, b + self.first],
                    middle: c + self.first,
                    side: None,
                    rest: (pa - pc).angle_between(pb - pc),
                    stiffness: stiffness / count as f64,
                    damping: FROM_MATERIAL,
                });
            }
        }
    }
}

/// Corners of a cell as those of a hexahedron, of which some coincide.
fn as_hexahedron(cell: &Cell) -> [u32; 8] {
    match *cell {
        Cell::Hexahedron(v) => v,
        Cell::Wedge([a, b, c, d, e, f]) => [a, b, c, c, d, e, f, f],
        Cell::Pyramid([a, b, c, d, tip]) => [a, b, c, d, tip, tip, tip, tip],
        Cell::Tetrahedron([a, b, c, tip]) => [a, b, c, c, tip, tip, tip, tip],
    }
}

impl Matter {
    /// Index of a kind of volume connectors, added if it is new.
    fn swell_kind(&mut self, kind: SwellKind) -> u32 {
        let close = |k: &SwellKind| (k.rest - kind.rest).abs() < 1e-12 * kind.rest && k.stiffness == kind.stiffness;
        let known = self.swell_kinds.iter().rev().take(64).position(close).map(|n| self.swell_kinds.len() - 1 - n);
        known.unwrap_or_else(|| {
            self.swell_kinds.push(kind);
            self.swell_kinds.len() - 1
        }) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::super::connectors::volume;
    use super::super::sample::block;
    use super::*;
    use crate::lattice::solid::MassRule;
    use crate::math::{Mat3, Vec3};
    use crate::random::Random;

    /// Under a small uniform strain e a block stores V (lambda (tr e)^2 / 2 + mu e : e), as Hooke's law has it, whatever Poisson's
    /// ratio: links alone at 1/4, with volume connectors above and angles below.
    #[test]
    fn uniform_strain_stores_the_energy_of_the_material() {
        let mut random = Random(21);
        for poisson in [0.1, 0.25, 0.4] {
            let body = block(poisson, MassRule::Approximate, Vec3::ZERO);
            let (Lame { lambda, mu }, space) = (Lame::of(1e5, poisson), 0.06 * 0.04 * 0.04);
            for _ in 0..20 {
                let some = Mat3::from_cols(random.vector(), random.vector(), random.vector());
                let strain = (some + some.transpose()) * 5e-7;
                let moved: Vec<Vec3> = body.places().iter().map(|p| *p + strain * *p).collect();
                let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
                let squares: f64 = strain.to_cols_array().iter().map(|e| e * e).sum();
                let expected = space * (0.5 * lambda * trace * trace + mu * squares);
                let found = body.matter.elastic(&moved);
                // lengths, angles and volumes are linear in the strain up to its square, 1e-6 of it; sums of small differences of
                // lengths round by 1e-16 / 1e-6
                assert!((found / expected - 1.0).abs() < 1e-5, "{poisson}: {found} instead of {expected}");
            }
        }
    }

    /// Cells with fewer corners, as hexahedra of which some coincide, have their own volume.
    #[test]
    fn all_cells_keep_their_volume_as_hexahedra() {
        let [x, y, z] = Vec3::AXES;
        let corners = [Vec3::ZERO, x, x + y, y, z, x + z, x + y + z, y + z];
        let of = |cell: Cell| volume(&as_hexahedron(&cell).map(|n| corners[n as usize])).0;
        assert!((of(Cell::Hexahedron([0, 1, 2, 3, 4, 5, 6, 7])) - 1.0).abs() < 1e-15);
        assert!((of(Cell::Wedge([0, 1, 3, 4, 5, 7])) - 0.5).abs() < 1e-15);
        assert!((of(Cell::Pyramid([0, 1, 2, 3, 4])) - 1.0 / 3.0).abs() < 1e-15);
        assert!((of(Cell::Tetrahedron([0, 1, 3, 4])) - 1.0 / 6.0).abs() < 1e-15);
    }

    /// Volume connectors of equal cells share their constants.
    #[test]
    fn equal_cells_are_of_one_kind() {
        let body = block(0.4, MassRule::Approximate, Vec3::ZERO);
        assert_eq!((body.matter.swells.len(), body.matter.swell_kinds.len()), (12, 1));
        assert!(block(0.25, MassRule::Approximate, Vec3::ZERO).matter.swells.is_empty());
    }
}
