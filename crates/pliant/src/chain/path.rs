//! What a chain is built from: parameters checked, points laid out in rows.

use super::params::ChainSpec;
use crate::check::Checks;
use crate::curve;
use crate::error::BuildError;
use crate::lanes::{LANES, Rows, set, zero_rows};
use crate::math::Vec3;

/// Refuse parameters that make no rod.
pub fn check(name: &str, spec: &ChainSpec) -> Result<(), BuildError> {
    let s = &spec.settings;
    let required = [
        ("Young's modulus", spec.material.young),
        ("the density", spec.material.density),
        ("contact_rate", s.contact_rate),
        ("step_limit", s.step_limit),
        ("matched_curvature", s.matched_curvature),
    ];
    let optional = [
        ("rate", s.rate),
        ("gripper_rate", s.gripper_rate),
        ("contraction", s.contraction),
        ("grip_stiffness", s.grip_stiffness),
        ("contact_stiffness", s.contact_stiffness),
        ("scaling", s.scaling),
        ("mass", s.mass),
        ("heuristic.stretch", s.heuristic.map(|h| h.stretch)),
        ("heuristic.bend_angle", s.heuristic.map(|h| h.bend_angle)),
        ("heuristic.grip_gap", s.heuristic.map(|h| h.grip_gap)),
        ("heuristic.bend_radius", s.heuristic.and_then(|h| h.bend_radius)),
    ];
    let given = optional.into_iter().filter_map(|(what, value)| Some((what, value?)));
    for (what, value) in required.into_iter().chain(given) {
        if !(value.is_finite() && value > 0.0) {
            return Err(out_of_range(name, what, "finite and positive", value));
        }
    }
    for (what, value) in [("bending_force", s.bending_force), ("bending_stiffness", s.bending_stiffness)] {
        if let Some(value) = value.filter(|v| !(v.is_finite() && *v >= 0.0)) {
            return Err(out_of_range(name, what, "finite and not negative", value));
        }
    }
    if let Some(value) = s.history.filter(|h| !(0.0..1.0).contains(h)) {
        return Err(out_of_range(name, "history", "from 0 to below 1", value));
    }
    if !(s.damping.is_finite() && s.damping >= 0.0) {
        return Err(out_of_range(name, "damping", "finite and not negative", s.damping));
    }
    if let Some(h) = s.heuristic.filter(|h| h.bend_angle >= std::f64::consts::FRAC_PI_2) {
        return Err(out_of_range(name, "heuristic.bend_angle", "below a right angle", h.bend_angle));
    }
    spec.section.check(Checks(name))?;
    spec.section.check_even(name, "chain", &spec.material)?;
    curve::check(name, &spec.path)
}

fn out_of_range(name: &str, what: &str, expected: &'static str, value: f64) -> BuildError {
    BuildError::Parameter { what: format!("{what} of {name}"), expected, value }
}

/// Points as rows of coordinates, padded to `blocks` blocks. The padding continues the last segment.
pub fn rows(points: &[Vec3], blocks: usize) -> Rows {
    let last = points[points.len() - 1];
    let along = last - points[points.len() - 2];
    let padding = (1..).map(|i| last + along * i as f64);
    let mut rows = zero_rows(blocks);
    for (i, point) in points.iter().copied().chain(padding).take(blocks * LANES).enumerate() {
        set(&mut rows, i, point);
    }
    rows
}
