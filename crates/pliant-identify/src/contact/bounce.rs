//! A body that falls on Voigt's contact and bounces, in closed form: parabolas above, damped oscillations within.
//!
//! H. Wakamatsu et al., "Dynamic modeling of linear object deformation considering contact with obstacles", (30), along one line:
//! z'' = -g + max(0, -omega^2 z - 2 zeta omega z') for z < 0 with omega^2 = k/m and 2 zeta omega = b/m. The printed force pulls
//! a body back that leaves quickly; here it never pulls.

/// The contact of a body: sqrt(k/m) [1/s], and b / (2 sqrt(k m)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Voigt {
    /// Angular frequency of the body on its contact, undamped [1/s].
    pub omega: f64,
    /// Damping over critical damping.
    pub zeta: f64,
}

impl Voigt {
    /// The force of the contact over the mass.
    fn push(self, [z, v]: [f64; 2]) -> f64 {
        -self.omega * (self.omega * z + 2.0 * self.zeta * v)
    }

    /// Height and velocity a while after these, in contact.
    fn within(self, [z, v]: [f64; 2], gravity: f64, t: f64) -> [f64; 2] {
        let Voigt { omega, zeta } = self;
        let sunk = -gravity / (omega * omega);
        let x = z - sunk;
        let (decay, apart) = (zeta * omega, (1.0 - zeta * zeta) * omega * omega);
        let rate = apart.abs().sqrt();
        // e^(-decay t) times cosine and sine / rate, or what becomes of them beyond critical damping
        let (even, odd) = if rate * t < 1e-6 {
            let fade = (-decay * t).exp();
            (fade, fade * t)
        } else if apart > 0.0 {
            let (fade, (sin, cos)) = ((-decay * t).exp(), (rate * t).sin_cos());
            (fade * cos, fade * sin / rate)
        } else {
            let (slow, fast) = (((rate - decay) * t).exp(), (-(rate + decay) * t).exp());
            (0.5 * (slow + fast), 0.5 * (slow - fast) / rate)
        };
        [sunk + x * even + (v + decay * x) * odd, v * even - (omega * omega * x + decay * v) * odd]
    }

    /// How long a contact that begins like this pushes; infinite if the body stays.
    fn lasts(self, start: [f64; 2], gravity: f64) -> f64 {
        let Voigt { omega, zeta } = self;
        let left = (1.0 - zeta * zeta).abs().sqrt();
        // one period; beyond critical damping until the slow part has faded
        let span = if zeta < 1.0 { std::f64::consts::TAU / left.max(0.05) } else { 12.0 * (zeta + left) } / omega;
        let pushes = |t: f64| self.push(self.within(start, gravity, t));
        // finer at the beginning, where a fast part has its time
        let at = |k: u32| span * (f64::from(k) / 20.0).powi(2);
        let Some(end) = (1..=20).find(|k| pushes(at(*k)) < 0.0) else { return f64::INFINITY };
        let (mut low, mut high) = (at(end - 1), at(end));
        let (mut above, mut below) = (pushes(low), pushes(high));
        // false position, with the halving of Illinois
        for _ in 0..60 {
            let middle = (low * below - high * above) / (below - above);
            let here = pushes(middle);
            if here < 0.0 {
                (high, below, above) = (middle, here, 0.5 * above);
            } else {
                (low, above, below) = (middle, here, 0.5 * below);
            }
            if high - low <= 1e-13 * span || here.abs() <= 1e-13 * gravity {
                break;
            }
        }
        0.5 * (low + high)
    }
}

/// A stretch of the motion: free, or in contact.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    begin: f64,
    start: [f64; 2],
    touching: bool,
}

/// A motion from a start, until an end.
#[derive(Clone, Debug)]
pub struct Bounces {
    voigt: Voigt,
    gravity: f64,
    stretches: Vec<Stretch>,
}

/// Contacts that are followed; a body that bounces on after these is not looked at.
const MOST: usize = 400;

impl Bounces {
    /// The motion from height and velocity at time 0.
    pub fn new(voigt: Voigt, gravity: f64, start: [f64; 2], until: f64) -> Bounces {
        Bounces::limited(voigt, gravity, start, until, MOST)
    }

    /// The same, through some contacts at the most.
    pub(super) fn limited(voigt: Voigt, gravity: f64, start: [f64; 2], until: f64, contacts: usize) -> Bounces {
        let touching = start[0] < 0.0 && voigt.push(start) > 0.0;
        let mut stretches = vec![Stretch { begin: 0.0, start, touching }];
        while stretches.len() < 2 * contacts.min(MOST) + 1 {
            let Some(Stretch { begin, start, touching }) = stretches.last().copied() else { break };
            let lasts = if touching { voigt.lasts(start, gravity) } else { flies(voigt, gravity, start) };
            let next = begin + lasts;
            if next.is_nan() || next >= until {
                break;
            }
            let [z, v] = if touching { voigt.within(start, gravity, lasts) } else { free(start, gravity, lasts) };
            stretches.push(Stretch { begin: next, start: [z, v], touching: !touching });
        }
        Bounces { voigt, gravity, stretches }
    }

    /// The height at a time.
    pub fn height(&self, t: f64) -> f64 {
        let k = self.stretches.partition_point(|stretch| stretch.begin <= t).max(1) - 1;
        let Stretch { begin, start, touching } = self.stretches[k];
        if touching {
            self.voigt.within(start, self.gravity, t - begin)[0]
        } else {
            free(start, self.gravity, t - begin)[0]
        }
    }

    /// Times at which it comes down on the floor.
    pub fn touches(&self) -> impl Iterator<Item = f64> + '_ {
        self.stretches.iter().filter(|stretch| stretch.touching).map(|stretch| stretch.begin)
    }

    /// Heights at which it turns above the floor after each contact.
    pub fn apexes(&self) -> impl Iterator<Item = f64> + '_ {
        let leaves = self.stretches.iter().skip(1).filter(|stretch| !stretch.touching);
        leaves.map(|stretch| stretch.start[0] + 0.5 * stretch.start[1].powi(2) / self.gravity)
    }
}

fn free([z, v]: [f64; 2], gravity: f64, t: f64) -> [f64; 2] {
    [z + (v - 0.5 * gravity * t) * t, v - gravity * t]
}

/// How long a body flies before something pushes it.
fn flies(voigt: Voigt, gravity: f64, [z, v]: [f64; 2]) -> f64 {
    let above = v * v + 2.0 * gravity * z;
    let down = if above > 0.0 { (v + above.sqrt()) / gravity } else { f64::INFINITY };
    if z >= 0.0 {
        return down;
    }
    // still within: the push, zero when it leaves, is a parabola in time; it begins again unless the body comes out before
    let falls = voigt.omega * (voigt.omega * v - 2.0 * voigt.zeta * gravity);
    let again = (2.0 * falls / (voigt.omega * voigt.omega * gravity)).max(1e-12);
    let up = if above > 0.0 { (v - above.sqrt()) / gravity } else { f64::INFINITY };
    if again < up { again } else { down }
}

/// The velocity after over that before a bounce so fast that gravity does not matter (T. Schwager and T. Poschel, "Coefficient of
/// restitution and linear-dashpot model revisited").
pub fn restitution(zeta: f64) -> f64 {
    let left = (1.0 - zeta * zeta).abs().sqrt();
    if (zeta - 1.0).abs() < 1e-6 {
        return (-2.0_f64).exp();
    }
    if zeta < 1.0 {
        // the angle in its quadrant makes one formula of their two
        let angle = std::f64::consts::PI - (2.0 * zeta * left).atan2(1.0 - 2.0 * zeta * zeta);
        return (-zeta / left * angle).exp();
    }
    ((zeta + left) / (zeta - left)).powf(-zeta / left)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const G: f64 = 9.81;

    /// Against Runge and Kutta's method with short steps, where the law is written as it stands.
    #[test]
    fn closed_forms_are_the_motion() {
        for (omega, zeta) in
            [(60.0, 0.1), (300.0, 0.0), (25.0, 0.5), (80.0, 0.9), (80.0, 1.0), (60.0, 1.4), (12.0, 0.05)]
        {
            let voigt = Voigt { omega, zeta };
            let law = |[z, v]: [f64; 2]| {
                let push = if z < 0.0 { (-omega * omega * z - 2.0 * zeta * omega * v).max(0.0) } else { 0.0 };
                [v, push - G]
            };
            let bounces = Bounces::new(voigt, G, [0.2, 0.5], 2.0);
            let (mut state, step) = ([0.2, 0.5], 1e-5);
            let add = |a: [f64; 2], b: [f64; 2], by: f64| [a[0] + by * b[0], a[1] + by * b[1]];
            for k in 1..=200_000 {
                let a = law(state);
                let b = law(add(state, a, 0.5 * step));
                let c = law(add(state, b, 0.5 * step));
                let d = law(add(state, c, step));
                state = [0, 1].map(|i| state[i] + step / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
                if k % 1000 == 0 {
                    let off = bounces.height(f64::from(k) * step) - state[0];
                    // the force jumps by 2 zeta omega v where contact begins, which costs the other method its order: v step
                    // for each bounce, and what those before it have left
                    assert!(off.abs() < 3e-4, "omega {omega}, zeta {zeta}, step {k}: {off}");
                }
            }
        }
    }

    #[test]
    fn fast_bounces_have_the_restitution_of_the_closed_form() {
        for zeta in [0.0, 0.05, 0.3, 0.6, 0.75, 0.95, 1.0, 1.3] {
            // so stiff that gravity does not matter
            let bounces = Bounces::new(Voigt { omega: 1e6, zeta }, G, [1.0, 0.0], 2.0);
            let height = bounces.apexes().next().unwrap();
            assert!((height.sqrt() - restitution(zeta)).abs() < 1e-4, "zeta {zeta}: {height} {}", restitution(zeta));
        }
    }

    #[test]
    fn a_body_comes_to_rest_as_deep_as_its_weight_presses() {
        let bounces = Bounces::new(Voigt { omega: 40.0, zeta: 0.3 }, G, [0.1, 0.0], 20.0);
        assert!((bounces.height(15.0) + G / 1600.0).abs() < 1e-9);
        assert!(bounces.touches().count() > 1 && bounces.touches().count() < 30);
    }
}
