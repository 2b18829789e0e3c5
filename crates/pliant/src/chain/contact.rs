//! Obstacles as the chain sees them: for each point near one, a plane (constraint 2 of (5)), renewed at its own rate.
//!
//! The force on a point below its plane is c_e times the depth, along the normal. (Printed with the other sign, it
//! would draw points in.) The published model stops there; so that rods come to rest on floors and lie still on slopes,
//! a touching point also loses normal speed and obeys Coulomb's law, both in a form that cannot add energy.

use crate::contact::Obstacle;
use crate::lanes::{LANES, Lanes, Lanes3, Row, Rows, get, set, zero_rows};
use crate::material::Friction;
use crate::math::Vec3;

/// How many planes a point may have at once: a corner of three faces, and one to spare.
const SLOTS: usize = 4;

/// Fraction of critical damping of a touching point against its plane.
const NORMAL_DAMPING: f64 = 0.5;

/// One plane for each point; a zero normal means none.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// Unit normals out of the obstacle.
    normal: Rows,
    /// Distance of the planes from the origin along the normals, the rod's radius included [m].
    offset: Row,
    /// Velocity of the obstacle there [m/s].
    velocity: Vec<Vec3>,
    /// Index of the obstacle.
    obstacle: Vec<usize>,
}

/// All planes of a chain.
#[derive(Clone, Debug, PartialEq)]
pub struct Planes {
    /// c_e of the planes [N/m].
    pub stiffness: f64,
    slots: Vec<Slot>,
    /// How many slots are in use in each block of points.
    used: Vec<u8>,
}

/// Friction and damping of touching points: what a step needs to know.
pub struct Touch {
    /// Friction of the body's own surface.
    pub friction: Friction,
    /// Whether touching points lose normal speed.
    pub damped: bool,
    /// Length of the inner step [s].
    pub tau: f64,
    /// Length of rod that belongs to a point [m], for friction laws with an exponent.
    pub share: f64,
}

impl Planes {
    /// No planes yet, with room for `blocks` blocks of points.
    pub fn new(blocks: usize, stiffness: f64) -> Planes {
        let slot = Slot {
            normal: zero_rows(blocks),
            offset: vec![[0.0; LANES]; blocks],
            velocity: vec![Vec3::ZERO; blocks * LANES],
            obstacle: vec![0; blocks * LANES],
        };
        Planes { stiffness, slots: vec![slot; SLOTS], used: vec![0; blocks] }
    }

    /// The slots in use in a block.
    #[inline(always)]
    pub fn slots_at(&self, block: usize) -> &[Slot] {
        &self.slots[..self.used[block] as usize]
    }

    /// Whether any point has a plane.
    pub fn any(&self) -> bool {
        self.used.iter().any(|&u| u > 0)
    }

    /// Drop all planes.
    pub fn clear(&mut self) {
        self.used.fill(0);
    }

    /// Find the planes anew: for each point the nearest faces within `reach`. `fraction` and `dt` place moving
    /// obstacles within the step.
    #[allow(clippy::too_many_arguments)]
    pub fn renew(
        &mut self,
        x: &Rows,
        points: usize,
        radius: f64,
        reach: f64,
        obstacles: &[Obstacle],
        near: &[usize],
        (fraction, dt): (f64, f64),
    ) {
        self.clear();
        if near.is_empty() {
            return;
        }
        for i in 0..points {
            let point = get(x, i);
            let block = i / LANES;
            let mut count = 0;
            for &index in near {
                if count == SLOTS {
                    break;
                }
                let obstacle = &obstacles[index];
                let pose = obstacle.sweep.at(fraction);
                let Some(face) = obstacle.params.shape.surface_near(&pose, point, reach) else { continue };
                // open a slot for the whole block when its first point needs it
                if count == self.used[block] as usize {
                    self.used[block] += 1;
                    self.slots[count].empty(block);
                }
                let slot = &mut self.slots[count];
                slot.put(i, face.normal, face.normal.dot(face.point) + radius);
                slot.velocity[i] = obstacle.sweep.velocity_of(face.point, dt);
                slot.obstacle[i] = index;
                count += 1;
            }
        }
    }

    /// Every plane that a point is below, or less than `gap` above: point, obstacle, normal, depth.
    pub fn within<'a>(
        &'a self,
        x: &'a Rows,
        points: usize,
        gap: f64,
    ) -> impl Iterator<Item = (usize, usize, Vec3, f64)> + 'a {
        (0..points).flat_map(move |i| {
            let point = get(x, i);
            self.slots_at(i / LANES).iter().filter_map(move |slot| {
                let normal = get(&slot.normal, i);
                let depth = slot.offset_at(i) - normal.dot(point);
                (normal != Vec3::ZERO && depth > -gap).then(|| (i, slot.obstacle[i], normal, depth))
            })
        })
    }

    /// Friction and normal damping of touching points, on the displacements about to be made. Each is the exact answer
    /// of one implicit step for that point alone, so it stops a point or slows it, never speeds it up.
    pub fn resist(
        &self,
        x: &Rows,
        mobility: &Row,
        points: usize,
        touch: &Touch,
        obstacles: &[Obstacle],
        step: &mut Rows,
    ) {
        for i in 0..points {
            let mobility = mobility[i / LANES][i % LANES];
            for slot in self.slots_at(i / LANES) {
                let normal = get(&slot.normal, i);
                let depth = slot.offset_at(i) - normal.dot(get(x, i));
                if depth <= 0.0 || normal == Vec3::ZERO {
                    continue;
                }
                let push = self.stiffness * depth;
                let friction = obstacles[slot.obstacle[i]].params.friction.unwrap_or(touch.friction);
                let carried = slot.velocity[i] * touch.tau;
                let relative = get(step, i) - carried;
                let along = relative.dot(normal);
                let slide = relative - normal * along;
                let held = friction_limit(&friction, push, touch.share) * mobility;
                let slid = slide.length();
                let kept = if slid > held { slide * (1.0 - held / slid) } else { Vec3::ZERO };
                let damped = if touch.damped {
                    let omega_tau = (self.stiffness * mobility).sqrt();
                    // damping may not pull: never less than the displacement without any contact force
                    (along / (1.0 + 2.0 * NORMAL_DAMPING * omega_tau)).max(along - push * mobility)
                } else {
                    along
                };
                set(step, i, carried + kept + normal * damped);
            }
        }
    }
}

/// Largest friction force for a normal force on a piece of rod of length `share` [N]: kappa share^(1-N) push^N, which
/// does not depend on the number of points.
fn friction_limit(friction: &Friction, push: f64, share: f64) -> f64 {
    if friction.exponent == 1.0 {
        friction.coefficient * push
    } else {
        friction.coefficient * share.powf(1.0 - friction.exponent) * push.powf(friction.exponent)
    }
}

impl Slot {
    /// Forces on a block of points from its planes.
    #[inline(always)]
    pub fn push<L: Lanes>(&self, stiffness: f64, x: Lanes3<L>, block: usize) -> Lanes3<L> {
        let normal = Lanes3::load(&self.normal.each_ref().map(Vec::as_slice), block);
        let depth = L::load(&self.offset[block]) - normal.dot(x);
        normal.scale(depth.max(L::splat(0.0)) * L::splat(stiffness))
    }

    fn offset_at(&self, i: usize) -> f64 {
        self.offset[i / LANES][i % LANES]
    }

    fn put(&mut self, i: usize, normal: Vec3, offset: f64) {
        set(&mut self.normal, i, normal);
        self.offset[i / LANES][i % LANES] = offset;
    }

    fn empty(&mut self, block: usize) {
        for row in &mut self.normal {
            row[block] = [0.0; LANES];
        }
        self.offset[block] = [0.0; LANES];
    }
}
