//! Packets and messages that are damaged or made up: none is obeyed, moves anything, or makes memory grow, and the loop does not notice.
//! `PLIANT_LONG` tries a million of each.

use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr, TcpStream, UdpSocket};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pliant::World;
use pliant::math::{Pose, Vec3};
use pliant_live::{
    Access, Coupling, Fitting, HANDS, LENGTH, Limits, Live, Offer, PosePacket, Queues, Rhythm, Server, Session, Setup,
    Title, memory_mb,
};
use serde_json::Value;
use tungstenite::{Message, WebSocket};

type Failure = Box<dyn std::error::Error>;

const STEP: f64 = 0.001;

/// Memory may differ by this much between two looks at it [MB]: a million messages of a few bytes each would be more.
const NOISE: f64 = 2.0;

/// The tests take turns, as they look at the memory of the process.
static TURN: Mutex<()> = Mutex::new(());

fn count() -> usize {
    if std::env::var_os("PLIANT_LONG").is_some() { 1_000_000 } else { 20_000 }
}

fn session() -> Result<Session, Failure> {
    let text = "duration = 1\nstep = 0.001\n[material.m]\nyoung = 2e6\npoisson = 0.4\ndensity = 1100\n\
        [[body]]\nname = \"rod\"\nmodel = \"chain\"\nmaterial = \"m\"\nradius = 0.004\npath = [[0, 0, 0.2], [0.2, 0, 0.2]]\npoints = 11\n\
        [[gripper]]\nname = \"left\"\ngrips = [{ body = \"rod\", at = \"start\", orientation = true }]\n";
    let scene = pliant_scene::parse(text, "live", std::path::Path::new("."), &[])?;
    Ok(Session::new(scene.world, STEP, &Fitting::default())?)
}

fn begin() -> Result<(Live, Queues), Failure> {
    let setup = Setup {
        rate: 1000.0,
        rhythm: Rhythm::Beats,
        feels: [false; HANDS],
        coupling: Coupling::default(),
        limits: Limits::default(),
        devices: Some(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))),
        haply: None,
        script: None,
        threads: 1,
        core: None,
        first: false,
    };
    Ok(Live::begin(session()?, setup)?)
}

/// End a run, in which nothing may have happened but steps: the same number of them, alone, leads to the same bits.
fn nothing_moved(live: Live) -> Result<(), Failure> {
    assert!(!live.is_broken());
    let (_, session) = live.end();
    let session = session.ok_or("the loop has panicked")?;
    let untouched = self::session()?;
    for hand in 0..HANDS {
        assert_eq!(session.pose(hand), untouched.pose(hand), "hand {hand} was moved");
    }
    let mut alone = untouched.world().clone();
    let moved = session.world();
    for _ in 0..moved.step_count() {
        alone.step(STEP)?;
    }
    let nodes = |world: &World| world.frame().bodies[0].nodes.clone();
    assert_eq!(nodes(moved), nodes(&alone), "after {} steps", moved.step_count());
    Ok(())
}

/// Numbers without order, the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

/// CRC-32 as in Ethernet and zip files.
fn checksum(bytes: &[u8]) -> u32 {
    let step = |sum: u32| (sum >> 1) ^ if sum & 1 == 1 { 0xEDB8_8320 } else { 0 };
    !bytes.iter().fold(!0, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), |sum, _| step(sum)))
}

/// A packet that nobody may take: damaged, of another length, or whole with values that no hand has.
fn packet(random: &mut Random, n: usize) -> Vec<u8> {
    let pose = Pose::from_translation(Vec3::new(0.1, 0.0, 0.2));
    let whole =
        PosePacket { hand: 0, pressed: true, turns: true, sequence: n as u32, stamp: n as u64, pose }.to_bytes();
    let mut bytes = whole.to_vec();
    match random.below(4) {
        0 => {
            for _ in 0..=random.below(4) {
                bytes[random.below(LENGTH)] ^= 1 << random.below(8);
            }
        }
        1 => bytes.truncate(random.below(LENGTH)),
        2 => bytes.extend((0..=random.below(400)).map(|n| n as u8)),
        _ => {
            // kind, version, hand, flags, spare byte, or a number of the pose
            match random.below(6) {
                0 => bytes[random.below(4)] ^= 1 << random.below(8),
                1 => bytes[4] = bytes[4].wrapping_add(1 + random.below(255) as u8),
                2 => bytes[5] = 2 + random.below(254) as u8,
                3 => bytes[6] = 4 + random.below(252) as u8,
                4 => bytes[7] = 1 + random.below(255) as u8,
                _ => {
                    let at = 20 + 8 * random.below(7);
                    let value = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308][random.below(4)];
                    // a place that is finite is left to the loop, which has its own bounds
                    let value = if value.is_finite() && at < 44 { f64::NAN } else { value };
                    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
                }
            }
            let sum = checksum(&bytes[..LENGTH - 4]);
            bytes[LENGTH - 4..].copy_from_slice(&sum.to_le_bytes());
        }
    }
    // bits may have been turned twice
    if bytes == whole {
        bytes.pop();
    }
    bytes
}

#[test]
fn packets_that_are_damaged_or_made_up_move_nothing() -> Result<(), Failure> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let (live, _queues) = begin()?;
    let device = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    device.connect(live.device_address.ok_or("devices are heard")?)?;
    let (mut random, mut early) = (Random(7), None);
    for n in 0..count() {
        device.send(&packet(&mut random, n))?;
        // as many as the loop takes, so that few are lost on the way
        if n % 50 == 49 {
            std::thread::sleep(Duration::from_millis(1));
        }
        if n == count() / 10 {
            early = memory_mb();
        }
    }
    std::thread::sleep(Duration::from_millis(100));
    let dropped = live.status.figures().dropped;
    assert!(dropped > count() as u64 / 2, "{dropped} of {} were heard", count());
    let grown = memory_mb().zip(early).map_or(0.0, |(end, start)| end - start);
    assert!(grown < NOISE, "memory has grown by {grown} MB");
    nothing_moved(live)
}

/// What pages say.
const SAID: [&str; 12] = [
    r#"{"type":"grab","hand":0,"at":[0.1,0,0.2],"reach":0.02}"#,
    r#"{"type":"grab","hand":1,"at":[0.05,0,0.2],"reach":0.02,"turn":[0,0,0,1]}"#,
    r#"{"type":"move","hand":0,"to":[0.1,0.05,0.2]}"#,
    r#"{"type":"drop","hand":0}"#,
    r#"{"type":"pause"}"#,
    r#"{"type":"play"}"#,
    r#"{"type":"step","count":3}"#,
    r#"{"type":"speed","factor":0.5}"#,
    r#"{"type":"scene","name":"winding","model":"cable"}"#,
    r#"{"do":"change","body":0,"property":"drag","value":2.5}"#,
    r#"{"do":"gravity","value":[0,0,-1.6]}"#,
    r#"{"do":"reset"}"#,
];

/// What may stand in the place of something else.
const ODD: [&str; 16] = [
    "1e999",
    "-1e308",
    "NaN",
    "null",
    "-1",
    "18446744073709551616",
    "[]",
    "{}",
    "\"\"",
    "\u{0}",
    "[[[[[[[[[[[[[[[[",
    "\\u0000",
    "{\"type\":",
    "\"do\":",
    "true",
    "🧵",
];

/// A message with a few parts of it changed, left out, doubled, or replaced.
fn message(random: &mut Random) -> String {
    let mut text: Vec<char> = random.of(&SAID).chars().collect();
    for _ in 0..=random.below(3) {
        let at = random.below(text.len().max(1)).min(text.len());
        let to = (at + random.below(8)).min(text.len());
        match random.below(6) {
            0 => drop(text.drain(at..to)),
            1 => text.truncate(at),
            2 => drop(text.splice(at..at, text[at..to].to_vec())),
            3 => drop(text.splice(at..to, random.of(&ODD).chars())),
            4 => text.insert(at, char::from(random.below(128) as u8)),
            _ => text.extend(random.of(&SAID).chars()),
        }
    }
    if random.below(500) == 0 {
        text.extend(std::iter::repeat_n('[', 3000));
    }
    text.into_iter().collect()
}

/// Whether a message is one of those that a page may send, with values of the right kinds, whatever they are.
fn is_understood(text: &str) -> bool {
    let Ok(Value::Object(said)) = serde_json::from_str::<Value>(text) else { return false };
    let word = |key: &str| said.get(key).and_then(Value::as_str);
    let known = |word: &str, key: &str| SAID.iter().any(|said| said.contains(&format!("\"{key}\":\"{word}\"")));
    word("type").is_some_and(|word| known(word, "type")) || word("do").is_some_and(|word| known(word, "do"))
}

/// A viewer that talks, and reads what it is sent without looking at it.
struct Viewer(WebSocket<TcpStream>);

impl Viewer {
    fn come(server: &Server) -> Result<Viewer, Failure> {
        let stream = TcpStream::connect(server.address)?;
        let mut ear = stream.try_clone()?;
        let (socket, _) = tungstenite::client(format!("ws://{}/socket", server.address), stream)
            .map_err(|error| format!("no socket: {error}"))?;
        std::thread::spawn(move || {
            let mut bytes = [0; 1 << 14];
            while ear.read(&mut bytes).is_ok_and(|length| length > 0) {}
        });
        Ok(Viewer(socket))
    }

    fn say(&mut self, text: String) -> Result<(), Failure> {
        Ok(self.0.write(Message::text(text))?)
    }
}

fn served(live: &Live, queues: Queues) -> Result<Server, Failure> {
    let nothing = |_: &str| Err("there are no files".to_string());
    let offer = Offer { page: "", scenes: vec![], access: Access { token: None }, render: Box::new(nothing) };
    let server = Server::start(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), offer)?;
    let (scene, title) = ("rod".to_string(), "A rod".to_string());
    let title = Title { scene, title, rate: 1000.0, is_recorded: false, movable: vec![] };
    let card = server.card(&session()?, &title);
    server.show(card, live.status.clone(), queues.commands, queues.outlets)?;
    Ok(server)
}

fn wait_for(what: &str, mut done: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(120);
    while !done() {
        assert!(Instant::now() < until, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn messages_that_mean_nothing_are_dropped_and_move_nothing() -> Result<(), Failure> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let (live, queues) = begin()?;
    let server = served(&live, queues)?;
    let mut viewer = Viewer::come(&server)?;
    let (mut random, mut sent, mut early) = (Random(11), 0, None);
    while sent < count() {
        let text = message(&mut random);
        if is_understood(&text) {
            continue;
        }
        viewer.say(text)?;
        sent += 1;
        if sent % 1000 == 0 {
            viewer.0.flush()?;
        }
        if sent == count() / 10 {
            early = memory_mb();
        }
    }
    viewer.0.write(Message::binary(vec![7; 100]))?;
    viewer.0.flush()?;
    wait_for("all are counted", || live.status.figures().dropped == sent as u64 + 1);
    let grown = memory_mb().zip(early).map_or(0.0, |(end, start)| end - start);
    assert!(grown < NOISE, "memory has grown by {grown} MB");
    // one that is too long ends the conversation
    let _ = viewer.say("[".repeat(5000)).and_then(|()| Ok(viewer.0.flush()?));
    wait_for("it is counted too", || live.status.figures().dropped == sent as u64 + 2);
    nothing_moved(live)
}

/// What a page may say may move things. It may be as absurd as it likes, and come as fast as it can: the loop goes on, and memory stays.
#[test]
fn absurd_wishes_neither_stop_the_loop_nor_make_memory_grow() -> Result<(), Failure> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let (live, queues) = begin()?;
    let server = served(&live, queues)?;
    let mut viewer = Viewer::come(&server)?;
    let (mut random, mut early) = (Random(13), None);
    let wishes = count() / 10;
    for n in 0..wishes {
        let text =
            (0..1000).map(|_| message(&mut random)).find(|text| is_understood(text)).ok_or("nothing is understood")?;
        viewer.say(text)?;
        if n % 100 == 0 {
            viewer.0.flush()?;
        }
        if n == wishes / 10 {
            early = memory_mb();
        }
    }
    viewer.say(r#"{"type":"speed","factor":1}"#.into())?;
    viewer.say(r#"{"type":"play"}"#.into())?;
    viewer.0.flush()?;
    let (steps, mut asked) = (live.status.figures().steps, Instant::now());
    wait_for("steps go on", || {
        // it is full of wishes for a while
        if asked.elapsed() > Duration::from_secs(1) {
            asked = Instant::now();
            let _ = viewer.say(r#"{"type":"play"}"#.into()).and_then(|()| Ok(viewer.0.flush()?));
        }
        live.status.figures().steps > steps + 100
    });
    let grown = memory_mb().zip(early).map_or(0.0, |(end, start)| end - start);
    assert!(grown < NOISE, "memory has grown by {grown} MB");
    assert!(!live.is_broken());
    let (_, session) = live.end();
    assert!(session.is_some(), "the loop has panicked");
    Ok(())
}
