//! The entrants of a series: found and built once. Every match is made from two of them and a seed.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::ensure;
use leitai_game::{AnyGame, ByEntrant, GameHandle, ToMove};
use leitai_judge::build::ReadyEntrant;
use leitai_judge::{EntrantSettings, MatchSpec, Player, PlayerKind, show_duration};
use leitai_sandbox::Program;
use serde_json::{Value, json};

use crate::book::{Book, BookPosition};
use crate::entrant::{BuildNotice, build_named_player, check_requests, locate_program};
use crate::options::MatchOptions;
use crate::report::words;
use crate::series_job::SeriesJob;
use crate::{EntrantRequest, Language, fingerprint, naming};

/// The most entrants of a series.
pub const MAX_ENTRANTS: usize = 256;

/// Entrants that are ready to play, and the options of their matches.
pub struct Roster {
    /// The players; no two have the same name.
    pub players: Vec<Player>,
    /// What each of them alone plays with.
    pub settings: Vec<EntrantSettings>,
    /// A fingerprint of each entrant, which changes when its program or its settings do.
    pub fingerprints: Vec<String>,
    /// The configs of matches, used in turn; at least one.
    pub configs: Vec<Value>,
    /// The positions from which matches start, if not at the game's beginning.
    pub book: Option<Arc<Book>>,
    game: GameHandle,
    options: MatchOptions,
    is_simultaneous: bool,
    /// Whether programs run on other machines, with the isolation of each.
    is_elsewhere: bool,
    /// The folders of programs, removed with the roster.
    _folders: Vec<ReadyEntrant>,
}

/// Makes the player of a name and a word, and the folder of its program, if it is one.
type MakeEntrant<'a> =
    &'a mut dyn FnMut(&str, &str) -> anyhow::Result<(Player, Option<ReadyEntrant>)>;

/// An entrant that could not be built.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct BrokenEntrant {
    pub name: String,
    pub why: String,
}

impl Roster {
    /// Finds and builds the entrants; `notify` gets a notice of every build.
    pub fn build_entrants(
        game: impl Into<GameHandle>,
        asked: &[EntrantRequest],
        options: &MatchOptions,
        notify: &mut dyn FnMut(&BuildNotice),
    ) -> anyhow::Result<Roster> {
        let game = game.into();
        let words: Vec<&str> = asked.iter().map(|one| one.word.as_str()).collect();
        Roster::gather(&game, asked, options, &mut |name, word| {
            build_named_player(&*game, name, word, &words, options, notify)
        })
    }

    /// The entrants of a series that is played on other machines. Nothing is built here; programs
    /// only have to exist.
    pub fn list_entrants(
        game: impl Into<GameHandle>,
        asked: &[EntrantRequest],
        options: &MatchOptions,
    ) -> anyhow::Result<Roster> {
        let game = game.into();
        let mut roster = Roster::gather(&game, asked, options, &mut |name, word| {
            let program = |path: &Path| PlayerKind::Program {
                program: Program::new([path], "."),
                protocol: String::new(),
                connect: options.transport,
            };
            let kind = match game.find_bot(word) {
                Some(bot) => match game.bot_program(bot) {
                    None => PlayerKind::BuiltIn(bot.to_owned()),
                    Some(packed) => program(Path::new(&packed.path)),
                },
                None => program(locate_program(&*game, word)?.1),
            };
            let name = name.to_owned();
            Ok((Player { name, kind }, None))
        })?;
        roster.is_elsewhere = true;
        Ok(roster)
    }

    /// The entrants of a series that an arena plays: settings of one version, which has this
    /// fingerprint. Nothing of it has to be here.
    pub fn list_settings(
        game: impl Into<GameHandle>,
        asked: &[EntrantRequest],
        options: &MatchOptions,
        version: &str,
    ) -> anyhow::Result<Roster> {
        let game = game.into();
        for one in asked {
            one.check_settings(&*game, options)?;
        }
        let player = |one: &EntrantRequest| Player {
            name: one.name.clone().unwrap_or_else(|| one.word.clone()),
            kind: PlayerKind::Program {
                program: Program::new([&one.word], "."),
                protocol: String::new(),
                connect: options.transport,
            },
        };
        let players = asked.iter().map(player).collect();
        let print = |one: &EntrantRequest| with_settings(version.to_owned(), &one.settings);
        let fingerprints = asked.iter().map(print).collect();
        let mut roster = Roster::assemble(&game, asked, options, (players, fingerprints))?;
        roster.is_elsewhere = true;
        Ok(roster)
    }

    fn gather(
        game: &GameHandle,
        asked: &[EntrantRequest],
        options: &MatchOptions,
        make: MakeEntrant<'_>,
    ) -> anyhow::Result<Roster> {
        ensure!(!asked.is_empty(), "there are no entrants");
        ensure!(
            asked.len() <= MAX_ENTRANTS,
            "{} entrants; at most {MAX_ENTRANTS} can play",
            asked.len()
        );
        let named: Vec<&EntrantRequest> = asked.iter().collect();
        check_requests(&**game, &named, options)?;
        let (mut players, mut fingerprints, mut folders) = (Vec::new(), Vec::new(), Vec::new());
        for (one, name) in asked.iter().zip(naming::name_entrants(&**game, &named)) {
            let (player, folder) = make(&name, &one.word)?;
            fingerprints.push(fingerprint_of(&**game, &player, one)?);
            players.push(player);
            folders.extend(folder);
        }
        let mut roster = Roster::assemble(game, asked, options, (players, fingerprints))?;
        roster._folders = folders;
        Ok(roster)
    }

    fn assemble(
        game: &GameHandle,
        asked: &[EntrantRequest],
        options: &MatchOptions,
        (mut players, fingerprints): (Vec<Player>, Vec<String>),
    ) -> anyhow::Result<Roster> {
        number_equal_names(&mut players);
        let setup = game.deal_setup(&options.config, 1)?;
        Ok(Roster {
            players,
            settings: asked.iter().map(|one| one.settings.clone()).collect(),
            fingerprints,
            configs: vec![options.config.clone()],
            book: None,
            game: game.clone(),
            options: options.clone(),
            is_simultaneous: setup.start_leg().to_move() == ToMove::Both,
            is_elsewhere: false,
            _folders: Vec::new(),
        })
    }

    /// The names of the entrants.
    pub fn entrant_names(&self) -> Vec<String> {
        self.players
            .iter()
            .map(|player| player.name.clone())
            .collect()
    }

    /// The game of the series.
    pub fn game(&self) -> &GameHandle {
        &self.game
    }

    /// The game's id.
    pub fn game_id(&self) -> &str {
        self.game.meta().id
    }

    /// The options of every match.
    pub fn options(&self) -> &MatchOptions {
        &self.options
    }

    /// The first entrant that could not be built.
    pub fn first_broken(&self) -> Option<BrokenEntrant> {
        self.players.iter().find_map(|player| match &player.kind {
            PlayerKind::Broken(why) => Some(BrokenEntrant {
                name: player.name.clone(),
                why: why.clone(),
            }),
            _ => None,
        })
    }

    /// The terms of every match, which must not change within a series. On other machines the
    /// isolation is not one of them: each has its own.
    pub fn match_terms(&self) -> Value {
        let (limits, resources) = (&self.options.limits, &self.options.resources);
        let mut terms = json!({
            "game": self.game_id(),
            "rules": self.game.meta().rules,
            "configs": self.configs,
            "legs": self.options.legs,
            "period_ms": limits.period.as_millis() as u64,
            "match_ms": limits.total.map(|total| total.as_millis() as u64),
            "bank_ms": limits.bank.map(|bank| bank.time.as_millis() as u64),
            "increment_ms": limits.bank.map(|bank| bank.increment.as_millis() as u64),
            "grace_ms": limits.grace.map(|grace| grace.time.as_millis() as u64),
            "strikes": limits.grace.map(|grace| grace.strikes),
            "keeps": limits.keeps,
            "pondering": limits.pondering,
            "start_ms": limits.start.as_millis() as u64,
            "memory_bytes": resources.memory,
            "processes": resources.processes,
            "open_files": resources.open_files,
            "file_bytes": resources.file,
            "disk_bytes": resources.disk,
            "message_bytes": limits.message,
        });
        terms["book"] =
            (self.book.as_ref()).map_or(Value::Null, |book| book.fingerprint.as_str().into());
        if let Some(waiting) = limits.waiting {
            terms["waiting_ms"] = (waiting.as_millis() as u64).into();
        }
        if !self.is_elsewhere {
            terms["isolation"] = self.options.sandbox.tier().to_string().into();
        }
        let own: serde_json::Map<String, Value> = (self.players.iter().zip(&self.settings))
            .filter_map(|(player, own)| Some((player.name.clone(), own.to_text()?.into())))
            .collect();
        if !own.is_empty() {
            terms["settings"] = own.into();
        }
        terms
    }

    /// What some entrants alone play with, and where matches start, as lines of a report.
    pub fn terms_lines(&self, language: Language<'_>) -> Vec<String> {
        let terms = self.match_terms();
        let settings = words::describe_settings(&terms, language);
        let settings = settings.map(|settings| language.fill("own settings: {}", &[&settings]));
        let book = words::describe_book(&terms, language);
        let book = book.map(|book| language.fill("starts: {}", &[&book]));
        settings.into_iter().chain(book).collect()
    }

    /// The config of a match.
    pub fn config_of<T>(&self, job: &SeriesJob<T>) -> &Value {
        &self.configs[job.config % self.configs.len()]
    }

    /// The position of the book from which a match starts: that of its seed, so that matches with swapped
    /// seats have the same.
    pub fn position_of<T>(&self, job: &SeriesJob<T>) -> Option<&BookPosition> {
        Some(self.book.as_ref()?.draw(job.seed))
    }

    /// What an entrant alone plays with in a match.
    pub fn settings_of<T>(&self, job: &SeriesJob<T>, index: usize) -> EntrantSettings {
        let own = job.settings.as_ref().and_then(|own| own.get(index));
        own.unwrap_or(&self.settings[index]).clone()
    }

    /// The match of a job.
    pub fn make_match<T>(&self, job: &SeriesJob<T>) -> anyhow::Result<MatchSpec> {
        let [a, b] = job.pair.map(|index| self.players[index].clone());
        let [own_a, own_b] = job.pair.map(|index| self.settings_of(job, index));
        let (config, setup, from) = match self.position_of(job) {
            Some(position) => {
                let (setup, from) = position.start(&*self.game)?;
                (position.config.clone(), setup, Some(from))
            }
            None => {
                let config = self.config_of(job).clone();
                let setup = self.game.deal_setup(&config, job.seed)?;
                (config, setup, None)
            }
        };
        let players = ByEntrant::new(a, b);
        Ok(MatchSpec {
            config,
            from,
            legs: job.legs.unwrap_or(self.options.legs),
            settings: ByEntrant::new(own_a, own_b),
            ..self
                .options
                .make_match(&self.game, players, job.seed, setup)
        })
    }

    /// The index of the seed of a match between two entrants, by the match's number. If a match has
    /// as many legs on either seat, every match has a different seed: a second one on the same seed
    /// would have the same result. Otherwise two matches share a seed, with seats swapped.
    pub fn seed_of(&self, number: u64) -> u64 {
        seed_index(self.options.legs, number)
    }

    /// The matches of two entrants after which configs and seats repeat; only seeds are then new.
    pub fn condition_count(&self) -> u64 {
        let seats = if self.options.legs.is_multiple_of(2) {
            1
        } else {
            2
        };
        self.configs.len() as u64 * seats
    }

    /// Whether both seats are asked at once.
    pub fn is_simultaneous(&self) -> bool {
        self.is_simultaneous
    }

    /// Whether an entrant is a program, and not a built-in bot.
    pub fn has_programs(&self) -> bool {
        self.players
            .iter()
            .any(|player| matches!(player.kind, PlayerKind::Program { .. }))
    }
}

/// [`Roster::seed_of`], for so many legs.
pub fn seed_index(legs: usize, number: u64) -> u64 {
    if legs.is_multiple_of(2) {
        number
    } else {
        number / 2
    }
}

/// The differences between two headers of a journal as text: `memory_bytes was 536870912 and is
/// 1073741824`. A key that the older header does not have is no difference.
pub fn list_changes(found: &Value, asked: &Value) -> Vec<String> {
    let (Some(found), Some(asked)) = (found.as_object(), asked.as_object()) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for (key, asked) in asked {
        match found.get(key) {
            None => {}
            // Fingerprints say it.
            Some(_) if key == "settings" => {}
            Some(found) if found == asked => {}
            Some(found) if found.is_object() && asked.is_object() => {
                all.extend(list_changes(found, asked))
            }
            Some(found) if key == "fingerprints" => all.push(describe_programs(found, asked)),
            Some(found) => all.push(describe_change(key, found, asked)),
        }
    }
    all
}

/// Between the fingerprint of a program and its settings.
const WITH: &str = " with ";

/// Which of both has changed, a program or the settings of an entrant.
fn describe_programs(found: &Value, asked: &Value) -> String {
    let list = |value: &Value| -> Vec<String> {
        let all = value.as_array().into_iter().flatten();
        all.filter_map(|one| one.as_str().map(str::to_owned))
            .collect()
    };
    let split = |one: &str| {
        let (program, own) = one.split_once(WITH).unwrap_or((one, ""));
        (program.to_owned(), own.to_owned())
    };
    let pairs = list(found).into_iter().zip(list(asked));
    for (found, asked) in pairs.filter(|(found, asked)| found != asked) {
        let ((before, was), (now, is)) = (split(&found), split(&asked));
        if before == now {
            return format!("the settings of an entrant were [{was}] and are [{is}]");
        }
    }
    "a program has changed".to_owned()
}

/// A change in the words of the options: `limit was 3 s and is 5 s`.
fn describe_change(key: &str, found: &Value, asked: &Value) -> String {
    let option = match key {
        "cycles" => "rounds",
        "period_ms" => "limit",
        "match_ms" => "match-limit",
        "start_ms" => "start-limit",
        "grace_ms" => "grace",
        "bank_ms" => "bank",
        "increment_ms" => "increment",
        "waiting_ms" => "wait-limit",
        "memory_bytes" => "memory",
        "open_files" => "open-files",
        "file_bytes" => "file-size",
        "disk_bytes" => "disk",
        "message_bytes" => "message",
        "configs" => "config",
        key => key,
    };
    let value = |value: &Value| match value.as_u64() {
        Some(number) if key.ends_with("_ms") => show_duration(Duration::from_millis(number)),
        Some(number) if key.ends_with("_bytes") && number.is_multiple_of(1 << 20) => {
            format!("{} MiB", number >> 20)
        }
        Some(number) if key.ends_with("_bytes") => format!("{number} bytes"),
        _ => value.to_string(),
    };
    format!("{option} was {} and is {}", value(found), value(asked))
}

/// The fingerprint of a program's content, and its settings; for a built-in bot that is none, the
/// version of Leitai.
fn fingerprint_of(
    game: &dyn AnyGame,
    player: &Player,
    request: &EntrantRequest,
) -> anyhow::Result<String> {
    let word = request.word.as_str();
    let packed = game.find_bot(word).and_then(|name| game.bot_program(name));
    let own = match &player.kind {
        _ if packed.is_some() => packed.map_or(String::new(), fingerprint::of_packed),
        PlayerKind::BuiltIn(_) => concat!("leitai ", env!("CARGO_PKG_VERSION")).to_owned(),
        _ => {
            let path = if Path::new(word).exists() {
                word
            } else {
                word.split_once(':').map_or(word, |(_, path)| path)
            };
            fingerprint::compute_fingerprint(Path::new(path))?
        }
    };
    Ok(with_settings(own, &request.settings))
}

fn with_settings(own: String, settings: &EntrantSettings) -> String {
    match settings.to_text() {
        Some(settings) => format!("{own}{WITH}{settings}"),
        None => own,
    }
}

/// The second of two equal names gets a number.
fn number_equal_names(players: &mut [Player]) {
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
    fn a_changed_value_is_named_with_both_values() {
        let found = json!({"terms": {"period_ms": 500, "configs": [{}]}, "seed": 1});
        let same =
            json!({"terms": {"period_ms": 500, "configs": [{}], "memory_bytes": 7}, "seed": 1});
        assert_eq!(
            list_changes(&found, &same),
            Vec::<String>::new(),
            "an old journal does not say all"
        );
        let other = json!({"terms": {"period_ms": 600, "configs": [{}]}, "seed": 2});
        let mut all = list_changes(&found, &other);
        all.sort();
        assert_eq!(
            all,
            ["limit was 500 ms and is 600 ms", "seed was 1 and is 2"]
        );
    }
}
