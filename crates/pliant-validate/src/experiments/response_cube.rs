//! The cube of Tagawa, Hirota and Hirose: what all their experiments share.

use std::ops::ControlFlow;

use pliant::math::Vec3;
use pliant::response::{Basis, Response};
use pliant::{Body, Frame, World};
use pliant_fem::{
    Elastic, FemError, Found, MassKind, Model, Order, Progress, Recipe, TetMesh, basis_of, basis_path, cache_folder,
};

use super::lattice_pictures::Picture;
use super::{Results, run, scene};
use crate::Failure;

/// Length of a side [m].
pub const SIDE: f64 = 0.1;

/// Cells along a side, of five tetrahedra each: this number gives Table 1.
pub const CELLS: usize = 12;

/// Length of a sample [s].
pub const SAMPLE: f64 = 2e-3;

/// Number of modes it is simulated with.
pub const MODES: usize = 300;

/// Time that the paper allows for computing a force [s].
pub const PAPER_TIME: f64 = 0.5e-3;

/// Its material.
pub const ELASTIC: Elastic = Elastic { young: 2000.0, poisson: 0.49, density: 110.0 };

pub fn fem(error: impl std::fmt::Display) -> Failure {
    Failure::Run(format!("the cube: {error}"))
}

/// The recipe of the cube, as in the scenes.
pub fn recipe() -> Result<Recipe, Failure> {
    let mesh = TetMesh::cube(CELLS, SIDE).and_then(|mesh| mesh.mapped(|at| at - Vec3::splat(0.5 * SIDE)));
    Ok(Recipe { order: Order::Linear, ..Recipe::new(mesh.map_err(fem)?, ELASTIC, MODES) })
}

/// A scene with the cube, of this many cells along a side, for this time [s]: settings of the model, and what comes after.
pub fn scene_text(cells: usize, duration: f64, settings: &str, rest: &str) -> String {
    format!(
        r#"
title    = "The cube of Tagawa, Hirota and Hirose"
duration = {duration}
step     = {SAMPLE}
gravity  = [0, 0, 0]
[material.foam]
young    = {}
poisson  = {}
density  = {}
[[body]]
name     = "cube"
model    = "response"
material = "foam"
solid    = {{ box = {{ size = [{SIDE}, {SIDE}, {SIDE}], cells = [{cells}, {cells}, {cells}] }} }}
response = {{ element = "linear", {settings} }}
{rest}"#,
        ELASTIC.young, ELASTIC.poisson, ELASTIC.density
    )
}

pub fn model() -> Result<Model, Failure> {
    let recipe = recipe()?;
    Model::new(&recipe.mesh, &recipe.elastic, recipe.order, MassKind::Consistent).map_err(fem)
}

/// Number of threads to compute with.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A progress callback that never stops.
pub fn go_on(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Its modes, from the cache or computed now.
pub fn basis(results: &Results) -> Result<Basis, Failure> {
    let (recipe, folder) = (recipe()?, cache_folder());
    if !basis_path(&recipe, &folder).exists() {
        results.talk(&format!("computing {MODES} modes of the cube, which takes some seconds and is done once"));
    }
    let (basis, found): (Basis, Found) =
        basis_of(&recipe, &folder, threads(), &mut go_on).map_err(|error: FemError| fem(error))?;
    if let Some(warning) = found.warning() {
        results.talk(&format!("warning: {warning}"));
    }
    Ok(basis)
}

/// Choices common to all these experiments.
pub fn common_choices(results: &mut Results) {
    results.choice(
        "mesh",
        "12 x 12 x 12 cells of 5 linear tetrahedra with consistent mass; the paper gives the numbers of Table 1 only",
    );
}

/// The first body as a solid of the model `response`. Fails if it is of another.
pub fn solid(world: &World) -> Result<&Response, Failure> {
    match world.bodies().first() {
        Some(Body::Response(solid)) => Ok(solid),
        _ => Err(Failure::Run("the scene's first body is not of the model response".into())),
    }
}

/// Observations of a cube after a step.
pub struct Seen {
    pub frame: Frame,
    /// Centre of mass [m] and its velocity [m/s].
    pub place: Vec3,
    pub velocity: Vec3,
    /// Wall time of the step [s]; zero at the start.
    pub took: f64,
}

impl Seen {
    fn of(world: &World, took: f64) -> Result<Seen, Failure> {
        let motion = solid(world)?.motion();
        Ok(Seen { frame: world.frame(), place: motion.place, velocity: motion.velocity, took })
    }
}

/// All steps of a scene with one cube, and its facets.
pub struct Course {
    pub seen: Vec<Seen>,
    pub facets: Vec<[u32; 3]>,
    pub mass: f64,
    pub step: f64,
}

impl Course {
    /// Run a scene to its end.
    pub fn new(text: &str, name: &str, changes: &[(&str, &str)]) -> Result<Course, Failure> {
        let mut scene = scene(text, name, changes)?;
        let mut seen = vec![];
        run(&mut scene, |moment| {
            seen.push(Seen::of(moment.world, moment.took.as_secs_f64())?);
            Ok(())
        })?;
        let body = solid(&scene.world)?;
        Ok(Course { seen, facets: body.facets().to_vec(), mass: body.mass(), step: scene.step })
    }

    /// The observation nearest to a time.
    pub fn at(&self, time: f64) -> &Seen {
        let n = (time / self.step).round().max(0.0) as usize;
        &self.seen[n.min(self.seen.len() - 1)]
    }

    /// Median wall time of the steps that satisfy `pass` [s].
    pub fn median(&self, pass: impl Fn(&Seen) -> bool) -> f64 {
        median(self.seen[1..].iter().filter(|s| pass(s)).map(|s| s.took).collect())
    }

    /// Draw the surface at a step, only facets that face the eye, shifted on paper.
    pub fn draw(&self, picture: &mut Picture, seen: &Seen, colour: usize, moved: [f64; 2]) {
        picture.surface(&seen.frame.bodies[0].nodes, &self.facets, colour, moved);
    }
}

/// The median; NaN if there are no values.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The largest value, at least zero.
pub fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}
