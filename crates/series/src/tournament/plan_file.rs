//! A tournament's plan as a TOML file.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use leitai_game::AnyGame;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::entrant::is_built_in;
use crate::tournament::FormatKind;
use crate::{EntrantRequest, files, invalid_request};

/// The most matches at once, legs of a match, and matches of an encounter: as on the command line.
const MAX_JOBS: usize = 256;
const MAX_LEGS: usize = 64;
const MAX_MATCHES_OF_TWO: usize = 10_000;

/// The content of a file: missing values come from the command line or are defaults.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanFile {
    /// The game's id.
    pub game: Option<String>,
    /// The format.
    pub format: Option<FormatKind>,
    /// The cycles of a round robin, or the rounds of a Swiss.
    pub rounds: Option<u32>,
    /// The number of heads of a gauntlet.
    pub heads: Option<usize>,
    /// The number of matches in an encounter.
    pub matches: Option<u32>,
    /// The first seed.
    pub seed: Option<u64>,
    /// Further seeds in order.
    pub seeds: Option<Vec<u64>>,
    /// Maps that matches use in turn, as files or in the game's form.
    pub maps: Option<Vec<PathBuf>>,
    /// Choices of the config that matches use in turn.
    #[serde(alias = "boards")]
    pub configs: Option<Vec<Map<String, Value>>>,
    /// The position book from which matches start.
    pub book: Option<PathBuf>,
    /// Choices of the config for every match.
    #[serde(default)]
    pub config: Map<String, Value>,
    /// Legs of a match.
    pub legs: Option<u8>,
    /// The time limit, as on the command line.
    pub limit: Option<String>,
    /// The time bank of a leg, as on the command line.
    pub bank: Option<String>,
    /// What every turn adds to the time bank.
    pub increment: Option<String>,
    /// How much later than its limit a program may answer, for a strike.
    pub grace: Option<String>,
    /// The strikes of a program in a leg.
    pub strikes: Option<u32>,
    /// Whether a program keeps a file between the legs of a match.
    #[serde(default, deserialize_with = "read_keep")]
    pub keep: bool,
    /// Matches at once.
    pub jobs: Option<usize>,
    /// The folder of the tournament.
    pub folder: Option<PathBuf>,
    #[serde(default, deserialize_with = "read_entrants")]
    entrants: Vec<PlanFileEntrant>,
    /// The folder of the file, to which its paths are relative.
    #[serde(skip)]
    base: PathBuf,
}

/// An entrant in the file: a word, or a word with a name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFileEntrant {
    bot: String,
    name: Option<String>,
}

/// Whether a program keeps anything: true and false, or the word of a contest's file.
fn read_keep<'de, D: Deserializer<'de>>(value: D) -> Result<bool, D::Error> {
    match toml::Value::deserialize(value)? {
        toml::Value::Boolean(keeps) => Ok(keeps),
        toml::Value::String(word) if word == "match" => Ok(true),
        toml::Value::String(word) if word == "nothing" => Ok(false),
        other => {
            let shown = (other.as_str()).map_or_else(|| other.type_str().to_owned(), str::to_owned);
            Err(D::Error::custom(format!(
                "keep = {shown}: write true to keep a file between the legs of a match; the matches of a \
             tournament count as independent, so each begins with nothing; `leitai match --matches 20 \
             --keep` plays a series with memory"
            )))
        }
    }
}

/// The entrants of a file; words and tables may be mixed.
fn read_entrants<'de, D: Deserializer<'de>>(list: D) -> Result<Vec<PlanFileEntrant>, D::Error> {
    let read = |value: toml::Value| match value {
        toml::Value::String(bot) => Ok(PlanFileEntrant { bot, name: None }),
        toml::Value::Table(_) => value
            .try_into()
            .map_err(|error: toml::de::Error| error.message().to_owned()),
        other => Err(format!(
            "{} is not an entrant; write \"BOT\" or {{ bot = \"BOT\", name = \"NAME\" }}",
            other.type_str()
        )),
    };
    let all = Vec::<toml::Value>::deserialize(list)?.into_iter().map(read);
    all.collect::<Result<_, String>>()
        .map_err(|why| D::Error::custom(format!("entrants: {why}")))
}

impl PlanFile {
    /// Reads a file. Its relative paths are relative to its folder.
    pub fn read(path: &Path) -> anyhow::Result<PlanFile> {
        let read = files::read_text(path)
            .and_then(|text| PlanFile::parse(&text).with_context(|| path.display().to_string()));
        let mut plan = read.map_err(|why| invalid_request(format!("{why:#}")))?;
        plan.base = path.parent().map(Path::to_owned).unwrap_or_default();
        Ok(plan)
    }

    fn parse(text: &str) -> anyhow::Result<PlanFile> {
        let plan: PlanFile = toml::from_str(text)?;
        plan.check_plan()?;
        Ok(plan)
    }

    /// The entrants.
    ///
    /// # Errors
    /// For settings that cannot be read, see [`EntrantRequest::parse`].
    pub fn entrants(&self, game: &dyn AnyGame) -> anyhow::Result<Vec<EntrantRequest>> {
        let request = |entrant: &PlanFileEntrant| {
            // A path with spaces, relative to the file, is one without settings.
            let own = self.resolve_path(Path::new(&entrant.bot));
            let read = match own.exists() {
                true => EntrantRequest {
                    word: entrant.bot.clone(),
                    ..EntrantRequest::default()
                },
                false => EntrantRequest::parse(game, &entrant.bot)?,
            };
            Ok(EntrantRequest {
                word: self.resolve_word(&read.word, is_built_in(game, &read.word)),
                name: entrant.name.clone().or(read.name),
                settings: read.settings,
            })
        };
        self.entrants.iter().map(request).collect()
    }

    /// Refuses invalid values.
    fn check_plan(&self) -> anyhow::Result<()> {
        let within = |name: &str, value: Option<usize>, most: usize| {
            ensure!(
                value.is_none_or(|value| (1..=most).contains(&value)),
                "{name} = {}: write a number from 1 to {most}, or leave it out",
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
            ("configs", self.configs.as_ref().is_some_and(Vec::is_empty)),
        ];
        if let Some((name, _)) = empty.into_iter().find(|(_, empty)| *empty) {
            bail!("{name} = [] names none: list one or more, or leave it out");
        }
        ensure!(
            self.seed.is_none() || self.seeds.is_none(),
            "seed and seeds are both given: keep seed, from which matches count on, or the list"
        );
        Ok(())
    }

    /// A path of the file, relative to the file's folder.
    pub fn resolve_path(&self, path: &Path) -> PathBuf {
        self.base.join(path)
    }

    /// Resolves a path relative to the file's folder; the name of a built-in bot stays.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_file_is_read() {
        let text = r#"
            game = "kob"
            format = "double"
            matches = 3
            seeds = [1, 2, 3]
            limit = "500ms"
            bank = "10s"
            entrants = ["space", { bot = "./v8", name = "v8" }, "v9=./v8 -d 5 @limit=1s"]
            [config]
            grow_until = 12
        "#;
        let mut file = PlanFile::parse(text).expect("it is sound");
        file.base = "plans".into();
        assert_eq!(
            (file.format, file.matches, file.seeds.as_ref().map(Vec::len)),
            (Some(FormatKind::Double), Some(3), Some(3))
        );
        assert_eq!(file.config["grow_until"], 12);
        assert_eq!(
            (file.bank.as_deref(), &file.increment),
            (Some("10s"), &None)
        );
        let asked = file.entrants(leitai_games::find_game("kob").expect("it is listed"));
        let asked = asked.expect("they are sound");
        assert_eq!(asked[0], EntrantRequest::from_word("space"));
        assert_eq!(
            asked[1],
            EntrantRequest {
                word: "plans/./v8".into(),
                name: Some("v8".into()),
                ..EntrantRequest::default()
            }
        );
        let named = (asked[2].word.as_str(), asked[2].name.as_deref());
        assert_eq!(named, ("plans/./v8", Some("v9")));
        assert_eq!(asked[2].settings.to_string(), "-d 5 @limit=1s");
        assert_eq!(
            file.resolve_word("json-lines:a.py", false),
            "json-lines:plans/a.py"
        );
    }

    #[test]
    fn unknown_keys_and_values_are_refused() {
        let check = |text: &str, part: &str| {
            let why = PlanFile::parse(text)
                .err()
                .expect("it is unsound")
                .to_string();
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
        check("entrants = [3]", "integer is not an entrant");
        check("jobs = 0", "jobs = 0: write a number from 1 to 256");
        check("jobs = 257", "1 to 256");
        check("legs = 0", "legs = 0: write a number from 1 to 64");
        check("matches = 0", "matches = 0");
        check("seeds = []", "seeds = [] names none");
        check("maps = []", "maps = [] names none");
        check("boards = []", "configs = [] names none");
        check("configs = []", "configs = [] names none");
        check("seed = 1\nseeds = [2]", "seed and seeds are both given");
        check(
            "keep = \"tournament\"",
            "keep = tournament: write true to keep a file between the legs of a match",
        );
        check("keep = 1", "keep = integer: write true");
        for (text, keeps) in [
            ("keep = true", true),
            ("keep = \"match\"", true),
            ("", false),
        ] {
            assert_eq!(
                PlanFile::parse(text).expect("it is sound").keep,
                keeps,
                "{text}"
            );
        }
    }
}
