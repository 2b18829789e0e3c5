//! Theorem 1 and Lemma 1 of Lee et al.: how fast couplings between subsystems converge, from the matrices of (11) and
//! in a run with couplings as printed.
//!
//! For a straight cable the matrices follow from (1), (4), (9) and (10) alone, as derived: A = 2 M / T plus, for joints
//! within a subsystem, (T / 2 + t_d) J^T K J, with t_d the damping over the stiffness; S of a coupling is
//! ((T / 2 + t_d) K)^-1 + J A^-1 J^T of both sides. Moments count over the length of a link, so that all are forces.

use pliant::Body;

use super::{Results, run, scene};
use crate::Failure;
use pliant_record::short;

const WINDING: &str = include_str!("../../scenes/004-winding.toml");

/// Steps [s]; the paper's is the last but one, its "large" the last.
const STEPS: [f64; 6] = [5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2];

/// Segments and subsystems of the scene.
const SEGMENTS: usize = 80;
const RUNS: usize = 16;
/// Material, radius and length of its cable.
const YOUNG: f64 = 4.462e6;
const POISSON: f64 = 0.4999;
const DENSITY: f64 = 1100.0;
const RADIUS: f64 = 0.002;
const LENGTH: f64 = 0.4;
/// Damping over stiffness of the model, unless given [s].
const DAMPED: f64 = 1e-3;

/// A dense matrix, row by row.
#[derive(Clone)]
struct Dense {
    rows: Vec<Vec<f64>>,
}

impl Dense {
    fn zeros(rows: usize, columns: usize) -> Dense {
        Dense { rows: vec![vec![0.0; columns]; rows] }
    }

    fn columns(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }

    /// Add a block at a place, times a factor.
    fn add(&mut self, [row, column]: [usize; 2], block: &Dense, factor: f64) {
        for (to, from) in self.rows[row..].iter_mut().zip(&block.rows) {
            to[column..].iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
        }
    }

    fn transposed(&self) -> Dense {
        let rows = (0..self.columns()).map(|k| self.rows.iter().map(|row| row[k]).collect()).collect();
        Dense { rows }
    }

    fn times(&self, other: &Dense) -> Dense {
        let other = other.transposed();
        let row = |a: &Vec<f64>| other.rows.iter().map(|b| dot(a, b)).collect();
        Dense { rows: self.rows.iter().map(row).collect() }
    }

    /// The solution of this times x = `right`, by elimination with pivots.
    fn solve(&self, right: &Dense) -> Dense {
        let (mut a, mut b, n) = (self.clone(), right.clone(), self.rows.len());
        for k in 0..n {
            let pivot = (k..n).max_by(|i, j| a.rows[*i][k].abs().total_cmp(&a.rows[*j][k].abs())).unwrap_or(k);
            a.rows.swap(k, pivot);
            b.rows.swap(k, pivot);
            let (top, top_b) = (a.rows[k].clone(), b.rows[k].clone());
            for i in k + 1..n {
                let factor = a.rows[i][k] / top[k];
                a.rows[i].iter_mut().zip(&top).for_each(|(x, t)| *x -= factor * t);
                b.rows[i].iter_mut().zip(&top_b).for_each(|(x, t)| *x -= factor * t);
            }
        }
        for k in (0..n).rev() {
            for j in k + 1..n {
                let (factor, known) = (a.rows[k][j], b.rows[j].clone());
                b.rows[k].iter_mut().zip(&known).for_each(|(x, t)| *x -= factor * t);
            }
            let pivot = a.rows[k][k];
            b.rows[k].iter_mut().for_each(|x| *x /= pivot);
        }
        b
    }

    /// The largest singular value, by iteration with this transposed times this.
    fn norm(&self) -> f64 {
        let turned = self.transposed();
        let apply = |m: &Dense, v: &[f64]| m.rows.iter().map(|row| dot(row, v)).collect::<Vec<f64>>();
        growth(self.columns(), |v| apply(&turned, &apply(self, v))).sqrt()
    }

    /// The largest eigenvalue in size, of a matrix whose eigenvalues are real.
    fn radius(&self) -> f64 {
        growth(self.columns(), |v| self.rows.iter().map(|row| dot(row, v)).collect())
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// By how much a vector grows at last.
fn growth(size: usize, apply: impl Fn(&[f64]) -> Vec<f64>) -> f64 {
    let mut v: Vec<f64> = (0..size).map(|n| 1.0 + 0.5 * (n as f64 * 0.7).sin()).collect();
    let mut size = 0.0;
    for _ in 0..2000 {
        let length = dot(&v, &v).sqrt();
        if length == 0.0 {
            return 0.0;
        }
        v.iter_mut().for_each(|x| *x /= length);
        v = apply(&v);
        size = dot(&v, &v).sqrt();
    }
    size
}

/// Jacobians of a joint by the velocities of the link before and behind it: stretch and shear at half a link from both
/// centres, bend and torsion. The cable is along z.
fn jacobians(link: f64) -> [Dense; 2] {
    let mut both = [Dense::zeros(6, 6), Dense::zeros(6, 6)];
    for (jacobian, sign) in both.iter_mut().zip([-1.0, 1.0]) {
        for k in 0..6 {
            jacobian.rows[k][k] = sign;
        }
        // turning about y moves the end ahead along x, and the end behind of the next link against it
        jacobian.rows[0][4] = -0.5 * link;
        jacobian.rows[1][3] = 0.5 * link;
    }
    both
}

/// S of (11) for a cable of links in runs, in steps [s], with damping over stiffness [s].
fn couplings(segments: usize, runs: usize, step: f64, damped: f64) -> Dense {
    let link = LENGTH / segments as f64;
    let (area, bend) = (std::f64::consts::PI * RADIUS * RADIUS, 0.25 * std::f64::consts::PI * RADIUS.powi(4));
    let (mass, shear) = (DENSITY * area * link, 0.5 * YOUNG / (1.0 + POISSON));
    let across = DENSITY * bend * link + mass * link * link / 12.0;
    let inertia = [mass, mass, mass, across, across, 2.0 * DENSITY * bend * link];
    let stiffness =
        [shear * area, shear * area, YOUNG * area, YOUNG * bend, YOUNG * bend, 2.0 * shear * bend].map(|k| k / link);
    let held = 0.5 * step + damped;
    let [before, behind] = jacobians(link);
    let per = segments / runs;
    let mut run = Dense::zeros(6 * per, 6 * per);
    for n in 0..6 * per {
        run.rows[n][n] = 2.0 / step * inertia[n % 6];
    }
    for joint in 0..per - 1 {
        let mut both = Dense::zeros(6, 6 * per);
        both.add([0, 6 * joint], &before, 1.0);
        both.add([0, 6 * joint + 6], &behind, 1.0);
        let mut weighted = both.clone();
        weighted.rows.iter_mut().zip(stiffness).for_each(|(row, k)| row.iter_mut().for_each(|x| *x *= held * k));
        run.add([0, 0], &both.transposed().times(&weighted), 1.0);
    }
    // a run moves at its last link by the coupling after it, at its first by the one before
    let (mut last, mut first) = (Dense::zeros(6, 6 * per), Dense::zeros(6, 6 * per));
    last.add([0, 6 * (per - 1)], &before, 1.0);
    first.add([0, 0], &behind, 1.0);
    let (by_last, by_first) = (run.solve(&last.transposed()), run.solve(&first.transposed()));
    let (own_last, own_first, through) = (last.times(&by_last), first.times(&by_first), first.times(&by_last));
    let count = runs - 1;
    let mut s = Dense::zeros(6 * count, 6 * count);
    for n in 0..count {
        let at = 6 * n;
        s.add([at, at], &own_last, 1.0);
        s.add([at, at], &own_first, 1.0);
        for k in 0..6 {
            s.rows[at + k][at + k] += 1.0 / (held * stiffness[k]);
        }
        if n + 1 < count {
            s.add([at, at + 6], &through, 1.0);
            s.add([at + 6, at], &through.transposed(), 1.0);
        }
    }
    // moments over the length of a link
    let scale = |n: usize| if n % 6 < 3 { 1.0 } else { link };
    for (i, row) in s.rows.iter_mut().enumerate() {
        row.iter_mut().enumerate().for_each(|(j, x)| *x *= scale(i) * scale(j));
    }
    s
}

/// (S_d + S_l)^-1 S_u, which (13) multiplies an error of the couplings with.
fn iteration(s: &Dense) -> Dense {
    let (mut lower, mut upper) = (s.clone(), s.clone());
    for (i, (low, up)) in lower.rows.iter_mut().zip(&mut upper.rows).enumerate() {
        for j in 0..low.len() {
            *(if j / 6 > i / 6 { &mut low[j] } else { &mut up[j] }) = 0.0;
        }
    }
    lower.solve(&upper)
}

/// Of a run with couplings as printed: iterations a step, and steps at the limit.
fn wound(step: f64, alpha: &str, epsilon: &str) -> Result<[f64; 2], Failure> {
    let step = step.to_string();
    let changes = [
        ("step", step.as_str()),
        ("duration", "2.0"),
        ("body.cable.cable.couplings", "printed"),
        ("body.cable.cable.subsystems", "16"),
        ("body.cable.cable.alpha", alpha),
        ("body.cable.cable.epsilon", epsilon),
    ];
    let mut scene = scene(WINDING, "004-winding.toml", &changes)?;
    let steps = scene.steps() as f64;
    run(&mut scene, |_| Ok(()))?;
    let Some(Body::Cable(cable)) = scene.world.bodies().first() else {
        return Err(Failure::Run("the scene's first body is no cable".into()));
    };
    let counters = cable.counters();
    Ok([counters.iterations as f64 / cable.linearisations().max(1) as f64, counters.limit_hits as f64 / steps])
}

/// Norms of the theorem over the step, and what runs do.
pub fn convergence(results: &mut Results) -> Result<(), Failure> {
    results.choice("cable", "80 segments in 16 subsystems of the scene of Table I, straight, for the norms");
    results.choice("norm", "the largest singular value; moments count over the length of a link");
    results.choice("damping", "as the model has it, 1 ms times stiffness, and none");
    let mut norms = vec![];
    for step in STEPS {
        let [damped, free] = [DAMPED, 0.0].map(|damped| iteration(&couplings(SEGMENTS, RUNS, step, damped)));
        let ms = 1e3 * step;
        let gamma = free.norm();
        results.statement(
            format!("steps of {ms} ms: |(S_d + S_l)^-1 S_u| without damping, below 1 (Lemma 1)"),
            "-",
            gamma,
            gamma < 1.0,
        );
        let gamma = damped.norm();
        results.statement(format!("steps of {ms} ms: the same with damping"), "-", gamma, gamma < 1.0);
        let radius = damped.radius();
        results.statement(
            format!("steps of {ms} ms: what an iteration leaves of an error in the end, below 1 (\"convergence is still possible\")"),
            "-",
            radius,
            radius < 1.0,
        );
        norms.push(free.norm());
    }
    results.statement(
        "the norm at 0.5 ms over that at 20 ms, below 1 (\"by reducing T we reduce |F|\")",
        "-",
        norms[0] / norms[STEPS.len() - 1],
        norms[0] < norms[STEPS.len() - 1],
    );
    let mut said = vec![];
    for step in STEPS {
        results.talk(&format!("winding in steps of {} ms", 1e3 * step));
        let [iterations, limited] = wound(step, "0.97", "1e-5")?;
        said.push(format!("{} at {} ms", short(iterations), 1e3 * step));
        results.statement(
            format!("winding 2 s in steps of {} ms, couplings as printed: steps at the limit, none", 1e3 * step),
            "%",
            100.0 * limited,
            limited == 0.0,
        );
    }
    results.remark(format!("Iterations over couplings in each linearisation: {}.", said.join(", ")));
    for (alpha, epsilon) in [("0.8", "1e-5"), ("0.97", "1e-3")] {
        let [iterations, limited] = wound(5e-3, alpha, epsilon)?;
        results.remark(format!(
            "In steps of 5 ms with alpha = {alpha} and epsilon = {epsilon}: {} iterations, {} % of steps at the limit.",
            short(iterations),
            short(100.0 * limited)
        ));
    }
    results.remark("S is symmetric and positive, so that block Gauss-Seidel always converges; the theorem needs the stronger norm.");
    Ok(())
}
