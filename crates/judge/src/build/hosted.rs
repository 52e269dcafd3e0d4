//! Bots that a host of the game runs, see [`Host`]: the choice of the host for a source, and the
//! execution of its commands.

use super::BuildError;
use super::program::{BuiltProgram, RecipeOutput};
use super::tool::Tool;
use super::tool_runner::ToolRunner;
use leitai_game::Host;
use leitai_game::host::PROGRAM;
use leitai_sandbox::UntrustedFolder;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The most bytes of a source file that a host sees.
const SHOWN: u64 = 4 << 20;
/// The most files of a folder that are searched.
const LOOKED_AT: usize = 1000;

/// The first host that accepts this source file directly in a folder; `None` also if the file cannot
/// be read.
pub fn host_of(
    hosts: &'static [Host],
    folder: &UntrustedFolder,
    name: &OsStr,
) -> Option<&'static Host> {
    let path = Path::new(name);
    if hosts.is_empty() || super::Language::from_path(path).is_none() {
        return None;
    }
    let bytes = folder.start_of(path, SHOWN)?;
    let text = String::from_utf8_lossy(&bytes);
    let name = name.to_string_lossy();
    hosts.iter().find(|host| (host.accepts)(&name, &text))
}

/// The host and the main source of a folder: the first file directly in it that a host accepts,
/// `Main.*` and `Bot.*` before the others.
pub fn find_in(
    hosts: &'static [Host],
    folder: &UntrustedFolder,
) -> Option<(&'static Host, OsString)> {
    if hosts.is_empty() {
        return None;
    }
    let entries = folder.list(Path::new(""), LOOKED_AT).ok()?;
    let mut names: Vec<OsString> = entries.into_iter().map(|(name, _)| name).collect();
    names.sort_unstable_by_key(|name| (usual_last(name), name.clone()));
    names
        .into_iter()
        .find_map(|name| Some((host_of(hosts, folder, &name)?, name)))
}

/// `false`, which sorts first, for the usual names of a main source.
fn usual_last(name: &OsStr) -> bool {
    let stem = Path::new(name).file_stem().map(OsStr::to_ascii_lowercase);
    !stem.is_some_and(|stem| stem == "main" || stem == "bot")
}

/// Copies the host's files beside the bot's folder and runs its commands.
///
/// # Errors
/// As [`build_source`](super::build_source), without those of copying.
pub fn make_hosted(
    host: &'static Host,
    main: &OsStr,
    runner: &mut ToolRunner,
) -> Result<RecipeOutput, BuildError> {
    let tools: Vec<Tool> = tools_of(host).collect();
    tools
        .iter()
        .try_for_each(|tool| runner.need_tool(*tool).map(drop))?;
    let dir = runner.path_beside("host");
    std::fs::create_dir(&dir).map_err(BuildError::from_io("create", &dir))?;
    for (name, text) in host.files {
        let path = dir.join(name);
        std::fs::write(&path, text).map_err(BuildError::from_io("write", &path))?;
    }
    let words = CommandPlaceholders {
        src: main,
        host: dir.as_os_str(),
    };
    for line in host.build {
        let (tool, arguments) = line.split_first().expect("a host's commands have words");
        let tool = tools
            .iter()
            .find(|known| known.name == *tool)
            .expect("a host names the tools it builds with");
        let mut arguments: Vec<OsString> =
            arguments.iter().map(|word| words.fill_word(word)).collect();
        find_tools(host, &mut arguments, |tool| runner.need_tool(tool))?;
        runner.run(*tool, &arguments)?;
    }
    let mut argv: Vec<OsString> = host.run.iter().map(|word| words.fill_word(word)).collect();
    find_tools(host, &mut argv, |tool| runner.need_tool(tool))?;
    Ok(RecipeOutput {
        argv,
        how: format!("host {}", host.name),
    })
}

/// Wraps a program in a wrapping host. `leitai` is the Leitai binary.
///
/// # Errors
/// [`BuildError::ToolMissing`].
pub fn wrap_in_host(
    host: &Host,
    mut built: BuiltProgram,
    leitai: &Path,
) -> Result<BuiltProgram, BuildError> {
    let mut argv: Vec<OsString> = Vec::new();
    for word in host.run {
        match *word {
            PROGRAM => argv.append(&mut built.program.argv),
            "{leitai}" => {
                argv.push(leitai.into());
                built.program.reads.push(leitai.to_owned());
            }
            word => argv.push(word.into()),
        }
    }
    find_tools(host, &mut argv, Tool::find_command)?;
    built.program.argv = argv;
    built.host = Some(host.name);
    built.protocol = Some(host.protocol.to_owned());
    built.how = format!("{}, host {}", built.how, host.name);
    Ok(built)
}

pub(super) fn tools_of(host: &Host) -> impl Iterator<Item = Tool> + use<> {
    host.tools
        .iter()
        .map(|(name, package)| Tool { name, package })
}

/// Replaces every word that is the name of one of the host's tools by the path of the tool.
fn find_tools(
    host: &Host,
    words: &mut [OsString],
    mut find: impl FnMut(Tool) -> Result<OsString, BuildError>,
) -> Result<(), BuildError> {
    for word in words {
        if let Some(tool) = tools_of(host).find(|tool| *word == *tool.name) {
            *word = find(tool)?;
        }
    }
    Ok(())
}

/// The values of the placeholders in a host's commands.
struct CommandPlaceholders<'a> {
    src: &'a OsStr,
    host: &'a OsStr,
}

impl CommandPlaceholders<'_> {
    fn fill_word(&self, word: &str) -> OsString {
        let mut filled = OsString::new();
        let mut rest = word;
        while let Some((at, name, value)) = self.next(rest) {
            filled.push(&rest[..at]);
            filled.push(value);
            rest = &rest[at + name.len()..];
        }
        filled.push(rest);
        filled
    }

    fn next(&self, word: &str) -> Option<(usize, &'static str, &OsStr)> {
        let all = [("{src}", self.src), ("{host}", self.host)];
        all.into_iter()
            .filter_map(|(name, value)| Some((word.find(name)?, name, value)))
            .min_by_key(|found| found.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled() {
        let check = |word: &str, expected: &str| {
            let words = CommandPlaceholders {
                src: "a {host}.java".as_ref(),
                host: "/h".as_ref(),
            };
            assert_eq!(words.fill_word(word), OsString::from(expected), "{word}");
        };
        check("plain", "plain");
        check("{src}", "a {host}.java");
        check("{host}/x:{host}/{src}", "/h/x:/h/a {host}.java");
        check("{program}", "{program}");
        check("", "");
    }
}
