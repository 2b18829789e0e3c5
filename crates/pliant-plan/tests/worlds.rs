//! Robots that are drawn to goals past obstacles: traps, gaps, goals that cannot be reached, and worlds at random.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{block, cart, pillar, trap};
use pliant::math::Vec3;
use pliant_plan::{Ending, Settings};

fn settings() -> Settings {
    Settings { safety: 0.05, speed: 0.6, ..Settings::default() }
}

#[test]
fn a_trap_is_filled_until_it_lets_go() {
    let task = cart([-2.0, 0.1, 0.0], [2.5, 0.0, 0.0], trap(), settings());
    let outcome = task.solve(&mut |_| true).unwrap();
    let clearance = task.clearance(&outcome.plan);
    println!(
        "{:?} {} fills {} steps {} s {clearance:?}",
        outcome.ending,
        outcome.fills.len(),
        outcome.steps,
        outcome.plan.duration()
    );
    assert!(outcome.reached());
    // the safety distance, but for what corners cut in a step of 6 mm
    assert!(clearance.least > 0.9 * 0.05, "{clearance:?}");
    // without virtual obstacles it stays in the trap
    assert!(!outcome.fills.is_empty());
    // around the outside: up or down by 1.25 m at least, seen from the start
    let straight = task.tool(&task.start).translation.distance(Vec3::X * 2.5);
    assert!(task.path_length(&outcome.plan) > straight + 0.5);
}

#[test]
fn a_robot_turns_to_go_through_a_gap() {
    // 12 cm wider than the robot along, 8 cm narrower than the robot across
    let walls = vec![block("left", [0.2, 2.0], [0.0, 1.26], 0.0), block("right", [0.2, 2.0], [0.0, -1.26], 0.0)];
    let task = cart([-1.5, 0.6, 1.4], [1.5, -0.3, 0.0], walls, settings());
    let outcome = task.solve(&mut |_| true).unwrap();
    let clearance = task.clearance(&outcome.plan);
    println!(
        "{:?} {} fills {} steps {} s {clearance:?}",
        outcome.ending,
        outcome.fills.len(),
        outcome.steps,
        outcome.plan.duration()
    );
    assert!(outcome.reached());
    assert!(clearance.least > 0.9 * 0.05, "{clearance:?}");
}

/// A goal behind walls all around: told, and not without end.
#[test]
fn a_goal_that_is_walled_in_is_not_reached_and_that_is_told() {
    let mut walls = trap();
    walls.push(block("lid", [0.1, 2.0], [0.0, 0.0], 0.0));
    let limits = Settings { most_virtual: 30, ..settings() };
    let task = cart([-2.0, 0.1, 0.0], [0.5, 0.0, 0.0], walls, limits);
    let outcome = task.solve(&mut |_| true).unwrap();
    assert_eq!(outcome.ending, Ending::OutOfObstacles);
    assert_eq!(outcome.ending.text(&limits), "not reached within 30 virtual obstacles");
    assert!(task.clearance(&outcome.plan).least > 0.0);
}

/// A small generator of random numbers (xorshift, Marsaglia 2003).
struct Random(u64);

impl Random {
    fn within(&mut self, low: f64, high: f64) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        low + (high - low) * (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Cluttered worlds at random: each goal is reached without touching, or told not to be; none without end.
#[test]
fn a_hundred_cluttered_worlds() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut reached, mut least, mut longest) = (0, f64::MAX, 0);
    for number in 0..100 {
        let mut walls = vec![];
        for k in 0..14 {
            let at = [random.within(-2.0, 2.0), random.within(-2.0, 2.0)];
            walls.push(if k % 2 == 0 {
                pillar(&format!("pillar {k}"), random.within(0.1, 0.3), at)
            } else {
                let size = [random.within(0.1, 0.8), random.within(0.1, 0.8)];
                block(&format!("block {k}"), size, at, random.within(0.0, 3.0))
            });
        }
        let limits = Settings { most_virtual: 60, most_search: 300.0, ..settings() };
        let task = cart([-3.0, random.within(-1.5, 1.5), 0.0], [3.0, random.within(-1.5, 1.5), 0.0], walls, limits);
        let outcome = task.solve(&mut |_| true).unwrap();
        let clearance = task.clearance(&outcome.plan);
        longest = longest.max(outcome.steps);
        // limits hold: the last attempt may end after them by its own length at most
        assert!(
            outcome.fills.len() <= 60
                && outcome.steps as f64 * limits.step <= limits.most_search + limits.most_time + 1.0
        );
        assert!(clearance.least > 0.0, "world {number}: {clearance:?}");
        println!(
            "world {number}: {:?} {} fills {} steps {}",
            outcome.ending,
            outcome.fills.len(),
            outcome.steps,
            clearance.least
        );
        if outcome.reached() {
            reached += 1;
            least = least.min(clearance.least);
        }
    }
    println!("{reached} of 100 reached, clearance at least {least}, {longest} steps at most");
    assert!(reached >= 80, "{reached}");
}
