//! Wakamatsu et al.'s Fig. 4: a hinged rod falls onto a thin peg and twines round it.

use pliant::Frame;

use super::elastica_shapes::{Point, Props, at, curve, frames, nearest, strip, turns};
use super::{Results, common_elastica_choices};
use crate::failure::Failure;
use crate::output::short;

const PEG: &str = include_str!("../../../../scenes/001-fig4.toml");
const CENTRE: Point = [-0.30, -0.35];
const RADIUS: f64 = 0.01;

/// Fig. 4.
pub fn peg(results: &mut Results) -> Result<(), Failure> {
    common_elastica_choices(results);
    let instants: Vec<f64> = (0..12).map(|k| 0.1 * f64::from(k)).collect();
    for (name, stiffness, file) in
        [("k_c = 1000, as printed", "1000.0", "001-fig4"), ("k_c = 1e5", "1e5", "001-fig4-stiff")]
    {
        let run = frames(PEG, "scenes/001-fig4.toml", &[("body.rod.elastica.contact_stiffness", stiffness)])?;
        for f in run.iter().step_by(40) {
            let c = curve(f);
            let force: f64 = f.contacts.iter().map(|c| c.force.length()).sum();
            let deep = f.contacts.iter().map(|c| c.penetration).fold(0.0, f64::max);
            let e = f.bodies[0].energy;
            results.remark(format!(
                "{:.3} turns {:.3} tip {:.3} {:.3} n {} force {} deep {} bend {} grav {} kin {}",
                f.time,
                turns(&c, CENTRE),
                c[c.len() - 1][0],
                c[c.len() - 1][1],
                f.contacts.len(),
                short(force),
                short(deep),
                short(e.elastic),
                short(e.gravity),
                short(e.kinetic)
            ));
        }
        strip(
            results,
            file,
            &format!("A hinged rod falls onto a peg, {name} (Fig. 4)"),
            &run,
            &instants,
            &Props::Peg(CENTRE, RADIUS),
        );
        let _ = (nearest, at);
    }
    Ok(())
}
