//! Contact of the chain with obstacles: each point near one has a plane (constraint 2 of (5)), updated at its own rate.
//! So has each place of a segment that comes nearer than its points, see `between`.
//!
//! The force on a point below its plane is c_e times the depth, along the normal. (The printed sign would pull points
//! in.) The published model has no more than this. For rods to come to rest on floors and stay on slopes, a touching
//! point here also loses normal speed and obeys Coulomb's law, both in a form that cannot add energy.

use super::between::{Between, MOST};
use crate::body::There;
use crate::bytes::stored;
use crate::contact::Obstacle;
use crate::lanes::{LANES, Lanes, Lanes3, Row, Rows, get, set, zero_rows};
use crate::material::Friction;
use crate::math::Vec3;

/// Limit on the planes of a point: three for a corner, and one to spare.
const SLOTS: usize = 4;

/// Damping of a touching point against its plane, as a fraction of critical damping.
const NORMAL_DAMPING: f64 = 0.5;

/// Depth below a plane at which Newton's law stops a place, as a fraction of the rod's radius: the centre line stays
/// outside however fast it comes.
const DEEPEST: f64 = 0.5;

/// The plane that approximates an obstacle near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plane {
    /// Unit normal out of the obstacle.
    pub normal: Vec3,
    /// Distance of the plane from the origin along the normal, the rod's radius included [m].
    pub offset: f64,
    /// Velocity of the obstacle there [m/s].
    pub velocity: Vec3,
    /// Index of the obstacle.
    pub obstacle: usize,
}

impl Plane {
    const NONE: Plane = Plane { normal: Vec3::ZERO, offset: 0.0, velocity: Vec3::ZERO, obstacle: usize::MAX };

    pub fn depth(&self, point: Vec3) -> f64 {
        self.offset - self.normal.dot(point)
    }
}

/// Cosine between normals below which a new face counts as the back of the old one.
pub(super) const OPPOSITE: f64 = -0.5;

/// One plane per point; a zero normal means none. Values that the kernel reads are stored in rows.
#[derive(Clone, Debug)]
pub struct Slot {
    normal: Rows,
    offset: Row,
    /// Change of the offset in a model step due to motion of the obstacle [m].
    drift: Row,
    velocity: Vec<Vec3>,
    obstacle: Vec<usize>,
    /// Friction and damping in the last model step [N].
    resistance: Vec<Vec3>,
}

/// A place of the rod below its plane, or just above it.
pub struct Touching {
    /// Index of the point at or before it, and the fraction of the way from there to the next.
    pub at: (usize, f64),
    /// Index of the obstacle.
    pub obstacle: usize,
    /// Unit normal out of the obstacle.
    pub normal: Vec3,
    /// Depth below the plane [m]; negative above it.
    pub depth: f64,
    /// Force on the rod, friction and damping of the last model step included [N].
    pub force: Vec3,
}

/// All planes of a chain.
#[derive(Clone, Debug)]
pub struct Planes {
    /// c_e of the planes [N/m].
    pub stiffness: f64,
    slots: Vec<Slot>,
    /// Number of slots in use in each block of points.
    used: Vec<u8>,
    /// Places between points, in the order of their segments.
    pub(super) between: Vec<Between>,
    /// Memory for those of the last search; empty between searches.
    pub(super) last: Vec<Between>,
    /// Whether any of the obstacles moves.
    pub(super) moving: bool,
}

impl PartialEq for Planes {
    /// Slots that are not in use are ignored.
    fn eq(&self, other: &Planes) -> bool {
        let same = |block: usize| {
            let pairs = self.slots_at(block).iter().zip(other.slots_at(block));
            pairs.into_iter().all(|(a, b)| a.is_same(b, block))
        };
        (self.stiffness, &self.used, self.moving) == (other.stiffness, &other.used, other.moving)
            && self.between == other.between
            && (0..self.used.len()).all(same)
    }
}

impl Slot {
    /// Copy a block of another slot.
    fn copy_block(&mut self, other: &Slot, block: usize) {
        let Slot { normal, offset, drift, velocity, obstacle, resistance } = other;
        let points = block * LANES..(block + 1) * LANES;
        (0..3).for_each(|axis| self.normal[axis][block] = normal[axis][block]);
        (self.offset[block], self.drift[block]) = (offset[block], drift[block]);
        self.velocity[points.clone()].copy_from_slice(&velocity[points.clone()]);
        self.obstacle[points.clone()].copy_from_slice(&obstacle[points.clone()]);
        self.resistance[points.clone()].copy_from_slice(&resistance[points]);
    }

    /// Whether a block equals that of another slot.
    fn is_same(&self, other: &Slot, block: usize) -> bool {
        let points = block * LANES..(block + 1) * LANES;
        (0..3).all(|axis| self.normal[axis][block] == other.normal[axis][block])
            && (self.offset[block], self.drift[block]) == (other.offset[block], other.drift[block])
            && self.velocity[points.clone()] == other.velocity[points.clone()]
            && self.obstacle[points.clone()] == other.obstacle[points.clone()]
            && self.resistance[points.clone()] == other.resistance[points]
    }
}

/// Constants of friction and damping of touching points in a model step.
pub struct Touch {
    /// Friction of the body's own surface.
    pub friction: Friction,
    /// Whether touching points lose normal speed.
    pub damped: bool,
    /// Length of the inner step [s].
    pub tau: f64,
    /// Length of rod that belongs to a point [m], for friction laws with an exponent.
    pub share: f64,
    /// Radius of the rod [m].
    pub radius: f64,
}

impl Touch {
    /// The displacement of a place that is below its plane after friction and normal damping, from that without them.
    /// `mobility` is that of the place [m/N].
    #[inline]
    pub(super) fn resisted(
        &self,
        plane: &Plane,
        depth: f64,
        stiffness: f64,
        mobility: f64,
        moved: Vec3,
        obstacles: &[Obstacle],
    ) -> Vec3 {
        let (normal, push) = (plane.normal, stiffness * depth);
        let friction = obstacles[plane.obstacle].friction_with(self.friction).over(self.share);
        let carried = plane.velocity * self.tau;
        let relative = moved - carried;
        let along = relative.dot(normal);
        let slide = relative - normal * along;
        let mut damped = along;
        if self.damped {
            let omega_tau = (stiffness * mobility).sqrt();
            // damping must not pull: never less than the displacement without any contact force
            damped = (along / (1.0 + 2.0 * NORMAL_DAMPING * omega_tau)).max(along - push * mobility);
            damped = damped.max((depth - DEEPEST * self.radius).min(0.0));
        }
        // the whole normal force limits friction
        let pressed = (push + (damped - along) / mobility).max(0.0);
        let held = friction.limit(pressed) * mobility;
        let slid = slide.length();
        let kept = if slid > held { slide * (1.0 - held / slid) } else { Vec3::ZERO };
        carried + kept + normal * damped
    }
}

/// Parameters of the search for faces of obstacles.
pub struct Search<'a> {
    /// All obstacles.
    pub obstacles: &'a [Obstacle],
    /// Indices of those that can be touched.
    pub near: &'a [usize],
    /// Fraction of the world step at which to search.
    pub fraction: f64,
    /// Length of the world step [s].
    pub dt: f64,
    /// Length of the model step [s].
    pub tau: f64,
    /// Radius of the rod [m].
    pub radius: f64,
    /// How far the rod can travel before the next search, plus its radius [m].
    pub reach: f64,
    /// Time until the next search [s].
    pub interval: f64,
}

impl Search<'_> {
    /// Find the faces nearest to a point, deepest first, and return their number. `old` are its previous planes.
    fn near(&self, point: Vec3, old: &[Plane], found: &mut [Plane; SLOTS]) -> usize {
        let mut count = 0;
        for &index in self.near {
            let obstacle = &self.obstacles[index];
            let sweep = &obstacle.sweep;
            // a moving obstacle approaches by itself
            let here = sweep.velocity_of(point, self.fraction, self.dt);
            let travel = 1.5 * here.length() * self.interval;
            let pose = sweep.at(self.fraction);
            let mut faces = [None; SLOTS];
            obstacle.params.shape.surfaces_near(&pose, point, self.reach + travel, &mut faces);
            // a point pushed deep into a thin obstacle must not come out at the back, nor lose its plane
            let deepest = 3.0 * self.radius + 2.0 * travel;
            let is_kept = |o: &&Plane| o.obstacle == index && (0.0..deepest).contains(&o.depth(point));
            let kept = old.iter().find(is_kept);
            if faces[0].is_none()
                && let Some(kept) = kept
            {
                insert(Plane { velocity: here, ..*kept }, point, found, &mut count);
            }
            for face in faces.into_iter().flatten() {
                let velocity = sweep.velocity_of(face.point, self.fraction, self.dt);
                let offset = face.normal.dot(face.point) + self.radius;
                let new = Plane { normal: face.normal, offset, velocity, obstacle: index };
                let plane = match kept.filter(|k| k.normal.dot(new.normal) < OPPOSITE) {
                    Some(kept) => Plane { velocity, ..*kept },
                    None => new,
                };
                insert(plane, point, found, &mut count);
            }
        }
        count
    }
}

impl Planes {
    /// No planes, with space for `blocks` blocks of points.
    pub fn new(blocks: usize, stiffness: f64) -> Planes {
        let (between, last) = (Vec::with_capacity(blocks * LANES * MOST), Vec::with_capacity(blocks * LANES * MOST));
        let slot = Slot {
            normal: zero_rows(blocks),
            offset: vec![[0.0; LANES]; blocks],
            drift: vec![[0.0; LANES]; blocks],
            velocity: vec![Vec3::ZERO; blocks * LANES],
            obstacle: vec![0; blocks * LANES],
            resistance: vec![Vec3::ZERO; blocks * LANES],
        };
        Planes { stiffness, slots: vec![slot; SLOTS], used: vec![0; blocks], between, last, moving: false }
    }

    /// Whether they are of as many points as others, and of obstacles that are there.
    pub fn fits(&self, others: &Planes, points: usize, there: &There) -> bool {
        let like = |slot: &Slot, other: &Slot| {
            let Slot { normal, offset, drift, velocity, obstacle, resistance } = slot;
            let (blocks, lanes) = (other.offset.len(), other.velocity.len());
            let is = |i: usize| get(normal, i) == Vec3::ZERO || obstacle[i] < there.obstacles;
            normal.iter().all(|row| row.len() == blocks)
                && [offset.len(), drift.len()] == [blocks; 2]
                && [velocity.len(), obstacle.len(), resistance.len()] == [lanes; 3]
                && (0..points).all(is)
        };
        let within = |place: &Between| place.segment + 1 < points && place.plane.obstacle < there.obstacles;
        self.slots.len() == others.slots.len()
            && self.used.len() == others.used.len()
            && self.between.iter().all(within)
            && self.last.is_empty()
            && self.used.iter().all(|used| usize::from(*used) <= SLOTS)
            && self.slots.iter().zip(&others.slots).all(|(slot, other)| like(slot, other))
    }

    /// Copy other planes with the same number of blocks.
    pub fn copy_from(&mut self, other: &Planes) {
        let Planes { stiffness, slots, used, between, last: _, moving } = other;
        (self.stiffness, self.moving) = (*stiffness, *moving);
        self.used.clone_from(used);
        self.between.clone_from(between);
        // only slots in use are copied, as most blocks of most rods touch nothing
        for (block, used) in used.iter().enumerate() {
            for (slot, theirs) in self.slots.iter_mut().zip(&slots[..*used as usize]) {
                slot.copy_block(theirs, block);
            }
        }
    }

    /// The slots in use in a block.
    #[inline(always)]
    pub fn slots_at(&self, block: usize) -> &[Slot] {
        &self.slots[..self.used[block] as usize]
    }

    /// Make room for the places of all segments, so that a step does not allocate.
    pub fn reserve(&mut self) {
        let most = self.used.len() * LANES * MOST;
        self.between.reserve(most.saturating_sub(self.between.len()));
        self.last.reserve(most);
    }

    /// Whether any point or segment has a plane.
    pub fn any(&self) -> bool {
        !self.between.is_empty() || self.used.iter().any(|&u| u > 0)
    }

    /// Add the forces of planes between points.
    #[inline]
    pub fn push_between(&self, x: &Rows, force: &mut Rows) {
        self.between.iter().for_each(|place| place.push(self.stiffness, x, force));
    }

    /// Update the planes: for each point, the nearest faces within reach, and the places between that come nearer.
    /// Returns work done on the rod by bringing it out of what it began in [J].
    pub fn renew(&mut self, x: &Rows, points: usize, search: &Search<'_>) -> f64 {
        self.moving = false;
        for block in 0..points.div_ceil(LANES) {
            let before = self.slots_at(block).len();
            let mut found = [[Plane::NONE; SLOTS]; LANES];
            let mut most = 0;
            for lane in 0..LANES.min(points - block * LANES) {
                let i = block * LANES + lane;
                let mut old = [Plane::NONE; SLOTS];
                for (old, slot) in old.iter_mut().zip(&self.slots[..before]) {
                    *old = slot.get(i);
                }
                most = search.near(get(x, i), &old[..before], &mut found[lane]).max(most);
            }
            self.used[block] = most as u8;
            for (lane, planes) in found.iter().enumerate() {
                for (slot, plane) in self.slots[..most].iter_mut().zip(planes) {
                    slot.put(block * LANES + lane, plane, search.tau);
                    self.moving |= plane.velocity != Vec3::ZERO;
                }
            }
        }
        self.renew_between(x, points, search)
    }

    /// Energy of what is below its planes [J].
    pub fn stored(&self, x: &Rows, points: usize) -> f64 {
        let energy = |i: usize| {
            let point = get(x, i);
            let deep = |slot: &Slot| slot.get(i).depth(point).max(0.0);
            let touching = |slot: &&Slot| get(&slot.normal, i) != Vec3::ZERO;
            self.slots_at(i / LANES).iter().filter(touching).map(|slot| deep(slot).powi(2)).sum::<f64>()
        };
        let between: f64 = self.between.iter().map(|place| place.depth(x).max(0.0).powi(2)).sum();
        0.5 * self.stiffness * ((0..points).map(energy).sum::<f64>() + between)
    }

    /// Drop the planes of a removed obstacle; the indices of those after it drop by one.
    pub fn forget_obstacle(&mut self, gone: usize) {
        for slot in &mut self.slots {
            for i in 0..slot.obstacle.len() {
                if slot.obstacle[i] == gone {
                    slot.put(i, &Plane::NONE, 0.0);
                } else if slot.obstacle[i] != usize::MAX && slot.obstacle[i] > gone {
                    slot.obstacle[i] -= 1;
                }
            }
        }
        self.between.retain(|place| place.plane.obstacle != gone);
        for place in self.between.iter_mut().filter(|place| place.plane.obstacle > gone) {
            place.plane.obstacle -= 1;
        }
    }

    /// Move the planes with their obstacles by one model step of `tau` [s]. Returns the work of this motion on the
    /// points [J]: that of the contact springs, and that of friction and damping forces.
    #[inline]
    pub fn drift(&mut self, x: &Rows, points: usize, tau: f64) -> f64 {
        if !self.moving {
            return 0.0;
        }
        let mut carried = 0.0;
        for i in 0..points {
            for slot in self.slots_at(i / LANES) {
                carried += slot.resistance[i].dot(slot.velocity[i]) * tau;
            }
        }
        for place in &self.between {
            carried += place.resistance.dot(place.plane.velocity) * tau;
        }
        let before = self.stored(x, points);
        self.move_on(tau);
        carried + self.stored(x, points) - before
    }

    #[inline]
    fn move_on(&mut self, tau: f64) {
        for place in &mut self.between {
            place.plane.offset += place.plane.normal.dot(place.plane.velocity) * tau;
        }
        for (block, used) in self.used.iter().enumerate() {
            for slot in &mut self.slots[..*used as usize] {
                for (offset, drift) in slot.offset[block].iter_mut().zip(slot.drift[block]) {
                    *offset += drift;
                }
            }
        }
    }

    /// All contacts of places that are below a plane, or less than `gap` [m] above it.
    pub fn within<'a>(&'a self, x: &'a Rows, points: usize, gap: f64) -> impl Iterator<Item = Touching> + 'a {
        let touching = move |at: (usize, f64), plane: Plane, depth: f64, resistance: Vec3| {
            let push = plane.normal * (self.stiffness * depth.max(0.0));
            let (obstacle, normal, force) = (plane.obstacle, plane.normal, push + resistance);
            (normal != Vec3::ZERO && depth > -gap).then_some(Touching { at, obstacle, normal, depth, force })
        };
        let of_points = (0..points).flat_map(move |i| {
            let point = get(x, i);
            self.slots_at(i / LANES).iter().filter_map(move |slot| {
                let plane = slot.get(i);
                touching((i, 0.0), plane, plane.depth(point), slot.resistance[i])
            })
        });
        let between = self.between.iter();
        of_points.chain(between.filter_map(move |p| touching((p.segment, p.weight), p.plane, p.depth(x), p.resistance)))
    }

    /// Apply friction and normal damping to the displacements of touching points. Each is the exact solution of one
    /// implicit step for that point alone, so it can slow or stop a point but never speed it up.
    pub fn resist(
        &mut self,
        x: &Rows,
        mobility: &Row,
        points: usize,
        touch: &Touch,
        obstacles: &[Obstacle],
        step: &mut Rows,
    ) {
        for i in 0..points {
            let mobility = mobility[i / LANES][i % LANES];
            let stiffness = self.stiffness;
            for slot in &mut self.slots[..self.used[i / LANES] as usize] {
                let plane = slot.get(i);
                slot.resistance[i] = Vec3::ZERO;
                let depth = plane.depth(get(x, i));
                if depth <= 0.0 || plane.normal == Vec3::ZERO {
                    continue;
                }
                let moved = get(step, i);
                let new = touch.resisted(&plane, depth, stiffness, mobility, moved, obstacles);
                slot.resistance[i] = (new - moved) / mobility;
                set(step, i, new);
            }
        }
        for place in &mut self.between {
            place.resist(self.stiffness, x, mobility, touch, obstacles, step);
        }
    }
}

/// Insert by depth, deepest first.
fn insert(plane: Plane, point: Vec3, found: &mut [Plane; SLOTS], count: &mut usize) {
    let at = found[..*count].iter().position(|f| f.depth(point) < plane.depth(point)).unwrap_or(*count);
    if at < SLOTS {
        *count = (*count + 1).min(SLOTS);
        found[at..*count].rotate_right(1);
        found[at] = plane;
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

    pub(super) fn get(&self, i: usize) -> Plane {
        Plane {
            normal: get(&self.normal, i),
            offset: self.offset[i / LANES][i % LANES],
            velocity: self.velocity[i],
            obstacle: self.obstacle[i],
        }
    }

    fn put(&mut self, i: usize, plane: &Plane, tau: f64) {
        set(&mut self.normal, i, plane.normal);
        self.offset[i / LANES][i % LANES] = plane.offset;
        self.drift[i / LANES][i % LANES] = plane.normal.dot(plane.velocity) * tau;
        self.velocity[i] = plane.velocity;
        self.obstacle[i] = plane.obstacle;
        self.resistance[i] = Vec3::ZERO;
    }
}

stored!(Slot { normal, offset, drift, velocity, obstacle, resistance });
stored!(Plane { normal, offset, velocity, obstacle });
stored!(Planes { stiffness, slots, used, between, last, moving });
