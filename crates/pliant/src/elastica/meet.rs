//! Self-contact of a rod: (32) to (35) of Wakamatsu et al., corrected.
//!
//! The printed force attracts two parts whose centre lines have crossed, and its damping adds energy. Here the rod has
//! its actual thickness, and parts push each other apart where their centre lines come closer than two radii:
//!
//!   f = 2 r / |d| (k_c (2 r - |d|) - b_c d|d|/dt) >= 0      on part 2 along d = x_2 - x_1, and the opposite on part 1.
//!
//! The factor 2 r / |d|, which is one at first contact, keeps centre lines from crossing; it is bounded where they are
//! nearly there. Without it a strong push took them through each other, and the energy of one contact, at most 2 k_c
//! r^2, was then stored twice, where they crossed in two places.
//!
//! A plane curve can only return to itself after turning by more than half a turn. The search skips from an interval to
//! the next that it may touch by their distance over the length of an interval, since the rod hardly stretches.

use super::equations::{Spring, Tie};
use super::rod::{Kinematics, Rod};
use super::touch::Law;
use crate::bytes::stored;
use crate::math::{Vec2, log1p, sincos};

/// Two points of the rod in contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// Indices of the intervals.
    pub intervals: [usize; 2],
    /// Fractions of the intervals, 0 to 1.
    pub fractions: [f64; 2],
    /// Unit vector from the first to the second, in the plane.
    pub normal: Vec2,
    /// Penetration of the surfaces [m].
    pub depth: f64,
    /// Force on the second, in the plane [N].
    pub force: Vec2,
}

/// Depth over thickness up to which the force grows as stated above. From there on it grows linearly, with the stiffness it
/// has there, sixteen times that of first contact: an unbounded one would ask for steps without end of rods whose intervals are
/// shorter than they are thick, which are that deep in themselves wherever they bend.
const STEEP: f64 = 0.75;

impl Meeting {
    /// Depth over thickness, as far as the force grows as stated, and depth beyond that [m].
    fn depths(&self, thick: f64) -> [f64; 2] {
        let share = (self.depth / thick).min(STEEP);
        [share, (self.depth - STEEP * thick).max(0.0)]
    }

    /// Elastic force over stiffness [m], for a rod of this thickness [m].
    fn press(&self, thick: f64) -> f64 {
        let [share, beyond] = self.depths(thick);
        thick * share / (1.0 - share) + self.stiffening(thick) * beyond
    }

    /// Slope of that with depth.
    fn stiffening(&self, thick: f64) -> f64 {
        (1.0 - self.depths(thick)[0]).powi(-2)
    }

    /// Energy over stiffness [m2]: the integral of `press`.
    pub fn stored(&self, thick: f64) -> f64 {
        let [share, beyond] = self.depths(thick);
        let steep = -thick * thick * (log1p(-share) + share);
        steep + beyond * (thick * share / (1.0 - share) + 0.5 * self.stiffening(thick) * beyond)
    }
}

/// Limit on Newton steps to the nearest points of two intervals.
const MOST_STEPS: usize = 30;

/// Points are the nearest when a step would reduce the squared distance by less than this fraction.
const NEAREST: f64 = 1e-20;

/// Limit on halvings of such a step.
const MOST_HALVINGS: usize = 20;

/// Limit on ties of a rod to itself, as they are solved together in a dense system.
pub const MOST_TIES: usize = 16;

/// Find all self-contacts.
pub fn find<const K: usize>(rod: &Rod, at: &Kinematics, meetings: &mut Vec<Meeting>) {
    meetings.clear();
    if !turns_enough(at) {
        return;
    }
    let (n, thick) = (rod.intervals(), 2.0 * rod.radius);
    let middle = |i: usize| 0.5 * (at.nodes[i].place + at.nodes[i + 1].place);
    // upper bound on the length of an interval, stretch included
    let longest = |i: usize| (at.nodes[i + 1].place - at.nodes[i].place).length();
    let width = 1.5 * (0..n).map(longest).fold(rod.h, f64::max);
    // parts closer along the rod than half a circle of its own thickness are bent, not in contact
    let apart = 2 + (1.6 * thick / rod.h) as usize;
    for i in 0..n {
        let mut j = i + apart;
        while j < n {
            let gap = (middle(j) - middle(i)).length() - width - thick;
            if gap > 0.0 {
                j += 1 + (gap / width) as usize;
                continue;
            }
            if may_touch(at, [i, j], [width, thick])
                && let Some(meeting) = meet::<K>(rod, at, [i, j], apart)
            {
                meetings.push(meeting);
            }
            j += 1;
        }
    }
}

/// Whether two intervals, no longer than `width` [m], may be closer than a distance [m]: not if their chords are
/// farther apart than that plus the sagittas of the arcs, which are an eighth of length times turn and at most half the
/// length. Rejects most neighbours of a folded rod cheaply.
fn may_touch(at: &Kinematics, intervals: [usize; 2], [width, distance]: [f64; 2]) -> bool {
    let chords = intervals.map(|i| [at.nodes[i].place, at.nodes[i + 1].place]);
    let [bulge, other] = intervals.map(|i| {
        let [from, to] = at.ends[i].u;
        width * ((to[0] - from[0]).abs() / 8.0).min(0.5)
    });
    let reach = distance + bulge + other;
    let apart = |p: Vec2, [a, b]: [Vec2; 2]| {
        let along = b - a;
        let t = ((p - a).dot(along) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        (p - a - along * t).length_squared()
    };
    let side = |p: Vec2, [a, b]: [Vec2; 2]| (b - a).perp_dot(p - a) > 0.0;
    let [one, two] = chords;
    let crossed = side(one[0], two) != side(one[1], two) && side(two[0], one) != side(two[1], one);
    let nearest = [apart(one[0], two), apart(one[1], two), apart(two[0], one), apart(two[1], one)];
    crossed || nearest.iter().any(|squared| *squared <= reach * reach)
}

fn turns_enough(at: &Kinematics) -> bool {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for ends in &at.ends {
        for u in &ends.u {
            (low, high) = (low.min(u[0]), high.max(u[0]));
        }
    }
    high - low > std::f64::consts::PI
}

/// The nearest points of two intervals, if they are in contact there.
fn meet<const K: usize>(rod: &Rod, at: &Kinematics, intervals: [usize; 2], apart: usize) -> Option<Meeting> {
    let (fractions, downhill) = nearest::<K>(rod, at, intervals);
    let d = gap::<K>(rod, at, intervals, fractions);
    let (distance, depth) = (d.length(), 2.0 * rod.radius - d.length());
    // a contact at a shared node belongs to the interval before it
    let [a, b] = fractions;
    let repeated = (a == 0.0 && intervals[0] > 0) || (b == 0.0 && intervals[1] > intervals[0] + apart);
    // and if the next interval is nearer it belongs to that
    let beyond = (0..2).any(|k| {
        (fractions[k] >= 1.0 && downhill[k] > 0.0 && intervals[k] + 1 < rod.intervals())
            || (fractions[k] <= 0.0 && downhill[k] < 0.0 && intervals[k] > 0)
    });
    (depth > 0.0 && distance > 0.0 && !repeated && !beyond).then(|| Meeting {
        intervals,
        fractions,
        normal: d / distance,
        depth,
        force: Vec2::ZERO,
    })
}

/// Vector from a point of the first interval to one of the second [m].
fn gap<const K: usize>(rod: &Rod, at: &Kinematics, intervals: [usize; 2], x: [f64; 2]) -> Vec2 {
    let [a, b] = [0, 1].map(|side| at.at::<K>(rod.h, intervals[side], x[side]).0.place);
    b - a
}

/// Nearest points of two intervals, as fractions, and the direction in which the distance still decreases there. By
/// Newton's method from the nearest ends or middles, with second derivatives made positive, as they nearly vanish for
/// parallel arcs.
fn nearest<const K: usize>(rod: &Rod, at: &Kinematics, intervals: [usize; 2]) -> ([f64; 2], [f64; 2]) {
    let squared = |x: [f64; 2]| 0.5 * gap::<K>(rod, at, intervals, x).length_squared();
    let starts = [0.0, 0.5, 1.0];
    let pairs = starts.into_iter().flat_map(|a| starts.map(|b| [a, b]));
    let mut x = pairs.min_by(|a, b| squared(*a).total_cmp(&squared(*b))).unwrap_or([0.5; 2]);
    let mut downhill = [0.0; 2];
    for _ in 0..MOST_STEPS {
        let d = gap::<K>(rod, at, intervals, x);
        // tangents and their derivatives
        let [(s, turning_s), (t, turning_t)] = [0, 1].map(|k| {
            let [from, to] = at.ends[intervals[k]].u;
            let (sin, cos) = sincos(at.angle(intervals[k], x[k])[0]);
            (Vec2::new(cos, sin) * rod.h, Vec2::new(-sin, cos) * (rod.h * (to[0] - from[0])))
        });
        downhill = [d.dot(s), -d.dot(t)];
        let (ss, tt) = (s.dot(s), t.dot(t));
        let (mut a, mut b, mut c) = (ss - d.dot(turning_s), tt + d.dot(turning_t), -s.dot(t));
        let mut g = downhill;
        for k in 0..2 {
            // stay at an end that the step would go beyond
            if (x[k] <= 0.0 && g[k] < 0.0) || (x[k] >= 1.0 && g[k] > 0.0) {
                (g[k], c) = (0.0, 0.0);
                (a, b) = if k == 0 { (ss, b) } else { (a, tt) };
            }
        }
        let least = 0.5 * (a + b) - (0.25 * (a - b) * (a - b) + c * c).sqrt();
        let lift = (1e-3 * ss.max(tt) - least).max(0.0);
        (a, b) = (a + lift, b + lift);
        let det = a * b - c * c;
        let step = [(b * g[0] - c * g[1]) / det, (a * g[1] - c * g[0]) / det];
        let (now, mut part, mut next) = (squared(x), 1.0, x);
        // an improvement below rounding would only be halved to nothing
        if step[0] * g[0] + step[1] * g[1] <= NEAREST * now {
            break;
        }
        for _ in 0..MOST_HALVINGS {
            next = [0, 1].map(|k| (x[k] + part * step[k]).clamp(0.0, 1.0));
            if squared(next) <= now {
                break;
            }
            part *= 0.5;
        }
        let moved = (next[0] - x[0]).abs() + (next[1] - x[1]).abs();
        x = next;
        if moved < 1e-12 {
            break;
        }
    }
    (x, downhill)
}

/// Forces of self-contacts.
pub fn push<const K: usize>(
    rod: &Rod,
    at: &Kinematics,
    meetings: &mut [Meeting],
    springs: &mut Vec<Spring>,
    ties: &mut Vec<Tie>,
) {
    ties.clear();
    for m in meetings {
        let [a, b] = [0, 1].map(|side| at.at::<K>(rod.h, m.intervals[side], m.fractions[side]));
        let thick = 2.0 * rod.radius;
        let law = Law { rod, friction: rod.friction, depth: m.depth, press: m.press(thick) };
        let stiffer = m.stiffening(thick);
        m.force = Vec2::ZERO;
        for (n, push) in law.push(m.normal, b.0.velocity - a.0.velocity).enumerate() {
            let (direction, force) = (push.along, push.force);
            // the first force is along the normal
            let slopes = [if n == 0 { stiffer * rod.voigt[0] + push.begins } else { 0.0 }, push.damping];
            let rows = [a.1.row(-direction), b.1.row(direction)];
            let tied = ties.len() < MOST_TIES;
            if tied {
                ties.push(Tie { ends: [0, 1].map(|side| (m.intervals[side], rows[side])), slopes });
            }
            for (side, row) in rows.into_iter().enumerate() {
                // without a tie each side also yields to the other: twice as stiff seen from one side
                let slopes = if tied { [0.0; 2] } else { slopes.map(|s| 2.0 * s) };
                let (interval, fraction) = (m.intervals[side], m.fractions[side]);
                springs.push(Spring { interval, fraction, row, force, slopes });
            }
            m.force += direction * force;
        }
    }
}

stored!(Meeting { intervals, fractions, normal, depth, force });
