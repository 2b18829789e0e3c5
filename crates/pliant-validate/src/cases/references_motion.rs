//! Reference motions from `references/`.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Motions of rods.
#[derive(Deserialize)]
pub struct RodsDynamic {
    /// Roots beta L of the beams' characteristic equations.
    #[serde(rename = "beam_roots_betaL")]
    pub beam_roots: BeamRoots,
    /// A rigid rod released from horizontal.
    pub rigid_rod_release_from_horizontal: RigidRod,
    /// Hanging rods with small oscillations.
    pub hanging_rod_frequencies: Vec<HangingRod>,
    /// Fig. 4 of Wakamatsu et al.
    pub seed001_fig4_without_obstacle: Swing,
}

/// Roots beta L of the beams' characteristic equations.
#[derive(Deserialize)]
pub struct BeamRoots {
    /// Clamped at one end, free at the other.
    pub clamped_free: Vec<f64>,
}

/// A rigid rod of length 1 m released from horizontal.
#[derive(Deserialize)]
pub struct RigidRod {
    /// When it is vertical [s].
    pub time_to_vertical_s: f64,
}

/// A hanging rod.
#[derive(Deserialize)]
pub struct HangingRod {
    /// How its upper end is held: `pinned`, or else clamped.
    pub bc: String,
    /// EI [N m2].
    #[serde(rename = "EI")]
    pub ei: f64,
    /// Mass per length [kg/m].
    pub rho: f64,
    /// Angular frequencies [rad/s].
    pub omega: Vec<f64>,
}

/// The rod of Fig. 4 without its obstacle, in the limit of many intervals.
#[derive(Deserialize)]
pub struct Swing {
    /// Its positions over time.
    pub samples: Vec<SwingSample>,
    /// When it would meet the obstacle.
    pub obstacle_first_contact: FirstContact,
}

/// Position of the rod of Fig. 4 at a time.
#[derive(Deserialize)]
pub struct SwingSample {
    /// Time [s].
    pub t: f64,
    /// Position of its tip [m].
    pub tip: [f64; 2],
    /// Position of its middle [m].
    pub mid: [f64; 2],
}

/// First contact of the rod of Fig. 4 with its obstacle.
#[derive(Deserialize)]
pub struct FirstContact {
    /// Time [s].
    pub t: f64,
    /// Centre of the circle [m].
    pub center: [f64; 2],
    /// Radius of the circle [m].
    pub r: f64,
}

/// The motions, read from the embedded file.
pub fn rods_dynamic() -> RodsDynamic {
    let text = include_str!("../../references/rods_dynamic.json");
    serde_json::from_str(text).unwrap_or_else(|e| unreachable!("references/rods_dynamic.json: {e}"))
}

/// Motions of the rods of Wakamatsu et al. by their own equations with few intervals, exact in time.
#[derive(Deserialize)]
pub struct Semidiscrete {
    /// Fig. 4 without its obstacle, keyed by the number of intervals.
    pub fig4_without_obstacle: BTreeMap<usize, Vec<SwingState>>,
    /// Fig. 3 with jumps of velocity, keyed by the number of intervals.
    pub fig3_ideal_jumps: BTreeMap<usize, Vec<ArchState>>,
}

/// The rod of Fig. 4 at a time.
#[derive(Deserialize)]
pub struct SwingState {
    /// Time [s].
    pub t: f64,
    /// Position of its tip [m].
    pub tip: [f64; 2],
    /// Position of its middle [m].
    pub mid: [f64; 2],
    /// Angle of its first node [rad].
    pub theta0: f64,
    /// Angle of its last node [rad].
    pub theta_n: f64,
    /// Energies.
    #[serde(flatten)]
    pub energies: Energies,
}

/// The rod of Fig. 3 at a time.
#[derive(Deserialize)]
pub struct ArchState {
    /// Time [s].
    pub t: f64,
    /// Position of its middle [m].
    pub mid: [f64; 2],
    /// Energies.
    #[serde(flatten)]
    pub energies: Energies,
}

/// Energies of a rod [J].
#[derive(Clone, Copy, Deserialize)]
pub struct Energies {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Bending energy.
    pub bending: f64,
    /// Potential energy of gravity, zero at the origin.
    pub gravity: f64,
}

/// The motions with few intervals, read from the embedded file.
pub fn semidiscrete() -> Semidiscrete {
    let text = include_str!("../../references/seed001_semidiscrete.json");
    serde_json::from_str(text).unwrap_or_else(|e| unreachable!("references/seed001_semidiscrete.json: {e}"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_references_are_readable() {
        assert!(super::rods_dynamic().hanging_rod_frequencies.len() > 1);
        assert!(!super::semidiscrete().fig3_ideal_jumps.is_empty());
    }
}
