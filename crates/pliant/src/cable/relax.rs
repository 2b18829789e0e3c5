//! Bringing a cable to equilibrium: steps from rest, after each of which it is stopped; and where contacts do not
//! settle this way, a motion with enough drag to damp its slowest oscillation critically.
//!
//! Joints are damped by half a step, with which the elastic forces of a step are those at its end: what only they hold
//! comes to rest in one step, however stiff. A mode held by weight and tension, of angular frequency w, is taken by the
//! midpoint rule from x to x (4 - w^2 T^2) / (4 + w^2 T^2), so that steps T halved from longest to shortest bring all
//! modes to rest: each finds a step that suits it, and no step lets it grow. (Peaceman and Rachford's parameters, "The
//! numerical solution of parabolic and elliptic differential equations".)

use super::Cable;
use super::change::DECAY;
use super::links::LinkState;
use crate::counters::Counters;
use crate::elastica::Start;
use crate::math::{Vec3, log2};

/// Maximum number of halvings from the longest step to the shortest.
const MOST_HALVINGS: i32 = 16;

/// Settings to restore after coming to rest.
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
    /// Its initial state.
    pub(crate) fn begins(&self) -> Start {
        self.begins
    }

    /// Its unloaded length [m].
    pub(crate) fn length(&self) -> f64 {
        self.links.length * self.size() as f64
    }

    /// The longest step to rest [s], and how many halvings of it are useful.
    pub(crate) fn steps_to_rest(&self, gravity: Vec3) -> (f64, i32) {
        let (length, stiffness, links) = (self.length(), &self.links.stiffness, &self.links);
        let line_mass = links.inertia[0] / links.length;
        let rigidity = stiffness[4].min(stiffness[5]) * links.length;
        // squares of the frequencies of a pendulum, or without gravity of a cantilever
        let (swinging, bending) = (1.5 * gravity.length() / length, 12.4 * rigidity / (line_mass * length.powi(4)));
        let longest = 2.0 / if swinging > 0.0 { swinging } else { bending }.sqrt();
        // the time in which a stretching wave travels from link to link
        let shortest = (links.inertia[0] / stiffness[0]).sqrt();
        (longest, (log2(longest / shortest).ceil() as i32).clamp(1, MOST_HALVINGS))
    }

    /// Prepare for steps to rest; returns the settings to restore.
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

    /// Whether to stay fixed while others come to rest.
    pub(crate) fn stay(&mut self, still: bool) {
        self.scratch.still = still;
    }

    /// Prepare for a step towards rest, with this drag [1/s].
    pub(crate) fn damp(&mut self, step: f64, drag: f64) {
        (self.links.damping_time, self.links.drag) = (0.5 * step, drag);
        // a step from rest has no previous changes to damp
        self.links.decay = if drag > 0.0 { DECAY } else { 0.0 };
    }

    /// The largest distance that a link moved in the last step [m].
    pub(crate) fn way(&self) -> f64 {
        let ways = self.state.links.poses.iter().zip(&self.scratch.before.links.poses);
        ways.map(|(end, start)| end.translation.distance(start.translation)).fold(0.0, f64::max)
    }

    /// Set all velocities to zero.
    pub(crate) fn stop(&mut self) {
        let LinkState { velocities, means, earlier, gained, held, steps, .. } = &mut self.state.links;
        for list in [velocities, means, earlier, gained] {
            list.fill([0.0; 6]);
        }
        held.clear();
        // forget the previous steps: they have no size
        *steps = [0.0; 2];
    }

    /// Restore the settings, with the cable where it has come to rest.
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
