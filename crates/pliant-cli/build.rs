//! Puts the scenes of the gallery, and the files they refer to, into the command.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Kinds of files that scenes are made of.
const KINDS: [&str; 5] = ["toml", "stl", "csv", "webp", "urdf"];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut files = vec![];
    collect(&here.join("scenes"), Path::new(""), &mut files)?;
    files.sort();
    let mut text = String::from("&[\n");
    for (name, path) in files {
        // `write!` to a text cannot fail
        let _ = writeln!(text, "    ({name:?}, include_bytes!({path:?})),");
    }
    text.push(']');
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("gallery.rs"), text)
}

/// Names within the folder, with slashes, and paths of all files in it.
fn collect(folder: &Path, inside: &Path, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = inside.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            collect(&path, &name, files)?;
        } else if path.extension().is_some_and(|kind| KINDS.iter().any(|known| kind == *known)) {
            println!("cargo::rerun-if-changed={}", path.display());
            files.push((name.to_string_lossy().replace('\\', "/"), path));
        }
    }
    Ok(())
}
