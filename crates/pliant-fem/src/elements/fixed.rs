//! Bodies that are held in place at some of their nodes, as a solid on a floor or a wall is.
//!
//! Held nodes are taken out of K and M: modes, responses and compliance are those of what can move, and there is no rigid
//! motion left. Whole matrices are kept too, for the mass of the body and for the forces that hold it.

use super::assemble::Matrices;
use super::model::Model;
use super::statics::check_held;
use crate::error::FemError;

/// What holds a body.
#[derive(Clone, Debug)]
pub(crate) struct Fixed {
    /// Nodes that are held, in ascending order.
    nodes: Vec<usize>,
    /// The matrices with these nodes.
    whole: Matrices,
}

impl Model {
    /// Hold nodes in place, together with those that are held already. Fails if they do not exist, if nothing is left to
    /// move, or if the body can still move or turn as a whole, as one held at a single node or along a line can.
    pub fn fix(mut self, nodes: &[usize]) -> Result<Model, FemError> {
        let count = self.nodes().len();
        if let Some(index) = nodes.iter().find(|node| **node >= count) {
            return Err(FemError::NoSuch { what: "a fixed node", index: *index, count });
        }
        let mut all = [nodes, self.fixed_nodes()].concat();
        all.sort_unstable();
        all.dedup();
        if all.is_empty() || all.len() == count {
            let expected = "at least three that are not in line, and not all of them";
            return Err(FemError::Parameter { what: "the number of fixed nodes", expected, value: all.len() as f64 });
        }
        let mut is_held = vec![false; count];
        all.iter().for_each(|node| is_held[*node] = true);
        let held: Vec<Option<f64>> = is_held.iter().flat_map(|held| [held.then_some(0.0); 3]).collect();
        check_held(&self, &held)?;
        let whole = self.fixed.take().map_or(self.matrices, |fixed| fixed.whole);
        self.matrices = whole.held(&is_held);
        self.fixed = Some(Fixed { nodes: all, whole });
        Ok(self)
    }

    /// Nodes that are held in place, in ascending order; none of a free body.
    pub fn fixed_nodes(&self) -> &[usize] {
        self.fixed.as_ref().map_or(&[], |fixed| &fixed.nodes)
    }

    /// Number of its modes of deformation.
    pub fn deformations(&self) -> usize {
        self.unknowns() - 3 * self.fixed_nodes().len() - self.rigid_motions_left()
    }

    /// Number of its rigid motions: six, or none of a body that is held.
    pub(crate) fn rigid_motions_left(&self) -> usize {
        if self.fixed.is_some() { 0 } else { 6 }
    }

    /// Unknowns of held nodes.
    pub(crate) fn held_unknowns(&self) -> impl Iterator<Item = usize> + '_ {
        self.fixed_nodes().iter().flat_map(|node| [3 * node, 3 * node + 1, 3 * node + 2])
    }

    /// Matrices of all nodes, held or not.
    pub(crate) fn whole(&self) -> &Matrices {
        self.fixed.as_ref().map_or(&self.matrices, |fixed| &fixed.whole)
    }
}
