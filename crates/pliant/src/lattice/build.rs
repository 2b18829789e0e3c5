//! From parts to particles and connectors.

use std::collections::HashMap;

use super::connectors::{Hinge, Link, LinkKind, Swell, SwellKind, volume};
use super::integrate::{Balance, Motion};
use super::matter::Matter;
use super::order::{Span, along, arrange, blocks};
use super::params::{Connector, LatticeSpec, Part, Site};
use super::solid::{Cell, Cells};
use super::stiffness::{Lame, Strut, fit};
use super::touch::Law;
use super::{Lattice, LatticeState, Ledger, Scratch};
use crate::derived::Derived;
use crate::error::BuildError;
use crate::math::Vec3;

/// Stiffness of links of a cube to begin with, over mu and edge: edges, diagonals of faces, halves of body diagonals. With
/// diagonals of faces a single cube withstands torsion; more of them would make bars stiffer in it.
const PATTERN: [f64; 3] = [0.45, 0.1, 1.2];

/// The fastest vibration is damped by this part of what would stop it.
const DAMPED: f64 = 0.1;

/// Contact absorbs by this part of what would stop a layer of cells without bouncing.
const ABSORBED: f64 = 0.2;

/// Steps are this part of the longest that is stable.
const SAFE: f64 = 0.7;

/// Damping of an angle connector that is still to come from the material.
const FROM_MATERIAL: f64 = f64::NAN;

/// Links of a body under construction: pairs of particles and stiffness, which add up.
#[derive(Default)]
struct Web {
    links: Vec<([u32; 2], f64)>,
    /// By how much the worst cell misses the material.
    missed: f64,
    /// Cells that were fitted: their edges in space, and what came out.
    known: HashMap<Vec<[i64; 3]>, (Vec<f64>, f64)>,
}

/// Build a body.
pub fn build(name: &str, spec: LatticeSpec) -> Result<Lattice, BuildError> {
    let LatticeSpec { material, parts, connectors, placed, velocity, spin, settings } = spec;
    let lame = Lame::of(material.young, material.poisson);
    let mut matter = Matter::default();
    let (mut places, mut firsts, mut web) = (vec![], vec![], Web::default());
    let (mut space, mut cells_count) = (0.0, 0);
    for part in &parts {
        firsts.push(places.len());
        match part {
            Part::Points { places: own, masses } => {
                matter.points.extend(places.len() as u32..(places.len() + own.len()) as u32);
                places.extend_from_slice(own);
                matter.masses.extend_from_slice(masses);
            }
            Part::Solid { cells, .. } => {
                let first = places.len() as u32;
                add_solid(cells, first, material.density, &lame, &mut matter, &mut places, &mut web);
                space += (matter.mass() - matter.masses[..first as usize].iter().sum::<f64>()) / material.density;
                cells_count += cells.cells.len();
            }
        }
    }
    firsts.push(places.len());
    let mut sites: Vec<Vec<u32>> = firsts.windows(2).map(|w| (w[0] as u32..w[1] as u32).collect()).collect();
    matter.arrange(&mut places, &mut web, &mut sites);
    matter.take_links(&mut web, &places);
    for connector in &connectors {
        matter.connect(connector, &places, &sites);
    }
    matter.finish_order();
    let fastest = matter.fastest(&places).sqrt();
    // damping over stiffness by which the fastest vibration has that part of critical damping
    let usual = if fastest > 0.0 { 2.0 * DAMPED / fastest } else { 0.0 };
    let damping = settings.damping_time.unwrap_or(usual);
    matter.link_kinds[..matter.own_kinds].iter_mut().for_each(|kind| kind.damping = damping * kind.stiffness);
    matter.swell_kinds.iter_mut().for_each(|kind| kind.damping = damping * kind.stiffness);
    let own = |hinge: &&mut Hinge| hinge.damping.is_nan();
    matter.hinges.iter_mut().filter(own).for_each(|hinge| hinge.damping = damping * hinge.stiffness);
    // an explicit step of a damped vibration
    let zeta = 0.5 * damping * fastest;
    let stable = if fastest > 0.0 { SAFE * 2.0 / fastest * ((1.0 + zeta * zeta).sqrt() - zeta) } else { f64::INFINITY };
    let grain = (space / f64::from(cells_count.max(1) as u32)).cbrt();
    // a layer of cells, pressed together
    let pressing = settings.contact_stiffness.unwrap_or(material.young / grain.max(1e-6));
    let absorbing = settings.contact_damping.unwrap_or(2.0 * ABSORBED * (pressing * material.density * grain).sqrt());
    let kinetic = material.friction.coefficient;
    let friction = [kinetic * settings.static_friction, kinetic];
    let contact = Law { stiffness: pressing, damping: absorbing, friction };
    let note = |symbol, value, unit, why: &str| Derived { symbol, value, unit, why: why.into() };
    let total_mass = matter.mass();
    let derived = vec![
        note("m", total_mass, "kg", "volume times density"),
        note("n", matter.size() as f64, "-", "particles"),
        note("e_C", web.missed, "-", "part of the elastic constants that links of the worst cell miss"),
        note("tau_d", damping, "s", "damping over stiffness of connectors"),
        note("lambda_c", pressing, "N/m3", "force over volume of penetration: E over the edge of a cell, or as given"),
        note("mu_c", absorbing, "N s/m3", "force over the rate of that volume"),
        note("tau_s", stable, "s", "longest step that connectors allow"),
    ];
    let local = places;
    let places: Vec<Vec3> = local.iter().map(|p| placed.transform_point(*p)).collect();
    let mut motion = Motion::resting(places);
    for (v, p) in motion.velocities.iter_mut().zip(&local) {
        *v = velocity + spin.cross(placed.rotation * *p);
    }
    let n = matter.size();
    let scratch = Scratch {
        next: motion.clone(),
        inverse: matter.masses.iter().map(|m| 1.0 / m).collect(),
        pushes: vec![],
        felt: vec![],
        balance: Balance::default(),
        near: vec![],
        candidates: vec![],
        touches: vec![],
        boxes: vec![],
    };
    let state = LatticeState {
        motion,
        before: vec![Vec3::ZERO; n],
        last: 0.0,
        tau: None,
        fresh: true,
        touches: vec![],
        held: vec![],
        touched: vec![],
        ledger: Ledger::default(),
    };
    Ok(Lattice { name: name.into(), matter, settings, derived, total_mass, stable, contact, grain, state, scratch })
}

fn add_solid(
    cells: &Cells,
    first: u32,
    density: f64,
    lame: &Lame,
    matter: &mut Matter,
    places: &mut Vec<Vec3>,
    web: &mut Web,
) {
    places.extend_from_slice(&cells.vertices);
    matter.masses.resize(places.len(), 0.0);
    for cell in &cells.cells {
        let Cell::Hexahedron(corners) = cell;
        let ids = corners.map(|n| n + first);
        let at = ids.map(|n| places[n as usize]);
        let (size, _) = volume(&at);
        let mass = size * density;
        let centre = places.len() as u32;
        places.push(at.iter().sum::<Vec3>() / 8.0);
        matter.masses.push(mass * 2.0 / 3.0);
        ids.iter().for_each(|n| matter.masses[*n as usize] += mass / 24.0);
        web.add_cell(&ids, centre, places, size, lame);
        if lame.swelling() > 0.0 {
            let kind = matter.swell_kind(SwellKind { rest: size, stiffness: lame.swelling(), damping: 0.0 });
            matter.swells.push(Swell { corners: ids, kind });
        }
        if lame.shearing() > 0.0 {
            add_corners(&ids, places, size, lame.shearing(), matter);
        }
    }
    // facets that occur once
    let mut faces: HashMap<[u32; 4], [u32; 4]> = HashMap::new();
    for cell in &cells.cells {
        let Cell::Hexahedron(corners) = cell;
        for face in super::connectors::FACES {
            let face = face.map(|i| corners[i] + first);
            let mut key = face;
            key.sort_unstable();
            if faces.remove(&key).is_none() {
                faces.insert(key, face);
            }
        }
    }
    let mut outer: Vec<[u32; 4]> = faces.into_values().collect();
    outer.sort_unstable();
    for [a, b, c, d] in outer {
        matter.facets.push([a, b, c]);
        matter.facets.push([a, c, d]);
    }
}

/// Neighbours of each corner of a hexahedron along its edges.
const NEIGHBOURS: [[usize; 3]; 8] =
    [[1, 3, 4], [0, 2, 5], [1, 3, 6], [0, 2, 7], [0, 5, 7], [1, 4, 6], [2, 5, 7], [3, 4, 6]];

/// Angles at the corners of a hexahedron resist shear: 24 of them share the volume out.
fn add_corners(ids: &[u32; 8], places: &[Vec3], size: f64, shearing: f64, matter: &mut Matter) {
    for (n, near) in NEIGHBOURS.iter().enumerate() {
        for [i, j] in [[0, 1], [1, 2], [2, 0]] {
            let [a, b, c] = [near[i], near[j], n].map(|k| ids[k]);
            let [pa, pb, pc] = [a, b, c].map(|k| places[k as usize]);
            let rest = (pa - pc).angle_between(pb - pc);
            let stiffness = shearing * size / 8.0;
            matter.hinges.push(Hinge { ends: [a, b], middle: c, side: None, rest, stiffness, damping: FROM_MATERIAL });
        }
    }
}

impl Web {
    /// Links of a hexahedron with a particle at its centre.
    fn add_cell(&mut self, ids: &[u32; 8], centre: u32, places: &[Vec3], size: f64, lame: &Lame) {
        let mut pairs: Vec<([u32; 2], f64)> = vec![];
        let edge = size.cbrt() * lame.shared().max(1e-3 * lame.mu);
        for (n, near) in NEIGHBOURS.iter().enumerate() {
            for &m in near.iter().filter(|m| **m > n) {
                pairs.push(([ids[n], ids[m]], PATTERN[0] * edge));
            }
            pairs.push(([ids[n], centre], PATTERN[2] * edge));
        }
        for face in super::connectors::FACES {
            for [i, j] in [[0, 2], [1, 3]] {
                pairs.push(([ids[face[i]], ids[face[j]]], PATTERN[1] * edge));
            }
        }
        let struts: Vec<Strut> = pairs
            .iter()
            .map(|([a, b], guess)| Strut { d: places[*a as usize] - places[*b as usize], guess: *guess })
            .collect();
        // equal cells have equal links: rounded to a millionth of an edge
        let unit = 1e-6 * size.cbrt();
        let key: Vec<[i64; 3]> = struts.iter().map(|s| s.d.to_array().map(|x| (x / unit).round() as i64)).collect();
        let wanted = [lame.lambda.min(lame.mu) + 2.0 * lame.mu, lame.shared()];
        let (found, missed) = self.known.entry(key).or_insert_with(|| fit(&struts, size, wanted)).clone();
        self.missed = self.missed.max(missed);
        for ((pair, _), stiffness) in pairs.iter().zip(&found).filter(|(_, s)| **s > 0.0) {
            self.links.push((*pair, *stiffness));
        }
    }
}

impl Matter {
    /// The kind of volume connectors like this.
    fn swell_kind(&mut self, kind: SwellKind) -> u32 {
        let close = |k: &SwellKind| (k.rest - kind.rest).abs() < 1e-12 * kind.rest && k.stiffness == kind.stiffness;
        let known = self.swell_kinds.iter().rev().take(64).position(close).map(|n| self.swell_kinds.len() - 1 - n);
        known.unwrap_or_else(|| {
            self.swell_kinds.push(kind);
            self.swell_kinds.len() - 1
        }) as u32
    }

    /// Take links over, in order of particles; those that are alike share a kind.
    fn take_links(&mut self, web: &mut Web, places: &[Vec3]) {
        web.links.iter_mut().for_each(|(pair, _)| pair.sort_unstable());
        web.links.sort_by_key(|(pair, _)| *pair);
        let mut kinds: HashMap<[u64; 2], u32> = HashMap::new();
        for same in web.links.chunk_by(|a, b| a.0 == b.0) {
            let (ends, stiffness) = (same[0].0, same.iter().map(|(_, stiffness)| stiffness).sum::<f64>());
            let rest = (places[ends[0] as usize] - places[ends[1] as usize]).length();
            // alike to a part in 10^12: rounding must not make a kind of its own
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

    /// Bring particles into order along the body, and connectors with them.
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

    /// Connectors in order of their first particles, in blocks.
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

    /// Add a connector that is given one by one.
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
        }
    }
}
