//! Where builds are kept from run to run.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use leitai_judge::build::BuildCache;

use crate::lang::Localizer;

/// Where builds are kept from run to run: the folder that `LEITAI_CACHE` names, `off` for none, or
/// one of this user's caches. If that cannot be used, it is said once.
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
    let named = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    match named("LEITAI_CACHE") {
        Some(off) if off == Path::new("off") => None,
        Some(folder) => Some(folder),
        None => {
            let caches = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")))?;
            caches.is_absolute().then(|| caches.join("leitai/builds"))
        }
    }
}
