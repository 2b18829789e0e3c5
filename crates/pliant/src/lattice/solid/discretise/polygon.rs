//! Convex polygons divided into triangles and quadrilaterals (the paper's Fig. 8).

use super::{DiscretiseError, at_least, bounded};
use crate::contact::Mesh;
use crate::lattice::solid::weld::weld;
use crate::math::{Vec2, Vec3};

/// A piece of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facet {
    /// Three corners.
    Triangle([u32; 3]),
    /// Four corners.
    Quad([u32; 4]),
}

impl Facet {
    /// The corners in order.
    pub fn corners(&self) -> &[u32] {
        match self {
            Facet::Triangle(c) => c,
            Facet::Quad(c) => c,
        }
    }
}

/// Facets over common points: a polygon, or the surface of a solid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Patch {
    /// Points [m].
    pub points: Vec<Vec3>,
    /// Facets, counter-clockwise seen from the side from which the polygon is, or from outside.
    pub facets: Vec<Facet>,
}

/// How finely a polygon is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rings {
    /// Number of pieces of each edge.
    pub per_edge: usize,
    /// Number of rings between contour and centre; not used for quadrilaterals, which become a grid.
    pub rings: usize,
}

impl Patch {
    /// The facets as triangles; quadrilaterals are divided from their first corner.
    pub fn triangles(&self) -> Mesh {
        let mut triangles = vec![];
        for facet in &self.facets {
            match *facet {
                Facet::Triangle(c) => triangles.push(c),
                Facet::Quad([a, b, c, d]) => triangles.extend([[a, b, c], [a, c, d]]),
            }
        }
        Mesh { vertices: self.points.clone(), triangles }
    }

    /// Join several patches, merging points within `reach` [m] of each other.
    pub fn joined(patches: &[Patch], reach: f64) -> Patch {
        let all: Vec<Vec3> = patches.iter().flat_map(|p| p.points.iter().copied()).collect();
        let (points, became) = weld(&all, reach);
        let mut facets = vec![];
        let mut first = 0;
        for patch in patches {
            let new = |i: u32| became.get(first + i as usize).copied().unwrap_or(u32::MAX);
            facets.extend(patch.facets.iter().map(|f| match f {
                Facet::Triangle(c) => Facet::Triangle(c.map(new)),
                Facet::Quad(c) => Facet::Quad(c.map(new)),
            }));
            first += patch.points.len();
        }
        Patch { points, facets }
    }

    /// Check that every facet refers to existing points.
    pub(super) fn check_indices(&self) -> Result<(), DiscretiseError> {
        let count = self.points.len();
        for (facet, f) in self.facets.iter().enumerate() {
            if let Some(&point) = f.corners().iter().find(|&&p| p as usize >= count) {
                return Err(DiscretiseError::NoPoint { facet, point, count });
            }
        }
        Ok(())
    }
}

impl From<&Mesh> for Patch {
    fn from(mesh: &Mesh) -> Patch {
        let facets = mesh.triangles.iter().map(|t| Facet::Triangle(*t)).collect();
        Patch { points: mesh.vertices.clone(), facets }
    }
}

/// Divide a plane convex polygon [m] into facets. Fails if it is not plane or not convex.
///
/// "If this facet has four edges, then we project two edges on the two others": a grid. Otherwise the lines from the
/// points of the contour to the centre of the area are cut into rings: facets of four corners, and triangles about the
/// centre. The paper says so for more than four edges; three are treated alike.
pub fn polygon(corners: &[Vec3], cut: Rings) -> Result<Patch, DiscretiseError> {
    at_least("number of corners", 3, corners.len())?;
    at_least("number of pieces of an edge", 1, cut.per_edge)?;
    let centre = check_convex(corners)?;
    if let [a, b, c, d] = *corners {
        bounded("points of a polygon", &[cut.per_edge, cut.per_edge])?;
        return Ok(grid([a, b, c, d], cut.per_edge));
    }
    at_least("number of rings", 1, cut.rings)?;
    bounded("points of a polygon", &[corners.len(), cut.per_edge, cut.rings])?;
    Ok(rings(corners, centre, cut))
}

/// A grid between four corners, straight between opposite edges.
fn grid([a, b, c, d]: [Vec3; 4], n: usize) -> Patch {
    let part = |i: usize| i as f64 / n as f64;
    let at = |i: usize, j: usize| a.lerp(b, part(i)).lerp(d.lerp(c, part(i)), part(j));
    let points = (0..=n).flat_map(|j| (0..=n).map(move |i| at(i, j))).collect();
    let index = |i: usize, j: usize| (i + (n + 1) * j) as u32;
    let quad = |i, j| Facet::Quad([index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)]);
    let facets = (0..n).flat_map(|j| (0..n).map(move |i| quad(i, j))).collect();
    Patch { points, facets }
}

/// Rings about the centre, which is point 0; ring 1 is the innermost.
fn rings(corners: &[Vec3], centre: Vec3, cut: Rings) -> Patch {
    let (n, around) = (corners.len(), corners.len() * cut.per_edge);
    let contour = |i: usize| {
        let (from, to) = (corners[i / cut.per_edge], corners[(i / cut.per_edge + 1) % n]);
        from.lerp(to, (i % cut.per_edge) as f64 / cut.per_edge as f64)
    };
    let mut points = vec![centre];
    for ring in 1..=cut.rings {
        let out = ring as f64 / cut.rings as f64;
        // the contour is exact, so that it matches that of its neighbours
        points.extend((0..around).map(|i| if ring == cut.rings { contour(i) } else { centre.lerp(contour(i), out) }));
    }
    let index = |ring: usize, i: usize| (1 + (ring - 1) * around + i % around) as u32;
    let mut facets: Vec<Facet> = (0..around).map(|i| Facet::Triangle([0, index(1, i), index(1, i + 1)])).collect();
    for ring in 1..cut.rings {
        facets
            .extend((0..around).map(|i| {
                Facet::Quad([index(ring, i), index(ring + 1, i), index(ring + 1, i + 1), index(ring, i + 1)])
            }));
    }
    Patch { points, facets }
}

/// Deviation from a plane or a straight edge that is tolerated, relative to the extent: rounding of files with seven
/// digits.
const STRAIGHT: f64 = 1e-6;

/// Check that a polygon is plane, convex and turns once; returns its centre of area [m].
fn check_convex(corners: &[Vec3]) -> Result<Vec3, DiscretiseError> {
    let n = corners.len();
    let origin = corners.iter().copied().sum::<Vec3>() / n as f64;
    let d: Vec<Vec3> = corners.iter().map(|c| *c - origin).collect();
    // Newell's method: the sum of cross products is twice the area along the normal, whatever the origin
    let area: Vec3 = (0..n).map(|i| d[i].cross(d[(i + 1) % n])).sum();
    let extent = d.iter().map(|v| v.length()).fold(0.0, f64::max);
    let normal = area.try_normalize().filter(|_| area.length() > STRAIGHT * extent * extent);
    let normal = normal.ok_or(DiscretiseError::NoArea)?;
    let mut turn = 0.0;
    for i in 0..n {
        let off = d[i].dot(normal).abs();
        if off > STRAIGHT * extent {
            return Err(DiscretiseError::NotPlane { corner: i, at: corners[i], off });
        }
        let (before, after) = (d[i] - d[(i + n - 1) % n], d[(i + 1) % n] - d[i]);
        let (sin, cos) = (before.cross(after).dot(normal), before.dot(after));
        if sin < -STRAIGHT * before.length() * after.length() || (sin == 0.0 && cos <= 0.0) {
            return Err(DiscretiseError::NotConvex { corner: i, at: corners[i] });
        }
        turn += Vec2::new(cos, sin).to_angle();
    }
    // a star turns more than once
    if turn > 3.0 * std::f64::consts::PI {
        return Err(DiscretiseError::NotConvex { corner: 0, at: corners[0] });
    }
    let weighted: Vec3 = (0..n).map(|i| (d[i] + d[(i + 1) % n]) * d[i].cross(d[(i + 1) % n]).dot(normal)).sum();
    Ok(origin + weighted / (3.0 * area.length()))
}
