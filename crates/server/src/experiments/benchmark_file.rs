//! The result of a benchmark as a file that anybody can repeat, and that the arena that played it
//! signs: docs/benchmark.schema.json.

use leitai_game::replay::signed_json;
use leitai_store::Timestamp;
use leitai_store::values::secret::random_token;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use crate::signatures::{Signer, fits};

/// The version of the format.
const FORMAT: &str = "leitai-benchmark/1";
/// What is signed begins with this line, so that the key's signature under anything else is none
/// under a result.
const PURPOSE: &str = "leitai-benchmark-signature/1\n";
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

    /// The seeds of what was drawn.
    pub fn from_nonce(game: &str, pairs: u64, nonce: String) -> Seeds {
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
    hex::encode(Sha256::digest(text.as_bytes()))
}

/// What the author says about how the bot was written. Nobody checks it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AuthorClaims {
    /// Who wrote it.
    pub agent: Option<String>,
    /// What it cost, in US dollars.
    pub cost_usd: Option<f64>,
    /// Tokens that it took.
    pub tokens: Option<u64>,
}

/// The upload that an arena measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredVersion {
    /// The version's number.
    pub number: i32,
    /// SHA-256 of the file that was uploaded.
    pub sha256: String,
}

/// An arena's signature under everything else that a result says, the author's claims among it as claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArenaSignature {
    /// The arena's address as it calls itself, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arena: Option<String>,
    /// The number of the experiment in that arena.
    pub experiment: i64,
    /// The arena's public key: 64 hexadecimal digits.
    pub key: String,
    /// The Ed25519 signature (RFC 8032) of `signed_json`: 128 hexadecimal digits.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub ed25519: String,
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
    /// The seeds.
    pub seeds: Seeds,
    /// In Elo of legs.
    pub rating: f64,
    /// Its interval.
    pub rating_interval: [f64; 2],
    /// The confidence of the interval.
    pub confidence: f64,
    /// The games against each level, as `leitai rate --json` has them.
    levels: Value,
    /// Games that were played, copies too.
    pub games_played: u64,
    /// The bot's faults by code.
    faults: Value,
    /// Of every reply of every game, in whatever order they ended.
    games_fingerprint: String,
    /// SHA-256 of levels, games, faults and fingerprint: the same for the same games.
    games_sha256: String,
    /// What the author says.
    pub author: AuthorClaims,
    /// The upload, if an arena measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<MeasuredVersion>,
    /// When the arena had measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    /// By the arena that measured it.
    pub signature: Option<ArenaSignature>,
}

/// At most six digits behind the point: every reader of JSON reads and writes such a number alike.
fn six_digits(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// Why a file is not taken.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum BadResult {
    #[error("not a result of `leitai benchmark`; docs/benchmark.schema.json describes one")]
    NoResult(#[source] serde_json::Error),
    #[error("its format is {0}, and this version reads {FORMAT}")]
    OtherFormat(String),
    #[error("its seeds are not those that were committed to by {0}; the file was changed")]
    OtherSeeds(String),
    #[error("its games are not those of games_sha256; the file was changed")]
    OtherGames,
    #[error("its signature does not fit; the file was changed after it was signed")]
    WrongSignature,
    #[error("the rating is no number")]
    NoRating,
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
    ) -> Result<ResultFile, BadResult> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let number = |value: &Value| {
            let number = value.as_f64().ok_or(BadResult::NoRating);
            number.map(six_digits)
        };
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
            author: AuthorClaims {
                cost_usd: author.cost_usd.map(six_digits),
                ..author
            },
            version: None,
            ended: None,
            signature: None,
        })
    }

    /// Reads a file, whose seeds must be those that it committed to.
    pub fn parse(text: &str) -> Result<ResultFile, BadResult> {
        let file: ResultFile = serde_json::from_str(text).map_err(BadResult::NoResult)?;
        if file.format != FORMAT {
            return Err(BadResult::OtherFormat(file.format));
        }
        let own = Seeds::from_nonce(&file.game, file.pairs_asked, file.seeds.nonce.clone());
        if own != file.seeds {
            return Err(BadResult::OtherSeeds(file.seeds.commitment));
        }
        let games = json!([
            file.levels,
            file.games_played,
            file.faults,
            file.games_fingerprint
        ]);
        match hash(&games.to_string()) == file.games_sha256 {
            true => Ok(file),
            false => Err(BadResult::OtherGames),
        }
    }

    /// Signs it as the result of this experiment.
    pub fn sign(&mut self, signer: &Signer, experiment: i64) {
        self.signature = Some(ArenaSignature {
            arena: signer.arena().map(str::to_owned),
            experiment,
            key: signer.public_key(),
            ed25519: String::new(),
        });
        let whole = serde_json::to_value(&*self).expect("a result is plain data");
        let ed25519 = signer.sign_text(&signed_json(PURPOSE, &whole));
        if let Some(signature) = &mut self.signature {
            signature.ed25519 = ed25519;
        }
    }

    /// Reads a file, and who signed it, if anybody did. Whose key it is, is for the caller to find out.
    ///
    /// # Errors
    /// If it was changed after it was signed, or is no result.
    pub fn check(text: &str) -> Result<(ResultFile, Option<ArenaSignature>), BadResult> {
        let file = ResultFile::parse(text)?;
        // What was written is signed, not what this version understands of it.
        let whole: Value = serde_json::from_str(text).map_err(BadResult::NoResult)?;
        let signature = file.signature.clone();
        let is_changed = signature
            .as_ref()
            .is_some_and(|own| !fits(&own.key, &signed_json(PURPOSE, &whole), &own.ed25519));
        match is_changed {
            true => Err(BadResult::WrongSignature),
            false => Ok((file, signature)),
        }
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
