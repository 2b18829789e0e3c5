//! Undo of a step. Data that grow with the mesh are not copied: of due nodes and past forces only what a step
//! overwrites is kept.

use super::near::Looked;
use super::past::Past;
use super::touch::{Spot, Touch};
use super::{Motion, Response, ResponseState};
use crate::counters::Counters;
use crate::math::Vec3;

/// State before the step, for `undo`.
#[derive(Clone, Debug)]
pub(super) struct Before {
    motion: Motion,
    pub past: Overwritten,
    touches: Vec<Touch>,
    acting: Vec<(Spot, Vec3)>,
    pub watch: Looked,
    touched: Vec<usize>,
    stored: f64,
    counters: Counters,
}

/// The part of the past that a step overwrites.
#[derive(Clone, Debug, Default)]
pub(super) struct Overwritten {
    /// The three modal arrays, once a step has replaced them.
    modes: [Vec<f64>; 3],
    is_replaced: bool,
    /// Overwritten samples of recorded forces, in order.
    rows: Vec<f64>,
    /// Index of the latest sample before the step.
    newest: usize,
}

impl Overwritten {
    fn keep(&mut self, past: &Past) {
        self.is_replaced = false;
        self.rows.clear();
        if let Past::Records { newest, .. } = past {
            self.newest = *newest;
        }
    }

    fn swap(&mut self, [coordinates, rates, free]: [&mut Vec<f64>; 3]) {
        for (kept, list) in self.modes.iter_mut().zip([coordinates, rates, free]) {
            std::mem::swap(kept, list);
        }
    }

    /// Save what another model step, with forces of `width` components, is about to overwrite.
    pub fn note(&mut self, past: &mut Past, width: usize) {
        match past {
            Past::Modes { coordinates, rates, free } => {
                if !std::mem::replace(&mut self.is_replaced, true) {
                    self.swap([coordinates, rates, free]);
                }
            }
            Past::Records { forces, newest } if self.rows.len() < forces.len() => {
                let next = (*newest + 1) % (forces.len() / width.max(1)).max(1);
                self.rows.extend_from_slice(&forces[next * width..(next + 1) * width]);
            }
            Past::Records { .. } => {}
        }
    }

    fn undo(&mut self, past: &mut Past, width: usize) {
        match past {
            Past::Modes { coordinates, rates, free } => {
                if std::mem::take(&mut self.is_replaced) {
                    self.swap([coordinates, rates, free]);
                }
            }
            Past::Records { forces, newest } => {
                let samples = (forces.len() / width.max(1)).max(1);
                for (n, row) in self.rows.chunks(width.max(1)).enumerate() {
                    let sample = (self.newest + 1 + n) % samples;
                    forces[sample * width..(sample + 1) * width].copy_from_slice(row);
                }
                *newest = self.newest;
            }
        }
    }
}

impl Before {
    /// Allocate for a state.
    pub fn of(state: &ResponseState) -> Before {
        let mut past = Overwritten::default();
        match &state.past {
            Past::Modes { rates, .. } => past.modes.iter_mut().for_each(|list| list.clone_from(rates)),
            Past::Records { forces, .. } => past.rows.reserve(forces.len()),
        }
        Before {
            motion: state.motion,
            past,
            touches: Vec::with_capacity(state.touches.capacity()),
            acting: Vec::with_capacity(state.acting.capacity()),
            watch: Looked::new(&state.watch),
            touched: vec![],
            stored: state.stored,
            counters: state.counters,
        }
    }

    /// Preallocate to the capacity of a state.
    pub fn reserve(&mut self, state: &ResponseState, obstacles: usize) {
        self.touches.reserve(state.touches.capacity().saturating_sub(self.touches.len()));
        self.acting.reserve(state.acting.capacity().saturating_sub(self.acting.len()));
        self.touched.reserve(obstacles);
        self.watch.reserve(obstacles);
    }
}

impl Response {
    /// Number of components in a sample of recorded forces.
    pub(super) fn width(&self) -> usize {
        match &self.solid.form {
            super::Form::Modes(_) => 0,
            super::Form::Records(records) => 3 * records.nodes.len(),
        }
    }

    pub(crate) fn keep(&mut self) {
        let ResponseState { motion, past, touches, acting, watch, touched, stored, counters } = &self.state;
        let before = &mut self.scratch.before;
        before.past.keep(past);
        before.touches.clone_from(touches);
        before.acting.clone_from(acting);
        before.watch.keep(watch);
        before.touched.clone_from(touched);
        (before.motion, before.stored, before.counters) = (*motion, *stored, *counters);
    }

    pub(crate) fn undo(&mut self) {
        let width = self.width();
        let ResponseState { motion, past, touches, acting, watch, touched, stored, counters } = &mut self.state;
        let before = &mut self.scratch.before;
        before.past.undo(past, width);
        touches.clone_from(&before.touches);
        acting.clone_from(&before.acting);
        before.watch.undo(watch);
        touched.clone_from(&before.touched);
        (*motion, *stored, *counters) = (before.motion, before.stored, before.counters);
    }
}
