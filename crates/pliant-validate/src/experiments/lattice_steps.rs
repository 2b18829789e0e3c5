//! Inner steps of a solid during a scene, and what all experiments of Joukhadar share.

use pliant::lattice::Lattice;
use pliant::math::Vec3;
use pliant::{Body, Probe, Stage, World};
use pliant_scene::Scene;

use super::scene;
use crate::Failure;

/// An inner step: when it ended [s], its length [s], and the quantity measured then.
#[derive(Clone, Copy)]
pub struct Stride {
    pub time: f64,
    pub tau: f64,
    pub measured: f64,
}

/// Records inner steps, with a measured quantity for each.
pub struct Watch<F: Fn(&[Body]) -> f64> {
    pub start: f64,
    pub strides: Vec<Stride>,
    pub measure: F,
}

impl<F: Fn(&[Body]) -> f64> Probe for Watch<F> {
    fn enter(&mut self, _: Stage, _: Option<usize>) {}
    fn leave(&mut self) {}
    fn stride(&mut self, bodies: &[Body], elapsed: f64, tau: f64) {
        self.strides.push(Stride { time: self.start + elapsed, tau, measured: (self.measure)(bodies) });
    }
}

/// A scene that has run, with its inner steps.
pub struct Run {
    pub scene: Scene,
    pub strides: Vec<Stride>,
}

impl Run {
    /// Run a scene to its end, and measure something after each inner step.
    pub fn new(
        text: &str,
        name: &str,
        changes: &[(&str, &str)],
        measure: impl Fn(&[Body]) -> f64,
    ) -> Result<Run, Failure> {
        Run::of(scene(text, name, changes)?, &format!("{name} {changes:?}"), measure)
    }

    /// Run a scene that is already loaded to its end, and measure something after each inner step.
    pub fn of(mut scene: Scene, name: &str, measure: impl Fn(&[Body]) -> f64) -> Result<Run, Failure> {
        let steps = (scene.duration / scene.step).round() as usize;
        let mut watch = Watch { start: 0.0, strides: vec![], measure };
        for _ in 0..steps {
            watch.start = scene.world.time();
            let stepped = scene.world.step_probed(scene.step, &mut watch);
            stepped.map_err(|e| Failure::Run(format!("{name}: {e}")))?;
        }
        Ok(Run { scene, strides: watch.strides })
    }

    /// Mean length of an inner step [s].
    pub fn mean(&self) -> f64 {
        self.strides.iter().map(|s| s.tau).sum::<f64>() / self.strides.len().max(1) as f64
    }

    /// The shortest inner step [s].
    pub fn shortest(&self) -> f64 {
        self.strides.iter().map(|s| s.tau).fold(f64::INFINITY, f64::min)
    }

    pub fn solid(&self, n: usize) -> Result<&Lattice, Failure> {
        solid(&self.scene.world, n)
    }
}

/// A body of the model `lattice`. Fails if it is of another.
pub fn solid(world: &World, n: usize) -> Result<&Lattice, Failure> {
    match world.bodies().get(n) {
        Some(Body::Lattice(lattice)) => Ok(lattice),
        _ => Err(Failure::Run(format!("body {n} of the scene is no solid"))),
    }
}

/// Centre of mass, its velocity, and angular momentum about it.
pub struct Whole {
    pub centre: Vec3,
    pub velocity: Vec3,
    pub spin: Vec3,
}

impl Whole {
    pub fn of(body: &Lattice) -> Whole {
        let parts = || body.masses().iter().zip(body.places()).zip(body.velocities());
        let mass: f64 = body.masses().iter().sum();
        let centre = parts().map(|((m, p), _)| *p * *m).sum::<Vec3>() / mass;
        let velocity = parts().map(|((m, _), v)| *v * *m).sum::<Vec3>() / mass;
        let spin = parts().map(|((m, p), v)| (*p - centre).cross((*v - velocity) * *m)).sum();
        Whole { centre, velocity, spin }
    }
}

/// Inertia of a body about an axis through its centre [kg m2].
pub fn inertia(body: &Lattice, axis: Vec3) -> f64 {
    let centre = Whole::of(body).centre;
    let arm = |p: &Vec3| (*p - centre).cross(axis).length_squared();
    body.masses().iter().zip(body.places()).map(|(m, p)| m * arm(p)).sum()
}

/// Slope of a straight line fitted to logarithms: the power of x that y scales with.
pub fn exponent(points: &[[f64; 2]]) -> f64 {
    let logs: Vec<[f64; 2]> = points.iter().map(|p| p.map(f64::ln)).collect();
    let n = logs.len() as f64;
    let mean = |k: usize| logs.iter().map(|p| p[k]).sum::<f64>() / n;
    let (x, y) = (mean(0), mean(1));
    let (up, across) = logs.iter().fold((0.0, 0.0), |(u, a), p| (u + (p[0] - x) * (p[1] - y), a + (p[0] - x).powi(2)));
    up / across
}
