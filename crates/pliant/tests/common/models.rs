//! A body of each model, for tests that hold for all.

use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec};
use pliant::chain::{BendingLaw, Chain, ChainSettings, ChainSpec};
use pliant::elastica::{Elastica, ElasticaSettings, ElasticaSpec, Start};
use pliant::lattice::solid::{MassRule, brick};
use pliant::lattice::{Lattice, LatticeSettings, LatticeSpec, Part};
use pliant::math::{Pose, Vec3};
use pliant::response::{Basis, Compliance, Hull, Known, Response, ResponseSettings, ResponseSpec};
use pliant::xpbd::{Xpbd, XpbdSettings, XpbdSpec};
use pliant::{Body, Friction, Material, Section};

pub const MATTER: Material =
    Material { young: 1e6, poisson: 0.3, density: 1100.0, friction: Friction { coefficient: 0.3, exponent: 1.0 } };

/// Height of the bodies above the origin [m].
pub const HEIGHT: f64 = 0.1;

/// A tetrahedron with four made-up modes: it need not be a good solid, only one that moves.
fn tetrahedron(name: &str, at: Vec3) -> Body {
    let side = 0.05;
    let hull = Hull {
        nodes: vec![Vec3::ZERO, Vec3::X * side, Vec3::Y * side, Vec3::Z * side],
        facets: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
        mass: 0.1,
        centre: Vec3::splat(side / 4.0),
        inertia: [[2e-5, 0.0, 0.0], [0.0, 2e-5, 0.0], [0.0, 0.0, 2e-5]],
        fixed: None,
    };
    let (modes, unknowns) = (4, 3 * hull.nodes.len());
    let squares: Vec<f64> = (0..modes).map(|n| 500.0_f64.powi(2) * (1.0 + n as f64)).collect();
    let shapes: Vec<f64> = (0..unknowns * modes).map(|n| 2.0 * (1.3 * n as f64).sin()).collect();
    // all the modes give way, and some more so that it is positive
    let give = |i: usize, j: usize| {
        let part = |n: usize| shapes[i * modes + n] * shapes[j * modes + n] / squares[n];
        (0..modes).map(part).sum::<f64>() + if i == j { 1e-6 } else { 0.0 }
    };
    let compliance: Vec<f64> =
        (0..unknowns).flat_map(|i| (0..=i).map(move |j| (i, j))).map(|(i, j)| give(i, j)).collect();
    let compliance = Compliance::Full(compliance.into());
    let moments = vec![[[0.0; 3]; 3]; modes];
    let spec = ResponseSpec {
        solid: Known::Modes(Basis { hull, squares, shapes: shapes.into(), moments, compliance }),
        friction: MATTER.friction,
        placed: Pose::from_translation(at + Vec3::Z * HEIGHT),
        velocity: Vec3::ZERO,
        spin: Vec3::ZERO,
        settings: ResponseSettings::default(),
    };
    Body::Response(Response::new(name, spec).unwrap())
}

/// A cube of 4 cm of particles about a place.
pub fn block(name: &str, at: Vec3) -> Body {
    let spec = LatticeSpec {
        material: MATTER,
        parts: vec![Part::Solid { cells: brick(Vec3::splat(0.04), [2; 3]).unwrap(), rule: MassRule::Approximate }],
        connectors: vec![],
        placed: Pose::from_translation(at),
        velocity: Vec3::ZERO,
        spin: Vec3::ZERO,
        settings: LatticeSettings::default(),
    };
    Body::Lattice(Lattice::new(name, spec).unwrap())
}

/// A body of each model, the chain with both laws of bending. Rods begin at the axis of z and go along x.
pub fn every_model() -> Vec<Body> {
    every_model_at("", [Vec3::ZERO; 7])
}

/// A body of each model, each displaced by its own vector, with a prefix to its name.
pub fn every_model_at(prefix: &str, away: [Vec3; 7]) -> Vec<Body> {
    let (material, section, segments) = (MATTER, Section::Round { radius: 5e-3 }, 12);
    let named = |name: &str| format!("{prefix}{name}");
    let path = |n: usize| vec![away[n] + Vec3::Z * HEIGHT, away[n] + Vec3::new(0.2, 0.0, HEIGHT)];
    let mut bodies = vec![tetrahedron(&named("response"), away[0])];
    for (n, name, bending) in [(1, "chain", BendingLaw::Linear), (2, "chain of the paper", BendingLaw::Paper)] {
        let settings = ChainSettings { bending, ..ChainSettings::default() };
        let spec = ChainSpec { material, section, path: path(n), points: Some(segments + 1), settings };
        bodies.push(Body::Chain(Chain::new(&named(name), spec).unwrap()));
    }
    let (rest, settings) = (Rest::Straight, CableSettings::default());
    let spec = CableSpec { material, section, path: path(3), normal: None, rest, segments, settings };
    bodies.push(Body::Cable(Cable::new(&named("cable"), spec).unwrap()));
    let spec = XpbdSpec { material, section, path: path(4), segments, settings: XpbdSettings::default() };
    bodies.push(Body::Xpbd(Xpbd::new(&named("xpbd"), spec).unwrap()));
    let (rest, intervals) = (Rest::Straight, segments);
    let settings = ElasticaSettings { start: Start::Path, damping_time: 2e-4, ..ElasticaSettings::default() };
    let spec = ElasticaSpec { material, section, path: path(5), normal: None, rest, intervals, settings };
    bodies.push(Body::Elastica(Elastica::new(&named("elastica"), spec).unwrap()));
    bodies.push(block(&named("lattice"), away[6] + Vec3::Z * (HEIGHT + 0.012)));
    bodies
}
