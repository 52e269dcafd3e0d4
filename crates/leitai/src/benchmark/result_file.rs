//! The result of a benchmark as a file that anybody can repeat: docs/benchmark.schema.json.

use anyhow::{Context, ensure};
use leitai_store::values::secret::random_token;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The version of the format.
const FORMAT: &str = "leitai-benchmark/1";
/// A rating and its interval are from the same games if they are this near: they are written in decimal.
const EQUAL: f64 = 1e-6;

/// The seeds, and what was said of them before the first game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seeds {
    /// SHA-256 of the format, the game, the number of pairs and the nonce, joined by spaces.
    pub commitment: String,
    /// What was drawn.
    pub nonce: String,
    /// The seed of the first pair: the first 48 bits of the SHA-256 of the nonce. Later pairs count on.
    pub first_seed: u64,
}

impl Seeds {
    /// Draws seeds that nobody could know.
    pub fn draw(game: &str, pairs: u64) -> Seeds {
        Seeds::from_nonce(game, pairs, random_token())
    }

    fn from_nonce(game: &str, pairs: u64, nonce: String) -> Seeds {
        let digest = Sha256::digest(nonce.as_bytes());
        let first_seed = digest[..6]
            .iter()
            .fold(0, |seed, byte| seed << 8 | u64::from(*byte));
        let commitment = hash(&format!("{FORMAT} {game} {pairs} {nonce}"));
        Seeds {
            commitment,
            nonce,
            first_seed,
        }
    }
}

fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What the author says about how the bot was written. Nobody checks it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuthorClaims {
    /// Who wrote it.
    pub agent: Option<String>,
    /// What it cost, in US dollars.
    pub cost_usd: Option<f64>,
    /// Tokens that it took.
    pub tokens: Option<u64>,
}

/// A result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultFile {
    format: String,
    /// The version of Leitai.
    leitai: String,
    /// The game's id.
    pub game: String,
    /// The rule set.
    pub rules: String,
    /// The rating scale.
    pub scale: String,
    /// The bot's name.
    bot: String,
    /// Pairs of games that were asked for; fewer are counted where games repeat.
    pub pairs_asked: u64,
    /// CPU time of a turn, in ms.
    pub period_ms: Option<u64>,
    /// The tier of the sandbox, or `none`.
    isolation: String,
    /// Whether the bot had no network.
    pub is_network_closed: bool,
    pub seeds: Seeds,
    /// In Elo of legs.
    pub rating: f64,
    pub rating_interval: [f64; 2],
    pub confidence: f64,
    /// The games against each level, as `leitai rate --json` has them.
    levels: Value,
    pub games_played: u64,
    /// The bot's faults by code.
    faults: Value,
    /// Of every reply of every game, in whatever order they ended.
    games_fingerprint: String,
    /// SHA-256 of levels, games, faults and fingerprint: the same for the same games.
    games_sha256: String,
    pub author: AuthorClaims,
}

/// How a repetition compares with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Comparison {
    /// The same games.
    Same,
    /// Other games; the rating lies in the file's interval.
    WithinInterval,
    /// Another rating.
    Different,
}

impl ResultFile {
    /// The result of this rating (`leitai rate --json`).
    pub fn new(
        rated: &Value,
        pairs_asked: u64,
        seeds: Seeds,
        author: AuthorClaims,
    ) -> anyhow::Result<ResultFile> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let number = |value: &Value| value.as_f64().context("the rating is no number");
        let (terms, faults) = (&rated["terms"], rated["faults"].clone());
        let levels: Vec<Value> = rated["levels"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|level| json!({"name": level["name"], "rating": level["rating"], "games": level["games"]}))
            .collect();
        let games_fingerprint = text(&rated["games_fingerprint"]);
        let games = json!([levels, rated["games_played"], faults, games_fingerprint]);
        let isolation = terms["isolation"].as_str().unwrap_or("none").to_owned();
        let [low, high] = [0, 1].map(|at| number(&rated["rating_interval"][at]));
        Ok(ResultFile {
            format: FORMAT.to_owned(),
            leitai: env!("CARGO_PKG_VERSION").to_owned(),
            game: text(&rated["game"]),
            rules: text(&terms["rules"]),
            scale: text(&rated["scale"]),
            bot: text(&rated["bot"]),
            pairs_asked,
            period_ms: terms["period_ms"].as_u64(),
            is_network_closed: isolation != "none",
            isolation,
            seeds,
            rating: number(&rated["rating"])?,
            rating_interval: [low?, high?],
            confidence: number(&rated["confidence"])?,
            levels: levels.into(),
            games_played: rated["games_played"].as_u64().unwrap_or_default(),
            faults,
            games_fingerprint,
            games_sha256: hash(&games.to_string()),
            author,
        })
    }

    /// Reads a file, whose seeds must be those that it committed to.
    pub fn parse(text: &str) -> anyhow::Result<ResultFile> {
        let file: ResultFile = serde_json::from_str(text).context(
            "not a result of `leitai benchmark`; docs/benchmark.schema.json describes one",
        )?;
        ensure!(
            file.format == FORMAT,
            "its format is {}, and this version reads {FORMAT}",
            file.format
        );
        let own = Seeds::from_nonce(&file.game, file.pairs_asked, file.seeds.nonce.clone());
        ensure!(
            own == file.seeds,
            "its seeds are not those that were committed to by {}; the file was changed",
            file.seeds.commitment
        );
        let games = json!([
            file.levels,
            file.games_played,
            file.faults,
            file.games_fingerprint
        ]);
        ensure!(
            hash(&games.to_string()) == file.games_sha256,
            "its games are not those of games_sha256; the file was changed"
        );
        Ok(file)
    }

    /// How a repetition compares with this file.
    pub fn compare(&self, again: &ResultFile) -> Comparison {
        let [low, high] = self.rating_interval;
        let is_same = self.games_sha256 == again.games_sha256;
        match again.rating {
            rating if is_same && (rating - self.rating).abs() < EQUAL => Comparison::Same,
            rating if (low..=high).contains(&rating) => Comparison::WithinInterval,
            _ => Comparison::Different,
        }
    }
}
