//! What belongs to a part: from what was asked for down to what hangs on it, and up to what it names.

use std::collections::{BTreeMap, BTreeSet};

use sea_orm::sea_query::{Alias, ExprTrait, SimpleExpr};
use sea_orm::{DatabaseTransaction, EntityTrait};
use serde_json::{Value, json};

use super::moved::{Holds, Keys, MOVED, Row, columns_of, has_key, visit_keys};
use super::part::PartRequest;
use crate::database::prelude::*;
use crate::transfer::error::TransferError;
use crate::transfer::tables::{Table, list_tables, read_row, select_rows};
use crate::{ContestId, MatchId, tables};

/// Keys in one query.
const TOGETHER: usize = 500;

/// The rows of a part.
pub struct Collected {
    pub rows: BTreeMap<&'static str, Vec<Row>>,
}

/// The rows found so far.
struct Collector<'d> {
    snapshot: &'d DatabaseTransaction,
    tables: BTreeMap<String, Table>,
    rows: BTreeMap<&'static str, Vec<Row>>,
    /// The keys of those that have one.
    known: BTreeMap<&'static str, BTreeSet<i64>>,
    ladders: BTreeSet<String>,
    /// Bots that move with all their versions.
    whole: BTreeSet<i64>,
    at: Timestamp,
}

/// Collects the rows of a part as they are at one moment.
pub async fn collect(
    snapshot: &DatabaseTransaction,
    asked: &PartRequest,
    at: Timestamp,
) -> Result<Collected, TransferError> {
    let listed = list_tables(snapshot).await?;
    let mut own = Collector {
        snapshot,
        tables: listed
            .into_iter()
            .map(|table| (table.name.clone(), only_moved(table)))
            .collect(),
        rows: MOVED.iter().map(|(name, _)| (*name, Vec::new())).collect(),
        known: BTreeMap::new(),
        ladders: BTreeSet::new(),
        whole: asked.bots.iter().map(|bot| bot.0).collect(),
        at,
    };
    let contests: Vec<i64> = asked.contests.iter().map(|contest| contest.0).collect();
    own.add_contests(&contests).await?;
    own.add_ladders(asked).await?;
    own.add_matches(asked).await?;
    own.add_parents().await?;
    own.finish()
}

/// Without the columns that stay: they are not even read.
fn only_moved(mut table: Table) -> Table {
    let moving: BTreeSet<&str> = columns_of(&table.name)
        .filter(|(_, holds)| *holds != Holds::Left)
        .map(|(name, _)| name)
        .collect();
    table
        .columns
        .retain(|name, _| moving.contains(name.as_str()));
    table
}

impl Collector<'_> {
    /// Adds the rows whose column is one of these; gives their keys.
    async fn add(
        &mut self,
        table: &'static str,
        column: &str,
        keys: &[i64],
    ) -> Result<Vec<i64>, TransferError> {
        let mut added = Vec::new();
        for some in keys.chunks(TOGETHER) {
            let these = Expr::col(Alias::new(column)).is_in(some.iter().copied());
            added.extend(self.add_where(table, these).await?);
        }
        Ok(added)
    }

    async fn add_where(
        &mut self,
        table: &'static str,
        which: SimpleExpr,
    ) -> Result<Vec<i64>, TransferError> {
        let schema = &self.tables[table];
        let mut query = select_rows(schema);
        query.and_where(which);
        let found = self.snapshot.query_all(&query).await;
        let found = found.map_err(StoreError::from)?;
        let mut added = Vec::new();
        for row in &found {
            let Value::Object(row) = read_row(row, schema).map_err(StoreError::from)? else {
                continue;
            };
            if has_key(table) {
                let key = row["id"].as_i64().unwrap_or_default();
                if !self.known.entry(table).or_default().insert(key) {
                    continue;
                }
                added.push(key);
            }
            self.rows.entry(table).or_default().push(row);
        }
        Ok(added)
    }

    async fn add_contests(&mut self, contests: &[i64]) -> Result<(), TransferError> {
        self.add("contests", "id", contests).await?;
        for table in [
            "contest_entries",
            "contest_stages",
            "contest_matches",
            "contest_names",
            "situation_packs",
        ] {
            self.add(table, "contest", contests).await?;
        }
        Ok(())
    }

    async fn add_ladders(&mut self, asked: &PartRequest) -> Result<(), TransferError> {
        for ladder in &asked.ladders {
            let id = ladder.to_string();
            if !self.ladders.insert(id.clone()) {
                continue;
            }
            for table in [
                "ladders",
                "standings",
                "rating_changes",
                "doubt_raises",
                "head_to_heads",
                "distinct_games",
            ] {
                let its = Expr::col(Alias::new("ladder")).eq(id.as_str());
                self.add_where(table, its).await?;
            }
        }
        let playing = self.keys_in("standings", "bot");
        self.whole.extend(playing);
        let whole: Vec<i64> = self.whole.iter().copied().collect();
        self.add("bots", "id", &whole).await?;
        Ok(())
    }

    /// The keys in a column of the rows so far.
    fn keys_in(&self, table: &str, column: &str) -> BTreeSet<i64> {
        let rows = self.rows.get(table).into_iter().flatten();
        rows.filter_map(|row| row.get(column)?.as_i64()).collect()
    }

    /// The matches that were asked for, those of contests and ladders, and those of bots.
    async fn add_matches(&mut self, asked: &PartRequest) -> Result<(), TransferError> {
        let of_contests = self.keys_in("contest_matches", "match_id");
        let named: BTreeSet<i64> = asked.matches.iter().map(|own| own.0).collect();
        let mut wanted: BTreeSet<i64> = of_contests.union(&named).copied().collect();
        if asked.with_matches {
            use tables::matches::entrants::{Column, Entity};
            let bots = asked.bots.iter().copied();
            let played = Entity::find().filter(Column::Bot.is_in(bots));
            let played = played.all(self.snapshot).await.map_err(StoreError::from)?;
            wanted.extend(played.iter().map(|own| own.match_id.0));
        }
        let wanted: Vec<i64> = wanted.into_iter().collect();
        self.add("matches", "id", &wanted).await?;
        for ladder in self.ladders.clone() {
            let its = Expr::col(Alias::new("ladder")).eq(ladder);
            self.add_where("matches", its).await?;
        }
        self.drop_matches(&of_contests, &named).await?;
        let matches: Vec<i64> = self.known_keys("matches");
        for table in [
            "match_entrants",
            "match_people",
            "match_homes",
            "match_tags",
            "corrections",
        ] {
            self.add(table, "match_id", &matches).await?;
        }
        for table in ["contest_matches", "distinct_games"] {
            let known = &self.known["matches"];
            let rows = self.rows.entry(table).or_default();
            rows.retain(|row| {
                row["match_id"]
                    .as_i64()
                    .is_some_and(|id| known.contains(&id))
            });
        }
        Ok(())
    }

    fn known_keys(&self, table: &str) -> Vec<i64> {
        let known = self.known.get(table).into_iter().flatten();
        known.copied().collect()
    }

    /// Leaves out what is not over, what is of an experiment, and what a contest that stays hides; of
    /// matches that were named, that is refused.
    async fn drop_matches(
        &mut self,
        of_contests: &BTreeSet<i64>,
        named: &BTreeSet<i64>,
    ) -> Result<(), TransferError> {
        let is = |row: &Row, name: &str, values: &[&str]| {
            let value = row.get(name).and_then(Value::as_str);
            value.is_some_and(|value| values.contains(&value))
        };
        let moves = |row: &Row| {
            is(row, "state", &["finished", "void", "cancelled"])
                && !is(row, "kind", &["experiment"])
        };
        let rows = self.rows["matches"].iter().filter(|row| moves(row));
        let mut moving: BTreeSet<i64> = rows.filter_map(|row| row["id"].as_i64()).collect();
        if let Some(id) = named.difference(&moving).next() {
            return Err(TransferError::MatchStays(*id));
        }
        let others: Vec<i64> = moving.difference(of_contests).copied().collect();
        let hidden = self.hidden_by_contests(&others).await?;
        if let Some((id, contest)) = hidden.iter().find(|(id, _)| named.contains(id)) {
            let (id, contest) = (*id, contest.clone());
            return Err(TransferError::MatchHidden { id, contest });
        }
        moving.retain(|id| !hidden.contains_key(id));
        let rows = self.rows.entry("matches").or_default();
        rows.retain(|row| row["id"].as_i64().is_some_and(|id| moving.contains(&id)));
        self.known.insert("matches", moving);
        Ok(())
    }

    /// Those of these matches that their contest hides today, with its name.
    async fn hidden_by_contests(
        &self,
        matches: &[i64],
    ) -> Result<BTreeMap<i64, String>, TransferError> {
        use tables::contests::{Entity, played};
        let mut hidden = BTreeMap::new();
        for some in matches.chunks(TOGETHER) {
            let ids = some.iter().copied().map(MatchId);
            let played = played::Entity::find().filter(played::Column::MatchId.is_in(ids));
            let played = played.all(self.snapshot).await.map_err(StoreError::from)?;
            let of: BTreeSet<ContestId> = played.iter().map(|row| row.contest).collect();
            let contests = Entity::find().filter(tables::contests::Column::Id.is_in(of));
            let contests = contests
                .all(self.snapshot)
                .await
                .map_err(StoreError::from)?;
            for row in played {
                let contest = contests.iter().find(|contest| contest.id == row.contest);
                let hides = contest.filter(|contest| contest.hides_matches(self.at));
                hidden.extend(hides.map(|contest| (row.match_id.0, contest.name.clone())));
            }
        }
        Ok(hidden)
    }

    /// Adds what the rows name, until nothing is missing.
    async fn add_parents(&mut self) -> Result<(), TransferError> {
        let whole: Vec<i64> = self.whole.iter().copied().collect();
        self.add("versions", "bot", &whole).await?;
        loop {
            let mut missing = Missing::default();
            for (table, rows) in &self.rows {
                for row in rows {
                    visit_keys(table, &mut row.clone(), &mut missing)?;
                }
            }
            let mut added = 0;
            for (table, keys) in missing.0 {
                let known = self.known.get(table).cloned().unwrap_or_default();
                let keys: Vec<i64> = keys.difference(&known).copied().collect();
                added += self.add(table, "id", &keys).await?.len();
            }
            if added == 0 {
                return Ok(());
            }
        }
    }

    /// Takes out what names rows that stay, and what is not asked for of the bots that only came along.
    fn finish(mut self) -> Result<Collected, TransferError> {
        self.drop_unchecked_versions();
        self.reduce_bots();
        let in_contests = self.keys_in("contest_matches", "match_id");
        for row in self.rows.entry("matches").or_default() {
            let ladder = row.get("ladder").and_then(Value::as_str);
            let is_rated_here = ladder.is_some_and(|ladder| self.ladders.contains(ladder));
            let id = row["id"].as_i64().unwrap_or_default();
            let kind = row.get("kind").and_then(Value::as_str).unwrap_or_default();
            if kind == "ladder" && !is_rated_here || kind == "contest" && !in_contests.contains(&id)
            {
                row.insert("kind".to_owned(), json!("friendly"));
            }
            if !is_rated_here {
                for name in ["ladder", "turn", "a_change", "b_change", "copy_of"] {
                    row.remove(name);
                }
            }
        }
        let mut inside = Inside {
            known: &self.known,
            ladders: &self.ladders,
        };
        for (table, rows) in &mut self.rows {
            for row in rows.iter_mut() {
                visit_keys(table, row, &mut inside)?;
            }
            if has_key(table) {
                rows.sort_by_key(|row| row["id"].as_i64());
            }
        }
        Ok(Collected { rows: self.rows })
    }

    /// Versions that wait for their check stay.
    fn drop_unchecked_versions(&mut self) {
        let is_checked = |row: &Row| {
            let state = row.get("state").and_then(Value::as_str);
            matches!(state, Some("ready" | "failed"))
        };
        let rows = self.rows.entry("versions").or_default();
        rows.retain(is_checked);
        let known = rows.iter().filter_map(|row| row["id"].as_i64()).collect();
        self.known.insert("versions", known);
    }

    /// Bots that only came along are off all ladders; of them move the versions that play in a contest
    /// that moves, and of other versions the number.
    fn reduce_bots(&mut self) {
        let mut shown = self.keys_in("contest_entries", "version");
        let entered = self.keys_in("contest_entries", "bot");
        for bot in self.rows.entry("bots").or_default() {
            let (id, owned) = (bot["id"].as_i64(), bot.contains_key("owner"));
            if !owned || id.is_some_and(|id| self.whole.contains(&id)) {
                continue;
            }
            bot.insert("retired".to_owned(), json!(true));
            match id.is_some_and(|id| entered.contains(&id)) {
                true => shown.extend(bot.get("active").and_then(Value::as_i64)),
                false => _ = bot.remove("active"),
            }
        }
        for version in self.rows.entry("versions").or_default() {
            let of = |name: &str| version.get(name).and_then(Value::as_i64);
            let is_whole = of("bot").is_some_and(|bot| self.whole.contains(&bot));
            let is_shown = of("id").is_some_and(|id| shown.contains(&id));
            // A built-in one has no source.
            if !is_whole && !is_shown && version.contains_key("source") {
                clear_version(version);
            }
        }
    }
}

/// Nothing but its number stays, as of a deleted one.
fn clear_version(version: &mut Row) {
    for name in ["source", "report", "failure", "how", "protocol"] {
        version.remove(name);
    }
    for name in ["file_name", "notes", "log"] {
        version.insert(name.to_owned(), json!(""));
    }
    let created = version["created"].clone();
    version.insert("deleted".to_owned(), created);
    version.insert("steps".to_owned(), json!("[]"));
    version.insert("state".to_owned(), json!("failed"));
    version.insert("bytes".to_owned(), json!(0));
    version.insert("source_public".to_owned(), json!(false));
}

/// The keys that rows name.
#[derive(Default)]
struct Missing(BTreeMap<&'static str, BTreeSet<i64>>);

impl Keys for Missing {
    fn meet_row(
        &mut self,
        table: &'static str,
        key: i64,
        _: bool,
    ) -> Result<Option<i64>, TransferError> {
        // Whatever a match goes on from or plays again does not come along.
        if table != "matches" {
            self.0.entry(table).or_default().insert(key);
        }
        Ok(Some(key))
    }

    fn meet_ladder(&mut self, id: &str) -> Result<Option<String>, TransferError> {
        Ok(Some(id.to_owned()))
    }
}

/// What is in the part.
struct Inside<'c> {
    known: &'c BTreeMap<&'static str, BTreeSet<i64>>,
    ladders: &'c BTreeSet<String>,
}

impl Keys for Inside<'_> {
    fn meet_row(
        &mut self,
        table: &'static str,
        key: i64,
        needed: bool,
    ) -> Result<Option<i64>, TransferError> {
        let is_known = self
            .known
            .get(table)
            .is_some_and(|known| known.contains(&key));
        match is_known || needed {
            true => Ok(Some(key)),
            false => Ok(None),
        }
    }

    fn meet_ladder(&mut self, id: &str) -> Result<Option<String>, TransferError> {
        Ok(self.ladders.contains(id).then(|| id.to_owned()))
    }
}
