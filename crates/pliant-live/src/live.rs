//! A live run: its threads and the queues between them.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use pliant::Stop;
use rtrb::{Consumer, Producer, RingBuffer};

use crate::action::{Action, Entry, HANDS};
use crate::devices::Devices;
use crate::driver::{Command, Driver, Ends, Picture};
use crate::guard::Limits;
use crate::haply::{self, Haply};
use crate::haptic::Haptic;
use crate::hosts;
use crate::link::{Link, Rhythm, run_world};
use crate::pace::{Precedence, bind, take_precedence};
use crate::room::Room;
use crate::script::Script;
use crate::server::Outlets;
use crate::session::Session;
use crate::status::Status;
use crate::tool::Coupling;

/// How a live run is made.
#[derive(Debug)]
pub struct Setup {
    /// Forces a second.
    pub rate: f64,
    /// When the world takes its steps.
    pub rhythm: Rhythm,
    /// Which hands feel without gripping.
    pub feels: [bool; HANDS],
    /// The coupling of hands and tools.
    pub coupling: Coupling,
    /// Limits of what hands are given.
    pub limits: Limits,
    /// Where devices are listened to, by UDP and TCP.
    pub devices: Option<SocketAddr>,
    /// A service of Haply's devices.
    pub haply: Option<Haply>,
    /// A scripted hand.
    pub script: Option<Script>,
    /// Threads of a step.
    pub threads: usize,
    /// Core that the loop is bound to.
    pub core: Option<usize>,
    /// Whether the loop goes before all other work of the machine.
    pub first: bool,
}

/// A live run as seen from outside its threads.
#[derive(Debug)]
pub struct Live {
    /// Its numbers.
    pub status: Arc<Status>,
    /// Where devices are heard.
    pub device_address: Option<SocketAddr>,
    threads: Vec<JoinHandle<Option<Session>>>,
    stop: Stop,
}

/// Ends of the queues of a live run that others hold.
#[derive(Debug)]
pub struct Queues {
    /// What is asked of it.
    pub commands: Producer<Command>,
    /// What it tells.
    pub outlets: Outlets,
    /// What was done, to be written down.
    pub log: Consumer<Entry>,
}

/// Time that the last step has.
const LAST_STEP: Duration = Duration::from_millis(200);

/// Frames on their way between the loop and viewers.
const PICTURES: usize = 3;

/// Actions that may wait to be written: at 1 kHz and with two hands, half a minute.
const LOG: usize = 1 << 16;

impl Live {
    /// Begin.
    pub fn begin(session: Session, setup: Setup) -> io::Result<(Live, Queues)> {
        let status = Arc::new(Status::default());
        let devices = setup.devices.map(Devices::listen).transpose()?;
        let device_address = devices.as_ref().map(Devices::address).transpose()?;
        if let Some(address) = device_address {
            hosts::listen(address, 1.0 / setup.rate, status.clone())?;
        }
        let (ends, queues) = queues();
        let period = 1.0 / setup.rate;
        if let Some(haply) = setup.haply {
            haply::follow(haply, period, status.clone())?;
        }
        let turns = if setup.rhythm == Rhythm::Own { 1.0 / session.dt() } else { setup.rate };
        let room = Room::around(session.world());
        let mut driver = Driver::new(session, ends, status.clone(), turns);
        driver.set_threads(setup.threads);
        let link = Arc::new(Link::new(setup.rhythm, driver.dt()));
        driver.set_stop(&link.stop);
        let stop = link.stop.clone();
        let mut haptic = Haptic::new(period, link.clone(), setup.feels, setup.limits, room, status.clone());
        (haptic.coupling, haptic.devices, haptic.script) = (setup.coupling, devices, setup.script);
        // steps that are as short as the period must not wait for other work either, but for the hands
        let (theirs, first) = (status.clone(), setup.first && setup.rhythm == Rhythm::Beats);
        let world = named("pliant world", move || {
            if first && !take_precedence(Precedence::World) {
                theirs.unprivileged.store(true, Ordering::Relaxed);
            }
            Some(run_world(driver, &link, &theirs))
        })?;
        let (core, first, theirs) = (setup.core, setup.first, status.clone());
        let hands = named("pliant hands", move || {
            if !core.is_none_or(bind) || first && !take_precedence(Precedence::Hands) {
                theirs.unprivileged.store(true, Ordering::Relaxed);
            }
            haptic.run();
            None
        })?;
        let threads = vec![world, hands];
        Ok((Live { status, device_address, threads, stop }, queues))
    }

    /// Whether a thread has ended without being asked to: it has panicked.
    pub fn is_broken(&self) -> bool {
        !self.status.is_ending() && self.threads.iter().any(JoinHandle::is_finished)
    }

    /// Ask all threads to end, and wait for them. Returns the world as it was last; `None` if its thread has panicked.
    pub fn end(self) -> (Arc<Status>, Option<Session>) {
        self.status.end();
        // a step that is under way is finished, unless it takes long
        let until = Instant::now() + LAST_STEP;
        while !self.threads.iter().all(JoinHandle::is_finished) && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
        self.stop.ask();
        let mut session = None;
        for thread in self.threads {
            session = thread.join().unwrap_or_default().or(session);
        }
        (self.status, session)
    }
}

/// The queues of a live run, both ends of each.
pub(crate) fn queues() -> (Ends, Queues) {
    let (commands, commands_out) = RingBuffer::new(256);
    let (notes_in, notes) = RingBuffer::new(4096);
    let (full_in, full) = RingBuffer::new(PICTURES);
    let (mut free, free_out) = RingBuffer::new(PICTURES);
    let (log_in, log) = used_once(LOG, Entry { step: 0, action: Action::Reset });
    for _ in 0..PICTURES {
        // as many as the queue has room for
        let _ = free.push(Box::<Picture>::default());
    }
    let ends = Ends { commands: commands_out, notes: notes_in, free: free_out, full: full_in, log: log_in };
    (ends, Queues { commands, outlets: Outlets { notes, full, free }, log })
}

/// A queue of which all memory has been written to: the system hands out memory when it is first used, and a long queue would seem to
/// grow until it had gone round.
fn used_once<T: Copy>(capacity: usize, value: T) -> (Producer<T>, Consumer<T>) {
    let (mut producer, mut consumer) = RingBuffer::new(capacity);
    while producer.push(value).is_ok() {}
    while consumer.pop().is_ok() {}
    (producer, consumer)
}

fn named<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> io::Result<JoinHandle<T>> {
    thread::Builder::new().name(name.into()).spawn(work)
}

/// Memory of this process [MB]; `None` where the system does not tell.
pub fn memory_mb() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024.0 / 1e6)
}

/// Median time of a step of this length [s], tried on a copy of a world; infinite if a step fails.
pub fn time_of_step(world: &pliant::World, dt: f64) -> f64 {
    let mut copy = world.clone();
    let mut times = vec![];
    let begun = Instant::now();
    while times.len() < 200 && begun.elapsed().as_millis() < 300 {
        let now = Instant::now();
        if copy.step(dt).is_err() {
            return f64::INFINITY;
        }
        times.push(now.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
