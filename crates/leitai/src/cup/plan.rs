//! What is to be played: from a TOML file, from the command line, or both; what the command line says counts more.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use leitai_ladder::tournament::Format;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::batch::hall::{Asked, Hall};
use crate::cli::{FormatArg, TableArgs, TournamentArgs, parse_limit};
use crate::{ask, files};

/// Most matches of a tournament.
const MAX_MATCHES: usize = 1_000_000;

/// A tournament as planned.
pub struct Plan {
    /// The game's id.
    pub game: String,
    /// Who plays; in formats with a seeding, the best first.
    pub asked: Vec<Asked>,
    /// The format.
    pub format: Format,
    /// Matches an encounter.
    pub matches: u32,
    /// Seeds of the matches, one after the other; none for those that follow [`Plan::seed`].
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
    pub table: TableArgs,
}

/// The file.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    game: Option<String>,
    format: Option<FormatArg>,
    rounds: Option<u32>,
    heads: Option<usize>,
    matches: Option<u32>,
    seed: Option<u64>,
    #[serde(default)]
    seeds: Vec<u64>,
    #[serde(default)]
    maps: Vec<PathBuf>,
    #[serde(default)]
    boards: Vec<Map<String, Value>>,
    #[serde(default)]
    config: Map<String, Value>,
    legs: Option<u8>,
    limit: Option<String>,
    jobs: Option<usize>,
    folder: Option<PathBuf>,
    #[serde(default)]
    entrants: Vec<WrittenEntrant>,
}

/// An entrant in the file: a word, or a word with a name.
#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenEntrant {
    Word(String),
    Named { bot: String, name: Option<String> },
}

/// Where the file lies, so that paths in it are meant from there.
struct Home(Option<PathBuf>);

impl Plan {
    /// From the command line, and from the file that it names.
    pub fn new(args: TournamentArgs) -> anyhow::Result<Plan> {
        let file = match &args.entrants[..] {
            [only] if only.ends_with(".toml") => Some(PathBuf::from(only)),
            _ => None,
        };
        let written = file.as_ref().map_or(Ok(Written::default()), |file| read(file))?;
        let home = Home(file.as_ref().and_then(|file| file.parent()).map(Path::to_owned));
        let words = if file.is_some() { &[][..] } else { &args.entrants[..] };
        let game = args.game.or(written.game).context(
            "which game? Add --game GAME, or `game = \"…\"` to the file (`leitai games` lists them)",
        )?;
        let asked = entrants(&game, words, written.entrants, &home)?;
        let format = format(
            args.format.or(written.format).unwrap_or(FormatArg::RoundRobin),
            args.rounds.or(written.rounds),
            args.heads.or(written.heads),
            asked.len(),
        )?;
        let mut table = args.table;
        let limit = written.limit.as_deref().map(parse_limit).transpose().map_err(anyhow::Error::msg)?;
        table.limit = table.limit.or(limit);
        table.legs = table.legs.or(written.legs);
        table.config.splice(0..0, config_words(&written.config));
        let boards = boards(written.boards, &written.maps, &home)?;
        let matches = args.matches.or(written.matches).unwrap_or(1);
        let [_, most] = format.encounters(asked.len());
        let all = most.saturating_mul(matches as usize);
        ensure!((1..=MAX_MATCHES).contains(&all), "{all} matches; a tournament has from 1 to {MAX_MATCHES}");
        let named = file.as_ref().and_then(|file| file.file_stem()).map(PathBuf::from);
        let folder = args.folder.or(written.folder.map(|folder| home.path(&folder)));
        Ok(Plan {
            folder: folder
                .unwrap_or_else(|| Path::new("tournaments").join(named.unwrap_or(game.clone().into()))),
            game,
            asked,
            format,
            matches,
            seeds: if table.seed.is_some() { Vec::new() } else { written.seeds },
            seed: table.seed.or(written.seed).unwrap_or(1),
            boards,
            jobs: args.series.jobs.map(usize::from).or(written.jobs),
            table,
        })
    }

    /// Builds the entrants.
    pub fn hall(&self) -> anyhow::Result<Hall> {
        let mut hall = Hall::open(&self.game, &self.asked, &self.table)?;
        if !self.boards.is_empty() {
            let game = ask::game(&self.game)?;
            let own = ask::choices(&self.table.config)?;
            let board = |choices: &Map<String, Value>| {
                let mut all = own.clone();
                all.extend(choices.clone());
                game.config(&Value::Object(all)).with_context(|| format!("board {}", json!(choices)))
            };
            hall.boards = self.boards.iter().map(board).collect::<anyhow::Result<_>>()?;
        }
        Ok(hall)
    }

    /// What must not change while the tournament is played.
    pub fn header(&self, hall: &Hall) -> Value {
        json!({
            "format": "leitai-tournament/1",
            "terms": hall.terms(),
            "entrants": hall.names(),
            "fingerprints": hall.fingerprints,
            "plan": Kept { format: self.format, matches: self.matches, seed: self.seed, seeds: &self.seeds },
        })
    }
}

#[derive(Serialize)]
struct Kept<'a> {
    format: Format,
    matches: u32,
    seed: u64,
    seeds: &'a [u64],
}

fn read(file: &Path) -> anyhow::Result<Written> {
    let text = files::read(file)?;
    toml::from_str(&text).with_context(|| file.display().to_string())
}

impl Home {
    fn path(&self, path: &Path) -> PathBuf {
        self.0.as_ref().map_or_else(|| path.to_owned(), |home| home.join(path))
    }

    /// A built-in bot's name stays; a path is meant from where the file lies.
    fn word(&self, word: &str, is_bot: bool) -> String {
        let (prefix, path) = match word.split_once(':') {
            Some((prefix, path)) if !prefix.contains(['/', '.']) => (Some(prefix), path),
            _ => (None, word),
        };
        if is_bot {
            return word.to_owned();
        }
        let path = self.path(Path::new(path)).display().to_string();
        prefix.map_or(path.clone(), |prefix| format!("{prefix}:{path}"))
    }
}

fn entrants(
    game: &str,
    words: &[String],
    written: Vec<WrittenEntrant>,
    home: &Home,
) -> anyhow::Result<Vec<Asked>> {
    let bots = ask::game(game)?.bots();
    let from_file = |entrant: WrittenEntrant| {
        let (bot, name) = match entrant {
            WrittenEntrant::Word(bot) => (bot, None),
            WrittenEntrant::Named { bot, name } => (bot, name),
        };
        let is_bot = bots.iter().any(|(name, _)| *name == bot);
        Asked { word: home.word(&bot, is_bot), name }
    };
    let asked: Vec<Asked> = words.iter().map(Asked::word).chain(written.into_iter().map(from_file)).collect();
    ensure!(asked.len() >= 2, "{} entrants; a tournament has two or more", asked.len());
    Ok(asked)
}

fn format(
    kind: FormatArg,
    rounds: Option<u32>,
    heads: Option<usize>,
    players: usize,
) -> anyhow::Result<Format> {
    let cycles = rounds.unwrap_or(1);
    ensure!((1..=10_000).contains(&cycles), "{cycles} rounds; a tournament has from 1 to 10000");
    let heads = heads.unwrap_or(1);
    if kind == FormatArg::Gauntlet && !(1..players).contains(&heads) {
        bail!(
            "{heads} heads of {players} entrants; a gauntlet needs at least one, and somebody to run it against"
        );
    }
    Ok(match kind {
        FormatArg::RoundRobin => Format::RoundRobin { cycles },
        FormatArg::Gauntlet => Format::Gauntlet { heads, cycles },
        FormatArg::Swiss => {
            Format::Swiss { rounds: rounds.unwrap_or(players.next_power_of_two().ilog2() + 1) }
        }
        FormatArg::Single => Format::Single,
        FormatArg::Double => Format::Double,
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
fn boards(
    mut boards: Vec<Map<String, Value>>,
    maps: &[PathBuf],
    home: &Home,
) -> anyhow::Result<Vec<Map<String, Value>>> {
    for map in maps {
        let path = home.path(map);
        let word = if path.is_file() { path.display().to_string() } else { map.display().to_string() };
        boards.push(ask::choices(&[format!("map={word}")])?);
    }
    Ok(boards)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> anyhow::Result<Written> {
        Ok(toml::from_str(text)?)
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
        assert_eq!((file.format, file.matches, file.seeds.len()), (Some(FormatArg::Double), Some(3), 3));
        assert_eq!(config_words(&file.config), ["grow_until=12"]);
        let home = Home(Some("cups".into()));
        let asked = entrants("kob", &[], file.entrants, &home).expect("two entrants");
        assert_eq!(asked[0], Asked::word("space"));
        assert_eq!(asked[1], Asked { word: "cups/./v8".into(), name: Some("v8".into()) });
        assert_eq!(home.word("json-lines:a.py", false), "json-lines:cups/a.py");
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
        assert!(format(FormatArg::Gauntlet, None, Some(3), 3).is_err());
        assert!(format(FormatArg::RoundRobin, Some(0), None, 3).is_err());
        assert_eq!(format(FormatArg::Swiss, None, None, 9).expect("sound"), Format::Swiss { rounds: 5 });
    }
}
