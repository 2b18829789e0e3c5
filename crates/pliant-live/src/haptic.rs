//! The loop that a hand feels: at a fixed rate it hears devices, moves tools, and gives forces. It either takes the
//! steps of the world itself, or leaves them to a thread of their own where they take longer than its period; the hand
//! then feels the last load and its slope in between.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use pliant::Wrench;
use pliant::math::{Pose, Quat, Vec3};

use crate::action::HANDS;
use crate::devices::Devices;
use crate::driver::{Driver, Wish};
use crate::guard::{Guard, Limits, State, Ways};
use crate::input::{Input, InputSlot, Source};
use crate::pace::{Beat, Pace, processor_time};
use crate::script::Script;
use crate::session::Session;
use crate::slot::Slot;
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

/// Who takes the steps of the world.
#[derive(Debug)]
pub enum Stepping {
    /// The loop itself, one at each beat.
    Here(Box<Driver>),
    /// A thread of its own.
    Apart {
        /// What it and the loop leave for each other.
        link: Arc<Link>,
        /// Length of its steps.
        dt: f64,
    },
}

/// What the loop and the thread of the world leave for each other.
#[derive(Debug, Default)]
pub struct Link {
    wishes: [InputSlot; HANDS],
    loads: [Slot<14>; HANDS],
}

/// The load of a hand in a step of the world.
#[derive(Clone, Copy, Debug)]
struct Felt {
    /// Where the tool was at its end.
    pose: Pose,
    load: Wrench,
    /// Number of the step.
    count: u64,
}

impl Felt {
    fn to_words(self) -> [u64; 14] {
        let (at, q) = (self.pose.translation, self.pose.rotation);
        let (f, t) = (self.load.force, self.load.torque);
        let numbers = [at.x, at.y, at.z, q.w, q.x, q.y, q.z, f.x, f.y, f.z, t.x, t.y, t.z].map(f64::to_bits);
        std::array::from_fn(|n| numbers.get(n).copied().unwrap_or(self.count))
    }

    fn from_words(words: [u64; 14]) -> Felt {
        let n: [f64; 13] = std::array::from_fn(|n| f64::from_bits(words[n]));
        Felt {
            pose: Pose::from_parts(Vec3::new(n[0], n[1], n[2]), Quat::from_xyzw(n[4], n[5], n[6], n[3])),
            load: Wrench { force: Vec3::new(n[7], n[8], n[9]), torque: Vec3::new(n[10], n[11], n[12]) },
            count: words[13],
        }
    }
}

/// One hand in the loop.
#[derive(Clone, Copy, Debug)]
struct Served {
    tool: Tool,
    guard: Guard,
    hand: Hand,
    /// Whether it is a fingertip, which feels without gripping.
    is_finger: bool,
    source: Source,
    given: Wrench,
    /// Number and pose of the last load that was learnt.
    learnt: (u64, Pose),
    since_learnt: f64,
}

/// The loop.
#[derive(Debug)]
pub struct Haptic {
    /// Time between two forces [s].
    pub period: f64,
    /// Who takes the steps.
    pub stepping: Stepping,
    /// The coupling of all hands.
    pub coupling: Coupling,
    /// Haptic devices.
    pub devices: Option<Devices>,
    /// A hand that is moved by a script: the first one.
    pub script: Option<Script>,
    status: Arc<Status>,
    hands: [Served; HANDS],
    beats: u64,
}

impl Haptic {
    /// A loop with hands at rest.
    pub fn new(period: f64, stepping: Stepping, fingers: [bool; HANDS], limits: Limits, status: Arc<Status>) -> Haptic {
        let hand = |is_finger| Served {
            tool: Tool::at(Pose::IDENTITY),
            guard: Guard::new(limits),
            hand: Hand::resting(Pose::IDENTITY),
            is_finger,
            source: Source::Nobody,
            given: Wrench::default(),
            learnt: (0, Pose::IDENTITY),
            since_learnt: 0.0,
        };
        let (coupling, hands) = (Coupling::default(), fingers.map(hand));
        Haptic { period, stepping, coupling, devices: None, script: None, status, hands, beats: 0 }
    }

    /// Beat until it is asked to end. Returns the session, if it is stepped here.
    pub fn run(mut self) -> Option<Session> {
        let mut pace = Pace::new(Duration::from_secs_f64(self.period));
        let mut last = None;
        while !self.status.is_ending() {
            let beat = pace.wait();
            let worked = processor_time();
            self.beat(beat.woke);
            self.measure(beat, processor_time() - worked, &mut last);
        }
        match self.stepping {
            Stepping::Here(driver) => Some(driver.into_session()),
            Stepping::Apart { .. } => None,
        }
    }

    /// Times of a beat, in which the processor has worked for so long.
    fn measure(&self, Beat { due, woke }: Beat, worked: Duration, last: &mut Option<Instant>) {
        let (done, period, status) = (Instant::now(), Duration::from_secs_f64(self.period), &self.status);
        if let Some(last) = last.replace(done) {
            status.period.add(done - last);
        }
        status.compute.add(done - woke);
        status.latency.add(done - due);
        status.ticks.fetch_add(1, Ordering::Relaxed);
        if done > due + period {
            status.overruns.fetch_add(1, Ordering::Relaxed);
            // it would have been in time without what the system took
            let taken = (woke - due) + (done - woke).saturating_sub(worked);
            if done <= due + period + taken {
                status.taken_away.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// One beat: from devices to forces.
    pub fn beat(&mut self, now: Instant) {
        self.beats += 1;
        if let Some(devices) = &mut self.devices {
            let before = devices.dropped;
            devices.hear(now);
            self.status.dropped.fetch_add(devices.dropped - before, Ordering::Relaxed);
        }
        let mut faults = [None; HANDS];
        let mut ways = [Ways::default(); HANDS];
        let mut wishes = [Wish::NONE; HANDS];
        for hand in 0..HANDS {
            let (input, is_silent) = self.input(hand, now);
            faults[hand] = is_silent.then_some(State::Stale);
            (wishes[hand], ways[hand]) = self.move_hand(hand, input, is_silent);
        }
        self.step(&wishes, &mut ways);
        let standing = self.status.standing.load(Ordering::Relaxed);
        for hand in 0..HANDS {
            let fault = faults[hand].or(standing.then_some(State::Stopped));
            self.give(hand, ways[hand], fault);
        }
    }

    /// What moves a hand now, and whether that has fallen silent.
    fn input(&mut self, hand: usize, now: Instant) -> (Option<Input>, bool) {
        if let (0, Some(script)) = (hand, &mut self.script) {
            let (pose, pressed) = script.advance(self.hands[0].given, self.period);
            let source = Source::Script;
            let input = Input { pose, pressed, turns: false, reach: 0.05, source, heard: 0, count: self.beats };
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

    /// Move a hand to where its device says, and its tool after it.
    fn move_hand(&mut self, hand: usize, input: Option<Input>, is_silent: bool) -> (Wish, Ways) {
        let (dt, served) = (self.period, &mut self.hands[hand]);
        let Some(input) = input else {
            served.source = Source::Nobody;
            return (Wish::NONE, Ways::default());
        };
        let comes = served.source != input.source;
        served.source = input.source;
        if comes {
            served.hand = Hand::resting(input.pose);
            served.tool.put(input.pose);
        }
        let before = served.hand;
        if !is_silent {
            let smoothing = if input.source == Source::Page { 1.0 - (-dt / SMOOTHING).exp() } else { 1.0 };
            served.hand = follow(&before, &input.pose, smoothing, dt);
        }
        // what is neither held nor touched is where the hand is; a fingertip may touch at any time
        let holds = served.is_finger || input.pressed && self.status.gripped(hand).is_some();
        if holds && !comes {
            served.tool.follow(&served.hand, &self.coupling, dt);
        } else {
            served.tool.put(served.hand.pose);
        }
        let wish = Wish {
            pose: Some(served.tool.pose),
            grips: input.pressed && !served.is_finger,
            reach: input.reach,
            clamp: input.turns,
        };
        let ways = Ways {
            hand: served.hand.pose.translation - before.pose.translation,
            hand_turn: turn_between(before.pose.rotation, served.hand.pose.rotation),
            work_of_world: 0.0,
        };
        (wish, if comes { Ways::default() } else { ways })
    }

    /// Let the world take its step, and tools learn from it.
    fn step(&mut self, wishes: &[Wish; HANDS], ways: &mut [Ways; HANDS]) {
        let (period, beats) = (self.period, self.beats);
        match &mut self.stepping {
            Stepping::Here(driver) => {
                let dt = driver.dt();
                let Some(loads) = driver.turn(wishes) else { return };
                for (hand, (pose, load)) in loads.into_iter().enumerate() {
                    let Some(wished) = wishes[hand].pose else { continue };
                    if pose != wished {
                        // the world did not let it go there
                        self.hands[hand].tool.stop_at(pose);
                    }
                    let felt = Felt { pose, load, count: beats };
                    ways[hand].work_of_world = self.hands[hand].learn(felt, dt);
                }
            }
            Stepping::Apart { link, dt } => {
                for (hand, wish) in wishes.iter().enumerate() {
                    link.wishes[hand].write(to_input(wish).to_words());
                    let served = &mut self.hands[hand];
                    served.since_learnt += period;
                    let felt = link.loads[hand].read().map(Felt::from_words);
                    if let (Some(felt), Some(_)) = (felt.filter(|felt| felt.count != served.learnt.0), wish.pose) {
                        ways[hand].work_of_world = served.learn(felt, *dt);
                    } else if served.since_learnt > 3.0 * *dt {
                        served.tool.fade((-period / FADING).exp());
                    }
                }
            }
        }
    }

    /// Give a hand what it is to feel.
    fn give(&mut self, hand: usize, ways: Ways, fault: Option<State>) {
        let holds = self.status.gripped(hand).is_some();
        let served = &mut self.hands[hand];
        let felt = if served.source != Source::Nobody && (served.is_finger || holds) {
            served.tool.feel(&served.hand, &self.coupling)
        } else {
            Wrench::default()
        };
        let (wrench, state) = served.guard.pass(felt, ways, fault, self.period);
        served.given = wrench;
        let Guard { to_hand, most_to_hand, .. } = served.guard;
        let output = Output { wrench, state, source: served.source as u8, to_hand, most_to_hand };
        self.status.outputs[hand].write(output.to_words());
        if let Some(devices) = &self.devices {
            devices.answer(hand, wrench, state);
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
}

/// The hand a moment later, on its way to a pose.
fn follow(hand: &Hand, pose: &Pose, part: f64, dt: f64) -> Hand {
    let translation = hand.pose.translation.lerp(pose.translation, part);
    let rotation = if part < 1.0 { hand.pose.rotation.slerp(pose.rotation, part) } else { pose.rotation };
    let averaging = 1.0 - (-dt / VELOCITY).exp();
    let velocity = (translation - hand.pose.translation) / dt;
    let spin = turn_between(hand.pose.rotation, rotation) / dt;
    Hand {
        pose: Pose::from_parts(translation, rotation.normalize()),
        velocity: hand.velocity.lerp(velocity, averaging),
        spin: hand.spin.lerp(spin, averaging),
    }
}

fn to_input(wish: &Wish) -> Input {
    let source = if wish.pose.is_some() { Source::Script } else { Source::Nobody };
    let pose = wish.pose.unwrap_or(Pose::IDENTITY);
    Input { pose, pressed: wish.grips, turns: wish.clamp, reach: wish.reach, source, heard: 0, count: 0 }
}

/// The thread of a world whose steps take longer than the period of the loop: beat until asked to end.
pub fn run_apart(mut driver: Driver, link: &Link, status: &Status) -> Session {
    let mut pace = Pace::new(Duration::from_secs_f64(driver.dt()));
    let mut wishes = [Wish::NONE; HANDS];
    let mut count = 0;
    while !status.is_ending() {
        pace.wait();
        for (hand, wish) in wishes.iter_mut().enumerate() {
            let Some(input) = link.wishes[hand].read().and_then(Input::from_words) else { continue };
            let pose = (input.source != Source::Nobody).then_some(input.pose);
            *wish = Wish { pose, grips: input.pressed, reach: input.reach, clamp: input.turns };
        }
        let begun = Instant::now();
        let turned = driver.turn(&wishes);
        status.world.add(begun.elapsed());
        let Some(loads) = turned else { continue };
        count += 1;
        for (hand, (pose, load)) in loads.into_iter().enumerate() {
            link.loads[hand].write(Felt { pose, load, count }.to_words());
        }
    }
    driver.into_session()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::{Queues, queues};
    use pliant_scene::parse;

    type Failure = Box<dyn std::error::Error>;

    /// A body of a model that floats, held at its start by a wall if it is a rod.
    fn session(model: &str, more: &str) -> Result<Session, Failure> {
        let body = match model {
            "lattice" | "response" => {
                "solid = { box = { size = [0.06, 0.04, 0.04], cells = [3, 2, 2] } }\nposition = [0, 0, 0.02]\n"
            }
            "elastica" => "radius = 0.004\npath = [[0, 0, 0.2], [0.2, 0, 0.2]]\nnormal = [0, 1, 0]\nintervals = 10\n",
            "chain" => "radius = 0.004\npath = [[0, 0, 0.2], [0.2, 0, 0.2]]\npoints = 11\n",
            _ => "radius = 0.004\npath = [[0, 0, 0.2], [0.2, 0, 0.2]]\nsegments = 20\n",
        };
        let grip = if matches!(model, "lattice" | "response") {
            ""
        } else {
            "[[gripper]]\nname = \"wall\"\ngrips = [{ body = \"b\", at = \"start\", orientation = true }]\n"
        };
        let text = format!(
            "duration = 1\nstep = 0.001\ngravity = [0, 0, 0]\n[material.m]\nyoung = 2e6\npoisson = 0.4\ndensity = 1100\n\
             [[body]]\nname = \"b\"\nmodel = \"{model}\"\nmaterial = \"m\"\n{body}{more}{grip}"
        );
        let scene = parse(&text, "live", std::path::Path::new("."), &[])?;
        Ok(Session::new(scene.world, 0.001, [None; HANDS])?)
    }

    fn haptic(session: Session, script: Option<Script>) -> (Haptic, Arc<Status>, Queues) {
        let (ends, queues) = queues();
        let status = Arc::new(Status::default());
        let driver = Driver::new(session, ends, status.clone(), 1000.0);
        let mut haptic =
            Haptic::new(0.001, Stepping::Here(Box::new(driver)), [false; HANDS], Limits::default(), status.clone());
        haptic.script = script;
        (haptic, status, queues)
    }

    fn end_of(session: &Session) -> Vec3 {
        session.world().frame().bodies[0].nodes.last().copied().unwrap_or_default()
    }

    /// Twenty seconds with a hand that wanders through 2 cm and holds the end of a body, without gravity: what the body and
    /// the coupling give to the hand they must have been given by it.
    #[test]
    fn no_model_gives_a_hand_more_than_it_put_in() -> Result<(), Failure> {
        for model in ["cable", "chain", "xpbd", "elastica", "lattice"] {
            let session = session(model, "")?;
            let script = Script::demo(end_of(&session));
            let (mut haptic, status, _queues) = haptic(session, Some(script));
            let (now, mut strongest) = (Instant::now(), 0.0f64);
            for _ in 0..20_000 {
                haptic.beat(now);
                strongest = strongest.max(status.output(0).wrench.force.length());
            }
            let Output { to_hand, most_to_hand, state, .. } = status.output(0);
            assert!(status.gripped(0).is_some() && strongest > 0.01, "{model}: felt at most {strongest} N");
            assert!(most_to_hand <= 1e-3, "{model}: {most_to_hand} J");
            assert!(to_hand < 0.0 && state == State::Ok, "{model}: {to_hand} J, {state:?}");
        }
        Ok(())
    }

    #[test]
    fn a_hand_that_holds_still_feels_the_spring_of_what_it_bent() -> Result<(), Failure> {
        // a cantilever of EI = E pi r^4 / 4 pressed aside by d at its end pushes with 3 EI d / L^3, in series with the coupling
        let session = session("cable", "[body.cable]\ndrag = 5\n")?;
        let tip = end_of(&session);
        // so little that the rod, whose end is held, is not stretched by it: that grows with the third power
        let aside = 2e-4;
        let text = format!("t,x,y,z,g\n0,{0},{1},{2},1\n1,{0},{3},{2},1\n", tip.x, tip.y, tip.z, tip.y + aside);
        let script = Script::read(text.as_bytes())?;
        let (mut haptic, status, _queues) = haptic(session, Some(script));
        let now = Instant::now();
        (0..8000).for_each(|_| haptic.beat(now));
        let stiffness = 3.0 * 2e6 * std::f64::consts::PI * 0.004f64.powi(4) / 4.0 / 0.2f64.powi(3);
        // coupling 400 N/m and the scripted hand's own 400 N/m
        let expected = aside / (1.0 / stiffness + 1.0 / 400.0 + 1.0 / 400.0);
        let felt = status.output(0).wrench.force.y;
        // of second order in 20 segments, and the stretching
        assert!((felt + expected).abs() < 0.02 * expected, "{felt} {expected}");
        Ok(())
    }

    #[test]
    fn a_failed_or_paused_world_pushes_nobody() -> Result<(), Failure> {
        let session = session("cable", "")?;
        let tip = end_of(&session);
        let text = format!("t,x,y,z,g\n0,{0},{1},{2},1\n0.5,{0},{3},{2},1\n", tip.x, tip.y, tip.z, tip.y + 0.05);
        let (mut haptic, status, mut queues) = haptic(session, Some(Script::read(text.as_bytes())?));
        let now = Instant::now();
        (0..1000).for_each(|_| haptic.beat(now));
        assert!(status.output(0).wrench.force.length() > 0.02);
        queues.commands.push(crate::driver::Command::Pause).map_err(|e| e.to_string())?;
        (0..10).for_each(|_| haptic.beat(now));
        let Output { wrench, state, .. } = status.output(0);
        assert_eq!((wrench.force.length(), state), (0.0, State::Stopped));
        Ok(())
    }
}
