//! The tangent of cables whose links push each other: block-tridiagonal for each cable, closed or not, with blocks of
//! pairs far from the diagonal, factored as a sparse matrix.

use crate::cable::algebra::block::Vec6;
use crate::cable::algebra::sparse::{Bond, Sparse};
use crate::cable::contact::pairs::{End, Pair};
use crate::cable::group::step::Island;
use crate::cable::links::Stretch;
use crate::cable::solver::bound::Binding;
use crate::cable::solver::hands::Hands;
use crate::cable::solver::iterated::Iterated;

/// Working memory.
#[derive(Clone, Debug, Default)]
pub struct Coupling {
    matrix: Sparse,
    /// Index of the first link of each member among all links.
    starts: Vec<usize>,
    /// Index of the first edge of each member.
    first_edges: Vec<usize>,
    /// Connected links: neighbours along the cables, then pairs.
    edges: Vec<[u32; 2]>,
    /// Links that pairs couple.
    bonds: Vec<Coupled>,
    /// Right-hand side on entry, solution on return.
    x: Vec<Vec6>,
    work: Vec<Vec6>,
    /// Subsystems that pairs bind together, for the solver that does.
    pub binding: Binding,
    /// Working memory of the iterative solution.
    pub iterated: Iterated,
    /// Arms that hold the cables.
    pub hands: Hands,
}

impl Coupling {
    /// Solve in place with the factors of the last [`Island::solve_coupled`].
    pub fn solve_again(&mut self, x: &mut [Vec6]) {
        self.matrix.solve(x, &mut self.work);
    }
}

/// Two links coupled by a pair: those that touch, or the next ones where joints do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Coupled {
    /// Indices among all links, the lower one first.
    nodes: [u32; 2],
    /// Index of the edge between them.
    edge: usize,
    /// Index of the pair.
    pair: usize,
    /// Which side of the pair each belongs to.
    sides: [usize; 2],
    /// Whether it is the link after that of its side.
    next: [bool; 2],
}

impl Coupled {
    /// Rows of these links in the pair.
    fn rows(&self, pair: &Pair) -> Option<[[Vec6; 3]; 2]> {
        let of = |k: usize| {
            let side = self.sides[k];
            if self.next[k] { pair.next(side) } else { Some(pair.rows(side)) }
        };
        Some([of(0)?, of(1)?])
    }
}

impl Island<'_> {
    /// Solve for the change of the mean velocities where pairs push. False if the tangent is singular.
    pub fn solve_coupled(&mut self) -> bool {
        let mut coupling = std::mem::take(self.coupling);
        self.list_edges(&mut coupling);
        let Coupling { matrix, starts, first_edges, edges, bonds, x, work, .. } = &mut coupling;
        x.clear();
        self.each(|share| x.extend_from_slice(&share.s.residual));
        matrix.plan(x.len(), edges);
        matrix.clear();
        let mut member = 0;
        self.each(|share| {
            matrix.set_chain(starts[member], first_edges[member], &share.s.matrix);
            member += 1;
        });
        let pairs = &*self.pairs;
        matrix.add_bonds(bonds.iter().filter(|bond| pairs[bond.pair].pushes).filter_map(|bond| {
            let pair = &pairs[bond.pair];
            let rows = bond.rows(pair)?;
            Some(Bond { edge: bond.edge, rows, slope: &pair.slope, beside: !pair.is_of_links() })
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

    /// Set up the sparsity pattern of the tangent: pairs that push now, and those that did before in the step, so that
    /// it rarely changes.
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
        let mut of_links = true;
        for (n, pair) in self.pairs.iter_mut().enumerate() {
            pair.planned |= pair.pushes;
            if !pair.planned {
                continue;
            }
            of_links &= pair.is_of_links();
            for next in [[false, false], [false, true], [true, false], [true, true]] {
                if (0..2).any(|k| next[k] && pair.on[k] == Stretch::Link) {
                    continue;
                }
                let node = |k: usize| {
                    let End { body, link } = pair.ends[k];
                    let member = self.members.partition_point(|&m| m < body);
                    let (first, count) = (starts[member], starts.get(member + 1).unwrap_or(&count) - starts[member]);
                    (first + (link + usize::from(next[k])) % count) as u32
                };
                let (a, b) = (node(0), node(1));
                let (nodes, sides) = if a < b { ([a, b], [0, 1]) } else { ([b, a], [1, 0]) };
                bonds.push(Coupled { nodes, edge: 0, pair: n, sides, next: sides.map(|side| next[side]) });
            }
        }
        // two links are coupled by a single pair unless joints beside them touch too
        if !of_links {
            bonds.sort_unstable();
        }
        let mut last = None;
        for bond in bonds {
            if last != Some(bond.nodes) {
                edges.push(bond.nodes);
                last = Some(bond.nodes);
            }
            bond.edge = edges.len() - 1;
        }
    }
}
