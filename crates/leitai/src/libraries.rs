//! The libraries of a folder, for matches on this machine: a folder of `leitai libraries`, or the data
//! folder of an arena.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use leitai_judge::build::{LibraryList, LibrarySet};

use crate::lang::Localizer;

/// Where they lie, in the folder or in an arena's.
const PLACES: [&str; 2] = ["sources/libraries", "blobs/sources/libraries"];

/// Unpacks the libraries of a folder.
///
/// # Errors
/// If there is no list, or a package is not what the list says.
pub fn open_set(lang: Localizer, folder: &Path) -> anyhow::Result<Arc<LibrarySet>> {
    let mut places = PLACES.iter().map(|place| folder.join(place));
    let found = places.find_map(|place| Some((fs::read(place.join("list")).ok()?, place)));
    let (bytes, place) = found.with_context(|| {
        lang.fill(
            "{} has no libraries; leitai libraries add or get makes such a folder",
            &[&folder.display()],
        )
    })?;
    let list = LibraryList::parse(&bytes);
    let list = list.with_context(|| {
        lang.fill(
            "the list of libraries in {} is damaged",
            &[&folder.display()],
        )
    })?;
    let set = LibrarySet::unpack(list, |one| fs::read(place.join(&one.sha256)));
    Ok(Arc::new(set.map_err(|error| {
        anyhow!("{}", lang.say(&error.to_string()))
    })?))
}
