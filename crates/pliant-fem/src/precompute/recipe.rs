//! What a simulation needs to know of a solid before its first step, and computing it.

use crate::algebra::pool::with_threads;
use crate::dynamics::compliance::compliance;
use crate::dynamics::modes::{Modes, ModesParams};
use crate::elements::element::{Elastic, MassKind, Order};
use crate::elements::model::{Grid, Model};
use crate::error::FemError;
use crate::mesh::TetMesh;
use crate::precompute::digest::{Digest, Digester};
use crate::precompute::store::VERSION;
use crate::progress::Progress;
use pliant::math::Vec3;
use pliant::response::{Basis, Hull};
use std::ops::ControlFlow;

/// Progress callback that may be called on any thread and may stop the calculation.
pub type Watcher<'a> = &'a mut (dyn FnMut(Progress) -> ControlFlow<()> + Send);

/// Everything that determines the modes of a solid.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// The mesh.
    pub mesh: TetMesh,
    /// Its material.
    pub elastic: Elastic,
    /// Order of the elements.
    pub order: Order,
    /// Kind of mass matrix.
    pub mass: MassKind,
    /// Nodes that are held in place, in ascending order, see [`nodes_within`]; none of a free body.
    pub fixed: Vec<usize>,
    /// Number of modes.
    pub modes: usize,
    /// Largest number of surface nodes for which the full compliance is stored; for a larger surface, only the block of
    /// each node.
    pub full_nodes: usize,
}

/// Default of [`Recipe::full_nodes`]: the full compliance then takes up to 81 MB.
pub const FULL_NODES: usize = 1500;

impl Recipe {
    /// A recipe of a free body with quadratic tetrahedra and consistent mass.
    pub fn new(mesh: TetMesh, elastic: Elastic, modes: usize) -> Recipe {
        let (order, mass) = (Order::Quadratic, MassKind::Consistent);
        Recipe { mesh, elastic, order, mass, fixed: vec![], modes, full_nodes: FULL_NODES }
    }

    /// Digest of everything that determines the result, and of the version of the file format.
    pub fn digest(&self) -> Digest {
        let mut digester = Digester::new("pliant basis", VERSION);
        digest_body(&mut digester, &self.mesh, &self.elastic, self.order, self.mass);
        digester.count(self.modes);
        digester.count(self.full_nodes);
        digest_fixed(&mut digester, &self.fixed);
        digester.finish()
    }

    /// Number of unknowns of the body, and number of surface nodes.
    pub fn size(&self) -> (usize, usize) {
        let grid = Grid::new(&self.mesh, self.order);
        (3 * grid.nodes.len(), grid.surface.nodes.len())
    }

    /// Fails if the material is out of range or the mesh does not have this many modes.
    pub fn check(&self) -> Result<(), FemError> {
        self.elastic.check()?;
        let unknowns = self.size().0;
        check_fixed(&self.fixed, unknowns / 3)?;
        let most = if self.fixed.is_empty() { unknowns - 6 } else { unknowns - 3 * self.fixed.len() };
        if self.modes == 0 || self.modes > most {
            return Err(FemError::TooManyModes { asked: self.modes, most });
        }
        Ok(())
    }

    /// Compute the modes with this many threads. `watch` is called with the progress and may stop it.
    pub fn compute(&self, threads: usize, watch: Watcher<'_>) -> Result<Basis, FemError> {
        with_threads(threads, || {
            let model = Model::new(&self.mesh, &self.elastic, self.order, self.mass)?;
            let model = if self.fixed.is_empty() { model } else { model.fix(&self.fixed)? };
            let params = ModesParams { count: self.modes, ..ModesParams::default() };
            let modes = Modes::new(&model, &params, watch)?;
            let compliance = compliance(&model, self.full_nodes, watch)?;
            Ok(Basis {
                hull: hull(&model),
                squares: modes.squares().to_vec(),
                shapes: shapes(&model, &modes).into(),
                moments: moments(&model, &modes)?,
                compliance,
            })
        })
    }
}

/// Add a body to a digest.
pub(crate) fn digest_body(digester: &mut Digester, mesh: &TetMesh, elastic: &Elastic, order: Order, mass: MassKind) {
    digester.count(mesh.nodes().len());
    mesh.nodes().iter().flat_map(Vec3::to_array).for_each(|x| digester.number(x));
    digester.count(mesh.tets().len());
    mesh.tets().iter().flatten().for_each(|node| digester.count(*node));
    [elastic.young, elastic.poisson, elastic.density].into_iter().for_each(|x| digester.number(x));
    digester.count(match order {
        Order::Linear => 1,
        Order::Quadratic => 2,
    });
    digester.count(match mass {
        MassKind::Consistent => 1,
        MassKind::Lumped => 2,
    });
}

/// Add held nodes to a digest. A free body adds nothing, so that its digest is what it was before bodies could be held.
pub(crate) fn digest_fixed(digester: &mut Digester, fixed: &[usize]) {
    if !fixed.is_empty() {
        digester.count(fixed.len());
        fixed.iter().for_each(|node| digester.count(*node));
    }
}

/// Fails unless nodes that are held exist, in ascending order, and leave some that move.
pub(crate) fn check_fixed(fixed: &[usize], nodes: usize) -> Result<(), FemError> {
    if let Some(index) = fixed.iter().find(|node| **node >= nodes) {
        return Err(FemError::NoSuch { what: "a fixed node", index: *index, count: nodes });
    }
    if fixed.len() >= nodes || !fixed.is_sorted_by(|a, b| a < b) {
        let expected = "fewer than all nodes, each once and in ascending order";
        return Err(FemError::Parameter { what: "the number of fixed nodes", expected, value: fixed.len() as f64 });
    }
    Ok(())
}

/// Nodes of a mesh within a box from `low` to `high` [m], in ascending order. Nodes on its sides count as within, also where
/// rounding puts them beside it.
pub fn nodes_within(mesh: &TetMesh, order: Order, low: Vec3, high: Vec3) -> Vec<usize> {
    let grid = Grid::new(mesh, order);
    let size = grid.nodes.iter().map(|at| at.abs().max_element()).fold(0.0, f64::max);
    let (low, high) = (low - ROUNDING * size, high + ROUNDING * size);
    let within = |n: &usize| grid.nodes[*n].cmpge(low).all() && grid.nodes[*n].cmple(high).all();
    (0..grid.nodes.len()).filter(within).collect()
}

/// Distance from a box, relative to the largest coordinate, up to which a node is on its side [-].
const ROUNDING: f64 = 1e-9;

/// Surface and rigid-body properties of a model.
pub(crate) fn hull(model: &Model) -> Hull {
    let (surface, rigid) = (model.surface(), model.rigid());
    let mut number = vec![0u32; model.nodes().len()];
    surface.nodes.iter().zip(0..).for_each(|(node, n)| number[*node] = n);
    let held = model.fixed_nodes();
    let fixed = (0..surface.nodes.len() as u32).filter(|n| held.binary_search(&surface.nodes[*n as usize]).is_ok());
    let fixed = (!held.is_empty()).then(|| fixed.collect());
    Hull {
        nodes: surface.nodes.iter().map(|node| model.nodes()[*node]).collect(),
        facets: surface.facets.iter().map(|facet| facet.map(|node| number[node])).collect(),
        mass: rigid.mass,
        centre: rigid.centre,
        inertia: rigid.inertia,
        fixed,
    }
}

/// Components of the mode shapes at the surface: for each surface unknown, those of all modes.
fn shapes(model: &Model, modes: &Modes) -> Vec<f64> {
    let of = |unknown: usize| (0..modes.count()).map(move |mode| modes.shape(mode)[unknown]);
    model.surface_unknowns().into_iter().flat_map(of).collect()
}

/// For each mode, the sum over all nodes of (M phi)_i (X - centre)_j.
fn moments(model: &Model, modes: &Modes) -> Result<Vec<[[f64; 3]; 3]>, FemError> {
    let centre = model.rigid().centre;
    let of = |mode: usize| {
        let momenta = model.momenta(modes.shape(mode))?;
        let mut sum = [[0.0; 3]; 3];
        for (momentum, at) in momenta.chunks_exact(3).zip(model.nodes()) {
            let from = (*at - centre).to_array();
            for (row, momentum) in sum.iter_mut().zip(momentum) {
                row.iter_mut().zip(from).for_each(|(sum, from)| *sum += momentum * from);
            }
        }
        Ok(sum)
    };
    (0..modes.count()).map(of).collect()
}
