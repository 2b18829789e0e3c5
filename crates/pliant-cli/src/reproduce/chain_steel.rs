//! Kahl and Henrich's spring-steel rod against an energy-minimising one (Table 5, Fig. 12 and 13).

use pliant::math::Vec3;

use super::planar_rod::PlanarRod;
use super::{Results, scene, shape};
use crate::drawing::{Curve, Drawing};
use crate::failure::Failure;

const STEEL: &str = include_str!("../../../../scenes/000-steel.toml");
const RADIUS: f64 = 1e-3;
const YOUNG: f64 = 2.1e11;
const DENSITY: f64 = 7900.0;
const ORIENTATIONS: [f64; 3] = [-135.0, -175.0, -215.0];

/// Run the steel rod at an orientation until it rests. Shapes come in the vertical plane, from the gripper outwards.
fn held_at(degrees: f64, changes: &[(&str, &str)]) -> Result<Vec<[f64; 2]>, Failure> {
    // the rod lies at -180 degrees before the gripper turns; the axis is -y, so that angles count upwards from x to z
    let angle = format!("{}", degrees + 180.0);
    let mut all = vec![("gripper.hand.motion.rotate.angle_deg", angle.as_str())];
    all.extend_from_slice(changes);
    let mut scene = scene(STEEL, "scenes/000-steel.toml", &all)?;
    let mut last = shape(&scene.world)?;
    for _ in 0..60 {
        for _ in 0..1000 {
            scene.world.step(scene.step).map_err(|e| Failure::Run(format!("steel at {degrees} deg: {e}")))?;
        }
        let now = shape(&scene.world)?;
        let moved = now.iter().zip(&last).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max);
        last = now;
        if scene.world.time() > 2.0 && moved < 1e-7 {
            break;
        }
    }
    Ok(last.iter().rev().map(|p: &Vec3| [p.x, p.z]).collect())
}

/// Root of the mean squared distance between the points of a chain and a curve from the same clamp [m].
fn distance(chain: &[[f64; 2]], curve: &[[f64; 2]]) -> f64 {
    let squared = |i: usize| {
        let s = i as f64 / (chain.len() - 1) as f64 * (curve.len() - 1) as f64;
        let (k, f) = ((s as usize).min(curve.len() - 2), s - ((s as usize).min(curve.len() - 2)) as f64);
        let at = |c: usize| curve[k][c] + f * (curve[k + 1][c] - curve[k][c]);
        (chain[i][0] - at(0)).powi(2) + (chain[i][1] - at(1)).powi(2)
    };
    ((0..chain.len()).map(squared).sum::<f64>() / chain.len() as f64).sqrt()
}

/// The fraction of E between 1/100 and 10 at which a distance is least, by golden section on a logarithmic scale.
fn best_fraction(distance: impl Fn(f64) -> f64) -> f64 {
    let at = |t: f64| distance(10f64.powf(t));
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let (mut low, mut high) = (-2.0, 1.0);
    while high - low > 1e-3 {
        let (a, b) = (high - golden * (high - low), low + golden * (high - low));
        if at(a) < at(b) { high = b } else { low = a }
    }
    10f64.powf(0.5 * (low + high))
}

/// Table 5, Fig. 12, 13.
pub fn steel(results: &mut Results) -> Result<(), Failure> {
    results.choice("c_F", "half the way to zero force at the stiffest point");
    results.choice("c_h", "0.99");
    results.choice("gravity per point", "0.00892 N as printed (0.0076 N would be right)");
    results.choice("c_e (gripper)", "588.6 N/m: 0.981 N at 5 % of a segment");
    results.choice("gripped", "second and last point, as in Fig. 12; for the default law the very end, clamped");
    let area = std::f64::consts::PI * RADIUS * RADIUS;
    let rod = |young: f64| PlanarRod {
        length: 0.5,
        rigidity: young * area * RADIUS * RADIUS / 4.0,
        weight: DENSITY * area * 9.81,
        pieces: 200,
    };
    let default_law = [
        ("body.rod.chain.bending", "linear"),
        ("body.rod.chain.equal_weights", "false"),
        ("body.rod.chain.mass", "0.012409290981679684"),
        ("body.rod.chain.contraction", "659734.0"),
        ("body.rod.chain.grip_stiffness", "2e7"),
        ("body.rod.chain.update", "velocity"),
        ("body.rod.chain.damping", "60.0"),
        ("gripper.hand.grips", "[{ body = \"rod\", at = \"end\", orientation = true }]"),
    ];
    let mut curves = vec![];
    let mut of_default = 0.0_f64;
    let (mut printed_fit, mut corrected_fit) = (0.0, 0.0);
    for degrees in ORIENTATIONS {
        let angle = degrees.to_radians();
        let paper = held_at(degrees, &[])?;
        let corrected = held_at(degrees, &[("body.rod.chain.bending_force", "21449.763")])?;
        let ours = held_at(degrees, &default_law)?;
        let best = |shape: &[[f64; 2]]| best_fraction(|f| distance(shape, &rod(f * YOUNG).shape(angle)));
        printed_fit += best(&paper) / 3.0;
        corrected_fit += best(&corrected) / 3.0;
        let (stiff, soft) = (rod(YOUNG).shape(angle), rod(0.3 * YOUNG).shape(angle));
        let to = [distance(&paper, &stiff) * 1e3, distance(&paper, &soft) * 1e3];
        results.statement(
            format!("{degrees} deg: nearer to the rod at 0.3 E than at E, by"),
            "mm",
            to[0] - to[1],
            to[1] < to[0],
        );
        results
            .remark(format!("{degrees} deg: {:.0} mm from the rod at E, {:.0} mm from the rod at 0.3 E", to[0], to[1]));
        of_default = of_default.max(distance(&ours, &stiff) * 1e3);
        for (label, points) in [paper, corrected, stiff, soft, ours].into_iter().enumerate() {
            curves.push(Curve { points, label });
        }
    }
    results.number("E of the rod that fits best / E, Table 5's c_b", "-", 0.3, printed_fit);
    results.number("the same, c_b of (21) corrected to carry the moment", "-", 0.3, corrected_fit);
    results.statement("default law, worst distance to the rod at E, below 0.5", "mm", of_default, of_default < 0.5);
    let labels = [
        "published law, Table 5",
        "published law, (21) corrected",
        "least energy at E",
        "least energy at 0.3 E",
        "default law, at E",
    ];
    let labels = labels.map(String::from).to_vec();
    let title = "Spring steel at -135, -175 and -215 degrees".into();
    results.drawings.push(("000-steel".into(), Drawing { title, labels, curves, notes: vec![] }));
    results.remark("The published law is cubic in the angle, so no modulus fits it; the default law is linear.");
    Ok(())
}
