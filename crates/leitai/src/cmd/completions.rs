//! `leitai completions SHELL` and `leitai man FOLDER`

use std::collections::BTreeSet;

use clap::builder::PossibleValuesParser;
use clap::{CommandFactory, ValueHint};
use clap_complete::Shell;

use crate::cli::{self, Cli, CompletionsArgs, ManArgs};
use crate::files;
use crate::prelude::*;

/// The arguments that accept a built-in bot or a program.
const ENTRANT_ARGS: [&str; 6] = ["a", "b", "new", "base", "against", "with"];

/// Prints completions for a shell.
pub fn print_completions(args: &CompletionsArgs) -> Result<ExitCode> {
    files::print_stdout(&write_script(args.shell)?)?;
    Ok(ExitCode::SUCCESS)
}

/// The script, which completes games, built-in bots and files.
fn write_script(shell: Shell) -> Result<String> {
    let (bots, mut script) = (bot_names(), Vec::new());
    let command = visible_commands(Cli::command());
    let mut command = with_known_values(command, &bots);
    clap_complete::generate(shell, &mut command, "leitai", &mut script);
    let script = String::from_utf8(script).context("the generator writes UTF-8")?;
    Ok(match shell {
        // For an argument with known values zsh completes nothing else; other shells also complete
        // files.
        Shell::Zsh => {
            let bots = bots.join(" ");
            let both = "{_alternative \"bots:built-in bot:(BOTS)\" \"files:program:_files\"}";
            script.replace(
                &format!(":({bots})'"),
                &format!(":{}'", both.replace("BOTS", &bots)),
            )
        }
        _ => script,
    })
}

/// The built-in bots of all games.
fn bot_names() -> Vec<&'static str> {
    let bots = leitai_games::ALL.iter().flat_map(|game| game.list_bots());
    let names: BTreeSet<&'static str> = bots.map(|(name, _)| name).collect();
    names.into_iter().collect()
}

/// `map=`, `max_round=`, …: what can be chosen of some game.
fn config_keys() -> Vec<&'static str> {
    let options = leitai_games::ALL
        .iter()
        .flat_map(|game| game.config_choices());
    let keys: BTreeSet<String> = options.map(|own| format!("{}=", own.key)).collect();
    // The definition of a command keeps its texts for as long as the program runs.
    let keys = keys
        .into_iter()
        .map(|key| &*Box::leak(key.into_boxed_str()));
    keys.collect()
}

/// The commands without hidden ones, which the generator would list.
fn visible_commands(command: clap::Command) -> clap::Command {
    let shown = command
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    let about = command.get_about().cloned().unwrap_or_default();
    clap::Command::new("leitai")
        .about(about)
        .version(env!("CARGO_PKG_VERSION"))
        .args(command.get_arguments().cloned())
        .subcommands(shown.cloned())
}

/// The commands with the games and built-in bots as values of their arguments.
fn with_known_values(command: clap::Command, bots: &[&'static str]) -> clap::Command {
    let games = leitai_games::ALL.iter().map(|game| game.meta().id);
    let games: Vec<&'static str> = games.collect();
    let keys = config_keys();
    let command = command.mut_args(|arg| {
        let is_program = arg.get_value_hint() == ValueHint::AnyPath;
        match arg.get_id().as_str() {
            // `--config KEY=VALUE`: the keys of all games.
            "config" if !keys.is_empty() => arg.value_parser(PossibleValuesParser::new(&keys)),
            "game" => arg.value_parser(PossibleValuesParser::new(&games)),
            id if is_program && ENTRANT_ARGS.contains(&id) => {
                arg.value_parser(PossibleValuesParser::new(bots))
            }
            _ => arg,
        }
    });
    command.mut_subcommands(|command| with_known_values(command, bots))
}

/// Writes a man page for the program and every command.
pub fn write_man_pages(lang: Localizer, args: &ManArgs) -> Result<ExitCode> {
    std::fs::create_dir_all(&args.folder)
        .with_context(|| format!("cannot make the folder {}", args.folder.display()))?;
    clap_mangen::generate_to(cli::commands(lang.lang()), &args.folder)
        .with_context(|| format!("cannot write to {}", args.folder.display()))?;
    let folder = args.folder.display();
    files::print_stdout(&lang.say(&format!(
        "man pages are in {folder}; read one with: man {folder}/leitai.1\n"
    )))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_and_built_in_bots_are_completed_and_hidden_commands_are_not() {
        for (shell, parts) in [
            (Shell::Bash, ["snakego", "territory", "fog="]),
            (
                Shell::Zsh,
                ["snakego", "built-in bot:(", "files:program:_files"],
            ),
        ] {
            let script = write_script(shell).expect("a script");
            assert!(parts.iter().all(|part| script.contains(part)), "{shell}");
            assert!(!script.contains("each-turn"), "{shell}");
        }
    }
}
