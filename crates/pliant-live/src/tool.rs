//! The virtual coupling between a hand and what it holds: a tool with a little mass, tied to the hand by a spring and a
//! damper (Colgate, Stanley and Brown, "Issues in the haptic display of tool use"). The gripper of the world is where the tool is; the
//! hand feels the spring. So a rigid grip on a stiff cable is felt through a stiffness that a hand and a device can
//! bear.

use pliant::Wrench;
use pliant::math::{Pose, Quat, Vec3, rotation_vector};

/// Stiffness and damping of the coupling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coupling {
    /// Stiffness against displacement [N/m].
    pub stiffness: f64,
    /// Damping of displacement [N s/m].
    pub damping: f64,
    /// Stiffness against turning [N m/rad].
    pub turning: f64,
    /// Damping of turning [N m s/rad].
    pub turning_damping: f64,
}

impl Default for Coupling {
    /// What desktop devices bear at 1 kHz.
    fn default() -> Coupling {
        Coupling::with_stiffness(400.0)
    }
}

impl Coupling {
    /// With a stiffness [N/m]; that against turning is what it makes with an arm of 3.5 cm, and dampers are critical.
    pub fn with_stiffness(stiffness: f64) -> Coupling {
        let turning = stiffness * 0.035 * 0.035;
        Coupling {
            stiffness,
            damping: 2.0 * (stiffness * MASS).sqrt(),
            turning,
            turning_damping: 2.0 * (turning * INERTIA).sqrt(),
        }
    }
}

/// Mass of the tool [kg]: light beside any hand, so that one does not feel it in free air.
const MASS: f64 = 0.02;

/// Moment of inertia of the tool about any axis [kg m2]: of a ball of that mass with a radius of 2 cm.
const INERTIA: f64 = 0.4 * MASS * 0.02 * 0.02;

/// The stiffest that an object is taken to be [N/m], [N m/rad]: a metre of steel wire, 1 cm thick, has 2e7 N/m.
const STIFFEST: f64 = 1e8;

/// How long a stiffness that was met is remembered while the tool moves without meeting it again [s].
const MEMORY: f64 = 0.05;

/// A tool between a hand and the world.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// Its pose in the world.
    pub pose: Pose,
    velocity: Vec3,
    spin: Vec3,
    object: Object,
}

/// What is known of the object that the tool holds or touches: its load and the slope of it, as they were at a pose.
#[derive(Clone, Copy, Debug)]
struct Object {
    pose: Pose,
    load: Wrench,
    /// Stiffness against displacement [N/m] and against turning [N m/rad]: secants of what was met lately.
    slope: [f64; 2],
}

impl Tool {
    /// A tool at rest that holds nothing.
    pub fn at(pose: Pose) -> Tool {
        let object = Object { pose, load: Wrench::default(), slope: [0.0; 2] };
        Tool { pose, velocity: Vec3::ZERO, spin: Vec3::ZERO, object }
    }

    /// Put the tool somewhere else, at rest.
    pub fn put(&mut self, pose: Pose) {
        *self = Tool::at(pose);
    }

    /// It is held up at a pose.
    pub fn stop_at(&mut self, pose: Pose) {
        (self.pose, self.velocity, self.spin) = (pose, Vec3::ZERO, Vec3::ZERO);
    }

    /// Learn what the world did to the tool in a step of `dt` [s] that ended with the tool at a pose: the load of its
    /// gripper.
    pub fn learn(&mut self, pose: Pose, load: Wrench, dt: f64) {
        let (before, kept) = (self.object, (-dt / MEMORY).exp());
        // nothing is learnt from ways too short to divide by, of the order of rounding in the forces of rigid grips
        let secant = |slope: f64, force: Vec3, way: Vec3, least: f64| {
            let way = way.length();
            if way > least { (force.length() / way).min(STIFFEST).max(kept * slope) } else { slope }
        };
        let way = pose.translation - before.pose.translation;
        let turn = turn_between(before.pose.rotation, pose.rotation);
        let slope = [
            secant(before.slope[0], load.force - before.load.force, way, 1e-9),
            secant(before.slope[1], load.torque - before.load.torque, turn, 1e-8),
        ];
        self.object = Object { pose, load, slope };
    }

    /// Load of the object where the tool is now, by its last load and its slope: what it would be between two steps of
    /// the world.
    pub fn load(&self) -> Wrench {
        let Object { pose, load, slope } = self.object;
        Wrench {
            force: load.force - (self.pose.translation - pose.translation) * slope[0],
            torque: load.torque - turn_between(pose.rotation, self.pose.rotation) * slope[1],
        }
    }

    /// Let the last load fade by a factor, where the world is late.
    pub fn fade(&mut self, factor: f64) {
        self.object.load.force *= factor;
        self.object.load.torque *= factor;
        self.object.slope = self.object.slope.map(|slope| slope * factor);
    }

    /// Follow the hand for `dt` [s]: its pose, velocity [m/s] and spin [rad/s] at the end of it.
    ///
    /// By Euler's implicit rule with the slope of the object in it, so that the tool is stable on the stiffest one:
    /// m (v' - v)/dt = k (x_h - x - dt v') + b (v_h - v') + F - K dt v'.
    pub fn follow(&mut self, hand: &Hand, coupling: &Coupling, dt: f64) {
        let (Wrench { force, torque }, [slope, turning_slope]) = (self.load(), self.object.slope);
        let Coupling { stiffness, damping, turning, turning_damping } = *coupling;
        let apart = hand.pose.translation - self.pose.translation;
        let push = apart * stiffness + hand.velocity * damping + force;
        let inertia = MASS + dt * damping + dt * dt * (stiffness + slope);
        self.velocity = (self.velocity * MASS + push * dt) / inertia;

        let apart = turn_between(self.pose.rotation, hand.pose.rotation);
        let push = apart * turning + hand.spin * turning_damping + torque;
        let inertia = INERTIA + dt * turning_damping + dt * dt * (turning + turning_slope);
        self.spin = (self.spin * INERTIA + push * dt) / inertia;

        let turned = Quat::from_scaled_axis(self.spin * dt) * self.pose.rotation;
        self.pose = Pose::from_parts(self.pose.translation + self.velocity * dt, turned.normalize());
    }

    /// Force and torque of the coupling on the hand.
    pub fn feel(&self, hand: &Hand, coupling: &Coupling) -> Wrench {
        let apart = self.pose.translation - hand.pose.translation;
        let turned = turn_between(hand.pose.rotation, self.pose.rotation);
        Wrench {
            force: apart * coupling.stiffness + (self.velocity - hand.velocity) * coupling.damping,
            torque: turned * coupling.turning + (self.spin - hand.spin) * coupling.turning_damping,
        }
    }
}

/// A hand at an instant.
#[derive(Clone, Copy, Debug)]
pub struct Hand {
    /// Its pose in the world.
    pub pose: Pose,
    /// Its velocity [m/s].
    pub velocity: Vec3,
    /// Its angular velocity [rad/s].
    pub spin: Vec3,
}

impl Hand {
    /// A hand at rest.
    pub fn resting(pose: Pose) -> Hand {
        Hand { pose, velocity: Vec3::ZERO, spin: Vec3::ZERO }
    }
}

/// The turn from one orientation to another, as a rotation vector in the world, the short way round.
pub fn turn_between(from: Quat, to: Quat) -> Vec3 {
    rotation_vector(to * from.inverse())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A spring to the origin, seen by the tool once a step.
    fn held_by_spring(stiffness: f64, dt: f64, steps: usize, hand: impl Fn(f64) -> Vec3) -> Vec<(Vec3, Vec3)> {
        let coupling = Coupling::default();
        let mut tool = Tool::at(Pose::IDENTITY);
        let mut seen = vec![];
        let mut last = hand(0.0);
        for n in 1..=steps {
            let position = hand(n as f64 * dt);
            let hand = Hand { velocity: (position - last) / dt, ..Hand::resting(Pose::from_translation(position)) };
            last = position;
            tool.follow(&hand, &coupling, dt);
            let load = Wrench { force: tool.pose.translation * -stiffness, ..Wrench::default() };
            tool.learn(tool.pose, load, dt);
            seen.push((tool.pose.translation, tool.feel(&hand, &coupling).force));
        }
        seen
    }

    #[test]
    fn a_hand_feels_two_springs_in_series() {
        for stiffness in [10.0, 1e3, 1e5, 1e7] {
            let (position, felt) = held_by_spring(stiffness, 1e-3, 4000, |_| Vec3::X * 0.01)[3999];
            let series = 1.0 / (1.0 / stiffness + 1.0 / Coupling::default().stiffness);
            assert!((felt.x + series * 0.01).abs() < 1e-6 * series, "{stiffness}: {felt}");
            assert!((position.x * stiffness - series * 0.01).abs() < 1e-6 * series, "{stiffness}: {position}");
        }
    }

    #[test]
    fn the_stiffest_object_does_not_make_it_swing() {
        // a grip on a steel wire
        for dt in [1e-4, 1e-3, 1e-2] {
            let seen = held_by_spring(1e7, dt, 5000, |t| Vec3::X * if t > 10.0 * dt { 0.01 } else { 0.0 });
            let most = seen.iter().map(|(_, felt)| felt.length()).fold(0.0, f64::max);
            // the jump itself goes through the damper
            let jump = Coupling::default().damping * 0.01 / dt + 4.0;
            assert!(most <= 1.01 * jump, "{dt}: {most} {jump}");
            let late = seen[4000..].iter().map(|(_, felt)| (felt.length() - 4.0).abs()).fold(0.0, f64::max);
            assert!(late < 1e-3, "{dt}: {late}");
        }
    }

    #[test]
    fn in_free_air_it_follows_without_a_force() {
        let seen = held_by_spring(0.0, 1e-3, 3000, |t| Vec3::X * 0.1 * t);
        let (position, felt) = seen[2999];
        assert!((position.x - 0.3).abs() < 1e-6 && felt.length() < 1e-6, "{position} {felt}");
    }

    #[test]
    fn turns_go_the_short_way() {
        let a = Quat::from_rotation_z(3.0);
        let b = Quat::from_rotation_z(-3.0);
        let turn = turn_between(a, b);
        assert!((turn.z - (std::f64::consts::TAU - 6.0)).abs() < 1e-12, "{turn}");
    }
}
