//! Polyhedra as shells inside shells, the paper's Russian doll (Fig. 9).

use super::polygon::{Facet, Patch, Rings, polygon};
use super::{DiscretiseError, at_least, bounded};
use crate::lattice::solid::cells::{Cell, Cells};
use crate::math::Vec3;
use crate::moments::{Moments, bounds};

/// The surface of a polyhedron from polygons over points [m], each plane, convex and counter-clockwise seen from
/// outside, divided alike so that they match along their edges.
pub fn polyhedron_surface(points: &[Vec3], faces: &[Vec<u32>], cut: Rings) -> Result<Patch, DiscretiseError> {
    let mut patches = Vec::with_capacity(faces.len());
    for (facet, face) in faces.iter().enumerate() {
        let mut corners = Vec::with_capacity(face.len());
        for &point in face {
            let missing = DiscretiseError::NoPoint { facet, point, count: points.len() };
            corners.push(*points.get(point as usize).ok_or(missing)?);
        }
        patches.push(polygon(&corners, cut)?);
    }
    let [low, high] = bounds(points);
    Ok(Patch::joined(&patches, 1e-9 * (high - low).length()))
}

/// The solid inside a closed surface as shells towards its centre of mass: "one extrapolates the lines relating each
/// surface point with the inertia center of the object".
///
/// Between shells, facets of four corners give hexahedra and triangles give wedges; in the innermost shell they give
/// pyramids and tetrahedra with the centre. Works for convex solids, and others if their whole surface is visible from
/// the centre.
pub fn russian_doll(surface: &Patch, shells: usize) -> Result<Cells, DiscretiseError> {
    at_least("number of shells", 1, shells)?;
    bounded("vertices of a Russian doll", &[surface.points.len(), shells])?;
    surface.check_indices()?;
    check_closed(surface)?;
    let centre = Moments::of_mesh(&surface.triangles()).centre;
    check_star(surface, centre)?;
    let count = surface.points.len();
    let mut vertices = vec![centre];
    for shell in 1..=shells {
        let out = shell as f64 / shells as f64;
        vertices.extend(surface.points.iter().map(|p| if shell == shells { *p } else { centre.lerp(*p, out) }));
    }
    let mut cells = Vec::with_capacity(surface.facets.len() * shells);
    for shell in 1..=shells {
        // below the first shell there is only the centre
        let at = |shell: usize, i: u32| (1 + (shell - 1) * count) as u32 + i;
        cells.extend(surface.facets.iter().map(|facet| match (*facet, shell) {
            (Facet::Triangle([a, b, c]), 1) => {
                let [a, b, c] = [a, c, b].map(|i| at(1, i));
                Cell::Tetrahedron([a, b, c, 0])
            }
            (Facet::Quad([a, b, c, d]), 1) => {
                let [a, b, c, d] = [a, d, c, b].map(|i| at(1, i));
                Cell::Pyramid([a, b, c, d, 0])
            }
            (Facet::Triangle(f), _) => {
                let ([a, b, c], [d, e, g]) = (f.map(|i| at(shell - 1, i)), f.map(|i| at(shell, i)));
                Cell::Wedge([a, b, c, d, e, g])
            }
            (Facet::Quad(f), _) => {
                let ([a, b, c, d], [e, g, h, i]) = (f.map(|i| at(shell - 1, i)), f.map(|i| at(shell, i)));
                Cell::Hexahedron([a, b, c, d, e, g, h, i])
            }
        }));
    }
    Ok(Cells::new(vertices, cells)?)
}

/// Check that every edge occurs once in each direction.
fn check_closed(surface: &Patch) -> Result<(), DiscretiseError> {
    let mut edges: Vec<[u32; 2]> = vec![];
    for facet in &surface.facets {
        let c = facet.corners();
        edges.extend((0..c.len()).map(|i| [c[i], c[(i + 1) % c.len()]]));
    }
    edges.sort_unstable();
    let once = |e: [u32; 2]| {
        let from = edges.partition_point(|x| *x < e);
        edges.get(from) == Some(&e) && edges.get(from + 1) != Some(&e)
    };
    let bad: Vec<[u32; 2]> = edges.iter().copied().filter(|&[a, b]| !once([a, b]) || !once([b, a])).collect();
    match bad.first() {
        None => Ok(()),
        Some(e) => {
            let [a, b] = e.map(|i| surface.points[i as usize]);
            Err(DiscretiseError::NotClosed { edges: bad.len(), at: (a + b) * 0.5 })
        }
    }
}

/// Check that the centre lies behind every facet.
fn check_star(surface: &Patch, centre: Vec3) -> Result<(), DiscretiseError> {
    for (facet, f) in surface.facets.iter().enumerate() {
        let d: Vec<Vec3> = f.corners().iter().map(|&i| surface.points[i as usize] - centre).collect();
        let n = d.len();
        // each corner with its neighbours, so that a bent quadrilateral cannot hide a bad half
        let sees = |i: usize| d[(i + n - 1) % n].cross(d[i]).dot(d[(i + 1) % n]) > 0.0;
        if !(0..n).all(sees) {
            let at = d.first().map(|v| *v + centre).unwrap_or(centre);
            return Err(DiscretiseError::NotStar { facet, at, centre });
        }
    }
    Ok(())
}
