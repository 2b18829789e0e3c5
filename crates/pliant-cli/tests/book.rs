//! Guards the manual: every scene printed in it is read by the command, every field of a scene file is described, the
//! Rust program in it compiles and runs, and every file it names is there.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

#[path = "book/failed_step.rs"]
mod failed_step;
#[path = "book/own_project.rs"]
mod own_project;
#[path = "book/world.rs"]
mod world;

use std::collections::BTreeSet;
use std::path::PathBuf;

use common::{pliant, pliant_in, root};

/// A part of a chapter between fences.
struct Snippet {
    chapter: String,
    line: usize,
    info: String,
    text: String,
}

/// Every chapter: its name and its text.
fn chapters() -> Vec<(String, String)> {
    let entries = std::fs::read_dir(root().join("book/src")).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    paths.sort();
    assert!(paths.len() > 10, "{paths:?}");
    let named = |path: &PathBuf| {
        (path.file_name().unwrap().to_str().unwrap().to_string(), std::fs::read_to_string(path).unwrap())
    };
    paths.iter().map(named).collect()
}

fn snippets() -> Vec<Snippet> {
    let mut found: Vec<Snippet> = vec![];
    for (chapter, text) in chapters() {
        let mut open: Option<Snippet> = None;
        for (number, line) in text.lines().enumerate() {
            match (&mut open, line.strip_prefix("```")) {
                (None, Some(info)) => {
                    open = Some(Snippet {
                        chapter: chapter.clone(),
                        line: number + 1,
                        info: info.into(),
                        text: String::new(),
                    });
                }
                (Some(_), Some(_)) => found.extend(open.take()),
                (Some(snippet), None) => snippet.text += &format!("{line}\n"),
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "a fence in {chapter} is not closed");
    }
    found
}

/// What a snippet marked `toml,part` is put below.
const BASE: &str = "duration = 2.0\n\n[material.rubber]\nyoung = 5e6\ndensity = 1100\n\n[[body]]\nname = \"rod\"\n\
                    model = \"chain\"\nmaterial = \"rubber\"\nradius = 0.003\npath = [[0, 0, 0.3], [0.3, 0, 0.3]]\n\n";

#[test]
fn every_scene_in_the_book_is_valid_and_runs() {
    let mut checked = 0;
    for snippet in snippets().iter().filter(|s| s.info.starts_with("toml")) {
        let text = match snippet.info.as_str() {
            "toml,scene" => snippet.text.clone(),
            "toml,part" => format!("{BASE}{}", snippet.text),
            // a manifest, see below
            "toml,cargo" => continue,
            // all TOML in the book is checked: there is no other mark
            other => panic!("{}:{}: ```{other} is neither toml,scene nor toml,part", snippet.chapter, snippet.line),
        };
        let dir = tempfile::tempdir().unwrap();
        let name = format!("{}-line-{}.toml", snippet.chapter, snippet.line);
        std::fs::write(dir.path().join(&name), text).unwrap();
        // tables that the same chapter prints
        for table in snippets().iter().filter(|s| s.chapter == snippet.chapter) {
            if let Some(file) = table.info.strip_prefix("csv,file=") {
                std::fs::write(dir.path().join(file), &table.text).unwrap();
            }
        }
        let ran = pliant_in(dir.path(), &["check", &name]).expect_code(0);
        assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
        pliant_in(dir.path(), &["run", &name]).expect_code(0);
        checked += 1;
    }
    assert!(checked >= 8, "{checked}");
}

#[test]
fn every_field_of_a_scene_file_is_described() {
    let schema = pliant(&["schema"]).expect_code(0).json();
    let tables = schema["$defs"].as_object().unwrap().values().chain([&schema]);
    let mut fields = BTreeSet::new();
    for table in tables {
        fields.extend(table["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()));
        // kinds of motions and shapes are fields of a table of one entry
        for choice in table["oneOf"].as_array().into_iter().flatten() {
            fields.extend(choice["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()));
        }
    }
    assert!(fields.len() > 70, "{fields:?}");
    let pages = chapters()
        .into_iter()
        .filter(|(name, _)| ["scenes.md", "motions.md", "expectations.md"].contains(&name.as_str()));
    // words of the text in code marks
    let described: BTreeSet<String> = pages
        .flat_map(|(_, text)| {
            let marked = text.split('`').skip(1).step_by(2).map(str::to_string).collect::<Vec<_>>();
            marked.into_iter().flat_map(|code| {
                code.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_string).collect::<Vec<_>>()
            })
        })
        .collect();
    let missing: Vec<&String> = fields.iter().filter(|field| !described.contains(*field)).collect();
    assert!(missing.is_empty(), "not in the book: {missing:?}");
}

#[test]
fn the_programs_in_the_book_compile_and_run() {
    let programs: Vec<Snippet> = snippets().into_iter().filter(|s| s.info.starts_with("rust")).collect();
    let chapters: Vec<&str> = programs.iter().map(|program| program.chapter.as_str()).collect();
    assert_eq!(chapters, ["failed-steps.md", "own-project.md", "worlds.md"]);
    // the very texts that are compiled into this test
    assert_eq!(programs[0].text, include_str!("book/failed_step.rs"));
    assert_eq!(programs[1].text, include_str!("book/own_project.rs"));
    assert_eq!(programs[2].text, include_str!("book/world.rs"));
    failed_step::main().unwrap();
    own_project::main().unwrap();
    world::main().unwrap();
}

/// The manifest of a reader's own project names crates that are there, and the edition that they need.
#[test]
fn the_manifest_in_the_book_names_our_crates() {
    let manifests: Vec<Snippet> = snippets().into_iter().filter(|s| s.info == "toml,cargo").collect();
    assert_eq!(manifests.len(), 1);
    let mut found = 0;
    for line in manifests[0].text.lines() {
        let Some((name, path)) = line.split_once(" = { path = \"../pliant/") else { continue };
        let folder = root().join(path.split('"').next().unwrap());
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name} is not in {}", folder.display());
        found += 1;
    }
    assert_eq!(found, 2);
}

#[test]
#[cfg(unix)]
fn every_command_in_the_book_works() {
    // beside the scenes, and a scene of the reader's own, with the command on the path
    let dir = tempfile::tempdir().unwrap();
    for folder in ["scenes", "robots"] {
        std::os::unix::fs::symlink(root().join(folder).canonicalize().unwrap(), dir.path().join(folder)).unwrap();
    }
    std::fs::write(dir.path().join("rod.toml"), common::rod_scene("")).unwrap();
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_pliant")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut seen = 0;
    for snippet in snippets().iter().filter(|s| s.info == "sh") {
        // all cases together are a check of their own
        for line in snippet.text.lines().filter(|line| line.starts_with("pliant") && *line != "pliant validate") {
            let mut command = std::process::Command::new("sh");
            command.args(["-c", line]).env("PATH", &path).current_dir(dir.path());
            let ran = common::finish(command);
            assert_eq!(ran.code, Some(0), "{}: {line}\n{}", snippet.chapter, ran.stderr);
            seen += 1;
        }
    }
    assert!(seen >= 10, "{seen}");
}

#[test]
fn chapters_link_to_chapters_and_all_are_listed() {
    let all = chapters();
    let summary = &all.iter().find(|(name, _)| name == "SUMMARY.md").unwrap().1;
    for (name, text) in &all {
        if name != "SUMMARY.md" {
            assert!(summary.contains(&format!("({name})")), "{name} is not in the summary");
        }
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap();
            assert!(root().join("book/src").join(target).is_file(), "{name} links to {link}");
        }
    }
}
