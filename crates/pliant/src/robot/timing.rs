//! From waypoints of joints to motions in time.
//!
//! [`Trajectory::smooth`] passes through waypoints with the least integral of jerk squared: quintic polynomials whose
//! first four derivatives are continuous (Flash and Hogan, "The coordination of arm movements", 1985, for one segment).
//! [`Trajectory::fastest`] goes along the straight lines between waypoints, stops at each, and is as fast as limits of speed and
//! acceleration allow on the way: full acceleration, full speed, full deceleration.

use super::algebra::{Matrix, eliminate};

/// Why there is no motion through waypoints.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TimingError {
    /// Fewer than two waypoints, or of different lengths.
    #[error("a trajectory needs two waypoints at least, all with the same number of joints")]
    Waypoints,
    /// A waypoint, speed or acceleration that is no usable number.
    #[error("{what} of joint {joint} must be {expected}, got {value}")]
    Number {
        /// What it is.
        what: &'static str,
        /// Index of the joint.
        joint: usize,
        /// What it should be.
        expected: &'static str,
        /// Its value.
        value: f64,
    },
}

/// Largest speed and acceleration of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Largest speed [rad/s, m/s].
    pub speed: f64,
    /// Largest acceleration [rad/s2, m/s2].
    pub acceleration: f64,
}

/// A motion of all joints in time: pieces of polynomials.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    joints: usize,
    /// Times at which pieces begin, and the end [s].
    times: Vec<f64>,
    /// Coefficients of each piece and joint, in time since it began.
    pieces: Vec<[f64; 6]>,
}

impl Trajectory {
    /// The smoothest motion through waypoints, from rest to rest, as fast as it may be at this shape: the times of the pieces are in the
    /// proportion in which the slowest joint of each would need them.
    pub fn smooth(waypoints: &[Vec<f64>], paces: &[Pace]) -> Result<Trajectory, TimingError> {
        check(waypoints, paces)?;
        let joints = paces.len();
        let shares = waypoints.windows(2).map(|pair| {
            let need = (0..joints).map(|j| {
                let way = (pair[1][j] - pair[0][j]).abs();
                (way / paces[j].speed).max((way / paces[j].acceleration).sqrt())
            });
            // a pause where nothing moves must not divide by zero
            need.fold(0.0, f64::max).max(1e-3)
        });
        let shares = shares.collect::<Vec<_>>();
        let mut out = Trajectory { joints, times: vec![0.0], pieces: vec![[0.0; 6]; joints * shares.len()] };
        shares.iter().for_each(|share| out.times.push(out.times.last().copied().unwrap_or(0.0) + share));
        for j in 0..joints {
            let places = waypoints.iter().map(|w| w[j]).collect::<Vec<_>>();
            out.spline(j, &places, &shares);
        }
        let slower = out.excess(paces);
        out.stretch(slower);
        Ok(out)
    }

    /// The fastest motion along straight lines, with a stop at each waypoint.
    pub fn fastest(waypoints: &[Vec<f64>], paces: &[Pace]) -> Result<Trajectory, TimingError> {
        check(waypoints, paces)?;
        let joints = paces.len();
        let mut out = Trajectory { joints, times: vec![0.0], pieces: vec![] };
        for pair in waypoints.windows(2) {
            let way = |j: usize| (pair[1][j] - pair[0][j]).abs();
            let least = |limit: &dyn Fn(usize) -> f64| {
                (0..joints).filter(|j| way(*j) > 0.0).map(limit).fold(f64::INFINITY, f64::min)
            };
            // of the fraction of the way
            let speed = least(&|j| paces[j].speed / way(j));
            let acceleration = least(&|j| paces[j].acceleration / way(j));
            if acceleration.is_infinite() {
                continue;
            }
            // the top speed is reached if v^2 / a < 1
            let top = speed.min(acceleration.sqrt());
            let (rise, cruise) = (top / acceleration, (1.0 / top - top / acceleration).max(0.0));
            let half = 0.5 * acceleration * rise * rise;
            let shapes = [
                (rise, [0.0, 0.0, 0.5 * acceleration]),
                (cruise, [half, top, 0.0]),
                (rise, [1.0 - half, top, -0.5 * acceleration]),
            ];
            for (time, shape) in shapes.into_iter().filter(|(time, _)| *time > 0.0) {
                out.times.push(out.times.last().copied().unwrap_or(0.0) + time);
                for j in 0..joints {
                    let all = pair[1][j] - pair[0][j];
                    let [a, b, c] = shape.map(|x| x * all);
                    out.pieces.push([pair[0][j] + a, b, c, 0.0, 0.0, 0.0]);
                }
            }
        }
        if out.pieces.is_empty() {
            out.times.push(0.0);
            out.pieces = waypoints[0].iter().map(|q| [*q, 0.0, 0.0, 0.0, 0.0, 0.0]).collect();
        }
        Ok(out)
    }

    /// How long it takes [s].
    pub fn duration(&self) -> f64 {
        self.times.last().copied().unwrap_or(0.0)
    }

    /// Coordinates, velocities and accelerations of all joints at a time; before the start and after the end it rests.
    pub fn sample(&self, time: f64, q: &mut [f64], v: &mut [f64], a: &mut [f64]) {
        let time = if time.is_nan() { 0.0 } else { time.clamp(0.0, self.duration()) };
        let piece = self.times.partition_point(|t| *t <= time).clamp(1, self.times.len() - 1) - 1;
        let t = time - self.times[piece];
        for j in 0..self.joints {
            let c = &self.pieces[piece * self.joints + j];
            q[j] = ((((c[5] * t + c[4]) * t + c[3]) * t + c[2]) * t + c[1]) * t + c[0];
            v[j] = (((5.0 * c[5] * t + 4.0 * c[4]) * t + 3.0 * c[3]) * t + 2.0 * c[2]) * t + c[1];
            a[j] = ((20.0 * c[5] * t + 12.0 * c[4]) * t + 6.0 * c[3]) * t + 2.0 * c[2];
        }
    }

    /// Quintic pieces of one joint: unknown velocities and accelerations at inner waypoints from the continuity of the third and
    /// fourth derivatives.
    fn spline(&mut self, joint: usize, places: &[f64], times: &[f64]) {
        let inner = places.len() - 2;
        let (mut m, mut x) = (Matrix::zeros(2 * inner, 2 * inner), vec![0.0; 2 * inner]);
        for w in 1..=inner {
            // derivatives three and four of a piece at its ends are linear in (way, v0, a0, v1, a1)
            let (before, after) = (ends(times[w - 1])[1], ends(times[w])[0]);
            for (r, (old, new)) in before.iter().zip(&after).enumerate() {
                let row = 2 * (w - 1) + r;
                let mut put = |waypoint: usize, kind: usize, value: f64| {
                    if (1..=inner).contains(&waypoint) {
                        m[(row, 2 * (waypoint - 1) + kind)] += value;
                    }
                };
                for kind in 0..2 {
                    put(w - 1, kind, old[1 + kind]);
                    put(w, kind, old[3 + kind] - new[1 + kind]);
                    put(w + 1, kind, -new[3 + kind]);
                }
                x[row] = new[0] * (places[w + 1] - places[w]) - old[0] * (places[w] - places[w - 1]);
            }
        }
        // the least of a positive integral is unique
        eliminate(&mut m, &mut x);
        let at = |w: usize| if (1..=inner).contains(&w) { [x[2 * w - 2], x[2 * w - 1]] } else { [0.0; 2] };
        for (w, t) in times.iter().enumerate() {
            let ([v0, a0], [v1, a1], way) = (at(w), at(w + 1), places[w + 1] - places[w]);
            self.pieces[w * self.joints + joint] = quintic(*t, places[w], way, [v0, a0, v1, a1]);
        }
    }

    /// By how much it has to be slower, so that all limits are kept.
    fn excess(&self, paces: &[Pace]) -> f64 {
        let mut slower = 0.0_f64;
        let [mut q, mut v, mut a] = [(); 3].map(|()| vec![0.0; self.joints]);
        for pair in self.times.windows(2) {
            // polynomials of degree four and three over one piece: between 200 samples they change by less than 1e-4
            for k in 0..=200 {
                self.sample(pair[0] + (pair[1] - pair[0]) * f64::from(k) / 200.0, &mut q, &mut v, &mut a);
                for (j, pace) in paces.iter().enumerate() {
                    slower = slower.max(v[j].abs() / pace.speed).max((a[j].abs() / pace.acceleration).sqrt());
                }
            }
        }
        if slower > 0.0 { slower * (1.0 + 1e-4) } else { 1.0 }
    }

    fn stretch(&mut self, by: f64) {
        self.times.iter_mut().for_each(|t| *t *= by);
        for piece in &mut self.pieces {
            let mut power = 1.0;
            for c in piece {
                *c /= power;
                power *= by;
            }
        }
    }
}

/// Coefficients of a quintic over a time, from velocities and accelerations at its ends.
fn quintic(t: f64, start: f64, way: f64, [v0, a0, v1, a1]: [f64; 4]) -> [f64; 6] {
    let (d, v, a) = (way - v0 * t - 0.5 * a0 * t * t, v1 - v0 - a0 * t, a1 - a0);
    let cube = (10.0 * d - 4.0 * v * t + 0.5 * a * t * t) / (t * t * t);
    let fourth = (-15.0 * d + 7.0 * v * t - a * t * t) / (t * t * t * t);
    let fifth = (6.0 * d - 3.0 * v * t + 0.5 * a * t * t) / (t * t * t * t * t);
    [start, v0, 0.5 * a0, cube, fourth, fifth]
}

/// Third and fourth derivative at start and end of a piece, per way, v0, a0, v1, a1.
fn ends(t: f64) -> [[[f64; 5]; 2]; 2] {
    let unit = |k: usize| {
        let mut given = [0.0; 5];
        given[k] = 1.0;
        let c = quintic(t, 0.0, given[0], [given[1], given[2], given[3], given[4]]);
        let third = |t: f64| 6.0 * c[3] + 24.0 * c[4] * t + 60.0 * c[5] * t * t;
        let fourth = |t: f64| 24.0 * c[4] + 120.0 * c[5] * t;
        [[third(0.0), fourth(0.0)], [third(t), fourth(t)]]
    };
    let units: [_; 5] = std::array::from_fn(unit);
    [0, 1].map(|end| [0, 1].map(|order| std::array::from_fn(|k| units[k][end][order])))
}

fn check(waypoints: &[Vec<f64>], paces: &[Pace]) -> Result<(), TimingError> {
    if waypoints.len() < 2 || waypoints.iter().any(|w| w.len() != paces.len()) {
        return Err(TimingError::Waypoints);
    }
    let number = |what, joint, expected, value| Err(TimingError::Number { what, joint, expected, value });
    for (joint, pace) in paces.iter().enumerate() {
        for (what, value) in [("the speed", pace.speed), ("the acceleration", pace.acceleration)] {
            if !(value.is_finite() && value > 0.0) {
                return number(what, joint, "finite and positive", value);
            }
        }
        if let Some(w) = waypoints.iter().find(|w| !w[joint].is_finite()) {
            return number("a waypoint", joint, "finite", w[joint]);
        }
    }
    Ok(())
}
