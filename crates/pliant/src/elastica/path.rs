//! Initial shape of a rod: angles of its nodes from its path.
//!
//! Nodes lie on the path at equal distances, and the angle of each is the mean of those of the pieces that meet there.
//! At a corner the two adjacent intervals are then arcs that cut it, and the rod would miss the end of its path by up
//! to an interval. So the angles are changed as little as possible until the rod ends where the path does, except at
//! its ends, where a gripper may hold its direction.

use super::plane::Plane;
use super::span::{GAUSS, POINTS, WEIGHTS};
use crate::math::{Vec2, Vec3, atan2, sincos};

/// Distance from the end of the path at which iterations stop, relative to the length.
const THERE: f64 = 1e-13;

/// Distance from the end of the path beyond which the rod has missed it, relative to the length.
const BESIDE: f64 = 1e-9;

/// Limit on iterations.
const MOST_CHANGES: usize = 60;

/// Limit on the change of an angle in an iteration [rad].
const LARGEST: f64 = 0.3;

/// Angles of the nodes [rad] of a rod of length `length` [m], from equidistant points of its path in a plane. If the
/// rod cannot reach the end of the path, the error is the remaining distance [m].
pub fn angles_on(plane: &Plane, points: &[Vec3], length: f64) -> Result<Vec<f64>, f64> {
    let angles = angles_along(plane, points);
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Ok(angles) };
    let target = plane.direction(*last - *first);
    let n = angles.len() - 1;
    let inner = |i: usize| (i * (n - i)) as f64;
    let whole = |_: usize| 1.0;
    match ending_at(target, angles.clone(), length, inner) {
        // a rod with few intervals may need to change the angles at its ends too
        Err(_) => ending_at(target, angles, length, whole),
        found => found,
    }
}

/// Angles that lead to a target, with the least change from those given, weighted by node.
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
        // the least change that moves the end by the remaining distance: W J^T (J W J^T)^-1 left
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

/// End of a rod that starts at the origin, by the quadrature of `span`, and its derivatives by the angles.
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

/// Angles at points of a curve: the mean of those of the pieces that meet there, extrapolated at the ends.
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

/// An angle plus the whole turns that bring it nearest to another [rad].
pub fn nearest_turn(angle: f64, near: f64) -> f64 {
    use std::f64::consts::TAU;
    angle + TAU * ((near - angle) / TAU).round()
}
