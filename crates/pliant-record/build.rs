//! Bundles the report page, the live page and that of a robot from `web/` with Node. Without Node, npm or `web/` the build goes on:
//! reports are plain and the live page is empty.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

/// Not sources of the page.
const LEFT_OUT: [&str; 4] = ["node_modules", "dist", "test", ".gitignore"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let Some(out) = env::var_os("OUT_DIR").map(PathBuf::from) else { return };
    let pages = bundle(&out).unwrap_or_else(|why| {
        println!(
            "cargo::warning=report.html will be a plain page that cannot play the run, and there is no live page: {why}"
        );
        // Node may come with another PATH
        println!("cargo::rerun-if-env-changed=PATH");
        Pages::default()
    });
    for (name, page) in [("report.html", pages.report), ("live.html", pages.live), ("robot.html", pages.robot)] {
        if let Err(error) = fs::write(out.join(name), page) {
            println!("cargo::error=cannot write {name} to {}: {error}", out.display());
        }
    }
}

#[derive(Default)]
struct Pages {
    /// With a placeholder for the data.
    report: String,
    live: String,
    /// With a placeholder for the data.
    robot: String,
}

/// The pages, or why there are none.
fn bundle(out: &Path) -> Result<Pages, String> {
    let web = Path::new("web");
    if !web.join("package.json").is_file() {
        return Err("this checkout has no web/, where its sources are".into());
    }
    let copy = out.join("web");
    let installed = fs::read(copy.join("package-lock.json")).ok();
    refresh(web, &copy).map_err(|e| format!("web/ cannot be copied: {e}"))?;
    let wanted = fs::read(copy.join("package-lock.json")).ok();
    if installed != wanted || !copy.join("node_modules").is_dir() {
        // no install scripts: nothing the page is made of needs them
        let install = ["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
        npm(&copy, &install).map_err(|why| {
            let _ = fs::remove_dir_all(copy.join("node_modules"));
            format!("{why}. The first build needs the network. Touch crates/pliant-record/build.rs to try again")
        })?;
    }
    npm(&copy, &["run", "--silent", "build"])?;
    let read =
        |name: &str| fs::read_to_string(copy.join("dist").join(name)).map_err(|e| format!("no dist/{name}: {e}"));
    let pages = Pages { report: read("report.html")?, live: read("live.html")?, robot: read("robot.html")? };
    match pages.report.matches("<!--PLIANT-DATA-->").count() {
        1 => Ok(pages),
        count => Err(format!("dist/report.html has {count} places for data instead of one")),
    }
}

/// Replace what was copied before, except installed packages, and let cargo watch the originals.
fn refresh(web: &Path, copy: &Path) -> io::Result<()> {
    fs::create_dir_all(copy)?;
    for entry in fs::read_dir(copy)?.flatten().filter(|entry| entry.file_name() != "node_modules") {
        if entry.path().is_dir() { fs::remove_dir_all(entry.path())? } else { fs::remove_file(entry.path())? }
    }
    for entry in fs::read_dir(web)?.flatten() {
        let name = entry.file_name();
        if LEFT_OUT.iter().any(|left_out| name == *left_out) {
            continue;
        }
        println!("cargo::rerun-if-changed={}", entry.path().display());
        copy_all(&entry.path(), &copy.join(name))?;
    }
    Ok(())
}

fn copy_all(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        return fs::copy(from, to).map(drop);
    }
    fs::create_dir_all(to)?;
    fs::read_dir(from)?.flatten().try_for_each(|entry| copy_all(&entry.path(), &to.join(entry.file_name())))
}

fn npm(dir: &Path, arguments: &[&str]) -> Result<(), String> {
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let called = format!("npm {}", arguments.join(" "));
    let output = Command::new(program)
        .args(arguments)
        .current_dir(dir)
        .env("npm_config_update_notifier", "false")
        .env("npm_config_loglevel", "error")
        // offline, npm would try for minutes
        .env("npm_config_fetch_retries", "1")
        .env("npm_config_fetch_timeout", "30000")
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("npm cannot be started ({e}). Install Node.js 20 or newer, which brings it"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing").trim();
    Err(format!("{called} failed: {first}"))
}
