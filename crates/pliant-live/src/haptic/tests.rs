//! The loop of the hands, beaten by hand.

use super::*;
use crate::driver::Driver;
use crate::link::{Rhythm, run_world};
use crate::live::{Queues, queues};
use crate::session::{Fitting, Session};
use pliant_scene::parse;

type Failure = Box<dyn std::error::Error>;

/// A body of a model that floats, held at its start by a wall if it is a rod.
fn session(model: &str, more: &str) -> Result<(Session, [bool; HANDS]), Failure> {
    fitted(model, more, Fitting::default())
}

fn fitted(model: &str, more: &str, fitting: Fitting) -> Result<(Session, [bool; HANDS]), Failure> {
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
    let fitting = Fitting { movable: scene.movable, ..fitting };
    Ok((Session::new(scene.world, 0.001, &fitting)?, fitting.feels()))
}

/// A loop that is beaten by a test, and a world that it waits for however long that takes.
struct Bench {
    haptic: Haptic,
    status: Arc<Status>,
    queues: Queues,
}

impl Bench {
    fn new((session, feels): (Session, [bool; HANDS]), script: Option<Script>) -> Bench {
        let (ends, queues) = queues();
        let status = Arc::new(Status::default());
        let room = Room::around(session.world());
        let mut driver = Driver::new(session, ends, status.clone(), 1000.0);
        let mut link = Link::new(Rhythm::Beats, driver.dt());
        // a machine that is busy must not make a step take too long
        link.too_long = Duration::from_secs(60);
        driver.set_stop(&link.stop);
        let link = Arc::new(link);
        let (theirs, numbers) = (link.clone(), status.clone());
        std::thread::spawn(move || run_world(driver, &theirs, &numbers));
        let mut haptic = Haptic::new(0.001, link, feels, Limits::default(), room, status.clone());
        haptic.script = script;
        Bench { haptic, status, queues }
    }

    fn beat(&mut self) -> Output {
        let now = Instant::now();
        let _ = self.haptic.beat(now, now + Duration::from_secs(3600));
        self.status.output(0)
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.status.end();
    }
}

fn end_of(session: &Session) -> Vec3 {
    session.world().frame().bodies[0].nodes.last().copied().unwrap_or_default()
}

const MODELS: [&str; 6] = ["cable", "chain", "xpbd", "elastica", "lattice", "response"];

/// How long a hand is tried [ms]: a minute in `./check --long`.
fn duration() -> usize {
    if std::env::var_os("PLIANT_LONG").is_some() { 60_000 } else { 10_000 }
}

/// A hand that wanders through 2 cm and holds the end of a body, without gravity: what the body and the coupling give to
/// the hand they must have been given by it.
#[test]
fn no_model_gives_a_hand_more_than_it_put_in() -> Result<(), Failure> {
    for model in MODELS {
        let session = session(model, "")?;
        let script = Script::demo(end_of(&session.0));
        let mut bench = Bench::new(session, Some(script));
        let mut strongest = 0.0f64;
        for _ in 0..duration() {
            strongest = strongest.max(bench.beat().wrench.force.length());
        }
        let Output { to_hand, most_to_hand, state, .. } = bench.status.output(0);
        assert!(bench.status.grasped(0).is_some() && strongest > 0.01, "{model}: felt at most {strongest} N");
        assert!(most_to_hand <= 1e-3, "{model}: {most_to_hand} J");
        assert!(to_hand < 0.0 && state == State::Ok, "{model}: {to_hand} J, {state:?}");
    }
    Ok(())
}

#[test]
fn a_hand_that_holds_still_feels_the_spring_of_what_it_bent() -> Result<(), Failure> {
    // a cantilever of EI = E pi r^4 / 4 pressed aside by d at its end pushes with 3 EI d / L^3, in series with the coupling
    let session = session("cable", "[body.cable]\ndrag = 5\n")?;
    let tip = end_of(&session.0);
    // so little that the rod, whose end is held, is not stretched by it: that grows with the third power
    let aside = 2e-4;
    let text = format!("t,x,y,z,g\n0,{0},{1},{2},1\n1,{0},{3},{2},1\n", tip.x, tip.y, tip.z, tip.y + aside);
    let script = Script::read(text.as_bytes())?;
    let mut bench = Bench::new(session, Some(script));
    (0..8000).for_each(|_| _ = bench.beat());
    let stiffness = 3.0 * 2e6 * std::f64::consts::PI * 0.004f64.powi(4) / 4.0 / 0.2f64.powi(3);
    // coupling 400 N/m and the scripted hand's own 400 N/m
    let expected = aside / (1.0 / stiffness + 1.0 / 400.0 + 1.0 / 400.0);
    let felt = bench.beat().wrench.force.y;
    // of second order in 20 segments, and the stretching
    assert!((felt + expected).abs() < 0.02 * expected, "{felt} {expected}");
    Ok(())
}

#[test]
fn a_failed_or_paused_world_pushes_nobody() -> Result<(), Failure> {
    let session = session("cable", "")?;
    let tip = end_of(&session.0);
    let text = format!("t,x,y,z,g\n0,{0},{1},{2},1\n0.5,{0},{3},{2},1\n", tip.x, tip.y, tip.z, tip.y + 0.05);
    let mut bench = Bench::new(session, Some(Script::read(text.as_bytes())?));
    (0..1000).for_each(|_| _ = bench.beat());
    assert!(bench.beat().wrench.force.length() > 0.02);
    bench.queues.commands.push(crate::driver::Command::Pause).map_err(|e| e.to_string())?;
    (0..10).for_each(|_| _ = bench.beat());
    let Output { wrench, state, .. } = bench.beat();
    assert_eq!((wrench.force.length(), state), (0.0, State::Stopped));
    Ok(())
}

/// A hand with a plate in it, 1 mm above the end of a rod, or above a solid on a floor, that presses and rubs.
#[test]
fn no_model_gives_a_hand_with_a_plate_more_than_it_put_in() -> Result<(), Failure> {
    for model in MODELS {
        let solid = matches!(model, "lattice" | "response");
        let (size, at) = if solid { ([0.04, 0.03], [0.01, 0.043]) } else { ([0.03, 0.05], [0.18, 0.207]) };
        let more = format!(
            "[[obstacle]]\nname = \"floor\"\nshape = {{ plane = {{}} }}\n\
             [[obstacle]]\nname = \"plate\"\nshape = {{ box = {{ size = [{}, {}, 0.004] }} }}\nposition = [{}, 0, {}]\nhand = true\n",
            size[0], size[1], at[0], at[1]
        );
        let carries = [Some("plate".to_string()), None];
        let session = fitted(model, &more, Fitting { carries, ..Fitting::default() })?;
        let mut bench = Bench::new(session, Some(Script::demo(Vec3::new(0.05, 0.02, 0.1))));
        let mut strongest = 0.0f64;
        for _ in 0..duration() {
            strongest = strongest.max(bench.beat().wrench.force.length());
        }
        let Output { to_hand, most_to_hand, .. } = bench.beat();
        assert!(strongest > 0.01, "{model}: felt at most {strongest} N");
        assert!(most_to_hand <= 1e-3 && to_hand < 0.0, "{model}: {most_to_hand} J, {to_hand} J in the end");
    }
    Ok(())
}

/// A device on another computer that says where a hand is.
fn tell(status: &Status, at: Vec3, pressed: bool) {
    let pose = Pose::from_translation(at);
    let heard = status.clock.nanos(Instant::now());
    let input = Input { pose, pressed, turns: false, reach: 0.02, source: Source::Device, heard };
    status.hosts[0].write(input.to_words());
}

#[test]
fn poses_that_jump_give_nobody_energy() -> Result<(), Failure> {
    // around the end of a cable, ten times a second: faster than any hand, and about as fast as a throw
    for (radius, is_plausible) in [(2.0, false), (0.5, false), (0.15, true)] {
        let session = session("cable", "")?;
        let tip = end_of(&session.0);
        let mut bench = Bench::new(session, None);
        let mut seen = [0; State::ALL.len()];
        for n in 0..5000 {
            let angle = 10.0 * std::f64::consts::TAU * 1e-3 * f64::from(n);
            let offset = Vec3::new(angle.cos() - 1.0, angle.sin(), 0.0) * radius;
            tell(&bench.status, tip + offset, true);
            seen[bench.beat().state as usize] += 1;
        }
        let Output { most_to_hand, .. } = bench.beat();
        let astray = seen[State::Astray as usize];
        assert_eq!(astray < 100, is_plausible, "{radius} m: {seen:?}");
        assert!(most_to_hand < 1e-3, "{radius} m: {most_to_hand} J, {seen:?}");
    }
    Ok(())
}

#[test]
fn a_world_that_does_not_answer_delays_no_force_and_fades() -> Result<(), Failure> {
    let (session, _) = session("cable", "")?;
    let status = Arc::new(Status::default());
    let link = Arc::new(Link::new(Rhythm::Beats, 0.001));
    let room = Room::around(session.world());
    let script = Script::demo(Vec3::ZERO);
    let mut haptic = Haptic::new(0.001, link, [true, false], Limits::default(), room, status.clone());
    haptic.script = Some(script);
    let (now, load) = (Instant::now(), Vec3::Y * 5.0);
    haptic.hands[0].tool.learn(Pose::IDENTITY, Wrench { force: load, ..Wrench::default() }, 0.001);
    // it would wait for ever if it waited at all
    (0..200).for_each(|_| _ = haptic.beat(now, now));
    assert!(haptic.hands[0].tool.load().force.length() < 1e-3 && status.output(0).wrench.force.length() < 0.1);
    Ok(())
}

#[test]
fn a_reset_begins_to_count_energy_anew() -> Result<(), Failure> {
    let session = session("cable", "")?;
    let mut bench = Bench::new(session, None);
    let served = &mut bench.haptic.hands[0];
    (served.guard.to_hand, served.guard.most_to_hand) = (-3.0, 7.0);
    let reset = crate::driver::Command::Do(crate::action::Action::Reset);
    bench.queues.commands.push(reset).map_err(|e| e.to_string())?;
    bench.beat();
    let Output { to_hand, most_to_hand, .. } = bench.beat();
    assert_eq!((to_hand, most_to_hand), (0.0, 0.0));
    Ok(())
}

#[test]
fn a_fingertip_that_begins_inside_a_cable_is_not_there_until_it_is_out() -> Result<(), Failure> {
    let fingers = [Some(0.01), None];
    let session = fitted("cable", "", Fitting { fingers, ..Fitting::default() })?;
    let middle = session.0.world().frame().bodies[0].nodes[10];
    let mut bench = Bench::new(session, None);
    let at = |n: usize| middle + Vec3::Y * (0.02 * (n.min(200) as f64 / 200.0));
    for n in 0..300 {
        tell(&bench.status, at(n), false);
        // at first the tool itself, which the hand has to set in motion
        let (felt, most) = (bench.beat().wrench.force.length(), if n < 100 { 0.6 } else { 1e-3 });
        assert!(felt < most || n > 200, "{n}: {felt} N");
    }
    // and then it is, and touches when it comes back
    let mut strongest = 0.0f64;
    for n in (0..200).rev() {
        tell(&bench.status, at(n), false);
        strongest = strongest.max(bench.beat().wrench.force.length());
    }
    while let Ok(note) = bench.queues.outlets.notes.pop() {
        assert!(!matches!(note, crate::driver::Note::Failed(_) | crate::driver::Note::WentBack { .. }), "{note:?}");
    }
    assert!(strongest > 0.01, "{strongest} N");
    Ok(())
}

/// A world whose steps fail goes back to what it was, lets go, says why, and goes on; nothing is felt of it.
#[test]
fn a_world_whose_step_fails_goes_back_and_goes_on() -> Result<(), Failure> {
    use crate::driver::Note;
    let session = session("cable", "")?;
    let tip = end_of(&session.0);
    let mut bench = Bench::new(session, None);
    let hold = |bench: &mut Bench, beats: u32, pressed: bool| {
        for n in 0..beats {
            tell(&bench.status, tip + Vec3::Y * 0.02 * (f64::from(n.min(500)) / 500.0), pressed);
            bench.beat();
        }
    };
    let fail = |bench: &mut Bench| {
        // the surest way for a step to fail is that it is stopped
        bench.haptic.link.stop.ask();
        tell(&bench.status, tip, true);
        assert_eq!(bench.beat().state, State::Stopped);
        let mut told = vec![];
        while let Ok(note) = bench.queues.outlets.notes.pop() {
            match note {
                Note::WentBack { time, .. } => told.push(Some(time)),
                Note::Failed(_) => told.push(None),
                _ => {}
            }
        }
        // the force has 4 ms to go to zero, and nothing is held until the button is pressed again
        hold(bench, 5, true);
        assert_eq!((bench.beat().wrench.force, bench.status.grasped(0)), (Vec3::ZERO, None), "{told:?}");
        told
    };
    let time = |bench: &Bench| f64::from_bits(bench.status.time.load(Ordering::Relaxed));
    hold(&mut bench, 2500, true);
    assert!(bench.beat().wrench.force.length() > 1e-3 && bench.status.grasped(0).is_some());
    // to the last state that was kept, from there to the start, and then it stands still
    assert_eq!(fail(&mut bench), [Some(2.0)]);
    hold(&mut bench, 100, true);
    assert!((time(&bench) - 2.106).abs() < 1e-9, "{}", time(&bench));
    assert_eq!(fail(&mut bench), [Some(0.0)]);
    assert_eq!(fail(&mut bench), [None]);
    hold(&mut bench, 100, true);
    assert!(time(&bench) < 0.01, "{}", time(&bench));
    // until it is reset
    let reset = crate::driver::Command::Do(crate::action::Action::Reset);
    bench.queues.commands.push(reset).map_err(|e| e.to_string())?;
    hold(&mut bench, 10, false);
    hold(&mut bench, 600, true);
    assert!(bench.status.grasped(0).is_some() && bench.beat().wrench.force.length() > 1e-3);
    Ok(())
}

/// The force on a hand that goes to and fro by 2 cm with the middle of a scene's first body, at each beat of 1 ms of some
/// seconds. The world takes steps of so many beats; what they give is there after so many.
fn forces(scene: &str, beats: usize, later: usize, seconds: usize) -> Result<(Vec<Vec3>, f64), Failure> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(scene);
    let world = pliant_scene::load(&path, &[])?.world;
    let session = Session::new(world, 0.001 * beats as f64, &Fitting::default())?;
    let nodes = session.world().frame().bodies[0].nodes.clone();
    let (middle, room) = (nodes[nodes.len() / 2], Room::around(session.world()));
    let (ends, _queues) = queues();
    let status = Arc::new(Status::default());
    let mut driver = Driver::new(session, ends, status.clone(), 1000.0);
    let link = Arc::new(Link::new(Rhythm::Own, driver.dt()));
    let mut haptic = Haptic::new(0.001, link.clone(), [false; HANDS], Limits::default(), room, status.clone());
    let (mut turns, mut felt) = (crate::link::Turns::default(), vec![]);
    for n in 0..1000 * seconds {
        let angle = std::f64::consts::TAU * 0.5e-3 * n as f64;
        tell(&status, middle + Vec3::new(0.0, 0.6, 0.8) * 0.01 * (1.0 - angle.cos()), true);
        let now = Instant::now();
        haptic.beat(now, now);
        if n % beats == 0 {
            turns.hear(&link);
        }
        if n % beats == later {
            turns.take(&mut driver, &link);
        }
        felt.push(status.output(0).wrench.force);
    }
    assert!(status.grasped(0).is_some(), "{scene}");
    Ok((felt, status.output(0).most_to_hand))
}

/// What it costs that a world whose steps take long makes longer ones, with a local model in between: the difference from
/// the force where it steps at each beat. For the book:
/// `cargo test --profile test-release -p pliant-live local_model -- --ignored --nocapture`.
#[test]
#[ignore = "it takes minutes"]
fn the_local_model_between_steps_gives_nearly_the_same_force() -> Result<(), Failure> {
    let rms = |forces: &mut dyn Iterator<Item = Vec3>| {
        let (sum, count) = forces.fold((0.0, 0), |(sum, n), force| (sum + force.length_squared(), n + 1));
        (sum / f64::from(count)).sqrt()
    };
    for scene in ["lifting.toml", "routing.toml"] {
        let seconds = 4;
        let (each, _) = forces(scene, 1, 0, seconds)?;
        let size = rms(&mut each.iter().copied());
        println!("{scene}: {size:.4} N (root mean square) with steps of 1 ms");
        for (beats, later) in [(5, 0), (5, 4), (10, 0), (10, 9)] {
            let (slow, most) = forces(scene, beats, later, seconds)?;
            let off = rms(&mut each.iter().zip(&slow).map(|(a, b)| *b - *a));
            let worst = each.iter().zip(&slow).map(|(a, b)| b.distance(*a)).fold(0.0, f64::max);
            println!(
                "  steps of {beats} ms that take {later} ms: off by {off:.4} N, {worst:.4} N at worst; {most:.1e} J given"
            );
            assert!(off < size, "{scene}: off by {off} N of {size} N");
        }
    }
    Ok(())
}
