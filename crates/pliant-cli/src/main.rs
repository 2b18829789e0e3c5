//! The `pliant` command: reads arguments, calls the libraries, prints. Exit codes are decided here alone:
//! 0 done, 1 the run failed (diverged, an expectation or check missed, interrupted), 2 bad input.

mod args;
mod bench;
mod check;
mod compare;
mod doubts;
mod failure;
mod gallery;
mod identify;
mod interrupt;
mod live;
mod output;
mod overlap;
mod patience;
mod plan;
mod precompute;
mod reproduce;
mod run;
mod run_summary;
mod states;
mod urdf;
mod urdf_page;
mod validate;

use std::process::ExitCode;

use args::{Arguments, Command};
use clap::Parser;
use failure::Failure;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    interrupt::install();
    let result = perform(&arguments);
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print();
            match failure {
                Failure::Run(_) => ExitCode::from(1),
                Failure::Input(_) | Failure::Scene(_) => ExitCode::from(2),
            }
        }
    }
}

/// Execute the command.
fn perform(Arguments { command, options }: &Arguments) -> Result<(), Failure> {
    match command {
        None => run::showcase(options),
        Some(Command::Run { scene, controls }) => run::run(&gallery::find(scene)?.path, controls.as_deref(), options),
        Some(Command::Live(args)) => live::live(args, options),
        Some(Command::Check { scene }) => check::check(&gallery::find(scene)?.path, options),
        Some(Command::Compare { scene, models, measured, align }) => {
            let path = &gallery::find(scene)?.path;
            match measured {
                None => compare::compare(path, models, options),
                Some(table) => compare::measured::compare(path, models, table, *align, options),
            }
        }
        Some(Command::Precompute { scene }) => precompute::precompute(&gallery::find(scene)?.path, options),
        Some(Command::Plan { scene, stream, rate }) => {
            let stream = stream.as_deref().map(|to| plan::Stream::new(to, *rate)).transpose()?;
            plan::plan(&gallery::find(scene)?.path, stream, options)
        }
        Some(Command::States(args)) => states::states(args, options),
        Some(Command::Bench { scene, seconds, whole }) => {
            let extent = if *whole { bench::Extent::Whole } else { bench::Extent::Stretch(*seconds) };
            bench::bench(&gallery::find(scene)?.path, &extent, options)
        }
        Some(Command::Validate { case }) => validate::validate(case.as_deref(), options),
        Some(Command::Reproduce { id }) => reproduce::reproduce(id.as_deref(), options),
        Some(Command::Urdf { file, packages }) => urdf::urdf(file, packages, options),
        Some(Command::Identify { action }) => identify::identify(action, options),
        Some(Command::Scenes) => gallery::list(options),
        Some(Command::Schema) => check::schema(),
    }
}
