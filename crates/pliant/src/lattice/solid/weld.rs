//! Merging points that differ only by rounding.

use std::collections::HashMap;

use crate::math::Vec3;
use crate::moments::bounds;

/// Merge points within `reach` [m] of each other. Returns the first of each group, in order of appearance, and the new
/// index of each point.
pub(super) fn weld(points: &[Vec3], reach: f64) -> (Vec<Vec3>, Vec<u32>) {
    let mut kept: Vec<Vec3> = vec![];
    let mut became = Vec::with_capacity(points.len());
    let [low, high] = bounds(points);
    // hash boxes of twice the reach: any near point lies in a box that contains a corner of the cube around the point
    let side = if reach > 0.0 { 2.0 * reach } else { 1e-9 * (high - low).length() };
    let place = |p: Vec3| ((p - low) / side).floor().to_array().map(|x| x as i64);
    let mut boxes: HashMap<[i64; 3], Vec<u32>> = HashMap::with_capacity(points.len());
    for &point in points {
        let [low, high] = [place(point - reach), place(point + reach)];
        let near = corners(low, high)
            .filter_map(|key| boxes.get(&key))
            .flatten()
            .copied()
            .filter(|&k| kept[k as usize].distance(point) <= reach)
            .min();
        became.push(near.unwrap_or_else(|| {
            let index = kept.len() as u32;
            kept.push(point);
            boxes.entry(place(point)).or_default().push(index);
            index
        }));
    }
    (kept, became)
}

/// The boxes between two that differ by at most one along each axis.
fn corners(low: [i64; 3], high: [i64; 3]) -> impl Iterator<Item = [i64; 3]> {
    (0..8usize).filter_map(move |bits| {
        let mut key = low;
        for axis in 0..3 {
            if bits >> axis & 1 == 1 {
                if high[axis] == low[axis] {
                    return None;
                }
                key[axis] = high[axis];
            }
        }
        Some(key)
    })
}
