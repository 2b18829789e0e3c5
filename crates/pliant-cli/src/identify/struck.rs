//! Modes of a solid from blows on it, and its responses as a file for a scene.

use std::fs::File;

use pliant_identify::response::{self, Struck};
use pliant_record::claim;
use pliant_scene::{Written, write_measured};
use serde::Serialize;

use super::found::show;
use crate::args::{Options, ResponseArgs};
use crate::failure::Failure;
use crate::output::short;

/// All that is found and written.
#[derive(Serialize)]
struct Outcome<'a> {
    #[serde(flatten)]
    struck: &'a Struck,
    written: Option<Written>,
}

/// Modes from blows.
pub fn from_blows(args: &ResponseArgs, options: &Options) -> Result<(), Failure> {
    let input = |why: &dyn std::fmt::Display| Failure::Input(format!("{}: {why}", args.data.display()));
    let file = File::open(&args.data).map_err(|e| input(&e))?;
    let struck = response::read(file).and_then(|blows| response::identify(&blows)).map_err(|e| input(&e))?;
    if let Some(dir) = &options.out {
        claim(dir)?;
    }
    let written = match (&args.scene, &options.out) {
        (Some(scene), Some(dir)) => {
            let file = |body: &str| dir.join(format!("{body}.records"));
            let written = write_measured(scene, &[], args.body.as_deref(), &struck, args.sample, &file);
            Some(written.map_err(|why| Failure::Input(format!("{}: {why}", scene.display())))?)
        }
        (Some(_), None) => return Err(Failure::Input("--scene needs --out DIR, to write the responses to".into())),
        (None, _) => None,
    };
    let mut remarks: Vec<String> = struck.untold.iter().map(|what| format!("not told by these data: {what}")).collect();
    remarks.extend(written.iter().flat_map(said));
    show("Modes of a solid from blows", &struck.found, &Outcome { struck: &struck, written }, &remarks, options)
}

/// What is to be known of a file.
fn said(written: &Written) -> Vec<String> {
    let Written { body, file, touched, sample, samples, beside, guessed, left } = written;
    let percent =
        |list: &[f64]| list.iter().map(|part| format!("{:.0} %", 100.0 * part)).collect::<Vec<_>>().join(", ");
    vec![
        format!(
            "{}: responses of {body}, which can be touched at {touched} nodes, {samples} samples of {sample} s; in the scene: form = \"measured\", file",
            file.display()
        ),
        format!("nodes stand for points up to {} mm beside them", short(1e3 * beside)),
        format!(
            "between points shapes are those that suit the mesh; they are a guess, mode by mode, on this part of the surface: {}",
            percent(guessed)
        ),
        format!("and leave of what was measured, mode by mode: {}", percent(left)),
    ]
}
