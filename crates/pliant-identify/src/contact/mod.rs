//! Stiffness and damping of contact, from a drop or from a press.
//!
//! The law is that of Voigt, as H. Wakamatsu, T. Yamasaki, A. Tsumaya, E. Arai and S. Hirai take it in "Dynamic modeling of linear
//! object deformation considering contact with obstacles", (30): the force is k_c times the depth and b_c times its rate, and here
//! never pulls. They say that both "must be determined experimentally".

mod bounce;
mod drop;
mod press;

use std::io::Read;

pub use bounce::{Bounces, Voigt, restitution};

use crate::fit::{Fit, Unknown, fit, minimise};
use crate::found::Found;
use crate::robust::robust;
use crate::table::{self, MeasureError};

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub enum Contact {
    /// Depths [m] with the forces at them [N], as they were measured one after the other.
    Press(Vec<Press>),
    /// Drops: times [s] and heights [m] of each.
    Tracks(Vec<Vec<[f64; 2]>>),
    /// Heights above the floor at which it turned, the first the one it was dropped from [m].
    Apexes(Vec<f64>),
    /// Times at which it came down on the floor [s].
    Touches(Vec<f64>),
}

/// One measurement of a press.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Press {
    /// Time, if known [s].
    pub time: Option<f64>,
    /// Depth, from any zero [m].
    pub depth: f64,
    /// Force [N].
    pub force: f64,
}

/// What is known beforehand.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Touching {
    /// Mass of what is dropped [kg]; not needed for a press.
    pub mass: Option<f64>,
    /// Stiffness to assume where bounces do not tell it [N/m].
    pub stiffness: Option<f64>,
}

const EXPECTED: &str = "depth and force for a press (t as well for damping), t and height for a drop, apex for bounce heights, or touch for bounce times";

/// Read a table: `depth` (m) and `force` (N), with `t` (s) if known; or `t` and `height` (m), a new drop where the time goes back; or
/// `apex` (m), heights of one bounce after the other; or `touch` (s), times of contact. Lengths may be in mm, as `height_mm`.
pub fn read(from: impl Read) -> Result<Contact, MeasureError> {
    let columns: [(&[&str], bool); 9] = [
        (&["t", "time"], false),
        (&["depth", "d"], false),
        (&["depth_mm"], false),
        (&["force", "f"], false),
        (&["height", "z"], false),
        (&["height_mm"], false),
        (&["apex"], false),
        (&["apex_mm"], false),
        (&["touch"], false),
    ];
    let values = table::read(from, &columns, EXPECTED)?;
    let length = |metres: usize| {
        let milli = values[metres + 1].as_ref().map(|list| list.iter().map(|x| 1e-3 * x).collect());
        values[metres].clone().or(milli)
    };
    let (times, depths, heights, apexes) = (values[0].clone(), length(1), length(4), length(6));
    match (depths, values[3].clone(), times, heights, apexes, values[8].clone()) {
        (Some(depths), Some(forces), times, ..) => {
            let row = |k: usize| Press { time: times.as_ref().map(|t| t[k]), depth: depths[k], force: forces[k] };
            Ok(Contact::Press((0..depths.len()).map(row).collect()))
        }
        (_, _, Some(times), Some(heights), ..) => {
            let mut drops: Vec<Vec<[f64; 2]>> = vec![];
            for (t, z) in times.into_iter().zip(heights) {
                match drops.last_mut() {
                    Some(drop) if drop.last().is_some_and(|last| last[0] < t) => drop.push([t, z]),
                    _ => drops.push(vec![[t, z]]),
                }
            }
            Ok(Contact::Tracks(drops))
        }
        (.., Some(apexes), _) => Ok(Contact::Apexes(apexes)),
        (.., Some(touches)) => Ok(Contact::Touches(touches)),
        (depths, forces, times, heights, ..) => {
            let there = [
                ("depth", depths.is_some()),
                ("force", forces.is_some()),
                ("t", times.is_some()),
                ("height", heights.is_some()),
            ];
            let found: Vec<&str> = there.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect();
            let column = match (found.contains(&"depth"), found.contains(&"height")) {
                (true, _) => "force",
                (_, true) => "t",
                _ => "depth",
            };
            let found =
                if found.is_empty() { "none of these".to_string() } else { format!("only {}", found.join(", ")) };
            Err(MeasureError::NoColumn { column: column.into(), expected: EXPECTED, found })
        }
    }
}

/// Find stiffness and damping of the contact.
pub fn identify(measured: &Contact, known: Touching) -> Result<Found, MeasureError> {
    let given = [("the mass", known.mass), ("the stiffness", known.stiffness)];
    let given: Vec<(&'static str, f64)> = given.into_iter().filter_map(|(what, value)| Some((what, value?))).collect();
    table::positive(&given)?;
    if let Contact::Press(rows) = measured {
        return press::identify(rows);
    }
    let mass = known.mass.ok_or(MeasureError::Given { what: "the mass of what is dropped", must: "given" })?;
    match measured {
        Contact::Tracks(drops) => drop::from_tracks(drops, mass, known.stiffness),
        Contact::Apexes(heights) => drop::from_apexes(heights, mass, known.stiffness),
        Contact::Touches(times) => drop::from_touches(times, mass, known.stiffness),
        Contact::Press(_) => Err(MeasureError::Nothing { why: "a press has no drop" }),
    }
}

/// How many measurements it takes to say that one of them is wrong.
const MANY: usize = 20;

/// The best of some starts.
fn nearest(starts: Vec<Vec<f64>>, residuals: &impl Fn(&[f64]) -> Vec<f64>) -> Vec<Vec<f64>> {
    let size = |start: &Vec<f64>| residuals(start).iter().map(|r| r.abs()).sum::<f64>();
    let mut sized: Vec<(f64, Vec<f64>)> = starts.into_iter().map(|start| (size(&start), start)).collect();
    sized.retain(|(size, _)| size.is_finite());
    sized.sort_by(|a, b| a.0.total_cmp(&b.0));
    sized.truncate(2);
    sized.into_iter().map(|(_, start)| start).collect()
}

/// A fit from the best of some starts, and which measurements were used: without outliers where there are many.
fn best(
    unknowns: &[Unknown],
    starts: Vec<Vec<f64>>,
    residuals: &impl Fn(&[f64]) -> Vec<f64>,
) -> Option<(Fit, Vec<bool>)> {
    let starts = nearest(starts, residuals);
    let count = residuals(starts.first()?).len();
    if count >= MANY {
        let found = robust(unknowns, starts, residuals)?;
        return Some((found.fit, found.used));
    }
    Some((plain(unknowns, starts, residuals)?, vec![true; count]))
}

/// A fit to all measurements, from the best of some starts.
fn plain(unknowns: &[Unknown], starts: Vec<Vec<f64>>, residuals: &impl Fn(&[f64]) -> Vec<f64>) -> Option<Fit> {
    let starts = nearest(starts, residuals);
    let free: Vec<usize> = (0..unknowns.len()).collect();
    let squares = |values: &[f64]| residuals(values).iter().map(|r| r * r).sum::<f64>();
    let ends = starts.into_iter().map(|start| {
        let begin = squares(&start);
        minimise(unknowns, &free, start, begin, residuals)
    });
    let (values, _) = ends.min_by(|a, b| a.1.total_cmp(&b.1))?;
    let near: Vec<Unknown> = unknowns.iter().zip(&values).map(|(u, start)| Unknown { start: *start, ..*u }).collect();
    fit(&near, residuals)
}
