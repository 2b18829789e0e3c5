//! Initial guess of forces for the sweeps: those of the previous step plus the best multiple of their last change.

use super::solve::Condition;
use super::touch::{Slots, Touch};
use crate::bytes::stored;
use crate::math::Vec3;

/// Recent change of the force at a point, in the body's frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trend {
    /// Displacement due to all forces of the previous step [m].
    moved: Vec3,
    /// Last change of the force [N].
    force: Vec3,
    /// Last change of the displacement [m].
    answer: Vec3,
}

impl Trend {
    /// Record the force found, and the displacement due to all forces.
    pub fn follow(&mut self, before: Vec3, force: Vec3, moved: Vec3) {
        *self = Trend { moved, force: force - before, answer: moved - self.moved };
    }
}

/// Add to the forces f of the previous step the multiple of their change d that minimises f W f / 2 - e f along d,
/// where W d is known from the previous step. For smooth loads or motions the guess is nearly exact.
pub fn go_on(slots: &mut Slots, touches: &[Touch]) {
    let (mut gain, mut cost) = (0.0, 0.0);
    let wanted = slots.missing.as_chunks::<3>().0;
    for ((touch, wanted), condition) in touches.iter().zip(wanted).zip(&slots.conditions) {
        let Trend { moved, force, answer } = touch.trend;
        if *condition != Condition::Given {
            gain += force.dot(Vec3::from_array(*wanted) - moved);
            cost += force.dot(answer);
        }
    }
    let times = gain / cost;
    if !(cost > 0.0 && times.is_finite()) {
        return;
    }
    let forces = slots.forces.as_chunks_mut::<3>().0;
    for ((touch, force), condition) in touches.iter().zip(forces).zip(&slots.conditions) {
        if *condition != Condition::Given {
            *force = (Vec3::from_array(*force) + touch.trend.force * times).to_array();
        }
    }
}

stored!(Trend { moved, force, answer });

#[cfg(test)]
mod tests {
    use super::super::touch::{By, Spot};
    use super::*;
    use crate::random::Random;

    const POINTS: usize = 4;

    /// A symmetric positive definite matrix.
    fn answers() -> Vec<Vec<f64>> {
        let n = 3 * POINTS;
        let at = |i: usize, j: usize| ((i * 7 + j * 13) as f64 * 0.61).sin();
        let entry = |i: usize, j: usize| (0..n).map(|k| at(i, k) * at(j, k)).sum::<f64>() + f64::from(i == j);
        (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
    }

    fn times(w: &[Vec<f64>], f: &[f64]) -> Vec<f64> {
        w.iter().map(|row| row.iter().zip(f).map(|(a, b)| a * b).sum()).collect()
    }

    fn three(list: &[f64], n: usize) -> Vec3 {
        Vec3::from_slice(&list[3 * n..])
    }

    /// Forces of the previous step, and their last change, with the last point as a given force, which does not change.
    fn forces() -> [Vec<f64>; 2] {
        let mut random = Random(3);
        let mut some = || (0..3 * POINTS).map(|_| random.signed()).collect::<Vec<f64>>();
        let (force, mut change) = (some(), some());
        change[3 * (POINTS - 1)..].fill(0.0);
        [force, change]
    }

    /// What is guessed for missing displacements `e`, from these forces and their last change.
    fn guessed(e: &[f64], force: &[f64], change: &[f64]) -> Vec<f64> {
        let w = answers();
        let (moved, answer) = (times(&w, force), times(&w, change));
        let touches: Vec<Touch> = (0..POINTS)
            .map(|n| {
                let trend = Trend { moved: three(&moved, n), force: three(change, n), answer: three(&answer, n) };
                Touch { trend, ..Touch::new(Spot::node(0), By::Body, Vec3::ZERO, Vec3::Z, Vec3::ZERO) }
            })
            .collect();
        let mut slots = Slots::default();
        (slots.missing, slots.forces) = (e.to_vec(), force.to_vec());
        slots.conditions = vec![Condition::Held; POINTS];
        slots.conditions[POINTS - 1] = Condition::Given;
        go_on(&mut slots, &touches);
        slots.forces
    }

    #[test]
    fn a_force_that_goes_on_as_it_changed_is_guessed_exactly() {
        let ([force, change], w) = (forces(), answers());
        for much in [-0.5, 0.0, 1.0, 1.7] {
            let then: Vec<f64> = force.iter().zip(&change).map(|(f, d)| f + much * d).collect();
            let found = guessed(&times(&w, &then), &force, &change);
            assert!(found.iter().zip(&then).all(|(a, b)| (a - b).abs() < 1e-12), "{much}: {found:?}");
        }
    }

    /// Along the change no multiple has less energy f W f / 2 - e f, for whatever is missing.
    #[test]
    fn the_guess_is_the_best_along_the_change() {
        let ([force, change], w, mut random) = (forces(), answers(), Random(4));
        let e: Vec<f64> = (0..3 * POINTS).map(|_| random.signed()).collect();
        let energy = |f: &[f64]| {
            let moved = times(&w, f);
            f.iter().zip(&moved).zip(&e).map(|((f, m), e)| 0.5 * f * m - e * f).sum::<f64>()
        };
        let found = guessed(&e, &force, &change);
        for off in [-1.0, -1e-3, 1e-3, 1.0] {
            let other: Vec<f64> = found.iter().zip(&change).map(|(f, d)| f + off * d).collect();
            assert!(energy(&other) > energy(&found), "{off}");
        }
        assert_eq!(three(&found, POINTS - 1), three(&force, POINTS - 1), "a given force is not guessed");
    }

    #[test]
    fn a_force_without_a_past_is_kept() {
        let [force, _] = forces();
        assert_eq!(guessed(&[1.0; 3 * POINTS], &force, &[0.0; 3 * POINTS]), force);
    }

    #[test]
    fn a_trend_is_the_difference_of_two_steps() {
        let mut trend = Trend::default();
        trend.follow(Vec3::ZERO, Vec3::X, Vec3::Y);
        trend.follow(Vec3::X, Vec3::new(3.0, 0.0, 1.0), Vec3::new(0.0, 4.0, 2.0));
        let (moved, force, answer) = (Vec3::new(0.0, 4.0, 2.0), Vec3::new(2.0, 0.0, 1.0), Vec3::new(0.0, 3.0, 2.0));
        assert_eq!(trend, Trend { moved, force, answer });
    }
}
