//! A cache folder for precomputed results.

use crate::error::{FemError, PrecomputeError};
use crate::precompute::recipe::{Recipe, Watcher};
use crate::precompute::store::{StoreError, open_basis, open_records, write_basis};
use crate::precompute::table::TableRecipe;
use pliant::response::{Basis, Records};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where a result came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// It was in the cache.
    Kept(PathBuf),
    /// It was computed, and is now in the cache.
    Stored {
        /// The file.
        path: PathBuf,
        /// Why a file already in the cache could not be used.
        instead_of: Option<StoreError>,
    },
    /// It was computed, but could not be stored.
    Lost(StoreError),
}

impl Found {
    /// The file, if there is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Found::Kept(path) | Found::Stored { path, .. } => Some(path),
            Found::Lost(_) => None,
        }
    }

    /// A warning for the user, if there is anything to report.
    pub fn warning(&self) -> Option<String> {
        match self {
            Found::Stored { instead_of: Some(error), .. } => Some(format!("computed again, since {error}")),
            Found::Lost(error) => Some(format!("the result could not be kept, and will be computed again: {error}")),
            _ => None,
        }
    }
}

/// The modes of a solid: opened from the cache folder if a valid file is there, else computed and stored there. Several
/// processes may do this at once: each that does not find the file computes its own, and the last to finish replaces
/// it.
pub fn basis_of(
    recipe: &Recipe,
    folder: &Path,
    threads: usize,
    watch: Watcher<'_>,
) -> Result<(Basis, Found), FemError> {
    let digest = recipe.digest();
    let path = basis_path(recipe, folder);
    let instead_of = match open_basis(&path, Some(digest)) {
        Ok(basis) => return Ok((basis, Found::Kept(path))),
        Err(error) => Some(error).filter(|error| !error.is_missing()),
    };
    let basis = recipe.compute(threads, watch)?;
    let found = match write_basis(&path, digest, &basis) {
        Ok(()) => Found::Stored { path, instead_of },
        Err(error) => Found::Lost(error),
    };
    Ok((basis, found))
}

/// Path of a recipe's modes in a cache folder.
pub fn basis_path(recipe: &Recipe, folder: &Path) -> PathBuf {
    folder.join(format!("{}.basis", recipe.digest()))
}

/// Recorded responses of a solid: opened from the cache folder if a valid file is there, else recorded there, resuming
/// what an earlier attempt left. They are too large for memory alone, so the folder must be writable.
pub fn records_of(
    recipe: &TableRecipe,
    folder: &Path,
    threads: usize,
    watch: Watcher<'_>,
) -> Result<(Records, Found), PrecomputeError> {
    let path = records_path(recipe, folder);
    let instead_of = match open_records(&path, Some(recipe.digest())) {
        Ok(records) => return Ok((records, Found::Kept(path))),
        Err(error) => Some(error).filter(|error| !error.is_missing()),
    };
    let records = recipe.record(&path, threads, watch)?;
    Ok((records, Found::Stored { path, instead_of }))
}

/// Path of a recipe's recorded responses in a cache folder.
pub fn records_path(recipe: &TableRecipe, folder: &Path) -> PathBuf {
    folder.join(format!("{}.records", recipe.digest()))
}

/// The default cache folder: `$PLIANT_CACHE`, else `$XDG_CACHE_HOME/pliant`, else `$HOME/.cache/pliant`, else `pliant`
/// in the folder for temporary files.
pub fn cache_folder() -> PathBuf {
    folder_from(|name| std::env::var_os(name), &std::env::temp_dir())
}

fn folder_from(variable: impl Fn(&str) -> Option<OsString>, temporary: &Path) -> PathBuf {
    // empty means unset; the XDG specification says to ignore relative paths
    let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let absolute = |name: &str| set(name).filter(|path| path.is_absolute());
    set("PLIANT_CACHE")
        .or_else(|| Some(absolute("XDG_CACHE_HOME")?.join("pliant")))
        .or_else(|| Some(absolute("HOME")?.join(".cache/pliant")))
        .unwrap_or_else(|| temporary.join("pliant"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_names_the_folder() {
        let folder = |set: &[(&str, &str)]| {
            let variable = |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
            folder_from(variable, Path::new("/t")).to_string_lossy().into_owned()
        };
        let all = [("PLIANT_CACHE", "mine"), ("XDG_CACHE_HOME", "/x"), ("HOME", "/h")];
        assert_eq!(folder(&all), "mine");
        assert_eq!(folder(&all[1..]), "/x/pliant");
        assert_eq!(folder(&all[2..]), "/h/.cache/pliant");
        assert_eq!(folder(&[]), "/t/pliant");
        assert_eq!(folder(&[("PLIANT_CACHE", ""), ("XDG_CACHE_HOME", "relative"), ("HOME", "/h")]), "/h/.cache/pliant");
    }
}
