//! Parameters of the chain from a material, or from the heuristics of Kahl and Henrich, section II.B, with the
//! reason for each.

use crate::math::{cos, exp, sin};
use std::f64::consts::FRAC_PI_2;

use super::bending::Bending;
use super::forces::{Elasticity, PADDING};
use super::holds::Holding;
use super::params::{BendingLaw, ChainSettings, ChainSpec, UpdateRule};
use super::update::Update;
use crate::derived::Derived;
use crate::error::BuildError;
use crate::lanes::LANES;

/// Gravity assumed by the heuristics, which use the weight of the rod [m/s2].
const STANDARD_GRAVITY: f64 = 9.81;

/// Largest angle between segments that the paper's model is meant for [rad].
pub const TYPICAL_ANGLE: f64 = 0.15;

/// Default rate of model steps where stability needs no more [Hz]: the lower end of the paper's "20000 to 30000".
const USUAL_RATE: f64 = 20_000.0;

/// Limit on the rate of model steps, beyond which building fails [Hz].
const MOST_RATE: f64 = 1e9;

/// Model step as a fraction of the stability limit of explicit integration.
const SAFETY: f64 = 0.8;

/// Default of c_h.
const USUAL_HISTORY: f64 = 0.9;

/// All constants of a chain, fixed when it is built.
#[derive(Clone, Debug, PartialEq)]
pub struct Constants {
    /// Constants of the forces.
    pub elasticity: Elasticity,
    /// Constants of the update; the history of `Velocity` depends on the step and is set there.
    pub update: Update,
    /// c_F [m/N]; `None` for Newton's law, where it is tau^2 over the mass of a point.
    pub scaling: Option<f64>,
    /// Model steps per second [Hz].
    pub rate: f64,
    /// c_e of grips [N/m].
    pub grip_stiffness: f64,
    /// c_e of planes [N/m].
    pub contact_stiffness: f64,
}

impl Constants {
    /// Constants that holders need.
    pub fn holding(&self) -> Holding {
        Holding {
            points: self.elasticity.points,
            segment: self.elasticity.segment,
            stiffness: self.grip_stiffness,
            bending: self.elasticity.bending,
        }
    }
}

/// Collects derived parameters.
struct Notes(Vec<Derived>);

impl Notes {
    /// The given value, or the derived one with a note.
    fn or(
        &mut self,
        given: Option<f64>,
        symbol: &'static str,
        unit: &'static str,
        f: impl Fn() -> (f64, String),
    ) -> f64 {
        given.unwrap_or_else(|| {
            let (value, why) = f();
            self.0.push(Derived { symbol, value, unit, why });
            value
        })
    }
}

/// Derive the constants that the settings leave open, for a rod of the given length [m].
pub fn derive(spec: &ChainSpec, length: f64) -> Result<(Constants, Vec<Derived>), BuildError> {
    let s = &spec.settings;
    let mut notes = Notes(vec![]);
    let points = points(spec, length, &mut notes)?;
    let segments = (points - 1) as f64;
    let segment = length / segments;
    let total = notes.or(s.mass, "m", "kg", || {
        (spec.section.mass_per_length(&spec.material) * length, spec.section.mass_reason().into())
    });
    let weight = total * STANDARD_GRAVITY;

    // stiffness
    let contraction = notes.or(s.contraction, "c_c", "N", || match &s.heuristic {
        Some(h) => (weight * 100.0 / h.stretch, format!("(12): its own weight stretches it by {} %", h.stretch)),
        None => (spec.section.rigidities(&spec.material)[0], "E A".into()),
    });
    let matched = s.matched_curvature * segment;
    if s.bending == BendingLaw::Paper && matched >= FRAC_PI_2 && s.bending_force.is_none() && s.heuristic.is_none() {
        let what = "matched_curvature times the length of a segment".into();
        return Err(BuildError::Parameter { what, expected: "below a right angle (more points)", value: matched });
    }
    let bending = bending(spec, segment, weight, &mut notes);
    let grip_stiffness = notes.or(s.grip_stiffness, "c_e (grip)", "N/m", || match &s.heuristic {
        Some(h) => (
            weight / (segment * h.grip_gap / 100.0),
            format!("(14): its own weight opens a gap of {} % of a segment", h.grip_gap),
        ),
        None => (contraction / segment, "as stiff as a segment, c_c / L_s".into()),
    });
    let contact_stiffness =
        notes.or(s.contact_stiffness, "c_e (plane)", "N/m", || (grip_stiffness, "as stiff as a grip".into()));

    // mass
    let end_share = if s.equal_weights { 1.0 } else { 0.5 };
    let mass = total / (segments - 1.0 + 2.0 * end_share);

    // step
    let stiffest = {
        let joint = bending.tangent(TYPICAL_ANGLE, segment) / (segment * segment);
        // absolute row sums of the stiffness matrix: 4 for contraction, 16 for bending, 16 for a clamp in the middle of
        // a segment; a grip or plane acts on one point, which may be an end point with less mass
        4.0 * contraction / segment + 32.0 * joint + (grip_stiffness + contact_stiffness) / end_share
    };
    let rate = rate(s, stiffest / mass, &mut notes)?;
    let (update, scaling) = update(s, segment, stiffest, rate, mass, &mut notes);
    if let Some(bad) = notes.0.iter().find(|d| !(d.value.is_finite() && d.value > 0.0)) {
        let what = format!("{} derived from these settings ({})", bad.symbol, bad.why);
        return Err(BuildError::Parameter { what, expected: "finite and positive", value: bad.value });
    }
    let mut contractions = vec![[0.0; LANES]; points.div_ceil(LANES) + PADDING];
    let mut masses = contractions.clone();
    contractions.as_flattened_mut()[..points - 1].fill(contraction);
    masses.as_flattened_mut()[..points].fill(mass);
    for end in [0, points - 1] {
        masses.as_flattened_mut()[end] = mass * end_share;
    }
    let constants = Constants {
        elasticity: Elasticity { points, segment, contraction, bending, contractions, masses },
        update,
        scaling,
        rate,
        grip_stiffness,
        contact_stiffness,
    };
    Ok((constants, notes.0))
}

/// N, from (9) and (10) unless given.
fn points(spec: &ChainSpec, length: f64, notes: &mut Notes) -> Result<usize, BuildError> {
    const LEAST: f64 = 5.0;
    const USUAL: f64 = 11.0;
    let wanted = notes.or(spec.points.map(|n| n as f64), "N", "points", || {
        match spec.settings.heuristic.and_then(|h| h.bend_radius) {
            // (10): R = L_s / (2 sin(alpha/2)) with alpha at most the typical angle
            Some(radius) => {
                let segment = 2.0 * radius * sin(0.5 * TYPICAL_ANGLE);
                let n = (length / segment).ceil() + 1.0;
                let quarter = (FRAC_PI_2 / TYPICAL_ANGLE).ceil();
                (
                    n.max(LEAST),
                    format!("(10): {quarter} segments to a quarter circle of radius {radius} m; (9): more than 4"),
                )
            }
            None => (USUAL, "ten segments; (9): more than 4".into()),
        }
    });
    if (2.0..=1e7).contains(&wanted) {
        Ok(wanted as usize)
    } else {
        Err(BuildError::Parameter { what: "the number of points".into(), expected: "2 to 10,000,000", value: wanted })
    }
}

/// EI, equal about all axes [N m2].
fn bending_rigidity(spec: &ChainSpec) -> f64 {
    spec.section.rigidities(&spec.material)[4]
}

fn bending(spec: &ChainSpec, segment: f64, weight: f64, notes: &mut Notes) -> Bending {
    let s = &spec.settings;
    let law = s.bending;
    // a rod of weight mg that bends two segments by alpha_l, (13) with cos(alpha_l) in place of the misprinted
    // sin(pi - alpha_l), which alone gives the paper's Table 1
    let force_of_heuristic = |angle: f64| weight * cos(angle) / ((1.0 - cos(angle)) * sin(0.5 * angle));
    let stiffness = match law {
        BendingLaw::Linear => {
            let rigidity = notes.or(s.bending_stiffness, "EI", "N m2", || match &s.heuristic {
                Some(h) => {
                    // the moment of the paper's law at alpha_l, made linear in the angle
                    let paper = Bending { law: BendingLaw::Paper, stiffness: force_of_heuristic(h.bend_angle) };
                    let rigidity = paper.moment(h.bend_angle, segment) * segment / h.bend_angle;
                    (rigidity, format!("(13) at {:.3} deg, linear in the angle", h.bend_angle.to_degrees()))
                }
                None => (bending_rigidity(spec), "E I of the section".into()),
            });
            rigidity / segment
        }
        BendingLaw::Paper => notes.or(s.bending_force, "c_b", "N", || match &s.heuristic {
            Some(h) => (
                force_of_heuristic(h.bend_angle),
                format!("(13) with cos(alpha_l): its own weight bends a joint by {:.3} deg", h.bend_angle.to_degrees()),
            ),
            None => {
                // (21) matches a force EI k^2; the moment EI k on the arm L_s needs 1/alpha times as much
                let angle = s.matched_curvature * segment;
                let rigidity = bending_rigidity(spec);
                let moment = Bending { law, stiffness: 1.0 }.moment(angle, segment);
                (
                    rigidity * s.matched_curvature / moment,
                    format!("(21), corrected to carry the moment EI k at k = {} 1/m", s.matched_curvature),
                )
            }
        }),
    };
    Bending { law, stiffness }
}

/// Rate of model steps [Hz]: as stability requires for Newton's law, otherwise the default.
fn rate(s: &ChainSettings, squared_frequency: f64, notes: &mut Notes) -> Result<f64, BuildError> {
    let rate = notes.or(s.rate, "rate", "Hz", || {
        let needed = 0.5 * squared_frequency.sqrt() / SAFETY;
        match s.update {
            UpdateRule::Velocity if s.scaling.is_none() && needed > USUAL_RATE => (
                needed.ceil(),
                format!("the fastest oscillation, {:.0} rad/s, at {SAFETY} of the limit", 2.0 * needed * SAFETY),
            ),
            _ => (USUAL_RATE, "as published, 20 to 30 kHz".into()),
        }
    });
    if rate.is_finite() && rate > 0.0 && rate <= MOST_RATE {
        Ok(rate)
    } else {
        let what = "the rate of model steps that this stiffness and mass need".into();
        Err(BuildError::Parameter { what, expected: "at most 1e9 Hz (fewer points or a softer rod)", value: rate })
    }
}

fn update(
    s: &ChainSettings,
    segment: f64,
    stiffest: f64,
    rate: f64,
    mass: f64,
    notes: &mut Notes,
) -> (Update, Option<f64>) {
    let mobility = notes.or(s.scaling, "c_F", "m/N", || match s.update {
        UpdateRule::Velocity => (1.0 / (rate * rate * mass), "tau^2 / m: Newton's law".into()),
        _ => (1.0 / stiffest, "half the way to zero force at the stiffest point, (15)".into()),
    });
    let history = match s.update {
        UpdateRule::Velocity => exp(-s.drag / rate),
        UpdateRule::Dynamics => notes.or(s.history, "c_h", "-", || (USUAL_HISTORY, "not given in the paper".into())),
        _ => 0.0,
    };
    let newton = s.update == UpdateRule::Velocity && s.scaling.is_none();
    let step_limit = s.step_limit * segment;
    let update =
        Update { rule: s.update, history, step_limit, relative_limit: s.relative_limit, relative_to: s.relative_to };
    (update, (!newton).then_some(mobility))
}
