//! `pliant live`: a scene in real time, in a page and for haptic devices.

use std::fs::{self, File};
use std::io::BufReader;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pliant::math::Vec3;
use pliant_live::{
    Access, Controls, Coupling, Fitting, HANDS, Haply, Head, Limits, Listed, Live, Log, Note, Offer, Queues, Replay,
    Rhythm, Script, Server, Session, Setup, Status, Title, Wanted, memory_mb, time_of_step,
};
use pliant_record::{Outcome, Recorder, RunInfo};
use pliant_scene::{RodModel, Scene};
use rtrb::Consumer;
use serde_json::json;

use crate::args::{Device, LiveArgs, Options};
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{self, short};
use crate::{gallery, precompute};

/// A step of the world may take this share of the period of the loop, so that the rest of the machine has some too.
const SHARE: f64 = 0.6;

/// Time after which memory is first looked at: until then frames and queues are filled.
const SETTLING: Duration = Duration::from_millis(1000);

/// The scene that is shown when none is named.
const FIRST: &str = "winding";

/// Run a scene in real time until Ctrl-C, or for some seconds.
pub fn live(args: &LiveArgs, options: &Options) -> Result<(), Failure> {
    let server = if args.headless { None } else { Some(serve(args)?) };
    let named = args.scene.clone().unwrap_or_else(|| FIRST.into());
    let choice = Choice { name: named, model: None, options: options.clone() };
    let mut next = Chosen { scene: load(&choice)?, choice };
    let _finishing = interrupt::finishing();
    let deadline = args.seconds.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds));
    loop {
        let ended = one(&next, args, server.as_ref(), deadline)?;
        match ended {
            Some(chosen) => next = chosen,
            None => return Ok(()),
        }
    }
}

/// A scene that was chosen.
#[derive(Clone)]
struct Choice {
    name: PathBuf,
    /// The model for its rods; `None` for those of the scene.
    model: Option<RodModel>,
    options: Options,
}

/// A scene that was chosen, read.
struct Chosen {
    scene: Scene,
    choice: Choice,
}

fn load(choice: &Choice) -> Result<Scene, Failure> {
    let file = gallery::find(&choice.name)?;
    precompute::load_on(&file.path, choice.model, &choice.options)
}

/// Where the controls of the run that is shown are written, for the files that the page offers.
type Written = Arc<Mutex<Option<(PathBuf, Choice)>>>;

/// The server and what it needs to know of the run.
struct Served {
    server: Server,
    written: Written,
    /// Controls of runs that nobody wants to keep.
    scratch: tempfile::TempDir,
}

fn serve(args: &LiveArgs) -> Result<Served, Failure> {
    let token = match (&args.token, args.listen.is_loopback()) {
        (Some(token), _) => Some(token.clone()),
        (None, true) => None,
        (None, false) => {
            return Err(Failure::Input(format!(
                "{} can be reached from other computers: give a secret with --token TOKEN, which they then need",
                args.listen
            )));
        }
    };
    let written = Written::default();
    let scratch = tempfile::tempdir().map_err(|e| Failure::Run(format!("cannot make a folder for controls: {e}")))?;
    let offer = Offer {
        page: pliant_record::LIVE_PAGE,
        scenes: gallery::titles()
            .map(|(name, title)| Listed { name: name.into(), title, picture: gallery::picture(name) })
            .collect(),
        access: Access { token: token.clone() },
        render: {
            let (written, busy) = (written.clone(), Mutex::new(()));
            Box::new(move |name| match (name, busy.try_lock()) {
                // a replay takes a core
                ("report.html" | "recording.mcap", Err(_)) => Err("another file is being made: try again".into()),
                _ => render(name, &written),
            })
        },
    };
    let address = SocketAddr::new(args.listen, args.port);
    let server =
        Server::start(address, offer).map_err(|e| Failure::Input(format!("cannot listen at {address}: {e}")))?;
    let secret = token.map(|token| format!("/?token={token}")).unwrap_or_default();
    for address in reachable(server.address) {
        output::talk(format!("page:    http://{address}{secret}"));
    }
    Ok(Served { server, written, scratch })
}

/// Run one scene. Returns the next one, if a viewer chose it.
fn one(
    chosen: &Chosen,
    args: &LiveArgs,
    served: Option<&Served>,
    deadline: Option<Instant>,
) -> Result<Option<Chosen>, Failure> {
    let Chosen { scene, choice } = chosen;
    let Choice { name, model, options } = choice;
    let name_text = gallery::name(name);
    let period = 1.0 / args.rate;
    let takes = time_of_step(&scene.world, period);
    let rhythm = if takes > SHARE * period { Rhythm::Own } else { Rhythm::Beats };
    let dt = if rhythm == Rhythm::Own { scene.step.max(period) } else { period };
    let fitting = args.fitting(&scene.movable);
    let session = Session::new(scene.world.clone(), dt, &fitting).map_err(|e| Failure::Input(e.to_string()))?;
    let script = script(args, &session)?;
    output::talk(format!(
        "{name_text}: {}; {} forces a second, steps of {} ms{}",
        scene.title,
        short(args.rate),
        short(dt * 1e3),
        if rhythm == Rhythm::Own {
            format!(" at their own rate (one of the loop's takes {} ms)", short(takes * 1e3))
        } else {
            String::new()
        }
    ));
    let title = Title {
        scene: stem(name),
        title: scene.title.clone(),
        rate: args.rate,
        is_recorded: true,
        movable: scene.movable.clone(),
    };
    let card = served.map(|served| served.server.card(&session, &title));
    let setup = Setup {
        rate: args.rate,
        rhythm,
        feels: fitting.feels(),
        coupling: Coupling::with_stiffness(args.stiffness),
        limits: Limits { force: args.most_force, ..Limits::default() },
        devices: args.devices.map(|port| SocketAddr::new(args.devices_at, port)),
        haply: args.device.map(|Device::Haply| haply(args, scene)),
        script,
        threads: if rhythm == Rhythm::Own { options.threads().into() } else { 1 },
        core: args.core,
        first: args.real_time,
    };
    let (live, Queues { commands, outlets, log }) = Live::begin(session, setup).map_err(|e| match args.devices {
        Some(port) => Failure::Input(format!("cannot hear devices at port {port} of {}: {e}", args.devices_at)),
        None => Failure::Run(format!("cannot begin: {e}")),
    })?;
    if let Some(address) = live.device_address {
        output::talk(format!("devices: {address}, UDP and TCP"));
    }
    let set = options.overrides.iter().map(ToString::to_string).collect();
    let model = model.map(|model| model.to_string());
    let Fitting { fingers, carries, .. } = fitting;
    let head = Head { pliant_controls: 1, scene: name_text, set, model, step: dt, fingers, carries };
    let mut unseen = None;
    let (log, publisher) = match (served, card) {
        (Some(served), Some(card)) => {
            let path = controls_path(options, served)?;
            let log = Log::begin(&path, &head, log, live.status.clone())
                .map_err(|e| Failure::Run(format!("cannot write {}: {e}", path.display())))?;
            *served.written.lock().unwrap_or_else(PoisonError::into_inner) = Some((path, choice.clone()));
            let publisher = served.server.show(card, live.status.clone(), commands, outlets);
            (Some(log), Some(publisher.map_err(|e| Failure::Run(format!("cannot show it: {e}")))?))
        }
        _ => {
            unseen = Some(outlets.notes);
            match &options.out {
                Some(folder) => {
                    pliant_record::claim(folder)?;
                    let path = folder.join("controls.jsonl");
                    let log = Log::begin(&path, &head, log, live.status.clone())
                        .map_err(|e| Failure::Run(format!("cannot write {}: {e}", path.display())))?;
                    (Some(log), None)
                }
                None => (None, None),
            }
        }
    };
    let Waited { memory, next, failure } = wait(&live, served, unseen, deadline, options);
    let (end_memory, broken) = (memory_mb(), live.is_broken());
    let (status, _) = live.end();
    if let Some(publisher) = publisher {
        let _ = publisher.join();
    }
    if let Some(log) = log {
        let path = log.path.clone();
        log.end().map_err(|e| Failure::Run(format!("cannot write {}: {e}", path.display())))?;
        if options.out.is_some() {
            output::talk(format!(
                "controls: {} (pliant run {} --controls FILE replays them)",
                path.display(),
                name.display()
            ));
        }
    }
    if broken {
        return Err(Failure::Run(
            "the loop has broken down, which is a fault of this program: please report it".into(),
        ));
    }
    if next.is_none() {
        tell(&status, [memory, end_memory], failure.as_deref(), options)?;
    }
    match failure {
        Some(why) if next.is_none() => Err(Failure::Run(why)),
        _ => Ok(next),
    }
}

/// The service of Haply's devices, and where they are in a scene.
fn haply(args: &LiveArgs, scene: &Scene) -> Haply {
    let middle = || {
        let frame = scene.world.frame();
        let nodes = || frame.bodies.iter().flat_map(|body| &body.nodes).copied();
        let (low, high) = (nodes().reduce(Vec3::min), nodes().reduce(Vec3::max));
        low.zip(high).map_or(Vec3::ZERO, |(low, high)| 0.5 * (low + high))
    };
    let service = SocketAddr::new(LOOPBACK, args.device_port);
    Haply { service, at: args.device_at.map_or_else(middle, Vec3::from_array) }
}

/// Where controls are written: in --out, or where they are forgotten at the end.
fn controls_path(options: &Options, served: &Served) -> Result<PathBuf, Failure> {
    let folder = options.out.as_deref().unwrap_or(served.scratch.path());
    fs::create_dir_all(folder).map_err(|e| Failure::Input(format!("cannot make {}: {e}", folder.display())))?;
    let name = |n: usize| if n == 1 { "controls.jsonl".into() } else { format!("controls-{n}.jsonl") };
    Ok((1..).map(|n| folder.join(name(n))).find(|path| !path.exists()).unwrap_or_default())
}

fn stem(name: &Path) -> String {
    name.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The scripted hand, if there is one.
fn script(args: &LiveArgs, session: &Session) -> Result<Option<Script>, Failure> {
    let Some(file) = &args.hand else { return Ok(None) };
    if file.as_os_str() == "demo" {
        let frame = session.world().frame();
        let nodes = frame.bodies.first().map(|body| body.nodes.as_slice()).unwrap_or_default();
        let point = nodes.get(nodes.len() / 2).copied().unwrap_or_default();
        return Ok(Some(Script::demo(point)));
    }
    let unusable = |why: String| Failure::Input(format!("{}: {why}", file.display()));
    let opened = File::open(file).map_err(|e| unusable(e.to_string()))?;
    Script::read(BufReader::new(opened)).map(Some).map_err(unusable)
}

/// What happened until a run ended.
#[derive(Default)]
struct Waited {
    /// Memory after it had settled [MB].
    memory: Option<f64>,
    /// The next scene, if a viewer chose one.
    next: Option<Chosen>,
    /// Why a step failed, where no page tells.
    failure: Option<String>,
}

/// Wait for the end, or for another scene.
fn wait(
    live: &Live,
    served: Option<&Served>,
    mut unseen: Option<Consumer<Note>>,
    deadline: Option<Instant>,
    options: &Options,
) -> Waited {
    let begun = Instant::now();
    let mut waited = Waited::default();
    loop {
        // first, since a step that is stopped has not failed
        if interrupt::stop().is_asked() || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            waited.memory = waited.memory.or_else(memory_mb);
            return waited;
        }
        let memory = &mut waited.memory;
        while let Some(Ok(note)) = unseen.as_mut().map(Consumer::pop) {
            match note {
                Note::Failed(why) => {
                    output::talk(format!("the world stands still: {why}"));
                    waited.failure = Some(why);
                }
                Note::WentBack { why, time } => {
                    output::talk(format!("a step failed, and the world went back to t = {time:.3} s: {why}"));
                    waited.failure = Some(why);
                }
                _ => {}
            }
        }
        if memory.is_none() && begun.elapsed() > SETTLING {
            *memory = memory_mb();
            if live.status.unprivileged.load(Ordering::Relaxed) {
                output::talk("warning: the system does not allow the core or the priority asked for; going on without");
            }
        }
        if live.is_broken() {
            return waited;
        }
        let Some(Served { server, .. }) = served else {
            std::thread::sleep(Duration::from_millis(20));
            continue;
        };
        let Some(wanted) = server.wanted(Duration::from_millis(50)) else { continue };
        match choose(wanted, options) {
            Ok(chosen) => {
                waited.next = Some(chosen);
                return waited;
            }
            Err(failure) => server.refuse(&failure.text()),
        }
    }
}

/// The scene of the gallery that a viewer wants. Overrides were meant for the first scene.
fn choose(Wanted { scene, model }: Wanted, options: &Options) -> Result<Chosen, Failure> {
    let unknown = |e: pliant_scene::UnknownModel| Failure::Input(e.to_string());
    let model = model.map(|model| model.parse()).transpose().map_err(unknown)?;
    let choice = Choice { name: scene.into(), model, options: Options { overrides: vec![], ..options.clone() } };
    Ok(Chosen { scene: load(&choice)?, choice })
}

/// Figures of the whole run.
fn tell(
    status: &Status,
    [start, end]: [Option<f64>; 2],
    failure: Option<&str>,
    options: &Options,
) -> Result<(), Failure> {
    let figures = status.figures();
    let to_hand = (0..HANDS).map(|hand| status.output(hand).most_to_hand).fold(0.0, f64::max);
    if options.json {
        let mut value = serde_json::to_value(&figures).unwrap_or_default();
        value["memory_mb"] = json!({ "start": start, "end": end });
        value["energy_to_hand_J"] = json!(to_hand);
        value["failure"] = json!(failure);
        return output::print_json(&value);
    }
    let mut table = output::table(&["", "p50", "p99", "p99.9", "worst"]);
    let rows = [
        ("time between forces [us]", figures.period_us),
        ("computing [us]", figures.compute_us),
        ("from due to done [us]", figures.latency_us),
        ("steps of the world [us]", figures.world_us),
    ];
    for (what, times) in rows.into_iter().filter(|(_, times)| times.max > 0.0) {
        let mut row = vec![output::number(what)];
        row.extend([times.p50, times.p99, times.p999, times.max].map(|time| output::number(format!("{time:.1}"))));
        table.add_row(row);
    }
    let memory = |mb: Option<f64>| mb.map_or("unknown".into(), |mb| format!("{mb:.1} MB"));
    output::print_text(format!(
        "{table}\n{} steps; {} forces came after the next was due, {} of them because the system took the core away; {} and {} \
         more than 2 ms late; memory {} to {}; most energy given to a hand {} J; {} messages dropped",
        figures.steps,
        figures.overruns,
        figures.taken_away,
        figures.late,
        figures.late_taken_away,
        memory(start),
        memory(end),
        short(to_hand),
        figures.dropped
    ))
}

/// A file of the run so far: its controls, or what a replay of them leaves.
fn render(name: &str, written: &Written) -> Result<Vec<u8>, String> {
    let known = written.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let (path, choice) = known.ok_or("nothing has run yet")?;
    let bytes = fs::read(&path).map_err(|e| format!("the controls cannot be read: {e}"))?;
    if name == "controls.jsonl" {
        return Ok(bytes);
    }
    let controls = Controls::read(&bytes[..]).map_err(|e| format!("the controls {e}"))?;
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let out = folder.path().join("run");
    let mut scene = load(&choice).map_err(|failure| failure.text())?;
    let mut replay = Replay::prepare(&mut scene, controls).map_err(|e| e.to_string())?;
    let info = RunInfo {
        title: scene.title.clone(),
        scene: gallery::name(&choice.name),
        command: format!("pliant live {}", stem(&choice.name)),
        duration: scene.duration,
        step: scene.step,
        view: scene.view.clone(),
    };
    let mut recorder = Recorder::create(&out, &scene.world, info).map_err(|e| e.to_string())?;
    let ran = replay.run(&mut scene, |moment| if moment.step > 0 { recorder.step(moment.frame()) } else { Ok(()) });
    let outcome = Outcome {
        ok: matches!(ran.ending, pliant_scene::Ending::Done),
        text: "a live run, replayed".into(),
        summary: vec![],
        expectations: vec![],
    };
    let paths = recorder.finish(&outcome).map_err(|e| e.to_string())?;
    let file = if name == "report.html" { paths.report } else { paths.recording };
    fs::read(file).map_err(|e| e.to_string())
}

/// Addresses at which a server can be reached that listens at one: all of this computer are 0.0.0.0 to it, but not to a browser.
fn reachable(address: SocketAddr) -> Vec<SocketAddr> {
    if !address.ip().is_unspecified() {
        return vec![address];
    }
    // the address from which this computer would send there; nothing is sent, and the far address need not exist
    let own = |from: &str, to: &str| {
        let socket = UdpSocket::bind(from).ok()?;
        socket.connect(to).ok()?;
        socket.local_addr().ok().map(|own| own.ip())
    };
    let v4 = own("0.0.0.0:0", "192.0.2.1:9");
    let v6 = address.is_ipv6().then(|| own("[::]:0", "[2001:db8::1]:9")).flatten();
    let all = [Some(LOOPBACK), v4, v6].into_iter().flatten();
    let mut found: Vec<SocketAddr> = all.map(|ip| SocketAddr::new(ip, address.port())).collect();
    found.dedup();
    found
}

/// The address of this computer alone.
pub const LOOPBACK: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
