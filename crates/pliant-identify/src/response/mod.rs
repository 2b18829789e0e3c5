//! Modes of vibration of a solid that is held somewhere, from blows on it: K. Tagawa, K. Hirota and M. Hirose, "A study on haptic
//! interaction and simulation of motion and deformation of elastic object", section 1, where the behaviour of an object "is measured
//! on a real object".
//!
//! A linear solid is displaced, by a force f(t) along a direction n at a point p, at another point and along an axis by
//!
//!   u(t) = sum over modes of  phi(there) (n . phi(p)) q(t),   q'' + 2 zeta omega q' + omega^2 q = f(t),
//!
//! and where it is struck also by what gives way at once, r f(t), with which modes faster than the measurements show. Frequencies and
//! dampings are common to all measurements; shapes phi, of a mass of 1, follow since what a point does as it is struck and as it is
//! watched is one and the same number.

mod course;
mod joint;
mod poles;
mod shapes;
mod table;

use serde::Serialize;

use crate::fit::Estimate;
use crate::found::{Found, Number, Picture, judge};
use crate::table::MeasureError;

pub use table::read;

/// A place and a direction of the solid, along which it is struck or watched.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spot {
    /// Where, in the frame of the solid [m].
    pub point: [f64; 3],
    /// Unit vector.
    pub direction: [f64; 3],
}

/// One blow, and what was watched meanwhile.
#[derive(Clone, Debug, PartialEq)]
pub struct Blow {
    /// Where it is struck [m].
    pub point: [f64; 3],
    /// Times, ascending; the solid is at rest at the first [s].
    pub times: Vec<f64>,
    /// Force at these times [N].
    pub forces: Vec<[f64; 3]>,
    /// Displacements at these times, one list for each spot watched [m].
    pub watched: Vec<(Spot, Vec<f64>)>,
}

/// A mode found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mode {
    /// Circular frequency without damping [rad/s].
    pub omega: f64,
    /// Damping over critical damping [-].
    pub ratio: f64,
    /// Its shape at each of the spots, for a modal mass of 1 [1/sqrt(kg)], with half the width of its 95 % interval.
    pub shape: Vec<[f64; 2]>,
}

/// What blows tell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Struck {
    /// Frequencies and dampings with intervals, and whether a linear solid fits.
    #[serde(flatten)]
    pub found: Found,
    /// Spots at which shapes are known: those watched, then those that were struck without being watched.
    pub spots: Vec<Spot>,
    /// Modes, the slowest first.
    pub modes: Vec<Mode>,
    /// What each spot gives way at once, beyond the modes [m/N]; none where it was not watched while it was struck, or where
    /// the data do not tell it.
    pub at_once: Vec<Option<f64>>,
    /// What these data cannot tell, a sentence each.
    pub untold: Vec<String>,
}

/// Largest number of modes that are looked for.
const MOST_MODES: usize = 12;
/// Half-widths beyond which a mode does not count as told: of the logarithm of its frequency, and of its damping ratio.
const VAGUE: [f64; 2] = [0.1, 0.25];

/// A list of blows, with spots by number and forces along one direction.
struct Measured<'a> {
    blows: &'a [Blow],
    spots: Vec<Spot>,
    /// For each blow, the spots that its direction is made of, with their shares.
    struck: Vec<Vec<(usize, f64)>>,
    /// For each blow, its force along that direction at all times [N].
    forces: Vec<Vec<f64>>,
    /// For each blow, the spots watched.
    watched: Vec<Vec<usize>>,
}

/// Find the modes that blows show.
pub fn identify(blows: &[Blow]) -> Result<Struck, MeasureError> {
    let measured = Measured::new(blows)?;
    let count = measured.count();
    let first = poles::search(&measured).ok_or(MeasureError::Nothing { why: NOTHING })?;
    let start = shapes::start(&measured, &first);
    let mut fit = joint::refine(&measured, start).ok_or(MeasureError::Nothing { why: NOTHING })?;
    // a mode that is vague says nothing, and makes its neighbours vague
    while let Some(vague) = fit.vaguest(VAGUE) {
        let rest = fit.guess.without(vague);
        if rest.modes.is_empty() {
            return Err(MeasureError::Nothing { why: NOTHING });
        }
        fit = joint::refine(&measured, rest).ok_or(MeasureError::Nothing { why: NOTHING })?;
    }
    let deviations = measured.deviations(&fit.guess);
    let misfit = judge(&deviations, fit.unknowns());
    let mut order: Vec<usize> = (0..fit.guess.modes.len()).collect();
    order.sort_by(|a, b| fit.guess.modes[*a].log.total_cmp(&fit.guess.modes[*b].log));
    let mut numbers = vec![];
    let mut modes = vec![];
    for (n, k) in order.iter().enumerate() {
        let mode = &fit.guess.modes[*k];
        let [log, ratio] = [0, 1].map(|which| fit.pole(*k, which));
        let name = |what: &str| format!("mode{}.{what}", n + 1);
        numbers.push(Number::new(name("frequency"), "Hz", log, |log| log.exp() / std::f64::consts::TAU));
        numbers
            .push(Number::new(name("damping_ratio"), "", ratio, |zeta| zeta.max(0.0)).noted("over critical damping"));
        let shape = (0..measured.spots.len())
            .map(|spot| fit.amplitude(*k, spot))
            .map(|Estimate { value, within }| [value, within]);
        modes.push(Mode { omega: mode.log.exp(), ratio: mode.ratio.max(0.0), shape: shape.collect() });
    }
    let at_once: Vec<Option<f64>> = (0..measured.spots.len()).map(|spot| fit.at_once(spot)).collect();
    let untold = measured.untold(&modes, &at_once);
    let squares: f64 = deviations.iter().map(|d| d * d).sum();
    let found = Found {
        numbers,
        used: count,
        left_out: 0,
        deviation: (squares / count as f64).sqrt(),
        unit: "m",
        misfit,
        picture: measured.picture(&fit.guess),
    };
    Ok(Struck { found, spots: measured.spots, modes, at_once, untold })
}

const NOTHING: &str = "a blow that moves what is watched well beyond its noise, for several swings, is needed";

/// Points nearer to each other than this are one [m].
const SAME: f64 = 1e-6;
/// Largest part of a direction, squared, that may not be watched where the rest of it is.
const BESIDE: f64 = 1e-3;

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn apart(a: [f64; 3], b: [f64; 3]) -> f64 {
    let d: [f64; 3] = std::array::from_fn(|i| a[i] - b[i]);
    dot(d, d).sqrt()
}

impl<'a> Measured<'a> {
    fn new(blows: &'a [Blow]) -> Result<Measured<'a>, MeasureError> {
        let mut spots: Vec<Spot> = vec![];
        let mut number = |spot: &Spot| {
            let known = spots
                .iter()
                .position(|s| apart(s.point, spot.point) < SAME && dot(s.direction, spot.direction) > 1.0 - 1e-9);
            known.unwrap_or_else(|| {
                spots.push(*spot);
                spots.len() - 1
            })
        };
        let mut watched: Vec<Vec<usize>> = vec![];
        for blow in blows {
            if blow.times.len() < 10 {
                return Err(MeasureError::TooFew { count: blow.times.len(), least: 10 });
            }
            watched.push(blow.watched.iter().map(|(spot, _)| number(spot)).collect());
        }
        let (mut struck, mut forces) = (vec![], vec![]);
        let mut driven = false;
        for blow in blows {
            let direction = along(&blow.forces).ok_or(MeasureError::Nothing { why: "a blow has no force" })?;
            let here = |spot: &Spot| apart(spot.point, blow.point) < SAME;
            let mut parts: Vec<(usize, f64)> = spots
                .iter()
                .enumerate()
                .filter(|(_, s)| here(s))
                .map(|(n, s)| (n, dot(s.direction, direction)))
                .collect();
            let reached: f64 = parts.iter().map(|(_, part)| part * part).sum();
            if 1.0 - reached > BESIDE {
                let spot = Spot { point: blow.point, direction };
                // one that was struck before, and never watched
                let like =
                    |s: &Spot| apart(s.point, spot.point) < SAME && dot(s.direction, spot.direction) > 1.0 - BESIDE;
                let n = spots.iter().position(like).unwrap_or(spots.len());
                if n == spots.len() {
                    spots.push(spot);
                }
                parts = vec![(n, 1.0)];
            } else {
                parts.retain(|(_, part)| part.abs() > 1e-9);
                driven = true;
            }
            struck.push(parts);
            forces.push(blow.forces.iter().map(|f| dot(*f, direction)).collect());
        }
        if !driven {
            let why =
                "at least one point must be watched along the direction in which it is struck, or masses stay unknown";
            return Err(MeasureError::Nothing { why });
        }
        Ok(Measured { blows, spots, struck, forces, watched })
    }

    /// Number of displacements measured.
    fn count(&self) -> usize {
        self.blows.iter().map(|blow| blow.times.len() * blow.watched.len()).sum()
    }

    /// The part of a blow's force along a spot that is watched, if it is struck.
    fn driving(&self, blow: usize, spot: usize) -> Option<f64> {
        self.struck[blow].iter().find(|(n, _)| *n == spot).map(|(_, part)| *part)
    }

    /// What is measured less what modes give, blow by blow and spot by spot in the order of time.
    fn deviations(&self, guess: &joint::Guess) -> Vec<f64> {
        let mut all = vec![];
        for n in 0..self.blows.len() {
            let courses = guess.courses(self, n);
            for (place, (_, list)) in self.blows[n].watched.iter().enumerate() {
                let theory = guess.displacement(self, n, self.watched[n][place], &courses);
                all.extend(list.iter().zip(theory).map(|(u, theory)| u - theory));
            }
        }
        all
    }

    /// The first blow where it is struck, measured and by theory.
    fn picture(&self, guess: &joint::Guess) -> Picture {
        let shown = (0..self.blows.len()).find_map(|n| {
            let place =
                self.watched[n].iter().position(|spot| self.driving(n, *spot).is_some_and(|part| part.abs() > 0.5))?;
            Some((n, place))
        });
        let (n, place) = shown.unwrap_or((0, 0));
        let courses = guess.courses(self, n);
        let blow = &self.blows[n];
        let theory = guess.displacement(self, n, self.watched[n][place], &courses);
        let rows = |list: &[f64]| blow.times.iter().zip(list).map(|(t, u)| [*t, *u]).collect::<Vec<[f64; 2]>>();
        Picture {
            axes: ["t [s]", "displacement where it is struck [m]"],
            points: rows(&blow.watched[place].1),
            left_out: vec![],
            curve: rows(&theory),
        }
    }

    /// What these blows cannot tell, in sentences.
    fn untold(&self, modes: &[Mode], at_once: &[Option<f64>]) -> Vec<String> {
        let mut list = vec![];
        let apart = self.blows.iter().map(|b| (b.times[b.times.len() - 1] - b.times[0]) / (b.times.len() - 1) as f64);
        let slowest = apart.fold(0.0, f64::max);
        list.push(format!(
            "modes above {:.0} Hz, of which there are two measurements in a swing or fewer, and those too weak for the noise",
            0.5 / slowest
        ));
        let long = self.blows.iter().map(|b| b.times[b.times.len() - 1] - b.times[0]).fold(0.0, f64::max);
        if modes.iter().all(|mode| mode.omega * long > std::f64::consts::TAU) {
            list.push(format!(
                "what is slower than {:.2} Hz, since no blow was watched for longer than {long:.3} s",
                1.0 / long
            ));
        }
        let short = self.forces.iter().filter(|force| lasting(force) < SHORT).count();
        if short > 0 {
            list.push(format!(
                "the impulse of {short} of {} blows, which last fewer than {SHORT} measurements: all shapes are off by half as much as it is",
                self.blows.len()
            ));
        }
        let unclear = |spot: usize| modes.iter().filter(|mode| mode.shape[spot][1] > mode.shape[spot][0].abs()).count();
        let vague: usize = (0..self.spots.len()).map(unclear).sum();
        if vague > 0 {
            list.push(format!(
                "the sign of {vague} of {} amplitudes of modes at the spots measured: they may lie on a node of the mode",
                modes.len() * self.spots.len()
            ));
        }
        let hard = at_once.iter().filter(|at_once| at_once.is_none()).count();
        if hard > 0 {
            list.push(format!("what gives way at once under {hard} of {} spots, beyond the modes", self.spots.len()));
        }
        list.push(
            "anything of the solid's mass beyond that of its modes, and shapes between the spots measured".into(),
        );
        list
    }
}

/// Number of measurements that a blow lasts, below which its impulse is in doubt.
const SHORT: usize = 6;

/// Number of measurements in which a force is above a twentieth of its largest value.
fn lasting(force: &[f64]) -> usize {
    let most = force.iter().fold(0.0, |most: f64, f| most.max(f.abs()));
    force.iter().filter(|f| f.abs() > 0.05 * most).count()
}

/// The direction in which a force acts, by its impulse; that of its largest value where that vanishes.
fn along(forces: &[[f64; 3]]) -> Option<[f64; 3]> {
    let largest = forces.iter().copied().max_by(|a, b| dot(*a, *a).total_cmp(&dot(*b, *b)))?;
    let sum: [f64; 3] = std::array::from_fn(|i| forces.iter().map(|f| f[i] * dot(*f, largest).signum()).sum());
    let size = dot(sum, sum).sqrt();
    (size > 0.0 && size.is_finite()).then(|| sum.map(|x| x / size))
}
