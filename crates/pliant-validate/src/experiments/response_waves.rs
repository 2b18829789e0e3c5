//! Displacements of the surface of the cube after an impulse, including rigid motion, and their pictures.

use pliant::math::Vec3;
use pliant_fem::{Model, Response, Timing};

use super::Results;
use super::response_cube::{SAMPLE, SIDE, largest};
use super::response_impulse::INSTANTS;
use pliant_record::drawing::{Curve, Drawing, Note, nice_below};

/// Displacements of the surface nodes after 1 N downward for one sample.
pub struct Wave {
    times: Vec<f64>,
    moved: Vec<Vec<Vec3>>,
    /// Largest displacement of a node without rigid motion [m].
    pub largest: f64,
    /// Index of the middle node of the top among the surface nodes.
    pub loaded_node: usize,
}

/// Downward displacement of the body as a whole at a time, pushed by 1 N for a sample [m].
fn drift(mass: f64, time: f64) -> f64 {
    let pushed = time.min(SAMPLE);
    (0.5 * pushed * pushed + pushed * (time - pushed)) / mass
}

fn vectors(list: &[f64]) -> Vec<Vec3> {
    list.as_chunks::<3>().0.iter().map(|u| Vec3::from_array(*u)).collect()
}

impl Wave {
    /// From a response sampled by means; each counts for the end of its sample.
    pub fn sampled(model: &Model, response: &Response, timing: &Timing) -> Wave {
        let mass = model.rigid().mass;
        let h = timing.substep();
        let rows = (0..response.samples).map(|s| {
            let ends = (1..=timing.substeps).map(|k| drift(mass, s as f64 * timing.sample + k as f64 * h));
            let drift = ends.sum::<f64>() / timing.substeps as f64;
            ((s + 1) as f64 * timing.sample, vectors(response.sample(s)), drift)
        });
        Wave::new(model, rows.collect())
    }

    /// From a response to a force lasting a fraction of the paper's sample: the sum of as many in succession.
    pub fn summed(model: &Model, response: &Response, step: f64) -> Wave {
        let (mass, count) = (model.rigid().mass, (SAMPLE / step).round() as usize);
        let rows = (0..response.samples).map(|s| {
            let mut sum = vec![0.0; response.sample(s).len()];
            for k in 0..count.min(s + 1) {
                sum.iter_mut().zip(response.sample(s - k)).for_each(|(sum, u)| *sum += u);
            }
            let time = (s + 1) as f64 * step;
            (time, vectors(&sum), drift(mass, time))
        });
        Wave::new(model, rows.collect())
    }

    fn new(model: &Model, rows: Vec<(f64, Vec<Vec3>, f64)>) -> Wave {
        let most = largest(rows.iter().flat_map(|(_, moved, _)| moved).map(|u| u.length()));
        let middle = Vec3::new(0.0, 0.0, 0.5 * SIDE);
        let nodes = &model.surface().nodes;
        let apart = |n: &usize| model.nodes()[nodes[*n]].distance(middle);
        let loaded_node = (0..nodes.len()).min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap_or(0);
        let (mut times, mut all) = (vec![], vec![]);
        for (time, moved, drift) in rows {
            times.push(time);
            all.push(moved.iter().map(|u| *u - Vec3::Z * drift).collect());
        }
        Wave { times, moved: all, largest: most, loaded_node }
    }

    /// Displacements at the end of the sample nearest to a time [m].
    pub fn at(&self, time: f64) -> &[Vec3] {
        let nearest = |n: &usize| (self.times[*n] - time).abs();
        let n = (0..self.times.len()).min_by(|a, b| nearest(a).total_cmp(&nearest(b))).unwrap_or(0);
        &self.moved[n]
    }

    /// Largest displacement up to a time of the node that has moved least, relative to the largest of all [-].
    pub fn least_moved(&self, until: f64) -> f64 {
        let shown = self.times.iter().filter(|t| **t <= until + 1e-9).count();
        let most = |node: usize| largest(self.moved[..shown].iter().map(|moved| moved[node].length()));
        (0..self.moved[0].len()).map(most).fold(f64::INFINITY, f64::min) / self.largest
    }

    /// When every node has been displaced by a fraction of the largest displacement [s].
    pub fn all_moved(&self, part: f64) -> Option<f64> {
        let first = |node: usize| {
            let n = self.moved.iter().position(|moved| moved[node].length() >= part * self.largest)?;
            Some(self.times[n])
        };
        (0..self.moved[0].len()).map(first).try_fold(0.0, |last, time| Some(f64::max(last, time?)))
    }
}

/// Draw outlines of the section y = 0 through the surface, displaced and magnified, at all instants.
pub fn draw(results: &mut Results, model: &Model, waves: [&Wave; 2]) {
    let nodes: Vec<Vec3> = model.surface().nodes.iter().map(|n| model.nodes()[*n]).collect();
    let mut around: Vec<usize> = (0..nodes.len()).filter(|n| nodes[*n].y.abs() < 1e-9).collect();
    around.sort_by(|a, b| nodes[*a].z.atan2(nodes[*a].x).total_cmp(&nodes[*b].z.atan2(nodes[*b].x)));
    around.extend(around.first().copied());
    let (mut curves, mut notes, mut labels) = (vec![], vec![], vec!["at rest".into()]);
    for (row, (wave, name)) in waves.into_iter().zip(["point (Fig. 2)", "plane (Fig. 3)"]).enumerate() {
        labels.push(format!("by a {name}; displacements times the number below"));
        for (column, time) in INSTANTS.into_iter().enumerate() {
            // each scaled separately, since a point moves far more at first: the largest drawn is a quarter of the side
            let scale = nice_below(0.25 * SIDE / largest(around.iter().map(|n| wave.at(time)[*n].length())));
            let at = Vec3::new(1.6 * SIDE * column as f64, 0.0, -1.9 * SIDE * row as f64);
            let curve = |factor: f64, label: usize| Curve {
                points: around
                    .iter()
                    .map(|n| nodes[*n] + wave.at(time)[*n] * factor + at)
                    .map(|p| [p.x, p.z])
                    .collect(),
                label,
            };
            curves.push(curve(0.0, 0));
            curves.push(curve(scale, 1 + row));
            notes.push(Note { at: [at.x, at.z - 0.95 * SIDE], text: format!("{:.0} ms, times {scale}", 1e3 * time) });
        }
    }
    let title = "A cut through the cube after an impulse of 1 N for 2 ms on its top (Fig. 2, 3)".into();
    results.drawings.push(("002-impulse".into(), Drawing { title, labels, curves, notes }));
}
