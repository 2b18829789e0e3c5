//! Algorithm 1 of the paper with its couplings as printed: each run is a separate system, and the couplings between
//! runs follow contacts by one pass of block Gauss-Seidel (13) in each iteration. See `cuts` for the equations and
//! `runs` for the better way.
//!
//! Each run is processed by one thread. Runs are distributed over the threads, and results do not depend on how.

pub mod answers;
pub mod cuts;

use crate::cable::algebra::block::{Mat6, Tridiagonal, Vec6, ZERO, add_scaled, dot, times, times_transposed};
use crate::cable::contact::law::velocity;
use crate::cable::equations::scratch::StepScratch;
use crate::cable::links::{LinkState, Links};
use crate::cable::params::CableSettings;
use crate::cable::solver::gauss_seidel::runs::Runs;
use crate::cable::solver::gauss_seidel::touches::SweptTouch;
use crate::cable::solver::printed::answers::{Answer, RunAnswers, product, spread, spread_down, spread_from};
use crate::cable::solver::printed::cuts::{Cut, Motion};
use crate::team::Team;

/// Separate runs, and the cuts between them.
#[derive(Clone, Debug, Default)]
pub struct Printed {
    runs: Vec<Run>,
    cuts: Vec<Cut>,
    answers: Vec<Answer>,
    diagonal: Vec<Mat6>,
    own: Vec<Vec6>,
    /// Weights of strains at cuts: forces, and moments divided by the length of a link [N].
    weights: Vec6,
    /// Sum of the squares of the loads of cut joints [N2].
    loads: f64,
    /// Couplings have converged when they change by this fraction of the loads of their joints. For 16 stiffly coupled masses
    /// block Gauss-Seidel keeps cos^2(pi/16) = 0.96 of an error in each iteration, so that the remaining error is many
    /// times the last change.
    epsilon: f64,
}

/// Consecutive links.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// First link, and the end of the range.
    links: [usize; 2],
    /// First contact, and the end of the range.
    touches: [usize; 2],
    /// Velocity of the last link per force on the first; by columns.
    through: Mat6,
    /// Velocity of the last link, including the effect of the force on the first.
    last: Vec6,
    /// Forces of the couplings on the first and the last link, not yet in the velocities.
    pushes: [Vec6; 2],
}

/// Maximum number of threads that runs are distributed to.
const MOST_SHARES: usize = 16;

impl Printed {
    /// Runs with these bounds.
    pub fn new(bounds: &[usize]) -> Printed {
        let mut out = Printed { epsilon: CableSettings::default().epsilon, ..Printed::default() };
        out.divide(bounds);
        out
    }

    /// Runs whose couplings end an iteration with changes of `epsilon` of their loads.
    pub fn ending(bounds: &[usize], epsilon: f64) -> Printed {
        Printed { epsilon, ..Printed::new(bounds) }
    }

    /// Divide into runs with other bounds.
    pub fn divide(&mut self, bounds: &[usize]) {
        let count = bounds.last().copied().unwrap_or(0);
        let run = |w: &[usize]| Run {
            links: [w[0], w[1]],
            touches: [0; 2],
            through: ZERO,
            last: [0.0; 6],
            pushes: [[0.0; 6]; 2],
        };
        self.runs.clear();
        self.runs.extend(bounds.windows(2).map(run));
        self.cuts.clear();
        self.cuts.extend(bounds.windows(3).map(|w| Cut::new(w[1] - 1)));
        self.answers.resize(count, Answer::default());
        self.diagonal.resize(count, ZERO);
        self.own.resize(count, [0.0; 6]);
    }

    /// Forces on links that are to move runs.
    pub fn forces(&mut self) -> &mut [Vec6] {
        &mut self.own
    }

    /// Responses of all links, and the range of links that respond to a force on a link.
    pub fn responses(&self, link: usize) -> (&[Answer], [usize; 2]) {
        let run = self.runs.partition_point(|run| run.links[1] <= link);
        (&self.answers, self.runs[run].links)
    }

    /// Assign contacts to runs.
    fn assign(&mut self, touched: &[SweptTouch]) {
        let mut from = 0;
        for run in &mut self.runs {
            let to = from + touched[from..].iter().take_while(|t| t.link < run.links[1]).count();
            run.touches = [from, to];
            from = to;
        }
    }

    /// (13): one pass along the cuts. Returns the change of the couplings.
    fn update(&mut self, change: &[Vec6]) -> f64 {
        for run in &mut self.runs {
            run.pushes = [[0.0; 6]; 2];
            run.last = change[run.links[1] - 1];
        }
        let mut changed = 0.0;
        for (n, cut) in self.cuts.iter_mut().enumerate() {
            let [a, b] = &mut self.runs[n..n + 2] else { break };
            let strain = cut.strain([&a.last, &change[b.links[0]]]);
            let more = times(&cut.inverse, &std::array::from_fn(|k| strain[k] - cut.y[k]));
            add_scaled(&mut cut.y, 1.0, &more);
            changed += (0..6).map(|k| self.weights[k] * more[k] * more[k]).sum::<f64>();
            let push = |m: &Mat6| times(m, &more).map(|x| -x);
            a.push(1, &push(&cut.pushes[0]));
            b.push(0, &push(&cut.pushes[1]));
        }
        changed
    }
}

impl Run {
    /// Apply a force to the first or the last link. Only the velocity of the last link is updated: the cut after it is
    /// still to come.
    fn push(&mut self, end: usize, push: &Vec6) {
        add_scaled(&mut self.pushes[end], 1.0, push);
        if end == 0 {
            add_scaled(&mut self.last, 1.0, &times_transposed(&self.through, push));
        }
    }
}

/// The data of one run.
struct Whole<'a> {
    run: &'a mut Run,
    answers: &'a mut [Answer],
    own: &'a mut [Vec6],
    change: &'a mut [Vec6],
    touched: &'a mut [SweptTouch],
}

/// The data of consecutive runs, the work of one thread.
struct Part<'a> {
    runs: &'a mut [Run],
    answers: &'a mut [Answer],
    own: &'a mut [Vec6],
    change: &'a mut [Vec6],
    touched: &'a mut [SweptTouch],
}

impl<'a> Part<'a> {
    /// Split off the first runs.
    fn split(self, runs: usize) -> (Part<'a>, Part<'a>) {
        let (low, high) = self.runs.split_at_mut(runs);
        let (links, touches) =
            low.iter().fold((0, 0), |(l, t), r| (l + r.links[1] - r.links[0], t + r.touches[1] - r.touches[0]));
        let (answers, own) = (self.answers.split_at_mut(links), self.own.split_at_mut(links));
        let (change, touched) = (self.change.split_at_mut(links), self.touched.split_at_mut(touches));
        (
            Part { runs: low, answers: answers.0, own: own.0, change: change.0, touched: touched.0 },
            Part { runs: high, answers: answers.1, own: own.1, change: change.1, touched: touched.1 },
        )
    }

    fn each(self, f: impl Fn(Whole<'_>)) {
        let mut rest = self;
        while !rest.runs.is_empty() {
            let (one, others) = rest.split(1);
            let Part { runs, answers, own, change, touched } = one;
            f(Whole { run: &mut runs[0], answers, own, change, touched });
            rest = others;
        }
    }

    /// Call `f` for each run, on the available threads.
    fn each_on(self, team: Option<&mut Team>, f: impl Fn(Whole<'_>) + Sync) {
        let Some(team) = team.filter(|t| t.size() > 1) else { return self.each(f) };
        let threads = team.size().min(self.runs.len()).min(MOST_SHARES);
        let mut parts: [Option<Part<'_>>; MOST_SHARES] = std::array::from_fn(|_| None);
        let (count, mut rest) = (self.runs.len(), self);
        for (n, slot) in parts.iter_mut().enumerate().take(threads) {
            let (part, others) = rest.split((n + 1) * count / threads - n * count / threads);
            *slot = Some(part);
            rest = others;
        }
        team.each(&mut parts[..threads], |part| {
            if let Some(part) = part.take() {
                part.each(&f);
            }
        });
    }
}

/// One pass of projected Gauss-Seidel over the contacts of a run (15), up along it; on the way back the links left
/// behind follow.
fn sweep(w: Whole<'_>) {
    let Whole { run, answers, own, change, touched } = w;
    if touched.is_empty() {
        return;
    }
    let (mut carried, mut at) = ([0.0; 6], 0);
    for i in 0..change.len() {
        add_scaled(&mut change[i], 1.0, &carried);
        own[i] = [0.0; 6];
        while at < touched.len() && touched[at].link == run.links[0] + i {
            let t = &mut touched[at];
            let u = velocity(&t.rows, &change[i]);
            let more = t.project(&std::array::from_fn(|k| t.local.base[k] + u[k]));
            for k in 0..3 {
                add_scaled(&mut own[i], more[k], &t.moves[k]);
                add_scaled(&mut change[i], more[k], &t.moves[k]);
            }
            at += 1;
        }
        add_scaled(&mut carried, 1.0, &own[i]);
        carried = times_transposed(&answers[i].up, &carried);
    }
    spread_down(answers, own, change);
}

/// Move a run by forces on its first and its last link.
fn push_ends(w: Whole<'_>) {
    let (answers, last) = (w.answers, w.change.len() - 1);
    spread_from(answers, 0, &times_transposed(&answers[0].own, &w.run.pushes[0]), w.change);
    spread_from(answers, last, &times_transposed(&answers[last].own, &w.run.pushes[1]), w.change);
}

/// Velocities of a run by the forces on its links, and the response of its contacts; couplings are assumed constant.
fn start(w: Whole<'_>) {
    let Whole { run, answers, own, change, touched } = w;
    for t in touched.iter_mut() {
        let i = t.link - run.links[0];
        t.moves = t.rows.map(|row| times_transposed(&answers[i].own, &row));
        t.local.yielding = t.rows.map(|row| t.moves.map(|m| dot(&row, &m)));
        for k in 0..3 {
            add_scaled(&mut own[i], t.held[k], &t.rows[k]);
        }
    }
    for (own, answer) in own.iter_mut().zip(answers.iter()) {
        *own = times_transposed(&answer.own, own);
    }
    change.fill([0.0; 6]);
    spread(answers, own, change);
}

/// Responses of the links of a run; a singular one results in NaN, which is noticed later.
fn answer(w: &mut Whole<'_>, matrix: &Tridiagonal, diagonal: &[Mat6]) {
    let [first, end] = w.run.links;
    let (right, below) = (&matrix.right[first..end - 1], &matrix.below[first..end - 1]);
    let diagonal = &diagonal[first..end];
    let fine = matrix.kernel.run(RunAnswers { diagonal, right, below, answers: w.answers });
    w.run.through = if fine { through(w.answers) } else { [[f64::NAN; 6]; 6] };
}

/// Velocity of the last link of a run per force on the first; by columns, where products are reversed.
fn through(answers: &[Answer]) -> Mat6 {
    answers[..answers.len() - 1].iter().fold(answers[0].own, |m, answer| product(&m, &answer.up))
}

impl StepScratch {
    /// Prepare the runs for the current equations, with the current couplings and contacts. False if the matrix of a
    /// run is singular.
    pub fn linearise_printed(&mut self, links: &Links, state: &LinkState, step: f64, team: Option<&mut Team>) -> bool {
        if !self.cut(links, state, step) {
            return false;
        }
        let StepScratch { residual, mean, touches, runs: r, .. } = self;
        let Some(p) = &mut r.printed else { return false };
        r.touched.clear();
        for touch in touches.iter() {
            // contacts assume constant forces of the others
            let local = touch.local(mean);
            r.touched.push(SweptTouch::new(touch.link, touch.rows, [[0.0; 3]; 3], local));
        }
        p.assign(&r.touched);
        for (own, residual) in p.own.iter_mut().zip(residual.iter()) {
            *own = residual.map(|x| -x);
        }
        self.answer_runs(team)
    }

    /// Compute the responses of all runs, once their matrices are cut apart, and their velocities by the forces on their
    /// links. False if a matrix is singular.
    pub fn answer_runs(&mut self, team: Option<&mut Team>) -> bool {
        let StepScratch { matrix, runs: r, .. } = self;
        let Some(p) = &mut r.printed else { return false };
        let Printed { runs, answers, own, diagonal, cuts, .. } = p;
        let part = Part { runs, answers, own, change: &mut r.change, touched: &mut r.touched };
        let (matrix, diagonal) = (&*matrix, &diagonal[..]);
        part.each_on(team, |mut w| {
            answer(&mut w, matrix, diagonal);
            start(w);
        });
        let mut fine = runs.iter().all(|run| run.through[0][0].is_finite());
        for cut in cuts {
            fine &= cut.close([cut.link, cut.link + 1].map(|i| &answers[i].own));
        }
        fine
    }

    /// Take the joints between runs out of the matrix.
    pub fn cut(&mut self, links: &Links, state: &LinkState, step: f64) -> bool {
        let StepScratch { matrix, mean, middle, end, part_loads, runs, .. } = self;
        let Some(p) = &mut runs.printed else { return false };
        p.diagonal.copy_from_slice(&matrix.diagonal);
        let per_length = 1.0 / (links.length * links.length);
        let lever = |i: usize| if i < 3 { 1.0 } else { per_length };
        p.weights = std::array::from_fn(|i| links.stiffness[i] * links.stiffness[i] * lever(i));
        // the inertial force of a link that starts to move slowly is the smallest load that counts
        p.loads = (2e-3 * links.inertia[0] * links.length / (step * step)).powi(2);
        for cut in &mut p.cuts {
            let i = cut.link;
            let motion = |i: usize| Motion { poses: [&state.poses[i], &middle[i], &end[i]], mean: &mean[i] };
            let (head, tail) = p.diagonal.split_at_mut(i + 1);
            let beside = [&matrix.right[i], &matrix.below[i]];
            if !cut.cut(links, [motion(i), motion(i + 1)], step, beside, [&mut head[i], &mut tail[0]]) {
                return false;
            }
            p.loads += (0..6).map(|k| part_loads[i][k] * part_loads[i][k] * lever(k)).sum::<f64>();
        }
        true
    }

    /// Move runs by forces on their links.
    pub fn push_runs(&mut self, team: Option<&mut Team>) {
        let Runs { change, touched, printed, .. } = &mut self.runs;
        if let Some(Printed { runs, answers, own, .. }) = printed {
            Part { runs, answers, own, change, touched }.each_on(team, |w| {
                for (own, answer) in w.own.iter_mut().zip(w.answers.iter()) {
                    *own = times_transposed(&answer.own, own);
                }
                spread(w.answers, w.own, w.change);
            });
        }
    }

    /// (15) for every run.
    pub fn sweep_printed(&mut self, team: Option<&mut Team>) {
        let Runs { change, touched, printed, .. } = &mut self.runs;
        if let Some(Printed { runs, answers, own, .. }) = printed {
            Part { runs, answers, own, change, touched }.each_on(team, sweep);
        }
    }

    /// Let couplings follow by (13). True if they change little relative to the loads of their joints.
    pub fn couple_printed(&mut self, team: Option<&mut Team>) -> bool {
        let Runs { change, touched, printed, .. } = &mut self.runs;
        let Some(p) = printed else { return true };
        let changed = p.update(change);
        let Printed { runs, answers, own, .. } = p;
        Part { runs, answers, own, change, touched }.each_on(team, push_ends);
        changed <= p.epsilon * p.epsilon * p.loads
    }
}

#[cfg(test)]
impl Printed {
    /// For tests: the cuts.
    pub fn cuts(&self) -> &[Cut] {
        &self.cuts
    }
}
