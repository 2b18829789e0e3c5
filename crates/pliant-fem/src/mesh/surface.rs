//! The surface of a tetrahedral mesh.

use std::collections::HashMap;

/// Facets and nodes of a surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Corners of each facet, counterclockwise seen from outside.
    pub facets: Vec<[usize; 3]>,
    /// Nodes on the surface, in ascending order.
    pub nodes: Vec<usize>,
}

/// Facets of a tetrahedron of positive volume, counterclockwise seen from outside.
pub(crate) const FACETS: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// Numbers in ascending order.
pub(crate) fn sorted<const N: usize>(mut numbers: [usize; N]) -> [usize; N] {
    numbers.sort_unstable();
    numbers
}

impl Surface {
    /// The facets that belong to exactly one tetrahedron.
    pub(crate) fn of(tets: &[[usize; 4]]) -> Surface {
        let mut count: HashMap<[usize; 3], u32> = HashMap::with_capacity(2 * tets.len() + 16);
        let facets = || tets.iter().flat_map(|tet| FACETS.map(|facet| facet.map(|corner| tet[corner])));
        for facet in facets() {
            *count.entry(sorted(facet)).or_default() += 1;
        }
        // in the order of the tetrahedra, so that the result is the same in every run
        Surface::from_facets(facets().filter(|facet| count.get(&sorted(*facet)) == Some(&1)).collect())
    }

    /// A surface of these facets.
    pub(crate) fn from_facets(facets: Vec<[usize; 3]>) -> Surface {
        let mut nodes: Vec<usize> = facets.iter().flatten().copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        Surface { facets, nodes }
    }
}
