//! What a body is made of: particles with masses, connectors, facets. Frozen when it is built.

use super::connectors::{Hinge, Link, LinkKind, Swell, SwellKind};
use super::params::Drive;
use crate::math::Vec3;

/// What a body is made of.
#[derive(Clone, Debug, Default)]
pub struct Matter {
    /// Mass of each particle [kg].
    pub masses: Vec<f64>,
    /// Links, in order of their first ends.
    pub links: Vec<Link>,
    /// Their kinds.
    pub link_kinds: Vec<LinkKind>,
    /// Angle connectors.
    pub hinges: Vec<Hinge>,
    /// How some of them are moved: which, and how.
    pub drives: Vec<(usize, Drive)>,
    /// Their angles without torque before they are moved [rad].
    pub rests: Vec<f64>,
    /// How many kinds of links, and how many angle connectors, come from the material; those given one by one are behind.
    pub own_kinds: usize,
    /// The same of angle connectors.
    pub own_hinges: usize,
    /// Volume connectors.
    pub swells: Vec<Swell>,
    /// Their kinds.
    pub swell_kinds: Vec<SwellKind>,
    /// Facets of the surface, seen from outside counter-clockwise.
    pub facets: Vec<[u32; 3]>,
}

impl Matter {
    /// Number of particles.
    pub fn size(&self) -> usize {
        self.masses.len()
    }

    /// Mass [kg].
    pub fn mass(&self) -> f64 {
        self.masses.iter().sum()
    }

    /// Add the forces of all connectors.
    pub fn push(&self, places: &[Vec3], velocities: &[Vec3], forces: &mut [Vec3]) {
        for link in &self.links {
            let [a, b] = link.ends.map(|end| end as usize);
            let kind = &self.link_kinds[link.kind as usize];
            let force = kind.force(places[a] - places[b], velocities[a] - velocities[b]);
            forces[a] += force;
            forces[b] -= force;
        }
        for hinge in &self.hinges {
            let [a, b, c] = [hinge.ends[0], hinge.ends[1], hinge.middle].map(|n| n as usize);
            let side = hinge.side.map(|n| places[n as usize]);
            let turned =
                hinge.turn([places[a], places[b], places[c]], [velocities[a], velocities[b], velocities[c]], side);
            for (n, force) in [a, b, c].into_iter().zip(turned.forces) {
                forces[n] += force;
            }
        }
        for swell in &self.swells {
            let corners = swell.corners.map(|n| places[n as usize]);
            let moving = swell.corners.map(|n| velocities[n as usize]);
            let pushed = self.swell_kinds[swell.kind as usize].forces(&corners, &moving);
            for (n, force) in swell.corners.into_iter().zip(pushed) {
                forces[n as usize] += force;
            }
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
        links.sum::<f64>() + hinges.sum::<f64>() + swells.sum::<f64>()
    }

    /// Not less than the square of the fastest vibration [1/s2], by Gershgorin's theorem.
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
    }
}
