//! Structure of a body: particles with masses, connectors, facets. Built once; only driven rest angles and changed
//! materials alter it.

use super::connectors::{Hinge, Link, LinkKind, Swell, SwellKind};
use super::joint::{Joint, Rows};
use super::order::{Block, MOST_BLOCKS};
use super::params::Drive;
use crate::math::Vec3;
use crate::team::Team;

/// Structure of a body.
#[derive(Clone, Debug, Default)]
pub struct Matter {
    /// Mass of each particle [kg].
    pub masses: Vec<f64>,
    /// Indices of individually given particles.
    pub points: Vec<u32>,
    /// Links, sorted by their first ends.
    pub links: Vec<Link>,
    /// Kinds of the connectors above.
    pub link_kinds: Vec<LinkKind>,
    /// Angle connectors.
    pub hinges: Vec<Hinge>,
    /// Driven angle connectors: index and motion.
    pub drives: Vec<(usize, Drive)>,
    /// Rest angles of the angle connectors before they are driven [rad].
    pub rests: Vec<f64>,
    /// Number of kinds of links that come from the material; those of individual links follow.
    pub own_kinds: usize,
    /// Volume connectors.
    pub swells: Vec<Swell>,
    /// Kinds of the connectors above.
    pub swell_kinds: Vec<SwellKind>,
    /// Joints between parts.
    pub joints: Vec<Joint>,
    /// Particles and connectors in blocks, for distribution to threads.
    pub blocks: Vec<Block>,
    /// Facets of the surface, counter-clockwise seen from outside.
    pub facets: Vec<[u32; 3]>,
    /// Turn of the surface at the edges of the facets, see `edge_turns`.
    pub turns: Vec<[f64; 3]>,
}

/// Work of one thread.
#[derive(Default)]
struct Share<'a> {
    /// Index of the block.
    block: usize,
    /// Index of its first particle.
    start: usize,
    /// Forces on the particles of this block and the next [N].
    forces: &'a mut [Vec3],
}

/// Margin on the squared frequency found by the iteration, which may be too low by less than this factor.
const MISSED: f64 = 1.15;

impl Matter {
    /// Number of particles.
    pub fn size(&self) -> usize {
        self.masses.len()
    }

    /// Mass [kg].
    pub fn mass(&self) -> f64 {
        self.masses.iter().sum()
    }

    /// Move what is driven to where it is at rest at a time [s].
    pub fn drive(&mut self, time: f64) {
        for &(hinge, drive) in &self.drives {
            self.hinges[hinge].rest = drive.at(self.rests[hinge], time);
        }
        self.joints.iter_mut().for_each(|joint| joint.drive(time));
    }

    /// Where driven connectors, and all joints, are at rest now [rad or m].
    pub fn rests_now(&self) -> impl Iterator<Item = f64> {
        let hinges = self.drives.iter().map(|(hinge, _)| self.hinges[*hinge].rest);
        hinges.chain(self.joints.iter().map(|joint| joint.rest))
    }

    /// Set where they are at rest.
    pub fn set_rests(&mut self, rests: &[f64]) {
        let mut rests = rests.iter().copied();
        for ((hinge, _), rest) in self.drives.iter().zip(&mut rests) {
            self.hinges[*hinge].rest = rest;
        }
        self.joints.iter_mut().zip(rests).for_each(|(joint, rest)| joint.rest = rest);
    }

    /// Add the forces of all connectors: first those of every other block, then the rest. Those between particles held
    /// by the same grip are skipped, as they have no effect; `leaders` may be empty.
    pub fn push(&self, team: &mut Team, leaders: &[u32], places: &[Vec3], velocities: &[Vec3], forces: &mut [Vec3]) {
        for first in 0..self.blocks.len().min(2) {
            let mut shares: [Share<'_>; MOST_BLOCKS] = std::array::from_fn(|_| Share::default());
            let (mut rest, mut at, mut count) = (&mut *forces, 0, 0);
            for k in (first..self.blocks.len()).step_by(2) {
                let start = self.blocks[k].particles.start;
                let end = self.blocks.get(k + 1).map_or(self.size(), |next| next.particles.end);
                let (_, behind) = rest.split_at_mut(start - at);
                let (own, behind) = behind.split_at_mut(end - start);
                shares[count] = Share { block: k, start, forces: own };
                (rest, at, count) = (behind, end, count + 1);
            }
            team.each(&mut shares[..count], |share| self.push_block(leaders, places, velocities, share));
        }
        self.joints.iter().for_each(|joint| joint.push(places, velocities, forces));
    }

    /// Add the forces of a block's connectors.
    fn push_block(&self, leaders: &[u32], places: &[Vec3], velocities: &[Vec3], share: &mut Share<'_>) {
        let (block, start) = (&self.blocks[share.block], share.start);
        let forces = &mut *share.forces;
        let led = |ids: &[u32]| {
            let leader = |n: u32| leaders.get(n as usize).copied().unwrap_or(0);
            let first = leader(ids[0]);
            first != 0 && ids[1..].iter().all(|n| leader(*n) == first)
        };
        for link in self.links[block.links.clone()].iter().filter(|link| !led(&link.ends)) {
            let [a, b] = link.ends.map(|end| end as usize);
            let kind = &self.link_kinds[link.kind as usize];
            let force = kind.force(places[a] - places[b], velocities[a] - velocities[b]);
            forces[a - start] += force;
            forces[b - start] -= force;
        }
        for hinge in &self.hinges[block.hinges.clone()] {
            let ids = [hinge.ends[0], hinge.ends[1], hinge.middle].map(|n| n as usize);
            let side = hinge.side.map(|n| places[n as usize]);
            let turned = hinge.turn(ids.map(|n| places[n]), ids.map(|n| velocities[n]), side);
            ids.into_iter().zip(turned.forces).for_each(|(n, force)| forces[n - start] += force);
        }
        for swell in self.swells[block.swells.clone()].iter().filter(|swell| !led(&swell.corners)) {
            let ids = swell.corners.map(|n| n as usize);
            let kind = &self.swell_kinds[swell.kind as usize];
            // filled in place, as results of `map` would be copied
            let (mut corners, mut moving) = ([Vec3::ZERO; 8], [Vec3::ZERO; 8]);
            for k in 0..8 {
                (corners[k], moving[k]) = (places[ids[k]], velocities[ids[k]]);
            }
            kind.push(&corners, &moving, |n, force| forces[ids[n] - start] += force);
        }
    }

    /// Energy of all connectors [J].
    pub fn elastic(&self, places: &[Vec3]) -> f64 {
        let place = |n: u32| places[n as usize];
        let links = self.links.iter().map(|link| {
            let [a, b] = link.ends.map(place);
            self.link_kinds[link.kind as usize].energy(a - b)
        });
        let hinges = self.hinges.iter().map(|hinge| {
            let at = [hinge.ends[0], hinge.ends[1], hinge.middle].map(place);
            let off = hinge.turn(at, [Vec3::ZERO; 3], hinge.side.map(place)).off;
            0.5 * hinge.stiffness * off * off
        });
        let swells =
            self.swells.iter().map(|swell| self.swell_kinds[swell.kind as usize].energy(&swell.corners.map(place)));
        let joints = self.joints.iter().map(|joint| joint.elastic(places));
        links.sum::<f64>() + hinges.sum::<f64>() + swells.sum::<f64>() + joints.sum::<f64>()
    }

    /// Squared angular frequency of the fastest vibration [1/s2], by power iteration with the forces of a small
    /// displacement, with a margin for its error; never more than `fastest`.
    pub fn fastest_found(&self, places: &[Vec3]) -> f64 {
        let bound = self.fastest(places);
        let (size, mut team) = (self.size(), Team::new(1));
        let mut moved: Vec<Vec3> = (0..size)
            .map(|n| {
                // start with neighbours in opposition, and components in all directions
                let x = (n as f64 * 0.754_877_666).fract() - 0.5;
                let y = (n as f64 * 0.569_840_291).fract() - 0.5;
                Vec3::new(x, y, (n as f64 * 0.438_579_021).fract() - 0.5)
            })
            .collect();
        let still = vec![Vec3::ZERO; size];
        let (mut at, mut forces, mut rest) = (places.to_vec(), still.clone(), still.clone());
        self.push(&mut team, &[], places, &still, &mut rest);
        let length = self.links.first().map_or(1.0, |link| self.link_kinds[link.kind as usize].rest.max(1e-9));
        let mut found: f64 = 0.0;
        for _ in 0..(20_000_000 / size.max(1)).clamp(20, 200) {
            let norm = moved.iter().zip(&self.masses).map(|(x, m)| m * x.length_squared()).sum::<f64>();
            let most = moved.iter().map(|x| x.abs().max_element()).fold(0.0, f64::max);
            if norm == 0.0 || most == 0.0 {
                return bound;
            }
            let small = 1e-6 * length / most;
            at.iter_mut().zip(places).zip(&moved).for_each(|((at, place), x)| *at = *place + *x * small);
            forces.fill(Vec3::ZERO);
            self.push(&mut team, &[], &at, &still, &mut forces);
            let mut sum = 0.0;
            for n in 0..size {
                let answer = (rest[n] - forces[n]) / small;
                sum += moved[n].dot(answer);
                moved[n] = answer / self.masses[n];
            }
            found = found.max(sum / norm);
        }
        (MISSED * found + self.by_joints(places, Rows::Hidden)).min(bound)
    }

    /// Upper bound on what connectors of joints contribute to the squared angular frequency of a vibration [1/s2], or dampers
    /// to the rate of its decay [1/s].
    pub fn by_joints(&self, places: &[Vec3], which: Rows) -> f64 {
        self.joints.iter().map(|joint| joint.bound(places, &self.masses, which)).sum()
    }

    /// Upper bound on the squared angular frequency of the fastest vibration [1/s2], by Gershgorin's theorem.
    pub fn fastest(&self, places: &[Vec3]) -> f64 {
        let mut rows = vec![0.0; self.size()];
        for link in &self.links {
            let stiffness = self.link_kinds[link.kind as usize].stiffness;
            link.ends.iter().for_each(|n| rows[*n as usize] += 2.0 * stiffness);
        }
        for hinge in &self.hinges {
            let [a, b] = hinge.ends.map(|n| (places[n as usize] - places[hinge.middle as usize]).length());
            let arms = [1.0 / a, 1.0 / b, 1.0 / a + 1.0 / b];
            let all: f64 = arms.iter().sum();
            for (n, arm) in [hinge.ends[0], hinge.ends[1], hinge.middle].into_iter().zip(arms) {
                rows[n as usize] += hinge.stiffness * arm * all;
            }
        }
        for swell in &self.swells {
            let kind = &self.swell_kinds[swell.kind as usize];
            let (_, slopes) = super::connectors::volume(&swell.corners.map(|n| places[n as usize]));
            let all: f64 = slopes.iter().map(|s| s.length()).sum();
            for (n, slope) in swell.corners.into_iter().zip(slopes) {
                rows[n as usize] += kind.stiffness / kind.rest * slope.length() * all;
            }
        }
        rows.iter().zip(&self.masses).map(|(row, mass)| row / mass).fold(0.0, f64::max)
            + self.by_joints(places, Rows::All)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::lattice::solid::{MassRule, brick};
    use crate::lattice::{Lattice, LatticeSettings, LatticeSpec, Part};
    use crate::material::{Friction, Material};
    use crate::math::{Mat3, Pose, Vec3};
    use crate::random::Random;
    use crate::team::Team;

    fn block() -> Lattice {
        let material = Material { young: 1e5, poisson: 0.35, density: 1000.0, friction: Friction::NONE };
        let cells = brick(Vec3::new(0.06, 0.04, 0.04), [3, 2, 2]).unwrap();
        let spec = LatticeSpec {
            material,
            parts: vec![Part::Solid { cells, rule: MassRule::Approximate }],
            connectors: vec![],
            placed: Pose::IDENTITY,
            velocity: Vec3::ZERO,
            spin: Vec3::ZERO,
            settings: LatticeSettings::default(),
        };
        Lattice::new("block", spec).unwrap()
    }

    /// Particles moved at random by a tenth of a cell.
    fn shaken(body: &Lattice) -> Vec<Vec3> {
        let mut random = Random(4);
        body.places().iter().map(|place| *place + random.vector() * 2e-3).collect()
    }

    fn forces(body: &Lattice, leaders: &[u32], places: &[Vec3]) -> Vec<Vec3> {
        let still = vec![Vec3::ZERO; places.len()];
        let mut forces = still.clone();
        body.matter.push(&mut Team::new(1), leaders, places, &still, &mut forces);
        forces
    }

    #[test]
    fn forces_are_the_slope_of_the_energy_and_balance() {
        let body = block();
        let mut places = shaken(&body);
        let forces = forces(&body, &[], &places);
        let total: Vec3 = forces.iter().sum();
        let torque: Vec3 = places.iter().zip(&forces).map(|(p, f)| p.cross(*f)).sum();
        let size = forces.iter().map(|f| f.length()).fold(0.0, f64::max);
        assert!(size > 1e-3 && total.length() < 1e-12 * size && torque.length() < 1e-13 * size, "{total} {torque}");
        for n in [0, 7, 20] {
            for axis in Vec3::AXES {
                let small = 1e-8;
                let mut at = |by: f64| {
                    places[n] += axis * by;
                    let energy = body.matter.elastic(&places);
                    places[n] -= axis * by;
                    energy
                };
                let slope = (at(small) - at(-small)) / (2.0 * small);
                assert!((forces[n].dot(axis) + slope).abs() < 1e-5 * size, "{n}: {} for {slope}", forces[n]);
            }
        }
    }

    #[test]
    fn rigid_motion_stores_nothing() {
        let body = block();
        let turn = Mat3::from_rotation_y(0.8);
        let moved: Vec<Vec3> = body.places().iter().map(|p| turn * *p + Vec3::ONE).collect();
        let stiff = body.matter.elastic(&shaken(&body));
        assert!(body.matter.elastic(&moved) < 1e-20 * stiff.max(1.0));
        assert!(forces(&body, &[], &moved).iter().all(|f| f.length() < 1e-9));
    }

    /// Between particles that move together forces are left out: all of them here, as one grip holds the body.
    #[test]
    fn forces_within_a_grip_are_left_out() {
        let body = block();
        let places = shaken(&body);
        assert!(body.matter.hinges.is_empty());
        assert!(forces(&body, &vec![1; places.len()], &places).iter().all(|f| *f == Vec3::ZERO));
    }

    /// The fastest vibration is at most what Gershgorin's circles allow, and at least what a pair of particles does.
    #[test]
    fn the_fastest_vibration_is_bounded() {
        let body = block();
        let (found, bound) = (body.matter.fastest_found(body.places()), body.matter.fastest(body.places()));
        let pair = body.matter.links.iter().map(|link| {
            let [a, b] = link.ends.map(|n| body.matter.masses[n as usize]);
            body.matter.link_kinds[link.kind as usize].stiffness * (1.0 / a + 1.0 / b)
        });
        assert!(pair.fold(0.0, f64::max) <= found && found <= bound, "{found} {bound}");
    }
}
