//! `leitai bots GAME`

use std::process::ExitCode;

use leitai_game::Text;

use crate::ask;
use crate::cli::GameArg;
use crate::files::print;
use crate::lang::{t, text};
use crate::width;

/// Lists a game's built-in bots, dialects and hosts.
pub fn run(args: &GameArg) -> anyhow::Result<ExitCode> {
    let game = ask::game(&args.game)?;
    let bots = list(
        [t("built-in bot", "内置程序"), t("how it plays (weakest first)", "玩法（由弱到强）")],
        &game.bots(),
    );
    let dialects = list(
        [t("dialect", "协议"), t("who speaks it (the default first)", "适用于（首个为默认）")],
        &game.dialects(),
    );
    let hosts: Vec<_> = game.hosts().iter().map(|host| (host.name, host.about)).collect();
    let hosts = match &hosts[..] {
        [] => String::new(),
        hosts => format!("\n\n{}", list([t("host", "宿主"), t("what it runs", "可运行的程序")], hosts)),
    };
    print(&format!("{bots}\n\n{dialects}{hosts}\n"))?;
    Ok(ExitCode::SUCCESS)
}

fn list(header: [&str; 2], rows: &[(&str, Text)]) -> String {
    let mut table = width::table();
    table.set_header(header);
    rows.iter().for_each(|(name, about)| {
        table.add_row([*name, text(*about)]);
    });
    table.trim_fmt()
}
