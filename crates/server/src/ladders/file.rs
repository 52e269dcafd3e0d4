//! The operator's file of further ladders.

use std::collections::HashMap;
use std::path::Path;

use leitai_game::{AnyGame, GameSet};
use leitai_store::{Json, LadderId};
use serde::Deserialize;

use super::LadderRules;
use crate::operator_file::{OperatorFileError, read_operator_file};

/// Bytes of the file.
const LONGEST: u64 = 256 << 10;
/// Further ladders of a game.
const LADDERS: usize = 16;
/// Characters of a name.
const NAME: std::ops::RangeInclusive<usize> = 1..=32;
/// Characters of a title.
const TITLE: std::ops::RangeInclusive<usize> = 1..=60;
/// Configs of a ladder.
const CONFIGS: usize = 100;
/// Seeds of a ladder.
const SEEDS: usize = 1_000;
/// The largest seed, which spreadsheets and scripts can hold exactly.
const LARGEST_SEED: u64 = (1 << 53) - 1;

/// What the operator wrote cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LadderFileError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] OperatorFileError),
    /// The file is not one of ladders.
    #[error("{0}")]
    Syntax(String),
    /// A ladder is wrong.
    #[error("ladder {ladder}: {problem}")]
    Ladder {
        /// Its name as it was written.
        ladder: String,
        /// What is wrong, and what to do.
        problem: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileText {
    #[serde(default, rename = "ladder")]
    ladders: Vec<LadderText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LadderText {
    game: String,
    name: String,
    title: String,
    title_zh: Option<String>,
    #[serde(default = "usual_config")]
    configs: Vec<Json>,
    #[serde(default)]
    seeds: Vec<u64>,
}

/// No choices: the game's default config.
fn usual_config() -> Vec<Json> {
    vec![Json::Object(Default::default())]
}

/// Reads the operator's file.
///
/// # Errors
/// See [`LadderFileError`].
pub fn read_ladders(
    file: &Path,
    games: impl Into<GameSet>,
) -> Result<Vec<LadderRules>, LadderFileError> {
    parse_ladders(&read_operator_file(file, LONGEST)?, games)
}

/// Reads the ladders of a file.
pub fn parse_ladders(
    text: &str,
    games: impl Into<GameSet>,
) -> Result<Vec<LadderRules>, LadderFileError> {
    let games = games.into();
    let parsed: FileText =
        toml::from_str(text).map_err(|error| LadderFileError::Syntax(error.to_string()))?;
    if parsed.ladders.is_empty() {
        return Err(LadderFileError::Syntax(
            "there is no [[ladder]] in it; write one, or leave --ladders out".to_owned(),
        ));
    }
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut ladders: Vec<LadderRules> = Vec::new();
    for text in parsed.ladders {
        let shown = text.name.clone();
        let refuse = |problem: String| LadderFileError::Ladder {
            ladder: shown.clone(),
            problem,
        };
        let of_game = known.entry(text.game.clone()).or_default();
        *of_game += 1;
        if *of_game > LADDERS {
            return Err(refuse(format!(
                "{} has more than {LADDERS} ladders here; keep fewer",
                text.game
            )));
        }
        let ladder = check_ladder(text, &games).map_err(&refuse)?;
        if ladders.iter().any(|other| other.id == ladder.id) {
            return Err(refuse(
                "its game has two with this name; give each its own".to_owned(),
            ));
        }
        ladders.push(ladder);
    }
    Ok(ladders)
}

fn check_ladder(text: LadderText, games: &GameSet) -> Result<LadderRules, String> {
    let game = games.find(&text.game);
    let game = game.ok_or_else(|| {
        let listed = games.list();
        let ids: Vec<&str> = listed.iter().map(|game| game.meta().id).collect();
        format!(
            "there is no game {:?}; there are {}",
            text.game,
            ids.join(", ")
        )
    })?;
    let is_letter = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
    if !NAME.contains(&text.name.len()) || !text.name.bytes().all(is_letter) {
        return Err("the name needs 1 to 32 of a-z, 0-9 and -".to_owned());
    }
    if text.name == LadderId::STANDARD {
        return Err("standard is the ladder that every game has; choose another name".to_owned());
    }
    let title = [
        text.title.clone(),
        text.title_zh.clone().unwrap_or(text.title.clone()),
    ];
    for title in &title {
        if !TITLE.contains(&title.chars().count()) || title.chars().any(char::is_control) {
            return Err(format!("title {title:?}: write 1 to 60 characters"));
        }
    }
    if !(1..=CONFIGS).contains(&text.configs.len()) {
        return Err(format!(
            "configs has {} choices; write 1 to {CONFIGS}, or leave it out",
            text.configs.len()
        ));
    }
    if text.seeds.len() > SEEDS || text.seeds.iter().any(|seed| *seed > LARGEST_SEED) {
        return Err(format!("seeds: write at most {SEEDS}, each below 2^53"));
    }
    Ok(LadderRules {
        id: LadderId::new(&text.game, &text.name),
        title,
        configs: read_configs(&text, &*game)?,
        seeds: text.seeds,
    })
}

/// The configs with every default written out.
fn read_configs(text: &LadderText, game: &dyn AnyGame) -> Result<Vec<Json>, String> {
    let seed = text.seeds.first().copied().unwrap_or(1);
    let read = |choices: &Json| {
        let config = game.read_config(choices)?;
        // Only dealing a setup shows whether the choices are compatible.
        game.deal_setup(&config, seed)?;
        Ok(config)
    };
    let configs: Result<Vec<Json>, leitai_game::InvalidSetup> =
        text.configs.iter().map(read).collect();
    configs.map_err(|why| format!("configs: {why}"))
}
