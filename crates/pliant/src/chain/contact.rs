//! Obstacles as the chain sees them: for each point near one, a plane (constraint 2 of (5)), renewed at its own rate.
//!
//! The force on a point below its plane is c_e times the depth, along the normal. (Printed with the other sign, it
//! would draw points in.) The published model stops there; so that rods come to rest on floors and lie still on slopes,
//! a touching point also loses normal speed and obeys Coulomb's law, both in a form that cannot add energy.

use super::forces::{Rows, TILE};
use crate::contact::Obstacle;
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
    pub normal: Rows,
    /// Distance of the planes from the origin along the normals, the rod's radius included [m].
    pub offset: Vec<f64>,
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
    /// How many slots are in use in each tile.
    used: Vec<u8>,
}

/// Friction and damping of touching points: what a step needs to know.
pub struct Touch {
    /// Friction of the body's own surface.
    pub friction: Friction,
    /// Displacement per force and step of an inner point, c_F or its equivalent [m/N].
    pub mobility: f64,
    /// The same of an end point.
    pub end_mobility: f64,
    /// Whether touching points lose normal speed.
    pub damped: bool,
    /// Length of the inner step [s].
    pub tau: f64,
    /// Length of rod that belongs to a point [m], for friction laws with an exponent.
    pub share: f64,
}

impl Planes {
    /// No planes yet, with room for `rows` entries (points and padding).
    pub fn new(rows: usize, points: usize, stiffness: f64) -> Planes {
        let slot = Slot {
            normal: [vec![0.0; rows], vec![0.0; rows], vec![0.0; rows]],
            offset: vec![0.0; rows],
            velocity: vec![Vec3::ZERO; rows],
            obstacle: vec![0; rows],
        };
        Planes { stiffness, slots: vec![slot; SLOTS], used: vec![0; points.div_ceil(TILE)] }
    }

    /// The slots in use in a tile.
    #[inline(always)]
    pub fn slots_in_tile(&self, tile: usize) -> &[Slot] {
        &self.slots[..self.used[tile] as usize]
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
            let point = Vec3::new(x[0][i], x[1][i], x[2][i]);
            let tile = i / TILE;
            let mut count = 0;
            for &index in near {
                if count == SLOTS {
                    break;
                }
                let obstacle = &obstacles[index];
                let pose = obstacle.sweep.at(fraction);
                let Some(face) = obstacle.params.shape.surface_near(&pose, point, reach) else { continue };
                // open a slot for the whole tile only when its first point needs it
                if count == self.used[tile] as usize {
                    self.used[tile] += 1;
                    self.slots[count].empty_tile(tile);
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
            let point = Vec3::new(x[0][i], x[1][i], x[2][i]);
            self.slots_in_tile(i / TILE).iter().filter_map(move |slot| {
                let normal = slot.normal_at(i);
                let depth = slot.offset[i] - normal.dot(point);
                (normal != Vec3::ZERO && depth > -gap).then(|| (i, slot.obstacle[i], normal, depth))
            })
        })
    }

    /// Friction and normal damping of touching points, on the displacements about to be made. Each is the exact answer
    /// of one implicit step for that point alone, so it stops a point or slows it, never speeds it up.
    pub fn resist(&self, x: &Rows, points: usize, touch: &Touch, obstacles: &[Obstacle], step: &mut Rows) {
        for i in 0..points {
            for slot in self.slots_in_tile(i / TILE) {
                let normal = slot.normal_at(i);
                let depth = slot.offset[i] - normal.dot(Vec3::new(x[0][i], x[1][i], x[2][i]));
                if depth <= 0.0 || normal == Vec3::ZERO {
                    continue;
                }
                let mobility = if i == 0 || i + 1 == points { touch.end_mobility } else { touch.mobility };
                let push = self.stiffness * depth;
                let friction = obstacles[slot.obstacle[i]].params.friction.unwrap_or(touch.friction);
                let carried = slot.velocity[i] * touch.tau;
                let relative = Vec3::new(step[0][i], step[1][i], step[2][i]) - carried;
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
                let new = carried + kept + normal * damped;
                (step[0][i], step[1][i], step[2][i]) = (new.x, new.y, new.z);
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
    fn normal_at(&self, i: usize) -> Vec3 {
        Vec3::new(self.normal[0][i], self.normal[1][i], self.normal[2][i])
    }

    fn put(&mut self, i: usize, normal: Vec3, offset: f64) {
        (self.normal[0][i], self.normal[1][i], self.normal[2][i]) = (normal.x, normal.y, normal.z);
        self.offset[i] = offset;
    }

    fn empty_tile(&mut self, tile: usize) {
        let rows = self.offset.len();
        let range = (tile * TILE).min(rows)..((tile + 1) * TILE).min(rows);
        for row in &mut self.normal {
            row[range.clone()].fill(0.0);
        }
        self.offset[range].fill(0.0);
    }
}
