//! Tagawa, Hirota and Hirose's Fig. 2 and 3: the motion after an impulse on the top of the cube, by a point and by a
//! plane.

use pliant::math::Vec3;
use pliant_fem::{Damping, Direct, Model, Response, Sampling, Timing};

use super::response_cube::{
    CELLS, ELASTIC, MODES, SAMPLE, SIDE, basis, common_choices, fem, go_on, largest, model, scene_text, solid,
};
use super::response_modes::{judge_modes, rigid_part};
use super::response_waves::{Wave, draw};
use super::{Results, scene};
use crate::Failure;
use pliant_record::short;

/// When all nodes have begun to move after the point impulse, according to the paper [s].
const PAPER_START: f64 = 16e-3;

/// Fractions of the largest displacement above which a node counts as moving [-].
const THRESHOLDS: [f64; 4] = [1e-6, 1e-4, 1e-2, 5e-2];

/// Instants of pictures and comparisons [s].
pub const INSTANTS: [f64; 5] = [2e-3, 4e-3, 8e-3, 16e-3, 32e-3];

/// Length of steps that resolve waves [s].
const FINE: f64 = 1e-4;

/// 1 N on the middle node of its top for one sample.
const STRUCK: &str = r#"
[[load]]
body     = "cube"
at       = { point = [0, 0, 0.05] }
force    = [0, 0, -1]
until    = 0.002
"#;

/// 1 N downward as a force on all unknowns, shared by the selected nodes.
pub fn push(model: &Model, on: impl Fn(Vec3) -> bool) -> Vec<f64> {
    let nodes: Vec<usize> = (0..model.nodes().len()).filter(|n| on(model.nodes()[*n])).collect();
    let mut force = vec![0.0; model.unknowns()];
    nodes.iter().for_each(|n| force[3 * n + 2] = -1.0 / nodes.len() as f64);
    force
}

/// Responses to several forces by direct time integration.
pub fn direct(model: &Model, forces: &[&[f64]], damping: Damping, timing: Timing) -> Result<Vec<Response>, Failure> {
    let direct = Direct::new(model, &damping, &timing).map_err(fem)?;
    direct.respond(forces, &mut go_on).map_err(fem)
}

/// Fig. 2 and 3: the cube after an impulse.
pub fn impulse(results: &mut Results) -> Result<(), Failure> {
    common_choices(results);
    results.choice(
        "force",
        "1 N during one sample of 2 ms, at the middle node on top, or shared equally by the 169 nodes on top",
    );
    results.choice(
        "integration",
        "average acceleration in steps of 1 ms, which is implicit; the paper does not name its scheme",
    );
    results.choice("damping", "none; not given");
    results.choice(
        "moving",
        "displaced, rigid motion included, by a part of the largest displacement without it; not given",
    );
    let model = model()?;
    let top = 0.5 * SIDE - 1e-9;
    let point = push(&model, |p| p.z > top && p.x.hypot(p.y) < 1e-9);
    let plane = push(&model, |p| p.z > top);
    let forces: [&[f64]; 2] = [&point, &plane];
    let usual = Timing { samples: 50, ..Timing::default() };
    let found = direct(&model, &forces, Damping::default(), usual)?;
    let fine = Timing { sample: FINE, substeps: 1, samples: 400, sampling: Sampling::End };
    let waves = direct(&model, &forces, Damping::default(), fine)?;
    let [by_point, by_plane] = [0, 1].map(|n| Wave::sampled(&model, &found[n], &usual));
    let fine: [Wave; 2] = [0, 1].map(|n| Wave::summed(&model, &waves[n], FINE));
    judge_starts(results, &by_point, &by_plane, &fine);
    let basis = basis(results)?;
    judge_modes(results, &model, &basis, &forces, &found)?;
    judge_model(results, &model, &found[0], &fine[0])?;
    draw(results, &model, [&by_point, &by_plane]);
    Ok(())
}

/// When all nodes have begun to move, by several thresholds.
fn judge_starts(results: &mut Results, point: &Wave, plane: &Wave, fine: &[Wave; 2]) {
    for threshold in THRESHOLDS {
        let started = point.all_moved(threshold).unwrap_or(f64::NAN);
        let what = format!("point: all nodes have moved by {threshold:e} of the largest displacement after");
        results.number(what, "ms", 1e3 * PAPER_START, 1e3 * started);
    }
    let seen = point.least_moved(PAPER_START);
    results.remark(format!(
        "After 16 ms the node that has moved least, the farthest, has moved by {} of the largest displacement, {} mm: 16 ms is when \
         motion of about that size is taken to begin, not when a wave arrives.",
        short(seen),
        short(1e3 * point.largest)
    ));
    let Waves { pressure, shear } = waves();
    let corner = Vec3::new(0.5 * SIDE, 0.5 * SIDE, SIDE).length();
    results.remark(format!(
        "From the material, pressure waves go {} m/s and shear waves {} m/s: from the middle of the top to a corner below {} and {} ms, \
         straight down {} and {} ms.",
        short(pressure),
        short(shear),
        short(1e3 * corner / pressure),
        short(1e3 * corner / shear),
        short(1e3 * SIDE / pressure),
        short(1e3 * SIDE / shear)
    ));
    let fastest = point.all_moved(THRESHOLDS[0]).unwrap_or(f64::NAN);
    results.statement(
        "point: implicit steps of 1 ms carry 1e-6 to the farthest node before the pressure wave, after",
        "ms",
        1e3 * fastest,
        fastest < corner / pressure,
    );
    results.remark(
        "Implicit steps make everything move at once, if only a little: every step solves equations of the whole body. Consistent mass \
         does so too, however short steps are.",
    );
    for (name, wave, usual) in [("point", &fine[0], point), ("plane", &fine[1], plane)] {
        let list = |wave: &Wave| {
            let times = THRESHOLDS.map(|t| wave.all_moved(t).map_or("never".into(), |time| short(1e3 * time)));
            times.join(", ")
        };
        results.remark(format!(
            "{name}: all nodes have moved by {THRESHOLDS:?} after {} ms in steps of 1 ms, and after {} ms in steps of 0.1 ms.",
            list(usual),
            list(wave)
        ));
    }
    let apart = (plane.at(PAPER_START).iter().map(|u| u.z))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), z| (l.min(z), h.max(z)));
    results.remark(format!(
        "plane: after 16 ms nodes have moved downwards by {} to {} mm.",
        short(-1e3 * apart.1),
        short(-1e3 * apart.0)
    ));
}

/// Wave speeds [m/s].
struct Waves {
    pressure: f64,
    shear: f64,
}

fn waves() -> Waves {
    let shear = ELASTIC.young / (2.0 * (1.0 + ELASTIC.poisson));
    let lambda = 2.0 * shear * ELASTIC.poisson / (1.0 - 2.0 * ELASTIC.poisson);
    Waves { pressure: ((lambda + 2.0 * shear) / ELASTIC.density).sqrt(), shear: (shear / ELASTIC.density).sqrt() }
}

/// The model as simulated, against direct integration in fine steps, and units.
fn judge_model(results: &mut Results, model: &Model, usual: &Response, fine: &Wave) -> Result<(), Failure> {
    let loaded: Vec<f64> = (0..usual.samples).map(|s| -usual.sample(s)[3 * fine.loaded_node + 2]).collect();
    results.remark(format!(
        "R[0] of the loaded node is {} m/N, the mean of the ends of two steps of 1 ms; the largest of its samples is {} m/N. A point load has no limit as \
         cells shrink: both are of this mesh.",
        short(loaded[0]),
        short(largest(loaded.into_iter()))
    ));
    let rigid = rigid_part(model)?;
    results.statement("rigid motion in the lowest 20 modes, largest part of one, below 1e-8", "-", rigid, rigid < 1e-8);
    let mut scene =
        scene(&scene_text(CELLS, 0.1, &format!("modes = {MODES}"), STRUCK), "an impulse on a soft cube", &[])?;
    let rest = scene.world.frame().bodies[0].nodes.clone();
    let mut list = vec![];
    for n in 1..=16 {
        scene.world.step(scene.step).map_err(fem)?;
        let time = n as f64 * SAMPLE;
        let now = &scene.world.frame().bodies[0].nodes;
        let truth = fine.at(time);
        let apart = now.iter().zip(&rest).zip(truth).map(|((now, rest), truth)| (*now - *rest - *truth).length());
        if INSTANTS.iter().any(|t| (t - time).abs() < 1e-9) {
            list.push(short(largest(apart) / fine.largest));
        }
        if n == 1 {
            let body = solid(&scene.world)?;
            let momentum = -body.motion().velocity.z * body.mass() / SAMPLE;
            let what = "momentum over impulse after the first sample (velocity 1/m per unit impulse), 1 to 1e-9";
            results.statement(what, "-", momentum, (momentum - 1.0).abs() < 1e-9);
            let node = fine.loaded_node;
            let (ours, exact) = ((now[node] - rest[node]).z, truth[node].z);
            results.statement(
                format!(
                    "point: loaded node of the model in use ({MODES} modes, the others at rest in their forces) over that of direct \
                     integration at the end of the first sample, 1 to 0.2"
                ),
                "-",
                ours / exact,
                (ours / exact - 1.0).abs() < 0.2,
            );
        }
    }
    results.remark(format!(
        "point: the model in use is off direct integration in steps of 0.1 ms by {} of its largest displacement at 2, 4, 8, 16 and \
         32 ms. Modes that are left out give way at once, and swing no more when the force has gone.",
        list.join(", ")
    ));
    Ok(())
}
