//! Times and accuracies of the cube of the paper: of its modes, `measure linear|quadratic CELLS COUNT [BLOCK] [POISSON]`, and of its
//! response to COUNT forces, `measure direct CELLS COUNT`. Of all that is found beforehand, also of a block of linear tetrahedra:
//! `measure basis linear|quadratic CELLSxCELLSxCELLS COUNT`.

use pliant::math::Vec3;
use pliant_fem::{
    Damping, Direct, Elastic, MassKind, Model, Modes, ModesParams, Order, Recipe, TetMesh, Timing, open_basis,
    write_basis,
};
use std::ops::ControlFlow;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [what, order, cells, count] = &arguments[..]
        && what == "basis"
    {
        return basis(order, cells, count.parse()?);
    }
    let number = |n: usize, or: f64| arguments.get(n).map_or(Ok(or), |text| text.parse::<f64>());
    let order =
        if arguments.first().is_some_and(|order| order == "quadratic") { Order::Quadratic } else { Order::Linear };
    let (cells, count, block, poisson) = (number(1, 12.0)?, number(2, 200.0)?, number(3, 4.0)?, number(4, 0.49)?);
    let solid = Elastic { young: 2000.0, poisson, density: 110.0 };
    let start = Instant::now();
    let mesh = TetMesh::cube(cells as usize, 0.1)?;
    println!("{:8.3} s  mesh of {} nodes", start.elapsed().as_secs_f64(), mesh.nodes().len());
    let model = Model::new(&mesh, &solid, order, MassKind::Consistent)?;
    println!("{:8.3} s  {} unknowns", start.elapsed().as_secs_f64(), model.unknowns());
    let params = ModesParams { count: count as usize, block: block as usize, ..ModesParams::default() };
    if arguments.first().is_some_and(|what| what == "direct") {
        let direct = Direct::new(&model, &Damping::default(), &Timing::default())?;
        println!("{:8.3} s  factorised", start.elapsed().as_secs_f64());
        let force = |n: usize| (0..model.unknowns()).map(|i| if i == n { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
        let forces: Vec<Vec<f64>> = (0..params.count).map(force).collect();
        let forces: Vec<&[f64]> = forces.iter().map(|force| &force[..]).collect();
        let responses = direct.respond(&forces, &mut |_| ControlFlow::Continue(()))?;
        println!("{:8.3} s  {} responses", start.elapsed().as_secs_f64(), responses.len());
        return Ok(());
    }
    let modes = Modes::new(&model, &params, &mut |progress| {
        if progress.done % 200 < params.block {
            println!(
                "{:8.3} s  {:?} {} of {}",
                start.elapsed().as_secs_f64(),
                progress.stage,
                progress.done,
                progress.of
            );
        }
        ControlFlow::Continue(())
    })?;
    let worst = modes.residuals().iter().fold(0.0f64, |worst, r| worst.max(*r));
    println!(
        "{:8.3} s  {} modes from {} vectors, factor of {:.1} MB, worst residual {worst:.1e}",
        start.elapsed().as_secs_f64(),
        modes.count(),
        modes.vectors,
        modes.factor_size as f64 * 8e-6
    );
    let first: Vec<String> = (0..modes.count().min(12)).map(|n| format!("{:.6}", modes.hertz(n))).collect();
    println!("{} ... {:.6} Hz", first.join(" "), modes.hertz(modes.count() - 1));
    Ok(())
}

/// Modes, compliance and file of a block with cells of the size of the paper's.
fn basis(order: &str, cells: &str, modes: usize) -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let counts: Vec<usize> = cells.split('x').map(str::parse).collect::<Result<_, _>>()?;
    let [x, y, z] = counts[..] else { return Err("three numbers of cells".into()) };
    let order = if order == "quadratic" { Order::Quadratic } else { Order::Linear };
    let side = if order == Order::Quadratic { 0.1 / 6.0 } else { 0.1 / 12.0 };
    let size = Vec3::new(x as f64, y as f64, z as f64) * side;
    let solid = Elastic { young: 2000.0, poisson: 0.49, density: 110.0 };
    let recipe = Recipe { order, ..Recipe::new(TetMesh::block([x, y, z], size)?, solid, modes) };
    let (unknowns, nodes) = recipe.size();
    println!("{:8.3} s  {unknowns} unknowns, {nodes} nodes on the surface", start.elapsed().as_secs_f64());
    let threads = std::thread::available_parallelism()?.get();
    let mut stage = None;
    let basis = recipe.compute(threads, &mut |progress| {
        if stage != Some(progress.stage) {
            stage = Some(progress.stage);
            println!("{:8.3} s  {:?}", start.elapsed().as_secs_f64(), progress.stage);
        }
        ControlFlow::Continue(())
    })?;
    println!("{:8.3} s  computed", start.elapsed().as_secs_f64());
    let path = std::env::temp_dir().join("measured.basis");
    write_basis(&path, recipe.digest(), &basis)?;
    let length = std::fs::metadata(&path)?.len();
    println!("{:8.3} s  written: {:.1} MB", start.elapsed().as_secs_f64(), length as f64 * 1e-6);
    let opening = Instant::now();
    let opened = open_basis(&path, Some(recipe.digest()))?;
    println!("opened in {:.1} ms, equal: {}", opening.elapsed().as_secs_f64() * 1e3, opened == basis);
    std::fs::remove_file(&path)?;
    Ok(())
}
