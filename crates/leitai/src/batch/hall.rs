//! Who plays and with what: entrants are found and built once, then every match is made from two of
//! them and a seed.

use std::path::Path;

use anyhow::{Context, ensure};
use leitai_game::{ByEntrant, Entrant, ToMove};
use leitai_judge::{MatchSpec, Player, PlayerKind};
use serde_json::Value;

use crate::batch::fingerprint;
use crate::batch::workers::SeriesJob;
use crate::cli::MatchOptionArgs;
use crate::cmd::r#match::make_match;
use crate::entrant::{EntrantSpec, ReadyEntrants};
use crate::lang::{self, translate};
use crate::naming;

/// Most entrants in one hall.
pub const MAX_ENTRANTS: usize = 256;

/// Entrants that are ready to play, and the table they play at.
pub struct Roster {
    /// Ready to play, no two with one name.
    pub players: Vec<Player>,
    /// Of each entrant: changes when its program does.
    pub fingerprints: Vec<String>,
    /// Configs that matches are dealt with, one after the other; at least one.
    pub boards: Vec<Value>,
    /// Everything else of a match.
    template: MatchSpec,
    _folders: Vec<ReadyEntrants>,
}

/// An entrant as it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntrantRequest {
    /// A built-in bot or a path, as on the command line.
    pub word: String,
    /// What to call it, instead of the name of its file.
    pub name: Option<String>,
}

impl EntrantRequest {
    /// As on the command line: `NAME=WORD`, or only the word.
    pub fn from_word(word: impl AsRef<str>) -> EntrantRequest {
        let (name, word) = naming::split_name(word.as_ref());
        EntrantRequest {
            word: word.to_owned(),
            name: name.map(str::to_owned),
        }
    }
}

impl Roster {
    /// Finds and builds the entrants.
    pub fn build_entrants(
        game: &str,
        asked: &[EntrantRequest],
        table: &MatchOptionArgs,
    ) -> anyhow::Result<Roster> {
        ensure!(!asked.is_empty(), "there are no entrants");
        ensure!(
            asked.len() <= MAX_ENTRANTS,
            "{} entrants; at most {MAX_ENTRANTS} can play",
            asked.len()
        );
        let known = crate::arguments::find_game(game)?;
        let filler = known
            .list_bots()
            .first()
            .map(|(name, _)| *name)
            .context("the game has no built-in bots")?;
        let (mut players, mut fingerprints, mut folders) = (Vec::new(), Vec::new(), Vec::new());
        let (mut template, mut sandboxed) = (None, false);
        let all: Vec<&str> = asked.iter().map(|one| one.word.as_str()).collect();
        asked
            .iter()
            .flat_map(|one| &one.name)
            .try_for_each(|name| naming::check_name(name))?;
        let named: Vec<_> = asked
            .iter()
            .map(|one| (one.word.as_str(), one.name.as_deref()))
            .collect();
        for (one, name) in asked.iter().zip(naming::name_entrants(known, &named)) {
            let who = [
                EntrantSpec::Among {
                    word: &one.word,
                    name: &name,
                    all: &all,
                },
                EntrantSpec::Word(filler),
            ];
            let (made, built) = make_match(game, who, table)?;
            let mut player = made.players[Entrant::A].clone();
            player.name = name;
            fingerprints.push(fingerprint_of(&player, &one.word)?);
            // Where there are programs, the table is one that they may sit at: with a sandbox.
            let is_program = matches!(player.kind, PlayerKind::Program { .. });
            if template.is_none() || (is_program && !sandboxed) {
                template = Some(made);
            }
            sandboxed |= is_program;
            players.push(player);
            folders.push(built);
        }
        let template = template.expect("there is an entrant");
        tell_apart(&mut players);
        let boards = vec![template.config.clone()];
        Ok(Roster {
            players,
            fingerprints,
            boards,
            template,
            _folders: folders,
        })
    }

    /// Their names.
    pub fn entrant_names(&self) -> Vec<String> {
        self.players
            .iter()
            .map(|player| player.name.clone())
            .collect()
    }

    /// The game's id.
    pub fn game_id(&self) -> &'static str {
        self.template.game.meta().id
    }

    /// Why the first entrant that cannot be built cannot, with its name.
    pub fn first_broken(&self) -> Option<String> {
        self.players.iter().find_map(|player| match &player.kind {
            PlayerKind::Broken(why) => Some(format!("{} {}", player.name, lang::say(why))),
            _ => None,
        })
    }

    /// What every match is played with: what must not change within a series.
    pub fn match_terms(&self) -> Value {
        let (limits, resources) = (&self.template.limits, &self.template.resources);
        serde_json::json!({
            "game": self.game_id(),
            "rules": self.template.game.meta().rules,
            "boards": self.boards,
            "legs": self.template.legs,
            "period_ms": limits.period.as_millis() as u64,
            "match_ms": limits.total.map(|total| total.as_millis() as u64),
            "pondering": limits.pondering,
            "start_ms": limits.start.as_millis() as u64,
            "memory_bytes": resources.memory,
            "processes": resources.processes,
            "isolation": self.template.sandbox.tier().to_string(),
        })
    }

    /// The match of a job.
    pub fn make_match<T>(&self, job: &SeriesJob<T>) -> anyhow::Result<MatchSpec> {
        let config = self.boards[job.board % self.boards.len()].clone();
        let [a, b] = job.pair.map(|index| self.players[index].clone());
        let table = self.match_template();
        Ok(MatchSpec {
            setup: table.game.deal_setup(&config, job.seed)?,
            config,
            seed: job.seed,
            legs: job.legs.unwrap_or(table.legs),
            players: ByEntrant::new(a, b),
            ..table
        })
    }

    /// A match as everyone plays it here.
    pub fn match_template(&self) -> MatchSpec {
        let MatchSpec {
            game,
            seed,
            legs,
            limits,
            resources,
            io_pattern: manners,
            ..
        } = self.template;
        MatchSpec {
            game,
            config: self.template.config.clone(),
            seed,
            setup: self.template.setup.clone(),
            legs,
            players: self.template.players.clone(),
            limits,
            resources,
            sandbox: self.template.sandbox.clone(),
            recorded: Some(
                humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string(),
            ),
            from: None,
            io_pattern: manners,
        }
    }

    /// Which seed, counted from 0, the match with this number between two entrants is dealt from.
    /// Where a match holds as many legs on either seat, every match has a seed of its own: a second
    /// one on the same seed would tell what the first told. Otherwise two share one, seats swapped.
    pub fn seed_of(&self, number: u64) -> u64 {
        if self.template.legs.is_multiple_of(2) {
            number
        } else {
            number / 2
        }
    }

    /// Whether both seats are asked at once.
    pub fn is_simultaneous(&self) -> bool {
        self.template.setup.start_leg().to_move() == ToMove::Both
    }

    /// Whether anyone plays who is a program, and not a bot of ours.
    pub fn has_programs(&self) -> bool {
        self.players
            .iter()
            .any(|player| matches!(player.kind, PlayerKind::Program { .. }))
    }
}

/// What two headers of a journal do not share, in words: `memory_bytes was 536870912 and is
/// 1073741824`. What the older one does not say was not written down then.
pub fn list_changes(found: &Value, asked: &Value) -> Vec<String> {
    let (Some(found), Some(asked)) = (found.as_object(), asked.as_object()) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for (key, asked) in asked {
        match found.get(key) {
            None => {}
            Some(found) if found == asked => {}
            Some(found) if found.is_object() && asked.is_object() => {
                all.extend(list_changes(found, asked))
            }
            Some(_) if key == "fingerprints" => {
                all.push(translate("a program has changed", "有程序已更改").to_owned())
            }
            Some(found) => all.push(match translate("en", "zh") {
                "zh" => format!("{key} 原为 {found}，现为 {asked}"),
                _ => format!("{key} was {found} and is {asked}"),
            }),
        }
    }
    all
}

/// A path's content; a built-in bot is as old as this version of Leitai.
fn fingerprint_of(player: &Player, word: &str) -> anyhow::Result<String> {
    match &player.kind {
        PlayerKind::BuiltIn(_) => Ok(concat!("leitai ", env!("CARGO_PKG_VERSION")).to_owned()),
        _ => {
            let path = if Path::new(word).exists() {
                word
            } else {
                word.split_once(':').map_or(word, |(_, path)| path)
            };
            fingerprint::of(Path::new(path))
        }
    }
}

/// The second of two equal names gets a number.
fn tell_apart(players: &mut [Player]) {
    for index in 1..players.len() {
        let (before, rest) = players.split_at_mut(index);
        let name = rest[0].name.clone();
        let taken = |name: &str| before.iter().any(|player| player.name == name);
        if taken(&name) {
            let free = (2..)
                .map(|number| format!("{name}-{number}"))
                .find(|name| !taken(name));
            rest[0].name = free.expect("numbers do not end");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_has_changed_is_named_with_both_values() {
        let found = json!({"terms": {"period_ms": 500, "boards": [{}]}, "seed": 1});
        let same =
            json!({"terms": {"period_ms": 500, "boards": [{}], "memory_bytes": 7}, "seed": 1});
        assert_eq!(
            list_changes(&found, &same),
            Vec::<String>::new(),
            "an old journal does not say all"
        );
        let other = json!({"terms": {"period_ms": 600, "boards": [{}]}, "seed": 2});
        let mut all = list_changes(&found, &other);
        all.sort();
        assert_eq!(all, ["period_ms was 500 and is 600", "seed was 1 and is 2"]);
    }
}
