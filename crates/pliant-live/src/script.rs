//! A hand without a person: a motion that it is meant to make, made through the impedance of a hand, so that forces
//! push it off its way.

use std::io::BufRead;

use pliant::Wrench;
use pliant::math::{Pose, Vec3};

/// Mass of a hand with its device [kg], and how it is held to its way [N/m], [N s/m]: chosen, of the order of a relaxed
/// hand at a desktop device.
const MASS: f64 = 0.15;
const STIFFNESS: f64 = 400.0;
const DAMPING: f64 = 5.0;

/// Where a hand is meant to be, and whether it grips.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waypoint {
    /// When [s].
    pub time: f64,
    /// Where [m].
    pub position: Vec3,
    /// Whether it grips from here on.
    pub grips: bool,
}

/// A scripted hand.
#[derive(Clone, Debug)]
pub struct Script {
    way: Vec<Waypoint>,
    /// Begins again at its end.
    repeats: bool,
    time: f64,
    position: Vec3,
    velocity: Vec3,
}

impl Script {
    /// A hand that makes a motion given as lines `time, x, y, z, grips` [s, m, m, m, 0 or 1]. The first line may have names in
    /// place of numbers.
    pub fn read(from: impl BufRead) -> Result<Script, String> {
        let mut way = Vec::<Waypoint>::new();
        for (n, line) in from.lines().enumerate() {
            let line = line.map_err(|error| error.to_string())?;
            let names = n == 0 && line.trim().starts_with(|c: char| c.is_alphabetic()) && !line.starts_with("nan");
            if line.trim().is_empty() || names {
                continue;
            }
            let numbers: Result<Vec<f64>, _> = line.split(',').map(|cell| cell.trim().parse::<f64>()).collect();
            let Ok([time, x, y, z, grips]) = numbers.as_deref().map(<[f64; 5]>::try_from).unwrap_or(Ok([f64::NAN; 5]))
            else {
                return Err(format!("line {}: expected five numbers: time, x, y, z, grips", n + 1));
            };
            let position = Vec3::new(x, y, z);
            if !(time.is_finite() && position.is_finite()) {
                return Err(format!("line {}: expected five numbers: time, x, y, z, grips", n + 1));
            }
            if way.last().is_some_and(|last| last.time >= time) {
                return Err(format!("line {}: times must grow", n + 1));
            }
            way.push(Waypoint { time, position, grips: grips != 0.0 });
        }
        if way.is_empty() {
            return Err("it has no line with a waypoint".into());
        }
        Ok(Script::along(way, false))
    }

    /// A hand that takes hold at a point and moves about it for ever: 2 cm to and fro along each axis in turn, every
    /// two seconds.
    pub fn demo(at: Vec3) -> Script {
        let axes = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
        let point = |n: usize, offset: Vec3| Waypoint { time: n as f64 * 0.5, position: at + offset, grips: true };
        let mut way = vec![point(0, Vec3::ZERO)];
        for (n, axis) in axes.into_iter().enumerate() {
            way.push(point(2 * n + 1, axis * 0.02));
            way.push(point(2 * n + 2, Vec3::ZERO));
        }
        Script::along(way, true)
    }

    fn along(way: Vec<Waypoint>, repeats: bool) -> Script {
        let position = way[0].position;
        Script { way, repeats, time: 0.0, position, velocity: Vec3::ZERO }
    }

    /// Where it is meant to be.
    fn meant(&self) -> Waypoint {
        let last = self.way[self.way.len() - 1];
        let time = if self.repeats && last.time > 0.0 { self.time % last.time } else { self.time };
        let next = self.way.partition_point(|point| point.time <= time);
        let Some(before) = next.checked_sub(1).map(|n| self.way[n]) else { return self.way[0] };
        let Some(after) = self.way.get(next) else { return last };
        let part = (time - before.time) / (after.time - before.time);
        // minimum jerk from one to the next
        let eased = part * part * part * (10.0 + part * (6.0 * part - 15.0));
        Waypoint { position: before.position.lerp(after.position, eased), ..before }
    }

    /// Move for `dt` [s] under a force, and say where the hand is and whether it grips.
    pub fn advance(&mut self, felt: Wrench, dt: f64) -> (Pose, bool) {
        self.time += dt;
        let meant = self.meant();
        let push = (meant.position - self.position) * STIFFNESS + felt.force;
        // Euler's implicit rule for spring and damper of the hand; the force is that of the loop
        self.velocity = (self.velocity * MASS + push * dt) / (MASS + dt * DAMPING + dt * dt * STIFFNESS);
        self.position += self.velocity * dt;
        (Pose::from_translation(self.position), meant.grips)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_force_pushes_it_off_its_way_by_its_stiffness() {
        let Ok(mut script) = Script::read(&b"time,x,y,z,grips\n0,0.1,0,0,1\n"[..]) else {
            unreachable!("five numbers")
        };
        let felt = Wrench { force: Vec3::Y * 2.0, torque: Vec3::ZERO };
        let (pose, grips) = (0..5000).map(|_| script.advance(felt, 1e-3)).last().unwrap_or((Pose::IDENTITY, false));
        assert!(grips && pose.translation.distance(Vec3::new(0.1, 2.0 / STIFFNESS, 0.0)) < 1e-9, "{pose:?}");
    }

    #[test]
    fn bad_files_are_told_by_line() {
        for (text, line) in [
            ("", "no line"),
            ("t\n1,2,3\n", "line 2"),
            ("t\n0,0,0,0,0\n0,0,0,0,0\n", "line 3"),
            ("t\n0,a,0,0,0", "line 2"),
            ("t\nnan,0,0,0,0", "line 2"),
        ] {
            let told = Script::read(text.as_bytes()).err().unwrap_or_default();
            assert!(told.contains(line), "{text:?}: {told}");
        }
    }
}
