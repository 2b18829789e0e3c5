//! Reference solutions from `references/`.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Static shapes of rods.
#[derive(Deserialize)]
pub struct RodsStatic {
    /// Tip-loaded cantilevers.
    pub tip_load_cantilever: Vec<TipLoad>,
    /// Horizontal cantilevers under their own weight.
    pub heavy_cantilever_horizontal: Vec<Heavy>,
    /// Inclined cantilevers under their own weight.
    pub heavy_cantilever_inclined: Vec<Inclined>,
    /// Post-buckled elastica.
    pub postbuckled_elastica: Vec<Buckled>,
    /// Weightless arches with clamped ends, keyed by the distance of the ends / L.
    pub clamped_clamped_shape: BTreeMap<String, Vec<Sample>>,
    /// Heavy arches with clamped ends, by name.
    pub clamped_clamped_gravity: BTreeMap<String, Arch>,
    /// Buckling loads.
    pub critical_loads: Critical,
    /// Catenaries.
    pub catenary: Vec<Catenary>,
    /// Straight rods bent to helices by a dead moment at the tip.
    pub helix_dead_end_moment: Vec<Helix>,
    /// Strips pushed onto a rough plane.
    pub stick_slip_threshold: Vec<StickSlip>,
    /// The spring-steel rod of Kahl and Henrich, Table 5.
    pub seed000_table5_rod: Vec<SteelRod>,
}

/// A cantilever with a dead load at its tip.
#[derive(Deserialize)]
pub struct TipLoad {
    /// Load P L^2 / EI.
    #[serde(rename = "PL2_EI")]
    pub load: f64,
    /// Drop of the tip / L.
    #[serde(rename = "w_over_L")]
    pub drop: f64,
    /// Shortening of the reach / L.
    #[serde(rename = "u_over_L")]
    pub shortening: f64,
}

/// A cantilever under its own weight.
#[derive(Deserialize)]
pub struct Heavy {
    /// rho A g L^3 / EI.
    #[serde(rename = "Gamma")]
    pub gamma: f64,
    /// Horizontal position of the tip / L.
    pub x_tip: f64,
    /// Vertical position of the tip / L.
    pub y_tip: f64,
    /// Clamp moment times L / EI.
    #[serde(rename = "M_clamp_L_over_EI")]
    pub clamp_moment: f64,
}

/// A cantilever under its own weight whose clamp is inclined.
#[derive(Deserialize)]
pub struct Inclined {
    /// Angle of the clamp above the horizontal [deg].
    pub clamp_deg: f64,
    /// The cantilever.
    #[serde(flatten)]
    pub heavy: Heavy,
}

/// A point of a rod of length 1.
#[derive(Deserialize)]
pub struct Sample {
    /// Arc length.
    pub s: f64,
    /// Horizontal position.
    pub x: f64,
    /// Vertical position.
    pub y: f64,
}

/// An arch with clamped ends under its own weight, of length 1.
#[derive(Deserialize)]
pub struct Arch {
    /// Its shape.
    pub samples: Vec<Sample>,
    /// Force along the line between the ends, times L^2 / EI.
    #[serde(rename = "Fx_L2_EI")]
    pub thrust: f64,
    /// rho A g L^3 / EI.
    #[serde(rename = "rho_g_L3_over_EI")]
    pub gamma: f64,
    /// Distance between the ends.
    pub end_distance: f64,
}

/// Buckling loads.
#[derive(Deserialize)]
pub struct Critical {
    /// P L^2 / EI of a column clamped at the bottom and free at the top.
    pub euler_clamped_free: f64,
    /// rho A g L^3 / EI of a column under its own weight.
    pub self_weight_column_clamped_free: f64,
}

/// A buckled rod whose ends are pushed together.
#[derive(Deserialize)]
pub struct Buckled {
    /// Distance between the ends / L.
    #[serde(rename = "end_distance_over_L")]
    pub end_distance: f64,
    /// Deflection of the middle / L.
    #[serde(rename = "mid_deflection_over_L")]
    pub mid_deflection: f64,
    /// Force on clamped ends, times L^2 / EI.
    #[serde(rename = "P_clamped_L2_EI")]
    pub clamped_force: f64,
    /// Force on pinned ends, times L^2 / EI.
    #[serde(rename = "P_pinned_L2_EI")]
    pub pinned_force: f64,
}

/// A strip clamped upright above a rough plane and pushed down on it.
#[derive(Deserialize)]
pub struct StickSlip {
    /// Coefficient of friction.
    pub mu: f64,
    /// Push / L at which its tip slips.
    #[serde(rename = "delta_star_over_L")]
    pub push: f64,
}

/// A straight rod of length 1 and EI = 1 along +z, bent to a helix by a dead moment at its tip.
#[derive(Deserialize)]
pub struct Helix {
    /// Torsional rigidity.
    #[serde(rename = "GJ")]
    pub gj: f64,
    /// Moment at the tip.
    pub tip_moment: [f64; 3],
    /// Position of the tip.
    pub tip_position: [f64; 3],
}

/// A straight rod along +z with dead loads at its tip.
#[derive(Deserialize)]
pub struct DeadLoad {
    /// Length [m].
    #[serde(rename = "L")]
    pub length: f64,
    /// EA [N].
    #[serde(rename = "EA")]
    pub ea: f64,
    /// Force at the tip [N].
    pub tip_force: [f64; 3],
    /// Moment at the tip [N m].
    pub tip_moment: [f64; 3],
    /// Position of the tip [m].
    pub tip_position: [f64; 3],
}

/// Displacement of the tip of a 45-degree bend of radius 100 under an out-of-plane force of 600.
pub fn bend() -> Option<[f64; 3]> {
    #[derive(Deserialize)]
    struct Bend {
        tip_displacement: [f64; 3],
    }
    let text = include_str!("../../references/rods_3d_dead_load.json");
    let all: serde_json::Value = serde_json::from_str(text).ok()?;
    serde_json::from_value::<Bend>(all.get("bathe_bend_600")?.clone()).ok().map(|b| b.tip_displacement)
}

/// Dead loads on a silicone cable in space, by name.
pub fn rods_3d() -> Vec<(String, DeadLoad)> {
    let text = include_str!("../../references/rods_3d_dead_load.json");
    let all: BTreeMap<String, serde_json::Value> =
        serde_json::from_str(text).unwrap_or_else(|e| unreachable!("references/rods_3d_dead_load.json: {e}"));
    let cables = all.into_iter().filter(|(name, _)| name.starts_with("cable004"));
    let read = |(name, value): (String, serde_json::Value)| match serde_json::from_value(value) {
        Ok(load) => (name, load),
        Err(e) => unreachable!("references/rods_3d_dead_load.json: {name}: {e}"),
    };
    cables.map(read).collect()
}

/// A perfectly flexible line hung from two points of equal height.
#[derive(Deserialize)]
pub struct Catenary {
    /// Length.
    #[serde(rename = "L")]
    pub length: f64,
    /// Distance between its ends.
    pub span: f64,
    /// Sag of the middle.
    pub sag: f64,
    /// Smallest tension / weight.
    #[serde(rename = "Tmin_over_wL")]
    pub least_tension: f64,
    /// Largest tension / weight.
    #[serde(rename = "Tmax_over_wL")]
    pub largest_tension: f64,
}

/// The steel rod at one orientation of the gripper.
#[derive(Deserialize)]
pub struct SteelRod {
    /// The modulus used.
    pub case: String,
    /// Orientation of the gripper [deg].
    pub gripper_deg: f64,
    /// Horizontal position of the tip [m].
    pub x_tip_m: f64,
    /// Vertical position of the tip [m].
    pub y_tip_m: f64,
}

/// The static shapes, read from the embedded file.
pub fn rods_static() -> RodsStatic {
    let text = include_str!("../../references/rods_static.json");
    // the file is embedded; `the_references_are_readable` keeps it valid
    serde_json::from_str(text).unwrap_or_else(|e| unreachable!("references/rods_static.json: {e}"))
}

/// Cables pulled over a drum.
#[derive(Deserialize)]
pub struct Capstan {
    /// Coulomb friction on a cable of finite thickness.
    pub coulomb_finite_thickness: Vec<ThickCapstan>,
    /// Power-law friction.
    pub power_law: Vec<PowerCapstan>,
}

/// A thick cable on a drum.
#[derive(Deserialize)]
pub struct ThickCapstan {
    /// Coefficient of friction.
    pub mu: f64,
    /// Radius of the cable / radius of the drum.
    #[serde(rename = "r_over_R")]
    pub thickness: f64,
    /// Wrap angle / pi.
    #[serde(rename = "theta_over_pi")]
    pub angle: f64,
    /// Pull / load.
    #[serde(rename = "T_over_T0")]
    pub ratio: f64,
}

/// A thin cable on a drum, kappa = 1.296 and N = 0.7616.
#[derive(Deserialize)]
pub struct PowerCapstan {
    /// Load [N].
    #[serde(rename = "T0")]
    pub load: f64,
    /// Wrap angle / pi.
    #[serde(rename = "theta_over_pi")]
    pub angle: f64,
    /// Pull for a centre line with a radius of 22 mm [N].
    #[serde(rename = "T_per_length_Rc22mm")]
    pub pull: f64,
}

/// The capstan references, read from the embedded file.
pub fn capstan() -> Capstan {
    let text = include_str!("../../references/capstan.json");
    serde_json::from_str(text).unwrap_or_else(|e| unreachable!("references/capstan.json: {e}"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_references_are_readable() {
        assert!(super::rods_static().catenary.len() > 1);
        assert!(super::rods_3d().len() > 1);
        assert!(super::bend().is_some());
        assert!(super::capstan().power_law.len() > 1);
    }
}
