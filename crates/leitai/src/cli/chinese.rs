//! Help and refusals of the command line in 简体中文.

mod after;
mod wrap;

use std::error::Error as _;

use clap::builder::PossibleValue;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Arg, Command};
use leitai_game::Lang;
use leitai_game::lang::Catalogue;

use self::wrap::terminal_columns;
pub use self::wrap::wrap_text;
use crate::lang::{HELP, catalogue};

/// What clap writes by itself, longer before what it begins with.
const WORDS: &[(&str, &str)] = &[
    ("Usage: ", "用法："),
    ("Usage:", "用法："),
    ("Commands:", "命令："),
    ("Arguments:", "参数："),
    ("Options:", "选项："),
    ("[OPTIONS]", "[选项]"),
    ("[COMMAND]", "[命令]"),
    ("<COMMAND>", "<命令>"),
    ("Storage:", "存储："),
    ("[default: ", "[默认："),
    ("[env: ", "[环境变量："),
    // Where the line is broken behind it.
    ("[default:", "[默认："),
    ("[env:", "[环境变量："),
    ("[aliases: ", "[别名："),
    (
        "Print this message or the help of the given subcommand(s)",
        "显示此帮助或指定命令的帮助",
    ),
    (
        "Print help (see a summary with '-h')",
        "显示帮助（摘要见 -h）",
    ),
    (
        "Print help (see more with '--help')",
        "显示帮助（更多内容见 --help）",
    ),
    ("Print help", "显示帮助"),
    ("Print version", "显示版本"),
];

/// Columns before a text that stands beside its option, about.
const BESIDE: usize = 36;
/// Columns before a text that stands below its option.
const BELOW: usize = 10;

/// The same commands with Chinese texts.
pub fn translate_command(command: Command) -> Command {
    let catalogue = Catalogue::new([&HELP]);
    with_texts(command, "", &catalogue)
}

fn with_texts(mut command: Command, path: &str, catalogue: &Catalogue) -> Command {
    let zh = |text: &str| catalogue.say(Lang::Zh, text).into_owned();
    let (about, long) = (
        command.get_about().map(|text| zh(&text.to_string())),
        command.get_long_about(),
    );
    let long = long.map(|text| zh(&text.to_string()));
    if let Some(about) = about {
        command = command.about(about);
    }
    if let Some(long) = long {
        command = command.long_about(long);
    }
    let after = command.get_after_help().map(ToString::to_string);
    if let Some(after) = after.and_then(|english| after::after_help(path, &english)) {
        command = command.after_help(wrap_text(&after, terminal_columns()));
    }
    let is_long = command
        .get_arguments()
        .any(|arg| arg.get_long_help().is_some() || has_told_values(arg));
    command
        .mut_args(|arg| with_help(arg, is_long, catalogue))
        .mut_subcommands(|sub| {
            let path = [path, sub.get_name()].join(" ").trim().to_owned();
            with_texts(sub, &path, catalogue)
        })
}

fn has_told_values(arg: &Arg) -> bool {
    arg.get_possible_values()
        .iter()
        .any(|value| value.get_help().is_some())
}

/// The argument with its texts in Chinese. `is_long`: some argument of the command has a long text,
/// so that `--help` writes every text below its option.
fn with_help(arg: Arg, is_long: bool, catalogue: &Catalogue) -> Arg {
    let zh = |text: &str| catalogue.say(Lang::Zh, text).into_owned();
    let help = arg.get_help().map(|text| zh(&text.to_string()));
    let long = arg.get_long_help().map(|text| zh(&text.to_string()));
    let values: Vec<PossibleValue> = arg.get_possible_values();
    let values: Vec<&PossibleValue> = values.iter().filter(|value| !value.is_hide_set()).collect();
    let is_named =
        arg.get_action().takes_values() && !values.is_empty() && !arg.is_hide_possible_values_set();
    let Some(help) = help else { return arg };
    let (beside, below) = (
        terminal_columns().saturating_sub(BESIDE),
        terminal_columns() - BELOW,
    );
    if !is_named {
        return match long {
            Some(long) => arg
                .help(wrap_text(&help, beside))
                .long_help(wrap_text(&long, below)),
            None if is_long => arg
                .long_help(wrap_text(&help, below))
                .help(wrap_text(&help, beside)),
            None => arg.help(wrap_text(&help, beside)),
        };
    }
    let names: Vec<&str> = values.iter().map(|value| value.get_name()).collect();
    let lines = values.iter().map(|value| match value.get_help() {
        Some(about) => format!("- {}：{}", value.get_name(), zh(&about.to_string())),
        None => format!("- {}", value.get_name()),
    });
    let lines: Vec<String> = lines.collect();
    let long = format!(
        "{}\n\n可选值：\n{}",
        long.as_ref().unwrap_or(&help),
        lines.join("\n")
    );
    let short = format!("{help} [可选值：{}]", names.join("、"));
    arg.hide_possible_values(true)
        .help(wrap_text(&short, beside))
        .long_help(wrap_text(&long, below))
}

/// Prints what clap answers instead of a command: help, the version, or why it is none.
pub fn print_clap_error(error: &Error) -> i32 {
    let is_answer = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    );
    let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    let text = match is_answer || is_help {
        true => in_chinese(&error.render().ansi().to_string()),
        false => describe_refusal(error),
    };
    match is_answer {
        true => anstream::print!("{text}"),
        false => anstream::eprint!("{text}"),
    }
    error.exit_code()
}

fn in_chinese(text: &str) -> String {
    WORDS
        .iter()
        .fold(text.to_owned(), |text, (en, zh)| text.replace(en, zh))
}

/// Why it is no command, what to write instead, and how.
pub fn describe_refusal(error: &Error) -> String {
    let mut text = format!("错误：{}\n", describe_reason(error));
    let near = [
        ContextKind::SuggestedArg,
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedValue,
    ];
    let near: Vec<String> = near
        .into_iter()
        .flat_map(|kind| context_values(error, kind))
        .collect();
    if !near.is_empty() {
        text += &format!("\n  提示：是否想用 {}？\n", quote_values(&near));
    }
    if let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) {
        text += &format!("\n{}\n", in_chinese(usage.to_string().trim_end()));
    }
    text + "\n更多信息请用 --help 查看。\n"
}

fn describe_reason(error: &Error) -> String {
    let one = |kind: ContextKind| context_values(error, kind).join("、");
    let (arg, value) = (one(ContextKind::InvalidArg), one(ContextKind::InvalidValue));
    match error.kind() {
        ErrorKind::InvalidValue if value.is_empty() => {
            format!("选项 '{arg}' 需要一个值{}", list_possible_values(error))
        }
        ErrorKind::InvalidValue => {
            format!("'{arg}' 的值 '{value}' 无效{}", list_possible_values(error))
        }
        ErrorKind::ValueValidation => {
            let why = error.source().map(ToString::to_string);
            let why = why.map(|why| format!("：{}", catalogue().say(Lang::Zh, &why)));
            format!("'{arg}' 的值 '{value}' 无效{}", why.unwrap_or_default())
        }
        ErrorKind::UnknownArgument => format!("不认识的参数 '{arg}'"),
        ErrorKind::InvalidSubcommand => {
            format!("不认识的命令 '{}'", one(ContextKind::InvalidSubcommand))
        }
        ErrorKind::MissingRequiredArgument => {
            let lines = context_values(error, ContextKind::InvalidArg).into_iter();
            format!(
                "缺少必需的参数：{}",
                lines.map(|arg| format!("\n  {arg}")).collect::<String>()
            )
        }
        ErrorKind::MissingSubcommand => {
            format!("'{}' 之后需要一个命令", one(ContextKind::InvalidSubcommand))
        }
        ErrorKind::ArgumentConflict => match one(ContextKind::PriorArg) {
            prior if prior.is_empty() || prior == arg => format!("'{arg}' 不能重复给出"),
            prior => format!("'{arg}' 不能与 '{prior}' 同时使用"),
        },
        ErrorKind::TooManyValues => format!("'{arg}' 不能再接受值 '{value}'"),
        ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
            format!("'{arg}' 的值的数目不对")
        }
        ErrorKind::NoEquals => format!("给 '{arg}' 赋值时需要等号"),
        _ => "无法理解这条命令".to_owned(),
    }
}

/// `（可选值：a、b）`
fn list_possible_values(error: &Error) -> String {
    let known = context_values(error, ContextKind::ValidValue);
    if known.is_empty() {
        String::new()
    } else {
        format!("（可选值：{}）", known.join("、"))
    }
}

fn quote_values(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    quoted.join("、")
}

fn context_values(error: &Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(one)) => vec![one.clone()],
        Some(ContextValue::Strings(all)) => all.clone(),
        Some(ContextValue::StyledStr(one)) => vec![one.to_string()],
        Some(ContextValue::Number(number)) => vec![number.to_string()],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::{Cli, translate_command};

    /// The English texts of a command: what it is, and what its arguments and their values are.
    fn texts(command: &Command, path: &str, all: &mut Vec<(String, String)>) {
        let mut add = |what: &str, text: Option<String>| {
            all.extend(text.map(|text| (format!("{path} {what}"), text)));
        };
        add("about", command.get_about().map(ToString::to_string));
        add("about", command.get_long_about().map(ToString::to_string));
        for arg in command.get_arguments() {
            let name = arg.get_id().as_str();
            add(name, arg.get_help().map(ToString::to_string));
            add(name, arg.get_long_help().map(ToString::to_string));
            for value in arg.get_possible_values() {
                add(name, value.get_help().map(ToString::to_string));
            }
        }
        for sub in command.get_subcommands() {
            texts(sub, &format!("{path} {}", sub.get_name()), all);
        }
    }

    fn is_chinese(text: &str) -> bool {
        text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c))
    }

    #[test]
    fn every_text_of_the_help_has_a_chinese_translation() {
        let mut all = Vec::new();
        texts(&translate_command(Cli::command()), "leitai", &mut all);
        let known = |text: &str| HELP.iter().any(|known| known.en == text) || is_chinese(text);
        let missing: Vec<_> = all.iter().filter(|(_, text)| !known(text)).collect();
        assert!(missing.is_empty(), "add these to help.json: {missing:#?}");
        let is_used = |known: &str| all.iter().any(|(_, text)| text == known);
        let stale: Vec<_> = HELP.iter().filter(|known| !is_used(known.en)).collect();
        assert!(stale.is_empty(), "remove these from help.json: {stale:#?}");
        assert!(
            HELP.iter()
                .all(|text| is_chinese(text.zh) || text.zh == "shell")
        );
    }

    fn compare_after(command: &Command, path: &str) {
        let english = command.get_after_help().map(ToString::to_string);
        if let Some(english) = english {
            let chinese = after::after_help(path, &english).unwrap_or_default();
            assert!(
                is_chinese(&chinese),
                "{path}: what stands below the help, in after-help.zh.txt"
            );
            let commands = |text: &str| text.matches("\n  leitai ").count();
            assert_eq!(commands(&english), commands(&chinese), "{path}: examples");
        }
        for sub in command.get_subcommands() {
            compare_after(sub, format!("{path} {}", sub.get_name()).trim());
        }
    }

    #[test]
    fn examples_below_the_help_are_the_same() {
        compare_after(&translate_command(Cli::command()), "");
    }

    #[test]
    fn a_refusal_is_chinese_and_names_the_value() {
        let check = |words: &[&str], part: &str| {
            let command = translate_command(translate_command(Cli::command()));
            let all = ["leitai"].iter().chain(words);
            let error = command
                .try_get_matches_from(all)
                .expect_err("it is no command");
            let text = describe_refusal(&error);
            assert!(
                text.starts_with("错误：") && text.contains(part),
                "{words:?}: {text}"
            );
        };
        check(&["gmaes"], "'games'？");
        check(&["games", "--sed"], "不认识的参数 '--sed'");
        check(&["match", "kob"], "缺少必需的参数：\n  <A>\n  <B>");
        check(
            &["match", "kob", "a", "b", "--seed", "-1"],
            "应为 0 到 18446744073709551615 的整数",
        );
        check(
            &["match", "kob", "a", "b", "--legs", "99"],
            "'--legs <N>' 的值 '99' 无效：",
        );
        check(
            &["match", "kob", "a", "b", "--connect", "udp"],
            "（可选值：stdio、tcp）",
        );
        check(
            &["match", "kob", "a", "b", "--no-replay", "--replay", "x"],
            "不能与",
        );
        check(&["replay", "show"], "缺少必需的参数");
        let quota = |option: &str, value: &str, part: &str| {
            check(&["group", "quota", "ai", option, value], part);
        };
        quota("--uploads", "many", "`many` 不是整数");
        quota("--source-size", "64 MB", "可写 64KiB");
        quota("--languages", "cobol", "这里没有语言 `cobol`；可选：c");
        quota("--looser", "yes", "`yes` 既不是 on 也不是 off");
        check(&["serve", "--source-size", "17MiB"], "1 B 到 16MiB 的大小");
        check(
            &["admin", "import", "folder", "--account", "ada"],
            "例如 ada=ada2",
        );
    }
}
