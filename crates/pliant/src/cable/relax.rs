//! A cable on its way to equilibrium: steps from rest, after each of which it is stopped; and where contacts do not settle by
//! these, a motion with as much drag as lets its slowest swing just die out.
//!
//! A joint is damped by half a step, with which the elastic forces of a step are those at its end: what only they hold comes to
//! rest in one step, however stiff. What weight and tension hold, of angular frequency w, goes by the midpoint rule from x to
//! x (4 - w^2 T^2) / (4 + w^2 T^2), so that steps T that halve from longest to shortest bring all of it to rest: each part of
//! it finds one that suits it, and no step lets it grow. (Peaceman and Rachford's parameters, "The numerical solution of
//! parabolic and elliptic differential equations".)

use super::Cable;
use super::change::DECAY;
use super::links::LinkState;
use crate::counters::Counters;
use crate::elastica::Start;
use crate::math::{Vec3, log2};

/// Halvings from the longest step to the shortest, at the most.
const MOST_HALVINGS: i32 = 16;

/// What is other while it comes to rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moving {
    damping_time: f64,
    drag: f64,
    restitution: f64,
    decay: f64,
    linear: bool,
    counters: Counters,
    linearisations: u64,
}

impl Cable {
    /// Where it begins.
    pub(crate) fn begins(&self) -> Start {
        self.begins
    }

    /// Its length without load [m].
    pub(crate) fn length(&self) -> f64 {
        self.links.length * self.size() as f64
    }

    /// The longest step to rest [s], and how often that is worth halving.
    pub(crate) fn steps_to_rest(&self, gravity: Vec3) -> (f64, i32) {
        let (length, stiffness, links) = (self.length(), &self.links.stiffness, &self.links);
        let line_mass = links.inertia[0] / links.length;
        let rigidity = stiffness[4].min(stiffness[5]) * links.length;
        // squares of the frequencies of a pendulum, or where nothing has weight of a cantilever
        let (swinging, bending) = (1.5 * gravity.length() / length, 12.4 * rigidity / (line_mass * length.powi(4)));
        let longest = 2.0 / if swinging > 0.0 { swinging } else { bending }.sqrt();
        // a wave of stretch goes from link to link in this time
        let shortest = (links.inertia[0] / stiffness[0]).sqrt();
        (longest, (log2(longest / shortest).ceil() as i32).clamp(1, MOST_HALVINGS))
    }

    /// Get ready for steps to rest.
    pub(crate) fn begin_to_rest(&mut self) -> Moving {
        let (links, state) = (&mut self.links, &self.state);
        let moving = Moving {
            damping_time: links.damping_time,
            drag: links.drag,
            restitution: links.restitution,
            decay: links.decay,
            linear: links.linear,
            counters: state.counters,
            linearisations: state.linearisations,
        };
        (links.restitution, links.linear) = (0.0, false);
        moving
    }

    /// Stay where it is while others come to rest, or do so no longer.
    pub(crate) fn stay(&mut self, still: bool) {
        self.scratch.still = still;
    }

    /// Get ready for a step towards rest, with some drag [1/s].
    pub(crate) fn damp(&mut self, step: f64, drag: f64) {
        (self.links.damping_time, self.links.drag) = (0.5 * step, drag);
        // a step from rest has nothing to remember
        self.links.decay = if drag > 0.0 { DECAY } else { 0.0 };
    }

    /// The longest way that a link went in the last step [m].
    pub(crate) fn way(&self) -> f64 {
        let ways = self.state.links.poses.iter().zip(&self.scratch.before.links.poses);
        ways.map(|(end, start)| end.translation.distance(start.translation)).fold(0.0, f64::max)
    }

    /// Stop.
    pub(crate) fn stop(&mut self) {
        let LinkState { velocities, means, earlier, gained, held, steps, .. } = &mut self.state.links;
        for list in [velocities, means, earlier, gained] {
            list.fill([0.0; 6]);
        }
        held.clear();
        // nothing is remembered of a step that had no length
        *steps = [0.0; 2];
    }

    /// Be as before, but where it has come to rest.
    pub(crate) fn end_at_rest(&mut self, moving: &Moving) {
        let Moving { damping_time, drag, restitution, decay, linear, counters, linearisations } = *moving;
        let links = &mut self.links;
        (links.damping_time, links.drag, links.restitution) = (damping_time, drag, restitution);
        (links.decay, links.linear) = (decay, linear);
        (self.state.counters, self.state.linearisations) = (counters, linearisations);
        self.state.beyond = [None; 2];
        self.stop();
    }
}
