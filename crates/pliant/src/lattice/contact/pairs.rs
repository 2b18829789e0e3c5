//! Broad phase: which facets of which bodies may touch, by bounding boxes of bodies and then trees of boxes.
//!
//! The trees of the collision library would do, but their traversal of two trees may allocate and their builder panics
//! on NaN. Facets of a body do not change, so a plain full tree that is refitted is enough.

use crate::bytes::stored;
use crate::contact::tree::{Bounds, Tree, meet};

/// The surface of one body.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    /// Corners of its facets.
    pub facets: &'a [[u32; 3]],
    /// Bounding boxes of its facets, with a margin for their motion until the next search [m]; one per facet.
    pub boxes: &'a [Bounds],
    /// `None` if it cannot touch itself; otherwise the sorted pairs of its facets (lower index first) that never count:
    /// those that face each other through its own thin parts.
    pub itself: Option<&'a [[u32; 2]]>,
}

/// Two facets that may touch. Within a body the lower facet comes first, otherwise the lower body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// Indices of their bodies.
    pub bodies: [u32; 2],
    /// Indices of the facets in the first and the second body.
    pub facets: [u32; 2],
}

/// The search for pairs, with memory that is reused between calls.
#[derive(Clone, Debug, Default)]
pub struct Broad {
    trees: Vec<Tree>,
    stack: Vec<[usize; 2]>,
    /// Bodies sorted by the lower end of their bounding boxes along x.
    line: Vec<u32>,
    pairs: Vec<Pair>,
}

impl Broad {
    /// All pairs of facets whose bounding boxes overlap, sorted: those of different bodies, and within bodies that may
    /// touch themselves those that share no corner. `body` gives the surfaces of bodies 0 to `count` - 1.
    pub fn find<'a>(&mut self, count: usize, body: impl Fn(usize) -> Surface<'a>) -> &[Pair] {
        self.trees.resize_with(count, Tree::default);
        self.pairs.clear();
        for (i, tree) in self.trees.iter_mut().enumerate() {
            tree.follow(body(i).boxes);
        }
        let Broad { trees, stack, line, pairs } = self;
        for (i, tree) in trees.iter().enumerate() {
            let surface = body(i);
            if let Some(never) = surface.itself {
                within(i as u32, tree, &surface, never, stack, pairs);
            }
        }
        // sweep and prune along x
        let low = |i: u32| trees[i as usize].bounds()[0].x;
        line.clear();
        line.extend(0..count as u32);
        line.sort_unstable_by(|&a, &b| low(a).total_cmp(&low(b)).then(a.cmp(&b)));
        for (k, &i) in line.iter().enumerate() {
            let [_, high] = trees[i as usize].bounds();
            for &j in line[k + 1..].iter().take_while(|&&j| low(j) <= high.x) {
                if meet(&trees[i as usize].bounds(), &trees[j as usize].bounds()) {
                    let bodies = [i.min(j), i.max(j)];
                    between(bodies, trees, bodies.map(|b| body(b as usize).boxes), stack, pairs);
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }
}

/// Pairs of two bodies.
fn between(
    bodies: [u32; 2],
    trees: &[Tree],
    boxes: [&[Bounds]; 2],
    stack: &mut Vec<[usize; 2]>,
    pairs: &mut Vec<Pair>,
) {
    let [first, second] = bodies.map(|b| &trees[b as usize]);
    first.meetings(second, stack, |a, b| {
        for &f in a {
            for &g in b {
                if meet(&boxes[0][f as usize], &boxes[1][g as usize]) {
                    pairs.push(Pair { bodies, facets: [f, g] });
                }
            }
        }
    });
}

/// Pairs within one body.
fn within(
    body: u32,
    tree: &Tree,
    surface: &Surface,
    never: &[[u32; 2]],
    stack: &mut Vec<[usize; 2]>,
    pairs: &mut Vec<Pair>,
) {
    let apart = |f: u32, g: u32| match (surface.facets.get(f as usize), surface.facets.get(g as usize)) {
        (Some(a), Some(b)) => !a.iter().any(|corner| b.contains(corner)),
        _ => false,
    };
    tree.own_meetings(stack, |a, b| {
        // a list against itself: each pair once
        let same = std::ptr::eq(a, b);
        for (k, &f) in a.iter().enumerate() {
            for &g in if same { &b[k + 1..] } else { b } {
                let facets = [f.min(g), f.max(g)];
                let near = meet(&surface.boxes[f as usize], &surface.boxes[g as usize]);
                if near && apart(f, g) && never.binary_search(&facets).is_err() {
                    pairs.push(Pair { bodies: [body; 2], facets });
                }
            }
        }
    });
}

#[cfg(test)]
#[path = "pairs_tests.rs"]
mod tests;

stored!(Pair { bodies, facets });
