//! A body of finite elements: nodes, stiffness and mass.

use crate::elements::assemble::Matrices;
use crate::elements::element::{EDGES, Elastic, MassKind, Order};
use crate::elements::fixed::Fixed;
use crate::error::FemError;
use crate::mesh::TetMesh;
use crate::mesh::surface::{Surface, sorted};
use pliant::math::Vec3;
use std::collections::HashMap;

/// A body of finite elements, free or held at some nodes, see [`Model::fix`].
#[derive(Clone, Debug)]
pub struct Model {
    nodes: Vec<Vec3>,
    surface: Surface,
    elements: usize,
    /// Matrices of what can move.
    pub(crate) matrices: Matrices,
    pub(crate) fixed: Option<Fixed>,
}

impl Model {
    /// Assemble a mesh of one material. Fails if a constant of the material is out of range.
    ///
    /// Quadratic elements add a node in the middle of each edge, numbered after those of the mesh; each facet of the
    /// surface becomes four.
    pub fn new(mesh: &TetMesh, solid: &Elastic, order: Order, mass: MassKind) -> Result<Model, FemError> {
        solid.check()?;
        let Grid { nodes, cells, surface } = Grid::new(mesh, order);
        let matrices = Matrices::new(&nodes, &cells, order, solid, mass);
        Ok(Model { nodes, surface, elements: cells.len(), matrices, fixed: None })
    }

    /// Positions of the nodes [m], those of the mesh first.
    pub fn nodes(&self) -> &[Vec3] {
        &self.nodes
    }

    /// Number of unknowns, three per node.
    pub fn unknowns(&self) -> usize {
        3 * self.nodes.len()
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.elements
    }

    /// The surface; for quadratic elements it includes the mid-edge nodes.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// Indices of the surface's unknowns, three per surface node.
    pub fn surface_unknowns(&self) -> Vec<usize> {
        self.surface.nodes.iter().flat_map(|node| [3 * node, 3 * node + 1, 3 * node + 2]).collect()
    }

    /// K u: the nodal forces [N] that hold displacements [m] of all nodes. Fails if the length is not that of the
    /// unknowns.
    pub fn forces(&self, displacements: &[f64]) -> Result<Vec<f64>, FemError> {
        self.check_length("displacements", displacements)?;
        let mut forces = vec![0.0; self.unknowns()];
        self.whole().stiffness_times(displacements, &mut forces);
        Ok(forces)
    }

    /// M v: nodal momenta [kg m/s] of velocities [m/s]. Fails if the length is not that of the unknowns.
    pub fn momenta(&self, velocities: &[f64]) -> Result<Vec<f64>, FemError> {
        self.check_length("velocities", velocities)?;
        let mut momenta = vec![0.0; self.unknowns()];
        self.whole().mass_times(velocities, &mut momenta);
        Ok(momenta)
    }

    /// Fails unless the list has one number per unknown.
    pub(crate) fn check_length(&self, what: &'static str, list: &[f64]) -> Result<(), FemError> {
        let (expected, found) = (self.unknowns(), list.len());
        if expected == found { Ok(()) } else { Err(FemError::Length { what, expected, found }) }
    }
}

/// Nodes, elements and surface, without material.
pub(crate) struct Grid {
    pub nodes: Vec<Vec3>,
    pub cells: Vec<Vec<usize>>,
    pub surface: Surface,
}

impl Grid {
    /// Add the mid-edge nodes of quadratic elements.
    pub fn new(mesh: &TetMesh, order: Order) -> Grid {
        let mut nodes = mesh.nodes().to_vec();
        let mut middles: HashMap<[usize; 2], usize> = HashMap::new();
        let mut cells: Vec<Vec<usize>> = mesh.tets().iter().map(|tet| tet.to_vec()).collect();
        let mut surface = mesh.surface();
        if order == Order::Quadratic {
            for cell in &mut cells {
                for [i, j] in EDGES {
                    let edge = sorted([cell[i], cell[j]]);
                    let middle = *middles.entry(edge).or_insert_with(|| {
                        nodes.push((nodes[edge[0]] + nodes[edge[1]]) / 2.0);
                        nodes.len() - 1
                    });
                    cell.push(middle);
                }
            }
            let middle = |a: usize, b: usize| middles.get(&sorted([a, b])).copied().unwrap_or(a);
            let split = |&[a, b, c]: &[usize; 3]| {
                let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            };
            surface = Surface::from_facets(surface.facets.iter().flat_map(split).collect());
        }
        Grid { nodes, cells, surface }
    }
}
