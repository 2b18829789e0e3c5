//! Features of a surface that a piece of a rod can touch: facets, and protruding edges and corners.

use super::beyond::Stretch;
use super::{NONE, Nearby, Piece, Surface};
use crate::math::Vec3;

/// How far the direction from a point may lie outside its region, relative to its length: more than the slope of a
/// bulging piece, so that nothing falls between a face and its edge. Duplicates count once.
pub const SLACK: f64 = 0.01;

#[derive(Clone, Debug)]
pub struct Facet {
    /// Index of the flat region that it belongs to.
    pub region: u32,
    /// Index of the convex part that it belongs to; `NONE` if there is none. So for edges and corners.
    pub hill: u32,
    pub normal: Vec3,
    /// n . x of its plane.
    pub offset: f64,
    pub sides: [Side; 3],
}

/// One side of a facet.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// Unit vector in the plane of the facet, into it.
    pub inward: Vec3,
    /// i . x of its line.
    pub offset: f64,
    /// Where the surface falls away or ends along it.
    pub falls: Falls,
}

/// Range of the spans of a side in which a surface falls away; spans are along the side they belong to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Falls([u32; 2]);

impl Falls {
    const NOWHERE: Falls = Falls([0, 0]);
    const EVERYWHERE: Falls = Falls([0, NONE]);
}

impl Surface {
    /// Add where the surface falls away beyond a side, whose first corner is at `start` along it.
    pub(super) fn add_falls(&mut self, stretches: &[Stretch], start: f64) -> Falls {
        if stretches.iter().all(Stretch::falls) {
            return Falls::EVERYWHERE;
        }
        let from = self.spans.len() as u32;
        let falling = stretches.iter().filter(|stretch| stretch.falls());
        self.spans.extend(falling.map(|stretch| stretch.span.map(|s| start + s)));
        let to = self.spans.len() as u32;
        if from == to { Falls::NOWHERE } else { Falls([from, to]) }
    }
}

/// A protruding edge.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub middle: Vec3,
    pub along: Vec3,
    pub half: f64,
    /// Normals of the adjacent facets; one twice where the surface ends.
    pub normals: [Vec3; 2],
    /// Vectors in these facets, away from the edge.
    pub inward: [Vec3; 2],
    /// Whether the angle of the surface there is small.
    pub smooth: bool,
    pub hill: u32,
}

/// A protruding corner.
#[derive(Clone, Copy, Debug)]
pub struct Corner {
    pub place: Vec3,
    pub normal: Vec3,
    /// Range of its edges in `Surface::rings`.
    pub ring: [u32; 2],
    /// Whether the angle of the surface there is small.
    pub smooth: bool,
    pub hill: u32,
}

impl Facet {
    /// Whether a point of its plane lies within it, edges included.
    pub fn holds(&self, point: Vec3) -> bool {
        self.sides.iter().all(|side| side.inward.dot(point) >= side.offset)
    }

    /// Whether the surface falls away beyond a side, at a point above it.
    fn falls_at(&self, side: &Side, place: Vec3, spans: &[[f64; 2]]) -> bool {
        match side.falls {
            Falls::NOWHERE => false,
            Falls::EVERYWHERE => true,
            Falls([from, to]) => {
                let at = side.inward.cross(self.normal).dot(place);
                spans[from as usize..to as usize].iter().any(|span| span[0] <= at && at <= span[1])
            }
        }
    }

    /// The point of the piece above this facet that is nearest to its plane, within `most` [m], unless the piece is
    /// nearer to something beside the facet.
    pub fn nearest(&self, piece: &Piece, most: f64, spans: &[[f64; 2]]) -> Option<Nearby> {
        let height = self.normal.dot(piece.middle) - self.offset;
        let slope = self.normal.dot(piece.along);
        let ends = piece.span.map(|s| height + slope * s);
        if ends[0].min(ends[1]) >= most || ends[0].max(ends[1]) <= 0.0 {
            return None;
        }
        // the part of the piece that is above the facet
        let ([mut low, mut high], mut ends) = (piece.span, [None; 2]);
        for side in &self.sides {
            let (at, rise) = (side.inward.dot(piece.middle) - side.offset, side.inward.dot(piece.along));
            if rise == 0.0 {
                if at < 0.0 {
                    return None;
                }
                continue;
            }
            let crossing = -at / rise;
            if rise > 0.0 && crossing > low {
                (low, ends[0]) = (crossing, Some(side));
            } else if rise < 0.0 && crossing < high {
                (high, ends[1]) = (crossing, Some(side));
            }
        }
        if low > high {
            return None;
        }
        // minimum of height + slope s + bulge s^2
        let best = if piece.bulge > 0.0 { -slope / (2.0 * piece.bulge) } else { -slope.signum() * f64::INFINITY };
        let s = if best.is_nan() { 0.5 * (low + high) } else { best.clamp(low, high) };
        // where the surface falls away, the edge or what is behind it is nearer
        let beyond = if best < low { ends[0] } else { ends[1].filter(|_| best > high) };
        if beyond.is_some_and(|side| self.falls_at(side, piece.at(s), spans)) {
            return None;
        }
        let above = height + slope * s;
        let (region, hill, free) = (self.region, self.hill, beyond.is_none());
        (above > 0.0).then(|| Nearby { region, hill, free, ..Nearby::new(piece, s, self.normal, above) })
    }
}

impl Edge {
    pub fn nearest(&self, piece: &Piece) -> Option<Nearby> {
        let [from, to] = piece.span;
        let (centre, half) = (0.5 * (from + to), 0.5 * (to - from));
        let (s, t) = closest(piece.at(centre) - self.middle, piece.along, self.along, half, self.half, piece.bulge);
        let s = s + centre;
        let way = piece.at(s) - (self.middle + self.along * t);
        let distance = way.length();
        let slack = SLACK * distance;
        if self.inward.iter().any(|i| way.dot(*i) > slack) || self.normals.iter().all(|n| way.dot(*n) < 0.0) {
            return None;
        }
        // beyond its ends are corners, or edges that continue it
        if t.abs() >= self.half && way.dot(self.along).abs() > SLACK * distance {
            return None;
        }
        let free = t.abs() < self.half && self.inward.iter().all(|i| way.dot(*i) <= 0.0);
        let mean = (self.normals[0] + self.normals[1]).normalize_or(self.normals[0]);
        let normal = if distance > 1e-12 { way / distance } else { mean };
        let (up, flat) = (normal.dot(piece.along), self.along.dot(piece.along));
        let curvature = (1.0 - up * up - flat * flat) / distance.max(1e-12);
        Some(Nearby {
            smooth: self.smooth,
            hill: self.hill,
            free,
            curvature,
            ..Nearby::new(piece, s, normal, distance)
        })
    }
}

/// Parameters s in [-a, a] along u and t in [-b, b] along v for which d + s u - t v is shortest, with a bulge along u.
fn closest(d: Vec3, u: Vec3, v: Vec3, a: f64, b: f64, bulge: f64) -> (f64, f64) {
    let (across, way) = (u.reject_from_normalized(v), d.reject_from_normalized(v));
    // l + bulge s^2 is minimal where (l^2 / 2)' = -2 l bulge s; l hardly changes by that, but may be small
    let (steep, slope) = (across.length_squared(), -way.dot(across));
    let nearest = if steep > f64::MIN_POSITIVE { (slope / steep).clamp(-a, a) } else { 0.0 };
    let under = steep + 2.0 * bulge * (way + across * nearest).length();
    let s = if under > f64::MIN_POSITIVE { (slope / under).clamp(-a, a) } else { 0.0 };
    let t = (d + u * s).dot(v);
    if t.abs() <= b {
        return (s, t);
    }
    let t = t.clamp(-b, b);
    ((v * t - d).dot(u).clamp(-a, a), t)
}

impl Corner {
    pub fn nearest(&self, piece: &Piece, ring: &[Vec3]) -> Option<Nearby> {
        let s = (self.place - piece.middle).dot(piece.along).clamp(piece.span[0], piece.span[1]);
        let way = piece.at(s) - self.place;
        let distance = way.length();
        let slack = SLACK * distance;
        if ring.iter().any(|r| way.dot(*r) > slack) || way.dot(self.normal) < 0.0 {
            return None;
        }
        let free = ring.iter().all(|r| way.dot(*r) <= 0.0);
        let normal = if distance > 1e-12 { way / distance } else { self.normal };
        let up = normal.dot(piece.along);
        let curvature = (1.0 - up * up) / distance.max(1e-12);
        Some(Nearby {
            smooth: self.smooth,
            hill: self.hill,
            free,
            curvature,
            ..Nearby::new(piece, s, normal, distance)
        })
    }
}
