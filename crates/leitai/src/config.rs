//! The configuration files: defaults of options. What a folder brings with it (`./leitai.toml`) may come
//! from a stranger, so it changes neither how programs are isolated nor where anything is sent.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::Context;
use leitai_series::{invalid_request as usage_error, nearest_names, values};
use toml::de::DeTable;

/// The commands whose options have these defaults.
pub const COMMANDS: [&str; 9] = [
    "match",
    "check",
    "play",
    "compare",
    "tune",
    "rate",
    "ladder",
    "tournament",
    "regress",
];
/// Commands that read no configuration: they serve others, or are started by a judge in a stranger's
/// folder.
const WITHOUT: [&str; 7] = [
    "admin",
    "botzone",
    "dataset",
    "each-turn",
    "seat",
    "serve",
    "worker",
];
/// The values of `--lang` and `--isolation`.
const LANGUAGES: [&str; 2] = ["en", "zh"];
const ISOLATIONS: [&str; 5] = ["auto", "a", "b", "c", "none"];
/// The most bytes of a file.
const LONGEST: u64 = 64 << 10;
/// The file of a folder.
const IN_FOLDER: &str = "leitai.toml";

/// A key: an option, and what may be said of it.
pub struct Key {
    /// Its name, which is that of the option, except for `language`.
    pub name: &'static str,
    /// The variable of the environment that goes before the files.
    pub variable: Option<&'static str>,
    /// Whether the file of a folder may set it.
    in_folder: bool,
    check: fn(&str) -> Result<(), String>,
}

const fn key(name: &'static str, in_folder: bool, check: fn(&str) -> Result<(), String>) -> Key {
    Key {
        name,
        variable: None,
        in_folder,
        check,
    }
}

/// All keys.
pub const KEYS: [Key; 14] = [
    Key {
        variable: Some("LEITAI_LANG"),
        ..key("language", true, |text| word(text, &LANGUAGES))
    },
    Key {
        variable: Some("LEITAI_SERVER"),
        ..key("server", false, |_| Ok(()))
    },
    Key {
        variable: Some("LEITAI_ISOLATION"),
        ..key("isolation", false, |text| word(text, &ISOLATIONS))
    },
    key("memory", false, |text| values::parse_size(text).map(drop)),
    key("processes", false, |text| number(text, 4096.0)),
    key("jobs", true, |text| number(text, 256.0)),
    key("limit", true, |text| values::parse_limit(text).map(drop)),
    key("start-limit", true, |text| {
        values::parse_limit_or_none(text).map(drop)
    }),
    key("match-limit", true, |text| {
        values::parse_limit(text).map(drop)
    }),
    key("threads", true, |text| number(text, 256.0)),
    key("elo0", true, |text| real(text).map(drop)),
    key("elo1", true, |text| real(text).map(drop)),
    key("alpha", true, |text| real(text).map(drop)),
    key("beta", true, |text| real(text).map(drop)),
];

fn word(text: &str, words: &[&str]) -> Result<(), String> {
    let is_one = words.contains(&text);
    is_one
        .then_some(())
        .ok_or_else(|| format!("write one of {}", words.join(", ")))
}

fn real(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| "a number is expected".to_owned())
}

fn number(text: &str, most: f64) -> Result<(), String> {
    let found = real(text)?;
    let fits = found.fract() == 0.0 && (1.0..=most).contains(&found);
    fits.then_some(())
        .ok_or_else(|| format!("a whole number from 1 to {most} is expected"))
}

/// A value in a file.
#[derive(Debug)]
pub struct Setting {
    /// The command that it is for; `None`: all that have the option.
    pub command: Option<&'static str>,
    /// The key.
    pub key: &'static str,
    /// The value, as it would be written on the command line.
    pub value: String,
    /// The file and the line.
    pub place: String,
}

static SETTINGS: OnceLock<Vec<Setting>> = OnceLock::new();

/// What the files say, the most telling last; nothing before they are read.
pub fn settings() -> &'static [Setting] {
    SETTINGS.get().map_or(&[], Vec::as_slice)
}

/// The setting of a key that is no option of commands.
pub fn find(key: &str) -> Option<&'static Setting> {
    let mut of_key = settings().iter().filter(|one| one.key == key);
    of_key.next_back()
}

/// Reads the files, once, at the start.
///
/// # Errors
/// For a file that is not TOML, and for keys and values that no option has, with the line and the cure.
pub fn load() -> anyhow::Result<()> {
    let words = std::env::args_os().skip(1);
    let mut words = words.map(|word| word.to_string_lossy().into_owned());
    let command = words.find(|word| !word.starts_with('-'));
    if command.is_some_and(|word| WITHOUT.contains(&word.as_str())) {
        return Ok(());
    }
    let mut all = Vec::new();
    if let Some(path) = own_file() {
        all.extend(read(&path, false)?);
    }
    // A refusal of the folder's file is in the language of the user's own.
    let here = read(Path::new(IN_FOLDER), true);
    let refused = here.map(|here| all.extend(here));
    // What is said of one command goes before what is said of all.
    all.sort_by_key(|one| one.command.is_some());
    SETTINGS.get_or_init(|| all);
    refused
}

/// The user's file: that of LEITAI_CONFIG, else where the login lies, too.
pub fn own_file() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("LEITAI_CONFIG") {
        return (!path.is_empty()).then(|| path.into());
    }
    let folder = config_folder().ok()?;
    Some(folder.join("config.toml"))
}

/// The folder of the user's own files.
pub fn config_folder() -> anyhow::Result<PathBuf> {
    let of = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let config = of("XDG_CONFIG_HOME").or_else(|| of("HOME").map(|home| home.join(".config")));
    Ok(config
        .context("neither XDG_CONFIG_HOME nor HOME is set")?
        .join("leitai"))
}

/// Whether it is a file that is read. Whoever opens a pipe waits for it, and a folder may bring anything
/// under this name.
fn is_readable(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() <= LONGEST)
}

fn read(path: &Path, is_in_folder: bool) -> anyhow::Result<Vec<Setting>> {
    if path.exists() && !is_readable(path) {
        let name = path.display();
        return Err(usage_error(format!("{name} is no file of at most 64 KiB")));
    }
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(usage_error(format!(
                "cannot read {}: {error}",
                path.display()
            )));
        }
    };
    let place = |start: usize| {
        let before = &text.as_bytes()[..start.min(text.len())];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        format!("{}:{line}", path.display())
    };
    let table = DeTable::parse(&text).map_err(|why| {
        let place = place(why.span().map_or(0, |span| span.start));
        usage_error(format!("{place}: this is not TOML: {}", why.message()))
    })?;
    let mut found = Vec::new();
    for (key, value) in table.get_ref() {
        let place_of_key = place(key.span().start);
        let Some(inner) = value.get_ref().as_table() else {
            let written = written(&text, value.span());
            found.push(read_key(
                None,
                key.get_ref(),
                &written,
                place_of_key,
                is_in_folder,
            )?);
            continue;
        };
        let name = key.get_ref().as_ref();
        let command = COMMANDS.into_iter().find(|command| *command == name);
        let Some(command) = command else {
            return Err(usage_error(format!(
                "{place_of_key}: [{name}] is no command whose options have defaults; write one of {}",
                COMMANDS.join(", ")
            )));
        };
        for (key, value) in inner {
            let written = written(&text, value.span());
            let place = place(key.span().start);
            let key = key.get_ref();
            found.push(read_key(Some(command), key, &written, place, is_in_folder)?);
        }
    }
    Ok(found)
}

/// A value as a word of the command line.
fn written(text: &str, span: std::ops::Range<usize>) -> String {
    let written = text.get(span).unwrap_or_default();
    let value = toml::from_str::<toml::Table>(&format!("v = {written}")).ok();
    match value.as_ref().and_then(|table| table.get("v")) {
        Some(toml::Value::String(text)) => text.clone(),
        _ => written.to_owned(),
    }
}

fn read_key(
    command: Option<&'static str>,
    name: &str,
    value: &str,
    place: String,
    is_in_folder: bool,
) -> anyhow::Result<Setting> {
    let mut known = KEYS.iter();
    let Some(key) = known.find(|key| key.name == name) else {
        let names: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
        let near = nearest_names(name, names.iter().copied());
        return Err(usage_error(match near {
            Some(near) => format!("{place}: there is no key {name}; did you mean {near}?"),
            None => format!(
                "{place}: there is no key {name}; there are {}",
                names.join(", ")
            ),
        }));
    };
    if is_in_folder && !key.in_folder {
        let own = own_file().map_or_else(String::new, |path| path.display().to_string());
        return Err(usage_error(format!(
            "{place}: {name} may not stand in the file of a folder, which may be a stranger's; write it into {own}"
        )));
    }
    (key.check)(value)
        .map_err(|why| usage_error(format!("{place}: {name} cannot be {value:?}: {why}")))?;
    Ok(Setting {
        command,
        key: key.name,
        value: value.to_owned(),
        place,
    })
}

/// The commands with the defaults of the files. The environment and the command line go before them.
pub fn with_defaults(command: clap::Command) -> clap::Command {
    COMMANDS.into_iter().fold(command, |command, name| {
        command.mut_subcommand(name, |own| match name {
            "regress" => own.mut_subcommand("run", |run| with_defaults_of(run, name)),
            _ => with_defaults_of(own, name),
        })
    })
}

fn with_defaults_of(mut command: clap::Command, name: &str) -> clap::Command {
    let own = settings().iter();
    let own = own.filter(|one| one.command.is_none_or(|command| command == name));
    for one in own {
        // A tournament's file goes before these, and its own options cannot tell who said them.
        let is_in_plan = name == "tournament" && ["jobs", "limit"].contains(&one.key);
        let has = |arg: &clap::Arg| arg.get_long() == Some(one.key);
        let id = command.get_arguments().find(|arg| has(arg));
        if let Some(id) = id.map(|arg| arg.get_id().clone()).filter(|_| !is_in_plan) {
            // The parser keeps it for as long as the program runs.
            let value: &'static str = Box::leak(one.value.clone().into_boxed_str());
            command = command.mut_arg(id, |arg| arg.default_value(value));
        }
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_is_an_option_and_what_is_wrong_is_told_with_its_line() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("c.toml");
        let read = |text: &str, is_in_folder: bool| {
            std::fs::write(&path, text).expect("own folder");
            let found = read(&path, is_in_folder).map_err(|why| why.to_string());
            found.map(|all| {
                let all = all.iter();
                let all = all.map(|one| format!("{:?} {}={}", one.command, one.key, one.value));
                let mut all: Vec<String> = all.collect();
                all.sort();
                all.join(" ")
            })
        };
        assert_eq!(
            read("jobs = 3\nlanguage = \"zh\"\n[compare]\nelo1 = 5.5\n", true).as_deref(),
            Ok("None jobs=3 None language=zh Some(\"compare\") elo1=5.5")
        );
        for (text, is_in_folder, part) in [
            (
                "\njosb = 3",
                true,
                ":2: there is no key josb; did you mean jobs?",
            ),
            ("a = 3", true, "there are language, server"),
            (
                "jobs = 0",
                true,
                ":1: jobs cannot be \"0\": a whole number from 1 to 256",
            ),
            ("limit = \"soon\"", true, "is not a duration"),
            ("\n\n[serve]\njobs = 1", true, ":3: [serve] is no command"),
            ("jobs =", true, ":1: this is not TOML"),
            ("isolation = \"none\"", true, "may be a stranger's"),
            ("[match]\nmemory = \"1GiB\"", true, "may be a stranger's"),
            (
                "server = \"https://evil.example\"",
                true,
                "may be a stranger's",
            ),
            ("isolation = \"nune\"", false, ":1: isolation"),
            (&"#".repeat(70_000), true, "no file of at most 64 KiB"),
        ] {
            let why = read(text, is_in_folder).expect_err(text);
            assert!(why.contains(part), "{text}: {why}");
        }
        // Nobody waits for whoever writes into a pipe.
        let pipe = folder.path().join("pipe");
        let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR);
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, kind, mode, 0).expect("own folder");
        let why = super::read(&pipe, true).expect_err("a pipe").to_string();
        assert!(why.contains("no file of at most 64 KiB"), "{why}");
        let commands = <crate::cli::Cli as clap::CommandFactory>::command();
        let words = |command: &clap::Command, option: &str| -> Vec<String> {
            let mut all = command.get_arguments();
            let arg = all.find(|arg| arg.get_long() == Some(option));
            let values = arg.expect("it is an option").get_possible_values();
            values
                .iter()
                .map(|value| value.get_name().to_owned())
                .collect()
        };
        assert_eq!(words(&commands, "lang"), LANGUAGES);
        let play = commands.find_subcommand("match").expect("a command");
        assert_eq!(words(play, "isolation"), ISOLATIONS);
        for key in KEYS
            .iter()
            .filter(|key| !["language", "server"].contains(&key.name))
        {
            let has = |command: &str| {
                let command = commands.find_subcommand(command).expect("it is one");
                command
                    .get_arguments()
                    .any(|arg| arg.get_long() == Some(key.name))
            };
            assert!(COMMANDS.into_iter().any(has), "{}", key.name);
        }
    }
}
