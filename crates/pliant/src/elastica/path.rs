//! Where a rod begins: angles of its nodes from the path it lies on.
//!
//! Nodes lie on the path at equal distances, and the angle of each is half-way between those of the pieces that meet there. At
//! a corner the two intervals beside it are then arcs that cut it, and the rod would end beside its path by up to an interval.
//! So the angles are changed until it ends where the path does: by as little as can be, all along the rod and not at its ends,
//! where a gripper may hold its direction.

use super::plane::Plane;
use super::span::{GAUSS, POINTS, WEIGHTS};
use crate::math::{Vec2, Vec3, atan2, sincos};

/// The rod ends where its path does when it is as near as this, as a part of its length.
const THERE: f64 = 1e-13;

/// It is beside its path from here on.
const BESIDE: f64 = 1e-9;

/// Changes until it is there.
const MOST_CHANGES: usize = 60;

/// Largest change of an angle at a time [rad].
const LARGEST: f64 = 0.3;

/// Angles of the nodes [rad] of a rod on a path in a plane, from points of it at equal distances; a rod of this length [m].
/// Where it cannot end where the path ends, how far from there it would [m].
pub fn angles_on(plane: &Plane, points: &[Vec3], length: f64) -> Result<Vec<f64>, f64> {
    let angles = angles_along(plane, points);
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Ok(angles) };
    let target = plane.direction(*last - *first);
    let n = angles.len() - 1;
    let inner = |i: usize| (i * (n - i)) as f64;
    let whole = |_: usize| 1.0;
    match ending_at(target, angles.clone(), length, inner) {
        // a rod of few intervals may need its ends too
        Err(_) => ending_at(target, angles, length, whole),
        found => found,
    }
}

/// Angles that lead to a place, as near to those given as can be, weighted by node.
fn ending_at(target: Vec2, mut angles: Vec<f64>, length: f64, weight: impl Fn(usize) -> f64) -> Result<Vec<f64>, f64> {
    let h = length / (angles.len() - 1) as f64;
    let mut moves = vec![Vec2::ZERO; angles.len()];
    let mut off = f64::INFINITY;
    for _ in 0..MOST_CHANGES {
        let left = target - end_of(&angles, h, &mut moves);
        off = left.length();
        if off <= THERE * length {
            break;
        }
        // the least change for which the end moves by what is left: W J^T (J W J^T)^-1 left
        let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
        for (i, by) in moves.iter().enumerate() {
            let w = weight(i);
            (xx, xy, yy) = (xx + w * by.x * by.x, xy + w * by.x * by.y, yy + w * by.y * by.y);
        }
        let faint = 1e-12 * (xx + yy);
        let (xx, yy) = (xx + faint, yy + faint);
        let det = xx * yy - xy * xy;
        let along = Vec2::new(yy * left.x - xy * left.y, xx * left.y - xy * left.x) / det;
        let change = |i: usize| weight(i) * moves[i].dot(along);
        let most = (0..angles.len()).map(|i| change(i).abs()).fold(0.0, f64::max);
        if !most.is_finite() || most == 0.0 {
            break;
        }
        let part = (LARGEST / most).min(1.0);
        (0..angles.len()).for_each(|i| angles[i] += part * change(i));
    }
    if off <= BESIDE * length { Ok(angles) } else { Err(off) }
}

/// Where a rod ends that begins at the origin, by the sums of `span`, and how that moves with each angle.
fn end_of(angles: &[f64], h: f64, moves: &mut [Vec2]) -> Vec2 {
    moves.fill(Vec2::ZERO);
    let mut end = Vec2::ZERO;
    for i in 0..angles.len() - 1 {
        for r in 0..POINTS {
            let (sin, cos) = sincos((1.0 - GAUSS[r]) * angles[i] + GAUSS[r] * angles[i + 1]);
            let (along, part) = (Vec2::new(cos, sin), h * WEIGHTS[r]);
            end += along * part;
            moves[i] += along.perp() * (part * (1.0 - GAUSS[r]));
            moves[i + 1] += along.perp() * (part * GAUSS[r]);
        }
    }
    end
}

/// Angles at points of a curve: half-way between those of the pieces that meet there, and at the ends as much farther.
fn angles_along(plane: &Plane, points: &[Vec3]) -> Vec<f64> {
    let mut last: Option<f64> = None;
    let pieces: Vec<f64> = points
        .windows(2)
        .map(|w| {
            let along = plane.direction(w[1] - w[0]);
            let angle = atan2(along.y, along.x);
            let angle = last.map_or(angle, |last| nearest_turn(angle, last));
            last = Some(angle);
            angle
        })
        .collect();
    let n = pieces.len();
    let between = |i: usize| 0.5 * (pieces[i - 1] + pieces[i]);
    let at = |i: usize| match i {
        _ if n == 1 => pieces[0],
        0 => 1.5 * pieces[0] - 0.5 * pieces[1],
        i if i == n => 1.5 * pieces[n - 1] - 0.5 * pieces[n - 2],
        i => between(i),
    };
    (0..=n).map(at).collect()
}

/// An angle with as many whole turns as bring it nearest to another.
pub fn nearest_turn(angle: f64, near: f64) -> f64 {
    use std::f64::consts::TAU;
    angle + TAU * ((near - angle) / TAU).round()
}
