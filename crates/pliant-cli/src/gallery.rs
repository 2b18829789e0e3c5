//! The built-in scenes: found by name wherever the command runs, listed and written out by `pliant scenes`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use pliant_record::claim;
use serde::Serialize;
use tempfile::TempDir;

use crate::args::Options;
use crate::failure::Failure;
use crate::output;

/// Names and contents of all files of the gallery.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/gallery.rs"));

/// Where the gallery is unpacked, once one of its scenes is used.
static UNPACKED: OnceLock<PathBuf> = OnceLock::new();

/// A scene file: the user's own, or a built-in one that is unpacked while this value lives.
pub struct SceneFile {
    /// Its path.
    pub path: PathBuf,
    _folder: Option<TempDir>,
}

/// Find a scene. A path that does not exist may name a built-in one: `winding`, `winding.toml` or
/// `scenes/winding.toml`.
pub fn find(scene: &Path) -> Result<SceneFile, Failure> {
    let Some(name) = built_in(scene).filter(|_| !scene.exists()) else {
        return Ok(SceneFile { path: scene.into(), _folder: None });
    };
    let unpacked = tempfile::tempdir().and_then(|folder| unpack(folder.path()).map(|()| folder));
    let folder = unpacked.map_err(|e| Failure::Input(format!("cannot unpack the scene {name}: {e}")))?;
    UNPACKED.get_or_init(|| folder.path().into());
    Ok(SceneFile { path: folder.path().join(name), _folder: Some(folder) })
}

/// Name of a scene file in messages: its path, or its name in the gallery.
pub fn name(path: &Path) -> String {
    let inside = UNPACKED.get().and_then(|folder| path.strip_prefix(folder).ok());
    inside.map_or_else(|| path.display().to_string(), |name| Path::new("scenes").join(name).display().to_string())
}

/// Names and contents of all scenes.
fn scenes() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    FILES.iter().copied().filter(|(name, _)| name.ends_with(".toml"))
}

/// Names, without their ending, and titles of all scenes.
pub fn titles() -> impl Iterator<Item = (&'static str, String)> {
    scenes().map(|(name, bytes)| (name.trim_end_matches(".toml"), title(&String::from_utf8_lossy(bytes))))
}

/// The small picture of a scene, by its name without ending.
pub fn picture(scene: &str) -> Option<&'static [u8]> {
    let path = format!("pictures/{scene}.webp");
    FILES.iter().find(|(name, _)| *name == path).map(|(_, bytes)| *bytes)
}

fn built_in(scene: &Path) -> Option<&'static str> {
    let wanted = scene.strip_prefix("scenes").unwrap_or(scene).to_str()?;
    scenes().map(|(name, _)| name).find(|name| *name == wanted || name.strip_suffix(".toml") == Some(wanted))
}

fn unpack(folder: &Path) -> io::Result<()> {
    FILES.iter().try_for_each(|(name, bytes)| {
        let path = folder.join(name);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(path, bytes)
    })
}

#[derive(Serialize)]
struct Listed {
    name: &'static str,
    title: String,
}

/// List the built-in scenes, or write them out.
pub fn list(options: &Options) -> Result<(), Failure> {
    options.refuse_overrides("scenes")?;
    if let Some(out) = &options.out {
        claim(out)?;
        unpack(out).map_err(|e| Failure::Run(format!("cannot write to {}: {e}", out.display())))?;
        return output::print_text(format!("{} files written to {}", FILES.len(), out.display()));
    }
    let listed: Vec<Listed> = titles().map(|(name, title)| Listed { name, title }).collect();
    if options.json {
        return output::print_json(&serde_json::json!({ "scenes": listed }));
    }
    let mut table = output::table(&["scene", ""]);
    for scene in &listed {
        table.add_row(vec![scene.name, &scene.title]);
    }
    output::print_text(format!(
        "{table}\npliant run NAME runs one of these from any folder; pliant scenes --out DIR writes them all"
    ))
}

/// The title in the text of a scene.
fn title(text: &str) -> String {
    let quoted = text.lines().find_map(|line| line.strip_prefix("title")?.trim_start().strip_prefix('='));
    quoted.map(|quoted| quoted.trim().trim_matches('"').to_string()).unwrap_or_default()
}
