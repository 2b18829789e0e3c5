//! The `pliant` command: reads arguments, calls the libraries, prints. Exit codes are decided here alone:
//! 0 done, 1 the run failed (diverged, an expectation or check missed, interrupted), 2 bad input.

mod args;
mod bench;
mod check;
mod compare;
mod failure;
mod interrupt;
mod output;
mod patience;
mod precompute;
mod reproduce;
mod run;
mod run_summary;
mod validate;

use std::process::ExitCode;

use args::{Arguments, Command};
use clap::Parser;
use failure::Failure;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    interrupt::install();
    let result = match &arguments.command {
        None => run::showcase(&arguments.options),
        Some(Command::Run { scene }) => run::run(scene, &arguments.options),
        Some(Command::Check { scene }) => check::check(scene, &arguments.options),
        Some(Command::Compare { scene, models }) => compare::compare(scene, models, &arguments.options),
        Some(Command::Precompute { scene }) => precompute::precompute(scene, &arguments.options),
        Some(Command::Bench { scene, seconds }) => bench::bench(scene, *seconds, &arguments.options),
        Some(Command::Validate { case }) => validate::validate(case.as_deref(), &arguments.options),
        Some(Command::Reproduce { id }) => reproduce::reproduce(id.as_deref(), &arguments.options),
        Some(Command::Schema) => check::schema(),
    };
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
