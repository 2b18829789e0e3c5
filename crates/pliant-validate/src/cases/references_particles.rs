//! Reference numbers of particles and solids from `references/particles.json`.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Numbers of particles and solids.
#[derive(Deserialize)]
pub struct ParticleNumbers {
    /// Solids of density one, by name.
    pub polyhedra_unit_density: BTreeMap<String, Polyhedron>,
    /// A spring with a damper between unit masses, lambda = 100 N/m, mu = 5 N s/m.
    pub damped_pair: DampedPairs,
    /// Angles at which prisms tip over on an incline.
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

/// A solid of density one.
#[derive(Deserialize)]
pub struct Polyhedron {
    /// Volume [m3].
    pub volume: f64,
    /// Centre [m].
    pub centroid: [f64; 3],
    /// Inertia about the centre [m5].
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

/// A spring between masses, let go stretched.
#[derive(Deserialize)]
pub struct DampedPair {
    /// Its stretch in the course of time.
    pub samples: Vec<Stretch>,
}

/// The stretch of a spring at a time.
#[derive(Deserialize)]
pub struct Stretch {
    /// Time [s].
    pub t: f64,
    /// Stretch over that at first.
    pub dp_over_dp0: f64,
}

/// Angles at which prisms tip over [deg].
#[derive(Deserialize)]
pub struct Topple {
    /// Of four sides.
    pub cube_deg: f64,
    /// Of six sides.
    pub hexagon_deg: f64,
    /// Of eight sides.
    pub octagon_deg: f64,
}

/// A square bar.
#[derive(Deserialize)]
pub struct Bar {
    /// Constant of torsion over the fourth power of its side.
    #[serde(rename = "J_square_over_a4")]
    pub torsion: f64,
}

/// A mass that hits a spring with a damper.
#[derive(Deserialize)]
pub struct Restitution {
    /// Damping over critical damping.
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
    /// From how high [m].
    pub h: f64,
    /// Whether the spring may pull.
    pub law: String,
    /// How high it bounces [m].
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
    /// Friction.
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
    /// Speed at first [m/s].
    pub v0: f64,
    /// Friction.
    pub mu: f64,
    /// When it rolls [s].
    pub t_roll: f64,
    /// Speed from then on [m/s].
    pub v_final: f64,
}

/// Numbers of particles and solids, read from the file that the command carries.
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
