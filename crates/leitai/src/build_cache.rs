//! The folder of the build cache.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use leitai_judge::build::BuildCache;

use crate::lang::Localizer;

/// The build cache: in the folder that `LEITAI_CACHE` names, `off` for none, or in a cache folder
/// of this user. A folder that cannot be used is reported once.
pub fn open_cache(lang: Localizer, say: &mut dyn FnMut(&str)) -> Option<&'static BuildCache> {
    static OPENED: OnceLock<Option<BuildCache>> = OnceLock::new();
    let opened = OPENED.get_or_init(|| match BuildCache::open_folder(&cache_folder()?) {
        Ok(cache) => Some(cache),
        Err(error) => {
            say(&lang.say(&error.to_string()));
            None
        }
    });
    opened.as_ref()
}

fn cache_folder() -> Option<PathBuf> {
    match named("LEITAI_CACHE") {
        Some(off) if off == Path::new("off") => None,
        Some(folder) => Some(folder),
        None => user_cache("builds"),
    }
}

/// A folder of this user for what can be made or fetched again.
pub fn user_cache(name: &str) -> Option<PathBuf> {
    let caches = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")))?;
    let is_whole = caches.is_absolute();
    is_whole.then(|| caches.join("leitai").join(name))
}

/// The path in a variable of the environment.
fn named(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}
