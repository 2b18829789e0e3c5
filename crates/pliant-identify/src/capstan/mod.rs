//! Friction and stiffness of a cable from the pulls at which it begins to slide over a drum.
//!
//! The rig: a weight at one end, the cable wound on a fixed drum, the other end pulled ever harder until it slides. Each
//! [`Pull`] is a load, an angle and that pull. [`identify`] fits a [`Theory`] to them, and says how sure each number is, what the
//! data do not tell, and whether the theory fits at all. [`simulate`] is the rig itself, as a simulation.

mod law;
mod rig;

use std::io::Read;

use serde::Serialize;

pub use law::{Capstan, Rig, Theory};
pub use rig::{Making, simulate};

use crate::fit::{Estimate, Fit, Unknown, fit};
use crate::statistics::f_tail;

/// One measurement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Pull {
    /// Tension at the loaded end [N].
    pub load: f64,
    /// Angle by which the cable is wound [rad].
    pub angle: f64,
    /// Pull at which it begins to slide [N].
    pub pull: f64,
}

/// Why nothing can be identified.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum IdentifyError {
    /// The table cannot be read.
    #[error("line {line}: {why}")]
    Text {
        /// Line, counted from 1.
        line: u64,
        /// What is wrong.
        why: String,
    },
    /// A column is missing.
    #[error(
        "there is no column {column}: expected a first line with the names t0, t and angle (N, N, rad) or angle_deg, found {found}"
    )]
    NoColumn {
        /// Its name.
        column: &'static str,
        /// Names found.
        found: String,
    },
    /// There are too few measurements.
    #[error("there are {count} measurements for {unknowns} unknowns: measure at least {} pulls, at several loads and angles", unknowns + 1)]
    TooFew {
        /// Their number.
        count: usize,
        /// Number of unknowns.
        unknowns: usize,
    },
    /// The rig makes no sense.
    #[error("{what} must be positive")]
    Rig {
        /// What is not.
        what: &'static str,
    },
    /// The data tell nothing.
    #[error(
        "the data tell none of the unknowns: pulls at several angles are needed, at which friction makes a difference"
    )]
    Nothing,
}

/// Read measurements from a table with the columns t0, t and angle (or angle_deg).
pub fn read(from: impl Read) -> Result<Vec<Pull>, IdentifyError> {
    let mut table = csv::ReaderBuilder::new().trim(csv::Trim::All).comment(Some(b'#')).from_reader(from);
    let told =
        |e: csv::Error| IdentifyError::Text { line: e.position().map_or(1, csv::Position::line), why: e.to_string() };
    let names: Vec<String> = table.headers().map_err(told)?.iter().map(|name| name.to_lowercase()).collect();
    let column = |known: &[&str]| names.iter().position(|name| known.contains(&name.as_str()));
    let missing = |column| IdentifyError::NoColumn { column, found: names.join(", ") };
    let load = column(&["t0", "load", "t0 [n]"]).ok_or_else(|| missing("t0"))?;
    let pull = column(&["t", "pull", "t [n]"]).ok_or_else(|| missing("t"))?;
    let (angle, unit) = match (column(&["angle", "theta", "angle [rad]"]), column(&["angle_deg", "angle [deg]"])) {
        (Some(angle), _) => (angle, 1.0),
        (None, Some(angle)) => (angle, std::f64::consts::PI / 180.0),
        _ => return Err(missing("angle")),
    };
    let mut pulls = vec![];
    for row in table.records() {
        let row = row.map_err(told)?;
        let line = row.position().map_or(0, csv::Position::line);
        let number = |column: usize, what: &str| {
            let text = row.get(column).unwrap_or("");
            let wrong = || IdentifyError::Text { line, why: format!("{what} must be a positive number, not `{text}`") };
            text.parse::<f64>().ok().filter(|x| x.is_finite() && *x > 0.0).ok_or_else(wrong)
        };
        pulls.push(Pull {
            load: number(load, "t0")?,
            pull: number(pull, "t")?,
            angle: unit * number(angle, "the angle")?,
        });
    }
    Ok(pulls)
}

/// A number found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameter {
    /// Name, as in scene files.
    pub name: &'static str,
    /// Best value, or the one assumed if the data do not tell it.
    pub value: f64,
    /// 95 % interval; absent if the data do not tell it.
    pub interval: Option<[f64; 2]>,
    /// Unit.
    pub unit: &'static str,
    /// Largest relative change of a pull if it were larger by a third.
    pub matters: f64,
}

/// Whether the theory fits, judged by repeated measurements.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Misfit {
    /// Scatter of repeated measurements, relative.
    pub noise: f64,
    /// Deviation of their means from the theory beyond that, relative.
    pub beyond: f64,
    /// Probability of a deviation like this if the theory were right.
    pub probability: f64,
}

/// Result of an identification.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Identified {
    /// Theory, with the values found.
    pub law: Capstan,
    /// All numbers.
    pub parameters: Vec<Parameter>,
    /// Root mean square of the relative deviations of pulls.
    pub deviation: f64,
    /// Whether the theory fits; absent without repeated measurements.
    pub misfit: Option<Misfit>,
    /// Largest strain of the cable [-].
    pub strain: f64,
}

impl Identified {
    /// The value of a parameter.
    pub fn value(&self, name: &str) -> Option<f64> {
        self.parameters.iter().find(|p| p.name == name).map(|p| p.value)
    }

    /// Whether the theory is refuted by the data, at one in a hundred.
    pub fn is_refuted(&self) -> bool {
        self.misfit.is_some_and(|misfit| misfit.probability < 0.01)
    }
}

/// The unknowns of a theory: name, unit, and whether it is fitted by its logarithm.
const UNKNOWNS: [(&str, &str, bool); 4] = [
    ("friction.coefficient", "(N/m)^(1-N)", true),
    ("friction.exponent", "", false),
    ("young", "Pa", true),
    ("poisson", "", false),
];

/// Find friction, and stiffness as far as the data tell it; the rig's own stiffness is where it begins, and what is assumed
/// otherwise.
pub fn identify(pulls: &[Pull], rig: Rig, theory: Theory) -> Result<Identified, IdentifyError> {
    for (what, value) in
        [("the drum's radius", rig.drum), ("the cable's radius", rig.radius), ("Young's modulus", rig.young)]
    {
        if !(value.is_finite() && value > 0.0) {
            return Err(IdentifyError::Rig { what });
        }
    }
    let free = match theory {
        Theory::Classical => 1,
        Theory::PowerLaw => 2,
        Theory::Extension | Theory::Thickness => 4,
    };
    // two unknowns at least are told or refused; stiffness may be left open
    if pulls.len() <= free.min(2) {
        return Err(IdentifyError::TooFew { count: pulls.len(), unknowns: free.min(2) });
    }
    let unknowns = starts(pulls, rig, theory, free);
    let found = fit(&unknowns, |p| residuals(pulls, &law(rig, theory, p))).ok_or(IdentifyError::Nothing)?;
    let values: Vec<f64> = found.estimates.iter().map(|estimate| estimate.value).collect();
    let law = law(rig, theory, &values);
    let parameters = (0..free).map(|k| parameter(pulls, rig, theory, &values, k, found.estimates[k])).collect();
    let strongest = pulls.iter().map(|p| p.pull).fold(0.0, f64::max);
    let area = std::f64::consts::PI * rig.radius * rig.radius;
    Ok(Identified {
        law,
        parameters,
        deviation: (found.squares / pulls.len() as f64).sqrt(),
        misfit: misfit(pulls, &law, &found),
        strain: strongest / (law.rig.young * area),
    })
}

/// Where to begin: the slope of ln(T / T0) over the angle is the classical coefficient.
fn starts(pulls: &[Pull], rig: Rig, theory: Theory, free: usize) -> Vec<Unknown> {
    let (mut over, mut under, mut mean) = (0.0, 0.0, 0.0);
    for Pull { load, angle, pull } in pulls {
        over += angle * (pull / load).ln();
        under += angle * angle;
        mean += 0.5 * (load + pull) / pulls.len() as f64;
    }
    let classical = (over / under).max(1e-4);
    let exponent: f64 = if theory == Theory::Classical { 1.0 } else { 0.8 };
    // as strong as the classical one at the mean tension
    let coefficient = classical * (mean / (rig.drum + rig.radius)).powf(1.0 - exponent);
    let around = |value: f64, by: f64| [value - by, value + by];
    let all = [
        Unknown { start: coefficient.ln(), bounds: around(coefficient.ln(), 7.0), vague: 2.0_f64.ln() },
        Unknown { start: exponent, bounds: [0.2, 1.5], vague: 0.25 },
        Unknown { start: rig.young.ln(), bounds: around(rig.young.ln(), 7.0), vague: 3.0_f64.ln() },
        Unknown { start: rig.poisson, bounds: [0.0, 0.5], vague: 0.2 },
    ];
    all[..free].to_vec()
}

/// The theory with values as they are fitted.
fn law(rig: Rig, theory: Theory, values: &[f64]) -> Capstan {
    let at = |k: usize| values.get(k).copied();
    let young = at(2).map_or(rig.young, f64::exp);
    let rig = Rig { young, poisson: at(3).unwrap_or(rig.poisson), ..rig };
    Capstan { rig, coefficient: values[0].exp(), exponent: at(1).unwrap_or(1.0), theory }
}

/// Relative deviations, as logarithms.
fn residuals(pulls: &[Pull], law: &Capstan) -> Vec<f64> {
    let of = |p: &Pull| {
        let off = (p.pull / law.pull(p.load, p.angle)).ln();
        // where the theory has no solution
        if off.is_finite() { off } else { 1e3 }
    };
    pulls.iter().map(of).collect()
}

fn parameter(pulls: &[Pull], rig: Rig, theory: Theory, values: &[f64], k: usize, estimate: Estimate) -> Parameter {
    let (name, unit, logarithmic) = UNKNOWNS[k];
    let outside = |value: f64| if logarithmic { value.exp() } else { value };
    let mut more = values.to_vec();
    more[k] = if logarithmic { values[k] + (4.0_f64 / 3.0).ln() } else { values[k] * 4.0 / 3.0 };
    let [before, after] = [values, &more].map(|v| residuals(pulls, &law(rig, theory, v)));
    let matters = before.iter().zip(after).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let Estimate { value, within } = estimate;
    let interval = estimate.is_told().then(|| [value - within, value + within].map(outside));
    let (name, unit) = match theory {
        Theory::Classical => ("friction.coefficient", ""),
        _ => (name, unit),
    };
    Parameter { name, value: outside(value), interval, unit, matters }
}

/// Judge by measurements that were repeated: their scatter is the noise, and their means should be on the theory.
fn misfit(pulls: &[Pull], law: &Capstan, found: &Fit) -> Option<Misfit> {
    let off = residuals(pulls, law);
    let mut order: Vec<usize> = (0..pulls.len()).collect();
    let key = |k: usize| (pulls[k].load, pulls[k].angle);
    order.sort_by(|a, b| key(*a).partial_cmp(&key(*b)).unwrap_or(std::cmp::Ordering::Equal));
    let same = |a: &usize, b: &usize| {
        let near = |x: f64, y: f64| (x - y).abs() <= 1e-6 * x.abs();
        near(pulls[*a].load, pulls[*b].load) && near(pulls[*a].angle, pulls[*b].angle)
    };
    let (mut scatter, mut repeats, mut groups) = (0.0, 0, 0);
    for group in order.chunk_by(same) {
        let mean = group.iter().map(|k| off[*k]).sum::<f64>() / group.len() as f64;
        scatter += group.iter().map(|k| (off[*k] - mean).powi(2)).sum::<f64>();
        repeats += group.len() - 1;
        groups += 1;
    }
    let told = found.estimates.iter().filter(|e| e.is_told()).count();
    let freedom = usize::checked_sub(groups, told).filter(|f| *f > 0 && repeats > 0)?;
    let noise = scatter / repeats as f64;
    let beyond = (found.squares - scatter).max(0.0);
    let probability = if noise > 0.0 {
        f_tail(beyond / freedom as f64 / noise, [freedom as f64, repeats as f64])
    } else if beyond > 1e-20 {
        0.0
    } else {
        1.0
    };
    let beyond = (beyond / pulls.len() as f64 - noise * freedom as f64 / pulls.len() as f64).max(0.0).sqrt();
    Some(Misfit { noise: noise.sqrt(), beyond, probability })
}
