//! Sections in a world: beams and shafts of each kind deform as their closed forms say, and what fits no model is refused.
#![allow(clippy::unwrap_used)]

use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec};
use pliant::chain::{Chain, ChainSettings, ChainSpec};
use pliant::math::{Pose, Vec3};
use pliant::motion::Motion;
use pliant::xpbd::{Xpbd, XpbdSettings, XpbdSpec};
use pliant::{
    Body, Frame, Friction, GripParams, GripperParams, Hold, Load, Material, Place, Rigidities, Section, World,
};

const STEEL: Material = Material { young: 2.1e11, poisson: 0.3, density: 7900.0, friction: Friction::NONE };
const LENGTH: f64 = 0.4;
const LINKS: usize = 40;
const RIBBON: Section = Section::Rectangle { width: 6e-3, height: 2e-3 };

fn spec(section: Section, normal: Option<Vec3>, end: Vec3) -> CableSpec {
    let settings = CableSettings { drag: 100.0, ..CableSettings::default() };
    CableSpec {
        material: STEEL,
        section,
        path: vec![Vec3::ZERO, end],
        normal,
        rest: Rest::Straight,
        segments: LINKS,
        settings,
    }
}

/// A cable clamped at its start, at rest under a dead load at its end.
fn loaded(spec: CableSpec, force: Vec3, torque: Vec3) -> Frame {
    let mut world = World::new(Vec3::ZERO);
    world.add_gripper(GripperParams { name: "wall".into(), placed: Pose::IDENTITY, motion: Motion::Hold }).unwrap();
    world.add_body(Body::Cable(Cable::new("beam", spec).unwrap())).unwrap();
    let (place, hold) = (Place::Fraction(0.0), Hold::Clamp);
    world.add_grip(GripParams::new(world.gripper_at(0).unwrap(), world.body_at(0).unwrap(), place, hold)).unwrap();
    let place = Place::Fraction(1.0);
    world.add_load(Load { torque, ..Load::new(world.body_at(0).unwrap(), place, force) }).unwrap();
    (0..1000).for_each(|_| world.step(1e-3).unwrap());
    world.frame()
}

/// Deflection of the end over the closed form F L^3 / (3 EI). It differs from 1 by the discretisation, 1 / (2 n^2) =
/// 3e-4, by shearing, 3 EI / (GA L^2) < 2e-4, and by the length lost to bending, of the order of (w / L)^2 = 1e-5.
fn deflection(spec: CableSpec, along: Vec3, rigidity: f64) -> f64 {
    let end = spec.path[1];
    let expected = 3e-3 * LENGTH;
    let force = expected * 3.0 * rigidity / LENGTH.powi(3);
    let frame = loaded(spec, along * force, Vec3::ZERO);
    let moved = frame.bodies[0].nodes[LINKS] - end;
    assert!(moved.reject_from_normalized(along).length() < 0.01 * expected, "{moved} is not along {along}");
    moved.dot(along) / expected
}

#[test]
fn a_rectangular_cantilever_bends_with_the_second_moment_of_its_own_axis() {
    let [about_y, about_z] = [6e-3 * 8e-9 / 12.0, 2e-3 * 216e-9 / 12.0].map(|i| STEEL.young * i);
    let end = Vec3::X * LENGTH;
    // the width is along y unless a normal turns it; a normal that leans along the path is made perpendicular to it
    let cases = [
        (None, Vec3::Z, about_y),
        (None, Vec3::Y, about_z),
        (Some(Vec3::new(0.7, 0.0, 1.0)), Vec3::Z, about_z),
        (Some(Vec3::new(0.7, 0.0, 1.0)), Vec3::Y, about_y),
    ];
    for (normal, along, rigidity) in cases {
        let ratio = deflection(spec(RIBBON, normal, end), along, rigidity);
        assert!((ratio - 1.0).abs() < 1e-3, "{normal:?}, force along {along}: {ratio}");
    }
}

#[test]
fn tubes_and_explicit_rigidities_bend_as_given() {
    let end = Vec3::X * LENGTH;
    let tube = std::f64::consts::PI * (2e-3_f64.powi(4) - 1.5e-3_f64.powi(4)) / 4.0;
    let ratio = deflection(spec(Section::Hollow { radius: 2e-3, inner: 1.5e-3 }, None, end), Vec3::Z, 2.1e11 * tube);
    assert!((ratio - 1.0).abs() < 1e-3, "tube: {ratio}");
    let given = Rigidities { radius: 2e-3, mass_per_length: 0.1, ea: 1e6, ga: 4e5, ei: [0.8, 7.5], gj: 0.3 };
    for (along, rigidity) in [(Vec3::Z, 0.8), (Vec3::Y, 7.5)] {
        let ratio = deflection(spec(Section::Explicit(given), None, end), along, rigidity);
        assert!((ratio - 1.0).abs() < 1e-3, "explicit, force along {along}: {ratio}");
    }
}

/// T L / GJ, with J / (a b^3) = 0.2633 for edges as 3 to 1 (Timoshenko and Goodier, table 9).
#[test]
fn a_rectangular_shaft_twists_as_saint_venant_says() {
    let given = Rigidities { radius: 2e-3, mass_per_length: 0.1, ea: 1e6, ga: 4e5, ei: [0.8, 7.5], gj: 0.3 };
    let rectangle = STEEL.shear_modulus() * 0.2633 * 6e-3 * 8e-9;
    for (section, rigidity) in [(RIBBON, rectangle), (Section::Explicit(given), 0.3)] {
        let frame = loaded(spec(section, None, Vec3::X * LENGTH), Vec3::ZERO, Vec3::X * (0.05 * rigidity / LENGTH));
        let expected = 0.05;
        let angle = frame.bodies[0].frames[LINKS].to_scaled_axis().x;
        assert!((angle / expected - 1.0).abs() < 1e-3, "{section:?}: {angle} for {expected}");
    }
}

/// The y axis of the frames is the normal made perpendicular, wherever the path leads, back along x too.
#[test]
fn the_normal_is_the_y_axis_of_the_first_frame() {
    for end in [Vec3::X, -Vec3::X, Vec3::Z, Vec3::new(0.3, -0.5, 0.4)] {
        for normal in [Vec3::new(0.1, 2.0, 0.3), Vec3::new(0.1, -2.0, 0.3), Vec3::new(-0.2, 0.1, 0.05)] {
            let mut world = World::new(Vec3::ZERO);
            world.add_body(Body::Cable(Cable::new("beam", spec(RIBBON, Some(normal), end)).unwrap())).unwrap();
            let tangent = end.normalize();
            let y = normal.reject_from_normalized(tangent).normalize();
            for turn in &world.frame().bodies[0].frames {
                assert!((*turn * Vec3::X - tangent).length() < 1e-12, "{end} {normal}");
                assert!((*turn * Vec3::Y - y).length() < 1e-12, "{end} {normal}: {}", *turn * Vec3::Y);
            }
        }
    }
    for normal in [Vec3::ZERO, Vec3::X * -3.0, Vec3::NAN] {
        let error = Cable::new("beam", spec(RIBBON, Some(normal), Vec3::X)).unwrap_err().to_string();
        assert!(error.starts_with("the normal of beam must have a direction across the start of its path"), "{error}");
    }
}

#[test]
fn a_chain_takes_only_sections_that_bend_alike_in_all_directions() {
    let chain = |section| {
        let (path, settings) = (vec![Vec3::ZERO, Vec3::X], ChainSettings::default());
        Chain::new("rope", ChainSpec { material: STEEL, section, path, points: Some(5), settings })
    };
    let even = Rigidities { radius: 1e-2, mass_per_length: 0.5, ea: 1e3, ga: 1.0, ei: [0.2; 2], gj: 1.0 };
    for section in [Section::Hollow { radius: 2e-3, inner: 1e-3 }, Section::Explicit(even)] {
        chain(section).unwrap();
    }
    let rope = chain(Section::Explicit(even)).unwrap();
    let derived = |symbol: &str| rope.derived().iter().find(|d| d.symbol == symbol).unwrap().value;
    assert_eq!([derived("m"), derived("c_c"), derived("EI")], [0.5, 1e3, 0.2]);
    let uneven = Rigidities { ei: [0.2, 0.3], ..even };
    for section in [RIBBON, Section::Explicit(uneven)] {
        let error = chain(section).unwrap_err().to_string();
        assert!(error.starts_with("rope is of the model chain, which bends alike in all directions"), "{error}");
        let (path, settings) = (vec![Vec3::ZERO, Vec3::X], XpbdSettings::default());
        let spec = XpbdSpec { material: STEEL, section, path, segments: 4, settings };
        let error = Xpbd::new("rope", spec).unwrap_err().to_string();
        assert!(error.starts_with("rope is of the model xpbd, which bends alike in all directions"), "{error}");
    }
}
