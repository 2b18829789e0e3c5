//! What can end a command early, and how it is told.

use std::io::IsTerminal;

use miette::{GraphicalReportHandler, GraphicalTheme};
use pliant_scene::SceneError;

/// Why a command did not succeed.
#[derive(Debug)]
pub enum Failure {
    /// It ran and failed.
    Run(String),
    /// It was asked for something that cannot be.
    Input(String),
    /// The scene is wrong.
    Scene(Box<SceneError>),
}

impl Failure {
    /// Tell it on standard error.
    pub fn print(&self) {
        match self {
            Failure::Run(text) | Failure::Input(text) => eprintln!("error: {text}"),
            Failure::Scene(error) => {
                eprintln!("error: {error}");
                if error.span().is_some() {
                    eprint!("{}", picture(error));
                }
            }
        }
    }
}

/// The lines around the fault with a mark under it; empty where there is no text to show.
fn picture(error: &SceneError) -> String {
    let mut out = String::new();
    let theme = if std::io::stderr().is_terminal() { GraphicalTheme::unicode() } else { GraphicalTheme::none() };
    // a picture that cannot be drawn is no reason to fail: the line above says it all
    let _ = GraphicalReportHandler::new_themed(theme).with_width(120).render_report(&mut out, error);
    // its head repeats the line above
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

impl From<pliant_record::RecordError> for Failure {
    fn from(error: pliant_record::RecordError) -> Self {
        Failure::Run(error.to_string())
    }
}
