//! The run of one model through a scene: shapes and grip forces at times that all models share, and its cost.

use std::convert::Infallible;
use std::time::Instant;

use pliant::math::{Pose, Vec3};
use pliant::{Body, Frame, Other, StepError, World};
use pliant_scene::{Ending, RodModel, Scene};

use crate::run::{progress_bar, show_progress};

/// Number of points along a rod where shapes are compared, at equal fractions of its length.
pub const STATIONS: usize = 101;

/// Largest number of times at which models are compared, besides the start.
const MOST_SAMPLES: u64 = 200;

/// Largest number of points kept per model, over all rods and times: about a hundred megabytes.
const MOST_PLACES: u64 = 5_000_000;

/// The run of one model.
pub struct Course {
    /// The model.
    pub model: RodModel,
    /// Names of the rods.
    pub rods: Vec<String>,
    /// The state at the start and at common times from then on.
    pub samples: Vec<Sample>,
    /// The world at the end.
    pub world: World,
    /// Wall time of its steps alone [s].
    pub wall_s: f64,
    /// Why it did not reach the end.
    pub diverged: Option<StepError>,
    /// Whether a rod touched itself at any of these times.
    pub self_touched: bool,
}

/// The state of a world at one of the common times.
pub struct Sample {
    /// Time [s].
    pub time: f64,
    /// Points along each rod [m].
    pub rods: Vec<Vec<Vec3>>,
    /// Mean force on each gripper since the previous sample [N].
    pub forces: Vec<Vec3>,
    /// Positions of the grippers [m].
    pub grippers: Vec<Vec3>,
    /// Poses of the obstacles.
    pub obstacles: Vec<Pose>,
}

/// Whether a body is a rod, which can be put on another model.
pub fn is_rod(body: &Body) -> bool {
    !body.is_solid()
}

/// Run a scene whose rods are on a model.
pub fn follow(mut scene: Scene, model: RodModel) -> Course {
    let rods: Vec<usize> = (0..scene.world.bodies().len()).filter(|i| is_rod(&scene.world.bodies()[*i])).collect();
    let steps = scene.steps();
    let wanted = steps.min(MOST_SAMPLES).min(MOST_PLACES / (STATIONS * rods.len().max(1)) as u64).max(1);
    let mut samples: Vec<Sample> = vec![];
    // impulse on each gripper since the last sample
    let mut impulses = vec![Vec3::ZERO; scene.world.grippers().len()];
    let mut self_touched = false;
    let (progress, begun, duration) = (progress_bar(scene.duration), Instant::now(), scene.duration);
    let ran = scene.run(|moment| {
        let step = moment.step;
        for (impulse, gripper) in impulses.iter_mut().zip(moment.world.grippers()) {
            *impulse += moment.dt * gripper.load.force;
        }
        // samples are taken at steps of the world, as evenly as possible
        if step == 0 || step * wanted / steps > (step - 1) * wanted / steps {
            let frame = moment.frame();
            let since = samples.last().map_or(1.0, |last| frame.time - last.time);
            let forces = impulses.iter_mut().map(|impulse| std::mem::take(impulse) / since).collect();
            self_touched |= touch(frame, &rods);
            samples.push(sample(frame, &rods, forces));
        }
        if step % 64 == 1 {
            show_progress(&progress, moment.world.time(), duration, begun);
        }
        Ok::<(), Infallible>(())
    });
    progress.finish_and_clear();
    let names = rods.iter().map(|i| scene.world.bodies()[*i].name().to_string()).collect();
    let diverged = if let Ending::Failed(error) = ran.ending { Some(error) } else { None };
    let (world, wall_s) = (scene.world, ran.stepping.as_secs_f64());
    Course { model, rods: names, samples, world, wall_s, diverged, self_touched }
}

fn sample(frame: &Frame, rods: &[usize], forces: Vec<Vec3>) -> Sample {
    Sample {
        time: frame.time,
        rods: rods.iter().map(|i| stations(&frame.bodies[*i].nodes)).collect(),
        forces,
        grippers: frame.grippers.iter().map(|gripper| gripper.pose.translation).collect(),
        obstacles: frame.obstacles.clone(),
    }
}

fn touch(frame: &Frame, rods: &[usize]) -> bool {
    frame.contacts.iter().any(|c| c.other == Other::Body(c.body) && rods.contains(&c.body))
}

/// Points at equal fractions of the length of a polyline, since models place their nodes differently.
fn stations(nodes: &[Vec3]) -> Vec<Vec3> {
    let length = length(nodes);
    let mut out = Vec::with_capacity(STATIONS);
    let mut past = 0.0;
    for pair in nodes.windows(2) {
        let piece = (pair[1] - pair[0]).length();
        while out.len() + 1 < STATIONS {
            let s = length * out.len() as f64 / (STATIONS - 1) as f64;
            if s > past + piece {
                break;
            }
            out.push(pair[0].lerp(pair[1], (s - past) / piece.max(f64::MIN_POSITIVE)));
        }
        past += piece;
    }
    // rounding may skip the last points; they are at the end
    out.resize(STATIONS, nodes.last().copied().unwrap_or_default());
    out
}

/// Length of a polyline [m].
pub fn length(nodes: &[Vec3]) -> f64 {
    nodes.windows(2).map(|pair| (pair[1] - pair[0]).length()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stations_lie_at_equal_fractions_of_the_length() {
        // an L of 1 m and 3 m, divided unevenly
        let nodes = [[0.0, 0.0], [0.3, 0.0], [1.0, 0.0], [1.0, 2.9], [1.0, 3.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
        let out = stations(&nodes);
        assert_eq!(out.len(), STATIONS);
        for (i, place) in out.iter().enumerate() {
            let s = 4.0 * i as f64 / 100.0;
            let there = Vec3::new(s.min(1.0), 0.0, (s - 1.0).max(0.0));
            assert!((*place - there).length() < 1e-12, "{i}: {place} {there}");
        }
        // a rod that has shrunk to a point must not fail
        assert_eq!(stations(&[Vec3::ONE; 3]), vec![Vec3::ONE; STATIONS]);
    }
}
