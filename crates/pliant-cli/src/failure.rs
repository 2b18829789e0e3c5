//! What can end a command early, and how it is reported.

use std::io::IsTerminal;

use miette::{GraphicalReportHandler, GraphicalTheme};
use pliant_record::{ReadError, RecordError};
use pliant_scene::SceneError;

use crate::output;

/// Why a command did not succeed.
#[derive(Debug)]
pub enum Failure {
    /// The command ran and failed.
    Run(String),
    /// The request is invalid.
    Input(String),
    /// The scene is invalid.
    Scene(Box<SceneError>),
}

impl Failure {
    /// What it says, in one line.
    pub fn text(&self) -> String {
        match self {
            Failure::Run(text) | Failure::Input(text) => text.clone(),
            Failure::Scene(error) => error.to_string(),
        }
    }

    /// Print it on standard error.
    pub fn print(&self) {
        match self {
            Failure::Run(text) | Failure::Input(text) => output::talk(format!("error: {text}")),
            Failure::Scene(error) => {
                output::talk(format!("error: {error}"));
                if error.span().is_some() {
                    output::talk(picture(error).trim_end());
                }
            }
        }
    }
}

/// The lines around the fault with a mark under it; empty if there is no text to show.
fn picture(error: &SceneError) -> String {
    let mut out = String::new();
    let theme = if std::io::stderr().is_terminal() { GraphicalTheme::unicode() } else { GraphicalTheme::none() };
    // failing to draw the picture is no reason to fail: the line above says it all
    let _ = GraphicalReportHandler::new_themed(theme).with_width(120).render_report(&mut out, error);
    // its first line repeats the line above
    match out.find(",-[").or_else(|| out.find("╭")).and_then(|at| out[..at].rfind('\n')) {
        Some(head) => out.split_off(head + 1),
        None => String::new(),
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        Failure::Scene(Box::new(error))
    }
}

impl From<pliant_validate::Failure> for Failure {
    fn from(failure: pliant_validate::Failure) -> Self {
        match failure {
            pliant_validate::Failure::Scene(error) => Failure::Scene(error),
            pliant_validate::Failure::Run(text) => Failure::Run(text),
        }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        Failure::Input(error.to_string())
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        match error {
            // an unusable directory is bad input; a failed write is a failed run
            RecordError::NotEmpty { .. } | RecordError::Create { .. } => Failure::Input(error.to_string()),
            _ => Failure::Run(error.to_string()),
        }
    }
}
