//! Mesh validation: what can be repaired is repaired and reported, anything else is an error that says where.

use crate::error::MeshError;
use crate::mesh::six_volumes;
use crate::mesh::surface::{FACETS, Surface, sorted};
use pliant::math::Vec3;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Repairs made to a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repairs {
    /// Inverted tetrahedra that were reoriented.
    pub turned: usize,
    /// Unused nodes that were dropped.
    pub dropped: usize,
}

/// Smallest allowed value of six times the volume of a tetrahedron over its longest edge cubed [-]. A regular
/// tetrahedron has 0.71; the entries of the stiffness grow with the inverse of this ratio, and rounding errors with
/// them.
const LEAST_SHARE: f64 = 1e-6;

/// Nodes closer than this fraction of the mesh's size coincide [-].
const SAME_PLACE: f64 = 1e-9;

/// Nodes and tetrahedra of a valid mesh, and the repairs.
type Judged = (Vec<Vec3>, Vec<[usize; 4]>, Repairs);

/// Validate and repair a mesh.
pub(crate) fn judge(nodes: Vec<Vec3>, mut tets: Vec<[usize; 4]>) -> Result<Judged, MeshError> {
    if tets.is_empty() {
        return Err(MeshError::Empty);
    }
    if let Some(node) = nodes.iter().position(|at| !at.is_finite()) {
        return Err(MeshError::NotFinite { node, at: nodes[node] });
    }
    for (tet, corners) in tets.iter().enumerate() {
        if let Some(node) = corners.iter().find(|node| **node >= nodes.len()) {
            return Err(MeshError::NoSuchNode { tet, node: *node, nodes: nodes.len() });
        }
    }
    let turned = turn(&nodes, &mut tets)?;
    let used = drop_unused(&nodes, &mut tets);
    let dropped = nodes.len() - used.len();
    let place = |node: usize| nodes[used[node]];
    same_place(&used, &nodes)?;
    same_tet(&tets)?;
    facets(&tets, place)?;
    edges(&tets, place)?;
    Ok((used.iter().map(|node| nodes[*node]).collect(), tets, Repairs { turned, dropped }))
}

/// Reorient inverted tetrahedra and return their number. Fails if a tetrahedron is flat.
fn turn(nodes: &[Vec3], tets: &mut [[usize; 4]]) -> Result<usize, MeshError> {
    let mut turned = 0;
    for (n, tet) in tets.iter_mut().enumerate() {
        let at = tet.map(|node| nodes[node]);
        let volume = six_volumes(at);
        let longest = (0..4).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| at[i].distance(at[j]));
        let share = volume.abs() / longest.fold(0.0, f64::max).powi(3);
        // NaN means that all four corners coincide
        if share.is_nan() || share < LEAST_SHARE {
            let middle = at.iter().sum::<Vec3>() / 4.0;
            return Err(MeshError::Flat {
                tet: n,
                at: middle,
                share: if share.is_nan() { 0.0 } else { share },
                least: LEAST_SHARE,
            });
        }
        if volume < 0.0 {
            tet.swap(2, 3);
            turned += 1;
        }
    }
    Ok(turned)
}

/// Renumber the used nodes and return their old numbers.
fn drop_unused(nodes: &[Vec3], tets: &mut [[usize; 4]]) -> Vec<usize> {
    let mut new = vec![usize::MAX; nodes.len()];
    tets.iter().flatten().for_each(|node| new[*node] = 0);
    let used: Vec<usize> = (0..nodes.len()).filter(|node| new[*node] == 0).collect();
    used.iter().enumerate().for_each(|(n, node)| new[*node] = n);
    tets.iter_mut().flatten().for_each(|node| *node = new[*node]);
    used
}

/// Fails if two nodes coincide: each is looked up in the neighbouring cells of a fine hash grid.
fn same_place(used: &[usize], nodes: &[Vec3]) -> Result<(), MeshError> {
    let low = used.iter().fold(Vec3::INFINITY, |low, node| low.min(nodes[*node]));
    let high = used.iter().fold(Vec3::NEG_INFINITY, |high, node| high.max(nodes[*node]));
    let close = SAME_PLACE * (high - low).length();
    let cell = |at: Vec3| ((at - low) / (2.0 * close)).to_array();
    let mut grid: HashMap<[i64; 3], usize> = HashMap::with_capacity(used.len());
    for &node in used {
        let at = cell(nodes[node]);
        // coincident nodes are within half a cell: at most two cells along each axis
        let range = at.map(|x| [(x - 0.5).floor() as i64, (x + 0.5).floor() as i64]);
        for corner in 0..8 {
            let key = std::array::from_fn(|axis| range[axis][corner >> axis & 1]);
            if let Some(&other) = grid.get(&key)
                && nodes[other].distance(nodes[node]) <= close
            {
                return Err(MeshError::SamePlace { first: other, second: node, at: nodes[node] });
            }
        }
        grid.insert(at.map(|x| x.floor() as i64), node);
    }
    Ok(())
}

/// Fails if a tetrahedron occurs twice.
fn same_tet(tets: &[[usize; 4]]) -> Result<(), MeshError> {
    let mut known = HashMap::with_capacity(tets.len());
    for (n, tet) in tets.iter().enumerate() {
        match known.entry(sorted(*tet)) {
            Entry::Occupied(first) => return Err(MeshError::SameTet { first: *first.get(), second: n }),
            Entry::Vacant(place) => place.insert(n),
        };
    }
    Ok(())
}

/// Fails unless at most two tetrahedra share each facet and all are in one piece. Pieces joined only by a node or an
/// edge would swing about it without resistance.
fn facets(tets: &[[usize; 4]], place: impl Fn(usize) -> Vec3) -> Result<(), MeshError> {
    let mut owners: HashMap<[usize; 3], (usize, usize)> = HashMap::with_capacity(2 * tets.len());
    // union-find: each tetrahedron points to another of its piece, the root to itself
    let mut piece: Vec<usize> = (0..tets.len()).collect();
    fn root(piece: &mut [usize], mut n: usize) -> usize {
        while piece[n] != n {
            piece[n] = piece[piece[n]];
            n = piece[n];
        }
        n
    }
    for (n, tet) in tets.iter().enumerate() {
        for facet in FACETS {
            let nodes = sorted(facet.map(|corner| tet[corner]));
            let (first, count) = owners.entry(nodes).or_insert((n, 0));
            *count += 1;
            if *count > 2 {
                let at = nodes.iter().map(|node| place(*node)).sum::<Vec3>() / 3.0;
                return Err(MeshError::Overlap { count: *count, nodes, at });
            }
            let (a, b) = (root(&mut piece, *first), root(&mut piece, n));
            piece[a.max(b)] = a.min(b);
        }
    }
    let mut sizes: Vec<(usize, usize)> = vec![(0, 0); tets.len()];
    for n in 0..tets.len() {
        let of = root(&mut piece, n);
        sizes[of] = (sizes[of].0 + 1, of);
    }
    sizes.retain(|(size, _)| *size > 0);
    match sizes.iter().min() {
        Some((smallest, of)) if sizes.len() > 1 => {
            let at = tets[*of].iter().map(|node| place(*node)).sum::<Vec3>() / 4.0;
            Err(MeshError::Pieces { pieces: sizes.len(), smallest: *smallest, at })
        }
        _ => Ok(()),
    }
}

/// Fails unless exactly two facets meet at each edge of the surface.
fn edges(tets: &[[usize; 4]], place: impl Fn(usize) -> Vec3) -> Result<(), MeshError> {
    let surface = Surface::of(tets);
    let edges = |[a, b, c]: [usize; 3]| [[a, b], [b, c], [c, a]].map(sorted);
    let mut count: HashMap<[usize; 2], usize> = HashMap::with_capacity(2 * surface.facets.len());
    for edge in surface.facets.iter().flat_map(|facet| edges(*facet)) {
        *count.entry(edge).or_default() += 1;
    }
    // in the order of the facets, so that every run reports the same edge
    for nodes in surface.facets.iter().flat_map(|facet| edges(*facet)) {
        let count = count.get(&nodes).copied().unwrap_or_default();
        if count != 2 {
            return Err(MeshError::NotManifold { count, nodes, at: (place(nodes[0]) + place(nodes[1])) / 2.0 });
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::TetMesh;

    fn unit() -> Vec<Vec3> {
        vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]
    }

    #[test]
    fn mended_and_said() {
        let mut nodes = unit();
        nodes.insert(1, Vec3::splat(7.0));
        let (mesh, repairs) = TetMesh::new(nodes, vec![[0, 3, 2, 4]]).unwrap();
        assert_eq!(repairs, Repairs { turned: 1, dropped: 1 });
        assert_eq!(mesh.nodes(), unit());
        assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-16);
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let judged = |nodes: &[Vec3], tets: &[[usize; 4]]| TetMesh::new(nodes.to_vec(), tets.to_vec()).unwrap_err();
        let with = |more: &[Vec3]| [unit(), more.to_vec()].concat();
        let one = [0, 1, 2, 3];
        assert_eq!(judged(&unit(), &[]), MeshError::Empty);
        assert!(matches!(judged(&with(&[Vec3::NAN]), &[one]), MeshError::NotFinite { node: 4, .. }));
        assert!(matches!(judged(&unit(), &[[0, 1, 2, 4]]), MeshError::NoSuchNode { node: 4, nodes: 4, .. }));
        assert!(matches!(judged(&with(&[Vec3::new(1.0, 1.0, 1e-9)]), &[[0, 1, 2, 4]]), MeshError::Flat { tet: 0, .. }));
        assert!(matches!(judged(&unit(), &[[0, 0, 0, 0]]), MeshError::Flat { .. }));
        assert_eq!(judged(&unit(), &[one, [1, 3, 2, 0]]), MeshError::SameTet { first: 0, second: 1 });
        let far = with(&[Vec3::splat(3.0), Vec3::splat(3.0) + Vec3::X, Vec3::splat(3.0) + Vec3::Y, Vec3::splat(4.0)]);
        assert!(matches!(judged(&far, &[one, [4, 5, 6, 7]]), MeshError::Pieces { pieces: 2, smallest: 1, .. }));
        // two that share only an edge, and two that share only a node
        let hinge = with(&[-Vec3::X, -Vec3::Y]);
        assert!(matches!(judged(&hinge, &[one, [0, 3, 4, 5]]), MeshError::Pieces { pieces: 2, .. }));
        let joint = with(&[-Vec3::X, -Vec3::Y, -Vec3::Z]);
        assert!(matches!(judged(&joint, &[one, [0, 4, 5, 6]]), MeshError::Pieces { pieces: 2, .. }));
        // a third one on a facet of two
        let three = with(&[-Vec3::Z, -2.0 * Vec3::Z]);
        assert!(matches!(judged(&three, &[one, [0, 1, 2, 4], [0, 1, 2, 5]]), MeshError::Overlap { count: 3, .. }));
        // a duplicate node where a shared one was meant
        let apart = with(&[Vec3::new(1e-11, 0.0, 0.0), -Vec3::Z]);
        assert!(matches!(judged(&apart, &[one, [4, 1, 2, 5]]), MeshError::SamePlace { first: 0, second: 4, .. }));
    }

    #[test]
    fn parts_that_touch_along_an_edge() {
        // four cells around an edge, of which opposite ones meet only there, joined elsewhere
        let mesh = TetMesh::block([3, 3, 1], Vec3::new(3.0, 3.0, 1.0)).unwrap();
        let gone = |tet: &[usize; 4]| {
            let at = tet.iter().map(|n| mesh.nodes()[*n]).sum::<Vec3>() / 4.0;
            (at.x < 1.0 && at.y < 1.0) || ((1.0..2.0).contains(&at.x) && (1.0..2.0).contains(&at.y))
        };
        let tets = mesh.tets().iter().filter(|tet| !gone(tet)).copied().collect();
        let error = TetMesh::new(mesh.nodes().to_vec(), tets).unwrap_err();
        assert!(matches!(error, MeshError::NotManifold { count: 4, .. }), "{error}");
    }
}
