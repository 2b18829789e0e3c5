//! The tangent of cables whose links push each other: block-tridiagonal for each cable, closed or not, with blocks of
//! pairs far from the diagonal, factored as a sparse matrix; or solved iteratively, where its factors would be too full.

use crate::cable::algebra::block::Vec6;
use crate::cable::algebra::iterative::Iterative;
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
    /// The same, where its factors would be too full.
    full: Iterative,
    /// Whether they were, earlier in the step.
    fills: bool,
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

/// Products of blocks in a factorisation, for each block of the matrix, beyond which an iterative solution takes less time.
const WORTH: usize = 8;

/// Part of the residual that an iterative solution may leave: Newton's method takes the rest along in its next iteration,
/// and finds in as few of them which contacts push.
const LEFT: f64 = 0.01;

impl Coupling {
    /// Forget what a step was like.
    pub fn begin_step(&mut self) {
        self.fills = false;
    }

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
        coupling.x.clear();
        self.each(|share| coupling.x.extend_from_slice(&share.s.residual));
        let fine = self.solve_iteratively(&mut coupling) || self.solve_directly(&mut coupling);
        if fine {
            let mut from = 0;
            self.each(|share| {
                let count = share.s.change.len();
                share.s.change.copy_from_slice(&coupling.x[from..from + count]);
                from += count;
            });
        }
        *self.coupling = coupling;
        fine
    }

    fn solve_directly(&mut self, coupling: &mut Coupling) -> bool {
        let Coupling { matrix, starts, first_edges, edges, bonds, x, work, .. } = coupling;
        matrix.plan(x.len(), edges, usize::MAX);
        matrix.clear();
        let mut member = 0;
        self.each(|share| {
            matrix.set_chain(starts[member], first_edges[member], &share.s.matrix);
            member += 1;
        });
        matrix.add_bonds(pushing(self.pairs, bonds));
        let fine = matrix.factor();
        if fine {
            matrix.solve(x, work);
        }
        fine
    }

    /// Solve where factors would be too full; the right-hand side is left as it is where they would not be, and where
    /// iterations do not converge. Arms solve again with the factors.
    fn solve_iteratively(&mut self, coupling: &mut Coupling) -> bool {
        let Coupling { matrix, full, fills, starts, first_edges, edges, bonds, x, work, .. } = coupling;
        let most = WORTH * (x.len() + 2 * edges.len());
        *fills = self.arms.is_empty() && (*fills || !matrix.plan(x.len(), edges, most));
        if !*fills {
            return false;
        }
        full.begin(x.len(), edges);
        let mut member = 0;
        self.each(|share| {
            full.set_chain(starts[member], first_edges[member], &share.s.matrix);
            member += 1;
        });
        full.add_bonds(pushing(self.pairs, bonds));
        if !full.prepare() {
            return false;
        }
        work.clear();
        self.each(|share| work.extend(std::iter::repeat_n(share.links.inertia, share.s.residual.len())));
        full.solve(x, work.iter().copied(), LEFT).is_some()
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

/// What the pairs that push add to the tangent.
fn pushing<'a>(pairs: &'a [Pair], bonds: &'a [Coupled]) -> impl Iterator<Item = Bond<'a>> {
    bonds.iter().filter(|bond| pairs[bond.pair].pushes).filter_map(|bond| {
        let pair = &pairs[bond.pair];
        let rows = bond.rows(pair)?;
        Some(Bond { edge: bond.edge, rows, slope: &pair.slope, beside: !pair.is_of_links() })
    })
}
