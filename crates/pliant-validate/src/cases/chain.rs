//! The laws of the chain model: invariants that hold for any shape, and the parameters printed in the paper.

use pliant::chain::{BendingLaw, Chain, ChainSettings, ChainSpec, Heuristic};
use pliant::math::{Quat, Vec3};
use pliant::{Friction, Material, Section};

use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[
    Case::of_chain("force-is-energy-gradient", gradient),
    Case::of_chain("no-net-force-or-torque", net),
    Case::of_chain("rigid-motion", rigid),
    Case::of_chain("papers-parameters", parameters),
];

const POINTS: usize = 24;

fn spec(bending: BendingLaw) -> ChainSpec {
    ChainSpec {
        material: Material { young: 2e7, poisson: 0.4, density: 1100.0, friction: Friction::NONE },
        section: Section::Round { radius: 2e-3 },
        path: vec![Vec3::ZERO, Vec3::X * 0.3],
        points: Some(POINTS),
        settings: ChainSettings { bending, ..ChainSettings::default() },
    }
}

fn chain(spec: ChainSpec) -> Chain {
    Chain::new("rod", spec).unwrap_or_else(|e| unreachable!("a rod of this file: {e}"))
}

fn place(chain: &mut Chain, points: &[Vec3]) {
    chain.set_points(points).unwrap_or_else(|e| unreachable!("a shape of this file: {e}"));
}

/// A crooked shape with segments of different lengths.
fn crooked() -> Vec<Vec3> {
    let mut at = Vec3::ZERO;
    (0..POINTS)
        .map(|i| {
            let t = i as f64;
            at += Vec3::new(0.013 + 0.004 * (1.7 * t).sin(), 0.006 * (2.3 * t).cos(), 0.005 * (3.1 * t + 1.0).sin());
            at
        })
        .collect()
}

fn gradient(sheet: &mut Sheet) {
    let mut chain = chain(spec(BendingLaw::Linear));
    let shape = crooked();
    place(&mut chain, &shape);
    let forces = chain.internal_forces();
    let scale = forces.iter().map(|f| f.length()).fold(0.0, f64::max);
    // a central difference with step h has an error of h^2, relative to the angles between segments
    let h = 1e-7;
    let mut worst: f64 = 0.0;
    for i in 0..POINTS {
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            let mut energy_at = |by: f64| {
                let mut moved = shape.clone();
                moved[i] += axis * by;
                place(&mut chain, &moved);
                chain.energy(Vec3::ZERO).elastic
            };
            let slope = (energy_at(h) - energy_at(-h)) / (2.0 * h);
            worst = worst.max((forces[i].dot(axis) + slope).abs());
        }
    }
    sheet.scaled("worst difference / largest force", POINTS, [worst, 0.0, scale], 1e-9);
}

fn net(sheet: &mut Sheet) {
    for (law, name) in [(BendingLaw::Linear, "linear"), (BendingLaw::Paper, "paper")] {
        let mut chain = chain(spec(law));
        let shape = crooked();
        place(&mut chain, &shape);
        let forces = chain.internal_forces();
        let scale: f64 = forces.iter().map(|f| f.length()).sum();
        let net: Vec3 = forces.iter().sum();
        let torque: Vec3 = forces.iter().zip(&shape).map(|(f, p)| p.cross(*f)).sum();
        // rounding of a sum of POINTS forces, and of torques with arms of up to 0.3 m
        let rounding = POINTS as f64 * f64::EPSILON;
        sheet.scaled(format!("net force / sum, {name} law"), POINTS, [net.length(), 0.0, scale], rounding);
        sheet.scaled(
            format!("net torque / (sum L), {name} law"),
            POINTS,
            [torque.length(), 0.0, scale * 0.3],
            rounding,
        );
    }
}

fn rigid(sheet: &mut Sheet) {
    let spec = spec(BendingLaw::Linear);
    let stiffness = spec.material.young * spec.section.area() / (0.3 / (POINTS - 1) as f64);
    let mut chain = chain(spec);
    let rest = chain_points(&chain);
    let turn = Quat::from_axis_angle(Vec3::new(1.0, 2.0, -1.0).normalize(), 2.0);
    place(&mut chain, &rest.iter().map(|p| Vec3::new(3.0, -4.0, 1.0) + turn * *p).collect::<Vec<_>>());
    let worst = chain.internal_forces().iter().map(|f| f.length()).fold(0.0, f64::max);
    // positions near 5 m are rounded to 1e-15 m, times the stiffness of a segment
    sheet.scaled("force [N]", POINTS, [worst, 0.0, 1.0], 8.0 * f64::EPSILON * 5.0 * stiffness);
}

fn chain_points(chain: &Chain) -> Vec<Vec3> {
    (0..chain.size()).map(|i| chain.point(i)).collect()
}

/// Numbers printed in Tables 1 and 5, and what they should be.
fn parameters(sheet: &mut Sheet) {
    let derived = |spec: ChainSpec, symbol: &str| {
        let chain = chain(spec);
        chain.derived().iter().find(|d| d.symbol == symbol).map_or(f64::NAN, |d| d.value)
    };
    // Table 1: the printed values come from 0.008 kg
    let table1 = || {
        let mut spec = spec(BendingLaw::Paper);
        spec.settings.mass = Some(0.008);
        spec.settings.heuristic = Some(Heuristic { grip_gap: 5.0, ..Heuristic::default() });
        spec
    };
    sheet.relative("Table 1 c_c, (12) at 8 g [N]", POINTS, derived(table1(), "c_c"), 1.569_60, 1e-6);
    sheet.relative("Table 1 c_b, (13) at 8 g [N]", POINTS, derived(table1(), "c_b"), 3_776.214_57, 1e-8);
    // Table 5: (21) as printed gives 3574.96; carrying the moment needs 1/alpha = 6 times that
    let mut steel = spec(BendingLaw::Paper);
    steel.material.young = 2.1e11;
    steel.section = Section::Round { radius: 1e-3 };
    steel.path = vec![Vec3::ZERO, Vec3::X * 0.5];
    steel.points = Some(16);
    steel.settings.matched_curvature = 5.0;
    sheet.relative(
        "Table 5 c_b, (21) corrected, times alpha [N]",
        16,
        derived(steel.clone(), "c_b") / 6.0,
        3574.96,
        1e-6,
    );
    sheet.relative("Table 5 c_c, E A [N]", 16, derived(steel, "c_c"), 659_734.0, 1e-6);
}
