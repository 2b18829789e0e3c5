//! Particles sorted along the body, in blocks for distribution to threads.
//!
//! A connector reaches at most from its block into the next. Connectors of every other block therefore push disjoint
//! particles, so that threads need no locks and sums do not depend on the thread.

use std::ops::Range;

use super::connectors::{Hinge, Link, Swell};
use crate::math::Vec3;

/// Limit on the blocks of a body.
pub const MOST_BLOCKS: usize = 32;

/// Least number of particles in a block: fewer are not worth a thread's overhead.
const LEAST: usize = 200;

/// Consecutive particles of a body, and the connectors that start there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// Particles.
    pub particles: Range<usize>,
    /// Links.
    pub links: Range<usize>,
    /// Angle connectors.
    pub hinges: Range<usize>,
    /// Volume connectors.
    pub swells: Range<usize>,
}

/// New index of each particle when sorted along the longest extent of the body.
pub fn along(places: &[Vec3]) -> Vec<u32> {
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for place in places {
        (low, high) = (low.min(*place), high.max(*place));
    }
    let size = high - low;
    let axis = (0..3).max_by(|a, b| size[*a].total_cmp(&size[*b])).unwrap_or(0);
    // layers are distinguished by more than rounding
    let unit = 1e-6 * size.max_element().max(f64::MIN_POSITIVE);
    let layer = |p: Vec3| ((p - low) / unit).to_array().map(|x| x.round() as i64);
    let mut order: Vec<u32> = (0..places.len() as u32).collect();
    order.sort_by_cached_key(|n| {
        let p = layer(places[*n as usize]);
        [p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3], i64::from(*n)]
    });
    let mut number = vec![0; places.len()];
    order.iter().enumerate().for_each(|(k, n)| number[*n as usize] = k as u32);
    number
}

/// Reorder values by new indices.
pub fn arrange<T: Copy + Default>(values: &[T], number: &[u32]) -> Vec<T> {
    let mut out = vec![T::default(); values.len()];
    values.iter().zip(number).for_each(|(value, n)| out[*n as usize] = *value);
    out
}

/// Range of particles of a connector.
pub trait Span {
    /// The lowest and highest index.
    fn span(&self) -> [u32; 2];
}

impl Span for Link {
    fn span(&self) -> [u32; 2] {
        [self.ends[0].min(self.ends[1]), self.ends[0].max(self.ends[1])]
    }
}

impl Span for Hinge {
    fn span(&self) -> [u32; 2] {
        let all = [self.ends[0], self.ends[1], self.middle];
        [all[0].min(all[1]).min(all[2]), all[0].max(all[1]).max(all[2])]
    }
}

impl Span for Swell {
    fn span(&self) -> [u32; 2] {
        self.corners.iter().fold([u32::MAX, 0], |[low, high], n| [low.min(*n), high.max(*n)])
    }
}

/// Divide a body into blocks such that no connector spans more than two; connectors must be sorted by their first
/// particle.
pub fn blocks(size: usize, links: &[Link], hinges: &[Hinge], swells: &[Swell]) -> Vec<Block> {
    let widest = |spans: &mut dyn Iterator<Item = [u32; 2]>| spans.map(|[a, b]| (b - a) as usize).max().unwrap_or(0);
    let width = widest(&mut links.iter().map(Span::span))
        .max(widest(&mut hinges.iter().map(Span::span)))
        .max(widest(&mut swells.iter().map(Span::span)));
    let each = LEAST.max(width + 1).max(size.div_ceil(MOST_BLOCKS));
    let count = (size / each).max(1);
    let bound = |k: usize| if k == count { size } else { k * size / count };
    (0..count)
        .map(|k| {
            let particles = bound(k)..bound(k + 1);
            Block {
                links: within(links, &particles),
                hinges: within(hinges, &particles),
                swells: within(swells, &particles),
                particles,
            }
        })
        .collect()
}

fn within<T: Span>(connectors: &[T], particles: &Range<usize>) -> Range<usize> {
    let first = |bound: usize| connectors.partition_point(|c| (c.span()[0] as usize) < bound);
    first(particles.start)..first(particles.end)
}
