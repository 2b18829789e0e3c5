//! Results of a comparison: how far models are apart, and what they cost.

use pliant::math::Vec3;
use pliant_scene::RodModel;
use serde::Serialize;

use super::course::{Course, length};
use crate::output::short;

/// A comparison, as in the JSON output.
#[derive(Serialize)]
pub struct Comparison {
    /// Name of the scene file.
    pub scene: String,
    /// The model that the others are compared with.
    pub reference: &'static str,
    /// All models, in the order asked for.
    pub models: Vec<ModelRow>,
}

/// One model.
#[derive(Serialize)]
pub struct ModelRow {
    /// Its name.
    pub model: &'static str,
    /// Whether it can express the scene.
    pub runs: bool,
    /// Why it cannot.
    pub refused: Option<String>,
    /// Why it did not reach the end.
    pub diverged: Option<String>,
    /// A caveat about the comparison.
    pub note: Option<String>,
    /// Simulated time [s].
    pub time: Option<f64>,
    /// Wall time of its steps [s].
    pub wall_s: Option<f64>,
    /// Simulated time over wall time [-].
    pub real_time_factor: Option<f64>,
    /// Mean wall time of a step of the world [µs].
    pub step_us: Option<f64>,
    /// Its rods.
    pub bodies: Vec<BodyRow>,
    /// Its grippers.
    pub grippers: Vec<GripperRow>,
}

/// A rod of a model: differences from the reference relative to the rod's length, 0 for the reference itself.
#[derive(Serialize)]
pub struct BodyRow {
    /// Its name.
    pub name: String,
    /// Root mean square distance along the rod, at the end of the run [-].
    pub shape_rms_end: f64,
    /// Largest distance at the end of the run [-].
    pub shape_max_end: f64,
    /// Largest root mean square distance at any time [-].
    pub shape_rms_max: f64,
    /// Position of the rod's end at the end of the run [m].
    pub tip: [f64; 3],
}

/// A gripper that holds rods of a model.
#[derive(Serialize)]
pub struct GripperRow {
    /// Its name.
    pub name: String,
    /// Force at the end, averaged over the last sampling interval [N].
    pub force_end: [f64; 3],
    /// Magnitude of its difference from the reference [N].
    pub force_end_difference: f64,
    /// Root mean square of that difference over time [N].
    pub force_rms_difference: f64,
}

impl ModelRow {
    /// A model that has not run, with the reason if it cannot.
    pub fn unrun(model: &'static str, refused: Option<String>) -> ModelRow {
        ModelRow {
            model,
            runs: refused.is_none(),
            refused,
            diverged: None,
            note: None,
            time: None,
            wall_s: None,
            real_time_factor: None,
            step_us: None,
            bodies: vec![],
            grippers: vec![],
        }
    }

    /// A model that ran, compared with the reference up to the earlier end of the two.
    pub fn of(course: &Course, reference: &Course) -> ModelRow {
        let (time, steps) = (course.world.time(), course.world.step_count());
        let cost = course.wall_s.max(f64::MIN_POSITIVE);
        let grippers = course.world.grippers().iter().enumerate();
        ModelRow {
            model: course.model.name(),
            runs: true,
            refused: None,
            diverged: course.diverged.as_ref().map(ToString::to_string),
            note: note(course, reference),
            time: Some(time),
            wall_s: Some(course.wall_s),
            real_time_factor: Some(time / cost),
            step_us: Some(course.wall_s * 1e6 / steps.max(1) as f64),
            bodies: (0..course.rods.len()).map(|rod| body_row(course, reference, rod)).collect(),
            grippers: grippers.map(|(i, g)| gripper_row(course, reference, &g.params.name, i)).collect(),
        }
    }
}

/// What the model ignores in the scene, if the reference shows that it matters.
fn note(course: &Course, reference: &Course) -> Option<String> {
    match course.model {
        RodModel::Chain | RodModel::Xpbd => {
            let why = "has no contact of a rod with itself, which the reference shows";
            reference.self_touched.then(|| why.into())
        }
        RodModel::Elastica => {
            let off = (0..course.rods.len()).map(|rod| out_of_plane(course, reference, rod)).fold(0.0, f64::max);
            let why =
                || format!("stays in its plane, which the reference leaves by {} % of the length", short(100.0 * off));
            (off > LEAVES_PLANE).then(why)
        }
        RodModel::Cable => None,
    }
}

/// A note is printed where the reference leaves the plane of a planar rod by more than this fraction of its length [-].
const LEAVES_PLANE: f64 = 0.01;

/// Largest distance of a rod of the reference from the plane of a planar model's rod, over its length [-]; 0 if that
/// rod stays straight and so has no plane.
fn out_of_plane(course: &Course, reference: &Course, rod: usize) -> f64 {
    let places = |course: &'_ Course| -> Vec<Vec3> {
        course.samples.iter().flat_map(|sample| sample.rods[rod].iter().copied()).collect()
    };
    let planar = places(course);
    let Some(origin) = planar.first().copied() else { return 0.0 };
    let farthest = |value: &dyn Fn(Vec3) -> Vec3| {
        let all = planar.iter().map(|place| value(*place - origin));
        all.max_by(|a, b| a.length_squared().total_cmp(&b.length_squared())).unwrap_or_default()
    };
    let along = farthest(&|arm| arm);
    let normal = farthest(&|arm| along.cross(arm));
    if normal.length() < 1e-3 * along.length_squared() {
        return 0.0;
    }
    let whole = length(&course.samples[0].rods[rod]).max(f64::MIN_POSITIVE);
    let off = places(reference).into_iter().map(|place| (place - origin).dot(normal.normalize()).abs());
    off.fold(0.0, f64::max) / whole
}

fn body_row(course: &Course, reference: &Course, rod: usize) -> BodyRow {
    let series = shape_series(course, reference, rod);
    let [_, rms, max] = series.last().copied().unwrap_or([0.0; 3]);
    let tip = course.samples.last().and_then(|sample| sample.rods[rod].last());
    BodyRow {
        name: course.rods[rod].clone(),
        shape_rms_end: rms,
        shape_max_end: max,
        shape_rms_max: series.iter().map(|[_, rms, _]| *rms).fold(0.0, f64::max),
        tip: tip.copied().unwrap_or_default().to_array(),
    }
}

/// Difference of a rod's shape from the reference over time: time [s], root mean square and largest distance over the
/// rod's length [-].
pub fn shape_series(course: &Course, reference: &Course, rod: usize) -> Vec<[f64; 3]> {
    let whole = reference.samples.first().map_or(1.0, |sample| length(&sample.rods[rod])).max(f64::MIN_POSITIVE);
    let both = course.samples.iter().zip(&reference.samples);
    both.map(|(ours, theirs)| {
        let squares = ours.rods[rod].iter().zip(&theirs.rods[rod]).map(|(a, b)| (*a - *b).length_squared());
        let (sum, most) = squares.fold((0.0, 0.0_f64), |(sum, most), square| (sum + square, most.max(square)));
        [ours.time, (sum / ours.rods[rod].len() as f64).sqrt() / whole, most.sqrt() / whole]
    })
    .collect()
}

fn gripper_row(course: &Course, reference: &Course, name: &str, gripper: usize) -> GripperRow {
    // nothing has acted yet at the start
    let both = course.samples.iter().zip(&reference.samples).skip(1);
    let apart: Vec<f64> = both.map(|(a, b)| (a.forces[gripper] - b.forces[gripper]).length_squared()).collect();
    let end: Vec3 = course.samples.last().map(|sample| sample.forces[gripper]).unwrap_or_default();
    GripperRow {
        name: name.into(),
        force_end: end.to_array(),
        force_end_difference: apart.last().copied().unwrap_or(0.0).sqrt(),
        force_rms_difference: (apart.iter().sum::<f64>() / apart.len().max(1) as f64).sqrt(),
    }
}
