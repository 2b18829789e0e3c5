//! Bodies that are held in place, as a solid glued to a table is: nodes that no force moves, and what is felt there.
//!
//! Modes and compliance of such a body are zero at its held nodes, and of recorded responses at nodes without one. What
//! is led against them meets a wall: no finite force would do. So they are taken as hard instead of rigid, by giving way
//! to a force on themselves, and to no other, a hundredth of what the surface gives way in the mean. The compliance of
//! all points stays symmetric and positive definite, and what such a force stores counts as elastic energy.

use super::touch::Spot;
use super::{Compliance, Known};
use crate::math::Vec3;

/// Compliance of nodes that no force moves, relative to the mean of the others [-].
const HARD: f64 = 0.01;

/// Nodes that no force moves; none of a body that is free.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Firm {
    /// Whether each node is one; empty for a free body.
    nodes: Vec<bool>,
    /// Distance of each node from the nearest held one of the surface [m]; empty if there is none.
    depths: Vec<f64>,
    /// What they give way [m/N].
    gives: f64,
    /// Number of held nodes of the surface.
    held: usize,
}

impl Firm {
    /// The held nodes of a solid.
    pub fn new(known: &Known) -> Firm {
        let hull = match known {
            Known::Modes(basis) => &basis.hull,
            Known::Records(records) => &records.hull,
        };
        let Some(fixed) = &hull.fixed else { return Firm::default() };
        let mut nodes = vec![false; hull.nodes.len()];
        fixed.iter().for_each(|node| nodes[*node as usize] = true);
        if let Known::Records(records) = known {
            let recorded = |node: usize| records.nodes.contains(&(node as u32));
            nodes.iter_mut().enumerate().for_each(|(node, firm)| *firm |= !recorded(node));
        }
        let moves = || (0..nodes.len()).filter(|node| !nodes[*node]);
        let sum: f64 = moves().map(|node| static_compliance(known, node)).sum();
        let gives = HARD * sum / moves().count().max(1) as f64;
        let depth = |at: &Vec3| {
            let apart = |node: &u32| hull.nodes[*node as usize].distance(*at);
            fixed.iter().map(apart).fold(f64::INFINITY, f64::min)
        };
        let depths = if fixed.is_empty() { vec![] } else { hull.nodes.iter().map(depth).collect() };
        Firm { nodes, depths, gives, held: fixed.len() }
    }

    /// Number of nodes of the surface that are held.
    pub fn held(&self) -> usize {
        self.held
    }

    /// Whether no force moves a node.
    pub fn has(&self, node: usize) -> bool {
        self.nodes.get(node).is_some_and(|firm| *firm)
    }

    /// Distance of a point from the nearest held node [m]; infinite of a body that is free.
    pub fn depth(&self, spot: &Spot) -> f64 {
        spot.parts().map(|(node, _)| self.depths.get(node).copied().unwrap_or(f64::INFINITY)).fold(0.0, f64::max)
    }

    /// What a point is displaced, along the force, by a force at another because both have such a node [m/N].
    pub fn between(&self, a: &Spot, b: &Spot) -> f64 {
        if self.nodes.is_empty() {
            return 0.0;
        }
        let both = a.parts().flat_map(|(i, v)| b.parts().filter(move |(j, _)| i == *j).map(move |(_, w)| (i, v * w)));
        self.gives * both.filter(|(node, _)| self.has(*node)).map(|(_, weight)| weight).sum::<f64>()
    }

    /// Displacement of a node by a force on itself, beyond what the modes or responses tell [m].
    pub fn moved(&self, node: usize, force: Vec3) -> Vec3 {
        if self.has(node) { force * self.gives } else { Vec3::ZERO }
    }
}

/// Static displacement of a node along a force on it, in the mean over directions [m/N].
fn static_compliance(known: &Known, node: usize) -> f64 {
    let along = |axis: usize| {
        let n = 3 * node + axis;
        match known {
            Known::Modes(basis) => match &basis.compliance {
                Compliance::Full(list) => list[n * (n + 1) / 2 + n],
                Compliance::Local(list) => list[9 * node + 4 * axis],
            },
            // a force that lasts is one in every sample
            Known::Records(records) => {
                let place = records.nodes.iter().position(|recorded| *recorded as usize == node);
                let unknowns = 3 * records.hull.nodes.len();
                place.map_or(0.0, |place| records.responses[3 * place + axis].iter().skip(n).step_by(unknowns).sum())
            }
        }
    };
    (0..3).map(along).sum::<f64>() / 3.0
}

#[cfg(test)]
mod tests {
    use super::super::sample::{basis, records};
    use super::*;

    /// Node 2 of the small solid held, node 1 and 3 recorded.
    fn held(form: &str) -> Known {
        let fixed = Some(vec![2]);
        match form {
            "records" => {
                let mut records = records();
                records.hull.fixed = fixed;
                Known::Records(records)
            }
            _ => {
                let mut basis = basis(1e-6, form == "full");
                basis.hull.fixed = fixed;
                Known::Modes(basis)
            }
        }
    }

    #[test]
    fn full_and_local_compliance_give_the_same() {
        let [full, local] = ["full", "local"].map(|form| Firm::new(&held(form)));
        assert!(full.gives > 0.0 && (full.gives / local.gives - 1.0).abs() < 1e-12);
        assert_eq!((full.nodes, full.depths), (local.nodes, local.depths));
    }

    #[test]
    fn nodes_that_are_held_or_not_recorded_are_firm() {
        let firm = Firm::new(&held("full"));
        assert_eq!([0, 1, 2, 3].map(|node| firm.has(node)), [false, false, true, false]);
        let firm = Firm::new(&held("records"));
        assert_eq!([0, 1, 2, 3].map(|node| firm.has(node)), [true, false, true, false]);
        assert_eq!(Firm::new(&Known::Modes(basis(1e-6, true))), Firm::default());
    }

    /// Points share what their common firm nodes give way, by the weights of both.
    #[test]
    fn points_share_what_firm_nodes_give_way() {
        let firm = Firm::new(&held("full"));
        let inside = Spot { nodes: [1, 2, 3], weights: [0.2, 0.5, 0.3] };
        assert_eq!(firm.between(&Spot::node(2), &Spot::node(2)), firm.gives);
        assert_eq!(firm.between(&inside, &Spot::node(2)), 0.5 * firm.gives);
        assert_eq!(firm.between(&inside, &inside), 0.25 * firm.gives);
        assert_eq!(firm.between(&inside, &Spot::node(1)), 0.0);
        assert_eq!(firm.moved(2, Vec3::X), Vec3::X * firm.gives);
        assert_eq!(firm.moved(1, Vec3::X), Vec3::ZERO);
        // the farthest corner of a facet tells how deep it is: nodes 2 and 3 are on axes at distance one
        assert!((firm.depth(&inside) - 2f64.sqrt()).abs() < 1e-15 && firm.depth(&Spot::node(2)) == 0.0);
    }
}
