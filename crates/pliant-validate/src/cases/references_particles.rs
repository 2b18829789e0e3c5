//! References for particles and solids from `references/particles.json`.

use std::collections::BTreeMap;

use serde::Deserialize;

/// References for particles and solids.
#[derive(Deserialize)]
pub struct ParticleNumbers {
    /// Solids of unit density, by name.
    pub polyhedra_unit_density: BTreeMap<String, Polyhedron>,
    /// A spring with a damper between unit masses, lambda = 100 N/m, mu = 5 N s/m.
    pub damped_pair: DampedPairs,
    /// Slopes at which prisms topple.
    pub polygon_topple: Topple,
    /// A square bar.
    pub bar: Bar,
    /// A mass that hits a spring with a damper, without gravity.
    pub penalty_restitution: Vec<Restitution>,
    /// A ball that falls on a spring with a damper.
    pub ball_drop_with_gravity: Vec<Drop>,
    /// Bodies on a slope.
    pub incline: Incline,
    /// A cylinder that slides until it rolls.
    pub slide_to_roll: Vec<SlideToRoll>,
}

/// A solid of unit density.
#[derive(Deserialize)]
pub struct Polyhedron {
    /// Volume [m3].
    pub volume: f64,
    /// Centroid [m].
    pub centroid: [f64; 3],
    /// Inertia about the centroid [m5].
    pub inertia_about_centroid: [[f64; 3]; 3],
}

/// A spring between masses, one of them held or both free.
#[derive(Deserialize)]
pub struct DampedPairs {
    /// One is held.
    pub one_free_unit_mass: DampedPair,
    /// Both are free.
    pub two_free_unit_masses: DampedPair,
}

/// A spring between masses, released stretched.
#[derive(Deserialize)]
pub struct DampedPair {
    /// Its stretch over time.
    pub samples: Vec<Stretch>,
}

/// The stretch of a spring at a time.
#[derive(Deserialize)]
pub struct Stretch {
    /// Time [s].
    pub t: f64,
    /// Stretch relative to the initial one [-].
    pub dp_over_dp0: f64,
}

/// Slopes at which prisms topple [deg].
#[derive(Deserialize)]
pub struct Topple {
    /// Four sides.
    pub cube_deg: f64,
    /// Six sides.
    pub hexagon_deg: f64,
    /// Eight sides.
    pub octagon_deg: f64,
}

/// A square bar.
#[derive(Deserialize)]
pub struct Bar {
    /// Torsion constant over the fourth power of its side [-].
    #[serde(rename = "J_square_over_a4")]
    pub torsion: f64,
}

/// A mass that hits a spring with a damper.
#[derive(Deserialize)]
pub struct Restitution {
    /// Damping ratio [-].
    pub zeta: f64,
}

/// A ball that falls on a spring with a damper.
#[derive(Deserialize)]
pub struct Drop {
    /// Mass [kg].
    pub m: f64,
    /// Stiffness [N/m].
    pub lam: f64,
    /// Damping [N s/m].
    pub mu: f64,
    /// Drop height [m].
    pub h: f64,
    /// Contact law: whether the spring may pull.
    pub law: String,
    /// Rebound height [m].
    pub rebound_height: f64,
}

/// Bodies on a slope.
#[derive(Deserialize)]
pub struct Incline {
    /// Accelerations.
    pub samples: Vec<Slope>,
}

/// Accelerations on a slope.
#[derive(Deserialize)]
pub struct Slope {
    /// Slope [deg].
    pub angle_deg: f64,
    /// Coefficient of friction [-].
    pub mu: f64,
    /// Acceleration of a block, zero if it sticks [m/s2].
    pub block_acc: f64,
    /// Acceleration of a cylinder [m/s2].
    pub cylinder_acc: f64,
    /// Its angular acceleration times its radius [m/s2].
    pub cylinder_alpha_times_r: f64,
}

/// A cylinder that slides until it rolls.
#[derive(Deserialize)]
pub struct SlideToRoll {
    /// Initial speed [m/s].
    pub v0: f64,
    /// Coefficient of friction [-].
    pub mu: f64,
    /// When it starts to roll [s].
    pub t_roll: f64,
    /// Speed from then on [m/s].
    pub v_final: f64,
}

/// References for particles and solids, read from the embedded file.
pub fn particles() -> ParticleNumbers {
    let text = include_str!("../../references/particles.json");
    serde_json::from_str(text).unwrap_or_else(|e| unreachable!("references/particles.json: {e}"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_references_are_readable() {
        assert!(super::particles().incline.samples.len() > 1);
    }
}
