//! What forces cost against direct finite elements: the claim of Tagawa, Hirota and Hirose's abstract and of their section 2.5.

use std::time::Instant;

use pliant::math::Vec3;
use pliant_fem::{Damping, Direct, MassKind, Model, Order, TetMesh, Timing};

use super::lattice_pictures::{Chart, Panel, Series};
use super::lattice_steps::exponent;
use super::response_cube::{ELASTIC, SIDE, fem, go_on, median, scene_text};
use super::{Results, run, scene};
use crate::Failure;
use pliant_record::short;

/// It is held at some nodes of a face, which are inserted, and shaken.
const HELD: &str = r#"
[[gripper]]
name     = "hand"
grips    = [{ body = "cube", at = HOLD }]
motion   = { sinusoid = { amplitude = [0.01, 0, 0], frequency = 2.0, phase_deg = 90 } }
"#;

/// Cells along a side.
const CELLS: [usize; 5] = [5, 8, 12, 17, 24];

/// Wall times [s] of a step, and of the surface after it.
struct Cost {
    step: f64,
    surface: f64,
}

impl Cost {
    fn new(cells: usize, hold: &str) -> Result<Cost, Failure> {
        let text = scene_text(cells, 0.6, "damping_time = 0.005, modes = 60", &HELD.replace("HOLD", hold));
        let mut scene = scene(&text, "a cube held", &[])?;
        let (mut steps, mut surfaces) = (vec![], vec![]);
        run(&mut scene, |moment| {
            if moment.step > 50 {
                steps.push(moment.took.as_secs_f64());
                let clock = Instant::now();
                std::hint::black_box(moment.world.frame());
                surfaces.push(clock.elapsed().as_secs_f64());
            }
            Ok(())
        })?;
        Ok(Cost { step: median(steps), surface: median(surfaces) })
    }
}

/// Wall time of a step of direct integration of all unknowns, their matrix factored before [s].
fn direct(model: &Model) -> Result<f64, Failure> {
    let damping = Damping { mass: 0.0, stiffness: 5e-3 };
    let timing = Timing { substeps: 1, samples: 20, ..Timing::default() };
    let direct = Direct::new(model, &damping, &timing).map_err(fem)?;
    let mut force = vec![0.0; model.unknowns()];
    force[model.surface_unknowns()[0]] = 1.0;
    let mut times = vec![];
    for _ in 0..3 {
        let clock = Instant::now();
        direct.respond(&[&force], &mut go_on).map_err(fem)?;
        times.push(clock.elapsed().as_secs_f64() / timing.samples as f64);
    }
    Ok(median(times))
}

/// Times over the size of the model, and over that of the contact.
pub fn cost(results: &mut Results) -> Result<(), Failure> {
    results.choice("modes", "60, of a cube of 216 to 15,625 nodes of linear tetrahedra; steps of 2 ms, medians");
    results.choice(
        "direct finite elements",
        "one solution with a sparse factor a step, which was made before: the cheapest way. The paper does not say what its comparison is with",
    );
    let point = "{ point = [-0.05, 0, 0] }";
    let (mut forces, mut surfaces, mut directs, mut boundary) = (vec![], vec![], vec![], vec![]);
    for cells in CELLS {
        results.talk(&format!("a cube of {cells} x {cells} x {cells} cells"));
        let mesh = TetMesh::cube(cells, SIDE).map_err(fem)?;
        let model = Model::new(&mesh, &ELASTIC, Order::Linear, MassKind::Consistent).map_err(fem)?;
        let nodes = model.nodes().len() as f64;
        let Cost { step, surface } = Cost::new(cells, point)?;
        forces.push([nodes, 1e3 * step]);
        surfaces.push([nodes, 1e3 * surface]);
        boundary.push([model.surface().nodes.len() as f64, 1e3 * surface]);
        directs.push([nodes, 1e3 * direct(&model)?]);
    }
    let power = exponent(&forces);
    results.statement(
        "time of a step with a force at one node goes with the number of nodes to a power of 0 (-0.2 to 0.2): \"independent of the complexity\"",
        "-",
        power,
        power.abs() < 0.2,
    );
    let power = exponent(&boundary);
    results.statement(
        "time of the whole surface goes with its number of nodes to a power of 1 (0.8 to 1.2): \"linearly proportional\"",
        "-",
        power,
        (0.8..=1.2).contains(&power),
    );
    let power = exponent(&directs);
    results.statement("time of a step of direct finite elements, the same, above 1", "-", power, power > 1.0);
    let last = CELLS.len() - 1;
    let gains: Vec<f64> = directs.iter().zip(&forces).map(|(direct, force)| direct[1] / force[1]).collect();
    results.statement(
        "gain over direct finite elements with 15,625 nodes over that with 216, above 1: \"more advantageous as the complexity increases\"",
        "-",
        gains[last] / gains[0],
        gains[last] > gains[0],
    );
    let list = |points: &[[f64; 2]]| points.iter().map(|p| short(p[1])).collect::<Vec<_>>().join(", ");
    results.remark(format!(
        "With {} nodes: forces {} ms, surface {} ms, direct finite elements {} ms a step; gains {}.",
        forces.iter().map(|p| short(p[0])).collect::<Vec<_>>().join(", "),
        list(&forces),
        list(&surfaces),
        list(&directs),
        gains.iter().map(|gain| short(*gain)).collect::<Vec<_>>().join(", ")
    ));
    contacts(results)?;
    let of = |label: &str, points: Vec<[f64; 2]>| Series { label: label.into(), points, marks: false };
    let series =
        vec![of("force at a node", forces), of("whole surface", surfaces), of("direct finite elements", directs)];
    let panels = vec![Panel { label: "time of a step [ms]".into(), log: true, series }];
    let chart = Chart {
        title: "Cost against the size of the model (section 2.5)".into(),
        label: "nodes".into(),
        log: true,
        panels,
    };
    results.pictures.push(("002-cost".into(), chart.svg()));
    Ok(())
}

/// The same cube, held at 1 to 169 nodes of a face.
fn contacts(results: &mut Results) -> Result<(), Failure> {
    let mut points = vec![];
    for across in [0, 1, 2, 4, 6] {
        let half = (f64::from(across) + 0.1) * SIDE / 12.0;
        let corner = Vec3::new(-0.5 * SIDE - 1e-6, -half, -half);
        let other = Vec3::new(-0.5 * SIDE + 1e-6, half, half);
        let written = |v: Vec3| format!("[{}, {}, {}]", v.x, v.y, v.z);
        let hold = format!("{{ min = {}, max = {} }}", written(corner), written(other));
        let held = 3.0 * f64::from((2 * across + 1) * (2 * across + 1));
        points.push([held, 1e3 * Cost::new(12, &hold)?.step]);
    }
    let power = exponent(&points[2..]);
    results.statement(
        "time of a step goes with the number of held degrees of freedom, 75 to 507, to a power of at most 3: \"O(n_c^3)\"",
        "-",
        power,
        power <= 3.0,
    );
    let most = points[points.len() - 1][1];
    results.statement("with 507 of them a step takes less than the 2 ms of a sample", "ms", most, most < 2.0);
    let list: Vec<String> = points.iter().map(|p| format!("{} ms with {}", short(p[1]), short(p[0]))).collect();
    results.remark(format!("A step of the cube of Table 1, by held degrees of freedom: {}.", list.join(", ")));
    Ok(())
}
