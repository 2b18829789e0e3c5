//! The tangent of cables whose links push each other: block-tridiagonal for each cable, closed or not, with blocks of
//! pairs far from the diagonal, factored as the sparse matrix that it is.

use crate::cable::algebra::block::Vec6;
use crate::cable::algebra::sparse::{Bond, Sparse};
use crate::cable::group::step::Island;

/// Working memory.
#[derive(Clone, Debug, Default)]
pub struct Coupling {
    matrix: Sparse,
    /// Where the links of each member begin among those of all.
    starts: Vec<usize>,
    /// Where its neighbours along the cable begin among the edges.
    first_edges: Vec<usize>,
    /// Links that are connected: neighbours along the cables, then pairs.
    edges: Vec<[u32; 2]>,
    /// Number of the pair of each edge that is one.
    bonds: Vec<usize>,
    /// Right-hand side, then solution.
    x: Vec<Vec6>,
    work: Vec<Vec6>,
}

impl Island<'_> {
    /// The change of the mean velocities where pairs push. False where the tangent is singular.
    pub fn solve_coupled(&mut self) -> bool {
        let mut coupling = std::mem::take(self.coupling);
        self.list_edges(&mut coupling);
        let Coupling { matrix, starts, first_edges, edges, bonds, x, work } = &mut coupling;
        x.clear();
        self.each(|share| x.extend_from_slice(&share.s.residual));
        matrix.plan(x.len(), edges);
        matrix.clear();
        let mut member = 0;
        self.each(|share| {
            matrix.set_chain(starts[member], first_edges[member], &share.s.matrix);
            member += 1;
        });
        let (first, pairs) = (edges.len() - bonds.len(), &*self.pairs);
        let pushing = bonds.iter().enumerate().filter(|(_, n)| pairs[**n].pushes);
        matrix.add_bonds(pushing.map(|(edge, &n)| {
            let pair = &pairs[n];
            Bond { edge: first + edge, rows: [&pair.rows[0], &pair.rows[1]], slope: &pair.slope }
        }));
        let fine = matrix.factor();
        if fine {
            matrix.solve(x, work);
            let mut from = 0;
            self.each(|share| {
                let count = share.s.change.len();
                share.s.change.copy_from_slice(&x[from..from + count]);
                from += count;
            });
        }
        *self.coupling = coupling;
        fine
    }

    /// The pattern of the tangent: pairs that push now, and those that did before in the step, so that it seldom changes.
    fn list_edges(&mut self, coupling: &mut Coupling) {
        let Coupling { starts, first_edges, edges, bonds, .. } = coupling;
        starts.clear();
        first_edges.clear();
        edges.clear();
        bonds.clear();
        let mut count = 0;
        self.each(|share| {
            starts.push(count);
            first_edges.push(edges.len());
            let links = share.s.residual.len();
            edges.extend((count..count + links - 1).map(|i| [i as u32, i as u32 + 1]));
            if share.links.closed {
                edges.push([(count + links - 1) as u32, count as u32]);
            }
            count += links;
        });
        for (n, pair) in self.pairs.iter_mut().enumerate() {
            pair.planned |= pair.pushes;
            if pair.planned {
                let node = |body: usize| starts[self.members.partition_point(|&m| m < body)];
                edges.push(pair.ends.map(|end| (node(end.body) + end.link) as u32));
                bonds.push(n);
            }
        }
    }
}
