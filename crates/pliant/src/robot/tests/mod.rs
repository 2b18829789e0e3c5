//! Two ways to every answer: mass matrix against energy, recursions against differences, steps against conservation laws and a
//! fine integration. Numbers of another library are in `pliant validate robot`.
#![allow(clippy::unwrap_used)]

mod dynamics;
mod reach;
mod step;

use super::sample::tree;
use super::*;
use crate::random::Random;

pub fn models() -> Vec<Model> {
    let kinds = [(2, false), (7, false), (12, false), (1, true), (6, true), (13, true)];
    kinds.iter().enumerate().map(|(k, (n, floating))| Model::new(&tree(*n, *floating, 5 + k as u64)).unwrap()).collect()
}

pub fn random_state(model: &Model, random: &mut Random, speed: f64) -> State {
    let mut state = State::new(model);
    state.q.iter_mut().for_each(|q| *q = random.signed());
    if model.floating() {
        let size = state.q[3..7].iter().map(|x| x * x).sum::<f64>().sqrt();
        state.q[3..7].iter_mut().for_each(|x| *x /= size);
    }
    state.v.iter_mut().for_each(|v| *v = speed * random.signed());
    state
}

pub fn largest(a: impl IntoIterator<Item = f64>) -> f64 {
    a.into_iter().fold(0.0, |m, x| if x.is_nan() { f64::NAN } else { m.max(x.abs()) })
}
