//! Files of what was computed: whole or refused, whatever happens to them; and the folder they are kept in.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Random, SEED, SIDE};
use pliant::response::Basis;
use pliant_fem::{
    Digest, Found, Order, Recipe, StoreError, TetMesh, basis_of, basis_path, open_basis, open_records, write_basis,
};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

fn recipe() -> Recipe {
    Recipe { order: Order::Linear, ..Recipe::new(TetMesh::cube(2, SIDE).unwrap(), SEED, 6) }
}

fn compute(recipe: &Recipe) -> Basis {
    recipe.compute(1, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// A folder with a file in it.
fn stored() -> (tempfile::TempDir, PathBuf, Basis, Digest) {
    let (recipe, folder) = (recipe(), tempfile::tempdir().unwrap());
    let (basis, path) = (compute(&recipe), folder.path().join("cube.basis"));
    write_basis(&path, recipe.digest(), &basis).unwrap();
    (folder, path, basis, recipe.digest())
}

/// Names of files in a folder.
fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn read_as_it_was_written() {
    let (folder, path, basis, digest) = stored();
    let read = open_basis(&path, Some(digest)).unwrap();
    assert_eq!(read, basis);
    assert_eq!(open_basis(&path, None).unwrap(), basis);
    // nothing else is left, and what is mapped outlives the name
    assert_eq!(files(folder.path()), ["cube.basis"]);
    drop(folder);
    assert_eq!(read, basis);
    // of a large surface, node by node
    let local = Recipe { full_nodes: 3, ..recipe() };
    let (basis, folder) = (compute(&local), tempfile::tempdir().unwrap());
    let path = folder.path().join("below/there/cube.basis");
    write_basis(&path, local.digest(), &basis).unwrap();
    assert_eq!(open_basis(&path, Some(local.digest())).unwrap(), basis);
}

#[test]
fn a_file_in_use_may_be_replaced() {
    let (_folder, path, basis, digest) = stored();
    let read = open_basis(&path, Some(digest)).unwrap();
    let mut other = basis.clone();
    other.squares[5] *= 2.0;
    write_basis(&path, Digest(1), &other).unwrap();
    assert_eq!(read, basis);
    assert_eq!(open_basis(&path, None).unwrap(), other);
}

#[test]
fn errors_say_what_is_wrong_where_and_what_to_do() {
    let (folder, path, _, digest) = stored();
    let whole = std::fs::read(&path).unwrap();
    let said = |path: &Path| open_basis(path, Some(digest)).unwrap_err().to_string();
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let (mut bytes, other) = (whole.clone(), folder.path().join("changed.basis"));
        change(&mut bytes);
        std::fs::write(&other, bytes).unwrap();
        said(&other)
    };
    let damaged = [
        ("is no file of precomputed solids", with(&|bytes| bytes[0] = b'x')),
        ("it is too short", with(&|bytes| bytes.truncate(3))),
        ("is of version 99, and this program reads version 1", with(&|bytes| bytes[16] = 99)),
        ("damaged in its head", with(&|bytes| bytes[40] ^= 1)),
        ("so it is not complete", with(&|bytes| bytes.truncate(bytes.len() - 1))),
        ("so it is not complete", with(&|bytes| bytes.truncate(100))),
        ("so it is not complete", with(&|bytes| bytes.push(0))),
        ("damaged in its section `full`", with(&|bytes| *bytes.last_mut().unwrap() ^= 1)),
        ("stores numbers the other way round", with(&|bytes| bytes[8..16].reverse())),
    ];
    for (expected, said) in &damaged {
        assert!(said.contains(expected) && said.contains("changed.basis") && said.contains("precompute it"), "{said}");
    }
    let other = open_basis(&path, Some(Digest(3))).unwrap_err();
    assert!(matches!(other, StoreError::Other { .. }));
    assert!(other.to_string().contains("another mesh, material or setting"), "{other}");
    assert!(said(&folder.path().join("nothing")).contains("no such file"));
    assert!(said(folder.path()).contains("no regular file"));
}

#[test]
fn any_byte_may_be_wrong_and_any_part_missing() {
    let (folder, path, _, digest) = stored();
    let whole = std::fs::read(&path).unwrap();
    let other = folder.path().join("other.basis");
    let mut random = Random(3);
    let refused = |bytes: &[u8], what: &str| {
        std::fs::write(&other, bytes).unwrap();
        assert!(open_basis(&other, Some(digest)).is_err(), "{what}");
        // some file systems wait for the disk when a file is overwritten, not when it is new
        std::fs::remove_file(&other).unwrap();
    };
    for round in 0..2000 {
        let mut bytes = whole.clone();
        // the head and the directory as often as all the rest
        let range = if round % 2 == 0 { 64 + 7 * 32 } else { bytes.len() };
        for _ in 0..1 + random.bits() % 3 {
            let at = random.bits() as usize % range;
            bytes[at] ^= 1 + (random.bits() % 255) as u8;
        }
        if bytes != whole {
            refused(&bytes, "bytes changed");
        }
        let length = random.bits() as usize % whole.len();
        refused(&whole[..length], "cut off");
    }
    for length in 0..400 {
        refused(&whole[..length], "cut off early");
    }
}

#[test]
fn computed_once() {
    let (recipe, folder) = (recipe(), tempfile::tempdir().unwrap());
    let folder = folder.path().join("new");
    let mut heard = 0;
    let mut find = |recipe: &Recipe| {
        let before = heard;
        let found = basis_of(recipe, &folder, 1, &mut |_| {
            heard += 1;
            ControlFlow::Continue(())
        });
        let (basis, found) = found.unwrap();
        (basis, found, heard > before)
    };
    let path = basis_path(&recipe, &folder);
    let (first, found, computed) = find(&recipe);
    assert_eq!((found, computed), (Found::Stored { path: path.clone(), instead_of: None }, true));
    let (second, found, computed) = find(&recipe);
    assert_eq!((found, computed), (Found::Kept(path.clone()), false));
    assert_eq!(first, second);
    // another body has another file, and a damaged one is made again
    assert!(find(&Recipe { modes: 5, ..recipe.clone() }).2);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[1000] ^= 4;
    std::fs::write(&path, bytes).unwrap();
    let (third, found, computed) = find(&recipe);
    assert!(computed && found.warning().unwrap().contains("is damaged"), "{found:?}");
    assert_eq!(first, third);
    assert_eq!(find(&recipe).1, Found::Kept(path));
}

#[test]
fn a_folder_that_cannot_be_written_is_no_reason_to_fail() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "in the way").unwrap();
    let (basis, found) = basis_of(&recipe(), &file.join("below"), 1, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(basis.squares.len(), 6);
    assert!(found.path().is_none() && found.warning().unwrap().contains("cannot be written"), "{found:?}");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "in the way");
}

#[test]
fn several_at_once() {
    // all find nothing or a whole file, and all end with the same
    let (recipe, folder) = (recipe(), tempfile::tempdir().unwrap());
    let expected = compute(&recipe);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let (basis, found) =
                        basis_of(&recipe, folder.path(), 1, &mut |_| ControlFlow::Continue(())).unwrap();
                    assert!(basis == expected && found.warning().is_none(), "{found:?}");
                }
            });
        }
    });
    assert_eq!(files(folder.path()), [format!("{}.basis", recipe.digest())]);
}

/// A pipe that nobody writes to would keep whoever opens it waiting for ever.
#[cfg(unix)]
#[test]
fn a_pipe_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let (done, waits) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let errors = [open_basis(&path, None).unwrap_err(), open_records(&path, None).unwrap_err()];
        done.send(errors.map(|error| error.to_string()))
    });
    let errors = waits.recv_timeout(std::time::Duration::from_secs(20)).unwrap();
    assert!(errors.iter().all(|error| error.contains("no regular file")), "{errors:?}");
}
