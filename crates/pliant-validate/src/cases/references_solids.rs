//! References for elastic solids from `references/solids.json`.
//!
//! The cube of Tagawa, Hirota and Hirose: side 0.1 m, E = 2000 Pa, nu = 0.49, 110 kg/m3.

use std::collections::BTreeMap;

use serde::Deserialize;

/// References for elastic solids.
#[derive(Deserialize)]
pub struct SolidNumbers {
    /// The free cube by the Ritz method with polynomials of degree 17.
    pub ritz_seed002: Ritz,
    /// First eight frequencies with linear tetrahedra, 12 cells per side and consistent mass [Hz].
    pub tet5_n12_consistent_hz_1_to_8: Vec<f64>,
    /// First eight frequencies with linear tetrahedra, 12 cells per side and lumped mass [Hz].
    pub tet5_n12_lumped_hz_1_to_8: Vec<f64>,
    /// First eight frequencies with linear tetrahedra, 6 cells per side and consistent mass [Hz].
    pub tet5_n6_consistent_hz_1_to_8: Vec<f64>,
    /// Wave speeds.
    pub waves_seed002: Waves,
    /// The cube as a rigid body.
    pub rigid_seed002: RigidCube,
    /// Stiffness between plates.
    pub static_seed002: Pressed,
    /// A cube with Poisson's ratio 0 that falls flat.
    pub bar_drop_nu0: BarDrop,
    /// Stiffness between plates bonded to both faces, by the Ritz method: upper bounds by degree, for each case [N/m].
    #[serde(rename = "bonded_compression_N_per_m")]
    pub bonded: BTreeMap<String, BTreeMap<String, f64>>,
}

/// Frequencies of the free cube.
#[derive(Deserialize)]
pub struct Ritz {
    /// The first eight frequencies [Hz].
    pub freq_hz_1_to_8: Vec<f64>,
}

/// Wave speeds.
#[derive(Deserialize)]
pub struct Waves {
    /// Shear wave speed [m/s].
    pub cs: f64,
}

/// The cube as a rigid body.
#[derive(Deserialize)]
pub struct RigidCube {
    /// Mass [kg].
    pub mass: f64,
    /// Moment of inertia about any axis through the centre [kg m2].
    pub inertia: f64,
    /// Velocity after an impulse of 1 N s [m/s].
    pub dv_per_unit_impulse: f64,
    /// Angular velocity after an impulse of 1 N s with an arm of half a side [rad/s].
    pub domega_per_unit_impulse_at_edge_arm: f64,
}

/// Stiffness between plates [N/m].
#[derive(Deserialize)]
pub struct Pressed {
    /// Frictionless plates, free sides.
    pub k_uniaxial_free_sides: f64,
    /// Walls on all sides.
    pub k_uniaxial_confined: f64,
}

/// A cube with Poisson's ratio 0 that falls flat, as a bar does.
#[derive(Deserialize)]
pub struct BarDrop {
    /// Contact time [s].
    pub contact_time_s: f64,
    /// Force over impact speed [N s/m].
    pub force_per_speed: f64,
    /// Impulse over momentum before impact [-].
    pub impulse_over_mv: f64,
    /// Coefficient of restitution [-].
    pub restitution: f64,
}

/// References for elastic solids, read from the embedded file.
pub fn solids() -> SolidNumbers {
    let text = include_str!("../../references/solids.json");
    serde_json::from_str(text).unwrap_or_else(|e| unreachable!("references/solids.json: {e}"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_references_are_readable() {
        assert_eq!(super::solids().ritz_seed002.freq_hz_1_to_8.len(), 8);
        assert!(super::solids().bonded["bonded_compress_nu0.3"]["15"] > 212.34);
    }
}
