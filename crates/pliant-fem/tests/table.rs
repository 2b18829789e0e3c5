//! Recorded responses: the same as a sum over modes, and gone on with after any interruption.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Random, SEED, SIDE, dot};
use pliant::math::Vec3;
use pliant::response::{Basis, Records};
use pliant_fem::{
    Damping, FemError, Found, MassKind, Model, Order, Oscillator, PrecomputeError, Progress, Recipe, Sampling, Scheme,
    StoreError, TableRecipe, TetMesh, Timing, nearest_nodes, open_basis, open_records, records_of, records_path,
};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

const DAMPING: Damping = Damping { mass: 2.0, stiffness: 1e-4 };

fn go_on(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Of a mesh, at some nodes, for a tenth of a second.
fn table(mesh: TetMesh, order: Order, touched: Vec<u32>) -> TableRecipe {
    let timing = Timing { samples: 50, ..Timing::default() };
    TableRecipe {
        mesh,
        elastic: SEED,
        order,
        mass: MassKind::Consistent,
        fixed: vec![],
        damping: DAMPING,
        timing,
        touched,
    }
}

/// The modes of the same body.
fn modes(table: &TableRecipe, count: usize) -> Basis {
    let recipe = Recipe { order: table.order, mass: table.mass, ..Recipe::new(table.mesh.clone(), SEED, count) };
    recipe.compute(2, &mut go_on).unwrap()
}

fn record(table: &TableRecipe) -> Records {
    let folder = tempfile::tempdir().unwrap();
    table.record(&folder.path().join("x.records"), 2, &mut go_on).unwrap()
}

/// R[s]_ij = sum over modes of phi_i phi_j h[s], of the force on unknown `j`.
fn summed(basis: &Basis, table: &TableRecipe, j: usize) -> Vec<f64> {
    let (size, count) = (3 * basis.hull.nodes.len(), basis.squares.len());
    let mut values = vec![0.0; size * table.timing.samples];
    for (k, square) in basis.squares.iter().enumerate() {
        let oscillator = Oscillator::new(Scheme::Newmark, *square, table.damping.of(*square), table.timing.substep());
        for (sample, h) in values.chunks_exact_mut(size).zip(table.timing.sampled(&oscillator)) {
            let along = h * basis.shapes[j * count + k];
            sample.iter_mut().enumerate().for_each(|(i, value)| *value += along * basis.shapes[i * count + k]);
        }
    }
    values
}

/// Largest difference over the largest value.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let size = a.iter().fold(0.0f64, |size, x| size.max(x.abs()));
    a.iter().zip(b).fold(0.0f64, |apart, (a, b)| apart.max((a - b).abs())) / size
}

#[test]
fn all_modes_give_the_table() {
    for (cells, order) in [(2, Order::Linear), (1, Order::Quadratic)] {
        for sampling in [Sampling::Mean, Sampling::End] {
            let mut table = table(TetMesh::cube(cells, SIDE).unwrap(), order, vec![0, 5, 7]);
            table.timing.sampling = sampling;
            let records = record(&table);
            let basis = modes(&table, table.size().0 - 6);
            assert_eq!(records.hull, basis.hull);
            assert_eq!((records.samples, records.sample, &records.nodes), (50, 2e-3, &vec![0, 5, 7]));
            assert_eq!(records.responses.len(), 9);
            for (n, response) in records.responses.iter().enumerate() {
                let unknown = 3 * table.touched[n / 3] as usize + n % 3;
                let error = apart(response, &summed(&basis, &table, unknown));
                // the same scheme in time: rounding is left
                assert!(error < 1e-8, "{order:?} {sampling:?} {n}: {error:.1e}");
            }
        }
    }
}

#[test]
fn some_modes_give_the_part_of_the_table_that_they_hold() {
    // of a bar one cell thick, all nodes are on the surface: u is projected by Phi Phi^T M u
    let mesh = TetMesh::block([4, 1, 1], Vec3::new(0.4, 0.1, 0.1)).unwrap();
    let table = table(mesh, Order::Linear, vec![2]);
    let (records, basis) = (record(&table), modes(&table, 9));
    let model = Model::new(&table.mesh, &SEED, table.order, table.mass).unwrap();
    let size = model.unknowns();
    assert_eq!(size, 3 * records.hull.nodes.len());
    let shapes: Vec<Vec<f64>> = (0..9).map(|k| (0..size).map(|i| basis.shapes[i * 9 + k]).collect()).collect();
    for (axis, response) in records.responses.iter().enumerate() {
        let mut held = vec![];
        for sample in response.chunks_exact(size) {
            let momenta = model.momenta(sample).unwrap();
            let along: Vec<f64> = shapes.iter().map(|shape| dot(shape, &momenta)).collect();
            held.extend((0..size).map(|i| (0..9).map(|k| along[k] * shapes[k][i]).sum::<f64>()));
        }
        let error = apart(&summed(&basis, &table, 3 * 2 + axis), &held);
        assert!(error < 1e-8, "{axis}: {error:.1e}");
        // and it is a part indeed
        assert!(apart(response, &held) > 1e-3);
    }
}

/// A folder with a table in it, stopped somewhere.
struct Stopped {
    folder: tempfile::TempDir,
    table: TableRecipe,
}

impl Stopped {
    fn new() -> Stopped {
        let table = table(TetMesh::cube(2, SIDE).unwrap(), Order::Linear, (3..12).collect());
        Stopped { folder: tempfile::tempdir().unwrap(), table }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("x.records")
    }

    fn part(&self) -> PathBuf {
        self.folder.path().join("x.records.part")
    }

    /// Go on for so many samples; how many were done.
    fn go_on(&self, most: usize) -> (Result<Records, PrecomputeError>, usize) {
        let mut done = 0;
        let result = self.table.record(&self.path(), 1, &mut |progress| {
            assert!(progress.done < progress.of);
            done += 1;
            if done > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        (result, done)
    }
}

#[test]
fn gone_on_with_after_being_stopped() {
    let stopped = Stopped::new();
    let expected = record(&stopped.table);
    // 27 responses, twelve at a time, take three times 50 samples; stopped twice in the second
    for most in [60, 30] {
        let (result, done) = stopped.go_on(most);
        assert_eq!(result, Err(PrecomputeError::Fem(FemError::Stopped)));
        assert_eq!(done, most + 1);
        assert!(stopped.part().exists() && !stopped.path().exists());
        assert!(open_records(&stopped.part(), None).is_err(), "not complete, and not to be taken for it");
    }
    // twelve were complete after 60 samples, no more after 30 others
    let (result, done) = stopped.go_on(usize::MAX);
    assert_eq!(done, 100);
    assert_eq!(result.unwrap(), expected);
    assert!(!stopped.part().exists());
    // once it is there, nothing is left to do
    assert_eq!(stopped.go_on(0).0.unwrap(), expected);
    assert!(!stopped.part().exists());
}

#[test]
fn gone_on_with_whatever_happened_to_the_part() {
    let expected = record(&Stopped::new().table);
    let mut random = Random(11);
    let change = |path: &Path, how: usize, random: &mut Random| {
        let mut bytes = std::fs::read(path).unwrap();
        let at = random.bits() as usize % bytes.len();
        match how {
            // in the middle of a response, or anywhere
            0 => bytes.truncate(bytes.len() * 2 / 5),
            1 => bytes.truncate(at),
            2 => bytes[at] ^= 7,
            3 => bytes[random.bits() as usize % 1000] ^= 7,
            4 => bytes.clear(),
            _ => bytes.fill(0xab),
        }
        std::fs::write(path, bytes).unwrap();
    };
    for how in 0..6 {
        for _ in 0..3 {
            let stopped = Stopped::new();
            stopped.go_on(120).0.unwrap_err();
            change(&stopped.part(), how, &mut random);
            let (result, done) = stopped.go_on(usize::MAX);
            assert!(result.unwrap() == expected, "change {how}");
            assert!((50..=150).contains(&done), "change {how}: {done}");
        }
    }
}

#[test]
fn the_part_of_another_body_is_begun_anew() {
    let mut stopped = Stopped::new();
    stopped.go_on(60).0.unwrap_err();
    stopped.table.damping.mass = 3.0;
    let (result, done) = stopped.go_on(usize::MAX);
    assert_eq!(done, 150);
    assert_eq!(result.unwrap(), record(&stopped.table));
}

#[test]
fn threads_change_no_bit() {
    let folder = tempfile::tempdir().unwrap();
    let table = Stopped::new().table;
    let by =
        |threads: usize| table.record(&folder.path().join(format!("{threads}.records")), threads, &mut go_on).unwrap();
    let one = by(1);
    assert!(one == by(2) && one == by(3));
}

#[test]
fn found_in_a_folder_and_refused_when_damaged() {
    let (folder, table) = (tempfile::tempdir().unwrap(), Stopped::new().table);
    let find = || records_of(&table, folder.path(), 2, &mut go_on).unwrap();
    let path = records_path(&table, folder.path());
    assert_eq!(find().1, Found::Stored { path: path.clone(), instead_of: None });
    let (records, found) = find();
    assert_eq!(found, Found::Kept(path.clone()));
    assert!(matches!(open_basis(&path, None), Err(StoreError::Kind { .. })));
    let whole = std::fs::read(&path).unwrap();
    let mut random = Random(5);
    for _ in 0..200 {
        let mut bytes = whole.clone();
        let at = random.bits() as usize % if random.bits().is_multiple_of(2) { bytes.len() } else { 1100 };
        bytes[at] ^= 1 + (random.bits() % 255) as u8;
        let other = folder.path().join("other.records");
        std::fs::write(&other, &bytes).unwrap();
        assert!(open_records(&other, None).is_err(), "byte {at}");
        std::fs::remove_file(&other).unwrap();
    }
    // by whoever does not rename: a new file in its place
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let (again, found) = find();
    assert!(found.warning().unwrap().contains("not complete"), "{found:?}");
    assert_eq!(again, records);
}

#[test]
fn one_process_at_a_time() {
    let stopped = Stopped::new();
    let mut inner = None;
    let outer = stopped.table.record(&stopped.path(), 1, &mut |_| {
        // on a thread of its own, as another process would be
        let other = || stopped.table.record(&stopped.path(), 1, &mut go_on).unwrap_err();
        inner.get_or_insert_with(|| std::thread::scope(|scope| scope.spawn(other).join().unwrap()));
        ControlFlow::Continue(())
    });
    assert!(outer.is_ok());
    let said = inner.unwrap().to_string();
    assert!(said.contains("by another process: wait"), "{said}");
}

#[test]
fn nodes_near_points_and_tables_that_are_none() {
    let mesh = TetMesh::cube(2, 0.1).unwrap();
    // corners of the cube, one twice, and the middle of an edge of a cell that only quadratic elements have
    let points = [Vec3::splat(-1.0), Vec3::new(0.1, 0.0, 0.0), Vec3::new(0.099, 0.0, 0.001)];
    assert_eq!(nearest_nodes(&mesh, Order::Linear, &points), [0, 2]);
    let middle = Vec3::new(0.025, 0.0, 0.0);
    let table = table(mesh.clone(), Order::Quadratic, nearest_nodes(&mesh, Order::Quadratic, &[middle]));
    assert_eq!(record(&table).hull.nodes[table.touched[0] as usize], middle);
    let refused = |table: TableRecipe| table.record(Path::new("/nowhere/x"), 1, &mut go_on).unwrap_err().to_string();
    assert!(refused(TableRecipe { touched: vec![], ..table.clone() }).contains("at least 1"));
    assert!(refused(TableRecipe { touched: vec![9999], ..table.clone() }).contains("refers to 9999"));
    let timing = Timing { samples: 0, ..table.timing };
    assert!(refused(TableRecipe { timing, ..table }).contains("samples"));
}
