//! Recorded responses of a surface to unit forces, as in Tagawa, Hirota and Hirose: by integration in time, for each
//! axis of each node that may be touched ("A study on haptic interaction and simulation of motion and deformation of
//! elastic object", 3.1).

use crate::algebra::pool::with_threads;
use crate::dynamics::direct::Direct;
use crate::dynamics::response::{Damping, Sampling, Timing};
use crate::elements::element::{Elastic, MassKind, Order};
use crate::elements::model::{Grid, Model};
use crate::error::{FemError, PrecomputeError};
use crate::mesh::TetMesh;
use crate::precompute::digest::{Digest, Digester};
use crate::precompute::recipe::{Watcher, check_fixed, digest_body, digest_fixed, hull};
use crate::precompute::store::{Begun, Frame, Part, VERSION, open_records};
use crate::progress::{Progress, Stage};
use pliant::math::Vec3;
use pliant::response::Records;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;

/// Everything that determines the recorded responses of a solid.
#[derive(Clone, Debug, PartialEq)]
pub struct TableRecipe {
    /// The mesh.
    pub mesh: TetMesh,
    /// Its material.
    pub elastic: Elastic,
    /// Order of the elements.
    pub order: Order,
    /// Kind of mass matrix.
    pub mass: MassKind,
    /// Nodes that are held in place, in ascending order; none of a free body.
    pub fixed: Vec<usize>,
    /// Rayleigh damping.
    pub damping: Damping,
    /// Samples and sub-steps.
    pub timing: Timing,
    /// Nodes that forces act on, as distinct indices into the nodes of the surface.
    pub touched: Vec<u32>,
}

/// Largest number of responses that one thread computes together: they share each pass over the factor.
const TOGETHER: usize = 12;

/// Limit on the memory of the responses computed together [bytes].
const MOST_BYTES: u64 = 256 << 20;

impl TableRecipe {
    /// Digest of everything that determines the result, and of the version of the file format.
    pub fn digest(&self) -> Digest {
        let mut digester = Digester::new("pliant records", VERSION);
        digest_body(&mut digester, &self.mesh, &self.elastic, self.order, self.mass);
        let timing = &self.timing;
        [self.damping.mass, self.damping.stiffness, timing.sample].into_iter().for_each(|x| digester.number(x));
        digester.count(timing.substeps);
        digester.count(timing.samples);
        digester.count(match timing.sampling {
            Sampling::End => 1,
            Sampling::Mean => 2,
        });
        digester.count(self.touched.len());
        self.touched.iter().for_each(|node| digester.count(*node as usize));
        digest_fixed(&mut digester, &self.fixed);
        digester.finish()
    }

    /// Number of unknowns of the body, and number of surface nodes.
    pub fn size(&self) -> (usize, usize) {
        let grid = Grid::new(&self.mesh, self.order);
        (3 * grid.nodes.len(), grid.surface.nodes.len())
    }

    /// Fails if a parameter is out of range or a touched node does not exist.
    pub fn check(&self) -> Result<(), FemError> {
        self.elastic.check()?;
        self.damping.check()?;
        self.timing.check()?;
        let (unknowns, count) = self.size();
        check_fixed(&self.fixed, unknowns / 3)?;
        if self.touched.is_empty() {
            return Err(FemError::Parameter {
                what: "the number of nodes touched",
                expected: "at least 1",
                value: 0.0,
            });
        }
        match self.touched.iter().find(|node| **node as usize >= count) {
            Some(node) => Err(FemError::NoSuch { what: "a node touched", index: *node as usize, count }),
            None => Ok(()),
        }
    }

    /// Record all responses to a file with this many threads, and open it. Work in progress is kept in the same name
    /// plus `.part`, and valid responses in it are reused. `watch` is called with the progress and may stop it.
    pub fn record(&self, path: &Path, threads: usize, watch: Watcher<'_>) -> Result<Records, PrecomputeError> {
        self.check()?;
        let model = with_threads(threads, || Model::new(&self.mesh, &self.elastic, self.order, self.mass))?;
        let model = if self.fixed.is_empty() { model } else { model.fix(&self.fixed)? };
        let frame = Frame {
            digest: self.digest(),
            hull: hull(&model),
            sample: self.timing.sample,
            samples: self.timing.samples,
            touched: self.touched.clone(),
        };
        let (part, found) = match Part::open(path, &frame)? {
            Begun::Part(part, found) => (part, found),
            Begun::Complete(records) => return Ok(records),
        };
        let part = Mutex::new(part);
        // with few responses, split them so that two threads have work
        let together = frame.responses().div_ceil(2).min(TOGETHER);
        let together = (MOST_BYTES / frame.bytes().max(1)).clamp(1, together as u64) as usize;
        let all: Vec<usize> = (0..frame.responses()).collect();
        // always the same groups, so that an interruption does not change a bit of the result
        let missing: Vec<&[usize]> = all.chunks(together).filter(|chunk| chunk.iter().any(|n| !found[*n])).collect();
        if !missing.is_empty() {
            self.fill(&model, &missing, &part, threads, watch)?;
        }
        part.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()).finish(path)?;
        Ok(open_records(path, Some(frame.digest))?)
    }

    /// Compute responses in groups and write each to disk.
    fn fill(
        &self,
        model: &Model,
        missing: &[&[usize]],
        part: &Mutex<Part>,
        threads: usize,
        watch: Watcher<'_>,
    ) -> Result<(), PrecomputeError> {
        let unknowns = model.surface_unknowns();
        let (samples, total) = (self.timing.samples, missing.len() * self.timing.samples);
        let heard = Mutex::new((0, ControlFlow::Continue(()), watch));
        let mut failed = None;
        let outcome = with_threads(threads, || {
            let direct = Direct::new(model, &self.damping, &self.timing)?;
            let work = |chunk: &&[usize]| -> Result<(), PrecomputeError> {
                let force = |response: &usize| {
                    let node = self.touched[response / 3] as usize;
                    let mut force = vec![0.0; model.unknowns()];
                    force[unknowns[3 * node + response % 3]] = 1.0;
                    force
                };
                let forces: Vec<Vec<f64>> = chunk.iter().map(force).collect();
                let forces: Vec<&[f64]> = forces.iter().map(|force| &force[..]).collect();
                let responses = direct.respond(&forces, &mut |_| {
                    let mut heard = heard.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                    let (done, flow, watch) = &mut *heard;
                    if flow.is_continue() {
                        *flow = watch(Progress { stage: Stage::Integrating, done: *done, of: total });
                        *done += 1;
                    }
                    *flow
                })?;
                let mut part = part.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                for (response, found) in chunk.iter().zip(&responses) {
                    debug_assert_eq!(found.samples, samples);
                    part.write(*response, &found.values)?;
                }
                Ok(())
            };
            failed = missing.par_iter().try_for_each(work).err();
            Ok(())
        });
        outcome?;
        failed.map_or(Ok(()), Err)
    }
}

/// The surface nodes nearest to points [m], as distinct indices in ascending order.
pub fn nearest_nodes(mesh: &TetMesh, order: Order, points: &[Vec3]) -> Vec<u32> {
    let grid = Grid::new(mesh, order);
    let nearest = |point: &Vec3| {
        let apart = |n: &usize| grid.nodes[grid.surface.nodes[*n]].distance_squared(*point);
        (0..grid.surface.nodes.len()).min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap_or(0) as u32
    };
    let mut nodes: Vec<u32> = points.iter().map(nearest).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}
