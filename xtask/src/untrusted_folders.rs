//! Crates that handle folders of strangers' programs open files only by
//! `crates/sandbox/src/untrusted_folder.rs`: it follows no links, waits for nothing and reads a
//! bounded number of bytes.

use std::fs;
use std::path::Path;

use anyhow::Context;

use crate::sources::collect;

/// The modules that handle such folders.
const MODULES: [&str; 8] = [
    "crates/judge/src/build/",
    "crates/judge/src/check/",
    "crates/sandbox/src/",
    "crates/server/src/work/",
    "crates/work/src/",
    "crates/batch/src/",
    "crates/leitai/src/debug/",
    "crates/guest/src/file/",
];

/// What opens, lists, changes or follows a name.
const CALLS: [&str; 20] = [
    "fs::read(",
    "read_kernel_file(",
    "fs::read_to_string(",
    "read_dir(",
    "read_link(",
    "metadata(",
    "fs::copy(",
    "fs::rename(",
    "fs::remove_file(",
    "fs::remove_dir",
    "fs::set_permissions(",
    "fs::write(",
    "File::open(",
    "File::create(",
    "OpenOptions::new(",
    ".canonicalize(",
    ".is_file(",
    ".is_dir(",
    ".exists(",
    "chown(",
];

/// Modules that may use some of the calls, and why no stranger's program can reach what they name.
const EXCEPTIONS: &str = "
crates/judge/src/build/jsoncpp.rs: .exists(
    where Debian installs headers
crates/guest/src/file/place.rs: .exists( .is_file(
    paths that a person named, without opening them
crates/judge/src/build/cache.rs: metadata( .is_dir( read_dir( fs::remove_file( .canonicalize( .is_file( File::open( OpenOptions::new( fs::remove_dir fs::rename( read_link(
    the cache's own folder, tools of the machine, and a fresh folder in which nothing has run
crates/judge/src/build/companions.rs: .canonicalize( .is_file(
    resolves names beside a file that a person named, without opening them
crates/judge/src/build/error.rs: .exists(
    a path that a person named
crates/judge/src/build/folder_copy.rs: .canonicalize( OpenOptions::new( metadata(
    a folder that a person named, and new files in a fresh folder
crates/judge/src/build/hosted.rs: fs::write(
    new files in a folder that the judge has just made
crates/judge/src/build/libraries/set.rs: fs::set_permissions(
    a folder that the judge has just made
crates/judge/src/build/mod.rs: .canonicalize(
    the judge's own folder
crates/judge/src/build/runtime.rs: .canonicalize( .is_file(
    tools of the machine, without opening them
crates/judge/src/build/source.rs: metadata( .is_dir( read_dir(
    a path that a person named
crates/judge/src/build/tool.rs: metadata( .is_file( .is_dir(
    tools of the machine, without opening them
crates/judge/src/build/tool_runner.rs: metadata( .canonicalize( .is_dir(
    tools of the machine, and folders that the judge made
crates/judge/src/build/unzip.rs: .is_dir( File::open(
    a fresh folder in which nothing has run
crates/sandbox/src/cgroup.rs: fs::read_to_string( read_kernel_file( File::open( fs::write( read_dir( .is_dir( fs::remove_dir
    control groups, which programs cannot write
crates/sandbox/src/child.rs: .is_dir(
    the judge's own folder
crates/sandbox/src/chown.rs: chown(
    the folder itself, which the judge made
crates/sandbox/src/doctor.rs: .exists( fs::read_to_string(
    /proc and /sys
crates/sandbox/src/helper.rs: chown(
    open pipes
crates/sandbox/src/identity.rs: fs::write( fs::read_to_string( metadata(
    /proc/self, and the folders above the judge's own
crates/sandbox/src/init.rs: fs::write(
    /proc/self, before the program starts
crates/sandbox/src/leftovers.rs: metadata( chown( fs::set_permissions( .is_dir( fs::read( read_dir( read_link( read_kernel_file(
    folders that the judge has just made, names of temporary folders, and /proc
crates/sandbox/src/messages.rs: .canonicalize(
    folders of the judge, before the program starts
crates/sandbox/src/path_rules.rs: chown( metadata( .is_dir(
    folders of the judge and the system, before the program starts
crates/sandbox/src/kernel_memory.rs: fs::read_to_string(
    /proc/sys
crates/sandbox/src/machine_memory.rs: fs::read( fs::read_to_string(
    /proc
crates/sandbox/src/proc.rs: read_link( read_kernel_file( read_dir( metadata( .is_file( File::open(
    /proc
crates/sandbox/src/remove.rs: fs::remove_dir fs::set_permissions(
    a folder that is empty by now, and handles that it opened itself without following links
crates/sandbox/src/unisolated.rs: .is_dir(
    the judge's own folder
crates/sandbox/src/view.rs: .is_dir( read_dir( fs::write( fs::set_permissions( fs::remove_file( fs::remove_dir chown( metadata( read_link( .exists(
    a new root before the program starts, as its own user in its own namespaces
crates/work/src/programs.rs: fs::write(
    a fresh folder
crates/batch/src/place.rs: OpenOptions::new( fs::remove_file(
    the worker's own folder
crates/leitai/src/debug/debugger.rs: .is_file(
    tools of the machine, without opening them
crates/leitai/src/debug/process.rs: .canonicalize( fs::write( .exists(
    a folder of the debugger, whose program is the person's own and has his rights
crates/leitai/src/debug/session.rs: fs::read_to_string(
    /proc
crates/leitai/src/debug/traced.rs: fs::read_to_string( read_link( read_dir(
    /proc
";

/// The exceptions: module, calls and reason.
fn exceptions() -> impl Iterator<Item = (&'static str, Vec<&'static str>, &'static str)> {
    let lines: Vec<&str> = EXCEPTIONS.trim().lines().collect();
    let rows: Vec<_> = lines.chunks(2).map(|row| (row[0], row[1].trim())).collect();
    rows.into_iter().map(|(first, why)| {
        let (module, calls) = first.split_once(": ").expect("a module has calls");
        (module, calls.split(' ').collect(), why)
    })
}

/// The module with the only way in.
const WAY_IN: &str = "crates/sandbox/src/untrusted_folder.rs";

/// The problems of all modules, and exceptions that nobody needs any more.
pub fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let (mut files, mut complaints) = (Vec::new(), Vec::new());
    for module in MODULES {
        collect(&root.join(module), &mut files)?;
    }
    let mut used = Vec::new();
    for file in files {
        let path = file.strip_prefix(root).unwrap_or(&file).to_string_lossy();
        let text = fs::read_to_string(&file).with_context(|| path.clone().into_owned())?;
        complaints.extend(check_text(&path, &text));
        used.extend(find_calls(&text).map(|(_, _, call)| (path.clone().into_owned(), call)));
    }
    for (module, calls, why) in exceptions() {
        let is_idle = |call: &&&str| {
            !used
                .iter()
                .any(|(path, used)| path == module && used == *call)
        };
        complaints.extend(calls.iter().filter(is_idle).map(|call| {
            format!(
                "xtask/src/untrusted_folders.rs: {module} needs no exception for {call} ({why})"
            )
        }));
    }
    Ok(complaints)
}

/// The problems of one module.
fn check_text(path: &str, text: &str) -> Vec<String> {
    let is_here = MODULES.iter().any(|module| path.starts_with(module));
    if !is_here || path == WAY_IN {
        return Vec::new();
    }
    let of_module = exceptions().filter(|(module, ..)| *module == path);
    let allowed: Vec<&str> = of_module.flat_map(|(_, calls, _)| calls).collect();
    find_calls(text)
        .filter(|(_, _, call)| !allowed.contains(call))
        .map(|(number, line, call)| {
            format!(
                "{path}:{number}: {line} ({call} may follow a link or wait for ever where a stranger's program \
                 writes: use UntrustedFolder, or add an exception to xtask/src/untrusted_folders.rs)"
            )
        })
        .collect()
}

/// The lines with a call, without comments and unit tests.
fn find_calls(text: &str) -> impl Iterator<Item = (usize, &str, &'static str)> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.trim_start().starts_with("//"));
    lines.flat_map(|(index, line)| {
        let calls = CALLS.into_iter().filter(move |call| line.contains(call));
        calls.map(move |call| (index + 1, line.trim(), call))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_ways_into_a_folder_are_found() {
        let check = |path: &str, line: &str, complaints: usize| {
            assert_eq!(check_text(path, line).len(), complaints, "{path}: {line}");
        };
        let build = "crates/judge/src/build/new.rs";
        check(
            build,
            "let text = std::fs::read_to_string(dir.join(name));",
            1,
        );
        check(build, "let file = File::open(path)?;", 1);
        check(build, "let real = path.canonicalize()?;", 1);
        check(build, "if dir.join(name).is_file() {", 1);
        check(build, "std::fs::symlink_metadata(&path)", 1);
        check(build, "// not with File::open(path)", 0);
        check(build, "folder.read_start(name, 20)", 0);
        check(
            build,
            "let x = 1;\n#[cfg(test)]\nmod tests { fs::read(path) }",
            0,
        );
        check("crates/sandbox/src/proc.rs", "read_kernel_file(path)", 0);
        check("crates/sandbox/src/proc.rs", "fs::copy(path, other)", 1);
        check("crates/server/src/work/worker.rs", "fs::read(path)", 1);
        check("crates/server/src/http/page.rs", "fs::read(path)", 0);
        check(WAY_IN, "path.canonicalize()", 0);
    }

    #[test]
    fn there_is_one_way_in() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .expect("a workspace");
        assert_eq!(check(root).expect("it is readable"), Vec::<String>::new());
    }
}
