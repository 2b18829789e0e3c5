//! Rigid-body properties and motions, computed from the mass matrix.

use crate::algebra::dense::{Block, add, dot};
use crate::elements::model::Model;
use crate::error::FemError;
use faer::{Mat, Side};
use pliant::math::Vec3;

/// Rigid-body properties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rigid {
    /// Mass [kg].
    pub mass: f64,
    /// Centre of mass [m].
    pub centre: Vec3,
    /// Inertia tensor about the centre of mass, in the axes of the mesh: rows of a symmetric matrix [kg m2].
    pub inertia: [[f64; 3]; 3],
}

/// Infinitesimal rotation about an axis, as displacements per radian [m].
fn rotation(nodes: &[Vec3], centre: Vec3, axis: Vec3) -> Vec<f64> {
    nodes.iter().flat_map(|at| axis.cross(*at - centre).to_array()).collect()
}

const AXES: [Vec3; 3] = [Vec3::X, Vec3::Y, Vec3::Z];

impl Model {
    /// Mass, centre of mass and inertia. With the consistent mass matrix they are those of the solid, since its shape
    /// functions represent every rigid motion exactly.
    pub fn rigid(&self) -> Rigid {
        let size = self.unknowns();
        let mut momentum = vec![0.0; size];
        let along: Vec<f64> = self.nodes().iter().flat_map(|_| [1.0, 1.0, 1.0]).collect();
        self.whole().mass_times(&along, &mut momentum);
        // the mass attributed to each node
        let share = |n: usize| momentum[3 * n];
        let mass: f64 = (0..self.nodes().len()).map(share).sum();
        let centre = self.nodes().iter().enumerate().map(|(n, at)| *at * share(n)).sum::<Vec3>() / mass;
        let turns = AXES.map(|axis| rotation(self.nodes(), centre, axis));
        let inertia = std::array::from_fn(|i| {
            self.whole().mass_times(&turns[i], &mut momentum);
            std::array::from_fn(|j| dot(&momentum, &turns[j]))
        });
        Rigid { mass, centre, inertia }
    }

    /// The six rigid motions, mass-orthonormal: translations along the axes, then rotations about the principal axes.
    pub(crate) fn rigid_motions(&self) -> Result<Block, FemError> {
        let rigid = self.rigid();
        let inertia = Mat::from_fn(3, 3, |i, j| rigid.inertia[i][j]);
        let turned = inertia
            .self_adjoint_eigen(Side::Lower)
            .map_err(|error| FemError::Singular { what: "the inertia", why: format!("{error:?}") })?;
        let mut motions = Block::zeros(self.unknowns(), 6);
        for n in 0..3 {
            motions.column_mut(n).iter_mut().skip(n).step_by(3).for_each(|x| *x = 1.0);
            let axis = Vec3::new(turned.U()[(0, n)], turned.U()[(1, n)], turned.U()[(2, n)]);
            motions.column_mut(3 + n).copy_from_slice(&rotation(self.nodes(), rigid.centre, axis));
        }
        // orthogonal up to rounding: reorthogonalise and normalise
        let mut momentum = vec![0.0; self.unknowns()];
        for n in 0..6 {
            let mut column = motions.column(n).to_vec();
            for before in 0..n {
                self.whole().mass_times(&column, &mut momentum);
                let along = dot(&momentum, motions.column(before));
                add(&mut column, -along, motions.column(before));
            }
            self.whole().mass_times(&column, &mut momentum);
            let length = dot(&momentum, &column).sqrt();
            motions.column_mut(n).iter_mut().zip(&column).for_each(|(x, c)| *x = c / length);
        }
        Ok(motions)
    }
}

/// Projects rigid motion out of displacements, and out of forces the part that causes it. A body that is held has none,
/// but for that no held node moves or takes a force.
#[derive(Clone, Debug)]
pub(crate) struct RigidFilter {
    /// Unknowns that are held.
    held: Vec<usize>,
    /// Rigid motions Z, with Z^T M Z = 1.
    motions: Block,
    /// M Z.
    momenta: Block,
}

impl RigidFilter {
    /// The filter of a body.
    pub fn new(model: &Model) -> Result<RigidFilter, FemError> {
        if model.fixed.is_some() {
            let none = || Block::zeros(model.unknowns(), 0);
            return Ok(RigidFilter { held: model.held_unknowns().collect(), motions: none(), momenta: none() });
        }
        let motions = model.rigid_motions()?;
        let momenta = model.matrices.mass_times_block(&motions);
        Ok(RigidFilter { held: vec![], motions, momenta })
    }

    /// The rigid motions Z.
    pub fn motions(&self) -> &Block {
        &self.motions
    }

    /// M Z.
    pub fn momenta(&self) -> &Block {
        &self.momenta
    }

    /// u - Z Z^T M u, for each column.
    pub fn displacements(&self, u: &mut Block) {
        if self.motions.columns() > 0 {
            let part = self.momenta.transposed_times(u);
            u.add_product(-1.0, &self.motions, &part);
        }
        self.hold(u);
    }

    /// f - M Z Z^T f, for each column.
    pub fn forces(&self, f: &mut Block) {
        if self.motions.columns() > 0 {
            let part = self.motions.transposed_times(f);
            f.add_product(-1.0, &self.momenta, &part);
        }
        self.hold(f);
    }

    fn hold(&self, block: &mut Block) {
        for n in 0..block.columns() {
            let column = block.column_mut(n);
            self.held.iter().for_each(|unknown| column[*unknown] = 0.0);
        }
    }
}
