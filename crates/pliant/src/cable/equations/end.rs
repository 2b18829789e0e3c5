//! The end of a part of a step: from mean velocities to the state after it.

use crate::cable::algebra::block::{Vec6, add_scaled};
use crate::cable::contact::impact;
use crate::cable::contact::law::{Contacting, mean_normal};
use crate::cable::contact::touch::Touch;
use crate::cable::equations::assembly::place;
use crate::cable::equations::midpoint::Share;
use crate::cable::equations::part::{Acting, Part};
use crate::cable::equations::scratch::StepScratch;
use crate::cable::joint::strain;
use crate::cable::links::{LinkState, Links};
use crate::math::Vec3;

/// Speed below which the motion of a cable that lies on something is what the solver leaves [links/s].
const QUIET: f64 = 1e-3;

impl Share<'_> {
    /// Take over the result of a part of the step into the state.
    pub fn finish(&mut self, part: &Part) {
        let step = part.step();
        place(step, self.s, None);
        if self.links.linear {
            self.linear_loads(part);
        }
        self.count_work(step);
        let folded = self.gained_by_folding(step);
        let Share { links, state, s, acting } = self;
        state.poses.copy_from_slice(&s.end);
        if part.to < 1.0 {
            s.trail.push(part.to, &s.end);
        }
        let (gain, decay) = (links.gain(), links.decay * state.remembered(step));
        for ((v, gained), mean) in state.velocities.iter_mut().zip(&mut state.gained).zip(&s.mean) {
            *gained = std::array::from_fn(|k| gain * (mean[k] - v[k] + decay * gained[k]));
            add_scaled(v, 1.0, gained);
        }
        state.strains.copy_from_slice(&s.start_strains);
        state.held.clear();
        for (n, h) in acting.held.iter().enumerate() {
            let end = strain(&s.held_poses[n][2], &s.end[h.link], h.arms());
            let mut change: Vec6 = std::array::from_fn(|k| end[k] - s.held_strains[n][k]);
            if h.may_slide() {
                let (from, drift) = (s.held_slid[n], s.held_drift[n]);
                s.held_slid[n] += h.beyond(end[0] - h.rest[0], from, drift);
                s.rubbed += h.rubbed([from, s.held_slid[n]], drift);
                change[0] = 0.0;
            }
            state.held.push(([h.grip, h.link], change));
        }
        // take back the energy that no force accounts for; what cables gave each other is then not given
        let taken = impact::take_energy(links, &mut state.velocities, s.unexplained(step) + folded);
        s.work.bodies -= taken * step * s.gained_between;
    }

    /// Bring touching links to rest after a part of the step, and keep what is known of it.
    pub fn come_to_rest(&mut self, part: &Part) {
        let step = part.step();
        let Share { links, state, s, acting } = self;
        let LinkState { gained, velocities, .. } = &mut **state;
        impact::settle(links, [&s.mean, gained], velocities, &mut s.touches, step);
        s.work.obstacles += step * s.touches.iter().map(Touch::led).sum::<f64>();
        if quiet(links, velocities, acting, s) {
            velocities.fill([0.0; 6]);
            gained.fill([0.0; 6]);
        }
        std::mem::swap(&mut state.means, &mut state.earlier);
        state.means.copy_from_slice(&s.mean);
        state.steps = [state.steps[1], step];
        state.loads.copy_from_slice(&s.part_loads);
        state.touches.clear();
        state.touches.extend(s.touches.iter().map(Touch::past));
        state.bear(part, &s.touches);
        for (sum, load) in s.loads.iter_mut().zip(&s.part_loads) {
            add_scaled(sum, part.to - part.from, load);
        }
        for (sum, load) in s.held_loads.iter_mut().zip(&s.part_held_loads) {
            sum.0 += load.0 * (part.to - part.from);
            sum.1 += load.1 * (part.to - part.from);
        }
    }
}

impl LinkState {
    /// Take over the forces of contacts in a part of the step: what is told of the step are their means.
    fn bear(&mut self, part: &Part, laws: &[Touch]) {
        let LinkState { touches, borne, pushed, pressed, .. } = self;
        let fraction = part.to - part.from;
        if part.from == 0.0 {
            pushed.fill(Vec3::ZERO);
            *pressed = 0.0;
            borne.clear();
        }
        for touch in &*touches {
            pushed[touch.link] += touch.force * fraction;
            *pressed += touch.force.length() * fraction;
        }
        if fraction == 1.0 {
            return;
        }
        for (touch, Touch { law, .. }) in touches.iter().zip(laws) {
            let mut share = *touch;
            share.force *= fraction;
            match borne.iter_mut().find(|known| known.is_like(touch)) {
                Some(known) => {
                    let pressing =
                        known.normal * known.normal.dot(known.force) + share.normal * share.normal.dot(share.force);
                    share.force += known.force;
                    share.normal = mean_normal(share.force, pressing, law.friction, share.normal);
                    *known = share;
                }
                None if touch.force != Vec3::ZERO || part.to == 1.0 => borne.push(share),
                None => {}
            }
        }
    }
}

/// Whether a cable that lies on something moves only by what the solver leaves. Nothing resists rolling: it would go on.
fn quiet(links: &Links, velocities: &[Vec6], acting: &Acting<'_>, s: &StepScratch) -> bool {
    s.touches.iter().any(|touch| touch.state != Contacting::Open)
        && s.touches.iter().all(|touch| touch.surface == [0.0; 3])
        && acting.held.iter().all(|held| held.poses[0] == held.poses[2])
        && velocities.iter().all(|v| links.speed(v) < QUIET * links.length)
}
