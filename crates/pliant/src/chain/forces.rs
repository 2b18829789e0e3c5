//! Forces on the points of a chain, in one sweep along it, four points at a time.
//!
//! Contraction (1), (2) and bending (3), (4) are both couples on a segment: a force G_s on its far point and -G_s on
//! its near point. So the force on a point is G_{s-1} - G_s, and no law can create a net force. With u the unit vectors
//! of the segments, l their lengths, c_j = u_{j-1} . u_j the cosines and k_j the gains at the joints (see `bending`),
//!
//!   G_s = -c_c (l_s/L_s - 1) u_s + k_s (u_{s-1} - c_s u_s) / l_s + k_{s+1} (u_{s+1} - c_{s+1} u_s) / l_s.
//!
//! Segment i runs from point i to point i + 1 and joint i lies at point i. Segments and joints of a block are computed
//! when the sweep reaches it, its couples and forces one block later, when their right neighbours are known.

use super::bending::{Bending, SERIES_END, angle_over_sine, angle_over_sine_any};
use super::params::BendingLaw;
use super::touch::Planes;
use crate::kernel::Task;
use crate::lanes::{Block, LANES, Lanes, Lanes3, Row, Rows};
use crate::math::Vec3;

/// Blocks after the last one with points, since every point reads its right neighbour. Their values do not matter, as
/// there are no segments, joints or masses.
pub const PADDING: usize = 1;

/// Constants that forces depend on besides positions. Rows are zero where there is no segment, joint or point.
#[derive(Clone, Debug, PartialEq)]
pub struct Elasticity {
    /// Number of points.
    pub points: usize,
    /// Rest length of a segment L_s [m].
    pub segment: f64,
    /// c_c: force per relative change of length [N].
    pub contraction: f64,
    /// Bending law.
    pub bending: Bending,
    /// c_c of each segment [N].
    pub contractions: Row,
    /// Mass of each point [kg].
    pub masses: Row,
}

impl Elasticity {
    /// Number of blocks that contain points.
    pub fn blocks(&self) -> usize {
        self.points.div_ceil(LANES)
    }

    /// Stiffness of each joint: that of the law, or zero where there is no joint or a clamp replaces it (`muted`).
    pub fn joints(&self, muted: &[usize], out: &mut Row) {
        out.clear();
        out.resize(self.blocks() + PADDING, [0.0; LANES]);
        let flat = out.as_flattened_mut();
        flat[1..self.points - 1].fill(self.bending.stiffness);
        muted.iter().for_each(|&joint| flat[joint] = 0.0);
    }
}

/// Segments of a block.
#[derive(Clone, Copy)]
struct Segments<L> {
    /// Unit vectors.
    u: Lanes3<L>,
    /// Inverse lengths.
    per_length: L,
    /// Tensions.
    pull: L,
}

/// Joints of a block.
#[derive(Clone, Copy)]
struct Joints<L> {
    cosine: L,
    gain: L,
}

/// Sum of elastic forces, weight and contact forces on all points. Forces are zero past the last point.
pub struct Forces<'a> {
    pub elasticity: &'a Elasticity,
    /// Stiffness of each joint, see [`Elasticity::joints`].
    pub joints: &'a Row,
    /// Positions [m].
    pub x: &'a Rows,
    pub gravity: Vec3,
    /// Contact planes, if any point has one.
    pub planes: Option<&'a Planes>,
    /// Forces [N].
    pub out: &'a mut Rows,
}

impl Task for Forces<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Forces { elasticity: e, joints, x, gravity, planes, out } = self;
        // a copy, since the compiler must assume that any store may change a value behind a reference
        let law = e.bending;
        // slices of the exact length let the compiler drop most bounds checks
        let blocks = e.blocks();
        let x: [&[Block]; 3] = std::array::from_fn(|k| &x[k][..blocks + 1]);
        let (contractions, joints, masses) = (&e.contractions[..blocks], &joints[..blocks], &e.masses[..blocks]);
        let mut out: [&mut [Block]; 3] = out.each_mut().map(|row| &mut row[..blocks]);
        let gravity = Lanes3::<L>::splat(gravity);
        let per_rest = L::splat(1.0 / e.segment);

        // no segment before the first: its joint there is straight and carries no moment
        let (mut here, mut next) = (Lanes3::load(&x, 0), Lanes3::load(&x, 1));
        let mut segments = segments_of(here, next, per_rest, L::load(&contractions[0]));
        let mut near = joints_of(&law, &segments, &segments, L::load(&joints[0]));
        let (mut left, mut last_couple) = (segments.u, Lanes3::splat(Vec3::ZERO));
        for block in 0..blocks {
            // nor after the last block
            let (mut beyond, mut right, mut far) =
                (next, segments, Joints { cosine: near.cosine, gain: L::splat(0.0) });
            if block + 1 < blocks {
                beyond = Lanes3::load(&x, block + 2);
                right = segments_of(next, beyond, per_rest, L::load(&contractions[block + 1]));
                far = joints_of(&law, &segments, &right, L::load(&joints[block + 1]));
            }
            let couple = couples(left, &segments, right.u, &near, &far);
            let mut force = couple.preceded_by(last_couple) - couple + gravity.scale(L::load(&masses[block]));
            if let Some(planes) = planes {
                for slot in planes.slots_at(block) {
                    force = force + slot.push(planes.stiffness, here, block);
                }
            }
            force.store(&mut out, block);
            (left, last_couple) = (segments.u, couple);
            (here, next, segments, near) = (next, beyond, right, far);
        }
    }
}

#[inline(always)]
fn segments_of<L: Lanes>(here: Lanes3<L>, next: Lanes3<L>, per_rest: L, contraction: L) -> Segments<L> {
    let along = here.followed_by(next) - here;
    let squared = along.dot(along).max(L::splat(1e-30));
    let per_length = squared.inverse_root();
    let stretch = squared * per_length * per_rest - L::splat(1.0);
    Segments { u: along.scale(per_length), per_length, pull: contraction * stretch }
}

#[inline(always)]
fn joints_of<L: Lanes>(law: &Bending, left: &Segments<L>, here: &Segments<L>, stiffness: L) -> Joints<L> {
    let cosine = here.u.preceded_by(left.u).dot(here.u);
    let gap = L::splat(1.0) - cosine;
    let gain = match law.law {
        BendingLaw::Linear => {
            let z = gap * L::splat(0.5);
            let gain = stiffness * angle_over_sine(z);
            // outside the range of the series, for actual joints
            if (z * L::splat(0.0).below(stiffness)).largest() > SERIES_END {
                L::load(&wide_gains(cosine.block(), stiffness.block(), gain.block()))
            } else {
                gain
            }
        }
        BendingLaw::Paper => {
            // |a| |b| / |chord| = 1 / sqrt(1/|a|^2 + 1/|b|^2 + 2 c / (|a| |b|))
            let (a, b) = (here.per_length.preceded_by(left.per_length), here.per_length);
            let squared = a * a + b * b + L::splat(2.0) * cosine * a * b;
            stiffness * gap * squared.max(L::splat(1e-30)).inverse_root()
        }
    };
    Joints { cosine, gain }
}

/// Gains of the linear law for angles outside the range of the series.
#[cold]
fn wide_gains(cosine: Block, stiffness: Block, gain: Block) -> Block {
    std::array::from_fn(|i| {
        let is_wide = 0.5 * (1.0 - cosine[i]) > SERIES_END;
        if is_wide { stiffness[i] * angle_over_sine_any(cosine[i].clamp(-1.0, 1.0)) } else { gain[i] }
    })
}

/// Couples on the segments of a block, between the unit vectors of the blocks to its left and right.
#[inline(always)]
fn couples<L: Lanes>(
    left: Lanes3<L>,
    here: &Segments<L>,
    right: Lanes3<L>,
    near: &Joints<L>,
    far: &Joints<L>,
) -> Lanes3<L> {
    let (k0, k1) = (near.gain, near.gain.followed_by(far.gain));
    let (c0, c1) = (near.cosine, near.cosine.followed_by(far.cosine));
    let bend = here.u.preceded_by(left).scale(k0) + here.u.followed_by(right).scale(k1);
    let transverse = (bend - here.u.scale(k0 * c0 + k1 * c1)).scale(here.per_length);
    transverse - here.u.scale(here.pull)
}
