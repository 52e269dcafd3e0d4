//! `leitai games`

use std::process::ExitCode;

use crate::files::print;
use crate::lang::{t, text};
use crate::width;

/// Lists the games.
pub fn run() -> anyhow::Result<ExitCode> {
    let mut table = width::table();
    table.set_header([
        t("game", "游戏"),
        t("name", "名称"),
        t("legs", "局数"),
        t("time a turn", "每回合时限"),
        t("what it is", "简介"),
    ]);
    for game in leitai_games::ALL {
        let meta = game.meta();
        let (legs, limit) = (meta.legs.to_string(), leitai_judge::show(meta.period_limit));
        table.add_row([meta.id, text(meta.title), &legs, &limit, text(meta.about)]);
    }
    print(&format!("{}\n", table.trim_fmt()))?;
    Ok(ExitCode::SUCCESS)
}
