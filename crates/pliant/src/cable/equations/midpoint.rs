//! The share of one cable in a step: the passive midpoint rule as equations for the mean velocities of its links.
//!
//! The unknowns are the mean velocities V of the step. With e_0, e_1 the strains at its ends, (1) and (4) of the paper
//! read
//!
//!   2 M (V - V_0) / T + C V + J^T K ((e_0 + e_1) / 2 + d J V) = F + J_c^T f,      V_1 = 2 V - V_0,
//!
//! with the damping time d and contact forces f. (As printed, the step matrix has one T too many and misses the term
//! 2 M V_0 / T.) The published step takes e_1 = e_0 + T J_0 V and solves once; it gains energy as links turn. Here e_1
//! is the strain at the end of the step and J the Jacobian of the whole step, J V T = e_1 - e_0 (see `joint`), so that
//! without damping the energy changes by the work of F and by nothing else, whatever the step size. Newton's method
//! (see `newton`) uses the tangent of all that: not symmetric, but still block-tridiagonal.
//!
//! This alone lets waves much faster than the step ring for ever, from step to step, and the forces with them. So by
//! default both strain and velocity include their change in the step before, with c = `links.decay`:
//!
//!   load = K ((e_0 + e_1) / 2 + c (de - de_before) + ...),      V = (V_0 + V_1) / 2 + c (dV - dV_before).
//!
//! Since de (de - de_before) = (de^2 - de_before^2 + (de - de_before)^2) / 2, apart from an energy c K de^2 / 2 that is
//! carried from step to step, this dissipates c K (de - de_before)^2 / 2 in a step and never adds energy, and likewise
//! the other term with M. A mode of angular frequency w loses 2 pi c (w T)^3 of its energy in a period, and modes that
//! no step can follow lose 1 - z^2 in each step, with (1/2 + c) z^2 + (1/2 - 2 c) z + c = 0. The order of accuracy
//! remains two.
//!
//! The published step is available too, see `linear`.

use crate::account::Work;
use crate::cable::algebra::block::{Vec6, add_scaled, dot, squares};
use crate::cable::contact::law::{along, minus};
use crate::cable::contact::obstacles::Search;
use crate::cable::contact::touch::Touch;
use crate::cable::equations::assembly::{assemble_links, begin, place};
use crate::cable::equations::part::{Acting, Part, Touching};
use crate::cable::equations::scratch::StepScratch;
use crate::cable::joint::strain;
use crate::cable::links::{LinkState, Links, beside_drift, drift};
use crate::cable::solver::hands::Reply;
use crate::math::Vec3;
use crate::team::Team;

/// A cable during a step.
pub struct Share<'a> {
    /// Parameters of its links.
    pub links: &'a Links,
    /// State at the start.
    pub state: &'a mut LinkState,
    /// What acts on it.
    pub acting: Acting<'a>,
    /// Working memory.
    pub s: &'a mut StepScratch,
}

/// Convergence of Newton's method, weighted by inertia.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Square of the last change of the mean velocities.
    pub change: f64,
    /// Square of the velocities relative to which it is measured.
    pub size: f64,
}

/// Scale of convergence for a cable at rest, which has no speeds: this fraction of a link per step, so that rounding
/// errors, even a kilometre from the origin, do not count as motion.
const RESTING: f64 = 1e-3;

/// Number of links from which threads share the work on one cable: it then takes longer than meeting.
const LONG: usize = 512;

impl Share<'_> {
    /// Clear the loads of the step before.
    pub fn begin_step(&mut self) {
        self.s.loads.fill([0.0; 6]);
        self.s.held_loads.clear();
        self.s.held_loads.resize(self.acting.held.len(), (Vec3::ZERO, Vec3::ZERO));
        self.s.farther = 0.0;
        self.s.trail.clear();
        self.s.rubbed = 0.0;
        self.s.work = Work::default();
    }

    /// Prepare a part of the step: strains at its start, an initial guess of the velocities, and the search for
    /// contacts.
    pub fn begin(&mut self, part: &Part, team: Option<&mut Team>) {
        let Share { links, state, acting, s } = self;
        begin(links, state, part.step(), s);
        let decay = 2.0 * links.decay * state.remembered(part.step());
        s.held_strains.clear();
        s.held_bias.clear();
        s.part_held_loads.clear();
        s.held_poses.clear();
        s.held_turns.clear();
        s.held_turns.resize(acting.held.len(), Vec3::ZERO);
        s.held_replies.resize(acting.held.len(), Reply::default());
        s.held_slid.resize(acting.held.len(), 0.0);
        s.held_drift.resize(acting.held.len(), [0.0; 2]);
        s.followed = 0;
        for slide in acting.slides {
            let h = &acting.held[slide.holds.start];
            let section = h.carried.map_or_else(|| h.pose_at(part.from), |carried| carried.start);
            slide.begin(links, acting.held, &section, &state.poses, s);
        }
        for (n, h) in acting.held.iter().enumerate() {
            let mut poses = [part.from, 0.5 * (part.from + part.to), part.to].map(|fraction| h.pose_at(fraction));
            if let Some(carried) = &h.carried {
                poses[0] = carried.start;
            }
            let mut start = strain(&poses[0], &state.poses[h.link], h.arms());
            s.held_slid[n] += h.beyond(start[0] - h.rest[0], s.held_slid[n], s.held_drift[n]);
            start[0] -= s.held_slid[n];
            let known = state.held.iter().find(|(of, _)| *of == [h.grip, h.link]);
            let changed = known.map_or([0.0; 6], |(_, changed)| *changed);
            s.held_strains.push(start);
            s.held_bias.push(std::array::from_fn(|k| start[k] - decay * changed[k] - 2.0 * h.rest[k]));
            s.part_held_loads.push((Vec3::ZERO, Vec3::ZERO));
            s.held_poses.push(poses);
        }
        if self.links.linear {
            self.linearise(part);
        }
        let Share { state, s, .. } = self;
        s.guess(state, part.step());
        self.find_touches(part, team);
    }

    fn find_touches(&mut self, part: &Part, team: Option<&mut Team>) {
        let long = self.is_long();
        let Share { links, state, acting, s } = self;
        let search = search(links, acting, part);
        s.searched = s.farther;
        let (step, gravity, farther) = (part.step(), acting.gravity, s.farther);
        let travel = |link: usize| links.travel(links.speed(&state.velocities[link]), step, gravity) + farther;
        let StepScratch { touches, found, .. } = &mut **s;
        let (count, half) = (state.poses.len(), state.poses.len() / 2);
        let Some(team) = team.filter(|_| long) else {
            search.begin(0..count, &state.poses, travel, &state.touches, touches);
            return;
        };
        team.each(&mut [(0..half, &mut *touches), (half..count, &mut *found)], |(links, found)| {
            search.begin(links.clone(), &state.poses, travel, &state.touches, found);
        });
        touches.append(found);
    }

    /// Residual at the current mean velocities, and with `tangent` the tangent, without contact. False if links turn
    /// farther than a step can follow.
    pub fn assemble(&mut self, part: &Part, tangent: bool, team: Option<&mut Team>) -> bool {
        if self.links.linear {
            return self.assemble_linear(part);
        }
        let long = self.is_long();
        self.assemble_whole(part, tangent, team.filter(|_| long))
    }

    /// Whether it is so long that its links are shared out among threads.
    pub fn is_long(&self) -> bool {
        self.s.mean.len() >= LONG && !self.links.closed
    }

    /// Residual and tangent of the midpoint step, as for [`Share::assemble`].
    pub fn assemble_whole(&mut self, part: &Part, tangent: bool, mut team: Option<&mut Team>) -> bool {
        let step = part.step();
        place(step, self.s, team.as_deref_mut());
        let Share { links, state, acting, s } = self;
        let fits = assemble_links(links, acting.gravity, step, s, tangent, team);
        for push in acting.pushes {
            push.add(step, s);
        }
        if tangent {
            acting.slides.iter().for_each(|slide| slide.follow(links, acting.held, s));
            s.followed += 1;
        }
        for (n, h) in acting.held.iter().enumerate() {
            h.add(n, links, state, step, s);
        }
        fits
    }

    /// The residual along the last change, with contacts updated but not yet in the residual: the slope of the sum of
    /// energies and contact potentials along it.
    pub fn descent(&self) -> f64 {
        let s = &self.s;
        let along: f64 = s.residual.iter().zip(&s.change).map(|(r, c)| dot(r, c)).sum();
        let pushed = |t: &Touch| {
            let (force, moved) = (t.lawful_force(&s.mean), t.moves(&s.change));
            force[0] * moved[0] + force[1] * moved[1] + force[2] * moved[2]
        };
        along - s.touches.iter().map(pushed).sum::<f64>()
    }

    /// Add contacts with obstacles to residual and tangent. Returns how many changed between open, stick and slip.
    pub fn touch(&mut self, part: &Part, touching: Touching) -> usize {
        let Share { links, acting, s, .. } = self;
        let search = search(links, acting, part);
        let mut changed = 0;
        for touch in &mut s.touches {
            if touching == Touching::Fresh {
                // from the force as found, before a new plane moves it
                touch.renew(&s.mean);
            }
            if touching != Touching::Settled {
                search.refresh(touch, &s.middle, &s.mean);
            } else if !links.linear {
                touch.follow(links.radius, &s.middle, &s.mean);
            }
            let reply = if touching == Touching::First { touch.first_reply(&s.mean) } else { touch.reply(&s.mean) };
            changed += usize::from(reply.state != touch.state);
            touch.state = reply.state;
            touch.replied = touch.leans.map(|_| reply);
            if reply.force != [0.0; 3] {
                touch.subtract(&reply.force, &mut s.residual);
                touch.add_to(&reply.slope, &mut s.matrix);
                if !links.linear {
                    let block = &mut s.matrix.diagonal[touch.link];
                    touch.add_moment(&reply.force, part.step(), &s.middle, &s.mean, block);
                }
            }
        }
        changed
    }

    /// Factor the tangent and compute the change of the mean velocities; false if the tangent is singular.
    pub fn solve(&mut self) -> bool {
        self.s.change.copy_from_slice(&self.s.residual);
        if self.links.closed {
            return self.s.matrix.solve_closed(&mut self.s.change);
        }
        if !self.s.matrix.factor() {
            return false;
        }
        self.s.matrix.solve(&mut self.s.change);
        true
    }

    /// Dot product of the residual, including contacts, with the change.
    pub fn decline(&self) -> f64 {
        self.s.residual.iter().zip(&self.s.change).map(|(r, c)| dot(r, c)).sum()
    }

    /// Size of the change, and of the velocities it is compared with.
    pub fn progress(&self, step: f64) -> Progress {
        let [moving, resting] = self.sizes(step);
        Progress { change: dot(&self.links.inertia, &squares(&self.s.change)), size: moving + resting }
    }

    /// Squares of the velocities, weighted by inertia: those of the step, and those that count as rest.
    pub(super) fn sizes(&self, step: f64) -> [f64; 2] {
        let weight = |v: &[Vec6]| beside_drift(self.links, v, &drift(v));
        let rest = self.links.inertia[0] * (RESTING * self.links.length / step).powi(2) * self.s.mean.len() as f64;
        [weight(&self.s.mean) + weight(&self.state.velocities), rest]
    }

    /// Whether it may be at rest.
    pub fn is_slow(&self, step: f64) -> bool {
        let [moving, resting] = self.sizes(step);
        moving < resting
    }

    /// Move by a fraction of the change; backwards if negative.
    pub fn go(&mut self, fraction: f64) {
        for (mean, c) in self.s.mean.iter_mut().zip(&self.s.change) {
            add_scaled(mean, -fraction, c);
        }
    }

    /// Take over the contact forces, into the residual too.
    pub fn settle_touches(&mut self) {
        let s = &mut *self.s;
        (s.gained, s.gained_between, s.power, s.met) = (0.0, 0.0, 0.0, 0.0);
        for touch in &mut s.touches {
            touch.settle(&s.mean);
            let force = along(&touch.axes, touch.force);
            let against = minus(&touch.moves(&s.mean), &touch.surface);
            let power = force[0] * against[0] + force[1] * against[1] + force[2] * against[2];
            s.gained += power.max(0.0);
            s.power += power;
            touch.subtract(&force, &mut s.residual);
        }
    }
}

/// The contact search for a part of the step.
pub fn search<'a>(links: &Links, acting: &Acting<'a>, part: &Part) -> Search<'a> {
    Search {
        obstacles: acting.obstacles,
        near: acting.near,
        part: [part.from, part.to],
        recovery: part.recovery(),
        dt: part.dt,
        radius: links.radius,
        length: links.length,
        closed: links.closed,
        friction: links.friction,
        per_contact: links.per_contact,
        rho: links.rho(part.step()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cable::holds::Held;
    use crate::linkage::Push;
    use crate::material::Friction;
    use crate::math::{Pose, Quat};

    fn silicone(count: usize) -> (Links, LinkState) {
        let (length, radius, density) = (0.4, 2e-3_f64, 1100.0);
        let (young, shear) = (4.462e6, 4.462e6 / 3.0);
        let area = std::f64::consts::PI * radius * radius;
        let (i, j) = (area * radius * radius / 4.0, area * radius * radius / 2.0);
        let h = length / count as f64;
        let mass = density * area * h;
        let across = mass * (3.0 * radius * radius + h * h) / 12.0;
        let links = Links {
            length: h,
            radius,
            inertia: [mass, mass, mass, 0.5 * mass * radius * radius, across, across],
            stiffness: [young * area, shear * area, shear * area, shear * j, young * i, young * i].map(|k| k / h),
            rest: vec![[0.0; 6]; count - 1],
            closed: false,
            twisted: false,
            self_contact: true,
            damping_time: 0.0,
            drag: 0.0,
            friction: Friction::NONE,
            per_contact: false,
            restitution: 0.0,
            linear: false,
            method: Default::default(),
            pairs: Default::default(),
            decay: 0.0,
        };
        let poses = (0..count).map(|k| Pose::from_translation(Vec3::X * (k as f64 + 0.5) * h)).collect();
        (links, LinkState::resting(poses, count - 1))
    }

    fn clamp(links: &Links) -> Held {
        let stiffness = links.stiffness.map(|k| 2.0 * k);
        Held {
            grip: 0,
            link: 0,
            offset: -0.5 * links.length,
            stiffness,
            rest: [0.0; 6],
            slips_at: f64::INFINITY,
            slid: 0.0,
            share: 1.0,
            poses: [Pose::IDENTITY; 3],
            carried: None,
        }
    }

    #[test]
    fn the_tangent_is_the_derivative_of_the_residual() {
        let (mut links, mut state) = silicone(4);
        links.damping_time = 2e-3;
        for (i, pose) in state.poses.iter_mut().enumerate() {
            let x = i as f64 + 1.0;
            pose.rotation = Quat::from_scaled_axis(Vec3::new(0.1 * x.sin(), 0.2 * x.cos(), 0.1 * (2.0 * x).sin()));
            pose.translation += Vec3::new(0.0, 1e-3 * x.sin(), 2e-3 * x.cos());
            state.velocities[i] = std::array::from_fn(|k| (x * (k as f64 + 1.0)).sin() * if k < 3 { 0.1 } else { 2.0 });
        }
        let torque = Vec3::new(1e-5, -2e-5, 3e-5);
        let pushes = [Push { link: 2, offset: 0.02, force: Vec3::new(1e-3, 2e-3, -1e-3), torque }];
        let (held, step) = ([clamp(&links)], 5e-3);
        let acting = Acting {
            gravity: Vec3::ZERO,
            held: &held,
            slides: &[],
            pushes: &pushes,
            loads: 1,
            obstacles: &[],
            near: &[],
        };
        let mut s = StepScratch::new(4, 1, false);
        let part = Part::whole(step);
        let base: Vec<Vec6> = state.velocities.iter().map(|v| v.map(|x| 0.9 * x)).collect();
        let mut share = Share { links: &links, state: &mut state, acting, s: &mut s };
        share.begin(&part, None);
        let mut residual = |mean: &[Vec6]| {
            share.s.mean.copy_from_slice(mean);
            // twice, because the tangent uses the load where it was last evaluated
            assert!(share.assemble(&part, true, None) && share.assemble(&part, true, None));
            (share.s.residual.clone(), share.s.matrix.clone())
        };
        let matrix = residual(&base).1;
        for j in 0..4 {
            for k in 0..6 {
                let h = if k < 3 { 1e-6 } else { 1e-4 };
                let mut at = |sign: f64| {
                    let mut mean = base.clone();
                    mean[j][k] += sign * h;
                    residual(&mean).0
                };
                let (up, down) = (at(1.0), at(-1.0));
                for (i, r) in (0..4).flat_map(|i| (0..6).map(move |r| (i, r))) {
                    let slope = (up[i][r] - down[i][r]) / (2.0 * h);
                    let got = match i.abs_diff(j) {
                        0 => matrix.diagonal[i][r][k],
                        1 if j > i => matrix.right[i][r][k],
                        1 => matrix.below[j][r][k],
                        _ => 0.0,
                    };
                    // omitted are the change of J with the moments, and of J with the rotation over the whole step
                    let scale = matrix.diagonal[j][k][k].abs().max(matrix.diagonal[i][r][r].abs());
                    assert!((got - slope).abs() < 0.05 * scale, "({i},{r}) by ({j},{k}): {got} for {slope}");
                }
            }
        }
    }
}
