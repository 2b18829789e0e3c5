//! From parts to particles and connectors.

use std::collections::HashMap;
use std::sync::Arc;

use super::change::{Counted, Made, Origin};
use super::connectors::{Hinge, Link, LinkKind};
use super::integrate::{Balance, Motion};
use super::joint::{Between, Joint};
use super::matter::Matter;
use super::order::{Span, along, arrange, blocks};
use super::params::{Connector, LatticeSpec, Part, Site};
use super::solid::{MassError, Particles};
use super::stiffness::Lame;
use super::web::{Joining, Web};
use super::{Lattice, LatticeState, Ledger, Scratch};
use crate::account::Work;
use crate::contact::edge_turns;
use crate::error::BuildError;
use crate::math::Vec3;
use crate::places::Shares;

/// Parts assembled to a body: particles in the body's frame, and connectors.
struct Joined {
    matter: Matter,
    places: Vec<Vec3>,
    /// Volume of the cells [m3], and their number.
    space: f64,
    cells: usize,
    /// Relative error of the elastic constants of the worst cell [-].
    missed: f64,
}

/// Assemble the parts. Fails if a solid cannot be turned into particles.
fn join(name: &str, spec: &LatticeSpec) -> Result<Joined, BuildError> {
    let material = &spec.material;
    let lame = Lame::of(material.young, material.poisson);
    let mut matter = Matter::default();
    let (mut places, mut firsts, mut web) = (vec![], vec![], Web::default());
    let (mut space, mut count) = (0.0, 0);
    for part in &spec.parts {
        firsts.push(places.len());
        match part {
            Part::Points { places: own, masses } => {
                matter.points.extend(places.len() as u32..(places.len() + own.len()) as u32);
                places.extend_from_slice(own);
                matter.masses.extend_from_slice(masses);
            }
            Part::Solid { cells, rule } => {
                let refused = |why: MassError| BuildError::Solid { body: name.into(), why: why.to_string() };
                let particles = Particles::new(cells, material.density, *rule).map_err(refused)?;
                let facets = particles.outer_facets(cells).map_err(refused)?;
                let joining = Joining { cells, particles: &particles, first: places.len() as u32, lame };
                joining.connect(facets, &mut web, &mut matter);
                space += particles.masses.iter().sum::<f64>() / material.density;
                count += cells.cells().len();
                places.extend_from_slice(&particles.positions);
                matter.masses.extend_from_slice(&particles.masses);
            }
        }
    }
    firsts.push(places.len());
    let mut sites: Vec<Vec<u32>> = firsts.windows(2).map(|w| (w[0] as u32..w[1] as u32).collect()).collect();
    matter.arrange(&mut places, &mut web, &mut sites);
    matter.take_links(&mut web, &places);
    let grain = crate::math::cbrt(space / count.max(1) as f64);
    for connector in &spec.connectors {
        match connector {
            Connector::Joint(joint) => {
                let sites = joint.parts.map(|part| &sites[part][..]);
                let (masses, young) = (&matter.masses, material.young);
                let between = Between { body: name, sites, places: &places, masses, grain, young };
                matter.joints.push(Joint::new(joint, &between)?);
            }
            other => matter.connect(other, &places, &sites),
        }
    }
    matter.finish_order();
    matter.turns = edge_turns(&places, &matter.facets);
    Ok(Joined { matter, places, space, cells: count, missed: web.missed })
}

/// Build a body from checked parameters.
pub fn build(name: &str, spec: LatticeSpec) -> Result<Lattice, BuildError> {
    let Joined { mut matter, places, space, cells: count, missed } = join(name, &spec)?;
    let LatticeSpec { material, placed, velocity, spin, settings, .. } = spec;
    let origin = Origin::of(&matter, material, places, Counted { space, cells: count, missed });
    let made = Made::of(&mut matter, &origin, material, &settings);
    let Made { stable, contact, grain, patience, total_mass, derived } = made;
    let places: Vec<Vec3> = origin.places.iter().map(|p| placed.transform_point(*p)).collect();
    let mut motion = Motion::resting(places);
    for (v, p) in motion.velocities.iter_mut().zip(&origin.places) {
        *v = velocity + spin.cross(placed.rotation * *p);
    }
    let n = matter.size();
    let state = LatticeState {
        motion,
        before: vec![Vec3::ZERO; n],
        last: 0.0,
        tau: None,
        lately: 0.0,
        fresh: true,
        touches: vec![],
        told: vec![],
        pressed: 0.0,
        held: vec![],
        loaded: vec![],
        pushed: vec![],
        touched: vec![],
        met: vec![],
        stored: 0.0,
        dragged: Vec3::ZERO,
        rests: matter.rests_now().collect(),
        ledger: Ledger::default(),
    };
    let scratch = Scratch {
        next: state.motion.clone(),
        inverse: matter.masses.iter().map(|m| 1.0 / m).collect(),
        leaders: vec![0; n],
        pushes: vec![],
        met: vec![],
        dragged: Vec3::ZERO,
        work: Work::default(),
        felt: vec![],
        balance: Balance::default(),
        near: vec![],
        candidates: vec![],
        touches: vec![],
        unseen: 0.0,
        boxes: vec![],
        facings: vec![],
        outline: vec![],
        shares: Shares::default(),
        before: state.clone(),
    };
    Ok(Lattice {
        name: name.into(),
        origin: Arc::new(origin),
        material,
        matter,
        settings,
        derived,
        total_mass,
        stable,
        contact,
        grain,
        patience,
        state,
        scratch,
    })
}

impl Matter {
    /// Take over links, sorted by particle; equal ones share a kind.
    fn take_links(&mut self, web: &mut Web, places: &[Vec3]) {
        web.links.iter_mut().for_each(|(pair, _)| pair.sort_unstable());
        web.links.sort_by_key(|(pair, _)| *pair);
        let mut kinds: HashMap<[u64; 2], u32> = HashMap::new();
        for same in web.links.chunk_by(|a, b| a.0 == b.0) {
            let (ends, stiffness) = (same[0].0, same.iter().map(|(_, stiffness)| stiffness).sum::<f64>());
            let rest = (places[ends[0] as usize] - places[ends[1] as usize]).length();
            // equal to one part in 10^12, so that rounding does not create new kinds
            let key = [rest, stiffness].map(|x| x.to_bits().wrapping_add(1 << 11) >> 12);
            let next = self.link_kinds.len() as u32;
            let kind = *kinds.entry(key).or_insert(next);
            if kind == next {
                self.link_kinds.push(LinkKind { rest, stiffness, damping: 0.0 });
            }
            self.links.push(Link { ends, kind });
        }
        self.own_kinds = self.link_kinds.len();
    }

    /// Sort particles along the body, and renumber connectors.
    fn arrange(&mut self, places: &mut Vec<Vec3>, web: &mut Web, sites: &mut [Vec<u32>]) {
        let number = along(places);
        *places = arrange(places, &number);
        self.masses = arrange(&self.masses, &number);
        let of = |n: &mut u32| *n = number[*n as usize];
        web.links.iter_mut().for_each(|(pair, _)| pair.iter_mut().for_each(of));
        self.hinges.iter_mut().for_each(|h| h.ends.iter_mut().chain([&mut h.middle]).chain(&mut h.side).for_each(of));
        self.swells.iter_mut().for_each(|s| s.corners.iter_mut().for_each(of));
        self.facets.iter_mut().for_each(|f| f.iter_mut().for_each(of));
        self.points.iter_mut().chain(sites.iter_mut().flatten()).for_each(of);
        self.swells.sort_by_key(Span::span);
    }

    /// Sort connectors by their first particle, and divide them into blocks.
    fn finish_order(&mut self) {
        self.links.sort_by_key(Span::span);
        let mut order: Vec<usize> = (0..self.hinges.len()).collect();
        order.sort_by_key(|n| self.hinges[*n].span());
        let mut now = vec![0; order.len()];
        order.iter().enumerate().for_each(|(k, n)| now[*n] = k);
        self.rests = order.iter().map(|n| self.hinges[*n].rest).collect();
        self.hinges = order.iter().map(|n| self.hinges[*n]).collect();
        self.drives.iter_mut().for_each(|(n, _)| *n = now[*n]);
        self.blocks = blocks(self.size(), &self.links, &self.hinges, &self.swells);
    }

    /// Add an individual connector.
    fn connect(&mut self, connector: &Connector, places: &[Vec3], sites: &[Vec<u32>]) {
        let particle = |site: &Site| {
            let distance = |n: &u32| (places[*n as usize] - site.point).length_squared();
            sites[site.part].iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
        };
        match connector {
            Connector::Line { ends, rest, stiffness, damping } => {
                let ends = [particle(&ends[0]), particle(&ends[1])];
                let now = (places[ends[0] as usize] - places[ends[1] as usize]).length();
                let kind = self.link_kinds.len() as u32;
                let rest = rest.unwrap_or(now);
                self.link_kinds.push(LinkKind { rest, stiffness: *stiffness, damping: *damping });
                self.links.push(Link { ends, kind });
            }
            Connector::Angle { ends, middle, side, rest, stiffness, damping, drive } => {
                let (ends, middle) = ([particle(&ends[0]), particle(&ends[1])], particle(middle));
                let mut hinge = Hinge {
                    ends,
                    middle,
                    side: side.as_ref().map(particle),
                    rest: 0.0,
                    stiffness: *stiffness,
                    damping: *damping,
                };
                let at = [ends[0], ends[1], middle].map(|n| places[n as usize]);
                let now = hinge.turn(at, [Vec3::ZERO; 3], hinge.side.map(|n| places[n as usize])).off;
                hinge.rest = rest.unwrap_or(now);
                if let Some(drive) = drive {
                    self.drives.push((self.hinges.len(), *drive));
                }
                self.hinges.push(hinge);
            }
            // built by itself, as it can fail
            Connector::Joint(_) => {}
        }
    }
}
