//! Command-line arguments.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use pliant_live::{Fitting, HAPLY_PORT};
use pliant_scene::{Override, RodModel};
use pliant_states::FollowSettings;

use crate::failure::Failure;
use crate::live::LOOPBACK;

/// Simulate things that bend: shapes and forces of rods, cables and soft solids.
///
/// Without a command, run a built-in scene and write its report to ./out.
#[derive(Debug, Parser)]
#[command(name = "pliant", version)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Options of every command.
    #[command(flatten)]
    pub options: Options,
}

/// Options of every command.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Print machine-readable JSON on standard output.
    #[arg(long, global = true)]
    pub json: bool,
    /// Use at most this many threads; results never depend on it. By default one per core, up to 8; cables that do not
    /// touch each other share them.
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Override a value of the scene, such as duration=1.0 or body.rod.points=21. May be repeated.
    #[arg(long = "set", global = true, value_name = "PATH=VALUE")]
    pub overrides: Vec<Override>,
    /// Write results to this directory, which must be new or empty.
    #[arg(long, global = true, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

impl Options {
    /// Number of threads to use.
    pub fn threads(&self) -> u16 {
        let cores = || std::thread::available_parallelism().map_or(1, |n| n.get().min(8) as u16);
        self.threads.unwrap_or_else(cores)
    }

    /// Fail if --set is given, for commands that have no scene to change.
    pub fn refuse_overrides(&self, command: &str) -> Result<(), Failure> {
        if self.overrides.is_empty() {
            return Ok(());
        }
        Err(Failure::Input(format!("--set does not go with {command}")))
    }

    /// Fail if --out is given, for commands that write no files.
    pub fn refuse_out(&self, command: &str) -> Result<(), Failure> {
        match self.out {
            Some(_) => Err(Failure::Input(format!("--out does not go with {command}, which writes no files"))),
            None => Ok(()),
        }
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scene; with --out, write a recording, a table of samples and a report page.
    Run {
        /// Scene file (TOML), or the name of a scene that `pliant scenes` lists.
        scene: PathBuf,
        /// Repeat what was done in a live run of this scene: a file that `pliant live` has written.
        #[arg(long, value_name = "FILE")]
        controls: Option<PathBuf>,
    },
    /// Run a scene in real time, in a page where it can be watched and grabbed, and for haptic devices.
    Live(LiveArgs),
    /// Read and validate a scene, and show what the models derive from it.
    Check {
        /// Scene file (TOML), or the name of a scene that `pliant scenes` lists.
        scene: PathBuf,
    },
    /// Run a scene on several models and compare shapes, grip forces and cost; with --out, also draw them.
    Compare {
        /// Scene file (TOML), or the name of a scene that `pliant scenes` lists.
        scene: PathBuf,
        /// Models to put its rods on, separated by commas; the first that runs is the reference.
        #[arg(long, value_name = "MODEL,MODEL,…", value_delimiter = ',', default_values_t = RodModel::ALL)]
        models: Vec<RodModel>,
        /// A table of measurements: the column time (s), and others whose names are quantities, such as body.wire.end.z.
        /// Models are then compared with it.
        #[arg(long, value_name = "TABLE")]
        measured: Option<PathBuf>,
        /// Shift each model in time so that it lies best on the measurements.
        #[arg(long, requires = "measured")]
        align: bool,
    },
    /// Precompute what bodies of the model response need before a simulation, and store it in the cache, or in --out.
    Precompute {
        /// Scene file (TOML), or the name of a scene that `pliant scenes` lists.
        scene: PathBuf,
    },
    /// Find a motion to the goal of a scene, past its obstacles; with --out, write it as a table.
    Plan {
        /// Scene file (TOML), or the name of a scene that `pliant scenes` lists.
        scene: PathBuf,
        /// Send the motion to a robot's host as it goes, by UDP, or by TCP with tcp:HOST:PORT.
        #[arg(long, value_name = "HOST:PORT")]
        stream: Option<String>,
        /// Packets a second of --stream.
        #[arg(long, value_name = "HZ", default_value_t = 250.0, requires = "stream")]
        rate: f64,
    },
    /// Find the contact states of a demonstrated task in its recording; with --out, also draw them.
    States(StatesArgs),
    /// Measure the time of a step: mean, percentiles and maximum, by stage and body.
    Bench {
        /// Scene file (TOML), or the name of a scene that `pliant scenes` lists.
        scene: PathBuf,
        /// How long to measure [s].
        #[arg(long, default_value_t = 2.0, value_parser = seconds)]
        seconds: f64,
        /// Measure the whole scene from its first step, however long it takes, instead of a stretch after a warm-up.
        #[arg(long)]
        whole: bool,
    },
    /// Compare the models with closed forms and independent solutions.
    Validate {
        /// A model or a case; all of them by default.
        case: Option<String>,
    },
    /// Rerun a published experiment and print its figures beside ours; without an ID, list the experiments.
    Reproduce {
        /// Experiment, such as 000-rotation.
        id: Option<String>,
    },
    /// Show what is in a robot's file (URDF): tree, masses, limits, and what is not used; with --out, write a page with a slider for
    /// each joint.
    Urdf {
        /// The robot's file.
        file: PathBuf,
        /// Folder of a package, for meshes such as package://NAME/arm.stl. May be repeated.
        #[arg(long = "package", value_name = "NAME=FOLDER", value_parser = package)]
        packages: Vec<(String, PathBuf)>,
    },
    /// Find properties of a cable from measurements; with --out, also draw them.
    Identify {
        /// What was measured.
        #[command(subcommand)]
        action: IdentifyAction,
    },
    /// List the built-in scenes; with --out, write them to that directory.
    Scenes,
    /// Print the JSON schema of scene files, for editors.
    Schema,
}

/// Options of `pliant states`.
#[derive(Args, Clone, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct StatesArgs {
    /// What else to do with contact states.
    #[command(subcommand)]
    pub action: Option<StatesAction>,
    /// The recording.mcap of a run, or the directory that holds it.
    #[arg(required = true)]
    pub recording: Option<PathBuf>,
    /// A contact begins above this force [N] and ends below half of it; by default 2 % of the median contact force.
    #[arg(long, value_name = "N")]
    pub force: Option<f64>,
    /// Contacts shorter than this do not count, and gaps shorter than this do not end one [s].
    #[arg(long, value_name = "SECONDS", default_value_t = pliant_states::Settings::default().hold)]
    pub hold: f64,
    /// Triangles that meet at less than this belong to one face [degrees].
    #[arg(long, value_name = "DEGREES", default_value_t = pliant_states::Settings::default().edge_angle)]
    pub edge_angle: f64,
}

/// What else to do with contact states.
#[derive(Clone, Debug, Subcommand)]
pub enum StatesAction {
    /// Find the transitions of a demonstration in a measured force log, with a confidence for each.
    Match(MatchArgs),
    /// Let a robot repeat a demonstration by what its wrist sensor reads, with things not quite where they were; and by the motion alone.
    Run(FollowArgs),
}

/// Options of `pliant states run`.
#[derive(Args, Clone, Debug)]
pub struct FollowArgs {
    /// The states.json that `pliant states RECORDING --out DIR` has written.
    pub states: PathBuf,
    /// The scene to do it in: with the gripper of the demonstration, led by an arm with an impedance or by nothing, with a sensor on it,
    /// and with an [[expect]] at = "end" that says what success is.
    pub scene: PathBuf,
    /// Number of runs.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub trials: u32,
    /// Seed of the errors and of the noise.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// What was touched in the demonstration is off by this, in a random direction [m].
    #[arg(long, value_name = "M", default_value_t = 0.005, value_parser = |text: &str| from_zero_to(text, 1.0))]
    pub position: f64,
    /// It is turned by this about a random axis [degrees].
    #[arg(long, value_name = "DEGREES", default_value_t = 5.0, value_parser = |text: &str| from_zero_to(text, 180.0))]
    pub angle: f64,
    /// Young's modulus of what is held is larger or smaller by this part.
    #[arg(long, value_name = "PART", default_value_t = 0.2, value_parser = |text: &str| from_zero_to(text, 0.99))]
    pub stiffness: f64,
    /// How far places may be off for all that the robot knows: so far it goes on without a transition that it expects, and so far
    /// beside the path it tries again [m].
    #[arg(long, value_name = "M", default_value_t = FollowSettings::default().reach)]
    pub reach: f64,
    /// Distance between the places that it tries [m].
    #[arg(long, value_name = "M", default_value_t = FollowSettings::default().pitch)]
    pub pitch: f64,
    /// Its speed as part of the demonstrated one; the motion alone is repeated as it was.
    #[arg(long, value_name = "PART", default_value_t = FollowSettings::default().pace)]
    pub pace: f64,
    /// Resistance beyond which it is blocked [N]; by default three times the largest demonstrated one, and noise.
    #[arg(long, value_name = "N")]
    pub most_force: Option<f64>,
    /// The gripper that it repeats, if there are several.
    #[arg(long, value_name = "NAME")]
    pub gripper: Option<String>,
    /// Its sensor, if there are several on it.
    #[arg(long, value_name = "NAME")]
    pub sensor: Option<String>,
    /// Leave out the runs by the motion alone.
    #[arg(long)]
    pub no_comparison: bool,
    /// Part of the runs that has to succeed; with fewer the command ends with exit code 1.
    #[arg(long, value_name = "PART", default_value_t = 0.95, value_parser = |text: &str| from_zero_to(text, 1.0))]
    pub least: f64,
}

/// Options of `pliant states match`.
#[derive(Args, Clone, Debug)]
pub struct MatchArgs {
    /// The states.json that `pliant states RECORDING --out DIR` has written.
    pub states: PathBuf,
    /// A table with the columns time, fx, fy, fz, tx, ty, tz (s, N, N m; axes of the gripper), or another recording.
    pub log: PathBuf,
    /// The gripper that has the sensor, if there are several.
    #[arg(long, value_name = "NAME")]
    pub gripper: Option<String>,
    /// Confidence is that of having found a transition to within this time [s]; by default 2 % of the log's duration.
    #[arg(long, value_name = "SECONDS")]
    pub tolerance: Option<f64>,
    /// How much the log may differ from the demonstration, as a part of its wrench.
    #[arg(long, value_name = "PART", default_value_t = pliant_states::MatchSettings::default().difference)]
    pub difference: f64,
}

/// What was measured.
#[derive(Clone, Debug, Subcommand)]
pub enum IdentifyAction {
    /// Pulls at which a loaded cable begins to slide over a drum: friction, and stiffness if the data determine it.
    Capstan(CapstanArgs),
    /// Points of a cable that is clamped at one end and hangs: bending stiffness, and rest curvature.
    Shape(ShapeArgs),
    /// A free swing of a cable that hangs from a clamp: bending stiffness and damping.
    Swing(SwingArgs),
    /// Angles at which something begins to slide down a slope, or how it slides: friction.
    Slope(SlopeArgs),
    /// Points of a cable that lies free and flat after it was on a drum: rest curvature.
    Curl(CurlArgs),
    /// A drop on a floor, or a press: stiffness and damping of contact.
    Contact(ContactArgs),
    /// Blows on a solid, and how it moves after them: frequencies, damping and shapes of its modes, as a body of the model response.
    Response(ResponseArgs),
}

/// Options of `pliant identify shape`.
#[derive(Args, Clone, Debug)]
pub struct ShapeArgs {
    /// A table with the columns x and z, or x, y and z (m), from the clamp and z upwards; points in any order.
    pub data: PathBuf,
    /// Length from the clamp to the free end [m].
    #[arg(long, value_name = "M")]
    pub length: f64,
    /// Mass per length [kg/m].
    #[arg(long, value_name = "KG/M")]
    pub mass: f64,
    /// Radius, for Young's modulus of a solid round cable [m].
    #[arg(long, value_name = "M")]
    pub radius: Option<f64>,
    /// Angle above the horizontal at the clamp [degrees]; by default found from the points.
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true)]
    pub angle: Option<f64>,
    /// The unloaded cable may be curved.
    #[arg(long)]
    pub curved: bool,
}

/// Options of `pliant identify swing`.
#[derive(Args, Clone, Debug)]
pub struct SwingArgs {
    /// A table with the columns t (s) and x, a displacement across the cable in any unit.
    pub data: PathBuf,
    /// Length from the clamp to the free end [m].
    #[arg(long, value_name = "M")]
    pub length: f64,
    /// Mass per length [kg/m].
    #[arg(long, value_name = "KG/M")]
    pub mass: f64,
    /// Radius, for Young's modulus of a solid round cable [m].
    #[arg(long, value_name = "M")]
    pub radius: Option<f64>,
}

/// Options of `pliant identify slope`.
#[derive(Args, Clone, Debug)]
pub struct SlopeArgs {
    /// A table with the column angle (rad) or angle_deg, of the angles at which it begins to slide; for slides also t (s) and s (m).
    pub data: PathBuf,
}

/// Options of `pliant identify curl`.
#[derive(Args, Clone, Debug)]
pub struct CurlArgs {
    /// A table with the columns x and y (m), points in any order.
    pub data: PathBuf,
    /// Radius of the drum that it was on, to its centre line [m].
    #[arg(long, value_name = "M")]
    pub drum: Option<f64>,
}

/// Options of `pliant identify contact`.
#[derive(Args, Clone, Debug)]
pub struct ContactArgs {
    /// A table with the columns depth (m) and force (N), and t (s) for damping; or of a drop t (s) and height (m), or apex (m), the
    /// height of each bounce, or touch (s), the time of each. Lengths may be in mm: depth_mm, height_mm, apex_mm.
    pub data: PathBuf,
    /// Mass of what is dropped [kg].
    #[arg(long, value_name = "KG")]
    pub mass: Option<f64>,
    /// Stiffness to assume where bounces do not tell it [N/m].
    #[arg(long, value_name = "N/M")]
    pub stiffness: Option<f64>,
}

/// Options of `pliant identify response`.
#[derive(Args, Clone, Debug)]
pub struct ResponseArgs {
    /// A table with a row for each time at each point watched: blow (its number), t (s), px, py, pz (where it is struck, m), fx, fy, fz (N),
    /// qx, qy, qz (the point watched, m), and its displacement from rest, some of ux, uy, uz (m).
    pub data: PathBuf,
    /// A scene with the body as its mesh, held where it was held: write its responses to the directory of --out, as BODY.records.
    #[arg(long, value_name = "SCENE")]
    pub scene: Option<PathBuf>,
    /// The body of the scene, if there are several of the model response.
    #[arg(long, value_name = "NAME", requires = "scene")]
    pub body: Option<String>,
    /// Length of a sample of the responses, of which the step of the scene must be a multiple [s].
    #[arg(long, value_name = "SECONDS", default_value_t = 0.001, requires = "scene")]
    pub sample: f64,
}

/// Options of `pliant identify capstan`.
#[derive(Args, Clone, Debug)]
pub struct CapstanArgs {
    /// A table with the columns t0, t (N) and angle (rad) or angle_deg, each measurement repeated if possible.
    pub data: PathBuf,
    /// Radius of the drum [m].
    #[arg(long, value_name = "M", default_value_t = 0.02)]
    pub drum: f64,
    /// Radius of the cable [m].
    #[arg(long, value_name = "M", default_value_t = 0.002)]
    pub radius: f64,
    /// Young's modulus where the search begins, and stays if the data do not determine it [Pa].
    #[arg(long, value_name = "PA", default_value_t = 4.462e6)]
    pub young: f64,
    /// Poisson's ratio where the search begins, and stays if the data do not determine it.
    #[arg(long, value_name = "NU", default_value_t = 0.49)]
    pub poisson: f64,
    /// What the theory takes into account.
    #[arg(long, value_enum, default_value_t = TheoryArg::Extension)]
    pub theory: TheoryArg,
    /// First make the table: run the rig as a simulation, with the friction of --coefficient and --exponent.
    #[arg(long)]
    pub make: bool,
    /// Friction of the simulated cable: kappa in (N/m)^(1-N).
    #[arg(long, value_name = "KAPPA", default_value_t = 1.296, requires = "make")]
    pub coefficient: f64,
    /// Friction of the simulated cable: N.
    #[arg(long, value_name = "N", default_value_t = 0.7616, requires = "make")]
    pub exponent: f64,
    /// Relative noise of the simulated sensor.
    #[arg(long, value_name = "PART", default_value_t = 0.02, requires = "make")]
    pub noise: f64,
    /// How often each simulated measurement is repeated.
    #[arg(long, value_name = "COUNT", default_value_t = 3, requires = "make")]
    pub repeats: usize,
}

/// What a theory of the capstan takes into account.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum TheoryArg {
    /// T = T0 e^(mu theta).
    Classical,
    /// A power law of friction.
    PowerLaw,
    /// A power law, and a cable that becomes thinner as it is stretched.
    Extension,
    /// All of that, with thickness and bending stiffness.
    Thickness,
}

impl From<TheoryArg> for pliant_identify::capstan::Theory {
    fn from(theory: TheoryArg) -> Self {
        match theory {
            TheoryArg::Classical => Self::Classical,
            TheoryArg::PowerLaw => Self::PowerLaw,
            TheoryArg::Extension => Self::Extension,
            TheoryArg::Thickness => Self::Thickness,
        }
    }
}

/// Options of `pliant live`.
#[derive(Args, Clone, Debug)]
pub struct LiveArgs {
    /// Scene file (TOML), or the name of a scene that `pliant scenes` lists. Others can be chosen in the page.
    pub scene: Option<PathBuf>,
    /// Address at which the page is served. From other computers it needs the token.
    #[arg(long, value_name = "ADDRESS", default_value_t = LOOPBACK)]
    pub listen: IpAddr,
    /// Port of the page; 0 for any that is free.
    #[arg(long, default_value_t = 8080)]
    pub port: u16,
    /// Secret that every request must carry.
    #[arg(long, value_name = "SECRET")]
    pub token: Option<String>,
    /// Port for haptic devices, UDP and TCP; 0 for any free one.
    #[arg(long, value_name = "PORT")]
    pub devices: Option<u16>,
    /// Address for haptic devices. Their packets carry no secret: whoever reaches the address can move hands.
    #[arg(long, value_name = "ADDRESS", default_value_t = LOOPBACK, requires = "devices")]
    pub devices_at: IpAddr,
    /// A device that is served by its maker's program on this computer.
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<Device>,
    /// Where the middle of that device's workspace is in the scene [m]; by default the middle of its bodies.
    #[arg(long, value_name = "X,Y,Z", requires = "device", value_parser = point, allow_hyphen_values = true)]
    pub device_at: Option<[f64; 3]>,
    /// Port of that program.
    #[arg(long, value_name = "PORT", requires = "device", default_value_t = HAPLY_PORT)]
    pub device_port: u16,
    /// Rate of the loop: forces per second [Hz].
    #[arg(long, default_value_t = 1000.0, value_parser = rate)]
    pub rate: f64,
    /// Serve no page; print the times of the loop at the end.
    #[arg(long)]
    pub headless: bool,
    /// End after this many seconds.
    #[arg(long, value_parser = seconds)]
    pub seconds: Option<f64>,
    /// Move the first hand by a file of lines `time, x, y, z, grips`, through the impedance of a hand; `demo` for a
    /// built-in motion.
    #[arg(long, value_name = "FILE")]
    pub hand: Option<PathBuf>,
    /// Make the first hand a fingertip of this radius [m].
    #[arg(long, value_name = "RADIUS", value_parser = |text: &str| up_to(text, 1.0))]
    pub finger: Option<f64>,
    /// Let the first hand carry this obstacle of the scene, which has hand = true there.
    #[arg(long, value_name = "OBSTACLE", conflicts_with = "finger")]
    pub carry: Option<String>,
    /// Stiffness of the coupling between a hand and what it holds [N/m].
    #[arg(long, default_value_t = 400.0, value_parser = |text: &str| up_to(text, 1e5))]
    pub stiffness: f64,
    /// Largest force on a hand [N].
    #[arg(long, default_value_t = 10.0, value_parser = |text: &str| up_to(text, 1000.0))]
    pub most_force: f64,
    /// Let the loop go before all other work of the machine, where the system allows that.
    #[arg(long)]
    pub real_time: bool,
    /// Bind the loop to this core, counted from 0.
    #[arg(long, value_parser = core)]
    pub core: Option<usize>,
}

impl LiveArgs {
    /// How the hands are made, among obstacles that they may move.
    pub fn fitting(&self, movable: &[String]) -> Fitting {
        Fitting { fingers: [self.finger, None], carries: [self.carry.clone(), None], movable: movable.to_vec() }
    }
}

/// A device that is served by its maker's program.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Device {
    /// Inverse3 of Haply, with a VerseGrip if there is one, over the Inverse Service.
    Haply,
}

fn point(text: &str) -> Result<[f64; 3], String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|number| number.trim().parse::<f64>()).collect();
    let point = numbers.ok().and_then(|numbers| <[f64; 3]>::try_from(numbers).ok());
    point.filter(|point| point.iter().all(|x| x.is_finite())).ok_or_else(|| "expected three numbers: x,y,z".into())
}

fn core(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(core) if pliant_live::has_core(core) => Ok(core),
        Ok(_) if cfg!(not(target_os = "linux")) => Err("this system does not let a program choose its core".into()),
        _ => Err("this program may not use a core of that number: see `nproc` and `taskset -p $$`".into()),
    }
}

fn package(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, folder)) if !name.is_empty() && !folder.is_empty() => Ok((name.into(), folder.into())),
        _ => Err("expected the name of a package and its folder, as arm_description=robots/arm".into()),
    }
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (10.0..=10_000.0).contains(&value) => Ok(value),
        _ => Err("expected a number of forces a second from 10 to 10000".into()),
    }
}

fn up_to(text: &str, most: f64) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value <= most => Ok(value),
        _ => Err(format!("expected a positive number up to {most}")),
    }
}

fn from_zero_to(text: &str, most: f64) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=most).contains(&value) => Ok(value),
        _ => Err(format!("expected a number from 0 to {most}")),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.01..=3600.0).contains(&value) => Ok(value),
        _ => Err("expected a number of seconds from 0.01 to 3600".into()),
    }
}
