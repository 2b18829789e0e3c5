//! Elimination order of a sparse block matrix, for little fill-in: next comes the node whose elimination is estimated
//! to fill least, after Rothberg and Eisenstat, "Node selection strategies for bottom-up sparse matrix ordering".
//!
//! The remaining graph is stored explicitly, with all edges filled in by elimination: links touch few others, so that
//! its lists stay short.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

const NONE: u32 = u32::MAX;

/// Working memory for the elimination order.
#[derive(Clone, Debug, Default)]
pub struct Ordering {
    /// Neighbours of each node in the remaining graph.
    neighbours: Vec<Vec<u32>>,
    /// Upper bound on the blocks that each node would fill; `None` for an eliminated one.
    fills: Vec<Option<usize>>,
    /// Nodes by fill, smallest first; includes outdated entries.
    waiting: BinaryHeap<Reverse<(usize, u32)>>,
    mark: Vec<u32>,
    merged: Vec<u32>,
}

/// Blocks that a node with this many neighbours fills, if `connected` of these are known to be connected with each
/// other.
fn fill(neighbours: usize, connected: usize) -> usize {
    neighbours * neighbours.saturating_sub(1) - connected * connected.saturating_sub(1)
}

impl Ordering {
    /// Calls `tell` with the nodes in elimination order, each with its neighbours at that time, until it returns false; then
    /// this does too. Edges are those between `count` nodes, each once and none from a node to itself.
    pub fn eliminate(
        &mut self,
        count: usize,
        edges: impl Iterator<Item = [u32; 2]>,
        mut tell: impl FnMut(u32, &[u32]) -> bool,
    ) -> bool {
        self.begin(count, edges);
        while let Some(Reverse((fill, node))) = self.waiting.pop() {
            if self.fills[node as usize] != Some(fill) {
                continue;
            }
            self.fills[node as usize] = None;
            let around = std::mem::take(&mut self.neighbours[node as usize]);
            let goes_on = tell(node, &around);
            for &other in &around {
                self.join(other, node, &around);
            }
            self.neighbours[node as usize] = around;
            if !goes_on {
                return false;
            }
        }
        true
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

    /// Queue a node with its fill. Its outdated entries are skipped when they come up.
    fn wait(&mut self, node: u32, fill: usize) {
        if self.fills[node as usize] != Some(fill) {
            self.fills[node as usize] = Some(fill);
            self.waiting.push(Reverse((fill, node)));
        }
    }

    /// Connect a node with all neighbours of an eliminated one.
    fn join(&mut self, node: u32, gone: u32, around: &[u32]) {
        self.merged.clear();
        // earlier marks are still valid: neighbours stay until they are eliminated
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
        // the neighbours of the eliminated node are now connected with each other
        self.wait(node, fill(self.neighbours[node as usize].len(), around.len() - 1));
    }
}
