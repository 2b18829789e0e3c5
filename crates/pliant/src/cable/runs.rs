//! Runs of links that are solved one by one, and the couplings between them: the parts of Algorithm 1 of the paper. A
//! cable in one run is its direct solver.
//!
//! One iteration is `sweep` for each run, which touches nothing but what belongs to the run, then pairs, then `couple`.

use super::answers::{Answer, Answering, carry, product, spread, spread_down, spread_from};
use super::block::{Mat6, Vec6, ZERO, add_scaled, dot, times, times_transposed};
use super::cuts::{Cut, Motion};
use super::params::{CableSettings, Solver};
use super::projection::Local;
use super::step::{LinkState, Links, StepScratch};
use super::touch::velocity;

/// Consecutive links.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// First link, and the one after the last.
    links: [usize; 2],
    /// First touch, and the one after the last.
    touches: [usize; 2],
    /// Velocity of the last link per push on the first; by columns.
    through: Mat6,
    /// Velocity of the last link with the push on the first in it.
    last: Vec6,
    /// Pushes on the first and the last link by the couplings, not yet in the velocities.
    pushes: [Vec6; 2],
}

/// A touch with an obstacle.
#[derive(Clone, Copy, Debug)]
pub struct Touched {
    link: usize,
    rows: [Vec6; 3],
    /// Velocity of the link per force of each axis.
    moves: [Vec6; 3],
    /// Force and law.
    pub local: Local,
}

/// The runs of a cable, and working memory for them.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    runs: Vec<Run>,
    cuts: Vec<Cut>,
    answers: Vec<Answer>,
    diagonal: Vec<Mat6>,
    own: Vec<Vec6>,
    old: Vec<Vec6>,
    /// Change of the mean velocities by the linearised equations.
    pub change: Vec<Vec6>,
    /// Touches in order of links.
    pub touched: Vec<Touched>,
    /// Most iterations.
    pub limit: u32,
    regulated: bool,
    /// Weights of strains at cuts: forces, moments over the length of a link [N].
    weights: Vec6,
    /// Sum of the squares of the loads of cut joints [N2].
    loads: f64,
    /// Square of the first change by contacts in (16).
    first: f64,
    /// How far contacts have moved their links in the iteration, weighted by inertia.
    pub moved: f64,
}

/// (16) allows a change by contacts in iteration l of XI ALPHA^l times that of the first. The paper does not say what it
/// took; a bound that the first change exceeds would freeze contacts from the start.
const XI: f64 = 1.0;
/// See `XI`.
const ALPHA: f64 = 0.97;

/// Couplings have converged when they change by this part of the loads of their joints. For 16 stiffly
/// coupled masses block Gauss and Seidel's method keeps cos^2(pi/16) = 0.96 of an error in each iteration, so that what is
/// left is many times the last change. Chosen by trial: at 1e-3 a draped cable's end force was 4 % off, at 1e-5 0.1 %.
const COUPLED: f64 = 1e-5;

/// Contacts have converged when they change velocities by this part.
const SWEPT: f64 = 1e-5;

impl Runs {
    /// For a number of links; none for a solver that needs no runs.
    pub fn new(count: usize, settings: &CableSettings) -> Runs {
        let runs = match settings.solver {
            Solver::Newton => return Runs::default(),
            Solver::Direct => 1,
            Solver::Subsystems => settings.subsystems.min(count / 2).max(1),
        };
        Runs::with(count, runs, settings.iterations, settings.post_regulation)
    }

    fn with(count: usize, runs: usize, limit: u32, regulated: bool) -> Runs {
        let zeros = vec![[0.0; 6]; count];
        let run = |n: usize| Run {
            links: [n * count / runs, (n + 1) * count / runs],
            touches: [0; 2],
            through: ZERO,
            last: [0.0; 6],
            pushes: [[0.0; 6]; 2],
        };
        Runs {
            runs: (0..runs).map(run).collect(),
            cuts: (1..runs).map(|n| Cut::new(n * count / runs - 1)).collect(),
            answers: vec![Answer::default(); count],
            diagonal: vec![ZERO; count],
            own: zeros.clone(),
            old: zeros.clone(),
            change: zeros,
            limit,
            regulated,
            ..Runs::default()
        }
    }

    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Whether the cable is cut.
    pub fn is_cut(&self) -> bool {
        !self.cuts.is_empty()
    }

    /// Room for touches.
    pub fn reserve(&mut self, touches: usize) {
        self.touched.reserve(touches);
    }

    /// One run for a cable with another solver that touches one with this.
    pub fn provide(&mut self, count: usize) {
        if self.is_empty() {
            *self = Runs::with(count, 1, 0, false);
        }
    }

    /// Which run a link is in: its first link and the one after its last.
    fn span(&self, link: usize) -> [usize; 2] {
        let behind = self.runs.partition_point(|r| r.links[1] <= link);
        self.runs[behind].links
    }

    /// How a link moves by a push on it.
    pub fn answer(&self, link: usize, push: &Vec6) -> Vec6 {
        times_transposed(&self.answers[link].own, push)
    }

    /// How another link moves where one has moved by a push on it; none where it is in another run.
    pub fn carried(&self, from: usize, to: usize, own: &Vec6) -> Option<Vec6> {
        let [first, end] = self.span(from);
        (first..end).contains(&to).then(|| carry(&self.answers[first..end], from - first, to - first, own))
    }

    /// Move a run by a link that was pushed and has moved by `own`.
    pub fn push(&mut self, links: &Links, link: usize, own: &Vec6) {
        let [first, end] = self.span(link);
        spread_from(&self.answers[first..end], link - first, own, &mut self.change[first..end]);
        self.moved += weighted(&links.inertia, own);
    }

    /// An iteration begins.
    pub fn begin(&mut self) {
        self.moved = 0.0;
        self.old.copy_from_slice(&self.change);
        for touched in &mut self.touched {
            touched.local.old = touched.local.force;
        }
    }

    /// (15) for every run: each on its own data alone.
    pub fn sweep(&mut self, links: &Links) {
        let Runs { runs, answers, own, change, touched, moved, .. } = self;
        for run in runs.iter() {
            let ([first, end], [from, to]) = (run.links, run.touches);
            if from == to {
                continue;
            }
            *moved += sweep_run(
                &links.inertia,
                first,
                &answers[first..end],
                &mut touched[from..to],
                &mut own[first..end],
                &mut change[first..end],
            );
        }
    }

    /// Take back part of what contacts have changed in the iteration.
    pub fn shorten(&mut self, kept: f64) {
        for (v, old) in self.change.iter_mut().zip(&self.old) {
            *v = std::array::from_fn(|k| old[k] + kept * (v[k] - old[k]));
        }
        self.touched.iter_mut().for_each(|t| t.local.shorten(kept));
    }

    /// Couplings follow by (13). True where what changes is small: couplings against the loads of their joints, or where
    /// there are none velocities against `size`, the sum of their squares.
    pub fn couple(&mut self, size: f64) -> bool {
        if !self.is_cut() {
            return self.moved <= SWEPT * SWEPT * size;
        }
        let changed = self.update();
        self.runs.iter().for_each(|run| {
            let [first, end] = run.links;
            push_ends(&self.answers[first..end], &run.pushes, &mut self.change[first..end]);
        });
        changed <= COUPLED * COUPLED * self.loads
    }

    /// (16): how much of what contacts have changed is kept. The paper drops all of a change that is too large, which may
    /// then never be made up for; a part of it is as bounded, and no contact is frozen.
    pub fn regulation(&mut self, iteration: u32) -> f64 {
        if !self.regulated {
            return 1.0;
        }
        let mut size = 0.0;
        for cut in &self.cuts {
            let [a, b] = [cut.link, cut.link + 1]
                .map(|i| -> Vec6 { std::array::from_fn(|k| self.change[i][k] - self.old[i][k]) });
            // C f as a change of the coupling
            size += weighted(&self.weights, &times(&cut.inverse, &cut.strain([&a, &b])));
        }
        if iteration == 1 {
            self.first = size;
        }
        let bound = XI * ALPHA.powi(iteration as i32 - 1) * self.first.sqrt();
        if size > bound * bound { bound / size.sqrt() } else { 1.0 }
    }

    /// (13): one pass along the cuts. Returns by how much the couplings changed.
    fn update(&mut self) -> f64 {
        for run in &mut self.runs {
            run.pushes = [[0.0; 6]; 2];
            run.last = self.change[run.links[1] - 1];
        }
        let mut changed = 0.0;
        for (n, cut) in self.cuts.iter_mut().enumerate() {
            let [a, b] = &mut self.runs[n..n + 2] else { break };
            let strain = cut.strain([&a.last, &self.change[b.links[0]]]);
            let more = times(&cut.inverse, &std::array::from_fn(|k| strain[k] - cut.y[k]));
            add_scaled(&mut cut.y, 1.0, &more);
            changed += weighted(&self.weights, &more);
            let push = |m: &Mat6| times(m, &more).map(|x| -x);
            a.push(1, &push(&cut.pushes[0]));
            b.push(0, &push(&cut.pushes[1]));
        }
        changed
    }
}

impl Run {
    /// Push on the first or the last link. Of velocities, the last link's alone is brought up to date: the cut behind it
    /// is still to come.
    fn push(&mut self, end: usize, push: &Vec6) {
        add_scaled(&mut self.pushes[end], 1.0, push);
        if end == 0 {
            add_scaled(&mut self.last, 1.0, &times_transposed(&self.through, push));
        }
    }
}

/// Sum of squares by weights.
fn weighted(weights: &Vec6, v: &Vec6) -> f64 {
    (0..6).map(|k| weights[k] * v[k] * v[k]).sum()
}

/// One pass of projected Gauss and Seidel's method over the touches of a run, up along it; on the way back the links left
/// behind follow. Returns how far touches moved their links.
fn sweep_run(
    inertia: &Vec6,
    first: usize,
    answers: &[Answer],
    touched: &mut [Touched],
    own: &mut [Vec6],
    v: &mut [Vec6],
) -> f64 {
    let (mut moved, mut carried, mut at) = (0.0, [0.0; 6], 0);
    for i in 0..v.len() {
        add_scaled(&mut v[i], 1.0, &carried);
        own[i] = [0.0; 6];
        while at < touched.len() && touched[at].link == first + i {
            let t = &mut touched[at];
            let u = velocity(&t.rows, &v[i]);
            let change = t.local.project(&std::array::from_fn(|k| t.local.base[k] + u[k]));
            for k in 0..3 {
                add_scaled(&mut own[i], change[k], &t.moves[k]);
                add_scaled(&mut v[i], change[k], &t.moves[k]);
            }
            at += 1;
        }
        moved += weighted(inertia, &own[i]);
        add_scaled(&mut carried, 1.0, &own[i]);
        carried = times_transposed(&answers[i].up, &carried);
    }
    spread_down(answers, own, v);
    moved
}

/// Move a run by pushes on its first and its last link.
fn push_ends(answers: &[Answer], pushes: &[Vec6; 2], v: &mut [Vec6]) {
    let last = v.len() - 1;
    spread_from(answers, 0, &times_transposed(&answers[0].own, &pushes[0]), v);
    spread_from(answers, last, &times_transposed(&answers[last].own, &pushes[1]), v);
}

impl StepScratch {
    /// Get the runs ready for the equations at hand, with the forces of touches that are known. False where a run's
    /// matrix has no inverse.
    pub fn linearise(&mut self, links: &Links, state: &LinkState, step: f64) -> bool {
        let StepScratch { matrix, mean, middle, end, part_loads, runs: r, .. } = self;
        r.diagonal.copy_from_slice(&matrix.diagonal);
        let k = &links.stiffness;
        let per_length = 1.0 / (links.length * links.length);
        r.weights = std::array::from_fn(|i| k[i] * k[i] * if i < 3 { 1.0 } else { per_length });
        // a link that begins to move slowly is a load too
        r.loads = (2e-3 * links.inertia[0] * links.length / (step * step)).powi(2);
        for cut in &mut r.cuts {
            let i = cut.link;
            let motion = |i: usize| Motion { poses: [&state.poses[i], &middle[i], &end[i]], mean: &mean[i] };
            let (head, tail) = r.diagonal.split_at_mut(i + 1);
            let beside = [&matrix.right[i], &matrix.below[i]];
            if !cut.cut(links, [motion(i), motion(i + 1)], step, beside, [&mut head[i], &mut tail[0]]) {
                return false;
            }
            let load = &part_loads[i];
            r.loads += (0..6).map(|i| load[i] * load[i] * if i < 3 { 1.0 } else { per_length }).sum::<f64>();
        }
        let mut fine = true;
        for run in &mut r.runs {
            let [first, end] = run.links;
            let (diagonal, answers) = (&r.diagonal[first..end], &mut r.answers[first..end]);
            let (right, below) = (&matrix.right[first..end - 1], &matrix.below[first..end - 1]);
            fine &= matrix.kernel.run(Answering { diagonal, right, below, answers });
            if !r.cuts.is_empty() {
                run.through = through(&r.answers[first..end]);
            }
        }
        for cut in &mut r.cuts {
            let own = |i: usize| transposed(&r.answers[i].own);
            fine &= cut.close([&own(cut.link), &own(cut.link + 1)]);
        }
        fine && self.start()
    }

    /// Velocities at the forces that are known.
    fn start(&mut self) -> bool {
        let StepScratch { matrix, residual, mean, touches, runs: r, .. } = self;
        for (own, residual) in r.own.iter_mut().zip(residual.iter()) {
            *own = residual.map(|x| -x);
        }
        r.touched.clear();
        for touch in touches.iter() {
            let mut local = touch.local(&mean[touch.link]);
            let moves = touch.rows.map(|row| times_transposed(&r.answers[touch.link].own, &row));
            local.yielding = touch.rows.map(|row| moves.map(|m| dot(&row, &m)));
            for k in 0..3 {
                add_scaled(&mut r.own[touch.link], local.force[k], &touch.rows[k]);
            }
            r.touched.push(Touched { link: touch.link, rows: touch.rows, moves, local });
        }
        // couplings begin at S^-1 (U - C f), which is the whole cable solved with the forces of contacts as they are
        let cut = !r.cuts.is_empty();
        if cut {
            if !matrix.factor() {
                return false;
            }
            r.change.copy_from_slice(&r.own);
            matrix.solve(&mut r.change);
            for cut in &mut r.cuts {
                cut.y = cut.strain([&r.change[cut.link], &r.change[cut.link + 1]]);
            }
        } else {
            for (own, answer) in r.own.iter_mut().zip(&r.answers) {
                *own = times_transposed(&answer.own, own);
            }
            r.change.fill([0.0; 6]);
        }
        let mut from = 0;
        for run in &mut r.runs {
            let [first, end] = run.links;
            let to = from + r.touched[from..].iter().take_while(|t| t.link < end).count();
            run.touches = [from, to];
            from = to;
            if !cut {
                spread(&r.answers[first..end], &r.own[first..end], &mut r.change[first..end]);
            }
        }
        r.change.iter().flatten().all(|x| x.is_finite())
    }
}

fn transposed(m: &Mat6) -> Mat6 {
    std::array::from_fn(|r| std::array::from_fn(|c| m[c][r]))
}

/// Velocity of the last link of a run per push on the first; by columns, where products turn round.
fn through(answers: &[Answer]) -> Mat6 {
    answers[..answers.len() - 1].iter().fold(answers[0].own, |m, answer| product(&m, &answer.up))
}

#[cfg(test)]
impl Runs {
    /// For tests: another number of runs.
    pub fn divided(count: usize, runs: usize, regulated: bool) -> Runs {
        Runs::with(count, runs, 100, regulated)
    }

    /// For tests: the cuts.
    pub fn cuts(&self) -> &[Cut] {
        &self.cuts
    }
}
