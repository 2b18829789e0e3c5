//! In which order the blocks of a sparse matrix are eliminated, so that few others are filled: the node next whose elimination
//! seems to fill least, after Rothberg and Eisenstat, "Node selection strategies for bottom-up sparse matrix ordering".
//!
//! The graph that is left is kept as it is, with all edges that elimination has filled in: links touch few others, so that
//! its lists stay short.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

const NONE: u32 = u32::MAX;

/// Working memory for the order of elimination.
#[derive(Clone, Debug, Default)]
pub struct Ordering {
    /// Neighbours of each node in the graph that is left.
    neighbours: Vec<Vec<u32>>,
    /// How many blocks each node would fill, at most; nothing for one that is gone.
    fills: Vec<Option<usize>>,
    /// The same with its node, least first, among what it was before.
    waiting: BinaryHeap<Reverse<(usize, u32)>>,
    mark: Vec<u32>,
    merged: Vec<u32>,
}

/// Blocks that a node with some neighbours fills, if so many of these are connected with each other.
fn fill(neighbours: usize, connected: usize) -> usize {
    neighbours * neighbours.saturating_sub(1) - connected * connected.saturating_sub(1)
}

impl Ordering {
    /// Nodes in their order of elimination, each with those that it is connected with when its turn comes: `tell` is given
    /// both. Edges are those between `count` nodes, each once and none from a node to itself.
    pub fn eliminate(
        &mut self,
        count: usize,
        edges: impl Iterator<Item = [u32; 2]>,
        mut tell: impl FnMut(u32, &[u32]),
    ) {
        self.begin(count, edges);
        while let Some(Reverse((fill, node))) = self.waiting.pop() {
            if self.fills[node as usize] != Some(fill) {
                continue;
            }
            self.fills[node as usize] = None;
            let around = std::mem::take(&mut self.neighbours[node as usize]);
            tell(node, &around);
            for &other in &around {
                self.join(other, node, &around);
            }
            self.neighbours[node as usize] = around;
        }
    }

    fn begin(&mut self, count: usize, edges: impl Iterator<Item = [u32; 2]>) {
        if self.neighbours.len() < count {
            self.neighbours.resize_with(count, Vec::new);
        }
        self.neighbours[..count].iter_mut().for_each(Vec::clear);
        for [a, b] in edges {
            self.neighbours[a as usize].push(b);
            self.neighbours[b as usize].push(a);
        }
        self.mark.clear();
        self.mark.resize(count, NONE);
        self.fills.clear();
        self.fills.resize(count, None);
        self.waiting.clear();
        for node in 0..count {
            self.wait(node as u32, fill(self.neighbours[node].len(), 0));
        }
    }

    /// Put a node among those that wait. What it was before there is passed over.
    fn wait(&mut self, node: u32, fill: usize) {
        if self.fills[node as usize] != Some(fill) {
            self.fills[node as usize] = Some(fill);
            self.waiting.push(Reverse((fill, node)));
        }
    }

    /// Connect a node with all that were around one that is gone.
    fn join(&mut self, node: u32, gone: u32, around: &[u32]) {
        self.merged.clear();
        // marks of an earlier time are still true: neighbours stay until they are gone
        self.mark[node as usize] = node;
        for &other in &self.neighbours[node as usize] {
            self.mark[other as usize] = node;
            if other != gone {
                self.merged.push(other);
            }
        }
        for &other in around {
            if self.mark[other as usize] != node {
                self.merged.push(other);
            }
        }
        std::mem::swap(&mut self.neighbours[node as usize], &mut self.merged);
        // what was around the one that is gone is connected with each other now
        self.wait(node, fill(self.neighbours[node as usize].len(), around.len() - 1));
    }
}
