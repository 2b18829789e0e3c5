//! The pull at which a loaded cable begins to slide over a drum, by theories of increasing detail.
//!
//! With the normal force p and the friction q per length, a power law q = kappa p^N, and the radius Rc of the wrapped centre
//! line, dT/dtheta = kappa Rc^(1-N) T^N. A stretched cable is thinner: Rc = R + r (1 - nu T / EA). (J. H. Jung, N. Pan and
//! T. J. Kang, "Generalized capstan problem: bending rigidity, nonlinear friction, and extensibility effect".)
//!
//! Friction acts on the surface of the drum, tension in the centre line: per angle T' = q R / Rc and p = T - (r / Rc) q'. A cable
//! that resists bending lifts off early. Where it runs on there is no point force, T = T0 cos f0 with cos f0 = 1 - EI / (2 T0
//! Rc^2), and the shear force r q / Rc is T0 sin f0; where it runs off, a point force acts, whose friction vanishes for
//! a power law.

use serde::{Deserialize, Serialize};

/// What a theory takes into account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Theory {
    /// T = T0 e^(mu theta): neither thickness nor a power law.
    Classical,
    /// A power law of friction.
    PowerLaw,
    /// A power law, and a cable that becomes thinner as it is stretched.
    #[default]
    Extension,
    /// All of that, and friction at the surface of a thick cable that resists bending.
    Thickness,
}

/// Drum and cable.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rig {
    /// Radius of the drum [m].
    pub drum: f64,
    /// Radius of the cable [m].
    pub radius: f64,
    /// Young's modulus [Pa].
    pub young: f64,
    /// Poisson's ratio [-].
    pub poisson: f64,
}

/// A theory with its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Capstan {
    /// Drum and cable.
    pub rig: Rig,
    /// kappa [(N/m)^(1-N)], or mu [-].
    pub coefficient: f64,
    /// N [-].
    pub exponent: f64,
    /// What is taken into account.
    pub theory: Theory,
}

/// Steps along the arc, by the Runge-Kutta method.
const STEPS: u32 = 100;
/// Steps in the boundary layer of the theory with thickness, which is mu r / Rc wide; and limits of their number.
const LAYER_STEPS: f64 = 3.0;
const FEWEST_STEPS: f64 = 100.0;
const MOST_STEPS: f64 = 20_000.0;

/// Largest angle by which a cable can run on beyond where it is straight, and lift off before [rad].
const LIFTS: [f64; 2] = [-0.2, 1.2];

impl Capstan {
    /// The pull at which a cable with this load [N], wound by this angle [rad], begins to slide [N]. Not finite where the
    /// theory has no solution: a cable that is too stiff for its load does not lie on the drum.
    pub fn pull(&self, load: f64, angle: f64) -> f64 {
        match self.theory {
            Theory::Classical => load * (self.coefficient * angle).exp(),
            Theory::PowerLaw => self.stretched(load, angle, 0.0),
            Theory::Extension => self.stretched(load, angle, self.rig.poisson / self.axial()),
            Theory::Thickness => self.thick(load, angle),
        }
    }

    /// EA [N].
    fn axial(&self) -> f64 {
        self.rig.young * std::f64::consts::PI * self.rig.radius * self.rig.radius
    }

    /// EI [N m2].
    fn bending(&self) -> f64 {
        0.25 * self.axial() * self.rig.radius * self.rig.radius
    }

    fn stretched(&self, load: f64, angle: f64, thinning: f64) -> f64 {
        let Rig { drum, radius, .. } = self.rig;
        let rate = |[t]: [f64; 1]| {
            let wrap = drum + radius * (1.0 - thinning * t).max(0.0);
            [self.coefficient * wrap.powf(1.0 - self.exponent) * t.max(0.0).powf(self.exponent)]
        };
        (0..STEPS).fold([load], |t, _| stepped(t, angle / f64::from(STEPS), rate))[0]
    }

    /// Rates of tension and friction per angle of the theory with thickness.
    fn rate(&self, [t, q]: [f64; 2]) -> [f64; 2] {
        let Rig { drum, radius, poisson, .. } = self.rig;
        let radius = radius * (1.0 - poisson / self.axial() * t).max(1e-3);
        let wrap = drum + radius;
        let scale = self.coefficient * wrap.powf(1.0 - self.exponent);
        let normal = (q.max(0.0) / scale).powf(1.0 / self.exponent);
        [q * drum / wrap, (t - normal) * wrap / radius]
    }

    fn thick(&self, load: f64, angle: f64) -> f64 {
        let Rig { drum, radius, .. } = self.rig;
        let (wrap, bending) = (drum + radius, self.bending());
        let come = (1.0 - bending / (2.0 * load * wrap * wrap)).acos();
        let arc = angle - come - LIFTS[0];
        if come.is_nan() || arc <= 0.0 {
            return f64::NAN;
        }
        // tension and friction along the arc, as far as it can reach
        let slope = self.coefficient * (wrap / load).powf(1.0 - self.exponent);
        let steps = (LAYER_STEPS * arc * wrap / (radius * slope)).clamp(FEWEST_STEPS, MOST_STEPS).ceil();
        let h = arc / steps;
        let mut way = vec![[load * come.cos(), load * come.sin() * wrap / radius]];
        for k in 0..steps as usize {
            way.push(stepped(way[k], h, |y| self.rate(y)));
        }
        let at = |place: f64| {
            let k = ((place / h).max(0.0) as usize).min(way.len() - 2);
            stepped(way[k], place - k as f64 * h, |y| self.rate(y))
        };
        // a point force has no width, and so no friction but that of Coulomb
        let rubs = if self.exponent >= 1.0 { self.coefficient } else { 0.0 };
        let leave = |off: f64| {
            let [tension, rubbing] = at(angle - come - off);
            let shear = radius * rubbing / wrap;
            // T1 cos f1 = T + F(T1 sin f1 + shear) by fixed-point iteration: F grows by less than mu f1 of T1
            let (mut pull, mut friction) = (tension, 0.0);
            for _ in 0..40 {
                friction = rubs * (pull * off.sin() + shear).max(0.0);
                pull = (tension + friction) / off.cos();
            }
            let moment = (2.0 * bending * pull * (1.0 - off.cos())).sqrt() * off.signum();
            (moment - bending / wrap + radius * friction, pull)
        };
        let [mut low, mut high] = [LIFTS[0], LIFTS[1].min(angle - come)];
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if leave(middle).0 < 0.0 { low = middle } else { high = middle }
        }
        leave(low).1
    }
}

/// A step of the Runge-Kutta method.
fn stepped<const N: usize>(y: [f64; N], h: f64, rate: impl Fn([f64; N]) -> [f64; N]) -> [f64; N] {
    let add = |y: [f64; N], h: f64, k: [f64; N]| -> [f64; N] { std::array::from_fn(|i| y[i] + h * k[i]) };
    let a = rate(y);
    let b = rate(add(y, 0.5 * h, a));
    let c = rate(add(y, 0.5 * h, b));
    let d = rate(add(y, h, c));
    add(y, h / 6.0, std::array::from_fn(|i| a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]))
}
