//! The program in a Python environment (the wheel brings it): it works there as if the environment were
//! activated, so that `python3` is the one that has the package.

use std::env::{join_paths, split_paths};
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// Beside the folder of programs of an environment: of `venv`, of conda.
const MARKS: [&str; 2] = ["pyvenv.cfg", "conda-meta"];

/// Becomes this program with the environment's folder first in `PATH`, where it is not in there.
pub fn activate() {
    let Ok(own) = std::env::current_exe() else {
        return;
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let Some(path) = activated_path(&own, &path) else {
        return;
    };
    let mut words = std::env::args_os();
    let name = words.next().unwrap_or_else(|| "leitai".into());
    let mut anew = Command::new(own);
    // What cannot be started anew goes on as it is.
    drop(anew.arg0(name).args(words).env("PATH", path).exec());
}

/// The `PATH` of the environment in which this program lies; none without one, or where it is activated.
fn activated_path(own: &Path, path: &OsStr) -> Option<OsString> {
    let folder = own.parent()?;
    let environment = folder.parent()?;
    let is_one = MARKS.iter().any(|mark| environment.join(mark).exists());
    let is_active = split_paths(path).any(|one| one == folder);
    if !is_one || is_active || !folder.join("python3").exists() {
        return None;
    }
    join_paths(std::iter::once(folder.to_owned()).chain(split_paths(path))).ok()
}
