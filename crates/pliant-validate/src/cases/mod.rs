//! The models against closed forms and independent solutions, with orders of convergence.
//!
//! References are closed forms or come from `references/`, computed by independent code, never from our own earlier
//! output. The origin of each tolerance is stated beside the case.

mod account;
mod cable_capstan;
mod cable_contact;
mod cable_energy;
mod cable_heaps;
mod cable_rods;
mod cable_work;
mod chain;
mod chain_rods;
mod contact;
mod elastica_motion;
mod elastica_rods;
mod lattice_bar;
mod lattice_bounce;
mod lattice_energy;
mod lattice_incline;
mod lattice_inertia;
mod lattice_joints;
mod lattice_momentum;
mod lattice_pair;
mod lattice_roll;
mod lattice_rounding;
mod lattice_topple;
mod lattice_worlds;
pub(crate) mod references;
mod references_motion;
mod references_particles;
mod references_solids;
mod response_direct;
mod response_drop;
mod response_flight;
mod response_frequencies;
mod response_passivity;
mod response_plates;
mod response_press;
mod response_rest;
mod response_worlds;
mod robot;
mod rods;
mod xpbd_rods;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

/// One comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Case, such as `heavy-elastica`.
    pub case: &'static str,
    /// Model.
    pub model: &'static str,
    /// What is compared.
    pub quantity: String,
    /// Number of points, nodes, particles or segments.
    pub size: usize,
    /// The model's value.
    pub value: f64,
    /// The reference value.
    pub reference: f64,
    /// Error, relative or scaled as the quantity states.
    pub error: f64,
    /// Largest error allowed.
    pub tolerance: f64,
    /// Whether the error is within the tolerance.
    pub pass: bool,
}

/// Collects the comparisons of one case.
pub struct Sheet {
    model: &'static str,
    case: &'static str,
    rows: Vec<Row>,
}

/// The largest of some values; not a number where one of them is none, such as of a run that failed.
pub fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |most: f64, value| if value <= most || most.is_nan() { most } else { value })
}

impl Sheet {
    /// Compare relative to the reference.
    pub fn relative(&mut self, quantity: impl Into<String>, size: usize, value: f64, reference: f64, tolerance: f64) {
        let error = (value - reference).abs() / reference.abs();
        self.row(quantity.into(), size, value, reference, error, tolerance);
    }

    /// Compare the difference divided by `scale`.
    pub fn scaled(
        &mut self,
        quantity: impl Into<String>,
        size: usize,
        [value, reference, scale]: [f64; 3],
        tolerance: f64,
    ) {
        let error = (value - reference).abs() / scale;
        self.row(quantity.into(), size, value / scale, reference / scale, error, tolerance);
    }

    fn row(&mut self, quantity: String, size: usize, value: f64, reference: f64, error: f64, tolerance: f64) {
        let (model, case) = (self.model, self.case);
        // written so that NaN fails
        let pass = error <= tolerance;
        self.rows.push(Row { case, model, quantity, size, value, reference, error, tolerance, pass });
    }

    /// Compare the observed order of convergence with the stated one, for errors at sizes that double.
    pub fn order(&mut self, quantity: &str, sizes: [usize; 3], errors: [f64; 3], stated: f64) {
        // the last pair is closest to the asymptotic order
        let observed = (errors[1] / errors[2]).log2();
        let text = format!("order of {quantity}, {} to {}", sizes[1], sizes[2]);
        self.scaled(text, sizes[2], [observed, stated, 1.0], 0.15);
    }
}

/// A case of a model.
#[derive(Clone, Copy)]
pub struct Case {
    /// Model.
    pub model: &'static str,
    /// Name.
    pub name: &'static str,
    /// Makes the comparisons.
    pub run: fn(&mut Sheet),
}

impl Case {
    const fn of_chain(name: &'static str, run: fn(&mut Sheet)) -> Case {
        Case { model: "chain", name, run }
    }

    const fn of_cable(name: &'static str, run: fn(&mut Sheet)) -> Case {
        Case { model: "cable", name, run }
    }

    const fn of_elastica(name: &'static str, run: fn(&mut Sheet)) -> Case {
        Case { model: "elastica", name, run }
    }

    const fn of_xpbd(name: &'static str, run: fn(&mut Sheet)) -> Case {
        Case { model: "xpbd", name, run }
    }

    const fn of_lattice(name: &'static str, run: fn(&mut Sheet)) -> Case {
        Case { model: "lattice", name, run }
    }

    const fn of_response(name: &'static str, run: fn(&mut Sheet)) -> Case {
        Case { model: "response", name, run }
    }
}

/// All cases, model by model.
pub fn all() -> Vec<Case> {
    [
        account::CASES,
        chain::CASES,
        chain_rods::CASES,
        cable_rods::CASES,
        cable_capstan::CASES,
        cable_contact::CASES,
        cable_energy::CASES,
        cable_work::CASES,
        cable_heaps::CASES,
        xpbd_rods::CASES,
        elastica_rods::CASES,
        elastica_motion::CASES,
        lattice_inertia::CASES,
        lattice_bar::CASES,
        lattice_pair::CASES,
        lattice_momentum::CASES,
        lattice_joints::CASES,
        lattice_energy::CASES,
        lattice_bounce::CASES,
        lattice_incline::CASES,
        lattice_roll::CASES,
        lattice_rounding::CASES,
        lattice_topple::CASES,
        response_frequencies::CASES,
        response_plates::CASES,
        response_press::CASES,
        response_drop::CASES,
        response_direct::CASES,
        response_flight::CASES,
        response_passivity::CASES,
        response_rest::CASES,
        robot::CASES,
    ]
    .concat()
}

/// Rows of all `cases`, in their order, computed by several threads. `begin` is called when a case begins.
pub fn run(cases: &[&Case], threads: usize, begin: impl Fn(&Case) + Sync) -> Vec<Row> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let work = || {
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(n) else { return };
            begin(case);
            let mut sheet = Sheet { model: case.model, case: case.name, rows: vec![] };
            (case.run)(&mut sheet);
            done.lock().unwrap_or_else(PoisonError::into_inner).insert(n, sheet.rows);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(work);
        }
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().flatten().collect()
}
