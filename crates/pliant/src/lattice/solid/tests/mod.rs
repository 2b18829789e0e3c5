//! Masses against independent values, cuts against volumes in closed form, checks against meshes broken on purpose.

mod cuts;
mod masses;
mod meshes;

use super::random::{numbers, unit_cube, vector};
use super::*;
use crate::contact::Mesh;
use crate::math::{Mat3, Vec3};

/// A box between two corners as twelve triangles.
fn box_mesh(low: Vec3, high: Vec3) -> Mesh {
    let cells = brick(high - low, [1, 1, 1]).unwrap();
    let mut mesh = cells.outer_facets(QuadCut::Diagonal).mesh;
    mesh.vertices.iter_mut().for_each(|v| *v += (low + high) * 0.5);
    mesh
}

/// A hexahedron by its corners.
fn hexahedron(corners: [Vec3; 8]) -> Result<Cells, CellError> {
    Cells::new(corners.to_vec(), vec![Cell::Hexahedron([0, 1, 2, 3, 4, 5, 6, 7])])
}

/// Largest difference of volume, centre and inertia from the truth, each relative to the scale of the solid.
fn difference(got: &Moments, truth: &Moments) -> f64 {
    let size = truth.volume.abs().cbrt();
    let volume = (got.volume / truth.volume - 1.0).abs();
    let centre = got.centre.distance(truth.centre) / size;
    volume.max(centre).max(got.inertia_error(truth))
}

/// Whether every edge of some triangles occurs once in each direction.
fn is_closed(triangles: &[[u32; 3]]) -> bool {
    let mut edges: Vec<[u32; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    edges.sort_unstable();
    let twice = edges.windows(2).any(|w| w[0] == w[1]);
    !twice && edges.iter().all(|&[a, b]| edges.binary_search(&[b, a]).is_ok())
}

/// What every cut of a solid must satisfy: its surface is closed, faces outwards and encloses the volume of the cells,
/// by both ways to cut facets, and every rule keeps mass and centre, the exact ones inertia too.
fn check_cut(cells: &Cells, volume: f64) {
    for quads in [QuadCut::Diagonal, QuadCut::Centre] {
        let outer = cells.outer_facets(quads);
        assert!(is_closed(&outer.mesh.triangles));
        assert_eq!(outer.owners.len(), outer.mesh.triangles.len());
        let enclosed = Moments::of_mesh(&outer.mesh).volume;
        assert!((enclosed / volume - 1.0).abs() < 1e-12, "{enclosed} of {volume}");
    }
    for rule in [MassRule::SymmetricExact, MassRule::Exact, MassRule::Approximate] {
        let truth = cells.moments(rule.cut());
        assert!((truth.volume / volume - 1.0).abs() < 1e-12, "{} of {volume}", truth.volume);
        let particles = Particles::new(cells, 7.0, rule).unwrap();
        assert!(particles.masses.iter().all(|m| *m > 0.0));
        let got = particles.moments();
        assert!((got.volume / (7.0 * volume) - 1.0).abs() < 1e-12);
        assert!(got.centre.distance(truth.centre) < 1e-12 * volume.cbrt());
        if rule != MassRule::Approximate {
            assert!(got.inertia_error(&truth.scaled(7.0)) < 1e-12);
        }
        let facets = particles.outer_facets(cells).unwrap();
        assert!(is_closed(&facets));
        let enclosed = Moments::of_mesh(&Mesh { vertices: particles.positions, triangles: facets }).volume;
        assert!((enclosed / volume - 1.0).abs() < 1e-12);
    }
}
