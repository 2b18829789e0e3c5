//! Contact of a rod with itself: (32) to (35) of Wakamatsu et al., corrected.
//!
//! The printed force attracts two parts whose centre lines have crossed, and its damping feeds energy. Here the rod is as
//! thick as it is, and parts push each other apart where their centre lines come closer than two radii:
//!
//!   f = k_c (2 r - |d|) - b_c d|d|/dt >= 0      on part 2 along d = x_2 - x_1, and the opposite on part 1.
//!
//! A plane curve can only come back to itself after turning by more than half a turn. From an interval on, the next one that
//! it may touch is as many intervals away as their distance takes, since the rod does not stretch by much.

use super::equations::{Spring, Tie};
use super::rod::{Kinematics, Rod};
use super::touch::begun;
use crate::math::Vec2;

/// Two places of the rod that touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// Which intervals.
    pub intervals: [usize; 2],
    /// Fractions of them.
    pub fractions: [f64; 2],
    /// From the first to the second.
    pub normal: Vec2,
    /// How deep the surfaces are in each other [m].
    pub depth: f64,
    /// Force on the second [N].
    pub force: Vec2,
}

/// Steps to the nearest places of two intervals.
const MOST_STEPS: usize = 10;

/// Most ties of a rod to itself.
pub const MOST_TIES: usize = 16;

/// Friction reaches its limit at this speed [m/s].
const CREEP: f64 = 1e-4;

/// Find all places where the rod touches itself.
pub fn find<const K: usize>(rod: &Rod, at: &Kinematics, meetings: &mut Vec<Meeting>) {
    meetings.clear();
    if !turns_enough(at) {
        return;
    }
    let (n, thick) = (rod.intervals(), 2.0 * rod.radius);
    let middle = |i: usize| 0.5 * (at.nodes[i].place + at.nodes[i + 1].place);
    // an interval is no longer than this, stretched too
    let longest = |i: usize| (at.nodes[i + 1].place - at.nodes[i].place).length();
    let width = 1.5 * (0..n).map(longest).fold(rod.h, f64::max);
    // closer along the rod than half a circle of its own thickness it only bends
    let apart = 2 + (1.6 * thick / rod.h) as usize;
    for i in 0..n {
        let mut j = i + apart;
        while j < n {
            let gap = (middle(j) - middle(i)).length() - width - thick;
            if gap > 0.0 {
                j += 1 + (gap / width) as usize;
                continue;
            }
            if let Some(meeting) = meet::<K>(rod, at, [i, j], apart) {
                meetings.push(meeting);
            }
            j += 1;
        }
    }
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

/// The nearest places of two intervals, if they touch there: Gauss and Newton's method from the nearest ends or middles.
fn meet<const K: usize>(rod: &Rod, at: &Kinematics, intervals: [usize; 2], apart: usize) -> Option<Meeting> {
    let place = |side: usize, x: f64| at.at::<K>(rod.h, intervals[side], x).0.place;
    let tangent = |side: usize, x: f64| {
        let (sin, cos) = at.angle(intervals[side], x)[0].sin_cos();
        Vec2::new(cos, sin) * rod.h
    };
    let starts = [0.0, 0.5, 1.0];
    let (mut x, mut least) = ([0.5; 2], f64::INFINITY);
    for a in starts {
        let first = place(0, a);
        for b in starts {
            let d = (place(1, b) - first).length();
            if d < least {
                (x, least) = ([a, b], d);
            }
        }
    }
    for _ in 0..MOST_STEPS {
        let d = place(1, x[1]) - place(0, x[0]);
        let [s, t] = [tangent(0, x[0]), tangent(1, x[1])];
        // least |d - s dx + t dy|^2, with each kept within its interval
        let (ss, st, tt) = (s.dot(s), s.dot(t), t.dot(t));
        let (right, above) = (d.dot(s), -d.dot(t));
        let det = ss * tt - st * st;
        let (dx, dy) = if det > 1e-6 * ss * tt {
            ((tt * right + st * above) / det, (st * right + ss * above) / det)
        } else {
            (0.5 * right / ss, 0.5 * above / tt)
        };
        let mut next = [(x[0] + dx).clamp(0.0, 1.0), (x[1] + dy).clamp(0.0, 1.0)];
        // where one is stopped at an end, the other goes to what is nearest to that
        if next[0] != x[0] + dx {
            next[1] = (x[1] + (above + st * (next[0] - x[0])) / tt).clamp(0.0, 1.0);
        } else if next[1] != x[1] + dy {
            next[0] = (x[0] + (right + st * (next[1] - x[1])) / ss).clamp(0.0, 1.0);
        }
        let moved = (next[0] - x[0]).abs() + (next[1] - x[1]).abs();
        x = next;
        if moved < 1e-9 {
            break;
        }
    }
    let d = place(1, x[1]) - place(0, x[0]);
    let (distance, depth) = (d.length(), 2.0 * rod.radius - d.length());
    // what an interval shares with the one before it counts for that
    let repeated = (x[0] == 0.0 && intervals[0] > 0) || (x[1] == 0.0 && intervals[1] > intervals[0] + apart);
    (depth > 0.0 && distance > 0.0 && !repeated).then(|| Meeting {
        intervals,
        fractions: x,
        normal: d / distance,
        depth,
        force: Vec2::ZERO,
    })
}

/// What meetings push with.
pub fn push<const K: usize>(
    rod: &Rod,
    at: &Kinematics,
    meetings: &mut [Meeting],
    springs: &mut Vec<Spring>,
    ties: &mut Vec<Tie>,
) {
    ties.clear();
    let [stiffness, damping] = rod.voigt;
    for m in meetings {
        let [a, b] = [0, 1].map(|side| at.at::<K>(rod.h, m.intervals[side], m.fractions[side]));
        let speed = b.0.velocity - a.0.velocity;
        let damping = damping * begun(m.depth, rod);
        let force = stiffness * m.depth - damping * speed.dot(m.normal);
        m.force = Vec2::ZERO;
        if force <= 0.0 {
            continue;
        }
        let mut add = |direction: Vec2, force: f64, slopes: [f64; 2]| {
            let rows = [a.1.row(-direction), b.1.row(direction)];
            let tied = ties.len() < MOST_TIES;
            if tied {
                ties.push(Tie { ends: [0, 1].map(|side| (m.intervals[side], rows[side])), slopes });
            }
            for (side, row) in rows.into_iter().enumerate() {
                // without a tie each side yields to the other too: twice as stiff as seen from one
                let slopes = if tied { [0.0; 2] } else { slopes.map(|s| 2.0 * s) };
                let (interval, fraction) = (m.intervals[side], m.fractions[side]);
                springs.push(Spring { interval, fraction, row, force, slopes });
            }
            m.force += direction * force;
        };
        add(m.normal, force, [stiffness, damping]);
        let limit = rod.friction.coefficient * force.powf(rod.friction.exponent);
        if limit > 0.0 {
            let along = m.normal.perp();
            let sliding = speed.dot(along);
            let slope = limit / (sliding * sliding + CREEP * CREEP).sqrt();
            add(along, -slope * sliding, [0.0, slope]);
        }
    }
}
