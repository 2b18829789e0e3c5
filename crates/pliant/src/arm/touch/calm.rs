//! Velocities of an arm after a step in which it touches something.
//!
//! The law holds for the mean velocity of a step, and v_1 = 2 y - v_0: left alone, what stops on a floor would leave it as fast as
//! it came. So at every contact that pushes, v_1 is brought to rest relative to the surface: along the normal, and where it sticks
//! along the tangents, by the impulses of least kinetic energy. At most the force of the step is taken back. Friction that slides is that of the whole normal impulse: where that is more or
//! less than in the step, so is friction, as long as that adds no more energy than contacts took in the step.

use super::{PastTouch, Touch};
use crate::arm::Arm;
use crate::cable::contact::law::Contacting;
use crate::cable::equations::part::Part;
use crate::math::Vec3;
use crate::robot::Matrix;

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Calm {
    /// Rows that are held, with the velocity that they are held at and the impulse that takes.
    rows: Vec<f64>,
    targets: Vec<f64>,
    impulses: Vec<f64>,
    /// Of each row the contact, and its axis.
    of: Vec<(usize, usize)>,
    /// Velocities and impulses before friction of what slides.
    saved: Vec<f64>,
    kept: Vec<f64>,
    row: Vec<f64>,
}

impl Calm {
    pub fn reserve(&mut self, contacts: usize, unknowns: usize) {
        let room = |len: usize, most: usize| most.saturating_sub(len);
        self.rows.reserve(room(self.rows.len(), 3 * contacts * unknowns));
        for list in [&mut self.targets, &mut self.impulses, &mut self.kept] {
            list.reserve(room(list.len(), 3 * contacts));
        }
        self.of.reserve(room(self.of.len(), 3 * contacts));
        for list in [&mut self.saved, &mut self.row] {
            list.reserve(room(list.len(), unknowns));
        }
    }
}

/// Velocity of a contact along an axis per velocity at the end of the step, from the Jacobian there.
pub(super) fn fill(row: &mut [f64], jacobian: &Matrix, axis: Vec3, offset: Vec3) {
    let column = |r: usize, j: usize| Vec3::new(jacobian[(r, j)], jacobian[(r + 1, j)], jacobian[(r + 2, j)]);
    for (j, entry) in row.iter_mut().enumerate() {
        *entry = axis.dot(column(0, j) + column(3, j).cross(offset));
    }
}

impl Arm {
    /// Correct the velocities at the end of a part of a step, and write down what contacts did. Returns the work of the motion of
    /// surfaces by these corrections [J].
    pub(in crate::arm) fn calm(&mut self, part: &Part) -> f64 {
        let h = part.step();
        let mut led = 0.0;
        let mut totals = true;
        if self.scratch.step.touches.push() {
            led = self.hold_contacts(h);
        } else {
            totals = self.scratch.step.touches.any();
        }
        let Arm { state, scratch, .. } = self;
        state.touches.clear();
        if !totals {
            return 0.0;
        }
        let fraction = part.to - part.from;
        for k in 0..scratch.step.touches.list.len() {
            let touch = scratch.step.touches.list[k];
            let force = touch.in_world(&touch.force);
            let gave: f64 = (0..3).map(|a| touch.force[a] * (touch.velocity[a] - touch.surface[a])).sum();
            scratch.step.touches.given += (h * gave).max(0.0);
            let by_impulses: Vec3 = {
                let Calm { of, impulses, .. } = &scratch.step.touches.calm;
                let own = of.iter().zip(impulses).filter(|((contact, _), _)| *contact == k);
                own.map(|((_, axis), impulse)| touch.axes[*axis] * (impulse / h)).sum()
            };
            let end = scratch.step.midpoint.link(&self.model, touch.of.link, true);
            let position = end.transform_point(touch.point) + touch.offset;
            let plane = touch.plane + touch.axes[0] * (0.5 * h * touch.surface[0]);
            state.touches.push(PastTouch {
                key: touch.of.key,
                link: touch.of.link,
                position,
                normal: touch.axes[0],
                lawful: force,
                force: touch.sum + (force + by_impulses) * fraction,
                depth: touch.axes[0].dot(plane - position),
                state: touch.state,
            });
        }
        scratch.step.touches.calm.of.clear();
        led
    }

    /// Bring contacts that push to rest. Returns the work of surfaces.
    fn hold_contacts(&mut self, h: f64) -> f64 {
        let (n, model) = (self.model.velocities(), &self.model);
        let s = &mut self.scratch.step;
        let super::Touches { list, jacobian, calm, .. } = &mut s.touches;
        let Calm { rows, targets, impulses, of, saved, kept, row } = calm;
        rows.clear();
        targets.clear();
        of.clear();
        row.resize(n, 0.0);
        let mut taken = 0.0;
        for (k, touch) in list.iter_mut().enumerate().filter(|(_, touch)| touch.state != Contacting::Open) {
            let Touch { velocity, surface, force, .. } = *touch;
            taken -= h * (0..3).map(|a| force[a] * (velocity[a] - surface[a])).sum::<f64>().min(0.0);
            s.midpoint.final_jacobian(model, touch.of.link, touch.point, jacobian);
            let speeds = touch.axes.map(|axis| {
                fill(row, jacobian, axis, touch.offset);
                row.iter().zip(s.midpoint.end_velocities()).map(|(r, v)| r * v).sum::<f64>()
            });
            let slid = |a: usize| (velocity[a] - surface[a]) * (speeds[a] - surface[a]);
            // a sliding contact has stopped if it would now slide back
            if touch.state == Contacting::Slip && slid(1) + slid(2) < 0.0 {
                touch.state = Contacting::Stick;
            }
            for a in 0..if touch.state == Contacting::Stick { 3 } else { 1 } {
                fill(row, jacobian, touch.axes[a], touch.offset);
                rows.extend_from_slice(row);
                targets.push(surface[a]);
                of.push((k, a));
            }
        }
        let before = s.midpoint.end_kinetic(model);
        saved.clear();
        saved.extend_from_slice(s.midpoint.end_velocities());
        loop {
            impulses.clear();
            impulses.resize(targets.len(), 0.0);
            s.midpoint.hold_rows(model, rows, targets, impulses);
            // those that would have to pull are let go: their velocity has other reasons than their force
            let pulls = |at: usize| of[at].1 == 0 && impulses[at] < -(1.0 + 1e-9) * h * list[of[at].0].force[0];
            let Some(contact) = (0..of.len()).find(|&at| pulls(at)).map(|at| of[at].0) else { break };
            s.midpoint.set_end_velocities(saved);
            for at in (0..of.len()).rev() {
                if of[at].0 == contact {
                    of.remove(at);
                    targets.remove(at);
                    rows.drain(at * n..(at + 1) * n);
                }
            }
        }
        let mut led: f64 = impulses.iter().zip(&*targets).map(|(p, v)| p * v).sum();
        // friction of what slides
        saved.clear();
        saved.extend_from_slice(s.midpoint.end_velocities());
        kept.clear();
        kept.extend_from_slice(impulses);
        let rest = impulses.len();
        for held in 0..rest {
            let (k, axis) = of[held];
            let touch = &list[k];
            if axis != 0 || touch.state != Contacting::Slip || touch.force[0] <= 0.0 {
                continue;
            }
            let part = (impulses[held] / (h * touch.force[0])).max(-1.0);
            let [_, a, b] = touch.force;
            let size = (a * a + b * b).sqrt();
            if size == 0.0 || part.abs() < 1e-12 {
                continue;
            }
            let way = (touch.axes[1] * a + touch.axes[2] * b) / size;
            s.midpoint.final_jacobian(model, touch.of.link, touch.point, jacobian);
            fill(row, jacobian, way, touch.offset);
            let speed = row.iter().zip(s.midpoint.end_velocities()).map(|(r, v)| r * v).sum::<f64>()
                - way.dot(touch.in_world(&touch.surface));
            let answer = s.midpoint.answer(model, row);
            // it brings to rest at the most
            let wanted = part * size * h;
            let most = if answer > 0.0 { (-speed).max(0.0) / answer } else { 0.0 };
            let impulse = wanted.min(most);
            s.midpoint.strike(model, row, impulse);
            for (axis, share) in [(1, a / size), (2, b / size)] {
                of.push((k, axis));
                impulses.push(impulse * share);
                led += impulse * share * touch.surface[axis];
            }
        }
        if impulses.len() > rest {
            let (holding, _) = impulses.split_at_mut(rest);
            let already: f64 = holding.iter().zip(&*targets).map(|(p, v)| p * v).sum();
            s.midpoint.hold_rows(model, rows, targets, holding);
            led += holding.iter().zip(&*targets).map(|(p, v)| p * v).sum::<f64>() - already;
            if s.midpoint.end_kinetic(model) > before + taken + led {
                s.midpoint.set_end_velocities(saved);
                impulses.clear();
                impulses.extend_from_slice(kept);
                of.truncate(rest);
                led = already;
            }
        }
        led
    }
}
