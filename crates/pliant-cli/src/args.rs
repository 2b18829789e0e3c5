//! Command-line arguments.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use pliant_live::HANDS;
use pliant_scene::{Override, RodModel};

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
    },
    /// Precompute what bodies of the model response need before a simulation, and store it in the cache, or in --out.
    Precompute {
        /// Scene file (TOML), or the name of a scene that `pliant scenes` lists.
        scene: PathBuf,
    },
    /// Measure the time of a step: mean, percentiles and maximum, by stage and body.
    Bench {
        /// Scene file (TOML), or the name of a scene that `pliant scenes` lists.
        scene: PathBuf,
        /// How long to measure [s].
        #[arg(long, default_value_t = 2.0, value_parser = seconds)]
        seconds: f64,
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
    /// Show what is in a robot's file (URDF): tree, masses, limits, and what is not used.
    Urdf {
        /// The robot's file.
        file: PathBuf,
        /// Folder of a package, for meshes such as package://NAME/arm.stl. May be repeated.
        #[arg(long = "package", value_name = "NAME=FOLDER", value_parser = package)]
        packages: Vec<(String, PathBuf)>,
    },
    /// List the built-in scenes; with --out, write them to that directory.
    Scenes,
    /// Print the JSON schema of scene files, for editors.
    Schema,
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
    /// A secret that requests have to carry.
    #[arg(long, value_name = "SECRET")]
    pub token: Option<String>,
    /// Port at which haptic devices are heard, by UDP and TCP; 0 for any that is free.
    #[arg(long, value_name = "PORT")]
    pub devices: Option<u16>,
    /// Address at which haptic devices are heard. Their packets carry no secret: whoever reaches the address can move hands.
    #[arg(long, value_name = "ADDRESS", default_value_t = LOOPBACK, requires = "devices")]
    pub devices_at: IpAddr,
    /// Forces a second.
    #[arg(long, default_value_t = 1000.0, value_parser = rate)]
    pub rate: f64,
    /// Without a page: print times at the end.
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
    /// Stiffness of the coupling between a hand and what it holds [N/m].
    #[arg(long, default_value_t = 400.0, value_parser = |text: &str| up_to(text, 1e5))]
    pub stiffness: f64,
    /// Largest force on a hand [N].
    #[arg(long, default_value_t = 10.0, value_parser = |text: &str| up_to(text, 1000.0))]
    pub most_force: f64,
    /// Let the loop go before all other work of the machine, where the system allows that.
    #[arg(long)]
    pub real_time: bool,
    /// Bind the loop to this core.
    #[arg(long)]
    pub core: Option<usize>,
}

impl LiveArgs {
    /// Radii of the fingertips of the hands [m].
    pub fn fingers(&self) -> [Option<f64>; HANDS] {
        std::array::from_fn(|hand| self.finger.filter(|_| hand == 0))
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

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.01..=3600.0).contains(&value) => Ok(value),
        _ => Err("expected a number of seconds from 0.01 to 3600".into()),
    }
}
