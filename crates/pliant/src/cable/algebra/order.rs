//! In which order the blocks of a sparse matrix are eliminated, so that few others are filled: least degree first, after
//! Markowitz, "The elimination form of the inverse and its application to linear programming".
//!
//! The graph that is left is kept as it is, with all edges that elimination has filled in: links touch few others, so that
//! its lists stay short.

const NONE: u32 = u32::MAX;

/// Working memory for the order of elimination.
#[derive(Clone, Debug, Default)]
pub struct Ordering {
    /// Neighbours of each node in the graph that is left.
    neighbours: Vec<Vec<u32>>,
    /// Nodes of each degree, as lists that are linked both ways.
    heads: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    mark: Vec<u32>,
    merged: Vec<u32>,
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
        let mut least = 0;
        for _ in 0..count {
            while self.heads[least] == NONE {
                least += 1;
            }
            let node = self.heads[least];
            self.unlink(node, least);
            let around = std::mem::take(&mut self.neighbours[node as usize]);
            tell(node, &around);
            for &other in &around {
                least = least.min(self.join(other, node, &around));
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
        for list in [&mut self.heads, &mut self.next, &mut self.previous, &mut self.mark] {
            list.clear();
            list.resize(count + 1, NONE);
        }
        // backwards, so that lists are in order of nodes
        for node in (0..count as u32).rev() {
            self.link(node, self.neighbours[node as usize].len());
        }
    }

    fn link(&mut self, node: u32, degree: usize) {
        let after = std::mem::replace(&mut self.heads[degree], node);
        self.next[node as usize] = after;
        self.previous[node as usize] = NONE;
        if after != NONE {
            self.previous[after as usize] = node;
        }
    }

    fn unlink(&mut self, node: u32, degree: usize) {
        let (before, after) = (self.previous[node as usize], self.next[node as usize]);
        if before == NONE {
            self.heads[degree] = after;
        } else {
            self.next[before as usize] = after;
        }
        if after != NONE {
            self.previous[after as usize] = before;
        }
    }

    /// Connect a node with all that were around one that is gone. Returns its degree.
    fn join(&mut self, node: u32, gone: u32, around: &[u32]) -> usize {
        let before = self.neighbours[node as usize].len();
        self.merged.clear();
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
        // what was put into `mark` is of no use to others
        let after = self.neighbours[node as usize].len();
        self.mark[node as usize] = NONE;
        for &other in &self.neighbours[node as usize] {
            self.mark[other as usize] = NONE;
        }
        self.mark[gone as usize] = NONE;
        self.unlink(node, before);
        self.link(node, after);
        after
    }
}
