//! Whether the rows of a part, which a stranger may have written, are such as Leitai writes.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::Value;

use super::folder::Part;
use super::moved::{Holds, Keys, Row, columns_of, has_key, visit_keys};
use super::part::PartRules;
use crate::blobs::blobs::BlobKey;
use crate::transfer::error::TransferError;
use crate::transfer::tables::{Kind, Table, row_values};
use crate::{FileName, LadderId, NameKind, clean_tag};

/// The longest text of a row, in bytes.
const LONGEST_TEXT: usize = 4 << 20;

/// The largest number: the last millisecond that has a date of four digits.
const LARGEST: i64 = 253_402_300_799_999;

/// Letters of a ladder's name, as in the operator's file.
const LADDER_NAME: std::ops::RangeInclusive<usize> = 1..=32;

/// What the file of a contest says.
#[derive(Debug)]
pub struct ReadContest {
    /// Whom it names.
    pub names: Vec<FileName>,
}

/// Checks everything that can be known without looking into the database; gives whom contests name.
pub fn check(
    part: &Part,
    tables: &[Table],
    rules: &PartRules<'_>,
) -> Result<HashMap<i64, ReadContest>, TransferError> {
    let mut inside = Inside::default();
    for (table, rows) in &part.rows {
        let schema = tables.iter().find(|own| own.name == *table);
        let schema =
            schema.ok_or_else(|| TransferError::wrong_row(table, "there is no such table"))?;
        for row in rows {
            check_columns(schema, row)?;
            inside.note(table, row)?;
        }
    }
    for (table, rows) in &part.rows {
        for row in rows {
            visit_keys(table, &mut row.clone(), &mut inside)?;
        }
    }
    check_games(part, rules)?;
    check_names(part, rules)?;
    check_bots(part)?;
    check_matches(part)?;
    check_blobs(part)?;
    check_contests(part, rules)
}

/// Known columns alone, which move, and values of their kinds.
fn check_columns(schema: &Table, row: &Row) -> Result<(), TransferError> {
    let table = &schema.name;
    let moving = |name: &str| {
        let mut columns = columns_of(table);
        columns.any(|(own, holds)| own == name && holds != Holds::Left)
    };
    if let Some(name) = row.keys().find(|name| !moving(name)) {
        return Err(TransferError::wrong_row(
            table,
            &format!("there is no column `{name}`"),
        ));
    }
    if row_values(row, schema).is_none() {
        return Err(TransferError::wrong_row(
            table,
            "a value is not of its column's kind",
        ));
    }
    for (name, value) in row {
        let why = match schema.columns.get(name) {
            Some(kind) => describe_fault(name, *kind, value),
            None => None,
        };
        if let Some(why) = why {
            return Err(TransferError::wrong_row(table, &format!("`{name}` {why}")));
        }
    }
    Ok(())
}

/// Why a value of the right kind is none that Leitai writes: a turn without room for the next one would
/// stop a game, and no place is better than one that is no number.
fn describe_fault(name: &str, kind: Kind, value: &Value) -> Option<&'static str> {
    let text = value.as_str().unwrap_or_default();
    let number = value.as_i64().unwrap_or_default();
    let real = || text.parse::<f64>().unwrap_or(f64::NAN);
    match kind {
        _ if text.contains('\0') => Some("has a zero byte"),
        _ if text.len() > LONGEST_TEXT => Some("is too long"),
        Kind::Json if serde_json::from_str::<Value>(text).is_err() => Some("is not JSON"),
        Kind::Whole if name != "seed" && !(-1..=LARGEST).contains(&number) => {
            Some("is out of range")
        }
        Kind::Real if !real().is_finite() => Some("is no number"),
        Kind::Text if name == "tag" && clean_tag(text).as_deref() != Ok(text) => Some("is no tag"),
        _ => None,
    }
}

/// The keys of the part.
#[derive(Default)]
struct Inside {
    known: BTreeMap<&'static str, HashSet<i64>>,
    ladders: BTreeSet<String>,
}

impl Inside {
    fn note(&mut self, table: &'static str, row: &Row) -> Result<(), TransferError> {
        let twice = || TransferError::wrong_row(table, "a key is missing or there twice");
        if has_key(table) {
            let key = row.get("id").and_then(Value::as_i64).ok_or_else(twice)?;
            if !self.known.entry(table).or_default().insert(key) {
                return Err(twice());
            }
        }
        if table == "ladders" {
            let id = row
                .get("ladder")
                .and_then(Value::as_str)
                .ok_or_else(twice)?;
            if !self.ladders.insert(id.to_owned()) {
                return Err(twice());
            }
        }
        Ok(())
    }
}

impl Keys for Inside {
    fn meet_row(
        &mut self,
        table: &'static str,
        key: i64,
        _: bool,
    ) -> Result<Option<i64>, TransferError> {
        let known = self.known.get(table);
        match known.is_some_and(|known| known.contains(&key)) {
            true => Ok(Some(key)),
            false => {
                let why = format!("a row names key {key} of `{table}`, which is not in the part");
                Err(TransferError::Wrong {
                    file: "tables".to_owned(),
                    why,
                })
            }
        }
    }

    fn meet_ladder(&mut self, id: &str) -> Result<Option<String>, TransferError> {
        match self.ladders.contains(id) {
            true => Ok(Some(id.to_owned())),
            false => Err(TransferError::wrong_row(
                "ladders",
                &format!("a row names the ladder {id}, which is not in the part"),
            )),
        }
    }
}

/// The text in a column; empty where there is none.
pub fn text<'r>(row: &'r Row, name: &str) -> &'r str {
    row.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The number in a column.
pub fn number(row: &Row, name: &str) -> Option<i64> {
    row.get(name).and_then(Value::as_i64)
}

/// The rows of a table.
pub fn rows_of<'p>(part: &'p Part, table: &str) -> &'p [Row] {
    part.rows.get(table).map_or(&[], Vec::as_slice)
}

/// This arena plays what is played in the part, and what is secret there is secret here.
fn check_games(part: &Part, rules: &PartRules<'_>) -> Result<(), TransferError> {
    let named: BTreeSet<&str> = ["bots", "matches", "contests", "ladders", "situation_packs"]
        .into_iter()
        .flat_map(|table| rows_of(part, table).iter().map(|row| text(row, "game")))
        .collect();
    let listed: BTreeSet<&str> = part
        .manifest
        .games
        .iter()
        .map(|own| own.game.as_str())
        .collect();
    for game in named.union(&listed) {
        if !listed.contains(game) || !(rules.knows_game)(game, None) {
            return Err(TransferError::NoGame(game.chars().take(60).collect()));
        }
    }
    Ok(())
}

fn check_names(part: &Part, rules: &PartRules<'_>) -> Result<(), TransferError> {
    for table in ["users", "bots"] {
        for row in rows_of(part, table) {
            let is_own = table == "users" || row.contains_key("owner");
            if !is_own {
                continue;
            }
            let name = text(row, "name");
            let wrong = |why: String| TransferError::wrong_row(table, &format!("{name:?}: {why}"));
            (rules.check_name)(name).map_err(wrong)?;
        }
    }
    for row in rows_of(part, "ladders") {
        let id = text(row, "ladder");
        let game = text(row, "game");
        let name = id.strip_prefix(game).unwrap_or("/");
        let name = name.strip_prefix('/').unwrap_or(name);
        let is_letter = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
        let is_standard = id == game && !game.is_empty();
        let is_named = LadderId::new(game, name).to_string() == id
            && LADDER_NAME.contains(&name.len())
            && name.bytes().all(is_letter);
        if !is_standard && !is_named {
            return Err(TransferError::wrong_row(
                "ladders",
                &format!("{id:?} is no ladder's id"),
            ));
        }
    }
    Ok(())
}

/// Bots have an author, are built in, or are deleted; what plays is a version of theirs.
fn check_bots(part: &Part) -> Result<(), TransferError> {
    let wrong = |table: &str, why: &str| Err(TransferError::wrong_row(table, why));
    let mut versions: HashMap<i64, (i64, bool)> = HashMap::new();
    for row in rows_of(part, "versions") {
        let state = text(row, "state");
        if !["ready", "failed"].contains(&state) {
            return wrong("versions", "a version is neither ready nor failed");
        }
        let (Some(id), Some(bot)) = (number(row, "id"), number(row, "bot")) else {
            return wrong("versions", "a version has no bot");
        };
        let plays = state == "ready" && !row.contains_key("deleted");
        versions.insert(id, (bot, plays));
    }
    let is_of = |version: Option<i64>, bot: Option<i64>| match version {
        None => true,
        Some(version) => versions.get(&version).map(|(own, _)| *own) == bot,
    };
    let mut games: HashMap<i64, &str> = HashMap::new();
    for row in rows_of(part, "bots") {
        let active = number(row, "active");
        let plays = active.is_none_or(|id| versions.get(&id).is_some_and(|(_, plays)| *plays));
        if !plays || !is_of(active, number(row, "id")) {
            return wrong(
                "bots",
                "the version that plays is not the bot's, or not ready",
            );
        }
        if row.contains_key("deleted") && (row.contains_key("owner") || active.is_some()) {
            return wrong("bots", "a deleted bot has an author or plays");
        }
        games.insert(number(row, "id").unwrap_or_default(), text(row, "game"));
    }
    for row in rows_of(part, "contest_entries") {
        if !is_of(number(row, "version"), number(row, "bot")) {
            return wrong("contest_entries", "the version is not the bot's");
        }
    }
    for row in rows_of(part, "standings") {
        let ladder = text(row, "ladder");
        let game = ladder.split('/').next().unwrap_or(ladder);
        let bot = number(row, "bot").unwrap_or_default();
        if games.get(&bot) != Some(&game) {
            return wrong("standings", "a bot is on a ladder of another game");
        }
    }
    Ok(())
}

/// Matches are over; those that count are of a ladder or a contest of the part.
fn check_matches(part: &Part) -> Result<(), TransferError> {
    let wrong = |table: &str, why: &str| Err(TransferError::wrong_row(table, why));
    let played: HashSet<Option<i64>> = rows_of(part, "contest_matches")
        .iter()
        .map(|row| number(row, "match_id"))
        .collect();
    for row in rows_of(part, "matches") {
        if !["finished", "void", "cancelled"].contains(&text(row, "state")) {
            return wrong("matches", "a match is not over");
        }
        let (kind, ladder) = (text(row, "kind"), text(row, "ladder"));
        let game = ladder.split('/').next().unwrap_or(ladder);
        let fits = match kind {
            "ladder" => game == text(row, "game"),
            "contest" => ladder.is_empty() && played.contains(&number(row, "id")),
            "friendly" | "human" | "exhibition" => ladder.is_empty(),
            _ => false,
        };
        if !fits || ladder.is_empty() && row.contains_key("turn") {
            return wrong(
                "matches",
                "a match is of a kind that does not move, or of no ladder",
            );
        }
    }
    let entries: HashMap<Option<i64>, Option<i64>> = rows_of(part, "contest_entries")
        .iter()
        .map(|row| (number(row, "id"), number(row, "contest")))
        .collect();
    for row in rows_of(part, "contest_matches") {
        let contest = number(row, "contest");
        let of = |name: &str| entries.get(&number(row, name)).copied().flatten();
        if of("one") != contest || of("other") != contest {
            return wrong("contest_matches", "an entry is one of another contest");
        }
    }
    Ok(())
}

/// Each blob is named by one row and each row's is there: what is not named would stay for ever, and of
/// two rows one would lose its blob with the other.
fn check_blobs(part: &Part) -> Result<(), TransferError> {
    let mut named = HashSet::new();
    for (table, column, kind) in [
        ("versions", "source", "sources/"),
        ("matches", "replay", "replays/"),
    ] {
        for row in rows_of(part, table)
            .iter()
            .filter(|row| row.contains_key(column))
        {
            let key = text(row, column);
            if !key.starts_with(kind) || BlobKey::parse(key).is_err() || !named.insert(key) {
                let why = format!("`{column}` names {key:?}, which is no such file or named twice");
                return Err(TransferError::wrong_row(table, &why));
            }
        }
    }
    let mut listed = HashSet::new();
    for blob in &part.blobs {
        if !named.contains(blob.key.as_str()) || !listed.insert(blob.key.as_str()) {
            return Err(TransferError::Wrong {
                file: "blobs.ndjson".to_owned(),
                why: format!("{:?} is named by no row, or twice", blob.key),
            });
        }
    }
    match named.len() == listed.len() {
        true => Ok(()),
        false => Err(TransferError::Wrong {
            file: "blobs.ndjson".to_owned(),
            why: "a file that a row names is not in it".to_owned(),
        }),
    }
}

/// The files of contests can be read, and are those of their rows; gives whom they name.
fn check_contests(
    part: &Part,
    rules: &PartRules<'_>,
) -> Result<HashMap<i64, ReadContest>, TransferError> {
    let mut read = HashMap::new();
    for row in rows_of(part, "contests") {
        let (name, game) = (text(row, "name"), text(row, "game"));
        let exact = row.get("rules").and_then(Value::as_str);
        if !(rules.knows_game)(game, exact) {
            return Err(TransferError::NoGame(game.to_owned()));
        }
        let wrong = |why: String| TransferError::wrong_row("contests", &why);
        let (id, names) = (rules.read_contest)(game, exact, text(row, "file")).map_err(wrong)?;
        if id != name {
            return Err(wrong(format!(
                "the file of {name:?} says that it is {id:?}"
            )));
        }
        let key = number(row, "id").unwrap_or_default();
        read.insert(key, ReadContest { names });
    }
    for row in rows_of(part, "contest_names") {
        let kind = text(row, "kind");
        if ![NameKind::Account, NameKind::Group]
            .map(NameKind::as_str)
            .contains(&kind)
        {
            return Err(TransferError::wrong_row(
                "contest_names",
                "a name names nothing",
            ));
        }
    }
    Ok(read)
}
