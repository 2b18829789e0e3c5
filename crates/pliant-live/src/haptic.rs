//! The loop that a hand feels: at a fixed rate it hears devices, moves tools, and gives forces. The world takes its steps
//! in a thread of its own; the loop waits for them half a period at the most. Where one is not there by then, the hand
//! feels the last load and its slope.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use pliant::Wrench;
use pliant::math::{Pose, Vec3};

use crate::action::HANDS;
use crate::devices::Devices;
use crate::driver::Wish;
use crate::guard::{Guard, Limits, State, Ways};
use crate::input::{Input, Source};
use crate::link::{Felt, Link};
use crate::pace::{Beat, Pace, processor_time};
use crate::room::Room;
use crate::script::Script;
use crate::status::{Output, Status};
use crate::tool::{Coupling, Hand, Tool, turn_between};

/// Silence after which a device that sends at 1 kHz is taken to be gone. With the time in which a force goes to zero,
/// less than 10 ms.
const SILENCE: Duration = Duration::from_millis(5);

/// Time in which a hand moved in the page comes to where the pointer is [s]: a page sends 60 points a second, and the
/// steps between them would be felt by what it holds.
const SMOOTHING: f64 = 0.015;

/// Time over which the velocity of a device is averaged [s].
const VELOCITY: f64 = 0.003;

/// Time in which the last load fades where the world is late [s].
const FADING: f64 = 0.02;

/// The fastest that a hand moves [m/s] and turns [rad/s]: a throw has 10 m/s at the hand, and desktop devices less.
/// Poses that are faster are no measurements of a hand.
const FASTEST: f64 = 10.0;
const FASTEST_TURN: f64 = 50.0;

/// Time for which a hand may have fallen behind its device and make up for it [s]: until it counts as silent.
const LAG: f64 = 0.005;

/// One hand in the loop.
#[derive(Clone, Copy, Debug)]
struct Served {
    tool: Tool,
    guard: Guard,
    hand: Hand,
    /// Whether it feels without gripping: with a fingertip, or an obstacle that it carries.
    feels: bool,
    source: Source,
    given: Wrench,
    /// Number and pose of the last load that was learnt.
    learnt: (u64, Pose),
    since_learnt: f64,
    /// How far it may still move [m] and turn [rad] without being too fast.
    leeway: [f64; 2],
}

/// A force that comes later than this after it was due is counted apart: two periods of the usual rate, which a hand begins to feel.
const LATE: Duration = Duration::from_millis(2);

/// The loop.
#[derive(Debug)]
pub struct Haptic {
    /// Time between two forces [s].
    pub period: f64,
    /// The coupling of all hands.
    pub coupling: Coupling,
    /// Haptic devices.
    pub devices: Option<Devices>,
    /// A hand that is moved by a script: the first one.
    pub script: Option<Script>,
    link: Arc<Link>,
    status: Arc<Status>,
    room: Room,
    hands: [Served; HANDS],
    /// Resets of the world that it knows of.
    resets: u64,
}

impl Haptic {
    /// A loop with hands at rest, some of which feel without gripping.
    pub fn new(
        period: f64,
        link: Arc<Link>,
        feels: [bool; HANDS],
        limits: Limits,
        room: Room,
        status: Arc<Status>,
    ) -> Haptic {
        let hand = |feels| Served {
            tool: Tool::at(Pose::IDENTITY),
            guard: Guard::new(limits),
            hand: Hand::resting(Pose::IDENTITY),
            feels,
            source: Source::Nobody,
            given: Wrench::default(),
            learnt: (0, Pose::IDENTITY),
            since_learnt: 0.0,
            leeway: [0.0; 2],
        };
        let (coupling, hands) = (Coupling::default(), feels.map(hand));
        Haptic { period, coupling, devices: None, script: None, link, status, room, hands, resets: 0 }
    }

    /// Beat until it is asked to end.
    pub fn run(mut self) {
        let period = Duration::from_secs_f64(self.period);
        let mut pace = Pace::new(period);
        let mut last = None;
        while !self.status.is_ending() {
            let beat = pace.wait();
            let worked = processor_time();
            let waited = self.beat(beat.woke, beat.due + period / 2);
            self.measure(beat, processor_time() - worked + waited, &mut last);
        }
    }

    /// Times of a beat, in which the loop has worked, or waited for the world, for so long.
    fn measure(&self, Beat { due, woke }: Beat, worked: Duration, last: &mut Option<Instant>) {
        let (done, period, status) = (Instant::now(), Duration::from_secs_f64(self.period), &self.status);
        if let Some(last) = last.replace(done) {
            status.period.add(done - last);
        }
        status.compute.add(done - woke);
        status.latency.add(done - due);
        status.ticks.fetch_add(1, Ordering::Relaxed);
        // what the system took: without it, the force would have been there earlier
        let taken = (woke - due) + (done - woke).saturating_sub(worked);
        let count = |late: &AtomicU64, of_system: &AtomicU64, most: Duration| {
            if done > due + most {
                late.fetch_add(1, Ordering::Relaxed);
                of_system.fetch_add(u64::from(done <= due + most + taken), Ordering::Relaxed);
            }
        };
        count(&status.overruns, &status.taken_away, period);
        count(&status.late, &status.late_taken_away, LATE);
    }

    /// One beat: from devices to forces. The world is waited for until an instant; returns for how long it was.
    pub fn beat(&mut self, now: Instant, until: Instant) -> Duration {
        if let Some(devices) = &mut self.devices {
            let before = devices.dropped;
            devices.hear(now);
            self.status.dropped.fetch_add(devices.dropped - before, Ordering::Relaxed);
        }
        let resets = self.status.resets.load(Ordering::Relaxed);
        if std::mem::replace(&mut self.resets, resets) != resets {
            self.hands.iter_mut().for_each(|served| served.guard.forget());
        }
        let mut faults = [None; HANDS];
        let mut ways = [Ways::default(); HANDS];
        let mut wishes = [Wish::NONE; HANDS];
        for hand in 0..HANDS {
            let (input, is_silent) = self.input(hand, now);
            let (wish, way, is_astray) = self.move_hand(hand, input, is_silent);
            (wishes[hand], ways[hand]) = (wish, way);
            faults[hand] = is_silent.then_some(State::Stale).or(is_astray.then_some(State::Astray));
        }
        let asked = Instant::now();
        self.link.ask(&wishes, until);
        let waited = Instant::now().min(until).saturating_duration_since(asked);
        self.learn(&wishes, &mut ways);
        let standing = self.status.standing.load(Ordering::Relaxed);
        for hand in 0..HANDS {
            let fault = faults[hand].or(standing.then_some(State::Stopped));
            self.give(hand, ways[hand], fault);
        }
        waited
    }

    /// What moves a hand now, and whether that has fallen silent.
    fn input(&mut self, hand: usize, now: Instant) -> (Option<Input>, bool) {
        if let (0, Some(script)) = (hand, &mut self.script) {
            let (pose, pressed) = script.advance(self.hands[0].given, self.period);
            let input = Input { pose, pressed, turns: false, reach: 0.05, source: Source::Script, heard: 0 };
            return (Some(input), false);
        }
        if let Some((packet, age)) = self.devices.as_ref().and_then(|devices| devices.latest(hand, now)) {
            return (Input::of_device(&packet, 0), age > SILENCE);
        }
        let here = |input: &Input| input.source != Source::Nobody;
        if let Some(input) = self.status.hosts[hand].read().and_then(Input::from_words).filter(here) {
            let age = self.status.clock.nanos(now).saturating_sub(input.heard);
            return (Some(input), Duration::from_nanos(age) > SILENCE);
        }
        let input = self.status.inputs[hand].read().and_then(Input::from_words);
        (input.filter(here).map(Input::straightened), false)
    }

    /// Move a hand to where its device says, and its tool after it. Also returns whether it cannot be there.
    fn move_hand(&mut self, hand: usize, input: Option<Input>, is_silent: bool) -> (Wish, Ways, bool) {
        let (dt, served) = (self.period, &mut self.hands[hand]);
        // where no hand can be nobody is
        let Some(input) = input.filter(|input| self.room.has(input.pose.translation)) else {
            served.source = Source::Nobody;
            return (Wish::NONE, Ways::default(), input.is_some());
        };
        let comes = served.source != input.source;
        served.source = input.source;
        if comes {
            served.hand = Hand::resting(input.pose);
            served.tool.put(input.pose);
            served.leeway = [0.0; 2];
        }
        let before = served.hand;
        let mut is_astray = false;
        if !is_silent {
            let is_page = input.source == Source::Page;
            let smoothing = if is_page { 1.0 - (-dt / SMOOTHING).exp() } else { 1.0 };
            let (pose, is_fast) = served.within_leeway(&input.pose, smoothing, dt);
            // a pointer may jump, and is followed as fast as a hand goes
            is_astray = is_fast && !is_page;
            served.hand = follow(&before, &pose, dt);
        }
        // what is neither held nor touched is where the hand is; a fingertip may touch at any time
        let holds = served.feels || input.pressed && self.status.grasped(hand).is_some();
        if holds && !comes {
            served.tool.follow(&served.hand, &self.coupling, dt);
        } else {
            served.tool.put(served.hand.pose);
        }
        let wish = Wish {
            pose: Some(served.tool.pose),
            grips: input.pressed && !served.feels,
            reach: input.reach,
            clamp: input.turns,
        };
        let ways = Ways {
            hand: served.hand.pose.translation - before.pose.translation,
            hand_turn: turn_between(before.pose.rotation, served.hand.pose.rotation),
            work_of_world: 0.0,
        };
        (wish, if comes { Ways::default() } else { ways }, is_astray)
    }

    /// Let tools learn from the last step of the world.
    fn learn(&mut self, wishes: &[Wish; HANDS], ways: &mut [Ways; HANDS]) {
        let (period, dt) = (self.period, self.link.dt);
        for (hand, wish) in wishes.iter().enumerate() {
            let served = &mut self.hands[hand];
            served.since_learnt += period;
            let felt = self.link.felt(hand).filter(|felt| felt.count != served.learnt.0);
            if let (Some(felt), Some(_)) = (felt, wish.pose) {
                if felt.stopped {
                    served.tool.stop_at(felt.pose);
                }
                ways[hand].work_of_world = served.learn(felt, dt);
            } else if served.since_learnt > 3.0 * dt {
                served.tool.fade((-period / FADING).exp());
            }
        }
    }

    /// Give a hand what it is to feel.
    fn give(&mut self, hand: usize, ways: Ways, fault: Option<State>) {
        let holds = self.status.grasped(hand).is_some();
        let served = &mut self.hands[hand];
        let felt = if served.source != Source::Nobody && (served.feels || holds) {
            served.tool.feel(&served.hand, &self.coupling)
        } else {
            served.guard.rest();
            Wrench::default()
        };
        let (wrench, state) = served.guard.pass(felt, ways, fault, self.period);
        served.given = wrench;
        let Guard { to_hand, most_to_hand, .. } = served.guard;
        let output = Output { wrench, state, source: served.source as u8, to_hand, most_to_hand };
        self.status.outputs[hand].write(output.to_words());
        if let Some(devices) = &self.devices {
            devices.answer(hand, wrench, state, holds);
        }
    }
}

impl Served {
    /// Learn the load of a step of `dt` [s]. Returns the work of the world on the tool in it [J].
    fn learn(&mut self, felt: Felt, dt: f64) -> f64 {
        let before = self.learnt.1;
        (self.learnt, self.since_learnt) = ((felt.count, felt.pose), 0.0);
        self.tool.learn(felt.pose, felt.load, dt);
        let way = felt.pose.translation - before.translation;
        let turn = turn_between(before.rotation, felt.pose.rotation);
        felt.load.force.dot(way) + felt.load.torque.dot(turn)
    }

    /// Where the hand comes to in `dt` [s] on its way to a pose, of which it makes a part, and whether that pose is too
    /// far away for a hand.
    fn within_leeway(&mut self, pose: &Pose, part: f64, dt: f64) -> (Pose, bool) {
        let from = self.hand.pose;
        let way = (pose.translation - from.translation) * part;
        let turn = turn_between(from.rotation, pose.rotation) * part;
        let mut limited = |kind: usize, way: Vec3, fastest: f64| {
            let leeway = &mut self.leeway[kind];
            *leeway = (*leeway + fastest * dt).min(fastest * LAG.max(dt));
            let share = if way.length() > *leeway { *leeway / way.length() } else { 1.0 };
            *leeway -= share * way.length();
            share
        };
        let shares = [limited(0, way, FASTEST), limited(1, turn, FASTEST_TURN)];
        let rotation =
            if shares[1] * part < 1.0 { from.rotation.slerp(pose.rotation, shares[1] * part) } else { pose.rotation };
        let pose = Pose::from_parts(from.translation + way * shares[0], rotation.normalize());
        (pose, shares != [1.0; 2])
    }
}

/// The hand a moment later, at a pose.
fn follow(hand: &Hand, pose: &Pose, dt: f64) -> Hand {
    let averaging = 1.0 - (-dt / VELOCITY).exp();
    let velocity = (pose.translation - hand.pose.translation) / dt;
    let spin = turn_between(hand.pose.rotation, pose.rotation) / dt;
    Hand { pose: *pose, velocity: hand.velocity.lerp(velocity, averaging), spin: hand.spin.lerp(spin, averaging) }
}

#[cfg(test)]
mod tests;
