//! Replays in files, with their games.

use std::path::Path;

use anyhow::Context;
use leitai_game::replay::ReplayFormat;
use leitai_game::{AnyGame, GameHandle, Replay};

use crate::arguments::{UsageError, find_game, usage_error};
use crate::files::read;
use crate::lang::Localizer;

/// A replay and its game.
pub fn read_replay(path: &Path) -> anyhow::Result<(Replay, GameHandle)> {
    parse_replay(&read(path)?, path)
}

/// A replay and its game, from the text of a file.
pub fn parse_replay(text: &str, path: &Path) -> anyhow::Result<(Replay, GameHandle)> {
    let replay = Replay::parse(text).with_context(|| path.display().to_string());
    let replay = replay.map_err(UsageError::wrap)?;
    let game = game_of(&replay, path)?;
    Ok((replay, game))
}

fn game_of(replay: &Replay, path: &Path) -> anyhow::Result<GameHandle> {
    let game = find_game(&replay.game);
    game.map_err(|why| usage_error(format!("{}: {why}", path.display())))
}

/// A replay and its game, also from a file in another site's format, which is imported.
pub fn replay_or_import(lang: Localizer, path: &Path) -> anyhow::Result<(Replay, GameHandle)> {
    let text = read(path)?;
    let own = match Replay::parse(&text) {
        Ok(replay) => {
            let game = game_of(&replay, path)?;
            return Ok((replay, game));
        }
        Err(why) => why,
    };
    if is_own(&text) {
        let own = Err(own).with_context(|| path.display().to_string());
        return own.map_err(UsageError::wrap);
    }
    let mut refused = String::new();
    for (game, format) in foreign_formats() {
        match (format.import)(&text) {
            Ok(replay) => return Ok((replay, game.into())),
            Err(why) => {
                refused.push_str(&format!("\n  {} ({}): {why}", format.name, game.meta().id))
            }
        }
    }
    let own = lang.say(&own.to_string());
    Err(usage_error(format!(
        "{}: {own}{}{refused}",
        path.display(),
        lang.label(". Nor is it in another format:")
    )))
}

/// Whether the text names a format of our own replays, of any version.
fn is_own(text: &str) -> bool {
    let value: Option<serde_json::Value> = serde_json::from_str(text).ok();
    value.is_some_and(|value| {
        value["format"]
            .as_str()
            .is_some_and(|name| name.starts_with("leitai-"))
    })
}

/// All formats of other sites, each with its game.
pub fn foreign_formats() -> impl Iterator<Item = (&'static dyn AnyGame, &'static ReplayFormat)> {
    leitai_games::ALL.iter().flat_map(|game| {
        game.replay_formats()
            .iter()
            .map(move |format| (*game, format))
    })
}
