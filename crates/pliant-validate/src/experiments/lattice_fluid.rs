//! Joukhadar's (9) and Fig. 27: drag of a fluid on facets, and what it does to things that fall (section 4.4).

use pliant::math::Vec3;

use super::lattice_steps::{Whole, solid};
use super::{Results, run, scene};
use crate::Failure;
use pliant_record::short;

/// A thing without contacts; solid, turn, gravity and fluid are inserted.
const FALLING: &str = r#"
title    = "A solid in a fluid"
duration = DURATION
step     = 0.001
gravity  = [0, 0, GRAVITY]
[material.stiff]
young    = 1e7   # as of wood, so that it does not bend
poisson  = 0.25
density  = 100
[[body]]
name        = "thing"
model       = "lattice"
material    = "stiff"
solid       = SOLID
position    = [0, 0, 0]
orientation = { axis = [0, 1, 0], angle_deg = TURN }
[body.lattice]
FLUID
"#;

const PLATE: &str = "{ box = { size = [0.2, 0.2, 0.01], cells = [4, 4, 1] } }";
/// Edges and mass of the plate [m, kg].
const SIZE: [f64; 3] = [0.2, 0.2, 0.01];
const MASS: f64 = 0.04;
const GRAVITY: f64 = 9.81;

/// How a solid moves at the end, as a whole.
fn end(shape: &str, turn: f64, gravity: f64, fluid: &str, duration: f64) -> Result<Whole, Failure> {
    let text = FALLING
        .replace("DURATION", &duration.to_string())
        .replace("GRAVITY", &(-gravity).to_string())
        .replace("SOLID", shape)
        .replace("TURN", &turn.to_string())
        .replace("FLUID", fluid);
    let mut scene = scene(&text, "a solid in a fluid", &[])?;
    run(&mut scene, |_| Ok(()))?;
    Ok(Whole::of(solid(&scene.world, 0)?))
}

/// Drag of a plate, and what falls.
pub fn fluid(results: &mut Results) -> Result<(), Failure> {
    results.choice(
        "plate",
        "200 x 200 x 10 mm of 40 g, in air of k = 10 N s/m3 and a liquid of k = 10 N s2/m4; not given",
    );
    results.choice(
        "\"V x n\" of (9)",
        "the scalar product, since it is a number; for liquids k |V| V, which has a direction",
    );
    let area = SIZE[0] * SIZE[1];
    for (what, law, expected) in [
        ("air, k V", "fluid = { viscosity = 10 }", MASS * GRAVITY / (10.0 * area)),
        ("a liquid, k V^2", "fluid = { viscosity = 10, quadratic = true }", (MASS * GRAVITY / (10.0 * area)).sqrt()),
    ] {
        let found = -end(PLATE, 0.0, GRAVITY, law, 1.2)?.velocity.z;
        // twelve times m / (k S): what is missing then is e^-12
        let off = found / expected - 1.0;
        results.statement(
            format!("a flat plate that falls in {what}: speed at last off m g = k S V (or V^2), below 0.001 of it"),
            "-",
            off.abs(),
            off.abs() < 1e-3,
        );
    }
    angles(results)?;
    tumbling(results)
}

/// Fig. 27: the force of a wind on a plate that is turned, by what it does in a millisecond.
fn angles(results: &mut Results) -> Result<(), Failure> {
    let wind = "fluid = { viscosity = 10, velocity = [0, 0, -5] }";
    let force =
        |turn: f64| -> Result<Vec3, Failure> { Ok(end(PLATE, turn, 0.0, wind, 0.001)?.velocity * (MASS / 0.001)) };
    let flat = force(0.0)?;
    let mut said = vec![];
    let mut worst = 0.0f64;
    for turn in [30.0, 60.0, 90.0_f64] {
        let found = force(turn)?;
        // faces that the wind meets: the large one by the cosine, one edge by the sine
        let (sin, cos) = turn.to_radians().sin_cos();
        let expected = (SIZE[0] * SIZE[1] * cos + SIZE[1] * SIZE[2] * sin) / (SIZE[0] * SIZE[1]);
        let part = found.z / flat.z;
        worst = worst.max((part - expected).abs()).max(found.x.abs() / flat.z.abs());
        said.push(format!("{} at {turn} degrees", short(part)));
    }
    results.statement(
        "force of a wind on a plate that is turned: off the sum over its faces of S (V . n), along V, over that on a flat one, below 0.01",
        "-",
        worst,
        worst < 0.01,
    );
    results.remark(format!("Force of the wind over that on a flat plate: {}.", said.join(", ")));
    Ok(())
}

/// "The rotation of a falling object is the result of its collision with the air": a three-sided prism that is not upright.
fn tumbling(results: &mut Results) -> Result<(), Failure> {
    let prism = "{ prism = { sides = 3, radius = 0.08, length = 0.2 } }";
    let spin = |fluid: &str| -> Result<f64, Failure> { Ok(end(prism, 70.0, GRAVITY, fluid, 0.5)?.spin.length()) };
    let (air, vacuum) = (spin("fluid = { viscosity = 10 }")?, spin("")?);
    results.statement("a prism that falls aslant in air: angular momentum after 0.5 s", "kg m2/s", air, air > 1e-6);
    results.statement("the same in vacuum over that in air, below 1e-9", "-", vacuum / air, vacuum < 1e-9 * air);
    let uneven = "{ polygon = { corners = [[-0.1, -0.1], [0.1, -0.1], [0.02, 0.14], [-0.1, 0.14]], thickness = 0.01, per_edge = 3 } }";
    let spin = |shape: &str, turn: f64, fluid: &str| -> Result<f64, Failure> {
        Ok(end(shape, turn, GRAVITY, fluid, 0.5)?.spin.length())
    };
    let air = "fluid = { viscosity = 10 }";
    let (falling, vacuum) = (spin(uneven, 25.0, air)?, spin(uneven, 25.0, "")?);
    results.statement(
        "an uneven plate that falls aslant in air (4.4): angular momentum after 0.5 s, above 1e-6",
        "kg m2/s",
        falling,
        falling > 1e-6,
    );
    results.statement(
        "the same in vacuum over that in air, below 1e-9",
        "-",
        vacuum / falling,
        vacuum < 1e-9 * falling,
    );
    let flat = spin(uneven, 0.0, air)?;
    results.remark(format!(
        "Flat in the air it does not turn ({} kg m2/s): (9) acts on all of its face alike, in its centre.",
        short(flat)
    ));
    let even = spin(PLATE, 0.0, air)?;
    results.statement(
        "a square plate that lies flat in air: the same, none (below 1e-9)",
        "kg m2/s",
        even,
        even < 1e-9,
    );
    Ok(())
}
