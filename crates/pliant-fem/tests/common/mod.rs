//! Numbers and bodies that several tests need.

#![allow(clippy::unwrap_used, dead_code)]

use pliant_fem::{Elastic, MassKind, Model, Modes, ModesParams, Order, TetMesh};
use std::ops::ControlFlow;

/// The material of the paper's cube (Tagawa, Hirota and Hirose).
pub const SEED: Elastic = Elastic { young: 2000.0, poisson: 0.49, density: 110.0 };

/// Its side [m].
pub const SIDE: f64 = 0.1;

/// Frequencies of linear tetrahedra, 12 cells a side, consistent mass [Hz]: solids.json, tet5_n12_consistent_hz_1_to_8.
pub const LINEAR_12: [f64; 8] = [
    11.649747139062407,
    11.649747139062905,
    15.536270536210615,
    15.536270536210866,
    15.536270536211187,
    15.592908508748408,
    15.592908508748426,
    15.592908508748714,
];

/// Frequencies with lumped mass [Hz]: solids.json, tet5_n12_lumped_hz_1_to_8.
pub const LUMPED_12: [f64; 8] = [
    11.499983659191457,
    11.499983659191692,
    15.232665164578282,
    15.232665164578357,
    15.232665164578572,
    15.477278377743069,
    15.477278377743243,
    15.4772783777433,
];

/// 6 cells a side, consistent mass [Hz]: solids.json, tet5_n6_consistent_hz_1_to_8.
pub const LINEAR_6: [f64; 8] = [
    12.37358871720682,
    12.373588717207173,
    16.019995416071684,
    16.01999541607175,
    16.019995416071794,
    16.14526934827742,
    16.145269348277477,
    16.14526934827756,
];

/// Of the solid, by Ritz with polynomials of degree 17 [Hz]: solids.json, ritz_seed002.
pub const RITZ: [f64; 8] = [
    11.230670975208398,
    11.230670975208398,
    15.280902847999844,
    15.280902848082988,
    15.280902848125171,
    15.421549642165717,
    15.42154964219304,
    15.421549642205335,
];

/// Lame's shear modes, three of them, c_S / (sqrt 2 side) [Hz].
pub const LAME: f64 = 17.466083;

/// The cube of the paper, of so many cells a side.
pub fn cube(cells: usize, order: Order, mass: MassKind) -> Model {
    Model::new(&TetMesh::cube(cells, SIDE).unwrap(), &SEED, order, mass).unwrap()
}

/// The lowest modes.
pub fn modes(model: &Model, count: usize) -> Modes {
    let params = ModesParams { count, ..ModesParams::default() };
    Modes::new(model, &params, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// Numbers between -1 and 1 that are the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 11
    }

    pub fn signed(&mut self) -> f64 {
        self.bits() as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Scalar product.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
