//! A live run as the server knows it: what viewers may do to it, and what they are told of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::ws::Utf8Bytes;
use pliant::Layout;
use pliant::math::{Pose, Quat, Vec3};
use pliant_record::event_text;
use rtrb::{Consumer, Producer};
use serde_json::{Value, json};
use tokio::sync::{broadcast, watch};

use super::message::{Asked, Said};
use super::wire;
use crate::action::{Action, HANDS};
use crate::driver::{Command, Note, Picture};
use crate::input::{Input, Source};
use crate::room::Room;
use crate::session::{Grasped, Session, check};
use crate::status::{Status, source_of};

/// Time for which changes are gathered before all viewers are told.
const CHANGES: Duration = Duration::from_millis(300);

/// A frame on its way to all viewers: number of the run, and bytes.
pub type Sent = (u32, Arc<Vec<u8>>);

/// A live run.
#[derive(Debug)]
pub struct Run {
    card: Card,
    /// What viewers are told of the world, with what was changed since.
    now: Mutex<Told>,
    /// Its numbers.
    pub status: Arc<Status>,
    commands: Mutex<Producer<Command>>,
    hands: Mutex<[Taken; HANDS]>,
    failure: Mutex<Option<String>>,
    /// Simulated over real time, as bits.
    real_time: AtomicU64,
}

/// What viewers are told of the world: as it is changed, and as text that is written once for all who come.
#[derive(Debug)]
struct Told {
    value: Value,
    text: Option<Utf8Bytes>,
}

impl Told {
    fn text(&mut self) -> Utf8Bytes {
        self.text.get_or_insert_with(|| self.value.to_string().into()).clone()
    }
}

/// A hand as viewers see it.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    by: Option<u64>,
    reach: f64,
}

/// What a run is called.
#[derive(Clone, Debug)]
pub struct Title {
    /// Name of the scene.
    pub scene: String,
    /// What it shows.
    pub title: String,
    /// Forces a second.
    pub rate: f64,
    /// Whether it is being written down.
    pub is_recorded: bool,
    /// Names of the obstacles that hands may move.
    pub movable: Vec<String>,
}

/// Ends of the queues of a live run that the server holds.
#[derive(Debug)]
pub struct Outlets {
    /// What it tells.
    pub notes: Consumer<Note>,
    /// Frames it has written.
    pub full: Consumer<Box<Picture>>,
    /// Frames given back to it.
    pub free: Producer<Box<Picture>>,
}

/// What viewers are told of a run when they come.
#[derive(Debug)]
pub struct Card {
    revision: u32,
    hello: String,
    told: Value,
    layout: Layout,
    room: Room,
    dt: f64,
    is_recorded: bool,
}

impl Card {
    /// The card of a session, before it begins.
    pub fn new(session: &Session, title: &Title, revision: u32) -> Card {
        let (layout, dt) = (session.world().layout(), session.dt());
        let hello = json!({
            "type": "hello", "version": 2, "scene": title.scene, "title": title.title, "step": dt,
            "rate": title.rate, "can_hold": true,
        });
        let told = wire::layout(session.world(), &layout, &title.movable, revision);
        let (room, is_recorded) = (Room::around(session.world()), title.is_recorded);
        Card { revision, hello: hello.to_string(), told, layout, room, dt, is_recorded }
    }
}

impl Run {
    /// A run that has begun.
    pub fn new(card: Card, status: Arc<Status>, commands: Producer<Command>) -> Run {
        Run {
            now: Mutex::new(Told { value: card.told.clone(), text: None }),
            card,
            status,
            commands: Mutex::new(commands),
            hands: Mutex::default(),
            failure: Mutex::default(),
            real_time: AtomicU64::new(1f64.to_bits()),
        }
    }

    /// Number of the run: it changes with the scene.
    pub fn revision(&self) -> u32 {
        self.card.revision
    }

    /// The first two messages to a viewer.
    pub fn greeting(&self, viewer: u64) -> [Utf8Bytes; 2] {
        let hello = self.card.hello.replacen('{', &format!("{{\"viewer\":{viewer},"), 1);
        [hello.into(), locked(&self.now).text()]
    }

    /// Do what a viewer says. Says why not, if it cannot be done.
    pub fn obey(&self, viewer: u64, asked: Asked) -> Result<(), String> {
        let said = match asked {
            Asked::Say(said) => said,
            Asked::Do(action) => {
                check(&action).map_err(|refusal| refusal.to_string())?;
                return self.ask(Command::Do(action));
            }
        };
        match said {
            Said::Grab { hand, at, reach, turn } => self.grab(viewer, hand, at, reach, turn),
            Said::Move { hand, to, turn } => self.move_hand(viewer, hand, to, turn),
            Said::Drop { hand } => self.drop_hand(viewer, hand),
            Said::Pause => self.ask(Command::Pause),
            Said::Play => self.ask(Command::Play),
            Said::Step { count } => self.ask(Command::Steps(count)),
            Said::Speed { factor } => self.ask(Command::Speed(factor)),
            Said::Scene { .. } => Err("another scene is not the business of this run".into()),
        }
    }

    fn ask(&self, command: Command) -> Result<(), String> {
        locked(&self.commands).push(command).map_err(|_| "too much is asked at once: try again".into())
    }

    fn grab(&self, viewer: u64, hand: usize, at: [f64; 3], reach: f64, turn: Option<[f64; 4]>) -> Result<(), String> {
        let mut hands = locked(&self.hands);
        let taken = hands.get_mut(hand).ok_or("there are two hands, 0 and 1")?;
        if taken.by.is_some_and(|by| by != viewer) {
            return Err(format!("hand {} is held by another viewer", hand + 1));
        }
        if source_of(&self.status.output(hand)) == Source::Device {
            return Err(format!("hand {} is moved by a device", hand + 1));
        }
        let before = *taken;
        *taken = Taken { by: Some(viewer), reach };
        self.write(hand, taken, at, turn, Source::Page, true).inspect_err(|_| *taken = before)
    }

    fn move_hand(&self, viewer: u64, hand: usize, to: [f64; 3], turn: Option<[f64; 4]>) -> Result<(), String> {
        let hands = locked(&self.hands);
        let taken = hands.get(hand).ok_or("there are two hands, 0 and 1")?;
        // a move that was on its way when the hand was lost says nothing
        if taken.by != Some(viewer) { Ok(()) } else { self.write(hand, taken, to, turn, Source::Page, true) }
    }

    fn drop_hand(&self, viewer: u64, hand: usize) -> Result<(), String> {
        let mut hands = locked(&self.hands);
        let taken = hands.get_mut(hand).ok_or("there are two hands, 0 and 1")?;
        if taken.by == Some(viewer) {
            taken.by = None;
            self.write(hand, taken, [0.0; 3], None, Source::Nobody, false)?;
        }
        Ok(())
    }

    /// A viewer has gone: its hands are free.
    pub fn leave(&self, viewer: u64) {
        (0..HANDS).for_each(|hand| drop(self.drop_hand(viewer, hand)));
    }

    /// Leave a hand for the loop. Callers hold the lock of the hands, so that one writes at a time.
    fn write(
        &self,
        hand: usize,
        taken: &Taken,
        at: [f64; 3],
        turn: Option<[f64; 4]>,
        source: Source,
        pressed: bool,
    ) -> Result<(), String> {
        let rotation = turn.map_or(Quat::IDENTITY, |[x, y, z, w]| Quat::from_xyzw(x, y, z, w));
        let pose = Pose::from_parts(Vec3::from_array(at), rotation);
        let input = Input { pose, pressed, turns: turn.is_some(), reach: taken.reach, source, heard: 0 };
        if !input.is_sound() {
            return Err("a hand is within a kilometre, reaches a metre at most, and turns by a unit quaternion".into());
        }
        if source != Source::Nobody && !self.card.room.has(pose.translation) {
            return Err(format!("a hand stays around the scene: {}", self.card.room));
        }
        self.status.inputs[hand].write(input.to_words());
        Ok(())
    }

    /// What viewers are told a few times a second.
    pub fn told(&self, paused: bool, viewers: usize) -> Value {
        let figures = self.status.figures();
        let holders = *locked(&self.hands);
        let hands: Vec<Value> = (0..HANDS)
            .map(|hand| {
                let output = self.status.output(hand);
                let body = self.status.grasped(hand).map(|grasped| match grasped {
                    Grasped::Body(body) => self.card.layout.body_name(body),
                    Grasped::Obstacle(obstacle) => self.card.layout.obstacle_name(obstacle),
                });
                let source = Some(source_of(&output)).filter(|source| *source != Source::Nobody);
                json!({
                    "hand": hand, "held_by": holders[hand].by, "device": source, "gripping": body,
                    "force": output.wrench.force.to_array(), "state": output.state, "energy_J": output.to_hand,
                })
            })
            .collect();
        json!({
            "type": "status", "paused": paused, "speed": self.status.speed(), "real_time": f64::from_bits(self.real_time.load(Ordering::Relaxed)),
            "time": figures.time, "step": figures.steps, "overruns": figures.overruns,
            "taken_away": figures.taken_away, "dropped": figures.dropped, "viewers": viewers,
            "period_us": figures.period_us, "compute_us": figures.compute_us, "latency_us": figures.latency_us,
            "hands": hands, "failure": *locked(&self.failure), "recording": self.card.is_recorded,
        })
    }

    /// Pass on frames and notes until the run ends.
    pub fn publish(&self, mut outlets: Outlets, frames: &watch::Sender<Sent>, notes: &broadcast::Sender<Utf8Bytes>) {
        let mut mark = (Instant::now(), self.status.steps.load(Ordering::Relaxed));
        let (step, mut changed) = (self.card.dt, None);
        while !self.status.is_ending() {
            while let Ok(picture) = outlets.full.pop() {
                let mut bytes = Vec::new();
                wire::encode(&picture, self.card.revision, &mut bytes);
                frames.send_replace((self.card.revision, Arc::new(bytes)));
                // there is room for all frames there are
                let _ = outlets.free.push(picture);
            }
            while let Ok(note) = outlets.notes.pop() {
                if let Note::Changed(action) = note {
                    self.change(action);
                    changed.get_or_insert_with(Instant::now);
                }
                if let Some(text) = self.text(note) {
                    // nobody may be looking
                    let _ = notes.send(text.into());
                }
            }
            if changed.is_some_and(|since: Instant| since.elapsed() > CHANGES) {
                changed = None;
                let _ = notes.send(locked(&self.now).text());
            }
            let (passed, steps) = (mark.0.elapsed(), self.status.steps.load(Ordering::Relaxed));
            if passed > Duration::from_secs(1) {
                let ratio = (steps - mark.1) as f64 * step / passed.as_secs_f64();
                self.real_time.store(ratio.to_bits(), Ordering::Relaxed);
                mark = (Instant::now(), steps);
            }
            std::thread::sleep(Duration::from_millis(4));
        }
    }

    /// Keep what viewers are told up to date.
    fn change(&self, action: Action) {
        let mut told = locked(&self.now);
        told.text = None;
        let now = &mut told.value;
        match action {
            Action::Change { body, property, value } => {
                let name = serde_json::to_value(property).unwrap_or_default();
                now["bodies"][body]["properties"][name.as_str().unwrap_or_default()] = json!(value);
            }
            Action::Gravity { value } => now["gravity"] = json!(value),
            _ => now.clone_from(&self.card.told),
        }
    }

    /// A note as a message.
    fn text(&self, note: Note) -> Option<String> {
        let value = match note {
            Note::Event(event) => {
                json!({ "type": "event", "time": event.time, "text": event_text(&self.card.layout, event.kind) })
            }
            Note::Changed(_) => return None,
            Note::Refused(why) => json!({ "type": "refused", "why": why }),
            Note::WentBack { why, time } => json!({ "type": "went_back", "time": time, "why": why }),
            Note::Failed(why) => {
                *locked(&self.failure) = Some(why);
                return None;
            }
            Note::Recovered => {
                *locked(&self.failure) = None;
                return None;
            }
        };
        Some(value.to_string())
    }
}

/// A lock that a thread which panicked has left is as good as any: what it guards is plain data.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
