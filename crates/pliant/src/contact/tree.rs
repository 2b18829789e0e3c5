//! A bounding volume tree over the parts of one body's outline (facets, segments, points: facets for short), built once
//! and refitted as the body moves and bends.
//!
//! It is a full binary tree: node i has the children 2 i + 1 and 2 i + 2, and at level l the k-th node covers the
//! facets from n k / 2^l to n (k + 1) / 2^l in the tree's order. Only the order and the boxes are stored.

use crate::math::Vec3;

/// Lower and upper corner of a bounding box [m].
pub type Bounds = [Vec3; 2];

/// Maximum number of facets in a leaf.
const LEAF: usize = 4;

/// A tree is rebuilt when the boxes of its leaves have grown by this factor.
const WORN: f64 = 1.5;

/// An empty box.
pub const EMPTY: Bounds = [Vec3::INFINITY, Vec3::NEG_INFINITY];

/// Whether two boxes have a point in common; false if a corner is NaN.
pub fn meet(a: &Bounds, b: &Bounds) -> bool {
    a[0].cmple(b[1]).all() && b[0].cmple(a[1]).all()
}

/// The box around both; NaN is ignored.
pub fn join(a: &Bounds, b: &Bounds) -> Bounds {
    let each = |f: fn(f64, f64) -> f64, p: Vec3, q: Vec3| Vec3::new(f(p.x, q.x), f(p.y, q.y), f(p.z, q.z));
    [each(f64::min, a[0], b[0]), each(f64::max, a[1], b[1])]
}

/// The bounding box of a facet, enlarged by `margin` [m] on every side.
pub fn around(facet: &[Vec3; 3], margin: f64) -> Bounds {
    let [a, b, c] = *facet;
    [a.min(b).min(c) - margin, a.max(b).max(c) + margin]
}

/// The tree of one body's outline.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Facets in the order of the tree.
    order: Vec<u32>,
    /// Boxes of nodes, from the root.
    nodes: Vec<Bounds>,
    /// Levels below the root.
    levels: u32,
    /// Summed size of the leaf boxes when it was built [m].
    built: f64,
}

impl Tree {
    /// Refit to the current boxes of the facets, or rebuild if necessary.
    pub fn follow(&mut self, facets: &[Bounds]) {
        if self.nodes.is_empty() || self.order.len() != facets.len() {
            self.build(facets);
            return;
        }
        let size = self.refit(facets);
        if size > WORN * self.built {
            self.build(facets);
        }
    }

    /// Sort facets by halving them along the longest side of the box of their centres.
    fn build(&mut self, facets: &[Bounds]) {
        let count = facets.len();
        self.order.clear();
        self.order.extend(0..count as u32);
        self.levels = 0;
        while (LEAF << self.levels) < count {
            self.levels += 1;
        }
        self.nodes.clear();
        self.nodes.resize((2 << self.levels) - 1, EMPTY);
        for level in 0..self.levels {
            for k in 0..1 << level {
                let [from, to] = span(count, level, k);
                let half = span(count, level + 1, 2 * k)[1];
                halve(&mut self.order[from..to], half - from, facets);
            }
        }
        self.built = self.refit(facets);
    }

    /// Recompute the boxes of all nodes; returns the summed size of the leaves [m].
    fn refit(&mut self, facets: &[Bounds]) -> f64 {
        let lowest = (1 << self.levels) - 1;
        let mut size = 0.0;
        for k in 0..1 << self.levels {
            let [from, to] = span(facets.len(), self.levels, k);
            let bounds = self.order[from..to].iter().fold(EMPTY, |sum, &f| join(&sum, &facets[f as usize]));
            let extent = (bounds[1] - bounds[0]).element_sum();
            size += if extent.is_finite() { extent.max(0.0) } else { 0.0 };
            self.nodes[lowest + k] = bounds;
        }
        for i in (0..lowest).rev() {
            self.nodes[i] = join(&self.nodes[2 * i + 1], &self.nodes[2 * i + 2]);
        }
        size
    }

    /// The box around all facets.
    pub fn bounds(&self) -> Bounds {
        self.nodes.first().copied().unwrap_or(EMPTY)
    }

    /// Facets of a leaf.
    fn under(&self, node: usize) -> &[u32] {
        let [from, to] = span(self.order.len(), self.levels, node + 1 - (1 << self.levels));
        &self.order[from..to]
    }

    /// The children of a node; `None` for a leaf.
    fn below(&self, node: usize) -> Option<[usize; 2]> {
        (2 * node + 2 < self.nodes.len()).then_some([2 * node + 1, 2 * node + 2])
    }

    /// Visit pairs of lists of facets, one of each tree, whose boxes overlap.
    pub fn meetings(&self, other: &Tree, stack: &mut Vec<[usize; 2]>, mut visit: impl FnMut(&[u32], &[u32])) {
        stack.clear();
        if !self.nodes.is_empty() && !other.nodes.is_empty() {
            stack.push([0, 0]);
        }
        while let Some([a, b]) = stack.pop() {
            if !meet(&self.nodes[a], &other.nodes[b]) {
                continue;
            }
            match (self.below(a), other.below(b)) {
                (None, None) => visit(self.under(a), other.under(b)),
                (Some(below), None) => stack.extend(below.map(|a| [a, b])),
                (None, Some(below)) => stack.extend(below.map(|b| [a, b])),
                // descend into the larger of the two
                (Some(in_a), Some(in_b)) => match size(&self.nodes[a]) > size(&other.nodes[b]) {
                    true => stack.extend(in_a.map(|a| [a, b])),
                    false => stack.extend(in_b.map(|b| [a, b])),
                },
            }
        }
    }

    /// Visit pairs of lists of facets within the tree whose boxes overlap, each pair once; a list is also paired with
    /// itself.
    pub fn own_meetings(&self, stack: &mut Vec<[usize; 2]>, mut visit: impl FnMut(&[u32], &[u32])) {
        stack.clear();
        if !self.nodes.is_empty() {
            stack.push([0, 0]);
        }
        while let Some([a, b]) = stack.pop() {
            if !meet(&self.nodes[a], &self.nodes[b]) {
                continue;
            }
            match (self.below(a), self.below(b)) {
                (Some([c, d]), _) if a == b => stack.extend([[c, c], [d, d], [c, d]]),
                // all leaves are on one level, and so are both nodes of a pair
                (Some(in_a), Some(in_b)) => stack.extend(in_a.into_iter().flat_map(|a| in_b.map(|b| [a, b]))),
                _ => visit(self.under(a), self.under(b)),
            }
        }
    }
}

/// Range of the facets of the k-th node of a level.
fn span(count: usize, level: u32, k: usize) -> [usize; 2] {
    [(count * k) >> level, (count * (k + 1)) >> level]
}

/// Sum of the sides of a box [m].
fn size(bounds: &Bounds) -> f64 {
    (bounds[1] - bounds[0]).element_sum()
}

/// Partition the facets at an index by their centres along the longest direction.
fn halve(order: &mut [u32], at: usize, facets: &[Bounds]) {
    let middle = |f: u32| facets[f as usize][0] + facets[f as usize][1];
    let all = order.iter().fold(EMPTY, |sum, &f| join(&sum, &[middle(f); 2]));
    let extent = all[1] - all[0];
    let axis = if extent.x >= extent.y.max(extent.z) { 0 } else { 1 + usize::from(extent.z > extent.y) };
    if at < order.len() {
        order.select_nth_unstable_by(at, |&a, &b| middle(a)[axis].total_cmp(&middle(b)[axis]).then(a.cmp(&b)));
    }
}
