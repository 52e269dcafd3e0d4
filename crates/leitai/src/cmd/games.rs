//! `leitai games`

use std::process::ExitCode;

use crate::files::print_stdout;
use crate::lang::{localized_text, translate};
use crate::width;

/// Lists the games.
pub fn run() -> anyhow::Result<ExitCode> {
    let mut table = width::table();
    table.set_header([
        translate("game", "游戏"),
        translate("name", "名称"),
        translate("legs", "局数"),
        translate("time a turn", "每回合时限"),
        translate("what it is", "简介"),
    ]);
    for game in leitai_games::ALL {
        let meta = game.meta();
        let (legs, limit) = (
            meta.legs.to_string(),
            leitai_judge::show_duration(meta.period_limit),
        );
        table.add_row([
            meta.id,
            localized_text(meta.title),
            &legs,
            &limit,
            localized_text(meta.about),
        ]);
    }
    print_stdout(&format!("{}\n", table.trim_fmt()))?;
    Ok(ExitCode::SUCCESS)
}
