//! What is to be played: from a TOML file, from the command line, or both; what the command line
//! says counts more.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use leitai_ladder::tournament::{TournamentFormat, TournamentStage};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

use crate::batch::hall::{EntrantRequest, Roster};
use crate::cli::{FormatArg, MatchOptionArgs, TournamentArgs, parse_limit};
use crate::lang::translate;
use crate::{arguments, files};

/// Most matches of a tournament.
const MAX_MATCHES: usize = 1_000_000;
/// Most matches at once, legs of a match, and matches of an encounter: as on the command line.
const MAX_JOBS: usize = 256;
const MAX_LEGS: usize = 64;
const MAX_MATCHES_OF_TWO: usize = 10_000;

/// A tournament as planned.
pub struct TournamentPlan {
    /// The game's id.
    pub game: String,
    /// Who plays; in formats with a seeding, the best first.
    pub asked: Vec<EntrantRequest>,
    /// The format.
    pub format: TournamentFormat,
    /// Matches an encounter.
    pub matches: u32,
    /// Seeds of the matches, one after the other; none for those that follow
    /// [`TournamentPlan::seed`].
    pub seeds: Vec<u64>,
    /// The first seed.
    pub seed: u64,
    /// Choices of the game that matches take turns with; none for one board.
    pub boards: Vec<Map<String, Value>>,
    /// Where matches and reports are kept.
    pub folder: PathBuf,
    /// Matches at once.
    pub jobs: Option<usize>,
    /// Everything else that a match is played with.
    pub table: MatchOptionArgs,
}

/// The file.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    game: Option<String>,
    format: Option<FormatArg>,
    rounds: Option<u32>,
    heads: Option<usize>,
    matches: Option<u32>,
    seed: Option<u64>,
    seeds: Option<Vec<u64>>,
    maps: Option<Vec<PathBuf>>,
    boards: Option<Vec<Map<String, Value>>>,
    #[serde(default)]
    config: Map<String, Value>,
    legs: Option<u8>,
    limit: Option<String>,
    jobs: Option<usize>,
    folder: Option<PathBuf>,
    #[serde(default, deserialize_with = "read_entrants")]
    entrants: Vec<PlanFileEntrant>,
}

/// An entrant in the file: a word, or a word with a name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFileEntrant {
    bot: String,
    name: Option<String>,
}

/// Entrants of a file, words and tables mixed.
fn read_entrants<'de, D: Deserializer<'de>>(list: D) -> Result<Vec<PlanFileEntrant>, D::Error> {
    let read = |value: toml::Value| match value {
        toml::Value::String(bot) => Ok(PlanFileEntrant { bot, name: None }),
        toml::Value::Table(_) => value
            .try_into()
            .map_err(|error: toml::de::Error| error.message().to_owned()),
        other => Err(format!(
            "{} is no entrant; write \"BOT\" or {{ bot = \"BOT\", name = \"NAME\" }}",
            other.type_str()
        )),
    };
    let all = Vec::<toml::Value>::deserialize(list)?.into_iter().map(read);
    all.collect::<Result<_, String>>()
        .map_err(|why| D::Error::custom(format!("entrants: {why}")))
}

/// Where the file lies, so that paths in it are meant from there.
struct PlanFolder(Option<PathBuf>);

impl TournamentPlan {
    /// From the command line, and from the file that it names.
    pub fn new(args: TournamentArgs) -> anyhow::Result<TournamentPlan> {
        let (file, named, words) = parts(&args);
        let written = file
            .as_ref()
            .map_or(Ok(PlanFile::default()), |file| read(file))?;
        let home = PlanFolder(
            file.as_ref()
                .and_then(|file| file.parent())
                .map(Path::to_owned),
        );
        let game = named
            .map(str::to_owned)
            .or(written.game)
            .context(translate(
                "which game? Add `game = \"…\"` to the file (`leitai games` lists them)",
                "哪个游戏？请在文件中加上 `game = \"…\"`（leitai games 列出全部）",
            ))?;
        let asked = plan_entrants(&game, words, written.entrants, &home)?;
        let format = plan_format(
            args.format
                .or(written.format)
                .unwrap_or(FormatArg::RoundRobin),
            args.rounds.or(written.rounds),
            args.heads.or(written.heads),
            asked.len(),
        )?;
        let mut table = args.table;
        let limit = written
            .limit
            .as_deref()
            .map(parse_limit)
            .transpose()
            .map_err(anyhow::Error::msg)?;
        table.limit = table.limit.or(limit);
        table.legs = table.legs.or(written.legs);
        table.config.splice(0..0, config_words(&written.config));
        let boards = plan_configs(
            written.boards.unwrap_or_default(),
            &written.maps.unwrap_or_default(),
            &home,
        )?;
        let matches = args.matches.or(written.matches).unwrap_or(1);
        let [_, most] = format.encounter_counts(asked.len());
        let all = most.saturating_mul(matches as usize);
        ensure!(
            (1..=MAX_MATCHES).contains(&all),
            "{all} matches; a tournament has from 1 to {MAX_MATCHES}"
        );
        let named = file
            .as_ref()
            .and_then(|file| file.file_stem())
            .map(PathBuf::from);
        let folder = args
            .folder
            .or(written.folder.map(|folder| home.resolve_path(&folder)));
        Ok(TournamentPlan {
            folder: folder.unwrap_or_else(|| {
                Path::new("tournaments").join(named.unwrap_or(game.clone().into()))
            }),
            game,
            asked,
            format,
            matches,
            seeds: written
                .seeds
                .filter(|_| table.seed.is_none())
                .unwrap_or_default(),
            seed: table.seed.or(written.seed).unwrap_or(1),
            boards,
            jobs: args.series.jobs.map(usize::from).or(written.jobs),
            table,
        })
    }

    /// Builds the entrants.
    pub fn build_roster(&self) -> anyhow::Result<Roster> {
        let mut hall = Roster::build_entrants(&self.game, &self.asked, &self.table)?;
        if !self.boards.is_empty() {
            let game = arguments::find_game(&self.game)?;
            let own = arguments::parse_choices(&self.table.config)?;
            let board = |choices: &Map<String, Value>| {
                let mut all = own.clone();
                all.extend(choices.clone());
                game.read_config(&Value::Object(all))
                    .with_context(|| format!("board {}", json!(choices)))
            };
            hall.boards = self
                .boards
                .iter()
                .map(board)
                .collect::<anyhow::Result<_>>()?;
        }
        Ok(hall)
    }

    /// The header as it is compared with one that was found: a tournament may get more rounds, if
    /// that changes none of those before.
    pub fn lengthen_header(&self, found: &Value, mut header: Value, players: usize) -> Value {
        let begun = TournamentFormat::deserialize(&found["plan"]["format"]);
        if begun.is_ok_and(|begun| self.format.can_lengthen(&begun, players)) {
            header["plan"]["format"] = found["plan"]["format"].clone();
        }
        header
    }

    /// Whether the plan has a stage.
    pub fn has_stage(&self, stage: TournamentStage, players: usize) -> bool {
        match (stage, self.format.round_count(players)) {
            (TournamentStage::Round(round), Some(rounds)) => round <= rounds,
            _ => true,
        }
    }

    /// What must not change while the tournament is played.
    pub fn journal_header(&self, hall: &Roster) -> Value {
        json!({
            "format": "leitai-tournament/1",
            "terms": hall.match_terms(),
            "entrants": hall.entrant_names(),
            "fingerprints": hall.fingerprints,
            "plan": KeptPlan { format: self.format, matches: self.matches, seed: self.seed, seeds: &self.seeds },
        })
    }
}

/// The plan's file, the game and the entrants, as they stand on the command line.
fn parts(args: &TournamentArgs) -> (Option<PathBuf>, Option<&str>, &[String]) {
    match (&args.words[..], args.game.as_deref()) {
        ([only], game) if only.ends_with(".toml") => (Some(PathBuf::from(only)), game, &[]),
        (words, Some(game)) => (None, Some(game), words),
        ([game, words @ ..], None) => (None, Some(game), words),
        ([], None) => (None, None, &[]),
    }
}

#[derive(Serialize)]
struct KeptPlan<'a> {
    format: TournamentFormat,
    matches: u32,
    seed: u64,
    seeds: &'a [u64],
}

fn read(file: &Path) -> anyhow::Result<PlanFile> {
    let text = files::read(file)?;
    parse(&text).with_context(|| file.display().to_string())
}

fn parse(text: &str) -> anyhow::Result<PlanFile> {
    let written: PlanFile = toml::from_str(text)?;
    written.check_plan()?;
    Ok(written)
}

impl PlanFile {
    /// What can be written down and cannot be meant.
    fn check_plan(&self) -> anyhow::Result<()> {
        let within = |name: &str, value: Option<usize>, most: usize| {
            ensure!(
                value.is_none_or(|value| (1..=most).contains(&value)),
                "{name} = {}: write a number from 1 to {most}, or leave it away",
                value.unwrap_or_default()
            );
            Ok(())
        };
        within("jobs", self.jobs, MAX_JOBS)?;
        within("legs", self.legs.map(usize::from), MAX_LEGS)?;
        within(
            "matches",
            self.matches.map(|matches| matches as usize),
            MAX_MATCHES_OF_TWO,
        )?;
        let empty = [
            ("seeds", self.seeds.as_ref().is_some_and(Vec::is_empty)),
            ("maps", self.maps.as_ref().is_some_and(Vec::is_empty)),
            ("boards", self.boards.as_ref().is_some_and(Vec::is_empty)),
        ];
        if let Some((name, _)) = empty.into_iter().find(|(_, empty)| *empty) {
            bail!("{name} = [] names none: list one or more, or leave it away");
        }
        ensure!(
            self.seed.is_none() || self.seeds.is_none(),
            "seed and seeds are both given: keep seed, from which matches count on, or the list"
        );
        Ok(())
    }
}

impl PlanFolder {
    fn resolve_path(&self, path: &Path) -> PathBuf {
        self.0
            .as_ref()
            .map_or_else(|| path.to_owned(), |home| home.join(path))
    }

    /// A built-in bot's name stays; a path is meant from where the file lies.
    fn resolve_word(&self, word: &str, is_bot: bool) -> String {
        let (prefix, path) = match word.split_once(':') {
            Some((prefix, path)) if !prefix.contains(['/', '.']) => (Some(prefix), path),
            _ => (None, word),
        };
        if is_bot {
            return word.to_owned();
        }
        let path = self.resolve_path(Path::new(path)).display().to_string();
        prefix.map_or(path.clone(), |prefix| format!("{prefix}:{path}"))
    }
}

fn plan_entrants(
    game: &str,
    words: &[String],
    written: Vec<PlanFileEntrant>,
    home: &PlanFolder,
) -> anyhow::Result<Vec<EntrantRequest>> {
    let bots = arguments::find_game(game)?.list_bots();
    let from_file = |PlanFileEntrant { bot, name }: PlanFileEntrant| {
        let is_bot = bots.iter().any(|(name, _)| *name == bot);
        EntrantRequest {
            word: home.resolve_word(&bot, is_bot),
            name,
        }
    };
    let asked: Vec<EntrantRequest> = words
        .iter()
        .map(EntrantRequest::from_word)
        .chain(written.into_iter().map(from_file))
        .collect();
    ensure!(
        asked.len() >= 2,
        "{} entrants; a tournament has two or more",
        asked.len()
    );
    Ok(asked)
}

fn plan_format(
    kind: FormatArg,
    rounds: Option<u32>,
    heads: Option<usize>,
    players: usize,
) -> anyhow::Result<TournamentFormat> {
    let cycles = rounds.unwrap_or(1);
    ensure!(
        (1..=10_000).contains(&cycles),
        "{cycles} rounds; a tournament has from 1 to 10000"
    );
    let heads = heads.unwrap_or(1);
    if kind == FormatArg::Gauntlet && !(1..players).contains(&heads) {
        bail!(
            "{heads} heads of {players} entrants; a gauntlet needs at least one, and somebody to run it against"
        );
    }
    Ok(match kind {
        FormatArg::RoundRobin => TournamentFormat::RoundRobin { cycles },
        FormatArg::Gauntlet => TournamentFormat::Gauntlet { heads, cycles },
        FormatArg::Swiss => TournamentFormat::Swiss {
            rounds: rounds.unwrap_or(players.next_power_of_two().ilog2() + 1),
        },
        FormatArg::Single => TournamentFormat::Single,
        FormatArg::Double => TournamentFormat::Double,
    })
}

fn config_words(config: &Map<String, Value>) -> Vec<String> {
    let word = |(key, value): (&String, &Value)| match value {
        Value::String(text) => format!("{key}={text}"),
        value => format!("{key}={value}"),
    };
    config.iter().map(word).collect()
}

/// Boards as they are written, and one for each map.
fn plan_configs(
    mut boards: Vec<Map<String, Value>>,
    maps: &[PathBuf],
    home: &PlanFolder,
) -> anyhow::Result<Vec<Map<String, Value>>> {
    for map in maps {
        let path = home.resolve_path(map);
        let word = if path.is_file() {
            path.display().to_string()
        } else {
            map.display().to_string()
        };
        boards.push(arguments::parse_choices(&[format!("map={word}")])?);
    }
    Ok(boards)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> anyhow::Result<PlanFile> {
        parse(text)
    }

    #[test]
    fn a_file_is_read() {
        let text = r#"
            game = "kob"
            format = "double"
            matches = 3
            seeds = [1, 2, 3]
            limit = "500ms"
            entrants = ["space", { bot = "./v8", name = "v8" }]
            [config]
            grow_until = 12
        "#;
        let file = written(text).expect("it is sound");
        assert_eq!(
            (file.format, file.matches, file.seeds.as_ref().map(Vec::len)),
            (Some(FormatArg::Double), Some(3), Some(3))
        );
        assert_eq!(config_words(&file.config), ["grow_until=12"]);
        let home = PlanFolder(Some("cups".into()));
        let asked = plan_entrants("kob", &[], file.entrants, &home).expect("two entrants");
        assert_eq!(asked[0], EntrantRequest::from_word("space"));
        assert_eq!(
            asked[1],
            EntrantRequest {
                word: "cups/./v8".into(),
                name: Some("v8".into())
            }
        );
        assert_eq!(
            home.resolve_word("json-lines:a.py", false),
            "json-lines:cups/a.py"
        );
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let check = |text: &str, part: &str| {
            let why = written(text).err().expect("it is unsound").to_string();
            assert!(why.contains(part), "{text}: {why}");
        };
        check("gmae = \"kob\"", "gmae");
        check("format = \"swis\"", "swis");
        check("rounds = -1", "rounds");
        check(
            "entrants = [{ bot = \"a\", nmae = \"b\" }]",
            "unknown field `nmae`, expected `bot` or `name`",
        );
        check("entrants = [{ name = \"b\" }]", "missing field `bot`");
        check("entrants = [3]", "integer is no entrant");
        check("jobs = 0", "jobs = 0: write a number from 1 to 256");
        check("jobs = 257", "1 to 256");
        check("legs = 0", "legs = 0: write a number from 1 to 64");
        check("matches = 0", "matches = 0");
        check("seeds = []", "seeds = [] names none");
        check("maps = []", "maps = [] names none");
        check("boards = []", "boards = [] names none");
        check("seed = 1\nseeds = [2]", "seed and seeds are both given");
        assert!(plan_format(FormatArg::Gauntlet, None, Some(3), 3).is_err());
        assert!(plan_format(FormatArg::RoundRobin, Some(0), None, 3).is_err());
        assert_eq!(
            plan_format(FormatArg::Swiss, None, None, 9).expect("sound"),
            TournamentFormat::Swiss { rounds: 5 }
        );
    }
}
