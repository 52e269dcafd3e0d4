//! `leitai bots GAME`

use std::process::ExitCode;

use leitai_game::Text;

use crate::arguments;
use crate::cli::GameArg;
use crate::files::print_stdout;
use crate::lang::{localized_text, translate};
use crate::width;

/// Lists a game's built-in bots, dialects and hosts.
pub fn run(args: &GameArg) -> anyhow::Result<ExitCode> {
    let game = arguments::find_game(&args.game)?;
    let bots = format_list(
        [
            translate("built-in bot", "内置程序"),
            translate("how it plays (weakest first)", "玩法（由弱到强）"),
        ],
        &game.list_bots(),
    );
    let dialects = format_list(
        [
            translate("dialect", "协议"),
            translate("who speaks it (the default first)", "适用于（首个为默认）"),
        ],
        &game.list_protocols(),
    );
    let hosts: Vec<_> = game
        .list_hosts()
        .iter()
        .map(|host| (host.name, host.about))
        .collect();
    let hosts = match &hosts[..] {
        [] => String::new(),
        hosts => format!(
            "\n\n{}",
            format_list(
                [
                    translate("host", "宿主"),
                    translate("what it runs", "可运行的程序")
                ],
                hosts
            )
        ),
    };
    print_stdout(&format!("{bots}\n\n{dialects}{hosts}\n"))?;
    Ok(ExitCode::SUCCESS)
}

fn format_list(header: [&str; 2], rows: &[(&str, Text)]) -> String {
    let mut table = width::table();
    table.set_header(header);
    rows.iter().for_each(|(name, about)| {
        table.add_row([*name, localized_text(*about)]);
    });
    table.trim_fmt()
}
