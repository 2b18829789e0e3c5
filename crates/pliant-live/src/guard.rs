//! What stands between a computed force and a hand: limits, a watch over the energy that the coupling creates, and a
//! way to zero when something is wrong.

use pliant::Wrench;
use pliant::math::Vec3;
use serde::Serialize;

/// Limits of what a hand is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Largest force [N].
    pub force: f64,
    /// Largest torque [N m].
    pub torque: f64,
    /// Fastest change of the force [N/s]; of the torque in proportion to the largest ones.
    pub slew: f64,
}

impl Default for Limits {
    /// What desktop devices can do.
    fn default() -> Limits {
        Limits { force: 10.0, torque: 0.5, slew: 5000.0 }
    }
}

/// How a hand is served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It feels what the world does.
    #[default]
    Ok,
    /// It feels as much of it as the limits allow.
    Limited,
    /// Its device has fallen silent: no force.
    Stale,
    /// The world stands still: it is paused, or has failed. No force.
    Stopped,
    /// Its poses are not those of a hand: too fast, or too far from the scene. No force.
    Astray,
}

impl State {
    /// All states, by number.
    pub const ALL: [State; 5] = [State::Ok, State::Limited, State::Stale, State::Stopped, State::Astray];
}

/// Time in which a force goes to zero when something is wrong [s]. With the 5 ms after which a device counts as silent
/// it is less than 10 ms.
const TO_ZERO: f64 = 0.004;

/// Time in which the force comes back [s], so that nothing strikes the hand.
const TO_FULL: f64 = 0.2;

/// Largest damping by which created energy is taken back [N s/m]. More would be felt as a blow, and could itself
/// swing at 1 kHz with a light device.
const MOST_DAMPING: f64 = 20.0;

/// A guard of one hand.
#[derive(Clone, Copy, Debug)]
pub struct Guard {
    limits: Limits,
    /// What the hand was given last.
    last: Wrench,
    /// Share of the force that is let through, after a fault.
    share: f64,
    /// Force when the fault began, that goes to zero.
    falling: Wrench,
    /// Energy that went to the hand [J]; what it puts in is negative.
    pub to_hand: f64,
    /// The most of that so far [J].
    pub most_to_hand: f64,
    /// Energy that the coupling has given to hand and world together [J]. A spring, a damper and a mass cannot give
    /// any: what is above zero was created by sampling.
    balance: f64,
    /// Energy that was created and taken back by damping [J].
    pub taken_back: f64,
}

/// Ways of hand and tool since the last force.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ways {
    /// Of the hand [m].
    pub hand: Vec3,
    /// Turn of the hand [rad].
    pub hand_turn: Vec3,
    /// Work that the world did on the tool [J].
    pub work_of_world: f64,
}

impl Guard {
    /// A guard with limits.
    pub fn new(limits: Limits) -> Guard {
        Guard {
            limits,
            last: Wrench::default(),
            share: 1.0,
            falling: Wrench::default(),
            to_hand: 0.0,
            most_to_hand: 0.0,
            balance: 0.0,
            taken_back: 0.0,
        }
    }

    /// Begin to count energy anew.
    pub fn forget(&mut self) {
        (self.to_hand, self.most_to_hand, self.balance, self.taken_back) = (0.0, 0.0, 0.0, 0.0);
    }

    /// The coupling has begun anew: it neither stores energy nor has created any.
    pub fn rest(&mut self) {
        self.balance = 0.0;
    }

    /// The wrench that the hand is given for the next `dt` [s], and how it is served. `fault` is what is wrong, if
    /// anything.
    pub fn pass(&mut self, felt: Wrench, ways: Ways, fault: Option<State>, dt: f64) -> (Wrench, State) {
        // the last force was held while the hand went this way
        let work = self.last.force.dot(ways.hand) + self.last.torque.dot(ways.hand_turn);
        self.to_hand += work;
        self.most_to_hand = self.most_to_hand.max(self.to_hand);
        self.balance += work - ways.work_of_world;
        let (given, state) = match fault {
            Some(state) => (self.fall(dt), state),
            None => self.rise(felt, ways.hand / dt, dt),
        };
        self.last = given;
        (given, state)
    }

    /// On the way to zero.
    fn fall(&mut self, dt: f64) -> Wrench {
        if self.share > 0.0 {
            (self.falling, self.share) = (self.last, 0.0);
        }
        let Wrench { force, torque } = self.last;
        let lower = |now: Vec3, from: Vec3| {
            let (length, step) = (now.length(), from.length() * dt / TO_ZERO);
            if length > step { now * ((length - step) / length) } else { Vec3::ZERO }
        };
        // what the coupling stored is lost with its force
        self.rest();
        Wrench { force: lower(force, self.falling.force), torque: lower(torque, self.falling.torque) }
    }

    /// What is felt, within the limits.
    fn rise(&mut self, felt: Wrench, velocity: Vec3, dt: f64) -> (Wrench, State) {
        self.share = (self.share + dt / TO_FULL).min(1.0);
        let damped = felt.force * self.share + self.damper(velocity, dt);
        let force = bounded(damped, self.limits.force);
        let torque = bounded(felt.torque * self.share, self.limits.torque);
        let per_second = self.limits.torque / self.limits.force * self.limits.slew;
        let given = Wrench {
            force: self.last.force + bounded(force - self.last.force, self.limits.slew * dt),
            torque: self.last.torque + bounded(torque - self.last.torque, per_second * dt),
        };
        let cut = (given.force - damped).length() + (given.torque - felt.torque * self.share).length();
        let within = cut <= 1e-9 * self.limits.force;
        (given, if within { State::Ok } else { State::Limited })
    }

    /// The force of a damper that takes back what the coupling has created, in the next `dt` [s] if the hand goes on
    /// like this (Hannaford and Ryu, "Time-domain passivity control of haptic interfaces").
    fn damper(&mut self, velocity: Vec3, dt: f64) -> Vec3 {
        let speed = velocity.length_squared();
        if self.balance <= 0.0 || speed < 1e-12 {
            return Vec3::ZERO;
        }
        let damping = (self.balance / (speed * dt)).min(MOST_DAMPING);
        self.taken_back += damping * speed * dt;
        velocity * -damping
    }
}

/// A vector no longer than this; zero if it is not finite.
fn bounded(vector: Vec3, most: f64) -> Vec3 {
    if vector.is_finite() { vector.clamp_length_max(most) } else { Vec3::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn force(x: f64) -> Wrench {
        Wrench { force: Vec3::X * x, torque: Vec3::ZERO }
    }

    fn guard() -> Guard {
        Guard::new(Limits::default())
    }

    #[test]
    fn a_fault_brings_any_force_to_zero_within_its_time() {
        for dt in [1e-4, 1e-3, 2e-3] {
            let mut guard = guard();
            for _ in 0..1000 {
                guard.pass(force(8.0), Ways::default(), None, dt);
            }
            assert_eq!(guard.last.force.x, 8.0);
            let steps = (TO_ZERO / dt).ceil() as usize;
            for _ in 0..steps {
                assert_eq!(guard.pass(force(8.0), Ways::default(), Some(State::Stale), dt).1, State::Stale);
            }
            assert_eq!(guard.last.force.length(), 0.0, "{dt}");
            // and it comes back slowly
            assert!(guard.pass(force(8.0), Ways::default(), None, dt).0.force.x <= 8.0 * dt / TO_FULL + 1e-12);
        }
    }

    #[test]
    fn nothing_beyond_the_limits_and_nothing_that_is_no_number() {
        let mut guard = guard();
        let mut before = 0.0;
        for felt in [1e9, -1e9, f64::NAN, f64::INFINITY, 3.0].into_iter().cycle().take(1000) {
            let (given, _) = guard.pass(force(felt), Ways::default(), None, 1e-3);
            assert!(given.force.length() <= 10.0 + 1e-9 && (given.force.x - before).abs() <= 5.0 + 1e-9);
            before = given.force.x;
        }
    }

    #[test]
    fn what_a_sampled_spring_creates_is_taken_back() {
        // a free mass that bounces off a wall whose force is a sample old: without the guard it comes back faster
        let bounce = |guarded: bool| {
            let (dt, stiffness, mass) = (1e-3, 2000.0, 0.1);
            let mut guard = Guard::new(Limits { force: 1e3, torque: 1.0, slew: 1e9 });
            let (mut x, mut v) = (0.01, -0.5);
            let mut held = 0.0;
            for _ in 0..400 {
                let way = v * dt + 0.5 * held / mass * dt * dt;
                x += way;
                v += held / mass * dt;
                let felt = force(if x < 0.0 { -stiffness * x } else { 0.0 });
                let ways = Ways { hand: Vec3::X * way, ..Ways::default() };
                held = if guarded { guard.pass(felt, ways, None, dt).0.force.x } else { felt.force.x };
            }
            (v, guard)
        };
        let ((fast, _), (slow, guard)) = (bounce(false), bounce(true));
        assert!(fast > 0.53, "{fast}");
        assert!(slow > 0.3 && slow <= 0.51 && guard.taken_back > 0.0, "{slow} {guard:?}");
    }
}
