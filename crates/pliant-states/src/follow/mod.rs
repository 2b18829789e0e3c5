//! A robot repeats a demonstrated sequence of contact states, by what it feels.
//!
//! (B. Kahl and D. Henrich, "Manipulation of deformable linear objects: force-based simulation approach for haptic
//! feedback", section V: "a robot controller that can use the sequence of contact state changes produced in Virtual Reality to
//! conduct the assembly task in reality, based on his sensors".)
//!
//! The robot goes along the demonstrated path. What it knows while it does so is where its own hand is, and what the sensor in its wrist
//! reads. It compares how the wrench changes over the way with how it changed in the demonstration (`turn`), and where it sees a
//! transition sooner or later than demonstrated, it shifts the rest of the path by that. At the end of a state whose transition
//! it has not seen it goes straight on for a while. Where the resistance is beyond anything demonstrated, it is in a state that
//! the sequence does not have: it goes back until it feels nothing, and tries again beside (`search`).

mod course;
mod search;
mod turn;

use std::collections::VecDeque;

use pliant::math::{Pose, Vec3};
use serde::Serialize;

use self::course::Course;
use self::turn::{Doubt, Felt, Slopes, Turn};
use crate::matching::{MatchError, find_gripper};
use crate::sequence::{Sequence, VERSION};

/// Time for which it stays where it is at the start, to learn its sensor's zero and noise [s].
const LISTENING: f64 = 0.3;
/// Part of the whole way over which slopes are seen.
const WINDOW: f64 = 1.0 / 15.0;
/// Number of parts of that into which readings are put together.
const BINS: usize = 30;
/// Logarithm of how much more probable a transition must be than none.
const SURE: f64 = 9.0;
/// Part of a slope by which it may differ from the demonstrated one.
const DIFFERENCE: f64 = 0.3;
/// Factor on the largest demonstrated resistance beyond which the way is blocked.
const BLOCKED: f64 = 3.0;
/// Time over which readings are averaged, to judge that [s].
const FEELING: f64 = 0.01;
/// Standard deviations of noise that are nothing.
const NOTHING: f64 = 6.0;
/// Distance by which it goes back beyond the place at which it feels nothing any more, as part of the reach.
const CLEAR: f64 = 0.5;
/// Time for which it rests where it tries again [s].
const RESTING: f64 = 0.2;
/// Factor on the fastest demonstrated speed at which it catches up with where it is to be.
const HASTE: f64 = 1.5;

/// How a robot follows a sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowSettings {
    /// The gripper that it repeats; may be left out if there is only one.
    pub gripper: Option<String>,
    /// How far places may be from where they were demonstrated [m]: so far it goes on without a transition that it expects,
    /// and so far beside the path it tries.
    pub reach: f64,
    /// Distance between the places that it tries [m].
    pub pitch: f64,
    /// Its speed as part of the demonstrated one: a hard contact is met with a force in proportion to it.
    pub pace: f64,
    /// Resistance beyond which the way is blocked [N]; by default three times the largest demonstrated one, and noise.
    pub most_force: Option<f64>,
}

impl Default for FollowSettings {
    fn default() -> FollowSettings {
        FollowSettings { gripper: None, reach: 0.008, pitch: 0.004, pace: 0.5, most_force: None }
    }
}

/// Why a sequence cannot be followed.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// Version, or gripper.
    #[error(transparent)]
    Sequence(#[from] MatchError),
    /// The states are damaged.
    #[error("the states cannot be used: {0}")]
    Damaged(&'static str),
    /// The gripper stays where it is.
    #[error("{0} goes nowhere in the demonstration: there is nothing to be followed")]
    Still(String),
    /// A setting that is out of range.
    #[error("the setting {name} is {value}, expected {expected}")]
    Setting {
        /// Which one.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed.
        expected: &'static str,
    },
}

/// What a robot knows of itself at an instant.
#[derive(Clone, Copy, Debug)]
pub struct Sensed {
    /// When [s].
    pub time: f64,
    /// Where its gripper is.
    pub pose: Pose,
    /// A new reading of its sensor, if there is one: force [N] and torque [N m] on the gripper, in its axes and about its origin.
    pub wrench: Option<[f64; 6]>,
}

/// What it does next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    /// Bring the gripper there.
    Go(Pose),
    /// It is done, or gives up: the gripper stays there.
    Stop(Pose),
}

/// What became of a transition of the sequence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sight {
    /// Not met yet.
    Ahead,
    /// Seen at a time [s].
    Seen(f64),
    /// It hardly changes the wrench, less than noise hides: taken to have happened where it was demonstrated.
    Hidden,
    /// Expected, and not seen.
    Unseen,
}

/// Why the robot has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stopped {
    /// It has come to the end of the path.
    AtTheEnd,
    /// It was blocked wherever it tried.
    Blocked,
}

/// A transition that is looked for.
#[derive(Clone, Debug)]
struct Ahead {
    time: f64,
    way: f64,
    turn: Option<Turn>,
}

/// What the robot is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Doing {
    /// Staying where it is, and learning what its sensor reads without a contact.
    Listening,
    /// Going along the path of its state.
    Following,
    /// Going straight on behind the end of a state, so far [m].
    GoingOn(f64),
    /// Going back; `Some` with the time of the course at which it was clear of everything.
    Back(Option<f64>),
    /// Going to where it tries again, and resting there until then [s].
    Beside(Option<f64>),
    Ended(Stopped),
}

/// Readings over a small part of the way.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    count: f64,
    /// Mean of places on the way [m].
    way: f64,
    felt: Felt,
}

/// A robot that follows a sequence: told at every step what it senses, it tells where to go.
#[derive(Clone, Debug)]
pub struct Follower {
    course: Course,
    transitions: Vec<Ahead>,
    /// Which of these can be told from noise.
    visible: Vec<bool>,
    sights: Vec<Sight>,
    settings: FollowSettings,
    doing: Doing,
    /// Largest resistance of the demonstration, along and across the motion [N].
    resisted: [f64; 2],
    /// Time of the course [s], and by how much the path is shifted there [m].
    at: f64,
    shift: Vec3,
    /// Number of the place that is tried, and all of them, about the demonstrated path.
    tried: usize,
    places: Vec<Vec3>,
    /// The next transition.
    next: usize,
    /// Last instant and place, and way made so far [m].
    last: Option<Sensed>,
    way: f64,
    command: Pose,
    /// What the sensor reads without contact: sums over its first readings, then the mean, in world axes.
    zero: Felt,
    squares: [f64; 2],
    heard: f64,
    noise: [f64; 2],
    /// Mean of the last readings.
    felt: Felt,
    bins: VecDeque<Bin>,
}

impl Follower {
    /// A robot that is to follow a sequence from its beginning.
    pub fn new(sequence: &Sequence, settings: FollowSettings) -> Result<Follower, FollowError> {
        if sequence.version != VERSION {
            return Err(MatchError::Version(sequence.version).into());
        }
        if sequence.transitions.is_empty() {
            return Err(MatchError::NoTransitions.into());
        }
        let most = settings.most_force.unwrap_or(1.0);
        let rules = [
            ("reach", settings.reach, settings.reach > 0.0 && settings.reach <= 1.0, "above 0, to 1 m"),
            ("pitch", settings.pitch, settings.pitch > 0.0 && settings.pitch <= 1.0, "above 0, to 1 m"),
            ("pace", settings.pace, settings.pace >= 0.01 && settings.pace <= 10.0, "0.01 to 10"),
            ("most force", most, most > 0.0 && most.is_finite(), "a positive force [N]"),
        ];
        if let Some((name, value, _, expected)) = rules.into_iter().find(|(_, _, good, _)| !good) {
            return Err(FollowError::Setting { name, value, expected });
        }
        let gripper = find_gripper(sequence, settings.gripper.as_deref())?;
        let course = Course::new(sequence, gripper)?;
        let length = course.length();
        if length <= 0.0 {
            return Err(FollowError::Still(sequence.grippers[gripper].clone()));
        }
        let [begin, end] = course.span();
        let times: Vec<f64> = sequence.transitions.iter().map(|transition| transition.time).collect();
        let mut borders = vec![begin];
        borders.extend(&times);
        borders.push(end);
        if !borders.windows(2).all(|pair| pair[0] < pair[1]) {
            return Err(FollowError::Damaged("its transitions are not in order"));
        }
        let window = WINDOW * length;
        let ahead = |n: usize| {
            let (time, way) = (borders[n + 1], course.way(borders[n + 1]));
            // within its two states, and no farther than the window
            let from = borders[n].max(course.when(way - window));
            let to = borders[n + 2].min(course.when(way + window));
            let direction = course.direction(way, window);
            let slopes = |from: f64, to: f64| Slopes::through(course.felt(from, to), direction);
            let turn = slopes(from, time).zip(slopes(time, to));
            Ahead { time, way, turn: turn.map(|(a, b)| Turn { before: a.value, after: b.value }) }
        };
        let transitions: Vec<Ahead> = (0..times.len()).map(ahead).collect();
        let resists = course.felt(begin, end).map(|(way, felt)| felt.resists(course.direction(way, window)));
        let resisted = resists.fold([0.0_f64; 2], |most, now| [most[0].max(now[0]), most[1].max(now[1])]);
        let last = transitions.last().map_or(length, |last| last.way);
        let places = search::places(course.direction(last, window), settings.pitch, settings.reach);
        let command = course.pose(begin);
        Ok(Follower {
            sights: vec![Sight::Ahead; transitions.len()],
            visible: vec![false; transitions.len()],
            transitions,
            settings,
            doing: Doing::Listening,
            resisted,
            at: begin,
            shift: Vec3::ZERO,
            tried: 0,
            places,
            next: 0,
            last: None,
            way: 0.0,
            command,
            zero: Felt::default(),
            squares: [0.0; 2],
            heard: 0.0,
            noise: [0.0; 2],
            felt: Felt::default(),
            bins: VecDeque::with_capacity(BINS + 2),
            course,
        })
    }

    /// Where it begins.
    pub fn start(&self) -> Pose {
        self.course.pose(self.course.span()[0])
    }

    /// Where the gripper was in the demonstration, this long after its beginning [s].
    pub fn demonstrated(&self, time: f64) -> Pose {
        self.course.pose(self.course.span()[0] + time)
    }

    /// How long the demonstration took [s].
    pub fn span(&self) -> f64 {
        let [begin, end] = self.course.span();
        end - begin
    }

    /// Number of places that it may try.
    pub fn places(&self) -> usize {
        self.places.len()
    }

    /// What became of the transitions, in order.
    pub fn sights(&self) -> &[Sight] {
        &self.sights
    }

    /// Number of places tried so far.
    pub fn tries(&self) -> usize {
        self.tried + 1
    }

    /// Why it has stopped, if it has.
    pub fn stopped(&self) -> Option<Stopped> {
        match self.doing {
            Doing::Ended(why) => Some(why),
            _ => None,
        }
    }

    /// What it does next, from what it senses now. Call it at every step, in order of time.
    pub fn act(&mut self, now: &Sensed) -> Order {
        let before = self.last.replace(*now);
        let dt = before.map_or(0.0, |before| now.time - before.time).max(0.0);
        if let Some(wrench) = now.wrench {
            self.hear(&wrench, now, dt);
        }
        let direction = self.direction();
        if let Some(before) = before {
            self.way += (now.pose.translation - before.pose.translation).dot(direction);
        }
        match self.doing {
            Doing::Listening => self.listen(now.time),
            Doing::Following | Doing::GoingOn(_) => self.follow(now, dt, direction),
            Doing::Back(clear) => self.go_back(now, dt, clear),
            Doing::Beside(since) => self.go_beside(now, since),
            Doing::Ended(_) => {}
        }
        if let Doing::Ended(_) = self.doing {
            return Order::Stop(self.command);
        }
        self.catch_up(dt);
        Order::Go(self.command)
    }

    /// Direction of its path now.
    fn direction(&self) -> Vec3 {
        self.course.direction(self.course.way(self.at), self.window())
    }

    /// Length of the way over which slopes are seen [m].
    fn window(&self) -> f64 {
        WINDOW * self.course.length()
    }

    /// Where it is to be.
    fn wanted(&self) -> Pose {
        let pose = self.course.pose(self.at);
        Pose::from_parts(pose.translation + self.shift, pose.rotation)
    }

    /// Let the command go to where it is to be, no faster than it may.
    fn catch_up(&mut self, dt: f64) {
        let wanted = self.wanted();
        let way = wanted.translation - self.command.translation;
        let most = HASTE * self.course.fastest() * dt;
        let part = if way.length() > most { most / way.length() } else { 1.0 };
        self.command = Pose::from_parts(self.command.translation + way * part, wanted.rotation);
    }

    /// Take in a reading.
    fn hear(&mut self, wrench: &[f64; 6], now: &Sensed, dt: f64) {
        let [a, b, c, d, e, f] = *wrench;
        let read = Felt { force: Vec3::new(a, b, c), torque: Vec3::new(d, e, f) }.turned(now.pose.rotation);
        if self.doing == Doing::Listening {
            self.heard += 1.0;
            self.zero.force += read.force;
            self.zero.torque += read.torque;
            self.squares[0] += read.force.length_squared();
            self.squares[1] += read.torque.length_squared();
            return;
        }
        let felt = read.less(&self.zero);
        // a mean that forgets
        let part = (dt / FEELING).clamp(0.0, 1.0);
        self.felt.force = self.felt.force.lerp(felt.force, part);
        self.felt.torque = self.felt.torque.lerp(felt.torque, part);
        self.put_in_bin(felt);
    }

    /// Stay, and learn the zero and the noise of the sensor.
    fn listen(&mut self, time: f64) {
        let begun = self.heard >= 3.0 && time >= LISTENING;
        if !begun {
            return;
        }
        let count = self.heard;
        self.zero = Felt { force: self.zero.force / count, torque: self.zero.torque / count };
        let means = [self.zero.force.length_squared(), self.zero.torque.length_squared()];
        for (noise, (squares, mean)) in self.noise.iter_mut().zip(self.squares.iter().zip(means)) {
            *noise = ((squares / count - mean).max(0.0) / 3.0).sqrt();
        }
        let rate = count / time;
        self.visible = (0..self.transitions.len()).map(|n| self.is_visible(n, rate)).collect();
        self.doing = Doing::Following;
    }

    /// Put a reading to those made nearby.
    fn put_in_bin(&mut self, felt: Felt) {
        let width = self.window() / BINS as f64;
        match self.bins.back_mut() {
            Some(bin) if (self.way - bin.way).abs() < width => {
                let count = bin.count + 1.0;
                let part = 1.0 / count;
                bin.way += (self.way - bin.way) * part / count;
                bin.felt.force = bin.felt.force.lerp(felt.force, part);
                bin.felt.torque = bin.felt.torque.lerp(felt.torque, part);
                bin.count = count;
            }
            _ => self.bins.push_back(Bin { count: 1.0, way: self.way, felt }),
        }
        while self.bins.front().is_some_and(|bin| bin.way < self.way - self.window()) || self.bins.len() > 2 * BINS {
            self.bins.pop_front();
        }
    }

    /// What slopes may differ by.
    fn doubt(&self) -> Doubt {
        // never nothing, also where the sensor has no noise: a thousandth of what was demonstrated
        let least = 1e-3 * self.resisted[0].max(self.resisted[1]);
        let force = self.noise[0].max(least);
        let torque = self.noise[1].max(least * self.window());
        Doubt { noise: [force, force, torque], difference: DIFFERENCE }
    }

    /// Go along the path of the state, and see whether it ends.
    fn follow(&mut self, now: &Sensed, dt: f64, direction: Vec3) {
        if self.is_blocked(direction) {
            self.doing = Doing::Back(None);
            return;
        }
        if let Some((transition, since)) = self.seen(direction) {
            return self.enter(transition, since, now, direction);
        }
        match self.doing {
            Doing::GoingOn(gone) => {
                let speed = self.speed() * self.settings.pace;
                self.shift += direction * (speed * dt);
                self.doing = Doing::GoingOn(gone + speed * dt);
                // as far as places may be off, wherever the path has been shifted to
                if (self.shift - self.places[self.tried]).dot(direction) >= self.settings.reach {
                    self.give_up_waiting(now, gone, direction);
                }
            }
            _ => self.go_on(dt * self.settings.pace),
        }
    }

    /// Along the path by a step.
    fn go_on(&mut self, dt: f64) {
        let end = self.course.span()[1];
        let to = self.at + dt;
        if let Some(next) = self.transitions.get(self.next)
            && to >= next.time
        {
            self.at = next.time;
            if self.visible[self.next] {
                self.doing = Doing::GoingOn(0.0);
            } else {
                self.sights[self.next] = Sight::Hidden;
                self.next += 1;
            }
            return;
        }
        self.at = to.min(end);
        if self.at >= end {
            self.doing = Doing::Ended(Stopped::AtTheEnd);
        }
    }

    /// Speed at which it goes on behind the end of a state: that of the demonstration over the last window before [m/s].
    fn speed(&self) -> f64 {
        let way = self.course.way(self.at);
        let from = self.course.when(way - self.window());
        let speed = (way - self.course.way(from)) / (self.at - from).max(f64::MIN_POSITIVE);
        speed.clamp(0.1 * self.course.fastest(), self.course.fastest())
    }

    /// Whether a transition can be told from noise, by the readings that come within half a window after it, or until the next one.
    fn is_visible(&self, transition: usize, rate: f64) -> bool {
        let Ahead { way, turn, .. } = &self.transitions[transition];
        let Some(turn) = turn else { return false };
        let until = self.transitions.get(transition + 1).map_or(self.course.length(), |next| next.way);
        let length = (0.5 * self.window()).min(until - way);
        let samples = rate * (self.course.when(way + length) - self.course.when(*way)) / self.settings.pace;
        // of n samples spread evenly over a length L the variance of the slope is 12 / (n L^2)
        samples >= 3.0 && turn.visible(12.0 / (samples * length * length), &self.doubt()) > SURE
    }

    /// The first transition ahead that has been seen, and the place on the way where it was [m].
    fn seen(&self, direction: Vec3) -> Option<(usize, f64)> {
        // it comes after those that cannot be seen
        let next = (self.next..self.transitions.len()).find(|n| self.visible[*n])?;
        let turn = self.transitions[next].turn?;
        let doubt = self.doubt();
        let mut best: Option<(f64, f64)> = None;
        for first in 0..self.bins.len().saturating_sub(2) {
            let since = self.bins.range(first..);
            let samples = since.clone().map(|bin| (bin.way, bin.felt));
            let Some(slopes) = Slopes::through(samples, direction) else { continue };
            let count: f64 = since.map(|bin| bin.count).sum();
            let bins = (self.bins.len() - first) as f64;
            let odds = turn.odds(&Slopes { variance: slopes.variance * bins / count, ..slopes }, &doubt);
            if best.is_none_or(|(most, _)| odds > most) {
                best = Some((odds, self.bins[first].way));
            }
        }
        best.filter(|(odds, _)| *odds > SURE).map(|(_, way)| (next, way))
    }

    /// A transition has been seen, at a place on the way: the rest of the path begins there.
    fn enter(&mut self, transition: usize, since: f64, now: &Sensed, direction: Vec3) {
        self.sights[self.next..transition].fill(Sight::Hidden);
        self.sights[transition] = Sight::Seen(now.time);
        self.next = transition + 1;
        let Ahead { time, way, .. } = self.transitions[transition];
        // where the hand was then, along the path: beside it, it is where it was told to be
        let made = (self.way - since).clamp(0.0, self.window());
        let there = now.pose.translation - direction * made - self.course.pose(time).translation;
        let reach = self.settings.reach;
        let along = there.dot(direction).clamp(-reach, reach);
        let place = self.places[self.tried];
        self.shift = place - direction * place.dot(direction) + direction * along;
        self.at = self.course.when(way + made).max(time);
        self.doing = Doing::Following;
        self.bins.clear();
    }

    /// A transition has not come as far as it could: the path goes on as demonstrated, from the place nearest to here.
    fn give_up_waiting(&mut self, now: &Sensed, gone: f64, direction: Vec3) {
        self.sights[self.next] = Sight::Unseen;
        self.next += 1;
        self.shift -= direction * gone;
        self.at = self.course.nearest(self.at, now.pose.translation, self.shift);
        self.doing = Doing::Following;
    }

    /// Whether the resistance is beyond anything demonstrated.
    fn is_blocked(&self, direction: Vec3) -> bool {
        let most = |n: usize| {
            let demonstrated = BLOCKED * self.resisted[n] + NOTHING * self.noise[0];
            self.settings.most_force.unwrap_or(demonstrated)
        };
        let [along, across] = self.felt.resists(direction);
        along > most(0) || across > most(1)
    }

    /// Go back until nothing is felt, and a little farther.
    fn go_back(&mut self, now: &Sensed, dt: f64, clear: Option<f64>) {
        let start = self.course.span()[0];
        self.at = (self.at - dt).max(start);
        let nothing = NOTHING * self.noise[0] + 0.02 * self.resisted[0].max(self.resisted[1]);
        let free = self.felt.force.length() < nothing;
        let here = self.course.way(self.at);
        let clear = match clear {
            Some(since) if free => Some(since),
            _ if free => Some(self.at),
            _ => None,
        };
        self.doing = Doing::Back(clear);
        let far = clear.is_some_and(|since| self.course.way(since) - here >= CLEAR * self.settings.reach);
        if !(far || self.at <= start) {
            return;
        }
        if self.tried + 1 >= self.places.len() {
            self.doing = Doing::Ended(Stopped::Blocked);
            return;
        }
        self.tried += 1;
        // all that was learned about the place that was tried is forgotten
        self.shift = self.places[self.tried];
        self.at = self.course.nearest(start, now.pose.translation, Vec3::ZERO).min(self.at);
        self.next = 0;
        self.sights.fill(Sight::Ahead);
        self.doing = Doing::Beside(None);
    }

    /// Go to where it tries again, and rest there for a moment.
    fn go_beside(&mut self, now: &Sensed, since: Option<f64>) {
        let there = self.command.translation.distance(self.wanted().translation) <= 1e-9;
        match since {
            None if there => self.doing = Doing::Beside(Some(now.time)),
            Some(since) if now.time - since >= RESTING => {
                self.bins.clear();
                self.next = self.transitions.partition_point(|ahead| ahead.time <= self.at);
                self.doing = Doing::Following;
            }
            _ => {}
        }
    }
}
