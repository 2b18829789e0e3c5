//! Solids swept between two facets (the paper's Fig. 10): prisms, cylinders, frusta.

use super::polygon::{Facet, Patch, Rings, polygon};
use super::{DiscretiseError, at_least, bounded, positive};
use crate::lattice::solid::cells::{Cell, Cells};
use crate::math::{Vec3, sincos};

/// The solid between a patch and the end positions of its points [m], in layers of equal thickness.
///
/// The top must lie on the side from which the facets of the bottom turn counter-clockwise. Facets of four corners give
/// hexahedra, triangles give wedges.
pub fn sweep(bottom: &Patch, top: &[Vec3], layers: usize) -> Result<Cells, DiscretiseError> {
    at_least("number of layers", 1, layers)?;
    let count = bottom.points.len();
    if count != top.len() {
        return Err(DiscretiseError::Unequal { bottom: count, top: top.len() });
    }
    bounded("vertices of a sweep", &[count, layers.saturating_add(1)])?;
    bottom.check_indices()?;
    let mut vertices = Vec::with_capacity(count * (layers + 1));
    for layer in 0..=layers {
        let part = layer as f64 / layers as f64;
        vertices.extend(bottom.points.iter().zip(top).map(|(a, b)| a.lerp(*b, part)));
    }
    let mut cells = Vec::with_capacity(bottom.facets.len() * layers);
    for layer in 0..layers {
        let at = |above: usize, i: u32| ((layer + above) * count) as u32 + i;
        cells.extend(bottom.facets.iter().map(|facet| match *facet {
            Facet::Triangle(f) => {
                let ([a, b, c], [d, e, g]) = (f.map(|i| at(0, i)), f.map(|i| at(1, i)));
                Cell::Wedge([a, b, c, d, e, g])
            }
            Facet::Quad(f) => {
                let ([a, b, c, d], [e, g, h, i]) = (f.map(|i| at(0, i)), f.map(|i| at(1, i)));
                Cell::Hexahedron([a, b, c, d, e, g, h, i])
            }
        }));
    }
    Ok(Cells::new(vertices, cells)?)
}

/// A prism along z, centred at the origin, over a regular polygon with its corners at a radius [m]; with many sides an
/// approximate cylinder, whose area is sin(2 pi/n) n/(2 pi) of the circle's.
pub fn prism(sides: usize, radius: f64, length: f64, cut: Rings, layers: usize) -> Result<Cells, DiscretiseError> {
    frustum(sides, [radius, radius], length, cut, layers)
}

/// A frustum along z, centred at the origin, over a regular polygon whose corners are at the first radius [m] at the
/// bottom and at the second at the top. The first corner is in the direction of x.
pub fn frustum(
    sides: usize,
    radii: [f64; 2],
    length: f64,
    cut: Rings,
    layers: usize,
) -> Result<Cells, DiscretiseError> {
    at_least("number of sides", 3, sides)?;
    bounded("sides", &[sides])?;
    positive("length", length)?;
    for radius in radii {
        positive("radius", radius)?;
    }
    let around = |i: usize| {
        let (sin, cos) = sincos(std::f64::consts::TAU * i as f64 / sides as f64);
        Vec3::new(cos, sin, 0.0)
    };
    let corners: Vec<Vec3> = (0..sides).map(around).collect();
    // one division for both ends: scaled, not computed twice
    let unit = polygon(&corners, cut)?;
    let end = |radius: f64, z: f64| unit.points.iter().map(|p| *p * radius + Vec3::Z * z).collect::<Vec<_>>();
    let bottom = Patch { points: end(radii[0], -0.5 * length), facets: unit.facets.clone() };
    sweep(&bottom, &end(radii[1], 0.5 * length), layers)
}
