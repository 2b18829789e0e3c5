//! Forces on the points of a chain, four points at a time and in tiles that stay in the first-level cache.
//!
//! Contraction (1), (2) and bending (3), (4) are both couples on a segment: a force G_s on its far point and -G_s on its
//! near point. So the force on a point is G_{s-1} - G_s, and no law can create net force. With u the unit vectors of the
//! segments, l their lengths, c_j = u_{j-1} . u_j the cosines and k_j the gains at the joints (see `bending`),
//!
//!   G_s = -c_c (l_s/L_s - 1) u_s + k_s (u_{s-1} - c_s u_s) / l_s + k_{s+1} (u_{s+1} - c_{s+1} u_s) / l_s.

use super::bending::{Bending, SERIES_END, angle_over_sine, angle_over_sine_any};
use super::contact::Planes;
use super::params::BendingLaw;
use crate::lanes::{LANES, Lanes, Lanes3};
use crate::math::Vec3;

/// Coordinates of all points: one row a coordinate, each padded by at least [`PADDING`] past the last point.
pub type Rows = [Vec<f64>; 3];

/// Room past the last point: one block to fill up to whole blocks, one for the neighbour beyond.
pub const PADDING: usize = 2 * LANES;

/// Points in a tile.
pub const TILE: usize = 64;

/// Index in a tile's buffers of the tile's first point: room for the block before it and that block's neighbour.
const FIRST: usize = 2 * LANES;

/// Length of a tile's buffers: the tile, a block before and after it and their neighbours.
const BUFFER: usize = FIRST + TILE + 2 * LANES;

/// What the forces depend on besides positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elasticity {
    /// Number of points.
    pub points: usize,
    /// Rest length of a segment L_s [m].
    pub segment: f64,
    /// c_c: force per relative change of length [N].
    pub contraction: f64,
    /// Law of bending.
    pub bending: Bending,
}

type Buffer = [f64; BUFFER];

/// Working memory of one tile; allocated once, since clearing it would cost as much as a short chain.
#[derive(Clone, Debug)]
pub struct Tile {
    /// Unit vectors of the segments.
    u: [Buffer; 3],
    /// Inverse lengths of the segments.
    inverse: Buffer,
    /// Tensions of the segments.
    pull: Buffer,
    /// Cosines at the joints.
    cosine: Buffer,
    /// Gains at the joints.
    gain: Buffer,
    /// Couples on the segments.
    couple: [Buffer; 3],
}

impl Tile {
    /// All zero.
    pub fn new() -> Tile {
        let zero = [0.0; BUFFER];
        Tile { u: [zero; 3], inverse: zero, pull: zero, cosine: zero, gain: zero, couple: [zero; 3] }
    }
}

/// Add up elastic forces, weight and contact planes on all points. `muted` joints carry no moment (a clamp replaces
/// them). Past the last point the forces are zero.
#[inline(always)]
pub fn forces(e: &Elasticity, x: &Rows, weight: Vec3, planes: &Planes, muted: &[usize], tile: &mut Tile, out: &mut Rows) {
    let mut base = 0;
    while base < e.points {
        forces_in_tile(e, x, weight, planes, muted, base, tile, out);
        base += TILE;
    }
    for row in out {
        row[e.points..].fill(0.0);
    }
}

#[inline(always)]
fn forces_in_tile(
    e: &Elasticity,
    x: &Rows,
    weight: Vec3,
    planes: &Planes,
    muted: &[usize],
    base: usize,
    tile: &mut Tile,
    out: &mut Rows,
) {
    let Tile { u, inverse, pull, cosine, gain, couple } = tile;
    let segments = e.points - 1;
    let end = (base + TILE).min(e.points);
    // one block before the tile where there is one, and the segment and joint just beyond it
    let start = base.saturating_sub(LANES);
    let at = |i: usize| i + FIRST - base;
    // where a sparse index lies in the buffers, if it does
    let inside = |i: usize| (i >= start && i < end + LANES).then(|| at(i));

    // nothing before the first segment
    if base == 0 {
        for row in u.iter_mut().chain(couple.iter_mut()) {
            row[FIRST - 1] = 0.0;
        }
        inverse[FIRST - 1] = 0.0;
    }

    // unit vectors, inverse lengths, tensions
    let (c_c, per_rest) = (Lanes::splat(e.contraction), Lanes::splat(1.0 / e.segment));
    let mut i = start;
    while i <= end {
        let along = Lanes3::load(x, i + 1) - Lanes3::load(x, i);
        let squared = along.dot(along).max(Lanes::splat(1e-30));
        let per_length = squared.inverse_root();
        along.scale(per_length).store(u, at(i));
        per_length.store(inverse, at(i));
        (c_c * (squared * per_length * per_rest - Lanes::splat(1.0))).store(pull, at(i));
        i += LANES;
    }

    // cosines and gains at the joints
    let stiffness = Lanes::splat(e.bending.stiffness);
    let mut widest = Lanes::splat(0.0);
    let mut i = start;
    while i <= end {
        let c = Lanes3::load(u, at(i) - 1).dot(Lanes3::load(u, at(i)));
        c.store(cosine, at(i));
        let gap = Lanes::splat(1.0) - c;
        match e.bending.law {
            BendingLaw::Linear => {
                let z = gap * Lanes::splat(0.5);
                widest = widest.max(z);
                (stiffness * angle_over_sine(z)).store(gain, at(i));
            }
            BendingLaw::Paper => {
                // |a| |b| / |chord| = 1 / sqrt(1/|a|^2 + 1/|b|^2 + 2 c / (|a| |b|))
                let (a, b) = (Lanes::load(inverse, at(i) - 1), Lanes::load(inverse, at(i)));
                let squared = a * a + b * b + Lanes::splat(2.0) * c * a * b;
                let reach = squared.max(Lanes::splat(1e-30)).inverse_root();
                (stiffness * gap * reach).store(gain, at(i));
            }
        }
        i += LANES;
    }
    // beyond the series' range (the padding and the joint before the first point may be, at no harm)
    if widest.largest() > SERIES_END {
        for i in start..end + 1 {
            if 0.5 * (1.0 - cosine[at(i)]) > SERIES_END {
                gain[at(i)] = e.bending.stiffness * angle_over_sine_any(cosine[at(i)].clamp(-1.0, 1.0));
            }
        }
    }
    // the ends have no joint, and what lies past the last point pulls nothing
    for joint in [0, segments, segments + 1].into_iter().chain(muted.iter().copied()) {
        if let Some(j) = inside(joint) {
            gain[j] = 0.0;
        }
    }

    // couples on the segments
    let mut i = start;
    while i < end {
        let j = at(i);
        let (here, per_length) = (Lanes3::load(u, j), Lanes::load(inverse, j));
        let (k0, k1) = (Lanes::load(gain, j), Lanes::load(gain, j + 1));
        let bend = Lanes3::load(u, j - 1).scale(k0) + Lanes3::load(u, j + 1).scale(k1);
        let along = k0 * Lanes::load(cosine, j) + k1 * Lanes::load(cosine, j + 1);
        let transverse = (bend - here.scale(along)).scale(per_length);
        (transverse - here.scale(Lanes::load(pull, j))).store(couple, j);
        i += LANES;
    }
    if end == e.points {
        for row in couple.iter_mut() {
            row[at(segments)..].fill(0.0);
        }
    }

    // points: difference of couples, weight, planes
    let weight = Lanes3::splat(weight);
    let slots = planes.slots_in_tile(base / TILE);
    let mut i = base;
    while i < end {
        let mut f = Lanes3::load(couple, at(i) - 1) - Lanes3::load(couple, at(i)) + weight;
        for slot in slots {
            let normal = Lanes3::load(&slot.normal, i);
            let depth = Lanes::load(&slot.offset, i) - normal.dot(Lanes3::load(x, i));
            let push = depth.max(Lanes::splat(0.0)) * Lanes::splat(planes.stiffness);
            f = f + normal.scale(push);
        }
        f.store(out, i);
        i += LANES;
    }
}
