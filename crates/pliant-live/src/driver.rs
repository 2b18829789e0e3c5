//! Turns of the world in a live run: what was asked for is done, a step is taken, and what happened is passed on. Runs
//! in the thread that owns the world, without a lock, and without allocating while nothing is asked for.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use pliant::math::Pose;
use pliant::{Event, Frame, StepError, Stop, Wrench};
use rtrb::{Consumer, Producer};

use crate::action::{Action, Entry, HANDS};
use crate::session::Session;
use crate::status::Status;

/// What is asked of a live run, besides what hands do.
#[derive(Clone, Copy, Debug)]
pub enum Command {
    /// Do something to the world.
    Do(Action),
    /// Stand still.
    Pause,
    /// Go on.
    Play,
    /// Take this many steps while standing still.
    Steps(u32),
    /// Go this many times as fast as real time.
    Speed(f64),
}

/// What the loop tells others.
#[derive(Debug)]
pub enum Note {
    /// Something happened in the world.
    Event(Event),
    /// A property, gravity or everything was changed.
    Changed(Action),
    /// Something asked for was refused, and why.
    Refused(String),
    /// A step failed: the world went back, and hands have let go.
    WentBack {
        /// Why it failed.
        why: String,
        /// To which time [s].
        time: f64,
    },
    /// Steps fail again and again: the world stands still until it is reset.
    Failed(String),
    /// It goes on after a failure.
    Recovered,
}

/// A frame on its way to viewers.
#[derive(Debug, Default)]
pub struct Picture {
    /// The state of the world.
    pub frame: Frame,
    /// Steps taken.
    pub step: u64,
    /// Whether the world stands still.
    pub paused: bool,
}

/// What the tool of a hand wants of the world.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// Where it is; `None` while no device moves the hand.
    pub pose: Option<Pose>,
    /// Whether it grips.
    pub grips: bool,
    /// Within this distance [m].
    pub reach: f64,
    /// Whether its orientation counts.
    pub clamp: bool,
}

impl Wish {
    /// A hand that is not there.
    pub const NONE: Wish = Wish { pose: None, grips: false, reach: 0.0, clamp: false };
}

/// Ends of the queues that lead into and out of the thread that owns the world.
#[derive(Debug)]
pub struct Ends {
    /// What is asked for.
    pub commands: Consumer<Command>,
    /// What is told.
    pub notes: Producer<Note>,
    /// Frames that are free.
    pub free: Consumer<Box<Picture>>,
    /// Frames that are full.
    pub full: Producer<Box<Picture>>,
    /// What was done.
    pub log: Producer<Entry>,
}

/// The world of a live run and what is done with it at each turn.
#[derive(Debug)]
pub struct Driver {
    session: Session,
    ends: Ends,
    status: Arc<Status>,
    /// Turns between two frames.
    every: u64,
    turns: u64,
    paused: bool,
    failed: bool,
    /// How often it went back since its state was last kept.
    setbacks: u32,
    /// How often it went back in all.
    falls: u64,
    /// Steps since its state was last kept.
    since_kept: u64,
    /// Steps to take while paused.
    asked: u32,
    speed: f64,
    /// Part of a step that is due, at speeds other than one.
    due: f64,
    stop: Stop,
    hands: [Seen; HANDS],
}

/// What was last done with a hand.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    pose: Option<Pose>,
    /// Whether it wanted to grip at the last turn.
    wanted: bool,
}

/// Time between two states that are kept, to which the world can go back [s].
const KEPT: f64 = 1.0;

/// Most steps of a turn, at speeds beyond real time.
const MOST_STEPS: f64 = 8.0;

/// Most commands obeyed in a turn: the others wait.
const MOST_COMMANDS: usize = 16;

impl Driver {
    /// A driver of a world whose turns come at a rate [1/s].
    pub fn new(session: Session, ends: Ends, status: Arc<Status>, rate: f64) -> Driver {
        Driver {
            session,
            ends,
            status,
            every: (rate / 60.0).round().max(1.0) as u64,
            turns: 0,
            paused: false,
            failed: false,
            setbacks: 0,
            falls: 0,
            since_kept: 0,
            asked: 0,
            speed: 1.0,
            due: 0.0,
            stop: Stop::default(),
            hands: [Seen::default(); HANDS],
        }
    }

    /// Length of a step [s].
    pub fn dt(&self) -> f64 {
        self.session.dt()
    }

    /// Take the session out.
    pub fn into_session(self) -> Session {
        self.session
    }

    /// Use up to this many threads for a step.
    pub fn set_threads(&mut self, threads: usize) {
        self.session.world_mut().set_threads(threads);
    }

    /// Let `stop` end a step early.
    pub fn set_stop(&mut self, stop: &Stop) {
        self.session.world_mut().set_stop(stop);
        self.stop = stop.clone();
    }

    /// Obey what was asked for, take the steps that are due, pass on what happened. Returns where the hands are after
    /// the last step and their loads in it; `None` if none was taken.
    pub fn turn(&mut self, wishes: &[Wish; HANDS]) -> Option<[(Pose, Wrench); HANDS]> {
        self.obey();
        self.due = if self.paused { f64::from(self.asked) } else { self.due + self.speed }.min(MOST_STEPS);
        let (mut stepped, falls) = (false, self.falls);
        while self.due >= 1.0 && !self.failed {
            self.due -= 1.0;
            self.asked = self.asked.saturating_sub(1);
            self.follow(wishes);
            stepped |= self.step();
        }
        // for one turn also where it went back: hands begin anew then
        self.status.standing.store(self.failed || self.paused || falls != self.falls, Ordering::Relaxed);
        self.turns += 1;
        if self.turns.is_multiple_of(self.every) {
            self.show();
        }
        stepped.then(|| std::array::from_fn(|hand| self.felt(hand, wishes[hand].pose)))
    }

    /// Where a hand is and its load. One that is not in the world yet feels nothing wherever it is.
    fn felt(&mut self, hand: usize, wished: Option<Pose>) -> (Pose, Wrench) {
        match (self.hands[hand].pose, wished) {
            (None, Some(wished)) => (wished, Wrench::default()),
            _ => (self.session.pose(hand), self.session.load(hand)),
        }
    }

    fn obey(&mut self) {
        for _ in 0..MOST_COMMANDS {
            let Ok(command) = self.ends.commands.pop() else { return };
            match command {
                Command::Do(action) => self.perform(action),
                Command::Pause => self.paused = true,
                Command::Play => self.paused = false,
                Command::Steps(steps) => (self.paused, self.asked) = (true, steps.min(MOST_STEPS as u32)),
                Command::Speed(speed) if speed.is_finite() => {
                    self.speed = speed.clamp(0.01, 4.0);
                    self.status.speed.store(self.speed.to_bits(), Ordering::Relaxed);
                }
                Command::Speed(_) => {}
            }
        }
    }

    fn recover(&mut self) {
        if self.failed {
            self.failed = false;
            self.note(Note::Recovered);
        }
    }

    /// Do something and write it down; what is refused is not written, since it changed nothing.
    fn perform(&mut self, action: Action) {
        if action == Action::Reset {
            self.hands = [Seen::default(); HANDS];
            (self.setbacks, self.since_kept) = (0, 0);
            self.status.resets.fetch_add(1, Ordering::Relaxed);
            self.recover();
        }
        let step = self.session.step_count();
        match self.session.apply(&action) {
            Ok(()) => {
                if self.ends.log.push(Entry { step, action }).is_err() {
                    self.status.unwritten.fetch_add(1, Ordering::Relaxed);
                }
                if matches!(action, Action::Change { .. } | Action::Gravity { .. } | Action::Reset) {
                    self.note(Note::Changed(action));
                }
            }
            Err(refusal) => self.note(Note::Refused(refusal.to_string())),
        }
    }

    /// Bring the hands of the world to where their tools are, and let them grip and release.
    fn follow(&mut self, wishes: &[Wish; HANDS]) {
        for (hand, wish) in wishes.iter().enumerate() {
            let seen = self.hands[hand];
            let Some(pose) = wish.pose else {
                if seen.wanted || self.session.grasped(hand).is_some() {
                    self.perform(Action::Release { hand });
                }
                self.hands[hand] = Seen::default();
                continue;
            };
            if seen.wanted && !wish.grips {
                self.perform(Action::Release { hand });
            }
            let (comes, grips) = (seen.pose.is_none(), wish.grips && !seen.wanted);
            if comes && !self.session.has_room(hand, &pose) {
                // a fingertip that is inside a body is not there until it is out
                self.hands[hand].wanted = wish.grips;
                continue;
            }
            // a hand that comes or begins to grip is put there without a way between
            if (comes || grips) && self.session.grasped(hand).is_none() {
                self.perform(Action::put(hand, &pose));
            } else if seen.pose != Some(pose) {
                self.perform(Action::drive(hand, &pose));
            }
            if let (true, Some(obstacle)) = (comes, self.session.carries(hand)) {
                self.perform(Action::Take { hand, obstacle });
            } else if grips {
                self.perform(Action::Grip { hand, reach: wish.reach, clamp: wish.clamp });
            }
            self.hands[hand] = Seen { pose: Some(pose), wanted: wish.grips };
        }
    }

    fn step(&mut self) -> bool {
        let stepped = self.session.advance().or_else(|error| match error {
            StepError::Stopped { .. } => Err(error),
            _ if self.hold_back() => self.session.advance(),
            _ => Err(error),
        });
        match &stepped {
            Ok(()) => self.keep(),
            Err(StepError::Stopped { .. }) if self.status.is_ending() => {}
            Err(StepError::Stopped { .. }) => {
                self.stop.take_back();
                self.go_back("a step took too long".into());
            }
            Err(error) => self.go_back(error.to_string()),
        }
        for n in 0..self.session.world().events().len() {
            let event = self.session.world().events()[n];
            self.note(Note::Event(event));
        }
        self.status.steps.store(self.session.step_count(), Ordering::Relaxed);
        self.status.time.store(self.session.world().time().to_bits(), Ordering::Relaxed);
        for hand in 0..HANDS {
            self.status.set_grasped(hand, self.session.grasped(hand));
        }
        stepped.is_ok()
    }

    /// Keep a state to which the world can go back, from time to time.
    fn keep(&mut self) {
        self.since_kept += 1;
        if self.since_kept as f64 * self.dt() >= KEPT {
            self.perform(Action::Keep);
            (self.setbacks, self.since_kept) = (0, 0);
        }
    }

    /// A step has failed: let go and go back to the last state that was kept; if steps fail from there too, to the start;
    /// and if that is of no use, stand still.
    fn go_back(&mut self, why: String) {
        (self.setbacks, self.falls, self.since_kept) = (self.setbacks + 1, self.falls + 1, 0);
        let wanted = self.hands.map(|hand| hand.wanted);
        match self.setbacks {
            1 => self.perform(Action::Back),
            2 => {
                self.perform(Action::Reset);
                self.setbacks = 2;
            }
            _ => {
                self.failed = true;
                self.note(Note::Failed(why));
                return;
            }
        }
        for hand in 0..HANDS {
            if self.session.grasped(hand).is_some() {
                self.perform(Action::Release { hand });
            }
            // it grips again when its button is pressed again
            self.hands[hand] = Seen { pose: None, wanted: wanted[hand] };
        }
        self.note(Note::WentBack { why, time: self.session.world().time() });
    }

    /// Keep hands where they are, since they may have wanted what cannot be, such as a rod longer than it is. Returns
    /// whether there are any.
    fn hold_back(&mut self) -> bool {
        let mut any = false;
        for hand in 0..HANDS {
            if self.hands[hand].pose.is_some() {
                let pose = self.session.pose(hand);
                self.perform(Action::drive(hand, &pose));
                any = true;
            }
        }
        any
    }

    /// Pass on a note; if nobody takes notes any more it is lost, and counted.
    fn note(&mut self, note: Note) {
        if self.ends.notes.push(note).is_err() {
            self.status.unheard.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Write a frame for viewers, if they have given one back.
    fn show(&mut self) {
        let Ok(mut picture) = self.ends.free.pop() else { return };
        self.session.world().write_frame(&mut picture.frame);
        (picture.step, picture.paused) = (self.session.step_count(), self.paused || self.failed);
        // the queue has room for all frames there are
        let _ = self.ends.full.push(picture);
    }
}
